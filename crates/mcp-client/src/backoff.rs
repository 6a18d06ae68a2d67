//! How long to wait before the next try.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// 200 ms, then twice as long each time, up to 10 s; between half of that and all of it, so that
/// those who failed together do not come back together.
pub(crate) fn pause(failures: u32) -> Duration {
    let longest = Duration::from_millis(200)
        .saturating_mul(1 << failures.min(10))
        .min(Duration::from_secs(10));
    longest.mul_f64(0.5 + 0.5 * fraction())
}

/// A random number from 0 to 1. It has to differ, not to be secret.
fn fraction() -> f64 {
    let random = RandomState::new().hash_one(0_u8) >> 32;
    random as f64 / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::pause;
    use std::time::Duration;

    #[test]
    fn pauses_grow_up_to_a_limit() {
        assert!((100..=200).contains(&pause(0).as_millis()));
        assert!((400..=800).contains(&pause(2).as_millis()));
        for failures in [10, 100, u32::MAX] {
            assert!((5..=10).contains(&pause(failures).as_secs()));
        }
        assert!(pause(6) <= Duration::from_secs(10));
    }
}

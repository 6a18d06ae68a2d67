//! How long to wait before the next attempt.

use std::time::Duration;

/// How long to wait before the next attempt: twice as long each time, up to a limit.
///
/// Of each pause a random part between half and all is waited, so that callers who failed
/// together do not come back together.
///
/// ```
/// use std::time::Duration;
/// use mcp_interceptors::Backoff;
/// let backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(1));
/// assert_eq!(backoff.pause(0, u64::MAX), Duration::from_millis(100));
/// assert_eq!(backoff.pause(2, u64::MAX), Duration::from_millis(400));
/// assert_eq!(backoff.pause(9, u64::MAX), Duration::from_secs(1));
/// assert_eq!(backoff.pause(9, 0), Duration::from_millis(500));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    first: Duration,
    most: Duration,
}

impl Default for Backoff {
    /// 200 ms at first, 10 s at most.
    fn default() -> Self {
        Self::new(Duration::from_millis(200), Duration::from_secs(10))
    }
}

impl Backoff {
    /// At most `first` before the second attempt, never more than `most`.
    #[must_use]
    pub const fn new(first: Duration, most: Duration) -> Self {
        Self { first, most }
    }

    /// The pause after so many pauses, with this random number.
    #[must_use]
    pub fn pause(&self, before: u32, random: u64) -> Duration {
        let factor = 1_u32.checked_shl(before).unwrap_or(u32::MAX);
        let longest = self.first.saturating_mul(factor).min(self.most);
        let fraction = random as f64 / u64::MAX as f64;
        longest.mul_f64(0.5 + 0.5 * fraction)
    }
}

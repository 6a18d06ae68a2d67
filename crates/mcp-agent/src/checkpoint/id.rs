//! Names of checkpoints: later ones are greater.

use std::sync::Arc;

use crate::hash::write_hex;

/// The name after `parent` at the time `now`: 12 digits of milliseconds, 6 that count within a
/// millisecond, and 8 that tell runs apart, all hexadecimal.
pub(crate) fn next_id(parent: Option<&str>, now: u64, run: u64) -> Arc<str> {
    let before = parent.and_then(parts);
    let (at, count) = match before {
        Some((at, count)) if at >= now => (at, count + 1),
        _ => (now, 0),
    };
    let mut id = [0; 26];
    let (time, rest) = id.split_at_mut(12);
    let (counted, own) = rest.split_at_mut(6);
    write_hex(at, time);
    write_hex(count, counted);
    write_hex(run, own);
    std::str::from_utf8(&id).unwrap_or_default().into()
}

fn parts(id: &str) -> Option<(u64, u64)> {
    let at = u64::from_str_radix(id.get(..12)?, 16).ok()?;
    let count = u64::from_str_radix(id.get(12..18)?, 16).ok()?;
    Some((at, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_ids_are_greater_even_when_the_clock_stands_or_goes_back() {
        let first = next_id(None, 1_000, 7);
        let second = next_id(Some(&first), 1_000, 7);
        let third = next_id(Some(&second), 900, 8);
        let fourth = next_id(Some(&third), 2_000, 1);
        assert!(first < second && second < third && third < fourth);
        assert_eq!(
            &*next_id(None, 0xabc_0123, 0xf_0000_001e),
            "00000abc01230000000000001e"
        );
        assert_eq!(first.len(), 26);
    }
}

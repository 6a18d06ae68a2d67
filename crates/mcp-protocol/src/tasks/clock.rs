//! The time of day as JSON has it.

use std::time::Duration;

/// A time as in ISO 8601, in UTC, to the millisecond: what a [`Task`](crate::Task) says of its
/// beginning and of its last change.
///
/// ```
/// use std::time::Duration;
/// use mcp_protocol::tasks::iso_8601;
/// assert_eq!(iso_8601(Duration::from_millis(86_400_007)), "1970-01-02T00:00:00.007Z");
/// ```
#[must_use]
pub fn iso_8601(since_1970: Duration) -> String {
    format(since_1970.as_secs(), since_1970.subsec_millis())
}

fn format(seconds: u64, millis: u32) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// The date of a day since 1970. Years begin in March here, so that a leap day ends one.
fn date(days: u64) -> (u64, u64, u64) {
    // Days since 1 March of year 0, in cycles of 400 years.
    let days = days + 719_468;
    let (cycle, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (cycle * 400 + year + next, month, day)
}

#[cfg(test)]
mod tests {
    use super::format;

    #[test]
    fn a_time_is_written_in_utc_with_leap_days_where_they_are() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00.007Z"),
            (951_782_399, "2000-02-28T23:59:59.007Z"),
            (951_782_400, "2000-02-29T00:00:00.007Z"),
            (951_868_800, "2000-03-01T00:00:00.007Z"),
            (1_785_196_799, "2026-07-27T23:59:59.007Z"),
            (4_107_542_400, "2100-03-01T00:00:00.007Z"),
        ] {
            assert_eq!(format(seconds, 7), expected);
        }
    }
}

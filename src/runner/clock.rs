//! The clock on the wall, and how times are written.
//!
//! A time is seconds since 1970 (UTC). It is only shown and stored: durations come from a monotonic clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds of a day.
const DAY: u64 = 86_400;

/// Seconds since 1970 (UTC), to milliseconds; 0 with a clock before that.
pub fn now() -> f64 {
    to_milliseconds(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64()))
}

/// Seconds rounded to milliseconds, which is all that threads can be timed to.
pub fn to_milliseconds(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

/// A time as its date in UTC: year-month-day.
pub fn date(time: f64) -> String {
    let (year, month, day) = civil(time.max(0.0) as u64 / DAY);
    format!("{year:04}-{month:02}-{day:02}")
}

/// A time as date and time in UTC, ISO 8601.
pub fn utc(time: f64) -> String {
    let second = time.max(0.0) as u64 % DAY;
    format!("{}T{:02}:{:02}:{:02}Z", date(time), second / 3600, second / 60 % 60, second % 60)
}

/// Year, month and day of a number of days since 1970-01-01 (H. Hinnant, "chrono-compatible low-level date
/// algorithms"): years begin in March, so that the leap day comes last; an era is 400 years, 146,097 days.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates() {
        assert_eq!(utc(0.0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_400.0), "2000-02-29T00:00:00Z");
        assert_eq!(utc(1_700_000_000.9), "2023-11-14T22:13:20Z");
        assert_eq!(utc(4_107_542_399.0), "2100-02-28T23:59:59Z");
        assert_eq!(date(951_782_400.0), "2000-02-29");
        assert_eq!(date(-1.0), "1970-01-01");
    }

    #[test]
    fn days_become_dates() {
        for (days, date) in [
            (0, (1970, 1, 1)),
            (789, (1972, 2, 29)),
            (790, (1972, 3, 1)),
            (11_016, (2000, 2, 29)),
            (20_777, (2026, 11, 20)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ] {
            assert_eq!(civil(days), date, "{days}");
        }
    }
}

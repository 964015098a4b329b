//! Times of the clock as people write them: a date, a date with the time of day, or a time from now on.
//!
//! Without a zone, a time is in the zone of this machine (TZ, else what the system says). Dates are read by the crate
//! `jiff`, which knows when clocks are changed.

use crate::core::quantity::parse_duration;
use crate::runner::clock::now;
use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Zoned};

/// What [`future`] takes.
const FUTURE: &str = "expected +TIME from now on (+90s, +2h, +1d12h), a time of day (22:30), or a date with a time \
     (2026-11-26T08:00, or 2026-11-26T08:00+01:00 in another zone)";

/// What [`past`] takes.
const PAST: &str = "expected a time ago (90s, 2h, 3d), a date (2026-11-26), or a date with a time (2026-11-26T08:00, or \
     2026-11-26T08:00+01:00 in another zone)";

/// A time that is to come: seconds since 1970 (UTC).
///
/// # Errors
/// If it is not a time. One that is over is a time, too.
pub fn future(text: &str) -> Result<f64, String> {
    let text = text.trim();
    if let Some(duration) = text.strip_prefix('+') {
        return parse_duration(duration).map(|seconds| now() + seconds).map_err(|_| FUTURE.to_owned());
    }
    let zone = TimeZone::system();
    let at = match time_of_day(text) {
        Some(time) => next(time, &Zoned::now()),
        None => date(text, &zone),
    };
    at.map(seconds).ok_or_else(|| FUTURE.to_owned())
}

/// A time that is over: seconds since 1970 (UTC).
///
/// # Errors
/// If it is not a time.
pub fn past(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let ago = parse_duration(text).map(|duration| (now() - duration).max(0.0));
    let date = || date(text, &TimeZone::system()).map(seconds);
    ago.ok().or_else(date).ok_or_else(|| PAST.to_owned())
}

/// A time in the zone of this machine, with the zone's distance from UTC.
pub fn local(time: f64) -> String {
    formatted(time, "%Y-%m-%d %H:%M:%S %:z")
}

/// The same to the minute, where there is little room.
pub fn local_minute(time: f64) -> String {
    formatted(time, "%Y-%m-%d %H:%M")
}

fn formatted(time: f64, form: &str) -> String {
    let Ok(time) = Timestamp::from_second(time.clamp(0.0, 1e11) as i64) else { return "-".to_owned() };
    time.to_zoned(TimeZone::system()).strftime(form).to_string()
}

/// `22:30` or `22:30:15`.
fn time_of_day(text: &str) -> Option<Time> {
    let is_short = text.len() <= 8 && text.as_bytes().get(2) == Some(&b':');
    if is_short { text.parse().ok() } else { None }
}

/// The next time that clocks show this.
fn next(time: Time, now: &Zoned) -> Option<Timestamp> {
    let on = |date: jiff::civil::Date| date.to_datetime(time).to_zoned(now.time_zone().clone()).ok();
    let today = on(now.date())?;
    if today > *now {
        return Some(today.timestamp());
    }
    on(now.date().checked_add(1.day()).ok()?).map(|tomorrow| tomorrow.timestamp())
}

/// A date, perhaps with a time of day and a zone.
fn date(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    if !text.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    if let Ok(time) = text.parse::<Zoned>() {
        return Some(time.timestamp());
    }
    // It would be read without what it says of the zone.
    let of_day = text.get(10..).unwrap_or_default();
    if of_day.contains(['+', '-', '[', 'Z', 'z']) {
        return None;
    }
    text.parse::<DateTime>().ok()?.to_zoned(zone.clone()).ok().map(|time| time.timestamp())
}

/// No time before 1970 is one of this program.
fn seconds(time: Timestamp) -> f64 {
    time.as_duration().as_secs_f64().max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil;
    use jiff::tz::Offset;

    #[test]
    fn dates_are_in_their_own_zone_or_in_that_of_the_machine() {
        let zone = TimeZone::fixed(Offset::from_hours(2).unwrap());
        let read = |text: &str| date(text, &zone).map(seconds);
        for (text, expected) in [
            ("1970-01-02", 79_200.0),
            ("1970-01-02T00:00:00Z", 86_400.0),
            ("1970-01-02 02:00", 86_400.0),
            ("1970-01-02T02:00:30", 86_430.0),
            ("1970-01-02T00:00+01:00", 82_800.0),
            ("2026-11-26T08:00-05", 1_795_698_000.0),
        ] {
            assert_eq!(read(text), Some(expected), "{text}");
        }
        for text in
            ["", "x", "2026-13-01", "2026-02-30", "26", "2026-11-26T25:00", "2026-11-26T08:00+99:00", "\u{e9}"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_time_of_day_is_the_next_one() {
        let zone = TimeZone::UTC;
        let now = civil::date(2026, 12, 31).at(22, 0, 0, 0).to_zoned(zone).unwrap();
        let next = |text: &str| next(time_of_day(text).unwrap(), &now).unwrap().to_string();
        assert_eq!(next("22:30"), "2026-12-31T22:30:00Z");
        assert_eq!(next("22:00"), "2027-01-01T22:00:00Z");
        assert_eq!(next("07:05:09"), "2027-01-01T07:05:09Z");
        assert!(time_of_day("2026-11-26").is_none() && time_of_day("25:00").is_none());
    }

    #[test]
    fn times_from_now_and_ago() {
        let close = |time: Result<f64, String>, seconds: f64| (time.unwrap() - now() - seconds).abs() < 600.0;
        assert!(close(future("+2h"), 7200.0) && close(past("2h"), -7200.0) && close(past("1d12h"), -129_600.0));
        for text in ["2h", "soon", "+", "+x", "-2h", ""] {
            assert!(future(text).unwrap_err().contains("+2h"), "{text}");
        }
        for text in ["+2h", "yesterday", "22:30", ""] {
            assert!(past(text).unwrap_err().contains("2h"), "{text}");
        }
        assert!(local(0.0).starts_with("19"));
    }
}

//! Quantities as people write them: sizes of memory and durations, one reader for each.
//!
//! A size is a number and a unit: `4096`, `64k`, `500M`, `2GiB`, `1.5 GB`. Units are powers of 1024, whether they are
//! written `M`, `MB` or `MiB`, in capitals or not. A duration is one or more numbers with units in small letters; a
//! number alone is in seconds: `90`, `1.5`, `60s`, `5m`, `5 min`, `2h`, `1d12h`.
//!
//! The command line, configuration files and the API read text through these functions; the page's scripts follow the
//! same grammar.

/// Durations from this on are refused, in seconds: 30,000 years, so that sums of them stay exact to a millisecond.
const LONGEST: f64 = 1e12;

/// A text is not such a quantity: says what is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// Not a size in bytes.
    #[error("expected a number of bytes above 0, or one with a unit, such as 64k, 500M, 2G or 1.5GiB")]
    Bytes,
    /// A size of 2^64 bytes or more.
    #[error("this is more memory than any machine has")]
    TooManyBytes,
    /// Not a duration.
    #[error("expected a time above 0, in seconds or with units, such as 90, 60s, 5m, 2h or 1d12h")]
    Duration,
}

/// Reads a size in bytes.
///
/// ```
/// use morpion_engine::core::quantity::parse_bytes;
/// assert_eq!(parse_bytes("2GiB"), Ok(2 << 30));
/// assert_eq!(parse_bytes("2g"), parse_bytes("2 GB"));
/// assert_eq!(parse_bytes("1.5k"), Ok(1536));
/// assert!(parse_bytes("2 gallons").is_err());
/// ```
///
/// # Errors
/// If the text is not a positive number with a known unit, or is 2^64 bytes or more.
pub fn parse_bytes(text: &str) -> Result<u64, QuantityError> {
    let (number, unit) = split_number(text.trim());
    let shift = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err(QuantityError::Bytes),
    };
    let number = number.replace('_', "");
    let bytes = if number.contains('.') {
        let bytes = (decimal(&number).ok_or(QuantityError::Bytes)? * (1u64 << shift) as f64).round();
        if bytes >= u64::MAX as f64 {
            return Err(QuantityError::TooManyBytes);
        }
        bytes as u64
    } else if number.is_empty() {
        return Err(QuantityError::Bytes);
    } else {
        // Digits alone, so what does not fit is too large.
        let number: u64 = number.parse().map_err(|_| QuantityError::TooManyBytes)?;
        number.checked_mul(1 << shift).ok_or(QuantityError::TooManyBytes)?
    };
    if bytes == 0 { Err(QuantityError::Bytes) } else { Ok(bytes) }
}

/// A size as [`parse_bytes`] reads it back: in the largest unit that it is a whole number of.
///
/// ```
/// use morpion_engine::core::quantity::{bytes_text, parse_bytes};
/// assert_eq!(bytes_text(512 << 20), "512M");
/// assert_eq!(bytes_text(4097), "4097");
/// ```
pub fn bytes_text(bytes: u64) -> String {
    let units = [(40, "T"), (30, "G"), (20, "M"), (10, "k")];
    match units.into_iter().find(|(shift, _)| bytes >> shift > 0 && bytes.trailing_zeros() >= *shift) {
        Some((shift, unit)) => format!("{}{unit}", bytes >> shift),
        None => bytes.to_string(),
    }
}

/// A size for a person, in MiB, rounded up.
pub fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1 << 20))
}

/// Reads a duration, in seconds.
///
/// ```
/// use morpion_engine::core::quantity::parse_duration;
/// assert_eq!(parse_duration("1d12h"), Ok(129_600.0));
/// assert_eq!(parse_duration("5 min"), parse_duration("300"));
/// assert!(parse_duration("2h30").is_err());
/// ```
///
/// # Errors
/// If the text is not numbers with units, or the whole is not above 0.
pub fn parse_duration(text: &str) -> Result<f64, QuantityError> {
    let mut rest = text.trim();
    let (first, unit) = split_number(rest);
    // A number alone is seconds.
    let mut seconds = if unit.is_empty() {
        rest = "";
        decimal(first).ok_or(QuantityError::Duration)?
    } else {
        0.0
    };
    while !rest.is_empty() {
        let (number, after) = split_number(rest);
        let after = after.trim_start();
        let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let worth = unit_seconds(&after[..end]).ok_or(QuantityError::Duration)?;
        seconds += decimal(number).ok_or(QuantityError::Duration)? * worth;
        rest = after[end..].trim_start();
    }
    if seconds > 0.0 && seconds < LONGEST { Ok(seconds) } else { Err(QuantityError::Duration) }
}

/// Seconds of a unit of time, if the word is one.
pub fn unit_seconds(word: &str) -> Option<f64> {
    match word {
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1.0),
        "m" | "min" | "mins" | "minute" | "minutes" => Some(60.0),
        "h" | "hour" | "hours" => Some(3600.0),
        "d" | "day" | "days" => Some(86_400.0),
        _ => None,
    }
}

/// A number with commas between its thousands.
///
/// ```
/// use morpion_engine::core::quantity::grouped;
/// assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
/// ```
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The digits, dots and underscores that a text begins with, and the rest.
fn split_number(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(text.len()))
}

/// A number without a sign or an exponent.
fn decimal(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    text.parse().ok().filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        for (text, bytes) in [
            ("1", 1),
            ("4096", 4096),
            ("4_096 B", 4096),
            ("64k", 65_536),
            ("512M", 512 << 20),
            ("512m", 512 << 20),
            ("2GiB", 2 << 30),
            ("2 gb", 2 << 30),
            ("1.5G", 3 << 29),
            ("0.5k", 512),
            ("1T", 1 << 40),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for text in
            ["", "M", "-1", "+1", "0", "0.0001", "1e9", "1x", "1MM", "1 2", "1..5M", ".", "_", "\u{e9}", "1\u{e9}"]
        {
            assert_eq!(parse_bytes(text), Err(QuantityError::Bytes), "{text}");
        }
        for text in ["99999999999999999999", "18446744073709551615G", "99999999999.5G"] {
            assert_eq!(parse_bytes(text), Err(QuantityError::TooManyBytes), "{text}");
        }
    }

    #[test]
    fn sizes_are_written_as_they_are_read() {
        let powers = (0..64).map(|shift| 1u64 << shift);
        for bytes in powers.flat_map(|power| [power, power.saturating_add(1), power.saturating_mul(3)]) {
            assert_eq!(parse_bytes(&bytes_text(bytes)), Ok(bytes), "{}", bytes_text(bytes));
        }
    }

    #[test]
    fn durations_are_read() {
        for (text, seconds) in [
            ("90", 90.0),
            ("1.5", 1.5),
            ("60s", 60.0),
            ("0.5m", 30.0),
            ("5 min", 300.0),
            ("2h", 7200.0),
            ("1 h 30 minutes", 5400.0),
            ("1d12h", 129_600.0),
            ("1h30m5s", 5405.0),
            (" 3 days ", 259_200.0),
        ] {
            assert_eq!(parse_duration(text), Ok(seconds), "{text}");
        }
        let wrong = [
            "",
            "0",
            "0h",
            "s",
            "-5",
            "5x",
            "2h30",
            "1e3",
            "inf",
            "..s",
            ".",
            "5 6",
            "5M",
            "9999999999999d",
            "\u{e9}",
        ];
        for text in wrong {
            assert_eq!(parse_duration(text), Err(QuantityError::Duration), "{text}");
        }
    }
}

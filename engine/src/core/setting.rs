//! Settings as rows of a table: each is declared once, and everything that shows or reads it derives from its row.
//!
//! A row ([`SettingRow`]) has what people see (name, label, help, unit, the values that it takes) and how a text
//! becomes a part of a typed value `T` and back. Command-line flags, configuration files and the API are readers of
//! the same rows, so that a setting has the same spelling and the same range everywhere.
//!
//! To describe the settings of another kind of job: declare its value `T`, a `const` table of `SettingRow<T>`, and
//! implement `jobs::reading::FromSettings` for `T`; flags, TOML and JSON are then read by the readers that hunts use.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde::de::value::{Error as NameError, StrDeserializer};
use std::fmt::Display;
use std::str::FromStr;

/// A text that is not a valid value of a setting: says what would be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadValue(pub String);

/// One of a few values, and how it is called where people choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedValue {
    /// As it is typed.
    pub value: &'static str,
    /// What people read where they choose.
    pub label: &'static str,
}

/// The values that a setting takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValueKind {
    /// A whole number within bounds.
    Whole {
        /// Smallest value allowed.
        min: u64,
        /// Largest value allowed.
        max: u64,
    },
    /// A whole number within bounds, of which one is negative.
    Integer {
        /// The least number that is taken.
        min: i64,
        /// The largest number that is taken.
        max: i64,
    },
    /// A number above 0.
    Number {
        /// The largest; infinite if any is taken.
        max: f64,
    },
    /// A number of things, with a unit if it is large: 1000, 50M, 2G.
    Count {
        /// Smallest number allowed.
        min: u64,
    },
    /// On or off.
    Switch,
    /// One of several names.
    Choice(&'static [NamedValue]),
    /// Several of these names, with commas between.
    List(&'static [NamedValue]),
    /// One of these names, or rows of cells: colons between cells, commas between rows.
    Rows(&'static [NamedValue]),
    /// A time such as 90, 60s, 5m, 2h, in seconds.
    Seconds,
    /// Memory such as 500M or 2G, in bytes.
    Bytes,
    /// Anything that its reader accepts.
    Text,
    /// Texts, one on each line. A file or a request may have a list of them.
    Lines,
}

/// What is known of a setting apart from the value that it is a part of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SettingInfo {
    /// Its name in configuration files and the API; as a flag with hyphens.
    pub name: &'static str,
    /// Other names that are accepted.
    pub aliases: &'static [&'static str],
    /// What stands for its value in help texts.
    pub value_name: &'static str,
    /// Its name where people fill in a form.
    pub label: &'static str,
    /// What it does, in a sentence or two.
    pub help: &'static str,
    /// What its number counts or measures.
    pub unit: Option<&'static str>,
    /// The values that it takes.
    pub kind: ValueKind,
    /// What happens where it is not given and has no default value.
    pub unset: &'static str,
    /// Why its values are bounded, told with a value that is out of range.
    pub because: &'static str,
    /// Whether a command line may name a file that holds the value.
    pub or_file: bool,
    /// Whether most people leave it alone.
    pub advanced: bool,
}

/// One row of a table of settings: what is known of it, and how it is read into a value and shown.
pub struct SettingRow<T: 'static> {
    /// What is known of it.
    pub about: SettingInfo,
    /// Puts a text that [`ValueKind::check`] accepts into the value.
    pub read: fn(&mut T, &str) -> Result<(), BadValue>,
    /// The text that [`SettingRow::read`] would make the same of; nothing if it is not set.
    pub show: fn(&T) -> Option<String>,
}

impl<T> SettingRow<T> {
    /// Checks a text and puts it into the value.
    ///
    /// # Errors
    /// If the text is not a valid value.
    pub fn set(&self, value: &mut T, text: &str) -> Result<(), BadValue> {
        self.about.check(text)?;
        (self.read)(value, text)
    }
}

impl SettingInfo {
    /// A setting with this name, label and help that takes these values; most of the rest is usual.
    pub const fn new(name: &'static str, label: &'static str, kind: ValueKind, help: &'static str) -> SettingInfo {
        let value_name = match kind {
            ValueKind::Number { .. } => "X",
            ValueKind::Switch => "on|off",
            ValueKind::Choice(_) => "NAME",
            ValueKind::List(_) => "LIST",
            ValueKind::Rows(_) => "ROWS",
            ValueKind::Seconds => "TIME",
            ValueKind::Bytes => "BYTES",
            ValueKind::Text | ValueKind::Lines => "TEXT",
            ValueKind::Whole { .. } | ValueKind::Integer { .. } | ValueKind::Count { .. } => "N",
        };
        SettingInfo {
            name,
            aliases: &[],
            value_name,
            label,
            help,
            unit: None,
            kind,
            unset: "",
            because: "",
            or_file: false,
            advanced: false,
        }
    }

    /// Its number counts or measures this.
    pub const fn unit(self, unit: &'static str) -> SettingInfo {
        SettingInfo { unit: Some(unit), ..self }
    }

    /// This stands for its value in help texts.
    pub const fn value_name(self, value_name: &'static str) -> SettingInfo {
        SettingInfo { value_name, ..self }
    }

    /// These names are accepted as well.
    pub const fn aliases(self, aliases: &'static [&'static str]) -> SettingInfo {
        SettingInfo { aliases, ..self }
    }

    /// This happens where it is not set.
    pub const fn unset(self, unset: &'static str) -> SettingInfo {
        SettingInfo { unset, ..self }
    }

    /// Why its values are bounded.
    pub const fn because(self, because: &'static str) -> SettingInfo {
        SettingInfo { because, ..self }
    }

    /// A command line may name a file that holds the value.
    pub const fn or_file(self) -> SettingInfo {
        SettingInfo { or_file: true, ..self }
    }

    /// Most people leave it alone.
    pub const fn advanced(self) -> SettingInfo {
        SettingInfo { advanced: true, ..self }
    }

    /// Checks what can be checked of a text without the value that it is for.
    ///
    /// # Errors
    /// If the text is not of its kind or out of range.
    pub fn check(&self, text: &str) -> Result<(), BadValue> {
        match self.kind.check(text) {
            Err(BadValue(reason)) if !self.because.is_empty() => bad(format!("{reason}: {}", self.because)),
            checked => checked,
        }
    }

    /// Whether it is called so, with hyphens or underscores.
    pub fn is_called(&self, name: &str) -> bool {
        let name = name.replace('-', "_");
        self.name == name || self.aliases.contains(&name.as_str())
    }

    /// Its name as a flag.
    pub fn flag(&self) -> String {
        format!("--{}", self.name.replace('_', "-"))
    }
}

impl ValueKind {
    /// Checks what can be checked of a text without the value that it is for.
    ///
    /// # Errors
    /// If the text is not of this kind or out of range.
    pub fn check(&self, text: &str) -> Result<(), BadValue> {
        match *self {
            ValueKind::Whole { min, max } => match text.parse::<u64>() {
                Ok(number) if (min..=max).contains(&number) => Ok(()),
                Ok(_) => bad(format!("{text} is not in {}", range(min, max))),
                Err(_) => bad(format!("expected a whole number in {}", range(min, max))),
            },
            ValueKind::Integer { min, max } => match text.parse::<i64>() {
                Ok(number) if (min..=max).contains(&number) => Ok(()),
                Ok(_) => bad(format!("{text} is not in {min}..={max}")),
                Err(_) => bad(format!("expected a whole number in {min}..={max}")),
            },
            ValueKind::Number { max } => match text.parse::<f64>() {
                Ok(number) if number > 0.0 && number <= max && number.is_finite() => Ok(()),
                _ if max.is_finite() => bad(format!("expected a number above 0 and at most {max}")),
                _ => bad("expected a number above 0".to_owned()),
            },
            ValueKind::Count { min } => match parse_count(text)? {
                count if count >= min => Ok(()),
                _ => bad(format!("it must be at least {min}")),
            },
            ValueKind::Switch => read_switch(text).map(drop),
            ValueKind::Choice(choices) if choices.iter().all(|choice| choice.value != text) => {
                bad(format!("expected one of {}", names(choices)))
            }
            ValueKind::Choice(_)
            | ValueKind::List(_)
            | ValueKind::Rows(_)
            | ValueKind::Seconds
            | ValueKind::Bytes
            | ValueKind::Text
            | ValueKind::Lines => Ok(()),
        }
    }

    /// The names that it takes, if it takes names.
    pub fn choices(&self) -> &'static [NamedValue] {
        match *self {
            ValueKind::Choice(choices) | ValueKind::List(choices) | ValueKind::Rows(choices) => choices,
            _ => &[],
        }
    }

    /// The values in words, for help texts; nothing where the names are listed anyway.
    pub fn range(&self) -> Option<String> {
        match *self {
            ValueKind::Whole { min, max } => Some(range(min, max)),
            ValueKind::Integer { min, max } => Some(format!("{min}..={max}")),
            ValueKind::Number { max } if max.is_finite() => Some(format!("above 0, at most {max}")),
            ValueKind::Number { .. } => Some("above 0".to_owned()),
            ValueKind::Count { .. } => Some("1000, 50M, 2G".to_owned()),
            ValueKind::List(choices) => Some(format!("{}, or several with commas between", names(choices))),
            _ => None,
        }
    }
}

fn range(min: u64, max: u64) -> String {
    if max == u64::MAX { format!("{min}..") } else { format!("{min}..={max}") }
}

fn names(choices: &[NamedValue]) -> String {
    choices.iter().map(|choice| choice.value).collect::<Vec<_>>().join(", ")
}

fn bad<T>(text: String) -> Result<T, BadValue> {
    Err(BadValue(text))
}

/// A number, or whatever else has a reader of its own.
///
/// # Errors
/// What the reader says.
pub fn read<V: FromStr<Err: Display>>(text: &str) -> Result<V, BadValue> {
    text.parse().map_err(|error: V::Err| BadValue(error.to_string()))
}

/// `on` or `off`.
///
/// # Errors
/// If it is neither.
pub fn read_switch(text: &str) -> Result<bool, BadValue> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => bad("expected on or off".to_owned()),
    }
}

/// A switch as [`read_switch`] reads it.
pub fn show_switch(value: bool) -> &'static str {
    if value { "on" } else { "off" }
}

/// The value of that name, as in files.
///
/// # Errors
/// If there is none.
pub fn read_name<V: DeserializeOwned>(text: &str) -> Result<V, BadValue> {
    V::deserialize(StrDeserializer::<NameError>::new(text)).map_err(|error| BadValue(error.to_string()))
}

/// The name of a value, as in files.
pub fn show_name<V: Serialize>(value: &V) -> String {
    let name = serde_json::to_value(value).ok();
    name.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
}

/// A number of things: digits, `_` between them, and at the end perhaps k (thousand), M (million) or G (thousand
/// million).
///
/// ```
/// use morpion_engine::core::setting::parse_count;
/// assert_eq!(parse_count("5M"), Ok(5_000_000));
/// assert_eq!(parse_count("1_500"), Ok(1500));
/// assert!(parse_count("1e9").is_err());
/// ```
///
/// # Errors
/// If the text is not such a number, or it is 2^64 or more.
pub fn parse_count(text: &str) -> Result<u64, BadValue> {
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 'k')) => (&text[..at], 1_000),
        Some((at, 'M')) => (&text[..at], 1_000_000),
        Some((at, 'G')) => (&text[..at], 1_000_000_000),
        _ => (text, 1u64),
    };
    let digits = digits.replace('_', "");
    let number = if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse::<u64>().ok() } else { None };
    match number.and_then(|n| n.checked_mul(unit)) {
        Some(count) => Ok(count),
        None => bad(format!("'{text}' is not a valid number: expected digits, then perhaps k, M or G")),
    }
}

/// A count as [`parse_count`] reads it: in the largest unit that it is a whole number of.
///
/// ```
/// use morpion_engine::core::setting::show_count;
/// assert_eq!([20_000_000, 3_000_000_000, 20_000, 1234].map(show_count), ["20M", "3G", "20k", "1234"]);
/// ```
pub fn show_count(count: u64) -> String {
    for (unit, letter) in [(1_000_000_000, 'G'), (1_000_000, 'M'), (1_000, 'k')] {
        if count > 0 && count.is_multiple_of(unit) {
            return format!("{}{letter}", count / unit);
        }
    }
    count.to_string()
}

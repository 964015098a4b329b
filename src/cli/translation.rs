//! The language of the command line, and texts in it.
//!
//! `MORPION_LANGUAGE` names it. Without that variable it is the language of the environment where standard output and
//! standard error are a terminal, and English elsewhere: what goes into a file or to another program does not depend
//! on who runs it.

use super::streams::{data_are_seen, messages_are_seen};
use crate::language::Language;
use crate::runner::status::clock;
use std::sync::OnceLock;

/// The variable that names the language.
pub const VARIABLE: &str = "MORPION_LANGUAGE";

/// A text in the language of the command line, with its values: `t!("best {0}", score)`.
macro_rules! t {
    ($key:literal $(, $value:expr)* $(,)?) => {
        $crate::cli::translation::language().text($key, &[$(&$value as &dyn std::fmt::Display),*])
    };
}
pub(in crate::cli) use t;

/// A text that depends on a number, which is its value `{0}`: `tn!(n, "{0} worker", "{0} workers")`. Other values can
/// be given instead.
macro_rules! tn {
    ($number:expr, $one:literal, $many:literal) => {
        tn!($number, $one, $many, $number)
    };
    ($number:expr, $one:literal, $many:literal $(, $value:expr)+) => {
        $crate::cli::translation::language()
            .counted($number as u64, [$one, $many], &[$(&$value as &dyn std::fmt::Display),+])
    };
}
pub(in crate::cli) use tn;

/// Marks a text that is put into the language where it is shown, by [`known`].
macro_rules! marked {
    ($key:literal) => {
        $key
    };
}
pub(in crate::cli) use marked;

/// The language of the command line.
pub fn language() -> Language {
    static LANGUAGE: OnceLock<Language> = OnceLock::new();
    // The tests inside of the program are about English texts.
    *LANGUAGE.get_or_init(|| if cfg!(test) { Language::English } else { of(|name| std::env::var(name).ok()) })
}

fn of(get: impl Fn(&str) -> Option<String>) -> Language {
    match get(VARIABLE).filter(|name| !name.is_empty()) {
        Some(name) => Language::from_locale(&name).unwrap_or_default(),
        None if data_are_seen() && messages_are_seen() => Language::of_environment(get),
        None => Language::English,
    }
}

/// A text that stands elsewhere, in the language of the command line if the catalogue has it.
pub fn known(text: &str) -> String {
    language().text(text, &[])
}

/// A number with decimals, as the language writes it.
pub fn decimal(number: String) -> String {
    if language() == Language::English { number } else { number.replace('.', ",") }
}

/// A number of seconds as days, hours, minutes and seconds.
pub fn span(seconds: f64) -> String {
    let text = clock(seconds);
    match (seconds.max(0.0) as u64 / 86_400, text.rsplit_once(' ')) {
        (days @ 1.., Some((_, rest))) => tn!(days, "{0} day {1}", "{0} days {1}", days, rest),
        _ => text,
    }
}

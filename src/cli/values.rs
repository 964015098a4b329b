//! Values of flags that several commands take.

use crate::core::setting::parse_count;
use crate::render::theme::Theme;
use crate::runner::MAX_THREADS;
use crate::strategies::params::BadParam;
use std::fmt::Display;

/// A new value, or none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewValue<T>(pub Option<T>);

/// The colours of a picture, as a flag names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Colours {
    /// On white, for print
    Light,
    /// On a dark ground
    Dark,
}

impl From<Colours> for Theme {
    fn from(colours: Colours) -> Theme {
        match colours {
            Colours::Light => Theme::Light,
            Colours::Dark => Theme::Dark,
        }
    }
}

/// A score, or `none`.
///
/// # Errors
/// If it is neither.
pub fn score_or_none(text: &str) -> Result<NewValue<u32>, BadParam> {
    match text.parse::<u32>() {
        _ if text == "none" => Ok(NewValue(None)),
        Ok(score) if score > 0 => Ok(NewValue(Some(score))),
        _ => Err(BadParam("expected a score or none".to_owned())),
    }
}

/// A number of nodes, at least 1, such as 5000, 200k or 5M.
///
/// # Errors
/// If it is none.
pub fn nodes(text: &str) -> Result<u64, String> {
    match parse_count(text) {
        Ok(0) => Err("0 nodes are too few: at least 1".to_owned()),
        Ok(nodes) => Ok(nodes),
        Err(error) => Err(error.to_string()),
    }
}

/// What `read` reads, or `none`.
pub fn or_none<T: 'static, E: Display>(
    read: impl Fn(&str) -> Result<T, E> + Clone + Send + Sync + 'static,
) -> impl Fn(&str) -> Result<NewValue<T>, String> + Clone + Send + Sync + 'static {
    move |text| match text {
        "none" => Ok(NewValue(None)),
        _ => read(text).map(|value| NewValue(Some(value))).map_err(|error| format!("{error}; or none")),
    }
}

/// A number of things, at least one.
///
/// # Errors
/// If it is not a number of at least 1.
pub fn positive(text: &str) -> Result<usize, BadParam> {
    match text.parse::<usize>() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(BadParam("expected a number of at least 1".to_owned())),
    }
}

/// A number of threads of a hunt, the main thread included.
///
/// # Errors
/// If it leaves no worker, or is out of range.
pub fn threads(text: &str) -> Result<u32, BadParam> {
    match text.parse::<u32>() {
        Ok(count) if (2..=MAX_THREADS).contains(&count) => Ok(count),
        _ => Err(BadParam(format!(
            "expected 2 to {MAX_THREADS}: the main thread, which hands out the work, and at least one worker"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_nodes_are_read() {
        assert_eq!(
            [nodes("1"), nodes("200k"), nodes("5_000_000"), nodes("2M")],
            [1, 200_000, 5_000_000, 2_000_000].map(Ok)
        );
        for (text, why) in
            [("0", "at least 1"), ("0k", "at least 1"), ("", "digits"), ("1m", "digits"), ("-1", "digits")]
        {
            assert!(nodes(text).is_err_and(|error| error.contains(why)), "{text}");
        }
    }
}

//! The readers of settings: flags, a table of a configuration file and a JSON object become the same list of
//! [`Given`] texts, and that becomes one typed value.
//!
//! Every kind of job whose value implements [`Settings`] over a `const` table of rows (`core::setting`) has all
//! readers: [`from_toml`] and [`from_json`] here, and that of flags in the command line (`cli::flags`).

use crate::core::setting::{About, BadValue};
use serde_json::Value as Json;
use std::fmt;

/// A value that is made of settings, each a row of a table.
pub trait Settings: Default {
    /// What is known of each setting, in the order of help texts.
    fn all() -> Vec<&'static About>;

    /// Puts a text into the value, as the setting of that name.
    ///
    /// # Errors
    /// If the text is not a valid value of it, or there is no such setting.
    fn set(&mut self, name: &str, text: &str) -> Result<(), BadValue>;
}

/// Where a setting was given, for messages about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// As a flag.
    Flag,
    /// In a line of a configuration file.
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
    },
    /// In a table within a configuration file.
    Table,
    /// In the settings of a request.
    Request,
}

/// A setting as somebody gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// The name of its row.
    pub name: &'static str,
    /// The name that was typed.
    pub typed: String,
    /// The text of its value.
    pub text: String,
    /// Where.
    pub origin: Origin,
}

impl Given {
    /// Its name as it was given, for messages.
    pub fn place(&self) -> String {
        match &self.origin {
            Origin::Flag => format!("--{}", self.typed.replace('_', "-")),
            Origin::Line { file, line } => format!("{file}, line {line}: {}", self.typed),
            Origin::Table => self.typed.clone(),
            Origin::Request => format!("settings.{}", self.typed),
        }
    }
}

/// The setting with its value, as it was given.
impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, text) = (self.place(), &self.text);
        match self.origin {
            Origin::Flag => write!(f, "{place} {text}"),
            Origin::Line { .. } | Origin::Table => write!(f, "{place} = {text}"),
            Origin::Request => write!(f, "{place}: '{text}'"),
        }
    }
}

/// The value that is made of what was given; where a setting is given more than once, the last one counts.
///
/// # Errors
/// If a text is not a valid value: which, where, and what would be right.
pub fn read<'a, T: Settings>(given: impl IntoIterator<Item = &'a Given>) -> Result<T, BadValue> {
    let mut value = T::default();
    for one in given {
        value.set(one.name, &one.text).map_err(|reason| BadValue(format!("{one}: {reason}")))?;
    }
    Ok(value)
}

/// The settings of a table of a configuration file; `origin` says where a key is.
///
/// # Errors
/// If there is no such setting, it is given more than once, or its value is of no use.
pub fn from_toml<T: Settings>(table: &toml::Table, origin: impl Fn(&str) -> Origin) -> Result<Vec<Given>, BadValue> {
    listed::<T>(table.iter().map(|(key, value)| (key, Cell::of_toml(value), origin(key))))
}

/// The settings of a JSON object.
///
/// # Errors
/// As [`from_toml`].
pub fn from_json<T: Settings>(map: &serde_json::Map<String, Json>) -> Result<Vec<Given>, BadValue> {
    listed::<T>(map.iter().map(|(key, value)| (key, Cell::of_json(value), Origin::Request)))
}

/// The line of a key at the top of a TOML text, or within the table of that name.
pub fn line_of(text: &str, table: Option<&str>, key: &str) -> usize {
    let mut within = None;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            within = Some(name.trim());
        }
        let (name, equals) = line.split_at(line.find('=').unwrap_or(line.len()));
        if within == table && !equals.is_empty() && name.trim().trim_matches(['"', '\'']) == key {
            return number;
        }
    }
    1
}

/// A value of a file or a request, whatever its language.
enum Cell {
    Scalar(String),
    List(Vec<Cell>),
    Other(String),
}

impl Cell {
    fn switch(on: bool) -> Cell {
        Cell::Scalar(crate::core::setting::show_switch(on).to_owned())
    }

    fn of_toml(value: &toml::Value) -> Cell {
        match value {
            toml::Value::String(text) => Cell::Scalar(text.clone()),
            toml::Value::Integer(number) => Cell::Scalar(number.to_string()),
            toml::Value::Float(number) => Cell::Scalar(number.to_string()),
            toml::Value::Boolean(on) => Cell::switch(*on),
            toml::Value::Array(cells) => Cell::List(cells.iter().map(Cell::of_toml).collect()),
            other => Cell::Other(other.to_string()),
        }
    }

    fn of_json(value: &Json) -> Cell {
        match value {
            Json::String(text) => Cell::Scalar(text.clone()),
            Json::Number(number) => Cell::Scalar(number.to_string()),
            Json::Bool(on) => Cell::switch(*on),
            Json::Array(cells) => Cell::List(cells.iter().map(Cell::of_json).collect()),
            other => Cell::Other(other.to_string()),
        }
    }

    /// As one text: cells of a row with colons between, rows or texts with commas between.
    fn text(&self) -> Result<String, BadValue> {
        match self {
            Cell::Scalar(text) => Ok(text.clone()),
            Cell::List(cells) => {
                let texts = cells.iter().map(|cell| match cell {
                    Cell::List(row) => Ok(row.iter().map(Cell::scalar).collect::<Result<Vec<_>, _>>()?.join(":")),
                    cell => cell.scalar().map(str::to_owned),
                });
                Ok(texts.collect::<Result<Vec<_>, _>>()?.join(","))
            }
            Cell::Other(_) => self.scalar().map(str::to_owned),
        }
    }

    fn scalar(&self) -> Result<&str, BadValue> {
        let what = match self {
            Cell::Scalar(text) => return Ok(text),
            Cell::List(_) => "a list within a row",
            Cell::Other(text) => text,
        };
        Err(BadValue(format!("'{what}' is not a valid value: expected a text, a number, true, false or a list")))
    }
}

fn listed<'a, T: Settings>(
    entries: impl Iterator<Item = (&'a String, Cell, Origin)>,
) -> Result<Vec<Given>, BadValue> {
    let all = T::all();
    let mut list: Vec<Given> = Vec::new();
    for (key, cell, origin) in entries {
        let mut given = Given { name: "", typed: key.clone(), text: String::new(), origin };
        let Some(about) = all.iter().find(|about| about.is_called(key)) else {
            return Err(BadValue(unknown(&all, &given)));
        };
        if list.iter().any(|one| one.name == about.name) {
            return Err(BadValue(format!("{} is given more than once", given.place())));
        }
        given.name = about.name;
        given.text = cell.text().map_err(|reason| BadValue(format!("{}: {reason}", given.place())))?;
        list.push(given);
    }
    Ok(list)
}

fn unknown(all: &[&About], given: &Given) -> String {
    let mut names: Vec<&str> = all.iter().map(|about| about.name).collect();
    names.sort_unstable();
    let place = match &given.origin {
        Origin::Line { file, line } => format!("{file}, line {line}: "),
        Origin::Request => "settings: ".to_owned(),
        Origin::Flag | Origin::Table => String::new(),
    };
    format!("{place}unknown key '{}': expected one of {}", given.typed, names.join(", "))
}

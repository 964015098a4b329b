//! The readers of settings: flags, a table of a configuration file and a JSON object become the same list of
//! [`GivenSetting`] texts, and that becomes one typed value.
//!
//! Every kind of job whose value implements [`FromSettings`] over a `const` table of rows (`core::setting`) has all
//! readers: [`from_toml`] and [`from_json`] here, and that of flags in the command line (`cli::flags`).

use crate::core::setting::{BadValue, SettingInfo, SettingRow, ValueKind};
use serde_json::Value as Json;
use std::fmt;

/// A value that is made of settings, each a row of a table.
pub trait FromSettings: Default {
    /// What is known of each setting, in the order of help texts.
    fn all() -> Vec<&'static SettingInfo>;

    /// Puts a text into the value, as the setting of that name.
    ///
    /// # Errors
    /// If the text is not a valid value of it, or there is no such setting.
    fn set(&mut self, name: &str, text: &str) -> Result<(), BadValue>;

    /// The text of its default value; nothing if it has none.
    fn usual(name: &str) -> Option<String>;
}

/// A value whose settings are the rows of one table: it has [`FromSettings`] by them.
pub trait SettingsTable: Default + 'static {
    /// The rows, in the order of help texts.
    const ROWS: &'static [SettingRow<Self>];
}

impl<T: SettingsTable> FromSettings for T {
    fn all() -> Vec<&'static SettingInfo> {
        T::ROWS.iter().map(|row| &row.about).collect()
    }

    fn set(&mut self, name: &str, text: &str) -> Result<(), BadValue> {
        set_row(T::ROWS, self, name, text)
    }

    fn usual(name: &str) -> Option<String> {
        usual_text(T::ROWS, name)
    }
}

/// [`FromSettings::set`] of a value whose settings are the rows of one table.
///
/// # Errors
/// As [`FromSettings::set`].
pub fn set_row<T>(rows: &[SettingRow<T>], value: &mut T, name: &str, text: &str) -> Result<(), BadValue> {
    match rows.iter().find(|row| row.about.name == name) {
        Some(row) => row.set(value, text),
        None => Err(BadValue(format!("there is no setting '{name}'"))),
    }
}

/// [`FromSettings::usual`] of a value whose settings are the rows of one table.
pub fn usual_text<T: Default>(rows: &[SettingRow<T>], name: &str) -> Option<String> {
    rows.iter().find(|row| row.about.name == name).and_then(|row| (row.show)(&T::default()))
}

/// A text as a flag has it as JSON: a whole number where it is one.
pub fn json_of(text: &str) -> Json {
    let unsigned = text.parse::<u64>().map(|number| (number.to_string(), Json::from(number)));
    match unsigned.or_else(|_| text.parse::<i64>().map(|number| (number.to_string(), Json::from(number)))) {
        // `007` is not a number: it would be another text.
        Ok((same, number)) if same == text => number,
        _ => text.into(),
    }
}

/// Where a setting was given, for messages about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingSource {
    /// As a flag.
    Flag,
    /// In a line of a configuration file.
    Line {
        /// Name of the configuration file.
        file: String,
        /// The line, from 1.
        line: usize,
    },
    /// In a table within a configuration file.
    Table,
    /// In the settings of a request.
    Request,
    /// As the content of a file that a flag or a configuration file names.
    Content {
        /// The file's name as it was given.
        file: String,
    },
}

/// A setting as somebody gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenSetting {
    /// The name of its row.
    pub name: &'static str,
    /// The name that was typed.
    pub typed: String,
    /// The text of its value.
    pub text: String,
    /// Where it was given.
    pub source: SettingSource,
}

impl GivenSetting {
    /// Its name as it was given, for messages.
    pub fn place(&self) -> String {
        match &self.source {
            SettingSource::Line { file, line } => format!("{file}, line {line}: {}", self.typed),
            SettingSource::Content { file } => file.clone(),
            _ => self.sibling(&self.typed),
        }
    }

    /// The name of a setting as it would be given where this one was, for messages.
    pub fn sibling(&self, name: &str) -> String {
        match &self.source {
            SettingSource::Flag => format!("--{}", name.replace('_', "-")),
            SettingSource::Request => format!("settings.{name}"),
            SettingSource::Line { .. } | SettingSource::Table | SettingSource::Content { .. } => name.to_owned(),
        }
    }
}

/// The setting with its value, as it was given.
impl fmt::Display for GivenSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, text) = (self.place(), &self.text);
        match self.source {
            SettingSource::Flag => write!(f, "{place} {text}"),
            SettingSource::Line { .. } | SettingSource::Table => write!(f, "{place} = {text}"),
            SettingSource::Request => write!(f, "{place}: '{text}'"),
            SettingSource::Content { .. } => write!(f, "{place}"),
        }
    }
}

/// The value that is made of what was given; where a setting is given more than once, the last one counts.
///
/// # Errors
/// If a text is not a valid value: which, where, and what would be right.
pub fn read<'a, T: FromSettings>(given: impl IntoIterator<Item = &'a GivenSetting>) -> Result<T, BadValue> {
    let mut value = T::default();
    for one in given {
        value.set(one.name, &one.text).map_err(|reason| BadValue(format!("{one}: {reason}")))?;
    }
    Ok(value)
}

/// The settings of a table of a configuration file; `source` says where a key is.
///
/// # Errors
/// If there is no such setting, it is given more than once, or its value is of no use.
pub fn from_toml<T: FromSettings>(
    table: &toml::Table,
    source: impl Fn(&str) -> SettingSource,
) -> Result<Vec<GivenSetting>, BadValue> {
    from_renamed_toml::<T>(table, str::to_owned, source)
}

/// The same for a table in which some settings have other names; `name` says which setting a key is.
///
/// # Errors
/// As [`from_toml`].
pub fn from_renamed_toml<T: FromSettings>(
    table: &toml::Table,
    name: impl Fn(&str) -> String,
    source: impl Fn(&str) -> SettingSource,
) -> Result<Vec<GivenSetting>, BadValue> {
    listed::<T>(table.iter().map(|(key, value)| (&key[..], CellText::of_toml(value), source(key))), name)
}

/// The settings of a JSON object.
///
/// # Errors
/// As [`from_toml`].
pub fn from_json<T: FromSettings>(map: &serde_json::Map<String, Json>) -> Result<Vec<GivenSetting>, BadValue> {
    listed::<T>(
        map.iter().map(|(key, value)| (&key[..], CellText::of_json(value), SettingSource::Request)),
        str::to_owned,
    )
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
enum CellText {
    Scalar(String),
    List(Vec<CellText>),
    Other(String),
}

impl CellText {
    fn switch(on: bool) -> CellText {
        CellText::Scalar(crate::core::setting::show_switch(on).to_owned())
    }

    fn of_toml(value: &toml::Value) -> CellText {
        match value {
            toml::Value::String(text) => CellText::Scalar(text.clone()),
            toml::Value::Integer(number) => CellText::Scalar(number.to_string()),
            toml::Value::Float(number) => CellText::Scalar(number.to_string()),
            toml::Value::Boolean(on) => CellText::switch(*on),
            toml::Value::Array(cells) => CellText::List(cells.iter().map(CellText::of_toml).collect()),
            other => CellText::Other(other.to_string()),
        }
    }

    fn of_json(value: &Json) -> CellText {
        match value {
            Json::String(text) => CellText::Scalar(text.clone()),
            Json::Number(number) => CellText::Scalar(number.to_string()),
            Json::Bool(on) => CellText::switch(*on),
            Json::Array(cells) => CellText::List(cells.iter().map(CellText::of_json).collect()),
            other => CellText::Other(other.to_string()),
        }
    }

    /// As one text: cells of a row with colons between, rows or texts with this between.
    fn text(&self, between: &str) -> Result<String, BadValue> {
        match self {
            CellText::Scalar(text) => Ok(text.clone()),
            CellText::List(cells) => {
                let texts = cells.iter().map(|cell| match cell {
                    CellText::List(row) => {
                        Ok(row.iter().map(CellText::scalar).collect::<Result<Vec<_>, _>>()?.join(":"))
                    }
                    cell => cell.scalar().map(str::to_owned),
                });
                Ok(texts.collect::<Result<Vec<_>, _>>()?.join(between))
            }
            CellText::Other(_) => self.scalar().map(str::to_owned),
        }
    }

    fn scalar(&self) -> Result<&str, BadValue> {
        let what = match self {
            CellText::Scalar(text) => return Ok(text),
            CellText::List(_) => "a list within a row",
            CellText::Other(text) if text == "null" => return Err(BadValue("no value is given".to_owned())),
            CellText::Other(text) => text,
        };
        Err(BadValue(format!("'{what}' is not a valid value: expected a text, a number, true, false or a list")))
    }
}

fn listed<'a, T: FromSettings>(
    entries: impl Iterator<Item = (&'a str, CellText, SettingSource)>,
    name: impl Fn(&str) -> String,
) -> Result<Vec<GivenSetting>, BadValue> {
    let all = T::all();
    let mut list: Vec<GivenSetting> = Vec::new();
    for (key, cell, source) in entries {
        let mut given = GivenSetting { name: "", typed: key.to_owned(), text: String::new(), source };
        let Some(about) = all.iter().find(|about| about.is_called(&name(key))) else {
            return Err(BadValue(unknown(&all, &given)));
        };
        if list.iter().any(|one| one.name == about.name) {
            return Err(BadValue(format!("{} is given more than once", given.place())));
        }
        given.name = about.name;
        let between = if about.kind == ValueKind::Lines { "\n" } else { "," };
        given.text = cell.text(between).map_err(|reason| BadValue(format!("{}: {reason}", given.place())))?;
        list.push(given);
    }
    Ok(list)
}

fn unknown(all: &[&SettingInfo], given: &GivenSetting) -> String {
    let mut names: Vec<&str> = all.iter().map(|about| about.name).collect();
    names.sort_unstable();
    let place = match &given.source {
        SettingSource::Line { file, line } => format!("{file}, line {line}: "),
        SettingSource::Request => "settings: ".to_owned(),
        SettingSource::Flag | SettingSource::Table | SettingSource::Content { .. } => String::new(),
    };
    format!("{place}unknown key '{}': expected one of {}", given.typed, names.join(", "))
}

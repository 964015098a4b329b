//! Configuration files: flags in TOML. The settings of a job are read by the rows of their table ([`FromSettings`]);
//! what is about the process alone is turned into command-line arguments that go before those of the command line. So
//! names, spellings, ranges and defaults have one declaration, and flags win over the file.
//!
//! `sort = "coords"` is `--sort coords`; underscores stand for hyphens; true and false are on and off; a list gives
//! several values (`init_file = ["grids/5T-178-rosin.txt", 60]`); a list of lists gives rows
//! (`stall_table = [[80, 10_000_000], [90, 50_000_000]]`, `jumps_back = [[1_000_000, "best/2"], [20_000_000, 10]]`).

use crate::jobs::reading::{FromSettings, GivenSetting, SettingSource, from_renamed_toml, line_of};
use anyhow::{Context, bail};
use clap::error::ErrorKind;
use clap::{ArgAction, Command};
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use toml::Value;

/// No configuration file or table is larger, in bytes.
const LARGEST: u64 = 1 << 20;

/// Reads a small text file.
///
/// # Errors
/// If it cannot be read, is no text, or is larger than a megabyte.
pub fn read_small(path: &Path) -> anyhow::Result<String> {
    let read = || {
        let mut bytes = Vec::new();
        File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
        Ok::<_, std::io::Error>(bytes)
    };
    let bytes = read().with_context(|| format!("cannot read {}", path.display()))?;
    if bytes.len() as u64 > LARGEST {
        bail!("{} is larger than 1 MiB", path.display());
    }
    String::from_utf8(bytes).ok().with_context(|| format!("{} is not a text file", path.display()))
}

/// The arguments that a configuration file stands for, checked against `command`, the command they are for.
///
/// # Errors
/// If the file cannot be read, is not TOML, or names an unknown key or a value that the flag does not take.
pub fn arguments(path: &Path, command: &Command) -> anyhow::Result<Vec<OsString>> {
    let file = ConfigFile::read(path)?;
    let mut all = Vec::new();
    for (key, value) in &file.table()? {
        let one = of_key(key, key, value, command);
        all.extend(one.map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?);
    }
    Ok(all)
}

/// The settings of a `T` in a configuration file, and the arguments that the rest of it stands for, checked against
/// `command`.
///
/// # Errors
/// If the file cannot be read, is not TOML, or names an unknown key or a value that a flag does not take.
pub fn settings<T: FromSettings>(path: &Path, command: &Command) -> anyhow::Result<ConfigParts> {
    let file = ConfigFile::read(path)?;
    file.split::<T>(file.table()?, None, str::to_owned, command)
}

/// The settings and the arguments that a configuration file stands for.
pub type ConfigParts = (Vec<GivenSetting>, Vec<OsString>);

/// A configuration file.
pub struct ConfigFile {
    /// Its name, for messages.
    pub name: String,
    text: String,
}

impl ConfigFile {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(path: &Path) -> anyhow::Result<ConfigFile> {
        Ok(ConfigFile { name: path.display().to_string(), text: read_small(path)? })
    }

    /// What it holds.
    ///
    /// # Errors
    /// If it is not TOML.
    pub fn table(&self) -> anyhow::Result<toml::Table> {
        self.text.parse().with_context(|| format!("{} is not TOML", self.name))
    }

    /// Where a key is: at the top, or in the table of that name.
    pub fn line(&self, table: Option<&str>, key: &str) -> usize {
        line_of(&self.text, table, key)
    }

    /// The settings of a `T` in a table of the file, the top one or the one of that name, and the arguments that the
    /// rest of it stands for, checked against `command`. `flag` says which setting or flag a key is.
    ///
    /// # Errors
    /// If it names an unknown key or a value that a flag does not take.
    pub fn split<T: FromSettings>(
        &self,
        table: toml::Table,
        name: Option<&str>,
        flag: impl Fn(&str) -> String,
        command: &Command,
    ) -> anyhow::Result<ConfigParts> {
        let all = T::all();
        let is_setting = |key: &str| all.iter().any(|info| info.is_called(&flag(key)));
        let (settings, rest): (toml::Table, toml::Table) = table.into_iter().partition(|(key, _)| is_setting(key));
        let source = |key: &str| SettingSource::Line { file: self.name.clone(), line: self.line(name, key) };
        let given = from_renamed_toml::<T>(&settings, &flag, source)?;
        let mut arguments = Vec::new();
        for (key, value) in &rest {
            let one = of_key(key, &flag(key), value, command);
            let line = self.line(name, key);
            arguments.extend(one.map_err(|error| anyhow::anyhow!("{}, line {line}: {error}", self.name))?);
        }
        Ok((given, arguments))
    }
}

/// The arguments that a key stands for, checked against `command`; `name` is its flag.
fn of_key(key: &str, name: &str, value: &Value, command: &Command) -> anyhow::Result<Vec<OsString>> {
    let arguments = flag(key, name, value, command)?;
    let parsed = command.clone().no_binary_name(true).try_get_matches_from(&arguments);
    // What a flag needs beside it may be in another line; the whole is parsed again.
    if let Err(error) = parsed
        && error.kind() != ErrorKind::MissingRequiredArgument
    {
        bail!("{key}: {}", brief(&error));
    }
    Ok(arguments)
}

/// What is wrong, in one line.
fn brief(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.split("\n\nFor more information").next().unwrap_or_default();
    let text = text.split("\n\nUsage:").next().unwrap_or_default();
    text.trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The arguments that one key stands for.
fn flag(key: &str, name: &str, value: &Value, command: &Command) -> anyhow::Result<Vec<OsString>> {
    let name = name.replace('_', "-");
    let known = |arg: &&clap::Arg| !["config", "help", "version"].contains(&arg.get_id().as_str());
    let named = |arg: &&clap::Arg| {
        arg.get_long() == Some(&name) || arg.get_all_aliases().is_some_and(|all| all.contains(&name.as_str()))
    };
    let Some(arg) = command.get_arguments().filter(known).find(named) else {
        let longs = command.get_arguments().filter(known).filter_map(clap::Arg::get_long);
        let mut keys: Vec<String> = longs.map(|long| long.replace('-', "_")).collect();
        keys.sort();
        bail!("unknown key '{key}': expected one of {}", keys.join(", "));
    };
    let long = OsString::from(format!("--{name}"));
    if matches!(arg.get_action(), ArgAction::SetTrue) {
        return match value {
            Value::Boolean(true) => Ok(vec![long]),
            Value::Boolean(false) => Ok(Vec::new()),
            _ => bail!("{key}: expected true or false"),
        };
    }
    let values = match (value, arg.get_value_delimiter()) {
        (Value::Array(values), Some(_)) if values.is_empty() => return Ok(Vec::new()),
        (Value::Array(values), Some(delimiter)) => {
            let values = values.iter().map(scalar).collect::<anyhow::Result<Vec<_>>>()?;
            vec![values.join(&delimiter.to_string())]
        }
        (value, _) => plain(value)?,
    };
    match &values[..] {
        // A value that begins with a hyphen is a value.
        [value] => Ok(vec![format!("--{name}={value}").into()]),
        _ => Ok(std::iter::once(long).chain(values.into_iter().map(OsString::from)).collect()),
    }
}

/// The values of a key.
fn plain(value: &Value) -> anyhow::Result<Vec<String>> {
    Ok(match value {
        Value::Array(rows) if rows.first().is_some_and(Value::is_array) || rows.is_empty() => vec![rows_of(rows)?],
        Value::Array(values) => values.iter().map(scalar).collect::<anyhow::Result<_>>()?,
        value => vec![scalar(value)?],
    })
}

/// A list of lists as rows: cells with a colon between, rows with commas between.
///
/// # Errors
/// If it is none.
pub fn rows(value: &Value) -> anyhow::Result<String> {
    rows_of(value.as_array().context("expected a list of rows")?)
}

fn rows_of(rows: &[Value]) -> anyhow::Result<String> {
    let row = |row: &Value| {
        let cells = row.as_array().with_context(|| format!("'{row}' is not a row: expected a list"))?;
        Ok(cells.iter().map(scalar).collect::<anyhow::Result<Vec<_>>>()?.join(":"))
    };
    Ok(rows.iter().map(row).collect::<anyhow::Result<Vec<_>>>()?.join(","))
}

fn scalar(value: &Value) -> anyhow::Result<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(true) => Ok("on".to_owned()),
        Value::Boolean(false) => Ok("off".to_owned()),
        _ => bail!("'{value}' is not a valid value: expected a text, a number, true, false or a list"),
    }
}

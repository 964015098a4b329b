//! The settings of a job as flags: one for each row of its table, with help, ranges and names from the row.

use crate::core::setting::{SettingInfo, ValueKind};
use crate::jobs::reading::{FromSettings, GivenSetting, SettingSource};
use clap::builder::{PossibleValue, PossibleValuesParser, ValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};
use std::marker::PhantomData;

/// The settings of a `T` that were given: those of a configuration file, then those of flags, which win.
#[derive(Debug)]
pub struct SettingFlags<T> {
    /// What was given.
    pub given: Vec<GivenSetting>,
    of: PhantomData<fn() -> T>,
}

/// How the help of a setting is arranged; the rest is in its row.
pub trait FlagHelp: FromSettings {
    /// The heading under which it is listed.
    fn heading(info: &SettingInfo) -> &'static str;

    /// Whether the short help has it.
    fn in_short_help(info: &SettingInfo) -> bool {
        !info.advanced
    }

    /// What follows its help: who uses it, its default.
    fn note(info: &SettingInfo) -> String;

    /// What its flag has of its own, such as being given more than once.
    fn arranged(_info: &SettingInfo, flag: Arg) -> Arg {
        flag
    }
}

impl<T> SettingFlags<T> {
    /// Puts settings before those of the flags.
    pub fn after(&mut self, mut file: Vec<GivenSetting>) {
        file.append(&mut self.given);
        self.given = file;
    }
}

/// The text of a flag, checked as far as it can be without files.
fn parser<T: FromSettings + 'static>(info: &'static SettingInfo) -> ValueParser {
    match info.kind {
        ValueKind::Choice(choices) => {
            let values = choices.iter().map(|choice| PossibleValue::new(choice.value).help(choice.label));
            PossibleValuesParser::new(values).into()
        }
        // The text may be the name of a file.
        _ if info.or_file => ValueParser::string(),
        _ => {
            let checked = |text: &str| T::default().set(info.name, text).map(|()| text.to_owned());
            ValueParser::from(checked)
        }
    }
}

/// The flag of a setting. The short help has its first sentence, the long one range, users and defaults as well.
fn flag<T: FlagHelp + 'static>(info: &'static SettingInfo) -> Arg {
    let range = info.kind.range().map_or(String::new(), |range| format!(" ({range})"));
    let help = info.help.strip_suffix('.').unwrap_or(info.help);
    let short = help.split(". ").next().unwrap_or(help);
    let file = if info.or_file { " A file with such rows may be named instead." } else { "" };
    let long = format!("{help}{range}.{file} {}", T::note(info));
    let flag = Arg::new(info.name)
        .long(info.name.replace('_', "-"))
        .aliases(info.aliases.iter().map(|alias| alias.replace('_', "-")))
        .value_name(info.value_name)
        .help(short.to_owned())
        .long_help(long.trim_end().to_owned())
        .help_heading(T::heading(info))
        .hide_short_help(!T::in_short_help(info))
        .value_parser(parser::<T>(info));
    T::arranged(info, flag)
}

impl<T: FlagHelp + 'static> clap::Args for SettingFlags<T> {
    fn augment_args(command: clap::Command) -> clap::Command {
        T::all().into_iter().fold(command, |command, info| command.arg(flag::<T>(info)))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        SettingFlags::<T>::augment_args(command)
    }
}

impl<T: FlagHelp + 'static> clap::FromArgMatches for SettingFlags<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<SettingFlags<T>, clap::Error> {
        let mut given = Vec::new();
        for info in T::all() {
            if matches.value_source(info.name) == Some(ValueSource::CommandLine)
                && let Some(texts) = matches.get_many::<String>(info.name)
            {
                let texts: Vec<&str> = texts.map(String::as_str).collect();
                let (typed, text) = (info.name.to_owned(), texts.join(","));
                given.push(GivenSetting { name: info.name, typed, text, source: SettingSource::Flag });
            }
        }
        Ok(SettingFlags { given, of: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = SettingFlags::from_arg_matches(matches)?;
        Ok(())
    }
}

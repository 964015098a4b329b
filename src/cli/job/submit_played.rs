//! `morpion job submit match`, `submit selfplay`, `submit analyse`, `submit tune`, `submit tactics`, `submit mine`,
//! `submit plan` and `submit check`: what players are to do becomes a request.

use super::submit::{TermFlags, scalar, send};
use crate::cli::client::Connection;
use crate::cli::flags::{FlagHelp, SettingFlags};
use crate::cli::positions::with_position_file;
use crate::core::quantity::{parse_bytes, parse_duration};
use crate::core::setting::{BadValue, SettingInfo};
use crate::daemon::view::{JobLimits, JobRequest};
use crate::jobs::analyse_settings::{AnalyseSettings, is_analyse_term};
use crate::jobs::check_settings::CheckSettings;
use crate::jobs::match_settings::{MatchJobSettings, MatchSettings, is_player};
use crate::jobs::mine_settings::MineSettings;
use crate::jobs::plan_settings::{PlanSettings, is_plan_term};
use crate::jobs::reading::{FromSettings, GivenSetting, SettingSource};
use crate::jobs::selfplay_settings::{SelfplaySettings, is_selfplay_term};
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::jobs::setup::matches::MatchSetup;
use crate::jobs::tactics_settings::{QUESTIONS, TacticsSettings};
use crate::jobs::tune_settings::TuneSettings;
use crate::strategies::table::plain_text;
use clap::Arg;
use std::io::Write;
use std::process::ExitCode;

/// The settings of a kind of job of players.
pub trait PlayedSettings: FlagHelp + 'static {
    /// The name of the kind.
    const KIND: &'static str;

    /// Whether a setting is an argument and has no flag.
    fn is_argument(name: &str) -> bool;

    /// Checks what was given.
    ///
    /// # Errors
    /// What makes no sense.
    fn check(given: &[GivenSetting]) -> Result<(), BadValue>;
}

/// The flags of such a job.
#[derive(Debug, clap::Args)]
pub struct SubmitPlayed<T: PlayedSettings> {
    #[command(flatten)]
    pub asked: SettingFlags<T>,
    #[command(flatten)]
    pub(super) terms: TermFlags,
    /// Longest running time of the job (90, 60s, 5m, 2h); default: until all is done or decided
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(super) all_time: Option<f64>,
    /// Most workers at once; default: all of the daemon
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) threads: Option<u32>,
    /// Most memory that all its players may use (500M, 2G)
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub(super) all_memory: Option<u64>,
    /// Print the daemon's JSON document of the job
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

impl<T: PlayedSettings> SubmitPlayed<T> {
    /// The request that the flags stand for.
    ///
    /// # Errors
    /// If they make no sense, or a file of positions cannot be read.
    pub fn request(&self) -> anyhow::Result<JobRequest> {
        let mut given = with_position_file(self.asked.given.clone())?;
        for one in given.iter_mut().filter(|one| T::is_argument(one.name) && one.source == SettingSource::Flag) {
            // Its name is not that of a flag.
            one.source = SettingSource::Table;
        }
        // Mistakes are told here.
        T::check(&given)?;
        let TermFlags { name, priority, weight, all_iterations, disk, after, at, .. } = &self.terms;
        Ok(JobRequest {
            kind: T::KIND.to_owned(),
            name: name.clone(),
            priority: *priority,
            weight: *weight,
            limits: JobLimits {
                seconds: self.all_time,
                iterations: *all_iterations,
                workers: self.threads,
                memory: self.all_memory,
                disk: *disk,
            },
            settings: given.iter().map(|one| (one.name.to_owned(), scalar(&one.text))).collect(),
            start: None,
            grids: Vec::new(),
            after: *after,
            not_before: *at,
        })
    }

    /// Submits it.
    ///
    /// # Errors
    /// As [`SubmitPlayed::request`]; or if no daemon answers, or it refuses.
    pub fn send(&self, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
        send(&self.request()?, self.terms.idempotency_key.as_deref(), self.json, &self.connection, out)?;
        Ok(ExitCode::SUCCESS)
    }
}

impl PlayedSettings for MatchJobSettings {
    const KIND: &'static str = "match";

    fn is_argument(name: &str) -> bool {
        is_player(name)
    }

    fn check(given: &[GivenSetting]) -> Result<(), BadValue> {
        MatchJobSettings::job(given).map(drop)
    }
}

impl FlagHelp for MatchJobSettings {
    fn heading(info: &SettingInfo) -> &'static str {
        MatchSettings::heading(info)
    }

    fn note(info: &SettingInfo) -> String {
        if is_player(info.name) { String::new() } else { MatchSettings::note(info) }
    }

    /// The players have no flags: they are the two arguments.
    fn arranged(info: &SettingInfo, flag: Arg) -> Arg {
        if is_player(info.name) { flag.long(None).help_heading(None) } else { MatchSettings::arranged(info, flag) }
    }
}

impl PlayedSettings for SelfplaySettings {
    const KIND: &'static str = "selfplay";

    fn is_argument(name: &str) -> bool {
        name == "game"
    }

    fn check(given: &[GivenSetting]) -> Result<(), BadValue> {
        SelfplaySettings::job(given).map(drop)
    }
}

impl FlagHelp for SelfplaySettings {
    fn heading(info: &SettingInfo) -> &'static str {
        if is_selfplay_term(info.name) { "Self-play" } else { MatchSetup::heading(info) }
    }

    fn note(info: &SettingInfo) -> String {
        if !is_selfplay_term(info.name) {
            return MatchSetup::note(info);
        }
        SelfplaySettings::usual(info.name).map_or(String::new(), |usual| format!("[default: {usual}]"))
    }

    /// The game is the argument, as of `morpion selfplay`.
    fn arranged(info: &SettingInfo, flag: Arg) -> Arg {
        match info.name {
            "game" => flag.long(None).help_heading(None),
            name if is_selfplay_term(name) => flag,
            _ => MatchSetup::arranged(info, flag),
        }
    }
}

impl PlayedSettings for AnalyseSettings {
    const KIND: &'static str = "analyse";

    fn is_argument(name: &str) -> bool {
        name == "game"
    }

    fn check(given: &[GivenSetting]) -> Result<(), BadValue> {
        AnalyseSettings::job(given).map(drop)
    }
}

impl FlagHelp for AnalyseSettings {
    fn heading(info: &SettingInfo) -> &'static str {
        if is_analyse_term(info.name) { "Analysis" } else { MatchSetup::heading(info) }
    }

    fn note(info: &SettingInfo) -> String {
        if !is_analyse_term(info.name) {
            return MatchSetup::note(info);
        }
        let usual = AnalyseSettings::usual(info.name).map(|usual| plain_text(info, usual));
        format!("[default: {}]", usual.unwrap_or_else(|| info.unset.to_owned()))
    }

    /// The game is the argument, as of `morpion analyse`.
    fn arranged(info: &SettingInfo, flag: Arg) -> Arg {
        match info.name {
            "game" => flag.long(None).help_heading(None),
            "komi" => flag.allow_negative_numbers(true),
            "positions" => flag.allow_hyphen_values(true),
            // A flag without a value is on.
            "every_move" => flag.num_args(0..=1).require_equals(true).default_missing_value("on"),
            name if is_analyse_term(name) => flag,
            _ => MatchSetup::arranged(info, flag),
        }
    }
}

impl PlayedSettings for TuneSettings {
    const KIND: &'static str = "tune";

    fn is_argument(name: &str) -> bool {
        name == "game"
    }

    /// The daemon knows the jobs that are named.
    fn check(given: &[GivenSetting]) -> Result<(), BadValue> {
        TuneSettings::check(given).map(drop)
    }
}

impl FlagHelp for TuneSettings {
    fn heading(_: &SettingInfo) -> &'static str {
        "Learning"
    }

    fn note(info: &SettingInfo) -> String {
        default_note::<TuneSettings>(info)
    }

    /// The game is the argument, as of `morpion tune`.
    fn arranged(info: &SettingInfo, flag: Arg) -> Arg {
        if info.name == "game" { flag.long(None).help_heading(None) } else { flag }
    }
}

/// What follows the help of a setting whose default is that of its table.
fn default_note<T: FromSettings>(info: &SettingInfo) -> String {
    let default = T::usual(info.name).unwrap_or_else(|| info.unset.to_owned());
    if default.is_empty() { default } else { format!("[default: {default}]") }
}

impl PlayedSettings for TacticsSettings {
    const KIND: &'static str = "tactics";

    fn is_argument(name: &str) -> bool {
        name == QUESTIONS
    }

    fn check(given: &[GivenSetting]) -> Result<(), BadValue> {
        TacticsSettings::job(given).map(drop)
    }
}

impl FlagHelp for TacticsSettings {
    fn heading(_: &SettingInfo) -> &'static str {
        "Questions"
    }

    fn note(info: &SettingInfo) -> String {
        default_note::<TacticsSettings>(info)
    }

    /// The file is the argument, as of `morpion tactics suite`.
    fn arranged(info: &SettingInfo, flag: Arg) -> Arg {
        match info.name {
            QUESTIONS => flag.long(None).help_heading(None),
            // A flag without a value is on.
            "check" => flag.num_args(0..=1).require_equals(true).default_missing_value("on"),
            _ => flag,
        }
    }
}

impl PlayedSettings for MineSettings {
    const KIND: &'static str = "mine";

    fn is_argument(_: &str) -> bool {
        false
    }

    fn check(given: &[GivenSetting]) -> Result<(), BadValue> {
        MineSettings::job(given).map(drop)
    }
}

impl FlagHelp for MineSettings {
    fn heading(_: &SettingInfo) -> &'static str {
        "Games"
    }

    fn note(info: &SettingInfo) -> String {
        default_note::<MineSettings>(info)
    }
}

impl PlayedSettings for PlanSettings {
    const KIND: &'static str = "plan";

    fn is_argument(_: &str) -> bool {
        false
    }

    fn check(given: &[GivenSetting]) -> Result<(), BadValue> {
        PlanSettings::job(given).map(drop)
    }
}

impl FlagHelp for PlanSettings {
    fn heading(info: &SettingInfo) -> &'static str {
        if is_plan_term(info.name) { "Plan" } else { GomokuSetup::heading(info) }
    }

    fn note(info: &SettingInfo) -> String {
        default_note::<PlanSettings>(info)
    }

    fn arranged(info: &SettingInfo, flag: Arg) -> Arg {
        if is_plan_term(info.name) { flag } else { GomokuSetup::arranged(info, flag) }
    }
}

impl PlayedSettings for CheckSettings {
    const KIND: &'static str = "check";

    fn is_argument(_: &str) -> bool {
        false
    }

    fn check(given: &[GivenSetting]) -> Result<(), BadValue> {
        CheckSettings::job(given).map(drop)
    }
}

impl FlagHelp for CheckSettings {
    fn heading(_: &SettingInfo) -> &'static str {
        "Plan"
    }

    fn note(info: &SettingInfo) -> String {
        default_note::<CheckSettings>(info)
    }
}

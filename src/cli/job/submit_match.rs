//! `morpion job submit match`: two players and the flags of their match become a request.

use super::submit::{TermFlags, scalar, send};
use crate::cli::client::Connection;
use crate::cli::flags::{FlagHelp, SettingFlags};
use crate::core::quantity::{parse_bytes, parse_duration};
use crate::core::setting::SettingInfo;
use crate::daemon::view::{JobLimits, JobRequest};
use crate::jobs::match_settings::{MatchJobSettings, MatchSettings, is_player};
use crate::jobs::reading::SettingSource;
use clap::Arg;
use std::io::Write;
use std::process::ExitCode;

/// Submit a match of two players of Gomoku, Reversi or Go, with the flags of `morpion match`.
///
/// A and B are players of this program: morpion, morpion:LEVEL or morpion:SETTINGS, as in `morpion match`. A daemon
/// starts no programs and reads no files for its clients. The time of a move is counted in seconds of the processor.
/// Pairs count in the order of their numbers, so with --nodes the result is that of `morpion match`, however many
/// workers play.
#[derive(Debug, clap::Args)]
pub struct SubmitMatch {
    #[command(flatten)]
    pub asked: SettingFlags<MatchJobSettings>,
    #[command(flatten)]
    pub(super) terms: TermFlags,
    /// Longest running time of the job (90, 60s, 5m, 2h); default: until all pairs are played or the test has decided
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

impl SubmitMatch {
    /// The request that the flags stand for.
    ///
    /// # Errors
    /// If they make no sense.
    pub fn request(&self) -> anyhow::Result<JobRequest> {
        let mut given = self.asked.given.clone();
        for one in given.iter_mut().filter(|one| is_player(one.name) && one.source == SettingSource::Flag) {
            // It is an argument: its name is that of the player, not of a flag.
            one.source = SettingSource::Table;
        }
        // Mistakes are told here.
        MatchJobSettings::job(&given)?;
        let TermFlags { name, priority, weight, all_iterations, disk, after, at, .. } = &self.terms;
        Ok(JobRequest {
            kind: "match".to_owned(),
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
    /// As [`SubmitMatch::request`]; or if no daemon answers, or it refuses.
    pub fn send(&self, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
        send(&self.request()?, self.terms.idempotency_key.as_deref(), self.json, &self.connection, out)?;
        Ok(ExitCode::SUCCESS)
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

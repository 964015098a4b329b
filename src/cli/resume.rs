//! `morpion resume`: goes on with a hunt from its last checkpoint.

use super::display::{self, Display, Output};
use crate::core::quantity::{QuantityError, parse_duration};
use crate::runner::{Changes, HuntSession, MAX_THREADS};
use crate::strategies::params::BadParam;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Go on with a hunt that was stopped, crashed, or reached its time or target.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The directory of the hunt.
    #[arg(value_name = "DIR", default_value = super::hunt::OUTPUT)]
    pub directory: PathBuf,
    /// Threads, the main thread included; at least 2. Default: as before.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=i64::from(MAX_THREADS)))]
    pub threads: Option<u32>,
    /// End after so much time, counted over all sessions of the hunt; `none` lifts the limit. Default: as before.
    #[arg(long, value_parser = time_or_none)]
    pub time: Option<Setting<f64>>,
    /// End when a grid of so many moves is found; `none` lifts the target. Default: as before.
    #[arg(long, value_name = "SCORE", value_parser = score_or_none)]
    pub target: Option<Setting<u32>>,
    /// Keep every grid of at least so many moves from now on; `none` keeps no more. Default: as before.
    #[arg(long, value_name = "SCORE", value_parser = score_or_none)]
    pub keep_from: Option<Setting<u32>>,
    #[command(flatten)]
    pub output: Output,
}

/// A new value, or none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting<T>(pub Option<T>);

/// Runs the command.
///
/// # Errors
/// A directory without a hunt or in use, a damaged state, and whatever fails on the way.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let changes = Changes {
        threads: args.threads,
        time_limit: args.time.map(|setting| setting.0),
        target: args.target.map(|setting| setting.0),
        keep_from: args.keep_from.map(|setting| setting.0),
    };
    let session = HuntSession::resume(&args.directory, changes)?;
    let display = Display::new(&args.output, &args.directory, out);
    display::run(session, &args.output, display)
}

fn time_or_none(text: &str) -> Result<Setting<f64>, QuantityError> {
    if text == "none" { Ok(Setting(None)) } else { parse_duration(text).map(|seconds| Setting(Some(seconds))) }
}

pub(super) fn score_or_none(text: &str) -> Result<Setting<u32>, BadParam> {
    match text.parse::<u32>() {
        _ if text == "none" => Ok(Setting(None)),
        Ok(score) if score > 0 => Ok(Setting(Some(score))),
        _ => Err(BadParam("expected a score or none".to_owned())),
    }
}

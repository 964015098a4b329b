//! `morpion resume`: goes on with a hunt from its last checkpoint.

use super::display::{self, HuntDisplay, OutputFlags};
use super::values::{NewValue, score_or_none, threads};
use crate::core::quantity::{QuantityError, parse_duration};
use crate::runner::{Changes, HuntSession, state};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Continue a hunt that was stopped, crashed, or reached its time or target.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The directory of the hunt.
    #[arg(value_name = "DIR", default_value = super::hunt_directory::OUTPUT)]
    pub directory: PathBuf,
    /// Number of threads, including the main thread; at least 2. Default: as before.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<u32>,
    /// End after this time, counted over all sessions of the hunt; `none` removes the limit. Default: as before.
    #[arg(long, value_parser = time_or_none)]
    pub time: Option<NewValue<f64>>,
    /// End when a grid of this many moves is found; `none` removes the target. Default: as before.
    #[arg(long, value_name = "SCORE", value_parser = score_or_none)]
    pub target: Option<NewValue<u32>>,
    /// Keep every grid of at least this many moves from now on; `none` keeps no further ones. Default: as before.
    #[arg(long, value_name = "SCORE", value_parser = score_or_none)]
    pub keep_from: Option<NewValue<u32>>,
    #[command(flatten)]
    pub output: OutputFlags,
}

/// Runs the command.
///
/// # Errors
/// A directory without a hunt or in use, a damaged state, and whatever fails on the way.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let changes = Changes {
        workers: args.threads.map(|threads| threads - 1),
        time_limit: args.time.map(|setting| setting.0),
        target: args.target.map(|setting| setting.0),
        keep_from: args.keep_from.map(|setting| setting.0),
    };
    let limit = changes.time_limit.unwrap_or_else(|| {
        // A state that cannot be read is refused below.
        state::read(&args.directory).ok().and_then(|(checkpoint, _)| checkpoint.time_limit)
    });
    let session = HuntSession::resume(&args.directory, changes)?;
    let display = HuntDisplay::new(&args.output, &args.directory, limit, out);
    display::run(session, &args.output, display)
}

fn time_or_none(text: &str) -> Result<NewValue<f64>, QuantityError> {
    if text == "none" { Ok(NewValue(None)) } else { parse_duration(text).map(|seconds| NewValue(Some(seconds))) }
}

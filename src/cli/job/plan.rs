//! `morpion job plan`: the plan that a job looks for, as a file.

use super::weights::{Output, fetch};
use crate::cli::client::Connection;
use crate::daemon::view::JobId;
use std::process::ExitCode;

/// Write the plan of Gomoku that a job looks for to a file, as far as it is found.
///
/// The file is as morpion plan find writes it, which can go on with it; morpion plan check checks it.
#[derive(Debug, clap::Args)]
pub struct PlanOfJob {
    /// Number of the job
    id: JobId,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: Connection,
}

/// Runs the command.
///
/// # Errors
/// If no daemon answers, it refuses, the job looks for no plan, or the file exists or cannot be written.
pub fn run(args: &PlanOfJob) -> anyhow::Result<ExitCode> {
    fetch(&args.connection, args.id, "plan", &args.output)
}

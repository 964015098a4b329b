//! `morpion job patterns`: the patterns that a job has mined, as a file.

use super::weights::{Output, fetch};
use crate::cli::client::Connection;
use crate::daemon::view::JobId;
use std::process::ExitCode;

/// Write the patterns that a job has mined to a file.
///
/// The file is as morpion tactics mine writes it: morpion tactics takes it as a database.
#[derive(Debug, clap::Args)]
pub struct Patterns {
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
/// If no daemon answers, it refuses, the job has mined no patterns, or the file exists or cannot be written.
pub fn run(args: &Patterns) -> anyhow::Result<ExitCode> {
    fetch(&args.connection, args.id, "patterns", &args.output)
}

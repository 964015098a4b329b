//! `morpion job weights`: the weights that a job has learned, as a file.

use crate::cli::client::{Client, Connection};
use crate::cli::grid_input::{plain, save};
use crate::cli::streams::say;
use crate::daemon::view::JobId;
use std::path::PathBuf;
use std::process::ExitCode;

/// Write the weights that a job has learned to a file.
///
/// The file is as morpion tune writes it: morpion selfplay, morpion match and others take it as weights.
#[derive(Debug, clap::Args)]
pub struct Weights {
    /// Number of the job
    id: JobId,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: Connection,
}

/// Where the file of a job goes.
#[derive(Debug, clap::Args)]
pub struct Output {
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Overwrite a file that exists
    #[arg(long)]
    force: bool,
}

/// Runs the command.
///
/// # Errors
/// If no daemon answers, it refuses, the job has learned no weights, or the file exists or cannot be written.
pub fn run(args: &Weights) -> anyhow::Result<ExitCode> {
    fetch(&args.connection, args.id, "weights", &args.output)
}

/// Writes the file that is the result of a job; `what` is in it, and the last part of its path.
///
/// # Errors
/// If no daemon answers, it refuses, the job has no such file, or the file exists or cannot be written.
pub(super) fn fetch(connection: &Connection, id: JobId, what: &str, to: &Output) -> anyhow::Result<ExitCode> {
    let bytes = Client::new(connection)?.bytes(&format!("/api/v1/jobs/{id}/{what}"))?;
    save(&to.output, &bytes, to.force)?;
    let verb = if what.ends_with('s') { "are" } else { "is" };
    say!("the {what} {verb} in {}", plain(&to.output.display().to_string()));
    Ok(ExitCode::SUCCESS)
}

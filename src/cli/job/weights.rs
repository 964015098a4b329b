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
    /// File of weights to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Overwrite a file that exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    connection: Connection,
}

/// Runs the command.
///
/// # Errors
/// If no daemon answers, it refuses, the job has learned no weights, or the file exists or cannot be written.
pub fn run(args: &Weights) -> anyhow::Result<ExitCode> {
    let bytes = Client::new(&args.connection)?.bytes(&format!("/api/v1/jobs/{}/weights", args.id))?;
    save(&args.output, &bytes, args.force)?;
    say!("the weights are in {}", plain(&args.output.display().to_string()));
    Ok(ExitCode::SUCCESS)
}

//! `morpion job begin`: shows or changes when a job begins that has not begun yet.

use super::document;
use super::list::held;
use crate::cli::client::{Client, Connection};
use crate::cli::moment;
use crate::cli::streams::say;
use crate::cli::values::{NewValue, or_none};
use crate::daemon::view::{BeginDocument, JobId, JobView};
use serde_json::json;
use std::io::Write;
use std::process::ExitCode;

/// Show or change when a job begins that has not begun. What is not named stays; `none` takes a condition away.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Number of the job
    id: JobId,
    /// Begin when this job has finished; if it fails or is cancelled, this one is cancelled
    #[arg(long, value_name = "ID", value_parser = or_none(parse_id))]
    after: Option<NewValue<JobId>>,
    /// Begin at this time or later (+2h, 22:30, 2026-11-26T08:00)
    #[arg(long, value_name = "TIME", value_parser = or_none(moment::future), allow_hyphen_values = true)]
    at: Option<NewValue<f64>>,
    /// Wait for neither a job nor a time
    #[arg(long, conflicts_with_all = ["after", "at"])]
    now: bool,
    /// Print the daemon's JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

fn parse_id(text: &str) -> Result<JobId, String> {
    text.parse().map_err(|_| format!("'{text}' is not the number of a job"))
}

/// Runs the command.
///
/// # Errors
/// If no daemon answers, it refuses, or the output cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let client = Client::new(&args.connection)?;
    let path = format!("/api/v1/jobs/{}", args.id);
    let mut job: JobView = client.ask("GET", &path, &[], None)?;
    if args.now || args.after.is_some() || args.at.is_some() {
        // The daemon replaces both conditions.
        let begin = match args.now {
            true => BeginDocument::default(),
            false => BeginDocument {
                after: args.after.map_or(job.summary.after, |given| given.0),
                not_before: args.at.map_or(job.summary.not_before, |given| given.0),
            },
        };
        job = client.ask("PATCH", &path, &[], Some(&serde_json::to_vec(&json!({ "begin": begin }))?))?;
    }
    if args.json {
        document(&job, out)?;
    } else if job.summary.began.is_some() {
        say!("job {} has begun", job.summary.id);
    } else {
        let held = held(&job);
        let when = if held.is_empty() { " when its turn comes" } else { &held };
        say!("job {} begins{when}", job.summary.id);
    }
    Ok(ExitCode::SUCCESS)
}

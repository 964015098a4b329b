//! `morpion job limits`: shows or changes what a job may use.

use super::document;
use crate::cli::client::{Client, Connection};
use crate::cli::streams::say;
use crate::cli::values::{NewValue, or_none};
use crate::core::quantity::{parse_bytes, parse_duration};
use crate::core::setting::parse_count;
use crate::daemon::view::{JobId, JobView};
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;

/// Show or change the limits of a job that is not over. Those that are not named stay; `none` takes one away.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Number of the job
    id: JobId,
    /// Time that it runs (30s, 2h, 1d)
    #[arg(long, value_name = "TIME", value_parser = or_none(parse_duration))]
    time: Option<NewValue<f64>>,
    /// Iterations (nodes) of all units together (1000, 50M, 2G)
    #[arg(long, value_name = "N", value_parser = or_none(parse_count))]
    all_iterations: Option<NewValue<u64>>,
    /// Workers that compute its units at the same time
    #[arg(long, value_name = "N", value_parser = or_none(parse_workers))]
    workers: Option<NewValue<u64>>,
    /// Memory that it may take (500M, 2G)
    #[arg(long, value_name = "BYTES", value_parser = or_none(parse_bytes))]
    all_memory: Option<NewValue<u64>>,
    /// Disk that it may take (500M, 2G): the archive of a hunt, the files of a solution; none: that of the daemon
    #[arg(long, value_name = "BYTES", value_parser = or_none(parse_bytes))]
    disk: Option<NewValue<u64>>,
    /// Print the daemon's JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

fn parse_workers(text: &str) -> Result<u64, String> {
    let number = text.parse::<u32>().ok().filter(|&number| number > 0);
    number.map(u64::from).ok_or_else(|| format!("'{text}' is not a number of workers: expected one from 1 on"))
}

impl Args {
    /// The limits that are named, by their names in the API.
    fn named(&self) -> Vec<(&'static str, Value)> {
        let Args { time, all_iterations, workers, all_memory, disk, .. } = self;
        let number = |limit: &NewValue<u64>| json!(limit.0);
        let named = [
            ("seconds", time.as_ref().map(|limit| json!(limit.0))),
            ("iterations", all_iterations.as_ref().map(number)),
            ("workers", workers.as_ref().map(number)),
            ("memory", all_memory.as_ref().map(number)),
            ("disk", disk.as_ref().map(number)),
        ];
        named.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

/// Runs the command.
///
/// # Errors
/// If no daemon answers, it refuses, or the output cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let client = Client::new(&args.connection)?;
    let path = format!("/api/v1/jobs/{}", args.id);
    let mut job: JobView = client.ask("GET", &path, &[], None)?;
    let named = args.named();
    if !named.is_empty() {
        // The daemon replaces all of them.
        let mut limits = serde_json::to_value(job.summary.limits)?;
        for (name, value) in named {
            limits[name] = value;
        }
        // The older name of `workers`.
        limits["threads"] = limits["workers"].clone();
        job = client.ask("PATCH", &path, &[], Some(&serde_json::to_vec(&json!({ "limits": limits }))?))?;
    }
    if args.json {
        document(&job, out)?;
    } else {
        let limits = job.summary.limits;
        let text = |limit: Option<u64>, unit: &str| limit.map_or("none".to_owned(), |limit| format!("{limit}{unit}"));
        let seconds = limits.seconds.map_or("none".to_owned(), |limit| format!("{limit} s"));
        let (iterations, workers) = (text(limits.iterations, ""), text(limits.workers.map(u64::from), ""));
        let (memory, disk) = (text(limits.memory, " bytes"), text(limits.disk, " bytes"));
        say!(
            "limits of job {}: time {seconds}, iterations {iterations}, workers {workers}, memory {memory}, disk {disk}",
            job.summary.id
        );
    }
    Ok(ExitCode::SUCCESS)
}

//! `morpion backup`: has a daemon copy its state.

use super::client::{Client, Connection};
use super::grid_input::counted;
use super::streams::say;
use crate::core::quantity::mebibytes;
use crate::daemon::view::{BackupRequest, BackupView, BackupsView};
use crate::runner::clock::utc;
use anyhow::bail;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

/// Time between two looks whether it is whole.
const LOOK: Duration = Duration::from_millis(250);

/// Back up the state of a daemon while it runs.
///
/// The daemon copies its store and the folders of its jobs into a new folder in `backups`, in its state directory.
/// Jobs go on meanwhile. The command waits until the backup is whole and prints its folder. To restore a backup, stop
/// the daemon, and start it with --state and that folder, or with a copy of it. Jobs continue from where the backup
/// has them.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// List the backups; make none.
    #[arg(long, conflicts_with = "keep")]
    list: bool,
    /// Remove older backups than the newest N when this one is whole.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
    /// Print one JSON object instead.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

/// Runs the command.
///
/// # Errors
/// If no daemon answers, it refuses, or the backup fails.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let client = Client::new(&args.connection)?;
    if args.list {
        let found: BackupsView = client.get(PATH)?;
        if args.json {
            writeln!(out, "{}", serde_json::to_string(&found)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        for backup in &found.items {
            writeln!(out, "{}", line(backup))?;
        }
        if let Some(begun) = found.running {
            say!("one is being made since {}", utc(begun));
        }
        say!("{} in {}", counted(found.items.len(), "backup"), found.directory);
        return Ok(ExitCode::SUCCESS);
    }
    let request = BackupRequest { keep: args.keep.map(|keep| keep as usize) };
    let body = serde_json::to_vec(&request)?;
    let mut state: BackupsView = client.ask("POST", PATH, &[], Some(&body))?;
    let Some(begun) = state.running.or_else(|| state.items.first().map(|newest| newest.time)) else {
        bail!("the backup failed: {}", state.trouble.unwrap_or_default());
    };
    while state.running == Some(begun) {
        std::thread::sleep(LOOK);
        state = client.get(PATH)?;
    }
    let Some(made) = state.items.iter().find(|backup| backup.time == begun) else {
        let why = state.trouble.unwrap_or_else(|| "the daemon was started again meanwhile".to_owned());
        bail!("the backup failed: {why}");
    };
    if args.json {
        writeln!(out, "{}", serde_json::to_string(made)?)?;
    } else {
        say!("{}", line(made));
        writeln!(out, "{}/{}", state.directory, made.name)?;
    }
    Ok(ExitCode::SUCCESS)
}

const PATH: &str = "/api/v1/backups";

fn line(backup: &BackupView) -> String {
    let BackupView { name, version, jobs, files, bytes, .. } = backup;
    let (jobs, files) = (counted(*jobs as usize, "job"), counted(*files as usize, "file"));
    format!("{name}  {jobs}, {files}, {}, version {version}", mebibytes(*bytes))
}

//! `morpion grid`: the grids in the archive of a daemon.

use super::client::{Client, Connection};
use super::streams::say;
use crate::daemon::grids::is_key;
use anyhow::ensure;
use std::process::ExitCode;

/// Remove grids from the archive of a daemon.
///
/// The daemon is the one at --url (or MORPION_URL; by default http://127.0.0.1:7878).
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: GridCommand,
}

#[derive(Debug, clap::Subcommand)]
enum GridCommand {
    /// Remove grids from the archive. Jobs that found them keep them in their folders
    Remove(RemoveGrids),
}

#[derive(Debug, clap::Args)]
struct RemoveGrids {
    /// Keys of the grids, 16 hexadecimal digits each, as the page and `/api/v1/grids` show them
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<String>,
    #[command(flatten)]
    connection: Connection,
}

/// Runs the command. Nothing is removed if one of the keys cannot be one.
///
/// # Errors
/// A key that cannot be one, a grid that is not in the archive, a daemon that does not answer or refuses.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let GridCommand::Remove(RemoveGrids { keys, connection }) = &args.command;
    let keys: Vec<String> = keys.iter().map(|key| key.to_ascii_lowercase()).collect();
    for key in &keys {
        ensure!(is_key(key), "'{key}' is not the key of a grid: 16 hexadecimal digits are expected");
    }
    let client = Client::new(connection)?;
    for key in &keys {
        client.delete(&format!("/api/v1/grids/{key}"))?;
        say!("grid {key} is removed from the archive");
    }
    Ok(ExitCode::SUCCESS)
}

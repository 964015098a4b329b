//! `morpion job export`: what a job found, as files.

use crate::cli::client::{Client, ClientError, Connection};
use crate::cli::streams::say;
use crate::daemon::view::{GridView, JobId, JobView, StatisticsView};
use crate::notation::file::{Existing, save};
use anyhow::{Context, bail};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Fetch what a job found: its best grid (Pentasol, MSR and a picture), all grids that it kept, its state and its
/// course.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Number of the job
    id: JobId,
    /// Directory to write to, made if it is missing; no file in it is overwritten
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Print the names of the files as a JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

/// Runs the command.
///
/// # Errors
/// If no daemon answers, it refuses, or a file exists or cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let client = Client::new(&args.connection)?;
    let job: JobView = client.get(&format!("/api/v1/jobs/{}", args.id))?;
    let course: StatisticsView = client.get(&format!("/api/v1/jobs/{}/statistics", args.id))?;
    let (kept, _) = client.list::<GridView>(&format!("/api/v1/grids?job={}", args.id), usize::MAX)?;
    let mut files = Files { directory: &args.output, written: Vec::new() };
    let directory = args.output.display();
    std::fs::create_dir_all(&args.output).with_context(|| format!("{directory}: cannot be made"))?;
    files.write("job.json", &pretty(&job)?)?;
    files.write("statistics.json", &pretty(&course)?)?;
    if let Some(key) = &job.best_grid {
        for (name, format) in [("best.txt", "pentasol"), ("best.msr", "msr"), ("best.png", "png")] {
            files.write(name, &grid(&client, key, format)?)?;
        }
    }
    if !kept.is_empty() {
        let below = args.output.join("grids");
        std::fs::create_dir_all(&below).with_context(|| format!("{}: cannot be made", below.display()))?;
    }
    for found in &kept {
        let name = format!("grids/{}-{}-{}.txt", found.variant, found.score, found.key);
        files.write(&name, &grid(&client, &found.key, "pentasol")?)?;
    }
    if args.json {
        let document = serde_json::json!({ "v": 1, "job": job.summary.id, "files": files.written });
        super::document(&document, out)?;
    } else {
        let (count, state) = (files.written.len(), job.summary.state.name());
        say!("{count} files of job {}, which is {state}, are in {directory}", job.summary.id);
    }
    Ok(ExitCode::SUCCESS)
}

fn pretty<T: serde::Serialize>(document: &T) -> anyhow::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(document)?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn grid(client: &Client, key: &str, format: &str) -> Result<Vec<u8>, ClientError> {
    client.bytes(&format!("/api/v1/grids/{}?format={format}", crate::cli::client::encoded(key)))
}

/// The files of an export.
struct Files<'a> {
    directory: &'a Path,
    written: Vec<String>,
}

impl Files<'_> {
    /// Writes a file. Names come from what the daemon said, so they are looked at.
    fn write(&mut self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        if !name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-./".contains(&b)) || name.contains("..") {
            bail!(
                "the daemon names a grid '{}', which is not the name of a file",
                crate::cli::grid_input::plain(name)
            );
        }
        let path = self.directory.join(name);
        match save(&path, bytes, Existing::Keep) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                bail!("{}: the file exists; export to another directory", path.display())
            }
            other => other.with_context(|| format!("{}: cannot be written", path.display()))?,
        }
        self.written.push(name.to_owned());
        Ok(())
    }
}

//! `morpion records`: the known record grids.

use crate::cli::grid_input;
use crate::notation::format::{self, GridFormat};
use crate::notation::records::known;
use anyhow::{Context, bail};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// List the known record grids, or write them as files.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: RecordsAction,
}

#[derive(Debug, clap::Subcommand)]
enum RecordsAction {
    /// List the known records: variant, moves, name of the file, name, author
    List,
    /// Write every known record as a Pentasol file, VARIANT-SCORE-NAME.txt
    Export {
        /// Directory to write to, made if it does not exist
        #[arg(default_value = "grids")]
        directory: PathBuf,
        /// Overwrite files that differ
        #[arg(long)]
        force: bool,
    },
}

/// Runs the command.
///
/// # Errors
/// A file that differs exists, or the directory cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let known = known().context("the built-in records")?;
    let RecordsAction::Export { directory, force } = args.action else {
        for record in known {
            let author = record.grid.provenance.author.as_deref().unwrap_or("");
            let (variant, score) = (record.grid.variant, record.grid.score());
            writeln!(out, "{variant}  {score:>3}  {:<20}  {:<24}  {author}", record.stem, record.name)?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let mut files = Vec::new();
    for record in &known {
        let path = directory.join(format!("{}.txt", record.stem));
        let text = format::write(&record.grid, GridFormat::Pentasol)?;
        let same = match std::fs::read(&path) {
            Ok(bytes) => {
                if bytes != text.as_bytes() && !force {
                    bail!("{}: the file exists and differs; --force overwrites it", path.display());
                }
                bytes == text.as_bytes()
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
            Err(error) => return Err(error).with_context(|| format!("{}: cannot be read", path.display())),
        };
        files.push((path, text, same));
    }
    // Nothing is written before all files have been looked at.
    std::fs::create_dir_all(&directory).with_context(|| format!("{}: cannot be made", directory.display()))?;
    let mut written = 0;
    for (path, text, _) in files.iter().filter(|(_, _, same)| !same) {
        grid_input::save(path, text.as_bytes(), force)?;
        written += 1;
    }
    let unchanged = files.len() - written;
    writeln!(out, "{}: {written} records written, {unchanged} unchanged", directory.display())?;
    Ok(ExitCode::SUCCESS)
}

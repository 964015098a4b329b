//! `morpion records`: the known record grids.

use crate::cli::grid_input;
use crate::cli::picture_flags::PictureFlags;
use crate::cli::values::Colours;
use crate::notation::format::{self, GridFormat};
use crate::notation::history;
use crate::notation::records::known;
use crate::render::timeline::{TimelineOptions, timeline};
use crate::runner::clock::now;
use anyhow::{Context, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What an error about the records begins with.
const BUILT_IN: &str = "the built-in records";

/// Length of a year of the calendar, on average.
const SECONDS_PER_YEAR: f64 = 365.2425 * 86_400.0;

/// List the known record grids, write them as files, or draw the history of records.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: RecordsAction,
}

#[derive(Debug, clap::Subcommand)]
enum RecordsAction {
    /// List the known records: variant, moves, name of the file, name, finder; and the date, if it was the best known
    /// score then
    List,
    /// Draw the best known scores of all variants against time, with those who reached them
    Timeline {
        /// Picture to write, .png or .svg
        #[arg(short, long, value_name = "OUT")]
        output: PathBuf,
        #[command(flatten)]
        picture: PictureFlags,
        /// Colours of the picture
        #[arg(long, value_enum, default_value_t = Colours::Light)]
        theme: Colours,
    },
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
    match args.action {
        RecordsAction::List => list(out),
        RecordsAction::Timeline { output, picture, theme } => {
            let until = 1970.0 + now() / SECONDS_PER_YEAR;
            let options = |size| TimelineOptions { size, theme: theme.into(), until };
            picture.at(&output)?.write(|format, size| timeline(format, options(size)))?;
            Ok(ExitCode::SUCCESS)
        }
        RecordsAction::Export { directory, force } => export(&directory, force, out),
    }
}

fn list(out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    for record in known().context(BUILT_IN)? {
        let author = record.grid.provenance.author.as_deref().unwrap_or("");
        let (variant, score) = (record.grid.variant, record.grid.score());
        let date = history::date(variant, score as u32, author);
        let date = date.map_or(String::new(), |date| format!(", {date}"));
        writeln!(out, "{variant}  {score:>3}  {:<20}  {:<24}  {author}{date}", record.stem, record.name)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn export(directory: &Path, force: bool, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let known = known().context(BUILT_IN)?;
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
    std::fs::create_dir_all(directory).with_context(|| format!("{}: cannot be made", directory.display()))?;
    let mut written = 0;
    for (path, text, _) in files.iter().filter(|(_, _, same)| !same) {
        grid_input::save(path, text.as_bytes(), force)?;
        written += 1;
    }
    let unchanged = files.len() - written;
    writeln!(out, "{}: {written} records written, {unchanged} unchanged", directory.display())?;
    Ok(ExitCode::SUCCESS)
}

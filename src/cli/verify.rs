//! `morpion verify`: whether grid files are legal.

use super::streams::say;
use crate::cli::grid_input::{self, Input, plain};
use crate::morpion::referee;
use crate::morpion::symmetry::{self, GridSymmetry};
use crate::morpion::variant::Variant;
use crate::notation::file::LoadError;
use crate::notation::format::{ChosenBy, GridReadError, LoadedGrid};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Check that grid files are legal.
///
/// For each file it says whether the grid is legal, its variant and score, and whether it is finished; for an illegal
/// grid it shows the first illegal move with its line and the reason. A text that names no variant is read as the
/// stricter one that fits: 5D before 5T, and 4D before 4T. The exit status is 1 if a grid is illegal, and 2 if a file
/// cannot be read.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Grid files (Pentasol text, MSR); - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Judge by the rules of this variant, whatever the files say
    #[arg(long, value_name = "5T|5D|4T|4D")]
    variant: Option<Variant>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// What is known about one file.
#[derive(serde::Serialize)]
struct FileVerdict {
    file: String,
    /// Absent if the file could not be read as a grid at all.
    legal: Option<bool>,
    variant: Option<Variant>,
    /// The start by name, if it is not the cross.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    /// Number of moves; of an illegal grid, the legal ones before the first illegal one.
    score: Option<usize>,
    finished: Option<bool>,
    legal_moves_left: Option<usize>,
    /// The symmetries of the start that carry the lines of a legal grid to themselves.
    symmetries: Vec<GridSymmetry>,
    format: Option<&'static str>,
    /// All variants by whose rules the file is legal.
    legal_as: Vec<Variant>,
    /// Line and number of the first illegal move, from 1.
    line: Option<usize>,
    number: Option<usize>,
    error: Option<String>,
    warnings: Vec<String>,
    #[serde(skip)]
    by_replay: bool,
}

/// Runs the command.
///
/// # Errors
/// If no grid file is given, or the output cannot be written; bad files are reported one by one.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let files = grid_input::without_status_files(&args.files)?;
    let verdicts: Vec<FileVerdict> = files.iter().map(|file| judge(Input::new(file), args.variant)).collect();
    if args.json {
        grid_input::write_json(verdicts.as_slice(), out)?;
    } else {
        for verdict in &verdicts {
            print(verdict, out)?;
        }
    }
    let status = verdicts.iter().map(|v| match v.legal {
        Some(true) => 0,
        Some(false) => 1,
        None => 2,
    });
    Ok(ExitCode::from(status.max().unwrap_or(0)))
}

fn judge(input: Input, variant: Option<Variant>) -> FileVerdict {
    match input.load(variant) {
        Ok(loaded) => confirm(input.name(), loaded),
        Err(error) => refuse(input.name(), &error),
    }
}

/// A grid that the engine has replayed is replayed by the referee as well, who has the last word.
fn confirm(file: String, loaded: LoadedGrid) -> FileVerdict {
    let grid = &loaded.grid;
    let mut verdict = FileVerdict {
        file,
        legal: Some(true),
        variant: Some(grid.variant),
        start: (!grid.start.is_cross()).then(|| grid.start.name()),
        score: Some(grid.score()),
        finished: None,
        legal_moves_left: None,
        symmetries: Vec::new(),
        format: Some(loaded.format.name()),
        legal_as: loaded.replays_as.clone(),
        line: None,
        number: None,
        error: None,
        warnings: loaded.warnings.clone(),
        by_replay: loaded.chosen_by == ChosenBy::Replay,
    };
    match referee::replay_from(&grid.start, grid.variant, &grid.moves) {
        Ok(game) => {
            let left = game.legal_moves();
            verdict.finished = Some(left.is_empty());
            verdict.legal_moves_left = Some(left.len());
            verdict.symmetries = grid.symmetries();
            if left.iter().any(|mv| mv.in_area(grid.variant).is_none()) {
                verdict.warnings.push("a legal move would leave the playing area of 60x60 points".to_owned());
            }
        }
        Err(error) => {
            verdict.legal = Some(false);
            verdict.legal_as.clear();
            verdict.score = Some(error.index);
            verdict.number = Some(error.index + 1);
            verdict.error = Some(error.to_string());
        }
    }
    verdict
}

fn refuse(file: String, error: &LoadError) -> FileVerdict {
    let mut verdict = FileVerdict {
        file,
        legal: None,
        variant: None,
        start: None,
        score: None,
        finished: None,
        legal_moves_left: None,
        symmetries: Vec::new(),
        format: None,
        legal_as: Vec::new(),
        line: None,
        number: None,
        error: None,
        warnings: Vec::new(),
        by_replay: false,
    };
    match error {
        LoadError::Grid { error: GridReadError::Illegal(illegal), .. } => {
            verdict.legal = Some(false);
            verdict.variant = Some(illegal.variant);
            verdict.score = Some(illegal.number - 1);
            verdict.legal_as.clone_from(&illegal.legal_as);
            verdict.line = illegal.line;
            verdict.number = Some(illegal.number);
            verdict.error = Some(illegal.to_string());
        }
        LoadError::Grid { error, .. } => verdict.error = Some(error.to_string()),
        LoadError::Io { error, .. } => verdict.error = Some(format!("cannot be read: {error}")),
    }
    verdict
}

fn print(verdict: &FileVerdict, out: &mut dyn Write) -> std::io::Result<()> {
    for warning in &verdict.warnings {
        say!("morpion: {}: warning: {}", plain(&verdict.file), plain(warning));
    }
    let error = verdict.error.as_deref().unwrap_or("");
    let variant = verdict.variant.map_or("", Variant::code);
    match verdict.legal {
        Some(true) => {
            let others: Vec<&str> = verdict.legal_as.iter().skip(1).map(|v| v.code()).collect();
            let also = match others.as_slice() {
                [] => String::new(),
                _ if !verdict.by_replay => String::new(),
                codes => format!(" (and {})", codes.join(", ")),
            };
            let left = verdict.legal_moves_left.unwrap_or(0);
            let end =
                if left == 0 { "finished".to_owned() } else { grid_input::counted(left, "legal move") + " left" };
            let moves = grid_input::counted(verdict.score.unwrap_or(0), "move");
            let symmetric = symmetry::in_words(&verdict.symmetries);
            let start = verdict.start.as_ref().map_or(String::new(), |start| format!(" from {start}"));
            writeln!(out, "{}: legal, {variant}{start}{also}, {moves}, {end}{symmetric}", plain(&verdict.file))
        }
        Some(false) => {
            let moves = grid_input::counted(verdict.score.unwrap_or(0), "legal move");
            writeln!(out, "{}: illegal as {variant} after {moves}: {error}", plain(&verdict.file))
        }
        None => {
            say!("morpion: {}: {}", plain(&verdict.file), plain(error));
            Ok(())
        }
    }
}

//! `morpion identify`: which grid a file holds, up to symmetry and move order.

use super::streams::say;
use crate::cli::grid_input::{self, Input, counted, plain};
use crate::morpion::variant::Variant;
use crate::notation::grid::Grid;
use crate::notation::identify::{common_lines, same_points};
use crate::notation::records::{KnownRecord, known};
use anyhow::Context;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Say which grids are in files, whatever their orientation and the order of their moves.
///
/// For each grid it prints the canonical key, and the known record and the other given files that it equals. If it
/// equals no record, it prints the one that it has most lines in common with.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Grid files (Pentasol text, MSR); - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Read the files by the rules of this variant, whatever they say
    #[arg(long, value_name = "5T|5D|4T|4D")]
    variant: Option<Variant>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

#[derive(serde::Serialize)]
struct Identity {
    file: String,
    variant: Variant,
    /// The start by name, if it is not the cross.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    score: usize,
    /// Canonical key, 16 hexadecimal digits.
    key: String,
    /// The known record that it equals.
    record: Option<String>,
    /// The given files that it equals.
    equal_files: Vec<String>,
    /// The known record that it has most lines in common with.
    nearest: Option<NearestKnown>,
}

#[derive(serde::Serialize)]
struct NearestKnown {
    record: String,
    common_lines: usize,
    lines: usize,
    /// Whether the two have the same points, up to symmetry.
    same_points: bool,
}

/// Runs the command. Files without a legal grid are reported on stderr and make the exit status 2.
///
/// # Errors
/// If no grid file is given, or the output cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let known = known().context("the built-in records")?;
    let mut grids: Vec<(String, Grid)> = Vec::new();
    let mut failed = false;
    for file in grid_input::without_status_files(&args.files)? {
        let input = Input::new(file);
        match input.load_warned(args.variant) {
            Ok(loaded) => grids.push((input.name(), loaded.grid)),
            Err(error) => {
                say!("morpion: {}", plain(&error.to_string()));
                failed = true;
            }
        }
    }
    let keys: Vec<u64> = grids.iter().map(|(_, grid)| grid.key()).collect();
    let mut identities = Vec::new();
    for (i, (file, grid)) in grids.iter().enumerate() {
        let equal = (0..grids.len()).filter(|&j| j != i && keys[j] == keys[i]);
        identities.push(Identity {
            equal_files: equal.map(|j| grids[j].0.clone()).collect(),
            ..identify(file, grid, keys[i], &known)
        });
    }
    if args.json {
        grid_input::write_json(identities.as_slice(), out)?;
    } else {
        for identity in &identities {
            print(identity, out)?;
        }
    }
    Ok(ExitCode::from(if failed { 2 } else { 0 }))
}

fn identify(file: &str, grid: &Grid, key: u64, known: &[KnownRecord]) -> Identity {
    // The known records are grids from the cross.
    let known = if grid.start.is_cross() { known } else { &[] };
    let shared = known.iter().map(|record| (common_lines(grid, &record.grid), record));
    // The first of the best: records come best first.
    let best = shared.reduce(|best, next| if next.0 > best.0 { next } else { best });
    let best = best.filter(|(common, _)| *common > 0);
    let equal = best.filter(|(common, record)| *common == grid.score() && *common == record.grid.score());
    Identity {
        file: file.to_owned(),
        variant: grid.variant,
        start: (!grid.start.is_cross()).then(|| grid.start.name()),
        score: grid.score(),
        key: format!("{key:016x}"),
        record: equal.map(|(_, record)| record.name.to_owned()),
        equal_files: Vec::new(),
        nearest: best.map(|(common_lines, record)| NearestKnown {
            record: record.name.to_owned(),
            common_lines,
            lines: record.grid.score(),
            same_points: same_points(grid, &record.grid),
        }),
    }
}

fn print(identity: &Identity, out: &mut dyn Write) -> std::io::Result<()> {
    let Identity { file, variant, score, key, .. } = identity;
    let start = identity.start.as_ref().map_or(String::new(), |start| format!(" from {start}"));
    write!(out, "{}: {key}, {variant}{start}, {}", plain(file), counted(*score, "move"))?;
    match (&identity.record, &identity.nearest) {
        (Some(record), _) => write!(out, ", equals the record {record}")?,
        (None, Some(near)) if near.common_lines == *score => write!(out, ", part of the record {}", near.record)?,
        (None, Some(near)) => write!(
            out,
            ", no known record (nearest is {}, with {} of its {} lines in common{})",
            near.record,
            near.common_lines,
            near.lines,
            if near.same_points { " and the same points" } else { "" }
        )?,
        (None, None) => write!(out, ", no known record")?,
    }
    if !identity.equal_files.is_empty() {
        write!(out, ", equals {}", plain(&identity.equal_files.join(", ")))?;
    }
    writeln!(out)
}

//! `morpion archive`: the good grids that hunts have kept, listed, compared and written as files.

mod collect;
mod compare;
mod export;

use super::file_format::FileFormat;
use super::grid_input::{self, counted};
use super::hunt_directory::OUTPUT;
use super::values::positive;
use crate::morpion::variant::Variant;
use crate::notation::catalogue::{Catalogue, Kinship};
use crate::runner::archive::novelty::MOST_PER_SCORE;
use crate::runner::clock::utc;
use crate::runner::status::{after, thousands};
use anyhow::{Context, ensure};
use collect::{Collection, GatheredGrid};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// List the good grids that hunts have kept, each once, whatever its orientation and the order of its moves.
///
/// For each grid it shows the score, the id (the first digits of the canonical key), when it was found, how long its
/// hunt had run, the unit that found it, and how it relates to the known records. A grid is called new only if no
/// known record equals it or contains it. The command also compares two grids, and writes grids as files.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Directories of hunts, directories of grid files, or grid files. A hunt without an archive gives its best grid
    #[arg(value_name = "DIR|FILE", default_value = OUTPUT)]
    sources: Vec<PathBuf>,
    /// Only grids of at least this many moves
    #[arg(long, value_name = "SCORE")]
    min: Option<u32>,
    /// Only grids of at most this many moves
    #[arg(long, value_name = "SCORE")]
    max: Option<u32>,
    /// Only grids that no known record equals or contains
    #[arg(long)]
    new: bool,
    /// Only grids of this variant
    #[arg(long, value_name = "5T|5D|4T|4D")]
    variant: Option<Variant>,
    /// Only the grid with this id, or with the only id that begins so; may be given several times
    #[arg(long, value_name = "ID")]
    id: Vec<String>,
    /// At most this many grids: the longest, and among equal ones those found first
    #[arg(long, value_name = "N", value_parser = positive)]
    limit: Option<usize>,
    /// Show the lines that differ between two grids, in the orientation in which they have most in common. Each is an
    /// id, a grid file, or a known record by either of the names that `morpion records list` shows
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with = "export")]
    compare: Option<Vec<String>>,
    /// Write the grids: one to a file (.psol, .txt, .msr, .json, .png, .svg), or any number to a directory, as files
    /// named VARIANT-SCORE-ID. The directory is made if it is missing. Nothing is overwritten.
    #[arg(long, value_name = "OUT")]
    export: Option<PathBuf>,
    /// Format of the files in a directory
    #[arg(long, value_enum, default_value_t = FileFormat::Psol, requires = "export")]
    format: FileFormat,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Runs the command. Sources that cannot be read are reported on stderr and make the exit status 2.
///
/// # Errors
/// An id that no grid or several grids have, an export that would overwrite something, a closed output.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let catalogue = Catalogue::load().context("the built-in records")?;
    // Two files can be compared where no hunt has been.
    let none = args.compare.is_some() && args.sources == [PathBuf::from(OUTPUT)] && !Path::new(OUTPUT).exists();
    let Collection { entries, failed } = collect::collect(if none { &[] } else { &args.sources });
    if let Some([a, b]) = args.compare.as_deref() {
        compare::run([a, b], &entries, &catalogue, args.json, out)?;
        return Ok(ExitCode::from(if failed { 2 } else { 0 }));
    }
    let known_ids = args.id.iter().map(|id| Ok(collect::by_id(&entries, id)?.key));
    let ids: Vec<u64> = known_ids.collect::<anyhow::Result<_>>()?;
    let mut chosen: Vec<(&GatheredGrid, Option<Kinship>)> = Vec::new();
    for entry in &entries {
        let score = entry.score() as u32;
        if args.min.is_some_and(|min| score < min)
            || args.max.is_some_and(|max| score > max)
            || args.variant.is_some_and(|variant| variant != entry.variant)
            || !ids.is_empty() && !ids.contains(&entry.key)
        {
            continue;
        }
        let kinship = catalogue.nearest(entry.variant, &entry.moves);
        if !args.new || is_new(&kinship) {
            chosen.push((entry, kinship));
        }
        if args.limit.is_some_and(|limit| chosen.len() >= limit) {
            break;
        }
    }
    if let Some(path) = &args.export {
        ensure!(!chosen.is_empty(), "{}: no grid is chosen, nothing was written", path.display());
        let grids: Vec<&GatheredGrid> = chosen.iter().map(|(entry, _)| *entry).collect();
        export::run(path, &grids, args.format, out)?;
    } else if args.json {
        let lines: Vec<ArchiveLine> =
            chosen.iter().map(|(entry, kinship)| ArchiveLine::new(entry, *kinship)).collect();
        grid_input::write_json(&lines, out)?;
    } else {
        print(&chosen, args.sources.len() > 1, out)?;
    }
    Ok(ExitCode::from(if failed { 2 } else { 0 }))
}

/// No known record equals the grid or contains it.
fn is_new(kinship: &Option<Kinship>) -> bool {
    !kinship.is_some_and(|kin| kin.equal || kin.part)
}

/// What a grid has to do with the known records, in words.
fn compared(kinship: &Option<Kinship>) -> String {
    match kinship {
        Some(kin) if kin.equal => format!("the known record {}", kin.record.name),
        Some(kin) if kin.part => format!("part of the record {}", kin.record.name),
        Some(kin) => format!("new; {} in common with {}", counted(kin.common, "line"), kin.record.name),
        None => "new".to_owned(),
    }
}

fn print(chosen: &[(&GatheredGrid, Option<Kinship>)], many: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    if chosen.is_empty() {
        writeln!(out, "no grids")?;
        return Ok(());
    }
    let compared: Vec<String> = chosen.iter().map(|(_, kinship)| compared(kinship)).collect();
    let width = compared.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    // Of grid files, which say nothing of a time or a unit, the name is shown.
    let named = many || chosen.iter().any(|(entry, _)| entry.found.is_none());
    let source = if named { "  found in" } else { "" };
    let head = "known records";
    let line =
        format!("score  id        {:20}  {:>12}  {:>6}  {head:width$}{source}", "found (UTC)", "after", "unit");
    writeln!(out, "{}", line.trim_end())?;
    for ((entry, _), compared) in chosen.iter().zip(&compared) {
        let (time, seconds, unit) = entry.found.as_ref().map_or_else(
            || ("-".to_owned(), "-".to_owned(), "-".to_owned()),
            |found| (utc(found.find.time), after(found.find.seconds), found.find.unit.to_string()),
        );
        let source = if named { format!("  {}", grid_input::plain(&entry.source)) } else { String::new() };
        let (variant, score, id) = (entry.variant, entry.score(), entry.id());
        let line =
            format!("{variant} {score:>3} {id}  {time:20}  {seconds:>12}  {unit:>6}  {compared:width$}{source}");
        writeln!(out, "{}", line.trim_end())?;
    }
    let mut scores: BTreeMap<Variant, BTreeMap<usize, usize>> = BTreeMap::new();
    for (entry, _) in chosen {
        *scores.entry(entry.variant).or_default().entry(entry.score()).or_default() += 1;
    }
    let new = chosen.iter().filter(|(_, kinship)| is_new(kinship)).count();
    let full = |count: usize| if count as u64 >= MOST_PER_SCORE { " (no more are kept)" } else { "" };
    let counts = scores.iter().map(|(variant, scores)| {
        let of = scores
            .iter()
            .rev()
            .map(|(score, &count)| format!("{} of {score}{}", thousands(count as u64), full(count)));
        format!("{variant} {}", of.collect::<Vec<_>>().join(", "))
    });
    let counts: Vec<String> = counts.collect();
    let noun = if chosen.len() == 1 { "grid" } else { "grids" };
    let [all, new] = [chosen.len(), new].map(|count| thousands(count as u64));
    writeln!(out, "{all} {noun}, {new} new: {}", counts.join("; "))?;
    Ok(())
}

/// A grid as `--json` tells it.
#[derive(serde::Serialize)]
struct ArchiveLine<'a> {
    id: String,
    /// Canonical key, 16 hexadecimal digits.
    key: String,
    variant: Variant,
    score: usize,
    /// When it was found, seconds since 1970 (UTC); null if its source does not say.
    time: Option<f64>,
    /// Seconds that its hunt had run.
    seconds: Option<f64>,
    unit: Option<u64>,
    unit_seed: Option<u64>,
    thread: Option<u32>,
    iterations: Option<u64>,
    /// Seed of its hunt.
    seed: Option<u64>,
    method: Option<String>,
    source: &'a str,
    /// The known record that it equals.
    record: Option<&'static str>,
    new: bool,
    /// The known record that it has most lines in common with.
    nearest: Option<NearestRecord>,
}

#[derive(serde::Serialize)]
struct NearestRecord {
    record: &'static str,
    common_lines: usize,
    lines: usize,
}

impl<'a> ArchiveLine<'a> {
    fn new(entry: &'a GatheredGrid, kinship: Option<Kinship>) -> ArchiveLine<'a> {
        let found = entry.found.as_ref();
        let provenance = entry.provenance();
        ArchiveLine {
            id: entry.id(),
            key: format!("{:016x}", entry.key),
            variant: entry.variant,
            score: entry.score(),
            time: found.map(|found| found.find.time),
            seconds: provenance.seconds,
            unit: found.map(|found| found.find.unit),
            unit_seed: found.map(|found| found.find.unit_seed),
            thread: found.map(|found| found.find.worker),
            iterations: provenance.iterations,
            seed: provenance.seed,
            method: provenance.method,
            source: &entry.source,
            record: kinship.filter(|kin| kin.equal).map(|kin| kin.record.name),
            new: is_new(&kinship),
            nearest: kinship.map(|kin| NearestRecord {
                record: kin.record.name,
                common_lines: kin.common,
                lines: kin.record.grid.score(),
            }),
        }
    }
}

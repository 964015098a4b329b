//! `morpion stats`: the course of a hunt in tables and as a picture.

mod picture;

use super::grid_input;
use super::picture_flags::PictureFlags;
use crate::core::histogram::Histogram;
use crate::morpion::variant::Variant;
use crate::notation::file::load;
use crate::notation::grid::Grid;
use crate::runner::directory::best_name;
use crate::runner::statistics::{self, Improvement, Statistics, join};
use crate::runner::status::{after, clock, thousands};
use crate::strategies::params::Strategy;
use anyhow::Context;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Most rows of the tables of scores and of rates.
const ROWS: usize = 20;
/// Widths of the groups of scores in the table.
const WIDTHS: [u32; 5] = [1, 2, 5, 10, 20];

/// Show the scores of a hunt per nesting level, the time to each score, and the speed over time.
///
/// A running hunt is shown as of its last checkpoint.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The directory of the hunt
    #[arg(value_name = "DIR", default_value = super::hunt_directory::OUTPUT)]
    directory: PathBuf,
    /// Draw a picture instead, .png or .svg
    #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
    output: Option<PathBuf>,
    #[command(flatten)]
    picture: PictureFlags,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// A directory without a readable hunt, a picture that exists or cannot be written, a closed output.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let name = args.directory.display().to_string();
    let statistics = statistics::read(&args.directory).with_context(|| name.clone())?;
    super::hunt_directory::warn_of(&statistics.bad_lines);
    if let Some(path) = &args.output {
        args.picture.at(path)?.write(|format, size| picture::draw(&statistics, &name, format, size))?;
        return Ok(ExitCode::SUCCESS);
    }
    // Statistics are shown without a best grid, too.
    let best = best_name(&statistics.job.params.start);
    let grid = load(&args.directory.join(best), Some(statistics.job.variant)).ok().map(|loaded| loaded.grid);
    if args.json {
        grid_input::write_json(&[StatsReport::of(&statistics, grid.as_ref(), name)], out)?;
    } else {
        print(&statistics, grid.as_ref(), &name, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The workers of a hunt in words, for headings.
fn workers(statistics: &Statistics) -> String {
    grid_input::counted(statistics.workers as usize, "worker")
}

fn print(statistics: &Statistics, grid: Option<&Grid>, name: &str, out: &mut dyn Write) -> anyhow::Result<()> {
    let Statistics { job, sessions, seconds, best, done, running, levels, units, bests, rates, .. } = statistics;
    let unit = job.params.strategy.row().counts;
    let (variant, method, seed) = (job.variant, job.params.method(), job.seed);
    writeln!(out, "{name}: {variant}, {method}, {}, seed {seed}", workers(statistics))?;
    writeln!(
        out,
        "best {best} after {} in {}: {} {unit}, {} done, {} running",
        clock(*seconds),
        grid_input::counted(*sessions as usize, "session"),
        thousands(done.iterations.saturating_add(running.1)),
        grid_input::counted(done.units as usize, "unit"),
        running.0
    )?;
    if let Some(grid) = grid {
        writeln!(out, "\nlines of the best grid")?;
        grid_input::write_directions(grid, out)?;
    }
    print_levels(levels, units, out)?;
    if !bests.is_empty() {
        writeln!(out, "\ntime to each score\n{:>5}  {:>12}  {:>8}  {unit} of the unit", "score", "after", "unit")?;
        for Improvement { score, seconds, unit, iterations } in bests {
            let after = after(*seconds);
            writeln!(out, "{score:>5}  {after:>12}  {unit:>8}  {}", thousands(*iterations))?;
        }
    }
    if !rates.is_empty() {
        writeln!(out, "\n{unit} per second\n{:>12}  {:>12}  {:>14}", "from", "to", "per second")?;
        for rate in join(rates, ROWS) {
            let per_second = thousands(rate.per_second().round() as u64);
            writeln!(out, "{:>12}  {:>12}  {per_second:>14}", clock(rate.from), clock(rate.to))?;
        }
    }
    Ok(())
}

/// The columns: what is counted, and its name.
fn columns<'a>(levels: &'a [Histogram], units: &'a Histogram) -> Vec<(String, &'a Histogram)> {
    let name = |level: usize| if level == 0 { "playouts".to_owned() } else { format!("level {level}") };
    let mut columns: Vec<(String, &Histogram)> =
        levels.iter().enumerate().map(|(level, counts)| (name(level), counts)).collect();
    // Where a unit is one call of the top level, it has been counted there.
    if levels.last() != Some(units) {
        columns.push(("units".to_owned(), units));
    }
    columns.retain(|(_, counts)| !counts.is_empty());
    columns
}

/// Figures and counts of the results of each level and of the units.
fn print_levels(levels: &[Histogram], units: &Histogram, out: &mut dyn Write) -> anyhow::Result<()> {
    let columns = columns(levels, units);
    if columns.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nscores of all results of each level; units: the best of each unit done")?;
    writeln!(out, "{:8}  {:>16}  {:>7}  least   10 %  median   90 %   99 %   best", "", "results", "mean")?;
    for (name, counts) in &columns {
        let at = |share| counts.quantile(share).unwrap_or(0);
        writeln!(
            out,
            "{name:8}  {:>16}  {:>7.2}  {:>5}  {:>5}  {:>6}  {:>5}  {:>5}  {:>5}",
            thousands(counts.total()),
            counts.mean().unwrap_or(0.0),
            at(0.0),
            at(0.1),
            at(0.5),
            at(0.9),
            at(0.99),
            at(1.0)
        )?;
    }
    let ends = columns.iter().flat_map(|(_, counts)| [counts.quantile(0.0), counts.quantile(1.0)]).flatten();
    let (least, most) = ends.fold((u32::MAX, 0), |(least, most), score| (least.min(score), most.max(score)));
    let groups = |width: u32| (most / width - least / width + 1) as usize;
    let width = WIDTHS.into_iter().find(|&width| groups(width) <= ROWS).unwrap_or(50);
    writeln!(out, "\nhow often each score came up")?;
    let head: String = columns.iter().map(|(name, _)| format!("  {name:>16}")).collect();
    writeln!(out, "{:>9}{head}", "score")?;
    for group in (least / width..=most / width).rev() {
        let (from, to) = (group * width, group * width + width - 1);
        let name = if width == 1 { from.to_string() } else { format!("{from} - {to}") };
        let within = |counts: &Histogram| -> u64 {
            counts.counts().filter(|(score, _)| (from..=to).contains(score)).map(|(_, count)| count).sum()
        };
        let cells = columns.iter().map(|(_, counts)| match within(counts) {
            0 => format!("  {:>16}", ""),
            count => format!("  {:>16}", thousands(count)),
        });
        writeln!(out, "{}", format!("{name:>9}{}", cells.collect::<String>()).trim_end())?;
    }
    Ok(())
}

/// The statistics as `--json` tells them.
#[derive(serde::Serialize)]
struct StatsReport<'a> {
    directory: String,
    variant: Variant,
    strategy: Strategy,
    method: String,
    seed: u64,
    threads: u32,
    sessions: u32,
    seconds: f64,
    best: u32,
    iterations: u64,
    units_done: u64,
    units_running: u64,
    /// Per nesting level, from 0: pairs of a score and how often it came up.
    levels: &'a [Histogram],
    /// The same for the best scores of the units done.
    units: &'a Histogram,
    bests: &'a [Improvement],
    rates: &'a [statistics::Rate],
    /// Lines of the best grid by direction: -, |, \\ and /.
    lines_by_direction: Option<[usize; 4]>,
}

impl<'a> StatsReport<'a> {
    fn of(statistics: &'a Statistics, grid: Option<&Grid>, directory: String) -> StatsReport<'a> {
        let Statistics { job, workers, sessions, seconds, best, done, running, .. } = statistics;
        StatsReport {
            directory,
            variant: job.variant,
            strategy: job.params.strategy,
            method: job.params.method(),
            seed: job.seed,
            threads: workers + 1,
            sessions: *sessions,
            seconds: *seconds,
            best: *best,
            iterations: done.iterations.saturating_add(running.1),
            units_done: done.units,
            units_running: running.0,
            levels: &statistics.levels,
            units: &statistics.units,
            bests: &statistics.bests,
            rates: &statistics.rates,
            lines_by_direction: grid.map(Grid::lines_by_direction),
        }
    }
}

//! `morpion enumerate`: how many distinct grids (or ordered sequences) there are after each number of moves.

mod grids;

use super::grid_input::counted;
use super::machine;
use super::picture_flags::PictureFlags;
use super::signals;
use super::streams::say;
use super::values::positive;
use crate::core::quantity::{grouped, parse_duration};
use crate::jobs::enumerate::Enumeration;
use crate::morpion::enumerate::{CountKind, MAX_DEPTH, known_grids, known_sequences};
use crate::morpion::variant::Variant;
use crate::notation::grid::Grid;
use crate::notation::msr::write_compact;
use crate::render::chart::{Chart, Marks, Panel, Series, chart};
use crate::runner::Interrupt;
use crate::runner::enumeration::run as run_enumeration;
use crate::runner::enumeration::state::EnumerationDirectory;
use anyhow::{Context, ensure};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Version of the `--json` output.
const JSON_VERSION: u32 = 1;
/// How often the state is saved.
const SAVING: Duration = Duration::from_secs(10);

/// Count the distinct grids after each number of moves, up to the 8 symmetries of the cross.
///
/// A grid is a set of lines; neither the order of the moves nor the orientation matters. Prints one line per number
/// of moves and compares it with the known tables (OEIS A204108, A204107, A204110 and A204109). The exit status is 1
/// if a count differs from them, or if the time was over or Ctrl-C came. Each further move takes 2 to 6 times as
/// long; the memory used does not grow.
///
/// With --whole all grids are counted, whatever their length. So the longest ones are known to be the longest: it is
/// a proof of the optimum. In 4D this takes four hours of one processor, in 4T weeks, in lines of 5 for ever. With
/// --state, the same command continues what was stopped.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Line length and touching rule: 5T, 5D, 4T or 4D.
    #[arg(long, default_value_t = Variant::T5)]
    variant: Variant,
    /// Greatest number of moves, at most 64.
    #[arg(long, value_name = "N", default_value_t = 9)]
    depth: u32,
    /// Count all grids, to the longest ones (4D and 4T).
    #[arg(long, conflicts_with_all = ["depth", "ordered"])]
    whole: bool,
    /// Count ordered sequences of moves instead, without regard to symmetry.
    #[arg(long)]
    ordered: bool,
    /// Keep the state of the count in this directory, or continue the one that is there.
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// End after this time (90, 60s, 5m, 2h).
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time: Option<f64>,
    /// Also draw the counts: a picture to write, .png or .svg.
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    picture: PictureFlags,
    /// Also write each grid of --depth moves as a file into this directory, one for each class under the symmetries.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["whole", "ordered"])]
    grids: Option<PathBuf>,
    /// Print one JSON object instead of the table.
    #[arg(long)]
    json: bool,
    /// Number of threads [default: one per processor].
    #[arg(long, value_name = "N", value_parser = positive)]
    threads: Option<usize>,
}

/// Runs the command.
///
/// # Errors
/// A depth or number of threads out of range, a state that cannot be kept or continued, or output that cannot be
/// written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let Args { variant, depth, whole, ordered, ref state, time, ref output, picture, ref grids, json, threads } =
        args;
    ensure!(depth <= MAX_DEPTH, "--depth {depth} is too deep: at most {MAX_DEPTH}");
    ensure!(
        !whole || variant.line_len() == 4,
        "--whole is for lines of 4 (--variant 4D or 4T): the grids of lines of 5 are too many to be counted"
    );
    if grids.is_some() {
        grids::check(variant, depth)?;
    }
    let picture = output.as_deref().map(|path| picture.at(path)).transpose()?;
    let threads = match threads {
        Some(n) => n,
        None => std::thread::available_parallelism().map_or(1, |n| n.get()),
    };
    ensure!((1..=MAX_THREADS).contains(&threads), "--threads {threads} is out of range: 1 to {MAX_THREADS}");
    let (kind, noun, known) = if ordered {
        (CountKind::Sequences, "sequences", known_sequences(variant))
    } else {
        (CountKind::Grids, "grids", known_grids(variant))
    };
    let mut enumeration = Enumeration::new(variant, kind, if whole { MAX_DEPTH } else { depth });
    let directory = match state {
        Some(path) => {
            let (directory, found) = EnumerationDirectory::open(path, enumeration)?;
            enumeration = found;
            Some(directory)
        }
        None => None,
    };
    let to = if whole { "to the longest".to_owned() } else { format!("to depth {depth}") };
    say!(
        "{} {noun} of {variant} {to} on {}; memory: at most {} MB at any depth",
        if enumeration.done.is_empty() { "counting" } else { "continuing to count" },
        counted(threads, "thread"),
        BASE_MB + threads / THREADS_PER_MB,
    );
    let interrupt = Interrupt::default();
    signals::watch(interrupt.clone()).context("cannot watch for Ctrl-C")?;
    let (began, mut saved) = (Instant::now(), Instant::now());
    let stop = || interrupt.asked() || time.is_some_and(|limit| began.elapsed().as_secs_f64() >= limit);
    // Drawn on stderr, and only if that is a terminal.
    let bar = indicatif::ProgressBar::new(enumeration.units);
    bar.set_style(indicatif::ProgressStyle::with_template("{wide_bar} {percent:>3}%  {elapsed} gone, {eta} to go")?);
    bar.set_position(enumeration.done.len());
    bar.reset_eta();
    run_enumeration(&mut enumeration, threads, &stop, &mut |now| {
        bar.set_position(now.done.len());
        if let Some(directory) = directory.as_ref().filter(|_| saved.elapsed() >= SAVING) {
            saved = Instant::now();
            directory.save(now)?;
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    if let Some(directory) = &directory {
        directory.save(&enumeration)?;
    }
    if let Some(picture) = picture {
        picture.write(|format, size| chart(&drawing(&enumeration, noun), format, size))?;
    }
    if let Some(directory) = grids {
        let count = grids::export(variant, depth, directory)?;
        say!("{}: {} of {depth} moves", directory.display(), counted(count as usize, "grid"));
    }
    report(&enumeration, noun, known, json, out)
}

/// The counts by number of moves, on a logarithmic axis.
fn drawing(enumeration: &Enumeration, noun: &str) -> Chart {
    let Enumeration { variant, units, ref done, ref counts, .. } = *enumeration;
    let points: Vec<(f64, f64)> = (0..).map(f64::from).zip(counts.iter().map(|&count| count as f64)).collect();
    let points: Vec<(f64, f64)> = points.into_iter().filter(|&(_, count)| count > 0.0).collect();
    let last = points.last().map_or(0, |&(moves, _)| moves as usize);
    let step = if last > 24 { 5 } else { 1 };
    let note = match enumeration.is_complete() {
        true => "up to the 8 symmetries of the cross".to_owned(),
        false => format!("as far as they are counted: {} of {} units", grouped(done.len()), grouped(units)),
    };
    Chart {
        title: format!("{variant}: {noun} by number of moves"),
        note: format!("{note}; morpion {}, {}", env!("CARGO_PKG_VERSION"), machine::date()),
        panels: vec![Panel {
            x: "moves".to_owned(),
            y: noun.to_owned(),
            places: (0..=last).step_by(step).map(|moves| (moves as f64, moves.to_string())).collect(),
            log: true,
            marks: Marks::Joined,
            series: vec![Series { name: format!("{noun} of {variant}"), points, band: Vec::new() }],
        }],
    }
}

/// Prints the counts, as far as they have come.
fn report(
    enumeration: &Enumeration,
    noun: &str,
    known: &[u64],
    json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let Enumeration { variant, depth, cut, units, ref done, ref counts, ref long, .. } = *enumeration;
    let is_complete = enumeration.is_complete();
    // Beyond the longest there is nothing to be listed.
    let end = counts.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
    let ends = is_complete && end < counts.len();
    let counts = &counts[..end];
    // What is counted in part is known above the units only.
    let sure = if is_complete { counts.len() } else { counts.len().min(cut as usize) };
    let compared = sure.min(known.len());
    let wrong = counts[..compared].iter().zip(known).position(|(count, known)| count != known);
    if json {
        let grids: Vec<String> =
            long.iter().map(|moves| write_compact(&Grid::new(variant, moves.clone()))).collect::<Result<_, _>>()?;
        let object = serde_json::json!({
            "version": JSON_VERSION,
            "command": "enumerate",
            "variant": variant,
            "kind": noun,
            "counts": counts,
            "agrees_with_known": wrong.is_none(),
            "complete": is_complete,
            "units": units,
            "units_done": done.len(),
            "longest": ends.then(|| end - 1),
            "grids": grids,
        });
        writeln!(out, "{object}")?;
    } else {
        let width = counts.iter().map(|n| n.to_string().len()).max().unwrap_or(0).max(noun.len());
        writeln!(out, " n  {noun:>width$}")?;
        for (n, count) in counts.iter().enumerate() {
            writeln!(out, "{n:>2}  {count:>width$}{}", if n < sure { "" } else { "  so far" })?;
        }
    }
    out.flush()?;
    if let Some(n) = wrong {
        say!("the count at depth {n} is wrong: it is known to be {}", known[n]);
        return Ok(ExitCode::FAILURE);
    }
    if !is_complete {
        let percent = 100.0 * done.len() as f64 / units as f64;
        say!("open: {} of {} units are counted ({percent:.2} %)", grouped(done.len()), grouped(units));
        return Ok(ExitCode::FAILURE);
    }
    say!("the counts to depth {} equal those known", compared - 1);
    if ends {
        say!("no grid of {variant} has more than {} moves", end - 1);
    } else if depth == MAX_DEPTH {
        say!("there are longer ones, which were not counted");
    }
    Ok(ExitCode::SUCCESS)
}

/// More threads than this are taken for a slip of the fingers.
const MAX_THREADS: usize = 1024;

/// Bound of the memory used, in MB, by program, tables and the units of the widest variant: measured 9 MB in 4T with
/// 2 threads.
const BASE_MB: usize = 16;

/// Threads whose walks (0.2 MB each, mostly the capacity of a position's lists) and stacks fit into one MB.
const THREADS_PER_MB: usize = 2;

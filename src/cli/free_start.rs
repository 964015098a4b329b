//! `morpion free-start`: long games whose start is free.

use super::grid_input::{Input, counted, save};
use super::signals;
use super::streams::say;
use super::values::positive;
use crate::core::quantity::parse_duration;
use crate::core::seed::derive;
use crate::morpion::geometry::{Move, cross};
use crate::morpion::start::MOST_POINTS;
use crate::morpion::variant::{Rules, Variant};
use crate::notation::grid::{Grid, Provenance};
use crate::notation::pentasol::{self, Effort};
use crate::runner::best::provenance;
use crate::runner::{Interrupt, clock};
use crate::strategies::relax::free::{FreeGame, FreeStart, FreeWalks};
use crate::with_rules;
use anyhow::{Context, ensure};
use crossbeam_channel::RecvTimeoutError;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Search for long games that begin with any points, of which there are no more than so many.
///
/// The registry of records has a category of its own for them (5T# and 5D#: any 36 points). Lines are drawn in any
/// order, as by relax, and the points that they need are the start. Each thread searches by itself, and begins anew
/// when it has found no longer game for long.
///
/// Tells the lengths of longer games as they are found, and prints the longest one as a grid file at the end. It
/// searches until the time is over, all steps are done or Ctrl-C comes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Line length and touching rule: 5T, 5D, 4T or 4D
    #[arg(long, default_value_t = Variant::T5)]
    variant: Variant,
    /// Most points of the start [default: as many as the cross has, 36 or 24]
    #[arg(long, value_name = "N")]
    points: Option<usize>,
    /// Begin with the lines of this grid, whatever its start
    #[arg(long, value_name = "FILE")]
    init_file: Option<PathBuf>,
    /// How the search walks [default: flat from nothing with lines of five, else ladder]
    #[arg(long, value_enum, value_name = "WALKS")]
    walks: Option<WalksChoice>,
    /// End after this time (90, 60s, 5m, 2h)
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time: Option<f64>,
    /// End after so many steps of each thread
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N", value_parser = positive)]
    threads: Option<usize>,
    /// Also write longer games as they are found into this directory: VARIANT-N-points-MOVES.txt
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// How a search with a free start walks.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum WalksChoice {
    /// One walk visits all numbers of lines alike
    Flat,
    /// Twelve walks stand on a ladder of temperatures
    Ladder,
}

/// Longer games are told and written after such a time, if they come faster.
const BETWEEN: Duration = Duration::from_millis(500);
/// Threads at most: more are a slip of the fingers.
const MOST_THREADS: usize = 1024;

/// A game that a thread has found, after so many steps.
#[derive(PartialEq)]
struct FoundGame {
    game: FreeGame,
    thread: usize,
    steps: u64,
}

/// Runs the command.
///
/// # Errors
/// A number out of range, a grid that cannot be read or has too large a start, or output that cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let variant = args.variant;
    let points = args.points.unwrap_or_else(|| cross(variant).len());
    let least = variant.line_len() - 1;
    ensure!((least..=MOST_POINTS).contains(&points), "--points {points} is out of range: {least} to {MOST_POINTS}");
    let threads = match args.threads {
        Some(threads) => threads,
        None => std::thread::available_parallelism().map_or(1, |n| n.get()),
    };
    ensure!(threads <= MOST_THREADS, "--threads {threads} is out of range: 1 to {MOST_THREADS}");
    let given = match &args.init_file {
        Some(path) => given_lines(path, variant, points)?,
        None => Vec::new(),
    };
    if let Some(directory) = &args.output {
        std::fs::create_dir_all(directory).with_context(|| format!("{}: cannot be made", directory.display()))?;
    }
    let interrupt = Interrupt::default();
    signals::watch(interrupt.clone()).context("cannot watch for Ctrl-C")?;
    let began = Instant::now();
    let is_over = || interrupt.asked() || args.time.is_some_and(|limit| began.elapsed().as_secs_f64() >= limit);
    let method = match args.init_file {
        Some(_) => format!("relax with a free start of {points} points, from a grid"),
        None => format!("relax with a free start of {points} points, from nothing"),
    };
    let walks = args.walks.map(|choice| match choice {
        WalksChoice::Flat => FreeWalks::Flat,
        WalksChoice::Ladder => FreeWalks::Ladder,
    });
    let mut longest: Option<Grid> = None;
    std::thread::scope(|scope| -> anyhow::Result<()> {
        let (sender, found) = crossbeam_channel::unbounded();
        for thread in 0..threads {
            let (sender, given, is_over) = (sender.clone(), &given, &is_over);
            let seed = if thread == 0 { args.seed } else { derive(args.seed, &[thread as u64]) };
            let most = args.max_steps.unwrap_or(u64::MAX);
            scope.spawn(move || {
                // Nobody receives when the output cannot be written.
                let found = |game, steps| sender.send(FoundGame { game, thread, steps }).is_ok();
                with_rules!(variant, R => {
                    let walks = walks.unwrap_or(FreeWalks::usual::<R>(given));
                    search(FreeStart::<R>::new(points, given, walks, seed), most, is_over, found);
                });
            });
        }
        drop(sender);
        let mut told: Option<Instant> = None;
        let mut untold: Option<Grid> = None;
        loop {
            let next = found.recv_timeout(BETWEEN / 5);
            if let Ok(FoundGame { game, thread, steps }) = &next
                && longest.as_ref().is_none_or(|grid| grid.moves.len() < game.moves.len())
            {
                let provenance = Provenance {
                    iterations: Some(*steps),
                    seconds: Some(began.elapsed().as_secs_f64()),
                    saved_at: Some(clock::utc(clock::now())),
                    ..provenance(&format!("{method}, thread {thread}"), game.run, args.seed)
                };
                let (start, moves) = (game.start.clone(), game.moves.clone());
                let grid = Grid { variant, start, moves, provenance };
                longest = Some(grid.clone());
                untold = Some(grid);
            }
            let is_end = next == Err(RecvTimeoutError::Disconnected);
            if (is_end || told.is_none_or(|at| at.elapsed() >= BETWEEN))
                && let Some(grid) = untold.take()
            {
                told = Some(Instant::now());
                say!("{:>8.1} s  {} moves", grid.provenance.seconds.unwrap_or(0.0), grid.moves.len());
                if let Some(directory) = &args.output
                    && let Err(error) = write(directory, &grid)
                {
                    interrupt.ask();
                    return Err(error);
                }
            }
            if is_end {
                return Ok(());
            }
        }
    })?;
    let Some(grid) = longest else {
        say!("no game was found");
        return Ok(ExitCode::FAILURE);
    };
    write!(out, "{}", pentasol::write(&grid, Effort::Comments))?;
    out.flush()?;
    say!("{} from {}", counted(grid.moves.len(), "move"), counted(grid.start.points(variant).len(), "point"));
    Ok(ExitCode::SUCCESS)
}

/// Searches until it is over or so many steps are done.
fn search<R: Rules>(
    mut search: FreeStart<R>,
    most: u64,
    is_over: &dyn Fn() -> bool,
    mut found: impl FnMut(FreeGame, u64) -> bool,
) {
    while !is_over() && search.steps() < most {
        if let Some(game) = search.slice()
            && !found(game, search.steps())
        {
            return;
        }
    }
}

/// The lines of a grid to begin with.
fn given_lines(path: &Path, variant: Variant, points: usize) -> anyhow::Result<Vec<Move>> {
    let grid = Input::new(path).load(Some(variant))?.grid;
    let own = grid.start.points(variant).len();
    ensure!(
        own <= points,
        "{}: the grid begins with {}, and the games may begin with {points} at most",
        path.display(),
        counted(own, "point")
    );
    Ok(grid.moves)
}

/// Writes a grid; a file of that name that is there already is left alone.
fn write(directory: &Path, grid: &Grid) -> anyhow::Result<()> {
    let points = grid.start.points(grid.variant).len();
    let path = directory.join(format!("{}-{points}-points-{}.txt", grid.variant, grid.moves.len()));
    if path.exists() {
        return Ok(());
    }
    save(&path, pentasol::write(grid, Effort::Comments).as_bytes(), false)
}

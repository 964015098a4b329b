//! `morpion speedup`: how much faster several threads search a game tree, by each scheme.

use super::flags::{FlagHelp, SettingFlags};
use super::positions::AskedPosition;
use crate::core::game::Game;
use crate::core::quantity::{grouped, parse_bytes};
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::jobs::setup::reversi::ReversiSetup;
use crate::runner::parallel::THREAD_MEANS;
use crate::runner::simulated::{SIMULATED_MEANS, simulation};
use crate::solvers::gomoku::thesis::ThesisPlayer;
use crate::solvers::gomoku::thesis::patterns::PatternTable;
use crate::solvers::gomoku::thesis::position::{AttackWeights, PatternPosition};
use crate::solvers::monitor::Monitor;
use crate::solvers::parallel::speedup::{SpeedupRow, draw_positions, measure_speedup};
use crate::solvers::parallel::{Scheme, Sharing};
use crate::solvers::table::Table;
use anyhow::{Context, bail};
use clap::builder::PossibleValue;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

/// Version of the `--json` output.
const JSON_VERSION: u32 = 1;
/// The greatest depth that can be asked for.
const DEEPEST: i64 = 60;
/// The greatest number of threads.
const MOST_THREADS: i64 = 1024;

/// Measure how much faster several threads search a game tree than one, by each scheme.
///
/// The positions are drawn from games whose moves are among the first four in the order of the search. Each is
/// searched to a fixed depth by NegaScout, of Gomoku with the patterns of the player "thesis", of Reversi with the
/// heuristic value of the game. A row tells the seconds of the clock for all positions, how many times as fast that
/// is as one thread, the nodes, how many more these are, and which part of the time threads had nothing to do. With
/// several depths, the last table has their mean. The machine should have nothing else to do.
///
/// With --simulate each thread has a simulated processor of its own, however many the machine has. Time is then
/// counted in nodes, as if each took equally long, and threads did not slow each other down. The figures are the same
/// each time.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    game: SpeedupGame,
}

/// One line per game.
#[derive(Debug, clap::Subcommand)]
enum SpeedupGame {
    /// Gomoku with five in a row on boards up to 20x20
    Gomoku(SpeedupOf<GomokuSetup>),
    /// Reversi (Othello) on boards up to 8x8
    Reversi(SpeedupOf<ReversiSetup>),
}

#[derive(Debug, clap::Args)]
struct SpeedupOf<S: FlagHelp + 'static> {
    #[command(flatten)]
    setup: SettingFlags<S>,
    #[command(flatten)]
    options: SpeedupFlags,
}

#[derive(Debug, clap::Args)]
struct SpeedupFlags {
    /// Depths of the searches, in plies
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "4,5",
        value_parser = clap::value_parser!(u32).range(1..=DEEPEST))]
    depths: Vec<u32>,
    /// Numbers of threads; one is always measured, and first
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,2",
        value_parser = clap::value_parser!(u32).range(1..=MOST_THREADS))]
    threads: Vec<u32>,
    /// Schemes by which threads share a tree
    #[arg(long, value_name = "SCHEME,...", value_delimiter = ',', value_parser = schemes(),
        default_values = Scheme::NAMES.map(|name| name.value))]
    schemes: Vec<String>,
    /// Number of positions
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    positions: u32,
    /// Plies of the games that the positions are drawn from
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(0..=400))]
    plies: u32,
    /// Seed of the positions
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Memory of the transposition table of "abdada"
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = parse_bytes)]
    memory: u64,
    /// Simulate a processor for each thread, and count time in nodes
    #[arg(long)]
    simulate: bool,
    /// Print one JSON object per row instead of the table
    #[arg(long)]
    json: bool,
}

/// The schemes as values of a flag.
fn schemes() -> clap::builder::PossibleValuesParser {
    Scheme::NAMES.iter().map(|name| PossibleValue::new(name.value).help(name.label)).collect::<Vec<_>>().into()
}

/// Runs the command.
///
/// # Errors
/// A position that cannot be read, a row of Gomoku that the patterns are not about, memory that cannot be had, or
/// output that cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match args.game {
        SpeedupGame::Gomoku(of) => {
            let (start, title) = AskedPosition::of(of.setup)?.first()?;
            ThesisPlayer::check(start.rules())?;
            let patterns = PatternTable::usual();
            let seen = |depth| PatternPosition::new(&start, &patterns, AttackWeights::of(start.side(), depth));
            speedup(seen, PatternPosition::seen_from_here, &title, &of.options, out)
        }
        SpeedupGame::Reversi(of) => {
            let (start, title) = AskedPosition::of(of.setup)?.first()?;
            speedup(|_| start, |position, _| position, &title, &of.options, out)
        }
    }
}

/// Measures and prints. `start` makes the position to begin with for a depth, and `ready` gets a drawn one ready for
/// a search to a depth.
fn speedup<G: Game + Send + Sync>(
    start: impl Fn(u32) -> G,
    ready: impl Fn(G, u32) -> G,
    title: &str,
    options: &SpeedupFlags,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let SpeedupFlags { depths, positions, plies, seed, json, .. } = options;
    let table = Table::new(options.memory)?;
    let (monitor, thread_means) = match options.simulate {
        true => (simulation(), SIMULATED_MEANS),
        false => (Arc::new(Monitor::default()), THREAD_MEANS),
    };
    let time = if options.simulate { "time, nodes" } else { "seconds" };
    let mut threads: Vec<usize> = options.threads.iter().map(|&count| count as usize).filter(|&n| n > 1).collect();
    threads.sort_unstable();
    threads.dedup();
    threads.insert(0, 1);
    let mut means = SpeedupMeans::default();
    for &depth in depths {
        let drawn = draw_positions(&start(depth), *plies as usize, *positions as usize, *seed);
        if drawn.is_empty() {
            bail!("no game is still going on after {plies} plies (--plies)");
        }
        let drawn: Vec<G> = drawn.into_iter().map(|position| ready(position, depth)).collect();
        if !json {
            let count = drawn.len();
            writeln!(out, "{title}, {count} positions after {plies} plies (seed {seed}), depth {depth}")?;
            writeln!(
                out,
                "scheme   threads {time:>12}  times as fast            nodes  more nodes   splits  waited"
            )?;
        }
        for name in &options.schemes {
            let scheme = Scheme::named(name).with_context(|| format!("there is no scheme {name:?}"))?;
            let mut one = None;
            for &threads in &threads {
                let sharing = Sharing { scheme, threads, means: thread_means };
                let row = measure_speedup(&drawn, depth, sharing, &table, &monitor)?;
                let one = *one.get_or_insert(row);
                means.add(&row, &one);
                if *json {
                    writeln!(out, "{}", to_json(title, depth, drawn.len(), options, &row, &one))?;
                } else {
                    writeln!(out, "{}", to_line(&row, &one, options.simulate))?;
                }
                out.flush()?;
            }
        }
    }
    if !json && depths.len() > 1 {
        let names: Vec<String> = depths.iter().map(u32::to_string).collect();
        writeln!(out, "mean of the depths {}", names.join(", "))?;
        writeln!(out, "scheme   threads  times as fast")?;
        for (scheme, threads, fast) in means.rows() {
            writeln!(out, "{:<8} {threads:>7} {fast:>14.2}", scheme.name())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// For each scheme and number of threads how many times as fast that is as one thread, at each depth.
#[derive(Debug, Default)]
struct SpeedupMeans {
    /// In the order in which they came.
    of: Vec<((Scheme, usize), Vec<f64>)>,
}

impl SpeedupMeans {
    fn add(&mut self, row: &SpeedupRow, one: &SpeedupRow) {
        let (key, fast) = ((row.sharing.scheme, row.sharing.threads), compared(row, one).0);
        match self.of.iter_mut().find(|(other, _)| *other == key) {
            Some((_, all)) => all.push(fast),
            None => self.of.push((key, vec![fast])),
        }
    }

    /// Scheme, threads and the arithmetic mean of the depths.
    fn rows(&self) -> impl Iterator<Item = (Scheme, usize, f64)> {
        self.of
            .iter()
            .map(|&((scheme, threads), ref all)| (scheme, threads, all.iter().sum::<f64>() / all.len() as f64))
    }
}

/// How many times as fast a row is as one thread, how many more nodes it took, and which part of the time its threads
/// had nothing to do.
fn compared(row: &SpeedupRow, one: &SpeedupRow) -> (f64, f64, f64) {
    let part = |of: f64, whole: f64| if whole > 0.0 { of / whole } else { 0.0 };
    let nodes = part(row.counts.nodes as f64, one.counts.nodes as f64);
    (part(one.seconds, row.seconds), nodes - 1.0, part(row.counts.waited, row.seconds * row.sharing.threads as f64))
}

fn to_line(row: &SpeedupRow, one: &SpeedupRow, is_simulated: bool) -> String {
    let SpeedupRow { sharing: Sharing { scheme, threads, .. }, seconds, counts } = row;
    let (fast, more, waited) = compared(row, one);
    // Over a table nobody splits and nobody waits.
    let (splits, waited) = match scheme {
        Scheme::Abdada => ("-".to_owned(), "-".to_owned()),
        _ => (grouped(counts.splits), format!("{:.0} %", 100.0 * waited)),
    };
    let time = if is_simulated { grouped(*seconds as u64) } else { format!("{seconds:.3}") };
    format!(
        "{:<8} {threads:>7} {time:>12} {fast:>14.2} {:>16} {:>9.1} % {splits:>8} {waited:>7}",
        scheme.name(),
        grouped(counts.nodes),
        100.0 * more,
    )
}

fn to_json(
    title: &str,
    depth: u32,
    positions: usize,
    options: &SpeedupFlags,
    row: &SpeedupRow,
    one: &SpeedupRow,
) -> String {
    let SpeedupRow { sharing: Sharing { scheme, threads, .. }, seconds, counts } = row;
    let (fast, more, waited) = compared(row, one);
    let time = if options.simulate { "time_in_nodes" } else { "seconds" };
    serde_json::json!({
        "version": JSON_VERSION, "command": "speedup", "game": title,
        "positions": positions, "plies": options.plies, "seed": options.seed, "depth": depth,
        "scheme": scheme.name(), "threads": threads, time: seconds, "times_as_fast": fast,
        "nodes": counts.nodes, "more_nodes": more, "splits": counts.splits, "joined": counts.joined,
        "waited": waited,
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solvers::parallel::ParallelCounts;

    #[test]
    fn a_row_is_compared_with_one_thread() {
        let counts = |nodes: u64, waited: f64| ParallelCounts { nodes, waited, ..ParallelCounts::default() };
        let row = |threads: usize, seconds: f64, counts: ParallelCounts| SpeedupRow {
            sharing: Sharing { scheme: Scheme::PvSplit, threads, means: THREAD_MEANS },
            seconds,
            counts,
        };
        let (one, four) = (row(1, 6.0, counts(1000, 0.0)), row(4, 2.0, counts(1250, 1.6)));
        assert_eq!(compared(&one, &one), (1.0, 0.0, 0.0));
        assert_eq!(compared(&four, &one), (3.0, 0.25, 0.2));
        // At the next depth four threads are twice as fast.
        let mut means = SpeedupMeans::default();
        let deeper = (row(1, 10.0, counts(3000, 0.0)), row(4, 5.0, counts(3500, 0.0)));
        for (one, four) in [(one, four), deeper] {
            means.add(&one, &one);
            means.add(&four, &one);
        }
        let rows: Vec<_> = means.rows().collect();
        assert_eq!(rows, [(Scheme::PvSplit, 1, 1.0), (Scheme::PvSplit, 4, 2.5)]);
    }
}

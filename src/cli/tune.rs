//! `morpion tune`: weights that are learned from games.

use super::grid_input::{plain, save};
use super::machine;
use super::selfplay::GameLines;
use super::weights::weights;
use crate::core::quantity::grouped;
use crate::games::reversi::position::ReversiPosition;
use crate::games::reversi::weights::{PatternWeights, WIDTH};
use crate::solvers::gomoku::learning::choices::fit_order;
use crate::solvers::gomoku::learning::fit::{FitSettings, UNITS, best_units, fit, loss};
use crate::solvers::gomoku::learning::network::{NetworkCollector, NetworkSettings, fit_network, with_network};
use crate::solvers::gomoku::learning::sample::GomokuCollector;
use crate::solvers::learning::{FEWEST, FitLoss, GameCollector, GamesFile, LearnedFrom};
use crate::solvers::reversi::cuts::DEEPEST;
use crate::solvers::reversi::learning::fit::{
    PartSum, PatternFitSettings, ReversiCollector, ReversiSample, errors, fit as fit_patterns,
};
use crate::solvers::reversi::learning::foresight::{
    DepthSearcher, DepthValues, FEWEST_OF_STAGE, ForesightCollector, fit_cuts, stage_with_few,
};
use crate::solvers::reversi::learning::labels::{Labeller, PARTS, TOGETHER, part_size};
use anyhow::{Context, anyhow, bail, ensure};
use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Learn the weights of a player from games that it has played against itself (see morpion selfplay).
///
/// The weights are fitted to the ends of the games, in Gomoku those of the order of moves to what was played. One
/// game of ten is not learned from: the loss of these games says how good the weights are. For Gomoku it is the mean
/// cross entropy of who wins, 0.693 if nothing is known, and that of which move is played; for Reversi the root of
/// the mean square error in discs.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    game: TuneGame,
}

/// One line per game.
#[derive(Debug, clap::Subcommand)]
enum TuneGame {
    /// Gomoku: rows of three to five on boards up to 20x20
    Gomoku(TuneOfGomoku),
    /// A network for Gomoku that corrects the estimate of weights
    ///
    /// The weights stay as they are; what is written has them and the network.
    GomokuNetwork(TuneOfNetwork),
    /// Reversi on 8x8
    Reversi(TuneOfReversi),
    /// How well shallow searches of Reversi tell the values of deep ones
    ///
    /// One position of each game is searched to all depths up to eleven plies, with the usual weights. What is
    /// written is the file of the program's sources that the player leaves out deep searches by.
    ReversiCuts(TuneOfReversiCuts),
}

/// What is learned from, and where the weights go.
#[derive(Debug, clap::Args)]
struct TuneOf {
    /// Files of games, all of one board and rule
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// File of weights to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Overwrite a file that exists
    #[arg(long)]
    force: bool,
}

impl TuneOf {
    fn check(&self) -> anyhow::Result<()> {
        if self.output.exists() && !self.force {
            bail!("{}: the file exists; --force overwrites it", self.output.display());
        }
        Ok(())
    }
}

#[derive(Debug, clap::Args)]
struct TuneOfGomoku {
    #[command(flatten)]
    of: TuneOf,
    /// File of weights to compare with; or by-hand
    #[arg(long, value_name = "FILE")]
    weights: Option<String>,
    /// Steps of the fit, each over all positions
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    steps: u32,
    /// How much of the target is the value of the search, 0 to 1; the rest is the end of the game
    #[arg(long, value_name = "PART", default_value_t = 0.0, value_parser = part)]
    search_part: f64,
    /// How much weights that few games speak for are drawn to 0
    #[arg(long, value_name = "FACTOR", default_value_t = 16.0, value_parser = factor)]
    penalty: f64,
}

#[derive(Debug, clap::Args)]
struct TuneOfNetwork {
    #[command(flatten)]
    of: TuneOf,
    /// File of weights that the network corrects, whose own network is left out; they are of version 2 or 3
    #[arg(long, value_name = "FILE")]
    weights: Option<String>,
    /// How often each position is taken
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1000))]
    passes: u32,
    /// How much of the target is the value of the search, 0 to 1; the rest is the end of the game
    #[arg(long, value_name = "PART", default_value_t = 0.5, value_parser = part)]
    search_part: f64,
}

#[derive(Debug, clap::Args)]
struct TuneOfReversi {
    #[command(flatten)]
    of: TuneOf,
    /// Steps of the fit for each stage of the game, each over its positions
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    steps: u32,
    /// How much weights that few positions speak for are drawn to 0: so many positions weigh as much
    #[arg(long, value_name = "N", default_value_t = 50.0, value_parser = factor)]
    penalty: f64,
    /// Learn what searches of so many plies say of the positions, with the usual weights, instead of how the games
    /// end; the last twelve moves, which are played perfectly, count as they end
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(2..=20))]
    search: Option<u32>,
    /// Number of threads that search and fit
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    threads: u64,
}

#[derive(Debug, clap::Args)]
struct TuneOfReversiCuts {
    #[command(flatten)]
    of: TuneOf,
    /// Number of threads that search
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    threads: u64,
}

fn part(text: &str) -> Result<f64, String> {
    let part = text.parse().ok().filter(|part| (0.0..=1.0).contains(part));
    part.ok_or("expected a number from 0 to 1".to_owned())
}

fn factor(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|factor| (0.0..=1e6).contains(factor));
    factor.ok_or("expected a number from 0 to 1000000".to_owned())
}

/// Learns the weights.
///
/// # Errors
/// Games that cannot be read, too few of them, an output that exists already.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match args.game {
        TuneGame::Gomoku(asked) => tune_gomoku(&asked, out),
        TuneGame::GomokuNetwork(asked) => tune_network(&asked, out),
        TuneGame::Reversi(asked) => tune_reversi(&asked, out),
        TuneGame::ReversiCuts(asked) => tune_cuts(&asked, out),
    }
}

fn tune_gomoku(asked: &TuneOfGomoku, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let TuneOfGomoku { of, .. } = asked;
    of.check()?;
    let before = weights(asked.weights.as_deref())?;
    let mut collected = GomokuCollector::default();
    let files = read_files(&of.files, &mut collected)?;
    let positions = told(out, collected.games, collected.samples.len())?;
    let GomokuCollector { samples, choices, .. } = &collected;
    let codes = collected.codes().context("there is no file of games")?;
    let units = best_units(samples, &before, codes);
    writeln!(out, "{}", show("before", loss(samples, &before, codes, units)))?;
    out.flush()?;
    let settings = FitSettings { steps: asked.steps, search_part: asked.search_part, penalty: asked.penalty };
    let mut shown = Ok(());
    let mut tell = |line: String| {
        shown =
            std::mem::replace(&mut shown, Ok(())).and_then(|()| writeln!(out, "{line}")).and_then(|()| out.flush());
    };
    let mut after = fit(samples, before.order, codes, settings, &mut |step, loss| {
        tell(show(&format!("step {step}"), loss));
    });
    after.order = fit_order(choices, codes, settings, &mut |step, loss| {
        tell(show(&format!("order {step}"), loss));
    });
    shown?;
    let loss = loss(samples, &after, codes, UNITS);
    writeln!(out, "{}", show("after", loss))?;
    let (date, fit) = (machine::date(), settings.to_string());
    let about = LearnedFrom { date: &date, files: &files, positions, fit: &fit, measure: ("loss", 4), loss };
    save(&of.output, after.to_text(&about.text()).as_bytes(), of.force)?;
    Ok(ExitCode::SUCCESS)
}

fn tune_network(asked: &TuneOfNetwork, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let TuneOfNetwork { of, .. } = asked;
    of.check()?;
    let mut collected = NetworkCollector::new(weights(asked.weights.as_deref())?)?;
    let files = read_files(&of.files, &mut collected)?;
    let positions = told(out, collected.games, collected.positions())?;
    writeln!(out, "{}", show("before", collected.loss(None)))?;
    out.flush()?;
    let settings = NetworkSettings { passes: asked.passes, search_part: asked.search_part };
    let mut shown = Ok(());
    let network = fit_network(&collected, settings, &mut |pass, loss| {
        let line = show(&format!("pass {pass}"), loss);
        shown =
            std::mem::replace(&mut shown, Ok(())).and_then(|()| writeln!(out, "{line}")).and_then(|()| out.flush());
    });
    shown?;
    let loss = collected.loss(Some(&network));
    writeln!(out, "{}", show("after", loss))?;
    let with = with_network(collected.weights().clone(), network);
    let (date, fit) = (machine::date(), settings.told_with(collected.weights()));
    let about = LearnedFrom { date: &date, files: &files, positions, fit: &fit, measure: ("loss", 4), loss };
    save(&of.output, with.to_text(&about.text()).as_bytes(), of.force)?;
    Ok(ExitCode::SUCCESS)
}

/// A line that tells a loss.
fn show(what: &str, FitLoss { training, validation }: FitLoss) -> String {
    format!("{what:<10} loss {training:.4}, of games that are not learned from {validation:.4}")
}

/// Says how many games and positions there are, if there are enough.
fn told(out: &mut dyn Write, games: u32, positions: usize) -> anyhow::Result<u64> {
    let positions = positions as u64;
    writeln!(out, "{} games, {} positions", grouped(u64::from(games)), grouped(positions))?;
    out.flush()?;
    ensure!(positions >= FEWEST, "{positions} positions are too few: at least {FEWEST} are needed");
    Ok(positions)
}

fn tune_reversi(asked: &TuneOfReversi, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let TuneOfReversi { of, steps, penalty, search, threads } = asked;
    of.check()?;
    let mut collected = ReversiCollector::default();
    let files = read_files(&of.files, &mut collected)?;
    let positions = told(out, collected.games, collected.samples.len())?;
    let settings = PatternFitSettings { steps: *steps, penalty: *penalty, parts: *threads as usize };
    let pool = ThreadPoolBuilder::new().num_threads(settings.parts).build()?;
    if let Some(depth) = *search {
        label(&mut collected.samples, depth, &pool, out)?;
    }
    let samples = &collected.samples;
    let sum_parts = |parts: usize, sum: &PartSum<'_>| pool.install(|| (0..parts).into_par_iter().map(sum).collect());
    let mut shown = Ok(());
    let mut fitted = fit_patterns(samples, settings, &sum_parts, &mut |stage, loss, positions| {
        let (first, empty) = (stage as u32 * WIDTH, (stage as u32 + 1) * WIDTH - 1);
        let FitLoss { training, validation } = loss;
        let line = format!(
            "{first:>2} to {empty:>2} empty cells: {:>9} positions, error {training:.3}, of games that are not learned from {validation:.3}",
            grouped(positions)
        );
        shown =
            std::mem::replace(&mut shown, Ok(())).and_then(|()| writeln!(out, "{line}")).and_then(|()| out.flush());
    });
    shown?;
    let loss = errors(samples, &fitted, None).loss();
    let FitLoss { training, validation } = loss;
    writeln!(out, "all: error {training:.3}, of games that are not learned from {validation:.3}")?;
    let searched = search.map_or(String::new(), |depth| format!(" search={depth}"));
    let (date, fit) = (machine::date(), format!("{settings}{searched}"));
    let about = LearnedFrom { date: &date, files: &files, positions, fit: &fit, measure: ("error", 3), loss };
    fitted.about = about.text();
    save(&of.output, &fitted.to_bytes(), of.force)?;
    Ok(ExitCode::SUCCESS)
}

/// Sets what the positions are worth by searches of so many plies.
fn label(samples: &mut [ReversiSample], depth: u32, pool: &ThreadPool, out: &mut dyn Write) -> anyhow::Result<()> {
    let (all, mut done) = (samples.len(), 0);
    for some in samples.chunks_mut(part_size(all)) {
        let searched = |together: &mut [ReversiSample]| -> anyhow::Result<()> {
            Labeller::new(PatternWeights::usual(), depth)?.label(together, &|| false);
            Ok(())
        };
        pool.install(|| some.par_chunks_mut(TOGETHER).try_for_each(searched))?;
        done += some.len();
        writeln!(out, "{} of {} positions searched", grouped(done as u64), grouped(all as u64))?;
        out.flush()?;
    }
    Ok(())
}

fn tune_cuts(asked: &TuneOfReversiCuts, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let TuneOfReversiCuts { of, threads } = asked;
    of.check()?;
    let mut collected = ForesightCollector::default();
    let files = read_files(&of.files, &mut collected)?;
    let count = grouped(collected.positions.len() as u64);
    writeln!(out, "{} games, {count} positions", grouped(u64::from(collected.games)))?;
    out.flush()?;
    let few = |stage: usize| {
        let positions = format!("fewer than {FEWEST_OF_STAGE} undecided positions");
        anyhow!("stage {stage} of the game has {positions}: more games are needed")
    };
    if let Some(stage) = stage_with_few(collected.positions.iter().map(|position| position.empty().count_ones())) {
        return Err(few(stage));
    }
    let pool = ThreadPoolBuilder::new().num_threads(*threads as usize).build()?;
    let searched = |position: &ReversiPosition| -> anyhow::Result<DepthValues> {
        Ok(DepthSearcher::new(PatternWeights::usual())?.values(position))
    };
    let mut values = Vec::new();
    for some in collected.positions.chunks(collected.positions.len() / PARTS + 1) {
        let of_some: anyhow::Result<Vec<DepthValues>> = pool.install(|| some.par_iter().map(searched).collect());
        values.extend(of_some?);
        writeln!(out, "{} of {count} positions searched", grouped(values.len() as u64))?;
        out.flush()?;
    }
    let heads: Vec<String> = files.iter().map(|(count, head)| format!("{count} games: {head}")).collect();
    let about = format!("learned on {} from {count} positions of {}", machine::date(), heads.join(", "));
    let cuts = fit_cuts(&values, about).map_err(few)?;
    for (stage, cut) in (1..).zip(cuts.stages.iter().map(|stage| stage.last())) {
        let Some(cut) = cut else { continue };
        writeln!(out, "stage {stage}: {DEEPEST} plies differ by {} from what tells them", cut.deviation)?;
    }
    save(&of.output, cuts.to_text().as_bytes(), of.force)?;
    Ok(ExitCode::SUCCESS)
}

/// Takes the positions of all games of the files. Returns the number of games of each, and its first line.
fn read_files<C: GameCollector>(files: &[PathBuf], collector: &mut C) -> anyhow::Result<Vec<(u64, String)>> {
    files.iter().map(|path| read_file(path, collector)).collect()
}

fn read_file<C: GameCollector>(path: &Path, collector: &mut C) -> anyhow::Result<(u64, String)> {
    let name = plain(&path.display().to_string());
    let file = File::open(path).with_context(|| format!("{name}: cannot be read"))?;
    let mut lines = GameLines { input: BufReader::new(file), name: &name, number: 0, whole: 0 };
    let first = lines.next()?.with_context(|| format!("{name}: is not a file of games"))?;
    let head = C::File::read(&first).map_err(|error| anyhow!("{name}, {error}"))?;
    collector.begin(&head).map_err(|why| anyhow!("{name}: {why}"))?;
    let mut number = 0;
    while let Some(line) = lines.next()? {
        let game = head.read_game(&line, number);
        collector.add(&game.map_err(|error| anyhow!("{name}, line {}: {error}", lines.number))?);
        number += 1;
    }
    Ok((number, head.to_line()))
}

//! `morpion tune`: weights that are learned from games.

use super::grid_input::{plain, save};
use super::machine;
use super::selfplay::GameLines;
use super::weights::weights;
use crate::core::quantity::grouped;
use crate::games::reversi::weights::WIDTH;
use crate::solvers::gomoku::learning::fit::{FitSettings, UNITS, best_units, fit, loss};
use crate::solvers::gomoku::learning::games::GamesHead;
use crate::solvers::gomoku::learning::sample::{Features, Sample, samples_of};
use crate::solvers::gomoku::lines::board::LineTables;
use crate::solvers::learning::{FitLoss, GamesFile};
use crate::solvers::reversi::learning::fit::{
    PartSum, PatternFitSettings, fit as fit_patterns, loss as reversi_loss, samples_of as reversi_samples_of,
};
use crate::solvers::reversi::learning::games::ReversiGamesHead;
use anyhow::{Context, anyhow, bail, ensure};
use rayon::ThreadPoolBuilder;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::cell::OnceCell;
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Least number of positions that something can be learned from.
const FEWEST: usize = 1000;

/// Learn the weights of a player from games that it has played against itself (see morpion selfplay).
///
/// The weights are fitted to the ends of the games. One game of ten is not learned from: the loss of these games says
/// how good the weights are. For Gomoku it is the mean cross entropy of who wins, 0.693 if nothing is known; for
/// Reversi the root of the mean square error in discs.
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
    /// Reversi on 8x8
    Reversi(TuneOfReversi),
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
    /// File of weights to compare with, whose order of moves is kept; or by-hand
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
struct TuneOfReversi {
    #[command(flatten)]
    of: TuneOf,
    /// Steps of the fit for each stage of the game, each over its positions
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    steps: u32,
    /// How much weights that few positions speak for are drawn to 0: so many positions weigh as much
    #[arg(long, value_name = "N", default_value_t = 50.0, value_parser = factor)]
    penalty: f64,
    /// Number of threads that fit
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
        TuneGame::Reversi(asked) => tune_reversi(&asked, out),
    }
}

fn tune_gomoku(asked: &TuneOfGomoku, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let TuneOfGomoku { of, .. } = asked;
    of.check()?;
    let before = weights(asked.weights.as_deref())?;
    let LearnedFrom { games, samples, tables, heads } = read_games(&of.files)?;
    let positions = told(out, games, samples.len())?;
    let codes = tables.codes();
    let units = best_units(&samples, &before, codes);
    let show = |what: &str, FitLoss { training, validation }: FitLoss| {
        format!("{what:<10} loss {training:.4}, of games that are not learned from {validation:.4}")
    };
    writeln!(out, "{}", show("before", loss(&samples, &before, codes, units)))?;
    out.flush()?;
    let settings = FitSettings { steps: asked.steps, search_part: asked.search_part, penalty: asked.penalty };
    let mut shown = Ok(());
    let after = fit(&samples, &before, codes, settings, &mut |step, loss| {
        let line = show(&format!("step {step}"), loss);
        shown =
            std::mem::replace(&mut shown, Ok(())).and_then(|()| writeln!(out, "{line}")).and_then(|()| out.flush());
    });
    shown?;
    let whole = loss(&samples, &after, codes, UNITS);
    writeln!(out, "{}", show("after", whole))?;
    let about = format!(
        "learned on {} from {games} games, {positions} positions\n{}\nfit: steps={} search-part={} penalty={}\nloss {:.4}, of games that were not learned from {:.4}",
        machine::date(),
        heads.join("\n"),
        asked.steps,
        asked.search_part,
        asked.penalty,
        whole.training,
        whole.validation,
    );
    save(&of.output, after.to_text(&about).as_bytes(), of.force)?;
    Ok(ExitCode::SUCCESS)
}

/// Says how many games and positions there are, if there are enough.
fn told(out: &mut dyn Write, games: u32, positions: usize) -> anyhow::Result<usize> {
    writeln!(out, "{} games, {} positions", grouped(u64::from(games)), grouped(positions as u64))?;
    out.flush()?;
    ensure!(positions >= FEWEST, "{positions} positions are too few: at least {FEWEST} are needed");
    Ok(positions)
}

fn tune_reversi(asked: &TuneOfReversi, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let TuneOfReversi { of, steps, penalty, threads } = asked;
    of.check()?;
    let (mut games, mut samples, mut heads) = (0u32, Vec::new(), Vec::new());
    for path in &of.files {
        let (head, count) = read_file(
            path,
            |_: &ReversiGamesHead| Ok(()),
            |_, game| {
                reversi_samples_of(&game, games, |sample| samples.push(sample));
                games += 1;
            },
        )?;
        heads.push(format!("{count} games: {}", head.to_line()));
    }
    let positions = told(out, games, samples.len())?;
    let settings = PatternFitSettings { steps: *steps, penalty: *penalty, parts: *threads as usize };
    let pool = ThreadPoolBuilder::new().num_threads(settings.parts).build()?;
    let sum_parts = |parts: usize, sum: &PartSum<'_>| pool.install(|| (0..parts).into_par_iter().map(sum).collect());
    let mut shown = Ok(());
    let mut fitted = fit_patterns(&samples, settings, &sum_parts, &mut |stage, loss, positions| {
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
    let (FitLoss { training, validation }, _) = reversi_loss(&samples, &fitted, None);
    writeln!(out, "all: error {training:.3}, of games that are not learned from {validation:.3}")?;
    let about = format!(
        "learned on {} from {games} games, {positions} positions\n{}\nfit: steps={steps} penalty={penalty}\nerror {training:.3}, of games that were not learned from {validation:.3}",
        machine::date(),
        heads.join("\n"),
    );
    fitted.about = about;
    save(&of.output, &fitted.to_bytes(), of.force)?;
    Ok(ExitCode::SUCCESS)
}

/// Reads a file of games: calls `each` with every game, after `check` was content with how they are made. Returns
/// that and their number.
fn read_file<F: GamesFile>(
    path: &Path,
    check: impl FnOnce(&F) -> anyhow::Result<()>,
    mut each: impl FnMut(&F, F::Game),
) -> anyhow::Result<(F, u64)> {
    let name = plain(&path.display().to_string());
    let file = File::open(path).with_context(|| format!("{name}: cannot be read"))?;
    let mut lines = GameLines { input: BufReader::new(file), name: &name, number: 0, whole: 0 };
    let first = lines.next()?.with_context(|| format!("{name}: is not a file of games"))?;
    let head = F::read(&first).map_err(|error| anyhow!("{name}, {error}"))?;
    check(&head).with_context(|| name.clone())?;
    let mut number = 0;
    while let Some(line) = lines.next()? {
        let game = head.read_game(&line, number);
        each(&head, game.map_err(|error| anyhow!("{name}, line {}: {error}", lines.number))?);
        number += 1;
    }
    Ok((head, number))
}

/// What is learned from.
struct LearnedFrom {
    games: u32,
    samples: Vec<Sample>,
    tables: LineTables,
    heads: Vec<String>,
}

/// All games of the files.
fn read_games(files: &[PathBuf]) -> anyhow::Result<LearnedFrom> {
    let (mut games, mut samples, mut heads) = (0u32, Vec::new(), Vec::new());
    let kept: OnceCell<(GamesHead, LineTables, Features)> = OnceCell::new();
    for path in files {
        let check = |head: &GamesHead| {
            if kept.get().is_none() {
                let tables = LineTables::new(head.rules)?;
                let features = Features::new(tables.codes());
                let _ = kept.set((*head, tables, features));
            }
            let is_alike = kept.get().is_some_and(|kept| (kept.0.board, kept.0.rules) == (head.board, head.rules));
            ensure!(is_alike, "its games have another board or another rule than those of the first file");
            Ok(())
        };
        let (head, number) = read_file(path, check, |head, game| {
            if let Some((_, tables, features)) = kept.get() {
                samples_of(&game, games, head.board, (tables, features), |sample| samples.push(sample));
            }
            games += 1;
        })?;
        heads.push(format!("{number} games: {}", head.to_line()));
    }
    let (_, tables, _) = kept.into_inner().context("there is no file of games")?;
    Ok(LearnedFrom { games, samples, tables, heads })
}

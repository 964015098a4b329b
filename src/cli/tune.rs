//! `morpion tune`: weights that are learned from games.

use super::grid_input::{plain, save};
use super::machine;
use super::selfplay::GameLines;
use super::weights::weights;
use crate::core::quantity::grouped;
use crate::solvers::gomoku::learning::fit::{FitLoss, FitSettings, UNITS, best_units, fit, loss};
use crate::solvers::gomoku::learning::games::{GamesHead, LearningGame};
use crate::solvers::gomoku::learning::sample::{Features, Sample, samples_of};
use crate::solvers::gomoku::lines::board::LineTables;
use anyhow::{Context, anyhow, bail, ensure};
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Least number of positions that something can be learned from.
const FEWEST: usize = 1000;

/// Learn the weights of a player from games that it has played against itself (see morpion selfplay).
///
/// The weights are fitted to the ends of the games by logistic regression. One game of ten is not learned from: the
/// loss of these games says how good the weights are. It is the mean cross entropy, 0.693 if nothing is known.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    game: TuneGame,
}

/// One line per game.
#[derive(Debug, clap::Subcommand)]
enum TuneGame {
    /// Gomoku: rows of three to five on boards up to 20x20
    Gomoku(TuneOf),
}

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
    let TuneGame::Gomoku(of) = args.game;
    if of.output.exists() && !of.force {
        bail!("{}: the file exists; --force overwrites it", of.output.display());
    }
    let before = weights(of.weights.as_deref())?;
    let LearnedFrom { games, samples, tables, heads } = read_games(&of.files)?;
    let positions = samples.len();
    writeln!(out, "{} games, {} positions", grouped(u64::from(games)), grouped(positions as u64))?;
    ensure!(positions >= FEWEST, "{positions} positions are too few: at least {FEWEST} are needed");
    let codes = tables.codes();
    let units = best_units(&samples, &before, codes);
    let show = |what: &str, FitLoss { training, validation }: FitLoss| {
        format!("{what:<10} loss {training:.4}, of games that are not learned from {validation:.4}")
    };
    writeln!(out, "{}", show("before", loss(&samples, &before, codes, units)))?;
    out.flush()?;
    let settings = FitSettings { steps: of.steps, search_part: of.search_part, penalty: of.penalty };
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
        of.steps,
        of.search_part,
        of.penalty,
        whole.training,
        whole.validation,
    );
    save(&of.output, after.to_text(&about).as_bytes(), of.force)?;
    Ok(ExitCode::SUCCESS)
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
    let mut kept: Option<(GamesHead, LineTables, Features)> = None;
    for path in files {
        let name = plain(&path.display().to_string());
        let file = File::open(path).with_context(|| format!("{name}: cannot be read"))?;
        let mut lines = GameLines { input: BufReader::new(file), name: &name, number: 0, whole: 0 };
        let first = lines.next()?.with_context(|| format!("{name}: is not a file of games"))?;
        let head = GamesHead::read(&first).map_err(|error| anyhow!("{name}, {error}"))?;
        let (kept_head, tables, features) = match &kept {
            Some(kept) => kept,
            None => {
                let tables = LineTables::new(head.rules)?;
                let features = Features::new(tables.codes());
                kept.insert((head, tables, features))
            }
        };
        ensure!(
            (kept_head.board, kept_head.rules) == (head.board, head.rules),
            "{name}: its games have another board or another rule than those of the first file"
        );
        let mut number = 0;
        while let Some(line) = lines.next()? {
            let game = LearningGame::read(&line, (head.board, head.rules), number)
                .map_err(|error| anyhow!("{name}, line {}: {error}", lines.number))?;
            samples_of(&game, games, head.board, (tables, features), |sample| samples.push(sample));
            (games, number) = (games + 1, number + 1);
        }
        heads.push(format!("{number} games: {}", head.to_line()));
    }
    let (_, tables, _) = kept.context("there is no file of games")?;
    Ok(LearnedFrom { games, samples, tables, heads })
}

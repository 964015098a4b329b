//! `morpion analyse`: what the moves of a position are worth to a player, deeper and deeper.

use super::flags::{FlagHelp, SettingFlags};
use super::player_flags::{MoveLimits, PlayerDefaults, PlayerFlags, threads, worth};
use super::positions::{AskedPosition, PlayedGo};
use super::signals;
use super::solve::display::side_name;
use super::weights::{reversi_player, weights};
use crate::core::game::{Chosen, Player, Value};
use crate::core::quantity::grouped;
use crate::daemon::view::AnalysedMoveView;
use crate::games::go::large::position::LargePosition;
use crate::games::go::position::GoPosition;
use crate::jobs::setup::go::GoSetup;
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::jobs::setup::reversi::ReversiSetup;
use crate::runner::Interrupt;
use crate::runner::parallel::together;
use crate::solvers::go::player::{UctPlayer, UctPosition};
use crate::solvers::gomoku::player::GomokuPlayer;
use crate::solvers::solvable::Playable;
use anyhow::Context;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

/// Version of the `--json` output.
const JSON_VERSION: u32 = 1;
/// Most moves of a line that is shown.
const LONGEST_SHOWN: usize = 12;

/// Tell what each move of a position is worth, as the machine's player sees it.
///
/// Prints the best move each time a depth is done, and at the end all moves, the best first, each with its value for
/// the side to move, the depth and the line that is expected. "wins" and "loses" are what the search has found;
/// values of other moves are estimates: in Reversi and Go points, in Gomoku numbers that only compare. In Go moves
/// are in the order of their playouts. To prove a value use morpion solve. Ctrl-C ends the analysis with what is
/// known.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    game: AnalysedGame,
}

/// One line per game.
#[derive(Debug, clap::Subcommand)]
enum AnalysedGame {
    /// Go on boards from 1x1 to 19x19
    Go(AnalysisOfGo),
    /// Gomoku: rows of three to five on boards up to 20x20
    Gomoku(AnalysisOfGomoku),
    /// Reversi (Othello) on boards from 4x4 to 8x8
    Reversi(AnalysisOfReversi),
}

#[derive(Debug, clap::Args)]
struct AnalysisOf<S: FlagHelp + 'static> {
    #[command(flatten)]
    setup: SettingFlags<S>,
    #[command(flatten)]
    options: AnalysisOptions,
}

#[derive(Debug, clap::Args)]
struct AnalysisOfGo {
    #[command(flatten)]
    of: AnalysisOf<PlayedGo>,
    /// What white gets beside its area
    #[arg(long, value_name = "POINTS", default_value = "0", allow_negative_numbers = true, value_parser = super::gtp::komi)]
    komi: Value,
    /// Decides the playouts
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

#[derive(Debug, clap::Args)]
struct AnalysisOfGomoku {
    #[command(flatten)]
    of: AnalysisOf<GomokuSetup>,
    /// File of weights to judge with (see morpion tune); the program has weights of its own
    #[arg(long, value_name = "FILE")]
    weights: Option<String>,
    /// Threads that search together, at level 10; with more than one, the same position need not give the same values
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads)]
    threads: usize,
}

#[derive(Debug, clap::Args)]
struct AnalysisOfReversi {
    #[command(flatten)]
    of: AnalysisOf<ReversiSetup>,
    /// File of weights to judge with on 8x8 (see morpion tune), or by-hand; the program has weights of its own
    #[arg(long, value_name = "FILE")]
    weights: Option<String>,
}

/// What is asked in every game.
#[derive(Debug, clap::Args)]
struct AnalysisOptions {
    /// Number of moves to tell of [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    best: Option<u16>,
    /// Most plies to search; means nothing in Go
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    #[command(flatten)]
    player: PlayerFlags<AnalysisDefaults>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Debug)]
struct AnalysisDefaults;

impl PlayerDefaults for AnalysisDefaults {
    const TIME: &'static str = "10s";
    const MEMORY: &'static str = "256M";
}

/// Analyses the position.
///
/// # Errors
/// A position that cannot be read, no memory, or output that cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match args.game {
        AnalysedGame::Go(AnalysisOfGo { of: AnalysisOf { setup, options }, komi, seed }) => {
            let asked = PlayedGo::asked(setup.given)?;
            if asked.is_large() {
                analyse_go::<LargePosition>(&asked, &options, (komi, seed), out)?;
            } else {
                analyse_go::<GoPosition>(&asked, &options, (komi, seed), out)?;
            }
        }
        AnalysedGame::Gomoku(AnalysisOfGomoku { of, weights: file, threads }) => {
            let (position, title) = AskedPosition::of(of.setup)?.first()?;
            let mut player = GomokuPlayer::new(of.options.player.memory)?;
            player.set_weights(weights(file.as_deref())?);
            player.set_threads(threads, together);
            player.prepare(&position)?;
            analyse(&title, &position, &mut player, &of.options, out)?;
        }
        AnalysedGame::Reversi(AnalysisOfReversi { of, weights }) => {
            let (position, title) = AskedPosition::of(of.setup)?.first()?;
            let mut player = reversi_player(of.options.player.memory, weights.as_deref())?;
            analyse(&title, &position, &mut player, &of.options, out)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn analyse_go<P: UctPosition + Playable>(
    asked: &AskedPosition<GoSetup>,
    options: &AnalysisOptions,
    (komi, seed): (Value, u64),
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let (mut position, moves, title) = asked.game::<P>()?;
    moves.into_iter().for_each(|m| {
        position.play(m);
    });
    let mut player = UctPlayer::new(options.player.memory, seed)?;
    player.set_komi(komi);
    analyse(&title, &position, &mut player, options, out)
}

fn analyse<G: Playable>(
    title: &str,
    position: &G,
    player: &mut dyn Player<G>,
    options: &AnalysisOptions,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    player.set_level(options.player.level);
    let interrupt = Interrupt::default();
    signals::watch(interrupt.clone()).context("cannot watch for Ctrl-C")?;
    let limits = MoveLimits { depth: options.depth.unwrap_or(u32::MAX), ..options.player.limits() };
    let most = options.best.map_or(usize::MAX, usize::from);
    let began = Instant::now();
    let mut written = Ok(());
    if !options.json {
        writeln!(out, "{title}\n{position}")?;
    }
    let found = limits.spend(&mut || interrupt.asked(), |budget| {
        player.analyse(position, most, budget, &mut |found| {
            if let Some(best) = found.first().filter(|_| !options.json && written.is_ok()) {
                written = writeln!(out, "{:<10}{}", format!("depth {}", best.depth), told(position, best))
                    .and_then(|()| out.flush());
            }
        })
    });
    written?;
    let seconds = began.elapsed().as_secs_f64();
    if options.json {
        writeln!(out, "{}", to_json(title, position, &found, seconds))?;
        return Ok(());
    }
    if found.is_empty() {
        writeln!(out, "the game is over: there is no move")?;
        return Ok(());
    }
    writeln!(out)?;
    let rows: Vec<[String; 4]> = found
        .iter()
        .map(|chosen| {
            let name = chosen.line.first().map_or(String::new(), |&m| position.name(m));
            [name, worth::<G>(chosen), chosen.depth.to_string(), names(position, chosen).join(" ")]
        })
        .collect();
    let head = ["move", "value", "depth", "line"].map(str::to_owned);
    let width = |i: usize| rows.iter().chain([&head]).map(|row| row[i].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    for [m, value, depth, line] in [&head].into_iter().chain(&rows) {
        writeln!(out, "{m:<0$}  {value:<1$}  {depth:>2$}  {line}", widths[0], widths[1], widths[2])?;
    }
    writeln!(out, "\n{} moves, {seconds:.1} s", grouped(found.len() as u64))?;
    Ok(())
}

/// The names of the moves that are expected.
fn names<G: Playable>(position: &G, chosen: &Chosen<G::Move>) -> Vec<String> {
    chosen.line.iter().take(LONGEST_SHOWN).map(|&m| position.name(m)).collect()
}

/// A move with its value and its line.
fn told<G: Playable>(position: &G, chosen: &Chosen<G::Move>) -> String {
    format!("{}, line {}", worth::<G>(chosen), names(position, chosen).join(" "))
}

fn to_json<G: Playable>(title: &str, position: &G, found: &[Chosen<G::Move>], seconds: f64) -> serde_json::Value {
    let of_move = |chosen: &Chosen<G::Move>| AnalysedMoveView::of(position, chosen);
    serde_json::json!({
        "version": JSON_VERSION, "command": "analyse", "game": title, "position": position.text(),
        "side": side_name(position.side()), "moves": found.iter().map(of_move).collect::<Vec<_>>(),
        "seconds": seconds,
    })
}

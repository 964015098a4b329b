//! `morpion play`: a game against the machine in the terminal.

mod table;

use self::table::{PlayTable, Seats};
use super::flags::SettingFlags;
use super::pbrain::level;
use super::positions::AskedPosition;
use super::weights::weights;
use crate::core::game::{Level, Player};
use crate::core::quantity::{parse_bytes, parse_duration};
use crate::games::gomoku::notation::to_line;
use crate::games::gomoku::position::GomokuPosition;
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::solvers::gomoku::player::GomokuPlayer;
use std::io::{self, Write};
use std::process::ExitCode;

/// Play a two-player game against the machine.
///
/// Moves are typed by their names, such as h8. The word help lists what else can be typed: undo, hint, level, save
/// and more. The end of the input ends the game.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    game: PlayGame,
}

/// One line per game.
#[derive(Debug, clap::Subcommand)]
enum PlayGame {
    /// Gomoku: rows of three to five on boards up to 20x20
    Gomoku(PlayOf),
}

#[derive(Debug, clap::Args)]
struct PlayOf {
    #[command(flatten)]
    setup: SettingFlags<GomokuSetup>,
    /// Which side you play; the machine plays the other
    #[arg(long, value_name = "SIDE", default_value = "black")]
    you: Seats,
    /// How strong the machine plays: 1 to 10
    #[arg(long, value_name = "N", default_value = "10", value_parser = level)]
    level: Level,
    /// Most time of the machine for a move
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = parse_duration)]
    time: f64,
    /// File of weights to play with (see morpion tune); the program has weights of its own
    #[arg(long, value_name = "FILE")]
    weights: Option<String>,
    /// Memory for the table of positions
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = parse_bytes)]
    memory: u64,
}

/// A position as text that `--position` takes: the moves, if the game began with the empty board.
fn text(position: &GomokuPosition, names: &[String]) -> String {
    let is_whole = position.stones().count() == names.len();
    if is_whole { names.concat() } else { to_line(position) }
}

/// Plays until the input ends.
///
/// # Errors
/// A position that cannot be read, no memory, or output that cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let PlayGame::Gomoku(of) = args.game;
    let (position, title) = AskedPosition::of(of.setup)?.first()?;
    let mut player = GomokuPlayer::new(of.memory)?;
    player.set_weights(weights(of.weights.as_deref())?);
    player.prepare(&position)?;
    player.set_level(of.level);
    let mut table = PlayTable::new(position, &mut player, of.you, of.time, text);
    writeln!(out, "{title}")?;
    table.play(&mut io::stdin().lock(), out)?;
    Ok(ExitCode::SUCCESS)
}

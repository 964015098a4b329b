//! `morpion play`: a game against the machine in the terminal.

mod table;

use self::table::{PlayTable, Seats};
use super::flags::{FlagHelp, SettingFlags};
use super::pbrain::level;
use super::positions::{AskedPosition, PlayedGo};
use super::weights::weights;
use crate::core::game::{Level, Player};
use crate::core::quantity::{parse_bytes, parse_duration};
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::jobs::setup::reversi::ReversiSetup;
use crate::solvers::gomoku::player::GomokuPlayer;
use crate::solvers::solvable::Playable;
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
    Gomoku(PlayOfGomoku),
    /// Go on boards from 1x1 to 19x19
    Go(PlayOf<PlayedGo>),
    /// Reversi (Othello) on boards from 4x4 to 8x8
    Reversi(PlayOf<ReversiSetup>),
}

#[derive(Debug, clap::Args)]
struct PlayOf<S: FlagHelp + 'static> {
    #[command(flatten)]
    setup: SettingFlags<S>,
    #[command(flatten)]
    options: PlayOptions,
}

#[derive(Debug, clap::Args)]
struct PlayOfGomoku {
    #[command(flatten)]
    of: PlayOf<GomokuSetup>,
    /// File of weights to play with (see morpion tune); the program has weights of its own
    #[arg(long, value_name = "FILE")]
    weights: Option<String>,
}

/// What is asked in every game.
#[derive(Debug, clap::Args)]
struct PlayOptions {
    /// Which side you play; the machine plays the other
    #[arg(long, value_name = "SIDE", default_value = "black")]
    you: Seats,
    /// How strong the machine plays: 1 to 10
    #[arg(long, value_name = "N", default_value = "10", value_parser = level)]
    level: Level,
    /// Most time of the machine for a move
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = parse_duration)]
    time: f64,
    /// Memory for the table of positions
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = parse_bytes)]
    memory: u64,
}

/// Plays with the machine's usual player of the game.
fn play_usual<G: Playable>(
    title: &str,
    position: G,
    options: &PlayOptions,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut player = position.opponent(options.memory)?;
    play(title, position, &mut *player, options, out)
}

/// Plays until the input ends.
fn play<G: Playable>(
    title: &str,
    position: G,
    player: &mut dyn Player<G>,
    options: &PlayOptions,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    player.set_level(options.level);
    let mut table = PlayTable::new(position, player, options.you, options.time);
    writeln!(out, "{title}")?;
    Ok(table.play(&mut io::stdin().lock(), out)?)
}

/// Plays until the input ends.
///
/// # Errors
/// A position that cannot be read, no memory, or output that cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match args.game {
        PlayGame::Gomoku(PlayOfGomoku { of, weights: file }) => {
            let (position, title) = AskedPosition::of(of.setup)?.first()?;
            let mut player = GomokuPlayer::new(of.options.memory)?;
            player.set_weights(weights(file.as_deref())?);
            player.prepare(&position)?;
            play(&title, position, &mut player, &of.options, out)?;
        }
        PlayGame::Go(PlayOf { setup, options }) => {
            let asked = PlayedGo::asked(setup.given)?;
            match asked.large()? {
                Some((position, title)) => play_usual(&title, position, &options, out)?,
                None => {
                    let (position, title) = asked.first()?;
                    play_usual(&title, position, &options, out)?;
                }
            }
        }
        PlayGame::Reversi(of) => {
            let (position, title) = AskedPosition::of(of.setup)?.first()?;
            play_usual(&title, position, &of.options, out)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

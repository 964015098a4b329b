//! `morpion play`: a game against the machine in the terminal.

mod table;

use self::table::{PlayTable, SavedGame, Seats};
use super::book::{USUAL, book};
use super::flags::{FlagHelp, SettingFlags};
use super::player_flags::{PlayerDefaults, PlayerFlags, brain, threads};
use super::positions::{AskedPosition, PlayedGo};
use super::weights::{reversi_player, weights};
use crate::core::game::Player;
use crate::games::go::large::position::LargePosition;
use crate::games::go::position::GoPosition;
use crate::jobs::setup::go::GoSetup;
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::jobs::setup::reversi::ReversiSetup;
use crate::runner::parallel::together;
use crate::solvers::go::player::{UctPlayer, UctPosition};
use crate::solvers::gomoku::brain::{BrainPlayer, GomokuBrain};
use crate::solvers::gomoku::player::opening::OpeningPlayer;
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
    Go(PlayOfGo),
    /// Reversi (Othello) on boards from 4x4 to 8x8
    Reversi(PlayOfReversi),
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
    /// Opening book to play by at level 10: usual, none, or a file (see morpion book)
    #[arg(long, value_name = "BOOK", default_value = USUAL)]
    book: String,
    /// Which player you play against: usual, or thesis, a simpler one that looks for patterns as deep as its level
    #[arg(long, value_name = "NAME", default_value = "usual", value_parser = brain)]
    brain: GomokuBrain,
    /// Threads that search together, at level 10; with more than one, the same games need not give the same moves
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads)]
    threads: usize,
    /// Opening by which you and the machine agree on who has black. With --you first you put its first stones, with
    /// --you second the machine does
    #[arg(long, value_name = "NAME")]
    opening: Option<PlayedOpening>,
    /// Decides which stones the machine tries in an opening [default: others each time]
    #[arg(long, value_name = "N", requires = "opening")]
    seed: Option<u64>,
}

/// How a game of Gomoku begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum PlayedOpening {
    /// One player puts three stones; the other one takes a colour, or puts two more and lets the first one choose
    Swap2,
}

#[derive(Debug, clap::Args)]
struct PlayOfReversi {
    #[command(flatten)]
    of: PlayOf<ReversiSetup>,
    /// File of weights to play with on 8x8 (see morpion tune), or by-hand; the program has weights of its own
    #[arg(long, value_name = "FILE")]
    weights: Option<String>,
}

#[derive(Debug, clap::Args)]
struct PlayOfGo {
    #[command(flatten)]
    of: PlayOf<PlayedGo>,
    /// Decides the machine's playouts [default: another one each time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// What is asked in every game.
#[derive(Debug, clap::Args)]
struct PlayOptions {
    /// Which side you play; the machine plays the other
    #[arg(long, value_name = "SIDE", default_value = "black")]
    you: Seats,
    #[command(flatten)]
    player: PlayerFlags<PlayDefaults>,
}

#[derive(Debug)]
struct PlayDefaults;

impl PlayerDefaults for PlayDefaults {
    const TIME: &'static str = "2s";
    const MEMORY: &'static str = "64M";
}

/// Plays until the input ends.
fn play<G: Playable>(
    title: &str,
    game: SavedGame<G>,
    player: &mut dyn Player<G>,
    options: &PlayOptions,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    player.set_level(options.player.level);
    let mut table = PlayTable::new(game, player, options.you, options.player.limits());
    writeln!(out, "{title}")?;
    Ok(table.play(&mut io::stdin().lock(), out)?)
}

/// Plays Go with what the seed decides.
fn play_go<P: UctPosition + Playable>(
    asked: &AskedPosition<GoSetup>,
    options: &PlayOptions,
    seed: u64,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let (start, moves, title) = asked.game::<P>()?;
    let mut player = UctPlayer::new(options.player.memory, seed)?;
    play(&title, SavedGame { start, moves }, &mut player, options, out)
}

/// Plays until the input ends.
///
/// # Errors
/// A position that cannot be read, no memory, or output that cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match args.game {
        PlayGame::Gomoku(PlayOfGomoku { of, weights: file, book: name, brain, threads, opening, seed }) => {
            let asked = AskedPosition::of(of.setup)?;
            let mut player = BrainPlayer::new(of.options.player.memory)?;
            player.usual.set_weights(weights(file.as_deref())?);
            player.usual.set_book(book(&name)?);
            player.usual.set_threads(threads, together);
            player.set_brain(brain);
            if opening == Some(PlayedOpening::Swap2) {
                let (start, moves, title) = asked.swap2()?;
                player.prepare(start.position())?;
                let seed = seed.unwrap_or_else(rand::random);
                let mut player = OpeningPlayer { seed, player: Box::new(player) };
                let title = format!("{title}; {}", of.options.you.of_an_opening());
                play(&title, SavedGame { start, moves }, &mut player, &of.options, out)?;
                return Ok(ExitCode::SUCCESS);
            }
            let (position, title) = asked.first()?;
            player.prepare(&position)?;
            play(&title, SavedGame::from(position), &mut player, &of.options, out)?;
        }
        PlayGame::Go(PlayOfGo { of: PlayOf { setup, options }, seed }) => {
            let asked = PlayedGo::asked(setup.given)?;
            let seed = seed.unwrap_or_else(rand::random);
            if asked.is_large() {
                play_go::<LargePosition>(&asked, &options, seed, out)?;
            } else {
                play_go::<GoPosition>(&asked, &options, seed, out)?;
            }
        }
        PlayGame::Reversi(PlayOfReversi { of, weights }) => {
            let (position, title) = AskedPosition::of(of.setup)?.first()?;
            let mut player = reversi_player(of.options.player.memory, weights.as_deref())?;
            play(&title, SavedGame::from(position), &mut player, &of.options, out)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

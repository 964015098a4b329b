//! `morpion nboard`: the player of Reversi under the NBoard protocol (version 2), for viewers such as NBoard.

mod session;

use self::session::NboardSession;
use super::lines::answer_lines;
use super::player_flags::{PlayerDefaults, PlayerFlags};
use super::weights::reversi_player;
use crate::core::game::Player;
use std::io::Write;
use std::process::ExitCode;

/// Plays Reversi (Othello) under the NBoard protocol, on standard input and output.
///
/// A viewer starts it and sends lines such as nboard 2, set game, move, hint and go. What cannot be understood is
/// told in a line that begins with status, and changes nothing.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// File of weights to play with (see morpion tune), or by-hand; the program has weights of its own
    #[arg(long, value_name = "FILE")]
    weights: Option<String>,
    #[command(flatten)]
    player: PlayerFlags<NboardDefaults>,
}

/// A viewer limits the depth of a move by set depth.
#[derive(Debug)]
struct NboardDefaults;

impl PlayerDefaults for NboardDefaults {
    const TIME: &'static str = "5s";
    const MEMORY: &'static str = "64M";
}

/// Answers lines until `quit` or the end of the input.
///
/// # Errors
/// Answers cannot be written, or there is no memory.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let mut player = reversi_player(args.player.memory, args.weights.as_deref())?;
    player.set_level(args.player.level);
    let mut session = NboardSession::new(player, args.player.limits());
    answer_lines(&mut session, out)?;
    Ok(ExitCode::SUCCESS)
}

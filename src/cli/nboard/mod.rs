//! `morpion nboard`: the player of Reversi under the NBoard protocol (version 2), for viewers such as NBoard.

mod session;

use self::session::NboardSession;
use super::lines::answer_lines;
use super::player_flags::{PlayerDefaults, PlayerFlags};
use std::io::Write;
use std::process::ExitCode;

/// Plays Reversi (Othello) under the NBoard protocol, on standard input and output.
///
/// A viewer starts it and sends lines such as nboard 2, set game, move, hint and go. What cannot be understood is
/// told in a line that begins with status, and changes nothing.
#[derive(Debug, clap::Args)]
pub struct Args {
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
    let mut session = NboardSession::new(args.player.memory, args.player.level, args.player.limits())?;
    answer_lines(&mut session, out)?;
    Ok(ExitCode::SUCCESS)
}

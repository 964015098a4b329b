//! `morpion nboard`: the player of Reversi under the NBoard protocol (version 2), for viewers such as NBoard.

mod session;

use self::session::NboardSession;
use super::lines::answer_lines;
use super::pbrain::level;
use crate::core::game::Level;
use crate::core::quantity::{parse_bytes, parse_duration};
use std::io::Write;
use std::process::ExitCode;

/// Plays Reversi (Othello) under the NBoard protocol, on standard input and output.
///
/// A viewer starts it and sends lines such as nboard 2, set game, move, hint and go. What cannot be understood is
/// told in a line that begins with status, and changes nothing.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How strong it plays: 1 to 10.
    #[arg(long, value_name = "N", default_value = "10", value_parser = level)]
    level: Level,
    /// Most time for a move; the viewer limits the depth by set depth.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_duration)]
    time: f64,
    /// Most nodes for a move; then the same games give the same moves.
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Memory for the table of positions.
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = parse_bytes)]
    memory: u64,
}

/// Answers lines until `quit` or the end of the input.
///
/// # Errors
/// Answers cannot be written, or there is no memory.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let mut session = NboardSession::new(args.memory, args.level, (args.time, args.nodes))?;
    answer_lines(&mut session, out)?;
    Ok(ExitCode::SUCCESS)
}

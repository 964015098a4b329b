//! `morpion pbrain`: the player of Gomoku under the Gomocup protocol, for managers such as Piskvork and Yixin.
//!
//! During a search for a move `YXSTOP` and `END` end it, and everything else waits. A search while the other side
//! thinks is ended by any line.

mod command;
mod limits;
mod session;

use self::session::BrainSession;
use super::book::{USUAL, book};
use super::lines::answer_lines;
use super::player_flags::{brain, level, threads};
use super::weights::weights;
use crate::core::game::Level;
use crate::core::quantity::parse_bytes;
use crate::games::gomoku::rules::RowRule;
use crate::runner::parallel::together;
use crate::solvers::gomoku::brain::{BrainPlayer, GomokuBrain};
use clap::ValueEnum;
use std::io::Write;
use std::process::ExitCode;

/// Plays Gomoku under the Gomocup protocol (Piskvork), on standard input and output.
///
/// A manager starts it and sends lines such as START 15 and TURN 7,7. A program file of the name pbrain-morpion (a
/// link to this one, say) starts this command without arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which rows win, until the manager says so by INFO rule.
    #[arg(long, value_name = "RULE", default_value = "free")]
    rule: BrainRule,
    /// How strong it plays: 1 to 10.
    #[arg(long, value_name = "N", default_value = "10", value_parser = level)]
    level: Level,
    /// Which player it is: usual, or thesis, a simpler one that looks for patterns as deep as its level.
    #[arg(long, value_name = "NAME", default_value = "usual", value_parser = brain)]
    brain: GomokuBrain,
    /// File of weights to play with (see morpion tune); the program has weights of its own.
    #[arg(long, value_name = "FILE")]
    weights: Option<String>,
    /// Opening book to play by at level 10: usual, none, or a file (see morpion book).
    #[arg(long, value_name = "BOOK", default_value = USUAL)]
    book: String,
    /// Threads that search together, at level 10, until the manager says another number by INFO thread_num; with more
    /// than one, the same games need not give the same moves.
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads)]
    threads: usize,
    /// Think while the other side does, at level 10, until the manager says otherwise by INFO pondering.
    #[arg(long)]
    ponder: bool,
    /// Most memory for the table of positions. A manager can lower it by INFO max_memory.
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = parse_bytes)]
    memory: u64,
    /// Decides which openings by Swap2 are tried.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
}

/// The rules by their names on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum BrainRule {
    /// Rows of five or more
    Free,
    /// Rows of exactly five
    Five,
    /// Renju, with its forbidden points
    Renju,
    /// Exactly five, without enemy stones at both ends
    Caro,
}

/// Answers lines until `END` or the end of the input.
///
/// # Errors
/// Answers cannot be written, or there is no memory.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let rule = match args.rule {
        BrainRule::Free => RowRule::Free,
        BrainRule::Five => RowRule::Five,
        BrainRule::Renju => RowRule::Renju,
        BrainRule::Caro => RowRule::Caro,
    };
    let mut player = BrainPlayer::new(args.memory)?;
    player.usual.set_weights(weights(args.weights.as_deref())?);
    player.usual.set_book(book(&args.book)?);
    player.usual.set_threads(args.threads, together);
    player.set_brain(args.brain);
    let mut session = BrainSession::new((player, args.memory), rule, args.level, args.seed);
    session.set_pondering(args.ponder);
    answer_lines(&mut session, out)?;
    Ok(ExitCode::SUCCESS)
}

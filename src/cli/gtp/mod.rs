//! `morpion gtp`: the player of Go under the Go Text Protocol, version 2, for viewers and referees.

mod clock;
mod session;

use self::session::GtpSession;
use super::lines::answer_lines;
use super::pbrain::level;
use crate::core::game::Level;
use crate::core::quantity::{parse_bytes, parse_duration};
use std::io::Write;
use std::process::ExitCode;

/// Plays Go under the Go Text Protocol (GTP 2), on standard input and output.
///
/// Boards are 1x1 to 19x19. Area is counted, nothing is taken off as dead at the end, and no board may come back
/// (positional superko). A line that cannot be understood is answered by ? and a message, and changes nothing.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How strong it plays: 1 to 10.
    #[arg(long, value_name = "N", default_value = "10", value_parser = level)]
    level: Level,
    /// Most time for a move, until a line says otherwise by time_settings or time_left.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_duration)]
    time: f64,
    /// Most playouts for a move; then the same games give the same moves.
    #[arg(long, value_name = "N")]
    playouts: Option<u64>,
    /// Rows and columns of the board before boardsize.
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u8).range(1..=19))]
    size: u8,
    /// What white gets beside its area before a line says komi.
    #[arg(long, value_name = "POINTS", default_value = "7", allow_negative_numbers = true, value_parser = komi)]
    komi: i32,
    /// Memory for the tree of positions.
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = parse_bytes)]
    memory: u64,
    /// Decides the playouts.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// Greatest komi either way, in points.
const MOST_KOMI: f64 = 361.0;

/// Komi in tenths of a point.
///
/// # Errors
/// It is no number, or further from nothing than a board has points.
pub fn komi(text: &str) -> Result<i32, String> {
    let points = text.trim().parse::<f64>().ok().filter(|points| points.abs() <= MOST_KOMI);
    let points = points.ok_or_else(|| format!("komi is a number of points, from -{MOST_KOMI} to {MOST_KOMI}"))?;
    Ok((points * 10.0).round() as i32)
}

/// Answers lines until `quit` or the end of the input.
///
/// # Errors
/// Answers cannot be written, or there is no memory.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let Args { level, time, playouts, size, komi, memory, seed } = args;
    let mut session = GtpSession::new(size, komi, (memory, seed), level, (time, playouts))?;
    answer_lines(&mut session, out)?;
    Ok(ExitCode::SUCCESS)
}

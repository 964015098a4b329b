//! `morpion gtp`: the player of Go under the Go Text Protocol, version 2, for viewers and referees.

mod clock;
mod session;
mod tactics;

use self::session::GtpSession;
use super::lines::answer_lines;
use super::player_flags::{PlayerDefaults, PlayerFlags};
use crate::jobs::setup::go::read_komi;
use std::io::Write;
use std::process::ExitCode;

/// Plays Go under the Go Text Protocol (GTP 2), on standard input and output.
///
/// Boards are 1x1 to 19x19. Area is counted, nothing is taken off as dead at the end, and no board may come back
/// (positional superko). A line that cannot be understood is answered by ? and a message, and changes nothing.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    player: PlayerFlags<GtpDefaults>,
    /// Rows and columns of the board before boardsize.
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u8).range(1..=19))]
    size: u8,
    /// What white gets beside its area before a line says komi.
    #[arg(long, value_name = "POINTS", default_value = "7", allow_negative_numbers = true, value_parser = komi)]
    komi: i32,
    /// Decides the playouts.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// Time for a move holds until a line says otherwise by time_settings or time_left.
#[derive(Debug)]
struct GtpDefaults;

impl PlayerDefaults for GtpDefaults {
    const TIME: &'static str = "5s";
    const MEMORY: &'static str = "256M";
}

/// Komi in tenths of a point.
///
/// # Errors
/// It is no number, or further from nothing than a board has points.
pub fn komi(text: &str) -> Result<i32, String> {
    read_komi(text).map_err(|error| error.0)
}

/// Answers lines until `quit` or the end of the input.
///
/// # Errors
/// Answers cannot be written, or there is no memory.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let Args { player, size, komi, seed } = args;
    let mut session = GtpSession::new(size, komi, (player.memory, seed), player.level, player.limits())?;
    answer_lines(&mut session, out)?;
    Ok(ExitCode::SUCCESS)
}

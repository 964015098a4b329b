//! `morpion perft`: how many ways there are to play a number of moves.

use super::flags::{FlagHelp, SettingFlags};
use super::machine;
use super::positions::AskedPosition;
use crate::core::game::Game;
use crate::jobs::setup::go::GoSetup;
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::jobs::setup::reversi::ReversiSetup;
use crate::solvers::perft::perft;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

/// Version of the `--json` output.
const JSON_VERSION: u32 = 1;

/// Count the sequences of moves of a two-player game: the usual check of its rules.
///
/// A pass is a move. A game that ends earlier counts as one sequence. Prints one line per number of moves.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    game: PerftGame,
}

/// One line per game.
#[derive(Debug, clap::Subcommand)]
enum PerftGame {
    /// Go on boards up to 19x19
    Go(PerftOf<GoSetup>),
    /// Gomoku (five in a row) and m,n,k games on boards up to 20x20
    Gomoku(PerftOf<GomokuSetup>),
    /// Reversi (Othello) on boards up to 8x8
    Reversi(PerftOf<ReversiSetup>),
}

#[derive(Debug, clap::Args)]
struct PerftOf<S: FlagHelp + 'static> {
    #[command(flatten)]
    setup: SettingFlags<S>,
    /// Greatest number of moves
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(0..=60))]
    depth: u32,
    /// Print one JSON object instead of the table
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// A position that cannot be read, or output that cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match args.game {
        PerftGame::Go(of) => {
            let asked = AskedPosition::of(of.setup)?;
            if let Some((mut position, title)) = asked.large()? {
                return count(&mut position, &title, of.depth, of.json, out);
            }
            let (mut position, title) = asked.first()?;
            count(&mut position, &title, of.depth, of.json, out)
        }
        PerftGame::Gomoku(of) => {
            let (mut position, title) = AskedPosition::of(of.setup)?.first()?;
            count(&mut position, &title, of.depth, of.json, out)
        }
        PerftGame::Reversi(of) => {
            let (mut position, title) = AskedPosition::of(of.setup)?.first()?;
            count(&mut position, &title, of.depth, of.json, out)
        }
    }
}

fn count<G: Game>(
    position: &mut G,
    title: &str,
    depth: u32,
    json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let (began, cpu) = (Instant::now(), machine::process_seconds());
    let mut counts = Vec::new();
    if !json {
        writeln!(out, "{title}\n n  {:>20}", "sequences")?;
    }
    for n in 0..=depth {
        counts.push(perft(position, n));
        if !json {
            writeln!(out, "{n:>2}  {:>20}", counts[n as usize])?;
            out.flush()?;
        }
    }
    if json {
        let object = serde_json::json!({
            "version": JSON_VERSION, "command": "perft", "game": title, "counts": counts,
            "seconds": began.elapsed().as_secs_f64(),
            "cpu_seconds": machine::since(cpu),
        });
        writeln!(out, "{object}")?;
    }
    Ok(ExitCode::SUCCESS)
}

//! `morpion branching`: how many moves there are at each ply of random games, and how large the game tree may be.

use super::flags::{FlagHelp, SettingFlags};
use super::machine;
use super::picture_flags::PictureFile;
use super::positions::AskedPosition;
use crate::core::game::Game;
use crate::jobs::setup::go::GoSetup;
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::jobs::setup::reversi::ReversiSetup;
use crate::render::chart::{Chart, Marks, Panel, Series, chart};
use crate::solvers::branching::Branching;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Version of the `--json` output.
const JSON_VERSION: u32 = 1;
/// Width of the picture in pixels.
const WIDTH: u32 = 1400;
/// Random games are broken off after so many plies.
const LONGEST: usize = 10_000;

/// Play random games and show the average number of moves at each ply.
///
/// An average is over the games that are not over at that ply. The size of the game tree is estimated as the sum,
/// over all depths, of the product of the averages above that depth. In this estimate a game that is over counts as
/// one without moves. Where games have forced passes, a second estimate is for games that end at the first of them.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    game: BranchingGame,
}

/// One line per game.
#[derive(Debug, clap::Subcommand)]
enum BranchingGame {
    /// Go on boards up to 19x19
    Go(BranchingOf<GoSetup>),
    /// Gomoku (five in a row) and m,n,k games on boards up to 20x20
    Gomoku(BranchingOf<GomokuSetup>),
    /// Reversi (Othello) on boards up to 8x8
    Reversi(BranchingOf<ReversiSetup>),
}

#[derive(Debug, clap::Args)]
struct BranchingOf<S: FlagHelp + 'static> {
    #[command(flatten)]
    setup: SettingFlags<S>,
    #[command(flatten)]
    options: BranchingFlags,
}

#[derive(Debug, clap::Args)]
struct BranchingFlags {
    /// Number of random games
    #[arg(long, value_name = "N", default_value_t = 10_000,
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    games: u64,
    /// Seed of the random games
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Also draw the averages: a picture to write, .png or .svg
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Overwrite a picture that exists
    #[arg(long)]
    force: bool,
    /// Print one JSON object instead of the table
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// A position that cannot be read, a picture that exists, or output that cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match args.game {
        BranchingGame::Go(of) => {
            let asked = AskedPosition::of(of.setup)?;
            if let Some((position, title)) = asked.large()? {
                return branching(&position, &title, &of.options, out);
            }
            let (position, title) = asked.first()?;
            branching(&position, &title, &of.options, out)
        }
        BranchingGame::Gomoku(of) => {
            let (position, title) = AskedPosition::of(of.setup)?.first()?;
            branching(&position, &title, &of.options, out)
        }
        BranchingGame::Reversi(of) => {
            let (position, title) = AskedPosition::of(of.setup)?.first()?;
            branching(&position, &title, &of.options, out)
        }
    }
}

fn branching<G: Game>(
    start: &G,
    title: &str,
    options: &BranchingFlags,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let picture = options.output.as_deref().map(|path| PictureFile::new(path, WIDTH, options.force)).transpose()?;
    let found = Branching::of(start, options.games, LONGEST, options.seed);
    let averages: Vec<f64> = found.averages().collect();
    let (log10, before_pass) = (found.tree_size_log10(), found.tree_size_before_pass_log10());
    if options.json {
        let object = serde_json::json!({
            "version": JSON_VERSION, "command": "branching", "game": title,
            "games": found.games, "unfinished": found.unfinished, "seed": options.seed,
            "averages": averages, "games_at": found.plies.iter().map(|&(games, _)| games).collect::<Vec<_>>(),
            "tree_size_log10": log10, "tree_size_before_pass_log10": before_pass,
        });
        writeln!(out, "{object}")?;
    } else {
        writeln!(out, "{title}, {} random games\nply  games not over  average moves", found.games)?;
        for (ply, (average, (games, _))) in averages.iter().zip(&found.plies).enumerate() {
            writeln!(out, "{ply:>3}  {games:>14}  {average:>13.3}")?;
        }
        if found.unfinished > 0 {
            writeln!(out, "{} games were broken off after {LONGEST} plies", found.unfinished)?;
        }
        writeln!(out, "estimated size of the game tree: {}", scientific(log10))?;
        if before_pass < log10 {
            writeln!(out, "and if games ended where a side has to pass: {}", scientific(before_pass))?;
        }
    }
    if let Some(picture) = picture {
        picture.write(|format, size| chart(&drawing(&averages, title, &found, options.seed), format, size))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A number given by its logarithm.
fn scientific(log10: f64) -> String {
    let (power, digits) = (log10.floor(), 10f64.powf(log10 - log10.floor()));
    if digits >= 9.995 { format!("1.00e{:.0}", power + 1.0) } else { format!("{digits:.2}e{power:.0}") }
}

fn drawing(averages: &[f64], title: &str, found: &Branching, seed: u64) -> Chart {
    let points = averages.iter().enumerate().map(|(ply, &average)| (ply as f64, average)).collect();
    let step = match averages.len() {
        0..=30 => 2,
        31..=90 => 5,
        91..=300 => 20,
        n => n / 15,
    };
    let last = averages.len().saturating_sub(1);
    let places = (0..=last).step_by(step).map(|ply| (ply as f64, ply.to_string())).collect();
    Chart {
        title: format!("{title}: average number of moves by ply"),
        note: format!(
            "{} random games, seed {seed}; the averages suggest a game tree of {} nodes; morpion {}, {}",
            found.games,
            scientific(found.tree_size_log10()),
            env!("CARGO_PKG_VERSION"),
            machine::date(),
        ),
        panels: vec![Panel {
            x: "ply".to_owned(),
            y: "legal moves, average".to_owned(),
            places,
            log: false,
            marks: Marks::Joined,
            series: vec![Series { name: "random games that are not over".to_owned(), points, band: Vec::new() }],
        }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_written_by_powers_of_ten() {
        for (log10, text) in [(0.0, "1.00e0"), (53.356, "2.27e53"), (2.9999, "1.00e3"), (700.5, "3.16e700")] {
            assert_eq!(scientific(log10), text);
        }
    }
}

//! `morpion tactics mine`: patterns from games of the player against itself.

use crate::cli::grid_input::{counted, plain, save};
use crate::cli::machine;
use crate::cli::streams::say;
use crate::core::game::{Budget, Game, Player};
use crate::core::quantity::grouped;
use crate::core::seed::{derive, rng};
use crate::games::go::large::points::LargeBoard;
use crate::games::go::large::position::{LargeMove, LargePosition};
use crate::games::go::rules::{GoRules, Ko};
use crate::solvers::go::player::UctPlayer;
use crate::tactics::pattern::database::PatternDatabase;
use crate::tactics::pattern::mine::PatternMiner;
use rand::RngExt;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Play games of Go, and keep the patterns of what is proven about their positions.
///
/// Asked is whether chains of two to four liberties can be captured and whether chains that are near can be
/// connected. Each pattern is the zone of a proof, so that it holds wherever it fits. The same seed gives the
/// same patterns.
#[derive(Debug, clap::Args)]
pub struct MineArgs {
    /// The file of patterns to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Number of games
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    /// Rows and columns of the board
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u8).range(3..=19))]
    size: u8,
    /// Playouts for each move of the games
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    playouts: u64,
    /// Give up a question after about this many nodes of each reading
    #[arg(long, value_name = "N", default_value_t = 2000)]
    nodes: u64,
    /// Keep the patterns that come up in at least so many games
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    least: u32,
    /// Decides the games
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Overwrite the file
    #[arg(long)]
    force: bool,
}

/// Memory of the player's tree, in bytes.
const MEMORY: u64 = 16 << 20;
/// Random moves at the beginning of a game, so that games differ.
const OPENING: u32 = 4;

/// Runs `morpion tactics mine`.
///
/// # Errors
/// The file exists or cannot be written, or there is no memory.
pub fn run(args: &MineArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let name = plain(&args.output.display().to_string());
    anyhow::ensure!(args.force || !args.output.exists(), "{name}: the file exists; --force overwrites it");
    let size = LargeBoard::new(args.size, args.size)?;
    let cpu = machine::process_seconds();
    let mut miner = PatternMiner::new(args.nodes);
    let (mut positions, mut told) = (0u64, 0);
    for game in 0..args.games {
        let seed = derive(args.seed, &[u64::from(game)]);
        let mut random = rng(seed, &[]);
        let mut player: UctPlayer<LargePosition> = UctPlayer::new(MEMORY, seed)?;
        let mut position = LargePosition::new(size, GoRules { ko: Ko::Superko, ..GoRules::default() });
        miner.next_game();
        let longest = 2 * u32::from(size.area());
        for ply in 0..longest {
            let m = if ply < OPENING {
                LargeMove(random.random_range(0..size.area()))
            } else {
                let mut never = || 0.0;
                let mut budget = Budget { depth: u32::MAX, nodes: args.playouts, time: &mut never };
                let chosen = player.choose(&position, &mut budget, &mut |_| {});
                chosen.and_then(|chosen| chosen.line.first().copied()).unwrap_or(LargeMove::PASS)
            };
            if !position.is_legal(m) {
                continue;
            }
            position.play(m);
            miner.look(position.chains());
            positions += 1;
            if position.passes() > 1 {
                break;
            }
        }
        if (game + 1) * 10 / args.games > told {
            told = (game + 1) * 10 / args.games;
            say!("morpion: {} of {} games, {} questions", game + 1, args.games, grouped(miner.asked()));
        }
    }
    let mut database = PatternDatabase::default();
    for (place, mined) in miner.patterns(args.least).into_iter().enumerate() {
        let mut entry = mined.entry;
        entry.name = format!("mined {}, in {}", place + 1, counted(mined.games as usize, "game"));
        database.entries.push(entry);
    }
    save(&args.output, database.write().as_bytes(), args.force)?;
    let time = machine::since(cpu).map_or("?".to_owned(), |seconds| format!("{seconds:.1}"));
    let (asked, all) = (grouped(miner.asked()), miner.patterns(1).len());
    writeln!(out, "{}, {} positions, {asked} questions", counted(args.games as usize, "game"), grouped(positions))?;
    let kept = database.entries.len();
    writeln!(
        out,
        "{name}: {} of {all} came up in {} games or more, {time} CPU s",
        counted(kept, "pattern"),
        args.least
    )?;
    Ok(ExitCode::SUCCESS)
}

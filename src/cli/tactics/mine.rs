//! `morpion tactics mine`: patterns from games of the player against itself.

use crate::cli::flags::SettingFlags;
use crate::cli::grid_input::{counted, plain, save};
use crate::cli::machine;
use crate::cli::streams::say;
use crate::core::quantity::grouped;
use crate::jobs::mine_settings::MineSettings;
use crate::tactics::pattern::mine::MinedPatterns;
use anyhow::Context;
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
    #[command(flatten)]
    asked: SettingFlags<MineSettings>,
    /// Overwrite the file
    #[arg(long)]
    force: bool,
}

/// Runs `morpion tactics mine`.
///
/// # Errors
/// The file exists or cannot be written, or there is no memory.
pub fn run(args: &MineArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let name = plain(&args.output.display().to_string());
    anyhow::ensure!(args.force || !args.output.exists(), "{name}: the file exists; --force overwrites it");
    let job = MineSettings::asked(&args.asked.given)?;
    let (games, least) = (job.played()?, job.least);
    let cpu = machine::process_seconds();
    let mut all = MinedPatterns::default();
    let (mut positions, mut asked, mut told) = (0u64, 0, 0);
    for number in 0..job.games {
        let game = games.play(number, &mut || false)?.context("nobody has stopped it")?;
        (positions, asked) = (positions + game.positions, asked + game.asked);
        all.add_game(game.patterns);
        let tenths = (number + 1) * 10 / job.games;
        if tenths > told {
            told = tenths;
            say!("morpion: {} of {} games, {} questions", number + 1, job.games, grouped(asked));
        }
    }
    let database = all.database(least);
    save(&args.output, database.write().as_bytes(), args.force)?;
    let time = machine::since(cpu).map_or("?".to_owned(), |seconds| format!("{seconds:.1}"));
    let (asked, positions) = (grouped(asked), grouped(positions));
    writeln!(out, "{}, {positions} positions, {asked} questions", counted(job.games as usize, "game"))?;
    let (kept, all) = (database.entries.len(), all.len());
    let kept = counted(kept, "pattern");
    writeln!(out, "{name}: {kept} of {all} came up in {least} games or more, {time} CPU s")?;
    Ok(ExitCode::SUCCESS)
}

//! `morpion tactics learn`: the weights of the estimates that a reading begins with.

use crate::cli::grid_input::{counted, plain, save};
use crate::cli::machine;
use crate::cli::streams::say;
use crate::cli::values;
use crate::core::quantity::grouped;
use crate::tactics::learn::{EstimateLoss, LearnSettings, learn};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Learn what a reading searches first, from made-up positions.
///
/// Both sides put stones near each other at random; questions about their chains are read, and logistic regression
/// finds the weights of what is seen at a glance. The program itself has the weights that this command makes with
/// its defaults (engine/src/tactics/shipped.weights). The same seed gives the same weights.
#[derive(Debug, clap::Args)]
pub struct LearnArgs {
    /// The file of weights to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Decides the positions
    #[arg(long, value_name = "N", default_value_t = LearnSettings::default().seed)]
    seed: u64,
    /// Positions of each round, for questions about one chain and about two each
    #[arg(long, value_name = "N", default_value_t = LearnSettings::default().positions, value_parser = clap::value_parser!(u64).range(10..=100_000))]
    positions: u64,
    /// Nodes of each reading
    #[arg(long, value_name = "N", default_value_t = LearnSettings::default().nodes, value_parser = values::nodes)]
    nodes: u64,
    /// Rounds: the readings of each use the weights of the one before
    #[arg(long, value_name = "N", default_value_t = LearnSettings::default().rounds, value_parser = clap::value_parser!(u32).range(1..=20))]
    rounds: u32,
    /// Overwrite the file
    #[arg(long)]
    force: bool,
}

/// What a fit came to, in words.
fn told(fit: &EstimateLoss) -> String {
    let EstimateLoss { kind, attacker_moves, samples, loss } = fit;
    format!(
        "{}, {} to move: {} samples, cross entropy {:.4}, of positions that were not learned from {:.4}",
        kind.name(),
        if *attacker_moves { "attacker" } else { "defender" },
        grouped(*samples as u64),
        loss.training,
        loss.validation
    )
}

/// Runs `morpion tactics learn`.
///
/// # Errors
/// The file exists or cannot be written.
pub fn run(args: &LearnArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let name = plain(&args.output.display().to_string());
    anyhow::ensure!(args.force || !args.output.exists(), "{name}: the file exists; --force overwrites it");
    let &LearnArgs { seed, positions, nodes, rounds, .. } = args;
    let settings = LearnSettings { seed, positions, nodes, rounds };
    let cpu = machine::process_seconds();
    let mut last = String::new();
    let weights = learn(&settings, &mut |round, fit| {
        let text = told(fit);
        say!("morpion: round {round}, {text}");
        if round == rounds {
            last = format!("{last}\n{text}");
        }
    });
    let provenance = format!(
        "learned by morpion tactics learn --seed {seed} --positions {positions} --nodes {nodes} --rounds {rounds}{last}"
    );
    save(&args.output, weights.write(&provenance).as_bytes(), args.force)?;
    let time = machine::since(cpu).map_or("?".to_owned(), |seconds| format!("{seconds:.1}"));
    writeln!(out, "{}, {time} CPU s: {name}", counted(rounds as usize, "round"))?;
    Ok(ExitCode::SUCCESS)
}

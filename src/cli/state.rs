//! `morpion state`: shows the saved state of a hunt, also while it runs.

use crate::jobs::hunt::Hunt;
use crate::morpion::variant::Variant;
use crate::notation::grid::Grid;
use crate::notation::pentasol::{self, Effort};
use crate::runner::state;
use crate::runner::status::clock;
use crate::strategies::Unit;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Show the saved state of a hunt without changing it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The directory of the hunt.
    #[arg(value_name = "DIR", default_value = super::hunt_directory::OUTPUT)]
    pub directory: PathBuf,
    /// Print one JSON line per unit handed out so far, in order.
    #[arg(long)]
    pub units: bool,
}

/// A unit as it is listed.
#[derive(Serialize)]
struct UnitLine {
    v: u32,
    unit: u64,
    /// Checksum of the unit, in hexadecimal.
    check: String,
    done: bool,
    seed: u64,
    /// The moves played before the search begins.
    prefix: Vec<String>,
}

/// Runs the command.
///
/// # Errors
/// If there is no readable state.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let (checkpoint, records) = state::read(&args.directory)?;
    let mut now = checkpoint.state.clone();
    records.iter().for_each(|record| now.apply(record));
    if args.units {
        let end = now.produced.max(now.done.end());
        let variant = checkpoint.job.variant;
        for work in Hunt::new(checkpoint.job)?.list(end) {
            let line = UnitLine {
                v: 1,
                unit: work.id,
                check: format!("{:08x}", work.check()),
                done: now.done.contains(work.id),
                seed: work.unit.seed,
                prefix: moves(variant, &work.unit),
            };
            serde_json::to_writer(&mut *out, &line)?;
            writeln!(out)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let job = &checkpoint.job;
    let since = records.iter().filter(|record| record.ended().is_some()).count();
    writeln!(out, "variant     {}", job.variant)?;
    writeln!(out, "method      {}", job.params.method())?;
    writeln!(out, "seed        {}", job.seed)?;
    writeln!(out, "start       {} moves", job.start.len())?;
    writeln!(out, "threads     {}", checkpoint.workers + 1)?;
    writeln!(out, "running     {}", clock(checkpoint.seconds))?;
    writeln!(out, "best        {}", now.score())?;
    writeln!(out, "units done  {} ({since} since the last checkpoint)", now.totals.units)?;
    writeln!(out, "begun       {}", now.produced.max(now.done.end()) - now.done.len())?;
    let begun = checkpoint.in_flight.iter().filter(|unit| !now.done.contains(unit.id));
    let begun = begun.fold(0u64, |sum, unit| sum.saturating_add(unit.iterations));
    writeln!(out, "iterations  {} in the units done, {begun} in those begun", now.totals.iterations)?;
    Ok(ExitCode::SUCCESS)
}

/// The unit's prefix, as moves are written in grid files.
fn moves(variant: Variant, unit: &Unit) -> Vec<String> {
    let text = pentasol::write(&Grid::new(variant, unit.prefix.clone()), Effort::Comments);
    text.lines().filter(|line| line.starts_with('(')).skip(1).map(str::to_owned).collect()
}

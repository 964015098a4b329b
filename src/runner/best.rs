//! The best grids on disk: `<moves>.txt` for each, as the thesis this program follows writes them (the moves, a line
//! of seconds, a line of iterations), and `best.msr` with the whole provenance (`best.txt` from another start than
//! the cross, which MSR does not hold). The referee replays a grid before anything is written.

use super::clock::utc;
use super::directory::best_name;
use crate::files::{FileError, Keep, replace};
use crate::jobs::hunt::{Find, Job};
use crate::morpion::geometry::Move;
use crate::morpion::referee::{self, ReplayError};
use crate::morpion::start::Start;
use crate::morpion::variant::Variant;
use crate::notation::grid::{Grid, Provenance};
use crate::notation::msr::{MsrError, write_compact};
use crate::notation::pentasol::{self, Effort};
use crate::with_rules;
use std::path::Path;

/// Why a best grid was not written.
#[derive(Debug, thiserror::Error)]
pub enum BestError {
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The search reported what is no game: a defect of this program.
    #[error(
        "unit {unit} reported a sequence of {score} moves that the referee refuses (a defect of this program): {source}"
    )]
    Refused {
        /// Number of the unit that reported it.
        unit: u64,
        /// Moves of the sequence.
        score: u32,
        /// What the referee says.
        source: ReplayError,
    },
    /// The grid cannot be written as MSR.
    #[error(transparent)]
    Msr(#[from] MsrError),
}

/// Has the referee replay the grid.
///
/// # Errors
/// If it is no game.
pub fn check(job: &Job, best: &Find) -> Result<(), BestError> {
    check_moves(&job.params.start, job.variant, &best.moves, best.unit)
}

/// Has the referee replay the moves that a unit has found.
///
/// # Errors
/// If they are no game.
pub fn check_moves(start: &Start, variant: Variant, moves: &[Move], unit: u64) -> Result<(), BestError> {
    let refused = |source| BestError::Refused { unit, score: moves.len() as u32, source };
    referee::replay_from(start, variant, moves).map(drop).map_err(refused)
}

/// Whether the grid comes so near to the edge of the playing area that moves may have been refused there.
pub fn touches_border(job: &Job, best: &Find) -> bool {
    let start = &job.params.start;
    with_rules!(job.variant, R => start.after::<R>(&best.moves).is_ok_and(|p| p.board().touches_border()))
}

/// Writes a grid that [`check`] has passed. A file `<moves>.txt` that is there already is left alone: it is this
/// grid's, written before a crash.
///
/// # Errors
/// If a file cannot be written.
pub fn write(directory: &Path, job: &Job, best: &Find) -> Result<(), BestError> {
    let provenance = Provenance {
        iterations: Some(best.iterations),
        seconds: Some(best.seconds),
        saved_at: Some(utc(best.time)),
        ..provenance(&job.params.method(), best.unit, job.seed)
    };
    let start = job.params.start.clone();
    let grid = Grid { variant: job.variant, start, moves: best.moves.clone(), provenance };
    let path = directory.join(format!("{}.txt", best.score()));
    if !path.exists() {
        replace(&path, pentasol::write(&grid, Effort::Trailer).as_bytes(), Keep::Durable)?;
    }
    let whole = match grid.start.is_cross() {
        true => write_compact(&grid)?,
        false => pentasol::write(&grid, Effort::Comments),
    };
    replace(&directory.join(best_name(&grid.start)), whole.as_bytes(), Keep::Durable)?;
    Ok(())
}

/// The provenance of a grid that a unit of a hunt with this method and seed has found: with these anybody can find it
/// again.
pub fn provenance(method: &str, unit: u64, seed: u64) -> Provenance {
    Provenance {
        producer: Some(concat!("morpion ", env!("CARGO_PKG_VERSION")).to_owned()),
        tool: Some("morpion".to_owned()),
        method: Some(format!("{method}, unit {unit}")),
        seed: Some(seed),
        ..Provenance::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morpion::position::Position;

    #[test]
    fn what_is_no_game_is_refused() {
        let first = Position::<crate::morpion::variant::T5>::new().moves()[0];
        let best = Find {
            moves: vec![first, first],
            unit: 4,
            unit_seed: 0,
            worker: 1,
            iterations: 1,
            seconds: 0.0,
            time: 0.0,
        };
        let error = check_moves(&Start::CROSS, Variant::T5, &best.moves, best.unit).unwrap_err().to_string();
        assert!(error.starts_with("unit 4 reported a sequence of 2 moves that the referee refuses"), "{error}");
    }
}

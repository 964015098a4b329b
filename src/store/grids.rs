//! Grids in the store.

use crate::morpion::canonical::canonical_key;
use crate::morpion::variant::Variant;
use crate::notation::catalogue::Catalogue;
use crate::notation::format::{GridReadError, read};
use crate::notation::grid::Grid;
use crate::notation::msr::{MsrError, write_compact};
use serde::{Deserialize, Serialize};

/// Which grids are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Grids of all variants and jobs.
    All,
    /// Those of a variant.
    Variant(Variant),
    /// Those that a job has found.
    Job(u64),
}

/// A grid and who found it first. Postcard writes its fields one after the other, those of `source` in their place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GridRecord {
    /// Its canonical key.
    pub key: u64,
    /// Variant of the puzzle.
    pub variant: Variant,
    /// Number of moves.
    pub score: u32,
    /// Legal moves left at its end.
    pub moves_left: u32,
    /// The known record that it equals.
    pub record: Option<String>,
    /// Where it comes from.
    pub source: GridSource,
    /// The grid with its provenance, as compact MSR.
    msr: String,
}

/// Where a grid comes from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GridSource {
    /// Number of the job that found it, if a job did.
    pub job: Option<u64>,
    /// Unit of that job.
    pub unit: Option<u64>,
    /// When: seconds since 1970 (UTC).
    pub time: f64,
    /// Seconds that the job had run.
    pub seconds: Option<f64>,
}

impl GridRecord {
    /// Of a grid that the referee has passed.
    ///
    /// # Errors
    /// If it cannot be written as MSR.
    pub fn new(grid: &Grid, source: GridSource, catalogue: &Catalogue) -> Result<GridRecord, MsrError> {
        Ok(GridRecord {
            key: canonical_key(grid.variant, &grid.moves),
            variant: grid.variant,
            score: grid.moves.len() as u32,
            moves_left: grid.moves_left().unwrap_or(0) as u32,
            record: catalogue.equal(grid.variant, &grid.moves).map(|known| known.name.to_owned()),
            source,
            msr: write_compact(grid)?,
        })
    }

    /// The grid itself.
    ///
    /// # Errors
    /// If it is none, which only a defect can cause.
    pub fn grid(&self) -> Result<Grid, GridReadError> {
        read(self.msr.as_bytes(), Some(self.variant)).map(|loaded| loaded.grid)
    }
}

//! Grids in the store. Each passes the referee under the variant that it is stored with, and is read back from the
//! text that is stored, before it is stored and before it is shown.

use crate::morpion::canonical::{canonical_key, key_of_variant};
use crate::morpion::referee::{self, ReplayError};
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
    /// Its canonical key, or another one if a game of another variant with the same lines was stored before (see
    /// [`GridRecord::key_beside`]).
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

/// Why a grid cannot be stored, or a stored one cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum GridError {
    /// It is not a game of its variant.
    #[error("it is not a game of {variant}: {source}")]
    Refused {
        /// The variant that it is stored with.
        variant: Variant,
        /// What the referee says.
        source: ReplayError,
    },
    /// It does not begin with the cross.
    #[error("it begins with {0}: only grids from the cross are taken")]
    OtherStart(String),
    /// It cannot be written as text.
    #[error("it cannot be written: {0}")]
    Unwritable(#[from] MsrError),
    /// The text cannot be read.
    #[error("its text cannot be read: {0}: expected a grid with short texts (description, source, tags)")]
    Unreadable(#[from] GridReadError),
    /// The text is that of another grid.
    #[error("its text is that of another grid")]
    Another,
}

impl GridRecord {
    /// Of a grid.
    ///
    /// # Errors
    /// If the referee refuses it, or if it could not be read back.
    pub fn new(grid: &Grid, source: GridSource, catalogue: &Catalogue) -> Result<GridRecord, GridError> {
        judge(grid)?;
        let record = GridRecord {
            key: canonical_key(grid.variant, &grid.moves),
            variant: grid.variant,
            score: grid.moves.len() as u32,
            moves_left: grid.moves_left().unwrap_or(0) as u32,
            record: catalogue.equal(grid.variant, &grid.moves).map(|known| known.name.to_owned()),
            source,
            msr: write_compact(grid)?,
        };
        record.grid()?;
        Ok(record)
    }

    /// The key that the grid takes if its canonical key belongs to a game of another variant: each grid of 5D is one
    /// of 5T, too, and has the same lines there.
    pub fn key_beside(&self) -> u64 {
        key_of_variant(self.variant, self.key)
    }

    /// Gives the grid the other key if `holder`, which has its own one, is a game of another variant, or if it is
    /// there under the other key already, as `beside`: the game that was stored before it has been removed since.
    pub fn make_way(&mut self, holder: Option<&GridRecord>, beside: Option<&GridRecord>) {
        let is_taken = holder.is_some_and(|holder| holder.key == self.key && holder.variant != self.variant);
        let other = self.key_beside();
        if is_taken || beside.is_some_and(|beside| beside.key == other && beside.variant == self.variant) {
            self.key = other;
        }
    }

    /// The same lines as a game of another variant that a job has found, where they are stored beside this one.
    ///
    /// # Errors
    /// If they are no game of that variant.
    pub fn of_variant(&self, variant: Variant, job: u64, catalogue: &Catalogue) -> Result<GridRecord, GridError> {
        let source = GridSource { job: Some(job), unit: None, seconds: None, time: self.source.time };
        let mut record = GridRecord::new(&Grid { variant, ..self.grid()? }, source, catalogue)?;
        record.make_way(Some(self), None);
        Ok(record)
    }

    /// The grid itself.
    ///
    /// # Errors
    /// If an earlier version of the program stored what the referee refuses, or what cannot be read.
    pub fn grid(&self) -> Result<Grid, GridError> {
        let grid = self.unjudged()?;
        judge(&grid)?;
        let canonical = canonical_key(grid.variant, &grid.moves);
        let is_key = [canonical, key_of_variant(grid.variant, canonical)].contains(&self.key);
        if is_key && grid.moves.len() == self.score as usize { Ok(grid) } else { Err(GridError::Another) }
    }

    /// The grid as its text tells it, without asking the referee again: for what is compared and counted, never for a
    /// grid that is shown or written.
    ///
    /// # Errors
    /// If the text cannot be read.
    pub fn unjudged(&self) -> Result<Grid, GridReadError> {
        Ok(read(self.msr.as_bytes(), Some(self.variant))?.grid)
    }
}

fn judge(grid: &Grid) -> Result<(), GridError> {
    let variant = grid.variant;
    if !grid.start.is_cross() {
        return Err(GridError::OtherStart(grid.start.name()));
    }
    referee::replay(variant, &grid.moves).map(drop).map_err(|source| GridError::Refused { variant, source })
}

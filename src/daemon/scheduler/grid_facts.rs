//! What lists tell of grids, kept in memory: to read a grid from its text takes a hundred times as long as to look it
//! up.

use crate::notation::catalogue::Catalogue;
use crate::notation::facts::GridFacts;
use crate::store::grids::GridRecord;
use ahash::AHashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// So many are kept, each in some 100 bytes; when there are more, all are forgotten.
const MOST: usize = 200_000;

/// The facts of the grids that were last asked for, by key; `None`: the grid cannot be read.
#[derive(Debug, Default)]
pub struct FactsOfGrids(Mutex<AHashMap<u64, Option<GridFacts>>>);

impl FactsOfGrids {
    fn lock(&self) -> MutexGuard<'_, AHashMap<u64, Option<GridFacts>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The facts of a stored grid; `None` if it cannot be read.
    pub fn of(&self, record: &GridRecord, catalogue: &Catalogue) -> Option<GridFacts> {
        if let Some(known) = self.lock().get(&record.key) {
            return known.clone();
        }
        let grid = record.unjudged().ok();
        let facts = grid.map(|grid| GridFacts::of(grid.variant, &grid.moves, catalogue));
        let mut kept = self.lock();
        if kept.len() >= MOST {
            kept.clear();
        }
        kept.insert(record.key, facts.clone());
        facts
    }

    /// Forgets those of a grid that is no longer there.
    pub fn forget(&self, key: u64) {
        self.lock().remove(&key);
    }
}

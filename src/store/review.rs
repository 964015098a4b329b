//! A single review of the grids that earlier versions of the program stored. They did not ask the referee again under
//! the variant that a grid was stored with, nor read back what they wrote. What cannot be shown leaves all lists and
//! is set apart. The store notes that it was done.

use super::change::Change;
use super::grids::GridRecord;
use super::tables::{self, GRIDS, INDEX, index_parts, index_range_of_jobs, opened};
use super::{Store, StoreError};
use crate::morpion::referee;
use crate::morpion::variant::Variant;
use std::collections::{BTreeMap, BTreeSet};

/// Name of the number of the last review.
const REVIEWED: &str = "grids reviewed";
/// Number of the present review. It is raised when a bound of the readers of grids becomes tighter.
const REVIEW: u64 = 1;

/// Notes that the review is done.
pub fn done() -> Change {
    Change::Number(REVIEWED, REVIEW)
}

/// Notes that a review is due.
pub fn due() -> Change {
    Change::Number(REVIEWED, 0)
}

/// What a review found.
#[derive(Debug, Default)]
pub struct GridReview {
    /// What is to be done, the note that the review is done included.
    pub changes: Vec<Change>,
    /// Grids that are set apart.
    pub apart: BTreeSet<u64>,
    /// Job and key: grids that are not those of the job's variant.
    pub foreign: BTreeSet<(u64, u64)>,
}

impl Store {
    /// Reviews all grids and the lists of the grids of jobs, if that was not done yet. `jobs` has the variant of each
    /// hunt.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn review_grids(&self, jobs: &BTreeMap<u64, Variant>) -> Result<Option<GridReview>, StoreError> {
        if self.number(REVIEWED)?.is_some_and(|reviewed| reviewed >= REVIEW) {
            return Ok(None);
        }
        let mut review = GridReview::default();
        self.each(GRIDS, .., |key, value| {
            let record: GridRecord = self.decode(value, tables::GRID, &format!("grid {key:016x}"))?;
            if record.key != key || record.grid().is_err() {
                review.apart.insert(key);
                review.changes.push(Change::SetApart(key));
            }
            Ok(true)
        })?;
        for (job, score, key) in self.found_by_jobs()? {
            // A job that has been removed has no list any more.
            let of_job = jobs.get(&job).map_or(Ok(false), |&variant| self.is_game_of(key, variant));
            if review.apart.contains(&key) || !of_job? {
                review.foreign.insert((job, key));
                review.changes.push(Change::NotOfJob(job, score, key));
            }
        }
        review.changes.push(done());
        Ok(Some(review))
    }

    /// Job, score and key of all grids in the lists of jobs.
    fn found_by_jobs(&self) -> Result<Vec<(u64, u32, u64)>, StoreError> {
        self.read(|transaction| {
            let Some(table) = opened(transaction.open_table(INDEX))? else { return Ok(Vec::new()) };
            let (from, to) = index_range_of_jobs();
            let mut found = Vec::new();
            for entry in table.range::<&[u8]>(from.as_slice()..to.as_slice())? {
                let (bytes, _) = entry?;
                let bytes = bytes.value();
                let job = bytes.get(1..9).and_then(|job| job.try_into().ok()).map(u64::from_be_bytes);
                if let (Some(job), Some((score, key))) = (job, index_parts(bytes)) {
                    found.push((job, score, key));
                }
            }
            Ok(found)
        })
    }

    /// Whether a grid is a game of this variant, too.
    fn is_game_of(&self, key: u64, variant: Variant) -> Result<bool, StoreError> {
        let Some(record) = self.grid(key)? else { return Ok(false) };
        let grid = record.grid().ok();
        Ok(record.variant == variant || grid.is_some_and(|grid| referee::replay(variant, &grid.moves).is_ok()))
    }
}

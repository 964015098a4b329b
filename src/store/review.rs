//! A single review of the grids that earlier versions of the program stored. They did not ask the referee again under
//! the variant that a grid was stored with, nor read back what they wrote. What cannot be shown leaves all lists and
//! is set apart. The store notes that it was done.
//!
//! Earlier versions listed a job's grid under the variant of whoever had found its lines first. It gets a place of
//! its own under the variant of the job (see [`GridRecord::key_beside`]).

use super::change::Change;
use super::grids::GridRecord;
use super::tables::{self, GRIDS, INDEX, index_parts, index_range_of_jobs, opened};
use super::{Store, StoreError};
use crate::morpion::variant::Variant;
use crate::notation::catalogue::Catalogue;
use std::collections::{BTreeMap, BTreeSet};

/// Name of the number of the last review.
const REVIEWED: &str = "grids reviewed";
/// Number of the present review. It is raised when a bound of the readers of grids becomes tighter.
const REVIEW: u64 = 2;
/// The first review, of which the second differs only in what it does with the lists of jobs.
const OF_GRIDS: u64 = 1;

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
    /// By job and key: the key of the same lines as a game of the job's variant, where they are listed from now on.
    pub moved: BTreeMap<(u64, u64), u64>,
}

impl Store {
    /// Reviews all grids and the lists of the grids of jobs, if that was not done yet. `jobs` has the variant of each
    /// hunt.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn review_grids(
        &self,
        jobs: &BTreeMap<u64, Variant>,
        catalogue: &Catalogue,
    ) -> Result<Option<GridReview>, StoreError> {
        let reviewed = self.number(REVIEWED)?.unwrap_or(0);
        if reviewed >= REVIEW {
            return Ok(None);
        }
        let mut review = GridReview::default();
        if reviewed < OF_GRIDS {
            self.each(GRIDS, .., |key, value| {
                let record: GridRecord = self.decode(value, tables::GRID, &format!("grid {key:016x}"))?;
                if record.key != key || record.grid().is_err() {
                    review.apart.insert(key);
                    review.changes.push(Change::SetApart(key));
                }
                Ok(true)
            })?;
        }
        for (job, score, key) in self.found_by_jobs()? {
            // A job that has been removed has no list any more.
            let variant = jobs.get(&job).copied().filter(|_| !review.apart.contains(&key));
            let grid = if variant.is_some() { self.grid(key)? } else { None };
            let (Some(variant), Some(grid)) = (variant, grid) else {
                review.foreign.insert((job, key));
                review.changes.push(Change::NotOfJob(job, score, key));
                continue;
            };
            if grid.variant == variant {
                continue;
            }
            review.changes.push(Change::NotOfJob(job, score, key));
            match grid.of_variant(variant, job, catalogue) {
                Ok(own) => {
                    review.moved.insert((job, key), own.key);
                    review.changes.push(Change::Grid(Box::new(own)));
                }
                Err(_) => _ = review.foreign.insert((job, key)),
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
}

//! Reads the records of all jobs when a daemon starts. What earlier versions of the program stored of grids is
//! reviewed once: a job does not name a best grid that is not a game of its variant.

use super::OpenError;
use crate::daemon::records::JobRecord;
use crate::notation::catalogue::Catalogue;
use crate::store::grids::Scope;
use crate::store::{Change, GridReview, Store, StoreError};

/// The records of all jobs, ascending by number.
///
/// # Errors
/// If the store cannot be read or written, or a newer version of the program wrote a record.
pub fn read_records(store: &Store, catalogue: &Catalogue) -> Result<Vec<JobRecord>, OpenError> {
    let (mut records, mut unreadable) = (Vec::new(), None);
    store.jobs(|id, bytes| match JobRecord::read(bytes) {
        Some(record) => records.push(record),
        None => unreadable = unreadable.or(Some(id)),
    })?;
    if let Some(id) = unreadable {
        return Err(OpenError::Record(id));
    }
    let variants = records.iter().filter_map(|record| Some((record.id(), record.summary.variant?))).collect();
    if let Some(GridReview { mut changes, foreign, moved, .. }) = store.review_grids(&variants, catalogue)? {
        for record in &mut records {
            if let Some(own) = record.best_grid.and_then(|key| moved.get(&(record.id(), key))) {
                record.best_grid = Some(*own);
                changes.push(Change::Job(record.id(), record.bytes()));
            }
            let is_foreign = record.best_grid.is_some_and(|key| foreign.contains(&(record.id(), key)));
            if is_foreign {
                let best = best_of(store, record.id(), |key| !foreign.contains(&(record.id(), key)))?;
                record.summary.best = best.map(|(score, _)| score);
                record.best_grid = best.map(|(_, key)| moved.get(&(record.id(), key)).copied().unwrap_or(key));
                changes.push(Change::Job(record.id(), record.bytes()));
            }
        }
        store.commit(changes)?;
    }
    Ok(records)
}

/// Score and key of the longest of the grids of a job that `counts`.
fn best_of(store: &Store, job: u64, counts: impl Fn(u64) -> bool) -> Result<Option<(u32, u64)>, StoreError> {
    let mut best = None;
    store.grid_keys(Scope::Job(job), None, |score, key| {
        best = counts(key).then_some((score, key));
        best.is_none()
    })?;
    Ok(best)
}

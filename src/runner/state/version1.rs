//! The formats of version 1, which had no counts of results. They are read, so that hunts begun with them continue.

use super::{InFlight, StoredCheckpoint};
use crate::core::histogram::{Histogram, Results};
use crate::core::search::End;
use crate::jobs::done::DoneSet;
use crate::jobs::hunt::{EndedUnit, Find, HuntRecord, HuntState, Totals};
use serde::Deserialize;

#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
struct OldStored {
    generation: u64,
    job: String,
    state: OldState,
    in_flight: Vec<InFlight>,
    seconds: f64,
    time_limit: Option<f64>,
    threads: u32,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
struct OldState {
    produced: u64,
    digest: u32,
    done: DoneSet,
    totals: Totals,
    best: Option<Find>,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
struct OldEnded {
    id: u64,
    check: u32,
    end: End,
    iterations: u64,
    best: u32,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
enum OldRecord {
    Best(Find),
    Ended(OldEnded),
}

/// The content of a checkpoint, with counts that begin at zero.
pub(super) fn checkpoint(payload: &[u8]) -> Result<StoredCheckpoint, postcard::Error> {
    let OldStored { generation, job, state, in_flight, seconds, time_limit, threads } =
        postcard::from_bytes(payload)?;
    let OldState { produced, digest, done, totals, best } = state;
    let (scores, results) = (Histogram::default(), Results::default());
    let state = HuntState { produced, digest, done, totals, best, scores, results, pipeline: None };
    Ok(StoredCheckpoint { generation, job, state, in_flight, seconds, time_limit, threads })
}

/// A record of a journal.
pub(super) fn record(payload: &[u8]) -> Result<HuntRecord, postcard::Error> {
    Ok(match postcard::from_bytes(payload)? {
        OldRecord::Best(best) => HuntRecord::Best(best),
        OldRecord::Ended(OldEnded { id, check, end, iterations, best }) => {
            HuntRecord::Ended(EndedUnit { id, check, end, iterations, best, results: Results::default() })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::{
        CHECKPOINT, CHECKPOINT_FORMAT, OpenedState, StateFiles, journal_header, journal_path, read, tests as newer,
    };
    use super::*;
    use std::fs;
    use std::path::Path;

    /// The files of a hunt of version 1 with one unit done in the checkpoint and one in the journal.
    fn write_old(dir: &Path) {
        let now = newer::checkpoint(&[newer::ended(0)]);
        let HuntState { produced, digest, done, totals, best, .. } = now.state;
        let stored = OldStored {
            generation: 0,
            job: serde_json::to_string(&now.job).unwrap(),
            state: OldState { produced, digest, done, totals, best },
            in_flight: now.in_flight,
            seconds: now.seconds,
            time_limit: now.time_limit,
            threads: now.workers + 1,
        };
        let payload = postcard::to_stdvec(&stored).unwrap();
        let (length, sum) = (payload.len() as u64, crc32fast::hash(&payload));
        let head = [&CHECKPOINT_FORMAT.head(1)[..], &length.to_le_bytes(), &sum.to_le_bytes()];
        fs::write(dir.join(CHECKPOINT), [&head.concat()[..], &payload].concat()).unwrap();
        let old = OldEnded { id: 1, check: 7, end: End::Finished, iterations: 5, best: 61 };
        let payload = postcard::to_stdvec(&OldRecord::Ended(old)).unwrap();
        let head = [(payload.len() as u32).to_le_bytes(), crc32fast::hash(&payload).to_le_bytes()].concat();
        fs::write(journal_path(dir, 0), [&journal_header(1, 0)[..], &head, &payload].concat()).unwrap();
    }

    #[test]
    fn a_hunt_of_version_1_is_read_and_goes_on_in_the_newest_one() {
        let dir = tempfile::tempdir().unwrap();
        write_old(dir.path());
        let OpenedState { files: mut store, mut checkpoint, records, .. } =
            StateFiles::open(dir.path(), u64::MAX).unwrap();
        assert!(store.is_old());
        assert_eq!((checkpoint.state.totals.units, checkpoint.state.produced), (1, 10));
        assert!(matches!(&records[..], [HuntRecord::Ended(ended)] if ended.best == 61 && ended.iterations == 5));
        records.iter().for_each(|record| checkpoint.state.apply(record));
        store.checkpoint(&checkpoint).unwrap();
        assert!(!store.is_old());
        store.append(&newer::ended(2)).unwrap();
        assert_eq!(read(dir.path()).unwrap(), (checkpoint, vec![newer::ended(2)]));
    }
}

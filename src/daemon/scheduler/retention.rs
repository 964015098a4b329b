//! What is kept of jobs that are over, so that the state of a daemon stays small over years.
//!
//! Of the newest jobs everything is kept. Of older ones the list of units goes, but for quarantined units: the sums
//! are in the record of the job, the scores in its folder. If a number of jobs to be kept is given, older ones are
//! removed as a client would remove them. The newest are those that ended last, as they are numbered when they end: a
//! clock that jumps removes nothing. Earlier versions did not number them: these ended before all others, and among
//! them the clock counts.

use super::RETRY;
use super::state::{Daemon, JobEntry, OverJob};
use crate::daemon::service::Refusal;
use crate::daemon::view::JobId;
use crate::store::Change;
use std::time::{Duration, Instant};

/// Jobs that are removed or summarised at a time, at most once a second.
const AT_ONCE: usize = 100;
/// Longest time after which what the disk has refused is tried again.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// What is kept of jobs that are over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Older jobs are removed; `None`: all are kept.
    pub jobs: Option<u64>,
    /// The units of older jobs are summarised.
    pub units: u64,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { jobs: None, units: 1000 }
    }
}

/// What the retention has still to do.
#[derive(Debug)]
pub struct Tidying {
    /// Perhaps more jobs are over than are kept as they are.
    pub due: bool,
    /// The disk has refused, so nothing is done until then.
    not_before: Option<Instant>,
    /// For how long it waits when the disk refuses next.
    wait: Duration,
}

impl Default for Tidying {
    fn default() -> Tidying {
        Tidying { due: true, not_before: None, wait: RETRY }
    }
}

impl Tidying {
    /// Whether something is to be done now; notes that it is done.
    fn begin(&mut self) -> bool {
        self.not_before.is_none_or(|at| Instant::now() >= at) && std::mem::take(&mut self.due)
    }

    /// The rest is to be done another time; `refused`: the disk has refused.
    fn put_off(&mut self, refused: bool) {
        self.due = true;
        self.not_before = refused.then(|| Instant::now() + self.wait);
        self.wait = if refused { LONGEST_WAIT.min(2 * self.wait) } else { RETRY };
    }
}

impl Daemon {
    /// Removes and summarises jobs that are over, if there are more than are kept. The first thing that the disk
    /// refuses ends it for now.
    pub(super) fn tidy(&self) {
        let Retention { jobs, units } = self.retention;
        let fits = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let mut core = self.lock();
        if !core.tidying.begin() {
            return;
        }
        let over = core.jobs.iter().filter_map(|(&id, entry)| match entry {
            JobEntry::Over(over) => Some((over.place(id), over.summarised, over.unreadable)),
            JobEntry::Open(_) => None,
        });
        let mut over: Vec<(EndPlace, bool, bool)> = over.collect();
        drop(core);
        over.sort_unstable_by(|(one, ..), (other, ..)| other.cmp(one));
        let mut removed = over.split_off(jobs.map_or(over.len(), |most| over.len().min(fits(most))));
        removed.retain(|&(_, _, unreadable)| !unreadable);
        let whole = over.into_iter().skip(fits(units));
        let whole: Vec<_> = whole.filter(|&(_, summarised, unreadable)| !summarised && !unreadable).collect();
        let more = removed.len() > AT_ONCE || whole.len() > AT_ONCE;
        let oldest = |of: Vec<(EndPlace, bool, bool)>| of.into_iter().rev().map(|(place, ..)| place).take(AT_ONCE);
        let done = oldest(removed)
            .map(|place| (place, self.remove_over(place.id, place.number)))
            .chain(oldest(whole).map(|place| (place, self.summarise(place.id, place.number))));
        let mut refused = false;
        for (EndPlace { id, number, .. }, done) in done {
            match done {
                // A client was faster.
                Ok(()) | Err(Refusal::NotFound(_) | Refusal::Conflict(_) | Refusal::Invalid(_)) => {}
                Err(Refusal::Internal(_)) => {
                    if let Some(over) = self.lock().over(id, number) {
                        over.unreadable = true;
                    }
                }
                Err(_) => {
                    refused = true;
                    break;
                }
            }
        }
        if more || refused {
            self.lock().tidying.put_off(refused);
        }
    }

    /// Takes the units of a job that is over out of the store, but for quarantined ones, unless it was tried again
    /// since the end of this number.
    pub(super) fn summarise(&self, id: JobId, number: u64) -> Result<(), Refusal> {
        if self.store.trouble().is_some() {
            self.store.barrier()?;
        }
        let mut record = self.record(id)?;
        let mut core = self.lock();
        // A client may have had it tried again, or removed it. Only the record of its last end is changed.
        let Some(over) = core.over(id, number).filter(|_| record.end_number == number) else { return Ok(()) };
        (record.summary.units_summarised, record.relisted) = (true, false);
        over.summarised = true;
        self.store.later(vec![Change::SummariseUnits(id), Change::Job(id, record.bytes())]);
        Ok(())
    }
}

/// When a job ended: by the number of its end, or by the clock if an earlier version ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct EndPlace {
    number: u64,
    milliseconds: i64,
    id: JobId,
}

impl OverJob {
    fn place(&self, id: JobId) -> EndPlace {
        EndPlace { number: self.end_number, milliseconds: (self.ended * 1000.0) as i64, id }
    }
}

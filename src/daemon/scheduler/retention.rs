//! What is kept of jobs that are over, so that the state of a daemon stays small over years.
//!
//! Of the newest jobs everything is kept. Of older ones the list of units goes, but for quarantined units: the sums
//! are in the record of the job, the scores in its folder. If a number of jobs to be kept is given, older ones are
//! removed as a client would remove them. The newest are those that ended last, as they are numbered when they end: a
//! clock that jumps removes nothing.

use super::state::{Daemon, JobEntry};
use crate::daemon::records::JobRecord;
use crate::daemon::view::JobId;
use crate::store::Change;

/// Jobs that are removed or summarised at a time, at most once a second.
const AT_ONCE: usize = 100;

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

impl Daemon {
    /// Removes and summarises jobs that are over, if there are more than are kept.
    pub(super) fn tidy(&self) {
        let Retention { jobs, units } = self.retention;
        let fits = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let mut core = self.lock();
        if !std::mem::take(&mut core.untidy) {
            return;
        }
        let over = core.jobs.iter().filter_map(|(&id, entry)| match entry {
            JobEntry::Over(over) => Some((over.end_number, id, over.summarised)),
            JobEntry::Open(_) => None,
        });
        let mut over: Vec<(u64, JobId, bool)> = over.collect();
        drop(core);
        over.sort_unstable_by(|one, other| other.cmp(one));
        let removed = over.split_off(jobs.map_or(over.len(), |most| over.len().min(fits(most))));
        let whole = over.into_iter().skip(fits(units)).filter(|&(_, _, summarised)| !summarised);
        let whole: Vec<JobId> = whole.map(|(_, id, _)| id).collect();
        let mut done = removed.len() <= AT_ONCE && whole.len() <= AT_ONCE;
        for &(_, id, _) in removed.iter().rev().take(AT_ONCE) {
            // What the disk refuses is tried again.
            done &= self.remove_job(id).is_ok();
        }
        for &id in whole.iter().rev().take(AT_ONCE) {
            done &= self.record(id).is_ok_and(|record| self.summarise(record));
        }
        if !done {
            self.lock().untidy = true;
        }
    }

    /// Takes the units of a job that is over out of the store, but for quarantined ones.
    fn summarise(&self, mut record: JobRecord) -> bool {
        let id = record.id();
        let mut core = self.lock();
        // A client may have had it tried again, or removed it.
        let Some(JobEntry::Over(over)) = core.jobs.get_mut(&id) else { return true };
        record.summary.units_summarised = true;
        over.summarised = true;
        self.store.later(vec![Change::SummariseUnits(id), Change::Job(id, record.bytes())]);
        true
    }
}

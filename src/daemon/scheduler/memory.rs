//! The memory of jobs: each is granted a part of the daemon's budget before it begins, in the order in which jobs get
//! a coordinator. One that does not fit waits. When jobs have grown beyond the budget, the last in that order gives
//! way; one that is too large for itself is quarantined.

use super::kind::CannotRun;
use super::state::{Core, Daemon, JobEntry, OpenJob};
use crate::core::quantity::mebibytes;
use crate::daemon::memory::MemoryNeed;
use crate::daemon::view::{JobId, JobState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// A job that waits for others looks again so often, whether it is told or not.
const LOOK: Duration = Duration::from_secs(1);

/// What an active job takes.
#[derive(Debug, Default)]
pub struct JobMemory {
    granted: AtomicU64,
    grown: AtomicU64,
}

impl JobMemory {
    /// What it was granted when it began: for its tables or searches.
    pub fn granted(&self) -> u64 {
        self.granted.load(Ordering::Relaxed)
    }

    /// It takes so much in addition, in what grows as it runs.
    pub fn set_grown(&self, bytes: u64) {
        self.grown.store(bytes, Ordering::Relaxed);
    }

    fn bytes(&self) -> u64 {
        self.granted().saturating_add(self.grown.load(Ordering::Relaxed))
    }
}

/// What all active jobs take but this one.
fn taken(core: &Core, but: Option<JobId>) -> u64 {
    let others = core.active.iter().filter(|&&id| Some(id) != but);
    others.fold(0, |sum, id| match core.jobs.get(id) {
        Some(JobEntry::Open(open)) => {
            sum.saturating_add(open.active.as_ref().map_or(0, |active| active.memory.bytes()))
        }
        _ => sum,
    })
}

impl Daemon {
    /// Whether a waiting job fits, as far as is known. What it needs is known once it has been tried.
    pub(super) fn fits(&self, core: &Core, id: JobId) -> bool {
        let needed = match core.jobs.get(&id) {
            Some(JobEntry::Open(open)) => open.needed,
            _ => 0,
        };
        // One that can never fit is tried: it is quarantined with the reason, and blocks nobody.
        core.active.is_empty() || needed > self.budget || needed <= self.budget.saturating_sub(taken(core, None))
    }

    /// Takes a part of the budget for a job that has a coordinator. Those that come before it take theirs first. Jobs
    /// that the next death of the daemon would quarantine begin one after the other, so that only the guilty one is.
    pub(super) fn grant_memory(&self, id: JobId, need: MemoryNeed) -> Result<Arc<JobMemory>, CannotRun> {
        let most = self.most_deaths;
        let goes_first = |open: &OpenJob| {
            let on_trial =
                most > 1 && open.record.starts >= most - 1 && open.record.summary.state != JobState::Paused;
            on_trial || open.active.as_ref().is_some_and(|active| active.memory.granted() == 0)
        };
        let mut core = self.lock();
        while core.is_before(id, goes_first) && !core.is_cancelled(id) {
            core = self.changed.wait_timeout(core, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        let (budget, alone) = (self.budget, core.active.len() <= 1);
        let free = budget.saturating_sub(taken(&core, Some(id)));
        let gone = || CannotRun::Refused("it is not there any more".to_owned());
        let open = core.open(id).ok_or_else(gone)?;
        // What it had grown to is still in its file.
        let grown = open.active.as_ref().map_or(0, |active| active.memory.grown.load(Ordering::Relaxed));
        open.needed = need.least.saturating_add(open.grown.max(grown));
        if open.needed > budget {
            return Err(CannotRun::Quarantined(format!(
                "it needs {} of memory at least, and all jobs of the daemon may take {}: start the daemon with a \
                 larger --memory",
                mebibytes(open.needed),
                mebibytes(budget)
            )));
        }
        if open.needed > free && !alone {
            return Err(CannotRun::Waits(format!(
                "it waits for memory: it needs {}, and {} of the daemon's {} are free",
                mebibytes(open.needed),
                mebibytes(free),
                mebibytes(budget)
            )));
        }
        let active = open.active.as_ref().ok_or_else(gone)?;
        let memory = Arc::clone(&active.memory);
        // What is left is for what grows, and for the next job.
        let spare = free.saturating_sub(open.grown) / 4 * 3;
        memory.granted.store(need.wanted.min(spare).max(need.least).max(1), Ordering::Relaxed);
        memory.set_grown(open.grown);
        drop(core);
        self.changed.notify_all();
        Ok(memory)
    }

    /// Orders a job to give way if all together have grown beyond the budget. Lets waiting jobs begin that fit now.
    pub(super) fn check_memory(&self, core: &mut Core) {
        let budget = self.budget;
        if taken(core, None) <= budget {
            if core.waiting.first().is_some_and(|&(_, id)| self.fits(core, id)) {
                self.admit(core);
            }
            return;
        }
        let place = |id: &JobId| match core.jobs.get(id) {
            Some(JobEntry::Open(open)) => Some(open.place()),
            _ => None,
        };
        let Some(id) = core.active.iter().copied().max_by_key(place) else { return };
        let alone = core.active.len() == 1;
        let Some(open) = core.open(id) else { return };
        let tables = open.needed.saturating_sub(open.grown);
        let Some(active) = open.active.as_mut() else { return };
        // With fewer tables it may fit: then it only begins again.
        let least = tables.saturating_add(active.memory.grown.load(Ordering::Relaxed));
        if alone && least > budget && active.too_large.is_none() {
            active.too_large = Some(format!(
                "it takes {} of memory, and all jobs of the daemon may take {}: start the daemon with a larger \
                 --memory",
                mebibytes(active.memory.bytes()),
                mebibytes(budget)
            ));
        }
        active.stop();
    }
}

impl Core {
    /// Whether an active job has been cancelled.
    fn is_cancelled(&mut self, id: JobId) -> bool {
        self.open(id).is_none_or(|open| open.active.is_none() || open.record.cancelled)
    }

    /// Whether there is an active job that comes before this one and for which `holds`.
    fn is_before(&self, id: JobId, holds: impl Fn(&OpenJob) -> bool) -> bool {
        let open = |id: &JobId| match self.jobs.get(id) {
            Some(JobEntry::Open(open)) => Some(&**open),
            _ => None,
        };
        let Some(place) = open(&id).map(OpenJob::place) else { return false };
        self.active.iter().filter_map(open).any(|other| !other.ending && other.place() < place && holds(other))
    }
}

impl OpenJob {
    /// Keeps what the job has grown to, for the next time that it begins.
    pub fn keep_growth(&mut self) {
        if let Some(active) = &self.active {
            self.grown = active.memory.grown.load(Ordering::Relaxed);
            self.needed = self.needed.max(self.grown);
        }
    }
}

//! Commands of clients to jobs. Each call returns when its effect is real and durable. If a coordinator does not
//! answer, it returns after [`PATIENCE`] all the same; the order stands, and the job's view says that it is pending.

use super::active::{ActiveJob, PATIENCE, give};
use super::kind::CannotRun;
use super::state::{Core, Daemon, JobEntry, OverJob};
use super::submission::{check_terms, invalid};
use crate::daemon::folder::FolderClaim;
use crate::daemon::service::{Adjustment, JobCommand, Refusal};
use crate::daemon::view::{BeginDocument, EventKind, JobId, JobState, JobView};
use crate::jobs::ending::JobEnd;
use crate::runner::orders::{NotDone, SessionOrder};
use crate::store::{Change, ForgottenJob, UnitRecord};
use crossbeam_channel::RecvTimeoutError;
use std::sync::{MutexGuard, PoisonError};

/// What is wrong with a job that is to be removed and is not over.
const NOT_OVER: &str = "is not over: cancel it first";

fn no_job(id: JobId) -> Refusal {
    Refusal::NotFound(format!("job {id}"))
}

impl Daemon {
    pub(super) fn command_job(&self, id: JobId, command: JobCommand) -> Result<JobView, Refusal> {
        if command == JobCommand::Retry {
            self.retry(id)?;
        } else {
            self.command_open(id, command)?;
        }
        self.store.barrier()?;
        self.note_open(id);
        self.show_job(id)
    }

    /// Carries out a command to a job that is not over.
    fn command_open(&self, id: JobId, command: JobCommand) -> Result<(), Refusal> {
        let mut core = self.lock_open(id)?;
        if core.open(id).is_some_and(|open| open.record.cancelled) && command != JobCommand::Cancel {
            return Err(Refusal::Conflict(format!("job {id} is being cancelled")));
        }
        match command {
            JobCommand::Pause => self.pause(core, id)?,
            JobCommand::Resume => self.resume(core, id)?,
            JobCommand::Cancel => self.cancel(core, id),
            JobCommand::Drain => self.drain(core, id),
            JobCommand::Retry => {}
        }
        Ok(())
    }

    fn pause(&self, mut core: MutexGuard<'_, Core>, id: JobId) -> Result<(), Refusal> {
        let Some(open) = core.open(id) else { return Err(no_job(id)) };
        if open.record.summary.state == JobState::Draining {
            return Err(Refusal::Conflict(format!("job {id} is draining: cancel it, or wait for its end")));
        }
        let paused = open.active.as_mut().map(ActiveJob::pause);
        self.set_state(&mut core, id, JobState::Paused);
        core.leave(id);
        drop(core);
        if let Some(paused) = paused
            && paused.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout)
            && let Some(active) = self.lock().open(id).and_then(|open| open.active.as_mut())
        {
            active.has_paused();
        }
        self.keep_standing(id);
        Ok(())
    }

    /// Stores the figures that an active job last reported.
    pub(super) fn keep_standing(&self, id: JobId) {
        let mut core = self.lock();
        let Some(open) = core.going_on(id) else { return };
        let standing = open.active.as_ref().and_then(|active| active.live().standing.clone());
        if let Some(standing) = standing {
            open.record.update(&standing);
            self.store.later(vec![Change::Job(id, open.record.bytes())]);
        }
    }

    /// Lets a failed job wait for its turn again. It continues with what its folder has; units that were quarantined
    /// are tried again.
    fn retry(&self, id: JobId) -> Result<(), Refusal> {
        self.check_failed(&self.lock(), id, None)?;
        let mut record = self.record(id)?;
        let end_number = record.end_number;
        let mut changes = Vec::new();
        self.store.units(id, 0, |unit, record| {
            if record.quarantined {
                changes.push(Change::Unit(id, unit, UnitRecord { quarantined: false, ..record }));
            }
            true
        })?;
        let summary = &mut record.summary;
        let state = if summary.began.is_some() { JobState::Running } else { JobState::Queued };
        (summary.state, summary.reason, summary.ended, summary.units_quarantined) = (state, None, None, 0);
        (record.starts, record.end_number) = (0, 0);
        let mut core = self.lock();
        // Another client may have been faster.
        self.check_failed(&core, id, Some(end_number))?;
        // So may the retention. What is gone stays gone, and the units from now on are summarised another time.
        let was_summarised = core.over(id, end_number).is_some_and(|over| over.summarised);
        record.summary.units_summarised |= was_summarised;
        record.relisted = record.summary.units_summarised;
        changes.push(Change::Job(id, record.bytes()));
        self.store.later(changes);
        core.add(record);
        self.publish(Some(id), EventKind::State { state, reason: None });
        self.admit(&mut core);
        Ok(())
    }

    /// Refuses unless a job has failed, and not again since the end of this number.
    fn check_failed(&self, core: &Core, id: JobId, end_number: Option<u64>) -> Result<(), Refusal> {
        let over = self.find_over(core, id, "has not failed: only a failed job is tried again")?;
        if over.state != JobState::Failed {
            return Err(Refusal::Conflict(format!("job {id} has not failed: only a failed job is tried again")));
        }
        if end_number.is_some_and(|number| number != over.end_number) {
            return Err(Refusal::Conflict(format!("job {id} was tried again by somebody else meanwhile")));
        }
        Ok(())
    }

    /// A job that is over and that nobody removes; `open` is what is wrong with one that is not over.
    fn find_over<'a>(&self, core: &'a Core, id: JobId, open: &str) -> Result<&'a OverJob, Refusal> {
        match core.jobs.get(&id) {
            None => Err(no_job(id)),
            Some(JobEntry::Over(over)) if over.removing => {
                Err(Refusal::Conflict(format!("job {id} is being removed")))
            }
            Some(JobEntry::Over(over)) => Ok(over),
            Some(JobEntry::Open(_)) if core.unsettled.contains(&id) => {
                let reason = self.store.trouble().unwrap_or_else(|| "it will be stored soon".to_owned());
                Err(Refusal::Unavailable(format!("the end of job {id} is not stored yet: {reason}")))
            }
            Some(JobEntry::Open(_)) => Err(Refusal::Conflict(format!("job {id} {open}"))),
        }
    }

    fn resume(&self, mut core: MutexGuard<'_, Core>, id: JobId) -> Result<(), Refusal> {
        let Some(open) = core.open(id) else { return Err(no_job(id)) };
        if open.record.summary.state != JobState::Paused {
            return Err(Refusal::Conflict(format!("job {id} is not paused")));
        }
        // It may have been quarantined.
        (open.record.summary.reason, open.record.starts, open.grown, open.needed) = (None, 0, 0, 0);
        let orders = open.active.as_ref().map(ActiveJob::orders);
        let state = if open.record.summary.began.is_some() { JobState::Running } else { JobState::Queued };
        self.set_state(&mut core, id, state);
        match orders {
            Some(orders) => {
                drop(core);
                if give(&orders, SessionOrder::GoOn) == Err(NotDone::Ended) {
                    self.wait_again(id);
                }
            }
            None => {
                core.wait(id);
                self.admit(&mut core);
            }
        }
        Ok(())
    }

    fn cancel(&self, mut core: MutexGuard<'_, Core>, id: JobId) {
        let Some(open) = core.open(id) else { return };
        let is_active = open.active.is_some();
        if let Some(active) = &open.active {
            active.stop();
            open.record.cancelled = true;
            self.store.later(vec![Change::Job(id, open.record.bytes())]);
        }
        core.leave(id);
        if is_active {
            drop(self.wait_until_inactive(core, id));
        } else {
            self.end_job(core, id, JobState::Cancelled, None);
        }
    }

    fn drain(&self, mut core: MutexGuard<'_, Core>, id: JobId) {
        let Some(open) = core.open(id) else { return };
        let (place, orders) = (open.place(), open.active.as_ref().map(ActiveJob::orders));
        let began = open.record.summary.began.is_some();
        if let Some(orders) = orders {
            self.set_state(&mut core, id, JobState::Draining);
            drop(core);
            // A coordinator that has ended has ended as was wished.
            let _ = give(&orders, SessionOrder::Drain);
        } else if began {
            self.set_state(&mut core, id, JobState::Draining);
            core.waiting.insert(place);
            self.admit(&mut core);
        } else {
            core.leave(id);
            self.end_job(core, id, JobState::Finished, Some(JobEnd::Drained.name().to_owned()));
        }
    }

    /// Locks the daemon's state, if it holds the job and the job is not over.
    fn lock_open(&self, id: JobId) -> Result<MutexGuard<'_, Core>, Refusal> {
        let core = self.lock();
        match core.jobs.get(&id) {
            None => Err(no_job(id)),
            Some(JobEntry::Open(open)) if !open.ending => Ok(core),
            Some(_) => Err(Refusal::Conflict(format!("job {id} is over"))),
        }
    }

    fn set_state(&self, core: &mut Core, id: JobId, state: JobState) {
        let Some(open) = core.open(id) else { return };
        if open.record.summary.state != state {
            open.record.summary.state = state;
            self.store.later(vec![Change::Job(id, open.record.bytes())]);
            self.publish(Some(id), EventKind::State { state, reason: None });
        }
    }

    /// Waits until a job has no coordinator, for some seconds at most.
    fn wait_until_inactive<'a>(&self, core: MutexGuard<'a, Core>, id: JobId) -> MutexGuard<'a, Core> {
        let waited = self.changed.wait_timeout_while(core, PATIENCE, |core| core.active.contains(&id));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Lets a job wait for another coordinator after its last one has ended. One that ends later than this does so by
    /// itself, since the job is not paused.
    fn wait_again(&self, id: JobId) {
        let mut core = self.wait_until_inactive(self.lock(), id);
        if core.active.contains(&id) {
            return;
        }
        if let Some(open) = core.open(id)
            && !open.ending
            && open.record.summary.state != JobState::Paused
        {
            let place = open.place();
            core.waiting.insert(place);
            self.admit(&mut core);
        }
    }

    pub(super) fn adjust_job(&self, id: JobId, adjustment: Adjustment) -> Result<JobView, Refusal> {
        let mut core = self.lock_open(id)?;
        let Some(open) = core.open(id) else { return Err(no_job(id)) };
        let before = open.place();
        let summary = &mut open.record.summary;
        let priority = adjustment.priority.unwrap_or(summary.priority);
        let weight = adjustment.weight.unwrap_or(summary.weight);
        let limits = match adjustment.limits {
            None => summary.limits,
            Some(limits) => limits.replacing(&summary.limits).or_else(invalid)?,
        };
        check_terms(priority, weight, &limits)?;
        if let Some(begin) = adjustment.begin {
            core.change_begin(id, begin)?;
        }
        let Some(open) = core.open(id) else { return Err(no_job(id)) };
        let summary = &mut open.record.summary;
        (summary.priority, summary.weight, summary.limits) = (priority, weight, limits);
        let after = open.place();
        self.store.later(vec![Change::Job(id, open.record.bytes())]);
        let orders = open.active.as_ref().map(ActiveJob::orders);
        if core.waiting.remove(&before) {
            core.waiting.insert(after);
        }
        core.hold_or_release(id);
        self.admit(&mut core);
        drop(core);
        if let Some(orders) = orders {
            let (limits, terms) = self.limits_and_terms(&limits, priority, weight);
            // The next coordinator of the job reads them when it begins.
            let _ = give(&orders, SessionOrder::Adjust(limits, terms));
        }
        if let Some(BeginDocument { after: Some(after), .. }) = adjustment.begin {
            // It may have ended meanwhile.
            self.settle_awaited(after);
        }
        self.store.barrier()?;
        self.show_job(id)
    }

    pub(super) fn remove_job(&self, id: JobId) -> Result<(), Refusal> {
        let end_number = self.find_over(&self.lock(), id, NOT_OVER)?.end_number;
        self.remove_over(id, end_number)
    }

    /// Removes a job that is over, unless it was tried again since the end of this number.
    pub(super) fn remove_over(&self, id: JobId, end_number: u64) -> Result<(), Refusal> {
        let mut core = self.lock();
        self.find_over(&core, id, NOT_OVER)?;
        let tried_again = || Refusal::Conflict(format!("job {id} was tried again meanwhile"));
        // From here on nobody tries it again.
        core.over(id, end_number).ok_or_else(tried_again)?.removing = true;
        drop(core);
        let forgotten = self.forget(id);
        let mut core = self.lock();
        match (&forgotten, core.jobs.get_mut(&id)) {
            (Err(_), Some(JobEntry::Over(over))) => over.removing = false,
            _ => _ = core.jobs.remove(&id),
        }
        drop(core);
        if forgotten? {
            let removed = self.directory.remove_job(id);
            removed.map_err(|error| Refusal::Unavailable(error.to_string()))?;
        }
        self.store.later(vec![Change::Purged(id)]);
        Ok(())
    }

    /// Takes a job out of the store; whether its folder is its own. A folder that belongs to another job stays.
    fn forget(&self, id: JobId) -> Result<bool, Refusal> {
        let record = self.record(id)?;
        let is_foreign = matches!(self.examine_folder(&record), Err(CannotRun::Foreign(_)));
        let spec = self.store.spec(id)?.unwrap_or_default();
        let identity = Some(FolderClaim { record: &record, spec: &spec }.identity());
        self.store.commit(vec![Change::Forget(ForgottenJob { id, key: record.key, identity })])?;
        Ok(!is_foreign)
    }
}

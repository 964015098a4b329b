//! Which jobs have a coordinator: starting one, stopping one to make room, absorbing its end.

use super::active::ActiveJob;
use super::kind::CoordinatorEnd;
use super::state::{Core, Daemon, JobEntry, OpenJob};
use crate::daemon::records::{JobRecord, JobStanding};
use crate::daemon::view::{EventKind, JobId, JobState, JobSummary, QUARANTINED};
use crate::jobs::ending::JobEnd;
use crate::runner::clock::now;
use crate::store::Change;
use std::cmp::Reverse;
use std::sync::MutexGuard;
use std::time::Instant;

impl Daemon {
    /// Gives coordinators to waiting jobs as long as there is room, and makes room for jobs of a higher priority.
    pub(super) fn admit(&self, core: &mut Core) {
        if core.closing.is_some() {
            return;
        }
        while let Some(&(Reverse(priority), id)) = core.waiting.first() {
            if core.active.len() >= self.most_active() || !self.fits(core, id) {
                self.make_room(core, priority);
                return;
            }
            core.waiting.pop_first();
            if let Err(error) = self.start(core, id) {
                core.waiting.insert((Reverse(priority), id));
                core.trouble = Some((format!("cannot start a thread: {error}"), Instant::now()));
                return;
            }
        }
    }

    /// Stops one active job if the waiting one comes first: a paused job, or one of a lower priority. There is room
    /// when it has ended.
    fn make_room(&self, core: &mut Core, priority: i32) {
        let mut last: Option<(i32, JobId)> = None;
        for &id in &core.active {
            let Some(JobEntry::Open(open)) = core.jobs.get(&id) else { continue };
            let summary = &open.record.summary;
            // A paused job counts as lower than all others.
            let rank = if summary.state == JobState::Paused { i32::MIN } else { summary.priority };
            if rank < priority && last.is_none_or(|(least, _)| rank <= least) {
                last = Some((rank, id));
            }
        }
        if let Some((_, id)) = last
            && let Some(JobEntry::Open(open)) = core.jobs.get(&id)
            && let Some(active) = &open.active
        {
            active.stop();
        }
    }

    fn start(&self, core: &mut Core, id: JobId) -> std::io::Result<()> {
        let Some(open) = core.open(id) else { return Ok(()) };
        let (active, ordered) = ActiveJob::new();
        let live = active.live.clone();
        if open.record.summary.state == JobState::Draining {
            active.drain();
        }
        let this = self.this.clone();
        std::thread::Builder::new().name(format!("job {id}")).spawn(move || {
            let Some(daemon) = this.upgrade() else { return };
            let (end, standing) = daemon.run_job(id, &live, &ordered);
            // Orders from now on find nobody.
            drop(ordered);
            daemon.absorb_end(id, end, standing.as_ref());
        })?;
        open.active = Some(active);
        core.active.insert(id);
        Ok(())
    }

    /// A job puts units into the queue from now on.
    pub(super) fn job_began(&self, id: JobId) {
        let mut core = self.lock();
        let Some(open) = core.open(id) else { return };
        open.refused = None;
        open.record.summary.began.get_or_insert_with(now);
        if open.record.summary.state == JobState::Queued {
            open.record.summary.state = JobState::Running;
            self.store.later(vec![Change::Job(id, open.record.bytes())]);
            drop(core);
            self.publish(Some(id), EventKind::State { state: JobState::Running, reason: None });
        }
    }

    /// The disk accepts the data of jobs again.
    pub(super) fn disk_recovered(&self) {
        self.lock().trouble = None;
    }

    /// Absorbs the end of a job's coordinator.
    fn absorb_end(&self, id: JobId, end: CoordinatorEnd, standing: Option<&JobStanding>) {
        let mut core = self.lock();
        let closing = core.closing;
        let Some(open) = core.open(id) else { return };
        let cancelled = open.record.cancelled;
        if let Some(standing) = standing {
            open.record.update(standing);
        }
        open.record.starts = 0;
        open.keep_growth();
        let too_large = open.active.as_mut().and_then(|active| active.too_large.take());
        let end = match (end, too_large) {
            (CoordinatorEnd::Stopped, Some(reason)) => CoordinatorEnd::Quarantined(reason),
            (end, _) => end,
        };
        if let CoordinatorEnd::Refused(reason) | CoordinatorEnd::Waits(reason) = &end {
            open.refused = Some(reason.clone());
        }
        let state = open.record.summary.state;
        let over = match &end {
            _ if cancelled => Some((JobState::Cancelled, None)),
            // A job that drains because the daemon ends continues later.
            CoordinatorEnd::Finished(JobEnd::Drained) if closing.is_some() && state != JobState::Draining => None,
            CoordinatorEnd::Finished(end) => Some((JobState::Finished, Some(end.name().to_owned()))),
            CoordinatorEnd::Failed(reason) => Some((JobState::Failed, Some(reason.clone()))),
            CoordinatorEnd::Stopped
            | CoordinatorEnd::Refused(_)
            | CoordinatorEnd::Waits(_)
            | CoordinatorEnd::Quarantined(_) => None,
        };
        if let (CoordinatorEnd::Quarantined(why), None) = (&end, &over) {
            self.quarantine(open, why);
        }
        if let Some((state, reason)) = over {
            self.end_job(core, id, state, reason);
            core = self.lock();
        } else {
            self.store.later(vec![Change::Job(id, open.record.bytes())]);
            let place = (open.record.summary.state != JobState::Paused).then_some(open.place());
            open.active = None;
            core.active.remove(&id);
            core.waiting.extend(place);
        }
        match end {
            // The job is tried again after a while.
            CoordinatorEnd::Refused(reason) => core.trouble = Some((reason, Instant::now())),
            _ => self.admit(&mut core),
        }
        drop(core);
        self.changed.notify_all();
    }

    /// Sets a job apart until somebody resumes it.
    fn quarantine(&self, open: &mut OpenJob, why: &str) {
        let id = open.record.id();
        let reason = Some(format!("{QUARANTINED}{why}; `morpion job resume {id}` tries it again"));
        open.refused = None;
        let summary = &mut open.record.summary;
        (summary.state, summary.reason) = (JobState::Paused, reason.clone());
        self.publish(Some(id), EventKind::State { state: JobState::Paused, reason });
    }

    /// Ends a job for good. It is shown as over when its record is safe, or when the disk refuses: then the store
    /// keeps the record in memory and writes it when it can. Whoever calls this has found under the same lock that
    /// the job is to end.
    pub(super) fn end_job(&self, core: MutexGuard<'_, Core>, id: JobId, state: JobState, reason: Option<String>) {
        if self.end_one(core, id, state, reason) {
            self.settle_awaited(id);
        }
    }

    /// The same without those that wait for it; whether it was to end.
    pub(super) fn end_one(
        &self,
        mut core: MutexGuard<'_, Core>,
        id: JobId,
        state: JobState,
        reason: Option<String>,
    ) -> bool {
        let number = core.last_end + 1;
        let Some(open) = core.going_on(id) else { return false };
        // Nobody changes it any more.
        open.ending = true;
        let mut record = JobRecord { cancelled: false, end_number: number, ..open.record.clone() };
        record.summary = JobSummary { state, reason: reason.clone(), ended: Some(now()), ..record.summary };
        core.last_end = number;
        self.store.later(vec![Change::Job(id, record.bytes())]);
        drop(core);
        let stored = self.store.barrier().is_ok();
        self.note_state(&record);
        let mut core = self.lock();
        if stored {
            core.settle(record);
        } else if let Some(open) = core.open(id) {
            open.record = record;
            open.active = None;
            core.active.remove(&id);
            core.unsettled.insert(id);
        }
        self.publish(Some(id), EventKind::State { state, reason });
        true
    }

    /// Lets the jobs be over whose ends the disk had refused, if the store has them now.
    pub(super) fn settle_ends(&self) {
        let unsettled = self.lock().unsettled.clone();
        // The store itself tries again what it has kept, and says when it could write it.
        if unsettled.is_empty() || self.store.trouble().is_some() || self.store.barrier().is_err() {
            return;
        }
        for id in unsettled {
            let Some(record) = self.lock().open(id).map(|open| open.record.clone()) else { continue };
            self.note_state(&record);
            self.lock().settle(record);
        }
    }
}

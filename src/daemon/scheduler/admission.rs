//! Which jobs have a coordinator: starting one, sending one away, taking in its end.

use super::active::{ActiveJob, CoordinatorEnd};
use super::{Core, Daemon, JobEntry, Shutdown, now};
use crate::daemon::records::{JobRecord, JobStanding};
use crate::daemon::view::{EventKind, JobId, JobState};
use crate::jobs::ending::JobEnd;
use crate::store::Change;
use std::cmp::Reverse;
use std::time::Instant;

impl Daemon {
    /// Gives coordinators to waiting jobs as long as there is room, and makes room for those of a higher priority.
    pub(super) fn admit(&self, core: &mut Core) {
        if core.closing.is_some() {
            return;
        }
        while let Some(&(Reverse(priority), id)) = core.waiting.first() {
            if core.active.len() >= self.most_active() {
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

    /// Sends one job away, if one waits that comes first: a paused one, or one of a lower priority. Its end makes room.
    fn make_room(&self, core: &mut Core, priority: i32) {
        let mut last: Option<(i32, JobId)> = None;
        for &id in &core.active {
            let Some(JobEntry::OpenJob(open)) = core.jobs.get(&id) else { continue };
            // A paused one counts as below all.
            let rank = if open.record.state == JobState::Paused { i32::MIN } else { open.record.priority };
            if rank < priority && last.is_none_or(|(least, _)| rank <= least) {
                last = Some((rank, id));
            }
        }
        if let Some((_, id)) = last
            && let Some(JobEntry::OpenJob(open)) = core.jobs.get(&id)
            && let Some(active) = &open.active
        {
            active.end(Shutdown::Now);
        }
    }

    fn start(&self, core: &mut Core, id: JobId) -> std::io::Result<()> {
        let Some(open) = core.open(id) else { return Ok(()) };
        let (active, ordered) = ActiveJob::new();
        let live = active.live.clone();
        if open.record.state == JobState::Draining {
            active.end(Shutdown::WhenUnitsEnd);
        }
        let this = self.this.clone();
        std::thread::Builder::new().name(format!("job {id}")).spawn(move || {
            let Some(daemon) = this.upgrade() else { return };
            let (ended, standing) = daemon.drive(id, &live, &ordered);
            // Orders that come now find nobody.
            drop(ordered);
            daemon.take_back(id, ended, standing.as_ref());
        })?;
        open.active = Some(active);
        core.active.insert(id);
        Ok(())
    }

    /// A job's coordinator hands out units from now on.
    pub(super) fn has_begun(&self, id: JobId, time: f64) {
        let mut core = self.lock();
        let Some(open) = core.open(id) else { return };
        open.refused = None;
        open.record.began.get_or_insert(time);
        if open.record.state == JobState::Queued {
            open.record.state = JobState::Running;
            self.store.later(vec![Change::Job(id, open.record.bytes())]);
            drop(core);
            self.tell(Some(id), EventKind::State { state: JobState::Running, reason: None });
        }
    }

    /// The disk lets jobs go on.
    pub(super) fn recovered(&self) {
        self.lock().trouble = None;
    }

    /// Takes in the end of a job's coordinator.
    fn take_back(&self, id: JobId, ended: CoordinatorEnd, standing: Option<&JobStanding>) {
        let mut core = self.lock();
        let closing = core.closing;
        let Some(open) = core.open(id) else { return };
        let cancelled = open.active.as_ref().is_some_and(|active| active.cancelled);
        if let Some(standing) = standing {
            open.record.update(standing);
        }
        if let CoordinatorEnd::Refused(reason) = &ended {
            open.refused = Some(reason.clone());
        }
        // A job that drains because the daemon ends goes on later.
        let drains = open.record.state == JobState::Draining;
        let over = match &ended {
            _ if cancelled => Some((JobState::Cancelled, None)),
            CoordinatorEnd::Finished(JobEnd::Drained) if closing.is_some() && !drains => None,
            CoordinatorEnd::Finished(end) => Some((JobState::Finished, Some(end.name().to_owned()))),
            CoordinatorEnd::Failed(reason) => Some((JobState::Failed, Some(reason.clone()))),
            CoordinatorEnd::Stopped | CoordinatorEnd::Refused(_) => None,
        };
        if let Some((state, reason)) = over {
            drop(core);
            self.end(id, state, reason);
            core = self.lock();
        } else {
            let record = &open.record;
            self.store.later(vec![Change::Job(id, record.bytes())]);
            let place = (record.state != JobState::Paused).then_some((Reverse(record.priority), id));
            open.active = None;
            core.waiting.extend(place);
        }
        core.active.remove(&id);
        match ended {
            // It is tried again after a while.
            CoordinatorEnd::Refused(reason) => core.trouble = Some((reason, Instant::now())),
            _ => self.admit(&mut core),
        }
        drop(core);
        self.changed.notify_all();
    }

    /// Ends a job for good. It is shown as over when its record is safe, or when the disk refuses: then the store keeps the
    /// record and writes it when it can.
    pub(super) fn end(&self, id: JobId, state: JobState, reason: Option<String>) {
        let mut core = self.lock();
        let Some(open) = core.open(id).filter(|open| !open.ending) else { return };
        // Nobody changes it any more.
        open.ending = true;
        let record = JobRecord { state, reason: reason.clone(), ended: Some(now()), ..open.record.clone() };
        self.store.later(vec![Change::Job(id, record.bytes())]);
        drop(core);
        let stored = self.store.barrier().is_ok();
        let mut core = self.lock();
        if stored {
            core.jobs.insert(id, JobEntry::Over { state, kind: record.kind });
        } else if let Some(open) = core.open(id) {
            open.record = record;
            open.active = None;
        }
        drop(core);
        self.tell(Some(id), EventKind::State { state, reason });
    }
}

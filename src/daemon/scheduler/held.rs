//! Jobs that do not begin yet: after another job, or not before a time.
//!
//! Such a job is `held`: it is not among those that wait for a coordinator. A job that waits for another one notes so
//! in its record (`awaits`) until that one has ended, so that the end counts although the other one is removed later.
//! When the other one has finished, the job is let go. When the other one has failed, or was cancelled, the job is
//! cancelled, and so are those that wait for it in turn: nobody is left waiting for what cannot happen any more. That
//! is looked at when a job ends, when one is submitted, and when the daemon starts, since it may have died in
//! between.

use super::state::{Core, Daemon, JobEntry};
use super::submission::check_time;
use crate::daemon::service::Refusal;
use crate::daemon::view::{BeginDocument, JobId, JobState};
use crate::runner::clock::now;
use crate::store::Change;
use std::collections::VecDeque;

/// How a job stands that another one waits for.
enum Awaited {
    NotOver,
    Ended(JobState),
    Gone,
}

impl Core {
    fn awaited(&self, id: JobId) -> Awaited {
        match self.jobs.get(&id) {
            None => Awaited::Gone,
            Some(JobEntry::Over(over)) => Awaited::Ended(over.state),
            // The disk refuses the record of its end; it has ended all the same.
            Some(JobEntry::Open(open)) if open.record.summary.state.is_over() => {
                Awaited::Ended(open.record.summary.state)
            }
            Some(JobEntry::Open(_)) => Awaited::NotOver,
        }
    }

    /// Whether a job has to wait for the one after which it is to begin.
    ///
    /// # Errors
    /// If there is no such job, or it has ended in another way than to finish.
    pub(super) fn must_await(&self, after: Option<JobId>) -> Result<bool, Refusal> {
        let Some(after) = after else { return Ok(false) };
        match self.awaited(after) {
            Awaited::NotOver => Ok(true),
            Awaited::Ended(JobState::Finished) => Ok(false),
            Awaited::Ended(state) => {
                Err(Refusal::Conflict(format!("after: job {after} {}, so nothing begins after it", has_ended(state))))
            }
            Awaited::Gone => Err(Refusal::Invalid(format!("after: there is no job {after}"))),
        }
    }

    /// Changes when a job begins that has not begun.
    ///
    /// # Errors
    /// The job has begun, there is no such other job, that one has ended in another way than to finish, or it waits
    /// for this one itself.
    pub(super) fn change_begin(&mut self, id: JobId, begin: BeginDocument) -> Result<(), Refusal> {
        let BeginDocument { after, not_before } = begin;
        check_time(not_before)?;
        let Some(open) = self.open(id) else { return Err(Refusal::NotFound(format!("job {id}"))) };
        if open.record.summary.began.is_some() || open.active.is_some() {
            return Err(Refusal::Conflict(format!("begin: job {id} has begun")));
        }
        let before = open.record.summary.after.filter(|_| open.record.awaits);
        let awaits = self.must_await(after)?;
        let mut next = after;
        while let Some(at) = next {
            if at == id {
                return Err(Refusal::Conflict(format!("after: job {id} would wait for itself")));
            }
            next = match self.jobs.get(&at) {
                Some(JobEntry::Open(open)) => open.record.summary.after.filter(|_| open.record.awaits),
                _ => None,
            };
        }
        if let Some(followers) = before.and_then(|before| self.followers.get_mut(&before)) {
            followers.retain(|&follower| follower != id);
        }
        if let Some(after) = after.filter(|_| awaits) {
            self.followers.entry(after).or_default().push(id);
        }
        if let Some(open) = self.open(id) {
            (open.record.summary.after, open.record.summary.not_before) = (after, not_before);
            open.record.awaits = awaits;
        }
        Ok(())
    }

    /// Puts a job that waits where it belongs after a change: among those that are held, or those that are not.
    pub(super) fn hold_or_release(&mut self, id: JobId) {
        let Some(JobEntry::Open(open)) = self.jobs.get(&id) else { return };
        if self.held.contains(&id) || self.waiting.contains(&open.place()) {
            self.leave(id);
            self.wait(id);
        }
    }
}

fn has_ended(state: JobState) -> &'static str {
    match state {
        JobState::Failed => "has failed",
        JobState::Cancelled => "was cancelled",
        _ => "has ended",
    }
}

impl Daemon {
    /// Lets the jobs go that wait for a job, or cancels them, if that job has ended.
    pub(super) fn settle_awaited(&self, id: JobId) {
        let mut ended = VecDeque::from([id]);
        while let Some(id) = ended.pop_front() {
            let mut core = self.lock();
            let awaited = core.awaited(id);
            if matches!(awaited, Awaited::NotOver) {
                continue;
            }
            let followers = core.followers.remove(&id).unwrap_or_default();
            if matches!(awaited, Awaited::Ended(JobState::Finished)) {
                for follower in followers {
                    let Some(open) = core.going_on(follower) else { continue };
                    open.record.awaits = false;
                    self.store.later(vec![Change::Job(follower, open.record.bytes())]);
                }
                self.let_go(&mut core);
                continue;
            }
            drop(core);
            let why = match awaited {
                Awaited::Ended(state) => format!("job {id}, after which it was to begin, {}", has_ended(state)),
                Awaited::Gone | Awaited::NotOver => {
                    format!("there is no job {id} any more, after which it was to begin")
                }
            };
            for follower in followers {
                let mut core = self.lock();
                core.leave(follower);
                if self.end_one(core, follower, JobState::Cancelled, Some(why.clone())) {
                    ended.push_back(follower);
                }
            }
        }
    }

    /// Lets the jobs wait for their turn that nothing holds any more.
    pub(super) fn let_go(&self, core: &mut Core) {
        let now = now();
        let is_free = |id: &JobId| match core.jobs.get(id) {
            Some(JobEntry::Open(open)) => open.hold(now).is_none(),
            _ => true,
        };
        let free: Vec<JobId> = core.held.iter().copied().filter(is_free).collect();
        for &id in &free {
            core.held.remove(&id);
            core.wait(id);
        }
        if !free.is_empty() {
            self.admit(core);
        }
    }

    /// Settles what happened while the daemon did not run, or was dying.
    pub(super) fn settle_all_awaited(&self) {
        let awaited: Vec<JobId> = self.lock().followers.keys().copied().collect();
        awaited.into_iter().for_each(|id| self.settle_awaited(id));
    }
}

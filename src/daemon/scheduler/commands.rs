//! What clients do to jobs. Each call returns when its effect is real and durable.

use super::active::{allowed, give};
use super::kind::{JobFacts, kind};
use super::{Core, Daemon, JobEntry, LAST_JOB, now};
use crate::daemon::kinds::PreparedJob;
use crate::daemon::records::{JobRecord, Spec};
use crate::daemon::service::{Adjustment, JobCommand, Refusal};
use crate::daemon::view::{EventKind, JobId, JobLimits, JobRequest, JobState, JobView};
use crate::jobs::ending::JobEnd;
use crate::runner::orders::{NotDone, SessionOrder};
use crate::store::{Change, StoreError};
use std::cmp::Reverse;
use std::ops::RangeInclusive;
use std::sync::{MutexGuard, PoisonError};

const PRIORITIES: RangeInclusive<i32> = -100..=100;
const WEIGHTS: RangeInclusive<u32> = 1..=1000;
/// Longest name and key, in characters.
const LONGEST: usize = 128;
/// Least limit on memory, in bytes: a search takes some hundred kilobytes.
const LEAST_MEMORY: u64 = 1 << 20;
/// Longest limit on time, in seconds.
const LONGEST_TIME: f64 = 1e12;

pub(super) fn refusal(error: StoreError) -> Refusal {
    match error {
        StoreError::Refused { .. } | StoreError::Open { .. } | StoreError::InUse(_) => {
            Refusal::Unavailable(error.to_string())
        }
        StoreError::Newer { .. } | StoreError::Damaged { .. } => Refusal::Internal(error.to_string()),
    }
}

fn invalid<T>(text: String) -> Result<T, Refusal> {
    Err(Refusal::Invalid(text))
}

fn no_job(id: JobId) -> Refusal {
    Refusal::NotFound(format!("job {id}"))
}

impl Daemon {
    pub(super) fn take(&self, request: JobRequest, key: Option<&str>) -> Result<JobView, Refusal> {
        check_terms(request.priority, request.weight, &request.limits)?;
        for (what, text) in [("name", request.name.as_deref()), ("idempotency key", key)] {
            if let Some(text) = text
                && (text.is_empty() || text.chars().count() > LONGEST || text.chars().any(char::is_control))
            {
                return invalid(format!(
                    "the {what} has 1 to {LONGEST} characters, none of them a control character"
                ));
            }
        }
        let Some(key) = key else { return self.take_new(request, None) };
        // One at a time with the same key.
        let mut core = self.lock();
        while !core.keys.insert(key.to_owned()) {
            core = self.changed.wait(core).unwrap_or_else(PoisonError::into_inner);
        }
        drop(core);
        let taken = self.take_once(request, key);
        self.lock().keys.remove(key);
        self.changed.notify_all();
        taken
    }

    fn take_once(&self, request: JobRequest, key: &str) -> Result<JobView, Refusal> {
        let Some(id) = self.store.keyed(key).map_err(refusal)? else { return self.take_new(request, Some(key)) };
        let spec = self.store.spec(id).map_err(refusal)?;
        let spec = spec.and_then(|spec| serde_json::from_slice::<Spec>(&spec).ok());
        if spec.is_none_or(|spec| spec.request != request) {
            return Err(Refusal::Conflict(format!(
                "the idempotency key '{key}' was used for another request, job {id}"
            )));
        }
        self.show(id)
    }

    fn take_new(&self, request: JobRequest, key: Option<&str>) -> Result<JobView, Refusal> {
        let PreparedJob { name, limits, settings, strategy, work } =
            self.kinds.prepare(&request, self.workers).map_err(Refusal::Invalid)?;
        let limits = joined(limits, request.limits)?;
        check_terms(request.priority, request.weight, &limits)?;
        let JobFacts { variant, seed, solution } = kind(&work).facts().map_err(Refusal::Invalid)?;
        let settings = serde_json::to_string(&settings).map_err(|error| Refusal::Internal(error.to_string()))?;
        let spec = Spec { request, work };
        let bytes = serde_json::to_vec(&spec).map_err(|error| Refusal::Internal(error.to_string()))?;
        let request = spec.request;
        let mut core = self.lock();
        if core.closing.is_some() {
            return Err(Refusal::Unavailable("the daemon is shutting down".to_owned()));
        }
        core.last_job += 1;
        let id = core.last_job;
        drop(core);
        let record = JobRecord {
            id,
            kind: request.kind,
            name: request.name.unwrap_or(name),
            state: JobState::Queued,
            reason: None,
            variant,
            strategy: Some(strategy),
            seed,
            priority: request.priority,
            weight: request.weight,
            limits,
            submitted: now(),
            began: None,
            ended: None,
            seconds: 0.0,
            iterations: 0,
            units_done: 0,
            units_stalled: 0,
            units_poisoned: 0,
            best: None,
            best_grid: None,
            settings,
            key: key.map(str::to_owned),
            solution,
        };
        let mut changes =
            vec![Change::Job(id, record.bytes()), Change::Spec(id, bytes), Change::Number(LAST_JOB, id)];
        changes.extend(key.map(|key| Change::Key(key.to_owned(), id)));
        self.store.commit(changes).map_err(refusal)?;
        let (view, name) = (record.view(), record.name.clone());
        let mut core = self.lock();
        core.add(record);
        self.admit(&mut core);
        drop(core);
        self.tell(Some(id), EventKind::Submitted { name });
        Ok(view)
    }

    pub(super) fn obey(&self, id: JobId, command: JobCommand) -> Result<JobView, Refusal> {
        let mut core = self.open_job(id)?;
        let Some(open) = core.open(id) else { return Err(no_job(id)) };
        let before = open.record.state;
        let orders = open.active.as_ref().map(super::active::ActiveJob::orders);
        let place = (Reverse(open.record.priority), id);
        match command {
            JobCommand::Pause => {
                if before == JobState::Draining {
                    return Err(Refusal::Conflict(format!("job {id} is draining: cancel it, or wait for its end")));
                }
                self.set_state(&mut core, id, JobState::Paused);
                core.waiting.remove(&place);
                drop(core);
                if let Some(orders) = orders
                    && give(&orders, SessionOrder::Pause) == Err(NotDone::Late)
                {
                    return Err(Refusal::Unavailable(format!(
                        "job {id} has not paused yet: its coordinator is busy"
                    )));
                }
            }
            JobCommand::Resume => {
                if before != JobState::Paused {
                    return Err(Refusal::Conflict(format!("job {id} is not paused")));
                }
                let Some(open) = core.open(id) else { return Err(no_job(id)) };
                let state = if open.record.began.is_some() { JobState::Running } else { JobState::Queued };
                self.set_state(&mut core, id, state);
                match orders {
                    Some(orders) => {
                        drop(core);
                        if give(&orders, SessionOrder::GoOn) == Err(NotDone::Ended) {
                            self.wait_again(id);
                        }
                    }
                    None => {
                        core.waiting.insert(place);
                        self.admit(&mut core);
                        drop(core);
                    }
                }
            }
            JobCommand::Cancel => {
                core.waiting.remove(&place);
                if let Some(JobEntry::OpenJob(open)) = core.jobs.get_mut(&id)
                    && let Some(active) = &mut open.active
                {
                    active.cancelled = true;
                    active.end(super::Shutdown::Now);
                    while core.active.contains(&id) {
                        core = self.changed.wait(core).unwrap_or_else(PoisonError::into_inner);
                    }
                    drop(core);
                } else {
                    drop(core);
                    self.end(id, JobState::Cancelled, None);
                }
            }
            JobCommand::Drain => {
                let began = core.open(id).is_some_and(|open| open.record.began.is_some());
                if let Some(orders) = orders {
                    self.set_state(&mut core, id, JobState::Draining);
                    drop(core);
                    // If it has ended, it has ended as was wished.
                    let _ = give(&orders, SessionOrder::Drain);
                } else if began {
                    self.set_state(&mut core, id, JobState::Draining);
                    core.waiting.insert(place);
                    self.admit(&mut core);
                    drop(core);
                } else {
                    core.waiting.remove(&place);
                    drop(core);
                    self.end(id, JobState::Finished, Some(JobEnd::Drained.name().to_owned()));
                }
            }
        }
        self.store.barrier().map_err(refusal)?;
        self.show(id)
    }

    /// The daemon's memory, if it holds a job that is not over.
    fn open_job(&self, id: JobId) -> Result<MutexGuard<'_, Core>, Refusal> {
        let core = self.lock();
        match core.jobs.get(&id) {
            None => Err(no_job(id)),
            Some(JobEntry::Over { .. }) => Err(Refusal::Conflict(format!("job {id} is over"))),
            Some(JobEntry::OpenJob(open)) if open.ending => Err(Refusal::Conflict(format!("job {id} is over"))),
            Some(JobEntry::OpenJob(_)) => Ok(core),
        }
    }

    fn set_state(&self, core: &mut Core, id: JobId, state: JobState) {
        let Some(open) = core.open(id) else { return };
        if open.record.state != state {
            open.record.state = state;
            self.store.later(vec![Change::Job(id, open.record.bytes())]);
            self.tell(Some(id), EventKind::State { state, reason: None });
        }
    }

    /// A job whose coordinator has ended waits for another one.
    fn wait_again(&self, id: JobId) {
        let mut core = self.lock();
        while core.active.contains(&id) {
            core = self.changed.wait(core).unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(open) = core.open(id)
            && !open.ending
            && open.record.state != JobState::Paused
        {
            let place = (Reverse(open.record.priority), id);
            core.waiting.insert(place);
            self.admit(&mut core);
        }
    }

    pub(super) fn change(&self, id: JobId, adjustment: Adjustment) -> Result<JobView, Refusal> {
        let mut core = self.open_job(id)?;
        let Some(open) = core.open(id) else { return Err(no_job(id)) };
        let priority = adjustment.priority.unwrap_or(open.record.priority);
        let weight = adjustment.weight.unwrap_or(open.record.weight);
        let limits = adjustment.limits.unwrap_or(open.record.limits);
        check_terms(priority, weight, &limits)?;
        let before = (Reverse(open.record.priority), id);
        (open.record.priority, open.record.weight, open.record.limits) = (priority, weight, limits);
        self.store.later(vec![Change::Job(id, open.record.bytes())]);
        let orders = open.active.as_ref().map(super::active::ActiveJob::orders);
        if core.waiting.remove(&before) {
            core.waiting.insert((Reverse(priority), id));
        }
        self.admit(&mut core);
        drop(core);
        if let Some(orders) = orders {
            let (limits, terms) = allowed(&limits, priority, weight);
            // A coordinator that has ended reads them when it begins again.
            let _ = give(&orders, SessionOrder::Adjust(limits, terms));
        }
        self.store.barrier().map_err(refusal)?;
        self.show(id)
    }

    pub(super) fn forget(&self, id: JobId) -> Result<(), Refusal> {
        let core = self.lock();
        match core.jobs.get(&id) {
            None => return Err(no_job(id)),
            Some(JobEntry::OpenJob(_)) => {
                return Err(Refusal::Conflict(format!("job {id} is not over: cancel it first")));
            }
            Some(JobEntry::Over { .. }) => {}
        }
        drop(core);
        let record = self.record(id)?;
        self.store.commit(vec![Change::Forget(id, record.key)]).map_err(refusal)?;
        self.lock().jobs.remove(&id);
        let removed = self.directory.remove_job(id);
        removed.map_err(|error| Refusal::Unavailable(error.to_string()))?;
        self.store.later(vec![Change::Buried(id)]);
        Ok(())
    }
}

fn check_terms(priority: i32, weight: u32, limits: &JobLimits) -> Result<(), Refusal> {
    if !PRIORITIES.contains(&priority) {
        return invalid(format!("priority {priority}: -100 to 100 is expected"));
    }
    if !WEIGHTS.contains(&weight) {
        return invalid(format!("weight {weight}: 1 to 1000 is expected"));
    }
    let JobLimits { seconds, iterations, threads, memory } = *limits;
    if seconds.is_some_and(|seconds| seconds.is_nan() || seconds <= 0.0 || seconds > LONGEST_TIME) {
        return invalid("limits.seconds: a number above 0 and up to 1e12 is expected".to_owned());
    }
    if iterations == Some(0) {
        return invalid("limits.iterations: at least 1 is expected".to_owned());
    }
    if threads == Some(0) {
        return invalid("limits.threads: at least 1 is expected".to_owned());
    }
    if memory.is_some_and(|memory| memory < LEAST_MEMORY) {
        return invalid(format!("limits.memory: at least {LEAST_MEMORY} bytes are expected"));
    }
    Ok(())
}

/// The limits of the settings and those of the request, if they do not contradict each other.
fn joined(settings: JobLimits, request: JobLimits) -> Result<JobLimits, Refusal> {
    fn one<T: PartialEq>(name: &str, setting: Option<T>, limit: Option<T>) -> Result<Option<T>, Refusal> {
        match (setting, limit) {
            (Some(a), Some(b)) if a != b => {
                invalid(format!("limits.{name} and the setting of the same meaning differ: give one of them"))
            }
            (a, b) => Ok(a.or(b)),
        }
    }
    Ok(JobLimits {
        seconds: one("seconds", settings.seconds, request.seconds)?,
        iterations: one("iterations", settings.iterations, request.iterations)?,
        threads: one("threads", settings.threads, request.threads)?,
        memory: one("memory", settings.memory, request.memory)?,
    })
}

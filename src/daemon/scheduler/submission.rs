//! Submissions: a request becomes a job, once and durably.

use super::kind::{JobFacts, kind};
use super::state::{Daemon, LAST_JOB};
use crate::core::quantity::mebibytes;
use crate::daemon::folder;
use crate::daemon::kinds::{JobWork, PreparedJob, prepare};
use crate::daemon::records::{JobRecord, Spec};
use crate::daemon::service::Refusal;
use crate::daemon::view::{EventKind, JobId, JobLimits, JobRequest, JobState, JobSummary, JobView};
use crate::jobs::selfplay::SelfplayJob;
use crate::runner::clock::now;
use crate::store::Change;
use std::ops::RangeInclusive;
use std::sync::PoisonError;

const PRIORITIES: RangeInclusive<i32> = -100..=100;
const WEIGHTS: RangeInclusive<u32> = 1..=1000;
/// Most characters of a name or a key.
const MOST_CHARACTERS: usize = 128;
/// Least limit on memory, in bytes: a search takes some hundred kilobytes.
const LEAST_MEMORY: u64 = 1 << 20;
/// Least limit on disk, in bytes: the file of a new solution takes a megabyte or two.
const LEAST_DISK: u64 = 16 << 20;
/// Greatest limit on time, in seconds.
const MOST_SECONDS: f64 = 1e12;

pub(super) fn invalid<T>(text: String) -> Result<T, Refusal> {
    Err(Refusal::Invalid(text))
}

/// What is known of a job that has not begun.
pub(super) fn queued(
    id: JobId,
    request: &JobRequest,
    (name, strategy): (String, String),
    limits: JobLimits,
    facts: JobFacts,
) -> JobSummary {
    let JobFacts { variant, seed, solution, proof, matched, selfplay, analyse, tune, tactics, mine, plan, check } =
        facts;
    JobSummary {
        id,
        kind: request.kind.clone(),
        name,
        state: JobState::Queued,
        reason: None,
        variant,
        strategy: Some(strategy),
        strategy_reason: None,
        seed,
        priority: request.priority,
        weight: request.weight,
        limits,
        after: request.after,
        not_before: request.not_before,
        submitted: now(),
        began: None,
        ended: None,
        seconds: 0.0,
        iterations: 0,
        units_done: 0,
        units_stalled: 0,
        units_quarantined: 0,
        best: None,
        solution,
        proof,
        matched,
        selfplay,
        analyse,
        tune,
        tactics,
        mine,
        plan,
        check,
        units_summarised: false,
    }
}

impl Daemon {
    pub(super) fn submit_job(&self, request: JobRequest, key: Option<&str>) -> Result<JobView, Refusal> {
        check_terms(request.priority, request.weight, &request.limits)?;
        check_text("name", request.name.as_deref())?;
        check_text("idempotency key", key)?;
        check_time(request.not_before)?;
        let Some(key) = key else { return self.add_job(request, None) };
        // Submissions with the same key come one after the other.
        let mut core = self.lock();
        while !core.keys.insert(key.to_owned()) {
            core = self.changed.wait(core).unwrap_or_else(PoisonError::into_inner);
        }
        drop(core);
        let submitted = self.submit_once(request, key);
        self.lock().keys.remove(key);
        self.changed.notify_all();
        submitted
    }

    fn submit_once(&self, request: JobRequest, key: &str) -> Result<JobView, Refusal> {
        let Some(id) = self.store.keyed(key)? else { return self.add_job(request, Some(key)) };
        if self.spec(id)?.is_none_or(|spec| spec.request != request) {
            return Err(Refusal::Conflict(format!(
                "the idempotency key '{key}' was used for another request, job {id}"
            )));
        }
        self.show_job(id)
    }

    /// What a job was made from; `None` if it cannot be read.
    pub(super) fn spec(&self, id: JobId) -> Result<Option<Spec>, Refusal> {
        let spec = self.store.spec(id)?;
        Ok(spec.and_then(|spec| serde_json::from_slice(&spec).ok()))
    }

    fn add_job(&self, request: JobRequest, key: Option<&str>) -> Result<JobView, Refusal> {
        let PreparedJob { name, limits, settings, strategy, strategy_reason, work } =
            prepare(&request, self.workers, rand::random(), &|job| self.made_games(job)).map_err(Refusal::Invalid)?;
        let limits = joined(limits, request.limits)?;
        check_terms(request.priority, request.weight, &limits)?;
        let needed = kind(&work).memory(self.workers, &limits).least;
        if needed > self.budget {
            return invalid(format!(
                "the job needs {} of memory at least, and all jobs of this daemon may take {}: give its workers less \
                 memory, or start the daemon with a larger --memory",
                mebibytes(needed),
                mebibytes(self.budget)
            ));
        }
        let facts = kind(&work).facts().map_err(Refusal::Invalid)?;
        let settings = serde_json::to_string(&settings).map_err(|error| Refusal::Internal(error.to_string()))?;
        let spec = Spec { request, work };
        let bytes = serde_json::to_vec(&spec).map_err(|error| Refusal::Internal(error.to_string()))?;
        let request = spec.request;
        let awaits = self.lock().must_await(request.after)?;
        let id = self.next_id()?;
        let name = request.name.clone().unwrap_or(name);
        let queued = queued(id, &request, (name, strategy), limits, facts);
        let summary = JobSummary { strategy_reason, ..queued };
        let (key, identity) = (key.map(str::to_owned), Some(folder::new_identity()));
        let record = JobRecord { awaits, ..JobRecord::new(summary, settings, key.clone(), identity) };
        let mut changes =
            vec![Change::Job(id, record.bytes()), Change::Spec(id, bytes), Change::Number(LAST_JOB, id)];
        changes.extend(key.map(|key| Change::Key(key, id)));
        self.store.commit(changes)?;
        let name = record.summary.name.clone();
        let mut core = self.lock();
        core.add(record);
        self.admit(&mut core);
        drop(core);
        self.publish(Some(id), EventKind::Submitted { name });
        if let Some(after) = request.after.filter(|_| awaits) {
            // It may have ended while this one was stored.
            self.settle_awaited(after);
        }
        self.show_job(id)
    }

    /// What makes the games of a job of a player against itself.
    fn made_games(&self, id: JobId) -> Result<SelfplayJob, String> {
        let spec = self.spec(id).map_err(|error| error.to_string())?;
        match spec.ok_or_else(|| format!("there is no job {id}"))? {
            Spec { work: JobWork::Selfplay(made), .. } => Ok(made),
            Spec { request, .. } => {
                Err(format!("job {id} makes no games to learn from: its kind is {}", request.kind))
            }
        }
    }

    fn next_id(&self) -> Result<JobId, Refusal> {
        let mut core = self.lock();
        if core.closing.is_some() {
            return Err(Refusal::Unavailable("the daemon is shutting down".to_owned()));
        }
        core.last_job += 1;
        Ok(core.last_job)
    }
}

/// Checks a time before which a job does not begin.
pub(super) fn check_time(not_before: Option<f64>) -> Result<(), Refusal> {
    if not_before.is_some_and(|time| !(0.0..=MOST_SECONDS).contains(&time)) {
        return invalid("not_before: expected seconds since 1970 (UTC), up to 1e12".to_owned());
    }
    Ok(())
}

/// Checks a name or a key.
fn check_text(what: &str, text: Option<&str>) -> Result<(), Refusal> {
    let Some(text) = text else { return Ok(()) };
    if text.is_empty() || text.chars().count() > MOST_CHARACTERS || text.chars().any(char::is_control) {
        return invalid(format!(
            "the {what} is not valid: expected 1 to {MOST_CHARACTERS} characters without control characters"
        ));
    }
    Ok(())
}

/// Checks how a job shares the workers, and what it may use.
pub(super) fn check_terms(priority: i32, weight: u32, limits: &JobLimits) -> Result<(), Refusal> {
    if !PRIORITIES.contains(&priority) {
        return invalid(format!("priority {priority}: expected -100 to 100"));
    }
    if !WEIGHTS.contains(&weight) {
        return invalid(format!("weight {weight}: expected 1 to 1000"));
    }
    let JobLimits { seconds, iterations, workers, memory, disk } = *limits;
    if seconds.is_some_and(|seconds| seconds.is_nan() || seconds <= 0.0 || seconds > MOST_SECONDS) {
        return invalid("limits.seconds: expected a number above 0 and up to 1e12".to_owned());
    }
    if iterations == Some(0) {
        return invalid("limits.iterations: expected at least 1".to_owned());
    }
    if workers == Some(0) {
        return invalid("limits.workers (older name: limits.threads): expected at least 1".to_owned());
    }
    if memory.is_some_and(|memory| memory < LEAST_MEMORY) {
        return invalid(format!("limits.memory: expected at least {LEAST_MEMORY} bytes"));
    }
    if disk.is_some_and(|disk| disk < LEAST_DISK) {
        return invalid(format!("limits.disk: expected at least {LEAST_DISK} bytes"));
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
        workers: one("workers", settings.workers, request.workers)?,
        memory: one("memory", settings.memory, request.memory)?,
        disk: one("disk", settings.disk, request.disk)?,
    })
}

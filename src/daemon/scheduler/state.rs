//! What the daemon knows: its jobs in memory, and what it works with.

use super::active::ActiveJob;
use super::backup::{BackupState, CheckpointHold};
use super::credit::CreditSums;
use super::event_hub::EventHub;
use super::grid_clusters::LastClusters;
use super::grid_facts::FactsOfGrids;
use super::retention::{Retention, Tidying};
use crate::daemon::credit::CreditReckoner;
use crate::daemon::directory::StateDirectory;
use crate::daemon::records::JobRecord;
use crate::daemon::service::Refusal;
use crate::daemon::view::{EventKind, JobId, JobState, JobSummary};
use crate::notation::catalogue::Catalogue;
use crate::queue::any::AnyUnit;
use crate::queue::boinc::hub::VolunteerHub;
use crate::queue::local::Local;
use crate::queue::nats::hub::Hub;
use crate::runner::clock::{now, utc};
use crate::runner::contract::Trap;
use crate::store::{Store, StoreError};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Name in the store of the number of the last job.
pub const LAST_JOB: &str = "last job";

/// How a daemon ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shutdown {
    /// At once; all searches are saved.
    Now,
    /// When the running units are finished.
    WhenUnitsEnd,
}

/// The daemon: its jobs, its store, its queue.
pub struct Daemon {
    pub(super) core: Mutex<Core>,
    /// Held while the state of a job is noted in its folder, so that no note replaces that of its end.
    pub(super) notes: Mutex<()>,
    /// A coordinator has ended, or a request has been stored.
    pub(super) changed: Condvar,
    pub(super) queue: Arc<Local<AnyUnit>>,
    /// Workers on other machines, if there may be some.
    pub(super) pool: Mutex<Option<Hub>>,
    /// Units that volunteers compute, if some are offered to them.
    pub(super) volunteers: Mutex<Option<VolunteerHub>>,
    pub(super) store: Store,
    pub(super) events: EventHub,
    pub(super) directory: StateDirectory,
    /// The backup that is being made.
    pub(super) backup: Mutex<BackupState>,
    /// Which checkpoints wait for it.
    pub(super) checkpoints: CheckpointHold,
    pub(super) catalogue: Catalogue,
    pub(super) facts: FactsOfGrids,
    pub(super) clusters: LastClusters,
    pub(super) credit: CreditReckoner,
    pub(super) credit_sums: CreditSums,
    /// Held while a message to users is numbered and stored.
    pub(super) posting: Mutex<()>,
    /// Time from one checkpoint of a job to the next.
    pub(super) pace: Duration,
    pub(super) trap: Option<Trap>,
    pub(super) unknown_folders: Vec<JobId>,
    pub(super) began: Instant,
    pub(super) workers: u32,
    /// Bytes of memory that all jobs may take together.
    pub(super) budget: u64,
    /// Bytes of disk that a job without a limit of its own may take.
    pub(super) job_disk: u64,
    /// How many machines have to say the same of a unit of players.
    pub(super) machine_quorum: u32,
    /// What is kept of jobs that are over.
    pub(super) retention: Retention,
    /// A job is quarantined when the daemon has died so often while it ran; 0: never.
    pub(super) most_deaths: u32,
    pub(super) this: Weak<Daemon>,
}

/// The jobs, and what concerns all of them.
pub struct Core {
    pub jobs: BTreeMap<JobId, JobEntry>,
    /// Jobs that are to run and have no coordinator, in the order in which they get one.
    pub waiting: BTreeSet<(Reverse<i32>, JobId)>,
    /// Jobs that are to run and do not begin yet: they wait for another job, or for a time.
    pub held: BTreeSet<JobId>,
    /// Jobs that wait for another one, by the number of that one.
    pub followers: BTreeMap<JobId, Vec<JobId>>,
    /// Jobs with a coordinator. None of them is over.
    pub active: BTreeSet<JobId>,
    /// Jobs that are over, but that the store does not have as such yet, since the disk has refused it.
    pub unsettled: BTreeSet<JobId>,
    pub last_job: JobId,
    /// Number of the last end of a job.
    pub last_end: u64,
    /// What the retention has still to do.
    pub tidying: Tidying,
    /// Keys of submissions that are being stored.
    pub keys: HashSet<String>,
    /// Set when the daemon ends: no job gets a coordinator any more.
    pub closing: Option<Shutdown>,
    /// What the disk refused to a job, and when.
    pub trouble: Option<(String, Instant)>,
}

/// A job in memory.
pub enum JobEntry {
    /// A job that is not over.
    Open(Box<OpenJob>),
    /// A job that is over. The rest of it is in the store.
    Over(OverJob),
}

/// A job that is over, as far as it is in memory.
pub struct OverJob {
    pub state: JobState,
    pub kind: String,
    /// When it ended, in the order of ends; 0 if an earlier version ended it.
    pub end_number: u64,
    /// When it ended: seconds since 1970 (UTC).
    pub ended: f64,
    /// Its units are summarised.
    pub summarised: bool,
    /// It is being removed: nobody else changes it.
    pub removing: bool,
    /// The store cannot read its record, so the retention leaves it alone.
    pub unreadable: bool,
}

impl OverJob {
    /// Of a job that is over.
    pub fn of(record: JobRecord) -> OverJob {
        let JobRecord { summary, end_number, relisted, .. } = record;
        OverJob {
            state: summary.state,
            kind: summary.kind,
            end_number,
            ended: summary.ended.unwrap_or(0.0),
            summarised: summary.units_summarised && !relisted,
            removing: false,
            unreadable: false,
        }
    }
}

/// A job that is not over.
pub struct OpenJob {
    pub record: JobRecord,
    /// Its coordinator, if it has one.
    pub active: Option<ActiveJob>,
    /// It is over, and that is being stored.
    pub ending: bool,
    /// Why it cannot run at present: what the disk reported.
    pub refused: Option<String>,
    /// Bytes of memory that it needs at least, once that is known.
    pub needed: u64,
    /// Bytes of memory that it had grown to when its last coordinator ended.
    pub grown: u64,
}

/// What keeps a job from beginning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JobHold {
    /// This job has not ended.
    Job(JobId),
    /// It is not this time yet: seconds since 1970 (UTC).
    Time(f64),
}

impl std::fmt::Display for JobHold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            JobHold::Job(id) => write!(f, "waits until job {id} has finished"),
            JobHold::Time(time) => write!(f, "waits until {}", utc(*time)),
        }
    }
}

impl OpenJob {
    /// What keeps it from beginning at this time, if it has not begun yet.
    pub fn hold(&self, now: f64) -> Option<JobHold> {
        let JobSummary { began, after, not_before, .. } = &self.record.summary;
        if began.is_some() {
            return None;
        }
        let job = after.filter(|_| self.record.awaits).map(JobHold::Job);
        job.or(not_before.filter(|&time| time > now).map(JobHold::Time))
    }

    /// Its place among the waiting jobs.
    pub fn place(&self) -> (Reverse<i32>, JobId) {
        (Reverse(self.record.summary.priority), self.record.id())
    }
}

impl Core {
    /// The state of a daemon without jobs.
    pub fn new(last_job: JobId) -> Core {
        Core {
            jobs: BTreeMap::new(),
            waiting: BTreeSet::new(),
            held: BTreeSet::new(),
            followers: BTreeMap::new(),
            active: BTreeSet::new(),
            unsettled: BTreeSet::new(),
            last_job,
            last_end: 0,
            tidying: Tidying::default(),
            keys: HashSet::new(),
            closing: None,
            trouble: None,
        }
    }

    /// Adds a job.
    pub fn add(&mut self, record: JobRecord) {
        let (id, state) = (record.id(), record.summary.state);
        self.last_job = self.last_job.max(id);
        if state.is_over() {
            self.last_end = self.last_end.max(record.end_number);
            self.jobs.insert(id, JobEntry::Over(OverJob::of(record)));
            return;
        }
        if let Some(after) = record.summary.after.filter(|_| record.awaits) {
            self.followers.entry(after).or_default().push(id);
        }
        let open = OpenJob { record, active: None, ending: false, refused: None, needed: 0, grown: 0 };
        self.jobs.insert(id, JobEntry::Open(Box::new(open)));
        if state != JobState::Paused {
            self.wait(id);
        }
    }

    /// Puts a job without a coordinator among those that wait for one, or among those that do not begin yet.
    pub fn wait(&mut self, id: JobId) {
        let Some(JobEntry::Open(open)) = self.jobs.get(&id) else { return };
        if open.hold(now()).is_some() {
            self.held.insert(id);
        } else {
            self.waiting.insert(open.place());
        }
    }

    /// Takes a job out of those that wait, for whatever.
    pub fn leave(&mut self, id: JobId) {
        if let Some(JobEntry::Open(open)) = self.jobs.get(&id) {
            self.waiting.remove(&open.place());
        }
        self.held.remove(&id);
    }

    /// A job is over, and the store has its record.
    pub fn settle(&mut self, record: JobRecord) {
        let id = record.id();
        self.unsettled.remove(&id);
        self.active.remove(&id);
        self.held.remove(&id);
        self.jobs.insert(id, JobEntry::Over(OverJob::of(record)));
        self.tidying.due = true;
    }

    /// A job that is over and is not being removed, if it has not ended again since it had this number. Earlier
    /// versions ended several jobs with the number 0, but no job twice.
    pub fn over(&mut self, id: JobId, end_number: u64) -> Option<&mut OverJob> {
        match self.jobs.get_mut(&id) {
            Some(JobEntry::Over(over)) if !over.removing && over.end_number == end_number => Some(over),
            _ => None,
        }
    }

    /// A job that is not over.
    pub fn open(&mut self, id: JobId) -> Option<&mut OpenJob> {
        match self.jobs.get_mut(&id) {
            Some(JobEntry::Open(open)) => Some(open),
            _ => None,
        }
    }

    /// A job that is not over and not about to be: the record of its end is not to be replaced.
    pub fn going_on(&mut self, id: JobId) -> Option<&mut OpenJob> {
        self.open(id).filter(|open| !open.ending)
    }
}

impl Daemon {
    /// Most jobs that have a coordinator at the same time: each takes a thread, some open files, and memory for its
    /// searches.
    pub fn most_active(&self) -> usize {
        (2 * self.workers as usize).max(16)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends an event to the observers.
    pub(super) fn publish(&self, job: Option<JobId>, what: EventKind) {
        self.events.publish(&self.store, job, what);
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Refusal {
        match error {
            StoreError::Refused { .. } | StoreError::Open { .. } | StoreError::InUse(_) => {
                Refusal::Unavailable(error.to_string())
            }
            StoreError::Newer { .. } | StoreError::Damaged { .. } => Refusal::Internal(error.to_string()),
        }
    }
}

//! The daemon below HTTP: takes jobs, gives them threads, keeps all of it durable.
//!
//! A job is in one of three places. *Waiting* jobs are records in memory and in the store and cost nothing else. *Active* ones
//! have a coordinator (`active`): a thread that runs what the job's kind has it run (`kind`, `hunt`, `solve`) in the job's folder
//! and shares the workers of one queue with the others, by priority and weight. Jobs that are *over* are records in the store. At most [`Daemon::most_active`] are
//! active: those of the highest priority, and of these the oldest; one of a lower priority goes back to waiting, by a
//! checkpoint, when one of a higher comes.
//!
//! Lock order: `core`, then what a job shares with its coordinator. Nobody waits for the disk or for a coordinator with `core`
//! locked; changes are handed to the store while it is, so that the store sees them in order.

mod active;
mod admission;
mod commands;
mod door;
mod hunt;
mod kind;
mod lists;
mod news;
mod solve;

use super::directory::{StateDirectory, StateDirectoryError};
use super::kinds::JobKinds;
use super::records::JobRecord;
use super::view::{EventKind, JobId, JobState};
use crate::notation::catalogue::Catalogue;
use crate::notation::format::ReadError;
use crate::queue::any::AnyUnit;
use crate::queue::local::{Local, LocalOptions, SpawnError};
use crate::runner::clock::now;
use crate::runner::worker::Trap;
use crate::store::{Change, Store, StoreError};
use active::ActiveJob;
use news::EventHub;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Jobs that the disk has stopped are tried again so often.
const AGAIN: Duration = Duration::from_secs(2);

/// How a daemon is to run.
pub struct DaemonOptions {
    /// The state directory.
    pub state: PathBuf,
    /// Number of workers.
    pub workers: u32,
    /// Times of the queue.
    pub queue: LocalOptions,
    /// Time from one checkpoint of a job to the next.
    pub pace: Duration,
    /// What turns requests into jobs.
    pub kinds: Box<dyn JobKinds>,
    /// Told of each attempt at a unit: for tests.
    pub trap: Option<Trap>,
}

/// Why a daemon cannot run.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The state directory is not fit.
    #[error(transparent)]
    Directory(#[from] StateDirectoryError),
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store holds a job that this program cannot read.
    #[error(
        "the record of job {0} in the store cannot be read: it was written by a newer version; nothing was changed"
    )]
    Record(JobId),
    /// A thread cannot be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The known records cannot be read.
    #[error("the built-in records: {0}")]
    Records(#[from] ReadError),
}

/// How a daemon ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shutdown {
    /// At once, all searches saved.
    Now,
    /// When the units begun are done.
    WhenUnitsEnd,
}

/// A job.
enum JobEntry {
    /// One that is not over.
    OpenJob(Box<OpenJob>),
    /// One that is over; the rest is in the store.
    Over { state: JobState, kind: String },
}

/// A job that is not over.
struct OpenJob {
    record: JobRecord,
    /// Its coordinator, if it has one.
    active: Option<ActiveJob>,
    /// It is over, and that is being stored.
    ending: bool,
    /// Why it does not go on for now: what the disk said.
    refused: Option<String>,
}

/// What the daemon knows.
struct Core {
    jobs: BTreeMap<JobId, JobEntry>,
    /// Jobs that are to run and have no coordinator, the first to run first.
    waiting: BTreeSet<(Reverse<i32>, JobId)>,
    /// Jobs with a coordinator.
    active: BTreeSet<JobId>,
    last_job: JobId,
    /// Keys of requests that are being stored.
    keys: HashSet<String>,
    /// No job is begun any more.
    closing: Option<Shutdown>,
    /// What the disk refused to a job, and when.
    trouble: Option<(String, Instant)>,
}

/// The daemon.
pub struct Daemon {
    core: Mutex<Core>,
    /// A coordinator has ended, or a request has been stored.
    changed: Condvar,
    queue: Arc<Local<AnyUnit>>,
    store: Store,
    news: EventHub,
    directory: StateDirectory,
    kinds: Box<dyn JobKinds>,
    catalogue: Catalogue,
    pace: Duration,
    trap: Option<Trap>,
    began: Instant,
    workers: u32,
    this: Weak<Daemon>,
}

impl Daemon {
    /// Opens the state directory and goes on with everything in it.
    ///
    /// # Errors
    /// If the directory or the store cannot be used; nothing is changed then.
    pub fn open(options: DaemonOptions) -> Result<Arc<Daemon>, OpenError> {
        let DaemonOptions { state, workers, queue, pace, kinds, trap } = options;
        let directory = StateDirectory::take(&state)?;
        let store = Store::open(&state)?;
        let mut core = Core {
            jobs: BTreeMap::new(),
            waiting: BTreeSet::new(),
            active: BTreeSet::new(),
            last_job: store.number(LAST_JOB)?.unwrap_or(0),
            keys: HashSet::new(),
            closing: None,
            trouble: None,
        };
        let mut unreadable = None;
        store.jobs(|id, bytes| match JobRecord::read(bytes) {
            Some(record) => core.add(record),
            None => unreadable = unreadable.or(Some(id)),
        })?;
        if let Some(id) = unreadable {
            return Err(OpenError::Record(id));
        }
        for id in store.doomed()? {
            if directory.remove_job(id).is_ok() {
                store.later(vec![Change::Buried(id)]);
            }
        }
        let news = EventHub::open(&store)?;
        let catalogue = Catalogue::load()?;
        let queue = Arc::new(Local::new(workers, queue)?);
        let daemon = Arc::new_cyclic(|this| Daemon {
            core: Mutex::new(core),
            changed: Condvar::new(),
            queue,
            store,
            news,
            directory,
            kinds,
            catalogue,
            pace,
            trap,
            began: Instant::now(),
            workers,
            this: this.clone(),
        });
        daemon.tell(None, EventKind::Started { version: env!("CARGO_PKG_VERSION").to_owned() });
        daemon.watch()?;
        daemon.admit(&mut daemon.lock());
        Ok(daemon)
    }

    /// Most jobs that have a coordinator at once: each has a thread, some open files and its searches in memory.
    pub fn most_active(&self) -> usize {
        (2 * self.workers as usize).max(16)
    }

    /// Begins no more units, and returns when no job has a coordinator any more and everything is stored. A second call
    /// may turn a gentle end into one at once.
    pub fn shutdown(&self, how: Shutdown) {
        let mut core = self.lock();
        if core.closing != Some(Shutdown::Now) {
            core.closing = Some(how);
        }
        for id in core.active.clone() {
            if let Some(JobEntry::OpenJob(open)) = core.jobs.get(&id)
                && let Some(active) = &open.active
            {
                active.end(how);
            }
        }
        while !core.active.is_empty() {
            core = self.changed.wait(core).unwrap_or_else(PoisonError::into_inner);
        }
        drop(core);
        // What it cannot write it has said before.
        let _ = self.store.barrier();
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells of an event.
    fn tell(&self, job: Option<JobId>, what: EventKind) {
        self.news.tell(&self.store, job, what);
    }

    /// Starts the thread that tries again what the disk has refused. It ends with the daemon.
    fn watch(&self) -> Result<(), OpenError> {
        let this = self.this.clone();
        let spawned = std::thread::Builder::new().name("watch".to_owned()).spawn(move || {
            while let Some(daemon) = this.upgrade() {
                let mut core = daemon.lock();
                if core.closing.is_some() {
                    return;
                }
                if core.trouble.as_ref().is_some_and(|(_, since)| since.elapsed() >= AGAIN) {
                    daemon.admit(&mut core);
                }
                drop(core);
                drop(daemon);
                std::thread::sleep(AGAIN / 2);
            }
        });
        spawned.map_err(|source| SpawnError { thread: 0, source })?;
        Ok(())
    }
}

/// Name of the number of the last job.
const LAST_JOB: &str = "last job";

impl Core {
    /// Adds a job.
    fn add(&mut self, record: JobRecord) {
        self.last_job = self.last_job.max(record.id);
        if record.state.is_over() {
            self.jobs.insert(record.id, JobEntry::Over { state: record.state, kind: record.kind });
            return;
        }
        if record.state != JobState::Paused {
            self.waiting.insert((Reverse(record.priority), record.id));
        }
        self.jobs.insert(
            record.id,
            JobEntry::OpenJob(Box::new(OpenJob { record, active: None, ending: false, refused: None })),
        );
    }

    fn open(&mut self, id: JobId) -> Option<&mut OpenJob> {
        match self.jobs.get_mut(&id) {
            Some(JobEntry::OpenJob(open)) => Some(open),
            _ => None,
        }
    }
}

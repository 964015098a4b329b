//! The daemon below HTTP: accepts jobs, shares the workers among them, and keeps everything durable.
//!
//! # The life of a job
//!
//! 1. *Submission* (`submission`). The job's kind reads the request. The request, what it came to, and the record of
//!    the job are written in one transaction. When the client gets the answer, a crash no longer loses the job.
//! 2. *Waiting*. The job is a record in memory and in the store, and costs nothing else. A paused job waits, too. One
//!    that begins after another job, or not before a time, is held back until then (`held`).
//! 3. *Admission* (`admission`, `memory`). At most [`Daemon::most_active`] jobs are active: those of the highest
//!    priority, and of these the oldest. When a job of a higher priority waits, an active job of a lower priority
//!    saves a checkpoint and waits again. Each is granted a part of the memory that all jobs may take, or waits.
//! 4. *Active* (`coordinator`). A thread of its own runs the job's coordinator in the job's folder, as the kind of
//!    the job says (`kind`; `hunt`, `solve`). The coordinator puts units into a lane of the queue, and all jobs share
//!    the workers of the queue by priority and weight. It reports to the daemon through a `reporter`, and it obeys
//!    orders (`active`): pause, resume, drain, stop, new limits.
//! 5. *Over*. The last record is written before the job is shown as over. The job's folder stays until a client or
//!    the retention (`retention`) removes the job; its grids stay in the archive even then.
//!
//! After a crash or a restart every job that is not over waits again. Its coordinator continues from the last
//! checkpoint and the journal in its folder, and reports again what the store missed.
//!
//! # Locks
//!
//! Lock order: `notes`, then `core`, then the `LiveJob` that a job shares with its coordinator. Nobody waits for
//! the disk or for a coordinator while `core` is locked. Changes are handed to the store while it is locked, so that
//! the store gets them in order.
//!
//! What a change of a job's life rests on (it is not over, it is over and nobody removes it) is looked at under the
//! lock under which the change is made. A job that ends is marked first (`ending`), stored, and then shown as over.
//! One that is removed is marked first (`removing`), taken out of the store, and then forgotten.

mod active;
mod admission;
mod analysing;
mod archive;
mod backup;
mod checking;
mod commands;
mod coordinator;
mod credit;
mod event_hub;
mod event_log;
mod grid_clusters;
mod grid_facts;
mod held;
mod hunt;
mod kind;
mod lists;
mod matching;
mod memory;
mod mining;
mod numbered;
mod planning;
mod prove;
mod reporter;
mod retention;
mod review;
mod salvage;
mod selfplay;
mod service;
mod solve;
mod state;
mod submission;
mod tactics;
#[cfg(test)]
mod tests;
mod tuning;

pub use retention::Retention;
pub use salvage::salvage;
pub use state::{Daemon, Shutdown};

use super::credit::{CreditOptions, CreditReckoner};
use super::directory::{StateDirectory, StateDirectoryError};
use super::folder::{FolderError, ReadNote, read_note};
use super::view::{EventKind, JobId, JobState};
use crate::files::FileError;
use crate::notation::catalogue::Catalogue;
use crate::notation::format::GridReadError;
use crate::queue::any::AnyUnit;
use crate::queue::boinc::hub::{HubError, HubOptions, VolunteerHub};
use crate::queue::local::{Local, LocalOptions, SpawnError};
use crate::queue::nats::hub::Hub;
use crate::queue::nats::{NatsError, NatsOptions, NatsServer};
use crate::runner::contract::Trap;
use crate::store::{self, Change, Store, StoreError};
use backup::CheckpointHold;
use credit::CreditSums;
use event_hub::EventHub;
use grid_clusters::LastClusters;
use grid_facts::FactsOfGrids;
use state::{Core, JobEntry, LAST_JOB};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time after which jobs that the disk has stopped are tried again.
const RETRY: Duration = Duration::from_secs(2);

/// How a daemon runs.
pub struct DaemonOptions {
    /// The state directory.
    pub state: PathBuf,
    /// Number of workers.
    pub workers: u32,
    /// Times of the queue.
    pub queue: LocalOptions,
    /// Time from one checkpoint of a job to the next.
    pub pace: Duration,
    /// Bytes of memory that all jobs may take together.
    pub memory: u64,
    /// Bytes of disk that a job without a limit of its own may take.
    pub job_disk: u64,
    /// How many machines have to say the same of a unit of players; at least 1.
    pub machine_quorum: u32,
    /// What is kept of jobs that are over.
    pub retention: Retention,
    /// A job is quarantined when the daemon has died so often while it ran; 0: never.
    pub most_deaths: u32,
    /// How credit is given.
    pub credit: CreditOptions,
    /// Called at each attempt at a unit; for tests.
    pub trap: Option<Trap>,
}

/// Why a daemon cannot run.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The state directory cannot be used.
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
    /// The file of the store is a link that leads nowhere.
    #[error("{} is a link to a file that does not exist: put the file back, or remove the link", .0.display())]
    DanglingLink(PathBuf),
    /// There are folders of jobs, and no store.
    #[error(
        "{} is missing or empty, but the folders of {folders} jobs are in `jobs` beside it: put the file back, or run `morpion daemon --salvage`, which makes a new one from the folders",
        path.display()
    )]
    NoStore {
        /// The file of the store.
        path: PathBuf,
        /// Number of folders.
        folders: usize,
    },
    /// A new store cannot be made.
    #[error(transparent)]
    Salvage(#[from] SalvageError),
    /// A thread cannot be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The known records cannot be read.
    #[error("the built-in records: {0}")]
    Records(#[from] GridReadError),
}

/// Why a new store cannot be made from the folders of jobs.
#[derive(Debug, thiserror::Error)]
pub enum SalvageError {
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// A folder cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

impl Daemon {
    /// Opens the state directory and continues all jobs in it.
    ///
    /// # Errors
    /// If the directory or the store cannot be used; nothing is changed then.
    pub fn open(options: DaemonOptions) -> Result<Arc<Daemon>, OpenError> {
        let DaemonOptions {
            state,
            workers,
            queue,
            pace,
            memory,
            job_disk,
            machine_quorum,
            retention,
            most_deaths,
            credit,
            trap,
        } = options;
        let directory = StateDirectory::take(&state)?;
        let folders = directory.numbers()?;
        let path = state.join(store::FILE);
        if path.is_symlink() && !path.exists() {
            return Err(OpenError::DanglingLink(path));
        }
        let is_missing = fs::metadata(&path).map_or(0, |file| file.len()) == 0;
        if is_missing && !folders.is_empty() {
            return Err(OpenError::NoStore { path, folders: folders.len() });
        }
        let store = Store::open(&state)?;
        directory.flush_names()?;
        let catalogue = Catalogue::load()?;
        let records = review::read_records(&store, &catalogue)?;
        // The number of a folder is not used again, whatever the store knows.
        let last = store.number(LAST_JOB)?.unwrap_or(0).max(folders.last().copied().unwrap_or(0));
        let mut core = Core::new(last);
        records.into_iter().for_each(|record| core.add(record));
        remove_pending(&directory, &store)?;
        let unknown = folders.into_iter().filter(|id| !core.jobs.contains_key(id));
        let unknown_folders = unknown.filter(|&id| directory.job(id).exists()).collect();
        let events = EventHub::open(&store)?;
        let queue = Arc::new(Local::new(workers, queue)?);
        let daemon = Arc::new_cyclic(|this| Daemon {
            core: Mutex::new(core),
            notes: Mutex::new(()),
            changed: Condvar::new(),
            queue,
            pool: Mutex::new(None),
            volunteers: Mutex::new(None),
            store,
            events,
            backup: Mutex::default(),
            checkpoints: CheckpointHold::default(),
            directory,
            catalogue,
            facts: FactsOfGrids::default(),
            clusters: LastClusters::default(),
            credit: CreditReckoner::new(credit),
            credit_sums: CreditSums::default(),
            posting: Mutex::new(()),
            pace,
            trap,
            unknown_folders,
            began: Instant::now(),
            // What is reckoned by it needs one, also if all workers are on other machines.
            workers: workers.max(1),
            budget: memory,
            job_disk,
            machine_quorum,
            retention,
            most_deaths,
            this: this.clone(),
        });
        daemon.publish(None, EventKind::Started { version: env!("CARGO_PKG_VERSION").to_owned() });
        daemon.start_retries()?;
        daemon.end_cancelled();
        daemon.settle_all_awaited();
        daemon.admit(&mut daemon.lock());
        Ok(daemon)
    }

    /// The queue of all units, for whoever has some of them computed elsewhere.
    pub fn queue(&self) -> &Arc<Local<AnyUnit>> {
        &self.queue
    }

    /// Opens a pool for workers on other machines. Its server is waited for.
    ///
    /// # Errors
    /// A name, an address or a file that cannot be used.
    pub fn open_pool(&self, server: &NatsServer, options: NatsOptions) -> Result<(), NatsError> {
        let hub = Hub::open(&self.queue, server, options)?;
        *self.pool.lock().unwrap_or_else(PoisonError::into_inner) = Some(hub);
        // What cannot be read now is told with the next message.
        let _ = self.tell_machines();
        Ok(())
    }

    /// Offers units to volunteers, by way of a directory that a BOINC server shares.
    ///
    /// # Errors
    /// A directory that cannot be used.
    pub fn open_volunteers(&self, spool: &Path, options: HubOptions) -> Result<(), HubError> {
        let hub = VolunteerHub::open(&self.queue, spool, options)?;
        *self.volunteers.lock().unwrap_or_else(PoisonError::into_inner) = Some(hub);
        Ok(())
    }

    /// Ends the jobs that were cancelled, and whose coordinators had not ended when the last daemon did.
    fn end_cancelled(&self) {
        let mut core = self.lock();
        let mut cancelled = Vec::new();
        for (&id, entry) in &core.jobs {
            if let JobEntry::Open(open) = entry
                && open.record.cancelled
            {
                cancelled.push(id);
            }
        }
        cancelled.iter().for_each(|&id| core.leave(id));
        drop(core);
        for id in cancelled {
            self.end_job(self.lock(), id, JobState::Cancelled, None);
        }
    }

    /// Numbers of the folders in `jobs` that belong to no job of the store. They are left alone.
    pub fn unknown_folders(&self) -> &[JobId] {
        &self.unknown_folders
    }

    /// Starts no more units, and returns when no job has a coordinator and everything is stored. A second call may
    /// turn a gentle end into an immediate one.
    pub fn shutdown(&self, how: Shutdown) {
        let mut core = self.lock();
        if core.closing != Some(Shutdown::Now) {
            core.closing = Some(how);
        }
        for id in core.active.clone() {
            if let Some(JobEntry::Open(open)) = core.jobs.get(&id)
                && let Some(active) = &open.active
            {
                match how {
                    Shutdown::Now => active.stop(),
                    Shutdown::WhenUnitsEnd => active.drain(),
                }
            }
        }
        while !core.active.is_empty() {
            core = self.changed.wait(core).unwrap_or_else(PoisonError::into_inner);
        }
        drop(core);
        drop(self.pool.lock().unwrap_or_else(PoisonError::into_inner).take());
        drop(self.volunteers.lock().unwrap_or_else(PoisonError::into_inner).take());
        // If the disk refuses, the daemon's health has said so before.
        let _ = self.store.barrier();
        self.changed.notify_all();
    }

    /// Starts the thread that tries again what the disk has refused. It ends with the daemon.
    fn start_retries(&self) -> Result<(), OpenError> {
        let this = self.this.clone();
        let spawned = std::thread::Builder::new().name("retry".to_owned()).spawn(move || {
            while let Some(daemon) = this.upgrade() {
                let mut core = daemon.lock();
                if core.closing.is_some() {
                    return;
                }
                if core.trouble.as_ref().is_some_and(|(_, since)| since.elapsed() >= RETRY) {
                    daemon.admit(&mut core);
                }
                daemon.let_go(&mut core);
                daemon.check_memory(&mut core);
                drop(core);
                daemon.settle_ends();
                daemon.tidy();
                drop(daemon);
                std::thread::sleep(RETRY / 2);
            }
        });
        spawned.map_err(|source| SpawnError { thread: 0, source })?;
        Ok(())
    }
}

/// Removes the folders of jobs that were removed before the last daemon ended. A folder that belongs to another job
/// stays.
fn remove_pending(directory: &StateDirectory, store: &Store) -> Result<(), StoreError> {
    for (id, identity) in store.pending_deletions()? {
        let is_foreign = match read_note(&directory.job(id)) {
            Ok(ReadNote::Whole(note)) => Some(note.identity) != identity,
            Ok(ReadNote::Missing | ReadNote::Damaged) => false,
            Err(_) => true,
        };
        if is_foreign || directory.remove_job(id).is_ok() {
            store.later(vec![Change::Purged(id)]);
        }
    }
    Ok(())
}

//! Backups while jobs run: first a copy of the store, then of the folders of its jobs. A folder may know more than
//! the store then; a job that continues reports it again, as after a crash. It would not report again what came
//! before its last checkpoint, so between the two copies no checkpoint is written.

use super::state::Daemon;
use crate::daemon::backup::{self, BackupDraft, BackupNote};
use crate::daemon::directory::JOBS;
use crate::daemon::service::Refusal;
use crate::daemon::tokens::FILE as TOKENS;
use crate::daemon::view::{BackupView, BackupsView, JobId, VERSION};
use crate::runner::clock::now;
use crate::store;
use std::collections::HashSet;
use std::path::Path;
use std::sync::{MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread::sleep;
use std::time::Duration;

/// The backup that is being made, and how the last one of this process went.
#[derive(Default)]
pub struct BackupState {
    /// When it was begun.
    running: Option<f64>,
    /// Why the last one failed, if it did.
    trouble: Option<String>,
}

/// Time between two looks whether checkpoints may be written again.
const PAUSE: Duration = Duration::from_millis(10);

/// Which checkpoints wait for a backup: while one is being made, those of all jobs whose folders it does not have
/// yet.
#[derive(Default)]
pub struct CheckpointHold(RwLock<CopiedJobs>);

/// While a backup is being made: the jobs whose folders it has.
#[derive(Default)]
struct CopiedJobs(Option<HashSet<JobId>>);

impl CopiedJobs {
    fn leaves_free(&self, job: JobId) -> bool {
        self.0.as_ref().is_none_or(|copied| copied.contains(&job))
    }
}

impl CheckpointHold {
    /// From now on all wait until their folders are copied, or the value is dropped. What [`CheckpointHold::pass`] is
    /// doing ends before.
    fn begin(&self) -> HeldCheckpoints<'_> {
        self.write().0 = Some(HashSet::new());
        HeldCheckpoints(self)
    }

    fn read(&self) -> RwLockReadGuard<'_, CopiedJobs> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, CopiedJobs> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the checkpoint of this job need not wait.
    pub fn is_free(&self, job: JobId) -> bool {
        self.read().leaves_free(job)
    }

    /// Waits until a checkpoint of this job may be written, and does what comes before it. No backup begins
    /// meanwhile.
    pub fn pass<T>(&self, job: JobId, prepare: impl FnOnce() -> T) -> T {
        loop {
            let copied = self.read();
            if copied.leaves_free(job) {
                return prepare();
            }
            drop(copied);
            sleep(PAUSE);
        }
    }
}

/// Checkpoints wait while this value lives.
struct HeldCheckpoints<'a>(&'a CheckpointHold);

impl HeldCheckpoints<'_> {
    /// The folder of this job is copied.
    fn release(&self, job: JobId) {
        self.0.write().0.get_or_insert_default().insert(job);
    }
}

impl Drop for HeldCheckpoints<'_> {
    fn drop(&mut self) {
        self.0.write().0 = None;
    }
}

impl Daemon {
    fn backup_state(&self) -> MutexGuard<'_, BackupState> {
        self.backup.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a backup, which a thread makes.
    pub(super) fn begin_backup(&self, keep: Option<usize>) -> Result<BackupsView, Refusal> {
        if keep == Some(0) {
            return Err(Refusal::Invalid(
                "keep is 0: the backup that is made is one of those that are kept".to_owned(),
            ));
        }
        let time = {
            let mut state = self.backup_state();
            if state.running.is_some() {
                return Err(Refusal::Conflict("a backup is being made: try again when it is whole".to_owned()));
            }
            let time = backup::free_time(self.directory.path(), now());
            *state = BackupState { running: Some(time), trouble: None };
            time
        };
        let Some(daemon) = self.this.upgrade() else {
            return Err(Refusal::Unavailable("the daemon ends".to_owned()));
        };
        let thread = std::thread::Builder::new().name("backup".to_owned()).spawn(move || {
            let made = daemon.make_backup(time, keep);
            if let Err(error) = &made {
                tracing::error!("the backup failed: {error}");
            }
            *daemon.backup_state() = BackupState { running: None, trouble: made.err() };
        });
        if let Err(error) = thread {
            *self.backup_state() = BackupState::default();
            return Err(Refusal::Unavailable(format!("the system refuses a thread: {error}")));
        }
        self.list_backups()
    }

    fn make_backup(&self, time: f64, keep: Option<usize>) -> Result<(), String> {
        let state = self.directory.path();
        let name = backup::name_of(time);
        let text = |error: &dyn std::error::Error| error.to_string();
        let mut draft = BackupDraft::begin(state, &name).map_err(|error| text(&error))?;
        let held = self.checkpoints.begin();
        let jobs = self.store.copy_into(draft.folder()).map_err(|error| text(&error))?;
        draft.count_file(store::FILE).map_err(|error| text(&error))?;
        draft.copy_file(&state.join(TOKENS), TOKENS).map_err(|error| text(&error))?;
        for &job in &jobs {
            let below = Path::new(JOBS).join(job.to_string());
            draft.copy_folder(&self.directory.job(job), &below).map_err(|error| text(&error))?;
            held.release(job);
        }
        drop(held);
        let (size, version) = (draft.size, env!("CARGO_PKG_VERSION").to_owned());
        draft.finish(&BackupNote { time, version, jobs: jobs.len() as u64, size }).map_err(|error| text(&error))?;
        tracing::info!(jobs = jobs.len(), bytes = size.bytes, "the backup {name} is whole");
        if let Some(keep) = keep {
            for old in backup::remove_old(state, keep).map_err(|error| text(&error))? {
                tracing::info!("the backup {old} is removed");
            }
        }
        Ok(())
    }

    /// The backups, the newest first.
    pub(super) fn list_backups(&self) -> Result<BackupsView, Refusal> {
        let state = self.directory.path();
        let mut found = backup::list(state).map_err(|error| Refusal::Unavailable(error.to_string()))?;
        found.reverse();
        let items = found.into_iter().map(|(name, note)| BackupView {
            name,
            time: note.time,
            version: note.version,
            jobs: note.jobs,
            files: note.size.files,
            bytes: note.size.bytes,
        });
        let BackupState { running, trouble } = &*self.backup_state();
        // Where a client on this machine finds them.
        let directory =
            std::path::absolute(state.join(backup::BACKUPS)).unwrap_or_else(|_| state.join(backup::BACKUPS));
        Ok(BackupsView {
            v: VERSION,
            directory: directory.display().to_string(),
            running: *running,
            trouble: trouble.clone(),
            items: items.collect(),
        })
    }
}

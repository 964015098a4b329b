//! The open file of the store, and what may be wrong with it.

use super::integrity::{IntegrityError, complete, inspect, shadow_of};
use crate::core::panic::catch_quietly;
use crate::files::{beside, sync_directory};
use redb::{Builder, Database, DatabaseError, StorageError};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Bytes of pages that are kept in memory.
const CACHE: usize = 16 << 20;

/// Why the store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file cannot be made or opened.
    #[error("cannot open {}: {source}", path.display())]
    Open {
        /// Path of the file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process has it open.
    #[error("{} is in use by another process", .0.display())]
    InUse(PathBuf),
    /// It was written by a newer version of the program.
    #[error("{}: {what} has version {found}, but this program reads up to {known}: use a newer one; nothing was changed", path.display())]
    Newer {
        /// Path of the file.
        path: PathBuf,
        /// What in it.
        what: String,
        /// The version that was found.
        found: u64,
        /// The newest version that is known.
        known: u64,
    },
    /// It is not what it should be.
    #[error("{} is damaged: {what}; its content was left alone: put a copy in its place, or run `morpion daemon --salvage`, which makes a new store from the folders of the jobs and from what can be read of this one", path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The disk refuses for now: it is full, or may only be read.
    #[error("cannot write {}: {reason}", path.display())]
    Refused {
        /// Path of the file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
}

/// What the parts of the store share.
pub struct SharedStore {
    /// Where it is.
    pub path: PathBuf,
    /// Closed for a moment after the disk has refused.
    pub database: RwLock<Option<OpenDatabase>>,
    pub trouble: Mutex<Option<String>>,
    /// How often grids were added or removed since the store was opened, as far as that is committed.
    pub changes_of_grids: AtomicU64,
    /// How often accounts were changed since the store was opened, as far as that is committed.
    pub changes_of_accounts: AtomicU64,
}

/// The open file.
pub struct OpenDatabase {
    /// The database of all tables.
    pub database: Database,
    /// The disk takes what is written. Otherwise it stays in memory and is lost, so nothing is committed.
    pub writable: bool,
}

impl SharedStore {
    /// For a file that is not open yet.
    pub fn closed(path: PathBuf) -> Arc<SharedStore> {
        let (database, trouble, changes_of_grids, changes_of_accounts) = Default::default();
        Arc::new(SharedStore { path, database, trouble, changes_of_grids, changes_of_accounts })
    }

    /// The error of a file that is damaged in this way.
    pub fn damaged(&self, what: impl Into<String>) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), what: what.into() }
    }

    /// The error of a disk that refuses for this reason.
    pub fn refused(&self, reason: impl Into<String>) -> StoreError {
        StoreError::Refused { path: self.path.clone(), reason: reason.into() }
    }

    /// What an error of redb means.
    pub fn error(&self, error: impl Into<redb::Error>) -> StoreError {
        match error.into() {
            redb::Error::Corrupted(what) => self.damaged(what),
            other => self.refused(other.to_string()),
        }
    }

    /// What it means that the file cannot be opened.
    fn refusal(&self, error: IntegrityError) -> StoreError {
        match error {
            IntegrityError::Damaged(what) => self.damaged(what),
            IntegrityError::InUse => StoreError::InUse(self.path.clone()),
            IntegrityError::Io(source) => StoreError::Open { path: self.path.clone(), source },
        }
    }

    /// What keeps the store from writing, if anything does.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes that, or that nothing does any more.
    pub fn set_trouble(&self, trouble: Option<String>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }
}

/// Opens the file after all of its pages were verified. One that is damaged is not changed; one that is missing or
/// empty is made.
pub fn open_database(store: &SharedStore) -> Result<Database, StoreError> {
    match fs::metadata(&store.path) {
        Ok(found) if found.len() > 0 => (),
        Ok(_) => create(store)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(store)?,
        Err(error) => return Err(cannot_open(store, error)),
    }
    let file = open_file(store)?;
    inspect(&file, |_| ()).map_err(|error| store.refusal(error))?;
    complete(&file).map_err(|source| cannot_open(store, source))?;
    opened(store, |builder| builder.create_file(file))
}

/// Makes an empty store. It gets its name when it is whole and on the device, so an end of the process or an error
/// of the disk leaves none, never a part of one.
fn create(store: &SharedStore) -> Result<(), StoreError> {
    let cannot = |source| cannot_open(store, source);
    // The name may be a link to an empty file elsewhere.
    let path = fs::canonicalize(&store.path).unwrap_or_else(|_| store.path.clone());
    let beside = beside(&path);
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(cannot(error)),
        _ => (),
    }
    let file = options().create_new(true).open(&beside).map_err(cannot)?;
    let same = file.try_clone().map_err(cannot)?;
    drop(opened(store, |builder| builder.create_file(file))?);
    // redb says nothing if its last write fails.
    inspect(&same, |_| ()).map_err(|error| match error {
        IntegrityError::Damaged(what) => store.refused(format!("the new file could not be written: {what}")),
        other => store.refusal(other),
    })?;
    same.sync_all().and_then(|()| fs::rename(&beside, &path)).and_then(|()| sync_directory(&path)).map_err(cannot)
}

/// Opens the file again, which was verified before.
pub fn open_verified(store: &SharedStore) -> Result<Database, StoreError> {
    let file = open_file(store)?;
    complete(&file).map_err(|source| cannot_open(store, source))?;
    opened(store, |builder| builder.create_file(file))
}

fn cannot_open(store: &SharedStore, source: std::io::Error) -> StoreError {
    StoreError::Open { path: store.path.clone(), source }
}

fn open_file(store: &SharedStore) -> Result<File, StoreError> {
    options().open(&store.path).map_err(|source| cannot_open(store, source))
}

/// For reading and writing; a new file is for its owner alone.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Opens the file for reading alone; redb may seem to write.
pub fn open_shadow(store: &SharedStore) -> Result<Database, StoreError> {
    let cannot = |source| cannot_open(store, source);
    let file = File::open(&store.path).map_err(cannot)?;
    inspect(&file, |_| ()).map_err(|error| store.refusal(error))?;
    // It is opened for writing again before this is closed.
    let _ = file.unlock();
    let shadow = shadow_of(&file).map_err(cannot)?;
    opened(store, |builder| builder.create_with_backend(shadow))
}

fn opened(
    store: &SharedStore,
    open: impl FnOnce(&Builder) -> Result<Database, DatabaseError>,
) -> Result<Database, StoreError> {
    let opened = catch_quietly(|| open(Database::builder().set_cache_size(CACHE)));
    let opened =
        opened.unwrap_or_else(|_| Err(StorageError::Corrupted("its pages contradict each other".to_owned()).into()));
    opened.map_err(|error| store.refusal(error.into()))
}

//! The open file of the store, and what may be wrong with it.

use super::shadow::Shadow;
use redb::{Builder, Database};
use std::fs::{File, OpenOptions};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, RwLock};

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
}

/// The open file.
pub struct OpenDatabase {
    /// The database of all tables.
    pub database: Database,
    /// The disk takes what is written. Otherwise it stays in memory and is lost, so nothing is committed.
    pub writable: bool,
}

impl SharedStore {
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

    /// What keeps the store from writing, if anything does.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes that, or that nothing does any more.
    pub fn set_trouble(&self, trouble: Option<String>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }
}

/// Opens the file, and has redb check its pages.
pub fn open_database(store: &SharedStore) -> Result<Database, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&store.path).map_err(|source| StoreError::Open { path: store.path.clone(), source })?;
    checked(store, |builder| builder.create_file(file))
}

/// Opens the file for reading alone; redb may seem to write.
pub fn open_shadow(store: &SharedStore) -> Result<Database, StoreError> {
    let shadow = File::open(&store.path).and_then(Shadow::over);
    let shadow = shadow.map_err(|source| StoreError::Open { path: store.path.clone(), source })?;
    checked(store, |builder| builder.create_with_backend(shadow))
}

fn checked(
    store: &SharedStore,
    open: impl FnOnce(&Builder) -> Result<Database, redb::DatabaseError>,
) -> Result<Database, StoreError> {
    let path = &store.path;
    let opened = catch_unwind(AssertUnwindSafe(|| {
        let mut database = open(Database::builder().set_cache_size(CACHE))?;
        database.check_integrity()?;
        Ok(database)
    }));
    let opened = opened.unwrap_or_else(|_| {
        Err(redb::DatabaseError::Storage(redb::StorageError::Corrupted("its pages contradict each other".to_owned())))
    });
    opened.map_err(|error| match error {
        redb::DatabaseError::DatabaseAlreadyOpen => StoreError::InUse(path.clone()),
        redb::DatabaseError::UpgradeRequired(version) => {
            store.damaged(format!("its format version {version} is no longer read"))
        }
        redb::DatabaseError::Storage(redb::StorageError::Io(error)) => match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => store.damaged(error.to_string()),
            _ => StoreError::Open { path: path.clone(), source: error },
        },
        other => store.error(other),
    })
}

//! What keeps the rows of a solution's checkpoint: a database in one file, with a table each for nodes, units and
//! workers, and *flags* (values with names). Rows and flags are bytes; their content and its format are the store's
//! ([`super`]). A new backend implements the four traits here, and gets a name in
//! [`StoreKind`](crate::jobs::tree::settings::StoreKind) and a line in [`super::backend`].

use std::error::Error;
use std::fmt::Debug;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// Bytes of pages that a database keeps in memory, per file.
pub const CACHE: usize = 4 << 20;

/// A table with a row for each number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowTable {
    /// The nodes of the tree, by their numbers from 0 on.
    Nodes,
    /// The units that are not settled.
    Units,
    /// The workers with their credit, by their numbers from 0 on.
    Workers,
    /// In the first format, which only redb has: records since the checkpoint.
    Records,
}

/// Why a database cannot be read or written.
#[derive(Debug)]
pub enum RowError {
    /// The file is not what it should be. In words that continue "it is damaged:".
    Damaged(String),
    /// Another process has it.
    InUse,
    /// An operation failed.
    Failed(Box<dyn Error + Send + Sync>),
}

impl From<io::Error> for RowError {
    fn from(error: io::Error) -> RowError {
        RowError::Failed(error.into())
    }
}

/// What a function does with each row: its number, and its bytes.
pub type EachRow<'a> = dyn FnMut(u64, &[u8]) -> Result<(), RowError> + 'a;

/// What a database holds at one moment.
pub trait RowReader {
    /// A flag, if it is set.
    ///
    /// # Errors
    /// If it cannot be read.
    fn flag(&self, name: &str) -> Result<Option<Vec<u8>>, RowError>;

    /// Calls `each` for all rows of a table in the order of their numbers.
    ///
    /// # Errors
    /// If they cannot be read, or the first error of `each`.
    fn rows(&self, table: RowTable, each: &mut EachRow<'_>) -> Result<(), RowError>;
}

/// A transaction: all of what is written in it is in the file afterwards, or nothing.
pub trait RowWriter {
    /// Sets a flag.
    ///
    /// # Errors
    /// If it cannot be written; as for the functions below.
    fn set_flag(&mut self, name: &str, value: &[u8]) -> Result<(), RowError>;

    /// Writes a row in place of the one with its number, if there is one. Not for [`RowTable::Records`].
    ///
    /// # Errors
    /// As for [`RowWriter::set_flag`].
    fn put(&mut self, table: RowTable, number: u64, row: &[u8]) -> Result<(), RowError>;

    /// Removes a row, if there is one.
    ///
    /// # Errors
    /// As for [`RowWriter::set_flag`].
    fn remove(&mut self, table: RowTable, number: u64) -> Result<(), RowError>;

    /// Removes all rows of [`RowTable::Records`].
    ///
    /// # Errors
    /// As for [`RowWriter::set_flag`].
    fn remove_records(&mut self) -> Result<(), RowError> {
        Ok(())
    }
}

/// What writes in a transaction.
pub type WriteRows<'a> = dyn FnMut(&mut dyn RowWriter) -> Result<(), RowError> + 'a;

/// A database that is open for writing. Another process cannot open it meanwhile.
pub trait TreeDatabase: Debug {
    /// Writes in one transaction, which is on the device when this returns.
    ///
    /// # Errors
    /// If it cannot be written, or the error of `body`; the file then holds what it held before.
    fn write(&mut self, body: &mut WriteRows<'_>) -> Result<(), RowError>;

    /// Bytes of the file.
    ///
    /// # Errors
    /// If the system does not say.
    fn bytes(&self) -> io::Result<u64>;
}

/// A file that was found, and that no other process can open meanwhile. It is read before it is opened for writing.
pub trait FoundDatabase {
    /// Verifies the file and passes what it holds to `read`. What `read` has made of it counts only if this returns
    /// no error. The file is not changed, unless a crash left a transaction to be undone in it.
    ///
    /// # Errors
    /// If it is damaged or cannot be read.
    fn inspect(&self, read: &mut dyn FnMut(&dyn RowReader)) -> Result<(), RowError>;

    /// Opens the file for writing. To be called after [`FoundDatabase::inspect`].
    ///
    /// # Errors
    /// If it cannot be opened.
    fn open(self: Box<Self>) -> Result<Box<dyn TreeDatabase>, RowError>;
}

/// A kind of database.
pub trait TreeBackend {
    /// Makes a new database. There is no file of this name.
    ///
    /// # Errors
    /// If it cannot be made.
    fn create(&self, path: &Path) -> Result<Box<dyn TreeDatabase>, RowError>;

    /// Takes an existing file, so that no other process opens it.
    ///
    /// # Errors
    /// If it cannot be opened, or another process has it.
    fn find(&self, path: &Path) -> Result<Box<dyn FoundDatabase>, RowError>;

    /// Sees to it that a new file can come to this name, and removes what a crash left of an attempt to make it under
    /// the other one.
    ///
    /// # Errors
    /// If something is in the way.
    fn prepare(&self, path: &Path, beside: &Path) -> Result<(), RowError> {
        let _ = path;
        Ok(remove(beside)?)
    }
}

/// Removes a file if it exists.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Opens an existing file for reading and writing.
pub(super) fn open_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open(path)
}

/// Locks an open file, so that no other process uses it as long as it is open.
///
/// # Errors
/// If another process has it. Where files cannot be locked, there is no error.
pub(super) fn lock(file: &File) -> Result<(), RowError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(RowError::InUse),
        Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => Err(error.into()),
        _ => Ok(()),
    }
}

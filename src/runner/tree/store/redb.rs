//! The checkpoint of a solution in a redb file. It repairs a file that a crash left open without reading it through
//! (quick repair).
//!
//! A file is read as a whole by [`inspect`] before it is opened: one that is damaged is left alone.

use super::database::{
    CACHE, EachRow, FoundDatabase, RowError, RowReader, RowTable, RowWriter, TreeBackend, TreeDatabase, WriteRows,
    lock, open_file,
};
use crate::core::panic::catch_quietly;
use crate::store::integrity::{IntegrityError, complete, inspect};
use redb::{
    Builder, Database, DatabaseError, ReadTransaction, ReadableDatabase, ReadableTable, StorageError, Table,
    TableDefinition, TableError, WriteTransaction,
};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

const FLAGS: TableDefinition<&str, &[u8]> = TableDefinition::new("meta");
const NODES: TableDefinition<u32, &[u8]> = TableDefinition::new("nodes");
const UNITS: TableDefinition<u64, &[u8]> = TableDefinition::new("units");
const WORKERS: TableDefinition<u32, &[u8]> = TableDefinition::new("credit");
const RECORDS: TableDefinition<u64, &[u8]> = TableDefinition::new("results");

fn failed(error: impl Into<redb::Error>) -> RowError {
    RowError::Failed(Box::new(error.into()))
}

/// A table that is not there or of another kind is damage.
fn unreadable(error: TableError) -> RowError {
    match error {
        TableError::Storage(error) => failed(error),
        other => RowError::Damaged(other.to_string()),
    }
}

fn refusal(error: DatabaseError) -> RowError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => RowError::InUse,
        DatabaseError::Storage(StorageError::Corrupted(what)) => RowError::Damaged(what),
        DatabaseError::Storage(StorageError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
            RowError::Damaged(error.to_string())
        }
        DatabaseError::UpgradeRequired(version) => {
            RowError::Damaged(format!("it is a database of version {version}, which this program never wrote"))
        }
        other => failed(other),
    }
}

/// The number of a row in a table of 32-bit numbers.
fn short(number: u64) -> Result<u32, RowError> {
    u32::try_from(number).map_err(|_| RowError::Failed(format!("row {number} is beyond this table").into()))
}

/// Databases of redb.
#[derive(Debug)]
pub struct Redb;

impl TreeBackend for Redb {
    fn create(&self, path: &Path) -> Result<Box<dyn TreeDatabase>, RowError> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        Ok(Box::new(OpenRedb::new(file).map_err(refusal)?))
    }

    fn find(&self, path: &Path) -> Result<Box<dyn FoundDatabase>, RowError> {
        let file = open_file(path)?;
        lock(&file)?;
        Ok(Box::new(FoundRedb(file)))
    }
}

/// A file that is locked.
struct FoundRedb(File);

impl FoundDatabase for FoundRedb {
    fn inspect(&self, read: &mut dyn FnMut(&dyn RowReader)) -> Result<(), RowError> {
        let read = |database: &Database| {
            let transaction = database.begin_read().map_err(failed)?;
            read(&RedbReader(transaction));
            Ok(())
        };
        inspect(&self.0, read).map_err(|error| match error {
            IntegrityError::Damaged(what) => RowError::Damaged(what),
            IntegrityError::InUse => RowError::InUse,
            IntegrityError::Io(error) => error.into(),
        })?
    }

    fn open(self: Box<Self>) -> Result<Box<dyn TreeDatabase>, RowError> {
        let FoundRedb(file) = *self;
        complete(&file)?;
        let opened = catch_quietly(move || OpenRedb::new(file));
        Ok(Box::new(opened.unwrap_or_else(|why| Err(StorageError::Corrupted(why).into())).map_err(refusal)?))
    }
}

struct RedbReader(ReadTransaction);

impl RedbReader {
    fn each<K>(&self, table: TableDefinition<K, &'static [u8]>, each: &mut EachRow<'_>) -> Result<(), RowError>
    where
        K: redb::Key + for<'a> redb::Value<SelfType<'a> = K> + Into<u64>,
    {
        let table = self.0.open_table(table).map_err(unreadable)?;
        for row in table.iter().map_err(failed)? {
            let (number, row) = row.map_err(failed)?;
            each(number.value().into(), row.value())?;
        }
        Ok(())
    }
}

impl RowReader for RedbReader {
    fn flag(&self, name: &str) -> Result<Option<Vec<u8>>, RowError> {
        let flags = self.0.open_table(FLAGS).map_err(unreadable)?;
        let value = flags.get(name).map_err(failed)?;
        Ok(value.map(|value| value.value().to_vec()))
    }

    fn rows(&self, table: RowTable, each: &mut EachRow<'_>) -> Result<(), RowError> {
        match table {
            RowTable::Nodes => self.each(NODES, each),
            RowTable::Units => self.each(UNITS, each),
            RowTable::Workers => self.each(WORKERS, each),
            RowTable::Records => self.each(RECORDS, each),
        }
    }
}

/// An open database that is closed by [`Drop`], but not while a panic unwinds: its destructor may panic, and a second
/// panic ends the process. The file is released all the same.
#[derive(Debug)]
struct OpenRedb {
    /// Taken when it is closed.
    database: Option<Database>,
    file: File,
}

impl OpenRedb {
    /// Opens the database in a file.
    fn new(file: File) -> Result<OpenRedb, DatabaseError> {
        let opened = Builder::new().set_cache_size(CACHE).create_file(file.try_clone()?)?;
        Ok(OpenRedb { database: Some(opened), file })
    }
}

impl Drop for OpenRedb {
    fn drop(&mut self) {
        let database = self.database.take();
        if std::thread::panicking() {
            std::mem::forget(database);
        } else {
            let _ = catch_quietly(move || drop(database));
        }
        let _ = self.file.unlock();
    }
}

impl TreeDatabase for OpenRedb {
    fn write(&mut self, body: &mut WriteRows<'_>) -> Result<(), RowError> {
        let database = self.database.as_ref().ok_or_else(|| failed(StorageError::DatabaseClosed))?;
        let mut transaction = database.begin_write().map_err(failed)?;
        transaction.set_quick_repair(true);
        body(&mut RedbWriter::new(&transaction)?)?;
        transaction.commit().map_err(failed)
    }

    fn bytes(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }
}

struct RedbWriter<'t> {
    transaction: &'t WriteTransaction,
    flags: Table<'t, &'static str, &'static [u8]>,
    nodes: Table<'t, u32, &'static [u8]>,
    units: Table<'t, u64, &'static [u8]>,
    workers: Table<'t, u32, &'static [u8]>,
}

impl<'t> RedbWriter<'t> {
    fn new(transaction: &'t WriteTransaction) -> Result<RedbWriter<'t>, RowError> {
        Ok(RedbWriter {
            transaction,
            flags: transaction.open_table(FLAGS).map_err(failed)?,
            nodes: transaction.open_table(NODES).map_err(failed)?,
            units: transaction.open_table(UNITS).map_err(failed)?,
            workers: transaction.open_table(WORKERS).map_err(failed)?,
        })
    }
}

impl RowWriter for RedbWriter<'_> {
    fn set_flag(&mut self, name: &str, value: &[u8]) -> Result<(), RowError> {
        self.flags.insert(name, value).map_err(failed).map(drop)
    }

    fn put(&mut self, table: RowTable, number: u64, row: &[u8]) -> Result<(), RowError> {
        let put = match table {
            RowTable::Nodes => self.nodes.insert(short(number)?, row).map(drop),
            RowTable::Units => self.units.insert(number, row).map(drop),
            RowTable::Workers => self.workers.insert(short(number)?, row).map(drop),
            RowTable::Records => return Err(RowError::Failed("records belong into the journal".into())),
        };
        put.map_err(failed)
    }

    fn remove(&mut self, table: RowTable, number: u64) -> Result<(), RowError> {
        let removed = match table {
            RowTable::Nodes => self.nodes.remove(short(number)?).map(drop),
            RowTable::Units => self.units.remove(number).map(drop),
            RowTable::Workers => self.workers.remove(short(number)?).map(drop),
            RowTable::Records => return self.remove_records(),
        };
        removed.map_err(failed)
    }

    fn remove_records(&mut self) -> Result<(), RowError> {
        self.transaction.delete_table(RECORDS).map_err(failed)?;
        self.transaction.open_table(RECORDS).map_err(failed).map(drop)
    }
}

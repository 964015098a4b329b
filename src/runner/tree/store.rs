//! The file of a solution by units: the state as of the last checkpoint, and the records since.
//!
//! The checkpoint is one redb file with a table each for nodes, units (with the claims that wait) and workers (with
//! their credit), and a small one for the rest. The records are in a journal beside it ([`super::journal`]). A record
//! is in the journal before anyone acts on it. A checkpoint writes the rows that changed, in the order of their keys,
//! in one transaction; then the records go out of the journal. So a crash at any moment leaves a checkpoint and the
//! records since, and the state is what [`TreeState::apply`] makes of them. Format 1 had the records in the database;
//! it is read. redb repairs a file that a crash left open without reading it through (quick repair).
//!
//! A row is framed by [`crate::core::frame::row`]; its content is the value as postcard encodes it. A file is read as
//! a whole by [`inspect`] before it is opened: one that is damaged, or was written by a newer program, is left alone.

use super::journal::{self, JournalContent, JournalError, TreeJournal};
use crate::core::frame::{Flaw, read_row, row};
use crate::core::game::Game;
use crate::core::panic::catch_quietly;
use crate::files::{FileError, sync_directory};
use crate::jobs::tree::credit::Worker;
use crate::jobs::tree::node::TreeNode;
use crate::jobs::tree::record::TreeRecord;
use crate::jobs::tree::state::{Meta, TreeParts, TreeState};
use crate::jobs::tree::unit::OpenUnit;
use crate::store::integrity::{IntegrityError, complete, inspect};
use redb::{
    Builder, Database, DatabaseError, ReadTransaction, ReadableDatabase, ReadableTable, ReadableTableMetadata,
    StorageError, TableDefinition, TableError, TransactionError, WriteTransaction,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Version of the file's format.
pub const FORMAT: u32 = 2;
/// The first format, which had no journal.
const FIRST_FORMAT: u32 = 1;
/// Version of a row.
const ROW: u8 = 1;
/// A journal of so many bytes is long: some ten thousand records, which are applied in less than a second.
const LONG_JOURNAL: u64 = 1 << 20;
/// What a person can do about a damaged journal.
const MOVE_AWAY: &str = "move the file away to continue from the checkpoint before it";
/// Bytes of pages that are kept in memory, per file. redb's own default is 1 GiB.
pub const CACHE: usize = 4 << 20;

/// `format` (a number in little-endian), `job` (text that says what is solved), `meta` (a row), `seconds` (that it
/// has run; a row, which files of earlier versions do not have), `journal` (a number that the journal has, too).
const META: TableDefinition<&str, &[u8]> = TableDefinition::new("meta");
const NODES: TableDefinition<u32, &[u8]> = TableDefinition::new("nodes");
const UNITS: TableDefinition<u64, &[u8]> = TableDefinition::new("units");
const CREDIT: TableDefinition<u32, &[u8]> = TableDefinition::new("credit");
/// In format 1: records since the checkpoint, by how many had been applied before.
const RESULTS: TableDefinition<u64, &[u8]> = TableDefinition::new("results");

/// Why the file cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TreeStoreError {
    /// There is one already.
    #[error("{} holds a solution already", .0.display())]
    Exists(PathBuf),
    /// Another process works on it.
    #[error("another process works on {}: wait for its end, or choose another directory", .0.display())]
    Locked(PathBuf),
    /// It was written by a newer program.
    #[error("{} has format version {found}, but this program reads up to {FORMAT}: use a newer one", path.display())]
    Newer {
        /// Path of the file.
        path: PathBuf,
        /// Version of its format.
        found: u32,
    },
    /// It is not what it should be.
    #[error("{} is damaged: {what}; nothing was changed", path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// It cannot be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// Path of the file.
        path: PathBuf,
        /// What went wrong.
        source: Box<redb::Error>,
    },
}

/// The open file. Another process cannot open it meanwhile.
#[derive(Debug)]
pub struct TreeStore {
    path: PathBuf,
    database: OpenDatabase,
    journal: TreeJournal,
    /// Records that both files have, those before the checkpoint included.
    records: u64,
    /// A write failed. What the journal has is then known only when it is read again, so nothing more is written.
    broken: bool,
}

/// An open database that is closed by [`Drop`], but not while a panic unwinds: its destructor may panic, and a second
/// panic ends the process. The file is released all the same.
#[derive(Debug)]
struct OpenDatabase {
    /// Taken when it is closed.
    database: Option<Database>,
    file: File,
}

impl OpenDatabase {
    /// Opens the database in a file.
    fn new(file: File) -> Result<OpenDatabase, DatabaseError> {
        let opened = Builder::new().set_cache_size(CACHE).create_file(file.try_clone()?)?;
        Ok(OpenDatabase { database: Some(opened), file })
    }

    fn begin_write(&self) -> Result<WriteTransaction, TransactionError> {
        let closed = || TransactionError::from(StorageError::DatabaseClosed);
        self.database.as_ref().ok_or_else(closed)?.begin_write()
    }
}

impl Drop for OpenDatabase {
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

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredTree {
    /// What is solved, as the caller of [`TreeStore::create`] said.
    pub job: String,
    /// The state as of the checkpoint.
    pub parts: TreeParts,
    /// The records since.
    pub records: Vec<TreeRecord>,
    /// Seconds that it had run when that was last noted.
    pub seconds: f64,
    /// What was wrong with the journal and has been put right, in words for people.
    pub notice: Option<String>,
}

impl StoredTree {
    /// The state with all records.
    ///
    /// # Errors
    /// What is stored does not go together, or belongs to another position.
    pub fn state<G: Game>(self, root: G) -> Result<TreeState<G>, crate::jobs::tree::record::Misfit> {
        let mut state = TreeState::restore(root, self.parts)?;
        for record in &self.records {
            state.apply(record)?;
        }
        Ok(state)
    }
}

impl TreeStore {
    /// Begins a file. `job` is handed back when it is opened.
    ///
    /// # Errors
    /// If there is one already, or it cannot be written.
    pub fn create<G: Game>(path: &Path, job: &str, state: &mut TreeState<G>) -> Result<TreeStore, TreeStoreError> {
        if path.exists() {
            return Err(TreeStoreError::Exists(path.to_owned()));
        }
        // Written under another name first, so that a crash leaves a whole file or none.
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".new");
        let beside = path.with_file_name(name);
        let failed = |action| move |source: io::Error| failure(action, path)(StorageError::Io(source).into());
        match fs::remove_file(&beside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed("write")(error)),
            _ => (),
        }
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create_new(true).open(&beside).map_err(failed("write"))?;
        let database = OpenDatabase::new(file).map_err(|error| refusal(path, error))?;
        let solution = rand::random();
        write(&database, Some((job, solution)), state, 0.0).map_err(failure("write", path))?;
        drop(database);
        let journal = TreeJournal::begin(&journal::beside(path), solution).map_err(of_journal)?;
        fs::rename(&beside, path).and_then(|()| sync_directory(path)).map_err(failed("write"))?;
        let database = OpenDatabase::new(open(path)?).map_err(|error| refusal(path, error))?;
        Ok(TreeStore { path: path.to_owned(), database, journal, records: state.meta().applied, broken: false })
    }

    /// Reads the checkpoint of a file without the records since, and changes nothing.
    ///
    /// # Errors
    /// If it cannot be read, is in use, is damaged, or is newer than this program.
    pub fn checkpoint_of(path: &Path) -> Result<StoredTree, TreeStoreError> {
        let (stored, _) = load_checked(path, &open(path)?)?;
        Ok(stored)
    }

    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be read, is in use, is damaged, or is newer than this program. Nothing is changed then.
    pub fn open(path: &Path) -> Result<(TreeStore, StoredTree), TreeStoreError> {
        let file = open(path)?;
        let (mut stored, solution) = load_checked(path, &file)?;
        let beside = journal::beside(path);
        let content = match solution {
            Some(solution) => read_journal(&beside, solution, &mut stored)?,
            None => JournalContent::default(),
        };
        complete(&file).map_err(|source| failure("write", path)(StorageError::Io(source).into()))?;
        let opened = catch_quietly(move || OpenDatabase::new(file));
        let opened = opened.unwrap_or_else(|why| Err(StorageError::Corrupted(why).into()));
        let database = opened.map_err(|error| refusal(path, error))?;
        let journal = match (solution, content.length) {
            (Some(solution), Some(length)) => {
                let cut = content.cut.map(|why| crate::runner::journal::cut(&beside, length, &why));
                stored.notice = cut.transpose().map_err(of_journal)?;
                TreeJournal::open(&beside, solution, length)
            }
            (Some(solution), None) => {
                let missing = "was missing: the solution continues from the checkpoint before it";
                stored.notice = Some(format!("{} {missing}", beside.display()));
                TreeJournal::begin(&beside, solution)
            }
            (None, _) => {
                let solution = rand::random();
                let journal = TreeJournal::begin(&beside, solution).map_err(of_journal)?;
                let noted = transaction(&database, |transaction| note_format(transaction, solution));
                noted.map_err(failure("write", path))?;
                Ok(journal)
            }
        };
        let journal = journal.map_err(of_journal)?;
        let records = stored.parts.meta.applied + stored.records.len() as u64;
        Ok((TreeStore { path: path.to_owned(), database, journal, records, broken: false }, stored))
    }

    /// Adds records. When it returns, they survive a crash; a power cut costs those of the last second at most.
    ///
    /// # Errors
    /// If they cannot be written; the store has to be opened again then.
    pub fn append(&mut self, records: &[TreeRecord]) -> Result<(), TreeStoreError> {
        if records.is_empty() {
            return Ok(());
        }
        self.check_whole()?;
        let first = self.records;
        self.records += records.len() as u64;
        self.write_journal(|journal, path| journal.append(path, first, records))
    }

    /// Writes to the journal. If it fails, nothing more is written.
    fn write_journal(
        &mut self,
        write: impl FnOnce(&mut TreeJournal, &Path) -> Result<(), FileError>,
    ) -> Result<(), TreeStoreError> {
        let written = write(&mut self.journal, &journal::beside(&self.path));
        self.broken |= written.is_err();
        written.map_err(of_journal)
    }

    fn check_whole(&self) -> Result<(), TreeStoreError> {
        match self.broken {
            true => Err(failure("write", &self.path)(StorageError::PreviousIo.into())),
            false => Ok(()),
        }
    }

    /// Notes for how long it has run, which costs less than a checkpoint.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn note_seconds(&mut self, seconds: f64) -> Result<(), TreeStoreError> {
        self.check_whole()?;
        self.write_journal(|journal, path| journal.note_seconds(path, seconds))
    }

    /// To be called now and then: flushes the journal to the device about once a second.
    ///
    /// # Errors
    /// If the device refuses.
    pub fn flush_in_time(&mut self) -> Result<(), TreeStoreError> {
        self.write_journal(|journal, _| journal.flush_in_time())
    }

    /// Whether so much has been added that a checkpoint is due, lest the journal take long to read.
    pub fn is_long(&self) -> bool {
        self.journal.length() >= LONG_JOURNAL
    }

    /// Bytes of both files.
    ///
    /// # Errors
    /// If the system does not say.
    pub fn size(&self) -> Result<u64, TreeStoreError> {
        let file = self.database.file.metadata();
        let file = file.map_err(|error| failure("read", &self.path)(StorageError::Io(error).into()))?;
        Ok(file.len().saturating_add(self.journal.length()))
    }

    /// Writes what changed in the state since the last checkpoint, and for how long it has run, and takes the records
    /// out. All of the state's records must have been added before.
    ///
    /// # Errors
    /// If it cannot be written; the state that the files tell is then as it was.
    pub fn checkpoint<G: Game>(&mut self, state: &mut TreeState<G>, seconds: f64) -> Result<(), TreeStoreError> {
        self.check_whole()?;
        write(&self.database, None, state, seconds).map_err(failure("write", &self.path))?;
        self.write_journal(|journal, _| journal.clear())
    }
}

/// Writes what changed in a state. `new`: what is solved, and the number of the journal, of a new file.
fn write<G: Game>(
    database: &OpenDatabase,
    new: Option<(&str, u64)>,
    state: &mut TreeState<G>,
    seconds: f64,
) -> Result<(), redb::Error> {
    let dirty = state.take_dirty();
    transaction(database, |transaction| {
        if let Some((job, solution)) = new {
            note_format(transaction, solution)?;
            transaction.open_table(META)?.insert("job", job.as_bytes())?;
        }
        let mut table = transaction.open_table(META)?;
        table.insert("meta", &encode(state.meta())?[..])?;
        table.insert("seconds", &encode(&seconds)?[..])?;
        let mut table = transaction.open_table(NODES)?;
        for id in dirty.nodes {
            if let Some(node) = state.nodes().get(id as usize) {
                table.insert(id, &encode(node)?[..])?;
            }
        }
        let mut table = transaction.open_table(UNITS)?;
        for id in dirty.units {
            match state.units().get(&id) {
                Some(unit) => drop(table.insert(id, &encode(unit)?[..])?),
                None => drop(table.remove(id)?),
            }
        }
        let mut table = transaction.open_table(CREDIT)?;
        for id in dirty.workers {
            if let Some(worker) = state.workers().get(id as usize) {
                table.insert(id, &encode(worker)?[..])?;
            }
        }
        transaction.delete_table(RESULTS)?;
        transaction.open_table(RESULTS)?;
        Ok(())
    })
}

/// Notes that the records are in the journal of this number.
fn note_format(transaction: &WriteTransaction, solution: u64) -> Result<(), redb::Error> {
    let mut table = transaction.open_table(META)?;
    table.insert("format", &FORMAT.to_le_bytes()[..])?;
    table.insert("journal", &encode(&solution)?[..])?;
    Ok(())
}

fn transaction(
    database: &OpenDatabase,
    body: impl FnOnce(&WriteTransaction) -> Result<(), redb::Error>,
) -> Result<(), redb::Error> {
    let mut transaction = database.begin_write()?;
    transaction.set_quick_repair(true);
    body(&transaction)?;
    transaction.commit()?;
    Ok(())
}

/// Reads the journal and adds the records that the database does not have.
fn read_journal(path: &Path, solution: u64, stored: &mut StoredTree) -> Result<JournalContent, TreeStoreError> {
    let mut content = journal::read(path, solution).map_err(|error| match error {
        JournalError::File(error) => of_journal(error),
        JournalError::Flaw(Flaw::Newer(found)) => TreeStoreError::Newer { path: path.to_owned(), found },
        JournalError::Flaw(Flaw::Damaged(what)) => damaged(path, &format!("{what} ({MOVE_AWAY})")),
    })?;
    let known = stored.parts.meta.applied + stored.records.len() as u64;
    let changes = content.changes.drain(..).skip_while(|&(number, _)| number < known);
    for (next, (number, record)) in (known..).zip(changes) {
        if number != next {
            return Err(damaged(path, &format!("record {next} is missing ({MOVE_AWAY})")));
        }
        stored.records.push(record);
    }
    stored.seconds = stored.seconds.max(content.seconds);
    Ok(content)
}

fn open(path: &Path) -> Result<File, TreeStoreError> {
    let opened = OpenOptions::new().read(true).write(true).open(path);
    opened.map_err(|error| failure("open", path)(StorageError::Io(error).into()))
}

/// Verifies the file. What the database holds, and the number of its journal.
fn load_checked(path: &Path, file: &File) -> Result<(StoredTree, Option<u64>), TreeStoreError> {
    inspect(file, |database| load(path, database)).map_err(|error| match error {
        IntegrityError::Damaged(what) => damaged(path, &what),
        IntegrityError::InUse => TreeStoreError::Locked(path.to_owned()),
        IntegrityError::Io(error) => failure("read", path)(StorageError::Io(error).into()),
    })?
}

/// What the database holds, and the number of its journal.
fn load(path: &Path, database: &impl ReadableDatabase) -> Result<(StoredTree, Option<u64>), TreeStoreError> {
    let transaction = database.begin_read().map_err(|error| failure("read", path)(error.into()))?;
    let meta = transaction.open_table(META).map_err(|error| unreadable(path, error))?;
    let find = |key: &str| {
        let value = meta.get(key).map_err(|error| failure("read", path)(error.into()))?;
        Ok::<_, TreeStoreError>(value.map(|value| value.value().to_vec()))
    };
    let get = |key: &str| find(key)?.ok_or_else(|| damaged(path, &format!("its {key} is missing")));
    let format = get("format")?.try_into().map(u32::from_le_bytes);
    let solution = match format.map_err(|_| damaged(path, "its format is not a number"))? {
        FIRST_FORMAT => None,
        FORMAT => {
            let number = decode(&get("journal")?);
            Some(number.map_err(|what| damaged(path, &format!("the number of its journal {what}")))?)
        }
        found @ 1.. => return Err(TreeStoreError::Newer { path: path.to_owned(), found }),
        0 => return Err(damaged(path, "it has format version 0, which never was")),
    };
    let job = String::from_utf8(get("job")?).map_err(|_| damaged(path, "its job is not text"))?;
    let seconds = find("seconds")?.map_or(Ok(0.0), |row| decode(&row));
    let seconds = seconds.map_err(|what| damaged(path, &format!("its time {what}")))?;
    let meta: Meta = decode(&get("meta")?).map_err(|what| damaged(path, &format!("its state {what}")))?;
    let nodes: Vec<(u32, TreeNode)> = rows(path, &transaction, NODES, "node")?;
    let units: Vec<(u64, OpenUnit)> = rows(path, &transaction, UNITS, "unit")?;
    let workers: Vec<(u32, Worker)> = rows(path, &transaction, CREDIT, "worker")?;
    let records: Vec<(u64, TreeRecord)> = rows(path, &transaction, RESULTS, "record")?;
    fn values<T>(rows: Vec<(u32, T)>) -> Option<Vec<T>> {
        (0..).zip(rows).map(|(n, (key, row))| (n == key).then_some(row)).collect()
    }
    let gap = |what| damaged(path, &format!("a {what} is missing"));
    let nodes = values(nodes).ok_or_else(|| gap("node"))?;
    let workers = values(workers).ok_or_else(|| gap("worker"))?;
    if !(meta.applied..).zip(&records).all(|(n, (key, _))| n == *key) {
        return Err(gap("record"));
    }
    let records = records.into_iter().map(|(_, record)| record).collect();
    let parts = TreeParts { meta, nodes, units: units.into_iter().collect(), workers };
    Ok((StoredTree { job, parts, records, seconds, notice: None }, solution))
}

/// All rows of a table in the order of their keys.
fn rows<K, T>(
    path: &Path,
    transaction: &ReadTransaction,
    table: TableDefinition<K, &'static [u8]>,
    what: &str,
) -> Result<Vec<(K, T)>, TreeStoreError>
where
    K: redb::Key + for<'a> redb::Value<SelfType<'a> = K> + std::fmt::Display,
    T: DeserializeOwned,
{
    let table = transaction.open_table(table).map_err(|error| unreadable(path, error))?;
    let read = |error: StorageError| failure("read", path)(error.into());
    let mut rows = Vec::with_capacity(usize::try_from(table.len().map_err(read)?).unwrap_or(0).min(1 << 20));
    for row in table.iter().map_err(read)? {
        let (key, value) = row.map_err(read)?;
        let key = key.value();
        let value = decode(value.value()).map_err(|why| damaged(path, &format!("{what} {key} {why}")))?;
        rows.push((key, value));
    }
    Ok(rows)
}

fn encode(value: &impl Serialize) -> Result<Vec<u8>, redb::Error> {
    let payload = postcard::to_stdvec(value).map_err(|error| redb::Error::Io(io::Error::other(error)))?;
    Ok(row(ROW, &payload))
}

fn decode<T: DeserializeOwned>(row: &[u8]) -> Result<T, String> {
    match read_row(row, ROW) {
        Ok((ROW, payload)) => postcard::from_bytes(payload).map_err(|error| format!("cannot be decoded: {error}")),
        Ok((version, _)) => Err(format!("has version {version}, this program knows {ROW}")),
        Err(Flaw::Newer(version)) => Err(format!("has version {version}, this program knows {ROW}")),
        Err(Flaw::Damaged(what)) => Err(format!("is damaged: {what}")),
    }
}

fn damaged(path: &Path, what: &str) -> TreeStoreError {
    TreeStoreError::Damaged { path: path.to_owned(), what: what.to_owned() }
}

fn failure(action: &'static str, path: &Path) -> impl FnOnce(redb::Error) -> TreeStoreError {
    let path = path.to_owned();
    move |source| TreeStoreError::File { action, path, source: Box::new(source) }
}

fn of_journal(error: FileError) -> TreeStoreError {
    let FileError { action, path, source } = error;
    failure(action, &path)(StorageError::Io(source).into())
}

/// A table that is not there or of another kind is damage.
fn unreadable(path: &Path, error: TableError) -> TreeStoreError {
    match error {
        TableError::Storage(error) => failure("read", path)(error.into()),
        other => damaged(path, &other.to_string()),
    }
}

fn refusal(path: &Path, error: DatabaseError) -> TreeStoreError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => TreeStoreError::Locked(path.to_owned()),
        DatabaseError::Storage(StorageError::Corrupted(what)) => damaged(path, &what),
        DatabaseError::Storage(StorageError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
            damaged(path, &error.to_string())
        }
        DatabaseError::UpgradeRequired(version) => {
            damaged(path, &format!("it is a database of version {version}, which this program never wrote"))
        }
        other => failure("open", path)(other.into()),
    }
}

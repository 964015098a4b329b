//! The file of a solution by units: the state as of the last checkpoint, and the records since.
//!
//! The checkpoint is one file of a database ([`database`]) with a table each for nodes, units (with the claims that
//! wait) and workers (with their credit), and a few flags for the rest. The records are in a journal beside it
//! ([`super::journal`]). A record is in the journal before anyone acts on it. A checkpoint writes the rows that
//! changed, in the order of their numbers, in one transaction; then the records go out of the journal. So a crash at
//! any moment leaves a checkpoint and the records since, and the state is what [`TreeState::apply`] makes of them.
//! Format 1 had the records in the database; it is read.
//!
//! A row is framed by [`crate::core::frame::row`]; its content is the value as postcard encodes it. A file is
//! verified as a whole before it is opened: one that is damaged, or was written by a newer program, is left alone.

pub mod database;
mod redb;
#[cfg(feature = "sqlite")]
mod sqlite;

use super::journal::{self, JournalContent, JournalError, TreeJournal};
use crate::core::frame::{Flaw, read_row, row};
use crate::core::game::Game;
use crate::files::{FileError, sync_directory};
use crate::jobs::tree::credit::Worker;
use crate::jobs::tree::record::TreeRecord;
use crate::jobs::tree::settings::StoreKind;
use crate::jobs::tree::state::{Meta, TreeParts, TreeState};
use crate::jobs::tree::unit::OpenUnit;
use database::{FoundDatabase, RowError, RowReader, RowTable, RowWriter, TreeBackend, TreeDatabase};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
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

/// The flags: a number in little-endian; text that says what is solved; a row of the small part of the state; a row
/// of the seconds that it has run, which files of earlier versions do not have; a row of the number that the journal
/// has, too.
const VERSION_FLAG: &str = "format";
const JOB_FLAG: &str = "job";
const META_FLAG: &str = "meta";
const SECONDS_FLAG: &str = "seconds";
const JOURNAL_FLAG: &str = "journal";

/// What reads and writes files of a kind; nothing if this program was built without it.
pub fn backend(kind: StoreKind) -> Option<&'static dyn TreeBackend> {
    match kind {
        StoreKind::Redb => Some(&redb::Redb),
        #[cfg(feature = "sqlite")]
        StoreKind::Sqlite => Some(&sqlite::Sqlite),
        #[cfg(not(feature = "sqlite"))]
        StoreKind::Sqlite => None,
    }
}

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
        source: Box<dyn Error + Send + Sync>,
    },
    /// This program cannot read it.
    #[error("{}: {NO_SQLITE}", .0.display())]
    NotBuilt(PathBuf),
}

/// What a program says that was built without SQLite.
pub const NO_SQLITE: &str = "this program was built without SQLite: build it by `cargo build --release --features \
                             sqlite` (it takes a C compiler), or use the store redb";

/// What an error of a database means.
fn of_row(action: &'static str, path: &Path) -> impl FnOnce(RowError) -> TreeStoreError {
    let path = path.to_owned();
    move |error| match error {
        RowError::Damaged(what) => TreeStoreError::Damaged { path, what },
        RowError::InUse => TreeStoreError::Locked(path),
        RowError::Failed(source) => TreeStoreError::File { action, path, source },
    }
}

fn of_io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> TreeStoreError {
    let of_row = of_row(action, path);
    move |error| of_row(error.into())
}

/// The open file. Another process cannot open it meanwhile.
#[derive(Debug)]
pub struct TreeStore {
    path: PathBuf,
    database: Box<dyn TreeDatabase>,
    journal: TreeJournal,
    /// Records that both files have, those before the checkpoint included.
    records: u64,
    /// A write failed. What the journal has is then known only when it is read again, so nothing more is written.
    broken: bool,
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
    pub fn create<G: Game>(
        kind: StoreKind,
        path: &Path,
        job: &str,
        state: &mut TreeState<G>,
    ) -> Result<TreeStore, TreeStoreError> {
        if path.exists() {
            return Err(TreeStoreError::Exists(path.to_owned()));
        }
        let backend = backend(kind).ok_or_else(|| TreeStoreError::NotBuilt(path.to_owned()))?;
        // Written under another name first, so that a crash leaves a whole file or none.
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".new");
        let beside = path.with_file_name(name);
        backend.prepare(path, &beside).map_err(of_row("write", path))?;
        let mut database = backend.create(&beside).map_err(of_row("write", path))?;
        let solution = rand::random();
        write(&mut *database, Some((job, solution)), state, 0.0).map_err(of_row("write", path))?;
        drop(database);
        let journal = TreeJournal::begin(&journal::beside(path), solution).map_err(of_journal)?;
        fs::rename(&beside, path).and_then(|()| sync_directory(path)).map_err(of_io("write", path))?;
        let database = backend.find(path).and_then(|found| found.open()).map_err(of_row("open", path))?;
        Ok(TreeStore { path: path.to_owned(), database, journal, records: state.meta().applied, broken: false })
    }

    /// Reads the checkpoint of a file without the records since, and changes nothing.
    ///
    /// # Errors
    /// If it cannot be read, is in use, is damaged, or is newer than this program.
    pub fn checkpoint_of(kind: StoreKind, path: &Path) -> Result<StoredTree, TreeStoreError> {
        let (stored, _) = load_checked(path, &*find(kind, path)?)?;
        Ok(stored)
    }

    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be read, is in use, is damaged, or is newer than this program. Nothing is changed then.
    pub fn open(kind: StoreKind, path: &Path) -> Result<(TreeStore, StoredTree), TreeStoreError> {
        let found = find(kind, path)?;
        let (mut stored, solution) = load_checked(path, &*found)?;
        let beside = journal::beside(path);
        let content = match solution {
            Some(solution) => read_journal(&beside, solution, &mut stored)?,
            None => JournalContent::default(),
        };
        let mut database = found.open().map_err(of_row("open", path))?;
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
                let noted = database.write(&mut |writer| note_format(writer, solution));
                noted.map_err(of_row("write", path))?;
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
            true => Err(of_io("write", &self.path)(io::Error::other("an earlier write to it failed"))),
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
        let bytes = self.database.bytes().map_err(of_io("read", &self.path))?;
        Ok(bytes.saturating_add(self.journal.length()))
    }

    /// Writes what changed in the state since the last checkpoint, and for how long it has run, and takes the records
    /// out. All of the state's records must have been added before.
    ///
    /// # Errors
    /// If it cannot be written. The state that the files tell is then as it was; the store has to be opened again.
    pub fn checkpoint<G: Game>(&mut self, state: &mut TreeState<G>, seconds: f64) -> Result<(), TreeStoreError> {
        self.check_whole()?;
        let written = write(&mut *self.database, None, state, seconds);
        // What had changed is not known any more.
        self.broken |= written.is_err();
        written.map_err(of_row("write", &self.path))?;
        self.write_journal(|journal, _| journal.clear())
    }
}

/// Writes what changed in a state. `new`: what is solved, and the number of the journal, of a new file.
fn write<G: Game>(
    database: &mut dyn TreeDatabase,
    new: Option<(&str, u64)>,
    state: &mut TreeState<G>,
    seconds: f64,
) -> Result<(), RowError> {
    let dirty = state.take_dirty();
    database.write(&mut |writer| {
        if let Some((job, solution)) = new {
            note_format(writer, solution)?;
            writer.set_flag(JOB_FLAG, job.as_bytes())?;
        }
        writer.set_flag(META_FLAG, &encode(state.meta())?)?;
        writer.set_flag(SECONDS_FLAG, &encode(&seconds)?)?;
        for &id in &dirty.nodes {
            if let Some(node) = state.nodes().get(id as usize) {
                writer.put(RowTable::Nodes, id.into(), &encode(node)?)?;
            }
        }
        for &id in &dirty.units {
            match state.units().get(&id) {
                Some(unit) => writer.put(RowTable::Units, id, &encode(unit)?)?,
                None => writer.remove(RowTable::Units, id)?,
            }
        }
        for &id in &dirty.workers {
            if let Some(worker) = state.workers().get(id as usize) {
                writer.put(RowTable::Workers, id.into(), &encode(worker)?)?;
            }
        }
        writer.remove_records()
    })
}

/// Notes that the records are in the journal of this number.
fn note_format(writer: &mut dyn RowWriter, solution: u64) -> Result<(), RowError> {
    writer.set_flag(VERSION_FLAG, &FORMAT.to_le_bytes())?;
    writer.set_flag(JOURNAL_FLAG, &encode(&solution)?)
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

fn find(kind: StoreKind, path: &Path) -> Result<Box<dyn FoundDatabase>, TreeStoreError> {
    let backend = backend(kind).ok_or_else(|| TreeStoreError::NotBuilt(path.to_owned()))?;
    backend.find(path).map_err(of_row("open", path))
}

/// Verifies the file. What the database holds, and the number of its journal.
fn load_checked(path: &Path, found: &dyn FoundDatabase) -> Result<(StoredTree, Option<u64>), TreeStoreError> {
    let mut loaded = None;
    let inspected = found.inspect(&mut |reader| loaded = Some(load(path, reader)));
    // A row that cannot be read says more than the file as a whole.
    match loaded {
        Some(Err(error)) => Err(error),
        loaded => {
            inspected.map_err(of_row("read", path))?;
            loaded.unwrap_or_else(|| Err(damaged(path, "it was not read")))
        }
    }
}

/// What the database holds, and the number of its journal.
fn load(path: &Path, reader: &dyn RowReader) -> Result<(StoredTree, Option<u64>), TreeStoreError> {
    let find = |name: &str| reader.flag(name).map_err(of_row("read", path));
    let get = |name: &str| find(name)?.ok_or_else(|| damaged(path, &format!("its {name} is missing")));
    let format = get(VERSION_FLAG)?.try_into().map(u32::from_le_bytes);
    let solution = match format.map_err(|_| damaged(path, "its format is not a number"))? {
        FIRST_FORMAT => None,
        FORMAT => {
            let number = decode(&get(JOURNAL_FLAG)?);
            Some(number.map_err(|what| damaged(path, &format!("the number of its journal {what}")))?)
        }
        found @ 1.. => return Err(TreeStoreError::Newer { path: path.to_owned(), found }),
        0 => return Err(damaged(path, "it has format version 0, which never was")),
    };
    let job = String::from_utf8(get(JOB_FLAG)?).map_err(|_| damaged(path, "its job is not text"))?;
    let seconds = find(SECONDS_FLAG)?.map_or(Ok(0.0), |row| decode(&row));
    let seconds = seconds.map_err(|what| damaged(path, &format!("its time {what}")))?;
    let meta: Meta = decode(&get(META_FLAG)?).map_err(|what| damaged(path, &format!("its state {what}")))?;
    let nodes = rows(path, reader, RowTable::Nodes, "node", 0)?;
    let workers: Vec<Worker> = rows(path, reader, RowTable::Workers, "worker", 0)?;
    let mut units = BTreeMap::new();
    let mut take_unit = |number: u64, unit: OpenUnit| drop(units.insert(number, unit));
    each_row(path, reader, RowTable::Units, "unit", &mut take_unit)?;
    let records = rows(path, reader, RowTable::Records, "record", meta.applied)?;
    let parts = TreeParts { meta, nodes, units, workers };
    Ok((StoredTree { job, parts, records, seconds, notice: None }, solution))
}

/// Calls `take` with all rows of a table in the order of their numbers.
fn each_row<T: DeserializeOwned>(
    path: &Path,
    reader: &dyn RowReader,
    table: RowTable,
    what: &str,
    take: &mut dyn FnMut(u64, T),
) -> Result<(), TreeStoreError> {
    let read = reader.rows(table, &mut |number, row| {
        take(number, decode(row).map_err(|why| RowError::Damaged(format!("{what} {number} {why}")))?);
        Ok(())
    });
    read.map_err(of_row("read", path))
}

/// All rows of a table whose numbers are `first` and those that follow.
fn rows<T: DeserializeOwned>(
    path: &Path,
    reader: &dyn RowReader,
    table: RowTable,
    what: &str,
    first: u64,
) -> Result<Vec<T>, TreeStoreError> {
    let (mut rows, mut whole) = (Vec::new(), true);
    each_row(path, reader, table, what, &mut |number, row| {
        whole &= number == first + rows.len() as u64;
        rows.push(row);
    })?;
    if whole { Ok(rows) } else { Err(damaged(path, &format!("a {what} is missing"))) }
}

fn encode(value: &impl Serialize) -> Result<Vec<u8>, RowError> {
    let payload = postcard::to_stdvec(value).map_err(|error| RowError::Failed(error.into()))?;
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

fn of_journal(error: FileError) -> TreeStoreError {
    let FileError { action, path, source } = error;
    TreeStoreError::File { action, path, source: source.into() }
}

//! The journal beside the file of a solution: the records since the last checkpoint, each with its number, and for
//! how long the solution has run.
//!
//! A record costs some dozen bytes here. In the database it costs many pages, since every transaction rewrites the
//! path to its row and what redb notes of free pages. A checkpoint in the database takes the records out. If a crash
//! comes between, their numbers tell that the database has them. Both files have the same random number, so a journal
//! is never taken for that of another solution.

use crate::core::frame::{Flaw, FrameFormat, checksum, take};
use crate::files::{FileError, Keep, replace, set_aside, sync_directory};
use crate::jobs::tree::record::TreeRecord;
use crate::runner::archive::ArchiveMark;
use crate::runner::journal::{self, JournalFile};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Name of the file, beside that of the solution.
pub const FILE: &str = "tree.journal";
/// Version 1 did not know [`TreeRecord::Together`].
const FORMAT: FrameFormat = FrameFormat { magic: b"MorpTrJo", version: 2, what: "the journal of a solution" };
/// Bytes before the first record: magic, version, number of the solution, CRC-32 of the three.
const HEADER: usize = FrameFormat::HEAD + 8 + 4;
/// Time between two flushes to the device.
const FLUSH: Duration = Duration::from_secs(1);

/// A record of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum JournalEntry {
    /// A change, and how many were made before it.
    Change(u64, TreeRecord),
    /// The solution has run for so many seconds.
    Seconds(f64),
}

/// What a journal holds.
#[derive(Debug, Default)]
pub struct JournalContent {
    /// The changes with their numbers, ascending.
    pub changes: Vec<(u64, TreeRecord)>,
    /// Seconds that the solution had run.
    pub seconds: f64,
    /// Length up to the end of the last record; nothing if there is no journal.
    pub length: Option<u64>,
    /// Why it ends there, if it is to be cut.
    pub cut: Option<String>,
}

/// Where the journal of a solution's file is.
pub fn beside(path: &Path) -> PathBuf {
    path.with_file_name(FILE)
}

fn header(version: u32, solution: u64) -> Vec<u8> {
    let mut header = FORMAT.head(version);
    header.extend(solution.to_le_bytes());
    header.extend(checksum(&header));
    header
}

/// Why a journal cannot be read.
#[derive(Debug)]
pub enum JournalError {
    /// A file operation failed.
    File(FileError),
    /// It is newer, or not what it should be.
    Flaw(Flaw),
}

/// Reads a journal without changing it.
///
/// # Errors
/// If it cannot be read, is damaged where it had been flushed, belongs to another solution, or is newer than this
/// program.
pub fn read(path: &Path, solution: u64) -> Result<JournalContent, JournalError> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(JournalContent::default()),
        read => read.map_err(|error| JournalError::File(FileError::new("read", path)(error)))?,
    };
    parse(&bytes, solution).map_err(JournalError::Flaw)
}

fn parse(bytes: &[u8], solution: u64) -> Result<JournalContent, Flaw> {
    let Some(mut head) = bytes.get(..HEADER) else { return Err(Flaw::damaged("it is too short")) };
    let whole = head;
    let version = FORMAT.read(&mut head)?;
    let found = u64::from_le_bytes(take(&mut head)?);
    if whole != header(version, found) {
        return Err(Flaw::damaged("its header does not match"));
    }
    if found != solution {
        return Err(Flaw::damaged("it belongs to another solution"));
    }
    let read = journal::parse(bytes, HEADER, true, |payload| postcard::from_bytes::<JournalEntry>(payload).ok())?;
    let mut content = JournalContent { length: Some(read.length), cut: read.cut, ..JournalContent::default() };
    for entry in read.records {
        match entry {
            JournalEntry::Change(number, record) => content.changes.push((number, record)),
            JournalEntry::Seconds(seconds) => content.seconds = content.seconds.max(seconds),
        }
    }
    Ok(content)
}

/// The open journal.
#[derive(Debug)]
pub struct TreeJournal {
    file: JournalFile,
    /// Number of the solution.
    solution: u64,
    /// When it was last flushed to the device.
    flushed: Instant,
}

impl TreeJournal {
    /// Begins one. A journal that is in the way is kept under another name if it holds anything.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(path: &Path, solution: u64) -> Result<TreeJournal, FileError> {
        if fs::metadata(path).is_ok_and(|file| file.len() > HEADER as u64) {
            set_aside(path)?;
            fs::remove_file(path).map_err(FileError::new("write", path))?;
        }
        let file = JournalFile::begin(path, &header(FORMAT.version, solution))?;
        sync_directory(path).map_err(FileError::new("write", path))?;
        Ok(TreeJournal { file, solution, flushed: Instant::now() })
    }

    /// Opens one of this solution that was read, to continue behind its first `length` bytes. It becomes one of the
    /// newest version.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn open(path: &Path, solution: u64, length: u64) -> Result<TreeJournal, FileError> {
        let mut bytes = fs::read(path).map_err(FileError::new("read", path))?;
        let header = header(FORMAT.version, solution);
        if !bytes.starts_with(&header) && bytes.len() as u64 >= length && length >= HEADER as u64 {
            bytes.truncate(length as usize);
            bytes[..HEADER].copy_from_slice(&header);
            replace(path, &bytes, Keep::Durable)?;
        }
        Ok(TreeJournal { file: JournalFile::open(path, length)?, solution, flushed: Instant::now() })
    }

    /// Adds changes; the first has the number `first`. After it returns, no crash of the program loses them. They are
    /// flushed to the device at once if the last flush is a second ago, or else by [`TreeJournal::flush_in_time`].
    ///
    /// # Errors
    /// If they cannot be written; the journal is then as it was.
    pub fn append(&mut self, path: &Path, first: u64, records: &[TreeRecord]) -> Result<(), FileError> {
        let numbered = (first..).zip(records).map(|(number, record)| JournalEntry::Change(number, record.clone()));
        self.write(path, numbered)
    }

    /// Notes for how long the solution has run.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn note_seconds(&mut self, path: &Path, seconds: f64) -> Result<(), FileError> {
        self.write(path, [JournalEntry::Seconds(seconds)])
    }

    fn write(&mut self, path: &Path, entries: impl IntoIterator<Item = JournalEntry>) -> Result<(), FileError> {
        let payloads: Result<Vec<Vec<u8>>, _> =
            entries.into_iter().map(|entry| postcard::to_stdvec(&entry)).collect();
        let payloads = payloads.map_err(io::Error::other).map_err(FileError::new("write", path))?;
        self.file.append(payloads)?;
        self.flush_in_time()
    }

    /// Flushes it to the device if the last flush is a second ago.
    ///
    /// # Errors
    /// If the device refuses.
    pub fn flush_in_time(&mut self) -> Result<(), FileError> {
        if self.flushed.elapsed() >= FLUSH {
            self.file.flush(ArchiveMark::default())?;
            self.flushed = Instant::now();
        }
        Ok(())
    }

    /// Length in bytes.
    pub fn length(&self) -> u64 {
        self.file.length()
    }

    /// Takes all records out.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn clear(&mut self) -> Result<(), FileError> {
        self.file.clear(&header(FORMAT.version, self.solution))
    }
}

//! Which job a folder belongs to.
//!
//! A job has an identity: random bits that are made at submission and stored with the job. Before anything else is
//! written into the job's folder, `job.jsonl` is: the identity, a hash of what the job is made of, and the whole
//! submission. A folder with another identity is never continued, read or written, so that no job shows the results
//! of another one, whatever becomes of the store: numbers may begin again in a new one, or in an older copy.
//!
//! A job of an earlier version has no identity in the store. Its identity is a hash of its number and of what it is
//! made of. Its folder may lack the file; then the folder belongs to the job if the state in it is that of the job
//! (see `JobKind::content`), and the file is written.
//!
//! `job-state.jsonl` is the record of the job as of its last change of state. Nothing but a salvage reads it.

use super::records::{JobRecord, Spec};
use super::view::JobId;
use crate::core::frame::checksum;
use crate::files::{FileError, Keep, replace};
use crate::runner::directory::{JOB, JOB_STATE};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Version of the format of both files.
pub const VERSION: u32 = 1;
/// Largest file that is read, in bytes. A request has at most some megabytes.
const LARGEST: u64 = 256 << 20;

/// Why a folder cannot be used for a job.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// It belongs to another job.
    #[error(
        "{} belongs to another job ({found}), as when morpion.redb was replaced by another one; nothing in it was read or changed: move it out of `jobs`, or put the store back that belongs to it",
        path.display()
    )]
    Another {
        /// The folder that is refused.
        path: PathBuf,
        /// What it belongs to, in words.
        found: String,
    },
    /// The note of the job was written by a newer version of the program.
    #[error("{} has version {found}, but this program reads up to {VERSION}: use a newer one; nothing was changed", path.display())]
    Newer {
        /// The file that is refused.
        path: PathBuf,
        /// Version of its format.
        found: u32,
    },
}

/// What a folder holds, as far as a job is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderContent {
    /// Nothing that a job has written.
    Nothing,
    /// The state of the job.
    OfJob,
    /// Something else, in words.
    Other(String),
}

/// What a folder must have in common with the job that uses it.
#[derive(Debug, Clone, Copy)]
pub struct FolderClaim<'a> {
    /// The record of the job.
    pub record: &'a JobRecord,
    /// What the job is made of, as it is stored.
    pub spec: &'a [u8],
}

/// What a folder says about its job.
#[derive(Debug, Clone, PartialEq)]
pub struct FolderNote {
    /// Number of the job.
    pub job: JobId,
    /// The identity of that job.
    pub identity: String,
    /// Hash of what the job is made of.
    pub settings: String,
    /// The record of the job at its beginning.
    pub record: JobRecord,
    /// What the job is made of, as it is stored.
    pub spec: Vec<u8>,
}

/// What is read of a note.
#[derive(Debug)]
pub enum ReadNote {
    /// There is none.
    Missing,
    /// The file is not what it should be.
    Damaged,
    /// It is whole.
    Whole(Box<FolderNote>),
}

/// The first line of a note.
#[derive(Debug, Serialize, Deserialize)]
struct NoteHead {
    v: u32,
    job: JobId,
    identity: String,
    settings: String,
}

/// The identity of a new job. No result depends on it.
pub fn new_identity() -> String {
    hex(&rand::random::<[u8; 16]>())
}

/// A hash of what a job is made of.
fn settings_hash(spec: &[u8]) -> String {
    hex(&Sha256::digest(spec))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl FolderClaim<'_> {
    /// The identity of the job.
    pub fn identity(&self) -> String {
        let of_earlier_version = || {
            let mut hash = Sha256::new();
            hash.update(b"a job of an earlier version");
            hash.update(self.record.id().to_le_bytes());
            hash.update(self.spec);
            hex(&hash.finalize()[..16])
        };
        self.record.identity.clone().unwrap_or_else(of_earlier_version)
    }

    fn fits(&self, note: &FolderNote) -> bool {
        note.identity == self.identity() && note.settings == settings_hash(self.spec)
    }

    /// Makes sure that the folder belongs to the job, and notes it in the folder, which is made if it is missing. See
    /// [`FolderClaim::examine`].
    ///
    /// # Errors
    /// If it belongs to another job, or cannot be read or written; nothing is changed then.
    pub fn take<E: From<FolderError>>(
        &self,
        path: &Path,
        content: impl FnOnce() -> Result<FolderContent, E>,
    ) -> Result<(), E> {
        if self.examine(path, content)? {
            return Ok(());
        }
        self.write_note(path).map_err(|error| FolderError::from(error).into())
    }

    fn write_note(&self, path: &Path) -> Result<(), FileError> {
        make(path)?;
        let head = NoteHead {
            v: VERSION,
            job: self.record.id(),
            identity: self.identity(),
            settings: settings_hash(self.spec),
        };
        let name = path.join(JOB);
        let head = serde_json::to_vec(&head).map_err(io::Error::other).map_err(FileError::new("write", &name))?;
        let lines = [head.as_slice(), &self.record.bytes(), self.spec];
        replace(&name, &checked_lines(&lines), Keep::Durable)
    }

    /// Notes the state of the job in its folder, if the folder has the note of the job. It is not flushed to the
    /// device: the store has the state, too.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn write_state(&self, path: &Path) -> Result<(), FolderError> {
        match read_note(path)? {
            ReadNote::Whole(note) if self.fits(&note) => {
                Ok(replace(&path.join(JOB_STATE), &checked_lines(&[&self.record.bytes()]), Keep::Brief)?)
            }
            _ => Ok(()),
        }
    }

    /// Makes sure that the folder belongs to the job, without writing anything: whether it has the note of the job. A
    /// folder without anything in it belongs to any job. `content` says what the state in the folder is.
    ///
    /// # Errors
    /// If it belongs to another job, or cannot be read.
    pub fn examine<E: From<FolderError>>(
        &self,
        path: &Path,
        content: impl FnOnce() -> Result<FolderContent, E>,
    ) -> Result<bool, E> {
        let another = |found: String| Err(FolderError::Another { path: path.to_owned(), found }.into());
        let note = read_note(path)?;
        if let ReadNote::Whole(note) = &note {
            return if self.fits(note) { Ok(true) } else { another(note.in_words()) };
        }
        let damaged = matches!(note, ReadNote::Damaged);
        match content()? {
            FolderContent::Nothing => Ok(false),
            FolderContent::OfJob if damaged || self.record.identity.is_none() => Ok(false),
            FolderContent::OfJob => another(format!("{JOB} is missing")),
            FolderContent::Other(found) => another(found),
        }
    }
}

impl FolderNote {
    fn in_words(&self) -> String {
        format!("\"{}\", number {}, identity {}", self.record.summary.name, self.job, self.identity)
    }

    /// What the job is made of.
    pub fn spec(&self) -> Option<Spec> {
        serde_json::from_slice(&self.spec).ok()
    }
}

/// Makes a folder; its name is durable.
fn make(path: &Path) -> Result<(), FileError> {
    if path.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(path).map_err(FileError::new("make the directory", path))?;
    let Some(parent) = path.parent().filter(|_| cfg!(unix)) else { return Ok(()) };
    fs::File::open(parent).and_then(|parent| parent.sync_all()).map_err(FileError::new("write", parent))
}

/// What the folder says about its job.
///
/// # Errors
/// If the file cannot be read, or was written by a newer version of the program.
pub fn read_note(path: &Path) -> Result<ReadNote, FolderError> {
    let name = path.join(JOB);
    let Some(bytes) = read(&name)? else { return Ok(ReadNote::Missing) };
    // The version counts first: a newer file may have other lines.
    let head = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if let Ok(NoteVersion { v: found @ 2.. }) = serde_json::from_slice(head) {
        return Err(FolderError::Newer { path: name, found });
    }
    Ok(parse(&bytes).map_or(ReadNote::Damaged, |note| ReadNote::Whole(Box::new(note))))
}

/// The version of a note.
#[derive(Deserialize)]
struct NoteVersion {
    v: u32,
}

fn parse(bytes: &[u8]) -> Option<FolderNote> {
    let lines = lines_of(bytes)?;
    let [head, record, spec] = lines.as_slice() else { return None };
    let NoteHead { job, identity, settings, .. } = serde_json::from_slice(head).ok()?;
    let record = JobRecord::read(record)?;
    Some(FolderNote { job, identity, settings, record, spec: spec.to_vec() })
}

/// The state of a job as last noted in its folder; `None` if it was not noted, or is damaged.
///
/// # Errors
/// If the file cannot be read.
pub fn read_state(path: &Path) -> Result<Option<JobRecord>, FileError> {
    let bytes = read(&path.join(JOB_STATE))?;
    let record = |bytes: &[u8]| match lines_of(bytes)?.as_slice() {
        [record] => JobRecord::read(record),
        _ => None,
    };
    Ok(bytes.as_deref().and_then(record))
}

/// Lines, and a last one with their checksum.
fn checked_lines(lines: &[&[u8]]) -> Vec<u8> {
    let mut bytes = lines.join(&b'\n');
    bytes.push(b'\n');
    let sum = hex(&checksum(&bytes));
    bytes.extend(sum.as_bytes());
    bytes.push(b'\n');
    bytes
}

/// The lines, if they match their checksum.
fn lines_of(bytes: &[u8]) -> Option<Vec<&[u8]>> {
    // The last line: eight digits and the end of the line.
    let (content, last) = bytes.split_at_checked(bytes.len().checked_sub(9)?)?;
    let matches = last.strip_suffix(b"\n")? == hex(&checksum(content)).as_bytes();
    let content = content.strip_suffix(b"\n")?;
    matches.then(|| content.split(|&byte| byte == b'\n').collect())
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    use std::io::Read;
    let mut bytes = Vec::new();
    match fs::File::open(path).and_then(|file| file.take(LARGEST).read_to_end(&mut bytes)) {
        Ok(_) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FileError::new("read", path)(error)),
    }
}

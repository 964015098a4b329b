//! The hunt's state on disk: a checkpoint, and a journal of what happened since.
//!
//! `hunt.state` holds everything as of its writing and names its generation g; `hunt-g.journal` is appended to
//! with every new best grid and every finished unit, before it is reported. A new checkpoint begins a new
//! journal: first the empty journal g+1, then the checkpoint g+1 by an atomic rename, then journal g goes. So at
//! any moment the checkpoint that is there finds its journal. Both carry a magic number, a format version and
//! CRC-32 sums. A journal that ends within a record was cut by a crash: the record was never acknowledged. Anything
//! else that does not fit is damage, which is reported and left alone.
//!
//! Version 3 has counts of results in the state and in the ends of units; version 1 is read too (`version1`), and no
//! other was ever written.

mod version1;

use super::atomic::{FileError, Keep, replace};
use crate::core::frame::{Flaw, FrameFormat, checksum, take};
use crate::jobs::hunt::{HuntRecord, HuntState, Job};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Version of the format of both files.
pub const VERSION: u32 = 3;
/// Name of the checkpoint.
pub const CHECKPOINT: &str = "hunt.state";
const CHECKPOINT_FORMAT: FrameFormat =
    FrameFormat { magic: b"MorpHunt", version: VERSION, what: "the state of a hunt" };
const JOURNAL_FORMAT: FrameFormat =
    FrameFormat { magic: b"MorpJour", version: VERSION, what: "the journal of a hunt" };
/// Bytes before the payload of a checkpoint: magic, version, length, CRC-32 of the payload.
const CHECKPOINT_HEADER: usize = FrameFormat::HEAD + 8 + 4;
/// Bytes before the first record of a journal: magic, version, generation, CRC-32 of the three.
const JOURNAL_HEADER: usize = FrameFormat::HEAD + 8 + 4;
/// No record is longer: a grid has at most 485 moves.
const MAX_RECORD: usize = 1 << 16;

/// Why a state cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StateFileError {
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file was written by a newer version of the program.
    #[error("{} has format version {found}, but this program reads up to {VERSION}: use a newer one", path.display())]
    Newer {
        /// Path of the file.
        path: PathBuf,
        /// Version of its format.
        found: u32,
    },
    /// The file is not what it should be.
    #[error("{} is damaged: {what}; nothing was changed", path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

/// A unit that was being searched when the checkpoint was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InFlight {
    /// Number of the unit.
    pub id: u64,
    /// Iterations that its search had done.
    pub iterations: u64,
    /// Best score that its search had found.
    pub best: u32,
    /// What its search saved.
    pub saved: Vec<u8>,
}

/// All that a checkpoint holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// What the hunt searches for, and how.
    pub job: Job,
    /// The coordinator's state.
    pub state: HuntState,
    /// Units begun, with the state of their searches.
    pub in_flight: Vec<InFlight>,
    /// Seconds that the hunt has run, over all its sessions.
    pub seconds: f64,
    /// Seconds after which the hunt ends.
    pub time_limit: Option<f64>,
    /// Workers of the last session. The file has their number with the main thread.
    pub workers: u32,
}

/// The checkpoint as it is encoded: the job as JSON, since it may grow fields.
#[derive(Serialize, Deserialize)]
struct StoredCheckpoint {
    generation: u64,
    job: String,
    state: HuntState,
    in_flight: Vec<InFlight>,
    seconds: f64,
    time_limit: Option<f64>,
    threads: u32,
}

/// The state files of one directory, open for writing. The caller holds the directory's lock.
#[derive(Debug)]
pub struct StateFiles {
    directory: PathBuf,
    generation: u64,
    journal: File,
    /// Length of the journal up to its last whole record.
    length: u64,
    /// Whether records were written since the journal was last flushed to the device.
    dirty: bool,
    /// Version of the journal's format.
    version: u32,
}

impl StateFiles {
    /// Begins the state of a new hunt; the caller has made sure that there is none.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn create(directory: &Path, checkpoint: &Checkpoint) -> Result<StateFiles, StateFileError> {
        let journal = begin_journal(directory, 0)?;
        let store = StateFiles {
            directory: directory.to_owned(),
            generation: 0,
            journal,
            length: JOURNAL_HEADER as u64,
            dirty: false,
            version: VERSION,
        };
        store.write(0, checkpoint)?;
        Ok(store)
    }

    /// Opens the state for going on: removes what a crash left half done, and returns the checkpoint and the records
    /// since. Nothing is changed before both have been found in order.
    ///
    /// # Errors
    /// If a file cannot be read, is damaged, or is newer than this program.
    pub fn open(directory: &Path) -> Result<(StateFiles, Checkpoint, Vec<HuntRecord>), StateFileError> {
        let LoadedState { generation, checkpoint, records, length, version } = load(directory)?;
        let path = journal_path(directory, generation);
        let mut journal = OpenOptions::new().write(true).open(&path).map_err(FileError::new("open", &path))?;
        journal
            .set_len(length)
            .and_then(|()| journal.seek(SeekFrom::Start(length)))
            .map_err(FileError::new("write", &path))?;
        for other in [generation.wrapping_sub(1), generation.wrapping_add(1)] {
            // Left by a crash between the steps of a checkpoint; nothing was written to the later one yet.
            let _ = fs::remove_file(journal_path(directory, other));
        }
        let store =
            StateFiles { directory: directory.to_owned(), generation, journal, length, dirty: false, version };
        Ok((store, checkpoint, records))
    }

    /// Whether the files have an older format: a checkpoint is to be written before anything is appended.
    pub fn is_old(&self) -> bool {
        self.version < VERSION
    }

    /// Appends a record. After it returns, no crash of the program loses the record, and after
    /// [`StateFiles::flush`] no power cut does.
    ///
    /// # Errors
    /// If the record cannot be written; the journal is then as it was.
    pub fn append(&mut self, record: &HuntRecord) -> Result<(), StateFileError> {
        let path = journal_path(&self.directory, self.generation);
        let payload = encode(record).map_err(FileError::new("write", &path))?;
        let mut bytes = Vec::with_capacity(8 + payload.len());
        bytes.extend((payload.len() as u32).to_le_bytes());
        bytes.extend(checksum(&payload));
        bytes.extend(payload);
        if let Err(error) = self.journal.write_all(&bytes) {
            // A torn record would be cut off on reading anyway.
            let _ = self.journal.set_len(self.length);
            let _ = self.journal.seek(SeekFrom::Start(self.length));
            return Err(FileError::new("write", &path)(error).into());
        }
        self.length += bytes.len() as u64;
        self.dirty = true;
        Ok(())
    }

    /// Flushes the journal to the device.
    ///
    /// # Errors
    /// If the device refuses.
    pub fn flush(&mut self) -> Result<(), StateFileError> {
        if self.dirty {
            let path = journal_path(&self.directory, self.generation);
            self.journal.sync_data().map_err(FileError::new("write", &path))?;
            self.dirty = false;
        }
        Ok(())
    }

    /// Writes a checkpoint and begins a new journal.
    ///
    /// # Errors
    /// If a file cannot be written; the state before is then still there and in force.
    pub fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), StateFileError> {
        let next = self.generation + 1;
        let journal = begin_journal(&self.directory, next)?;
        if let Err(error) = self.write(next, checkpoint) {
            let _ = fs::remove_file(journal_path(&self.directory, next));
            return Err(error);
        }
        let old = journal_path(&self.directory, self.generation);
        (self.generation, self.journal, self.length, self.dirty) = (next, journal, JOURNAL_HEADER as u64, false);
        self.version = VERSION;
        let _ = fs::remove_file(old);
        Ok(())
    }

    fn write(&self, generation: u64, checkpoint: &Checkpoint) -> Result<(), StateFileError> {
        let Checkpoint { job, state, in_flight, seconds, time_limit, workers } = checkpoint;
        let path = self.directory.join(CHECKPOINT);
        let job = serde_json::to_string(job).map_err(io::Error::other).map_err(FileError::new("write", &path))?;
        let payload = encode(&StoredCheckpoint {
            generation,
            job,
            state: state.clone(),
            in_flight: in_flight.clone(),
            seconds: *seconds,
            time_limit: *time_limit,
            threads: workers + 1,
        })
        .map_err(FileError::new("write", &path))?;
        let mut bytes = Vec::with_capacity(CHECKPOINT_HEADER + payload.len());
        bytes.extend(CHECKPOINT_FORMAT.head(VERSION));
        bytes.extend((payload.len() as u64).to_le_bytes());
        bytes.extend(checksum(&payload));
        bytes.extend(payload);
        Ok(replace(&path, &bytes, Keep::Durable)?)
    }
}

/// Reads the state of a directory without changing anything: the checkpoint and the records since.
///
/// # Errors
/// If a file cannot be read, is damaged, or is newer than this program.
pub fn read(directory: &Path) -> Result<(Checkpoint, Vec<HuntRecord>), StateFileError> {
    // A running hunt may put a new checkpoint in place between the two reads.
    for _ in 0..3 {
        match load(directory) {
            Err(StateFileError::File(error)) if error.source.kind() == io::ErrorKind::NotFound => {}
            loaded => return loaded.map(|loaded| (loaded.checkpoint, loaded.records)),
        }
    }
    load(directory).map(|loaded| (loaded.checkpoint, loaded.records))
}

/// What the files of a directory hold.
struct LoadedState {
    generation: u64,
    checkpoint: Checkpoint,
    records: Vec<HuntRecord>,
    /// Length of the journal up to its last whole record.
    length: u64,
    /// The older of the versions of the two files.
    version: u32,
}

fn load(directory: &Path) -> Result<LoadedState, StateFileError> {
    let path = directory.join(CHECKPOINT);
    let bytes = fs::read(&path).map_err(FileError::new("read", &path))?;
    let (generation, checkpoint, of_checkpoint) = parse_checkpoint(&bytes).map_err(flawed(&path))?;
    let path = journal_path(directory, generation);
    let mut bytes = Vec::new();
    File::open(&path).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(FileError::new("read", &path))?;
    let (records, length, of_journal) = parse_journal(&bytes, generation).map_err(flawed(&path))?;
    Ok(LoadedState { generation, checkpoint, records, length, version: of_checkpoint.min(of_journal) })
}

/// What is wrong with a file of a state.
fn flawed(path: &Path) -> impl FnOnce(Flaw) -> StateFileError {
    let path = path.to_owned();
    move |flaw| match flaw {
        Flaw::Newer(found) => StateFileError::Newer { path, found },
        Flaw::Damaged(what) => StateFileError::Damaged { path, what },
    }
}

fn damaged<T>(what: impl Into<String>) -> Result<T, Flaw> {
    Err(Flaw::damaged(what))
}

/// The generation, what the checkpoint holds, and its version.
fn parse_checkpoint(bytes: &[u8]) -> Result<(u64, Checkpoint, u32), Flaw> {
    let mut rest = bytes;
    let version = CHECKPOINT_FORMAT.read(&mut rest)?;
    let (length, sum) = (u64::from_le_bytes(take(&mut rest)?), take(&mut rest)?);
    if length != rest.len() as u64 {
        return damaged(format!("it holds {} bytes instead of {length}", rest.len()));
    }
    if checksum(rest) != sum {
        return damaged("its checksum does not match");
    }
    let stored = match version {
        1 => version1::checkpoint(rest),
        VERSION => postcard::from_bytes::<StoredCheckpoint>(rest),
        _ => return damaged(format!("its format version {version} is unknown")),
    };
    let Ok(stored) = stored else { return damaged("its content cannot be read") };
    let job = match serde_json::from_str(&stored.job) {
        Ok(job) => job,
        Err(error) => return damaged(format!("its job cannot be read: {error}")),
    };
    let StoredCheckpoint { generation, state, in_flight, seconds, time_limit, threads, .. } = stored;
    let workers = threads.saturating_sub(1);
    Ok((generation, Checkpoint { job, state, in_flight, seconds, time_limit, workers }, version))
}

/// The records, the length of the file up to the last whole one, and its version.
fn parse_journal(bytes: &[u8], generation: u64) -> Result<(Vec<HuntRecord>, u64, u32), Flaw> {
    let Some((header, mut rest)) = bytes.split_at_checked(JOURNAL_HEADER) else { return damaged("it is too short") };
    let version = JOURNAL_FORMAT.read(&mut &header[..])?;
    if ![1, VERSION].contains(&version) || header != journal_header(version, generation) {
        return damaged("its header does not match");
    }
    let mut records = Vec::new();
    let mut length = JOURNAL_HEADER;
    loop {
        let mut record = rest;
        if rest.iter().all(|&byte| byte == 0) {
            break; // the end, or room that a power cut left unwritten
        }
        let (Ok(size), Ok(sum)) = (take(&mut record), take(&mut record)) else { break };
        let size = u32::from_le_bytes(size) as usize;
        if size > MAX_RECORD {
            return damaged(format!("the record at byte {length} is too long"));
        }
        let Some((payload, after)) = record.split_at_checked(size) else { break };
        if checksum(payload) != sum {
            return damaged(format!("the checksum of the record at byte {length} does not match"));
        }
        let record = match version {
            1 => version1::record(payload),
            _ => postcard::from_bytes(payload),
        };
        match record {
            Ok(record) => records.push(record),
            Err(_) => return damaged(format!("the record at byte {length} cannot be read")),
        }
        rest = after;
        length += 8 + size;
    }
    Ok((records, length as u64, version))
}

/// Whether a file is the first journal of a hunt and has no record: a crash before the first checkpoint leaves it.
pub(super) fn is_new_journal(path: &Path) -> bool {
    path.file_name() == journal_path(Path::new(""), 0).file_name()
        && fs::metadata(path).is_ok_and(|file| file.len() <= JOURNAL_HEADER as u64)
}

fn journal_path(directory: &Path, generation: u64) -> PathBuf {
    directory.join(format!("hunt-{generation}.journal"))
}

fn journal_header(version: u32, generation: u64) -> Vec<u8> {
    let mut header = JOURNAL_FORMAT.head(version);
    header.extend(generation.to_le_bytes());
    header.extend(checksum(&header));
    header
}

fn begin_journal(directory: &Path, generation: u64) -> Result<File, StateFileError> {
    let path = journal_path(directory, generation);
    let begun = File::create(&path).and_then(|mut file| {
        file.write_all(&journal_header(VERSION, generation))?;
        file.sync_all()?;
        Ok(file)
    });
    begun.map_err(|error| {
        let _ = fs::remove_file(&path);
        FileError::new("write", &path)(error).into()
    })
}

fn encode<T: Serialize>(value: &T) -> io::Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::histogram::{Histogram, Results};
    use crate::core::search::End;
    use crate::jobs::hunt::{EndedUnit, Find};
    use crate::morpion::position::Position;
    use crate::morpion::variant::{T5, Variant};
    use proptest::prelude::*;

    pub(super) fn ended(id: u64) -> HuntRecord {
        let mut level = Histogram::default();
        level.add(60);
        let results = Results::from(&[level.clone(), level][..]);
        HuntRecord::Ended(EndedUnit { id, check: 7, end: End::Stalled, iterations: id * 1000, best: 60, results })
    }

    fn best() -> HuntRecord {
        let moves = Position::<T5>::new().moves()[..1].to_vec();
        HuntRecord::Best(Find { moves, unit: 1, unit_seed: 2, worker: 3, iterations: 4, seconds: 5.5, time: 6.5 })
    }

    pub(super) fn checkpoint(records: &[HuntRecord]) -> Checkpoint {
        let job = Job {
            variant: Variant::T5,
            params: Default::default(),
            start: Vec::new(),
            main_depth: 2,
            seed: u64::MAX,
            max_iterations: None,
            runs: None,
            target: None,
            keep_from: None,
        };
        let mut state = HuntState { produced: 10, ..HuntState::default() };
        records.iter().for_each(|record| state.apply(record));
        let in_flight = vec![InFlight { id: 9, iterations: 1, best: 2, saved: vec![1, 2, 3] }];
        Checkpoint { job, state, in_flight, seconds: 1.5, time_limit: None, workers: 2 }
    }

    /// A directory with a checkpoint and three records, and its journal.
    fn begun() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let mut store = StateFiles::create(dir.path(), &checkpoint(&[])).unwrap();
        for record in [ended(0), best(), ended(1)] {
            store.append(&record).unwrap();
        }
        let journal = journal_path(dir.path(), 0);
        (dir, journal)
    }

    #[test]
    fn what_was_written_is_read_again_before_and_after_a_checkpoint() {
        let (dir, _) = begun();
        let (mut store, first, records) = StateFiles::open(dir.path()).unwrap();
        assert_eq!((&first, &records[..]), (&checkpoint(&[]), &[ended(0), best(), ended(1)][..]));
        store.append(&ended(2)).unwrap();
        let next = checkpoint(&[ended(0), best(), ended(1), ended(2)]);
        store.checkpoint(&next).unwrap();
        store.append(&ended(3)).unwrap();
        assert_eq!(read(dir.path()).unwrap(), (next, vec![ended(3)]));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "the old journal has gone");
    }

    #[test]
    fn a_crash_between_the_steps_of_a_checkpoint_loses_nothing() {
        let (dir, journal) = begun();
        let before = fs::read(&journal).unwrap();
        // The new journal was begun, the checkpoint was not yet written.
        begin_journal(dir.path(), 1).unwrap();
        assert_eq!(read(dir.path()).unwrap().1.len(), 3);
        let (mut store, ..) = StateFiles::open(dir.path()).unwrap();
        // The checkpoint was written, the old journal was not yet removed.
        store.checkpoint(&checkpoint(&[])).unwrap();
        fs::write(&journal, before).unwrap();
        assert_eq!(StateFiles::open(dir.path()).unwrap().2, []);
        assert!(!journal.exists());
    }

    #[test]
    fn a_journal_cut_anywhere_yields_the_records_before_the_cut() {
        let (dir, journal) = begun();
        let whole = fs::read(&journal).unwrap();
        for cut in JOURNAL_HEADER..whole.len() {
            fs::write(&journal, &whole[..cut]).unwrap();
            let (mut store, _, records) = StateFiles::open(dir.path()).unwrap();
            assert_eq!(records, [ended(0), best(), ended(1)][..records.len()]);
            assert!(records.len() < 3);
            store.append(&ended(5)).unwrap();
            assert_eq!(read(dir.path()).unwrap().1.last(), Some(&ended(5)), "cut at {cut}");
        }
        fs::write(&journal, [&whole[..], &[0; 100]].concat()).unwrap();
        assert_eq!(read(dir.path()).unwrap().1.len(), 3, "room that a power cut left unwritten");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn changed_bytes_are_noticed_and_never_panic(at in 0usize..4096, bit in 0u8..8, tail in prop::collection::vec(any::<u8>(), 0..40)) {
            let (dir, journal) = begun();
            for path in [dir.path().join(CHECKPOINT), journal] {
                let good = fs::read(&path).unwrap();
                let mut bytes = good.clone();
                let at = at % bytes.len();
                bytes[at] ^= 1 << bit;
                fs::write(&path, &bytes).unwrap();
                match load(dir.path()) {
                    Err(StateFileError::Damaged { .. } | StateFileError::Newer { .. }) => {}
                    // A length that points beyond the end looks like a torn record.
                    Ok(loaded) => prop_assert!(loaded.records.len() < 3, "byte {} bit {}", at, bit),
                    Err(error) => prop_assert!(false, "{}", error),
                }
                bytes.truncate(at);
                bytes.extend(&tail);
                let _ = parse_checkpoint(&bytes);
                let _ = parse_journal(&bytes, 0);
                fs::write(&path, &good).unwrap();
            }
        }
    }
}

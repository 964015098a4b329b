//! The hunt's state on disk: a checkpoint, and a journal of what happened since.
//!
//! `hunt.state` holds everything as of its writing and names its generation g; `hunt-g.journal` is appended to with
//! every new best grid and every finished unit, before it is reported. A new checkpoint begins a new journal: first
//! the empty journal g+1, then the checkpoint g+1 by an atomic rename, then journal g goes. So at any moment the
//! checkpoint that is there finds its journal. Both carry a magic number, a format version and CRC-32 sums. What is
//! wrong with a journal is judged by [`super::journal`]: what a crash or a power cut leaves at its end is cut off,
//! and damage is reported and left alone. A journal that somebody has moved away is begun anew. The units that are
//! lost with it are searched again, with the same results.
//!
//! Version 4 has marks in the journal and the length of the archive in the checkpoint; version 3 has counts of
//! results in the state and in the ends of units; version 1 is read too (`version1`), and no other was ever written.

mod version1;

use super::archive::ArchiveMark;
use super::journal::{self, JournalFile, ReadRecords};
use crate::core::frame::{Flaw, FrameFormat, checksum, take};
use crate::files::{FileError, Keep, replace};
use crate::jobs::hunt::{HuntRecord, HuntState, Job};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Version of the format of both files.
pub const VERSION: u32 = 4;
/// Name of the checkpoint.
pub const CHECKPOINT: &str = "hunt.state";
const CHECKPOINT_FORMAT: FrameFormat =
    FrameFormat { magic: b"MorpHunt", version: VERSION, what: "the state of a hunt" };
const JOURNAL_FORMAT: FrameFormat =
    FrameFormat { magic: b"MorpJour", version: VERSION, what: "the journal of a hunt" };
/// Bytes before the first record of a journal: magic, version, generation, CRC-32 of the three.
const JOURNAL_HEADER: usize = FrameFormat::HEAD + 8 + 4;
/// Bytes before the payload of a checkpoint: magic, version, length, CRC-32 of the payload.
const CHECKPOINT_HEADER: usize = FrameFormat::HEAD + 8 + 4;

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
    #[error("{} is damaged: {what}; nothing was changed{}", path.display(), way_out(path))]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

/// What can be done about a damaged file, beside putting a copy in its place.
fn way_out(path: &Path) -> &'static str {
    if path.file_name().is_some_and(|name| name == CHECKPOINT) {
        ""
    } else {
        ": move the file away to continue from the checkpoint before it"
    }
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
    /// What the archive held. Versions before 4 do not say it.
    pub archive: ArchiveMark,
}

/// The checkpoint as version 3 encodes it, with the job as JSON, since it may grow fields. Since version 4 an
/// [`ArchiveMark`] follows.
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
    journal: JournalFile,
    /// The older of the versions of the two files' formats.
    version: u32,
}

/// A state that was opened to continue.
#[derive(Debug)]
pub struct OpenedState {
    /// The files, to be continued.
    pub files: StateFiles,
    /// What the checkpoint holds.
    pub checkpoint: Checkpoint,
    /// The records since.
    pub records: Vec<HuntRecord>,
    /// What the archive holds at least.
    pub archive: ArchiveMark,
    /// What was wrong with the journal and has been put right, in words for people.
    pub notice: Option<String>,
}

impl StateFiles {
    /// Begins the state of a new hunt; the caller has made sure that there is none.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn create(directory: &Path, checkpoint: &Checkpoint) -> Result<StateFiles, StateFileError> {
        let journal = begin_journal(directory, 0)?;
        let store = StateFiles { directory: directory.to_owned(), generation: 0, journal, version: VERSION };
        store.write(0, checkpoint)?;
        Ok(store)
    }

    /// Opens the state for going on: removes what a crash left half done. Nothing is changed before checkpoint and
    /// journal have been found in order. A journal that is cut at a record is kept under another name as it was. It
    /// is cut before the first record that rests on more than `archive` bytes of the archive, too.
    ///
    /// # Errors
    /// If a file cannot be read, is damaged, or is newer than this program.
    pub fn open(directory: &Path, archive: u64) -> Result<OpenedState, StateFileError> {
        let LoadedState { generation, checkpoint, version, journal: read } = load(directory)?;
        let path = journal_path(directory, generation);
        let missing = read.is_none();
        let ReadJournal { mut read, version: of_journal } = match read {
            Some(read) => read,
            None => {
                begin_journal(directory, generation)?;
                parse_file(&path, generation)?
            }
        };
        read.end_within(archive);
        let notice = match &read.cut {
            Some(why) => Some(journal::cut(&path, read.length, why)?),
            None if missing => {
                Some(format!("{} was missing: the hunt continues from the checkpoint before it", path.display()))
            }
            None => None,
        };
        let journal = JournalFile::open(&path, read.length)?;
        for other in [generation.wrapping_sub(1), generation.wrapping_add(1)] {
            // Left by a crash between the steps of a checkpoint; nothing was written to the later one yet.
            let _ = fs::remove_file(journal_path(directory, other));
        }
        let version = version.min(of_journal);
        let archive = read.mark.map_or(checkpoint.archive, |mark| mark.archive);
        let files = StateFiles { directory: directory.to_owned(), generation, journal, version };
        Ok(OpenedState { files, checkpoint, records: read.records, archive, notice })
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
        Ok(self.journal.append([payload])?)
    }

    /// Notes how long the archive is in bytes: the next records rest on its grids, flushed or not.
    pub fn rest_on(&mut self, archive: u64) {
        self.journal.rest_on(archive);
    }

    /// Flushes the journal to the device. `archive` has been flushed before. The next record notes both.
    ///
    /// # Errors
    /// If the device refuses.
    pub fn flush(&mut self, archive: ArchiveMark) -> Result<(), StateFileError> {
        Ok(self.journal.flush(archive)?)
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
        (self.generation, self.journal, self.version) = (next, journal, VERSION);
        let _ = fs::remove_file(old);
        Ok(())
    }

    fn write(&self, generation: u64, checkpoint: &Checkpoint) -> Result<(), StateFileError> {
        let Checkpoint { job, state, in_flight, seconds, time_limit, workers, archive } = checkpoint;
        let path = self.directory.join(CHECKPOINT);
        let job = serde_json::to_string(job).map_err(io::Error::other).map_err(FileError::new("write", &path))?;
        let stored = StoredCheckpoint {
            generation,
            job,
            state: state.clone(),
            in_flight: in_flight.clone(),
            seconds: *seconds,
            time_limit: *time_limit,
            threads: workers + 1,
        };
        let payload = encode(&(stored, archive)).map_err(FileError::new("write", &path))?;
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
    let records = |journal: Option<ReadJournal>| journal.map_or_else(Vec::new, |journal| journal.read.records);
    // A running hunt may put a new checkpoint in place between the two reads.
    for _ in 0..3 {
        match load(directory) {
            Err(StateFileError::File(error)) if error.source.kind() == io::ErrorKind::NotFound => {}
            Ok(LoadedState { journal: None, .. }) => {}
            loaded => return loaded.map(|loaded| (loaded.checkpoint, records(loaded.journal))),
        }
    }
    load(directory).map(|loaded| (loaded.checkpoint, records(loaded.journal)))
}

/// What the files of a directory hold.
struct LoadedState {
    generation: u64,
    checkpoint: Checkpoint,
    /// Version of the checkpoint's format.
    version: u32,
    /// The journal, if it is there.
    journal: Option<ReadJournal>,
}

fn load(directory: &Path) -> Result<LoadedState, StateFileError> {
    let path = directory.join(CHECKPOINT);
    let bytes = fs::read(&path).map_err(FileError::new("read", &path))?;
    let (generation, checkpoint, version) = parse_checkpoint(&bytes).map_err(flawed(&path))?;
    let journal = match parse_file(&journal_path(directory, generation), generation) {
        Err(StateFileError::File(error)) if error.source.kind() == io::ErrorKind::NotFound => None,
        read => Some(read?),
    };
    Ok(LoadedState { generation, checkpoint, version, journal })
}

fn parse_file(path: &Path, generation: u64) -> Result<ReadJournal, StateFileError> {
    let bytes = fs::read(path).map_err(FileError::new("read", path))?;
    parse_journal(&bytes, generation).map_err(flawed(path))
}

/// A journal and the version of its format.
struct ReadJournal {
    read: ReadRecords<HuntRecord>,
    version: u32,
}

fn parse_journal(bytes: &[u8], generation: u64) -> Result<ReadJournal, Flaw> {
    let Some(header) = bytes.get(..JOURNAL_HEADER) else { return damaged("it is too short") };
    let version = JOURNAL_FORMAT.read(&mut &header[..])?;
    if ![1, 3, VERSION].contains(&version) || header != journal_header(version, generation) {
        return damaged("its header does not match");
    }
    let read = journal::parse(bytes, JOURNAL_HEADER, version >= 4, |payload| match version {
        1 => version1::record(payload).ok(),
        _ => postcard::from_bytes(payload).ok(),
    })?;
    Ok(ReadJournal { read, version })
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
    let none = |stored| (stored, ArchiveMark::default());
    let stored = match version {
        1 => version1::checkpoint(rest).map(none),
        3 => postcard::from_bytes(rest).map(none),
        VERSION => postcard::from_bytes::<(StoredCheckpoint, ArchiveMark)>(rest),
        _ => return damaged(format!("its format version {version} is unknown")),
    };
    let Ok((stored, archive)) = stored else { return damaged("its content cannot be read") };
    let job = match serde_json::from_str(&stored.job) {
        Ok(job) => job,
        Err(error) => return damaged(format!("its job cannot be read: {error}")),
    };
    let StoredCheckpoint { generation, state, in_flight, seconds, time_limit, threads, .. } = stored;
    let workers = threads.saturating_sub(1);
    Ok((generation, Checkpoint { job, state, in_flight, seconds, time_limit, workers, archive }, version))
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

fn begin_journal(directory: &Path, generation: u64) -> Result<JournalFile, StateFileError> {
    Ok(JournalFile::begin(&journal_path(directory, generation), &journal_header(VERSION, generation))?)
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
        let archive = ArchiveMark { length: 1 << 40, grids: 7 };
        Checkpoint { job, state, in_flight, seconds: 1.5, time_limit: None, workers: 2, archive }
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
        let OpenedState { files: mut store, checkpoint: first, records, archive, notice } =
            StateFiles::open(dir.path(), u64::MAX).unwrap();
        assert_eq!((archive, notice), (first.archive, None));
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
        let mut store = StateFiles::open(dir.path(), u64::MAX).unwrap().files;
        // The checkpoint was written, the old journal was not yet removed.
        store.checkpoint(&checkpoint(&[])).unwrap();
        fs::write(&journal, before).unwrap();
        assert_eq!(StateFiles::open(dir.path(), u64::MAX).unwrap().records, []);
        assert!(!journal.exists());
    }

    #[test]
    fn a_journal_cut_anywhere_yields_the_records_before_the_cut() {
        let (dir, journal) = begun();
        let whole = fs::read(&journal).unwrap();
        for cut in JOURNAL_HEADER..whole.len() {
            fs::write(&journal, &whole[..cut]).unwrap();
            let OpenedState { files: mut store, records, .. } = StateFiles::open(dir.path(), u64::MAX).unwrap();
            assert_eq!(records, [ended(0), best(), ended(1)][..records.len()]);
            assert!(records.len() < 3);
            store.append(&ended(5)).unwrap();
            assert_eq!(read(dir.path()).unwrap().1.last(), Some(&ended(5)), "cut at {cut}");
        }
        fs::write(&journal, [&whole[..], &[0; 100]].concat()).unwrap();
        assert_eq!(read(dir.path()).unwrap().1.len(), 3, "room that a power cut left unwritten");
    }

    /// The journal after a power cut: of what was not flushed, a later page has been written and an earlier one not.
    #[test]
    fn a_journal_with_a_hole_is_cut_there_and_kept_as_it_was() {
        let (dir, journal) = begun();
        let mut bytes = fs::read(&journal).unwrap();
        let hole = bytes.len() - JOURNAL_HEADER;
        bytes[JOURNAL_HEADER..JOURNAL_HEADER + hole / 2].fill(0);
        fs::write(&journal, &bytes).unwrap();
        let OpenedState { files: mut store, records, notice, .. } = StateFiles::open(dir.path(), u64::MAX).unwrap();
        assert_eq!(records, []);
        let notice = notice.unwrap();
        assert!(notice.contains("ends at byte 24, as after a power cut"), "{notice}");
        let kept = dir.path().join("hunt-0.journal.damaged-1");
        assert!(notice.contains("hunt-0.journal.damaged-1") && fs::read(&kept).unwrap() == bytes, "{notice}");
        store.append(&ended(4)).unwrap();
        assert_eq!(read(dir.path()).unwrap().1, [ended(4)]);
        assert_eq!(StateFiles::open(dir.path(), u64::MAX).unwrap().notice, None, "it is told once");
    }

    #[test]
    fn damage_of_what_was_flushed_is_left_alone_until_somebody_moves_the_file_away() {
        let (dir, journal) = begun();
        let mut store = StateFiles::open(dir.path(), u64::MAX).unwrap().files;
        store.append(&ended(2)).unwrap();
        let archive = ArchiveMark { length: 99, grids: 9 };
        store.flush(archive).unwrap();
        store.append(&ended(3)).unwrap();
        drop(store);
        let opened = StateFiles::open(dir.path(), u64::MAX).unwrap();
        assert_eq!((opened.records.len(), opened.archive), (5, archive));
        let mut bytes = fs::read(&journal).unwrap();
        bytes[JOURNAL_HEADER + 10] ^= 1;
        fs::write(&journal, &bytes).unwrap();
        let error = StateFiles::open(dir.path(), u64::MAX).unwrap_err().to_string();
        assert!(error.contains("had been flushed") && error.contains("move the file away"), "{error}");
        assert_eq!(fs::read(&journal).unwrap(), bytes);
        fs::rename(&journal, dir.path().join("elsewhere")).unwrap();
        assert_eq!(read(dir.path()).unwrap().1, []);
        let OpenedState { files: mut store, notice, .. } = StateFiles::open(dir.path(), u64::MAX).unwrap();
        assert!(notice.unwrap().contains("hunt-0.journal was missing"));
        store.append(&ended(7)).unwrap();
        assert_eq!(read(dir.path()).unwrap().1, [ended(7)]);
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
                    Ok(loaded) => {
                        let records = loaded.journal.map_or(0, |journal| journal.read.records.len());
                        prop_assert!(records < 3, "byte {} bit {}", at, bit);
                    }
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

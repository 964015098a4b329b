//! A job of numbered units with its file: the outcomes of units are appended one after the other, so a crash costs
//! the units under way. [`session::NumberedSession`] runs it on the workers of a queue.

pub mod parts;
pub mod portable;
pub mod session;
pub mod unit;
pub mod votes;

use crate::core::frame::{Flaw, FrameFormat, checksum};
use crate::files::{FileError, set_aside, sync_directory};
use crate::jobs::numbered::{NumberedCoordinator, NumberedJob, NumberedMisfit};
use crate::runner::archive::ArchiveMark;
use crate::runner::journal::{self, JournalFile, MAX_RECORD, ReadRecords};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The file of the outcomes in the job's directory.
pub const FILE: &str = "outcomes.journal";
const FORMAT: FrameFormat = FrameFormat { magic: b"MorpUnit", version: 1, what: "a file of outcomes of units" };
/// Bytes before the first record: magic, version, CRC-32 of both.
const HEADER: usize = FrameFormat::HEAD + 4;
/// Time between two flushes to the device.
const FLUSH: Duration = Duration::from_secs(1);

/// Why a job of numbered units does not run.
#[derive(Debug, thiserror::Error)]
pub enum NumberedError {
    /// The disk refuses.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is damaged or newer; it is left as it is.
    #[error("{} {what}", path.display())]
    Damaged {
        /// The file that cannot be read.
        path: PathBuf,
        /// What is wrong, in words that continue its name.
        what: String,
    },
    /// The file is of another job.
    #[error("{} has the outcomes of another job: {found}", path.display())]
    Other {
        /// The file of the other job.
        path: PathBuf,
        /// The other job.
        found: String,
    },
    /// Its file has grown beyond the limit.
    #[error("its file takes {taken} bytes of disk, and the limit is {limit}: give it more (limits.disk, --job-disk)")]
    Disk {
        /// Bytes of the file.
        taken: u64,
        /// Bytes that it may take.
        limit: u64,
    },
    /// The listener could not pass something on.
    #[error("cannot pass on what happened: {0}")]
    Listener(#[source] io::Error),
    /// All workers have gone.
    #[error("all worker threads have gone (a defect of this program)")]
    NoWorkers,
    /// A unit cannot be computed.
    #[error("unit {unit}: {why}")]
    Failed {
        /// The number of the unit.
        unit: u64,
        /// What it said.
        why: String,
    },
}

/// A record of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum OutcomeEntry<O> {
    /// The job as JSON: the first record.
    Job(String),
    /// The outcome of a unit.
    Unit(u64, O),
    /// The job has run for so many seconds.
    Seconds(f64),
    /// In the place of a job that is too long for a record: its text is in so many records that follow.
    LongJob(u32),
    /// A part of its text.
    JobPart(String),
}

/// Most bytes of the text of a job in one record.
const MOST_TEXT: usize = MAX_RECORD / 2;

/// The first records: the job.
fn job_entries<O>(text: String) -> Vec<OutcomeEntry<O>> {
    if text.len() <= MOST_TEXT {
        return vec![OutcomeEntry::Job(text)];
    }
    let (mut rest, mut parts) = (&text[..], Vec::new());
    while !rest.is_empty() {
        let mut end = MOST_TEXT.min(rest.len());
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (part, others) = rest.split_at(end);
        parts.push(OutcomeEntry::JobPart(part.to_owned()));
        rest = others;
    }
    parts.insert(0, OutcomeEntry::LongJob(parts.len() as u32));
    parts
}

/// The text of the job from the first records; nothing if the file ends before it does.
fn job_of<O>(records: &[OutcomeEntry<O>]) -> Result<Option<String>, Flaw> {
    match records {
        [] => Ok(None),
        [OutcomeEntry::Job(job), ..] => Ok(Some(job.clone())),
        [OutcomeEntry::LongJob(parts), rest @ ..] => {
            let (parts, mut text) = (*parts as usize, String::new());
            for record in rest.iter().take(parts) {
                let OutcomeEntry::JobPart(part) = record else {
                    return Err(Flaw::damaged("a part of the job is missing"));
                };
                text += part;
            }
            Ok(Some(text).filter(|_| rest.len() >= parts))
        }
        _ => Err(Flaw::damaged("its first record is not the job")),
    }
}

fn header() -> Vec<u8> {
    let mut header = FORMAT.head(FORMAT.version);
    header.extend(checksum(&header));
    header
}

/// What a file holds.
struct ReadFile<O> {
    read: ReadRecords<OutcomeEntry<O>>,
    /// The job as JSON; nothing if the file ends before it.
    job: Option<String>,
}

/// Reads a file; nothing if there is none, or only the beginning of its header.
fn read<J: NumberedJob>(path: &Path) -> Result<Option<ReadFile<J::Outcome>>, NumberedError> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(FileError::new("read", path))?,
    };
    let header = header();
    if bytes.len() < HEADER && header.starts_with(&bytes) {
        return Ok(None);
    }
    let damaged = |flaw| NumberedError::Damaged {
        path: path.to_owned(),
        what: match flaw {
            Flaw::Newer(version) => format!("has format version {version}, which this program does not know"),
            Flaw::Damaged(what) => format!("is damaged: {what}"),
        },
    };
    FORMAT.read(&mut &bytes[..]).map_err(damaged)?;
    if !bytes.starts_with(&header) {
        return Err(damaged(Flaw::damaged("its header does not match")));
    }
    let entry = |payload: &[u8]| postcard::from_bytes::<OutcomeEntry<J::Outcome>>(payload).ok();
    let read = journal::parse(&bytes, HEADER, true, entry).map_err(damaged)?;
    let job = job_of(&read.records).map_err(damaged)?;
    Ok(Some(ReadFile { read, job }))
}

fn text<J: NumberedJob>(job: &J) -> Result<String, NumberedError> {
    let text = serde_json::to_string(job).map_err(io::Error::other);
    Ok(text.map_err(FileError::new("write", Path::new(FILE)))?)
}

/// What a directory holds of a job: nothing, or another job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundOutcomes {
    /// No outcome of any job.
    Nothing,
    /// The outcomes of the job.
    OfJob,
    /// Those of another one, in its own words.
    Other(String),
}

/// Looks what a directory holds of a job, and changes nothing.
///
/// # Errors
/// If the file cannot be read.
pub fn look<J: NumberedJob>(job: &J, directory: &Path) -> Result<FoundOutcomes, NumberedError> {
    let path = directory.join(FILE);
    let found = match read::<J>(&path) {
        Ok(found) => found,
        // Whose it is cannot be told; it is refused when it is opened.
        Err(NumberedError::Damaged { .. }) => return Ok(FoundOutcomes::OfJob),
        Err(error) => return Err(error),
    };
    Ok(match found.and_then(|file| file.job) {
        None => FoundOutcomes::Nothing,
        Some(found) if is_same(job, &found) => FoundOutcomes::OfJob,
        Some(found) => FoundOutcomes::Other(found),
    })
}

fn is_same<J: NumberedJob>(job: &J, found: &str) -> bool {
    serde_json::from_str::<J>(found).is_ok_and(|found| found == *job)
}

/// The outcomes of a job in a directory, by the numbers of their units; those that were begun while they are read are
/// left out.
///
/// # Errors
/// If the file cannot be read.
pub fn outcomes<J: NumberedJob>(directory: &Path) -> Result<Vec<(u64, J::Outcome)>, NumberedError> {
    let Some(file) = read::<J>(&directory.join(FILE))? else { return Ok(Vec::new()) };
    let unit = |entry| match entry {
        OutcomeEntry::Unit(unit, outcome) => Some((unit, outcome)),
        _ => None,
    };
    let mut all: Vec<_> = file.read.records.into_iter().filter_map(unit).collect();
    all.sort_by_key(|(unit, _)| *unit);
    Ok(all)
}

/// A job with its file.
pub struct NumberedRun<J: NumberedJob> {
    pub(super) coordinator: NumberedCoordinator<J>,
    path: PathBuf,
    file: JournalFile,
    flushed: Instant,
    /// Seconds that it had run, as last noted.
    pub seconds: f64,
    /// Units whose outcomes were in the file when it was opened, and their nodes.
    pub replayed: Vec<(u64, u64)>,
    /// What was wrong with the file and has been put right, in words for people.
    pub notice: Option<String>,
}

impl<J: NumberedJob> NumberedRun<J> {
    /// Begins the job, or continues it where there is one in the directory.
    ///
    /// # Errors
    /// If the directory has outcomes of another job, or a file that is damaged.
    pub fn open(job: &J, directory: &Path) -> Result<NumberedRun<J>, NumberedError> {
        fs::create_dir_all(directory).map_err(FileError::new("create", directory))?;
        let path = directory.join(FILE);
        let mut coordinator = NumberedCoordinator::new(job.clone());
        let (mut seconds, mut replayed, mut notice) = (0.0, Vec::new(), None);
        let found = read::<J>(&path)?;
        let file = match found {
            Some(ReadFile { read, job: Some(found) }) => {
                if !is_same(job, &found) {
                    return Err(NumberedError::Other { path, found });
                }
                if let Some(why) = &read.cut {
                    notice = Some(journal::cut(&path, read.length, why)?);
                }
                for entry in read.records {
                    match entry {
                        OutcomeEntry::Job(_) | OutcomeEntry::LongJob(_) | OutcomeEntry::JobPart(_) => {}
                        OutcomeEntry::Seconds(noted) => seconds = noted.max(seconds),
                        OutcomeEntry::Unit(unit, outcome) => {
                            replayed.push((unit, J::spent(&outcome).0));
                            coordinator.apply(unit, outcome).map_err(|misfit: NumberedMisfit| {
                                NumberedError::Damaged { path: path.clone(), what: format!("is damaged: {misfit}") }
                            })?;
                        }
                    }
                }
                JournalFile::open(&path, read.length)?
            }
            begun => {
                // A file that ends before its first record has nothing to lose, unless something follows.
                if begun.is_some_and(|file| file.read.cut.is_some()) {
                    notice = Some(format!(
                        "{} is begun anew; the old file is {}",
                        path.display(),
                        set_aside(&path)?.display()
                    ));
                }
                let mut file = JournalFile::begin(&path, &header())?;
                let entries = job_entries(text(job)?).into_iter();
                file.append(entries.map(|entry| packed::<J>(&entry, &path)).collect::<Result<Vec<_>, _>>()?)?;
                file.flush(ArchiveMark::default())?;
                sync_directory(&path).map_err(FileError::new("write", &path))?;
                file
            }
        };
        Ok(NumberedRun { coordinator, path, file, flushed: Instant::now(), seconds, replayed, notice })
    }

    /// The coordinator of the job.
    pub fn coordinator(&self) -> &NumberedCoordinator<J> {
        &self.coordinator
    }

    /// Bytes of its file.
    pub fn size(&self) -> u64 {
        self.file.length()
    }

    /// Writes what a unit leaves beside its outcome, before that is taken.
    pub(super) fn write_part(&self, unit: u64, packed: &[u8]) -> Result<(), NumberedError> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        Ok(parts::write_packed(folder, unit, packed)?)
    }

    /// Takes the outcome of a unit and appends it to the file. After it returns, no crash of the program loses it.
    pub(super) fn record(&mut self, unit: u64, outcome: J::Outcome) -> Result<(), NumberedError> {
        let bytes = packed::<J>(&OutcomeEntry::Unit(unit, outcome.clone()), &self.path)?;
        self.file.append([bytes])?;
        let misfit = |why: NumberedMisfit| NumberedError::Failed { unit, why: why.to_string() };
        self.coordinator.apply(unit, outcome).map_err(misfit)?;
        self.flush_in_time()
    }

    /// Notes for how long the job has run, and flushes the file to the device.
    pub(super) fn save(&mut self, seconds: f64) -> Result<(), NumberedError> {
        if seconds > self.seconds {
            self.seconds = seconds;
            self.file.append([packed::<J>(&OutcomeEntry::Seconds(seconds), &self.path)?])?;
        }
        self.flushed = Instant::now();
        Ok(self.file.flush(ArchiveMark::default())?)
    }

    /// Flushes the file to the device if the last flush is a second ago.
    pub(super) fn flush_in_time(&mut self) -> Result<(), NumberedError> {
        if self.flushed.elapsed() >= FLUSH {
            self.flushed = Instant::now();
            self.file.flush(ArchiveMark::default())?;
        }
        Ok(())
    }
}

/// An outcome that would not be read again.
fn too_long(unit: u64, length: usize) -> NumberedError {
    NumberedError::Failed {
        unit,
        why: format!("its outcome has {length} bytes, and at most {MAX_RECORD} can be stored"),
    }
}

fn packed<J: NumberedJob>(entry: &OutcomeEntry<J::Outcome>, path: &Path) -> Result<Vec<u8>, NumberedError> {
    let packed = postcard::to_stdvec(entry).map_err(io::Error::other);
    let packed = packed.map_err(FileError::new("write", path))?;
    match (packed.len() > MAX_RECORD, entry) {
        (true, OutcomeEntry::Unit(unit, _)) => Err(too_long(*unit, packed.len())),
        _ => Ok(packed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_of_any_length_comes_back_from_its_records() {
        for text in ["{}".to_owned(), "x".repeat(MOST_TEXT), "\u{e9}x\u{1d11e}".repeat(20_000)] {
            let records = job_entries::<u64>(text.clone());
            let sizes = records.iter().map(|record| postcard::to_stdvec(record).unwrap().len());
            assert!(sizes.max() < Some(MAX_RECORD) && (records.len() == 1) == (text.len() <= MOST_TEXT));
            assert_eq!(job_of(&records).unwrap().as_ref(), Some(&text));
            // A file that ends before the job does has none.
            assert_eq!(job_of(&records[..records.len() - 1]).unwrap(), None);
        }
        let mut records = job_entries::<u64>("x".repeat(3 * MOST_TEXT));
        records[2] = OutcomeEntry::Unit(0, 1);
        assert!(job_of(&records).is_err());
        assert!(job_of(&[OutcomeEntry::Unit(0, 1u64)]).is_err());
    }
}

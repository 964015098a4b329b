//! The runs of a comparison that are done, one JSON object per line, so that a comparison of hours that is stopped
//! goes on where it was.

use super::error::JournalError;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A new best of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BestStep {
    /// Processor time of the run until then.
    pub seconds: f64,
    /// Its iterations until then.
    pub iterations: u64,
    /// Moves of the new best grid.
    pub score: u32,
}

/// A run that is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedRun {
    /// Name of the search.
    pub search: String,
    /// Seed that the run began with.
    pub seed: u64,
    /// Its processor time.
    pub seconds: f64,
    /// Iterations of the whole run.
    pub iterations: u64,
    /// Its bests, each longer than the one before.
    pub bests: Vec<BestStep>,
    /// The moves of the last of them.
    pub moves: Vec<u32>,
}

/// By which a configuration is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfigSum {
    /// CRC-32 of its values, whatever its comments, its layout and the order of its keys.
    values: u32,
    /// CRC-32 of its text: what journals of earlier versions have alone.
    text: u32,
}

impl ConfigSum {
    /// The sum of a configuration with this text and these values.
    pub fn new(text: &str, values: &impl Serialize) -> ConfigSum {
        let values = serde_json::to_vec(values).expect("texts and numbers can be written");
        ConfigSum { values: crc32fast::hash(&values), text: crc32fast::hash(text.as_bytes()) }
    }
}

/// The first line: what the runs belong to.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct JournalHead {
    version: String,
    /// CRC-32 of the text of the configuration.
    settings: u32,
    /// CRC-32 of its values; earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<u32>,
}

impl JournalHead {
    fn new(sum: ConfigSum) -> JournalHead {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        JournalHead { version, settings: sum.text, values: Some(sum.values) }
    }

    /// Whether the runs belong to this configuration.
    fn is_of(&self, sum: ConfigSum) -> bool {
        let same = self.settings == sum.text || self.values == Some(sum.values);
        self.version == env!("CARGO_PKG_VERSION") && same
    }
}

/// The file with the runs of one comparison that are done.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// The runs that were in it.
    pub runs: Vec<RecordedRun>,
}

impl Journal {
    /// Opens or begins the journal of a configuration. One that belongs to another is overwritten only with `force`.
    ///
    /// # Errors
    /// It belongs to another configuration or version, or cannot be read or written.
    pub fn open(path: &Path, sum: ConfigSum, force: bool) -> Result<Journal, JournalError> {
        let refused = |source: io::Error| JournalError::File { path: path.to_owned(), source };
        let mut options = OpenOptions::new();
        let mut file = options.read(true).write(true).create(true).truncate(false).open(path).map_err(refused)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(JournalError::Busy(path.to_owned()));
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(refused)?;
        // What a crash has cut off is no line.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole].lines();
        let mut runs = Vec::new();
        let found = lines.next().map(serde_json::from_str::<JournalHead>);
        let own = found.as_ref().map(|found| found.as_ref().is_ok_and(|found| found.is_of(sum)));
        // Of another configuration, but no run would be lost with it.
        let is_empty = matches!(found, Some(Ok(_))) && lines.clone().next().is_none();
        match own {
            Some(true) => {
                for (line, run) in (2..).zip(lines) {
                    let run = serde_json::from_str(run);
                    let path = || path.to_owned();
                    runs.push(run.map_err(|source| JournalError::Line { path: path(), line, source })?);
                }
                file.set_len(whole as u64).map_err(refused)?;
                file.seek(SeekFrom::End(0)).map_err(refused)?;
            }
            Some(false) if !force && !is_empty => return Err(JournalError::Other(path.to_owned())),
            _ => {
                file.set_len(0).and_then(|()| file.rewind()).map_err(refused)?;
                write_line(&mut file, &JournalHead::new(sum)).map_err(refused)?;
            }
        }
        Ok(Journal { path: path.to_owned(), file, runs })
    }

    /// Adds a run, on the disk when this returns.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, run: &RecordedRun) -> Result<(), JournalError> {
        write_line(&mut self.file, run).map_err(|source| JournalError::File { path: self.path.clone(), source })
    }

    /// Removes the file: all that it holds is elsewhere.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn remove(path: &Path) -> Result<(), JournalError> {
        match std::fs::remove_file(path) {
            Err(source) if source.kind() != ErrorKind::NotFound => {
                Err(JournalError::File { path: path.to_owned(), source })
            }
            _ => Ok(()),
        }
    }
}

fn write_line(file: &mut File, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_string(value)?;
    line.push('\n');
    file.write_all(line.as_bytes())?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A configuration whose text is also its value.
    fn sum(text: &str) -> ConfigSum {
        ConfigSum::new(text, &text)
    }

    fn run(seed: u64) -> RecordedRun {
        let step = BestStep { seconds: 0.5, iterations: 7, score: 60 };
        RecordedRun { search: "a".into(), seed, seconds: 1.5, iterations: 9, bests: vec![step], moves: vec![1, 2] }
    }

    #[test]
    fn a_journal_goes_on_after_a_crash_and_keeps_what_is_of_others() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.part");
        let mut journal = Journal::open(&path, sum("one"), false).unwrap();
        let error = Journal::open(&path, sum("one"), true).unwrap_err().to_string();
        assert!(error.contains("another comparison"), "{error}");
        journal.add(&run(1)).unwrap();
        journal.add(&run(2)).unwrap();
        drop(journal);
        let text = std::fs::read_to_string(&path).unwrap();
        // Cut off in the middle of the second run.
        std::fs::write(&path, &text[..text.len() - 10]).unwrap();
        let mut journal = Journal::open(&path, sum("one"), false).unwrap();
        assert_eq!(journal.runs, [run(1)]);
        journal.add(&run(3)).unwrap();
        drop(journal);
        assert_eq!(Journal::open(&path, sum("one"), false).unwrap().runs, [run(1), run(3)]);

        let error = Journal::open(&path, sum("two"), false).unwrap_err().to_string();
        assert!(error.contains("x.part") && error.contains("--force"), "{error}");
        assert_eq!(Journal::open(&path, sum("one"), true).unwrap().runs, [run(1), run(3)]);
        assert_eq!(Journal::open(&path, sum("two"), true).unwrap().runs, []);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text + "{}\n").unwrap();
        let error = Journal::open(&path, sum("two"), false).unwrap_err().to_string();
        assert!(error.contains("x.part, line 2"), "{error}");
    }

    #[test]
    fn a_configuration_is_recognised_by_its_values_or_by_its_text() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.part");
        let mut journal = Journal::open(&path, ConfigSum::new("a = 1", &1), false).unwrap();
        journal.add(&run(1)).unwrap();
        drop(journal);
        // Another comment.
        assert_eq!(Journal::open(&path, ConfigSum::new("a = 1 # one", &1), false).unwrap().runs, [run(1)]);
        let other = Journal::open(&path, ConfigSum::new("a = 2", &2), false).unwrap_err();
        assert!(matches!(other, JournalError::Other(_)), "{other}");

        // As earlier versions wrote it: with the sum of the text alone.
        let text = std::fs::read_to_string(&path).unwrap();
        let (head, runs) = text.split_once('\n').unwrap();
        let mut head: serde_json::Value = serde_json::from_str(head).unwrap();
        head.as_object_mut().unwrap().remove("values").unwrap();
        assert_eq!(head["settings"], crc32fast::hash(b"a = 1"));
        let earlier = format!("{head}\n{runs}");
        std::fs::write(&path, &earlier).unwrap();
        assert_eq!(Journal::open(&path, ConfigSum::new("a = 1", &1), false).unwrap().runs, [run(1)]);
        let other = Journal::open(&path, ConfigSum::new("a = 1 # one", &1), false).unwrap_err();
        assert!(matches!(other, JournalError::Other(_)), "{other}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), earlier);
    }
}

//! The runs of a comparison that are done, one JSON object per line, so that a comparison of hours that is stopped
//! goes on where it was.

use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
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

/// The first line: what the runs belong to.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Head {
    version: String,
    /// CRC-32 of the configuration.
    settings: u32,
}

/// The file of the runs that are done, open for appending.
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
    pub fn open(path: &Path, config: &str, force: bool) -> anyhow::Result<Journal> {
        let head =
            Head { version: env!("CARGO_PKG_VERSION").to_owned(), settings: crc32fast::hash(config.as_bytes()) };
        let within = || path.display().to_string();
        let mut options = OpenOptions::new();
        let mut file = options.read(true).write(true).create(true).truncate(false).open(path).with_context(within)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            bail!("{}: another comparison is writing it", path.display());
        }
        let mut text = String::new();
        file.read_to_string(&mut text).with_context(within)?;
        // What a crash has cut off is no line.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole].lines();
        let mut runs = Vec::new();
        let found = lines.next().map(serde_json::from_str::<Head>);
        let own = found.as_ref().map(|found| found.as_ref().is_ok_and(|found| *found == head));
        // Of another configuration, but no run would be lost with it.
        let is_empty = matches!(found, Some(Ok(_))) && lines.clone().next().is_none();
        match own {
            Some(true) => {
                for (number, line) in (2..).zip(lines) {
                    let run = serde_json::from_str(line);
                    runs.push(run.with_context(|| format!("{}, line {number}: no run", path.display()))?);
                }
                file.set_len(whole as u64).with_context(within)?;
                file.seek(SeekFrom::End(0)).with_context(within)?;
            }
            Some(false) if !force && !is_empty => bail!(
                "{}: the runs in it are of another configuration or version; --force discards them",
                path.display()
            ),
            _ => {
                file.set_len(0).and_then(|()| file.rewind()).with_context(within)?;
                write_line(&mut file, &head).with_context(within)?;
            }
        }
        Ok(Journal { path: path.to_owned(), file, runs })
    }

    /// Adds a run, on the disk when this returns.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, run: &RecordedRun) -> anyhow::Result<()> {
        write_line(&mut self.file, run).with_context(|| self.path.display().to_string())
    }

    /// Removes the file: all that it holds is elsewhere.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn remove(path: &Path) -> anyhow::Result<()> {
        let removed = std::fs::remove_file(path);
        let gone = removed.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound);
        ensure!(removed.is_ok() || gone, "{}: it cannot be removed", path.display());
        Ok(())
    }
}

fn write_line(file: &mut File, value: &impl Serialize) -> anyhow::Result<()> {
    let mut line = serde_json::to_string(value)?;
    line.push('\n');
    file.write_all(line.as_bytes())?;
    file.sync_data()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(seed: u64) -> RecordedRun {
        let step = BestStep { seconds: 0.5, iterations: 7, score: 60 };
        RecordedRun { search: "a".into(), seed, seconds: 1.5, iterations: 9, bests: vec![step], moves: vec![1, 2] }
    }

    #[test]
    fn a_journal_goes_on_after_a_crash_and_keeps_what_is_of_others() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.part");
        let mut journal = Journal::open(&path, "one", false).unwrap();
        let error = Journal::open(&path, "one", true).unwrap_err().to_string();
        assert!(error.contains("another comparison"), "{error}");
        journal.add(&run(1)).unwrap();
        journal.add(&run(2)).unwrap();
        drop(journal);
        let text = std::fs::read_to_string(&path).unwrap();
        // Cut off in the middle of the second run.
        std::fs::write(&path, &text[..text.len() - 10]).unwrap();
        let mut journal = Journal::open(&path, "one", false).unwrap();
        assert_eq!(journal.runs, [run(1)]);
        journal.add(&run(3)).unwrap();
        drop(journal);
        assert_eq!(Journal::open(&path, "one", false).unwrap().runs, [run(1), run(3)]);

        let error = Journal::open(&path, "two", false).unwrap_err().to_string();
        assert!(error.contains("x.part") && error.contains("--force"), "{error}");
        assert_eq!(Journal::open(&path, "one", true).unwrap().runs, [run(1), run(3)]);
        assert_eq!(Journal::open(&path, "two", true).unwrap().runs, []);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text + "{}\n").unwrap();
        let error = format!("{:#}", Journal::open(&path, "two", false).unwrap_err());
        assert!(error.contains("x.part, line 2"), "{error}");
    }
}

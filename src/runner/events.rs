//! What happened in a hunt, as JSON lines: `events.jsonl` in the hunt's directory, and standard output on request.
//!
//! Each line carries the version of its format, the time (seconds since 1970, UTC) and the seconds that the hunt has
//! run over all its sessions. A line cut by a crash is cut off when the file is opened again. The log is only shown:
//! a line that cannot be read stops nothing. When the log is opened for writing, such lines go out of it, and the
//! file as it was is kept under another name.

use crate::core::search::End;
use crate::files::{FileError, Keep, replace, set_aside};
use crate::jobs::ending::JobEnd;
use crate::jobs::hunt::{Find, Job, Over};
use crate::morpion::start::Start;
use crate::morpion::symmetry::GridSymmetry;
use crate::morpion::variant::Variant;
use crate::notation::catalogue::Catalogue;
use crate::strategies::params::Strategy;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Version of the format of a line.
pub const VERSION: u32 = 1;
/// Name of the file in the hunt's directory.
pub const FILE: &str = "events.jsonl";

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HuntEvent {
    /// Version of the format.
    pub v: u32,
    /// When: seconds since 1970, UTC.
    pub time: f64,
    /// Seconds that the hunt had run, over all its sessions.
    pub seconds: f64,
    /// What happened, with its details.
    #[serde(flatten)]
    pub what: HuntEventKind,
}

/// What happened, with the details of each kind of event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum HuntEventKind {
    /// A hunt began.
    Start(SessionStart),
    /// A hunt went on in a new session.
    Resume(SessionStart),
    /// A new best grid.
    Best {
        /// Number of moves.
        score: u32,
        /// Worker that found it, from 1.
        thread: u32,
        /// Iterations of its unit until then.
        iterations: u64,
        /// Strategy that found it.
        strategy: Strategy,
        /// Seed of the hunt.
        seed: u64,
        /// Unit that found it.
        unit: u64,
        /// Seed of that unit.
        unit_seed: u64,
        /// The grid comes so near to the edge of the playing area that moves may have been refused there.
        touches_border: bool,
        /// The known record that it equals, whatever its orientation and the order of its moves.
        #[serde(default)]
        record: Option<String>,
        /// It is at least as long as the shortest known record of the variant, and equals none of them.
        #[serde(default)]
        new: bool,
    },
    /// How the hunt stands, about once a minute (in its first hour more often).
    Progress {
        /// Best score so far.
        score: u32,
        /// Iterations so far, those of the running units included.
        iterations: u64,
        /// Units done so far.
        units: u64,
        /// Workers that are searching.
        running: u32,
    },
    /// A unit is done (on standard output only).
    Unit {
        /// Number of the unit.
        unit: u64,
        /// Worker that searched it, from 1.
        thread: u32,
        /// Why it ended.
        end: End,
        /// Iterations it took.
        iterations: u64,
        /// Its best score.
        best: u32,
    },
    /// The session ended; the hunt can continue.
    Stop {
        /// Why the session stopped.
        reason: StopReason,
        /// Best score so far.
        score: u32,
        /// Iterations so far.
        iterations: u64,
        /// Units done so far.
        units: u64,
    },
    /// The hunt is over.
    End {
        /// How it ended.
        reason: Over,
        /// Moves of the longest grid of the hunt.
        score: u32,
        /// Iterations of all sessions.
        iterations: u64,
        /// Units that are done.
        units: u64,
    },
}

/// What a session runs with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionStart {
    /// Version of the program.
    pub version: String,
    /// Variant of the puzzle.
    pub variant: Variant,
    /// Strategy of the hunt.
    pub strategy: Strategy,
    /// Seed of the hunt.
    pub seed: u64,
    /// Threads, the main thread included.
    pub threads: u32,
    /// Moves played before the hunt begins.
    pub start_moves: u32,
    /// DFS: moves of the main walk.
    pub main_depth: u32,
    /// Iterations that the hunt had done before, including those of the units that continue.
    pub iterations: u64,
    /// The symmetry of the grids that are searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symmetry: Option<GridSymmetry>,
    /// The start of the grids, if it is not the cross.
    #[serde(default, skip_serializing_if = "Start::is_cross")]
    pub start: Start,
    /// NRPA: the level whose calls the workers share, if they share a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<u32>,
    /// And how many of them can be made at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
}

impl SessionStart {
    /// What a session of `job` runs with; `iterations` were done before.
    pub fn of(job: &Job, workers: u32, iterations: u64) -> SessionStart {
        SessionStart {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            variant: job.variant,
            strategy: job.params.strategy,
            seed: job.seed,
            threads: workers + 1,
            start_moves: job.start.len() as u32,
            main_depth: job.main_depth,
            iterations,
            symmetry: job.params.symmetry,
            start: job.params.start.clone(),
            share: job.params.share,
            width: job.params.width,
        }
    }
}

/// Why a session ended before the hunt was over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Ctrl-C or a signal.
    Interrupted,
    /// The time is used up.
    Time,
    /// The iterations are used up.
    Iterations,
    /// It was asked to end when the units begun were done.
    Drained,
    /// The session failed.
    Failed,
}

impl StopReason {
    /// The end of the job, if it is not to be resumed after this.
    pub fn job_end(self) -> Option<JobEnd> {
        match self {
            StopReason::Time => Some(JobEnd::Time),
            StopReason::Iterations => Some(JobEnd::Iterations),
            StopReason::Drained => Some(JobEnd::Drained),
            StopReason::Interrupted | StopReason::Failed => None,
        }
    }
}

impl HuntEvent {
    /// The line of a new best, compared with the known records.
    pub fn best(job: &Job, best: &Find, touches_border: bool, catalogue: &Catalogue) -> HuntEvent {
        // The known records are grids from the cross.
        let is_of_cross = job.params.start.is_cross();
        let record = catalogue.equal(job.variant, &best.moves).filter(|_| is_of_cross);
        let record = record.map(|known| known.name.to_owned());
        let long =
            is_of_cross && catalogue.shortest(job.variant).is_some_and(|shortest| best.moves.len() >= shortest);
        let what = HuntEventKind::Best {
            score: best.score(),
            thread: best.worker,
            iterations: best.iterations,
            strategy: job.params.strategy,
            seed: job.seed,
            unit: best.unit,
            unit_seed: best.unit_seed,
            touches_border,
            new: long && record.is_none(),
            record,
        };
        HuntEvent { v: VERSION, time: best.time, seconds: best.seconds, what }
    }

    /// The event as a line of JSON, with its line end.
    pub fn line(&self) -> String {
        // Encoding these fields cannot fail: all keys are texts.
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }
}

/// `events.jsonl`, open for appending.
#[derive(Debug)]
pub struct EventLog {
    path: PathBuf,
    file: File,
    length: u64,
}

impl EventLog {
    /// Opens the log of a directory, made if it is missing; a last line without its end is cut off, and lines that
    /// cannot be read go out of it. What was wrong is told in words for people.
    ///
    /// # Errors
    /// If the file cannot be opened, read or written.
    pub fn open(directory: &Path) -> Result<(EventLog, Option<String>), FileError> {
        let path = directory.join(FILE);
        let notice = mend(&path)?;
        let opened = || {
            let mut file = OpenOptions::new().create(true).read(true).write(true).truncate(false).open(&path)?;
            let mut text = Vec::new();
            file.read_to_end(&mut text)?;
            let length = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at as u64 + 1);
            file.set_len(length)?;
            file.seek(SeekFrom::Start(length))?;
            Ok((file, length))
        };
        let (file, length) = opened().map_err(FileError::new("open", &path))?;
        Ok((EventLog { path, file, length }, notice))
    }

    /// Appends an event.
    ///
    /// # Errors
    /// If it cannot be written; the file is then as it was.
    pub fn append(&mut self, event: &HuntEvent) -> Result<(), FileError> {
        let line = event.line();
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
            return Err(FileError::new("write", &self.path)(error));
        }
        self.length += line.len() as u64;
        Ok(())
    }
}

/// Takes the lines out of a log that cannot be read; what to say of it, if there are any.
fn mend(path: &Path) -> Result<Option<String>, FileError> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(FileError::new("read", path))?,
    };
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for (number, line) in lines(&bytes) {
        match parse(line) {
            Ok(_) => good.extend([line, b"\n"].concat()),
            Err(reason) => bad.push(BadLine { path: path.to_owned(), line: number, reason }),
        }
    }
    let Some(first) = bad.first() else { return Ok(None) };
    let kept = set_aside(path)?;
    replace(path, &good, Keep::Durable)?;
    let others = if bad.len() > 1 { format!(" (and {} more lines)", bad.len() - 1) } else { String::new() };
    Ok(Some(format!("{first}{others}; it is left out, and the file as it was is {}", kept.display())))
}

/// A line of a log that is not an event of a known format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: not an event of a hunt: {reason}", path.display())]
pub struct BadLine {
    /// Path of the log.
    pub path: PathBuf,
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

/// What a log holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadLog {
    /// The events that can be read, in order.
    pub events: Vec<HuntEvent>,
    /// The lines that cannot be read.
    pub bad: Vec<BadLine>,
}

/// Reads the log of a hunt's directory. A last line without its end is passed over: it is being written.
///
/// # Errors
/// If the file cannot be read.
pub fn read(directory: &Path) -> Result<ReadLog, FileError> {
    let path = directory.join(FILE);
    let bytes = fs::read(&path).map_err(FileError::new("read", &path))?;
    let mut log = ReadLog::default();
    for (number, line) in lines(&bytes) {
        match parse(line) {
            Ok(event) => log.events.push(event),
            Err(reason) => log.bad.push(BadLine { path: path.clone(), line: number, reason }),
        }
    }
    Ok(log)
}

/// The lines that have their end, with their numbers from 1.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(&[][..], |at| &bytes[..=at]);
    (1..).zip(whole.split_inclusive(|&byte| byte == b'\n').map(|line| &line[..line.len() - 1]))
}

fn parse(line: &[u8]) -> Result<HuntEvent, String> {
    let version = serde_json::from_slice::<Versioned>(line).map_err(|error| error.to_string())?.v;
    if version > VERSION {
        return Err(format!("it has version {version}, this program reads up to {VERSION}"));
    }
    serde_json::from_slice(line).map_err(|error| error.to_string())
}

#[derive(Deserialize)]
struct Versioned {
    v: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(score: u32) -> HuntEvent {
        let best = Find {
            moves: Vec::new(),
            unit: 3,
            unit_seed: u64::MAX,
            worker: 1,
            iterations: 9,
            seconds: 1.5,
            time: 1e9,
        };
        let job = Job {
            variant: Variant::D5,
            params: Default::default(),
            start: Vec::new(),
            main_depth: 2,
            seed: 7,
            max_iterations: None,
            runs: None,
            target: None,
            keep_from: None,
        };
        let mut event = HuntEvent::best(&job, &best, false, &Catalogue::load().unwrap());
        if let HuntEventKind::Best { score: s, .. } = &mut event.what {
            *s = score;
        }
        event
    }

    #[test]
    fn a_torn_line_is_cut_off_and_the_rest_is_read() {
        let dir = tempfile::tempdir().unwrap();
        EventLog::open(dir.path()).unwrap().0.append(&event(70)).unwrap();
        let mut file = OpenOptions::new().append(true).open(dir.path().join(FILE)).unwrap();
        file.write_all(b"{\"v\":1,\"ti").unwrap();
        assert_eq!(read(dir.path()).unwrap().events, [event(70)]);
        let (mut log, notice) = EventLog::open(dir.path()).unwrap();
        log.append(&event(71)).unwrap();
        assert_eq!((read(dir.path()).unwrap().events, notice), (vec![event(70), event(71)], None));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn lines_that_are_no_events_are_named_and_go_out_of_the_log() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        let whole = event(70).line();
        for (number, (bad, expected)) in (1..).zip([
            (&b"{}"[..], "events.jsonl:2: not an event"),
            (b"", "events.jsonl:2: not an event"),
            (b"{\"v\":2,\"event\":\"dance\"}", "it has version 2"),
            (b"{\"v\":1,\"time\":1,\"seconds\":1,\"event\":\"dance\"}", "unknown variant"),
            (b"\xff\xfe", "events.jsonl:2: not an event"),
            (&[0; 4096], "events.jsonl:2: not an event"),
        ]) {
            let bytes = [whole.as_bytes(), bad, b"\n", whole.as_bytes()].concat();
            fs::write(&path, &bytes).unwrap();
            let log = read(dir.path()).unwrap();
            assert_eq!((log.events.len(), log.bad.len()), (2, 1));
            assert!(log.bad[0].to_string().contains(expected), "{:?}", log.bad);
            let (mut opened, notice) = EventLog::open(dir.path()).unwrap();
            opened.append(&event(71)).unwrap();
            let notice = notice.unwrap();
            assert!(notice.contains(expected), "{notice}");
            let kept = dir.path().join(format!("{FILE}.damaged-{number}"));
            assert!(notice.contains(&kept.display().to_string()) && fs::read(kept).unwrap() == bytes, "{notice}");
            assert_eq!(read(dir.path()).unwrap().events, [event(70), event(70), event(71)]);
            assert_eq!(EventLog::open(dir.path()).unwrap().1, None, "it is told once");
        }
    }
}

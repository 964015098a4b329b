//! A proof with its file: the outcomes of units are appended one after the other, so a crash costs the units under
//! way.
//!
//! The command runs it on threads of its own ([`Proving::run`]), a daemon on the workers of its queue
//! ([`session::ProveSession`]).

pub mod portable;
pub mod session;
pub mod unit;

use crate::core::panic;
use crate::core::seed::rng;
use crate::files::{FileError, Keep, replace};
use crate::jobs::prove::{ProofMisfit, ProveCoordinator, ProvingEnd, ProvingProgress};
use crate::morpion::geometry::{Move, Point};
use crate::proofs::branching::{DiveEnd, ProofSearch};
use crate::proofs::file::{HEAD, ProofFileError, ProofRecord, Statement, pack, read_file};
use crate::proofs::leaf::fill_points;
use crate::proofs::program::Program;
use crate::proofs::relaxation::Relaxation;
use crate::proofs::tree::OpenCase;
use rand::RngExt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use unit::ProveOutcome;

/// The file of a proof in its directory.
pub const PROOF: &str = "proof.log";
/// The compressed file of a complete proof.
pub const CERTIFICATE: &str = "proof.cert";
/// Seed of the random descents of an estimate.
const DIVE_SEED: u64 = 1;
/// How often progress is told.
const PACE: Duration = Duration::from_millis(500);

/// Why a proof does not run.
#[derive(Debug, thiserror::Error)]
pub enum ProvingError {
    /// The disk refuses.
    #[error(transparent)]
    File(#[from] FileError),
    /// Another process runs it.
    #[error("{} is in use by another process", .0.display())]
    Locked(PathBuf),
    /// The file is damaged; it is left as it is.
    #[error("{}: {source}", path.display())]
    Damaged {
        /// The damaged or foreign file.
        path: PathBuf,
        /// What is wrong.
        source: ProofFileError,
    },
    /// A record does not belong to the proof.
    #[error(transparent)]
    Misfit(#[from] ProofMisfit),
    /// The directory is of another proof.
    #[error("{} has the proof of another statement: {found}; continue it with the same flags, or take another directory", path.display())]
    Other {
        /// The damaged or foreign file.
        path: PathBuf,
        /// What it is about.
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
    Listener(#[source] std::io::Error),
    /// All workers have gone.
    #[error("all worker threads have gone (a defect of this program)")]
    NoWorkers,
    /// A unit's search panicked.
    #[error("a unit of the proof failed: {0}")]
    Failed(String),
}

/// An estimate of what is left of a proof.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RestEstimate {
    /// Random descents that it comes from.
    pub dives: u32,
    /// Nodes below the open units.
    pub nodes: f64,
    /// Complete sets of points below them.
    pub shapes: f64,
}

/// What random descents came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Estimated {
    /// An estimate of what is left.
    Rest(RestEstimate),
    /// One of them met a grid of so many moves.
    Grid(Vec<Move>),
    /// Nothing is open, or they were stopped before the first one ended.
    Nothing,
}

/// A proof with its file.
pub struct Proving {
    coordinator: ProveCoordinator,
    log: Option<ProofLog>,
    /// Units whose outcomes were in the file when it was opened, and the cases that they looked at.
    replayed: Vec<(u64, u64)>,
}

struct ProofLog {
    path: PathBuf,
    /// Locked while the process lives.
    file: File,
    /// A write failed. What the file has is then known only when it is read again, so nothing more is written: a
    /// record behind a torn one would make the file damaged.
    broken: bool,
}

impl ProofLog {
    fn append(&mut self, bytes: &[u8]) -> Result<(), ProvingError> {
        if self.broken {
            let why = io::Error::other("an earlier write failed");
            return Err(FileError::new("write", &self.path)(why).into());
        }
        let before = self.file.metadata().map_err(FileError::new("read", &self.path))?.len();
        let written = self.file.write_all(bytes).and_then(|()| self.file.sync_data());
        if written.is_err() {
            self.broken = true;
            let _ = self.file.set_len(before);
        }
        Ok(written.map_err(FileError::new("write", &self.path))?)
    }
}

impl Proving {
    /// Begins the proof, or continues it where there is one in the directory.
    ///
    /// # Errors
    /// If the directory has the proof of another statement, a damaged one, or one that another process runs.
    pub fn open(statement: &Statement, directory: Option<&Path>) -> Result<Proving, ProvingError> {
        let mut proving = Proving { coordinator: ProveCoordinator::new(statement), log: None, replayed: Vec::new() };
        let Some(directory) = directory else { return Ok(proving) };
        fs::create_dir_all(directory).map_err(FileError::new("create", directory))?;
        let path = directory.join(PROOF);
        let error = |action| FileError::new(action, &path);
        let file = OpenOptions::new().read(true).append(true).create(true).open(&path).map_err(error("open"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(ProvingError::Locked(path)),
            Err(TryLockError::Error(source)) => return Err(error("lock")(source).into()),
        }
        let bytes = fs::read(&path).map_err(error("read"))?;
        let mut log = ProofLog { path: path.clone(), file, broken: false };
        // A file without a whole statement has nothing to lose.
        let begun = [HEAD, &statement.to_frame()].concat();
        if begun.starts_with(&bytes) && bytes.len() < begun.len() {
            log.file.set_len(0).map_err(error("write"))?;
            log.append(&begun)?;
        } else {
            let found = read_file(&bytes).map_err(|source| ProvingError::Damaged { path: path.clone(), source })?;
            if found.statement != *statement {
                let Statement { region, title, moves } = &found.statement;
                let found = format!("{} moves of {} in {title}", moves, region.variant());
                return Err(ProvingError::Other { path, found });
            }
            if found.whole < bytes.len() {
                set_aside(directory, &bytes[found.whole..])?;
                log.file.set_len(found.whole as u64).map_err(error("write"))?;
            }
            for record in found.records {
                if let ProofRecord::Unit { unit, counts, .. } = &record {
                    proving.replayed.push((*unit, counts.nodes));
                }
                proving.coordinator.apply(record)?;
            }
        }
        proving.log = Some(log);
        Ok(proving)
    }

    /// The coordinator of the proof.
    pub fn coordinator(&self) -> &ProveCoordinator {
        &self.coordinator
    }

    /// Where the proof is.
    pub fn progress(&self) -> ProvingProgress {
        self.coordinator.progress()
    }

    /// How it would end now.
    pub fn end(&self) -> ProvingEnd {
        self.coordinator.end()
    }

    /// Units whose outcomes were in the file when it was opened, with the cases that they looked at.
    pub fn replayed(&self) -> &[(u64, u64)] {
        &self.replayed
    }

    /// Bytes of its file.
    ///
    /// # Errors
    /// If the file cannot be looked at.
    pub fn size(&self) -> Result<u64, ProvingError> {
        let Some(log) = &self.log else { return Ok(0) };
        Ok(log.file.metadata().map_err(FileError::new("read", &log.path))?.len())
    }

    /// Runs until the proof is complete, a grid is found, or `stop` says so. `solver` makes a solver of the program
    /// for each thread; `tell` is called about twice a second.
    ///
    /// # Errors
    /// If the file cannot be written, or a search fails; what was written before remains.
    pub fn run<L: Relaxation>(
        &mut self,
        threads: usize,
        solver: impl Fn(&Program) -> L + Sync,
        stop: &(dyn Fn() -> bool + Sync),
        tell: &mut dyn FnMut(ProvingProgress),
    ) -> Result<ProvingEnd, ProvingError> {
        let program = Arc::clone(self.coordinator.program());
        let shared = Mutex::new(SharedProof { proving: self, error: None, running: threads });
        let (shared, changed) = (&shared, &Condvar::new());
        let (program, solver) = (&*program, &solver);
        let ended = |proof: &SharedProof| stop() || proof.error.is_some() || proof.proving.end() != ProvingEnd::Open;
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let worked = panic::catch_quietly(|| {
                        let mut search = ProofSearch::new(program, solver);
                        work(shared, changed, &mut search, threads, &ended, stop);
                    });
                    let mut proof = lock(shared);
                    if let Err(message) = worked {
                        proof.error.get_or_insert(ProvingError::Failed(message));
                    }
                    proof.running -= 1;
                    changed.notify_all();
                });
            }
            let mut proof = lock(shared);
            while proof.running > 0 {
                proof = changed.wait_timeout(proof, PACE).unwrap_or_else(PoisonError::into_inner).0;
                tell(proof.proving.progress());
            }
        });
        if let Some(error) = lock(shared).error.take() {
            return Err(error);
        }
        Ok(self.end())
    }

    /// Estimates what is left by random descents from open units. A grid that one of them meets ends the proof, as
    /// one that a unit finds.
    ///
    /// # Errors
    /// If such a grid cannot be written to the file, or is illegal.
    pub fn estimate<L: Relaxation>(
        &mut self,
        dives: u32,
        solver: impl Fn(&Program) -> L,
        stop: &dyn Fn() -> bool,
    ) -> Result<Estimated, ProvingError> {
        match self.dive(dives, solver, stop) {
            Ok(rest) => Ok(rest.map_or(Estimated::Nothing, Estimated::Rest)),
            Err(moves) => {
                self.record(ProofRecord::Grid(moves.clone()))?;
                Ok(Estimated::Grid(moves))
            }
        }
    }

    /// The estimate, or a grid that was met.
    fn dive<L: Relaxation>(
        &self,
        dives: u32,
        solver: impl Fn(&Program) -> L,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<RestEstimate>, Vec<Move>> {
        let program = self.coordinator.program();
        let units: Vec<&OpenCase> = self.coordinator.tree().open().values().collect();
        if units.is_empty() || matches!(self.end(), ProvingEnd::Grid(_)) {
            return Ok(None);
        }
        let mut search = ProofSearch::new(program, &solver);
        let variant = program.variant();
        let mut rng = rng(DIVE_SEED, &[]);
        let (mut done, mut sums) = (0u32, (0.0, 0.0));
        while done < dives && !stop() {
            let unit = units[rng.random_range(0..units.len())];
            let mut fill = |points: &[Point], conflicts: &mut u64| fill_points(variant, points, conflicts, stop);
            match search.dive(&unit.case, &mut fill, &mut || rng.random(), stop) {
                DiveEnd::Estimate { nodes, shapes } => sums = (sums.0 + nodes, sums.1 + shapes),
                DiveEnd::Grid(moves) => return Err(moves),
                DiveEnd::Stopped => break,
            }
            done += 1;
        }
        let scale = units.len() as f64 / f64::from(done.max(1));
        Ok((done > 0).then_some(RestEstimate { dives: done, nodes: sums.0 * scale, shapes: sums.1 * scale }))
    }

    /// Applies a record and appends it to the file.
    pub(super) fn record(&mut self, record: ProofRecord) -> Result<(), ProvingError> {
        let frame = record.to_frame();
        self.coordinator.apply(record)?;
        self.log.as_mut().map_or(Ok(()), |log| log.append(&frame))
    }

    /// Writes the compressed file beside the other; returns its path and size in bytes, none without a directory.
    ///
    /// # Errors
    /// If the files cannot be read or written.
    pub fn write_certificate(&self) -> Result<Option<(PathBuf, u64)>, ProvingError> {
        let Some(log) = &self.log else { return Ok(None) };
        let bytes = fs::read(&log.path).map_err(FileError::new("read", &log.path))?;
        let packed = pack(&bytes).map_err(|source| ProvingError::Damaged { path: log.path.clone(), source })?;
        let path = log.path.with_file_name(CERTIFICATE);
        replace(&path, &packed, Keep::Durable)?;
        Ok(Some((path, packed.len() as u64)))
    }
}

/// Keeps what a crash, or damage, has left at the end of the file, under a new name.
fn set_aside(directory: &Path, tail: &[u8]) -> Result<(), ProvingError> {
    for number in 1.. {
        let path = directory.join(format!("{PROOF}.cut-{number}"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                let written = file.write_all(tail).and_then(|()| file.sync_all());
                return Ok(written.map_err(FileError::new("write", &path))?);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(FileError::new("create", &path)(error).into()),
        }
    }
    Ok(())
}

/// What the threads of a proof share.
struct SharedProof<'a> {
    proving: &'a mut Proving,
    error: Option<ProvingError>,
    /// Threads that have not ended.
    running: usize,
}

fn lock<'a, 'b>(shared: &'a Mutex<SharedProof<'b>>) -> MutexGuard<'a, SharedProof<'b>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One thread: takes open units, again and again.
fn work<L: Relaxation>(
    shared: &Mutex<SharedProof>,
    changed: &Condvar,
    search: &mut ProofSearch<L>,
    threads: usize,
    ended: &dyn Fn(&SharedProof) -> bool,
    stop: &dyn Fn() -> bool,
) {
    let mut proof = lock(shared);
    while !ended(&proof) {
        let Some(open) = proof.proving.coordinator.next(threads) else {
            proof = changed.wait_timeout(proof, PACE / 10).unwrap_or_else(PoisonError::into_inner).0;
            continue;
        };
        let variant = proof.proving.coordinator.program().variant();
        drop(proof);
        let outcome = ProveOutcome::of(search, variant, &open, stop);
        proof = lock(shared);
        if proof.error.is_some() {
            break;
        }
        let Some(record) = outcome.record(open.unit) else {
            proof.proving.coordinator.give_back(open.unit);
            break;
        };
        if let Err(error) = proof.proving.record(record) {
            proof.error.get_or_insert(error);
        }
        changed.notify_all();
    }
}

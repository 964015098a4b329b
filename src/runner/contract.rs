//! What a session agrees on with its caller: what it may use, which workers it shares, to whom it reports, and how it
//! ends.

use super::archive::KeptFind;
use super::events::{HuntEvent, StopReason};
use super::status::Status;
use crate::jobs::ending::JobEnd;
use crate::jobs::hunt::{Find, Over};
use crate::queue::effort::Efforts;
use crate::queue::{LaneId, Queue, Terms, Unit};
use std::io;
use std::sync::Arc;

/// Is called before each attempt at a unit (unit, attempt). For tests, which may panic in it.
pub type Trap = Arc<dyn Fn(u64, u32) + Send + Sync>;

/// Receives what happens; its errors stop the session.
pub trait HuntListener {
    /// Something happened.
    ///
    /// # Errors
    /// If it cannot be passed on.
    fn event(&mut self, event: &HuntEvent) -> io::Result<()>;

    /// The status, a few times per second.
    ///
    /// # Errors
    /// If it cannot be shown.
    fn status(&mut self, status: &Status) -> io::Result<()>;

    /// The session hands out units from now on, into this lane of the queue.
    fn began(&mut self, _lane: LaneId) {}

    /// Something that a person should know and that stops nothing: a damaged file of which the rest is used, or a
    /// limit of disk that is near.
    fn noticed(&mut self, _text: &str) {}

    /// A new best grid; its event follows.
    fn best(&mut self, _best: &Find) {}

    /// A grid that has gone into the archive.
    fn found(&mut self, _find: &KeptFind) {}

    /// Whose work a unit is that has ended; the event of its end follows.
    fn computed(&mut self, _unit: u64, _efforts: &Efforts) {}

    /// An attempt at a unit has failed.
    fn failed(&mut self, _failure: &FailedAttempt) {}

    /// Whether a checkpoint may be written now. One that is not urgent is put off until it may.
    fn may_save(&self) -> bool {
        true
    }

    /// A checkpoint is about to be written: what was reported until now will not be reported again after a crash.
    ///
    /// # Errors
    /// If what was reported is not yet safe; the checkpoint is not written then.
    fn saving(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An attempt at a unit that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedAttempt {
    /// Number of the unit.
    pub unit: u64,
    /// Attempts so far.
    pub attempts: u32,
    /// What it said.
    pub error: String,
    /// The unit is quarantined: it will not be tried again.
    pub quarantined: bool,
}

/// What a hunt may use.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SessionLimits {
    /// Seconds that it runs, over all its sessions.
    pub seconds: Option<f64>,
    /// Iterations of all its units, over all its sessions.
    pub iterations: Option<u64>,
    /// Bytes of memory of its searches, as estimated from their states.
    pub memory: Option<u64>,
    /// Bytes of disk: of the archive of a hunt, of the files of a solution.
    pub disk: Option<u64>,
}

/// How a hunt's time is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clocking {
    /// From the beginning of the session to its end.
    Wall,
    /// While at least one worker computes a unit of it.
    Busy,
}

/// The workers that a session shares with others, and on which terms. `U` is what its units are.
#[derive(Clone)]
pub struct WorkerShare<U: Unit> {
    /// The queue that the workers take units from.
    pub queue: Arc<dyn Queue<U>>,
    /// On which terms.
    pub terms: Terms,
    /// How time is counted.
    pub clocking: Clocking,
}

/// What may be changed when a hunt is resumed.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Changes {
    /// Number of workers.
    pub workers: Option<u32>,
    /// Seconds after which the hunt ends, counted over all its sessions; `Some(None)` lifts the limit.
    pub time_limit: Option<Option<f64>>,
    /// Score at which the hunt ends; `Some(None)` lifts the target.
    pub target: Option<Option<u32>>,
    /// Smallest score of the grids that are kept; `Some(None)` keeps no more of them.
    pub keep_from: Option<Option<u32>>,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The hunt is over.
    Over(Over),
    /// The hunt can be resumed.
    Stopped(StopReason),
}

impl Ending {
    /// The end of the job, if it is not to be resumed.
    pub fn job_end(self) -> Option<JobEnd> {
        match self {
            Ending::Over(over) => Some(over.into()),
            Ending::Stopped(stopped) => stopped.job_end(),
        }
    }
}

/// What a session leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionReport {
    /// How it ended.
    pub ending: Ending,
    /// How the hunt stands.
    pub status: Status,
}

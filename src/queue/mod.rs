//! The queue between coordinators and workers: units of several jobs go in, outcomes come out.
//!
//! A job opens a *lane* and puts units into it; workers lease them. What every backend owes, and the conformance
//! suite in `tests/conformance` asks of it:
//!
//! - a unit is delivered until it is done, withdrawn or quarantined: at least once;
//! - its outcome is taken exactly once: what a worker brings after its lease is lost is dropped;
//! - units of a higher priority go first, and a running one of a lower priority gives way to them;
//! - lanes of one priority share the workers in proportion to their weights;
//! - a worker that has not been heard of for the time of its lease has lost it, and the unit is delivered again;
//! - a unit that fails (its search panics) does no harm to others, is tried again, and is quarantined
//!   after [`MOST_ATTEMPTS`] attempts.
//!
//! [`local`] is the backend of threads, and [`any`] puts units of several kinds into one queue. A [`local::seat`] is
//! the place of a worker that is no thread of this process: it takes units that are [`Portable`], and [`nats`] sends
//! these to other machines, or [`boinc`] to volunteers. The coordinators need not know where a unit is computed.

pub mod any;
pub mod boinc;
pub mod copies;
pub mod effort;
pub mod local;
pub mod nats;

use copies::UnitCopy;
use crossbeam_channel::Sender;
use effort::Efforts;
use std::sync::Arc;
use std::time::Duration;

/// Failed attempts after which a unit is quarantined.
pub const MOST_ATTEMPTS: u32 = 3;

/// Number of a lane in its queue, never used again.
pub type LaneId = u64;

/// A unit as it is handed out: a description that can be begun any number of times and always comes to the same.
pub trait Unit: Clone + Send + Sync + 'static {
    /// The computation in memory. It is kept while others have the worker, so that a switch costs nothing.
    type Running: Send + 'static;
    /// What it reports while it runs.
    type Report: Send + 'static;
    /// What the unit ends with.
    type Outcome: Send + 'static;

    /// Begins, or continues from what the attempt before has left; `attempt` counts from 1.
    ///
    /// # Errors
    /// If it cannot be continued: this attempt has failed.
    fn begin(&self, attempt: u32) -> Result<Self::Running, String>;

    /// Goes on until it is done, or until [`Lease::stop`] says to stop: then nothing is returned, and the next call
    /// goes on from there.
    fn run(&self, running: &mut Self::Running, lease: &dyn Lease<Self::Report>) -> Option<Self::Outcome>;

    /// The unit as one that another process can compute; `None` if only this process can.
    fn portable(&self) -> Option<&dyn Portable<Self::Report, Self::Outcome>> {
        None
    }
}

/// A unit that another process can compute. `pack`, `ability`, `copy`, `unpack`, `order`, `given_back`, `continues`
/// and `cancelled` are called where the coordinator is, the others where the unit is computed, on the copy that was
/// made there of what [`Portable::pack`] returned.
pub trait Portable<R, O>: Sync {
    /// All that another process needs, from where the attempts before have left the unit. `attempt` counts from 1.
    fn pack(&self, attempt: u32) -> Vec<u8>;

    /// What the program must have been built with that computes it, by name; nothing if every program can.
    fn ability(&self) -> Option<&'static str> {
        None
    }

    /// Which copy it is of a unit on which several have to agree, as long as somebody needs it.
    fn copy(&self) -> Option<&UnitCopy> {
        None
    }

    /// Takes in what the other process says. Nothing that it says is trusted.
    ///
    /// # Errors
    /// What is wrong with it: the process is not to be trusted.
    fn unpack(&self, worker: u32, message: &[u8]) -> Result<Unpacked<R, O>, String>;

    /// What the other process is to be told, if anything has changed since the last call.
    fn order(&self) -> Option<Vec<u8>>;

    /// No process computes the unit any more, and it has not ended.
    fn given_back(&self);

    /// Whether a further attempt goes on from what the one before has said. One that begins anew is not interrupted
    /// for jobs of the same priority.
    fn continues(&self) -> bool {
        true
    }

    /// A report in the form that [`Portable::unpack`] reads.
    fn pack_report(&self, report: R) -> Vec<u8>;

    /// An outcome in the form that [`Portable::unpack`] reads.
    fn pack_outcome(&self, outcome: O) -> Vec<u8>;

    /// What is to be said besides, in the same form: figures of the search, a state that it can continue from. To be
    /// asked every second or so, and when the unit has returned without an outcome.
    fn news(&self) -> Vec<Vec<u8>>;

    /// How much of it is done, from 0 to 1, if that can be said.
    fn fraction(&self) -> Option<f64> {
        None
    }

    /// What it ends with without being computed, if nobody needs it any more.
    fn cancelled(&self) -> Option<O> {
        None
    }

    /// Whether two packed outcomes of the unit, each of which [`Portable::unpack`] has taken, say the same.
    fn agree(&self, one: &[u8], other: &[u8]) -> bool {
        one == other
    }

    /// Carries out an order.
    ///
    /// # Errors
    /// If it is none.
    fn obey(&self, order: &[u8]) -> Result<(), String>;
}

/// What a message of another process means.
#[derive(Debug)]
pub enum Unpacked<R, O> {
    /// The unit reports.
    Report(R),
    /// The unit is done.
    Outcome(O),
    /// The unit has taken it in itself.
    Noted,
    /// It was a state, from which the unit continues wherever it goes next.
    Advanced,
}

/// Why a unit is to return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Others come first; it continues later, in memory.
    Preempted,
    /// Its lane is halted or closed, or the unit was withdrawn: what is to be saved is to be saved now.
    Halted,
}

/// A worker's hold on a unit. `R` is the unit's report.
pub trait Lease<R> {
    /// Number of the worker, from 1.
    fn worker(&self) -> u32;

    /// Renews the lease; whether to return, and why. To be asked every millisecond or so.
    fn stop(&self) -> Option<Stop>;

    /// Reports to the coordinator. Reports arrive before the unit's outcome.
    fn report(&self, report: R);
}

/// What a coordinator hears of its units.
#[derive(Debug)]
pub enum Message<U: Unit> {
    /// A unit reports. It may report the same again after its lease was lost.
    Report {
        /// Number of the unit in its lane.
        unit: u64,
        /// What it reports.
        report: U::Report,
    },
    /// A unit is done; said once.
    Done {
        /// Number of the unit in its lane.
        unit: u64,
        /// Worker that did it, from 1.
        worker: u32,
        /// What it ended with.
        outcome: U::Outcome,
        /// Whose work it is.
        efforts: Efforts,
    },
    /// An attempt at a unit failed.
    Failed {
        /// Number of the unit in its lane.
        unit: u64,
        /// How many have failed.
        attempts: u32,
        /// Text of the panic, or what else went wrong.
        error: String,
        /// The unit is quarantined: it will not be tried again.
        quarantined: bool,
    },
}

/// Where a coordinator hears of the units of its lane.
pub struct Inbox<U: Unit>(Arc<dyn Fn(Message<U>) + Send + Sync>);

impl<U: Unit> Inbox<U> {
    /// One that hands each message to a function.
    pub fn new(take: impl Fn(Message<U>) + Send + Sync + 'static) -> Inbox<U> {
        Inbox(Arc::new(take))
    }

    /// Tells the coordinator something; one that has gone hears nothing.
    pub fn tell(&self, message: Message<U>) {
        (self.0)(message);
    }
}

impl<U: Unit> Clone for Inbox<U> {
    fn clone(&self) -> Inbox<U> {
        Inbox(Arc::clone(&self.0))
    }
}

impl<U: Unit> From<Sender<Message<U>>> for Inbox<U> {
    fn from(sender: Sender<Message<U>>) -> Inbox<U> {
        Inbox::new(move |message| _ = sender.send(message))
    }
}

/// How a lane shares the workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// Lanes of a higher priority go first.
    pub priority: i32,
    /// Share among lanes of one priority, at least 1.
    pub weight: u32,
    /// Most workers at once, if not all.
    pub workers: Option<u32>,
    /// Most of them that are threads of this process, if not all: what they need of its memory may be limited.
    pub threads: Option<u32>,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms { priority: 0, weight: 1, workers: None, threads: None }
    }
}

/// There is no such lane: it was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("lane {0} of the queue is closed")]
pub struct Closed(pub LaneId);

/// How busy a lane is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Activity {
    /// Workers that have a unit of it.
    pub running: u32,
    /// Units that wait for a worker.
    pub waiting: u32,
    /// Those of them that wait for another machine: each machine that is there has computed a copy of them, or is not
    /// trusted, and nobody else computes.
    pub barred: u32,
    /// For how long at least one worker has had a unit of it.
    pub busy: Duration,
}

/// What a worker does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerState {
    /// Number of the worker, from 1.
    pub worker: u32,
    /// Lane and unit, if it has one.
    pub unit: Option<(LaneId, u64)>,
    /// For how long it has had the unit, or been without one.
    pub since: Duration,
}

/// A backend. All calls may come from any thread.
pub trait Queue<U: Unit>: Send + Sync {
    /// Number of workers, at least 1: workers of other machines come and go.
    fn size(&self) -> u32;

    /// How many of them are on other machines.
    fn elsewhere(&self) -> u32 {
        0
    }

    /// How many of them are threads of this process.
    fn threads(&self) -> u32 {
        self.size().saturating_sub(self.elsewhere())
    }

    /// Opens a lane; its messages go to `inbox`.
    fn open(&self, terms: Terms, inbox: Inbox<U>) -> LaneId;

    /// Puts a unit into a lane; a number that the lane has is left as it is.
    ///
    /// # Errors
    /// If the lane is closed.
    fn put(&self, lane: LaneId, unit: u64, body: U) -> Result<(), Closed>;

    /// Takes a unit back: no message comes of it any more. Whether the lane had it.
    fn withdraw(&self, lane: LaneId, unit: u64) -> bool;

    /// Changes the terms of a lane, which take effect at once.
    fn adjust(&self, lane: LaneId, terms: Terms);

    /// Halts a lane: its units are kept, but no worker runs them. Returns when that is so, or when `patience` is
    /// over; whether it is so.
    fn halt(&self, lane: LaneId, patience: Duration) -> bool;

    /// Lets a halted lane continue.
    fn go_on(&self, lane: LaneId);

    /// Closes a lane and forgets its units; running ones are stopped, but not waited for.
    fn close(&self, lane: LaneId);

    /// How busy a lane is; nothing for one that is closed.
    fn activity(&self, lane: LaneId) -> Activity;

    /// What the workers do.
    fn worker_states(&self) -> Vec<WorkerState>;
}

//! A worker's slot: its unit, how it is made to stop, and how it is known to be alive.

use super::seat::GroupId;
use crate::queue::{Inbox, LaneId, Lease, Message, Stop, Unit};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A value of the flag: continue.
pub const RUN: u8 = 0;
/// A value of the flag: look whether others come first.
pub const YIELD: u8 = 1;
/// A value of the flag: return and save.
pub const STOP: u8 = 2;

/// What a worker's thread shares with the others while it runs a unit.
#[derive(Debug, Default)]
pub struct Heartbeat {
    /// [`RUN`], [`YIELD`] or [`STOP`].
    pub flag: AtomicU8,
    /// Counts the polls.
    pub count: AtomicU64,
}

/// A leased unit, as it would be begun again.
#[derive(Debug)]
pub struct HeldUnit<U> {
    /// The unit as the coordinator put it into the queue.
    pub body: U,
    /// Attempts that have failed.
    pub failed: u32,
    /// Workers elsewhere that were lost with it.
    pub lost: u32,
    /// It was withdrawn.
    pub withdrawn: bool,
}

/// Who works in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// A thread of this process.
    Thread,
    /// A worker elsewhere, in a seat of this group: see [`seat`](super::seat).
    Seat(GroupId),
    /// Nobody: the slot waits for another worker elsewhere.
    Nobody,
}

/// The slot of a worker.
#[derive(Debug)]
pub struct WorkerSlot {
    /// Shared with the thread that has the slot now.
    pub heartbeat: Arc<Heartbeat>,
    /// Its lane and unit, if it has one.
    pub unit: Option<(LaneId, u64)>,
    /// When the worker got the unit, or became free.
    pub since: Instant,
    /// Until when its time is counted.
    pub charged: Instant,
    /// Who works there.
    pub holder: Holder,
    /// The count at the last look.
    heard: u64,
    /// For how long the count has been the same.
    silent: Duration,
}

impl WorkerSlot {
    /// Without a unit.
    pub fn new(now: Instant) -> WorkerSlot {
        let heartbeat = Arc::default();
        let (holder, silent) = (Holder::Thread, Duration::ZERO);
        WorkerSlot { heartbeat, unit: None, since: now, charged: now, holder, heard: 0, silent }
    }

    /// Begins with a unit.
    pub fn take(&mut self, lane: LaneId, unit: u64) {
        let now = Instant::now();
        self.unit = Some((lane, unit));
        (self.since, self.charged) = (now, now);
        self.silent = Duration::ZERO;
        self.heartbeat.flag.store(RUN, Ordering::Relaxed);
    }

    /// Ends with it.
    pub fn leave(&mut self) {
        self.unit = None;
        self.since = Instant::now();
    }

    /// A look at the worker, `step` after the last one: whether it has been silent for its lease. Workers elsewhere
    /// are looked after by whoever took their seats.
    pub fn is_lost(&mut self, step: Duration, lease: Duration) -> bool {
        let beat = self.heartbeat.count.load(Ordering::Relaxed);
        let silent = self.holder == Holder::Thread && self.unit.is_some() && beat == self.heard;
        self.heard = beat;
        self.silent = if silent { self.silent + step } else { Duration::ZERO };
        self.silent >= lease
    }
}

/// A worker's hold on a unit.
pub struct Hold<'a, U: Unit> {
    /// The worker, from 1.
    pub worker: u32,
    /// What the worker shares with the others.
    pub heartbeat: &'a Heartbeat,
    /// Number of the unit in its lane.
    pub unit: u64,
    /// Where reports go.
    pub inbox: &'a Inbox<U>,
    /// How often to look whether others come first.
    pub quantum: Duration,
    /// When to look next.
    pub due: Cell<Instant>,
    /// Whether the worker is to leave the unit to others.
    pub gives_way: &'a dyn Fn() -> bool,
}

impl<U: Unit> Lease<U::Report> for Hold<'_, U> {
    fn worker(&self) -> u32 {
        self.worker
    }

    fn stop(&self) -> Option<Stop> {
        self.heartbeat.count.fetch_add(1, Ordering::Relaxed);
        match self.heartbeat.flag.load(Ordering::Relaxed) {
            STOP => return Some(Stop::Halted),
            RUN => {
                let now = Instant::now();
                if now < self.due.get() {
                    return None;
                }
                self.due.set(now + self.quantum);
            }
            _ => {
                let swapped = self.heartbeat.flag.compare_exchange(YIELD, RUN, Ordering::Relaxed, Ordering::Relaxed);
                if swapped == Err(STOP) {
                    return Some(Stop::Halted);
                }
            }
        }
        (self.gives_way)().then_some(Stop::Preempted)
    }

    fn report(&self, report: U::Report) {
        self.inbox.tell(Message::Report { unit: self.unit, report });
    }
}

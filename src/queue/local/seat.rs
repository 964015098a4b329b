//! A seat: the place in the queue of a worker that is no thread of this process.
//!
//! Whoever takes a seat has the units computed elsewhere and passes on what is said there. It never waits: it looks
//! for a unit when it is told that there may be one ([`Local::tell_seats`]), and whether to stop when it likes to.

use super::slot::{Heartbeat, Holder, RUN, STOP, WorkerSlot, YIELD};
use super::{Common, Local, QueuedUnit, Turn};
use crate::queue::effort::Contributor;
use crate::queue::{Inbox, LaneId, Message, Stop, Unit, Unpacked};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// So many workers elsewhere may be lost with a unit before it has come further; then it counts as a failed attempt.
const MOST_LOST: u32 = 5;

impl<U: Unit> Local<U> {
    /// Takes a seat.
    pub fn seat(&self) -> Seat<U> {
        let mut state = self.common.lock();
        let now = Instant::now();
        let at = state.slots.iter().position(|slot| slot.holder == Holder::Nobody).unwrap_or_else(|| {
            state.slots.push(WorkerSlot::new(now));
            state.slots.len() - 1
        });
        state.slots[at] = WorkerSlot::new(now);
        state.slots[at].holder = Holder::Seat;
        let heartbeat = Arc::clone(&state.slots[at].heartbeat);
        Seat { common: Arc::clone(&self.common), at, heartbeat, held: None }
    }

    /// Says what all workers elsewhere can do: units that need something else are not given to seats.
    pub fn set_abilities(&self, abilities: Vec<String>) {
        let mut state = self.common.lock();
        if state.abilities != abilities {
            state.abilities = abilities;
            // Units that waited for threads may be for seats now, or the other way round.
            self.common.work.notify_all();
            state.tell_seats();
        }
    }

    /// Has `tell` called whenever a unit may be there for a seat, or one is to stop. It is called under the queue's
    /// lock: it must return at once and not call the queue.
    pub fn tell_seats(&self, tell: impl Fn() + Send + Sync + 'static) {
        self.common.lock().seats_told = Some(Arc::new(tell));
    }
}

/// A unit in a seat.
struct Seated<U: Unit> {
    lane: LaneId,
    item: QueuedUnit<U>,
    inbox: Inbox<U>,
    /// When it was last looked whether others come first.
    looked: Instant,
    /// Who computes it, once somebody says so, and since when.
    by: Option<(Arc<Contributor>, Instant)>,
    /// When a state was last taken in that others can continue from.
    advanced: Option<Instant>,
}

/// A place for a worker elsewhere. Dropping it gives its unit back.
pub struct Seat<U: Unit> {
    common: Arc<Common<U>>,
    at: usize,
    heartbeat: Arc<Heartbeat>,
    held: Option<Seated<U>>,
}

impl<U: Unit> fmt::Debug for Seat<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seat").field("worker", &self.worker()).finish_non_exhaustive()
    }
}

impl<U: Unit> Seat<U> {
    /// Number of the worker, from 1.
    pub fn worker(&self) -> u32 {
        self.at as u32 + 1
    }

    /// Whether it has no unit.
    pub fn is_free(&self) -> bool {
        self.held.is_none()
    }

    /// Takes a unit if there is one that can be computed elsewhere: what is to be sent there.
    pub fn take(&mut self) -> Option<Vec<u8>> {
        if self.held.is_some() {
            return None;
        }
        let mut state = self.common.lock();
        if state.closing {
            return None;
        }
        let (lane, item) = state.take(self.at, self.common.quantum())?;
        let inbox = state.lanes.get(&lane)?.inbox.clone();
        // Two units may have been put while this seat was the only free one.
        let is_free = |slot: &WorkerSlot| slot.holder == Holder::Seat && slot.unit.is_none();
        if !state.slots.iter().any(is_free)
            && let Some(next) = state.shares.next(self.common.quantum())
        {
            self.common.call(&mut state, next);
        }
        drop(state);
        let packed = item.body.portable().map(|unit| unit.pack(item.failed + 1));
        self.held = Some(Seated { lane, item, inbox, looked: Instant::now(), by: None, advanced: None });
        if packed.is_none() {
            self.give_back();
        }
        packed
    }

    /// Its lane and unit.
    pub fn unit(&self) -> Option<(LaneId, u64)> {
        self.held.as_ref().map(|held| (held.lane, held.item.unit))
    }

    /// Whether the unit is to return, and why. For units of a higher priority it returns at once, for others when it
    /// has run for `slice`.
    pub fn stop(&mut self, slice: Duration) -> Option<Stop> {
        let held = self.held.as_mut()?;
        let flag = &self.heartbeat.flag;
        let asked = match flag.compare_exchange(YIELD, RUN, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => true,
            Err(STOP) => return Some(Stop::Halted),
            Err(_) => false,
        };
        if asked && self.common.is_outranked(self.at) {
            return Some(Stop::Preempted);
        }
        if held.looked.elapsed() < slice {
            return None;
        }
        held.looked = Instant::now();
        self.common.gives_way(self.at, &self.heartbeat).then_some(Stop::Preempted)
    }

    /// What the worker elsewhere is to be told of its unit.
    pub fn order(&self) -> Option<Vec<u8>> {
        self.held.as_ref()?.item.body.portable()?.order()
    }

    /// Says who computes its unit. Time counts from the first call on.
    pub fn computed_by(&mut self, by: &Arc<Contributor>) {
        if let Some(held) = &mut self.held {
            let since = held.by.as_ref().map_or_else(Instant::now, |(_, since)| *since);
            held.by = Some((Arc::clone(by), since));
        }
    }

    /// Takes in what the worker elsewhere says of its unit; whether the seat is free now.
    ///
    /// # Errors
    /// What is wrong with it. The unit is still there.
    pub fn hear(&mut self, message: &[u8]) -> Result<bool, String> {
        let worker = self.worker();
        let Some(held) = &mut self.held else { return Ok(true) };
        let Some(portable) = held.item.body.portable() else { return Ok(false) };
        match portable.unpack(worker, message)? {
            Unpacked::Noted => Ok(false),
            Unpacked::Advanced => {
                held.item.lost = 0;
                held.advanced = Some(Instant::now());
                Ok(false)
            }
            Unpacked::Report(report) => {
                held.inbox.tell(Message::Report { unit: held.item.unit, report });
                Ok(false)
            }
            Unpacked::Outcome(outcome) => {
                self.settle(|_| Turn::Done(outcome));
                Ok(true)
            }
        }
    }

    /// Ends its unit if nobody needs it any more; whether it did.
    pub fn end_cancelled(&mut self) -> bool {
        let cancelled = self.held.as_ref().and_then(|held| held.item.body.portable()?.cancelled());
        let ended = cancelled.is_some();
        if let Some(outcome) = cancelled {
            self.settle(|_| Turn::Done(outcome));
        }
        ended
    }

    /// The attempt at its unit has failed.
    pub fn fail(&mut self, error: String) {
        self.settle(|_| Turn::Failed(error));
    }

    /// The unit returns unfinished, and continues from the state that was last heard of.
    pub fn give_back(&mut self) {
        self.settle(|_| Turn::Returned);
    }

    /// The worker elsewhere is lost: its unit is given to another. A unit with which worker after worker is lost, and
    /// of which no state was heard meanwhile, may be the reason: that counts as a failed attempt.
    pub fn lose(&mut self, whom: &str) {
        self.settle(|item| {
            item.lost += 1;
            if item.lost.is_multiple_of(MOST_LOST) {
                Turn::Failed(format!("{MOST_LOST} workers were lost with it, the last of them {whom}"))
            } else {
                Turn::Returned
            }
        });
    }

    fn settle(&mut self, turn: impl FnOnce(&mut QueuedUnit<U>) -> Turn<U>) {
        let Some(Seated { lane, mut item, by, advanced, .. }) = self.held.take() else { return };
        let turn = turn(&mut item);
        let until = match turn {
            Turn::Done(_) => Some(Instant::now()),
            // Others continue from the last state, so the time until then was of use.
            Turn::Returned => advanced,
            Turn::Stopped(_) | Turn::Failed(_) => None,
        };
        if let (Some((by, since)), Some(until)) = (by, until) {
            item.efforts.add(Some(by), until.saturating_duration_since(since));
        }
        if !matches!(turn, Turn::Done(_))
            && let Some(unit) = item.body.portable()
        {
            unit.given_back();
        }
        let mut state = self.common.lock();
        self.common.settle(&mut state, self.at, lane, item, turn);
    }
}

impl<U: Unit> Drop for Seat<U> {
    fn drop(&mut self) {
        self.give_back();
        let mut state = self.common.lock();
        state.slots[self.at].holder = Holder::Nobody;
        self.common.back.notify_all();
    }
}

//! A seat: the place in the queue of a worker that is no thread of this process.
//!
//! Whoever takes a seat has the units computed elsewhere and passes on what is said there. It never waits: it looks
//! for a unit when it is told that there may be one ([`Local::seat_group`]), and whether to stop when it likes to.
//! Workers that are reached in one way have seats of one [`SeatGroup`]. Several groups can serve a queue.

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

/// Whether there is a machine of which something is true.
pub type HasMachine<'a> = &'a dyn Fn(&dyn Fn(&Contributor) -> bool) -> bool;

/// Number of a group of seats, not used again.
pub type GroupId = u64;

/// A group of seats as the queue knows it.
pub struct GroupState {
    /// Called when a unit may be there for one of them, or one is to stop. It must not call the queue.
    pub tell: Box<dyn Fn() + Send + Sync>,
    /// What all its workers can do that not every program can.
    pub abilities: Vec<String>,
    /// How many seats it has.
    pub seats: usize,
}

impl<U: Unit> Local<U> {
    /// A group of seats, which has none yet. `tell` is called whenever a unit may be there for one of them, or one is
    /// to stop. It is called under the queue's lock: it must return at once and not call the queue.
    pub fn seat_group(&self, tell: impl Fn() + Send + Sync + 'static) -> SeatGroup<U> {
        let mut state = self.common.lock();
        let id = state.next_group;
        state.next_group += 1;
        state.groups.insert(id, GroupState { tell: Box::new(tell), abilities: Vec::new(), seats: 0 });
        SeatGroup { common: Arc::clone(&self.common), id }
    }
}

/// Seats for workers that are reached in one way. Once it is dropped, its seats take no units any more.
pub struct SeatGroup<U: Unit> {
    common: Arc<Common<U>>,
    id: GroupId,
}

impl<U: Unit> fmt::Debug for SeatGroup<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeatGroup").field("id", &self.id).finish_non_exhaustive()
    }
}

impl<U: Unit> SeatGroup<U> {
    /// Takes a seat.
    pub fn seat(&self) -> Seat<U> {
        let mut state = self.common.lock();
        let now = Instant::now();
        let at = state.slots.iter().position(|slot| slot.holder == Holder::Nobody).unwrap_or_else(|| {
            state.slots.push(WorkerSlot::new(now));
            state.slots.len() - 1
        });
        state.slots[at] = WorkerSlot::new(now);
        state.slots[at].holder = Holder::Seat(self.id);
        if let Some(group) = state.groups.get_mut(&self.id) {
            group.seats += 1;
        }
        let heartbeat = Arc::clone(&state.slots[at].heartbeat);
        Seat { common: Arc::clone(&self.common), group: self.id, at, heartbeat, held: None }
    }

    /// Looks which units wait for another machine: those that `is_there` are not to compute them, and neither threads
    /// nor seats of another group can. [`Activity`](crate::queue::Activity) has their number.
    pub fn note_barred(&self, is_there: HasMachine<'_>) {
        let mut state = self.common.lock();
        let is_another = |slot: &WorkerSlot| match slot.holder {
            Holder::Thread => true,
            Holder::Seat(group) => group != self.id,
            Holder::Nobody => false,
        };
        let has_others = state.slots.iter().any(is_another);
        for own in state.lanes.values_mut() {
            let barred = own.ready.iter().filter(|item| !item.is_open(is_there));
            own.barred = if has_others { 0 } else { barred.count() as u32 };
        }
    }

    /// Says what all its workers can do: units that need something else are not given to its seats.
    pub fn set_abilities(&self, abilities: Vec<String>) {
        let mut state = self.common.lock();
        let Some(group) = state.groups.get_mut(&self.id) else { return };
        if group.abilities != abilities {
            group.abilities = abilities;
            // Units that waited for threads may be for seats now, or the other way round.
            self.common.work.notify_all();
            state.tell_seats();
        }
    }
}

impl<U: Unit> Drop for SeatGroup<U> {
    fn drop(&mut self) {
        let mut state = self.common.lock();
        let group = state.groups.remove(&self.id);
        state.lanes.values_mut().for_each(|own| own.barred = 0);
        drop(state);
        // What it calls goes when the lock is free.
        drop(group);
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
    /// For how long, if that is not the time until it ends.
    time: Option<Duration>,
    /// When a state was last taken in that others can continue from.
    advanced: Option<Instant>,
}

/// A place for a worker elsewhere. Dropping it gives its unit back.
pub struct Seat<U: Unit> {
    common: Arc<Common<U>>,
    group: GroupId,
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
        self.take_for(&|_| true)
    }

    /// The same, if one of some machines will compute it. A unit on which several have to agree is not for all.
    pub fn take_for(&mut self, has_machine: HasMachine<'_>) -> Option<Vec<u8>> {
        if self.held.is_some() {
            return None;
        }
        let mut state = self.common.lock();
        if state.closing {
            return None;
        }
        let (lane, item) = state.take(self.at, self.common.quantum(), has_machine)?;
        let inbox = state.lanes.get(&lane)?.inbox.clone();
        // Two units may have been put while this seat was the only free one.
        let is_free = |slot: &WorkerSlot| matches!(slot.holder, Holder::Seat(_)) && slot.unit.is_none();
        if !state.slots.iter().any(is_free)
            && let Some(next) = state.shares.next(self.common.quantum())
        {
            self.common.call(&mut state, next);
        }
        drop(state);
        let packed = item.body.portable().map(|unit| unit.pack(item.failed + 1));
        self.held = Some(Seated { lane, item, inbox, looked: Instant::now(), by: None, time: None, advanced: None });
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
        let by = held.by.as_ref().map(|(by, _)| &**by);
        if asked && self.common.is_outranked(self.at, by) {
            return Some(Stop::Preempted);
        }
        // One that would begin anew elsewhere stays.
        let is_to_stay = held.item.body.portable().is_some_and(|unit| !unit.continues());
        if is_to_stay || held.looked.elapsed() < slice {
            return None;
        }
        held.looked = Instant::now();
        self.common.gives_way(self.at, &self.heartbeat, by).then_some(Stop::Preempted)
    }

    /// What the worker elsewhere is to be told of its unit.
    pub fn order(&self) -> Option<Vec<u8>> {
        self.held.as_ref()?.item.body.portable()?.order()
    }

    /// A machine says that it computes its unit; whether it may, since of a unit on which several have to agree no
    /// machine computes two copies. Otherwise [`Seat::computed_by`] is done.
    pub fn admit(&mut self, by: &Arc<Contributor>) -> bool {
        let copy = self.held.as_ref().and_then(|held| held.item.body.portable()?.copy());
        let may = copy.is_none_or(|copy| copy.admit(by));
        if may {
            self.computed_by(by);
        }
        may
    }

    /// Says who computes its unit. Time counts from the first call on.
    pub fn computed_by(&mut self, by: &Arc<Contributor>) {
        if let Some(held) = &mut self.held {
            let since = held.by.as_ref().map_or_else(Instant::now, |(_, since)| *since);
            held.by = Some((Arc::clone(by), since));
        }
    }

    /// Says who has computed its unit, and for how long.
    pub fn computed_for(&mut self, by: &Arc<Contributor>, time: Duration) {
        self.computed_by(by);
        if let Some(held) = &mut self.held {
            held.time = Some(time);
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
        let Some(Seated { lane, mut item, by, time, advanced, .. }) = self.held.take() else { return };
        let turn = turn(&mut item);
        let until = match turn {
            Turn::Done(_) => Some(Instant::now()),
            // Others continue from the last state, so the time until then was of use.
            Turn::Returned => advanced,
            Turn::Stopped(_) | Turn::Failed(_) => None,
        };
        if let (Some((by, since)), Some(until)) = (by, until) {
            item.efforts.add(Some(by), time.unwrap_or_else(|| until.saturating_duration_since(since)));
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
        if let Some(group) = state.groups.get_mut(&self.group) {
            group.seats -= 1;
        }
        self.common.back.notify_all();
    }
}

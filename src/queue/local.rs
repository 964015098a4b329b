//! The queue of this process: worker threads that lease units from lanes in memory.
//!
//! A worker runs a unit until it is done or until the worker yields, which the worker decides itself. Every
//! [`LocalOptions::quantum`] it takes the lock, counts the time that the lane has used, and looks whether another
//! lane comes first (`fair_share`). A lane of a higher priority, and one that has fallen behind, does not wait for
//! that: putting a unit sets a flag that the worker sees at its next poll. A unit whose worker yields stays in
//! memory.
//!
//! A thread cannot be killed. If a unit has not polled for [`LocalOptions::lease`], its worker loses it and a new
//! thread takes the worker's slot (`slot`). If the old thread comes back, it finds its slot taken and ends.

mod fair_share;
pub mod seat;
mod slot;

use super::effort::{Contributor, Efforts};
use super::{Activity, Closed, Inbox, LaneId, MOST_ATTEMPTS, Message, Queue, Terms, Unit, WorkerState};
use crate::core::panic::panic_text;
use fair_share::{Share, Shares};
use seat::{GroupId, GroupState, HasMachine};
use slot::{Heartbeat, HeldUnit, Hold, Holder, RUN, STOP, WorkerSlot, YIELD};
use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A lane that is this many seconds of pass behind a running one does not wait for the end of its quantum.
const BEHIND: f64 = 0.05;

/// Times of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalOptions {
    /// Time after which a worker looks whether another lane of its priority comes first.
    pub quantum: Duration,
    /// Time without a poll after which a worker has lost its unit.
    pub lease: Duration,
}

impl Default for LocalOptions {
    fn default() -> LocalOptions {
        LocalOptions { quantum: Duration::from_millis(500), lease: Duration::from_secs(120) }
    }
}

/// A unit that waits for a worker.
struct QueuedUnit<U: Unit> {
    unit: u64,
    body: U,
    running: Option<U::Running>,
    /// Attempts that have failed.
    failed: u32,
    /// Workers elsewhere that were lost with it.
    lost: u32,
    /// What was done of it so far and is still used.
    efforts: Efforts,
}

impl<U: Unit> QueuedUnit<U> {
    /// Whether it can be computed elsewhere, by programs with these abilities. One that was begun here is finished
    /// here.
    fn is_portable(&self, abilities: &[String]) -> bool {
        let is_able = |needed: &'static str| abilities.iter().any(|own| own == needed);
        self.running.is_none() && self.body.portable().is_some_and(|unit| unit.ability().is_none_or(is_able))
    }

    /// Whether one of some machines may compute it.
    fn is_open(&self, has_machine: HasMachine<'_>) -> bool {
        let copy = self.body.portable().and_then(|unit| unit.copy());
        copy.is_none_or(|copy| has_machine(&|by| copy.is_open_to(by)))
    }
}

struct LocalLane<U: Unit> {
    inbox: Inbox<U>,
    ready: VecDeque<QueuedUnit<U>>,
    /// Units that workers have.
    held: BTreeMap<u64, HeldUnit<U>>,
    /// Ready units that wait for another machine, as was last looked.
    barred: u32,
    busy: Duration,
    busy_since: Option<Instant>,
}

struct LocalState<U: Unit> {
    lanes: BTreeMap<LaneId, LocalLane<U>>,
    shares: Shares,
    next_lane: LaneId,
    slots: Vec<WorkerSlot>,
    /// Threads that wait for a unit.
    idle: usize,
    /// The groups of seats.
    groups: BTreeMap<GroupId, GroupState>,
    next_group: GroupId,
    closing: bool,
    looked: Instant,
}

struct Common<U: Unit> {
    state: Mutex<LocalState<U>>,
    /// A unit may be there.
    work: Condvar,
    /// A worker has come back from a unit.
    back: Condvar,
    options: LocalOptions,
}

/// Worker threads and their lanes. Dropping it tells the threads to end; they are not waited for.
pub struct Local<U: Unit> {
    common: Arc<Common<U>>,
}

/// A worker thread could not be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot start thread {thread}: {source}")]
pub struct SpawnError {
    /// Number of the worker.
    pub thread: u32,
    /// What the system said.
    pub source: io::Error,
}

impl<U: Unit> Local<U> {
    /// Starts this many workers.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn new(workers: u32, options: LocalOptions) -> Result<Local<U>, SpawnError> {
        let now = Instant::now();
        let state = LocalState {
            lanes: BTreeMap::new(),
            shares: Shares::default(),
            next_lane: 1,
            slots: (0..workers).map(|_| WorkerSlot::new(now)).collect(),
            idle: 0,
            groups: BTreeMap::new(),
            next_group: 1,
            closing: false,
            looked: now,
        };
        let (work, back) = (Condvar::new(), Condvar::new());
        let local = Local { common: Arc::new(Common { state: Mutex::new(state), work, back, options }) };
        for at in 0..workers as usize {
            let heartbeat = Arc::clone(&local.common.lock().slots[at].heartbeat);
            spawn(&local.common, at, heartbeat).map_err(|source| SpawnError { thread: at as u32 + 1, source })?;
        }
        Ok(local)
    }
}

impl<U: Unit> Drop for Local<U> {
    fn drop(&mut self) {
        let mut state = self.common.lock();
        state.closing = true;
        state.slots.iter().for_each(|slot| slot.heartbeat.flag.store(STOP, Ordering::Relaxed));
        drop(state);
        self.common.work.notify_all();
    }
}

fn spawn<U: Unit>(common: &Arc<Common<U>>, at: usize, heartbeat: Arc<Heartbeat>) -> io::Result<()> {
    let common = Arc::clone(common);
    let name = format!("worker {}", at + 1);
    std::thread::Builder::new().name(name).spawn(move || common.work(at, &heartbeat)).map(drop)
}

/// What came of a turn at a unit.
enum Turn<U: Unit> {
    Done(U::Outcome),
    Stopped(U::Running),
    /// It continues, wherever it was, from what it has noted itself.
    Returned,
    Failed(String),
}

impl<U: Unit> Common<U> {
    fn lock(&self) -> MutexGuard<'_, LocalState<U>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn quantum(&self) -> f64 {
        self.options.quantum.as_secs_f64()
    }

    /// The loop of a worker's thread.
    fn work(self: &Arc<Self>, at: usize, heartbeat: &Arc<Heartbeat>) {
        let mut state = self.lock();
        loop {
            if state.closing || !Arc::ptr_eq(&state.slots[at].heartbeat, heartbeat) {
                return;
            }
            self.look_for_lost(&mut state);
            let Some((lane, item)) = state.take(at, self.quantum(), &|_| true) else {
                state.idle += 1;
                // Somebody has to notice workers that are not heard of, also those that come to be at work while this
                // one waits.
                state =
                    self.work.wait_timeout(state, self.options.lease / 4).unwrap_or_else(PoisonError::into_inner).0;
                state.idle -= 1;
                continue;
            };
            let inbox = state.lanes[&lane].inbox.clone();
            // Two units may have been put while this worker was the only one to wait.
            if state.idle == 0
                && let Some(next) = state.shares.next(self.quantum())
            {
                self.call(&mut state, next);
            }
            drop(state);
            let QueuedUnit { unit, body, running, failed, lost, mut efforts } = item;
            let began = Instant::now();
            let quantum = self.options.quantum;
            let gives_way = || self.gives_way(at, heartbeat, None);
            let lease = Hold {
                worker: at as u32 + 1,
                heartbeat,
                unit,
                inbox: &inbox,
                quantum,
                due: Cell::new(began + quantum),
                gives_way: &gives_way,
            };
            let turn = catch_unwind(AssertUnwindSafe(|| {
                let mut running = match running {
                    Some(running) => running,
                    None => match body.begin(failed + 1) {
                        Ok(running) => running,
                        Err(error) => return Turn::Failed(error),
                    },
                };
                match body.run(&mut running, &lease) {
                    Some(outcome) => {
                        // It can be large, and its end is to be no other unit's failure.
                        drop(running);
                        Turn::Done(outcome)
                    }
                    None => Turn::Stopped(running),
                }
            }));
            let turn = turn.unwrap_or_else(|panic| Turn::Failed(panic_text(&*panic)));
            if matches!(turn, Turn::Done(_) | Turn::Stopped(_)) {
                efforts.add(None, began.elapsed());
            }
            state = self.lock();
            if !Arc::ptr_eq(&state.slots[at].heartbeat, heartbeat) {
                return;
            }
            let item = QueuedUnit { unit, body, running: None, failed, lost, efforts };
            self.settle(&mut state, at, lane, item, turn);
        }
    }

    /// Takes in what came of a turn.
    fn settle(&self, state: &mut LocalState<U>, at: usize, lane: LaneId, item: QueuedUnit<U>, turn: Turn<U>) {
        state.charge(at);
        state.slots[at].leave();
        let unit = item.unit;
        if let Some(own) = state.lanes.get_mut(&lane)
            && own.held.remove(&unit).is_some_and(|held| !held.withdrawn)
        {
            match turn {
                Turn::Done(outcome) => {
                    let efforts = item.efforts;
                    own.inbox.tell(Message::Done { unit, worker: at as u32 + 1, outcome, efforts });
                }
                Turn::Stopped(running) => own.ready.push_front(QueuedUnit { running: Some(running), ..item }),
                Turn::Returned => own.ready.push_front(item),
                Turn::Failed(error) => own.fail(item, error),
            }
        }
        state.recount(lane);
        self.back.notify_all();
        if state.idle > 0 {
            self.work.notify_all();
        }
        state.tell_seats();
    }

    /// Takes units from workers that have not been heard of, and replaces these. Time counts only as far as somebody
    /// looks, so that a process that was stopped as a whole finds nobody lost.
    fn look_for_lost(self: &Arc<Self>, state: &mut LocalState<U>) {
        let now = Instant::now();
        let step = self.options.lease / 4;
        if now.duration_since(state.looked) < step {
            return;
        }
        state.looked = now;
        for at in 0..state.slots.len() {
            if !state.slots[at].is_lost(step, self.options.lease) {
                continue;
            }
            let Some((lane, unit)) = state.slots[at].unit else { continue };
            state.charge(at);
            state.slots[at].heartbeat.flag.store(STOP, Ordering::Relaxed);
            state.slots[at] = WorkerSlot::new(now);
            let held = state.lanes.get_mut(&lane).and_then(|own| own.held.remove(&unit).map(|held| (own, held)));
            if let Some((own, HeldUnit { body, failed, lost, withdrawn: false })) = held {
                let error = format!("worker {} was not heard of for {:?}", at + 1, self.options.lease);
                let efforts = Efforts::default();
                own.fail(QueuedUnit { unit, body, running: None, failed, lost, efforts }, error);
            }
            state.recount(lane);
            let heartbeat = Arc::clone(&state.slots[at].heartbeat);
            // Without a thread the slot stays empty; the other workers continue.
            let _ = spawn(self, at, heartbeat);
            self.back.notify_all();
            self.work.notify_all();
        }
    }

    /// Wakes or warns a worker for a lane that has a unit ready.
    fn call(&self, state: &mut LocalState<U>, lane: LaneId) {
        // A thread that waits may not be one for this lane.
        state.tell_seats();
        if state.idle > 0 {
            self.work.notify_one();
            return;
        }
        if state.has_free_seat(lane) {
            return;
        }
        let Some(own) = state.shares.lanes.get(&lane) else { return };
        let (priority, pass) = (own.terms.priority, own.pass);
        let mut last: Option<(usize, i32, f64)> = None;
        for (at, slot) in state.slots.iter().enumerate() {
            let Some((other, _)) = slot.unit else { continue };
            if other == lane || slot.heartbeat.flag.load(Ordering::Relaxed) != RUN {
                continue;
            }
            let Some(share) = state.shares.lanes.get(&other) else { continue };
            let had = share.pass + slot.charged.elapsed().as_secs_f64() / f64::from(share.terms.weight.max(1));
            let comes_first =
                share.terms.priority < priority || share.terms.priority == priority && had > pass + BEHIND;
            let is_later =
                last.is_none_or(|(_, p, h)| share.terms.priority < p || share.terms.priority == p && had > h);
            if comes_first && is_later {
                last = Some((at, share.terms.priority, had));
            }
        }
        if let Some((at, ..)) = last {
            state.slots[at].heartbeat.flag.store(YIELD, Ordering::Relaxed);
        }
    }

    /// Whether the worker, which is of this machine if it is elsewhere, is to leave its unit to others; counts the
    /// time until now.
    fn gives_way(self: &Arc<Self>, at: usize, heartbeat: &Arc<Heartbeat>, by: Option<&Contributor>) -> bool {
        let mut state = self.lock();
        if !Arc::ptr_eq(&state.slots[at].heartbeat, heartbeat) {
            return true;
        }
        self.look_for_lost(&mut state);
        state.charge(at);
        let may = |lane| state.may_take(at, lane, by);
        state.slots[at].unit.is_none_or(|(lane, _)| state.shares.gives_way(lane, self.quantum(), may))
    }

    /// Whether the unit of a worker is to give way at once, and not only when its lane has had its share.
    fn is_outranked(&self, at: usize, by: Option<&Contributor>) -> bool {
        let state = self.lock();
        let may = |lane| state.may_take(at, lane, by);
        state.slots[at].unit.is_none_or(|(lane, _)| state.shares.is_outranked(lane, self.quantum(), may))
    }
}

impl<U: Unit> LocalLane<U> {
    fn fail(&mut self, item: QueuedUnit<U>, error: String) {
        let attempts = item.failed + 1;
        let quarantined = attempts >= MOST_ATTEMPTS;
        let unit = item.unit;
        if !quarantined {
            self.ready.push_front(QueuedUnit { running: None, failed: attempts, ..item });
        }
        self.inbox.tell(Message::Failed { unit, attempts, error, quarantined });
    }

    fn busy(&self) -> Duration {
        self.busy + self.busy_since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

impl<U: Unit> LocalState<U> {
    /// A unit for a worker. If that is elsewhere, it will be one of some machines.
    fn take(&mut self, at: usize, quantum: f64, has_machine: HasMachine<'_>) -> Option<(LaneId, QueuedUnit<U>)> {
        let lane = match self.slots[at].holder {
            Holder::Thread => self.shares.next_of(quantum, |lane| self.has_room_here(lane))?,
            Holder::Seat(group) => self.shares.next_of(quantum, |lane| self.is_portable(lane, group, has_machine))?,
            Holder::Nobody => return None,
        };
        let own = self.lanes.get_mut(&lane)?;
        // What only this process can compute is left to its threads, and comes first there.
        let place = match self.slots[at].holder {
            Holder::Seat(group) => {
                let group = self.groups.get(&group)?;
                own.ready.iter().position(|item| item.is_portable(&group.abilities) && item.is_open(has_machine))?
            }
            _ => {
                let groups: Vec<&GroupState> = self.groups.values().filter(|group| group.seats > 0).collect();
                let is_for_seats =
                    |item: &QueuedUnit<U>| groups.iter().any(|group| item.is_portable(&group.abilities));
                if groups.is_empty() { 0 } else { own.ready.iter().position(|item| !is_for_seats(item)).unwrap_or(0) }
            }
        };
        let item = own.ready.remove(place)?;
        let held = HeldUnit { body: item.body.clone(), failed: item.failed, lost: item.lost, withdrawn: false };
        own.held.insert(item.unit, held);
        self.slots[at].take(lane, item.unit);
        self.recount(lane);
        Some((lane, item))
    }

    /// Whether a unit of a lane is ready that seats of a group can take for one of some machines.
    fn is_portable(&self, lane: LaneId, group: GroupId, has_machine: HasMachine<'_>) -> bool {
        let (Some(own), Some(group)) = (self.lanes.get(&lane), self.groups.get(&group)) else { return false };
        own.ready.iter().any(|item| item.is_portable(&group.abilities) && item.is_open(has_machine))
    }

    /// Whether a worker that has a unit can take one of a lane, which has one ready, instead.
    fn may_take(&self, at: usize, lane: LaneId, by: Option<&Contributor>) -> bool {
        match self.slots[at].holder {
            Holder::Seat(group) => self.is_portable(lane, group, &|is_open| by.is_none_or(is_open)),
            Holder::Thread | Holder::Nobody => true,
        }
    }

    /// Whether a seat is free that can take a unit of a lane.
    fn has_free_seat(&self, lane: LaneId) -> bool {
        let groups = self.groups.iter().filter(|(_, group)| group.seats > 0).map(|(&id, _)| id);
        let able: Vec<GroupId> = groups.filter(|&group| self.is_portable(lane, group, &|_| true)).collect();
        let is_free = |slot: &WorkerSlot| {
            slot.unit.is_none() && matches!(slot.holder, Holder::Seat(group) if able.contains(&group))
        };
        !able.is_empty() && self.slots.iter().any(is_free)
    }

    /// Whether another thread of this process may go to a lane.
    fn has_room_here(&self, lane: LaneId) -> bool {
        let Some(most) = self.shares.lanes.get(&lane).and_then(|share| share.terms.threads) else { return true };
        let is_here =
            |slot: &&WorkerSlot| slot.holder == Holder::Thread && slot.unit.is_some_and(|(of, _)| of == lane);
        self.slots.iter().filter(is_here).count() < most as usize
    }

    /// Tells workers elsewhere that something may have changed for them.
    fn tell_seats(&self) {
        self.groups.values().for_each(|group| (group.tell)());
    }

    /// Counts the time that the worker has had since it was last counted.
    fn charge(&mut self, at: usize) {
        let now = Instant::now();
        let slot = &mut self.slots[at];
        let seconds = now.duration_since(slot.charged).as_secs_f64();
        slot.charged = now;
        if let Some((lane, _)) = slot.unit {
            self.shares.charge(lane, seconds);
        }
    }

    /// Brings a lane's share up to its units.
    fn recount(&mut self, lane: LaneId) {
        let (Some(own), Some(share)) = (self.lanes.get_mut(&lane), self.shares.lanes.get_mut(&lane)) else { return };
        share.ready = own.ready.len();
        share.running = own.held.len();
        match (own.busy_since, share.running) {
            (None, 1..) => own.busy_since = Some(Instant::now()),
            (Some(since), 0) => {
                own.busy += since.elapsed();
                own.busy_since = None;
            }
            _ => {}
        }
    }

    /// Tells the workers at units of a lane to return.
    fn stop(&self, lane: LaneId, only: Option<u64>) {
        for slot in &self.slots {
            if slot.unit.is_some_and(|(of, unit)| of == lane && only.is_none_or(|only| only == unit)) {
                slot.heartbeat.flag.store(STOP, Ordering::Relaxed);
            }
        }
        self.tell_seats();
    }
}

impl<U: Unit> Queue<U> for Local<U> {
    fn size(&self) -> u32 {
        let state = self.common.lock();
        state.slots.iter().filter(|slot| slot.holder != Holder::Nobody).count().max(1) as u32
    }

    fn elsewhere(&self) -> u32 {
        self.common.lock().groups.values().map(|group| group.seats as u32).sum()
    }

    fn threads(&self) -> u32 {
        self.common.lock().slots.iter().filter(|slot| slot.holder == Holder::Thread).count() as u32
    }

    fn open(&self, terms: Terms, inbox: Inbox<U>) -> LaneId {
        let mut state = self.common.lock();
        let id = state.next_lane;
        state.next_lane += 1;
        let lane = LocalLane {
            inbox,
            ready: VecDeque::new(),
            held: BTreeMap::new(),
            barred: 0,
            busy: Duration::ZERO,
            busy_since: None,
        };
        state.lanes.insert(id, lane);
        state.shares.lanes.insert(id, Share::new(terms));
        id
    }

    fn put(&self, lane: LaneId, unit: u64, body: U) -> Result<(), Closed> {
        let mut state = self.common.lock();
        let Some(own) = state.lanes.get_mut(&lane) else { return Err(Closed(lane)) };
        if own.held.contains_key(&unit) || own.ready.iter().any(|item| item.unit == unit) {
            return Ok(());
        }
        let was_idle = own.ready.is_empty() && own.held.is_empty();
        let efforts = Efforts::default();
        own.ready.push_back(QueuedUnit { unit, body, running: None, failed: 0, lost: 0, efforts });
        if was_idle {
            state.shares.wake(lane);
        }
        state.recount(lane);
        self.common.call(&mut state, lane);
        Ok(())
    }

    fn withdraw(&self, lane: LaneId, unit: u64) -> bool {
        let mut state = self.common.lock();
        let Some(own) = state.lanes.get_mut(&lane) else { return false };
        let waiting = own.ready.len();
        own.ready.retain(|item| item.unit != unit);
        let mut had = own.ready.len() < waiting;
        if let Some(held) = own.held.get_mut(&unit) {
            had |= !std::mem::replace(&mut held.withdrawn, true);
        }
        state.stop(lane, Some(unit));
        state.recount(lane);
        had
    }

    fn adjust(&self, lane: LaneId, terms: Terms) {
        let mut state = self.common.lock();
        let Some(share) = state.shares.lanes.get_mut(&lane) else { return };
        let before = std::mem::replace(&mut share.terms, terms);
        if before.priority != terms.priority {
            state.shares.wake(lane);
        }
        // All look anew who comes first.
        for slot in state.slots.iter().filter(|slot| slot.unit.is_some()) {
            let _ = slot.heartbeat.flag.compare_exchange(RUN, YIELD, Ordering::Relaxed, Ordering::Relaxed);
        }
        self.common.work.notify_all();
        state.tell_seats();
    }

    fn halt(&self, lane: LaneId, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut state = self.common.lock();
        if let Some(share) = state.shares.lanes.get_mut(&lane) {
            share.halted = true;
        }
        state.stop(lane, None);
        loop {
            if state.lanes.get(&lane).is_none_or(|own| own.held.is_empty()) {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.common.back.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn go_on(&self, lane: LaneId) {
        let mut state = self.common.lock();
        state.shares.wake(lane);
        let Some(share) = state.shares.lanes.get_mut(&lane) else { return };
        share.halted = false;
        for _ in 0..share.ready {
            self.common.call(&mut state, lane);
        }
        self.common.work.notify_all();
        state.tell_seats();
    }

    fn close(&self, lane: LaneId) {
        let mut state = self.common.lock();
        state.stop(lane, None);
        let closed = state.lanes.remove(&lane);
        state.shares.lanes.remove(&lane);
        drop(state);
        // Searches can be large: they go outside of the lock.
        drop(closed);
        self.common.back.notify_all();
    }

    fn activity(&self, lane: LaneId) -> Activity {
        let state = self.common.lock();
        state.lanes.get(&lane).map_or_else(Activity::default, |own| Activity {
            running: own.held.len() as u32,
            waiting: own.ready.len() as u32,
            barred: own.barred,
            busy: own.busy(),
        })
    }

    fn worker_states(&self) -> Vec<WorkerState> {
        let state = self.common.lock();
        let worker_state =
            |(worker, slot): (u32, &WorkerSlot)| WorkerState { worker, unit: slot.unit, since: slot.since.elapsed() };
        let all = (1..).zip(&state.slots).filter(|(_, slot)| slot.holder != Holder::Nobody);
        all.map(worker_state).collect()
    }
}

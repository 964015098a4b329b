//! The main thread of a solution while its solvers search units.

use super::solver::{SearchState, UnitControl};
use super::unit::{BEYOND, SearchReply, SearchThread, Ticket, TreeUnit, UnitPlace};
use super::{CreditedSolver, EndedSearch, SolveEnding, SolveListener, SolveSession, TreeError};
use crate::core::game::Game;
use crate::jobs::tree::coordinator::{Effects, Next, UnitEnd, UnitOrder};
use crate::jobs::tree::credit::{Spent, Worker, WorkerId, total};
use crate::jobs::tree::record::TreeEvent;
use crate::jobs::tree::settings::Window;
use crate::jobs::tree::unit::{UnitId, UnitOutcome};
use crate::queue::copies::{MachineName, UnitCopies, UnitCopy};
use crate::queue::effort::Efforts;
use crate::queue::{Message, Terms};
use crate::runner::contract::{SessionLimits, WorkerShare};
use crate::runner::events::StopReason;
use crate::runner::main_loop::{Due, LOOK, LoopedSession, SHOW, SessionLane, run_loop};
use crate::runner::orders::{Interrupt, OrderReceiver};
use crate::runner::progress::{Progress, RateMeter, RunningUnit};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What the name of a worker begins with that is a machine.
const MACHINE: &str = "machine ";

/// A solver as the main thread sees it: whose credit it earns, its thread, and whether it has a unit.
struct SolverSlot<G> {
    worker: WorkerId,
    thread: Arc<SearchThread<G>>,
    busy: bool,
}

/// A unit that a solver has.
struct UnitInHand {
    slot: usize,
    unit: UnitId,
    window: Window,
    control: Arc<UnitControl>,
    /// Which copy it is, if several have to agree and machines may compute it.
    copy: Option<UnitCopy>,
}

/// A session while its lane is open.
struct Solving<'a, 'b, G: Game + Send + Sync + 'static> {
    session: SolveSession<'a, G>,
    observer: &'b mut dyn SolveListener<G>,
    lane: SessionLane<TreeUnit<G>>,
    slots: Vec<SolverSlot<G>>,
    in_hand: BTreeMap<Ticket, UnitInHand>,
    /// What solvers have said and the coordinator has not taken in.
    ended: Vec<UnitEnd>,
    /// Their copies, if they have some.
    left: Vec<(UnitId, UnitCopy)>,
    /// The copies of units on which several have to agree.
    copies: BTreeMap<UnitId, Arc<UnitCopies>>,
    next_ticket: Ticket,
    /// Units that the queue may still have under their own numbers, although they were withdrawn.
    withdrawn: BTreeSet<UnitId>,
    /// The part of the tree that is to be there before the next units is not yet made.
    growing: bool,
    elapsed: Box<dyn Fn() -> Duration + Send>,
    shown: Due,
    saved: Due,
    rate: RateMeter,
}

impl<G: Game + Send + Sync + 'static> SolveSession<'_, G> {
    /// Works until the question is answered, a limit is reached, or somebody says to stop. The state is saved before
    /// this returns, with an error too as far as the disk allows.
    ///
    /// # Errors
    /// A file that cannot be written, a listener that fails, no memory, or workers that nobody trusts.
    pub fn run_on(
        self,
        place: &WorkerShare<TreeUnit<G>>,
        interrupt: &Interrupt,
        ordered: &OrderReceiver,
        observer: &mut dyn SolveListener<G>,
    ) -> Result<SolveEnding, TreeError> {
        let lane = SessionLane::open(place);
        observer.began(lane.id);
        let mut solving = Solving {
            shown: Due::at_once(SHOW),
            saved: Due::every(self.pace),
            session: self,
            observer,
            elapsed: lane.stopwatch(),
            lane,
            slots: Vec::new(),
            in_hand: BTreeMap::new(),
            ended: Vec::new(),
            left: Vec::new(),
            copies: BTreeMap::new(),
            next_ticket: BEYOND,
            withdrawn: BTreeSet::new(),
            growing: false,
            rate: RateMeter::new(0),
        };
        solving.rate.restart(solving.iterations());
        let ended = solving.run(interrupt, ordered);
        // However it ended, no solver has a unit any more, and what was spent is counted.
        let halted = solving.halt();
        let left = solving.give_up();
        let ended = ended?;
        halted.and(left)?;
        solving.checkpoint()?;
        solving.show()?;
        Ok(ended)
    }
}

impl<G: Game + Send + Sync + 'static> Solving<'_, '_, G> {
    fn run(&mut self, interrupt: &Interrupt, ordered: &OrderReceiver) -> Result<SolveEnding, TreeError> {
        self.check_disk()?;
        self.engage_solvers()?;
        run_loop(self, interrupt, ordered)
    }

    /// How many solvers there are to be. Each has a table here when a thread of this process searches its units;
    /// those whose units other machines search have none.
    fn size(&mut self) -> Result<usize, TreeError> {
        let elsewhere = if self.session.elsewhere.is_some() { self.lane.queue.elsewhere() } else { 0 };
        let most = self.lane.workers();
        let wanted = (most - (elsewhere as usize).min(most)).max(self.session.members);
        let state = self.session.coordinator.state();
        let (each, least) = (self.session.memory_each.max(1), u64::from(state.settings().quorum));
        let mut fit = (self.session.tables / each).max(least);
        if let Some(limit) = self.session.limits.memory {
            let tree = state.memory();
            fit = fit.min(limit.saturating_sub(tree) / each);
            if fit < least {
                let needed = least.saturating_mul(each).saturating_add(tree);
                return Err(TreeError::Memory { needed, limit });
            }
        }
        let here = wanted.min(usize::try_from(fit).unwrap_or(usize::MAX));
        let threads = (elsewhere > 0).then_some(here as u32);
        if self.lane.terms.threads != threads {
            self.lane.adjust(Terms { threads, ..self.lane.terms });
        }
        Ok((here + elsewhere as usize).min(most.max(self.session.members)))
    }

    /// Brings the number of solvers to what it is to be: new ones come, and idle ones that are too many go.
    fn engage_solvers(&mut self) -> Result<(), TreeError> {
        let size = self.size()?;
        while self.slots.len() < size {
            let CreditedSolver { user, name, factory } = (self.session.factory)(self.slots.len());
            let worker = self.session.coordinator.join(&user, &name)?;
            self.slots.push(SolverSlot { worker, thread: Arc::new(SearchThread::new(factory)), busy: false });
        }
        while self.slots.len() > size
            && let Some(slot) = self.slots.pop_if(|slot| !slot.busy)
        {
            self.session.coordinator.leave(slot.worker)?;
        }
        Ok(())
    }

    /// Makes the part of the tree that is to be there before the next units, for as long as nobody need look; whether
    /// it is there.
    fn grow(&mut self) -> Result<bool, TreeError> {
        self.engage_solvers()?;
        if self.lane.course.draining {
            return Ok(true);
        }
        let began = Instant::now();
        let mut stop = || began.elapsed() >= LOOK;
        let coordinator = &mut self.session.coordinator;
        if coordinator.is_growing() {
            if !coordinator.grow(&mut stop)? {
                return Ok(false);
            }
            self.checkpoint()?;
        }
        let is_done = self.session.coordinator.widen(&mut stop)?;
        self.keep()?;
        Ok(is_done)
    }

    /// Gives every idle solver a unit, as far as there are any.
    fn hand_out(&mut self) -> Result<(), TreeError> {
        let size = if self.lane.course.draining { 0 } else { self.size()? };
        let mut ready = Vec::new();
        for (at, slot) in self.slots.iter_mut().enumerate().take(size).filter(|(_, slot)| !slot.busy) {
            if let Next::Unit(work) = self.session.coordinator.next(slot.worker)? {
                slot.busy = true;
                ready.push((at, work));
            }
        }
        self.keep()?;
        for (at, work) in ready {
            let control = Arc::new(UnitControl::new(work.window, work.budget));
            if let Some(state) = self.session.searches.of(work.unit).filter(|_| !work.alone) {
                control.continue_from(state);
            }
            let mut ticket = work.unit;
            if self.in_hand.contains_key(&ticket) || self.withdrawn.contains(&ticket) {
                ticket = self.next_ticket;
                self.next_ticket += 1;
            }
            let copy = self.copy_of(work.unit, ticket);
            let (unit, window, own) = (work.unit, work.window, Arc::clone(&control));
            self.in_hand.insert(ticket, UnitInHand { slot: at, unit, window, control: own, copy: copy.clone() });
            let trap = self.session.trap.as_ref().map(Arc::clone);
            let thread = Arc::clone(&self.slots[at].thread);
            let place = self.session.elsewhere.clone().map_or(UnitPlace::HereOnly, UnitPlace::Anywhere);
            let unit = TreeUnit::new(*work, control, thread, trap, place).with_copy(copy);
            self.lane.put(ticket, unit).map_err(|_| TreeError::NoWorkers)?;
        }
        Ok(())
    }

    /// A copy of a unit, if several have to agree and machines may compute it.
    fn copy_of(&mut self, unit: UnitId, ticket: Ticket) -> Option<UnitCopy> {
        if self.session.elsewhere.is_none() || self.session.coordinator.state().settings().quorum < 2 {
            return None;
        }
        let copies = Arc::clone(self.copies.entry(unit).or_default());
        self.bar(unit);
        Some(UnitCopy::new(copies, ticket))
    }

    /// Notes which machines may compute no copy of a unit: those that had their say on it, or are not trusted.
    fn bar(&self, unit: UnitId) {
        let Some(copies) = self.copies.get(&unit) else { return };
        let state = self.session.coordinator.state();
        let open = state.units().get(&unit);
        let barred = (0..).zip(state.workers()).filter_map(|(id, Worker { user, name, distrusted, .. })| {
            let machine = name.strip_prefix(MACHINE)?.to_owned();
            let is_out = *distrusted || open.is_some_and(|unit| unit.knows(id));
            is_out.then(|| MachineName { user: user.clone(), machine })
        });
        copies.bar(barred.collect());
    }

    /// The coordinator takes in what solvers have said.
    fn absorb(&mut self) -> Result<(), TreeError> {
        self.session.coordinator.absorb_all(std::mem::take(&mut self.ended))?;
        for (unit, copy) in std::mem::take(&mut self.left) {
            // In this order: meanwhile the machine gets no other copy.
            self.bar(unit);
            copy.leave();
        }
        Ok(())
    }

    /// Takes the states of searches that are due, and writes them.
    fn save_searches(&mut self) -> Result<(), TreeError> {
        let searches = &mut self.session.searches;
        let open = self.session.coordinator.state().units();
        searches.retain(|unit| open.contains_key(&unit));
        for UnitInHand { unit, control, .. } in self.in_hand.values() {
            if control.is_save_due() {
                control.save();
            }
            if let Some(state) = control.state() {
                searches.note(*unit, state);
            }
        }
        Ok(searches.write()?)
    }

    fn note_ended(
        &mut self,
        held: &UnitInHand,
        window: Window,
        outcome: UnitOutcome,
        spent: Spent,
        efforts: Efforts,
    ) -> Result<(), TreeError> {
        let slot = &mut self.slots[held.slot];
        slot.busy = false;
        let (unit, given) = (held.unit, slot.worker);
        let is_answer = matches!(outcome, UnitOutcome::Answered { .. } | UnitOutcome::Exhausted);
        // A machine answers in its own name, so that no two of its workers confirm each other.
        let worker = match held.copy.as_ref().and_then(UnitCopy::machine).filter(|_| is_answer) {
            Some(MachineName { user, machine }) => {
                self.session.coordinator.know(&user, &format!("{MACHINE}{machine}"))?
            }
            None => given,
        };
        self.observer.ended(&EndedSearch { unit, worker, outcome, spent, efforts });
        self.ended.push(UnitEnd { worker: given, by: worker, unit, window, outcome, spent });
        self.left.extend(held.copy.clone().map(|copy| (unit, copy)));
        Ok(())
    }

    /// Passes cancellations and new windows on to the solvers, and events to the listener.
    fn pass_on(&mut self) -> Result<(), TreeError> {
        // What is reported is safe before.
        self.keep()?;
        let Effects { events, orders } = self.session.coordinator.take_effects();
        for (worker, unit, order) in orders {
            // One whose outcome is on its way is beyond orders.
            let held = self.in_hand.values().find(|h| h.unit == unit && self.slots[h.slot].worker == worker);
            let Some(held) = held else { continue };
            match order {
                UnitOrder::Cancel => held.control.cancel(),
                UnitOrder::Window(window) => held.control.set_window(window),
            }
        }
        self.bar_after(&events);
        let seconds = self.seconds();
        for event in events {
            let told = self.observer.event(self.session.coordinator.state(), &event, seconds);
            told.map_err(TreeError::Observer)?;
        }
        Ok(())
    }

    /// Brings up to date which machines may compute copies.
    fn bar_after(&mut self, events: &[TreeEvent]) {
        for event in events {
            match *event {
                // Whoever has answered for another window may be asked again.
                TreeEvent::Window { unit, .. } => self.bar(unit),
                TreeEvent::Closed { unit } | TreeEvent::Absorbed { unit, .. } => _ = self.copies.remove(&unit),
                TreeEvent::Distrusted { .. } => self.copies.keys().for_each(|&unit| self.bar(unit)),
                _ => {}
            }
        }
    }

    /// Gives back the units that solvers have; what they spent is counted.
    fn give_up(&mut self) -> Result<(), TreeError> {
        self.save_searches()?;
        // It is counted here. Before that, since a crash between had better lose a count than count twice.
        for held in self.in_hand.values() {
            if let Some(state) = held.control.state() {
                let paid = SearchState { unpaid: Spent::default(), ..SearchState::clone(&state) };
                self.session.searches.note(held.unit, Arc::new(paid));
            }
        }
        self.session.searches.write()?;
        for held in std::mem::take(&mut self.in_hand).into_values() {
            held.control.cancel();
            let spent = held.control.spent();
            self.note_ended(&held, held.window, UnitOutcome::Stopped, spent, Efforts::default())?;
        }
        self.absorb()?;
        self.pass_on()
    }

    /// Stores what has changed.
    fn keep(&mut self) -> Result<(), TreeError> {
        let records = self.session.coordinator.take_records();
        match &mut self.session.store {
            Some(store) => Ok(store.append(&records)?),
            None => Ok(()),
        }
    }

    /// Saves for how long it has run. Everything else is in the file already; when that has become long, a checkpoint
    /// is taken.
    fn save(&mut self) -> Result<(), TreeError> {
        self.check_disk()?;
        self.save_searches()?;
        if self.session.store.as_ref().is_some_and(|store| store.is_long()) {
            return self.checkpoint();
        }
        self.keep()?;
        let progress = self.progress();
        self.tell_saving(&progress)?;
        if let Some(store) = &mut self.session.store {
            store.note_seconds(progress.seconds)?;
        }
        Ok(())
    }

    fn check_disk(&self) -> Result<(), TreeError> {
        let (Some(limit), Some(store)) = (self.session.limits.disk, &self.session.store) else { return Ok(()) };
        let taken = store.size()?;
        if taken > limit { Err(TreeError::Disk { taken, limit }) } else { Ok(()) }
    }

    fn tell_saving(&mut self, progress: &Progress) -> Result<(), TreeError> {
        self.saved.restart();
        self.observer.saving(self.session.coordinator.state(), progress).map_err(TreeError::Observer)
    }

    fn checkpoint(&mut self) -> Result<(), TreeError> {
        self.keep()?;
        let progress = self.progress();
        self.tell_saving(&progress)?;
        if let Some(store) = &mut self.session.store {
            store.checkpoint(self.session.coordinator.state_mut(), progress.seconds)?;
        }
        Ok(())
    }

    fn show(&mut self) -> Result<(), TreeError> {
        let progress = self.progress();
        self.observer.progress(self.session.coordinator.state(), &progress).map_err(TreeError::Observer)
    }

    fn progress(&mut self) -> Progress {
        let running = self.in_hand.iter().map(|(&ticket, held)| {
            let iterations = held.control.nodes();
            RunningUnit { worker: None, ticket, unit: held.unit, iterations, best: 0, phase: None }
        });
        let running = running.collect();
        let iterations = self.iterations();
        Progress {
            seconds: self.seconds(),
            iterations,
            rate: self.rate.rate(iterations),
            units_done: self.session.coordinator.state().units_settled(),
            units_stalled: 0,
            best: 0,
            running,
        }
    }
}

impl<G: Game + Send + Sync + 'static> LoopedSession for Solving<'_, '_, G> {
    type Unit = TreeUnit<G>;
    type Ending = SolveEnding;
    type Error = TreeError;

    fn stopped(reason: StopReason) -> SolveEnding {
        SolveEnding::Stopped(reason)
    }

    fn no_workers() -> TreeError {
        TreeError::NoWorkers
    }

    fn lane(&mut self) -> &mut SessionLane<TreeUnit<G>> {
        &mut self.lane
    }

    fn limits(&self) -> SessionLimits {
        self.session.limits
    }

    /// Nodes of all units, the running ones included.
    fn iterations(&self) -> u64 {
        let done = total(self.session.coordinator.state().workers()).all().nodes;
        self.in_hand.values().fold(done, |sum, held| sum.saturating_add(held.control.spent().nodes))
    }

    fn seconds(&self) -> f64 {
        self.session.before + (self.elapsed)().as_secs_f64()
    }
    fn advance(&mut self) -> Result<Option<SolveEnding>, TreeError> {
        self.growing = false;
        if !self.lane.course.paused {
            self.growing = !self.grow()?;
            if !self.growing {
                self.hand_out()?;
            }
        }
        self.pass_on()?;
        if self.session.coordinator.state().is_finished() {
            return Ok(Some(SolveEnding::Solved));
        }
        if self.in_hand.is_empty() && !self.lane.course.paused {
            if self.lane.course.draining {
                return Ok(Some(SolveEnding::Stopped(StopReason::Drained)));
            }
            if !self.growing {
                let workers = self.session.coordinator.state().workers();
                let trusted = workers.iter().filter(|worker| !worker.distrusted).count();
                return Err(TreeError::Stuck { trusted, workers: workers.len() });
            }
        }
        Ok(None)
    }

    fn wait(&self) -> Duration {
        if self.growing { Duration::ZERO } else { LOOK }
    }

    fn hear(&mut self, message: Message<TreeUnit<G>>) -> Result<(), TreeError> {
        match message {
            Message::Report { .. } => Ok(()),
            Message::Done { outcome: SearchReply::NoTable(error), .. } => Err(error.into()),
            Message::Done { outcome: SearchReply::NoThread(error), .. } => Err(TreeError::Thread(error)),
            Message::Done {
                unit: ticket, outcome: SearchReply::Answered { answer, spent, error }, efforts, ..
            } => {
                let Some(held) = self.in_hand.remove(&ticket) else { return Ok(()) };
                if let Some(error) = error {
                    self.observer.failed(held.unit, &error);
                }
                self.note_ended(&held, answer.window, answer.outcome, spent, efforts)
            }
            Message::Failed { unit: ticket, error, .. } => {
                // The coordinator decides whether it is tried again, and its solver may still be caught in it.
                self.lane.queue.withdraw(self.lane.id, ticket);
                let Some(held) = self.in_hand.remove(&ticket) else { return Ok(()) };
                self.withdrawn.insert(held.unit);
                held.control.cancel();
                self.slots[held.slot].thread = Arc::new(SearchThread::new((self.session.factory)(held.slot).factory));
                self.observer.failed(held.unit, &error);
                let spent = held.control.spent();
                self.note_ended(&held, held.window, UnitOutcome::Failed, spent, Efforts::default())
            }
        }
    }

    /// The coordinator takes in what all of them say.
    fn drain(&mut self) -> Result<(), TreeError> {
        while let Some(message) = self.lane.message() {
            self.hear(message)?;
        }
        self.absorb()
    }

    fn paused(&mut self) -> Result<(), TreeError> {
        self.pass_on()?;
        self.checkpoint()?;
        self.show()
    }

    fn resumed(&mut self) {
        self.rate.restart(self.iterations());
    }

    fn adjusted(&mut self, limits: SessionLimits) -> Result<(), TreeError> {
        self.session.limits = limits;
        self.engage_solvers()
    }

    fn keep_up(&mut self) -> Result<(), TreeError> {
        if let Some(store) = &mut self.session.store {
            store.flush_in_time()?;
        }
        if self.saved.is_due() && self.observer.may_save() {
            self.save()?;
        }
        if self.shown.is_due() {
            self.shown.restart();
            self.show()?;
        }
        Ok(())
    }
}

//! What searches the units of a solution, one after the other, and how it is controlled meanwhile: it can be paused,
//! cancelled, or given another window.

use crate::core::game::Game;
use crate::jobs::tree::coordinator::LeafUnit;
use crate::jobs::tree::credit::Spent;
use crate::jobs::tree::settings::{TreeSettings, Window};
use crate::jobs::tree::unit::UnitOutcome;
use crate::runner::cpu::thread_seconds;
use crate::runner::pause_point::PausePoint;
use crate::solvers::busy::Busy;
use crate::solvers::monitor::{Monitor, Stopped};
use crate::solvers::solve::{Engine, EngineError};
use crate::solvers::table::{RECORD_BYTES, Table, TableError};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Most records of its table that a state of a search has.
pub const MOST_RECORDS: usize = 4096;
/// Time until the first state of a search is taken, and the most from one to the next. Between these it is half of
/// the time that the search has run.
const SAVE: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(60));

/// Most records that wait for a table to be made.
const MOST_LEARNED: usize = 1 << 15;

/// Time after which another machine is told once more what it has not said that it knows.
pub const TELL_AGAIN: Duration = Duration::from_secs(2);

/// How far the search of a unit has come: another search continues from it, and so does one on another machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchState {
    /// Nodes that the unit has taken.
    pub nodes: u64,
    /// What of it has not been credited to a solver.
    pub unpaid: Spent,
    /// The records of its table that took most effort ([`Table::extract`]).
    pub table: Vec<u8>,
}

impl SearchState {
    /// Whether it can be one, as far as that can be seen.
    pub fn is_plausible(&self) -> bool {
        self.table.len().is_multiple_of(RECORD_BYTES)
            && self.table.len() <= MOST_RECORDS * RECORD_BYTES
            && self.unpaid.nodes <= self.nodes
    }
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The processor time of a unit, kept by the thread that searches it.
#[derive(Debug, Default)]
struct Clock {
    /// Of the thread when the unit began, and of the unit, in millionths of a second.
    began: AtomicU64,
    spent: AtomicU64,
}

impl Clock {
    fn of_thread() -> u64 {
        (thread_seconds().unwrap_or(0.0) * 1e6) as u64
    }

    fn start(&self) {
        self.began.store(Clock::of_thread(), Ordering::Relaxed);
    }

    fn read(&self) {
        let spent = Clock::of_thread().saturating_sub(self.began.load(Ordering::Relaxed));
        self.spent.store(spent, Ordering::Relaxed);
    }
}

/// How the search of a unit is controlled and observed from other threads.
#[derive(Debug)]
pub struct UnitControl {
    monitor: Monitor,
    /// The windows that were asked for; the last one is needed now.
    windows: Mutex<Vec<Window>>,
    cancelled: AtomicBool,
    /// Another machine has not said yet that it knows that it was cancelled, or has another window.
    changed: AtomicBool,
    /// When it was last told so.
    told: Mutex<Option<Instant>>,
    pause_point: Arc<PausePoint>,
    clock: Arc<Clock>,
    /// What the search begins with.
    begins: Mutex<Option<Arc<SearchState>>>,
    /// The last state of it.
    saved: Mutex<Option<Arc<SearchState>>>,
    /// The table of the search, while that runs here and may be continued elsewhere.
    table: Mutex<Option<Arc<Table>>>,
    /// When the search began, and when its state was last taken.
    times: Mutex<(Instant, Instant)>,
    is_held: AtomicBool,
}

impl UnitControl {
    /// For a unit with this window and budget.
    pub fn new(window: Window, budget: u64) -> UnitControl {
        let (pause_point, clock): (Arc<PausePoint>, Arc<Clock>) = Default::default();
        let pause = {
            let (pause_point, clock) = (Arc::clone(&pause_point), Arc::clone(&clock));
            move || {
                clock.read();
                pause_point.pass();
            }
        };
        UnitControl {
            monitor: Monitor::with_pause(budget, Box::new(pause)),
            windows: Mutex::new(vec![window]),
            cancelled: AtomicBool::new(false),
            changed: AtomicBool::new(false),
            told: Mutex::default(),
            pause_point,
            clock,
            begins: Mutex::default(),
            saved: Mutex::default(),
            table: Mutex::default(),
            times: Mutex::new((Instant::now(), Instant::now())),
            is_held: AtomicBool::new(false),
        }
    }

    /// The search is to continue from here.
    pub fn continue_from(&self, state: Arc<SearchState>) {
        self.monitor.restart(state.nodes);
        *locked(&self.begins) = Some(Arc::clone(&state));
        *locked(&self.saved) = Some(state);
    }

    /// What the search is to continue from.
    pub fn begins_with(&self) -> Option<Arc<SearchState>> {
        locked(&self.begins).clone()
    }

    /// The last state of it that is known.
    pub fn state(&self) -> Option<Arc<SearchState>> {
        locked(&self.saved).clone()
    }

    /// Notes a state that the search has come to on another machine.
    pub fn note_state(&self, state: SearchState) {
        self.note_nodes(state.nodes);
        *locked(&self.saved) = Some(Arc::new(state));
    }

    /// Whether the search runs here, and its state is worth taking: some time has passed, or it stands still.
    pub fn is_save_due(&self) -> bool {
        let (began, saved) = *locked(&self.times);
        let pace = (began.elapsed() / 2).clamp(SAVE.0, SAVE.1);
        let is_due = saved.elapsed() >= pace || self.is_held.load(Ordering::SeqCst);
        is_due && locked(&self.table).is_some()
    }

    /// Takes the state of the search, if it runs here.
    pub fn save(&self) -> Option<Arc<SearchState>> {
        let table = locked(&self.table).clone()?;
        locked(&self.times).1 = Instant::now();
        // The table is read later, so it holds what these nodes have found, and perhaps more.
        let (nodes, unpaid) = (self.nodes(), self.spent());
        let state = Arc::new(SearchState { nodes, unpaid, table: table.extract(MOST_RECORDS) });
        *locked(&self.saved) = Some(Arc::clone(&state));
        Some(state)
    }

    /// Pauses the search, and returns when it has paused or ended.
    pub fn hold(&self) {
        self.monitor.set_pausing(true);
        self.pause_point.close();
        self.is_held.store(true, Ordering::SeqCst);
    }

    /// Lets it continue.
    pub fn release(&self) {
        self.is_held.store(false, Ordering::SeqCst);
        self.monitor.set_pausing(false);
        self.pause_point.open();
    }

    /// The thread that calls this is the one that searches.
    pub(super) fn start(&self) {
        self.clock.start();
        *locked(&self.times) = (Instant::now(), Instant::now());
    }

    /// The search has ended. To be called after its answer was sent.
    pub(super) fn end(&self) {
        self.pause_point.end();
    }

    /// What was spent so far and has not been credited. The processor time is that of the last time it stood still,
    /// or of its end.
    pub fn spent(&self) -> Spent {
        let (nodes, unpaid) = self.begins_with().map_or_else(Default::default, |state| (state.nodes, state.unpaid));
        let since = self.nodes().saturating_sub(nodes);
        Spent {
            nodes: unpaid.nodes.saturating_add(since),
            micros: unpaid.micros.saturating_add(self.clock.spent.load(Ordering::Relaxed)),
        }
    }

    /// Reads the clock: for the thread that searches.
    pub(super) fn read_clock(&self) {
        self.clock.read();
    }

    /// The unit is not needed any more.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        self.change();
    }

    /// The search is to look what it is to do now, wherever it runs.
    fn change(&self) {
        *locked(&self.told) = None;
        self.changed.store(true, Ordering::SeqCst);
        self.monitor.stop();
    }

    /// Whether that has been said.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Another window is needed: the search is stopped, and begins anew with what it has learned. The same window
    /// once more changes nothing.
    pub fn set_window(&self, window: Window) {
        let mut windows = locked(&self.windows);
        if windows.last() != Some(&window) {
            windows.push(window);
            drop(windows);
            self.change();
        }
    }

    /// The window that is needed now.
    pub fn window(&self) -> Window {
        *locked(&self.windows).last().expect("there is one from the beginning")
    }

    /// Whether this window is or was asked for.
    pub fn has_asked(&self, window: Window) -> bool {
        locked(&self.windows).contains(&window)
    }

    /// The window that is needed now, which another machine is told with the unit.
    pub fn pass_window(&self) -> Window {
        self.changed.store(self.is_cancelled(), Ordering::SeqCst);
        self.window()
    }

    /// Whether something has changed that another machine is to be told, and then whether the unit was cancelled. It
    /// is told again after [`TELL_AGAIN`] until it has said that it knows.
    pub fn take_change(&self) -> Option<bool> {
        if !self.changed.load(Ordering::SeqCst) {
            return None;
        }
        let mut told = locked(&self.told);
        if told.is_some_and(|last| last.elapsed() < TELL_AGAIN) {
            return None;
        }
        *told = Some(Instant::now());
        Some(self.is_cancelled())
    }

    /// The other machine has said what it knows: the window that it was last told, and whether the unit was
    /// cancelled.
    pub fn note_told(&self, window: Window, cancelled: bool) {
        if window == self.window() && cancelled == self.is_cancelled() {
            self.changed.store(false, Ordering::SeqCst);
        }
    }

    /// Notes how many nodes the search has visited on another machine.
    pub fn note_nodes(&self, nodes: u64) {
        // Whether it is to stop, that machine is told.
        let _ = self.monitor.report(nodes.saturating_sub(self.nodes()));
    }

    /// The search begins anew, from the last state that is known.
    pub fn restart(&self) {
        match self.state() {
            Some(state) => self.continue_from(state),
            None => self.monitor.restart(0),
        }
    }

    /// Forgets what was known of the search: it begins from nothing.
    pub fn forget(&self) {
        (*locked(&self.begins), *locked(&self.saved)) = (None, None);
        self.monitor.restart(0);
    }

    /// Nodes so far.
    pub fn nodes(&self) -> u64 {
        self.monitor.nodes()
    }

    /// What searches report to.
    pub fn monitor(&self) -> &Monitor {
        &self.monitor
    }
}

/// How a worker came to an end with a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SolverAnswer {
    /// The window that it searched last.
    pub window: Window,
    /// How it ended.
    pub outcome: UnitOutcome,
    /// Nodes that it took.
    pub nodes: u64,
}

/// What answers units, on one thread.
pub trait Solver<G>: Send {
    /// Answers one. Asks `control` for the window, and looks every millisecond or so whether it should stop.
    fn solve(&mut self, work: &LeafUnit<G>, control: &UnitControl) -> SolverAnswer;
}

/// Makes an engine for a unit.
pub trait MakeEngine<G: Game>: Send {
    /// Makes it, for one thread.
    fn make<'a>(&self, table: &'a Table, busy: &'a Busy, monitor: &'a Monitor) -> Box<dyn Engine<G> + 'a>;
}

/// The table that the solvers of a process share, as large as all of theirs together: the units of a solution are
/// close to each other, and what one has found saves another a part of its work. Where each solver forgets everything
/// between two units, each has a table of its own.
#[derive(Debug)]
pub struct SharedTable {
    /// Bytes for each solver.
    each: u64,
    /// Solvers that will use it, as far as they are known when it is made; `None`: each has its own.
    solvers: Option<AtomicU64>,
    table: OnceLock<Result<Arc<Table>, TableError>>,
    /// What is to be in it when it is made.
    learned: Mutex<Vec<u8>>,
    /// Logarithm of the nodes from which on records are noted; 64: none is.
    noted_from: AtomicU32,
}

impl SharedTable {
    /// Of `each` bytes for each of a number of solvers of a solution with these settings. More may come later.
    pub fn new(each: u64, solvers: u64, settings: &TreeSettings) -> Arc<SharedTable> {
        let solvers = (!settings.is_alone()).then(|| AtomicU64::new(solvers));
        let (learned, noted_from) = (Mutex::default(), AtomicU32::new(u64::BITS));
        Arc::new(SharedTable { each, solvers, table: OnceLock::new(), learned, noted_from })
    }

    /// Whether the solvers share one.
    pub fn is_shared(&self) -> bool {
        self.solvers.is_some()
    }

    /// The table if it was made.
    fn made(&self) -> Option<&Arc<Table>> {
        self.table.get().and_then(|made| made.as_ref().ok())
    }

    /// Puts in records that others have found. Before there is a table, the last ones are kept for it.
    pub fn learn(&self, records: &[u8]) {
        match self.made() {
            Some(table) => table.insert(records),
            None if self.is_shared() => {
                let mut learned = locked(&self.learned);
                learned.extend_from_slice(records);
                let excess = learned.len().saturating_sub(MOST_LEARNED * RECORD_BYTES);
                learned.drain(..excess);
            }
            None => {}
        }
    }

    /// From now on records of its solvers are noted that took at least two to this power nodes.
    pub fn note_from(&self, effort: u32) {
        self.noted_from.store(effort, Ordering::SeqCst);
        if let Some(table) = self.made() {
            table.note_from(1u64.checked_shl(effort).unwrap_or(u64::MAX));
        }
    }

    /// The records that were noted since the last call.
    pub fn take_noted(&self) -> Vec<u8> {
        self.made().map_or_else(Vec::new, |table| table.take_noted())
    }

    /// One more solver than it was made for is to have it.
    pub fn add_solver(&self) {
        if let Some(solvers) = &self.solvers {
            solvers.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// The table, which is made when it is first asked for.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn table(&self) -> Result<Arc<Table>, TableError> {
        let Some(solvers) = &self.solvers else { return Ok(Arc::new(Table::new(self.each)?)) };
        let made = || Ok(Arc::new(Table::shared(self.each, solvers.load(Ordering::SeqCst))?));
        let table = self.table.get_or_init(made).clone()?;
        // What was said while it was made.
        table.insert(&std::mem::take(&mut *locked(&self.learned)));
        self.note_from(self.noted_from.load(Ordering::SeqCst));
        Ok(table)
    }
}

/// A solver that asks an engine. Its table remembers earlier units, for the same node is asked several windows; where
/// several have to agree ([`LeafUnit::alone`]) it is cleared before each: then how a unit ends depends on the unit,
/// the engine and the size of the table alone, as long as its window is not changed.
pub struct ByEngine<M> {
    maker: M,
    table: Arc<Table>,
    used: bool,
}

impl<M> fmt::Debug for ByEngine<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByEngine").field("bytes", &self.table.bytes()).finish_non_exhaustive()
    }
}

impl<M> ByEngine<M> {
    /// With engines from `maker`.
    pub fn new(maker: M, table: Arc<Table>) -> ByEngine<M> {
        ByEngine { maker, table, used: false }
    }
}

impl<G: Game + Sync, M: MakeEngine<G>> Solver<G> for ByEngine<M> {
    fn solve(&mut self, work: &LeafUnit<G>, control: &UnitControl) -> SolverAnswer {
        if std::mem::replace(&mut self.used, true) && work.alone {
            self.table.clear();
        }
        if !work.alone {
            if let Some(state) = control.begins_with() {
                self.table.insert(&state.table);
            }
            *locked(&control.table) = Some(Arc::clone(&self.table));
        }
        let answer = self.answer(work, control);
        *locked(&control.table) = None;
        answer
    }
}

impl<M> ByEngine<M> {
    fn answer<G: Game + Sync>(&self, work: &LeafUnit<G>, control: &UnitControl) -> SolverAnswer
    where
        M: MakeEngine<G>,
    {
        let busy = Busy::default();
        let mut engine = self.maker.make(&self.table, &busy, &control.monitor);
        loop {
            // In this order: what is said from now on stops the search again.
            control.monitor.go_on();
            let window = control.window();
            let outcome = if control.is_cancelled() {
                UnitOutcome::Stopped
            } else {
                match engine.value(&work.position, window.alpha, window.beta) {
                    Ok(value) => UnitOutcome::of_value(value, window),
                    // Children are nearer to the end.
                    Err(EngineError::Stopped(Stopped::Budget) | EngineError::TooDeep(_)) => UnitOutcome::Exhausted,
                    Err(EngineError::Stopped(Stopped::Asked | Stopped::Answered)) => continue,
                }
            };
            // What a search before has spent and nobody was credited for counts, too.
            let before = control.begins_with().map_or(0, |state| state.unpaid.nodes);
            let nodes = before.saturating_add(engine.stats().nodes);
            return SolverAnswer { window, outcome, nodes };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solvers_share_a_table_unless_each_unit_stands_alone() {
        let shared = SharedTable::new(1 << 16, 0, &TreeSettings::default());
        (0..3).for_each(|_| shared.add_solver());
        let (one, other) = (shared.table().unwrap(), shared.table().unwrap());
        assert!(Arc::ptr_eq(&one, &other));
        assert_eq!((one.bytes(), one.bytes_each()), (3 << 16, 1 << 16));
        // One that comes later has it as it is.
        shared.add_solver();
        assert!(Arc::ptr_eq(&one, &shared.table().unwrap()));
        for settings in [
            TreeSettings { fresh: true, ..TreeSettings::default() },
            TreeSettings { quorum: 2, ..TreeSettings::default() },
        ] {
            let own = SharedTable::new(1 << 16, 2, &settings);
            let (one, other) = (own.table().unwrap(), own.table().unwrap());
            assert!(!Arc::ptr_eq(&one, &other) && one.bytes() == 1 << 16);
        }
    }
}

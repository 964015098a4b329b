//! What searches the units of a solution, one after the other, and how it is controlled meanwhile: it can be paused,
//! cancelled, or given another window.

use super::pause_point::PausePoint;
use crate::core::game::Game;
use crate::jobs::tree::coordinator::LeafUnit;
use crate::jobs::tree::credit::Spent;
use crate::jobs::tree::settings::Window;
use crate::jobs::tree::unit::UnitOutcome;
use crate::runner::cpu::thread_seconds;
use crate::solvers::busy::Busy;
use crate::solvers::monitor::{Monitor, Stopped};
use crate::solvers::solve::{Engine, EngineError};
use crate::solvers::table::Table;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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
    /// On another machine nobody has been told yet that it was cancelled, or has another window.
    changed: AtomicBool,
    pause_point: Arc<PausePoint>,
    clock: Arc<Clock>,
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
            pause_point,
            clock,
        }
    }

    /// Pauses the search, and returns when it has paused or ended.
    pub fn hold(&self) {
        self.monitor.set_pausing(true);
        self.pause_point.close();
    }

    /// Lets it continue.
    pub fn release(&self) {
        self.monitor.set_pausing(false);
        self.pause_point.open();
    }

    /// The thread that calls this is the one that searches.
    pub(super) fn start(&self) {
        self.clock.start();
    }

    /// The search has ended. To be called after its answer was sent.
    pub(super) fn end(&self) {
        self.pause_point.end();
    }

    /// What was spent so far. The processor time is that of the last time it stood still, or of its end.
    pub fn spent(&self) -> Spent {
        Spent { nodes: self.nodes(), micros: self.clock.spent.load(Ordering::Relaxed) }
    }

    /// Reads the clock: for the thread that searches.
    pub(super) fn read_clock(&self) {
        self.clock.read();
    }

    /// The unit is not needed any more.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        self.changed.store(true, Ordering::SeqCst);
        self.monitor.stop();
    }

    /// Whether that has been said.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Another window is needed: the search is stopped, and begins anew with what it has learned.
    pub fn set_window(&self, window: Window) {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner).push(window);
        self.changed.store(true, Ordering::SeqCst);
        self.monitor.stop();
    }

    /// The window that is needed now.
    pub fn window(&self) -> Window {
        *self.windows.lock().unwrap_or_else(PoisonError::into_inner).last().expect("there is one from the beginning")
    }

    /// Whether this window is or was asked for.
    pub fn has_asked(&self, window: Window) -> bool {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner).contains(&window)
    }

    /// The window that is needed now, which another machine is told with the unit.
    pub fn pass_window(&self) -> Window {
        self.changed.store(self.is_cancelled(), Ordering::SeqCst);
        self.window()
    }

    /// Whether something has changed that another machine is to be told, and then whether the unit was cancelled.
    pub fn take_change(&self) -> Option<bool> {
        self.changed.swap(false, Ordering::SeqCst).then(|| self.is_cancelled())
    }

    /// Notes how many nodes the search has visited on another machine.
    pub fn note_nodes(&self, nodes: u64) {
        // Whether it is to stop, that machine is told.
        let _ = self.monitor.report(nodes.saturating_sub(self.nodes()));
    }

    /// The search begins anew.
    pub fn restart(&self) {
        self.monitor.restart();
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

/// A solver that asks an engine. Its table remembers earlier units, for the same node is asked several windows; where
/// several have to agree ([`LeafUnit::alone`]) it is cleared before each: then how a unit ends depends on the unit,
/// the engine and the size of the table alone, as long as its window is not changed.
pub struct ByEngine<M> {
    maker: M,
    table: Table,
    used: bool,
}

impl<M> fmt::Debug for ByEngine<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByEngine").field("bytes", &self.table.bytes()).finish_non_exhaustive()
    }
}

impl<M> ByEngine<M> {
    /// With engines from `maker`.
    pub fn new(maker: M, table: Table) -> ByEngine<M> {
        ByEngine { maker, table, used: false }
    }
}

impl<G: Game + Sync, M: MakeEngine<G>> Solver<G> for ByEngine<M> {
    fn solve(&mut self, work: &LeafUnit<G>, control: &UnitControl) -> SolverAnswer {
        if std::mem::replace(&mut self.used, true) && work.alone {
            self.table.clear();
        }
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
            return SolverAnswer { window, outcome, nodes: engine.stats().nodes };
        }
    }
}

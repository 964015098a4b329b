//! The workers of a solution by units: threads that answer one unit after the other.

use crate::core::game::Game;
use crate::jobs::tree::coordinator::Work;
use crate::jobs::tree::settings::Window;
use crate::jobs::tree::unit::Outcome;
use crate::solvers::busy::Busy;
use crate::solvers::monitor::{Monitor, Stopped};
use crate::solvers::solve::{Engine, EngineError};
use crate::solvers::table::Table;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a worker at a unit is told and asked while it works.
#[derive(Debug)]
pub struct Control {
    monitor: Monitor,
    window: Mutex<Window>,
    cancelled: AtomicBool,
}

impl Control {
    /// For a unit with this window and budget.
    pub fn new(window: Window, budget: u64) -> Control {
        Control {
            monitor: Monitor::with_budget(budget),
            window: Mutex::new(window),
            cancelled: AtomicBool::new(false),
        }
    }

    /// The unit is not needed any more.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        self.monitor.stop();
    }

    /// Whether that has been said.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Another window is needed: the search is stopped, and begins anew with what it has learned.
    pub fn set_window(&self, window: Window) {
        *self.window.lock().unwrap_or_else(PoisonError::into_inner) = window;
        self.monitor.stop();
    }

    /// The window that is needed now.
    pub fn window(&self) -> Window {
        *self.window.lock().unwrap_or_else(PoisonError::into_inner)
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
pub struct Answer {
    /// The window that it searched last.
    pub window: Window,
    /// How it ended.
    pub outcome: Outcome,
    /// Nodes that it took.
    pub nodes: u64,
}

/// What answers units, on one thread.
pub trait Solver<G>: Send {
    /// Answers one. Asks `control` for the window, and looks every millisecond or so whether it should stop.
    fn solve(&mut self, work: &Work<G>, control: &Control) -> Answer;
}

/// Makes an engine for a unit.
pub trait MakeEngine<G: Game>: Send {
    /// Makes it, for one thread.
    fn make<'a>(&self, table: &'a Table, busy: &'a Busy, monitor: &'a Monitor) -> Box<dyn Engine<G> + 'a>;
}

/// A solver that asks an engine, with a table that is cleared before each unit: so how a unit ends depends on the unit, the
/// engine and the size of the table alone, as long as its window is not changed.
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
    fn solve(&mut self, work: &Work<G>, control: &Control) -> Answer {
        if std::mem::replace(&mut self.used, true) {
            self.table.clear();
        }
        let busy = Busy::default();
        let mut engine = self.maker.make(&self.table, &busy, &control.monitor);
        loop {
            // In this order: what is said from now on stops the search again.
            control.monitor.go_on();
            let window = control.window();
            let outcome = if control.is_cancelled() {
                Outcome::Stopped
            } else {
                match engine.value(&work.position, window.alpha, window.beta) {
                    Ok(value) => Outcome::of_value(value, window),
                    // Children are nearer to the end.
                    Err(EngineError::Stopped(Stopped::Budget) | EngineError::TooDeep(_)) => Outcome::Exhausted,
                    Err(EngineError::Stopped(Stopped::Asked | Stopped::Answered)) => continue,
                }
            };
            return Answer { window, outcome, nodes: engine.stats().nodes };
        }
    }
}

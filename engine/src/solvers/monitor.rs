//! How a running search is watched and stopped: shared by the threads of one search and whoever waits for it.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Nodes between two looks at the monitor: well below a millisecond.
pub const INTERVAL: u64 = 4096;

/// A search ended before its question was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// It was asked to stop.
    #[error("the search was stopped")]
    Asked,
    /// Its budget of nodes is used up.
    #[error("the search has used up its budget of nodes")]
    Budget,
    /// Another thread has answered the question.
    #[error("another thread has answered")]
    Answered,
}

/// Who watches a general search: gets its nodes and tells it when to stop.
pub trait Watch: fmt::Debug {
    /// Nodes between two reports.
    fn interval(&self) -> u64 {
        INTERVAL
    }

    /// Takes in that so many more nodes were visited.
    ///
    /// # Errors
    /// The search is to stop.
    fn report(&self, nodes: u64) -> Result<(), Stopped>;
}

/// What a search calls where it is to pause. It returns when the search may continue.
pub type Pause = Box<dyn Fn() + Send + Sync>;

/// Nodes counted and stops asked for.
pub struct Monitor {
    stop: AtomicBool,
    answered: AtomicBool,
    nodes: AtomicU64,
    budget: u64,
    /// Most nodes between two reports, where an engine looks less often.
    interval: u64,
    pausing: AtomicBool,
    pause: Option<Pause>,
}

impl fmt::Debug for Monitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Monitor").field("nodes", &self.nodes).field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl Default for Monitor {
    fn default() -> Self {
        Monitor::with_budget(u64::MAX)
    }
}

impl Monitor {
    /// One whose search ends with [`Stopped::Budget`] soon after so many nodes.
    pub fn with_budget(budget: u64) -> Monitor {
        Monitor {
            stop: AtomicBool::new(false),
            answered: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            budget,
            interval: u64::MAX,
            pausing: AtomicBool::new(false),
            pause: None,
        }
    }

    /// One whose search can be held up: see [`Monitor::set_pausing`].
    pub fn with_pause(budget: u64, pause: Pause) -> Monitor {
        Monitor { pause: Some(pause), ..Monitor::with_budget(budget) }
    }

    /// The same, but engines look at it after so many nodes at the latest: for small budgets.
    pub fn with_interval(self, interval: u64) -> Monitor {
        Monitor { interval, ..self }
    }

    /// Nodes after which engines look at it at the latest.
    pub fn most_between(&self) -> u64 {
        self.interval
    }

    /// Whether the search is to call what it was given for a pause at its next report.
    pub fn set_pausing(&self, is: bool) {
        self.pausing.store(is, Relaxed);
    }

    /// Asks the search to stop.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Takes the request back, for the next search.
    pub fn go_on(&self) {
        self.stop.store(false, Relaxed);
    }

    /// Counts from here: the search is made anew, or continues from what another one has found.
    pub fn restart(&self, nodes: u64) {
        self.nodes.store(nodes, Relaxed);
    }

    /// Says whether the question that several threads are at has been answered: then the others stop.
    pub fn set_answered(&self, is: bool) {
        self.answered.store(is, Relaxed);
    }

    /// Nodes reported so far.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }

    /// Reports `nodes` more.
    ///
    /// # Errors
    /// The search is to stop.
    #[inline]
    pub fn report(&self, nodes: u64) -> Result<(), Stopped> {
        let sum = self.nodes.fetch_add(nodes, Relaxed) + nodes;
        if self.pausing.load(Relaxed)
            && let Some(pause) = &self.pause
        {
            pause();
        }
        if self.stop.load(Relaxed) {
            return Err(Stopped::Asked);
        }
        if self.answered.load(Relaxed) {
            return Err(Stopped::Answered);
        }
        if sum >= self.budget { Err(Stopped::Budget) } else { Ok(()) }
    }
}

impl Watch for Monitor {
    fn interval(&self) -> u64 {
        INTERVAL.min(self.interval)
    }

    #[inline]
    fn report(&self, nodes: u64) -> Result<(), Stopped> {
        Monitor::report(self, nodes)
    }
}

//! How a running search is watched and stopped: shared by the threads of one search and whoever waits for it.

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

/// Nodes counted and stops asked for.
#[derive(Debug)]
pub struct Monitor {
    stop: AtomicBool,
    answered: AtomicBool,
    nodes: AtomicU64,
    budget: u64,
}

impl Default for Monitor {
    fn default() -> Self {
        Monitor::with_budget(u64::MAX)
    }
}

impl Monitor {
    /// One whose search ends with [`Stopped::Budget`] soon after so many nodes.
    pub fn with_budget(budget: u64) -> Monitor {
        Monitor { stop: AtomicBool::new(false), answered: AtomicBool::new(false), nodes: AtomicU64::new(0), budget }
    }

    /// Asks the search to stop.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Takes the request back, for the next search.
    pub fn go_on(&self) {
        self.stop.store(false, Relaxed);
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
        if self.stop.load(Relaxed) {
            return Err(Stopped::Asked);
        }
        if self.answered.load(Relaxed) {
            return Err(Stopped::Answered);
        }
        if sum >= self.budget { Err(Stopped::Budget) } else { Ok(()) }
    }
}

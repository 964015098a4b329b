//! Where a search pauses while its worker computes something else: in the middle of its recursion, on its own thread.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The point. One search passes it again and again; one worker closes and opens it.
#[derive(Debug, Default)]
pub struct PausePoint {
    state: Mutex<PauseState>,
    moved: Condvar,
}

#[derive(Debug, Default)]
struct PauseState {
    closed: bool,
    /// The search has paused.
    waiting: bool,
    /// The search has ended.
    ended: bool,
}

impl PausePoint {
    fn lock(&self) -> MutexGuard<'_, PauseState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, PauseState>) -> MutexGuard<'a, PauseState> {
        self.moved.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// The search passes, and waits first while the point is closed.
    pub fn pass(&self) {
        let mut state = self.lock();
        while state.closed {
            state.waiting = true;
            self.moved.notify_all();
            state = self.wait(state);
        }
        state.waiting = false;
    }

    /// Closes the point and waits until the search has paused or ended.
    pub fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        while !state.waiting && !state.ended {
            state = self.wait(state);
        }
    }

    /// Opens the point, so that the search continues.
    pub fn open(&self) {
        self.lock().closed = false;
        self.moved.notify_all();
    }

    /// The search has ended: nobody needs to wait for it.
    pub fn end(&self) {
        self.lock().ended = true;
        self.moved.notify_all();
    }
}

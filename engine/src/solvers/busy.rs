//! Which moves other threads are searching, so that a thread can leave them for later: simplified ABDADA.
//!
//! Threads search the same tree from the same root over one transposition table. Before a move that is not the first
//! of its node is searched, its mark is set; a thread that finds the mark of a move set searches the others first and
//! comes back to it when they are done, by then often finding the result in the table (T. Kerrigan 2014, after J.-C.
//! Weill's ABDADA, 1996). A mark lost to another one in the same place costs time only, never truth.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Number of marks, a power of two: far more than threads times plies.
const MARKS: usize = 1 << 13;

/// The marks of the moves that threads are at.
#[derive(Debug)]
pub struct Busy {
    marks: Vec<AtomicU64>,
}

impl Default for Busy {
    fn default() -> Self {
        Busy { marks: (0..MARKS).map(|_| AtomicU64::new(0)).collect() }
    }
}

impl Busy {
    #[inline]
    fn place(&self, mark: u64) -> &AtomicU64 {
        &self.marks[(mark >> 7) as usize % MARKS]
    }

    /// Whether someone is at what has this mark (not 0): the hash of a position and a move.
    #[inline]
    pub fn is_set(&self, mark: u64) -> bool {
        self.place(mark).load(Relaxed) == mark
    }

    /// Says that someone is.
    #[inline]
    pub fn set(&self, mark: u64) {
        self.place(mark).store(mark, Relaxed);
    }

    /// Says that it is done.
    #[inline]
    pub fn clear(&self, mark: u64) {
        let place = self.place(mark);
        if place.load(Relaxed) == mark {
            place.store(0, Relaxed);
        }
    }
}

//! How far a job has come, whatever its kind: the one value that sessions tell, and that displays, the daemon and
//! status files show.

use crate::core::search::Phase;
use std::time::Instant;

/// How far a job has come.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Progress {
    /// Seconds that it has run, over all its sessions.
    pub seconds: f64,
    /// Iterations of all its units, done and running; of a solution, nodes.
    pub iterations: u64,
    /// Iterations per second lately.
    pub rate: f64,
    /// Units that are done.
    pub units_done: u64,
    /// How many of them the stall table ended.
    pub units_stalled: u64,
    /// Best score, 0 if there is no grid.
    pub best: u32,
    /// Units in the queue that have been begun.
    pub running: Vec<RunningUnit>,
}

/// A unit that has been begun and is not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunningUnit {
    /// The worker that computes it, from 1, if that is known.
    pub worker: Option<u32>,
    /// Its number in the queue.
    pub ticket: u64,
    /// Its number in the job.
    pub unit: u64,
    /// Its iterations so far.
    pub iterations: u64,
    /// Its best score so far.
    pub best: u32,
    /// Where its search stands, if that is known.
    pub phase: Option<Phase>,
}

/// Measures a rate over the last second or more.
#[derive(Debug)]
pub struct RateMeter {
    counted: u64,
    rate: f64,
    at: Instant,
}

impl RateMeter {
    /// Begins to measure at this count.
    pub fn new(count: u64) -> RateMeter {
        RateMeter { counted: count, rate: 0.0, at: Instant::now() }
    }

    /// Begins anew at this count, after a pause; the last rate stays until there is another.
    pub fn restart(&mut self, count: u64) {
        (self.counted, self.at) = (count, Instant::now());
    }

    /// The rate, with the count as it is now.
    pub fn rate(&mut self, count: u64) -> f64 {
        let passed = self.at.elapsed().as_secs_f64();
        if passed >= 1.0 {
            self.rate = count.saturating_sub(self.counted) as f64 / passed;
            self.restart(count);
        }
        self.rate
    }
}

//! How far a job has come, whatever its kind: the one value that sessions tell, and that displays, the daemon and
//! status files show.

use crate::core::search::Phase;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

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

/// Measures a rate over the last seconds.
#[derive(Debug)]
pub struct RateMeter {
    window: Duration,
    /// When there were how many, from second to second: the first one is as old as the window or older, once there
    /// are such.
    counts: VecDeque<(Instant, u64)>,
    rate: f64,
}

/// Time between two counts that a [`RateMeter`] notes.
const PACE: Duration = Duration::from_secs(1);
/// For counts that grow when a unit ends.
const LONG_WINDOW: Duration = Duration::from_secs(60);

impl RateMeter {
    /// Begins to measure at this count, over the last second.
    pub fn new(count: u64) -> RateMeter {
        RateMeter { window: PACE, counts: VecDeque::from([(Instant::now(), count)]), rate: 0.0 }
    }

    /// The same over the last minute, for a count that grows only when a unit ends.
    pub fn of_units(count: u64) -> RateMeter {
        RateMeter { window: LONG_WINDOW, ..RateMeter::new(count) }
    }

    /// Begins anew at this count, after a pause; the last rate stays until there is another.
    pub fn restart(&mut self, count: u64) {
        self.counts = VecDeque::from([(Instant::now(), count)]);
    }

    /// The rate, with the count as it is now.
    pub fn rate(&mut self, count: u64) -> f64 {
        self.rate_at(Instant::now(), count)
    }

    fn rate_at(&mut self, now: Instant, count: u64) -> f64 {
        if self.counts.back().is_none_or(|(at, _)| now.duration_since(*at) >= PACE) {
            while self.counts.len() > 1 && now.duration_since(self.counts[1].0) >= self.window {
                self.counts.pop_front();
            }
            if let Some(&(at, before)) = self.counts.front() {
                self.rate = count.saturating_sub(before) as f64 / now.duration_since(at).as_secs_f64();
            }
            self.counts.push_back((now, count));
        }
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_that_of_its_window() {
        let begin = Instant::now();
        let at = |seconds: u64| begin + Duration::from_millis(1) + Duration::from_secs(seconds);
        let (mut short, mut long) = (RateMeter::new(0), RateMeter::of_units(0));
        // Five million when a unit ends, every ten seconds.
        let count = |seconds: u64| seconds / 10 * 5_000_000;
        let rates: Vec<(f64, f64)> =
            (1..=180).map(|s| (short.rate_at(at(s), count(s)), long.rate_at(at(s), count(s)))).collect();
        assert!(rates[64..69].iter().all(|(short, _)| *short == 0.0), "{:?}", &rates[64..69]);
        assert!(rates[70..].iter().all(|(_, long)| (*long - 500_000.0).abs() < 100_000.0), "{:?}", &rates[70..]);
        assert!(long.counts.len() <= 62, "{}", long.counts.len());
        // A pause counts for nothing.
        long.restart(count(180));
        assert_eq!(long.counts.len(), 1);
    }
}

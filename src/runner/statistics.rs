//! The course of a hunt, read from its directory: scores per nesting level, time to each score, rate over time.
//!
//! Counts of the units done are in the hunt's state; those of the running units are in the saved states of their
//! searches. So a running hunt is seen as of its last checkpoint. Bests and rates come from the log of events.

use super::events::{self, BadLine, HuntEventKind};
use super::state::{self, Checkpoint, StateFileError};
use crate::core::histogram::{Histogram, Results};
use crate::core::search::RestoreError;
use crate::files::FileError;
use crate::jobs::hunt::{Hunt, Job, StateError, Totals};
use crate::strategies::params::Strategy;
use std::collections::BTreeMap;
use std::path::Path;

/// Shortest interval, in seconds, over which a rate is taken.
const SHORTEST: f64 = 0.5;

/// Why the statistics of a hunt cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum StatisticsError {
    /// The state cannot be read.
    #[error(transparent)]
    Store(#[from] StateFileError),
    /// The log of events cannot be read.
    #[error(transparent)]
    Log(#[from] FileError),
    /// The state does not fit the job.
    #[error(transparent)]
    State(#[from] StateError),
    /// The saved state of a search cannot be restored.
    #[error("unit {unit}: {source}")]
    Search {
        /// Number of the unit.
        unit: u64,
        /// What is wrong.
        source: RestoreError,
    },
}

/// The course of a hunt.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// What is hunted.
    pub job: Job,
    /// Workers of the last session.
    pub workers: u32,
    /// Sessions so far.
    pub sessions: u32,
    /// Seconds that the hunt has run, over all its sessions.
    pub seconds: f64,
    /// Moves of the longest grid.
    pub best: u32,
    /// Sums over the units done.
    pub done: Totals,
    /// Units begun and not done whose states are known, and their iterations.
    pub running: (u64, u64),
    /// Scores per nesting level, from 0 (games played out), the running units included; none for strategies without
    /// levels.
    pub levels: Vec<Histogram>,
    /// Best scores of the units done.
    pub units: Histogram,
    /// The new bests, in order.
    pub bests: Vec<Improvement>,
    /// Iterations per second in successive intervals of running time.
    pub rates: Vec<Rate>,
    /// Lines of the log that cannot be read and are left out.
    pub bad_lines: Vec<BadLine>,
}

/// A new best of a hunt.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Improvement {
    /// Moves of the new best grid.
    pub score: u32,
    /// Seconds that the hunt had run.
    pub seconds: f64,
    /// Unit that found it.
    pub unit: u64,
    /// Iterations of that unit until then.
    pub iterations: u64,
}

/// Iterations per second in an interval of a hunt's running time.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Rate {
    /// Seconds at its beginning.
    pub from: f64,
    /// Seconds at its end.
    pub to: f64,
    /// Iterations in it.
    pub iterations: u64,
}

impl Rate {
    /// Iterations per second.
    pub fn per_second(&self) -> f64 {
        self.iterations as f64 / (self.to - self.from)
    }
}

/// Successive intervals joined to at most `most` of about equal length; where a crash has set the clock back, none is
/// joined over it.
pub fn join(rates: &[Rate], most: usize) -> Vec<Rate> {
    let span: f64 = rates.iter().map(|rate| rate.to - rate.from).sum();
    let mut joined: Vec<Rate> = Vec::new();
    for rate in rates {
        match joined.last_mut() {
            Some(last) if rate.from >= last.to && last.to - last.from < span / most as f64 => {
                // What lies between two sessions is no running time.
                last.iterations += rate.iterations;
                last.to = rate.to;
            }
            _ => joined.push(*rate),
        }
    }
    joined
}

/// Reads the statistics of a hunt's directory, of a running hunt too; nothing is changed.
///
/// # Errors
/// If there is no hunt, or its files cannot be read.
pub fn read(directory: &Path) -> Result<Statistics, StatisticsError> {
    let log = events::read(directory)?;
    let (checkpoint, records) = state::read(directory)?;
    let Checkpoint { job, state, in_flight, seconds, workers, .. } = checkpoint;
    let mut now = state.clone();
    records.iter().for_each(|record| now.apply(record));
    let saved: BTreeMap<u64, _> =
        in_flight.iter().filter(|unit| !now.done.contains(unit.id)).map(|unit| (unit.id, unit)).collect();
    let begun = saved.values().fold(0u64, |sum, unit| sum.saturating_add(unit.iterations));
    let mut results: Results = now.results.clone();
    // The walk of a depth-first hunt would have to be walked again, and its searches have no levels.
    if job.params.strategy != Strategy::Dfs && (!saved.is_empty() || job.params.share.is_some()) {
        let hunt = Hunt::restore(job.clone(), state, &records)?;
        let mut running = Results::default();
        for work in hunt.pending() {
            let Some(unit) = saved.get(&work.id) else { continue };
            let search = work.resume(job.variant, &job.params, &unit.saved);
            let search = search.map_err(|source| StatisticsError::Search { unit: work.id, source })?;
            running.merge(search.results());
        }
        results = hunt.results();
        results.merge(running.levels());
    }
    let mut statistics = Statistics {
        workers,
        sessions: 0,
        seconds,
        best: now.score(),
        done: now.totals,
        running: (saved.len() as u64, begun),
        levels: results.levels().to_vec(),
        units: now.scores,
        bests: Vec::new(),
        rates: Vec::new(),
        bad_lines: log.bad,
        job,
    };
    // Where the last figure stood: seconds and iterations.
    let mut last: Option<(f64, u64)> = None;
    for event in log.events {
        statistics.seconds = statistics.seconds.max(event.seconds);
        let iterations = match event.what {
            HuntEventKind::Start(session) | HuntEventKind::Resume(session) => {
                statistics.sessions += 1;
                last = Some((event.seconds, session.iterations));
                continue;
            }
            HuntEventKind::Best { score, unit, iterations, .. } => {
                statistics.bests.push(Improvement { score, seconds: event.seconds, unit, iterations });
                continue;
            }
            HuntEventKind::Unit { .. } => continue,
            HuntEventKind::Progress { iterations, .. }
            | HuntEventKind::Stop { iterations, .. }
            | HuntEventKind::End { iterations, .. } => iterations,
        };
        if let Some((from, before)) = last.filter(|(from, _)| event.seconds - from >= SHORTEST) {
            let iterations = iterations.saturating_sub(before);
            statistics.rates.push(Rate { from, to: event.seconds, iterations });
        }
        last = Some((event.seconds, iterations));
    }
    statistics.best = statistics.bests.iter().map(|best| best.score).fold(statistics.best, u32::max);
    Ok(statistics)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_joined_and_none_over_a_clock_set_back() {
        let rate = |from, to, iterations| Rate { from, to, iterations };
        let rates = [rate(0.0, 5.0, 10), rate(5.0, 10.0, 20), rate(10.0, 15.0, 1), rate(12.0, 20.0, 4)];
        assert_eq!(join(&rates, 2), [rate(0.0, 15.0, 31), rate(12.0, 20.0, 4)]);
        assert_eq!(join(&rates, 100), rates);
        assert_eq!(join(&[], 3), []);
        assert_eq!(rate(2.0, 4.0, 10).per_second(), 5.0);
    }
}

//! What one run may use up, and the watch that ends it.

use super::error::{ExperimentError, mistake};
use crate::core::ctl::{Ctl, Signal};
use crate::morpion::geometry::Move;
use crate::runner::cpu;
use std::time::Instant;

/// What one run may use up.
#[derive(Debug, Clone, Copy)]
pub enum RunBudget {
    /// Seconds of processor time of its thread.
    CpuSeconds(f64),
    /// Iterations of its search.
    Iterations(u64),
}

impl RunBudget {
    /// The budget that the keys `cpu_seconds` and `iterations` say.
    ///
    /// # Errors
    /// If not just one is given, or it is not above 0.
    pub fn new(cpu_seconds: Option<f64>, iterations: Option<u64>) -> Result<RunBudget, ExperimentError> {
        match (cpu_seconds, iterations) {
            (Some(seconds), None) => {
                if !seconds.is_finite() || seconds <= 0.0 {
                    return mistake(format!("cpu_seconds = {seconds}: a positive number of seconds is expected"));
                }
                Ok(RunBudget::CpuSeconds(seconds))
            }
            (None, Some(0)) => mistake("iterations = 0: at least one is expected".to_owned()),
            (None, Some(iterations)) => Ok(RunBudget::Iterations(iterations)),
            _ => mistake("one of cpu_seconds and iterations is expected".to_owned()),
        }
    }

    /// The iterations, if they are limited.
    pub fn iterations(self) -> Option<u64> {
        match self {
            RunBudget::CpuSeconds(_) => None,
            RunBudget::Iterations(n) => Some(n),
        }
    }

    /// The budget in words.
    pub fn describe(self) -> String {
        match self {
            RunBudget::CpuSeconds(1.0) => "1 CPU second".to_owned(),
            RunBudget::CpuSeconds(seconds) => format!("{seconds} CPU seconds"),
            RunBudget::Iterations(n) => format!("{n} iterations"),
        }
    }
}

/// The processor time of the calling thread since this was made; the clock's where the system does not tell.
#[derive(Clone, Copy)]
pub struct Stopwatch(Option<f64>, Instant);

impl Stopwatch {
    /// Begins to measure.
    pub fn start() -> Stopwatch {
        Stopwatch(cpu::thread_seconds(), Instant::now())
    }

    /// Seconds of the calling thread until now.
    pub fn seconds(self) -> f64 {
        match (self.0, cpu::thread_seconds()) {
            (Some(start), Some(now)) => now - start,
            _ => self.1.elapsed().as_secs_f64(),
        }
    }
}

/// Ends a run when its seconds are used up, or after some polls.
pub struct RunLimit {
    /// Since when the run lasts.
    pub watch: Stopwatch,
    /// The seconds that it has, if its budget is in seconds.
    pub budget: RunBudget,
    /// Polls after which it is ended anyway.
    pub polls_left: u32,
}

impl Ctl<Move> for RunLimit {
    fn poll(&mut self, _iterations: u64, _best: u32) -> Signal {
        self.polls_left = self.polls_left.saturating_sub(1);
        let over = matches!(self.budget, RunBudget::CpuSeconds(seconds) if self.watch.seconds() >= seconds);
        if over || self.polls_left == 0 { Signal::Stop } else { Signal::Continue }
    }

    fn improved(&mut self, _moves: &[Move], _iterations: u64) {}
}

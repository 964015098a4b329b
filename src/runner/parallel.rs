//! One question of a two-player search on several threads.
//!
//! Each thread has an engine of its own and asks it the same question; the engines share a transposition table and
//! the marks of what each is at ([`crate::solvers::busy`]), so that they find their results there and stay out of
//! each other's way. The first answer counts, and the others stop.
//!
//! [`together`] starts the further threads of a player, which shares its work in its own way.

use crate::core::game::{Game, Value};
use crate::solvers::monitor::{Monitor, Stopped};
use crate::solvers::search::Stats;
use crate::solvers::solve::{Engine, EngineError};
use crate::solvers::together::{HelperTask, ThreadMeans};
use std::sync::OnceLock;
use std::time::Instant;

/// Runs tasks, each on a thread of its own, and meanwhile `leader` on this one. It returns when all have ended. A
/// task for which the system gives no thread is left out. It is a [`crate::solvers::together::RunTogether`].
pub fn together(tasks: Vec<HelperTask<'_>>, leader: &mut dyn FnMut()) {
    std::thread::scope(|scope| {
        for task in tasks {
            let _ = std::thread::Builder::new().name("helper".to_owned()).spawn_scoped(scope, task);
        }
        leader();
    });
}

/// Seconds of the clock since this was first asked.
fn seconds() -> f64 {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// What the system offers a search whose threads wait for each other.
pub const THREAD_MEANS: ThreadMeans = ThreadMeans { together, give_way: std::thread::yield_now, seconds };

/// Engines that work together. There is at least one.
#[derive(Debug)]
pub struct Parallel<'a, E> {
    engines: Vec<E>,
    monitor: &'a Monitor,
}

impl<'a, E> Parallel<'a, E> {
    /// So many engines, made by a function, that all report to `monitor`. At least one is made.
    pub fn new(threads: usize, monitor: &'a Monitor, engine: impl Fn() -> E) -> Self {
        Parallel { engines: (0..threads.max(1)).map(|_| engine()).collect(), monitor }
    }
}

impl<G: Game + Sync, E: Engine<G> + Send> Engine<G> for Parallel<'_, E> {
    fn value(&mut self, position: &G, alpha: Value, beta: Value) -> Result<Value, EngineError> {
        if let [engine] = &mut self.engines[..] {
            return engine.value(position, alpha, beta);
        }
        let monitor = self.monitor;
        let answers: Vec<Result<Value, EngineError>> = std::thread::scope(|scope| {
            let ask = |engine: &'_ mut E| {
                let answer = engine.value(position, alpha, beta);
                if answer.is_ok() {
                    monitor.set_answered(true);
                }
                answer
            };
            let threads: Vec<_> = self.engines.iter_mut().map(|engine| scope.spawn(move || ask(engine))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
        });
        monitor.set_answered(false);
        let mut reason = EngineError::Stopped(Stopped::Answered);
        for answer in answers {
            match answer {
                Ok(value) => return Ok(value),
                Err(EngineError::Stopped(Stopped::Answered)) => (),
                Err(other) => reason = other,
            }
        }
        Err(reason)
    }

    fn guess(&mut self, position: &G, given: Value) -> Result<Value, EngineError> {
        self.engines.first_mut().map_or(Ok(given), |engine| engine.guess(position, given))
    }

    fn hint(&self, position: &G) -> Option<G::Move> {
        self.engines.first()?.hint(position)
    }

    fn stats(&self) -> Stats {
        self.engines.iter().fold(Stats::default(), |mut sum, engine| {
            sum += engine.stats();
            sum
        })
    }

    fn heeds_windows(&self) -> bool {
        self.engines.first().is_none_or(|engine| engine.heeds_windows())
    }
}

//! Threads of a search that are simulated as if each had a processor of its own, on a machine that may have fewer.
//!
//! One of them runs at a time: always one that is furthest behind, for a few nodes at a time. Its clock counts the
//! nodes that it visits. The clock of a thread that finds nothing to do goes with that of the last one that is at
//! work. So the threads meet as they would if a node took all of them equally long, and waiting took no time of
//! others. What a common memory costs, and what it takes to come to another part of the tree, is not in it. The same
//! search comes to the same nodes and the same time each time.
//!
//! The threads tell their nodes to the monitor of [`simulation`], and are started by [`SIMULATED_MEANS`].

use crate::solvers::monitor::Monitor;
use crate::solvers::together::{HelperTask, ThreadMeans};
use std::cell::{Cell, RefCell};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

/// Nodes between two looks at who is furthest behind.
const STEP: u64 = 16;

/// How the threads of a search are started if they are simulated. Its time is nodes.
pub const SIMULATED_MEANS: ThreadMeans = ThreadMeans { together, give_way, seconds };

/// A monitor for searches whose threads are simulated.
pub fn simulation() -> Arc<Monitor> {
    let monitor = Arc::new_cyclic(|own: &Weak<Monitor>| {
        let own = own.clone();
        let pause = move || {
            if let Some(monitor) = own.upgrade() {
                as_simulated(|thread| thread.visited(monitor.nodes()));
            }
        };
        Monitor::with_pause(u64::MAX, Box::new(pause)).with_interval(STEP)
    });
    monitor.set_pausing(true);
    monitor
}

thread_local! {
    /// This thread, while it is simulated.
    static OWN: RefCell<Option<SimulatedThread>> = const { RefCell::new(None) };
    /// The time of the simulations that this thread has led.
    static LED: Cell<u64> = const { Cell::new(0) };
}

/// What a simulated thread is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SimulatedState {
    /// It visits nodes.
    AtWork,
    /// It has found nothing to do.
    Idle,
    /// It has ended.
    Ended,
}

/// The clocks of all threads.
#[derive(Debug)]
struct SimulatedClocks {
    /// Nodes of each thread, with those for which it was idle.
    nodes: Vec<u64>,
    states: Vec<SimulatedState>,
    /// The one thread that runs.
    running: usize,
    /// The number of the last turn of each thread.
    last: Vec<u64>,
    turns: u64,
    /// Nodes that the monitor had heard of when it was last looked at.
    heard: Option<u64>,
}

impl SimulatedClocks {
    /// Who is furthest behind, of these who is at work, and of these who has waited longest; nobody if all have
    /// ended.
    fn next(&self) -> Option<usize> {
        let others = (0..self.nodes.len()).filter(|&thread| self.states[thread] != SimulatedState::Ended);
        others.min_by_key(|&thread| {
            (self.nodes[thread], self.states[thread] == SimulatedState::Idle, self.last[thread])
        })
    }

    /// The clock of the last one that is at work.
    fn least_at_work(&self) -> Option<u64> {
        let at_work = (0..self.nodes.len()).filter(|&thread| self.states[thread] == SimulatedState::AtWork);
        at_work.map(|thread| self.nodes[thread]).min()
    }
}

/// The threads of one search.
#[derive(Debug)]
struct Simulation {
    clocks: Mutex<SimulatedClocks>,
    /// What each thread waits at for its turn.
    turns: Vec<Condvar>,
}

impl Simulation {
    fn new(threads: usize) -> Simulation {
        let states = vec![SimulatedState::AtWork; threads];
        let last = vec![0; threads];
        let clocks = SimulatedClocks { nodes: vec![0; threads], states, running: 0, last, turns: 0, heard: None };
        Simulation { clocks: Mutex::new(clocks), turns: (0..threads).map(|_| Condvar::new()).collect() }
    }

    fn clocks(&self) -> MutexGuard<'_, SimulatedClocks> {
        self.clocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the next one run.
    fn pass_on(&self, clocks: &mut SimulatedClocks) {
        if let Some(next) = clocks.next() {
            clocks.running = next;
            clocks.turns += 1;
            clocks.last[next] = clocks.turns;
            self.turns[next].notify_one();
        }
    }
}

/// One thread of a search.
#[derive(Debug)]
struct SimulatedThread {
    all: Arc<Simulation>,
    number: usize,
}

impl SimulatedThread {
    /// Waits for its turn.
    fn wait(&self, mut clocks: MutexGuard<'_, SimulatedClocks>) {
        while clocks.running != self.number {
            clocks = self.all.turns[self.number].wait(clocks).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The monitor has heard of so many nodes; those that are new are of this thread.
    fn visited(&self, heard: u64) {
        let mut clocks = self.all.clocks();
        let new = heard - clocks.heard.replace(heard).unwrap_or(heard).min(heard);
        if new > 0 {
            clocks.nodes[self.number] += new;
            clocks.states[self.number] = SimulatedState::AtWork;
        }
        self.all.pass_on(&mut clocks);
        self.wait(clocks);
    }

    /// It has nothing to do.
    fn idle(&self) {
        let mut clocks = self.all.clocks();
        clocks.states[self.number] = SimulatedState::Idle;
        if let Some(least) = clocks.least_at_work() {
            clocks.nodes[self.number] = clocks.nodes[self.number].max(least);
        }
        self.all.pass_on(&mut clocks);
        self.wait(clocks);
    }
}

/// A thread that has ended leaves its turn to others, even if that was by a panic.
impl Drop for SimulatedThread {
    fn drop(&mut self) {
        let mut clocks = self.all.clocks();
        clocks.states[self.number] = SimulatedState::Ended;
        if clocks.running == self.number {
            self.all.pass_on(&mut clocks);
        }
    }
}

fn as_simulated(act: impl FnOnce(&SimulatedThread)) {
    OWN.with(|thread| {
        if let Some(thread) = &*thread.borrow() {
            act(thread);
        }
    });
}

/// Says what this thread is, or that it is none that is simulated.
fn set_simulated(new: Option<SimulatedThread>) {
    let old = OWN.with(|thread| thread.replace(new));
    drop(old);
}

fn together(tasks: Vec<HelperTask<'_>>, leader: &mut dyn FnMut()) {
    let all = Arc::new(Simulation::new(1 + tasks.len()));
    let thread = |number| SimulatedThread { all: Arc::clone(&all), number };
    std::thread::scope(|scope| {
        for (task, number) in tasks.into_iter().zip(1..) {
            // A thread that the system does not give ends with its task.
            let own = thread(number);
            let run = move || {
                own.wait(own.all.clocks());
                set_simulated(Some(own));
                task();
                set_simulated(None);
            };
            let _ = std::thread::Builder::new().name("simulated".to_owned()).spawn_scoped(scope, run);
        }
        set_simulated(Some(thread(0)));
        leader();
        set_simulated(None);
    });
    let time = all.clocks().nodes.iter().copied().max().unwrap_or(0);
    LED.set(LED.get() + time);
}

fn give_way() {
    as_simulated(SimulatedThread::idle);
}

/// Nodes on the clock of this thread.
fn seconds() -> f64 {
    let mut nodes = LED.get();
    as_simulated(|thread| nodes += thread.all.clocks().nodes[thread.number]);
    nodes as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::reversi::board::ReversiBoard;
    use crate::games::reversi::position::{ReversiPosition, Start};
    use crate::solvers::parallel::speedup::{SpeedupRow, draw_positions, measure_speedup};
    use crate::solvers::parallel::{Scheme, Sharing, search_parallel};
    use crate::solvers::table::Table;

    fn measured(scheme: Scheme, threads: usize) -> SpeedupRow {
        let start = ReversiPosition::new(ReversiBoard::new(6, 6).unwrap(), Start::Standard);
        let positions = draw_positions(&start, 6, 4, 1);
        let (table, monitor) = (Table::new(1 << 20).unwrap(), simulation());
        let sharing = Sharing { scheme, threads, means: SIMULATED_MEANS };
        measure_speedup(&positions, 6, sharing, &table, &monitor).unwrap()
    }

    /// One thread has as much time as nodes, several have less, and the same each time.
    #[test]
    fn simulated_threads_share_a_search() {
        for scheme in Scheme::ALL {
            let one = measured(scheme, 1);
            let missing = one.counts.nodes as f64 - one.seconds;
            assert!((0.0..4.0 * 2.0 * STEP as f64).contains(&missing), "{scheme:?}: {one:?}");
            let mut before = one.seconds;
            for threads in [2, 4] {
                let row = measured(scheme, threads);
                let (again, work) = (measured(scheme, threads), row.counts.nodes as f64);
                assert_eq!((row.seconds, row.counts), (again.seconds, again.counts), "{scheme:?}");
                assert!(row.seconds < before, "{scheme:?}: {row:?} after {before}");
                // All that is done takes the time of all threads.
                let whole = row.seconds * threads as f64;
                let slack = (4 * threads) as f64 * 4.0 * STEP as f64;
                assert!(work <= whole + slack, "{scheme:?}: {row:?}");
                if scheme != Scheme::Abdada {
                    assert!((work + row.counts.waited - whole).abs() < slack, "{scheme:?}: {row:?}");
                }
                before = row.seconds;
            }
        }
    }

    /// The value is that of threads of the system.
    #[test]
    fn simulated_threads_find_the_same_value() {
        let start = ReversiPosition::new(ReversiBoard::new(6, 6).unwrap(), Start::Standard);
        let table = Table::new(1 << 20).unwrap();
        for (number, position) in draw_positions(&start, 8, 6, 2).iter().enumerate() {
            let value = |scheme, threads, means| {
                table.clear();
                let sharing = Sharing { scheme, threads, means };
                search_parallel(position, 5, sharing, &table, &simulation()).unwrap().value
            };
            let expected = value(Scheme::PvSplit, 1, crate::runner::parallel::THREAD_MEANS);
            for scheme in Scheme::ALL {
                assert_eq!(value(scheme, 3, SIMULATED_MEANS), expected, "position {number}, {scheme:?}");
            }
        }
    }
}

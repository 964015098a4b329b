//! A unit of a solution as the workers of a queue compute it.
//!
//! A depth-first search of a game is a recursion, which cannot be left and entered again. So each solver has a thread
//! of its own for its searches, and the worker that has the unit waits for it. When other units come first, the
//! search pauses where it is and the worker leaves. The search loses nothing, and its outcome depends on the unit
//! alone, as it would without an interruption. At no time do more threads search than the queue has workers.

pub mod portable;

use super::Elsewhere;
use super::exchange::ToldRecords;
use super::solver::{SharedTable, Solver, SolverAnswer, UnitControl};
use crate::core::game::Game;
use crate::core::panic::panic_text;
use crate::jobs::tree::coordinator::LeafUnit;
use crate::jobs::tree::credit::Spent;
use crate::jobs::tree::unit::{UnitId, UnitOutcome};
use crate::queue::copies::UnitCopy;
use crate::queue::{Lease, Portable, Unit};
use crate::runner::contract::Trap;
use crate::solvers::table::TableError;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Time between two looks whether the search has to yield its worker.
const LOOK: Duration = Duration::from_millis(2);

/// Makes a solver. It is called on the solver's own thread, when the first unit comes.
pub type SolverFactory<G> = Box<dyn FnOnce() -> Result<Box<dyn Solver<G>>, TableError> + Send>;

/// How a unit came back.
#[derive(Debug)]
pub enum SearchReply {
    /// The solver has ended with it.
    Answered {
        /// What it answers.
        answer: SolverAnswer,
        /// What it took.
        spent: Spent,
        /// What a search said that broke down.
        error: Option<String>,
    },
    /// There is no memory for the solver's table.
    NoTable(TableError),
    /// The solver's thread cannot be started.
    NoThread(io::Error),
}

/// A unit on its way to a solver.
struct SearchTask<G> {
    work: Arc<LeafUnit<G>>,
    control: Arc<UnitControl>,
    back: Sender<SearchReply>,
}

/// A solver's thread. It is started when the first unit comes, and ends when this value is dropped.
pub struct SearchThread<G>(Mutex<ThreadState<G>>);

enum ThreadState<G> {
    Empty(Option<SolverFactory<G>>),
    Taken(Sender<SearchTask<G>>),
}

impl<G: Game + Send + Sync + 'static> SearchThread<G> {
    /// For a solver that is still to be made.
    pub fn new(factory: SolverFactory<G>) -> SearchThread<G> {
        SearchThread(Mutex::new(ThreadState::Empty(Some(factory))))
    }

    fn give(&self, task: SearchTask<G>) {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let ThreadState::Empty(factory) = &mut *place {
            let (sender, tasks) = unbounded();
            let Some(factory) = factory.take() else { return };
            match std::thread::Builder::new().name("search".to_owned()).spawn(move || run(factory, &tasks)) {
                Ok(_) => *place = ThreadState::Taken(sender),
                Err(error) => {
                    let _ = task.back.send(SearchReply::NoThread(error));
                    return;
                }
            }
        }
        if let ThreadState::Taken(tasks) = &*place {
            // A thread that has ended drops the task, and the way back with it.
            let _ = tasks.send(task);
        }
    }
}

/// Makes the solver and answers units until there are no more.
fn run<G: Game + Sync>(factory: SolverFactory<G>, tasks: &Receiver<SearchTask<G>>) {
    let mut hired = catch_unwind(AssertUnwindSafe(factory));
    for SearchTask { work, control, back } in tasks {
        control.start();
        let ended = match &mut hired {
            Ok(Ok(solver)) => {
                let answer = catch_unwind(AssertUnwindSafe(|| solver.solve(&work, &control)));
                control.read_clock();
                let (answer, error) = match answer {
                    Ok(answer) => (answer, None),
                    Err(panic) => {
                        let (window, nodes) = (control.window(), control.spent().nodes);
                        (SolverAnswer { window, outcome: UnitOutcome::Failed, nodes }, Some(panic_text(&*panic)))
                    }
                };
                let spent = Spent { nodes: answer.nodes, ..control.spent() };
                SearchReply::Answered { answer, spent, error }
            }
            Ok(Err(error)) => SearchReply::NoTable(*error),
            Err(panic) => {
                let answer = SolverAnswer { window: control.window(), outcome: UnitOutcome::Failed, nodes: 0 };
                SearchReply::Answered { answer, spent: Spent::default(), error: Some(panic_text(&**panic)) }
            }
        };
        // Nobody may want it any more.
        let _ = back.send(ended);
        control.end();
    }
}

/// A unit of a solution.
pub struct TreeUnit<G> {
    work: Arc<LeafUnit<G>>,
    control: Arc<UnitControl>,
    thread: Arc<SearchThread<G>>,
    trap: Option<Trap>,
    place: UnitPlace,
    /// What another machine was told with it of what others have found.
    told: Arc<Mutex<Option<ToldRecords>>>,
    /// On the other machine: how often it has heard more of that, and how often it has said so.
    heard: Arc<[AtomicU64; 2]>,
    /// Which copy it is, if several have to agree.
    copy: Option<UnitCopy>,
}

/// Where a unit may be computed, or comes from.
#[derive(Debug, Clone)]
pub enum UnitPlace {
    /// By a thread of this process.
    HereOnly,
    /// Here, or on another machine.
    Anywhere(Elsewhere),
    /// It comes from another machine, and the solvers here have this table.
    FromElsewhere(Arc<SharedTable>),
}

impl<G> TreeUnit<G> {
    /// To be searched by the solver of a thread, or where `place` says.
    pub fn new(
        work: LeafUnit<G>,
        control: Arc<UnitControl>,
        thread: Arc<SearchThread<G>>,
        trap: Option<Trap>,
        place: UnitPlace,
    ) -> TreeUnit<G> {
        let (told, heard) = Default::default();
        TreeUnit { work: Arc::new(work), control, thread, trap, place, told, heard, copy: None }
    }

    /// The same as a copy of a unit on which several have to agree.
    #[must_use]
    pub fn with_copy(self, copy: Option<UnitCopy>) -> TreeUnit<G> {
        TreeUnit { copy, ..self }
    }
}

impl<G> Clone for TreeUnit<G> {
    fn clone(&self) -> TreeUnit<G> {
        let TreeUnit { work, control, thread, trap, place, told, heard, copy } = self;
        TreeUnit {
            work: Arc::clone(work),
            control: Arc::clone(control),
            thread: Arc::clone(thread),
            trap: trap.as_ref().map(Arc::clone),
            place: place.clone(),
            told: Arc::clone(told),
            heard: Arc::clone(heard),
            copy: copy.clone(),
        }
    }
}

impl<G> fmt::Debug for TreeUnit<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TreeUnit").field("unit", &self.work.unit).finish_non_exhaustive()
    }
}

/// A search that was begun.
pub struct BegunSearch {
    control: Arc<UnitControl>,
    back: Receiver<SearchReply>,
    /// Nodes when it was last heard of.
    heard: Option<u64>,
}

/// A search that nobody waits for any more ends.
impl Drop for BegunSearch {
    fn drop(&mut self) {
        self.control.cancel();
        self.control.release();
    }
}

impl<G: Game + Send + Sync + 'static> Unit for TreeUnit<G> {
    type Running = BegunSearch;
    type Report = ();
    type Outcome = SearchReply;

    fn begin(&self, attempt: u32) -> Result<BegunSearch, String> {
        if let Some(trap) = &self.trap {
            trap(self.work.unit, attempt);
        }
        let (sender, back) = bounded(1);
        let control = Arc::clone(&self.control);
        self.thread.give(SearchTask { work: Arc::clone(&self.work), control: Arc::clone(&control), back: sender });
        Ok(BegunSearch { control, back, heard: None })
    }

    fn run(&self, running: &mut BegunSearch, lease: &dyn Lease<()>) -> Option<SearchReply> {
        self.control.release();
        loop {
            match running.back.recv_timeout(LOOK) {
                Ok(ended) => return Some(ended),
                Err(RecvTimeoutError::Disconnected) => {
                    let answer =
                        SolverAnswer { window: self.control.window(), outcome: UnitOutcome::Failed, nodes: 0 };
                    let error = Some("its thread has gone".to_owned());
                    return Some(SearchReply::Answered { answer, spent: self.control.spent(), error });
                }
                Err(RecvTimeoutError::Timeout) => {
                    // A search that does not come on is not heard of, and loses the unit in the end.
                    let nodes = Some(self.control.nodes());
                    let silent = std::mem::replace(&mut running.heard, nodes) == nodes;
                    if !silent && lease.stop().is_some() {
                        self.control.hold();
                        // It may just have ended.
                        return running.back.try_recv().ok();
                    }
                }
            }
        }
    }

    /// With a trap it stays here.
    fn portable(&self) -> Option<&dyn Portable<(), SearchReply>> {
        (!matches!(self.place, UnitPlace::HereOnly) && self.trap.is_none()).then_some(self as _)
    }
}

/// Number of a unit on its way through the queue: that of the unit, as long as one solver has it. With a quorum
/// several are; the others count from [`BEYOND`].
pub type Ticket = UnitId;

/// The first [`Ticket`] that is not the number of a unit.
pub const BEYOND: Ticket = 1 << 63;

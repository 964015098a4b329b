//! A unit of a solution on its way to another machine, and what that says of it.

use super::{SearchReply, SearchThread, TreeUnit};
use crate::core::encoding::{decode, encode};
use crate::core::game::Game;
use crate::core::quantity::mebibytes;
use crate::jobs::solve::{SolveJob, Visitor};
use crate::jobs::tree::coordinator::LeafUnit;
use crate::jobs::tree::credit::Spent;
use crate::jobs::tree::settings::Window;
use crate::jobs::tree::state::play;
use crate::jobs::tree::unit::{UnitId, UnitOutcome};
use crate::queue::any::AnyUnit;
use crate::queue::{Portable, Unpacked};
use crate::runner::engine::Plan;
use crate::runner::parcel::Parcel;
use crate::runner::tree::solver::{ByEngine, Solver, SolverAnswer, UnitControl};
use crate::solvers::solvable::Solvable;
use crate::solvers::table::Table;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A packed unit of a solution.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SolveParcel {
    /// The job as JSON.
    job: String,
    unit: UnitId,
    /// Codes of the moves from the job's position to the unit's.
    path: Vec<u16>,
    window: Window,
    budget: u64,
    alone: bool,
}

/// What the machine says of the unit.
#[derive(Debug, Serialize, Deserialize)]
enum SolveWord {
    Nodes(u64),
    Ended { window: Window, outcome: UnitOutcome, spent: Spent, error: Option<String> },
}

/// What the machine is told.
#[derive(Debug, Serialize, Deserialize)]
enum SolveOrder {
    Cancel,
    Window(Window),
}

/// A job as JSON, and a [`SearchThread`] of its game.
type KeptSolver = (String, Arc<dyn Any + Send + Sync>);

/// The solvers of a machine, one for each of its workers and the job that it was last at: its table remembers what
/// earlier units have found out.
#[derive(Default)]
pub struct SolverRegistry {
    /// Most bytes of a table.
    memory: u64,
    threads: Mutex<BTreeMap<u32, KeptSolver>>,
}

impl fmt::Debug for SolverRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SolverRegistry").field("memory", &self.memory).finish_non_exhaustive()
    }
}

impl SolverRegistry {
    /// For tables of at most `memory` bytes each.
    pub fn new(memory: u64) -> SolverRegistry {
        SolverRegistry { memory, threads: Mutex::default() }
    }

    /// The unit of a parcel, for this worker.
    ///
    /// # Errors
    /// What is wrong with it, or why it cannot be computed here.
    pub fn open(&self, parcel: SolveParcel, worker: u32) -> Result<AnyUnit, String> {
        struct OpenVisitor<'a> {
            registry: &'a SolverRegistry,
            job: &'a SolveJob,
            parcel: SolveParcel,
            worker: u32,
        }
        impl Visitor for OpenVisitor<'_> {
            type Out = Result<AnyUnit, String>;
            fn visit<G: Solvable>(self, root: G) -> Self::Out {
                let OpenVisitor { registry, job, parcel, worker } = self;
                let position = play(&root, &parcel.path).map_err(|error| error.to_string())?;
                let thread = registry.thread::<G>(&parcel.job, job, worker)?;
                let SolveParcel { job, unit, path, window, budget, alone } = parcel;
                let work = LeafUnit { unit, node: 0, path, position, window, budget, alone };
                let control = Arc::new(UnitControl::new(window, budget));
                Ok(AnyUnit::new(TreeUnit::new(work, control, thread, None, Some(job.into()))))
            }
        }
        let job: SolveJob = serde_json::from_str(&parcel.job).map_err(|error| format!("the job: {error}"))?;
        // A smaller table takes more nodes for the same value. Where several are to agree it must be the same.
        if job.memory > self.memory && parcel.alone {
            let (needed, most) = (mebibytes(job.memory), mebibytes(self.memory));
            return Err(format!("its table takes {needed} of memory, and a worker may have {most} here (--memory)"));
        }
        job.visit(OpenVisitor { registry: self, job: &job, parcel, worker })
    }

    /// The solver of a worker. When another job comes, it goes.
    fn thread<G: Solvable>(&self, text: &str, job: &SolveJob, worker: u32) -> Result<Arc<SearchThread<G>>, String> {
        let plan = Plan::new(&job.choice, 1).map_err(|error| error.to_string())?;
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, thread)) = threads.get(&worker)
            && of == text
            && let Ok(thread) = Arc::clone(thread).downcast()
        {
            return Ok(thread);
        }
        let memory = job.memory.min(self.memory);
        let factory = move || Ok(Box::new(ByEngine::new(plan, Table::new(memory)?)) as Box<dyn Solver<G>>);
        let thread = Arc::new(SearchThread::new(Box::new(factory)));
        threads.insert(worker, (text.to_owned(), Arc::clone(&thread) as _));
        Ok(thread)
    }
}

impl<G: Game + Send + Sync + 'static> Portable<(), SearchReply> for TreeUnit<G> {
    fn pack(&self, _attempt: u32) -> Vec<u8> {
        let LeafUnit { unit, path, budget, alone, .. } = &*self.work;
        Parcel::Solve(SolveParcel {
            job: self.job.as_deref().unwrap_or_default().to_owned(),
            unit: *unit,
            path: path.clone(),
            window: self.control.pass_window(),
            budget: *budget,
            alone: *alone,
        })
        .to_bytes()
    }

    fn unpack(&self, _worker: u32, message: &[u8]) -> Result<Unpacked<(), SearchReply>, String> {
        let word = decode::<SolveWord>(message).ok_or("its words about a solution cannot be read")?;
        Ok(match word {
            SolveWord::Nodes(nodes) => {
                self.control.note_nodes(nodes);
                Unpacked::Noted
            }
            SolveWord::Ended { window, outcome, spent, error } => {
                if !self.control.has_asked(window) {
                    return Err("it answers what nobody has asked".to_owned());
                }
                self.control.note_nodes(spent.nodes);
                let answer = SolverAnswer { window, outcome, nodes: spent.nodes };
                Unpacked::Outcome(SearchReply::Answered { answer, spent, error })
            }
        })
    }

    fn order(&self) -> Option<Vec<u8>> {
        self.control.take_change().map(|cancelled| {
            encode(&if cancelled { SolveOrder::Cancel } else { SolveOrder::Window(self.control.window()) })
        })
    }

    /// It begins anew.
    fn given_back(&self) {
        self.control.restart();
    }

    fn pack_report(&self, (): ()) -> Vec<u8> {
        encode(&SolveWord::Nodes(self.control.nodes()))
    }

    fn pack_outcome(&self, outcome: SearchReply) -> Vec<u8> {
        let failed = |error: String| SolveWord::Ended {
            window: self.control.window(),
            outcome: UnitOutcome::Failed,
            spent: self.control.spent(),
            error: Some(error),
        };
        encode(&match outcome {
            SearchReply::Answered { answer: SolverAnswer { window, outcome, .. }, spent, error } => {
                SolveWord::Ended { window, outcome, spent, error }
            }
            SearchReply::NoTable(error) => failed(error.to_string()),
            SearchReply::NoThread(error) => failed(format!("cannot start a thread: {error}")),
        })
    }

    fn news(&self) -> Vec<Vec<u8>> {
        vec![encode(&SolveWord::Nodes(self.control.nodes()))]
    }

    /// The budget is the most that it may take.
    fn fraction(&self) -> Option<f64> {
        Some(self.control.nodes() as f64 / self.work.budget.max(1) as f64)
    }

    fn cancelled(&self) -> Option<SearchReply> {
        self.control.is_cancelled().then(|| {
            let (window, spent) = (self.control.window(), self.control.spent());
            let answer = SolverAnswer { window, outcome: UnitOutcome::Stopped, nodes: spent.nodes };
            SearchReply::Answered { answer, spent, error: None }
        })
    }

    /// What it took may differ.
    fn agree(&self, one: &[u8], other: &[u8]) -> bool {
        let said = |word: &[u8]| match decode(word) {
            Some(SolveWord::Ended { window, outcome, .. }) => Some((window, outcome)),
            Some(SolveWord::Nodes(_)) | None => None,
        };
        said(one).is_some_and(|one| said(other) == Some(one))
    }

    fn obey(&self, order: &[u8]) -> Result<(), String> {
        match decode(order).ok_or("the order cannot be read")? {
            SolveOrder::Cancel => self.control.cancel(),
            SolveOrder::Window(window) => self.control.set_window(window),
        }
        Ok(())
    }
}

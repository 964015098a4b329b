//! A unit of a proof as a worker computes it: the search below an open case, or a random descent from it.

use crate::core::seed::rng;
use crate::jobs::prove::CaseUnit;
use crate::morpion::geometry::Point;
use crate::morpion::variant::Variant;
use crate::proofs::branching::{DiveEnd, ProofCounts, ProofSearch, ProofSearchState, UnitEnd};
use crate::proofs::file::ProofRecord;
use crate::proofs::leaf::fill_points;
use crate::proofs::program::{PointState, Program};
use crate::proofs::relaxation::Relaxation;
use crate::queue::{Lease, Portable, Stop, Unit};
use crate::runner::contract::Trap;
use crate::runner::cpu;
use rand::RngExt;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a unit that had to give way before its first step goes on the next time.
const FIRST_PATIENCE: Duration = Duration::from_millis(250);

/// A solver of linear programs that a worker can hand on to another.
pub type LinearSolver = Box<dyn Relaxation + Send>;
/// Makes a solver of linear programs for a worker.
pub type SolverMaker = Arc<dyn Fn(&Program) -> LinearSolver + Send + Sync>;

/// A program with solvers for its units. A unit goes on with the solvers of one that has ended, and with what that
/// has learned.
#[derive(Clone)]
pub struct SolvedProgram {
    program: Arc<Program>,
    make: SolverMaker,
    idle: Arc<Mutex<Vec<ProofSearchState<LinearSolver>>>>,
}

impl SolvedProgram {
    /// With a maker of solvers; none is made yet.
    pub fn new(program: Arc<Program>, make: SolverMaker) -> SolvedProgram {
        SolvedProgram { program, make, idle: Arc::default() }
    }

    /// The program that the units belong to.
    pub fn program(&self) -> &Program {
        &self.program
    }

    fn search(&self) -> ProofSearch<'_, LinearSolver> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(state) => ProofSearch::resume(&self.program, &*self.make, state),
            None => ProofSearch::new(&self.program, &*self.make),
        }
    }

    fn give_back(&self, search: ProofSearch<LinearSolver>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(search.into_state());
    }
}

impl fmt::Debug for SolvedProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SolvedProgram").field("moves", &self.program.moves()).finish_non_exhaustive()
    }
}

/// The solver of linear programs, if this program was built with it.
pub fn solver() -> Option<SolverMaker> {
    #[cfg(feature = "prove")]
    {
        use crate::proofs::highs::HighsRelaxation;
        let make = |program: &Program| -> LinearSolver { Box::new(HighsRelaxation::new(program)) };
        Some(Arc::new(make))
    }
    #[cfg(not(feature = "prove"))]
    None
}

/// What a unit ends with, and what that took.
#[derive(Debug, Clone, PartialEq)]
pub struct ProveOutcome {
    /// What it ended with.
    pub(super) end: UnitEnd,
    /// What was counted.
    pub(super) counts: ProofCounts,
    /// Processor time that it took.
    pub(super) milliseconds: u64,
}

impl ProveOutcome {
    /// Searches below an open case.
    pub fn of<L: Relaxation>(
        search: &mut ProofSearch<L>,
        variant: Variant,
        open: &CaseUnit,
        stop: &dyn Fn() -> bool,
    ) -> ProveOutcome {
        let began = cpu::thread_seconds();
        let mut fill = |points: &[Point], conflicts: &mut u64| fill_points(variant, points, conflicts, stop);
        let end = search.run(&open.case, open.budget, &mut fill, stop);
        let counts = search.take_counts();
        let seconds = cpu::thread_seconds().zip(began).map_or(0.0, |(now, began)| now - began);
        ProveOutcome { end, counts, milliseconds: (seconds * 1e3).round() as u64 }
    }

    /// Its record; none if the unit was stopped before its first step.
    pub fn record(self, unit: u64) -> Option<ProofRecord> {
        let ProveOutcome { end, counts, milliseconds } = self;
        match end {
            UnitEnd::Stopped => None,
            UnitEnd::Grid(moves) => Some(ProofRecord::Grid(moves)),
            UnitEnd::Steps(steps) => Some(ProofRecord::Unit { unit, counts, milliseconds, steps }),
        }
    }

    /// Cases that it looked at.
    pub fn nodes(&self) -> u64 {
        self.counts.nodes
    }
}

/// What a worker does with a case.
#[derive(Debug, Clone)]
pub(super) enum ProveTask {
    /// The search below it.
    Search(CaseUnit),
    /// A descent whose random numbers have this seed.
    Dive(Vec<PointState>, u64),
}

/// What a worker brings back.
#[derive(Debug, Clone, PartialEq)]
pub enum ProveReply {
    /// The outcome of a unit.
    Searched(ProveOutcome),
    /// The end of a descent.
    Dived(DiveEnd),
}

/// A unit of a proof on its way through a queue.
#[derive(Clone)]
pub struct ProveUnit {
    pub(super) task: ProveTask,
    pub(super) solved: SolvedProgram,
    trap: Option<Trap>,
}

impl ProveUnit {
    /// The search below an open case.
    pub fn search(open: CaseUnit, solved: SolvedProgram, trap: Option<Trap>) -> ProveUnit {
        ProveUnit { task: ProveTask::Search(open), solved, trap }
    }

    /// A random descent from an open case.
    pub fn dive(case: Vec<PointState>, seed: u64, solved: SolvedProgram) -> ProveUnit {
        ProveUnit { task: ProveTask::Dive(case, seed), solved, trap: None }
    }
}

impl fmt::Debug for ProveUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProveUnit").field("task", &self.task).finish_non_exhaustive()
    }
}

impl Unit for ProveUnit {
    /// How often it had to give way before its first step.
    type Running = u32;
    type Report = ();
    type Outcome = ProveReply;

    fn portable(&self) -> Option<&dyn Portable<(), ProveReply>> {
        Some(self)
    }

    fn begin(&self, attempt: u32) -> Result<u32, String> {
        if let (Some(trap), ProveTask::Search(open)) = (&self.trap, &self.task) {
            trap(open.unit, attempt);
        }
        Ok(0)
    }

    /// When it is to stop, it brings back what it has found out and hands the rest on. Only if that is nothing, it is
    /// begun anew later; then it gives way less readily each time, so that it gets on where one case takes long.
    fn run(&self, waits: &mut u32, lease: &dyn Lease<()>) -> Option<ProveReply> {
        let (began, patience) = (Instant::now(), FIRST_PATIENCE * ((1 << (*waits).min(10)) - 1));
        let stop = || match lease.stop() {
            None => false,
            Some(Stop::Preempted) => began.elapsed() >= patience,
            Some(Stop::Halted) => true,
        };
        let variant = self.solved.program.variant();
        let mut search = self.solved.search();
        let reply = match &self.task {
            ProveTask::Search(open) => {
                let outcome = ProveOutcome::of(&mut search, variant, open, &stop);
                (outcome.end != UnitEnd::Stopped).then_some(ProveReply::Searched(outcome))
            }
            ProveTask::Dive(case, seed) => {
                let mut rng = rng(*seed, &[]);
                let mut fill = |points: &[Point], conflicts: &mut u64| fill_points(variant, points, conflicts, &stop);
                let end = search.dive(case, &mut fill, &mut || rng.random(), &stop);
                (end != DiveEnd::Stopped).then_some(ProveReply::Dived(end))
            }
        };
        self.solved.give_back(search);
        *waits += u32::from(reply.is_none());
        reply
    }
}

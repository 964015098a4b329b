//! The engine that somebody chose, on one thread or several.

use super::parallel::Parallel;
use super::tree::solver::MakeEngine;
use crate::solvers::algorithm::DepthFirst;
use crate::solvers::busy::Busy;
use crate::solvers::choice::{ChoiceError, EngineChoice, EngineKind};
use crate::solvers::dfpn::Dfpn;
use crate::solvers::monitor::Monitor;
use crate::solvers::search::{Parts, Stats};
use crate::solvers::solvable::Solvable;
use crate::solvers::solve::Engine;
use crate::solvers::table::Table;

/// An engine, yet to be made.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    kind: EngineKind,
    parts: Parts,
    threads: usize,
}

impl Plan {
    /// The plan for an engine on this number of threads.
    ///
    /// # Errors
    /// What does not go together.
    pub fn new(choice: &EngineChoice, threads: usize) -> Result<Plan, ChoiceError> {
        Ok(Plan { kind: choice.kind(threads)?, parts: choice.parts(), threads })
    }
}

impl<G: Solvable> MakeEngine<G> for Plan {
    fn make<'a>(&self, table: &'a Table, busy: &'a Busy, monitor: &'a Monitor) -> Box<dyn Engine<G> + 'a> {
        let Plan { kind, parts, threads } = *self;
        let stats = Stats::default();
        let shared = (threads > 1).then_some(busy);
        match kind {
            EngineKind::Own => Box::new(Parallel::new(threads, monitor, || G::own(table, shared, monitor))),
            EngineKind::Dfpn => {
                let (symmetry, bounds) = (parts.symmetry, parts.bounds);
                Box::new(Dfpn { symmetry, bounds, table, monitor, stats })
            }
            EngineKind::DepthFirst(algorithm) => {
                let engine = || DepthFirst { algorithm, parts, table, busy: shared, monitor, stats };
                Box::new(Parallel::new(threads, monitor, engine))
            }
        }
    }
}

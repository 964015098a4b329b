//! A proof as a job: that a region has no grid of so many moves. Its units are open cases, that is, prefixes of
//! decisions; the outcome of a unit is the tree below its case, with the cases that it hands on (`proofs`).
//!
//! The coordinator hands out the newest open case first. So the search is depth first, and few units are open.

use crate::morpion::geometry::{Move, Point};
use crate::morpion::referee::{self, ReplayError};
use crate::morpion::variant::Variant;
use crate::proofs::branching::ProofCounts;
use crate::proofs::file::{ProofRecord, Statement};
use crate::proofs::program::{PointState, Program};
use crate::proofs::region::{Region, RegionError};
use crate::proofs::tree::{OpenCase, ProofTree, StepsError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Linear programs after which a unit hands the rest on: about a second in a hull, some ten in a box.
const BUDGET: u64 = 1000;
/// The same while fewer units are open than this many for each worker.
const FIRST_BUDGET: u64 = 100;
const FEW_UNITS: usize = 3;

/// A region, and the number of moves that no grid in it is to have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProveJob {
    /// The variant of the puzzle.
    pub variant: Variant,
    /// The number of moves.
    pub moves: u32,
    /// How the region is called.
    pub region: String,
    /// Column and row of each point of the region beyond the cross, in the order of points.
    pub points: Vec<[i32; 2]>,
}

/// Why a stored job is no proof that can be begun.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProveJobError {
    /// A point lies outside of the playing area.
    #[error("the region has the point ({},{}), outside of the playing area of 60x60 points", .0[0], .0[1])]
    Outside([i32; 2]),
    /// The points are no region.
    #[error(transparent)]
    Region(#[from] RegionError),
}

impl From<&Statement> for ProveJob {
    fn from(statement: &Statement) -> ProveJob {
        let Statement { region, title, moves } = statement;
        let points = region.added().iter().map(|point| [point.x(), point.y()]).collect();
        ProveJob { variant: region.variant(), moves: *moves, region: title.clone(), points }
    }
}

impl ProveJob {
    /// What is to be proved.
    ///
    /// # Errors
    /// If the points are not those of a region.
    pub fn statement(&self) -> Result<Statement, ProveJobError> {
        let points = self.points.iter().map(|&[x, y]| Point::new(x, y).ok_or(ProveJobError::Outside([x, y])));
        let region = Region::new(self.variant, points.collect::<Result<Vec<_>, _>>()?)?;
        Ok(Statement { region, title: self.region.clone(), moves: self.moves })
    }
}

/// Why a record does not belong to a proof.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProofMisfit {
    /// An outcome does not follow.
    #[error(transparent)]
    Steps(#[from] StepsError),
    /// The filler's grid is illegal: a defect of the program.
    #[error("the grid that was found is illegal: {0}")]
    Illegal(#[from] ReplayError),
}

/// How a proof ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProvingEnd {
    /// Every case is closed.
    Proved,
    /// A grid of so many moves is in the region.
    Grid(Vec<Move>),
    /// It was stopped; the rest is open.
    Open,
}

/// Where a proof is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProvingProgress {
    /// Counts of all units done.
    pub counts: ProofCounts,
    /// The closed part, by volume: the sum of `2^-depth` over closed cases.
    pub closed: f64,
    /// How many units are open.
    pub open: u64,
    /// How many units are done.
    pub done: u64,
    /// Processor seconds of all units done.
    pub cpu: f64,
}

/// A unit that is handed out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseUnit {
    /// Its number in the proof.
    pub unit: u64,
    /// What is decided.
    pub case: Vec<PointState>,
    /// Linear programs after which it is to hand the rest on.
    pub budget: u64,
}

/// The coordinator of a proof: which units are open, done and handed out.
#[derive(Debug, Clone)]
pub struct ProveCoordinator {
    program: Arc<Program>,
    tree: ProofTree,
    grid: Option<Vec<Move>>,
    milliseconds: u64,
    /// Units that are handed out.
    taken: BTreeSet<u64>,
}

impl ProveCoordinator {
    /// A proof that begins.
    pub fn new(statement: &Statement) -> ProveCoordinator {
        let program = Program::new(&statement.region, statement.moves);
        let tree = ProofTree::new(&program);
        ProveCoordinator { program: Arc::new(program), tree, grid: None, milliseconds: 0, taken: BTreeSet::new() }
    }

    /// The next unit for one of so many workers; none if all open ones are handed out.
    pub fn next(&mut self, workers: usize) -> Option<CaseUnit> {
        let open = self.tree.open();
        let (&unit, OpenCase { case, .. }) = open.iter().rev().find(|(unit, _)| !self.taken.contains(unit))?;
        let budget = if open.len() < FEW_UNITS * workers && workers > 1 { FIRST_BUDGET } else { BUDGET };
        let case = case.clone();
        self.taken.insert(unit);
        Some(CaseUnit { unit, case, budget })
    }

    /// A unit that was handed out has no outcome, and is open again.
    pub fn give_back(&mut self, unit: u64) {
        self.taken.remove(&unit);
    }

    /// The case of an open unit, which `number` chooses: for random descents.
    pub fn some_open(&self, number: u64) -> Option<Vec<PointState>> {
        let open = self.tree.open();
        let at = crate::core::seed::derive(number, &[]) % (open.len() as u64).max(1);
        open.values().nth(at as usize).map(|open| open.case.clone())
    }

    /// What a record changes: the same for a running proof and for one that is read.
    ///
    /// # Errors
    /// If it does not follow; nothing has changed then.
    pub fn apply(&mut self, record: ProofRecord) -> Result<(), ProofMisfit> {
        match record {
            ProofRecord::Unit { unit, counts, milliseconds, steps } => {
                self.tree.absorb(&self.program, unit, &steps, counts)?;
                self.taken.remove(&unit);
                self.milliseconds += milliseconds;
            }
            ProofRecord::Grid(moves) => {
                referee::replay(self.program.variant(), &moves)?;
                self.grid = Some(moves);
            }
        }
        Ok(())
    }

    /// The linear program of the region.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The tree of cases.
    pub fn tree(&self) -> &ProofTree {
        &self.tree
    }

    /// Where the proof is.
    pub fn progress(&self) -> ProvingProgress {
        ProvingProgress {
            counts: self.tree.counts(),
            closed: self.tree.closed(),
            open: self.tree.open().len() as u64,
            done: self.tree.done(),
            cpu: self.milliseconds as f64 / 1e3,
        }
    }

    /// How it would end now.
    pub fn end(&self) -> ProvingEnd {
        match &self.grid {
            Some(moves) => ProvingEnd::Grid(moves.clone()),
            None if self.tree.open().is_empty() => ProvingEnd::Proved,
            None => ProvingEnd::Open,
        }
    }
}

//! The tree of a proof, as units: which are open, how much is closed.
//!
//! A unit is an open case: a prefix of decisions. Its outcome is the steps of the tree below it (`branching`), in
//! which cases that were handed on are the next units, numbered in the order of the outcomes. So the outcomes, one
//! after the other, are the state of the proof, and its certificate too. One `absorb` serves the running proof and
//! the replay.

use super::branching::{ProofCounts, Step, apply, other};
use super::program::{PointState, Program, ProgramRow, Verdict};
use crate::morpion::geometry::Point;
use std::collections::BTreeMap;

/// An open case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCase {
    /// What is decided.
    pub case: Vec<PointState>,
    /// Splits above it.
    pub depth: u32,
}

/// Why steps are not those of a unit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepsError {
    /// The number is not that of an open unit.
    #[error("unit {0} is not open")]
    NotOpen(u64),
    /// The steps end before the tree is complete, or go on after it.
    #[error("unit {unit} has {} steps than its tree", if *.more { "more" } else { "fewer" })]
    WrongLength {
        /// The number of the unit.
        unit: u64,
        /// Whether there are too many.
        more: bool,
    },
    /// A step does not follow.
    #[error("step {step} of unit {unit} {reason}")]
    Wrong {
        /// The number of the unit.
        unit: u64,
        /// The number of the step, from 0.
        step: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
}

/// What is done and what is open of a proof.
#[derive(Debug, Clone)]
pub struct ProofTree {
    open: BTreeMap<u64, OpenCase>,
    next: u64,
    done: u64,
    /// The sum of `2^-depth` over closed cases.
    closed: f64,
    counts: ProofCounts,
}

impl ProofTree {
    /// With the whole region as the one open unit.
    pub fn new(program: &Program) -> ProofTree {
        let root = OpenCase { case: program.whole(), depth: 0 };
        ProofTree { open: BTreeMap::from([(0, root)]), next: 1, done: 0, closed: 0.0, counts: ProofCounts::default() }
    }

    /// The open units by number.
    pub fn open(&self) -> &BTreeMap<u64, OpenCase> {
        &self.open
    }

    /// Units whose outcome is known.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// The closed part: the sum of `2^-depth` over closed cases; 1 when nothing is open, up to rounding.
    pub fn closed(&self) -> f64 {
        if self.open.is_empty() { 1.0 } else { self.closed }
    }

    /// What was counted in all units done.
    pub fn counts(&self) -> ProofCounts {
        self.counts
    }

    /// Puts the outcome of a unit in its place.
    ///
    /// # Errors
    /// If the steps do not follow; nothing has changed then.
    pub fn absorb(
        &mut self,
        program: &Program,
        unit: u64,
        steps: &[Step],
        counts: ProofCounts,
    ) -> Result<(), StepsError> {
        let root = self.open.get(&unit).ok_or(StepsError::NotOpen(unit))?;
        let (handed, closed) = walk(program, unit, root, steps, &mut |_| true)?;
        self.open.remove(&unit);
        for case in handed {
            self.open.insert(self.next, case);
            self.next += 1;
        }
        self.closed += closed;
        self.done += 1;
        self.counts += counts;
        Ok(())
    }
}

/// Checks that steps are those of a unit, the refuted sets of points included: `is_refuted` is asked about each.
///
/// # Errors
/// If a step does not follow.
pub fn check_steps(
    program: &Program,
    unit: u64,
    case: &[PointState],
    steps: &[Step],
    is_refuted: &mut dyn FnMut(&[Point]) -> bool,
) -> Result<(), StepsError> {
    let root = OpenCase { case: case.to_vec(), depth: 0 };
    walk(program, unit, &root, steps, is_refuted).map(|_| ())
}

/// Walks through the tree below a case: the cases that are handed on, and the part that is closed, by volume.
fn walk(
    program: &Program,
    unit: u64,
    root: &OpenCase,
    steps: &[Step],
    is_refuted: &mut dyn FnMut(&[Point]) -> bool,
) -> Result<(Vec<OpenCase>, f64), StepsError> {
    let (mut stack, mut handed, mut closed) = (vec![root.clone()], Vec::new(), 0.0);
    let (mut sums, mut loops) = (Vec::new(), Vec::<ProgramRow>::new());
    for (number, step) in steps.iter().enumerate() {
        let wrong = |reason| StepsError::Wrong { unit, step: number, reason };
        let mut at = stack.pop().ok_or(StepsError::WrongLength { unit, more: true })?;
        let volume = 0.5f64.powi(at.depth.min(1000) as i32);
        match step {
            Step::Refuted => {
                let points =
                    program.decided(&at.case).ok_or_else(|| wrong("refutes a case with points undecided"))?;
                // Of another number of points there is no grid with so many moves.
                if points.len() == program.moves() as usize && !is_refuted(&points) {
                    return Err(wrong("refutes a set of points that is not refuted"));
                }
                closed += volume;
            }
            Step::Handed => handed.push(at),
            Step::Loop(named) => {
                if !named.fits(program) {
                    return Err(wrong("has a loop whose numbers are not those of points in order"));
                }
                loops.push(named.row(program));
                stack.push(at);
            }
            Step::Split { point, first } => {
                let state = at.case.get(usize::from(*point));
                if state != Some(&PointState::Open) || *first == PointState::Open {
                    return Err(wrong("splits a case at a point that is not open"));
                }
                for state in [other(*first), *first] {
                    let mut case = at.case.clone();
                    case[usize::from(*point)] = state;
                    stack.push(OpenCase { case, depth: at.depth + 1 });
                }
            }
            Step::Witness(witness) => {
                let fits = |&(row, by): &(u32, i64)| {
                    program.row(&loops, row).is_some_and(|row| by > 0 || by < 0 && row.equation)
                };
                // Sums over all columns stay within 63 bits then.
                let total: u128 = witness.iter().map(|&(_, by)| u128::from(by.unsigned_abs())).sum();
                if total.saturating_mul(program.columns() as u128 + u128::from(program.moves())) >= 1 << 62 {
                    return Err(wrong("has multipliers that are too large"));
                }
                if !witness.iter().all(fits) {
                    return Err(wrong("has a multiplier of a wrong sign or row"));
                }
                match program.judge(witness, &loops, &at.case, &mut sums) {
                    Verdict::Closed => closed += volume,
                    Verdict::Decides(points) if points.is_empty() => return Err(wrong("decides nothing")),
                    Verdict::Decides(points) => {
                        apply(&mut at.case, &points);
                        stack.push(at);
                    }
                }
            }
        }
    }
    if !stack.is_empty() {
        return Err(StepsError::WrongLength { unit, more: false });
    }
    Ok((handed, closed))
}

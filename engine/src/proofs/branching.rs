//! The search of one unit: depth first through the cases below an open one.
//!
//! A case is solved as a linear program. Where its bound is near the number of moves, it is solved with rows of
//! loops, too (`loop_rows`). A witness closes it, or decides further points of it. Otherwise it is split at one of
//! its points, at which the bound falls most both ways. While the bound is high, two points whose columns are the
//! most broken are tried (*strong branching*; Applegate, Bixby, Chvatal and Cook 1995). Near the number of moves what
//! earlier trials have shown is relied on (`gains`). When a set of points is left, the exact filler of `reshape` says
//! whether it is that of a grid. A unit ends after so many linear programs and hands the rest on.

use super::gains::{Expected, Gains, LEAST, score};
use super::loop_rows::{LEAST_POINTS, LoopRelaxation, LoopView, NEAR};
use super::loops::Loop;
use super::program::{PointState, Program, Verdict, Witness};
use super::relaxation::{Relaxation, Relaxed, Rounding};
use crate::morpion::geometry::{Move, Point};

/// Points that strong branching tries in a case whose bound is high.
const CANDIDATES: usize = 2;
/// The bound is high if it is so many lines above the number of moves, or more.
const HIGH: f64 = 3.0;
/// Points that are looked at in other cases.
const MOST_LOOKED_AT: usize = 6;
/// So many that are no better than the best so far end the choice.
const NO_BETTER: usize = 2;
/// A bound that is lower than the number of moves by this much is worth a witness.
const MARGIN: f64 = 1e-6;

/// A step of a proof, in the order in which the tree is walked: a case, then what is below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The case has two halves: with the point in the state `first`, which follows, and in the other state.
    Split {
        /// The number of the point.
        point: u16,
        /// In or out.
        first: PointState,
    },
    /// A loop, whose row witnesses of the unit may name from here on: the first by the number after those of the
    /// program, and so on.
    Loop(Loop),
    /// The witness closes the case, or decides points of it; then its steps go on.
    Witness(Witness),
    /// The case leaves one set of points, or none, and that of no grid.
    Refuted,
    /// Another unit goes on here.
    Handed,
}

/// What the filler says about a complete set of points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filled {
    /// The moves of a grid with exactly these points.
    Grid(Vec<Move>),
    /// There is none.
    No,
    /// The filler was stopped.
    Stopped,
}

/// Counts of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ProofCounts {
    /// Cases looked at.
    pub nodes: u64,
    /// Linear programs solved.
    pub programs: u64,
    /// Complete sets of points.
    pub shapes: u64,
    /// Conflicts of the filler.
    pub conflicts: u64,
    /// Programs without a usable answer.
    pub unknown: u64,
}

impl std::ops::AddAssign for ProofCounts {
    fn add_assign(&mut self, other: ProofCounts) {
        self.nodes += other.nodes;
        self.programs += other.programs;
        self.shapes += other.shapes;
        self.conflicts += other.conflicts;
        self.unknown += other.unknown;
    }
}

/// What a unit ends with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnitEnd {
    /// Its steps; what is open is handed on.
    Steps(Vec<Step>),
    /// A grid of so many moves in the region.
    Grid(Vec<Move>),
    /// It was stopped before its first step.
    Stopped,
}

/// What a random descent ends with.
#[derive(Debug, Clone, PartialEq)]
pub enum DiveEnd {
    /// Estimates of the tree below the case.
    Estimate {
        /// The cases that it was split into.
        nodes: f64,
        /// Complete sets of points.
        shapes: f64,
    },
    /// A grid of so many moves in the region.
    Grid(Vec<Move>),
    /// It was stopped.
    Stopped,
}

/// What a search has learned and what it works with: another search of the same program can go on with it.
pub struct ProofSearchState<L> {
    relaxation: L,
    /// The program with rows of loops, once it was needed.
    with_loops: Option<LoopRelaxation<L>>,
    gains: Gains,
}

/// A search of units of one program.
pub struct ProofSearch<'a, L> {
    program: &'a Program,
    /// Makes a solver of the program.
    solver: &'a dyn Fn(&Program) -> L,
    state: ProofSearchState<L>,
    rounding: Rounding,
    sums: Vec<i64>,
    counts: ProofCounts,
}

impl<'a, L: Relaxation> ProofSearch<'a, L> {
    /// A search that knows nothing yet, with solvers of the program.
    pub fn new(program: &'a Program, solver: &'a dyn Fn(&Program) -> L) -> ProofSearch<'a, L> {
        let gains = Gains::new(program.points().len());
        let state = ProofSearchState { relaxation: solver(program), with_loops: None, gains };
        ProofSearch::resume(program, solver, state)
    }

    /// A search that goes on with the state of another one of the same program.
    pub fn resume(
        program: &'a Program,
        solver: &'a dyn Fn(&Program) -> L,
        state: ProofSearchState<L>,
    ) -> ProofSearch<'a, L> {
        let counts = ProofCounts::default();
        ProofSearch { program, solver, state, rounding: Rounding::default(), sums: Vec::new(), counts }
    }

    /// The state for another search.
    pub fn into_state(self) -> ProofSearchState<L> {
        self.state
    }

    /// Counts since they were taken last.
    pub fn take_counts(&mut self) -> ProofCounts {
        std::mem::take(&mut self.counts)
    }

    /// Searches below a case until it is done, or about `budget` linear programs are solved. `fill` decides complete
    /// sets of points and adds its conflicts to a counter; `stop` is asked often. When it says so, what has been
    /// found out is returned and the rest handed on, as at the end of the budget.
    pub fn run(
        &mut self,
        case: &[PointState],
        budget: u64,
        fill: &mut dyn FnMut(&[Point], &mut u64) -> Filled,
        stop: &dyn Fn() -> bool,
    ) -> UnitEnd {
        self.begin_unit();
        let until = self.counts.programs + budget;
        let (mut steps, mut stack) = (Vec::new(), vec![case.to_vec()]);
        while let Some(mut case) = stack.pop() {
            if self.counts.programs >= until || stop() {
                steps.push(Step::Handed);
                continue;
            }
            self.counts.nodes += 1;
            match self.descend(&mut case, &mut steps, fill, stop) {
                Descent::Done => {}
                Descent::Stopped => steps.push(Step::Handed),
                Descent::Split(point, first) => {
                    steps.push(Step::Split { point, first });
                    for state in [other(first), first] {
                        let mut half = case.clone();
                        half[usize::from(point)] = state;
                        stack.push(half);
                    }
                }
                Descent::Grid(moves) => return UnitEnd::Grid(moves),
            }
        }
        if steps == [Step::Handed] { UnitEnd::Stopped } else { UnitEnd::Steps(steps) }
    }

    /// Goes down from a case, at each split to one half by chance, to estimate the tree below (Knuth 1975): what is
    /// met counts once for each case at its depth. `toss` makes random bits.
    pub fn dive(
        &mut self,
        case: &[PointState],
        fill: &mut dyn FnMut(&[Point], &mut u64) -> Filled,
        toss: &mut dyn FnMut() -> bool,
        stop: &dyn Fn() -> bool,
    ) -> DiveEnd {
        self.begin_unit();
        let (mut case, mut weight, mut nodes, mut shapes) = (case.to_vec(), 1.0, 0.0, 0.0);
        loop {
            nodes += weight;
            let mut steps = Vec::new();
            match self.descend(&mut case, &mut steps, fill, stop) {
                Descent::Done => {
                    shapes += if steps.last() == Some(&Step::Refuted) { weight } else { 0.0 };
                    return DiveEnd::Estimate { nodes, shapes };
                }
                Descent::Split(point, first) => {
                    case[usize::from(point)] = if toss() { first } else { other(first) };
                    weight *= 2.0;
                }
                Descent::Grid(moves) => return DiveEnd::Grid(moves),
                Descent::Stopped => return DiveEnd::Stopped,
            }
        }
    }

    /// Decides points of the case by witnesses until it is closed or has to be split.
    fn descend(
        &mut self,
        case: &mut [PointState],
        steps: &mut Vec<Step>,
        fill: &mut dyn FnMut(&[Point], &mut u64) -> Filled,
        stop: &dyn Fn() -> bool,
    ) -> Descent {
        loop {
            if let Some(points) = self.program.decided(case) {
                if points.len() != self.program.moves() as usize {
                    steps.push(Step::Refuted);
                    return Descent::Done;
                }
                self.counts.shapes += 1;
                return match fill(&points, &mut self.counts.conflicts) {
                    Filled::Grid(moves) => Descent::Grid(moves),
                    Filled::Stopped => Descent::Stopped,
                    Filled::No => {
                        steps.push(Step::Refuted);
                        Descent::Done
                    }
                };
            }
            let (relaxed, witness) = self.bound(case);
            if let Some(witness) = witness {
                self.push_witness(witness, steps);
                return Descent::Done;
            }
            let Relaxed::Optimal { lines } = relaxed else {
                let open = case.iter().position(|&state| state == PointState::Open);
                return Descent::Split(open.expect("a point is open") as u16, PointState::Out);
            };
            if self.program.points().len() >= LEAST_POINTS
                && lines - f64::from(self.program.moves()) < NEAR
                && let Some((witness, verdict)) = self.judge_with_loops(case, stop)
            {
                self.push_witness(witness, steps);
                match verdict {
                    Verdict::Closed => return Descent::Done,
                    Verdict::Decides(points) => apply(case, &points),
                }
                continue;
            }
            let decided = self.rounding.deciding(self.program, LoopView::NONE, case, self.state.relaxation.duals());
            if let Some((witness, points)) = decided {
                apply(case, &points);
                self.push_witness(witness, steps);
                // The optimum keeps its values: the points have them already.
                if self.program.decided(case).is_some() {
                    continue;
                }
            }
            match self.strongest(case, lines, stop) {
                Strongest::Stopped => return Descent::Stopped,
                Strongest::Point(point, first) => return Descent::Split(point, first),
                Strongest::Decides(witness, verdict) => {
                    self.push_witness(witness, steps);
                    match verdict {
                        Verdict::Closed => return Descent::Done,
                        Verdict::Decides(points) => apply(case, &points),
                    }
                }
            }
        }
    }

    /// Forgets which loops the steps name.
    fn begin_unit(&mut self) {
        if let Some(with_loops) = &mut self.state.with_loops {
            with_loops.rows_mut().begin_unit();
        }
    }

    /// A witness as a step, after the loops that it names for the first time in the unit.
    fn push_witness(&mut self, mut witness: Witness, steps: &mut Vec<Step>) {
        let first = self.program.rows().len();
        for (row, _) in &mut witness {
            if let (Some(number), Some(with_loops)) = ((*row as usize).checked_sub(first), &mut self.state.with_loops)
            {
                let name = |named: &Loop| steps.push(Step::Loop(named.clone()));
                *row = first as u32 + with_loops.rows_mut().number_in_unit(number, name);
            }
        }
        witness.sort_unstable();
        steps.push(Step::Witness(witness));
    }

    /// What a witness with rows of loops says about a case, and the witness; none if it says nothing.
    fn judge_with_loops(&mut self, case: &[PointState], stop: &dyn Fn() -> bool) -> Option<(Witness, Verdict)> {
        let (program, solver) = (self.program, self.solver);
        let with_loops = self.state.with_loops.get_or_insert_with(|| LoopRelaxation::new(program, solver(program)));
        let values = self.state.relaxation.values();
        let relaxed = with_loops.solve(program, case, values, &mut self.counts.programs, stop)?;
        let (loops, duals) = (with_loops.rows().view(), with_loops.duals());
        if is_low(relaxed, program) {
            let witness = self.rounding.closing(program, loops, case, duals, relaxed);
            self.counts.unknown += u64::from(witness.is_none());
            return witness.map(|witness| (witness, Verdict::Closed));
        }
        self.counts.unknown += u64::from(relaxed == Relaxed::Unknown);
        let Relaxed::Optimal { .. } = relaxed else { return None };
        let decided = self.rounding.deciding(program, loops, case, duals);
        decided.map(|(witness, points)| (witness, Verdict::Decides(points)))
    }

    /// Solves the program of a case, and closes it if the bound allows.
    fn bound(&mut self, case: &[PointState]) -> (Relaxed, Option<Witness>) {
        self.counts.programs += 1;
        let relaxed = self.state.relaxation.solve(case);
        if !is_low(relaxed, self.program) {
            self.counts.unknown += u64::from(relaxed == Relaxed::Unknown);
            return (relaxed, None);
        }
        let witness =
            self.rounding.closing(self.program, LoopView::NONE, case, self.state.relaxation.duals(), relaxed);
        self.counts.unknown += u64::from(witness.is_none());
        (relaxed, witness)
    }

    /// The point to split at.
    fn strongest(&mut self, case: &mut [PointState], lines: f64, stop: &dyn Fn() -> bool) -> Strongest {
        let values = self.state.relaxation.values().to_vec();
        let candidates = self.candidates(case, &values, lines);
        let (mut best, mut no_better) = (None::<(f64, u16, PointState)>, 0);
        for Expected { point, mut gains, reliable } in candidates {
            if !reliable {
                match self.try_point(case, point, lines, values[usize::from(point)], stop) {
                    Trial::Gains(seen) => gains = seen,
                    Trial::Ends(strongest) => return strongest,
                }
            }
            let score = score(gains);
            if best.is_none_or(|(most, ..)| score > most) {
                no_better = 0;
                best = Some((score, point, if gains[0] > gains[1] { PointState::Out } else { PointState::In }));
            } else {
                no_better += 1;
                if no_better == NO_BETTER {
                    break;
                }
            }
        }
        let (_, point, first) = best.expect("a point is open");
        Strongest::Point(point, first)
    }

    /// The open points to choose from, the most promising first.
    fn candidates(&self, case: &[PointState], values: &[f64], lines: f64) -> Vec<Expected> {
        if lines - f64::from(self.program.moves()) < HIGH {
            let mut expected = self.state.gains.expected(case, values);
            expected.truncate(MOST_LOOKED_AT);
            return expected;
        }
        let mut open: Vec<(f64, u16)> = (0..case.len())
            .filter(|&point| case[point] == PointState::Open)
            .map(|point| ((values[point] - 0.5).abs(), point as u16))
            .collect();
        open.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        open.truncate(CANDIDATES);
        open.into_iter().map(|(_, point)| Expected { point, gains: [LEAST; 2], reliable: false }).collect()
    }

    /// Solves the programs of both halves of a case at a point whose column has this value.
    fn try_point(
        &mut self,
        case: &mut [PointState],
        point: u16,
        lines: f64,
        value: f64,
        stop: &dyn Fn() -> bool,
    ) -> Trial {
        let at = usize::from(point);
        let mut gains = [0.0; 2];
        for (way, state) in [PointState::Out, PointState::In].into_iter().enumerate() {
            if stop() {
                return Trial::Ends(Strongest::Stopped);
            }
            case[at] = state;
            let (relaxed, witness) = self.bound(case);
            case[at] = PointState::Open;
            if let Some(witness) = witness {
                // Mostly it says as much about the case itself, and decides more points than this one.
                return Trial::Ends(match self.program.judge(&witness, &[], case, &mut self.sums) {
                    Verdict::Decides(points) if points.is_empty() => Strongest::Point(point, state),
                    verdict => Strongest::Decides(witness, verdict),
                });
            }
            if let Relaxed::Optimal { lines: below } = relaxed {
                gains[way] = (lines - below).max(LEAST);
                self.state.gains.add(point, way, value, lines - below);
            }
        }
        Trial::Gains(gains)
    }
}

/// Whether a solver says that there are fewer lines than asked for.
fn is_low(relaxed: Relaxed, program: &Program) -> bool {
    match relaxed {
        Relaxed::Optimal { lines } => lines < f64::from(program.moves()) - MARGIN,
        Relaxed::Infeasible => true,
        Relaxed::Unknown => false,
    }
}

/// What the trial of a point shows.
enum Trial {
    /// By how much the bound falls where the point is out, and where it is in.
    Gains([f64; 2]),
    /// The choice of a point ends with this.
    Ends(Strongest),
}

/// What becomes of a case.
enum Descent {
    Done,
    Split(u16, PointState),
    Grid(Vec<Move>),
    Stopped,
}

/// What strong branching finds.
enum Strongest {
    Point(u16, PointState),
    /// The witness that closes one half of a candidate says this about the case.
    Decides(Witness, Verdict),
    Stopped,
}

/// The other decision about a point.
pub fn other(state: PointState) -> PointState {
    match state {
        PointState::In => PointState::Out,
        PointState::Open | PointState::Out => PointState::In,
    }
}

/// Puts what is decided into the case.
pub fn apply(case: &mut [PointState], points: &[(u16, PointState)]) {
    points.iter().for_each(|&(point, state)| case[usize::from(point)] = state);
}

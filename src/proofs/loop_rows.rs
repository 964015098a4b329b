//! The linear program of a region with rows of loops, which are added where its optimum breaks them and taken out where
//! they are idle.

use super::loops::{Loop, LoopFinder, LoopLimits};
use super::program::{PointState, Program, ProgramRow};
use super::relaxation::{Relaxation, Relaxed};
use std::collections::HashMap;

/// Regions with fewer points than this have no rows of loops: they would cost more than they save.
pub const LEAST_POINTS: usize = 150;
/// Loops are looked for if the bound is less than so many lines above the number of moves.
pub const NEAR: f64 = 0.5;
/// So often in one case.
const ROUNDS: usize = 2;
/// What is looked for.
const LIMITS: LoopLimits = LoopLimits { targets: 20, loops: 6, broken_by: 0.4 };
/// Idle rows are taken out when there are more rows of loops than this.
const MOST_ROWS: usize = 200;

/// Loops whose rows are in use.
///
/// The solver has rows for the `active` ones. Witnesses of the search name the row of loop `i` as the `i`-th after those
/// of the program. In the steps of a unit loops are numbered anew, in the order in which the steps have them.
#[derive(Debug, Clone, Default)]
pub struct LoopRows {
    loops: Vec<Loop>,
    rows: Vec<ProgramRow>,
    active: Vec<usize>,
    named: HashMap<usize, u32>,
}

impl LoopRows {
    /// The rows, for witnesses.
    pub fn view(&self) -> LoopView<'_> {
        LoopView { rows: &self.rows, active: &self.active }
    }

    /// Takes loops up, for each of which the solver gets a row; the rows.
    pub fn add(&mut self, program: &Program, loops: Vec<Loop>) -> &[ProgramRow] {
        let before = self.rows.len();
        self.rows.extend(loops.iter().map(|found| found.row(program)));
        self.loops.extend(loops);
        self.active.extend(before..self.rows.len());
        &self.rows[before..]
    }

    /// The solver has kept these of the rows of loops only.
    pub fn keep(&mut self, kept: &[bool]) {
        let mut kept = kept.iter();
        self.active.retain(|_| kept.next() == Some(&true));
    }

    /// Begins the steps of a unit: nothing is named, and loops that are not active are forgotten.
    pub fn begin_unit(&mut self) {
        self.loops = self.active.iter().map(|&number| self.loops[number].clone()).collect();
        self.rows = self.active.iter().map(|&number| self.rows[number].clone()).collect();
        self.active = (0..self.loops.len()).collect();
        self.named.clear();
    }

    /// The number of a loop in the steps of the unit; `name` is told of it when it is asked for the first time.
    pub fn number_in_unit(&mut self, number: usize, name: impl FnOnce(&Loop)) -> u32 {
        let next = self.named.len() as u32;
        *self.named.entry(number).or_insert_with(|| {
            name(&self.loops[number]);
            next
        })
    }
}

/// Rows of loops as a witness names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopView<'a> {
    /// The rows of all loops, in their order.
    pub rows: &'a [ProgramRow],
    /// The numbers of the loops that the solver has rows for, in the order of these rows.
    pub active: &'a [usize],
}

impl LoopView<'static> {
    /// There are none.
    pub const NONE: LoopView<'static> = LoopView { rows: &[], active: &[] };
}

/// A solver whose program has rows of loops.
pub struct LoopRelaxation<L> {
    relaxation: L,
    finder: LoopFinder,
    rows: LoopRows,
}

impl<L: Relaxation> LoopRelaxation<L> {
    /// With a solver of the program that has no rows of loops yet.
    pub fn new(program: &Program, relaxation: L) -> LoopRelaxation<L> {
        LoopRelaxation { relaxation, finder: LoopFinder::new(program), rows: LoopRows::default() }
    }

    /// Solves the program of a case, again and again while its bound is near the number of moves and its optimum breaks
    /// a loop; `programs` counts. `stop` is asked before each time but the first.
    pub fn solve(
        &mut self,
        program: &Program,
        case: &[PointState],
        programs: &mut u64,
        stop: &dyn Fn() -> bool,
    ) -> Relaxed {
        *programs += 1;
        let mut relaxed = self.relaxation.solve(case);
        for _ in 0..ROUNDS {
            let Relaxed::Optimal { lines } = relaxed else { break };
            let above = lines - f64::from(program.moves());
            if above < 0.0 || above >= NEAR || stop() {
                break;
            }
            let found = self.finder.find(program, self.relaxation.values(), LIMITS);
            if found.is_empty() {
                break;
            }
            if self.rows.active.len() > MOST_ROWS {
                let kept = self.relaxation.drop_idle_rows();
                self.rows.keep(&kept);
            }
            self.relaxation.add_rows(self.rows.add(program, found));
            *programs += 1;
            relaxed = self.relaxation.solve(case);
        }
        relaxed
    }

    /// The duals of the last program (`Relaxation::duals`).
    pub fn duals(&self) -> &[f64] {
        self.relaxation.duals()
    }

    /// The rows of loops.
    pub fn rows(&self) -> &LoopRows {
        &self.rows
    }

    /// The same, to name loops in a unit.
    pub fn rows_mut(&mut self) -> &mut LoopRows {
        &mut self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morpion::geometry::Point;
    use crate::morpion::variant::Variant;
    use crate::proofs::region::Region;

    #[test]
    fn a_unit_names_its_loops_from_0_and_idle_ones_are_forgotten() {
        let points = (0..25).map(|at| Point::new(4 + at % 5, 4 + at / 5).unwrap());
        let program = Program::new(&Region::new(Variant::D5, points).unwrap(), 10);
        let of = |point: u16| Loop { set: vec![point, point + 1], point };
        let mut rows = LoopRows::default();
        assert_eq!(rows.add(&program, vec![of(3), of(7)]), [of(3).row(&program), of(7).row(&program)]);
        rows.add(&program, vec![of(9)]);
        let mut named = Vec::new();
        assert_eq!(rows.number_in_unit(2, |named_now| named.push(named_now.clone())), 0);
        assert_eq!(rows.number_in_unit(0, |named_now| named.push(named_now.clone())), 1);
        assert_eq!(rows.number_in_unit(2, |named_now| named.push(named_now.clone())), 0);
        assert_eq!(named, [of(9), of(3)]);
        rows.keep(&[true, false, true]);
        assert_eq!((rows.view().active, rows.view().rows.len()), (&[0, 2][..], 3));
        rows.begin_unit();
        let kept = [of(3).row(&program), of(9).row(&program)];
        assert_eq!(rows.view(), LoopView { rows: &kept, active: &[0, 1] });
        assert_eq!(rows.number_in_unit(1, |named_now| named.push(named_now.clone())), 0);
        assert_eq!(named.len(), 3);
    }
}

//! The linear program of a region with rows of loops, which are added where its optimum breaks them and taken out
//! where they are idle.

use super::loops::{Loop, LoopFinder, LoopLimits};
use super::program::{PointState, Program, ProgramRow};
use super::relaxation::{Relaxation, Relaxed};
use std::collections::HashMap;

/// Regions with fewer points than this have no rows of loops: they would cost more than they save.
pub const LEAST_POINTS: usize = 180;
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
/// The solver has rows for the `active` ones. Witnesses of the search name the row of loop `i` as the `i`-th after
/// those of the program. In the steps of a unit loops are numbered anew, in the order in which the steps have them.
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

    /// Whether these values of the columns break a row that the solver has.
    pub fn broken(&self, values: &[f64]) -> bool {
        self.active.iter().any(|&number| {
            let entries = self.rows[number].entries.iter();
            let sum: f64 = entries.map(|&(column, sign)| f64::from(sign) * values[column as usize]).sum();
            sum > LIMITS.broken_by
        })
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

    /// Solves the program of a case, again and again while its bound is near the number of moves and its optimum
    /// breaks a loop; `programs` counts. None if `values`, the optimum of the program without these rows, breaks no
    /// loop: the bound would be the same. `stop` is asked before each time but the first.
    pub fn solve(
        &mut self,
        program: &Program,
        case: &[PointState],
        values: &[f64],
        programs: &mut u64,
        stop: &dyn Fn() -> bool,
    ) -> Option<Relaxed> {
        if !self.rows.broken(values) {
            let found = self.finder.find(program, values, LIMITS);
            if found.is_empty() {
                return None;
            }
            self.add(program, found);
        }
        *programs += 1;
        let mut relaxed = self.relaxation.solve(case);
        for _ in 0..ROUNDS {
            let Relaxed::Optimal { lines } = relaxed else { break };
            let above = lines - f64::from(program.moves());
            if !(0.0..NEAR).contains(&above) || stop() {
                break;
            }
            let found = self.finder.find(program, self.relaxation.values(), LIMITS);
            if found.is_empty() {
                break;
            }
            self.add(program, found);
            *programs += 1;
            relaxed = self.relaxation.solve(case);
        }
        Some(relaxed)
    }

    /// Puts the rows of loops into the program, after idle ones have made room.
    fn add(&mut self, program: &Program, found: Vec<Loop>) {
        if self.rows.active.len() > MOST_ROWS {
            let kept = self.relaxation.drop_idle_rows();
            self.rows.keep(&kept);
        }
        self.relaxation.add_rows(self.rows.add(program, found));
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

    /// Says that there are a few lines too many, with values that break no loop; counts rows.
    struct Fixed {
        values: Vec<f64>,
        lines: f64,
        rows: usize,
        solved: u32,
    }

    impl Relaxation for Fixed {
        fn solve(&mut self, _: &[PointState]) -> Relaxed {
            self.solved += 1;
            Relaxed::Optimal { lines: self.lines }
        }

        fn values(&self) -> &[f64] {
            &self.values
        }

        fn duals(&self) -> &[f64] {
            &[]
        }

        fn add_rows(&mut self, rows: &[ProgramRow]) {
            self.rows += rows.len();
        }

        fn drop_idle_rows(&mut self) -> Vec<bool> {
            vec![true; self.rows]
        }
    }

    #[test]
    fn the_program_with_loops_is_solved_where_one_is_broken() {
        let points = (0..25).map(|at| Point::new(4 + at % 5, 4 + at / 5).unwrap());
        let program = Program::new(&Region::new(Variant::D5, points).unwrap(), 10);
        let (none, all) = (vec![0.0; program.columns()], vec![1.0; program.columns()]);
        let solver = |values: &[f64], lines: f64| Fixed { values: values.to_vec(), lines, rows: 0, solved: 0 };
        let case = program.whole();
        let mut programs = 0;

        let mut loops = LoopRelaxation::new(&program, solver(&none, 10.2));
        assert_eq!(loops.solve(&program, &case, &none, &mut programs, &|| false), None);
        assert_eq!((programs, loops.relaxation.rows, loops.relaxation.solved), (0, 0, 0));
        let solved = loops.solve(&program, &case, &all, &mut programs, &|| false);
        assert_eq!(solved, Some(Relaxed::Optimal { lines: 10.2 }));
        assert!(programs == 1 && loops.relaxation.rows > 0, "{programs} programs, {} rows", loops.relaxation.rows);
        // The row is there already.
        let rows = loops.relaxation.rows;
        assert!(loops.solve(&program, &case, &all, &mut programs, &|| false).is_some());
        assert_eq!((programs, loops.relaxation.rows), (2, rows));

        // While the bound is near and a loop is broken, more rows are added; not when it is far, or to be stopped.
        let solves = |lines: f64, stop: bool| {
            let mut loops = LoopRelaxation::new(&program, solver(&all, lines));
            loops.solve(&program, &case, &all, &mut 0, &|| stop);
            loops.relaxation.solved as usize
        };
        assert_eq!([solves(10.2, false), solves(10.2, true)], [1 + ROUNDS, 1]);
        assert_eq!([solves(10.0 + NEAR, false), solves(9.5, false)], [1, 1]);
    }

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

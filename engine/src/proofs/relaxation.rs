//! What a solver of linear programs says about a case, as hints; and witnesses made of it by rounding.

use super::loop_rows::LoopView;
use super::program::{PointState, Program, ProgramRow, Verdict, Witness};

/// What a solver says about the linear program of a case: the greatest number of lines, where the points are `n`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Relaxed {
    /// The greatest number of lines; values and duals are those of the optimum.
    Optimal {
        /// The sum of the columns of lines.
        lines: f64,
    },
    /// The rows contradict each other; the duals are a ray that proves it.
    Infeasible,
    /// Nothing is known.
    Unknown,
}

/// A solver of the linear program of one region.
pub trait Relaxation {
    /// Solves the program of a case.
    fn solve(&mut self, case: &[PointState]) -> Relaxed;
    /// After `Optimal`: the values of the columns.
    fn values(&self) -> &[f64];
    /// After `Optimal` and `Infeasible`: by how much the least value of "minus the number of lines" grows with the
    /// bound of each row but the equation of the lines, then of the rows of loops; or the ray, whose sign is not
    /// specified.
    fn duals(&self) -> &[f64];
    /// Puts rows of loops after the others.
    fn add_rows(&mut self, rows: &[ProgramRow]);
    /// Takes out the rows of loops that do not bind the optimum; for each that there was, whether it is kept.
    fn drop_idle_rows(&mut self) -> Vec<bool>;
}

impl<R: Relaxation + ?Sized> Relaxation for Box<R> {
    fn solve(&mut self, case: &[PointState]) -> Relaxed {
        (**self).solve(case)
    }

    fn values(&self) -> &[f64] {
        (**self).values()
    }

    fn duals(&self) -> &[f64] {
        (**self).duals()
    }

    fn add_rows(&mut self, rows: &[ProgramRow]) {
        (**self).add_rows(rows);
    }

    fn drop_idle_rows(&mut self) -> Vec<bool> {
        (**self).drop_idle_rows()
    }
}

/// Denominators that are tried one after the other: duals of such programs are mostly small fractions.
const DENOMINATORS: [i64; 12] = [1, 2, 3, 4, 5, 6, 12, 24, 60, 840, 1 << 14, 1 << 20];

/// Makes witnesses of duals.
#[derive(Debug, Clone, Default)]
pub struct Rounding {
    sums: Vec<i64>,
    witness: Witness,
}

impl Rounding {
    /// A witness that closes the case, made of the solver's duals; none if rounding fails.
    pub fn closing(
        &mut self,
        program: &Program,
        loops: LoopView<'_>,
        case: &[PointState],
        duals: &[f64],
        relaxed: Relaxed,
    ) -> Option<Witness> {
        let signs: &[f64] = match relaxed {
            Relaxed::Optimal { .. } => &[-1.0],
            Relaxed::Infeasible => &[-1.0, 1.0],
            Relaxed::Unknown => &[],
        };
        for &sign in signs {
            for scale in DENOMINATORS {
                let objective = matches!(relaxed, Relaxed::Optimal { .. });
                self.round(program, loops, duals, sign * scale as f64, objective.then_some(scale));
                if program.judge(&self.witness, loops.rows, case, &mut self.sums) == Verdict::Closed {
                    return Some(self.witness.clone());
                }
            }
        }
        None
    }

    /// A witness that decides open points of the case, made of the duals of its optimum, and the points.
    pub fn deciding(
        &mut self,
        program: &Program,
        loops: LoopView<'_>,
        case: &[PointState],
        duals: &[f64],
    ) -> Option<(Witness, Vec<(u16, PointState)>)> {
        let mut best: Option<(Witness, Vec<(u16, PointState)>)> = None;
        for scale in DENOMINATORS {
            self.round(program, loops, duals, -scale as f64, Some(scale));
            if let Verdict::Decides(points) = program.judge(&self.witness, loops.rows, case, &mut self.sums)
                && points.len() > best.as_ref().map_or(0, |(_, most)| most.len())
            {
                best = Some((self.witness.clone(), points));
            }
        }
        best
    }

    /// The duals times `scale`, rounded, with the signs that a witness may have; and minus `objective` times the
    /// equation of the lines, of which the solver has no row.
    fn round(&mut self, program: &Program, loops: LoopView<'_>, duals: &[f64], scale: f64, objective: Option<i64>) {
        self.witness.clear();
        let last = program.rows().len() - 1;
        let (of_program, of_loops) = duals.split_at(last.min(duals.len()));
        let numbered = (0..last).zip(of_program);
        let numbered = numbered.chain(loops.active.iter().map(|&number| last + 1 + number).zip(of_loops));
        for (row, &dual) in numbered {
            let by = (dual * scale).round();
            if !by.is_finite() || by.abs() > (1i64 << 40) as f64 {
                self.witness.clear();
                return;
            }
            let by = by as i64;
            if by > 0 || by < 0 && program.rows().get(row).is_some_and(|row| row.equation) {
                self.witness.push((row as u32, by));
            }
        }
        if let Some(scale) = objective {
            let at = self.witness.partition_point(|&(row, _)| (row as usize) < last);
            self.witness.insert(at, (last as u32, -scale));
        }
    }
}

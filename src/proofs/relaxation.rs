//! What a solver of linear programs says about a case, as hints; and witnesses made of it by rounding.

use super::program::{PointState, Program, Verdict, Witness};

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
    /// bound of each row but the last; or the ray, whose sign is not specified.
    fn duals(&self) -> &[f64];
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
                self.round(program, duals, sign, scale, matches!(relaxed, Relaxed::Optimal { .. }));
                if program.judge(&self.witness, case, &mut self.sums) == Verdict::Closed {
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
        case: &[PointState],
        duals: &[f64],
    ) -> Option<(Witness, Vec<(u16, PointState)>)> {
        let mut best: Option<(Witness, Vec<(u16, PointState)>)> = None;
        for scale in DENOMINATORS {
            self.round(program, duals, -1.0, scale, true);
            if let Verdict::Decides(points) = program.judge(&self.witness, case, &mut self.sums)
                && points.len() > best.as_ref().map_or(0, |(_, most)| most.len())
            {
                best = Some((self.witness.clone(), points));
            }
        }
        best
    }

    /// The duals times `scale`, rounded, with the signs that a witness may have; and the equation of the lines.
    fn round(&mut self, program: &Program, duals: &[f64], sign: f64, scale: i64, objective: bool) {
        self.witness.clear();
        for (row, &dual) in duals.iter().enumerate() {
            let by = (sign * dual * scale as f64).round();
            if !by.is_finite() || by.abs() > (1i64 << 40) as f64 {
                self.witness.clear();
                return;
            }
            let by = by as i64;
            if by > 0 || by < 0 && program.rows()[row].equation {
                self.witness.push((row as u32, by));
            }
        }
        if objective {
            self.witness.push((program.rows().len() as u32 - 1, -scale));
        }
    }
}

//! Complete sets of points, decided by the exact filler of `reshape` without a limit of conflicts.

use super::branching::Filled;
use crate::morpion::geometry::Point;
use crate::morpion::position::Position;
use crate::morpion::variant::{Rules, Variant};
use crate::strategies::reshape::fill::{Filling, ShapeQuery, fill};
use crate::strategies::reshape::shape::Shape;
use crate::with_rules;

/// Seed of the filler's solver.
const SEED: u64 = 1;

/// Whether there is a grid with exactly these points beyond the cross; adds the solver's conflicts to `conflicts`.
pub fn fill_points(variant: Variant, points: &[Point], conflicts: &mut u64) -> Filled {
    fn of<R: Rules>(points: &[Point]) -> (Filling, u64) {
        let mut shape = Shape::new(Position::<R>::new().board());
        points.iter().for_each(|&point| shape.flip(point));
        fill(&shape, ShapeQuery { barred: &[], like: &[], limit: u64::MAX, seed: SEED })
    }
    let (filling, of_solver) = with_rules!(variant, R => of::<R>(points));
    *conflicts += of_solver;
    match filling {
        Filling::Grid(moves) => Filled::Grid(moves),
        Filling::No => Filled::No,
        Filling::Unknown => Filled::Stopped,
    }
}

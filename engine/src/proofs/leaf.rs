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
/// `stop` is asked often.
pub fn fill_points(variant: Variant, points: &[Point], conflicts: &mut u64, stop: &dyn Fn() -> bool) -> Filled {
    fn of<R: Rules>(points: &[Point], stop: &dyn Fn() -> bool) -> (Filling, u64) {
        let mut shape = Shape::new(Position::<R>::new().board());
        points.iter().for_each(|&point| shape.flip(point));
        fill(&shape, ShapeQuery { barred: &[], like: &[], limit: u64::MAX, seed: SEED, stop })
    }
    let (filling, of_solver) = with_rules!(variant, R => of::<R>(points, stop));
    *conflicts += of_solver;
    match filling {
        Filling::Grid(moves) => Filled::Grid(moves),
        Filling::No => Filled::No,
        Filling::Unknown => Filled::Stopped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::records::known;
    use std::cell::Cell;

    #[test]
    fn it_asks_whether_to_stop_and_stops() {
        let records = known().unwrap();
        let long = records.iter().find(|known| known.grid.score() == 178).unwrap();
        let points: Vec<Point> = long.grid.moves.iter().map(|mv| mv.point()).collect();
        let (asked, last) = (Cell::new(0u64), Cell::new(u64::MAX));
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() == last.get()
        };
        let filled = fill_points(long.grid.variant, &points, &mut 0, &stop);
        let Filled::Grid(moves) = filled else { panic!("{filled:?}") };
        let whole = asked.replace(0);
        assert!(moves.len() == 178 && whole > 2, "{} moves, asked {whole} times", moves.len());
        last.set(whole / 2);
        assert_eq!(fill_points(long.grid.variant, &points, &mut 0, &stop), Filled::Stopped);
        assert_eq!(asked.get(), whole / 2);
    }
}

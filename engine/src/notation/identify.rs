//! How much two grids have in common, whatever their move order and orientation.

use super::grid::Grid;
use crate::morpion::geometry::{Line, Move, Point};
use crate::morpion::symmetry::Symmetry;
use std::collections::HashSet;

/// The largest number of lines that `grid` shares with `other` over the 8 symmetries of the cross; 0 if their lines
/// differ in length. The grids are equal if it is the number of lines of both, and one is a part of the other if it
/// is the number of lines of one of them.
pub fn common_lines(grid: &Grid, other: &Grid) -> usize {
    if grid.variant.line_len() != other.variant.line_len() {
        return 0;
    }
    let mut lines: Vec<Line> = other.moves.iter().map(|mv| mv.line()).collect();
    lines.sort_unstable();
    let shared = |symmetry: &Symmetry| {
        let images = grid.moves.iter().filter_map(|mv| symmetry.line(grid.variant, mv.line()));
        images.filter(|line| lines.binary_search(line).is_ok()).count()
    };
    Symmetry::ALL.iter().map(shared).max().unwrap_or(0)
}

/// A grid turned to fit another one.
#[derive(Debug, Clone, PartialEq)]
pub struct Orientation {
    /// Lines in common.
    pub common: usize,
    /// How it was turned, as an index of [`Symmetry::ALL`].
    pub symmetry: usize,
    /// Its moves, turned.
    pub moves: Vec<Move>,
}

/// The orientation of `other` in which it shares most lines with `grid`, the first of equal ones; `None` if their
/// lines differ in length, if none lies in the playing area, or if one does not begin with the cross.
pub fn best_orientation(grid: &Grid, other: &Grid) -> Option<Orientation> {
    let of_cross = grid.start.is_cross() && other.start.is_cross();
    if grid.variant.line_len() != other.variant.line_len() || !of_cross {
        return None;
    }
    let lines: HashSet<Line> = grid.moves.iter().map(|mv| mv.line()).collect();
    let turned = Symmetry::ALL.iter().enumerate().filter_map(|(number, symmetry)| {
        let image = |&mv: &Move| symmetry.image(other.variant, mv);
        let moves = other.moves.iter().map(image).collect::<Option<Vec<Move>>>()?;
        let common = moves.iter().filter(|mv| lines.contains(&mv.line())).count();
        Some(Orientation { common, symmetry: number, moves })
    });
    turned.reduce(|best, next| if next.common > best.common { next } else { best })
}

/// Whether one of the 8 symmetries takes the points of `grid` to those of `other`. Grids with the same points may
/// still have different lines.
pub fn same_points(grid: &Grid, other: &Grid) -> bool {
    if grid.variant.line_len() != other.variant.line_len() || grid.score() != other.score() {
        return false;
    }
    let mut points: Vec<Point> = other.moves.iter().map(|mv| mv.point()).collect();
    points.sort_unstable();
    Symmetry::ALL.iter().any(|symmetry| {
        let mut images = grid.moves.iter().map(|mv| symmetry.point(grid.variant, mv.point()));
        images.all(|image| image.is_some_and(|point| points.binary_search(&point).is_ok()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::records::known;

    #[test]
    fn a_turned_part_is_found_in_its_record() {
        let known = known().unwrap();
        let record = &known[0].grid;
        for symmetry in Symmetry::ALL {
            let part = record.prefix(60).unwrap();
            let moves = part.moves.iter().map(|&mv| symmetry.image(part.variant, mv).unwrap()).collect();
            let turned = Grid { moves, ..part };
            assert_eq!(common_lines(&turned, record), 60);
            assert_eq!(common_lines(record, &turned), 60);
            let back = best_orientation(record, &turned).unwrap();
            assert_eq!((back.common, &back.moves[..]), (60, &part.moves[..]));
            assert!(same_points(&turned, &record.prefix(60).unwrap()) && !same_points(&turned, record));
        }
        let of_fours = &known.iter().find(|r| r.stem == "4T-62-hyyroporanen").unwrap().grid;
        assert_eq!(common_lines(record, of_fours), 0);
        assert!(!same_points(&known[1].grid, &known[2].grid));
        assert!((10..178).contains(&common_lines(record, &known[1].grid)));
    }
}

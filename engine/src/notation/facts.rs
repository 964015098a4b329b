//! What lists of grids tell of a grid beside its score: its symmetries, the box that it fills, and the known record
//! that it has most in common with.

use super::catalogue::Catalogue;
use super::grid::BoundingBox;
use crate::morpion::geometry::Move;
use crate::morpion::start::Start;
use crate::morpion::symmetry::GridSymmetry;
use crate::morpion::variant::Variant;

/// What is told of a grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridFacts {
    /// The symmetries of its lines.
    pub symmetries: Vec<GridSymmetry>,
    /// Columns of the smallest box around its points.
    pub columns: u32,
    /// Rows of that box.
    pub rows: u32,
    /// The known record with which it has most lines in common.
    pub nearest: Option<NearestRecord>,
}

/// A known record, compared with a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NearestRecord {
    /// The name of the record.
    pub name: &'static str,
    /// Lines in common in the best orientation.
    pub common: u32,
    /// Lines of the record.
    pub lines: u32,
    /// The grid is that record.
    pub equal: bool,
    /// All lines of the grid are lines of the record, which has more.
    pub part: bool,
}

impl GridFacts {
    /// Of the grid from the cross with these moves.
    pub fn of(variant: Variant, moves: &[Move], catalogue: &Catalogue) -> GridFacts {
        GridFacts::from_start(&Start::CROSS, variant, moves, catalogue)
    }

    /// Of the grid from a start with these moves. The known records are grids from the cross.
    pub fn from_start(start: &Start, variant: Variant, moves: &[Move], catalogue: &Catalogue) -> GridFacts {
        let points = start.points(variant).into_iter().chain(moves.iter().map(|mv| mv.point()));
        let around = BoundingBox::around(points);
        let nearest = if start.is_cross() { catalogue.nearest(variant, moves) } else { None };
        let nearest = nearest.map(|kin| NearestRecord {
            name: kin.record.name,
            common: kin.common as u32,
            lines: kin.record.grid.score() as u32,
            equal: kin.equal,
            part: kin.part,
        });
        let symmetries = start.symmetries_of(variant, moves);
        GridFacts { symmetries, columns: around.columns() as u32, rows: around.rows() as u32, nearest }
    }

    /// Whether no known record equals the grid or contains it.
    pub fn is_new(&self) -> bool {
        !self.nearest.is_some_and(|nearest| nearest.equal || nearest.part)
    }

    /// Points of the box, set or not.
    pub fn size(&self) -> u32 {
        self.columns * self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::records::known;

    #[test]
    fn records_and_parts_of_them_are_not_new() {
        let catalogue = Catalogue::load().unwrap();
        let known = known().unwrap();
        let grid = &known[0].grid;
        let facts = GridFacts::of(grid.variant, &grid.moves, &catalogue);
        let nearest = facts.nearest.unwrap();
        assert_eq!((nearest.name, nearest.common, nearest.lines), (known[0].name, 178, 178));
        assert!(nearest.equal && !nearest.part && !facts.is_new());
        let bounds = grid.bounds();
        assert_eq!((facts.columns as i32, facts.rows as i32), (bounds.columns(), bounds.rows()));
        assert_eq!(facts.size(), facts.columns * facts.rows);
        let part = GridFacts::of(grid.variant, &grid.moves[..40], &catalogue);
        assert!(!part.is_new() && part.nearest.unwrap().part);
        let none = GridFacts::of(grid.variant, &[], &catalogue);
        // The empty cross of 5T: all symmetries, 10 columns and rows.
        assert_eq!((none.symmetries.len(), none.columns, none.rows, none.is_new()), (5, 10, 10, true));
    }
}

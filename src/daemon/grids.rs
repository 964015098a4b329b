//! Grids as the API shows them, and moves as the API receives them: moves in Pentasol's form, keys as text, what two
//! grids share.

use super::view::{ComparisonView, GridView, MoveView, RecordView, VERSION};
use crate::morpion::canonical::canonical_key;
use crate::morpion::geometry::{Direction, Line, Move, Point};
use crate::morpion::variant::Variant;
use crate::notation::catalogue::Catalogue;
use crate::notation::facts::GridFacts;
use crate::notation::grid::Grid;
use crate::notation::identify::best_orientation;
use crate::notation::records::KnownRecord;
use std::collections::HashSet;

/// Index of the point of a line from which Pentasol counts, in all variants.
const MIDDLE: i32 = 2;

impl From<Move> for MoveView {
    fn from(mv: Move) -> MoveView {
        let shift = MIDDLE - mv.index() as i32;
        MoveView { x: mv.point().x(), y: mv.point().y(), direction: mv.direction().symbol(), shift }
    }
}

/// The move that a client sent; `None` if it has no valid line in the playing area.
pub fn to_move(variant: Variant, view: MoveView) -> Option<Move> {
    let direction = Direction::ALL.into_iter().find(|d| d.symbol() == view.direction)?;
    let index = usize::try_from(MIDDLE.checked_sub(view.shift)?).ok()?;
    Move::new(variant, Point::new(view.x, view.y)?, direction, index)
}

/// All moves of a grid.
pub fn moves(moves: &[Move]) -> Vec<MoveView> {
    moves.iter().map(|&mv| mv.into()).collect()
}

/// The key of a grid: 16 hexadecimal digits.
pub fn key(grid: &Grid) -> String {
    format!("{:016x}", canonical_key(grid.variant, &grid.moves))
}

/// Whether a text can be the key of a grid.
pub fn is_key(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// A grid that no job found, with its moves, for a client.
pub fn view(grid: &Grid, catalogue: &Catalogue, time: f64) -> GridView {
    let view = GridView {
        v: VERSION,
        key: key(grid),
        variant: grid.variant,
        score: grid.score() as u32,
        moves_left: grid.moves_left().unwrap_or(0) as u32,
        moves: Some(moves(&grid.moves)),
        record: catalogue.equal(grid.variant, &grid.moves).map(|known| known.name.to_owned()),
        job: None,
        unit: None,
        time,
        seconds: None,
        symmetries: None,
        columns: None,
        rows: None,
        new: None,
        nearest: None,
        cluster: None,
    };
    view.with_facts(&GridFacts::of(grid.variant, &grid.moves, catalogue))
}

/// A known record in a list.
pub fn record(known: &KnownRecord) -> RecordView {
    let grid = &known.grid;
    RecordView { name: known.name.to_owned(), key: key(grid), variant: grid.variant, score: grid.score() as u32 }
}

/// What two grids share; `None` if their lines differ in length.
pub fn compare(left: (GridView, &Grid), right: (GridView, &Grid)) -> Option<ComparisonView> {
    let ((mut left, a), (mut right, b)) = (left, right);
    let turned = best_orientation(a, b)?.moves;
    left.moves = Some(moves(&a.moves));
    right.moves = Some(moves(&turned));
    Some(ComparisonView {
        v: VERSION,
        left,
        right,
        shared_left: shared(&a.moves, &turned),
        shared_right: shared(&turned, &a.moves),
    })
}

/// Numbers of the moves whose lines are among those of `others`.
fn shared(moves: &[Move], others: &[Move]) -> Vec<u32> {
    let lines: HashSet<Line> = others.iter().map(|mv| mv.line()).collect();
    (0..).zip(moves).filter(|(_, mv)| lines.contains(&mv.line())).map(|(number, _)| number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::records::known;

    #[test]
    fn moves_go_out_and_come_back() {
        for known in known().unwrap() {
            for &mv in &known.grid.moves {
                assert_eq!(to_move(known.grid.variant, mv.into()), Some(mv));
            }
        }
        let good = MoveView { x: 31, y: 29, direction: '|', shift: -2 };
        assert!(to_move(Variant::T5, good).is_some());
        for bad in [
            MoveView { x: -1, ..good },
            MoveView { y: 60, ..good },
            MoveView { direction: 'x', ..good },
            MoveView { shift: 3, ..good },
            MoveView { shift: -3, ..good },
            MoveView { shift: i32::MIN, ..good },
            MoveView { x: i32::MAX, y: i32::MIN, ..good },
        ] {
            assert_eq!(to_move(Variant::T5, bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_grid_shares_everything_with_its_mirror_image() {
        use crate::morpion::symmetry::Symmetry;
        let catalogue = Catalogue::load().unwrap();
        let grid = &known().unwrap()[0].grid;
        let image = grid.moves.iter().map(|&mv| Symmetry::ALL[5].image(grid.variant, mv).unwrap()).collect();
        let image = Grid::new(grid.variant, image);
        let views = (view(grid, &catalogue, 0.0), view(&image, &catalogue, 0.0));
        assert_eq!(views.0.key, views.1.key);
        assert!(is_key(&views.0.key) && views.0.record.is_some());
        let comparison = compare((views.0, grid), (views.1, &image)).unwrap();
        assert_eq!(comparison.shared_left.len(), grid.score());
        assert_eq!(comparison.left.moves, comparison.right.moves);
    }
}

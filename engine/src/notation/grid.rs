//! A grid as a value: its variant, its start, its moves in the order played, and where it comes from.

use crate::morpion::canonical::canonical_key_from;
use crate::morpion::geometry::{Direction, Move, Point, SIDE};
use crate::morpion::start::Start;
use crate::morpion::symmetry::{GridSymmetry, Symmetry};
use crate::morpion::variant::Variant;
use crate::with_rules;

/// A finished or partial game with its provenance: what all formats read into and write from.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// The rules it was played by.
    pub variant: Variant,
    /// The points that it begins with.
    pub start: Start,
    /// The moves in the order played, from the start.
    pub moves: Vec<Move>,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// Where a grid comes from. Everything is optional; the fields are those of MSR 0.1, whose `nodes_explored` and
/// `elapsed_secs` are called iterations and seconds here. Empty texts count as absent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Provenance {
    /// Who set it: person or team.
    pub author: Option<String>,
    /// Where it was published: an address or a citation.
    pub source: Option<String>,
    /// Free text about the grid.
    pub description: Option<String>,
    /// Who turned a published picture or text into moves.
    pub transcribed_by: Option<String>,
    /// Program and version that wrote the file first.
    pub producer: Option<String>,
    /// When it was saved, ISO 8601, UTC.
    pub saved_at: Option<String>,
    /// Program that found it.
    pub tool: Option<String>,
    /// Search method and parameters, for instance `nrpa level 4`.
    pub method: Option<String>,
    /// Seed of the search.
    pub seed: Option<u64>,
    /// Iterations (nodes, playouts) the search had done when it found the grid.
    pub iterations: Option<u64>,
    /// Seconds the search had run when it found the grid.
    pub seconds: Option<f64>,
    /// Labels to find it by.
    pub tags: Vec<String>,
    /// Further comment lines of a text file; MSR has no place for them.
    pub notes: Vec<String>,
}

/// Most moves of a grid that is read. No game has more than 485.
pub const MOST_MOVES: usize = 1000;

/// Most bytes of all texts of a provenance together; a tag and a note count [`TEXT_COSTS`] more each.
pub const LONGEST_TEXTS: usize = 32 * 1024;

/// What a text takes in addition to its characters.
pub const TEXT_COSTS: usize = 16;

/// The texts of a provenance are longer than [`LONGEST_TEXTS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the comments, tags and other texts are longer than {} KiB together", LONGEST_TEXTS >> 10)]
pub struct TextsTooLong;

impl Provenance {
    /// Checks that the texts are not longer together than a store or a client should have to keep.
    ///
    /// # Errors
    /// If they are longer than [`LONGEST_TEXTS`].
    pub fn check_length(&self) -> Result<(), TextsTooLong> {
        let Provenance { author, source, description, transcribed_by, producer, saved_at, tool, method, .. } = self;
        let fields = [author, source, description, transcribed_by, producer, saved_at, tool, method];
        let fields: usize = fields.into_iter().flatten().map(String::len).sum();
        let lists: usize = self.tags.iter().chain(&self.notes).map(|text| text.len() + TEXT_COSTS).sum();
        if fields + lists > LONGEST_TEXTS { Err(TextsTooLong) } else { Ok(()) }
    }
}

impl Grid {
    /// A grid from the cross without provenance.
    pub fn new(variant: Variant, moves: Vec<Move>) -> Grid {
        Grid::from_start(Start::CROSS, variant, moves)
    }

    /// A grid from any start without provenance.
    pub fn from_start(start: Start, variant: Variant, moves: Vec<Move>) -> Grid {
        Grid { variant, start, moves, provenance: Provenance::default() }
    }

    /// Number of moves.
    pub fn score(&self) -> usize {
        self.moves.len()
    }

    /// Number of legal moves left at the end, 0 when the grid is finished; `None` if a move is illegal.
    pub fn moves_left(&self) -> Option<usize> {
        with_rules!(self.variant, R => self.start.after::<R>(&self.moves).ok().map(|p| p.moves().len()))
    }

    /// The grid cut to its first `count` moves, if it has that many.
    pub fn prefix(&self, count: usize) -> Option<Grid> {
        let moves = self.moves.get(..count)?.to_vec();
        Some(Grid { moves, ..self.clone() })
    }

    /// The grid turned; `None` if a part of it leaves the playing area.
    pub fn image(&self, symmetry: Symmetry) -> Option<Grid> {
        let centre = self.start.centre(self.variant);
        let image = |&mv: &Move| symmetry.image(centre, mv);
        let moves = self.moves.iter().map(image).collect::<Option<Vec<Move>>>()?;
        Some(Grid { start: self.start.image(symmetry, self.variant), moves, ..self.clone() })
    }

    /// How many lines it has in each direction, in the order of [`Direction::ALL`].
    pub fn lines_by_direction(&self) -> [usize; 4] {
        Direction::ALL.map(|direction| self.moves.iter().filter(|mv| mv.direction() == direction).count())
    }

    /// The legal moves at the end; none if a move of the grid is illegal.
    pub fn legal_moves(&self) -> Vec<Move> {
        with_rules!(self.variant, R => self.start.after::<R>(&self.moves).map_or(Vec::new(), |p| p.moves().to_vec()))
    }

    /// The symmetries of its start that carry its lines to themselves.
    pub fn symmetries(&self) -> Vec<GridSymmetry> {
        self.start.symmetries_of(self.variant, &self.moves)
    }

    /// What it counts as: its variant and, if that is not the cross, its start.
    pub fn category(&self) -> String {
        if self.start.is_cross() {
            self.variant.to_string()
        } else {
            format!("{} from {}", self.variant, self.start.name())
        }
    }

    /// Its canonical key.
    pub fn key(&self) -> u64 {
        canonical_key_from(&self.start, self.variant, &self.moves)
    }

    /// Smallest box around all points, the start included.
    pub fn bounds(&self) -> BoundingBox {
        BoundingBox::around(self.start.points(self.variant).into_iter().chain(self.moves.iter().map(|mv| mv.point())))
    }
}

/// A box of points; all four sides belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoundingBox {
    /// Column of the leftmost points.
    pub left: i32,
    /// Row of the topmost points.
    pub top: i32,
    /// Column of the rightmost points.
    pub right: i32,
    /// Row of the lowest points.
    pub bottom: i32,
}

impl BoundingBox {
    /// The smallest box around the points; without a point, one without columns.
    pub fn around(points: impl IntoIterator<Item = Point>) -> BoundingBox {
        let none = BoundingBox { left: SIDE, top: SIDE, right: SIDE - 1, bottom: SIDE - 1 };
        points.into_iter().fold(none, |b, point| BoundingBox {
            left: b.left.min(point.x()),
            top: b.top.min(point.y()),
            right: if b.columns() == 0 { point.x() } else { b.right.max(point.x()) },
            bottom: if b.rows() == 0 { point.y() } else { b.bottom.max(point.y()) },
        })
    }

    /// The smallest box around this one and another one.
    pub fn joined(self, other: BoundingBox) -> BoundingBox {
        BoundingBox {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    /// Number of columns.
    pub fn columns(self) -> i32 {
        self.right - self.left + 1
    }

    /// Number of rows.
    pub fn rows(self) -> i32 {
        self.bottom - self.top + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::records::known;

    #[test]
    fn an_empty_grid_is_the_cross() {
        for (variant, left, side) in [(Variant::T5, 28, 10), (Variant::D4, 40, 7)] {
            let grid = Grid::new(variant, Vec::new());
            assert_eq!(grid.moves_left(), Some(left));
            assert_eq!((grid.bounds().columns(), grid.bounds().rows()), (side, side));
            assert_eq!(grid.prefix(0).as_ref(), Some(&grid));
            assert_eq!(grid.prefix(1), None);
            assert_eq!((grid.legal_moves().len(), grid.lines_by_direction()), (left, [0; 4]));
        }
    }

    #[test]
    fn a_turned_grid_is_legal_and_its_lines_change_direction() {
        for record in known().unwrap() {
            let grid = record.grid;
            let [across, down, falling, rising] = grid.lines_by_direction();
            assert_eq!(across + down + falling + rising, grid.score());
            let turned = grid.image(Symmetry::turn(1)).unwrap();
            assert_eq!(turned.lines_by_direction(), [down, across, rising, falling], "{}", record.name);
            assert_eq!(turned.moves_left(), Some(0));
            assert_eq!(turned.image(Symmetry::turn(3)), Some(grid));
        }
    }
}

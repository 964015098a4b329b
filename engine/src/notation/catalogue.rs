//! The known records, prepared for many comparisons: which of them a grid equals, and which it is nearest to.
//!
//! Of each record the lines of its 8 images are kept as bits, so that the lines that a grid shares with it in the
//! best orientation are counted by one look per line and image: some microseconds per grid for all records together.

use super::format::GridReadError;
use super::records::{KnownRecord, known};
use crate::morpion::canonical::canonical_lines;
use crate::morpion::geometry::{Line, Move};
use crate::morpion::symmetry::Symmetry;
use crate::morpion::variant::Variant;

/// Words of 64 bits for all line numbers, which have 15 bits.
const WORDS: usize = (1 << 15) / 64;

/// The known records.
pub struct Catalogue {
    entries: Vec<Entry>,
}

struct Entry {
    known: KnownRecord,
    canonical: Vec<Line>,
    images: Vec<LineSet>,
}

struct LineSet(Box<[u64; WORDS]>);

impl LineSet {
    fn new(lines: impl Iterator<Item = Line>) -> LineSet {
        let mut set = LineSet(Box::new([0; WORDS]));
        for line in lines {
            let number = usize::from(line.key());
            set.0[number / 64 % WORDS] |= 1 << (number % 64);
        }
        set
    }

    fn has(&self, line: Line) -> bool {
        let number = usize::from(line.key());
        self.0[number / 64 % WORDS] >> (number % 64) & 1 == 1
    }
}

/// What a grid has to do with the known records.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kinship<'a> {
    /// The record with most lines in common, of equal ones the longest.
    pub record: &'a KnownRecord,
    /// Lines in common in the best orientation.
    pub common: usize,
    /// The grid is that record, up to symmetry and the order of the moves.
    pub equal: bool,
    /// All lines of the grid are lines of the record, which has more.
    pub part: bool,
}

impl Catalogue {
    /// The records that come with the program.
    ///
    /// # Errors
    /// Only if their data were damaged.
    pub fn load() -> Result<Catalogue, GridReadError> {
        let entry = |known: KnownRecord| {
            let (variant, moves) = (known.grid.variant, &known.grid.moves);
            let image =
                |symmetry: &Symmetry| LineSet::new(moves.iter().filter_map(|mv| symmetry.line(variant, mv.line())));
            let images = Symmetry::ALL.iter().map(image).collect();
            Entry { canonical: canonical_lines(variant, moves), images, known }
        };
        Ok(Catalogue { entries: known()?.into_iter().map(entry).collect() })
    }

    /// The records, best 5T first, then 5D, 4T and 4D.
    pub fn records(&self) -> impl Iterator<Item = &KnownRecord> {
        self.entries.iter().map(|entry| &entry.known)
    }

    /// Moves of the shortest record of a variant.
    pub fn shortest(&self, variant: Variant) -> Option<usize> {
        self.records().filter(|known| known.grid.variant == variant).map(|known| known.grid.score()).min()
    }

    /// The record that has the same canonical form.
    pub fn equal(&self, variant: Variant, moves: &[Move]) -> Option<&KnownRecord> {
        let alike = |entry: &&Entry| {
            entry.known.grid.variant.line_len() == variant.line_len() && entry.canonical.len() == moves.len()
        };
        let mut candidates = self.entries.iter().filter(alike).peekable();
        candidates.peek()?;
        let canonical = canonical_lines(variant, moves);
        candidates.find(|entry| entry.canonical == canonical).map(|entry| &entry.known)
    }

    /// The record that shares most lines with the grid; nothing if none shares any.
    pub fn nearest(&self, variant: Variant, moves: &[Move]) -> Option<Kinship<'_>> {
        let mut best: Option<(usize, &Entry)> = None;
        for entry in self.entries.iter().filter(|e| e.known.grid.variant.line_len() == variant.line_len()) {
            let shared = |image: &LineSet| moves.iter().filter(|mv| image.has(mv.line())).count();
            let common = entry.images.iter().map(shared).max().unwrap_or(0);
            if best.is_none_or(|(most, _)| common > most) {
                best = Some((common, entry));
            }
        }
        let (common, entry) = best.filter(|&(common, _)| common > 0)?;
        let (score, lines) = (moves.len(), entry.canonical.len());
        let whole = common == score;
        Some(Kinship { record: &entry.known, common, equal: whole && score == lines, part: whole && score < lines })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::identify::common_lines;

    #[test]
    fn records_are_recognised_turned_and_in_part() {
        let catalogue = Catalogue::load().unwrap();
        for known in catalogue.records() {
            let grid = &known.grid;
            for symmetry in Symmetry::ALL {
                let turned: Vec<Move> =
                    grid.moves.iter().map(|&mv| symmetry.image(grid.variant, mv).unwrap()).collect();
                assert_eq!(catalogue.equal(grid.variant, &turned), Some(known), "{}", known.name);
                let near = catalogue.nearest(grid.variant, &turned).unwrap();
                assert_eq!((near.record, near.common, near.equal), (known, grid.score(), true));
                let part = &turned[..grid.score() / 2];
                assert_eq!(catalogue.equal(grid.variant, part), None);
                assert!(catalogue.nearest(grid.variant, part).unwrap().part);
            }
        }
        assert_eq!(catalogue.shortest(Variant::D4), Some(31));
        assert_eq!(catalogue.nearest(Variant::T5, &[]), None);
    }

    /// The bits count what the sorted lists do.
    #[test]
    fn common_lines_agree_with_the_slow_count() {
        let catalogue = Catalogue::load().unwrap();
        for known in catalogue.records().filter(|known| known.grid.variant == Variant::T5) {
            let mut cut = known.grid.clone();
            cut.moves.rotate_left(7);
            cut.moves.truncate(100);
            let near = catalogue.nearest(Variant::T5, &cut.moves).unwrap();
            let slow = catalogue.records().map(|other| common_lines(&cut, &other.grid)).max();
            assert_eq!(Some(near.common), slow, "{}", known.name);
        }
    }
}

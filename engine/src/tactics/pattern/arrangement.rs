//! A rectangle of points, each with the contents that it allows, and conditions on edges and liberties.

use crate::core::game::Side;
use crate::notation::sgf::symmetry::carried;

/// Column and row in a pattern, from its upper left point, from 0.
pub type PatternPlace = (u8, u8);

/// What a point may hold: at least one of three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PointMask(u8);

impl PointMask {
    /// The point is empty.
    pub const EMPTY: PointMask = PointMask(1);
    /// It has a black stone.
    pub const BLACK: PointMask = PointMask(2);
    /// It has a white stone.
    pub const WHITE: PointMask = PointMask(4);
    /// It has any content.
    pub const ANY: PointMask = PointMask(7);

    /// A mask of these bits: 1 empty, 2 black, 4 white. `None` if it allows nothing or has other bits.
    pub fn new(bits: u8) -> Option<PointMask> {
        (1..=7).contains(&bits).then_some(PointMask(bits))
    }

    /// The sum of what it allows: 1 empty, 2 black, 4 white.
    #[inline]
    pub fn bits(self) -> u8 {
        self.0
    }

    /// What allows this content alone.
    #[inline]
    pub fn of(content: Option<Side>) -> PointMask {
        match content {
            None => PointMask::EMPTY,
            Some(Side::First) => PointMask::BLACK,
            Some(Side::Second) => PointMask::WHITE,
        }
    }

    /// The character that draws it: `X` black, `O` white, `.` empty, `x` black or empty, `o` white or empty, `*`
    /// black or white, `?` any.
    pub fn mark(self) -> char {
        char::from(b"?.XxOo*?"[usize::from(self.0 & 7)])
    }

    /// Whether it allows what the other one allows, or some of it.
    #[inline]
    pub fn meets(self, other: PointMask) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether one content alone is allowed.
    #[inline]
    pub fn is_definite(self) -> bool {
        self.0.is_power_of_two()
    }

    /// Black and white exchanged.
    pub fn exchanged(self) -> PointMask {
        PointMask(self.0 & 1 | (self.0 & 2) << 1 | (self.0 & 4) >> 1)
    }
}

/// Which sides of a pattern are on the edge of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PatternEdges {
    /// The left side is.
    pub left: bool,
    /// The upper side is.
    pub top: bool,
    /// The right side is.
    pub right: bool,
    /// The lower side is.
    pub bottom: bool,
}

impl PatternEdges {
    /// The sides with their letters, in the order in which they are written.
    pub fn letters(self) -> String {
        let sides = [(self.left, 'L'), (self.top, 'T'), (self.right, 'R'), (self.bottom, 'B')];
        sides.into_iter().filter_map(|(on, letter)| on.then_some(letter)).collect()
    }

    /// The sides of such letters, in any order and case. `None` if there is another character.
    pub fn parse(text: &str) -> Option<PatternEdges> {
        let mut edges = PatternEdges::default();
        for letter in text.chars() {
            match letter.to_ascii_uppercase() {
                'L' => edges.left = true,
                'T' => edges.top = true,
                'R' => edges.right = true,
                'B' => edges.bottom = true,
                _ => return None,
            }
        }
        Some(edges)
    }

    /// The sides after a symmetry.
    fn turned(self, symmetry: u8) -> PatternEdges {
        let PatternEdges { mut left, mut top, mut right, mut bottom } = self;
        if symmetry & 1 != 0 {
            std::mem::swap(&mut left, &mut right);
        }
        if symmetry & 2 != 0 {
            std::mem::swap(&mut top, &mut bottom);
        }
        if symmetry & 4 != 0 {
            (left, top, right, bottom) = (top, left, bottom, right);
        }
        PatternEdges { left, top, right, bottom }
    }
}

/// How many liberties the chain of a stone has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LibertyCondition {
    /// A place with a stone; if there is none on the board, the condition is not fulfilled.
    pub place: PatternPlace,
    /// At least so many.
    pub least: u8,
    /// At most so many.
    pub most: u8,
}

/// How many symmetries there are: numbers of three bits, of which 1 mirrors left and right, 2 mirrors top and bottom,
/// and then 4 exchanges rows and columns.
pub const SYMMETRIES: u8 = 8;

/// A rectangle of points with what they allow, and further conditions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Arrangement {
    width: u8,
    height: u8,
    /// Row by row.
    points: Vec<PointMask>,
    /// The sides that are on the edge of the board; others may be there, too.
    pub edges: PatternEdges,
    /// What is asked of chains, sorted.
    pub liberties: Vec<LibertyCondition>,
}

impl Arrangement {
    /// A rectangle of empty points.
    pub fn new(width: u8, height: u8) -> Arrangement {
        let points = vec![PointMask::EMPTY; usize::from(width) * usize::from(height)];
        Arrangement { width, height, points, edges: PatternEdges::default(), liberties: Vec::new() }
    }

    /// Columns and rows.
    #[inline]
    pub fn size(&self) -> (u8, u8) {
        (self.width, self.height)
    }

    /// What a place allows.
    ///
    /// # Panics
    /// If the place is outside.
    #[inline]
    pub fn at(&self, (x, y): PatternPlace) -> PointMask {
        self.points[usize::from(y) * usize::from(self.width) + usize::from(x)]
    }

    /// Says what a place allows.
    ///
    /// # Panics
    /// If the place is outside.
    pub fn set(&mut self, (x, y): PatternPlace, mask: PointMask) {
        self.points[usize::from(y) * usize::from(self.width) + usize::from(x)] = mask;
    }

    /// The places, row by row.
    pub fn places(&self) -> impl Iterator<Item = PatternPlace> + use<> {
        let (width, height) = self.size();
        (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)))
    }

    /// The places that allow this content alone.
    pub fn holding(&self, mask: PointMask) -> impl Iterator<Item = PatternPlace> + '_ {
        self.places().filter(move |&place| self.at(place) == mask)
    }

    /// The places next to one.
    pub fn near(&self, (x, y): PatternPlace) -> impl Iterator<Item = PatternPlace> + use<> {
        let (width, height) = self.size();
        let steps = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
        steps.into_iter().filter(move |&(x, y)| x < width && y < height)
    }

    /// The chain of a definite stone, as far as it is in the rectangle.
    pub fn chain(&self, place: PatternPlace) -> Vec<PatternPlace> {
        let (mut found, mut i) = (vec![place], 0);
        while i < found.len() {
            for near in self.near(found[i]) {
                if self.at(near) == self.at(place) && !found.contains(&near) {
                    found.push(near);
                }
            }
            i += 1;
        }
        found
    }

    /// Whether a place is on a side of the rectangle beyond which there may be more of the board.
    fn is_open(&self, (x, y): PatternPlace) -> bool {
        let edges = self.edges;
        x == 0 && !edges.left
            || y == 0 && !edges.top
            || x + 1 == self.width && !edges.right
            || y + 1 == self.height && !edges.bottom
    }

    /// Puts a stone on an empty place, and takes off the chains that certainly have no liberty then: those that touch
    /// nothing that may be empty and no open side. Whether the place was empty.
    pub fn play(&mut self, place: PatternPlace, colour: Side) -> bool {
        if self.at(place) != PointMask::EMPTY {
            return false;
        }
        self.set(place, PointMask::of(Some(colour)));
        for near in self.near(place) {
            if self.at(near) != PointMask::of(Some(colour.other())) {
                continue;
            }
            let chain = self.chain(near);
            let may_live = |&stone: &PatternPlace| {
                self.is_open(stone)
                    || self.near(stone).any(|near| {
                        self.at(near).meets(PointMask::EMPTY)
                            || !self.at(near).is_definite() && self.at(near).meets(self.at(stone))
                    })
            };
            if !chain.iter().any(may_live) {
                chain.iter().for_each(|&stone| self.set(stone, PointMask::EMPTY));
            }
        }
        // What is said of liberties holds before the first move alone.
        self.liberties.clear();
        true
    }

    /// Where a symmetry carries a place.
    #[inline]
    pub fn carried(&self, place: PatternPlace, symmetry: u8) -> PatternPlace {
        carried(self.size(), place, symmetry)
    }

    /// The same turned by a symmetry.
    pub fn turned(&self, symmetry: u8) -> Arrangement {
        let (width, height) = if symmetry & 4 != 0 { (self.height, self.width) } else { self.size() };
        let mut turned = Arrangement::new(width, height);
        for place in self.places() {
            turned.set(self.carried(place, symmetry), self.at(place));
        }
        turned.edges = self.edges.turned(symmetry);
        let of = |&condition: &LibertyCondition| LibertyCondition {
            place: self.carried(condition.place, symmetry),
            ..condition
        };
        turned.liberties = self.liberties.iter().map(of).collect();
        turned.liberties.sort_unstable();
        turned
    }

    /// The same with black and white exchanged.
    pub fn exchanged(&self) -> Arrangement {
        let mut other = self.clone();
        other.points.iter_mut().for_each(|mask| *mask = mask.exchanged());
        other
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Rows of `X` black, `O` white, `.` empty, `x` black or empty, `o` white or empty, `*` black or white, `?`
    /// anything.
    pub fn arrangement(rows: &str) -> Arrangement {
        let rows: Vec<&str> = rows.split_whitespace().collect();
        let mut found = Arrangement::new(rows[0].len() as u8, rows.len() as u8);
        for (y, row) in (0..).zip(rows) {
            for (x, c) in (0..).zip(row.chars()) {
                let bits = match c {
                    '.' => 1,
                    'X' => 2,
                    'O' => 4,
                    'x' => 3,
                    'o' => 5,
                    '*' => 6,
                    _ => 7,
                };
                found.set((x, y), PointMask::new(bits).unwrap());
            }
        }
        found
    }

    #[test]
    fn the_empty_triangle_has_four_orientations_and_a_lopsided_shape_eight() {
        let distinct = |rows: &str| {
            let start = arrangement(rows);
            (0..SYMMETRIES).map(|symmetry| start.turned(symmetry)).collect::<HashSet<_>>().len()
        };
        assert_eq!([distinct("XX X."), distinct("XX.X .X.."), distinct("X"), distinct("XX .. XX")], [4, 8, 1, 2]);
    }

    #[test]
    fn edges_and_liberties_turn_with_the_points() {
        let mut start = arrangement("XO. ..x");
        start.edges = PatternEdges::parse("lb").unwrap();
        start.liberties = vec![LibertyCondition { place: (1, 0), least: 2, most: 3 }];
        for symmetry in 0..SYMMETRIES {
            let turned = start.turned(symmetry);
            assert_eq!(turned.at(turned.liberties[0].place), PointMask::WHITE, "{symmetry}");
            // The empty corner at the lower left is the one on two edges.
            let (width, height) = turned.size();
            let (x, y) = start.carried((0, 1), symmetry);
            let edges = turned.edges;
            assert_eq!((edges.left, edges.right), (x == 0, x == width - 1), "{symmetry}");
            assert_eq!((edges.top, edges.bottom), (y == 0, y == height - 1), "{symmetry}");
        }
        assert_eq!(PatternEdges::parse("x"), None);
        assert_eq!(start.exchanged(), {
            let mut other = arrangement("OX. ..o");
            (other.edges, other.liberties) = (start.edges, start.liberties.clone());
            other
        });
    }

    #[test]
    fn a_stone_captures_what_certainly_has_no_liberty() {
        let mut inside = arrangement(".X. XO. .X.");
        assert!(inside.play((2, 1), Side::First) && inside.at((1, 1)) == PointMask::EMPTY);
        let mut open = arrangement("XO. .X.");
        assert!(open.play((2, 0), Side::First) && open.at((1, 0)) == PointMask::WHITE);
        open = arrangement("XO. .X.");
        open.edges.top = true;
        assert!(open.play((2, 0), Side::First) && open.at((1, 0)) == PointMask::EMPTY);
        assert!(!open.play((2, 0), Side::Second));
    }
}

//! The rules of the puzzle as the checker of proofs needs them, on pairs of integers.

use crate::morpion::geometry::cross;
use crate::morpion::variant::Variant;

/// Column and row of a point.
pub type Spot = (i32, i32);

/// What lines of one direction may not share: a point (disjoint), or a unit segment by its first point (touching).
pub type SharedCell = (usize, Spot);

/// Unit steps of the four directions.
const STEPS: [Spot; 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// The rules of a variant.
pub struct CheckRules {
    /// The points of the start.
    pub cross: Vec<Spot>,
    /// Points of a line.
    len: i32,
    /// Whether lines of a direction may share no point.
    pub disjoint: bool,
}

impl CheckRules {
    /// The rules of this variant.
    pub fn new(variant: Variant) -> CheckRules {
        let cross = cross(variant).iter().map(|point| (point.x(), point.y())).collect();
        CheckRules { cross, len: variant.line_len() as i32, disjoint: variant.disjoint() }
    }

    /// The point `n` steps on.
    pub fn step(direction: usize, (x, y): Spot, n: i32) -> Spot {
        (x + n * STEPS[direction].0, y + n * STEPS[direction].1)
    }

    /// The points of the line that begins there.
    pub fn line(&self, direction: usize, first: Spot) -> Vec<Spot> {
        (0..self.len).map(|n| CheckRules::step(direction, first, n)).collect()
    }

    /// The cells of the line that begins there.
    pub fn cells(&self, direction: usize, first: Spot) -> Vec<SharedCell> {
        let count = if self.disjoint { self.len } else { self.len - 1 };
        (0..count).map(|n| (direction, CheckRules::step(direction, first, n))).collect()
    }

    /// Which row, column or diagonal a line lies on.
    pub fn track(&self, direction: usize, (x, y): Spot) -> (usize, i32) {
        let (dx, dy) = STEPS[direction];
        (direction, x * dy - y * dx)
    }
}

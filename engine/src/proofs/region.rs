//! Where a proof looks for grids: a set of points that contains the cross.
//!
//! The usual set is the *octagon hull* of a grid: all points between its first and last row, column and diagonals of
//! both kinds. A grid's hull has few more points than the grid, so the grids inside it can be enumerated.

use crate::morpion::geometry::{Direction, Point, SIDE, cross};
use crate::morpion::variant::Variant;

/// Most points that may be free to be set: more make the program too large to be of use.
pub const MOST_POINTS: usize = 2000;

/// A set of points that contains the cross.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    variant: Variant,
    /// The points beyond the cross, ascending.
    added: Vec<Point>,
}

/// Why a set of points is no region.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegionError {
    /// There are too many of them.
    #[error("the region has {0} points beyond the cross; at most {MOST_POINTS} are supported")]
    TooLarge(usize),
    /// It reaches the edge of the playing area.
    #[error("the region reaches ({},{}), outside of the playing area of 60x60 points", .0.0, .0.1)]
    OutsideArea((i32, i32)),
}

impl Region {
    /// The region of these points and those of the cross.
    ///
    /// # Errors
    /// If there are more than [`MOST_POINTS`] points beyond the cross.
    pub fn new(variant: Variant, points: impl IntoIterator<Item = Point>) -> Result<Region, RegionError> {
        let start = cross(variant);
        let mut added: Vec<Point> = points.into_iter().filter(|point| !start.contains(point)).collect();
        added.sort_unstable();
        added.dedup();
        if added.len() > MOST_POINTS {
            return Err(RegionError::TooLarge(added.len()));
        }
        Ok(Region { variant, added })
    }

    /// The octagon hull of these points and the cross.
    ///
    /// # Errors
    /// If there are more than [`MOST_POINTS`] points beyond the cross.
    pub fn octagon(variant: Variant, points: &[Point]) -> Result<Region, RegionError> {
        let all: Vec<Point> = cross(variant).into_iter().chain(points.iter().copied()).collect();
        let extent = |direction: Direction| {
            let tracks = all.iter().map(|&point| direction.track(point).0);
            tracks.clone().min().unwrap_or(0)..=tracks.max().unwrap_or(0)
        };
        let extents = Direction::ALL.map(|direction| (direction, extent(direction)));
        let inside =
            |point: &Point| extents.iter().all(|(direction, extent)| extent.contains(&direction.track(*point).0));
        Region::new(variant, area().filter(inside))
    }

    /// The box that reaches so many rows or columns beyond the cross to the west, north, east and south.
    ///
    /// # Errors
    /// If the box leaves the playing area or has more than [`MOST_POINTS`] points beyond the cross.
    pub fn rectangle(variant: Variant, beyond: [u32; 4]) -> Result<Region, RegionError> {
        let start = cross(variant);
        let [west, north, east, south] = beyond.map(|n| i32::try_from(n).unwrap_or(i32::MAX).min(SIDE));
        let span = |of: fn(Point) -> i32| {
            let all = start.iter().map(|&point| of(point));
            (all.clone().min().unwrap_or(0), all.max().unwrap_or(0))
        };
        let ((left, right), (top, bottom)) = (span(Point::x), span(Point::y));
        let corners = [(left - west, top - north), (right + east, bottom + south)];
        if let Some(&corner) = corners.iter().find(|&&(x, y)| Point::new(x, y).is_none()) {
            return Err(RegionError::OutsideArea(corner));
        }
        let [from, to] = corners;
        let inside = |point: &Point| (from.0..=to.0).contains(&point.x()) && (from.1..=to.1).contains(&point.y());
        Region::new(variant, area().filter(inside))
    }

    /// The variant whose cross it contains.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The points beyond the cross, ascending.
    pub fn added(&self) -> &[Point] {
        &self.added
    }
}

/// All points of the playing area.
fn area() -> impl Iterator<Item = Point> {
    (0..SIDE).flat_map(|y| (0..SIDE).filter_map(move |x| Point::new(x, y)))
}

//! Points, directions, lines and moves of the fixed 60x60 playing area.
//!
//! A point is one number, `64 * y + x`, with x to the right and y down, both in `0..60`. Each direction cuts
//! the area into *tracks* (rows, columns, diagonals), and a point stands at a *coordinate* (0..60) of its track:
//! its x, or its y for the vertical direction. A line is a direction, a track and the coordinate of its first
//! point, packed so that two lines of one track differ by the distance of their starts. A move is a line and
//! the point of it that is new; both fit into 32 bits, which the searches compare as vectors.

use super::variant::{Rules, Variant};
use std::fmt;

/// Side of the square playing area, in points. No known solution comes nearer than 9 points to its edge.
pub const SIDE: i32 = 60;

/// Distance in a [`Point`]'s number from one row to the next.
pub const ROW: i32 = 64;

/// A point of the playing area.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[repr(transparent)]
pub struct Point(u16);

impl Point {
    /// The north-west corner of the area.
    pub const ORIGIN: Point = Point(0);

    /// The point at column `x` and row `y`, if it lies in the area.
    pub const fn new(x: i32, y: i32) -> Option<Point> {
        if x >= 0 && x < SIDE && y >= 0 && y < SIDE { Some(Point((y * ROW + x) as u16)) } else { None }
    }

    /// Column, 0..60, to the right.
    #[inline(always)]
    pub const fn x(self) -> i32 {
        (self.0 & 63) as i32
    }

    /// Row, 0..60, downwards.
    #[inline(always)]
    pub const fn y(self) -> i32 {
        (self.0 >> 6) as i32
    }

    /// `64 * y + x`.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The point `n` steps along `direction`, if it lies in the area.
    pub const fn step(self, direction: Direction, n: i32) -> Option<Point> {
        let (dx, dy) = direction.delta();
        Point::new(self.x() + n * dx, self.y() + n * dy)
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.x(), self.y())
    }
}

/// The direction of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[repr(u8)]
pub enum Direction {
    /// `-`, step (1, 0).
    Horizontal = 0,
    /// `|`, step (0, 1).
    Vertical = 1,
    /// `\`, step (1, 1).
    Falling = 2,
    /// `/`, step (1, -1).
    Rising = 3,
}

impl Direction {
    /// All four, in the order of their numbers.
    pub const ALL: [Direction; 4] =
        [Direction::Horizontal, Direction::Vertical, Direction::Falling, Direction::Rising];

    /// Unit step `(dx, dy)` along the line.
    pub const fn delta(self) -> (i32, i32) {
        match self {
            Direction::Horizontal => (1, 0),
            Direction::Vertical => (0, 1),
            Direction::Falling => (1, 1),
            Direction::Rising => (1, -1),
        }
    }

    /// Unit step as a difference of point numbers.
    #[inline(always)]
    pub const fn stride(self) -> i32 {
        let (dx, dy) = self.delta();
        dy * ROW + dx
    }

    /// The character used for it in grid files.
    pub const fn symbol(self) -> char {
        match self {
            Direction::Horizontal => '-',
            Direction::Vertical => '|',
            Direction::Falling => '\\',
            Direction::Rising => '/',
        }
    }

    /// Track of `point` in this direction, `0..119`, and its coordinate on that track, `0..60`.
    #[inline(always)]
    pub const fn track(self, point: Point) -> (usize, u32) {
        let (x, y) = (point.x(), point.y());
        match self {
            Direction::Horizontal => (y as usize, x as u32),
            Direction::Vertical => (x as usize, y as u32),
            Direction::Falling => ((x - y + (SIDE - 1)) as usize, x as u32),
            Direction::Rising => ((x + y) as usize, x as u32),
        }
    }

    /// The point at `coordinate` of `track`, if it lies in the area.
    pub const fn point(self, track: usize, coordinate: i32) -> Option<Point> {
        let (track, c) = (track as i32, coordinate);
        match self {
            Direction::Horizontal => Point::new(c, track),
            Direction::Vertical => Point::new(track, c),
            Direction::Falling => Point::new(c, c - track + (SIDE - 1)),
            Direction::Rising => Point::new(c, track - c),
        }
    }
}

/// A line: direction (2 bits), track (7 bits) and coordinate of its first point (6 bits).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[repr(transparent)]
pub struct Line(u16);

impl Line {
    /// The line of `direction` on `track` that starts at `coordinate`; the caller knows that it fits the area.
    #[inline(always)]
    pub(crate) const fn pack(direction: Direction, track: usize, coordinate: u32) -> Line {
        Line(((direction as usize) << 13 | track << 6 | coordinate as usize) as u16)
    }

    /// The packed number, below 2^15.
    #[inline(always)]
    pub const fn key(self) -> u16 {
        self.0
    }

    /// Direction of the line.
    #[inline(always)]
    pub const fn direction(self) -> Direction {
        Direction::ALL[(self.0 >> 13) as usize & 3]
    }

    /// Its track, 0..119 (see [`Direction::track`]).
    #[inline(always)]
    pub const fn track(self) -> usize {
        (self.0 >> 6) as usize & 127
    }

    /// Coordinate of its first point on the track.
    #[inline(always)]
    pub const fn start(self) -> u32 {
        (self.0 & 63) as u32
    }

    /// Its first point.
    #[inline(always)]
    pub fn first(self) -> Point {
        self.direction().point(self.track(), self.start() as i32).expect("a line lies in the area")
    }

    /// Its points, first to last.
    pub fn points<R: Rules>(self) -> impl Iterator<Item = Point> + Clone {
        let (direction, track, start) = (self.direction(), self.track(), self.start() as i32);
        (0..R::LEN as i32).map(move |i| direction.point(track, start + i).expect("a line lies in the area"))
    }

    /// Whether the two lines may not both stand on a board: same direction, same track, and a shared unit segment
    /// (touching variants) or a shared point (disjoint variants).
    #[inline(always)]
    pub const fn conflicts<R: Rules>(self, other: Line) -> bool {
        // Lines start at coordinates 0..=56 and tracks are 64 apart in the packed number, so a difference below 8
        // is a distance on one track.
        self.0.abs_diff(other.0) < R::BLOCKED as u16
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}{}", self.first(), self.direction().symbol())
    }
}

/// A move: a line (high 16 bits) and the point of it that is new (low 16 bits).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[repr(transparent)]
pub struct Move(u32);

impl Move {
    /// The move that adds `point` and draws the line of `direction` whose point number `index` (0..LEN, from the
    /// line's first point) it is; `None` if the line would leave the playing area or `index` is out of range.
    pub fn new(variant: Variant, point: Point, direction: Direction, index: usize) -> Option<Move> {
        let len = variant.line_len();
        if index >= len {
            return None;
        }
        let first = point.step(direction, -(index as i32))?;
        point.step(direction, (len - 1 - index) as i32)?;
        let (track, start) = direction.track(first);
        Some(Move::pack(point, Line::pack(direction, track, start)))
    }

    /// The move with new point `point` and line `line`; the caller knows that the point is of the line.
    #[inline(always)]
    pub(crate) const fn pack(point: Point, line: Line) -> Move {
        Move((line.0 as u32) << 16 | point.0 as u32)
    }

    /// The move as one number (line in the high, point in the low 16 bits).
    #[inline(always)]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The inverse of [`Move::bits`]; `None` if the number names no move of the variant.
    pub fn from_bits(variant: Variant, bits: u32) -> Option<Move> {
        let (point, line) = (bits & 0xFFFF, bits >> 16);
        if line >= 1 << 15 {
            return None;
        }
        let point = Point::new((point & 63) as i32, (point >> 6) as i32)?;
        let line = Line(line as u16);
        let (track, coordinate) = line.direction().track(point);
        let index = coordinate.checked_sub(line.start())?;
        let made = Move::new(variant, point, line.direction(), index as usize)?;
        (track == line.track() && made.0 == bits).then_some(made)
    }

    /// The move with these bits; the caller knows that they came from [`Move::bits`].
    #[inline(always)]
    pub(crate) const fn from_raw(bits: u32) -> Move {
        Move(bits)
    }

    /// The new point.
    #[inline(always)]
    pub const fn point(self) -> Point {
        Point(self.0 as u16)
    }

    /// The line drawn.
    #[inline(always)]
    pub const fn line(self) -> Line {
        Line((self.0 >> 16) as u16)
    }

    /// Direction of the line drawn.
    #[inline(always)]
    pub const fn direction(self) -> Direction {
        self.line().direction()
    }

    /// Index of the new point in its line, 0..LEN.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.direction().track(self.point()).1 - self.line().start()) as usize
    }

    /// Whether playing one of the moves rules out the other: same new point, or conflicting lines.
    #[inline(always)]
    pub const fn collides<R: Rules>(self, other: Move) -> bool {
        self.point().0 == other.point().0 || self.line().conflicts::<R>(other.line())
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}{}{}", self.point(), self.direction().symbol(), self.index())
    }
}

/// Column and row of the corner of the cross's bounding box. With it the inner north-west corner of the cross
/// (where the upper and the left arm meet) is (28,28) in all variants: the usual reference point of grid files.
pub const fn cross_corner(variant: Variant) -> i32 {
    INNER_CORNER - (variant.line_len() as i32 - 2)
}

/// Column and row of the inner north-west corner of the cross.
pub const INNER_CORNER: i32 = 28;

/// The points of the starting cross: 36 points for lines of 5, 24 for lines of 4.
pub fn cross(variant: Variant) -> Vec<Point> {
    let corner = cross_corner(variant);
    msr::initial_cross(variant.into())
        .into_iter()
        .map(|(x, y)| Point::new(i32::from(x) + corner, i32::from(y) + corner).expect("the cross lies in the area"))
        .collect()
}

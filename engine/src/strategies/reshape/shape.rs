//! The shape of a grid: its points, without the lines; and how many lines fit into it.
//!
//! Each line covers four neighbouring unit segments of its track (touching; three in 4T) or five points (disjoint;
//! four in 4D), its *cells*, and no cell is covered twice. So a run of neighbouring cells has room for a fourth (a
//! fifth) of them, rounded down, as lines, and a grid needs as many lines as it has points beyond the start. The
//! number of lines that fit beyond that is the *slack* of a shape. No shape with a negative slack is that of a grid.
//! The longest grids known have a slack of 0 or 1 in every variant.

use crate::morpion::board::Board;
use crate::morpion::geometry::{Direction, Point, SIDE};
use crate::morpion::variant::Rules;
use std::marker::PhantomData;

/// Words per direction: 119 tracks, rounded up.
pub(super) const TRACKS: usize = 128;
/// The coordinates of the area, as bits.
const INSIDE: u64 = (1 << SIDE) - 1;

/// Neighbouring cells that no line of the start covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CellRun {
    pub direction: Direction,
    pub track: usize,
    /// Its first cell.
    pub start: u32,
    pub cells: u32,
}

/// A set of points that contains those of the start.
#[derive(Clone)]
pub(crate) struct Shape<R> {
    /// Bit `c` of word `track` by direction: the point at coordinate `c` is in the shape.
    points: Box<[[u64; TRACKS]; 4]>,
    /// Likewise the points of the start, and the cells that no line covers yet.
    start: Box<[[u64; TRACKS]; 4]>,
    free: Box<[[u64; TRACKS]; 4]>,
    /// Lines that fit less points beyond the start.
    slack: i32,
    /// Points beyond the start.
    len: usize,
    /// One number for the set of points beyond the start.
    key: u64,
    rules: PhantomData<R>,
}

/// What a point counts in the number of a shape.
fn key(point: Point) -> u64 {
    crate::core::seed::derive(point.index() as u64, &[])
}

/// Lines that fit on a track with these cells.
fn fits<R: Rules>(mut cells: u64) -> i32 {
    let mut fits = 0;
    while cells != 0 {
        cells >>= cells.trailing_zeros();
        let run = cells.trailing_ones();
        fits += run as i32 / R::BLOCKED as i32;
        cells = cells.checked_shr(run).unwrap_or(0);
    }
    fits
}

impl<R: Rules> Shape<R> {
    /// That of the start alone.
    pub fn new(board: &Board<R>) -> Shape<R> {
        let words = |of: &dyn Fn(Direction, usize) -> u64| {
            let mut words = Box::new([[0; TRACKS]; 4]);
            for direction in Direction::ALL {
                for track in 0..2 * SIDE as usize - 1 {
                    words[direction as usize][track] = of(direction, track);
                }
            }
            words
        };
        let start = words(&|direction, track| board.points_of(direction, track));
        let mut shape = Shape {
            points: start.clone(),
            start,
            free: words(&|direction, track| !board.blocked_of(direction, track)),
            slack: 0,
            len: 0,
            key: 0,
            rules: PhantomData,
        };
        shape.slack = shape.count();
        shape
    }

    /// The slack, counted anew.
    pub fn count(&self) -> i32 {
        let tracks = Direction::ALL.iter().flat_map(|&direction| (0..TRACKS).map(move |track| (direction, track)));
        tracks.map(|(direction, track)| fits::<R>(self.cells(direction, track))).sum::<i32>() - self.len as i32
    }

    /// The free cells of a track whose points are in the shape, as bits.
    fn cells(&self, direction: Direction, track: usize) -> u64 {
        let (points, free) = (self.points[direction as usize][track], self.free[direction as usize][track]);
        if R::DISJOINT { points & free } else { points & points >> 1 & free }
    }

    /// Whether a point is in the shape.
    pub fn has(&self, point: Point) -> bool {
        self.points[0][point.y() as usize] >> point.x() & 1 == 1
    }

    /// Whether a point is one of the start.
    pub fn is_start(&self, point: Point) -> bool {
        self.start[0][point.y() as usize] >> point.x() & 1 == 1
    }

    /// The points of the start on a track, as bits.
    pub fn start_of(&self, direction: Direction, track: usize) -> u64 {
        self.start[direction as usize][track]
    }

    /// Takes a point in that is not in the shape, or out that is.
    pub fn flip(&mut self, point: Point) {
        self.slack -= if self.has(point) { -1 } else { 1 };
        self.len = if self.has(point) { self.len - 1 } else { self.len + 1 };
        self.key ^= key(point);
        for direction in Direction::ALL {
            let (track, c) = direction.track(point);
            self.slack -= fits::<R>(self.cells(direction, track));
            self.points[direction as usize][track] ^= 1 << c;
            self.slack += fits::<R>(self.cells(direction, track));
        }
    }

    /// Lines that fit less points beyond the start.
    pub fn slack(&self) -> i32 {
        self.slack
    }

    /// Points beyond the start.
    pub fn len(&self) -> usize {
        self.len
    }

    /// One number for the set of points.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The points beyond the start, by rows.
    pub fn added(&self) -> Vec<Point> {
        self.listed(|y| self.points[0][y] & !self.start[0][y])
    }

    /// The points outside that are next to one of the shape.
    pub fn outside(&self) -> Vec<Point> {
        self.listed(|y| around(|y| self.points[0][y], y) & !self.points[0][y])
    }

    /// The points beyond the start that are next to one outside.
    pub fn rim(&self) -> Vec<Point> {
        self.listed(|y| around(|y| !self.points[0][y], y) & self.points[0][y] & !self.start[0][y])
    }

    fn listed(&self, row: impl Fn(usize) -> u64) -> Vec<Point> {
        let mut points = Vec::new();
        for y in 0..SIDE as usize {
            let mut row = row(y) & INSIDE;
            while row != 0 {
                points.extend(Point::new(row.trailing_zeros() as i32, y as i32));
                row &= row - 1;
            }
        }
        points
    }

    /// The runs that take a line, by direction and track.
    pub fn runs(&self) -> Vec<CellRun> {
        let mut runs = Vec::new();
        for direction in Direction::ALL {
            for track in 0..TRACKS {
                let mut cells = self.cells(direction, track);
                while cells != 0 {
                    let start = cells.trailing_zeros();
                    let count = (cells >> start).trailing_ones();
                    if count as usize >= R::BLOCKED {
                        runs.push(CellRun { direction, track, start, cells: count });
                    }
                    cells &= cells.wrapping_add(1 << start);
                }
            }
        }
        runs
    }
}

/// The points of a row, and those next to it, above and below.
fn around(row: impl Fn(usize) -> u64, y: usize) -> u64 {
    let rows = y.saturating_sub(1)..=(y + 1).min(SIDE as usize - 1);
    rows.map(row).fold(0, |all, row| all | row | row << 1 | row >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;
    use crate::morpion::position::Position;
    use crate::morpion::variant::Variant;
    use crate::strategies::choices::tests::game;
    use crate::with_rules;
    use rand::RngExt;
    use std::collections::HashSet;

    /// The slack of each shape is that of a simple count of points one after the other, whatever came and went
    /// before.
    #[test]
    fn slack_and_runs_are_those_of_a_count_point_by_point() {
        for variant in Variant::ALL {
            with_rules!(variant, R => {
                let mut position = Position::<R>::new();
                for &mv in &game::<R>(3, 6) {
                    position.play(mv);
                }
                let board = position.board();
                let mut shape = Shape::new(board);
                let rng = &mut rng(5, &[variant as u64]);
                for step in 0..300 {
                    let all = if rng.random_range(0..3) == 0 { shape.rim() } else { shape.outside() };
                    if let Some(&point) = all.get(rng.random_range(0..all.len().max(1))) {
                        assert!(!shape.is_start(point));
                        shape.flip(point);
                    }
                    if step % 20 > 0 {
                        continue;
                    }
                    let mut fit = 0;
                    for direction in Direction::ALL {
                        for track in 0..2 * SIDE as usize - 1 {
                            let has = |c: u32| direction.point(track, c as i32).is_some_and(|point| shape.has(point));
                            let free = |c: u32| {
                                has(c) && (R::DISJOINT || has(c + 1)) && board.blocked_of(direction, track) >> c & 1 == 0
                            };
                            let mut c = 0;
                            // Lines side by side from the first free cell on are as many as fit.
                            while c < 60 {
                                let line = (c..c + R::BLOCKED as u32).all(free);
                                fit += i32::from(line);
                                c += if line { R::BLOCKED as u32 } else { 1 };
                            }
                        }
                    }
                    assert_eq!(shape.slack(), fit - shape.len() as i32, "{variant} step {step}");
                    assert_eq!(shape.slack(), shape.count());
                    let runs: i32 = shape.runs().iter().map(|run| run.cells as i32 / R::BLOCKED as i32).sum();
                    assert_eq!(runs, fit, "{variant}");
                    let keys = shape.added().into_iter().fold(0, |keys, point| keys ^ key(point));
                    assert_eq!((shape.key(), shape.added().len()), (keys, shape.len()));
                }
            });
        }
    }

    #[test]
    fn outside_and_rim_lie_on_both_sides_of_the_edge() {
        let mut shape = Shape::new(Position::<crate::morpion::variant::T5>::new().board());
        for mv in game::<crate::morpion::variant::T5>(8, usize::MAX) {
            shape.flip(mv.point());
        }
        let beside = |a: &Point, b: &Point| (a.x() - b.x()).abs() <= 1 && (a.y() - b.y()).abs() <= 1;
        let all = || (0..SIDE).flat_map(|y| (0..SIDE).filter_map(move |x| Point::new(x, y)));
        let outside: HashSet<Point> = shape.outside().into_iter().collect();
        let rim: HashSet<Point> = shape.rim().into_iter().collect();
        for point in all() {
            let touches = all().any(|other| beside(&point, &other) && shape.has(other));
            assert_eq!(outside.contains(&point), touches && !shape.has(point), "{point:?}");
            let open = all().any(|other| beside(&point, &other) && !shape.has(other));
            assert_eq!(rim.contains(&point), shape.has(point) && !shape.is_start(point) && open, "{point:?}");
        }
    }
}

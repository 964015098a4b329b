//! The board as bit rows: which points are set and which cells of each track are blocked, in four directions.
//!
//! Each track is one 64-bit word per kind. The 60 coordinates use bits 0..60; the bits above, and the bits of
//! diagonal tracks outside the area, are blocked from the start, so that a line that would leave the area never
//! fits and a window read across a word's end (by rotation) sees the border. After a point is set, the new
//! legal lines through it are read off a 9-bit window (7 bits for lines of 4) of each direction through a table.

use super::geometry::{Direction, INNER_CORNER, Move, Point, SIDE, cross};
use super::variant::Rules;
use std::marker::PhantomData;

/// Words per direction: 119 tracks, rounded up.
const TRACKS: usize = 128;

/// A board without a move list.
#[derive(Clone, PartialEq, Eq)]
pub struct Board<R> {
    /// Bit `c` of word `128 * direction + track`: the point at coordinate `c` is set.
    points: [u64; 4 * TRACKS],
    /// Bit `c`: the unit segment from `c` to `c + 1` (touching) or the point `c` (disjoint) belongs to a line of
    /// this direction, or lies outside the area.
    blocked: [u64; 4 * TRACKS],
    rules: PhantomData<R>,
}

impl<R: Rules> Default for Board<R> {
    fn default() -> Self {
        Board::new()
    }
}

impl<R: Rules> Board<R> {
    /// The starting cross.
    pub fn new() -> Board<R> {
        let mut board = Board { points: [0; 4 * TRACKS], blocked: [u64::MAX; 4 * TRACKS], rules: PhantomData };
        for direction in Direction::ALL {
            for track in 0..TRACKS {
                for c in 0..SIDE {
                    let inside = direction.point(track, c).is_some()
                        && (R::DISJOINT || direction.point(track, c + 1).is_some());
                    if inside {
                        board.blocked[direction as usize * TRACKS + track] &= !(1 << c);
                    }
                }
            }
        }
        for point in cross(R::VARIANT) {
            board.set_point(point);
        }
        board
    }

    #[inline(always)]
    fn word(direction: Direction, track: usize) -> usize {
        direction as usize * TRACKS + (track & (TRACKS - 1))
    }

    #[inline(always)]
    fn set_point(&mut self, point: Point) {
        for direction in Direction::ALL {
            let (track, c) = direction.track(point);
            self.points[Self::word(direction, track)] |= 1 << c;
        }
    }

    #[inline(always)]
    fn clear_point(&mut self, point: Point) {
        for direction in Direction::ALL {
            let (track, c) = direction.track(point);
            self.points[Self::word(direction, track)] &= !(1 << c);
        }
    }

    /// Whether `point` is set.
    #[inline(always)]
    pub fn is_set(&self, point: Point) -> bool {
        let (track, c) = Direction::Horizontal.track(point);
        self.points[Self::word(Direction::Horizontal, track)] >> c & 1 == 1
    }

    /// The set points of a track as bits by coordinate.
    #[inline(always)]
    pub fn points_of(&self, direction: Direction, track: usize) -> u64 {
        self.points[Self::word(direction, track)]
    }

    /// The blocked cells of a track as bits by coordinate: unit segments named by their lower end (touching) or
    /// points (disjoint); cells outside the area count as blocked.
    #[inline(always)]
    pub fn blocked_of(&self, direction: Direction, track: usize) -> u64 {
        self.blocked[Self::word(direction, track)]
    }

    /// Whether the move is legal: its point is not set, the other points of its line are, and the line fits.
    pub fn is_legal(&self, mv: Move) -> bool {
        let line = mv.line();
        let word = Self::word(line.direction(), line.track());
        let wanted = ((1u64 << R::LEN) - 1) << line.start() & !(1 << (line.start() as usize + mv.index()));
        !self.is_set(mv.point())
            && self.points[word] & wanted == wanted
            && self.blocked[word] >> line.start() & ((1 << R::BLOCKED) - 1) == 0
    }

    /// Sets the move's point and blocks its line's cells. If the move is not legal, the board no longer describes
    /// a position, but nothing else is harmed.
    #[inline(always)]
    pub fn place(&mut self, mv: Move) {
        self.set_point(mv.point());
        let line = mv.line();
        self.blocked[Self::word(line.direction(), line.track())] |= ((1 << R::BLOCKED) - 1) << line.start();
    }

    /// Takes back [`Board::place`] of the same move.
    #[inline(always)]
    pub fn lift(&mut self, mv: Move) {
        self.clear_point(mv.point());
        let line = mv.line();
        self.blocked[Self::word(line.direction(), line.track())] &= !(((1 << R::BLOCKED) - 1) << line.start());
    }

    /// Calls `found` with every legal move whose line goes through `point`, which has just been set and therefore
    /// was missing from all of them: by direction, then by the start of the line.
    #[inline(always)]
    pub fn moves_through(&self, point: Point, mut found: impl FnMut(Move)) {
        // All four directions are looked up before any move is made: one loop over the moves found is mispredicted
        // once, four are up to four times.
        let mut starts = 0u32;
        let mut windows = [0u32; 4];
        let mut bases = [0u32; 4];
        for direction in Direction::ALL {
            let (track, c) = direction.track(point);
            let word = Self::word(direction, track);
            // Bit LEN-1 of each window is the point itself (or the segment that starts at it).
            let turn = c.wrapping_sub(R::LEN as u32 - 1) & 63;
            let points = self.points[word].rotate_right(turn) as usize & Windows::<R>::MASK;
            let blocked = self.blocked[word].rotate_right(turn) as usize & Windows::<R>::MASK;
            let through = Windows::<R>::TABLE.one_missing[points] & Windows::<R>::TABLE.free[blocked];
            let d = direction as usize;
            starts |= u32::from(through) << (8 * d);
            windows[d] = points as u32;
            // The move on the line that would start LEN-1 before the point, with a new point as far before it:
            // the line's number and the point's are then added to as whole numbers.
            let line = ((d << 13 | track << 6) as u32).wrapping_add(c).wrapping_sub(R::LEN as u32 - 1);
            let first = (point.index() as i32 - (R::LEN as i32 - 1) * direction.stride()) as u32;
            bases[d] = (line << 16).wrapping_add(first);
        }
        while starts != 0 {
            let bit = starts.trailing_zeros();
            starts &= starts - 1;
            let (d, i) = ((bit >> 3) as usize, bit & 7);
            let missing = (!(windows[d] >> i)).trailing_zeros();
            let step = Direction::ALL[d].stride() as u32;
            let bits = bases[d].wrapping_add(i << 16).wrapping_add((i + missing).wrapping_mul(step));
            found(Move::from_raw(bits));
        }
    }

    /// All legal moves of the board, by a scan of every track: slow, for starts and checks.
    pub fn scan(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        for direction in Direction::ALL {
            for track in 0..2 * SIDE as usize - 1 {
                for start in 0..=SIDE - R::LEN as i32 {
                    for index in 0..R::LEN {
                        let Some(point) = direction.point(track, start + index as i32) else { continue };
                        let Some(mv) = Move::new(R::VARIANT, point, direction, index) else { continue };
                        if self.is_legal(mv) {
                            moves.push(mv);
                        }
                    }
                }
            }
        }
        moves
    }

    /// Whether a set point stands so near the edge that a legal move might have been refused because its line or
    /// its point would leave the playing area.
    pub fn touches_border(&self) -> bool {
        let near = R::LEN as i32 - 1;
        (0..SIDE).any(|y| {
            let row = self.points_of(Direction::Horizontal, y as usize);
            let inner = ((1u64 << (SIDE - 2 * near)) - 1) << near;
            if y < near || y >= SIDE - near { row != 0 } else { row & !inner != 0 }
        })
    }
}

impl<R: Rules> std::fmt::Debug for Board<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} (reference {INNER_CORNER})", R::VARIANT)?;
        for y in 0..SIDE as usize {
            let row = self.points_of(Direction::Horizontal, y);
            if row != 0 {
                let text: String = (0..SIDE).map(|x| if row >> x & 1 == 1 { 'o' } else { '.' }).collect();
                writeln!(f, "{y:2} {text}")?;
            }
        }
        Ok(())
    }
}

/// Tables from a window of `2 * LEN - 1` bits around a point to the starts of lines through it (bit `i`: the line
/// whose first point stands `LEN - 1 - i` before it).
struct WindowTable {
    /// Exactly one point of the line is missing.
    one_missing: [u8; 512],
    /// No cell of the line is blocked.
    free: [u8; 512],
}

struct Windows<R>(PhantomData<R>);

impl<R: Rules> Windows<R> {
    const MASK: usize = (1 << (2 * R::LEN - 1)) - 1;
    const TABLE: &'static WindowTable = &window_table(R::LEN, R::BLOCKED);
}

const fn window_table(len: usize, blocked: usize) -> WindowTable {
    let mut table = WindowTable { one_missing: [0; 512], free: [0; 512] };
    let mut window = 0usize;
    while window < 1 << (2 * len - 1) {
        let mut i = 0;
        while i < len {
            if (window >> i & ((1 << len) - 1)).count_ones() as usize == len - 1 {
                table.one_missing[window] |= 1 << i;
            }
            if window >> i & ((1 << blocked) - 1) == 0 {
                table.free[window] |= 1 << i;
            }
            i += 1;
        }
        window += 1;
    }
    table
}

//! The board as bit rows: which points are set and which cells of each track are blocked, in four directions.
//!
//! Each track is one 64-bit word per kind. The 60 coordinates use bits 0..60; the bits above, and the bits of
//! diagonal tracks outside the area, are blocked from the start, so that a line that would leave the area never
//! fits and a window read across a word's end (by rotation) sees the border. After a point is set, the new
//! legal lines through it are read off a 9-bit window (7 bits for lines of 4) of each direction through a table.

use super::geometry::{Direction, INNER_CORNER, Line, Move, Point, SIDE, cross};
use super::variant::Rules;
use std::marker::PhantomData;

/// Words per direction: 119 tracks, rounded up.
const TRACKS: usize = 128;

/// Where among its words the first falling diagonal stands: so that the word of a point is `x + (y ^ 63)` there.
const FALLING: usize = 63 - (SIDE as usize - 1);

/// A board without a move list. It begins at a cache line wherever it stands, so that the speed of copying it does
/// not hang on the fields beside it.
#[derive(Clone, PartialEq, Eq)]
#[repr(align(64))]
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
        Board::of_points(&cross(R::VARIANT))
    }

    /// With these points and no line.
    pub(super) fn of_points(points: &[Point]) -> Board<R> {
        let mut board = Board { points: [0; 4 * TRACKS], blocked: [u64::MAX; 4 * TRACKS], rules: PhantomData };
        for direction in Direction::ALL {
            let straight = matches!(direction, Direction::Horizontal | Direction::Vertical);
            for track in 0..if straight { SIDE } else { 2 * SIDE - 1 } {
                // First and last coordinate of the track inside the area; a diagonal grows and shrinks.
                let (first, last) =
                    if straight { (0, SIDE - 1) } else { ((track - SIDE + 1).max(0), track.min(SIDE - 1)) };
                let cells = if R::DISJOINT { last - first + 1 } else { last - first };
                board.blocked[Self::word(direction, track as usize)] = !(((1 << cells) - 1) << first);
            }
        }
        points.iter().for_each(|&point| board.set_point(point));
        board
    }

    /// Becomes a copy of `other`: several times quicker than an assignment.
    #[inline(always)]
    pub fn copy_from(&mut self, other: &Board<R>) {
        copy_words(&mut self.points, &other.points);
        copy_words(&mut self.blocked, &other.blocked);
    }

    #[inline(always)]
    fn word(direction: Direction, track: usize) -> usize {
        let first = if matches!(direction, Direction::Falling) { FALLING } else { 0 };
        direction as usize * TRACKS + ((track + first) & (TRACKS - 1))
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

    /// All set points, by rows.
    pub(crate) fn set_points(&self) -> impl Iterator<Item = Point> {
        let points = (0..SIDE).flat_map(|y| (0..SIDE).filter_map(move |x| Point::new(x, y)));
        points.filter(|&point| self.is_set(point))
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

    /// The words of the tracks through `point`, by direction, and its coordinates in them.
    #[inline(always)]
    fn words_of(point: Point) -> [(usize, u32); 4] {
        // Six bits each, so that a compiler sees that no index is out of bounds.
        let (x, y) = (point.index() & 63, point.index() >> 6 & 63);
        let words = [y, x, x + (y ^ 63), x + y];
        let coordinates = [x, y, x, x].map(|c| c as u32);
        std::array::from_fn(|d| (d * TRACKS + words[d], coordinates[d]))
    }

    /// The legal lines through `point`, which has just been set.
    #[inline(always)]
    fn openings(&self, point: Point) -> Openings<R> {
        let words = Self::words_of(point).map(|(word, c)| (self.points[word], self.blocked[word], c));
        Openings::look(point, words)
    }

    /// [`Board::place`], and the legal lines through the point set. Each word is read once and its value used at
    /// once: to store it and read it again would lengthen the chain from move to move. What the new line itself
    /// blocks is therefore taken out at the end.
    #[inline(always)]
    pub(crate) fn place_and_open(&mut self, mv: Move) -> Openings<R> {
        let (line, point) = (mv.line(), mv.point());
        let at = Self::words_of(point);
        let mut openings = Openings::look(point, at.map(|(word, c)| (self.points[word], self.blocked[word], c)));
        let (direction, index) = (line.direction() as usize, mv.index() & 7);
        openings.starts &= Openings::<R>::CLEAR[(direction * 8 + index) & 31];
        for (word, c) in at {
            self.points[word] |= 1 << c;
        }
        self.blocked[Self::word(line.direction(), line.track())] |= ((1 << R::BLOCKED) - 1) << line.start();
        openings
    }

    /// Calls `found` with every legal move whose line goes through `point`, which has just been set and therefore
    /// was missing from all of them: by direction, then by the start of the line.
    #[inline(always)]
    pub fn moves_through(&self, point: Point, mut found: impl FnMut(Move)) {
        let mut openings = self.openings(point);
        while let Some(opening) = openings.next() {
            found(opening.mv);
        }
    }

    /// All legal moves of the board, by a scan of every track: for starts and checks.
    pub fn scan(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        for direction in Direction::ALL {
            for track in 0..2 * SIDE as usize - 1 {
                let (points, blocked) = (self.points_of(direction, track), self.blocked_of(direction, track));
                if points == 0 {
                    continue;
                }
                for start in 0..=SIDE - R::LEN as i32 {
                    let line = points >> start & ((1 << R::LEN) - 1);
                    let fits = blocked >> start & ((1 << R::BLOCKED) - 1) == 0;
                    if !fits || line.count_ones() as usize != R::LEN - 1 {
                        continue;
                    }
                    let index = line.trailing_ones();
                    let Some(point) = direction.point(track, start + index as i32) else { continue };
                    moves.extend(Move::new(R::VARIANT, point, direction, index as usize));
                }
            }
        }
        moves
    }

    /// The starts of the lines of a track that have all their points, and of those that lack one, as bits by
    /// coordinate.
    #[inline(always)]
    pub(crate) fn lines(points: u64) -> (u64, u64) {
        let (mut full, mut one_missing) = (u64::MAX, 0);
        for step in 0..R::LEN {
            let set = points >> step;
            one_missing = one_missing & set | full & !set;
            full &= set;
        }
        (full, one_missing)
    }

    /// All legal moves on these tracks, on which all set points stand, at the end of `moves`: in the order of
    /// [`Board::scan`], many times quicker.
    #[inline(always)]
    pub(crate) fn scan_into(&self, tracks: &Tracks, moves: &mut Vec<Move>) {
        let mut starts = [0u64; TRACKS];
        for direction in Direction::ALL {
            let (low, high) = tracks.of(direction).into_inner();
            let words = Self::word(direction, low)..Self::word(direction, high) + 1;
            let n = words.len();
            let (points, blocked) = (&self.points[words.clone()], &self.blocked[words]);
            for ((starts, &points), &blocked) in starts.iter_mut().zip(points).zip(blocked) {
                let taken = (0..R::BLOCKED).fold(0, |taken, cell| taken | blocked >> cell);
                *starts = Self::lines(points).1 & !taken;
            }
            for (at, &found) in starts[..n].iter().enumerate() {
                let mut found = found;
                while found != 0 {
                    let start = found.trailing_zeros();
                    found &= found - 1;
                    let index = (points[at] >> start).trailing_ones();
                    let line = Line::pack(direction, low + at, start);
                    let Some(point) = direction.point(low + at, (start + index) as i32) else { continue };
                    moves.push(Move::pack(point, line));
                }
            }
        }
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

/// The first and the last track of each direction that has a set point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tracks([(u32, u32); 4]);

impl Tracks {
    /// Of no points.
    #[inline(always)]
    pub fn none() -> Tracks {
        Tracks([(u32::MAX, 0); 4])
    }

    /// Those of a direction.
    pub fn of(&self, direction: Direction) -> std::ops::RangeInclusive<usize> {
        let (low, high) = self.0[direction as usize];
        low as usize..=high as usize
    }

    /// With a point.
    #[inline(always)]
    pub fn extend(&mut self, point: Point) {
        for direction in Direction::ALL {
            let track = direction.track(point).0 as u32;
            let (low, high) = &mut self.0[direction as usize];
            (*low, *high) = ((*low).min(track), (*high).max(track));
        }
    }

    /// Of all points of a board.
    pub fn of_board<R: Rules>(board: &Board<R>) -> Tracks {
        let mut tracks = Tracks::none();
        board.set_points().for_each(|point| tracks.extend(point));
        tracks
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

/// Copies in blocks that the compiler turns into vector moves. One assignment, or a loop, becomes a call of the
/// library's copy routine, which above some size takes string instructions that are slow to start.
#[inline(always)]
fn copy_words(to: &mut [u64; 4 * TRACKS], from: &[u64; 4 * TRACKS]) {
    let (to, _) = to.as_chunks_mut::<64>();
    let (from, _) = from.as_chunks::<64>();
    to[0] = from[0];
    to[1] = from[1];
    to[2] = from[2];
    to[3] = from[3];
    to[4] = from[4];
    to[5] = from[5];
    to[6] = from[6];
    to[7] = from[7];
}

/// The legal lines through a point that has just been set, by direction and start.
#[derive(Clone, Copy)]
pub(crate) struct Openings<R> {
    /// Bit `16 * direction + 3 * i`: the line that starts `LEN - 1 - i` before the point is legal.
    starts: u64,
    /// At that bit and the two above it the number of the line's missing point.
    missing: u64,
    /// Per direction the bits of a move with the point itself and the line that starts `LEN - 1` before it.
    bases: [u32; 4],
    rules: PhantomData<R>,
}

/// One legal line through a point.
#[derive(Clone, Copy)]
pub(crate) struct Opening {
    /// The move that draws it.
    pub mv: Move,
    /// Its place about the point: `128 * direction + 24 * i + m` for the line that starts `LEN - 1 - i` before the
    /// point and misses its point number `m`.
    pub place: usize,
}

/// Bits per line in [`Openings`].
const FIELD: usize = 3;
/// Bits per direction in [`Openings`].
const FIELDS: usize = 16;

/// Number of places about a point ([`Opening::place`]), direction, start and missing point of each.
pub(crate) const PLACES: usize = 4 * FIELDS * 8;

/// Direction, start and number of the missing point of a [`Opening::place`].
pub(crate) const fn place(place: usize) -> (Direction, i32, i32) {
    let bit = place / 8;
    (Direction::ALL[(bit / FIELDS) & 3], (bit % FIELDS / FIELD) as i32, (place & 7) as i32)
}

impl<R: Rules> Openings<R> {
    /// What to add to the base of a place's direction for the bits of its move.
    const SHIFTS: [u32; PLACES] = {
        let mut table = [0; PLACES];
        let mut at = 0;
        while at < PLACES {
            let (direction, start, missing) = place(at);
            let offset = (start + missing - (R::LEN as i32 - 1)) * direction.stride();
            table[at] = ((start as u32) << 16).wrapping_add(offset as u32);
            at += 1;
        }
        table
    };

    /// By direction (times 8) and the number of the new point in a line just drawn: a mask without the lines through
    /// the point that conflict with it.
    const CLEAR: [u64; 32] = {
        let mut table = [0; 32];
        let mut at = 0;
        while at < 32 {
            let mut taken = 0u64;
            let mut i = 0;
            while i < R::LEN {
                if (R::LEN - 1 - i).abs_diff(at % 8) < R::BLOCKED {
                    taken |= 7 << (FIELD * i);
                }
                i += 1;
            }
            table[at] = !(taken << (FIELDS * (at / 8)));
            at += 1;
        }
        table
    };

    /// Reads the lines through `point` from the set points and the blocked cells of its four tracks, each with the
    /// point's coordinate. Whether the point itself is set there makes no difference.
    #[inline(always)]
    fn look(point: Point, tracks: [(u64, u64, u32); 4]) -> Openings<R> {
        let (mut starts, mut missing) = (0, 0);
        let mut bases = [0; 4];
        for direction in Direction::ALL {
            let d = direction as usize;
            let (points, blocked, c) = tracks[d];
            // Bit LEN-1 of each window is the point itself (or the segment that starts at it).
            let turn = c.wrapping_sub(R::LEN as u32 - 1) & 63;
            let points = points.rotate_right(turn) as usize & Windows::<R>::MASK;
            let blocked = blocked.rotate_right(turn) as usize & Windows::<R>::MASK;
            let table = Windows::<R>::TABLE;
            starts |= u64::from(table.one_missing[points] & table.free[blocked]) << (FIELDS * d);
            missing |= u64::from(table.missing[points]) << (FIELDS * d);
            let key = u32::from(Line::pack(direction, direction.track(point).0, c).key());
            bases[d] = (key.wrapping_sub(R::LEN as u32 - 1) << 16).wrapping_add(point.index() as u32);
        }
        Openings { starts, missing, bases, rules: PhantomData }
    }

    /// Takes out the next line.
    #[inline(always)]
    pub fn next(&mut self) -> Option<Opening> {
        if self.starts == 0 {
            return None;
        }
        let bit = self.starts.trailing_zeros() as usize & 63;
        self.starts &= self.starts - 1;
        let place = bit * 8 + (self.missing >> bit & 7) as usize;
        let bits = self.bases[bit / FIELDS].wrapping_add(Self::SHIFTS[place]);
        Some(Opening { mv: Move::from_raw(bits), place })
    }
}

/// Tables from a window of `2 * LEN - 1` bits around a point, which itself counts as set, to the lines through it:
/// bits `3 * i` to `3 * i + 2` for the line whose first point stands `LEN - 1 - i` before it.
struct WindowTable {
    /// The lowest bit, if exactly one point of the line is missing.
    one_missing: [u16; 512],
    /// The number of that point.
    missing: [u16; 512],
    /// The lowest bit, if no cell of the line is blocked.
    free: [u16; 512],
}

struct Windows<R>(PhantomData<R>);

impl<R: Rules> Windows<R> {
    const MASK: usize = (1 << (2 * R::LEN - 1)) - 1;
    const TABLE: &'static WindowTable = &window_table(R::LEN, R::BLOCKED);
}

const fn window_table(len: usize, blocked: usize) -> WindowTable {
    let mut table = WindowTable { one_missing: [0; 512], missing: [0; 512], free: [0; 512] };
    let mut window = 0usize;
    while window < 1 << (2 * len - 1) {
        let points = window | 1 << (len - 1);
        let mut i = 0;
        while i < len {
            let line = points >> i & ((1 << len) - 1);
            if line.count_ones() as usize == len - 1 {
                table.one_missing[window] |= 1 << (FIELD * i);
                table.missing[window] |= (line.trailing_ones() as u16) << (FIELD * i);
            }
            if window >> i & ((1 << blocked) - 1) == 0 {
                table.free[window] |= 1 << (FIELD * i);
            }
            i += 1;
        }
        window += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;
    use crate::morpion::position::Position;
    use crate::morpion::variant::Variant;
    use crate::with_rules;
    use rand::RngExt;

    #[test]
    fn the_quick_scan_finds_what_the_plain_one_finds() {
        for variant in Variant::ALL {
            with_rules!(variant, R => {
                for seed in 0..20 {
                    let (mut position, rng) = (Position::<R>::new(), &mut rng(seed, &[]));
                    let mut tracks = Tracks::of_board(position.board());
                    while !position.moves().is_empty() {
                        let mv = position.moves()[rng.random_range(0..position.moves().len())];
                        position.play(mv);
                        tracks.extend(mv.point());
                        assert_eq!(tracks, Tracks::of_board(position.board()));
                        // What is in the list before stays.
                        let mut moves = vec![mv];
                        position.board().scan_into(&tracks, &mut moves);
                        assert_eq!((moves[0], &moves[1..]), (mv, &position.board().scan()[..]));
                        let mut legal = position.moves().to_vec();
                        legal.sort();
                        moves.remove(0);
                        moves.sort();
                        assert_eq!(moves, legal);
                    }
                }
            });
        }
    }
}

//! A position of Gomoku as lines of bits, with its moves, outcome and hash keys.

use super::board::{GREATEST, GomokuBoard, POINTS, column};
use super::lines::{DIRECTIONS, LINES, LineBits, is_set, line, of_board, run, toggle};
use super::renju::RenjuStones;
use super::rules::{GomokuRules, RowRule};
use super::symmetry;
use crate::core::game::{Game, Key, Side, Value};
use std::fmt;

/// A move: the number of the point that gets a stone (see [`GomokuBoard::point`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GomokuMove(pub u16);

/// A position of Gomoku.
///
/// Three structures follow the stones: the hashes under all symmetries, the winner, and the number of *open windows*
/// of each side. A window is as many points in a line as win; it is open to a side if it has no stone of the other.
/// [`GomokuPosition::check`] computes all three anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GomokuPosition {
    board: GomokuBoard,
    rules: GomokuRules,
    /// Black and white stones.
    stones: [LineBits; 2],
    points: LineBits,
    hashes: [u64; 8],
    /// Open windows of black and white.
    open: [u16; 2],
    empty: u16,
    side: Side,
    winner: Option<Side>,
}

/// Stones that cannot be a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GomokuStonesError {
    /// A stone off the board.
    #[error("a stone lies outside the {0} board")]
    Outside(GomokuBoard),
    /// Two stones on one point.
    #[error("there are two stones on {0}")]
    Twice(String),
    /// Rows that win of both colours.
    #[error("both sides have a row that wins")]
    BothWin,
}

/// Why a move cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GomokuMoveError {
    /// The game is over.
    #[error("the game is over")]
    Over,
    /// There is no such point.
    #[error("there is no such point on the {0} board")]
    Outside(GomokuBoard),
    /// A stone lies there.
    #[error("there is a stone on {0}")]
    Occupied(String),
    /// Renju forbids the point to black.
    #[error("{0} is forbidden to black")]
    Forbidden(String),
}

const fn number(side: Side) -> usize {
    match side {
        Side::First => 0,
        Side::Second => 1,
    }
}

/// Random numbers for the stones: black, white.
static ZOBRIST: [[u64; POINTS]; 2] = zobrist();
/// Random number for white to move.
const WHITE_TO_MOVE: u64 = 0x6A09_E667_F3BC_C909;

/// The random number that a stone adds to the hash of a position.
#[inline]
pub fn stone_hash(colour: Side, point: u16) -> u64 {
    ZOBRIST[number(colour)][usize::from(point)]
}

/// SplitMix64 from a fixed seed.
const fn zobrist() -> [[u64; POINTS]; 2] {
    let mut table = [[0; POINTS]; 2];
    let mut state = 0x2026_0015_0015_0005u64;
    let mut i = 0;
    while i < 2 * POINTS {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        table[i / POINTS][i % POINTS] = z ^ (z >> 31);
        i += 1;
    }
    table
}

impl GomokuPosition {
    /// The empty board: black to move.
    pub fn new(board: GomokuBoard, rules: GomokuRules) -> GomokuPosition {
        let points = of_board(board);
        let windows = windows(&points, rules.win()).count() as u16;
        GomokuPosition {
            board,
            rules,
            stones: [[0; LINES]; 2],
            points,
            hashes: [0; 8],
            open: [windows; 2],
            empty: board.area(),
            side: Side::First,
            winner: None,
        }
    }

    /// The position with these stones. It need not be reachable by play.
    ///
    /// # Errors
    /// A stone outside the board, two on a point, rows that win of both colours.
    pub fn from_stones(
        board: GomokuBoard,
        rules: GomokuRules,
        stones: &[(u16, Side)],
        side: Side,
    ) -> Result<GomokuPosition, GomokuStonesError> {
        let mut position = GomokuPosition::new(board, rules);
        for &(point, colour) in stones {
            if !board.holds(point) {
                return Err(GomokuStonesError::Outside(board));
            }
            if position.stone(point).is_some() {
                return Err(GomokuStonesError::Twice(board.name(point)));
            }
            position.put(point, colour);
        }
        position.side = side;
        let has_row = |colour| {
            let mut own = stones.iter().filter(|stone| stone.1 == colour);
            own.any(|&(point, _)| position.has_winning_row(point, colour))
        };
        position.winner = match (has_row(Side::First), has_row(Side::Second)) {
            (true, true) => return Err(GomokuStonesError::BothWin),
            (true, false) => Some(Side::First),
            (false, true) => Some(Side::Second),
            (false, false) => None,
        };
        Ok(position)
    }

    /// Width and height of the board.
    #[inline]
    pub fn board(&self) -> GomokuBoard {
        self.board
    }

    /// Which rows win, and what is forbidden.
    #[inline]
    pub fn rules(&self) -> GomokuRules {
        self.rules
    }

    /// The stone on a point of the board.
    #[inline]
    pub fn stone(&self, point: u16) -> Option<Side> {
        let place = self.board.place(point);
        if is_set(&self.stones[0], place) {
            return Some(Side::First);
        }
        is_set(&self.stones[1], place).then_some(Side::Second)
    }

    /// All stones by rows from the upper left.
    pub fn stones(&self) -> impl Iterator<Item = (u16, Side)> {
        self.board.points().filter_map(|point| Some((point, self.stone(point)?)))
    }

    /// The stones of one colour on all lines.
    #[inline]
    pub fn lines(&self, colour: Side) -> &LineBits {
        &self.stones[number(colour)]
    }

    /// The points of the board on all lines.
    #[inline]
    pub fn board_lines(&self) -> &LineBits {
        &self.points
    }

    /// Number of points without a stone.
    #[inline]
    pub fn empty(&self) -> u16 {
        self.empty
    }

    /// The side that has a row that wins.
    #[inline]
    pub fn winner(&self) -> Option<Side> {
        self.winner
    }

    /// Whether an empty point is forbidden to black by the rules of renju, whoever is to move.
    pub fn is_forbidden(&self, point: u16) -> bool {
        self.rules.rule() == RowRule::Renju && self.renju_stones().is_forbidden(self.board.place(point))
    }

    /// Whether a move is legal.
    ///
    /// # Errors
    /// Why not.
    pub fn check_move(&self, m: GomokuMove) -> Result<(), GomokuMoveError> {
        let GomokuMove(point) = m;
        if !self.board.holds(point) {
            return Err(GomokuMoveError::Outside(self.board));
        }
        if self.stone(point).is_some() {
            return Err(GomokuMoveError::Occupied(self.board.name(point)));
        }
        if self.winner.is_some() {
            return Err(GomokuMoveError::Over);
        }
        if self.side == Side::First && self.is_forbidden(point) {
            return Err(GomokuMoveError::Forbidden(self.board.name(point)));
        }
        Ok(())
    }

    /// Whether a stone of `colour` on an empty point makes a row that wins.
    #[inline]
    pub fn wins_at(&self, point: u16, colour: Side) -> bool {
        self.has_winning_row(point, colour)
    }

    /// The stones of the rows that have won: more than one row's, if the last stone has completed several.
    pub fn winning_stones(&self) -> Vec<u16> {
        let Some(winner) = self.winner else { return Vec::new() };
        let is_in_row = |&point: &u16| self.stone(point) == Some(winner) && self.has_winning_row(point, winner);
        self.board.points().filter(is_in_row).collect()
    }

    /// Computes anew what follows the stones: hashes, winner, open windows.
    ///
    /// # Panics
    /// If it differs.
    pub fn check(&self) {
        let stones: Vec<(u16, Side)> = self.stones().collect();
        let anew = GomokuPosition::from_stones(self.board, self.rules, &stones, self.side);
        assert_eq!(anew.as_ref(), Ok(self));
        for colour in [Side::First, Side::Second] {
            let theirs = self.lines(colour.other());
            let open = windows(&self.points, self.rules.win()).filter(|&(line, mask)| theirs[line] & mask == 0);
            assert_eq!(usize::from(self.open[number(colour)]), open.count(), "open windows of {colour:?}\n{self}");
        }
    }

    fn renju_stones(&self) -> RenjuStones {
        RenjuStones::new(self.board, &self.stones[0], &self.stones[1])
    }

    /// Whether the row through a point wins, if it has a stone of `colour`.
    fn has_winning_row(&self, point: u16, colour: Side) -> bool {
        let (place, win) = (self.board.place(point), u32::from(self.rules.win()));
        let (own, enemy) = (self.lines(colour), self.lines(colour.other()));
        (0..DIRECTIONS).any(|direction| {
            let (number, bit) = line(direction, place);
            let (first, last) = run(own[number], bit);
            let length = last - first + 1;
            match self.rules.rule() {
                RowRule::Five => length == win,
                RowRule::Free => length >= win,
                RowRule::Renju => length == win || colour == Side::Second && length > win,
                RowRule::Caro => {
                    let ends = 1u64 << first | 1 << (last + 2);
                    length == win && u64::from(enemy[number]) << 1 & ends != ends
                }
            }
        })
    }

    /// Puts a stone on an empty point, without a look at who wins.
    fn put(&mut self, point: u16, colour: Side) {
        self.toggle(point, colour);
        self.empty -= 1;
        self.open[number(colour.other())] -= self.closed_by(point, colour);
    }

    /// Takes a stone away.
    fn take(&mut self, point: u16, colour: Side) {
        self.open[number(colour.other())] += self.closed_by(point, colour);
        self.empty += 1;
        self.toggle(point, colour);
    }

    fn toggle(&mut self, point: u16, colour: Side) {
        toggle(&mut self.stones[number(colour)], self.board.place(point));
        for symmetry in 0..symmetry::count(self.board) {
            let image = symmetry::apply(self.board, symmetry, point);
            self.hashes[usize::from(symmetry)] ^= ZOBRIST[number(colour)][usize::from(image)];
        }
    }

    /// How many windows the other side has lost by this stone alone: those that have no other stone of its colour.
    fn closed_by(&self, point: u16, colour: Side) -> u16 {
        let (place, own) = (self.board.place(point), self.lines(colour));
        let mut closed = 0;
        for direction in 0..DIRECTIONS {
            let (number, bit) = line(direction, place);
            let others = own[number] & !(1 << bit);
            let through = windows_through(self.points[number], bit, self.rules.win());
            closed += through.filter(|mask| others & mask == 0).count() as u16;
        }
        closed
    }

    /// How many windows through a point have how many stones of a side and none of the other, weighed by powers of
    /// four.
    fn weight(&self, point: u16, colour: Side) -> i32 {
        let (place, own, enemy) = (self.board.place(point), self.lines(colour), self.lines(colour.other()));
        let mut weight = 0;
        for direction in 0..DIRECTIONS {
            let (number, bit) = line(direction, place);
            for mask in windows_through(self.points[number], bit, self.rules.win()) {
                if enemy[number] & mask == 0 {
                    weight += 1 << (2 * (own[number] & mask).count_ones().min(5));
                }
            }
        }
        weight
    }
}

/// The windows of `win` points on a line that contain a bit.
#[inline]
fn windows_through(points: u32, bit: u32, win: u8) -> impl Iterator<Item = u32> {
    let window = (1u32 << win) - 1;
    let first = (bit + 1).saturating_sub(u32::from(win));
    let last = bit.min(u32::from(GREATEST - win));
    (first..=last).map(move |at| window << at).filter(move |mask| points & mask == *mask)
}

/// All windows of `win` points: the number of the line, and the bits in it. A window of one point counts once for
/// each of its four lines.
fn windows(points: &LineBits, win: u8) -> impl Iterator<Item = (usize, u32)> {
    let window = (1u32 << win) - 1;
    points.iter().enumerate().flat_map(move |(line, &points)| {
        (0..=GREATEST - win).map(move |at| (line, window << at)).filter(move |&(_, mask)| points & mask == mask)
    })
}

impl Game for GomokuPosition {
    type Move = GomokuMove;
    /// The winner before.
    type Undo = Option<Side>;

    /// Values are in hundredths of a won game.
    const POINT: Value = 100;
    const SCATTER: Value = 50;

    #[inline]
    fn side(&self) -> Side {
        self.side
    }

    fn moves(&self, list: &mut Vec<GomokuMove>) {
        if self.winner.is_some() || self.empty == 0 {
            return;
        }
        let mut renju =
            (self.rules.rule() == RowRule::Renju && self.side == Side::First).then(|| self.renju_stones());
        for y in 0..self.board.height() {
            let row = usize::from(y);
            let mut empty = self.points[row] & !self.stones[0][row] & !self.stones[1][row];
            while empty != 0 {
                let x = empty.trailing_zeros() as u8;
                empty &= empty - 1;
                if renju.as_mut().is_none_or(|stones| !stones.is_forbidden((x, y))) {
                    list.push(GomokuMove(u16::from(y) * u16::from(GREATEST) + u16::from(x)));
                }
            }
        }
    }

    fn play(&mut self, m: GomokuMove) -> Option<Side> {
        let (GomokuMove(point), side, before) = (m, self.side, self.winner);
        // An illegal move changes nothing but the side to move.
        if self.board.holds(point) && self.stone(point).is_none() {
            self.put(point, side);
            if self.has_winning_row(point, side) {
                self.winner = Some(side);
            }
        }
        self.side = side.other();
        before
    }

    fn undo(&mut self, m: GomokuMove, before: Option<Side>) {
        self.side = self.side.other();
        self.winner = before;
        if self.board.holds(m.0) && self.stone(m.0) == Some(self.side) {
            self.take(m.0, self.side);
        }
    }

    #[inline]
    fn outcome(&self) -> Value {
        match self.winner {
            None => 0,
            Some(winner) if winner == self.side => Self::POINT,
            Some(_) => -Self::POINT,
        }
    }

    /// Open windows with stones in them, weighed by powers of three.
    fn heuristic(&self) -> Value {
        let (own, enemy) = (self.lines(self.side), self.lines(self.side.other()));
        let mut sum = 0i32;
        for (line, mask) in windows(&self.points, self.rules.win()) {
            let (mine, theirs) = ((own[line] & mask).count_ones(), (enemy[line] & mask).count_ones());
            let worth = |count: u32| 3i32.pow(count.min(6)) - 1;
            match (mine, theirs) {
                (mine, 0) => sum += worth(mine),
                (0, theirs) => sum -= worth(theirs),
                _ => (),
            }
        }
        (sum / 4).clamp(1 - Self::POINT, Self::POINT - 1)
    }

    /// A side without an open window wins no more.
    #[inline]
    fn bounds(&self) -> (Value, Value) {
        let least = if self.open[number(self.side.other())] == 0 { 0 } else { -Self::POINT };
        let greatest = if self.open[number(self.side)] == 0 { 0 } else { Self::POINT };
        match self.winner {
            None => (least, greatest),
            Some(_) => (self.outcome(), self.outcome()),
        }
    }

    /// A move that wins, then one where the other side would win, then what is in most windows with most stones.
    fn prior(&self, m: GomokuMove) -> i32 {
        let (GomokuMove(point), enemy) = (m, self.side.other());
        if !self.board.holds(point) {
            return 0;
        }
        if self.has_winning_row(point, self.side) {
            return 1 << 20;
        }
        if self.has_winning_row(point, enemy) {
            return 1 << 19;
        }
        2 * self.weight(point, self.side) + self.weight(point, enemy)
    }

    #[inline]
    fn key(&self) -> Key {
        Key { hash: self.hashes[0] ^ side_hash(self.side), symmetry: 0 }
    }

    #[inline]
    fn symmetric_key(&self) -> Key {
        let (mut least, mut at) = (self.hashes[0], 0);
        for symmetry in 1..symmetry::count(self.board) {
            let hash = self.hashes[usize::from(symmetry)];
            if hash < least {
                (least, at) = (hash, symmetry);
            }
        }
        Key { hash: least ^ side_hash(self.side), symmetry: at }
    }

    #[inline]
    fn to_hashed(&self, m: GomokuMove, symmetry: u8) -> GomokuMove {
        GomokuMove(symmetry::apply(self.board, symmetry, m.0))
    }

    #[inline]
    fn from_hashed(&self, m: GomokuMove, symmetry: u8) -> GomokuMove {
        GomokuMove(symmetry::unapply(self.board, symmetry, m.0))
    }

    #[inline]
    fn code(&self, m: GomokuMove) -> u16 {
        m.0
    }

    #[inline]
    fn decode(&self, code: u16) -> Option<GomokuMove> {
        self.board.holds(code).then_some(GomokuMove(code))
    }

    #[inline]
    fn codes(&self) -> u16 {
        POINTS as u16
    }

    fn name(&self, m: GomokuMove) -> String {
        self.board.name(m.0)
    }

    fn parse(&self, name: &str) -> Option<GomokuMove> {
        self.board.named(name).map(GomokuMove)
    }
}

#[inline]
fn side_hash(side: Side) -> u64 {
    if side == Side::First { 0 } else { WHITE_TO_MOVE }
}

/// The board: `X` black, `O` white, `.` empty, with the side to move below.
impl fmt::Display for GomokuPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (width, height) = (self.board.width(), self.board.height());
        write!(f, "  ")?;
        (0..width).try_for_each(|x| write!(f, " {}", column(x)))?;
        writeln!(f)?;
        for y in 0..height {
            write!(f, "{:>2}", height - y)?;
            for x in 0..width {
                let stone = self.board.point(x, y).and_then(|point| self.stone(point));
                write!(f, " {}", stone.map_or('.', |side| if side == Side::First { 'X' } else { 'O' }))?;
            }
            writeln!(f)?;
        }
        write!(f, "{} to move", if self.side == Side::First { "black (X)" } else { "white (O)" })
    }
}

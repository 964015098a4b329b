//! A position of Reversi as two words of bits, with its moves, outcome and hash keys.
//!
//! The two words are the discs of the side to move and of the other side, so a position and the same with colours
//! exchanged look alike, have the same key, and are worth the same to the side to move.

use super::board::ReversiBoard;
use super::evaluation;
use super::flips::{Instructions, Plain};
use super::stability;
use super::symmetry;
use crate::core::game::{Game, Key, Side, Value};
use std::fmt;

/// The code and the square number of a pass.
pub const PASS: u8 = 64;

/// A move: the cell that gets a disc, as a bit number (0 to 63), or [`PASS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReversiMove(pub u8);

impl ReversiMove {
    /// The move of a side that cannot put a disc.
    pub const PASS: ReversiMove = ReversiMove(PASS);
}

/// How the four discs of the start position lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// Crosswise: d4 and e5 white, e4 and d5 black.
    #[default]
    Standard,
    /// Side by side: d4 and e4 white, d5 and e5 black.
    Alternative,
}

/// Who gets the cells that are empty at the end of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Empties {
    /// Nobody: the value is the difference of discs.
    #[default]
    Ignored,
    /// The winner, as in tournaments and in the problems that Othello programs are measured with.
    ToWinner,
}

/// A position of Reversi.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReversiPosition {
    own: u64,
    enemy: u64,
    cells: u64,
    board: ReversiBoard,
    side: Side,
    empties: Empties,
}

/// Discs that cannot be a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DiscsError {
    /// A disc off the board.
    #[error("a disc lies outside the {0} board")]
    Outside(ReversiBoard),
    /// Two discs on one cell.
    #[error("the cell {0} holds a black and a white disc")]
    Both(String),
}

impl ReversiPosition {
    /// The start position: black to move.
    pub fn new(board: ReversiBoard, start: Start) -> ReversiPosition {
        let bit = |dx, dy| {
            let square = board.square((board.width() - 1) / 2 + dx, (board.height() - 1) / 2 + dy);
            square.map_or(0, |square| 1u64 << square)
        };
        let black = match start {
            Start::Standard => bit(1, 0) | bit(0, 1),
            Start::Alternative => bit(0, 1) | bit(1, 1),
        };
        let white = match start {
            Start::Standard => bit(0, 0) | bit(1, 1),
            Start::Alternative => bit(0, 0) | bit(1, 0),
        };
        let (cells, empties) = (board.cells(), Empties::Ignored);
        ReversiPosition { own: black, enemy: white, cells, board, side: Side::First, empties }
    }

    /// The position with these black and white discs (bit numbers as in [`ReversiBoard`]). `side` is [`Side::First`]
    /// if black is to move. It need not be reachable from a start position.
    ///
    /// # Errors
    /// A disc outside the board, or two on a cell.
    pub fn from_discs(
        board: ReversiBoard,
        black: u64,
        white: u64,
        side: Side,
    ) -> Result<ReversiPosition, DiscsError> {
        let cells = board.cells();
        if (black | white) & !cells != 0 {
            return Err(DiscsError::Outside(board));
        }
        if black & white != 0 {
            return Err(DiscsError::Both(board.name((black & white).trailing_zeros() as u8)));
        }
        let (own, enemy) = if side == Side::First { (black, white) } else { (white, black) };
        Ok(ReversiPosition { own, enemy, cells, board, side, empties: Empties::Ignored })
    }

    /// The same position under another rule for the cells left empty.
    pub fn with_empties(self, empties: Empties) -> ReversiPosition {
        ReversiPosition { empties, ..self }
    }

    /// Discs of the side to move.
    #[inline]
    pub fn own(&self) -> u64 {
        self.own
    }

    /// Discs of the other side.
    #[inline]
    pub fn enemy(&self) -> u64 {
        self.enemy
    }

    /// Black and white discs.
    pub fn discs(&self) -> (u64, u64) {
        if self.side == Side::First { (self.own, self.enemy) } else { (self.enemy, self.own) }
    }

    /// Width and height of the board.
    #[inline]
    pub fn board(&self) -> ReversiBoard {
        self.board
    }

    /// The cells of the board, as bits.
    #[inline]
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Who gets the cells left empty.
    #[inline]
    pub fn empties(&self) -> Empties {
        self.empties
    }

    /// The cells without a disc.
    #[inline]
    pub fn empty(&self) -> u64 {
        self.cells & !(self.own | self.enemy)
    }

    /// The cells where the side to move may put a disc.
    #[inline]
    pub fn mobility(&self) -> u64 {
        Plain.moves(self.own, self.enemy) & self.cells
    }

    /// The cells where the other side could put a disc.
    #[inline]
    pub fn enemy_mobility(&self) -> u64 {
        Plain.moves(self.enemy, self.own) & self.cells
    }

    /// Whether `m` is legal.
    pub fn is_legal(&self, m: ReversiMove) -> bool {
        match m {
            ReversiMove(square @ 0..64) => self.mobility() >> square & 1 != 0,
            ReversiMove::PASS => self.mobility() == 0 && self.enemy_mobility() != 0,
            ReversiMove(_) => false,
        }
    }

    /// The final difference of discs with this many own and enemy ones, on this board and by this rule.
    #[inline]
    pub fn score(&self, own: u32, enemy: u32) -> i32 {
        let difference = own as i32 - enemy as i32;
        match self.empties {
            Empties::Ignored => difference,
            Empties::ToWinner => {
                difference + difference.signum() * (u32::from(self.board.area()) - own - enemy) as i32
            }
        }
    }
}

impl Game for ReversiPosition {
    type Move = ReversiMove;
    /// The discs that were flipped.
    type Undo = u64;

    /// Values are in tenths of a disc.
    const POINT: Value = 10;

    #[inline]
    fn side(&self) -> Side {
        self.side
    }

    #[inline]
    fn moves(&self, list: &mut Vec<ReversiMove>) {
        let mut moves = self.mobility();
        if moves == 0 && self.enemy_mobility() != 0 {
            list.push(ReversiMove::PASS);
        }
        while moves != 0 {
            list.push(ReversiMove(moves.trailing_zeros() as u8));
            moves &= moves - 1;
        }
    }

    #[inline]
    fn play(&mut self, m: ReversiMove) -> u64 {
        let flips = match m {
            ReversiMove(square @ 0..64) => {
                let flips = Plain.flips(self.own, self.enemy, square);
                self.own |= flips | 1 << square;
                flips
            }
            _ => 0,
        };
        (self.own, self.enemy) = (self.enemy & !flips, self.own);
        self.side = self.side.other();
        flips
    }

    #[inline]
    fn undo(&mut self, m: ReversiMove, flips: u64) {
        (self.own, self.enemy) = (self.enemy & !flips, self.own | flips);
        if let ReversiMove(square @ 0..64) = m {
            self.own &= !(1 << square);
        }
        self.side = self.side.other();
    }

    #[inline]
    fn outcome(&self) -> Value {
        Self::POINT * self.score(self.own.count_ones(), self.enemy.count_ones())
    }

    fn heuristic(&self) -> Value {
        evaluation::evaluate(self)
    }

    /// From the stable discs: what is stable cannot be the other side's at the end.
    #[inline]
    fn bounds(&self) -> (Value, Value) {
        let area = self.board.area() as i32;
        let lines = stability::full_lines(self.own | self.enemy | !self.cells);
        let stable = |discs| stability::stable_in(discs, self.cells, &lines).count_ones() as i32;
        (Self::POINT * (2 * stable(self.own) - area), Self::POINT * (area - 2 * stable(self.enemy)))
    }

    /// Few replies, then good cells.
    #[inline]
    fn prior(&self, m: ReversiMove) -> i32 {
        let ReversiMove(square @ 0..64) = m else { return 0 };
        let flips = Plain.flips(self.own, self.enemy, square);
        let (own, enemy) = (self.own | flips | 1 << square, self.enemy & !flips);
        let replies = Plain.moves(enemy, own) & self.cells;
        let corners = evaluation::Special::of(self.board).corners;
        evaluation::cell_worth(self.board, square)
            - 4 * ((replies.count_ones() + (replies & corners).count_ones()) as i32)
    }

    #[inline]
    fn key(&self) -> Key {
        Key { hash: hash(self.own, self.enemy), symmetry: 0 }
    }

    #[inline]
    fn symmetric_key(&self) -> Key {
        let (own, enemy, symmetry) = symmetry::least(self.board, self.own, self.enemy);
        Key { hash: hash(own, enemy), symmetry }
    }

    fn to_hashed(&self, m: ReversiMove, symmetry: u8) -> ReversiMove {
        match m {
            ReversiMove(square @ 0..64) => {
                ReversiMove(symmetry::apply(self.board, symmetry, 1 << square).trailing_zeros() as u8)
            }
            pass => pass,
        }
    }

    fn from_hashed(&self, m: ReversiMove, symmetry: u8) -> ReversiMove {
        match m {
            ReversiMove(square @ 0..64) => {
                ReversiMove(symmetry::unapply(self.board, symmetry, 1 << square).trailing_zeros() as u8)
            }
            pass => pass,
        }
    }

    #[inline]
    fn code(&self, m: ReversiMove) -> u16 {
        u16::from(m.0)
    }

    #[inline]
    fn decode(&self, code: u16) -> Option<ReversiMove> {
        (code <= u16::from(PASS)).then_some(ReversiMove(code as u8))
    }

    #[inline]
    fn codes(&self) -> u16 {
        u16::from(PASS) + 1
    }

    fn name(&self, m: ReversiMove) -> String {
        match m {
            ReversiMove(square @ 0..64) => self.board.name(square),
            _ => "pass".to_owned(),
        }
    }
}

/// The hash of own and enemy discs: two rounds of multiplying by odd constants and folding (as in SplitMix64).
#[inline]
pub fn hash(own: u64, enemy: u64) -> u64 {
    let mut h = own.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    h = (h ^ h >> 32).wrapping_add(enemy).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    h = (h ^ h >> 29).wrapping_mul(0x94D0_49BB_1331_11EB);
    h ^ h >> 32
}

/// The board: `X` black, `O` white, `.` empty, with the side to move below.
impl fmt::Display for ReversiPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (black, white) = self.discs();
        write!(f, "  ")?;
        (0..self.board.width()).try_for_each(|x| write!(f, " {}", char::from(b'a' + x)))?;
        writeln!(f)?;
        for y in 0..self.board.height() {
            write!(f, " {}", y + 1)?;
            for x in 0..self.board.width() {
                let bit = self.board.square(x, y).map_or(0, |square| 1u64 << square);
                let disc = if black & bit != 0 { 'X' } else { 'O' };
                write!(f, " {}", if (black | white) & bit != 0 { disc } else { '.' })?;
            }
            writeln!(f)?;
        }
        write!(f, "{} to move", if self.side == Side::First { "black (X)" } else { "white (O)" })
    }
}

//! A position on a large board, with its past.

use super::chains::{Chains, Taken};
use super::points::{LargeBoard, PointSet, column};
use crate::core::game::{Game, Key, Side, Value};
use crate::games::go::rules::{Cycle, GoRules, Ko};
use ahash::AHashMap;
use std::fmt;

/// A move: the number of the point that gets a stone, or [`LargeMove::PASS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LargeMove(pub u16);

impl LargeMove {
    /// The move that puts no stone.
    pub const PASS: LargeMove = LargeMove(u16::MAX);
}

/// What a position was, for the past.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Before {
    board: u128,
    side: Side,
    passes: u8,
    ko: Option<u16>,
}

/// A position of go on a board up to 19x19, with its past.
#[derive(Debug, Clone)]
pub struct LargePosition {
    chains: Chains,
    rules: GoRules,
    side: Side,
    passes: u8,
    ko: Option<u16>,
    /// Everything since the start, or since [`Game::forget`], this not among it.
    past: Vec<Before>,
    /// How often each board was there, this one not counted.
    boards: AHashMap<u128, u32>,
    /// How many plies ago this position was there before; 0 if it was not.
    back: usize,
    past_in_key: bool,
}

/// What takes back a move.
#[derive(Debug, Clone, Copy)]
pub struct LargeUndo {
    taken: Taken,
    back: usize,
}

/// Stones that cannot be a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LargeStonesError {
    /// A stone off the board.
    #[error("a stone lies outside the {0} board")]
    Outside(LargeBoard),
    /// Two stones on one point.
    #[error("the point {0} holds two stones")]
    Both(String),
    /// A chain that should have been captured.
    #[error("the stone on {0} has no liberty: such chains are not on the board in go")]
    Captured(String),
}

impl LargePosition {
    /// The empty board: black to move.
    pub fn new(size: LargeBoard, rules: GoRules) -> LargePosition {
        LargePosition {
            chains: Chains::new(size),
            rules,
            side: Side::First,
            passes: 0,
            ko: None,
            past: Vec::new(),
            boards: AHashMap::new(),
            back: 0,
            past_in_key: rules.ko == Ko::Superko,
        }
    }

    /// The position with these stones, by number of their points, without a past.
    ///
    /// # Errors
    /// A stone outside the board, two on a point, or a chain without liberties.
    pub fn from_stones(
        size: LargeBoard,
        rules: GoRules,
        stones: &[(u16, Side)],
        side: Side,
    ) -> Result<LargePosition, LargeStonesError> {
        let mut position = LargePosition { side, ..LargePosition::new(size, rules) };
        for &(point, colour) in stones {
            if point >= size.area() {
                return Err(LargeStonesError::Outside(size));
            }
            if position.chains.colour(point).is_some() {
                return Err(LargeStonesError::Both(size.name(point)));
            }
            // In whatever order they come, nothing is captured.
            position.chains.set(point, colour);
        }
        let captured = |&point: &u16| position.chains.chain(point).is_some_and(|chain| chain.liberties.is_empty());
        match (0..size.area()).find(captured) {
            Some(point) => Err(LargeStonesError::Captured(size.name(point))),
            None => Ok(position),
        }
    }

    /// The board's size.
    pub fn size(&self) -> LargeBoard {
        self.chains.size()
    }

    /// The rules of the game.
    pub fn rules(&self) -> GoRules {
        self.rules
    }

    /// The stones and their chains.
    pub fn chains(&self) -> &Chains {
        &self.chains
    }

    /// Passes played in a row just before: 0 to 2.
    pub fn passes(&self) -> u8 {
        self.passes
    }

    /// The point that a ko forbids.
    pub fn ko(&self) -> Option<u16> {
        self.ko
    }

    /// The point at which the side to move may not retake a single stone now: the ko's, or that where superko forbids
    /// it.
    pub fn forbidden_retake(&self) -> Option<u16> {
        let before = self.past.last().filter(|_| self.rules.ko == Ko::Superko);
        self.ko.or_else(|| {
            let before = before?.board;
            let makes_it = |point| self.chains.look(point, self.side).is_some_and(|(board, _)| board == before);
            (0..self.size().area()).find(|&point| self.chains.colour(point).is_none() && makes_it(point))
        })
    }

    /// Makes a ko forbid an empty point, if the rules know a ko.
    pub fn set_ko(&mut self, point: u16) {
        if self.rules.ko == Ko::Basic && point < self.size().area() && self.chains.colour(point).is_none() {
            self.ko = Some(point);
        }
    }

    /// Says whether the other side has just passed.
    pub fn set_passed(&mut self, passed: bool) {
        self.passes = passed.into();
    }

    /// Whether `m` is legal.
    pub fn is_legal(&self, m: LargeMove) -> bool {
        !self.is_over() && (m == LargeMove::PASS || m.0 < self.size().area() && self.may_put(m.0))
    }

    fn is_over(&self) -> bool {
        self.passes >= 2 || self.back != 0
    }

    fn may_put(&self, point: u16) -> bool {
        if self.chains.colour(point).is_some() || self.ko == Some(point) {
            return false;
        }
        self.chains.look(point, self.side).is_some_and(|(board, suicide)| {
            (!suicide || self.rules.suicide)
                && (self.rules.ko != Ko::Superko || board != self.chains.hash() && !self.boards.contains_key(&board))
        })
    }

    /// Area of the side to move less that of the other.
    pub fn score(&self) -> i32 {
        let score = self.chains.score();
        if self.side == Side::First { score } else { -score }
    }

    fn now(&self) -> Before {
        Before { board: self.chains.hash(), side: self.side, passes: self.passes, ko: self.ko }
    }

    fn hash(&self, before: &Before) -> u64 {
        let rest = u64::from(before.side == Side::Second)
            | u64::from(before.passes) << 1
            | u64::from(before.ko.map_or(0, |ko| ko + 1)) << 8
            | (self.rules.ko as u64) << 20
            | (self.rules.cycle as u64) << 24
            | u64::from(self.rules.suicide) << 28;
        (before.board as u64 ^ rest.wrapping_mul(0x9FB2_1C65_1E98_DF25)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ (before.board >> 64) as u64
    }
}

impl Game for LargePosition {
    type Move = LargeMove;
    type Undo = LargeUndo;

    /// Values are in tenths of a point.
    const POINT: Value = 10;

    fn side(&self) -> Side {
        self.side
    }

    fn moves(&self, list: &mut Vec<LargeMove>) {
        if !self.is_over() {
            list.extend((0..self.size().area()).filter(|&point| self.may_put(point)).map(LargeMove));
            list.push(LargeMove::PASS);
        }
    }

    fn play(&mut self, m: LargeMove) -> LargeUndo {
        let (before, back) = (self.now(), self.back);
        self.past.push(before);
        *self.boards.entry(before.board).or_insert(0) += 1;
        let mut taken = Taken::default();
        (self.ko, self.back) = (None, 0);
        // An illegal move may be anything, but not a panic.
        if m.0 < self.size().area() && self.chains.colour(m.0).is_none() {
            taken = self.chains.put(m.0, self.side);
            self.passes = 0;
            let alone = |stones: &PointSet| stones.single() == Some(m.0);
            let chain = self.chains.chain(m.0);
            if self.rules.ko == Ko::Basic
                && let Some(captured) = taken.captured.single()
                && chain.is_some_and(|chain| alone(&chain.stones) && chain.liberties.single() == Some(captured))
            {
                self.ko = Some(captured);
            }
        } else {
            self.passes = self.passes.saturating_add(1);
        }
        self.side = self.side.other();
        if self.rules.ko != Ko::Superko && self.boards.contains_key(&self.chains.hash()) {
            let now = self.now();
            self.back = self.past.iter().rev().position(|past| *past == now).map_or(0, |plies| plies + 1);
        }
        LargeUndo { taken, back }
    }

    fn undo(&mut self, m: LargeMove, undo: LargeUndo) {
        let Some(before) = self.past.pop() else { return };
        if let Some(count) = self.boards.get_mut(&before.board) {
            *count -= 1;
            if *count == 0 {
                self.boards.remove(&before.board);
            }
        }
        (self.side, self.passes, self.ko, self.back) = (before.side, before.passes, before.ko, undo.back);
        if m.0 < self.size().area() && self.chains.hash() != before.board {
            self.chains.take_back(m.0, self.side, &undo.taken);
        }
    }

    fn outcome(&self) -> Value {
        let area = i32::from(self.size().area());
        let of_black = match self.rules.cycle {
            _ if self.back == 0 => return Self::POINT * self.score(),
            Cycle::Tie => 0,
            Cycle::LostForBlack => -area,
            Cycle::LostForWhite => area,
        };
        Self::POINT * if self.side == Side::First { of_black } else { -of_black }
    }

    /// The area as it stands, and a tenth for each liberty.
    fn heuristic(&self) -> Value {
        let mut liberties = [PointSet::EMPTY; 2];
        for point in 0..self.size().area() {
            if let (Some(colour), Some(chain)) = (self.chains.colour(point), self.chains.chain(point)) {
                liberties[usize::from(colour != self.side)].union(&chain.liberties);
            }
        }
        Self::POINT * self.score() + liberties[0].len() as i32 - liberties[1].len() as i32
    }

    fn bounds(&self) -> (Value, Value) {
        let area = Self::POINT * i32::from(self.size().area());
        (-area, area)
    }

    /// Captures, then what saves a chain or attacks one; own eyes and passes last.
    fn prior(&self, m: LargeMove) -> i32 {
        if m.0 >= self.size().area() {
            return if self.passes > 0 { 100 } else { -50 };
        }
        let near = self.chains.near(m.0);
        if near.iter().all(|&near| self.chains.colour(near) == Some(self.side)) {
            return -100;
        }
        let worth = |&near: &u16| {
            let (Some(colour), Some(chain)) = (self.chains.colour(near), self.chains.chain(near)) else { return 2 };
            let size = chain.stones.len().min(6) as i32;
            match (colour == self.side, chain.liberties.len()) {
                (false, 1) => 20 * size,
                (true, 1) => 12 * size,
                (false, _) => 6,
                (true, _) => 1,
            }
        };
        near.iter().map(worth).sum()
    }

    fn key(&self) -> Key {
        let mut hash = self.hash(&self.now());
        if self.past_in_key {
            let boards = self
                .boards
                .keys()
                .map(|board| (*board as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ (*board >> 64) as u64);
            let all = boards.fold(0u64, |sum, board| sum.wrapping_add(board.wrapping_mul(0x94D0_49BB_1331_11EB)));
            hash ^= all;
            if self.rules.ko != Ko::Superko {
                // Cycles are of whole positions.
                hash ^= self.past.iter().fold(0u64, |sum, past| sum.wrapping_add(self.hash(past)));
            }
        }
        Key { hash, symmetry: 0 }
    }

    fn repeated(&self) -> Option<usize> {
        (self.back != 0).then_some(self.back)
    }

    fn forget(&mut self) {
        if self.rules.ko != Ko::Superko {
            self.past.clear();
            self.boards.clear();
            self.back = 0;
        }
    }

    fn put_past_in_key(&mut self) {
        self.past_in_key = true;
    }

    fn code(&self, m: LargeMove) -> u16 {
        m.0.min(self.size().area())
    }

    fn decode(&self, code: u16) -> Option<LargeMove> {
        let area = self.size().area();
        (code <= area).then_some(if code == area { LargeMove::PASS } else { LargeMove(code) })
    }

    fn codes(&self) -> u16 {
        self.size().area() + 1
    }

    fn name(&self, m: LargeMove) -> String {
        if m.0 < self.size().area() { self.size().name(m.0) } else { "pass".to_owned() }
    }
}

/// The board: `X` black, `O` white, `.` empty, with the side to move, a ko and passes below.
impl fmt::Display for LargePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.size();
        let digits = if size.height() > 9 { 2 } else { 1 };
        write!(f, " {:digits$}", "")?;
        (0..size.width()).try_for_each(|x| write!(f, " {}", column(x)))?;
        writeln!(f)?;
        for y in 0..size.height() {
            write!(f, " {:>digits$}", size.height() - y)?;
            for x in 0..size.width() {
                let stone = match size.point(x, y).and_then(|point| self.chains.colour(point)) {
                    Some(Side::First) => 'X',
                    Some(Side::Second) => 'O',
                    None => '.',
                };
                write!(f, " {stone}")?;
            }
            writeln!(f)?;
        }
        write!(f, "{} to move", if self.side == Side::First { "black (X)" } else { "white (O)" })?;
        if let Some(point) = self.ko {
            write!(f, ", ko at {}", size.name(point))?;
        }
        match self.passes {
            0 => Ok(()),
            1 => write!(f, " after a pass"),
            _ => write!(f, " after two passes"),
        }
    }
}

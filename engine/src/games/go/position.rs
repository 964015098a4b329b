//! A position of go as two words of bits, with the boards of the past where the rules ask for them.
//!
//! A position and the same with colours exchanged have the same key if the rules treat the colours alike.

use super::board::{GoBoard, neighbours, parts};
use super::rules::{Cycle, GoRules, Ko};
use super::state::{NO_KO, State};
use super::symmetry;
use crate::core::game::{Game, Key, Side, Value};
use std::fmt;

pub use super::state::{GoMove, PASS};

/// A position of go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoPosition {
    state: State,
    board: GoBoard,
    points: u64,
    rules: GoRules,
    /// The states since the start, or since [`Game::forget`], this one not among them.
    past: Vec<State>,
    /// How many of the first of them were there before the last time that stones left the board; none of the others
    /// can come back before that happens again.
    old: usize,
    /// How many plies ago this state was there before; 0 if it was not.
    back: usize,
    /// Whether the past is part of the key.
    past_in_key: bool,
    /// Whether [`Game::bounds`] looks for what lives.
    life: bool,
}

/// What takes back a move.
#[derive(Debug, Clone, Copy)]
pub struct GoUndo {
    old: usize,
    back: usize,
}

/// Stones that cannot be a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GoStonesError {
    /// A stone off the board.
    #[error("a stone lies outside the {0} board")]
    Outside(GoBoard),
    /// Two stones on one point.
    #[error("the point {0} holds a black and a white stone")]
    Both(String),
    /// A chain that should have been captured.
    #[error("the stone on {0} has no liberty: such chains are not on the board in go")]
    Captured(String),
}

impl GoPosition {
    /// The empty board: black to move.
    pub fn new(board: GoBoard, rules: GoRules) -> GoPosition {
        let state = State::EMPTY;
        let (points, past_in_key) = (board.points(), rules.ko == Ko::Superko);
        GoPosition { state, board, points, rules, past: Vec::new(), old: 0, back: 0, past_in_key, life: true }
    }

    /// The position with these black and white stones (bit numbers as in [`super::board`]), without a past.
    /// `side` is [`Side::First`] if black is to move.
    ///
    /// # Errors
    /// A stone outside the board, two on a point, or a chain without liberties.
    pub fn from_stones(
        board: GoBoard,
        rules: GoRules,
        black: u64,
        white: u64,
        side: Side,
    ) -> Result<GoPosition, GoStonesError> {
        let points = board.points();
        if (black | white) & !points != 0 {
            return Err(GoStonesError::Outside(board));
        }
        if black & white != 0 {
            return Err(GoStonesError::Both(board.name((black & white).trailing_zeros() as u8)));
        }
        let empty = points & !(black | white);
        for chain in parts(black).chain(parts(white)) {
            if neighbours(chain) & empty == 0 {
                return Err(GoStonesError::Captured(board.name(chain.trailing_zeros() as u8)));
            }
        }
        let (own, enemy) = if side == Side::First { (black, white) } else { (white, black) };
        let mut position = GoPosition::new(board, rules);
        position.state = State { own, enemy, side, ..position.state };
        Ok(position)
    }

    /// The same without bounds from unconditional life.
    pub fn without_life(self) -> GoPosition {
        GoPosition { life: false, ..self }
    }

    /// The same position, without a past, under other rules. A ko stays if the rules know it.
    pub fn with_rules(&self, rules: GoRules) -> GoPosition {
        let mut position = GoPosition { life: self.life, ..GoPosition::new(self.board, rules) };
        let ko = if rules.ko == Ko::Basic { self.state.ko } else { NO_KO };
        position.state = State { ko, ..self.state };
        position
    }

    /// Makes a ko forbid an empty point, if the rules know a ko.
    pub(super) fn set_ko(&mut self, point: u8) {
        if self.rules.ko == Ko::Basic {
            self.state.ko = point;
        }
    }

    /// Says whether the other side has just passed.
    pub(super) fn set_passed(&mut self, passed: bool) {
        self.state.passes = passed.into();
    }

    /// Width and height of the board.
    #[inline]
    pub fn board(&self) -> GoBoard {
        self.board
    }

    /// The rules of the game.
    #[inline]
    pub fn rules(&self) -> GoRules {
        self.rules
    }

    /// Black and white stones.
    pub fn stones(&self) -> (u64, u64) {
        self.state.stones()
    }

    /// The states since the start, or since [`Game::forget`], this one not among them.
    pub fn past(&self) -> &[State] {
        &self.past
    }

    /// Whether positions that were there before are remembered.
    pub fn has_past(&self) -> bool {
        !self.past.is_empty()
    }

    /// Passes played in a row just before: 0 to 2.
    pub fn passes(&self) -> u8 {
        self.state.passes
    }

    /// The point that a ko forbids, as a bit number.
    pub fn ko(&self) -> Option<u8> {
        (self.state.ko != NO_KO).then_some(self.state.ko)
    }

    /// The points where the side to move may put a stone, while the game is not over.
    pub fn placements(&self) -> u64 {
        let State { own, enemy, .. } = self.state;
        let mut legal = self.state.placements(self.points, self.rules.suicide);
        if self.rules.ko == Ko::Superko {
            // As long as stones were only added, boards of the past are smaller than those to come.
            let mut asked = legal;
            while asked != 0 {
                let bit = asked & asked.wrapping_neg();
                asked &= asked - 1;
                let (own_after, enemy_after) = self.state.after(self.points, bit);
                let takes = own_after | enemy_after != own | enemy | bit;
                if (takes || self.old > 0) && self.was_there(own_after, enemy_after) {
                    legal &= !bit;
                }
            }
        }
        legal
    }

    /// Whether superko leaves a side, with these stones now, all stones that it needs to keep what lives, and the
    /// area around it. Such a stone stands in that area beside all that live; a board like that may have been there,
    /// if they were once lost.
    fn is_free_to_answer(&self, area: u64, now: u64, side: Side) -> bool {
        area == 0
            || self.past.iter().all(|past| {
                let then = if past.side == side { past.own } else { past.enemy };
                area & now & !then != 0 || area & !now & then == 0
            })
    }

    /// Whether the board with these stones of the side to move and the other one was there before.
    fn was_there(&self, own: u64, enemy: u64) -> bool {
        self.past.iter().any(|past| {
            let same = past.side == self.state.side;
            (past.own, past.enemy) == if same { (own, enemy) } else { (enemy, own) }
        })
    }

    /// Whether `m` is legal.
    pub fn is_legal(&self, m: GoMove) -> bool {
        !self.is_over() && (m == GoMove::PASS || m.0 < 64 && self.placements() >> m.0 & 1 != 0)
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        self.state.passes >= 2 || self.back != 0
    }

    /// The stones, the side to move and what else a move changes.
    #[inline]
    pub fn state(&self) -> State {
        self.state
    }

    /// Area of the side to move less that of the other.
    pub fn score(&self) -> i32 {
        self.state.score(self.points)
    }

    /// The hash of a state, its stones carried by a symmetry.
    #[inline(always)]
    fn hash(&self, state: &State, own: u64, enemy: u64, ko: u64) -> u64 {
        // What a cycle is worth is seen from the side to move.
        let cycle = match (self.rules.cycle, state.side) {
            (Cycle::Tie, _) => 0,
            (Cycle::LostForBlack, Side::First) | (Cycle::LostForWhite, Side::Second) => 1,
            _ => 2u64,
        };
        let rules = cycle | (self.rules.ko as u64) << 2;
        let rest = ko.wrapping_mul(0xA24B_AED4_963E_E407) ^ (u64::from(state.passes) | rules << 2) << 56;
        mix(own, enemy) ^ rest.wrapping_mul(0x9FB2_1C65_1E98_DF25)
    }

    /// The sum of the hashes of all boards of the past and of this one: the same for each order of them.
    fn hash_of_past(&self) -> u64 {
        let of = |state: &State| {
            let first = state.side == Side::First;
            let (black, white) = if first { (state.own, state.enemy) } else { (state.enemy, state.own) };
            match self.rules.ko {
                Ko::Superko => mix(black, white),
                // Cycles are of whole states.
                _ => mix(black, white) ^ u64::from(state.passes | state.ko << 2 | u8::from(first) << 1) << 20,
            }
        };
        let mut boards: Vec<u64> = self.past.iter().map(of).collect();
        boards.sort_unstable();
        boards.dedup();
        boards.into_iter().fold(0, |sum: u64, hash| sum.wrapping_add(hash.wrapping_mul(0xD6E8_FEB8_6659_FD93)))
            ^ u64::from(self.state.side == Side::First)
    }
}

/// A hash of two words: two rounds of multiplying by odd constants and folding (as in SplitMix64).
#[inline(always)]
fn mix(own: u64, enemy: u64) -> u64 {
    let mut h = own.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    h = (h ^ h >> 32).wrapping_add(enemy).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    h = (h ^ h >> 29).wrapping_mul(0x94D0_49BB_1331_11EB);
    h ^ h >> 32
}

impl Game for GoPosition {
    type Move = GoMove;
    type Undo = GoUndo;

    /// Values are in tenths of a point.
    const POINT: Value = 10;

    #[inline]
    fn side(&self) -> Side {
        self.state.side
    }

    #[inline]
    fn moves(&self, list: &mut Vec<GoMove>) {
        if self.is_over() {
            return;
        }
        let mut placements = self.placements();
        while placements != 0 {
            list.push(GoMove(placements.trailing_zeros() as u8));
            placements &= placements - 1;
        }
        list.push(GoMove::PASS);
    }

    fn play(&mut self, m: GoMove) -> GoUndo {
        let undo = GoUndo { old: self.old, back: self.back };
        let before = self.state;
        self.past.push(before);
        self.state = before.play(self.points, self.rules, m);
        let (own, enemy) = (self.state.enemy, self.state.own);
        let put = if let GoMove(point @ 0..64) = m { 1u64 << point } else { 0 };
        if own | enemy != before.own | before.enemy | put {
            self.old = self.past.len();
        }
        self.back = 0;
        if self.rules.ko != Ko::Superko {
            let found = self.past[..self.old].iter().rposition(|past| *past == self.state);
            self.back = found.map_or(0, |i| self.past.len() - i);
        }
        undo
    }

    fn undo(&mut self, _m: GoMove, undo: GoUndo) {
        if let Some(before) = self.past.pop() {
            self.state = before;
        }
        (self.old, self.back) = (undo.old, undo.back);
    }

    #[inline]
    fn outcome(&self) -> Value {
        let area = self.board.area() as i32;
        let of_black = match self.rules.cycle {
            _ if self.back == 0 => return Self::POINT * self.score(),
            Cycle::Tie => 0,
            Cycle::LostForBlack => -area,
            Cycle::LostForWhite => area,
        };
        Self::POINT * if self.state.side == Side::First { of_black } else { -of_black }
    }

    /// Stones and what is near to them: see [`State::heuristic`].
    #[inline]
    fn heuristic(&self) -> Value {
        self.state.heuristic(self.points)
    }

    /// From what lives unconditionally; not with suicide, by which enemy stones could make room in an eye.
    #[inline]
    fn bounds(&self) -> (Value, Value) {
        let area = self.board.area() as i32;
        if !self.life || self.rules.suicide {
            return (-Self::POINT * area, Self::POINT * area);
        }
        let State { own, enemy, side, .. } = self.state;
        let (mut mine, mut theirs) = self.state.sure(self.points);
        if self.rules.ko == Ko::Superko {
            mine = if self.is_free_to_answer(mine, own, side) { mine } else { 0 };
            theirs = if self.is_free_to_answer(theirs, enemy, side.other()) { theirs } else { 0 };
        }
        let (mine, theirs) = (mine.count_ones() as i32, theirs.count_ones() as i32);
        (Self::POINT * (2 * mine - area), Self::POINT * (area - 2 * theirs))
    }

    #[inline]
    fn prior(&self, m: GoMove) -> i32 {
        self.state.prior(self.board, m)
    }

    #[inline]
    fn key(&self) -> Key {
        let mut hash = self.hash(&self.state, self.state.own, self.state.enemy, self.state.ko_bit());
        if self.past_in_key {
            hash ^= self.hash_of_past();
        }
        Key { hash, symmetry: 0 }
    }

    /// With the past in the key, each position is its own only.
    #[inline]
    fn symmetric_key(&self) -> Key {
        if self.past_in_key {
            return self.key();
        }
        let State { own, enemy, .. } = self.state;
        let ko = self.state.ko_bit();
        let (mut least, mut at) = ((own, enemy, ko), 0);
        for symmetry in 1..symmetry::count(self.board) {
            let image = |set| symmetry::apply(self.board, symmetry, set);
            let other = (image(own), image(enemy), image(ko));
            if other < least {
                (least, at) = (other, symmetry);
            }
        }
        Key { hash: self.hash(&self.state, least.0, least.1, least.2), symmetry: at }
    }

    fn to_hashed(&self, m: GoMove, symmetry: u8) -> GoMove {
        match m {
            GoMove(point @ 0..64) => GoMove(symmetry::apply(self.board, symmetry, 1 << point).trailing_zeros() as u8),
            pass => pass,
        }
    }

    fn from_hashed(&self, m: GoMove, symmetry: u8) -> GoMove {
        match m {
            GoMove(point @ 0..64) => {
                GoMove(symmetry::unapply(self.board, symmetry, 1 << point).trailing_zeros() as u8)
            }
            pass => pass,
        }
    }

    #[inline]
    fn repeated(&self) -> Option<usize> {
        (self.back != 0).then_some(self.back)
    }

    fn forget(&mut self) {
        if self.rules.ko != Ko::Superko {
            self.past.clear();
            (self.old, self.back) = (0, 0);
        }
    }

    fn put_past_in_key(&mut self) {
        self.past_in_key = true;
    }

    #[inline]
    fn code(&self, m: GoMove) -> u16 {
        u16::from(m.0)
    }

    #[inline]
    fn decode(&self, code: u16) -> Option<GoMove> {
        let known = code == u16::from(PASS) || code < 64 && self.points >> code & 1 != 0;
        known.then_some(GoMove(code as u8))
    }

    #[inline]
    fn codes(&self) -> u16 {
        u16::from(PASS) + 1
    }

    fn name(&self, m: GoMove) -> String {
        match m {
            GoMove(point @ 0..64) => self.board.name(point),
            _ => "pass".to_owned(),
        }
    }
}

/// The board: `X` black, `O` white, `.` empty, with the side to move, a ko and passes below.
impl fmt::Display for GoPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (black, white) = self.stones();
        write!(f, "  ")?;
        (0..self.board.width()).try_for_each(|x| write!(f, " {}", char::from(b'a' + x)))?;
        writeln!(f)?;
        for y in 0..self.board.height() {
            write!(f, " {}", self.board.height() - y)?;
            for x in 0..self.board.width() {
                let bit = 1u64 << (8 * y + x);
                let stone = if black & bit != 0 { 'X' } else { 'O' };
                write!(f, " {}", if (black | white) & bit != 0 { stone } else { '.' })?;
            }
            writeln!(f)?;
        }
        write!(f, "{} to move", if self.state.side == Side::First { "black (X)" } else { "white (O)" })?;
        if let Some(point) = self.ko() {
            write!(f, ", ko at {}", self.board.name(point))?;
        }
        match self.state.passes {
            0 => Ok(()),
            1 => write!(f, " after a pass"),
            _ => write!(f, " after two passes"),
        }
    }
}

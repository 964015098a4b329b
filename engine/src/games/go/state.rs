//! The stones on the board and what else a move changes: a position without the boards of the past.
//!
//! The words are the stones of the side to move and of the other side, so a position and the same with colours
//! exchanged look alike. Chains and liberties are not kept but found anew by filling words of bits: on boards as
//! small as these that is a few shifts per chain, fewer than keeping lists of chains up to date and restoring them
//! would take.
//!
//! Every function takes the points of the board, which the state does not hold.

use super::board::{GoBoard, connected, neighbours, parts};
use super::life::sure;
use super::miai::sure_with_answers;
use super::rules::{GoRules, Ko};
use crate::core::game::Side;

/// The code and the point number of a pass.
pub const PASS: u8 = 64;
/// In place of the point that a ko forbids: there is none.
pub const NO_KO: u8 = 64;

/// A move: the point that gets a stone, as a bit number (see [`super::board`]), or [`PASS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GoMove(pub u8);

impl GoMove {
    /// The move that puts no stone.
    pub const PASS: GoMove = GoMove(PASS);
}

/// What changes with a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct State {
    /// Stones of the side to move.
    pub own: u64,
    /// Stones of the other side.
    pub enemy: u64,
    /// The side to move.
    pub side: Side,
    /// Passes played in a row just before.
    pub passes: u8,
    /// Point that a ko forbids, or [`NO_KO`].
    pub ko: u8,
}

impl State {
    /// The empty board, black to move.
    pub const EMPTY: State = State { own: 0, enemy: 0, side: Side::First, passes: 0, ko: NO_KO };

    /// Black and white stones.
    #[inline]
    pub fn stones(&self) -> (u64, u64) {
        if self.side == Side::First { (self.own, self.enemy) } else { (self.enemy, self.own) }
    }

    /// The point that a ko forbids, as a set.
    #[inline]
    pub fn ko_bit(&self) -> u64 {
        if self.ko == NO_KO { 0 } else { 1 << self.ko }
    }

    /// The points where the side to move may put a stone, as far as that depends on this board alone.
    #[inline]
    pub fn placements(&self, points: u64, suicide: bool) -> u64 {
        let State { own, enemy, ko, .. } = *self;
        let empty = points & !(own | enemy);
        let free = empty & neighbours(empty);
        let close = empty & !free;
        // Points without an empty neighbour: captures, joins, suicides.
        let (mut capturing, mut joining, mut dying) = (0, 0, 0);
        if close != 0 {
            for chain in parts(enemy) {
                let liberties = neighbours(chain) & empty;
                if liberties & liberties.wrapping_sub(1) == 0 {
                    capturing |= liberties;
                }
            }
            for chain in parts(own) {
                let liberties = neighbours(chain) & empty;
                if liberties & liberties.wrapping_sub(1) != 0 {
                    joining |= liberties;
                } else {
                    dying |= liberties;
                }
            }
        }
        let mut legal = free | close & (capturing | joining);
        if suicide {
            legal |= close & dying;
        }
        if ko != NO_KO {
            legal &= !(1 << ko);
        }
        legal
    }

    /// Own and enemy stones after the side to move has put a stone, captures and suicide done.
    #[inline(always)]
    pub fn after(&self, points: u64, bit: u64) -> (u64, u64) {
        let State { mut own, mut enemy, .. } = *self;
        own |= bit;
        let empty = points & !(own | enemy);
        let mut touched = neighbours(bit) & enemy;
        while touched != 0 {
            let chain = connected(touched & touched.wrapping_neg(), enemy);
            touched &= !chain;
            if neighbours(chain) & empty == 0 {
                enemy &= !chain;
            }
        }
        if enemy == self.enemy && neighbours(bit) & empty == 0 {
            let chain = connected(bit, own);
            if neighbours(chain) & empty == 0 {
                own &= !chain;
            }
        }
        (own, enemy)
    }

    /// The points where a stone of the side to move, legal or not by what forbids boards of the past, makes the board
    /// with these own and enemy stones.
    #[inline(always)]
    pub fn placements_making(&self, points: u64, suicide: bool, own: u64, enemy: u64) -> u64 {
        if enemy & !self.enemy != 0 {
            return 0;
        }
        if !suicide {
            // Own stones stay, so it is the one that is new.
            let bit = own ^ self.own;
            let one = bit != 0 && bit & bit.wrapping_sub(1) == 0 && bit & self.own == 0 && bit & self.enemy == 0;
            return if one && self.after(points, bit) == (own, enemy) { bit } else { 0 };
        }
        let (mut found, mut empty) = (0, points & !(self.own | self.enemy));
        while empty != 0 {
            let bit = empty & empty.wrapping_neg();
            empty &= empty - 1;
            if self.after(points, bit) == (own, enemy) {
                found |= bit;
            }
        }
        found
    }

    /// The state after a legal move.
    #[inline]
    pub fn play(&self, points: u64, rules: GoRules, m: GoMove) -> State {
        let (own, enemy, ko, passes);
        if let GoMove(point @ 0..64) = m {
            let bit = 1u64 << point;
            (own, enemy) = self.after(points, bit);
            let captured = self.enemy & !enemy;
            let empty = points & !(own | enemy);
            let single = captured != 0 && captured & captured.wrapping_sub(1) == 0;
            let alone = neighbours(bit) & (own | empty) == captured;
            ko = if rules.ko == Ko::Basic && single && alone { captured.trailing_zeros() as u8 } else { NO_KO };
            passes = 0;
        } else {
            (own, enemy, ko, passes) = (self.own, self.enemy, NO_KO, self.passes + 1);
        }
        State { own: enemy, enemy: own, side: self.side.other(), passes, ko }
    }

    /// Area of the side to move less that of the other.
    #[inline]
    pub fn score(&self, points: u64) -> i32 {
        let State { own, enemy, .. } = *self;
        let mut score = own.count_ones() as i32 - enemy.count_ones() as i32;
        for part in parts(points & !(own | enemy)) {
            let near = neighbours(part);
            score += match (near & own != 0, near & enemy != 0) {
                (true, false) => part.count_ones() as i32,
                (false, true) => -(part.count_ones() as i32),
                _ => 0,
            };
        }
        score
    }

    /// The points that are sure for the side to move and for the other side by what lives unconditionally.
    #[inline]
    pub fn sure(&self, points: u64) -> (u64, u64) {
        let mine = sure(self.own, self.enemy, points);
        // A side that passed with dead stones in its area may lose it: the game can end before they are taken.
        let theirs = match sure(self.enemy, self.own, points) {
            area if self.passes > 0 && area & self.own != 0 => 0,
            area => area,
        };
        (mine, theirs)
    }

    /// Whether the side to move, or the other one, is sure of so many points if it answers: see [`super::miai`]. With
    /// suicide, or under superko, this says nothing.
    #[inline]
    pub fn holds(&self, points: u64, mover: bool, least: u32) -> bool {
        let (own, enemy, ko) = if mover { (self.own, self.enemy, self.ko_bit()) } else { (self.enemy, self.own, 0) };
        let area = sure_with_answers(own, enemy, points, ko, mover);
        // A side that passed with dead stones in its area may lose it: the game can end before they are taken.
        area.count_ones() >= least && (mover || self.passes == 0 || area & enemy == 0)
    }

    /// Stones, and points that are nearer to one side (a step of growth each), in tenths of a point, and a tenth for
    /// each liberty; for the side to move.
    #[inline]
    pub fn heuristic(&self, points: u64) -> i32 {
        let State { own, enemy, .. } = *self;
        let empty = points & !(own | enemy);
        let (mut mine, mut theirs) = (own, enemy);
        for _ in 0..2 {
            let (more, others) = (neighbours(mine) & empty, neighbours(theirs) & empty);
            let (both, free) = (more & others, !(mine | theirs));
            (mine, theirs) = (mine | more & free & !both, theirs | others & free & !both);
        }
        let liberties =
            (neighbours(own) & empty).count_ones() as i32 - (neighbours(enemy) & empty).count_ones() as i32;
        10 * (mine.count_ones() as i32 - theirs.count_ones() as i32) + liberties
    }

    /// How early a legal move is worth trying, greater being earlier: captures, then stones that take part in what is
    /// open, near the middle first; own eyes and passes last.
    #[inline]
    pub fn prior(&self, board: GoBoard, m: GoMove) -> i32 {
        let State { own, enemy, passes, .. } = *self;
        let GoMove(point @ 0..64) = m else {
            // The answer to a pass ends the game: good or bad at once, and cheap to find out.
            return if passes > 0 { 100 } else { -50 };
        };
        let points = board.points();
        let bit = 1u64 << point;
        let near = neighbours(bit) & points;
        if near & !own == 0 {
            return -100;
        }
        let (own_after, enemy_after) = self.after(points, bit);
        let captured = (enemy & !enemy_after).count_ones() as i32;
        let chain = connected(bit, own_after | bit);
        let liberties = (neighbours(chain) & points & !(own_after | enemy_after)).count_ones() as i32;
        let (x, y) = (i32::from(point % 8), i32::from(point / 8));
        let (width, height) = (i32::from(board.width()), i32::from(board.height()));
        let off_centre = (2 * x + 1 - width).abs() + (2 * y + 1 - height).abs();
        20 * captured.min(6) + 4 * liberties.min(5) + 6 * i32::from(near & enemy != 0)
            - 3 * off_centre
            - if liberties <= 1 && captured == 0 { 30 } else { 0 }
    }
}

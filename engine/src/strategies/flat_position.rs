//! A position for fast random playouts: a board and a flat list of legal moves that is filtered in place.
//!
//! No move can be taken back. A search that needs a position again keeps a copy (8 KiB, copied in about the time of
//! five moves).

use super::unit::{NO_MOVE, Unit, is_legal};
use super::vector::extension::PlainVectors;
use super::vector::filter::{MoveFilter, SLACK, filter_in_place};
use crate::core::seed::Rng;
use crate::morpion::board::Board;
use crate::morpion::geometry::Move;
use crate::morpion::position::MAX_LEGAL;
use crate::morpion::start::Start;
use crate::morpion::variant::Rules;
use rand_xoshiro::rand_core::Rng as _;

/// A position in which games are played on.
#[derive(Clone)]
pub(super) struct FlatPosition<R> {
    board: Board<R>,
    /// The legal moves are the first `len`.
    list: Box<[Move; MAX_LEGAL + SLACK]>,
    len: usize,
    played: Vec<Move>,
    /// The game ends after so many moves.
    longest: usize,
}

impl<R: Rules> FlatPosition<R> {
    /// The position after the prefix of a unit (played from the start as far as it is legal) with its candidates
    /// (those that are legal), or all legal moves.
    pub fn new(start: &Start, unit: &Unit) -> FlatPosition<R> {
        let longest = start.longest_game(R::VARIANT) as usize;
        let mut position = FlatPosition {
            board: start.board(),
            list: Box::new([NO_MOVE; MAX_LEGAL + SLACK]),
            len: 0,
            played: Vec::with_capacity(longest + 1),
            longest,
        };
        for &mv in &unit.prefix {
            if position.played.len() == longest || !is_legal(&position.board, mv) {
                break;
            }
            position.board.place(mv);
            position.played.push(mv);
        }
        if position.played.len() == longest {
            return position;
        }
        let mut list = unit.candidates.as_ref().map_or_else(|| position.board.scan(), Vec::clone);
        list.retain(|&mv| is_legal(&position.board, mv));
        list.sort_unstable();
        list.dedup();
        for (to, mv) in position.list.iter_mut().zip(&list) {
            *to = *mv;
        }
        position.len = list.len().min(MAX_LEGAL);
        position
    }

    /// Becomes a copy of `other` without allocating.
    #[inline(always)]
    pub fn copy_from(&mut self, other: &FlatPosition<R>) {
        self.board.copy_from(&other.board);
        self.list[..other.len].copy_from_slice(&other.list[..other.len]);
        self.len = other.len;
        self.played.clear();
        self.played.extend_from_slice(&other.played);
        self.longest = other.longest;
    }

    /// The legal moves, in no order that means anything.
    #[inline(always)]
    pub fn list(&self) -> &[Move] {
        &self.list[..self.len]
    }

    /// The moves played from the start position.
    #[inline(always)]
    pub fn played(&self) -> &[Move] {
        &self.played
    }

    /// Plays a move of the list.
    #[inline(always)]
    pub fn play<L: MoveFilter>(&mut self, mv: Move) {
        self.played.push(mv);
        let mut openings = self.board.place_and_open(mv);
        let list = &mut self.list[..];
        let mut n = filter_in_place::<R, L>(list, self.len, mv);
        while let Some(opening) = openings.next() {
            list[n] = opening.mv;
            n += 1;
        }
        // Only a game from another start than the cross can be so long.
        self.len = if self.played.len() < self.longest { n } else { 0 };
    }

    /// Plays moves that come from outside.
    ///
    /// # Errors
    /// The number of the first move, from 1, that is not in the list.
    pub fn try_play_all(&mut self, moves: &[Move]) -> Result<(), usize> {
        for (number, &mv) in (1..).zip(moves) {
            if !self.list().contains(&mv) {
                return Err(number);
            }
            self.play::<PlainVectors>(mv);
        }
        Ok(())
    }

    /// Plays uniformly random moves until there is none. (The choice by multiplication favours no move by more
    /// than one in a million.)
    #[inline(always)]
    pub fn play_out<L: MoveFilter>(&mut self, rng: &mut Rng) {
        while self.len > 0 {
            let index = (((rng.next_u64() >> 32) * self.len as u64) >> 32) as usize;
            self.play::<L>(self.list[index]);
        }
    }
}

//! A finished game with what its playout saw: every move that became legal, and when.

use crate::morpion::geometry::Move;
use crate::strategies::unit::NO_MOVE;

/// Room for the moves that are ever legal in a game: each needs all points of its line but one by the end, so the
/// bound on the legal moves of a position holds for them together.
pub(super) const ROOM: usize = crate::morpion::position::MAX_LEGAL + 43;

/// Room for a game: no game of any variant that a search plays has more than 487 moves.
pub(super) const GAME: usize = 512;

/// The bits of a move that are its point.
const POINT: u32 = 0xFFFF;

/// A hash of the set of the moves' bits that `mask` leaves.
#[inline(always)]
fn fingerprint(moves: &[Move], mask: u32) -> u64 {
    moves.iter().fold(0, |sum, mv| {
        let product = u64::from(mv.bits() & mask).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        sum.wrapping_add((product ^ product >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93))
    })
}

/// A hash of the set of new points of these moves; that of a union of disjoint sets is the sum of theirs.
#[inline(always)]
pub(in crate::strategies) fn points_fingerprint(moves: &[Move]) -> u64 {
    fingerprint(moves, POINT)
}

/// The moves of a game and the moves that appeared during it.
#[derive(Clone)]
pub(in crate::strategies) struct PlayoutGame {
    /// The moves played.
    moves: [Move; GAME],
    /// `ends[s]`: moves appeared when step `s` has been played.
    ends: [u16; GAME],
    len: usize,
    /// The moves that became legal after the start, in order of appearance, and their codes.
    pub appeared: [Move; ROOM],
    pub codes: [u32; ROOM],
    /// The number of moves that became legal.
    pub appearances: usize,
}

impl PlayoutGame {
    pub fn boxed() -> Box<PlayoutGame> {
        Box::new(PlayoutGame {
            moves: [NO_MOVE; GAME],
            ends: [0; GAME],
            len: 0,
            appeared: [NO_MOVE; ROOM],
            codes: [0; ROOM],
            appearances: 0,
        })
    }

    /// The moves played.
    #[inline(always)]
    pub fn moves(&self) -> &[Move] {
        &self.moves[..self.len]
    }

    /// A hash of the set of moves, whatever their order: to be asked for where it is needed, since it is quick in
    /// vectors, and slows a playout down when kept up to date.
    #[inline(always)]
    pub fn fingerprint(&self) -> u64 {
        fingerprint(self.moves(), u32::MAX)
    }

    /// A hash of the set of new points: one for all grids that cover the same points.
    #[inline(always)]
    pub fn points_fingerprint(&self) -> u64 {
        points_fingerprint(self.moves())
    }

    /// Per step, how many moves have appeared when it has been played.
    #[inline(always)]
    pub fn ends(&self) -> &[u16] {
        &self.ends[..self.len]
    }

    /// Becomes the empty game.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
        self.appearances = 0;
    }

    /// Whether a further move can be noted, with all that it may create.
    #[inline(always)]
    pub fn has_room(&self, longest: usize) -> bool {
        self.len < longest.min(GAME) && self.appearances < ROOM - 40
    }

    /// Notes a played move; its appearances follow through [`PlayoutGame::appear`],
    /// then [`PlayoutGame::end_step`].
    #[inline(always)]
    pub fn play(&mut self, mv: Move) {
        self.moves[self.len & (GAME - 1)] = mv;
    }

    /// Notes a move that has become legal as number `at`, counted from [`PlayoutGame::appearances`] on.
    ///
    /// # Safety
    /// [`PlayoutGame::has_room`] held before the step, and `at` is at most 20 above the appearances then.
    #[inline(always)]
    pub unsafe fn appear(&mut self, at: usize, mv: Move, code: u32) {
        // SAFETY: there was room for 40.
        unsafe {
            *self.appeared.get_unchecked_mut(at) = mv;
            *self.codes.get_unchecked_mut(at) = code;
        }
    }

    /// Ends the step begun by [`PlayoutGame::play`] with so many appearances in all.
    #[inline(always)]
    pub fn end_step(&mut self, appearances: usize) {
        self.appearances = appearances;
        self.ends[self.len & (GAME - 1)] = appearances as u16;
        self.len += 1;
    }

    /// Becomes a copy of `other`, of which only the used parts are read.
    pub fn copy_from(&mut self, other: &PlayoutGame) {
        let (len, n) = (other.len, other.appearances);
        self.moves[..len].copy_from_slice(&other.moves[..len]);
        self.ends[..len].copy_from_slice(&other.ends[..len]);
        self.appeared[..n].copy_from_slice(&other.appeared[..n]);
        self.codes[..n].copy_from_slice(&other.codes[..n]);
        (self.len, self.appearances) = (len, n);
    }
}

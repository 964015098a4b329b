//! A priority order of all moves: a number for each code, the least first.
//!
//! The moves of a grid have its ranks. All others have random numbers above them, which come from one table that is
//! read at `code ^ mask`. Another mask is another order of everything that is not ranked, and costs nothing.
//!
//! Half of the exchanges are of a move of a grid with one that was legal and not played: the latter comes early, and
//! what it collides with must go. The others move a move of the grid to a random place among all that is not played.

use super::nrpa::policy::code;
use crate::core::seed::{self, Rng};
use crate::morpion::geometry::Move;
use crate::strategies::nrpa::playout::Times;
use crate::strategies::nrpa::policy::CODES;
use crate::strategies::vector::dispatch::VectorInstructions;
use rand::RngExt;

/// Random priorities lie from here up to twice as much. Ranks are below, with 18 bits of precision like all clocks of
/// a playout, so that a rank is never rounded to another.
const RANDOM: f32 = 1024.0;

/// The priorities of all codes.
pub(super) struct Priorities {
    table: Box<[f32; CODES]>,
    mask: u32,
    /// Places whose value was changed, and what it was.
    changed: Vec<(u32, f32)>,
}

impl Priorities {
    /// Random ones, a function of the seed.
    pub fn new(seed: u64) -> Priorities {
        let mut rng = seed::rng(seed, &[]);
        let table: Vec<f32> = (0..CODES).map(|_| RANDOM * (1.0 + rng.random::<f32>())).collect();
        let table = table.into_boxed_slice().try_into().expect("the size is that of the array");
        Priorities { table, mask: 0, changed: Vec::new() }
    }

    /// The priority of a code.
    #[inline(always)]
    pub fn get(&self, code: u32) -> f32 {
        self.table[(code ^ self.mask) as usize & (CODES - 1)]
    }

    /// Gives a code another priority.
    #[inline(always)]
    pub fn set(&mut self, code: u32, priority: f32) {
        let place = (code ^ self.mask) & (CODES as u32 - 1);
        self.changed.push((place, std::mem::replace(&mut self.table[place as usize], priority)));
    }

    /// Takes back all changes, and makes the order anew that lies under them.
    pub fn redraw(&mut self, mask: u32) {
        while let Some((place, priority)) = self.changed.pop() {
            self.table[place as usize & (CODES - 1)] = priority;
        }
        self.mask = mask & (CODES as u32 - 1);
    }

    /// Ranks the moves of a grid first, in their order.
    #[inline(always)]
    pub fn rank(&mut self, moves: &[Move]) {
        for (rank, &mv) in (1..).zip(moves) {
            self.set(code(mv) as u32, rank as f32);
        }
    }

    /// Exchanges the places of one of the moves of a grid, which are ranked, and of another: one of the
    /// `alternatives`, codes of moves that were legal during it, or any that is not ranked.
    #[inline(always)]
    pub fn exchange<'a>(&mut self, moves: &[Move], alternatives: impl FnOnce() -> &'a [u32], rng: &mut Rng) {
        let own = code(moves[rng.random_range(0..moves.len())]) as u32;
        if rng.random() {
            let alternatives = alternatives();
            let other = alternatives[rng.random_range(0..alternatives.len())];
            let (before, after) = (self.get(own), self.get(other));
            self.set(own, after);
            self.set(other, before);
        } else {
            self.set(own, RANDOM * (1.0 + rng.random::<f32>()));
        }
    }
}

/// The clocks of a greedy player.
pub(super) struct Greedy<'a>(pub &'a Priorities);

impl Times for Greedy<'_> {
    const RUN: bool = false;

    #[inline(always)]
    fn reserve<I: VectorInstructions>(&mut self, _: usize) {}

    #[inline(always)]
    fn used(&self) -> usize {
        0
    }

    #[inline(always)]
    fn at(&self, _: usize, code: u32) -> f32 {
        self.0.get(code)
    }

    #[inline(always)]
    fn set_used(&mut self, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_taken_back_and_a_mask_makes_another_order() {
        let (mut priorities, fresh) = (Priorities::new(3), Priorities::new(3));
        assert!((0..CODES as u32).all(|code| (RANDOM..=2.0 * RANDOM).contains(&priorities.get(code))));
        for mask in [0, 77, 77, 1 << 16 | 5] {
            priorities.redraw(mask);
            for code in 0..200 {
                priorities.set(code * 7, code as f32);
            }
            assert!((0..200).all(|code| priorities.get(code * 7) == code as f32));
            for code in 0..300 {
                priorities.set(code * 5, 5.0);
            }
            assert_eq!((priorities.get(35), priorities.get(1400 - 7)), (5.0, 199.0));
        }
        let orders = |p: &Priorities| (0..1000).map(|code| p.get(code) < p.get(code + 1000)).collect::<Vec<_>>();
        priorities.redraw(1234);
        let same = orders(&priorities).iter().zip(orders(&fresh)).filter(|(a, b)| **a == *b).count();
        assert!((400..600).contains(&same), "{same} of 1000 pairs in the same order");
        priorities.redraw(0);
        assert_eq!(priorities.table, fresh.table);
    }
}

//! Winding a grid back: up to a quarter of its moves are given up, the last first, and what is left is completed at
//! random.
//!
//! How many moves to give up is chosen by a bandit, once per playout. Each number of moves is an arm. A playout pays
//! one if its grid is within the window of the pool and new (UCB1: Auer, Cesa-Bianchi and Fischer 2002, with a
//! smaller bonus). Winding back ends after many playouts in a row have found nothing (after Tishchenko 2026).

use crate::core::seed::Rng;
use crate::morpion::board::Board;
use crate::morpion::geometry::Move;
use crate::morpion::position::Position;
use crate::morpion::variant::Rules;
use crate::strategies::nrpa::game::points_fingerprint;
use crate::strategies::nrpa::playout::Playout;
use crate::strategies::priorities::{Greedy, Priorities};
use crate::strategies::vector::dispatch::VectorInstructions;
use ahash::AHashSet;
use rand::RngExt;

/// One of so many moves is given up at most.
const SHARE: usize = 4;
/// Playouts in a row without a find that end it.
const STALL: u32 = 2000;
/// Finds that end it.
const FINDS: usize = 1000;
/// Weight of not knowing.
const BONUS: f64 = 0.1;

/// A number of moves that are kept, and what completions of them have brought.
struct Arm<R> {
    kept: usize,
    board: Board<R>,
    legal: Vec<Move>,
    /// The hash of the points of what is kept.
    hash: u64,
    tries: u32,
    finds: u32,
}

impl<R> Arm<R> {
    /// The largest gain that is believed possible after `tries` playouts of all arms.
    fn bound(&self, log_tries: f64) -> f64 {
        match f64::from(self.tries) {
            0.0 => f64::INFINITY,
            tries => f64::from(self.finds) / tries + BONUS * (log_tries / tries).sqrt(),
        }
    }
}

/// The scratch memory of winding back.
pub(super) struct Rewind<R> {
    playout: Playout<R>,
    arms: Vec<Arm<R>>,
    /// Moves that are legal at the start, but not to be played.
    barred: Vec<Move>,
    /// What was found by the last call: moves after the start, and the hash of their points.
    pub finds: Vec<(Vec<Move>, u64)>,
    /// Lengths of the playouts of the last call.
    pub lengths: Vec<usize>,
}

impl<R: Rules> Rewind<R> {
    /// For playouts from `start` that begin with one of `moves`, and end after `longest` moves.
    pub fn new(start: &Position<R>, moves: &[Move], longest: usize) -> Rewind<R> {
        let playout = Playout::new(start.board().clone(), moves, longest);
        let barred = start.moves().iter().copied().filter(|mv| !moves.contains(mv)).collect();
        Rewind { playout, arms: Vec::new(), barred, finds: Vec::new(), lengths: Vec::new() }
    }

    /// Winds back the grid of these moves after `start`, at most `limit` playouts. What it finds has at least `least`
    /// moves and points that `known` does not know.
    ///
    /// # Safety
    /// The processor has the instructions.
    #[inline(always)]
    pub unsafe fn run<I: VectorInstructions>(
        &mut self,
        (start, grid): (&Position<R>, &[Move]),
        (least, limit): (usize, u64),
        known: impl Fn(u64) -> bool,
        priorities: &mut Priorities,
        rng: &mut Rng,
    ) {
        self.set_arms(start, grid);
        self.finds.clear();
        self.lengths.clear();
        let mut found = AHashSet::new();
        let mut idle = 0;
        while idle < STALL && self.finds.len() < FINDS && (self.lengths.len() as u64) < limit {
            let log_tries = (self.lengths.len().max(1) as f64).ln();
            let bounds = self.arms.iter().map(|arm| arm.bound(log_tries)).enumerate();
            // The first of equal ones.
            let Some((at, _)) = bounds.reduce(|best, arm| if arm.1 > best.1 { arm } else { best }) else { return };
            let arm = &mut self.arms[at];
            self.playout.restart(&arm.board, &arm.legal, arm.kept);
            priorities.redraw(rng.random());
            // SAFETY: the instructions by the caller's promise.
            unsafe { self.playout.play_by::<I, _>(Greedy(priorities)) };
            let game = &self.playout.game;
            let length = arm.kept + game.moves().len();
            self.lengths.push(length);
            arm.tries += 1;
            idle += 1;
            if length >= least {
                // The hash of a union is the sum of the hashes.
                let hash = arm.hash.wrapping_add(game.points_fingerprint());
                if !known(hash) && found.insert(hash) {
                    self.finds.push(([&grid[..arm.kept], game.moves()].concat(), hash));
                    arm.finds += 1;
                    idle = 0;
                }
            }
        }
    }

    /// An arm for each number of moves that can be given up.
    fn set_arms(&mut self, start: &Position<R>, grid: &[Move]) {
        self.arms.clear();
        let mut position = start.clone();
        let first = grid.len() - grid.len() / SHARE;
        for (kept, &mv) in grid.iter().enumerate() {
            if kept >= first {
                let board = position.board().clone();
                let legal = position.moves().iter().copied().filter(|mv| !self.barred.contains(mv)).collect();
                let hash = points_fingerprint(&grid[..kept]);
                self.arms.push(Arm { kept, board, legal, hash, tries: 0, finds: 0 });
            }
            position.play(mv);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;
    use crate::morpion::variant::T5;
    use crate::strategies::vector::dispatch::{VectorTask, dispatch};
    use crate::strategies::vector::extension::VectorExtension;

    struct Run<'a> {
        rewind: &'a mut Rewind<T5>,
        grid: &'a [Move],
        limit: u64,
        known: &'a AHashSet<u64>,
    }

    impl VectorTask for Run<'_> {
        type Output = ();

        #[inline(always)]
        fn run<I: VectorInstructions>(self) {
            let (known, start) = (self.known, Position::new());
            let (priorities, rng) = (&mut Priorities::new(3), &mut rng(8, &[]));
            let of = (self.grid.len().saturating_sub(8), self.limit);
            // SAFETY: a task is entered only on a processor that has the instructions.
            unsafe {
                self.rewind.run::<I>((&start, self.grid), of, |hash| known.contains(&hash), priorities, rng);
            }
        }
    }

    #[test]
    fn a_grid_wound_back_gives_legal_games_that_are_long_and_new() {
        let mut position = Position::<T5>::new();
        while let Some(&mv) = position.moves().last() {
            position.play(mv);
        }
        let grid = position.played().to_vec();
        let mut rewind = Rewind::new(&Position::<T5>::new(), Position::<T5>::new().moves(), 485);
        let mut known = AHashSet::from([points_fingerprint(&grid)]);
        for extension in VectorExtension::ALL {
            dispatch(extension, Run { rewind: &mut rewind, grid: &grid, limit: u64::MAX, known: &known });
            assert!(rewind.finds.len() > 3 && rewind.lengths.len() >= STALL as usize, "{}", rewind.finds.len());
            let mut hashes = known.clone();
            for (moves, hash) in &rewind.finds {
                let end = Position::<T5>::after(moves).unwrap();
                assert!(end.moves().is_empty() && moves.len() + 8 >= grid.len());
                assert_eq!(rewind.finds.iter().filter(|(_, other)| other == hash).count(), 1);
                assert_eq!(points_fingerprint(moves), *hash);
                assert!(hashes.insert(*hash));
            }
            // The playouts are counted, and the limit ends it.
            let playouts = rewind.lengths.len();
            dispatch(extension, Run { rewind: &mut rewind, grid: &grid, limit: 100, known: &known });
            assert!(playouts > 100 && rewind.lengths.len() == 100);
        }
        // What is known is not found again.
        known.extend(rewind.finds.iter().map(|&(_, hash)| hash));
        dispatch(VectorExtension::detect(), Run { rewind: &mut rewind, grid: &grid, limit: 100, known: &known });
        assert!(rewind.finds.iter().all(|(_, hash)| !known.contains(hash)));
        // A grid of three moves has no quarter.
        dispatch(VectorExtension::detect(), Run { rewind: &mut rewind, grid: &grid[..3], limit: 100, known: &known });
        assert!(rewind.finds.is_empty() && rewind.lengths.is_empty());
    }
}

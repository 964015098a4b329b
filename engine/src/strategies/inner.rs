//! Searches inside searches: one host for them.
//!
//! `regrow` and `reshape` run other searches inside, and so does a run of `perturb` or `permute` that begins with one
//! (`warm_start`). [`run_inner`] runs such a search: it adds the iterations of those that are done to what the search
//! inside reports, hands its grids to the host, and wraps its saved state in the host's. A search inside ends by its
//! own parameters (patience, steps, settled results). The host decides only what comes next.

use crate::core::ctl::{Ctl, Signal};
use crate::core::search::{End, Search};
use crate::morpion::geometry::Move;

/// What a search that runs others inside does with what they say.
pub(super) trait InnerHost {
    /// Iterations of the searches inside that are done.
    fn iterations(&self) -> u64;

    /// The best score reported so far, the unit's prefix included.
    fn best(&self) -> u32;

    /// Absorbs a grid, the longest that the search inside has found, after so many iterations in all. It is reported
    /// afterwards if it was longer than [`InnerHost::best`], which it raises.
    fn absorb(&mut self, moves: &[Move], iterations: u64);

    /// The state of the whole, given that of the search inside.
    fn save(&self, inner: Vec<u8>) -> Vec<u8>;
}

/// Runs a search inside another one until it ends or is told to stop.
pub(super) fn run_inner(search: &mut dyn Search<Move>, host: &mut dyn InnerHost, ctl: &mut dyn Ctl<Move>) -> End {
    search.run(&mut InnerCtl { host, ctl })
}

/// What the search inside talks to.
struct InnerCtl<'a> {
    host: &'a mut dyn InnerHost,
    ctl: &'a mut dyn Ctl<Move>,
}

impl Ctl<Move> for InnerCtl<'_> {
    fn poll(&mut self, iterations: u64, best: u32) -> Signal {
        self.ctl.poll(self.host.iterations().saturating_add(iterations), best.max(self.host.best()))
    }

    fn offer_checkpoint(&mut self, save: &mut dyn FnMut() -> Vec<u8>) {
        let host = &*self.host;
        self.ctl.offer_checkpoint(&mut || host.save(save()));
    }

    fn improved(&mut self, moves: &[Move], iterations: u64) {
        let iterations = self.host.iterations().saturating_add(iterations);
        let longer = moves.len() as u64 > u64::from(self.host.best());
        self.host.absorb(moves, iterations);
        if longer {
            self.ctl.improved(moves, iterations);
        }
    }

    fn keep_from(&self) -> u32 {
        self.ctl.keep_from()
    }

    fn found(&mut self, moves: &[Move], iterations: u64) {
        self.ctl.found(moves, self.host.iterations().saturating_add(iterations));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morpion::position::Position;
    use crate::morpion::variant::T5;

    /// A search that finds two games, the second one longer, and offers its state.
    struct Two(Vec<Move>);

    impl Search<Move> for Two {
        fn run(&mut self, ctl: &mut dyn Ctl<Move>) -> End {
            ctl.improved(&self.0[..2], 10);
            ctl.improved(&self.0, 20);
            ctl.found(&self.0[..1], 25);
            ctl.offer_checkpoint(&mut || self.save());
            if ctl.poll(30, 3) == Signal::Stop { End::Stopped } else { End::Finished }
        }

        fn save(&self) -> Vec<u8> {
            vec![7]
        }

        fn iterations(&self) -> u64 {
            30
        }

        fn best(&self) -> u32 {
            3
        }
    }

    /// A host that has a game of two moves and 1000 iterations behind it.
    struct Host {
        best: u32,
        absorbed: Vec<(usize, u64)>,
    }

    impl InnerHost for Host {
        fn iterations(&self) -> u64 {
            1000
        }

        fn best(&self) -> u32 {
            self.best
        }

        fn absorb(&mut self, moves: &[Move], iterations: u64) {
            self.absorbed.push((moves.len(), iterations));
            self.best = self.best.max(moves.len() as u32);
        }

        fn save(&self, inner: Vec<u8>) -> Vec<u8> {
            [vec![self.best as u8], inner].concat()
        }
    }

    /// What the caller hears of it.
    #[derive(Default)]
    struct Caller {
        polls: Vec<(u64, u32)>,
        improved: Vec<(usize, u64)>,
        found: Vec<(usize, u64)>,
        saved: Vec<Vec<u8>>,
    }

    impl Ctl<Move> for Caller {
        fn poll(&mut self, iterations: u64, best: u32) -> Signal {
            self.polls.push((iterations, best));
            Signal::Stop
        }

        fn offer_checkpoint(&mut self, save: &mut dyn FnMut() -> Vec<u8>) {
            self.saved.push(save());
        }

        fn improved(&mut self, moves: &[Move], iterations: u64) {
            self.improved.push((moves.len(), iterations));
        }

        fn found(&mut self, moves: &[Move], iterations: u64) {
            self.found.push((moves.len(), iterations));
        }
    }

    #[test]
    fn a_host_absorbs_every_grid_and_the_caller_hears_of_those_that_are_longer_than_all_before() {
        let mut position = Position::<T5>::new();
        (0..3).for_each(|_| position.play(position.moves()[0]));
        let mut search = Two(position.played().to_vec());
        let (mut host, mut caller) = (Host { best: 2, absorbed: Vec::new() }, Caller::default());
        assert_eq!(run_inner(&mut search, &mut host, &mut caller), End::Stopped);
        assert_eq!(host.absorbed, [(2, 1010), (3, 1020)]);
        assert_eq!((caller.improved, caller.found), (vec![(3, 1020)], vec![(1, 1025)]));
        assert_eq!((caller.polls, caller.saved), (vec![(1030, 3)], vec![vec![3, 7]]));
        // A host that is ahead of the search inside says so.
        let (mut host, mut caller) = (Host { best: 9, absorbed: Vec::new() }, Caller::default());
        run_inner(&mut search, &mut host, &mut caller);
        assert!(caller.improved.is_empty() && host.absorbed.len() == 2);
        assert_eq!((caller.polls, caller.saved), (vec![(1030, 9)], vec![vec![9, 7]]));
    }
}

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

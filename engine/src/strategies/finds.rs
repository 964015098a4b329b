//! The grids that a search has found, until it reports them.

use crate::core::ctl::Ctl;
use crate::morpion::geometry::Move;

/// Grids found, until they are reported to the caller.
pub(super) struct Finds {
    /// The best score reported, prefix included.
    pub best: u32,
    /// Scores from which on grids are wanted ([`Ctl::keep_from`]).
    pub keep_from: u32,
    /// Moves without the prefix.
    news: Vec<Vec<Move>>,
}

impl Default for Finds {
    fn default() -> Finds {
        Finds { best: 0, keep_from: u32::MAX, news: Vec::new() }
    }
}

impl Finds {
    /// Notes a grid, given by its moves after the prefix.
    pub fn push(&mut self, moves: &[Move]) {
        self.news.push(moves.to_vec());
    }

    /// Forgets what was noted.
    pub fn clear(&mut self) {
        self.news.clear();
    }

    /// Reports what was noted, the best first, and forgets it.
    pub fn report(&mut self, prefix: &[Move], iterations: u64, ctl: &mut dyn Ctl<Move>) {
        self.news.sort_by_key(|moves| std::cmp::Reverse(moves.len()));
        for grid in self.news.drain(..) {
            let moves: Vec<Move> = prefix.iter().copied().chain(grid.iter().copied()).collect();
            let score = moves.len() as u32;
            if score > self.best {
                self.best = score;
                ctl.improved(&moves, iterations);
            }
            if score >= self.keep_from {
                ctl.found(&moves, iterations);
            }
        }
    }
}

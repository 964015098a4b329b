//! Games of Reversi 8x8 of a player against itself, to learn from.
//!
//! A game begins with two to ten random moves. Then, up to a ply that is drawn, one of five moves is random and the
//! others are the best after one ply: so games come to positions of all kinds, at all stages. From there on each move
//! is searched, and the last [`EXACT`] moves are played perfectly; only these positions are learned from. The player
//! forgets everything before each game, so a game depends on seed, number, depth and weights alone.

use super::games::{ReversiLearningGame, pass_if_needed, start};
use crate::core::game::{Game, MAX_VALUE, Value};
use crate::core::seed::rng;
use crate::games::reversi::position::{ReversiMove, ReversiPosition};
use crate::games::reversi::weights::PatternWeights;
use crate::solvers::monitor::Monitor;
use crate::solvers::player::plies::PlySearch;
use crate::solvers::reversi::engine::ReversiEngine;
use crate::solvers::reversi::plies::ReversiPlies;
use crate::solvers::search::Stats;
use crate::solvers::solve::Engine;
use crate::solvers::table::{Table, TableError};
use rand::RngExt;

/// From this many empty cells on games are played perfectly.
pub const EXACT: u32 = 12;
/// Random moves at the beginning.
const RANDOM: std::ops::RangeInclusive<usize> = 2..=10;
/// Latest move that is learned from first.
const LATEST: usize = 46;
/// One of so many moves of the rest of the opening is random.
const ONE_OF: u32 = 5;
/// Bytes of a player's table: it is cleared for each game.
const MEMORY: u64 = 1 << 19;

/// A player of games to learn from.
#[derive(Debug)]
pub struct ReversiLearningPlayer<'w> {
    table: Table,
    /// The weights of the evaluation; nothing for that by its terms.
    weights: Option<&'w PatternWeights>,
    /// Plies of the search for a move.
    depth: u32,
}

impl<'w> ReversiLearningPlayer<'w> {
    /// A player that searches so many plies.
    ///
    /// # Errors
    /// There is no memory for its table.
    pub fn new(weights: Option<&'w PatternWeights>, depth: u32) -> Result<ReversiLearningPlayer<'w>, TableError> {
        Ok(ReversiLearningPlayer { table: Table::new(MEMORY)?, weights, depth })
    }

    /// The game of a number.
    pub fn play_game(&mut self, seed: u64, number: u64) -> ReversiLearningGame {
        self.table.clear();
        let mut random = rng(seed, &[number]);
        let mut position = start();
        let mut moves: Vec<u8> = Vec::new();
        let at_random = random.random_range(RANDOM);
        let opening = random.random_range(at_random..=LATEST);
        let mut legal = Vec::new();
        let score = loop {
            pass_if_needed(&mut position);
            legal.clear();
            position.moves(&mut legal);
            if legal.is_empty() {
                let (black, white) = position.discs();
                break position.score(black.count_ones(), white.count_ones());
            }
            let m = if moves.len() < at_random || moves.len() < opening && random.random_range(0..ONE_OF) == 0 {
                legal[random.random_range(0..legal.len())]
            } else if moves.len() < opening {
                self.searched(&position, &legal, 1)
            } else if position.empty().count_ones() > EXACT {
                self.searched(&position, &legal, self.depth)
            } else {
                self.perfect(&position, &legal)
            };
            moves.push(m.0);
            position.play(m);
        };
        ReversiLearningGame { opening: opening.min(moves.len()), moves, score }
    }

    /// The best move by searches of one ply, two plies, and so on.
    fn searched(&self, position: &ReversiPosition, legal: &[ReversiMove], depth: u32) -> ReversiMove {
        let watch = Monitor::default();
        let mut search = ReversiPlies::new(position, self.weights, None, &self.table, &watch);
        let mut order = legal.to_vec();
        for depth in 1..=depth.max(1) {
            let mut best = (-MAX_VALUE, 0);
            for (at, &m) in order.iter().enumerate() {
                // The watch stops nothing.
                let value = search.value_of(m, depth, best.0, MAX_VALUE).unwrap_or(-MAX_VALUE);
                if value > best.0 {
                    best = (value, at);
                }
            }
            order[..=best.1].rotate_right(1);
        }
        order[0]
    }

    /// The first move that keeps the value.
    fn perfect(&self, position: &ReversiPosition, legal: &[ReversiMove]) -> ReversiMove {
        let monitor = Monitor::default();
        let mut engine = ReversiEngine { table: &self.table, busy: None, monitor: &monitor, stats: Stats::default() };
        let mut value = |position: &ReversiPosition, alpha: Value, beta: Value| {
            // The monitor stops nothing.
            engine.value(position, alpha, beta).unwrap_or(alpha)
        };
        let most = ReversiPosition::POINT * 64;
        let best = value(position, -most, most);
        let keeps = |&&m: &&ReversiMove| {
            let mut after = *position;
            after.play(m);
            let mut moves = Vec::new();
            after.moves(&mut moves);
            let reply = if moves.is_empty() { after.outcome() } else { value(&after, -best, 1 - best) };
            reply <= -best
        };
        legal.iter().find(keeps).copied().unwrap_or(legal[0])
    }
}

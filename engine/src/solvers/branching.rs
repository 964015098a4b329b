//! The average number of moves at each ply of random games, and the size of the game tree that it suggests.
//!
//! The estimate is the sum over all depths of the product of the averages above it, as the thesis has it. For it a
//! game that is over counts as one without moves; the averages that are shown are over the games that are still going
//! on. The prototype of the thesis has no passes: there a game ends where a side has to pass.

use crate::core::game::Game;
use crate::core::seed::rng;
use rand::RngExt;

/// The name of a pass in all games.
const PASS: &str = "pass";

/// What random games showed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Branching {
    /// For each ply, from 0: how many games reached it and were not over, and the sum of their numbers of moves.
    pub plies: Vec<(u64, u64)>,
    /// The same for the plies before the first one at which a side had to pass.
    pub before_pass: Vec<(u64, u64)>,
    /// Number of games played.
    pub games: u64,
    /// Games that were broken off at the greatest length.
    pub unfinished: u64,
}

impl Branching {
    /// Plays `games` random games of at most `longest` plies from `start`. Game `i` depends on `seed` and `i` alone.
    pub fn of<G: Game>(start: &G, games: u64, longest: usize, seed: u64) -> Branching {
        let mut result = Branching { games, ..Branching::default() };
        let mut moves = Vec::new();
        for game in 0..games {
            let (mut rng, mut position) = (rng(seed, &[game]), start.clone());
            let mut has_passed = false;
            for ply in 0.. {
                moves.clear();
                position.moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                if ply == longest {
                    result.unfinished += 1;
                    break;
                }
                has_passed |= moves.len() == 1 && position.name(moves[0]) == PASS;
                result.count(ply, moves.len() as u64, has_passed);
                position.play(moves[rng.random_range(0..moves.len())]);
            }
        }
        result
    }

    fn count(&mut self, ply: usize, moves: u64, has_passed: bool) {
        for plies in [&mut self.plies, &mut self.before_pass].into_iter().take(if has_passed { 1 } else { 2 }) {
            if plies.len() <= ply {
                plies.push((0, 0));
            }
            plies[ply].0 += 1;
            plies[ply].1 += moves;
        }
    }

    /// The average number of moves at each ply, over the games that are not over there.
    pub fn averages(&self) -> impl Iterator<Item = f64> {
        self.plies.iter().map(|&(games, moves)| moves as f64 / games as f64)
    }

    /// The number of nodes of the game tree that the averages suggest, as its logarithm to base 10: the tree of a
    /// large board has more than a number of 64 bits can hold.
    pub fn tree_size_log10(&self) -> f64 {
        self.size_log10(&self.plies)
    }

    /// The same if a game ended where a side has to pass.
    pub fn tree_size_before_pass_log10(&self) -> f64 {
        self.size_log10(&self.before_pass)
    }

    fn size_log10(&self, plies: &[(u64, u64)]) -> f64 {
        // log10(1 + k0 + k0 k1 + ...), the sum taken relative to its greatest term.
        let mut terms = vec![0.0];
        let mut product = 0.0;
        for &(_, moves) in plies {
            product += (moves as f64 / self.games as f64).log10();
            terms.push(product);
        }
        let greatest = terms.iter().copied().fold(0.0, f64::max);
        greatest + terms.iter().map(|term| 10f64.powf(term - greatest)).sum::<f64>().log10()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::reversi::board::ReversiBoard;
    use crate::games::reversi::position::{ReversiPosition, Start};

    #[test]
    fn averages_begin_with_what_is_certain() {
        let start = ReversiPosition::new(ReversiBoard::FULL, Start::Standard);
        let found = Branching::of(&start, 200, 1000, 1);
        // Four first moves, three replies to each.
        assert_eq!(found.averages().take(2).collect::<Vec<_>>(), [4.0, 3.0]);
        assert_eq!((found.games, found.unfinished, found.plies[0].0), (200, 0, 200));
        assert!((40.0..65.0).contains(&found.tree_size_log10()), "{}", found.tree_size_log10());
        assert_eq!(Branching::of(&start, 3, 10, 1).unfinished, 3);
        // A third of random games has a pass, and nothing after it counts.
        let games = |plies: &[(u64, u64)], ply: usize| plies.get(ply).map_or(0, |ply| ply.0);
        assert_eq!(games(&found.before_pass, 5), 200);
        assert!((80..180).contains(&games(&found.before_pass, 58)), "{:?}", found.before_pass);
        assert!(games(&found.plies, 58) > 190 && found.tree_size_before_pass_log10() < found.tree_size_log10());
    }

    #[test]
    fn a_tree_known_in_full_is_counted_right() {
        // 1 + 2 + 2*3 + 2*3*1 nodes; then half the games are over: 6/2 more.
        let plies = vec![(4, 8), (4, 12), (4, 4), (2, 2)];
        let before_pass = vec![(4, 8), (4, 12), (2, 2)];
        let found = Branching { plies, before_pass, games: 4, unfinished: 0 };
        assert!((found.tree_size_log10() - 18f64.log10()).abs() < 1e-12);
        assert!((found.tree_size_before_pass_log10() - 12f64.log10()).abs() < 1e-12);
        assert_eq!(found.averages().collect::<Vec<_>>(), [2.0, 3.0, 1.0, 1.0]);
        assert_eq!(Branching::default().tree_size_log10(), 0.0);
    }
}

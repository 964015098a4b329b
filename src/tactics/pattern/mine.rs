//! Patterns mined from positions: what is proven about their chains, cut to zones, and counted.
//!
//! Asked is whether each chain of few liberties can be captured, and whether each two chains that are near can be
//! connected. What works without a ko gives a pattern ([`super::cut`]), which holds wherever it fits. Patterns that
//! are the same up to a symmetry or colours are one. Those that came up in more than one game are worth keeping.

use super::arrangement::{Arrangement, SYMMETRIES};
use super::cut::pattern_of;
use super::entry::PatternEntry;
use crate::core::game::Side;
use crate::games::go::large::chains::Chains;
use crate::tactics::board::TacticsBoard;
use crate::tactics::connection::ways;
use crate::tactics::goal::{Question, TacticalGoal};
use crate::tactics::solve::solve;
use ahash::AHashMap;

/// Most liberties of a chain that is asked about. One with a single liberty needs no pattern.
const LIBERTIES: std::ops::RangeInclusive<u32> = 2..=4;
/// Greatest distance of two chains that are asked about: the stones lacking between them.
const DISTANCE: std::ops::RangeInclusive<u8> = 2..=2;
/// Most certain points of a pattern: larger ones hardly come up again.
const MOST_POINTS: usize = 40;

/// A pattern with how often it came up.
#[derive(Debug, Clone)]
pub struct MinedPattern {
    /// The pattern as it was first met.
    pub entry: PatternEntry,
    /// In how many games.
    pub games: u32,
    /// The last of them.
    last: u32,
}

/// Collects patterns of positions.
#[derive(Debug)]
pub struct PatternMiner {
    nodes: u64,
    game: u32,
    places: AHashMap<Vec<u8>, usize>,
    found: Vec<MinedPattern>,
    asked: u64,
}

impl PatternMiner {
    /// A miner that gives up each question after so many nodes of a reading.
    pub fn new(nodes: u64) -> PatternMiner {
        PatternMiner { nodes, game: 0, places: AHashMap::new(), found: Vec::new(), asked: 0 }
    }

    /// The positions that follow are those of another game.
    pub fn next_game(&mut self) {
        self.game += 1;
    }

    /// How many questions were asked.
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// Asks about all chains of a position.
    pub fn look(&mut self, chains: &Chains) {
        let board = TacticsBoard::new(chains.clone(), None);
        let is_root = |&point: &u16| board.colour(point).is_some() && board.chains().root(point) == point;
        let roots: Vec<u16> = (0..chains.size().area()).filter(is_root).collect();
        for (i, &root) in roots.iter().enumerate() {
            if LIBERTIES.contains(&board.liberties(root).len()) {
                self.ask(&board, TacticalGoal::Capture, root, None);
            }
            for &other in &roots[i + 1..] {
                let side = board.colour(root).unwrap_or(Side::First);
                if board.colour(other) == Some(side) && DISTANCE.contains(&ways(&board, root, other, side).distance) {
                    self.ask(&board, TacticalGoal::Connect, root, Some(other));
                }
            }
        }
    }

    fn ask(&mut self, board: &TacticsBoard, goal: TacticalGoal, target: u16, with: Option<u16>) {
        let Ok(question) = Question::new(board.chains(), goal, target, with) else { return };
        self.asked += 1;
        let answer = solve(board, &question, self.nodes);
        let Some(entry) = pattern_of(board, &question, &answer) else { return };
        let certain = entry.start.places().filter(|&place| entry.start.at(place).is_definite()).count();
        if certain > MOST_POINTS || entry.steps().is_err() {
            return;
        }
        let new = self.found.len();
        let place = *self.places.entry(form(&entry)).or_insert(new);
        if place == new {
            self.found.push(MinedPattern { entry, games: 1, last: self.game });
        } else if self.found[place].last != self.game {
            self.found[place].games += 1;
            self.found[place].last = self.game;
        }
    }

    /// The patterns that came up in at least so many games, the most frequent first.
    pub fn patterns(&self, least: u32) -> Vec<MinedPattern> {
        let mut kept: Vec<MinedPattern> = self.found.iter().filter(|found| found.games >= least).cloned().collect();
        kept.sort_by_key(|found| std::cmp::Reverse(found.games));
        kept
    }
}

/// The same bytes for the same pattern under all symmetries.
fn form(entry: &PatternEntry) -> Vec<u8> {
    let of = |symmetry: u8| {
        let turned: Arrangement = entry.start.turned(symmetry);
        let (width, height) = turned.size();
        let mut bytes = vec![entry.goal.number(), width, height];
        bytes.extend(turned.places().map(|place| turned.at(place).bits()));
        bytes.extend(turned.edges.letters().bytes());
        let mut places: Vec<_> = entry.targets.iter().map(|&target| entry.start.carried(target, symmetry)).collect();
        places.sort_unstable();
        places.extend(entry.tree.moves().iter().map(|step| entry.start.carried(step.place, symmetry)));
        bytes.extend(places.into_iter().flat_map(|(x, y)| [x, y]));
        bytes
    };
    (0..SYMMETRIES).map(of).min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::prove::prove;
    use super::*;
    use crate::tactics::board::tests::board;

    #[test]
    fn a_pattern_is_one_however_it_is_turned_and_counts_once_a_game() {
        let rows = "XX....\nXO....\n......\n......\n......\n......";
        let exchanged = "OO....\nOX....\n......\n......\n......\n......";
        let mut miner = PatternMiner::new(5000);
        for position in [rows, rows] {
            miner.look(board(position).chains());
        }
        let once = miner.patterns(1);
        assert!(!once.is_empty() && miner.patterns(2).is_empty() && miner.asked() >= 2, "{once:?}");
        miner.next_game();
        miner.look(board(exchanged).chains());
        let twice = miner.patterns(2);
        assert_eq!((miner.patterns(1).len(), twice.len()), (once.len(), once.len()), "{:?}", miner.patterns(1));
        for MinedPattern { entry, .. } in &twice {
            prove(entry, 50_000).unwrap();
            for symmetry in 0..SYMMETRIES {
                let carry = |place| entry.start.carried(place, symmetry);
                let mut turned = PatternEntry { start: entry.start.turned(symmetry), ..entry.clone() };
                turned.targets = entry.targets.iter().map(|&target| carry(target)).collect();
                turned.tree = Default::default();
                turned.tree.merge(&entry.tree, carry);
                assert_eq!(form(&turned), form(entry), "{symmetry}");
            }
        }
    }
}

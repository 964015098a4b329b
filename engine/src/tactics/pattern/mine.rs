//! Patterns mined from positions: what is proven about their chains, cut to zones, and counted.
//!
//! Asked is whether each chain of few liberties can be captured, and whether each two chains that are near can be
//! connected. What works without a ko gives a pattern ([`super::cut`]), which holds wherever it fits. Patterns that
//! are the same up to a symmetry or colours are one. Those that came up in more than one game are worth keeping. The
//! games are those of the player of Go against itself, after a few random moves, so that they differ.

use super::arrangement::{Arrangement, SYMMETRIES};
use super::cut::pattern_of;
use super::database::PatternDatabase;
use super::entry::PatternEntry;
use crate::core::game::{Budget, Game, Player, Side};
use crate::core::seed::{derive, rng};
use crate::games::go::large::chains::Chains;
use crate::games::go::large::points::LargeBoard;
use crate::games::go::large::position::{LargeMove, LargePosition};
use crate::games::go::rules::{GoRules, Ko};
use crate::solvers::go::player::UctPlayer;
use crate::solvers::table::TableError;
use crate::tactics::board::TacticsBoard;
use crate::tactics::connection::{FEW_LIBERTIES, ways};
use crate::tactics::goal::{Question, TacticalGoal};
use crate::tactics::proposer::AttackMoves;
use crate::tactics::solve::solve_until;
use ahash::AHashMap;
use rand::RngExt;

/// Most liberties of a chain that is asked about. One with a single liberty needs no pattern.
const LIBERTIES: std::ops::RangeInclusive<u32> = 2..=4;
/// Greatest distance of two chains that are asked about: the stones lacking between them.
const DISTANCE: std::ops::RangeInclusive<u8> = 2..=2;
/// Most certain points of a pattern: larger ones hardly come up again.
const MOST_POINTS: usize = 40;
/// Memory of the player's tree, in bytes.
pub const PLAYER_MEMORY: u64 = 16 << 20;
/// Random moves at the beginning of a game.
const OPENING: u32 = 4;

/// How games are played, and how much is asked about their positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MinedGames {
    /// The board of all games.
    pub size: LargeBoard,
    /// Playouts for each move.
    pub playouts: u64,
    /// Nodes of each reading of a question.
    pub nodes: u64,
    /// Decides the games.
    pub seed: u64,
}

/// What was found in a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinedGame {
    /// Positions after its moves.
    pub positions: u64,
    /// Questions that were asked.
    pub asked: u64,
    /// The patterns, each once, in the order in which they were met.
    pub patterns: Vec<PatternEntry>,
}

impl MinedGames {
    /// Plays the game of this number, from 0, and looks for patterns. What is found depends on nothing else. Nothing
    /// if `stop` says to stop, which is asked every millisecond or so.
    ///
    /// # Errors
    /// No memory for the player.
    pub fn play(&self, number: u64, stop: &mut dyn FnMut() -> bool) -> Result<Option<MinedGame>, TableError> {
        let seed = derive(self.seed, &[number]);
        let mut random = rng(seed, &[]);
        let mut player: UctPlayer<LargePosition> = UctPlayer::new(PLAYER_MEMORY, seed)?;
        let mut position = LargePosition::new(self.size, GoRules { ko: Ko::Superko, ..GoRules::default() });
        let mut miner = PatternMiner::new(self.nodes);
        let mut positions = 0;
        for ply in 0..2 * u32::from(self.size.area()) {
            let m = if ply < OPENING {
                LargeMove(random.random_range(0..self.size.area()))
            } else {
                // A player whose time is up stops.
                let mut time = || if stop() { f64::INFINITY } else { 0.0 };
                let mut budget = Budget { depth: u32::MAX, nodes: self.playouts, time: &mut time };
                let chosen = player.choose(&position, &mut budget, &mut |_| {});
                chosen.and_then(|chosen| chosen.line.first().copied()).unwrap_or(LargeMove::PASS)
            };
            if !position.is_legal(m) {
                continue;
            }
            position.play(m);
            if stop() || !miner.look(position.chains(), stop) {
                return Ok(None);
            }
            positions += 1;
            if position.passes() > 1 {
                break;
            }
        }
        let patterns = miner.found.patterns(1).into_iter().map(|found| found.entry).collect();
        Ok(Some(MinedGame { positions, asked: miner.asked, patterns }))
    }
}

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

/// The patterns of games.
#[derive(Debug, Default)]
pub struct MinedPatterns {
    game: u32,
    places: AHashMap<Vec<u8>, usize>,
    found: Vec<MinedPattern>,
}

impl MinedPatterns {
    /// Adds the patterns of another game.
    pub fn add_game(&mut self, patterns: impl IntoIterator<Item = PatternEntry>) {
        self.game += 1;
        patterns.into_iter().for_each(|entry| self.count(entry));
    }

    /// Counts a pattern of the game.
    fn count(&mut self, entry: PatternEntry) {
        let new = self.found.len();
        let place = *self.places.entry(form(&entry)).or_insert(new);
        if place == new {
            self.found.push(MinedPattern { entry, games: 1, last: self.game });
        } else if self.found[place].last != self.game {
            self.found[place].games += 1;
            self.found[place].last = self.game;
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The patterns that came up in at least so many games, the most frequent first.
    pub fn patterns(&self, least: u32) -> Vec<MinedPattern> {
        let mut kept: Vec<MinedPattern> = self.found.iter().filter(|found| found.games >= least).cloned().collect();
        kept.sort_by_key(|found| std::cmp::Reverse(found.games));
        kept
    }

    /// The same as a database, each named after its place and how often it came up.
    pub fn database(&self, least: u32) -> PatternDatabase {
        let named = |(place, found): (usize, MinedPattern)| {
            let games = if found.games == 1 { "1 game".to_owned() } else { format!("{} games", found.games) };
            PatternEntry { name: format!("mined {}, in {games}", place + 1), ..found.entry }
        };
        let entries = self.patterns(least).into_iter().enumerate().map(named).collect();
        PatternDatabase { entries, ..PatternDatabase::default() }
    }
}

/// Collects the patterns of the positions of a game.
#[derive(Debug)]
struct PatternMiner {
    nodes: u64,
    found: MinedPatterns,
    asked: u64,
}

impl PatternMiner {
    /// A miner that gives up each question after so many nodes of a reading.
    fn new(nodes: u64) -> PatternMiner {
        PatternMiner { nodes, found: MinedPatterns::default(), asked: 0 }
    }

    /// Asks about all chains of a position; false if it was stopped.
    fn look(&mut self, chains: &Chains, stop: &mut dyn FnMut() -> bool) -> bool {
        let board = TacticsBoard::new(chains.clone(), None);
        let is_root = |&point: &u16| board.colour(point).is_some() && board.chains().root(point) == point;
        let roots: Vec<u16> = (0..chains.size().area()).filter(is_root).collect();
        for (i, &root) in roots.iter().enumerate() {
            let is_short = LIBERTIES.contains(&board.liberties(root).len());
            if is_short && !self.ask(&board, TacticalGoal::Capture, root, None, stop) {
                return false;
            }
            for &other in &roots[i + 1..] {
                let side = board.colour(root).unwrap_or(Side::First);
                let is_near = board.colour(other) == Some(side)
                    && DISTANCE.contains(&ways(&board, root, other, side, FEW_LIBERTIES).distance);
                if is_near && !self.ask(&board, TacticalGoal::Connect, root, Some(other), stop) {
                    return false;
                }
            }
        }
        true
    }

    /// Asks a question; false if it was stopped.
    fn ask(
        &mut self,
        board: &TacticsBoard,
        goal: TacticalGoal,
        target: u16,
        with: Option<u16>,
        stop: &mut dyn FnMut() -> bool,
    ) -> bool {
        let Ok(question) = Question::new(board.chains(), goal, target, with) else { return true };
        self.asked += 1;
        let Some(answer) = solve_until(board, &question, self.nodes, &AttackMoves::Generators, stop) else {
            return false;
        };
        let Some(entry) = pattern_of(board, &question, &answer) else { return true };
        let certain = entry.start.places().filter(|&place| entry.start.at(place).is_definite()).count();
        if certain <= MOST_POINTS && entry.steps().is_ok() {
            self.found.count(entry);
        }
        true
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
        let game = |positions: &[&str]| {
            let mut miner = PatternMiner::new(5000);
            assert!(positions.iter().all(|rows| miner.look(board(rows).chains(), &mut || false)));
            assert!(miner.asked >= positions.len() as u64);
            miner.found.patterns(1).into_iter().map(|found| found.entry).collect::<Vec<_>>()
        };
        let mut all = MinedPatterns::default();
        all.add_game(game(&[rows, rows]));
        let once = all.patterns(1);
        assert!(!once.is_empty() && all.patterns(2).is_empty(), "{once:?}");
        all.add_game(game(&[exchanged]));
        let twice = all.patterns(2);
        assert_eq!((all.len(), twice.len()), (once.len(), once.len()), "{:?}", all.patterns(1));
        assert!(all.database(2).entries[0].name == "mined 1, in 2 games");
        for MinedPattern { entry, .. } in &twice {
            prove(entry, 50_000, Some(20)).unwrap();
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
    /// Games are stored as databases between, and nothing is lost by that.
    #[test]
    fn a_game_depends_on_its_number_alone_and_comes_back_from_its_text() {
        let size = LargeBoard::new(5, 5).unwrap();
        let games = MinedGames { size, playouts: 5, nodes: 200, seed: 3 };
        let play = |number| games.play(number, &mut || false).unwrap().unwrap();
        let found = [play(1), play(0)];
        assert_eq!(play(1), found[0]);
        assert!(found[0] != found[1] && found.iter().all(|game| game.patterns.len() > 5), "{found:?}");
        for MinedGame { patterns, .. } in found {
            let database = PatternDatabase { entries: patterns, ..PatternDatabase::default() };
            assert_eq!(
                PatternDatabase::read(database.write().as_bytes()).unwrap().database.entries,
                database.entries
            );
        }
        let mut polls = 0;
        let stopped = games.play(1, &mut || {
            polls += 1;
            polls > 20
        });
        assert_eq!(stopped.unwrap(), None);
    }
}

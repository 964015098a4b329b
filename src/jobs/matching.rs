//! A match of two players as a job, and what its games come to: points, Elo with its interval, and the state of the
//! sequential test.

use super::ending::JobEnd;
use super::numbered::NumberedJob;
use super::setup::matches::{MatchBoard, MatchGameName, stored_settings};
use crate::core::elo::{EloEstimate, PairScores};
use crate::core::game::Value;
use crate::core::setting::BadValue;
use crate::solvers::matches::own::PerMove;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Two players, and how they play each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MatchJob {
    /// The game that is played.
    pub game: MatchGameName,
    /// Its settings that were given, by name.
    pub setup: BTreeMap<String, String>,
    /// The names of A and B.
    pub players: [String; 2],
    /// What white gets beside its score, in the unit of the game.
    pub komi: Value,
    /// Most pairs of games.
    pub pairs: u64,
    /// Most seconds for a move.
    pub seconds: f64,
    /// Most nodes for a move.
    pub nodes: Option<u64>,
    /// Decides the openings.
    pub seed: u64,
    /// The two differences in Elo of a sequential test, which may end the match.
    pub sprt: Option<(f64, f64)>,
}

impl MatchJob {
    /// What a move may take.
    pub fn per_move(&self) -> PerMove {
        PerMove { seconds: self.seconds, nodes: self.nodes }
    }

    /// The position with which a game begins, and the title of the match.
    ///
    /// # Errors
    /// If there is no such board.
    pub fn begin<G: MatchBoard>(&self) -> Result<(G, String), BadValue> {
        let (position, title) = G::begin(&stored_settings::<G>(&self.setup))?;
        let komi = if self.komi == 0 { String::new() } else { format!(", komi {:.1}", f64::from(self.komi) / 10.0) };
        Ok((position, title + &komi))
    }
}

/// A game of a match as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The codes of the moves after the opening.
    pub moves: Vec<u16>,
    /// What A gets, in half points: 0 to 2.
    pub half_points: u8,
    /// Why the side that was to move made no move, and so has lost.
    pub failure: Option<String>,
}

/// A pair of games as it is stored: A has black in the first one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairRecord {
    /// The codes of the moves that both games begin with.
    pub opening: Vec<u16>,
    /// Both games: A has black in the first one.
    pub games: [GameRecord; 2],
    /// Nodes of all moves.
    pub nodes: u64,
    /// Processor time that it took.
    pub milliseconds: u64,
}

impl NumberedJob for MatchJob {
    type Outcome = PairRecord;
    type Tally = MatchTally;
    const END: JobEnd = JobEnd::Played;

    fn units(&self) -> u64 {
        self.pairs
    }

    fn nothing(&self) -> MatchTally {
        MatchTally::new(self.sprt)
    }

    fn count(&self, tally: &mut MatchTally, pair: &PairRecord) {
        tally.add([pair.games[0].half_points, pair.games[1].half_points]);
    }

    fn is_decided(&self, tally: &MatchTally) -> bool {
        tally.is_decided()
    }

    fn spent(pair: &PairRecord) -> (u64, u64) {
        (pair.nodes, pair.milliseconds)
    }
}

/// What the pairs of a match come to, in the order of their numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchTally {
    scores: PairScores,
    /// Games that A has won, drawn and lost.
    games: [u64; 3],
    sprt: Option<(f64, f64)>,
}

/// The figures of a match.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchFigures {
    /// Games that A has won, drawn and lost.
    pub games: [u64; 3],
    /// Pairs by the half points of A: 0 to 4.
    pub pairs: [u64; 5],
    /// The part of the points that A has: 0 to 1.
    pub score: f64,
    /// By how much A is stronger.
    pub elo: EloEstimate,
    /// The logarithm of the likelihood ratio of a sequential test, and what it has decided.
    pub test: Option<MatchTest>,
}

/// How a sequential test stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MatchTest {
    /// The two differences in Elo.
    pub hypotheses: (f64, f64),
    /// The logarithm of how much likelier the games are under the second one.
    pub ratio: f64,
    /// Whether A is stronger by the second rather than by the first; nothing if it is not decided.
    pub decision: Option<bool>,
}

impl MatchTest {
    /// The decision in words.
    pub fn text(&self) -> &'static str {
        match self.decision {
            Some(true) => "stronger",
            Some(false) => "not stronger",
            None => "undecided",
        }
    }
}

impl MatchTally {
    /// That of a match without a pair, with these hypotheses of a test.
    pub fn new(sprt: Option<(f64, f64)>) -> MatchTally {
        MatchTally { scores: PairScores::default(), games: [0; 3], sprt }
    }

    /// Adds a pair: the half points of A in its games.
    pub fn add(&mut self, half_points: [u8; 2]) {
        for points in half_points {
            self.games[2 - usize::from(points.min(2))] += 1;
        }
        self.scores.add(half_points.into_iter().map(usize::from).sum());
    }

    /// Whether the test has decided, so that no more pairs are needed.
    pub fn is_decided(&self) -> bool {
        self.sprt.is_some_and(|(elo0, elo1)| self.scores.decision(elo0, elo1).is_some())
    }

    /// The figures as they are now.
    pub fn figures(&self) -> MatchFigures {
        let test = self.sprt.map(|hypotheses @ (elo0, elo1)| MatchTest {
            hypotheses,
            ratio: self.scores.log_likelihood_ratio(elo0, elo1),
            decision: self.scores.decision(elo0, elo1),
        });
        let (score, elo) = (self.scores.score(), self.scores.elo());
        MatchFigures { games: self.games, pairs: self.scores.pairs(), score, elo, test }
    }
}

impl MatchFigures {
    /// The figures as lines of text.
    pub fn lines(&self) -> Vec<String> {
        let ([won, drawn, lost], EloEstimate { elo, interval: (low, high) }) = (self.games, self.elo);
        // Adding 0 takes the sign from what is rounded to nothing.
        let [elo, low, high] = [elo, low, high].map(|elo| elo.round() + 0.0);
        let points = format!("A won {won}, drew {drawn}, lost {lost}: {:.1} %", 100.0 * self.score);
        let elo = format!("A is {elo:.0} Elo stronger (95 %: {low:.0} to {high:.0})");
        let test = self.test.map(|test| {
            let (elo0, elo1) = test.hypotheses;
            let text = test.text();
            format!("test of {elo1} against {elo0} Elo: {text} (log-likelihood ratio {:.2})", test.ratio)
        });
        [points, elo].into_iter().chain(test).collect()
    }
}

//! Matches of players: what their games have come to, and the games.

use crate::core::elo::EloEstimate;
use crate::jobs::matching::{MatchFigures, MatchTest};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A match of two players, A and B, in pairs of games with one opening each. Figures are those of the pairs that are
/// counted: all pairs up to the first one that is not done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MatchView {
    /// The game: `gomoku`, `reversi`, `go`.
    pub game: String,
    /// The board, the rules and the start, in words.
    pub title: String,
    /// Columns of the board.
    pub width: u8,
    /// Rows of the board.
    pub height: u8,
    /// The name of player A.
    pub a: String,
    /// The name of player B.
    pub b: String,
    /// Most pairs that are played.
    pub pairs: u64,
    /// Pairs that are played, also those behind one that is not done.
    pub pairs_done: u64,
    /// Pairs that are counted.
    pub pairs_counted: u64,
    /// Games that A has won.
    pub won: u64,
    /// Games that ended in a draw.
    pub drawn: u64,
    /// Games that A has lost.
    pub lost: u64,
    /// Pairs by the half points of A: 0 to 4.
    pub pair_scores: [u64; 5],
    /// The part of the points that A has, 0 to 1; 0 without a pair.
    pub score: f64,
    /// By how much A is stronger, in Elo; at most 1200 either way.
    pub elo: f64,
    /// Ends of the interval that holds it in 95 of 100 cases.
    pub elo_interval: [f64; 2],
    /// How the sequential test stands, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub test: Option<MatchTestView>,
    /// Seconds of processor time of the pairs that are done.
    pub cpu_seconds: f64,
}

impl MatchView {
    /// The figures of the match.
    pub fn figures(&self) -> MatchFigures {
        let [low, high] = self.elo_interval;
        let test = self.test.as_ref().map(|test| MatchTest {
            hypotheses: (test.elo0, test.elo1),
            ratio: test.log_likelihood_ratio,
            decision: match test.decision.as_str() {
                "stronger" => Some(true),
                "not stronger" => Some(false),
                _ => None,
            },
        });
        MatchFigures {
            games: [self.won, self.drawn, self.lost],
            pairs: self.pair_scores,
            score: self.score,
            elo: EloEstimate { elo: self.elo, interval: (low, high) },
            test,
        }
    }
}

/// A sequential test of whether A is stronger by `elo1` rather than by `elo0`, with errors of 5 %.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MatchTestView {
    /// The smaller difference in Elo.
    pub elo0: f64,
    /// The greater one.
    pub elo1: f64,
    /// The logarithm of how much likelier the games are if A is stronger by the greater one.
    pub log_likelihood_ratio: f64,
    /// It is decided when the ratio is that far from 0, after ten pairs at least.
    pub bound: f64,
    /// `stronger`, `not stronger`, `undecided`.
    pub decision: String,
}

/// A match at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MatchPoint {
    /// Seconds that the job had run.
    pub seconds: f64,
    /// Pairs that were counted.
    pub pairs: u64,
    /// By how much A was stronger, in Elo.
    pub elo: f64,
    /// Ends of the interval.
    pub elo_interval: [f64; 2],
    /// The logarithm of the likelihood ratio, if there is a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub log_likelihood_ratio: Option<f64>,
}

/// The course of a match, as of its last checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MatchStatisticsView {
    /// Points of the course, ascending by time; at most 2000.
    pub course: Vec<MatchPoint>,
}

/// A game of a match, or of a player against itself; then it is A with black and B with white.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MatchGameView {
    /// Its number in the match, from 0: the pair is half of it.
    pub number: u64,
    /// Who has black: `a` or `b`.
    pub black: String,
    /// Who has won: `a`, `b`, or `draw`.
    pub winner: String,
    /// Why the loser made no move, if the game ended so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub failure: Option<String>,
    /// How many of the moves are the opening.
    pub opening: u32,
    /// The names of all moves, the opening included.
    pub moves: Vec<String>,
    /// The game as a text that other programs read.
    pub text: String,
    /// What the name of a file with that text ends in: `sgf`, `ggf`, `obf`.
    pub saved_as: String,
    /// Of a player against itself: the line of the game in a file of games to learn from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub line: Option<String>,
}

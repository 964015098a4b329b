//! Positions that are analysed: how many, and what their moves are worth.

use crate::core::game::Chosen;
use crate::solvers::solvable::Playable;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Positions of a two-player game that are analysed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AnalyseView {
    /// The game: `gomoku`, `reversi`, `go`.
    pub game: String,
    /// The board, the rules and the start of the first position, in words.
    pub title: String,
    /// Positions that are to be analysed.
    pub positions: u64,
    /// Positions that are analysed.
    pub positions_done: u64,
    /// Seconds of processor time of the positions that are analysed.
    pub cpu_seconds: f64,
}

/// A position that is analysed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AnalysedPositionView {
    /// Its number in the job, from 0.
    pub number: u64,
    /// The number of the game that it is from, from 0, in the order in which they were given.
    pub game: u64,
    /// The names of the moves of that game that lead to it.
    pub played: Vec<String>,
    /// The name of the move that follows in that game, if one does.
    pub next: Option<String>,
    /// Columns of the board.
    pub width: u8,
    /// Rows of the board.
    pub height: u8,
    /// The cells by rows from the upper left: `X` black, `O` white, `.` empty.
    pub cells: String,
    /// The position as one line of text.
    pub position: String,
    /// The side to move: `black` or `white`.
    pub side: String,
    /// Its moves, the best first; none if the game is over there.
    pub moves: Vec<AnalysedMoveView>,
    /// Seconds of processor time that it took.
    pub seconds: f64,
}

/// A move of a position that is analysed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AnalysedMoveView {
    /// The name of the move.
    #[serde(rename = "move")]
    pub name: Option<String>,
    /// What it is worth to the side that makes it: in Reversi and Go points, in Gomoku a whole number that only
    /// compares.
    #[schema(value_type = f64)]
    pub value: serde_json::Number,
    /// In how many plies the search has found the game decided, if it has.
    pub decided_in: Option<u32>,
    /// Plies of the deepest search that was finished; in Go the length of the line.
    pub depth: u32,
    /// Nodes that were visited for it last, in Go playouts.
    pub nodes: u64,
    /// The names of the moves that are expected, this one first; of a job at most 64.
    pub line: Vec<String>,
}

impl AnalysedMoveView {
    /// A move of a position as its player tells it.
    pub fn of<G: Playable>(position: &G, chosen: &Chosen<G::Move>) -> AnalysedMoveView {
        let points = || serde_json::Number::from_f64(f64::from(chosen.value) / f64::from(G::POINT));
        let whole = || serde_json::Number::from(chosen.value);
        let line: Vec<String> = chosen.line.iter().map(|&m| position.name(m)).collect();
        AnalysedMoveView {
            name: line.first().cloned(),
            value: if G::HAS_SCORE { points().unwrap_or_else(whole) } else { whole() },
            decided_in: chosen.decided_in,
            depth: chosen.depth,
            nodes: chosen.nodes,
            line,
        }
    }
}

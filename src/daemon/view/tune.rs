//! Weights that are learned: from how much, and how well they tell the ends of games.

use crate::solvers::learning::FitLoss;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Weights that are learned from games of a player against itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TuneView {
    /// The game: `gomoku` or `reversi`.
    pub game: String,
    /// Whether it is a network that corrects the estimate of weights.
    #[serde(default)]
    pub of_network: bool,
    /// The board, the rules and the start, in words.
    pub title: String,
    /// The jobs whose games are learned from.
    pub games_of: Vec<u64>,
    /// Number of games; 0 until the first part of the fit is done.
    pub games: u64,
    /// Number of positions; 0 until the first part of the fit is done.
    pub positions: u64,
    /// Parts of the fit: the stages of Reversi, parts of the steps of Gomoku or of the passes of a network.
    pub parts: u64,
    /// Parts that are done.
    pub parts_done: u64,
    /// The loss after each part that is counted.
    pub losses: Vec<TuneLossView>,
    /// For Gomoku: the loss of the weights that were there before, or of those that the network corrects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub before: Option<FitLossView>,
    /// The loss of the weights that are learned, on all positions; in Reversi on those of the stages so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub after: Option<FitLossView>,
    /// Seconds of processor time of the parts that are done.
    pub cpu_seconds: f64,
}

/// A loss: for Gomoku the mean cross entropy of who wins, for Reversi the root of the mean square error in discs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FitLossView {
    /// On the games that are learned from.
    pub training: f64,
    /// On the others, one of ten.
    pub validation: f64,
}

/// The loss after a part of a fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TuneLossView {
    /// For Gomoku the steps that are made, or the passes of a network; for Reversi the least number of empty cells of
    /// the stage.
    pub at: u32,
    /// Positions that it is about.
    pub positions: u64,
    /// The loss on them.
    #[serde(flatten)]
    pub loss: FitLossView,
}

impl From<FitLoss> for FitLossView {
    fn from(FitLoss { training, validation }: FitLoss) -> FitLossView {
        FitLossView { training, validation }
    }
}

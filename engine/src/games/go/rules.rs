//! The rules that differ from place to place.

/// Which repetitions are forbidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ko {
    /// A single stone that has just captured a single stone may not be retaken at once. Longer cycles end the game
    /// as [`Cycle`] says.
    #[default]
    Basic,
    /// No stone may make a board that has been there before (positional superko).
    Superko,
    /// None: every cycle ends the game as [`Cycle`] says.
    Free,
}

/// What a game is worth that ends because a position came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cycle {
    /// Nothing to either side.
    #[default]
    Tie,
    /// The whole board to white.
    LostForBlack,
    /// The whole board to black.
    LostForWhite,
}

/// The rules of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
pub struct GoRules {
    /// Which repetitions are forbidden.
    pub ko: Ko,
    /// What other repetitions are worth; without effect under superko, where there are none.
    pub cycle: Cycle,
    /// Whether a move may take away own stones that have no liberty. One that takes away only the stone just put
    /// never is allowed: it would be a pass that cannot end the game.
    pub suicide: bool,
}

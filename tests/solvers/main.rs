//! Solvers and players of games: that all give the same values, how strong they are, and what they learn from.

mod learning;
mod strength;
mod values;

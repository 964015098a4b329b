//! Weights that are learned from the player's own games: games against itself ([`selfplay`]), kept as text
//! ([`games`]), a fit of the weights to their outcomes ([`fit`]), one of the order of moves to what was played
//! ([`choices`]), and one of a network that corrects the estimate ([`network`]).
//!
//! Idea: M. Buro, "Improving heuristic mini-max search by supervised learning" (2002), logistic regression of the
//! outcome on the features of positions.

pub mod adam;
pub mod choices;
pub mod fit;
pub mod games;
pub mod network;
pub mod sample;
pub mod selfplay;

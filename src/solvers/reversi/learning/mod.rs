//! Weights of patterns from the program's own games of Reversi (`morpion selfplay reversi`, `morpion tune reversi`).
//!
//! [`selfplay`] plays the games, [`games`] is their text, and [`fit`] finds the weights that tell their ends best.

pub mod fit;
pub mod games;
pub mod selfplay;

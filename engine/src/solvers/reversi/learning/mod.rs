//! Weights of patterns from the program's own games of Reversi (`morpion selfplay reversi`, `morpion tune reversi`).
//!
//! [`selfplay`] plays the games, [`games`] is their text, and [`fit`] finds the weights that tell their ends best.
//! [`labels`] has positions searched instead. [`foresight`] measures how well shallow searches tell the values of
//! deep ones.

pub mod fit;
pub mod foresight;
pub mod games;
pub mod labels;
pub mod selfplay;

//! Reversi (Othello) on boards from 4x4 to 8x8, rectangles included.
//!
//! Black begins; a move puts a disc that flips at least one row of enemy discs enclosed between it and an own one; a
//! side without a move passes; the game ends when neither can move, and more discs win. [`position`] is the fast
//! engine on bitboards, [`naive`] a second one that shares nothing with it.

pub mod board;
pub mod evaluation;
pub mod flips;
pub mod ggf;
pub mod naive;
pub mod notation;
pub mod patterns;
pub mod position;
pub mod positions;
pub mod stability;
pub mod symmetry;
pub mod weights;

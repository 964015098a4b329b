//! Gomoku (five in a row) on boards up to 20x20, rectangles included, and any m,n,k game on them.
//!
//! Black begins; a side puts a stone on an empty point; the row that wins is said by the rules ([`rules`]); a full
//! board is a draw. [`position`] is the fast engine on lines of bits, [`naive`] a second one that shares nothing with
//! it, [`renju`] finds the points that renju forbids to black, [`swap2`] is the opening by which two players agree on
//! colours, [`library`] are trees of moves in files.

pub mod board;
pub mod library;
pub mod lines;
pub mod naive;
pub mod notation;
pub mod position;
pub mod problems;
pub mod record;
pub mod renju;
pub mod rules;
pub mod swap2;
pub mod symmetry;

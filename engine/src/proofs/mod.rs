//! Proofs that no grid of `n` moves lies in a region; a prover by linear programs and a checker of what it says.
//!
//! The prover splits the region into cases by points (`branching`): a point is in the grid or not. A case is closed
//! by a linear program over points and lines (`program`, `relaxation`, `highs`), or its one set of points is refuted
//! by the exact filler of `reshape` (`leaf`). Of the order of moves the program knows only that no points rest on
//! nothing but themselves (`loops`, `loop_rows`). The order needs no branching that way: few sets of points have room
//! for so many lines. All numbers of a proof are whole; `check` reads a finished proof again without the prover's
//! code.
//!
//! Michalewski, Nagorko and Pawlewicz (2016) proved 5D <= 84 by mixed integer programs with variables for the
//! order.

pub mod branching;
pub mod check;
pub mod file;
pub mod gains;
#[cfg(feature = "prove")]
pub mod highs;
pub mod leaf;
pub mod loop_rows;
pub mod loops;
pub mod program;
pub mod region;
pub mod relaxation;
pub mod steps;
pub mod tree;

//! Searches of two-player games, generic over [`crate::core::game::Game`].
//!
//! The algorithms are each readable on their own: [`minimax`], [`alphabeta`], [`negamax`], [`negascout`], [`mtdf`]
//! and [`dfpn`]. What the depth-first ones share is in [`search`] (opening and closing a node), and behind it
//! [`table`] (transposition table), [`killers`], [`history`], [`busy`] (what other threads are at); [`deepening`] is
//! iterative deepening. [`algorithm`] names them all and runs the one that is wanted; [`solve`] asks it the questions
//! that give the value of a position, a principal variation and all best moves. [`choice`] is what somebody asks for,
//! by names, and [`solvable`] what a game needs to be solved as a job. [`parallel`] has schemes by which threads
//! share one tree. [`player`] plays any of these games, and [`mod@matches`] lets two players play each other.
//! [`together`] is how a search gets further threads, and [`reach`] says from how far the solvers come to the end.

pub mod algorithm;
pub mod alphabeta;
pub mod branching;
pub mod busy;
pub mod choice;
pub mod deepening;
pub mod dfpn;
pub mod entry;
pub mod go;
pub mod gomoku;
pub mod history;
pub mod killers;
pub mod learning;
pub mod matches;
pub mod minimax;
pub mod monitor;
pub mod mtdf;
pub mod negamax;
pub mod negascout;
pub mod parallel;
pub mod perft;
pub mod player;
pub mod reach;
pub mod reversi;
pub mod search;
pub mod solvable;
pub mod solve;
pub mod table;
pub mod together;
#[cfg(test)]
mod wander;
mod zeroed;

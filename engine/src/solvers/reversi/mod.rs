//! A solver for Reversi alone, for speed: null-window searches of the rest of the game, without depth limits.
//!
//! Four kinds of nodes, by the number of empty cells: [`last`] with at most four, unrolled, without moves computed; a
//! few more in [`search`] with moves ordered by parity only; above them nodes with a transposition table, stability
//! cut-offs, enhanced transposition cut-offs and moves ordered by mobility; and from ten on moves ordered by shallow
//! searches ([`ordering`]), on the full board with an evaluation that is learned ([`midgame`], [`learning`]).
//! Players leave out searches by [`cuts`]. Everything is compiled for each instruction set
//! ([`crate::games::reversi::flips`]). The rules of thumb are those known from the endgame searches of Othello
//! programs (G. Andersson's "Writing an Othello program"; R. Delorme's notes on Edax); the code and the numbers are
//! our own.

pub mod cuts;
pub mod engine;
pub mod last;
pub mod learning;
pub mod midgame;
pub mod ordering;
pub mod plies;
mod rules;
pub mod search;

//! Go on boards from 1x1 to 7x7, rectangles included, and for play up to 19x19 ([`large`]).
//!
//! Black begins; a side puts a stone or passes; chains of enemy stones without liberties are captured; two passes in
//! a row end the game. Area is counted: stones, and empty points that reach stones of one colour only. Nothing is
//! taken off as dead at the end: what is to be captured has to be captured. [`position`] is the engine on bitboards,
//! [`naive`] a second one that shares nothing with it, [`life`] what lives whatever happens, [`miai`] what lives if
//! its owner answers. [`scoring`] counts finished games as people do, with dead stones and prisoners.
//!
//! # Repetition
//! Under [`rules::Ko::Basic`] only the immediate retaking of a ko is forbidden, and a position that comes back (same
//! stones, side to move, ko, passes) ends the game: a tie, or a loss for a side chosen beforehand
//! ([`rules::Cycle`]). Under [`rules::Ko::Superko`] no stone may make a whole board that has been there before,
//! whoever was to move (positional superko).
//!
//! What a search finds then depends on how the position came about: the graph-history interaction (A. Palay 1985).
//! With basic ko the value of a position as such is well defined, since ending at the first repetition is worth the
//! same as giving every endless game the value of a cycle. A result that rests on the repetition of an earlier
//! position holds for this way only, until the search is back at that position. So the depth-first searches take
//! note of the earliest position that a result rests on ([`crate::core::game::Game::repeated`]) and store only what
//! rests on none before the position itself. With superko, and in proof-number search, which keeps no such notes,
//! the boards of the past are part of the key: nothing is wrong then, but few positions are met twice. The solver
//! made for go ([`crate::solvers::go`]) stores what rests on open positions together with them, and with superko
//! proofs together with what they ask of the past.
//!
//! [`rules::Ko::Free`] has no ko rule at all. What a side can force there although a cycle is its loss, it can force
//! under every ko rule: let it always play what wins in fewest moves, whatever the answers. A stone of it never makes
//! a board that was there before, since from there it would have gone on at once (or passed, if that board is good
//! enough as it stands); so its play is legal under superko, and the opponent has no more moves than here.

pub mod board;
pub mod large;
pub mod life;
pub mod miai;
pub mod naive;
pub mod notation;
pub mod position;
pub mod rules;
pub mod scoring;
pub mod state;
pub mod symmetry;

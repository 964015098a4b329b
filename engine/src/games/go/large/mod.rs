//! Go on boards from 1x1 to 19x19, for play: the same rules as on small boards, without what only a solver needs.
//!
//! Chains and their liberties are kept up to date from move to move ([`chains`]); on the small boards of
//! [`super::position`] it is faster to find them anew. Past boards are told apart by hashes of 128 bits, so that
//! superko costs one look into a set per move: two of the boards that anybody will ever play share one with a
//! probability far below that of a fault of the machine.

pub mod chains;
pub mod life;
pub mod points;
pub mod position;

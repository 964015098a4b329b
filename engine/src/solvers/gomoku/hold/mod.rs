//! Defences: proofs that one side, the *attacker*, makes no row, whatever it does.
//!
//! The defender wins nothing by this, and its own rows do not matter: it only has to put a stone into each row that
//! the attacker could make (the game of a *maker* and a *breaker*). What holds where the defender moves second holds
//! where it moves first, so on an empty board neither side wins if the second one holds. [`rows`] has the open rows,
//! [`pairing`] what ends a search at once, [`search`] looks for a defence, and [`check`] goes through it by rules of
//! its own.

pub mod check;
pub mod pairing;
pub mod rows;
pub mod search;

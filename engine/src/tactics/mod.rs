//! Tactical goals in Go: whether a chain can be captured or saved, whether two chains can be connected or cut, and
//! whether a chain lives in a region.
//!
//! A question is a position with a [`goal`]; its answer is a [`verdict`]. Two sides are told apart by what they want,
//! not by who is to move: the *attacker* wants the chain captured, or the two chains connected; the *defender* wants
//! that not to happen. [`board`] plays and takes back moves over the chains of [`crate::games::go::large`], with the
//! simple ko rule or with a side that may retake at once. [`ladder`] reads ladders, where the chain is in atari
//! whenever its side is to move. [`proof`] searches for a proof of any goal, with the relevance zones of [`zone`],
//! whose growth in go is in [`closure`]; [`reading`] says when a goal is reached and which moves are tried
//! ([`candidates`], and [`proposer`] with the patterns of [`pattern`]). What is searched first hangs on estimates
//! ([`estimate`], of the [`features`] of a position), whose weights are learned ([`learn`]) from made-up positions
//! ([`fights`]). [`solve`] makes the verdict of such readings, and [`check`] replays a proof under the naive rules.
//! [`suite`] reads files of questions with their answers, of which [`examples`] has some. [`region`] says where the
//! attacker plays in questions about life. [`joseki`] looks corners up in a dictionary.

pub mod board;
pub mod candidates;
pub mod check;
pub mod closure;
pub mod connection;
pub mod estimate;
pub mod examples;
pub mod features;
pub mod fights;
pub mod goal;
pub mod joseki;
pub mod ladder;
pub mod learn;
pub mod pattern;
pub mod proof;
pub mod proposer;
pub mod reading;
pub mod region;
pub mod solve;
pub mod suite;
pub mod verdict;
pub mod zone;

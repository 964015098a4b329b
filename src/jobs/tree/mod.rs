//! Solves a two-player game by units of work: the server side of the thesis as a coordinator.
//!
//! The coordinator keeps the top of the game tree in memory: breadth-first as far as it takes to keep all workers
//! busy, depth-first as far as it takes for a unit to end within its budget of nodes. A unit is a leaf of this top
//! with a window; a worker answers it by any search of [`crate::solvers`]. Values go up the tree as they come
//! (negamax with bounds); what they cut off is cancelled, and units that still run get narrower windows. A
//! unit that does not end within its budget is replaced by its children.
//!
//! The root is asked one window after the other ([`aim`]), usually a null window, as MTD(f) does (A. Plaat et al.
//! 1996), so that all units are questions of yes or no and none waits for a value to the left of it. Which leaves a
//! window needs, and how surely, is found by walking down ([`walk`]): the first open child of a node is needed if the
//! node is, and each later one is doubted as far as those before it look like cut-offs. The order of the children and
//! the expectation come from shallow searches ([`estimate`]).
//!
//! Positions that are equal up to symmetry share a node if they are equally deep, so the top is an acyclic graph.
//! Keys are taken with the past in them ([`crate::core::game::Game::put_past_in_key`]), which makes this sound where
//! values rest on how a position came about; a unit is searched with its way from the root.
//!
//! With a quorum each unit is answered by several workers and compared ([`validate`]): two that agree settle it, with
//! the weaker of their claims. A worker that is often in the minority is no longer trusted. Without a quorum every
//! answer is believed that contradicts no bound.
//!
//! [`state::TreeState`] is all that must last, and changes by [`record::TreeRecord`]s only, live and on replay;
//! [`coordinator::Coordinator`] adds which worker has which unit, which need not be stored.

pub mod aim;
pub mod coordinator;
pub mod credit;
pub mod estimate;
mod grow;
mod line;
pub mod node;
pub mod record;
pub mod settings;
pub mod state;
pub mod unit;
pub mod validate;
mod waiting;
pub mod walk;

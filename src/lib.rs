//! `morpion`: search for record grids of Morpion Solitaire.
//!
//! A random game of the 5T variant, and a search that does better:
//!
//! ```
//! use morpion::core::ctl::KeepBest;
//! use morpion::morpion::position::Position;
//! use morpion::morpion::variant::{T5, Variant};
//! use morpion::strategies::params::{Params, Strategy};
//! use morpion::strategies::{Unit, start};
//!
//! let mut position = Position::<T5>::new();
//! while let Some(&mv) = position.moves().first() {
//!     position.play(mv);
//! }
//! assert!(position.score() > 10);
//!
//! let params = Params { strategy: Strategy::Nrpa, level: Some(2), iterations: Some(30), ..Params::default() };
//! let unit = Unit { prefix: Vec::new(), candidates: None, seed: 1, max_iterations: None, known_best: 0 };
//! let mut search = start(Variant::T5, &params, &unit);
//! let mut found = KeepBest::default();
//! search.run(&mut found);
//! assert_eq!(search.iterations(), 30 * 30);
//! assert!(Position::<T5>::after(&found.best).is_ok_and(|grid| grid.score() == search.best()));
//! ```
//!
//! The modules are listed in dependency order: each imports only from those above it (`tests/tidy.rs`
//! enforces that). The feature `render` has the pictures, the feature `program`, which is on by default, the command
//! line, the daemon and all that they share; without them there are engine, grid files, searches and solvers. See
//! `ARCHITECTURE.md` for the map and the invariants.

// Blank lines keep rustfmt from sorting the list.

pub use morpion_engine::{core, games, morpion, notation, proofs, solvers, strategies, tactics, with_rules};

#[cfg(feature = "program")]
pub mod language;

#[cfg(feature = "program")]
pub mod jobs;

pub mod files;

#[cfg(feature = "program")]
pub mod queue;

#[cfg(feature = "program")]
pub mod store;

#[cfg(feature = "render")]
pub mod render;

#[cfg(feature = "program")]
pub mod runner;

#[cfg(feature = "program")]
pub mod experiment;

#[cfg(feature = "program")]
pub mod daemon;

#[cfg(feature = "program")]
pub mod cli;

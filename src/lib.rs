//! `morpion`: search for record grids of Morpion Solitaire.
//!
//! The modules are listed in dependency order: each imports only from those above it (`tests/tidy.rs`
//! enforces that). See `ARCHITECTURE.md` for the map and the invariants.

pub mod cli;
pub mod core;
pub mod daemon;
pub mod games;
pub mod jobs;
pub mod morpion;
pub mod notation;
pub mod queue;
pub mod render;
pub mod runner;
pub mod solvers;
pub mod store;
pub mod strategies;

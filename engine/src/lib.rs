//! Morpion Solitaire and two-player board games: engine, grid files, searches, solvers, proofs.
//!
//! This is the part of `morpion` that computes. It prints nothing, has no clock and no threads, and few dependencies.
//! The package `morpion` has its modules under the same names, and adds the command line, the daemon and what they
//! share.
//!
//! The modules are listed in dependency order: each imports only from those above it (`tests/tidy.rs` enforces
//! that).

// Blank lines keep rustfmt from sorting the list.

pub mod core;

pub mod morpion;

pub mod notation;

pub mod games;

pub mod strategies;

pub mod proofs;

pub mod solvers;

pub mod tactics;

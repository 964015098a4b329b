//! The puzzle: rules, geometry, the incremental engine and what is derived from it.

pub mod board;
pub mod canonical;
pub mod dominance;
pub mod enumerate;
pub mod geometry;
pub mod position;
pub mod referee;
pub mod start;
pub mod symmetry;
pub mod variant;

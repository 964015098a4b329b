//! Runs a hunt: threads, clock, signals and files around the coordinator of `jobs::hunt`.

pub mod atomic;
pub mod directory;
pub mod events;
pub mod state;
pub mod status;
pub mod worker;

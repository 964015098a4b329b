//! Hunts: their command, how they go on after a stop or a kill, workers that share one search, the archive of good grids.
#![cfg(unix)]

#[path = "../hunts/mod.rs"]
mod hunts;

mod archive;
mod command;
mod resume;
mod shared;

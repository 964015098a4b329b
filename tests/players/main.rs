//! Two-player games at the command line and under the protocols of other programs.

#[path = "../engines/mod.rs"]
mod engines;

mod analyse;
mod commands;
mod gtp;
mod library;
mod matches;
mod nboard;
mod pbrain;
mod plan;
mod play;
mod schemes;

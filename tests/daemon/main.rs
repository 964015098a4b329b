//! The daemon: what jobs go through, when they begin, and its archive from the command line.
#![cfg(unix)]

#[path = "../daemons/mod.rs"]
mod daemons;

mod archive;
mod held;
mod jobs;

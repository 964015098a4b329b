//! The daemon: what jobs go through, when they begin, its archive from the command line, and thousands of workers.
//!
//! In the environment, with `--nocapture` to see the figures: `MORPION_TEST_WORKERS=10000` simulated workers, whose
//! units take `MORPION_TEST_UNIT=10` seconds each, for `MORPION_TEST_TIME=60` seconds.
#![cfg(unix)]

#[path = "../daemons/mod.rs"]
mod daemons;

mod archive;
mod held;
mod jobs;
mod many_workers;

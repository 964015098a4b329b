//! Units that volunteers compute by way of BOINC: the application with a client that a test plays, a daemon with the
//! programs of a server that scripts stand in for, and Debian's own client with a project that a test plays.
//!
//! In the environment:
//!
//! - `MORPION_BOINC=required`: a BOINC client that is missing is a failure.
#![cfg(target_os = "linux")]

mod application;
mod client;
#[path = "../daemons/mod.rs"]
mod daemons;
mod project;
mod server;
mod standin;

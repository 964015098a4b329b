//! Workers on other machines: a daemon, machines in processes of their own, and a NATS server between them.
//!
//! In the environment, with `--nocapture` to see the figures:
//!
//! - `MORPION_TEST_STORM=3600`: seconds in which machines, server and daemon are killed;
//! - `MORPION_TEST_SEED=7`: other moments than those of the short form;
//! - `MORPION_NATS_SERVER=required`: a server that is missing is a failure.
#![cfg(target_os = "linux")]

#[path = "../conformance/mod.rs"]
mod conformance;
#[path = "../daemons/mod.rs"]
mod daemons;
mod hostile;
mod machines;
mod pool;
mod server;
mod storm;

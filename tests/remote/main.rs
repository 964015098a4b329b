//! Workers on other machines: a daemon, machines in processes of their own, and a NATS server between them.
//!
//! In the environment, with `--nocapture` to see the figures:
//!
//! - `MORPION_TEST_STORM=3600`: seconds in which machines, server and daemon are killed;
//! - `MORPION_TEST_NAMESPACES=1`: the machines of the storm are in network namespaces of their own, whose links are
//!   cut and slowed, and connections fall silent; it takes root's rights, `ip` and `tc`, and `required` says that
//!   there must be all of them;
//! - `MORPION_TEST_SEED=7`: other moments than those of the short form;
//! - `MORPION_TEST_FLOOD=1`: a machine floods the server until it is distrusted, three minutes;
//! - `MORPION_NATS_SERVER=required`: a server that is missing is a failure.
#![cfg(target_os = "linux")]

#[path = "../conformance/mod.rs"]
mod conformance;
mod credit;
#[path = "../daemons/mod.rs"]
mod daemons;
mod delivery;
mod encryption;
mod hostile;
mod installation;
mod machines;
mod network;
mod players;
mod pool;
#[path = "../boinc/project.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod project;
mod proxy;
mod quorum;
mod server;
mod storm;
mod volunteers;

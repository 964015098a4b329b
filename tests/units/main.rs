//! Positions that are solved by units: their coordinator, the command, and the files of a solution.

#[cfg(unix)]
mod command;
mod coordinator;
mod damage;
#[cfg(unix)]
#[path = "../hunts/mod.rs"]
mod hunts;
#[path = "../stores/mod.rs"]
mod stores;

//! What a daemon keeps, whatever befalls it: its process, its disk, its files, its clock, its memory.
#![cfg(unix)]

#[path = "../daemons/mod.rs"]
mod daemons;

mod damage;
mod faults;
mod memory;
mod process;
mod retention;
mod trust;

#[test]
#[ignore = "it is the daemon that the other tests start"]
fn child() {
    if let Some(state) = std::env::var_os(daemons::STATE) {
        daemons::be_a_daemon(std::path::Path::new(&state));
    }
}

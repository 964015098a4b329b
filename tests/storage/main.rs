//! What a file system may do to the daemon: each operation may fail or be the last one, and a power cut leaves what
//! was flushed and any part of the rest.
//!
//! A small library (`shim.c`) stands between the program and its files. The C compiler that links Rust programs
//! compiles it. In the environment, with `--nocapture` to see the figures:
//!
//! - `MORPION_TEST_EVERY=1`: each operation of a new state directory is disturbed in every way, not in one of two;
//! - `MORPION_TEST_FAULTS=500`: so many operations are disturbed, each in a daemon of its own;
//! - `MORPION_TEST_CUTS=300`: so many power cuts;
//! - `MORPION_TEST_FLIPS=5000`: so many bits that fall over;
//! - `MORPION_TEST_SEED=7`: other moments than those of the short form.
#![cfg(target_os = "linux")]

#[path = "../daemons/mod.rs"]
mod daemons;
mod faults;
mod flips;
mod power;
mod refusals;
mod shim;
mod trace;

use daemons::program::Program;
use daemons::*;
use serde_json::{Value, json};
use std::path::Path;

/// Two hunts that save, keep grids and change their best, and a solution by units; `size` times as much as little.
fn work(size: u64) -> [Value; 3] {
    let hunt = |settings: Value| serde_json::to_value(request(&settings, &json!({}))).unwrap();
    let jumps = json!([[20_000, "best/2"], [50_000, 10]]);
    let (board, budget) = if size > 1 { ("4x6", 100) } else { ("4x4", 300) };
    // Without the feature the store of a solution is redb, and with it SQLite.
    let store = if cfg!(feature = "sqlite") { "sqlite" } else { "redb" };
    [
        hunt(json!({ "main_depth": 2, "max_iterations": 60_000 * size, "jumps_back": jumps, "seed": 5 })),
        hunt(json!({
            "strategy": "nrpa", "level": 2, "iterations": 40, "variant": "5D", "runs": 20 * size, "seed": 6,
            "keep_from": 64,
        })),
        json!({ "kind": "solve", "settings": {
            "game": "reversi", "size": board, "algorithm": "negascout", "unit_budget": budget, "store": store,
        } }),
    ]
}

/// What must come of such a job, whatever happens.
fn end(program: &Program, id: u64) -> Value {
    let mut job = Value::Null;
    wait_until(&format!("job {id} is over"), || {
        job = program.job(id);
        ["finished", "cancelled", "failed", "paused"].contains(&job["state"].as_str().unwrap_or_default())
    });
    assert_eq!(job["state"], "finished", "job {id}: {}", job["reason"]);
    if job["kind"] == "solve" {
        let solution = &job["solution"];
        return json!({ "state": job["state"], "lower": solution["lower"], "upper": solution["upper"] });
    }
    program.essence(id)
}

/// What comes of the work when nothing disturbs it.
fn undisturbed(state: &Path) -> Vec<Value> {
    let program = Program::start(state);
    let ids = work(1).map(|job| program.submit(&job));
    let ends = ids.iter().map(|&id| end(&program, id)).collect();
    program.stop();
    ends
}

/// Whether a daemon that ended by itself, or was killed, ended as it may: no panic, no abort.
fn ended_well(status: std::process::ExitStatus, said: &str) -> bool {
    use std::os::unix::process::ExitStatusExt;
    let ended = match status.code() {
        Some(code) => code != 101,
        None => status.signal() == Some(9) || status.signal() == Some(15),
    };
    ended && !said.contains("panicked")
}

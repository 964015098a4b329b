//! Hunts: their command, how they go on after a stop or a kill, workers that share one search, the archive of good grids.
#![cfg(unix)]

#[path = "../hunts/mod.rs"]
mod hunts;

mod archive;
mod command;
mod resume;
mod shared;

use hunts::{morpion, signal, text, wait, wait_until};
use morpion::core::seed::Rng;
use rand::RngExt;
use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Begins a hunt with these arguments in the directory `killed` of `dir`, kills it at random moments, at most
/// `longest` milliseconds after each start and at most `most` times, and resumes it until it is over. Returns what it
/// told on the way, and the number of kills.
fn killed_and_resumed(dir: &Path, begin: &str, rng: &mut Rng, longest: u64, most: usize) -> (String, usize) {
    let out = dir.join("out.jsonl");
    let session = |arguments: &str| {
        let file = OpenOptions::new().create(true).append(true).open(&out).unwrap();
        morpion(dir, arguments).stdout(file).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut child = session(&format!("{begin} --dir killed --checkpoint 0.05s"));
    wait_until("the hunt has a state", || dir.join("killed/hunt.state").exists());
    let mut kills = 0;
    while kills < most {
        std::thread::sleep(Duration::from_millis(rng.random_range(0..longest)));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        signal(&child, "KILL");
        child.wait().unwrap();
        kills += 1;
        child = session("resume killed --json --checkpoint 0.05s");
    }
    let last = wait(child);
    assert!(last.status.success(), "{begin}, {kills} kills: {:?}, {}", last.status, text(&last.stderr));
    (fs::read_to_string(&out).unwrap(), kills)
}

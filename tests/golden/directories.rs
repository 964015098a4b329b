//! Directories that the commands leave behind: hunts, killed and stopped, and a solution by units.

use crate::hunts::{events, is, lines, morpion, outcomes, signal, succeed, temporary, wait, wait_until};
use crate::stores::stores;
use crate::{assert_holds, data, document, fresh, pack, unpack, write_document};
use morpion::core::seed;
use morpion::core::setting::show_name;
use morpion::jobs::hunt::HuntState;
use morpion::jobs::tree::settings::StoreKind;
use morpion::runner::tree::file;
use rand::RngExt;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Hunts that were killed in the middle: some units are done, of others a state is saved.
const HUNTS: [(&str, &str); 6] = [
    ("dfs", "--threads 3 --main-depth 2 --max-iterations 300k --jumps-back 50k:best/2,170k:10 --seed 5"),
    ("nrpa", "--threads 2 --strategy nrpa --variant 5D --level 3 --iterations 20 --runs 5 --seed 6 --keep-from 67"),
    (
        "share",
        "--threads 3 --strategy nrpa --variant 5D --level 4 --iterations 15 --share 3 --width 2 --runs 1 --seed 7",
    ),
    ("temper", "--threads 2 --strategy temper --variant 4D --patience 100k --max-iterations 200k --runs 3 --seed 8"),
    ("reshape", "--threads 2 --strategy reshape --patience 1M --max-iterations 60k --runs 3 --seed 9"),
    // The same as the first, with its state in the first version of the format.
    ("version1", "--threads 3 --main-depth 2 --max-iterations 300k --jumps-back 50k:best/2,170k:10 --seed 5"),
];

/// What must come of a hunt.
fn essence(dir: &Path, name: &str) -> Value {
    let last = events(&dir.join(name)).pop().expect("events");
    let mut essence = json!({ "units": lines(&succeed(dir, &format!("state {name} --units"))) });
    for field in ["event", "reason", "score", "iterations", "units"] {
        essence[field] = last[field].clone();
    }
    essence
}

#[test]
fn hunts_are_continued_to_the_same_end() {
    for (name, _) in HUNTS {
        let dir = temporary();
        unpack(&data().join("hunts").join(name), &dir.path().join(name));
        let before = lines(&succeed(dir.path(), &format!("state {name} --units")));
        let done = before.iter().filter(|unit| unit["done"] == true).count();
        assert!(0 < done && done < before.len(), "{name}: {done} of {}", before.len());
        let out = succeed(dir.path(), &format!("resume {name} --json"));
        let recorded = document(&data().join("hunts").join(format!("{name}.json")));
        assert_holds(&essence(dir.path(), name), &recorded["hunt"], name);
        let outcomes = outcomes(&out);
        assert!(outcomes.len() >= before.len() - done, "{name}: {} of {}", outcomes.len(), before.len());
        for (unit, outcome) in outcomes {
            assert_holds(&outcome, &recorded["outcomes"][unit.to_string()], &format!("{name}: unit {unit}"));
        }
        // The best grid is in the files that people look at.
        let score = recorded["hunt"]["score"].as_u64().expect("a number");
        succeed(dir.path(), &format!("verify {name}/{score}.txt"));
    }
}

/// 5x5 in some dozen units.
const SOLUTION: &str = "solve reversi --size 5 --units --unit-budget 30k --fresh-tables --memory 1M --json";

/// The directory of a solution in a store, below those of this test.
fn solution_in(store: StoreKind) -> &'static str {
    match store {
        StoreKind::Redb => "solution",
        StoreKind::Sqlite => "solution-sqlite",
    }
}

#[test]
fn a_solution_is_continued_to_the_same_value() {
    for store in stores() {
        let (dir, from) = (temporary(), data().join(solution_in(store)));
        unpack(&from.join("state"), &dir.path().join("state"));
        let command = format!("{SOLUTION} --state state --store {}", show_name(&store));
        let found: Value = serde_json::from_str(&succeed(dir.path(), &command)).unwrap();
        assert_holds(&solution(&found), &document(&from.join("found.json")), &format!("solution in {store:?}"));
    }
}

/// What one worker must find, however often it was killed.
fn solution(found: &Value) -> Value {
    let accepted = &found["units"]["credit"]["accepted"];
    let mut essence = json!({ "accepted": { "units": accepted["units"], "nodes": accepted["nodes"] } });
    for field in ["lower", "upper", "settled", "best_moves"] {
        essence[field] = found[field].clone();
    }
    essence["tree_nodes"] = found["units"]["tree_nodes"].clone();
    essence
}

#[test]
#[ignore = "it makes the files anew, in a new directory: see the head of `main.rs`"]
fn make_hunts() {
    let directory = fresh("hunts");
    for (name, arguments) in HUNTS {
        let dir = temporary();
        let whole = succeed(dir.path(), &format!("{arguments} --json --dir whole"));
        let recorded = json!({ "hunt": essence(dir.path(), "whole"), "outcomes": outcomes(&whole) });
        let old = name == "version1";
        let mut rng = seed::rng(11, &[]);
        loop {
            let within = Duration::from_millis(rng.random_range(20..700));
            let _ = fs::remove_dir_all(dir.path().join(name));
            disturb(dir.path(), &format!("{arguments} --json --dir {name} --checkpoint 0.05s"), name, within, old);
            let counted = ["dfs", "nrpa"].contains(&name);
            if halfway(dir.path(), name, counted) {
                break;
            }
        }
        if old {
            write_version1(&dir.path().join(name));
        }
        pack(&dir.path().join(name), &directory.join(name));
        write_document(&directory.join(format!("{name}.json")), &recorded);
    }
}

/// Begins a hunt and kills it, or interrupts it, after some time.
fn disturb(dir: &Path, arguments: &str, name: &str, within: Duration, interrupt: bool) {
    let mut child = morpion(dir, arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the hunt has a state", || dir.join(name).join("hunt.state").exists());
    std::thread::sleep(within);
    if child.try_wait().unwrap().is_none() {
        signal(&child, if interrupt { "INT" } else { "KILL" });
    }
    wait(child);
}

/// Whether some units are done, of one a state is saved, and, if that is asked for, something is in the journal
/// alone.
fn halfway(dir: &Path, name: &str, journal_used: bool) -> bool {
    let units = lines(&succeed(dir, &format!("state {name} --units")));
    let done = units.iter().filter(|unit| unit["done"] == true).count();
    let state = succeed(dir, &format!("state {name}"));
    let begun = state.lines().find(|line| line.starts_with("iterations")).expect("a line");
    let journal = fs::read_dir(dir.join(name))
        .unwrap()
        .flatten()
        .find(|e| e.path().extension().is_some_and(|e| e == "journal"));
    let long = journal.expect("a journal").metadata().unwrap().len() > 24;
    let over = is(events(&dir.join(name)).last().expect("an event"), "end");
    eprintln!("{name}: {done} of {} done, journal {long}, {begun}", units.len());
    !over && done > 0 && done < units.len() && !begun.contains(" 0 in those begun") && (long || !journal_used)
}

/// Writes the state of a stopped depth-first hunt as the first version of the program did, which counted no results.
fn write_version1(hunt: &Path) {
    let path = hunt.join("hunt.state");
    let now = fs::read(&path).unwrap();
    type InFlight = (u64, u64, u32, Vec<u8>);
    type Stored = (u64, String, HuntState, Vec<InFlight>, f64, Option<f64>, u32);
    let (generation, job, state, in_flight, seconds, limit, threads): Stored =
        postcard::from_bytes(&now[24..]).unwrap();
    let HuntState { produced, digest, done, totals, best, .. } = state;
    let old = (generation, job, (produced, digest, done, totals, best), in_flight, seconds, limit, threads);
    let payload = postcard::to_stdvec(&old).unwrap();
    let (length, sum) = (payload.len() as u64, crc32fast::hash(&payload));
    let head = [&now[..8], &1u32.to_le_bytes(), &length.to_le_bytes(), &sum.to_le_bytes()].concat();
    fs::write(&path, [head, payload].concat()).unwrap();
    let journal = hunt.join(format!("hunt-{generation}.journal"));
    let mut head = fs::read(&journal).unwrap();
    assert_eq!(head.len(), 24, "a stopped hunt has an empty journal");
    head[8..12].copy_from_slice(&1u32.to_le_bytes());
    let sum = crc32fast::hash(&head[..20]);
    head[20..].copy_from_slice(&sum.to_le_bytes());
    fs::write(&journal, head).unwrap();
}

#[test]
#[ignore = "it makes the files anew, in a new directory: see the head of `main.rs`"]
fn make_solution() {
    stores().into_iter().for_each(make_solution_in);
}

fn make_solution_in(store: StoreKind) {
    let directory = fresh(solution_in(store));
    let dir = temporary();
    let whole: Value = serde_json::from_str(&succeed(dir.path(), SOLUTION)).unwrap();
    let units = whole["units"]["credit"]["accepted"]["units"].as_u64().unwrap();
    eprintln!("{units} units");
    let mut rng = seed::rng(12, &[]);
    let arguments = format!("{SOLUTION} --state state --store {}", show_name(&store));
    let file = dir.path().join("state").join(file::name(store));
    loop {
        let _ = fs::remove_dir_all(dir.path().join("state"));
        // A checkpoint with a part of the tree, then records.
        let over = ["INT", "KILL"].into_iter().any(|name| {
            let mut child = morpion(dir.path(), &arguments).stderr(Stdio::null()).spawn().unwrap();
            wait_until("the solution has a file", || file.exists());
            std::thread::sleep(Duration::from_millis(rng.random_range(100..250)));
            let over = child.try_wait().unwrap().is_some();
            if !over {
                signal(&child, name);
                wait(child);
            }
            over
        });
        if !over {
            break;
        }
    }
    pack(&dir.path().join("state"), &directory.join("state"));
    write_document(&directory.join("found.json"), &solution(&whole));
}

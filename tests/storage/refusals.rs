//! A disk that refuses for a while, or is slow, at moments when that once did harm.

use crate::daemons::program::Program;
use crate::daemons::*;
use crate::shim::Shim;
use morpion::games::reversi::board::ReversiBoard;
use morpion::games::reversi::position::{ReversiPosition, Start};
use morpion::jobs::tree::coordinator::{Coordinator, Next};
use morpion::jobs::tree::credit::Spent;
use morpion::jobs::tree::settings::{StoreKind, TreeSettings};
use morpion::jobs::tree::state::TreeState;
use morpion::jobs::tree::unit::UnitOutcome;
use morpion::runner::tree::store::TreeStore;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Operations without end.
const ALL: u64 = 1 << 40;

fn status(program: &Program) -> String {
    program.get("/health")["status"].as_str().unwrap_or_default().to_owned()
}

fn jobs_of(program: &Program, state: &str) -> u64 {
    program.get("/health")["jobs"][state].as_u64().unwrap_or(0)
}

/// The state that a job's folder notes for a salvage.
fn noted(state: &Path, id: u64) -> Value {
    let text = std::fs::read_to_string(state.join(format!("jobs/{id}/job-state.jsonl"))).unwrap();
    let found = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let state = found.map(|line| line["state"].clone()).find(Value::is_string);
    state.unwrap_or_else(|| panic!("job {id}: {text}"))
}

#[test]
fn removing_old_jobs_does_not_wear_out_a_full_disk() {
    const JOBS: u64 = 60;
    let dir = tempfile::tempdir().unwrap();
    let (shim, state) = (Shim::compile(dir.path()), dir.path().join("state"));
    let program = Program::start(&state);
    let ids: Vec<u64> = (0..JOBS).map(|seed| program.submit(&request(&small(seed), &json!({})))).collect();
    ids.iter().for_each(|&id| _ = program.wait_over(id));
    program.stop();
    // How many operations it takes to begin.
    let program = Program::launch(&mut shim.counted(&state));
    let (begun, _) = shim.counts();
    program.stop();
    let mut command = shim.faulty(&state, &format!("full:{}:{ALL}", begun + 1), None, false);
    let program = Program::launch(command.args(["--keep-finished", "3"]));
    let begun = Instant::now();
    wait_until("the disk refuses", || status(&program).contains("cannot write"));
    std::thread::sleep(Duration::from_secs(3));
    let (left, refused) = (jobs_of(&program, "finished"), shim.counts().1);
    // It tries again every second or two.
    let most = JOBS / 2 * (1 + begun.elapsed().as_secs() / 5);
    assert!(left > JOBS / 2, "{left} jobs are left: too few to tell");
    assert!(refused < most, "{refused} operations were refused, with {left} jobs to be removed");
    shim.lift(true);
    wait_until("the older ones are removed", || jobs_of(&program, "finished") == 3);
    wait_until("its health is good", || status(&program) == "ok");
    program.stop();
}

#[test]
fn a_job_that_ends_while_nothing_can_be_stored_is_over_when_it_can() {
    let dir = tempfile::tempdir().unwrap();
    let (shim, state) = (Shim::compile(dir.path()), dir.path().join("state"));
    let program = Program::launch(&mut shim.faulty(&state, &format!("full:1:{ALL}"), None, true));
    let id = program.submit(&request(&endless(1), &json!({})));
    wait_until("it runs", || program.job(id)["iterations"].as_u64() > Some(0));
    shim.lift(false);
    let (code, told) = program.ask("POST", &format!("/jobs/{id}/cancel"), None, None).unwrap();
    assert_eq!(code, 503, "{told}");
    wait_until("it is cancelled", || program.job(id)["state"] == "cancelled");
    let (code, told) = program.ask("DELETE", &format!("/jobs/{id}"), None, None).unwrap();
    assert!(
        code == 503 && told["detail"].as_str().unwrap().contains("is not stored yet: cannot write"),
        "{code} {told}"
    );
    shim.lift(true);
    // No other change has to come.
    wait_until("it is over", || noted(&state, id) == "cancelled" && status(&program) == "ok");
    wait_until("it can be removed", || {
        let (code, told) = program.ask("DELETE", &format!("/jobs/{id}"), None, None).unwrap();
        assert!([204, 503].contains(&code), "{code} {told}");
        code == 204
    });
    program.stop();
    let program = Program::start(&state);
    assert_eq!(program.ask("GET", &format!("/jobs/{id}"), None, None).unwrap().0, 404);
    program.stop();
}

/// Where the child keeps its solution; its presence makes the test `child` do its work.
const SOLUTION: &str = "MORPION_TEST_SOLUTION";

fn root() -> ReversiPosition {
    ReversiPosition::new(ReversiBoard::new(4, 6).unwrap(), Start::Standard)
}

/// Not a test: a solution whose records are kept while the flushes of its journal begin to fail.
#[test]
#[ignore = "it is the program that another test starts"]
fn child() {
    let Some(path) = std::env::var_os(SOLUTION).map(PathBuf::from) else { return };
    let count = PathBuf::from(std::env::var_os("MORPION_SHIM_COUNT").expect("it runs with the shim"));
    let state = TreeState::new(root(), TreeSettings { budget: 50, ..TreeSettings::default() }).unwrap();
    let mut coordinator = Coordinator::new(state);
    let mut store = TreeStore::create(StoreKind::Redb, &path, "job", coordinator.state_mut()).unwrap();
    let worker = coordinator.join("somebody", "1").unwrap();
    let mut refused = 0;
    for step in 0..12 {
        if step == 6 {
            crate::shim::lift(&count, false);
            // The next record is flushed.
            std::thread::sleep(Duration::from_millis(1100));
        }
        let Next::Unit(work) = coordinator.next(worker).unwrap() else { break };
        let spent = Spent { nodes: 50, micros: 10 };
        coordinator.absorb(worker, work.unit, work.window, UnitOutcome::Exhausted, spent).unwrap();
        refused += u64::from(store.append(&coordinator.take_records()).is_err());
    }
    // However often it is tried: the store has to be opened again.
    assert_eq!(refused, 6);
    crate::shim::lift(&count, true);
    assert!(store.note_seconds(1.0).is_err() && store.checkpoint(coordinator.state_mut(), 1.0).is_err());
    println!("done");
}

#[test]
fn after_a_flush_of_a_solution_failed_its_journal_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let (shim, state) = (Shim::compile(dir.path()), dir.path().join("state"));
    std::fs::create_dir(&state).unwrap();
    let path = state.join("tree.redb");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["refusals::child", "--exact", "--nocapture", "--ignored"]).env(SOLUTION, &path);
    shim.disturb(&mut command, &state, &format!("flush:1:{ALL}"), Some("tree.journal"), true);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("done") && shim.counts().1 > 0, "{said}");
    let (mut store, stored) = TreeStore::open(StoreKind::Redb, &path).unwrap();
    assert_eq!(stored.notice, None);
    let records = stored.records.len();
    let mut coordinator = Coordinator::new(stored.state(root()).unwrap());
    // The record whose flush failed is there, and none of those after it.
    assert!(records > 6, "{records}");
    let worker = coordinator.join("somebody", "2").unwrap();
    assert!(matches!(coordinator.next(worker).unwrap(), Next::Unit(_)));
    store.append(&coordinator.take_records()).unwrap();
    store.checkpoint(coordinator.state_mut(), 2.0).unwrap();
}

//! Operations that fail, are done in part, or are the last that the process does.

use crate::daemons::clients::{assert_same, submit_small};
use crate::daemons::program::Program;
use crate::daemons::*;
use crate::shim::Shim;
use crate::{end, ended_well, undisturbed, work};
use rand::RngExt;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// What a client was told.
#[derive(Default)]
struct Acknowledged {
    /// Numbers of the jobs of [`work`].
    work: BTreeMap<usize, u64>,
    /// A small job, by the number in its key.
    small: BTreeMap<u64, u64>,
    cancelled: Option<u64>,
    removed: Option<u64>,
}

/// The status and document of a request, unless the daemon is dead. It may refuse what it cannot write.
fn try_request(program: &Program, method: &str, path: &str, body: Option<&Value>) -> Option<Option<Value>> {
    let (status, document) = program.ask(method, path, None, body)?;
    assert!(status < 300 || [409, 503].contains(&status), "{method} {path}: {status} {document}");
    Some((status < 300).then_some(document))
}

/// Uses the daemon until all is done or it is dead.
fn use_it(program: &Program, told: &mut Acknowledged) -> Option<()> {
    for (index, job) in work(1).iter().enumerate() {
        if let Some(job) = try_request(program, "POST", "/jobs", Some(job))? {
            told.work.insert(index, job["id"].as_u64().unwrap());
        }
    }
    let endless = serde_json::to_value(request(&endless(9), &serde_json::json!({}))).unwrap();
    let long = try_request(program, "POST", "/jobs", Some(&endless))?.map(|job| job["id"].as_u64().unwrap());
    for number in [0, 2] {
        let request = request(&small(number), &serde_json::json!({ "priority": 1 }));
        let body = serde_json::to_value(request).unwrap();
        let (status, job) = program.ask("POST", "/jobs", Some(&format!("key-{number}")), Some(&body))?;
        assert!([201, 503].contains(&status), "{status} {job}");
        if status == 201 {
            told.small.insert(number, job["id"].as_u64().unwrap());
        }
    }
    if let Some(&first) = told.work.get(&0) {
        try_request(program, "POST", &format!("/jobs/{first}/pause"), None)?;
        try_request(program, "POST", &format!("/jobs/{first}/resume"), None)?;
    }
    if let Some(long) = long
        && try_request(program, "POST", &format!("/jobs/{long}/cancel"), None)?.is_some()
    {
        // If it dies before it answers, the job may be gone or not.
        match try_request(program, "DELETE", &format!("/jobs/{long}"), None)? {
            Some(_) => told.removed = Some(long),
            None => told.cancelled = Some(long),
        }
    }
    // Not longer than it needs: with a disk that always refuses nothing ends.
    let until = Instant::now() + Duration::from_secs(8);
    while Instant::now() < until {
        let jobs = program.try_list("/jobs?limit=1000")?;
        for job in &jobs {
            assert_ne!(job["state"], "failed", "{job}");
        }
        if jobs.iter().all(|job| job["state"] == "finished" || job["state"] == "cancelled") {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Some(())
}

fn check(state: &Path, told: &Acknowledged, expected: &[Value], fault: &str) {
    let program = Program::start(state);
    for (&number, &id) in &told.small {
        assert_eq!(
            program.ask("GET", &format!("/jobs/{id}"), None, None).map(|answer| answer.0),
            Some(200),
            "{fault}"
        );
        assert_eq!(program.job(id)["seed"], number, "{fault}: job {id}");
        assert_eq!(submit_small(&program, number), Some(id), "{fault}: job {id} sent again");
    }
    if let Some(id) = told.cancelled {
        assert_eq!(program.job(id)["state"], "cancelled", "{fault}");
    }
    if let Some(id) = told.removed {
        let (status, _) = program.ask("GET", &format!("/jobs/{id}"), None, None).expect("it lives");
        assert_eq!(status, 404, "{fault}: job {id} is back");
    }
    for (&index, &id) in &told.work {
        // The order to pause may have come through, and the one to resume not.
        if program.job(id)["state"] == "paused" {
            program.order(&format!("/jobs/{id}/resume"));
        }
        assert_same(&end(&program, id), &expected[index], &format!("{fault}: job {id}"));
    }
    for &id in told.small.values() {
        assert_eq!(program.wait_over(id)["units_done"], 2, "{fault}: job {id}");
    }
    program.stop();
}

/// Ways in which an operation is disturbed (`shim.c`).
const KINDS: [&str; 6] = ["error", "full", "short", "before", "within", "after"];

#[test]
fn whatever_operation_fails_a_new_state_directory_can_be_used() {
    new_directories(&KINDS[..2]);
}

#[test]
fn whatever_operation_is_cut_short_a_new_state_directory_can_be_used() {
    new_directories(&KINDS[2..4]);
}

#[test]
fn whatever_operation_is_the_last_a_new_state_directory_can_be_used() {
    // An end after one operation leaves what an end before the next one leaves.
    new_directories(&KINDS[4..5]);
}

/// Disturbs each operation until a daemon with a new state directory answers, in these ways by turns.
/// MORPION_TEST_EVERY=1 disturbs each one in all of them.
fn new_directories(kinds: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let shim = Shim::compile(dir.path());
    let state = dir.path().join("counted");
    let program = Program::launch(&mut shim.counted(&state));
    let (operations, _) = shim.counts();
    program.stop();
    assert!(operations > 10, "{operations} operations");
    let every = number("MORPION_TEST_EVERY", 0) > 0;
    let (mut refused, mut starts) = (0, 0);
    let all =
        kinds.iter().zip(0u64..).flat_map(|(&kind, turn)| (1..=operations).map(move |first| (kind, turn, first)));
    for (kind, turn, first) in all {
        if !every && first % kinds.len() as u64 != turn {
            continue;
        }
        starts += 1;
        let fault = format!("{kind}:{first}:1");
        let state = dir.path().join("state");
        match Program::try_launch(&mut shim.faulty(&state, &fault, None, false)) {
            Ok(program) => drop(program),
            Err((status, words)) => {
                refused += 1;
                assert!(ended_well(status, &words), "{fault}: {status}: {words}");
            }
        }
        let program = Program::start(&state);
        assert_eq!(program.try_list("/jobs").map(|jobs| jobs.len()), Some(0), "{fault}");
        program.stop();
        std::fs::remove_dir_all(&state).unwrap();
    }
    println!("{operations} operations until it answers; {refused} of {starts} starts failed");
    assert!(2 * kinds.len() as u64 * refused > starts, "{refused} of {starts} starts failed");
}

#[test]
fn whatever_operation_fails_nothing_acknowledged_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let shim = Shim::compile(dir.path());
    let expected = undisturbed(&dir.path().join("whole"));
    // How many operations there are when nothing happens.
    let state = dir.path().join("counted");
    let program = Program::launch(&mut shim.counted(&state));
    assert_eq!(use_it(&program, &mut Acknowledged::default()), Some(()));
    program.stop();
    let (operations, disturbed) = shim.counts();
    assert!(operations > 100 && disturbed == 0, "{operations} operations");
    let seed = number("MORPION_TEST_SEED", SEED);
    let mut rng = morpion::core::seed::rng(seed, &[3]);
    let faults = number("MORPION_TEST_FAULTS", 4);
    let mut hits: BTreeMap<&str, u64> = BTreeMap::new();
    for fault in 0..faults {
        let kind = KINDS[fault as usize % KINDS.len()];
        // Half of them early: most kinds of operations happen when jobs begin.
        let range = if fault % 4 < 2 { operations / 4 } else { operations };
        let number = if kind == "error" || kind == "full" { [1u64, 4, 1 << 40][rng.random_range(0..3)] } else { 1 };
        let fault = format!("{kind}:{}:{number}", rng.random_range(1..=range));
        let said = format!("seed {seed}, fault {fault}");
        let state = dir.path().join("state");
        let mut command = shim.counted(&state);
        command.env("MORPION_SHIM_FAULT", &fault);
        let mut told = Acknowledged::default();
        match Program::try_launch(&mut command) {
            Ok(program) => {
                use_it(&program, &mut told);
                let (status, words) = program.end();
                assert!(ended_well(status, &words), "{said}: {status}: {words}");
            }
            Err((status, words)) => assert!(ended_well(status, &words), "{said}: {status}: {words}"),
        }
        *hits.entry(kind).or_default() += u64::from(shim.counts().1 > 0);
        check(&state, &told, &expected, &said);
        std::fs::remove_dir_all(&state).unwrap();
    }
    println!("{faults} faults among {operations} operations; by kind those that happened: {hits:?}");
    assert!(hits.values().sum::<u64>() * 2 > faults, "seed {seed}: too few happened: {hits:?}");
}

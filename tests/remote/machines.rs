//! Jobs of a daemon that machines compute: what comes of them is what comes of them without machines.

use crate::daemons::program::{Program, end, units_of};
use crate::daemons::*;
use crate::installation::Installation;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

/// Hunts, a solution by many units, and with the solver of linear programs a proof.
pub fn work() -> Vec<Value> {
    let hunts = jobs().into_iter().map(|settings| json!({ "kind": "hunt", "settings": settings }));
    let solved = json!({ "game": "reversi", "size": "4x4", "algorithm": "negascout", "unit_budget": 300 });
    let proved = json!({ "moves": 85, "hull": grid_text("5D-82-rosin.txt") });
    let proof = cfg!(feature = "prove").then(|| json!({ "kind": "prove", "settings": proved }));
    hunts.chain([json!({ "kind": "solve", "settings": solved })]).chain(proof).collect()
}

/// What comes of work without machines.
pub fn undisturbed(directory: &Path, work: &[Value]) -> Vec<Value> {
    let program = Program::start(&directory.join("undisturbed"));
    let ids: Vec<u64> = work.iter().map(|job| program.submit(job)).collect();
    let ends = ids.iter().map(|&id| end(&program, id)).collect();
    program.stop();
    ends
}

/// What comes of [`work`] without machines, which is computed once.
pub fn expected() -> &'static Vec<Value> {
    static EXPECTED: OnceLock<Vec<Value>> = OnceLock::new();
    EXPECTED.get_or_init(|| undisturbed(tempfile::tempdir().unwrap().path(), &work()))
}

#[test]
fn what_machines_compute_is_what_threads_compute() {
    // Nobody but the machines computes.
    let Some(site) = Installation::start("what_machines_compute_is_what_threads_compute", &["--threads=0"]) else {
        return;
    };
    let expected = expected();
    let ids: Vec<u64> = work().iter().map(|job| site.submit(job)).collect();
    let pool = site.get("/machines");
    assert_eq!((&pool["open"], pool["machines"].as_array().unwrap().len()), (&json!(true), 0), "{pool}");
    let machines_of = ["one", "two"].map(|name| site.machine(name));
    let found: Vec<Value> = ids.iter().map(|&id| end(&site, id)).collect();
    assert_eq!(found, *expected);
    let seen = site.machines();
    let names: Vec<&str> = seen.iter().map(|machine| machine["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["one", "two"]);
    for machine in &seen {
        assert!(machine["state"] == "here" && machine["units"].as_u64() > Some(0), "{machine}");
        assert_eq!(machine["refused"], 0, "{machine}");
    }
    // A machine that leaves gives back what it has, and the search goes on elsewhere.
    let id = site.submit(&json!({ "kind": "hunt", "settings": endless(3), "limits": { "workers": 1 } }));
    let at = || site.get("/workers")["items"].as_array().unwrap().iter().find(|w| w["job"] == id).cloned();
    wait_until("a machine has begun", || at().is_some_and(|worker| worker["iterations"].as_u64() > Some(1000)));
    let [one, two] = machines_of;
    let on = at().unwrap()["machine"].as_str().unwrap().to_owned();
    let (leaves, stays, rest) = if on == "one" { (one, two, "two") } else { (two, one, "one") };
    let before = site.job(id)["iterations"].as_u64().unwrap();
    assert!(leaves.leave().success());
    wait_until("the other one goes on", || at().is_some_and(|worker| worker["machine"] == rest));
    let after = site.job(id)["iterations"].as_u64().unwrap();
    assert!(after >= before, "the search goes on from {after} iterations, and had {before}");
    wait_until("the one that has left is shown no more", || {
        let seen = site.machines();
        let left = seen.iter().find(|m| m["name"] == on.as_str());
        left.is_none_or(|m| {
            assert_ne!(m["state"], "lost", "{m}");
            false
        })
    });
    // One that is killed is lost, and what it had waits for another.
    drop(stays);
    wait_until("the other one is lost", || site.machines().iter().any(|m| m["name"] == rest && m["state"] == "lost"));
    assert_eq!(site.get("/health")["busy"], 0);
    let third = site.machine("three");
    wait_until("the third one goes on", || at().is_some_and(|worker| worker["machine"] == "three"));
    site.order(&format!("/jobs/{id}/cancel"));
    site.stop([third]);
}

#[test]
fn threads_and_machines_serve_one_daemon() {
    let Some(mut site) = Installation::start("threads_and_machines_serve_one_daemon", &["--threads=1"]) else {
        return;
    };
    let machine = site.machine("one");
    wait_until("the machine is there", || !site.machines().is_empty());
    assert_eq!(site.get("/health")["workers"], 2);
    let id = site.submit(&json!({ "kind": "hunt", "settings": endless(4) }));
    let at = |program: &Program| -> Vec<Value> {
        let workers = program.get("/workers")["items"].as_array().unwrap().clone();
        workers.into_iter().filter(|worker| worker["job"] == id).collect()
    };
    wait_until("both are at it", || {
        at(&site).len() == 2 && at(&site).iter().any(|worker| worker["machine"] == "one")
    });
    assert!(at(&site).iter().any(|worker| worker["machine"].is_null()), "{:?}", at(&site));
    // A pause stops both, and so soon that no lease ends.
    site.order(&format!("/jobs/{id}/pause"));
    wait_until("nobody is at it", || at(&site).is_empty());
    let attempts: Vec<Value> = site.list(&units_of(id)).iter().map(|unit| unit["attempts"].clone()).collect();
    assert!(attempts.iter().all(|attempts| attempts.as_u64() <= Some(1)), "{attempts:?}");
    site.order(&format!("/jobs/{id}/resume"));
    wait_until("both are at it again", || at(&site).len() == 2);
    // Without the server the threads go on, and the machine comes back with it.
    let before = site.job(id)["iterations"].as_u64();
    let url = site.server.url();
    site.server.kill_and_start(Duration::from_secs(1));
    wait_until("more is done", || site.job(id)["iterations"].as_u64() > before);
    wait_until("the daemon is connected again", || site.get("/machines")["connected"] == true);
    wait_until("both are at it once more", || at(&site).len() == 2);
    site.order(&format!("/jobs/{id}/cancel"));
    // The log tells when the server is there, and when it is not.
    let said = site.stop([machine]);
    let place = format!("{url}, pool morpion");
    for (words, times) in [
        (format!("info  connected to {place}"), 2),
        (format!("warn  no connection to {place}: nats: IO error (nobody answers there"), 1),
    ] {
        assert!(said.matches(&words).count() >= times, "{words}: {said}");
    }
}

#[test]
fn what_cannot_be_used_is_said() {
    let morpion = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
        let output = command.env_remove("MORPION_NATS").args(arguments).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    for (arguments, words) in [
        (&["worker"][..], "--nats URL"),
        (&["worker", "--nats", "nats://127.0.0.1:1", "--pool", "a.b"], "cannot be the name of a pool"),
        (&["worker", "--nats", "http://[", "--name", "x"], "cannot connect to the NATS server"),
        (&["worker", "--nats", "nats://127.0.0.1:1", "--name", "a\nb"], "without control characters"),
        (&["worker", "--nats", "nats://127.0.0.1:1", "--nats-ca", "/nowhere.pem"], "/nowhere.pem"),
        (&["daemon", "--threads", "0"], "nobody would compute"),
    ] {
        let said = morpion(arguments);
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

//! The state of a daemon: a store with jobs that are over and jobs that are not, their folders, events and tokens.

use crate::daemons::program::{Program, units_of};
use crate::daemons::{done, request, wait_until};
use crate::{assert_holds, data, document, fresh, pack, unpack};
use morpion::daemon::tokens::{Role, TokenFile, TokenStore, role_of};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;

/// Jobs by what becomes of them before the daemon is killed.
const OVER: [&str; 2] = ["hunt over", "solution over"];
const OPEN: [&str; 4] = ["dfs", "share", "perturb", "solution"];

/// The jobs: name, kind, settings.
fn jobs() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        (
            "hunt over",
            "hunt",
            json!({ "strategy": "nrpa", "level": 2, "iterations": 20, "variant": "5D", "runs": 12, "seed": 6, "keep_from": 67 }),
        ),
        ("solution over", "solve", json!({ "game": "reversi", "size": 4, "memory": "1M" })),
        (
            "dfs",
            "hunt",
            json!({ "main_depth": 2, "max_iterations": 150_000, "jumps_back": [[50_000, "best/2"], [120_000, 10]], "seed": 5, "keep_from": 120 }),
        ),
        (
            "share",
            "hunt",
            json!({ "strategy": "nrpa", "level": 3, "share": 2, "width": 2, "variant": "4D", "iterations": 20, "runs": 2, "seed": 7, "keep_from": 33 }),
        ),
        (
            "perturb",
            "hunt",
            json!({ "strategy": "perturb", "level": 2, "variant": "4T", "patience": "8k", "runs": 4, "seed": 8, "keep_from": 60 }),
        ),
        (
            "solution",
            "solve",
            json!({ "game": "reversi", "size": 5, "unit_budget": "30k", "fresh_tables": true, "memory": "1M" }),
        ),
    ]
}

fn submit(program: &Program, (name, kind, settings): &(&str, &str, Value)) -> u64 {
    program.submit(&request(settings, &json!({ "kind": kind, "name": name })))
}

fn is_hunt(name: &str) -> bool {
    !name.starts_with("solution")
}

/// What must come of a job.
fn essence(program: &Program, id: u64, name: &str) -> Value {
    let job = program.job(id);
    if is_hunt(name) {
        let mut essence = program.essence(id);
        // Of equal grids, the one that is found first depends on what else runs.
        essence["best"] = json!({ "score": essence["best"]["score"] });
        return essence;
    }
    let found = &job["solution"];
    let mut essence = json!({ "state": job["state"], "reason": job["reason"], "solution": {} });
    for field in ["lower", "upper", "settled", "best_moves", "position"] {
        essence["solution"][field] = found[field].clone();
    }
    essence
}

/// The stored events of a job, until the one with which it is over.
fn events(program: &Program, job: u64, count: usize) -> Vec<Value> {
    let address = program.url.strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(stream, "GET /api/v1/events?job={job}&after=0 HTTP/1.1\r\nhost: {address}\r\n\r\n").unwrap();
    let lines = BufReader::new(stream).lines().map(|line| line.expect("a line"));
    let data = lines.filter_map(|line| Some(serde_json::from_str(line.strip_prefix("data: ")?).expect("JSON")));
    // Progress has no number and is not stored.
    data.filter(|event: &Value| event["id"].is_u64()).take(count).collect()
}

#[test]
fn the_state_of_a_daemon_is_continued() {
    let recorded = document(&data().join("daemon/recorded.json"));
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    unpack(&data().join("daemon/state"), &state);
    let tokens = TokenFile::in_directory(&state).tokens().expect("the tokens can be read");
    let secret = recorded["secret"].as_str().expect("a text");
    assert_eq!((tokens.len(), role_of(&tokens, secret)), (2, Some(Role::Operate)));
    assert_holds(&serde_json::to_value(&tokens).unwrap(), &recorded["tokens"], "tokens");

    let program = Program::start(&state);
    let id = |name: &str| recorded["ids"][name].as_u64().expect("a number");
    for name in OVER {
        assert_holds(&program.job(id(name)), &recorded["jobs"][name], name);
    }
    assert_eq!(program.job(id("paused"))["state"], "paused");
    let stored = recorded["events"].as_array().expect("a list");
    assert_holds(&events(&program, id("hunt over"), stored.len()).into(), &recorded["events"], "events");
    // A job that was sent with a key is not made twice.
    let again = request(&jobs()[0].2, &json!({ "kind": "hunt", "name": "hunt over" }));
    let (status, job) =
        program.ask("POST", "/jobs", Some("golden"), Some(&serde_json::to_value(again).unwrap())).unwrap();
    assert_eq!((status, &job["id"]), (201, &recorded["ids"]["hunt over"]), "{job}");
    for name in OPEN {
        program.wait_over(id(name));
    }
    for name in OVER.iter().chain(&OPEN) {
        assert_holds(&essence(&program, id(name), name), &recorded["essence"][name], name);
    }
    program.order(&format!("/jobs/{}/resume", id("paused")));
    wait_until("the paused job goes on", || program.job(id("paused"))["iterations"].as_u64() > Some(0));
    program.order(&format!("/jobs/{}/cancel", id("paused")));
    program.stop();
}

#[test]
#[ignore = "it makes the files anew, in a new directory: see the head of `main.rs`"]
fn make_daemon() {
    let directory = fresh("daemon");
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(&dir.path().join("whole"));
    let mut recorded = json!({});
    let ids: Vec<u64> = jobs().iter().map(|job| submit(&program, job)).collect();
    for ((name, ..), id) in jobs().iter().zip(ids) {
        program.wait_over(id);
        recorded["essence"][*name] = essence(&program, id, name);
    }
    program.stop();

    let state = dir.path().join("state");
    let make = |name: &str, role: &str| {
        let output = crate::hunts::succeed(dir.path(), &format!("token create {name} --role {role} --state state"));
        output.lines().find(|line| line.contains("morpion_")).expect("a secret").trim().to_owned()
    };
    recorded["secret"] = make("operator", "operate").into();
    make("reader", "read");
    recorded["tokens"] = serde_json::to_value(TokenFile::in_directory(&state).tokens().unwrap()).unwrap();
    let program = Program::start(&state);
    let first = serde_json::to_value(request(&jobs()[0].2, &json!({ "kind": "hunt", "name": "hunt over" }))).unwrap();
    let (_, job) = program.ask("POST", "/jobs", Some("golden"), Some(&first)).unwrap();
    recorded["ids"]["hunt over"] = job["id"].clone();
    recorded["ids"]["solution over"] = submit(&program, &jobs()[1]).into();
    for name in OVER {
        let id = recorded["ids"][name].as_u64().unwrap();
        recorded["jobs"][name] = program.wait_over(id);
    }
    let paused = ("paused", "hunt", json!({ "strategy": "temper", "variant": "5D", "seed": 3, "keep_from": 82 }));
    let paused = submit(&program, &paused);
    wait_until("it has begun", || program.job(paused)["iterations"].as_u64() > Some(0));
    program.order(&format!("/jobs/{paused}/pause"));
    recorded["ids"]["paused"] = paused.into();
    let open: Vec<u64> = jobs()[2..].iter().map(|job| submit(&program, job)).collect();
    for (name, id) in OPEN.iter().zip(&open) {
        recorded["ids"][*name] = (*id).into();
    }
    let hunt = recorded["ids"]["hunt over"].as_u64().unwrap();
    let count = stored_events(&program, hunt);
    recorded["events"] = events(&program, hunt, count).into();
    wait_until("units of a hunt and of a solution are done", || {
        let half = |id: u64| !done(&program.list(&units_of(id))).is_empty();
        half(open[0]) && half(open[3])
    });
    assert!(
        [open[0], open[3]].iter().all(|&id| program.job(id)["state"] != "finished"),
        "one of them was over too soon"
    );
    program.kill();
    pack_state(&state, &directory);
    std::fs::write(directory.join("recorded.json"), recorded.to_string() + "\n").unwrap();
}

/// Events stored of a job that is over.
fn stored_events(program: &Program, job: u64) -> usize {
    (1..).find(|&count| events(program, job, count).last().is_some_and(|event| event["state"] == "finished")).unwrap()
}

fn pack_state(state: &Path, directory: &Path) {
    pack(state, &directory.join("state"));
}

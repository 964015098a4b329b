//! Jobs of a daemon that machines compute: what comes of them is what comes of them without machines.

use crate::daemons::program::{Program, command, end, units_of};
use crate::daemons::*;
use crate::server::{self, Server};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

/// A machine: `morpion worker` in a process of its own. Dropping it kills it.
pub struct MachineProcess(Child);

impl MachineProcess {
    /// Starts one with one worker.
    pub fn start(url: &str, name: &str) -> MachineProcess {
        MachineProcess::launch(Command::new(env!("CARGO_BIN_EXE_morpion")), url, name, 1)
    }

    /// Starts one by a command that runs the program.
    pub fn launch(mut command: Command, url: &str, name: &str, workers: u32) -> MachineProcess {
        command.args(["worker", "--nats", url, "--workers", &workers.to_string(), "--name", name]);
        MachineProcess(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Starts one with one worker and further flags.
    pub fn with_flags(url: &str, name: &str, flags: &[String]) -> MachineProcess {
        let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
        command.args(["worker", "--nats", url, "--workers", "1", "--name", name]).args(flags);
        MachineProcess(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Asks it to leave; how it ended.
    pub fn leave(mut self) -> std::process::ExitStatus {
        let sent = Command::new("kill").arg("-TERM").arg(self.0.id().to_string()).status();
        assert!(sent.is_ok_and(|status| status.success()));
        self.0.wait().unwrap()
    }
}

impl Drop for MachineProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a daemon that uses a server.
pub fn daemon(state: &Path, url: &str, threads: u32) -> Program {
    let mut command = command(state);
    Program::launch(command.args(["--nats", url, "--threads", &threads.to_string()]))
}

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

/// The machines of a daemon.
pub fn machines(program: &Program) -> Vec<Value> {
    program.get("/machines")["machines"].as_array().unwrap().clone()
}

#[test]
fn what_machines_compute_is_what_threads_compute() {
    if !server::is_there("what_machines_compute_is_what_threads_compute") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let expected = expected();
    let server = Server::start(directory.path());
    // Nobody but the machines computes.
    let program = daemon(&directory.path().join("state"), &server.url(), 0);
    let ids: Vec<u64> = work().iter().map(|job| program.submit(job)).collect();
    let pool = program.get("/machines");
    assert_eq!((&pool["open"], pool["machines"].as_array().unwrap().len()), (&json!(true), 0), "{pool}");
    let machines_of = ["one", "two"].map(|name| MachineProcess::start(&server.url(), name));
    let found: Vec<Value> = ids.iter().map(|&id| end(&program, id)).collect();
    assert_eq!(found, *expected);
    let seen = machines(&program);
    let names: Vec<&str> = seen.iter().map(|machine| machine["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["one", "two"]);
    for machine in &seen {
        assert!(machine["state"] == "here" && machine["units"].as_u64() > Some(0), "{machine}");
        assert_eq!(machine["refused"], 0, "{machine}");
    }
    // A machine that leaves gives back what it has, and the search goes on elsewhere.
    let id = program.submit(&json!({ "kind": "hunt", "settings": endless(3), "limits": { "workers": 1 } }));
    let at = || program.get("/workers")["items"].as_array().unwrap().iter().find(|w| w["job"] == id).cloned();
    wait_until("a machine has begun", || at().is_some_and(|worker| worker["iterations"].as_u64() > Some(1000)));
    let [one, two] = machines_of;
    let on = at().unwrap()["machine"].as_str().unwrap().to_owned();
    let (leaves, stays, rest) = if on == "one" { (one, two, "two") } else { (two, one, "one") };
    let before = program.job(id)["iterations"].as_u64().unwrap();
    assert!(leaves.leave().success());
    wait_until("the other one goes on", || at().is_some_and(|worker| worker["machine"] == rest));
    let after = program.job(id)["iterations"].as_u64().unwrap();
    assert!(after >= before, "the search goes on from {after} iterations, and had {before}");
    wait_until("the one that has left is shown no more", || {
        let seen = machines(&program);
        let left = seen.iter().find(|m| m["name"] == on.as_str());
        left.is_none_or(|m| {
            assert_ne!(m["state"], "lost", "{m}");
            false
        })
    });
    // One that is killed is lost, and what it had waits for another.
    drop(stays);
    wait_until("the other one is lost", || {
        machines(&program).iter().any(|m| m["name"] == rest && m["state"] == "lost")
    });
    assert_eq!(program.get("/health")["busy"], 0);
    let third = MachineProcess::start(&server.url(), "three");
    wait_until("the third one goes on", || at().is_some_and(|worker| worker["machine"] == "three"));
    program.order(&format!("/jobs/{id}/cancel"));
    assert!(third.leave().success());
    program.stop();
}

#[test]
fn threads_and_machines_serve_one_daemon() {
    if !server::is_there("threads_and_machines_serve_one_daemon") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::start(directory.path());
    let program = daemon(&directory.path().join("state"), &server.url(), 1);
    let machine = MachineProcess::start(&server.url(), "one");
    wait_until("the machine is there", || !machines(&program).is_empty());
    assert_eq!(program.get("/health")["workers"], 2);
    let id = program.submit(&json!({ "kind": "hunt", "settings": endless(4) }));
    let at = || -> Vec<Value> {
        let workers = program.get("/workers")["items"].as_array().unwrap().clone();
        workers.into_iter().filter(|worker| worker["job"] == id).collect()
    };
    wait_until("both are at it", || at().len() == 2 && at().iter().any(|worker| worker["machine"] == "one"));
    assert!(at().iter().any(|worker| worker["machine"].is_null()), "{:?}", at());
    // A pause stops both, and so soon that no lease ends.
    program.order(&format!("/jobs/{id}/pause"));
    wait_until("nobody is at it", || at().is_empty());
    let attempts: Vec<Value> = program.list(&units_of(id)).iter().map(|unit| unit["attempts"].clone()).collect();
    assert!(attempts.iter().all(|attempts| attempts.as_u64() <= Some(1)), "{attempts:?}");
    program.order(&format!("/jobs/{id}/resume"));
    wait_until("both are at it again", || at().len() == 2);
    // Without the server the threads go on, and the machine comes back with it.
    let before = program.job(id)["iterations"].as_u64();
    server.kill_and_start(Duration::from_secs(1));
    wait_until("more is done", || program.job(id)["iterations"].as_u64() > before);
    wait_until("the daemon is connected again", || program.get("/machines")["connected"] == true);
    wait_until("both are at it once more", || at().len() == 2);
    program.order(&format!("/jobs/{id}/cancel"));
    assert!(machine.leave().success());
    program.stop();
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

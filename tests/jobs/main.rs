//! The kinds of jobs of the daemon, but for hunts: what is refused, that the results are those of the command, limits,
//! pauses, what a restart and `kill -9` cost, and the command line.
#![cfg(unix)]

#[path = "../daemons/mod.rs"]
mod daemons;
#[path = "../stores/mod.rs"]
mod stores;

mod analyse;
mod check;
mod matches;
mod plan;
mod prove;
mod selfplay;
mod solve;
mod tactics;
mod tune;

use daemons::program::Program;
use daemons::{STATE, be_a_daemon, request, wait_over};
use morpion::daemon::scheduler::Daemon;
use morpion::daemon::service::{JobCommand, Refusal, Service};
use morpion::daemon::view::{JobRequest, JobView};
use serde_json::Value;
use std::path::Path;

/// Not a test: the daemon of the others.
#[test]
#[ignore = "it is the daemon that the other tests start"]
fn child() {
    if let Some(state) = std::env::var_os(STATE) {
        be_a_daemon(Path::new(&state));
    }
}

/// A request for a job of a kind.
fn job(kind: &str, settings: &Value, others: &Value) -> JobRequest {
    let mut others = others.clone();
    others["kind"] = kind.into();
    request(settings, &others)
}

/// Submits a job of a kind and returns its number.
fn submit(daemon: &Daemon, kind: &str, settings: &Value, others: &Value) -> u64 {
    let submitted = daemon.submit(job(kind, settings, others), None);
    submitted.unwrap_or_else(|error| panic!("{settings}: {error}")).summary.id
}

/// Lets a job go on that was paused, and waits for its end. What was under way at the pause may have been its last
/// unit.
fn resumed_to_the_end(daemon: &Daemon, id: u64) -> JobView {
    if !daemon.job(id).unwrap().summary.state.is_over() {
        daemon.command(id, JobCommand::Resume).unwrap();
    }
    wait_over(daemon, id)
}

/// That a job of a kind is refused, with a message that holds `reason`.
fn assert_refused(daemon: &Daemon, kind: &str, settings: &Value, others: &Value, reason: &str) {
    match daemon.submit(job(kind, settings, others), None) {
        Err(Refusal::Invalid(text)) => assert!(text.contains(reason), "{settings}: '{reason}' in: {text}"),
        other => panic!("{settings}: {other:?}"),
    }
}

/// Exit status, output and messages of `morpion` with these arguments, as a client of a daemon.
fn run(program: &Program, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = program.morpion(arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The same with the words of a line.
fn run_line(program: &Program, line: &str) -> (Option<i32>, String, String) {
    run(program, &line.split(' ').collect::<Vec<_>>())
}

/// That commands are refused, each with a message that holds its reason.
fn assert_lines_refused(program: &Program, lines: &[(&str, &str)]) {
    for (line, reason) in lines {
        let (code, _, errors) = run_line(program, line);
        assert!(code == Some(2) && errors.contains(reason), "{line}: '{reason}' in: {errors}");
    }
}

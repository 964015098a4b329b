//! The memory that the jobs of a daemon take together, and jobs that end the daemon whenever they run.

use crate::daemons::program::{Program, command};
use crate::daemons::*;
use morpion::daemon::scheduler::{Daemon, DaemonOptions, Shutdown};
use morpion::daemon::service::{Adjustment, JobCommand, Refusal, Service};
use morpion::daemon::view::{JobId, JobState, LimitsDocument};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// Solver jobs, each with one unit that does not end.
const JOBS: u64 = 16;

fn solve(settings: &Value) -> morpion::daemon::view::JobRequest {
    let mut all = json!({ "game": "reversi", "size": 8, "unit_budget": "1000G" });
    all.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    serde_json::from_value(json!({ "kind": "solve", "settings": all })).unwrap()
}

fn with_memory(state: &Path, mebibytes: u64) -> Arc<Daemon> {
    try_open(|| DaemonOptions { memory: mebibytes << 20, ..options(state, 1) })
        .unwrap_or_else(|error| panic!("{error}"))
}

fn submit(daemon: &Daemon, settings: &Value) -> JobId {
    daemon.submit(solve(settings), None).unwrap_or_else(|error| panic!("{error}")).summary.id
}

/// Jobs that wait for memory.
fn waiting(daemon: &Daemon) -> Vec<JobId> {
    let waits = |reason: &Option<String>| reason.as_ref().is_some_and(|why| why.contains("waits for memory"));
    let jobs = all_jobs(daemon).into_iter().filter(|job| waits(&job.summary.reason));
    let mut ids: Vec<JobId> = jobs.map(|job| job.summary.id).collect();
    ids.sort_unstable();
    ids
}

#[test]
fn jobs_that_do_not_fit_wait_in_their_order() {
    let dir = tempfile::tempdir().unwrap();
    // A job takes 24 mebibytes: its table and a quarter, and the pages of its file.
    let daemon = with_memory(dir.path(), 100);
    let ids: Vec<JobId> = (0..JOBS).map(|_| submit(&daemon, &json!({ "memory": "16M" }))).collect();
    for &id in &ids[..4] {
        wait_for(&daemon, id, "runs", |job| job.summary.state == JobState::Running);
    }
    wait_until("the next one has been tried", || waiting(&daemon).first() == Some(&ids[4]));
    assert!(ids[4..].iter().all(|&id| daemon.job(id).unwrap().summary.began.is_none()));
    daemon.command(ids[1], JobCommand::Cancel).unwrap();
    wait_for(&daemon, ids[4], "runs", |job| job.summary.state == JobState::Running && job.summary.reason.is_none());
    wait_until("another one waits", || waiting(&daemon).first() == Some(&ids[5]));
    // A restart keeps the order.
    daemon.shutdown(Shutdown::Now);
    drop(daemon);
    let daemon = with_memory(dir.path(), 100);
    for id in [ids[0], ids[2], ids[3], ids[4]] {
        wait_for(&daemon, id, "runs", running);
    }
    wait_until("the next one waits", || waiting(&daemon).first() == Some(&ids[5]));
    let refused = daemon.submit(solve(&json!({ "memory": "81M" })), None);
    assert!(matches!(&refused, Err(Refusal::Invalid(why)) if why.contains("larger --memory")), "{refused:?}");
    daemon.shutdown(Shutdown::Now);
}

#[test]
fn a_tree_that_grows_beyond_its_limit_or_the_budget_is_quarantined() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = with_memory(dir.path(), 8);
    let growing = json!({ "size": 6, "memory": "1M", "unit_budget": 100 });
    let own = |memory: u64| -> LimitsDocument { serde_json::from_value(json!({ "memory": memory })).unwrap() };
    // The table and a quarter are 1.25 of the 2 mebibytes.
    let mut request = solve(&growing);
    request.limits = serde_json::from_value(json!({ "memory": 2 << 20 })).unwrap();
    let id = daemon.submit(request, None).unwrap().summary.id;
    let view = wait_for(&daemon, id, "is quarantined", |job| job.summary.is_quarantined());
    assert!(view.summary.reason.as_deref().is_some_and(|why| why.contains("the tree and its tables")), "{view:?}");
    // Its limit is lifted; the budget holds.
    let done = view.summary.units_done;
    let adjustment = Adjustment { limits: Some(own(1 << 30)), ..Adjustment::default() };
    daemon.adjust(id, adjustment).unwrap();
    daemon.command(id, JobCommand::Resume).unwrap();
    let view = wait_for(&daemon, id, "is quarantined again", |job| job.summary.is_quarantined());
    assert!(view.summary.reason.as_deref().is_some_and(|why| why.contains("larger --memory")), "{view:?}");
    assert!(view.summary.units_done > done);
    daemon.shutdown(Shutdown::Now);
}

/// The budget holds the tables of two of the four workers. What is left is not granted, so the tree can grow.
#[test]
fn a_job_that_gets_fewer_tables_than_it_wants_can_grow() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = try_open(|| DaemonOptions { memory: 200 << 20, ..options(dir.path(), 4) })
        .unwrap_or_else(|error| panic!("{error}"));
    let id = submit(&daemon, &json!({ "size": 6, "unit_budget": 100 }));
    let done = wait_for(&daemon, id, "has done units", |job| job.summary.units_done > 200).summary.units_done;
    std::thread::sleep(std::time::Duration::from_secs(3));
    let view =
        wait_for(&daemon, id, "does more", |job| job.summary.units_done > done || job.summary.is_quarantined());
    assert_eq!(view.summary.reason, None, "{view:?}");
    daemon.shutdown(Shutdown::Now);
}

#[test]
fn a_job_that_can_never_fit_does_not_block_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = with_memory(dir.path(), 100);
    let large = submit(&daemon, &json!({ "memory": "16M" }));
    wait_for(&daemon, large, "runs", running);
    daemon.shutdown(Shutdown::Now);
    drop(daemon);
    let daemon = with_memory(dir.path(), 20);
    let quarantined = |job: &morpion::daemon::view::JobView| job.summary.is_quarantined();
    wait_for(&daemon, large, "is quarantined", quarantined);
    let other = submit(&daemon, &json!({ "memory": "1M" }));
    wait_for(&daemon, other, "runs", running);
    daemon.command(large, JobCommand::Resume).unwrap();
    wait_for(&daemon, large, "is quarantined again", quarantined);
    let next = submit(&daemon, &json!({ "memory": "1M" }));
    wait_for(&daemon, next, "runs", running);
    daemon.shutdown(Shutdown::Now);
}

#[test]
fn a_job_whose_limit_is_too_low_waits_and_goes_on_with_a_higher_one() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = with_memory(dir.path(), 100);
    let request = json!({
        "kind": "solve", "limits": { "memory": 1 << 20 }, "settings": { "game": "reversi", "size": 4, "memory": "16M" }
    });
    let id = daemon.submit(serde_json::from_value(request).unwrap(), None).unwrap().summary.id;
    let job = wait_for(&daemon, id, "is quarantined", |job| job.summary.is_quarantined());
    let reason = job.summary.reason.unwrap_or_default();
    assert!(reason.contains("take 21 MiB of memory at least, and the limit is 1 MiB"), "{reason}");
    let limits: LimitsDocument = serde_json::from_value(json!({ "memory": 64 << 20 })).unwrap();
    daemon.adjust(id, Adjustment { limits: Some(limits), ..Adjustment::default() }).unwrap();
    daemon.command(id, JobCommand::Resume).unwrap();
    assert_eq!(wait_over(&daemon, id).summary.reason.as_deref(), Some("solved"));
    daemon.shutdown(Shutdown::Now);
}

/// Most memory that a process has taken, in bytes.
#[cfg(target_os = "linux")]
fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() << 10
}

/// Sixteen solver jobs as they come by default, on one worker: each turn fills the table of another one.
#[test]
#[cfg(target_os = "linux")]
fn many_solver_jobs_stay_within_the_budget() {
    let dir = tempfile::tempdir().unwrap();
    let budget = number("MORPION_TEST_BUDGET", 300);
    let mut command = command(dir.path());
    command.args(["--threads", "1", "--memory", &format!("{budget}M")]);
    let program = Program::launch(&mut command);
    for _ in 0..JOBS {
        program.submit(&solve(&json!({})));
    }
    let end = std::time::Instant::now() + std::time::Duration::from_secs(number("MORPION_TEST_SECONDS", 6));
    while std::time::Instant::now() < end {
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let taken = peak(program.process_id());
    println!("a budget of {budget} MiB: {} MiB at most", taken >> 20);
    assert!(taken < (budget + 100) << 20, "{taken} bytes");
    program.stop();
}

#[test]
fn a_job_that_ends_the_daemon_each_time_is_quarantined() {
    let dir = tempfile::tempdir().unwrap();
    let start = || Program::launch(command(dir.path()).args(["--quarantine-after", "3"]));
    let program = start();
    let id = program.submit(&solve(&json!({ "memory": "1M" })));
    let runs = |program: &Program| {
        wait_until("it runs", || program.job(id)["workers"].as_u64().is_some_and(|workers| workers > 0));
    };
    runs(&program);
    program.stop();
    // Ends in order do not count.
    for _ in 0..4 {
        let program = start();
        runs(&program);
        program.stop();
    }
    for _ in 0..3 {
        let program = start();
        runs(&program);
        program.kill();
    }
    let program = start();
    wait_until("it is quarantined", || program.job(id)["state"] == "paused");
    let reason = program.job(id)["reason"].as_str().unwrap_or_default().to_owned();
    assert!(reason.starts_with("quarantined: the daemon died 3 times"), "{reason}");
    let output = program.morpion(&["job", "wait", &id.to_string()]);
    assert_eq!(output.status.code(), Some(1));
    // The others run, it stays quarantined, and a person can resume it.
    let other = program.submit(&request(&small(1), &json!({})));
    assert_eq!(program.wait_over(other)["state"], "finished");
    program.stop();
    let program = start();
    assert_eq!(program.job(id)["reason"], reason);
    program.order(&format!("/jobs/{id}/resume"));
    runs(&program);
    assert_eq!(program.job(id)["reason"], Value::Null);
    program.stop();
}

/// Only the first of those that ran when the daemon died is quarantined: the others begin after it.
#[test]
fn a_job_that_ends_the_daemon_takes_no_other_one_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let start = || Program::launch(command(dir.path()).args(["--threads", "1", "--quarantine-after", "3"]));
    let mut program = start();
    let ids = [(); 3].map(|()| program.submit(&solve(&json!({ "memory": "1M" }))));
    for _ in 0..3 {
        wait_until("the first runs", || program.job(ids[0])["workers"].as_u64().is_some_and(|workers| workers > 0));
        program.kill();
        program = start();
    }
    wait_until("it is quarantined", || program.job(ids[0])["state"] == "paused");
    for id in &ids[1..] {
        wait_until("another one runs", || program.job(*id)["workers"].as_u64().is_some_and(|workers| workers > 0));
        assert_eq!(program.job(*id)["reason"], Value::Null);
    }
    program.stop();
}

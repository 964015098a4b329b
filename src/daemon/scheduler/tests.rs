//! What must hold at every moment, seen under the lock of the daemon.

use super::retention::Retention;
use super::state::{JobEntry, OverJob};
use super::{Daemon, DaemonOptions, Shutdown};
use crate::daemon::credit::CreditOptions;
use crate::daemon::records::JobRecord;
use crate::daemon::service::{JobCommand, Refusal, Service};
use crate::daemon::view::{JobId, JobRequest, JobState, JobView};
use crate::queue::local::LocalOptions;
use crate::store::Change;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

/// A guard against hanging, not a measure.
const PATIENCE: Duration = Duration::from_secs(240);

/// A daemon, whose units panic as long as the flag is set.
fn open(state: &Path, panics: &Arc<AtomicBool>) -> Arc<Daemon> {
    let panics = Arc::clone(panics);
    let options = DaemonOptions {
        state: state.to_owned(),
        workers: 2,
        queue: LocalOptions { quantum: Duration::from_millis(50), ..LocalOptions::default() },
        pace: Duration::from_millis(200),
        memory: 4 << 30,
        job_disk: 4 << 30,
        machine_quorum: 1,
        retention: Retention::default(),
        most_deaths: 0,
        credit: CreditOptions::default(),
        trap: Some(Arc::new(move |unit, _| assert!(!panics.load(Ordering::Relaxed), "unit {unit} is told to panic"))),
    };
    Daemon::open(options).unwrap()
}

fn submit(daemon: &Daemon, settings: Value) -> JobId {
    let request: JobRequest = serde_json::from_value(json!({ "kind": "hunt", "settings": settings })).unwrap();
    daemon.submit(request, None).unwrap().summary.id
}

fn wait_for(daemon: &Daemon, id: JobId, state: JobState) -> JobView {
    let end = Instant::now() + PATIENCE;
    loop {
        let view = daemon.job(id).unwrap();
        if view.summary.state == state {
            return view;
        }
        assert!(Instant::now() < end, "job {id} is not {state:?}: {view:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// One unit that does not end by itself.
fn long() -> Value {
    json!({ "strategy": "nrpa", "level": 5, "runs": 1, "seed": 1 })
}

/// The number of the end of a job that is over.
fn end_number(daemon: &Daemon, id: JobId) -> u64 {
    match daemon.lock().jobs.get(&id) {
        Some(JobEntry::Over(OverJob { end_number, .. })) => *end_number,
        _ => panic!("job {id} is not over"),
    }
}

#[test]
fn a_job_that_is_over_is_not_active_at_any_moment() {
    const JOBS: u64 = 60;
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), &Arc::default());
    let settings = |seed| json!({ "strategy": "random", "max_iterations": 50, "runs": 1, "seed": seed });
    let (mut looks, end) = (0u64, Instant::now() + PATIENCE);
    std::thread::scope(|scope| {
        scope.spawn(|| (0..JOBS).for_each(|seed| _ = submit(&daemon, settings(seed))));
        loop {
            let core = daemon.lock();
            looks += 1;
            for id in &core.active {
                let Some(JobEntry::Open(open)) = core.jobs.get(id) else { panic!("job {id} is over and active") };
                assert!(open.active.is_some(), "job {id} is active and has no coordinator");
            }
            let over = core.jobs.values().filter(|entry| matches!(entry, JobEntry::Over(_))).count() as u64;
            drop(core);
            if over == JOBS {
                break;
            }
            assert!(Instant::now() < end, "{over} of {JOBS} jobs are over after {looks} looks");
        }
    });
    daemon.shutdown(Shutdown::Now);
}

#[test]
fn a_failed_job_is_removed_or_tried_again_but_not_both() {
    let dir = tempfile::tempdir().unwrap();
    let panics = Arc::new(AtomicBool::new(true));
    let daemon = open(dir.path(), &panics);
    for round in 0..12 {
        panics.store(true, Ordering::Relaxed);
        let id = submit(&daemon, long());
        wait_for(&daemon, id, JobState::Failed);
        panics.store(false, Ordering::Relaxed);
        let together = Barrier::new(2);
        let (removal, retry) = std::thread::scope(|scope| {
            let removal = scope.spawn(|| {
                together.wait();
                daemon.remove(id)
            });
            together.wait();
            let retry = daemon.command(id, JobCommand::Retry);
            (removal.join().unwrap(), retry)
        });
        assert!(removal.is_ok() != retry.is_ok(), "round {round}: {removal:?}, {retry:?}");
        if removal.is_ok() {
            assert!(matches!(daemon.job(id), Err(Refusal::NotFound(_))), "round {round}");
            assert!(!dir.path().join(format!("jobs/{id}")).exists(), "round {round}");
        } else {
            wait_for(&daemon, id, JobState::Running);
            assert!(daemon.store.job(id).unwrap().is_some() && daemon.store.spec(id).unwrap().is_some());
            daemon.command(id, JobCommand::Cancel).unwrap();
            daemon.remove(id).unwrap();
        }
    }
    daemon.shutdown(Shutdown::Now);
}

#[test]
fn what_was_seen_of_an_earlier_end_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let panics = Arc::new(AtomicBool::new(true));
    let daemon = open(dir.path(), &panics);
    let id = submit(&daemon, long());
    wait_for(&daemon, id, JobState::Failed);
    let first = end_number(&daemon, id);
    daemon.command(id, JobCommand::Retry).unwrap();
    wait_for(&daemon, id, JobState::Failed);
    assert!(end_number(&daemon, id) > first);
    let stored = daemon.store.job(id).unwrap();
    // As when the job was tried again after the retention had chosen it.
    assert!(matches!(daemon.remove_over(id, first), Err(Refusal::Conflict(_))));
    daemon.summarise(id, first).unwrap();
    daemon.store.barrier().unwrap();
    assert_eq!(daemon.store.job(id).unwrap(), stored);
    daemon.summarise(id, end_number(&daemon, id)).unwrap();
    daemon.store.barrier().unwrap();
    assert_ne!(daemon.store.job(id).unwrap(), stored);
    daemon.shutdown(Shutdown::Now);
}

/// As when a coordinator ends while a client waits for its pause.
#[test]
fn a_pause_at_the_end_of_a_job_does_not_replace_the_record_of_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), &Arc::default());
    let id = submit(&daemon, long());
    let is_known = || match daemon.lock().jobs.get(&id) {
        Some(JobEntry::Open(open)) => open.active.as_ref().is_some_and(|active| active.live().standing.is_some()),
        _ => false,
    };
    let end = Instant::now() + PATIENCE;
    while !is_known() {
        assert!(Instant::now() < end, "it does not report");
        std::thread::sleep(Duration::from_millis(5));
    }
    // From here on its coordinator reports nothing.
    daemon.command(id, JobCommand::Pause).unwrap();
    let mut core = daemon.lock();
    let open = core.open(id).unwrap();
    let mut record = open.record.clone();
    (record.summary.state, open.ending) = (JobState::Finished, true);
    daemon.store.later(vec![Change::Job(id, record.bytes())]);
    drop(core);
    daemon.note_state(&record);
    daemon.keep_standing(id);
    daemon.note_open(id);
    daemon.store.barrier().unwrap();
    assert_eq!(daemon.store.job(id).unwrap(), Some(record.bytes()));
    let note = std::fs::read_to_string(dir.path().join(format!("jobs/{id}/job-state.jsonl"))).unwrap();
    assert_eq!(JobRecord::read(note.lines().next().unwrap().as_bytes()).unwrap().summary.state, JobState::Finished);
    daemon.lock().open(id).unwrap().ending = false;
    daemon.shutdown(Shutdown::Now);
}

//! The daemon below HTTP: jobs, what can be done to them, what is seen of them, and what a restart keeps.

use crate::daemons::*;
use morpion::daemon::scheduler::Shutdown;
use morpion::daemon::service::{Adjustment, GridFilter, JobCommand, JobFilter, Page, Refusal, Service};
use morpion::daemon::view::{EventKind, JobLimits, JobState, UnitState};
use morpion::morpion::variant::Variant;
use morpion::notation::records::known;
use serde_json::{Value, json};

fn none() -> Value {
    json!({})
}

#[test]
fn a_job_is_taken_run_and_shown() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let mut events = daemon.subscribe();
    let settings = json!({ "strategy": "nrpa", "level": 2, "variant": "5D", "runs": 6, "seed": 3, "keep_from": 50 });
    let view = daemon.submit(request(&settings, &json!({ "name": "six", "weight": 3 })), None).unwrap();
    assert_eq!(
        (view.summary.id, view.summary.name.as_str(), view.summary.weight, view.summary.seed),
        (1, "six", 3, Some(3))
    );
    assert_eq!((view.summary.variant, view.summary.strategy.as_deref()), (Some(Variant::D5), Some("nrpa")));
    assert_eq!((&view.settings["iterations"], &view.settings["adapt"]), (&100.into(), &"sequence".into()));
    let view = wait_over(&daemon, 1);
    assert_eq!(
        (view.summary.state, view.summary.reason.as_deref()),
        (JobState::Finished, Some("finished")),
        "{view:?}"
    );
    assert_eq!((view.summary.units_done, view.threads, view.summary.units_quarantined), (6, 0, 0));
    let best = view.summary.best.unwrap();
    assert!(
        best > 40 && view.summary.seconds > 0.0 && view.summary.began.unwrap() <= view.summary.ended.unwrap(),
        "{view:?}"
    );

    let units = all_units(&*daemon, 1);
    assert_eq!(units.iter().map(|unit| unit.unit).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    assert!(units.iter().all(|unit| unit.state == UnitState::Done && unit.attempts == 1));
    assert_eq!(units.iter().map(|unit| unit.iterations).sum::<u64>(), view.summary.iterations);
    assert_eq!(units.iter().map(|unit| unit.best).max(), view.summary.best);
    let of_job = GridFilter { job: Some(1), ..GridFilter::default() };
    let grids = all_grids(&*daemon, &of_job);
    assert!(grids.is_sorted_by(|a, b| a.score >= b.score), "longest first");
    assert_eq!((grids[0].score, grids[0].variant), (best, Variant::D5));
    let (grid, moves) = daemon.grid(view.best_grid.as_deref().unwrap()).unwrap();
    assert_eq!((grid.score, grid.moves.unwrap().len(), moves.moves.len()), (best, best as usize, best as usize));
    assert_eq!(moves.provenance.seed, Some(3));
    assert_eq!(all_grids(&*daemon, &GridFilter { variant: Some(Variant::T4), ..of_job.clone() }).len(), 0);
    let longest = GridFilter { min_score: Some(best), ..of_job };
    assert!(all_grids(&*daemon, &longest).iter().all(|grid| grid.score == best));

    let course = daemon.statistics(1).unwrap();
    assert_eq!(
        course.course.last().map(|point| (point.best, point.iterations)),
        Some((best, view.summary.iterations))
    );
    assert_eq!(course.units.iter().map(|(_, count)| count).sum::<u64>(), 6);
    assert_eq!(course.scores.len(), 3);
    for file in ["hunt.state", "events.jsonl", "main_progress.txt", "running_threads.txt", "archive/grids.bin"] {
        assert!(dir.path().join("jobs/1").join(file).exists(), "{file}");
    }
    assert!(dir.path().join(format!("jobs/1/{best}.txt")).exists());
    // What was told, and what of it is stored.
    let mut kinds = Vec::new();
    while let Ok(event) = events.try_recv() {
        kinds.push((event.id, serde_json::to_value(&event.what).unwrap()["event"].as_str().unwrap().to_owned()));
    }
    assert!(kinds.is_sorted_by(|a, b| a.0 < b.0), "{kinds:?}");
    for expected in ["submitted", "state", "best"] {
        assert!(kinds.iter().any(|(_, kind)| kind == expected), "{expected} in {kinds:?}");
    }
    wait_until("the events are stored", || {
        let stored = daemon.events(0, Some(1), 1000);
        let finished = |event: &morpion::daemon::view::EventView| {
            matches!(event.what, EventKind::State { state: JobState::Finished, .. })
        };
        stored.iter().any(finished)
    });
    let stored = daemon.events(0, None, 1000);
    assert!(stored.is_sorted_by(|a, b| a.id < b.id));
    assert_eq!(daemon.events(stored[1].id, None, 1), stored[2..3]);
    let health = daemon.health();
    assert_eq!((health.status.as_str(), health.workers, health.busy), ("ok", 2, 0));
    assert_eq!(health.jobs, [("finished".to_owned(), 1)].into());
}

#[test]
fn requests_that_make_no_sense_are_refused_and_nothing_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    let grid = "(28,28)\n(31,29) | -2\n(31,29) | -2\n";
    for (settings, others, expected) in [
        (none(), json!({ "kind": "dance" }), "there is no kind of job 'dance'"),
        (json!({ "speed": 3 }), none(), "settings: unknown key 'speed'"),
        (json!({ "sort": "fast" }), none(), "settings.sort: 'fast': expected one of coords, no"),
        (json!({ "level": 0, "strategy": "nrpa" }), none(), "0 is not in 1..=10"),
        (json!({ "directory": "/etc" }), none(), "directory is for the command line only"),
        (json!({ "dir": "/etc" }), none(), "dir is for the command line only"),
        (json!({ "config": "x" }), none(), "config is for the command line only"),
        (json!({ "init_file": ["/etc/passwd", 1] }), none(), "init_file is for the command line only"),
        (json!({ "init-dir": "/etc" }), none(), "init-dir is for the command line only"),
        (json!({ "stall_table": "/etc/passwd" }), none(), "no file is read"),
        (json!({ "strategy": "dfs", "runs": 3 }), none(), "settings.runs is not used by dfs; used by: reshape,"),
        (json!({ "seed": null }), none(), "seed: no value is given"),
        (none(), json!({ "priority": 101 }), "-100 to 100"),
        (none(), json!({ "weight": 0 }), "1 to 1000"),
        (none(), json!({ "limits": { "threads": 0 } }), "limits.threads"),
        (none(), json!({ "limits": { "seconds": -1.0 } }), "limits.seconds"),
        (json!({ "time": "5s" }), json!({ "limits": { "seconds": 6.0 } }), "limits.seconds and the setting"),
        (none(), json!({ "name": "" }), "the name is not valid: expected 1 to 128 characters"),
        (none(), json!({ "start": { "grid": grid } }), "start: line 3 (move 2)"),
        (none(), json!({ "start": { "grid": &grid[..20], "moves": 2 } }), "start: "),
        (json!({ "strategy": "perturb" }), json!({ "grids": ["noise"] }), "grids[0]: "),
        (
            json!({ "strategy": "nrpa" }),
            json!({ "grids": [&grid[..21]] }),
            "nrpa does not begin with grids; the strategies that do: reshape, regrow, relax, temper, permute, perturb",
        ),
    ] {
        let request = request(&settings, &others);
        match daemon.submit(request, None) {
            Err(Refusal::Invalid(text)) => assert!(text.contains(expected), "'{expected}' in: {text}"),
            other => panic!("{expected}: {other:?}"),
        }
    }
    assert!(all_jobs(&*daemon).is_empty());
    assert!(std::fs::read_dir(dir.path().join("jobs")).unwrap().next().is_none());
    for result in [daemon.job(1).map(drop), daemon.command(1, JobCommand::Pause).map(drop), daemon.remove(1)] {
        assert!(matches!(result, Err(Refusal::NotFound(_))), "{result:?}");
    }
    assert!(matches!(daemon.grid("../../etc/passwd"), Err(Refusal::NotFound(_))));
    let page = Page { limit: 5, cursor: Some("x".to_owned()) };
    assert!(matches!(daemon.jobs(&JobFilter::default(), &page), Err(Refusal::Invalid(_))));
    assert!(matches!(daemon.grids(&GridFilter::default(), &page), Err(Refusal::Invalid(_))));
}

#[test]
fn the_same_key_makes_one_job() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    let ids: Vec<u64> = std::thread::scope(|scope| {
        let submit = || daemon.submit(request(&small(1), &none()), Some("k")).unwrap().summary.id;
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(submit)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(ids.iter().all(|&id| id == ids[0]), "{ids:?}");
    assert_eq!(all_jobs(&*daemon).len(), 1);
    let other = daemon.submit(request(&small(2), &none()), Some("k"));
    assert!(matches!(other, Err(Refusal::Conflict(_))), "{other:?}");
    assert_ne!(daemon.submit(request(&small(1), &none()), Some("l")).unwrap().summary.id, ids[0]);
    wait_over(&daemon, ids[0]);
    daemon.remove(ids[0]).unwrap();
    assert!(!dir.path().join(format!("jobs/{}", ids[0])).exists());
    assert!(
        daemon.submit(request(&small(1), &none()), Some("k")).unwrap().summary.id > ids[0],
        "a number is used once"
    );
}

#[test]
fn pausing_frees_the_workers_and_a_restart_keeps_it() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let id = daemon.submit(request(&endless(1), &none()), None).unwrap().summary.id;
    wait_for(&daemon, id, "runs", |view| running(view) && view.summary.iterations > 0);
    let paused = carried_out(&daemon, id, JobCommand::Pause);
    assert_eq!((paused.summary.state, paused.threads), (JobState::Paused, 0));
    assert!(daemon.workers().iter().all(|worker| worker.job.is_none()));
    let at = daemon.job(id).unwrap();
    assert_eq!(daemon.command(id, JobCommand::Pause).unwrap().summary.state, JobState::Paused, "twice is once");
    assert_eq!(
        (daemon.job(id).unwrap().summary.iterations, daemon.job(id).unwrap().summary.seconds),
        (at.summary.iterations, at.summary.seconds)
    );
    let resumed = daemon.command(id, JobCommand::Resume).unwrap();
    assert_ne!(resumed.summary.state, JobState::Paused);
    wait_for(&daemon, id, "goes on", |view| running(view) && view.summary.iterations > at.summary.iterations);
    assert!(matches!(daemon.command(id, JobCommand::Resume), Err(Refusal::Conflict(_))));
    let paused = carried_out(&daemon, id, JobCommand::Pause);
    daemon.shutdown(Shutdown::Now);
    drop(daemon);
    let daemon = open(dir.path(), 2);
    let again = daemon.job(id).unwrap();
    assert_eq!((again.summary.state, again.threads), (JobState::Paused, 0));
    assert!(again.summary.iterations >= paused.summary.iterations && again.summary.iterations > 0);
    daemon.command(id, JobCommand::Resume).unwrap();
    wait_for(&daemon, id, "goes on", |view| running(view) && view.summary.iterations > again.summary.iterations);
    let cancelled = carried_out(&daemon, id, JobCommand::Cancel);
    assert_eq!((cancelled.summary.state, cancelled.threads), (JobState::Cancelled, 0));
    assert!(daemon.workers().iter().all(|worker| worker.job.is_none()));
    assert!(matches!(daemon.command(id, JobCommand::Resume), Err(Refusal::Conflict(_))));
    assert!(cancelled.best_grid.is_some_and(|key| daemon.grid(&key).is_ok()), "what it found stays");
}

#[test]
fn draining_ends_with_the_running_units() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    let settings = json!({ "strategy": "nrpa", "level": 3, "variant": "4D", "iterations": 60, "seed": 1 });
    let id = daemon.submit(request(&settings, &none()), None).unwrap().summary.id;
    wait_for(&daemon, id, "runs", |view| running(view) && view.summary.iterations > 0);
    let before = daemon.job(id).unwrap().summary.units_done;
    let draining = daemon.command(id, JobCommand::Drain).unwrap();
    assert!(matches!(draining.summary.state, JobState::Draining | JobState::Finished), "{draining:?}");
    // A restart in between changes nothing: what was begun is done, and no more.
    daemon.shutdown(Shutdown::Now);
    drop(daemon);
    let daemon = open(dir.path(), 1);
    let done = wait_over(&daemon, id);
    assert_eq!((done.summary.state, done.summary.reason.as_deref()), (JobState::Finished, Some("drained")));
    assert!(done.summary.units_done > before && done.summary.units_done <= before + 2, "{before} {done:?}");
    let waiting = daemon.submit(request(&endless(1), &none()), None).unwrap().summary.id;
    let other = daemon.submit(request(&endless(1), &none()), None).unwrap().summary.id;
    daemon.command(other, JobCommand::Pause).unwrap();
    daemon.command(waiting, JobCommand::Cancel).unwrap();
    daemon.command(other, JobCommand::Cancel).unwrap();
}

#[test]
fn limits_end_a_job() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let with =
        |limits: Value| daemon.submit(request(&endless(5), &json!({ "limits": limits })), None).unwrap().summary.id;
    let iterations = with(json!({ "iterations": 20_000 }));
    let seconds = with(json!({ "seconds": 0.2, "threads": 1 }));
    let memory = with(json!({ "memory": 1 << 20, "seconds": 0.5 }));
    let view = wait_over(&daemon, iterations);
    assert_eq!((view.summary.state, view.summary.reason.as_deref()), (JobState::Finished, Some("iterations")));
    assert!(view.summary.iterations >= 20_000);
    let view = wait_over(&daemon, seconds);
    assert_eq!((view.summary.state, view.summary.reason.as_deref()), (JobState::Finished, Some("time")));
    assert!(view.summary.seconds >= 0.2);
    let view = wait_over(&daemon, memory);
    assert!(
        view.summary.state == JobState::Finished
            || view.summary.reason.as_deref().is_some_and(|r| r.contains("memory"))
    );
    // A limit that is changed counts at once.
    let id = with(json!({}));
    wait_for(&daemon, id, "runs", running);
    let limits = JobLimits { workers: Some(1), ..JobLimits::default() };
    daemon.adjust(id, Adjustment { limits: Some(limits.into()), ..Adjustment::default() }).unwrap();
    wait_for(&daemon, id, "has one thread", |view| view.threads == 1);
    let limits = JobLimits { iterations: Some(1), ..JobLimits::default() };
    daemon.adjust(id, Adjustment { limits: Some(limits.into()), ..Adjustment::default() }).unwrap();
    assert_eq!(wait_over(&daemon, id).summary.reason.as_deref(), Some("iterations"));
    assert!(matches!(daemon.adjust(id, Adjustment::default()), Err(Refusal::Conflict(_))));
}

/// Its workers meet grids more quickly than they can be stored; the job hears of its limit all the same.
#[test]
fn a_hunt_that_keeps_very_many_grids_ends_in_time() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let settings = json!({ "strategy": "reshape", "variant": "5T", "seed": 8, "keep_from": 100 });
    let id = daemon.submit(request(&settings, &json!({ "limits": { "seconds": 1.0 } })), None).unwrap().summary.id;
    let view = wait_over(&daemon, id);
    assert_eq!(view.summary.reason.as_deref(), Some("time"));
    // Without the limit of waiting messages it takes half a minute.
    assert!(view.summary.seconds < 10.0, "{} s", view.summary.seconds);
}

/// A worker tells where its search stands while the search runs, though no other job wants the worker.
#[test]
fn a_worker_tells_the_phase_of_its_search() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    for (settings, phase) in
        [(endless(9), "call 1 of "), (json!({ "strategy": "reshape", "seed": 1 }), "tempering 1")]
    {
        let id = daemon.submit(request(&settings, &none()), None).unwrap().summary.id;
        wait_until(&format!("{phase} is told"), || {
            daemon.workers().iter().any(|worker| worker.phase.as_ref().is_some_and(|told| told.starts_with(phase)))
        });
        daemon.command(id, JobCommand::Cancel).unwrap();
        wait_over(&daemon, id);
    }
    daemon.shutdown(Shutdown::Now);
}

#[test]
fn priority_goes_first_and_equals_share() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let submit = |priority: i32| {
        daemon.submit(request(&endless(9), &json!({ "priority": priority })), None).unwrap().summary.id
    };
    let low = submit(0);
    wait_for(&daemon, low, "has both threads", |view| view.threads == 2);
    let high = submit(5);
    wait_for(&daemon, high, "has both threads", |view| view.threads == 2);
    assert_eq!(wait_for(&daemon, low, "waits", |view| view.threads == 0).summary.state, JobState::Queued);
    let listed = daemon.jobs(
        &JobFilter { state: Some(JobState::Running), ..JobFilter::default() },
        &Page { limit: 10, cursor: None },
    );
    assert!(listed.unwrap().items.iter().all(|view| view.summary.id == high));
    daemon.adjust(low, Adjustment { priority: Some(6), ..Adjustment::default() }).unwrap();
    wait_for(&daemon, low, "has both threads again", |view| view.threads == 2);
    daemon.adjust(low, Adjustment { priority: Some(5), ..Adjustment::default() }).unwrap();
    wait_for(&daemon, high, "has its share", |view| view.threads >= 1);
    wait_for(&daemon, low, "has its share", |view| view.threads >= 1);
    daemon.shutdown(Shutdown::Now);
}

#[test]
fn more_jobs_than_may_be_active_all_come_to_their_turn() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    let most = daemon.most_active();
    let long: Vec<u64> = (0..most as u64)
        .map(|seed| daemon.submit(request(&endless(seed), &none()), None).unwrap().summary.id)
        .collect();
    let waiting = daemon.submit(request(&small(1), &none()), None).unwrap().summary.id;
    let urgent = daemon.submit(request(&small(2), &json!({ "priority": 1 })), None).unwrap().summary.id;
    assert_eq!(wait_over(&daemon, urgent).summary.units_done, 2, "one of a lower priority has made room");
    assert_eq!(daemon.job(waiting).unwrap().summary.state, JobState::Queued);
    for &id in &long[..2] {
        daemon.command(id, JobCommand::Cancel).unwrap();
    }
    assert_eq!(wait_over(&daemon, waiting).summary.units_done, 2);
    daemon.shutdown(Shutdown::Now);
    drop(daemon);
    let daemon = open(dir.path(), 1);
    let states: Vec<JobState> = long[2..].iter().map(|&id| daemon.job(id).unwrap().summary.state).collect();
    assert!(states.iter().all(|state| !state.is_over()), "{states:?}");
    daemon.shutdown(Shutdown::Now);
}

#[test]
fn a_hunt_starts_from_a_position_and_from_grids() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let record = &known().unwrap()[0].grid;
    let msr = morpion::notation::msr::write_compact(record).unwrap();
    let settings = json!({ "strategy": "random", "max_iterations": 20, "runs": 1, "seed": 1 });
    let from = daemon
        .submit(request(&settings, &json!({ "start": { "grid": msr, "moves": 150 } })), None)
        .unwrap()
        .summary
        .id;
    let settings = json!({ "strategy": "perturb", "max_iterations": 20, "runs": 1, "seed": 1 });
    let perturbed = daemon.submit(request(&settings, &json!({ "grids": [msr] })), None).unwrap().summary.id;
    let view = wait_over(&daemon, from);
    assert!(view.summary.best.unwrap() >= 151, "{view:?}");
    let (_, grid) = daemon.grid(view.best_grid.as_deref().unwrap()).unwrap();
    assert_eq!(grid.moves[..150], record.moves[..150]);
    assert_eq!(wait_over(&daemon, perturbed).summary.best, Some(178));
    // Grids that are sent are kept once.
    let sent = daemon.add_grid(record.clone()).unwrap();
    assert_eq!((sent.score, sent.record.is_some(), sent.moves_left), (178, true, 0));
    let count = daemon.health().grids;
    daemon.add_grid(record.clone()).unwrap();
    assert_eq!(daemon.health().grids, count);
    let mut twice = record.clone();
    twice.moves[1] = twice.moves[0];
    assert!(matches!(daemon.add_grid(twice), Err(Refusal::Invalid(_))));
}

#[test]
fn a_gentle_shutdown_lets_the_running_units_end() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    let settings = json!({ "strategy": "nrpa", "level": 3, "variant": "4D", "iterations": 50, "seed": 1 });
    let id = daemon.submit(request(&settings, &none()), None).unwrap().summary.id;
    wait_for(&daemon, id, "runs", |view| running(view) && view.summary.iterations > 0);
    daemon.shutdown(Shutdown::WhenUnitsEnd);
    let view = daemon.job(id).unwrap();
    assert!(view.summary.units_done >= 1 && !view.summary.state.is_over(), "{view:?}");
    assert!(matches!(daemon.submit(request(&small(1), &none()), None), Err(Refusal::Unavailable(_))));
    drop(daemon);
    let daemon = open(dir.path(), 1);
    wait_for(&daemon, id, "goes on", |now| now.summary.units_done > view.summary.units_done);
    daemon.shutdown(Shutdown::Now);
}

/// Its grids stay in its folder: the archive of a daemon is of grids from the cross.
#[test]
fn a_hunt_from_another_start_leaves_the_archive_alone() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let ring = "oooo/o..o/o..o/oooo";
    let settings = json!({ "strategy": "random", "max_iterations": 50, "runs": 2, "start": ring, "keep_from": 3 });
    let view = daemon.submit(request(&settings, &none()), None).unwrap();
    assert_eq!((view.summary.name.as_str(), &view.settings["start"]), ("5T ring-4 random", &"ring-4".into()));
    let view = wait_over(&daemon, view.summary.id);
    let best = view.summary.best.unwrap();
    assert_eq!((view.summary.state, view.best_grid.as_deref()), (JobState::Finished, None), "{view:?}");
    assert!(best > 0 && all_grids(&*daemon, &GridFilter::default()).is_empty());
    let text = std::fs::read(dir.path().join("jobs/1/best.txt")).unwrap();
    let grid = morpion::notation::format::read(&text, None).unwrap().grid;
    assert_eq!((grid.score() as u32, grid.start.name().as_str()), (best, "ring-4"));
    let refused = daemon.add_grid(grid.clone()).unwrap_err();
    assert!(
        matches!(&refused, Refusal::Invalid(text) if text.contains("begins with ring-4: only grids from the cross are taken")),
        "{refused:?}"
    );
    // The grid can be started from; the start comes along, and another one is refused.
    let begin = json!({ "start": { "grid": String::from_utf8(text).unwrap(), "moves": 1 } });
    let settings = json!({ "strategy": "random", "max_iterations": 50, "runs": 1 });
    let view = daemon.submit(request(&settings, &begin), None).unwrap();
    assert_eq!(
        (view.summary.name.as_str(), &view.settings["start"]),
        ("5T ring-4 random from move 1", &"ring-4".into())
    );
    assert!(wait_over(&daemon, view.summary.id).summary.best.unwrap() > 1);
    for (settings, others, expected) in [
        (json!({ "start": "cross-5" }), begin, "the grid to start from begins with ring-4, not with cross-5"),
        (json!({ "start": "oo\no?" }), none(), "line 2, column 2: '?' is not a point"),
        (json!({ "start": "ring-99" }), none(), "there is no start 'ring-99'"),
        (json!({ "start": "o" }), none(), "no line of 5 can be drawn from the start, 1 point"),
        (json!({ "start": ring, "strategy": "temper" }), json!({ "grids": ["(28,28)\n"] }), "it begins with cross"),
    ] {
        let refused = daemon.submit(request(&settings, &others), None).unwrap_err();
        assert!(matches!(&refused, Refusal::Invalid(text) if text.contains(expected)), "{refused:?}");
    }
    close(daemon);
}

//! Solver jobs of the daemon: positions of two-player games solved by units, beside hunts and with what hunts can:
//! pausing, limits, priorities, a restart, `kill -9`.

use crate::daemons::*;
use crate::job;
use crate::stores::stores;
use morpion::core::setting::show_name;
use morpion::daemon::scheduler::{Daemon, Shutdown};
use morpion::daemon::service::{Adjustment, JobCommand, Refusal, Service};
use morpion::daemon::view::{EventKind, JobLimits, JobRequest, JobState, JobView, SolutionView, UnitState};
use morpion::games::reversi::board::ReversiBoard;
use morpion::games::reversi::position::{ReversiPosition, Start};
use morpion::jobs::tree::settings::{MOST_INITIAL_NODES, StoreKind, TreeSettings};
use morpion::jobs::tree::state::TreeState;
use morpion::runner::tree::file;
use rand::{Rng, RngExt};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

/// Fixed, so that a failure can be repeated as far as the clock allows.
const SEED: u64 = 20_262;

/// A request to solve a position with small tables.
fn solve(settings: &Value, others: &Value) -> JobRequest {
    let mut whole = json!({ "game": "reversi", "memory": "1M" });
    for (name, value) in settings.as_object().unwrap() {
        whole[name] = value.clone();
    }
    job("solve", &whole, others)
}

fn none() -> Value {
    json!({})
}

/// Many units, on 5x5: black wins by 13.
fn five() -> Value {
    json!({ "size": 5, "unit_budget": "8k", "fresh_tables": true })
}

/// More than any test waits for.
fn endless() -> Value {
    json!({ "size": 8, "unit_budget": "200k" })
}

fn submit(daemon: &Daemon, settings: &Value, others: &Value) -> u64 {
    daemon.submit(solve(settings, others), None).unwrap_or_else(|error| panic!("{settings}: {error}")).summary.id
}

/// What a solver job that is over has found.
fn solved(daemon: &Daemon, id: u64) -> SolutionView {
    let view = wait_over(daemon, id);
    assert_eq!(
        (view.summary.state, view.summary.reason.as_deref()),
        (JobState::Finished, Some("solved")),
        "{view:?}"
    );
    view.summary.solution.unwrap()
}

#[test]
fn a_position_is_solved_and_shown() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let id = submit(&daemon, &json!({ "size": 4, "user": "ada" }), &json!({ "name": "four" }));
    let found = solved(&daemon, id);
    assert_eq!((found.lower, found.upper, found.settled, found.side.as_str()), (-8, -8, true, "black"));
    assert_eq!((found.width, found.height, found.cells.as_str()), (4, 4, ".....OX..XO....."));
    assert_eq!((found.position.as_str(), found.goal.as_str()), ("-----OX--XO----- X", "exact"));
    // All four first moves are symmetric.
    assert_eq!(found.best_moves.len(), 4, "{found:?}");
    assert!(found.moves.iter().all(|m| (m.lower, m.upper) == (Some(-8), Some(-8))), "{found:?}");
    assert!(found.best_moves.contains(&found.line[0]) && found.tree_nodes > 1, "{found:?}");
    let units = found.units;
    assert_eq!(units.made, units.finished + units.split + units.cancelled);
    let view = daemon.job(id).unwrap();
    assert_eq!((view.summary.iterations, view.summary.units_done), (found.nodes, units.finished + units.split));
    assert_eq!((view.summary.strategy.as_deref(), &view.settings["game"]), (Some("special"), &"reversi".into()));

    let statistics = daemon.statistics(id).unwrap().solution.unwrap();
    let last = statistics.course.last().unwrap();
    assert_eq!((last.lower, last.upper, last.nodes), (-8, -8, found.nodes));
    assert!(statistics.course.is_sorted_by(|a, b| a.seconds <= b.seconds && a.lower <= b.lower));
    let all = |c: morpion::daemon::view::CreditView| c.accepted.nodes + c.not_needed.nodes + c.refused.nodes;
    assert_eq!(all(statistics.total), found.nodes);
    assert_eq!((statistics.users[0].user.as_str(), all(statistics.users[0].credit)), ("ada", found.nodes));
    assert_eq!(statistics.workers.iter().map(|worker| all(worker.credit)).sum::<u64>(), found.nodes);
    assert!(statistics.total.accepted.cpu_seconds > 0.0 && found.cpu_seconds > 0.0);

    let listed = all_units(&*daemon, id);
    assert_eq!(listed.len() as u64, units.made);
    assert!(listed.iter().all(|unit| unit.state == UnitState::Done), "{listed:?}");
    wait_until("the events are stored", || {
        let stored = daemon.events(0, Some(id), 1000);
        stored.iter().any(|e| matches!(e.what, EventKind::Bounds { lower: -8, upper: -8, settled: true, .. }))
    });
    // It is kept.
    daemon.shutdown(Shutdown::Now);
    drop(daemon);
    let daemon = open(dir.path(), 2);
    assert_eq!(daemon.job(id).unwrap().summary.solution.unwrap(), found);
    assert_eq!(daemon.statistics(id).unwrap().solution.unwrap(), statistics);
    daemon.remove(id).unwrap();
}

#[test]
fn all_that_can_be_asked_is_answered() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let ids: Vec<u64> = [
        json!({ "size": "4x6", "unit_budget": "5k" }),
        json!({ "size": "4x6", "unit_budget": "5k", "quorum": 2, "feeder": "random", "seed": 3 }),
        json!({ "size": 4, "start": "alternative", "algorithm": "negascout", "without": "killers,history" }),
        json!({ "size": "4x5", "value": "win-loss-draw" }),
        json!({ "size": "4x6", "threshold": 17 }),
        json!({ "size": 4, "position": "X-OO XXXO X-OO XOOO X", "empties": "winner" }),
        json!({ "game": "go", "size": 3, "unit_budget": "5k" }),
        json!({ "game": "go", "size": "2x2", "ko": "superko" }),
        json!({ "game": "go", "position": ".X./.O./... white" }),
    ]
    .iter()
    .map(|settings| submit(&daemon, settings, &none()))
    .collect();
    let found: Vec<SolutionView> = ids.iter().map(|&id| solved(&daemon, id)).collect();
    let exact = |found: &SolutionView| (found.lower == found.upper).then_some(found.lower);
    assert_eq!((exact(&found[0]), exact(&found[1]), exact(&found[2])), (Some(16), Some(16), Some(-3)));
    // Two agree and one more is there to decide.
    assert_eq!(daemon.statistics(ids[1]).unwrap().solution.unwrap().workers.len(), 3);
    assert!(found[3].lower > 0 && found[4].upper <= 16, "{found:?}");
    assert_eq!((exact(&found[6]), exact(&found[7])), (Some(9), Some(1)));
    assert_eq!((found[8].side.as_str(), found[8].cells.as_str(), found[8].width), ("white", ".X..O....", 3));
    let totals = all_jobs(&*daemon);
    assert!(totals.iter().all(|job| job.summary.kind == "solve" && job.summary.solution.is_some()));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    std::fs::write(dir.path().join("board"), "(;SZ[2])").unwrap();
    let file = dir.path().join("board");
    for (settings, others, expected) in [
        (json!({ "game": "chess" }), none(), "game: there is no 'chess'"),
        (json!({ "game": 3 }), none(), "game"),
        (json!({ "size": 3 }), none(), "width and height are 4 to 8"),
        (json!({ "speed": 3 }), none(), "unknown key 'speed'"),
        (json!({ "threads": 3 }), none(), "unknown key 'threads'"),
        (json!({ "state": "/etc" }), none(), "unknown key 'state'"),
        (json!({ "units": true }), none(), "unknown key 'units'"),
        (json!({ "text_only": true }), none(), "unknown key 'text_only'"),
        (json!({ "quorum": 0 }), none(), "settings.quorum: '0': 0 is not in 1..=9"),
        (json!({ "unit_budget": 0 }), none(), "0"),
        (json!({ "memory": 5 }), none(), "too little for a table"),
        (json!({ "user": "" }), none(), "1 to 64 characters"),
        (json!({ "without": "table" }), none(), "choose one by settings.algorithm"),
        (json!({ "position": "/etc/passwd" }), none(), "position"),
        (json!({ "game": "go", "position": file.to_str().unwrap() }), none(), "position"),
        (json!({ "size": 4, "position": "XXXX XXXX XXXX XXXX O" }), none(), "the game is over"),
        (json!({ "size": 4, "position": "-----OX--XO----- X\n-----OX--XO----- X" }), none(), "2 positions"),
        (json!({ "game": "go", "size": 5, "position": "../.." }), none(), "settings.size says 5x5"),
        (json!({ "game": "go", "size": 19 }), none(), "there is no 19x19 board for the solvers of go"),
        (json!({ "size": 4 }), json!({ "start": { "grid": "(28,28)" } }), "start and grids are for hunts"),
    ] {
        match daemon.submit(solve(&settings, &others), None) {
            Err(Refusal::Invalid(text)) => assert!(text.contains(expected), "'{expected}' in: {text}"),
            other => panic!("{expected}: {other:?}"),
        }
    }
    let request = request(&json!({ "size": 4 }), &json!({ "kind": "solve" }));
    assert!(matches!(daemon.submit(request, None), Err(Refusal::Invalid(text)) if text.contains("game is missing")));
    assert!(all_jobs(&*daemon).is_empty());
}

#[test]
fn hunts_and_solver_jobs_share_the_workers() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let hunt = daemon.submit(request(&crate::daemons::endless(1), &none()), None).unwrap().summary.id;
    wait_for(&daemon, hunt, "has both threads", |view| view.threads == 2);
    let solver = submit(&daemon, &endless(), &json!({ "priority": 5 }));
    wait_for(&daemon, solver, "has both threads", |view| view.threads == 2 && view.summary.iterations > 0);
    assert_eq!(wait_for(&daemon, hunt, "waits", |view| view.threads == 0).summary.state, JobState::Queued);
    // Between two units a worker may be the hunt's for a moment.
    let all = || daemon.workers().iter().all(|worker| worker.job == Some(solver));
    wait_until("both workers are the solver job's", all);
    daemon.adjust(hunt, Adjustment { priority: Some(6), ..Adjustment::default() }).unwrap();
    wait_for(&daemon, hunt, "has both threads again", |view| view.threads == 2);
    let at = wait_for(&daemon, solver, "stands still", |view| view.threads == 0).summary.iterations;
    // Held up in the midst of its search it searches no more: what the hunt does meanwhile says that time passes. A
    // worker that has just given way may still tell of its last nodes, so the count need not stand at once.
    let mut now = at;
    wait_until("the solver job stands still", || {
        let (from, before) = (
            daemon.job(hunt).unwrap().summary.iterations,
            std::mem::replace(&mut now, daemon.job(solver).unwrap().summary.iterations),
        );
        wait_for(&daemon, hunt, "goes on", |view| view.summary.iterations > from + 1000);
        before == now && daemon.job(solver).unwrap().summary.iterations == now
    });
    assert!(now >= at);
    // Equals share, by weight.
    daemon.adjust(solver, Adjustment { priority: Some(6), ..Adjustment::default() }).unwrap();
    wait_for(&daemon, solver, "has its share", |view| view.threads >= 1 && view.summary.iterations > now);
    wait_for(&daemon, hunt, "has its share", |view| view.threads >= 1);
    daemon.shutdown(Shutdown::Now);
}

#[test]
fn a_search_that_gives_way_loses_nothing() {
    let whole = |beside: bool| {
        let dir = tempfile::tempdir().unwrap();
        let daemon = open(dir.path(), 1);
        if beside {
            daemon.submit(request(&crate::daemons::endless(1), &none()), None).unwrap();
        }
        // Some units that each last for several turns, as slowly as possible.
        let settings =
            json!({ "size": "4x6", "algorithm": "alphabeta", "without": "bounds,etc", "unit_budget": "1G" });
        let id = submit(&daemon, &settings, &none());
        let found = solved(&daemon, id);
        let credit = daemon.statistics(id).unwrap().solution.unwrap().total;
        daemon.shutdown(Shutdown::Now);
        (found.lower, found.upper, found.tree_nodes, credit.accepted.units, credit.accepted.nodes)
    };
    let alone = whole(false);
    assert_eq!((alone.0, alone.1), (16, 16));
    assert_eq!(whole(true), alone);
}

#[test]
fn pausing_frees_the_workers_and_a_restart_keeps_it() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let id = submit(&daemon, &endless(), &none());
    wait_for(&daemon, id, "runs", |view| running(view) && view.summary.units_done > 3);
    let paused = carried_out(&daemon, id, JobCommand::Pause);
    assert_eq!((paused.summary.state, paused.threads), (JobState::Paused, 0));
    assert!(daemon.workers().iter().all(|worker| worker.job.is_none()));
    let at = daemon.job(id).unwrap();
    assert_eq!(daemon.command(id, JobCommand::Pause).unwrap().summary.state, JobState::Paused, "twice is once");
    std::thread::sleep(Duration::from_millis(100));
    let still = daemon.job(id).unwrap();
    assert_eq!((still.summary.iterations, still.summary.seconds), (at.summary.iterations, at.summary.seconds));
    daemon.command(id, JobCommand::Resume).unwrap();
    wait_for(&daemon, id, "goes on", |view| running(view) && view.summary.iterations > at.summary.iterations);
    let paused = carried_out(&daemon, id, JobCommand::Pause);
    daemon.shutdown(Shutdown::Now);
    drop(daemon);
    let daemon = open(dir.path(), 2);
    let again = daemon.job(id).unwrap();
    assert_eq!((again.summary.state, again.threads), (JobState::Paused, 0));
    assert!(
        again.summary.iterations >= paused.summary.iterations
            && again.summary.units_done >= paused.summary.units_done,
        "{again:?}"
    );
    daemon.command(id, JobCommand::Resume).unwrap();
    let on =
        wait_for(&daemon, id, "goes on", |view| running(view) && view.summary.iterations > again.summary.iterations);
    assert!(on.summary.seconds >= again.summary.seconds - 0.01 && on.summary.units_done >= again.summary.units_done);
    let cancelled = carried_out(&daemon, id, JobCommand::Cancel);
    assert_eq!((cancelled.summary.state, cancelled.threads), (JobState::Cancelled, 0));
    assert!(cancelled.summary.solution.is_some_and(|found| !found.settled && found.nodes > 0), "what it found stays");
    assert!(daemon.workers().iter().all(|worker| worker.job.is_none()));
}

#[test]
fn draining_and_limits_end_a_job() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let id = submit(&daemon, &endless(), &none());
    wait_for(&daemon, id, "runs", running);
    daemon.command(id, JobCommand::Drain).unwrap();
    let done = wait_over(&daemon, id);
    assert_eq!((done.summary.state, done.summary.reason.as_deref()), (JobState::Finished, Some("drained")));
    assert!(
        done.summary.units_done > 0
            && done.summary.solution.is_some_and(|found| found.units.open == 0 || !found.settled)
    );
    let with = |limits: Value| submit(&daemon, &endless(), &json!({ "limits": limits }));
    let view = wait_over(&daemon, with(json!({ "iterations": 100_000 })));
    assert_eq!((view.summary.state, view.summary.reason.as_deref()), (JobState::Finished, Some("iterations")));
    assert!(view.summary.iterations >= 100_000);
    let view = wait_over(&daemon, with(json!({ "seconds": 0.2, "threads": 1 })));
    assert_eq!((view.summary.state, view.summary.reason.as_deref()), (JobState::Finished, Some("time")));
    assert!(view.summary.seconds >= 0.2);
    assert_eq!(daemon.statistics(view.summary.id).unwrap().solution.unwrap().workers.len(), 1);
    // Two tables of a mebibyte are not to be had in one and a half: one worker.
    let view = wait_over(&daemon, with(json!({ "memory": 3 << 19, "iterations": 100_000 })));
    assert_eq!(view.summary.reason.as_deref(), Some("iterations"));
    assert_eq!(daemon.statistics(view.summary.id).unwrap().solution.unwrap().workers.len(), 1);
    let id = submit(&daemon, &json!({ "size": 6, "quorum": 2 }), &json!({ "limits": { "memory": 3 << 19 } }));
    let view = wait_for(&daemon, id, "is quarantined", |job| job.summary.is_quarantined());
    assert!(view.summary.reason.as_deref().is_some_and(|why| why.contains("limits.memory")), "{view:?}");
    let refused = daemon.submit(solve(&json!({ "size": 6, "memory": "8000000G" }), &none()), None);
    assert!(matches!(&refused, Err(Refusal::Invalid(why)) if why.contains("larger --memory")), "{refused:?}");
    // A limit that is changed counts at once.
    let id = with(none());
    wait_for(&daemon, id, "has both threads", |view| view.threads == 2);
    let one = JobLimits { workers: Some(1), ..JobLimits::default() };
    daemon.adjust(id, Adjustment { limits: Some(one.into()), ..Adjustment::default() }).unwrap();
    wait_for(&daemon, id, "has one thread", |view| view.threads == 1);
    let two = JobLimits { workers: Some(2), ..JobLimits::default() };
    daemon.adjust(id, Adjustment { limits: Some(two.into()), ..Adjustment::default() }).unwrap();
    wait_for(&daemon, id, "has both threads again", |view| view.threads == 2);
    let few = JobLimits { iterations: Some(1), ..JobLimits::default() };
    daemon.adjust(id, Adjustment { limits: Some(few.into()), ..Adjustment::default() }).unwrap();
    assert_eq!(wait_over(&daemon, id).summary.reason.as_deref(), Some("iterations"));
}

#[test]
fn units_that_break_down_are_tried_again_and_split() {
    let dir = tempfile::tempdir().unwrap();
    // The first attempt at the second unit, and all at the fifth: it is replaced by its children.
    let mut daemon = Apart::start(dir.path(), "once:1,always:4").unwrap();
    let id = daemon.submit(&solve(&five(), &none()));
    let job = daemon.wait_over(id);
    assert_eq!(
        (&job["reason"], &job["solution"]["lower"], &job["solution"]["upper"]),
        (&"solved".into(), &13.into(), &13.into())
    );
    let statistics = dir.path().join(format!("jobs/{id}/statistics.json"));
    let statistics: Value = serde_json::from_slice(&std::fs::read(statistics).unwrap()).unwrap();
    let failed: u64 = statistics["workers"].as_array().unwrap().iter().map(|w| w["failed"].as_u64().unwrap()).sum();
    // The queue counts attempts anew if a unit is withdrawn before its second one, so the second unit may fail thrice.
    assert!((4..=6).contains(&failed), "{failed}");
    daemon.stop();
}

/// What must be the same however a job of one worker was disturbed.
fn essence(job: &Value, state: &Path) -> Value {
    let statistics = state.join(format!("jobs/{}/statistics.json", job["id"]));
    let statistics: Value = serde_json::from_slice(&std::fs::read(statistics).unwrap()).unwrap();
    let found = &job["solution"];
    let accepted = &statistics["total"]["accepted"];
    json!({
        "reason": job["reason"], "lower": found["lower"], "upper": found["upper"], "tree": found["tree_nodes"],
        "made": found["units"]["made"], "finished": found["units"]["finished"], "best": found["best_moves"],
        "units": accepted["units"], "nodes": accepted["nodes"],
    })
}

/// A daemon in a new directory that was killed up to six times while it solved the first of two jobs of so many
/// units, and how often; nothing if that job was over before the first time.
fn kill_on_the_way(
    one: &JobRequest,
    two: &JobRequest,
    units: u64,
    rng: &mut impl Rng,
) -> Option<(TempDir, Apart, u32, [u64; 2])> {
    let dir = tempfile::tempdir().unwrap();
    let mut daemon = Apart::start(dir.path(), "").unwrap();
    let ids = [one, two].map(|job| daemon.submit(job));
    let (mut kills, mut seen) = (0, 0);
    for _ in 0..6 {
        // After so many units more, wherever that is.
        let next = seen + rng.random_range(1..units / 8);
        let mut over = false;
        wait_until("some units are done", || {
            let job = daemon.get(&json!({ "do": "job", "id": ids[0] }));
            over = job["state"] == "finished";
            seen = seen.max(job["units_done"].as_u64().unwrap());
            over || seen >= next
        });
        if over {
            break;
        }
        daemon.kill();
        kills += 1;
        daemon = Apart::start(dir.path(), "").unwrap();
    }
    if kills == 0 {
        daemon.stop();
        return None;
    }
    Some((dir, daemon, kills, ids))
}

#[test]
fn killed_at_any_moment_it_loses_no_finished_unit() {
    let whole = tempfile::tempdir().unwrap();
    let one = solve(&five(), &json!({ "limits": { "threads": 1 } }));
    let two = solve(&json!({ "size": 5, "unit_budget": "8k", "quorum": 2 }), &none());
    let mut daemon = Apart::start(whole.path(), "").unwrap();
    let id = daemon.submit(&one);
    let job = daemon.wait_over(id);
    let expected = essence(&job, whole.path());
    assert_eq!(
        (&expected["lower"], &expected["upper"], &expected["reason"]),
        (&13.into(), &13.into(), &"solved".into())
    );
    let units = expected["finished"].as_u64().unwrap();
    assert!(units > 100, "{expected}");
    daemon.stop();

    let mut rng = morpion::core::seed::rng(SEED, &[]);
    for store in stores() {
        let [mut one, mut two] = [one.clone(), two.clone()];
        for job in [&mut one, &mut two] {
            job.settings.insert("store".to_owned(), show_name(&store).into());
        }
        // On a quick processor the job may be over before it was killed; then it is tried again.
        let killed = (0..50).find_map(|_| kill_on_the_way(&one, &two, units, &mut rng));
        let (dir, mut daemon, kills, [first, second]) = killed.expect("a job of hundreds of units is killed");
        let job = daemon.wait_over(first);
        assert_eq!(essence(&job, dir.path()), expected, "{store:?}, seed {SEED}, {kills} kills");
        assert!(dir.path().join(format!("jobs/{first}")).join(file::name(store)).exists());
        let units = daemon.get(&json!({ "do": "units", "id": first }));
        assert_eq!(units.as_array().unwrap().len() as u64, job["solution"]["units"]["made"].as_u64().unwrap());
        let job = daemon.wait_over(second);
        let found = &job["solution"];
        assert_eq!((&found["lower"], &found["upper"], &found["settled"]), (&13.into(), &13.into(), &true.into()));
        daemon.stop();
    }
}

/// Nodes of a tree that begins with so many plies. Which positions there are does not depend on how far one looks
/// ahead.
fn nodes_of(size: u8, plies: u32) -> u64 {
    let root = ReversiPosition::new(ReversiBoard::new(size, size).unwrap(), Start::Standard);
    let mut state = TreeState::new(root, TreeSettings { look_ahead: 0, ..TreeSettings::default() }).unwrap();
    assert!(state.grow(plies, MOST_INITIAL_NODES, &mut || false, &mut Vec::new()).unwrap());
    state.nodes().len() as u64
}

/// The first plies are there before the first unit, also after a pause and a restart on the way.
#[test]
fn a_job_begins_with_some_plies_of_its_tree() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let small = submit(&daemon, &json!({ "size": 4, "initial_depth": 4 }), &none());
    let found = solved(&daemon, small);
    assert_eq!((found.lower, found.upper), (-8, -8));
    let without = solved(&daemon, submit(&daemon, &json!({ "size": 4 }), &none()));
    assert!(found.tree_nodes >= nodes_of(4, 4) && nodes_of(4, 4) > without.tree_nodes, "{found:?} {without:?}");
    assert_eq!(daemon.job(small).unwrap().settings["initial_depth"], 4);
    let whole = nodes_of(6, 8);
    let large = submit(&daemon, &json!({ "size": 6, "initial_depth": 8 }), &none());
    let nodes = |view: &JobView| view.summary.solution.as_ref().unwrap().tree_nodes;
    wait_for(&daemon, large, "grows", |view| nodes(view) > whole / 100);
    daemon.command(large, JobCommand::Pause).unwrap();
    let paused = wait_for(&daemon, large, "is paused", |view| view.summary.state == JobState::Paused);
    let units = |view: &JobView| view.summary.solution.as_ref().unwrap().units.made;
    assert!(nodes(&paused) < whole && units(&paused) == 0, "{whole} nodes are to come: {paused:?}");
    daemon.shutdown(Shutdown::Now);
    drop(daemon);
    let daemon = open(dir.path(), 2);
    daemon.command(large, JobCommand::Resume).unwrap();
    let grown = wait_for(&daemon, large, "has units", |view| units(view) > 0);
    assert!((whole..whole + 1000).contains(&nodes(&grown)), "{whole} nodes were to come: {grown:?}");
    daemon.command(large, JobCommand::Cancel).unwrap();
}

#[cfg(not(feature = "sqlite"))]
#[test]
fn without_sqlite_the_daemon_says_what_to_build() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    match daemon.submit(solve(&json!({ "size": 4, "store": "sqlite" }), &none()), None) {
        Err(Refusal::Invalid(text)) => assert!(text.contains("cargo build --release --features sqlite"), "{text}"),
        other => panic!("{other:?}"),
    }
    assert!(all_jobs(&*daemon).is_empty());
}

#[test]
fn a_damaged_file_quarantines_the_job_and_is_left_alone() {
    stores().into_iter().for_each(damaged_and_left_alone);
}

fn damaged_and_left_alone(store: StoreKind) {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    let mut settings = endless();
    settings["store"] = show_name(&store).into();
    let id = submit(&daemon, &settings, &none());
    wait_for(&daemon, id, "runs", running);
    daemon.shutdown(Shutdown::Now);
    drop(daemon);
    let name = file::name(store);
    let file = dir.path().join(format!("jobs/{id}/{name}"));
    let whole = std::fs::read(&file).unwrap();
    // One bit of the commit slot in use, or of the size of a page, and something else altogether.
    let mut flipped = whole.clone();
    flipped[if store == StoreKind::Redb { 64 + 128 * usize::from(whole[9] & 1) + 8 } else { 16 }] ^= 4;
    for content in [b"no database".to_vec(), flipped] {
        std::fs::write(&file, &content).unwrap();
        let daemon = open(dir.path(), 1);
        let view = wait_for(&daemon, id, "is quarantined", |view| view.summary.is_quarantined());
        assert!(
            view.summary.reason.as_deref().is_some_and(|why| why.contains(&format!("{name} is damaged"))),
            "{view:?}"
        );
        assert_eq!(std::fs::read(&file).unwrap(), content);
        // The others run, and it can be resumed when the file is whole again.
        wait_over(&daemon, submit(&daemon, &five(), &none()));
        assert!(daemon.job(id).unwrap().summary.is_quarantined());
        std::fs::write(&file, &whole).unwrap();
        daemon.command(id, JobCommand::Resume).unwrap();
        let view = wait_for(&daemon, id, "runs", running);
        assert_eq!(view.summary.reason, None);
        daemon.shutdown(Shutdown::Now);
        assert_eq!(daemon.job(id).unwrap().summary.reason, None);
    }
}

//! Proofs as jobs of the daemon: what is refused, and with the solver of linear programs what is proved, found, shown,
//! paused, shared with other jobs, and kept through a restart and `kill -9`.

use crate::assert_refused;
use crate::daemons::*;
use serde_json::{Value, json};

/// Rosin's hull and so many moves.
fn rosin(moves: u32) -> Value {
    json!({ "moves": moves, "hull": grid_text("5D-82-rosin.txt") })
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    for (settings, others, reason) in [
        (json!({ "box": "1,1,1,1" }), json!({}), "the number of moves is missing"),
        (json!({ "moves": 50 }), json!({}), "the region is missing"),
        (json!({ "moves": 50, "box": [1, 1, 1] }), json!({}), "expected four numbers"),
        (json!({ "moves": 50, "hull": "no grid" }), json!({}), "settings.hull"),
        (json!({ "moves": 50, "level": 3 }), json!({}), "unknown key 'level'"),
        (rosin(85), json!({ "grids": ["x"] }), "start and grids are for hunts"),
    ] {
        assert_refused(&daemon, "prove", &settings, &others, reason);
    }
    assert!(all_jobs(&*daemon).is_empty());
}

#[cfg(not(feature = "prove"))]
#[test]
fn without_the_solver_the_daemon_says_what_to_build() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    assert_refused(&daemon, "prove", &rosin(85), &json!({}), "cargo build --release --features prove");
    assert!(all_jobs(&*daemon).is_empty());
}

/// With the solver.
#[cfg(feature = "prove")]
mod solved {
    use super::*;
    use crate::{job, submit};
    use morpion::daemon::scheduler::Shutdown;
    use morpion::daemon::service::{GridFilter, JobCommand, Service};
    use morpion::daemon::view::{EventKind, JobState, ProofView, UnitState};
    use morpion::proofs::check::check;
    use morpion::runner::proving::{CERTIFICATE, PROOF};
    use std::path::{Path, PathBuf};

    fn folder(state: &Path, id: u64) -> PathBuf {
        state.join("jobs").join(id.to_string())
    }

    /// Where a proof that is over is complete, by its state and by the checker.
    fn assert_proved(view: &Value, state: &Path) {
        assert_eq!((&view["state"], &view["reason"]), (&json!("finished"), &json!("proved")), "{view}");
        let proof = &view["proof"];
        let whole = (&proof["end"], &proof["closed"], &proof["units_open"], &proof["grids"]);
        assert_eq!(whole, (&json!("proved"), &json!(1.0), &json!(0), &json!(0)), "{view}");
        assert_eq!((&proof["units_done"], &proof["nodes"]), (&view["units_done"], &view["iterations"]), "{view}");
        let folder = folder(state, view["id"].as_u64().unwrap());
        for file in [PROOF, CERTIFICATE] {
            let checked = check(&std::fs::read(folder.join(file)).unwrap(), &mut |_, _| {}).unwrap();
            assert!(checked.is_complete() && checked.is_octagon, "{checked:?}");
            assert_eq!(Value::from(checked.moves), proof["moves"]);
            assert_eq!(Value::from(checked.units), proof["units_done"]);
            assert_eq!(Value::from(checked.shapes), proof["shapes"]);
        }
    }

    #[test]
    fn a_region_is_proved_and_shown() {
        let dir = tempfile::tempdir().unwrap();
        let daemon = open(dir.path(), 2);
        let id = submit(&daemon, "prove", &rosin(85), &json!({}));
        let view = wait_over(&daemon, id);
        assert_proved(&serde_json::to_value(&view).unwrap(), dir.path());
        assert_eq!(view.summary.name, "no 85 moves of 5D in the octagon hull of a grid of 82 moves");
        let proof: ProofView = view.summary.proof.clone().unwrap();
        assert_eq!((proof.points, proof.moves, view.summary.best), (112, 85, None));
        assert!(proof.shapes >= 10 && proof.programs > proof.nodes && proof.cpu_seconds > 0.0, "{proof:?}");
        let course = daemon.statistics(id).unwrap().proof.unwrap().course;
        let last = course.last().unwrap();
        assert_eq!((last.closed, last.units_open, last.nodes, last.shapes), (1.0, 0, proof.nodes, proof.shapes));
        assert!(course.is_sorted_by(|a, b| a.seconds <= b.seconds && a.closed <= b.closed), "{course:?}");
        let units = all_units(&*daemon, id);
        assert_eq!(units.len() as u64, proof.units_done);
        assert!(units.iter().all(|unit| unit.state == UnitState::Done), "{units:?}");
        // It is kept.
        daemon.shutdown(Shutdown::Now);
        drop(daemon);
        let daemon = open(dir.path(), 2);
        assert_eq!(daemon.job(id).unwrap().summary.proof.unwrap(), proof);
        assert_eq!(daemon.statistics(id).unwrap().proof.unwrap().course, course);
        daemon.remove(id).unwrap();
    }

    #[test]
    fn a_grid_that_is_met_ends_the_proof_and_is_stored() {
        let dir = tempfile::tempdir().unwrap();
        let daemon = open(dir.path(), 2);
        let start = grid_text("starts/5D-82-rosin-first-30.txt");
        let id = submit(&daemon, "prove", &json!({ "moves": 30, "hull": start, "variant": "5D" }), &json!({}));
        let view = wait_over(&daemon, id);
        let state = (view.summary.state, view.summary.reason.as_deref(), view.summary.best);
        assert_eq!(state, (JobState::Finished, Some("target"), Some(30)), "{view:?}");
        let proof = view.summary.proof.unwrap();
        assert_eq!((proof.end.as_str(), proof.grids), ("grid", 1));
        let grids = all_grids(&*daemon, &GridFilter { job: Some(id), ..GridFilter::default() });
        assert_eq!(grids.iter().map(|grid| grid.score).collect::<Vec<_>>(), [30]);
        assert_eq!(view.best_grid.as_ref(), Some(&grids[0].key));
        wait_until("the event is stored", || {
            let stored = daemon.events(0, Some(id), 1000);
            stored.iter().any(|event| matches!(event.what, EventKind::Best { score: 30, .. }))
        });
    }

    #[test]
    fn a_proof_is_paused_resumed_and_outlives_the_daemon() {
        let dir = tempfile::tempdir().unwrap();
        let daemon = open(dir.path(), 2);
        let id = submit(&daemon, "prove", &rosin(84), &json!({ "limits": { "workers": 1 } }));
        wait_for(&daemon, id, "it has begun", |view| view.summary.units_done >= 1);
        carried_out(&daemon, id, JobCommand::Pause);
        let paused = wait_for(&daemon, id, "it is paused", |view| view.summary.state == JobState::Paused);
        let proof = paused.summary.proof.clone().unwrap();
        assert!(paused.workers == 0 && proof.end == "open" && proof.units_open > 0, "{paused:?}");
        assert!(proof.closed < 1.0, "{paused:?}");
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert_eq!(daemon.job(id).unwrap().summary.proof, Some(proof.clone()), "it does nothing while it is paused");
        daemon.command(id, JobCommand::Resume).unwrap();
        wait_for(&daemon, id, "it goes on", |view| view.summary.units_done > proof.units_done);
        daemon.shutdown(Shutdown::Now);
        drop(daemon);
        let daemon = open(dir.path(), 2);
        let view = wait_over(&daemon, id);
        assert_proved(&serde_json::to_value(&view).unwrap(), dir.path());
    }

    /// Units give way to those of other jobs after each slice, and the proof gets on.
    #[test]
    fn a_proof_shares_its_worker_with_a_hunt() {
        let dir = tempfile::tempdir().unwrap();
        let daemon = open(dir.path(), 1);
        let hunt = daemon.submit(request(&endless(SEED), &json!({})), None).unwrap().summary.id;
        wait_for(&daemon, hunt, "the hunt runs", running);
        let id = submit(&daemon, "prove", &rosin(85), &json!({}));
        let before = daemon.job(hunt).unwrap().summary.iterations;
        let view = wait_over(&daemon, id);
        assert_proved(&serde_json::to_value(&view).unwrap(), dir.path());
        wait_for(&daemon, hunt, "the hunt has got on, too", |view| view.summary.iterations > before);
    }

    #[test]
    fn a_limit_ends_it_and_what_is_closed_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let daemon = open(dir.path(), 1);
        let id = submit(&daemon, "prove", &rosin(83), &json!({ "limits": { "iterations": 50 } }));
        let view = wait_over(&daemon, id);
        let state = (view.summary.state, view.summary.reason.as_deref());
        assert_eq!(state, (JobState::Finished, Some("iterations")), "{view:?}");
        let proof = view.summary.proof.unwrap();
        assert!(proof.end == "open" && proof.closed < 1.0 && proof.nodes >= 50, "{proof:?}");
        let checked = check(&std::fs::read(folder(dir.path(), id).join(PROOF)).unwrap(), &mut |_, _| {}).unwrap();
        assert_eq!((checked.open, checked.is_complete()), (proof.units_open, false));
    }

    #[test]
    fn a_unit_that_fails_three_times_ends_the_job_and_loses_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let mut daemon = Apart::start(dir.path(), "always:2").unwrap();
        let id = daemon.submit(&job("prove", &rosin(84), &json!({ "limits": { "workers": 1 } })));
        let job = daemon.wait_over(id);
        assert_eq!(job["state"], "failed", "{job}");
        assert!(job["reason"].as_str().unwrap().contains("unit 2"), "{job}");
        daemon.stop();
        let checked = check(&std::fs::read(folder(dir.path(), id).join(PROOF)).unwrap(), &mut |_, _| {}).unwrap();
        assert!(checked.units >= 1 && checked.open >= 1, "{checked:?}");
    }

    #[test]
    fn killed_at_any_moment_it_loses_no_finished_unit() {
        let dir = tempfile::tempdir().unwrap();
        let mut daemon = Apart::start(dir.path(), "").unwrap();
        let id = daemon.submit(&job("prove", &rosin(84), &json!({})));
        let (mut kills, mut least) = (0, 0);
        for _ in 0..4 {
            let (mut over, mut done) = (false, 0);
            wait_until("some units are done", || {
                let job = daemon.get(&json!({ "do": "job", "id": id }));
                over = job["state"] == "finished";
                done = job["proof"]["units_done"].as_u64().unwrap();
                over || done > least
            });
            if over {
                break;
            }
            daemon.kill();
            kills += 1;
            let bytes = std::fs::read(folder(dir.path(), id).join(PROOF)).unwrap();
            // A frame that was under way may be cut off; what was told is there.
            if let Ok(checked) = check(&bytes, &mut |_, _| {}) {
                assert!(checked.units >= done, "kill {kills}: {checked:?}");
            }
            least = done;
            daemon = Apart::start(dir.path(), "").unwrap();
        }
        let job = daemon.wait_over(id);
        assert!(kills >= 1, "it was over before it was killed");
        daemon.stop();
        assert_proved(&job, dir.path());
    }
}

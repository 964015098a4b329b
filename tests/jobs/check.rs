//! Plans of Gomoku that are checked as jobs of the daemon: what is refused, that what is counted is what `morpion
//! plan check` counts, whatever a unit is, what a hole does, and what a restart and `kill -9` cost.

use crate::daemons::program::Program;
use crate::daemons::*;
use crate::{assert_lines_refused, assert_refused, job, run, run_line, submit};
use morpion::daemon::service::{JobCommand, Service};
use morpion::daemon::view::{CheckView, HoleView, JobState, JobView};
use serde_json::{Value, json};

/// A plan that holds, with 19 moves.
const PLAN: &str = include_str!("../plans/nineteen.plan");
/// A line without which it does not hold.
const HOLE: &str = "5 j10 k9";
/// What is wrong where a plan lacks a move.
const NO_MOVE: &str = "the plan has no move here, and threats are not found to win";

/// The plan without the line that is this one.
fn without(line: &str) -> String {
    let left: Vec<&str> = PLAN.lines().filter(|one| *one != line).collect();
    assert_eq!(left.len() + 1, PLAN.lines().count(), "{line}");
    left.join("\n")
}

/// What `morpion plan check` says of a plan.
fn by_command(plan: &str) -> Value {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.plan"), plan).unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_morpion"));
    let arguments = ["plan", "check", "a.plan", "--json", "--quiet", "--threads", "1"];
    let output = command.args(arguments).current_dir(dir.path()).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// That a job has counted what the command has counted.
fn assert_counted(found: &CheckView, told: &Value) {
    let counted = json!([found.checked, found.replies, found.planned, found.by_threats, found.positions]);
    let expected = ["checked", "replies", "planned", "by_threats", "positions"].map(|name| told[name].clone());
    assert_eq!(counted, Value::from(expected.to_vec()), "{found:?}");
    assert_eq!((found.moves, found.wins.as_str()), (told["moves"].as_u64().unwrap(), told["wins"].as_str().unwrap()));
    assert_eq!(found.start_answered, Some(told["start"].as_bool().unwrap()));
    for (hole, told) in [(&found.hole, &told["hole"]), (&found.unanswered, &told["unanswered"])] {
        let words = |moves: &Value| {
            let names: Vec<&str> = moves.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
            names.join(" ")
        };
        match hole {
            None => assert!(told.is_null(), "{told}"),
            Some(hole) => {
                assert_eq!(hole.moves, words(&told["moves"]));
                assert_eq!(told["reason"], hole.reason);
            }
        }
    }
}

/// What a job comes to on a daemon of its own that is left alone.
fn left_alone(settings: &Value, workers: u32) -> JobView {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(&dir.path().join("state"), workers);
    let id = submit(&daemon, "check", settings, &json!({}));
    wait_over(&daemon, id)
}

fn ended(view: &JobView) -> (JobState, Option<&str>) {
    (view.summary.state, view.summary.reason.as_deref())
}

/// What does not depend on the processor.
fn essence(view: &CheckView) -> CheckView {
    CheckView { cpu_seconds: 0.0, ..view.clone() }
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    for (settings, others, reason) in [
        (json!({}), json!({}), "plan is missing: expected the lines of a plan, or a file of them"),
        (json!({ "plan": "/etc/hosts" }), json!({}), "settings.plan: there is no such file as '/etc/hosts'"),
        (json!({ "plan": format!("{PLAN}2 i8 zz") }), json!({}), "settings.plan: line 24: "),
        (json!({ "plan": PLAN, "moves": 0 }), json!({}), "0 is not in 1..="),
        (json!({ "plan": PLAN }), json!({ "grids": ["x"] }), "start and grids are for hunts"),
    ] {
        assert_refused(&daemon, "check", &settings, &others, reason);
    }
    assert!(all_jobs(&*daemon).is_empty());
}

/// Whatever a unit is and however many workers there are, what is counted is what the command counts.
#[test]
fn a_plan_that_holds_is_proved() {
    let told = by_command(PLAN);
    assert_eq!((&told["end"], &told["checked"]), (&"proven".into(), &19.into()), "{told}");
    for (unit_moves, workers, units) in [(1, 3, 19), (7, 2, 3)] {
        let view = left_alone(&json!({ "plan": PLAN, "moves": unit_moves }), workers);
        assert_eq!(ended(&view), (JobState::Finished, Some("proved")), "{view:?}");
        let found = view.summary.check.unwrap();
        assert_counted(&found, &told);
        assert_eq!(found.title, "gomoku 15x15, given position, exactly 5 in a row");
        assert_eq!((view.summary.units_done, view.summary.iterations), (units, found.replies));
        assert_eq!(found.unit_moves, unit_moves);
        assert!(found.cpu_seconds > 0.0 && found.start == "g8i9h8g7i7h7", "{found:?}");
    }
}

/// The first move that does not hold ends the job, and it is the same whatever a unit is.
#[test]
fn a_plan_with_a_hole_is_refuted() {
    let plan = without(HOLE);
    let told = by_command(&plan);
    assert_eq!((&told["end"], &told["hole"]["reason"]), (&"refused".into(), &NO_MOVE.into()), "{told}");
    let mut number = None;
    for (unit_moves, workers) in [(1, 3), (20, 1)] {
        let view = left_alone(&json!({ "plan": plan, "moves": unit_moves }), workers);
        assert_eq!(ended(&view), (JobState::Finished, Some("refuted")), "{view:?}");
        let found = view.summary.check.unwrap();
        assert_counted(&found, &told);
        // All moves before it hold.
        let hole = found.hole.unwrap();
        assert_eq!((hole.number, found.checked), (Some(found.checked), *number.get_or_insert(found.checked)));
        // Other workers may be far ahead of the one that looks for a victory in vain.
        assert!(workers > 1 || view.summary.units_done == found.checked / unit_moves + 1, "{hole:?}");
    }
}

/// A plan that is not finished is checked to its end; what its first position lacks is told.
#[test]
fn a_plan_that_does_not_answer_all_replies_is_finished() {
    // The last lines are of the first position, and of what follows its move.
    let open: Vec<&str> = PLAN.lines().take_while(|line| *line != "0 - j6").collect();
    let open = open.join("\n");
    let told = by_command(&open);
    assert_eq!((&told["end"], &told["hole"]), (&"open".into(), &Value::Null), "{told}");
    let view = left_alone(&json!({ "plan": open, "moves": 2 }), 2);
    assert_eq!(ended(&view), (JobState::Finished, Some("finished")), "{view:?}");
    let found = view.summary.check.unwrap();
    assert_counted(&found, &told);
    let nowhere = HoleView { number: None, moves: String::new(), reason: NO_MOVE.to_owned() };
    assert_eq!((found.checked, found.unanswered), (found.moves, Some(nowhere)));
}

/// Units that were under way when the job was paused, or the daemon stopped, are computed again.
#[test]
fn it_goes_on_after_a_pause_and_a_stop() {
    let settings = json!({ "plan": PLAN, "moves": 1 });
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let daemon = open(&state, 2);
    let id = submit(&daemon, "check", &settings, &json!({}));
    let checked = |view: &JobView| view.summary.check.as_ref().map_or(0, |found| found.checked);
    wait_for(&daemon, id, "some moves are checked", |view| checked(view) >= 2);
    let paused = carried_out(&daemon, id, JobCommand::Pause);
    assert_eq!(paused.summary.state, JobState::Paused, "it was over: {paused:?}");
    close(daemon);
    let daemon = open(&state, 2);
    let again = daemon.command(id, JobCommand::Resume).unwrap();
    assert!(checked(&again) >= 2, "{again:?}");
    wait_for(&daemon, id, "further moves are checked", |view| checked(view) > checked(&paused));
    close(daemon);
    let daemon = open(&state, 2);
    let view = wait_over(&daemon, id);
    assert_eq!(ended(&view), (JobState::Finished, Some("proved")), "{view:?}");
    assert_counted(view.summary.check.as_ref().unwrap(), &by_command(PLAN));
}

#[test]
fn killed_at_any_moment_it_comes_to_the_same() {
    let settings = json!({ "plan": PLAN, "moves": 1 });
    let alone = left_alone(&settings, 2);
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let mut daemon = Apart::start(&state, "").unwrap();
    let id = daemon.submit(&job("check", &settings, &json!({})));
    daemon = daemon.killed_and_started(&state, id);
    let done = daemon.wait_over(id);
    assert_eq!((&done["reason"], &done["units_done"]), (&"proved".into(), &19.into()), "{done}");
    let found: CheckView = serde_json::from_value(done["check"].clone()).unwrap();
    assert_eq!(essence(&found), essence(alone.summary.check.as_ref().unwrap()));
    daemon.stop();
}

#[test]
fn the_command_line_submits_and_shows() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(&dir.path().join("state"));
    let run = |arguments: &[&str]| run(&program, arguments);
    let written = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (whole, holed) = (written("whole.plan", PLAN), written("holed.plan", &without(HOLE)));
    let bad = written("bad.plan", &PLAN.replace("wins black", "wins red"));
    let (code, id, errors) = run(&["job", "submit", "check", "--plan", &whole, "--moves", "5"]);
    assert_eq!(code, Some(0), "{errors}");
    let (code, _, told) = run(&["job", "wait", id.trim()]);
    assert!(code == Some(0) && told.contains("(proved), 19 of 19 moves are checked\n"), "{told}");
    let (_, shown, _) = run(&["job", "show", id.trim()]);
    for part in [
        "gomoku 15x15, given position, exactly 5 in a row: g8i9h8g7i7h7",
        "check, 5 moves a unit",
        "wins        black",
        "checked     19 of 19 moves",
        "replies to the first position: all are answered",
        "lose to threats",
        "positions, each with all its replies",
        "moves = 5",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // A file in the form of a request, and a clone with another plan.
    let config = written("job.toml", &format!("kind = 'check'\nname = 'again'\n[settings]\nplan = '{whole}'\n"));
    let (code, id, errors) = run(&["job", "submit", &config]);
    assert_eq!(code, Some(0), "{errors}");
    assert_eq!(run(&["job", "wait", id.trim()]).0, Some(0));
    let (code, id, errors) = run(&["job", "clone", id.trim(), "--plan", &holed]);
    assert_eq!(code, Some(0), "{errors}");
    let (_, _, told) = run(&["job", "wait", id.trim()]);
    assert!(told.contains("(refuted), ") && told.contains(NO_MOVE), "{told}");
    let (_, shown, _) = run(&["job", "show", id.trim()]);
    assert!(shown.contains("refuted     move ") && shown.contains("again"), "{shown}");
    let (_, listed, _) = run_line(&program, "job list --kind check");
    assert!(listed.contains(" 19/19 "), "{listed}");
    assert_lines_refused(
        &program,
        &[
            ("job submit check", "plan is missing"),
            ("job submit check --plan no.plan", "--plan: there is no such file as 'no.plan'"),
            (&format!("job submit check --plan {bad}"), "bad.plan, line 4: expected `wins black` or `wins white`"),
            (&format!("job submit check --plan {whole} --moves 0"), "0 is not in 1..="),
            ("job plan 1 -o x", "job 1 finds no plan: its kind is check"),
        ],
    );
    program.stop();
}

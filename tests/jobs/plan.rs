//! Plans of Gomoku that are looked for as jobs of the daemon: what is refused, that the plan is the same however many
//! workers there are, that it holds, and what a restart and `kill -9` cost.

use crate::daemons::program::Program;
use crate::daemons::*;
use crate::{assert_lines_refused, assert_refused, job, run, run_line, submit};
use morpion::daemon::scheduler::Daemon;
use morpion::daemon::service::{JobCommand, Refusal, Service};
use morpion::daemon::view::{JobState, JobView, PlanView};
use morpion::runner::planning::check_plan;
use morpion::solvers::gomoku::plan::{WinningPlan, text};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Four in a row on 6x5, where each of white's 17 replies is answered in one unit.
fn small() -> Value {
    json!({ "size": "6x5", "win": 4, "rule": "free", "position": "c3" })
}

/// A position with one thing to answer, which takes more than one unit.
fn long() -> Value {
    json!({ "position": "g8i9h8g7i7h7j6k5", "nodes": "200k" })
}

/// Another, in so short units that its own search does not answer it before it is divided.
fn divided() -> Value {
    json!({ "position": "h8h9i9g10", "nodes": "200k", "divide_after": "400k" })
}

/// One that is not answered in a minute.
fn longer(goal_nodes: &str) -> Value {
    json!({ "position": "h8h9i9i8", "nodes": "200k", "goal_nodes": goal_nodes })
}

fn plan_of(daemon: &Daemon, id: u64) -> WinningPlan {
    text::parse(&String::from_utf8(daemon.plan(id).unwrap()).unwrap()).unwrap()
}

/// That each move of a plan holds, and every reply to its first position.
fn holds(plan: &WinningPlan) {
    let (tables, all) = (plan.tables().unwrap(), plan.moves().len());
    let checked = check_plan(plan, &tables, 0..all, 2, &|| false, &|_| ());
    assert_eq!((checked.hole, checked.unanswered, checked.moves, checked.start), (None, None, all, true));
}

/// What a job comes to on a daemon of its own that is left alone, with one worker: its state and its plan.
fn left_alone(settings: &Value) -> (PlanView, String) {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(&dir.path().join("state"), 1);
    let id = submit(&daemon, "plan", settings, &json!({}));
    let view = wait_over(&daemon, id);
    (view.summary.plan.expect("a plan"), String::from_utf8(daemon.plan(id).unwrap()).unwrap())
}

/// What does not depend on the processor.
fn essence(view: &PlanView) -> PlanView {
    PlanView { cpu_seconds: 0.0, ..view.clone() }
}

fn parts(state: &Path, id: u64) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(state.join(format!("jobs/{id}"))).unwrap();
    let files = folder.map(|entry| entry.unwrap().path());
    let mut parts: Vec<PathBuf> =
        files.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("part-")).collect();
    parts.sort();
    parts
}

fn ended(view: &JobView) -> (JobState, Option<&str>) {
    (view.summary.state, view.summary.reason.as_deref())
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    let begun = "morpion plan 1\ngame 6x5 free 4\nstart c3\nwins black\n";
    for (settings, others, reason) in [
        (json!({ "position": "z9" }), json!({}), "settings.position is not a position"),
        (json!({ "rule": "caro" }), json!({}), "plans are for the rules five and free, not for caro"),
        (json!({ "plan": "/etc/hosts" }), json!({}), "settings.plan: there is no such file as '/etc/hosts'"),
        (json!({ "plan": format!("{begun}0 c3 d3") }), json!({}), "settings.plan: line 5: c3 is illegal"),
        (json!({ "plan": begun, "position": "c3" }), json!({}), "the plan is for another position"),
        (json!({ "nodes": 5 }), json!({}), "it must be at least 200000"),
        (small(), json!({ "grids": ["x"] }), "start and grids are for hunts"),
    ] {
        assert_refused(&daemon, "plan", &settings, &others, reason);
    }
    assert!(all_jobs(&*daemon).is_empty());
    let hunt = request(&json!({ "strategy": "random", "runs": 1 }), &json!({}));
    let id = daemon.submit(hunt, None).unwrap().summary.id;
    let refused = daemon.plan(id);
    assert!(matches!(refused, Err(Refusal::Conflict(text)) if text.contains("finds no plan: its kind is hunt")));
}

/// However many workers there are and whenever it was stopped, the plan is the same, and it holds.
#[test]
fn the_plan_is_the_same_however_many_workers_there_are() {
    let (alone, expected) = left_alone(&small());
    assert_eq!((alone.goals, alone.answered, alone.open.len(), alone.checked), (17, 17, 0, false));
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let daemon = open(&state, 2);
    let id = submit(&daemon, "plan", &small(), &json!({}));
    let view = wait_for(&daemon, id, "a reply is answered", |view| {
        view.summary.plan.as_ref().is_some_and(|plan| plan.answered > 0)
    });
    let open_now = view.summary.plan.unwrap().open;
    assert!(open_now.iter().all(|goal| goal.state == "open" && goal.turns <= 1), "{open_now:?}");
    // What is found so far can be fetched, and is a part of the whole.
    let part = plan_of(&daemon, id);
    close(daemon);
    let daemon = open(&state, 2);
    let view = wait_over(&daemon, id);
    assert_eq!(ended(&view), (JobState::Finished, Some("proved")), "{view:?}");
    let found = view.summary.plan.clone().unwrap();
    assert_eq!(essence(&found), essence(&alone));
    assert_eq!((found.nodes, view.summary.units_done), (view.summary.iterations, 17));
    let plan = plan_of(&daemon, id);
    assert_eq!(text::to_text(&plan), expected);
    assert!(part.moves().iter().all(|planned| plan.answer(&plan.position(planned)).is_some()));
    holds(&plan);
    // What the units have left is in the file of the job.
    assert_eq!(parts(&state, id), Vec::<PathBuf>::new());
    let kept = std::fs::read_to_string(state.join(format!("jobs/{id}/found.plan"))).unwrap();
    assert_eq!(kept, expected);
}

/// A goal that needs several units goes on from the tree that the last one has left. If that is damaged, it is searched
/// again; if a power cut has taken the outcomes, what the units have left tells them.
#[test]
fn a_reply_goes_on_where_the_last_unit_has_left_it() {
    let (alone, expected) = left_alone(&long());
    assert_eq!((alone.goals, alone.answered), (1, 1));
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    for harm in ["damaged trees", "lost outcomes"] {
        let daemon = open(&state, 2);
        let id = submit(&daemon, "plan", &long(), &json!({}));
        let journal = state.join(format!("jobs/{id}/outcomes.journal"));
        wait_until("its file is there", || journal.exists());
        let first = std::fs::read(&journal).unwrap();
        wait_for(&daemon, id, "a unit is done", |view| view.summary.units_done >= 1);
        let paused = carried_out(&daemon, id, JobCommand::Pause);
        assert_eq!(paused.summary.state, JobState::Paused, "it was over: {paused:?}");
        close(daemon);
        let left = parts(&state, id);
        assert!(!left.is_empty());
        if harm == "lost outcomes" {
            std::fs::write(&journal, &first).unwrap();
        }
        for part in left.iter().filter(|_| harm == "damaged trees") {
            let mut bytes = std::fs::read(part).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 4;
            std::fs::write(part, bytes).unwrap();
        }
        let daemon = open(&state, 2);
        daemon.command(id, JobCommand::Resume).unwrap();
        let view = wait_over(&daemon, id);
        assert_eq!(ended(&view), (JobState::Finished, Some("proved")), "{harm}: {view:?}");
        assert!(view.summary.units_done > 1, "{harm}: {view:?}");
        assert_eq!(essence(view.summary.plan.as_ref().unwrap()), essence(&alone));
        assert_eq!(text::to_text(&plan_of(&daemon, id)), expected);
        close(daemon);
    }
    holds(&text::parse(&expected).unwrap());
}

/// A goal that is divided goes on where it was put aside, and comes to a plan.
#[test]
fn a_reply_that_is_divided_comes_to_a_plan() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let daemon = open(&state, 1);
    let id = submit(&daemon, "plan", &divided(), &json!({}));
    // Two units are its own search.
    wait_for(&daemon, id, "a unit of the division is done", |view| view.summary.units_done >= 3);
    let paused = carried_out(&daemon, id, JobCommand::Pause);
    assert_eq!(paused.summary.state, JobState::Paused, "it was over: {paused:?}");
    assert!(paused.summary.plan.as_ref().is_some_and(|plan| plan.open[0].proof.is_some_and(|left| left > 0)));
    close(daemon);
    let daemon = open(&state, 1);
    daemon.command(id, JobCommand::Resume).unwrap();
    let view = wait_over(&daemon, id);
    assert_eq!(ended(&view), (JobState::Finished, Some("proved")), "{view:?}");
    let plan = plan_of(&daemon, id);
    assert!(view.summary.units_done > 3 && plan.open_replies().is_empty(), "{view:?}");
    holds(&plan);
}

/// A reply whose nodes are used up is given up; a job that goes on from the plan has what was found.
#[test]
fn replies_without_a_plan_are_told_of() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(&dir.path().join("state"), 2);
    let id = submit(&daemon, "plan", &longer("500k"), &json!({}));
    let view = wait_over(&daemon, id);
    assert_eq!(ended(&view), (JobState::Finished, Some("finished")), "{view:?}");
    let found = view.summary.plan.unwrap();
    assert_eq!((found.goals, found.answered, found.open.len()), (1, 0, 1));
    let open = &found.open[0];
    assert_eq!((&open.reply[..], &open.state[..], open.turns, open.nodes), ("-", "limit", 3, found.nodes));
    assert!(open.proof.is_some_and(|proof| proof > 0) && found.threats > 100, "{found:?}");
    assert!(plan_of(&daemon, id).open_replies().len() == 1);
    // A job that is cancelled keeps what it has found.
    let id = submit(&daemon, "plan", &longer("900M"), &json!({}));
    wait_for(&daemon, id, "a unit is done", |view| view.summary.units_done >= 1);
    daemon.command(id, JobCommand::Cancel).unwrap();
    let view = wait_over(&daemon, id);
    assert_eq!(view.summary.state, JobState::Cancelled);
    assert_eq!(plan_of(&daemon, id).open_replies().len(), 1);
}

#[test]
fn killed_at_any_moment_it_comes_to_the_same() {
    let settings = longer("600k");
    let (alone, _) = left_alone(&settings);
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let mut daemon = Apart::start(&state, "").unwrap();
    let id = daemon.submit(&job("plan", &settings, &json!({})));
    daemon = daemon.killed_and_started(&state, id);
    let done = daemon.wait_over(id);
    assert_eq!((&done["reason"], &done["units_done"]), (&"finished".into(), &3.into()), "{done}");
    let found: PlanView = serde_json::from_value(done["plan"].clone()).unwrap();
    assert_eq!(essence(&found), essence(&alone));
    daemon.stop();
}

#[test]
fn the_command_line_submits_shows_and_writes_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(&dir.path().join("state"));
    let run = |arguments: &[&str]| run(&program, arguments);
    let file = dir.path().join("whole.plan");
    let flags = "--position h8h9i9a1 --wins black";
    let (code, id, errors) = run_line(&program, &format!("job submit plan {flags} --goal-nodes 1M"));
    assert_eq!(code, Some(0), "{errors}");
    let id = id.trim();
    let (code, _, told) = run(&["job", "wait", id]);
    assert!(code == Some(0) && told.contains("(proved), 1 of 1 replies are answered"), "{told}");
    let (_, shown, _) = run(&["job", "show", id]);
    for part in [
        "gomoku 15x15, given position, exactly 5 in a row: ",
        "1 of 1 replies are answered",
        "searches of threats",
        "not checked: morpion plan check does that",
        "plan, 5000000 nodes a unit, at most 1000000 for a reply",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let write = ["job", "plan", id, "-o", file.to_str().unwrap()];
    let (code, _, errors) = run(&write);
    assert!(code == Some(0) && errors.contains("the plan is in"), "{errors}");
    assert_eq!(run(&write).0, Some(2), "the file exists");
    let (code, told, errors) = run(&["plan", "check", file.to_str().unwrap(), "--quiet"]);
    assert!(code == Some(0) && told.contains("checked: black wins"), "{told}{errors}");
    // A plan without moves is gone on with, by a file in the form of a request.
    let whole = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let part = dir.path().join("part.plan");
    assert!(lines.len() > 5, "{whole}");
    std::fs::write(&part, lines[..4].join("\n")).unwrap();
    let config = dir.path().join("job.toml");
    let text = format!("kind = 'plan'\nname = 'the rest'\n[settings]\nplan = '{}'\n", part.display());
    std::fs::write(&config, text).unwrap();
    let (code, id, errors) = run(&["job", "submit", config.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{errors}");
    let (code, _, told) = run(&["job", "wait", id.trim()]);
    assert!(code == Some(0) && told.contains("(proved), "), "{told}");
    let rest = dir.path().join("rest.plan");
    assert_eq!(run(&["job", "plan", id.trim(), "-o", rest.to_str().unwrap()]).0, Some(0));
    holds(&text::parse(&std::fs::read_to_string(rest).unwrap()).unwrap());
    let (code, again, errors) = run(&["job", "clone", id.trim(), "--nodes", "300k"]);
    assert_eq!(code, Some(0), "{errors}");
    let (_, shown, _) = run(&["job", "show", again.trim()]);
    assert!(shown.contains("plan, 300000 nodes a unit"), "{shown}");
    assert_lines_refused(
        &program,
        &[
            ("job submit plan --rule renju", "plans are for the rules five and free, not for renju"),
            ("job submit plan --wins red", "possible values: black, white"),
            ("job submit plan --plan no.plan", "--plan: there is no such file as 'no.plan'"),
            (&format!("job submit plan --plan {} --win 4", file.display()), "the plan is for another position"),
            (&format!("job submit plan --plan {}", file.display()), "the plan answers every reply"),
            ("job patterns 1 -o x", "job 1 mines no patterns: its kind is plan"),
        ],
    );
    program.stop();
}

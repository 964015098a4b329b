//! Tactical questions that are answered, and patterns that are mined, as jobs of the daemon: what is refused, that the
//! results are those of `morpion tactics`, and what a restart and `kill -9` cost.

use crate::daemons::program::Program;
use crate::daemons::*;
use crate::{assert_lines_refused, assert_refused, job, run, run_line, submit};
use morpion::daemon::scheduler::Daemon;
use morpion::daemon::service::{Page, Refusal, Service};
use morpion::daemon::view::{AnsweredQuestionView, JobState, JobView};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// Questions about a ladder on boards of several sizes, with and without a stone that breaks it, and others; some of the
/// expected answers are wrong on purpose, and one is left out.
fn questions(ladders: usize) -> String {
    let mut lines = vec![
        "# questions of the tests".to_owned(),
        "net\tattack\tC6\t[1 (D5|D6)]\t9\tC7 D7 B6 B5\tC6 G6 C3 G3".to_owned(),
        String::new(),
        "join\tconnect\tC3 E3\t[1]\t5\tC3 E3\t".to_owned(),
        "cut\tdisconnect\tC3 E3\t[1]\t5\tC3 E3\t".to_owned(),
        "open\tconnect\tA1 D1\t\t4\tA1 D1\tB2 C2".to_owned(),
    ];
    for number in 0..ladders {
        let (size, goal) = (9 + number % 5, ["attack", "defend"][number / 5 % 2]);
        let breaker = if number % 3 == 0 { " G7" } else { "" };
        lines.push(format!("{number}\t{goal}\tD4\t[1]\t{size}\tC5 D5 C4 D3 E3\tD4 E4{breaker}"));
    }
    lines.join("\n")
}

/// What `morpion tactics` prints.
fn by_command(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
    let output = command.arg("tactics").args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    // A suite with an answer that differs ends with 1.
    assert!(output.status.code().is_some_and(|code| code < 2), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn answers(daemon: &Daemon, id: u64) -> Vec<AnsweredQuestionView> {
    let listing = daemon.answers(id, &Page { limit: 1000, cursor: None }).unwrap();
    assert_eq!(listing.next, None);
    listing.items
}

/// Stops the daemon when a unit of a job is done, and goes on after another start.
fn stopped_and_started(
    daemon: std::sync::Arc<Daemon>,
    state: &Path,
    id: u64,
    end: &str,
) -> (std::sync::Arc<Daemon>, JobView) {
    wait_for(&daemon, id, "a unit is done", |view| view.summary.units_done >= 1);
    close(daemon);
    let daemon = open(state, 2);
    let view = wait_over(&daemon, id);
    assert_eq!((view.summary.state, view.summary.reason.as_deref()), (JobState::Finished, Some(end)), "{view:?}");
    (daemon, view)
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    for (kind, settings, others, reason) in [
        ("tactics", json!({}), json!({}), "questions are missing"),
        (
            "tactics",
            json!({ "questions": "1\tseki\tA1\t\t3\tB2\tA1" }),
            json!({}),
            "settings.questions: line 1: `seki`",
        ),
        ("tactics", json!({ "questions": "/etc/hosts" }), json!({}), "there is no such file"),
        ("tactics", json!({ "questions": questions(0), "nodes": "100G" }), json!({}), "the job needs"),
        ("tactics", json!({ "questions": questions(0) }), json!({ "grids": ["x"] }), "start and grids are for hunts"),
        ("mine", json!({ "size": 20 }), json!({}), "20 is not in 3..=19"),
        ("mine", json!({ "games": 10_001 }), json!({}), "a job can have 10000 games"),
        ("mine", json!({ "games": 10_000, "size": 19 }), json!({}), "the job needs"),
    ] {
        assert_refused(&daemon, kind, &settings, &others, reason);
    }
    assert!(all_jobs(&*daemon).is_empty());
    let hunt = request(&json!({ "strategy": "random", "runs": 1 }), &json!({}));
    let id = daemon.submit(hunt, None).unwrap().summary.id;
    let refused = daemon.answers(id, &Page { limit: 9, cursor: None });
    assert!(matches!(refused, Err(Refusal::Conflict(text)) if text.contains("answers no questions")));
    let refused = daemon.patterns(id);
    assert!(matches!(refused, Err(Refusal::Conflict(text)) if text.contains("mines no patterns: its kind is hunt")));
}

/// However many workers there are and whenever it was stopped, the answers are those of the command.
#[test]
fn the_answers_are_those_of_the_command() {
    let dir = tempfile::tempdir().unwrap();
    let (state, file) = (dir.path().join("state"), dir.path().join("suite.tsv"));
    let mut daemon = open(&state, 2);
    for (moves, check, ladders, nodes) in [("generators", "on", 10, "3000"), ("both", "off", 40, "20000")] {
        // A long text is stored, too.
        let text = format!("{}\n# {}", questions(ladders), "x".repeat(2000 * ladders));
        std::fs::write(&file, &text).unwrap();
        let settings = json!({ "questions": text, "nodes": nodes, "moves": moves, "check": check });
        let id = submit(&daemon, "tactics", &settings, &json!({}));
        let view;
        (daemon, view) = stopped_and_started(daemon, &state, id, "answered");
        let of = view.summary.tactics.clone().unwrap();
        let all = ladders as u64 + 4;
        let counts = (of.questions, of.questions_done, of.compared, view.summary.units_done);
        assert_eq!(counts, (all, all, all - 1, all));
        assert_eq!((of.nodes, of.refused, of.checked > 5), (view.summary.iterations, 0, check == "on"));
        let mut arguments = vec!["suite", file.to_str().unwrap(), "--nodes", nodes, "--moves", moves];
        let told = by_command(&arguments);
        assert!(told.lines().last().unwrap().starts_with(&of.tally().to_string()), "{told}: {}", of.tally());
        // There are right answers and others.
        assert!(of.by_code > 5 && of.with_move > 1 && of.by_code < of.compared, "{}", of.tally());
        arguments.push("--json");
        let expected = by_command(&arguments);
        let expected: Vec<Value> = expected.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let found = answers(&daemon, id);
        assert_eq!(found.len(), expected.len());
        for (found, mut expected) in found.iter().zip(expected) {
            expected.as_object_mut().unwrap().remove("version");
            let found = serde_json::to_value(found).unwrap();
            for (name, value) in expected.as_object().unwrap() {
                assert_eq!(&found[name], value, "{name}: {found}");
            }
        }
        assert_eq!((found[1].line_number, &found[1].name[..], &found[1].expected[..]), (4, "join", &[1][..]));
        assert_eq!((found[1].cells.len(), found[1].right_by_code, found[3].right_by_code), (25, Some(true), None));
    }
}

/// However many workers there are and whenever it was stopped, the patterns are those of the command.
#[test]
fn the_patterns_are_those_of_the_command() {
    let dir = tempfile::tempdir().unwrap();
    let (state, file) = (dir.path().join("state"), dir.path().join("patterns.sgf"));
    let arguments = "mine --games 7 --size 6 --playouts 20 --nodes 300 --least 1 --seed 5 -o";
    let told = by_command(&arguments.split(' ').chain(file.to_str()).collect::<Vec<_>>());
    let daemon = open(&state, 2);
    let settings = json!({ "games": 7, "size": 6, "playouts": 20, "nodes": 300, "least": 1, "seed": 5 });
    let id = submit(&daemon, "mine", &settings, &json!({}));
    assert!(matches!(daemon.patterns(id), Err(Refusal::Conflict(text)) if text.contains("no patterns yet")));
    let (daemon, view) = stopped_and_started(daemon, &state, id, "mined");
    let of = view.summary.mine.unwrap();
    assert_eq!((of.games, of.games_done, view.summary.units_done, &of.title[..]), (7, 7, 8, "go 6x6"));
    assert_eq!((of.questions, view.summary.seed), (view.summary.iterations, Some(5)));
    let bytes = daemon.patterns(id).unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap(), std::fs::read_to_string(&file).unwrap());
    let (kept, all) = (of.kept.unwrap(), of.patterns.unwrap());
    assert!(100 < kept && kept == all && all < of.patterns_of_games, "{kept} of {all}, {}", of.patterns_of_games);
    let grouped = morpion::core::quantity::grouped;
    let figures = format!("7 games, {} positions, {} questions\n", grouped(of.positions), grouped(of.questions));
    assert!(told.starts_with(&figures) && told.contains(&format!("{kept} patterns of {all} came up")), "{told}");
    // What each game had is not kept.
    let left = std::fs::read_dir(state.join(format!("jobs/{id}"))).unwrap();
    let left: Vec<String> = left.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!left.iter().any(|name| name.starts_with("part-")), "{left:?}");
}

#[test]
fn killed_at_any_moment_it_loses_no_finished_unit() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let mut daemon = Apart::start(&state, "").unwrap();
    let settings = json!({ "questions": questions(100), "nodes": 20_000 });
    let id = daemon.submit(&job("tactics", &settings, &json!({})));
    daemon = daemon.killed_and_started(&state, id);
    let done = daemon.wait_over(id);
    assert_eq!((&done["tactics"]["questions_done"], &done["units_done"]), (&104.into(), &104.into()), "{done}");
    let settings = json!({ "games": 12, "size": 7, "playouts": 20, "nodes": 300 });
    let id = daemon.submit(&job("mine", &settings, &json!({})));
    daemon = daemon.killed_and_started(&state, id);
    let done = daemon.wait_over(id);
    assert_eq!((&done["mine"]["games_done"], &done["units_done"]), (&12.into(), &13.into()), "{done}");
    let file = dir.path().join("patterns.sgf");
    let arguments = "mine --games 12 --size 7 --playouts 20 --nodes 300 -o";
    by_command(&arguments.split(' ').chain(file.to_str()).collect::<Vec<_>>());
    let mined = std::fs::read_to_string(state.join(format!("jobs/{id}/patterns.sgf"))).unwrap();
    assert_eq!(mined, std::fs::read_to_string(&file).unwrap());
    let (kept, all) = (done["mine"]["kept"].as_u64().unwrap(), done["mine"]["patterns"].as_u64().unwrap());
    assert!(0 < kept && kept < all && mined.contains(", in 2 games"), "{done}");
    daemon.stop();
}

#[test]
fn the_command_line_submits_shows_and_writes_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(&dir.path().join("state"));
    let run = |arguments: &[&str]| run(&program, arguments);
    let (suite, patterns) = (dir.path().join("suite.tsv"), dir.path().join("patterns.sgf"));
    std::fs::write(&suite, questions(5)).unwrap();
    let config = dir.path().join("mine.toml");
    std::fs::write(&config, "kind = 'mine'\n[settings]\ngames = 2\nsize = 6\nplayouts = 5\nnodes = 200\nleast = 1\n")
        .unwrap();
    // The patterns that a job has mined are taken by the next one.
    let (code, mined, errors) = run(&["job", "submit", config.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{errors}");
    let mined = mined.trim();
    let (code, _, told) = run(&["job", "wait", mined]);
    assert!(code == Some(0) && told.contains("(mined), ") && told.contains("came up in 1 games or more"), "{told}");
    let (_, shown, _) = run(&["job", "show", mined]);
    for part in ["go 6x6", "2 of 2 games", "mine, 5 playouts, 200 nodes", "questions about", "seed        0"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let write = ["job", "patterns", mined, "-o", patterns.to_str().unwrap()];
    let (code, _, errors) = run(&write);
    assert!(code == Some(0) && errors.contains("the patterns are in"), "{errors}");
    assert_eq!(run(&write).0, Some(2), "the file exists");
    let (suite, patterns) = (suite.display(), patterns.display());
    let flags = format!("{suite} --nodes 3000 --moves both --database {patterns} --check");
    let (code, id, errors) = run_line(&program, &format!("job submit tactics {flags}"));
    assert_eq!(code, Some(0), "{errors}");
    let id = id.trim();
    let (code, _, told) = run(&["job", "wait", id]);
    assert!(code == Some(0) && told.contains("(answered), 9 questions, "), "{told}");
    let (_, shown, _) = run(&["job", "show", id]);
    for part in ["9 of 9 questions", "right by code", "tactics, 3000 nodes, patterns first", "0 do not hold"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // The lines are those of the command.
    let (code, lines, errors) = run(&["job", "answers", id]);
    assert_eq!(code, Some(0), "{errors}");
    let expected = by_command(&format!("suite {flags}").split(' ').collect::<Vec<_>>());
    let (of_questions, totals) = (expected.lines().take(9), lines.lines().nth(9).unwrap());
    assert!(of_questions.eq(lines.lines().take(9)), "{lines}{expected}");
    assert!(expected.lines().last().unwrap().starts_with(totals), "{totals}: {expected}");
    let (_, json, _) = run(&["job", "answers", id, "--json"]);
    let first: Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!((&first["name"], &first["width"]), (&"net".into(), &9.into()));
    let refused = [
        ("job submit tactics", "questions are missing"),
        ("job submit tactics nofile.tsv", "there is no such file"),
        (&format!("job submit tactics {patterns}")[..], "patterns.sgf, line 1: 1 columns"),
        (
            &format!("job submit tactics {suite} --database {patterns}")[..],
            "patterns are of no use unless moves is patterns",
        ),
        (&format!("job submit tactics {suite} --moves all")[..], "possible values: patterns, generators, both"),
        ("job submit mine --games 99999", "a job can have 10000 games"),
        ("job answers 1", "job 1 answers no questions: its kind is mine"),
        ("job patterns 2 -o x", "job 2 mines no patterns: its kind is tactics"),
    ];
    assert_lines_refused(&program, &refused);
    program.stop();
}

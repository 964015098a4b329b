//! Positions that are analysed as jobs of the daemon: what is refused, that the values are those of
//! `morpion analyse`, and what a restart and `kill -9` cost.

use crate::daemons::program::Program;
use crate::daemons::*;
use crate::{assert_lines_refused, assert_refused, job, resumed_to_the_end, run, run_line, submit};
use morpion::daemon::scheduler::Daemon;
use morpion::daemon::service::{JobCommand, Page, Refusal, Service};
use morpion::daemon::view::{AnalysedPositionView, JobState};
use serde_json::{Value, json};
use std::process::Command;

fn analyses(daemon: &Daemon, id: u64) -> Vec<AnalysedPositionView> {
    let listing = daemon.analyses(id, &Page { limit: 1000, cursor: None }).unwrap();
    assert_eq!(listing.next, None);
    listing.items
}

/// What `morpion analyse` prints.
fn by_command(arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
    let output = command.arg("analyse").args(arguments).args(["--json", "--time", "1h"]).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// That a position of a job has the values that the command finds.
fn assert_same(found: &AnalysedPositionView, arguments: &[&str]) {
    let expected = by_command(arguments);
    let found = serde_json::to_value(found).unwrap();
    for part in ["position", "side", "moves"] {
        assert_eq!(found[part], expected[part], "{arguments:?}: {part}");
    }
    assert!(!found["moves"].as_array().unwrap().is_empty(), "{arguments:?}");
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    for (settings, others, reason) in [
        (json!({ "game": "chess" }), json!({}), "expected one of gomoku, reversi, go"),
        (json!({ "positions": ["h8", "z99"] }), json!({}), "settings.positions: cannot use line 2"),
        (json!({ "weights": "/etc/hosts" }), json!({}), "expected one of usual, by-hand"),
        (json!({ "memory": "100G" }), json!({}), "the job needs"),
        (json!({}), json!({ "grids": ["x"] }), "start and grids are for hunts"),
    ] {
        assert_refused(&daemon, "analyse", &settings, &others, reason);
    }
    assert!(all_jobs(&*daemon).is_empty());
    let id =
        daemon.submit(request(&json!({ "strategy": "random", "runs": 1 }), &json!({})), None).unwrap().summary.id;
    let refused = daemon.analyses(id, &Page { limit: 9, cursor: None });
    assert!(matches!(refused, Err(Refusal::Conflict(text)) if text.contains("analyses no positions")));
}

/// However many workers there are, the values are those of the command: of a game move by move, paused and resumed.
#[test]
fn the_values_are_those_of_the_command() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let daemon = open(&state, 2);
    let moves = "e5e4d4f6c5d5g7c3h3b7a1i9";
    let settings = json!({ "position": moves, "size": 9, "every_move": "on", "nodes": 2000, "memory": "16M",
        "time": "1h", "best": 5 });
    let id = submit(&daemon, "analyse", &settings, &json!({}));
    wait_for(&daemon, id, "a unit is done", |view| view.summary.units_done >= 1);
    carried_out(&daemon, id, JobCommand::Pause);
    close(daemon);
    let daemon = open(&state, 2);
    let view = resumed_to_the_end(&daemon, id);
    let ended = (view.summary.state, view.summary.reason.as_deref());
    assert_eq!(ended, (JobState::Finished, Some("analysed")), "{view:?}");
    let of = view.summary.analyse.clone().unwrap();
    assert_eq!((of.positions, of.positions_done, view.summary.units_done), (13, 13, 13));
    let found = analyses(&daemon, id);
    assert!((0..13).eq(found.iter().map(|at| at.played.len())), "{found:?}");
    assert_eq!((found[2].next.as_deref(), found[12].next.as_deref()), (Some("d4"), None));
    let nodes: u64 = found.iter().flat_map(|at| &at.moves).map(|found| found.nodes).sum();
    assert_eq!(view.summary.iterations, nodes);
    let common = ["gomoku", "--size", "9", "--nodes", "2000", "--memory", "16M", "--best", "5"];
    for (number, position) in [(2, "e5e4"), (12, moves)] {
        assert_same(&found[number], &[&common[..], &["--position", position]].concat());
    }
    assert_eq!(found[12].moves.len(), 5);
}

#[test]
fn positions_of_reversi_and_go_are_analysed() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(&dir.path().join("state"), 2);
    let reversi = json!({ "game": "reversi", "positions": ["f5d6c3", "f5f6e6f4"], "depth": 2, "memory": "16M" });
    let go = json!({ "game": "go", "size": 9, "position": "(;GM[1]SZ[9];B[ee];W[cc])", "every_move": "on",
        "nodes": 500, "komi": 6.5, "seed": 3, "memory": "16M" });
    let ids = [&reversi, &go].map(|settings| submit(&daemon, "analyse", settings, &json!({})));
    let [reversi, go] = ids.map(|id| {
        wait_over(&daemon, id);
        analyses(&daemon, id)
    });
    let common = ["reversi", "--depth", "2", "--memory", "16M"];
    assert_same(&reversi[0], &[&common[..], &["--position", "f5d6c3"]].concat());
    assert_same(&reversi[1], &[&common[..], &["--position", "f5f6e6f4"]].concat());
    let position = "(;GM[1]SZ[9];B[ee];W[cc])";
    let asked = ["go", "--position", position, "--nodes", "500", "--komi", "6.5", "--seed", "3", "--memory", "16M"];
    // Two workers have three positions, and what one knows of its first one does not change its second one.
    assert_same(&go[2], &asked);
    assert_eq!((go.len(), go[2].width, &go[2].side[..]), (3, 9, "black"));
}

#[test]
fn killed_at_any_moment_it_loses_no_finished_unit() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let mut daemon = Apart::start(&state, "").unwrap();
    let lines: Vec<String> = (0..80).map(|n| format!("e5{}{}", ["a", "b", "c", "d"][n % 4], n % 9 + 1)).collect();
    let settings = json!({ "positions": lines, "size": 9, "nodes": 2000, "memory": "4M", "time": "1h" });
    let id = daemon.submit(&job("analyse", &settings, &json!({})));
    daemon = daemon.killed_and_started(&state, id);
    let job = daemon.wait_over(id);
    assert_eq!((&job["analyse"]["positions_done"], &job["units_done"]), (&80.into(), &80.into()), "{job}");
    daemon.stop();
}

#[test]
fn the_command_line_submits_and_shows() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(&dir.path().join("state"));
    let run = |arguments: &[&str]| run(&program, arguments);
    let list = dir.path().join("list");
    std::fs::write(&list, "# of a tournament\ne5\ne5e4\n").unwrap();
    let config = dir.path().join("analyse.toml");
    let settings = "game = 'gomoku'\npositions = ['e5', 'e5e4']\nsize = 9\nnodes = 200\ndepth = 2";
    std::fs::write(&config, format!("kind = 'analyse'\n[settings]\n{settings}\n")).unwrap();
    let flags = format!("job submit analyse gomoku --positions {} --size 9 --nodes 200 --depth 2", list.display());
    let mut told = Vec::new();
    for line in [flags, format!("job submit {}", config.display())] {
        let (code, id, errors) = run_line(&program, &line);
        assert_eq!(code, Some(0), "{line}: {errors}");
        let id = id.trim().to_owned();
        let (code, _, waited) = run(&["job", "wait", &id]);
        assert!(code == Some(0) && waited.contains("(analysed), 2 of 2 positions"), "{waited}");
        let (_, shown, _) = run(&["job", "show", &id]);
        for part in ["gomoku 9x9", "analysed    2 of 2 positions", "analyse, 2 plies, 200 nodes, 10 s"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        let (code, table, errors) = run(&["job", "analyses", &id, "--best", "3"]);
        assert!(code == Some(0) && table.lines().count() == 7, "{table}{errors}");
        assert!(table.contains("white") && table.contains("value "), "{table}");
        let (_, json, _) = run(&["job", "analyses", &id, "--json"]);
        let objects: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(objects[1]["moves"].as_array().unwrap().len(), 79, "all moves are told");
        told.push(objects.into_iter().map(|object| object["moves"].clone()).collect::<Vec<_>>());
    }
    assert_eq!(told[0], told[1]);
    let refused = [
        ("job submit hunt", "a hunt needs no word of its own"),
        ("job submit analyze", "neither a configuration file nor a kind of job (solve, prove, match"),
        ("job submit analyse chess", "possible values: gomoku"),
        ("job submit analyse gomoku --position z99", "--position is neither a file nor a position"),
        ("job submit analyse go --depth 3", "--depth is not a setting of go"),
        ("job games 1", "job 1 plays no games"),
    ];
    assert_lines_refused(&program, &refused);
    program.stop();
}

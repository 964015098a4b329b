//! Games of a player against itself as jobs of the daemon: what is refused, that the games are those of
//! `morpion selfplay`, and what a restart and `kill -9` cost.

use crate::daemons::program::Program;
use crate::daemons::*;
use crate::{assert_lines_refused, assert_refused, job, run, run_line, submit};
use morpion::daemon::scheduler::Daemon;
use morpion::daemon::service::{JobCommand, Page, Service};
use morpion::daemon::view::{JobState, MatchGameView};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// Quick games.
fn quick(games: u64) -> Value {
    json!({ "games": games, "nodes": 60, "seed": 4, "size": 9 })
}

fn games(daemon: &Daemon, id: u64) -> Vec<MatchGameView> {
    let listing = daemon.games(id, &Page { limit: 1000, cursor: None }).unwrap();
    assert_eq!(listing.next, None);
    listing.items
}

/// The lines of the file that the command makes of the same games.
fn by_command(directory: &Path, games: u64) -> Vec<String> {
    lines_of(directory, "gomoku", games, &["--nodes", "60", "--size", "9"])
}

fn lines_of(directory: &Path, game: &str, games: u64, settings: &[&str]) -> Vec<String> {
    let file = directory.join(format!("of-the-command-{games}"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
    command.args(["selfplay", game]).arg(&file).args(["--seed", "4"]).args(settings);
    let output = command.arg(format!("--games={games}")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(&file).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    for (settings, others, reason) in [
        (json!({ "game": "go" }), json!({}), "expected one of gomoku"),
        (json!({ "games": 0 }), json!({}), "is not in 1..=4000000"),
        (json!({ "size": 4 }), json!({}), "every game would be a draw"),
        (json!({ "weights": "/etc/hosts" }), json!({}), "expected one of usual, by-hand"),
        (json!({ "file": "x" }), json!({}), "unknown key 'file'"),
        (quick(3), json!({ "grids": ["x"] }), "start and grids are for hunts"),
    ] {
        assert_refused(&daemon, "selfplay", &settings, &others, reason);
    }
    assert!(all_jobs(&*daemon).is_empty());
}

/// However many workers play, the games are those of the command: paused, resumed, and over several starts.
#[test]
fn the_games_are_those_of_the_command() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let daemon = open(&state, 2);
    let id = submit(&daemon, "selfplay", &quick(45), &json!({}));
    wait_for(&daemon, id, "a unit is done", |view| view.summary.units_done >= 1);
    carried_out(&daemon, id, JobCommand::Pause);
    close(daemon);
    let daemon = open(&state, 2);
    daemon.command(id, JobCommand::Resume).unwrap();
    let view = wait_over(&daemon, id);
    assert_eq!(
        (view.summary.state, view.summary.reason.as_deref()),
        (JobState::Finished, Some("played")),
        "{view:?}"
    );
    let found = view.summary.selfplay.clone().unwrap();
    let lines = by_command(dir.path(), 45);
    let played = games(&daemon, id);
    let made: Vec<String> = played.iter().map(|game| game.line.clone().unwrap()).collect();
    assert_eq!((&found.head, &made[..]), (&lines[0], &lines[1..]));
    let count = |winner: &str| played.iter().filter(|game| game.winner == winner).count() as u64;
    assert_eq!([count("a"), count("draw"), count("b")], [found.won_black, found.drawn, found.won_white]);
    assert_eq!((found.games_counted, view.summary.iterations, view.summary.units_done), (45, 45, 6));
    assert_eq!(found.plies, played.iter().map(|game| game.moves.len() as u64).sum::<u64>());
    assert!(played.iter().all(|game| game.saved_as == "sgf" && game.text.starts_with("(;")), "{played:?}");
    let last = *daemon.statistics(id).unwrap().selfplay.unwrap().course.last().unwrap();
    assert_eq!(last.games, 45);
}

/// The same in Reversi, whose games have passes that their lines do not tell.
#[test]
fn games_of_reversi_are_those_of_the_command() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(&dir.path().join("state"), 2);
    let settings = json!({ "game": "reversi", "games": 60, "depth": 1, "seed": 4, "weights": "by-hand" });
    let id = submit(&daemon, "selfplay", &settings, &json!({}));
    let view = wait_over(&daemon, id);
    assert_eq!(view.summary.strategy.as_deref(), Some("1 ply"));
    let found = view.summary.selfplay.clone().unwrap();
    assert_eq!((found.title.as_str(), found.games_counted), ("reversi 8x8, standard start", 60), "{view:?}");
    let lines = lines_of(dir.path(), "reversi", 60, &["--depth", "1", "--weights", "by-hand"]);
    let played = games(&daemon, id);
    let made: Vec<String> = played.iter().map(|game| game.line.clone().unwrap()).collect();
    assert_eq!((&found.head, &made[..]), (&lines[0], &lines[1..]));
    assert!(played.iter().any(|game| game.moves.iter().any(|name| name == "pass")), "no game has a pass");
    assert!(played.iter().all(|game| game.saved_as == "ggf" && game.text.starts_with("(;GM[Othello]")), "{played:?}");
    for (game, line) in played.iter().zip(&made) {
        let score: i32 = line.split(' ').nth(2).unwrap().parse().unwrap();
        let winner = ["b", "draw", "a"][(score.signum() + 1) as usize];
        assert_eq!((game.winner.as_str(), game.opening <= game.moves.len() as u32), (winner, true), "{line}");
    }
}

#[test]
fn killed_at_any_moment_it_loses_no_finished_unit() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let mut daemon = Apart::start(&state, "").unwrap();
    let mut settings = quick(160);
    settings["nodes"] = 300.into();
    let id = daemon.submit(&job("selfplay", &settings, &json!({})));
    daemon = daemon.killed_and_started(&state, id);
    let job = daemon.wait_over(id);
    assert_eq!((&job["selfplay"]["games_counted"], &job["iterations"]), (&160.into(), &160.into()), "{job}");
    daemon.stop();
}

/// A file of games that the command line writes is continued by `morpion selfplay`, and `morpion tune` reads it.
#[test]
fn the_command_line_submits_shows_and_writes_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(&dir.path().join("state"));
    let run = |arguments: &[&str]| run(&program, arguments);
    let submit = "job submit selfplay gomoku --games 20 --nodes 60 --seed 4 --size 9 --all-time 1h";
    let (code, id, errors) = run_line(&program, submit);
    assert_eq!(code, Some(0), "{errors}");
    let id = id.trim();
    let (code, _, told) = run(&["job", "wait", id]);
    assert!(code == Some(0) && told.contains("(played), 20 of 20 games"), "{told}");
    let (_, shown, _) = run(&["job", "show", id]);
    for part in ["gomoku 9x9", "made        20 of 20 games, ", "iterations  20, "] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let file = dir.path().join("games");
    let write = ["job", "games", id, "--file", file.to_str().unwrap()];
    let (code, _, errors) = run(&write);
    assert!(code == Some(0) && errors.contains("20 games"), "{errors}");
    let lines = by_command(dir.path(), 20);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), lines.join("\n") + "\n");
    let (code, _, errors) = run(&write);
    assert!(code == Some(2) && errors.contains("exists"), "{errors}");
    let more = [
        "selfplay",
        "gomoku",
        file.to_str().unwrap(),
        "--games",
        "22",
        "--nodes",
        "60",
        "--seed",
        "4",
        "--size",
        "9",
    ];
    let (code, out, errors) = run(&more);
    assert!(code == Some(0) && out.contains("20 of 22 games are there"), "{out}{errors}");
    let refused = [
        ("job submit selfplay go", "possible values: gomoku"),
        ("job submit selfplay gomoku --weights x", "possible values: usual, by-hand"),
        ("job submit selfplay gomoku --size 4", "every game would be a draw"),
    ];
    assert_lines_refused(&program, &refused);
    program.stop();
}

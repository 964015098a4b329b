//! `morpion match`: matches of the player against itself and against programs, sound ones and others.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> (Output, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_morpion")).arg("match").args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, errors) = (text(&output.stdout), text(&output.stderr));
    (output, out, errors)
}

/// A program in the directory that does what a shell script says. Another process writes it: a file that is open for
/// writing here would be so in every process that another test starts at that moment, and could not be run.
fn script(directory: &Path, name: &str, text: &str) -> PathBuf {
    let path = directory.join(name);
    let mut writer = Command::new("sh");
    writer.args(["-c", "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 755 \"$0\""]).arg(&path).arg(text);
    assert!(writer.status().unwrap().success());
    path
}

#[test]
fn the_same_seed_gives_the_same_match() {
    let arguments = ["morpion", "morpion:1", "--pairs", "2", "--nodes", "300", "--time", "1h", "--seed", "5"];
    let (output, out, errors) = run(&arguments);
    assert!(output.status.success() && errors.is_empty(), "{out}{errors}");
    assert_eq!(run(&arguments).1, out);
    assert!(out.contains("A won ") && out.contains("Elo stronger (95 %: "), "{out}");
    assert_eq!(out.matches("\npair ").count(), 2, "{out}");
    let (_, json, _) = run(&[&arguments[..], &["--json", "--sprt", "0,50"]].concat());
    let lines: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3, "{json}");
    let last = &lines[2];
    let games: u64 = ["won", "drawn", "lost"].iter().map(|key| last[key].as_u64().unwrap()).sum();
    assert_eq!((games, last["command"].as_str()), (4, Some("match")), "{json}");
    for pair in &lines[..2] {
        let (opening, games) = (pair["opening"].as_str().unwrap(), pair["games"].as_array().unwrap());
        let moves = |game: &serde_json::Value| -> Vec<String> { serde_json::from_value(game.clone()).unwrap() };
        let plies: Vec<usize> = games.iter().map(|game| moves(game).len()).collect();
        assert_eq!(serde_json::json!(plies), pair["plies"], "{pair}");
        assert!(games.iter().all(|game| moves(game).concat().starts_with(opening)), "{pair}");
    }
    let half_points: u64 = lines[..2].iter().map(|pair| pair["half_points"].as_u64().unwrap()).sum();
    assert_eq!(last["score"].as_f64().unwrap(), half_points as f64 / 8.0);
}

#[test]
fn games_are_saved_where_nothing_is() {
    let directory = tempfile::tempdir().unwrap();
    let games = directory.path().join("new/games");
    let output = games.to_str().unwrap();
    for (game, ending) in [("gomoku", "sgf"), ("reversi", "ggf"), ("go", "sgf")] {
        let _ = std::fs::remove_dir_all(&games);
        let arguments = ["morpion:1", "morpion:2", "--game", game, "--pairs", "1", "--nodes", "20", "--time", "1h"];
        let (status, out, errors) = run(&[&arguments[..], &["-o", output]].concat());
        assert!(status.status.success() && errors.is_empty(), "{out}{errors}");
        let mut names: Vec<String> = std::fs::read_dir(&games)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, [0, 1].map(|number| format!("game00000{number}.{ending}")));
        for (name, players) in names.iter().zip(["PB[morpion:1]PW[morpion:2]RE[", "PB[morpion:2]PW[morpion:1]RE["]) {
            let text = std::fs::read_to_string(games.join(name)).unwrap();
            assert!(text.starts_with("(;") && text.ends_with(")\n") && text.contains(players), "{text}");
        }
        let (status, out, errors) = run(&[&arguments[..], &["-o", output]].concat());
        assert!(!status.status.success() && out.is_empty(), "{out}");
        assert!(errors.contains("the directory is not empty"), "{errors}");
        assert_eq!(std::fs::read_dir(&games).unwrap().count(), 2);
    }
}

#[test]
fn programs_play_by_the_protocol() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pbrain-morpion");
    symlink(env!("CARGO_BIN_EXE_morpion"), &path).unwrap();
    for rule in ["five", "renju"] {
        let program = path.to_str().unwrap();
        let arguments = ["morpion:1", program, "--pairs", "1", "--nodes", "200", "--time", "60s", "--rule", rule];
        let (output, out, errors) = run(&arguments);
        assert!(output.status.success() && errors.is_empty(), "{out}{errors}");
        // The opening may be worth a game to the weakest level; both games are played to their end.
        assert!(out.contains("lost 1: 50.0 %") || out.contains("lost 2: 0.0 %"), "{rule}: {out}");
    }
}

#[test]
fn programs_that_do_not_play_lose_or_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let accepts = "read line; echo OK; while read line; do case \"$line\" in DONE|TURN*) ";
    for (name, text, why) in [
        ("nonsense", format!("{accepts} echo hello;; esac; done"), "the answer 'hello' is not a point"),
        ("outside", format!("{accepts} echo 99,0;; esac; done"), "the answer '99,0' is not a point"),
        ("ends", format!("{accepts} exit;; esac; done"), "the program has ended"),
    ] {
        let path = script(directory.path(), name, &text);
        let (output, out, errors) =
            run(&["morpion", path.to_str().unwrap(), "--pairs", "1", "--nodes", "100", "--time", "60s"]);
        assert!(output.status.success(), "{name}: {errors}");
        assert!(out.contains("A won 2, drew 0, lost 0"), "{name}: {out}");
        assert_eq!(errors.matches(why).count(), 2, "{name}: {errors}");
    }
    let refuses = script(directory.path(), "refuses", "read line; echo ERROR no; read line");
    for (arguments, why) in [
        (&["morpion", refuses.to_str().unwrap()][..], "does not take the 15x15 board: ERROR no"),
        (&["morpion", "/nowhere/pbrain"], "/nowhere/pbrain cannot be started"),
        (&["morpion:11", "morpion"], "levels are 1 to 10"),
        (&["morpion", "morpion", "--win", "7"], "rows of 3 to 5 stones, not for 7"),
        (&["morpion", "morpion", "--position", "h8"], "--position cannot be used here"),
        (&["morpion", "morpion", "--sprt", "5"], "two numbers, the smaller one first"),
        (&["morpion", "morpion", "--size", "2", "--nodes", "10"], "too small for a match"),
        (&["morpion"], "<B>"),
    ] {
        let (output, out, errors) = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {out}");
        assert!(errors.contains(why), "'{why}' in: {errors}");
    }
}

#[test]
fn reversi_and_go_are_matched_and_the_same_seed_gives_the_same_match() {
    for game in [
        &["--game", "reversi", "morpion:4", "morpion:1", "--size", "6"][..],
        &["--game", "reversi", "morpion:nodes=300", "morpion:nodes=30"],
        &["--game", "go", "morpion:3", "morpion:1,seed=9", "--size", "5", "--komi", "24.5", "--ko", "superko"],
        &["--game", "go", "morpion:nodes=20", "morpion:nodes=10", "--size", "8", "--suicide", "on"],
    ] {
        let arguments = [game, &["--pairs", "2", "--nodes", "200", "--time", "1h", "--seed", "5"]].concat();
        let (output, out, errors) = run(&arguments);
        assert!(output.status.success() && errors.is_empty(), "{out}{errors}");
        assert_eq!(run(&arguments).1, out);
        assert!(out.contains("A won ") && out.matches("\npair ").count() == 2, "{out}");
        assert!(out.starts_with(game[1]), "{out}");
    }
}

#[test]
fn programs_of_other_protocols_play_reversi_and_go() {
    let directory = tempfile::tempdir().unwrap();
    let own = env!("CARGO_BIN_EXE_morpion");
    let nboard = script(directory.path(), "nboard", &format!("exec {own} nboard --level 1 --memory 1M"));
    let gtp = script(directory.path(), "gtp", &format!("exec {own} gtp --level 1 --memory 1M"));
    for (arguments, program) in [
        (&["--game", "reversi", "--size", "6"][..], nboard.to_str().unwrap()),
        (&["--game", "go", "--size", "5", "--ko", "superko", "--komi", "0.5"], gtp.to_str().unwrap()),
    ] {
        let more = ["morpion:1", program, "--pairs", "1", "--nodes", "20", "--time", "60s"];
        let (output, out, errors) = run(&[arguments, &more].concat());
        assert!(output.status.success() && errors.is_empty(), "{out}{errors}");
        assert!(out.contains("A won "), "{out}");
    }
    // What does not answer as it should loses each game.
    let nonsense = "while read line; do case \"$line\" in ping*) echo pong 1;; go) echo === z9;; esac; done";
    let nonsense = script(directory.path(), "nonsense", nonsense);
    let resigns = "while read line; do case \"$line\" in genmove*) echo = resign;; *) echo =;; esac; echo; done";
    let resigns = script(directory.path(), "resigns", resigns);
    for (game, program, why) in [
        ("reversi", nonsense.to_str().unwrap(), "the answer '=== z9' is not a move"),
        ("go", resigns.to_str().unwrap(), "it resigns"),
    ] {
        let arguments = ["--game", game, "morpion", program, "--pairs", "1", "--nodes", "10", "--time", "60s"];
        let (output, out, errors) = run(&arguments);
        assert!(output.status.success() && out.contains("A won 2, drew 0, lost 0"), "{out}{errors}");
        assert_eq!(errors.matches(why).count(), 2, "{errors}");
    }
}

#[test]
fn settings_of_another_game_are_refused() {
    for (arguments, why) in [
        (&["--game", "reversi", "morpion", "morpion", "--rule", "free"][..], "--rule is not a setting of reversi"),
        (&["morpion", "morpion", "--ko", "superko"], "--ko is not a setting of gomoku"),
        (&["morpion", "morpion", "--komi", "3"], "--komi is not a setting of gomoku"),
        (&["--game", "go", "morpion", "morpion", "--komi", "x"], "komi is a number of points"),
        (&["--game", "go", "morpion", "morpion", "--position", "X"], "--position cannot be used here"),
        (&["--game", "reversi", "morpion:without=x", "morpion"], "without=x: expected a part of the search: cuts"),
        (&["--game", "reversi", "morpion:brain=thesis", "morpion"], "time=0.2s, weights=FILE or without=cuts"),
        (&["--game", "go", "morpion:without=cuts", "morpion"], "level=5, nodes=3000 or time=0.2s"),
        (&["--game", "reversi", "morpion:weights=x", "morpion"], "there is no such file of weights"),
        (&["--game", "reversi", "morpion:threads=2", "morpion"], "'threads=2' is not a level or a setting"),
        (&["morpion:threads=0", "morpion"], "threads=0: expected a number of threads from 1 to 256"),
        (&["--game", "reversi", "morpion", "morpion", "--size", "15"], "4 to 8"),
        (&["--game", "chess", "morpion", "morpion"], "possible values: gomoku, reversi, go"),
    ] {
        let (output, out, errors) = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {out}");
        assert!(errors.contains(why), "'{why}' in: {errors}");
    }
}

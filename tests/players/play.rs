//! `morpion play` with typed lines: a game against the machine, its words, and lines that mean nothing.

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn play(arguments: &[&str], typed: &str) -> String {
    play_of("gomoku", arguments, typed)
}

fn play_of(game: &str, arguments: &[&str], typed: &str) -> String {
    let Output { status, stdout, stderr } = run_of(game, arguments, typed);
    let (out, errors) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success() && errors.is_empty(), "{arguments:?}: {status} {errors}\n{out}");
    out.into_owned()
}

fn run(arguments: &[&str], typed: &str) -> Output {
    run_of("gomoku", arguments, typed)
}

fn run_of(game: &str, arguments: &[&str], typed: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
    // Nodes and no time, so that it plays as well on a machine that stands still. In Go they are playouts.
    let nodes = if game == "go" { "20" } else { "500" };
    command.args(["play", game, "--memory", "1M", "--time", "1h", "--nodes", nodes]).args(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let typed = typed.to_owned();
    // A command that refuses its arguments reads nothing.
    std::thread::spawn(move || input.write_all(typed.as_bytes()).ok());
    child.wait_with_output().unwrap()
}

#[test]
fn the_machine_answers_and_wins_against_nonsense() {
    let out = play(&[], "h8\na1\na15\no1\no15\nc1\nc15\nm1\nm15\nf1\nf15\n");
    assert!(out.matches("the machine plays ").count() >= 4, "{out}");
    assert!(out.contains("white has won"), "{out}");
    assert!(out.trim_end().ends_with('>'), "the end of the input ends the game: {out}");
}

#[test]
fn the_machine_plays_both_sides_to_the_end() {
    for rule in ["free", "five", "renju", "caro"] {
        let out = play(&["--you", "none", "--size", "6", "--rule", rule], "quit\n");
        let ends = ["black has won", "white has won", "a draw"];
        assert_eq!(ends.iter().map(|end| out.matches(end).count()).sum::<usize>(), 1, "{rule}: {out}");
    }
    let out = play(&["--you", "none", "--size", "3", "--win", "3", "--nodes", "1000000"], "");
    assert!(out.contains("a draw"), "noughts and crosses: {out}");
}

#[test]
fn a_game_is_saved_taken_back_and_continued() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("game");
    let name = file.to_str().unwrap();
    let out =
        play(&["--you", "both"], &format!("h8\ni9\ng7\nsave {name}\nundo\ng8\nsave {name}\nsave\nsave /\nquit\n"));
    assert!(out.contains("saved") && out.contains("not saved: File exists"), "{out}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "(;FF[4]GM[4]CA[UTF-8]SZ[15]\n;B[hh]\n;W[ig]\n;B[gi])\n\n");
    let out = play(&["--you", "both", "--position", name], "show\n");
    assert!(out.contains("white (O) to move"), "{out}");
    assert!(out.contains(" 7 . . . . . . X"), "{out}");
}

#[test]
fn words_do_what_help_says_and_nonsense_is_told() {
    let typed = "help\n\nz99\nh8\nh8\nh8 i9\n\u{1b}[2J\nlevel 11\nlevel x\nlevel 2\ntime soon\ntime 1h\nhint\nundo\nundo\nundo\nundo\nswap\nnew\nquit\n";
    let out = play(&[], typed);
    for expected in [
        "save FILE",
        "type a move or help",
        "'z99' is neither a move",
        "h8 cannot be played here",
        "there is no level 11",
        "levels are 1 to 10",
        "level 2",
        "not a time",
        "depth ",
        "there is no move to take back",
    ] {
        assert!(out.contains(expected), "'{expected}' in: {out}");
    }
    assert!(!out.contains('\u{1b}'));
    let long = format!("{}\nquit\n", "y".repeat(100_000));
    assert!(play(&[], &long).contains("is neither a move"));
    let refused = run(&["--win", "6"], "");
    assert_eq!(refused.status.code(), Some(2));
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(why.contains("rows of 3 to 5 stones, not for 6"), "{why}");
}

#[test]
fn reversi_is_played_to_the_end_with_its_passes() {
    for (size, seats) in [("4", "none"), ("5x4", "none"), ("6", "none"), ("8", "none")] {
        let out = play_of("reversi", &["--size", size, "--you", seats, "--level", "2"], "quit\n");
        let ends = ["black has won by ", "white has won by ", "a draw\n"];
        assert_eq!(ends.iter().map(|end| out.matches(end).count()).sum::<usize>(), 1, "{size}: {out}");
    }
    // Black has no move and white has one, which ends the game.
    let arguments = ["--size", "4", "--you", "both", "--position", "OX-- ---- ---- ---- X"];
    let out = play_of("reversi", &arguments, "help\nc1\npass\nundo\npass\nc1\nhint\nquit\n");
    assert_eq!(out.matches("the only move is pass").count(), 4, "{out}");
    for expected in ["pass           a move", "c1 cannot be played here", "white has won by 16", "the game is over"] {
        assert!(out.contains(expected), "'{expected}' in: {out}");
    }
    assert!(!out.contains("h8"), "the help names a move of this board: {out}");
    // The machine passes as well.
    let out = play_of("reversi", &["--size", "4", "--you", "white", "--position", arguments[5]], "c1\n");
    assert!(out.contains("the machine plays pass") && out.contains("white has won by 16"), "{out}");
}

#[test]
fn what_is_decided_is_told_as_it_is() {
    let hint = |position: &str| {
        play_of(
            "reversi",
            &["--size", "4", "--you", "both", "--nodes", "100000000", "--position", position],
            "hint\nquit\n",
        )
    };
    let drawn = hint("-XX--OXX--OOO-OX X");
    assert!(drawn.contains(", a draw, line a1 ") && !drawn.contains("loses"), "{drawn}");
    let (won, lost) = (hint("-O-- -X-- ---- ---- O"), hint("OX-- ---- ---- ---- X"));
    assert!(won.contains("wins by 16") && lost.contains("loses by 16"), "{won}{lost}");
}

#[test]
fn a_game_of_reversi_is_saved_and_continued() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("game");
    let name = file.to_str().unwrap();
    let out = play_of("reversi", &["--you", "both"], &format!("d3\nc3\nc4\nd3\nh8\nsave {name}\nquit\n"));
    assert!(out.contains("saved") && out.contains("d3 cannot be played here"), "{out}");
    let saved = std::fs::read_to_string(name).unwrap();
    assert!(saved.starts_with("(;GM[Othello]") && saved.ends_with("B[D3]W[C3]B[C4];)\n"), "{saved}");
    let by_moves = play_of("reversi", &["--you", "both", "--position", "d3c3c4"], "show\nquit\n");
    assert!(by_moves.contains(" 3 . . O X . . . ."), "{by_moves}");
    let out = play_of("reversi", &["--you", "both", "--position", name], "show\nhint\nxyz\nquit\n");
    assert!(out.contains("white (O) to move") && out.contains(" 3 . . O X . . . ."), "{out}");
    assert!(out.contains("value ") && out.contains("'xyz' is neither a move, such as "), "{out}");
}

#[test]
fn go_is_played_to_the_end_with_its_passes() {
    for (size, more) in [("3", &["--level", "10"][..]), ("5", &["--level", "3"]), ("9", &["--level", "1"])] {
        let out = play_of("go", &[&["--size", size, "--you", "none", "--ko", "superko"], more].concat(), "quit\n");
        let ends = ["black has won by ", "white has won by ", "a draw\n"];
        assert_eq!(ends.iter().map(|end| out.matches(end).count()).sum::<usize>(), 1, "{size}: {out}");
        assert!(out.contains("after two passes"), "{size}: {out}");
    }
    let out = play_of("go", &["--you", "both"], "e5\npass\nPASS\n");
    assert!(out.contains("go 9x9") && out.contains("black has won by 81"), "{out}");
}

#[test]
fn a_saved_game_of_go_keeps_its_past() {
    let directory = tempfile::tempdir().unwrap();
    for (size, number) in [("5", 1), ("9", 2)] {
        let file = directory.path().join(number.to_string());
        let name = file.to_str().unwrap();
        // A ko: white has taken c3, and black may not take back under superko either.
        let typed = format!("b4\nc4\na3\nd3\nb2\nc2\nc3\nb3\nsave {name}\nc3\nquit\n");
        let both = ["--you", "both", "--ko", "superko"];
        let out = play_of("go", &[&both[..], &["--size", size]].concat(), &typed);
        assert!(out.contains("saved") && out.contains("c3 cannot be played here"), "{out}");
        let out = play_of("go", &[&both[..], &["--position", name]].concat(), "c3\npass\nundo\nquit\n");
        assert!(out.contains("c3 cannot be played here"), "{out}");
        assert!(out.contains("black (X) to move") && out.contains("3 X O . O"), "{out}");
    }
    // What was played before the game is saved again with what comes after: black may not bring the board back.
    let (begun, file) = (directory.path().join("2"), directory.path().join("longer"));
    let (begun, name) = (begun.to_str().unwrap(), file.to_str().unwrap());
    let both = ["--you", "both", "--ko", "superko"];
    play_of("go", &[&both[..], &["--position", begun]].concat(), &format!("pass\npass\nundo\nsave {name}\nquit\n"));
    assert_eq!(std::fs::read_to_string(name).unwrap().matches(";").count(), 10, "a head and nine moves");
    let out = play_of("go", &[&both[..], &["--position", name]].concat(), "pass\nundo\nundo\nquit\n");
    assert!(out.contains("white (O) to move"), "{out}");
    // Without a move the position is saved as it is, with its ko and its pass.
    let file = directory.path().join("ko");
    let name = file.to_str().unwrap();
    let position = ".X.O/X.XO/.X.O/.... white ko b3 pass";
    play_of("go", &["--you", "both", "--position", position], &format!("save {name}\nquit\n"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("{position}\n"));
    // A pass before the first move counts.
    let file = directory.path().join("passed");
    let name = file.to_str().unwrap();
    play_of("go", &["--you", "both", "--position", ".X./.../... white pass"], &format!("pass\nsave {name}\nquit\n"));
    let out = play_of("go", &["--you", "both", "--position", name], "quit\n");
    assert!(out.contains("after two passes") && out.contains("black has won by 9"), "{out}");
}

#[test]
fn games_of_go_are_others_each_time_but_for_a_seed() {
    let first = |more: &[&str]| {
        let arguments = [&["--you", "none", "--size", "9", "--level", "1"], more].concat();
        play_of("go", &arguments, "quit\n")
    };
    assert_eq!(first(&["--seed", "3"]), first(&["--seed", "3"]));
    assert_ne!(first(&[]), first(&[]), "two games of some hundred random moves");
}

#[test]
fn the_player_of_patterns_is_chosen_by_name() {
    let arguments = ["--brain", "thesis", "--level", "3", "--you", "none", "--size", "9", "--nodes", "1000000"];
    let out = play(&arguments, "quit\n");
    let ends = ["black has won", "white has won", "a draw"];
    assert_eq!(ends.iter().map(|end| out.matches(end).count()).sum::<usize>(), 1, "{out}");
    assert!(out.contains("(depth 3, "), "{out}");
    for (arguments, why) in [
        (&["--brain", "other"][..], "expected usual or thesis"),
        (&["--brain", "thesis", "--win", "4"], "five in a row, not for 4"),
    ] {
        let refused = run(arguments, "");
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(2) && told.contains(why), "{told}");
    }
}

#[test]
fn an_opening_is_played_on_either_side() {
    // You put the stones; black is far better, so the machine takes it. You have white then.
    let out = play(&["--opening", "swap2", "--you", "first"], "h8\na15\ni7\ng9\nquit\n");
    assert!(out.contains("Swap2; you are the first player"), "{out}");
    for expected in [
        "Swap2: the first player puts a black stone, and then 2 more",
        "Swap2: the first player puts a white stone, and then 1 more",
        "Swap2: the first player puts a black stone\n",
        "Swap2: the second player chooses white, black or add",
        "the machine plays black (depth ",
        "white (O) to move\nthe second player has black\n> ",
    ] {
        assert!(out.contains(expected), "'{expected}' in: {out}");
    }
    // It answers the stone of white with one of black.
    assert_eq!(out.matches("the machine plays ").count(), 2, "{out}");
    assert!(out.ends_with("white (O) to move\nthe second player has black\n> "), "{out}");
    // The machine puts the stones, all at once, and you take white: it is your move.
    let out = play(&["--opening", "swap2", "--you", "second", "--seed", "3"], "white\nquit\n");
    let stones = out.split("the machine plays ").nth(1).unwrap().split(" (depth").next().unwrap();
    assert_eq!(stones.split(' ').count(), 3, "{out}");
    assert!(out.ends_with("white (O) to move\nthe first player has black\n> "), "{out}");
    // The same after two more stones; both end with a move of black or white by the machine.
    let more = "add\na1\nb1\nquit\n";
    let out = play(&["--opening", "swap2", "--you", "second", "--seed", "3"], more);
    assert!(out.contains("Swap2: the second player puts a white stone, and then 1 more"), "{out}");
    assert_eq!(out.matches("the machine plays ").count(), 2, "{out}");
    // The machine plays both sides to the end.
    let out = play(&["--opening", "swap2", "--you", "none", "--size", "8", "--level", "4"], "quit\n");
    let ends = ["black has won", "white has won", "a draw"];
    assert_eq!(ends.iter().map(|end| out.matches(end).count()).sum::<usize>(), 1, "{out}");
}

#[test]
fn an_opening_is_taken_back_saved_and_continued() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("game");
    let name = file.to_str().unwrap();
    // Back over the machine's choice to your last stone, and to the beginning.
    let undone = play(&["--opening", "swap2", "--you", "first"], "h8\na15\ni7\nundo\nundo\nundo\nundo\nquit\n");
    assert_eq!(undone.matches("Swap2: the first player puts a black stone, and then 2 more").count(), 2, "{undone}");
    assert!(undone.contains("there is no move to take back"), "{undone}");
    let both = ["--opening", "swap2", "--you", "both"];
    let typed = format!("white\nh8\nh8\ni9\ng7\na1\nadd\nf6\nsave {name}\nquit\n");
    let out = play(&both, &typed);
    for expected in [
        "white cannot be played here: nothing is to be chosen now: a stone is to be put",
        "h8 cannot be played here: there is a stone on h8",
        "a1 cannot be played here: no stone is to be put now: a choice is to be made, white, black or add",
    ] {
        assert!(out.contains(expected), "'{expected}' in: {out}");
    }
    let saved = "(;FF[4]GM[4]CA[UTF-8]SZ[15]ON[Swap2: add]\n;B[hh]\n;W[ig]\n;B[gi]\n;W[fj])\n\n";
    assert_eq!(std::fs::read_to_string(&file).unwrap(), saved);
    let again = directory.path().join("again");
    let end = again.to_str().unwrap();
    let out = play(&[&both[..], &["--position", name]].concat(), &format!("e5\nblack\nd4\nsave {end}\nquit\n"));
    assert!(out.contains("Swap2: the first player chooses white or black\n"), "{out}");
    assert!(out.contains("black (X) to move\nthe first player has black"), "{out}");
    let saved = std::fs::read_to_string(&again).unwrap();
    assert!(saved.contains("ON[Swap2: add, black]") && saved.ends_with(";B[ek]\n;W[dl])\n\n"), "{saved}");
    // The same file is a game without an opening for everything else.
    let plain = play(&["--you", "both", "--position", end], "quit\n");
    assert!(plain.ends_with("black (X) to move\n> "), "{plain}");
    for (arguments, why) in [
        (&["--opening", "swap2", "--position", "h8i9"][..], "begins on the empty board"),
        (&["--opening", "swap2", "--win", "3"], "the row that wins has at least 4 stones"),
        (&["--opening", "swap"], "swap2"),
        (&["--seed", "3"], "--opening"),
    ] {
        let refused = run(arguments, "");
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(2) && told.contains(why), "{told}");
    }
}

#[test]
fn the_machine_plays_by_its_book() {
    // White's h10 is answered as a plan says; on another board there is no book.
    let out = play(&["--you", "second", "--time", "10s"], "h10\nquit\n");
    assert!(out.contains("the machine plays h8 (without a search, wins by a plan, line h8 "), "{out}");
    assert!(out.contains("the machine plays i7 (without a search, wins by a plan, line i7)"), "{out}");
    let out = play(&["--you", "second", "--nodes", "1000", "--book", "none"], "h10\nquit\n");
    assert_eq!(out.matches("(depth ").count(), 1, "{out}");
    assert!(!out.contains("plan"), "{out}");
    let refused = run(&["--book", "no-such-book"], "");
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && told.contains("expected usual, none or a file"), "{told}");
}

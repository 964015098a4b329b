//! The commands on two-player games, run as a user runs them.

use assert_cmd::Command;
use serde_json::{Value, json};

fn morpion(args: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("morpion").unwrap().args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn solve_json(args: &[&str]) -> Value {
    let args: Vec<&str> =
        ["solve", "reversi"].iter().chain(args).copied().chain(["--memory", "4M", "--json"]).collect();
    let (status, out, err) = morpion(&args);
    assert_eq!(status, 0, "{args:?}: {err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn small_boards_are_solved_by_every_algorithm() {
    for algorithm in ["special", "negamax", "alphabeta", "negascout", "mtdf", "dfpn"] {
        let found = solve_json(&["--size", "4", "--algorithm", algorithm]);
        assert_eq!((&found["version"], &found["lower"], &found["upper"]), (&1.into(), &(-8).into(), &(-8).into()));
        assert_eq!(found["best_moves"].as_array().unwrap().len(), 4, "{algorithm}: {found}");
        assert!(found["value_stats"]["nodes"].as_u64().unwrap() > 100);
    }
    let found = solve_json(&["--size", "4x5", "--threads", "2"]);
    assert_eq!((&found["lower"], &found["upper"], &found["settled"]), (&16.into(), &16.into(), &true.into()));
    let found =
        solve_json(&["--size", "4", "--start", "alternative", "--without", "table,etc", "--algorithm", "mtdf"]);
    assert_eq!(found["lower"], -3);
}

#[test]
fn goals_are_answered_as_asked() {
    let (_, out, _) = morpion(&["solve", "reversi", "--size", "4", "--value", "win-loss-draw", "--memory", "1M"]);
    assert!(out.contains("for black: white wins"), "{out}");
    for (threshold, text) in [("-8", "at least -8 for black"), ("-7", "less than -7 for black")] {
        let (status, out, err) =
            morpion(&["solve", "reversi", "--size", "4x4", "--threshold", threshold, "--memory", "1M"]);
        assert!(status == 0 && out.contains(text), "{out}{err}");
    }
}

#[test]
fn positions_come_from_text_and_files() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("ends.obf");
    // One empty cell: black takes the last one and flips three rows; the second line claims too much.
    let board = "XXXX XXOO XOOO XOO-".replace(' ', "");
    std::fs::write(&file, format!("% two ends\n{board} X; D4:+10;\n{board} X; D4:+16;\n")).unwrap();
    let (status, out, err) = morpion(&["solve", "reversi", "--size", "4", "--position", file.to_str().unwrap()]);
    assert!(out.contains("line 2") && out.contains("line 3") && out.contains("for all values"), "{out}{err}");
    assert!(status == 1 && out.contains("the file says +16"), "{out}{err}");
    let found = solve_json(&["--size", "4", "--position", &format!("{board} X")]);
    assert_eq!(found["line"].as_array().unwrap().len(), 1, "{found}");
}

/// A device does not say how long it is.
#[test]
#[cfg(unix)]
fn positions_without_end_are_refused() {
    let (status, _, err) = morpion(&["solve", "reversi", "--position", "/dev/zero"]);
    assert_eq!(status, 2);
    assert!(err.contains("the file is too long"), "{err}");
}

#[test]
fn counts_and_averages() {
    let (status, out, _) = morpion(&["perft", "reversi", "--depth", "4"]);
    assert!(status == 0 && out.ends_with(" 4                   244\n"), "{out}");
    let dir = tempfile::tempdir().unwrap();
    let picture = dir.path().join("branching.svg");
    let picture = picture.to_str().unwrap();
    let args = ["branching", "reversi", "--size", "6", "--games", "50", "-o", picture];
    let (status, out, err) = morpion(&args);
    assert!(status == 0 && out.contains("estimated size of the game tree: "), "{out}{err}");
    let (status, _, err) = morpion(&args);
    assert!(status == 2 && err.contains("--force"), "{err}");
}

#[test]
fn what_cannot_be_is_refused() {
    for (args, reason) in [
        (&["--size", "9"][..], "width and height are 4 to 8"),
        (&["--size", "4xx"], "not a number"),
        (&["--position", "XO"], "is neither a file nor a position"),
        (&["--memory", "12"], "too little"),
        (&["--memory", "99999999G"], "there is no memory"),
        (&["--threads", "2", "--algorithm", "dfpn"], "only special, negascout and mtdf"),
        (&["--threads", "0"], "out of range"),
        (&["--without", "table"], "choose one by --algorithm"),
        (&["--threshold", "1", "--value", "exact"], "cannot be used with"),
    ] {
        let all: Vec<&str> = ["solve", "reversi"].iter().chain(args).copied().collect();
        let (status, out, err) = morpion(&all);
        assert!(status == 2 && err.contains(reason) && out.is_empty(), "{args:?}: {status} {err}");
    }
    let (status, out, _) = morpion(&["solve", "reversi", "--budget", "100000", "--memory", "1M"]);
    assert!(status == 1 && out.contains("not settled") && out.contains("budget"), "{out}");
}

#[test]
fn go_is_solved_from_options_text_and_files() {
    let solve = |args: &[&str]| {
        let args: Vec<&str> =
            ["solve", "go"].iter().chain(args).copied().chain(["--memory", "4M", "--json"]).collect();
        let (status, out, err) = morpion(&args);
        assert_eq!(status, 0, "{args:?}: {err}");
        serde_json::from_str::<Value>(&out).unwrap()
    };
    for (args, value) in [
        (&["--size", "3"][..], 9),
        (&["--size", "2"], 0),
        (&["--size", "2", "--ko", "superko"], 1),
        (&["--size", "2", "--algorithm", "dfpn"], 0),
        (&["--size", "2x4", "--ko", "superko", "--threads", "2", "--value-only"], 8),
        (&["--size", "1x3", "--suicide", "on"], 3),
        // Black has played in the corner.
        (&["--position", "X../.../... white", "--value-only"], 9),
    ] {
        let found = solve(args);
        assert_eq!((&found["lower"], &found["upper"]), (&value.into(), &value.into()), "{args:?}");
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("game.sgf");
    std::fs::write(&file, "(;GM[1]SZ[3];B[bb])").unwrap();
    let found = solve(&["--position", file.to_str().unwrap(), "--value-only"]);
    assert_eq!((&found["side"], &found["lower"]), (&"white".into(), &(-9).into()));
    for (args, reason) in [
        (&["--size", "8"][..], "width and height are 1 to 7"),
        (&["--position", "X.Y"], "is neither a file nor a position"),
        (&["--position", "X../...", "--size", "3"], "the position is on a 3x2 board, --size says 3x3"),
        (&["--size", "3", "--ko", "none"], "invalid value"),
    ] {
        let all: Vec<&str> = ["solve", "go"].iter().chain(args).copied().collect();
        let (status, out, err) = morpion(&all);
        assert!(status == 2 && err.contains(reason) && out.is_empty(), "{args:?}: {status} {err}");
    }
    let (status, out, _) = morpion(&["perft", "go", "--size", "3", "--depth", "3"]);
    assert!(status == 0 && out.ends_with(" 3                   739\n"), "{out}");
    let (status, out, _) = morpion(&["branching", "go", "--size", "3", "--games", "20"]);
    assert!(status == 0 && out.contains("estimated size of the game tree: "), "{out}");
}

#[test]
fn gomoku_is_a_game_like_the_others() {
    let solve = |args: &[&str]| {
        let args = [&["solve", "gomoku"], args, &["--memory", "4M", "--json"]].concat();
        let (status, out, err) = morpion(&args);
        assert_eq!(status, 0, "{args:?}: {err}");
        serde_json::from_str::<Value>(&out).unwrap()
    };
    for algorithm in ["special", "negamax", "alphabeta", "negascout", "mtdf", "dfpn"] {
        let found = solve(&["--size", "3", "--win", "3", "--rule", "free", "--algorithm", algorithm]);
        assert_eq!((&found["lower"], &found["upper"]), (&0.into(), &0.into()), "{algorithm}");
        assert_eq!(found["best_moves"].as_array().unwrap().len(), 9, "{algorithm}: {found}");
    }
    let found = solve(&["--size", "4x3", "--win", "3", "--threads", "2"]);
    assert_eq!((&found["lower"], &found["settled"]), (&1.into(), &true.into()));
    // A row at either end wins at once; so does the answer to white's four, which leaves both ends.
    let found = solve(&["--position", "h8a1h9a2h10a3h11a4"]);
    assert_eq!((&found["lower"], &found["best_moves"]), (&1.into(), &serde_json::json!(["h12", "h7", "a5"])));
    let (status, out, err) =
        morpion(&["solve", "gomoku", "--size", "3", "--win", "3", "--units", "--threads", "1", "--value-only"]);
    assert!(status == 0 && out.contains("a draw"), "{out}{err}");

    let counted = morpion(&["perft", "gomoku", "--size", "3", "--win", "3", "--depth", "9", "--json"]);
    let counts: Value = serde_json::from_str(&counted.1).unwrap();
    assert_eq!(counts["counts"][9], 255_168);
    let (status, out, err) = morpion(&["branching", "gomoku", "--size", "4", "--rule", "caro", "--games", "50"]);
    assert!(status == 0 && out.contains("gomoku 4x4, empty board, caro, 5 in a row"), "{out}{err}");

    for (args, reason) in [
        (&["--size", "21"][..], "there is no 21x21 board for gomoku: width and height are 1 to 20"),
        (&["--rule", "renju", "--win", "4"], "--win: renju is played for five in a row, not for 4"),
        (&["--win", "0"], "0 is not in 1..=20"),
        (&["--position", "h8h8"], "move 2, h8, is illegal: there is a stone on h8"),
        (&["--position", "X../...", "--size", "4"], "the position is on a 3x2 board, --size says 4x4"),
        (&["--position", "(;GM[1])"], "GM[1] is another game"),
        (&["--position", "(;SZ[15];B[zz])"], "B[zz] is not a valid point of the board"),
    ] {
        let (status, out, err) = morpion(&[&["solve", "gomoku"], args].concat());
        assert!(status == 2 && err.contains(reason) && out.is_empty(), "{args:?}: {out}{err}");
    }
}

#[test]
fn victories_by_continuous_fours_are_found_and_compared() {
    let (status, out, err) = morpion(&["vcf", "--position", "h8a1h9a2h10o1"]);
    assert!(status == 0 && out.contains("black wins with 2 moves, the least that it takes"), "{out}{err}");
    let (status, out, err) = morpion(&["vcf", "--position", "h8a1h9a2", "--json"]);
    let found: Value = serde_json::from_str(&out).unwrap();
    assert!(status == 0 && found["moves"] == 0 && found["decided"] == true, "{out}{err}");

    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("fours.tsv");
    let name = file.to_str().unwrap();
    std::fs::write(&file, "# side, black, white, moves\n1\tf8g8h8\ta1a2\t2\n1\tf8g8\ta1a2\t0\n").unwrap();
    let (status, out, err) = morpion(&["vcf", name]);
    assert!(status == 0 && out.contains("\n2 positions, 2 right, 0 wrong, 0 undecided, "), "{out}{err}");
    std::fs::write(&file, "1\tf8g8h8\ta1a2\t3\n1\tf8g8h8\ta1a2\n").unwrap();
    let (status, out, err) = morpion(&["vcf", name]);
    assert!(status == 1 && out.starts_with("line 1: 2 (the file says 3) "), "{out}{err}");
    assert!(out.contains("\n2 positions, 0 right, 1 wrong, 0 undecided, "), "{out}");
    std::fs::write(&file, "1\tf8g8\n").unwrap();
    for (args, reason) in [
        (&["vcf", name][..], "line 1: 2 columns: expected side"),
        (&["vcf", "nothing-there.tsv"], "nothing-there.tsv: there is no such file"),
        (&["vcf", "--rule", "caro"], "caro is not supported here"),
        (&["vcf", "--win", "9"], "rows of 9 are not supported here"),
        (&["vcf", name, "--position", "h8"], "cannot be used with"),
    ] {
        let (status, out, err) = morpion(args);
        assert!(status == 2 && err.contains(reason), "{args:?}: {out}{err}");
    }
}

#[test]
fn tactical_questions_are_answered_and_compared() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    // White is captured in a ladder to the upper right.
    let ladder = file("ladder.sgf", "(;SZ[9]AB[cf][ce][de][dg][eg]AW[df][ef])");
    let solve = |args: &[&str]| morpion(&[&["tactics", "solve", &ladder], args].concat());
    let (status, out, err) = solve(&["--goal", "capture", "--target", "D4"]);
    assert!(
        status == 0 && out.contains("capture d4, black to move") && out.contains("works (1), proven"),
        "{out}{err}"
    );
    assert!(out.contains("\nladder      f4 e5 e6 f5 "), "{out}");
    let (_, out, _) = solve(&["--goal", "capture", "--target", "d4", "--json"]);
    let found: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&found["ladder"][0], &found["ladder"][1]), (&"f4".into(), &"e5".into()));
    let (status, out, err) = solve(&["--goal", "defend", "--target", "d4", "--json"]);
    let found: Value = serde_json::from_str(&out).unwrap();
    assert!(status == 0 && found["code"] == 1 && found["side"] == "white" && found["proven"] == false, "{out}{err}");
    let (status, out, err) = solve(&["--goal", "connect", "--target", "c4", "--with", "d3"]);
    assert!(status == 0 && out.contains("connect c4 and d3, black to move"), "{out}{err}");
    let (status, out, err) = solve(&["--goal", "capture", "--target", "d4", "--nodes", "1"]);
    assert!(status == 1 && out.contains("answer      unknown\n"), "{out}{err}");
    // Three points in a row, whose middle decides.
    let three = file("three.txt", "...OX..\nOOOOX..\nXXXXX..\n.......\n.......\n.......\n.......\n");
    let life = |args: &[&str]| morpion(&[&["tactics", "solve", &three, "--target", "a6", "--goal"], args].concat());
    let (status, out, err) = life(&["kill"]);
    assert!(status == 0 && out.contains("works (1), proven\nmove        b7\nregion      8 points"), "{out}{err}");
    let (status, out, err) = life(&["live", "--region", "a6:d7"]);
    assert!(status == 0 && out.contains("works (1), not proven; all attacks in the region fail\n"), "{out}{err}");
    let (_, out, _) = life(&["live", "--region", "a7:c7,g1", "--json"]);
    let found: Value = serde_json::from_str(&out).unwrap();
    let region: Vec<&str> = found["region"].as_array().unwrap().iter().map(|point| point.as_str().unwrap()).collect();
    assert_eq!((region, found["move"].as_str()), (vec!["a7", "b7", "c7", "g1"], Some("b7")));
    let broken = file("broken.sgf", "(;SZ[9]AB[cf\n");
    for (file, args, reason) in [
        (&*ladder, &["--goal", "capture", "--target", "k4"][..], "the point `k4` is not on the 9x9 board"),
        (&*ladder, &["--goal", "capture", "--target", "a1"], "there is no stone on a1"),
        (&*ladder, &["--goal", "connect", "--target", "d4"], "is about two chains"),
        (&*ladder, &["--goal", "capture", "--target", "d4", "--with", "c4"], "is about one chain"),
        (&*ladder, &["--goal", "cut", "--target", "d4", "--with", "c4"], "differ in colour"),
        (&*ladder, &["--goal", "seki", "--target", "d4"], "invalid value 'seki'"),
        (&*ladder, &["--goal", "capture", "--target", "d4", "--region", "a1:f4"], "the goal capture has no region"),
        (&*ladder, &["--goal", "kill", "--target", "d4", "--region", "a1"], "the region leaves out e5, a liberty"),
        (&*ladder, &["--goal", "kill", "--target", "d4", "--region", "a1:"], "`a1:` is not a region"),
        (&*broken, &["--goal", "capture", "--target", "d4"], "line 1, column"),
        ("none.sgf", &["--goal", "capture", "--target", "d4"], "none.sgf: there is no such file"),
    ] {
        let (status, out, err) = morpion(&[&["tactics", "solve", file], args].concat());
        assert!(status == 2 && err.contains(reason) && out.is_empty(), "{args:?}: {out}{err}");
    }

    let questions = "# a comment\n1\tattack\tB2\t[1 B1]\t3\tB3 A2 C2\tB2\n2\tattack\tB2\t[0]*\t3\tB3 A2 C2\tB2\n";
    let suite = file("suite.tsv", questions);
    let (status, out, err) = morpion(&["tactics", "suite", &suite]);
    assert!(
        status == 1 && out.contains("\n2 questions, 1 right by code, 1 right with the move, 0 unknown, "),
        "{out}{err}"
    );
    assert!(
        out.contains("1 capture b2: 1 b1 (works, proven, right") && out.contains("wrong: the file has 0"),
        "{out}"
    );
    let (_, out, _) = morpion(&["tactics", "suite", &suite, "--check"]);
    assert!(out.contains("\n2 proofs checked, 0 do not hold, "), "{out}");
    let (_, out, _) = morpion(&["tactics", "suite", &suite, "--json"]);
    let rows: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.len() == 2 && rows[0]["right_with_move"] == true && rows[1]["right_by_code"] == false, "{out}");
    let (_, out, _) = morpion(&["tactics", "suite", &suite, "--moves", "generators"]);
    assert!(out.contains("\n2 questions, 1 right by code"), "{out}");
    let (status, _, err) = morpion(&["tactics", "suite", &suite, "--moves", "both", "--database", "none.sgf"]);
    assert!(status == 2 && err.contains("none.sgf: there is no such file"), "{err}");
    let (status, _, err) = morpion(&["tactics", "suite", &suite, "--database", "none.sgf"]);
    assert!(status == 2 && err.contains("--moves patterns or --moves both"), "{err}");
    // The problems of the program are right, and as trees they are read.
    let (status, out, err) = morpion(&["tactics", "suite", "--check"]);
    let last = out.lines().last().unwrap();
    assert!(status == 0 && last.contains(" questions, ") && last.contains(", 0 unknown, "), "{out}{err}");
    let (_, all, _) = morpion(&["tactics", "examples"]);
    let problems = file("problems.tsv", &all);
    let (_, same, _) = morpion(&["tactics", "suite", &problems]);
    assert!(same.lines().last().unwrap().starts_with(last.rsplit_once(", ").unwrap().0), "{same}");
    let (_, trees, _) = morpion(&["tactics", "examples", "--sgf"]);
    let trees = file("problems.sgf", &trees);
    let (status, out, err) = morpion(&["tactics", "solve", &trees, "--goal", "capture", "--target", "d4"]);
    assert!(status == 0 && out.contains("works (1), proven"), "{out}{err}");
    let wrong = file("wrong.sgf", "(;SZ[9]\n;B[cc]\n ;W[cc])");
    let (status, _, err) = morpion(&["tactics", "solve", &wrong, "--goal", "capture", "--target", "c7"]);
    assert!(status == 2 && err.contains("wrong.sgf: line 3, column 2: SGF: move 2, c7, is illegal"), "{err}");
    let bad = file("bad.tsv", "1\tattack\tB2\n");
    let (status, _, err) = morpion(&["tactics", "suite", &bad]);
    assert!(status == 2 && err.contains("bad.tsv, line 1: 3 columns"), "{err}");
}

#[test]
fn finished_games_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let score = |file: &str, args: &[&str]| morpion(&[&["tactics", "score", file], args].concat());
    // White takes a stone in the corner, and another one of black's is dead.
    let text = "(;SZ[5]KM[0.5]RU[Japanese]RE[B+3.50]AB[ca:ce]AW[da:de];B[ea];W[eb];B[ed];W[];B[])";
    let game = file("game.sgf", text);
    let (status, out, err) = score(&game, &["--dead", "e2"]);
    let shown = "    a b c d e
  5 + + X O -
  4 + + X O O
  3 + + X O -
  2 + + X O x
  1 + + X O -
+ black's territory, - white's, x and o dead stones
                     black   white
territory               10       4
captured                 0       1
dead stones taken        0       1
komi                           0.5
total                   10     6.5
result            B+3.5 by territory
in the file       B+3.50: the same
";
    assert!(status == 0 && out == shown, "{out}{err}");
    let (status, out, err) = score(&game, &["--dead", "E2", "--rules", "area", "--komi", "-1", "--json"]);
    let found: Value = serde_json::from_str(&out).unwrap();
    assert!(status == 1 && found["version"] == 1 && found["komi"] == -1.0 && found["agrees"] == false, "{out}{err}");
    assert!(found["result"] == "B+6" && found["black"]["total"] == 15.0 && found["dead"] == json!(["e2"]), "{out}");
    // Without the mark, the last region is nobody's.
    let (_, out, _) = score(&game, &["--prisoners", "2,0"]);
    assert!(out.contains("\nnobody's          2 neutral points\nresult            B+9.5 by territory\n"), "{out}");
    let (_, out, _) = score(&game, &["--seki", "d1", "--dead", "e2"]);
    assert!(
        out.contains("\nnobody's          0 neutral points, 4 in seki\nresult            B+7.5 by territory\n"),
        "{out}"
    );
    // The result is that of the last position.
    let (status, out, _) = score(&game, &["--move", "1", "--dead", "e5"]);
    assert!(status == 0 && out.ends_with("result            B+3.5 by territory\n"), "{out}");
    let rows = file("rows.txt", "XXXOO\n.XO.O\n");
    let (status, out, _) = score(&rows, &["--rules", "area"]);
    assert!(status == 0 && out.ends_with("\nresult            0 by area\n"), "{out}");
    let odd = file("odd.sgf", "(;SZ[5]KM[3.75];B[aa])");
    for (file, args, reason) in [
        (&*game, &["--dead", "a1"][..], "there is no stone on a1"),
        (&*game, &["--dead", "c1,d1"], "cannot both be dead"),
        (&*game, &["--dead", "k4"], "the point `k4` is not on the 5x5 board"),
        (&*game, &["--move", "6"], "there is no move 6: the main line has 5 moves"),
        (&*game, &["--komi", "6.4"], "whole or half points"),
        (&*game, &["--prisoners", "3"], "expected two numbers"),
        (&*odd, &[], "KM[3.75] is not a valid number of whole or half points"),
        ("none.sgf", &[], "none.sgf: there is no such file"),
    ] {
        let (status, out, err) = score(file, args);
        assert!(status == 2 && err.contains(reason) && out.is_empty(), "{args:?}: {out}{err}");
    }
    let (status, out, _) = score(&odd, &["--komi", "3.5"]);
    assert!(status == 0 && out.contains("result            B+20.5 by territory"), "{out}");
}

/// Files of patterns: what is listed, proven, added and merged, and what is refused.
#[test]
fn weights_are_learned_and_corners_are_looked_up() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (first, second) = (path("first.weights"), path("second.weights"));
    let learn = |file: &str, seed: &str| {
        let short = ["--positions", "20", "--nodes", "300", "--rounds", "1"];
        morpion(&[&["tactics", "learn", "-o", file, "--seed", seed], &short[..]].concat())
    };
    let (status, out, err) = learn(&first, "5");
    assert!(
        status == 0 && out.starts_with("1 round, ") && err.contains("round 1, pair, attacker to move: "),
        "{out}{err}"
    );
    let text = std::fs::read_to_string(&first).unwrap();
    let said = "# learned by morpion tactics learn --seed 5 --positions 20 --nodes 300 --rounds 1\n# chain, defender to move";
    assert!(text.contains(said), "{text}");
    let (status, _, err) = learn(&first, "6");
    assert!(status == 2 && err.contains("--force overwrites it") && std::fs::read_to_string(&first).unwrap() == text);
    learn(&second, "5");
    assert_eq!(std::fs::read_to_string(&second).unwrap(), text, "the same seed gives the same weights");

    let game = path("game.sgf");
    std::fs::write(&game, "(;SZ[19];B[dd];W[fc];B[pp])").unwrap();
    let dictionary = path("joseki.sgf");
    let tree = "(;SZ[19];B[pd];W[qf](;B[nd]C[the usual one\nand more];W[rd])(;B[pf]BM[1])(;W[]))";
    std::fs::write(&dictionary, tree).unwrap();
    let look_up = |args: &[&str]| morpion(&[&["tactics", "joseki", &*game, "--dictionary"], args].concat());
    let (status, out, err) = look_up(&[&dictionary]);
    assert_eq!((status, &*err), (0, ""));
    let found = [
        "4 positions in the dictionary",
        "upper right, the same on 10 lines",
        "  black q16             6 positions",
        "  white q16             6 positions",
        "lower right, the same on 10 lines",
        "  white r6              5 positions",
        "  white o3              5 positions",
        "lower left, the same on 10 lines",
        "  black d4              6 positions",
        "  white d4              6 positions",
        "upper left, the same on 10 lines",
        "  black d14             2 positions  the usual one ...",
        "  white elsewhere       1 position",
        "  black f16             1 position, bad",
    ];
    assert_eq!(out, found.map(|line| format!("{line}\n")).concat());
    let (_, out, _) = look_up(&[&dictionary, "--json"]);
    let values: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(values.len(), 9);
    assert_eq!((&values[6]["move"], &values[6]["remark"]), (&"d14".into(), &"the usual one\nand more".into()));
    assert_eq!((&values[7]["move"], &values[8]["mark"]), (&serde_json::Value::Null, &"bad".into()));
    for (file, reason) in [(path("none.sgf"), "there is no such file"), (first, "SGF")] {
        let (status, _, err) = look_up(&[&file]);
        assert!(status == 2 && err.contains(reason), "{err}");
    }
    std::fs::write(&dictionary, "(;SZ[9];B[gc])").unwrap();
    std::fs::write(
        &game,
        "XXXXXXXXX/........./........./........./X.......X/........./........./........./XXXXXXXXX",
    )
    .unwrap();
    let (status, out, _) = look_up(&[&dictionary]);
    assert_eq!((status, &*out), (1, "1 position in the dictionary\nno corner is in it\n"));
}

#[test]
fn databases_of_patterns_are_checked_and_put_together() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let file = |name: &str, text: &str| {
        std::fs::write(path(name), text).unwrap();
        path(name)
    };
    let joint = file("joint.sgf", "(;(;GL[2]PS[3 2]N[joint]AB[aa][ca][ab][cb])(;GL[2]PS[3 1]N[jump]AB[aa][ca]))");
    let (status, out, err) = morpion(&["tactics", "database", "check", &joint]);
    assert!(
        status == 1 && out.contains("joint: proven on an empty board") && out.contains("jump: not proven"),
        "{out}{err}"
    );
    assert!(out.ends_with("2 patterns, 1 proven, 0 of them wherever they fit\n"), "{out}");
    let (status, out, _) = morpion(&["tactics", "database", "check"]);
    assert!(status == 0 && !out.contains("not proven"), "what is shipped is proven: {out}");
    let (_, out, _) = morpion(&["tactics", "database", "list", &joint, "--draw"]);
    assert!(out.contains("   1 connect   shape  3x2 joint\n       X . X\n       X . X\n"), "{out}");

    let board = file("board.txt", "....../.XX.../.XO.../....../....../......");
    let database = path("new.sgf");
    let add = ["tactics", "database", "add", &*database, &*board, "--goal", "capture", "--target", "c4"];
    let (status, out, err) = morpion(&[&add[..], &["--name", "corner"]].concat());
    let added = status == 0 && out.contains("1 pattern now");
    assert!(added || err.contains("nothing is added"), "{out}{err}");
    let on_edge = file("edge.txt", "....../....../....../X.X...");
    let add =
        ["tactics", "database", "add", &*database, &*on_edge, "--goal", "connect", "--target", "a1", "--with", "c1"];
    let (status, out, err) = morpion(&add);
    assert!(status == 0 && out.contains("added a pattern"), "{out}{err}");
    let (status, _, err) = morpion(&add);
    assert!(status == 1 && err.contains("has it already"), "{err}");
    let (status, out, err) = morpion(&["tactics", "match", &on_edge, "--database", &database]);
    assert!(status == 0 && out.contains("black b1  connect"), "{out}{err}");
    let (_, out, _) = morpion(&["tactics", "match", &on_edge, "--database", &database, "--json"]);
    let value: Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    assert!(value["side"] == "black" && value["goal"] == "connect", "{out}");

    let merged = path("merged.sgf");
    let merge = ["tactics", "database", "merge", &*joint, &*database, &*joint, "-o", &*merged];
    let (status, out, err) = morpion(&merge);
    assert!(status == 0 && out.contains("0 of 2 patterns"), "{out}{err}");
    let before = std::fs::read(&merged).unwrap();
    let (status, _, err) = morpion(&merge);
    assert!(status == 2 && err.contains("the file exists; --force overwrites it"), "{err}");
    assert_eq!(std::fs::read(&merged).unwrap(), before);
    assert_eq!(morpion(&[&merge[..], &["--force"]].concat()).0, 0);
    let broken = file("broken.sgf", "(;(;GL[2]AB[aa][ca])(;GL[7]N[odd]AB[aa]))");
    for command in
        [&["tactics", "database", "list", &broken][..], &["tactics", "match", &board, "--database", &broken]]
    {
        let (status, out, err) = morpion(command);
        let told = "broken.sgf: line 1, column 22: pattern 2 (odd): GL[7] is not a valid goal";
        assert!(status == 2 && out.is_empty() && err.contains(told), "{err}");
    }

    let mined = path("mined.sgf");
    let mine =
        ["tactics", "mine", "-o", &*mined, "--games", "2", "--size", "5", "--playouts", "10", "--nodes", "500"];
    let (status, out, err) = morpion(&[&mine[..], &["--least", "1"]].concat());
    assert!(status == 0 && out.contains("2 games, "), "{out}{err}");
    let first = std::fs::read(&mined).unwrap();
    let (status, _, err) = morpion(&mine);
    assert!(status == 2 && err.contains("--force overwrites it"), "{err}");
    morpion(&[&mine[..], &["--least", "1", "--force"]].concat());
    assert_eq!(std::fs::read(&mined).unwrap(), first, "the same seed gives the same patterns");
    let (_, out, _) = morpion(&["tactics", "database", "list", &mined]);
    assert!(out.contains("mined 1, in "), "{out}");
}

#[test]
fn speedups_are_measured_by_each_scheme() {
    let args = ["speedup", "reversi", "--size", "6", "--depths", "3,4", "--threads", "3,1", "--positions", "2"];
    let (status, out, err) = morpion(&[&args[..], &["--memory", "1M", "--json"]].concat());
    assert_eq!(status, 0, "{err}");
    let rows: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 2 * 4 * 2);
    for pair in rows.chunks_exact(2) {
        assert_eq!((&pair[0]["threads"], &pair[1]["threads"]), (&1.into(), &3.into()));
        assert_eq!((&pair[0]["times_as_fast"], &pair[0]["more_nodes"]), (&1.0.into(), &0.0.into()));
        assert_eq!(pair[0]["scheme"], pair[1]["scheme"]);
        assert!(pair[1]["nodes"].as_u64() > Some(20) && pair[0]["splits"] == 0, "{pair:?}");
    }
    // Without a table one thread visits the same nodes by each scheme.
    assert!(rows[0]["nodes"] == rows[2]["nodes"] && rows[0]["nodes"] == rows[4]["nodes"]);
    assert!(rows[14]["scheme"] == "abdada" && rows[14]["depth"] == 4);
    // Simulated threads have the same figures each time; only they have a time in nodes.
    let simulated = || morpion(&[&args[..], &["--memory", "1M", "--json", "--simulate"]].concat());
    let (status, out, err) = simulated();
    assert!(status == 0 && simulated().1 == out, "{out}{err}");
    let of_three: Value = serde_json::from_str(out.lines().nth(1).unwrap()).unwrap();
    assert!(of_three["times_as_fast"].as_f64() > Some(1.0) && of_three["threads"] == 3, "{of_three}");
    assert!(of_three["time_in_nodes"].as_f64() < of_three["nodes"].as_f64(), "{of_three}");
    assert!(of_three.get("seconds").is_none() && rows[1].get("time_in_nodes").is_none());
    let (_, table, _) = morpion(&[&args[..], &["--simulate"]].concat());
    assert!(table.contains("time, nodes  times as fast"), "{table}");
    for (args, reason) in [
        (&["reversi", "--size", "4", "--plies", "60"][..], "no game is still going on after 60 plies"),
        (&["gomoku", "--size", "7", "--win", "4"], "plays for five in a row, not for 4"),
        (&["gomoku", "--schemes", "pvs"], "invalid value 'pvs'"),
        (&["gomoku", "--depths", "0"], "0 is not in 1..=60"),
        (&["reversi", "--threads", "0"], "0 is not in 1..=1024"),
    ] {
        let (status, out, err) = morpion(&[&["speedup"], args].concat());
        assert!(status == 2 && err.contains(reason) && out.is_empty(), "{args:?}: {status} {err}");
    }
}

#[test]
fn reversi_is_estimated_by_the_weights_of_a_flag() {
    let analyse = |weights: &[&str]| {
        morpion(&[&["analyse", "reversi", "--nodes", "3000", "--time", "1h", "--best", "1"], weights].concat())
    };
    let (usual, by_hand) = (analyse(&[]), analyse(&["--weights", "by-hand"]));
    assert_eq!((usual.0, by_hand.0), (0, 0), "{}{}", usual.2, by_hand.2);
    assert_ne!(usual.1, by_hand.1);
    for command in [&["analyse", "reversi"][..], &["play", "reversi"], &["nboard"]] {
        let (status, out, err) = morpion(&[command, &["--weights", "no-such-file"]].concat());
        assert!(status == 2 && out.is_empty() && err.contains("there is no such file of weights"), "{out}{err}");
    }
}

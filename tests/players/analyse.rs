//! `morpion analyse`: forced victories come first, values are those of the solvers on small boards, and budgets hold.

use assert_cmd::Command;
use serde_json::Value;

fn morpion(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("morpion").unwrap().args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn analysed(game: &str, arguments: &[&str]) -> Value {
    let all = [&["analyse", game, "--json", "--memory", "4M"], arguments].concat();
    let (status, out, err) = morpion(&all);
    assert_eq!(status, 0, "{arguments:?}: {err}");
    serde_json::from_str(&out).unwrap()
}

/// Moves with their values.
fn values(found: &Value) -> Vec<(String, f64)> {
    let moves = found["moves"].as_array().unwrap().iter();
    moves.map(|m| (m["move"].as_str().unwrap().to_owned(), m["value"].as_f64().unwrap())).collect()
}

#[test]
fn a_forced_victory_comes_first() {
    // Black has an open three; white has nothing.
    let found = analysed("gomoku", &["--position", "h8a1i8c1j8o15", "--depth", "3", "--time", "1h"]);
    let moves = found["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 225 - 6);
    let won = |m: &Value| m["value"].as_i64().unwrap() > 0 && m["decided_in"].is_u64();
    let mut wins: Vec<&str> = moves.iter().filter(|m| won(m)).map(|m| m["move"].as_str().unwrap()).collect();
    assert!(wins.contains(&moves[0]["move"].as_str().unwrap()), "{:?}", moves[0]);
    wins.sort_unstable();
    assert!(wins.contains(&"g8") && wins.contains(&"k8"), "{wins:?}");
    assert_eq!(moves[0]["decided_in"], 3);
    assert_eq!(moves[0]["line"].as_array().unwrap().len(), 3, "{:?}", moves[0]);
    // A row that is completed.
    let found = analysed("gomoku", &["--position", "h8a1i8c1j8e1k8g1", "--best", "2", "--depth", "1"]);
    let mut best: Vec<String> = values(&found).into_iter().map(|(name, _)| name).collect();
    best.sort_unstable();
    assert_eq!(best, ["g8", "l8"]);
}

#[test]
fn values_are_those_of_the_solver_on_small_boards() {
    // Noughts and crosses: white has answered the corner beside it, so several moves win and others do not.
    for position in ["a1b1", "b2a2", "a1b2", "a1c3b2"] {
        let arguments = ["--size", "3", "--win", "3", "--position", position];
        let found = analysed("gomoku", &arguments);
        for m in found["moves"].as_array().unwrap() {
            let name = m["move"].as_str().unwrap();
            let after = format!("{position}{name}");
            let solved = ["solve", "gomoku", "--json", "--memory", "1M"];
            let solved = [&solved[..], &["--size", "3", "--win", "3", "--position", &after]].concat();
            let (status, out, err) = morpion(&solved);
            assert_eq!(status, 0, "{err}");
            let exact = -serde_json::from_str::<Value>(&out).unwrap()["lower"].as_i64().unwrap();
            let told = if m["decided_in"].is_null() { 0 } else { m["value"].as_i64().unwrap().signum() };
            assert_eq!(told, exact, "{after}: {m}");
        }
    }
    // The four first moves of Reversi are symmetric.
    let found = analysed("reversi", &["--size", "4"]);
    assert_eq!(values(&found).iter().map(|(_, value)| *value).collect::<Vec<_>>(), [-8.0; 4], "{found}");
    let found = analysed("go", &["--size", "2x1", "--ko", "superko"]);
    assert!(found["moves"][0]["decided_in"].is_u64(), "{found}");
}

#[test]
fn budgets_and_counts_hold_and_mistakes_are_told() {
    let found = analysed("go", &["--size", "9", "--playouts", "200", "--best", "3", "--komi", "7"]);
    let playouts: u64 = found["moves"].as_array().unwrap().iter().map(|m| m["nodes"].as_u64().unwrap()).sum();
    assert!(playouts > 10 && playouts <= 200, "{found}");
    assert_eq!((found["moves"].as_array().unwrap().len(), &found["side"]), (3, &"black".into()));
    let again = analysed("go", &["--size", "9", "--playouts", "200", "--best", "3", "--komi", "7"]);
    assert_eq!(found["moves"], again["moves"], "the same seed");
    let found = analysed("reversi", &["--depth", "2"]);
    assert!(found["moves"].as_array().unwrap().iter().all(|m| m["depth"] == 2), "{found}");
    let over = analysed("reversi", &["--size", "4", "--position", "XXXX XXXX XXXX XXXX X"]);
    assert_eq!(over["moves"], Value::Array(Vec::new()));
    for (arguments, expected) in [
        (&["--best", "0"][..], "0 is not in 1.."),
        (&["--threads", "257"], "expected a number of threads from 1 to 256"),
        (&["--position", "z99"], "neither a file nor a position"),
        (&["--win", "6", "--time", "1s"], "rows of 3 to 5 stones, not for 6"),
    ] {
        let (status, _, err) = morpion(&[&["analyse", "gomoku"], arguments].concat());
        assert!(status == 2 && err.contains(expected), "{arguments:?}: {err}");
    }
}

#[test]
fn text_tells_each_depth_and_then_all_moves() {
    let (status, out, err) = morpion(&["analyse", "reversi", "--depth", "3", "--memory", "4M"]);
    assert_eq!(status, 0, "{err}");
    for expected in ["reversi 8x8", "\ndepth 1   ", "\ndepth 3   ", "\nmove  value", "\n4 moves, "] {
        assert!(out.contains(expected), "'{expected}' in: {out}");
    }
}

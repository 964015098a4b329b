//! Games that begin with an opening: from the first stone to the game after it, for both players, and what is refused.

use crate::daemon::Daemon;
use crate::http::post;
use serde_json::{Value, json};

fn body(moves: &str, more: Value) -> String {
    let moves: Vec<&str> = moves.split_whitespace().collect();
    let mut body = json!({ "settings": { "game": "gomoku" }, "opening": "swap2", "moves": moves });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body.to_string()
}

/// Who made each of the moves and makes the next one, by first letters.
fn players(view: &Value) -> String {
    let names = view["opening"]["players"].as_array().unwrap();
    names.iter().map(|name| &name.as_str().unwrap()[..1]).collect()
}

#[test]
fn an_opening_is_told_step_by_step() {
    let daemon = Daemon::begin();
    let view = |moves: &str| post(daemon.address, "/api/v1/position", &body(moves, json!({}))).json();
    let choices = |view: &Value| {
        let legal = view["legal"].as_array().unwrap();
        legal.iter().filter_map(Value::as_str).filter(|name| name.len() > 3).collect::<Vec<_>>().join(" ")
    };
    for (moves, turn, side, legal, open, to_place, made, black) in [
        ("", "place", "black", 225, "", 3, "o", Value::Null),
        ("h8", "place", "white", 224, "", 2, "oo", Value::Null),
        ("h8 i9", "place", "black", 223, "", 1, "ooo", Value::Null),
        ("h8 i9 g7", "choose", "white", 3, "white black", 0, "oooa", Value::Null),
        ("h8 i9 g7 white", "play", "white", 222, "", 0, "oooaa", json!("opener")),
        ("h8 i9 g7 white a1", "play", "black", 221, "", 0, "oooaao", json!("opener")),
        ("h8 i9 g7 black", "play", "white", 222, "", 0, "oooao", json!("answerer")),
        ("h8 i9 g7 add", "place", "white", 222, "", 2, "oooaa", Value::Null),
        ("h8 i9 g7 add a1", "place", "black", 221, "", 1, "oooaaa", Value::Null),
        ("h8 i9 g7 add a1 a2", "choose", "white", 2, "white black", 0, "oooaaao", Value::Null),
        ("h8 i9 g7 add a1 a2 white", "play", "white", 220, "", 0, "oooaaaoo", json!("answerer")),
        ("h8 i9 g7 add a1 a2 BLACK c3", "play", "black", 219, "", 0, "oooaaaoao", json!("opener")),
    ] {
        let found = view(moves);
        let opening = &found["opening"];
        assert_eq!((&opening["turn"], &found["side"]), (&json!(turn), &json!(side)), "{moves}");
        assert_eq!(found["legal"].as_array().unwrap().len(), legal, "{moves}");
        assert_eq!(choices(&found), open, "{moves}");
        assert_eq!((&opening["to_place"], &opening["black"]), (&json!(to_place), &black), "{moves}");
        assert_eq!(players(&found), made, "{moves}");
        assert_eq!(found["outcome"], Value::Null, "{moves}");
    }
    // A game without an opening has none.
    let plain = post(daemon.address, "/api/v1/position", r#"{"settings":{"game":"gomoku"}}"#).json();
    assert_eq!(plain["opening"], Value::Null);
    // The game after it ends as any other.
    let won = view("h8 a1 h9 black a2 h10 a3 h11 a4 h12");
    assert_eq!((&won["outcome"], &won["side"]), (&json!(-1), &json!("white")));
    daemon.end().unwrap();
}

#[test]
fn a_saved_opening_goes_on_where_it_was() {
    let daemon = Daemon::begin();
    let view = |more: Value, moves: &str| post(daemon.address, "/api/v1/position", &body(moves, more)).json();
    for moves in ["h8 i9", "h8 i9 g7", "h8 i9 g7 add a1", "h8 i9 g7 add a1 a2 black c3 d4"] {
        let before = view(json!({}), moves);
        assert!(before["saved"].as_str().unwrap().contains("ON[Swap2"), "{before}");
        let saved = json!({ "settings": { "game": "gomoku", "position": before["saved"] } });
        let mut after = view(saved, "");
        assert_eq!(after["saved"], before["saved"]);
        // The moves before it are no longer told.
        let made = players(&before);
        assert_eq!(players(&after), made[made.len() - 1..]);
        after["opening"]["players"] = before["opening"]["players"].clone();
        for name in ["cells", "side", "legal", "opening"] {
            assert_eq!(after[name], before[name], "{moves}: {name}");
        }
    }
    daemon.end().unwrap();
}

#[test]
fn the_machine_plays_either_part_of_an_opening() {
    let daemon = Daemon::begin();
    let ask = |moves: &str, more: Value| {
        let mut fields = json!({ "seconds": 0.2, "level": 5, "seed": 7 });
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        post(daemon.address, "/api/v1/position/move", &body(moves, fields))
    };
    let line = |chosen: &Value| -> Vec<String> { serde_json::from_value(chosen["line"].clone()).unwrap() };
    let legal_after = |moves: &str| post(daemon.address, "/api/v1/position", &body(moves, json!({}))).json();
    // It puts all stones that it has to put, on different points, and no more.
    for (moves, own) in [("", 3), ("h8", 2), ("h8 i9", 1), ("h8 i9 g7 add", 2), ("h8 i9 g7 add f6", 1)] {
        let chosen = ask(moves, json!({})).json();
        assert_eq!((&chosen["own"], line(&chosen).len()), (&json!(own), own), "{moves}: {chosen}");
        let after = legal_after(&format!("{moves} {}", line(&chosen).join(" ")));
        assert_eq!(after["opening"]["turn"], "choose", "{moves}: {chosen}");
    }
    // Three stones of which two black ones are far from white: black is better. It has to wait for white's move then.
    let chosen = ask("h8 a15 i7", json!({})).json();
    assert_eq!((&line(&chosen)[0], &chosen["own"]), (&"black".to_owned(), &json!(1)), "{chosen}");
    // White is better, and it goes on at once. Both players choose so.
    for moves in ["a1 h8 o15", "a1 h8 o15 add i9 a15"] {
        let chosen = ask(moves, json!({})).json();
        assert_eq!((&line(&chosen)[0], &chosen["own"]), (&"white".to_owned(), &json!(2)), "{chosen}");
        let after = legal_after(&format!("{moves} {}", line(&chosen)[..2].join(" ")));
        assert_eq!((&after["opening"]["turn"], &after["side"]), (&json!("play"), &json!("black")));
    }
    // The game goes on, whoever has white.
    let chosen = ask("h8 a1 h9 black", json!({})).json();
    assert_eq!((&chosen["side"], &chosen["own"]), (&json!("white"), &json!(1)));
    let won = ask("h8 a1 h9 white a2 h10 a3 h11 c1", json!({})).json();
    assert_eq!((&won["side"], &won["decided_in"]), (&json!("black"), &json!(1)));
    // The player of patterns has an opinion of its own.
    let patterns = ask("a1 h8 o15", json!({ "brain": "thesis", "level": 2, "seconds": 5 })).json();
    assert_eq!((&line(&patterns)[0], &patterns["depth"]), (&"white".to_owned(), &json!(2)), "{patterns}");
    // Others each time, unless a seed is given.
    let first = |seed: Value| {
        let chosen = ask("", json!({ "seed": seed, "seconds": 10, "level": 1 })).json();
        line(&chosen)
    };
    assert_ne!(first(json!(1)), first(json!(2)));
    daemon.end().unwrap();
}

#[test]
fn what_an_opening_does_not_allow_is_refused_with_its_reason() {
    let daemon = Daemon::begin();
    let refused = |moves: &str, more: Value, number: Option<usize>, why: &str| {
        for path in ["/api/v1/position", "/api/v1/position/move"] {
            let problem = post(daemon.address, path, &body(moves, more.clone())).problem(422);
            let detail = problem["detail"].as_str().unwrap();
            assert!(detail.contains(why), "{moves}: {detail}");
            let told = problem["number"].as_u64().map(|number| number as usize);
            assert_eq!(told, number, "{moves}: {problem}");
        }
    };
    for (moves, number, why) in [
        ("white", 1, "nothing is to be chosen now: a stone is to be put"),
        ("h8 add", 2, "nothing is to be chosen now"),
        ("h8 i9 h8", 3, "there is a stone on h8"),
        ("h8 i9 g7 a1", 4, "no stone is to be put now: a choice is to be made, white, black or add"),
        ("h8 i9 g7 add g7", 5, "there is a stone on g7"),
        ("h8 i9 g7 add a1 a2 a3", 7, "a choice is to be made, white or black"),
        ("h8 i9 g7 add a1 a2 add", 7, "two more stones can be put after the first three only"),
        ("h8 i9 g7 black white", 5, "the colours are agreed on"),
        ("h8 i9 g7 white h8", 5, "there is a stone on h8"),
        ("h8 i9 g7 swap", 4, "\"swap\" is not a move on this board"),
        ("h8 p9", 2, "\"p9\" is not a move on this board"),
    ] {
        refused(moves, json!({}), Some(number), why);
    }
    let settings = |settings: Value| json!({ "settings": settings });
    for (more, why) in [
        (json!({ "opening": "swap" }), "there is no opening 'swap': swap2 is expected"),
        (settings(json!({ "game": "go" })), "swap2 is an opening of gomoku, not of go"),
        (settings(json!({ "game": "gomoku", "win": 3 })), "the row that wins has at least 4 stones"),
        (settings(json!({ "game": "gomoku", "size": "5x1" })), "the 5x1 board is too small for Swap2"),
        (settings(json!({ "game": "gomoku", "position": "h8i9" })), "begins on the empty board"),
        (
            settings(json!({ "game": "gomoku", "position": "(;GM[4]SZ[15];B[hh])" })),
            "does not say that the game begins",
        ),
        (
            settings(json!({ "game": "gomoku", "position": "(;GM[4]SZ[15]ON[Swap2: white];B[hh])" })),
            "do not fit the moves",
        ),
    ] {
        refused("", more, None, why);
    }
    let over = "h8 a1 h9 black a2 h10 a3 h11 a4 h12";
    let problem = post(daemon.address, "/api/v1/position/move", &body(over, json!({}))).problem(422);
    assert!(problem["detail"].as_str().unwrap().contains("the game is over"), "{problem}");
    daemon.end().unwrap();
}

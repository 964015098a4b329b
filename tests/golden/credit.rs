//! Accounts of a daemon from before units of players had credit, and claims that wait.
//!
//! The state was made on 2026-11-30. A machine of the user `ada` had computed a hunt, and had answered units of a
//! solution on which two have to agree; then the daemon was killed.

use crate::daemons::program::Program;
use crate::daemons::wait_until;
use crate::{assert_holds, data, document, unpack};
use serde_json::{Value, json};

/// The units of a kind that a user has credit for.
fn units_of(credit: &Value, user: &str, kind: &str) -> u64 {
    let users = credit["users"].as_array().unwrap();
    users.iter().find(|of| of["name"] == user).map_or(0, |of| of[kind].as_u64().unwrap())
}

#[test]
fn accounts_and_claims_go_on() {
    let recorded = document(&data().join("credit/recorded.json"));
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    unpack(&data().join("credit/state"), &state);
    let program = Program::start(&state);
    // The threads agree with the machine, so both have credit for each unit that it had answered.
    let solution = recorded["ids"]["solution"].as_u64().unwrap();
    assert_eq!(program.wait_over(solution)["state"], "finished");
    let games = program.submit(&json!({ "kind": "selfplay", "settings": { "games": 8, "nodes": 20, "size": 9 } }));
    assert_eq!(program.wait_over(games)["state"], "finished");
    let mut credit = Value::Null;
    wait_until("all have their credit", || {
        credit = program.get("/credit");
        units_of(&credit, "ada", "units_solve") > 0 && units_of(&credit, "daemon", "units_players") > 0
    });
    assert_eq!(units_of(&credit, "daemon", "units_players"), 1, "{credit}");
    assert_eq!(units_of(&credit, "ada", "units_players"), 0, "{credit}");
    let hunts = &recorded["credit"]["total"]["units_hunt"];
    assert_eq!((hunts, &credit["total"]["units_hunt"]), (&json!(units_of(&credit, "ada", "units_hunt")), hunts));
    let before = recorded["credit"]["total"]["credit"].as_f64().unwrap();
    assert!(credit["total"]["credit"].as_f64() > Some(before), "{credit}");
    // A daemon that has nothing to do but read shows what was recorded.
    program.stop();
    let untouched = dir.path().join("untouched");
    unpack(&data().join("credit/state"), &untouched);
    let mut command = crate::daemons::program::command(&untouched);
    let program = Program::launch(command.args(["--threads", "0", "--boinc"]).arg(dir.path().join("spool")));
    assert_holds(&program.get("/credit"), &recorded["credit"], "credit");
    program.stop();
}

//! Who has computed how much: accounts of machines and users, and messages to them.

use crate::daemons::program::Program;
use crate::daemons::*;
use crate::hostile::{ID, with_rights};
use crate::installation::Installation;
use morpion::core::encoding::encode;
use morpion::queue::nats::message::{Introduction, Word};
use serde_json::{Value, json};
use std::process::Command;

/// Units, seconds and credit of a user or team.
fn figures(of: &Value) -> (u64, f64, f64) {
    let number = |name: &str| of[name].as_f64().unwrap_or_else(|| panic!("{name} of {of}"));
    (of["units"].as_u64().unwrap(), number("seconds"), number("credit"))
}

/// The credit of the project when so many units have it: what is taken is credited some moments later.
fn credit(program: &Program, units: u64) -> Value {
    let mut credit = Value::Null;
    wait_until("all units have their credit", || {
        credit = program.get("/credit");
        assert!(credit["total"]["units"].as_u64() <= Some(units), "more than {units} units: {credit}");
        credit["total"]["units"] == units
    });
    credit
}

/// Units of players that a user has credit for, and its points.
pub fn units_of_players(program: &Program, user: &str) -> (u64, f64) {
    let credit = program.get("/credit");
    let users = credit["users"].as_array().unwrap();
    let of = users.iter().find(|of| of["name"] == user);
    of.map_or((0, 0.0), |of| (of["units_players"].as_u64().unwrap(), of["credit"].as_f64().unwrap()))
}

/// Waits until so many units of players have credit, and checks that they never are more.
pub fn wait_for_players(program: &Program, units: u64) {
    wait_until("all units of players have their credit", || {
        let total = program.get("/credit")["total"].clone();
        let credited = total["units_players"].as_u64().unwrap();
        assert!(credited <= units, "more than {units} units of players: {total}");
        credited == units
    });
}

fn settings(runs: u32) -> Value {
    json!({ "strategy": "nrpa", "level": 2, "runs": runs, "seed": 9 })
}

#[test]
fn two_users_compute_a_job_and_their_sums_are_its_units() {
    let Some(mut site) =
        Installation::start("two_users_compute_a_job_and_their_sums_are_its_units", &["--threads=0"])
    else {
        return;
    };
    let machines = [site.machine_for("ada", "lab", "one", 1), site.machine_for("bob", "lab", "two", 1)];
    wait_until("both are there", || site.machines().len() == 2);
    let seen = site.machines();
    assert_eq!((&seen[0]["user"], &seen[0]["team"]), (&json!("ada"), &json!("lab")), "{}", seen[0]);
    assert!(seen[0]["speed"].as_u64() > Some(0), "{}", seen[0]);
    let began = std::time::Instant::now();
    let hunt = site.submit(&json!({ "kind": "hunt", "settings": settings(40) }));
    let job = site.wait_over(hunt);
    let longest = began.elapsed().as_secs_f64();
    assert_eq!((&job["state"], &job["units_done"]), (&json!("finished"), &json!(40)), "{job}");
    let all = credit(&site, 40);
    let names: Vec<&str> =
        all["users"].as_array().unwrap().iter().map(|user| user["name"].as_str().unwrap()).collect();
    assert!(names.len() == 2 && names.contains(&"ada") && names.contains(&"bob"), "{all}");
    assert_eq!(
        (&all["total"]["machines"], &all["users_count"], &all["teams_count"]),
        (&json!(2), &json!(2), &json!(1))
    );
    let total = figures(&all["total"]);
    let mut sum = (0, 0.0, 0.0);
    for user in all["users"].as_array().unwrap() {
        let (units, seconds, credit) = figures(user);
        assert!(units > 0 && seconds > 0.0 && credit > 0.0 && seconds <= longest, "{user}");
        sum = (sum.0 + units, sum.1 + seconds, sum.2 + credit);
    }
    assert_eq!((sum.0, total.0), (40, 40));
    assert!((sum.1 - total.1).abs() < 1e-6 && (sum.2 - total.2).abs() < 1e-6, "{all}");
    assert_eq!(figures(&all["teams"][0]), total, "both are of one team");
    // A hundred points for a day of the reference speed.
    for machine in &seen {
        let account = site.get(&format!("/credit/users/{}", machine["user"].as_str().unwrap()));
        let (units, seconds, credit) = figures(&account["total"]);
        let speed = machine["speed"].as_f64().unwrap() / all["reference_speed"].as_f64().unwrap();
        assert!((credit - seconds / 864.0 * speed).abs() < 1e-9, "{account}");
        assert_eq!(
            (&account["machines"][0]["name"], &account["total"]["units_hunt"]),
            (&machine["name"], &json!(units))
        );
        assert!(!account["days"].as_array().unwrap().is_empty(), "{account}");
    }
    // In a terminal the sum is below the tables.
    let mut command = Command::new("sh");
    command.args(["-c", "exec \"$0\" credit 2>&1", env!("CARGO_BIN_EXE_morpion")]);
    let shown = command.env("MORPION_URL", &site.url).env("LC_ALL", "C").output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    let last = shown.lines().last().unwrap_or_default();
    assert!(last.starts_with("2 users, 1 team, 2 machines: "), "{shown}");
    // Another kind of job, whose units need be decided; and after a crash everything is still there.
    let settings = json!({ "game": "reversi", "size": "4x4", "algorithm": "negascout", "unit_budget": 300 });
    let solve = site.submit(&json!({ "kind": "solve", "settings": settings }));
    assert_eq!(site.wait_over(solve)["state"], "finished");
    let decided = site.job(solve)["units_done"].as_u64().unwrap();
    wait_until("the units of the solution have their credit", || {
        site.get("/credit")["total"]["units_solve"].as_u64() >= Some(decided)
    });
    let before = site.get("/credit");
    site.restart();
    assert_eq!(site.get("/credit")["total"], before["total"]);
    let table = site.morpion(&["credit", "--csv"]);
    let table = String::from_utf8(table.stdout).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let units = |row: &Vec<&str>| [4, 5, 6, 10].map(|column| row[column].parse::<u64>().unwrap()).iter().sum::<u64>();
    assert_eq!(rows.iter().map(units).sum::<u64>(), before["total"]["units"].as_u64().unwrap(), "{table}");
    assert!(rows.iter().all(|row| row.len() == 11 && ["ada", "bob"].contains(&row[0]) && row[1] == "lab"), "{table}");
    site.stop(machines);
}

#[test]
fn nothing_is_counted_twice_whatever_is_killed() {
    let Some(mut site) = Installation::start("nothing_is_counted_twice_whatever_is_killed", &["--threads=1"]) else {
        return;
    };
    let _machine = site.machine_for("ada", "", "one", 1);
    wait_until("the machine is there", || !site.machines().is_empty());
    let id = site.submit(&json!({ "kind": "hunt", "settings": settings(120) }));
    let mut kills = 0;
    for units in [20, 50, 80] {
        wait_until("more is done", || site.job(id)["units_done"].as_u64() >= Some(units));
        site.restart();
        kills += 1;
    }
    let job = site.wait_over(id);
    assert_eq!((&job["state"], &job["units_done"]), (&json!("finished"), &json!(120)), "{job}");
    // The same of units of players: those that have credit are not computed again, and have it once.
    let games = json!({ "games": 160, "nodes": 60, "seed": 4, "size": 9 });
    let id = site.submit(&json!({ "kind": "selfplay", "settings": games }));
    let players =
        |site: &Installation| ["ada", "daemon"].map(|user| units_of_players(site, user).0).iter().sum::<u64>();
    for units in [4, 9] {
        wait_until("more games are played", || players(&site) >= units);
        site.restart();
        assert!(players(&site) >= units, "{}", site.get("/credit"));
    }
    let job = site.wait_over(id);
    assert_eq!((&job["state"], &job["units_done"]), (&json!("finished"), &json!(20)), "{job}");
    // What ended within the last quarter of a second before a crash may have lost its credit, and nothing has it
    // twice.
    site.restart();
    let credit = site.get("/credit");
    let [units, of_players] = ["units_hunt", "units_players"].map(|kind| credit["total"][kind].as_u64().unwrap());
    println!("{units} of 120 units have credit after {kills} kills, and {of_players} of 20 after 2");
    assert!((1..=120).contains(&units) && (9..=20).contains(&of_players), "{credit}");
    let names: Vec<&str> =
        credit["users"].as_array().unwrap().iter().map(|user| user["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"ada") && names.contains(&"daemon"), "{credit}");
    site.stop([]);
}

#[test]
fn a_machine_that_lies_gets_nothing() {
    let Some(site) = Installation::start("a_machine_that_lies_gets_nothing", &["--threads=0"]) else { return };
    let id = site.submit(&json!({ "kind": "hunt", "settings": settings(3) }));
    let liar = site.liar();
    site.wait_for_streams();
    let none = Vec::<Vec<(u16, u64)>>::new();
    for lies in 1..=3 {
        let job = liar.fetch("liar");
        liar.say(&job.turn, 0, Word::Begun(Introduction::default()));
        // A unit with 400 moves, which no grid shows.
        let lie = encode(&(6u32, 0u32, 5u64, 400u32, &none, Option::<Vec<u32>>::None));
        liar.say(&job.turn, 1, Word::Unit(lie));
        wait_until("the lie is refused", || {
            liar.publish(liar.names.beat(ID), liar.beat("liar"));
            site.machines().first().is_some_and(|machine| machine["refused"] == lies)
        });
    }
    // What it says of itself is brought into bounds.
    let seen = &site.machines()[0];
    let said = (&seen["user"], &seen["team"], &seen["speed"]);
    assert_eq!(said, (&json!("liar"), &json!("a___team"), &json!(20_000_000)), "{seen}");
    let honest = site.machine_for("ada", "", "honest", 1);
    assert_eq!(site.wait_over(id)["state"], "finished");
    let all = credit(&site, 3);
    let users = all["users"].as_array().unwrap();
    assert!(users.len() == 1 && users[0]["name"] == "ada" && users[0]["units"] == 3, "{all}");
    site.stop([honest]);
}

#[test]
fn messages_reach_the_machines_of_their_user() {
    let Some(site) = with_rights("messages_reach_the_machines_of_their_user") else { return };
    let said = site.path().join("said");
    let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
    command.env("MORPION_USER", "ada").args(["worker", "--workers", "1", "--name", "one", "--nats"]);
    command.arg(site.server.url_of("lab-1:password-of-lab-1@")).stderr(std::fs::File::create(&said).unwrap());
    let mut machine = command.spawn().unwrap();
    wait_until("the machine is there", || !site.machines().is_empty());
    for (text, to) in [("For all.", None), ("For bob alone.", Some("bob")), ("For ada.", Some("ada"))] {
        site.send("POST", "/messages", &json!({ "text": text, "to": to }));
    }
    let heard = || std::fs::read_to_string(&said).unwrap();
    wait_until("the messages are shown", || heard().contains("For ada."));
    // They are sent again and again until the machine has said that it has them, and shown once.
    std::thread::sleep(std::time::Duration::from_secs(3));
    let heard = heard();
    assert_eq!((heard.matches("For all.").count(), heard.matches("For ada.").count()), (1, 1), "{heard}");
    assert!(!heard.contains("bob"), "{heard}");
    for wrong in [json!({ "text": "" }), json!({ "text": "a\nb" }), json!({ "text": "x".repeat(501) })] {
        assert_eq!(site.send_refused("POST", "/messages", &wrong), 422);
    }
    assert_eq!(site.get("/messages")["items"].as_array().unwrap().len(), 3);
    machine.kill().unwrap();
    machine.wait().unwrap();
    site.stop([]);
}

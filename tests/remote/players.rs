//! Units of players on machines: games that are learned from, tactics, patterns that are mined, plans that are
//! checked. What comes of them is what comes of them without machines; who answers what cannot be, or otherwise than
//! the others, changes nothing.

use crate::credit::{units_of_players, wait_for_players};
use crate::daemons::program::Program;
use crate::daemons::*;
use crate::hostile::{ID, Liar};
use crate::installation::Installation;
use crate::quorum::next_turn;
use morpion::core::encoding::{decode, encode};
use morpion::jobs::analysing::AnalyseJob;
use morpion::jobs::checking::CheckJob;
use morpion::jobs::matching::MatchJob;
use morpion::jobs::mining::{MineJob, MineRecord, MinedFigures};
use morpion::jobs::selfplay::{SelfplayJob, SelfplayRecord};
use morpion::jobs::tactics::TacticsJob;
use morpion::queue::nats::message::{Beat, Introduction, Word};
use morpion::queue::nats::worker::NotOpened;
use morpion::runner::mining::PATTERNS;
use morpion::runner::numbered::outcomes;
use morpion::runner::numbered::portable::{PLAYERS, PortableJob};
use morpion::runner::numbered::unit::PlayedOutcome;
use morpion::runner::parcel::ParcelOpener;
use morpion::tactics::pattern::database::PatternDatabase;
use serde_json::{Value, json};
use std::fmt::Debug;
use std::path::Path;

const QUESTIONS: &str = "net\tattack\tC6\t[1 (D5|D6)]\t9\tC7 D7 B6 B5\tC6 G6 C3 G3\n# a remark\n\
                         join\tconnect\tC3 E3\t[1]\t5\tC3 E3\t\nopen\tconnect\tA1 D1\t\t4\tA1 D1\tB2 C2";

const POSITIONS: &str = "f5d6c3\nf5f6e6f4\n# a remark\nf5";

/// A job of each kind whose units travel; the last unit of mining does not.
fn work() -> Vec<Value> {
    let plan = include_str!("../plans/nineteen.plan");
    [
        ("selfplay", json!({ "games": 20, "nodes": 60, "seed": 4, "size": 9 })),
        ("selfplay", json!({ "game": "reversi", "games": 17, "depth": 1, "seed": 4, "weights": "by-hand" })),
        ("mine", json!({ "games": 3, "size": 5, "playouts": 20, "nodes": 300, "least": 1, "seed": 5 })),
        ("tactics", json!({ "questions": QUESTIONS, "nodes": 20_000, "check": true, "moves": "both" })),
        ("check", json!({ "plan": plan, "moves": 7 })),
        ("match", json!({ "a": "morpion", "b": "morpion:5", "size": 7, "pairs": 3, "nodes": 200, "time": 900 })),
        ("analyse", json!({ "game": "reversi", "positions": POSITIONS, "depth": 2, "time": 900 })),
        (
            "analyse",
            json!({ "game": "go", "position": "(;SZ[5];B[cc];W[bb])", "nodes": 300, "time": 900, "best": 4 }),
        ),
    ]
    .map(|(kind, settings)| json!({ "kind": kind, "settings": settings }))
    .to_vec()
}

/// The records of a job in its folder, but for the times.
fn records<J: PortableJob>(folder: &Path) -> Vec<String>
where
    J::Outcome: Debug,
{
    let all = outcomes::<J>(folder).unwrap();
    all.into_iter().map(|(unit, record)| format!("{unit}: {:?}", J::timeless(record))).collect()
}

/// What has come of a job.
fn result(program: &Program, state: &Path, id: u64) -> Vec<String> {
    let job = program.wait_over(id);
    assert_eq!(job["state"], "finished", "{job}");
    let folder = state.join(format!("jobs/{id}"));
    let mut found = match job["kind"].as_str().unwrap() {
        "selfplay" => records::<SelfplayJob>(&folder),
        "mine" => records::<MineJob>(&folder),
        "tactics" => records::<TacticsJob>(&folder),
        "check" => records::<CheckJob>(&folder),
        "match" => records::<MatchJob>(&folder),
        "analyse" => records::<AnalyseJob>(&folder),
        other => panic!("{other}"),
    };
    found.push(job["reason"].to_string());
    if job["kind"] == "mine" {
        found.push(std::fs::read_to_string(folder.join(PATTERNS)).unwrap());
    }
    found
}

/// What comes of work on a daemon that is left alone.
fn left_alone(directory: &Path, work: &[Value]) -> Vec<Vec<String>> {
    let state = directory.join("alone");
    let program = Program::start(&state);
    let ids: Vec<u64> = work.iter().map(|job| program.submit(job)).collect();
    let found = ids.iter().map(|&id| result(&program, &state, id)).collect();
    program.stop();
    found
}

#[test]
fn what_machines_play_is_what_threads_play() {
    // Nobody but the machines computes, but for what needs the patterns of all games.
    let Some(mut site) = Installation::start("what_machines_play_is_what_threads_play", &["--threads=0"]) else {
        return;
    };
    let expected = left_alone(site.path(), &work());
    let played = ["one", "two"].map(|name| site.machine(name));
    let ids: Vec<u64> = work().iter().map(|job| site.submit(job)).collect();
    for (job, (id, expected)) in work().iter().zip(ids.iter().zip(&expected)) {
        assert_eq!(result(&site, &site.state(), *id), *expected, "{job}");
    }
    // Three units of each kind of games, three games, questions, parts of the plan, pairs, and positions, and one.
    let count = || -> u64 { site.machines().iter().map(|machine| machine["units"].as_u64().unwrap()).sum() };
    // A machine says what it has done a moment after the job is over.
    wait_until("all units are counted", || count() == 22);
    let seen = site.machines();
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert!(seen.iter().all(|machine| machine["refused"] == 0), "{seen:?}");
    // Each unit has credit, once: those of the machines, and the daemon's own, which has the patterns of all games.
    wait_for_players(&site, 23);
    let users = || ["one", "two", "daemon"].map(|user| units_of_players(&site, user));
    let before = users();
    let [(one, points), (two, _), (own, _)] = before;
    assert_eq!((one + two, own), (22, 1), "{before:?}");
    assert!(one > 0 && points > 0.0, "{before:?}");
    site.restart();
    let users = ["one", "two", "daemon"].map(|user| units_of_players(&site, user));
    assert_eq!(users, before);
    site.stop(played);
}

/// A machine that is stopped in the midst of a unit begins nothing anew: the unit is computed by another one.
#[test]
fn a_unit_of_a_machine_that_leaves_goes_to_another_one() {
    let Some(site) = Installation::start("a_unit_of_a_machine_that_leaves_goes_to_another_one", &["--threads=0"])
    else {
        return;
    };
    let work = [json!({ "kind": "selfplay", "settings": { "games": 24, "nodes": 2000, "seed": 4, "size": 9 } })];
    let expected = left_alone(site.path(), &work);
    let id = site.submit(&work[0]);
    for name in ["one", "two"] {
        let machine = site.machine(name);
        wait_until("the machine is at a unit", || {
            site.machines().iter().any(|seen| seen["name"] == name && seen["running"] == 1)
        });
        assert!(machine.leave().success());
    }
    let last = site.machine("three");
    assert_eq!(result(&site, &site.state(), id), expected[0]);
    // Who has left in the midst of a unit has nothing for it.
    wait_for_players(&site, 3);
    for name in ["one", "two", "three"] {
        let (units, points) = units_of_players(&site, name);
        assert_eq!(units > 0, points > 0.0, "{}", site.get("/credit"));
    }
    site.stop([last]);
}

#[test]
fn a_program_of_another_version_gets_no_such_units() {
    let Some(site) = Installation::start("a_program_of_another_version_gets_no_such_units", &["--threads=1"]) else {
        return;
    };
    site.wait_for_streams();
    let old = site.liar();
    let is_here = || {
        old.publish(old.names.beat(ID), old.beat("old"));
        site.machines().iter().any(|machine| machine["name"] == "old" && machine["state"] == "here")
    };
    wait_until("the old machine is there", is_here);
    // Hunts it gets, and of the games all are played by the daemon.
    let games = json!({ "games": 20, "nodes": 60, "seed": 4, "size": 9 });
    let id = site.submit(&json!({ "kind": "selfplay", "settings": games }));
    wait_until("the games are played", || is_here() && site.job(id)["state"] == "finished");
    assert!(next_turn(&old).is_none(), "a unit of players is sent to an old machine");
    site.submit(&json!({ "kind": "hunt", "settings": endless(3) }));
    wait_until("the hunt is sent", || is_here() && next_turn(&old).is_some());
    site.stop([]);
}

/// Says, as a machine with that many workers, that it is there.
fn be_there(liar: &Liar, name: &str, workers: u32) {
    let beat: Beat = decode(&liar.beat(name)).unwrap();
    let abilities = vec![PLAYERS.to_owned()];
    liar.publish(liar.names.beat(ID), encode(&Beat { workers, abilities, ..beat }));
}

/// An outcome as a machine says it.
fn ended(outcome: &impl serde::Serialize) -> Vec<u8> {
    encode(&(0u32, outcome))
}

#[test]
fn outcomes_that_cannot_be_are_refused_and_their_machine_is_named() {
    let Some(site) =
        Installation::start("outcomes_that_cannot_be_are_refused_and_their_machine_is_named", &["--threads=0"])
    else {
        return;
    };
    let work = &work()[..1];
    let expected = left_alone(site.path(), work);
    let id = site.submit(&work[0]);
    let liar = site.liar();
    site.wait_for_streams();
    let record = |lines: Vec<String>| SelfplayRecord { lines, ends: [8, 0, 0], plies: 8, milliseconds: 1 };
    let said = |record, part| ended(&PlayedOutcome { record, part });
    let lies = [
        (b"nonsense".to_vec(), "cannot be read"),
        (said(record(vec!["0 b 18446744073709551615 h8 1".to_owned(); 8]), None), "game"),
        (said(record(Vec::new()), Some(vec![1])), "beside their lines"),
    ];
    for (lie, reason) in lies {
        let mut job = None;
        wait_until("a unit comes", || {
            be_there(&liar, "liar", 1);
            job = next_turn(&liar);
            job.is_some()
        });
        let turn = job.unwrap().turn;
        liar.say(&turn, 0, Word::Begun(Introduction { name: "liar".to_owned(), ..Introduction::default() }));
        liar.say(&turn, 1, Word::Unit(lie));
        wait_until("the lie is refused", || {
            be_there(&liar, "liar", 1);
            site.machines().iter().any(|seen| seen["reason"].as_str().is_some_and(|said| said.contains(reason)))
        });
    }
    let seen = site.machines();
    assert_eq!((&seen[0]["name"], &seen[0]["state"]), (&json!("liar"), &json!("distrusted")), "{seen:?}");
    assert_eq!(site.job(id)["units_done"], 0);
    let honest = site.machine("honest");
    assert_eq!(result(&site, &site.state(), id), expected[0]);
    wait_for_players(&site, 3);
    assert_eq!((units_of_players(&site, "honest").0, units_of_players(&site, "liar")), (3, (0, 0.0)));
    site.stop([honest]);
}

/// Without a quorum the lie would count: it is an outcome that could be one.
#[test]
fn with_a_quorum_machines_have_to_agree_on_what_they_play() {
    let Some(site) = Installation::start(
        "with_a_quorum_machines_have_to_agree_on_what_they_play",
        &["--threads=0", "--machine-quorum=2", "--credit=unit"],
    ) else {
        return;
    };
    let work = &work()[2..3];
    let expected = left_alone(site.path(), work);
    site.wait_for_streams();
    let liar = site.liar();
    let id = site.submit(&work[0]);
    // A machine of two workers that has found no pattern in any game.
    let found = MinedFigures::Game { positions: 9, asked: 9, patterns: 0 };
    let part = Some(encode(&PatternDatabase::default().write()));
    let lie = ended(&PlayedOutcome { record: MineRecord { found, milliseconds: 1 }, part });
    let mut told = 0;
    let waits = || site.job(id)["reason"].as_str().is_some_and(|why| why.contains("waits for another machine"));
    wait_until("all games wait for another machine", || {
        be_there(&liar, "liar", 2);
        if let Some(job) = next_turn(&liar) {
            liar.say(&job.turn, 0, Word::Begun(Introduction { name: "liar".to_owned(), ..Introduction::default() }));
            liar.say(&job.turn, 1, Word::Unit(lie.clone()));
            told += 1;
        }
        told > 0 && waits()
    });
    wait_until("the log says so", || {
        be_there(&liar, "liar", 2);
        site.said().contains("waits for another machine")
    });
    assert_eq!(site.job(id)["units_done"], 0);
    let honest = ["one", "two"].map(|name| site.machine(name));
    assert_eq!(result(&site, &site.state(), id), expected[0]);
    // Both of those that agree have a point for each of the three games, and the liar has none. The unit that the
    // daemon computes needs nobody to agree.
    wait_for_players(&site, 7);
    let points = ["one", "two", "daemon", "liar"].map(|user| units_of_players(&site, user));
    assert_eq!(points, [(3, 3.0), (3, 3.0), (1, 1.0), (0, 0.0)]);
    wait_until("the log names the liar", || site.said().contains("the machine liar of liar says otherwise"));
    assert!(!["one", "two"].iter().any(|name| site.said().contains(&format!("the machine {name} of"))));
    site.stop(honest);
}

/// Where time would decide, a machine says so, and the daemon computes the unit: without threads on one of its own.
#[test]
fn a_unit_for_which_a_machine_takes_too_long_comes_home() {
    let Some(site) = Installation::start("a_unit_for_which_a_machine_takes_too_long_comes_home", &["--threads=0"])
    else {
        return;
    };
    site.wait_for_streams();
    let slow = site.liar();
    let job = &work()[7];
    assert_eq!(job["kind"], "analyse");
    let id = site.submit(job);
    let mut late = 0;
    wait_until("the position is analysed", || {
        be_there(&slow, "slow", 1);
        if let Some(job) = next_turn(&slow) {
            slow.say(&job.turn, 0, Word::Begun(Introduction { name: "slow".to_owned(), ..Introduction::default() }));
            slow.say(&job.turn, 1, Word::Unit(encode(&1u32)));
            late += 1;
        }
        site.job(id)["state"] == "finished"
    });
    assert_eq!(late, 1);
    // It has nothing for that.
    wait_for_players(&site, 1);
    assert_eq!((units_of_players(&site, "slow").0, units_of_players(&site, "daemon").0), (0, 1));
    let alone = left_alone(site.path(), &work()[7..]);
    assert_eq!(result(&site, &site.state(), id), alone[0]);
    // What is limited by time alone is not sent.
    let timed = json!({ "game": "go", "position": "(;SZ[5];B[cc];W[bb])", "time": 0.01 });
    let id = site.submit(&json!({ "kind": "analyse", "settings": timed }));
    for _ in 0..10 {
        be_there(&slow, "slow", 1);
        assert!(next_turn(&slow).is_none(), "a unit that time decides is sent");
    }
    assert_eq!(site.job(id)["units_done"], 0);
    site.stop([]);
}

/// A thread of the daemon needs nobody to agree.
#[test]
fn with_a_quorum_a_thread_decides_alone() {
    let Some(site) =
        Installation::start("with_a_quorum_a_thread_decides_alone", &["--threads=1", "--machine-quorum=2"])
    else {
        return;
    };
    let expected = left_alone(site.path(), &work()[..1]);
    let machine = site.machine("one");
    wait_until("the machine is there", || !site.machines().is_empty());
    let id = site.submit(&work()[0]);
    assert_eq!(result(&site, &site.state(), id), expected[0]);
    // A machine that has said the same before has credit, too.
    wait_until("all units have credit", || units_of_players(&site, "daemon").0 == 3);
    assert!(units_of_players(&site, "one").0 <= 3, "{}", site.get("/credit"));
    site.stop([machine]);
}

#[test]
fn parcels_that_nobody_can_have_packed_are_refused() {
    let opener = ParcelOpener::new(1 << 30, 1);
    let packed = |kind: u32, job: String, unit: u64| encode(&(4u32, kind, job, unit));
    let refused = |packed: &[u8]| match opener.open(packed, 1) {
        Err(NotOpened::Wrong(why)) => why,
        other => panic!("{other:?}"),
    };
    let mine = |settings: &Value| {
        let mut job = json!({ "games": 3, "size": 9, "playouts": 20, "nodes": 300, "least": 1, "seed": 5 });
        job.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
        job.to_string()
    };
    let whole = packed(1, mine(&json!({})), 0);
    assert!(opener.open(&whole, 1).is_ok());
    for length in 0..whole.len() {
        assert!(opener.open(&whole[..length], 1).is_err(), "{length} bytes");
    }
    for (settings, unit, why) in [
        (json!({}), 3, "unit 3 is not one of its job"),
        (json!({}), u64::MAX, "is not one of its job"),
        (json!({ "size": 2 }), 0, "no such patterns"),
        (json!({ "size": 200 }), 0, "no such patterns"),
        (json!({ "games": u64::MAX }), 0, "no such patterns"),
        (json!({ "playouts": 0 }), 0, "no such patterns"),
        (json!({ "nodes": u64::MAX }), 0, "of memory"),
        (json!({ "seed": "x" }), 0, "the job: "),
    ] {
        let said = refused(&packed(1, mine(&settings), unit));
        assert!(said.contains(why), "{settings}: {said}");
    }
    let games = |game: &str, setup: Value, games: u64, depth: u32| {
        let job = json!({ "game": game, "setup": setup, "games": games, "nodes": 60, "depth": depth, "seed": 1,
                          "weights": "usual" });
        packed(0, job.to_string(), 0)
    };
    assert!(opener.open(&games("gomoku", json!({}), 8, 4), 1).is_ok());
    for wrong in [
        games("go", json!({}), 8, 4),
        games("gomoku", json!({ "size": "99" }), 8, 4),
        games("gomoku", json!({}), 0, 4),
        games("reversi", json!({}), 8, u32::MAX),
    ] {
        assert!(!refused(&wrong).is_empty());
    }
    let tactics = |questions: &str, count: u64| {
        let job = json!({ "questions": questions, "count": count, "nodes": 100, "moves": "generators", "database": null,
                          "check": false });
        packed(2, job.to_string(), 0)
    };
    assert!(opener.open(&tactics(QUESTIONS, 3), 1).is_ok());
    for wrong in [tactics(QUESTIONS, 4), tactics("no question", 1), tactics(&"#".repeat(1 << 20), 0)] {
        assert!(!refused(&wrong).is_empty());
    }
    let check = |plan: &str, moves: u64| {
        packed(3, json!({ "title": "", "plan": plan, "moves": moves, "unit_moves": 7 }).to_string(), 0)
    };
    let plan = include_str!("../plans/nineteen.plan");
    assert!(opener.open(&check(plan, 19), 1).is_ok());
    for wrong in [check(plan, 20), check("no plan", 0), packed(4, String::new(), 0)] {
        assert!(!refused(&wrong).is_empty());
    }
}

//! Matches as jobs of the daemon: what is refused, that the result is that of `morpion match`, limits, the test, games,
//! pauses, other jobs, a restart and `kill -9`.

use crate::daemons::program::Program;
use crate::daemons::*;
use crate::{assert_lines_refused, assert_refused, job, run, submit};
use morpion::daemon::positions::position;
use morpion::daemon::scheduler::{Daemon, Shutdown};
use morpion::daemon::service::{JobCommand, Page, Refusal, Service};
use morpion::daemon::view::{JobState, MatchGameView, MatchView, PositionRequest};
use serde_json::{Value, json};
use std::process::Command;

/// A match of Reversi on a small board, which the same seed makes the same.
fn small(pairs: u64) -> Value {
    json!({ "a": "morpion:nodes=120", "b": "morpion:nodes=15", "game": "reversi", "size": 6, "pairs": pairs, "time": "1h",
            "nodes": 50, "seed": 5 })
}

fn games(daemon: &dyn Service, id: u64) -> Vec<MatchGameView> {
    let (mut all, mut page) = (Vec::new(), Page { limit: 3, cursor: None });
    loop {
        let listing = daemon.games(id, &page).unwrap();
        assert!(listing.items.len() <= 3);
        all.extend(listing.items);
        match listing.next {
            Some(next) => page.cursor = Some(next),
            None => return all,
        }
    }
}

/// What `morpion match` prints of the same settings: one object per pair, and the last one.
fn by_command(settings: &Value) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
    command.arg("match").arg("--json").args([&settings["a"], &settings["b"]].map(|name| name.as_str().unwrap()));
    for (name, value) in settings.as_object().unwrap().iter().filter(|(name, _)| !["a", "b"].contains(&&***name)) {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        command.arg(format!("--{name}={text}"));
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The figures of a match in the names of the command.
fn figures(found: &MatchView) -> Value {
    json!({ "won": found.won, "drawn": found.drawn, "lost": found.lost, "pairs": found.pair_scores,
            "score": found.score, "elo": found.elo, "elo_interval": found.elo_interval })
}

fn assert_same_as_command(found: &MatchView, lines: &[Value]) {
    let last = lines.last().unwrap();
    for (name, value) in figures(found).as_object().unwrap() {
        assert_eq!(*value, last[name], "{name}: {found:?}");
    }
    assert_eq!(found.pairs_counted, lines.len() as u64 - 1);
    let test = found.test.as_ref();
    assert_eq!(json!(test.map(|test| &test.decision)), last["decision"]);
    assert_eq!(json!(test.map(|test| test.log_likelihood_ratio)), last["log_likelihood_ratio"]);
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    for (settings, others, reason) in [
        (json!({ "a": "morpion" }), json!({}), "player b is missing"),
        (json!({ "a": "morpion", "b": "/bin/sh" }), json!({}), "'/bin/sh' is not a player of this program"),
        (json!({ "a": "morpion", "b": "morpion:weights=/etc/hosts" }), json!({}), "reads no files for its clients"),
        (json!({ "a": "morpion", "b": "morpion:level=0" }), json!({}), "levels are 1 to 10"),
        (json!({ "a": "morpion", "b": "morpion", "game": "chess" }), json!({}), "expected one of"),
        (json!({ "a": "morpion", "b": "morpion", "cpu": "on" }), json!({}), "unknown key 'cpu'"),
        (small(3), json!({ "grids": ["x"] }), "start and grids are for hunts"),
    ] {
        assert_refused(&daemon, "match", &settings, &others, reason);
    }
    let hunt = daemon.submit(request(&crate::daemons::small(SEED), &json!({})), None).unwrap().summary.id;
    match daemon.games(hunt, &Page { limit: 10, cursor: None }) {
        Err(Refusal::Conflict(text)) => assert!(text.contains("plays no games"), "{text}"),
        other => panic!("{other:?}"),
    }
}

/// However many workers play, and in whatever order pairs end, the result is that of the command.
#[test]
fn the_result_is_that_of_the_command() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let go = json!({ "a": "morpion:3", "b": "morpion:1,seed=9", "game": "go", "size": 5, "komi": "24.5", "ko": "superko",
                     "pairs": 4, "time": "1h", "nodes": 60, "seed": 7 });
    let gomoku = json!({ "a": "morpion:4", "b": "morpion:brain=thesis,level=1", "size": 9, "pairs": 3, "time": "1h",
                         "nodes": 200 });
    for settings in [small(9), go, gomoku] {
        let id = submit(&daemon, "match", &settings, &json!({}));
        let view = wait_over(&daemon, id);
        let state = (view.summary.state, view.summary.reason.as_deref());
        assert_eq!(state, (JobState::Finished, Some("played")), "{view:?}");
        let found = view.summary.matched.clone().unwrap();
        let lines = by_command(&settings);
        assert_same_as_command(&found, &lines);
        assert!(found.pairs_done == found.pairs && view.summary.iterations > 0, "{view:?}");
        // The games, each legal to its end.
        let played = games(&*daemon, id);
        assert_eq!(played.len() as u64, 2 * found.pairs);
        let mut points = 0.0;
        for (number, game) in played.iter().enumerate() {
            let pair = &lines[number / 2];
            assert_eq!((game.number, &pair["plies"][number % 2]), (number as u64, &json!(game.moves.len())));
            assert_eq!(game.black, ["a", "b"][number % 2]);
            assert_eq!(json!(game.moves[..game.opening as usize].concat()), pair["opening"]);
            points += match game.winner.as_str() {
                "a" => 1.0,
                "b" => 0.0,
                _ => 0.5,
            };
            let mut at = serde_json::Map::new();
            for name in ["game", "size", "ko", "rule"] {
                if let Some(value) = view.settings.get(name) {
                    at.insert(name.to_owned(), value.clone());
                }
            }
            let over = position(PositionRequest { settings: at, moves: game.moves.clone(), opening: None }).unwrap();
            assert!(over.outcome.is_some(), "{game:?}");
            assert!(!game.text.is_empty() && ["sgf", "ggf", "obf"].contains(&&*game.saved_as), "{game:?}");
        }
        assert_eq!(points / played.len() as f64, found.score);
        let course = daemon.statistics(id).unwrap().matched.unwrap().course;
        let last = course.last().unwrap();
        assert_eq!((last.pairs, last.elo, last.elo_interval), (found.pairs, found.elo, found.elo_interval));
    }
}

#[test]
fn the_test_ends_a_match_where_the_command_ends_it() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 3);
    let mut settings = small(300);
    settings["sprt"] = "0,200".into();
    let id = submit(&daemon, "match", &settings, &json!({}));
    let view = wait_over(&daemon, id);
    assert_eq!(view.summary.reason.as_deref(), Some("decided"), "{view:?}");
    let found = view.summary.matched.unwrap();
    assert_same_as_command(&found, &by_command(&settings));
    assert!((10..300).contains(&found.pairs_counted) && found.pairs_done >= found.pairs_counted, "{found:?}");
    assert_ne!(found.test.unwrap().decision, "undecided");
}

#[test]
fn limits_end_a_match_and_what_was_played_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    let id = submit(&daemon, "match", &small(100_000), &json!({ "limits": { "iterations": 20_000 } }));
    let view = wait_over(&daemon, id);
    assert_eq!(view.summary.reason.as_deref(), Some("iterations"), "{view:?}");
    let found = view.summary.matched.unwrap();
    assert!(view.summary.iterations >= 20_000 && found.pairs_counted > 0, "{found:?}");
    assert!(found.pairs_counted < found.pairs);
    let id = submit(&daemon, "match", &small(100_000), &json!({ "limits": { "seconds": 0.3 } }));
    assert_eq!(wait_over(&daemon, id).summary.reason.as_deref(), Some("time"));
    // Without an opening there is no match.
    let tiny = json!({ "a": "morpion", "b": "morpion", "size": 2, "nodes": 10, "time": "1h" });
    let view = wait_over_failed(&daemon, submit(&daemon, "match", &tiny, &json!({})));
    assert!(view.contains("too small for a match"), "{view}");
}

fn wait_over_failed(daemon: &std::sync::Arc<Daemon>, id: u64) -> String {
    let view = wait_for(daemon, id, "it has failed", |view| view.summary.state == JobState::Failed);
    view.summary.reason.unwrap()
}

/// A player pauses in the midst of its search, and its game is not another one for that.
#[test]
fn a_match_shares_its_worker_is_paused_resumed_and_outlives_the_daemon() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    let hunt = daemon.submit(request(&endless(SEED), &json!({})), None).unwrap().summary.id;
    wait_for(&daemon, hunt, "the hunt runs", running);
    let mut settings = small(8);
    // Long enough that it has to give way again and again.
    settings["a"] = "morpion:nodes=60000".into();
    let id = submit(&daemon, "match", &settings, &json!({}));
    wait_for(&daemon, id, "a pair is played", |view| view.summary.units_done >= 1);
    let before = daemon.job(hunt).unwrap().summary.iterations;
    carried_out(&daemon, id, JobCommand::Pause);
    let paused = wait_for(&daemon, id, "it is paused", |view| view.summary.state == JobState::Paused);
    wait_for(&daemon, hunt, "the hunt gets on", |view| view.summary.iterations > before);
    assert_eq!(daemon.job(id).unwrap().summary.matched, paused.summary.matched, "it does nothing while it is paused");
    daemon.command(id, JobCommand::Resume).unwrap();
    let done = paused.summary.units_done;
    wait_for(&daemon, id, "it goes on", |view| view.summary.units_done > done);
    daemon.command(hunt, JobCommand::Cancel).unwrap();
    daemon.shutdown(Shutdown::Now);
    drop(daemon);
    let daemon = open(dir.path(), 1);
    let view = wait_over(&daemon, id);
    assert_same_as_command(&view.summary.matched.unwrap(), &by_command(&settings));
    let units = all_units(&*daemon, id);
    assert_eq!(units.len(), 8);
}

#[test]
fn a_unit_that_fails_three_times_ends_the_job_and_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut daemon = Apart::start(dir.path(), "always:2,once:1").unwrap();
    let id = daemon.submit(&job("match", &small(5), &json!({ "limits": { "workers": 1 } })));
    let job = daemon.wait_over(id);
    assert_eq!(job["state"], "failed", "{job}");
    assert!(job["reason"].as_str().unwrap().contains("unit 2"), "{job}");
    assert_eq!(job["match"]["pairs_counted"], 2, "{job}");
    daemon.stop();
}

#[test]
fn killed_at_any_moment_it_loses_no_finished_pair() {
    let dir = tempfile::tempdir().unwrap();
    let mut settings = small(30);
    settings["a"] = "morpion:nodes=3000".into();
    let mut daemon = Apart::start(dir.path(), "").unwrap();
    let id = daemon.submit(&job("match", &settings, &json!({})));
    let (mut kills, mut least) = (0, 0);
    for _ in 0..4 {
        let (mut over, mut done) = (false, 0);
        wait_until("some pairs are played", || {
            let job = daemon.get(&json!({ "do": "job", "id": id }));
            over = job["state"] == "finished";
            done = job["match"]["pairs_done"].as_u64().unwrap();
            over || done > least
        });
        if over {
            break;
        }
        daemon.kill();
        kills += 1;
        daemon = Apart::start(dir.path(), "").unwrap();
        wait_until("it has begun again", || {
            let job = daemon.get(&json!({ "do": "job", "id": id }));
            job["state"] == "running" || job["state"] == "finished"
        });
        let job = daemon.get(&json!({ "do": "job", "id": id }));
        assert!(job["match"]["pairs_done"].as_u64().unwrap() >= done, "kill {kills}: {done} were done: {job}");
        least = done;
    }
    let job = daemon.wait_over(id);
    assert!(kills >= 1, "it was over before it was killed");
    daemon.stop();
    let found: MatchView = serde_json::from_value(job["match"].clone()).unwrap();
    assert_same_as_command(&found, &by_command(&settings));
}

/// The journal of another match, or a damaged one, is neither used nor changed.
#[test]
fn a_damaged_journal_is_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    let id = submit(&daemon, "match", &small(3), &json!({}));
    wait_over(&daemon, id);
    daemon.shutdown(Shutdown::Now);
    drop(daemon);
    let path = dir.path().join("jobs").join(id.to_string()).join("outcomes.journal");
    let whole = std::fs::read(&path).unwrap();
    let mut damaged = whole.clone();
    damaged[3] ^= 1;
    std::fs::write(&path, &damaged).unwrap();
    let daemon = open(dir.path(), 1);
    match daemon.games(id, &Page { limit: 10, cursor: None }) {
        Err(Refusal::Internal(text)) => assert!(text.contains("is damaged"), "{text}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(std::fs::read(&path).unwrap(), damaged);
    std::fs::write(&path, &whole).unwrap();
    assert_eq!(games(&*daemon, id).len(), 6);
}

/// The commands of a user.
#[test]
fn the_command_line_submits_shows_and_saves() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(dir.path());
    let run = |arguments: &[&str]| run(&program, arguments);
    let submit = "job submit match morpion:nodes=100 morpion:nodes=10 --game reversi --size 6 --pairs 3 --time 1h";
    let arguments: Vec<&str> = submit.split(' ').collect();
    let (code, id, errors) = run(&[&arguments[..], &["--nodes", "40", "--all-time", "1h"]].concat());
    assert_eq!(code, Some(0), "{errors}");
    let id = id.trim();
    let (code, _, told) = run(&["job", "wait", id]);
    assert!(code == Some(0) && told.contains("(played)") && told.contains("A won "), "{told}");
    let (_, shown, _) = run(&["job", "show", id]);
    for part in ["reversi 6x6", "A is morpion:nodes=100, B is morpion:nodes=10", "pairs       3 of 3", "Elo stronger"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let (_, listed, _) = run(&["job", "list"]);
    assert!(listed.contains(" % "), "{listed}");
    let (_, table, _) = run(&["job", "games", id]);
    assert_eq!(table.lines().count(), 7, "{table}");
    let (_, json, _) = run(&["job", "games", id, "--json"]);
    let first: MatchGameView = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!((first.number, first.black.as_str()), (0, "a"));
    let output = dir.path().join("games");
    let save = ["job", "games", id, "--output", output.to_str().unwrap()];
    assert!(run(&save).2.contains("6 games are saved, 0 were there"));
    let file = output.join(format!("job{id}-game000000.ggf"));
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim_end(), first.text);
    assert!(first.text.contains("]PB[") && first.text.contains("]PW[") && first.text.contains("]RE["), "{first:?}");
    std::fs::write(&file, "mine").unwrap();
    assert!(run(&save).2.contains("0 games are saved, 6 were there"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    let (code, copy, errors) = run(&["job", "clone", id, "--pairs", "2", "--seed", "8"]);
    assert_eq!(code, Some(0), "{errors}");
    let copy: Value = serde_json::from_str(&run(&["job", "show", copy.trim(), "--json"]).1).unwrap();
    assert_eq!(
        (&copy["match"]["pairs"], &copy["seed"], &copy["settings"]["nodes"]),
        (&2.into(), &8.into(), &40.into())
    );
    let refused = [
        ("job submit match morpion", "player b is missing"),
        ("job submit match morpion ./engine", "morpion: b: './engine' is not a player of this program"),
        ("job submit match morpion morpion --game chess", "possible values: gomoku, reversi, go"),
        ("job submit match morpion morpion --komi 3", "--komi is not a setting of gomoku"),
    ];
    assert_lines_refused(&program, &refused);
    let config = dir.path().join("match.toml");
    let text = "kind = 'match'\nname = 'of a file'\n[limits]\nseconds = 60\n[settings]\na = 'morpion:1'\nb = 'morpion:2'\n\
                pairs = 1\nsize = 7\nnodes = 20\n";
    std::fs::write(&config, text).unwrap();
    let (code, id, errors) = run(&["job", "submit", config.to_str().unwrap(), "--json", "--priority", "2"]);
    assert_eq!(code, Some(0), "{errors}");
    let job: Value = serde_json::from_str(&id).unwrap();
    assert_eq!((&job["match"]["a"], &job["match"]["pairs"]), (&"morpion:1".into(), &1.into()), "{job}");
    assert_eq!(job["priority"], 2);
    assert_eq!((&job["name"], &job["limits"]["seconds"]), (&"of a file".into(), &60.0.into()), "{job}");
    program.stop();
}

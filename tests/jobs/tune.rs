//! Weights that are learned as jobs of the daemon: what is refused, that the weights are those of `morpion tune`, and
//! what a restart and `kill -9` cost.

use crate::daemons::program::Program;
use crate::daemons::*;
use crate::{assert_lines_refused, assert_refused, job, resumed_to_the_end, run, run_line, submit};
use morpion::core::encoding::{decode, encode};
use morpion::core::frame::{read_row, row};
use morpion::daemon::service::{JobCommand, Refusal, Service};
use morpion::daemon::view::{JobRequest, JobState};
use morpion::games::reversi::weights::PatternWeights;
use morpion::jobs::tuning::FittedPart;
use morpion::runner::numbered::parts::parts_of;
use morpion::solvers::gomoku::lines::weights::LineWeights;
use serde_json::json;
use std::path::Path;
use std::process::Command;

/// Quick games of Gomoku.
fn gomoku(games: u64) -> JobRequest {
    job("selfplay", &json!({ "games": games, "nodes": 30, "seed": 4, "size": 9 }), &json!({}))
}

/// Quick games of Reversi.
fn reversi(games: u64) -> JobRequest {
    let settings = json!({ "game": "reversi", "games": games, "depth": 1, "seed": 4, "weights": "by-hand" });
    job("selfplay", &settings, &json!({}))
}

/// The weights that `morpion tune` learns from the games that a job has in its folder.
fn by_command(folder: &Path, game: &str, sources: &[u64], settings: &[&str]) -> Vec<u8> {
    let output = folder.join("by-command");
    let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
    command.args(["tune", game, "--force", "-o"]).arg(&output).args(settings);
    let ran = command.args(sources.iter().map(|id| folder.join(format!("games-{id}")))).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let bytes = std::fs::read(&output).unwrap();
    std::fs::remove_file(&output).unwrap();
    bytes
}

/// The text about weights, without the date.
fn about(text: &str) -> String {
    let from = text.find(" from ").expect("where they come from");
    text[from..].to_owned()
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    let games = daemon.submit(gomoku(8), None).unwrap().summary.id;
    let hunt = request(&json!({ "strategy": "random", "runs": 1 }), &json!({}));
    let hunt = daemon.submit(hunt, None).unwrap().summary.id;
    let large = daemon.submit(gomoku(4_000_000), None).unwrap().summary.id;
    for (settings, others, reason) in [
        (json!({}), json!({}), "games_of is missing".to_owned()),
        (json!({ "games_of": 99 }), json!({}), "settings.games_of: there is no job 99".to_owned()),
        (
            json!({ "games_of": hunt }),
            json!({}),
            format!("job {hunt} makes no games to learn from: its kind is hunt"),
        ),
        (json!({ "games_of": games, "game": "reversi" }), json!({}), "not of reversi".to_owned()),
        (json!({ "games_of": games, "steps": 0 }), json!({}), "is not in 1..=100000".to_owned()),
        (json!({ "games_of": games }), json!({ "grids": ["x"] }), "start and grids are for hunts".to_owned()),
        (json!({ "games_of": large }), json!({}), "the job needs".to_owned()),
    ] {
        assert_refused(&daemon, "tune", &settings, &others, &reason);
    }
    assert!(matches!(daemon.weights(hunt), Err(Refusal::Conflict(text)) if text.contains("learns no weights")));
    daemon.command(large, JobCommand::Cancel).unwrap();
    // Eight games have too few positions, and then none is left of the job that made them.
    wait_over(&daemon, games);
    let few = submit(&daemon, "tune", &json!({ "games_of": games }), &json!({}));
    let failed = wait_over(&daemon, few);
    assert_eq!(failed.summary.state, JobState::Failed);
    let reason = failed.summary.reason.unwrap();
    assert!(reason.contains("positions are too few: at least 1000 are needed"), "{reason}");
    assert!(matches!(daemon.weights(few), Err(Refusal::Conflict(text)) if text.contains("ended before")));
}

/// Paused, resumed and over several starts, the weights are those of the command, also when the job that made the
/// games is gone.
#[test]
fn the_weights_of_gomoku_are_those_of_the_command() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let daemon = open(&state, 2);
    let sources = [70, 30].map(|games| daemon.submit(gomoku(games), None).unwrap().summary.id);
    let settings = json!({ "games_of": sources, "steps": 45, "search_part": 0.25, "weights": "by-hand" });
    for id in sources {
        wait_over(&daemon, id);
    }
    let id = submit(&daemon, "tune", &settings, &json!({}));
    wait_for(&daemon, id, "a part is done", |view| view.summary.units_done >= 1);
    carried_out(&daemon, id, JobCommand::Pause);
    for id in sources {
        daemon.remove(id).unwrap();
    }
    close(daemon);
    // A version that did not learn the order of moves has left another kind of part: what follows begins anew.
    let last = parts_of(&state.join(format!("jobs/{id}"))).unwrap().pop().unwrap();
    let path = state.join(format!("jobs/{id}/part-{last}"));
    let bytes = std::fs::read(&path).unwrap();
    let Some(FittedPart::GomokuWithOrder { evaluation, .. }) = decode(read_row(&bytes, 1).unwrap().1) else {
        panic!("another kind of part")
    };
    std::fs::write(&path, row(1, &encode(&FittedPart::Gomoku(evaluation)))).unwrap();
    let daemon = open(&state, 2);
    let view = resumed_to_the_end(&daemon, id);
    let ended = (view.summary.state, view.summary.reason.as_deref());
    assert_eq!(ended, (JobState::Finished, Some("learned")), "{view:?}");
    let found = view.summary.tune.unwrap();
    assert_eq!((found.games, found.parts_done, view.summary.iterations), (100, 20, 45), "{:?}", found.losses);
    let steps: Vec<u32> = found.losses.iter().map(|loss| loss.at).collect();
    assert_eq!((steps[0], steps[1], steps[19]), (2, 4, 45));
    let (before, after) = (found.before.unwrap(), found.after.unwrap());
    assert!(after.training < before.training && found.losses[19].loss.training < found.losses[0].loss.training);
    let learned = LineWeights::parse(&String::from_utf8(daemon.weights(id).unwrap()).unwrap()).unwrap();
    let folder = state.join(format!("jobs/{id}"));
    let asked = ["--steps", "45", "--search-part", "0.25", "--weights", "by-hand"];
    let command = String::from_utf8(by_command(&folder, "gomoku", &sources, &asked)).unwrap();
    assert_eq!(learned.sum(), LineWeights::parse(&command).unwrap().sum());
    let text = String::from_utf8(daemon.weights(id).unwrap()).unwrap();
    assert_eq!(about(&text), about(&command));
    assert!(text.contains(&format!("loss {:.4}, of games that were not learned from", after.training)), "{text}");
}

/// Over several starts of the daemon it is the network of the command, bit for bit.
#[test]
fn the_network_is_that_of_the_command() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let daemon = open(&state, 2);
    let games = daemon.submit(gomoku(100), None).unwrap().summary.id;
    wait_over(&daemon, games);
    let settings = json!({ "games_of": games, "learn": "network", "passes": 3 });
    let id = submit(&daemon, "tune", &settings, &json!({}));
    wait_for(&daemon, id, "a pass is done", |view| view.summary.units_done >= 1);
    carried_out(&daemon, id, JobCommand::Pause);
    close(daemon);
    let daemon = open(&state, 2);
    let view = resumed_to_the_end(&daemon, id);
    assert_eq!(view.summary.reason.as_deref(), Some("learned"), "{view:?}");
    let found = view.summary.tune.unwrap();
    assert_eq!((found.of_network, found.games, found.parts_done, view.summary.iterations), (true, 100, 3, 3));
    assert_eq!(found.losses.iter().map(|loss| loss.at).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(found.after.unwrap().training < found.before.unwrap().training, "{found:?}");
    let learned = String::from_utf8(daemon.weights(id).unwrap()).unwrap();
    let folder = state.join(format!("jobs/{id}"));
    let asked = ["--passes", "3"];
    let command = String::from_utf8(by_command(&folder, "gomoku-network", &[games], &asked)).unwrap();
    let [learned_weights, by_command] = [&learned, &command].map(|text| LineWeights::parse(text).unwrap());
    assert!(learned_weights.network.is_some() && learned_weights == by_command);
    assert_eq!(about(&learned), about(&command));
}

#[test]
fn the_weights_of_reversi_are_those_of_the_command() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let daemon = open(&state, 2);
    let games = daemon.submit(reversi(60), None).unwrap().summary.id;
    let settings = json!({ "game": "reversi", "games_of": games, "steps": 3 });
    // It begins when the games are made.
    let id = submit(&daemon, "tune", &settings, &json!({ "after": games }));
    assert!(matches!(daemon.weights(id), Err(Refusal::Conflict(text)) if text.contains("not over")));
    let view = wait_over(&daemon, id);
    assert_eq!(view.summary.reason.as_deref(), Some("learned"), "{view:?}");
    let found = view.summary.tune.unwrap();
    assert_eq!((found.games, found.parts, found.parts_done, view.summary.iterations), (60, 15, 15, 45));
    assert_eq!(found.losses.iter().map(|loss| loss.positions).sum::<u64>(), found.positions);
    assert_eq!((found.losses[0].at, found.losses[14].at, found.before), (0, 56, None));
    let bytes = daemon.weights(id).unwrap();
    let command = by_command(&state.join(format!("jobs/{id}")), "reversi", &[games], &["--steps", "3"]);
    let [learned, command] = [&bytes, &command].map(|bytes| PatternWeights::read(bytes).unwrap());
    assert_eq!((learned.sum(), about(&learned.about)), (command.sum(), about(&command.about)));
    let ends = learned.sum();
    // What searches say is learned, too, by a hundred units more. A restart costs none of them.
    let settings = json!({ "game": "reversi", "games_of": games, "steps": 3, "search": 3 });
    let id = submit(&daemon, "tune", &settings, &json!({}));
    wait_for(&daemon, id, "some positions are searched", |view| view.summary.units_done >= 10);
    carried_out(&daemon, id, JobCommand::Pause);
    close(daemon);
    let daemon = open(&state, 2);
    let view = resumed_to_the_end(&daemon, id);
    assert_eq!(view.summary.reason.as_deref(), Some("learned"), "{view:?}");
    let found = view.summary.tune.unwrap();
    assert_eq!((found.parts, found.parts_done, view.summary.iterations, found.losses.len()), (115, 115, 45, 15));
    let bytes = daemon.weights(id).unwrap();
    let flags = ["--steps", "3", "--search", "3"];
    let command = by_command(&state.join(format!("jobs/{id}")), "reversi", &[games], &flags);
    let [learned, command] = [&bytes, &command].map(|bytes| PatternWeights::read(bytes).unwrap());
    assert_eq!((learned.sum(), about(&learned.about)), (command.sum(), about(&command.about)));
    assert_ne!(learned.sum(), ends);
}

#[test]
fn killed_at_any_moment_it_loses_no_finished_part() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let mut daemon = Apart::start(&state, "").unwrap();
    let games = daemon.submit(&gomoku(100));
    daemon.wait_over(games);
    let id = daemon.submit(&job("tune", &json!({ "games_of": games, "steps": 300 }), &json!({})));
    daemon = daemon.killed_and_started(&state, id);
    let job = daemon.wait_over(id);
    assert_eq!((&job["tune"]["parts_done"], &job["iterations"]), (&20.into(), &300.into()), "{job}");
    let folder = state.join(format!("jobs/{id}"));
    let command = String::from_utf8(by_command(&folder, "gomoku", &[games], &[])).unwrap();
    let learned = std::fs::read_to_string(folder.join("weights")).unwrap();
    let sum = |text: &str| LineWeights::parse(text).unwrap().sum();
    assert_eq!(sum(&learned), sum(&command));
    daemon.stop();
}

#[test]
fn the_command_line_submits_shows_and_writes_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(&dir.path().join("state"));
    let run = |arguments: &[&str]| run(&program, arguments);
    let (code, games, errors) =
        run_line(&program, "job submit selfplay gomoku --games 100 --nodes 30 --seed 4 --size 9");
    assert_eq!(code, Some(0), "{errors}");
    let games = games.trim().to_owned();
    let config = dir.path().join("tune.toml");
    std::fs::write(&config, format!("kind = 'tune'\nafter = {games}\n[settings]\ngames_of = {games}\nsteps = 40\n"))
        .unwrap();
    let (code, id, errors) = run(&["job", "submit", config.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{errors}");
    let id = id.trim().to_owned();
    let (code, _, told) = run(&["job", "wait", &id]);
    assert!(code == Some(0) && told.contains("(learned), 20 of 20 parts"), "{told}");
    let (_, shown, _) = run(&["job", "show", &id]);
    for part in ["gomoku 9x9", "100 games, ", "20 of 20 parts", "2 steps: 0.", "40 steps: 0.", "after       loss 0."]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let file = dir.path().join("new.weights");
    let write = ["job", "weights", &id, "-o", file.to_str().unwrap()];
    let (code, _, errors) = run(&write);
    assert!(code == Some(0) && errors.contains("the weights are in"), "{errors}");
    assert_eq!(run(&write).0, Some(2), "the file exists");
    // The player takes them.
    let analyse = format!("analyse gomoku --size 9 --nodes 100 --best 1 --weights {}", file.display());
    let (code, out, errors) = run_line(&program, &analyse);
    assert!(code == Some(0) && out.contains("1 moves"), "{out}{errors}");
    let refused = [
        ("job submit tune go --games-of 1", "possible values: gomoku"),
        ("job submit tune gomoku", "games_of is missing"),
        ("job submit tune gomoku --games-of x", "expected numbers of jobs"),
        ("job submit tune gomoku --games-of 77", "there is no job 77"),
        ("job weights 1 -o x", "job 1 learns no weights: its kind is selfplay"),
    ];
    assert_lines_refused(&program, &refused);
    program.stop();
}

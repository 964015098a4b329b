//! Jobs that begin after another job or at a time, and clones of jobs, with the real daemon.

use crate::daemons::program::Program;
use crate::daemons::{endless, open_database, request, small, wait_until};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Runs `morpion job` with these words and returns what it prints.
fn job(program: &Program, words: &str) -> String {
    let words: Vec<&str> = ["job"].into_iter().chain(words.split_whitespace()).collect();
    let output = program.morpion(&words);
    assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
    text(&output.stdout).trim_end().to_owned()
}

fn refused(program: &Program, words: &str, expected: &str) {
    let words: Vec<&str> = ["job"].into_iter().chain(words.split_whitespace()).collect();
    let output = program.morpion(&words);
    assert_eq!(output.status.code(), Some(2), "{words:?}: {}", text(&output.stderr));
    assert!(text(&output.stderr).contains(expected), "{words:?}: {}", text(&output.stderr));
}

fn submit(program: &Program, settings: &Value, others: &Value) -> u64 {
    program.submit(&request(settings, others))
}

fn state(program: &Program, id: u64) -> String {
    program.job(id)["state"].as_str().unwrap().to_owned()
}

fn reason(program: &Program, id: u64) -> String {
    program.job(id)["reason"].as_str().unwrap_or_default().to_owned()
}

fn wait_for(program: &Program, id: u64, wanted: &str) {
    wait_until(&format!("job {id} is {wanted}"), || state(program, id) == wanted);
}

#[test]
fn a_job_begins_when_the_other_one_has_finished() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(&dir.path().join("state"));
    let first = submit(&program, &endless(1), &json!({}));
    let second = submit(&program, &small(2), &json!({ "after": first, "priority": 50 }));
    let third = submit(&program, &small(3), &json!({ "after": second }));
    let other = submit(&program, &small(4), &json!({}));
    // What waits for another job keeps nobody from working, whatever its priority.
    assert_eq!(program.wait_over(other)["state"], "finished");
    let shown = program.job(second);
    assert_eq!((&shown["state"], &shown["after"], &shown["began"]), (&"queued".into(), &first.into(), &Value::Null));
    assert_eq!(shown["reason"], format!("waits until job {first} has finished"));
    assert!(
        job(&program, &format!("show {second}")).contains(&format!("begins      after job {first} has finished"))
    );
    assert!(job(&program, "list").contains(&format!("(after job {first})")));
    // A pause and its end leave it where it was.
    program.order(&format!("/jobs/{second}/pause"));
    assert_eq!(state(&program, second), "paused");
    program.order(&format!("/jobs/{second}/resume"));
    program.send("PATCH", &format!("/jobs/{second}"), &json!({ "priority": 60 }));
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(program.job(second)["began"], Value::Null);
    program.order(&format!("/jobs/{second}/pause"));
    // With a limit that it has reached, it finishes.
    program.send("PATCH", &format!("/jobs/{first}"), &json!({ "limits": { "seconds": 0.1 } }));
    assert_eq!(program.wait_over(first)["reason"], "time");
    assert_eq!(state(&program, second), "paused", "it is let go, and stays paused");
    program.order(&format!("/jobs/{second}/resume"));
    for id in [second, third] {
        assert_eq!(program.wait_over(id)["state"], "finished");
    }
    let ended = |id: u64| program.job(id)["ended"].as_f64().unwrap();
    let began = |id: u64| program.job(id)["began"].as_f64().unwrap();
    assert!(began(second) >= ended(first) && began(third) >= ended(second));
    assert_eq!(program.job(third)["reason"], "finished");
}

/// What a job waits for can be changed until it begins.
#[test]
fn the_beginning_of_a_job_is_changed() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(&dir.path().join("state"));
    let first = submit(&program, &endless(1), &json!({}));
    let second = submit(&program, &small(2), &json!({ "after": first }));
    let third = submit(&program, &small(3), &json!({ "after": second, "not_before": 4e9 }));
    wait_for(&program, first, "running");
    let begins = |arguments: &str| {
        let words = format!("job begin {arguments}");
        let output = program.morpion(&words.split_whitespace().collect::<Vec<_>>());
        assert!(output.status.success(), "{words}: {}", text(&output.stderr));
        text(&output.stderr).to_owned()
    };
    assert!(begins(&format!("{second}")).contains(&format!("job {second} begins (after job {first})")));
    // Only what is named changes.
    assert!(
        begins(&format!("{second} --at 2100-01-01")).contains(&format!("(after job {first}, not before 2100-01-01"))
    );
    refused(&program, &format!("begin {second} --after {third}"), "would wait for itself");
    refused(&program, &format!("begin {second} --after {second}"), "would wait for itself");
    refused(&program, &format!("begin {second} --after 999"), "there is no job 999");
    refused(&program, &format!("begin {first} --after {third}"), "has begun");
    refused(&program, &format!("begin {second} --at yesterday"), "or none");
    let kept = program.job(second);
    assert_eq!((&kept["after"], kept["not_before"].is_null()), (&first.into(), false));
    // It no longer waits for the first one, and does not begin, since its time has not come.
    begins(&format!("{second} --after none"));
    program.order(&format!("/jobs/{first}/cancel"));
    program.wait_over(first);
    assert_eq!(state(&program, second), "queued");
    assert!(begins(&format!("{second} --now")).contains("begins when its turn comes"));
    assert_eq!(program.wait_over(second)["state"], "finished");
    assert_eq!(program.job(third)["reason"].as_str().map(|text| text.starts_with("waits until ")), Some(true));
    program.send("PATCH", &format!("/jobs/{third}"), &json!({ "begin": {} }));
    assert_eq!(program.wait_over(third)["state"], "finished");
}

#[test]
fn nobody_waits_for_what_cannot_happen() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(&dir.path().join("state"));
    let first = submit(&program, &endless(1), &json!({}));
    let after = |id: u64| submit(&program, &small(id), &json!({ "after": id }));
    let (second, paused) = (after(first), after(first));
    let third = after(second);
    program.order(&format!("/jobs/{paused}/pause"));
    program.order(&format!("/jobs/{first}/cancel"));
    for id in [second, paused, third] {
        assert_eq!(program.wait_over(id)["state"], "cancelled");
    }
    let why = |id: u64, of: u64| {
        assert_eq!(reason(&program, id), format!("job {of}, after which it was to begin, was cancelled"));
    };
    why(second, first);
    why(paused, first);
    why(third, second);
    assert_eq!(program.morpion(&["job", "wait", &third.to_string()]).status.code(), Some(1));
    refused(
        &program,
        &format!("submit --strategy random --runs 1 --after {first}"),
        "was cancelled, so nothing begins",
    );
    refused(&program, "submit --strategy random --runs 1 --after 99", "there is no job 99");
    // After one that has finished it begins at once, also when that one is removed meanwhile.
    let done = submit(&program, &small(9), &json!({}));
    assert_eq!(program.wait_over(done)["state"], "finished");
    let next = after(done);
    assert_eq!(program.wait_over(next)["state"], "finished");
}

#[test]
fn a_job_that_fails_takes_those_that_wait_for_it_along() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state");
    let program = Program::start(&path);
    let first = submit(&program, &endless(1), &json!({}));
    let second = submit(&program, &small(2), &json!({ "after": first }));
    program.order(&format!("/jobs/{first}/pause"));
    program.stop();
    // The store loses what the job is made of: it fails when its turn comes.
    let database = open_database(&path.join("morpion.redb"));
    let transaction = database.begin_write().unwrap();
    let specs: redb::TableDefinition<u64, &[u8]> = redb::TableDefinition::new("specs");
    transaction.open_table(specs).unwrap().remove(first).unwrap();
    transaction.commit().unwrap();
    drop(database);
    let program = Program::start(&path);
    assert!(reason(&program, second).starts_with("waits until job"));
    program.order(&format!("/jobs/{first}/resume"));
    assert_eq!(program.wait_over(first)["state"], "failed");
    assert_eq!(program.wait_over(second)["state"], "cancelled");
    assert_eq!(reason(&program, second), format!("job {first}, after which it was to begin, has failed"));
    refused(&program, &format!("submit --strategy random --runs 1 --after {first}"), "has failed, so nothing begins");
}

#[test]
fn a_job_begins_at_its_time_and_not_before() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(&dir.path().join("state"));
    let begun = now();
    let soon: u64 = job(&program, "submit --strategy random --runs 1 --max-iterations 50 --at +3s").parse().unwrap();
    let sent = now();
    let later: u64 = job(&program, "submit --strategy random --runs 1 --max-iterations 50 --at +2h").parse().unwrap();
    let past: u64 =
        job(&program, "submit --strategy random --runs 1 --max-iterations 50 --at 2020-01-01").parse().unwrap();
    assert_eq!(program.wait_over(past)["state"], "finished");
    let held = program.job(soon);
    let at = held["not_before"].as_f64().unwrap();
    assert!((begun + 2.5..sent + 3.5).contains(&at), "{held}");
    if now() < at - 0.5 {
        assert_eq!(held["reason"], format!("waits until {}", morpion::runner::clock::utc(at)));
    }
    let ended = program.wait_over(soon);
    assert!(ended["began"].as_f64().unwrap() >= at, "{ended}");
    assert_eq!(state(&program, later), "queued");
    assert!(job(&program, &format!("show {later}")).contains("begins      not before 2"));
    assert!(job(&program, "list --state queued").contains("(not before 2"));
    // Both have to be.
    let both = submit(&program, &small(5), &json!({ "after": soon, "not_before": now() + 7200.0 }));
    std::thread::sleep(Duration::from_millis(1200));
    assert_eq!(program.job(both)["began"], Value::Null);
    // A job that does not begin yet can be cancelled and drained.
    program.order(&format!("/jobs/{both}/cancel"));
    assert_eq!(state(&program, both), "cancelled");
    program.order(&format!("/jobs/{later}/drain"));
    assert_eq!((state(&program, later), reason(&program, later)), ("finished".to_owned(), "drained".to_owned()));
    refused(&program, "submit --at tomorrow", "+TIME from now on");
    for bad in [json!(-1), json!(1e13)] {
        let request = json!({ "kind": "hunt", "settings": small(1), "not_before": bad });
        assert_eq!(program.ask("POST", "/jobs", None, Some(&request)).unwrap().0, 422, "{bad}");
    }
}

#[test]
fn what_is_held_survives_kills() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state");
    let mut program = Program::start(&path);
    let first = submit(&program, &endless(1), &json!({}));
    let second = submit(&program, &small(2), &json!({ "after": first }));
    let third = submit(&program, &small(3), &json!({ "after": second }));
    let soon = submit(&program, &small(4), &json!({ "not_before": now() + 4.0 }));
    let late = submit(&program, &small(5), &json!({ "not_before": now() + 7200.0 }));
    for _ in 0..3 {
        wait_for(&program, first, "running");
        assert_eq!(program.job(second)["began"], Value::Null);
        program.kill();
        program = Program::start(&path);
        assert!(reason(&program, second).starts_with("waits until job"), "{}", reason(&program, second));
    }
    assert_eq!(program.wait_over(soon)["state"], "finished");
    program.send("PATCH", &format!("/jobs/{first}"), &json!({ "limits": { "seconds": 0.1 } }));
    program.wait_over(first);
    // Whether it had let the next ones go or not: killed at once, and started again, they run.
    program.kill();
    let program = Program::start(&path);
    for id in [second, third] {
        assert_eq!(program.wait_over(id)["state"], "finished");
    }
    assert_eq!(state(&program, late), "queued");
    // The job that it waited for can go.
    let fourth = submit(&program, &endless(6), &json!({ "after": third }));
    assert_eq!(program.ask("DELETE", &format!("/jobs/{third}"), None, None).unwrap().0, 204);
    wait_for(&program, fourth, "running");
    program.kill();
    let program = Program::start(&path);
    wait_for(&program, fourth, "running");
}

#[test]
fn a_clone_has_the_settings_of_the_other_job_but_for_what_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(&dir.path().join("state"));
    let request_of = |id: u64| program.get(&format!("/jobs/{id}/request"));
    let clone = |words: &str| -> u64 { job(&program, &format!("clone {words}")).parse().unwrap() };
    let original = json!({
        "kind": "hunt", "name": "mine", "priority": 3, "weight": 2, "limits": { "iterations": 5000, "workers": 1 },
        "settings": { "strategy": "random", "variant": "5D", "max-iterations": 50, "runs": 2, "seed": 7 },
        "not_before": 1.0,
    });
    let first = program.submit(&original);
    assert_eq!(program.wait_over(first)["state"], "finished");
    let same = request_of(clone(&first.to_string()));
    let mut expected = request_of(first);
    assert_eq!(expected["not_before"], 1.0);
    expected.as_object_mut().unwrap().remove("not_before");
    assert_eq!(same, expected, "the same but for the time");

    let words = format!(
        "{first} --name other --priority -5 --seed 8 --max-iterations 60 --time 90s --threads 4 --at +2h --url {}",
        program.url
    );
    let changed = request_of(clone(&words));
    assert_eq!(
        (&changed["name"], &changed["priority"], &changed["weight"]),
        (&"other".into(), &(-5).into(), &2.into())
    );
    let settings = json!({ "strategy": "random", "variant": "5D", "max_iterations": 60, "runs": 2, "seed": 8 });
    assert_eq!(changed["settings"], settings);
    let limits = &changed["limits"];
    assert_eq!(
        (&limits["seconds"], &limits["iterations"], &limits["workers"]),
        (&90.0.into(), &5000.into(), &3.into())
    );
    assert!(changed["not_before"].as_f64().unwrap() > now() + 7000.0);

    // A request may have limits among its settings.
    let settings = json!({ "strategy": "random", "max_iterations": 50, "runs": 1, "time": 60, "workers": 1 });
    let second = submit(&program, &settings, &json!({}));
    let changed = request_of(clone(&format!("{second} --time 120 --threads 3")));
    assert_eq!(changed["settings"], json!({ "strategy": "random", "max_iterations": 50, "runs": 1 }));
    assert_eq!((&changed["limits"]["seconds"], &changed["limits"]["workers"]), (&120.0.into(), &2.into()));

    // A grid of a file takes the place of the one that it began with.
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/grids/5T-178-rosin.txt");
    let started = request_of(clone(&format!("{second} --init-file {file} 60")));
    assert!(started["start"]["grid"].as_str().unwrap().starts_with("MS1:") && started["settings"]["variant"] == "5T");

    let solve = json!({ "kind": "solve", "settings": { "game": "reversi", "size": "4x4", "user": "ada" } });
    let third = program.submit(&solve);
    let changed = request_of(clone(&format!("{third} --size 4x6 --quorum 2 --all-memory 64M --after {third}")));
    assert_eq!(changed["settings"], json!({ "game": "reversi", "size": "4x6", "user": "ada", "quorum": 2 }));
    assert_eq!((&changed["limits"]["memory"], &changed["after"]), (&(64 << 20).into(), &third.into()));

    for (words, expected) in [
        (format!("{first} --level 4"), "level"),
        (format!("{first} --colour red"), "--colour"),
        (format!("{first} --time soon"), "soon"),
        (format!("{third} --strategy nrpa"), "--strategy"),
        (format!("{first} --seed 3 --url"), "--url: a value is missing"),
        (format!("{first} --config x"), "takes flags only"),
        ("99".to_owned(), "there is no job 99"),
    ] {
        refused(&program, &format!("clone {words}"), expected);
    }
    let (status, answer) = program.ask("GET", "/jobs/99/request", None, None).unwrap();
    assert_eq!(status, 404, "{answer}");
}

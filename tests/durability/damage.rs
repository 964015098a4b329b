//! What befalls a job and need not end it. Damage to its files: what is only shown stops nothing, what can be read
//! goes on, and what the program cannot mend waits for a person. A job that failed can be tried again. What a client
//! was told or a job has found is there after `kill -9`.

use crate::daemons::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A hunt that keeps grids and has many units.
fn hunt() -> Value {
    json!({ "strategy": "nrpa", "level": 2, "iterations": 25, "variant": "5D", "runs": 100, "seed": 6, "keep_from": 60 })
}

/// What the tests begin with: a state directory whose daemon was killed, a job that ran, and its undisturbed end.
struct Killed {
    state: tempfile::TempDir,
    id: u64,
    expected: Value,
}

/// A copy of the state of a daemon that was killed while the hunt ran, the hunt's number, and what comes of the hunt
/// when it is left alone.
fn killed() -> (tempfile::TempDir, u64, &'static Value) {
    static KILLED: OnceLock<Killed> = OnceLock::new();
    let Killed { state, id, expected } = KILLED.get_or_init(|| {
        let state = tempfile::tempdir().unwrap();
        let mut daemon = Apart::start(state.path(), "").unwrap();
        let whole = daemon.submit(&request(&hunt(), &json!({})));
        daemon.wait_over(whole);
        let expected = daemon.essence(whole);
        let id = daemon.submit(&request(&hunt(), &json!({})));
        wait_until("some units are done and some grids kept", || {
            let job = daemon.get(&json!({ "do": "job", "id": id }));
            assert!(job["state"] != "finished", "it is over too soon");
            let archive = folder(state.path(), id).join("archive/grids.bin");
            job["units_done"].as_u64() > Some(3) && fs::metadata(archive).is_ok_and(|file| file.len() > 2000)
        });
        // So that a checkpoint is later than the grids.
        daemon.get(&json!({ "do": "pause", "id": id }));
        daemon.get(&json!({ "do": "resume", "id": id }));
        daemon.kill();
        // Between two checkpoints there is one journal. A kill in the middle of one leaves two, of which one counts.
        while journals(&folder(state.path(), id)).len() != 1 {
            Apart::start(state.path(), "").unwrap().stop();
        }
        Killed { state, id, expected }
    });
    let copy = tempfile::tempdir().unwrap();
    copy_all(state.path(), copy.path());
    (copy, *id, expected)
}

fn folder(state: &Path, id: u64) -> PathBuf {
    state.join(format!("jobs/{id}"))
}

type Change<'a> = &'a dyn Fn(&mut Vec<u8>);

fn change(path: &Path, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, &bytes).unwrap();
    bytes
}

fn journals(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|ending| ending == "journal")).collect()
}

/// The one journal that there is.
fn journal(folder: &Path) -> PathBuf {
    match <[PathBuf; 1]>::try_from(journals(folder)) {
        Ok([only]) => only,
        Err(found) => panic!("one journal is expected: {found:?}"),
    }
}

/// The job comes to the same end as if nothing had happened; what it said.
fn goes_on(state: &Path, id: u64, expected: &Value) -> Vec<String> {
    let mut daemon = Apart::start(state, "").unwrap();
    let job = daemon.wait_over(id);
    assert_eq!(job["state"], "finished", "{job}");
    let essence = daemon.essence(id);
    for (part, value) in essence.as_object().unwrap() {
        let is_open = part == "grids" && expected[part].is_null();
        assert!(is_open || value == &expected[part], "{part} of the job");
    }
    daemon.get(&json!({ "do": "statistics", "id": id }));
    let told = notices(&mut daemon, id);
    daemon.stop();
    // It is told once.
    let mut daemon = Apart::start(state, "").unwrap();
    assert_eq!(notices(&mut daemon, id), told);
    daemon.stop();
    told
}

/// What was told of the archive alone. Units done since the last checkpoint may rest on grids that are gone with it, and
/// then the journal tells that they are done again.
fn of_the_archive(mut told: Vec<String>) -> Vec<String> {
    told.retain(|text| !(text.contains("rests on") && text.contains("is done again")));
    told
}

fn notices(daemon: &mut Apart, id: u64) -> Vec<String> {
    let events = daemon.list("events", id);
    let notices = events.iter().filter(|event| event["event"] == "notice");
    notices.map(|event| event["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_log_that_cannot_be_read_stops_no_job() {
    let changes: [Change; 3] =
        [&|log| log[3] ^= 1, &|log| log[40] = 0xff, &|log| log.splice(0..0, [0; 4096]).for_each(drop)];
    for damage in changes {
        let (dir, id, expected) = killed();
        let log = folder(dir.path(), id).join("events.jsonl");
        let damaged = change(&log, damage);
        let told = goes_on(dir.path(), id, expected);
        assert!(told.len() == 1 && told[0].contains("events.jsonl:1: not an event"), "{told:?}");
        assert_eq!(fs::read(log.with_extension("jsonl.damaged-1")).unwrap()[..damaged.len()], damaged);
    }
}

#[test]
fn a_damaged_archive_keeps_what_can_be_read() {
    let (dir, id, expected) = killed();
    let archive = folder(dir.path(), id).join("archive/grids.bin");
    let damaged = change(&archive, |bytes| {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 16;
    });
    let told = of_the_archive(goes_on(dir.path(), id, expected));
    assert!(told.len() == 1 && told[0].contains("grids.bin was damaged"), "{told:?}");
    assert_eq!(fs::read(archive.with_extension("bin.damaged-1")).unwrap(), damaged);
}

#[test]
fn an_archive_that_lost_its_end_or_is_gone_is_told() {
    for gone in [false, true] {
        let (dir, id, expected) = killed();
        let archive = folder(dir.path(), id).join("archive/grids.bin");
        if gone {
            fs::remove_file(&archive).unwrap();
        } else {
            // At the end of a record, as if nothing had followed.
            let bytes = fs::read(&archive).unwrap();
            let head = 20 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
            let first = 8 + usize::from(u16::from_le_bytes(bytes[head..head + 2].try_into().unwrap()));
            fs::write(&archive, &bytes[..head + first]).unwrap();
        }
        // Those of the last moments before the kill may be lost with it.
        let expected = Value::Object(
            expected.as_object().unwrap().clone().into_iter().filter(|(part, _)| part != "grids").collect(),
        );
        let told = of_the_archive(goes_on(dir.path(), id, &expected));
        let words = if gone { "grids.bin is missing" } else { "grids.bin was cut" };
        assert!(told.len() == 1 && told[0].contains(words), "{told:?}");
    }
}

#[test]
fn a_power_cut_in_the_journal_fails_no_job() {
    let (dir, id, expected) = killed();
    // A page that was not written before one that was.
    change(&journal(&folder(dir.path(), id)), |bytes| {
        bytes.extend([0; 4096]);
        bytes.extend([7; 100]);
    });
    let told = goes_on(dir.path(), id, expected);
    assert!(told.len() == 1 && told[0].contains("as after a power cut"), "{told:?}");
}

#[test]
fn a_damaged_state_waits_for_a_person_and_goes_on() {
    let (dir, id, expected) = killed();
    let folder = folder(dir.path(), id);
    let (journal, state) = (journal(&folder), folder.join("hunt.state"));
    let whole = fs::read(&state).unwrap();
    change(&state, |bytes| bytes[20] ^= 1);
    let mut daemon = Apart::start(dir.path(), "").unwrap();
    assert!(quarantined(&mut daemon, id).contains("hunt.state is damaged"));
    fs::write(&state, &whole).unwrap();
    change(&journal, |bytes| bytes[20] ^= 1);
    daemon.get(&json!({ "do": "resume", "id": id }));
    let reason = quarantined(&mut daemon, id);
    assert!(reason.contains("journal is damaged") && reason.contains("move the file away"), "{reason}");
    fs::remove_file(&journal).unwrap();
    daemon.get(&json!({ "do": "resume", "id": id }));
    daemon.stop();
    let told = goes_on(dir.path(), id, expected);
    assert!(told.len() == 1 && told[0].contains("was missing"), "{told:?}");
}

#[test]
fn a_failed_job_is_tried_again_with_what_it_had() {
    let (dir, id, expected) = killed();
    let mut daemon = Apart::start(dir.path(), "always:80").unwrap();
    let job = daemon.wait_over(id);
    assert_eq!((&job["state"], &job["units_quarantined"]), (&json!("failed"), &json!(1)), "{job}");
    let before = job["units_done"].as_u64();
    assert!(before > Some(20), "{job}");
    // The other job is finished.
    for (job, words) in [(id - 1, "has not failed"), (99, "there is no job 99")] {
        let refused = daemon.ask(&json!({ "do": "retry", "id": job })).unwrap();
        assert!(refused["error"].as_str().unwrap_or_default().contains(words), "{refused}");
    }
    daemon.stop();
    let mut daemon = Apart::start(dir.path(), "").unwrap();
    let job = daemon.get(&json!({ "do": "retry", "id": id }));
    assert!(["queued", "running"].contains(&job["state"].as_str().unwrap()), "{job}");
    assert_eq!((&job["reason"], &job["ended"]), (&Value::Null, &Value::Null), "{job}");
    assert!(job["units_done"].as_u64() >= before, "{job}");
    daemon.stop();
    goes_on(dir.path(), id, expected);
}

/// A hunt that goes on for long in small units.
fn long() -> Value {
    json!({ "strategy": "random", "max_iterations": 3000, "runs": 1_000_000, "seed": 9 })
}

#[test]
fn a_paused_job_shows_its_figures_after_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let mut daemon = Apart::start(dir.path(), "").unwrap();
    let id = daemon.submit(&request(&long(), &json!({})));
    wait_until("some units are done", || {
        daemon.get(&json!({ "do": "job", "id": id }))["units_done"].as_u64() > Some(9)
    });
    let paused = daemon.get(&json!({ "do": "pause", "id": id }));
    daemon.kill();
    let mut daemon = Apart::start(dir.path(), "").unwrap();
    let shown = daemon.get(&json!({ "do": "job", "id": id }));
    for figure in ["state", "units_done", "iterations", "best"] {
        assert_eq!(shown[figure], paused[figure], "{figure}");
    }
    assert!(shown["units_done"].as_u64() > Some(9) && shown["seconds"].as_f64() > Some(0.0), "{shown}");
    daemon.stop();
}

#[test]
fn bests_that_were_surpassed_before_the_store_had_them_are_not_lost() {
    let dir = tempfile::tempdir().unwrap();
    let mut daemon = Apart::start_with(dir.path(), &[(PACE, "3600000")]).unwrap();
    let id = daemon.submit(&request(&long(), &json!({})));
    let scores = || {
        let files = fs::read_dir(folder(dir.path(), id)).into_iter().flatten();
        let names = files.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter_map(|name| name.strip_suffix(".txt")?.parse().ok()).collect::<BTreeSet<u64>>()
    };
    wait_until("it has several bests", || scores().len() > 3);
    daemon.kill();
    let expected = scores();
    // As if the store had written nothing for a while.
    let database = open_database(&dir.path().join("morpion.redb"));
    let transaction = database.begin_write().unwrap();
    transaction.delete_table(redb::TableDefinition::<u64, &[u8]>::new("grids")).unwrap();
    transaction.delete_table(redb::TableDefinition::<&[u8], ()>::new("grids by score")).unwrap();
    transaction.commit().unwrap();
    drop(database);
    let mut daemon = Apart::start_with(dir.path(), &[(PACE, "3600000")]).unwrap();
    wait_until("the job goes on", || daemon.get(&json!({ "do": "job", "id": id }))["workers"].as_u64() > Some(0));
    daemon.get(&json!({ "do": "pause", "id": id }));
    let grids = daemon.list("grids", id);
    let found: BTreeSet<u64> = grids.iter().map(|grid| grid["score"].as_u64().unwrap()).collect();
    assert!(found.is_superset(&expected), "{found:?} instead of {expected:?}");
    daemon.stop();
}

/// Why the job is quarantined, when it is.
fn quarantined(daemon: &mut Apart, id: u64) -> String {
    let mut reason = String::new();
    wait_until("it is quarantined", || {
        let job = daemon.get(&json!({ "do": "job", "id": id }));
        assert_ne!(job["state"], "failed", "{job}");
        reason = job["reason"].as_str().unwrap_or_default().to_owned();
        job["state"] == "paused"
    });
    assert!(reason.starts_with("quarantined: "), "{reason}");
    reason
}

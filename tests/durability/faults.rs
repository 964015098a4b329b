//! Faults done to a daemon in a process of its own: killed at any moment, a full disk, a damaged store, a second
//! daemon on its state, units that panic, ten thousand jobs.
//!
//! `MORPION_TEST_KILLS=100` kills a hundred times instead of a few, `MORPION_TEST_JOBS=10000` queues so many jobs;
//! with `--nocapture` both say what they saw.

use crate::daemons::disks::{Immutable, Small};
use crate::daemons::*;
use morpion::daemon::scheduler::DaemonOptions;
use morpion::daemon::service::Service;
use rand::RngExt;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

#[test]
fn killed_at_any_moment_it_loses_nothing_that_it_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let mut whole = Apart::start(&dir.path().join("whole"), "").unwrap();
    let ids: Vec<u64> = jobs().iter().map(|settings| whole.submit(&request(settings, &json!({})))).collect();
    let expected: Vec<Value> = ids
        .iter()
        .map(|&id| {
            whole.wait_over(id);
            whole.essence(id)
        })
        .collect();
    assert!(expected[1]["grids"].as_array().unwrap().len() > 3, "{}", expected[1]);
    whole.stop();

    let kills = number("MORPION_TEST_KILLS", 4);
    let state = dir.path().join("killed");
    let mut rng = morpion::core::seed::rng(SEED, &[]);
    let mut daemon = Apart::start(&state, "").unwrap();
    let mut disturbed: Vec<Vec<u64>> = Vec::new();
    let submit_all = |daemon: &mut Apart| -> Vec<u64> {
        jobs().iter().map(|settings| daemon.submit(&request(settings, &json!({})))).collect()
    };
    disturbed.push(submit_all(&mut daemon));
    // Jobs by the key they were sent with, once acknowledged.
    let mut acknowledged: BTreeMap<String, u64> = BTreeMap::new();
    // Units done and grids by job, as last seen.
    let mut seen: BTreeMap<u64, (u64, BTreeSet<u64>, BTreeSet<String>)> = BTreeMap::new();
    let (mut sent, mut opened) = (0, Duration::ZERO);
    for kill in 0..kills {
        // Now and then there is more to do, so that there is always a load.
        if kill % 10 == 9 {
            disturbed.push(submit_all(&mut daemon));
        }
        let until = Instant::now() + Duration::from_millis(rng.random_range(0..400));
        while Instant::now() < until {
            sent += 1;
            let key = format!("key {sent}");
            let line =
                json!({ "do": "submit", "request": request(&small(sent), &json!({ "priority": 1 })), "key": key });
            let answer = daemon.get(&line);
            acknowledged.insert(key, answer["id"].as_u64().unwrap());
            let id = disturbed.last().unwrap()[rng.random_range(0..4)];
            let units_done = daemon.get(&json!({ "do": "job", "id": id }))["units_done"].as_u64().unwrap();
            seen.insert(id, (units_done, done(&daemon.list("units", id)), keys(&daemon.list("grids", id))));
        }
        // One more, of which nobody knows whether it came through.
        sent += 1;
        daemon.kill();
        let started = Instant::now();
        daemon = Apart::start(&state, "").unwrap_or_else(|error| panic!("seed {SEED}, kill {kill}: {error}"));
        opened = opened.max(started.elapsed());
        for (key, &id) in &acknowledged {
            let seed = key.split_once(' ').unwrap().1.parse().unwrap();
            let line =
                json!({ "do": "submit", "request": request(&small(seed), &json!({ "priority": 1 })), "key": key });
            if id % 7 == kill % 7 {
                assert_eq!(daemon.get(&line)["id"], id, "seed {SEED}, kill {kill}: the key makes no second job");
            } else if id % 7 == (kill + 1) % 7 {
                assert_eq!(daemon.get(&json!({ "do": "job", "id": id }))["id"], id, "seed {SEED}, kill {kill}");
            }
        }
        for (&id, (units_done, units, grids)) in &seen {
            // The coordinator reads its files first.
            wait_until("the units done are known again", || {
                daemon.get(&json!({ "do": "job", "id": id }))["units_done"].as_u64().unwrap() >= *units_done
            });
            let now = done(&daemon.list("units", id));
            assert!(now.is_superset(units), "seed {SEED}, kill {kill}, job {id}: a unit is lost");
            let now = keys(&daemon.list("grids", id));
            assert!(now.is_superset(grids), "seed {SEED}, kill {kill}, job {id}: a grid is lost");
        }
    }
    for round in &disturbed {
        for (&id, expected) in round.iter().zip(&expected) {
            daemon.wait_over(id);
            let now = daemon.essence(id);
            for (name, expected) in expected.as_object().unwrap() {
                assert_eq!(&now[name], expected, "seed {SEED}: job {id}: {name}");
            }
        }
    }
    for &id in acknowledged.values() {
        let job = daemon.wait_over(id);
        assert_eq!((&job["state"], &job["units_done"]), (&"finished".into(), &2.into()), "seed {SEED}: job {id}");
    }
    let all = daemon.get(&json!({ "do": "jobs" })).as_array().unwrap().len();
    assert_eq!(all, acknowledged.len() + 4 * disturbed.len(), "seed {SEED}");
    println!(
        "{kills} kills: {} jobs acknowledged, {} disturbed ones compared, opened within {opened:?}",
        acknowledged.len(),
        4 * disturbed.len()
    );
    daemon.stop();
}

#[test]
fn a_second_daemon_on_the_same_state_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut first = Apart::start(dir.path(), "").unwrap();
    let id = first.submit(&request(&endless(1), &json!({})));
    let refused = Apart::start(dir.path(), "").err().expect("it is refused");
    assert!(refused.contains("another daemon uses"), "{refused}");
    wait_until("the first one goes on", || {
        first.get(&json!({ "do": "job", "id": id }))["iterations"].as_u64() > Some(0)
    });
    first.kill();
    // A lock goes with its process.
    Apart::start(dir.path(), "").unwrap().stop();
}

#[test]
fn units_that_panic_are_tried_again_and_set_aside() {
    let dir = tempfile::tempdir().unwrap();
    let mut daemon = Apart::start(dir.path(), "always:3,once:5").unwrap();
    let settings = json!({ "strategy": "random", "max_iterations": 200, "runs": 8, "seed": 1 });
    let id = daemon.submit(&request(&settings, &json!({})));
    let job = daemon.wait_over(id);
    assert_eq!((&job["state"], &job["units_done"], &job["units_poisoned"]), (&"failed".into(), &7.into(), &1.into()));
    assert!(job["reason"].as_str().unwrap().contains("unit 3 was told to panic"), "{job}");
    let units = daemon.get(&json!({ "do": "units", "id": id }));
    assert_eq!((&units[3]["state"], &units[3]["attempts"]), (&"poisoned".into(), &3.into()), "{units}");
    assert_eq!((&units[5]["state"], &units[5]["attempts"]), (&"done".into(), &2.into()), "{units}");
    assert_eq!(daemon.get(&json!({ "do": "health" }))["status"], "ok");
    // Set quarantined it stays, over a crash too; the others go on.
    let settings = json!({ "strategy": "nrpa", "level": 2, "variant": "4D", "seed": 1 });
    let id = daemon.submit(&request(&settings, &json!({})));
    wait_until("some units are done", || {
        let job = daemon.get(&json!({ "do": "job", "id": id }));
        job["units_done"].as_u64() > Some(6) && job["units_poisoned"] == 1
    });
    let done = daemon.get(&json!({ "do": "job", "id": id }))["units_done"].as_u64();
    wait_until("it is stored", || daemon.get(&json!({ "do": "units", "id": id }))[3]["state"] == "poisoned");
    daemon.kill();
    let mut daemon = Apart::start(dir.path(), "always:3").unwrap();
    wait_until("it goes on", || daemon.get(&json!({ "do": "job", "id": id }))["units_done"].as_u64() > done);
    let units = daemon.get(&json!({ "do": "units", "id": id }));
    assert_eq!((&units[3]["state"], &units[3]["attempts"]), (&"poisoned".into(), &3.into()), "{}", units[3]);
    daemon.stop();
}

/// The disk refuses to write, by `refuse`, and later no longer does, by `allow`.
fn survives_refusal(state: &Path, refuse: &dyn Fn(&Apart), allow: &dyn Fn(&Apart)) {
    let mut daemon = Apart::start(state, "").unwrap();
    let whole: Vec<u64> = jobs()[..2].iter().map(|settings| daemon.submit(&request(settings, &json!({})))).collect();
    let expected: Vec<Value> = whole
        .iter()
        .map(|&id| {
            daemon.wait_over(id);
            daemon.essence(id)
        })
        .collect();
    let ids: Vec<u64> = jobs()[..2].iter().map(|settings| daemon.submit(&request(settings, &json!({})))).collect();
    wait_until("units are done", || {
        daemon.get(&json!({ "do": "job", "id": ids[0] }))["units_done"].as_u64() > Some(0)
    });
    refuse(&daemon);
    let line = json!({ "do": "submit", "request": request(&small(1), &json!({})) });
    let mut acknowledged = Vec::new();
    wait_until("a job is refused", || {
        let answer = daemon.ask(&line).expect("it lives");
        acknowledged.extend(answer["ok"]["id"].as_u64());
        answer["kind"] == "Unavailable"
    });
    wait_until("its health says so", || {
        daemon.get(&json!({ "do": "health" }))["status"].as_str().unwrap().contains("cannot write")
    });
    for &id in &ids {
        wait_until("the job says so", || {
            let job = daemon.get(&json!({ "do": "job", "id": id }));
            job["state"] == "finished" || job["reason"].as_str().is_some_and(|reason| reason.contains("cannot "))
        });
    }
    // What is there can be read.
    for (&id, expected) in whole.iter().zip(&expected) {
        assert_eq!(&daemon.essence(id), expected);
    }
    allow(&daemon);
    wait_until("a job is taken again", || {
        let answer = daemon.ask(&line).expect("it lives");
        acknowledged.extend(answer["ok"]["id"].as_u64());
        answer.get("error").is_none()
    });
    for (&id, expected) in ids.iter().zip(&expected) {
        daemon.wait_over(id);
        assert_eq!(&daemon.essence(id), expected);
    }
    for id in acknowledged {
        assert_eq!(daemon.wait_over(id)["state"], "finished");
    }
    wait_until("its health is good", || daemon.get(&json!({ "do": "health" }))["status"] == "ok");
    daemon.stop();
}

#[test]
fn a_full_disk_is_survived() {
    let dir = tempfile::tempdir().unwrap();
    let filler = |path: &Path| {
        let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
        for size in [1 << 16, 1 << 12, 1] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
    };
    if let Some(small) = Small::make(dir.path().join("small"), "24m") {
        let path = small.0.join("filler");
        survives_refusal(&small.0.join("state"), &|_| filler(&path), &|_| fs::remove_file(&path).unwrap());
    } else {
        // Without a file system of its own: no file may grow beyond what the store has.
        let limit = |daemon: &Apart, size: &str| {
            let id = daemon.process.id().to_string();
            let output = Command::new("prlimit").args(["--pid", &id, &format!("--fsize={size}:")]).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        };
        survives_refusal(&dir.path().join("state"), &|daemon| limit(daemon, "4096"), &|daemon| {
            limit(daemon, "unlimited")
        });
    }
}

#[test]
fn a_state_that_becomes_read_only_is_survived() {
    let dir = tempfile::tempdir().unwrap();
    let Some(place) = Immutable::make(dir.path()) else {
        eprintln!(
            "NOT TESTED: no file can be made immutable here, nor an ext4 file system mounted (both are root's)"
        );
        return;
    };
    survives_refusal(&place.path().join("state"), &|_| place.freeze(), &|_| place.thaw());
}

#[test]
fn a_state_that_may_only_be_read_is_reported_and_survived() {
    let dir = tempfile::tempdir().unwrap();
    let Some(small) = Small::make(dir.path().join("small"), "24m") else {
        // Without a file system of its own, a directory whose files cannot be made.
        let state = dir.path().join("file/state");
        fs::write(dir.path().join("file"), "").unwrap();
        let refused = Apart::start(&state, "").err().expect("it is refused");
        assert!(refused.contains("cannot make the directory"), "{refused}");
        return;
    };
    let state = small.0.join("state");
    let mut daemon = Apart::start(&state, "").unwrap();
    let id = daemon.submit(&request(&small_job(), &json!({})));
    daemon.wait_over(id);
    daemon.stop();
    small.remount("ro");
    let refused = Apart::start(&state, "").err().expect("it is refused");
    assert!(refused.contains("cannot write") && refused.contains("daemon.lock"), "{refused}");
    small.remount("rw");
    let mut daemon = Apart::start(&state, "").unwrap();
    assert_eq!(daemon.get(&json!({ "do": "job", "id": id }))["state"], "finished");
    daemon.stop();
}

fn small_job() -> Value {
    small(3)
}

#[test]
fn a_damaged_store_is_reported_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let settings = json!({ "strategy": "random", "max_iterations": 20, "runs": 300, "seed": 1 });
    let id = daemon.submit(request(&settings, &json!({})), None).unwrap().summary.id;
    let expected = wait_over(&daemon, id);
    close(daemon);
    let path = dir.path().join("morpion.redb");
    assert_eq!(open_fails(dir.path()), None);
    let good = fs::read(&path).unwrap();
    let mut rng = morpion::core::seed::rng(SEED, &[1]);
    let mut found = 0;
    for round in 0..12 {
        // Everything but the head once; then whole pages, and single bits anywhere.
        let at = rng.random_range(0..good.len() as u64);
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        if round == 0 {
            file.write_all_at(&vec![0xa5; good.len() - 4096], 4096).unwrap();
        } else if rng.random_bool(0.5) {
            let page = at / 4096 * 4096;
            file.write_all_at(&vec![0xa5; 4096.min(good.len() - page as usize)], page).unwrap();
        } else {
            file.write_all_at(&[good[at as usize] ^ 1 << rng.random_range(0..8)], at).unwrap();
        }
        drop(file);
        let damaged = fs::read(&path).unwrap();
        match open_fails(dir.path()) {
            Some(error) => {
                assert!(error.contains("morpion.redb"), "seed {SEED}: {error}");
                let now = fs::read(&path).unwrap();
                // redb notes in its head that the file was opened.
                assert_eq!(now.len(), damaged.len(), "seed {SEED}");
                let same = now.iter().zip(&damaged).skip(4096).all(|(a, b)| a == b);
                assert!(same, "seed {SEED}: the content was changed");
                found += 1;
            }
            None => {
                assert!(round > 0, "nothing is left, and it is opened");
                // The damage is where nothing is kept: everything is there.
                let daemon = open(dir.path(), 1);
                assert_eq!(daemon.job(id).unwrap().summary.units_done, expected.summary.units_done, "seed {SEED}");
                close(daemon);
            }
        }
        fs::write(&path, &good).unwrap();
    }
    println!("seed {SEED}: {found} of 12 damages were found");
    let daemon = open(dir.path(), 1);
    assert_eq!(daemon.job(id).unwrap(), expected);
}

fn open_fails(state: &Path) -> Option<String> {
    match try_open(|| options(state, 1)) {
        Ok(daemon) => {
            close(daemon);
            None
        }
        Err(error) => Some(error.to_string()),
    }
}

#[test]
fn many_queued_jobs_cost_little() {
    let jobs = number("MORPION_TEST_JOBS", 1000);
    let dir = tempfile::tempdir().unwrap();
    let with = |workers| DaemonOptions { pace: Duration::from_secs(5), ..options(dir.path(), workers) };
    let daemon = try_open(|| with(1)).unwrap();
    let first = daemon.submit(request(&endless(1), &json!({ "priority": 50 })), None).unwrap().summary.id;
    wait_for(&daemon, first, "runs", running);
    let before = memory();
    let began = Instant::now();
    std::thread::scope(|scope| {
        for part in 0..8 {
            let daemon = &daemon;
            scope.spawn(move || {
                for seed in (part..jobs).step_by(8) {
                    daemon.submit(request(&small(seed), &json!({})), None).unwrap();
                }
            });
        }
    });
    let submitted = began.elapsed();
    let (after, threads, files) = (memory(), count("/proc/self/task"), count("/proc/self/fd"));
    assert_eq!(all_jobs(&*daemon).len() as u64, jobs + 1);
    assert!(count(dir.path().join("jobs").to_str().unwrap()) <= daemon.most_active(), "folders of waiting jobs");
    // Those of tests that run beside this one are counted, too.
    let many = (jobs / 2) as usize;
    assert!(threads < many && files < many, "{threads} threads, {files} files");
    close(daemon);
    let began = Instant::now();
    let daemon = try_open(|| with(2)).unwrap();
    let opened = began.elapsed();
    daemon.command(first, morpion::daemon::service::JobCommand::Cancel).unwrap();
    assert_eq!(all_jobs(&*daemon).len() as u64, jobs + 1);
    println!(
        "{jobs} jobs submitted in {submitted:?}, {} kB of memory more, {threads} threads, {files} files, opened again in {opened:?}",
        after.saturating_sub(before)
    );
    close(daemon);
}

/// Resident memory in kB.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn count(directory: &str) -> usize {
    fs::read_dir(directory).map_or(0, Iterator::count)
}

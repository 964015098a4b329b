//! The program itself as a daemon, over HTTP: killed at any moment, on a clock that jumps, in a directory that
//! becomes read-only, with the configuration files that come with it.
//!
//! `MORPION_TEST_KILLS=100` kills a hundred times instead of a few; with `--nocapture` it says what it saw. The test
//! of the clock needs libfaketime; where it is missing it says so and passes, unless `MORPION_FAKETIME=required` is
//! in the environment.

use crate::daemons::clients::{Seen, hold, look, submit_all, submit_small, undisturbed};
use crate::daemons::program::{Program, command, grids_of, units_of};
use crate::daemons::*;
use rand::RngExt;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::net::UnixDatagram;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What comes of [`jobs`] when nothing disturbs them, which is computed once.
fn expected() -> &'static [Value] {
    static EXPECTED: OnceLock<Vec<Value>> = OnceLock::new();
    EXPECTED.get_or_init(|| undisturbed(tempfile::tempdir().unwrap().path(), &jobs()))
}

#[test]
fn killed_at_any_moment_it_keeps_what_it_said_over_http() {
    let dir = tempfile::tempdir().unwrap();
    let expected = expected();
    let kills = number("MORPION_TEST_KILLS", 6);
    let state = dir.path().join("killed");
    let mut rng = morpion::core::seed::rng(SEED, &[2]);
    let mut program = Program::start(&state);
    let mut disturbed = vec![submit_all(&program, &jobs())];
    // Jobs by the number in their key.
    let mut acknowledged: BTreeMap<u64, u64> = BTreeMap::new();
    let mut seen: BTreeMap<u64, Seen> = BTreeMap::new();
    let next = [AtomicU64::new(0), AtomicU64::new(1)];
    for kill in 0..kills {
        if kill % 8 == 5 {
            disturbed.push(submit_all(&program, &jobs()));
        }
        let moment = Duration::from_millis(rng.random_range(0..500));
        let watched = disturbed.last().unwrap()[rng.random_range(0..4)];
        // Both kinds of clients go on until it is dead; what they sent last may have come through or not.
        let client = |next: &AtomicU64| {
            let mut taken = Vec::new();
            loop {
                let number = next.load(Ordering::Relaxed);
                let id = submit_small(&program, number);
                let Some(id) = id else { return (taken, number) };
                next.store(number + 2, Ordering::Relaxed);
                taken.push((number, id));
                std::thread::sleep(Duration::from_millis(10));
            }
        };
        let watch = || {
            let mut last = None;
            while let Some(now) = look(&program, watched) {
                last = Some(now);
            }
            last
        };
        let (open, last) = std::thread::scope(|scope| {
            let clients = next.each_ref().map(|next| scope.spawn(|| client(next)));
            let watch = scope.spawn(watch);
            std::thread::sleep(moment);
            program.kill();
            let mut open = Vec::new();
            for client in clients {
                let (taken, unknown) = client.join().unwrap();
                acknowledged.extend(taken);
                open.push(unknown);
            }
            (open, watch.join().unwrap())
        });
        seen.extend(last.map(|last| (watched, last)));
        program = Program::start(&state);
        for (&number, &id) in &acknowledged {
            assert_eq!(program.job(id)["seed"], number, "seed {SEED}, kill {kill}: job {id}");
        }
        // Sent again with its key, what was under way becomes one job, whether it had come through or not.
        for number in open {
            let id = submit_small(&program, number).expect("it lives");
            assert_eq!(submit_small(&program, number), Some(id), "seed {SEED}, kill {kill}");
            next[number as usize % 2].store(number + 2, Ordering::Relaxed);
            acknowledged.insert(number, id);
        }
        for (&id, (count, units, grids)) in &seen {
            // The coordinator reads its files first.
            wait_until("the units done are known again", || {
                program.job(id)["units_done"].as_u64().unwrap() >= *count
            });
            let now = done(&program.list(&units_of(id)));
            assert!(now.is_superset(units), "seed {SEED}, kill {kill}, job {id}: a unit is lost");
            let now = keys(&program.list(&grids_of(id)));
            assert!(now.is_superset(grids), "seed {SEED}, kill {kill}, job {id}: a grid is lost");
        }
    }
    for ids in &disturbed {
        hold(&program, ids, expected);
    }
    for (&number, &id) in &acknowledged {
        let job = program.wait_over(id);
        let figures = (&job["state"], &job["units_done"], &job["iterations"]);
        assert_eq!(figures, (&"finished".into(), &2.into(), &100.into()), "seed {SEED}: job {id}, number {number}");
    }
    let all = program.list("/jobs?limit=1000").len();
    assert_eq!(all, acknowledged.len() + 4 * disturbed.len(), "seed {SEED}");
    println!(
        "{kills} kills: {} jobs acknowledged, {} disturbed ones compared",
        acknowledged.len(),
        4 * disturbed.len()
    );
    program.stop();
}

/// libfaketime for programs with threads, where Debian and others put it.
fn faketime() -> Option<PathBuf> {
    const NAME: &str = "faketime/libfaketimeMT.so.1";
    let mut folders: Vec<PathBuf> = ["/usr/lib", "/usr/lib64", "/usr/local/lib"].map(PathBuf::from).into();
    folders.extend(fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path()));
    let found = folders.iter().map(|folder| folder.join(NAME)).find(|file| file.is_file());
    let required = std::env::var_os("MORPION_FAKETIME").is_some_and(|value| value == "required");
    assert!(
        found.is_some() || !required,
        "MORPION_FAKETIME=required, and there is no {NAME} (apt-get install faketime)"
    );
    if found.is_none() {
        eprintln!("NOT TESTED: there is no libfaketime, so no clock was made to jump (apt-get install faketime)");
    }
    found
}

/// A clock of the day that tests set; clocks for durations go on as they are.
struct Clock(PathBuf);

impl Clock {
    fn set(&self, days: i64) {
        let next = self.0.with_extension("next");
        fs::write(&next, format!("{days:+}d\n")).unwrap();
        fs::rename(next, &self.0).unwrap();
    }

    fn command(&self, library: &Path, state: &Path) -> Command {
        let mut command = command(state);
        command.env("LD_PRELOAD", library).env("FAKETIME_TIMESTAMP_FILE", &self.0);
        // Read at each call; and without this the clocks for durations would jump, as they never do.
        command
            .env("FAKETIME_NO_CACHE", "1")
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            .env("DONT_FAKE_MONOTONIC", "1");
        command
    }
}

const DAY: f64 = 86_400.0;

#[test]
fn a_clock_that_jumps_changes_dates_and_nothing_else() {
    let Some(library) = faketime() else { return };
    let dir = tempfile::tempdir().unwrap();
    let (counted, expected) = (&jobs()[..2], &expected()[..2]);
    let clock = Clock(dir.path().join("clock"));
    clock.set(0);
    let state = dir.path().join("state");
    let began = Instant::now();
    let program = Program::launch(&mut clock.command(&library, &state));
    let limited = |seed: u64, seconds: u64| {
        let others = json!({ "limits": { "seconds": seconds }, "priority": 10 });
        program.submit(&request(&endless(seed), &others))
    };
    let long = limited(1, 2);
    wait_until("it runs", || program.job(long)["seconds"].as_f64() > Some(0.2));
    clock.set(400);
    let ids = submit_all(&program, counted);
    let ahead = limited(2, 1);
    wait_until("it goes on", || {
        program.job(long)["seconds"].as_f64() > Some(1.0) || program.job(long)["state"] == "finished"
    });
    clock.set(-400);
    let behind = limited(3, 1);
    for (id, seconds) in [(long, 2.0), (ahead, 1.0), (behind, 1.0)] {
        let job = program.wait_over(id);
        assert_eq!((&job["state"], &job["reason"]), (&"finished".into(), &"time".into()), "{job}");
        let ran = job["seconds"].as_f64().unwrap();
        assert!(seconds <= ran && ran <= began.elapsed().as_secs_f64(), "{job}");
        assert!(job["iterations"].as_u64() > Some(0), "{job}");
        for unit in program.list(&units_of(id)) {
            assert_eq!((&unit["attempts"], &unit["error"]), (&1.into(), &Value::Null), "a lease ran out: {unit}");
        }
    }
    hold(&program, &ids, expected);
    // The clock did jump.
    let (first, last) = (program.job(ahead), program.job(behind));
    let between = last["submitted"].as_f64().unwrap() - first["submitted"].as_f64().unwrap();
    assert!((between + 800.0 * DAY).abs() < DAY, "{between} s");
    let health = program.get("/health");
    assert_eq!(health["status"], "ok");
    assert!(health["uptime"].as_f64().unwrap() <= began.elapsed().as_secs_f64(), "{health}");
    let events = program.list("/jobs?limit=1000");
    program.kill();
    // Killed, and begun again years later.
    clock.set(2000);
    let program = Program::launch(&mut clock.command(&library, &state));
    assert_eq!(program.list("/jobs?limit=1000"), events);
    let id = program.submit(&request(&small(9), &json!({})));
    assert_eq!(program.wait_over(id)["units_done"], 2);
    hold(&program, &ids, expected);
    program.stop();
}

/// Permissions of all directories below a path.
fn permit(path: &Path, mode: u32) {
    // A directory is entered before it is closed, and opened before it is entered.
    fs::set_permissions(path, fs::Permissions::from_mode(mode | 0o500)).unwrap();
    for entry in fs::read_dir(path).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
        permit(&entry.path(), mode);
    }
}

#[test]
fn a_directory_in_which_nothing_may_be_made_is_reported_and_survived() {
    const NOBODY: u32 = 65_534;
    let dir = tempfile::tempdir().unwrap();
    let (counted, expected) = (&jobs()[..2], &expected()[..2]);
    let state = dir.path().join("state");
    fs::create_dir(&state).unwrap();
    let mut start = command(&state);
    // Permissions are nothing to root.
    if fs::metadata(&state).unwrap().uid() == 0 {
        let program = dir.path().join("morpion");
        // By a program of its own: a file that is open for writing here would be so in every process that another test
        // starts at that moment, and could not be run.
        let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_morpion")).arg(&program).status();
        assert!(copied.is_ok_and(|status| status.success()));
        let arguments: Vec<_> = start.get_args().map(Into::into).collect::<Vec<std::ffi::OsString>>();
        start = Command::new(program);
        start.args(arguments).uid(NOBODY).gid(NOBODY);
        chown(&state, Some(NOBODY), Some(NOBODY)).unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let program = Program::launch(start.current_dir("/"));
    let ids = submit_all(&program, counted);
    wait_until("units are done", || program.job(ids[0])["units_done"].as_u64() > Some(0));
    permit(&state, 0o500);
    wait_until("its health says so", || {
        let health = program.get("/health");
        let status = health["status"].as_str().unwrap();
        status.contains("cannot ") && status.contains("jobs/")
    });
    wait_until("the job says so", || {
        let job = program.job(ids[0]);
        job["state"] == "finished" || job["reason"].as_str().is_some_and(|reason| reason.contains("cannot "))
    });
    // What is there can be read, and a new job is taken into the store that is open, or refused.
    assert!(program.job(ids[0])["units_done"].as_u64() > Some(0));
    let sent = serde_json::to_value(request(&small(1), &json!({}))).unwrap();
    let (status, job) = program.ask("POST", "/jobs", None, Some(&sent)).expect("it lives");
    assert!([201, 503].contains(&status), "{status} {job}");
    permit(&state, 0o700);
    hold(&program, &ids, expected);
    if status == 201 {
        assert_eq!(program.wait_over(job["id"].as_u64().unwrap())["state"], "finished");
    }
    wait_until("its health is good", || program.get("/health")["status"] == "ok");
    program.stop();
}

#[test]
fn the_configurations_of_the_daemon_and_of_jobs_are_taken() {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let dir = tempfile::tempdir().unwrap();
    let mut start = Command::new(env!("CARGO_BIN_EXE_morpion"));
    // Only the port is another one, which flags may say.
    start.args(["daemon", "--listen", "127.0.0.1:0", "--config"]).arg(configs.join("service/daemon.toml"));
    let program = Program::launch(start.current_dir(dir.path()));
    assert!(dir.path().join("morpion-state/morpion.redb").is_file(), "the state is where the file says");
    let mut tried = 0;
    for entry in fs::read_dir(configs.join("jobs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let file: toml::Table = fs::read_to_string(&path).unwrap().parse().unwrap();
            let output = program.morpion(&["job", "submit", path.to_str().unwrap(), "--json"]);
            assert!(output.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&output.stderr));
            let job: Value = serde_json::from_slice(&output.stdout).unwrap();
            for name in ["kind", "name", "priority", "weight"] {
                if let Some(value) = file.get(name) {
                    assert_eq!(job[name], serde_json::to_value(value).unwrap(), "{}: {name}", path.display());
                }
            }
            for table in ["settings", "limits"] {
                for (name, value) in file.get(table).and_then(toml::Value::as_table).into_iter().flatten() {
                    let taken = &job[table][name];
                    // A list becomes a text.
                    let same = value.is_array() || *taken == serde_json::to_value(value).unwrap();
                    assert!(same && !taken.is_null(), "{}: {table}.{name} is {taken}", path.display());
                }
            }
            program.order(&format!("/jobs/{}/cancel", job["id"]));
            tried += 1;
        }
    }
    assert!(tried >= 2, "{tried}");
    program.stop();
}

/// Runs `work` often at once.
fn at_once(count: usize, work: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        for _ in 0..count {
            scope.spawn(&work);
        }
    });
}

/// A coordinator that hangs in the file system: the log of the hunt is a pipe, which never ends.
#[test]
fn a_job_that_does_not_stop_keeps_nobody_waiting() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path().join("state");
    let daemon = Program::start(&state);
    let id = daemon.submit(&request(&json!({ "strategy": "nrpa", "level": 6, "seed": 1 }), &json!({})));
    wait_until("it has a score", || daemon.job(id)["best"].as_u64().is_some());
    assert_eq!(daemon.order(&format!("/jobs/{id}/pause"))["state"], "paused");
    daemon.stop();
    let log = state.join("jobs").join(id.to_string()).join("events.jsonl");
    let whole = std::fs::read(&log).unwrap();
    std::fs::remove_file(&log).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&log).status().unwrap().success());
    let daemon = Program::start(&state);
    daemon.order(&format!("/jobs/{id}/resume"));
    let path = format!("/jobs/{id}/pause");
    let (status, pausing) = daemon.ask("POST", &path, None, None).expect("an answer");
    assert_eq!((status, &pausing["state"], &pausing["pending"]), (202, &json!("paused"), &json!("pausing")));
    // As many as there are places for requests at work, and more.
    let (accepted, busy, looks) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let path = format!("/jobs/{id}/cancel");
    std::thread::scope(|scope| {
        let crowd = scope.spawn(|| {
            at_once(80, || match daemon.ask("POST", &path, None, None).expect("an answer") {
                (202, job) => {
                    assert_eq!(job["pending"], "cancelling");
                    accepted.fetch_add(1, Ordering::Relaxed);
                }
                (status, _) => {
                    assert_eq!(status, 503);
                    busy.fetch_add(1, Ordering::Relaxed);
                }
            });
        });
        while !crowd.is_finished() {
            assert_eq!(daemon.get("/health")["v"], 1);
            looks.fetch_add(1, Ordering::Relaxed);
        }
    });
    println!("{accepted:?} accepted, {busy:?} refused, the health was asked {looks:?} times in the meantime");
    assert!(accepted.into_inner() > 0 && looks.into_inner() > 1);
    assert_eq!(daemon.ask("POST", &format!("/jobs/{id}/resume"), None, None).expect("an answer").0, 409);
    // A cancelled job does not begin again with the daemon.
    daemon.kill();
    std::fs::remove_file(&log).unwrap();
    std::fs::write(&log, whole).unwrap();
    let daemon = Program::start(&state);
    let job = daemon.job(id);
    assert_eq!((&job["state"], &job["pending"]), (&json!("cancelled"), &serde_json::Value::Null), "{job}");
    assert_eq!(daemon.ask("DELETE", &format!("/jobs/{id}"), None, None).expect("an answer").0, 204);
}

#[test]
fn a_lack_of_descriptors_is_said_once_and_overcome() {
    use std::net::TcpStream;
    let directory = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "ulimit -n 60; exec \"$0\" daemon --listen 127.0.0.1:0 --threads 1 --state \"$1\""]);
    command.arg(env!("CARGO_BIN_EXE_morpion")).arg(directory.path().join("state"));
    let daemon = Program::launch(&mut command);
    let address = daemon.url.strip_prefix("http://").unwrap().to_owned();
    let mut crowd = Vec::new();
    let complaints = || daemon.said().lines().filter(|line| line.contains("accepted")).count();
    // Those that wait are accepted one by one, as others go.
    for (round, more) in [70, 20, 20].into_iter().enumerate() {
        crowd.extend((0..more).map(|_| TcpStream::connect(&address).expect("the system takes it")));
        assert_eq!(daemon.get("/health")["v"], 1, "round {round}");
        // Lines are written by a thread of their own.
        wait_until("it is said", || complaints() > 0);
        std::thread::sleep(std::time::Duration::from_millis(400));
    }
    assert_eq!(complaints(), 1, "{}", daemon.said());
    drop(crowd);
    wait_until("it is said to be over", || daemon.said().contains("connections are accepted again"));
    assert_eq!(complaints(), 2, "{}", daemon.said());
}

/// The daemon's command in a shell that limits its address space to so many KiB.
fn limited(state: &Path, kibibytes: u32) -> Command {
    let whole = command(state);
    let mut limited = Command::new("sh");
    limited.args(["-c", &format!("ulimit -v {kibibytes}; exec \"$0\" \"$@\"")]);
    limited.arg(whole.get_program()).args(whole.get_args());
    limited
}

/// With too little memory it says so, or ends as by a kill: it does not panic, and what it acknowledged is there when
/// it gets more.
#[test]
fn too_little_memory_is_an_error_and_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut acknowledged = Vec::new();
    let mut refused = 0;
    // Between 200 and 260 MB the first threads fit and the last ones do not.
    let some = [25_000, 30_000, 35_000, 45_000, 60_000, 80_000, 120_000, 160_000];
    for kibibytes in some.into_iter().chain((200_000..=260_000).step_by(3_000)) {
        match Program::try_launch(&mut limited(dir.path(), kibibytes)) {
            Ok(mut program) => {
                // Without memory for another thread a request may wait for ever.
                program.answers_within(Duration::from_secs(2));
                let number = u64::from(kibibytes);
                acknowledged.extend(submit_small(&program, number).map(|id| (number, id)));
                std::thread::sleep(Duration::from_millis(200));
                program.kill();
            }
            Err((status, said)) => {
                refused += 1;
                assert_ne!(status.code(), Some(101), "{kibibytes} KiB: {said}");
                assert_ne!(status.signal(), Some(9), "{kibibytes} KiB: it neither runs nor ends: {said}");
            }
        }
    }
    assert!(refused > 0 && !acknowledged.is_empty(), "{refused} refused, {acknowledged:?} acknowledged");
    let program = Program::start(dir.path());
    for (number, id) in acknowledged {
        assert_eq!(program.wait_over(id)["units_done"], 2, "job {id}");
        assert_eq!(submit_small(&program, number), Some(id), "job {id} sent again");
    }
    program.stop();
}

#[test]
fn a_backup_that_is_made_while_jobs_run_is_a_state_from_which_they_end_as_ever() {
    let dir = tempfile::tempdir().unwrap();
    let expected = expected();
    let mut rng = morpion::core::seed::rng(SEED, &[7]);
    let live = Program::start(&dir.path().join("live"));
    let ids = submit_all(&live, &jobs());
    let solution = json!({ "kind": "solve", "settings": { "game": "reversi", "size": "4" } });
    let solved = live.submit(&solution);
    // It takes a while to copy the folder of the first job, file by file; those of the others come after it.
    let first = dir.path().join(format!("live/jobs/{}", ids[0]));
    wait_until("it has a folder", || first.is_dir());
    (0..300).for_each(|n| fs::write(first.join(format!("more-{n}")), "").unwrap());
    let mut folders = Vec::new();
    for _ in 0..number("MORPION_TEST_BACKUPS", 2) {
        std::thread::sleep(Duration::from_millis(rng.random_range(0..500)));
        let output = live.morpion(&["backup"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        assert!(said.contains("5 jobs"), "{said}");
        folders.push(PathBuf::from(String::from_utf8(output.stdout).unwrap().trim_end()));
    }
    let listed = String::from_utf8(live.morpion(&["backup", "--list"]).stdout).unwrap();
    assert_eq!(listed.lines().count(), folders.len(), "{listed}");
    live.kill();
    for folder in &folders {
        assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
        let restored = Program::start(folder);
        hold(&restored, &ids, expected);
        assert_eq!(restored.wait_over(solved)["solution"]["settled"], true, "seed {SEED}");
        restored.stop();
    }
    // Of two more only the last one stays.
    let again = Program::start(&dir.path().join("live"));
    let output = again.morpion(&["backup", "--keep", "1", "--json"]);
    let made: Value = serde_json::from_slice(&output.stdout).unwrap();
    let left: Vec<String> = fs::read_dir(dir.path().join("live/backups"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(left, [made["name"].as_str().unwrap()]);
    assert_eq!(again.send_refused("POST", "/backups", &json!({ "keep": 0 })), 422);
    again.stop();
}

#[test]
fn the_log_tells_of_jobs_changes_and_tokens() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().to_str().unwrap();
    let made = Command::new(env!("CARGO_BIN_EXE_morpion"))
        .args(["token", "create", "laptop", "--role", "read", "--state", state])
        .output()
        .unwrap();
    let secret = String::from_utf8(made.stdout).unwrap().trim().to_owned();
    let program = Program::start(dir.path());
    let id = program.submit(&request(&small(1), &json!({ "name": "night" })));
    program.wait_over(id);
    assert_eq!(
        program.send_refused("POST", "/jobs", &json!({ "kind": "hunt", "settings": { "variant": "6T" } })),
        422
    );
    for line in [
        "info  POST /api/v1/jobs from 127.0.0.1: 201 Created",
        "info  job 1 is submitted: night",
        "info  job 1 is running",
        "info  job 1 is finished: finished",
        "info  POST /api/v1/jobs from 127.0.0.1: 422 Unprocessable Entity: ",
    ] {
        // Lines are written by a thread of their own.
        wait_until(line, || program.said().lines().any(|said| said.contains(line)));
    }
    let said = program.said();
    assert!(!said.contains("GET "), "reading is told at the level debug only: {said}");
    let (status, said) = program.end();
    assert!(status.success() && said.trim_end().ends_with("the daemon has ended"), "{said}");

    // Where tokens are needed, the log tells who used one.
    let open = Program::launch(command(dir.path()).args(["--listen", "0.0.0.0:0"]));
    let port = open.url.rsplit_once(':').unwrap().1;
    let url = format!("http://127.0.0.1:{port}/api/v1/jobs");
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).proxy(None).build().into();
    for _ in 0..2 {
        let answer = agent.get(&url).header("authorization", format!("Bearer {secret}")).call().unwrap();
        assert_eq!(answer.status(), 200);
        assert_eq!(agent.get(&url).call().unwrap().status(), 401);
    }
    let (_, said) = open.end();
    let told = |text: &str| said.lines().filter(|line| line.contains(text)).count();
    assert_eq!(told("info  first use of the token laptop (read): 127.0.0.1, token laptop ("), 1, "{said}");
    assert_eq!(told("warn  GET /api/v1/jobs from 127.0.0.1 is refused: 401: a token is needed"), 1, "{said}");
    assert!(!said.contains(&secret), "a secret is in the log: {said}");
}

#[test]
fn systemd_is_told_and_the_log_can_be_json() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    manager.set_read_timeout(Some(PATIENCE)).unwrap();
    let heard = || {
        let mut bytes = [0; 4096];
        let length = manager.recv(&mut bytes).expect("a message");
        String::from_utf8(bytes[..length].to_vec()).unwrap()
    };
    let mut command = command(&dir.path().join("state"));
    command.args(["--log-format", "json", "--log-level", "debug"]);
    command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "200000").env_remove("WATCHDOG_PID");
    let mut process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let ready = heard();
    assert!(ready.contains("READY=1\n") && ready.contains("STATUS=jobs: 0 running, 0 queued, 0 paused"), "{ready}");
    for _ in 0..2 {
        assert!(heard().contains("WATCHDOG=1\n"));
    }
    assert!(Command::new("kill").arg("-TERM").arg(process.id().to_string()).status().unwrap().success());
    let end = (0..1000).map(|_| heard()).find(|message| !message.contains("WATCHDOG=1"));
    assert!(end.is_some_and(|message| message.contains("STOPPING=1")));
    let mut said = String::new();
    process.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(process.wait().unwrap().success(), "{said}");
    let lines: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let runs =
        lines.iter().find(|line| line["message"].as_str().is_some_and(|text| text.contains("the daemon runs in")));
    let runs = runs.unwrap_or_else(|| panic!("{said}"));
    assert_eq!(runs["level"], "INFO");
    assert!(runs["address"].as_str().unwrap().starts_with("127.0.0.1:"), "{runs}");
    assert!(runs["timestamp"].as_str().unwrap().ends_with('Z'), "{runs}");
}

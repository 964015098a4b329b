//! A hunt that is stopped or killed goes on as if nothing had happened.

use crate::hunts::*;
use crate::killed_and_resumed;
use serde_json::Value;
use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Fixed, so that a failure can be repeated as far as the clock allows.
const SEED: u64 = 20_260;

const UNITS: &str = "--main-depth 2 --max-iterations 400k --jumps-back 50k:best/2,170k:10 --seed 5 --json";

/// The units of a hunt as `morpion state --units` lists them.
fn units(dir: &Path, name: &str) -> Vec<Value> {
    lines(&succeed(dir, &format!("state {name} --units")))
}

#[test]
fn killed_at_any_moment_it_does_every_unit_once() {
    let dir = temporary();
    let whole = succeed(dir.path(), &format!("--threads 3 {UNITS} --dir whole"));
    let expected = outcomes(&whole);
    assert!(expected.len() > 50, "{}", expected.len());

    let mut rng = morpion::core::seed::rng(SEED, &[]);
    let (told, kills) = killed_and_resumed(dir.path(), &format!("--threads 3 {UNITS}"), &mut rng, 150, 15);
    assert!(kills >= 3, "the hunt was over after {kills} kills");

    let told = outcomes(&told);
    // A unit may be journalled and the program killed before it says so: one per kill at most, since the main thread
    // tells of one before it journals the next.
    assert!(expected.len() - told.len() <= kills, "seed {SEED}: {} of {} units", told.len(), expected.len());
    for (id, outcome) in &told {
        assert_eq!(Some(outcome), expected.get(id), "seed {SEED}: unit {id}");
    }
    let listed = units(dir.path(), "whole");
    assert_eq!(units(dir.path(), "killed").len(), listed.len(), "seed {SEED}");
    for (unit, expected) in units(dir.path(), "killed").iter().zip(&listed) {
        assert_eq!(unit, expected, "seed {SEED}");
    }
    assert!(units(dir.path(), "killed").iter().all(|unit| unit["done"] == true), "seed {SEED}");
    let last = |name: &str| events(&dir.path().join(name)).last().unwrap().clone();
    for field in ["event", "reason", "score", "iterations", "units"] {
        assert_eq!(last("killed")[field], last("whole")[field], "seed {SEED}: {field}");
    }
    // Every best is in the log once and has its file, whatever moment the kill came at.
    let scores: Vec<u64> = events(&dir.path().join("killed"))
        .iter()
        .filter(|e| is(e, "best"))
        .filter_map(|e| e["score"].as_u64())
        .collect();
    assert!(scores.is_sorted_by(|a, b| a < b), "seed {SEED}: {scores:?}");
    assert!(dir.path().join(format!("killed/{}.txt", scores.last().unwrap())).exists());
}

#[test]
fn interrupted_it_stops_saves_and_says_how_to_go_on() {
    let dir = temporary();
    let limits = "--threads 2 --max-iterations 100k --seed 5 --runs 3 --strategy random";
    let whole = outcomes(&succeed(dir.path(), &format!("{limits} --json --dir whole")));
    let child = morpion(dir.path(), &format!("{limits} --json --dir cut")).spawn().unwrap();
    let events_file = dir.path().join("cut/events.jsonl");
    wait_until("something was found", || fs::read_to_string(&events_file).is_ok_and(|t| t.contains("\"best\"")));
    signal(&child, "INT");
    let cut = wait(child);
    assert_eq!(cut.status.code(), Some(0), "{}", text(&cut.stderr));
    assert!(text(&cut.stderr).contains("resume it with `morpion resume cut`"), "{}", text(&cut.stderr));
    let stop = events(&dir.path().join("cut")).last().unwrap().clone();
    assert_eq!((&stop["event"], &stop["reason"]), (&"stop".into(), &"interrupted".into()));
    let state = succeed(dir.path(), "state cut");
    assert!(state.contains("begun       1\n"), "{state}");

    let child = morpion(dir.path(), "resume cut --json").spawn().unwrap();
    wait_until("it goes on", || fs::read_to_string(&events_file).is_ok_and(|t| t.contains("\"resume\"")));
    signal(&child, "TERM");
    let again = wait(child);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    let rest = succeed(dir.path(), "resume cut --json");
    let told = text(&cut.stdout) + &text(&again.stdout) + &rest;
    assert_eq!(outcomes(&told), whole);
}

#[test]
fn a_damaged_or_newer_state_is_reported_and_left_alone() {
    let dir = temporary();
    succeed(dir.path(), "--threads 2 --main-depth 2 --max-iterations 100 --seed 1 --quiet --target 20 --dir hunt");
    let hunt = dir.path().join("hunt");
    let state = hunt.join("hunt.state");
    let good = fs::read(&state).unwrap();
    let journal = contents(&hunt).into_keys().find(|path| path.extension().is_some_and(|e| e == "journal")).unwrap();
    let good_journal = fs::read(&journal).unwrap();

    let changed = |bytes: &[u8], at: usize, to: u8| {
        let mut bytes = bytes.to_vec();
        bytes[at] = to;
        bytes
    };
    let bad_states = [
        (changed(&good, good.len() / 2, good[good.len() / 2] ^ 1), "hunt.state is damaged: its checksum"),
        (good[..good.len() - 1].to_vec(), "hunt.state is damaged: it holds"),
        (changed(&good, 0, b'X'), "hunt.state is damaged: it is not the state of a hunt"),
        (Vec::new(), "hunt.state is damaged: it is too short"),
        (changed(&good, 8, 99), "hunt.state has format version 99, but this program reads up to 4"),
    ];
    for (bytes, expected) in bad_states {
        fs::write(&state, bytes).unwrap();
        let before = contents(&hunt);
        for command in ["resume hunt", "state hunt"] {
            refuse(dir.path(), command, expected);
        }
        refuse(dir.path(), "--dir hunt", "already holds a hunt");
        assert_eq!(contents(&hunt), before, "{expected}");
    }
    fs::write(&state, &good).unwrap();
    let bad_journals = [
        (changed(&good_journal, 9, 1), "format version"),
        (good_journal[..10].to_vec(), "is damaged: it is too short"),
    ];
    for (bytes, expected) in bad_journals {
        fs::write(&journal, bytes).unwrap();
        let before = contents(&hunt);
        refuse(dir.path(), "resume hunt --target none", expected);
        assert_eq!(contents(&hunt), before, "{expected}");
    }
    // A record that a crash tore is no damage.
    fs::write(&journal, [&good_journal[..], &[200, 0, 0, 0, 1, 2, 3, 4, 5]].concat()).unwrap();
    let output = run(dir.path(), "resume hunt --target none --quiet");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
}

#[test]
fn what_a_power_cut_or_a_flipped_bit_leaves_is_told_kept_and_gone_on_with() {
    let dir = temporary();
    let hunt = dir.path().join("hunt");
    let flip = |path: &Path, at: usize| {
        let mut bytes = fs::read(path).unwrap();
        bytes[at] ^= 1;
        fs::write(path, bytes).unwrap();
    };
    let journal =
        || contents(&hunt).into_keys().find(|path| path.extension().is_some_and(|e| e == "journal")).unwrap();
    let damages: [(&dyn Fn(), &str, &str); 5] = [
        (
            &|| {
                let path = journal();
                fs::write(&path, [fs::read(&path).unwrap(), vec![3, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7]].concat()).unwrap();
            },
            "as after a power cut: the record at byte 24 does not match its checksum",
            ".journal.damaged-1",
        ),
        (&|| fs::remove_file(journal()).unwrap(), "was missing: the hunt continues from the checkpoint", ""),
        (&|| flip(&hunt.join("events.jsonl"), 1), "events.jsonl:1: not an event", "events.jsonl.damaged-1"),
        (&|| flip(&hunt.join("archive/grids.bin"), 400), "grids.bin was damaged", "archive/grids.bin.damaged-1"),
        (&|| fs::remove_file(hunt.join("archive/grids.bin")).unwrap(), "grids.bin is missing, with the", ""),
    ];
    let whole = "--threads 2 --strategy random --variant 4D --max-iterations 20 --seed 3 --keep-from 1 --quiet";
    for (number, (damage, told, kept)) in damages.into_iter().enumerate() {
        let _ = fs::remove_dir_all(&hunt);
        succeed(dir.path(), &format!("{whole} --runs 3 --dir hunt"));
        damage();
        let output = run(dir.path(), "resume hunt --quiet");
        let message = text(&output.stderr);
        assert!(output.status.success() && message.contains(told), "{number}: {message}");
        let files = [contents(&hunt), contents(&hunt.join("archive"))];
        let is_kept = files.iter().flatten().any(|(path, _)| path.to_str().unwrap().ends_with(kept));
        assert!(is_kept, "{number}: {message}");
        for command in ["stats hunt", "state hunt", "archive hunt"] {
            let output = run(dir.path(), command);
            assert!(output.status.success(), "{number}: {command}: {}", text(&output.stderr));
        }
    }
}

#[test]
fn time_and_target_count_over_sessions() {
    let dir = temporary();
    succeed(dir.path(), "--threads 2 --strategy random --time 0.3s --quiet --seed 1 --dir hunt");
    refuse(dir.path(), "resume hunt", "give it more by --time");
    succeed(dir.path(), "resume hunt --time 3s --quiet");
    let stops: Vec<Value> = events(&dir.path().join("hunt")).into_iter().filter(|e| is(e, "stop")).collect();
    assert_eq!(stops.len(), 2);
    assert!(stops.iter().all(|stop| stop["reason"] == "time"));
    assert!(stops[0]["seconds"].as_f64().unwrap() < stops[1]["seconds"].as_f64().unwrap());
    let score = stops[1]["score"].as_u64().unwrap();
    succeed(dir.path(), &format!("resume hunt --time none --target {score} --quiet"));
    assert_eq!(events(&dir.path().join("hunt")).last().unwrap()["reason"], "target");
}

#[test]
fn two_processes_do_not_hunt_in_one_directory() {
    let dir = temporary();
    let child = morpion(dir.path(), "--threads 2 --quiet --dir hunt").spawn().unwrap();
    wait_until("the hunt has a state", || dir.path().join("hunt/hunt.state").exists());
    refuse(dir.path(), "resume hunt", "another process is hunting in hunt");
    refuse(dir.path(), "--dir hunt", "already holds a hunt");
    succeed(dir.path(), "state hunt");
    signal(&child, "TERM");
    assert!(wait(child).status.success());
}

#[test]
fn a_full_disk_stops_the_hunt_and_leaves_the_last_good_state() {
    let dir = temporary();
    // No file may grow beyond some kilobytes: the journal of many small units soon does.
    let script = format!(
        "trap '' XFSZ; ulimit -f 8; exec '{}' --threads 2 --main-depth 3 --max-iterations 10 --seed 3 --quiet \
         --checkpoint 10s --dir hunt",
        env!("CARGO_BIN_EXE_morpion")
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(dir.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("cannot write hunt/") && message.contains("morpion resume hunt"), "{message}");
    succeed(dir.path(), "state hunt");
    succeed(dir.path(), "resume hunt --quiet");
    succeed(dir.path(), "--threads 2 --main-depth 3 --max-iterations 10 --seed 3 --quiet --dir whole");
    assert_eq!(units(dir.path(), "hunt"), units(dir.path(), "whole"));
    let file = File::open(dir.path().join("hunt/events.jsonl")).unwrap();
    assert!(file.metadata().unwrap().len() > 0);
    let last = |name: &str| events(&dir.path().join(name)).last().unwrap().clone();
    for field in ["event", "reason", "score", "iterations", "units"] {
        assert_eq!(last("hunt")[field], last("whole")[field], "{field}");
    }
}

#[test]
fn a_run_goes_on_from_its_last_checkpoint_not_from_its_beginning() {
    let dir = temporary();
    for (name, strategy) in [
        ("nrpa", "--strategy nrpa --level 3 --iterations 40"),
        ("nmcs", "--strategy nmcs --level 3 --max-iterations 500k"),
        ("perturb", "--strategy perturb --level 2 --patience 80k"),
        ("permute", "--strategy permute --patience 150k"),
        ("temper", "--strategy temper --patience 150k"),
    ] {
        let run = format!("{strategy} --variant 4D --threads 2 --runs 1 --seed 8 --json --dir");
        let whole = outcomes(&succeed(dir.path(), &format!("{run} {name}-whole")));
        // On a busy machine a run can be over before it is seen that it has begun.
        let killed = (0..5).find_map(|attempt| {
            let name = format!("{name}-{attempt}");
            let command = format!("{run} {name} --checkpoint 0.05s");
            let mut child = morpion(dir.path(), &command).stdout(Stdio::null()).spawn().unwrap();
            let begun = || {
                let state = morpion(dir.path(), &format!("state {name}")).output().expect("the program can be run");
                let state = text(&state.stdout);
                let line = state.lines().find(|line| line.starts_with("iterations"))?.to_owned();
                line.split(' ').rev().nth(3)?.parse::<u64>().ok()
            };
            let mut is_over = false;
            wait_until("a checkpoint has iterations of the run", || {
                is_over = child.try_wait().is_ok_and(|ended| ended.is_some());
                is_over || begun().unwrap_or(0) > 0
            });
            if is_over || child.try_wait().unwrap().is_some() {
                return None;
            }
            signal(&child, "KILL");
            child.wait().unwrap();
            let saved = begun().unwrap();
            (saved > 0).then_some((name, saved))
        });
        let (name, saved) = killed.unwrap_or_else(|| panic!("{name}: each run was over before its first checkpoint"));
        assert_eq!(outcomes(&succeed(dir.path(), &format!("resume {name} --json"))), whole, "{name}");
        let resumed = events(&dir.path().join(&name)).into_iter().find(|event| is(event, "resume")).unwrap();
        assert_eq!(resumed["iterations"], saved, "{name}");
    }
}

#[test]
fn a_hangup_stops_a_hunt_unless_it_was_started_to_ignore_it() {
    let dir = temporary();
    for (trap, stops) in [("", true), ("trap '' HUP;", false)] {
        if stops && hangups_are_ignored() {
            eprintln!("the tests themselves were started so that hangups are ignored");
            continue;
        }
        let name = if stops { "plain" } else { "nohup" };
        let script = format!("{trap} exec '{}' --threads 2 --dir {name}", env!("CARGO_BIN_EXE_morpion"));
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &script]).current_dir(dir.path()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let log = dir.path().join(name).join("running_threads.txt");
        wait_until("it hunts", || log.exists());
        signal(&child, "HUP");
        if !stops {
            std::thread::sleep(Duration::from_millis(300));
            assert!(child.try_wait().unwrap().is_none(), "it hunts on");
            signal(&child, "TERM");
        }
        assert_eq!(wait(child).status.code(), Some(0), "{name}");
        assert_eq!(events(&dir.path().join(name)).last().unwrap()["reason"], "interrupted", "{name}");
    }
}

/// Whether this process ignores hangups: its children then do too, and a shell cannot take that back.
fn hangups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 != 0)
}

//! The archive of good grids, what a hunt says of a new best, and the statistics of a hunt.

use crate::hunts::*;
use rand::RngExt;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

/// Fixed, so that a failure can be repeated as far as the clock allows.
const SEED: u64 = 20_261;

/// A grid that comes with the program.
fn record(stem: &str) -> String {
    grids().join(format!("{stem}.txt")).display().to_string()
}

fn grids() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("grids")
}

fn json(dir: &Path, arguments: &str) -> Value {
    serde_json::from_str(&succeed(dir, arguments)).expect("JSON")
}

/// The grids of an archive as `--json` lists them.
fn listed(dir: &Path, arguments: &str) -> Vec<Value> {
    json(dir, &format!("archive {arguments} --json"))["results"].as_array().expect("a list").clone()
}

fn keys(grids: &[Value]) -> BTreeSet<String> {
    grids.iter().map(|grid| grid["key"].as_str().expect("a key").to_owned()).collect()
}

#[test]
fn killed_at_any_moment_a_hunt_keeps_the_grids_and_counts_of_an_uninterrupted_one() {
    let dir = temporary();
    let flags = "--strategy nrpa --variant 4T --level 2 --iterations 60 --runs 24 --seed 9 --keep-from 50 --quiet";
    succeed(dir.path(), &format!("--threads 2 {flags} --dir whole"));
    let whole = listed(dir.path(), "whole");
    assert!(whole.len() > 20, "{} grids", whole.len());
    assert!(whole.iter().all(|grid| grid["score"].as_u64().unwrap() >= 50));
    assert_eq!(keys(&whole).len(), whole.len(), "each once");

    let mut rng = morpion::core::seed::rng(SEED, &[]);
    let session =
        |arguments: &str| morpion(dir.path(), arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut child = session(&format!("--threads 3 {flags} --dir killed --checkpoint 0.05s"));
    wait_until("the hunt has a state", || dir.path().join("killed/hunt.state").exists());
    let mut kills = 0;
    loop {
        std::thread::sleep(Duration::from_millis(rng.random_range(0..120)));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        signal(&child, "KILL");
        child.wait().unwrap();
        kills += 1;
        // Whatever the moment, what is there can be listed.
        if dir.path().join("killed/archive/grids.bin").exists() {
            assert!(keys(&listed(dir.path(), "killed")).is_subset(&keys(&whole)), "seed {SEED} kill {kills}");
        }
        child = session("resume killed --quiet --checkpoint 0.05s");
        if kills == 12 {
            assert!(wait(child).status.success());
            break;
        }
    }
    assert!(kills >= 2, "the hunt was over after {kills} kills");
    let killed = listed(dir.path(), "killed");
    assert_eq!(keys(&killed), keys(&whole), "seed {SEED}, {kills} kills");
    assert_eq!(killed.len(), whole.len(), "seed {SEED}: each once");
    let stats = |name: &str| json(dir.path(), &format!("stats {name} --json"))["results"][0].clone();
    let (a, b) = (stats("whole"), stats("killed"));
    for field in ["levels", "units", "best", "iterations", "units_done", "units_running"] {
        assert_eq!(a[field], b[field], "seed {SEED}: {field}");
    }
    let total = |level: usize| -> u64 {
        a["levels"][level].as_array().unwrap().iter().map(|pair| pair[1].as_u64().unwrap()).sum()
    };
    assert_eq!([total(0), total(1), total(2)], [24 * 60 * 60, 24 * 60, 24]);
}

#[test]
fn a_stopped_hunt_tells_of_its_running_units_and_goes_on_with_them() {
    let dir = temporary();
    let flags = "--strategy nrpa --variant 4D --threads 2 --level 3 --iterations 70 --runs 1 --seed 4 --quiet";
    succeed(dir.path(), &format!("{flags} --dir whole"));
    let child = morpion(dir.path(), &format!("{flags} --dir cut")).spawn().unwrap();
    let log = dir.path().join("cut/events.jsonl");
    wait_until("something was found", || fs::read_to_string(&log).is_ok_and(|text| text.contains("\"best\"")));
    signal(&child, "INT");
    assert!(wait(child).status.success());
    let cut = json(dir.path(), "stats cut --json")["results"][0].clone();
    let games: u64 = cut["levels"][0].as_array().unwrap().iter().map(|pair| pair[1].as_u64().unwrap()).sum();
    assert_eq!(Some(games), cut["iterations"].as_u64());
    assert!(games < 70 * 70 * 70 && cut["units_running"] == 1, "{games}");
    succeed(dir.path(), "resume cut --quiet");
    let stats = |name: &str| json(dir.path(), &format!("stats {name} --json"))["results"][0].clone();
    for field in ["levels", "units", "best", "iterations"] {
        assert_eq!(stats("cut")[field], stats("whole")[field], "{field}");
    }
}

#[test]
fn a_hunt_says_which_bests_are_known_and_keeps_the_grids_around_them() {
    let dir = temporary();
    let hunt = format!(
        "--init-file {} 160 --threads 2 --main-depth 2 --jumps-back no --stall-table /dev/null --keep-from 165 --dir hunt",
        record("5T-178-rosin")
    );
    let out = succeed(dir.path(), &hunt);
    assert!(out.contains("best 178") && out.contains("the known record "), "{out}");
    let best = events(&dir.path().join("hunt")).into_iter().rfind(|event| is(event, "best")).unwrap();
    assert_eq!((&best["score"], &best["new"]), (&178.into(), &false.into()));
    let name = best["record"].as_str().unwrap().to_owned();
    let grids = listed(dir.path(), "hunt");
    let known: Vec<&Value> = grids.iter().filter(|grid| !grid["record"].is_null()).collect();
    assert_eq!(known.len(), 1, "{known:?}");
    assert_eq!((&known[0]["score"], &known[0]["record"]), (&178.into(), &name.as_str().into()));
    assert_eq!(known[0]["new"], false);
    // Another grid of 178 moves, with one other line, and shorter ones; none is part of another, since all are
    // finished.
    let new = listed(dir.path(), "hunt --new");
    assert_eq!(new.len() + 1, grids.len());
    assert!(new.len() > 1 && new[0]["score"] == 178 && new[0]["nearest"]["common_lines"] == 177, "{new:?}");
    let text = succeed(dir.path(), "archive hunt");
    assert!(text.contains(&format!("the known record {name}")), "{text}");

    let id = known[0]["id"].as_str().unwrap();
    succeed(dir.path(), &format!("archive hunt --id {id} --export best.msr"));
    succeed(dir.path(), "verify best.msr");
    let identified = succeed(dir.path(), "identify best.msr");
    assert!(identified.contains("equals the record"), "{identified}");
    succeed(dir.path(), &format!("archive hunt best.msr --id {id} --export best.png"));
    assert!(fs::read(dir.path().join("best.png")).unwrap().starts_with(b"\x89PNG"));
    refuse(dir.path(), "archive hunt --limit 1 --export best.png", "best.png: the file exists, nothing was written");
    refuse(dir.path(), "archive hunt --export one.psol", "are chosen for one file");
    let out = succeed(dir.path(), "archive hunt --max 177 --limit 2 --export some --format psol");
    assert_eq!(out.lines().count(), fs::read_dir(dir.path().join("some")).unwrap().count());
    refuse(dir.path(), "archive hunt --max 177 --limit 2 --export some --format psol", "the file exists");
    refuse(dir.path(), "archive hunt --id ffff", "no grid has the id ffff");
    refuse(dir.path(), "archive hunt --id xyz", "'xyz' is not an id");
    refuse(dir.path(), "archive nowhere", "nowhere");
}

#[test]
fn grid_files_are_listed_and_compared() {
    let dir = temporary();
    let grids = grids().display().to_string();
    let all = listed(dir.path(), &grids);
    assert_eq!(all.len(), 15);
    assert!(all.iter().all(|grid| grid["record"].is_string() && grid["new"] == false && grid["time"].is_null()));
    assert_eq!(succeed(dir.path(), &format!("archive {grids} --new")), "no grids\n");
    let fours = listed(dir.path(), &format!("{grids} --variant 4T --min 60"));
    assert_eq!((fours.len(), &fours[0]["score"]), (1, &62.into()));

    let half = format!("convert {} half.msr --first 89", record("5T-178-rosin"));
    succeed(dir.path(), &half);
    assert!(succeed(dir.path(), "archive half.msr").contains("part of the record"), "a part is not new");
    let compared = json(dir.path(), "archive half.msr --compare 5T-178-rosin half.msr --json");
    assert_eq!((&compared["common_lines"], &compared["only_b"]), (&89.into(), &Value::Array(vec![])));
    assert_eq!(compared["only_a"].as_array().unwrap().len(), 89);
    assert_eq!(compared["only_a"][0]["number"], 90);
    let text = succeed(dir.path(), "archive half.msr --compare 5T-177-rosin-a 5T-177-rosin-b");
    assert!(text.contains("in common") && text.contains("only in A") && text.contains("only in B"), "{text}");
    let text = succeed(dir.path(), "archive --compare 5T-178-rosin half.msr");
    assert!(text.starts_with("A  ") && text.contains("89 lines in common"), "where no hunt has been: {text}");
    refuse(dir.path(), "archive half.msr --compare 5T-177-rosin-a nothing", "'nothing' is not an id");
    refuse(dir.path(), "archive half.msr --compare 5T-177-rosin-a 4T-62-hyyroporanen", "nothing in common");
}

#[test]
fn damaged_archives_are_reported_and_kept() {
    let dir = temporary();
    let flags = "--strategy nrpa --variant 4D --threads 2 --level 1 --runs 40 --seed 5 --quiet";
    succeed(dir.path(), &format!("{flags} --keep-from none --dir none"));
    assert!(!dir.path().join("none/archive").exists());
    succeed(dir.path(), &format!("{flags} --keep-from 20 --target 1 --dir hunt"));
    succeed(dir.path(), "resume hunt --target none --quiet");
    let path = dir.path().join("hunt/archive/grids.bin");
    let good = fs::read(&path).unwrap();
    let before = listed(dir.path(), "hunt").len();
    assert!(before > 5, "{before}");
    // Half a record is what a crash leaves.
    fs::write(&path, &good[..good.len() - 5]).unwrap();
    assert_eq!(listed(dir.path(), "hunt").len(), before - 1);
    let mut bad = good.clone();
    let middle = bad.len() / 2;
    bad[middle] ^= 16;
    fs::write(&path, &bad).unwrap();
    let output = run(dir.path(), "archive hunt --json");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("grids.bin is damaged"), "{}", text(&output.stderr));
    let some: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    assert!((1..before).contains(&some["results"].as_array().unwrap().len()), "those before the damage are listed");
    // A hunt that continues keeps what can be read, and the file as it was.
    let output = run(dir.path(), "resume hunt --quiet");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let kept = format!("{} grids of it are kept", before - 1);
    assert!(text(&output.stderr).contains(&kept), "{kept}: {}", text(&output.stderr));
    assert_eq!(fs::read(path.with_extension("bin.damaged-1")).unwrap(), bad);
    assert_eq!(listed(dir.path(), "hunt").len(), before - 1);
    succeed(dir.path(), "resume hunt --quiet --keep-from none");
    fs::create_dir_all(dir.path().join("other/archive")).unwrap();
    fs::write(dir.path().join("other/archive/grids.bin"), &good).unwrap();
    refuse(dir.path(), "--dir other", "other holds archive/grids.bin, which a hunt would overwrite");
    refuse(dir.path(), "--keep-from many --dir x", "expected a score or none");
}

#[test]
fn statistics_are_told_in_tables_and_as_a_picture() {
    let dir = temporary();
    for (name, flags) in [
        ("nrpa", "--strategy nrpa --level 2 --iterations 30 --runs 3"),
        ("nmcs", "--strategy nmcs --level 2 --runs 2 --variant 4D"),
        ("random", "--strategy random --max-iterations 2k --runs 3"),
        ("dfs", "--main-depth 2 --max-iterations 300 --target 60"),
    ] {
        succeed(dir.path(), &format!("{flags} --threads 2 --seed 3 --quiet --dir {name}"));
        let out = succeed(dir.path(), &format!("stats {name}"));
        for expected in ["scores of all results", "how often each score", "time to each score", "units"] {
            assert!(out.contains(expected), "{name}: {expected} in {out}");
        }
        let told = json(dir.path(), &format!("stats {name} --json"))["results"][0].clone();
        let lines: Vec<u64> =
            told["lines_by_direction"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).collect();
        assert_eq!((lines.len(), Some(lines.iter().sum())), (4, told["best"].as_u64()), "{lines:?}");
        let table: String = lines.iter().map(|count| format!("{count:>4}")).collect();
        assert!(
            out.contains(&format!("lines of the best grid\ndirection     -   |   \\   /\nlines      {table}\n")),
            "{out}"
        );
        assert_eq!(out.contains("level 2"), ["nrpa", "nmcs"].contains(&name), "{out}");
        assert_eq!(out.contains("playouts  "), name != "dfs", "{out}");
        succeed(dir.path(), &format!("stats {name} -o {name}.png --size 600"));
        assert!(fs::read(dir.path().join(format!("{name}.png"))).unwrap().starts_with(b"\x89PNG"));
    }
    refuse(dir.path(), "stats nrpa -o nrpa.png", "nrpa.png: the file exists");
    refuse(dir.path(), "stats nrpa -o nrpa.gif", "the name must end in .png or .svg");
    refuse(dir.path(), "stats nowhere", "cannot read nowhere/events.jsonl");
    succeed(dir.path(), "stats nrpa -o nrpa.png --force --size 300");
}

//! Hunts whose workers share one search: the same whatever the threads, and killed or not.

use crate::hunts::*;
use crate::killed_and_resumed;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Fixed, so that a failure can be repeated as far as the clock allows.
const SEED: u64 = 20_261;

const NRPA: &str = "--strategy nrpa --variant 5D --seed 6 --json";

/// The outcomes of a whole hunt.
fn whole(dir: &Path, arguments: &str) -> BTreeMap<u64, Value> {
    outcomes(&succeed(dir, &format!("{NRPA} {arguments}")))
}

#[test]
fn the_threads_change_nothing_and_the_width_does() {
    let dir = temporary();
    let search = "--level 3 --iterations 15 --share 2 --runs 2 --threads";
    let all = |threads: u32, width: u32| {
        whole(dir.path(), &format!("{search} {threads} --width {width} --dir {threads}-{width}"))
    };
    let one = all(2, 4);
    assert_eq!(one.len(), 30);
    for threads in [3, 5, 9] {
        assert_eq!(all(threads, 4), one, "{threads} threads");
    }
    assert_ne!(all(2, 3), one);
}

#[test]
fn with_width_one_it_is_the_search_of_one_worker() {
    let dir = temporary();
    let grids = |flags: &str, name: &str| {
        let search = format!("--level 3 --iterations 20 --runs 1 --threads 2 {flags} --dir {name}");
        let out = succeed(dir.path(), &format!("{NRPA} {search}"));
        let scores: Vec<Value> =
            lines(&out).into_iter().filter(|e| is(e, "best")).map(|e| e["score"].clone()).collect();
        let moves = |score: &Value| {
            let text = fs::read_to_string(dir.path().join(format!("{name}/{score}.txt"))).expect("its grid");
            text.lines().filter(|line| line.starts_with('(')).map(str::to_owned).collect::<Vec<_>>()
        };
        scores.iter().map(moves).collect::<Vec<_>>()
    };
    let alone = grids("", "alone");
    assert!(alone.len() > 3);
    assert_eq!(grids("--share 2", "two"), alone);
    assert_eq!(grids("--share 1 --width 1", "one"), alone);
}

#[test]
fn killed_at_any_moment_it_finds_what_it_finds_unkilled() {
    killed_at_any_moment(1);
}

#[test]
fn killed_at_any_moment_two_at_once_find_what_they_find_unkilled() {
    killed_at_any_moment(2);
}

/// Killed at any moments, every call is made from the policy that it has without the kills, and goes on from its
/// checkpoint.
fn killed_at_any_moment(width: u64) {
    let dir = temporary();
    let search = format!("--level 4 --iterations 20 --share 3 --width {width} --runs 1 --threads {}", width + 1);
    let expected = whole(dir.path(), &format!("{search} --dir whole"));
    assert_eq!(expected.len(), 20);
    let mut rng = morpion::core::seed::rng(SEED, &[width]);
    let (told, kills) = killed_and_resumed(dir.path(), &format!("{NRPA} {search}"), &mut rng, 300, 10);
    assert!(kills >= 2, "the hunt was over after {kills} kills");
    let told = outcomes(&told);
    // A call may be journalled and the program killed before it says so.
    assert!(expected.len() - told.len() <= kills, "seed {SEED}, width {width}: {} calls", told.len());
    for (id, outcome) in &told {
        assert_eq!(Some(outcome), expected.get(id), "seed {SEED}, width {width}: call {id}");
    }
    let listed = |name: &str| lines(&succeed(dir.path(), &format!("state {name} --units")));
    assert_eq!(listed("killed"), listed("whole"), "seed {SEED}, width {width}");
    assert_eq!(listed("killed").len(), 20);
    let last = |name: &str| events(&dir.path().join(name)).last().unwrap().clone();
    for field in ["event", "reason", "score", "iterations", "units"] {
        assert_eq!(last("killed")[field], last("whole")[field], "seed {SEED}, width {width}: {field}");
    }
}

#[test]
fn it_goes_on_with_another_number_of_threads() {
    let dir = temporary();
    let search = "--level 3 --iterations 60 --share 2 --width 3 --runs 1";
    let expected = whole(dir.path(), &format!("{search} --threads 4 --dir whole"));
    let child = morpion(dir.path(), &format!("{NRPA} {search} --threads 4 --dir cut")).spawn().unwrap();
    let progress = dir.path().join("cut/main_progress.txt");
    wait_until("it runs", || progress.exists());
    signal(&child, "INT");
    let cut = wait(child);
    assert!(text(&cut.stderr).contains("resume it with `morpion resume cut`"), "{}", text(&cut.stderr));
    let state = succeed(dir.path(), "state cut");
    assert!(state.contains("calls of level 2 shared, width 3"), "{state}");
    assert!(fs::read_to_string(&progress).unwrap().starts_with("3: "));
    let rest = succeed(dir.path(), "resume cut --json --threads 2");
    assert_eq!(outcomes(&(text(&cut.stdout) + &rest)), expected);
    assert_eq!(fs::read_to_string(&progress).unwrap(), "3: 0/60\n");
}

#[test]
fn searches_that_cannot_be_shared_are_refused() {
    let dir = temporary();
    for (arguments, expected) in [
        ("--strategy dfs --share 2", "--share is not used by dfs; used by: nrpa"),
        ("--strategy nrpa --share 5", "a level from 1 to 4 is needed"),
        ("--strategy nrpa --level 1 --share 1", "the search has one level"),
        ("--strategy nrpa --share 0", "0 is not in 1..=9"),
        ("--strategy nrpa --width 3", "--share"),
        ("--strategy nrpa --share 3 --width 0", "0 is not in 1..=1024"),
        ("--strategy nrpa --share 3 --width 1025", "1025 is not in 1..=1024"),
    ] {
        refuse(dir.path(), arguments, expected);
        assert!(!dir.path().join("output").exists(), "{arguments}");
    }
}

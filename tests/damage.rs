//! Bits that fall over in the file of a solution: whatever bit it is, the file is refused as it is, or all of it is
//! read. Nothing panics and nothing aborts.
//!
//! A process of its own opens the damaged files, since an abort would end the tests. `MORPION_FLIPS=5000` tries more
//! bits than `cargo test` does.

use morpion::core::seed::rng;
use morpion::games::reversi::board::ReversiBoard;
use morpion::games::reversi::position::{ReversiPosition, Start};
use morpion::jobs::tree::coordinator::{Coordinator, Next};
use morpion::jobs::tree::credit::Spent;
use morpion::jobs::tree::settings::TreeSettings;
use morpion::jobs::tree::state::TreeState;
use morpion::jobs::tree::unit::UnitOutcome;
use morpion::runner::tree::store::TreeStore;
use rand::RngExt;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bits that are tried, unless the environment says otherwise.
const FLIPS: usize = 200;
/// Where the child finds the file and what it tries; its presence makes the test `child` be one.
const WORK: &str = "MORPION_DAMAGE";
/// Bytes of the head of a database: its settings and two commit slots.
const HEAD: usize = 320;

fn root() -> ReversiPosition {
    ReversiPosition::new(ReversiBoard::new(4, 6).unwrap(), Start::Standard)
}

/// Solves a part of a position and keeps it in a file; the file as it is left closed, and as a crash leaves it.
fn files(directory: &Path) -> Vec<PathBuf> {
    let path = directory.join("tree.redb");
    let settings = TreeSettings { budget: 50, ..TreeSettings::default() };
    let state = TreeState::new(root(), settings).unwrap();
    let mut coordinator = Coordinator::new(state);
    let mut store = TreeStore::create(&path, "job", coordinator.state_mut()).unwrap();
    let worker = coordinator.join("somebody", "1").unwrap();
    for step in 0..16 {
        let Next::Unit(work) = coordinator.next(worker).unwrap() else { break };
        let spent = Spent { nodes: 50, micros: 10 };
        coordinator.absorb(worker, work.unit, work.window, UnitOutcome::Exhausted, spent).unwrap();
        store.append(&coordinator.take_records()).unwrap();
        if step % 10 == 9 {
            store.checkpoint(coordinator.state_mut(), f64::from(step)).unwrap();
        }
    }
    let crashed = directory.join("crashed.redb");
    fs::copy(&path, &crashed).unwrap();
    drop(store);
    vec![path, crashed]
}

/// Everything that a file holds, or why it is refused.
fn read(path: &Path) -> Result<String, String> {
    let (store, stored) = TreeStore::open(path).map_err(|error| error.to_string())?;
    drop(store);
    Ok(format!("{stored:?}"))
}

/// The bits to try: all of those of the head come round, and as many anywhere in what is used.
fn bits(length: usize, count: usize, seed: u64) -> Vec<usize> {
    let mut rng = rng(seed, &[7]);
    let head = (0..count / 2).map(|_| rng.random_range(0..8 * HEAD)).collect::<Vec<_>>();
    head.into_iter().chain((0..count.div_ceil(2)).map(|_| rng.random_range(0..8 * length))).collect()
}

/// Opens copies of a file with one bit changed each, and says what came of each.
#[test]
fn child() {
    let Ok(work) = std::env::var(WORK) else { return };
    let [file, copy, bits] = work.split('|').collect::<Vec<_>>()[..] else { panic!("{work}") };
    let (whole, copy) = (fs::read(file).unwrap(), Path::new(copy));
    fs::write(copy, &whole).unwrap();
    let expected = read(copy).unwrap();
    for bit in bits.split(',').map(|bit| bit.parse::<usize>().unwrap()) {
        println!("bit {bit}");
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(copy, &bytes).unwrap();
        let came = match catch_unwind(AssertUnwindSafe(|| read(copy))) {
            Err(_) => "panicked".to_owned(),
            Ok(Ok(found)) if found == expected => "equal".to_owned(),
            Ok(Ok(_)) => "another state".to_owned(),
            Ok(Err(_)) if fs::read(copy).unwrap() != bytes => "refused and changed".to_owned(),
            Ok(Err(why)) => format!("refused: {why}"),
        };
        println!("came {came}");
    }
}

/// What came of each bit. A bit at which the process dies is noted, and the next process begins behind it.
fn try_all(file: &Path, copy: &Path, mut bits: &[usize]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    while !bits.is_empty() {
        let list: Vec<String> = bits.iter().map(usize::to_string).collect();
        let work = format!("{}|{}|{}", file.display(), copy.display(), list.join(","));
        let mut command = Command::new(std::env::current_exe().unwrap());
        let output = command
            .args(["--exact", "child", "--nocapture"])
            .env(WORK, work)
            .env("RUST_BACKTRACE", "0")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let came = text.lines().filter_map(|line| line.strip_prefix("came ").map(str::to_owned));
        let before = found.len();
        found.extend(bits.iter().copied().zip(came));
        let tried = found.len() - before;
        bits = &bits[tried..];
        if let Some((&died, rest)) = bits.split_first() {
            let errors = String::from_utf8_lossy(&output.stderr);
            found.push((died, format!("died ({}): {errors}", output.status)));
            bits = rest;
        } else {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{errors}");
        }
    }
    found
}

#[test]
fn a_bit_that_falls_over_kills_nothing() {
    let flips = std::env::var("MORPION_FLIPS").ok().and_then(|text| text.parse().ok()).unwrap_or(FLIPS);
    let dir = tempfile::tempdir().unwrap();
    for (seed, file) in (1..).zip(files(dir.path())) {
        let whole = fs::read(&file).unwrap();
        let used = whole.iter().rposition(|&byte| byte != 0).unwrap() + 1;
        let found = try_all(&file, &dir.path().join("copy.redb"), &bits(used, flips, seed));
        let count = |what: &str| found.iter().filter(|(_, came)| came.starts_with(what)).count();
        let name = file.file_name().unwrap().display();
        println!(
            "{name}, {used} bytes: {} bits: died {}, panicked {}, refused {}, equal {}, another state {}, changed {}",
            found.len(),
            count("died"),
            count("panicked"),
            count("refused:"),
            count("equal"),
            count("another"),
            count("refused and"),
        );
        let bad = found.iter().find(|(_, came)| !came.starts_with("refused:") && came != "equal");
        assert_eq!(bad, None, "{name}, seed {seed}");
        assert!(count("refused:") > 0 && count("equal") > 0, "{name}: {found:?}");
    }
}

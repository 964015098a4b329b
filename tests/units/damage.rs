//! Bits that fall over in the files of a solution: whatever bit it is, the file is refused as it is, or all of it is
//! read; a journal may also end before the bit. Nothing panics and nothing aborts.
//!
//! A process of its own opens the damaged files, since an abort would end the tests. `MORPION_FLIPS=5000` tries more
//! bits than `cargo test` does.

use crate::stores::stores;
use morpion::core::seed::rng;
use morpion::games::reversi::board::ReversiBoard;
use morpion::games::reversi::position::{ReversiPosition, Start};
use morpion::jobs::tree::coordinator::{Coordinator, Next};
use morpion::jobs::tree::credit::Spent;
use morpion::jobs::tree::settings::{StoreKind, TreeSettings};
use morpion::jobs::tree::state::TreeState;
use morpion::jobs::tree::unit::UnitOutcome;
use morpion::runner::tree::file;
use morpion::runner::tree::store::{StoredTree, TreeStore, TreeStoreError};
use rand::RngExt;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bits that are tried, unless the environment says otherwise.
const FLIPS: usize = 200;
/// Where the child finds the file and what it tries; its presence makes the test `child` be one.
const WORK: &str = "MORPION_DAMAGE";

/// Bytes of the head of a database: of redb its settings and two commit slots.
fn head(kind: StoreKind) -> usize {
    match kind {
        StoreKind::Redb => 320,
        StoreKind::Sqlite => 100,
    }
}

fn root() -> ReversiPosition {
    ReversiPosition::new(ReversiBoard::new(4, 6).unwrap(), Start::Standard)
}

const JOURNAL: &str = "tree.journal";

/// The database of the files in a directory.
fn kind_of(directory: &Path) -> StoreKind {
    let kind = StoreKind::ALL.into_iter().find(|&kind| directory.join(file::name(kind)).exists());
    kind.expect("a solution")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for name in [file::name(kind_of(from)), JOURNAL] {
        fs::copy(from.join(name), to.join(name)).unwrap();
    }
}

/// Solves a part of a position and keeps it in files; the directory of the files as they are left closed, and as a
/// crash leaves them, and which of them is damaged.
fn files(directory: &Path, kind: StoreKind) -> Vec<(PathBuf, &'static str)> {
    let (closed, crashed) = (directory.join("closed"), directory.join("crashed"));
    fs::create_dir(&closed).unwrap();
    let database = file::name(kind);
    let path = closed.join(database);
    let settings = TreeSettings { budget: 50, ..TreeSettings::default() };
    let state = TreeState::new(root(), settings).unwrap();
    let mut coordinator = Coordinator::new(state);
    let mut store = TreeStore::create(kind, &path, "job", coordinator.state_mut()).unwrap();
    let worker = coordinator.join("somebody", "1").unwrap();
    for step in 0..16 {
        let Next::Unit(work) = coordinator.next(worker).unwrap() else { break };
        let spent = Spent { nodes: 50, micros: 10 };
        coordinator.absorb(worker, work.unit, work.window, UnitOutcome::Exhausted, spent).unwrap();
        store.append(&coordinator.take_records()).unwrap();
        if step == 9 {
            store.checkpoint(coordinator.state_mut(), f64::from(step)).unwrap();
        }
    }
    copy(&closed, &crashed);
    drop(store);
    vec![(closed, database), (crashed.clone(), database), (crashed, JOURNAL)]
}

/// Everything that the files in a directory hold, or why they are refused.
fn read(directory: &Path) -> Result<StoredTree, String> {
    let kind = kind_of(directory);
    loop {
        match TreeStore::open(kind, &directory.join(file::name(kind))) {
            // A process that another test starts has the locks of this one until it runs a program of its own.
            Err(TreeStoreError::Locked(_)) => std::thread::sleep(std::time::Duration::from_millis(5)),
            Err(error) => return Err(error.to_string()),
            Ok((_, stored)) => return Ok(stored),
        }
    }
}

/// Whether a journal ended before its end, and nothing else is different.
fn is_cut(found: &StoredTree, whole: &StoredTree) -> bool {
    let (some, all) = (found.records.len(), whole.records.len());
    let torn = StoredTree { records: whole.records[..some.min(all)].to_vec(), notice: None, ..whole.clone() };
    some < all && StoredTree { notice: None, ..found.clone() } == torn
}

/// The bits to try: all of those of the head come round, and as many anywhere in what is used.
fn bits((head, length): (usize, usize), count: usize, seed: u64) -> Vec<usize> {
    let mut rng = rng(seed, &[7]);
    let head = (0..count / 2).map(|_| rng.random_range(0..8 * head)).collect::<Vec<_>>();
    head.into_iter().chain((0..count.div_ceil(2)).map(|_| rng.random_range(0..8 * length))).collect()
}

/// Opens copies of a file with one bit changed each, and says what came of each.
#[test]
fn child() {
    let Ok(work) = std::env::var(WORK) else { return };
    let [from, name, to, bits] = work.split('|').collect::<Vec<_>>()[..] else { panic!("{work}") };
    let (from, to) = (Path::new(from), Path::new(to));
    let (whole, damaged) = (fs::read(from.join(name)).unwrap(), to.join(name));
    copy(from, to);
    let expected = read(to).unwrap();
    for bit in bits.split(',').map(|bit| bit.parse::<usize>().unwrap()) {
        println!("bit {bit}");
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        copy(from, to);
        fs::write(&damaged, &bytes).unwrap();
        let came = match catch_unwind(AssertUnwindSafe(|| read(to))) {
            Err(_) => "panicked".to_owned(),
            Ok(Ok(found)) if found == expected => "equal".to_owned(),
            Ok(Ok(found)) if name == JOURNAL && is_cut(&found, &expected) => "cut".to_owned(),
            Ok(Ok(_)) => "another state".to_owned(),
            Ok(Err(_)) if fs::read(&damaged).unwrap() != bytes => "refused and changed".to_owned(),
            Ok(Err(why)) => format!("refused: {why}"),
        };
        println!("came {came}");
    }
}

/// What came of each bit. A bit at which the process dies is noted, and the next process begins behind it.
fn try_all((from, name): (&Path, &str), to: &Path, mut bits: &[usize]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    while !bits.is_empty() {
        let list: Vec<String> = bits.iter().map(usize::to_string).collect();
        let work = format!("{}|{name}|{}|{}", from.display(), to.display(), list.join(","));
        let mut command = Command::new(std::env::current_exe().unwrap());
        let output = command
            .args(["--exact", "damage::child", "--nocapture"])
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
    for kind in stores() {
        a_bit_of(kind, flips);
    }
}

fn a_bit_of(kind: StoreKind, flips: usize) {
    let dir = tempfile::tempdir().unwrap();
    for (seed, (from, file)) in (1..).zip(files(dir.path(), kind)) {
        let whole = fs::read(from.join(file)).unwrap();
        let used = whole.iter().rposition(|&byte| byte != 0).unwrap() + 1;
        let head = if file == JOURNAL { 24 } else { head(kind) };
        let found = try_all((&from, file), &dir.path().join("copy"), &bits((head, used), flips, seed));
        let count = |what: &str| found.iter().filter(|(_, came)| came.starts_with(what)).count();
        let name = format!("{kind:?}: {} {file}", from.file_name().unwrap().display());
        println!(
            "{name}, {used} bytes: {} bits: died {}, panicked {}, refused {}, equal {}, cut {}, another state {}, \
             changed {}",
            found.len(),
            count("died"),
            count("panicked"),
            count("refused:"),
            count("equal"),
            count("cut"),
            count("another"),
            count("refused and"),
        );
        let is_good = |came: &str| came.starts_with("refused:") || ["equal", "cut"].contains(&came);
        let bad = found.iter().find(|(_, came)| !is_good(came));
        assert_eq!(bad, None, "{name}, seed {seed}");
        assert!(count("refused:") > 0 && count("equal") + count("cut") > 0, "{name}: {found:?}");
    }
}

//! What earlier versions of the program saved still loads, and the same seed still gives the same result.
//!
//! The files in `data` were made by the program as it was on 2026-11-24, before its words were put in order: a saved
//! state of every strategy in the middle of a run, directories of hunts, the state of a daemon, the file of a
//! solution, configuration files and jobs. Each is loaded and continued, and what comes of it is compared with what
//! came of it then. The solution in SQLite was made on 2026-11-26, the search of a plan on 2026-11-28, the accounts of
//! credit on 2026-11-30. The search of `reshape` in 5D was made anew on 2026-12-01, when a round of it got another
//! beginning; its older state is kept, and goes on as it did.
//!
//! The tests marked `ignored` make such files. They are for a new strategy or a new format, never for a result that
//! has changed: a result that differs from the recorded one is a mistake, or a change that breaks the hunts of users.
//! They write only into a directory that does not exist:
//!
//! ```text
//! MORPION_GOLDEN=/tmp/new cargo test --test golden -- --ignored
//! ```
#![cfg(unix)]

#[path = "../daemons/mod.rs"]
mod daemons;
#[path = "../hunts/mod.rs"]
mod hunts;
#[path = "../stores/mod.rs"]
mod stores;

mod credit;
mod daemon;
mod directories;
mod plans;
mod searches;
mod settings;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The committed files.
fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/data")
}

/// Where new files are made: a directory of their own below one that must not exist when the first of them is made.
fn fresh(name: &str) -> PathBuf {
    let whole = std::env::var_os("MORPION_GOLDEN").expect("MORPION_GOLDEN names the directory to write into");
    let path = PathBuf::from(whole).join(name);
    assert!(!path.exists(), "{} exists already, and nothing is overwritten", path.display());
    fs::create_dir_all(&path).expect("the directory can be made");
    path
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

fn unpacked(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    GzDecoder::new(file).read_to_end(&mut bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    bytes
}

/// Packs each file of a directory into one of its own in `to`.
fn pack(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).expect("an entry");
        if path.is_dir() {
            pack(&path, &to.join(name));
            continue;
        }
        let name = name.to_str().expect("plain names").to_owned();
        fs::write(to.join(name + ".gz"), packed(&fs::read(&path).expect("a file"))).expect("a file");
    }
}

/// Makes a directory again that [`pack`] has packed.
fn unpack(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).expect("an entry");
        let name = name.to_str().expect("plain names");
        match name.strip_suffix(".gz") {
            Some(plain) => fs::write(to.join(plain), unpacked(&path)).expect("a file"),
            None => unpack(&path, &to.join(name)),
        }
    }
}

fn document(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn write_document(path: &Path, value: &impl serde::Serialize) {
    let text = serde_json::to_string_pretty(value).expect("JSON");
    fs::write(path, text + "\n").expect("a file");
}

/// Everything that was recorded is there and the same. Fields that are new are no difference.
fn assert_holds(now: &Value, recorded: &Value, at: &str) {
    match (now, recorded) {
        (Value::Object(now), Value::Object(recorded)) => {
            for (name, recorded) in recorded {
                let now = now.get(name).unwrap_or_else(|| panic!("{at}: there is no '{name}' any more"));
                assert_holds(now, recorded, &format!("{at}.{name}"));
            }
        }
        (Value::Array(now), Value::Array(recorded)) => {
            assert_eq!(now.len(), recorded.len(), "{at}: {now:?} was {recorded:?}");
            for (number, (now, recorded)) in now.iter().zip(recorded).enumerate() {
                assert_holds(now, recorded, &format!("{at}[{number}]"));
            }
        }
        _ => assert_eq!(now, recorded, "{at}"),
    }
}

/// The comparison itself notices what it is there for.
#[test]
fn a_value_that_differs_is_noticed() {
    let recorded = serde_json::json!({ "a": [1, { "b": "x" }] });
    assert_holds(&serde_json::json!({ "a": [1, { "b": "x", "new": 3 }] }), &recorded, "whole");
    for other in [
        serde_json::json!({ "a": [1, { "b": "y" }] }),
        serde_json::json!({ "a": [1, {}] }),
        serde_json::json!({ "a": [1] }),
        serde_json::json!({ "a": [1, { "b": "x" }, 2] }),
    ] {
        assert!(std::panic::catch_unwind(|| assert_holds(&other, &recorded, "whole")).is_err(), "{other}");
    }
}

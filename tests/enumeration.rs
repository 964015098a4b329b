//! The counts of distinct grids and of ordered sequences, against the tables of the puzzle.

use assert_cmd::Command;
use morpion::morpion::canonical::canonical_key;
use morpion::morpion::enumerate::{CountKind, known_grids, known_sequences};
use morpion::morpion::referee::replay;
use morpion::morpion::variant::Variant;
use morpion::notation::file::load;
use morpion::notation::format::read;
use morpion::runner::enumeration::enumerate;

#[test]
fn grids_are_as_many_as_known() {
    for (variant, depth) in [(Variant::T5, 9), (Variant::D5, 9), (Variant::T4, 7), (Variant::D4, 7)] {
        let counts = enumerate(variant, CountKind::Grids, depth).unwrap();
        assert_eq!(counts, known_grids(variant)[..=depth as usize], "{variant}");
    }
}

#[test]
fn sequences_are_as_many_as_known() {
    for (variant, depth) in [(Variant::T5, 5), (Variant::D5, 5), (Variant::T4, 4), (Variant::D4, 4)] {
        let counts = enumerate(variant, CountKind::Sequences, depth).unwrap();
        assert_eq!(counts, known_sequences(variant)[..=depth as usize], "{variant}");
    }
}

fn command(arguments: &str) -> assert_cmd::assert::Assert {
    Command::cargo_bin("morpion").unwrap().arg("enumerate").args(arguments.split_whitespace()).assert()
}

#[test]
fn the_command_prints_the_table() {
    let out = command("--variant 5D --depth 4 --threads 1").success().get_output().stdout.clone();
    assert_eq!(String::from_utf8(out).unwrap(), " n  grids\n 0      1\n 1      4\n 2     55\n 3    404\n 4   2462\n");
    let out = command("--variant 4T --depth 3 --ordered --json").success().get_output().stdout.clone();
    let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(json["version"], 1);
    assert_eq!(json["variant"], "4T");
    assert_eq!(json["kind"], "sequences");
    assert_eq!(json["counts"], serde_json::json!([1, 40, 1496, 52352]));
    assert_eq!(json["agrees_with_known"], true);
}

#[test]
fn the_command_refuses_what_it_cannot_do() {
    for (arguments, message) in [
        ("--depth 65", "at most 64"),
        ("--whole", "is for lines of 4"),
        ("--variant 4D --whole --depth 3", "cannot be used with"),
        ("--depth 3 --time never", "--time"),
        ("--depth 3 --threads 0", "--threads"),
        ("--depth 3 --threads 100000", "--threads 100000 is out of range"),
        ("--depth x", "invalid value"),
        ("--variant 6T", "one of 5T, 5D, 4T, 4D"),
    ] {
        let output = command(arguments).code(2).get_output().clone();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(message), "{arguments}: {text}");
        assert!(output.stdout.is_empty());
    }
}

/// The four classes of first moves of 5T, and so on: each grid is legal, and no two are the same up to symmetry.
#[test]
fn the_grids_of_a_depth_are_written_as_files() {
    let dir = tempfile::tempdir().unwrap();
    for (variant, depth) in [(Variant::T5, 1), (Variant::D4, 2)] {
        let to = dir.path().join(format!("{variant}"));
        command(&format!("--variant {variant} --depth {depth} --threads 1 --grids {}", to.display())).success();
        let mut keys = std::collections::HashSet::new();
        for entry in std::fs::read_dir(&to).unwrap() {
            let grid = load(&entry.unwrap().path(), None).unwrap().grid;
            assert_eq!((grid.variant, grid.score()), (variant, depth as usize));
            assert!(keys.insert(canonical_key(variant, &grid.moves)), "{:?}", grid.moves);
        }
        assert_eq!(keys.len() as u64, known_grids(variant)[depth as usize], "{variant}");
    }
    let arguments =
        |flags: &str| format!("--depth 1 --threads 1 --grids {} {flags}", dir.path().join("5T").display());
    for (arguments, message) in [
        (arguments(""), "5T-1-1.txt: the file exists"),
        (arguments("--ordered"), "cannot be used with"),
        (arguments("--variant 4T").replace("--depth 1", "--depth 5"), "at most 20000 files"),
    ] {
        let output = command(&arguments).code(2).get_output().clone();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(message), "{arguments}: {text}");
    }
}

/// A count that was stopped says so, and the same command ends it with the counts of one that ran through.
#[test]
fn a_count_is_stopped_and_continued() {
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path().join("count");
    let flags = format!("--variant 4D --depth 8 --threads 2 --state {}", state.display());
    let stopped = command(&format!("{flags} --time 0.05s --json")).code(1).get_output().clone();
    let view: serde_json::Value = serde_json::from_slice(&stopped.stdout).unwrap();
    assert_eq!((&view["complete"], &view["units"]), (&false.into(), &73709.into()));
    assert!(view["units_done"].as_u64().unwrap() < 73709, "{view}");
    let message = String::from_utf8(stopped.stderr).unwrap();
    assert!(message.contains("open: ") && message.contains("of 73,709 units"), "{message}");
    let other = command(&format!("--variant 4D --depth 7 --state {}", state.display())).code(2).get_output().clone();
    assert!(String::from_utf8(other.stderr).unwrap().contains("counts grids of 4D to depth 8"));
    let done = command(&format!("{flags} --json")).success().get_output().clone();
    assert!(String::from_utf8(done.stderr).unwrap().contains("continuing to count grids of 4D to depth 8"));
    let view: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(view["counts"], serde_json::json!(known_grids(Variant::D4)[..=8]));
    assert_eq!(view["longest"], serde_json::Value::Null);
}

/// A count without a near end stops at once when it is asked to.
#[test]
fn a_long_count_ends_when_its_time_is_over() {
    let began = std::time::Instant::now();
    command("--variant 5T --depth 64 --time 0.2s").code(1);
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
}

/// The state that is kept with the results is that of a whole count, and says what the results say.
#[test]
fn the_count_of_all_grids_of_4d_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/results/proofs/4D-whole/enumeration.json");
    std::fs::copy(kept, directory.path().join("enumeration.json")).unwrap();
    let done = command(&format!("--variant 4D --whole --json --state {}", directory.path().display())).success();
    let message = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert!(message.contains("no grid of 4D has more than 35 moves"), "{message}");
    let view: serde_json::Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    let counts: Vec<u64> = serde_json::from_value(view["counts"].clone()).unwrap();
    assert_eq!((counts.len(), counts[35]), (36, 4));
    assert_eq!(counts[..=9], *known_grids(Variant::D4));
    let grids: Vec<String> = serde_json::from_value(view["grids"].clone()).unwrap();
    let classes: std::collections::HashSet<_> = grids
        .iter()
        .map(|grid| {
            let grid = read(grid.as_bytes(), None).unwrap().grid;
            let referee = replay(Variant::D4, &grid.moves).unwrap();
            assert_eq!((referee.score(), referee.legal_moves().len()), (35, 0));
            canonical_key(Variant::D4, &grid.moves)
        })
        .collect();
    assert_eq!(classes.len(), 4, "up to symmetry");
}

//! The counts of distinct grids and of ordered sequences, against the tables of the puzzle.

use assert_cmd::Command;
use morpion::jobs::enumerate::enumerate;
use morpion::morpion::enumerate::{CountKind, known_grids, known_sequences};
use morpion::morpion::variant::Variant;

#[test]
fn grids_are_as_many_as_known() {
    for (variant, depth) in [(Variant::T5, 9), (Variant::D5, 9), (Variant::T4, 7), (Variant::D4, 7)] {
        let counts = enumerate(variant, CountKind::Grids, depth, &|_, _| ());
        assert_eq!(counts, known_grids(variant)[..=depth as usize], "{variant}");
    }
}

#[test]
fn sequences_are_as_many_as_known() {
    for (variant, depth) in [(Variant::T5, 5), (Variant::D5, 5), (Variant::T4, 4), (Variant::D4, 4)] {
        let counts = enumerate(variant, CountKind::Sequences, depth, &|_, _| ());
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
        ("--depth 26", "at most 25"),
        ("--depth 3 --threads 0", "--threads 0 is out of range"),
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

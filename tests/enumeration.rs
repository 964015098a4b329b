//! The counts of distinct grids and of ordered sequences, against the tables of the puzzle.

use morpion::jobs::enumerate::enumerate;
use morpion::morpion::enumerate::{Kind, known_grids, known_sequences};
use morpion::morpion::variant::Variant;

#[test]
fn grids_are_as_many_as_known() {
    for (variant, depth) in [(Variant::T5, 9), (Variant::D5, 9), (Variant::T4, 7), (Variant::D4, 7)] {
        let counts = enumerate(variant, Kind::Grids, depth, &|_, _| ());
        assert_eq!(counts, known_grids(variant)[..=depth as usize], "{variant}");
    }
}

#[test]
fn sequences_are_as_many_as_known() {
    for (variant, depth) in [(Variant::T5, 5), (Variant::D5, 5), (Variant::T4, 4), (Variant::D4, 4)] {
        let counts = enumerate(variant, Kind::Sequences, depth, &|_, _| ());
        assert_eq!(counts, known_sequences(variant)[..=depth as usize], "{variant}");
    }
}

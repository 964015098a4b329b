//! The canonical form of a grid: independent of the order of its moves and of the 8 symmetries.
//!
//! A grid is a set of lines. The set alone says which points are set (the start and the points of the lines) and
//! in which orders it can be played, so nothing else enters the form: it is the smallest of the (up to) 8 sorted
//! lists of lines that the symmetries make of the grid. Images that leave the playing area (possible only for
//! lines of 4 at its far edge) are left out; the images inside are the same for all members of a class, so the
//! form is well defined all the same.

use super::geometry::{INNER_CORNER, Line, Move};
use super::start::Start;
use super::variant::Variant;

/// The lines of a grid from the cross in canonical form, ascending. Two grids of one line length are equal up to
/// symmetry and move order if and only if their canonical lines are equal. `moves` need not be in a playable order.
pub fn canonical_lines(variant: Variant, moves: &[Move]) -> Vec<Line> {
    canonical_lines_from(&Start::CROSS, variant, moves)
}

/// The same for a grid from any start, by the symmetries that carry the start to itself. The lines of grids from
/// different starts are not to be compared.
fn canonical_lines_from(start: &Start, variant: Variant, moves: &[Move]) -> Vec<Line> {
    let centre = start.centre(variant);
    let mut best: Vec<Line> = moves.iter().map(|mv| mv.line()).collect();
    best.sort_unstable();
    best.dedup();
    let lines = best.clone();
    for symmetry in &start.symmetries(variant)[1..] {
        let image: Option<Vec<Line>> = lines.iter().map(|&line| symmetry.line(centre, line)).collect();
        if let Some(mut image) = image {
            image.sort_unstable();
            if image < best {
                best = image;
            }
        }
    }
    best
}

/// A 64-bit key of a grid, equal for grids that are equal up to symmetry and move order, and different for others
/// but with a probability of about `pairs / 2^64`.
///
/// The key depends on the line length but not on touching or disjoint: the same grid read as 5D and as 5T has one
/// key. It is part of the file formats and never changes: with `mix` the output function of SplitMix64 (Steele,
/// Lea and Flood 2014), it is `mix` folded over the line length and then, for each canonical line in ascending
/// order of direction, track and start, `direction * 2^16 + (y + 64) * 2^8 + (x + 64)`, where (x, y) is the
/// line's first point relative to the inner north-west corner of the cross; each step is `mix(state ^ word)`.
pub fn canonical_key(variant: Variant, moves: &[Move]) -> u64 {
    canonical_key_from(&Start::CROSS, variant, moves)
}

/// The same for a grid from any start: the fold begins with the line length and [`Start::key`], which is 0 for the
/// cross, so grids from different starts have different keys.
pub fn canonical_key_from(start: &Start, variant: Variant, moves: &[Move]) -> u64 {
    let begin = mix(variant.line_len() as u64 ^ start.key());
    canonical_lines_from(start, variant, moves).iter().fold(begin, |state, line| {
        let (direction, start) = (line.direction(), line.start() as i32);
        // A line lies in the area, so that the point exists; a default keeps a malformed one from ending the program.
        let (x, y) = direction.point(line.track(), start).map_or((0, 0), |p| (p.x(), p.y()));
        let (x, y) = ((x - INNER_CORNER + 64) as u64, (y - INNER_CORNER + 64) as u64);
        mix(state ^ ((direction as u64) << 16 | y << 8 | x))
    })
}

/// The key of a grid of this canonical key where games of several variants with the same lines are told apart: other
/// than the canonical key, and another one for each variant. It is part of the file formats and never changes: one
/// step of `mix` over the canonical key and the characters of the variant's name.
pub fn key_of_variant(variant: Variant, canonical: u64) -> u64 {
    let name = variant.code().bytes().fold(0, |name: u64, byte| name << 8 | u64::from(byte));
    mix(canonical ^ name)
}

/// One step of SplitMix64.
pub(crate) const fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morpion::position::Position;
    use crate::morpion::symmetry::first_move_classes;
    use crate::with_rules;
    use std::collections::{HashMap, HashSet};

    /// The value is in files.
    #[test]
    fn the_key_of_a_variant_stays_what_it_is() {
        let keys = Variant::ALL.map(|variant| key_of_variant(variant, 7));
        assert_eq!(keys.iter().collect::<HashSet<_>>().len(), 4);
        assert!(!keys.contains(&7));
        assert_eq!(key_of_variant(Variant::D5, 7), mix(7 ^ 0x3544));
    }

    /// Counts of distinct grids after n moves, from the facts of the puzzle, by collecting canonical forms; the
    /// keys must be as many.
    #[test]
    fn as_many_canonical_forms_as_grids() {
        for (variant, counts) in [
            (Variant::T5, [4, 56, 428]),
            (Variant::D5, [4, 55, 404]),
            (Variant::T4, [5, 107, 1212]),
            (Variant::D4, [5, 106, 1174]),
        ] {
            with_rules!(variant, R => {
                let mut level: Vec<Vec<Move>> = vec![vec![]];
                for count in counts {
                    let mut next: HashMap<Vec<Line>, Vec<Move>> = HashMap::new();
                    for grid in &level {
                        for &mv in Position::<R>::after(grid).unwrap().moves() {
                            let child: Vec<Move> = grid.iter().copied().chain([mv]).collect();
                            next.entry(canonical_lines(variant, &child)).or_insert(child);
                        }
                    }
                    assert_eq!(next.len(), count, "{variant}");
                    let keys: HashSet<u64> = next.values().map(|grid| canonical_key(variant, grid)).collect();
                    assert_eq!(keys.len(), count);
                    level = next.into_values().collect();
                }
            });
        }
    }

    /// Files carry the keys, so these values may never change.
    #[test]
    fn keys_are_stable() {
        let first = first_move_classes::<crate::morpion::variant::T5>()[0];
        assert_eq!(
            [
                canonical_key(Variant::T5, &[]),
                canonical_key(Variant::D5, &[]),
                canonical_key(Variant::T4, &[]),
                canonical_key(Variant::T5, &[first]),
            ],
            [0x6303_3B0C_A389_C35A, 0x6303_3B0C_A389_C35A, 0x6E73_E372_E233_8ACA, 0x2AF2_F734_24F3_AA56]
        );
    }

    /// Numbers that name no move can come from damaged data; they get some key.
    #[test]
    fn any_number_has_a_key() {
        for bits in (0..u32::MAX).step_by(100_003) {
            let mv: Move = serde_json::from_value(bits.into()).unwrap();
            for variant in Variant::ALL {
                canonical_key(variant, &[mv]);
            }
        }
    }
}

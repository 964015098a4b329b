//! Any bytes as a grid file: the readers may refuse them but not end the program, and what they accept is legal for
//! the referee and comes back unchanged from each format.

use morpion_engine::morpion::referee;
use morpion_engine::morpion::variant::Variant;
use morpion_engine::notation::format::{GridFormat, read, write};

/// Runs one input.
///
/// # Panics
/// If an accepted grid is illegal or does not survive being written and read.
pub fn run(data: &[u8]) {
    for asked in [None, Some(Variant::ALL[data.len() % 4])] {
        let Ok(loaded) = read(data, asked) else { continue };
        let grid = loaded.grid;
        assert!(asked.is_none_or(|variant| variant == grid.variant));
        let replayed =
            referee::replay_from(&grid.start, grid.variant, &grid.moves).expect("an accepted grid is legal");
        assert_eq!(replayed.score() as usize, grid.score());
        for format in [GridFormat::Pentasol, GridFormat::MsrCompact, GridFormat::MsrJson] {
            let text = match write(&grid, format) {
                // Only the text holds another start than the cross.
                Err(_) if !grid.start.is_cross() && format != GridFormat::Pentasol => continue,
                written => written.expect("a grid can be written"),
            };
            let again = read(text.as_bytes(), None).unwrap_or_else(|e| panic!("{format}: {e}\n{text}"));
            assert_eq!(again.format, format, "{text}");
            assert_eq!((again.grid.variant, &again.grid.start), (grid.variant, &grid.start), "{text}");
            assert_eq!(again.grid.moves, grid.moves, "{text}");
        }
    }
}

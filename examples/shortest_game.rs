//! How soon can a game be over? A beam search for the shortest game that leaves no legal move, in each variant, and a
//! file of each such grid. What it finds is an upper bound: a beam proves nothing.
//!
//! ```text
//! cargo run --release --example shortest_game -- DIRECTORY
//! ```

use morpion::morpion::canonical::canonical_key;
use morpion::morpion::geometry::Move;
use morpion::morpion::position::Position;
use morpion::morpion::variant::{Rules, Variant};
use morpion::notation::grid::Grid;
use morpion::notation::pentasol::{self, Effort};
use morpion::with_rules;
use std::collections::HashSet;
use std::error::Error;
use std::path::Path;

/// Positions that are kept after each move: those with the fewest legal moves.
const WIDTH: usize = 20_000;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args().nth(1);
    for variant in Variant::ALL {
        let moves = with_rules!(variant, R => shortest::<R>());
        println!("{variant}: a game that is over after {} moves", moves.len());
        if let Some(directory) = &directory {
            let path = Path::new(directory).join(format!("{variant}-{}.txt", moves.len()));
            let mut grid = Grid::new(variant, moves);
            grid.provenance.description = Some("the shortest finished game that a beam search has met".to_owned());
            grid.provenance.method = Some(format!("beam of the {WIDTH} positions with the fewest legal moves"));
            std::fs::write(&path, pentasol::write(&grid, Effort::Comments))?;
            println!("wrote {}", path.display());
        }
    }
    Ok(())
}

/// The first game of the beam that is over.
fn shortest<R: Rules>() -> Vec<Move> {
    let mut beam: Vec<Position<R>> = vec![Position::new()];
    loop {
        let mut next: Vec<(usize, usize, Move)> = Vec::new();
        let mut met = HashSet::new();
        for (at, position) in beam.iter_mut().enumerate() {
            for mv in position.moves().to_vec() {
                position.play(mv);
                let left = position.moves().len();
                if met.insert(canonical_key(R::VARIANT, position.played())) {
                    next.push((left, at, mv));
                }
                if left == 0 {
                    return position.played().to_vec();
                }
                position.undo();
            }
        }
        // Of equals those that came first: the result is always the same.
        next.sort_by_key(|&(left, ..)| left);
        next.truncate(WIDTH);
        let grown = next.into_iter().map(|(_, at, mv)| {
            let mut position = beam[at].clone();
            position.play(mv);
            position
        });
        beam = grown.collect();
    }
}

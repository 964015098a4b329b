//! The engine alone: a random game of each variant, checked by the second implementation of the rules.
//!
//! ```text
//! cargo run --release --example engine
//! ```

use morpion::core::seed;
use morpion::morpion::geometry::Move;
use morpion::morpion::position::Position;
use morpion::morpion::referee;
use morpion::morpion::variant::{Rules, Variant};
use morpion::with_rules;
use rand::RngExt;

fn main() {
    for variant in Variant::ALL {
        let moves = with_rules!(variant, R => random_game::<R>(1));
        let last = moves.last().expect("a game has a move");
        println!("{variant}: {} moves, the last one is {last:?}", moves.len());
    }
}

/// Plays random moves until none is left.
fn random_game<R: Rules>(number: u64) -> Vec<Move> {
    let mut rng = seed::rng(number, &[]);
    let mut position = Position::<R>::new();
    while !position.moves().is_empty() {
        let choice = rng.random_range(0..position.moves().len());
        position.play(position.moves()[choice]);
    }
    let moves = position.played().to_vec();
    let referee = referee::replay(R::VARIANT, &moves).expect("the engine plays legal moves");
    assert_eq!(referee.score(), position.score());
    moves
}

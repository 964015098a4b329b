//! Random positions for the tests of players.

use crate::core::game::Game;
use crate::core::seed::Rng;
use rand::RngExt;

/// Plays random moves from a position, `plies` at most, and passes seldom; the last position in which the game goes
/// on.
pub fn wander<G: Game>(mut position: G, plies: u32, random: &mut Rng) -> G {
    let mut moves = Vec::new();
    for _ in 0..plies {
        moves.clear();
        position.moves(&mut moves);
        let drawn = moves[random.random_range(0..moves.len())];
        let mut next = position.clone();
        next.play(if position.name(drawn) == "pass" { moves[0] } else { drawn });
        moves.clear();
        next.moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        position = next;
    }
    position
}

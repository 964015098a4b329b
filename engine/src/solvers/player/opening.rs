//! Openings for matches: random legal moves that a player takes to be worth about the same to both sides.

use crate::core::game::{Budget, Game, Player, Value};
use crate::core::seed::rng;
use rand::RngExt;

/// Openings that are drawn before one is given up.
const DRAWS: u16 = 2000;
/// Nodes of a first look and of a second one at an opening.
const LOOKS: [u64; 2] = [1000, 20_000];

/// The moves of an opening of so many plies whose value is at most `even` either way: the more are refused, the less
/// even the next may be. The same seed and number give the same opening. Nothing if none is found.
pub fn even_opening<G: Game, P: Player<G>>(
    judge: &mut P,
    start: &G,
    plies: usize,
    even: Value,
    seed: u64,
    number: u64,
) -> Option<Vec<G::Move>> {
    (0..DRAWS).find_map(|draw| {
        let mut random = rng(seed, &[number, draw.into()]);
        let (mut position, mut moves, mut legal) = (start.clone(), Vec::new(), Vec::new());
        while moves.len() < plies {
            legal.clear();
            position.moves(&mut legal);
            if legal.is_empty() {
                return None;
            }
            let m = legal[random.random_range(0..legal.len())];
            position.play(m);
            moves.push(m);
        }
        judge.forget();
        let is_even = |nodes: u64| {
            let mut budget = Budget { depth: u32::MAX, nodes, time: &mut || 0.0 };
            let chosen = judge.choose(&position, &mut budget, &mut |_| {});
            chosen.is_some_and(|chosen| chosen.value.abs() <= even + Value::from(draw))
        };
        LOOKS.into_iter().all(is_even).then_some(moves)
    })
}

//! What every two-player game has to keep to, checked along random games (the laws of `core::game::Game`).

use morpion_engine::core::game::{Game, MAX_VALUE};
use morpion_engine::core::seed::rng;
use rand::RngExt;
use std::collections::{HashMap, HashSet};

/// Plays a random game of at most `plies` from `start` and checks all laws at each position. `keys` collects the
/// positions (as `Display` shows them) seen with each key: symmetric positions share one, so it maps to their values
/// only in the end.
pub fn check<G: Game>(start: &G, seed: u64, plies: usize, keys: &mut HashMap<u64, String>) {
    let mut rng = rng(seed, &[]);
    let mut position = start.clone();
    let (mut moves, mut bounds) = (Vec::new(), (-MAX_VALUE, MAX_VALUE));
    for ply in 0..plies {
        let at = || format!("seed {seed}, ply {ply}:\n{position}");
        moves.clear();
        position.moves(&mut moves);
        let (low, high) = position.bounds();
        // Bounds seen from the other side, which was to move before.
        bounds = (bounds.0.max(low), bounds.1.min(high));
        assert!(bounds.0 <= bounds.1, "{}bounds {low}..{high} contradict earlier ones", at());
        let shown = position.to_string();
        let key = position.key();
        assert_eq!(key.symmetry, 0);
        let same = keys.entry(key.hash).or_insert_with(|| shown.clone());
        assert_eq!(*same, shown, "seed {seed}: two positions with one key");
        if moves.is_empty() {
            let outcome = position.outcome();
            assert!((bounds.0..=bounds.1).contains(&outcome), "{}outcome {outcome}, bounds {bounds:?}", at());
            assert_eq!(outcome % G::POINT, 0);
            return;
        }
        assert!(position.heuristic().abs() <= MAX_VALUE);
        let symmetric = position.symmetric_key();
        let (mut codes, mut hashed) = (HashSet::new(), HashSet::new());
        for &m in &moves {
            let code = position.code(m);
            assert!(code < position.codes() && codes.insert(code), "{}{m:?} has code {code}", at());
            assert_eq!(position.decode(code), Some(m));
            assert_eq!(position.parse(&position.name(m)), Some(m), "{}", at());
            let carried = position.to_hashed(m, symmetric.symmetry);
            assert_eq!(position.from_hashed(carried, symmetric.symmetry), m, "{}{m:?}", at());
            assert!(hashed.insert(position.code(carried)));
            let mut child = position.clone();
            let undo = child.play(m);
            child.undo(m, undo);
            assert_eq!(child.to_string(), shown, "{}{m:?} is not undone", at());
            assert_eq!((child.key(), child.symmetric_key()), (key, symmetric), "{}{m:?} is not undone", at());
            let mut again = Vec::new();
            child.moves(&mut again);
            assert_eq!(again, moves, "{}{m:?} is not undone", at());
        }
        position.play(moves[rng.random_range(0..moves.len())]);
        bounds = (-bounds.1, -bounds.0);
    }
}

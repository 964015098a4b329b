//! Perft: how many ways there are to play a number of moves, the usual check of a game's rules.
//!
//! A pass is a move like any other, and a game that ends earlier counts as one.

use crate::core::game::Game;

/// The number of sequences of `depth` moves from `position`, those that end the game earlier included.
pub fn perft<G: Game>(position: &mut G, depth: u32) -> u64 {
    count(position, depth, &mut Vec::with_capacity(256))
}

/// `list` is a stack: the moves of this position lie at its end until the call returns.
fn count<G: Game>(position: &mut G, depth: u32, list: &mut Vec<G::Move>) -> u64 {
    if depth == 0 {
        return 1;
    }
    let first = list.len();
    position.moves(list);
    let last = list.len();
    if last == first || depth == 1 {
        list.truncate(first);
        return (last - first).max(1) as u64;
    }
    let mut sum = 0;
    for i in first..last {
        let m = list[i];
        let undo = position.play(m);
        sum += count(position, depth - 1, list);
        position.undo(m, undo);
    }
    list.truncate(first);
    sum
}

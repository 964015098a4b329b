//! The moves of a position by their values: what an analysis knows beside the choice of one move.
//!
//! Each iteration searches the moves in the order of the one before. While fewer are found than asked for, a move has
//! its exact value; after that a move is let in if it is better than the last of them.

use crate::core::game::{Chosen, MAX_VALUE, Value};

/// Below all values.
pub const NO_BOUND: Value = -MAX_VALUE - 1;

/// The moves of a position and what is known of the best.
#[derive(Debug, Clone)]
pub struct AllMoves<M> {
    most: usize,
    /// All moves, in the order in which the next iteration takes them.
    order: Vec<M>,
    /// The best ones with their values, the best first: those of the last iteration that was whole.
    pub best: Vec<Chosen<M>>,
}

impl<M: Copy + PartialEq> AllMoves<M> {
    /// Nothing is known yet of these moves; `most` of them are asked for.
    pub fn new(order: Vec<M>, most: usize) -> AllMoves<M> {
        AllMoves { most: most.max(1), order, best: Vec::new() }
    }

    /// Searches the moves once more; whether it came to the end. `search` gets a move and a bound: it finds the
    /// value if it is above, or any that is not. It finds nothing if it is to end.
    pub fn iterate(&mut self, mut search: impl FnMut(M, Value) -> Option<Chosen<M>>) -> bool {
        let (mut found, mut is_whole) = (Vec::new(), true);
        for &m in &self.order {
            let bound = if found.len() < self.most { NO_BOUND } else { value_of_last(&found) };
            match search(m, bound) {
                Some(chosen) if chosen.value > bound => insert(&mut found, chosen, self.most),
                Some(_) => {}
                None => {
                    is_whole = false;
                    break;
                }
            }
        }
        if is_whole || self.best.is_empty() {
            self.best = found;
            let best = &self.best;
            let place = |m: &M| best.iter().position(|chosen| chosen.line.first() == Some(m)).unwrap_or(best.len());
            self.order.sort_by_key(place);
        }
        is_whole
    }

    /// The best moves; if not one was valued, the first one with a depth of 0.
    pub fn found(mut self) -> Vec<Chosen<M>> {
        if self.best.is_empty() {
            let first = self.order.first().map(|&m| vec![m]);
            self.best.extend(first.map(|line| Chosen { line, value: 0, decided_in: None, depth: 0, nodes: 0 }));
        }
        self.best
    }

    /// Whether the game is decided after each of the best moves.
    pub fn are_decided(&self) -> bool {
        !self.best.is_empty() && self.best.iter().all(|chosen| chosen.decided_in.is_some())
    }
}

fn value_of_last<M>(found: &[Chosen<M>]) -> Value {
    found.last().map_or(NO_BOUND, |chosen| chosen.value)
}

/// Puts a move behind those that are as good, and keeps `most` of them.
fn insert<M>(found: &mut Vec<Chosen<M>>, chosen: Chosen<M>, most: usize) {
    let at = found.partition_point(|other| other.value >= chosen.value);
    found.insert(at, chosen);
    found.truncate(most);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_moves_are_found_without_the_values_of_the_others() {
        let values = [3, 9, 9, -2, 7, 12];
        let mut exact = Vec::new();
        for most in [1, 3, 6, 9] {
            let mut moves = AllMoves::new((0..values.len()).collect(), most);
            for _ in 0..2 {
                exact.clear();
                let is_whole = moves.iterate(|m, bound| {
                    let value = if values[m] > bound { values[m] } else { bound };
                    if values[m] > bound {
                        exact.push(m);
                    }
                    Some(Chosen { line: vec![m], value, decided_in: None, depth: 1, nodes: 1 })
                });
                assert!(is_whole);
                let found: Vec<usize> = moves.best.iter().map(|chosen| chosen.line[0]).collect();
                assert_eq!(found, [5, 1, 2, 4, 0, 3][..most.min(6)], "{most}");
            }
            assert_eq!(exact.len(), most.min(6), "the second time the best ones come first");
        }
    }

    #[test]
    fn an_iteration_that_is_cut_short_changes_nothing_but_the_first() {
        let chosen = |m: usize, value| Some(Chosen { line: vec![m], value, decided_in: None, depth: 1, nodes: 1 });
        let mut moves = AllMoves::new(vec![0, 1, 2], 3);
        assert!(!moves.iterate(|m, _| if m == 2 { None } else { chosen(m, m as Value) }));
        assert_eq!(moves.best.len(), 2);
        assert!(moves.iterate(|m, _| chosen(m, 5)));
        assert!(!moves.iterate(|m, _| if m == 2 { None } else { chosen(m, 100) }));
        assert_eq!(moves.best.iter().map(|chosen| chosen.value).collect::<Vec<_>>(), [5, 5, 5]);
    }
}

//! Walks over sets of lines on a ladder of temperatures and prices, which exchange their sets.

use super::chances::Chances;
use super::lines::PeelingSet;
use crate::core::seed::Rng;
use crate::morpion::board::Board;
use crate::morpion::geometry::Move;
use crate::morpion::variant::Rules;
use rand::RngExt;

/// Where a walk stands on the ladder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rung {
    /// How readily worse sets are taken, in lines.
    pub temperature: f64,
    /// What a lent point costs, in lines.
    pub price: f64,
    /// Points that may be lent at most.
    pub lent: usize,
}

/// A walk over sets of lines.
pub(super) struct LineWalk<R> {
    pub rung: Rung,
    pub chances: Chances,
    pub set: PeelingSet<R>,
}

impl<R: Rules> LineWalk<R> {
    /// Begins with no lines, as [`PeelingSet::new`] takes a board and barred moves.
    pub fn new(rung: Rung, board: Option<&Board<R>>, barred: &[Move]) -> LineWalk<R> {
        LineWalk { rung, chances: Chances::new(rung.temperature, rung.price), set: PeelingSet::new(board, barred) }
    }

    /// Takes another rung.
    pub fn move_to(&mut self, rung: Rung) {
        if rung != self.rung {
            (self.rung, self.chances) = (rung, Chances::new(rung.temperature, rung.price));
        }
    }
}

impl Rung {
    /// The rung between two others, this part of the way from the first to the second.
    pub fn between(from: Rung, to: Rung, part: f64) -> Rung {
        let mix = |from: f64, to: f64| from + part * (to - from);
        Rung { temperature: mix(from.temperature, to.temperature), price: mix(from.price, to.price), lent: to.lent }
    }
}

/// Lets every other walk and the next one exchange their sets, or not: those that begin with the first, or with the
/// second where `odd` says so.
pub(super) fn exchange<R: Rules>(walks: &mut [LineWalk<R>], odd: bool, rng: &mut Rng) {
    for pair in walks[usize::from(odd)..].chunks_exact_mut(2) {
        let [hot, cold] = pair else { continue };
        let (lent, lent_cold) = (hot.set.lent(), cold.set.lent());
        if lent > cold.rung.lent || lent_cold > hot.rung.lent {
            continue;
        }
        let lines = hot.set.len() as f64 - cold.set.len() as f64;
        let more_lent = lent as f64 - lent_cold as f64;
        let weight = |rung: Rung| (lines - rung.price * more_lent) / rung.temperature;
        let gain = weight(cold.rung) - weight(hot.rung);
        if gain >= 0.0 || rng.random::<f64>() < gain.exp() {
            std::mem::swap(&mut hot.set, &mut cold.set);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;
    use crate::morpion::position::Position;
    use crate::morpion::variant::D5;
    use crate::strategies::choices::tests::game;

    /// A long grid goes to the colder walk. A set with more lent points than a walk may have does not go there.
    #[test]
    fn sets_go_where_they_weigh_more_and_where_they_may() {
        let board = Position::<D5>::new();
        let long = game::<D5>(3, usize::MAX);
        let walks = |cold_lent: usize| {
            let rung = |temperature: f64, lent: usize| Rung { temperature, price: 3.0, lent };
            let mut walks =
                [rung(1.0, 2), rung(0.1, cold_lent)].map(|rung| LineWalk::new(rung, Some(board.board()), &[]));
            assert!(walks[0].set.become_game(&long));
            walks
        };
        let mut own = walks(2);
        exchange(&mut own, true, &mut rng(1, &[]));
        assert_eq!(own[1].set.len(), 0);
        exchange(&mut own, false, &mut rng(1, &[]));
        assert_eq!((own[0].set.len(), own[1].set.len()), (0, long.len()));
        // Without its first line the game needs a point to be lent.
        let mut own = walks(0);
        let numbers = own[0].set.numbers()[1..].to_vec();
        assert!(own[0].set.become_set(&numbers, 2) && own[0].set.lent() > 0);
        exchange(&mut own, false, &mut rng(1, &[]));
        assert_eq!(own[1].set.len(), 0);
    }
}

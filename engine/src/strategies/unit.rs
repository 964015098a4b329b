//! One unit of work for a strategy, as a coordinator hands it out.

use crate::morpion::board::Board;
use crate::morpion::geometry::Move;
use crate::morpion::position::Position;
use crate::morpion::variant::Rules;
use crate::strategies::params::Params;

/// One unit of work for a strategy.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Unit {
    /// Moves played before the search begins; legal in this order.
    pub prefix: Vec<Move>,
    /// The moves that the unit may begin with, if not all legal ones: order-free search hands over only those
    /// that no earlier unit has entered.
    pub candidates: Option<Vec<Move>>,
    /// Seed of the unit's random numbers.
    pub seed: u64,
    /// End the unit after so many iterations.
    pub max_iterations: Option<u64>,
    /// Score of the longest grid that was known when the unit was handed out; 0 if the search does not ask for it
    /// ([`JumpsFrom::Hunt`](super::params::JumpsFrom::Hunt) does).
    #[serde(default)]
    pub known_best: u32,
}

impl Unit {
    /// The position after the prefix, which begins with the start that the parameters name.
    pub(super) fn position<R: Rules>(&self, params: &Params) -> Position<R> {
        let mut position = params.start.position();
        for &mv in &self.prefix {
            position.play(mv);
        }
        position
    }

    /// Moves after the prefix at which games end.
    pub(super) fn room<R: Rules>(&self, params: &Params) -> usize {
        (params.start.longest_game(R::VARIANT) as usize).saturating_sub(self.prefix.len())
    }

    /// The moves that the unit may begin with at the position after the prefix.
    pub(super) fn moves<'a, R: Rules>(&'a self, position: &'a Position<R>) -> &'a [Move] {
        self.candidates.as_deref().unwrap_or(position.moves())
    }

    /// The grids that begin with the prefix and go beyond it, without it.
    pub(super) fn own<'a>(&'a self, grids: &'a [Vec<Move>]) -> impl Iterator<Item = Vec<Move>> + 'a {
        let own = grids.iter().filter_map(|grid| grid.strip_prefix(&self.prefix[..]));
        own.filter(|grid| !grid.is_empty()).map(<[Move]>::to_vec)
    }
}

/// Whether a move that may come from anywhere is one of the rules and legal on the board.
pub(super) fn is_legal<R: Rules>(board: &Board<R>, mv: Move) -> bool {
    Move::from_bits(R::VARIANT, mv.bits()) == Some(mv) && board.is_legal(mv)
}

/// Fills a list of fixed length where no move has been written yet.
pub(super) const NO_MOVE: Move = Move::from_raw(0);

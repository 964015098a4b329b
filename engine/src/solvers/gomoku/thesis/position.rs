//! A position as the search of patterns sees it: the moves that it looks at, and what the position is worth to it.

use super::patterns::{PatternSums, PatternTable};
use crate::core::game::{Game, Key, Side, Value};
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::games::gomoku::rules::RowRule;
use std::fmt;

/// What a won game is worth.
pub const WON: Value = 20_000;
/// Estimates are kept within this.
const MOST: Value = 10_000;
/// Percent for the patterns of the side that searches an odd number of plies: it has moved once more than the other.
const AT_ODD_DEPTH: Value = 80;
/// Percent that is added for the side that attacks more, which is black, and for what white defends against.
const OF_COLOUR: Value = 10;

/// In percent, what the patterns of the side that searches and those of the other count. The thesis has such weights
/// by depth and colour; their sizes are chosen here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttackWeights {
    attack: Value,
    defence: Value,
}

impl AttackWeights {
    /// The weights of a search by a side to a depth.
    pub fn of(side: Side, depth: u32) -> AttackWeights {
        let attack = if depth % 2 == 1 { AT_ODD_DEPTH } else { 100 };
        match side {
            Side::First => AttackWeights { attack: attack + OF_COLOUR, defence: 100 },
            Side::Second => AttackWeights { attack, defence: 100 + OF_COLOUR },
        }
    }
}

/// A position with the patterns that it is looked at with.
#[derive(Debug, Clone)]
pub struct PatternPosition<'p> {
    position: GomokuPosition,
    patterns: &'p PatternTable,
    weights: AttackWeights,
    /// The side that searches.
    root: Side,
}

impl fmt::Display for PatternPosition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.position.fmt(f)
    }
}

impl<'p> PatternPosition<'p> {
    /// The position from which the side to move searches.
    pub fn new(position: &GomokuPosition, patterns: &'p PatternTable, weights: AttackWeights) -> PatternPosition<'p> {
        PatternPosition { position: position.clone(), patterns, weights, root: position.side() }
    }

    /// The same position, from which the side to move searches to a depth.
    pub fn seen_from_here(self, depth: u32) -> PatternPosition<'p> {
        let weights = AttackWeights::of(self.position.side(), depth);
        PatternPosition::new(&self.position, self.patterns, weights)
    }
}

/// The game in which the points of patterns are all moves there are, or the point next to the middle where there is
/// none.
impl Game for PatternPosition<'_> {
    type Move = GomokuMove;
    type Undo = <GomokuPosition as Game>::Undo;

    const POINT: Value = 1;

    fn side(&self) -> Side {
        self.position.side()
    }

    fn moves(&self, list: &mut Vec<GomokuMove>) {
        if self.position.winner().is_some() || self.position.empty() == 0 {
            return;
        }
        let before = list.len();
        list.extend(self.patterns.points(&self.position).into_iter().map(GomokuMove));
        if self.position.rules().rule() == RowRule::Renju {
            list.retain(|&m| self.position.check_move(m).is_ok());
        }
        if list.len() > before {
            return;
        }
        self.position.moves(list);
        let board = self.position.board();
        let off = |at: u8, size: u8| at.abs_diff(size / 2);
        let from_middle = |m: &GomokuMove| {
            let (x, y) = board.place(m.0);
            off(x, board.width()).max(off(y, board.height()))
        };
        let best = list[before..].iter().copied().min_by_key(from_middle);
        list.truncate(before);
        list.extend(best);
    }

    fn play(&mut self, m: GomokuMove) -> Self::Undo {
        self.position.play(m)
    }

    fn undo(&mut self, m: GomokuMove, undo: Self::Undo) {
        self.position.undo(m, undo);
    }

    /// A row that wins was made by the last move.
    fn outcome(&self) -> Value {
        match self.position.winner() {
            Some(winner) if winner == self.position.side() => WON,
            Some(_) => -WON,
            None => 0,
        }
    }

    fn heuristic(&self) -> Value {
        let PatternSums { own, enemy } = self.patterns.sums(&self.position);
        let AttackWeights { attack, defence } = self.weights;
        let (for_own, for_enemy) = if self.side() == self.root { (attack, defence) } else { (defence, attack) };
        ((own * for_own - enemy * for_enemy) / 100).clamp(-MOST, MOST)
    }

    fn key(&self) -> Key {
        self.position.key()
    }

    fn code(&self, m: GomokuMove) -> u16 {
        self.position.code(m)
    }

    fn decode(&self, code: u16) -> Option<GomokuMove> {
        self.position.decode(code)
    }

    fn codes(&self) -> u16 {
        self.position.codes()
    }

    fn name(&self, m: GomokuMove) -> String {
        self.position.name(m)
    }
}

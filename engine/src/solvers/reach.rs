//! How far the solvers come: from how many empty cells they have reached the end of a game.
//!
//! The numbers are those of `results/`: Reversi, Go and Gomoku, "small games". They forbid nothing, since somebody
//! may have the time. A person is told beforehand, and that is all that they are for.

use crate::games::go::position::GoPosition;
use crate::games::go::rules::Ko;
use crate::games::gomoku::position::GomokuPosition;
use crate::games::gomoku::rules::RowRule;
use crate::games::reversi::position::ReversiPosition;

/// Cells of a board of Reversi that is solved from its start: 6x6.
const REVERSI_BOARD: u8 = 36;
/// Empty cells from which larger boards of Reversi are solved within minutes.
const REVERSI_EMPTY: u32 = 28;
/// Empty points from which Go is solved: the whole of 5x5, and under superko of 4x5.
const GO_EMPTY: u32 = 25;
const GO_EMPTY_SUPERKO: u32 = 20;
/// Empty points from which all moves of Gomoku are searched: 7x7 for rows of five, 8x8 for longer ones.
const GOMOKU_EMPTY: u32 = 49;
const GOMOKU_EMPTY_LONG: u32 = 64;
/// The same under renju, and for rows of four under Caro, which neither threats nor defences decide: 5x5 and 6x5.
const GOMOKU_EMPTY_RENJU: u32 = 25;
const GOMOKU_EMPTY_CARO_FOUR: u32 = 30;
/// Stones of a row that is won at once on boards of any size: under Caro, and where threats prove it.
const SHORT_ROW: u8 = 3;
const SHORT_ROW_BY_THREATS: u8 = 4;
/// Stones of the longest row that is proven by threats.
const LONGEST_BY_THREATS: u8 = 5;

/// A position is further from the end of the game than any that its solver has come to the end of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BeyondReach {
    /// Cells that are empty.
    pub empty: u32,
    /// From so many the solver has come to the end at most.
    pub most: u32,
    /// Whether a proof by threats may end it all the same.
    pub by_threats: bool,
}

impl BeyondReach {
    /// Nothing if there are not more empty cells than so many.
    fn from(empty: u32, most: u32) -> Option<BeyondReach> {
        (empty > most).then_some(BeyondReach { empty, most, by_threats: false })
    }

    /// A position of Reversi.
    pub fn reversi(position: &ReversiPosition) -> Option<BeyondReach> {
        let board = position.board();
        let is_small = board.width() * board.height() <= REVERSI_BOARD;
        if is_small { None } else { BeyondReach::from(position.empty().count_ones(), REVERSI_EMPTY) }
    }

    /// A position of Go.
    pub fn go(position: &GoPosition) -> Option<BeyondReach> {
        let (black, white) = position.stones();
        let empty = u32::from(position.board().area()) - (black | white).count_ones();
        let is_superko = position.rules().ko == Ko::Superko;
        BeyondReach::from(empty, if is_superko { GO_EMPTY_SUPERKO } else { GO_EMPTY })
    }

    /// A position of Gomoku.
    pub fn gomoku(position: &GomokuPosition) -> Option<BeyondReach> {
        let (board, rules) = (position.board(), position.rules());
        let has_threats = matches!(rules.rule(), RowRule::Five | RowRule::Free);
        let short = if has_threats { SHORT_ROW_BY_THREATS } else { SHORT_ROW };
        // A row that has no room on the board is no question.
        if rules.win() <= short || rules.win() > board.width().max(board.height()) {
            return None;
        }
        let is_long = rules.win() > LONGEST_BY_THREATS;
        let most = match rules.rule() {
            _ if is_long => GOMOKU_EMPTY_LONG,
            RowRule::Renju => GOMOKU_EMPTY_RENJU,
            RowRule::Caro if rules.win() < LONGEST_BY_THREATS => GOMOKU_EMPTY_CARO_FOUR,
            RowRule::Five | RowRule::Free | RowRule::Caro => GOMOKU_EMPTY,
        };
        let by_threats = has_threats && !is_long;
        BeyondReach::from(position.empty().into(), most).map(|beyond| BeyondReach { by_threats, ..beyond })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::go::board::GoBoard;
    use crate::games::go::rules::GoRules;
    use crate::games::gomoku::board::GomokuBoard;
    use crate::games::gomoku::rules::GomokuRules;
    use crate::games::reversi::board::ReversiBoard;
    use crate::games::reversi::position::Start;
    use crate::solvers::solvable::Solvable;

    fn reversi(width: u8, height: u8) -> Option<BeyondReach> {
        ReversiPosition::new(ReversiBoard::new(width, height).unwrap(), Start::Standard).beyond_reach()
    }

    fn go(width: u8, height: u8, ko: Ko) -> Option<BeyondReach> {
        let rules = GoRules { ko, ..GoRules::default() };
        GoPosition::new(GoBoard::new(width, height).unwrap(), rules).beyond_reach()
    }

    fn gomoku(size: u8, rule: RowRule, win: u8) -> Option<BeyondReach> {
        let rules = GomokuRules::new(rule, win).unwrap();
        GomokuPosition::new(GomokuBoard::new(size, size).unwrap(), rules).beyond_reach()
    }

    /// What `results/` has as solved is within reach, and what it has as begun or impossible is not.
    #[test]
    fn what_was_solved_is_within_reach() {
        assert_eq!([reversi(4, 4), reversi(6, 6), reversi(5, 7)], [None; 3]);
        assert_eq!(reversi(8, 8), Some(BeyondReach { empty: 60, most: 28, by_threats: false }));
        assert!(reversi(6, 7).is_some());
        assert_eq!([go(5, 5, Ko::Basic), go(4, 5, Ko::Superko), go(2, 7, Ko::Free)], [None; 3]);
        assert_eq!(go(7, 7, Ko::Basic), Some(BeyondReach { empty: 49, most: 25, by_threats: false }));
        assert!(go(5, 5, Ko::Superko).is_some());
        let within = [(3, RowRule::Five, 3), (7, RowRule::Free, 5), (15, RowRule::Five, 4), (8, RowRule::Free, 6)];
        assert!(within.into_iter().all(|(size, rule, win)| gomoku(size, rule, win).is_none()));
        let within = [(5, RowRule::Renju, 5), (5, RowRule::Caro, 4), (7, RowRule::Caro, 5)];
        assert!(within.into_iter().all(|(size, rule, win)| gomoku(size, rule, win).is_none()));
        assert_eq!(gomoku(15, RowRule::Five, 5), Some(BeyondReach { empty: 225, most: 49, by_threats: true }));
        let early = [(6, RowRule::Renju, 5), (6, RowRule::Caro, 4)];
        assert!(early.into_iter().all(|(size, rule, win)| gomoku(size, rule, win).is_some()));
        let beyond = [(8, RowRule::Free, 5), (15, RowRule::Caro, 4), (15, RowRule::Renju, 5), (15, RowRule::Free, 6)];
        let by_threats = beyond.map(|(size, rule, win)| gomoku(size, rule, win).map(|beyond| beyond.by_threats));
        assert_eq!(by_threats, [Some(true), Some(false), Some(false), Some(false)]);
        assert_eq!(gomoku(10, RowRule::Free, 11), None, "there is no room for a row");
    }
}

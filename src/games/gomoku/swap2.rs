//! Swap2, the opening by which two players agree on who has black, as a state machine.
//!
//! One player puts three stones anywhere: black, white, black. The other takes white and goes on, or takes black, or
//! puts two stones more, white and black, and lets the first player choose. The game goes on with white to move.

use super::board::GomokuBoard;
use super::position::{GomokuPosition, GomokuStonesError};
use super::rules::GomokuRules;
use crate::core::game::Side;

/// One of the players, who have no colours yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swap2Player {
    /// The one who puts the first three stones.
    Opener,
    /// The other one.
    Answerer,
}

/// What is to be done next, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swap2Turn {
    /// A stone is to be put.
    Place {
        /// The player who puts it.
        player: Swap2Player,
        /// The colour of the stone.
        colour: Side,
    },
    /// A colour is to be chosen.
    Choose {
        /// The player who chooses.
        player: Swap2Player,
        /// Whether two more stones may be put instead.
        may_add: bool,
    },
    /// The colours are agreed on; white is to move.
    Agreed {
        /// The player who has black.
        black: Swap2Player,
    },
}

/// An answer to the stones on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swap2Choice {
    /// To play on with these stones.
    Colour(Side),
    /// To put two stones more, and let the other player choose.
    Add,
}

/// Something that cannot be done now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Swap2Error {
    /// It is time to choose, or everything is agreed on.
    #[error("no stone is to be put now")]
    NoStone,
    /// It is time to put a stone, or everything is agreed on.
    #[error("nothing is to be chosen now")]
    NoChoice,
    /// Two stones more may be put once.
    #[error("two more stones can be put after the first three only")]
    NoAdding,
    /// The point is off the board or has a stone.
    #[error("the point is not an empty point of the board")]
    Point,
}

/// An opening by Swap2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swap2 {
    board: GomokuBoard,
    stones: Vec<u16>,
    added: bool,
    black: Option<Swap2Player>,
}

impl Swap2 {
    /// The beginning, with an empty board.
    pub fn new(board: GomokuBoard) -> Swap2 {
        Swap2 { board, stones: Vec::new(), added: false, black: None }
    }

    /// What is to be done next.
    pub fn turn(&self) -> Swap2Turn {
        let colour = if self.stones.len().is_multiple_of(2) { Side::First } else { Side::Second };
        match (self.black, self.stones.len(), self.added) {
            (Some(black), _, _) => Swap2Turn::Agreed { black },
            (None, 0..3, _) => Swap2Turn::Place { player: Swap2Player::Opener, colour },
            (None, 3, false) => Swap2Turn::Choose { player: Swap2Player::Answerer, may_add: true },
            (None, 3..5, true) => Swap2Turn::Place { player: Swap2Player::Answerer, colour },
            _ => Swap2Turn::Choose { player: Swap2Player::Opener, may_add: false },
        }
    }

    /// Puts the next stone.
    ///
    /// # Errors
    /// No stone is to be put, or the point is not empty.
    pub fn place(&mut self, point: u16) -> Result<(), Swap2Error> {
        let Swap2Turn::Place { .. } = self.turn() else { return Err(Swap2Error::NoStone) };
        if !self.board.holds(point) || self.stones.contains(&point) {
            return Err(Swap2Error::Point);
        }
        self.stones.push(point);
        Ok(())
    }

    /// Chooses.
    ///
    /// # Errors
    /// Nothing is to be chosen, or not this.
    pub fn choose(&mut self, choice: Swap2Choice) -> Result<(), Swap2Error> {
        let Swap2Turn::Choose { player, may_add } = self.turn() else { return Err(Swap2Error::NoChoice) };
        let other = if player == Swap2Player::Opener { Swap2Player::Answerer } else { Swap2Player::Opener };
        match choice {
            Swap2Choice::Colour(Side::First) => self.black = Some(player),
            Swap2Choice::Colour(Side::Second) => self.black = Some(other),
            Swap2Choice::Add if may_add => self.added = true,
            Swap2Choice::Add => return Err(Swap2Error::NoAdding),
        }
        Ok(())
    }

    /// The stones in the order in which they were put: black and white in turn.
    pub fn stones(&self) -> &[u16] {
        &self.stones
    }

    /// The stones as a position, with white to move once the colours are agreed on.
    ///
    /// # Errors
    /// Both colours have a row that wins, which short rows make possible.
    pub fn position(&self, rules: GomokuRules) -> Result<GomokuPosition, GomokuStonesError> {
        let colour = |n: usize| if n.is_multiple_of(2) { Side::First } else { Side::Second };
        let stones: Vec<(u16, Side)> = self.stones.iter().enumerate().map(|(n, &at)| (at, colour(n))).collect();
        GomokuPosition::from_stones(self.board, rules, &stones, colour(stones.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened() -> Swap2 {
        let mut swap = Swap2::new(GomokuBoard::USUAL);
        for (point, colour) in [(0, Side::First), (1, Side::Second), (2, Side::First)] {
            assert_eq!(swap.turn(), Swap2Turn::Place { player: Swap2Player::Opener, colour });
            assert_eq!(swap.choose(Swap2Choice::Add), Err(Swap2Error::NoChoice));
            swap.place(point).unwrap();
        }
        swap
    }

    #[test]
    fn the_second_player_takes_a_colour() {
        for (colour, black) in [(Side::First, Swap2Player::Answerer), (Side::Second, Swap2Player::Opener)] {
            let mut swap = opened();
            assert_eq!(swap.turn(), Swap2Turn::Choose { player: Swap2Player::Answerer, may_add: true });
            assert_eq!(swap.place(5), Err(Swap2Error::NoStone));
            swap.choose(Swap2Choice::Colour(colour)).unwrap();
            assert_eq!(swap.turn(), Swap2Turn::Agreed { black });
            assert_eq!(swap.choose(Swap2Choice::Add), Err(Swap2Error::NoChoice));
            assert_eq!(swap.place(5), Err(Swap2Error::NoStone));
        }
    }

    #[test]
    fn two_more_stones_let_the_first_player_choose() {
        for (colour, black) in [(Side::First, Swap2Player::Opener), (Side::Second, Swap2Player::Answerer)] {
            let mut swap = opened();
            swap.choose(Swap2Choice::Add).unwrap();
            for (point, colour) in [(40, Side::Second), (41, Side::First)] {
                assert_eq!(swap.turn(), Swap2Turn::Place { player: Swap2Player::Answerer, colour });
                assert_eq!(swap.place(0), Err(Swap2Error::Point));
                assert_eq!(swap.place(15), Err(Swap2Error::Point), "off the board");
                swap.place(point).unwrap();
            }
            assert_eq!(swap.turn(), Swap2Turn::Choose { player: Swap2Player::Opener, may_add: false });
            assert_eq!(swap.choose(Swap2Choice::Add), Err(Swap2Error::NoAdding));
            swap.choose(Swap2Choice::Colour(colour)).unwrap();
            assert_eq!(swap.turn(), Swap2Turn::Agreed { black });
            let position = swap.position(GomokuRules::default()).unwrap();
            let colours: Vec<Side> = swap.stones().iter().filter_map(|&point| position.stone(point)).collect();
            assert_eq!(colours, [Side::First, Side::Second, Side::First, Side::Second, Side::First]);
            assert_eq!(crate::core::game::Game::side(&position), Side::Second);
        }
    }
}

//! Swap2, the opening by which two players agree on who has black, as a state machine.
//!
//! One player puts three stones anywhere: black, white, black. The other takes white and goes on, or takes black, or
//! puts two stones more, white and black, and lets the first player choose. The game goes on with white to move.
//! [`game`] is a whole game that begins so.

pub mod game;

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

impl Swap2Player {
    /// The opponent of this player.
    pub fn other(self) -> Swap2Player {
        match self {
            Swap2Player::Opener => Swap2Player::Answerer,
            Swap2Player::Answerer => Swap2Player::Opener,
        }
    }

    /// The word for the player: `opener`, `answerer`.
    pub fn name(self) -> &'static str {
        match self {
            Swap2Player::Opener => "opener",
            Swap2Player::Answerer => "answerer",
        }
    }
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

impl Swap2Choice {
    /// All choices with the words for them.
    pub const ALL: [(Swap2Choice, &'static str); 3] = [
        (Swap2Choice::Colour(Side::Second), "white"),
        (Swap2Choice::Colour(Side::First), "black"),
        (Swap2Choice::Add, "add"),
    ];

    /// The word for the choice: `white`, `black`, `add`.
    pub fn name(self) -> &'static str {
        match self {
            Swap2Choice::Colour(Side::Second) => "white",
            Swap2Choice::Colour(Side::First) => "black",
            Swap2Choice::Add => "add",
        }
    }

    /// The choice of a word, in any case.
    pub fn named(word: &str) -> Option<Swap2Choice> {
        Swap2Choice::ALL.iter().find(|(_, name)| word.eq_ignore_ascii_case(name)).map(|(choice, _)| *choice)
    }
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
    /// The three black stones of the opening could win.
    #[error("a row of {0} is too short for Swap2: the row that wins has at least {LEAST_ROW} stones")]
    Row(u8),
    /// There is no room for a game after five stones.
    #[error("the {0} board is too small for Swap2: it has at least {LEAST_AREA} points")]
    Board(GomokuBoard),
}

/// Least length of the row that wins: one more than black has stones in an opening.
pub const LEAST_ROW: u8 = 4;
/// Least number of points of a board: one more than an opening has stones.
pub const LEAST_AREA: u16 = 6;

/// Stones of the first player.
const FIRST_STONES: usize = 3;
/// Stones of an opening in which the second player puts two more.
const ALL_STONES: usize = 5;

/// An opening by Swap2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swap2 {
    board: GomokuBoard,
    stones: Vec<u16>,
    added: bool,
    black: Option<Swap2Player>,
}

impl Swap2 {
    /// What users call the opening.
    pub const NAME: &'static str = "swap2";

    /// Whether games on this board under these rules can begin so.
    ///
    /// # Errors
    /// Why not.
    pub fn check(board: GomokuBoard, rules: GomokuRules) -> Result<(), Swap2Error> {
        if rules.win() < LEAST_ROW {
            return Err(Swap2Error::Row(rules.win()));
        }
        if board.area() < LEAST_AREA { Err(Swap2Error::Board(board)) } else { Ok(()) }
    }

    /// The beginning, with an empty board.
    pub fn new(board: GomokuBoard) -> Swap2 {
        Swap2 { board, stones: Vec::new(), added: false, black: None }
    }

    /// What is to be done next.
    pub fn turn(&self) -> Swap2Turn {
        let colour = if self.stones.len().is_multiple_of(2) { Side::First } else { Side::Second };
        match (self.black, self.stones.len(), self.added) {
            (Some(black), _, _) => Swap2Turn::Agreed { black },
            (None, 0..FIRST_STONES, _) => Swap2Turn::Place { player: Swap2Player::Opener, colour },
            (None, FIRST_STONES, false) => Swap2Turn::Choose { player: Swap2Player::Answerer, may_add: true },
            (None, FIRST_STONES..ALL_STONES, true) => Swap2Turn::Place { player: Swap2Player::Answerer, colour },
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
        match choice {
            Swap2Choice::Colour(Side::First) => self.black = Some(player),
            Swap2Choice::Colour(Side::Second) => self.black = Some(player.other()),
            Swap2Choice::Add if may_add => self.added = true,
            Swap2Choice::Add => return Err(Swap2Error::NoAdding),
        }
        Ok(())
    }

    /// Takes back the last stone or choice; whether there was one.
    pub fn take_back(&mut self) -> bool {
        if self.black.take().is_some() {
            return true;
        }
        if self.added && self.stones.len() == FIRST_STONES {
            self.added = false;
            return true;
        }
        self.stones.pop().is_some()
    }

    /// How many stones the player who is to put one puts now, that one included.
    pub fn to_place(&self) -> usize {
        match self.turn() {
            Swap2Turn::Place { player: Swap2Player::Opener, .. } => FIRST_STONES - self.stones.len(),
            Swap2Turn::Place { .. } => ALL_STONES - self.stones.len(),
            _ => 0,
        }
    }

    /// What can be chosen now; nothing if a stone is to be put or the colours are agreed on.
    pub fn choices(&self) -> Vec<Swap2Choice> {
        let Swap2Turn::Choose { may_add, .. } = self.turn() else { return Vec::new() };
        Swap2Choice::ALL
            .into_iter()
            .map(|(choice, _)| choice)
            .filter(|&one| may_add || one != Swap2Choice::Add)
            .collect()
    }

    /// What was chosen, in order.
    pub fn chosen(&self) -> Vec<Swap2Choice> {
        let chooser = if self.added { Swap2Player::Opener } else { Swap2Player::Answerer };
        let colour = |black| Swap2Choice::Colour(if black == chooser { Side::First } else { Side::Second });
        self.added.then_some(Swap2Choice::Add).into_iter().chain(self.black.map(colour)).collect()
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
    fn stones_and_choices_are_taken_back() {
        for steps in
            [vec![Swap2Choice::Colour(Side::First)], vec![Swap2Choice::Add, Swap2Choice::Colour(Side::Second)]]
        {
            let mut swap = Swap2::new(GomokuBoard::USUAL);
            let (mut before, mut points) = (Vec::new(), 0..);
            let mut choices = steps.iter();
            while !matches!(swap.turn(), Swap2Turn::Agreed { .. }) {
                before.push(swap.clone());
                match swap.turn() {
                    Swap2Turn::Choose { .. } => swap.choose(*choices.next().unwrap()).unwrap(),
                    _ => swap.place(points.next().unwrap()).unwrap(),
                }
            }
            assert_eq!(swap.chosen(), steps);
            while let Some(one) = before.pop() {
                assert!(swap.take_back());
                assert_eq!(swap, one);
            }
            assert!(!swap.take_back());
        }
    }

    #[test]
    fn short_rows_and_small_boards_have_no_such_opening() {
        let check = |width, height, win| {
            let rules = GomokuRules::new(crate::games::gomoku::rules::RowRule::Free, win).unwrap();
            Swap2::check(GomokuBoard::new(width, height).unwrap(), rules)
        };
        assert_eq!((check(15, 15, 4), check(6, 1, 5)), (Ok(()), Ok(())));
        assert_eq!(check(15, 15, 3), Err(Swap2Error::Row(3)));
        let error = check(5, 1, 5).unwrap_err().to_string();
        assert_eq!(error, "the 5x1 board is too small for Swap2: it has at least 6 points");
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

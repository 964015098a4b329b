//! A game of Gomoku that begins with Swap2: the stones and choices of the opening are its first moves.
//!
//! Sides are colours: the side to move is the one whose stone comes next. Who makes a move is another question until
//! the colours are agreed on ([`Swap2Game::player`]).

use super::{Swap2, Swap2Choice, Swap2Error, Swap2Player, Swap2Turn};
use crate::core::game::{Game, Key, Side, Value};
use crate::games::gomoku::board::GomokuBoard;
use crate::games::gomoku::notation::colour_name;
use crate::games::gomoku::position::{GomokuMove, GomokuMoveError, GomokuPosition};
use crate::games::gomoku::record::GomokuRecord;
use crate::games::gomoku::rules::GomokuRules;
use std::fmt;

/// What a player does in such a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swap2Move {
    /// A stone is put, in the opening or after it.
    Stone(u16),
    /// Something is chosen.
    Choice(Swap2Choice),
}

impl Swap2Move {
    /// The point of the stone, if it is one.
    pub fn stone(self) -> Option<u16> {
        match self {
            Swap2Move::Stone(point) => Some(point),
            Swap2Move::Choice(_) => None,
        }
    }
}

/// Why something cannot be done now.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Swap2MoveError {
    /// A choice is to be made, and these are open.
    #[error("no stone is to be put now: a choice is to be made, {0}")]
    Choose(String),
    /// A stone is to be put.
    #[error("nothing is to be chosen now: a stone is to be put")]
    Place,
    /// Everything is chosen.
    #[error("nothing is to be chosen now: the colours are agreed on")]
    Agreed,
    /// Two stones more may be put once.
    #[error(transparent)]
    Opening(#[from] Swap2Error),
    /// A stone that cannot be put there.
    #[error(transparent)]
    Stone(#[from] GomokuMoveError),
}

/// Why a record is no game of this kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Swap2RecordError {
    /// The board or the row is too small.
    #[error(transparent)]
    Rules(#[from] Swap2Error),
    /// It does not say that it begins so.
    #[error("the record does not say that the game begins with Swap2, as ON[Swap2] or ON[Swap2: add, white] does")]
    Other,
    /// It begins with stones on the board.
    #[error("a game that begins with Swap2 begins with black on an empty board")]
    Begun,
    /// A choice is needed before the next stone, or none is.
    #[error("the choices of the opening, ON[Swap2: ...], do not fit the moves: {0}")]
    Choices(String),
    /// A move that cannot be made.
    #[error("move {0}: {1}")]
    Move(usize, Swap2MoveError),
}

/// A game that begins with Swap2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swap2Game {
    opening: Swap2,
    position: GomokuPosition,
}

impl Swap2Game {
    /// The beginning, with an empty board.
    ///
    /// # Errors
    /// A board or a row that is too small.
    pub fn new(board: GomokuBoard, rules: GomokuRules) -> Result<Swap2Game, Swap2Error> {
        Swap2::check(board, rules)?;
        Ok(Swap2Game { opening: Swap2::new(board), position: GomokuPosition::new(board, rules) })
    }

    /// The beginning of a recorded game, and its moves, all of them legal.
    ///
    /// # Errors
    /// A record of another kind of game, or one whose choices are missing or do not fit.
    pub fn from_record(
        record: &GomokuRecord,
        rules: GomokuRules,
    ) -> Result<(Swap2Game, Vec<Swap2Move>), Swap2RecordError> {
        let choices = record.swap2.as_ref().ok_or(Swap2RecordError::Other)?;
        if !record.begin.is_empty() || record.first == Side::Second {
            return Err(Swap2RecordError::Begun);
        }
        let start = Swap2Game::new(record.board, rules)?;
        let (mut game, mut moves, mut choices) = (start.clone(), Vec::new(), choices.iter());
        let mut make = |game: &mut Swap2Game, m| {
            game.check_move(m)?;
            game.play(m);
            moves.push(m);
            Ok(())
        };
        let unfit = |error: Swap2MoveError| Swap2RecordError::Choices(error.to_string());
        for (number, &point) in (1..).zip(&record.moves) {
            while let (Swap2Turn::Choose { .. }, Some(&choice)) = (game.opening.turn(), choices.as_slice().first()) {
                choices.next();
                make(&mut game, Swap2Move::Choice(choice)).map_err(unfit)?;
            }
            make(&mut game, Swap2Move::Stone(point)).map_err(|error| match error {
                error @ Swap2MoveError::Choose(_) => unfit(error),
                error => Swap2RecordError::Move(number, error),
            })?;
        }
        for &choice in choices {
            make(&mut game, Swap2Move::Choice(choice)).map_err(unfit)?;
        }
        Ok((start, moves))
    }

    /// The record of a game from its beginning to here, whose stones were put in this order.
    pub fn record(&self, stones: &[GomokuMove]) -> GomokuRecord {
        let swap2 = Some(self.opening.chosen());
        GomokuRecord { swap2, ..GomokuRecord::of(self.position.board(), stones) }
    }

    /// The opening: as far as it has come, or with the colours agreed on.
    pub fn opening(&self) -> &Swap2 {
        &self.opening
    }

    /// The stones on the board.
    pub fn position(&self) -> &GomokuPosition {
        &self.position
    }

    /// Who makes the next move.
    pub fn player(&self) -> Swap2Player {
        match self.opening.turn() {
            Swap2Turn::Place { player, .. } | Swap2Turn::Choose { player, .. } => player,
            Swap2Turn::Agreed { black } if self.position.side() == Side::First => black,
            Swap2Turn::Agreed { black } => black.other(),
        }
    }

    /// Whether a move is legal.
    ///
    /// # Errors
    /// Why not.
    pub fn check_move(&self, m: Swap2Move) -> Result<(), Swap2MoveError> {
        match (m, self.opening.turn()) {
            (Swap2Move::Stone(point), Swap2Turn::Place { .. } | Swap2Turn::Agreed { .. }) => {
                Ok(self.position.check_move(GomokuMove(point))?)
            }
            (Swap2Move::Stone(_), Swap2Turn::Choose { .. }) => Err(Swap2MoveError::Choose(self.open_choices())),
            (Swap2Move::Choice(_), Swap2Turn::Place { .. }) => Err(Swap2MoveError::Place),
            (Swap2Move::Choice(_), Swap2Turn::Agreed { .. }) => Err(Swap2MoveError::Agreed),
            (Swap2Move::Choice(Swap2Choice::Add), Swap2Turn::Choose { may_add: false, .. }) => {
                Err(Swap2Error::NoAdding.into())
            }
            (Swap2Move::Choice(_), Swap2Turn::Choose { .. }) => Ok(()),
        }
    }

    /// The words for what can be chosen now.
    fn open_choices(&self) -> String {
        let names: Vec<&str> = self.opening.choices().into_iter().map(Swap2Choice::name).collect();
        match names.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        }
    }
}

impl Game for Swap2Game {
    type Move = Swap2Move;
    /// The winner before.
    type Undo = Option<Side>;

    const POINT: Value = GomokuPosition::POINT;
    const SCATTER: Value = GomokuPosition::SCATTER;

    fn side(&self) -> Side {
        self.position.side()
    }

    fn moves(&self, list: &mut Vec<Swap2Move>) {
        if let Swap2Turn::Choose { .. } = self.opening.turn() {
            list.extend(self.opening.choices().into_iter().map(Swap2Move::Choice));
        } else {
            let mut stones = Vec::new();
            self.position.moves(&mut stones);
            list.extend(stones.into_iter().map(|m| Swap2Move::Stone(m.0)));
        }
    }

    fn play(&mut self, m: Swap2Move) -> Option<Side> {
        match m {
            Swap2Move::Stone(point) => {
                // After the opening it refuses all stones.
                let _ = self.opening.place(point);
                self.position.play(GomokuMove(point))
            }
            Swap2Move::Choice(choice) => {
                let _ = self.opening.choose(choice);
                self.position.winner()
            }
        }
    }

    fn undo(&mut self, m: Swap2Move, before: Option<Side>) {
        if let Swap2Move::Stone(point) = m {
            self.position.undo(GomokuMove(point), before);
            // It is one of the opening.
            if !matches!(self.opening.turn(), Swap2Turn::Agreed { .. }) {
                self.opening.take_back();
            }
        } else {
            self.opening.take_back();
        }
    }

    fn outcome(&self) -> Value {
        self.position.outcome()
    }

    fn heuristic(&self) -> Value {
        self.position.heuristic()
    }

    fn bounds(&self) -> (Value, Value) {
        self.position.bounds()
    }

    fn prior(&self, m: Swap2Move) -> i32 {
        match m {
            Swap2Move::Stone(point) => self.position.prior(GomokuMove(point)),
            Swap2Move::Choice(_) => 0,
        }
    }

    fn key(&self) -> Key {
        let state: u64 = match self.opening.turn() {
            Swap2Turn::Place { .. } => 1,
            Swap2Turn::Choose { .. } => 2,
            Swap2Turn::Agreed { black: Swap2Player::Opener } => 3,
            Swap2Turn::Agreed { black: Swap2Player::Answerer } => 4,
        };
        let Key { hash, symmetry } = self.position.key();
        Key { hash: hash ^ state.wrapping_mul(0x9E37_79B9_7F4A_7C15), symmetry }
    }

    fn code(&self, m: Swap2Move) -> u16 {
        match m {
            Swap2Move::Stone(point) => point,
            Swap2Move::Choice(choice) => {
                let number = Swap2Choice::ALL.iter().position(|&(one, _)| one == choice).unwrap_or_default();
                self.position.codes() + number as u16
            }
        }
    }

    fn decode(&self, code: u16) -> Option<Swap2Move> {
        match code.checked_sub(self.position.codes()) {
            Some(number) => Swap2Choice::ALL.get(usize::from(number)).map(|&(choice, _)| Swap2Move::Choice(choice)),
            None => self.position.decode(code).map(|m| Swap2Move::Stone(m.0)),
        }
    }

    fn codes(&self) -> u16 {
        self.position.codes() + Swap2Choice::ALL.len() as u16
    }

    fn name(&self, m: Swap2Move) -> String {
        match m {
            Swap2Move::Stone(point) => self.position.name(GomokuMove(point)),
            Swap2Move::Choice(choice) => choice.name().to_owned(),
        }
    }

    fn parse(&self, name: &str) -> Option<Swap2Move> {
        let choice = Swap2Choice::named(name).map(Swap2Move::Choice);
        choice.or_else(|| self.position.parse(name).map(|m| Swap2Move::Stone(m.0)))
    }
}

/// What the players are called in a sentence.
fn called(player: Swap2Player) -> &'static str {
    if player == Swap2Player::Opener { "first player" } else { "second player" }
}

/// The board, and below it what is to be done, by whom.
impl fmt::Display for Swap2Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.position)?;
        match self.opening.turn() {
            Swap2Turn::Place { player, colour } => {
                let (who, colour, left) = (called(player), colour_name(colour), self.opening.to_place());
                write!(f, "Swap2: the {who} puts a {colour} stone")?;
                if left > 1 { write!(f, ", and then {} more", left - 1) } else { Ok(()) }
            }
            Swap2Turn::Choose { player, may_add } => {
                write!(f, "Swap2: the {} chooses {}", called(player), self.open_choices())?;
                if may_add { write!(f, " (two more stones, after which the first player chooses)") } else { Ok(()) }
            }
            Swap2Turn::Agreed { black } => write!(f, "the {} has black", called(black)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::tags::GameTags;
    use crate::solvers::solvable::Playable;

    fn played(names: &str) -> Swap2Game {
        let mut game = Swap2Game::new(GomokuBoard::USUAL, GomokuRules::default()).unwrap();
        for name in names.split_whitespace() {
            let m = game.parse(name).unwrap();
            assert_eq!(game.check_move(m), Ok(()), "{name}");
            game.play(m);
        }
        game
    }

    #[test]
    fn the_players_are_told_whatever_is_chosen() {
        use Swap2Player::{Answerer, Opener};
        for (names, player, side) in [
            ("", Opener, Side::First),
            ("h8", Opener, Side::Second),
            ("h8 i9", Opener, Side::First),
            ("h8 i9 g7", Answerer, Side::Second),
            ("h8 i9 g7 white", Answerer, Side::Second),
            ("h8 i9 g7 white a1", Opener, Side::First),
            ("h8 i9 g7 black", Opener, Side::Second),
            ("h8 i9 g7 black a1", Answerer, Side::First),
            ("h8 i9 g7 add", Answerer, Side::Second),
            ("h8 i9 g7 add a1", Answerer, Side::First),
            ("h8 i9 g7 add a1 a2", Opener, Side::Second),
            ("h8 i9 g7 add a1 a2 white", Opener, Side::Second),
            ("h8 i9 g7 ADD a1 a2 Black", Answerer, Side::Second),
            ("h8 i9 g7 add a1 a2 black c3", Opener, Side::First),
        ] {
            let game = played(names);
            assert_eq!((game.player(), game.side()), (player, side), "{names}");
        }
    }

    #[test]
    fn what_is_not_open_is_refused_with_its_reason() {
        for (names, next, why) in [
            ("", "white", "nothing is to be chosen now: a stone is to be put"),
            ("h8", "h8", "there is a stone on h8"),
            ("h8 i9 g7", "a1", "no stone is to be put now: a choice is to be made, white, black or add"),
            ("h8 i9 g7 add a1 a2", "a3", "no stone is to be put now: a choice is to be made, white or black"),
            ("h8 i9 g7 add a1 a2", "add", "two more stones can be put after the first three only"),
            ("h8 i9 g7 add", "black", "nothing is to be chosen now: a stone is to be put"),
            ("h8 i9 g7 black", "white", "nothing is to be chosen now: the colours are agreed on"),
            ("h8 i9 g7 black", "g7", "there is a stone on g7"),
        ] {
            let game = played(names);
            let m = game.parse(next).unwrap();
            assert_eq!(game.check_move(m).unwrap_err().to_string(), why, "{names}");
            let mut legal = Vec::new();
            game.moves(&mut legal);
            assert!(!legal.contains(&m), "{names}, {next}");
        }
        assert_eq!(played("").parse("swap"), None);
    }

    #[test]
    fn games_are_recorded_as_far_as_they_have_come() {
        for names in
            ["", "h8 i9", "h8 i9 g7", "h8 i9 g7 white a1 a2", "h8 i9 g7 add", "h8 i9 g7 add a1 a2 black c3 d4 e5"]
        {
            let game = played(names);
            let stones: Vec<GomokuMove> =
                names.split_whitespace().filter_map(|name| game.position.parse(name)).collect();
            let sgf = game.record(&stones).to_sgf();
            let record = GomokuRecord::parse_sgf(&sgf).unwrap();
            let (mut again, moves) = Swap2Game::from_record(&record, GomokuRules::default()).unwrap();
            let told: Vec<String> = moves.iter().map(|&m| again.name(m)).collect();
            assert_eq!(told.join(" "), names, "{sgf}");
            moves.iter().for_each(|&m| {
                again.play(m);
            });
            assert_eq!(again, game);
        }
    }

    #[test]
    fn files_name_who_has_which_colour() {
        let tags = GameTags { black: "one", white: "other", ..GameTags::NONE };
        for (names, expected) in [
            ("h8 i9 g7", "SZ[15]ON["),
            ("h8 i9 g7 white", "PB[one]PW[other]"),
            ("h8 i9 g7 black", "PB[other]PW[one]"),
        ] {
            let game = played(names);
            let text = game.saved(&game, &[], &tags);
            assert!(text.contains(expected), "{names}: {text}");
        }
    }

    #[test]
    fn records_that_do_not_fit_are_refused() {
        let three = ";B[hh];W[ig];B[gi]";
        for (head, moves, why) in [
            ("", three, "does not say that the game begins with Swap2"),
            ("ON[Swap2: green]", three, "does not say that the game begins with Swap2"),
            ("ON[Swap2x]", three, "does not say that the game begins with Swap2"),
            ("ON[Swap2]AB[aa]", three, "on an empty board"),
            ("ON[Swap2]", ";W[hh]", "on an empty board"),
            ("ON[Swap2]", ";B[hh];W[ig];B[gi];W[aa]", "a choice is to be made, white, black or add"),
            ("ON[Swap2: white, black]", three, "the colours are agreed on"),
            ("ON[Swap2: add, add]", three, "nothing is to be chosen now: a stone is to be put"),
            ("ON[Swap2: white]", ";B[hh]", "nothing is to be chosen now: a stone is to be put"),
            ("ON[Swap2: white]", ";B[hh];W[ig];B[gi];W[hh]", "move 4: there is a stone on h8"),
        ] {
            let record = GomokuRecord::parse_sgf(&format!("(;GM[4]SZ[15]{head}{moves})")).unwrap();
            let error = Swap2Game::from_record(&record, GomokuRules::default()).unwrap_err().to_string();
            assert!(error.contains(why), "{head}{moves}: {error}");
        }
    }
}

//! How a position of a two-player game is set up: the settings of each game (one file per game), which flags,
//! configuration files and requests are read into ([`super::reading`]), and the position that they become.
//!
//! The position is parsed here, once. A text is the position itself; whether it is the name of a file is for the
//! reader of flags to say, which then puts the content in its place.

pub mod go;
pub mod gomoku;
pub mod matches;
pub mod reversi;

use super::reading::{FromSettings, GivenSetting, SettingSource, read};
use super::solve::SolvePosition;
use crate::core::setting::BadValue;
use crate::solvers::solvable::Solvable;
use go::GoSetup;
use gomoku::GomokuSetup;
use reversi::ReversiSetup;

/// The games, by name.
pub const GAMES: [&str; 3] = ["go", "gomoku", "reversi"];

/// The names of the games, as something that is expected: "go, gomoku or reversi".
pub fn games_text() -> String {
    let [rest @ .., last] = &GAMES;
    format!("{} or {last}", rest.join(", "))
}

/// Calls the visitor with the settings of the game of this name; nothing if there is no such game.
pub fn with_game<V: SetupVisitor>(name: &str, visitor: V) -> Option<V::Out> {
    match name {
        "go" => Some(visitor.visit::<GoSetup>()),
        "gomoku" => Some(visitor.visit::<GomokuSetup>()),
        "reversi" => Some(visitor.visit::<ReversiSetup>()),
        _ => None,
    }
}

/// An action on the settings of a game, whichever it is.
pub trait SetupVisitor {
    /// What the visit returns.
    type Out;

    /// Does it for the game whose settings are `S`.
    fn visit<S: GameSetup>(self) -> Self::Out;
}

/// The settings of a game that say which position is meant.
pub trait GameSetup: FromSettings + 'static {
    /// A position of the game.
    type Position: Solvable;

    /// Pairs of settings that contradict each other.
    const EXCLUSIVE: &'static [(&'static str, &'static str)];

    /// The positions that are asked for: one, or all of a text with several.
    ///
    /// # Errors
    /// If a text is not a position, or there is no such board.
    fn problems(&self) -> Result<Vec<PositionToSolve<Self::Position>>, SetupError>;

    /// The board of this size, the rules and how it begins, in words.
    fn title(&self, size: (u8, u8)) -> String;

    /// A position as a job stores it.
    fn stored(&self, problem: PositionToSolve<Self::Position>) -> SolvePosition;
}

/// The settings of a game that were given.
///
/// # Errors
/// If a text is not a valid value, or two settings contradict each other.
pub fn setup_of<S: GameSetup>(given: &[GivenSetting]) -> Result<S, BadValue> {
    let setup = read(given)?;
    check_exclusive::<S>(given, S::EXCLUSIVE)?;
    Ok(setup)
}

/// Checks that of each pair one setting at most is given. A value of a file or a request that is the default anyway
/// contradicts nothing.
pub(super) fn check_exclusive<T: FromSettings>(
    given: &[GivenSetting],
    pairs: &[(&str, &str)],
) -> Result<(), BadValue> {
    let last = |name: &str| given.iter().rfind(|one| one.name == name);
    for (one, other) in pairs {
        if let (Some(one), Some(other)) = (last(one), last(other))
            && !is_silent::<T>(one)
            && !is_silent::<T>(other)
        {
            return Err(BadValue(format!("{} cannot be used with {}", one.place(), other.place())));
        }
    }
    Ok(())
}

/// Whether a setting says what would be without it, and was not typed as a flag.
fn is_silent<T: FromSettings>(one: &GivenSetting) -> bool {
    one.source != SettingSource::Flag && T::usual(one.name).is_some_and(|usual| usual == one.text)
}

/// A position to be solved.
#[derive(Debug, Clone)]
pub struct PositionToSolve<G> {
    /// What tells it from the others of its file; empty if there is one only.
    pub label: String,
    /// The position as one line of text.
    pub text: String,
    /// The position itself, read from the text.
    pub position: G,
    /// Its value for the side to move, in points, as far as the file says.
    pub known: Option<i32>,
}

/// Why the settings of a game are not a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The text is not a position.
    #[error("not a position: {0}")]
    Position(String),
    /// The text has no position.
    #[error("there is no position in it")]
    Empty,
    /// The text has several positions, and one is meant.
    #[error("there are {0} positions: a job is about one")]
    Several(usize),
    /// The position is on a board of another size.
    #[error("the position is on a {}x{} board, size says {}x{}", board.0, board.1, size.0, size.1)]
    Size {
        /// Columns and rows of the position's board.
        board: (u8, u8),
        /// Those that are asked for.
        size: (u8, u8),
    },
    /// There is no such board.
    #[error("{0}")]
    Board(String),
    /// There are no such rules: the length of the row that wins is not one of theirs.
    #[error("{0}")]
    Rules(String),
}

impl SetupError {
    /// What is wrong, with the name of the setting as it was given.
    pub fn placed(&self, given: &[GivenSetting]) -> BadValue {
        let name = match self {
            SetupError::Board(_) => "size",
            SetupError::Rules(_) => "win",
            _ => "position",
        };
        let Some(one) = given.iter().rfind(|one| one.name == name) else { return BadValue(self.to_string()) };
        let place = one.place();
        BadValue(match (self, &one.source) {
            (SetupError::Position(reason), SettingSource::Content { .. }) => format!("cannot use {place}: {reason}"),
            (SetupError::Position(reason), SettingSource::Flag | SettingSource::Line { .. }) => {
                format!("{place} is neither a file nor a position: {reason}")
            }
            (SetupError::Position(reason), _) => format!("{place} is not a position: {reason}"),
            (SetupError::Size { board: (width, height), size }, _) => {
                let asked =
                    given.iter().rfind(|one| one.name == "size").map_or("size".to_owned(), GivenSetting::place);
                format!("{place}: the position is on a {width}x{height} board, {asked} says {}x{}", size.0, size.1)
            }
            (other, _) => format!("{place}: {other}"),
        })
    }
}

/// Columns and rows as people write them: `6`, `4x6`.
fn columns_and_rows(text: &str, of: &str) -> Result<(u8, u8), BadValue> {
    let side = |text: &str| {
        text.parse::<u8>().map_err(|_| BadValue(format!("not a number of {of} or two with an x between")))
    };
    match text.split_once(['x', 'X']) {
        Some((width, height)) => Ok((side(width)?, side(height)?)),
        None => Ok((side(text)?, side(text)?)),
    }
}

//! Games that a player is taught with, as text files: what those of all games share.
//!
//! The first line says how the games were made; each line after it is a game with its number and a check sum (CRC-32,
//! eight hexadecimal digits) of all that is before the sum.

use serde::{Deserialize, Serialize};

/// One of so many games is not learned from: these say how good the weights are.
pub const VALIDATION: u32 = 10;

/// Least number of positions that something can be learned from.
pub const FEWEST: u64 = 1000;

/// A line that does not begin a file of games.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GamesHeadError {
    /// It is something else.
    #[error("line 1: expected '{0}', the beginning of a file of games")]
    Head(String),
    /// A version of a later program.
    #[error("the games have version {0}; this program reads version {1}")]
    Version(u32, u32),
    /// The line says too little or nothing sensible.
    #[error("line 1: '{0}' is missing or cannot be read")]
    Entry(&'static str),
}

/// A line that is not a game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GameLineError {
    /// It does not have its parts, which are named.
    #[error("expected {0} and a check sum")]
    Parts(&'static str),
    /// The check sum is another one.
    #[error("the check sum is {found}, but that of the line is {right}: the line is damaged")]
    Sum {
        /// What the line says.
        found: String,
        /// What its content has.
        right: String,
    },
    /// It is not the line that is expected here.
    #[error("game {found} where game {expected} is expected")]
    Number {
        /// What the line says.
        found: u64,
        /// The number of the game.
        expected: u64,
    },
    /// Moves that cannot be played, or that lead elsewhere.
    #[error("{0}")]
    Moves(String),
}

/// How the games of a file are made, and how they are written.
pub trait GamesFile: Sized + Sync {
    /// A game that was played to be learned from.
    type Game: Send;

    /// The first line of the file.
    fn to_line(&self) -> String;

    /// Reads the first line of a file.
    ///
    /// # Errors
    /// What is wrong with it.
    fn read(line: &str) -> Result<Self, GamesHeadError>;

    /// The line of the game of a number.
    fn game_to_line(&self, game: &Self::Game, number: u64) -> String;

    /// Reads the line of the game of a number, whose moves are all played.
    ///
    /// # Errors
    /// What is wrong with it.
    fn read_game(&self, line: &str, number: u64) -> Result<Self::Game, GameLineError>;
}

/// Takes the positions to learn from out of games.
pub trait GameCollector {
    /// The files that the games are in.
    type File: GamesFile;

    /// The games of a file follow.
    ///
    /// # Errors
    /// They cannot be learned from with those before.
    fn begin(&mut self, head: &Self::File) -> Result<(), String>;

    /// Takes the positions of the next game.
    fn add(&mut self, game: &<Self::File as GamesFile>::Game);
}

/// How well weights tell the ends of games; what the numbers are depends on the game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct FitLoss {
    /// Of the games that are learned from.
    pub training: f64,
    /// Of the others.
    pub validation: f64,
}

/// What is said of weights that were learned: when, from which games and how many positions, how they were fitted,
/// and their loss.
#[derive(Debug, Clone, Copy)]
pub struct LearnedFrom<'p> {
    /// Year, month and day.
    pub date: &'p str,
    /// The number of games of each file, and its first line.
    pub files: &'p [(u64, String)],
    /// Number of positions.
    pub positions: u64,
    /// The settings of the fit.
    pub fit: &'p str,
    /// What the loss is called, and how many of its digits are told.
    pub measure: (&'p str, usize),
    /// The loss of the weights.
    pub loss: FitLoss,
}

impl LearnedFrom<'_> {
    /// The same as lines of text.
    pub fn text(&self) -> String {
        let LearnedFrom { date, files, positions, fit, measure: (measure, digits), loss } = *self;
        let games: u64 = files.iter().map(|(count, _)| count).sum();
        let files: Vec<String> = files.iter().map(|(count, head)| format!("{count} games: {head}")).collect();
        let FitLoss { training, validation } = loss;
        format!(
            "learned on {date} from {games} games, {positions} positions\n{}\nfit: {fit}\n{measure} \
             {training:.digits$}, of games that were not learned from {validation:.digits$}",
            files.join("\n"),
        )
    }
}

/// The entries of a first line: `NAME=VALUE` after the first words and the version.
#[derive(Debug, Clone, Copy)]
pub struct HeadEntries<'l>(&'l str);

impl<'l> HeadEntries<'l> {
    /// The entries of a line that begins with these words and this version.
    ///
    /// # Errors
    /// It begins otherwise.
    pub fn of(line: &'l str, words: &str, version: u32) -> Result<HeadEntries<'l>, GamesHeadError> {
        let other = || GamesHeadError::Head(format!("{words} {version}"));
        let rest = line.strip_prefix(words).ok_or_else(other)?;
        let (found, entries) = rest.trim_start().split_once(' ').ok_or_else(other)?;
        match found.parse() {
            Ok(found) if found == version => Ok(HeadEntries(entries)),
            Ok(found) => Err(GamesHeadError::Version(found, version)),
            Err(_) => Err(other()),
        }
    }

    /// The text of an entry.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn text(self, name: &'static str) -> Result<&'l str, GamesHeadError> {
        let word = self.0.split(' ').find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        word.ok_or(GamesHeadError::Entry(name))
    }

    /// The number of an entry.
    ///
    /// # Errors
    /// There is none of this name, or it is no such number.
    pub fn number<N: TryFrom<u64>>(self, name: &'static str) -> Result<N, GamesHeadError> {
        let number = self.text(name)?.parse::<u64>().ok().and_then(|number| N::try_from(number).ok());
        number.ok_or(GamesHeadError::Entry(name))
    }

    /// The check sum of an entry.
    ///
    /// # Errors
    /// There is none of this name, or it is no check sum.
    pub fn sum(self, name: &'static str) -> Result<u32, GamesHeadError> {
        u32::from_str_radix(self.text(name)?, 16).map_err(|_| GamesHeadError::Entry(name))
    }
}

/// The line of a game: its number, what is said of it, and the check sum.
pub fn game_line(number: u64, said: &str) -> String {
    let text = format!("{number} {said}");
    format!("{text} {:08x}", crc32fast::hash(text.as_bytes()))
}

/// What is said of the game of this number by its line, in `N` parts, which are named for who reads the error.
///
/// # Errors
/// A wrong check sum, another number, other parts.
pub fn game_parts<'l, const N: usize>(
    line: &'l str,
    number: u64,
    names: &'static str,
) -> Result<[&'l str; N], GameLineError> {
    let parts = || GameLineError::Parts(names);
    let (text, found) = line.rsplit_once(' ').ok_or_else(parts)?;
    let right = format!("{:08x}", crc32fast::hash(text.as_bytes()));
    if found != right {
        return Err(GameLineError::Sum { found: found.to_owned(), right });
    }
    let (first, said) = text.split_once(' ').ok_or_else(parts)?;
    let found: u64 = first.parse().map_err(|_| parts())?;
    let said: Vec<&str> = said.split(' ').collect();
    let said = said.try_into().map_err(|_| parts())?;
    if found == number { Ok(said) } else { Err(GameLineError::Number { found, expected: number }) }
}

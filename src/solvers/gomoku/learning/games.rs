//! Games to learn from, as text: a line that says how they were made, then a line per game.
//!
//! A line has the number of the game, who has won (`b`, `w`, `d` for neither), the number of stones of the opening,
//! all moves, the values that the search gave (for the side to move, before each of its moves; `-` for none), and a
//! check sum (CRC-32, eight hexadecimal digits) of all that is before it.

use super::selfplay::letter;
use crate::core::game::{Game, Side};
use crate::games::gomoku::board::GomokuBoard;
use crate::games::gomoku::notation::{moves_text, parse_moves};
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::games::gomoku::rules::{GomokuRules, RowRule};

/// The first words of a file.
const HEAD: &str = "morpion gomoku games";
/// Version of the format.
const VERSION: u32 = 1;

/// How the games of a file are made: what every game depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GamesHead {
    /// The board of all games.
    pub board: GomokuBoard,
    /// Which rows win.
    pub rules: GomokuRules,
    /// The seed of all games.
    pub seed: u64,
    /// Most nodes of a move.
    pub nodes: u64,
    /// The check sum of the player's weights, see `LineWeights::sum`.
    pub weights: u32,
}

/// A line that does not begin a file of games.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GamesHeadError {
    /// It is something else.
    #[error("line 1: expected '{HEAD} {VERSION}', the beginning of a file of games")]
    Head,
    /// A version of a later program.
    #[error("the games have version {0}; this program reads version {VERSION}")]
    Version(u32),
    /// The line says too little or nothing sensible.
    #[error("line 1: '{0}' is missing or cannot be read")]
    Entry(&'static str),
}

impl GamesHead {
    /// The first line of the file.
    pub fn to_line(&self) -> String {
        let GamesHead { board, rules, seed, nodes, weights } = self;
        let (rule, win, size) = (rules.rule().name(), rules.win(), format!("{}x{}", board.width(), board.height()));
        format!("{HEAD} {VERSION} size={size} rule={rule} win={win} seed={seed} nodes={nodes} weights={weights:08x}")
    }

    /// Reads the first line of a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(line: &str) -> Result<GamesHead, GamesHeadError> {
        let words = line.strip_prefix(HEAD).ok_or(GamesHeadError::Head)?;
        let (version, words) = words.trim_start().split_once(' ').ok_or(GamesHeadError::Head)?;
        match version.parse() {
            Ok(VERSION) => {}
            Ok(version) => return Err(GamesHeadError::Version(version)),
            Err(_) => return Err(GamesHeadError::Head),
        }
        let text = |name: &'static str| {
            let word = words.split(' ').find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            word.ok_or(GamesHeadError::Entry(name))
        };
        let number = |name: &'static str| text(name)?.parse::<u64>().map_err(|_| GamesHeadError::Entry(name));
        let size = |text: &str| text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
        let board = size(text("size")?).and_then(|(width, height)| GomokuBoard::new(width, height).ok());
        let rule = RowRule::ALL.into_iter().find(|rule| Ok(rule.name()) == text("rule"));
        let win = number("win")?.try_into().map_err(|_| GamesHeadError::Entry("win"))?;
        let rules = GomokuRules::new(rule.ok_or(GamesHeadError::Entry("rule"))?, win);
        Ok(GamesHead {
            board: board.ok_or(GamesHeadError::Entry("size"))?,
            rules: rules.map_err(|_| GamesHeadError::Entry("win"))?,
            seed: number("seed")?,
            nodes: number("nodes")?,
            weights: u32::from_str_radix(text("weights")?, 16).map_err(|_| GamesHeadError::Entry("weights"))?,
        })
    }
}

/// A game that was played to be learned from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearningGame {
    /// Stones that the game began with.
    pub opening: usize,
    /// All moves, those of the opening first.
    pub moves: Vec<u16>,
    /// The value of each move after the opening, for the side that made it.
    pub values: Vec<i16>,
    /// Who has won.
    pub winner: Option<Side>,
}

/// A line that is not a game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GameLineError {
    /// It does not have the six parts.
    #[error("expected a number, b, w or d, the stones of the opening, moves, values and a check sum")]
    Parts,
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
    /// Moves that cannot be played.
    #[error("{0}")]
    Moves(String),
}

impl LearningGame {
    /// The line of the game.
    pub fn to_line(&self, board: GomokuBoard, number: u64) -> String {
        let values: Vec<String> = self.values.iter().map(i16::to_string).collect();
        let values = if values.is_empty() { "-".to_owned() } else { values.join(",") };
        let moves = moves_text(board, &self.moves);
        let text = format!("{number} {} {} {moves} {values}", letter(self.winner), self.opening);
        format!("{text} {:08x}", crc32fast::hash(text.as_bytes()))
    }

    /// Reads the line of a game, whose moves are all played.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(
        line: &str,
        (board, rules): (GomokuBoard, GomokuRules),
        number: u64,
    ) -> Result<LearningGame, GameLineError> {
        let (text, found) = line.rsplit_once(' ').ok_or(GameLineError::Parts)?;
        let right = format!("{:08x}", crc32fast::hash(text.as_bytes()));
        if found != right {
            return Err(GameLineError::Sum { found: found.to_owned(), right });
        }
        let parts: Vec<&str> = text.split(' ').collect();
        let [first, winner, opening, moves, values] = parts[..] else { return Err(GameLineError::Parts) };
        let found: u64 = first.parse().map_err(|_| GameLineError::Parts)?;
        if found != number {
            return Err(GameLineError::Number { found, expected: number });
        }
        let winner = match winner {
            "b" => Some(Side::First),
            "w" => Some(Side::Second),
            "d" => None,
            _ => return Err(GameLineError::Parts),
        };
        let opening: usize = opening.parse().map_err(|_| GameLineError::Parts)?;
        let moves = parse_moves(board, moves).map_err(|error| GameLineError::Moves(error.to_string()))?;
        let values: Result<Vec<i16>, _> = match values {
            "-" => Ok(Vec::new()),
            _ => values.split(',').map(str::parse).collect(),
        };
        let values = values.map_err(|_| GameLineError::Parts)?;
        if opening + values.len() != moves.len() {
            let (all, given) = (moves.len(), values.len());
            return Err(GameLineError::Moves(format!(
                "{all} moves with {opening} of the opening need {} values, not {given}",
                all.saturating_sub(opening)
            )));
        }
        let mut position = GomokuPosition::new(board, rules);
        for (at, &point) in moves.iter().enumerate() {
            let m = GomokuMove(point);
            position.check_move(m).map_err(|why| GameLineError::Moves(format!("move {}: {why}", at + 1)))?;
            position.play(m);
        }
        Ok(LearningGame { opening, moves, values, winner })
    }
}

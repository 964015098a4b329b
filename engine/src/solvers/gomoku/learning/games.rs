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
use crate::solvers::learning::{GameLineError, GamesFile, GamesHeadError, HeadEntries, game_line, game_parts};

/// The first words of a file.
const HEAD: &str = "morpion gomoku games";
/// Version of the format.
const VERSION: u32 = 1;
/// What a line of a game has.
const PARTS: &str = "a number, b, w or d, the stones of the opening, moves, values";

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

impl GamesHead {
    /// Makes sure that its games can be learned from together with those of a first file.
    pub(super) fn check_alike(&self, first: &GamesHead) -> Result<(), String> {
        if (first.board, first.rules) == (self.board, self.rules) {
            return Ok(());
        }
        Err("its games have another board or another rule than those of the first file".to_owned())
    }
}

impl GamesFile for GamesHead {
    type Game = LearningGame;

    fn to_line(&self) -> String {
        let GamesHead { board, rules, seed, nodes, weights } = self;
        let (rule, win, size) = (rules.rule().name(), rules.win(), format!("{}x{}", board.width(), board.height()));
        format!("{HEAD} {VERSION} size={size} rule={rule} win={win} seed={seed} nodes={nodes} weights={weights:08x}")
    }

    fn read(line: &str) -> Result<GamesHead, GamesHeadError> {
        let entries = HeadEntries::of(line, HEAD, VERSION)?;
        let size = |text: &str| text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
        let board = size(entries.text("size")?).and_then(|(width, height)| GomokuBoard::new(width, height).ok());
        let rule = RowRule::ALL.into_iter().find(|rule| Ok(rule.name()) == entries.text("rule"));
        let win = entries.number("win")?;
        let rules = GomokuRules::new(rule.ok_or(GamesHeadError::Entry("rule"))?, win);
        Ok(GamesHead {
            board: board.ok_or(GamesHeadError::Entry("size"))?,
            rules: rules.map_err(|_| GamesHeadError::Entry("win"))?,
            seed: entries.number("seed")?,
            nodes: entries.number("nodes")?,
            weights: entries.sum("weights")?,
        })
    }

    fn game_to_line(&self, game: &LearningGame, number: u64) -> String {
        let values: Vec<String> = game.values.iter().map(i16::to_string).collect();
        let values = if values.is_empty() { "-".to_owned() } else { values.join(",") };
        let moves = moves_text(self.board, &game.moves);
        game_line(number, &format!("{} {} {moves} {values}", letter(game.winner), game.opening))
    }

    fn read_game(&self, line: &str, number: u64) -> Result<LearningGame, GameLineError> {
        let [winner, opening, moves, values] = game_parts(line, number, PARTS)?;
        let parts = || GameLineError::Parts(PARTS);
        let winner = match winner {
            "b" => Some(Side::First),
            "w" => Some(Side::Second),
            "d" => None,
            _ => return Err(parts()),
        };
        let opening: usize = opening.parse().map_err(|_| parts())?;
        let moves = parse_moves(self.board, moves).map_err(|error| GameLineError::Moves(error.to_string()))?;
        let values: Result<Vec<i16>, _> = match values {
            "-" => Ok(Vec::new()),
            _ => values.split(',').map(str::parse).collect(),
        };
        let values = values.map_err(|_| parts())?;
        if opening.checked_add(values.len()) != Some(moves.len()) {
            let (all, given) = (moves.len(), values.len());
            return Err(GameLineError::Moves(format!(
                "{all} moves with {opening} of the opening need {} values, not {given}",
                all.saturating_sub(opening)
            )));
        }
        let mut position = GomokuPosition::new(self.board, self.rules);
        for (at, &point) in moves.iter().enumerate() {
            let m = GomokuMove(point);
            position.check_move(m).map_err(|why| GameLineError::Moves(format!("move {}: {why}", at + 1)))?;
            position.play(m);
        }
        Ok(LearningGame { opening, moves, values, winner })
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

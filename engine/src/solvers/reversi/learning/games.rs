//! Games to learn from, as text: a line that says how they were made, then a line per game.
//!
//! A line has the number of the game, the moves that are not learned from, black's difference of discs at the end
//! (the winner gets the empty cells), all moves without passes, and a check sum ([`crate::solvers::learning`]).

use crate::core::game::Game;
use crate::games::reversi::board::ReversiBoard;
use crate::games::reversi::position::{Empties, ReversiMove, ReversiPosition, Start};
use crate::solvers::learning::{GameLineError, GamesFile, GamesHeadError, HeadEntries, game_line, game_parts};

/// The first words of a file.
const HEAD: &str = "morpion reversi games";
/// Version of the format.
const VERSION: u32 = 1;
/// What a line of a game has.
const PARTS: &str = "a number, the moves of the opening, a difference of discs, moves";

/// How the games of a file are made: what every game depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReversiGamesHead {
    /// The seed of all games.
    pub seed: u64,
    /// Plies that are searched for each move.
    pub depth: u32,
    /// The check sum of the player's weights; 0 for the evaluation by terms.
    pub weights: u32,
}

impl GamesFile for ReversiGamesHead {
    type Game = ReversiLearningGame;

    fn to_line(&self) -> String {
        let ReversiGamesHead { seed, depth, weights } = self;
        format!("{HEAD} {VERSION} size=8x8 seed={seed} depth={depth} weights={weights:08x}")
    }

    fn read(line: &str) -> Result<ReversiGamesHead, GamesHeadError> {
        let entries = HeadEntries::of(line, HEAD, VERSION)?;
        if entries.text("size")? != "8x8" {
            return Err(GamesHeadError::Entry("size"));
        }
        Ok(ReversiGamesHead {
            seed: entries.number("seed")?,
            depth: entries.number("depth")?,
            weights: entries.sum("weights")?,
        })
    }

    fn game_to_line(&self, game: &ReversiLearningGame, number: u64) -> String {
        let moves: String = game.moves.iter().map(|&square| ReversiBoard::FULL.name(square)).collect();
        game_line(number, &format!("{} {:+} {moves}", game.opening, game.score))
    }

    fn read_game(&self, line: &str, number: u64) -> Result<ReversiLearningGame, GameLineError> {
        let [opening, score, moves] = game_parts(line, number, PARTS)?;
        let parts = || GameLineError::Parts(PARTS);
        let opening = opening.parse().map_err(|_| parts())?;
        let said: i32 = score.parse().map_err(|_| parts())?;
        let mut position = start();
        let mut game = ReversiLearningGame { opening, moves: Vec::new(), score: said };
        for name in moves.as_bytes().chunks(2) {
            pass_if_needed(&mut position);
            let name = String::from_utf8_lossy(name);
            let m = position.parse(&name).filter(|&m| m != ReversiMove::PASS && position.is_legal(m));
            let number = game.moves.len() + 1;
            let m = m.ok_or_else(|| GameLineError::Moves(format!("move {number} cannot be played: {name}")))?;
            position.play(m);
            game.moves.push(m.0);
        }
        let (black, white) = position.discs();
        let found = position.score(black.count_ones(), white.count_ones());
        if position.mobility() | position.enemy_mobility() != 0 {
            return Err(GameLineError::Moves("the game is not over after the last move".to_owned()));
        }
        if found != said {
            return Err(GameLineError::Moves(format!("the game ends with {found:+} for black, not with {said:+}")));
        }
        Ok(game)
    }
}

/// A game that was played to be learned from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReversiLearningGame {
    /// Moves that are not learned from, passes not counted.
    pub opening: usize,
    /// All moves without passes.
    pub moves: Vec<u8>,
    /// Black's difference of discs at the end; the winner gets the empty cells.
    pub score: i32,
}

/// The position that all games begin from.
pub fn start() -> ReversiPosition {
    ReversiPosition::new(ReversiBoard::FULL, Start::Standard).with_empties(Empties::ToWinner)
}

/// Passes if the side to move has to.
pub fn pass_if_needed(position: &mut ReversiPosition) {
    if position.is_legal(ReversiMove::PASS) {
        position.play(ReversiMove::PASS);
    }
}

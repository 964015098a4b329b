//! Games as text in the Generic Game Format, as the Othello servers and the NBoard protocol use it:
//! `(;GM[Othello]BO[8 <cells> *]B[d3/score/seconds]W[c5];)`. `BO` has the size, the cells by rows from the upper left
//! (`*` black, `O` white, `-` empty) and the side to move; the moves follow, `PA` is a pass. Other properties are
//! passed over.

use super::board::ReversiBoard;
use super::notation::{TextError, parse_board, to_obf};
use super::position::{ReversiMove, ReversiPosition};
use crate::core::game::{Game, Side};
use crate::games::size::BoardSizeError;

/// A game of Reversi.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GgfGame {
    /// Where it began.
    pub start: ReversiPosition,
    /// The moves, passes among them.
    pub moves: Vec<ReversiMove>,
}

/// Text that is no game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GgfError {
    /// It does not begin like a game.
    #[error("a game in GGF begins with (;")]
    Begin,
    /// A value without its end.
    #[error("GGF: the value of {0} has no end: ] is missing")]
    Open(String),
    /// The game is another one.
    #[error("GGF: GM[{0}] is not Othello")]
    Game(String),
    /// There is no board.
    #[error("GGF: there is no board: BO[8 <cells> *]")]
    NoBoard,
    /// The size is no number.
    #[error("GGF: BO begins with the size of the board, not with {0:?}")]
    Size(String),
    /// There is no board of this size.
    #[error(transparent)]
    Board(#[from] BoardSizeError),
    /// The cells are no position.
    #[error("GGF: {0}")]
    Cells(#[from] TextError),
    /// A move that is none, or is not legal.
    #[error("GGF: move {number}, {text:?}, cannot be played by {side}")]
    Move {
        /// Its number, from 1.
        number: usize,
        /// As it is written.
        text: String,
        /// Who should make it.
        side: &'static str,
    },
}

/// The name of a side.
fn name_of(side: Side) -> &'static str {
    if side == Side::First { "black" } else { "white" }
}

/// The move that a text such as `F5`, `PA` or `f5/1.2/3` names on a board, legal or not.
pub fn parse_move(position: &ReversiPosition, text: &str) -> Option<ReversiMove> {
    let name = text.split('/').next()?.trim();
    if ["pa", "pass", "ps"].iter().any(|pass| name.eq_ignore_ascii_case(pass)) {
        return Some(ReversiMove::PASS);
    }
    position.parse(name).filter(|&m| m != ReversiMove::PASS)
}

/// A move as GGF has it.
pub fn move_text(position: &ReversiPosition, m: ReversiMove) -> String {
    if m == ReversiMove::PASS { "PA".to_owned() } else { position.name(m).to_uppercase() }
}

/// Reads a game. A pass that is left out is played where the side to move has no other move.
///
/// # Errors
/// Text that is no game of Othello, or an illegal move.
pub fn parse_ggf(text: &str) -> Result<GgfGame, GgfError> {
    let mut rest = text.trim().strip_prefix("(;").ok_or(GgfError::Begin)?;
    let (mut game, mut position) = (None::<GgfGame>, None::<ReversiPosition>);
    while let Some(open) = rest.find('[') {
        let name = rest[..open].trim_matches(|c: char| c.is_whitespace() || c == ';').to_ascii_uppercase();
        let end = rest[open..].find(']').ok_or_else(|| GgfError::Open(name.chars().take(8).collect()))? + open;
        let value = &rest[open + 1..end];
        rest = &rest[end + 1..];
        match name.as_str() {
            "GM" if !value.trim().eq_ignore_ascii_case("othello") => {
                return Err(GgfError::Game(value.chars().take(20).collect()));
            }
            "BO" => {
                let start = parse_start(value)?;
                position = Some(start);
                game = Some(GgfGame { start, moves: Vec::new() });
            }
            "B" | "W" => {
                let (Some(game), Some(position)) = (&mut game, &mut position) else { return Err(GgfError::NoBoard) };
                let side = if name == "B" { Side::First } else { Side::Second };
                if side != position.side() && position.is_legal(ReversiMove::PASS) {
                    game.moves.push(ReversiMove::PASS);
                    position.play(ReversiMove::PASS);
                }
                let number = game.moves.len() + 1;
                let m = parse_move(position, value).filter(|&m| side == position.side() && position.is_legal(m));
                let text = value.chars().take(20).collect();
                let m = m.ok_or(GgfError::Move { number, text, side: name_of(side) })?;
                game.moves.push(m);
                position.play(m);
            }
            _ => {}
        }
    }
    game.ok_or(GgfError::NoBoard)
}

/// The position of a value of `BO`.
fn parse_start(value: &str) -> Result<ReversiPosition, GgfError> {
    let (size, cells) = value.trim().split_once(char::is_whitespace).ok_or(GgfError::NoBoard)?;
    let side = size.parse::<u8>().map_err(|_| GgfError::Size(size.chars().take(8).collect()))?;
    Ok(parse_board(ReversiBoard::new(side, side)?, cells)?)
}

/// Writes a game. Its board is square.
pub fn to_ggf(start: &ReversiPosition, moves: &[ReversiMove]) -> String {
    to_ggf_with(start, moves, "")
}

/// The same with properties of the game, such as `PB[x]`.
pub fn to_ggf_with(start: &ReversiPosition, moves: &[ReversiMove], more: &str) -> String {
    let obf = to_obf(start).replace(['X', 'x'], "*");
    let (cells, side) = obf.split_once(' ').unwrap_or((&obf, "*"));
    let side = side.trim_end_matches(';').trim();
    let mut text = format!("(;GM[Othello]PC[morpion]{more}TY[{0}]BO[{0} {cells} {side}]", start.board().width());
    let mut position = *start;
    for &m in moves {
        let letter = if position.side() == Side::First { 'B' } else { 'W' };
        text += &format!("{letter}[{}]", move_text(&position, m));
        position.play(m);
    }
    text + ";)"
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::core::seed::rng;
    use crate::games::reversi::position::Start;
    use rand::RngExt;

    /// The moves of a random game, of which fewer than `most` are played.
    pub fn random_game(start: ReversiPosition, most: usize, random: &mut impl rand::Rng) -> Vec<ReversiMove> {
        let (mut position, mut moves, mut legal) = (start, Vec::new(), Vec::new());
        for _ in 0..random.random_range(0..most) {
            legal.clear();
            position.moves(&mut legal);
            if legal.is_empty() {
                break;
            }
            let m = legal[random.random_range(0..legal.len())];
            position.play(m);
            moves.push(m);
        }
        moves
    }

    #[test]
    fn games_come_back_as_they_went() {
        for seed in 0..20 {
            let mut random = rng(seed, &[]);
            let size = [4, 6, 8][random.random_range(0..3)];
            let start = ReversiPosition::new(ReversiBoard::new(size, size).unwrap(), Start::Standard);
            let moves = random_game(start, 80, &mut random);
            let text = to_ggf(&start, &moves);
            assert_eq!(parse_ggf(&text), Ok(GgfGame { start, moves: moves.clone() }), "seed {seed}: {text}");
            // Passes may be left out, but for the last ones.
            let short = text.replace("B[PA]", "").replace("W[PA]", "");
            let read = parse_ggf(&short).unwrap();
            assert!(moves.starts_with(&read.moves), "seed {seed}: {short}");
        }
    }

    #[test]
    fn what_is_no_game_is_told() {
        let board = "BO[8 ---------------------------O*------*O--------------------------- *]";
        let game = |rest: &str| format!("(;GM[Othello]{rest};)");
        let read = parse_ggf(&game(&format!("PB[x]{board}B[F5//1.0]W[d6/2]"))).unwrap();
        assert_eq!(read.moves.len(), 2);
        for (text, why) in [
            (String::new(), "begins with"),
            ("hello".to_owned(), "begins with"),
            ("(;GM[Chess];)".to_owned(), "is not Othello"),
            (game(""), "there is no board"),
            (game("B[F5]"), "there is no board"),
            (game("BO[8"), "has no end"),
            (game("BO[9 - *]"), "4 to 8"),
            (game("BO[x - *]"), "size of the board"),
            (game("BO[8 --- *]"), "cells"),
            (game(&format!("{board}B[a1]")), "move 1, \"a1\", cannot be played by black"),
            (game(&format!("{board}W[f5]")), "cannot be played by white"),
            (game(&format!("{board}B[]")), "cannot be played"),
            (game(&format!("{board}B[pass]")), "cannot be played"),
        ] {
            let error = parse_ggf(&text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}

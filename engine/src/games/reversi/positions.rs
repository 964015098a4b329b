//! Positions in each form in which people have them: lines of OBF files, games in GGF, and transcripts of games such
//! as `f5d6c3d3c4`. A line of a text is one of these; of a game it is the position after its last move.

use super::board::ReversiBoard;
use super::ggf::parse_ggf;
use super::notation::{LineError, Problem, TextError, parse_line};
use super::position::{ReversiMove, ReversiPosition, Start};
use crate::core::game::Game;

/// Reads a text line by line. Empty lines and remarks are passed over.
///
/// # Errors
/// The first line that is none of the forms, or of another board.
pub fn parse_positions(board: ReversiBoard, text: &str) -> Result<Vec<Problem>, LineError> {
    let games = parse_games(board, text)?.into_iter();
    Ok(games.map(|(problem, moves)| moves.into_iter().fold(problem, Problem::after)).collect())
}

/// Reads the same as positions and the legal moves after each, passes among them; a line of an OBF file has none.
///
/// # Errors
/// As for [`parse_positions`].
pub fn parse_games(board: ReversiBoard, text: &str) -> Result<Vec<(Problem, Vec<ReversiMove>)>, LineError> {
    let mut games = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        let game = read_line(board, line, content).map_err(|reason| LineError { line, reason })?;
        games.extend(game);
    }
    Ok(games)
}

impl Problem {
    /// The position after a move, of which nothing is said.
    fn after(mut self, m: ReversiMove) -> Problem {
        self.position.play(m);
        Problem { values: Vec::new(), ..self }
    }
}

fn read_line(
    board: ReversiBoard,
    line: usize,
    content: &str,
) -> Result<Option<(Problem, Vec<ReversiMove>)>, TextError> {
    let content = content.trim();
    let (position, moves) = if content.starts_with("(;") {
        let game = parse_ggf(content).map_err(|error| TextError::Game(error.to_string()))?;
        if game.start.board() != board {
            return Err(TextError::Game(format!("the game is on a {} board, not on {board}", game.start.board())));
        }
        (game.start, game.moves)
    } else if is_transcript(content) {
        let start = ReversiPosition::new(board, Start::Standard);
        (start, parse_transcript(start, content)?)
    } else {
        return Ok(parse_line(board, line, content)?.map(|problem| (problem, Vec::new())));
    };
    Ok(Some((Problem { line, position, values: Vec::new() }, moves)))
}

/// Whether a text begins with a move. No board does: a digit stands for no cell.
fn is_transcript(text: &str) -> bool {
    let mut first = text.chars();
    first.next().is_some_and(|c| c.is_ascii_alphabetic()) && first.next().is_some_and(|c| c.is_ascii_digit())
}

/// The moves of a transcript: names of cells, with or without blanks between them. Passes are left out, or written as
/// `--`, `pa` or `ps`.
fn parse_transcript(start: ReversiPosition, text: &str) -> Result<Vec<ReversiMove>, TextError> {
    let characters: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (mut position, mut moves) = (start, Vec::new());
    for (number, name) in (1..).zip(characters.chunks(2)) {
        let name: String = name.iter().collect();
        let wrong = || TextError::Game(format!("move {number}, {name:?}, cannot be played"));
        if ["--", "pa", "ps"].iter().any(|pass| name.eq_ignore_ascii_case(pass)) {
            if !position.is_legal(ReversiMove::PASS) {
                return Err(wrong());
            }
            position.play(ReversiMove::PASS);
            moves.push(ReversiMove::PASS);
            continue;
        }
        let m = position.parse(&name).ok_or_else(wrong)?;
        if !position.is_legal(m) && position.is_legal(ReversiMove::PASS) {
            position.play(ReversiMove::PASS);
            moves.push(ReversiMove::PASS);
        }
        if !position.is_legal(m) {
            return Err(wrong());
        }
        position.play(m);
        moves.push(m);
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::game::Side;
    use crate::core::seed::rng;
    use crate::games::reversi::ggf::tests::random_game;
    use crate::games::reversi::ggf::to_ggf;
    use crate::games::reversi::notation::to_obf;

    #[test]
    fn each_form_leads_to_the_same_position() {
        let mut passes = 0;
        for seed in 0..60 {
            let board = [4, 6, 8].map(|side| ReversiBoard::new(side, side).unwrap())[seed as usize % 3];
            let start = ReversiPosition::new(board, Start::Standard);
            let mut moves = random_game(start, 60, &mut rng(seed, &[]));
            // Who passes last is not in a transcript.
            while moves.last() == Some(&ReversiMove::PASS) {
                moves.pop();
            }
            let last = moves.iter().fold(start, |mut position, &m| {
                position.play(m);
                position
            });
            passes += moves.iter().filter(|&&m| m == ReversiMove::PASS).count();
            let names = |pass: &str, between: &str| {
                let names =
                    moves.iter().map(|&m| if m == ReversiMove::PASS { pass.to_owned() } else { start.name(m) });
                names.filter(|name| !name.is_empty()).collect::<Vec<_>>().join(between)
            };
            let forms = [
                names("", ""),
                names("--", " "),
                names("PS", "").to_uppercase(),
                to_ggf(&start, &moves),
                to_obf(&last),
            ];
            let text = forms.join("\n\n");
            let found: Vec<ReversiPosition> =
                parse_positions(board, &text).unwrap().into_iter().map(|problem| problem.position).collect();
            assert_eq!(found, [last; 5], "seed {seed}: {text}");
        }
        assert!(passes > 10, "only {passes} passes were tried");
    }

    #[test]
    fn what_cannot_be_played_is_told_with_its_line() {
        let full = ReversiBoard::FULL;
        let [after] = &parse_positions(full, "F5D6\n").unwrap()[..] else { panic!() };
        assert_eq!(after.position.side(), Side::First);
        for (text, why) in [
            ("f5f5", "line 1: move 2, \"f5\", cannot be played"),
            ("\nf5d6c", "line 2: move 3, \"c\", cannot be played"),
            ("f5--", "line 1: move 2, \"--\", cannot be played"),
            ("f9", "line 1: move 1, \"f9\", cannot be played"),
            (
                "(;GM[Othello]BO[6 --------------OX----XO-------------- *];)",
                "line 1: the game is on a 6x6 board, not on 8x8",
            ),
            ("(;GM[Chess];)", "line 1: GGF: GM[Chess] is not Othello"),
        ] {
            assert_eq!(parse_positions(full, text).unwrap_err().to_string(), why, "{text}");
        }
    }
}

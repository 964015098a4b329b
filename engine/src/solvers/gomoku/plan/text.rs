//! Plans as text.
//!
//! Four lines say what is proven: `morpion plan 1`, the game, the moves that lead to the first position (`-` for
//! none) and who wins. Each further line is a position with the attacker's move there: how many moves it has in
//! common with the line before (the moves from the first position on, the attacker's with them), the defender's reply
//! after these and the attacker's move. The reply is `-` where the attacker is to move in the first position.
//!
//! ```text
//! morpion plan 1
//! game 15x15 five 5
//! start h8
//! wins black
//! 0 h9 i9
//! 2 k12 g7
//! 2 i11 g7
//! ```

use super::{PlannedMove, WinningPlan};
use crate::core::game::{Game, Side};
use crate::games::gomoku::notation::{
    GomokuReadError, colour_name, game_line, moves_text, parse_game_line, parse_moves, play_all,
};
use crate::games::gomoku::position::GomokuPosition;
use crate::solvers::gomoku::ways::{self, NONE, WayFault};

/// The first line of a plan.
pub const HEADING: &str = "morpion plan 1";

/// A text that is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct PlanReadError {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: PlanFault,
}

/// What is wrong with a line of a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanFault {
    /// The file is something else.
    #[error("expected `{HEADING}`")]
    Heading,
    /// One of the lines that say what is proven is missing or not understood.
    #[error("expected {0}")]
    Expected(&'static str),
    /// The moves to the first position, or a point, cannot be read.
    #[error(transparent)]
    Moves(#[from] GomokuReadError),
    /// The moves to a position, or the one there, cannot be read or made.
    #[error(transparent)]
    Way(#[from] WayFault),
    /// The moves lead to a position where the defender is to move, or where the game is over.
    #[error("it is not the attacker's turn in this position, or the game is over")]
    Turn,
}

/// The lines that say what a plan proves, with the first one.
pub fn head(plan: &WinningPlan) -> String {
    let (start, board) = (plan.start(), plan.start().board());
    let rules = start.rules();
    let first = moves_to(start).map_or_else(|| NONE.to_owned(), |moves| moves_text(board, &moves));
    format!("{HEADING}\n{}\nstart {first}\nwins {}\n", game_line(board, rules), colour_name(plan.attacker()))
}

/// A plan as text.
pub fn to_text(plan: &WinningPlan) -> String {
    let (mut text, board) = (head(plan), plan.start().board());
    let mut before: Vec<u16> = Vec::new();
    for PlannedMove { way, answer } in plan.moves() {
        // The last move of the way is the reply, which is always said.
        before.truncate(way.len().saturating_sub(1));
        text += &format!("{} {}\n", ways::to_text(board, &before, way), board.name(*answer));
        before.clone_from(way);
        before.push(*answer);
    }
    text
}

/// Moves that lead to a position: its black and white stones by turns. `None` for the empty board.
fn moves_to(position: &GomokuPosition) -> Option<Vec<u16>> {
    let of = |colour: Side| position.stones().filter(move |&(_, own)| own == colour).map(|(point, _)| point);
    let (black, white): (Vec<u16>, Vec<u16>) = (of(Side::First).collect(), of(Side::Second).collect());
    let mut moves = Vec::new();
    for (i, &point) in black.iter().enumerate() {
        moves.push(point);
        moves.extend(white.get(i));
    }
    (!moves.is_empty()).then_some(moves)
}

/// Reads a plan.
///
/// # Errors
/// The first line that is wrong.
pub fn parse(text: &str) -> Result<WinningPlan, PlanReadError> {
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim_end()));
    let fault = |line: usize, reason: PlanFault| PlanReadError { line, reason };
    if lines.next().is_none_or(|(_, line)| line != HEADING) {
        return Err(fault(1, PlanFault::Heading));
    }
    const GAME: &str = "`game WxH RULE N`, such as game 15x15 five 5";
    let (at, game) = lines.next().unwrap_or((0, ""));
    let (board, rules) = parse_game_line(game).ok_or(fault(at, PlanFault::Expected(GAME)))?;
    let mut said = |key: &'static str, expected: &'static str| {
        let (at, line) = lines.next().unwrap_or((0, ""));
        let rest = line.strip_prefix(key).and_then(|rest| rest.strip_prefix(' '));
        rest.map(|rest| (at, rest)).ok_or(fault(at, PlanFault::Expected(expected)))
    };
    let mut start = GomokuPosition::new(board, rules);
    let (at, first) = said("start", "`start MOVES`, such as start h8")?;
    if first != NONE {
        let moves = parse_moves(board, first).map_err(|error| fault(at, error.into()))?;
        play_all(&mut start, &moves).map_err(|error| fault(at, error.into()))?;
    }
    const WINS: &str = "`wins black` or `wins white`";
    let (at, winner) = said("wins", WINS)?;
    let attacker = match winner {
        "black" => Side::First,
        "white" => Side::Second,
        _ => return Err(fault(at, PlanFault::Expected(WINS))),
    };
    let mut plan = WinningPlan::new(start, attacker);
    let mut before: Vec<u16> = Vec::new();
    for (at, line) in lines {
        if line.is_empty() {
            continue;
        }
        read_move(line, &mut plan, &mut before).map_err(|reason| fault(at, reason))?;
    }
    Ok(plan)
}

/// Reads one planned move; `before` is the line before, and becomes this one.
fn read_move(line: &str, plan: &mut WinningPlan, before: &mut Vec<u16>) -> Result<(), PlanFault> {
    const EXPECTED: PlanFault = PlanFault::Expected("a number, a reply and a move, such as 2 k12 g7");
    let words: Vec<&str> = line.split(' ').collect();
    let &[common, reply, answer] = words.as_slice() else { return Err(EXPECTED) };
    let common: usize = common.parse().map_err(|_| EXPECTED)?;
    let board = plan.start().board();
    let way = ways::parse(board, before, common, reply)?;
    let answer = parse_moves(board, answer)?;
    let &[answer] = answer.as_slice() else { return Err(EXPECTED) };
    let position = ways::follow(plan.start(), &way)?;
    if position.side() != plan.attacker() || position.winner().is_some() {
        return Err(PlanFault::Turn);
    }
    ways::check(&position, answer)?;
    before.clone_from(&way);
    before.push(answer);
    plan.add(way, &position, answer);
    Ok(())
}

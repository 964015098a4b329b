//! Tactical commands of the protocol, named and answered as GNU Go does: `attack`, `defend`, `connect`, `disconnect`,
//! `ladder_attack`, `owl_attack`, `owl_defend`; and `tactics_patterns` and `tactics_joseki`.
//!
//! An answer is the code of the verdict and the move: 0 fails, 1 works, 2 ko with the side to move capturing first, 3
//! ko for which it needs the first threat. Where nothing needs to be played, the move is PASS.

use crate::cli::positions::read_text_file;
use crate::core::game::Side;
use crate::games::go::large::points::LargeBoard;
use crate::games::go::large::position::LargePosition;
use crate::tactics::board::TacticsBoard;
use crate::tactics::goal::{Question, TacticalGoal, point_of};
use crate::tactics::joseki::{Corner, JosekiDictionary};
use crate::tactics::ladder::{LadderEnd, LadderReader};
use crate::tactics::pattern::index::PatternIndex;
use crate::tactics::pattern::prove::shipped;
use crate::tactics::proposer::patterns_on;
use crate::tactics::solve::{USUAL_NODES, solve};
use crate::tactics::verdict::TacticsVerdict;
use std::path::Path;

/// The goal of a command that asks a question.
pub(super) fn goal(command: &str) -> Option<TacticalGoal> {
    match command {
        "attack" => Some(TacticalGoal::Capture),
        "defend" => Some(TacticalGoal::Defend),
        "connect" => Some(TacticalGoal::Connect),
        "disconnect" => Some(TacticalGoal::Cut),
        "owl_attack" => Some(TacticalGoal::Kill),
        "owl_defend" => Some(TacticalGoal::Live),
        _ => None,
    }
}

fn upper(size: LargeBoard, point: u16) -> String {
    size.name(point).to_uppercase()
}

/// The answer to a question about the stones on one or two vertices.
pub(super) fn ask(position: &LargePosition, goal: TacticalGoal, vertices: &[&str]) -> Result<String, String> {
    let size = position.size();
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let shown = |vertex: &str| point_of(size, &super::session::shown(vertex)).map_err(|error| text(&error));
    let (target, with) = match *vertices {
        [target] => (shown(target)?, None),
        [target, with] => (shown(target)?, Some(shown(with)?)),
        _ => return Err("this command needs one vertex, or two for connect and disconnect".to_owned()),
    };
    let question = Question::new(position.chains(), goal, target, with).map_err(|error| text(&error))?;
    let board = TacticsBoard::of_position(position, question.mover());
    let answer = solve(&board, &question, USUAL_NODES);
    match (answer.verdict, answer.verdict.code()) {
        (TacticsVerdict::Fails, _) => Ok("0".to_owned()),
        (_, Some(code)) => {
            Ok(format!("{code} {}", answer.first.map_or("PASS".to_owned(), |point| upper(size, point))))
        }
        (_, None) => Err(format!("not known: {USUAL_NODES} nodes are not enough")),
    }
}

/// Whether the other side, to move, captures the stone on a vertex in a ladder, and its first move.
pub(super) fn ladder(position: &LargePosition, vertex: &str) -> Result<String, String> {
    let size = position.size();
    let target = point_of(size, &super::session::shown(vertex)).map_err(|error| error.to_string())?;
    let question = Question::new(position.chains(), TacticalGoal::Capture, target, None);
    let mover = question.map_err(|error| error.to_string())?.mover();
    let mut board = TacticsBoard::of_position(position, mover);
    match LadderReader::new(USUAL_NODES).capture(&mut board, target) {
        LadderEnd::Captured(first) => Ok(format!("1 {}", upper(size, first))),
        LadderEnd::Escapes => Ok("0".to_owned()),
        LadderEnd::Open => Err("not known: there is a ko in it, or it is too long".to_owned()),
    }
}

/// A dictionary of joseki with the name of its file.
pub(super) struct NamedDictionary {
    /// The name as it was given.
    pub file: String,
    dictionary: JosekiDictionary,
}

impl NamedDictionary {
    /// Reads a file.
    pub(super) fn read(file: &str) -> Result<NamedDictionary, String> {
        let text = read_text_file(Path::new(file)).map_err(|error| error.to_string())?;
        let text = text.ok_or("there is none of this name")?;
        let dictionary = JosekiDictionary::read(&text).map_err(|error| error.to_string())?;
        Ok(NamedDictionary { file: file.to_owned(), dictionary })
    }

    /// The moves that it has for the corners, or for the corner of a vertex, one a line: the move, its colour, the
    /// corner, the number of positions behind it and, if there is one, the mark. PASS is a move elsewhere.
    pub(super) fn look_up(&self, position: &LargePosition, vertex: Option<&str>) -> Result<String, String> {
        let size = position.size();
        let of = |vertex: &str| point_of(size, &super::session::shown(vertex)).map_err(|error| error.to_string());
        let asked = vertex.map(of).transpose()?.map(|point| Corner::of(size, point));
        let mut lines = Vec::new();
        for found in self.dictionary.look_up(position.chains()) {
            if asked.is_some_and(|corner| corner != found.corner) {
                continue;
            }
            let corner = found.corner.name().replace(' ', "-");
            for one in found.moves {
                let vertex = one.point.map_or_else(|| "PASS".to_owned(), |point| upper(size, point));
                let colour = if one.side == Side::First { "black" } else { "white" };
                let mark = one.mark.map_or_else(String::new, |mark| format!(" {}", mark.name()));
                lines.push(format!("{vertex} {colour} {corner} {}{mark}", one.behind));
            }
        }
        Ok(lines.join("\n"))
    }
}

/// The moves that the shipped patterns propose to a side, one a line: the move, the goal and the pattern's name.
pub(super) fn patterns(position: &LargePosition, side: Side) -> Result<String, String> {
    let database = &shipped().database;
    let index: PatternIndex = database.index().map_err(|(_, fault)| fault.to_string())?;
    let (size, mut lines) = (position.size(), Vec::new());
    let found = patterns_on(&index, position.chains());
    for (_, proposals) in found.into_iter().filter(|(one, _)| index.to_move(one.pattern) == side) {
        for proposal in proposals {
            let entry = &database.entries[proposal.entry];
            let (x, y) = proposal.place;
            let point = size.point(x, y).map_or_else(String::new, |point| upper(size, point));
            lines.push(format!("{point} {} {}", entry.goal.name(), entry.name));
        }
    }
    lines.sort();
    lines.dedup();
    Ok(lines.join("\n"))
}

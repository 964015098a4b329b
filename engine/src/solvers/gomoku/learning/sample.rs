//! Positions of games as the fit has them: how often each code and each threat occurs, and how the game ended.

use super::choices::Choices;
use super::games::{GamesHead, LearningGame};
use crate::core::game::{Game, Side};
use crate::games::gomoku::board::GomokuBoard;
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::solvers::gomoku::lines::board::{FIRST_THREAT, LineBoard, LineTables};
use crate::solvers::gomoku::lines::classes::LineClass;
use crate::solvers::gomoku::lines::codes::{CODES, MOVE_CLASSES, MoveClass, MoveCodes};
use crate::solvers::gomoku::lines::weights::{SETS, SEVERAL};
use crate::solvers::learning::GameCollector;

/// A position to learn from.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// What occurs: the number of a *feature* (see [`Features`]) and how often, less than 0 for the other side.
    pub features: Box<[(u16, i8)]>,
    /// How the game ended for the side to move: 0 lost, one half drawn, 1 won.
    pub outcome: f32,
    /// What the search said, for the side to move.
    pub value: f32,
    /// Number of the game.
    pub game: u32,
}

/// The numbers of the features: codes of the side to move, codes of the other side, the same in the position before
/// the last move, threats of both, being to move, sets of threats.
#[derive(Debug)]
pub struct Features {
    /// Whether a code is no more than single stones: such ones weigh the same for both sides, so that the empty parts
    /// of a board weigh nothing.
    is_single: Vec<bool>,
}

impl Features {
    /// The first feature of the threats.
    pub const THREATS: usize = 4 * CODES;
    /// The feature of being to move, which every position has.
    pub const TEMPO: usize = Features::THREATS + 2 * MOVE_CLASSES * SEVERAL;
    /// The first feature of the sets of threats.
    pub const SETS: usize = Features::TEMPO + 1;
    /// Number of features.
    pub const ALL: usize = Features::SETS + SETS;

    /// The features under a numbering of codes.
    pub fn new(codes: &MoveCodes) -> Features {
        let strongest = |code: u16| codes.lines(code)[0];
        Features { is_single: (0..CODES as u16).map(|code| strongest(code) <= LineClass::OpenOne).collect() }
    }

    /// The feature of a code: `role` is 0 for the side to move, 1 for the other.
    pub fn code(&self, role: usize, code: u16) -> usize {
        let shared = self.is_single[usize::from(code)];
        usize::from(code) + if role == 0 || shared { 0 } else { CODES }
    }

    /// The feature of a code in the position before the last move: `role` is 0 for the side that was to move then.
    pub fn code_before(&self, role: usize, code: u16) -> usize {
        2 * CODES + self.code(role, code)
    }

    /// The feature of a threat.
    pub fn threat(role: usize, class: usize, count: usize) -> usize {
        Features::THREATS + (role * MOVE_CLASSES + class) * SEVERAL + count
    }
}

/// The positions of games of one board and rule.
#[derive(Debug, Default)]
pub struct GomokuCollector {
    kept: Option<(GamesHead, LineTables, Features)>,
    /// Number of games.
    pub games: u32,
    /// The positions of these games.
    pub samples: Vec<Sample>,
    /// What was chosen in them.
    pub choices: Choices,
}

impl GomokuCollector {
    /// The numbering of codes; nothing before the first file.
    pub fn codes(&self) -> Option<&MoveCodes> {
        self.kept.as_ref().map(|(_, tables, _)| tables.codes())
    }
}

impl GameCollector for GomokuCollector {
    type File = GamesHead;

    fn begin(&mut self, head: &GamesHead) -> Result<(), String> {
        match &self.kept {
            None => {
                let tables = LineTables::new(head.rules).map_err(|error| error.to_string())?;
                let features = Features::new(tables.codes());
                self.kept = Some((*head, tables, features));
                Ok(())
            }
            Some((first, ..)) => head.check_alike(first),
        }
    }

    fn add(&mut self, game: &LearningGame) {
        if let Some((head, tables, features)) = &self.kept {
            samples_of(game, self.games, head.board, (tables, features), |sample| self.samples.push(sample));
            self.choices.add(game, self.games, head.board, tables);
        }
        self.games += 1;
    }
}

/// A position of a game that says something, with what was played in it.
pub(super) struct Replayed<'r, 'a> {
    /// The position with its line tables.
    pub lines: &'r LineBoard<'a>,
    /// The position before the last move, unless nothing was played.
    pub before: Option<&'r LineBoard<'a>>,
    /// The side to move.
    pub side: Side,
    /// The point that it plays on.
    pub point: u16,
    /// What the search said of it.
    pub value: i16,
}

/// The positions of a game that say something: no row is about to be completed, and no straight four can be made by
/// the side to move.
pub(super) fn replay(
    game: &LearningGame,
    board: GomokuBoard,
    tables: &LineTables,
    mut each: impl FnMut(Replayed<'_, '_>),
) {
    let mut position = GomokuPosition::new(board, tables.rules());
    let mut lines = LineBoard::new(tables, &position);
    let mut before: Option<LineBoard<'_>> = None;
    let opening = game.opening.min(game.moves.len());
    for (at, &point) in game.moves.iter().enumerate() {
        let (side, enemy) = (position.side(), position.side().other());
        let completes = lines.count_of(side, MoveClass::Five) + lines.count_of(enemy, MoveClass::Five) > 0;
        if let Some(&value) = at.checked_sub(opening).and_then(|at| game.values.get(at))
            && !completes
            && lines.count_of(side, MoveClass::StraightFour) == 0
        {
            each(Replayed { lines: &lines, before: before.as_ref(), side, point, value });
        }
        before = Some(lines.clone());
        position.play(GomokuMove(point));
        lines.put(point, side);
    }
}

/// The samples of the positions of a game that say something.
pub fn samples_of(
    game: &LearningGame,
    number: u32,
    board: GomokuBoard,
    (tables, features): (&LineTables, &Features),
    mut each: impl FnMut(Sample),
) {
    // How often each feature occurs, and which ones do.
    let mut counts = vec![0i8; Features::ALL];
    let mut seen: Vec<u16> = Vec::new();
    replay(game, board, tables, |Replayed { lines, before, side, value, .. }| {
        let enemy = side.other();
        let mut add = |feature: usize, by: i8| {
            if counts[feature] == 0 {
                seen.push(feature as u16);
            }
            counts[feature] = counts[feature].saturating_add(by);
        };
        for point in board.points().filter(|&point| lines.is_empty(point)) {
            add(features.code(0, lines.code(point, side)), 1);
            add(features.code(1, lines.code(point, enemy)), -1);
        }
        // Before the first stone the position stands for the one before it.
        let (last, to_move, sign) = before.map_or((lines, side, 1), |before| (before, enemy, -1));
        for point in board.points().filter(|&point| last.is_empty(point)) {
            add(features.code_before(0, last.code(point, to_move)), sign);
            add(features.code_before(1, last.code(point, to_move.other())), -sign);
        }
        for (role, colour) in [side, enemy].into_iter().enumerate() {
            for class in &MoveClass::ALL[FIRST_THREAT..] {
                let count = usize::from(lines.count_of(colour, *class)).min(SEVERAL - 1);
                if count > 0 {
                    add(Features::threat(role, *class as usize, count), 1);
                }
            }
        }
        add(Features::TEMPO, 1);
        add(Features::SETS + lines.set_of_threats(side), 1);
        seen.sort_unstable();
        seen.dedup();
        let occurs = |&feature: &u16| (feature, std::mem::take(&mut counts[usize::from(feature)]));
        let features = seen.iter().map(occurs).filter(|feature| feature.1 != 0).collect();
        seen.clear();
        let outcome = outcome_for(side, game.winner);
        each(Sample { features, outcome, value: value.into(), game: number });
    });
}

/// How a game ended for a side: 0 lost, one half drawn, 1 won.
pub(super) fn outcome_for(side: Side, winner: Option<Side>) -> f32 {
    match winner {
        None => 0.5,
        Some(winner) if winner == side => 1.0,
        Some(_) => 0.0,
    }
}

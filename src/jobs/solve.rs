//! A solution by units as a job: which position of which game, what is asked, and how it is searched. It can be
//! stored and turned into a coordinator.

use super::tree::settings::{SettingsError, StoreKind, TreeSettings};
use super::tree::state::TreeState;
use crate::games::reversi::notation::TextError;
use crate::games::reversi::position::Empties;
use crate::games::size::BoardSizeError;
use crate::games::{go, gomoku, reversi};
use crate::solvers::choice::{ChoiceError, EngineChoice};
use crate::solvers::solvable::{Playable, Solvable};
use crate::solvers::solve::Goal;
use serde::{Deserialize, Serialize};

/// A position of a two-player game that is to be solved by units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SolveJob {
    /// The position, and the rules of its game.
    pub problem: SolvePosition,
    /// The game, its board and its rules, in words.
    pub title: String,
    /// The engine that searches.
    pub choice: EngineChoice,
    /// Bytes of the table of each worker.
    pub memory: u64,
    /// What is asked, and how units are made.
    pub settings: TreeSettings,
    /// Who gets the credit.
    pub user: String,
    /// The database of its file.
    #[serde(default, skip_serializing_if = "StoreKind::is_default")]
    pub store: StoreKind,
    /// Plies of the tree that are made before the first unit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub initial_depth: u32,
}

fn is_zero(depth: &u32) -> bool {
    *depth == 0
}

/// A position of a game, which has been parsed. One variant per game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "StoredPosition", try_from = "StoredPosition")]
pub enum SolvePosition {
    /// A position of Reversi.
    Reversi(reversi::position::ReversiPosition),
    /// A position of Go.
    Go {
        /// The position, with its past and its rules.
        position: Box<go::position::GoPosition>,
        /// The text that it was read from: a board or an SGF file.
        text: String,
    },
    /// A position of Gomoku.
    Gomoku(Box<gomoku::position::GomokuPosition>),
}

/// A position as it is stored: a text, and what the text does not say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredPosition {
    Reversi {
        width: u8,
        height: u8,
        /// Who gets cells that are empty at the end.
        empties: Empties,
        /// Cells by rows and the side to move, as in a line of an OBF file.
        position: String,
    },
    Go {
        rules: go::rules::GoRules,
        /// A board or an SGF file: under superko the boards of its past count.
        position: String,
    },
    Gomoku {
        rules: gomoku::rules::GomokuRules,
        /// A board by rows, and the side to move.
        position: String,
    },
}

impl SolvePosition {
    /// The position as a text that says all of it, but for the rules.
    pub fn text(&self) -> String {
        match self {
            SolvePosition::Reversi(position) => reversi::notation::to_obf(position),
            SolvePosition::Go { text, .. } => text.clone(),
            SolvePosition::Gomoku(position) => gomoku::notation::to_line(position),
        }
    }
}

impl From<SolvePosition> for StoredPosition {
    fn from(position: SolvePosition) -> StoredPosition {
        match position {
            SolvePosition::Reversi(position) => {
                let (board, empties) = (position.board(), position.empties());
                let (width, height) = (board.width(), board.height());
                StoredPosition::Reversi { width, height, empties, position: reversi::notation::to_obf(&position) }
            }
            SolvePosition::Go { position, text } => StoredPosition::Go { rules: position.rules(), position: text },
            SolvePosition::Gomoku(position) => {
                let text = gomoku::notation::to_line(&position);
                StoredPosition::Gomoku { rules: position.rules(), position: text }
            }
        }
    }
}

impl TryFrom<StoredPosition> for SolvePosition {
    type Error = StoredPositionError;

    fn try_from(stored: StoredPosition) -> Result<SolvePosition, StoredPositionError> {
        Ok(match stored {
            StoredPosition::Reversi { width, height, empties, position } => {
                let board = reversi::board::ReversiBoard::new(width, height)?;
                SolvePosition::Reversi(reversi::notation::parse_board(board, &position)?.with_empties(empties))
            }
            StoredPosition::Go { rules, position: text } => {
                let position = go::notation::parse_position::<go::position::GoPosition>(&text, rules)?;
                SolvePosition::Go { position: Box::new(position), text }
            }
            StoredPosition::Gomoku { rules, position } => {
                // A length of the row that there is not would have been refused when it was stored.
                let rules = gomoku::rules::GomokuRules::new(rules.rule(), rules.win())?;
                SolvePosition::Gomoku(Box::new(gomoku::notation::parse_position(&position, rules, None)?))
            }
        })
    }
}

/// Why a stored position cannot be read.
#[derive(Debug, thiserror::Error)]
enum StoredPositionError {
    #[error(transparent)]
    ReversiBoard(#[from] BoardSizeError),
    #[error("the position: {0}")]
    Reversi(#[from] TextError),
    #[error("the position: {0}")]
    Go(#[from] go::notation::GoReadError),
    #[error(transparent)]
    GomokuRules(#[from] gomoku::rules::GomokuRulesError),
    #[error("the position: {0}")]
    Gomoku(#[from] gomoku::notation::GomokuReadError),
}

/// Why a job cannot be begun.
#[derive(Debug, thiserror::Error)]
pub enum SolveJobError {
    /// Settings that are out of range.
    #[error(transparent)]
    TreeSettings(#[from] SettingsError),
    /// Parts of a search that do not fit together.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// The game is over in this position.
    #[error("the game is over in this position: its value is {0}")]
    Over(i32),
}

/// An action on the position of a job, whatever its game.
pub trait Visitor {
    /// What the visit returns.
    type Out;

    /// Does it with the position, as a value of its game's type.
    fn visit<G: Solvable>(self, root: G) -> Self::Out;
}

impl SolveJob {
    /// Calls the visitor with the position.
    pub fn visit<V: Visitor>(&self, visitor: V) -> V::Out {
        match &self.problem {
            SolvePosition::Reversi(position) => visitor.visit(*position),
            SolvePosition::Go { position, .. } => visitor.visit((**position).clone()),
            SolvePosition::Gomoku(position) => visitor.visit((**position).clone()),
        }
    }

    /// The name of the game.
    pub fn game(&self) -> &'static str {
        match self.problem {
            SolvePosition::Reversi(_) => reversi::position::ReversiPosition::NAME,
            SolvePosition::Go { .. } => go::position::GoPosition::NAME,
            SolvePosition::Gomoku(_) => gomoku::position::GomokuPosition::NAME,
        }
    }

    /// The state of the solution before anything is known; `root` is the position.
    ///
    /// # Errors
    /// What is wrong with the job.
    pub fn begin<G: Solvable>(&self, root: G) -> Result<TreeState<G>, SolveJobError> {
        self.choice.kind(1)?;
        let mut moves = Vec::new();
        root.moves(&mut moves);
        if moves.is_empty() {
            return Err(SolveJobError::Over(root.outcome() / G::POINT));
        }
        Ok(TreeState::new(root, self.settings.clone())?)
    }

    /// Whether it can be begun.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self) -> Result<(), SolveJobError> {
        struct CheckVisitor<'a>(&'a SolveJob);
        impl Visitor for CheckVisitor<'_> {
            type Out = Result<(), SolveJobError>;
            fn visit<G: Solvable>(self, root: G) -> Self::Out {
                self.0.begin(root).map(drop)
            }
        }
        self.visit(CheckVisitor(self))
    }

    /// All that decides how a unit ends, except the settings, as a text: by it the file of a solution is recognised.
    pub fn identity(&self, position: &str) -> String {
        identity(&self.title, position, &self.choice, self.memory, self.initial_depth)
    }
}

/// As [`SolveJob::identity`], from its parts.
pub fn identity(title: &str, position: &str, choice: &EngineChoice, memory: u64, initial_depth: u32) -> String {
    let mut identity = serde_json::json!({
        "game": title,
        "position": position,
        "algorithm": choice.algorithm,
        "without": choice.without,
        "memory": memory,
    });
    // Files of earlier versions do not have it.
    if initial_depth > 0 {
        identity["initial_depth"] = initial_depth.into();
    }
    identity.to_string()
}

/// What is asked, as a word; `point` is the game's.
pub fn goal_name(goal: Goal, point: i32) -> String {
    match goal {
        Goal::Exact => "exact".to_owned(),
        Goal::WinLossDraw => "win-loss-draw".to_owned(),
        Goal::Threshold(target) => format!("at least {}", target / point),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What earlier versions stored is read, and what is stored is what they stored.
    #[test]
    fn positions_are_stored_as_text() {
        for text in [
            r#"{"reversi":{"width":4,"height":4,"empties":"to_winner","position":"X-OOXXXOX-OOXOOO X"}}"#,
            r#"{"go":{"rules":{"ko":"superko","cycle":"tie","suicide":false},"position":"(;SZ[3];B[bb])"}}"#,
            r#"{"gomoku":{"rules":{"rule":"renju","win":5},"position":".X./.O./... black"}}"#,
        ] {
            let position: SolvePosition = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&position).unwrap(), text);
            if let SolvePosition::Go { position, .. } = position {
                assert_eq!(position.stones(), (1 << position.board().all().nth(4).unwrap(), 0));
                assert!(position.has_past());
            }
        }
        let wrong = r#"{"reversi":{"width":4,"height":4,"empties":"ignored","position":"XO"}}"#;
        let error = serde_json::from_str::<SolvePosition>(wrong).unwrap_err().to_string();
        assert!(error.contains("the position: the board has 2 cells"), "{error}");
        for (rules, reason) in
            [(r#""renju","win":4"#, "renju is played for five"), (r#""free","win":99"#, "a row of 99 cannot")]
        {
            let wrong = format!(r#"{{"gomoku":{{"rules":{{"rule":{rules}}},"position":"..."}}}}"#);
            let error = serde_json::from_str::<SolvePosition>(&wrong).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}

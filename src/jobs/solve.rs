//! A solution by units as a job: which position of which game, what is asked, and how it is searched. It can be
//! stored and turned into a coordinator.

use super::tree::settings::{SettingsError, TreeSettings};
use super::tree::state::TreeState;
use crate::games::reversi::notation::TextError;
use crate::games::reversi::position::Empties;
use crate::games::{go, reversi};
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
}

/// A position of a game. One variant per game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SolvePosition {
    /// A position of Reversi.
    Reversi {
        /// Number of columns.
        width: u8,
        /// Number of rows.
        height: u8,
        /// Who gets cells that are empty at the end.
        empties: Empties,
        /// Cells by rows and the side to move, as in a line of an OBF file.
        position: String,
    },
    /// A position of Go.
    Go {
        /// The rules of the game.
        rules: go::rules::GoRules,
        /// A board or an SGF file: under superko the boards of its past count.
        position: String,
    },
}

/// Why a job cannot be begun.
#[derive(Debug, thiserror::Error)]
pub enum SolveJobError {
    /// The board of Reversi is not possible.
    #[error(transparent)]
    ReversiBoard(#[from] reversi::board::ReversiBoardError),
    /// The text is not a position of Reversi.
    #[error("the position: {0}")]
    Reversi(#[from] TextError),
    /// The text is not a position of Go.
    #[error("the position: {0}")]
    Go(#[from] go::notation::GoReadError),
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
    ///
    /// # Errors
    /// The text is not a position.
    pub fn visit<V: Visitor>(&self, visitor: V) -> Result<V::Out, SolveJobError> {
        Ok(match &self.problem {
            SolvePosition::Reversi { width, height, empties, position } => {
                let board = reversi::board::ReversiBoard::new(*width, *height)?;
                let root = reversi::notation::parse_board(board, position)?.with_empties(*empties);
                visitor.visit(root)
            }
            SolvePosition::Go { rules, position } => {
                visitor.visit(go::notation::parse_position::<go::position::GoPosition>(position, *rules)?)
            }
        })
    }

    /// The name of the game.
    pub fn game(&self) -> &'static str {
        match self.problem {
            SolvePosition::Reversi { .. } => reversi::position::ReversiPosition::NAME,
            SolvePosition::Go { .. } => go::position::GoPosition::NAME,
        }
    }

    /// Whether it can be begun.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self) -> Result<(), SolveJobError> {
        struct Check<'a>(&'a SolveJob);
        impl Visitor for Check<'_> {
            type Out = Result<(), SolveJobError>;
            fn visit<G: Solvable>(self, root: G) -> Self::Out {
                let mut moves = Vec::new();
                root.moves(&mut moves);
                if moves.is_empty() {
                    return Err(SolveJobError::Over(root.outcome() / G::POINT));
                }
                TreeState::new(root, self.0.settings.clone())?;
                Ok(())
            }
        }
        self.choice.kind(1)?;
        self.visit(Check(self))?
    }

    /// All that decides how a unit ends, except the settings, as a text: by it the file of a solution is recognised.
    pub fn identity(&self, position: &str) -> String {
        identity(&self.title, position, &self.choice, self.memory)
    }
}

/// As [`SolveJob::identity`], from its parts.
pub fn identity(title: &str, position: &str, choice: &EngineChoice, memory: u64) -> String {
    serde_json::json!({
        "game": title,
        "position": position,
        "algorithm": choice.algorithm,
        "without": choice.without,
        "memory": memory,
    })
    .to_string()
}

/// What is asked, as a word; `point` is the game's.
pub fn goal_name(goal: Goal, point: i32) -> String {
    match goal {
        Goal::Exact => "exact".to_owned(),
        Goal::WinLossDraw => "win-loss-draw".to_owned(),
        Goal::Threshold(target) => format!("at least {}", target / point),
    }
}

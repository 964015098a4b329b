//! The players of Gomoku by their names, and one that plays as any of them.

use super::player::{GomokuPlayer, PlayerError};
use super::thesis::ThesisPlayer;
use crate::core::game::{Budget, Chosen, Level, Player, ToldMoves};
use crate::core::setting::NamedValue;
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};

/// A player by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GomokuBrain {
    /// The usual one, [`GomokuPlayer`].
    #[default]
    Usual,
    /// The one of patterns, [`ThesisPlayer`].
    Thesis,
}

impl GomokuBrain {
    /// The names, for people who choose one.
    pub const NAMES: [NamedValue; 2] = [
        NamedValue { value: "usual", label: "Line tables and a deep search: the strongest" },
        NamedValue { value: "thesis", label: "Patterns of five points, searched as deep as the level" },
    ];

    /// The player of a name.
    pub fn named(name: &str) -> Option<GomokuBrain> {
        match name {
            "usual" => Some(GomokuBrain::Usual),
            "thesis" => Some(GomokuBrain::Thesis),
            _ => None,
        }
    }
}

/// A player that plays as one of several.
#[derive(Debug)]
pub struct BrainPlayer {
    /// The usual one.
    pub usual: GomokuPlayer,
    thesis: ThesisPlayer,
    brain: GomokuBrain,
}

impl BrainPlayer {
    /// A player at full strength that plays as the usual one, with a table of so many bytes.
    ///
    /// # Errors
    /// The memory cannot be had.
    pub fn new(memory: u64) -> Result<BrainPlayer, PlayerError> {
        let (usual, thesis) = (GomokuPlayer::new(memory)?, ThesisPlayer::new()?);
        Ok(BrainPlayer { usual, thesis, brain: GomokuBrain::Usual })
    }

    /// Lets it play as another one.
    pub fn set_brain(&mut self, brain: GomokuBrain) {
        self.brain = brain;
    }

    /// As which one it plays.
    pub fn brain(&self) -> GomokuBrain {
        self.brain
    }

    /// Gets ready for the rules and the board of a position.
    ///
    /// # Errors
    /// A row that wins that the player cannot play for.
    pub fn prepare(&mut self, position: &GomokuPosition) -> Result<(), PlayerError> {
        if self.brain == GomokuBrain::Thesis {
            ThesisPlayer::check(position.rules())?;
        }
        self.usual.prepare(position)
    }

    fn player(&mut self) -> &mut dyn Player<GomokuPosition> {
        match self.brain {
            GomokuBrain::Usual => &mut self.usual,
            GomokuBrain::Thesis => &mut self.thesis,
        }
    }
}

impl Player<GomokuPosition> for BrainPlayer {
    fn choose(
        &mut self,
        position: &GomokuPosition,
        budget: &mut Budget<'_>,
        told: &mut dyn FnMut(&Chosen<GomokuMove>),
    ) -> Option<Chosen<GomokuMove>> {
        self.player().choose(position, budget, told)
    }

    fn analyse(
        &mut self,
        position: &GomokuPosition,
        most: usize,
        budget: &mut Budget<'_>,
        told: ToldMoves<'_, GomokuMove>,
    ) -> Vec<Chosen<GomokuMove>> {
        self.player().analyse(position, most, budget, told)
    }

    fn set_level(&mut self, level: Level) {
        self.usual.set_level(level);
        self.thesis.set_level(level);
    }

    fn forget(&mut self) {
        self.usual.forget();
        self.thesis.forget();
    }
}

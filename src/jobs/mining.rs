//! Patterns of Go that are mined from games as a job, as `morpion tactics mine` mines them. A unit is a game; the
//! last one puts together what the games have, in the order of their numbers, and so needs all of them.

use super::ending::JobEnd;
use super::numbered::NumberedJob;
use crate::core::setting::BadValue;
use crate::games::go::large::points::LargeBoard;
use crate::tactics::pattern::mine::MinedGames;
use serde::{Deserialize, Serialize};

/// Patterns that are to be mined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MineJob {
    /// Number of games.
    pub games: u64,
    /// Rows and columns of the board.
    pub size: u8,
    /// Playouts for each move.
    pub playouts: u64,
    /// Nodes after which each reading is given up.
    pub nodes: u64,
    /// In at least so many games a pattern has to come up to be kept.
    pub least: u32,
    /// Decides the games.
    pub seed: u64,
}

impl MineJob {
    /// The games.
    ///
    /// # Errors
    /// If there is no such board.
    pub fn played(&self) -> Result<MinedGames, BadValue> {
        let size = LargeBoard::new(self.size, self.size).map_err(|error| BadValue(error.to_string()))?;
        Ok(MinedGames { size, playouts: self.playouts, nodes: self.nodes, seed: self.seed })
    }

    /// What a move and a question may take, in words.
    pub fn effort(&self) -> String {
        format!("{} playouts, {} nodes", self.playouts, self.nodes)
    }

    /// The board, in words.
    pub fn title(&self) -> String {
        format!("go {0}x{0}", self.size)
    }
}

/// The figures of a unit as they are stored. What it has found is in a file of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MineRecord {
    /// What was found.
    pub found: MinedFigures,
    /// Processor time that it took.
    pub milliseconds: u64,
}

/// What a unit has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MinedFigures {
    /// In a game.
    Game {
        /// Positions that were looked at.
        positions: u64,
        /// Questions that were asked.
        asked: u64,
        /// Patterns, each once.
        patterns: u64,
    },
    /// In all games together.
    Whole {
        /// Patterns, each once.
        patterns: u64,
        /// Those that are kept.
        kept: u64,
    },
}

/// What the units come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MineTally {
    /// Games that were searched.
    pub games: u64,
    /// Positions that were looked at.
    pub positions: u64,
    /// Questions that were asked.
    pub asked: u64,
    /// Patterns of each game by itself, added up.
    pub patterns: u64,
    /// Patterns of all games, each once, and those that are kept, when that is known.
    pub whole: Option<(u64, u64)>,
}

impl NumberedJob for MineJob {
    type Outcome = MineRecord;
    type Tally = MineTally;
    const END: JobEnd = JobEnd::Mined;

    fn units(&self) -> u64 {
        self.games.saturating_add(1)
    }

    fn in_turn(&self, unit: u64) -> bool {
        unit >= self.games
    }

    fn nothing(&self) -> MineTally {
        MineTally::default()
    }

    fn count(&self, tally: &mut MineTally, record: &MineRecord) {
        match record.found {
            MinedFigures::Game { positions, asked, patterns } => {
                tally.games += 1;
                tally.positions = tally.positions.saturating_add(positions);
                tally.asked = tally.asked.saturating_add(asked);
                tally.patterns = tally.patterns.saturating_add(patterns);
            }
            MinedFigures::Whole { patterns, kept } => tally.whole = Some((patterns, kept)),
        }
    }

    /// The iterations of the job are its questions.
    fn spent(record: &MineRecord) -> (u64, u64) {
        let MinedFigures::Game { asked, .. } = record.found else { return (0, record.milliseconds) };
        (asked, record.milliseconds)
    }
}

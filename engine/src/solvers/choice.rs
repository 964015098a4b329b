//! Which algorithm searches, and what it does without: by names, for command lines, configuration files and requests.

use super::algorithm::Algorithm;
use super::search::Parts;
use crate::core::setting::NamedValue;
use serde::{Deserialize, Serialize};

/// The ways to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Name {
    /// The solver made for this game alone
    Special,
    /// Every position down to the end
    Minimax,
    /// Alpha-beta, written for both sides apart
    Alphabeta,
    /// Alpha-beta, in negamax form
    Negamax,
    /// NegaScout (principal variation search)
    Negascout,
    /// MTD(f), the memory-enhanced test driver
    Mtdf,
    /// Depth-first proof-number search
    Dfpn,
}

/// The parts of a search that can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The transposition table
    Table,
    /// Symmetric positions as one
    Symmetry,
    /// Enhanced transposition cut-off
    Etc,
    /// Killer moves: those that caused cut-offs at the same ply go first
    Killers,
    /// History heuristic: moves that caused cut-offs anywhere go first
    History,
    /// The game's own order of moves
    Prior,
    /// The game's own bounds, such as stable discs
    Bounds,
    /// Iterative deepening, before the whole depth is searched
    Deepening,
}

/// The names of the algorithms, for people who choose one.
pub static ALGORITHMS: [NamedValue; 7] = [
    NamedValue { value: "special", label: "The solver made for this game alone" },
    NamedValue { value: "minimax", label: "Every position down to the end" },
    NamedValue { value: "alphabeta", label: "Alpha-beta, written for both sides apart" },
    NamedValue { value: "negamax", label: "Alpha-beta, in negamax form" },
    NamedValue { value: "negascout", label: "NegaScout (principal variation search)" },
    NamedValue { value: "mtdf", label: "MTD(f), the memory-enhanced test driver" },
    NamedValue { value: "dfpn", label: "Depth-first proof-number search" },
];

/// The names of the parts, for people who leave some out.
pub static PARTS: [NamedValue; 8] = [
    NamedValue { value: "table", label: "The transposition table" },
    NamedValue { value: "symmetry", label: "Symmetric positions as one" },
    NamedValue { value: "etc", label: "Enhanced transposition cut-off" },
    NamedValue { value: "killers", label: "Killer moves: those that caused cut-offs at the same ply go first" },
    NamedValue { value: "history", label: "History heuristic: moves that caused cut-offs anywhere go first" },
    NamedValue { value: "prior", label: "The game's own order of moves" },
    NamedValue { value: "bounds", label: "The game's own bounds, such as stable discs" },
    NamedValue { value: "deepening", label: "Iterative deepening, before the whole depth is searched" },
];

/// What searches, as somebody chose it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineChoice {
    /// The algorithm; nothing is the game's own solver.
    pub algorithm: Option<Name>,
    /// What to do without.
    pub without: Vec<Part>,
}

/// The kinds of engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineKind {
    /// The game's own.
    Own,
    /// A general one.
    DepthFirst(Algorithm),
    /// Depth-first proof-number search.
    Dfpn,
}

/// A choice whose parts do not go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    /// The algorithm has no way to use several threads.
    #[error("--threads {0}: only special, negascout and mtdf share their work among threads")]
    Threads(usize),
    /// The threads would not know of each other.
    #[error("--threads {0} needs the transposition table, which --without table takes away")]
    Table(usize),
    /// The game's own solver has no parts.
    #[error("--without is for the general algorithms: choose one by --algorithm")]
    Own,
}

impl EngineChoice {
    /// The parts that are not left out.
    pub fn parts(&self) -> Parts {
        let mut parts = Parts::ALL;
        for part in &self.without {
            *match part {
                Part::Table => &mut parts.table,
                Part::Symmetry => &mut parts.symmetry,
                Part::Etc => &mut parts.transposition_cutoff,
                Part::Killers => &mut parts.killers,
                Part::History => &mut parts.history,
                Part::Prior => &mut parts.prior,
                Part::Bounds => &mut parts.bounds,
                Part::Deepening => &mut parts.deepening,
            } = false;
        }
        parts
    }

    /// The kind of engine, for so many threads.
    ///
    /// # Errors
    /// What does not go together.
    pub fn kind(&self, threads: usize) -> Result<EngineKind, ChoiceError> {
        let name = self.algorithm.unwrap_or(Name::Special);
        if threads > 1 && !matches!(name, Name::Special | Name::Negascout | Name::Mtdf) {
            return Err(ChoiceError::Threads(threads));
        }
        if threads > 1 && !self.parts().table {
            return Err(ChoiceError::Table(threads));
        }
        Ok(match name {
            Name::Special if !self.without.is_empty() => return Err(ChoiceError::Own),
            Name::Special => EngineKind::Own,
            Name::Dfpn => EngineKind::Dfpn,
            Name::Minimax => EngineKind::DepthFirst(Algorithm::Minimax),
            Name::Alphabeta => EngineKind::DepthFirst(Algorithm::AlphaBeta),
            Name::Negamax => EngineKind::DepthFirst(Algorithm::Negamax),
            Name::Negascout => EngineKind::DepthFirst(Algorithm::NegaScout),
            Name::Mtdf => EngineKind::DepthFirst(Algorithm::Mtdf),
        })
    }
}

//! What a solution by units is made of, and the windows that are asked.

use crate::core::game::{MAX_VALUE, Value};
use crate::core::setting::NamedValue;
use crate::solvers::solve::Goal;
use serde::{Deserialize, Serialize};

/// Most workers that answer one unit.
pub const MAX_QUORUM: u32 = 9;
/// Deepest shallow search.
pub const MAX_LOOK_AHEAD: u32 = 8;

/// Most plies that can be asked for of the tree that is made before the first unit.
pub const MAX_INITIAL_DEPTH: u32 = 60;
/// Before the first unit no more leaves are split once the tree has so many nodes. After each outcome the open part
/// of the tree is walked through.
pub const MOST_INITIAL_NODES: usize = 20_000;

/// In which order units are handed out that wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feeder {
    /// The oldest first.
    Creation,
    /// The one most surely needed first.
    Priority,
    /// Any, by a seeded generator.
    Random,
}

/// The names of the orders, for people who choose one.
pub static FEEDERS: [NamedValue; 3] = [
    NamedValue { value: "creation", label: "The oldest first" },
    NamedValue { value: "priority", label: "The one most surely needed first" },
    NamedValue { value: "random", label: "Any, by a seeded generator" },
];

/// Which database has the file of a solution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoreKind {
    /// The one that every build of the program has.
    #[default]
    Redb,
    /// Files of SQLite, which many programs read; a feature of the build.
    Sqlite,
}

impl StoreKind {
    /// All kinds of databases.
    pub const ALL: [StoreKind; 2] = [StoreKind::Redb, StoreKind::Sqlite];

    /// Whether it is the one that is used where nothing is said.
    pub fn is_default(&self) -> bool {
        *self == StoreKind::default()
    }
}

/// The names of the databases, for people who choose one.
pub static STORES: [NamedValue; 2] = [
    NamedValue { value: "redb", label: "A file of redb" },
    NamedValue { value: "sqlite", label: "A file of SQLite, if the program was built with it" },
];

/// The settings of a solution. They last as long as it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeSettings {
    /// What is to be known of the root.
    pub goal: Goal,
    /// The value that is asked for first.
    pub guess: Value,
    /// Whether a worker forgets everything between two units. Those that have to agree always do.
    // In files of earlier versions a number stood here that was always 0.
    #[serde(default)]
    pub fresh: bool,
    /// Nodes that a unit may take.
    pub budget: u64,
    /// How many workers have to agree on a unit.
    pub quorum: u32,
    /// In which order units are handed out.
    pub feeder: Feeder,
    /// Seed of the random feeder.
    pub seed: u64,
    /// Depth of the searches that order the children of a node, in plies.
    pub look_ahead: u32,
}

impl TreeSettings {
    /// Whether the outcome of a unit must depend on it alone: then solvers remember nothing of earlier units.
    pub fn is_alone(&self) -> bool {
        self.fresh || self.quorum > 1
    }
}

impl Default for TreeSettings {
    fn default() -> Self {
        TreeSettings {
            goal: Goal::Exact,
            guess: 0,
            fresh: false,
            budget: 20_000_000,
            quorum: 1,
            feeder: Feeder::Priority,
            seed: 0,
            look_ahead: 3,
        }
    }
}

/// Settings that are out of range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// No worker, or too many of them.
    #[error("a quorum of {0} is out of range: 1 to {MAX_QUORUM}")]
    Quorum(u32),
    /// No node at all.
    #[error("a unit cannot be searched with a budget of 0 nodes: at least 1")]
    Budget,
    /// A guess that no game can have.
    #[error("the guess {0} is beyond every value: at most {MAX_VALUE}")]
    Guess(Value),
    /// Too deep a look ahead.
    #[error("{0} plies of looking ahead are too many: at most {MAX_LOOK_AHEAD}")]
    LookAhead(u32),
}

impl TreeSettings {
    /// Whether they make sense.
    ///
    /// # Errors
    /// The first one that does not.
    pub fn check(&self) -> Result<(), SettingsError> {
        let guess = self.guess;
        if !(1..=MAX_QUORUM).contains(&self.quorum) {
            return Err(SettingsError::Quorum(self.quorum));
        }
        if self.budget == 0 {
            return Err(SettingsError::Budget);
        }
        if guess.unsigned_abs() > MAX_VALUE as u32 {
            return Err(SettingsError::Guess(guess));
        }
        if self.look_ahead > MAX_LOOK_AHEAD {
            return Err(SettingsError::LookAhead(self.look_ahead));
        }
        Ok(())
    }
}

/// A question: is the value at most `alpha`, at least `beta`, or which one between? For the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Lower end; below `beta`.
    pub alpha: Value,
    /// Upper end of the window.
    pub beta: Value,
}

impl Window {
    /// What is left to ask where the value is known to lie from `lower` to `upper`; `None` if the question is
    /// answered.
    pub fn left(self, lower: Value, upper: Value) -> Option<Window> {
        let window = Window { alpha: self.alpha.max(lower), beta: self.beta.min(upper) };
        (window.alpha < window.beta).then_some(window)
    }

    /// The same question for the other side.
    pub fn turned(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }

    /// Whether an answer to this answers `other`, too.
    pub fn covers(self, other: Window) -> bool {
        self.alpha <= other.alpha && self.beta >= other.beta
    }

    /// The least window that covers both.
    pub fn with(self, other: Window) -> Window {
        Window { alpha: self.alpha.min(other.alpha), beta: self.beta.max(other.beta) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of before tables were kept: a margin stood where it is said whether they are.
    #[test]
    fn settings_of_earlier_files_are_read() {
        let new = TreeSettings { guess: -20, budget: 300, ..TreeSettings::default() };
        let TreeSettings { goal, guess, budget, quorum, feeder, seed, look_ahead, .. } = new.clone();
        let old = postcard::to_stdvec(&(goal, guess, 0u32, budget, quorum, feeder, seed, look_ahead)).unwrap();
        assert_eq!(postcard::from_bytes::<TreeSettings>(&old), Ok(new.clone()));
        let mut old = serde_json::to_value(&new).unwrap();
        old.as_object_mut().unwrap().remove("fresh");
        old["margin"] = 0.into();
        assert_eq!(serde_json::from_value::<TreeSettings>(old).unwrap(), new);
    }
}

//! What each worker has done, and how far it is trusted.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Number of a worker, in the order in which they came.
pub type WorkerId = u32;

/// Wrong answers from which on a worker may be distrusted.
pub const LEAST_WRONG: u64 = 3;
/// A worker is distrusted if more than one in this many of its compared answers was wrong.
pub const WRONG_SHARE: u64 = 5;

/// What a worker has done for a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spent {
    /// Nodes that were searched.
    pub nodes: u64,
    /// Processor time in millionths of a second.
    pub micros: u64,
}

/// Units and what was spent on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Number of units.
    pub units: u64,
    /// Nodes, as claimed.
    pub nodes: u64,
    /// Processor time in millionths of a second, as claimed.
    pub micros: u64,
}

impl Tally {
    /// Adds a unit.
    pub fn add(&mut self, spent: Spent) {
        *self += Tally { units: 1, nodes: spent.nodes, micros: spent.micros };
    }

    /// Seconds of processor time.
    pub fn seconds(&self) -> f64 {
        self.micros as f64 / 1e6
    }
}

/// Claims may be anything, so sums stop at the greatest number.
impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.units = self.units.saturating_add(other.units);
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.micros = self.micros.saturating_add(other.micros);
    }
}

/// Credit: for what was used, and for what was begun and then not needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Credit {
    /// Units whose outcome was used.
    pub accepted: Tally,
    /// Units that were no longer needed, or given up.
    pub stopped: Tally,
    /// Units whose outcome was refused: no credit.
    pub rejected: Tally,
}

impl Credit {
    /// All of it, refused work included.
    pub fn all(&self) -> Tally {
        let mut sum = self.accepted;
        sum += self.stopped;
        sum += self.rejected;
        sum
    }
}

impl std::ops::AddAssign for Credit {
    fn add_assign(&mut self, other: Credit) {
        self.accepted += other.accepted;
        self.stopped += other.stopped;
        self.rejected += other.rejected;
    }
}

/// A worker. One that comes back under the same names is the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worker {
    /// Who gets the credit.
    pub user: String,
    /// Which of the user's workers it is.
    pub name: String,
    /// What it has done.
    pub credit: Credit,
    /// Answers that were found right.
    pub right: u64,
    /// Answers that were found wrong.
    pub wrong: u64,
    /// Units that it failed on.
    pub failed: u64,
    /// It gets no more units.
    pub distrusted: bool,
}

impl Worker {
    /// A worker that has done nothing yet.
    pub fn new(user: &str, name: &str) -> Worker {
        Worker {
            user: user.to_owned(),
            name: name.to_owned(),
            credit: Credit::default(),
            right: 0,
            wrong: 0,
            failed: 0,
            distrusted: false,
        }
    }

    /// Whether it is wrong so often that it should not be trusted.
    pub(super) fn is_often_wrong(&self) -> bool {
        self.wrong >= LEAST_WRONG && self.wrong.saturating_mul(WRONG_SHARE) > self.right.saturating_add(self.wrong)
    }
}

/// The credit of all workers of each user, by name.
pub fn by_user(workers: &[Worker]) -> BTreeMap<&str, Credit> {
    let mut users = BTreeMap::new();
    for worker in workers {
        *users.entry(worker.user.as_str()).or_insert(Credit::default()) += worker.credit;
    }
    users
}

/// The credit of all workers.
pub fn total(workers: &[Worker]) -> Credit {
    workers.iter().fold(Credit::default(), |mut sum, worker| {
        sum += worker.credit;
        sum
    })
}

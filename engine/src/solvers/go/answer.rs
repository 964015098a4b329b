//! What the table holds of a position: an answer, how deep it was searched for, and the best move.

use crate::solvers::table::Table;

/// In the table: the depth of an answer that rests on no heuristic.
pub const PROVEN: u32 = 255;

/// The answer to whether the attacker forces what it wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// Whether the attacker forces it.
    pub yes: bool,
    /// Whether it rests on the heuristic.
    pub estimated: bool,
}

/// What is answered at the depth limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtLimit {
    /// What the heuristic says.
    Heuristic,
    /// The attacker forces it.
    Yes,
    /// The attacker does not force it.
    No,
}

/// What the table holds of a position.
#[derive(Debug, Clone, Copy)]
pub struct RaceEntry {
    /// What was answered.
    pub answer: Answer,
    /// Plies that it was searched for, or [`PROVEN`].
    pub depth: u32,
    /// What was answered at the limit.
    pub limit: AtLimit,
    /// Code of the best move in the position that was hashed, or [`super::ordering::NO_MOVE`].
    pub best: u8,
}

impl RaceEntry {
    /// The entry of a key.
    #[inline]
    pub fn get(table: &Table, key: u64) -> Option<RaceEntry> {
        let data = table.get(key)?;
        let depth = (data >> 8) as u32 & 255;
        let answer = Answer { yes: data >> 7 & 1 != 0, estimated: depth != PROVEN };
        let limit = [AtLimit::Heuristic, AtLimit::Yes, AtLimit::No, AtLimit::No][(data >> 16) as usize & 3];
        Some(RaceEntry { answer, depth, limit, best: data as u8 & 127 })
    }

    /// Stores it; `nodes` is the effort that it took.
    #[inline]
    pub fn put(self, table: &Table, key: u64, nodes: u64) {
        let data = u64::from(self.best)
            | u64::from(self.answer.yes) << 7
            | u64::from(self.depth) << 8
            | (self.limit as u64) << 16;
        table.put(key, data, nodes);
    }
}

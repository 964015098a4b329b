//! What a transposition table holds of a position: bounds of its value, how deep they are proven, the best move.

use super::table::Table;
use crate::core::game::Value;

/// The depth of a value that rests on finished games alone.
pub const PROVEN: u8 = u8::MAX;
/// In place of a move's code: none is known.
pub const NO_MOVE: u16 = u16::MAX;

/// Bounds of a position's value for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableEntry {
    /// The value is at least this.
    pub lower: Value,
    /// The value is at most this.
    pub upper: Value,
    /// Plies that were searched for it, or [`PROVEN`].
    pub depth: u8,
    /// Code of the best move of the position that was hashed, or [`NO_MOVE`].
    pub best: u16,
}

/// Packed: bounds of 12 bits would do for Reversi, but not for finer values, so each has 16 bits and the depth the 8
/// left in addition to the move, whose codes are below 2^16.
impl TableEntry {
    /// Reads the entry of a hash.
    #[inline]
    pub fn get(table: &Table, hash: u64) -> Option<TableEntry> {
        let data = table.get(hash)?;
        Some(TableEntry {
            lower: Value::from(data as i16),
            upper: Value::from((data >> 16) as i16),
            best: (data >> 32) as u16,
            depth: (data >> 48) as u8,
        })
    }

    /// Stores it under a hash; `nodes` is the effort that it took.
    #[inline]
    pub fn put(self, table: &Table, hash: u64, nodes: u64) {
        let short = |value: Value| u64::from(value.clamp(i16::MIN.into(), i16::MAX.into()) as i16 as u16);
        let bounds = short(self.lower) | short(self.upper) << 16;
        table.put(hash, bounds | u64::from(self.best) << 32 | u64::from(self.depth) << 48, nodes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::game::MAX_VALUE;

    #[test]
    fn entries_come_back_as_they_went() {
        let table = Table::new(1 << 16).unwrap();
        for (i, (lower, upper)) in [(-MAX_VALUE, MAX_VALUE), (-1, 0), (5, 5), (0, 30_000)].into_iter().enumerate() {
            let entry = TableEntry { lower, upper, depth: [0, 7, PROVEN, 1][i], best: [0, NO_MOVE, 64, 999][i] };
            entry.put(&table, i as u64, 10);
            assert_eq!(TableEntry::get(&table, i as u64), Some(entry));
        }
        assert_eq!(TableEntry::get(&table, 99), None);
    }
}

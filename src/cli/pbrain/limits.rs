//! How long a move may take, from what the manager says.

use super::session::number;

/// Stands for no limit in the values of the protocol.
const UNLIMITED: u64 = 2_147_483_647;
/// Milliseconds of a move where nothing is said.
const USUAL: u64 = 30_000;
/// Milliseconds that are kept for what is not the search.
const RESERVE: u64 = 40;
/// Nodes of a move that is to be made as fast as possible.
const FAST: u64 = 2000;

/// What the manager has said about time, depth and nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BrainLimits {
    /// Milliseconds for a move; 0 is as fast as possible.
    turn: u64,
    /// Milliseconds for a game; 0 is no limit.
    game: u64,
    /// Milliseconds of it that are left.
    left: u64,
    /// Most plies of a search.
    pub depth: u32,
    nodes: u64,
}

impl Default for BrainLimits {
    fn default() -> BrainLimits {
        BrainLimits { turn: USUAL, game: 0, left: UNLIMITED, depth: u32::MAX, nodes: u64::MAX }
    }
}

/// What one move may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MoveLimit {
    /// Seconds from when it was asked for.
    pub seconds: f64,
    /// Nodes of the search.
    pub nodes: u64,
}

impl BrainLimits {
    /// Takes in a value of `INFO`. Keys that mean nothing here are left aside, as the protocol wants it.
    ///
    /// # Errors
    /// The value is not a number.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let unlimited = |value: u64| if value == 0 { u64::MAX } else { value };
        match key {
            "timeout_turn" => self.turn = number(value)?,
            "timeout_match" => self.game = number(value)?,
            // What is overdrawn is nothing.
            "time_left" => self.left = if value.trim().starts_with('-') { 0 } else { number(value)? },
            "max_depth" => self.depth = u32::try_from(unlimited(number(value)?)).unwrap_or(u32::MAX),
            "max_node" => self.nodes = unlimited(number(value)?),
            _ => {}
        }
        Ok(())
    }

    /// What a move may take with so many empty points.
    pub fn for_a_move(&self, empty: u16) -> MoveLimit {
        let left = if self.left >= UNLIMITED { self.game } else { self.left };
        let is_timed = self.game > 0 || self.left < UNLIMITED;
        let moves = u64::from(empty / 2).clamp(1, 20);
        let share = if is_timed { (left.saturating_sub(RESERVE) / moves).max(1) } else { u64::MAX };
        let turn = if self.turn == 0 { USUAL } else { self.turn };
        // A twentieth is kept beside the reserve.
        let milliseconds = turn.saturating_sub(RESERVE + turn / 20).max(turn / 2).max(1).min(share);
        let fast = if self.turn == 0 { FAST } else { u64::MAX };
        MoveLimit { seconds: milliseconds as f64 / 1000.0, nodes: self.nodes.min(fast) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(values: &[(&str, &str)]) -> BrainLimits {
        let mut limits = BrainLimits::default();
        values.iter().for_each(|(key, value)| limits.set(key, value).unwrap());
        limits
    }

    #[test]
    fn moves_keep_to_the_limits_of_turn_and_game() {
        let seconds = |values: &[(&str, &str)]| with(values).for_a_move(200).seconds;
        assert_eq!(seconds(&[("timeout_turn", "1000")]), 0.91);
        assert_eq!(seconds(&[("timeout_turn", "1000"), ("time_left", "2147483647")]), 0.91);
        assert_eq!(seconds(&[("timeout_turn", "1000"), ("timeout_match", "10040")]), 0.5);
        assert_eq!(seconds(&[("timeout_turn", "9000"), ("timeout_match", "10000"), ("time_left", "240")]), 0.01);
        for left in ["0", "-50", "30"] {
            assert!(seconds(&[("time_left", left)]) <= 0.001, "{left}");
        }
        // A short turn is not used up.
        assert!(seconds(&[("timeout_turn", "10")]) <= 0.005);
        assert_eq!(with(&[("timeout_turn", "0")]).for_a_move(200).nodes, FAST);
        assert_eq!(with(&[("max_node", "500")]).for_a_move(200).nodes, 500);
        assert_eq!((with(&[("max_depth", "3")]).depth, with(&[("max_depth", "0")]).depth), (3, u32::MAX));
        let mut limits = BrainLimits::default();
        assert!(limits.set("timeout_turn", "soon").is_err() && limits.set("folder", "/tmp").is_ok());
        assert_eq!(limits, BrainLimits::default());
    }
}

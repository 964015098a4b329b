//! What the search of a plan knows of a position.

use serde::{Deserialize, Serialize};

/// A number that no search brings down.
pub const INFINITY: u32 = 1 << 28;

/// A position with the attacker to move.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanAttack {
    /// Proof number: a guess at the work that is left; 0 if the attacker is known to win.
    pub proof: u32,
    /// Whether it wins by threats alone.
    pub by_threats: bool,
    /// In how many positions threats were looked for.
    pub budget: u64,
    /// The moves that are tried, each with its proof number before it was looked at.
    pub moves: Option<Vec<(u16, u32)>>,
    /// The best of them so far.
    pub best: Option<u16>,
}

/// A position with the defender to move.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanDefence {
    /// Proof number, as above.
    pub proof: u32,
    /// The replies that matter, the most dangerous first.
    pub replies: Option<Vec<u16>>,
    /// So many of them were looked at.
    pub seen: usize,
    /// Those of them after which the attacker is not known to win.
    pub open: Vec<u16>,
    /// Whether all legal replies matter, since the attacker has no victory by threats if the defender passes.
    pub is_slow: bool,
    /// What answered the last reply that was proven: a good guess for the others.
    pub answered: Option<PlanHint>,
    /// A position that has much in common with this one, and whose replies may be answered already.
    pub model: Option<u64>,
    /// Nodes that were spent on its replies.
    pub effort: u64,
}

/// A move of the attacker that is worth a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanHint {
    /// The point to play on.
    pub point: u16,
    /// The hash of a position after this move that is proven: a model for the one that the move leads to here.
    pub model: u64,
}

impl PlanDefence {
    /// The proof number from those of the open replies.
    pub fn combine(&self, numbers: impl Iterator<Item = u32>) -> u32 {
        let (mut sum, mut greatest) = (0u32, 0u32);
        for number in numbers {
            (sum, greatest) = (sum.saturating_add(number).min(INFINITY), greatest.max(number));
        }
        if greatest >= INFINITY {
            return INFINITY;
        }
        // Replies to a move that threatens much have more in common.
        let others = sum - greatest;
        greatest.saturating_add(if self.is_slow { others } else { others / 2 }).min(INFINITY - 1)
    }
}

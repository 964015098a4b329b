//! What is known of a position: its numbers, and the moves that matter.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A number that no search brings down.
pub const INFINITY: u32 = 1 << 28;

/// How far the moves of a position are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeStage {
    /// They are not listed yet.
    Judged,
    /// Those of the attacker are.
    Attack,
    /// The attacker has made a threat or a four: the replies after which no continuous fours are found at once.
    Threat,
    /// The attacker has made a quiet move, and it is not proven yet what happens if the defender passes.
    Passing,
    /// The same, and it is: the replies on points that this proof rests on.
    Quiet,
}

/// A position that was judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreatNode {
    /// Proof number: 0 if the attacker is known to win.
    pub proof: u32,
    /// Disproof number: 0 if no victory will be found here.
    pub disproof: u32,
    /// How far its moves are known.
    pub stage: NodeStage,
    /// Whether all replies were looked at, not just the likely ones.
    pub is_complete: bool,
    /// The moves that are searched.
    pub moves: Box<[u16]>,
}

impl ThreatNode {
    /// A position with numbers to begin with; moves are listed later.
    pub fn leaf(proof: u32, disproof: u32) -> ThreatNode {
        ThreatNode { proof, disproof, stage: NodeStage::Judged, is_complete: false, moves: Box::default() }
    }

    /// The attacker wins without a further move being searched.
    pub fn won(stage: NodeStage) -> ThreatNode {
        ThreatNode { proof: 0, disproof: INFINITY, stage, is_complete: true, moves: Box::default() }
    }

    /// No victory will be found.
    pub fn hopeless(stage: NodeStage) -> ThreatNode {
        ThreatNode { proof: INFINITY, disproof: 0, stage, is_complete: true, moves: Box::default() }
    }

    /// Whether it is worth a search.
    pub fn is_open(&self) -> bool {
        self.proof != 0 && self.disproof != 0
    }
}

/// Positions by their hashes.
pub type ThreatNodes = HashMap<u64, ThreatNode, BuildHasherDefault<PositionHasher>>;

/// Takes a hash of a position as it is, but for a factor.
#[derive(Debug, Default)]
pub struct PositionHasher(u64);

impl Hasher for PositionHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = (self.0 ^ hash).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

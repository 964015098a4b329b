//! What a question comes to for the side that moves first.
//!
//! The four classes are those of GNU Go: a ko is a result of its own, told apart by who captures in it first. They
//! come from three readings of the same question: neither side has threats elsewhere on the board (a ko is not
//! retaken at once), or one of the two has as many as it wants (it may retake at once, the other may not).

use std::fmt;

/// The answer to a question, for the side to move first (the mover).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TacticsVerdict {
    /// The goal is not reached, even if the mover has all threats for a ko.
    Fails,
    /// The goal is reached, even if the other side has all threats for a ko.
    Works,
    /// A ko decides in which the mover captures first: the other side needs the first threat.
    KoFirst,
    /// A ko decides in which the other side captures first: the mover needs the first threat.
    KoThreat,
    /// The budget ended before an answer.
    Unknown,
}

impl TacticsVerdict {
    /// The number of its class: 0 fails, 1 works, 2 ko with the mover capturing first, 3 ko with the mover needing
    /// the first threat. None if it is unknown.
    pub fn code(self) -> Option<u8> {
        match self {
            TacticsVerdict::Fails => Some(0),
            TacticsVerdict::Works => Some(1),
            TacticsVerdict::KoFirst => Some(2),
            TacticsVerdict::KoThreat => Some(3),
            TacticsVerdict::Unknown => None,
        }
    }
}

impl fmt::Display for TacticsVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TacticsVerdict::Fails => "fails",
            TacticsVerdict::Works => "works",
            TacticsVerdict::KoFirst => "ko, the mover captures first",
            TacticsVerdict::KoThreat => "ko, the mover needs the first threat",
            TacticsVerdict::Unknown => "unknown",
        })
    }
}

//! Cuts that are probably right (*Multi-ProbCut*; M. Buro, "Experiments with Multi-ProbCut and a new high-quality
//! evaluation function for Othello", 1997). The value of a shallow search tells about what a deep one will say. Where
//! it is so far beyond a bound that the deep value is probably beyond it, too, the deep search is left out.
//!
//! How well depths tell each other's values is measured on positions of games ([`super::learning::foresight`]).

use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::OnceLock;

/// The least depth that is left out.
pub const SHALLOWEST: u32 = 2;
/// The greatest depth that is measured. Deeper searches are taken to be told as well as those of this depth or the
/// one before, whichever is even or odd as they are.
pub const DEEPEST: u32 = 11;
/// Number of stages of the game.
pub const CUT_STAGES: usize = 5;
/// Empty cells of a stage.
const WIDTH: u32 = 8;
/// With fewer empty cells than this a position belongs to the first stage.
const FEW: u32 = 20;

/// How well a shallow search tells the value of a deep one. Values are in
/// [`FINE`](crate::games::reversi::weights::FINE) units a disc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbableCut {
    /// Mean of the deep value less the evaluation.
    pub evaluation: i32,
    /// Mean of the deep value less the shallow one.
    pub shallow: i32,
    /// Standard deviation of that difference.
    pub deviation: i32,
}

/// The same for all depths and stages of the game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbableCuts {
    /// Where it comes from.
    pub about: String,
    /// By stage, fewest empty cells first, and by depth from [`SHALLOWEST`] to [`DEEPEST`].
    pub stages: [[ProbableCut; (DEEPEST - SHALLOWEST + 1) as usize]; CUT_STAGES],
}

/// Depth of the shallow search for a deep one. Both are even or both are odd: the evaluation favours the side that
/// has moved last.
pub const fn shallow_depth(depth: u32) -> u32 {
    let half = depth / 2;
    half - (half ^ depth) % 2
}

/// Stage of a number of empty cells.
pub fn cut_stage(empty: u32) -> usize {
    let first = (FEW - WIDTH).min(empty);
    (((empty - first) / WIDTH) as usize).min(CUT_STAGES - 1)
}

impl ProbableCuts {
    /// What the program comes with.
    pub fn usual() -> Option<&'static ProbableCuts> {
        static USUAL: OnceLock<Option<ProbableCuts>> = OnceLock::new();
        USUAL.get_or_init(|| serde_json::from_str(include_str!("usual.cuts")).ok()).as_ref()
    }

    /// What is known of a depth; nothing of the least ones.
    #[inline]
    pub fn cut(&self, empty: u32, depth: u32) -> Option<&ProbableCut> {
        let depth = if depth > DEEPEST { DEEPEST - (depth ^ DEEPEST) % 2 } else { depth };
        self.stages[cut_stage(empty)].get(depth.checked_sub(SHALLOWEST)? as usize)
    }

    /// As a file: JSON, a line for each stage.
    pub fn to_text(&self) -> String {
        let stages: Vec<String> = self.stages.iter().map(|stage| json!(stage).to_string()).collect();
        format!("{{\"about\": {},\n\"stages\": [\n{}\n]}}\n", json!(self.about), stages.join(",\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::reversi::weights::FINE;

    #[test]
    fn the_shipped_cuts_are_whole_and_sensible() {
        let usual = ProbableCuts::usual().unwrap();
        assert!(usual.about.contains("learned"), "{}", usual.about);
        for cut in usual.stages.iter().flatten() {
            assert!((FINE..8 * FINE).contains(&cut.deviation), "{cut:?}");
            assert!(cut.shallow.abs() < 2 * FINE, "{cut:?}");
        }
        assert_eq!(serde_json::from_str::<ProbableCuts>(&usual.to_text()).unwrap(), *usual);
    }

    #[test]
    fn shallow_searches_are_even_or_odd_like_the_deep_ones() {
        for depth in SHALLOWEST..60 {
            let shallow = shallow_depth(depth);
            assert!(shallow < depth && shallow % 2 == depth % 2, "{depth}");
        }
        assert_eq!([2, 3, 8, 9, 10, 11].map(shallow_depth), [0, 1, 4, 3, 4, 5]);
    }

    #[test]
    fn every_number_of_empty_cells_has_a_stage() {
        assert_eq!([0, 19, 20, 27, 28, 43, 44, 60].map(cut_stage), [0, 0, 1, 1, 2, 3, 4, 4]);
        let usual = ProbableCuts::usual().unwrap();
        assert_eq!((usual.cut(30, 1), usual.cut(30, 0)), (None, None));
        assert_eq!(usual.cut(30, 14), usual.cut(30, 10));
        assert_eq!(usual.cut(30, 15), usual.cut(30, 11));
    }
}

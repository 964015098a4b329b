//! What makes the search selective, each part with a switch, so that a version with it can play one without.
//!
//! `results/gomoku.md` has what each part is worth.

/// Parts of the search that can be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selectivity {
    /// Victory by continuous fours is looked for where the depth ends, in so many positions; 0 is not at all.
    pub leaf_fours: usize,
    /// The same where depth is left.
    pub inner_fours: usize,
    /// Where depth is left, the other side's victory by continuous fours after a pass is looked for in so many
    /// positions, and only what could change it is searched; 0 is not at all.
    pub passed_fours: usize,
    /// Leaves whose estimate is above the window end without a look for fours.
    pub leaf_cuts: bool,
    /// A forced reply to a four costs no depth.
    pub extend_forced: bool,
    /// Late moves are searched less deep.
    pub reduce_late: bool,
    /// Late moves are left out, fewer of them where more depth is left.
    pub prune_late: bool,
    /// Fours that make nothing else of worth, and replies to a threatened straight four, are late moves, too.
    pub late_fours: bool,
    /// Nodes near the leaves whose estimate is far above the window end at once.
    pub child_futility: bool,
    /// Nodes near the leaves whose estimate is below it are searched for fours only.
    pub razoring: bool,
    /// Moves that the learned order thinks little of are searched less deep, too.
    pub reduce_unlikely: bool,
    /// Nodes without a move of the table are searched less deep.
    pub reduce_unknown: bool,
    /// Nodes that are expected to be above the window, and whose estimate is far above it, are searched less deep.
    pub reduce_far_above: bool,
    /// Against a threatened straight four only what meets it is searched.
    pub threat_replies: bool,
    /// The window at the root is around the last value.
    pub aspiration: bool,
}

impl Selectivity {
    /// The parts that have won their matches, and some whose gain is not proven, see `results/gomoku.md`.
    pub const USUAL: Selectivity = Selectivity {
        leaf_fours: 100,
        inner_fours: 0,
        passed_fours: 100,
        leaf_cuts: true,
        extend_forced: true,
        reduce_late: true,
        prune_late: true,
        late_fours: true,
        child_futility: true,
        razoring: true,
        reduce_unlikely: true,
        reduce_unknown: true,
        reduce_far_above: true,
        threat_replies: true,
        aspiration: true,
    };

    /// The names of the parts that can be switched off.
    pub const NAMES: [&'static str; 14] = [
        "leaf-fours",
        "passed-fours",
        "leaf-cuts",
        "extend-forced",
        "reduce-late",
        "prune-late",
        "late-fours",
        "child-futility",
        "razoring",
        "reduce-unlikely",
        "reduce-unknown",
        "reduce-far-above",
        "threat-replies",
        "aspiration",
    ];

    /// Switches a part off by its name. Whether there is such a part.
    pub fn switch_off(&mut self, name: &str) -> bool {
        match name {
            "leaf-fours" => self.leaf_fours = 0,
            "passed-fours" => self.passed_fours = 0,
            "leaf-cuts" => self.leaf_cuts = false,
            "extend-forced" => self.extend_forced = false,
            "reduce-late" => self.reduce_late = false,
            "prune-late" => self.prune_late = false,
            "late-fours" => self.late_fours = false,
            "child-futility" => self.child_futility = false,
            "razoring" => self.razoring = false,
            "reduce-unlikely" => self.reduce_unlikely = false,
            "reduce-unknown" => self.reduce_unknown = false,
            "reduce-far-above" => self.reduce_far_above = false,
            "threat-replies" => self.threat_replies = false,
            "aspiration" => self.aspiration = false,
            _ => return false,
        }
        true
    }
}

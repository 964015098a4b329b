//! A pattern as it is stored, and the arrangements that are looked for because of it.

use super::arrangement::{Arrangement, LibertyCondition, PatternPlace, PointMask};
use super::tree::MoveTree;
use crate::core::game::Side;
use crate::notation::sgf::collection::Property;
use crate::tactics::goal::TacticalGoal;

/// What a pattern is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PatternGoal {
    /// Whatever is wanted.
    Universal,
    /// To capture a white chain.
    Capture,
    /// To connect two black chains.
    Connect,
}

impl PatternGoal {
    /// All, in the order of their numbers.
    pub const ALL: [PatternGoal; 3] = [PatternGoal::Universal, PatternGoal::Capture, PatternGoal::Connect];

    /// Its number in a file: its place in [`PatternGoal::ALL`].
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The word for it in output.
    pub fn name(self) -> &'static str {
        match self {
            PatternGoal::Universal => "universal",
            PatternGoal::Capture => "capture",
            PatternGoal::Connect => "connect",
        }
    }

    /// Whether a pattern of this goal proposes moves for the attacker of a question.
    pub fn serves(self, goal: TacticalGoal) -> bool {
        match self {
            PatternGoal::Universal => true,
            PatternGoal::Capture => !goal.is_of_two(),
            PatternGoal::Connect => goal.is_of_two(),
        }
    }
}

/// A shape or a tesuji, for black to play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternEntry {
    /// What people call it; it may be empty.
    pub name: String,
    /// What it is good for.
    pub goal: PatternGoal,
    /// A shape with all its stones, or a tesuji before its first move.
    pub start: Arrangement,
    /// A stone of each chain that the goal is about; none if that is not said.
    pub targets: Vec<PatternPlace>,
    /// The moves of a tesuji; none of a shape.
    pub tree: MoveTree,
    /// What else its node in the file has.
    pub others: Vec<Property>,
}

/// Why an entry is no pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryFault {
    /// No rectangle, or one larger than a board.
    #[error("its size is {0}x{1}: columns and rows are 1 to 19")]
    Size(u8, u8),
    /// A shape without a move.
    #[error("it has no black stone and no moves: so there is nothing to play")]
    NoMove,
    /// A pattern that fits everywhere.
    #[error("none of its points is certain: it would fit everywhere")]
    Uncertain,
    /// A target without a stone.
    #[error("its target in column {0} and row {1} is not a stone")]
    Target(u8, u8),
    /// A move on a stone.
    #[error("its move in column {0} and row {1} is on a point that is not certainly empty then")]
    Move(u8, u8),
    /// A chain that is captured already.
    #[error("the stone in column {0} and row {1} has no liberty")]
    Captured(u8, u8),
    /// More than is worth looking for.
    #[error("it has more than {0} arrangements in which black is to move")]
    TooMany(usize),
}

/// Most arrangements of one entry.
pub const MOST_STEPS: usize = 1000;

/// An arrangement in which black is to move, and its moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternStep {
    /// What is looked for.
    pub arrangement: Arrangement,
    /// The moves, black's first.
    pub tree: MoveTree,
    /// The targets that have a stone in it.
    pub targets: Vec<PatternPlace>,
}

impl PatternEntry {
    /// Whether it is a tesuji; else it is a shape.
    pub fn is_tesuji(&self) -> bool {
        !self.tree.is_empty()
    }

    /// The arrangement after a move of the tree; before the first one for `None`.
    ///
    /// # Errors
    /// A move on a point that is not certainly empty.
    pub fn after(&self, to: Option<usize>) -> Result<Arrangement, EntryFault> {
        let mut arrangement = self.start.clone();
        for id in to.map(|to| self.tree.path(to)).unwrap_or_default() {
            let step = &self.tree.moves()[id];
            if !arrangement.play(step.place, step.side) {
                return Err(EntryFault::Move(step.place.0 + 1, step.place.1 + 1));
            }
        }
        Ok(arrangement)
    }

    /// The arrangements that are looked for: of a shape without one of its black stones, of a tesuji at the start and
    /// after each white move that black answers.
    ///
    /// # Errors
    /// What makes it no pattern.
    pub fn steps(&self) -> Result<Vec<PatternStep>, EntryFault> {
        let (width, height) = self.start.size();
        if !(1..=19).contains(&width) || !(1..=19).contains(&height) {
            return Err(EntryFault::Size(width, height));
        }
        for &(x, y) in &self.targets {
            if !self.start.at((x, y)).is_definite() || self.start.at((x, y)) == PointMask::EMPTY {
                return Err(EntryFault::Target(x + 1, y + 1));
            }
        }
        let mut steps = Vec::new();
        if self.is_tesuji() {
            let white = (0..self.tree.moves().len()).filter(|&id| self.tree.moves()[id].side == Side::Second);
            for at in std::iter::once(None).chain(white.map(Some)) {
                let tree = self.tree.below(at);
                if !tree.is_empty() {
                    self.add_step(&mut steps, self.after(at)?, tree)?;
                }
            }
            // Black's last moves have to be possible, too.
            (0..self.tree.moves().len()).try_for_each(|id| self.after(Some(id)).map(|_| ()))?;
        } else {
            let stones: Vec<PatternPlace> = self.start.holding(PointMask::BLACK).collect();
            for stone in stones {
                let mut without = self.start.clone();
                without.set(stone, PointMask::EMPTY);
                // Its chain is another one without it.
                let chain = self.start.chain(stone);
                without.liberties.retain(|condition: &LibertyCondition| !chain.contains(&condition.place));
                self.add_step(&mut steps, without, MoveTree::single(stone))?;
            }
        }
        if steps.is_empty() { Err(EntryFault::NoMove) } else { Ok(steps) }
    }

    fn add_step(
        &self,
        steps: &mut Vec<PatternStep>,
        arrangement: Arrangement,
        tree: MoveTree,
    ) -> Result<(), EntryFault> {
        if steps.len() == MOST_STEPS {
            return Err(EntryFault::TooMany(MOST_STEPS));
        }
        if !arrangement.places().any(|place| arrangement.at(place).is_definite()) {
            return Err(EntryFault::Uncertain);
        }
        let targets = self.targets.iter().copied();
        let targets = targets.filter(|&place| arrangement.at(place) == self.start.at(place)).collect();
        steps.push(PatternStep { arrangement, tree, targets });
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::arrangement::tests::arrangement;
    use super::*;

    pub fn shape(name: &str, goal: PatternGoal, rows: &str) -> PatternEntry {
        PatternEntry {
            name: name.to_owned(),
            goal,
            start: arrangement(rows),
            targets: Vec::new(),
            tree: MoveTree::default(),
            others: Vec::new(),
        }
    }

    #[test]
    fn a_shape_lacks_one_stone_and_a_tesuji_is_recognised_half_way() {
        let triangle = shape("triangle", PatternGoal::Universal, "XX X.");
        let steps = triangle.steps().unwrap();
        assert_eq!(steps.len(), 3);
        assert!(steps.iter().all(|step| step.tree.moves().len() == 1));
        assert_eq!(steps[2].arrangement, arrangement("XX .."));

        let mut tesuji = shape("throw", PatternGoal::Capture, "X.O ...");
        let a = tesuji.tree.add(None, (1, 0), Vec::new());
        let b = tesuji.tree.add(Some(a), (1, 1), Vec::new());
        tesuji.tree.add(Some(b), (2, 1), Vec::new());
        let steps = tesuji.steps().unwrap();
        assert_eq!(steps.len(), 2);
        assert_eq!(steps[1].arrangement, arrangement("XXO .O."));
        assert_eq!(steps[1].tree.moves()[0].place, (2, 1));
    }

    #[test]
    fn what_is_no_pattern_says_why() {
        let fault = |entry: PatternEntry| entry.steps().unwrap_err();
        assert_eq!(fault(shape("", PatternGoal::Universal, "O.")), EntryFault::NoMove);
        let mut tesuji = shape("", PatternGoal::Capture, "X?");
        tesuji.tree.add(None, (1, 0), Vec::new());
        assert_eq!(fault(tesuji.clone()), EntryFault::Move(2, 1));
        tesuji.start = arrangement("?o");
        assert_eq!(fault(tesuji.clone()), EntryFault::Uncertain);
        tesuji.start = arrangement("X.");
        tesuji.targets = vec![(1, 0)];
        assert_eq!(fault(tesuji), EntryFault::Target(2, 1));
    }
}

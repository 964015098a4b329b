//! The stages of a step: which search comes next, or is under way.

/// After each step so many grids are shaken: a move comes in for which many have to go.
const SHAKEN: u32 = 4;

/// A stage of a step. A state is saved with its number, which seeds are derived from too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// A nested search makes a grid anew behind what is kept of one; or a tempering begins a round.
    Regrow,
    /// Cold walks refine what the nested search has made.
    Refine,
    /// Cold walks refine a grid of the pool that was shaken; how many were before.
    Shake(u32),
    /// What the step has made is reshaped.
    ReshapeMade,
    /// A grid of the pool is reshaped, the last search of a step.
    ReshapePooled,
}

impl Stage {
    /// How many searches of a step come before it.
    pub fn number(self) -> u32 {
        match self {
            Stage::Regrow => 0,
            Stage::Refine => 1,
            Stage::Shake(before) => 2 + before,
            Stage::ReshapeMade => 2 + SHAKEN,
            Stage::ReshapePooled => 3 + SHAKEN,
        }
    }

    /// What is told of it, before the number of the step.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Regrow => "regrowing step",
            Stage::Refine | Stage::Shake(_) => "refining step",
            Stage::ReshapeMade | Stage::ReshapePooled => "reshaping step",
        }
    }

    /// The stage of a number, if there is one.
    pub fn of_number(number: u32) -> Option<Stage> {
        match number {
            0 => Some(Stage::Regrow),
            1 => Some(Stage::Refine),
            number if number < 2 + SHAKEN => Some(Stage::Shake(number - 2)),
            number if number == 2 + SHAKEN => Some(Stage::ReshapeMade),
            number if number == 3 + SHAKEN => Some(Stage::ReshapePooled),
            _ => None,
        }
    }

    /// The next stage of the step, if this is not the last; a step that does not refine goes straight to reshaping.
    pub fn next(self, refines: bool) -> Option<Stage> {
        match self {
            Stage::Regrow if refines => Some(Stage::Refine),
            Stage::Refine if refines => Some(Stage::Shake(0)),
            Stage::Shake(before) if refines && before + 1 < SHAKEN => Some(Stage::Shake(before + 1)),
            Stage::Regrow | Stage::Refine | Stage::Shake(_) => Some(Stage::ReshapeMade),
            Stage::ReshapeMade => Some(Stage::ReshapePooled),
            Stage::ReshapePooled => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_goes_through_all_numbers_or_straight_to_reshaping() {
        let all: Vec<Stage> = std::iter::successors(Some(Stage::Regrow), |stage| stage.next(true)).collect();
        let numbers: Vec<u32> = all.iter().map(|stage| stage.number()).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert!(all.iter().all(|stage| Stage::of_number(stage.number()) == Some(*stage)));
        assert_eq!(Stage::of_number(8), None);
        let few: Vec<u32> =
            std::iter::successors(Some(Stage::Regrow), |stage| stage.next(false)).map(Stage::number).collect();
        assert_eq!(few, [0, 6, 7]);
    }
}

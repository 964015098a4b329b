//! What is asked of a position: a goal and the chains that it is about.

use super::region;
use crate::core::game::Side;
use crate::games::go::large::chains::Chains;
use crate::games::go::large::points::{LargeBoard, PointSet};

/// What the side to move first wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TacticalGoal {
    /// To capture a chain of the other side.
    Capture,
    /// To keep an own chain from being captured.
    Defend,
    /// To connect two own chains.
    Connect,
    /// To keep two chains of the other side from being connected.
    Cut,
    /// To capture a chain of the other side by moves in a region, however long it takes.
    Kill,
    /// To keep an own chain from being captured by moves in a region.
    Live,
}

impl TacticalGoal {
    /// All goals, in the order of help texts.
    pub const ALL: [TacticalGoal; 6] = [
        TacticalGoal::Capture,
        TacticalGoal::Defend,
        TacticalGoal::Connect,
        TacticalGoal::Cut,
        TacticalGoal::Kill,
        TacticalGoal::Live,
    ];

    /// The word for it on the command line and in output.
    pub fn name(self) -> &'static str {
        match self {
            TacticalGoal::Capture => "capture",
            TacticalGoal::Defend => "defend",
            TacticalGoal::Connect => "connect",
            TacticalGoal::Cut => "cut",
            TacticalGoal::Kill => "kill",
            TacticalGoal::Live => "live",
        }
    }

    /// Whether it is about two chains.
    pub fn is_of_two(self) -> bool {
        matches!(self, TacticalGoal::Connect | TacticalGoal::Cut)
    }

    /// Whether it is about the life of a chain: the attacker's moves are those of a region, and the chain is safe
    /// only once it lives unconditionally.
    pub fn is_of_life(self) -> bool {
        matches!(self, TacticalGoal::Kill | TacticalGoal::Live)
    }

    /// Whether the side to move first is the attacker: who wants the capture or the connection.
    pub fn mover_attacks(self) -> bool {
        matches!(self, TacticalGoal::Capture | TacticalGoal::Connect | TacticalGoal::Kill)
    }
}

/// A goal with the stones that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    goal: TacticalGoal,
    target: u16,
    with: Option<u16>,
    attacker: Side,
    region: Option<PointSet>,
}

/// Stones that a goal cannot be about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuestionError {
    /// A point that is none of the board.
    #[error("the point `{given}` is not on the {size} board: expected a column and a row such as d4, up to {last}")]
    Outside {
        /// The text that was given.
        given: String,
        /// The board's size.
        size: LargeBoard,
        /// The point at the upper right.
        last: String,
    },
    /// A point without a stone.
    #[error("there is no stone on {0}: the goal {1} is about a stone")]
    Empty(String, &'static str),
    /// The second chain is not given.
    #[error("the goal {0} is about two chains: a stone of the second one is missing")]
    Second(&'static str),
    /// A second chain is given where one is meant.
    #[error("the goal {0} is about one chain: a second stone has no meaning")]
    NoSecond(&'static str),
    /// Stones of both colours.
    #[error("the stones on {0} and {1} differ in colour: the goal {2} is about two chains of one colour")]
    Colours(String, String, &'static str),
    /// Two stones of one chain.
    #[error("the stones on {0} and {1} are connected already")]
    Connected(String, String),
    /// A text that names no region.
    #[error("`{0}` is not a region: expected points and rectangles such as a1:f4,h2")]
    Region(String),
    /// A region where none is meant.
    #[error("the goal {0} has no region: only kill and live have one")]
    NoRegion(&'static str),
    /// A region that leaves out a liberty of the chain.
    #[error("the region leaves out {1}, a liberty of the chain on {0}: without it the chain cannot be captured")]
    Liberty(String, String),
}

/// The point of a name such as `d4`, in whatever case; the letter i is left out.
///
/// # Errors
/// A name of no point of the board.
pub fn point_of(size: LargeBoard, name: &str) -> Result<u16, QuestionError> {
    let name = name.trim();
    let lower = name.to_ascii_lowercase();
    let found = (0..size.area()).find(|&point| size.name(point) == lower);
    let last = size.point(size.width() - 1, 0).map_or_else(String::new, |point| size.name(point));
    found.ok_or_else(|| QuestionError::Outside { given: name.to_owned(), size, last })
}

impl Question {
    /// A goal about the chain on `target`, and for two chains that on `with`.
    ///
    /// # Errors
    /// Stones that the goal cannot be about. Points outside the board have no stone.
    pub fn new(
        stones: &Chains,
        goal: TacticalGoal,
        target: u16,
        with: Option<u16>,
    ) -> Result<Question, QuestionError> {
        let (size, goal_name) = (stones.size(), goal.name());
        let name = |point: u16| size.name(point);
        let colour = |point: u16| {
            let stone = (point < size.area()).then(|| stones.colour(point)).flatten();
            stone.ok_or_else(|| QuestionError::Empty(name(point), goal_name))
        };
        let own = colour(target)?;
        match with {
            None if goal.is_of_two() => return Err(QuestionError::Second(goal_name)),
            Some(_) if !goal.is_of_two() => return Err(QuestionError::NoSecond(goal_name)),
            Some(with) if colour(with)? != own => {
                return Err(QuestionError::Colours(name(target), name(with), goal_name));
            }
            Some(with) if stones.root(with) == stones.root(target) => {
                return Err(QuestionError::Connected(name(target), name(with)));
            }
            _ => (),
        }
        let attacker = if goal.is_of_two() { own } else { own.other() };
        let region = goal.is_of_life().then(|| region::usual(stones, target));
        Ok(Question { goal, target, with, attacker, region })
    }

    /// The question with another region than the usual one.
    ///
    /// # Errors
    /// A goal without a region, or one that leaves out a liberty of the chain.
    pub fn within(self, stones: &Chains, region: PointSet) -> Result<Question, QuestionError> {
        if !self.goal.is_of_life() {
            return Err(QuestionError::NoRegion(self.goal.name()));
        }
        let liberties = stones.chain(self.target).map_or(PointSet::EMPTY, |chain| chain.liberties);
        match liberties.iter().find(|&liberty| !region.contains(liberty)) {
            Some(left_out) => {
                let size = stones.size();
                Err(QuestionError::Liberty(size.name(self.target), size.name(left_out)))
            }
            None => Ok(Question { region: Some(region), ..self }),
        }
    }

    /// What is wanted.
    pub fn goal(&self) -> TacticalGoal {
        self.goal
    }

    /// A point of the chain, or of the first of two.
    pub fn target(&self) -> u16 {
        self.target
    }

    /// A point of the second chain, of a goal about two.
    pub fn with(&self) -> Option<u16> {
        self.with
    }

    /// The same question with the other side to move first: whether what is to be saved needs no move.
    pub(super) fn with_attack_first(self) -> Question {
        let goal = match self.goal {
            TacticalGoal::Defend => TacticalGoal::Capture,
            TacticalGoal::Cut => TacticalGoal::Connect,
            TacticalGoal::Live => TacticalGoal::Kill,
            goal => goal,
        };
        Question { goal, ..self }
    }

    /// The points where the attacker plays, of a goal about life.
    pub fn region(&self) -> Option<PointSet> {
        self.region
    }

    /// The side that wants the chain captured, or the two chains connected.
    pub fn attacker(&self) -> Side {
        self.attacker
    }

    /// The side that moves first.
    pub fn mover(&self) -> Side {
        if self.goal.mover_attacks() { self.attacker } else { self.attacker.other() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::board::tests::board;
    use super::*;

    #[test]
    fn goals_are_about_stones() {
        let board = board("X.X\nOO.\n...");
        let stones = board.chains();
        let at = |name: &str| point_of(stones.size(), name).unwrap();
        let ask = |goal, target: &str, with: Option<&str>| {
            Question::new(stones, goal, at(target), with.map(at)).map_err(|error| error.to_string())
        };
        let question = ask(TacticalGoal::Capture, "A2", None).unwrap();
        assert_eq!((question.attacker(), question.mover()), (Side::First, Side::First));
        let question = ask(TacticalGoal::Defend, "b2", None).unwrap();
        assert_eq!((question.attacker(), question.mover()), (Side::First, Side::Second));
        let question = ask(TacticalGoal::Connect, "a3", Some("c3")).unwrap();
        assert_eq!((question.attacker(), question.mover(), question.with()), (Side::First, Side::First, Some(2)));
        assert_eq!(ask(TacticalGoal::Cut, "a3", Some("c3")).unwrap().mover(), Side::Second);
        for (goal, target, with, reason) in [
            (TacticalGoal::Capture, "b3", None, "there is no stone on b3"),
            (TacticalGoal::Capture, "a2", Some("a3"), "is about one chain"),
            (TacticalGoal::Connect, "a3", None, "is about two chains"),
            (TacticalGoal::Connect, "a3", Some("a1"), "there is no stone on a1"),
            (TacticalGoal::Cut, "a3", Some("a2"), "differ in colour"),
            (TacticalGoal::Cut, "a2", Some("b2"), "connected already"),
        ] {
            let error = ask(goal, target, with).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
        // The region of a question about life has all liberties of the chain.
        let question = ask(TacticalGoal::Kill, "b2", None).unwrap();
        assert_eq!((question.attacker(), question.mover()), (Side::First, Side::First));
        assert_eq!(ask(TacticalGoal::Live, "b2", None).unwrap().mover(), Side::Second);
        let within = |question: Question, text: &str| {
            let region = region::region_of(stones.size(), text).unwrap();
            question.within(stones, region).map_err(|error| error.to_string())
        };
        assert_eq!(within(question, "a1:c3").unwrap().region().map(|region| region.len()), Some(9));
        let error = within(question, "a1:b3").unwrap_err();
        assert!(error.contains("leaves out c2, a liberty of the chain on b2"), "{error}");
        let capture = ask(TacticalGoal::Capture, "b2", None).unwrap();
        assert!(capture.region().is_none());
        assert!(within(capture, "a1:c3").unwrap_err().contains("the goal capture has no region"));
        for name in ["", "d1", "a4", "i1", "a0", "a", "1a", "a1 b", "\u{e4}1"] {
            let error = point_of(stones.size(), name).unwrap_err().to_string();
            assert!(error.contains("not on the 3x3 board") && error.contains("up to c3"), "{error}");
        }
    }
}

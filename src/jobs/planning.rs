//! Plans of Gomoku that are looked for as a job, as `morpion plan find` looks for them. Each reply to the first
//! position that has no answer yet is a *goal*; if the attacker is to move there, the position is the only one. A
//! unit is one goal for so many nodes, and goes on from where the unit before it has left its goal. So the units of
//! each goal are a chain, and the chains do not depend on each other.

use super::ending::JobEnd;
use super::numbered::NumberedJob;
use crate::core::setting::BadValue;
use crate::solvers::gomoku::plan::WinningPlan;
use crate::solvers::gomoku::plan::node::INFINITY;
use crate::solvers::gomoku::plan::text;
use serde::{Deserialize, Serialize};

/// The name of the goal that is the first position itself.
const FIRST_POSITION: &str = "-";

/// A plan that is to be found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanJob {
    /// The game and its rules, in words.
    pub title: String,
    /// The plan that it begins with, as text: what is to be proven, and what is proven already.
    pub plan: String,
    /// Number of its moves.
    pub known: u64,
    /// The replies that it does not answer, by their names.
    pub goals: Vec<String>,
    /// Nodes of a unit.
    pub nodes: u64,
    /// Nodes after which a goal is given up; none if that is never.
    pub goal_nodes: Option<u64>,
    /// Nodes of a goal's own search, before it is divided; none in jobs of versions that divided after two units.
    #[serde(default)]
    pub divide_after: Option<u64>,
}

impl PlanJob {
    /// A job that begins with this plan.
    pub fn new(title: String, plan: &WinningPlan, nodes: u64, goal_nodes: Option<u64>, divide_after: u64) -> PlanJob {
        let board = plan.start().board();
        let name = |way: Vec<u16>| way.first().map_or(FIRST_POSITION.to_owned(), |&point| board.name(point));
        PlanJob {
            title,
            plan: text::to_text(plan),
            known: plan.moves().len() as u64,
            goals: plan.open_replies().into_iter().map(name).collect(),
            nodes,
            goal_nodes,
            divide_after: Some(divide_after),
        }
    }

    /// The plan that it begins with.
    ///
    /// # Errors
    /// If the job was damaged, or made by a newer version.
    pub fn known(&self) -> Result<WinningPlan, BadValue> {
        text::parse(&self.plan).map_err(|error| BadValue(format!("the plan of the job, {error}")))
    }

    /// Nodes of a goal's own search, before it is divided.
    pub fn undivided(&self) -> u64 {
        self.divide_after.unwrap_or(self.nodes.saturating_mul(2))
    }

    /// Units that a goal has at most.
    pub fn turns(&self) -> u64 {
        let of_limit = self.goal_nodes.map(|most| most.div_ceil(self.nodes.max(1)).max(1));
        of_limit.unwrap_or(u64::MAX / (self.goals.len() as u64).max(1))
    }

    /// The goal of a unit, and how many units of the goal there are before it.
    pub fn turn_of(&self, unit: u64) -> (usize, u64) {
        let goals = (self.goals.len() as u64).max(1);
        ((unit % goals) as usize, unit / goals)
    }

    /// The unit of a goal that has so many of its units before it.
    pub fn unit_of(&self, goal: usize, turn: u64) -> u64 {
        turn.saturating_mul(self.goals.len() as u64).saturating_add(goal as u64)
    }

    /// What a unit and a goal may take, in words.
    pub fn effort(&self) -> String {
        let most = self.goal_nodes.map_or(String::new(), |most| format!(", at most {most} for a reply"));
        format!("{} nodes a unit{most}", self.nodes)
    }
}

/// How a unit has left its goal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlanTurnEnd {
    /// There is more to try.
    Open,
    /// The goal has a plan.
    Answered,
    /// There is nothing more to try, and no plan was found.
    GivenUp,
    /// A plan was found whose first move does not hold: a defect of the program.
    Refused(String),
}

/// A unit as it is stored. The moves and the tree are in a file of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanRecord {
    /// The number of the goal.
    pub goal: u64,
    /// How the unit has left it.
    pub end: PlanTurnEnd,
    /// A guess at the work that is left: the proof number of its own search, or searches of a division.
    pub proof: u32,
    /// Nodes of the unit.
    pub nodes: u64,
    /// Searches of threats of the unit.
    pub threats: u64,
    /// Moves that the goal has for the plan so far.
    pub moves: u64,
    /// Processor time that it took.
    pub milliseconds: u64,
}

/// What the units of a goal come to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanGoalTally {
    /// Units that are done.
    pub turns: u64,
    /// How the last one has left it.
    pub end: Option<PlanTurnEnd>,
    /// Its proof number, if a unit is done and there is something to try.
    pub proof: Option<u32>,
    /// Nodes of all its units.
    pub nodes: u64,
    /// Moves that it has for the plan so far.
    pub moves: u64,
}

/// What the units of all goals come to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanTally {
    /// For each goal what is known of it.
    pub goals: Vec<PlanGoalTally>,
    /// Nodes of all units.
    pub nodes: u64,
    /// Searches of threats of all units.
    pub threats: u64,
}

impl PlanTally {
    /// Goals that have a plan.
    pub fn answered(&self) -> u64 {
        self.goals.iter().filter(|goal| goal.end == Some(PlanTurnEnd::Answered)).count() as u64
    }
}

impl NumberedJob for PlanJob {
    type Outcome = PlanRecord;
    type Tally = PlanTally;
    const END: JobEnd = JobEnd::Finished;

    fn units(&self) -> u64 {
        self.turns().saturating_mul(self.goals.len() as u64)
    }

    fn chains(&self) -> Option<u64> {
        Some(self.goals.len() as u64)
    }

    fn ends_chain(&self, record: &PlanRecord) -> bool {
        record.end != PlanTurnEnd::Open
    }

    fn nothing(&self) -> PlanTally {
        PlanTally { goals: vec![PlanGoalTally::default(); self.goals.len()], ..PlanTally::default() }
    }

    fn count(&self, tally: &mut PlanTally, record: &PlanRecord) {
        tally.nodes = tally.nodes.saturating_add(record.nodes);
        tally.threats = tally.threats.saturating_add(record.threats);
        let goal = usize::try_from(record.goal).ok();
        let Some(goal) = goal.and_then(|goal| tally.goals.get_mut(goal)) else { return };
        goal.turns += 1;
        goal.nodes = goal.nodes.saturating_add(record.nodes);
        (goal.end, goal.moves) = (Some(record.end.clone()), record.moves);
        goal.proof = Some(record.proof).filter(|&proof| proof < INFINITY);
    }

    fn spent(record: &PlanRecord) -> (u64, u64) {
        (record.nodes, record.milliseconds)
    }

    fn end(&self, tally: &PlanTally) -> JobEnd {
        if tally.answered() == self.goals.len() as u64 { JobEnd::Proved } else { Self::END }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::numbered::{NumberedCoordinator, NumberedMisfit};

    fn job(goal_nodes: Option<u64>) -> PlanJob {
        let goals = ["a1", "b1", "c1"].map(str::to_owned).to_vec();
        let (title, plan) = ("gomoku".to_owned(), String::new());
        PlanJob { title, plan, known: 0, goals, nodes: 10, goal_nodes, divide_after: None }
    }

    fn record(job: &PlanJob, unit: u64, end: PlanTurnEnd) -> PlanRecord {
        let proof = if end == PlanTurnEnd::Answered { 0 } else { 7 + unit as u32 };
        let (goal, _) = job.turn_of(unit);
        PlanRecord { goal: goal as u64, end, proof, nodes: 10, threats: 2, moves: unit, milliseconds: 500 }
    }

    #[test]
    fn goals_have_their_turns_until_they_are_answered_or_given_up() {
        let job = job(Some(25));
        assert_eq!((job.units(), job.turn_of(7), job.unit_of(1, 2)), (9, (1, 2), 7));
        let mut coordinator = NumberedCoordinator::new(job.clone());
        assert_eq!([(); 4].map(|()| coordinator.hand_out()), [Some(0), Some(1), Some(2), None]);
        // The unit that comes back first is followed by that of its goal.
        coordinator.apply(1, record(&job, 1, PlanTurnEnd::Open)).unwrap();
        assert_eq!([coordinator.hand_out(), coordinator.hand_out()], [Some(4), None]);
        coordinator.apply(0, record(&job, 0, PlanTurnEnd::Answered)).unwrap();
        coordinator.apply(2, record(&job, 2, PlanTurnEnd::Open)).unwrap();
        assert_eq!([coordinator.hand_out(), coordinator.hand_out()], [Some(5), None]);
        for (unit, misfit) in [
            (0, NumberedMisfit::Again(0)),
            (1, NumberedMisfit::Again(1)),
            (3, NumberedMisfit::Again(3)),
            (7, NumberedMisfit::Early(7)),
            (9, NumberedMisfit::Beyond(9)),
        ] {
            assert_eq!(coordinator.apply(unit, record(&job, unit, PlanTurnEnd::Open)), Err(misfit));
        }
        coordinator.apply(4, record(&job, 4, PlanTurnEnd::Answered)).unwrap();
        coordinator.apply(5, record(&job, 5, PlanTurnEnd::Open)).unwrap();
        assert_eq!((coordinator.hand_out(), coordinator.is_over()), (Some(8), false));
        // The third unit of the goal is its last one.
        coordinator.apply(8, record(&job, 8, PlanTurnEnd::Open)).unwrap();
        assert!(coordinator.is_over() && coordinator.hand_out().is_none());
        let tally = coordinator.tally();
        assert_eq!((tally.answered(), tally.nodes, tally.threats), (2, 60, 12));
        let last = &tally.goals[2];
        assert_eq!((last.turns, last.proof, last.moves, last.nodes), (3, Some(15), 8, 30));
        assert_eq!(coordinator.job().end(tally), JobEnd::Finished);
        let progress = coordinator.progress();
        assert_eq!((progress.done, progress.nodes, progress.cpu), (6, 60, 3.0));
    }

    #[test]
    fn without_a_limit_a_goal_has_units_until_it_is_answered() {
        let job = job(None);
        let mut coordinator = NumberedCoordinator::new(job.clone());
        for unit in 0..3000 {
            assert_eq!(coordinator.hand_out(), Some(unit));
            let end = if unit < 2997 { PlanTurnEnd::Open } else { PlanTurnEnd::Answered };
            coordinator.apply(unit, record(&job, unit, end)).unwrap();
        }
        assert!(coordinator.is_over());
        assert_eq!(job.end(coordinator.tally()), JobEnd::Proved);
    }

    /// What is restored is a list of outcomes in the order in which they were taken.
    #[test]
    fn outcomes_that_are_applied_again_come_to_the_same() {
        let job = job(Some(20));
        let (mut first, mut again) = (NumberedCoordinator::new(job.clone()), NumberedCoordinator::new(job.clone()));
        let taken = [2, 5, 0, 1, 4];
        for unit in taken {
            first.apply(unit, record(&job, unit, PlanTurnEnd::Open)).unwrap();
        }
        for unit in taken {
            again.apply(unit, record(&job, unit, PlanTurnEnd::Open)).unwrap();
        }
        assert_eq!((first.tally(), first.progress()), (again.tally(), again.progress()));
        assert_eq!([first.hand_out(), first.hand_out()], [Some(3), None]);
        assert_eq!([again.hand_out(), again.hand_out()], [Some(3), None]);
    }
}

//! A goal of a plan that one thread searches by turns: by a search of its own first, and divided
//! ([`super::division`]) when that does not prove it.
//!
//! What a turn does depends on the turns before it alone, so a goal that goes on from what was saved comes to the
//! same as one that was never put aside.

use super::PlanPortions;
use super::division::{Division, is_division};
use crate::solvers::gomoku::plan::saved::PlanRestoreError;
use crate::solvers::gomoku::plan::search::PlanSearch;
use crate::solvers::gomoku::plan::{PlannedMove, WinningPlan};
use crate::solvers::gomoku::player::PlayerError;
use crate::solvers::gomoku::threats::ThreatTables;
use crate::solvers::monitor::{Monitor, Stopped};

/// What all goals of a plan share.
#[derive(Debug, Clone, Copy)]
pub struct PlanGround<'a> {
    /// The plan that the searches begin with.
    pub known: &'a WinningPlan,
    /// The tables of its rules.
    pub tables: &'a ThreatTables,
    /// How many nodes go where.
    pub portions: PlanPortions,
}

/// How a turn has left a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoalTurn {
    /// There is more to try.
    Open,
    /// The goal has a plan.
    Proven,
    /// There is nothing more to try.
    Exhausted,
}

/// How far the search of a goal is.
enum GoalStage<'a> {
    Alone(Box<PlanSearch<'a>>),
    Divided(Division),
}

/// The search of a goal.
pub struct GoalSearch<'a> {
    ground: PlanGround<'a>,
    /// The moves that lead to the goal from the plan's first position.
    way: &'a [u16],
    stage: GoalStage<'a>,
}

impl<'a> GoalSearch<'a> {
    /// A search that begins, of the goal to which these moves lead.
    ///
    /// # Errors
    /// The player cannot be had.
    pub fn new(ground: PlanGround<'a>, way: &'a [u16]) -> Result<GoalSearch<'a>, PlayerError> {
        let search = PlanSearch::new(ground.tables, &ground.known.position_after(way), ground.known)?;
        Ok(GoalSearch { ground, way, stage: GoalStage::Alone(Box::new(search)) })
    }

    /// What [`GoalSearch::save`] returned for this goal.
    ///
    /// # Errors
    /// The bytes are damaged, or of another goal.
    pub fn restore(ground: PlanGround<'a>, way: &'a [u16], bytes: &[u8]) -> Result<GoalSearch<'a>, PlanRestoreError> {
        let PlanGround { known, tables, .. } = ground;
        let stage = if is_division(bytes) {
            GoalStage::Divided(Division::restore(bytes, way, known)?)
        } else {
            let search = PlanSearch::restore(tables, &known.position_after(way), known, bytes)?;
            GoalStage::Alone(Box::new(search))
        };
        Ok(GoalSearch { ground, way, stage })
    }

    /// What is known, as bytes. The player of the search forgets what it knows, as if the search were restored.
    pub fn save(&mut self) -> Vec<u8> {
        match &mut self.stage {
            GoalStage::Alone(search) => search.save(),
            GoalStage::Divided(division) => division.save(self.ground.known),
        }
    }

    /// Goes on for a turn. The monitor's budget is the turn's.
    ///
    /// # Errors
    /// The search is to stop; then it is to be restored before it goes on. Or the player cannot be had.
    pub fn run(&mut self, monitor: &Monitor) -> Result<Result<GoalTurn, Stopped>, PlayerError> {
        match &mut self.stage {
            GoalStage::Alone(search) => {
                monitor.restart(0);
                let result = search.run(monitor);
                if result == Err(Stopped::Asked) {
                    return Ok(Err(Stopped::Asked));
                }
                if result == Ok(true) {
                    return Ok(Ok(GoalTurn::Proven));
                }
                // A search that ends without a proof tries nothing more by itself.
                if result.is_ok() || search.nodes() >= self.ground.portions.alone {
                    let division = Division::new(self.way.to_vec(), search.nodes(), search.threats());
                    self.stage = GoalStage::Divided(division);
                }
                Ok(Ok(GoalTurn::Open))
            }
            GoalStage::Divided(division) => {
                let PlanGround { known, tables, portions } = self.ground;
                let most = division.nodes().saturating_add(portions.turn);
                while !division.is_proven() && division.nodes() < most {
                    // One thread leaves no step to others, so there is none when no attempt is left.
                    let Some(step) = division.next_step() else { return Ok(Ok(GoalTurn::Exhausted)) };
                    match step.carry_out((known, tables), portions, monitor)? {
                        Ok(outcome) => division.take(&step, Some(outcome)),
                        Err(stopped) => return Ok(Err(stopped)),
                    }
                }
                Ok(Ok(if division.is_proven() { GoalTurn::Proven } else { GoalTurn::Open }))
            }
        }
    }

    /// A guess at the work that is left: the proof number of its own search, or searches of a division.
    pub fn left(&self) -> u32 {
        match &self.stage {
            GoalStage::Alone(search) => search.proof(),
            GoalStage::Divided(division) => division.left(),
        }
    }

    /// Nodes of all turns.
    pub fn nodes(&self) -> u64 {
        match &self.stage {
            GoalStage::Alone(search) => search.nodes(),
            GoalStage::Divided(division) => division.nodes(),
        }
    }

    /// Searches of threats of all turns.
    pub fn threats(&self) -> u64 {
        match &self.stage {
            GoalStage::Alone(search) => search.threats(),
            GoalStage::Divided(division) => division.threats(),
        }
    }

    /// The moves that the goal has for the plan so far, added to the plan that was known.
    pub fn plan(&mut self) -> WinningPlan {
        let mut plan = self.ground.known.clone();
        match &mut self.stage {
            GoalStage::Alone(search) => search.add_to(&mut plan, self.way),
            GoalStage::Divided(division) => {
                for (way, answer) in division.moves() {
                    let position = plan.position_after(&way);
                    plan.add(way, &position, answer);
                }
            }
        }
        plan
    }

    /// The moves that a plan has beyond the one that was known.
    pub fn added(&self, plan: &WinningPlan) -> Vec<(Vec<u16>, u16)> {
        let added = plan.moves().get(self.ground.known.moves().len()..).unwrap_or_default();
        added.iter().map(|PlannedMove { way, answer }| (way.clone(), *answer)).collect()
    }
}

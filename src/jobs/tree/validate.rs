//! Compares what workers claim, absorbs what enough of them agree on, and notes who was wrong.
//!
//! Claims agree if they are of one class with respect to the unit's window. A liar who says "at least 5" where the
//! truth is "at least 3" agrees if 3 was asked, so the weaker claim is used. Claims that miss a majority are wrong,
//! with one exception: of two workers whose windows were changed at different times, one may use up the budget and
//! the other not.

use super::credit::WorkerId;
use super::node::round;
use super::record::{Misfit, TreeEvent};
use super::state::{LevelTally, TreeState};
use super::unit::{Claim, Class, OpenUnit, UnitId, UnitOutcome};
use crate::core::game::{Game, MAX_VALUE, Value};
use crate::solvers::solve::Bounds;
use std::collections::BTreeMap;

impl<G: Game> TreeState<G> {
    /// Takes in a claim about an open unit.
    pub(super) fn claim(&mut self, id: UnitId, claim: Claim, events: &mut Vec<TreeEvent>) -> Result<(), Misfit> {
        let Some(unit) = self.units.get_mut(&id) else { return Ok(()) };
        if Class::of(claim.outcome, claim.window).is_none() || impossible(claim.outcome) {
            unit.barred.push(claim.worker);
            self.refuse(id, &claim, events);
            self.distrust(events);
            return Ok(());
        }
        if claim.window.covers(unit.window) {
            unit.claims.push(claim);
            let differ = unit
                .claims
                .iter()
                .any(|c| Class::of(c.outcome, unit.window) != Class::of(unit.claims[0].outcome, unit.window));
            if differ {
                events.push(TreeEvent::Disagreement { unit: id });
            }
            return Ok(());
        }
        // An answer to a question that is not asked any more: true all the same, but nobody will confirm it.
        let doer = &mut self.workers[claim.worker as usize];
        if self.meta.settings.quorum > 1 || claim.outcome == UnitOutcome::Exhausted {
            doer.credit.stopped.add(claim.spent);
            return Ok(());
        }
        let node = unit.node;
        if self.tighten(id, claim.outcome, events) {
            self.accept(&claim);
            self.close(id);
            events.push(TreeEvent::Absorbed { unit: id, node, bounds: self.nodes[node as usize].bounds() });
        } else {
            self.bar(id, &claim, events);
        }
        Ok(())
    }

    /// Settles a unit that enough workers agree on, or `all` of them; whether there was one.
    pub(super) fn agree(&mut self, all: bool, events: &mut Vec<TreeEvent>) -> Result<bool, Misfit> {
        let agreed = self.units.iter().filter(|(_, unit)| self.agreed(unit).is_some()).map(|(&id, _)| id);
        let agreed: Vec<UnitId> = agreed.take(if all { usize::MAX } else { 1 }).collect();
        for &id in &agreed {
            // What was concluded before may have changed it.
            if let Some(class) = self.units.get(&id).and_then(|unit| self.agreed(unit)) {
                self.conclude(id, class, events)?;
            }
        }
        Ok(!agreed.is_empty())
    }

    /// What enough workers say about a unit.
    fn agreed(&self, unit: &OpenUnit) -> Option<Class> {
        let quorum = self.meta.settings.quorum as usize;
        if unit.claims.len() < quorum {
            return None;
        }
        let mut votes: BTreeMap<Class, usize> = BTreeMap::new();
        for claim in &unit.claims {
            let votes = votes.entry(Class::of(claim.outcome, unit.window)?).or_default();
            *votes += 1;
        }
        votes.into_iter().find(|&(_, votes)| votes >= quorum).map(|(class, _)| class)
    }

    /// Takes in what the claims of `class` say about a unit.
    fn conclude(&mut self, id: UnitId, class: Class, events: &mut Vec<TreeEvent>) -> Result<(), Misfit> {
        let Some(unit) = self.units.get_mut(&id) else { return Ok(()) };
        let (node, window, moved) = (unit.node, unit.window, unit.moved);
        let claims = std::mem::take(&mut unit.claims);
        let (with, against): (Vec<Claim>, Vec<Claim>) =
            claims.into_iter().partition(|claim| Class::of(claim.outcome, window) == Some(class));
        let outcome = weakest(&with);
        if !self.tighten(id, outcome, events) {
            for claim in with.iter().chain(&against) {
                self.bar(id, claim, events);
            }
            self.distrust(events);
            return Ok(());
        }
        for claim in &with {
            self.accept(claim);
        }
        for claim in &against {
            let other = Class::of(claim.outcome, window);
            if moved && (class == Class::Exhausted || other == Some(Class::Exhausted)) {
                self.workers[claim.worker as usize].credit.stopped.add(claim.spent);
                self.dirty.workers.insert(claim.worker);
            } else {
                self.refuse(id, claim, events);
            }
        }
        self.close(id);
        let level = usize::from(self.nodes[node as usize].level);
        if self.meta.levels.len() <= level {
            self.meta.levels.resize(level + 1, LevelTally::default());
        }
        let level = &mut self.meta.levels[level];
        if outcome == UnitOutcome::Exhausted {
            level.exhausted += 1;
            self.expand(node, events)?;
        } else {
            level.answered += 1;
            level.nodes = level.nodes.saturating_add(with.first().map_or(0, |claim| claim.spent.nodes));
        }
        events.push(TreeEvent::Absorbed { unit: id, node, bounds: self.nodes[node as usize].bounds() });
        self.distrust(events);
        Ok(())
    }

    /// Brings an answer into the node of a unit and up the tree, unless it contradicts what is known.
    fn tighten(&mut self, id: UnitId, outcome: UnitOutcome, events: &mut Vec<TreeEvent>) -> bool {
        let (Some(unit), UnitOutcome::Answered { lower, upper }) = (self.units.get(&id), outcome) else {
            return true;
        };
        let id = unit.node;
        let node = &mut self.nodes[id as usize];
        let (lower, upper) = round(lower.max(node.lower), upper.min(node.upper), G::POINT);
        if lower > upper {
            return false;
        }
        if (node.bounds()) != (Bounds { lower, upper }) {
            (node.lower, node.upper) = (lower, upper);
            self.back_up(id, events);
        }
        true
    }

    fn accept(&mut self, claim: &Claim) {
        let worker = &mut self.workers[claim.worker as usize];
        worker.credit.accepted.add(claim.spent);
        worker.right += 1;
        self.dirty.workers.insert(claim.worker);
    }

    /// Refuses a claim: its worker was wrong.
    fn refuse(&mut self, unit: UnitId, claim: &Claim, events: &mut Vec<TreeEvent>) {
        let worker = &mut self.workers[claim.worker as usize];
        worker.credit.rejected.add(claim.spent);
        worker.wrong += 1;
        self.dirty.workers.insert(claim.worker);
        events.push(TreeEvent::Refused { unit, worker: claim.worker });
    }

    /// The same, and its worker is not asked again about this unit.
    fn bar(&mut self, id: UnitId, claim: &Claim, events: &mut Vec<TreeEvent>) {
        if let Some(unit) = self.units.get_mut(&id) {
            unit.barred.push(claim.worker);
        }
        self.refuse(id, claim, events);
    }

    /// Ceases to trust workers that are often wrong; what they claim and nobody has confirmed is done anew.
    fn distrust(&mut self, events: &mut Vec<TreeEvent>) {
        for i in 0..self.workers.len() {
            let worker = &mut self.workers[i];
            if worker.distrusted || !worker.is_often_wrong() {
                continue;
            }
            worker.distrusted = true;
            let i = i as WorkerId;
            self.dirty.workers.insert(i);
            events.push(TreeEvent::Distrusted { worker: i });
            for (&id, unit) in &mut self.units {
                let (his, others): (Vec<_>, Vec<_>) =
                    std::mem::take(&mut unit.claims).into_iter().partition(|claim| claim.worker == i);
                unit.claims = others;
                for claim in his {
                    unit.barred.push(i);
                    self.workers[i as usize].credit.rejected.add(claim.spent);
                    self.dirty.units.insert(id);
                }
            }
        }
    }
}

/// Whether an answer is beyond every value.
fn impossible(outcome: UnitOutcome) -> bool {
    let UnitOutcome::Answered { lower, upper } = outcome else { return false };
    lower > MAX_VALUE || upper < -MAX_VALUE
}

/// What all of these claims, which are of one class, say.
fn weakest(claims: &[Claim]) -> UnitOutcome {
    let answers = claims.iter().map(|claim| match claim.outcome {
        UnitOutcome::Answered { lower, upper } => Some((lower.max(-MAX_VALUE), upper.min(MAX_VALUE))),
        _ => None,
    });
    let both = |(low, high): (Value, Value), (lower, upper): (Value, Value)| (low.min(lower), high.max(upper));
    match answers.collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().reduce(both)) {
        Some((lower, upper)) => UnitOutcome::Answered { lower, upper },
        None => UnitOutcome::Exhausted,
    }
}

//! Jobs whose units are numbered from 0: the work of players. Each depends on the job and its number alone, or also
//! on the outcomes of those before it; then it waits for them. Or its units are chains side by side, each of which
//! needs the one before it in its chain.
//!
//! Other units end in any order. What they come to is counted in the order of their numbers, as if one worker had
//! computed them one after the other. So the end of the job does not depend on how many workers there are, and short
//! units do not count more than long ones. Those of chains are counted as they come.

use super::ending::JobEnd;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};

/// A job of numbered units.
pub trait NumberedJob: Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// What a unit ends with: small, since all of them are kept.
    type Outcome: Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// What the outcomes come to.
    type Tally: Clone + PartialEq;
    /// How the job ends when all units are done.
    const END: JobEnd;

    /// How many units there are at most.
    fn units(&self) -> u64;

    /// Whether a unit needs the outcomes of those before it.
    fn in_turn(&self, _unit: u64) -> bool {
        false
    }

    /// For units that are chains side by side: how many chains there are. A unit needs the one that many numbers
    /// before it, and no other. Outcomes are counted as they come, so it must not matter which chain comes first.
    fn chains(&self) -> Option<u64> {
        None
    }

    /// Whether an outcome is the last one of its chain: the units after it in the chain are left out.
    fn ends_chain(&self, _outcome: &Self::Outcome) -> bool {
        false
    }

    /// What no outcomes come to.
    fn nothing(&self) -> Self::Tally;

    /// Counts the next outcome.
    fn count(&self, tally: &mut Self::Tally, outcome: &Self::Outcome);

    /// Whether what has been counted is enough.
    fn is_decided(&self, _tally: &Self::Tally) -> bool {
        false
    }

    /// How the job ends when all units are done, by what they come to.
    fn end(&self, _tally: &Self::Tally) -> JobEnd {
        Self::END
    }

    /// How the job ends when what has been counted is enough.
    fn decision(&self, _tally: &Self::Tally) -> JobEnd {
        JobEnd::Decided
    }

    /// Nodes that a unit took, and its processor time in milliseconds.
    fn spent(outcome: &Self::Outcome) -> (u64, u64);
}

/// Where a job of numbered units is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct NumberedProgress {
    /// Units that are done.
    pub done: u64,
    /// Units that are counted: all from the first one to the last of them are done.
    pub counted: u64,
    /// Nodes of the units that are done.
    pub nodes: u64,
    /// Processor seconds of the units that are done.
    pub cpu: f64,
}

/// Why an outcome is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NumberedMisfit {
    /// There is no such unit.
    #[error("there is no unit {0}")]
    Beyond(u64),
    /// The unit has an outcome.
    #[error("unit {0} is done twice")]
    Again(u64),
    /// The unit before it in its chain has no outcome.
    #[error("unit {0} is done before the one that it needs")]
    Early(u64),
}

/// The coordinator: which units are done, handed out and counted.
#[derive(Debug, Clone)]
pub struct NumberedCoordinator<J: NumberedJob> {
    job: J,
    tally: J::Tally,
    counted: u64,
    /// Outcomes of units behind one that is not done.
    early: BTreeMap<u64, J::Outcome>,
    /// Units that are handed out.
    taken: BTreeSet<u64>,
    /// For each chain the unit that is the next one to be done; nothing if the chain has come to its end.
    chains: Vec<Option<u64>>,
    nodes: u64,
    milliseconds: u64,
}

impl<J: NumberedJob> NumberedCoordinator<J> {
    /// A job that begins.
    pub fn new(job: J) -> NumberedCoordinator<J> {
        let tally = job.nothing();
        let (early, taken) = (BTreeMap::new(), BTreeSet::new());
        let chains = (0..job.chains().unwrap_or(0)).map(|unit| (unit < job.units()).then_some(unit)).collect();
        NumberedCoordinator { job, tally, counted: 0, early, taken, chains, nodes: 0, milliseconds: 0 }
    }

    /// The job whose units these are.
    pub fn job(&self) -> &J {
        &self.job
    }

    /// What the outcomes come to, as far as they are counted.
    pub fn tally(&self) -> &J::Tally {
        &self.tally
    }

    /// The first unit that is neither done nor handed out; nothing if it has to wait for another one.
    pub fn hand_out(&mut self) -> Option<u64> {
        if self.job.chains().is_some() {
            let next = self.chains.iter().flatten().filter(|&unit| !self.taken.contains(unit)).min();
            let unit = next.copied().filter(|_| !self.is_over())?;
            self.taken.insert(unit);
            return Some(unit);
        }
        let is_free = |unit: &u64| !self.taken.contains(unit) && !self.early.contains_key(unit);
        let unit = (self.counted..self.job.units()).find(is_free).filter(|_| !self.is_over())?;
        if unit != self.counted && self.job.in_turn(unit) {
            return None;
        }
        self.taken.insert(unit);
        Some(unit)
    }

    /// Takes the outcome of a unit; the same for a running job and for one that is read.
    ///
    /// # Errors
    /// If it does not belong here; nothing has changed then.
    pub fn apply(&mut self, unit: u64, outcome: J::Outcome) -> Result<(), NumberedMisfit> {
        if unit >= self.job.units() {
            return Err(NumberedMisfit::Beyond(unit));
        }
        if let Some(chains) = self.job.chains() {
            return self.apply_to_chain(unit, chains, outcome);
        }
        if unit < self.counted || self.early.contains_key(&unit) {
            return Err(NumberedMisfit::Again(unit));
        }
        self.note_spent(unit, &outcome);
        self.early.insert(unit, outcome);
        // What is behind the decision does not count: one worker would not have computed it.
        while !self.job.is_decided(&self.tally)
            && let Some(outcome) = self.early.remove(&self.counted)
        {
            self.job.count(&mut self.tally, &outcome);
            self.counted += 1;
        }
        Ok(())
    }

    fn apply_to_chain(&mut self, unit: u64, chains: u64, outcome: J::Outcome) -> Result<(), NumberedMisfit> {
        let chain = (unit % chains.max(1)) as usize;
        match self.chains.get(chain).copied().flatten() {
            Some(next) if next == unit => {}
            Some(next) if next < unit => return Err(NumberedMisfit::Early(unit)),
            _ => return Err(NumberedMisfit::Again(unit)),
        }
        self.note_spent(unit, &outcome);
        self.job.count(&mut self.tally, &outcome);
        self.counted += 1;
        let next = unit.checked_add(chains).filter(|&next| next < self.job.units());
        self.chains[chain] = next.filter(|_| !self.job.ends_chain(&outcome));
        Ok(())
    }

    fn note_spent(&mut self, unit: u64, outcome: &J::Outcome) {
        let (nodes, milliseconds) = J::spent(outcome);
        self.nodes = self.nodes.saturating_add(nodes);
        self.milliseconds = self.milliseconds.saturating_add(milliseconds);
        self.taken.remove(&unit);
    }

    /// Whether what is counted is enough, whatever is left.
    pub fn is_decided(&self) -> bool {
        self.job.is_decided(&self.tally)
    }

    /// Whether nothing is left to do.
    pub fn is_over(&self) -> bool {
        let is_done = match self.job.chains() {
            Some(_) => self.chains.iter().all(Option::is_none),
            None => self.counted >= self.job.units(),
        };
        is_done || self.is_decided()
    }

    /// Where the job is.
    pub fn progress(&self) -> NumberedProgress {
        NumberedProgress {
            done: self.counted + self.early.len() as u64,
            counted: self.counted,
            nodes: self.nodes,
            cpu: self.milliseconds as f64 / 1e3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    /// Outcomes are digits, which are counted until their sum is large enough.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Digits {
        units: u64,
        enough: u64,
        /// This unit and those after it need the ones before them.
        in_turn: u64,
    }

    impl NumberedJob for Digits {
        type Outcome = u64;
        type Tally = Vec<u64>;
        const END: JobEnd = JobEnd::Played;

        fn units(&self) -> u64 {
            self.units
        }

        fn in_turn(&self, unit: u64) -> bool {
            unit >= self.in_turn
        }

        fn nothing(&self) -> Vec<u64> {
            Vec::new()
        }

        fn count(&self, tally: &mut Vec<u64>, outcome: &u64) {
            tally.push(*outcome);
        }

        fn is_decided(&self, tally: &Vec<u64>) -> bool {
            tally.iter().sum::<u64>() >= self.enough
        }

        fn spent(outcome: &u64) -> (u64, u64) {
            (*outcome, 500)
        }
    }

    #[test]
    fn outcomes_are_counted_in_the_order_of_their_numbers() {
        let mut coordinator = NumberedCoordinator::new(Digits { units: 5, enough: 100, in_turn: 9 });
        assert_eq!([(); 5].map(|()| coordinator.hand_out()), [0, 1, 2, 3, 4].map(Some));
        assert_eq!(coordinator.hand_out(), None);
        for (unit, counted) in [(2, vec![]), (0, vec![10]), (1, vec![10, 11, 12]), (4, vec![10, 11, 12])] {
            coordinator.apply(unit, 10 + unit).unwrap();
            assert_eq!(*coordinator.tally(), counted, "after unit {unit}");
        }
        let NumberedProgress { done, counted, nodes, cpu } = coordinator.progress();
        assert_eq!((done, counted, nodes, cpu), (4, 3, 47, 2.0));
        assert_eq!(coordinator.apply(1, 0), Err(NumberedMisfit::Again(1)));
        assert_eq!(coordinator.apply(4, 0), Err(NumberedMisfit::Again(4)));
        assert_eq!(coordinator.apply(5, 0), Err(NumberedMisfit::Beyond(5)));
        assert!(!coordinator.is_over());
        coordinator.apply(3, 13).unwrap();
        assert!(coordinator.is_over() && coordinator.tally().len() == 5);
    }

    #[test]
    fn a_unit_that_needs_the_one_before_it_waits() {
        let mut coordinator = NumberedCoordinator::new(Digits { units: 3, enough: 100, in_turn: 1 });
        assert_eq!([coordinator.hand_out(), coordinator.hand_out()], [Some(0), None]);
        coordinator.apply(0, 1).unwrap();
        assert_eq!([coordinator.hand_out(), coordinator.hand_out()], [Some(1), None]);
        // The last one needs all, and the others none.
        let mut coordinator = NumberedCoordinator::new(Digits { units: 3, enough: 100, in_turn: 2 });
        assert_eq!([(); 3].map(|()| coordinator.hand_out()), [Some(0), Some(1), None]);
        coordinator.apply(1, 1).unwrap();
        assert_eq!(coordinator.hand_out(), None);
        coordinator.apply(0, 1).unwrap();
        assert_eq!(coordinator.hand_out(), Some(2));
    }

    #[test]
    fn what_comes_after_the_decision_does_not_count() {
        let mut coordinator = NumberedCoordinator::new(Digits { units: 9, enough: 3, in_turn: 9 });
        for unit in [3, 1, 2] {
            coordinator.apply(unit, 2).unwrap();
            assert!(!coordinator.is_over(), "the first unit is not done");
        }
        coordinator.apply(0, 2).unwrap();
        assert_eq!((coordinator.tally().len(), coordinator.progress().counted), (2, 2));
        assert!(coordinator.is_over() && coordinator.hand_out().is_none());
        assert_eq!(coordinator.progress().done, 4);
    }
}

//! Outcomes of a unit that machines have brought, of which several have to agree: each machine has one say, whatever
//! copies of the unit it was at.

use super::unit::PlayedOutcome;
use crate::queue::copies::{MachineName, UnitCopies};
use crate::queue::effort::Efforts;
use std::sync::Arc;

/// Whether two outcomes say the same.
pub type SameOutcome<'a, O> = &'a dyn Fn(&PlayedOutcome<O>, &PlayedOutcome<O>) -> bool;

/// What a machine says of a unit.
#[derive(Debug, Clone)]
pub struct UnitVote<O> {
    /// The machine that says it.
    pub by: MachineName,
    /// What it says.
    pub outcome: PlayedOutcome<O>,
    /// Whose work it is.
    pub efforts: Efforts,
}

/// What machines say of a unit, and its copies.
#[derive(Debug)]
pub struct UnitVotes<O> {
    /// Its copies in the queue.
    pub copies: Arc<UnitCopies>,
    votes: Vec<UnitVote<O>>,
}

impl<O> Default for UnitVotes<O> {
    fn default() -> UnitVotes<O> {
        UnitVotes { copies: Arc::default(), votes: Vec::new() }
    }
}

impl<O> UnitVotes<O> {
    /// Notes what a machine says. What it says once more does not count.
    pub fn add(&mut self, vote: UnitVote<O>) {
        if self.votes.iter().all(|known| known.by != vote.by) {
            self.votes.push(vote);
        }
    }

    /// The machines that had their say.
    pub fn machines(&self) -> impl Iterator<Item = &MachineName> {
        self.votes.iter().map(|vote| &vote.by)
    }

    /// The first one of the outcomes that most machines say, and how many do.
    fn leading(&self, is_same: SameOutcome<'_, O>) -> Option<(usize, usize)> {
        let agreeing =
            |of: &UnitVote<O>| self.votes.iter().filter(|vote| is_same(&vote.outcome, &of.outcome)).count();
        let counted = self.votes.iter().map(agreeing).enumerate();
        counted.reduce(|best, next| if next.1 > best.1 { next } else { best })
    }

    /// How many more have to say the same as most do, until `quorum` agree.
    pub fn missing(&self, quorum: usize, is_same: SameOutcome<'_, O>) -> usize {
        quorum.saturating_sub(self.leading(is_same).map_or(0, |(_, votes)| votes))
    }

    /// Takes the outcome on which `quorum` agree out, if there is one.
    pub fn take_agreed(&mut self, quorum: usize, is_same: SameOutcome<'_, O>) -> Option<UnitVote<O>> {
        let (at, _) = self.leading(is_same).filter(|&(_, votes)| votes >= quorum)?;
        Some(self.votes.remove(at))
    }

    /// The efforts of those who say the same as an outcome that was taken, and the machines that say otherwise.
    pub fn settle(self, taken: &PlayedOutcome<O>, is_same: SameOutcome<'_, O>) -> (Vec<Efforts>, Vec<MachineName>) {
        let (same, other): (Vec<UnitVote<O>>, Vec<UnitVote<O>>) =
            self.votes.into_iter().partition(|vote| is_same(&vote.outcome, taken));
        (same.into_iter().map(|vote| vote.efforts).collect(), other.into_iter().map(|vote| vote.by).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::effort::Contributor;
    use std::time::Duration;

    fn vote(machine: &str, record: u32) -> UnitVote<u32> {
        let by = MachineName::of(&Contributor::new(Some("ada"), None, machine, 1));
        let mut efforts = Efforts::default();
        efforts.add(Some(Arc::new(Contributor::new(Some("ada"), None, machine, 1))), Duration::from_secs(1));
        UnitVote { by, outcome: PlayedOutcome { record, part: None }, efforts }
    }

    #[test]
    fn as_many_as_the_quorum_have_to_agree() {
        let is_same: SameOutcome<'_, u32> = &|one, other| one.record % 10 == other.record % 10;
        let mut votes = UnitVotes::default();
        assert_eq!((votes.missing(2, is_same), votes.take_agreed(1, is_same).is_some()), (2, false));
        for (machine, record, missing) in [("one", 7, 1), ("one", 7, 1), ("two", 8, 1), ("one", 8, 1)] {
            votes.add(vote(machine, record));
            assert_eq!(votes.missing(2, is_same), missing, "{machine} says {record}");
            assert!(votes.take_agreed(2, is_same).is_none());
        }
        votes.add(vote("three", 18));
        assert_eq!((votes.missing(2, is_same), votes.missing(3, is_same)), (0, 1));
        assert_eq!(votes.machines().count(), 3);
        let taken = votes.take_agreed(2, is_same).unwrap();
        assert_eq!((taken.by.machine.as_str(), taken.outcome.record), ("two", 8));
        votes.add(vote("four", 28));
        let (agreeing, against) = votes.settle(&taken.outcome, is_same);
        let of =
            |efforts: &Efforts| efforts.all().iter().map(|one| one.by.clone().unwrap().machine.clone()).collect();
        let agreeing: Vec<Vec<String>> = agreeing.iter().map(of).collect();
        assert_eq!(agreeing, [["three"], ["four"]], "the one that was taken is told apart");
        assert_eq!(against.into_iter().map(|name| name.machine).collect::<Vec<String>>(), ["one"]);
    }
}

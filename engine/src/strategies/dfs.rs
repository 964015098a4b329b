//! Depth-first search of the subtree below a prefix, plain or order-free, with orderings, dominated-move
//! elimination, jumps back and an end for stalled units: the search of the 2021 thesis.
//!
//! One iteration is one node entered (one recursive call of the thesis's program). A *jump back* leaves all nodes
//! below a move number when no better score was found for so many iterations: a depth-first search otherwise
//! spends its life in the last few moves of its first game. Each jump has its own counter, set to zero by a new
//! best of this unit, by its own jump and by a larger one.
//!
//! A jump to a part of the best score means the unit's own, or ([`JumpsFrom::Hunt`]) that of the hunt when the unit
//! was handed out. The thesis takes the best score of the whole program at the moment of the jump. Here everything is
//! counted in iterations and known from the beginning, so a unit gives the same result on any machine, interrupted or
//! not.

use super::codec::{decode, restore_error};
use super::params::{Jump, JumpTo, JumpsFrom, Params, Sort, StallTable};
use super::tree::{Tree, TreeOptions};
use super::unit::Unit;
use super::vector::dispatch::{VectorInstructions, VectorTask, dispatch};
use super::vector::extension::{PlainVectors, VectorExtension};
use super::vector::filter::MoveFilter;
use crate::core::ctl::{Ctl, Signal};
use crate::core::search::{End, RestoreError, Search};
use crate::morpion::geometry::Move;
use crate::morpion::variant::Rules;
use serde::{Deserialize, Serialize};

/// Iterations between two polls: a tenth of a millisecond or so.
const POLL: u64 = 2048;

/// A depth-first search of one unit.
pub struct Dfs<R> {
    tree: Tree<R>,
    jumps: Vec<Jump>,
    /// With [`JumpsFrom::Hunt`]: the score that jumps are measured from until this unit has a longer grid.
    known_best: Option<u32>,
    stall: StallTable,
    max_iterations: Option<u64>,
    /// The search tries every move of every node's list.
    exact: bool,
    state: DfsState,
    /// Length of the longest sequence reported.
    reported: u32,
    /// Finished games of so many moves are offered.
    keep_from: u32,
    /// A node of this score is looked at: a new best, or perhaps a game to offer.
    watch: u32,
    /// Something is to be done at this iteration: a poll, a jump, an end.
    next_event: u64,
    next_poll: u64,
    returns: FirstReturns,
}

/// What is saved besides the path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct DfsState {
    iterations: u64,
    best: u32,
    /// Per jump: the iteration at which its counter was zero.
    zero: Vec<u64>,
    /// A jump has left nodes unsearched.
    jumped: bool,
    ended: Option<End>,
}

#[derive(Serialize, Deserialize)]
struct SavedDfs {
    /// Per node of the path: how many moves of its list have been entered.
    path: Vec<u32>,
    state: DfsState,
}

/// What is saved with [`JumpsFrom::Hunt`]: a unit that is begun keeps the score that it was handed out with.
#[derive(Serialize, Deserialize)]
struct SavedDfsOfHunt {
    search: SavedDfs,
    known_best: u32,
}

/// When the search first returned to each score, since it was started or restored.
struct FirstReturns {
    lowest: u32,
    /// Per score: the iteration; 0 if it has not returned there.
    first: Vec<u64>,
}

impl<R: Rules> Dfs<R> {
    /// The search of `unit`. Of an illegal prefix the legal beginning is taken.
    pub fn new(params: &Params, unit: &Unit) -> Dfs<R> {
        let tree = Tree::new(&params.start, &unit.prefix, unit.candidates.as_deref(), TreeOptions::from(params));
        let best = tree.score();
        Dfs {
            tree,
            jumps: params.jumps.0.clone(),
            known_best: (params.jumps_from == JumpsFrom::Hunt).then_some(unit.known_best),
            stall: params.stall.clone(),
            max_iterations: unit.max_iterations,
            exact: !matches!(params.sort, Sort::TotalWeightsMax | Sort::WeightsMax),
            state: DfsState { iterations: 0, best, zero: vec![0; params.jumps.0.len()], jumped: false, ended: None },
            reported: 0,
            keep_from: u32::MAX,
            watch: 0,
            next_event: 0,
            next_poll: 0,
            returns: FirstReturns {
                lowest: u32::MAX,
                first: vec![0; params.start.longest_game(R::VARIANT) as usize + 1],
            },
        }
    }

    /// Continues from a saved state.
    ///
    /// # Errors
    /// If the bytes are not a state of this unit with these parameters.
    pub fn restore(params: &Params, unit: &Unit, saved: &[u8]) -> Result<Dfs<R>, RestoreError> {
        let error = |reason: String| restore_error("dfs", reason);
        let (mut search, longest) = (Dfs::new(params, unit), params.start.longest_game(R::VARIANT));
        let saved: SavedDfs = if search.known_best.is_some() {
            let SavedDfsOfHunt { search: saved, known_best } = decode("dfs", saved)?;
            if known_best > longest {
                return Err(error(format!("a known best score of {known_best} is impossible")));
            }
            search.known_best = Some(known_best);
            saved
        } else {
            decode("dfs", saved)?
        };
        let Some((&last, path)) = saved.path.split_last() else {
            return Err(error("the path has no root".into()));
        };
        for (level, &entered) in path.iter().enumerate() {
            if entered == 0 || !search.tree.seek(entered - 1) || !search.tree.enter::<PlainVectors>() {
                return Err(error(format!("level {level} of the path has no move number {entered}")));
            }
        }
        if !search.tree.seek(last) {
            return Err(error(format!("level {} of the path has fewer than {last} moves", path.len())));
        }
        let state = saved.state;
        if state.zero.len() != search.jumps.len() {
            return Err(error(format!("{} jumps instead of {}", state.zero.len(), search.jumps.len())));
        }
        if state.zero.iter().any(|&zero| zero > state.iterations) {
            return Err(error("a counter of a jump is ahead of the iterations".into()));
        }
        if state.best < search.tree.score() || state.best > longest {
            return Err(error(format!("a best score of {} is impossible", state.best)));
        }
        search.reported = if state.iterations == 0 { 0 } else { state.best };
        search.state = state;
        Ok(search)
    }

    /// Score at the node that the search is at.
    pub fn depth(&self) -> u32 {
        self.tree.score()
    }

    /// Per score `n`: the iteration at which the search first took back move `n + 1` and stood at score `n` again,
    /// 0 if it has not, since it was started or restored.
    pub fn first_returns(&self) -> &[u64] {
        &self.returns.first
    }

    /// A node has been entered whose score is the best so far, or one from which games are offered.
    fn look(&mut self, score: u32, ctl: &mut dyn Ctl<Move>) {
        if score > self.state.best {
            self.new_best(score, ctl);
            self.watch = self.keep_from.min(score + 1);
        }
        if score >= self.keep_from && self.tree.at_leaf() {
            ctl.found(&self.tree.moves(), self.state.iterations);
        }
    }

    fn new_best(&mut self, score: u32, ctl: &mut dyn Ctl<Move>) {
        self.state.best = score;
        self.state.zero.fill(self.state.iterations);
        // On the way down the next node will be better still; only the last one is worth reporting.
        if self.tree.at_leaf() {
            self.report(ctl);
        }
        self.schedule();
    }

    /// Reports the sequence to this node, which is the best.
    fn report(&mut self, ctl: &mut dyn Ctl<Move>) {
        self.reported = self.state.best;
        ctl.improved(&self.tree.moves(), self.state.iterations);
    }

    /// Sets the iteration of the next event.
    fn schedule(&mut self) {
        let DfsState { best, zero, .. } = &self.state;
        let mut next = self.next_poll;
        for (jump, zero) in self.jumps.iter().zip(zero) {
            next = next.min(zero.saturating_add(jump.after.max(1)));
        }
        for &(score, limit) in &self.stall.0 {
            if *best < score {
                next = next.min(limit);
            }
        }
        if let Some(limit) = self.max_iterations {
            next = next.min(limit);
        }
        self.next_event = next;
    }

    /// Does what is due at this iteration; returns why the run ends, if it does.
    fn event(&mut self, ctl: &mut dyn Ctl<Move>) -> Option<End> {
        if self.reported < self.state.best {
            self.report(ctl);
        }
        let iterations = self.state.iterations;
        if self.max_iterations.is_some_and(|limit| iterations >= limit) {
            return self.finish(End::IterationLimit);
        }
        if self.stall.stalled(self.state.best, iterations) {
            return self.finish(End::Stalled);
        }
        let due = |(jump, &zero): (&Jump, &u64)| iterations - zero >= jump.after.max(1);
        if let Some(largest) = self.jumps.iter().zip(&self.state.zero).rposition(due) {
            self.jump(largest);
        }
        let polled = iterations >= self.next_poll;
        if polled {
            self.next_poll = iterations + POLL;
        }
        self.schedule();
        if polled {
            if ctl.poll(iterations, self.state.best) == Signal::Stop {
                return Some(End::Stopped);
            }
            ctl.offer_checkpoint(&mut || self.save());
        }
        None
    }

    /// Leaves all nodes below the jump's move number.
    fn jump(&mut self, index: usize) {
        let best = self.state.best.max(self.known_best.unwrap_or(0));
        let target = match self.jumps[index].to {
            JumpTo::BestOver(divisor) => best / divisor.max(1),
            JumpTo::Move(number) => number,
        };
        while self.tree.score() > target && self.tree.leave() {
            self.state.jumped = true;
        }
        self.returns.at(self.tree.score(), self.state.iterations);
        self.state.zero[..=index].fill(self.state.iterations);
    }

    fn finish(&mut self, end: End) -> Option<End> {
        self.state.ended = Some(end);
        Some(end)
    }
}

impl<R: Rules> Dfs<R> {
    #[inline(always)]
    fn run_with<L: MoveFilter>(&mut self, ctl: &mut dyn Ctl<Move>) -> End {
        if let Some(end) = self.state.ended {
            return end;
        }
        self.keep_from = ctl.keep_from();
        self.watch = self.keep_from.min(self.state.best + 1);
        self.next_poll = self.state.iterations + POLL;
        if self.state.iterations == 0 {
            self.state.iterations = 1;
            self.report(ctl);
        }
        self.schedule();
        loop {
            if self.state.iterations >= self.next_event
                && let Some(end) = self.event(ctl)
            {
                return end;
            }
            while !self.tree.enter::<L>() {
                if !self.tree.leave() {
                    let exhausted = self.exact && !self.state.jumped && !self.tree.is_cut();
                    let end = if exhausted { End::Exhausted } else { End::Finished };
                    self.state.ended = Some(end);
                    return end;
                }
                self.returns.at(self.tree.score(), self.state.iterations);
            }
            self.state.iterations += 1;
            let score = self.tree.score();
            if score >= self.watch {
                self.look(score, ctl);
            }
        }
    }
}

impl<R: Rules> Search<Move> for Dfs<R> {
    fn run(&mut self, ctl: &mut dyn Ctl<Move>) -> End {
        dispatch(VectorExtension::detect(), DfsRun { search: self, ctl })
    }

    fn save(&self) -> Vec<u8> {
        let path = self.tree.frames().iter().map(|frame| frame.next - frame.start).collect();
        let search = SavedDfs { path, state: self.state.clone() };
        match self.known_best {
            Some(known_best) => postcard::to_stdvec(&SavedDfsOfHunt { search, known_best }),
            None => postcard::to_stdvec(&search),
        }
        .expect("numbers in vectors are always written")
    }

    fn iterations(&self) -> u64 {
        self.state.iterations
    }

    fn best(&self) -> u32 {
        self.state.best
    }
}

impl FirstReturns {
    #[inline(always)]
    fn at(&mut self, score: u32, iterations: u64) {
        if score < self.lowest {
            self.lowest = score;
            if let Some(first) = self.first.get_mut(score as usize) {
                *first = iterations;
            }
        }
    }
}

/// A call of [`Search::run`].
struct DfsRun<'a, R> {
    search: &'a mut Dfs<R>,
    ctl: &'a mut dyn Ctl<Move>,
}

impl<R: Rules> VectorTask for DfsRun<'_, R> {
    type Output = End;

    #[inline(always)]
    fn run<L: VectorInstructions>(self) -> End {
        self.search.run_with::<L>(self.ctl)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morpion::variant::T5;
    use crate::strategies::params::Jumps;

    /// Ends at the first poll from a number of iterations on.
    struct Until(u64);

    impl Ctl<Move> for Until {
        fn poll(&mut self, iterations: u64, _: u32) -> Signal {
            if iterations >= self.0 { Signal::Stop } else { Signal::Continue }
        }

        fn improved(&mut self, _: &[Move], _: u64) {}
    }

    fn params(jumps_from: JumpsFrom) -> Params {
        let jumps = Jumps(vec![Jump { after: 1_000, to: JumpTo::BestOver(4) }]);
        Params { jumps, jumps_from, stall: StallTable(Vec::new()), ..Params::default() }
    }

    fn unit(known_best: u32) -> Unit {
        Unit { max_iterations: Some(5_000), known_best, ..Unit::default() }
    }

    /// The shortest beginning that the search came back to, and its state.
    fn searched(params: &Params, unit: &Unit) -> (u32, Vec<u8>) {
        let mut search = Dfs::<T5>::new(params, unit);
        assert_eq!(search.run(&mut Until(u64::MAX)), End::IterationLimit);
        (search.returns.lowest, search.save())
    }

    #[test]
    fn jumps_go_to_a_part_of_the_units_best_or_of_the_hunts() {
        let (of_unit, hunt) = (params(JumpsFrom::Unit), params(JumpsFrom::Hunt));
        let own = searched(&of_unit, &unit(0));
        let best = Dfs::<T5>::restore(&of_unit, &unit(0), &own.1).unwrap().best();
        assert!((40..100).contains(&best) && own.0 <= best / 4, "{best}, {}", own.0);
        assert_eq!(searched(&of_unit, &unit(100)), own, "a unit of its own does not look at the hunt");
        assert_eq!(searched(&hunt, &unit(0)).0, own.0, "the hunt has nothing longer");
        let lowest = searched(&hunt, &unit(100)).0;
        assert!(lowest > own.0 && lowest <= 25, "{lowest} instead of {}", own.0);
    }

    #[test]
    fn a_unit_keeps_the_best_that_it_was_handed_out_with() {
        let hunt = params(JumpsFrom::Hunt);
        let whole = searched(&hunt, &unit(120));
        let mut search = Dfs::<T5>::new(&hunt, &unit(120));
        assert_eq!(search.run(&mut Until(2_000)), End::Stopped);
        let mut search = Dfs::<T5>::restore(&hunt, &unit(140), &search.save()).unwrap();
        search.run(&mut Until(u64::MAX));
        assert_eq!(search.save(), whole.1);
        assert!(Dfs::<T5>::restore(&params(JumpsFrom::Unit), &unit(0), &whole.1).is_err());
        let endless =
            SavedDfsOfHunt { search: SavedDfs { path: vec![0], state: search.state.clone() }, known_best: u32::MAX };
        let error = Dfs::<T5>::restore(&hunt, &unit(0), &postcard::to_stdvec(&endless).unwrap()).err().unwrap();
        assert!(error.to_string().contains("4294967295 is impossible"), "{error}");
    }
}

//! Hands out the units of a solution, absorbs their outcomes, and says which running units are cancelled or changed.
//!
//! In addition to the [`TreeState`], the coordinator knows which worker has which unit. After a restart no worker has
//! one. Every change of the state goes through a [`TreeRecord`]. Whoever stores the records takes them by
//! [`Coordinator::take_records`] before a unit is handed out and before an outcome is acknowledged.
//!
//! What thousands of workers say at about the same time is one record, and so is the split of many leaves: the tree
//! is walked through after each record.
//!
//! A leaf becomes a unit when it is among the surest that are needed. It is split without being tried in three cases:
//! if it is the root, if units of its level mostly use up their budget, or if there are fewer sure leaves than
//! workers and no reason to believe that it is small. A worker that has nothing sure to do searches what is least
//! doubtful.

use super::credit::{Spent, WorkerId};
use super::node::NodeId;
use super::record::{Misfit, TreeEvent, TreeRecord};
use super::settings::{Feeder, MOST_INITIAL_NODES, Window};
use super::state::TreeState;
use super::unit::{Class, OpenUnit, UnitId, UnitOutcome};
use super::waiting::WaitingUnits;
use super::walk::{DOUBT_OF_HALF, Leaf};
use crate::core::game::Game;
use crate::core::seed::derive;
use std::collections::{BTreeMap, BTreeSet};

/// A level is hopeless if this many of its units used up their budget ...
const HOPELESS_LEAST: u64 = 2;
/// ... and this many times more than were answered.
const HOPELESS_TIMES: u64 = 2;
/// A leaf is small if the units of its level, or of the last one above that had any, took less than this part of the
/// budget.
const SMALL: u64 = 16;
/// Units that are ready for others, at most: thousands of workers do not come at the same moment.
const MOST_SPARE: usize = 64;
/// At a time as many leaves are split as this part of those that are missing.
const SPLIT_PART: usize = 4;
/// Most units per worker that are open at a time, those included that wait for confirmation.
const OPEN_PER_WORKER: usize = 8;

/// A unit for a worker.
#[derive(Debug, Clone)]
pub struct LeafUnit<G> {
    /// Number of the unit.
    pub unit: UnitId,
    /// The node that it asks about.
    pub node: NodeId,
    /// Codes of the moves that lead to it from the root.
    pub path: Vec<u16>,
    /// The position, with its past.
    pub position: G,
    /// The question about its position.
    pub window: Window,
    /// Nodes that it may take.
    pub budget: u64,
    /// Whether its outcome must depend on it alone: then nothing may be remembered of earlier units.
    pub alone: bool,
}

/// What a worker gets that asks for a unit.
#[derive(Debug, Clone)]
pub enum Next<G> {
    /// A unit to compute.
    Unit(Box<LeafUnit<G>>),
    /// Nothing now: it should ask again after the next outcome of any worker.
    Wait,
    /// Nothing any more: it is not trusted.
    Distrusted,
    /// Nothing any more: the question is answered.
    Finished,
}

/// What changes for a worker that has a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitOrder {
    /// The unit is not needed any more.
    Cancel,
    /// Another window is needed, usually a narrower one.
    Window(Window),
}

/// What a change leads to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effects {
    /// What happened, for observers.
    pub events: Vec<TreeEvent>,
    /// Which worker receives which order about which unit.
    pub orders: Vec<(WorkerId, UnitId, UnitOrder)>,
}

/// How a worker ended with a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitEnd {
    /// The worker that was given it.
    pub worker: WorkerId,
    /// The worker that has computed it, and has its say by that.
    pub by: WorkerId,
    /// Number of the unit.
    pub unit: UnitId,
    /// The window that it searched last.
    pub window: Window,
    /// How it ended.
    pub outcome: UnitOutcome,
    /// What it took.
    pub spent: Spent,
}

/// A worker's right to a unit.
#[derive(Debug, Clone, Copy)]
struct UnitLease {
    cancelled: bool,
}

/// The coordinator of a solution: hands out leaves of the tree and absorbs their answers.
#[derive(Debug, Clone)]
pub struct Coordinator<G> {
    state: TreeState<G>,
    leases: BTreeMap<(UnitId, WorkerId), UnitLease>,
    /// Workers that have come since the program began.
    present: BTreeSet<WorkerId>,
    waiting: WaitingUnits,
    records: Vec<TreeRecord>,
    effects: Effects,
    handed: u64,
    /// Plies of the tree that are made before the first unit, as long as that is not done.
    growing: Option<u32>,
}

impl<G: Game> Coordinator<G> {
    /// The coordinator of a state, new or restored.
    pub fn new(state: TreeState<G>) -> Coordinator<G> {
        Coordinator {
            state,
            leases: BTreeMap::new(),
            present: BTreeSet::new(),
            waiting: WaitingUnits::default(),
            records: Vec::new(),
            effects: Effects::default(),
            handed: 0,
            growing: None,
        }
    }

    /// The same, for a solution of which so many plies are made before the first unit ([`Coordinator::grow`]).
    #[must_use]
    pub fn growing_to(self, plies: u32) -> Coordinator<G> {
        let growing = (plies > 0 && self.state.meta().next_unit == 0).then_some(plies);
        Coordinator { growing, ..self }
    }

    /// Whether the tree is still to grow before the first unit.
    pub fn is_growing(&self) -> bool {
        self.growing.is_some()
    }

    /// Makes a part of the tree, until that is done or `stop` says so; whether it is done. The state is to be stored
    /// then, for there is no record of it.
    ///
    /// # Errors
    /// None that a whole state gives.
    pub fn grow(&mut self, stop: &mut dyn FnMut() -> bool) -> Result<bool, Misfit> {
        if let Some(plies) = self.growing {
            let mut events = Vec::new();
            if self.state.grow(plies, MOST_INITIAL_NODES, stop, &mut events)? {
                self.growing = None;
            }
            self.effects.events.extend(events);
        }
        Ok(!self.is_growing())
    }

    /// The state of the solution, to be saved or shown.
    pub fn state(&self) -> &TreeState<G> {
        &self.state
    }

    /// The state, for whoever stores what changed in it.
    pub fn state_mut(&mut self) -> &mut TreeState<G> {
        &mut self.state
    }

    /// The changes since the last call, to be stored.
    pub fn take_records(&mut self) -> Vec<TreeRecord> {
        std::mem::take(&mut self.records)
    }

    /// What the changes since the last call led to. Handing out units may change something, too.
    pub fn take_effects(&mut self) -> Effects {
        std::mem::take(&mut self.effects)
    }

    /// Units that workers have, cancelled ones included.
    pub fn running(&self) -> usize {
        self.leases.len()
    }

    /// A worker comes, for the first time or again.
    ///
    /// # Errors
    /// None that a whole state gives.
    pub fn join(&mut self, user: &str, name: &str) -> Result<WorkerId, Misfit> {
        let id = self.know(user, name)?;
        self.present.insert(id);
        // With more workers more leaves are sure.
        self.waiting.set_wide(false);
        Ok(id)
    }

    /// The number of a worker that takes no units itself, but may answer some that others have taken.
    ///
    /// # Errors
    /// None that a whole state gives.
    pub fn know(&mut self, user: &str, name: &str) -> Result<WorkerId, Misfit> {
        let known = self.state.workers().iter().position(|worker| worker.user == user && worker.name == name);
        Ok(match known {
            Some(id) => id as WorkerId,
            None => {
                self.change(TreeRecord::Joined { user: user.to_owned(), name: name.to_owned() })?;
                self.state.meta().next_worker - 1
            }
        })
    }

    /// A worker is gone; what it was at is handed out anew.
    ///
    /// # Errors
    /// None that a whole state gives.
    pub fn leave(&mut self, worker: WorkerId) -> Result<(), Misfit> {
        let units: Vec<UnitId> = self.leases.keys().filter(|key| key.1 == worker).map(|key| key.0).collect();
        for unit in units {
            let window = self.state.units().get(&unit).map_or(Window { alpha: 0, beta: 1 }, |unit| unit.window);
            self.absorb(worker, unit, window, UnitOutcome::Stopped, Spent::default())?;
        }
        self.present.remove(&worker);
        Ok(())
    }

    /// Splits leaves until there are as many sure ones as workers, or `stop` says so; whether that is done. To be
    /// called before units are handed out to many workers: [`Coordinator::next`] does the same, however long it
    /// takes.
    ///
    /// # Errors
    /// None that a whole state gives.
    pub fn widen(&mut self, stop: &mut dyn FnMut() -> bool) -> Result<bool, Misfit> {
        while let Some(record) = self.missing_leaves() {
            if stop() {
                return Ok(false);
            }
            self.change(record)?;
        }
        Ok(true)
    }

    /// A unit for a worker that has joined.
    ///
    /// # Errors
    /// None that a whole state gives.
    pub fn next(&mut self, worker: WorkerId) -> Result<Next<G>, Misfit> {
        if self.state.is_finished() {
            return Ok(Next::Finished);
        }
        if self.state.workers().get(worker as usize).is_none_or(|worker| worker.distrusted) {
            return Ok(Next::Distrusted);
        }
        self.supply(worker)?;
        let Some(id) = self.choose(worker) else {
            return Ok(if self.state.is_finished() { Next::Finished } else { Next::Wait });
        };
        let Some(OpenUnit { node, window, .. }) = self.state.units().get(&id) else { return Ok(Next::Wait) };
        let (node, window) = (*node, *window);
        let work = LeafUnit {
            unit: id,
            node,
            path: self.state.path(node),
            position: self.state.position(node)?,
            window,
            budget: self.state.settings().budget,
            alone: self.state.settings().is_alone(),
        };
        self.leases.insert((id, worker), UnitLease { cancelled: false });
        self.note_waiting(id);
        self.handed += 1;
        Ok(Next::Unit(Box::new(work)))
    }

    /// A worker has ended with a unit, having searched `window` last. What it was not given, or has ended with
    /// before, is ignored.
    ///
    /// # Errors
    /// None that a whole state gives.
    pub fn absorb(
        &mut self,
        worker: WorkerId,
        unit: UnitId,
        window: Window,
        outcome: UnitOutcome,
        spent: Spent,
    ) -> Result<(), Misfit> {
        self.absorb_all([UnitEnd { worker, by: worker, unit, window, outcome, spent }])
    }

    /// The same for what several workers have said.
    ///
    /// # Errors
    /// None that a whole state gives.
    pub fn absorb_all(&mut self, ended: impl IntoIterator<Item = UnitEnd>) -> Result<(), Misfit> {
        let (mut records, mut units) = (Vec::new(), Vec::new());
        for UnitEnd { worker, by, unit, window, outcome, spent } in ended {
            if self.leases.remove(&(unit, worker)).is_some() {
                self.note_waiting(unit);
                // A leaf that nobody is at may be split again.
                self.waiting.set_wide(false);
                records.push(TreeRecord::Settled { unit, worker: by, window, outcome, spent });
                units.push(unit);
            }
        }
        match TreeRecord::of(records) {
            Some(record) => self.change(record)?,
            None => return Ok(()),
        }
        self.split_undecided(&units)
    }

    /// Splits leaves on whose units as many have answered as are to agree, and do not since one of them has used up
    /// the budget for another window: there may be no further worker.
    fn split_undecided(&mut self, units: &[UnitId]) -> Result<(), Misfit> {
        let quorum = self.state.settings().quorum as usize;
        for id in units {
            if let Some(unit) = self.state.units().get(id).filter(|unit| unit.is_undecided(quorum)) {
                self.change(TreeRecord::Split { node: unit.node })?;
            }
        }
        Ok(())
    }

    fn change(&mut self, record: TreeRecord) -> Result<(), Misfit> {
        let events = self.state.apply(&record)?;
        match &record {
            TreeRecord::Joined { .. } | TreeRecord::Split { .. } => {}
            TreeRecord::Made { .. } => self.note_waiting(self.state.meta().next_unit - 1),
            TreeRecord::Settled { .. } | TreeRecord::Together(_) => {
                // Claims may have come or gone. Where units were closed, all is looked at anew.
                for settled in record.settled() {
                    if let &TreeRecord::Settled { unit, .. } = settled {
                        self.note_waiting(unit);
                    }
                }
                for event in &events {
                    match *event {
                        TreeEvent::Refused { unit, .. } | TreeEvent::Window { unit, .. } => self.note_waiting(unit),
                        TreeEvent::Distrusted { .. } => self.waiting = WaitingUnits::default(),
                        _ => {}
                    }
                }
            }
        }
        self.records.push(record);
        self.order(&events);
        self.effects.events.extend(events);
        Ok(())
    }

    /// Notes orders to the workers whose units these events concern.
    fn order(&mut self, events: &[TreeEvent]) {
        for event in events {
            match *event {
                TreeEvent::Absorbed { unit, .. } | TreeEvent::Closed { unit } => {
                    self.order_unit(unit, UnitOrder::Cancel);
                }
                TreeEvent::Window { unit, window } => self.order_unit(unit, UnitOrder::Window(window)),
                TreeEvent::Distrusted { worker } => {
                    let leases = self.leases.iter_mut().filter(|((_, w), lease)| *w == worker && !lease.cancelled);
                    for (&(unit, worker), lease) in leases {
                        lease.cancelled = true;
                        self.effects.orders.push((worker, unit, UnitOrder::Cancel));
                    }
                }
                _ => {}
            }
        }
    }

    fn order_unit(&mut self, unit: UnitId, order: UnitOrder) {
        for (&(unit, worker), lease) in self.leases.range_mut((unit, 0)..=(unit, WorkerId::MAX)) {
            if !lease.cancelled {
                lease.cancelled = order == UnitOrder::Cancel;
                self.effects.orders.push((worker, unit, order));
            }
        }
    }

    /// Brings what is known of waiting units up to date with the tree.
    fn look_at_units(&mut self) {
        if !self.waiting.is_of(self.state.version()) {
            let waiting = std::mem::take(&mut self.waiting);
            self.waiting = self.all_waiting(waiting);
        }
    }

    /// The units that wait, from a look at all of them, in the place of what was known before.
    fn all_waiting(&self, mut waiting: WaitingUnits) -> WaitingUnits {
        waiting.begin(self.state.version(), self.state.leaves(), self.state.nodes().len());
        for (&id, unit) in self.state.units() {
            waiting.note(unit.node, id, self.places(id, unit) > 0);
        }
        waiting
    }

    /// Whether the state goes together, and the units that wait are those that a look at all units finds: the check
    /// of everything that is kept up to date step by step.
    ///
    /// # Errors
    /// The first thing found that does not.
    pub fn check(&self) -> Result<(), Misfit> {
        self.state.check()?;
        let (known, all) = (&self.waiting, self.all_waiting(WaitingUnits::default()));
        let is_same = all.units().eq(known.units()) && all.next_place() == known.next_place();
        if known.is_of(self.state.version()) && !is_same {
            return Err(Misfit("the units that wait are not those that are known to wait".to_owned()));
        }
        Ok(())
    }

    /// Notes whether a unit needs more workers.
    fn note_waiting(&mut self, id: UnitId) {
        if let Some(unit) = self.state.units().get(&id) {
            self.waiting.note(unit.node, id, self.places(id, unit) > 0);
        }
    }

    /// How many more workers a unit needs, as things stand.
    fn places(&self, id: UnitId, unit: &OpenUnit) -> usize {
        let class = |at: usize| Class::of(unit.claims[at].outcome, unit.window);
        let votes = |at: usize| (0..unit.claims.len()).filter(|&other| class(other) == class(at)).count();
        let most = (0..unit.claims.len()).map(votes).max().unwrap_or(0);
        let running = self.leases.range((id, 0)..=(id, WorkerId::MAX)).filter(|(_, lease)| !lease.cancelled).count();
        (self.state.settings().quorum as usize).saturating_sub(most + running)
    }

    fn is_open_to(&self, worker: WorkerId, id: UnitId, unit: &OpenUnit) -> bool {
        !unit.knows(worker) && !self.leases.contains_key(&(id, worker)) && self.places(id, unit) > 0
    }

    /// Makes units until there are some for this worker and for others that may come.
    fn supply(&mut self, worker: WorkerId) -> Result<(), Misfit> {
        while let Some(record) = self.missing(worker) {
            self.change(record)?;
        }
        Ok(())
    }

    /// How many workers there are for each claim that a unit needs.
    fn width(&self) -> usize {
        self.present.len().div_ceil(self.state.settings().quorum as usize).max(1)
    }

    /// How many leaves are sure: needed with a probability of more than a half for two workers, and of more than one
    /// in so many for more of them. Where many come, few leaves are all but certain.
    fn sure(&self) -> usize {
        let leaves = self.state.leaves();
        let bound = DOUBT_OF_HALF * self.width().max(2).ilog2();
        leaves.first().map_or(0, |first| leaves.partition_point(|leaf| leaf.doubt < first.doubt + bound))
    }

    fn level(&self, leaf: &Leaf) -> usize {
        usize::from(self.state.nodes()[leaf.node as usize].level)
    }

    /// Whether a worker is at the unit of the leaf, or has claimed something of it.
    fn is_begun(&self, leaf: &Leaf) -> bool {
        self.state.at.get(&leaf.node).is_some_and(|&id| {
            self.state.units().get(&id).is_some_and(|unit| !unit.claims.is_empty())
                || self.leases.range((id, 0)..=(id, WorkerId::MAX)).next().is_some()
        })
    }

    /// Which leaves are to be split for there to be as many sure ones as workers.
    fn missing_leaves(&mut self) -> Option<TreeRecord> {
        self.look_at_units();
        let (leaves, sure) = (self.state.leaves(), self.sure());
        let missing = self.width().saturating_sub(sure);
        if missing == 0 || leaves.is_empty() || self.waiting.is_wide() {
            return None;
        }
        let is_large = |&(place, leaf): &(usize, &Leaf)| {
            let is_begun = self.waiting.has_unit(place) && self.is_begun(leaf);
            !is_begun && !self.is_small(self.level(leaf))
        };
        let large = leaves[..sure].iter().enumerate().filter(is_large);
        let mut large: Vec<(usize, NodeId)> = large.map(|(_, leaf)| (self.level(leaf), leaf.node)).collect();
        // The highest in the tree, so that the leaves are of one size.
        large.sort_by_key(|&(level, _)| level);
        large.truncate(missing.div_ceil(SPLIT_PART));
        let split: Vec<_> = large.into_iter().map(|(_, node)| TreeRecord::Split { node }).collect();
        if split.is_empty() {
            self.waiting.set_wide(true);
        }
        TreeRecord::of(split)
    }

    /// What is to be done for there to be units enough.
    fn missing(&mut self, worker: WorkerId) -> Option<TreeRecord> {
        if let Some(split) = self.missing_leaves() {
            return Some(split);
        }
        // Others supply themselves when they ask.
        let spare = self.width().min(MOST_SPARE);
        let most = OPEN_PER_WORKER * self.present.len().max(1);
        let (state, leaves) = (&self.state, self.state.leaves());
        // The root always is: what is known of its children says which moves are best.
        let is_hopeless = |leaf: &Leaf| {
            let level = self.level(leaf);
            (level == 0 || self.is_hopeless(level)) && !self.is_begun(leaf)
        };
        let mut split = Vec::new();
        let mut open = 0;
        let mut made = None;
        let mut waiting = self.waiting.units().peekable();
        let mut next = self.waiting.next_place();
        while open + split.len() < spare {
            let first = waiting.peek().map(|&(place, _)| place);
            if let (Some((place, id)), true) = (waiting.peek().copied(), first < next || next.is_none()) {
                waiting.next();
                if is_hopeless(&leaves[place]) {
                    split.push(TreeRecord::Split { node: leaves[place].node });
                } else if state.units().get(&id).is_some_and(|unit| self.is_open_to(worker, id, unit)) {
                    open += 1;
                }
            } else if let Some(place) = next {
                if !is_hopeless(&leaves[place]) {
                    made = (state.units().len() < most).then_some(TreeRecord::Made { node: leaves[place].node });
                    break;
                }
                split.push(TreeRecord::Split { node: leaves[place].node });
                next = (place + 1..leaves.len()).find(|&place| !self.waiting.has_unit(place));
            } else {
                break;
            }
        }
        TreeRecord::of(split).or(made)
    }

    /// Whether units of this level mostly do not end within their budget.
    fn is_hopeless(&self, level: usize) -> bool {
        let levels = &self.state.meta().levels;
        levels.get(level).is_some_and(|level| {
            level.exhausted >= HOPELESS_LEAST && level.exhausted > HOPELESS_TIMES.saturating_mul(level.answered)
        })
    }

    /// Whether units of this level take far less than their budget, as far as is known.
    fn is_small(&self, level: usize) -> bool {
        let levels = &self.state.meta().levels;
        let known = levels.iter().take(level + 1).rev().find(|level| level.answered > 0);
        known.is_some_and(|level| level.nodes / level.answered < self.state.settings().budget / SMALL)
    }

    /// The unit that this worker gets.
    fn choose(&self, worker: WorkerId) -> Option<UnitId> {
        let state = &self.state;
        let is_open = |id: &UnitId| state.units().get(id).is_some_and(|unit| self.is_open_to(worker, *id, unit));
        let mut open = self.waiting.units().map(|(_, id)| id).filter(is_open);
        match state.settings().feeder {
            Feeder::Creation => open.min(),
            Feeder::Random => {
                let mut open: Vec<UnitId> = open.collect();
                open.sort_unstable();
                let draw = derive(state.settings().seed, &[self.handed]);
                open.get((draw % (open.len() as u64).max(1)) as usize).copied()
            }
            Feeder::Priority => open.next(),
        }
    }
}

//! All of a solution that must last: nodes, units with their claims, workers with their credit. It changes by
//! [`TreeState::apply`] only, so a replay of the same records leads to the same state. The exception is
//! [`TreeState::grow`] before the first unit.

use super::aim::Aim;
use super::credit::{Worker, WorkerId};
use super::node::{NO_PARENT, NodeId, TreeNode, own_bounds};
use super::record::{Misfit, TreeEvent, TreeRecord};
use super::settings::{SettingsError, TreeSettings, Window};
use super::unit::{Claim, OpenUnit, UnitId, UnitOutcome};
use super::walk::{Leaf, leaves};
use crate::core::game::{Game, MAX_VALUE};
use crate::solvers::solve::Bounds;
use ahash::AHashMap;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A leaf is replaced by its children when this many workers have failed on its unit.
const MOST_FAILURES: u32 = 3;

/// How units of one level came to their ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LevelTally {
    /// Units that were answered.
    pub answered: u64,
    /// Nodes that these took.
    pub nodes: u64,
    /// Units that used up their budget.
    pub exhausted: u64,
}

/// The small part of the state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// Settings of the solution.
    pub settings: TreeSettings,
    /// The next unit's number.
    pub next_unit: UnitId,
    /// The next worker's number.
    pub next_worker: WorkerId,
    /// Number of nodes.
    pub nodes: NodeId,
    /// What the root is asked.
    pub aim: Aim,
    /// Units and what they took, by level of the tree.
    pub levels: Vec<LevelTally>,
    /// How often something believed contradicted something believed before.
    pub contradictions: u64,
    /// Records that were applied.
    pub applied: u64,
}

/// A state as it is stored: all that cannot be made anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeParts {
    /// The small part.
    pub meta: Meta,
    /// Nodes in order.
    pub nodes: Vec<TreeNode>,
    /// Units that are not settled.
    pub units: BTreeMap<UnitId, OpenUnit>,
    /// Workers in order.
    pub workers: Vec<Worker>,
}

/// What changed since the state was stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dirty {
    /// Nodes that have changed.
    pub nodes: BTreeSet<NodeId>,
    /// Units, settled ones included.
    pub units: BTreeSet<UnitId>,
    /// Workers whose credit has changed.
    pub workers: BTreeSet<WorkerId>,
}

/// The state of a solution: the tree as far as it is known, and the units handed out.
#[derive(Debug, Clone)]
pub struct TreeState<G> {
    pub(super) root: G,
    pub(super) keyed: G,
    pub(super) meta: Meta,
    pub(super) nodes: Vec<TreeNode>,
    pub(super) units: BTreeMap<UnitId, OpenUnit>,
    pub(super) workers: Vec<Worker>,
    /// The unit of a leaf.
    pub(super) at: BTreeMap<NodeId, UnitId>,
    /// Nodes by level and key.
    pub(super) keys: AHashMap<(u16, u64), NodeId>,
    /// Leaves that are needed, the surest first.
    pub(super) leaves: Vec<Leaf>,
    /// How often they were looked for, or a unit was closed.
    pub(super) version: u64,
    /// Something has changed since that decides which are needed.
    pub(super) is_stale: bool,
    pub(super) dirty: Dirty,
}

/// Bytes of memory that a node and an open unit take, with all that leads to them: a round estimate.
const NODE: u64 = 320;
const UNIT: u64 = 256;

impl<G: Game> TreeState<G> {
    /// Bytes of memory that it takes, as an estimate.
    pub fn memory(&self) -> u64 {
        NODE * self.nodes.len() as u64 + UNIT * self.units.len() as u64
    }

    /// The state of a solution that begins. The root is taken as the start of a game ([`Game::forget`]).
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn new(mut root: G, settings: TreeSettings) -> Result<TreeState<G>, SettingsError> {
        settings.check()?;
        root.forget();
        let mut moves = Vec::new();
        root.moves(&mut moves);
        let (lower, upper) = if moves.is_empty() { (root.outcome(), root.outcome()) } else { own_bounds(&root) };
        let bounds = Bounds { lower, upper };
        let keyed = with_past_in_key(&root);
        let hash = keyed.symmetric_key().hash;
        let aim = Aim::first(&settings, bounds, G::POINT);
        let estimate = if moves.is_empty() { lower } else { root.heuristic() };
        let first = TreeNode {
            parent: NO_PARENT,
            code: 0,
            level: 0,
            lower,
            upper,
            estimate,
            hash,
            children: Vec::new(),
            proof: None,
            parents: Vec::new(),
        };
        let mut state = TreeState {
            root,
            keyed,
            meta: Meta {
                settings,
                next_unit: 0,
                next_worker: 0,
                nodes: 1,
                aim,
                levels: Vec::new(),
                contradictions: 0,
                applied: 0,
            },
            nodes: vec![first],
            units: BTreeMap::new(),
            workers: Vec::new(),
            at: BTreeMap::new(),
            keys: AHashMap::from([((0, hash), 0)]),
            leaves: Vec::new(),
            version: 0,
            is_stale: true,
            dirty: Dirty { nodes: BTreeSet::from([0]), ..Dirty::default() },
        };
        state.look_down();
        Ok(state)
    }

    /// The state that these parts are of.
    ///
    /// # Errors
    /// Parts that do not go together, or belong to another position.
    pub fn restore(mut root: G, parts: TreeParts) -> Result<TreeState<G>, Misfit> {
        let TreeParts { meta, mut nodes, units, workers } = parts;
        meta.settings.check().map_err(|error| Misfit(error.to_string()))?;
        root.forget();
        let keyed = with_past_in_key(&root);
        let mut keys = AHashMap::new();
        for node in &mut nodes {
            node.parents.clear();
        }
        for id in 0..nodes.len() {
            keys.insert((nodes[id].level, nodes[id].hash), id as NodeId);
            for edge in std::mem::take(&mut nodes[id].children) {
                let level = nodes[id].level;
                let fits = |child: &&mut TreeNode| child.level == level.saturating_add(1);
                let child = nodes.get_mut(edge.node as usize).filter(fits);
                let child = child.ok_or_else(|| Misfit(format!("node {id} has no child {}", edge.node)))?;
                child.parents.push(id as NodeId);
                nodes[id].children.push(edge);
            }
        }
        let at = units.iter().map(|(&id, unit)| (unit.node, id)).collect();
        let mut state = TreeState {
            root,
            keyed,
            meta,
            nodes,
            units,
            workers,
            at,
            keys,
            leaves: Vec::new(),
            version: 0,
            is_stale: true,
            dirty: Dirty::default(),
        };
        state.check()?;
        state.look_down();
        Ok(state)
    }

    /// The parts, to be stored.
    pub fn parts(&self) -> TreeParts {
        let TreeState { meta, nodes, units, workers, .. } = self;
        TreeParts { meta: meta.clone(), nodes: nodes.clone(), units: units.clone(), workers: workers.clone() }
    }

    /// What changed since the last call.
    pub fn take_dirty(&mut self) -> Dirty {
        std::mem::take(&mut self.dirty)
    }

    /// Settings of the solution.
    pub fn settings(&self) -> &TreeSettings {
        &self.meta.settings
    }

    /// The small part.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// The nodes; the root is the first.
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// The units that are not settled.
    pub fn units(&self) -> &BTreeMap<UnitId, OpenUnit> {
        &self.units
    }

    /// The workers, by their numbers.
    pub fn workers(&self) -> &[Worker] {
        &self.workers
    }

    /// How many units were answered or replaced by the children of their leaf.
    pub fn units_settled(&self) -> u64 {
        self.meta.levels.iter().map(|level| level.answered + level.exhausted).sum()
    }

    /// The leaves that are needed, the surest first.
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// As long as this is the same, so are the needed leaves, and no unit was closed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What is known of the root.
    pub fn bounds(&self) -> Bounds {
        self.nodes[0].bounds()
    }

    /// Whether the question is answered.
    pub fn is_finished(&self) -> bool {
        self.bounds().settle(self.meta.settings.goal)
    }

    /// Codes of the moves from the root to a node.
    pub fn path(&self, id: NodeId) -> Vec<u16> {
        let mut path = Vec::new();
        let mut node = &self.nodes[id as usize];
        while node.parent != NO_PARENT {
            path.push(node.code);
            node = &self.nodes[node.parent as usize];
        }
        path.reverse();
        path
    }

    /// The position of a node, with its past.
    ///
    /// # Errors
    /// A path that is not a sequence of moves.
    pub fn position(&self, id: NodeId) -> Result<G, Misfit> {
        play(&self.root, &self.path(id))
    }

    pub(super) fn position_and_keyed(&self, id: NodeId) -> Result<(G, G), Misfit> {
        let path = self.path(id);
        Ok((play(&self.root, &path)?, play(&self.keyed, &path)?))
    }

    /// First moves, as codes, that are known to reach the lower bound of the root.
    pub fn best_moves(&self) -> Vec<u16> {
        let root = &self.nodes[0];
        let reaches = |code: &&super::node::Edge| -self.nodes[code.node as usize].upper >= root.lower;
        root.children.iter().filter(reaches).map(|edge| edge.code).collect()
    }

    /// Makes a change.
    ///
    /// # Errors
    /// A record that does not belong to this state; it is then of no further use.
    pub fn apply(&mut self, record: &TreeRecord) -> Result<Vec<TreeEvent>, Misfit> {
        let mut events = Vec::new();
        let before = self.bounds();
        self.meta.applied += 1;
        match *record {
            TreeRecord::Joined { ref user, ref name } => {
                self.dirty.workers.insert(self.meta.next_worker);
                self.meta.next_worker += 1;
                self.workers.push(Worker::new(user, name));
                return Ok(events);
            }
            TreeRecord::Made { node } => {
                let leaf = self.leaves.iter().find(|leaf| leaf.node == node);
                let leaf = leaf.ok_or_else(|| Misfit(format!("a unit for node {node}, which needs none")))?;
                let id = self.meta.next_unit;
                if self.at.insert(node, id).is_some() {
                    return Err(Misfit(format!("a second unit for node {node}")));
                }
                let (window, claims, barred) = (leaf.window, Vec::new(), Vec::new());
                self.units.insert(id, OpenUnit { node, window, claims, barred, moved: false, failures: 0 });
                self.meta.next_unit += 1;
                self.dirty.units.insert(id);
                return Ok(events);
            }
            TreeRecord::Split { .. } | TreeRecord::Settled { .. } => self.change(record, &mut events)?,
            TreeRecord::Together(ref records) => {
                for record in records {
                    self.change(record, &mut events)?;
                }
            }
        }
        let together = matches!(record, TreeRecord::Together(_));
        self.settle(before, together, &mut events)?;
        self.meta.nodes = self.nodes.len() as NodeId;
        Ok(events)
    }

    /// Makes a change without looking what is needed then.
    fn change(&mut self, record: &TreeRecord, events: &mut Vec<TreeEvent>) -> Result<(), Misfit> {
        match *record {
            TreeRecord::Split { node } => {
                let open = |node: &&TreeNode| node.is_leaf() && node.lower < node.upper;
                (self.nodes.get(node as usize).filter(open))
                    .ok_or_else(|| Misfit(format!("node {node} is not a leaf, so it cannot be split")))?;
                if let Some(&unit) = self.at.get(&node) {
                    self.close(unit);
                    events.push(TreeEvent::Closed { unit });
                }
                self.expand(node, events)
            }
            TreeRecord::Settled { unit, worker, window, outcome, spent } => {
                if worker >= self.meta.next_worker {
                    return Err(Misfit(format!("unit {unit} was done by worker {worker}, which is unknown")));
                }
                self.dirty.workers.insert(worker);
                self.take(unit, Claim { worker, window, outcome, spent }, events)
            }
            TreeRecord::Joined { .. } | TreeRecord::Made { .. } | TreeRecord::Together(_) => {
                Err(Misfit("a change among others that is made alone".to_owned()))
            }
        }
    }

    /// Takes in how a worker ended with a unit.
    fn take(&mut self, id: UnitId, claim: Claim, events: &mut Vec<TreeEvent>) -> Result<(), Misfit> {
        let Claim { worker, spent, .. } = claim;
        let doer = &mut self.workers[worker as usize];
        if claim.outcome == UnitOutcome::Failed {
            doer.failed += 1;
        }
        let Some(unit) = self.units.get_mut(&id) else {
            doer.credit.stopped.add(spent);
            return Ok(());
        };
        if doer.distrusted || unit.knows(worker) {
            doer.credit.rejected.add(spent);
            return Ok(());
        }
        self.dirty.units.insert(id);
        match claim.outcome {
            UnitOutcome::Stopped => doer.credit.stopped.add(spent),
            UnitOutcome::Failed => {
                doer.credit.stopped.add(spent);
                unit.failures += 1;
                if unit.failures >= MOST_FAILURES {
                    let node = unit.node;
                    self.close(id);
                    events.push(TreeEvent::Closed { unit: id });
                    self.expand(node, events)?;
                }
            }
            UnitOutcome::Answered { .. } | UnitOutcome::Exhausted => self.claim(id, claim, events)?,
        }
        Ok(())
    }

    /// After a change: settles what can be settled, asks the root the next window if this one is answered, and finds
    /// out what is needed now. `together`: all units are settled at once whose workers agree, and not one after the
    /// other.
    pub(super) fn settle(
        &mut self,
        before: Bounds,
        together: bool,
        events: &mut Vec<TreeEvent>,
    ) -> Result<(), Misfit> {
        loop {
            let bounds = self.bounds();
            if self.is_finished() {
                break;
            }
            while self.meta.aim.window.left(bounds.lower, bounds.upper).is_none() {
                self.meta.aim = self.meta.aim.next(bounds, G::POINT);
                self.is_stale = true;
                events.push(TreeEvent::Asking(self.meta.aim.window));
            }
            if self.is_stale {
                self.look_down();
                self.adjust(events);
            }
            if !self.agree(together, events)? {
                break;
            }
        }
        let bounds = self.bounds();
        if bounds != before {
            events.push(TreeEvent::Closer(bounds));
        }
        if self.is_finished() {
            self.look_down();
            self.adjust(events);
            if bounds != before {
                events.push(TreeEvent::Finished(bounds));
            }
        }
        Ok(())
    }

    /// Closes units that are not needed, and moves the windows of the others.
    fn adjust(&mut self, events: &mut Vec<TreeEvent>) {
        let mut needed: Vec<Option<Window>> = vec![None; self.nodes.len()];
        for leaf in &self.leaves {
            needed[leaf.node as usize] = Some(leaf.window);
        }
        let is_changed =
            |(&id, unit): (&UnitId, &OpenUnit)| (needed[unit.node as usize] != Some(unit.window)).then_some(id);
        let ids: Vec<UnitId> = self.units.iter().filter_map(is_changed).collect();
        for id in ids {
            let Some(unit) = self.units.get_mut(&id) else { continue };
            let Some(window) = needed[unit.node as usize] else {
                self.close(id);
                events.push(TreeEvent::Closed { unit: id });
                continue;
            };
            if unit.window != window {
                (unit.window, unit.moved) = (window, true);
                self.dirty.units.insert(id);
                // What was found for a window that says nothing about this one is of no use.
                let claims = std::mem::take(&mut unit.claims);
                let (kept, lost): (Vec<_>, Vec<_>) = claims.into_iter().partition(|c| c.window.covers(window));
                unit.claims = kept;
                for claim in lost {
                    self.workers[claim.worker as usize].credit.stopped.add(claim.spent);
                    self.dirty.workers.insert(claim.worker);
                }
                events.push(TreeEvent::Window { unit: id, window });
            }
        }
    }

    /// Forgets a unit; claims that wait with it were not needed.
    pub(super) fn close(&mut self, id: UnitId) {
        let Some(unit) = self.units.remove(&id) else { return };
        self.version += 1;
        self.at.remove(&unit.node);
        self.dirty.units.insert(id);
        for claim in unit.claims {
            self.workers[claim.worker as usize].credit.stopped.add(claim.spent);
            self.dirty.workers.insert(claim.worker);
        }
    }

    /// Finds the leaves that are needed.
    pub(super) fn look_down(&mut self) {
        self.leaves =
            if self.is_finished() { Vec::new() } else { leaves(&self.nodes, self.meta.aim.window, G::SCATTER) };
        self.version += 1;
        self.is_stale = false;
    }

    /// Whether all parts go together: the check of everything that is kept up to date step by step.
    ///
    /// # Errors
    /// The first thing found that does not.
    pub fn check(&self) -> Result<(), Misfit> {
        let no = |what: String| Err(Misfit(what));
        if self.meta.nodes as usize != self.nodes.len() || self.nodes.is_empty() {
            return no(format!("{} nodes instead of {}", self.nodes.len(), self.meta.nodes));
        }
        if self.meta.next_worker as usize != self.workers.len() {
            return no(format!("{} workers instead of {}", self.workers.len(), self.meta.next_worker));
        }
        if self.nodes[0].hash != self.keyed.symmetric_key().hash || self.nodes[0].parent != NO_PARENT {
            return no("the tree belongs to another position".to_owned());
        }
        for (id, node) in self.nodes.iter().enumerate() {
            let below = |up: NodeId| (up as usize) < id && self.nodes[up as usize].level + 1 == node.level;
            if id > 0 && !below(node.parent) || node.lower > node.upper || node.lower < -MAX_VALUE - 1 {
                return no(format!("node {id} contradicts its parent or itself"));
            }
            let best =
                |of: fn(&TreeNode) -> i32| node.children.iter().map(|e| -of(&self.nodes[e.node as usize])).max();
            if self.meta.contradictions == 0
                && (best(|child| child.upper).is_some_and(|lower| lower > node.lower)
                    || best(|child| child.lower).is_some_and(|upper| upper < node.upper))
            {
                return no(format!("node {id} does not know what its children do"));
            }
            if node.proof.is_some_and(|i| usize::from(i) >= node.children.len()) {
                return no(format!("node {id} rests on a child that it does not have"));
            }
        }
        for (id, unit) in &self.units {
            let leaf = self.nodes.get(unit.node as usize).is_some_and(TreeNode::is_leaf);
            let known = unit.claims.iter().map(|c| c.worker).chain(unit.barred.iter().copied());
            if !leaf || self.at.get(&unit.node) != Some(id) || *id >= self.meta.next_unit {
                return no(format!("unit {id} belongs to no leaf"));
            }
            if known.into_iter().any(|worker| worker >= self.meta.next_worker) {
                return no(format!("unit {id} names an unknown worker"));
            }
        }
        Ok(())
    }
}

/// The position with the past in its key.
fn with_past_in_key<G: Game>(position: &G) -> G {
    let mut position = position.clone();
    position.put_past_in_key();
    position
}

/// The position after the moves with these codes.
///
/// # Errors
/// A code that is not a legal move.
pub fn play<G: Game>(root: &G, path: &[u16]) -> Result<G, Misfit> {
    let mut position = root.clone();
    let mut moves = Vec::new();
    for &code in path {
        moves.clear();
        position.moves(&mut moves);
        let m = position.decode(code).filter(|m| moves.contains(m));
        let m = m.ok_or_else(|| Misfit(format!("code {code} is not a legal move in\n{position}")))?;
        position.play(m);
    }
    Ok(position)
}

//! Goals of a plan that are too hard for one search, divided into smaller ones.
//!
//! A search of a plan ranks the attacker's moves by short searches, and goes deep where it has begun. Where few
//! stones are on the board that may be the wrong move for very long. So a goal that its own search does not prove
//! is *divided*: the attacker's best moves there, by a long analysis of the player, are its *attempts*. The replies
//! that matter to an attempt are goals again, each with a short search of its own. Those that this does not prove
//! make the attempt look worse, so that another one has its turn. The goals that are left of the attempt that looks
//! best get a longer search, and are then divided in the same way. This is a proof-number search whose leaves are
//! searches (D. M. Breuker, "Memory versus search in games", 1998).
//!
//! Threads work on one division together: each asks for a step ([`Division::next_step`]), carries it out, and says
//! what came of it ([`Division::take`]).

use super::PlanPortions;
use crate::core::encoding::{decode, encode};
use crate::core::frame::{FrameFormat, checksum};
use crate::core::game::{Budget, Game, Player, Value};
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::solvers::gomoku::plan::saved::{PlanRestoreError, TreeHead, check_sum};
use crate::solvers::gomoku::plan::search::PlanSearch;
use crate::solvers::gomoku::plan::{PlannedMove, WinningPlan, canonical};
use crate::solvers::gomoku::player::{GomokuPlayer, PlayerError};
use crate::solvers::gomoku::threats::ThreatTables;
use crate::solvers::monitor::{Monitor, Stopped};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// What the bytes of a division begin with.
const FORMAT: FrameFormat = FrameFormat { magic: b"MorpGoal", version: 1, what: "the division of a goal" };
/// Attempts of a goal at most.
const ATTEMPTS: usize = 5;
/// What is added to the number of an attempt for each one that ranks above it.
const RANK: f64 = 0.4;
/// The number of an attempt whose replies are not listed yet, and by how much worse its value makes one more.
const UNLISTED: f64 = 2.0;
const VALUE_OF_ONE: f64 = 50.0;
/// The number of a goal that was not searched: one of the first replies, which are the most dangerous, or another.
const DANGEROUS: usize = 12;
const UNSEARCHED: [f64; 2] = [0.3, 0.02];
/// Searches of a goal before it is divided.
const SEARCHES: u8 = 2;
/// What a search in vain adds to the number of a goal, and the proof number of the search that makes it one more.
const IN_VAIN: f64 = 1.0;
const PROOF_OF_ONE: f64 = 30.0;
const MOST_PROOF: u32 = 150;
/// A number that nothing brings down.
const HOPELESS: f64 = 1e9;
/// Memory of the player that ranks moves.
const RANKING_MEMORY: u64 = 64 << 20;

/// A position with the attacker to move.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct DividedGoal {
    /// The reply that leads to it.
    reply: u16,
    /// A guess at how many searches are left; 0 if it is proven.
    number: f64,
    /// Searches in vain: a short one and a long one before it is divided.
    searches: u8,
    attempts: Option<Vec<Attempt>>,
    /// What its own search has added to the plan, if that has proven it.
    moves: Vec<(Vec<u16>, u16)>,
    #[serde(skip)]
    is_busy: bool,
}

/// A move of the attacker that is tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Attempt {
    attack: u16,
    /// A guess at how many searches are left below.
    number: f64,
    replies: Option<Vec<DividedGoal>>,
    #[serde(skip)]
    is_busy: bool,
}

/// A goal that is divided, with what came of it so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Division {
    /// The moves that lead to the goal from the plan's first position.
    way: Vec<u16>,
    root: DividedGoal,
    nodes: u64,
    threats: u64,
}

/// What is to be done with a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StepKind {
    /// Look for a plan of the goal, after so many searches in vain.
    Search { number: u8 },
    /// Rank the attacker's moves.
    Rank,
    /// List the replies to an attempt.
    List,
}

/// One step of the work.
#[derive(Debug, Clone)]
pub struct DivisionStep {
    /// Places of attempts and replies in turn, from the goal that is divided on.
    path: Vec<usize>,
    /// The moves that lead to the position from the plan's first one.
    way: Vec<u16>,
    step: StepKind,
}

/// What came of a step.
#[derive(Debug)]
enum StepOutcome {
    Searched { proof: u32, moves: Vec<(Vec<u16>, u16)>, threats: u64 },
    Ranked(Vec<(u16, Value)>),
    Listed(Option<Vec<u16>>),
}

/// What a step has come to, with its nodes.
#[derive(Debug)]
pub struct DivisionOutcome(StepOutcome, u64);

/// Whether bytes begin as those of a division do.
pub fn is_division(bytes: &[u8]) -> bool {
    bytes.starts_with(FORMAT.magic)
}

impl DividedGoal {
    fn new(rank: usize, reply: u16) -> DividedGoal {
        let number = UNSEARCHED[usize::from(rank >= DANGEROUS)];
        DividedGoal { reply, number, searches: 0, attempts: None, moves: Vec::new(), is_busy: false }
    }

    fn is_proven(&self) -> bool {
        self.number == 0.0
    }

    /// The attempts that are not hopeless, those that look best first.
    fn order(&self) -> Vec<usize> {
        let attempts = self.attempts.as_deref().unwrap_or_default();
        let mut order: Vec<(f64, usize)> =
            attempts.iter().enumerate().map(|(rank, attempt)| (attempt.handicapped(rank), rank)).collect();
        order.retain(|&(number, _)| number < HOPELESS);
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        order.into_iter().map(|(_, rank)| rank).collect()
    }

    /// A step that nobody is at, of this goal or one below. It counts as begun.
    fn next(&mut self, step: &mut DivisionStep) -> Option<StepKind> {
        if self.is_proven() || self.is_busy {
            return None;
        }
        if self.attempts.is_none() {
            self.is_busy = true;
            return Some(if self.searches < SEARCHES {
                StepKind::Search { number: self.searches }
            } else {
                StepKind::Rank
            });
        }
        for rank in self.order() {
            let Some(attempt) = self.attempts.as_mut().and_then(|attempts| attempts.get_mut(rank)) else { continue };
            step.path.push(rank);
            step.way.push(attempt.attack);
            if let Some(found) = attempt.next(step) {
                return Some(found);
            }
            step.path.pop();
            step.way.pop();
        }
        None
    }

    /// The goal at the end of a path of attempts and replies.
    fn at(&mut self, path: &[usize]) -> Option<&mut DividedGoal> {
        match path {
            [] => Some(self),
            [rank, place, rest @ ..] => {
                let attempt = self.attempts.as_mut()?.get_mut(*rank)?;
                attempt.replies.as_mut()?.get_mut(*place)?.at(rest)
            }
            [_] => None,
        }
    }

    /// Numbers follow what was taken in at the end of the path.
    fn update(&mut self, path: &[usize]) {
        if let ([rank, rest @ ..], Some(attempts)) = (path, &mut self.attempts)
            && let Some(attempt) = attempts.get_mut(*rank)
        {
            if let ([place, rest @ ..], Some(replies)) = (rest, &mut attempt.replies)
                && let Some(goal) = replies.get_mut(*place)
            {
                goal.update(rest);
            }
            if let Some(replies) = &attempt.replies {
                attempt.number = replies.iter().map(|goal| goal.number).sum::<f64>().min(HOPELESS);
            }
        }
        if let (false, Some(attempts)) = (self.is_proven(), &self.attempts) {
            let numbers = attempts.iter().enumerate().map(|(rank, attempt)| attempt.handicapped(rank));
            self.number = numbers.fold(HOPELESS, f64::min);
        }
    }

    /// Adds the moves of what is proven: the whole of a proven goal, else what the best attempt has.
    fn collect(&self, way: &mut Vec<u16>, moves: &mut Vec<(Vec<u16>, u16)>) {
        moves.extend(self.moves.iter().cloned());
        let attempts = self.attempts.as_deref().unwrap_or_default();
        let Some(best) = self.order().first().and_then(|&rank| attempts.get(rank)) else { return };
        if self.is_proven() {
            moves.push((way.clone(), best.attack));
        }
        way.push(best.attack);
        for goal in best.replies.iter().flatten() {
            way.push(goal.reply);
            goal.collect(way, moves);
            way.pop();
        }
        way.pop();
    }

    /// Whether its moves can be played from a position on, and numbers are what they can be.
    fn fits(&self, position: &GomokuPosition, start: &GomokuPosition) -> bool {
        let is_number = |number: f64| (0.0..=2.0 * HOPELESS).contains(&number);
        let after = |from: &GomokuPosition, point: u16| {
            let (mut position, m) = (from.clone(), GomokuMove(point));
            (position.winner().is_none() && position.check_move(m).is_ok()).then(|| {
                position.play(m);
                position
            })
        };
        let is_legal = |(way, answer): &(Vec<u16>, u16)| {
            let mut points = way.iter().chain([answer]);
            points.try_fold(start.clone(), |position, &point| after(&position, point)).is_some()
        };
        is_number(self.number)
            && self.searches <= SEARCHES
            && self.moves.iter().all(is_legal)
            && self.attempts.iter().flatten().all(|attempt| {
                is_number(attempt.number)
                    && after(position, attempt.attack).is_some_and(|attacked| {
                        (attempt.replies.iter().flatten()).all(|goal| {
                            after(&attacked, goal.reply).is_some_and(|position| goal.fits(&position, start))
                        })
                    })
            })
    }
}

impl Attempt {
    fn handicapped(&self, rank: usize) -> f64 {
        if self.number == 0.0 { 0.0 } else { self.number + RANK * rank as f64 }
    }

    fn next(&mut self, step: &mut DivisionStep) -> Option<StepKind> {
        if self.is_busy {
            return None;
        }
        let Some(replies) = &mut self.replies else {
            self.is_busy = true;
            return Some(StepKind::List);
        };
        // All replies are searched once, the most dangerous first, before the hardest is searched again or divided.
        let mut order: Vec<usize> = (0..replies.len()).filter(|&place| !replies[place].is_proven()).collect();
        order.sort_by(|&a, &b| {
            let searches = |place: usize| replies[place].searches;
            let number = |place: usize| if searches(place) > 0 { -replies[place].number } else { 0.0 };
            searches(a).cmp(&searches(b)).then(number(a).total_cmp(&number(b))).then(a.cmp(&b))
        });
        for place in order {
            step.path.push(place);
            step.way.push(replies[place].reply);
            if let Some(found) = replies[place].next(step) {
                return Some(found);
            }
            step.path.pop();
            step.way.pop();
        }
        None
    }
}

impl Division {
    /// The division as bytes, with the plan that it rests on.
    pub fn save(&self, known: &WinningPlan) -> Vec<u8> {
        let position = known.position_after(&self.way);
        let head = TreeHead::new(&position, known, known.moves().len(), (self.nodes, self.threats));
        let content = encode(&(head, self));
        [FORMAT.head(FORMAT.version), checksum(&content).to_vec(), content].concat()
    }

    /// What [`Division::save`] returned for this goal, with the same plan or the beginning of it.
    ///
    /// # Errors
    /// The bytes are damaged, of another goal, or the plan lacks moves that it had.
    pub fn restore(mut bytes: &[u8], way: &[u16], known: &WinningPlan) -> Result<Division, PlanRestoreError> {
        let damaged = |what: &str| PlanRestoreError::Damaged(what.to_owned());
        if FORMAT.read(&mut bytes)? != FORMAT.version {
            return Err(damaged("there is no such version"));
        }
        check_sum(&mut bytes)?;
        let (head, division) =
            decode::<(TreeHead, Division)>(bytes).ok_or_else(|| damaged("its content cannot be read"))?;
        let position = known.position_after(way);
        head.fits(&position, known)?;
        match division.way == way && division.root.fits(&position, known.start()) {
            true => Ok(division),
            false => Err(damaged("its moves cannot be played")),
        }
    }

    /// The division of a goal whose own search has ended in vain, after so many nodes and searches of threats.
    pub fn new(way: Vec<u16>, nodes: u64, threats: u64) -> Division {
        let root = DividedGoal { searches: SEARCHES, number: IN_VAIN, ..DividedGoal::new(0, 0) };
        Division { way, root, nodes, threats }
    }

    /// Whether the goal is proven.
    pub fn is_proven(&self) -> bool {
        self.root.is_proven()
    }

    /// Whether no attempt is left.
    pub fn is_given_up(&self) -> bool {
        self.root.number >= HOPELESS
    }

    /// A guess at how many searches are left; 0 if the goal is proven.
    pub fn left(&self) -> u32 {
        self.root.number.ceil() as u32
    }

    /// Nodes so far, with those of the goal's own search.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Searches of threats so far.
    pub fn threats(&self) -> u64 {
        self.threats
    }

    /// A step for a thread, which says later what came of it; `None` if all that could be done now is being done.
    pub fn next_step(&mut self) -> Option<DivisionStep> {
        let mut next = DivisionStep { path: Vec::new(), way: self.way.clone(), step: StepKind::Rank };
        next.step = self.root.next(&mut next)?;
        Some(next)
    }

    /// Takes in what came of a step. If it was stopped, there is no outcome, and the step is to be done again.
    pub fn take(&mut self, step: &DivisionStep, outcome: Option<DivisionOutcome>) {
        let path = &step.path[..];
        // The last place of a list of replies is that of the attempt.
        let (to_goal, rank) = match (step.step, path.split_last()) {
            (StepKind::List, Some((&rank, before))) => (before, Some(rank)),
            _ => (path, None),
        };
        let Some(goal) = self.root.at(to_goal) else { return };
        let attempt = rank.and_then(|rank| goal.attempts.as_mut()?.get_mut(rank));
        match (attempt, outcome) {
            (Some(attempt), outcome) => {
                attempt.is_busy = false;
                if let Some(DivisionOutcome(StepOutcome::Listed(replies), nodes)) = outcome {
                    self.nodes += nodes;
                    match replies {
                        None => attempt.number = HOPELESS,
                        Some(replies) => {
                            let goals = replies.into_iter().enumerate();
                            attempt.replies =
                                Some(goals.map(|(rank, reply)| DividedGoal::new(rank, reply)).collect());
                        }
                    }
                }
            }
            (None, outcome) => {
                goal.is_busy = false;
                let Some(DivisionOutcome(outcome, nodes)) = outcome else { return };
                self.nodes += nodes;
                match outcome {
                    StepOutcome::Searched { proof, moves, threats } => {
                        self.threats += threats;
                        goal.searches += 1;
                        let in_vain = IN_VAIN * f64::from(goal.searches);
                        goal.number = match proof {
                            0 => 0.0,
                            proof => in_vain + f64::from(proof.min(MOST_PROOF)) / PROOF_OF_ONE,
                        };
                        goal.moves = moves;
                    }
                    StepOutcome::Ranked(ranked) => {
                        let best = ranked.iter().map(|&(_, value)| value).max().unwrap_or(0);
                        let worse = |value: Value| f64::from(best.saturating_sub(value)) / VALUE_OF_ONE;
                        let attempt = |(attack, value)| Attempt {
                            attack,
                            number: (UNLISTED + worse(value)).min(HOPELESS / 2.0),
                            replies: None,
                            is_busy: false,
                        };
                        goal.attempts = Some(ranked.into_iter().map(attempt).collect());
                    }
                    StepOutcome::Listed(_) => {}
                }
            }
        }
        self.root.update(path);
    }

    /// The moves for the plan, each with the moves that lead there: all of the proof, or what the attempts that look
    /// best have of one so far.
    pub fn moves(&self) -> Vec<(Vec<u16>, u16)> {
        let mut moves = Vec::new();
        self.root.collect(&mut self.way.clone(), &mut moves);
        moves
    }
}

impl DivisionStep {
    /// Does what is to be done, with the plan that is known.
    ///
    /// # Errors
    /// The search is to stop, or the player cannot be had.
    pub fn carry_out(
        &self,
        (known, tables): (&WinningPlan, &ThreatTables),
        portions: PlanPortions,
        monitor: &Monitor,
    ) -> Result<Result<DivisionOutcome, Stopped>, PlayerError> {
        let position = known.position_after(&self.way);
        // The rest of the monitor's budget is for this step.
        let is_long = matches!(self.step, StepKind::Search { number: 1.. });
        let before = if is_long { 0 } else { portions.turn.saturating_sub(portions.part) };
        monitor.restart(before);
        let outcome = match self.step {
            StepKind::Search { .. } => {
                let mut search = PlanSearch::new(tables, &position, known)?;
                if search.run(monitor) == Err(Stopped::Asked) {
                    return Ok(Err(Stopped::Asked));
                }
                let mut found = WinningPlan::new(known.start().clone(), known.attacker());
                let proof = search.proof();
                if proof == 0 {
                    search.add_to(&mut found, &self.way);
                }
                let moves = found.moves().iter().map(|PlannedMove { way, answer }| (way.clone(), *answer)).collect();
                StepOutcome::Searched { proof, moves, threats: search.threats() }
            }
            StepKind::Rank => match ranked(&position, portions.ranking, monitor)? {
                Ok(moves) => StepOutcome::Ranked(moves),
                Err(stopped) => return Ok(Err(stopped)),
            },
            StepKind::List => match PlanSearch::new(tables, &position, known)?.replies(monitor) {
                Ok(replies) => StepOutcome::Listed(replies),
                Err(Stopped::Asked) => return Ok(Err(Stopped::Asked)),
                // One list takes little; what it has not found is no reason to give the attempt up.
                Err(_) => StepOutcome::Listed(Some(legal_points(&position)).filter(|points| !points.is_empty())),
            },
        };
        let nodes = match self.step {
            StepKind::Rank => portions.ranking,
            _ => monitor.nodes().saturating_sub(before),
        };
        Ok(Ok(DivisionOutcome(outcome, nodes)))
    }
}

fn legal_points(position: &GomokuPosition) -> Vec<u16> {
    position.board().points().filter(|&point| position.stone(point).is_none()).collect()
}

/// The attacker's best moves with their values, one of those that lead to images of the same position.
fn ranked(
    position: &GomokuPosition,
    nodes: u64,
    monitor: &Monitor,
) -> Result<Result<Vec<(u16, Value)>, Stopped>, PlayerError> {
    let mut player = GomokuPlayer::new(RANKING_MEMORY)?;
    let mut is_stopped = false;
    let mut time = || {
        is_stopped |= monitor.report(0) == Err(Stopped::Asked);
        if is_stopped { 1.0 } else { 0.0 }
    };
    let mut budget = Budget { depth: u32::MAX, nodes, time: &mut time };
    let found = player.analyse(position, ATTEMPTS, &mut budget, &mut |_| {});
    if is_stopped {
        return Ok(Err(Stopped::Asked));
    }
    let mut seen = HashSet::new();
    let mut moves: Vec<(u16, Value)> =
        found.iter().filter_map(|chosen| Some((chosen.line.first()?.0, chosen.value))).collect();
    moves.retain(|&(point, _)| {
        let mut after = position.clone();
        after.play(GomokuMove(point));
        seen.insert(canonical(&after).0)
    });
    Ok(Ok(moves))
}

//! Finding and checking plans of Gomoku ([`crate::solvers::gomoku::plan`]) on several threads.
//!
//! To find one, each reply to the first position is a *goal*; if the attacker is to move there, the position is the
//! only goal. For each goal there is a task. If there are more threads than goals, further tasks try other moves of
//! the attacker there. Tasks are searched by turns, a slice of nodes each, so that a hard one does not hold up the
//! others; what a task knows can be kept in a directory ([`trees`]). To check a plan, threads take its moves one
//! after the other.

pub mod holding;
pub mod trees;
pub mod units;

use crate::runner::stoppable::{lock, on_threads};
use crate::solvers::gomoku::plan::WinningPlan;
use crate::solvers::gomoku::plan::check::{CheckedReplies, PlanCheck, PlanHole};
use crate::solvers::gomoku::plan::search::PlanSearch;
use crate::solvers::gomoku::player::PlayerError;
use crate::solvers::gomoku::threats::ThreatTables;
use crate::solvers::monitor::{Monitor, Stopped};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};
use trees::{PlanTrees, PlanTreesError, TreeName};

/// Nodes that are searched of a task before the next one has its turn.
pub const SLICE: u64 = 5_000_000;

/// Nodes in which the attacker's moves are ranked.
const RANKING: u64 = 1_000_000;

/// One position whose plan is looked for.
struct PlanTask<'a> {
    /// The number of the goal.
    goal: usize,
    /// The moves that lead to the position from the first one.
    way: Vec<u16>,
    /// The last of these, if the attacker makes it: the move that is tried instead of what looks best.
    attack: Option<u16>,
    search: PlanSearch<'a>,
}

impl PlanTask<'_> {
    /// The name of its tree.
    fn name(&self) -> TreeName {
        let reply = self.way.first().copied().filter(|_| self.way.len() > usize::from(self.attack.is_some()));
        TreeName { reply, attack: self.attack }
    }
}

/// Why plans are not looked for any longer.
#[derive(Debug, thiserror::Error)]
pub enum PlanningError {
    /// The player cannot be had.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// What was kept of the searches cannot be read or written.
    #[error(transparent)]
    Trees(#[from] PlanTreesError),
}

/// What became of a task in its turn.
#[derive(Debug, Clone)]
pub struct PlanNews {
    /// The reply that the task is about; `None` for the first position itself.
    pub reply: Option<u16>,
    /// The move of the attacker that the task tries there; `None` if it chooses.
    pub attack: Option<u16>,
    /// A guess at the work that is left; 0 if a plan was found.
    pub proof: u32,
    /// Nodes of the task so far: positions judged for threats, and those of the player.
    pub nodes: u64,
    /// Searches of threats of the task so far.
    pub threats: u64,
    /// Goals without a plan.
    pub open: usize,
}

/// Looks for what a plan lacks, and adds it. Tasks go on from the trees that are `kept`, and leave theirs there
/// after each turn. `told` gets the plan with news of each turn, and may refuse to go on; `stop` says when time is
/// over. The number of goals that are left without a plan.
///
/// # Errors
/// The player cannot be had, a tree cannot be read or written, or what `told` says.
pub fn find_plan<E: From<PlanningError> + Send>(
    plan: &mut WinningPlan,
    tables: &ThreatTables,
    threads: usize,
    kept: Option<&PlanTrees>,
    stop: &dyn Fn() -> bool,
    told: &(dyn Fn(&WinningPlan, &PlanNews) -> Result<(), E> + Sync),
) -> Result<usize, E> {
    let known = plan.clone();
    let goals = known.open_replies();
    let tasks = tasks(&known, tables, &goals, threads, kept)?;
    let solved: Vec<AtomicBool> = goals.iter().map(|_| AtomicBool::new(false)).collect();
    let open = || solved.iter().filter(|is_solved| !is_solved.load(SeqCst)).count();
    let (queue, found) = (Mutex::new(tasks), Mutex::new((plan, Ok(()))));
    let turns = |monitor: &Monitor| {
        loop {
            let Some(mut task) = lock(&queue).pop_front() else { break };
            if solved[task.goal].load(SeqCst) {
                continue;
            }
            monitor.restart(0);
            let result = task.search.run(monitor);
            let is_proven = task.search.proof() == 0;
            let mut found = lock(&found);
            // Another task may have reached the goal meanwhile.
            if solved[task.goal].load(SeqCst) {
                continue;
            }
            if is_proven && let Some(attack) = task.attack {
                let way = &goals[task.goal];
                found.0.add(way.clone(), &known.position_after(way), attack);
            }
            task.search.add_to(found.0, &task.way);
            if is_proven {
                solved[task.goal].store(true, SeqCst);
            }
            let news = PlanNews {
                reply: goals[task.goal].first().copied(),
                attack: task.attack,
                proof: task.search.proof(),
                nodes: task.search.nodes(),
                threats: task.search.threats(),
                open: open(),
            };
            let is_stopped = matches!(result, Err(Stopped::Asked));
            // A plan is told of before its trees are removed.
            let mut told = told(found.0, &news);
            if told.is_ok()
                && let Some(kept) = kept
            {
                let name = task.name();
                let written = if is_proven { kept.remove(name.reply) } else { kept.write(name, &task.search.save()) };
                told = written.map_err(|error| PlanningError::from(error).into());
            }
            if let Err(error) = told {
                found.1 = Err(error);
                break;
            }
            if found.1.is_err() || is_stopped {
                break;
            }
            drop(found);
            if !is_proven && result.is_err() {
                lock(&queue).push_back(task);
            }
        }
    };
    on_threads(threads, SLICE, stop, &turns);
    let (_, result) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    result.map(|()| open())
}

/// The tasks for some goals, of which each is a way to a position with the attacker to move.
fn tasks<'a>(
    known: &'a WinningPlan,
    tables: &'a ThreatTables,
    goals: &[Vec<u16>],
    threads: usize,
    kept: Option<&PlanTrees>,
) -> Result<VecDeque<PlanTask<'a>>, PlanningError> {
    let (mut tasks, mut others) = (VecDeque::new(), VecDeque::new());
    let task = |goal: usize, attack: Option<u16>| -> Result<PlanTask<'a>, PlanningError> {
        let way: Vec<u16> = goals[goal].iter().copied().chain(attack).collect();
        let position = known.position_after(&way);
        let mut task = PlanTask { goal, way, attack, search: PlanSearch::new(tables, &position, known)? };
        if let Some(kept) = kept
            && let Some(search) = kept.search(task.name(), tables, &position, known)?
        {
            task.search = search;
        }
        Ok(task)
    };
    for goal in 0..goals.len() {
        let mut own = task(goal, None)?;
        // What looks best is tried by the task that chooses.
        let more = threads.div_ceil(goals.len()) - 1;
        let moves = if more > 0 { own.search.ranked_moves(&Monitor::with_budget(RANKING)) } else { Vec::new() };
        tasks.push_back(own);
        for &attack in moves.iter().skip(1).take(more) {
            others.push_back(task(goal, Some(attack))?);
        }
    }
    tasks.extend(others);
    Ok(tasks)
}

/// What the check of a part of a plan has come to.
#[derive(Debug, Clone, Default)]
pub struct PlanChecked {
    /// Whether the replies to the first position were checked, and are answered.
    pub start: bool,
    /// Moves that were checked and hold.
    pub moves: usize,
    /// The least number of a move that was to be checked and was not.
    pub next: Option<usize>,
    /// Replies and positions of the moves that hold, and of the first position.
    pub replies: CheckedReplies,
    /// A reply to the first position that the plan does not answer, or whatever else is wrong there. The moves are
    /// checked nevertheless: a plan may not be finished.
    pub unanswered: Option<PlanHole>,
    /// The first hole that was found after a move.
    pub hole: Option<PlanHole>,
}

/// Checks the replies to a plan's first position, and those to its moves with these numbers. `told` gets what was
/// checked so far after each move; `stop` says when time is over.
pub fn check_plan(
    plan: &WinningPlan,
    tables: &ThreatTables,
    moves: std::ops::Range<usize>,
    threads: usize,
    stop: &dyn Fn() -> bool,
    told: &(dyn Fn(&PlanChecked) + Sync),
) -> PlanChecked {
    let check = PlanCheck::new(plan, tables);
    // Number 0 is the first position, the others are moves.
    let next = AtomicUsize::new(0);
    let left = Mutex::new((PlanChecked::default(), vec![false; moves.len()]));
    let turns = |monitor: &Monitor| {
        loop {
            let number = next.fetch_add(1, SeqCst);
            if number > moves.len() || lock(&left).0.hole.is_some() {
                break;
            }
            let planned = number.checked_sub(1).map(|at| &plan.moves()[moves.start + at]);
            let Ok(result) = planned.map_or_else(|| check.check_start(monitor), |m| check.check_move(m, monitor))
            else {
                break;
            };
            let mut left = lock(&left);
            match result {
                Ok(replies) => {
                    left.0.replies += replies;
                    match number.checked_sub(1) {
                        Some(at) => {
                            left.1[at] = true;
                            left.0.moves += 1;
                        }
                        None => left.0.start = true,
                    }
                }
                Err(hole) if planned.is_none() => left.0.unanswered = Some(hole),
                Err(hole) => left.0.hole = left.0.hole.take().or(Some(hole)),
            }
            told(&left.0);
        }
    };
    on_threads(threads, u64::MAX, stop, &turns);
    let (mut checked, done) = left.into_inner().unwrap_or_else(PoisonError::into_inner);
    checked.next = done.iter().position(|is_done| !is_done).map(|at| moves.start + at);
    checked
}

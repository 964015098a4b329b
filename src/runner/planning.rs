//! Finding and checking plans of Gomoku ([`crate::solvers::gomoku::plan`]) on several threads.
//!
//! To find one, each reply to the first position is a *goal*; if the attacker is to move there, the position is the
//! only goal. For each goal there is a task. If there are more threads than goals, further tasks try other moves of
//! the attacker there. Tasks are searched by turns, a slice of nodes each, so that a hard one does not hold up the
//! others. A goal that its own search does not prove is divided ([`division`]), and all threads can be at work on a
//! divided goal. What is known of a task can be kept in a directory ([`trees`]). To check a plan, threads take its
//! moves one after the other.

pub mod checks;
pub mod division;
pub mod goal;
pub mod holding;
pub mod trees;
pub mod units;

use crate::jobs::plan_settings::{LEAST_NODES, UNDIVIDED_NODES};
use crate::runner::stoppable::{lock, on_threads};
use crate::solvers::gomoku::plan::WinningPlan;
use crate::solvers::gomoku::plan::check::{CheckedReplies, PlanCheck, PlanHole};
use crate::solvers::gomoku::plan::search::PlanSearch;
use crate::solvers::gomoku::player::PlayerError;
use crate::solvers::gomoku::threats::ThreatTables;
use crate::solvers::monitor::{Monitor, Stopped};
use division::Division;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use trees::{PlanTrees, PlanTreesError, TreeName};

/// How many nodes go where.
#[derive(Debug, Clone, Copy)]
pub struct PlanPortions {
    /// A turn of a task, before the next one has its turn.
    pub turn: u64,
    /// The search of a goal, before it is divided.
    pub alone: u64,
    /// The first search of a goal that a division has made; at most a turn. A second one has a turn.
    pub part: u64,
    /// The analysis that ranks the attacker's moves for a division.
    pub ranking: u64,
}

impl PlanPortions {
    /// Those of the program.
    pub const USUAL: PlanPortions = PlanPortions::of(SLICE, UNDIVIDED_NODES);

    /// Those of turns of so many nodes, with so many nodes for the search of a goal before it is divided.
    pub const fn of(turn: u64, alone: u64) -> PlanPortions {
        let tenth = turn / 10;
        let part = if tenth * 3 < LEAST_NODES { LEAST_NODES } else { tenth * 3 };
        PlanPortions { turn, alone, part: if part < turn { part } else { turn }, ranking: tenth * 8 }
    }
}

/// How plans are looked for.
#[derive(Debug, Clone, Copy)]
pub struct PlanFinding<'k> {
    /// Number of threads.
    pub threads: usize,
    /// Where tasks go on from, and leave what they know after each turn.
    pub kept: Option<&'k PlanTrees>,
    /// How many nodes go where.
    pub portions: PlanPortions,
}

/// Nodes of a turn.
pub const SLICE: u64 = 5_000_000;

/// Nodes in which the attacker's moves are ranked for further tasks.
const RANKING: u64 = 1_000_000;

/// How long a thread waits that finds nothing to do in a division.
const WAIT: Duration = Duration::from_millis(20);

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

/// What has its turn.
enum PlanTurn<'a> {
    Task(Box<PlanTask<'a>>),
    Divided(Arc<SharedDivision>),
}

/// The division of a goal, for several threads.
struct SharedDivision {
    goal: usize,
    division: Mutex<Division>,
    /// Nodes when it was told of last.
    told: AtomicU64,
}

impl SharedDivision {
    fn new(goal: usize, division: Division) -> SharedDivision {
        let told = AtomicU64::new(division.nodes());
        SharedDivision { goal, division: Mutex::new(division), told }
    }
}

/// Counts a thread that is at work, to its end, even if that is a panic.
struct AtWork<'w>(&'w AtomicUsize);

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

/// What the threads that look for a plan share.
struct PlanFinder<'a, 'p, E> {
    known: &'a WinningPlan,
    tables: &'a ThreatTables,
    finding: PlanFinding<'p>,
    goals: &'p [Vec<u16>],
    solved: Vec<AtomicBool>,
    queue: Mutex<VecDeque<PlanTurn<'a>>>,
    /// Threads that have a turn.
    at_work: AtomicUsize,
    /// The plan so far, and what `told` has refused.
    found: Mutex<(&'p mut WinningPlan, Result<(), E>)>,
    told: &'p (dyn Fn(&WinningPlan, &PlanNews) -> Result<(), E> + Sync),
}

/// Looks for what a plan lacks, and adds it. `told` gets the plan with news of each turn, and may refuse to go on;
/// `stop` says when time is over. The number of goals that are left without a plan.
///
/// # Errors
/// The player cannot be had, a tree cannot be read or written, or what `told` says.
pub fn find_plan<E: From<PlanningError> + Send>(
    plan: &mut WinningPlan,
    tables: &ThreatTables,
    finding: PlanFinding<'_>,
    stop: &dyn Fn() -> bool,
    told: &(dyn Fn(&WinningPlan, &PlanNews) -> Result<(), E> + Sync),
) -> Result<usize, E> {
    let known = plan.clone();
    let goals = known.open_replies();
    let queue = Mutex::new(tasks(&known, tables, &goals, finding)?);
    let solved = goals.iter().map(|_| AtomicBool::new(false)).collect();
    let (known, goals, found) = (&known, &goals[..], Mutex::new((plan, Ok(()))));
    let at_work = AtomicUsize::new(0);
    let finder = PlanFinder { known, tables, finding, goals, solved, queue, at_work, found, told };
    let work = |monitor: &Monitor| {
        if let Err(error) = finder.work(monitor) {
            lock(&finder.found).1 = Err(error);
        }
    };
    on_threads(finding.threads, finding.portions.turn, stop, &work);
    let open = finder.open();
    let (_, result) = finder.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    result.map(|()| open)
}

impl<'a, E: From<PlanningError>> PlanFinder<'a, '_, E> {
    fn open(&self) -> usize {
        self.solved.iter().filter(|is_solved| !is_solved.load(SeqCst)).count()
    }

    /// The next turn, with what says that a thread is at work as long as it lives; or whether others are at work,
    /// after whose turns there may be more to do.
    fn next_turn(&self) -> Result<(PlanTurn<'a>, AtWork<'_>), bool> {
        let mut queue = lock(&self.queue);
        let turn = queue.pop_front().ok_or_else(|| self.at_work.load(SeqCst) > 0)?;
        self.at_work.fetch_add(1, SeqCst);
        Ok((turn, AtWork(&self.at_work)))
    }

    fn work(&self, monitor: &Monitor) -> Result<(), E> {
        loop {
            let (turn, _at_work) = match self.next_turn() {
                Ok(turn) => turn,
                Err(others) => {
                    if !others || lock(&self.found).1.is_err() || monitor.report(0) == Err(Stopped::Asked) {
                        return Ok(());
                    }
                    std::thread::sleep(WAIT);
                    continue;
                }
            };
            let goal = match &turn {
                PlanTurn::Task(task) => task.goal,
                PlanTurn::Divided(shared) => shared.goal,
            };
            if self.solved[goal].load(SeqCst) {
                continue;
            }
            let is_stopped = match turn {
                PlanTurn::Task(task) => self.search(*task, monitor)?,
                PlanTurn::Divided(shared) => self.divide(&shared, monitor)?,
            };
            if is_stopped || lock(&self.found).1.is_err() {
                return Ok(());
            }
        }
    }

    /// Goes on with a task; whether the threads are to stop.
    fn search(&self, mut task: PlanTask<'a>, monitor: &Monitor) -> Result<bool, E> {
        let alone = self.finding.portions.alone;
        let result = if task.search.nodes() < alone {
            monitor.restart(0);
            task.search.run(monitor)
        } else {
            Err(Stopped::Budget)
        };
        let is_proven = task.search.proof() == 0;
        let (goal, way) = (task.goal, &self.goals[task.goal]);
        let mut found = lock(&self.found);
        // Another task may have reached the goal meanwhile.
        if self.solved[goal].load(SeqCst) {
            return Ok(false);
        }
        if is_proven && let Some(attack) = task.attack {
            found.0.add(way.clone(), &self.known.position_after(way), attack);
        }
        task.search.add_to(found.0, &task.way);
        let name = task.name();
        self.tell(
            &mut found,
            (name.reply, goal, is_proven),
            (task.attack, task.search.proof(), task.search.nodes(), task.search.threats()),
            |kept| kept.write(name, &task.search.save()),
        )?;
        drop(found);
        // A search that has ended without a proof tries nothing more.
        let (nodes, threats) = (task.search.nodes(), task.search.threats());
        if !is_proven && nodes < alone && result.is_err() {
            lock(&self.queue).push_back(PlanTurn::Task(Box::new(task)));
        } else if !is_proven && task.attack.is_none() {
            let shared = SharedDivision::new(goal, Division::new(way.clone(), nodes, threats));
            lock(&self.queue).push_back(PlanTurn::Divided(Arc::new(shared)));
        }
        Ok(matches!(result, Err(Stopped::Asked)))
    }

    /// Does a step of a division; whether the threads are to stop.
    fn divide(&self, shared: &Arc<SharedDivision>, monitor: &Monitor) -> Result<bool, E> {
        let next = lock(&shared.division).next_step();
        let Some(step) = next else {
            if lock(&shared.division).is_given_up() {
                return Ok(false);
            }
            // Others are at all that could be done.
            std::thread::sleep(WAIT);
            lock(&self.queue).push_back(PlanTurn::Divided(Arc::clone(shared)));
            return Ok(monitor.report(0) == Err(Stopped::Asked));
        };
        // Other threads take other steps.
        lock(&self.queue).push_back(PlanTurn::Divided(Arc::clone(shared)));
        let done = step.carry_out((self.known, self.tables), self.finding.portions, monitor);
        let outcome = done.map_err(PlanningError::from)?;
        let is_stopped = outcome.is_err();
        let mut found = lock(&self.found);
        let mut division = lock(&shared.division);
        division.take(&step, outcome.ok());
        let (goal, nodes) = (shared.goal, division.nodes());
        let is_due = nodes >= shared.told.load(SeqCst) + self.finding.portions.turn;
        if self.solved[goal].load(SeqCst) || !(is_due || is_stopped || division.is_proven()) {
            return Ok(is_stopped);
        }
        shared.told.store(nodes, SeqCst);
        if division.is_proven() || is_stopped {
            for (way, answer) in division.moves() {
                let position = self.known.position_after(&way);
                found.0.add(way, &position, answer);
            }
        }
        let reply = self.goals[goal].first().copied();
        self.tell(
            &mut found,
            (reply, goal, division.is_proven()),
            (None, division.left(), nodes, division.threats()),
            |kept| kept.write_division(reply, &division.save(self.known)),
        )?;
        Ok(is_stopped)
    }

    /// Tells of a goal, and keeps what is known of it or removes that if it is proven.
    fn tell(
        &self,
        found: &mut (&mut WinningPlan, Result<(), E>),
        (reply, goal, is_proven): (Option<u16>, usize, bool),
        (attack, proof, nodes, threats): (Option<u16>, u32, u64, u64),
        keep: impl FnOnce(&PlanTrees) -> Result<(), PlanTreesError>,
    ) -> Result<(), E> {
        if is_proven {
            self.solved[goal].store(true, SeqCst);
        }
        // A plan is told of before its trees are removed.
        let news = PlanNews { reply, attack, proof, nodes, threats, open: self.open() };
        (self.told)(found.0, &news)?;
        let Some(kept) = self.finding.kept else { return Ok(()) };
        let written = if is_proven { kept.remove(reply) } else { keep(kept) };
        written.map_err(|error| PlanningError::from(error).into())
    }
}

/// The tasks for some goals, of which each is a way to a position with the attacker to move.
fn tasks<'a>(
    known: &'a WinningPlan,
    tables: &'a ThreatTables,
    goals: &[Vec<u16>],
    PlanFinding { threads, kept, .. }: PlanFinding<'_>,
) -> Result<VecDeque<PlanTurn<'a>>, PlanningError> {
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
    for (goal, way) in goals.iter().enumerate() {
        if let Some(kept) = kept
            && let Some(division) = kept.division(way.first().copied(), way, known)?
        {
            tasks.push_back(PlanTurn::Divided(Arc::new(SharedDivision::new(goal, division))));
            continue;
        }
        let mut own = task(goal, None)?;
        // What looks best is tried by the task that chooses.
        let more = threads.div_ceil(goals.len()) - 1;
        let moves = if more > 0 { own.search.ranked_moves(&Monitor::with_budget(RANKING)) } else { Vec::new() };
        tasks.push_back(PlanTurn::Task(Box::new(own)));
        for &attack in moves.iter().skip(1).take(more) {
            others.push_back(PlanTurn::Task(Box::new(task(goal, Some(attack))?)));
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

//! The questions that solve a position: what is its value, how is it reached, and which moves reach it.
//!
//! An [`Engine`] answers questions about windows; which engine, and on how many threads, does not matter here. Known
//! are always a lower and an upper bound of the value. An exact solution begins with a window around a guess, which
//! is widened until the value is inside; a search that only has to tell win from loss from draw, or whether a
//! threshold is reached, asks just that. Then each move is asked whether it keeps what was found.

use super::monitor::Stopped;
use super::search::{LOWEST, Stats};
use crate::core::game::{Game, Value};

/// Half the first window around the guess, in points.
const FIRST_WINDOW: Value = 2;

/// What searches a position.
pub trait Engine<G: Game> {
    /// The proven value for the side to move, within a window: at or below `alpha` it is an upper bound, at or above
    /// `beta` a lower one, between them exact.
    ///
    /// # Errors
    /// The search was stopped or cannot go deep enough.
    fn value(&mut self, position: &G, alpha: Value, beta: Value) -> Result<Value, EngineError>;

    /// The value that an exact solution asks for first, given one by the caller; 0 leaves it to the engine.
    ///
    /// # Errors
    /// As for [`Engine::value`].
    fn guess(&mut self, _position: &G, given: Value) -> Result<Value, EngineError> {
        Ok(given)
    }

    /// The best move as far as is remembered.
    fn hint(&self, position: &G) -> Option<G::Move>;

    /// What was done so far, for all questions.
    fn stats(&self) -> Stats;

    /// Whether a small window is less work than a large one.
    fn heeds_windows(&self) -> bool {
        true
    }
}

/// Why an engine did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// It was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The game goes on for longer than the search can.
    #[error("the game does not end within {0} plies, the deepest that this search goes")]
    TooDeep(u32),
}

/// What is to be known of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Goal {
    /// Its exact value.
    Exact,
    /// Whether the side to move wins, loses, or neither.
    WinLossDraw,
    /// Whether the side to move gets at least this.
    Threshold(Value),
}

/// Bounds of a value for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// It is at least this.
    pub lower: Value,
    /// It is at most this.
    pub upper: Value,
}

impl Bounds {
    /// Whether they answer the question.
    pub fn settle(self, goal: Goal) -> bool {
        let Bounds { lower, upper } = self;
        match goal {
            Goal::Exact => lower == upper,
            Goal::WinLossDraw => lower > 0 || upper < 0 || lower == upper,
            Goal::Threshold(target) => lower >= target || upper < target,
        }
    }

    /// The bounds in points of so much each, as text: `+4`, or `-2..+6`.
    pub fn text(self, point: Value) -> String {
        let signed = |points: i32| if points == 0 { "0".to_owned() } else { format!("{points:+}") };
        let Bounds { lower, upper } = self;
        if lower == upper {
            return signed(lower / point);
        }
        format!("{}..{}", signed(lower / point), signed(upper / point))
    }

    /// What the side to move, and what the other side, is known to get at least. `None` if it may as well get
    /// nothing.
    fn targets(self, goal: Goal) -> (Option<Value>, Option<Value>) {
        let Bounds { lower, upper } = self;
        match goal {
            Goal::Exact => (Some(lower), Some(-upper)),
            Goal::WinLossDraw if lower > 0 => (Some(1), None),
            Goal::WinLossDraw if upper < 0 => (None, Some(1)),
            Goal::WinLossDraw => (Some(0), Some(0)),
            Goal::Threshold(target) if lower >= target => (Some(target), None),
            Goal::Threshold(target) => (None, Some(1 - target)),
        }
    }
}

/// What happens while a position is solved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SolveProgress<'a> {
    /// A window is being searched.
    Asking {
        /// The lower and the upper end of the window.
        window: (Value, Value),
        /// What is known.
        bounds: Bounds,
    },
    /// The value is known; its line and its moves are being looked for.
    Solved(Bounds),
    /// So many of the first moves have been asked, by name those that are best.
    Moves {
        /// Moves that have been asked.
        done: usize,
        /// Moves there are.
        of: usize,
        /// Names of the best among them.
        best: &'a [String],
    },
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution<M> {
    /// Bounds of the value for the side to move; they settle the goal.
    pub bounds: Bounds,
    /// What it took to find the value, without what follows.
    pub value_stats: Stats,
    /// What it took in all.
    pub stats: Stats,
    /// The principal variation: moves of both sides that keep what was found.
    pub line: Vec<M>,
    /// All first moves that keep what was found: with an exact value the optimal ones. All, if everything loses.
    pub best: Vec<M>,
}

/// Solves a position as the start of a game ([`Game::forget`]): a cycle that closes through positions before it has
/// no value that searches with a table could know. With `moves` the principal variation and the best first moves are
/// found, too. `guess` is a value to begin with, `longest` the greatest length of the variation.
///
/// # Errors
/// The engine's.
pub fn solve<G: Game>(
    engine: &mut dyn Engine<G>,
    position: &G,
    goal: Goal,
    guess: Value,
    moves: bool,
    longest: usize,
    report: &mut dyn FnMut(SolveProgress),
) -> Result<Solution<G::Move>, EngineError> {
    let mut position = position.clone();
    position.forget();
    let position = &position;
    let bounds = find_bounds(engine, position, goal, guess, report)?;
    let value_stats = engine.stats();
    let mut solution = Solution { bounds, value_stats, stats: value_stats, line: Vec::new(), best: Vec::new() };
    if moves {
        report(SolveProgress::Solved(bounds));
        let (mine, theirs) = bounds.targets(goal);
        solution.line = line(engine, position, mine, theirs, longest)?;
        solution.best = best_moves(engine, position, mine, report)?;
        solution.stats = engine.stats();
    }
    Ok(solution)
}

/// Bounds of the value that settle the goal.
///
/// # Errors
/// The engine's.
pub(super) fn find_bounds<G: Game>(
    engine: &mut dyn Engine<G>,
    position: &G,
    goal: Goal,
    guess: Value,
    report: &mut dyn FnMut(SolveProgress),
) -> Result<Bounds, EngineError> {
    let (lower, upper) = position.bounds();
    let mut bounds = Bounds { lower, upper };
    let whole = (LOWEST, -LOWEST);
    let mut half = FIRST_WINDOW * G::POINT;
    let mut centre = if goal == Goal::Exact && lower < upper { engine.guess(position, guess)? } else { guess };
    centre = centre.clamp(lower, upper);
    while !bounds.settle(goal) {
        let window = match goal {
            _ if !engine.heeds_windows() => whole,
            Goal::Exact => ((centre - half).max(bounds.lower - 1), (centre + half).min(bounds.upper + 1)),
            Goal::WinLossDraw => (-1, 1),
            Goal::Threshold(target) => (target - 1, target),
        };
        report(SolveProgress::Asking { window, bounds });
        let (alpha, beta) = window;
        let value = engine.value(position, alpha, beta)?;
        if value > alpha {
            bounds.lower = bounds.lower.max(value);
        }
        if value < beta {
            bounds.upper = bounds.upper.min(value);
        }
        // Outside the window: continue next to it, with a wider one.
        half *= 2;
        centre = if value <= alpha { value.min(bounds.upper) - half } else { value.max(bounds.lower) + half };
    }
    Ok(bounds)
}

/// Whether the side that has just moved gets at least `target` in the position after its move.
fn keeps<G: Game>(engine: &mut dyn Engine<G>, after: &G, target: Value) -> Result<bool, EngineError> {
    let mut moves = Vec::new();
    after.moves(&mut moves);
    let value = if moves.is_empty() { after.outcome() } else { engine.value(after, -target, 1 - target)? };
    Ok(-value >= target)
}

/// A line of play in which each side keeps what it is sure of; one with nothing to keep plays what it likes best.
///
/// # Errors
/// The engine's.
pub(super) fn line<G: Game>(
    engine: &mut dyn Engine<G>,
    position: &G,
    mut mine: Option<Value>,
    mut theirs: Option<Value>,
    longest: usize,
) -> Result<Vec<G::Move>, EngineError> {
    let mut position = position.clone();
    let mut line = Vec::new();
    while line.len() < longest {
        let moves = sorted_moves(engine, &position);
        let mut chosen = None;
        for &m in &moves {
            // The last one must be it if the others are not.
            let sure = mine.is_none() || moves.last() == Some(&m);
            let mut after = position.clone();
            after.play(m);
            if sure || keeps(engine, &after, mine.unwrap_or(LOWEST))? {
                chosen = Some((m, after));
                break;
            }
        }
        let Some((m, after)) = chosen else { break };
        line.push(m);
        position = after;
        (mine, theirs) = (theirs, mine);
    }
    Ok(line)
}

/// The moves with the one that is remembered as best in front, then by the game's own order.
fn sorted_moves<G: Game>(engine: &dyn Engine<G>, position: &G) -> Vec<G::Move> {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let hint = engine.hint(position);
    moves.sort_by_key(|&m| (Some(m) != hint, std::cmp::Reverse(position.prior(m))));
    moves
}

fn best_moves<G: Game>(
    engine: &mut dyn Engine<G>,
    position: &G,
    target: Option<Value>,
    report: &mut dyn FnMut(SolveProgress),
) -> Result<Vec<G::Move>, EngineError> {
    let moves = sorted_moves(engine, position);
    let (mut best, mut names) = (Vec::new(), Vec::new());
    // Symmetric moves lead to the same position: each is asked once.
    let mut asked: Vec<(u64, bool)> = Vec::new();
    for (done, &m) in moves.iter().enumerate() {
        report(SolveProgress::Moves { done, of: moves.len(), best: &names });
        let mut after = position.clone();
        after.play(m);
        after.forget();
        let hash = after.symmetric_key().hash;
        let known = asked.iter().find(|&&(other, _)| other == hash).map(|&(_, is)| is);
        let is = match (known, target) {
            (Some(is), _) => is,
            (None, None) => true,
            (None, Some(target)) => keeps(engine, &after, target)?,
        };
        asked.push((hash, is));
        if is {
            best.push(m);
            names.push(position.name(m));
        }
    }
    // In the order of the game's own list.
    let mut all = Vec::new();
    position.moves(&mut all);
    Ok(all.into_iter().filter(|m| best.contains(m)).collect())
}

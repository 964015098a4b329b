//! Growing an opening book of Gomoku ([`crate::solvers::gomoku::book`]) on several threads.

use super::stoppable::{lock, on_threads};
use crate::core::game::{Budget, Player};
use crate::solvers::gomoku::book::OpeningBook;
use crate::solvers::gomoku::book::grow::{judged, next_position};
use crate::solvers::gomoku::lines::weights::LineWeights;
use crate::solvers::gomoku::player::{GomokuPlayer, PlayerError};
use crate::solvers::monitor::Monitor;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Time that a thread waits for another one.
const WAIT: Duration = Duration::from_millis(20);

/// How a book grows.
#[derive(Debug, Clone)]
pub struct BookTerms {
    /// Threads, each of which judges a position of its own. With more than one, the order of the positions hangs on
    /// which thread is ready first.
    pub threads: usize,
    /// Positions that the book is to have.
    pub positions: usize,
    /// Nodes of the search of a position.
    pub nodes: u64,
    /// Moves that are kept of a position.
    pub moves: usize,
    /// Bytes of each player's table.
    pub memory: u64,
    /// The weights of the players.
    pub weights: LineWeights,
}

/// How a book has stopped growing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookEnd {
    /// It has as many positions as asked for.
    Full,
    /// Every line ends with a decided game or a plan.
    Closed,
    /// It was stopped.
    Stopped,
}

/// What is shared by the threads.
struct Growth<'a, E> {
    book: &'a mut OpeningBook,
    at_work: HashSet<Vec<u16>>,
    result: Result<BookEnd, E>,
}

/// Lets a book grow. `told` gets the book with each new position, and may refuse to go on; `stop` says when time is
/// over.
///
/// # Errors
/// A player cannot be had, or what `told` says.
pub fn grow_book<E: From<PlayerError> + Send>(
    book: &mut OpeningBook,
    terms: &BookTerms,
    stop: &dyn Fn() -> bool,
    told: &(dyn Fn(&OpeningBook) -> Result<(), E> + Sync),
) -> Result<BookEnd, E> {
    let growth = Mutex::new(Growth { book, at_work: HashSet::new(), result: Ok(BookEnd::Stopped) });
    let turns = |monitor: &Monitor| {
        if let Err(error) = grow_on(&growth, terms, monitor, told) {
            lock(&growth).result = Err(error);
        }
    };
    on_threads(terms.threads, u64::MAX, stop, &turns);
    growth.into_inner().unwrap_or_else(PoisonError::into_inner).result
}

/// What one thread does.
fn grow_on<E: From<PlayerError>>(
    growth: &Mutex<Growth<'_, E>>,
    terms: &BookTerms,
    monitor: &Monitor,
    told: &(dyn Fn(&OpeningBook) -> Result<(), E> + Sync),
) -> Result<(), E> {
    let mut player = GomokuPlayer::new(terms.memory)?;
    player.set_weights(terms.weights.clone());
    loop {
        let way = match take_position(&mut lock(growth), terms.positions) {
            Some(NextPosition::Here(way)) => way,
            Some(NextPosition::Later) if monitor.report(0).is_ok() => {
                std::thread::sleep(WAIT);
                continue;
            }
            Some(NextPosition::Later) | None => return Ok(()),
        };
        let position = lock(growth).book.position(&way);
        let mut time = || if monitor.report(0).is_err() { 1.0 } else { 0.0 };
        let mut budget = Budget { depth: u32::MAX, nodes: terms.nodes, time: &mut time };
        // What is found is not to depend on what was searched before.
        player.forget();
        let found = if position.stones().next().is_none() {
            // The player begins in the middle.
            player.choose(&position, &mut budget, &mut |_| {}).into_iter().collect()
        } else {
            // Some lead to images of the same position.
            player.analyse(&position, 2 * terms.moves, &mut budget, &mut |_| {})
        };
        let mut growth = lock(growth);
        growth.at_work.remove(&way);
        if monitor.report(0).is_err() || growth.result.is_err() {
            return Ok(());
        }
        let moves = judged(growth.book, &way, &found, terms.moves);
        growth.book.add(way, moves);
        told(growth.book)?;
    }
}

/// What there is to do for a thread.
enum NextPosition {
    /// A position that no thread is at.
    Here(Vec<u16>),
    /// Nothing, before another thread is ready.
    Later,
}

/// The next position for a thread; nothing if the book has grown, or does not grow any longer.
fn take_position<E>(growth: &mut Growth<'_, E>, positions: usize) -> Option<NextPosition> {
    let (known, is_idle) = (growth.book.positions().len(), growth.at_work.is_empty());
    if growth.result.is_err() {
        return None;
    }
    let next =
        if known + growth.at_work.len() < positions { next_position(growth.book, &growth.at_work) } else { None };
    match next {
        Some(way) => {
            growth.at_work.insert(way.clone());
            Some(NextPosition::Here(way))
        }
        None if is_idle => {
            growth.result = Ok(if known >= positions { BookEnd::Full } else { BookEnd::Closed });
            None
        }
        None => Some(NextPosition::Later),
    }
}

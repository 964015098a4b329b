//! Runs an [`Enumeration`] on threads: one walks to the roots of the units, the others count below them, and the
//! thread that called takes in what they found.

pub mod state;

use crate::jobs::enumerate::{Enumeration, UnitCounts};
use crate::morpion::enumerate::{CountKind, GridWalk, LineHashes, walk};
use crate::morpion::geometry::Move;
use crate::morpion::variant::Variant;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use state::EnumerationStateError;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long the calling thread waits for an outcome before it looks around.
const PACE: Duration = Duration::from_millis(100);
/// Units that wait for each thread.
const WAITING: usize = 4;

/// Why an enumeration ended early.
#[derive(Debug, thiserror::Error)]
pub enum EnumerationError {
    /// The playing area is too small.
    #[error(
        "a grid reaches the edge of the playing area, so moves beyond it would not be counted: take a smaller depth"
    )]
    Edge,
    /// Its state cannot be saved.
    #[error(transparent)]
    State(#[from] EnumerationStateError),
    /// Threads cannot be started.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Does the units that are left on `threads` threads until all are done or `stop` says so; a unit under way is then
/// left undone. `tell` is called by this thread several times a second and at the end. The counts do not depend on
/// the number of threads.
///
/// # Errors
/// If grids reach the edge of the playing area, if threads cannot be started, or what `tell` answers.
pub fn run(
    enumeration: &mut Enumeration,
    threads: usize,
    stop: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(&Enumeration) -> Result<(), EnumerationStateError>,
) -> Result<(), EnumerationError> {
    let Enumeration { variant, kind, depth, cut, ref done, .. } = *enumeration;
    let hashes = &LineHashes::new(variant);
    let remembered = (kind == CountKind::Grids).then(|| variant.record());
    let stopped = &AtomicBool::new(false);
    let done = done.clone();
    let (to_workers, units) = bounded::<(u64, Vec<Move>)>(WAITING * threads);
    let (to_here, outcomes) = unbounded();
    // One thread more for the walk to the roots, which mostly waits.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads + 1).build()?;
    pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            walk(variant, kind, hashes).split(cut, &mut |number, root| {
                let sent = done.contains(number) || to_workers.send((number, root.to_vec())).is_ok();
                if sent && !stopped.load(Ordering::Relaxed) {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
        });
        for _ in 0..threads {
            let (units, to_here) = (units.clone(), to_here.clone());
            scope.spawn(move |_| {
                let mut walk = walk(variant, kind, hashes);
                if let Some(least) = remembered {
                    walk.remember(least);
                }
                work(&mut *walk, depth - cut, &units, &to_here, stopped);
            });
        }
        // So that the channels close with the threads at their other ends.
        drop((units, to_here));
        let ended = absorb(enumeration, &outcomes, stop, stopped, tell);
        stopped.store(true, Ordering::Relaxed);
        ended
    })?;
    Ok(tell(enumeration)?)
}

/// The numbers of `kind` after 0, 1, ... `depth` moves, on all processors.
///
/// # Errors
/// As [`run`].
pub fn enumerate(variant: Variant, kind: CountKind, depth: u32) -> Result<Vec<u64>, EnumerationError> {
    let mut enumeration = Enumeration::new(variant, kind, depth);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    run(&mut enumeration, threads, &|| false, &mut |_| Ok(()))?;
    Ok(enumeration.counts)
}

/// What a thread says of a unit: what it came to, or that it met the edge.
type Outcome = Option<UnitCounts>;

/// Takes in outcomes until no more come. The threads end themselves once `stopped` is set.
fn absorb(
    enumeration: &mut Enumeration,
    outcomes: &Receiver<Outcome>,
    stop: &dyn Fn() -> bool,
    stopped: &AtomicBool,
    tell: &mut dyn FnMut(&Enumeration) -> Result<(), EnumerationStateError>,
) -> Result<(), EnumerationError> {
    let mut told = Instant::now();
    loop {
        match outcomes.recv_timeout(PACE) {
            Ok(Some(unit)) => enumeration.absorb(unit),
            Ok(None) => return Err(EnumerationError::Edge),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        if stop() {
            stopped.store(true, Ordering::Relaxed);
        }
        if told.elapsed() >= PACE {
            told = Instant::now();
            tell(enumeration)?;
        }
    }
}

/// Does units until none come, or one is stopped.
fn work(
    walk: &mut dyn GridWalk,
    further: u32,
    units: &Receiver<(u64, Vec<Move>)>,
    outcomes: &Sender<Outcome>,
    stopped: &AtomicBool,
) {
    for (number, root) in units {
        let Some(counts) = walk.count_below(&root, further, stopped) else { return };
        let unit = UnitCounts { number, counts, long: walk.take_long() };
        if outcomes.send((!walk.was_at_edge()).then_some(unit)).is_err() {
            return;
        }
    }
}

//! A unit of a numbered job as the workers of a queue compute it.
//!
//! A player cannot leave its search and enter it again. So a unit has a thread of its own, and the worker that has it
//! waits. When other units come first, the player pauses where it is and the worker leaves; what the player does
//! depends on its unit alone. A player whose unit was stopped in the midst of a game is not used again.

use super::portable::PlayedElsewhere;
use crate::core::panic::panic_text;
use crate::jobs::numbered::NumberedJob;
use crate::queue::copies::UnitCopy;
use crate::queue::{Lease, Portable, Unit};
use crate::runner::contract::Trap;
use crate::runner::cpu::thread_seconds;
use crate::runner::pause_point::PausePoint;
use crate::solvers::matches::own::MoveClock;
use crossbeam_channel::{Receiver, RecvTimeoutError, TryRecvError, bounded};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time between two looks whether the player has to yield its worker.
const LOOK: Duration = Duration::from_millis(2);

/// Computes units of a job, one after the other.
pub trait UnitPlayer<O>: Send {
    /// What a unit ends with. It passes the clock often; when that says that it is stopped, whatever is returned is
    /// thrown away.
    ///
    /// # Errors
    /// Why there is no outcome; there never will be one.
    fn play(&mut self, unit: u64, clock: &UnitClock<'_>) -> Result<O, String>;

    /// What the last unit leaves beside its outcome: it goes into a file of its own ([`super::parts`]).
    fn take_part(&mut self) -> Option<Vec<u8>> {
        None
    }
}

/// What a unit ends with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedOutcome<O> {
    /// What goes into the file of outcomes.
    pub record: O,
    /// What is too long for that, and goes into a file of its own before.
    pub part: Option<Vec<u8>>,
}

/// Why a unit has no outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoOutcome {
    /// There never will be one, for this reason.
    Never(String),
    /// A machine took so long that time would have decided. The coordinator's process computes it.
    Late,
}

/// Makes a [`UnitPlayer`].
pub type PlayerMaker<O> = Box<dyn Fn() -> Result<Box<dyn UnitPlayer<O>>, String> + Send + Sync>;

/// The players of a job that have no unit at present. Their memory is used again.
pub struct PlayerPool<O> {
    make: PlayerMaker<O>,
    idle: Mutex<Vec<Box<dyn UnitPlayer<O>>>>,
}

impl<O> PlayerPool<O> {
    /// A pool that makes its players so.
    pub fn new(make: PlayerMaker<O>) -> PlayerPool<O> {
        PlayerPool { make, idle: Mutex::default() }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Box<dyn UnitPlayer<O>>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Result<Box<dyn UnitPlayer<O>>, String> {
        let idle = self.idle().pop();
        idle.map_or_else(|| (self.make)(), Ok)
    }
}

/// How a unit is controlled while its player plays.
#[derive(Debug, Default)]
struct PlayControl {
    point: PausePoint,
    stopped: AtomicBool,
    /// How often the player has passed the point.
    passes: AtomicU64,
}

/// The clock of a player, and the point where it pauses. Time is that of the processor, so that a move gets as much
/// whatever else the machine does.
#[derive(Debug)]
pub struct UnitClock<'c> {
    control: &'c Arc<PlayControl>,
    /// When the move began, and the processor time of the thread by then.
    began: Mutex<(Instant, Option<f64>)>,
    /// For a coordinator elsewhere time counts for nothing, so that the outcome is the same on any machine; but after
    /// so many seconds of a move there is none.
    most: Option<f64>,
    late: AtomicBool,
}

impl UnitClock<'_> {
    /// The player passes, and waits first while others have its worker.
    fn pass(&self) {
        self.control.passes.fetch_add(1, Ordering::Relaxed);
        self.control.point.pass();
    }

    /// What [`UnitClock::stops`] does, for a search that lives longer than this value.
    pub fn stopping(&self) -> impl Fn() -> bool + Send + Sync + 'static + use<> {
        let control = Arc::clone(self.control);
        move || {
            control.passes.fetch_add(1, Ordering::Relaxed);
            control.point.pass();
            control.stopped.load(Ordering::SeqCst)
        }
    }

    /// Waits while others have the worker, and tells whether to stop.
    pub fn stops(&self) -> bool {
        self.pass();
        self.is_stopped()
    }
}

impl MoveClock for UnitClock<'_> {
    fn begin(&self) {
        self.pass();
        *self.began.lock().unwrap_or_else(PoisonError::into_inner) = (Instant::now(), thread_seconds());
    }

    fn seconds(&self) -> f64 {
        self.pass();
        if self.is_stopped() {
            return f64::INFINITY;
        }
        let (began, cpu) = *self.began.lock().unwrap_or_else(PoisonError::into_inner);
        // Without a clock of the processor, pauses count.
        let spent = cpu.and_then(|before| Some(thread_seconds()? - before));
        let spent = spent.unwrap_or_else(|| began.elapsed().as_secs_f64());
        match self.most {
            None => spent,
            Some(most) if spent < most => 0.0,
            Some(_) => {
                self.late.store(true, Ordering::SeqCst);
                f64::INFINITY
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.control.stopped.load(Ordering::SeqCst)
    }
}

/// Where a unit can be computed.
pub enum PlayedPlace<O> {
    /// By this process alone.
    HereOnly,
    /// By machines too, as one of several copies if some have to agree on it.
    Anywhere(Arc<dyn PlayedElsewhere<O>>, Option<UnitCopy>),
    /// Here, for a coordinator elsewhere; if time may decide, at most so many seconds for a move.
    FromElsewhere(Option<f64>),
}

impl<O> Clone for PlayedPlace<O> {
    fn clone(&self) -> PlayedPlace<O> {
        match self {
            PlayedPlace::HereOnly => PlayedPlace::HereOnly,
            PlayedPlace::Anywhere(job, copy) => PlayedPlace::Anywhere(Arc::clone(job), copy.clone()),
            PlayedPlace::FromElsewhere(most) => PlayedPlace::FromElsewhere(*most),
        }
    }
}

/// A unit of a numbered job.
pub struct PlayedUnit<J: NumberedJob> {
    number: u64,
    players: Arc<PlayerPool<J::Outcome>>,
    trap: Option<Trap>,
    place: PlayedPlace<J::Outcome>,
}

impl<J: NumberedJob> PlayedUnit<J> {
    /// The unit of a number, for players out of a pool.
    pub fn new(
        number: u64,
        players: Arc<PlayerPool<J::Outcome>>,
        trap: Option<Trap>,
        place: PlayedPlace<J::Outcome>,
    ) -> PlayedUnit<J> {
        PlayedUnit { number, players, trap, place }
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn place(&self) -> &PlayedPlace<J::Outcome> {
        &self.place
    }
}

impl<J: NumberedJob> Clone for PlayedUnit<J> {
    fn clone(&self) -> PlayedUnit<J> {
        let trap = self.trap.as_ref().map(Arc::clone);
        PlayedUnit { number: self.number, players: Arc::clone(&self.players), trap, place: self.place.clone() }
    }
}

impl<J: NumberedJob> fmt::Debug for PlayedUnit<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlayedUnit").field("number", &self.number).finish_non_exhaustive()
    }
}

/// A unit that was begun, on its thread.
pub struct BegunUnit<O> {
    control: Arc<PlayControl>,
    /// What the player says, or how it panicked.
    back: Receiver<Result<Result<PlayedOutcome<O>, NoOutcome>, String>>,
    /// Passes when it was last heard of.
    heard: Option<u64>,
}

impl<O> BegunUnit<O> {
    /// Lets its player go on, or has it pause where it passes next.
    pub(super) fn set_going(&self, going: bool) {
        if going { self.control.point.open() } else { self.control.point.close() }
    }

    /// What it has ended with, if it has: why there is no outcome, or how its player panicked.
    pub(super) fn ended(&self) -> Option<Result<PlayedOutcome<O>, String>> {
        match self.back.try_recv() {
            Ok(Ok(Err(NoOutcome::Never(why))) | Err(why)) => Some(Err(why)),
            Ok(Ok(Err(NoOutcome::Late))) => Some(Err("it took too long".to_owned())),
            Ok(Ok(Ok(outcome))) => Some(Ok(outcome)),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err("its thread has gone".to_owned())),
        }
    }
}

/// A unit that nobody waits for any more ends.
impl<O> Drop for BegunUnit<O> {
    fn drop(&mut self) {
        self.control.stopped.store(true, Ordering::SeqCst);
        self.control.point.open();
    }
}

impl<J: NumberedJob> Unit for PlayedUnit<J> {
    type Running = BegunUnit<J::Outcome>;
    type Report = ();
    type Outcome = Result<PlayedOutcome<J::Outcome>, NoOutcome>;

    fn begin(&self, attempt: u32) -> Result<BegunUnit<J::Outcome>, String> {
        if let Some(trap) = &self.trap {
            trap(self.number, attempt);
        }
        let control = Arc::new(PlayControl::default());
        let (sender, back) = bounded(1);
        let (number, players, own) = (self.number, Arc::clone(&self.players), Arc::clone(&control));
        let most = if let PlayedPlace::FromElsewhere(most) = self.place { most } else { None };
        let play = move || {
            let played = catch_unwind(AssertUnwindSafe(|| {
                let mut player = players.take().map_err(NoOutcome::Never)?;
                let (began, late) = (Mutex::new((Instant::now(), None)), AtomicBool::new(false));
                let clock = UnitClock { control: &own, began, most, late };
                let outcome = player.play(number, &clock);
                let outcome = outcome.map(|record| PlayedOutcome { record, part: player.take_part() });
                if !clock.is_stopped() {
                    players.idle().push(player);
                }
                let is_late = clock.late.load(Ordering::SeqCst);
                if is_late { Err(NoOutcome::Late) } else { outcome.map_err(NoOutcome::Never) }
            }));
            // Nobody may want it any more.
            let _ = sender.send(played.map_err(|panic| panic_text(&*panic)));
            own.point.end();
        };
        let spawned = std::thread::Builder::new().name("player".to_owned()).spawn(play);
        spawned.map_err(|error| format!("its thread cannot be started: {error}"))?;
        Ok(BegunUnit { control, back, heard: None })
    }

    fn run(&self, running: &mut Self::Running, lease: &dyn Lease<()>) -> Option<Self::Outcome> {
        let unwrap = |played: Result<Self::Outcome, String>| match played {
            // The coordinator elsewhere cannot know whether there never will be one.
            Ok(Err(NoOutcome::Never(why))) if matches!(self.place, PlayedPlace::FromElsewhere(_)) => {
                std::panic::panic_any(why)
            }
            Ok(outcome) => outcome,
            // The queue notes that the attempt has failed, and with what.
            Err(panic) => std::panic::panic_any(panic),
        };
        running.control.point.open();
        loop {
            match running.back.recv_timeout(LOOK) {
                Ok(played) => return Some(unwrap(played)),
                Err(RecvTimeoutError::Disconnected) => std::panic::panic_any("its thread has gone".to_owned()),
                Err(RecvTimeoutError::Timeout) => {
                    let passes = Some(running.control.passes.load(Ordering::Relaxed));
                    // One that does not pass, as while it looks for an opening, could be waited for in vain.
                    let silent = std::mem::replace(&mut running.heard, passes) == passes;
                    if lease.stop().is_some() && !silent {
                        running.control.point.close();
                        // It may just have ended.
                        return running.back.try_recv().ok().map(unwrap);
                    }
                }
            }
        }
    }

    /// With a trap it stays here.
    fn portable(&self) -> Option<&dyn Portable<(), Self::Outcome>> {
        (!matches!(self.place, PlayedPlace::HereOnly) && self.trap.is_none()).then_some(self as _)
    }
}

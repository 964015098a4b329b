//! The main thread of a session while workers compute its units: it hands out units, absorbs what they find, and
//! saves.

use super::{HuntSession, origin};
use crate::jobs::hunt::{NextUnit, UnitResult};
use crate::queue::local::{Local, LocalOptions};
use crate::queue::{Inbox, Message, Terms};
use crate::runner::archive::novelty::Novelty;
use crate::runner::archive::{Archive, ArchiveMark, KeptFind};
use crate::runner::best;
use crate::runner::clock::now;
use crate::runner::contract::{
    Clocking, Ending, FailedAttempt, HuntListener, SessionLimits, SessionReport, WorkerShare,
};
use crate::runner::error::RunError;
use crate::runner::events::{self, HuntEvent, HuntEventKind, StopReason};
use crate::runner::main_loop::{Due, LoopedSession, SHOW, SessionLane, run_loop};
use crate::runner::orders::{Interrupt, OrderReceiver, orders};
use crate::runner::progress::{Progress, RateMeter, RunningUnit};
use crate::runner::state::{Checkpoint, InFlight};
use crate::runner::status::Status;
use crate::runner::worker::{
    FreshFind, HuntContext, HuntOutcome, HuntReport, HuntUnit, NOBODY, Offered, UnitFigures,
};
use crossbeam_channel::unbounded;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Time between two writings of the status files and flushes of the journal.
const WRITE: Duration = Duration::from_secs(1);
/// So long after the workers have been asked for their states, or as long as checkpoints are apart, the checkpoint is
/// written with what they have offered.
const OFFER: Duration = Duration::from_secs(1);
/// A hunt is given up when so many of its units are quarantined.
const MOST_QUARANTINED: usize = 100;
/// Estimate of the memory of a search: this many times its saved state, and some bytes more.
const TIMES_STATE: u64 = 2;
const BESIDES_STATE: u64 = 256 << 10;

/// Bytes of the archive's limit that are kept for grids longer than all before.
const RESERVE: u64 = 64 << 10;
/// More bytes than any grid takes in the archive.
const LONGEST_GRID: u64 = 2 << 10;

/// The log tells how the hunt stands when so great a share of its time has passed since it last did, but no more
/// often than every five seconds and no more seldom than every minute.
const TELL: f64 = 1.0 / 60.0;
const TELL_SECONDS: (f64, f64) = (5.0, 60.0);

impl HuntSession {
    /// Hunts with workers of its own until the hunt is over, its time is up, or `interrupt` asks to stop. The state
    /// is saved before this returns, with an error too as far as the disk allows.
    ///
    /// # Errors
    /// If a file cannot be written, the observer fails, or a search does.
    pub fn run(self, interrupt: &Interrupt, observer: &mut dyn HuntListener) -> Result<SessionReport, RunError> {
        let queue = Arc::new(Local::new(self.workers, LocalOptions::default())?);
        let (_orders, ordered) = orders();
        let place = WorkerShare { queue, terms: Terms::default(), clocking: Clocking::Wall };
        self.run_on(&place, interrupt, &ordered, observer)
    }

    /// The same with workers that others use too, and with orders from outside.
    ///
    /// # Errors
    /// See [`HuntSession::run`].
    pub fn run_on(
        mut self,
        place: &WorkerShare<HuntUnit>,
        interrupt: &Interrupt,
        ordered: &OrderReceiver,
        observer: &mut dyn HuntListener,
    ) -> Result<SessionReport, RunError> {
        let (lane, shared) = open_lane(&mut self, place);
        self.elapsed = lane.stopwatch();
        let begun = self.searches.values().fold(0u64, |sum, search| sum.saturating_add(search.iterations()));
        let before = self.hunt.state().totals.iterations.saturating_add(begun);
        let what = events::SessionStart::of(self.hunt.job(), self.workers, before);
        let what = if self.resumed { HuntEventKind::Resume(what) } else { HuntEventKind::Start(what) };
        self.tell(what, observer)?;
        self.notices.drain(..).for_each(|notice| observer.noticed(&notice));
        observer.began(lane.id);
        let old = self.store.is_old();
        let mut hunting = Hunting::new(&mut self, observer, lane, shared);
        if old {
            hunting.checkpoint()?;
        }
        let hunted = hunting.hunt(interrupt, ordered);
        let halted = hunting.halt();
        let ending = match hunted {
            Ok(ending) => ending,
            Err(error) => {
                // What is on disk is whole and in force. The state in memory may be saved unless a grid or a result
                // is missing from it.
                if !hunting.incomplete {
                    let _ = hunting.checkpoint();
                }
                let status = hunting.status();
                let _ = observer.status(&status);
                let _ = self.tell(closing(Ending::Stopped(StopReason::Failed), &status), observer);
                return Err(error);
            }
        };
        halted?;
        hunting.checkpoint()?;
        let status = hunting.status();
        self.write_status(&status)?;
        self.tell(closing(ending, &status), observer)?;
        Ok(SessionReport { ending, status })
    }
}

/// The last event of a session.
fn closing(ending: Ending, status: &Status) -> HuntEventKind {
    let Progress { best: score, iterations, units_done: units, .. } = status.progress;
    match ending {
        Ending::Over(reason) => HuntEventKind::End { reason, score, iterations, units },
        Ending::Stopped(reason) => HuntEventKind::Stop { reason, score, iterations, units },
    }
}

/// Opens the session's lane, and makes what its units share.
fn open_lane(session: &mut HuntSession, place: &WorkerShare<HuntUnit>) -> (SessionLane<HuntUnit>, Arc<HuntContext>) {
    let novelty = session.novelty.take();
    let job = session.hunt.job();
    let shared = Arc::new(HuntContext {
        variant: job.variant,
        params: job.params.clone(),
        target: job.target,
        best: AtomicU32::new(session.hunt.state().score()),
        novelty,
        waiting: AtomicUsize::new(0),
        trap: session.trap.clone(),
    });
    let (inbox, messages) = unbounded();
    let context = Arc::clone(&shared);
    let count = move |message| {
        context.waiting.fetch_add(1, Ordering::Relaxed);
        let _ = inbox.send(message);
    };
    (SessionLane::with_inbox(place, Inbox::new(count), messages), shared)
}

/// When something of a hunt is due.
struct HuntPace {
    shown: Due,
    written: Due,
    /// The workers are asked for their states.
    asked: Due,
    /// They have been asked: when the checkpoint is written with what they have offered.
    take: Option<Instant>,
    /// Seconds of the hunt when the log was told last.
    told: f64,
}

/// A session while its lane is open.
pub(super) struct Hunting<'a> {
    session: &'a mut HuntSession,
    observer: &'a mut dyn HuntListener,
    lane: SessionLane<HuntUnit>,
    shared: Arc<HuntContext>,
    pace: HuntPace,
    /// Units in the queue.
    in_hand: BTreeMap<u64, Arc<UnitFigures>>,
    /// Units that are quarantined, and what the first of them said.
    quarantined: BTreeSet<u64>,
    first_failure: Option<(u64, String)>,
    /// When the archive has so many bytes, only longer grids are kept.
    raise_at: Option<u64>,
    /// The rest of its limit is for grids longer than all before.
    in_reserve: bool,
    /// Moves of the longest grid of the archive.
    longest: u32,
    /// A report could not be written down. Nothing more is absorbed or saved, so that the units in hand are computed
    /// again from where the files are.
    incomplete: bool,
    rate: RateMeter,
}

impl<'a> Hunting<'a> {
    /// With nothing handed out.
    pub fn new(
        session: &'a mut HuntSession,
        observer: &'a mut dyn HuntListener,
        lane: SessionLane<HuntUnit>,
        shared: Arc<HuntContext>,
    ) -> Hunting<'a> {
        let pace = HuntPace {
            shown: Due::at_once(SHOW),
            written: Due::at_once(WRITE),
            asked: Due::every(session.pace),
            take: None,
            told: session.seconds(),
        };
        let longest = shared.novelty.as_ref().map_or(0, Novelty::longest);
        Hunting {
            session,
            observer,
            lane,
            shared,
            pace,
            in_hand: BTreeMap::new(),
            quarantined: BTreeSet::new(),
            first_failure: None,
            raise_at: None,
            in_reserve: false,
            longest,
            incomplete: false,
            rate: RateMeter::new(0),
        }
    }

    /// Hands out units and absorbs messages until there is a reason to end.
    pub fn hunt(&mut self, interrupt: &Interrupt, ordered: &OrderReceiver) -> Result<Ending, RunError> {
        self.rate.restart(self.iterations());
        run_loop(self, interrupt, ordered)
    }

    /// How many units are to be in the queue at once.
    fn room(&self) -> Result<usize, RunError> {
        let workers = self.lane.workers();
        let Some(limit) = self.session.limits.memory else { return Ok(workers) };
        let state = self.session.saved.values().map(|unit| unit.saved.len() as u64).max().unwrap_or(0);
        let needed = state.saturating_mul(TIMES_STATE).saturating_add(BESIDES_STATE);
        match limit / needed {
            0 => Err(RunError::Memory { needed, limit }),
            fit => Ok(workers.min(usize::try_from(fit).unwrap_or(usize::MAX))),
        }
    }

    fn quarantine(&mut self, unit: u64, reason: String) -> Result<(), RunError> {
        self.in_hand.remove(&unit);
        self.quarantined.insert(unit);
        self.first_failure.get_or_insert((unit, reason));
        // A strategy whose every run fails would never end.
        if self.quarantined.len() >= MOST_QUARANTINED { Err(self.given_up()) } else { Ok(()) }
    }

    /// Nothing is left but quarantined units.
    fn given_up(&self) -> RunError {
        let (unit, reason) = self.first_failure.clone().unwrap_or((0, "no unit is left".to_owned()));
        RunError::Failed { unit, reason }
    }

    fn write_down(&mut self, message: Message<HuntUnit>) -> Result<(), RunError> {
        match message {
            Message::Report { unit, report: HuntReport::Improved(find) } => self.improved(unit, find),
            Message::Report { unit, report: HuntReport::Found(key, find) } => self.found(unit, key, find),
            Message::Report { report: HuntReport::Refused(error), .. } => Err(error.into()),
            Message::Done { unit, outcome: HuntOutcome::Reached, .. } => {
                self.remember(unit);
                self.in_hand.remove(&unit);
                Ok(())
            }
            Message::Done { unit, worker, outcome: HuntOutcome::Ended(result), efforts } => {
                let session = &mut *self.session;
                self.in_hand.remove(&unit);
                session.saved.remove(&unit);
                let UnitResult { end, iterations, best, .. } = result;
                let Some(record) = session.hunt.absorb(unit, result) else { return Ok(()) };
                session.store.append(&record)?;
                self.observer.computed(unit, &efforts);
                let what = HuntEventKind::Unit { unit, thread: worker, end, iterations, best };
                let event = HuntEvent { v: events::VERSION, time: now(), seconds: session.seconds(), what };
                self.observer.event(&event).map_err(RunError::Observer)
            }
            Message::Failed { unit, attempts, error, quarantined } => {
                self.observer.failed(&FailedAttempt { unit, attempts, error: error.clone(), quarantined });
                if quarantined { self.quarantine(unit, error) } else { Ok(()) }
            }
        }
    }

    fn improved(&mut self, unit: u64, find: FreshFind) -> Result<(), RunError> {
        let session = &mut *self.session;
        let seconds = session.seconds_at(find.at);
        let best = find.of(unit, seconds);
        if best.score() <= session.hunt.state().score() {
            return Ok(());
        }
        best::check(session.hunt.job(), &best)?;
        let event = session.best_event(&best);
        let Some(record) = session.hunt.absorb_find(best.clone()) else { return Ok(()) };
        session.store.append(&record)?;
        best::write(session.directory.path(), session.hunt.job(), &best)?;
        session.log.append(&event)?;
        self.observer.best(&best);
        self.observer.event(&event).map_err(RunError::Observer)
    }

    fn found(&mut self, unit: u64, key: u64, find: FreshFind) -> Result<(), RunError> {
        let score = find.moves.len() as u32;
        if !self.has_room(score) {
            if let Some(novelty) = &self.shared.novelty {
                novelty.forget(key, score);
            }
            self.keep_within(self.archive_length());
            return Ok(());
        }
        let session = &mut *self.session;
        let seconds = session.seconds_at(find.at);
        let find = KeptFind { key, find: find.of(unit, seconds) };
        let archive = match &mut session.archive {
            Some(archive) => archive,
            none => none.insert(Archive::open(session.directory.path(), &origin(session.hunt.job()), |_| ())?),
        };
        archive.append(&find)?;
        let used = archive.mark().length;
        self.longest = self.longest.max(find.find.score());
        session.store.rest_on(used);
        self.observer.found(&find);
        self.keep_within(used);
        Ok(())
    }

    /// Whether the archive has room for a grid of this score. Workers may have found it before they were told to look
    /// for longer ones.
    fn has_room(&self, score: u32) -> bool {
        let Some(limit) = self.session.limits.disk else { return true };
        match limit.saturating_sub(self.archive_length()) {
            ..LONGEST_GRID => false,
            LONGEST_GRID..RESERVE => score > self.longest,
            RESERVE.. => self.shared.novelty.as_ref().is_none_or(|novelty| score >= novelty.keep_from()),
        }
    }

    fn archive_length(&self) -> u64 {
        self.session.archive.as_ref().map_or(0, |archive| archive.mark().length)
    }

    /// Keeps the archive within its limit on the disk. Each time that half of the room that was left is used, only
    /// longer grids are kept from then on; what is left at last is for grids that are longer than all before.
    fn keep_within(&mut self, used: u64) {
        let (Some(limit), Some(novelty)) = (self.session.limits.disk, &self.shared.novelty) else { return };
        let room = limit.saturating_sub(used);
        let half = used.saturating_add(room / 2);
        let enough = room >= RESERVE && used < *self.raise_at.get_or_insert(half);
        if enough || novelty.keep_from() == u32::MAX {
            return;
        }
        self.raise_at = Some(half);
        let kept = if room < LONGEST_GRID {
            novelty.set_keep_from(u32::MAX);
            "no further grids are kept".to_owned()
        } else if room < RESERVE {
            novelty.set_keep_from(self.longest.saturating_add(1));
            if std::mem::replace(&mut self.in_reserve, true) {
                return;
            }
            "only grids that are longer than all before are kept from now on".to_owned()
        } else {
            format!("only grids of at least {} moves are kept from now on", novelty.keep_better_half())
        };
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        let (used, limit) = (megabytes(used), megabytes(limit));
        self.observer
            .noticed(&format!("the archive takes {used:.1} of the {limit:.1} MB of disk that it may: {kept}"));
    }

    /// Writes the status files, flushes what was found to the device, and tells the log now and then.
    fn write_down_status(&mut self, status: &Status) -> Result<(), RunError> {
        self.session.write_status(status)?;
        // In this order: no power cut leaves a finished unit whose grids are lost.
        let archive = self.flush_archive()?;
        self.session.store.flush(archive)?;
        let Progress { seconds, best: score, iterations, units_done: units, ref running, .. } = status.progress;
        if seconds - self.pace.told >= (seconds * TELL).clamp(TELL_SECONDS.0, TELL_SECONDS.1) {
            self.pace.told = seconds;
            let running = running.len() as u32;
            self.session.tell(HuntEventKind::Progress { score, iterations, units, running }, self.observer)?;
        }
        Ok(())
    }

    /// Flushes the archive to the device: what it holds.
    fn flush_archive(&mut self) -> Result<ArchiveMark, RunError> {
        let Some(archive) = &mut self.session.archive else { return Ok(ArchiveMark::default()) };
        archive.flush()?;
        Ok(archive.mark())
    }

    /// Notes the last state of a unit, if it is younger than what is known.
    fn remember(&mut self, unit: u64) {
        let Some(offered) = self.in_hand.get(&unit).and_then(|progress| progress.offered()) else { return };
        let Offered { iterations, best, ref saved } = *offered;
        if self.session.saved.get(&unit).is_none_or(|known| known.iterations < iterations) {
            self.session.saved.insert(unit, InFlight { id: unit, iterations, best, saved: saved.clone() });
        }
    }

    /// Writes a checkpoint. What the searches have offered is fetched before their messages are absorbed: what they
    /// had found by then has been sent, so a state never runs ahead of the best grid saved with it, nor of the
    /// archive.
    pub fn checkpoint(&mut self) -> Result<(), RunError> {
        let units: Vec<u64> = self.in_hand.keys().copied().collect();
        units.into_iter().for_each(|unit| self.remember(unit));
        self.drain()?;
        self.observer.saving().map_err(RunError::Observer)?;
        let archive = self.flush_archive()?;
        let session = &mut *self.session;
        let checkpoint = Checkpoint {
            job: session.hunt.job().clone(),
            state: session.hunt.snapshot(),
            in_flight: session.saved.values().cloned().collect(),
            seconds: session.seconds(),
            time_limit: session.limits.seconds,
            workers: session.workers,
            archive,
        };
        Ok(session.store.checkpoint(&checkpoint)?)
    }

    /// How the hunt stands.
    pub fn status(&mut self) -> Status {
        let iterations = self.iterations();
        let rate = self.rate.rate(iterations);
        let state = self.session.hunt.state();
        let progress = Progress {
            seconds: self.session.seconds(),
            iterations,
            rate,
            units_done: state.totals.units,
            units_stalled: state.totals.stalled,
            best: state.score(),
            running: self.running(),
        };
        Status::of(&self.session.hunt, progress)
    }

    /// The units that workers compute, by worker.
    fn running(&self) -> Vec<RunningUnit> {
        let mut running = Vec::new();
        for (&unit, figures) in &self.in_hand {
            let worker = figures.worker.load(Ordering::Relaxed);
            if worker != NOBODY {
                let (iterations, best) =
                    (figures.iterations.load(Ordering::Relaxed), figures.best.load(Ordering::Relaxed));
                let phase = figures.phase();
                running.push(RunningUnit { worker: Some(worker), ticket: unit, unit, iterations, best, phase });
            }
        }
        running.sort_unstable_by_key(|running| running.worker);
        running
    }
}

impl LoopedSession for Hunting<'_> {
    type Unit = HuntUnit;
    type Ending = Ending;
    type Error = RunError;

    fn stopped(reason: StopReason) -> Ending {
        Ending::Stopped(reason)
    }

    fn no_workers() -> RunError {
        RunError::NoWorkers
    }

    fn lane(&mut self) -> &mut SessionLane<HuntUnit> {
        &mut self.lane
    }

    fn limits(&self) -> SessionLimits {
        self.session.limits
    }

    fn seconds(&self) -> f64 {
        self.session.seconds()
    }

    /// Iterations so far, including those of begun units that wait.
    fn iterations(&self) -> u64 {
        let saved = self.session.saved.values().filter(|unit| !self.in_hand.contains_key(&unit.id));
        let waiting = saved.fold(0u64, |sum, unit| sum.saturating_add(unit.iterations));
        let in_hand = self.in_hand.values().map(|progress| progress.iterations.load(Ordering::Relaxed));
        let done = self.session.hunt.state().totals.iterations.saturating_add(waiting);
        in_hand.fold(done, u64::saturating_add)
    }

    /// Puts units into the queue as long as workers may be free.
    fn advance(&mut self) -> Result<Option<Ending>, RunError> {
        if self.lane.course.paused {
            return Ok(None);
        }
        let room = self.room()?;
        while self.in_hand.len() < room {
            // Units that an earlier session began are among those to be done.
            if self.lane.course.draining && self.session.hunt.pending().next().is_none() {
                return Ok(self.in_hand.is_empty().then_some(Ending::Stopped(StopReason::Drained)));
            }
            match self.session.hunt.next() {
                NextUnit::Unit(work) if self.session.quarantined.contains(&work.id) => {
                    self.quarantine(work.id, "it failed in an earlier session".to_owned())?;
                }
                NextUnit::Unit(work) => {
                    let id = work.id;
                    let begun = self.session.searches.remove(&id).map(|search| {
                        let saved = self.session.saved.get(&id);
                        let (iterations, best) = (search.iterations(), search.best());
                        let saved = saved.map_or_else(|| search.save(), |unit| unit.saved.clone());
                        (search, Offered { iterations, best, saved })
                    });
                    let unit = HuntUnit::new(&self.shared, work, begun);
                    self.in_hand.insert(id, Arc::clone(unit.progress()));
                    self.lane.put(id, unit).map_err(|_| RunError::NoWorkers)?;
                }
                NextUnit::Wait if self.in_hand.is_empty() => return Err(self.given_up()),
                NextUnit::Wait => break,
                NextUnit::Finished(over) => return Ok(Some(Ending::Over(over))),
            }
        }
        Ok(None)
    }

    fn hear(&mut self, message: Message<HuntUnit>) -> Result<(), RunError> {
        self.shared.waiting.fetch_sub(1, Ordering::Relaxed);
        if self.incomplete {
            return Ok(());
        }
        let absorbed = self.write_down(message);
        // That too many units failed is no fault of the files.
        self.incomplete = matches!(&absorbed, Err(error) if !matches!(error, RunError::Failed { .. }));
        absorbed
    }

    /// Those that come meanwhile wait.
    fn drain(&mut self) -> Result<(), RunError> {
        for _ in 0..self.lane.waiting() {
            let Some(message) = self.lane.message() else { break };
            self.hear(message)?;
        }
        Ok(())
    }

    /// Stops the workers and absorbs their last messages, up to the first that cannot be written down.
    fn halt(&mut self) -> Result<(), RunError> {
        self.lane.halt();
        let mut result = Ok(());
        while let Some(message) = self.lane.message() {
            let taken = self.hear(message);
            result = result.and(taken);
        }
        result
    }

    fn paused(&mut self) -> Result<(), RunError> {
        self.checkpoint()?;
        let status = self.status();
        self.session.write_status(&status)?;
        self.observer.status(&status).map_err(RunError::Observer)
    }

    fn resumed(&mut self) {
        self.rate.restart(self.iterations());
    }

    fn adjusted(&mut self, limits: SessionLimits) -> Result<(), RunError> {
        if limits.disk != self.session.limits.disk
            && let (Some(novelty), Some(keep_from)) = (&self.shared.novelty, self.session.hunt.job().keep_from)
        {
            novelty.reopen(keep_from);
            (self.raise_at, self.in_reserve) = (None, false);
        }
        self.session.limits = limits;
        self.session.workers = self.lane.workers() as u32;
        Ok(())
    }

    fn keep_up(&mut self) -> Result<(), RunError> {
        if self.pace.shown.is_due() {
            self.pace.shown.restart();
            let status = self.status();
            self.observer.status(&status).map_err(RunError::Observer)?;
            if self.pace.written.is_due() {
                self.pace.written.restart();
                self.write_down_status(&status)?;
            }
        }
        let at = Instant::now();
        match self.pace.take {
            None if self.pace.asked.is_due() => {
                self.in_hand.values().for_each(|progress| progress.wanted.store(true, Ordering::Relaxed));
                self.pace.take = Some(at + OFFER.min(self.session.pace));
            }
            Some(due) if at >= due && self.observer.may_save() => {
                self.checkpoint()?;
                self.pace.take = None;
                self.pace.asked.restart();
            }
            _ => {}
        }
        Ok(())
    }
}

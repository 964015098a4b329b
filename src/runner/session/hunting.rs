//! The main thread of a session while its workers are at work: it hands out units, takes in what they find, and saves.

use super::{Ending, Interrupt, Observer, RunError, Session, now, origin, rounded};
use crate::jobs::hunt::{Best, Over, Step};
use crate::runner::archive::{Archive, Find};
use crate::runner::best;
use crate::runner::events::{self, Event, Stopped, What};
use crate::runner::state::{Checkpoint, InFlight};
use crate::runner::status::{Running, Status};
use crate::runner::worker::{Assignment, Message, NO_UNIT, Shared, Worker};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// The main thread looks for a stop at least so often.
const LOOK: Duration = Duration::from_millis(50);
/// The observer is shown the status so often.
const SHOW: Duration = Duration::from_millis(250);
/// The status files are rewritten and the journal is flushed so often.
const WRITE: Duration = Duration::from_secs(1);
/// So long after the workers have been asked for their states, or as long as checkpoints are apart, the checkpoint is
/// written with what they have offered.
const OFFER: Duration = Duration::from_secs(1);
/// A worker that has not stopped by then is left behind; its unit goes on from its last checkpoint.
const PATIENCE: Duration = Duration::from_millis(500);

/// The log tells how the hunt stands when so great a share of its time has passed since it last did, but no more often
/// than every five seconds and no more seldom than every minute.
const TELL: f64 = 1.0 / 60.0;
const TELL_SECONDS: (f64, f64) = (5.0, 60.0);

/// The workers of a session and the channels to them.
pub(super) struct Crew {
    shared: Arc<Shared>,
    units: Sender<Assignment>,
    messages: Receiver<Message>,
}

impl Crew {
    /// Starts the workers.
    pub fn muster(session: &mut Session) -> Result<Crew, RunError> {
        let novelty = session.novelty.take();
        let job = session.hunt.job();
        let workers = session.threads - 1;
        let shared = Arc::new(Shared::new(workers, session.hunt.state().score(), novelty));
        let (units, assigned) = bounded(workers as usize);
        let (sender, messages) = unbounded();
        let params = Arc::new(job.params.clone());
        for thread in 1..=workers {
            let worker = Worker {
                thread,
                variant: job.variant,
                params: Arc::clone(&params),
                target: job.target,
                shared: Arc::clone(&shared),
                units: assigned.clone(),
                messages: sender.clone(),
            };
            let name = format!("worker {thread}");
            let spawned = std::thread::Builder::new().name(name).spawn(move || worker.run());
            spawned.map_err(|source| RunError::Spawn { thread, source })?;
        }
        Ok(Crew { shared, units, messages })
    }
}

/// A session while its workers are at work.
pub(super) struct Hunting<'a> {
    session: &'a mut Session,
    observer: &'a mut dyn Observer,
    crew: Crew,
    /// Workers without a unit.
    free: usize,
    /// Iterations at the last look at the rate.
    counted: u64,
    /// Iterations per second, averaged over the last seconds.
    rate: f64,
    rated_at: Instant,
}

impl<'a> Hunting<'a> {
    /// With all workers free.
    pub fn new(session: &'a mut Session, observer: &'a mut dyn Observer, crew: Crew) -> Hunting<'a> {
        let free = crew.shared.slots.len();
        Hunting { session, observer, crew, free, counted: 0, rate: 0.0, rated_at: Instant::now() }
    }

    /// Hands out units and takes in messages until there is a reason to end.
    pub fn hunt(&mut self, interrupt: &Interrupt) -> Result<Ending, RunError> {
        let start = Instant::now();
        let pace = self.session.pace;
        let (mut show, mut write, mut ask) = (start, start, start + pace);
        let mut take = None;
        let mut told = self.session.seconds();
        self.counted = self.status().iterations;
        loop {
            if let Some(over) = self.assign()? {
                return Ok(Ending::Over(over));
            }
            match self.crew.messages.recv_timeout(LOOK) {
                Ok(message) => {
                    self.take_in(message)?;
                    self.drain()?;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(RunError::NoWorkers),
            }
            if interrupt.asked() {
                return Ok(Ending::Stopped(Stopped::Interrupted));
            }
            let at = Instant::now();
            if self.session.time_limit.is_some_and(|limit| self.session.seconds_at(at) >= limit) {
                return Ok(Ending::Stopped(Stopped::Time));
            }
            if at >= show {
                show = at + SHOW;
                let status = self.status();
                self.observer.status(&status).map_err(RunError::Observer)?;
                if at >= write {
                    write = at + WRITE;
                    self.session.write_status(&status)?;
                    self.session.store.flush()?;
                    self.flush_archive()?;
                    if status.seconds - told >= (status.seconds * TELL).clamp(TELL_SECONDS.0, TELL_SECONDS.1) {
                        told = status.seconds;
                        let running = status.running.len() as u32;
                        let (score, iterations, units) = (status.best, status.iterations, status.ended);
                        self.session.tell(What::Progress { score, iterations, units, running }, self.observer)?;
                    }
                }
            }
            match take {
                None if at >= ask => {
                    self.crew.shared.slots.iter().for_each(|slot| slot.wanted.store(true, Ordering::Relaxed));
                    take = Some(at + OFFER.min(pace));
                }
                Some(due) if at >= due => {
                    self.checkpoint()?;
                    take = None;
                    ask = at + pace;
                }
                _ => {}
            }
        }
    }

    /// Gives units to the free workers; how the hunt is over, if it is.
    fn assign(&mut self) -> Result<Option<Over>, RunError> {
        while self.free > 0 {
            match self.session.hunt.next() {
                Step::Work(work) => {
                    let search = self.session.searches.remove(&work.id);
                    let handed = self.crew.units.send(Assignment { work, search });
                    handed.map_err(|_| RunError::NoWorkers)?;
                    self.free -= 1;
                }
                Step::Wait => break,
                Step::Finished(over) => return Ok(Some(over)),
            }
        }
        Ok(None)
    }

    /// Takes in the messages that are there.
    fn drain(&mut self) -> Result<(), RunError> {
        while let Ok(message) = self.crew.messages.try_recv() {
            self.take_in(message)?;
        }
        Ok(())
    }

    fn take_in(&mut self, message: Message) -> Result<(), RunError> {
        let session = &mut *self.session;
        match message {
            Message::Improved { thread, unit, unit_seed, moves, iterations, at } => {
                let ago = at.elapsed().as_secs_f64();
                let seconds = session.seconds_at(at);
                let best = Best { moves, unit, unit_seed, thread, iterations, seconds, time: rounded(now() - ago) };
                if best.score() <= session.hunt.state().score() {
                    return Ok(());
                }
                best::check(session.hunt.job().variant, &best)?;
                let event = session.best_event(&best);
                let Some(record) = session.hunt.improved(best.clone()) else { return Ok(()) };
                session.store.append(&record)?;
                best::write(session.directory.path(), session.hunt.job(), &best)?;
                session.log.append(&event)?;
                self.observer.event(&event).map_err(RunError::Observer)
            }
            Message::Found { key, thread, unit, unit_seed, moves, iterations, at } => {
                let ago = at.elapsed().as_secs_f64();
                let (seconds, time) = (session.seconds_at(at), rounded(now() - ago));
                let find = Find { key, moves, unit, unit_seed, thread, iterations, seconds, time };
                let archive = match &mut session.archive {
                    Some(archive) => archive,
                    none => {
                        none.insert(Archive::open(session.directory.path(), &origin(session.hunt.job()), |_| ())?)
                    }
                };
                Ok(archive.append(&find)?)
            }
            Message::Refused(error) => Err(error.into()),
            Message::Ended { thread, unit, end, iterations, best, results, game } => {
                self.free += 1;
                session.saved.remove(&unit);
                let record = match game {
                    Some(game) => session.hunt.called(unit, end, iterations, best, results, game),
                    None => session.hunt.ended(unit, end, iterations, best, results),
                };
                let Some(record) = record else { return Ok(()) };
                session.store.append(&record)?;
                let what = What::Unit { unit, thread, end, iterations, best };
                let event = Event { v: events::VERSION, time: now(), seconds: session.seconds(), what };
                self.observer.event(&event).map_err(RunError::Observer)
            }
            Message::Stopped { unit, iterations, best, saved } => {
                self.free += 1;
                session.saved.insert(unit, InFlight { id: unit, iterations, best, saved });
                Ok(())
            }
            Message::Panicked { unit, reason } => {
                self.free += 1;
                Err(RunError::Panicked { unit, reason })
            }
        }
    }

    /// Stops the workers and takes in their last messages. The first error is returned after all have been taken in.
    pub fn halt(&mut self) -> Result<(), RunError> {
        self.crew.shared.stop.store(true, Ordering::Relaxed);
        let deadline = Instant::now() + PATIENCE;
        let mut result = Ok(());
        while self.free < self.crew.shared.slots.len() {
            match self.crew.messages.recv_deadline(deadline) {
                Ok(message) => {
                    let taken = self.take_in(message);
                    result = result.and(taken);
                }
                Err(_) => break,
            }
        }
        result
    }

    fn flush_archive(&mut self) -> Result<(), RunError> {
        Ok(self.session.archive.as_mut().map_or(Ok(()), Archive::flush)?)
    }

    /// Writes a checkpoint. What the searches have offered is fetched before their messages are taken in: what they
    /// had found by then has been sent, so a state never runs ahead of the best grid saved with it, nor of the archive.
    pub fn checkpoint(&mut self) -> Result<(), RunError> {
        for slot in &self.crew.shared.slots {
            let offered = slot.offered.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(offer) = offered.filter(|offer| self.session.hunt.is_running(offer.unit)) {
                // A stopped search has said more since.
                let known = self.session.saved.get(&offer.unit).map_or(0, |unit| unit.iterations);
                if known <= offer.iterations {
                    let unit = InFlight {
                        id: offer.unit,
                        iterations: offer.iterations,
                        best: offer.best,
                        saved: offer.saved,
                    };
                    self.session.saved.insert(offer.unit, unit);
                }
            }
        }
        self.drain()?;
        self.flush_archive()?;
        let session = &mut *self.session;
        let checkpoint = Checkpoint {
            job: session.hunt.job().clone(),
            state: session.hunt.snapshot(),
            in_flight: session.saved.values().cloned().collect(),
            seconds: session.seconds(),
            time_limit: session.time_limit,
            threads: session.threads,
        };
        Ok(session.store.checkpoint(&checkpoint)?)
    }

    /// How the hunt stands, units that wait to be gone on with included in the iterations.
    pub fn status(&mut self) -> Status {
        let mut running = Vec::new();
        for (thread, slot) in (1..).zip(&self.crew.shared.slots) {
            let unit = slot.unit.load(Ordering::Relaxed);
            if unit != NO_UNIT {
                let (iterations, best) = (slot.iterations.load(Ordering::Relaxed), slot.best.load(Ordering::Relaxed));
                running.push(Running { thread, unit, iterations, best });
            }
        }
        let waiting = self.session.saved.values().filter(|unit| running.iter().all(|r| r.unit != unit.id));
        let waiting = waiting.fold(0u64, |sum, unit| sum.saturating_add(unit.iterations));
        let mut status = Status::of(&self.session.hunt, running, self.session.seconds());
        status.iterations = status.iterations.saturating_add(waiting);
        let passed = self.rated_at.elapsed().as_secs_f64();
        if passed >= 1.0 {
            self.rate = status.iterations.saturating_sub(self.counted) as f64 / passed;
            (self.counted, self.rated_at) = (status.iterations, Instant::now());
        }
        status.rate = self.rate;
        status
    }
}

//! A job of numbered units on the workers of a queue, beside other jobs: units go out, and their outcomes go into the
//! file.

use super::unit::{PlayedUnit, PlayerPool};
use super::{NumberedError, NumberedRun};
use crate::jobs::ending::JobEnd;
use crate::jobs::numbered::{NumberedCoordinator, NumberedJob, NumberedProgress};
use crate::queue::effort::Efforts;
use crate::queue::{LaneId, Message, Queue, Terms};
use crate::runner::contract::{Clocking, FailedAttempt, SessionLimits, Trap, WorkerShare};
use crate::runner::events::StopReason;
use crate::runner::orders::{GivenOrder, Interrupt, OrderReceiver, SessionOrder};
use crate::runner::progress::{Progress, RateMeter, RunningUnit};
use crossbeam_channel::{Receiver, select_biased, unbounded};
use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest time between two looks whether to stop.
const LOOK: Duration = Duration::from_millis(50);
/// Time between two reports of progress.
const SHOW: Duration = Duration::from_millis(250);
/// How long a pause waits for the workers.
const PATIENCE: Duration = Duration::from_millis(500);

/// Receives what happens; its errors stop the session.
pub trait NumberedListener<J: NumberedJob> {
    /// The session hands out units from now on, into this lane of the queue.
    fn began(&mut self, _lane: LaneId) {}

    /// A unit has ended, with so many nodes. Its outcome is in the file.
    fn ended(&mut self, _unit: u64, _nodes: u64, _efforts: &Efforts) {}

    /// An attempt at a unit has failed.
    fn failed(&mut self, _failure: &FailedAttempt) {}

    /// The progress, a few times per second.
    ///
    /// # Errors
    /// If it cannot be shown.
    fn progress(&mut self, now: &NumberedStanding<J>) -> io::Result<()>;

    /// Whether what [`NumberedListener::saving`] is for may be written now. What is not urgent is put off.
    fn may_save(&self) -> bool {
        true
    }

    /// Time to write down what is not in the file of the job: its course.
    ///
    /// # Errors
    /// If what was reported is not safe.
    fn saving(&mut self, _now: &NumberedStanding<J>) -> io::Result<()> {
        Ok(())
    }
}

/// How a job of numbered units stands.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberedStanding<J: NumberedJob> {
    /// As of any job; its iterations are nodes of units that have ended.
    pub progress: Progress,
    /// Which units are done.
    pub units: NumberedProgress,
    /// What their outcomes come to.
    pub tally: J::Tally,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberedEnding {
    /// All units are done.
    Done,
    /// What was done is enough.
    Decided,
    /// It can continue.
    Stopped(StopReason),
}

impl NumberedEnding {
    /// The end of the job, if it is not to be resumed.
    pub fn job_end<J: NumberedJob>(self, coordinator: &NumberedCoordinator<J>) -> Option<JobEnd> {
        match self {
            NumberedEnding::Done => Some(coordinator.job().end(coordinator.tally())),
            NumberedEnding::Decided => Some(coordinator.job().decision(coordinator.tally())),
            NumberedEnding::Stopped(reason) => reason.job_end(),
        }
    }
}

/// One run of the program on one job.
pub struct NumberedSession<'a, J: NumberedJob> {
    /// The job with its file.
    pub run: &'a mut NumberedRun<J>,
    /// Who computes the units.
    pub players: Arc<PlayerPool<J::Outcome>>,
    /// What it may use; iterations are nodes.
    pub limits: SessionLimits,
    /// Time from one call of [`NumberedListener::saving`] to the next.
    pub pace: Duration,
    /// Told of each attempt at a unit: for tests.
    pub trap: Option<Trap>,
}

/// A session while its lane is open. The lane is closed with the value.
struct NumberedLane<'a, 'b, J: NumberedJob> {
    session: NumberedSession<'a, J>,
    listener: &'b mut dyn NumberedListener<J>,
    queue: Arc<dyn Queue<PlayedUnit<J>>>,
    lane: LaneId,
    terms: Terms,
    messages: Receiver<Message<PlayedUnit<J>>>,
    /// Units that the queue has.
    in_hand: BTreeSet<u64>,
    /// Seconds that the sessions before have run.
    before: f64,
    elapsed: Box<dyn Fn() -> Duration>,
    paused: bool,
    draining: bool,
    rate: RateMeter,
}

impl<J: NumberedJob> Drop for NumberedLane<'_, '_, J> {
    fn drop(&mut self) {
        self.queue.close(self.lane);
    }
}

impl<J: NumberedJob> NumberedSession<'_, J> {
    /// Works until the job is over, a limit is reached, or somebody says to stop.
    ///
    /// # Errors
    /// A file that cannot be written, a listener that fails, or a unit that cannot be computed.
    pub fn run_on(
        self,
        place: &WorkerShare<PlayedUnit<J>>,
        interrupt: &Interrupt,
        ordered: &OrderReceiver,
        listener: &mut dyn NumberedListener<J>,
    ) -> Result<NumberedEnding, NumberedError> {
        let (inbox, messages) = unbounded();
        let lane = place.queue.open(place.terms, inbox.into());
        let (began, queue) = (Instant::now(), Arc::clone(&place.queue));
        let elapsed: Box<dyn Fn() -> Duration> = match place.clocking {
            Clocking::Wall => Box::new(move || began.elapsed()),
            Clocking::Busy => Box::new(move || queue.activity(lane).busy),
        };
        listener.began(lane);
        let rate = RateMeter::new(self.run.coordinator.progress().nodes);
        let before = self.run.seconds;
        let mut running = NumberedLane {
            session: self,
            listener,
            queue: Arc::clone(&place.queue),
            lane,
            terms: place.terms,
            messages,
            in_hand: BTreeSet::new(),
            before,
            elapsed,
            paused: false,
            draining: false,
            rate,
        };
        let ended = running.work(interrupt, ordered);
        // However it ended, what the workers have done is in the file.
        let halted = running.halt();
        if ended.is_err() {
            // What was done before stays, and is told with the reason; that of the error counts.
            let _ = running.show();
        }
        let ended = ended?;
        halted?;
        running.save()?;
        // A unit that was under way may have been the last one.
        Ok(running.end().unwrap_or(ended))
    }
}

impl<J: NumberedJob> NumberedLane<'_, '_, J> {
    fn work(&mut self, interrupt: &Interrupt, ordered: &OrderReceiver) -> Result<NumberedEnding, NumberedError> {
        let (mut shown, mut saved) = (Instant::now(), Instant::now());
        // A job that is over needs no more disk.
        if !self.session.run.coordinator.is_over() {
            self.check_disk()?;
        }
        self.show()?;
        let messages = self.messages.clone();
        loop {
            if let Some(end) = self.end() {
                return Ok(end);
            }
            if !self.paused && !self.draining {
                self.hand_out()?;
            }
            if self.draining && self.in_hand.is_empty() {
                return Ok(NumberedEnding::Stopped(StopReason::Drained));
            }
            let given = select_biased! {
                recv(ordered.0) -> given => given.ok(),
                recv(messages) -> message => {
                    self.absorb(message.map_err(|_| NumberedError::NoWorkers)?)?;
                    self.drain()?;
                    None
                }
                default(LOOK) => None,
            };
            if let Some(given) = given
                && let Some(ended) = self.obey(given)?
            {
                return Ok(ended);
            }
            if interrupt.asked() {
                return Ok(NumberedEnding::Stopped(StopReason::Interrupted));
            }
            if self.paused {
                continue;
            }
            if let Some(reason) = self.limit() {
                return Ok(NumberedEnding::Stopped(reason));
            }
            if shown.elapsed() >= SHOW {
                shown = Instant::now();
                self.show()?;
                self.session.run.flush_in_time()?;
            }
            if saved.elapsed() >= self.session.pace && self.listener.may_save() {
                saved = Instant::now();
                self.check_disk()?;
                self.save()?;
            }
        }
    }

    /// How the job is over, if it is.
    fn end(&self) -> Option<NumberedEnding> {
        let coordinator = &self.session.run.coordinator;
        let end = if coordinator.is_decided() { NumberedEnding::Decided } else { NumberedEnding::Done };
        coordinator.is_over().then_some(end)
    }

    /// The limit that is reached.
    fn limit(&self) -> Option<StopReason> {
        let SessionLimits { seconds, iterations, .. } = self.session.limits;
        if seconds.is_some_and(|limit| self.seconds() >= limit) {
            return Some(StopReason::Time);
        }
        let nodes = self.session.run.coordinator.progress().nodes;
        iterations.is_some_and(|limit| nodes >= limit).then_some(StopReason::Iterations)
    }

    /// Keeps as many units in the queue as there are workers for them. Units stay in this process, and each needs its
    /// players, so only so many of them are begun at a time.
    fn hand_out(&mut self) -> Result<(), NumberedError> {
        let here = self.queue.size().saturating_sub(self.queue.elsewhere()).max(1);
        let most = [self.terms.workers, self.terms.threads].into_iter().flatten().fold(here, u32::min).max(1);
        while self.in_hand.len() < most as usize {
            let Some(number) = self.session.run.coordinator.hand_out() else { return Ok(()) };
            let trap = self.session.trap.as_ref().map(Arc::clone);
            let unit = PlayedUnit::new(number, Arc::clone(&self.session.players), trap);
            self.in_hand.insert(number);
            self.queue.put(self.lane, number, unit).map_err(|_| NumberedError::NoWorkers)?;
        }
        Ok(())
    }

    fn drain(&mut self) -> Result<(), NumberedError> {
        while let Ok(message) = self.messages.try_recv() {
            self.absorb(message)?;
        }
        Ok(())
    }

    fn absorb(&mut self, message: Message<PlayedUnit<J>>) -> Result<(), NumberedError> {
        match message {
            Message::Report { .. } => Ok(()),
            Message::Done { unit, outcome, efforts, .. } => {
                self.in_hand.remove(&unit);
                let outcome = outcome.map_err(|why| NumberedError::Failed { unit, why })?;
                let (nodes, _) = J::spent(&outcome);
                self.session.run.record(unit, outcome)?;
                self.listener.ended(unit, nodes, &efforts);
                Ok(())
            }
            Message::Failed { unit, attempts, error, quarantined } => {
                let failure = FailedAttempt { unit, attempts, error, quarantined };
                self.listener.failed(&failure);
                // Without the unit there is no whole.
                if quarantined { Err(NumberedError::Failed { unit, why: failure.error }) } else { Ok(()) }
            }
        }
    }

    /// Carries out an order; how the work ends, if it does.
    fn obey(&mut self, given: GivenOrder) -> Result<Option<NumberedEnding>, NumberedError> {
        match given.order {
            SessionOrder::Stop => return Ok(Some(NumberedEnding::Stopped(StopReason::Interrupted))),
            SessionOrder::Drain => {
                self.draining = true;
                self.go_on();
            }
            SessionOrder::GoOn => self.go_on(),
            SessionOrder::Pause => {
                self.halt()?;
                self.paused = true;
                self.save()?;
            }
            SessionOrder::Adjust(limits, terms) => {
                (self.session.limits, self.terms) = (limits, terms);
                self.queue.adjust(self.lane, terms);
            }
        }
        // Whoever gave it may have gone.
        let _ = given.done.send(());
        Ok(None)
    }

    fn go_on(&mut self) {
        if std::mem::take(&mut self.paused) {
            self.queue.go_on(self.lane);
            self.rate.restart(self.session.run.coordinator.progress().nodes);
        }
    }

    /// Stops the workers, and absorbs what they have done.
    fn halt(&mut self) -> Result<(), NumberedError> {
        self.queue.halt(self.lane, PATIENCE);
        self.drain()
    }

    fn check_disk(&self) -> Result<(), NumberedError> {
        let Some(limit) = self.session.limits.disk else { return Ok(()) };
        let taken = self.session.run.size();
        if taken > limit { Err(NumberedError::Disk { taken, limit }) } else { Ok(()) }
    }

    fn show(&mut self) -> Result<(), NumberedError> {
        let now = self.standing();
        self.listener.progress(&now).map_err(NumberedError::Listener)
    }

    fn save(&mut self) -> Result<(), NumberedError> {
        let now = self.standing();
        self.listener.progress(&now).and_then(|()| self.listener.saving(&now)).map_err(NumberedError::Listener)?;
        self.session.run.save(now.progress.seconds)
    }

    fn standing(&mut self) -> NumberedStanding<J> {
        let coordinator = &self.session.run.coordinator;
        let (units, tally) = (coordinator.progress(), coordinator.tally().clone());
        let running = self.in_hand.iter().map(|&unit| RunningUnit {
            worker: None,
            ticket: unit,
            unit,
            iterations: 0,
            best: 0,
            phase: None,
        });
        let progress = Progress {
            seconds: self.before + (self.elapsed)().as_secs_f64(),
            iterations: units.nodes,
            rate: self.rate.rate(units.nodes),
            units_done: units.done,
            units_stalled: 0,
            best: 0,
            running: running.collect(),
        };
        NumberedStanding { progress, units, tally }
    }

    /// Seconds that it has run, over all sessions.
    fn seconds(&self) -> f64 {
        self.before + (self.elapsed)().as_secs_f64()
    }
}

//! A job of numbered units on the workers of a queue, beside other jobs: units go out, and their outcomes go into the
//! file.
//!
//! What a thread of this process has computed is taken. What a machine says is taken at once, or where there is a
//! quorum when as many machines say the same ([`super::votes`]); then several copies of a unit are in the queue. A
//! copy that a thread computes decides alone. What machines have said of a unit that is not decided is not kept over
//! a restart.

use super::portable::PlayedElsewhere;
use super::unit::{BegunUnit, NoOutcome, PlayedOutcome, PlayedPlace, PlayedUnit, PlayerPool};
use super::votes::{SameOutcome, UnitVote, UnitVotes};
use super::{NumberedError, NumberedRun};
use crate::jobs::ending::JobEnd;
use crate::jobs::numbered::{NumberedCoordinator, NumberedJob, NumberedProgress};
use crate::queue::copies::{MachineName, UnitCopy};
use crate::queue::effort::Efforts;
use crate::queue::{LaneId, Message, Unit};
use crate::runner::contract::{FailedAttempt, SessionLimits, Trap, WorkerShare};
use crate::runner::events::StopReason;
use crate::runner::main_loop::{Due, LoopedSession, SHOW, SessionLane, run_loop};
use crate::runner::orders::{Interrupt, OrderReceiver};
use crate::runner::progress::{Progress, RateMeter, RunningUnit};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// A machine that has been wrong so often computes no copies of this session any more.
const MOST_WRONG: u32 = 3;
/// The first number of a unit on its way that is not the number of a unit.
const BEYOND: u64 = 1 << 63;

/// Receives what happens; its errors stop the session.
pub trait NumberedListener<J: NumberedJob> {
    /// The session hands out units from now on, into this lane of the queue.
    fn began(&mut self, _lane: LaneId) {}

    /// A unit has ended, with so many nodes. Its outcome is in the file; the efforts are those of each who has said
    /// the same.
    fn ended(&mut self, _unit: u64, _nodes: u64, _efforts: &[Efforts]) {}

    /// An attempt at a unit has failed.
    fn failed(&mut self, _failure: &FailedAttempt) {}

    /// A machine has said otherwise than what was taken for a unit.
    fn contradicted(&mut self, _unit: u64, _machine: &MachineName) {}

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

/// A job whose units machines may compute.
pub struct UnitsElsewhere<O> {
    /// The job as it is packed.
    pub job: Arc<dyn PlayedElsewhere<O>>,
    /// How many machines have to say the same of a unit.
    pub quorum: u32,
}

/// One run of the program on one job.
pub struct NumberedSession<'a, J: NumberedJob> {
    /// The job with its file.
    pub run: &'a mut NumberedRun<J>,
    /// Who computes the units.
    pub players: Arc<PlayerPool<J::Outcome>>,
    /// How machines compute its units, if they may.
    pub elsewhere: Option<UnitsElsewhere<J::Outcome>>,
    /// What it may use; iterations are nodes.
    pub limits: SessionLimits,
    /// Time from one call of [`NumberedListener::saving`] to the next.
    pub pace: Duration,
    /// Told of each attempt at a unit: for tests.
    pub trap: Option<Trap>,
}

/// A unit that the queue has.
struct UnitOnItsWay {
    unit: u64,
    /// Which copy it is, if several have to agree.
    copy: Option<UnitCopy>,
}

/// A session while its lane is open. The lane is closed with the value.
struct NumberedLane<'a, 'b, J: NumberedJob> {
    session: NumberedSession<'a, J>,
    listener: &'b mut dyn NumberedListener<J>,
    lane: SessionLane<PlayedUnit<J>>,
    /// Units that the queue has, by their numbers there: that of the unit, or one from [`BEYOND`] for a further copy.
    in_hand: BTreeMap<u64, UnitOnItsWay>,
    next_number: u64,
    /// Units that are not done and were put into the queue under their own numbers.
    were_put: BTreeSet<u64>,
    /// What machines say of units on which several have to agree.
    votes: BTreeMap<u64, UnitVotes<J::Outcome>>,
    /// How often machines were wrong.
    wrong: BTreeMap<MachineName, u32>,
    /// Units that machines could not compute and that this process is to.
    kept: Vec<u64>,
    /// A unit that no machine can compute, and that no thread of the queue will, since it has none.
    own: Option<(u64, BegunUnit<J::Outcome>)>,
    /// Seconds that the sessions before have run.
    before: f64,
    elapsed: Box<dyn Fn() -> Duration + Send>,
    shown: Due,
    saved: Due,
    rate: RateMeter,
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
        let lane = SessionLane::open(place);
        listener.began(lane.id);
        let rate = RateMeter::of_units(self.run.coordinator.progress().nodes);
        let before = self.run.seconds;
        let mut running = NumberedLane {
            shown: Due::every(SHOW),
            saved: Due::every(self.pace),
            session: self,
            listener,
            elapsed: lane.stopwatch(),
            lane,
            in_hand: BTreeMap::new(),
            next_number: BEYOND,
            were_put: BTreeSet::new(),
            votes: BTreeMap::new(),
            wrong: BTreeMap::new(),
            kept: Vec::new(),
            own: None,
            before,
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
        // A job that is over needs no more disk.
        if !self.session.run.coordinator.is_over() {
            self.check_disk()?;
        }
        self.show()?;
        run_loop(self, interrupt, ordered)
    }

    /// How the job is over, if it is.
    fn end(&self) -> Option<NumberedEnding> {
        let coordinator = &self.session.run.coordinator;
        let end = if coordinator.is_decided() { NumberedEnding::Decided } else { NumberedEnding::Done };
        coordinator.is_over().then_some(end)
    }

    /// Keeps as many units in the queue as there are workers for them. Each thread needs its players, so only so many
    /// of them are begun at a time.
    fn hand_out(&mut self) -> Result<(), NumberedError> {
        let (threads, machines) = (self.lane.queue.threads(), self.lane.queue.elsewhere());
        let here = self.lane.terms.threads.map_or(threads, |most| most.min(threads));
        let elsewhere = self.session.elsewhere.as_ref().map_or(0, |_| machines);
        let most = here.saturating_add(elsewhere);
        let most = self.lane.terms.workers.map_or(most, |most_of_all| most.min(most_of_all)).max(1);
        while self.in_hand.len() < most as usize {
            let kept = if threads > 0 || self.own.is_none() { self.kept.pop() } else { None };
            let Some(number) = kept.or_else(|| self.session.run.coordinator.hand_out()) else { return Ok(()) };
            let job = self.session.elsewhere.as_ref();
            let here_only = kept.is_some() || !job.is_some_and(|elsewhere| elsewhere.job.is_portable(number));
            if threads == 0 && here_only && job.is_some() {
                if self.own.is_some() {
                    self.kept.push(number);
                    return Ok(());
                }
                let unit =
                    PlayedUnit::<J>::new(number, Arc::clone(&self.session.players), None, PlayedPlace::HereOnly);
                self.own = Some((number, unit.begin(1).map_err(|why| NumberedError::Failed { unit: number, why })?));
                continue;
            }
            // While there is no machine, one copy will do: a thread decides alone.
            let copies = if machines == 0 || here_only { 1 } else { self.quorum() };
            for _ in 0..copies {
                self.put(number, here_only)?;
            }
        }
        Ok(())
    }

    /// How many machines have to agree.
    fn quorum(&self) -> usize {
        self.session.elsewhere.as_ref().map_or(1, |elsewhere| elsewhere.quorum.max(1) as usize)
    }

    /// Whether nobody computes a unit, since copies wait for machines that may never come.
    fn are_copies_waiting(&self) -> bool {
        self.quorum() > 1 && self.lane.queue.activity(self.lane.id).running == 0
    }

    /// Puts a unit into the queue, as a copy if several machines have to agree on it.
    fn put(&mut self, unit: u64, here_only: bool) -> Result<(), NumberedError> {
        let mut number = unit;
        // The queue may still have its first copy.
        if !self.were_put.insert(unit) {
            number = self.next_number;
            self.next_number += 1;
        }
        let (mut place, mut copy) = (PlayedPlace::HereOnly, None);
        if let Some(UnitsElsewhere { job, quorum }) = self.session.elsewhere.as_ref().filter(|_| !here_only) {
            if *quorum > 1 {
                let copies = Arc::clone(&self.votes.entry(unit).or_default().copies);
                copy = Some(UnitCopy::new(copies, number));
            }
            place = PlayedPlace::Anywhere(Arc::clone(job), copy.clone());
        }
        self.bar(unit);
        self.in_hand.insert(number, UnitOnItsWay { unit, copy });
        let trap = self.session.trap.as_ref().map(Arc::clone);
        let body = PlayedUnit::new(unit, Arc::clone(&self.session.players), trap, place);
        self.lane.put(number, body).map_err(|_| NumberedError::NoWorkers)
    }

    /// Notes which machines may compute no copy of a unit: those that had their say on it, or were wrong too often.
    fn bar(&self, unit: u64) {
        let Some(votes) = self.votes.get(&unit) else { return };
        let wrong = self.wrong.iter().filter(|(_, times)| **times >= MOST_WRONG).map(|(machine, _)| machine);
        votes.copies.bar(votes.machines().chain(wrong).cloned().collect());
    }

    /// Looks whether the unit that the session has computed itself has ended.
    fn end_own(&mut self) -> Result<(), NumberedError> {
        let Some((unit, ended)) = self.own.as_ref().and_then(|(unit, own)| Some((*unit, own.ended()?))) else {
            return Ok(());
        };
        self.own = None;
        let outcome = ended.map_err(|why| NumberedError::Failed { unit, why })?;
        // No worker of the queue had it. The time is that of the processor.
        let mut efforts = Efforts::default();
        efforts.add(None, Duration::from_millis(J::spent(&outcome.record).1));
        self.take(unit, outcome, efforts)
    }

    /// Takes back what the queue has of a unit.
    fn withdraw(&mut self, unit: u64) {
        let of_unit = self.in_hand.iter().filter(|(_, on_its_way)| on_its_way.unit == unit);
        for number in of_unit.map(|(&number, _)| number).collect::<Vec<u64>>() {
            self.lane.queue.withdraw(self.lane.id, number);
            self.in_hand.remove(&number);
        }
    }

    /// Takes the outcome of a unit. What the queue still has of it is not needed any more.
    fn take(&mut self, unit: u64, outcome: PlayedOutcome<J::Outcome>, efforts: Efforts) -> Result<(), NumberedError> {
        self.withdraw(unit);
        self.were_put.remove(&unit);
        let settled = self.votes.remove(&unit).zip(self.session.elsewhere.as_ref());
        let settled = settled.map(|(votes, UnitsElsewhere { job, .. })| {
            let is_same: SameOutcome<'_, J::Outcome> = &|one, other| job.is_same(one, other);
            votes.settle(&outcome, is_same)
        });
        let (mut agreeing, against) = settled.unwrap_or_default();
        agreeing.push(efforts);
        for machine in against {
            self.listener.contradicted(unit, &machine);
            *self.wrong.entry(machine).or_default() += 1;
            self.votes.keys().for_each(|&other| self.bar(other));
        }
        let PlayedOutcome { record, part } = outcome;
        if let Some(part) = part {
            self.session.run.write_part(unit, &part)?;
        }
        let (nodes, _) = J::spent(&record);
        self.session.run.record(unit, record)?;
        self.listener.ended(unit, nodes, &agreeing);
        Ok(())
    }

    /// A machine has had its say on a unit on which several have to agree.
    fn hear_vote(&mut self, vote: UnitVote<J::Outcome>, unit: u64, copy: &UnitCopy) -> Result<(), NumberedError> {
        let (by, quorum) = (vote.by.clone(), self.quorum());
        let wrong = self.wrong.get(&by).is_some_and(|&times| times >= MOST_WRONG);
        let Some((votes, UnitsElsewhere { job, .. })) =
            self.votes.get_mut(&unit).zip(self.session.elsewhere.as_ref())
        else {
            return Ok(());
        };
        if !wrong {
            votes.add(vote);
        }
        let is_same: SameOutcome<'_, J::Outcome> = &|one, other| job.is_same(one, other);
        let (agreed, missing) = (votes.take_agreed(quorum, is_same), votes.missing(quorum, is_same));
        // In this order: meanwhile the machine gets no other copy.
        self.bar(unit);
        copy.leave();
        if let Some(UnitVote { outcome, efforts, .. }) = agreed {
            return self.take(unit, outcome, efforts);
        }
        let running = self.in_hand.values().filter(|on_its_way| on_its_way.unit == unit).count();
        if !self.lane.course.draining {
            (running..missing).try_for_each(|_| self.put(unit, false))?;
        }
        Ok(())
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
        let running = self.in_hand.iter().map(|(&ticket, on_its_way)| RunningUnit {
            worker: None,
            ticket,
            unit: on_its_way.unit,
            iterations: 0,
            best: 0,
            phase: None,
        });
        let progress = Progress {
            seconds: self.seconds(),
            iterations: units.nodes,
            rate: self.rate.rate(units.nodes),
            units_done: units.done,
            units_stalled: 0,
            best: 0,
            running: running.collect(),
        };
        NumberedStanding { progress, units, tally }
    }
}

impl<J: NumberedJob> LoopedSession for NumberedLane<'_, '_, J> {
    type Unit = PlayedUnit<J>;
    type Ending = NumberedEnding;
    type Error = NumberedError;

    fn stopped(reason: StopReason) -> NumberedEnding {
        NumberedEnding::Stopped(reason)
    }

    fn no_workers() -> NumberedError {
        NumberedError::NoWorkers
    }

    fn lane(&mut self) -> &mut SessionLane<PlayedUnit<J>> {
        &mut self.lane
    }

    fn limits(&self) -> SessionLimits {
        self.session.limits
    }

    fn seconds(&self) -> f64 {
        self.before + (self.elapsed)().as_secs_f64()
    }

    fn iterations(&self) -> u64 {
        self.session.run.coordinator.progress().nodes
    }

    fn advance(&mut self) -> Result<Option<NumberedEnding>, NumberedError> {
        if !self.lane.course.paused {
            self.end_own()?;
        }
        if let Some(end) = self.end() {
            return Ok(Some(end));
        }
        if !self.lane.course.paused && !self.lane.course.draining {
            self.hand_out()?;
        }
        let is_drained = self.own.is_none() && (self.in_hand.is_empty() || self.are_copies_waiting());
        Ok((self.lane.course.draining && is_drained).then_some(NumberedEnding::Stopped(StopReason::Drained)))
    }

    fn hear(&mut self, message: Message<PlayedUnit<J>>) -> Result<(), NumberedError> {
        match message {
            Message::Report { .. } => Ok(()),
            Message::Done { unit: number, outcome, efforts, .. } => {
                let Some(UnitOnItsWay { unit, copy }) = self.in_hand.remove(&number) else { return Ok(()) };
                let outcome = match outcome {
                    Ok(outcome) => outcome,
                    Err(NoOutcome::Never(why)) => return Err(NumberedError::Failed { unit, why }),
                    Err(NoOutcome::Late) => {
                        self.withdraw(unit);
                        self.votes.remove(&unit);
                        self.kept.push(unit);
                        return Ok(());
                    }
                };
                match copy.as_ref().and_then(|copy| Some((copy, copy.machine()?))) {
                    Some((copy, by)) => self.hear_vote(UnitVote { by, outcome, efforts }, unit, copy),
                    None => self.take(unit, outcome, efforts),
                }
            }
            Message::Failed { unit: number, attempts, error, quarantined } => {
                let Some(&UnitOnItsWay { unit, .. }) = self.in_hand.get(&number) else { return Ok(()) };
                let failure = FailedAttempt { unit, attempts, error, quarantined };
                self.listener.failed(&failure);
                // Without the unit there is no whole.
                if quarantined { Err(NumberedError::Failed { unit, why: failure.error }) } else { Ok(()) }
            }
        }
    }

    fn halt(&mut self) -> Result<(), NumberedError> {
        self.own.iter().for_each(|(_, own)| own.set_going(false));
        self.lane.halt();
        self.drain()
    }

    fn paused(&mut self) -> Result<(), NumberedError> {
        self.save()
    }

    fn resumed(&mut self) {
        self.own.iter().for_each(|(_, own)| own.set_going(true));
        self.rate.restart(self.iterations());
    }

    fn adjusted(&mut self, limits: SessionLimits) -> Result<(), NumberedError> {
        self.session.limits = limits;
        Ok(())
    }

    fn keep_up(&mut self) -> Result<(), NumberedError> {
        if self.shown.is_due() {
            self.shown.restart();
            self.show()?;
            self.session.run.flush_in_time()?;
        }
        if self.saved.is_due() && self.listener.may_save() {
            self.saved.restart();
            self.check_disk()?;
            self.save()?;
        }
        Ok(())
    }
}

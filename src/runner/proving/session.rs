//! A proof on the workers of a queue, beside other jobs: units go out, their outcomes go into the file and the tree.
//!
//! A unit that has to give way brings back what it has found out, so nothing is lost by a pause or by jobs of a
//! higher priority. Now and then a worker makes a random descent instead (Knuth 1975), for the estimate of what is
//! left.

use super::unit::{ProveReply, ProveUnit, SolvedProgram, SolverMaker};
use super::{Proving, ProvingError, RestEstimate};
use crate::jobs::ending::JobEnd;
use crate::jobs::prove::ProvingEnd;
use crate::proofs::branching::DiveEnd;
use crate::proofs::file::ProofRecord;
use crate::queue::effort::Efforts;
use crate::queue::{LaneId, Message};
use crate::runner::contract::{FailedAttempt, SessionLimits, Trap, WorkerShare};
use crate::runner::events::StopReason;
use crate::runner::main_loop::{Due, LoopedSession, SHOW, SessionLane, run_loop};
use crate::runner::orders::{Interrupt, OrderReceiver};
use crate::runner::progress::{Progress, RateMeter, RunningUnit};
use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Units after which a descent is made.
const UNITS_PER_DIVE: u64 = 12;
/// Descents that the estimate comes from: the latest ones.
const DIVES: usize = 64;
/// Numbers of descents in the queue: from here on.
const FIRST_DIVE: u64 = 1 << 63;

/// Receives what happens; its errors stop the session.
pub trait ProveListener {
    /// The session hands out units from now on, into this lane of the queue.
    fn began(&mut self, _lane: LaneId) {}

    /// A unit has ended; it looked at so many cases, and is the work of these. Its outcome is in the file.
    fn ended(&mut self, _unit: u64, _nodes: u64, _efforts: &Efforts) {}

    /// An attempt at a unit has failed.
    fn failed(&mut self, _failure: &FailedAttempt) {}

    /// The progress, a few times per second.
    ///
    /// # Errors
    /// If it cannot be shown.
    fn progress(&mut self, now: &ProveStanding) -> io::Result<()>;

    /// Whether what [`ProveListener::saving`] is for may be written now. What is not urgent is put off.
    fn may_save(&self) -> bool {
        true
    }

    /// Time to write down what is not in the file of the proof: how long it has run, and its course.
    ///
    /// # Errors
    /// If what was reported is not safe.
    fn saving(&mut self, _now: &ProveStanding) -> io::Result<()> {
        Ok(())
    }
}

/// How a proof stands.
#[derive(Debug, Clone, PartialEq)]
pub struct ProveStanding {
    /// As of any job; its iterations are cases of units that have ended.
    pub progress: Progress,
    /// What is closed and open.
    pub proof: crate::jobs::prove::ProvingProgress,
    /// What is left, by the latest descents.
    pub rest: Option<RestEstimate>,
    /// How it would end now.
    pub end: ProvingEnd,
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProveEnding {
    /// The proof has come to its end.
    Over(ProvingEnd),
    /// It can continue.
    Stopped(StopReason),
}

impl ProveEnding {
    /// The end of the job, if it is not to be resumed.
    pub fn job_end(&self) -> Option<JobEnd> {
        match self {
            ProveEnding::Over(ProvingEnd::Proved) => Some(JobEnd::Proved),
            ProveEnding::Over(ProvingEnd::Grid(_)) => Some(JobEnd::Target),
            ProveEnding::Over(ProvingEnd::Open) => None,
            ProveEnding::Stopped(reason) => reason.job_end(),
        }
    }
}

/// One run of the program on one proof.
pub struct ProveSession<'a> {
    /// The proof with its file.
    pub proving: &'a mut Proving,
    /// Makes the solvers of the workers.
    pub solver: SolverMaker,
    /// What it may use; iterations are cases.
    pub limits: SessionLimits,
    /// Seconds that the sessions before have run.
    pub before: f64,
    /// Time from one call of [`ProveListener::saving`] to the next.
    pub pace: Duration,
    /// Told of each attempt at a unit: for tests.
    pub trap: Option<Trap>,
}

/// A session while its lane is open. The lane is closed with the value.
struct ProvingLane<'a, 'b> {
    session: ProveSession<'a>,
    listener: &'b mut dyn ProveListener,
    solved: SolvedProgram,
    lane: SessionLane<ProveUnit>,
    /// Units and descents that the queue has.
    in_hand: BTreeSet<u64>,
    /// Descents that were handed out, and units that have ended, in this session.
    dives: u64,
    ended: u64,
    /// Cases and sets of points of the latest descents.
    dived: VecDeque<(f64, f64)>,
    elapsed: Box<dyn Fn() -> Duration + Send>,
    shown: Due,
    saved: Due,
    rate: RateMeter,
}

impl ProveSession<'_> {
    /// Works until the proof is complete, a grid is found, a limit is reached, or somebody says to stop.
    ///
    /// # Errors
    /// A file that cannot be written, a listener that fails, or a unit that fails again and again.
    pub fn run_on(
        self,
        place: &WorkerShare<ProveUnit>,
        interrupt: &Interrupt,
        ordered: &OrderReceiver,
        listener: &mut dyn ProveListener,
    ) -> Result<ProveEnding, ProvingError> {
        let lane = SessionLane::open(place);
        listener.began(lane.id);
        let rate = RateMeter::of_units(self.proving.progress().counts.nodes);
        let program = Arc::clone(self.proving.coordinator.program());
        let solved = SolvedProgram::new(program, Arc::clone(&self.solver));
        let mut running = ProvingLane {
            shown: Due::every(SHOW),
            saved: Due::every(self.pace),
            session: self,
            listener,
            solved,
            elapsed: lane.stopwatch(),
            lane,
            in_hand: BTreeSet::new(),
            dives: 0,
            ended: 0,
            dived: VecDeque::new(),
            rate,
        };
        let ended = running.run(interrupt, ordered);
        // However it ended, what the workers have found out is in the file.
        let halted = running.halt();
        let ended = ended?;
        halted?;
        running.save()?;
        // A unit that was under way may have closed the last case.
        let now = running.session.proving.end();
        Ok(if now == ProvingEnd::Open { ended } else { ProveEnding::Over(now) })
    }
}

impl ProvingLane<'_, '_> {
    fn run(&mut self, interrupt: &Interrupt, ordered: &OrderReceiver) -> Result<ProveEnding, ProvingError> {
        // A finished proof needs no more disk.
        if self.session.proving.end() == ProvingEnd::Open {
            self.check_disk()?;
        }
        self.show()?;
        run_loop(self, interrupt, ordered)
    }

    /// Keeps as many units in the queue as there are workers.
    fn hand_out(&mut self) -> Result<(), ProvingError> {
        let size = self.lane.workers();
        while self.in_hand.len() < size {
            let coordinator = &mut self.session.proving.coordinator;
            let solved = self.solved.clone();
            let (number, unit) = if self.dives * UNITS_PER_DIVE < self.ended {
                self.dives += 1;
                let Some(case) = coordinator.some_open(self.dives) else { continue };
                (FIRST_DIVE + self.dives, ProveUnit::dive(case, self.dives, solved))
            } else {
                let Some(open) = coordinator.next(size) else { return Ok(()) };
                let trap = self.session.trap.as_ref().map(Arc::clone);
                (open.unit, ProveUnit::search(open, solved, trap))
            };
            self.in_hand.insert(number);
            self.lane.put(number, unit).map_err(|_| ProvingError::NoWorkers)?;
        }
        Ok(())
    }

    fn check_disk(&self) -> Result<(), ProvingError> {
        let Some(limit) = self.session.limits.disk else { return Ok(()) };
        let taken = self.session.proving.size()?;
        if taken > limit { Err(ProvingError::Disk { taken, limit }) } else { Ok(()) }
    }

    fn show(&mut self) -> Result<(), ProvingError> {
        let now = self.standing();
        self.listener.progress(&now).map_err(ProvingError::Listener)
    }

    fn save(&mut self) -> Result<(), ProvingError> {
        let now = self.standing();
        self.listener.progress(&now).and_then(|()| self.listener.saving(&now)).map_err(ProvingError::Listener)
    }

    fn standing(&mut self) -> ProveStanding {
        let (proof, end) = (self.session.proving.progress(), self.session.proving.end());
        let running = self.in_hand.iter().filter(|&&unit| unit < FIRST_DIVE);
        let running = running.map(|&unit| RunningUnit {
            worker: None,
            ticket: unit,
            unit,
            iterations: 0,
            best: 0,
            phase: None,
        });
        let progress = Progress {
            seconds: self.seconds(),
            iterations: proof.counts.nodes,
            rate: self.rate.rate(proof.counts.nodes),
            units_done: proof.done,
            units_stalled: 0,
            best: if let ProvingEnd::Grid(moves) = &end { moves.len() as u32 } else { 0 },
            running: running.collect(),
        };
        ProveStanding { progress, proof, rest: self.rest(proof.open), end }
    }

    /// What is left below so many open cases.
    fn rest(&self, open: u64) -> Option<RestEstimate> {
        let dives = self.dived.len() as u32;
        let scale = open as f64 / f64::from(dives);
        let sums = self.dived.iter().fold((0.0, 0.0), |sums, one| (sums.0 + one.0, sums.1 + one.1));
        (dives > 0).then_some(RestEstimate { dives, nodes: sums.0 * scale, shapes: sums.1 * scale })
    }
}

impl LoopedSession for ProvingLane<'_, '_> {
    type Unit = ProveUnit;
    type Ending = ProveEnding;
    type Error = ProvingError;

    fn stopped(reason: StopReason) -> ProveEnding {
        ProveEnding::Stopped(reason)
    }

    fn no_workers() -> ProvingError {
        ProvingError::NoWorkers
    }

    fn lane(&mut self) -> &mut SessionLane<ProveUnit> {
        &mut self.lane
    }

    fn limits(&self) -> SessionLimits {
        self.session.limits
    }

    fn seconds(&self) -> f64 {
        self.session.before + (self.elapsed)().as_secs_f64()
    }
    fn iterations(&self) -> u64 {
        self.session.proving.progress().counts.nodes
    }

    fn advance(&mut self) -> Result<Option<ProveEnding>, ProvingError> {
        let now = self.session.proving.end();
        if now != ProvingEnd::Open {
            return Ok(Some(ProveEnding::Over(now)));
        }
        if !self.lane.course.paused && !self.lane.course.draining {
            self.hand_out()?;
        }
        let is_drained = self.lane.course.draining && self.in_hand.is_empty();
        Ok(is_drained.then_some(ProveEnding::Stopped(StopReason::Drained)))
    }

    fn hear(&mut self, message: Message<ProveUnit>) -> Result<(), ProvingError> {
        match message {
            Message::Report { .. } => Ok(()),
            Message::Done { unit, outcome: ProveReply::Searched(outcome), efforts, .. } => {
                self.in_hand.remove(&unit);
                let nodes = outcome.nodes();
                let Some(record) = outcome.record(unit) else { return Ok(()) };
                self.session.proving.record(record)?;
                self.ended += 1;
                self.listener.ended(unit, nodes, &efforts);
                Ok(())
            }
            Message::Done { unit, outcome: ProveReply::Dived(end), .. } => {
                self.in_hand.remove(&unit);
                match end {
                    DiveEnd::Estimate { nodes, shapes } => self.dived.push_back((nodes, shapes)),
                    DiveEnd::Grid(moves) => self.session.proving.record(ProofRecord::Grid(moves))?,
                    DiveEnd::Stopped => {}
                }
                if self.dived.len() > DIVES {
                    self.dived.pop_front();
                }
                Ok(())
            }
            Message::Failed { unit, attempts, error, quarantined } => {
                let failure = FailedAttempt { unit, attempts, error, quarantined };
                if unit < FIRST_DIVE {
                    self.listener.failed(&failure);
                } else if quarantined {
                    self.in_hand.remove(&unit);
                    return Ok(());
                }
                // Without the unit there is no proof.
                if quarantined {
                    Err(ProvingError::Failed(format!("unit {unit}: {}", failure.error)))
                } else {
                    Ok(())
                }
            }
        }
    }

    fn paused(&mut self) -> Result<(), ProvingError> {
        self.save()
    }

    fn resumed(&mut self) {
        self.rate.restart(self.iterations());
    }

    fn adjusted(&mut self, limits: SessionLimits) -> Result<(), ProvingError> {
        self.session.limits = limits;
        Ok(())
    }

    fn keep_up(&mut self) -> Result<(), ProvingError> {
        if self.shown.is_due() {
            self.shown.restart();
            self.show()?;
        }
        if self.saved.is_due() && self.listener.may_save() {
            self.saved.restart();
            self.check_disk()?;
            self.save()?;
        }
        Ok(())
    }
}

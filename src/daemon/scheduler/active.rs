//! A job's coordinator: the thread that runs it, and what the daemon holds of it. What it runs is its kind's business.

use super::kind::{CannotRun, RunContext, kind};
use super::{Daemon, Shutdown};
use crate::daemon::records::{JobStanding, Spec};
use crate::daemon::view::{EventKind, JobId, JobLimits};
use crate::jobs::ending::JobEnd;
use crate::queue::{LaneId, Terms};
use crate::runner::SessionLimits;
use crate::runner::orders::{NotDone, OrderReceiver, Orders, SessionOrder, orders};
use crate::runner::progress::Progress;
use crate::store::{Change, UnitRecord};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// An order that a coordinator has not carried out by then has failed.
const PATIENCE: Duration = Duration::from_secs(30);
/// Subscribers are told of a running job's progress so often.
const TELL: Duration = Duration::from_secs(1);
/// The figures of a running job are stored so often.
const STORE: Duration = Duration::from_secs(10);

/// What the daemon holds of a coordinator.
pub struct ActiveJob {
    orders: Orders,
    pub live: Arc<Mutex<LiveJob>>,
    /// It is to end for good.
    pub cancelled: bool,
}

/// What a coordinator last said.
#[derive(Debug, Default)]
pub struct LiveJob {
    /// Its lane in the queue.
    pub lane: Option<LaneId>,
    /// How the job stands.
    pub standing: Option<JobStanding>,
    /// Failed attempts of units that are not done.
    pub failures: BTreeMap<u64, u32>,
}

impl ActiveJob {
    /// With where its orders come out.
    pub fn new() -> (ActiveJob, OrderReceiver) {
        let (orders, ordered) = orders();
        (ActiveJob { orders, live: Arc::default(), cancelled: false }, ordered)
    }

    /// What it last said.
    pub fn live(&self) -> MutexGuard<'_, LiveJob> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells it to end.
    pub fn end(&self, how: Shutdown) {
        self.orders.send(match how {
            Shutdown::Now => SessionOrder::Stop,
            Shutdown::WhenUnitsEnd => SessionOrder::Drain,
        });
    }

    /// A way to give it orders.
    pub fn orders(&self) -> Orders {
        self.orders.clone()
    }
}

/// Gives an order and waits until it is carried out.
///
/// # Errors
/// If the coordinator has ended, or does not answer.
pub fn give(orders: &Orders, order: SessionOrder) -> Result<(), NotDone> {
    orders.give(order, PATIENCE)
}

/// How a coordinator ended.
pub enum CoordinatorEnd {
    /// The job is over.
    Finished(JobEnd),
    /// It can go on.
    Stopped,
    /// It can go on when the disk lets it.
    Refused(String),
    /// It failed.
    Failed(String),
}

impl From<Option<JobEnd>> for CoordinatorEnd {
    /// A session that came to no end of its job can go on.
    fn from(end: Option<JobEnd>) -> CoordinatorEnd {
        end.map_or(CoordinatorEnd::Stopped, CoordinatorEnd::Finished)
    }
}

/// The terms and limits that a session is to keep.
pub fn allowed(limits: &JobLimits, priority: i32, weight: u32) -> (SessionLimits, Terms) {
    let JobLimits { seconds, iterations, threads, memory } = *limits;
    (SessionLimits { seconds, iterations, memory }, Terms { priority, weight, workers: threads })
}

impl Daemon {
    /// Runs a job until it is over or told to stop, with how it stood last.
    pub(super) fn drive(
        &self,
        id: JobId,
        live: &Arc<Mutex<LiveJob>>,
        ordered: &OrderReceiver,
    ) -> (CoordinatorEnd, Option<JobStanding>) {
        let ran = catch_unwind(AssertUnwindSafe(|| self.run(id, live, ordered)));
        let ended = match ran {
            Ok(Ok(ended)) => ended,
            Ok(Err(CannotRun::Refused(why))) => CoordinatorEnd::Refused(why),
            Ok(Err(CannotRun::Failed(why))) => CoordinatorEnd::Failed(why),
            Err(_) => CoordinatorEnd::Failed("its coordinator failed (a defect of this program)".to_owned()),
        };
        let standing = live.lock().unwrap_or_else(PoisonError::into_inner).standing.clone();
        (ended, standing)
    }

    fn run(
        &self,
        id: JobId,
        live: &Arc<Mutex<LiveJob>>,
        ordered: &OrderReceiver,
    ) -> Result<CoordinatorEnd, CannotRun> {
        let lost = || CannotRun::Failed("what it is made of is missing from the store".to_owned());
        let spec = self.store.spec(id)?.ok_or_else(lost)?;
        let Spec { work, .. } = serde_json::from_slice(&spec).map_err(|_| lost())?;
        let (limits, terms, poisoned) = {
            let mut core = self.lock();
            let record = &core.open(id).ok_or_else(lost)?.record;
            let (limits, terms) = allowed(&record.limits, record.priority, record.weight);
            (limits, terms, record.units_poisoned)
        };
        let reporter =
            JobReporter { daemon: self, id, live: Arc::clone(live), told: None, stored: Instant::now(), saved: 0 };
        kind(&work).run(RunContext { reporter, ordered, limits, terms, poisoned })
    }
}

/// What a coordinator tells the daemon, whatever its kind.
pub struct JobReporter<'a> {
    pub daemon: &'a Daemon,
    pub id: JobId,
    live: Arc<Mutex<LiveJob>>,
    told: Option<Instant>,
    stored: Instant,
    /// Checkpoints begun.
    saved: u32,
}

impl JobReporter<'_> {
    /// What is shown of the job.
    pub fn live(&self) -> MutexGuard<'_, LiveJob> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It hands out units from now on, into this lane.
    pub fn began(&self, lane: LaneId) {
        self.live().lane = Some(lane);
        self.daemon.has_begun(self.id, super::now());
    }

    /// How it stands.
    pub fn stands(&mut self, standing: JobStanding) {
        if self.told.is_none_or(|told| told.elapsed() >= TELL) {
            self.told = Some(Instant::now());
            let threads = self.live().lane.map_or(0, |lane| self.daemon.threads_of(lane));
            let Progress { iterations, rate, best, units_done, seconds, .. } = standing.progress;
            let what = EventKind::Progress { iterations, rate, best, units_done, threads, seconds };
            self.daemon.tell(Some(self.id), what);
        }
        if self.stored.elapsed() >= STORE {
            self.stored = Instant::now();
            let mut core = self.daemon.lock();
            if let Some(open) = core.open(self.id) {
                open.record.update(&standing);
                self.daemon.store.later(vec![Change::Job(self.id, open.record.bytes())]);
            }
        }
        self.live().standing = Some(standing);
    }

    /// A unit is done.
    pub fn ended(&self, unit: u64, record: UnitRecord) {
        let failed = self.live().failures.remove(&unit).unwrap_or(0);
        let record = UnitRecord { attempts: failed + 1, ..record };
        self.daemon.store.later(vec![Change::Unit(self.id, unit, record)]);
    }

    /// An attempt at a unit failed, or the last one and it is set aside.
    pub fn failed(&self, unit: u64, attempts: u32, error: &str, aside: bool) {
        self.live().failures.insert(unit, attempts);
        let error = error.to_owned();
        let record = UnitRecord { attempts, end: None, iterations: 0, best: 0, error: Some(error.clone()), aside };
        let mut changes = vec![Change::Unit(self.id, unit, record)];
        let mut core = self.daemon.lock();
        if aside && let Some(open) = core.open(self.id) {
            open.record.units_poisoned += 1;
            changes.push(Change::Job(self.id, open.record.bytes()));
        }
        self.daemon.store.later(changes);
        drop(core);
        self.daemon.tell(Some(self.id), EventKind::UnitFailed { unit, attempts, error });
    }

    /// A checkpoint is about to be written: what was told until now will not be told again after a crash.
    ///
    /// # Errors
    /// If the store does not have it yet.
    pub fn saving(&mut self) -> std::io::Result<()> {
        self.daemon.store.barrier().map_err(std::io::Error::other)?;
        self.saved += 1;
        if self.saved == 2 {
            // The first checkpoint has been written.
            self.daemon.recovered();
        }
        Ok(())
    }

    /// Stores that a unit ended, if a crash has kept that from the store.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn catch_up(&self, unit: u64, record: UnitRecord) -> Result<(), CannotRun> {
        let known = self.daemon.store.unit(self.id, unit)?;
        if known.as_ref().is_none_or(|known| known.end.is_none()) {
            let attempts = known.map_or(1, |known| known.attempts + 1);
            self.daemon.store.later(vec![Change::Unit(self.id, unit, UnitRecord { attempts, ..record })]);
        }
        Ok(())
    }
}

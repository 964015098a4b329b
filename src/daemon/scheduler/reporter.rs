//! What a coordinator reports to the daemon, whatever the kind of its job.

use super::active::{LiveJob, lock_live};
use super::state::Daemon;
use crate::daemon::credit::UnitKind;
use crate::daemon::records::JobStanding;
use crate::daemon::view::{EventKind, JobId};
use crate::queue::LaneId;
use crate::queue::effort::Efforts;
use crate::runner::clock::now;
use crate::runner::progress::Progress;
use crate::store::{Change, StoreError, UnitRecord};
use std::cell::Cell;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Time from one progress event of a job to the next.
const PROGRESS: Duration = Duration::from_secs(1);
/// Time after which the figures of a running job are stored again.
const STORE: Duration = Duration::from_secs(10);

/// Why a job does not come on whose units machines are to agree on.
pub const WAITS_FOR_MACHINE: &str =
    "waits for another machine: several have to agree on each unit (quorum), and those that are there have answered";
/// Time after which it is told that a job waits for another machine.
const PATIENCE: Duration = Duration::from_secs(3);

/// Reports to the daemon on one job.
pub struct JobReporter<'a> {
    pub daemon: &'a Daemon,
    pub id: JobId,
    live: Arc<Mutex<LiveJob>>,
    /// When the last progress event was sent.
    sent: Option<Instant>,
    /// When the figures were last stored.
    stored: Instant,
    /// Number of checkpoints that were begun.
    checkpoints: u32,
    /// The daemon knows that the job gets on.
    got_on: Cell<bool>,
    /// Since when it has waited for another machine, and whether that was told.
    waits: Option<(Instant, bool)>,
}

impl<'a> JobReporter<'a> {
    /// A reporter that shows the job in `live`.
    pub fn new(daemon: &'a Daemon, id: JobId, live: Arc<Mutex<LiveJob>>) -> JobReporter<'a> {
        JobReporter {
            daemon,
            id,
            live,
            sent: None,
            stored: Instant::now(),
            checkpoints: 0,
            got_on: Cell::new(false),
            waits: None,
        }
    }

    /// What clients see of the job.
    pub fn live(&self) -> MutexGuard<'_, LiveJob> {
        lock_live(&self.live)
    }

    /// The job puts units into this lane from now on.
    pub fn began(&self, lane: LaneId) {
        self.live().lane = Some(lane);
        self.daemon.job_began(self.id);
    }

    /// The present figures of the job.
    pub fn standing(&mut self, standing: JobStanding) {
        if self.sent.is_none_or(|sent| sent.elapsed() >= PROGRESS) {
            self.sent = Some(Instant::now());
            let workers = self.live().lane.map_or(0, |lane| self.daemon.workers_of(lane));
            let Progress { iterations, rate, best, units_done, seconds, .. } = standing.progress;
            let threads = workers;
            let what = EventKind::Progress { iterations, rate, best, units_done, workers, threads, seconds };
            self.daemon.publish(Some(self.id), what);
        }
        if self.stored.elapsed() >= STORE {
            self.stored = Instant::now();
            let mut core = self.daemon.lock();
            if let Some(open) = core.going_on(self.id) {
                open.record.update(&standing);
                self.daemon.store.later(vec![Change::Job(self.id, open.record.bytes())]);
            }
        }
        self.live().standing = Some(standing);
    }

    /// Tells once when the job begins to wait for another machine.
    pub fn tell_waiting(&mut self) {
        let lane = self.live().lane;
        if !lane.is_some_and(|lane| self.daemon.waits_for_machine(lane)) {
            self.waits = None;
            return;
        }
        let (since, is_told) = self.waits.get_or_insert_with(|| (Instant::now(), false));
        if !*is_told && since.elapsed() >= PATIENCE {
            *is_told = true;
            let text = WAITS_FOR_MACHINE.to_owned();
            self.daemon.publish(Some(self.id), EventKind::Notice { text });
        }
    }

    /// A unit is finished.
    pub fn unit_ended(&self, unit: u64, record: UnitRecord) {
        self.unit_ended_with(unit, record, None);
    }

    /// The same; in one transaction with it, those who have computed it are given their credit. Where several have
    /// come to the same, the efforts are those of each.
    pub fn unit_credited(&self, unit: u64, record: UnitRecord, kind: UnitKind, efforts: &[Efforts]) {
        let now = now();
        let grants = efforts.iter().flat_map(|efforts| self.daemon.credit.grants(kind, efforts, now)).collect();
        self.unit_ended_with(unit, record, Some(Change::Grant(self.id, unit, grants)));
    }

    /// The same for an answer to a unit of a solution: until the unit is decided it is a claim to credit.
    pub fn unit_claimed(&self, unit: u64, record: UnitRecord, worker: u32, efforts: &Efforts) {
        let grants = self.daemon.credit.grants(UnitKind::Solve, efforts, now());
        let early = self.daemon.credit.options.early;
        self.unit_ended_with(unit, record, Some(Change::Claim { job: self.id, unit, worker, grants, early }));
    }

    fn unit_ended_with(&self, unit: u64, record: UnitRecord, credit: Option<Change>) {
        let failed = self.live().failures.remove(&unit).unwrap_or(0);
        let record = UnitRecord { attempts: failed + 1, ..record };
        self.daemon.store.later(credit.into_iter().chain([Change::Unit(self.id, unit, record)]).collect());
        self.got_on();
    }

    /// A unit of a solution is decided: claims to it that were not refused are granted.
    pub fn grant_claims(&self, unit: u64) {
        self.daemon.store.later(vec![Change::GrantClaims(self.id, unit)]);
    }

    /// A worker's claims are refused: that to a unit, or all of them.
    pub fn refuse_claims(&self, unit: Option<u64>, worker: u32) {
        self.daemon.store.later(vec![Change::RefuseClaims(self.id, unit, Some(worker))]);
    }

    /// Refuses claims that the last session has left to units that have been decided: how cannot be told any more.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn forget_claims(&self, is_open: impl Fn(u64) -> bool) -> Result<(), StoreError> {
        let left = self.daemon.store.claimed_units(self.id)?.into_iter().filter(|&unit| !is_open(unit));
        self.daemon.store.later(left.map(|unit| Change::RefuseClaims(self.id, Some(unit), None)).collect());
        Ok(())
    }

    fn got_on(&self) {
        if !self.got_on.replace(true) {
            self.daemon.got_on(self.id);
        }
    }

    /// An attempt at a unit failed. After the last attempt the unit is quarantined.
    pub fn unit_failed(&self, unit: u64, attempts: u32, error: &str, quarantined: bool) {
        self.live().failures.insert(unit, attempts);
        let error = error.to_owned();
        let record =
            UnitRecord { attempts, end: None, iterations: 0, best: 0, error: Some(error.clone()), quarantined };
        let mut changes = vec![Change::Unit(self.id, unit, record)];
        let mut core = self.daemon.lock();
        if quarantined && let Some(open) = core.going_on(self.id) {
            open.record.summary.units_quarantined += 1;
            changes.push(Change::Job(self.id, open.record.bytes()));
        }
        self.daemon.store.later(changes);
        drop(core);
        self.daemon.publish(Some(self.id), EventKind::UnitFailed { unit, attempts, error });
    }

    /// Whether a checkpoint that is not urgent may be written now.
    pub fn may_save(&self) -> bool {
        self.daemon.checkpoints.is_free(self.id)
    }

    /// A checkpoint is about to be written. What was reported before is not reported again after a crash. Waits while
    /// checkpoints have to.
    ///
    /// # Errors
    /// If the store does not have it yet.
    pub fn saving(&mut self) -> std::io::Result<()> {
        let store = &self.daemon.store;
        self.daemon.checkpoints.pass(self.id, || store.barrier()).map_err(std::io::Error::other)?;
        self.checkpoints += 1;
        self.got_on();
        if self.checkpoints == 2 {
            // The first checkpoint has been written, so the disk accepts data again.
            self.daemon.disk_recovered();
        }
        Ok(())
    }

    /// Stores that a unit ended, if a crash has kept that from the store.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn catch_up(&self, unit: u64, record: UnitRecord) -> Result<(), StoreError> {
        let known = self.daemon.store.unit(self.id, unit)?;
        if known.as_ref().is_none_or(|known| known.end.is_none()) {
            let attempts = known.map_or(1, |known| known.attempts + 1);
            self.daemon.store.later(vec![Change::Unit(self.id, unit, UnitRecord { attempts, ..record })]);
        }
        Ok(())
    }
}

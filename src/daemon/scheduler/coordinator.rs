//! The thread of a job's coordinator. What it runs is a matter of the job's kind.

use super::active::{LiveJob, lock_live};
use super::kind::{CannotRun, CoordinatorEnd, RunContext, kind};
use super::reporter::JobReporter;
use super::state::Daemon;
use crate::daemon::folder::{FolderClaim, ReadNote, read_note};
use crate::daemon::records::{JobRecord, JobStanding, Spec};
use crate::daemon::view::{JobId, JobLimits};
use crate::queue::Terms;
use crate::runner::SessionLimits;
use crate::runner::orders::OrderReceiver;
use crate::store::Change;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

impl Daemon {
    /// The limits of a job as a session knows them, and how the job shares the workers.
    pub(super) fn limits_and_terms(&self, limits: &JobLimits, priority: i32, weight: u32) -> (SessionLimits, Terms) {
        let JobLimits { seconds, iterations, workers, memory, disk } = *limits;
        let disk = Some(disk.unwrap_or(self.job_disk));
        (SessionLimits { seconds, iterations, memory, disk }, Terms { priority, weight, workers, threads: None })
    }

    /// Runs a job until it is over or is ordered to stop. Returns how that ended, with the last figures.
    pub(super) fn run_job(
        &self,
        id: JobId,
        live: &Arc<Mutex<LiveJob>>,
        ordered: &OrderReceiver,
    ) -> (CoordinatorEnd, Option<JobStanding>) {
        let ran = catch_unwind(AssertUnwindSafe(|| self.run_kind(id, live, ordered)));
        let end = match ran {
            Ok(Ok(end)) => end,
            Ok(Err(CannotRun::Refused(why))) => CoordinatorEnd::Refused(why),
            Ok(Err(CannotRun::Waits(why))) => CoordinatorEnd::Waits(why),
            // A person can put the folder right, and resume the job.
            Ok(Err(CannotRun::Quarantined(why) | CannotRun::Foreign(why))) => CoordinatorEnd::Quarantined(why),
            Ok(Err(CannotRun::Failed(why))) => CoordinatorEnd::Failed(why),
            Err(_) => CoordinatorEnd::Failed("its coordinator failed (a defect of this program)".to_owned()),
        };
        let standing = lock_live(live).standing.clone();
        (end, standing)
    }

    fn run_kind(
        &self,
        id: JobId,
        live: &Arc<Mutex<LiveJob>>,
        ordered: &OrderReceiver,
    ) -> Result<CoordinatorEnd, CannotRun> {
        let lost = || CannotRun::Failed("its specification is missing from the store".to_owned());
        let spec = self.store.spec(id)?.ok_or_else(lost)?;
        let Spec { work, .. } = serde_json::from_slice(&spec).map_err(|_| lost())?;
        let limits = self.lock().open(id).ok_or_else(lost)?.record.summary.limits;
        let memory = self.grant_memory(id, kind(&work).memory(self.workers, &limits))?;
        self.note_start(id)?;
        let record = self.lock().open(id).ok_or_else(lost)?.record.clone();
        let folder = self.directory.job(id);
        let claim = FolderClaim { record: &record, spec: &spec };
        claim.take(&folder, || kind(&work).content(&folder))?;
        // As it is by now: it may have been paused while its files were read.
        self.note_open(id);
        let summary = &record.summary;
        let (limits, terms) = self.limits_and_terms(&summary.limits, summary.priority, summary.weight);
        let quarantined = summary.units_quarantined;
        let reporter = JobReporter::new(self, id, Arc::clone(live));
        kind(&work).run(RunContext { reporter, ordered, limits, terms, quarantined, memory })
    }

    /// Notes durably that a job begins. The note goes when the job has got on or its coordinator ends, so what is
    /// left of it tells how often the daemon died.
    fn note_start(&self, id: JobId) -> Result<(), CannotRun> {
        let mut core = self.lock();
        let Some(open) = core.open(id) else { return Ok(()) };
        let most = self.most_deaths;
        if most > 0 && open.record.starts >= most {
            return Err(CannotRun::Quarantined(format!(
                "the daemon died {most} times while the job ran, before it had saved anything or finished a unit"
            )));
        }
        open.record.starts = open.record.starts.saturating_add(1);
        self.store.later(vec![Change::Job(id, open.record.bytes())]);
        drop(core);
        Ok(self.store.barrier()?)
    }

    /// A job has saved something or finished a unit: it does not end the daemon.
    pub(super) fn got_on(&self, id: JobId) {
        let mut core = self.lock();
        let Some(open) = core.going_on(id) else { return };
        open.record.starts = 0;
        self.store.later(vec![Change::Job(id, open.record.bytes())]);
        drop(core);
        self.changed.notify_all();
    }

    /// Notes the state of a job that is not over, and is not about to be, in its folder.
    pub(super) fn note_open(&self, id: JobId) {
        let notes = self.lock_notes();
        let record = self.lock().going_on(id).map(|open| open.record.clone());
        if let Some(record) = record {
            self.write_note(&record);
        }
        drop(notes);
    }

    /// Notes the state of a job in its folder, for a salvage.
    pub(super) fn note_state(&self, record: &JobRecord) {
        let notes = self.lock_notes();
        self.write_note(record);
        drop(notes);
    }

    fn lock_notes(&self) -> MutexGuard<'_, ()> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The store has the state, too; so an error does not matter.
    fn write_note(&self, record: &JobRecord) {
        if let Ok(Some(spec)) = self.store.spec(record.id()) {
            let _ = FolderClaim { record, spec: &spec }.write_state(&self.directory.job(record.id()));
        }
    }

    /// Refuses if the folder of a job belongs to another job. Nothing is changed.
    pub(super) fn examine_folder(&self, record: &JobRecord) -> Result<(), CannotRun> {
        let id = record.id();
        let folder = self.directory.job(id);
        let spec = self.store.spec(id)?;
        let work = spec.as_ref().and_then(|spec| serde_json::from_slice(spec).ok()).map(|Spec { work, .. }| work);
        let (Some(spec), Some(work)) = (spec, work) else {
            let lost = format!("the specification of job {id} is missing from the store");
            // Without it, the identity alone can say whose the folder is.
            return Err(match read_note(&folder)? {
                ReadNote::Whole(note) if Some(&note.identity) == record.identity.as_ref() => CannotRun::Failed(lost),
                _ if folder.exists() => CannotRun::Foreign(lost),
                _ => CannotRun::Failed(lost),
            });
        };
        FolderClaim { record, spec: &spec }.examine(&folder, || kind(&work).content(&folder)).map(drop)
    }
}

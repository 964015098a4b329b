//! Jobs of numbered units as the scheduler runs them: what players do. A kind of them is an `impl` of
//! [`NumberedKind`].

use super::kind::{CannotRun, CoordinatorEnd, FoundFile, JobFacts, JobFile, JobKind, JobResults, RunContext};
use super::reporter::JobReporter;
use crate::core::search::End;
use crate::daemon::credit::UnitKind;
use crate::daemon::folder::FolderContent;
use crate::daemon::memory::MemoryNeed;
use crate::daemon::records::JobStanding;
use crate::daemon::view::{EventKind, JobId, JobLimits, StatisticsView};
use crate::files::{Keep, replace};
use crate::jobs::numbered::{NumberedCoordinator, NumberedJob, NumberedProgress};
use crate::queue::LaneId;
use crate::queue::any::TypedQueue;
use crate::queue::copies::MachineName;
use crate::queue::effort::Efforts;
use crate::runner::directory::Contents;
use crate::runner::numbered::portable::PlayedElsewhere;
use crate::runner::numbered::session::{
    NumberedEnding, NumberedListener, NumberedSession, NumberedStanding, UnitsElsewhere,
};
use crate::runner::numbered::unit::{PlayerMaker, PlayerPool};
use crate::runner::numbered::{FILE, FoundOutcomes, NumberedError, NumberedRun, look};
use crate::runner::orders::Interrupt;
use crate::runner::{Clocking, FailedAttempt, WorkerShare};
use crate::store::UnitRecord;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the file in the job's folder with the course for the API. The state of the job is elsewhere.
const STATISTICS: &str = "statistics.json";
/// Most points of a course.
const MOST: usize = 2000;

/// A kind of job of numbered units.
pub trait NumberedKind: NumberedJob {
    /// A moment of the course.
    type Point: Copy + PartialEq + Serialize + DeserializeOwned;

    /// Makes the players of the units of the job in this folder.
    fn players(&self, folder: &Path) -> PlayerMaker<Self::Outcome>;

    /// How machines compute the units of the job; nothing if they cannot.
    fn elsewhere(&self) -> Option<Arc<dyn PlayedElsewhere<Self::Outcome>>> {
        None
    }

    /// Bytes of memory of the players of one worker: a round estimate.
    fn memory_of_worker(&self) -> u64;

    /// Bytes of memory that all players share: a round estimate.
    fn shared_memory(&self) -> u64 {
        0
    }

    /// Puts into the folder of the job what it takes from other jobs, whose folders `folder_of` names. It is called
    /// each time the job begins or continues; `begun` tells whether a unit is done.
    ///
    /// # Errors
    /// If that is not there, or cannot be written.
    fn gather(&self, _folder: &Path, _begun: bool, _folder_of: &dyn Fn(JobId) -> PathBuf) -> Result<(), CannotRun> {
        Ok(())
    }

    /// Writes the result of all units into the folder of the job, before the job is over.
    ///
    /// # Errors
    /// If it cannot be written.
    fn finish(&self, _folder: &Path) -> Result<(), CannotRun> {
        Ok(())
    }

    /// What is known of the job before it begins. Its view is added.
    fn first_facts(&self) -> Result<JobFacts, String>;

    /// Puts the view of the job into what is shown of it.
    ///
    /// # Errors
    /// If the job cannot be shown: it was written by a newer version.
    fn show(&self, tally: &Self::Tally, units: &NumberedProgress, standing: &mut JobStanding) -> Result<(), String>;

    /// The job at a moment, and whether it is worth a point of its own.
    fn point(&self, now: &NumberedStanding<Self>) -> Self::Point;

    /// Puts the course into the statistics.
    fn course(points: Vec<Self::Point>, statistics: &mut StatisticsView);

    /// See [`JobKind::results`].
    ///
    /// # Errors
    /// If they cannot be read.
    fn outcomes_shown(&self, _folder: &Path, _from: u64, _most: usize) -> Result<JobResults, String> {
        Ok(JobResults::Others)
    }

    /// See [`JobKind::file`].
    ///
    /// # Errors
    /// If it cannot be read.
    fn result_file(&self, _folder: &Path, _which: JobFile) -> Result<FoundFile, String> {
        Ok(FoundFile::OtherKind)
    }
}

impl<J: NumberedKind> JobKind for J {
    fn facts(&self) -> Result<JobFacts, String> {
        let coordinator = NumberedCoordinator::new(self.clone());
        let mut shown = JobStanding::default();
        self.show(coordinator.tally(), &coordinator.progress(), &mut shown)?;
        let JobStanding { matched, selfplay, analyse, tune, tactics, mine, plan, check, .. } = shown;
        Ok(JobFacts { matched, selfplay, analyse, tune, tactics, mine, plan, check, ..self.first_facts()? })
    }

    fn content(&self, folder: &Path) -> Result<FolderContent, CannotRun> {
        match look(self, folder)? {
            FoundOutcomes::OfJob => Ok(FolderContent::OfJob),
            FoundOutcomes::Other(found) => Ok(FolderContent::Other(format!("outcomes of {found}"))),
            FoundOutcomes::Nothing => {
                let found = Contents::of(folder).map_err(|error| CannotRun::Refused(error.to_string()))?;
                Ok(match found {
                    Contents::Nothing => FolderContent::Nothing,
                    Contents::Others(name) if [STATISTICS, FILE].contains(&name.as_str()) => FolderContent::Nothing,
                    Contents::Others(name) => FolderContent::Other(format!("it holds {name}")),
                    Contents::Hunt => FolderContent::Other("a hunt".to_owned()),
                })
            }
        }
    }

    fn memory(&self, workers: u32, limits: &JobLimits) -> MemoryNeed {
        let workers = limits.workers.map_or(workers, |most| most.clamp(1, workers));
        let (shared, each) = (self.shared_memory(), self.memory_of_worker());
        let least = shared.saturating_add(each);
        let wanted = shared.saturating_add(each.saturating_mul(workers.into()));
        MemoryNeed { least, wanted: limits.memory.map_or(wanted, |most| wanted.min(most)).max(least) }
    }

    fn run(&self, context: RunContext<'_>) -> Result<CoordinatorEnd, CannotRun> {
        let RunContext { reporter, ordered, limits, mut terms, quarantined: _, memory } = context;
        let (daemon, id) = (reporter.daemon, reporter.id);
        let folder = daemon.directory.job(id);
        let mut run = NumberedRun::open(self, &folder)?;
        if let Some(text) = run.notice.take() {
            daemon.publish(Some(id), EventKind::Notice { text });
        }
        let begun = run.coordinator().progress().done > 0;
        self.gather(&folder, begun, &|job| daemon.directory.job(job))?;
        // Stores what a crash may have kept from the store.
        for &(unit, nodes) in &run.replayed {
            reporter.catch_up(unit, unit_record(nodes))?;
        }
        // Each worker needs players of its own.
        let of_workers = memory.granted().saturating_sub(self.shared_memory());
        let affordable = (of_workers / self.memory_of_worker().max(1)).clamp(1, u32::MAX.into()) as u32;
        terms.threads = Some(terms.threads.map_or(affordable, |most| most.min(affordable)));
        let path = folder.join(STATISTICS);
        let course = read(&path).ok().flatten().unwrap_or_default();
        let mut listener = NumberedObserver { reporter, job: self, course, path };
        let session = NumberedSession {
            run: &mut run,
            players: Arc::new(PlayerPool::new(self.players(&folder))),
            elsewhere: self.elsewhere().map(|job| UnitsElsewhere { job, quorum: daemon.machine_quorum }),
            limits,
            pace: daemon.pace,
            trap: daemon.trap.as_ref().map(Arc::clone),
        };
        let queue = Arc::new(TypedQueue(Arc::clone(&daemon.queue) as _));
        let place = WorkerShare { queue, terms, clocking: Clocking::Busy };
        let ending = session.run_on(&place, &Interrupt::default(), ordered, &mut listener)?;
        if matches!(ending, NumberedEnding::Done | NumberedEnding::Decided) {
            self.finish(&folder)?;
        }
        Ok(ending.job_end(run.coordinator()).into())
    }

    fn statistics(&self, job: JobId, folder: &Path) -> Result<StatisticsView, String> {
        let course = read(&folder.join(STATISTICS)).map_err(|error| error.to_string())?;
        let mut statistics = StatisticsView::of(job);
        J::course(course.unwrap_or_default(), &mut statistics);
        Ok(statistics)
    }

    fn results(&self, folder: &Path, from: u64, most: usize) -> Result<JobResults, String> {
        self.outcomes_shown(folder, from, most)
    }

    fn file(&self, folder: &Path, which: JobFile) -> Result<FoundFile, String> {
        self.result_file(folder, which)
    }
}

/// The course as last written; `None` if the file is missing or cannot be read by this version.
fn read<P: DeserializeOwned>(path: &Path) -> io::Result<Option<Vec<P>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

impl From<NumberedError> for CannotRun {
    fn from(error: NumberedError) -> CannotRun {
        let why = error.to_string();
        match error {
            NumberedError::File(_) | NumberedError::Listener(_) => CannotRun::Refused(why),
            NumberedError::Damaged { .. } | NumberedError::Disk { .. } => CannotRun::Quarantined(why),
            NumberedError::Other { .. } => CannotRun::Foreign(why),
            NumberedError::Failed { .. } | NumberedError::NoWorkers => CannotRun::Failed(why),
        }
    }
}

/// The record of a unit that is done.
fn unit_record(nodes: u64) -> UnitRecord {
    UnitRecord { attempts: 1, end: Some(End::Finished), iterations: nodes, best: 0, error: None, quarantined: false }
}

/// Reports to the daemon what happens in a session.
struct NumberedObserver<'a, J: NumberedKind> {
    reporter: JobReporter<'a>,
    job: &'a J,
    course: Vec<J::Point>,
    path: PathBuf,
}

impl<J: NumberedKind> NumberedObserver<'_, J> {
    fn note(&mut self, now: &NumberedStanding<J>) {
        let point = self.job.point(now);
        if self.course.last() != Some(&point) {
            self.course.push(point);
        }
        if self.course.len() > MOST {
            let last = self.course.len() - 1;
            let mut at = 0;
            self.course.retain(|_| {
                at += 1;
                at % 2 == 1 || at == last + 1
            });
        }
    }
}

impl<J: NumberedKind> NumberedListener<J> for NumberedObserver<'_, J> {
    fn began(&mut self, lane: LaneId) {
        self.reporter.began(lane);
    }

    fn ended(&mut self, unit: u64, nodes: u64, efforts: &[Efforts]) {
        self.reporter.unit_credited(unit, unit_record(nodes), UnitKind::Players, efforts);
    }

    fn contradicted(&mut self, unit: u64, machine: &MachineName) {
        let text = format!("unit {unit}: {machine} says otherwise than what was taken");
        self.reporter.daemon.publish(Some(self.reporter.id), EventKind::Notice { text });
    }

    fn failed(&mut self, failure: &FailedAttempt) {
        let FailedAttempt { unit, attempts, error, quarantined } = failure;
        self.reporter.unit_failed(*unit, *attempts, error, *quarantined);
    }

    fn progress(&mut self, now: &NumberedStanding<J>) -> io::Result<()> {
        let mut standing = JobStanding { progress: now.progress.clone(), ..JobStanding::default() };
        self.job.show(&now.tally, &now.units, &mut standing).map_err(io::Error::other)?;
        self.reporter.standing(standing);
        self.reporter.tell_waiting();
        Ok(())
    }

    fn may_save(&self) -> bool {
        self.reporter.may_save()
    }

    fn saving(&mut self, now: &NumberedStanding<J>) -> io::Result<()> {
        self.note(now);
        let bytes = serde_json::to_vec(&self.course).map_err(io::Error::other)?;
        replace(&self.path, &bytes, Keep::Brief).map_err(io::Error::other)?;
        self.reporter.saving()
    }
}

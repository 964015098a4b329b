//! A new store from the folders of the jobs and from what can be read of the old one.
//!
//! The new store is written beside the old one, which then gets another name; a crash at any moment leaves one of
//! the two in place. Nothing in the folders is changed. A job that is in the old store is taken from there. Of other
//! jobs the folder has the submission and the last state (see [`crate::daemon::folder`]). The folder of a hunt of an
//! earlier version has its settings and grids; such a job is paused unless its log says that it is over, since nobody
//! knows what it was. A job that waited for its turn has no folder; it is lost if the old store has lost it.

use super::event_hub::RESERVED;
use super::hunt::{grid_record, own_grids};
use super::kind::{JobFacts, kind};
use super::state::LAST_JOB;
use super::submission::queued;
use super::{OpenError, SalvageError};
use crate::daemon::directory::StateDirectory;
use crate::daemon::folder::{self, FolderClaim, FolderNote, ReadNote, read_note, read_state};
use crate::daemon::hunt_request;
use crate::daemon::kinds::{JobWork, PreparedJob, prepare};
use crate::daemon::records::{JobRecord, Spec};
use crate::daemon::view::{JobId, JobLimits, JobRequest, JobState, JobSummary};
use crate::files::{FileError, keep_as, sync_directory};
use crate::jobs::ending::JobEnd;
use crate::jobs::hunt::Job;
use crate::jobs::hunt_settings::shown;
use crate::notation::catalogue::Catalogue;
use crate::runner::clock::now;
use crate::runner::directory::Contents;
use crate::runner::events::{self, HuntEventKind};
use crate::runner::state;
use crate::store::salvage::Remains;
use crate::store::{self, Change, Store, StoreError};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Name of the directory in which the new store is written.
const PLACE: &str = "salvage";
/// Numbers of a store have no checksum. One above this is damaged.
const MOST_NUMBER: u64 = 1 << 53;
/// Changes that are committed at once.
const CHUNK: usize = 20_000;

/// Makes a new store, if that is needed: what was done, in lines for people.
///
/// # Errors
/// If the state directory cannot be used, the store belongs to a newer version of the program, or a file cannot be
/// written. The old store is in place then.
pub fn salvage(state: &Path) -> Result<Vec<String>, OpenError> {
    let directory = StateDirectory::take(state)?;
    let folders = directory.numbers()?;
    let path = state.join(store::FILE);
    if let Some(why) = not_needed(&directory, &folders)? {
        return Ok(vec![why]);
    }
    let mut old = Remains::of(&path);
    let forgotten: BTreeSet<JobId> = old.changes.iter().filter_map(forgotten).collect();
    let ids: BTreeSet<JobId> = old.jobs.keys().chain(old.specs.keys()).chain(&folders).copied().collect();
    let removed = old.changes.iter().filter_map(removed).collect();
    let (catalogue, jobs, lines) = (Catalogue::load()?, Vec::new(), Vec::new());
    let mut salvaged = SalvagedJobs { directory: &directory, catalogue, removed, jobs, lines };
    for &id in ids.difference(&forgotten) {
        let (record, spec) = (old.jobs.remove(&id), old.specs.remove(&id));
        salvaged.add(id, record.as_deref(), spec)?;
    }
    let number = |name| old.numbers.get(name).copied().filter(|&number| number <= MOST_NUMBER);
    let last = ids.last().copied().max(number(LAST_JOB)).unwrap_or(0);
    let reserved = number(RESERVED).unwrap_or(1).max(old.last_event + 1);
    let numbers = vec![Change::Number(LAST_JOB, last), Change::Number(RESERVED, reserved)];
    let SalvagedJobs { jobs, mut lines, .. } = salvaged;
    lines.push(format!("{} jobs, {} grids of the old store", jobs.len(), old.grids));
    if !old.damaged.is_empty() {
        lines.push(format!("of the old store could not be read in full: {}", old.damaged.join(", ")));
    }
    let known: BTreeSet<JobId> = jobs.iter().map(|job| job.id).collect();
    old.changes.retain(|change| match change {
        Change::Unit(job, ..) | Change::Key(_, job) => known.contains(job),
        _ => true,
    });
    let of_jobs = jobs.into_iter().flat_map(|job| job.changes);
    let changes: Vec<Change> = old.changes.into_iter().chain(of_jobs).chain(numbers).collect();
    let kept = replace_store(state, &path, changes)?;
    lines.extend(kept.map(|kept| format!("the old store is kept as {}", kept.display())));
    lines.insert(0, format!("{} is made anew from the folders of the jobs and what could be read:", path.display()));
    Ok(lines)
}

fn forgotten(change: &Change) -> Option<JobId> {
    match change {
        Change::Forget(job) => Some(job.id),
        _ => None,
    }
}

/// The job and the key of a grid that was removed after the job had found it.
fn removed(change: &Change) -> Option<(JobId, u64)> {
    match *change {
        Change::GridRemoved(job, key) => Some((job, key)),
        _ => None,
    }
}

/// Why nothing is to be done, if that is so: the store is whole and knows all folders of jobs.
fn not_needed(directory: &StateDirectory, folders: &[JobId]) -> Result<Option<String>, OpenError> {
    let state = directory.path();
    let path = state.join(store::FILE);
    if fs::metadata(&path).map_or(0, |file| file.len()) == 0 {
        let nothing = format!("{}: there is nothing to salvage", state.display());
        return Ok(folders.is_empty().then_some(nothing));
    }
    match Store::open(state) {
        Ok(store) => {
            let mut known = BTreeSet::new();
            store.jobs(|id, _| _ = known.insert(id))?;
            known.extend(store.pending_deletions()?.into_iter().map(|(id, _)| id));
            let whole = folders.iter().all(|&id| known.contains(&id) || !holds_job(id, &directory.job(id)));
            Ok(whole.then(|| format!("{} is in order: there is nothing to salvage", path.display())))
        }
        Err(StoreError::Damaged { .. } | StoreError::Refused { .. }) => Ok(None),
        // Its pages cannot all be read, but perhaps some can.
        Err(StoreError::Open { .. }) if fs::File::open(&path).is_ok() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether a folder says what its job is made of.
fn holds_job(id: JobId, folder: &Path) -> bool {
    let note = read_note(folder);
    matches!(note, Ok(ReadNote::Whole(note)) if note.job == id) || legacy_hunt(id, folder).is_some()
}

/// A job for the new store.
struct SalvagedJob {
    id: JobId,
    changes: Vec<Change>,
}

struct SalvagedJobs<'a> {
    directory: &'a StateDirectory,
    catalogue: Catalogue,
    /// Jobs with the keys of grids that were removed after the job had found them.
    removed: BTreeSet<(JobId, u64)>,
    jobs: Vec<SalvagedJob>,
    lines: Vec<String>,
}

impl SalvagedJobs<'_> {
    /// Adds a job by what the old store has of it, and by its folder.
    fn add(&mut self, id: JobId, stored: Option<&[u8]>, spec: Option<Vec<u8>>) -> Result<(), OpenError> {
        let folder = self.directory.job(id);
        let note = self.note(id, &folder)?;
        let stored = stored.and_then(JobRecord::read).filter(|record| record.id() == id);
        let spec = spec.filter(|spec| serde_json::from_slice::<Spec>(spec).is_ok());
        let is_stored = stored.is_some();
        let found = match (stored, spec) {
            (Some(record), Some(spec)) => Some((record, spec)),
            (Some(record), None) => self.with_spec_of_folder(record, note.as_ref(), &folder),
            (None, Some(spec)) => self.with_record_of_folder(id, spec, note.as_ref(), &folder),
            (None, None) => match note {
                Some(note) => Some((newest(&note, &folder), note.spec)),
                None => legacy_hunt(id, &folder),
            },
        };
        let Some((mut record, spec)) = found else {
            if folder.exists() {
                self.lines
                    .push(format!("{} is left alone: it does not say what its job is made of", folder.display()));
            }
            return Ok(());
        };
        let mut changes = self.of_folder(&mut record, &spec, &folder, is_stored);
        changes.extend(record.key.clone().map(|key| Change::Key(key, id)));
        changes.push(Change::Job(id, record.bytes()));
        changes.extend((!spec.is_empty()).then_some(Change::Spec(id, spec)));
        self.jobs.push(SalvagedJob { id, changes });
        Ok(())
    }

    /// What the folder notes of its job.
    fn note(&mut self, id: JobId, folder: &Path) -> Result<Option<FolderNote>, OpenError> {
        match read_note(folder) {
            Ok(ReadNote::Whole(note)) if note.job == id && note.record.id() == id => Ok(Some(*note)),
            Ok(ReadNote::Whole(note)) => {
                self.lines.push(format!("{} is left alone: it is the folder of job {}", folder.display(), note.job));
                Ok(None)
            }
            Ok(ReadNote::Missing | ReadNote::Damaged) => Ok(None),
            Err(error) => Err(SalvageError::Folder(error).into()),
        }
    }

    /// A record whose specification the old store has lost.
    fn with_spec_of_folder(
        &self,
        mut record: JobRecord,
        note: Option<&FolderNote>,
        folder: &Path,
    ) -> Option<(JobRecord, Vec<u8>)> {
        let fits = |note: &&FolderNote| FolderClaim { record: &record, spec: &note.spec }.identity() == note.identity;
        if let Some(note) = note.filter(fits) {
            return Some((record, note.spec.clone()));
        }
        if let Some((_, spec)) = legacy_hunt(record.id(), folder).filter(|_| record.identity.is_none()) {
            return Some((record, spec));
        }
        if !record.summary.state.is_over() {
            let reason = Some("its specification was lost with the store".to_owned());
            record.summary = JobSummary { state: JobState::Failed, reason, ended: Some(now()), ..record.summary };
        }
        Some((record, Vec::new()))
    }

    /// The record of a job of which the old store has the specification alone.
    fn with_record_of_folder(
        &self,
        id: JobId,
        spec: Vec<u8>,
        note: Option<&FolderNote>,
        folder: &Path,
    ) -> Option<(JobRecord, Vec<u8>)> {
        if let Some(note) = note.filter(|note| note.spec == spec) {
            return Some((newest(note, folder), spec));
        }
        let Spec { request, work } = serde_json::from_slice(&spec).ok()?;
        let facts = kind(&work).facts().ok()?;
        let made = |id: JobId| match &work {
            JobWork::Tune(job) => job.made_by(id).ok_or_else(|| format!("there is no job {id}")),
            _ => Err(format!("there is no job {id}")),
        };
        let prepared = prepare(&request, 1, facts.seed.unwrap_or(0), &made).ok()?;
        let PreparedJob { settings, strategy, strategy_reason, .. } = prepared;
        let limits = JobLimits {
            seconds: request.limits.seconds.or(prepared.limits.seconds),
            workers: request.limits.workers.or(prepared.limits.workers),
            ..request.limits
        };
        let name = request.name.clone().unwrap_or(prepared.name);
        let summary = queued(id, &request, (name, strategy), limits, facts);
        let mut summary = JobSummary { strategy_reason, ..summary };
        // A folder without a note is one of an earlier version.
        let identity = (!folder.exists()).then(folder::new_identity);
        if identity.is_none() {
            summary = ended(summary, folder);
        }
        let settings = serde_json::to_string(&settings).ok()?;
        // A job with a folder has begun, and waits for no other one.
        let awaits = identity.is_some() && summary.after.is_some();
        Some((JobRecord { awaits, ..JobRecord::new(summary, settings, None, identity) }, spec))
    }

    /// The grids of a hunt's folder, if the folder is that of the job; the record gets the figures and the best grid.
    fn of_folder(&mut self, record: &mut JobRecord, spec: &[u8], folder: &Path, is_stored: bool) -> Vec<Change> {
        let Ok(Spec { work, .. }) = serde_json::from_slice(spec) else { return Vec::new() };
        let claim = FolderClaim { record, spec };
        if claim.examine(folder, || kind(&work).content(folder)).is_err() {
            self.lines.push(format!("{} is not that of its job, or is damaged: it is left alone", folder.display()));
            return Vec::new();
        }
        let JobWork::Hunt(job) = work else { return Vec::new() };
        let Ok((checkpoint, _)) = state::read(folder) else { return Vec::new() };
        let (id, catalogue) = (record.id(), &self.catalogue);
        if !is_stored {
            let totals = &checkpoint.state.totals;
            record.summary.seconds = checkpoint.seconds;
            record.summary.iterations = totals.iterations;
            (record.summary.units_done, record.summary.units_stalled) = (totals.units, totals.stalled);
        }
        let mut changes = Vec::new();
        if let Some(best) = checkpoint.state.best.as_ref().filter(|_| !job.params.start.is_cross()) {
            record.summary.best = Some(best.score());
        }
        if let Some(best) = checkpoint.state.best.and_then(|best| grid_record(&job, id, &best, catalogue)) {
            let was_removed = [best.key, best.key_beside()].iter().any(|&key| self.removed.contains(&(id, key)));
            (record.summary.best, record.best_grid) = (Some(best.score), (!was_removed).then_some(best.key));
            changes.push(Change::Grid(Box::new(best)));
        }
        let kept = own_grids(folder).filter_map(|kept| grid_record(&job, id, &kept.find, catalogue));
        changes.extend(kept.map(|grid| Change::Grid(Box::new(grid))));
        changes
    }
}

/// The newest record that the folder has.
fn newest(note: &FolderNote, folder: &Path) -> JobRecord {
    let last = read_state(folder).ok().flatten();
    let same = |last: &JobRecord| (last.id(), &last.identity) == (note.job, &note.record.identity);
    last.filter(same).unwrap_or_else(|| note.record.clone())
}

/// A job from the folder of a hunt that notes no job.
fn legacy_hunt(id: JobId, folder: &Path) -> Option<(JobRecord, Vec<u8>)> {
    if Contents::of(folder).ok()? != Contents::Hunt {
        return None;
    }
    let (checkpoint, _) = state::read(folder).ok()?;
    let (job, limits) = (checkpoint.job, JobLimits { seconds: checkpoint.time_limit, ..JobLimits::default() });
    let settings = shown(&[], &job);
    let name = hunt_request::name(&job);
    let request = JobRequest {
        kind: "hunt".to_owned(),
        name: Some(name.clone()),
        priority: 0,
        weight: 1,
        limits,
        settings: settings.clone(),
        start: None,
        grids: Vec::new(),
        after: None,
        not_before: None,
    };
    let (strategy, facts) = (job.params.strategy.name().to_owned(), kind_facts(&job)?);
    let summary = ended(queued(id, &request, (name, strategy), limits, facts), folder);
    let settings = serde_json::to_string(&settings).ok()?;
    let spec = serde_json::to_vec(&Spec { request, work: JobWork::Hunt(job) }).ok()?;
    Some((JobRecord::new(summary, settings, None, None), spec))
}

fn kind_facts(job: &Job) -> Option<JobFacts> {
    kind(&JobWork::Hunt(job.clone())).facts().ok()
}

/// The same job as its folder says that it ended; paused if the folder does not say that it is over.
fn ended(summary: JobSummary, folder: &Path) -> JobSummary {
    let last = events::read(folder).ok().and_then(|mut log| log.events.pop());
    match last.map(|event| (event.what, event.time)) {
        Some((HuntEventKind::End { reason, .. }, time)) => {
            let reason = Some(JobEnd::from(reason).name().to_owned());
            JobSummary { state: JobState::Finished, reason, ended: Some(time), ..summary }
        }
        _ => JobSummary { state: JobState::Paused, ..summary },
    }
}

/// Writes a new store and puts it into the place of the old one, which gets another name: that name.
fn replace_store(state: &Path, path: &Path, changes: Vec<Change>) -> Result<Option<PathBuf>, OpenError> {
    let place = state.join(PLACE);
    let failed = |action, path: &Path| {
        let path = path.to_owned();
        move |source: io::Error| OpenError::from(SalvageError::File(FileError { action, path, source }))
    };
    match fs::remove_dir_all(&place) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed("remove", &place)(error)),
        _ => {}
    }
    fs::create_dir(&place).map_err(failed("make the directory", &place))?;
    let new = Store::open(&place)?;
    let mut changes = changes;
    while !changes.is_empty() {
        let rest = changes.split_off(changes.len().min(CHUNK));
        new.commit(std::mem::replace(&mut changes, rest))?;
    }
    drop(new);
    let kept = keep_as(path, "old").map_err(failed("keep", path))?;
    fs::rename(place.join(store::FILE), path).map_err(failed("write", path))?;
    sync_directory(path).map_err(failed("write", state))?;
    let _ = fs::remove_dir(&place);
    Ok(kept)
}

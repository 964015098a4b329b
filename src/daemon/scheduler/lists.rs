//! What clients see: jobs, units, workers, grids, events.

use super::commands::refusal;
use super::{Core, Daemon, JobEntry, OpenJob};
use crate::daemon::grids;
use crate::daemon::records::{JobRecord, key_text};
use crate::daemon::service::{GridFilter, JobFilter, Page, Refusal};
use crate::daemon::view::{
    EventView, GridCount, GridView, HealthView, JobId, JobState, JobView, Listing, UnitState, UnitView, VERSION,
    WorkerView,
};
use crate::morpion::variant::Variant;
use crate::notation::grid::Grid;
use crate::queue::{LaneId, Queue};
use crate::runner::progress::RunningUnit;
use crate::store::UnitRecord;
use crate::store::grids::{GridRecord, Scope};
use std::collections::BTreeMap;
use std::time::Duration;

/// What the disk refused to a job so long ago is no longer the daemon's state.
const PAST: Duration = Duration::from_secs(15);
/// Most items of a page.
const MOST: usize = 1000;

fn number(cursor: &str) -> Result<u64, Refusal> {
    cursor.parse().map_err(|_| Refusal::Invalid(format!("'{cursor}' is no cursor of this list")))
}

/// A page of what was found: one more than wanted tells that there is more.
fn listing<T>(mut items: Vec<T>, limit: usize, cursor: impl Fn(&T) -> String) -> Listing<T> {
    let more = items.len() > limit;
    items.truncate(limit);
    let next = if more { items.last().map(cursor) } else { None };
    Listing { v: VERSION, items, next }
}

impl Daemon {
    /// The record of a job, wherever it is.
    pub(super) fn record(&self, id: JobId) -> Result<JobRecord, Refusal> {
        let core = self.lock();
        match core.jobs.get(&id) {
            None => Err(Refusal::NotFound(format!("job {id}"))),
            Some(JobEntry::OpenJob(open)) => Ok(open.record.clone()),
            Some(JobEntry::Over { .. }) => {
                drop(core);
                let bytes = self.store.job(id).map_err(refusal)?;
                let record = bytes.ok_or_else(|| Refusal::NotFound(format!("job {id}")))?;
                JobRecord::read(&record).ok_or_else(|| Refusal::Internal(format!("job {id} cannot be read")))
            }
        }
    }

    pub(super) fn show(&self, id: JobId) -> Result<JobView, Refusal> {
        if let Some(JobEntry::OpenJob(open)) = self.lock().jobs.get(&id) {
            return Ok(self.view(open));
        }
        self.record(id).map(|record| record.view())
    }

    /// A job that is not over, with what its coordinator last said.
    fn view(&self, open: &OpenJob) -> JobView {
        let mut view = open.record.view();
        view.reason = view.reason.or_else(|| open.refused.clone());
        let Some(active) = &open.active else { return view };
        let live = active.live();
        if let Some(standing) = &live.standing {
            view.seconds = standing.progress.seconds;
            view.iterations = standing.progress.iterations;
            view.units_done = standing.progress.units_done;
            view.units_stalled = standing.progress.units_stalled;
            view.rate = standing.progress.rate;
            if standing.solution.is_some() {
                view.solution.clone_from(&standing.solution);
            }
        }
        if let Some(lane) = live.lane {
            view.threads = self.queue.activity(lane).running;
        }
        if open.record.state == JobState::Running && view.threads > 0 {
            view.state = JobState::Running;
        }
        if view.threads == 0 {
            view.rate = 0.0;
        }
        view
    }

    /// How a job stands, without reading the store.
    fn state(&self, entry: &JobEntry) -> JobState {
        match entry {
            JobEntry::Over { state, .. } => *state,
            JobEntry::OpenJob(open) if open.record.state != JobState::Running => open.record.state,
            JobEntry::OpenJob(open) => {
                let lane = open.active.as_ref().and_then(|active| active.live().lane);
                let running = lane.is_some_and(|lane| self.queue.activity(lane).running > 0);
                if running { JobState::Running } else { JobState::Queued }
            }
        }
    }

    pub(super) fn list_jobs(&self, filter: &JobFilter, page: &Page) -> Result<Listing<JobView>, Refusal> {
        let before = page.cursor.as_deref().map(number).transpose()?.unwrap_or(JobId::MAX);
        let limit = page.limit.clamp(1, MOST);
        let core = self.lock();
        let fits = |entry: &JobEntry| {
            let kind = match entry {
                JobEntry::OpenJob(open) => &open.record.kind,
                JobEntry::Over { kind, .. } => kind,
            };
            filter.kind.as_ref().is_none_or(|wanted| wanted == kind)
                && filter.state.is_none_or(|wanted| wanted == self.state(entry))
        };
        let found = core.jobs.range(..before).rev().filter(|(_, entry)| fits(entry)).take(limit + 1);
        let ids: Vec<(JobId, Option<JobView>)> = found
            .map(|(&id, entry)| match entry {
                JobEntry::OpenJob(open) => (id, Some(self.view(open))),
                JobEntry::Over { .. } => (id, None),
            })
            .collect();
        drop(core);
        let mut views = Vec::with_capacity(ids.len());
        for (id, view) in ids {
            match view.map_or_else(|| self.record(id).map(|record| record.view()), Ok) {
                Ok(view) => views.push(view),
                // It was removed meanwhile.
                Err(Refusal::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(listing(views, limit, |view| view.id.to_string()))
    }

    pub(super) fn list_units(
        &self,
        job: JobId,
        state: Option<UnitState>,
        page: &Page,
    ) -> Result<Listing<UnitView>, Refusal> {
        let from = page.cursor.as_deref().map(number).transpose()?.map_or(0, |after| after.saturating_add(1));
        let limit = page.limit.clamp(1, MOST);
        let mut running: BTreeMap<u64, UnitView> = BTreeMap::new();
        {
            let core = self.lock();
            let Some(entry) = core.jobs.get(&job) else { return Err(Refusal::NotFound(format!("job {job}"))) };
            if let JobEntry::OpenJob(open) = entry
                && let Some(active) = &open.active
            {
                let live = active.live();
                let running_now = live.standing.iter().flat_map(|standing| &standing.progress.running);
                for unit in running_now.filter(|unit| unit.unit >= from) {
                    let attempts = live.failures.get(&unit.unit).copied().unwrap_or(0) + 1;
                    let view = UnitView {
                        job,
                        unit: unit.unit,
                        state: UnitState::Running,
                        attempts,
                        end: None,
                        iterations: unit.iterations,
                        best: unit.best,
                        error: None,
                    };
                    running.insert(unit.unit, view);
                }
            }
        }
        let mut stored = Vec::new();
        let mut note = |unit: u64, record: UnitRecord| {
            // What the coordinator last said can be older than what is stored.
            let was_running = if record.end.is_some() { running.remove(&unit) } else { None };
            if let (None, Some(view)) = (&was_running, running.get_mut(&unit)) {
                view.error = record.error;
                return true;
            }
            let view = unit_view(job, unit, record);
            if state.is_none_or(|state| state == view.state) {
                stored.push(view);
            }
            stored.len() <= limit
        };
        self.store.units(job, from, &mut note).map_err(refusal)?;
        stored.extend(running.into_values().filter(|view| state.is_none_or(|state| state == view.state)));
        stored.sort_unstable_by_key(|view| view.unit);
        Ok(listing(stored, limit, |view| view.unit.to_string()))
    }

    pub(super) fn list_workers(&self) -> Vec<WorkerView> {
        let core = self.lock();
        let mut lanes = BTreeMap::new();
        for id in &core.active {
            if let Some(JobEntry::OpenJob(open)) = core.jobs.get(id)
                && let Some(active) = &open.active
            {
                let live = active.live();
                let running = live.standing.iter().flat_map(|standing| &standing.progress.running);
                let figures: BTreeMap<u64, RunningUnit> = running.map(|at| (at.ticket, *at)).collect();
                lanes.extend(live.lane.map(|lane| (lane, (*id, figures))));
            }
        }
        drop(core);
        let view = |post: crate::queue::Post| {
            let at = post.unit.and_then(|(lane, ticket)| lanes.get(&lane).map(|at| (ticket, at)));
            let figures = at.and_then(|(ticket, (_, figures))| figures.get(&ticket));
            WorkerView {
                worker: post.worker,
                job: at.map(|(_, (job, _))| *job),
                unit: at.map(|(ticket, _)| figures.map_or(ticket, |at| at.unit)),
                iterations: figures.map_or(0, |at| at.iterations),
                best: figures.map_or(0, |at| at.best),
                seconds: post.since.as_secs_f64(),
            }
        };
        self.queue.posts().into_iter().map(view).collect()
    }

    /// Workers that have a unit of a lane.
    pub(super) fn threads_of(&self, lane: LaneId) -> u32 {
        self.queue.activity(lane).running
    }

    pub(super) fn list_grids(&self, filter: &GridFilter, page: &Page) -> Result<Listing<GridView>, Refusal> {
        let limit = page.limit.clamp(1, MOST);
        let after = page.cursor.as_deref().map(grid_cursor).transpose()?;
        let scope = match (filter.job, filter.variant) {
            (Some(job), _) => Scope::Job(job),
            (None, Some(variant)) => Scope::Variant(variant),
            (None, None) => Scope::All,
        };
        let of_variant = filter.variant.filter(|_| filter.job.is_some());
        let mut keys = Vec::new();
        // Of a job's grids those of another variant fall away when they are read.
        let most = if of_variant.is_some() { usize::MAX } else { limit + 1 };
        self.store
            .grid_keys(scope, after, |score, key| {
                if filter.min_score.is_some_and(|least| score < least) {
                    return false;
                }
                keys.push(key);
                keys.len() < most
            })
            .map_err(refusal)?;
        let mut views = Vec::new();
        for key in keys {
            let Some(record) = self.store.grid(key).map_err(refusal)? else { continue };
            if of_variant.is_none_or(|variant| variant == record.variant) {
                views.push(grid_view(&record));
            }
            if views.len() > limit {
                break;
            }
        }
        Ok(listing(views, limit, |view| format!("{}-{}", view.score, view.key)))
    }

    pub(super) fn count_grids(&self) -> Result<Vec<GridCount>, Refusal> {
        let mut counts: Vec<GridCount> = Vec::new();
        for variant in Variant::ALL {
            let count = |score, _| {
                match counts.last_mut() {
                    Some(last) if last.variant == variant && last.score == score => last.count += 1,
                    _ => counts.push(GridCount { variant, score, count: 1 }),
                }
                true
            };
            self.store.grid_keys(Scope::Variant(variant), None, count).map_err(refusal)?;
        }
        Ok(counts)
    }

    pub(super) fn show_grid(&self, key: &str) -> Result<(GridView, Grid), Refusal> {
        let missing = || Refusal::NotFound(format!("grid {key}"));
        let number = grid_key(key).ok_or_else(missing)?;
        let mut record = self.store.grid(number).map_err(refusal)?;
        if record.is_none() {
            // A job names its best grid while that is still on its way. If the disk refuses, it is not there for now.
            let _ = self.store.barrier();
            record = self.store.grid(number).map_err(refusal)?;
        }
        let record = record.ok_or_else(missing)?;
        let grid = record.grid().map_err(|error| Refusal::Internal(format!("grid {key}: {error}")))?;
        let mut view = grid_view(&record);
        view.moves = Some(grids::moves(&grid.moves));
        Ok((view, grid))
    }

    pub(super) fn list_events(&self, after: u64, job: Option<JobId>, limit: usize) -> Vec<EventView> {
        let mut events = Vec::new();
        let read = self.store.events(after, |_, bytes| {
            if let Ok(event) = serde_json::from_slice::<EventView>(bytes)
                && (job.is_none() || event.job == job)
            {
                events.push(event);
            }
            events.len() < limit
        });
        // A store that cannot be read now says so in the daemon's health.
        let _ = read;
        events
    }

    pub(super) fn health_view(&self) -> HealthView {
        let core = self.lock();
        let mut jobs: BTreeMap<String, u64> = BTreeMap::new();
        for entry in core.jobs.values() {
            let state = serde_json::to_value(self.state(entry)).ok();
            let state = state.and_then(|state| state.as_str().map(str::to_owned)).unwrap_or_default();
            *jobs.entry(state).or_default() += 1;
        }
        let status = self.status(&core);
        drop(core);
        let posts = self.queue.posts();
        HealthView {
            v: VERSION,
            status,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            uptime: self.began.elapsed().as_secs_f64(),
            workers: posts.len() as u32,
            busy: posts.iter().filter(|post| post.unit.is_some()).count() as u32,
            jobs,
            grids: self.store.count_grids().unwrap_or(0),
        }
    }

    fn status(&self, core: &Core) -> String {
        // A job that the disk stops again says so again.
        let of_job = core.trouble.as_ref().filter(|(_, since)| since.elapsed() < PAST);
        let trouble = self.store.trouble().or_else(|| of_job.map(|(trouble, _)| trouble.clone()));
        match (trouble, core.closing) {
            (Some(trouble), _) => trouble,
            (None, Some(_)) => "shutting down".to_owned(),
            (None, None) => "ok".to_owned(),
        }
    }
}

fn unit_view(job: JobId, unit: u64, record: UnitRecord) -> UnitView {
    let UnitRecord { attempts, end, iterations, best, error, aside } = record;
    let state = match (end, aside) {
        (_, true) => UnitState::Poisoned,
        (Some(_), _) => UnitState::Done,
        (None, _) => UnitState::Waiting,
    };
    UnitView { job, unit, state, attempts, end, iterations, best, error }
}

/// What is known of a grid, without its moves.
pub(super) fn grid_view(record: &GridRecord) -> GridView {
    GridView {
        v: VERSION,
        key: key_text(record.key),
        variant: record.variant,
        score: record.score,
        moves_left: record.moves_left,
        moves: None,
        record: record.record.clone(),
        job: record.source.job,
        unit: record.source.unit,
        time: record.source.time,
        seconds: record.source.seconds,
    }
}

fn grid_key(text: &str) -> Option<u64> {
    if grids::is_key(text) { u64::from_str_radix(text, 16).ok() } else { None }
}

fn grid_cursor(text: &str) -> Result<(u32, u64), Refusal> {
    let parts = text.split_once('-').and_then(|(score, key)| Some((score.parse().ok()?, grid_key(key)?)));
    parts.ok_or_else(|| Refusal::Invalid(format!("'{text}' is no cursor of this list")))
}

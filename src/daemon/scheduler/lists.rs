//! What clients see of jobs, units, workers and events, and the daemon's health.

use super::kind::{FoundFile, JobFile, JobResults, kind};
use super::reporter::WAITS_FOR_MACHINE;
use super::state::{Core, Daemon, JobEntry, OpenJob};
use crate::daemon::records::JobRecord;
use crate::daemon::service::{JobFilter, Page, Refusal};
use crate::daemon::view::{
    AnalysedPositionView, AnsweredQuestionView, EventView, HealthView, JobId, JobState, JobSummary, JobView, Listing,
    MachineStanding, MachineView, MatchGameView, PendingOrder, PoolView, UnitState, UnitView, VERSION, WorkerView,
};
use crate::queue::nats::hub::Hub;
use crate::queue::nats::machine::{MachineHealth, PoolState};
use crate::queue::{Activity, LaneId, Queue};
use crate::runner::clock::now;
use crate::runner::progress::RunningUnit;
use crate::store::UnitRecord;
use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::time::Duration;

/// Time after which what the disk refused to a job is no longer part of the daemon's health.
const PAST: Duration = Duration::from_secs(15);
/// Most items of a page.
pub(super) const MOST: usize = 1000;

pub(super) fn not_a_cursor(text: &str) -> Refusal {
    Refusal::Invalid(format!("'{text}' is not a cursor of this list: expected `next` of the page before"))
}

fn number(cursor: &str) -> Result<u64, Refusal> {
    cursor.parse().map_err(|_| not_a_cursor(cursor))
}

/// A page of the items found. One item more than the limit shows that there is another page.
pub(super) fn listing<T>(mut items: Vec<T>, limit: usize, cursor: impl Fn(&T) -> String) -> Listing<T> {
    let more = items.len() > limit;
    items.truncate(limit);
    let next = if more { items.last().map(cursor) } else { None };
    Listing { v: VERSION, items, next }
}

impl Daemon {
    /// The record of a job, from memory or from the store.
    pub(super) fn record(&self, id: JobId) -> Result<JobRecord, Refusal> {
        let core = self.lock();
        match core.jobs.get(&id) {
            None => Err(Refusal::NotFound(format!("job {id}"))),
            Some(JobEntry::Open(open)) => Ok(open.record.clone()),
            Some(JobEntry::Over(_)) => {
                drop(core);
                let bytes = self.store.job(id)?;
                let record = bytes.ok_or_else(|| Refusal::NotFound(format!("job {id}")))?;
                JobRecord::read(&record).ok_or_else(|| Refusal::Internal(format!("job {id} cannot be read")))
            }
        }
    }

    /// The games of a job, ascending by number.
    pub(super) fn list_games(&self, id: JobId, page: &Page) -> Result<Listing<MatchGameView>, Refusal> {
        let none = format!("job {id} plays no games: it is neither match nor selfplay");
        let games = |found| if let JobResults::Games(games) = found { Some(games) } else { None };
        self.list_results(id, page, none, |game| game.number, games)
    }

    /// The positions that a job has analysed, ascending by number.
    pub(super) fn list_analyses(&self, id: JobId, page: &Page) -> Result<Listing<AnalysedPositionView>, Refusal> {
        let none = format!("job {id} analyses no positions: its kind is not analyse");
        let analyses = |found| if let JobResults::Analyses(analyses) = found { Some(analyses) } else { None };
        self.list_results(id, page, none, |at| at.number, analyses)
    }

    /// The tactical questions that a job has answered, ascending by number.
    pub(super) fn list_answers(&self, id: JobId, page: &Page) -> Result<Listing<AnsweredQuestionView>, Refusal> {
        let none = format!("job {id} answers no questions: its kind is not tactics");
        let answers = |found| if let JobResults::Answers(answers) = found { Some(answers) } else { None };
        self.list_results(id, page, none, |answer| answer.number, answers)
    }

    /// A file that is the result of a job.
    pub(super) fn read_file(&self, id: JobId, which: JobFile) -> Result<Vec<u8>, Refusal> {
        let record = self.record(id)?;
        self.examine_folder(&record)?;
        let spec = self.spec(id)?.ok_or_else(|| Refusal::Internal(format!("job {id} cannot be read")))?;
        let JobSummary { kind: of, state, .. } = record.summary;
        let (what, makes, made) = which.words();
        let why = match kind(&spec.work).file(&self.directory.job(id), which).map_err(Refusal::Internal)? {
            FoundFile::File(bytes) => return Ok(bytes),
            FoundFile::OtherKind => format!("job {id} {makes} no {what}: its kind is {of}"),
            FoundFile::Missing if state.is_over() => {
                format!("job {id} has no {what}: it ended before they were {made}")
            }
            FoundFile::Missing => format!("job {id} has no {what} yet: it is not over"),
        };
        Err(Refusal::Conflict(why))
    }

    /// Results of the units of a job, ascending by number. `take` has those that are listed of what the job has;
    /// nothing if it has none of them, which `none` says.
    fn list_results<T>(
        &self,
        id: JobId,
        page: &Page,
        none: String,
        number_of: impl Fn(&T) -> u64,
        take: impl Fn(JobResults) -> Option<Vec<T>>,
    ) -> Result<Listing<T>, Refusal> {
        let from = page.cursor.as_deref().map(number).transpose()?.map_or(0, |last| last.saturating_add(1));
        self.examine_folder(&self.record(id)?)?;
        let spec = self.spec(id)?.ok_or_else(|| Refusal::Internal(format!("job {id} cannot be read")))?;
        let limit = page.limit.min(MOST);
        let found = kind(&spec.work).results(&self.directory.job(id), from, limit + 1).map_err(Refusal::Internal)?;
        let found = take(found).ok_or(Refusal::Conflict(none))?;
        Ok(listing(found, limit, |one| number_of(one).to_string()))
    }

    pub(super) fn show_job(&self, id: JobId) -> Result<JobView, Refusal> {
        if let Some(JobEntry::Open(open)) = self.lock().jobs.get(&id) {
            return Ok(self.view(open));
        }
        self.record(id).map(|record| record.view())
    }

    /// A job that is not over, with what its coordinator last reported.
    fn view(&self, open: &OpenJob) -> JobView {
        let mut view = open.record.view();
        view.summary.reason = view.summary.reason.or_else(|| open.refused.clone());
        if view.summary.state == JobState::Queued && view.summary.reason.is_none() {
            view.summary.reason = open.hold(now()).map(|hold| hold.to_string());
        }
        let Some(active) = &open.active else { return view };
        let live = active.live();
        let workers = live.lane.map_or(0, |lane| self.workers_of(lane));
        if let Some(standing) = &live.standing {
            view.summary.update(standing);
            view.rate = if workers > 0 { standing.progress.rate } else { 0.0 };
        }
        if active.is_pausing() {
            view.pending.get_or_insert(PendingOrder::Pausing);
        }
        if workers > 0 && open.record.summary.state == JobState::Running {
            view.summary.state = JobState::Running;
        }
        if live.lane.is_some_and(|lane| self.waits_for_machine(lane)) {
            view.summary.reason.get_or_insert_with(|| WAITS_FOR_MACHINE.to_owned());
        }
        view.with_workers(workers)
    }

    /// The state of a job as clients see it. The store is not read.
    fn state(&self, entry: &JobEntry) -> JobState {
        match entry {
            JobEntry::Over(over) => over.state,
            JobEntry::Open(open) if open.record.summary.state != JobState::Running => open.record.summary.state,
            JobEntry::Open(open) => {
                let lane = open.active.as_ref().and_then(|active| active.live().lane);
                let running = lane.is_some_and(|lane| self.workers_of(lane) > 0);
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
                JobEntry::Open(open) => &open.record.summary.kind,
                JobEntry::Over(over) => &over.kind,
            };
            filter.kind.as_ref().is_none_or(|wanted| wanted == kind)
                && filter.state.is_none_or(|wanted| wanted == self.state(entry))
        };
        let found = core.jobs.range(..before).rev().filter(|(_, entry)| fits(entry)).take(limit + 1);
        let ids: Vec<(JobId, Option<JobView>)> = found
            .map(|(&id, entry)| match entry {
                JobEntry::Open(open) => (id, Some(self.view(open))),
                JobEntry::Over(_) => (id, None),
            })
            .collect();
        drop(core);
        let mut views = Vec::with_capacity(ids.len());
        for (id, view) in ids {
            match view.map_or_else(|| self.record(id).map(|record| record.view()), Ok) {
                Ok(view) => views.push(view),
                // It has been removed in the meantime.
                Err(Refusal::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(listing(views, limit, |view| view.summary.id.to_string()))
    }

    pub(super) fn list_units(
        &self,
        job: JobId,
        state: Option<UnitState>,
        page: &Page,
    ) -> Result<Listing<UnitView>, Refusal> {
        let from = page.cursor.as_deref().map(number).transpose()?.map_or(0, |after| after.saturating_add(1));
        let limit = page.limit.clamp(1, MOST);
        let mut running = self.running_units(job, from)?;
        let mut stored = Vec::new();
        let mut note = |unit: u64, record: UnitRecord| {
            // What the coordinator last reported can be older than what is stored.
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
        self.store.units(job, from, &mut note)?;
        stored.extend(running.into_values().filter(|view| state.is_none_or(|state| state == view.state)));
        stored.sort_unstable_by_key(|view| view.unit);
        Ok(listing(stored, limit, |view| view.unit.to_string()))
    }

    /// The units of a job that workers compute, from number `from`, as its coordinator last reported them.
    fn running_units(&self, job: JobId, from: u64) -> Result<BTreeMap<u64, UnitView>, Refusal> {
        let core = self.lock();
        let entry = core.jobs.get(&job).ok_or_else(|| Refusal::NotFound(format!("job {job}")))?;
        let JobEntry::Open(open) = entry else { return Ok(BTreeMap::new()) };
        let Some(active) = &open.active else { return Ok(BTreeMap::new()) };
        let live = active.live();
        let running = live.standing.iter().flat_map(|standing| &standing.progress.running);
        let view = |unit: &RunningUnit| UnitView {
            job,
            unit: unit.unit,
            state: UnitState::Running,
            attempts: live.failures.get(&unit.unit).copied().unwrap_or(0) + 1,
            end: None,
            iterations: unit.iterations,
            best: unit.best,
            error: None,
        };
        Ok(running.filter(|unit| unit.unit >= from).map(|unit| (unit.unit, view(unit))).collect())
    }

    pub(super) fn list_workers(&self) -> Vec<WorkerView> {
        let core = self.lock();
        let mut lanes = BTreeMap::new();
        for id in &core.active {
            if let Some(JobEntry::Open(open)) = core.jobs.get(id)
                && let Some(active) = &open.active
            {
                let live = active.live();
                let running = live.standing.iter().flat_map(|standing| &standing.progress.running);
                let figures: BTreeMap<u64, RunningUnit> = running.map(|at| (at.ticket, *at)).collect();
                lanes.extend(live.lane.map(|lane| (lane, (*id, figures))));
            }
        }
        drop(core);
        let machines = self.pool_state().map(|pool| pool.places).unwrap_or_default();
        let view = |worker: crate::queue::WorkerState| {
            let at = worker.unit.and_then(|(lane, ticket)| lanes.get(&lane).map(|at| (ticket, at)));
            let figures = at.and_then(|(ticket, (_, figures))| figures.get(&ticket));
            WorkerView {
                worker: worker.worker,
                machine: machines.get(&worker.worker).cloned(),
                job: at.map(|(_, (job, _))| *job),
                unit: at.map(|(ticket, _)| figures.map_or(ticket, |at| at.unit)),
                iterations: figures.map_or(0, |at| at.iterations),
                best: figures.map_or(0, |at| at.best),
                seconds: worker.since.as_secs_f64(),
                phase: figures.and_then(|at| at.phase).map(|phase| phase.to_string()),
            }
        };
        self.queue.worker_states().into_iter().map(view).collect()
    }

    fn pool_state(&self) -> Option<PoolState> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(Hub::pool)
    }

    pub(super) fn pool_view(&self) -> PoolView {
        let state = self.pool_state();
        let open = state.is_some();
        let PoolState { connected, trouble, machines, places: _ } = state.unwrap_or_default();
        let machines = machines.into_iter().map(|machine| MachineView {
            id: machine.id,
            name: machine.name,
            user: machine.by.user.clone(),
            team: machine.by.team.clone(),
            speed: machine.by.speed,
            version: machine.version,
            state: match machine.health {
                MachineHealth::Here => MachineStanding::Here,
                MachineHealth::Leaving => MachineStanding::Leaving,
                MachineHealth::Lost => MachineStanding::Lost,
                MachineHealth::Distrusted => MachineStanding::Distrusted,
                MachineHealth::OtherVersion => MachineStanding::OtherVersion,
            },
            workers: machine.workers,
            running: machine.running,
            units: machine.units,
            refused: machine.refused,
            reason: machine.reason,
            silent: machine.silent.as_secs_f64(),
            seconds: machine.since.as_secs_f64(),
        });
        PoolView { v: VERSION, open, connected, trouble, machines: machines.collect() }
    }

    /// Number of workers that compute a unit of a lane.
    pub(super) fn workers_of(&self, lane: LaneId) -> u32 {
        self.queue.activity(lane).running
    }

    /// Whether nobody computes for a lane because its units wait for another machine.
    pub(super) fn waits_for_machine(&self, lane: LaneId) -> bool {
        let Activity { running, barred, .. } = self.queue.activity(lane);
        running == 0 && barred > 0
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
        // If the store cannot be read, the daemon's health says so.
        let _ = read;
        events
    }

    /// How many jobs there are that are not over, in words. It needs no disk.
    pub fn summary(&self) -> String {
        let core = self.lock();
        let of = |state| core.jobs.values().filter(|entry| self.state(entry) == state).count();
        let (running, queued, paused) = (of(JobState::Running), of(JobState::Queued), of(JobState::Paused));
        format!("jobs: {running} running, {queued} queued, {paused} paused")
    }

    pub(super) fn health_view(&self) -> HealthView {
        let core = self.lock();
        let mut jobs: BTreeMap<String, u64> = BTreeMap::new();
        for entry in core.jobs.values() {
            *jobs.entry(self.state(entry).name().to_owned()).or_default() += 1;
        }
        let status = self.status(&core);
        drop(core);
        let workers = self.queue.worker_states();
        HealthView {
            v: VERSION,
            status,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            uptime: self.began.elapsed().as_secs_f64(),
            workers: workers.len() as u32,
            busy: workers.iter().filter(|worker| worker.unit.is_some()).count() as u32,
            jobs,
            grids: self.store.count_grids().unwrap_or(0),
        }
    }

    fn status(&self, core: &Core) -> String {
        // If the disk still refuses, the job reports it again.
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
    let UnitRecord { attempts, end, iterations, best, error, quarantined } = record;
    let state = match (end, quarantined) {
        (_, true) => UnitState::Quarantined,
        (Some(_), _) => UnitState::Done,
        (None, _) => UnitState::Waiting,
    };
    UnitView { job, unit, state, attempts, end, iterations, best, error }
}

//! The daemon as a [`Service`].

use super::commands::refusal;
use super::kind::kind;
use super::lists::grid_view;
use super::{Daemon, now};
use crate::daemon::records::Spec;
use crate::daemon::service::{Adjustment, GridFilter, JobCommand, JobFilter, Page, Refusal, Service};
use crate::daemon::solutions::{self, NoPosition};
use crate::daemon::view::{
    EventView, GridCount, GridView, HealthView, JobId, JobRequest, JobView, Listing, PositionRequest, PositionView,
    StatisticsView, UnitState, UnitView, WorkerView,
};
use crate::morpion::referee;
use crate::notation::grid::Grid;
use crate::store::Change;
use crate::store::grids::{GridRecord, GridSource};
use tokio::sync::broadcast;

impl Service for Daemon {
    fn health(&self) -> HealthView {
        self.health_view()
    }

    fn submit(&self, request: JobRequest, idempotency: Option<&str>) -> Result<JobView, Refusal> {
        self.take(request, idempotency)
    }

    fn jobs(&self, filter: &JobFilter, page: &Page) -> Result<Listing<JobView>, Refusal> {
        self.list_jobs(filter, page)
    }

    fn job(&self, id: JobId) -> Result<JobView, Refusal> {
        self.show(id)
    }

    fn command(&self, id: JobId, command: JobCommand) -> Result<JobView, Refusal> {
        self.obey(id, command)
    }

    fn adjust(&self, id: JobId, adjustment: Adjustment) -> Result<JobView, Refusal> {
        self.change(id, adjustment)
    }

    fn remove(&self, id: JobId) -> Result<(), Refusal> {
        self.forget(id)
    }

    fn units(&self, id: JobId, state: Option<UnitState>, page: &Page) -> Result<Listing<UnitView>, Refusal> {
        self.list_units(id, state, page)
    }

    fn statistics(&self, id: JobId) -> Result<StatisticsView, Refusal> {
        // Whether there is such a job.
        self.show(id)?;
        let spec = self.store.spec(id).map_err(refusal)?;
        let spec = spec.and_then(|spec| serde_json::from_slice::<Spec>(&spec).ok());
        let Spec { work, .. } = spec.ok_or_else(|| Refusal::Internal(format!("job {id} cannot be read")))?;
        kind(&work).statistics(id, &self.directory.job(id)).map_err(Refusal::Internal)
    }

    fn position(&self, request: PositionRequest) -> Result<PositionView, NoPosition> {
        solutions::position(&*self.kinds, request)
    }

    fn workers(&self) -> Vec<WorkerView> {
        self.list_workers()
    }

    fn grids(&self, filter: &GridFilter, page: &Page) -> Result<Listing<GridView>, Refusal> {
        self.list_grids(filter, page)
    }

    fn grid(&self, key: &str) -> Result<(GridView, Grid), Refusal> {
        self.show_grid(key)
    }

    fn add_grid(&self, grid: Grid) -> Result<GridView, Refusal> {
        referee::replay(grid.variant, &grid.moves).map_err(|error| Refusal::Invalid(error.to_string()))?;
        let source = GridSource { job: None, unit: None, time: now(), seconds: None };
        let record = GridRecord::new(&grid, source, &self.catalogue);
        let record = record.map_err(|error| Refusal::Invalid(error.to_string()))?;
        let key = record.key;
        self.store.commit(vec![Change::Grid(Box::new(record.clone()))]).map_err(refusal)?;
        // The one that was there first, if there was one.
        Ok(grid_view(&self.store.grid(key).map_err(refusal)?.unwrap_or(record)))
    }

    fn counts(&self) -> Result<Vec<GridCount>, Refusal> {
        self.count_grids()
    }

    fn events(&self, after: u64, job: Option<JobId>, limit: usize) -> Vec<EventView> {
        self.list_events(after, job, limit)
    }

    fn subscribe(&self) -> broadcast::Receiver<EventView> {
        self.news.listen()
    }
}

//! The daemon as a [`Service`]: what each call leads to.

use super::kind::{JobFile, kind};
use super::state::Daemon;
use crate::daemon::positions::{self, NoPosition};
use crate::daemon::service::{Adjustment, GridFilter, JobCommand, JobFilter, Page, Refusal, Service};
use crate::daemon::view::{
    AnalysedPositionView, AnalysisRequest, AnsweredQuestionView, BackupsView, ChosenMoveView, EventView, GridCount,
    GridView, HealthView, JobId, JobRequest, JobView, Listing, MatchGameView, MessageRequest, MessageView,
    MessagesView, MoveRequest, PoolView, PositionAnalysisView, PositionRequest, PositionView, ProjectCreditView,
    StatisticsView, UnitState, UnitView, UserAccountView, WorkerView,
};
use crate::notation::grid::Grid;
use tokio::sync::broadcast;

impl Service for Daemon {
    fn health(&self) -> HealthView {
        self.health_view()
    }

    fn submit(&self, request: JobRequest, idempotency: Option<&str>) -> Result<JobView, Refusal> {
        self.submit_job(request, idempotency)
    }

    fn jobs(&self, filter: &JobFilter, page: &Page) -> Result<Listing<JobView>, Refusal> {
        self.list_jobs(filter, page)
    }

    fn job(&self, id: JobId) -> Result<JobView, Refusal> {
        self.show_job(id)
    }

    fn request(&self, id: JobId) -> Result<JobRequest, Refusal> {
        self.show_job(id)?;
        let spec = self.spec(id)?.ok_or_else(|| Refusal::Internal(format!("job {id} cannot be read")))?;
        Ok(spec.request)
    }

    fn command(&self, id: JobId, command: JobCommand) -> Result<JobView, Refusal> {
        self.command_job(id, command)
    }

    fn adjust(&self, id: JobId, adjustment: Adjustment) -> Result<JobView, Refusal> {
        self.adjust_job(id, adjustment)
    }

    fn remove(&self, id: JobId) -> Result<(), Refusal> {
        self.remove_job(id)
    }

    fn units(&self, id: JobId, state: Option<UnitState>, page: &Page) -> Result<Listing<UnitView>, Refusal> {
        self.list_units(id, state, page)
    }

    fn statistics(&self, id: JobId) -> Result<StatisticsView, Refusal> {
        self.examine_folder(&self.record(id)?)?;
        let spec = self.spec(id)?.ok_or_else(|| Refusal::Internal(format!("job {id} cannot be read")))?;
        kind(&spec.work).statistics(id, &self.directory.job(id)).map_err(Refusal::Internal)
    }

    fn games(&self, id: JobId, page: &Page) -> Result<Listing<MatchGameView>, Refusal> {
        self.list_games(id, page)
    }

    fn analyses(&self, id: JobId, page: &Page) -> Result<Listing<AnalysedPositionView>, Refusal> {
        self.list_analyses(id, page)
    }

    fn answers(&self, id: JobId, page: &Page) -> Result<Listing<AnsweredQuestionView>, Refusal> {
        self.list_answers(id, page)
    }

    fn weights(&self, id: JobId) -> Result<Vec<u8>, Refusal> {
        self.read_file(id, JobFile::Weights)
    }

    fn patterns(&self, id: JobId) -> Result<Vec<u8>, Refusal> {
        self.read_file(id, JobFile::Patterns)
    }

    fn plan(&self, id: JobId) -> Result<Vec<u8>, Refusal> {
        self.read_file(id, JobFile::Plan)
    }

    fn backups(&self) -> Result<BackupsView, Refusal> {
        self.list_backups()
    }

    fn begin_backup(&self, keep: Option<usize>) -> Result<BackupsView, Refusal> {
        Daemon::begin_backup(self, keep)
    }

    fn position(&self, request: PositionRequest) -> Result<PositionView, NoPosition> {
        positions::position(request)
    }

    fn chosen_move(&self, request: MoveRequest, stop: &dyn Fn() -> bool) -> Result<ChosenMoveView, NoPosition> {
        positions::chosen_move(request, stop)
    }

    fn analysis(
        &self,
        request: AnalysisRequest,
        stop: &dyn Fn() -> bool,
    ) -> Result<PositionAnalysisView, NoPosition> {
        positions::analysis(request, stop)
    }

    fn workers(&self) -> Vec<WorkerView> {
        self.list_workers()
    }

    fn pool(&self) -> PoolView {
        self.pool_view()
    }

    fn grids(&self, filter: &GridFilter, page: &Page) -> Result<Listing<GridView>, Refusal> {
        self.list_grids(filter, page)
    }

    fn grid(&self, key: &str) -> Result<(GridView, Grid), Refusal> {
        self.show_grid(key)
    }

    fn add_grid(&self, grid: Grid) -> Result<GridView, Refusal> {
        self.store_grid(&grid)
    }

    fn remove_grid(&self, key: &str) -> Result<(), Refusal> {
        self.delete_grid(key)
    }

    fn counts(&self) -> Result<Vec<GridCount>, Refusal> {
        self.count_grids()
    }

    fn credit(&self) -> Result<ProjectCreditView, Refusal> {
        self.project_credit()
    }

    fn credit_of(&self, user: &str) -> Result<UserAccountView, Refusal> {
        self.user_account(user)
    }

    fn export_credit(&self) -> Result<String, Refusal> {
        self.export_accounts()
    }

    fn messages(&self) -> Result<MessagesView, Refusal> {
        self.list_messages()
    }

    fn send_message(&self, request: MessageRequest) -> Result<MessageView, Refusal> {
        self.post_message(request)
    }

    fn events(&self, after: u64, job: Option<JobId>, limit: usize) -> Vec<EventView> {
        self.list_events(after, job, limit)
    }

    fn subscribe(&self) -> broadcast::Receiver<EventView> {
        self.events.subscribe()
    }
}

//! What the daemon does, without HTTP: the one door through which the API, the page and the tests reach it.
//!
//! Calls block until their effect is real and durable: a job that [`Service::submit`] returns survives a crash, after
//! [`JobCommand::Pause`] no thread works for the job any more. They are called from threads that may block, never from those of
//! tokio's core.

use super::solutions::NoPosition;
use super::view::{
    EventView, GridCount, GridView, HealthView, JobId, JobRequest, JobState, JobView, LimitsDocument, Listing,
    PositionRequest, PositionView, StatisticsView, UnitState, UnitView, WorkerView,
};
use crate::morpion::variant::Variant;
use crate::notation::grid::Grid;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Why the daemon does not do what it is asked.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The request makes no sense: the text says what is wrong, where, and what would be right.
    #[error("{0}")]
    Invalid(String),
    /// There is no such thing.
    #[error("there is no {0}")]
    NotFound(String),
    /// Not in this state.
    #[error("{0}")]
    Conflict(String),
    /// The daemon cannot now: the disk is full, it is shutting down.
    #[error("{0}")]
    Unavailable(String),
    /// A defect or a damaged store; the text is for the log.
    #[error("{0}")]
    Internal(String),
}

/// What can be done to a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobCommand {
    /// No thread works for it until it is resumed.
    Pause,
    /// Goes on.
    Resume,
    /// Ends it now; what it found stays.
    Cancel,
    /// Ends it when its running units end.
    Drain,
}

/// Changes to a job that is not over; `None` leaves as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Adjustment {
    /// New priority.
    pub priority: Option<i32>,
    /// New weight.
    pub weight: Option<u32>,
    /// New limits.
    pub limits: Option<LimitsDocument>,
}

/// Which part of a list: at most `limit` items (1 to 1000) after `cursor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Most items.
    pub limit: usize,
    /// `next` of the part before.
    pub cursor: Option<String>,
}

/// Which jobs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobFilter {
    /// In this state.
    pub state: Option<JobState>,
    /// Of this kind.
    pub kind: Option<String>,
}

/// Which grids; longest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GridFilter {
    /// Of this variant.
    pub variant: Option<Variant>,
    /// With at least so many moves.
    pub min_score: Option<u32>,
    /// Found by this job.
    pub job: Option<JobId>,
}

/// The daemon.
pub trait Service: Send + Sync + 'static {
    /// How it stands.
    fn health(&self) -> HealthView;

    /// Takes a job. The same `idempotency` text (a client's own, at most 128 characters) never makes a second job: the first
    /// one is returned, if the requests are equal.
    ///
    /// # Errors
    /// If the request is not valid, or cannot be stored.
    fn submit(&self, request: JobRequest, idempotency: Option<&str>) -> Result<JobView, Refusal>;

    /// The jobs, newest first.
    ///
    /// # Errors
    /// If the cursor is none.
    fn jobs(&self, filter: &JobFilter, page: &Page) -> Result<Listing<JobView>, Refusal>;

    /// One job.
    ///
    /// # Errors
    /// If there is none.
    fn job(&self, id: JobId) -> Result<JobView, Refusal>;

    /// Does something to a job.
    ///
    /// # Errors
    /// If there is none, or it is over.
    fn command(&self, id: JobId, command: JobCommand) -> Result<JobView, Refusal>;

    /// Changes a job.
    ///
    /// # Errors
    /// If there is none, it is over, or a value is out of range.
    fn adjust(&self, id: JobId, adjustment: Adjustment) -> Result<JobView, Refusal>;

    /// Forgets a job that is over, with its directory; its grids stay in the archive.
    ///
    /// # Errors
    /// If there is none, or it is not over.
    fn remove(&self, id: JobId) -> Result<(), Refusal>;

    /// The units of a job, ascending: those begun, done or not, and those set aside.
    ///
    /// # Errors
    /// If there is no such job, or the cursor is none.
    fn units(&self, id: JobId, state: Option<UnitState>, page: &Page) -> Result<Listing<UnitView>, Refusal>;

    /// The course of a job.
    ///
    /// # Errors
    /// If there is none.
    fn statistics(&self, id: JobId) -> Result<StatisticsView, Refusal>;

    /// A position of a two-player game, after some moves.
    ///
    /// # Errors
    /// If there is none.
    fn position(&self, request: PositionRequest) -> Result<PositionView, NoPosition>;

    /// The workers.
    fn workers(&self) -> Vec<WorkerView>;

    /// The grids of the archive, without their moves.
    ///
    /// # Errors
    /// If the cursor is none.
    fn grids(&self, filter: &GridFilter, page: &Page) -> Result<Listing<GridView>, Refusal>;

    /// One grid: what is known of it, with its moves, and the grid itself.
    ///
    /// # Errors
    /// If there is none.
    fn grid(&self, key: &str) -> Result<(GridView, Grid), Refusal>;

    /// Takes a grid that the referee has passed into the archive; one that is there already is left as it is.
    ///
    /// # Errors
    /// If it cannot be stored.
    fn add_grid(&self, grid: Grid) -> Result<GridView, Refusal>;

    /// How many grids there are of each variant and score, by variant and then from the best score down.
    ///
    /// # Errors
    /// If the archive cannot be read.
    fn counts(&self) -> Result<Vec<GridCount>, Refusal> {
        let mut counts: BTreeMap<(Variant, Reverse<u32>), u64> = BTreeMap::new();
        let mut page = Page { limit: 1000, cursor: None };
        loop {
            let listing = self.grids(&GridFilter::default(), &page)?;
            for grid in &listing.items {
                *counts.entry((grid.variant, Reverse(grid.score))).or_default() += 1;
            }
            match listing.next {
                Some(next) => page.cursor = Some(next),
                None => break,
            }
        }
        let count = |((variant, Reverse(score)), count)| GridCount { variant, score, count };
        Ok(counts.into_iter().map(count).collect())
    }

    /// At most `limit` stored events after number `after`, ascending.
    fn events(&self, after: u64, job: Option<JobId>, limit: usize) -> Vec<EventView>;

    /// All events from now on, those that are not stored included. A receiver that is too slow loses the oldest ones.
    fn subscribe(&self) -> tokio::sync::broadcast::Receiver<EventView>;
}

//! What the daemon does, without HTTP. The API, the page and the tests reach the daemon only through this trait.
//!
//! Calls block until their effect is real and durable: a job that [`Service::submit`] returns survives a crash, and
//! after [`JobCommand::Pause`] no worker computes a unit of the job. Call them from threads that may block, never
//! from the threads of tokio's core.

use super::positions::NoPosition;
use super::view::{
    AnalysedPositionView, AnalysisRequest, AnsweredQuestionView, BackupsView, BeginDocument, ChosenMoveView,
    EventView, GridCount, GridSort, GridView, HealthView, JobId, JobRequest, JobState, JobView, LimitsDocument,
    Listing, MatchGameView, MessageRequest, MessageView, MessagesView, MoveRequest, PoolView, PositionAnalysisView,
    PositionRequest, PositionView, ProjectCreditView, StatisticsView, UnitState, UnitView, UserAccountView,
    WorkerView,
};
use crate::morpion::symmetry::SymmetryFilter;
use crate::morpion::variant::Variant;
use crate::notation::grid::Grid;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Why the daemon refuses a call.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The request is not valid. The text says what is wrong, where, and what would be right.
    #[error("{0}")]
    Invalid(String),
    /// The job, grid or other thing does not exist.
    #[error("there is no {0}")]
    NotFound(String),
    /// The state of the job does not allow it.
    #[error("{0}")]
    Conflict(String),
    /// The daemon cannot do it at present, for example because the disk is full or it is shutting down.
    #[error("{0}")]
    Unavailable(String),
    /// A defect, or a damaged store. The text is for the log, not for the client.
    #[error("{0}")]
    Internal(String),
}

/// A command to a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobCommand {
    /// No worker computes its units until it is resumed.
    Pause,
    /// Ends a pause.
    Resume,
    /// Ends the job now. What it found stays.
    Cancel,
    /// Ends the job when its running units end.
    Drain,
    /// Lets a failed job wait for its turn again; it continues with what is in its folder.
    Retry,
}

/// Changes of a job that is not over. `None` leaves a value as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Adjustment {
    /// New priority of the job.
    pub priority: Option<i32>,
    /// New weight of the job among those of its priority.
    pub weight: Option<u32>,
    /// New limits, which replace all old ones.
    pub limits: Option<LimitsDocument>,
    /// When it begins, if it has not begun.
    pub begin: Option<BeginDocument>,
}

/// A page of a list: at most `limit` items (1 to 1000) after `cursor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Most items of the page.
    pub limit: usize,
    /// The field `next` of the page before.
    pub cursor: Option<String>,
}

/// Which jobs are listed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobFilter {
    /// Jobs in this state.
    pub state: Option<JobState>,
    /// Jobs of this kind.
    pub kind: Option<String>,
}

/// Selects grids, and says in which order they are listed; without an order, the longest come first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GridFilter {
    /// Grids of this variant.
    pub variant: Option<Variant>,
    /// Grids with at least this many moves.
    pub min_score: Option<u32>,
    /// Grids with at most this many moves.
    pub max_score: Option<u32>,
    /// Grids that this job found.
    pub job: Option<JobId>,
    /// Grids that were found or sent at this time or later: seconds since 1970 (UTC).
    pub since: Option<f64>,
    /// Grids with such symmetries.
    pub symmetry: Option<SymmetryFilter>,
    /// Only grids that no known record equals or contains.
    pub new: bool,
    /// The order of the list.
    pub order: ArchiveOrder,
    /// Nearly equal grids are put together, or those of one cluster are asked for.
    pub clusters: Option<ClusterFilter>,
}

/// How grids are put together, as [`crate::notation::clusters`] says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterFilter {
    /// Lines that may differ, 1 to 20.
    pub difference: u32,
    /// Only the grids of the cluster that has this one, each by itself; without it, one grid of each cluster.
    pub of: Option<String>,
}

/// The order of a list of grids. Equal ones are in the order of their keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ArchiveOrder {
    /// What they are sorted by.
    pub by: GridSort,
    /// The least come first.
    pub reverse: bool,
}

impl GridFilter {
    /// Whether a grid is one of those that are asked for, as far as that can be told from the view of it. The job is
    /// not looked at: a grid is shown with the job that found it first.
    pub fn accepts(&self, grid: &GridView) -> bool {
        self.accepts_figures(grid.variant, grid.score, grid.time)
            && self.symmetry.is_none_or(|asked| grid.symmetries.as_ref().is_some_and(|of| asked.accepts(of)))
            && (!self.new || grid.new == Some(true))
    }

    /// The same by variant, score and time alone.
    pub fn accepts_figures(&self, variant: Variant, score: u32, time: f64) -> bool {
        self.variant.is_none_or(|asked| asked == variant)
            && self.min_score.is_none_or(|least| score >= least)
            && self.max_score.is_none_or(|most| score <= most)
            && self.since.is_none_or(|since| time >= since)
    }
}

impl ArchiveOrder {
    /// A number by which grids are sorted upwards.
    pub fn rank(self, grid: &GridView) -> u64 {
        let greatest_last = match self.by {
            GridSort::Score => grid.score.into(),
            // Times are not negative, so their bits are in the same order as they are.
            GridSort::Time => grid.time.max(0.0).to_bits(),
            GridSort::Size => u64::from(grid.columns.unwrap_or(0)) * u64::from(grid.rows.unwrap_or(0)),
        };
        if self.reverse { greatest_last } else { !greatest_last }
    }

    /// Whether the grids are needed for it, and not only what is stored beside them.
    pub fn needs_facts(self) -> bool {
        self.by == GridSort::Size
    }
}

/// What a client can ask of the daemon.
pub trait Service: Send + Sync + 'static {
    /// The state of the daemon.
    fn health(&self) -> HealthView;

    /// Accepts a job. A second submission with the same `idempotency` key (a text of the client, at most 128
    /// characters) makes no second job: it returns the first one if the requests are equal.
    ///
    /// # Errors
    /// If the request is not valid, the key was used for another request, or the job cannot be stored.
    fn submit(&self, request: JobRequest, idempotency: Option<&str>) -> Result<JobView, Refusal>;

    /// The jobs, newest first.
    ///
    /// # Errors
    /// If the cursor is not valid.
    fn jobs(&self, filter: &JobFilter, page: &Page) -> Result<Listing<JobView>, Refusal>;

    /// A job, whether it is over or not.
    ///
    /// # Errors
    /// If it does not exist.
    fn job(&self, id: JobId) -> Result<JobView, Refusal>;

    /// The request that a job was submitted with.
    ///
    /// # Errors
    /// If the job does not exist, or its request cannot be read.
    fn request(&self, id: JobId) -> Result<JobRequest, Refusal>;

    /// Carries out a command to a job. If that takes longer than some seconds, the command stands, and the job's
    /// `pending` says what is still to be done.
    ///
    /// # Errors
    /// If the job does not exist, or its state does not allow the command.
    fn command(&self, id: JobId, command: JobCommand) -> Result<JobView, Refusal>;

    /// Changes a job.
    ///
    /// # Errors
    /// If the job does not exist, it is over, or a value is out of range.
    fn adjust(&self, id: JobId, adjustment: Adjustment) -> Result<JobView, Refusal>;

    /// Removes a job that is over, with its folder. Its grids stay in the archive.
    ///
    /// # Errors
    /// If the job does not exist, or is not over.
    fn remove(&self, id: JobId) -> Result<(), Refusal>;

    /// The units of a job that were begun, ascending by number.
    ///
    /// # Errors
    /// If the job does not exist, or the cursor is not valid.
    fn units(&self, id: JobId, state: Option<UnitState>, page: &Page) -> Result<Listing<UnitView>, Refusal>;

    /// The course of a job.
    ///
    /// # Errors
    /// If the job does not exist, or its files cannot be read.
    fn statistics(&self, id: JobId) -> Result<StatisticsView, Refusal>;

    /// The games that a job has played, ascending by number.
    ///
    /// # Errors
    /// If the job does not exist or plays none, its files cannot be read, or the cursor is not valid.
    fn games(&self, id: JobId, page: &Page) -> Result<Listing<MatchGameView>, Refusal>;

    /// The positions that a job has analysed, ascending by number.
    ///
    /// # Errors
    /// If the job does not exist or analyses none, its files cannot be read, or the cursor is not valid.
    fn analyses(&self, id: JobId, page: &Page) -> Result<Listing<AnalysedPositionView>, Refusal>;

    /// The tactical questions that a job has answered, ascending by number.
    ///
    /// # Errors
    /// If the job does not exist or answers none, its files cannot be read, or the cursor is not valid.
    fn answers(&self, id: JobId, page: &Page) -> Result<Listing<AnsweredQuestionView>, Refusal>;

    /// The file of the weights that a job has learned.
    ///
    /// # Errors
    /// If the job does not exist, learns none or has not learned them, or its files cannot be read.
    fn weights(&self, id: JobId) -> Result<Vec<u8>, Refusal>;

    /// The database of the patterns that a job has mined.
    ///
    /// # Errors
    /// If the job does not exist, mines none or has not mined them, or the file cannot be read.
    fn patterns(&self, id: JobId) -> Result<Vec<u8>, Refusal>;

    /// The plan of a job as far as it is found, as a file.
    ///
    /// # Errors
    /// If the job does not exist or looks for none, or its files cannot be read.
    fn plan(&self, id: JobId) -> Result<Vec<u8>, Refusal>;

    /// A position of a two-player game, after some moves.
    ///
    /// # Errors
    /// If the settings or the moves are not valid.
    fn position(&self, request: PositionRequest) -> Result<PositionView, NoPosition>;

    /// The move that the machine makes in such a position. A search ends early where `stop` says so.
    ///
    /// # Errors
    /// If the settings, the moves, the level or the time are not valid, the game is over, or the machine does not
    /// play this game.
    fn chosen_move(&self, request: MoveRequest, stop: &dyn Fn() -> bool) -> Result<ChosenMoveView, NoPosition>;

    /// What the best moves of such a position are worth. A search ends early where `stop` says so.
    ///
    /// # Errors
    /// As for [`Service::chosen_move`].
    fn analysis(&self, request: AnalysisRequest, stop: &dyn Fn() -> bool)
    -> Result<PositionAnalysisView, NoPosition>;

    /// The workers and what they compute.
    fn workers(&self) -> Vec<WorkerView>;

    /// The workers on other machines.
    fn pool(&self) -> PoolView;

    /// The grids of the archive, without their moves.
    ///
    /// # Errors
    /// If the cursor is not valid.
    fn grids(&self, filter: &GridFilter, page: &Page) -> Result<Listing<GridView>, Refusal>;

    /// A grid of the archive: what is known of it, with its moves, and the grid itself.
    ///
    /// # Errors
    /// If it does not exist, or cannot be shown: the referee refuses it, or its text cannot be read.
    fn grid(&self, key: &str) -> Result<(GridView, Grid), Refusal>;

    /// Adds a grid to the archive. A grid that the archive has already stays as it is.
    ///
    /// # Errors
    /// If the referee refuses it, or it cannot be stored.
    fn add_grid(&self, grid: Grid) -> Result<GridView, Refusal>;

    /// Removes a grid from the archive, also one that cannot be shown. Jobs that found it keep it in their folders.
    ///
    /// # Errors
    /// If it does not exist, or the change cannot be stored.
    fn remove_grid(&self, key: &str) -> Result<(), Refusal>;

    /// Number of grids of each variant and score, by variant and then from the best score down.
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

    /// The backups of the daemon's state.
    ///
    /// # Errors
    /// If they cannot be listed.
    fn backups(&self) -> Result<BackupsView, Refusal>;

    /// Begins a backup; [`Service::backups`] says when it is whole. With `keep`, older ones than the newest so many
    /// are removed then.
    ///
    /// # Errors
    /// If one is being made, or `keep` is 0.
    fn begin_backup(&self, keep: Option<usize>) -> Result<BackupsView, Refusal>;

    /// The credit of all users and teams.
    ///
    /// # Errors
    /// If it cannot be read.
    fn credit(&self) -> Result<ProjectCreditView, Refusal>;

    /// The credit of a user.
    ///
    /// # Errors
    /// If the user has none, or it cannot be read.
    fn credit_of(&self, user: &str) -> Result<UserAccountView, Refusal>;

    /// All accounts as text, with commas between the values.
    ///
    /// # Errors
    /// If they cannot be read.
    fn export_credit(&self) -> Result<String, Refusal>;

    /// The messages to users, the newest first.
    ///
    /// # Errors
    /// If they cannot be read.
    fn messages(&self) -> Result<MessagesView, Refusal>;

    /// Sends a message to users.
    ///
    /// # Errors
    /// If it is too long or of more than one line, or cannot be stored.
    fn send_message(&self, request: MessageRequest) -> Result<MessageView, Refusal>;

    /// At most `limit` stored events with numbers above `after`, ascending.
    fn events(&self, after: u64, job: Option<JobId>, limit: usize) -> Vec<EventView>;

    /// All events from now on, also those that are not stored. A receiver that is too slow loses the oldest ones.
    fn subscribe(&self) -> tokio::sync::broadcast::Receiver<EventView>;
}

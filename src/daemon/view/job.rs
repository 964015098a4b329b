//! Jobs, their units, their course, and the workers.

use super::analyse::AnalyseView;
use super::check::CheckView;
use super::document::{JobId, VERSION};
use super::limits::{JobLimits, LimitsDocument};
use super::matches::{MatchStatisticsView, MatchView};
use super::mine::MineView;
use super::plan::PlanView;
use super::proof::{ProofStatisticsView, ProofView};
use super::selfplay::{SelfplayStatisticsView, SelfplayView};
use super::solution::{SolutionStatisticsView, SolutionView};
use super::tactics::TacticsView;
use super::tune::TuneView;
use crate::core::search::End;
use crate::daemon::object;
use crate::morpion::variant::Variant;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A job as a client submits it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JobRequest {
    /// Kind of the job: `hunt`, `solve`, `prove`, `match`, `selfplay`, `analyse`, `tune`,
    /// `tactics`, `mine`, `plan`, `check`.
    #[schema(min_length = 1, example = "hunt")]
    pub kind: String,
    /// A name for people, without control characters. The default is made from the settings.
    #[serde(default)]
    #[schema(pattern = r"^[^\x00-\x1f\x7f-\x9f]{1,128}$")]
    pub name: Option<String>,
    /// Jobs of a higher priority get workers first; -100 to 100.
    #[serde(default)]
    #[schema(minimum = -100, maximum = 100)]
    pub priority: i32,
    /// Share of the workers among jobs of the same priority; 1 to 1000.
    #[serde(default = "one")]
    #[schema(minimum = 1, maximum = 1000)]
    pub weight: u32,
    /// What the job may use.
    #[serde(default, deserialize_with = "object::one")]
    #[schema(value_type = LimitsDocument)]
    pub limits: JobLimits,
    /// The flags of the kind's command, with the names and values of its configuration file (`strategy`, `level`,
    /// ...; for `solve` also `game`; for `match` also the players `a` and `b`). Flags that name files or directories
    /// are refused: grids and positions are sent as text.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub settings: Map<String, Value>,
    /// The grid whose first moves the job starts from.
    #[serde(default, deserialize_with = "object::optional")]
    pub start: Option<StartGrid>,
    /// Grids to begin with, for the strategies that take grids; each in Pentasol or MSR.
    #[serde(default)]
    pub grids: Vec<String>,
    /// Number of a job: this one begins when that one has finished, whatever it found. If that one fails or is
    /// cancelled, this one is cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<JobId>,
    /// It does not begin before this time by the clock of the daemon's machine: seconds since 1970 (UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    pub not_before: Option<f64>,
}

/// When a job begins that has not begun yet. A condition that is left out or null does not hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Begin)]
pub struct BeginDocument {
    /// After the job of this number has finished; see `JobRequest`.
    #[serde(default)]
    pub after: Option<JobId>,
    /// Not before this time; see `JobRequest`.
    #[serde(default)]
    #[schema(minimum = 0)]
    pub not_before: Option<f64>,
}

/// What the reason of a quarantined job begins with.
pub const QUARANTINED: &str = "quarantined: ";

fn one() -> u32 {
    1
}

/// A grid, and how many of its moves are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Start)]
pub struct StartGrid {
    /// The grid in Pentasol or MSR.
    pub grid: String,
    /// Number of moves to keep; all by default.
    #[serde(default)]
    pub moves: Option<u32>,
}

/// The state of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// No worker computes its units at present: other jobs come first.
    Queued,
    /// Workers compute its units.
    Running,
    /// A client paused it, or it is quarantined: then `reason` begins with `quarantined`. Its searches are saved, and
    /// no worker computes its units until it is resumed.
    Paused,
    /// A client asked it to end when its running units end.
    Draining,
    /// It came to an end; `reason` says to which.
    Finished,
    /// A client cancelled it.
    Cancelled,
    /// It failed; `reason` says why.
    Failed,
}

impl JobState {
    /// Its name in documents and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            JobState::Queued => "queued",
            JobState::Running => "running",
            JobState::Paused => "paused",
            JobState::Draining => "draining",
            JobState::Finished => "finished",
            JobState::Cancelled => "cancelled",
            JobState::Failed => "failed",
        }
    }

    /// Whether the job is over: nothing changes it any more.
    pub fn is_over(self) -> bool {
        matches!(self, JobState::Finished | JobState::Cancelled | JobState::Failed)
    }
}

/// What is known of a job, in the form that the store and the API share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JobSummary {
    /// Number of the job.
    pub id: JobId,
    /// Kind of the job: `hunt`, `solve`, `prove`, `match`, `selfplay`, `analyse`, `tune`,
    /// `tactics`, `mine`, `plan`, `check`.
    pub kind: String,
    /// Name of the job.
    pub name: String,
    /// State of the job. In the store, a job that is not over is `queued` until it runs for the first time, and
    /// `running` from then on.
    pub state: JobState,
    /// How the job ended (`target`, `exhausted`, `finished`, `solved`, `proved`, `played`,
    /// `decided`, `analysed`, `learned`, `answered`, `mined`, `time`, `iterations`, `drained`,
    /// `refuted`), why it failed, was cancelled by the daemon or is quarantined, or why it cannot run at present:
    /// what the disk reported, that it waits for memory, for another job or for a time.
    pub reason: Option<String>,
    /// Variant of a hunt.
    pub variant: Option<Variant>,
    /// Strategy of a hunt, algorithm of a solver job.
    pub strategy: Option<String>,
    /// Why the daemon chose that strategy, if the request names none or `auto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy_reason: Option<String>,
    /// Seed of all random numbers of the job.
    pub seed: Option<u64>,
    /// Priority; see `JobRequest`.
    pub priority: i32,
    /// Weight; see `JobRequest`.
    pub weight: u32,
    /// What the job may use.
    #[schema(value_type = LimitsDocument)]
    pub limits: JobLimits,
    /// The job after which it begins; see `JobRequest`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<JobId>,
    /// The time before which it does not begin; see `JobRequest`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<f64>,
    /// When the job was submitted.
    pub submitted: f64,
    /// When the job ran for the first time.
    pub began: Option<f64>,
    /// When the job ended.
    pub ended: Option<f64>,
    /// Seconds that the job has run.
    pub seconds: f64,
    /// Iterations of all units, the running ones included.
    pub iterations: u64,
    /// Units that are finished.
    pub units_done: u64,
    /// Finished units that the stall table ended.
    pub units_stalled: u64,
    /// The older name of `units_quarantined`.
    #[serde(rename = "units_poisoned")]
    pub units_quarantined: u64,
    /// Best score of a hunt: the number of moves of its best grid.
    pub best: Option<u32>,
    /// What a solver job has found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solution: Option<SolutionView>,
    /// What is closed and open of a proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofView>,
    /// What the games of a match have come to.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matched: Option<MatchView>,
    /// How many games of a player against itself are made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selfplay: Option<SelfplayView>,
    /// How many positions are analysed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analyse: Option<AnalyseView>,
    /// How well weights that are learned tell the ends of games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tune: Option<TuneView>,
    /// How many tactical questions are answered, and how many of them right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tactics: Option<TacticsView>,
    /// How many games are searched for patterns, and what was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mine: Option<MineView>,
    /// Which replies in Gomoku have a plan, and what is known of the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanView>,
    /// How much of a plan of Gomoku is checked, and whether it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckView>,
    /// The job has long been over: of its units only the quarantined ones are still listed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub units_summarised: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A job as the API shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JobView {
    /// Version of this document.
    pub v: u32,
    /// What is known of the job whether it runs or not.
    #[serde(flatten)]
    pub summary: JobSummary,
    /// Units that are quarantined because they failed three times.
    #[serde(default)]
    pub units_quarantined: u64,
    /// Iterations per second at present.
    pub rate: f64,
    /// Workers that compute units of the job at present.
    #[serde(default)]
    pub workers: u32,
    /// The older name of `workers`.
    pub threads: u32,
    /// What a client ordered and is still to be carried out. Workers may compute units of the job until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub pending: Option<PendingOrder>,
    /// Key of the best grid, as in `/api/v1/grids/{key}`.
    pub best_grid: Option<String>,
    /// The settings of the job, with all defaults.
    #[schema(value_type = Object)]
    pub settings: Map<String, Value>,
}

/// An order that is still to be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PendingOrder {
    /// The job pauses when its coordinator answers.
    Pausing,
    /// The job is over when its coordinator ends, also after a restart of the daemon.
    Cancelling,
}

impl JobSummary {
    /// Whether it is set apart until somebody resumes it.
    pub fn is_quarantined(&self) -> bool {
        let quarantined = |reason: &String| reason.starts_with(QUARANTINED);
        self.state == JobState::Paused && self.reason.as_ref().is_some_and(quarantined)
    }
}

/// Most characters of a setting in a list of jobs, if short ones are asked for.
const LONGEST_LISTED: usize = 200;

fn as_text(value: &mut Value) -> Option<&mut String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

impl JobView {
    /// A job whose units no worker computes at present.
    pub fn idle(summary: JobSummary, best_grid: Option<String>, settings: Map<String, Value>) -> JobView {
        let units_quarantined = summary.units_quarantined;
        JobView {
            v: VERSION,
            summary,
            units_quarantined,
            rate: 0.0,
            workers: 0,
            threads: 0,
            pending: None,
            best_grid,
            settings,
        }
    }

    /// The same job with the beginnings of the longest texts of its settings, such as plans and files of questions.
    pub fn with_short_settings(mut self) -> JobView {
        for text in self.settings.values_mut().filter_map(as_text) {
            if let Some((at, _)) = text.char_indices().nth(LONGEST_LISTED) {
                text.truncate(at);
                text.push('\u{2026}');
            }
        }
        self
    }

    /// The same job with so many workers.
    pub fn with_workers(self, workers: u32) -> JobView {
        JobView { workers, threads: workers, ..self }
    }
}

/// The state of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnitState {
    /// The unit waits for a worker.
    Waiting,
    /// A worker computes the unit.
    Running,
    /// The unit is finished.
    Done,
    /// Quarantined because it failed three times. A request may also say `quarantined`.
    #[serde(rename = "poisoned", alias = "quarantined")]
    Quarantined,
}

/// A unit of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UnitView {
    /// Number of the job.
    pub job: JobId,
    /// Number of the unit in the job.
    pub unit: u64,
    /// State of the unit.
    pub state: UnitState,
    /// Number of attempts, the present one included.
    pub attempts: u32,
    /// Why the unit ended, if it is finished.
    pub end: Option<End>,
    /// Iterations so far.
    pub iterations: u64,
    /// Best score so far.
    pub best: u32,
    /// What the last failed attempt reported.
    pub error: Option<String>,
}

/// A worker and what it computes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WorkerView {
    /// Number of the worker, from 1.
    pub worker: u32,
    /// Name of the machine that computes its unit, if it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Number of the job whose unit the worker computes, if it computes one.
    pub job: Option<JobId>,
    /// Number of that unit in its job.
    pub unit: Option<u64>,
    /// Iterations of the unit.
    pub iterations: u64,
    /// Best score of the unit.
    pub best: u32,
    /// Seconds that the worker has been computing the unit.
    pub seconds: f64,
    /// Where its search stands, such as `walk 3` or `call 23 of 100`, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
}

/// A machine that computes units for the daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MachineView {
    /// What it is called until it ends: 16 hexadecimal digits. If it has a user of the NATS server for itself, the
    /// user's name and a dot come before them.
    pub id: String,
    /// The name that its user gave it.
    pub name: String,
    /// Who gets the credit for what it computes.
    #[serde(default)]
    pub user: String,
    /// The team of the user; empty without one.
    #[serde(default)]
    pub team: String,
    /// Random games per second on one thread, by its benchmark.
    #[serde(default)]
    pub speed: u32,
    /// Version of its program.
    pub version: String,
    /// How it stands.
    pub state: MachineStanding,
    /// How many units it computes at once.
    pub workers: u32,
    /// How many it is computing.
    pub running: u32,
    /// Units that it has ended.
    pub units: u64,
    /// How often it has said what cannot be.
    pub refused: u32,
    /// What was refused last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Seconds since it was last heard of.
    pub silent: f64,
    /// Seconds since it was first heard of.
    pub seconds: f64,
}

/// How a machine stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MachineStanding {
    /// It computes, or waits for units.
    Here,
    /// It takes no more units.
    Leaving,
    /// It has not been heard of for too long. Its units were handed out again.
    Lost,
    /// It has said what cannot be, and gets no more units.
    Distrusted,
    /// Its program is of a version that the daemon does not understand.
    OtherVersion,
}

/// The workers on other machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PoolView {
    /// Version of this document.
    pub v: u32,
    /// Whether the daemon was started with a server for other machines.
    pub open: bool,
    /// Whether it is connected to the server.
    pub connected: bool,
    /// What is wrong with the connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// The machines by name; those that were lost for an hour.
    pub machines: Vec<MachineView>,
}

/// Progress on one level: units of a depth-first search by depth, or calls of a nesting level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LevelView {
    /// Number of the level.
    pub level: u32,
    /// Number of units or calls that are left.
    pub left: u64,
    /// Number of all units or calls of the level.
    pub total: u64,
}

/// A point of a job's course.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CoursePoint {
    /// Seconds that the job had run.
    pub seconds: f64,
    /// Iterations until then.
    pub iterations: u64,
    /// Best score until then.
    pub best: u32,
}

/// Histogram of the scores of one nesting level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LevelHistogram {
    /// The level; level 0 is the playouts.
    pub level: u32,
    /// Pairs of a score and its number of occurrences, ascending by score.
    pub counts: Vec<(u32, u64)>,
}

/// The course of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StatisticsView {
    /// Version of this document.
    pub v: u32,
    /// Number of the job.
    pub job: JobId,
    /// Progress by level, from the top.
    pub levels: Vec<LevelView>,
    /// Every new best and some points in between, ascending by time; at most 2000.
    pub course: Vec<CoursePoint>,
    /// Scores of each nesting level; empty for strategies without levels.
    pub scores: Vec<LevelHistogram>,
    /// Best scores of the finished units: pairs of a score and its number of occurrences.
    pub units: Vec<(u32, u64)>,
    /// Course and credit of a solver job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solution: Option<SolutionStatisticsView>,
    /// Course of a proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofStatisticsView>,
    /// Course of a match.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matched: Option<MatchStatisticsView>,
    /// Course of games of a player against itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selfplay: Option<SelfplayStatisticsView>,
}

impl StatisticsView {
    /// That of a job of which nothing is known.
    pub fn of(job: JobId) -> StatisticsView {
        StatisticsView {
            v: VERSION,
            job,
            levels: Vec::new(),
            course: Vec::new(),
            scores: Vec::new(),
            units: Vec::new(),
            solution: None,
            proof: None,
            matched: None,
            selfplay: None,
        }
    }
}

//! What the store holds of a job, and what of it is shown.

use super::kinds::JobWork;
use super::view::{JobId, JobLimits, JobRequest, JobState, JobView, SolutionView, VERSION};
use crate::morpion::variant::Variant;
use crate::runner::status::Status;
use serde::{Deserialize, Serialize};

/// A job as it is stored, as JSON: it may grow fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobRecord {
    /// Its number.
    pub id: JobId,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// How it stands: a job that is to run is queued until it first did, and running from then on.
    pub state: JobState,
    /// How it ended.
    pub reason: Option<String>,
    /// Variant.
    pub variant: Option<Variant>,
    /// Strategy.
    pub strategy: Option<String>,
    /// Seed.
    pub seed: Option<u64>,
    /// Priority.
    pub priority: i32,
    /// Weight.
    pub weight: u32,
    /// Limits.
    pub limits: JobLimits,
    /// When it was submitted.
    pub submitted: f64,
    /// When it first ran.
    pub began: Option<f64>,
    /// When it ended.
    pub ended: Option<f64>,
    /// Seconds that it has run.
    pub seconds: f64,
    /// Iterations.
    pub iterations: u64,
    /// Units done.
    pub units_done: u64,
    /// How many of them stalled.
    pub units_stalled: u64,
    /// Units set aside.
    pub units_poisoned: u64,
    /// Best score.
    pub best: Option<u32>,
    /// Key of that grid.
    pub best_grid: Option<u64>,
    /// Its settings, as a text of JSON: most jobs wait, and so they take less room.
    pub settings: String,
    /// The key that the client gave it.
    pub key: Option<String>,
    /// What a solver job has found.
    pub solution: Option<SolutionView>,
}

/// How a job stands that has a coordinator, whatever its kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobStanding {
    /// Seconds that it has run.
    pub seconds: f64,
    /// Iterations of all its units, the running ones included.
    pub iterations: u64,
    /// Iterations per second lately.
    pub rate: f64,
    /// Units done.
    pub units_done: u64,
    /// How many of them stalled.
    pub units_stalled: u64,
    /// Best score, 0 if there is none.
    pub best: u32,
    /// Units that workers are at.
    pub running: Vec<RunningUnit>,
    /// What a solver job has found.
    pub solution: Option<SolutionView>,
}

/// A unit that a worker is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunningUnit {
    /// Its number in the queue.
    pub ticket: u64,
    /// Its number in the job.
    pub unit: u64,
    /// Its iterations.
    pub iterations: u64,
    /// Its best score.
    pub best: u32,
}

impl From<&Status> for JobStanding {
    fn from(status: &Status) -> JobStanding {
        let running = status.running.iter().map(|running| RunningUnit {
            ticket: running.unit,
            unit: running.unit,
            iterations: running.iterations,
            best: running.best,
        });
        JobStanding {
            seconds: status.seconds,
            iterations: status.iterations,
            rate: status.rate,
            units_done: status.ended,
            units_stalled: status.stalled,
            best: status.best,
            running: running.collect(),
            solution: None,
        }
    }
}

/// What a job is made of, as it is stored, as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// What was asked for.
    pub request: JobRequest,
    /// What it came to.
    pub work: JobWork,
}

/// The key of a grid as a text.
pub fn key_text(key: u64) -> String {
    format!("{key:016x}")
}

impl JobRecord {
    /// As bytes.
    pub fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts and numbers can be written")
    }

    /// From bytes.
    pub fn read(bytes: &[u8]) -> Option<JobRecord> {
        serde_json::from_slice(bytes).ok()
    }

    /// Takes in how it stands.
    pub fn update(&mut self, standing: &JobStanding) {
        self.seconds = standing.seconds;
        self.iterations = standing.iterations;
        self.units_done = standing.units_done;
        self.units_stalled = standing.units_stalled;
        self.best = (standing.best > 0).then_some(standing.best);
        if standing.solution.is_some() {
            self.solution.clone_from(&standing.solution);
        }
    }

    /// What is shown of it, when no thread works for it.
    pub fn view(&self) -> JobView {
        JobView {
            v: VERSION,
            id: self.id,
            kind: self.kind.clone(),
            name: self.name.clone(),
            state: if self.state == JobState::Running { JobState::Queued } else { self.state },
            reason: self.reason.clone(),
            variant: self.variant,
            strategy: self.strategy.clone(),
            seed: self.seed,
            priority: self.priority,
            weight: self.weight,
            limits: self.limits,
            submitted: self.submitted,
            began: self.began,
            ended: self.ended,
            seconds: self.seconds,
            iterations: self.iterations,
            rate: 0.0,
            units_done: self.units_done,
            units_stalled: self.units_stalled,
            units_poisoned: self.units_poisoned,
            threads: 0,
            best: self.best,
            best_grid: self.best_grid.map(key_text),
            settings: serde_json::from_str(&self.settings).unwrap_or_default(),
            solution: self.solution.clone(),
        }
    }
}

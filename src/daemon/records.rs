//! What the store holds of a job, and what of it is shown.

use super::kinds::JobWork;
use super::view::{JobId, JobLimits, JobRequest, JobState, JobView, SolutionView, VERSION};
use crate::morpion::variant::Variant;
use crate::runner::progress::Progress;
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
    /// How far it has come.
    pub progress: Progress,
    /// What a solver job has found.
    pub solution: Option<SolutionView>,
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
        let Progress { seconds, iterations, units_done, units_stalled, best, .. } = standing.progress;
        (self.seconds, self.iterations) = (seconds, iterations);
        (self.units_done, self.units_stalled) = (units_done, units_stalled);
        self.best = (best > 0).then_some(best);
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

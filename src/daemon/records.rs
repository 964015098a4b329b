//! What the store holds of a job, and what a running job reports of itself.

use super::kinds::JobWork;
use super::view::{
    AnalyseView, CheckView, JobId, JobRequest, JobState, JobSummary, JobView, MatchView, MineView, PendingOrder,
    PlanView, ProofView, SelfplayView, SolutionView, TacticsView, TuneView,
};
use crate::runner::progress::Progress;
use serde::{Deserialize, Serialize};

/// A job as it is stored, as JSON. Fields may be added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobRecord {
    /// What the API shows of the job in the same form.
    #[serde(flatten)]
    pub summary: JobSummary,
    /// Key of the best grid.
    pub best_grid: Option<u64>,
    /// The settings as a JSON text. Most jobs wait, and a text takes less memory than a map.
    pub settings: String,
    /// The client's own key of the submission.
    pub key: Option<String>,
    /// How often the job has begun since it last saved something, finished a unit, or was left in order: so often the
    /// daemon has died, or one time more if the job runs.
    #[serde(default)]
    pub starts: u32,
    /// What the job's folder is recognised by. Jobs of earlier versions have none of their own (see
    /// [`super::folder`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// A client has cancelled it, and its coordinator has still to end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancelled: bool,
    /// Jobs that are over are numbered in the order in which they ended, from 1. Earlier versions did not do that.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub end_number: u64,
    /// It was tried again after its units were summarised, so it may have units again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub relisted: bool,
    /// It begins after another job, which had not ended when this was noted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub awaits: bool,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What a running job reports of itself, whatever its kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobStanding {
    /// How far the job has come.
    pub progress: Progress,
    /// What a solver job has found.
    pub solution: Option<SolutionView>,
    /// What is closed and open of a proof.
    pub proof: Option<ProofView>,
    /// What the games of a match have come to.
    pub matched: Option<MatchView>,
    /// How many games of a player against itself are made.
    pub selfplay: Option<SelfplayView>,
    /// How many positions are analysed.
    pub analyse: Option<AnalyseView>,
    /// How well weights that are learned tell the ends of games.
    pub tune: Option<TuneView>,
    /// How many tactical questions are answered, and how many of them right.
    pub tactics: Option<TacticsView>,
    /// How many games are searched for patterns, and what was found.
    pub mine: Option<MineView>,
    /// Which replies have a plan.
    pub plan: Option<PlanView>,
    /// How much of a plan is checked, and whether it holds.
    pub check: Option<CheckView>,
}

/// What a job was made from, as it is stored, as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// The request of the client.
    pub request: JobRequest,
    /// What the job runs.
    pub work: JobWork,
}

/// The key of a grid as text.
pub fn key_text(key: u64) -> String {
    format!("{key:016x}")
}

impl JobSummary {
    /// Takes over the figures of a running job, but not its best score: that belongs to a grid, which is stored
    /// first.
    pub(super) fn update(&mut self, standing: &JobStanding) {
        let Progress { seconds, iterations, units_done, units_stalled, .. } = standing.progress;
        (self.seconds, self.iterations) = (seconds, iterations);
        (self.units_done, self.units_stalled) = (units_done, units_stalled);
        /// What is not reported stays.
        fn take<T: Clone>(shown: &mut Option<T>, reported: &Option<T>) {
            if reported.is_some() {
                shown.clone_from(reported);
            }
        }
        take(&mut self.solution, &standing.solution);
        take(&mut self.proof, &standing.proof);
        take(&mut self.matched, &standing.matched);
        take(&mut self.selfplay, &standing.selfplay);
        take(&mut self.analyse, &standing.analyse);
        take(&mut self.tune, &standing.tune);
        take(&mut self.tactics, &standing.tactics);
        take(&mut self.mine, &standing.mine);
        take(&mut self.plan, &standing.plan);
        take(&mut self.check, &standing.check);
    }
}

impl JobRecord {
    /// The record of a job that has not begun. If it begins after another one, that one has not ended.
    pub fn new(summary: JobSummary, settings: String, key: Option<String>, identity: Option<String>) -> JobRecord {
        let (best_grid, starts, cancelled, end_number, relisted) = (None, 0, false, 0, false);
        let awaits = summary.after.is_some();
        JobRecord { summary, best_grid, settings, key, starts, identity, cancelled, end_number, relisted, awaits }
    }

    /// The record as bytes.
    pub fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts and numbers can be written")
    }

    /// The record from bytes; `None` if a newer version wrote it.
    pub fn read(bytes: &[u8]) -> Option<JobRecord> {
        serde_json::from_slice(bytes).ok()
    }

    /// Takes over the figures of a running job.
    pub fn update(&mut self, standing: &JobStanding) {
        self.summary.update(standing);
        self.summary.best = Some(standing.progress.best).filter(|&best| best > 0);
    }

    /// What the API shows of the job while no worker computes its units.
    pub fn view(&self) -> JobView {
        let mut summary = self.summary.clone();
        if summary.state == JobState::Running {
            summary.state = JobState::Queued;
        }
        let settings = serde_json::from_str(&self.settings).unwrap_or_default();
        let pending = (self.cancelled && !summary.state.is_over()).then_some(PendingOrder::Cancelling);
        JobView { pending, ..JobView::idle(summary, self.best_grid.map(key_text), settings) }
    }

    /// Number of the job.
    pub fn id(&self) -> JobId {
        self.summary.id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// A record as the program wrote it before it had the second names.
    fn stored() -> Value {
        json!({
            "id": 3, "kind": "hunt", "name": "a", "state": "running", "reason": null, "variant": "5T",
            "strategy": "nrpa", "seed": 18446744073709551615u64, "priority": -1, "weight": 2,
            "limits": { "seconds": 1.5, "iterations": null, "threads": 2, "memory": null },
            "submitted": 1.25, "began": 2.5, "ended": null, "seconds": 3.0, "iterations": 4, "units_done": 5,
            "units_stalled": 1, "units_poisoned": 2, "best": 82, "best_grid": 18446744073709551614u64,
            "settings": "{\"level\":3}", "key": "k", "solution": null,
        })
    }

    #[test]
    fn records_of_earlier_versions_are_read_and_shown() {
        let record = JobRecord::read(stored().to_string().as_bytes()).unwrap();
        assert_eq!((record.id(), record.summary.seed, record.summary.limits.workers), (3, Some(u64::MAX), Some(2)));
        assert_eq!(JobRecord::read(&record.bytes()).unwrap(), record);
        let view = serde_json::to_value(record.view().with_workers(4)).unwrap();
        let mut expected = stored();
        let fields = expected.as_object_mut().unwrap();
        fields.remove("key");
        fields.remove("solution");
        fields.extend(
            json!({ "v": 1, "state": "queued", "rate": 0.0, "workers": 4, "threads": 4, "units_quarantined": 2,
                "best_grid": "fffffffffffffffe", "settings": { "level": 3 } })
            .as_object()
            .unwrap()
            .clone(),
        );
        fields["limits"]["workers"] = 2.into();
        assert_eq!(view, expected);
    }
}

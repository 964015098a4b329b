//! Events as lines of the log.

use crate::daemon::view::{EventKind, JobId, JobState};

/// Tells the log of an event. Progress is left out.
pub fn tell(job: Option<JobId>, what: &EventKind) {
    let of = job.map_or_else(|| "the daemon".to_owned(), |id| format!("job {id}"));
    match what {
        EventKind::Started { version } => tracing::info!(version, "version {version} starts"),
        EventKind::Submitted { name } => tracing::info!(job, name, "{of} is submitted: {name}"),
        EventKind::State { state, reason } => tell_state(job, &of, *state, reason.as_deref()),
        // Until a hunt comes near the records it has a new best many times a second.
        EventKind::Best { score, record: None, new: false, seconds, .. } => {
            tracing::debug!(job, score, seconds, "{of} has a grid of {score} moves");
        }
        EventKind::Best { score, record, new, seconds, .. } => {
            let equal = record.as_ref().map_or(String::new(), |name| format!(", the known grid {name}"));
            let new = if *new { ", which is new" } else { "" };
            tracing::info!(job, score, record, seconds, "{of} has a grid of {score} moves{equal}{new}");
        }
        EventKind::Bounds { lower, upper, settled: true, nodes, .. } => {
            tracing::info!(job, lower, upper, nodes, "{of}: the value is settled, from {lower} to {upper}");
        }
        EventKind::Bounds { lower, upper, nodes, .. } => {
            tracing::debug!(job, lower, upper, nodes, "{of}: the value is from {lower} to {upper}");
        }
        EventKind::Distrusted { worker } => {
            tracing::warn!(job, worker, "{of}: the worker {worker} gave wrong answers and gets no more units");
        }
        EventKind::Notice { text } => tracing::warn!(job, "{of}: {text}"),
        EventKind::UnitFailed { unit, attempts, error } => {
            tracing::warn!(job, unit, attempts, "{of}: attempt {attempts} at unit {unit} failed: {error}");
        }
        EventKind::Progress { .. } => {}
    }
}

fn tell_state(job: Option<JobId>, of: &str, state: JobState, reason: Option<&str>) {
    let why = reason.map_or(String::new(), |reason| format!(": {reason}"));
    let name = state.name();
    let is_trouble = state == JobState::Failed || (state == JobState::Paused && reason.is_some());
    if is_trouble {
        tracing::warn!(job, state = name, reason, "{of} is {name}{why}");
    } else {
        tracing::info!(job, state = name, reason, "{of} is {name}{why}");
    }
}

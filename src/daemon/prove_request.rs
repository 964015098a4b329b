//! Requests for proofs: the settings of a request become a proof.

use super::kinds::{JobWork, PreparedJob};
use super::view::{JobLimits, JobRequest};
use crate::jobs::prove_settings::ProveSettings;
use crate::jobs::reading::{from_json, json_of};
use crate::runner::proving::unit::solver;

/// What a daemon says that was built without the solver of linear programs.
pub const NO_SOLVER: &str = "this daemon was built without the solver HiGHS, which proofs need: build it by `cargo build \
                             --release --features prove`";

/// What a request for a proof comes to.
///
/// # Errors
/// If it makes no sense, or there is no solver: what is wrong, where, and what would be right.
pub fn prepare(request: &JobRequest) -> Result<PreparedJob, String> {
    if request.start.is_some() || !request.grids.is_empty() {
        return Err("start and grids are for hunts: a grid is sent as text in the setting hull".to_owned());
    }
    let given = from_json::<ProveSettings>(&request.settings).map_err(|error| error.to_string())?;
    let job = ProveSettings::job(&given).map_err(|error| error.to_string())?;
    if solver().is_none() {
        return Err(NO_SOLVER.to_owned());
    }
    Ok(PreparedJob {
        name: format!("no {} moves of {} in {}", job.moves, job.variant, job.region),
        limits: JobLimits::default(),
        settings: given.iter().map(|one| (one.name.to_owned(), json_of(&one.text))).collect(),
        strategy: "linear programs".to_owned(),
        strategy_reason: None,
        work: JobWork::Prove(job),
    })
}

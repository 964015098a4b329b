//! Requests for answers to tactical questions: the settings of a request become such a job.

use super::kinds::{JobWork, PreparedJob, given_settings};
use super::view::JobRequest;
use crate::jobs::reading::FromSettings;
use crate::jobs::tactics_settings::TacticsSettings;

/// What a request for answers to tactical questions comes to.
///
/// # Errors
/// If it makes no sense: what is wrong, where, and what would be right.
pub fn prepare(request: &JobRequest) -> Result<PreparedJob, String> {
    let given = given_settings::<TacticsSettings>(request, "the questions are a setting")?;
    let job = TacticsSettings::job(&given).map_err(|error| error.to_string())?;
    let name =
        if job.count == 1 { "a tactical question".to_owned() } else { format!("{} tactical questions", job.count) };
    let words = (name, job.effort());
    Ok(PreparedJob::of_units::<TacticsSettings>(&given, TacticsSettings::usual, words, JobWork::Tactics(job)))
}

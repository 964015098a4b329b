//! Requests for checks: the settings of a request become a plan whose moves are checked.

use super::kinds::{JobWork, PreparedJob, given_settings};
use super::view::JobRequest;
use crate::jobs::check_settings::CheckSettings;
use crate::jobs::plan_settings::plan_name;
use crate::jobs::reading::FromSettings;

/// What a request for a check comes to.
///
/// # Errors
/// If it makes no sense: what is wrong, where, and what would be right.
pub fn prepare(request: &JobRequest) -> Result<PreparedJob, String> {
    let given = given_settings::<CheckSettings>(request, "a plan says itself where it begins")?;
    let job = CheckSettings::job(&given).map_err(|error| error.to_string())?;
    let words = (format!("check of a plan of {}", plan_name(&job.title, &job.plan)), job.effort());
    Ok(PreparedJob::of_units::<CheckSettings>(&given, CheckSettings::usual, words, JobWork::Check(job)))
}

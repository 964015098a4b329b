//! Requests for plans: the settings of a request become replies that are answered.

use super::kinds::{JobWork, PreparedJob, given_settings};
use super::view::JobRequest;
use crate::jobs::plan_settings::{PlanSettings, plan_name};
use crate::jobs::reading::FromSettings;

/// What a request for a plan comes to.
///
/// # Errors
/// If it makes no sense: what is wrong, where, and what would be right.
pub fn prepare(request: &JobRequest) -> Result<PreparedJob, String> {
    let given = given_settings::<PlanSettings>(request, "a position is a setting")?;
    let job = PlanSettings::job(&given).map_err(|error| error.to_string())?;
    let words = (format!("a plan of {}", plan_name(&job.title, &job.plan)), job.effort());
    // A plan to begin with says what the position is about, whose settings are then not those of the table.
    let usual = |name: &str| PlanSettings::usual(name).filter(|_| job.known == 0);
    Ok(PreparedJob::of_units::<PlanSettings>(&given, usual, words, JobWork::Plan(job.clone())))
}

//! Requests for matches: the settings of a request become a match of two players of this program.

use super::kinds::{JobWork, PreparedJob, given_settings};
use super::view::JobRequest;
use crate::jobs::match_settings::MatchJobSettings;
use crate::jobs::reading::FromSettings;

/// What a request for a match comes to.
///
/// # Errors
/// If it makes no sense: what is wrong, where, and what would be right.
pub fn prepare(request: &JobRequest) -> Result<PreparedJob, String> {
    let given = given_settings::<MatchJobSettings>(request, "a match begins with openings of its own")?;
    let job = MatchJobSettings::job(&given).map_err(|error| error.to_string())?;
    let usual = |name: &str| MatchJobSettings::usual(name).filter(|_| MatchJobSettings::has_default(name));
    let [a, b] = &job.players;
    let words = (format!("{a} against {b} in {}", job.game.text()), format!("{a} - {b}"));
    Ok(PreparedJob::of_units::<MatchJobSettings>(&given, usual, words, JobWork::Match(job)))
}

//! Requests for patterns: the settings of a request become games that are searched for them.

use super::kinds::{JobWork, PreparedJob, given_settings};
use super::view::JobRequest;
use crate::jobs::mine_settings::MineSettings;
use crate::jobs::reading::FromSettings;

/// What a request for patterns comes to.
///
/// # Errors
/// If it makes no sense: what is wrong, where, and what would be right.
pub fn prepare(request: &JobRequest) -> Result<PreparedJob, String> {
    let given = given_settings::<MineSettings>(request, "the games begin with moves of their own")?;
    let job = MineSettings::job(&given).map_err(|error| error.to_string())?;
    let games = if job.games == 1 { "a game".to_owned() } else { format!("{} games", job.games) };
    let words = (format!("patterns of {games} of go"), job.effort());
    Ok(PreparedJob::of_units::<MineSettings>(&given, MineSettings::usual, words, JobWork::Mine(job)))
}

//! Requests for games of a player against itself: the settings of a request become such a job.

use super::kinds::{JobWork, PreparedJob, given_settings};
use super::view::JobRequest;
use crate::jobs::reading::FromSettings;
use crate::jobs::selfplay_settings::{SelfplaySettings, is_selfplay_term};

/// What a request for such games comes to.
///
/// # Errors
/// If it makes no sense: what is wrong, where, and what would be right.
pub fn prepare(request: &JobRequest) -> Result<PreparedJob, String> {
    let given = given_settings::<SelfplaySettings>(request, "the games begin with openings of their own")?;
    let job = SelfplaySettings::job(&given).map_err(|error| error.to_string())?;
    let usual = |name: &str| SelfplaySettings::usual(name).filter(|_| is_selfplay_term(name));
    let words = (format!("{} games of {} against itself", job.games, job.game.text()), job.effort());
    Ok(PreparedJob::of_units::<SelfplaySettings>(&given, usual, words, JobWork::Selfplay(job)))
}

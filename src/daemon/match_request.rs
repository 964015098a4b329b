//! Requests for matches: the settings of a request become a match of two players of this program.

use super::kinds::{JobWork, PreparedJob};
use super::view::{JobLimits, JobRequest};
use crate::jobs::match_settings::MatchJobSettings;
use crate::jobs::reading::{FromSettings, from_json, json_of};

/// What a request for a match comes to.
///
/// # Errors
/// If it makes no sense: what is wrong, where, and what would be right.
pub fn prepare(request: &JobRequest) -> Result<PreparedJob, String> {
    if request.start.is_some() || !request.grids.is_empty() {
        return Err("start and grids are for hunts: a match begins with openings of its own".to_owned());
    }
    let given = from_json::<MatchJobSettings>(&request.settings).map_err(|error| error.to_string())?;
    let job = MatchJobSettings::job(&given).map_err(|error| error.to_string())?;
    let text = |name: &str| {
        let given = given.iter().rfind(|one| one.name == name).map(|one| one.text.clone());
        let of_match = || MatchJobSettings::usual(name).filter(|_| MatchJobSettings::has_default(name));
        given.or_else(of_match)
    };
    let settings = MatchJobSettings::all().into_iter();
    let settings = settings.filter_map(|info| Some((info.name.to_owned(), json_of(&text(info.name)?)))).collect();
    let [a, b] = &job.players;
    Ok(PreparedJob {
        name: format!("{a} against {b} in {}", job.game.text()),
        limits: JobLimits::default(),
        settings,
        strategy: format!("{a} - {b}"),
        strategy_reason: None,
        work: JobWork::Match(job),
    })
}

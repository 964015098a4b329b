//! Requests for games of a player against itself: the settings of a request become such a job.

use super::kinds::{JobWork, PreparedJob};
use super::view::{JobLimits, JobRequest};
use crate::jobs::reading::{FromSettings, from_json, json_of};
use crate::jobs::selfplay_settings::{SelfplaySettings, is_selfplay_term};

/// What a request for such games comes to.
///
/// # Errors
/// If it makes no sense: what is wrong, where, and what would be right.
pub fn prepare(request: &JobRequest) -> Result<PreparedJob, String> {
    if request.start.is_some() || !request.grids.is_empty() {
        return Err("start and grids are for hunts: the games begin with openings of their own".to_owned());
    }
    let given = from_json::<SelfplaySettings>(&request.settings).map_err(|error| error.to_string())?;
    let job = SelfplaySettings::job(&given).map_err(|error| error.to_string())?;
    let text = |name: &str| {
        let given = given.iter().rfind(|one| one.name == name).map(|one| one.text.clone());
        given.or_else(|| SelfplaySettings::usual(name).filter(|_| is_selfplay_term(name)))
    };
    let settings = SelfplaySettings::all().into_iter();
    let settings = settings.filter_map(|info| Some((info.name.to_owned(), json_of(&text(info.name)?)))).collect();
    Ok(PreparedJob {
        name: format!("{} games of {} against itself", job.games, job.game.text()),
        limits: JobLimits::default(),
        settings,
        strategy: job.effort(),
        strategy_reason: None,
        work: JobWork::Selfplay(job),
    })
}

//! Requests for weights: the settings of a request become a fit to the games of other jobs.

use super::kinds::{JobWork, PreparedJob};
use super::view::{JobLimits, JobRequest};
use crate::jobs::reading::{FromSettings, from_json, json_of};
use crate::jobs::tune_settings::{MadeGames, TuneSettings, tune_default};

/// What a request for weights comes to; `made` knows the jobs whose games it names.
///
/// # Errors
/// If it makes no sense: what is wrong, where, and what would be right.
pub fn prepare(request: &JobRequest, made: MadeGames<'_>) -> Result<PreparedJob, String> {
    if request.start.is_some() || !request.grids.is_empty() {
        return Err("start and grids are for hunts: weights are learned from games of other jobs".to_owned());
    }
    let given = from_json::<TuneSettings>(&request.settings).map_err(|error| error.to_string())?;
    let job = TuneSettings::job(&given, made).map_err(|error| error.to_string())?;
    let text = |name: &str| {
        let given = given.iter().rfind(|one| one.name == name).map(|one| one.text.clone());
        given.or_else(|| tune_default(job.game, name))
    };
    let settings = TuneSettings::all().into_iter();
    let settings = settings.filter_map(|info| Some((info.name.to_owned(), json_of(&text(info.name)?)))).collect();
    let jobs: Vec<String> = job.sources.iter().map(|source| source.job.to_string()).collect();
    let of = if jobs.len() == 1 { "job" } else { "jobs" };
    Ok(PreparedJob {
        name: format!("weights of {} from the games of {of} {}", job.game.text(), jobs.join(", ")),
        limits: JobLimits::default(),
        settings,
        strategy: job.fit(),
        strategy_reason: None,
        work: JobWork::Tune(job),
    })
}

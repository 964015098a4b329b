//! Requests for analyses: the settings of a request become positions that are analysed.

use super::kinds::{JobWork, PreparedJob};
use super::view::{JobLimits, JobRequest};
use crate::jobs::analyse_settings::AnalyseSettings;
use crate::jobs::reading::{FromSettings, from_json, json_of};

/// What a request for analyses comes to.
///
/// # Errors
/// If it makes no sense: what is wrong, where, and what would be right.
pub fn prepare(request: &JobRequest) -> Result<PreparedJob, String> {
    if request.start.is_some() || !request.grids.is_empty() {
        return Err("start and grids are for hunts: a position is a setting".to_owned());
    }
    let given = from_json::<AnalyseSettings>(&request.settings).map_err(|error| error.to_string())?;
    let job = AnalyseSettings::job(&given).map_err(|error| error.to_string())?;
    let text = |name: &str| {
        let given = given.iter().rfind(|one| one.name == name).map(|one| one.text.clone());
        let of_all = || AnalyseSettings::usual(name).filter(|_| AnalyseSettings::has_default(job.game, name));
        given.or_else(of_all)
    };
    let settings = AnalyseSettings::all().into_iter();
    let settings = settings.filter_map(|info| Some((info.name.to_owned(), json_of(&text(info.name)?)))).collect();
    let (count, game) = (job.count, job.game.text());
    Ok(PreparedJob {
        name: if count == 1 { format!("a position of {game}") } else { format!("{count} positions of {game}") },
        limits: JobLimits::default(),
        settings,
        strategy: job.effort(),
        strategy_reason: None,
        work: JobWork::Analyse(job),
    })
}

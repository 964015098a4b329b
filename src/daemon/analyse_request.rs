//! Requests for analyses: the settings of a request become positions that are analysed.

use super::kinds::{JobWork, PreparedJob, given_settings};
use super::view::JobRequest;
use crate::jobs::analyse_settings::AnalyseSettings;
use crate::jobs::reading::FromSettings;

/// What a request for analyses comes to.
///
/// # Errors
/// If it makes no sense: what is wrong, where, and what would be right.
pub fn prepare(request: &JobRequest) -> Result<PreparedJob, String> {
    let given = given_settings::<AnalyseSettings>(request, "a position is a setting")?;
    let job = AnalyseSettings::job(&given).map_err(|error| error.to_string())?;
    let (count, of) = (job.count, job.game);
    let usual = |name: &str| AnalyseSettings::usual(name).filter(|_| AnalyseSettings::has_default(of, name));
    let game = of.text();
    let name = if count == 1 { format!("a position of {game}") } else { format!("{count} positions of {game}") };
    let words = (name, job.effort());
    Ok(PreparedJob::of_units::<AnalyseSettings>(&given, usual, words, JobWork::Analyse(job)))
}

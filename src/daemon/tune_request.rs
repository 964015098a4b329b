//! Requests for weights: the settings of a request become a fit to the games of other jobs.

use super::kinds::{JobWork, PreparedJob, given_settings};
use super::view::JobRequest;
use crate::jobs::tune_settings::{MadeGames, TuneSettings, tune_default};
use crate::jobs::tuning::TuneSubject;

/// What a request for weights comes to; `made` knows the jobs whose games it names.
///
/// # Errors
/// If it makes no sense: what is wrong, where, and what would be right.
pub fn prepare(request: &JobRequest, made: MadeGames<'_>) -> Result<PreparedJob, String> {
    let given = given_settings::<TuneSettings>(request, "weights are learned from games of other jobs")?;
    let job = TuneSettings::job(&given, made).map_err(|error| error.to_string())?;
    let jobs: Vec<String> = job.sources.iter().map(|source| source.job.to_string()).collect();
    let of = if jobs.len() == 1 { "job" } else { "jobs" };
    let what = match job.learn {
        TuneSubject::Weights => "weights of",
        TuneSubject::Network => "a network for",
    };
    let name = format!("{what} {} from the games of {of} {}", job.game.text(), jobs.join(", "));
    let (game, learn, words) = (job.game, job.learn, (name, job.fit()));
    Ok(PreparedJob::of_units::<TuneSettings>(
        &given,
        |name| tune_default(game, learn, name),
        words,
        JobWork::Tune(job),
    ))
}

//! Weights that are learned from games as the scheduler runs them: jobs of numbered units, each a part of the fit.

use super::kind::{CannotRun, FoundFile, JobFacts, JobFile};
use super::numbered::NumberedKind;
use crate::daemon::records::JobStanding;
use crate::daemon::view::{JobId, StatisticsView, TuneLossView, TuneView};
use crate::files::{Keep, replace};
use crate::games::reversi::weights::WIDTH;
use crate::jobs::numbered::{NumberedCoordinator, NumberedJob, NumberedProgress};
use crate::jobs::setup::matches::MatchGameName;
use crate::jobs::tuning::{PartLoss, TuneJob, TuneRecord, TuneSubject, TuneTally};
use crate::runner::clock;
use crate::runner::numbered::outcomes;
use crate::runner::numbered::session::NumberedStanding;
use crate::runner::numbered::unit::PlayerMaker;
use crate::runner::tuning::{TuneError, WEIGHTS, gather, learned, tuners};
use std::path::{Path, PathBuf};

/// Memory of what a worker has beside the positions: a round estimate.
const WORKER_MEMORY: u64 = 16 << 20;
/// Memory of the positions of a game: round estimates.
fn memory_of_game(job: &TuneJob) -> u64 {
    match (job.game, job.learn) {
        (MatchGameName::Reversi, _) if job.search > 0 => 4 << 10,
        (MatchGameName::Reversi, _) => 2 << 10,
        (_, TuneSubject::Weights) => 12 << 10,
        (_, TuneSubject::Network) => 24 << 10,
    }
}

impl NumberedKind for TuneJob {
    /// The outcomes of its units are its course.
    type Point = ();

    fn players(&self, folder: &Path) -> PlayerMaker<TuneRecord> {
        tuners(self, folder)
    }

    fn memory_of_worker(&self) -> u64 {
        WORKER_MEMORY
    }

    fn shared_memory(&self) -> u64 {
        self.most_games().saturating_mul(memory_of_game(self))
    }

    fn first_facts(&self) -> Result<JobFacts, String> {
        Ok(JobFacts::default())
    }

    fn gather(&self, folder: &Path, begun: bool, folder_of: &dyn Fn(JobId) -> PathBuf) -> Result<(), CannotRun> {
        gather(self, folder, begun, folder_of).map_err(|error| match error {
            TuneError::File(_) => CannotRun::Refused(error.to_string()),
            TuneError::Games(..) | TuneError::NoGames(_) | TuneError::Unknown(..) => {
                CannotRun::Failed(error.to_string())
            }
        })
    }

    fn finish(&self, folder: &Path) -> Result<(), CannotRun> {
        let mut coordinator = NumberedCoordinator::new(self.clone());
        let damaged = |why: String| CannotRun::Quarantined(format!("its weights cannot be put together: {why}"));
        let missing = || damaged("outcomes are missing".to_owned());
        let mut last = None;
        for (unit, record) in outcomes::<TuneJob>(folder)? {
            coordinator.apply(unit, record.clone()).map_err(|misfit| damaged(misfit.to_string()))?;
            last = Some(record);
        }
        let (last, loss) = last.zip(coordinator.tally().after).ok_or_else(missing)?;
        let bytes = learned(self, folder, &last, loss, &clock::date(clock::now())).map_err(damaged)?;
        replace(&folder.join(WEIGHTS), &bytes, Keep::Durable).map_err(|error| CannotRun::Refused(error.to_string()))
    }

    fn show(&self, tally: &TuneTally, units: &NumberedProgress, standing: &mut JobStanding) -> Result<(), String> {
        let TuneTally { games, positions, ref losses, before, after, .. } = *tally;
        let at = |part: &PartLoss| if self.game == MatchGameName::Reversi { part.at * WIDTH } else { part.at };
        let loss = |part: &PartLoss| TuneLossView { at: at(part), positions: part.positions, loss: part.loss.into() };
        let first = self.sources.first().ok_or("there are no games")?;
        standing.tune = Some(TuneView {
            game: self.game.text().to_owned(),
            of_network: self.learn == TuneSubject::Network,
            title: first.made.board().map_err(|error| error.to_string())?.title,
            games_of: self.sources.iter().map(|source| source.job).collect(),
            games,
            positions,
            parts: self.units(),
            parts_done: units.done,
            losses: losses.iter().map(loss).collect(),
            before: before.map(Into::into),
            after: after.map(Into::into),
            cpu_seconds: units.cpu,
        });
        Ok(())
    }

    fn point(&self, _now: &NumberedStanding<TuneJob>) {}

    fn course(_points: Vec<()>, _statistics: &mut StatisticsView) {}

    fn result_file(&self, folder: &Path, which: JobFile) -> Result<FoundFile, String> {
        if which == JobFile::Weights { FoundFile::read(&folder.join(WEIGHTS)) } else { Ok(FoundFile::OtherKind) }
    }
}

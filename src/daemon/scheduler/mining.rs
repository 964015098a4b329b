//! Patterns that are mined as the scheduler runs them: jobs of numbered units, each a game, and one that puts the
//! patterns of all games together.

use super::kind::{CannotRun, FoundFile, JobFacts, JobFile};
use super::numbered::NumberedKind;
use crate::daemon::records::JobStanding;
use crate::daemon::view::{MineView, StatisticsView};
use crate::jobs::mining::{MineJob, MineRecord, MineTally};
use crate::jobs::numbered::NumberedProgress;
use crate::runner::mining::{PATTERNS, miners};
use crate::runner::numbered::parts::remove_parts;
use crate::runner::numbered::portable::{PlayedElsewhere, PortableJob, packed_job};
use crate::runner::numbered::session::NumberedStanding;
use crate::runner::numbered::unit::PlayerMaker;
use std::path::Path;
use std::sync::Arc;

/// Memory of the patterns of a game for each point of the board: a round estimate.
const POINT_MEMORY: u64 = 2 << 10;

impl NumberedKind for MineJob {
    /// The outcomes of its units are its course.
    type Point = ();

    fn players(&self, folder: &Path) -> PlayerMaker<MineRecord> {
        miners(self, folder)
    }

    fn elsewhere(&self) -> Option<Arc<dyn PlayedElsewhere<MineRecord>>> {
        packed_job(self)
    }

    fn memory_of_worker(&self) -> u64 {
        PortableJob::memory(self)
    }

    /// One worker has the patterns of all games at the end.
    fn shared_memory(&self) -> u64 {
        let area = u64::from(self.size) * u64::from(self.size);
        self.games.saturating_mul(area * POINT_MEMORY)
    }

    fn finish(&self, folder: &Path) -> Result<(), CannotRun> {
        remove_parts(folder, self.games);
        Ok(())
    }

    fn first_facts(&self) -> Result<JobFacts, String> {
        Ok(JobFacts { seed: Some(self.seed), ..JobFacts::default() })
    }

    fn show(&self, tally: &MineTally, units: &NumberedProgress, standing: &mut JobStanding) -> Result<(), String> {
        let MineTally { positions, asked, patterns, whole, .. } = *tally;
        standing.mine = Some(MineView {
            title: self.title(),
            games: self.games,
            games_done: units.done.min(self.games),
            positions,
            questions: asked,
            patterns_of_games: patterns,
            least: self.least,
            patterns: whole.map(|(patterns, _)| patterns),
            kept: whole.map(|(_, kept)| kept),
            cpu_seconds: units.cpu,
        });
        Ok(())
    }

    fn point(&self, _now: &NumberedStanding<MineJob>) {}

    fn course(_points: Vec<()>, _statistics: &mut StatisticsView) {}

    fn result_file(&self, folder: &Path, which: JobFile) -> Result<FoundFile, String> {
        if which == JobFile::Patterns { FoundFile::read(&folder.join(PATTERNS)) } else { Ok(FoundFile::OtherKind) }
    }
}

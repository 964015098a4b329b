//! Positions that are analysed as the scheduler runs them: jobs of numbered units, each a position.

use super::kind::{JobFacts, JobResults};
use super::numbered::NumberedKind;
use crate::daemon::positions::{cells, side};
use crate::daemon::records::JobStanding;
use crate::daemon::view::{AnalyseView, AnalysedMoveView, AnalysedPositionView, StatisticsView};
use crate::jobs::analysing::{AnalyseJob, AnalysedMove, AnalysedPositions, AnalysisRecord};
use crate::jobs::numbered::NumberedProgress;
use crate::jobs::setup::matches::{MatchBoard, MatchGameName, MatchVisitor};
use crate::runner::analysing::analysts;
use crate::runner::numbered::outcomes;
use crate::runner::numbered::portable::{PlayedElsewhere, PortableJob, packed_job};
use crate::runner::numbered::session::NumberedStanding;
use crate::runner::numbered::unit::PlayerMaker;
use crate::solvers::solvable::Playable;
use std::path::Path;
use std::sync::Arc;

impl NumberedKind for AnalyseJob {
    /// The outcomes of its units are its course.
    type Point = ();

    fn players(&self, _folder: &Path) -> PlayerMaker<AnalysisRecord> {
        analysts(self)
    }

    fn elsewhere(&self) -> Option<Arc<dyn PlayedElsewhere<AnalysisRecord>>> {
        packed_job(self)
    }

    fn memory_of_worker(&self) -> u64 {
        PortableJob::memory(self)
    }

    fn first_facts(&self) -> Result<JobFacts, String> {
        let seed = (self.game == MatchGameName::Go).then_some(self.seed);
        Ok(JobFacts { seed, ..JobFacts::default() })
    }

    fn show(&self, (): &(), units: &NumberedProgress, standing: &mut JobStanding) -> Result<(), String> {
        standing.analyse = Some(AnalyseView {
            game: self.game.text().to_owned(),
            title: self.title.clone(),
            positions: self.count,
            positions_done: units.done,
            cpu_seconds: units.cpu,
        });
        Ok(())
    }

    fn point(&self, _now: &NumberedStanding<AnalyseJob>) {}

    fn course(_points: Vec<()>, _statistics: &mut StatisticsView) {}

    fn outcomes_shown(&self, folder: &Path, from: u64, most: usize) -> Result<JobResults, String> {
        struct RecordsVisitor<'a>(&'a AnalyseJob, Vec<(u64, AnalysisRecord)>);
        impl MatchVisitor for RecordsVisitor<'_> {
            type Out = Result<Vec<AnalysedPositionView>, String>;
            fn visit<G: MatchBoard>(self) -> Self::Out {
                let positions = self.0.read::<G>().map_err(|error| error.to_string())?;
                self.1.iter().map(|(unit, record)| view(&positions, *unit, record)).collect()
            }
        }
        let units = outcomes::<AnalyseJob>(folder).map_err(|error| error.to_string())?.into_iter();
        let units = units.filter(|(unit, _)| *unit >= from).take(most).collect();
        self.game.visit(RecordsVisitor(self, units)).map(JobResults::Analyses)
    }
}

/// A position with its moves.
fn view<G: MatchBoard>(
    positions: &AnalysedPositions<G>,
    unit: u64,
    record: &AnalysisRecord,
) -> Result<AnalysedPositionView, String> {
    let place = positions.at(unit).zip(positions.place(unit));
    let (position, (game, played)) = place.ok_or_else(|| format!("there is no position {unit}"))?;
    let names: Vec<String> = positions.games[game].moves.iter().map(|&m| position.name(m)).collect();
    let of_move = |found: &AnalysedMove| {
        let chosen =
            found.chosen(&position).ok_or_else(|| format!("a move of position {unit} is on no such board"))?;
        Ok(AnalysedMoveView::of(&position, &chosen))
    };
    let (width, height) = Playable::size(&position);
    Ok(AnalysedPositionView {
        number: unit,
        game: game as u64,
        next: names.get(played).cloned(),
        played: names.into_iter().take(played).collect(),
        width,
        height,
        cells: cells(&position),
        position: position.text(),
        side: side(&position),
        moves: record.moves.iter().map(of_move).collect::<Result<_, String>>()?,
        seconds: record.milliseconds as f64 / 1e3,
    })
}

//! Games of a player against itself as the scheduler runs them: jobs of numbered units, each a few games.

use super::kind::{JobFacts, JobResults};
use super::numbered::NumberedKind;
use crate::core::game::Side;
use crate::daemon::records::JobStanding;
use crate::daemon::view::{MatchGameView, SelfplayPoint, SelfplayStatisticsView, SelfplayView, StatisticsView};
use crate::games::tags::GameTags;
use crate::jobs::numbered::NumberedProgress;
use crate::jobs::selfplay::{
    MadeGame, SelfplayBoard, SelfplayHead, SelfplayJob, SelfplayRecord, SelfplayTally, SelfplayVisitor, with_selfplay,
};
use crate::runner::numbered::outcomes;
use crate::runner::numbered::portable::{PlayedElsewhere, PortableJob, packed_job};
use crate::runner::numbered::session::NumberedStanding;
use crate::runner::numbered::unit::PlayerMaker;
use crate::runner::selfplay::learners;
use std::path::Path;
use std::sync::Arc;

/// What is said of a game that this program does not know.
fn unknown<T>() -> Result<T, String> {
    Err("no player learns of this game".to_owned())
}

impl NumberedKind for SelfplayJob {
    type Point = SelfplayPoint;

    fn players(&self, _folder: &Path) -> PlayerMaker<SelfplayRecord> {
        learners(self)
    }

    fn elsewhere(&self) -> Option<Arc<dyn PlayedElsewhere<SelfplayRecord>>> {
        packed_job(self)
    }

    fn memory_of_worker(&self) -> u64 {
        PortableJob::memory(self)
    }

    fn first_facts(&self) -> Result<JobFacts, String> {
        Ok(JobFacts { seed: Some(self.seed), ..JobFacts::default() })
    }

    fn show(
        &self,
        tally: &SelfplayTally,
        units: &NumberedProgress,
        standing: &mut JobStanding,
    ) -> Result<(), String> {
        let SelfplayHead { title, head, size: (width, height) } = self.board().map_err(|error| error.to_string())?;
        let SelfplayTally { ends: [won_black, drawn, won_white], plies } = *tally;
        standing.selfplay = Some(SelfplayView {
            game: self.game.text().to_owned(),
            title,
            width,
            height,
            games: self.games,
            games_counted: won_black + drawn + won_white,
            won_black,
            drawn,
            won_white,
            plies,
            head,
            cpu_seconds: units.cpu,
        });
        Ok(())
    }

    fn point(&self, now: &NumberedStanding<SelfplayJob>) -> SelfplayPoint {
        let seconds = (now.progress.seconds * 1000.0).round() / 1000.0;
        SelfplayPoint { seconds, games: now.tally.ends.iter().sum() }
    }

    fn course(course: Vec<SelfplayPoint>, statistics: &mut StatisticsView) {
        statistics.selfplay = Some(SelfplayStatisticsView { course });
    }

    fn outcomes_shown(&self, folder: &Path, from: u64, most: usize) -> Result<JobResults, String> {
        struct LinesVisitor<'a>(&'a SelfplayJob, Vec<(u64, String)>);
        impl SelfplayVisitor for LinesVisitor<'_> {
            type Out = Result<Vec<MatchGameView>, String>;
            fn visit<G: SelfplayBoard>(self) -> Self::Out {
                let (empty, _) = self.0.begin::<G>().map_err(|error| error.to_string())?;
                self.1.into_iter().map(|(number, line)| view(&empty, number, line)).collect()
            }
        }
        let units = outcomes::<SelfplayJob>(folder).map_err(|error| error.to_string())?;
        let lines = units.into_iter().flat_map(|(unit, record)| self.games_of(unit).zip(record.lines));
        let lines = lines.filter(|(number, _)| *number >= from).take(most).collect();
        with_selfplay(self.game, LinesVisitor(self, lines)).unwrap_or_else(unknown).map(JobResults::Games)
    }
}

/// A game by its line.
fn view<G: SelfplayBoard>(empty: &G, number: u64, line: String) -> Result<MatchGameView, String> {
    let MadeGame { moves, opening, winner } =
        empty.read(&line, number).map_err(|why| format!("game {number}: {why}"))?;
    let (mut position, mut names) = (empty.clone(), Vec::new());
    for &m in &moves {
        names.push(position.name(m));
        position.play(m);
    }
    let winner = match winner {
        Some(Side::First) => "a",
        Some(Side::Second) => "b",
        None => "draw",
    };
    Ok(MatchGameView {
        number,
        black: "a".to_owned(),
        winner: winner.to_owned(),
        failure: None,
        opening: opening as u32,
        moves: names,
        text: position.saved(empty, &moves, &GameTags::NONE),
        saved_as: position.saved_as().to_owned(),
        line: Some(line),
    })
}

//! Positions that are analysed, as a job's units: a player of this program tells what each move of one is worth.

use super::cpu::{milliseconds_since, thread_seconds};
use super::numbered::unit::{PlayerMaker, UnitClock, UnitPlayer};
use crate::core::game::{Budget, Player};
use crate::jobs::analyse_settings::analyst;
use crate::jobs::analysing::{AnalyseJob, AnalysedMove, AnalysedPositions, AnalysisRecord};
use crate::jobs::setup::matches::{MatchBoard, MatchVisitor};
use crate::solvers::matches::own::MoveClock;

/// A player that analyses the positions of a job.
struct PositionAnalyst<G: MatchBoard> {
    job: AnalyseJob,
    positions: AnalysedPositions<G>,
    player: Box<G::Own>,
}

/// Makes the players of a job.
pub fn analysts(job: &AnalyseJob) -> PlayerMaker<AnalysisRecord> {
    struct AnalystMaker<'a>(&'a AnalyseJob);
    impl MatchVisitor for AnalystMaker<'_> {
        type Out = Result<Box<dyn UnitPlayer<AnalysisRecord>>, String>;
        fn visit<G: MatchBoard>(self) -> Self::Out {
            let AnalystMaker(job) = self;
            let positions = job.read::<G>().map_err(|error| error.to_string())?;
            let player = analyst::<G>(job.memory, job.weights, job.seed).map_err(|error| error.to_string())?;
            Ok(Box::new(PositionAnalyst { job: job.clone(), positions, player: Box::new(player) }))
        }
    }
    let job = job.clone();
    Box::new(move || job.game.visit(AnalystMaker(&job)))
}

impl<G: MatchBoard> UnitPlayer<AnalysisRecord> for PositionAnalyst<G> {
    fn play(&mut self, unit: u64, clock: &UnitClock<'_>) -> Result<AnalysisRecord, String> {
        let PositionAnalyst { job, positions, player } = self;
        let began = thread_seconds();
        let position = positions.at(unit).ok_or_else(|| format!("there is no position {unit}"))?;
        // What it knows of other positions would make the values depend on which worker has the unit.
        player.forget();
        player.set_level(job.level());
        G::prepare(player, &position, job.komi).map_err(|error| error.to_string())?;
        clock.begin();
        let mut time = || clock.seconds() / job.seconds;
        let (depth, nodes) = (job.depth.unwrap_or(u32::MAX), job.nodes.unwrap_or(u64::MAX));
        let most = job.best.and_then(|best| usize::try_from(best).ok()).unwrap_or(usize::MAX);
        let mut budget = Budget { depth, nodes, time: &mut time };
        let found = player.analyse(&position, most, &mut budget, &mut |_| {});
        if clock.is_stopped() {
            return Err("the analysis was stopped".to_owned());
        }
        let moves = found.iter().map(|chosen| AnalysedMove::of(&position, chosen)).collect();
        Ok(AnalysisRecord { moves, milliseconds: milliseconds_since(began) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::game::{Chosen, Game};
    use crate::games::go::large::position::LargePosition;
    use crate::jobs::setup::matches::stored_settings;
    use crate::runner::journal::MAX_RECORD;

    #[test]
    fn the_longest_outcome_can_be_stored() {
        let (empty, _) = LargePosition::begin(&stored_settings::<LargePosition>(
            &[("size".to_owned(), "19".to_owned())].into_iter().collect(),
        ))
        .unwrap();
        let mut moves = Vec::new();
        empty.moves(&mut moves);
        let found = |&m: &_| {
            let line = std::iter::repeat_n(m, 500).collect();
            let chosen = Chosen { line, value: -3610, decided_in: Some(1 << 20), depth: 1 << 20, nodes: u64::MAX };
            AnalysedMove::of(&empty, &chosen)
        };
        let record = AnalysisRecord { moves: moves.iter().map(found).collect(), milliseconds: u64::MAX };
        let bytes = postcard::to_stdvec(&record).unwrap().len();
        assert!(record.moves.len() == 362 && bytes < MAX_RECORD - 100, "{bytes}");
    }
}

//! Positions that are analysed, as a job's units: a player of this program tells what each move of one is worth.

use super::cpu::{milliseconds_since, thread_seconds};
use super::numbered::portable::{PlayedKind, PortableJob, RecordCheck};
use super::numbered::unit::{PlayerMaker, UnitClock, UnitPlayer};
use crate::core::game::{Budget, Level, Player};
use crate::jobs::analyse_settings::{MOST_POSITIONS, analyst};
use crate::jobs::analysing::{AnalyseJob, AnalysedMove, AnalysedPositions, AnalysisRecord};
use crate::jobs::setup::matches::{MatchBoard, MatchVisitor};
use crate::solvers::matches::own::MoveClock;

/// Memory of what a player has beside its table: a round estimate.
const REST: u64 = 16 << 20;

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

/// Whether an analysis tells of moves of its position, each once.
fn is_sound<G: MatchBoard>(job: &AnalyseJob, position: &G, record: &AnalysisRecord) -> bool {
    let (mut legal, mut told) = (Vec::new(), Vec::new());
    position.moves(&mut legal);
    let most = job.best.and_then(|best| usize::try_from(best).ok()).unwrap_or(usize::MAX).min(legal.len());
    record.moves.len() <= most
        && record.moves.iter().all(|found| {
            let first = found.chosen(position).and_then(|chosen| chosen.line.first().copied());
            let is_new = first.is_some_and(|m| legal.contains(&m) && !told.contains(&m));
            told.extend(first);
            is_new
        })
}

impl PortableJob for AnalyseJob {
    const KIND: PlayedKind = PlayedKind::Analyse;

    fn memory(&self) -> u64 {
        self.memory.saturating_add(REST)
    }

    /// Where nodes or plies decide how long a position takes, and not time.
    fn is_portable(&self, _unit: u64) -> bool {
        self.nodes.is_some() || self.depth.is_some()
    }

    fn most_seconds(&self) -> Option<f64> {
        Some(self.seconds)
    }

    fn validate(&self) -> Result<(), String> {
        struct SentPositionCounter<'a>(&'a AnalyseJob);
        impl MatchVisitor for SentPositionCounter<'_> {
            type Out = Result<u64, String>;
            fn visit<G: MatchBoard>(self) -> Self::Out {
                let positions = self.0.read::<G>().map_err(|why| why.to_string())?;
                Ok(positions.len())
            }
        }
        let AnalyseJob { count, level, seconds, nodes, .. } = self;
        let is_asked = (1..=MOST_POSITIONS).contains(count) && Level::new(*level).is_ok();
        let has_time = seconds.is_finite() && *seconds > 0.0;
        if !is_asked || !has_time || *nodes == Some(0) {
            return Err("no such positions are analysed".to_owned());
        }
        let found = self.game.visit(SentPositionCounter(self))?;
        if found == *count { Ok(()) } else { Err(format!("it has {found} positions, not {count}")) }
    }

    fn portable_players(&self) -> PlayerMaker<AnalysisRecord> {
        analysts(self)
    }

    /// The moves are those of the position. Whether their values are right is not looked at.
    fn checker(&self) -> Result<RecordCheck<AnalysisRecord>, String> {
        struct AnalysisCheckMaker<'a>(&'a AnalyseJob);
        impl MatchVisitor for AnalysisCheckMaker<'_> {
            type Out = Result<RecordCheck<AnalysisRecord>, String>;
            fn visit<G: MatchBoard>(self) -> Self::Out {
                let positions = self.0.read::<G>().map_err(|why| why.to_string())?;
                let job = self.0.clone();
                Ok(Box::new(move |unit, record, part| {
                    let position = positions.at(unit).ok_or_else(|| format!("there is no position {unit}"))?;
                    if part.is_none() && is_sound(&job, &position, record) {
                        Ok(())
                    } else {
                        Err("its moves are not those of its position".to_owned())
                    }
                }))
            }
        }
        self.game.visit(AnalysisCheckMaker(self))
    }

    fn timeless(record: AnalysisRecord) -> AnalysisRecord {
        AnalysisRecord { milliseconds: 0, ..record }
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

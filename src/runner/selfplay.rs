//! Games of a player against itself, as a job's units: one player makes the games of a unit, one after the other.

use super::cpu::{milliseconds_since, thread_seconds};
use super::numbered::unit::{PlayerMaker, UnitClock, UnitPlayer};
use crate::core::game::Side;
use crate::jobs::selfplay::{SelfplayBoard, SelfplayJob, SelfplayRecord, SelfplayVisitor, with_selfplay};
use crate::solvers::matches::own::MoveClock;

/// A player that learns.
struct SelfplayMaker<G: SelfplayBoard> {
    job: SelfplayJob,
    empty: G,
    learner: G::Learner,
}

/// Makes the players of a job.
pub fn learners(job: &SelfplayJob) -> PlayerMaker<SelfplayRecord> {
    struct LearnerMaker<'a>(&'a SelfplayJob);
    impl SelfplayVisitor for LearnerMaker<'_> {
        type Out = Result<Box<dyn UnitPlayer<SelfplayRecord>>, String>;
        fn visit<G: SelfplayBoard>(self) -> Self::Out {
            let (empty, _) = self.0.begin::<G>().map_err(|error| error.to_string())?;
            let learner = empty.learner(self.0).map_err(|error| error.to_string())?;
            Ok(Box::new(SelfplayMaker { job: self.0.clone(), empty, learner }))
        }
    }
    let job = job.clone();
    let none = "no player learns of this game";
    Box::new(move || with_selfplay(job.game, LearnerMaker(&job)).unwrap_or_else(|| Err(none.to_owned())))
}

impl<G: SelfplayBoard> UnitPlayer<SelfplayRecord> for SelfplayMaker<G> {
    fn play(&mut self, unit: u64, clock: &UnitClock<'_>) -> Result<SelfplayRecord, String> {
        let SelfplayMaker { job, empty, learner } = self;
        let began = thread_seconds();
        let mut record = SelfplayRecord { lines: Vec::new(), ends: [0; 3], plies: 0, milliseconds: 0 };
        for number in job.games_of(unit) {
            // Between two games it can pause, or end.
            clock.begin();
            if clock.is_stopped() {
                return Err("the games were stopped".to_owned());
            }
            let (line, made) = empty.make(learner, job, number).ok_or_else(|| {
                let (width, height) = empty.size();
                format!("no opening was found on the {width}x{height} board: it is too small")
            })?;
            record.lines.push(line);
            record.plies += made.moves.len() as u64;
            record.ends[match made.winner {
                Some(Side::First) => 0,
                None => 1,
                Some(Side::Second) => 2,
            }] += 1;
        }
        record.milliseconds = milliseconds_since(began);
        Ok(record)
    }
}

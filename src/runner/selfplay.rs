//! Games of a player against itself, as a job's units: one player makes the games of a unit, one after the other.

use super::cpu::{milliseconds_since, thread_seconds};
use super::numbered::portable::{PlayedKind, PortableJob, RecordCheck};
use super::numbered::unit::{PlayerMaker, UnitClock, UnitPlayer};
use crate::core::game::Side;
use crate::jobs::selfplay::{
    SELFPLAY_MEMORY, SelfplayBoard, SelfplayJob, SelfplayRecord, SelfplayVisitor, with_selfplay,
};
use crate::jobs::selfplay_settings::{DEPTHS, MOST_GAMES};
use crate::solvers::matches::own::MoveClock;

/// Memory of what a player has beside its table: a round estimate.
const REST: u64 = 16 << 20;
/// What is said of a game that this program does not know.
const UNKNOWN: &str = "no player learns of this game";

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
    Box::new(move || with_selfplay(job.game, LearnerMaker(&job)).unwrap_or_else(|| Err(UNKNOWN.to_owned())))
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
            record.ends[place_of(made.winner)] += 1;
        }
        record.milliseconds = milliseconds_since(began);
        Ok(record)
    }
}

/// Where a record counts games with this end.
fn place_of(winner: Option<Side>) -> usize {
    match winner {
        Some(Side::First) => 0,
        None => 1,
        Some(Side::Second) => 2,
    }
}

/// Whether the lines of a unit are games of its numbers that can be played, and its figures are theirs.
fn check_lines<G: SelfplayBoard>(
    empty: &G,
    job: &SelfplayJob,
    unit: u64,
    record: &SelfplayRecord,
) -> Result<(), String> {
    let (numbers, mut ends, mut plies) = (job.games_of(unit), [0; 3], 0);
    if numbers.end - numbers.start != record.lines.len() as u64 {
        return Err(format!("it has {} games", record.lines.len()));
    }
    for (number, line) in numbers.zip(&record.lines) {
        let made = empty.read(line, number).map_err(|why| format!("game {number}: {why}"))?;
        plies += made.moves.len() as u64;
        ends[place_of(made.winner)] += 1;
    }
    if (ends, plies) == (record.ends, record.plies) {
        Ok(())
    } else {
        Err("its figures are not those of its games".to_owned())
    }
}

impl PortableJob for SelfplayJob {
    const KIND: PlayedKind = PlayedKind::Selfplay;

    fn memory(&self) -> u64 {
        SELFPLAY_MEMORY + REST
    }

    fn validate(&self) -> Result<(), String> {
        let SelfplayJob { games, nodes, depth, .. } = self;
        if !(1..=MOST_GAMES).contains(games) || *nodes == 0 || !DEPTHS.contains(&u64::from(*depth)) {
            return Err("no such games are made".to_owned());
        }
        self.board().map(drop).map_err(|why| why.to_string())
    }

    fn portable_players(&self) -> PlayerMaker<SelfplayRecord> {
        learners(self)
    }

    /// Every move is replayed by the rules. Whether the player would have made it is not looked at.
    fn checker(&self) -> Result<RecordCheck<SelfplayRecord>, String> {
        struct GamesCheckMaker<'a>(&'a SelfplayJob);
        impl SelfplayVisitor for GamesCheckMaker<'_> {
            type Out = Result<RecordCheck<SelfplayRecord>, String>;
            fn visit<G: SelfplayBoard>(self) -> Self::Out {
                let (empty, _) = self.0.begin::<G>().map_err(|why| why.to_string())?;
                let job = self.0.clone();
                Ok(Box::new(move |unit, record, part| match part {
                    None => check_lines(&empty, &job, unit, record),
                    Some(_) => Err("games leave nothing beside their lines".to_owned()),
                }))
            }
        }
        with_selfplay(self.game, GamesCheckMaker(self)).unwrap_or_else(|| Err(UNKNOWN.to_owned()))
    }

    fn timeless(record: SelfplayRecord) -> SelfplayRecord {
        SelfplayRecord { milliseconds: 0, ..record }
    }
}

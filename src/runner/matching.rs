//! Pairs of games of a match, as a job's units: two players of this program play them.

use super::cpu::thread_seconds;
use super::numbered::unit::{PlayerMaker, UnitClock, UnitPlayer};
use crate::core::game::Game;
use crate::jobs::match_settings::JOB_MEANS;
use crate::jobs::matching::{GameRecord, MatchJob, PairRecord};
use crate::jobs::setup::matches::{MatchBoard, MatchVisitor};
use crate::solvers::matches::own::{JUDGE_MEMORY, OwnSide};
use crate::solvers::matches::{PlayedGame, after, play_game, play_pair};

/// Two players, and what judges openings.
struct MatchPair<G: MatchBoard> {
    job: MatchJob,
    empty: G,
    sides: [OwnSide<G>; 2],
    judge: G::Own,
}

/// Makes the players of a match.
pub fn players(job: &MatchJob) -> PlayerMaker<PairRecord> {
    struct PairMaker<'a>(&'a MatchJob);
    impl MatchVisitor for PairMaker<'_> {
        type Out = Result<Box<dyn UnitPlayer<PairRecord>>, String>;
        fn visit<G: MatchBoard>(self) -> Self::Out {
            let pair = MatchPair::<G>::new(self.0).map_err(|error| error.to_string())?;
            Ok(Box::new(pair))
        }
    }
    let job = job.clone();
    Box::new(move || job.game.visit(PairMaker(&job)))
}

impl<G: MatchBoard> MatchPair<G> {
    fn new(job: &MatchJob) -> Result<MatchPair<G>, crate::core::setting::BadValue> {
        let (empty, _) = job.begin::<G>()?;
        let [a, b] = &job.players;
        let sides = [OwnSide::named(a, JOB_MEANS)?, OwnSide::named(b, JOB_MEANS)?];
        let mut judge = G::own_player(JUDGE_MEMORY)?;
        G::prepare(&mut judge, &empty, job.komi)?;
        Ok(MatchPair { job: job.clone(), empty, sides, judge })
    }
}

/// A game as it is stored.
fn stored<G: Game>(game: &G, played: &PlayedGame<G::Move>) -> GameRecord {
    let moves = played.moves.iter().map(|&m| game.code(m)).collect();
    GameRecord { moves, half_points: played.half_points, failure: played.failure.clone() }
}

impl<G: MatchBoard> UnitPlayer<PairRecord> for MatchPair<G> {
    fn play(&mut self, unit: u64, clock: &UnitClock<'_>) -> Result<PairRecord, String> {
        let MatchPair { job, empty, sides: [a, b], judge } = self;
        let began = thread_seconds();
        let opening = G::opening(judge, empty, job.seed, unit).ok_or_else(|| {
            let (width, height) = empty.size();
            format!("no even opening was found on the {width}x{height} board: it is too small for a match")
        })?;
        let (limit, komi) = (job.per_move(), job.komi);
        let played = play_pair(opening, |opening, black| {
            let start = after(empty, opening);
            for side in [&mut *a, &mut *b] {
                side.prepare(&start, komi).map_err(|error| error.to_string())?;
            }
            let (mut one, mut other) = (a.seated(limit, clock), b.seated(limit, clock));
            Ok::<_, String>(play_game::<G>([&mut one, &mut other], black, (&start, komi)))
        })?;
        let seconds = thread_seconds().zip(began).map_or(0.0, |(now, began)| now - began);
        Ok(PairRecord {
            opening: played.opening.iter().map(|&m| empty.code(m)).collect(),
            games: [stored(empty, &played.games[0]), stored(empty, &played.games[1])],
            nodes: a.take_visited().saturating_add(b.take_visited()),
            milliseconds: (seconds * 1e3).round() as u64,
        })
    }
}

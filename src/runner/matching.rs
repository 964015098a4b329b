//! Pairs of games of a match, as a job's units: two players of this program play them.

use super::cpu::thread_seconds;
use super::numbered::portable::{PlayedKind, PortableJob, RecordCheck};
use super::numbered::unit::{PlayerMaker, UnitClock, UnitPlayer};
use crate::core::game::Game;
use crate::jobs::match_settings::{JOB_MEANS, MOST_PAIRS};
use crate::jobs::matching::{GameRecord, MatchJob, PairRecord};
use crate::jobs::setup::matches::{MatchBoard, MatchVisitor};
use crate::solvers::matches::own::{JUDGE_MEMORY, OwnSide, PLAYER_MEMORY};
use crate::solvers::matches::{PlayedGame, after, play_game, play_pair};

/// Memory of what a player has beside its table: a round estimate.
const REST: u64 = 16 << 20;

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

/// Plays a move by its code, if it is legal.
fn play<G: Game>(position: &mut G, code: u16) -> Option<()> {
    let mut legal = Vec::new();
    position.moves(&mut legal);
    let m = position.decode(code).filter(|m| legal.contains(m))?;
    position.play(m);
    Some(())
}

/// Whether a game can be played from a position to its end, and has the points that it says; `black` is the side that
/// has black, 0 for A.
fn is_sound<G: MatchBoard>(job: &MatchJob, start: &G, black: usize, game: &GameRecord) -> bool {
    let (mut position, mut legal) = (start.clone(), Vec::new());
    if game.failure.is_some() || game.moves.iter().any(|&code| play(&mut position, code).is_none()) {
        return false;
    }
    position.moves(&mut legal);
    let half_points = match position.black_value().map_or(0, |value| value - job.komi).signum() {
        0 => 1,
        sign => 2 * u8::from((sign > 0) == (black == 0)),
    };
    legal.is_empty() && half_points == game.half_points
}

impl PortableJob for MatchJob {
    const KIND: PlayedKind = PlayedKind::Match;

    fn memory(&self) -> u64 {
        2 * (PLAYER_MEMORY + REST) + JUDGE_MEMORY
    }

    /// Where nodes decide how long a move takes, and not time.
    fn is_portable(&self, _unit: u64) -> bool {
        self.nodes.is_some() && !self.players.iter().any(|name| name.contains("time="))
    }

    fn most_seconds(&self) -> Option<f64> {
        Some(self.seconds)
    }

    fn validate(&self) -> Result<(), String> {
        struct PairSidesCheck<'a>(&'a MatchJob);
        impl MatchVisitor for PairSidesCheck<'_> {
            type Out = Result<(), String>;
            fn visit<G: MatchBoard>(self) -> Self::Out {
                let PairSidesCheck(job) = self;
                let checked = job.begin::<G>().and_then(|(empty, _)| {
                    let mut names = job.players.iter();
                    names.try_for_each(|name| OwnSide::<G>::named(name, JOB_MEANS)?.prepare(&empty, job.komi))
                });
                checked.map_err(|why| why.to_string())
            }
        }
        let MatchJob { pairs, seconds, nodes, .. } = self;
        let has_time = seconds.is_finite() && *seconds > 0.0;
        if !(1..=MOST_PAIRS).contains(pairs) || !has_time || *nodes == Some(0) {
            return Err("no such match is played".to_owned());
        }
        self.game.visit(PairSidesCheck(self))
    }

    fn portable_players(&self) -> PlayerMaker<PairRecord> {
        players(self)
    }

    /// Every move is replayed by the rules. Whether the players would have made it is not looked at.
    fn checker(&self) -> Result<RecordCheck<PairRecord>, String> {
        struct PairCheckMaker<'a>(&'a MatchJob);
        impl MatchVisitor for PairCheckMaker<'_> {
            type Out = Result<RecordCheck<PairRecord>, String>;
            fn visit<G: MatchBoard>(self) -> Self::Out {
                let (empty, _) = self.0.begin::<G>().map_err(|why| why.to_string())?;
                let job = self.0.clone();
                Ok(Box::new(move |_, pair, part| {
                    let mut start = empty.clone();
                    let opened = pair.opening.iter().try_for_each(|&code| play(&mut start, code));
                    let are_sound = [0, 1].iter().all(|&black| is_sound(&job, &start, black, &pair.games[black]));
                    if opened.is_some() && are_sound && part.is_none() {
                        Ok(())
                    } else {
                        Err("its games cannot be played".to_owned())
                    }
                }))
            }
        }
        self.game.visit(PairCheckMaker(self))
    }

    fn timeless(record: PairRecord) -> PairRecord {
        PairRecord { milliseconds: 0, ..record }
    }
}

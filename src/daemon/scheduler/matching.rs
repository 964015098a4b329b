//! Matches as the scheduler runs them: jobs of numbered units, each a pair of games.

use super::kind::{JobFacts, JobResults};
use super::numbered::NumberedKind;
use crate::core::elo::{EloEstimate, decision_bound};
use crate::daemon::records::JobStanding;
use crate::daemon::view::{MatchGameView, MatchPoint, MatchStatisticsView, MatchTestView, MatchView, StatisticsView};
use crate::jobs::matching::{MatchFigures, MatchJob, MatchTally, PairRecord};
use crate::jobs::numbered::NumberedProgress;
use crate::jobs::setup::matches::{MatchBoard, MatchVisitor};
use crate::runner::matching::players;
use crate::runner::numbered::outcomes;
use crate::runner::numbered::portable::{PlayedElsewhere, PortableJob, packed_job};
use crate::runner::numbered::session::NumberedStanding;
use crate::runner::numbered::unit::PlayerMaker;
use crate::solvers::matches::game_tags;
use std::path::Path;
use std::sync::Arc;

/// The title of a match, and the columns and rows of its board.
fn board(job: &MatchJob) -> Result<(String, (u8, u8)), String> {
    struct BoardVisitor<'a>(&'a MatchJob);
    impl MatchVisitor for BoardVisitor<'_> {
        type Out = Result<(String, (u8, u8)), String>;
        fn visit<G: MatchBoard>(self) -> Self::Out {
            let (empty, title) = self.0.begin::<G>().map_err(|error| error.to_string())?;
            Ok((title, empty.size()))
        }
    }
    job.game.visit(BoardVisitor(job))
}

impl NumberedKind for MatchJob {
    type Point = MatchPoint;

    fn players(&self, _folder: &Path) -> PlayerMaker<PairRecord> {
        players(self)
    }

    fn elsewhere(&self) -> Option<Arc<dyn PlayedElsewhere<PairRecord>>> {
        packed_job(self)
    }

    fn memory_of_worker(&self) -> u64 {
        PortableJob::memory(self)
    }

    fn first_facts(&self) -> Result<JobFacts, String> {
        Ok(JobFacts { seed: Some(self.seed), ..JobFacts::default() })
    }

    fn show(&self, tally: &MatchTally, units: &NumberedProgress, standing: &mut JobStanding) -> Result<(), String> {
        let (title, (width, height)) = board(self)?;
        let MatchFigures { games: [won, drawn, lost], pairs, score, elo, test } = tally.figures();
        let EloEstimate { elo, interval: (low, high) } = elo;
        let [a, b] = self.players.clone();
        standing.matched = Some(MatchView {
            game: self.game.text().to_owned(),
            title,
            width,
            height,
            a,
            b,
            pairs: self.pairs,
            pairs_done: units.done,
            pairs_counted: units.counted,
            won,
            drawn,
            lost,
            pair_scores: pairs,
            score,
            elo,
            elo_interval: [low, high],
            test: test.map(|test| MatchTestView {
                elo0: test.hypotheses.0,
                elo1: test.hypotheses.1,
                log_likelihood_ratio: test.ratio,
                bound: decision_bound(),
                decision: test.text().to_owned(),
            }),
            cpu_seconds: units.cpu,
        });
        Ok(())
    }

    fn point(&self, now: &NumberedStanding<MatchJob>) -> MatchPoint {
        let MatchFigures { elo: EloEstimate { elo, interval: (low, high) }, test, .. } = now.tally.figures();
        MatchPoint {
            seconds: (now.progress.seconds * 1000.0).round() / 1000.0,
            pairs: now.units.counted,
            elo,
            elo_interval: [low, high],
            log_likelihood_ratio: test.map(|test| test.ratio),
        }
    }

    fn course(course: Vec<MatchPoint>, statistics: &mut StatisticsView) {
        statistics.matched = Some(MatchStatisticsView { course });
    }

    fn outcomes_shown(&self, folder: &Path, from: u64, most: usize) -> Result<JobResults, String> {
        struct GamesVisitor<'a>(&'a MatchJob, Vec<(u64, usize, PairRecord)>);
        impl MatchVisitor for GamesVisitor<'_> {
            type Out = Result<Vec<MatchGameView>, String>;
            fn visit<G: MatchBoard>(self) -> Self::Out {
                let (empty, _) = self.0.begin::<G>().map_err(|error| error.to_string())?;
                self.1.iter().map(|(number, black, pair)| view(self.0, &empty, *number, *black, pair)).collect()
            }
        }
        let pairs = outcomes::<MatchJob>(folder).map_err(|error| error.to_string())?;
        let games = pairs.into_iter().flat_map(|(pair, record)| [0, 1].map(|black| (pair, black, record.clone())));
        let games = games.map(|(pair, black, record)| (2 * pair + black as u64, black, record));
        let games = games.filter(|(number, ..)| *number >= from).take(most).collect();
        self.game.visit(GamesVisitor(self, games)).map(JobResults::Games)
    }
}

/// A game of a pair, in which A (0) or B (1) has black.
fn view<G: MatchBoard>(
    job: &MatchJob,
    empty: &G,
    number: u64,
    black: usize,
    pair: &PairRecord,
) -> Result<MatchGameView, String> {
    let game = &pair.games[black];
    let (mut position, mut moves, mut names, mut legal) = (empty.clone(), Vec::new(), Vec::new(), Vec::new());
    for &code in pair.opening.iter().chain(&game.moves) {
        legal.clear();
        position.moves(&mut legal);
        let m = position.decode(code).filter(|m| legal.contains(m));
        let m = m.ok_or_else(|| format!("move {} of game {number} is not legal", moves.len() + 1))?;
        names.push(position.name(m));
        position.play(m);
        moves.push(m);
    }
    let winner = match game.half_points {
        0 => "b",
        1 => "draw",
        _ => "a",
    };
    let tags = game_tags(&job.players, black, job.komi, game.half_points, game.failure.is_some());
    Ok(MatchGameView {
        number,
        black: ["a", "b"][black].to_owned(),
        winner: winner.to_owned(),
        failure: game.failure.clone(),
        opening: pair.opening.len() as u32,
        moves: names,
        text: position.saved(empty, &moves, &tags),
        saved_as: position.saved_as().to_owned(),
        line: None,
    })
}

//! Weights that are learned from games, as a job's units: the games are gathered in the job's folder when it begins,
//! so that what becomes of the jobs that made them changes nothing.

use super::cpu::{milliseconds_since, thread_seconds};
use super::numbered::outcomes;
use super::numbered::parts::{read_part, write_part};
use super::numbered::unit::{PlayerMaker, UnitClock, UnitPlayer};
use crate::files::{FileError, Keep, replace};
use crate::games::reversi::weights::PatternWeights;
use crate::jobs::numbered::NumberedJob;
use crate::jobs::selfplay::SelfplayJob;
use crate::jobs::setup::matches::MatchGameName;
use crate::jobs::tuning::{FittedPart, PartLoss, TuneJob, TuneRecord, TuneSource, TuneSubject};
use crate::runner::numbered::NumberedError;
use crate::solvers::gomoku::learning::choices::{Choices, OrderFit};
use crate::solvers::gomoku::learning::fit::{Fit, UNITS, best_units, loss};
use crate::solvers::gomoku::learning::network::{NetworkCollector, NetworkCourse, with_network};
use crate::solvers::gomoku::learning::sample::GomokuCollector;
use crate::solvers::gomoku::lines::codes::MoveCodes;
use crate::solvers::learning::{FEWEST, FitLoss, GameCollector, GamesFile, LearnedFrom};
use crate::solvers::matches::own::MoveClock;
use crate::solvers::reversi::learning::fit::{
    FittedStage, PartSum, ReversiCollector, ReversiSample, errors, fit_stage,
};
use crate::solvers::reversi::learning::labels::{Labeller, TOGETHER};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Name of the file with the weights in the job's folder.
pub const WEIGHTS: &str = "weights";

/// Why a job cannot learn.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The games of a job cannot be read.
    #[error("the games of job {0} cannot be read: {1}")]
    Games(u64, NumberedError),
    /// A job has made no games, or is not there any more.
    #[error("job {0} has no games")]
    NoGames(u64),
    /// A job is not one that this program knows.
    #[error("job {0}: {1}")]
    Unknown(u64, String),
}

/// The file with the games of a job in the folder of one that learns from them.
fn games_file(folder: &Path, job: u64) -> PathBuf {
    folder.join(format!("games-{job}"))
}

/// Writes the games of all sources into the job's folder, as files that `morpion tune` reads: of each the games up to
/// the first one that is not made. Once a part of the fit is done (`begun`) they stay as they are, and so do those
/// of a job that is not there any more. `folder_of` names the folder of a job.
///
/// # Errors
/// A job without games, or a file that cannot be read or written.
pub fn gather(
    job: &TuneJob,
    folder: &Path,
    begun: bool,
    folder_of: &dyn Fn(u64) -> PathBuf,
) -> Result<(), TuneError> {
    for TuneSource { job, made } in &job.sources {
        let path = games_file(folder, *job);
        let is_there = path.exists();
        if is_there && begun {
            continue;
        }
        let units = outcomes::<SelfplayJob>(&folder_of(*job)).map_err(|error| TuneError::Games(*job, error))?;
        let whole = (0..).zip(&units).take_while(|(number, (unit, _))| number == unit);
        let lines: Vec<&str> = whole.flat_map(|(_, (_, record))| record.lines.iter().map(String::as_str)).collect();
        if lines.is_empty() && is_there {
            continue;
        }
        if lines.is_empty() {
            return Err(TuneError::NoGames(*job));
        }
        let head = made.board().map_err(|why| TuneError::Unknown(*job, why.0))?.head;
        let text = [&[head.as_str()], &lines[..]].concat().join("\n") + "\n";
        replace(&path, text.as_bytes(), Keep::Durable)?;
    }
    Ok(())
}

/// The positions that are learned from, and the number of games of each source.
struct LearnedGames<C> {
    collected: C,
    games: Vec<u64>,
}

impl<C: GameCollector> LearnedGames<C> {
    /// Lets a collector read the games that were gathered, unless `stop` says to stop.
    fn read(
        mut collected: C,
        job: &TuneJob,
        folder: &Path,
        stop: &dyn Fn() -> bool,
    ) -> Result<LearnedGames<C>, String> {
        let mut games = Vec::new();
        for source in &job.sources {
            let path = games_file(folder, source.job);
            let said = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
            let file = File::open(&path).map_err(|error| said(&error))?;
            let mut lines = BufReader::new(file).lines();
            let first = lines.next().ok_or_else(|| said(&"it is empty"))?.map_err(|error| said(&error))?;
            let head = C::File::read(&first).map_err(|error| said(&error))?;
            collected.begin(&head).map_err(|why| said(&why))?;
            let mut count = 0;
            for line in lines {
                if stop() {
                    return Err("the fit was stopped".to_owned());
                }
                let line = line.map_err(|error| said(&error))?;
                collected.add(&head.read_game(&line, count).map_err(|error| said(&error))?);
                count += 1;
            }
            games.push(count);
        }
        Ok(LearnedGames { collected, games })
    }
}

/// The positions of a job, which all its workers share.
type SharedGames<C> = Arc<Mutex<Option<Arc<LearnedGames<C>>>>>;

/// Takes positions that are read once, whoever is first, by a collector that `new` makes.
fn shared<C: GameCollector>(
    games: &SharedGames<C>,
    (job, folder): (&TuneJob, &Path),
    new: impl FnOnce() -> Result<C, String>,
    clock: &UnitClock<'_>,
    positions: impl Fn(&C) -> usize,
) -> Result<Arc<LearnedGames<C>>, String> {
    // Nothing pauses here, for others wait for the lock.
    let mut games = games.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(games) = &*games {
        return Ok(Arc::clone(games));
    }
    let read = Arc::new(LearnedGames::read(new()?, job, folder, &|| clock.is_stopped())?);
    let found = positions(&read.collected) as u64;
    if found < FEWEST {
        return Err(format!("{found} positions are too few: at least {FEWEST} are needed"));
    }
    *games = Some(Arc::clone(&read));
    Ok(read)
}

/// Makes what fits the weights of a job in this folder.
pub fn tuners(job: &TuneJob, folder: &Path) -> PlayerMaker<TuneRecord> {
    let (job, folder) = (job.clone(), folder.to_owned());
    let (gomoku, reversi) = (SharedGames::<GomokuCollector>::default(), SharedGames::<ReversiCollector>::default());
    let network = SharedGames::<NetworkCollector>::default();
    let searched = SearchedSamples::default();
    Box::new(move || {
        let (job, folder) = (job.clone(), folder.clone());
        Ok(match (job.game, job.learn) {
            (MatchGameName::Reversi, _) => {
                let (games, searched) = (Arc::clone(&reversi), Arc::clone(&searched));
                Box::new(ReversiTuner { job, folder, games, searched })
            }
            (_, TuneSubject::Weights) => Box::new(GomokuTuner { job, folder, games: Arc::clone(&gomoku) }),
            (_, TuneSubject::Network) => Box::new(NetworkTuner { job, folder, games: Arc::clone(&network) }),
        })
    })
}

/// Makes steps of a fit of Gomoku.
struct GomokuTuner {
    job: TuneJob,
    folder: PathBuf,
    games: SharedGames<GomokuCollector>,
}

impl UnitPlayer<TuneRecord> for GomokuTuner {
    fn play(&mut self, unit: u64, clock: &UnitClock<'_>) -> Result<TuneRecord, String> {
        let GomokuTuner { job, folder, games } = self;
        let began = thread_seconds();
        clock.begin();
        let games = shared(
            games,
            (job, folder),
            || Ok(GomokuCollector::default()),
            clock,
            |collected| collected.samples.len(),
        )?;
        let GomokuCollector { samples, choices, .. } = &games.collected;
        let codes = games.collected.codes().ok_or("there are no games")?;
        let before = job.line_weights();
        let (fit, order) =
            (Fit::new(samples, codes, job.gomoku_fit()), OrderFit::new(choices, codes, job.gomoku_fit()));
        let steps = job.steps_of(unit);
        let (mut evaluated, mut ordered) =
            match unit.checked_sub(1).map(|last| read_part(folder, last)).transpose()? {
                Some(FittedPart::GomokuWithOrder { evaluation, order }) => (evaluation, order),
                // Versions before the order was learned have left it: this unit makes the steps before its own, too.
                None | Some(FittedPart::Gomoku(_)) => (fit.begin(), order.begin()),
                Some(FittedPart::Reversi(_) | FittedPart::ReversiSearched(_) | FittedPart::GomokuNetwork(_)) => {
                    return Err(format!("part {unit} continues from one of another fit"));
                }
            };
        let is_known = evaluated.step == 0 || evaluated.step == steps.start;
        if !is_known || ordered.step != evaluated.step || !fit.has(&evaluated) || !order.has(&ordered) {
            return Err(format!("the fit is at step {} where step {} is expected", evaluated.step, steps.start));
        }
        while evaluated.step < steps.end {
            let mut stops = || clock.stops();
            if !fit.step(&mut evaluated, &mut stops) || !order.step(&mut ordered, &mut stops) {
                return Err("the fit was stopped".to_owned());
            }
        }
        let is_last = steps.end == job.steps;
        let known = (unit == 0).then(|| loss(samples, &before, codes, best_units(samples, &before, codes)));
        let after = is_last.then(|| loss(samples, &fit.weights(&evaluated, order.order(&ordered)), codes, UNITS));
        let positions = samples.len() as u64;
        let part = PartLoss { at: evaluated.step, positions, loss: fit.loss(&evaluated) };
        write_part(folder, unit, &FittedPart::GomokuWithOrder { evaluation: evaluated, order: ordered })?;
        Ok(TuneRecord {
            games: games.games.clone(),
            positions,
            steps: u64::from(steps.end - steps.start),
            part,
            before: known,
            after,
            errors: None,
            milliseconds: milliseconds_since(began),
        })
    }
}

/// Makes passes of the fit of a network for Gomoku.
struct NetworkTuner {
    job: TuneJob,
    folder: PathBuf,
    games: SharedGames<NetworkCollector>,
}

impl UnitPlayer<TuneRecord> for NetworkTuner {
    fn play(&mut self, unit: u64, clock: &UnitClock<'_>) -> Result<TuneRecord, String> {
        let NetworkTuner { job, folder, games } = self;
        let began = thread_seconds();
        clock.begin();
        let new = || NetworkCollector::new(job.line_weights()).map_err(|error| error.to_string());
        let games = shared(games, (job, folder), new, clock, NetworkCollector::positions)?;
        let (collected, settings, passes) = (&games.collected, job.network_fit(), job.steps_of(unit));
        let mut course = match unit.checked_sub(1).map(|last| read_part(folder, last)).transpose()? {
            None => NetworkCourse::new(collected, settings),
            Some(FittedPart::GomokuNetwork(state)) if state.pass == passes.start => {
                let course = NetworkCourse::resumed(collected, settings, &state);
                course.ok_or_else(|| format!("part {unit} continues from one of another network"))?
            }
            Some(_) => return Err(format!("part {unit} does not continue from the end of the one before")),
        };
        while course.passes() < passes.end {
            if !course.pass(&mut || clock.stops()) {
                return Err("the fit was stopped".to_owned());
            }
        }
        let is_last = passes.end == job.steps;
        let positions = collected.positions() as u64;
        let part = PartLoss { at: course.passes(), positions, loss: course.loss() };
        let before = (unit == 0).then(|| collected.loss(None));
        let after = is_last.then(|| collected.loss(Some(&course.network())));
        write_part(folder, unit, &FittedPart::GomokuNetwork(course.state()))?;
        Ok(TuneRecord {
            games: games.games.clone(),
            positions,
            steps: u64::from(passes.end - passes.start),
            part,
            before,
            after,
            errors: None,
            milliseconds: milliseconds_since(began),
        })
    }
}

/// The positions of Reversi with what searches say of them, which all workers share.
type SearchedSamples = Arc<Mutex<Option<Arc<Vec<ReversiSample>>>>>;

/// Searches positions of Reversi, and fits stages.
struct ReversiTuner {
    job: TuneJob,
    folder: PathBuf,
    games: SharedGames<ReversiCollector>,
    searched: SearchedSamples,
}

impl ReversiTuner {
    /// What searches say of the positions of a unit.
    fn search(&self, samples: &[ReversiSample], unit: u64, clock: &UnitClock<'_>) -> Result<Vec<f32>, String> {
        let mut asked = samples[self.job.searched_by(unit, samples.len())].to_vec();
        let labeller = Labeller::new(PatternWeights::usual(), self.job.search);
        let mut labeller = labeller.map_err(|error| error.to_string())?;
        if asked.chunks_mut(TOGETHER).all(|together| labeller.label(together, &|| clock.stops())) {
            Ok(asked.iter().map(|sample| sample.worth).collect())
        } else {
            Err("the search was stopped".to_owned())
        }
    }

    /// The positions with what the units before have found, read once, whoever is first.
    fn searched(&self, samples: &[ReversiSample]) -> Result<Arc<Vec<ReversiSample>>, String> {
        let mut shared = self.searched.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(searched) = &*shared {
            return Ok(Arc::clone(searched));
        }
        let mut searched = samples.to_vec();
        for unit in 0..self.job.searches() {
            let of_unit = &mut searched[self.job.searched_by(unit, samples.len())];
            match read_part(&self.folder, unit)? {
                FittedPart::ReversiSearched(worths) if worths.len() == of_unit.len() => {
                    of_unit.iter_mut().zip(worths).for_each(|(sample, worth)| sample.worth = worth);
                }
                _ => return Err(format!("part {unit} is not of {} positions that were searched", of_unit.len())),
            }
        }
        let searched = Arc::new(searched);
        *shared = Some(Arc::clone(&searched));
        Ok(searched)
    }
}

impl UnitPlayer<TuneRecord> for ReversiTuner {
    fn play(&mut self, unit: u64, clock: &UnitClock<'_>) -> Result<TuneRecord, String> {
        let ReversiTuner { job, folder, games, .. } = &*self;
        let began = thread_seconds();
        clock.begin();
        let games = shared(
            games,
            (job, folder),
            || Ok(ReversiCollector::default()),
            clock,
            |collected| collected.samples.len(),
        )?;
        let (samples, positions) = (&games.collected.samples, games.collected.samples.len() as u64);
        let Some(stage) = unit.checked_sub(job.searches()) else {
            let worths = self.search(samples, unit, clock)?;
            let part = PartLoss { at: 0, positions: worths.len() as u64, loss: FitLoss::default() };
            write_part(folder, unit, &FittedPart::ReversiSearched(worths))?;
            let (games, milliseconds) = (games.games.clone(), milliseconds_since(began));
            return Ok(TuneRecord {
                games,
                positions,
                steps: 0,
                part,
                before: None,
                after: None,
                errors: None,
                milliseconds,
            });
        };
        let searched = if job.search > 0 { Some(self.searched(samples)?) } else { None };
        let samples = searched.as_ref().map_or(samples, |searched| &**searched);
        let stage = usize::try_from(stage).map_err(|_| format!("there is no stage {stage}"))?;
        let one = |parts: usize, sum: &PartSum<'_>| (0..parts).map(sum).collect();
        let fitted = fit_stage(samples, stage, job.reversi_fit(), &one, &|| clock.stops());
        if clock.is_stopped() {
            return Err("the fit was stopped".to_owned());
        }
        let errors = errors(samples, &FittedStage::joined(std::slice::from_ref(&fitted)), Some(stage));
        let part = PartLoss { at: stage as u32, positions: errors.positions(), loss: errors.loss() };
        write_part(folder, unit, &FittedPart::Reversi(fitted))?;
        Ok(TuneRecord {
            games: games.games.clone(),
            positions,
            steps: job.steps.into(),
            part,
            before: None,
            after: None,
            errors: Some(errors),
            milliseconds: milliseconds_since(began),
        })
    }
}

/// The file of the weights that the parts of a fit in the job's folder come to; `last` has the figures of the last
/// one, `loss` is that of all.
///
/// # Errors
/// If a part is missing or damaged.
pub fn learned(
    job: &TuneJob,
    folder: &Path,
    last: &TuneRecord,
    loss: FitLoss,
    date: &str,
) -> Result<Vec<u8>, String> {
    let heads = job.sources.iter().map(|source| source.made.board().map(|board| board.head));
    let heads = heads.collect::<Result<Vec<String>, _>>().map_err(|why| why.to_string())?;
    let files: Vec<(u64, String)> = last.games.iter().copied().zip(heads).collect();
    let fit = job.fit();
    let measure = if job.game == MatchGameName::Reversi { ("error", 3) } else { ("loss", 4) };
    let about = LearnedFrom { date, files: &files, positions: last.positions, fit: &fit, measure, loss }.text();
    let units = job.units();
    if job.game != MatchGameName::Reversi && job.learn == TuneSubject::Network {
        let network = match read_part(folder, units.saturating_sub(1))? {
            FittedPart::GomokuNetwork(state) if state.pass == job.steps => state.network(),
            _ => None,
        };
        let network = network.ok_or("its last part is not the end of the fit")?;
        return Ok(with_network(job.line_weights(), network).to_text(&about).into_bytes());
    }
    if job.game != MatchGameName::Reversi {
        let (codes, choices) = (MoveCodes::new(), Choices::default());
        let (fit, fit_order) =
            (Fit::new(&[], &codes, job.gomoku_fit()), OrderFit::new(&choices, &codes, job.gomoku_fit()));
        return match read_part(folder, units.saturating_sub(1))? {
            FittedPart::GomokuWithOrder { evaluation, order }
                if evaluation.step == job.steps && fit.has(&evaluation) && fit_order.has(&order) =>
            {
                Ok(fit.weights(&evaluation, fit_order.order(&order)).to_text(&about).into_bytes())
            }
            _ => Err("its last part is not the end of the fit".to_owned()),
        };
    }
    let mut stages = Vec::new();
    for unit in job.searches()..units {
        match read_part(folder, unit)? {
            FittedPart::Reversi(fitted) => stages.push(fitted),
            _ => return Err(format!("part {unit} is no stage of Reversi")),
        }
    }
    let mut weights = FittedStage::joined(&stages);
    weights.about = about;
    Ok(weights.to_bytes())
}

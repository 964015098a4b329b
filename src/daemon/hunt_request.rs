//! Requests for hunts: the settings, the position and the grids of a request become a hunt.

use super::kinds::{JobWork, PreparedJob};
use super::view::{JobLimits, JobRequest, StartGrid};
use crate::jobs::hunt::Job;
use crate::jobs::hunt_settings::{HuntSettings, HuntStart, PreparedHunt, shown};
use crate::jobs::reading::{from_json, read};
use crate::morpion::geometry::Move;
use crate::morpion::referee;
use crate::morpion::start::Start;
use crate::morpion::variant::Variant;
use crate::notation::format::{ChosenBy, read as read_grid};
use crate::notation::grid::Grid;

/// Flags of `morpion hunt` that are for the command line only: those that name files, and those that say what a
/// terminal shows.
const REFUSED: [&str; 8] = ["config", "directory", "dir", "init_file", "init_dir", "quiet", "json", "checkpoint"];
/// Most grids of a request.
const MOST_GRIDS: usize = 1000;

/// What a request for a hunt comes to on a daemon with so many workers; `seed` is used if it names none.
///
/// # Errors
/// If it makes no sense: what is wrong, where, and what would be right.
pub fn prepare(request: &JobRequest, workers: u32, seed: u64) -> Result<PreparedJob, String> {
    if let Some(key) = request.settings.keys().find(|key| REFUSED.contains(&key.replace('-', "_").as_str())) {
        return Err(format!(
            "settings: {key} is for the command line only: grids are sent as text in start and grids"
        ));
    }
    let given = from_json::<HuntSettings>(&request.settings).map_err(|error| error.to_string())?;
    let asked: HuntSettings = read(&given).map_err(|error| error.to_string())?;
    let mut start = match &request.start {
        Some(start) => position(start, asked.variant).map_err(|error| format!("start: {error}"))?,
        None => HuntStart { variant: asked.variant.unwrap_or_default(), ..HuntStart::default() },
    };
    let variant = start.variant;
    start.grids = grids(request, variant, &asked.start.clone().unwrap_or_default().for_variant(variant))?;
    let own = asked.workers.or(request.limits.workers);
    let workers = own.map_or(workers, |own| own.min(workers));
    let PreparedHunt { job, used, reason, .. } =
        HuntSettings::prepare(&given, start, workers, seed).map_err(|error| error.to_string())?;
    Ok(PreparedJob {
        name: name(&job),
        limits: JobLimits { seconds: asked.seconds, workers: asked.workers, ..JobLimits::default() },
        settings: shown(&used, &job),
        strategy: job.params.strategy.name().to_owned(),
        strategy_reason: reason.map(|reason| reason.to_string()),
        work: JobWork::Hunt(job),
    })
}

/// A name made of what tells hunts apart.
pub(super) fn name(job: &Job) -> String {
    let from = if job.start.is_empty() { String::new() } else { format!(" from move {}", job.start.len()) };
    let start = if job.params.start.is_cross() { String::new() } else { format!(" {}", job.params.start.name()) };
    let level = job.params.level.map_or(String::new(), |level| format!(" level {level}"));
    format!("{}{start} {}{level}{from}", job.variant, job.params.strategy.name())
}

/// The grids that the hunt begins with.
fn grids(request: &JobRequest, variant: Variant, start: &Start) -> Result<Vec<Vec<Move>>, String> {
    if request.grids.len() > MOST_GRIDS {
        return Err(format!("grids: there are {}, at most {MOST_GRIDS} are taken", request.grids.len()));
    }
    let read = |(i, text): (usize, &String)| match grid(text, Some(variant)) {
        Ok(grid) if grid.start == *start => Ok(grid.moves),
        Ok(grid) => Err(format!("grids[{i}]: it begins with {}, not with {}", grid.start.name(), start.name())),
        Err(error) => Err(format!("grids[{i}]: {error}")),
    };
    request.grids.iter().enumerate().map(read).collect()
}

/// The first moves of a grid, its start, and its variant: the one asked for, else the one that the text names, else
/// 5T.
fn position(given: &StartGrid, variant: Option<Variant>) -> Result<HuntStart, String> {
    let Grid { variant, start, moves, .. } = grid(&given.grid, variant)?;
    let count = given.moves.map_or(moves.len(), |count| count as usize);
    match moves.get(..count) {
        Some(first) => Ok(HuntStart { variant, start: Some(start), moves: first.to_vec(), grids: Vec::new() }),
        None => Err(format!("moves: {count} are asked for, but the grid has only {}", moves.len())),
    }
}

/// A grid from a text, which may come from anybody.
fn grid(text: &str, variant: Option<Variant>) -> Result<Grid, String> {
    let read = |variant| read_grid(text.as_bytes(), variant).map_err(|error| error.to_string());
    let mut loaded = read(variant)?;
    // Every game of 5D is one of 5T too.
    if loaded.chosen_by == ChosenBy::Replay && loaded.replays_as.contains(&Variant::default()) {
        loaded = read(Some(Variant::default()))?;
    }
    referee::replay_from(&loaded.grid.start, loaded.grid.variant, &loaded.grid.moves)
        .map_err(|error| error.to_string())?;
    Ok(loaded.grid)
}

//! Requests for solutions: the settings of a request become a solver job, or a position for a person who plays.

use super::kinds::{JobWork, PlayedFrom, PreparedJob};
use super::view::{JobLimits, JobRequest};
use crate::core::setting::show_name;
use crate::games::go::large::position::LargePosition;
use crate::games::gomoku::position::GomokuPosition;
use crate::games::gomoku::swap2::Swap2;
use crate::games::gomoku::swap2::game::{Swap2Game, Swap2Move};
use crate::jobs::setup::GameSetup;
use crate::jobs::setup::go::GoSetup;
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::jobs::solve_settings::{AskedSolution, SolveSettings};
use crate::runner::tree::store::{NO_SQLITE, backend};
use crate::solvers::choice::Name;
use crate::solvers::solvable::Playable;
use serde_json::{Map, Value};

/// What a request for a solution comes to.
///
/// # Errors
/// If it makes no sense: what is wrong, where, and what would be right.
pub fn prepare(request: &JobRequest) -> Result<PreparedJob, String> {
    if request.start.is_some() || !request.grids.is_empty() {
        return Err("start and grids are for hunts: a position is sent as text in the setting position".to_owned());
    }
    let asked = AskedSolution::from_json(request.settings.clone()).map_err(|error| error.to_string())?;
    let job = asked.job().map_err(|error| error.to_string())?;
    if backend(job.store).is_none() {
        return Err(format!("settings.store: {NO_SQLITE}"));
    }
    Ok(PreparedJob {
        name: job.title.clone(),
        limits: JobLimits::default(),
        settings: asked.shown(),
        strategy: show_name(&job.choice.algorithm.unwrap_or(Name::Special)),
        strategy_reason: None,
        work: JobWork::Solve(job),
    })
}

/// The position of the settings of a solver job. Its board may be too large to be solved.
///
/// # Errors
/// As [`prepare`].
pub fn start(settings: Map<String, Value>) -> Result<PlayedFrom, String> {
    let asked = AskedSolution::from_json(settings).map_err(|error| error.to_string())?;
    if asked.game == "go"
        && let Some(large) = large_go(&asked)?
    {
        return Ok(large);
    }
    asked.job().map(PlayedFrom::Solvable).map_err(|error| error.to_string())
}

/// A game that begins with an opening: its beginning and the moves of a saved game.
#[derive(Debug)]
pub struct OpenedGame {
    /// The board, the rules and the opening, in words.
    pub title: String,
    /// The empty board, before the first stone.
    pub start: Swap2Game,
    /// The moves, each legal.
    pub moves: Vec<Swap2Move>,
}

/// The game of the settings of a solver job that begins with an opening of this name.
///
/// # Errors
/// As [`prepare`]; if there is no such opening, or the game has none.
pub fn opened(settings: Map<String, Value>, opening: &str) -> Result<OpenedGame, String> {
    if opening != Swap2::NAME {
        return Err(format!("opening: there is no opening '{opening}': {} is expected", Swap2::NAME));
    }
    let asked = AskedSolution::from_json(settings).map_err(|error| error.to_string())?;
    if asked.game != GomokuPosition::NAME {
        return Err(format!("opening: {opening} is an opening of {}, not of {}", GomokuPosition::NAME, asked.game));
    }
    let SolveSettings { setup, .. } =
        SolveSettings::<GomokuSetup>::of(&asked.given).map_err(|error| error.to_string())?;
    let (start, moves) = setup.swap2().map_err(|error| error.placed(&asked.given).to_string())?;
    Ok(OpenedGame { title: setup.swap2_title(Playable::size(&start)), start, moves })
}

/// The position of Go that is asked for, if its board is too large to be solved.
fn large_go(asked: &AskedSolution) -> Result<Option<PlayedFrom>, String> {
    let SolveSettings { setup, .. } =
        SolveSettings::<GoSetup>::of(&asked.given).map_err(|error| error.to_string())?;
    if !setup.is_large() {
        return Ok(None);
    }
    let root: LargePosition = setup.position().map_err(|error| error.placed(&asked.given).to_string())?;
    Ok(Some(PlayedFrom::Large { title: setup.title(Playable::size(&root)), root: Box::new(root) }))
}

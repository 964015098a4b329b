//! Job kinds: what a request for a job comes to. The settings of each kind are read in a file of its own
//! ([`analyse_request`], [`check_request`], [`hunt_request`], [`match_request`], [`mine_request`], [`plan_request`],
//! [`prove_request`], [`selfplay_request`], [`solve_request`], [`tactics_request`], [`tune_request`]).

use super::view::{JobLimits, JobRequest};
use super::{
    analyse_request, check_request, hunt_request, match_request, mine_request, plan_request, prove_request,
    selfplay_request, solve_request, tactics_request, tune_request,
};
use crate::games::go::large::position::LargePosition;
use crate::jobs::analysing::AnalyseJob;
use crate::jobs::checking::CheckJob;
use crate::jobs::hunt::Job;
use crate::jobs::matching::MatchJob;
use crate::jobs::mining::MineJob;
use crate::jobs::planning::PlanJob;
use crate::jobs::prove::ProveJob;
use crate::jobs::reading::{FromSettings, GivenSetting, from_json, json_of};
use crate::jobs::selfplay::SelfplayJob;
use crate::jobs::solve::SolveJob;
use crate::jobs::tactics::TacticsJob;
use crate::jobs::tune_settings::MadeGames;
use crate::jobs::tuning::TuneJob;
use serde_json::{Map, Value};

/// What a request comes to.
#[derive(Debug, Clone)]
pub struct PreparedJob {
    /// A name made from the settings, for requests without one.
    pub name: String,
    /// Limits that the settings contain. The limits of the request are added to them.
    pub limits: JobLimits,
    /// The settings with all defaults.
    pub settings: Map<String, Value>,
    /// Strategy of a hunt, algorithm of a solver job; of a match, the players; else what a move or a position may
    /// take.
    pub strategy: String,
    /// Why that strategy was chosen, if the request names none.
    pub strategy_reason: Option<String>,
    /// What the job runs.
    pub work: JobWork,
}

impl PreparedJob {
    /// A job of numbered units with the settings that were given; `usual` knows what holds for the others.
    pub(super) fn of_units<T: FromSettings>(
        given: &[GivenSetting],
        usual: impl Fn(&str) -> Option<String>,
        (name, strategy): (String, String),
        work: JobWork,
    ) -> PreparedJob {
        let text = |name: &str| {
            let given = given.iter().rfind(|one| one.name == name).map(|one| one.text.clone());
            given.or_else(|| usual(name))
        };
        let settings = T::all().into_iter();
        let settings = settings.filter_map(|info| Some((info.name.to_owned(), json_of(&text(info.name)?)))).collect();
        PreparedJob { name, limits: JobLimits::default(), settings, strategy, strategy_reason: None, work }
    }
}

/// The settings of a request for a job that is no hunt; `instead` says where it has its beginning from.
///
/// # Errors
/// If there is no such setting, or the request has what is for hunts.
pub(super) fn given_settings<T: FromSettings>(
    request: &JobRequest,
    instead: &str,
) -> Result<Vec<GivenSetting>, String> {
    if request.start.is_some() || !request.grids.is_empty() {
        return Err(format!("start and grids are for hunts: {instead}"));
    }
    from_json::<T>(&request.settings).map_err(|error| error.to_string())
}

/// What a job runs.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobWork {
    /// A hunt for grids.
    Hunt(Job),
    /// A solution of a position of a two-player game by units.
    Solve(SolveJob),
    /// A proof that a region has no grid of so many moves.
    Prove(ProveJob),
    /// A match of two players.
    Match(MatchJob),
    /// Games of a player against itself.
    Selfplay(SelfplayJob),
    /// Positions that are analysed.
    Analyse(AnalyseJob),
    /// Weights that are learned.
    Tune(TuneJob),
    /// Tactical questions that are answered.
    Tactics(TacticsJob),
    /// Patterns that are mined.
    Mine(MineJob),
    /// A plan of Gomoku that is looked for.
    Plan(PlanJob),
    /// A plan of Gomoku that is checked.
    Check(CheckJob),
}

/// A position of a two-player game that a person plays from.
#[derive(Debug)]
pub enum PlayedFrom {
    /// A position that can be solved.
    Solvable(SolveJob),
    /// A position of go on a board that is too large to be solved.
    Large {
        /// The board, the rules and the start, in words.
        title: String,
        /// The position to play from.
        root: Box<LargePosition>,
    },
}

/// What a request comes to on a daemon with this number of workers; `seed` is used if it names none, and `made` knows
/// the jobs that make games.
///
/// # Errors
/// If the request is not valid: what is wrong, where, and what would be right.
pub fn prepare(request: &JobRequest, workers: u32, seed: u64, made: MadeGames<'_>) -> Result<PreparedJob, String> {
    match request.kind.as_str() {
        "hunt" => hunt_request::prepare(request, workers, seed),
        "solve" => solve_request::prepare(request),
        "prove" => prove_request::prepare(request),
        "match" => match_request::prepare(request),
        "selfplay" => selfplay_request::prepare(request),
        "analyse" => analyse_request::prepare(request),
        "tune" => tune_request::prepare(request, made),
        "tactics" => tactics_request::prepare(request),
        "mine" => mine_request::prepare(request),
        "plan" => plan_request::prepare(request),
        "check" => check_request::prepare(request),
        other => {
            let expected = "hunt, solve, prove, match, selfplay, analyse, tune, tactics, mine, plan or check";
            Err(format!("there is no kind of job '{other}': expected {expected}"))
        }
    }
}

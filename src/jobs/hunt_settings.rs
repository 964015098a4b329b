//! The settings of a hunt as one typed value: flags, configuration files and requests are read into it
//! ([`super::reading`]), and it becomes a [`Job`].
//!
//! The parameters of the strategies are rows of `strategies::table`; the rows here are those of every hunt and those
//! of its main walk. What is left to choose is chosen in `HuntSettings::job`, before anything is saved: the
//! strategy where it is `auto`, the best known nesting level, the seed.

use super::hunt::{Job, MIN_MAIN_DEPTH};
use super::reading::{FromSettings, GivenSetting, SettingSource, read};
use crate::core::quantity::parse_duration;
use crate::core::setting::{
    BadValue, NamedValue, SettingInfo, SettingRow, ValueKind, parse_count, read as read_text,
};
use crate::morpion::geometry::Move;
use crate::morpion::start::Start;
use crate::morpion::variant::Variant;
use crate::strategies::params::{MAX_WIDTH, Params, StallTable, Strategy};
use crate::strategies::table::{PARAMETERS, STRATEGIES, StrategyRow, parameter, plain_text};
use crate::with_rules;
use serde_json::{Map, Value};

/// The main thread of a hunt and its workers are at most so many threads.
pub const MAX_THREADS: u32 = 4096;

/// The strategy that is chosen by the variant.
pub const AUTO: &str = "auto";

/// From which score on grids are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KeepFrom {
    /// Near the best known.
    #[default]
    Usual,
    /// From this score on.
    Score(u32),
    /// None are kept.
    Nothing,
}

/// The settings of a hunt.
#[derive(Debug, Clone, PartialEq)]
pub struct HuntSettings {
    /// The strategy; none is the best one for the variant.
    pub strategy: Option<Strategy>,
    /// The parameters of the strategies, but for the strategy.
    pub params: Params,
    /// The variant; none is that of the grid to start from, else 5T.
    pub variant: Option<Variant>,
    /// What a game begins with; none is the start of the grid to start from, else the cross.
    pub start: Option<Start>,
    /// Moves of the main walk.
    pub main_depth: u32,
    /// The table that ends stalled units, if it is not the usual one.
    pub stall_table: Option<StallTable>,
    /// By which its iterations are multiplied.
    pub stall_scale: f64,
    /// The score that ends the hunt.
    pub target: Option<u32>,
    /// The seed; none is a new one.
    pub seed: Option<u64>,
    /// Which grids are kept.
    pub keep_from: KeepFrom,
    /// Runs in all.
    pub runs: Option<u64>,
    /// Iterations of each unit at most.
    pub max_iterations: Option<u64>,
    /// Seconds in all.
    pub seconds: Option<f64>,
    /// Workers at once.
    pub workers: Option<u32>,
}

impl Default for HuntSettings {
    fn default() -> HuntSettings {
        HuntSettings {
            strategy: None,
            params: Params::default(),
            variant: None,
            start: None,
            main_depth: 5,
            stall_table: None,
            stall_scale: 1.0,
            target: None,
            seed: None,
            keep_from: KeepFrom::Usual,
            runs: None,
            max_iterations: None,
            seconds: None,
            workers: None,
        }
    }
}

/// `auto` and the strategies.
static STRATEGY_CHOICES: [NamedValue; STRATEGIES.len() + 1] = {
    let mut choices =
        [NamedValue { value: AUTO, label: "the best measured one for the variant" }; STRATEGIES.len() + 1];
    let mut at = 0;
    while at < STRATEGIES.len() {
        // The strongest first.
        let row = &STRATEGIES[STRATEGIES.len() - 1 - at];
        choices[at + 1] = NamedValue { value: row.name, label: row.summary };
        at += 1;
    }
    choices
};

/// Settings of every hunt that people set for themselves in a form, in its order.
pub const COMMON: [&str; 6] = ["target", "seed", "start", "keep_from", "runs", "max_iterations"];

/// The settings of hunts apart from the parameters of strategies, in the order of help texts.
pub static HUNT_SETTINGS: [SettingRow<HuntSettings>; 14] = [
    SettingRow {
        about: SettingInfo::new(
            "strategy",
            "Strategy",
            ValueKind::Choice(&STRATEGY_CHOICES),
            "The search strategy. auto is the best measured one for the variant: reshape in 5T, permute in 5D, nrpa \
             in 4T and 4D. If a setting is given that only one strategy has, auto is that strategy.",
        ),
        read: |settings, text| {
            settings.strategy = Strategy::from_name(text);
            Ok(())
        },
        show: |settings| Some(settings.strategy.map_or(AUTO, Strategy::name).to_owned()),
    },
    SettingRow {
        about: SettingInfo::new(
            "variant",
            "Variant",
            ValueKind::Text,
            "The variant: lines of 5 or 4, touching or disjoint.",
        )
        .value_name("5T|5D|4T|4D")
        .unset("that of the grid to start from, else 5T"),
        read: |settings, text| read_text(text).map(|variant| settings.variant = Some(variant)),
        show: |settings| settings.variant.map(|variant| variant.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "start",
            "Start",
            ValueKind::Text,
            "The points that a game begins with. A name: cross, cross-N (a cross whose sides have N points), ring-N (the \
             edge of a square of N columns). Or a picture: rows of o (a point) and . (none), with / between them. Grids \
             from another start than the cross are a category of their own.",
        )
        .value_name("NAME|ROWS|FILE")
        .unset("that of the grid to start from, else the cross")
        .or_file()
        .advanced(),
        read: |settings, text| {
            let start = text.parse::<Start>().map_err(|error| BadValue(error.to_string()))?;
            settings.start = Some(start);
            Ok(())
        },
        show: |settings| settings.start.as_ref().map(ToString::to_string),
    },
    SettingRow {
        about: SettingInfo::new(
            "threads",
            "Threads",
            ValueKind::Whole { min: 2, max: MAX_THREADS as u64 },
            "Threads: the main thread, which hands out the work, and N-1 workers.",
        )
        .unset("one worker per processor, and the main thread")
        .because("the main thread and at least one worker"),
        read: |settings, text| read_text::<u32>(text).map(|threads| settings.workers = Some(threads - 1)),
        show: |settings| settings.workers.map(|workers| (workers + 1).to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "workers",
            "Workers",
            ValueKind::Whole { min: 1, max: MAX_THREADS as u64 - 1 },
            "Workers: the same as --threads, without the main thread.",
        )
        .unset("one per processor"),
        read: |settings, text| read_text(text).map(|workers| settings.workers = Some(workers)),
        show: |settings| settings.workers.map(|workers| workers.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "time",
            "Time",
            ValueKind::Seconds,
            "End after this time (90, 60s, 5m, 2h, 1d12h), counted over all sessions of the hunt.",
        )
        .unset("no limit"),
        read: |settings, text| {
            let seconds = parse_duration(text).map_err(|error| BadValue(error.to_string()))?;
            settings.seconds = Some(seconds);
            Ok(())
        },
        show: |settings| settings.seconds.map(|seconds| seconds.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "target",
            "Target",
            ValueKind::Whole { min: 1, max: u32::MAX as u64 },
            "End when a grid of this many moves is found.",
        )
        .value_name("SCORE")
        .unit("moves")
        .unset("none"),
        read: |settings, text| read_text(text).map(|target| settings.target = Some(target)),
        show: |settings| settings.target.map(|target| target.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "seed",
            "Seed",
            ValueKind::Whole { min: 0, max: u64::MAX },
            "Seed of all random numbers. The same seed with one worker gives the same result.",
        )
        .unset("a new one, which is shown and recorded"),
        read: |settings, text| read_text(text).map(|seed| settings.seed = Some(seed)),
        show: |settings| settings.seed.map(|seed| seed.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "keep_from",
            "Keep grids from",
            ValueKind::Text,
            "Keep every grid of at least this many moves in the archive. Each is kept once, whatever its orientation \
             and the order of its moves. With none, no grid is kept.",
        )
        .value_name("SCORE|none")
        .unit("moves")
        .unset("165 in 5T, 80 in 5D, 62 in 4T, 35 in 4D; none from another start than the cross")
        .advanced(),
        read: |settings, text| {
            settings.keep_from = match text {
                "none" => KeepFrom::Nothing,
                text => match text.parse() {
                    Ok(score) if score > 0 => KeepFrom::Score(score),
                    _ => return Err(BadValue("expected a score or none".to_owned())),
                },
            };
            Ok(())
        },
        show: |settings| match settings.keep_from {
            KeepFrom::Usual => None,
            KeepFrom::Score(score) => Some(score.to_string()),
            KeepFrom::Nothing => Some("none".to_owned()),
        },
    },
    SettingRow {
        about: SettingInfo::new(
            "runs",
            "Runs",
            ValueKind::Count { min: 1 },
            "End after this many runs. With share the runs follow one another.",
        )
        .unit("runs")
        .unset("without end")
        .advanced(),
        read: |settings, text| parse_count(text).map(|runs| settings.runs = Some(runs)),
        show: |settings| settings.runs.map(|runs| runs.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "max_iterations",
            "Iterations per unit",
            ValueKind::Count { min: 1 },
            "End each unit (a prefix of dfs, a run of the other strategies) after this many iterations (playouts). \
             If runs is not given, a hunt of runs then ends after one run per worker, or with share after one run of \
             all workers.",
        )
        .unit("iterations")
        .unset("no limit")
        .advanced(),
        read: |settings, text| parse_count(text).map(|count| settings.max_iterations = Some(count)),
        show: |settings| settings.max_iterations.map(|count| count.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "main_depth",
            "Depth of the main walk",
            ValueKind::Whole { min: MIN_MAIN_DEPTH as u64, max: 485 },
            "All combinations of the first N moves are handed out as units.",
        )
        .unit("moves"),
        read: |settings, text| read_text(text).map(|depth| settings.main_depth = depth),
        show: |settings| Some(settings.main_depth.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "stall_table",
            "Table of stalled units",
            ValueKind::Rows(&[]),
            "The table that ends stalled units: rows of a score and the iterations within which it must be reached, \
             such as 80:10M,90:50M. An empty table ends none.",
        )
        .unset("that of the thesis: 80:10M,90:50M,110:500M,120:1G,130:5G,140:100G")
        .or_file()
        .advanced(),
        read: |settings, text| {
            if !text.is_empty() && !text.contains(':') {
                return Err(BadValue("expected rows such as [[80, 10_000_000]]; no file is read".to_owned()));
            }
            text.parse().map(|table| settings.stall_table = Some(table))
        },
        show: |settings| settings.stall_table.as_ref().map(ToString::to_string),
    },
    SettingRow {
        about: SettingInfo::new(
            "stall_scale",
            "Patience with stalled units",
            ValueKind::Number { max: f64::INFINITY },
            "Factor for the iterations in the table that ends stalled units: 0.1 ends them ten times sooner.",
        )
        .value_name("FACTOR"),
        read: |settings, text| read_text(text).map(|scale| settings.stall_scale = scale),
        show: |settings| Some(settings.stall_scale.to_string()),
    },
];

fn own(name: &str) -> Option<&'static SettingRow<HuntSettings>> {
    HUNT_SETTINGS.iter().find(|row| row.about.name == name)
}

impl FromSettings for HuntSettings {
    fn all() -> Vec<&'static SettingInfo> {
        let own = HUNT_SETTINGS.iter().map(|row| &row.about);
        own.chain(PARAMETERS.iter().map(|row| &row.about)).collect()
    }

    fn set(&mut self, name: &str, text: &str) -> Result<(), BadValue> {
        match (own(name), parameter(name)) {
            (Some(row), _) => row.set(self, text),
            (None, Some(row)) => row.set(&mut self.params, text),
            (None, None) => Err(BadValue(format!("there is no setting '{name}'"))),
        }
    }

    fn usual(name: &str) -> Option<String> {
        let usual = HuntSettings::default();
        match (own(name), parameter(name)) {
            (Some(row), _) => (row.show)(&usual),
            (None, row) => row.and_then(|row| (row.show)(&usual.params)),
        }
    }
}

/// The settings that strategies use, in the order of help texts and forms.
pub fn of_strategies() -> impl Iterator<Item = &'static SettingInfo> {
    HuntSettings::all().into_iter().filter(|about| is_of_strategies(about.name))
}

fn is_of_strategies(name: &str) -> bool {
    STRATEGIES.iter().any(|row| row.uses(name))
}

/// The strategies that a setting changes, the strongest first: all of them for those of every hunt.
pub fn users(name: &str) -> Vec<&'static StrategyRow> {
    Strategy::all().filter(|row| is_used(row, name)).collect()
}

fn is_used(row: &StrategyRow, name: &str) -> bool {
    match name {
        "runs" => row.runs,
        name => row.uses(name) || !is_of_strategies(name),
    }
}

/// The default of a setting for a strategy, in words.
pub fn default_text(row: &StrategyRow, about: &SettingInfo) -> String {
    if let Some(parameter) = parameter(about.name) {
        return row.default_text(parameter);
    }
    let text = own(about.name).and_then(|row| (row.show)(&HuntSettings::default()));
    text.map_or(about.unset.to_owned(), |text| plain_text(about, text))
}

/// What a hunt begins with apart from its settings.
#[derive(Debug, Clone, Default)]
pub struct HuntStart {
    /// Variant of the puzzle that is searched.
    pub variant: Variant,
    /// What the grid to start from begins with, if there is one.
    pub start: Option<Start>,
    /// Moves played before the hunt begins.
    pub moves: Vec<Move>,
    /// Grids to begin with.
    pub grids: Vec<Vec<Move>>,
}

/// Why a hunt has its strategy, if nobody named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StrategyReason {
    /// It is the only one that has this setting, named as it was typed.
    OnlyWith(Strategy, String),
    /// It is the strongest that has a symmetry.
    Symmetric(Strategy),
    /// It is the best measured one for the variant: what was measured.
    Best(Strategy, Variant, &'static str),
}

impl std::fmt::Display for StrategyReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StrategyReason::OnlyWith(strategy, setting) => {
                write!(f, "strategy {}, the only one that has {setting}", strategy.name())
            }
            StrategyReason::Symmetric(strategy) => {
                write!(f, "strategy {}, the strongest that has a symmetry", strategy.name())
            }
            StrategyReason::Best(strategy, variant, measured) => {
                write!(f, "strategy {}, the best measured one for {variant}: {measured}", strategy.name())
            }
        }
    }
}

/// A hunt that settings have become.
#[derive(Debug, Clone)]
pub struct PreparedHunt {
    /// What the hunt searches for, and how.
    pub job: Job,
    /// Why its strategy was chosen, if nobody named it.
    pub reason: Option<StrategyReason>,
    /// The settings that the strategy uses.
    pub used: Vec<GivenSetting>,
    /// What was left out of what was given.
    pub warnings: Vec<String>,
}

impl HuntSettings {
    /// The hunt that settings stand for, with so many workers; `seed` is used if none is given.
    ///
    /// # Errors
    /// If the settings contradict each other, or one is given as a flag or in a request that the strategy does not
    /// use.
    pub fn prepare(
        given: &[GivenSetting],
        start: HuntStart,
        workers: u32,
        seed: u64,
    ) -> Result<PreparedHunt, BadValue> {
        let all: HuntSettings = read(given)?;
        let (strategy, reason) = match all.strategy {
            Some(strategy) => (strategy, None),
            None => chosen(given, start.variant)?,
        };
        let (mut used, mut warnings) = (Vec::new(), Vec::new());
        for one in given {
            if is_used(strategy.row(), one.name) {
                used.push(one.clone());
            } else if let Some(warning) = unused(one, strategy, reason.as_ref())? {
                warnings.push(warning);
            }
        }
        let settings: HuntSettings = read(&used)?;
        let job = settings.job(strategy, start, workers, seed)?;
        Ok(PreparedHunt { job, reason, used, warnings })
    }

    /// The hunt with this strategy.
    fn job(self, strategy: Strategy, start: HuntStart, workers: u32, seed: u64) -> Result<Job, BadValue> {
        let HuntStart { variant, start, moves, grids } = start;
        let start = agreed(self.start, start, variant)?;
        let row = strategy.row();
        if !grids.is_empty() && !row.takes_grids {
            let takers: Vec<&str> = Strategy::all().filter(|row| row.takes_grids).map(|row| row.name).collect();
            return Err(BadValue(format!(
                "{} does not begin with grids; the strategies that do: {}; any hunt can start from the first moves of one",
                row.name,
                takers.join(", ")
            )));
        }
        let mut params = Params { strategy, start, grids, ..self.params };
        check_start(&params, variant, &moves)?;
        if let Some(symmetry) = params.symmetry {
            if !params.start.has(symmetry.symmetry(), variant) {
                return Err(BadValue(format!("the start, {}, has no {symmetry} symmetry", params.start.name())));
            }
            let centre = params.start.centre(variant);
            let given = [("the start of the hunt", &moves)];
            let mut given = given.into_iter().chain(params.grids.iter().map(|grid| ("a grid to begin with", grid)));
            if let Some((what, _)) = given.find(|(_, grid)| !symmetry.carries(centre, grid)) {
                return Err(BadValue(format!("{what} has no {symmetry} symmetry")));
            }
        }
        params.stall = self.stall_table.unwrap_or(params.stall).scaled(self.stall_scale);
        if row.uses("level") {
            params.level = params.level.or(row.best_level(variant));
        }
        if matches!(strategy, Strategy::Nrpa | Strategy::Regrow) {
            params.iterations = Some(params.iterations());
        }
        match params.share {
            Some(_) => params.width = params.width.or(Some(workers.min(MAX_WIDTH))),
            None if params.width.is_some() => {
                return Err(BadValue(
                    "width needs share (--share LEVEL): it says how many shared calls are in flight".to_owned(),
                ));
            }
            None => {}
        }
        // A unit that is ended needs an end of the hunt, too.
        let usual_runs = if params.share.is_some() { 1 } else { workers.into() };
        Ok(Job {
            variant,
            start: moves,
            main_depth: self.main_depth,
            seed: self.seed.unwrap_or(seed),
            max_iterations: self.max_iterations,
            runs: self.runs.or(self.max_iterations.filter(|_| row.runs).map(|_| usual_runs)),
            target: self.target,
            keep_from: match self.keep_from {
                KeepFrom::Usual if !params.start.is_cross() => None,
                KeepFrom::Usual => Some(usual_keep_from(variant, params.symmetry.is_some())),
                KeepFrom::Score(score) => Some(score),
                KeepFrom::Nothing => None,
            },
            params,
        })
    }
}

/// The start that was asked for, and that of the grid to start from.
fn agreed(asked: Option<Start>, of_grid: Option<Start>, variant: Variant) -> Result<Start, BadValue> {
    match (asked.map(|start| start.for_variant(variant)), of_grid) {
        (Some(asked), Some(own)) if asked != own => {
            Err(BadValue(format!("the grid to start from begins with {}, not with {}", own.name(), asked.name())))
        }
        (Some(start), _) | (None, Some(start)) => Ok(start),
        (None, None) => Ok(Start::CROSS),
    }
}

/// Whether the hunt can begin so. Its first moves are checked when it begins.
fn check_start(params: &Params, variant: Variant, moves: &[Move]) -> Result<(), BadValue> {
    let start = &params.start;
    if !start.is_playable(variant) {
        let name = start.name();
        return Err(BadValue(format!("no line of {} can be drawn from the start, {name}", variant.line_len())));
    }
    let longest = start.longest_game(variant) as usize;
    if moves.len() > longest {
        return Err(BadValue(format!("the hunt begins with {} moves; at most {longest} are supported", moves.len())));
    }
    let legal = |grid: &Vec<Move>| with_rules!(variant, R => grid.len() <= longest && start.after::<R>(grid).is_ok());
    match params.grids.iter().position(|grid| !legal(grid)) {
        Some(at) => Err(BadValue(format!("grid {} to begin with is not one from {}", at + 1, start.name()))),
        None => Ok(()),
    }
}

/// The strategy of a hunt that names none, and why: the only one that has a setting that is given, else the best
/// measured one.
fn chosen(given: &[GivenSetting], variant: Variant) -> Result<(Strategy, Option<StrategyReason>), BadValue> {
    let mut implied: Option<(Strategy, &GivenSetting)> = None;
    for one in given.iter().filter(|one| is_of_strategies(one.name)) {
        let [row] = users(one.name)[..] else { continue };
        match implied {
            Some((strategy, other)) if strategy != row.strategy => {
                return Err(BadValue(format!(
                    "{} is a setting of {} and {} one of {}: name a strategy",
                    other.place(),
                    strategy.name(),
                    one.place(),
                    row.name
                )));
            }
            Some(_) => {}
            None => implied = Some((row.strategy, one)),
        }
    }
    let (strategy, reason) = match implied {
        Some((strategy, one)) => (strategy, StrategyReason::OnlyWith(strategy, one.typed.clone())),
        None if given.iter().any(|one| one.name == "symmetry") => {
            let strategy = users("symmetry")[0].strategy;
            (strategy, StrategyReason::Symmetric(strategy))
        }
        None => {
            let (strategy, measured) = Strategy::best(variant);
            (strategy, StrategyReason::Best(strategy, variant, measured))
        }
    };
    Ok((strategy, Some(reason)))
}

/// What is to be said of a setting that the strategy does not use: a warning if it stands in a file, nothing if it is
/// at its default in a file or a request.
fn unused(
    one: &GivenSetting,
    strategy: Strategy,
    reason: Option<&StrategyReason>,
) -> Result<Option<String>, BadValue> {
    let names: Vec<&str> = users(one.name).iter().map(|row| row.name).collect();
    let why = reason.map_or(String::new(), |reason| format!(" ({reason})"));
    let text = format!("{} is not used by {}{why}; used by: {}", one.place(), strategy.name(), names.join(", "));
    match one.source {
        SettingSource::Flag => Err(BadValue(text)),
        _ if is_default(one, strategy) => Ok(None),
        SettingSource::Request => Err(BadValue(text)),
        SettingSource::Line { .. } | SettingSource::Table | SettingSource::Content { .. } => {
            Ok(Some(format!("{text}: it is left out")))
        }
    }
}

/// Whether a setting that is given says what would be without it.
fn is_default(one: &GivenSetting, strategy: Strategy) -> bool {
    let fresh = || HuntSettings { params: strategy.row().params(), ..HuntSettings::default() };
    let shown = |settings: &HuntSettings| match (own(one.name), parameter(one.name)) {
        (Some(row), _) => (row.show)(settings),
        (None, row) => row.and_then(|row| (row.show)(&settings.params)),
    };
    let mut settings = fresh();
    settings.set(one.name, &one.text).is_ok() && shown(&settings) == shown(&fresh())
}

/// From which score on grids are kept, if nothing is said: few enough that a hunt of weeks stays small, and those
/// that a search for better ones would begin from. For lines of 4 the optimum is known, and only optimal grids are of
/// interest. Grids that are to be symmetric are shorter.
pub const fn usual_keep_from(variant: Variant, symmetric: bool) -> u32 {
    match (variant, symmetric) {
        (Variant::T5, false) => 165,
        (Variant::D5, false) => 80,
        (Variant::T5, true) => 126,
        (Variant::T4, false) | (Variant::D4, false) => variant.record(),
        (Variant::D5 | Variant::T4 | Variant::D4, true) => variant.symmetric_record(),
    }
}

/// All settings of a hunt by name, defaults filled in: what [`super::reading::from_json`] reads as the same hunt.
pub fn shown(given: &[GivenSetting], job: &Job) -> Map<String, Value> {
    let mut settings: HuntSettings = read(given).unwrap_or_default();
    settings.strategy = Some(job.params.strategy);
    settings.params = job.params.clone();
    settings.start = Some(job.params.start.clone()).filter(|start| !start.is_cross());
    settings.variant = Some(job.variant);
    settings.seed = Some(job.seed);
    settings.runs = job.runs;
    settings.keep_from = job.keep_from.map_or(KeepFrom::Nothing, KeepFrom::Score);
    let row = job.params.strategy.row();
    let own = HUNT_SETTINGS.iter().filter(|setting| setting.about.name != "threads");
    let own = own.map(|setting| (&setting.about, (setting.show)(&settings)));
    let parameters = PARAMETERS.iter().map(|setting| (&setting.about, (setting.show)(&settings.params)));
    let used = own.chain(parameters).filter(|(about, _)| is_used(row, about.name));
    used.filter_map(|(about, text)| Some((about.name.to_owned(), plain(&text?)))).collect()
}

/// A text as a flag has it, as a number where it is one.
fn plain(text: &str) -> Value {
    match text.parse::<u64>() {
        Ok(number) => number.into(),
        Err(_) => text.parse::<f64>().ok().and_then(serde_json::Number::from_f64).map_or(text.into(), Value::Number),
    }
}

#[cfg(test)]
mod tests;

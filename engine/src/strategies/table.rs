//! The table of the searches: one row for each, from which the command line, configuration files, the API, the page,
//! statistics and measurements derive what they know of it.
//!
//! A new search is a file that implements [`Search`], a variant of [`Strategy`], and a row here. Its parameters are
//! rows of [`PARAMETERS`]; a search names those that it uses, so that a parameter that exists needs no further line.

mod describe;
mod parameters;

pub use parameters::{PARAMETERS, parameter};

use super::orbits::Paired;
use super::params::{Params, Strategy};
use super::{Unit, dfs, nmcs, nrpa, permute, perturb, random, regrow, relax, reshape, temper};
use crate::core::search::{RestoreError, Search};
use crate::core::setting::{SettingInfo, SettingRow, ValueKind, parse_count, show_count};
use crate::morpion::geometry::Move;
use crate::morpion::variant::Variant;
use crate::with_rules;

/// A search of any strategy.
type AnySearch = Box<dyn Search<Move>>;

/// What there is to know of a strategy.
pub struct StrategyRow {
    /// The strategy that this row describes.
    pub strategy: Strategy,
    /// Its name in flags, files and the API.
    pub name: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// What its counter counts: one word for help, statistics and measurements.
    pub counts: &'static str,
    /// Whether its units are independent runs, each with a seed of its own; else they are prefixes of the main walk.
    pub runs: bool,
    /// Whether it can begin with given grids.
    pub takes_grids: bool,
    /// The parameters that change what it does, of [`PARAMETERS`] and of the settings of a hunt.
    pub parameters: &'static [&'static str],
    /// The defaults of this strategy.
    pub defaults: StrategyDefaults,
    /// The variants for which it is the best search that was measured, and what was measured.
    pub best_in: &'static [(Variant, &'static str)],
    /// Parameters with which its speed is measured; each list is a measurement.
    pub measured: &'static [&'static [(&'static str, &'static str)]],
    /// Begins the search of a unit.
    pub start: fn(Variant, &Params, &Unit) -> AnySearch,
    /// Continues the search of a unit from a saved state.
    pub restore: fn(Variant, &Params, &Unit, &[u8]) -> Result<AnySearch, RestoreError>,
    /// The search with its parameters in words, as files of grids have it.
    pub describe: fn(&Params) -> String,
}

/// Defaults that differ from strategy to strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StrategyDefaults {
    /// Nesting level of new hunts in 5T and 5D; 0 for none.
    pub level_on_lines_of_5: u32,
    /// Nesting level of new hunts in 4T and 4D.
    pub level_on_lines_of_4: u32,
    /// Nesting level of saved hunts that name none.
    pub unnamed_level: u32,
    /// Calls of the level below per call.
    pub iterations: u32,
    /// Grids that are kept to work on.
    pub pool: u32,
    /// Iterations without a longer grid that end a run.
    pub patience: u64,
    /// Exchanges of a step at most.
    pub swaps: u32,
}

/// The defaults of most strategies.
const USUAL: StrategyDefaults = StrategyDefaults {
    level_on_lines_of_5: 3,
    level_on_lines_of_4: 3,
    unnamed_level: 3,
    iterations: 100,
    pool: 200,
    patience: 20_000_000,
    swaps: 10,
};

/// One measurement, with the usual parameters.
const ONCE: &[&[(&str, &str)]] = &[&[]];

/// The strategies, in the order of [`Strategy`]; the strongest are the last.
pub static STRATEGIES: [StrategyRow; 10] = [
    StrategyRow {
        strategy: Strategy::Random,
        name: "random",
        label: "Random",
        summary: "Uniformly random playouts, to compare with.",
        counts: "playouts",
        runs: true,
        takes_grids: false,
        parameters: &[],
        defaults: USUAL,
        best_in: &[],
        measured: ONCE,
        start: |variant, params, unit| with_rules!(variant, R => Box::new(random::Random::<R>::new(params, unit))),
        restore: |variant, params, unit, saved| {
            Ok(with_rules!(variant, R => Box::new(random::Random::<R>::restore(params, unit, saved)?)))
        },
        describe: describe::random,
    },
    StrategyRow {
        strategy: Strategy::Dfs,
        name: "dfs",
        label: "Depth-first",
        summary: "Depth-first search, order-free, with jumps back, as in the 2021 thesis; exhaustive where the space is small.",
        counts: "iterations",
        runs: false,
        takes_grids: false,
        parameters: &[
            "main_depth",
            "sort",
            "jumps_back",
            "jumps_from",
            "stall_table",
            "stall_scale",
            "order_free",
            "eliminate_dominated",
        ],
        defaults: USUAL,
        best_in: &[],
        measured: ONCE,
        start: |variant, params, unit| with_rules!(variant, R => Box::new(dfs::Dfs::<R>::new(params, unit))),
        restore: |variant, params, unit, saved| {
            Ok(with_rules!(variant, R => Box::new(dfs::Dfs::<R>::restore(params, unit, saved)?)))
        },
        describe: describe::dfs,
    },
    StrategyRow {
        strategy: Strategy::Nmcs,
        name: "nmcs",
        label: "NMCS",
        summary: "Nested Monte Carlo search.",
        counts: "playouts",
        runs: true,
        takes_grids: false,
        parameters: &["level"],
        defaults: USUAL,
        best_in: &[],
        measured: ONCE,
        start: |variant, params, unit| with_rules!(variant, R => Box::new(nmcs::Nmcs::<R>::new(params, unit))),
        restore: |variant, params, unit, saved| {
            Ok(with_rules!(variant, R => Box::new(nmcs::Nmcs::<R>::restore(params, unit, saved)?)))
        },
        describe: describe::nmcs,
    },
    StrategyRow {
        strategy: Strategy::Nrpa,
        name: "nrpa",
        label: "NRPA",
        summary: "Nested rollout policy adaptation, from nothing; the strongest on lines of 4.",
        counts: "playouts",
        runs: true,
        takes_grids: false,
        parameters: &["level", "iterations", "share", "adapt", "alpha", "stabilize", "width"],
        // A deeper search begins exactly like one of a lower level, and continues with what it has learned where that
        // one ends; on lines of 4, whose games are short, new beginnings are better.
        defaults: StrategyDefaults { level_on_lines_of_5: 5, unnamed_level: 4, ..USUAL },
        best_in: &[
            (Variant::T4, "62 moves, the record, in all of 20 runs on one processor, median 4 s"),
            (Variant::D4, "35 moves, the record, in all of 20 runs on one processor, median 2 s"),
        ],
        measured: &[&[("adapt", "sequence")], &[("adapt", "layers")]],
        start: |variant, params, unit| with_rules!(variant, R => Box::new(nrpa::Nrpa::<R>::new(params, unit, None))),
        restore: |variant, params, unit, saved| {
            Ok(with_rules!(variant, R => Box::new(nrpa::Nrpa::<R>::restore(params, unit, None, saved)?)))
        },
        describe: describe::nrpa,
    },
    StrategyRow {
        strategy: Strategy::Perturb,
        name: "perturb",
        label: "Perturb",
        summary: "Takes parts of grids away and completes them again; best with good grids to begin with.",
        counts: "playouts",
        runs: true,
        takes_grids: true,
        // The last five are those of the NRPA search that a run without grids begins with; alpha and adapt serve
        // both.
        parameters: &[
            "operators",
            "keep",
            "pool",
            "patience",
            "completion",
            "level",
            "iterations",
            "alpha",
            "adapt",
            "stabilize",
        ],
        defaults: USUAL,
        best_in: &[],
        measured: ONCE,
        start: |variant, params, unit| with_rules!(variant, R => Box::new(perturb::Perturb::<R>::new(params, unit))),
        restore: |variant, params, unit, saved| {
            Ok(with_rules!(variant, R => Box::new(perturb::Perturb::<R>::restore(params, unit, saved)?)))
        },
        describe: describe::perturb,
    },
    StrategyRow {
        strategy: Strategy::Permute,
        name: "permute",
        label: "Permute",
        summary: "Local search over orders of moves, from nothing or from grids.",
        counts: "playouts",
        runs: true,
        takes_grids: true,
        // From level on: those of the NRPA search that a run without grids begins with, if a level is given.
        parameters: &["swaps", "pool", "patience", "level", "iterations", "alpha", "adapt", "stabilize"],
        defaults: StrategyDefaults {
            level_on_lines_of_5: 0,
            level_on_lines_of_4: 0,
            unnamed_level: 0,
            pool: 20_000,
            patience: 200_000_000,
            ..USUAL
        },
        best_in: &[],
        measured: ONCE,
        start: |variant, params, unit| with_rules!(variant, R => Box::new(permute::Permute::<R>::new(params, unit))),
        restore: |variant, params, unit, saved| {
            Ok(with_rules!(variant, R => Box::new(permute::Permute::<R>::restore(params, unit, saved)?)))
        },
        describe: describe::permute,
    },
    StrategyRow {
        strategy: Strategy::Temper,
        name: "temper",
        label: "Temper",
        summary: "Parallel tempering: walks over grids at several temperatures, from nothing or from grids.",
        counts: "playouts",
        runs: true,
        takes_grids: true,
        parameters: &["symmetry", "replicas", "refiners", "hot", "cold", "reach", "patience"],
        defaults: StrategyDefaults { patience: 200_000_000, ..USUAL },
        best_in: &[],
        measured: ONCE,
        start: |variant, params, unit| match params.symmetry {
            None => with_rules!(variant, R => Box::new(temper::Temper::<R>::new(params, unit))),
            Some(_) => with_rules!(variant, R => Box::new(temper::Temper::<R, Paired>::new(params, unit))),
        },
        restore: |variant, params, unit, saved| match params.symmetry {
            None => Ok(with_rules!(variant, R => Box::new(temper::Temper::<R>::restore(params, unit, saved)?))),
            Some(_) => {
                Ok(with_rules!(variant, R => Box::new(temper::Temper::<R, Paired>::restore(params, unit, saved)?)))
            }
        },
        describe: describe::temper,
    },
    StrategyRow {
        strategy: Strategy::Relax,
        name: "relax",
        label: "Relax",
        summary: "Walks over sets of lines that are lent a few points, at rising prices, from nothing or from grids.",
        // A step.
        counts: "iterations",
        runs: true,
        takes_grids: true,
        parameters: &["patience"],
        defaults: StrategyDefaults { patience: 100_000_000, ..USUAL },
        best_in: &[],
        measured: ONCE,
        start: |variant, params, unit| with_rules!(variant, R => Box::new(relax::Relax::<R>::new(params, unit))),
        restore: |variant, params, unit, saved| {
            Ok(with_rules!(variant, R => Box::new(relax::Relax::<R>::restore(params, unit, saved)?)))
        },
        describe: describe::relax,
    },
    StrategyRow {
        strategy: Strategy::Regrow,
        name: "regrow",
        label: "Regrow",
        summary: "Tempers until it is stuck; then keeps beginnings of the longest grids, makes the rest anew, and \
         reshapes the results.",
        // A playout, or in the reshaping inside a shape drawn or a conflict of its solver.
        counts: "iterations",
        runs: true,
        takes_grids: true,
        parameters: &[
            "level",
            "iterations",
            "keep",
            "pool",
            "patience",
            "alpha",
            "adapt",
            "stabilize",
            "replicas",
            "refiners",
            "hot",
            "cold",
            "reach",
        ],
        defaults: StrategyDefaults { iterations: 160, pool: 64, patience: 3_000_000_000, ..USUAL },
        best_in: &[],
        measured: ONCE,
        start: |variant, params, unit| with_rules!(variant, R => Box::new(regrow::Regrow::<R>::new(params, unit))),
        restore: |variant, params, unit, saved| {
            Ok(with_rules!(variant, R => Box::new(regrow::Regrow::<R>::restore(params, unit, saved)?)))
        },
        describe: describe::regrow,
    },
    StrategyRow {
        strategy: Strategy::Reshape,
        name: "reshape",
        label: "Reshape",
        summary: "Changes the points of grids and lets an exact solver find the lines, from nothing or from grids; \
         the strongest in 5T and 5D.",
        // A playout of the tempering, a step of the cooled walk, a shape drawn or a conflict of the solver.
        counts: "iterations",
        runs: true,
        takes_grids: true,
        // But for patience, those of the temperings that rounds without grids begin with.
        parameters: &["symmetry", "patience", "replicas", "refiners", "hot", "cold", "reach"],
        defaults: StrategyDefaults { patience: 1_000_000_000, ..USUAL },
        best_in: &[
            (Variant::T5, "178 moves, the record, in all of ten runs on one processor, median three minutes"),
            (Variant::D5, "82 moves, the record, in all of 40 runs on one processor, median 8 s"),
        ],
        measured: ONCE,
        start: |variant, params, unit| match params.symmetry {
            None => with_rules!(variant, R => Box::new(reshape::Reshape::<R>::new(params, unit))),
            Some(_) => with_rules!(variant, R => Box::new(reshape::Reshape::<R, Paired>::new(params, unit))),
        },
        restore: |variant, params, unit, saved| match params.symmetry {
            None => Ok(with_rules!(variant, R => Box::new(reshape::Reshape::<R>::restore(params, unit, saved)?))),
            Some(_) => {
                Ok(with_rules!(variant, R => Box::new(reshape::Reshape::<R, Paired>::restore(params, unit, saved)?)))
            }
        },
        describe: describe::reshape,
    },
];

impl StrategyRow {
    /// Whether a setting changes what it does, or is one of every hunt.
    pub fn uses(&self, name: &str) -> bool {
        self.parameters.contains(&name)
    }

    /// Parameters of this strategy, all at their defaults.
    pub fn params(&self) -> Params {
        Params { strategy: self.strategy, ..Params::default() }
    }

    /// The best known nesting level in a variant; nothing where none is best.
    pub fn best_level(&self, variant: Variant) -> Option<u32> {
        let level = match variant {
            Variant::T5 | Variant::D5 => self.defaults.level_on_lines_of_5,
            Variant::T4 | Variant::D4 => self.defaults.level_on_lines_of_4,
        };
        Some(level).filter(|&level| level > 0)
    }

    /// The default of one of its parameters in words.
    pub fn default_text(&self, parameter: &SettingRow<Params>) -> String {
        let about = &parameter.about;
        if about.name == "level" {
            let levels = [Variant::T5, Variant::T4].map(|variant| self.best_level(variant));
            return match levels {
                [Some(five), Some(four)] if five == four => five.to_string(),
                [Some(five), Some(four)] => format!("{five} in 5T and 5D, else {four}"),
                _ => about.unset.to_owned(),
            };
        }
        match (parameter.show)(&self.params()) {
            Some(text) => plain_text(about, text),
            None => about.unset.to_owned(),
        }
    }
}

/// The text of a value for people: large counts with their unit.
pub fn plain_text(about: &SettingInfo, text: String) -> String {
    match (about.kind, parse_count(&text)) {
        (ValueKind::Count { .. }, Ok(count)) => show_count(count),
        _ => text,
    }
}

impl Strategy {
    /// The row of this strategy in the table.
    pub fn row(self) -> &'static StrategyRow {
        &STRATEGIES[self as usize]
    }

    /// All strategies, the strongest first.
    pub fn all() -> impl DoubleEndedIterator<Item = &'static StrategyRow> + Clone {
        STRATEGIES.iter().rev()
    }

    /// The strategy of that name.
    pub fn from_name(name: &str) -> Option<Strategy> {
        STRATEGIES.iter().find(|row| row.name == name).map(|row| row.strategy)
    }

    /// Its name in flags, files and the API.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether it can begin with given grids.
    pub fn takes_grids(self) -> bool {
        self.row().takes_grids
    }

    /// The best measured strategy for a variant, and why.
    pub fn best(variant: Variant) -> (Strategy, &'static str) {
        let best = STRATEGIES.iter().find_map(|row| {
            let (_, reason) = row.best_in.iter().find(|(of, _)| *of == variant)?;
            Some((row.strategy, *reason))
        });
        best.unwrap_or((Strategy::Nrpa, "it needs nothing to begin with"))
    }

    /// The names of the strategies that use a parameter, the strongest first.
    pub fn users(name: &str) -> Vec<&'static str> {
        Strategy::all().filter(|row| row.uses(name)).map(|row| row.name).collect()
    }
}

impl Params {
    /// The nesting level: the one asked for, or that which saved hunts without one mean.
    pub fn level(&self) -> u32 {
        self.level.unwrap_or(self.strategy.row().defaults.unnamed_level)
    }

    /// Calls of the level below per call, one at least.
    pub fn iterations(&self) -> u32 {
        self.iterations.unwrap_or(self.strategy.row().defaults.iterations).max(1)
    }

    /// Grids kept. Hunts that were begun before it depended on the strategy name theirs.
    pub fn pool(&self) -> u32 {
        self.pool.unwrap_or(self.strategy.row().defaults.pool)
    }

    /// Iterations without a longer grid that end a run, one at least. Hunts that were begun before it depended on the
    /// strategy name theirs.
    pub fn patience(&self) -> u64 {
        self.patience.unwrap_or(self.strategy.row().defaults.patience).max(1)
    }

    /// Exchanges of a step at most.
    pub fn swaps(&self) -> u32 {
        self.swaps.unwrap_or(self.strategy.row().defaults.swaps)
    }

    /// The search with its parameters in words, as files of grids have it.
    pub fn method(&self) -> String {
        let symmetric = self.symmetry.map_or(String::new(), |symmetry| format!(", {symmetry} symmetry"));
        let start = if self.start.is_cross() { String::new() } else { format!(", from {}", self.start.name()) };
        (self.strategy.row().describe)(self) + &symmetric + &start
    }
}

#[cfg(test)]
mod tests;

//! Solvers side by side: what each search needs to solve each position, in nodes and in processor time.
//!
//! A position and a search are flags of `morpion solve`. Each search begins with an empty table and asks for the
//! value alone. All that come to an end have to agree, so a table of costs is a check of the searches, too.

use super::budget::Stopwatch;
use super::error::{ExperimentError, Within, mistake};
use super::{Experiment, ExperimentResults, Listener, each};
use crate::core::game::MAX_VALUE;
use crate::core::quantity::grouped;
use crate::jobs::reading::SettingSource;
use crate::jobs::solve::{SolveJob, Visitor};
use crate::jobs::solve_settings::AskedSolution;
use crate::runner::engine::Plan;
use crate::runner::tree::solver::MakeEngine;
use crate::solvers::busy::Busy;
use crate::solvers::monitor::Monitor;
use crate::solvers::solvable::Solvable;
use crate::solvers::solve::{Bounds, EngineError, Goal, solve};
use crate::solvers::table::Table;
use serde::Deserialize;
use std::fmt::Write as _;

/// A comparison of solvers, as its configuration file states it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Solvers {
    #[serde(rename = "experiment")]
    _experiment: Experiment,
    /// Nodes after which a run is given up.
    budget: Option<u64>,
    /// The positions: each a name, a game, and flags of `morpion solve` for it.
    position: Vec<toml::Table>,
    /// The searches: each a name and flags of `morpion solve`; `positions` may name the positions that it is tried
    /// on.
    search: Vec<toml::Table>,
}

/// A search of a position.
struct SolverCase {
    position: String,
    search: String,
    job: SolveJob,
}

/// How it ended.
struct SolverCost {
    /// Bounds of the value, in points.
    bounds: Bounds,
    settled: bool,
    goal: Goal,
    nodes: u64,
    seconds: f64,
}

/// Takes the name out of a table.
fn named<'a>(table: &'a toml::Table, what: &str, number: usize) -> Result<(&'a str, toml::Table), ExperimentError> {
    let Some(toml::Value::String(name)) = table.get("name") else {
        return mistake(format!("{what} number {number}: a name is expected, as a text"));
    };
    if name.contains([',', '|', '\n']) {
        return mistake(format!("{what} '{name}': a name has no comma, bar or new line"));
    }
    let mut rest = table.clone();
    rest.remove("name");
    Ok((name, rest))
}

/// All names with their flags; no name stands twice.
fn all_named<'a>(tables: &'a [toml::Table], what: &str) -> Result<Vec<(&'a str, toml::Table)>, ExperimentError> {
    if tables.is_empty() {
        return mistake(format!("{what}: at least one is expected"));
    }
    let mut all: Vec<(&str, toml::Table)> = Vec::new();
    for (number, table) in (1..).zip(tables) {
        let (name, rest) = named(table, what, number)?;
        if all.iter().any(|(other, _)| *other == name) {
            return mistake(format!("{what} '{name}': there are two of this name"));
        }
        all.push((name, rest));
    }
    Ok(all)
}

/// The positions that a search is tried on, taken out of its flags; `None` is all.
fn chosen(flags: &mut toml::Table, known: &[(&str, toml::Table)]) -> Result<Option<Vec<String>>, ExperimentError> {
    let Some(value) = flags.remove("positions") else { return Ok(None) };
    let Ok(names) = value.try_into::<Vec<String>>() else {
        return mistake("positions: a list of names is expected".to_owned());
    };
    match names.iter().find(|name| known.iter().all(|(known, _)| known != name)) {
        Some(other) => mistake(format!("positions: there is no position '{other}'")),
        None => Ok(Some(names)),
    }
}

fn cases(config: &Solvers) -> Result<Vec<SolverCase>, ExperimentError> {
    let (positions, searches) = (all_named(&config.position, "position")?, all_named(&config.search, "search")?);
    let mut cases = Vec::new();
    for (search, mut flags) in searches {
        let only = chosen(&mut flags, &positions).within(|| format!("search '{search}'"))?;
        let is_meant = |name: &str| only.as_ref().is_none_or(|only| only.iter().any(|own| own == name));
        for (position, board) in positions.iter().filter(|(name, _)| is_meant(name)) {
            let job = job(board, &flags).within(|| format!("search '{search}', position '{position}'"))?;
            cases.push(SolverCase { position: (*position).to_owned(), search: search.to_owned(), job });
        }
    }
    Ok(cases)
}

/// The solution that the flags of a position and of a search stand for.
fn job(board: &toml::Table, flags: &toml::Table) -> Result<SolveJob, ExperimentError> {
    let mut settings = board.clone();
    for (key, value) in flags {
        if settings.insert(key.clone(), value.clone()).is_some() {
            return mistake(format!("{key} is given twice"));
        }
    }
    let job = AskedSolution::from_toml(settings, |_| SettingSource::Table)?.job()?;
    job.check()?;
    Ok(job)
}

/// A comparison of solvers whose configuration has been checked.
pub struct SolverPlan {
    budget: Option<u64>,
    positions: Vec<String>,
    searches: Vec<String>,
    cases: Vec<SolverCase>,
}

impl SolverPlan {
    /// Checks a configuration.
    ///
    /// # Errors
    /// A value that is out of range, or a position or search that there is not.
    pub fn new(config: Solvers) -> Result<SolverPlan, ExperimentError> {
        if config.budget == Some(0) {
            return mistake("budget = 0: at least one node is expected".to_owned());
        }
        let cases = cases(&config)?;
        let names = |tables: &[toml::Table]| -> Vec<String> {
            tables.iter().filter_map(|table| Some(table.get("name")?.as_str()?.to_owned())).collect()
        };
        let (positions, searches) = (names(&config.position), names(&config.search));
        Ok(SolverPlan { budget: config.budget, positions, searches, cases })
    }
}

/// Solves a position with an empty table.
struct SolveCase<'a> {
    job: &'a SolveJob,
    budget: Option<u64>,
}

impl Visitor for SolveCase<'_> {
    type Out = Result<SolverCost, ExperimentError>;

    fn visit<G: Solvable>(self, root: G) -> Result<SolverCost, ExperimentError> {
        let SolveCase { job, budget } = self;
        let plan = Plan::new(&job.choice, 1)?;
        let table = Table::new(job.memory)?;
        let monitor = budget.map_or_else(Monitor::default, Monitor::with_budget);
        let (busy, goal) = (Busy::default(), job.settings.goal);
        let mut engine = MakeEngine::<G>::make(&plan, &table, &busy, &monitor);
        let watch = Stopwatch::start();
        let solved = solve(&mut *engine, &root, goal, job.settings.guess, false, 0, &mut |_| ());
        let (seconds, nodes) = (watch.seconds(), engine.stats().nodes);
        let points = |value: i32| value.div_euclid(G::POINT);
        let bounds = match solved {
            Ok(solution) => {
                let Bounds { lower, upper } = solution.bounds;
                Some(Bounds { lower: points(lower), upper: points(upper) })
            }
            Err(EngineError::Stopped(_)) => None,
            Err(error) => return Err(error.into()),
        };
        let goal = match goal {
            Goal::Threshold(target) => Goal::Threshold(points(target)),
            goal => goal,
        };
        let open = Bounds { lower: -MAX_VALUE, upper: MAX_VALUE };
        Ok(SolverCost { bounds: bounds.unwrap_or(open), settled: bounds.is_some(), goal, nodes, seconds })
    }
}

impl SolverCost {
    fn value(&self) -> String {
        let Bounds { lower, .. } = self.bounds;
        match self.goal {
            _ if !self.settled => "open".to_owned(),
            Goal::Exact => self.bounds.text(1),
            Goal::WinLossDraw => ["lost", "drawn", "won"][(lower.signum() + 1).clamp(0, 2) as usize].to_owned(),
            Goal::Threshold(target) => if lower >= target { "yes" } else { "no" }.to_owned(),
        }
    }

    /// What it took, in nodes and seconds.
    fn cost(&self) -> String {
        let seconds = match self.seconds {
            s if s < 0.1 => format!("{s:.3}"),
            s if s < 10.0 => format!("{s:.2}"),
            s => format!("{s:.0}"),
        };
        let more = if self.settled { "" } else { "open after " };
        format!("{more}{}; {seconds} s", grouped(self.nodes))
    }
}

/// Runs all searches on their positions.
///
/// # Errors
/// If a search fails, or two of them disagree.
pub fn solvers(
    plan: &SolverPlan,
    threads: usize,
    listener: Listener<'_>,
) -> Result<ExperimentResults, ExperimentError> {
    let SolverPlan { budget, positions, searches, cases } = plan;
    let runs = each(cases.len(), threads, listener, |i| {
        let case = &cases[i];
        let cell = case.job.visit(SolveCase { job: &case.job, budget: *budget });
        let told =
            cell.as_ref().map_or_else(ToString::to_string, |cell| format!("{}, {}", cell.value(), cell.cost()));
        (format!("{}, {}: {told}", case.position, case.search), cell)
    })?;
    let mut cells = Vec::new();
    for (case, cell) in cases.iter().zip(runs) {
        cells.push((case, cell.within(|| format!("search '{}', position '{}'", case.search, case.position))?));
    }
    let values = positions.iter().map(|name| agreed(name, &cells)).collect::<Result<Vec<_>, _>>()?;

    let mut table = String::from("position,search,value,nodes,cpu_seconds\n");
    for (case, cell) in &cells {
        writeln!(table, "{},{},{},{},{:.4}", case.position, case.search, cell.value(), cell.nodes, cell.seconds)
            .expect("writing to a string");
    }
    let mut summary =
        String::from("Nodes and CPU seconds until the value is known; each search begins with an empty table.\n\n");
    let mut row = |cells: Vec<String>| summary.push_str(&format!("| {} |\n", cells.join(" | ")));
    let head = |first: &str, rest: &[String]| [&[first.to_owned()], rest].concat();
    row(head("search", positions));
    row(vec!["---".to_owned(); positions.len() + 1]);
    row(head("value", &values));
    for search in searches {
        let cost = |position: &String| {
            let of = |(case, _): &&(&SolverCase, SolverCost)| case.position == *position && case.search == *search;
            cells.iter().find(of).map_or(String::new(), |(_, cell)| cell.cost())
        };
        row(head(search, &positions.iter().map(cost).collect::<Vec<_>>()));
    }
    Ok(ExperimentResults {
        table,
        title: "Solvers: nodes and processor time".to_owned(),
        summary: Some(summary),
        grid: None,
        chart: None,
    })
}

/// The value of a position that all searches agree on.
fn agreed(position: &str, cells: &[(&SolverCase, SolverCost)]) -> Result<String, ExperimentError> {
    let mut known: Option<(&str, String)> = None;
    for (case, cell) in cells.iter().filter(|(case, cell)| case.position == position && cell.settled) {
        match &known {
            // Whether a threshold is reached, and by how much, are different questions.
            Some((other, value)) if *value != cell.value() => {
                return Err(ExperimentError::Disagreement(format!(
                    "position '{position}': {} by search '{}', but {value} by search '{other}'",
                    cell.value(),
                    case.search
                )));
            }
            Some(_) => (),
            None => known = Some((&case.search, cell.value())),
        }
    }
    Ok(known.map_or_else(|| "open".to_owned(), |(_, value)| value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configurations_can_be_run() {
        for name in ["solvers-reversi", "solvers-go"] {
            let path = format!("{}/configs/experiments/{name}.toml", env!("CARGO_MANIFEST_DIR"));
            let config: Solvers = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
            let cases = cases(&config).unwrap();
            assert!(cases.len() > 3 * config.search.len(), "{name}: {}", cases.len());
        }
    }

    #[test]
    fn searches_that_differ_are_named() {
        let settings = "game = 'reversi'\nsize = 4".parse().unwrap();
        let job = AskedSolution::from_toml(settings, |_| SettingSource::Table).unwrap().job().unwrap();
        let [right, wrong] = ["right", "wrong"].map(|search| SolverCase {
            position: "four".into(),
            search: search.into(),
            job: job.clone(),
        });
        let cell = |value, settled| {
            let bounds = Bounds { lower: value, upper: value };
            SolverCost { bounds, settled, goal: Goal::Exact, nodes: 1, seconds: 0.0 }
        };
        let open = |case| (case, cell(0, false));
        assert_eq!(agreed("four", &[(&right, cell(-8, true)), open(&wrong)]).unwrap(), "-8");
        assert_eq!(agreed("four", &[open(&wrong)]).unwrap(), "open");
        let error = agreed("four", &[(&right, cell(-8, true)), (&wrong, cell(2, true))]).unwrap_err().to_string();
        assert_eq!(error, "position 'four': +2 by search 'wrong', but -8 by search 'right'");
    }
}

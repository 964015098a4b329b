//! Solvers side by side: what each search needs to solve each position, in nodes and in processor time.
//!
//! A position and a search are flags of `morpion solve`. Each search begins with an empty table and asks for the
//! value alone. All that come to an end have to agree, so a table of costs is a check of the searches, too.

use super::{Experiment, ExperimentResults, Stopwatch, each};
use crate::cli::solve::display::{grouped, range};
use crate::core::game::MAX_VALUE;
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
use anyhow::{Context, bail, ensure};
use serde::Deserialize;
use std::fmt::Write as _;

/// A comparison of solvers, as its configuration file states it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Solvers {
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
struct SolverCase<'a> {
    position: &'a str,
    search: &'a str,
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
fn named<'a>(table: &'a toml::Table, what: &str, number: usize) -> anyhow::Result<(&'a str, toml::Table)> {
    let Some(toml::Value::String(name)) = table.get("name") else {
        bail!("{what} number {number}: a name is expected, as a text");
    };
    ensure!(!name.contains([',', '|', '\n']), "{what} '{name}': a name has no comma, bar or new line");
    let mut rest = table.clone();
    rest.remove("name");
    Ok((name, rest))
}

/// All names with their flags; no name stands twice.
fn all_named<'a>(tables: &'a [toml::Table], what: &str) -> anyhow::Result<Vec<(&'a str, toml::Table)>> {
    ensure!(!tables.is_empty(), "{what}: at least one is expected");
    let mut all: Vec<(&str, toml::Table)> = Vec::new();
    for (number, table) in (1..).zip(tables) {
        let (name, rest) = named(table, what, number)?;
        ensure!(all.iter().all(|(other, _)| *other != name), "{what} '{name}': there are two of this name");
        all.push((name, rest));
    }
    Ok(all)
}

/// The positions that a search is tried on, taken out of its flags; `None` is all.
fn chosen(flags: &mut toml::Table, known: &[(&str, toml::Table)]) -> anyhow::Result<Option<Vec<String>>> {
    let Some(value) = flags.remove("positions") else { return Ok(None) };
    let names = value.try_into::<Vec<String>>().context("positions: a list of names is expected")?;
    if let Some(other) = names.iter().find(|name| known.iter().all(|(known, _)| known != name)) {
        bail!("positions: there is no position '{other}'");
    }
    Ok(Some(names))
}

fn cases(config: &Solvers) -> anyhow::Result<Vec<SolverCase<'_>>> {
    let (positions, searches) = (all_named(&config.position, "position")?, all_named(&config.search, "search")?);
    let mut cases = Vec::new();
    for (search, mut flags) in searches {
        let only = chosen(&mut flags, &positions).with_context(|| format!("search '{search}'"))?;
        let is_meant = |name: &str| only.as_ref().is_none_or(|only| only.iter().any(|own| own == name));
        for (position, board) in positions.iter().filter(|(name, _)| is_meant(name)) {
            let within = || format!("search '{search}', position '{position}'");
            let mut settings = board.clone();
            for (key, value) in &flags {
                ensure!(settings.insert(key.clone(), value.clone()).is_none(), "{}: {key} is given twice", within());
            }
            let asked = AskedSolution::from_toml(settings, |_| SettingSource::Table).with_context(within)?;
            let job = asked.job().with_context(within)?;
            job.check().with_context(within)?;
            cases.push(SolverCase { position, search, job });
        }
    }
    Ok(cases)
}

/// Solves a position with an empty table.
struct SolveCase<'a> {
    job: &'a SolveJob,
    budget: Option<u64>,
}

impl Visitor for SolveCase<'_> {
    type Out = anyhow::Result<SolverCost>;

    fn visit<G: Solvable>(self, root: G) -> anyhow::Result<SolverCost> {
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
            Goal::Exact => range(self.bounds, 1),
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
pub(super) fn solvers(config: &Solvers, threads: usize) -> anyhow::Result<ExperimentResults> {
    ensure!(config.budget != Some(0), "budget = 0: at least one node is expected");
    let cases = cases(config)?;
    let runs = each(cases.len(), threads, |i| {
        let case = &cases[i];
        let cell = case.job.visit(SolveCase { job: &case.job, budget: config.budget });
        let told = cell
            .as_ref()
            .map_or_else(|error| format!("{error:#}"), |cell| format!("{}, {}", cell.value(), cell.cost()));
        (format!("{}, {}: {told}", case.position, case.search), cell)
    })?;
    let mut cells = Vec::new();
    for (case, cell) in cases.iter().zip(runs) {
        cells.push((case, cell.with_context(|| format!("search '{}', position '{}'", case.search, case.position))?));
    }
    let names = |tables: &[toml::Table]| -> Vec<String> {
        tables.iter().filter_map(|table| Some(table.get("name")?.as_str()?.to_owned())).collect()
    };
    let (positions, searches) = (names(&config.position), names(&config.search));
    let values: Vec<String> = positions.iter().map(|name| agreed(name, &cells)).collect::<anyhow::Result<_>>()?;

    let mut table = String::from("position,search,value,nodes,cpu_seconds\n");
    for (case, cell) in &cells {
        writeln!(table, "{},{},{},{},{:.4}", case.position, case.search, cell.value(), cell.nodes, cell.seconds)?;
    }
    let mut summary =
        String::from("Nodes and CPU seconds until the value is known; each search begins with an empty table.\n\n");
    let mut row = |cells: Vec<String>| summary.push_str(&format!("| {} |\n", cells.join(" | ")));
    let head = |first: &str, rest: &[String]| [&[first.to_owned()], rest].concat();
    row(head("search", &positions));
    row(vec!["---".to_owned(); positions.len() + 1]);
    row(head("value", &values));
    for search in &searches {
        let cost = |position: &String| {
            let of = |(case, _): &&(&SolverCase, SolverCost)| case.position == position && case.search == search;
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
fn agreed(position: &str, cells: &[(&SolverCase, SolverCost)]) -> anyhow::Result<String> {
    let mut known: Option<(&str, String)> = None;
    for (case, cell) in cells.iter().filter(|(case, cell)| case.position == position && cell.settled) {
        match &known {
            // Whether a threshold is reached, and by how much, are different questions.
            Some((other, value)) if *value != cell.value() => bail!(
                "position '{position}': {} by search '{}', but {value} by search '{other}'",
                cell.value(),
                case.search
            ),
            Some(_) => (),
            None => known = Some((case.search, cell.value())),
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
        let [right, wrong] =
            ["right", "wrong"].map(|search| SolverCase { position: "four", search, job: job.clone() });
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

//! `morpion solve GAME --units`: the value by units of work, which survives Ctrl-C and crashes with `--state`.

use super::display::{JSON_VERSION, live_line, side_name, verdict};
use super::options::AskedSearch;
use crate::cli::machine;
use crate::cli::streams::say;
use crate::core::game::{Game, Value};
use crate::core::quantity::grouped;
use crate::jobs::setup::PositionToSolve;
use crate::jobs::solve::{goal_name, identity};
use crate::jobs::tree::coordinator::Coordinator;
use crate::jobs::tree::credit::{Credit, Tally, Worker, by_user, total};
use crate::jobs::tree::record::TreeEvent;
use crate::jobs::tree::settings::TreeSettings;
use crate::jobs::tree::state::TreeState;
use crate::runner::Interrupt;
use crate::runner::engine::Plan;
use crate::runner::progress::Progress;
use crate::runner::tree::file::{self, OpenedTree};
use crate::runner::tree::searches::SearchStates;
use crate::runner::tree::solver::{ByEngine, SharedTable, Solver};
use crate::runner::tree::store::TreeStore;
use crate::runner::tree::{CreditedSolver, SolveEnding, SolveListener, solve_by_units};
use crate::solvers::solvable::Solvable;
use crate::solvers::solve::Goal;
use crate::solvers::table::Table;
use anyhow::bail;
use indicatif::ProgressBar;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Instant;

/// What was found by units.
pub struct UnitsFound {
    /// Nodes of all units, those of earlier runs included.
    pub nodes: u64,
    /// Seconds of processor time of this run.
    pub cpu: Option<f64>,
    /// The value in points, if it is known.
    pub exact: Option<i32>,
    /// Whether the question is answered, and nothing contradicts the answer.
    pub settled: bool,
}

/// Solves one position and prints what was found.
///
/// # Errors
/// Options that do not go together, a state that cannot be used or written.
pub fn solve_one<G: Solvable>(
    problem: &PositionToSolve<G>,
    title: &str,
    plan: Plan,
    options: &AskedSearch,
    interrupt: &Interrupt,
    out: &mut dyn Write,
) -> anyhow::Result<UnitsFound> {
    let settings = options.question.tree(&problem.position);
    if options.flags.threads < settings.quorum {
        bail!(
            "--quorum {} needs as many workers: give --threads {0} or more, one of them to decide where two differ",
            settings.quorum
        );
    }
    let (state, mut files) = begin(problem, title, options, settings)?;
    let memory = options.memory();
    // Before anything is begun.
    drop(Table::new(memory)?);
    let tables = SharedTable::new(memory, 0, state.settings());
    let factory = |place: usize| {
        tables.add_solver();
        let tables = Arc::clone(&tables);
        CreditedSolver {
            user: options.question.user.clone(),
            name: (place + 1).to_string(),
            factory: Box::new(move || Ok(Box::new(ByEngine::new(plan, tables.table()?)) as Box<dyn Solver<G>>)),
        }
    };
    let mut coordinator = Coordinator::new(state).growing_to(options.question.initial_depth);
    let (began, cpu) = (Instant::now(), machine::process_seconds());
    let bar = live_line();
    let mut display = UnitDisplay { bar: bar.as_ref(), label: &problem.label, began };
    let files = files.as_mut().map(|(store, searches)| (store, std::mem::take(searches)));
    let ended = solve_by_units(&mut coordinator, files, options.flags.threads, &factory, interrupt, &mut display);
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let ended = ended?;
    let cpu = machine::since(cpu);
    let report = UnitSolution { problem, title, options, state: coordinator.state(), ended, began, cpu };
    if options.flags.json {
        writeln!(out, "{}", report.to_json())?
    } else {
        report.write(out)?
    }
    let state = coordinator.state();
    let exact = state.bounds().settle(Goal::Exact).then_some(state.bounds().lower / G::POINT);
    let settled = state.is_finished() && state.meta().contradictions == 0;
    Ok(UnitsFound { nodes: total(state.workers()).all().nodes, cpu, exact, settled })
}

/// The file of a solution, and the states of its searches.
type TreeFiles = (TreeStore, SearchStates);

/// The state to go on with, or a new one.
fn begin<G: Game>(
    problem: &PositionToSolve<G>,
    title: &str,
    options: &AskedSearch,
    settings: TreeSettings,
) -> anyhow::Result<(TreeState<G>, Option<TreeFiles>)> {
    let root = problem.position.clone();
    let Some(directory) = &options.flags.state else { return Ok((TreeState::new(root, settings)?, None)) };
    let question = &options.question;
    let job = identity(title, &problem.text, &question.choice(), options.memory(), question.initial_depth);
    let opened = file::open(directory, question.store, &job, root, settings)?;
    let OpenedTree { state, store, searches, notice, .. } = opened;
    if let Some(notice) = notice {
        say!("morpion: {notice}");
    }
    Ok((state, Some((store, searches))))
}

/// Shows how it stands: warnings as lines, the rest in a line that is rewritten.
struct UnitDisplay<'a> {
    bar: Option<&'a ProgressBar>,
    label: &'a str,
    began: Instant,
}

impl<G: Game> SolveListener<G> for UnitDisplay<'_> {
    fn event(&mut self, state: &TreeState<G>, event: &TreeEvent, _: f64) -> io::Result<()> {
        let say = |text: String| match self.bar {
            Some(bar) => bar.suspend(|| say!("{text}")),
            None => say!("{text}"),
        };
        let name = |worker: u32| state.workers().get(worker as usize).map_or_else(String::new, full_name);
        match event {
            TreeEvent::Refused { unit, worker } => say(format!("worker {} was wrong on unit {unit}", name(*worker))),
            TreeEvent::Distrusted { worker } => {
                say(format!("worker {} is often wrong: it is no longer trusted", name(*worker)));
            }
            TreeEvent::Contradiction { .. } => {
                say("answers contradict each other: some worker was wrong, and believed; --quorum 2 would have noticed"
                    .to_owned());
            }
            _ => (),
        }
        Ok(())
    }

    fn progress(&mut self, state: &TreeState<G>, progress: &Progress) -> io::Result<()> {
        let Some(bar) = self.bar else { return Ok(()) };
        let (alpha, beta) = (state.meta().aim.window.alpha, state.meta().aim.window.beta);
        let asked = match beta - alpha {
            1 => format!("at least {:+}?", beta.div_euclid(G::POINT)),
            _ => format!("{:+}..{:+}?", alpha.div_euclid(G::POINT), -(-beta).div_euclid(G::POINT)),
        };
        let label = if self.label.is_empty() { String::new() } else { format!("{}: ", self.label) };
        bar.set_message(format!(
            "{label}value {}, {asked} {} leaves needed; units: {} done, {} running; {} nodes, {:.0} s",
            state.bounds().text(G::POINT),
            state.leaves().len(),
            grouped(total(state.workers()).accepted.units),
            progress.running.len(),
            grouped(progress.iterations),
            self.began.elapsed().as_secs_f64(),
        ));
        bar.tick();
        Ok(())
    }
}

fn full_name(worker: &Worker) -> String {
    format!("{}/{}", worker.user, worker.name)
}

/// What there is to say at the end.
struct UnitSolution<'a, G> {
    problem: &'a PositionToSolve<G>,
    title: &'a str,
    options: &'a AskedSearch,
    state: &'a TreeState<G>,
    ended: SolveEnding,
    began: Instant,
    cpu: Option<f64>,
}

impl<G: Game> UnitSolution<'_, G> {
    fn goal(&self) -> Goal {
        self.state.settings().goal
    }

    fn best_moves(&self) -> Vec<String> {
        let position = &self.problem.position;
        let moves = self.state.best_moves().into_iter().filter_map(|code| position.decode(code));
        if self.state.is_finished() { moves.map(|m| position.name(m)).collect() } else { Vec::new() }
    }

    fn write(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let UnitSolution { problem, state, options, .. } = self;
        let label = if problem.label.is_empty() { String::new() } else { format!(", {}", problem.label) };
        writeln!(out, "{}{label}\n{}", self.title, problem.position)?;
        let side = problem.position.side();
        writeln!(out, "value       {}", verdict(state.bounds(), side, G::POINT, self.goal()))?;
        let all = total(state.workers());
        let tally = |tally: Tally| {
            format!(
                "{} units, {} nodes, {:.2} CPU seconds",
                grouped(tally.units),
                grouped(tally.nodes),
                tally.seconds()
            )
        };
        writeln!(out, "took        {}", tally(all.all()))?;
        let rows = |out: &mut dyn Write, credit: Credit| -> std::io::Result<()> {
            for (name, part) in [("not needed", credit.stopped), ("refused", credit.rejected)] {
                if part.units > 0 {
                    writeln!(out, "  {name:<12}{}", tally(part))?;
                }
            }
            Ok(())
        };
        rows(out, all)?;
        let exhausted: u64 = state.meta().levels.iter().map(|level| level.exhausted).sum();
        writeln!(
            out,
            "tree        {} nodes on top, {} of them split after a unit's budget",
            grouped(state.nodes().len() as u64),
            grouped(exhausted)
        )?;
        let seconds = self.began.elapsed().as_secs_f64();
        let cpu = self.cpu.map_or(String::new(), |cpu| format!(", {cpu:.2} CPU seconds"));
        writeln!(out, "this run    {seconds:.2} s{cpu}")?;
        if state.meta().contradictions > 0 {
            writeln!(out, "doubtful    {} contradictions among the answers", state.meta().contradictions)?;
        }
        if self.ended != SolveEnding::Solved {
            let how = if options.flags.state.is_some() { "; the same command continues" } else { "" };
            writeln!(out, "stopped     interrupted{how}")?;
        }
        let best = self.best_moves();
        if !best.is_empty() {
            writeln!(out, "best moves  {} (there may be more)", best.join(" "))?;
        }
        if state.workers().len() > 1 {
            for worker in state.workers() {
                let trust = if worker.distrusted { ", no longer trusted" } else { "" };
                let wrong = if worker.wrong > 0 { format!(", {} wrong", worker.wrong) } else { String::new() };
                writeln!(out, "worker      {}: {}{wrong}{trust}", full_name(worker), tally(worker.credit.all()))?;
            }
        }
        let users = by_user(state.workers());
        if users.len() > 1 {
            for (user, credit) in users {
                writeln!(out, "user        {user}: {}", tally(credit.all()))?;
            }
        }
        Ok(())
    }

    fn to_json(&self) -> serde_json::Value {
        let UnitSolution { problem, state, options, .. } = self;
        let point: Value = G::POINT;
        let tally = |tally: Tally| serde_json::json!({"units": tally.units, "nodes": tally.nodes, "cpu_seconds": tally.seconds()});
        let credit = |credit: &Credit| {
            serde_json::json!({
                "accepted": tally(credit.accepted),
                "not_needed": tally(credit.stopped),
                "refused": tally(credit.rejected),
            })
        };
        let workers: Vec<_> = (state.workers().iter())
            .map(|worker| {
                serde_json::json!({
                    "user": worker.user,
                    "name": worker.name,
                    "credit": credit(&worker.credit),
                    "right": worker.right,
                    "wrong": worker.wrong,
                    "failed": worker.failed,
                    "trusted": !worker.distrusted,
                })
            })
            .collect();
        let users: serde_json::Map<_, _> =
            by_user(state.workers()).into_iter().map(|(user, sum)| (user.to_owned(), credit(&sum))).collect();
        serde_json::json!({
            "version": JSON_VERSION,
            "command": "solve",
            "game": self.title,
            "position": problem.text,
            "side": side_name(problem.position.side()),
            "algorithm": options.algorithm(),
            "without": options.without(),
            "goal": goal_name(self.goal(), point),
            "settled": state.is_finished(),
            "stopped": (self.ended != SolveEnding::Solved).then_some("interrupted"),
            "lower": state.bounds().lower / point,
            "upper": state.bounds().upper / point,
            "known": problem.known,
            "best_moves": self.best_moves(),
            "units": {
                "budget": state.settings().budget,
                "feeder": state.settings().feeder,
                "quorum": state.settings().quorum,
                "fresh_tables": state.settings().fresh,
                "initial_depth": options.question.initial_depth,
                "store": options.flags.state.as_ref().map(|_| options.question.store),
                "tree_nodes": state.nodes().len(),
                "split": state.meta().levels.iter().map(|level| level.exhausted).sum::<u64>(),
                "contradictions": state.meta().contradictions,
                "credit": credit(&total(state.workers())),
                "users": users,
                "workers": workers,
            },
            "seconds": self.began.elapsed().as_secs_f64(),
            "cpu_seconds": self.cpu,
            "threads": options.flags.threads,
            "memory": options.memory(),
        })
    }
}

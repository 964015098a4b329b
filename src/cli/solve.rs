//! `morpion solve`: the value of a position of a two-player game, its principal variation, and all best moves.

pub mod display;
pub mod options;
pub mod units;

use super::flags::{FlagHelp, SettingFlags};
use super::positions::with_position_file;
use super::{machine, signals};
use crate::core::game::{Game, Side, Value};
use crate::core::quantity::grouped;
use crate::jobs::setup::go::GoSetup;
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::jobs::setup::reversi::ReversiSetup;
use crate::jobs::setup::{GameSetup, PositionToSolve};
use crate::jobs::solve::goal_name;
use crate::jobs::solve_settings::SolveSettings;
use crate::runner::Interrupt;
use crate::runner::engine::Plan;
use crate::runner::tree::solver::MakeEngine;
use crate::solvers::busy::Busy;
use crate::solvers::monitor::{Monitor, Stopped};
use crate::solvers::search::Stats;
use crate::solvers::solvable::{Playable, Solvable};
use crate::solvers::solve::{Bounds, EngineError, Goal, Solution, SolveProgress, solve};
use crate::solvers::table::Table;
use anyhow::{Context, bail};
use display::{JSON_VERSION, live_line, side_name, verdict};
use options::{AskedSearch, SolveFlags};
use std::io::Write;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Longest principal variation, in plies.
const LONGEST_LINE: usize = 1000;
/// Time between two looks at nodes and signals.
const TICK: Duration = Duration::from_millis(50);

/// Solve a position of a two-player game by search to the end.
///
/// Prints the value for the side to move, a principal variation and all best first moves. After Ctrl-C it stops,
/// prints the bounds known by then, and ends with exit status 1. With --units the work is cut into units and can be
/// continued.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    game: SolveGame,
}

/// One line per game.
#[derive(Debug, clap::Subcommand)]
enum SolveGame {
    /// Go on boards up to 7x7
    Go(SolveOf<GoSetup>),
    /// Gomoku (five in a row) and m,n,k games on boards up to 20x20
    Gomoku(SolveOf<GomokuSetup>),
    /// Reversi (Othello) on boards up to 8x8
    Reversi(SolveOf<ReversiSetup>),
}

#[derive(Debug, clap::Args)]
struct SolveOf<S: FlagHelp + 'static> {
    #[command(flatten)]
    settings: SettingFlags<SolveSettings<S>>,
    #[command(flatten)]
    flags: SolveFlags,
}

/// Runs the command.
///
/// # Errors
/// A position that cannot be read, options that do not go together, no memory, or output that cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match args.game {
        SolveGame::Go(of) => solve_game(of, out),
        SolveGame::Gomoku(of) => solve_game(of, out),
        SolveGame::Reversi(of) => solve_game(of, out),
    }
}

/// Reads the positions of a game, and solves them.
fn solve_game<S: GameSetup + FlagHelp>(of: SolveOf<S>, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let given = with_position_file(of.settings.given)?;
    let SolveSettings { setup, options: question } = SolveSettings::<S>::of(&given)?;
    let problems = setup.problems().map_err(|error| error.placed(&given))?;
    let size = problems.first().context("there is no position")?.position.size();
    solve_all(problems, &setup.title(size), &AskedSearch { question, flags: of.flags, given }, out)
}

/// Solves the positions one after the other and prints what was found.
fn solve_all<G: Solvable>(
    problems: Vec<PositionToSolve<G>>,
    title: &str,
    options: &AskedSearch,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    // Options that do not go together are told of before anything else.
    let plan = options.plan()?;
    if options.flags.units {
        return solve_all_by_units(problems, title, options, out);
    }
    let table = Table::new(options.memory())?;
    let interrupt = Interrupt::default();
    signals::watch(interrupt.clone()).context("cannot watch for Ctrl-C")?;
    let (mut nodes, mut cpu_seconds, mut wrong, mut open) = (0, Some(0.0), 0, 0);
    let count = problems.len();
    for (n, problem) in problems.into_iter().enumerate() {
        if n > 0 {
            // Another position: nothing of the table can be of use, and times are comparable.
            table.clear();
        }
        let found = solve_one(&problem, &plan, options, &table, &interrupt)?;
        let value_nodes = found.value_stats.nodes;
        nodes += value_nodes;
        cpu_seconds = cpu_seconds.zip(found.value_cpu).map(|(sum, more)| sum + more);
        let exact = found.bounds.settle(Goal::Exact).then_some(found.bounds.lower / G::POINT);
        let differs = problem.known.zip(exact).is_some_and(|(known, value)| known != value);
        wrong += u32::from(differs);
        open += u32::from(found.stopped.is_some());
        if options.flags.json {
            writeln!(out, "{}", found.to_json(&problem, title, options))?;
        } else {
            found.write(&problem, title, options, out)?;
            if let (true, Some(known)) = (differs, problem.known) {
                writeln!(out, "the file says {known:+}")?;
            }
            if n + 1 < count {
                writeln!(out)?;
            }
        }
        out.flush()?;
        if interrupt.asked() {
            break;
        }
    }
    if count > 1 && !options.flags.json {
        write_sum(nodes, cpu_seconds, out)?;
    }
    Ok(if wrong == 0 && open == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Solves the positions one after the other by units and prints what was found.
fn solve_all_by_units<G: Solvable>(
    problems: Vec<PositionToSolve<G>>,
    title: &str,
    options: &AskedSearch,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    if problems.len() > 1 && options.flags.state.is_some() {
        bail!("--state is for one position, and there are {}", problems.len());
    }
    let plan = options.plan()?;
    let interrupt = Interrupt::default();
    signals::watch(interrupt.clone()).context("cannot watch for Ctrl-C")?;
    let (mut nodes, mut cpu_seconds, mut bad) = (0, Some(0.0), 0);
    let count = problems.len();
    for (n, problem) in problems.into_iter().enumerate() {
        let found = units::solve_one(&problem, title, plan, options, &interrupt, out)?;
        nodes += found.nodes;
        cpu_seconds = cpu_seconds.zip(found.cpu).map(|(sum, more)| sum + more);
        let differs = problem.known.zip(found.exact).filter(|(known, value)| known != value);
        bad += u32::from(differs.is_some() || !found.settled);
        if let (Some((known, _)), false) = (differs, options.flags.json) {
            writeln!(out, "the file says {known:+}")?;
        }
        if n + 1 < count && !options.flags.json {
            writeln!(out)?;
        }
        out.flush()?;
        if interrupt.asked() {
            break;
        }
    }
    if count > 1 && !options.flags.json {
        write_sum(nodes, cpu_seconds, out)?;
    }
    Ok(if bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn write_sum(nodes: u64, cpu_seconds: Option<f64>, out: &mut dyn Write) -> std::io::Result<()> {
    let time = cpu_seconds.map_or(String::new(), |s| format!(", {s:.2} CPU seconds"));
    writeln!(out, "\nfor all values: {} nodes{time}", grouped(nodes))
}

/// What was found of a position, and what it took.
struct FoundSolution {
    bounds: Bounds,
    side: Side,
    point: Value,
    stopped: Option<EngineError>,
    line: Vec<String>,
    best: Vec<String>,
    value_stats: Stats,
    stats: Stats,
    value_seconds: f64,
    value_cpu: Option<f64>,
    seconds: f64,
    cpu: Option<f64>,
}

/// What the display shows while a search runs.
struct Shown {
    bounds: Bounds,
    window: Option<(Value, Value)>,
    stage: String,
}

fn solve_one<G: Solvable>(
    problem: &PositionToSolve<G>,
    plan: &Plan,
    options: &AskedSearch,
    table: &Table,
    interrupt: &Interrupt,
) -> anyhow::Result<FoundSolution> {
    let position = &problem.position;
    let monitor = options.flags.budget.map_or_else(Monitor::default, Monitor::with_budget);
    let busy = Busy::default();
    let mut engine = plan.make(table, &busy, &monitor);
    let (lower, upper) = position.bounds();
    let first = Bounds { lower, upper };
    let shown = Mutex::new(Shown { bounds: first, window: None, stage: String::new() });
    let (began, cpu) = (Instant::now(), machine::process_seconds());
    let (mut value_seconds, mut value_cpu) = (None, None);
    let done = AtomicBool::new(false);
    let result = std::thread::scope(|scope| {
        scope.spawn(|| watch::<G>(&monitor, interrupt, &shown, &done, began, &problem.label));
        let guess = options.question.guess(G::POINT);
        let result = solve(
            &mut *engine,
            position,
            options.question.goal(G::POINT),
            guess,
            !options.flags.value_only,
            LONGEST_LINE,
            &mut |progress| {
                let Ok(mut shown) = shown.lock() else { return };
                match progress {
                    SolveProgress::Asking { window, bounds } => {
                        (shown.bounds, shown.window) = (bounds, Some(window));
                    }
                    SolveProgress::Solved(bounds) => {
                        (value_seconds, value_cpu) = (Some(began.elapsed().as_secs_f64()), machine::since(cpu));
                        (shown.bounds, shown.window, shown.stage) = (bounds, None, ", finding its line".to_owned());
                    }
                    SolveProgress::Moves { done, of, best } => {
                        shown.stage = format!(", move {} of {of}, best: {}", done + 1, best.join(" "));
                    }
                }
            },
        );
        done.store(true, Ordering::Relaxed);
        result
    });
    let (seconds, all_cpu) = (began.elapsed().as_secs_f64(), machine::since(cpu));
    let shown = shown.into_inner().unwrap_or_else(|broken| broken.into_inner());
    let (solution, stopped) = match result {
        Ok(solution) => (solution, None),
        Err(error @ EngineError::TooDeep(_)) => return Err(error.into()),
        Err(error) => {
            let (stats, bounds) = (engine.stats(), shown.bounds);
            (Solution { bounds, value_stats: stats, stats, line: Vec::new(), best: Vec::new() }, Some(error))
        }
    };
    let mut line = Vec::new();
    let mut at = position.clone();
    for &m in &solution.line {
        line.push(at.name(m));
        at.play(m);
    }
    Ok(FoundSolution {
        bounds: solution.bounds,
        side: position.side(),
        point: G::POINT,
        stopped,
        line,
        best: solution.best.iter().map(|&m| position.name(m)).collect(),
        value_stats: solution.value_stats,
        stats: solution.stats,
        value_seconds: value_seconds.unwrap_or(seconds),
        value_cpu: value_cpu.or(all_cpu),
        seconds,
        cpu: all_cpu,
    })
}

/// Shows how a search stands, on a terminal, and passes a Ctrl-C on to it, until it is done.
fn watch<G: Game>(
    monitor: &Monitor,
    interrupt: &Interrupt,
    shown: &Mutex<Shown>,
    done: &AtomicBool,
    began: Instant,
    label: &str,
) {
    let bar = live_line();
    while !done.load(Ordering::Relaxed) {
        if interrupt.asked() {
            monitor.stop();
        }
        if let (Some(bar), Ok(shown)) = (&bar, shown.lock()) {
            let (nodes, seconds) = (monitor.nodes(), began.elapsed().as_secs_f64());
            let window = match shown.window {
                Some((alpha, beta)) if beta - alpha > 1 && beta <= crate::core::game::MAX_VALUE => {
                    format!(", window {:+}..{:+}", alpha.div_euclid(G::POINT), -(-beta).div_euclid(G::POINT))
                }
                _ => String::new(),
            };
            let label = if label.is_empty() { String::new() } else { format!("{label}: ") };
            let speed = nodes as f64 / seconds.max(1e-3) / 1e6;
            bar.set_message(format!(
                "{label}value {}{window}{}; {} nodes, {speed:.1} M/s, {seconds:.0} s",
                shown.bounds.text(G::POINT),
                shown.stage,
                grouped(nodes),
            ));
            bar.tick();
        }
        std::thread::sleep(TICK);
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

impl FoundSolution {
    fn write<G>(
        &self,
        problem: &PositionToSolve<G>,
        title: &str,
        options: &AskedSearch,
        out: &mut dyn Write,
    ) -> anyhow::Result<()>
    where
        G: Game,
    {
        let label = if problem.label.is_empty() { String::new() } else { format!(", {}", problem.label) };
        writeln!(out, "{title}{label}\n{}", problem.position)?;
        writeln!(
            out,
            "value       {}",
            verdict(self.bounds, self.side, self.point, options.question.goal(self.point))
        )?;
        let took = |nodes: u64, seconds: f64, cpu: Option<f64>| {
            let cpu = cpu.map_or(String::new(), |cpu| format!(", {cpu:.2} CPU seconds"));
            format!("{} nodes, {seconds:.2} s{cpu}", grouped(nodes))
        };
        writeln!(out, "took        {}", took(self.value_stats.nodes, self.value_seconds, self.value_cpu))?;
        if let Some(reason) = self.stopped {
            writeln!(out, "stopped     {reason}")?;
        } else if !options.flags.value_only {
            writeln!(out, "best moves  {}", self.best.join(" "))?;
            writeln!(out, "line        {}", self.line.join(" "))?;
            writeln!(out, "took in all {}", took(self.stats.nodes, self.seconds, self.cpu))?;
        }
        Ok(())
    }

    fn to_json<G>(&self, problem: &PositionToSolve<G>, title: &str, options: &AskedSearch) -> serde_json::Value {
        let goal = options.question.goal(self.point);
        serde_json::json!({
            "version": JSON_VERSION,
            "command": "solve",
            "game": title,
            "position": problem.text,
            "side": side_name(self.side),
            "algorithm": options.algorithm(),
            "without": options.without(),
            "goal": goal_name(goal, self.point),
            "settled": self.bounds.settle(goal),
            "stopped": match self.stopped {
                None => None,
                Some(EngineError::Stopped(Stopped::Budget)) => Some("budget"),
                Some(_) => Some("interrupted"),
            },
            "lower": self.bounds.lower / self.point,
            "upper": self.bounds.upper / self.point,
            "known": problem.known,
            "best_moves": self.best,
            "line": self.line,
            "value_stats": self.value_stats,
            "stats": self.stats,
            "value_seconds": self.value_seconds,
            "value_cpu_seconds": self.value_cpu,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu,
            "threads": options.flags.threads,
            "memory": options.memory(),
        })
    }
}

//! `morpion solve`: the value of a position of a two-player game, its principal variation, and all best moves.

use super::{go, machine, reversi, signals};
use crate::core::game::{Game, Side, Value};
use crate::runner::parallel::Parallel;
use crate::runner::{Interrupt, MAX_THREADS};
use crate::solvers::algorithm::{Algorithm, DepthFirst};
use crate::solvers::busy::Busy;
use crate::solvers::dfpn::Dfpn;
use crate::solvers::monitor::{Monitor, Stopped};
use crate::solvers::search::{Parts, Stats};
use crate::solvers::solve::{Bounds, Engine, EngineError, Goal, Progress, Solution, solve};
use crate::solvers::table::{LEAST_BYTES, Table};
use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Version of the `--json` output.
const JSON_VERSION: u32 = 1;
/// Longest principal variation, in plies.
const LONGEST_LINE: usize = 1000;
/// Time between two looks at nodes and signals.
const TICK: Duration = Duration::from_millis(50);

/// Solve a position of a two-player game by search to the end.
///
/// Prints the value for the side to move, a principal variation and all best first moves. Ctrl-C stops it and prints
/// the bounds known by then, with exit status 1.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    game: Games,
}

/// One line per game.
#[derive(Debug, clap::Subcommand)]
enum Games {
    /// Go on boards up to 7x7
    Go(Of<go::Setup>),
    /// Reversi (Othello)
    Reversi(Of<reversi::Setup>),
}

#[derive(Debug, clap::Args)]
struct Of<S: clap::Args> {
    #[command(flatten)]
    setup: S,
    #[command(flatten)]
    options: Options,
}

/// What all games have in common.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// How to search [default: the game's own solver, or negascout]
    #[arg(long, value_enum)]
    algorithm: Option<Name>,
    /// Parts of the search to do without, separated by commas
    #[arg(long, value_enum, value_name = "PARTS", value_delimiter = ',')]
    without: Vec<Part>,
    /// What to find out
    #[arg(long, value_enum, default_value_t = What::Exact, conflicts_with = "threshold")]
    value: What,
    /// Find out only whether the side to move gets at least N points
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(i32).range(-1000..=1000))]
    threshold: Option<i32>,
    /// Memory for the transposition table, such as 512M or 4G
    #[arg(long, value_name = "BYTES", default_value = "512M", value_parser = parse_bytes)]
    memory: u64,
    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: u32,
    /// Give up after about so many nodes per position
    #[arg(long, value_name = "N")]
    budget: Option<u64>,
    /// Find the value only, without the principal variation and the best moves
    #[arg(long)]
    value_only: bool,
    /// Print one JSON object per position instead of the text
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Name {
    /// The solver made for this game alone
    Special,
    /// Every position down to the end
    Minimax,
    /// Alpha-beta, written for both sides apart
    Alphabeta,
    /// Alpha-beta, in negamax form
    Negamax,
    /// NegaScout (principal variation search)
    Negascout,
    /// MTD(f)
    Mtdf,
    /// Depth-first proof-number search
    Dfpn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// The value
    Exact,
    /// Who wins
    WinLossDraw,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Transposition table
    Table,
    /// Symmetric positions as one
    Symmetry,
    /// Enhanced transposition cut-off
    Etc,
    /// Killer moves
    Killers,
    /// History heuristic
    History,
    /// The game's own order of moves
    Prior,
    /// The game's own bounds, such as stable discs
    Bounds,
    /// Iterative deepening
    Deepening,
}

/// A position to be solved.
#[derive(Debug, Clone)]
pub struct Problem<G> {
    /// What tells it from the others of its file; empty if there is one only.
    pub label: String,
    /// The position as one line of text.
    pub text: String,
    /// The position.
    pub position: G,
    /// Its value for the side to move, in points, as far as the file says.
    pub known: Option<i32>,
}

/// Makes a game's own solver, with so many threads.
pub type Special<G> = for<'a> fn(usize, &'a Table, &'a Busy, &'a Monitor) -> Box<dyn Engine<G> + 'a>;

/// Runs the command.
///
/// # Errors
/// A position that cannot be read, options that do not go together, no memory, or output that cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match args.game {
        Games::Go(of) => solve_all(of.setup.problems()?, &of.setup.title()?, go::Setup::special(), &of.options, out),
        Games::Reversi(of) => {
            solve_all(of.setup.problems()?, &of.setup.title(), reversi::Setup::special(), &of.options, out)
        }
    }
}

/// A number of bytes with a unit: powers of 1024.
fn parse_bytes(text: &str) -> anyhow::Result<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1u64,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        _ => bail!("not a number of bytes with K, M or G behind it"),
    };
    let number: u64 =
        digits.parse().map_err(|_| anyhow::anyhow!("not a number of bytes with K, M or G behind it"))?;
    let bytes = number.checked_mul(factor).context("more bytes than any machine has")?;
    if bytes < LEAST_BYTES {
        bail!("too little for a table: at least {LEAST_BYTES} bytes");
    }
    Ok(bytes)
}

/// Seconds of processor time since an earlier look at it.
pub fn since(before: Option<f64>) -> Option<f64> {
    Some(machine::process_seconds()? - before?)
}

impl Options {
    fn parts(&self) -> Parts {
        let mut parts = Parts::ALL;
        for part in &self.without {
            *match part {
                Part::Table => &mut parts.table,
                Part::Symmetry => &mut parts.symmetry,
                Part::Etc => &mut parts.transposition_cutoff,
                Part::Killers => &mut parts.killers,
                Part::History => &mut parts.history,
                Part::Prior => &mut parts.prior,
                Part::Bounds => &mut parts.bounds,
                Part::Deepening => &mut parts.deepening,
            } = false;
        }
        parts
    }

    fn goal(&self, point: Value) -> Goal {
        match (self.threshold, self.value) {
            (Some(threshold), _) => Goal::Threshold(threshold * point),
            (None, What::Exact) => Goal::Exact,
            (None, What::WinLossDraw) => Goal::WinLossDraw,
        }
    }

    /// The engine that the options ask for.
    fn engine<'a, G: Game + Sync + 'a>(
        &self,
        special: Option<Special<G>>,
        table: &'a Table,
        busy: &'a Busy,
        monitor: &'a Monitor,
    ) -> anyhow::Result<Box<dyn Engine<G> + 'a>> {
        let threads = self.threads;
        if !(1..=MAX_THREADS).contains(&threads) {
            bail!("--threads {threads} is out of range: 1 to {MAX_THREADS}");
        }
        let name = self.algorithm.unwrap_or(if special.is_some() { Name::Special } else { Name::Negascout });
        let crew = usize::try_from(threads)?;
        let parts = self.parts();
        let shares = matches!(name, Name::Special | Name::Negascout | Name::Mtdf);
        if threads > 1 && !shares {
            bail!("--threads {threads}: only special, negascout and mtdf share their work among threads");
        }
        if threads > 1 && !parts.table {
            bail!("--threads {threads} needs the transposition table, which --without table takes away");
        }
        let algorithm = match name {
            Name::Special => {
                if !self.without.is_empty() {
                    bail!("--without is for the general algorithms: choose one by --algorithm");
                }
                let make = special.context("this game has no solver of its own: choose another --algorithm")?;
                return Ok(make(crew, table, busy, monitor));
            }
            Name::Dfpn => {
                let (symmetry, bounds) = (parts.symmetry, parts.bounds);
                return Ok(Box::new(Dfpn { symmetry, bounds, table, monitor, stats: Stats::default() }));
            }
            Name::Minimax => Algorithm::Minimax,
            Name::Alphabeta => Algorithm::AlphaBeta,
            Name::Negamax => Algorithm::Negamax,
            Name::Negascout => Algorithm::NegaScout,
            Name::Mtdf => Algorithm::Mtdf,
        };
        let busy = (threads > 1).then_some(busy);
        let stats = Stats::default();
        Ok(Box::new(Parallel::new(crew, monitor, || DepthFirst { algorithm, parts, table, busy, monitor, stats })))
    }
}

/// Solves the positions one after the other and prints what was found.
fn solve_all<G: Game + Sync>(
    problems: Vec<Problem<G>>,
    title: &str,
    special: Option<Special<G>>,
    options: &Options,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let mut table = Table::new(options.memory)?;
    let interrupt = Interrupt::default();
    signals::watch(interrupt.clone()).context("cannot watch for Ctrl-C")?;
    let (mut nodes, mut cpu_seconds, mut wrong, mut open) = (0, Some(0.0), 0, 0);
    let count = problems.len();
    for (n, problem) in problems.into_iter().enumerate() {
        if n > 0 {
            // Another position: nothing of the table can be of use, and times are comparable.
            table.clear();
        }
        let found = solve_one(&problem, special, options, &table, &interrupt)?;
        let value_nodes = found.value_stats.nodes;
        nodes += value_nodes;
        cpu_seconds = cpu_seconds.zip(found.value_cpu).map(|(sum, more)| sum + more);
        let exact = found.bounds.settle(Goal::Exact).then_some(found.bounds.lower / G::POINT);
        let differs = problem.known.zip(exact).is_some_and(|(known, value)| known != value);
        wrong += u32::from(differs);
        open += u32::from(found.stopped.is_some());
        if options.json {
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
    if count > 1 && !options.json {
        let time = cpu_seconds.map_or(String::new(), |s| format!(", {s:.2} CPU seconds"));
        writeln!(out, "\nfor all values: {} nodes{time}", grouped(nodes))?;
    }
    Ok(if wrong == 0 && open == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What was found of a position, and what it took.
struct Found {
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

fn solve_one<G: Game + Sync>(
    problem: &Problem<G>,
    special: Option<Special<G>>,
    options: &Options,
    table: &Table,
    interrupt: &Interrupt,
) -> anyhow::Result<Found> {
    let position = &problem.position;
    let monitor = options.budget.map_or_else(Monitor::default, Monitor::with_budget);
    let busy = Busy::default();
    let mut engine = options.engine(special, table, &busy, &monitor)?;
    let (lower, upper) = position.bounds();
    let first = Bounds { lower, upper };
    let shown = Mutex::new(Shown { bounds: first, window: None, stage: String::new() });
    let (began, cpu) = (Instant::now(), machine::process_seconds());
    let (mut value_seconds, mut value_cpu) = (None, None);
    let done = AtomicBool::new(false);
    let result = std::thread::scope(|scope| {
        scope.spawn(|| watch::<G>(&monitor, interrupt, &shown, &done, began, &problem.label));
        let guess = 0;
        let result = solve(
            &mut *engine,
            position,
            options.goal(G::POINT),
            guess,
            !options.value_only,
            LONGEST_LINE,
            &mut |progress| {
                let Ok(mut shown) = shown.lock() else { return };
                match progress {
                    Progress::Asking { window, bounds } => {
                        (shown.bounds, shown.window) = (bounds, Some(window));
                    }
                    Progress::Solved(bounds) => {
                        (value_seconds, value_cpu) = (Some(began.elapsed().as_secs_f64()), since(cpu));
                        (shown.bounds, shown.window, shown.stage) = (bounds, None, ", finding its line".to_owned());
                    }
                    Progress::Moves { done, of, best } => {
                        shown.stage = format!(", move {} of {of}, best: {}", done + 1, best.join(" "));
                    }
                }
            },
        );
        done.store(true, Ordering::Relaxed);
        result
    });
    let (seconds, all_cpu) = (began.elapsed().as_secs_f64(), since(cpu));
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
    Ok(Found {
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
    let bar = std::io::stderr().is_terminal().then(|| {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        bar
    });
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
                range(shown.bounds, G::POINT),
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

/// Bounds in points: `+4`, or `-2..+6`.
fn range(Bounds { lower, upper }: Bounds, point: Value) -> String {
    if lower == upper {
        return signed(lower / point);
    }
    format!("{}..{}", signed(lower / point), signed(upper / point))
}

fn signed(points: i32) -> String {
    if points == 0 { "0".to_owned() } else { format!("{points:+}") }
}

/// A number with commas between thousands.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl Found {
    fn side(&self) -> &'static str {
        if self.side == Side::First { "black" } else { "white" }
    }

    /// What the bounds mean, in words.
    fn verdict(&self, goal: Goal) -> String {
        let (side, other) = if self.side == Side::First { ("black", "white") } else { ("white", "black") };
        let Bounds { lower, upper } = self.bounds;
        let text = range(self.bounds, self.point);
        match goal {
            _ if !self.bounds.settle(goal) => format!("{text} for {side}, not settled"),
            Goal::Threshold(target) if lower >= target => format!("at least {} for {side}", target / self.point),
            Goal::Threshold(target) => format!("less than {} for {side}", target / self.point),
            _ if lower > 0 => format!("{text} for {side}: {side} wins"),
            _ if upper < 0 => format!("{text} for {side}: {other} wins"),
            _ => format!("{text}: a draw"),
        }
    }

    fn write<G>(
        &self,
        problem: &Problem<G>,
        title: &str,
        options: &Options,
        out: &mut dyn Write,
    ) -> anyhow::Result<()>
    where
        G: Game,
    {
        let label = if problem.label.is_empty() { String::new() } else { format!(", {}", problem.label) };
        writeln!(out, "{title}{label}\n{}", problem.position)?;
        writeln!(out, "value       {}", self.verdict(options.goal(self.point)))?;
        let took = |nodes: u64, seconds: f64, cpu: Option<f64>| {
            let cpu = cpu.map_or(String::new(), |cpu| format!(", {cpu:.2} CPU seconds"));
            format!("{} nodes, {seconds:.2} s{cpu}", grouped(nodes))
        };
        writeln!(out, "took        {}", took(self.value_stats.nodes, self.value_seconds, self.value_cpu))?;
        if let Some(reason) = self.stopped {
            writeln!(out, "stopped     {reason}")?;
        } else if !options.value_only {
            writeln!(out, "best moves  {}", self.best.join(" "))?;
            writeln!(out, "line        {}", self.line.join(" "))?;
            writeln!(out, "took in all {}", took(self.stats.nodes, self.seconds, self.cpu))?;
        }
        Ok(())
    }

    fn to_json<G>(&self, problem: &Problem<G>, title: &str, options: &Options) -> serde_json::Value {
        let goal = options.goal(self.point);
        serde_json::json!({
            "version": JSON_VERSION,
            "command": "solve",
            "game": title,
            "position": problem.text,
            "side": self.side(),
            "algorithm": options.algorithm.map(|name| format!("{name:?}").to_lowercase()),
            "without": options.without.iter().map(|part| format!("{part:?}").to_lowercase()).collect::<Vec<_>>(),
            "goal": match goal {
                Goal::Exact => "exact".to_owned(),
                Goal::WinLossDraw => "win-loss-draw".to_owned(),
                Goal::Threshold(target) => format!("at least {}", target / self.point),
            },
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
            "threads": options.threads,
            "memory": options.memory,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_memory_are_read() {
        for (text, bytes) in
            [("4096", 4096), ("64k", 65_536), ("512M", 512 << 20), ("4G", 4 << 30), ("1GiB", 1 << 30)]
        {
            assert_eq!(parse_bytes(text).unwrap(), bytes);
        }
        for text in ["", "M", "-1", "1", "4T", "99999999999999999999", "18446744073709551615G", "1.5G", "\u{e9}"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_are_grouped() {
        for (n, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(n), text);
        }
    }
}

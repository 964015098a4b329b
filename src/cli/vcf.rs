//! `morpion vcf`: the shortest victory by continuous fours in positions of Gomoku.

use super::flags::SettingFlags;
use super::grid_input::plain;
use super::machine;
use super::positions::{AskedPosition, read_text_file};
use crate::core::game::Game;
use crate::core::quantity::grouped;
use crate::games::gomoku::board::GomokuBoard;
use crate::games::gomoku::notation::colour_name;
use crate::games::gomoku::position::GomokuPosition;
use crate::games::gomoku::problems::{FoursProblem, parse_problems};
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::solvers::gomoku::vcf::{VcfSearch, VcfWin};
use crate::solvers::gomoku::windows::WindowTable;
use crate::solvers::monitor::Monitor;
use anyhow::{Context, anyhow, bail};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Version of the `--json` output.
const JSON_VERSION: u32 = 1;

/// Find the shortest victory by continuous fours in positions of Gomoku.
///
/// Every move of the attacker makes a four, and the last one the row that wins. The search is exact: it finds a
/// victory with as few moves as possible, or shows that there is none. FILE has a position a line, in columns that
/// tabs part: the side to move (1 black, 2 white), the black stones, the white stones and, if it is known, the least
/// number of the attacker's moves (0 for none), with which the answer is compared. Without FILE the position is that
/// of --position. The exit status is 1 if an answer differs from the file or is not found.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// File of positions
    #[arg(value_name = "FILE", conflicts_with = "position")]
    file: Option<PathBuf>,
    #[command(flatten)]
    setup: SettingFlags<GomokuSetup>,
    /// Give up after about this many positions of each search
    #[arg(long, value_name = "N")]
    budget: Option<u64>,
    /// Print one JSON object per position instead of text
    #[arg(long)]
    json: bool,
}

/// What a search has found.
struct FoundFours {
    /// `None` if it was stopped, else the victory if there is one.
    answer: Option<Option<VcfWin>>,
    visited: u64,
    seconds: f64,
}

impl FoundFours {
    /// The number of moves: 0 if there is no victory, `None` if it is not known.
    fn length(&self) -> Option<u32> {
        let answer = self.answer.as_ref()?;
        Some(answer.as_ref().map_or(0, |win| win.length))
    }

    /// The moves of the line by their names.
    fn line(&self, board: GomokuBoard) -> Vec<String> {
        let win = self.answer.as_ref().and_then(Option::as_ref);
        win.map_or_else(Vec::new, |win| win.line.iter().map(|&point| board.name(point)).collect())
    }

    fn to_json(&self, title: &str, position: &GomokuPosition, line: Option<usize>, known: Option<u32>) -> String {
        serde_json::json!({
            "version": JSON_VERSION, "command": "vcf", "game": title, "line_number": line,
            "position": crate::games::gomoku::notation::to_line(position),
            "side": colour_name(position.side()),
            "decided": self.answer.is_some(),
            "moves": self.length(),
            "known": known,
            "line": self.line(position.board()),
            "positions": self.visited,
            "seconds": self.seconds,
        })
        .to_string()
    }
}

/// Runs the command.
///
/// # Errors
/// A file or a position that cannot be read, rules without fours, or output that cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let Some(file) = &args.file else { return run_one(args, out) };
    let asked: AskedPosition<GomokuSetup> = AskedPosition::of(args.setup)?;
    // The empty board of the flags: its size and its rules are those of all positions.
    let (empty, title) = asked.first()?;
    let (board, rules) = (empty.board(), empty.rules());
    let name = plain(&file.display().to_string());
    let text = read_text_file(file)?.with_context(|| format!("{name}: there is no such file"))?;
    let problems = parse_problems(board, rules, &text).map_err(|error| anyhow!("{name}, {error}"))?;
    if problems.is_empty() {
        bail!("{name}: there is no position in it");
    }
    let table = windows_of(&empty)?;
    let mut search = VcfSearch::new(&table);
    let cpu = machine::process_seconds();
    let (mut right, mut wrong, mut undecided, mut done) = (0, 0, 0, 0);
    for FoursProblem { line, position, known } in problems {
        let found = find(&mut search, &position, args.budget);
        done += 1;
        match (found.length(), known) {
            (None, _) => undecided += 1,
            (Some(length), Some(known)) if length == known => right += 1,
            (Some(_), Some(_)) => wrong += 1,
            (Some(_), None) => {}
        }
        if args.json {
            writeln!(out, "{}", found.to_json(&title, &position, Some(line), known))?;
            continue;
        }
        let length = found.length().map_or("?".to_owned(), |length| length.to_string());
        let verdict = match known {
            Some(known) if found.length().is_some_and(|length| length != known) => {
                format!(" (the file says {known})")
            }
            _ => String::new(),
        };
        let moves: String = found.line(board).iter().map(|name| format!(" {name}")).collect();
        writeln!(out, "line {line}: {length}{verdict}{moves}")?;
    }
    if !args.json {
        let time = machine::since(cpu).map_or("?".to_owned(), |seconds| format!("{seconds:.2}"));
        writeln!(out, "{done} positions, {right} right, {wrong} wrong, {undecided} undecided, {time} CPU s")?;
    }
    Ok(if wrong == 0 && undecided == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Looks at the position of the flags.
fn run_one(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let asked: AskedPosition<GomokuSetup> = AskedPosition::of(args.setup)?;
    let (position, title) = asked.first()?;
    let table = windows_of(&position)?;
    let mut search = VcfSearch::new(&table);
    let found = find(&mut search, &position, args.budget);
    if args.json {
        writeln!(out, "{}", found.to_json(&title, &position, None, None))?;
    } else {
        let side = colour_name(position.side());
        let victory = match found.length() {
            None => "not known: the budget is spent".to_owned(),
            Some(0) => format!("none for {side}"),
            Some(1) => format!("{side} wins with its next move"),
            Some(length) => format!("{side} wins with {length} moves, the least that it takes"),
        };
        writeln!(out, "{title}\n{position}\nfours       {victory}")?;
        if found.length().is_some_and(|length| length > 0) {
            writeln!(out, "line        {}", found.line(position.board()).join(" "))?;
        }
        writeln!(out, "took        {} positions, {:.3} s", grouped(found.visited), found.seconds)?;
    }
    Ok(if found.answer.is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The windows of a position's board.
fn windows_of(position: &GomokuPosition) -> anyhow::Result<WindowTable> {
    Ok(WindowTable::new(position.board(), position.rules())?)
}

fn find(search: &mut VcfSearch, position: &GomokuPosition, budget: Option<u64>) -> FoundFours {
    let monitor = budget.map_or_else(Monitor::default, Monitor::with_budget);
    let (began, before) = (Instant::now(), search.visited());
    let answer = search.search(position, &monitor).ok();
    FoundFours { answer, visited: search.visited() - before, seconds: began.elapsed().as_secs_f64() }
}

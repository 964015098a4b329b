//! `morpion plan`: proofs that one side wins a game of Gomoku, as plans that can be checked, or that it does not.

mod hold;

use super::flags::SettingFlags;
use super::grid_input::{counted, plain};
use super::machine;
use super::positions::{AskedPosition, read_text_file};
use super::signals;
use super::streams::say;
use super::values::positive;
use crate::core::game::Side;
use crate::core::quantity::{grouped, parse_duration};
use crate::files::{FileError, Keep, replace};
use crate::games::gomoku::notation::colour_name;
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::runner::Interrupt;
use crate::runner::planning::trees::PlanTrees;
use crate::runner::planning::{
    PlanChecked, PlanFinding, PlanNews, PlanPortions, PlanningError, check_plan, find_plan,
};
use crate::solvers::gomoku::plan::check::PlanHole;
use crate::solvers::gomoku::plan::{WinningPlan, text};
use anyhow::{Context, anyhow, ensure};
use clap::ValueEnum;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

/// Version of the `--json` output.
const JSON_VERSION: u32 = 1;
/// More threads than this are taken for a slip of the fingers.
const MAX_THREADS: usize = 1024;
/// Exit status of a check that has found a hole.
const REFUTED: u8 = 3;
/// Seconds between two lines of progress of a check, at most.
const SLOWEST: f64 = 60.0;

/// Prove that one side of Gomoku wins from a position, or that it makes no row.
///
/// A plan is a text file: it says which move the winner makes in each position that may arise, as long as threats
/// alone do not win. `find` looks for one and adds to the file; `check` goes through a file by rules of its own, and
/// looks at every legal reply. `hold` has no file: it proves that a side makes no row, and so does not win.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: PlanAction,
}

#[derive(Debug, clap::Subcommand)]
enum PlanAction {
    Find(PlanFindArgs),
    Check(PlanCheckArgs),
    Hold(hold::PlanHoldArgs),
}

/// Look for a plan, and write it to FILE.
///
/// Each reply to the position is proven by itself. If there are more threads than replies without a proof, the
/// others try other moves of the winner against these replies. A reply that is hard is divided: several moves of
/// the winner are tried, and all threads work on the replies to them. A plan is added to the file as soon as it is
/// found. If there is such a file already, the same command goes on with what it lacks. With --state, what the
/// searches know of replies that have no plan yet is kept, too, and the same command goes on from there. The exit
/// status is 0 if every reply is answered, and 1 if the time was over or Ctrl-C came.
#[derive(Debug, clap::Args)]
struct PlanFindArgs {
    /// File of the plan, a new one or one to go on with
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    setup: SettingFlags<GomokuSetup>,
    /// The side that is to win
    #[arg(long, value_enum, default_value_t = PlanSide::Black)]
    wins: PlanSide,
    /// Keep in this directory what the searches know of replies without a plan, and go on from it
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    #[command(flatten)]
    common: PlanRunFlags,
}

/// Check a plan.
///
/// After each of its moves every legal reply has to lead to a position that the plan has, or to a victory by threats
/// whose every position is checked in the same way. The exit status is 0 if all of it holds; 1 if the moves that were
/// checked hold, but others were not checked, or the plan does not answer every reply to its first position yet; and
/// 3 if a move does not hold.
#[derive(Debug, clap::Args)]
struct PlanCheckArgs {
    /// File of the plan
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Begin with the move of this number; the first has the number 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: usize,
    /// Check so many moves [default: all]
    #[arg(long, value_name = "N")]
    moves: Option<usize>,
    #[command(flatten)]
    common: PlanRunFlags,
}

#[derive(Debug, clap::Args)]
struct PlanRunFlags {
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N", value_parser = positive)]
    threads: Option<usize>,
    /// End after this time (90, 60s, 5m, 2h)
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time: Option<f64>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Do not tell of the progress
    #[arg(long)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PlanSide {
    /// The side that begins
    Black,
    /// The other one
    White,
}

impl PlanSide {
    fn side(self) -> Side {
        if self == PlanSide::Black { Side::First } else { Side::Second }
    }
}

/// Runs the command.
///
/// # Errors
/// A position or a plan that cannot be read, rules that plans are not made for, or a disk that refuses.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match args.action {
        PlanAction::Find(args) => find(args, out),
        PlanAction::Check(args) => run_check(&args, out),
        PlanAction::Hold(args) => hold::run(args, out),
    }
}

impl PlanRunFlags {
    fn threads(&self) -> anyhow::Result<usize> {
        let threads = match self.threads {
            Some(threads) => threads,
            None => std::thread::available_parallelism().map_or(1, |n| n.get()),
        };
        ensure!(threads <= MAX_THREADS, "--threads {threads} is out of range: 1 to {MAX_THREADS}");
        Ok(threads)
    }
}

fn find(args: PlanFindArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let (position, title) = AskedPosition::<GomokuSetup>::of(args.setup)?.first()?;
    let wins = args.wins.side();
    let threads = args.common.threads()?;
    let begun = WinningPlan::begin(position.clone(), wins)?;
    let tables = begun.tables()?;
    let file = &args.file;
    let name = plain(&file.display().to_string());
    let mut plan = match read_text_file(file)? {
        Some(text) => read_plan(&name, &text)?,
        None => begun.clone(),
    };
    ensure!(
        plan.is_about_same(&begun),
        "{name} is a plan for another position, other rules or the other side: give another name"
    );
    let kept = args.state.as_deref().map(|directory| PlanTrees::open(directory, &plan)).transpose()?;
    // A disk that refuses says so at once.
    replace(file, text::to_text(&plan).as_bytes(), Keep::Durable)?;
    let asked = plan.open_replies().len();
    if !args.common.quiet {
        say!(
            "{title}: {} without an answer, {}",
            counted(asked, "position"),
            counted(plan.moves().len(), "planned move")
        );
    }
    let interrupt = Interrupt::default();
    signals::watch(interrupt.clone()).context("cannot watch for Ctrl-C")?;
    let (began, cpu) = (Instant::now(), machine::process_seconds());
    let stop = || interrupt.asked() || args.common.time.is_some_and(|limit| began.elapsed().as_secs_f64() >= limit);
    let board = position.board();
    let told = |plan: &WinningPlan, news: &PlanNews| {
        if !args.common.quiet {
            let mut reply = news.reply.map_or_else(|| "the position".to_owned(), |point| board.name(point));
            if let Some(attack) = news.attack {
                reply = format!("{reply} by {}", board.name(attack));
            }
            let state =
                if news.proof == 0 { "proven".to_owned() } else { format!("open ({} left to do)", news.proof) };
            say!(
                "{:>9.1} s  {reply}: {state}, {} nodes; {} open, {}",
                began.elapsed().as_secs_f64(),
                grouped(news.nodes),
                news.open,
                counted(plan.moves().len(), "planned move")
            );
        }
        Ok::<(), FindError>(replace(file, text::to_text(plan).as_bytes(), Keep::Durable)?)
    };
    let finding = PlanFinding { threads, kept: kept.as_ref(), portions: PlanPortions::USUAL };
    let open = find_plan(&mut plan, &tables, finding, &stop, &told)?;
    let seconds = machine::since(cpu);
    if args.common.json {
        let object = serde_json::json!({
            "version": JSON_VERSION, "command": "plan find", "game": title, "file": file.display().to_string(),
            "end": if open == 0 { "proven" } else { "open" }, "replies": asked, "open": open,
            "moves": plan.moves().len(), "cpu_seconds": seconds,
        });
        writeln!(out, "{object}")?;
    } else {
        let time = seconds.map_or("?".to_owned(), |seconds| format!("{seconds:.1}"));
        let end = if open == 0 { "every reply is answered" } else { "not all replies are answered" };
        writeln!(
            out,
            "{end}: {open} of {asked} open, {}, {time} CPU s",
            counted(plan.moves().len(), "planned move")
        )?;
    }
    Ok(if open == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run_check(args: &PlanCheckArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let name = plain(&args.file.display().to_string());
    let text = read_text_file(&args.file)?.with_context(|| format!("{name}: there is no such file"))?;
    let plan = read_plan(&name, &text)?;
    let tables = plan.tables()?;
    let threads = args.common.threads()?;
    let all = plan.moves().len();
    ensure!(args.from <= all, "--from {}: the plan has {}", args.from, counted(all, "move"));
    let last = args.moves.map_or(all, |moves| args.from.saturating_add(moves).min(all));
    let interrupt = Interrupt::default();
    signals::watch(interrupt.clone()).context("cannot watch for Ctrl-C")?;
    let (began, cpu) = (Instant::now(), machine::process_seconds());
    let stop = || interrupt.asked() || args.common.time.is_some_and(|limit| began.elapsed().as_secs_f64() >= limit);
    let next = Mutex::new(1.0);
    let checked = check_plan(&plan, &tables, args.from..last, threads, &stop, &|checked| {
        let (seconds, Ok(mut next)) = (began.elapsed().as_secs_f64(), next.lock()) else { return };
        if !args.common.quiet && seconds >= *next {
            *next = (2.0 * seconds).min(seconds + SLOWEST);
            let replies = grouped(checked.replies.replies);
            say!("{seconds:>9.1} s  {} of {}, {replies} replies", checked.moves, counted(last - args.from, "move"));
        }
    });
    let is_whole = checked.start && checked.next.is_none() && checked.moves == all;
    if args.common.json {
        writeln!(out, "{}", check_json(args, &plan, &checked, is_whole, machine::since(cpu)))?;
    } else {
        write_checked(&plan, &checked, is_whole, machine::since(cpu), out)?;
    }
    Ok(match checked.hole {
        Some(_) => ExitCode::from(REFUTED),
        None if is_whole => ExitCode::SUCCESS,
        None => ExitCode::FAILURE,
    })
}

fn write_checked(
    plan: &WinningPlan,
    checked: &PlanChecked,
    is_whole: bool,
    seconds: Option<f64>,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let (board, all) = (plan.start().board(), plan.moves().len());
    let side = colour_name(plan.attacker());
    let title = format!("{board}, {} in a row ({})", plan.start().rules().win(), plan.start().rules().rule().name());
    if let Some(hole) = &checked.hole {
        let moves: Vec<String> = hole.moves.iter().map(|&point| board.name(point)).collect();
        writeln!(out, "refused: {}", hole.reason)?;
        writeln!(out, "moves       {}", moves.join(" "))?;
    } else if is_whole {
        writeln!(out, "checked: {side} wins on {title} from this position")?;
    } else {
        writeln!(out, "checked in part: {} of {}, and they hold", checked.moves, counted(all, "planned move"))?;
        if let Some(hole) = &checked.unanswered {
            let moves: Vec<String> = hole.moves.iter().map(|&point| board.name(point)).collect();
            let place = if moves.is_empty() { "the first position".to_owned() } else { moves.join(" ") };
            writeln!(out, "            it is not finished; after {place}: {}", hole.reason)?;
        }
        if let Some(next) = checked.next {
            writeln!(out, "            go on with --from {next}")?;
        }
    }
    writeln!(out, "{}", plan.start())?;
    let replies = checked.replies;
    writeln!(
        out,
        "replies     {}, of which {} are planned and {} lose to threats",
        grouped(replies.replies),
        grouped(replies.planned),
        grouped(replies.by_threats)
    )?;
    let time = seconds.map_or("?".to_owned(), |seconds| format!("{seconds:.1}"));
    writeln!(out, "threats     {} positions, each with all its replies; {time} CPU s", grouped(replies.positions))
}

fn check_json(
    args: &PlanCheckArgs,
    plan: &WinningPlan,
    checked: &PlanChecked,
    is_whole: bool,
    seconds: Option<f64>,
) -> serde_json::Value {
    let board = plan.start().board();
    let hole = |hole: &PlanHole| {
        let moves: Vec<String> = hole.moves.iter().map(|&point| board.name(point)).collect();
        serde_json::json!({"moves": moves, "reason": hole.reason.to_string()})
    };
    let end = if checked.hole.is_some() {
        "refused"
    } else if is_whole {
        "proven"
    } else {
        "open"
    };
    serde_json::json!({
        "version": JSON_VERSION, "command": "plan check", "file": args.file.display().to_string(), "end": end,
        "wins": colour_name(plan.attacker()), "moves": plan.moves().len(), "checked": checked.moves,
        "start": checked.start, "next": checked.next,
        "replies": checked.replies.replies, "planned": checked.replies.planned,
        "by_threats": checked.replies.by_threats, "positions": checked.replies.positions,
        "hole": checked.hole.as_ref().map(hole), "unanswered": checked.unanswered.as_ref().map(hole),
        "cpu_seconds": seconds,
    })
}

/// Why a search of plans ends early.
#[derive(Debug, thiserror::Error)]
enum FindError {
    /// The disk refuses.
    #[error(transparent)]
    File(#[from] FileError),
    /// The search cannot begin or go on.
    #[error(transparent)]
    Planning(#[from] PlanningError),
}

fn read_plan(name: &str, text: &str) -> anyhow::Result<WinningPlan> {
    text::parse(text).map_err(|error| anyhow!("{name}, {error}"))
}

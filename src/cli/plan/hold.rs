//! `morpion plan hold`: proofs that one side of a game of Gomoku makes no row.

use super::{PlanRunFlags, PlanSide};
use crate::cli::flags::SettingFlags;
use crate::cli::grid_input::counted;
use crate::cli::machine;
use crate::cli::positions::AskedPosition;
use crate::cli::signals;
use crate::cli::streams::say;
use crate::core::game::{Game, Side};
use crate::core::quantity::{bytes_text, grouped, parse_bytes};
use crate::games::gomoku::notation::colour_name;
use crate::games::gomoku::position::GomokuPosition;
use crate::games::gomoku::rules::RowRule;
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::runner::Interrupt;
use crate::runner::planning::holding::{HoldNews, HoldReport, HoldTerms, find_defence};
use crate::solvers::gomoku::hold::rows::MOST_POINTS;
use crate::solvers::gomoku::hold::search::{HoldAnswer, HoldSearch};
use anyhow::{Context, ensure};
use std::io::Write;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

/// Version of the `--json` output.
const JSON_VERSION: u32 = 1;
/// Exit status if no defence holds.
const NOT_HELD: u8 = 3;
/// Memory for tables unless said otherwise.
const MEMORY: u64 = 1 << 30;

/// Prove that one side makes no row, and so does not win.
///
/// The defender puts a stone into each row that the other side could make; its own rows are not counted on. If white
/// holds so on an empty board, neither side wins: what holds for the second to move holds for the first. Each move of
/// the other side is a search of its own. The exit status is 0 if every row is prevented, 1 if memory or time was not
/// enough or Ctrl-C came, and 3 if no defence of this kind holds. The other side may still not win then, because of
/// the defender's own rows.
#[derive(Debug, clap::Args)]
pub struct PlanHoldArgs {
    #[command(flatten)]
    setup: SettingFlags<GomokuSetup>,
    /// The side that is to prevent every row of the other one
    #[arg(long, value_enum, default_value_t = PlanSide::White)]
    holds: PlanSide,
    /// Go through what is found once more, by rules of its own
    #[arg(long)]
    check: bool,
    /// Memory for all tables together, such as 512M or 4G
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value_t = MEMORY, hide_default_value = true,
          help = format!("Memory for all tables together, such as 512M or 4G [default: {}]", bytes_text(MEMORY)))]
    memory: u64,
    #[command(flatten)]
    common: PlanRunFlags,
}

/// Runs the command.
///
/// # Errors
/// A position that cannot be read, or one that this search is not made for.
pub fn run(args: PlanHoldArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let (position, title) = AskedPosition::<GomokuSetup>::of(args.setup)?.first()?;
    let defender = args.holds.side();
    ensure!(position.winner().is_none(), "the game is over in this position");
    ensure!(
        position.rules().rule() != RowRule::Renju || defender == Side::Second,
        "black may not play everywhere in renju, so only white can be the one that holds"
    );
    ensure!(
        args.memory >= HoldSearch::LEAST_MEMORY,
        "--memory {} is too little: at least {} bytes are needed",
        bytes_text(args.memory),
        HoldSearch::LEAST_MEMORY
    );
    let terms = HoldTerms { threads: args.common.threads()?, memory: args.memory, is_checked: args.check };
    if !args.common.quiet {
        say!("{title}: does {} keep {} from a row?", colour_name(defender), colour_name(defender.other()));
    }
    let interrupt = Interrupt::default();
    signals::watch(interrupt.clone()).context("cannot watch for Ctrl-C")?;
    let (began, cpu) = (Instant::now(), machine::process_seconds());
    let limit = args.common.time;
    let stop = || interrupt.asked() || limit.is_some_and(|limit| began.elapsed().as_secs_f64() >= limit);
    let news = Mutex::new(Vec::new());
    let told = |told: &HoldNews, report: &HoldReport| {
        if !args.common.quiet {
            let moves = counted(report.tasks, "move");
            let line = news_line(&position, told);
            say!("{:>9.1} s  {line}; {} of {moves} answered", began.elapsed().as_secs_f64(), report.held);
        }
        if let Ok(mut news) = news.lock() {
            news.push(told.clone());
        }
    };
    let report = find_defence(&position, defender.other(), terms, &stop, &told).with_context(|| {
        format!(
            "the rows that can still be made have more than {MOST_POINTS} empty points (give a smaller board), or there \
             is a longer row on the board already"
        )
    })?;
    let seconds = machine::since(cpu);
    let news = news.into_inner().unwrap_or_default();
    if args.common.json {
        let object = report_json((&position, &title, defender), args.check, &report, &news, seconds);
        writeln!(out, "{object}")?;
    } else {
        write_report(&position, defender, args.check, &report, seconds, out)?;
    }
    Ok(match report.end {
        HoldAnswer::Held if report.hole.is_none() => ExitCode::SUCCESS,
        HoldAnswer::NotHeld => ExitCode::from(NOT_HELD),
        _ if report.hole.is_some() => ExitCode::from(NOT_HELD),
        _ => ExitCode::FAILURE,
    })
}

fn news_line(position: &GomokuPosition, news: &HoldNews) -> String {
    let board = position.board();
    let attack = news.attack.map_or_else(|| "the position".to_owned(), |point| board.name(point));
    let end = match (news.end, news.answer) {
        (HoldAnswer::Held, Some(answer)) => format!("{} holds", board.name(answer)),
        (HoldAnswer::Held, None) => "no row is left".to_owned(),
        (HoldAnswer::NotHeld, _) => "no answer holds".to_owned(),
        (HoldAnswer::Open, _) => "open, no memory is left".to_owned(),
    };
    let checked = match &news.checked {
        None => String::new(),
        Some(Ok(checked)) => format!(", {} checked", grouped(checked.positions)),
        Some(Err(_)) => ", the check refuses it".to_owned(),
    };
    format!("{attack}: {end}, {} positions{checked}", grouped(news.nodes))
}

/// Whether the position is an empty board on which neither side may be kept from playing somewhere.
fn is_drawn(position: &GomokuPosition, defender: Side) -> bool {
    position.stones().next().is_none() && defender != position.side() && position.rules().rule() != RowRule::Renju
}

fn write_report(
    position: &GomokuPosition,
    defender: Side,
    is_checked: bool,
    report: &HoldReport,
    seconds: Option<f64>,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let (holder, other) = (colour_name(defender), colour_name(defender.other()));
    match (report.end, &report.hole) {
        (_, Some(hole)) => {
            let moves: Vec<String> = hole.0.iter().map(|&point| position.board().name(point)).collect();
            writeln!(out, "refused: the defence does not hold after {}", moves.join(" "))?;
        }
        (HoldAnswer::Held, None) => {
            writeln!(out, "{holder} holds: {other} makes no row, whatever it does")?;
            if is_drawn(position, defender) {
                writeln!(out, "the game is a draw: neither side wins")?;
            }
        }
        (HoldAnswer::NotHeld, None) => writeln!(out, "{holder} does not hold by its stones alone")?,
        (HoldAnswer::Open, None) => {
            writeln!(out, "open: {} of {} answered", report.held, counted(report.tasks, "move"))?
        }
    }
    if is_checked {
        let checked = report.checked;
        writeln!(
            out,
            "checked     {} positions, {} of them by pairs of points, and {} moves in the others",
            grouped(checked.positions),
            grouped(checked.pairings),
            grouped(checked.moves)
        )?;
    }
    let time = seconds.map_or("?".to_owned(), |seconds| format!("{seconds:.1}"));
    writeln!(out, "searched    {} positions, {time} CPU s", grouped(report.nodes))
}

fn report_json(
    (position, title, defender): (&GomokuPosition, &str, Side),
    is_checked: bool,
    report: &HoldReport,
    news: &[HoldNews],
    seconds: Option<f64>,
) -> serde_json::Value {
    let board = position.board();
    let name = |point: Option<u16>| point.map(|point| board.name(point));
    let end = |end: HoldAnswer| match end {
        HoldAnswer::Held => "held",
        HoldAnswer::NotHeld => "not held",
        HoldAnswer::Open => "open",
    };
    let moves = news.iter().map(|news| {
        let checked = news.checked.as_ref().and_then(|checked| checked.as_ref().ok());
        serde_json::json!({
            "move": name(news.attack), "end": end(news.end), "answer": name(news.answer), "positions": news.nodes,
            "checked": checked.map(|checked| checked.positions),
        })
    });
    let hole: Option<Vec<String>> =
        report.hole.as_ref().map(|hole| hole.0.iter().map(|&point| board.name(point)).collect());
    serde_json::json!({
        "version": JSON_VERSION, "command": "plan hold", "game": title, "holds": colour_name(defender),
        "end": if hole.is_some() { "refused" } else { end(report.end) },
        "draw": report.end == HoldAnswer::Held && hole.is_none() && is_drawn(position, defender),
        "moves": report.tasks, "held": report.held, "positions": report.nodes,
        "checked": is_checked.then_some(report.checked.positions), "pairings": is_checked.then_some(report.checked.pairings),
        "hole": hole, "cpu_seconds": seconds, "first_moves": moves.collect::<Vec<_>>(),
    })
}

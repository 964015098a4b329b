//! The screen of `morpion top`: what is drawn, and what is left out where there is little room.

use super::Model;
use super::keys::{JobChoice, Mode};
use crate::cli::grid_input::plain;
use crate::cli::job::{best, describe, held};
use crate::daemon::view::{JobId, JobState, JobView, MachineStanding, MachineView, PoolView, WorkerView};
use crate::runner::status::{clock, thousands};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Cell, Paragraph, Row, Table, TableState};
use std::time::Duration;

/// Lines that the jobs get at least before workers and events are shown.
const JOBS: u16 = 6;

/// Lines of the events, their border included.
const EVENTS: u16 = 8;

/// Time for which a message is shown.
const SHOWN: Duration = Duration::from_secs(6);

/// A column of the table of jobs.
struct Column {
    head: &'static str,
    /// Characters at least; a longer text makes it wider. 0: what the other columns leave.
    width: u16,
    /// The screen must be so wide for it to be shown.
    from: u16,
    text: fn(&JobView) -> String,
}

impl Column {
    /// Characters that it takes for these jobs.
    fn width(&self, jobs: &[&JobView]) -> u16 {
        let longest = jobs.iter().map(|job| (self.text)(job).chars().count()).max().unwrap_or(0);
        self.width.max(u16::try_from(longest).unwrap_or(u16::MAX))
    }
}

/// The columns; the last one takes what is left.
const COLUMNS: [Column; 9] = [
    Column { head: "job", width: 5, from: 0, text: |job| job.summary.id.to_string() },
    Column { head: "state", width: 9, from: 20, text: |job| job.summary.state.name().to_owned() },
    Column { head: "best", width: 4, from: 0, text: best },
    Column { head: "thr", width: 3, from: 40, text: |job| job.workers.to_string() },
    Column { head: "pri", width: 3, from: 65, text: |job| job.summary.priority.to_string() },
    Column { head: "per second", width: 11, from: 50, text: |job| thousands(job.rate.max(0.0) as u64) },
    Column { head: "iterations", width: 15, from: 90, text: |job| thousands(job.summary.iterations) },
    Column { head: "time", width: 17, from: 75, text: |job| clock(job.summary.seconds) },
    Column { head: "name", width: 0, from: 30, text: |job| plain(&job.summary.name) + &held(job) },
];

/// Draws the whole screen: the daemon, its jobs or the details of one, and what happened last.
pub fn draw(frame: &mut Frame, model: &Model, choice: &mut JobChoice) {
    let area = frame.area();
    let foot = footer(model, choice, area.width);
    // Where there is little room, the jobs come first.
    let most = if area.height < 4 { 1 } else { area.height / 4 };
    let foot_height = if area.height > 1 { (foot.len() as u16).min(most.max(1)) } else { 0 };
    let spare = area.height.saturating_sub(2 + foot_height + JOBS);
    let workers = if model.workers.is_empty() || spare < 4 {
        0
    } else {
        (model.workers.len() as u16).saturating_add(3).min(spare / 2)
    };
    let events = if spare.saturating_sub(workers) < 3 { 0 } else { EVENTS.min(spare - workers) };
    let heads = if area.height < 4 { 0 } else { 2 + u16::from(model.pool.is_some()) };
    let is_detail = matches!(choice.mode, Mode::Details(_));
    let parts = Layout::vertical([
        Constraint::Length(heads),
        Constraint::Min(1),
        Constraint::Length(if is_detail { 0 } else { workers }),
        Constraint::Length(if is_detail { 0 } else { events }),
        Constraint::Length(foot_height),
    ])
    .split(area);
    frame.render_widget(Paragraph::new(heading(model)), parts[0]);
    match choice.mode {
        Mode::Details(id) => details(frame, parts[1], model, id, &mut choice.scroll),
        _ => jobs(frame, parts[1], model, choice),
    }
    if workers > 0 && !is_detail {
        frame.render_widget(workers_table(model, parts[2].width), parts[2]);
    }
    if events > 0 && !is_detail {
        let lines: Vec<Line> = model.events.iter().map(|text| Line::raw(text.as_str())).collect();
        frame.render_widget(Paragraph::new(lines).block(titled("events")), parts[3]);
    }
    // The last lines matter most: a question, what is typed.
    let skipped = foot.len().saturating_sub(usize::from(foot_height));
    frame.render_widget(Paragraph::new(foot.into_iter().skip(skipped).collect::<Vec<_>>()), parts[4]);
}

/// All that is known of a job, as `morpion job show` prints it.
fn details(frame: &mut Frame, area: Rect, model: &Model, id: JobId, scroll: &mut usize) {
    let Some(job) = model.jobs.iter().find(|job| job.summary.id == id) else {
        let gone = format!("job {id} is no longer among those that are shown");
        frame.render_widget(Paragraph::new(gone).block(titled("details")), area);
        return;
    };
    let mut text = Vec::new();
    // Memory takes all that is written.
    let _ = describe(job, &mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    let lines: Vec<Line> = text.lines().flat_map(|line| folded(line, area.width.max(1).into())).collect();
    let room = usize::from(area.height.saturating_sub(1)).max(1);
    *scroll = (*scroll).min(lines.len().saturating_sub(room));
    let title = match lines.len() > room {
        true => format!("details: lines {} to {} of {}", *scroll + 1, (*scroll + room).min(lines.len()), lines.len()),
        false => "details".to_owned(),
    };
    let shown: Vec<Line> = lines.into_iter().skip(*scroll).collect();
    frame.render_widget(Paragraph::new(shown).block(titled(&title)), area);
}

/// A line in pieces that fit.
fn folded(line: &str, width: usize) -> Vec<Line<'static>> {
    let characters: Vec<char> = line.chars().collect();
    let pieces = characters.chunks(width).map(|piece| Line::raw(piece.iter().collect::<String>()));
    if characters.is_empty() { vec![Line::raw("")] } else { pieces.collect() }
}

fn titled(title: &str) -> Block<'_> {
    Block::default().borders(Borders::TOP).title(title).border_style(Style::default().add_modifier(Modifier::DIM))
}

fn heading(model: &Model) -> Vec<Line<'_>> {
    let bold = Style::default().add_modifier(Modifier::BOLD);
    let mut first = vec![Span::styled("morpion", bold), Span::raw(format!("  {}", model.url))];
    if let Some(health) = &model.health {
        let text = format!("  {} of {} workers busy, up {}", health.busy, health.workers, clock(health.uptime));
        first.push(Span::raw(text));
        if health.status != "ok" {
            let warning = Style::default().fg(Color::Red).add_modifier(Modifier::BOLD);
            first.push(Span::styled(format!("  {}", plain(&health.status)), warning));
        }
    }
    let mut second = Vec::new();
    if let Some(totals) = &model.totals {
        let best = totals.best.iter().map(|best| format!("{} {}", best.variant, best.score));
        let best: Vec<String> = best.collect();
        if !best.is_empty() {
            second.push(Span::styled(format!("best {}", best.join(", ")), Style::default().fg(Color::Green)));
            second.push(Span::raw("  "));
        }
        second.push(Span::raw(format!(
            "{} grids, {} iterations, {} per second",
            thousands(totals.grids),
            thousands(totals.iterations),
            thousands(totals.rate.max(0.0) as u64)
        )));
    }
    let mut lines = vec![Line::from(first), Line::from(second)];
    lines.extend(model.pool.as_ref().map(machines));
    lines
}

/// The workers on other machines in one line: how many are busy, how fast all are together, and which machines are
/// not as they should be.
fn machines(pool: &PoolView) -> Line<'_> {
    let is_here = |machine: &&MachineView| machine.state == MachineStanding::Here;
    let here = || pool.machines.iter().filter(is_here);
    let (running, workers) = here().fold((0, 0), |(r, w), machine| (r + machine.running, w + machine.workers));
    let count = match here().count() {
        1 => "1 machine".to_owned(),
        count => format!("{count} machines"),
    };
    let speed = here().fold(0, |sum, m| sum + u64::from(m.speed) * u64::from(m.workers));
    let speed = if speed > 0 { format!(", {} random games/s", thousands(speed)) } else { String::new() };
    let mut line = vec![Span::raw(format!("{count}, {running} of {workers} workers busy{speed}"))];
    let warning = Style::default().fg(Color::Red);
    if let Some(trouble) = &pool.trouble {
        line.push(Span::styled(format!("  {}", plain(trouble)), warning));
    }
    for machine in pool.machines.iter().filter(|machine| !is_here(machine)) {
        let (words, style) = match machine.state {
            MachineStanding::Here => continue,
            MachineStanding::Leaving => ("leaves", Style::default()),
            MachineStanding::Lost => ("lost", warning),
            MachineStanding::Distrusted => ("not trusted", warning),
            MachineStanding::OtherVersion => ("of another version", warning),
        };
        line.push(Span::styled(format!("  {} {words}", plain(&machine.name)), style));
    }
    Line::from(line)
}

fn colour(state: JobState) -> Style {
    match state {
        JobState::Running => Style::default().fg(Color::Green),
        JobState::Paused | JobState::Draining => Style::default().fg(Color::Yellow),
        JobState::Failed => Style::default().fg(Color::Red),
        JobState::Queued => Style::default(),
        JobState::Finished | JobState::Cancelled => Style::default().add_modifier(Modifier::DIM),
    }
}

fn jobs(frame: &mut Frame, area: Rect, model: &Model, choice: &mut JobChoice) {
    let of_filter = choice.shown(&model.jobs);
    let mut state = TableState::default().with_selected(choice.place(&of_filter));
    let shown: Vec<&Column> = COLUMNS.iter().filter(|column| area.width >= column.from).collect();
    let fixed = |column: &Column| if column.width == 0 { 0 } else { column.width(&of_filter) };
    let cell = |column: &Column, text: String| match (usize::from(fixed(column)), column.head) {
        (0, _) => Cell::from(text),
        (width, "state") => Cell::from(format!("{text:<width$}")),
        (width, _) => Cell::from(format!("{text:>width$}")),
    };
    let rows = of_filter.iter().map(|job| {
        let cells = shown.iter().map(|column| {
            let cell = cell(column, (column.text)(job));
            if column.head == "state" { cell.style(colour(job.summary.state)) } else { cell }
        });
        Row::new(cells.collect::<Vec<_>>())
    });
    let widths = shown.iter().map(|column| match fixed(column) {
        0 => Constraint::Min(4),
        width => Constraint::Length(width),
    });
    let heads = Row::new(shown.iter().map(|column| cell(column, column.head.to_owned())).collect::<Vec<_>>());
    let title = match (model.jobs.len(), model.more) {
        (0, _) => "no jobs: `morpion job submit` makes one".to_owned(),
        (count, more) => {
            let all = if more { format!("the newest {count}") } else { count.to_string() };
            match choice.filter.as_str() {
                "" => format!("jobs ({all})"),
                filter => format!("jobs with '{}' ({} of {all})", plain(filter), of_filter.len()),
            }
        }
    };
    let table = Table::new(rows, widths.collect::<Vec<_>>())
        .header(heads.style(Style::default().add_modifier(Modifier::BOLD)))
        .row_highlight_style(Style::default().add_modifier(Modifier::REVERSED));
    // Where there is no room for a title and heads, the jobs come first.
    if area.height >= 3 {
        frame.render_stateful_widget(table.block(titled(&title)), area, &mut state);
    } else {
        frame.render_stateful_widget(table.header(Row::default().height(0)), area, &mut state);
    }
}

fn workers_table(model: &Model, width: u16) -> Table<'_> {
    let row = |worker: &WorkerView| {
        let number = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
        Row::new([
            format!("{:>6}", worker.worker),
            format!("{:>5}", number(worker.job)),
            format!("{:>9}", number(worker.unit)),
            format!("{:>4}", worker.best),
            format!("{:>15}", thousands(worker.iterations)),
            format!("{:<12}", clock(worker.seconds)),
            worker.phase.as_deref().map(plain).unwrap_or_default(),
            worker.machine.as_deref().map(plain).unwrap_or_default(),
        ])
    };
    let machine = if model.pool.is_some() { "machine" } else { "" };
    let heads = ["worker", "  job", "     unit", "best", "     iterations", "time", "phase", machine];
    let phase = if width < 76 { 0 } else { 18 };
    // The other columns, and a space before each but the first.
    let rest = width.saturating_sub(51 + phase + 7);
    let widths = [6, 5, 9, 4, if width < 50 { 0 } else { 15 }, if width < 60 { 0 } else { 12 }, phase, rest];
    Table::new(model.workers.iter().map(row), widths.map(Constraint::Length))
        .header(Row::new(heads).style(Style::default().add_modifier(Modifier::BOLD)))
        .block(titled("workers"))
}

/// What the keys do in the list, in the order in which they are shown.
const KEYS: [&str; 8] = [
    "q quit",
    "\u{2191}\u{2193} choose",
    "Enter details",
    "p pause, resume",
    "c cancel",
    "r priority",
    "/ filter",
    "Esc all jobs",
];
const KEYS_OF_DETAILS: [&str; 5] =
    ["Esc back", "\u{2191}\u{2193} scroll", "p pause, resume", "c cancel", "r priority"];

/// The last lines of the screen: a message, then the keys, a question, or what is being typed.
fn footer<'a>(model: &'a Model, choice: &JobChoice, width: u16) -> Vec<Line<'a>> {
    let bold = Style::default().add_modifier(Modifier::BOLD);
    let dim = Style::default().add_modifier(Modifier::DIM);
    let mut lines = Vec::new();
    if let Some(trouble) = &model.trouble {
        lines.push(Line::styled(plain(trouble), bold.fg(Color::Red)));
    } else if let Some((since, message)) = &model.message
        && since.elapsed() < SHOWN
    {
        lines.push(Line::raw(plain(message)));
    }
    let typed = |text: String| Line::styled(text, bold);
    match &choice.mode {
        Mode::Cancel(id) => {
            let name = model.jobs.iter().find(|job| job.summary.id == *id);
            let name = name.map_or(String::new(), |job| format!(" ({})", plain(&job.summary.name)));
            // The answer must be in sight, however long the name is.
            let room = usize::from(width).saturating_sub(46);
            let name: String = if name.chars().count() > room { String::new() } else { name };
            lines.push(Line::styled(
                format!("cancel job {id}{name}? y yes  any other key no"),
                bold.fg(Color::Yellow),
            ));
        }
        Mode::Filter => {
            lines.push(wrapped(&["Enter keep", "Esc all jobs"], width).remove(0).style(dim));
            lines.push(typed(format!("filter: {}_", plain(&choice.filter))));
        }
        Mode::Priority(id, text) => {
            let now = model.jobs.iter().find(|job| job.summary.id == *id);
            let now = now.map_or(String::new(), |job| format!(" (now {})", job.summary.priority));
            lines.push(wrapped(&["Enter change", "Esc leave it"], width).remove(0).style(dim));
            lines.push(typed(format!("priority of job {id}{now}: {}_", plain(text))));
        }
        Mode::Details(_) => lines.extend(wrapped(&KEYS_OF_DETAILS, width).into_iter().map(|line| line.style(dim))),
        Mode::List => {
            let keys = if choice.filter.is_empty() { &KEYS[..7] } else { &KEYS[..] };
            lines.extend(wrapped(keys, width).into_iter().map(|line| line.style(dim)));
        }
    }
    lines
}

/// Texts beside each other, in as few lines as they fit into.
fn wrapped(texts: &[&str], width: u16) -> Vec<Line<'static>> {
    let mut lines: Vec<String> = vec![String::new()];
    for text in texts {
        let last = lines.last_mut().expect("there is one");
        if last.is_empty() {
            last.push_str(text);
        } else if last.chars().count() + 3 + text.chars().count() <= usize::from(width) {
            last.push_str(&format!("   {text}"));
        } else {
            lines.push((*text).to_owned());
        }
    }
    lines.into_iter().map(Line::raw).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::daemon::view::{HealthView, JobLimits, JobSummary, VERSION};
    use crate::morpion::variant::Variant;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use std::time::Instant;

    /// So many running jobs, the newest first.
    pub fn jobs(count: u64) -> Vec<JobView> {
        let job = |id: u64, state| {
            let summary = JobSummary {
                id,
                kind: "hunt".to_owned(),
                name: format!("nrpa {id}\u{1b}[31m"),
                state,
                reason: None,
                variant: Some(Variant::T5),
                strategy: None,
                strategy_reason: None,
                seed: None,
                priority: 0,
                weight: 1,
                limits: JobLimits::default(),
                after: None,
                not_before: None,
                submitted: 0.0,
                began: None,
                ended: None,
                seconds: 3700.0,
                iterations: 123_456_789,
                units_done: 1,
                units_stalled: 0,
                units_quarantined: 0,
                best: Some(150),
                solution: None,
                proof: None,
                matched: None,
                selfplay: None,
                analyse: None,
                tune: None,
                tactics: None,
                mine: None,
                plan: None,
                check: None,
                units_summarised: false,
            };
            let view = JobView::idle(summary, None, serde_json::Map::new()).with_workers(2);
            JobView { rate: 250_000.0, ..view }
        };
        (1..=count).rev().map(|id| job(id, JobState::Running)).collect()
    }

    fn model() -> Model {
        let worker = |worker| WorkerView {
            worker,
            machine: None,
            job: Some(1),
            unit: Some(7),
            iterations: 10,
            best: 140,
            seconds: 5.0,
            phase: Some("call 23 of 100".to_owned()),
        };
        Model {
            url: "http://127.0.0.1:7878".to_owned(),
            health: Some(HealthView {
                v: VERSION,
                status: "the disk is full".to_owned(),
                version: "1".to_owned(),
                uptime: 90.0,
                workers: 2,
                busy: 2,
                jobs: Default::default(),
                grids: 3,
            }),
            jobs: jobs(39),
            workers: vec![worker(1), worker(2)],
            events: ["10:00:00  job 39: best 150".to_owned()].into(),
            ..Model::default()
        }
    }

    fn screen(width: u16, height: u16, chosen: usize) -> String {
        drawn(&model(), width, height, chosen)
    }

    fn drawn(model: &Model, width: u16, height: u16, chosen: usize) -> String {
        let job = model.jobs.get(chosen).map(|job| job.summary.id);
        with(model, width, height, &mut JobChoice { job, ..JobChoice::default() })
    }

    fn with(model: &Model, width: u16, height: u16, choice: &mut JobChoice) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, model, choice)).unwrap();
        let buffer = terminal.backend().buffer();
        let line = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        (0..height).map(|y| line(y) + "\n").collect()
    }

    #[test]
    fn a_usual_screen_shows_everything() {
        let shown = screen(100, 30, 0);
        for text in
            ["the disk is full", "2 of 2 workers busy", "250 000", "123 456 789", "best 150", "unit", "q quit"]
        {
            assert!(shown.contains(text), "{text}\n{shown}");
        }
        assert!(!shown.contains('\u{1b}'));
    }

    #[test]
    fn the_keys_and_every_question_are_on_every_screen() {
        let mut model = model();
        for width in [40, 80, 120] {
            let shown = screen(width, 24, 3);
            for keys in &KEYS[..7] {
                assert!(shown.contains(keys), "{keys}, {width}\n{shown}");
            }
            let mut asked = JobChoice { mode: Mode::Cancel(38), ..JobChoice::default() };
            let shown = with(&model, width, 24, &mut asked);
            assert!(shown.contains("cancel job 38") && shown.contains("y yes  any other key no"), "{width}\n{shown}");
            let mut asked = JobChoice { mode: Mode::Priority(38, "-7".to_owned()), ..JobChoice::default() };
            let shown = with(&model, width, 24, &mut asked);
            assert!(shown.contains("priority of job 38 (now 0): -7_"), "{width}\n{shown}");
            let mut filtered = JobChoice { mode: Mode::Filter, filter: "nrpa 7".to_owned(), ..JobChoice::default() };
            let shown = with(&model, width, 24, &mut filtered);
            assert!(
                shown.contains("filter: nrpa 7_") && shown.contains("jobs with 'nrpa 7' (4 of 39)"),
                "{width}\n{shown}"
            );
        }
        model.message = Some((Instant::now(), "job 38 is paused".to_owned()));
        assert!(drawn(&model, 40, 24, 0).contains("job 38 is paused"));
        model.message = Some((Instant::now() - 2 * SHOWN, "job 38 is paused".to_owned()));
        assert!(!drawn(&model, 40, 24, 0).contains("job 38 is paused"), "after a while it goes");
    }

    #[test]
    fn details_can_be_scrolled() {
        let mut model = model();
        for number in 0..50 {
            model.jobs[1].settings.insert(format!("setting_{number:02}"), "x".repeat(100).into());
        }
        for width in [40, 80, 120] {
            let mut choice = JobChoice { mode: Mode::Details(38), ..JobChoice::default() };
            let shown = with(&model, width, 20, &mut choice);
            assert!(shown.contains("job         38, nrpa 38") && shown.contains("details: lines 1 to"), "{shown}");
            choice.scroll = usize::MAX;
            let shown = with(&model, width, 20, &mut choice);
            assert!(shown.contains("setting_49") && choice.scroll > 40, "{width}\n{shown}");
        }
        let mut gone = JobChoice { mode: Mode::Details(77), ..JobChoice::default() };
        assert!(with(&model, 80, 20, &mut gone).contains("job 77 is no longer"));
    }

    #[test]
    fn machines_are_shown_when_there_may_be_some() {
        let machine = |name: &str, state: &str| {
            serde_json::json!({
                "id": "0011223344556677", "name": name, "version": "1", "state": state, "workers": 8, "running": 3,
                "speed": 12_000, "units": 9, "refused": 0, "silent": 0.5, "seconds": 60.0,
            })
        };
        let machines = [machine("lab-1", "here"), machine("lab-2", "lost"), machine("lab-3", "distrusted")];
        let pool = serde_json::json!({ "v": 1, "open": true, "connected": true, "machines": machines });
        let mut model = model();
        assert!(!screen(120, 30, 0).contains("machine"));
        model.pool = Some(serde_json::from_value(pool).unwrap());
        model.workers[1].machine = Some("lab-1".to_owned());
        let shown = drawn(&model, 120, 30, 0);
        for text in [
            "1 machine, 3 of 8 workers busy, 96 000 random games/s",
            "lab-2 lost",
            "lab-3 not trusted",
            "        7  140",
            "lab-1",
        ] {
            assert!(shown.contains(text), "{text}\n{shown}");
        }
    }

    #[test]
    fn no_number_is_cut() {
        let solution = |bound: i32| {
            serde_json::json!({
                "game": "go", "title": "go 19x19", "width": 19, "height": 19, "cells": "", "position": "", "side": "black",
                "goal": "exact", "settled": false, "lower": -bound, "upper": bound, "best_moves": [], "line": [],
                "moves": [], "tree_nodes": 1, "units": {"made": 0, "finished": 0, "split": 0, "cancelled": 0, "open": 0},
                "nodes": 0, "cpu_seconds": 0.0, "user": "", "quorum": 1, "contradictions": 0,
            })
        };
        for (bound, text) in [(64, "-64..+64 "), (361, "-361..+361 ")] {
            let mut model = model();
            model.jobs[0].summary.solution = Some(serde_json::from_value(solution(bound)).unwrap());
            for width in [40, 80, 120] {
                let shown = drawn(&model, width, 30, 0);
                assert!(shown.contains(text), "{text} {width}\n{shown}");
            }
        }
    }

    #[test]
    fn the_chosen_job_is_on_every_screen() {
        for (width, height) in [(80, 24), (40, 12), (30, 6), (20, 4), (20, 2), (12, 1)] {
            let shown = screen(width, height, 30);
            assert!(shown.lines().any(|line| line.trim_start().starts_with("9 ")), "{width}x{height}\n{shown}");
        }
        for (width, height) in [(1, 1), (3, 50), (500, 1), (2, 2)] {
            screen(width, height, 38);
        }
    }
}

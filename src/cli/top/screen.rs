//! The screen of `morpion top`: what is drawn, and what is left out where there is little room.

use super::Model;
use crate::cli::grid_input::plain;
use crate::cli::job::best;
use crate::cli::job::state;
use crate::daemon::view::{JobState, JobView, MachineStanding, MachineView, PoolView, WorkerView};
use crate::runner::status::{clock, thousands};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Cell, Paragraph, Row, Table, TableState};

/// Lines that the jobs get at least before workers and events are shown.
const JOBS: u16 = 6;

/// Lines of the events, their border included.
const EVENTS: u16 = 8;

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
    fn width(&self, jobs: &[JobView]) -> u16 {
        let longest = jobs.iter().map(|job| (self.text)(job).chars().count()).max().unwrap_or(0);
        self.width.max(u16::try_from(longest).unwrap_or(u16::MAX))
    }
}

/// The columns; the last one takes what is left.
const COLUMNS: [Column; 8] = [
    Column { head: "job", width: 5, from: 0, text: |job| job.summary.id.to_string() },
    Column { head: "state", width: 9, from: 20, text: |job| state(job.summary.state).to_owned() },
    Column { head: "best", width: 4, from: 0, text: best },
    Column { head: "thr", width: 3, from: 40, text: |job| job.workers.to_string() },
    Column { head: "per second", width: 11, from: 50, text: |job| thousands(job.rate.max(0.0) as u64) },
    Column { head: "iterations", width: 15, from: 90, text: |job| thousands(job.summary.iterations) },
    Column { head: "time", width: 17, from: 75, text: |job| clock(job.summary.seconds) },
    Column { head: "name", width: 0, from: 30, text: |job| plain(&job.summary.name) },
];

/// Draws the whole screen: the daemon, its jobs, and what happened last.
pub fn draw(frame: &mut Frame, model: &Model, chosen: &mut TableState) {
    let area = frame.area();
    let spare = area.height.saturating_sub(3 + JOBS);
    let workers = if model.workers.is_empty() || spare < 4 {
        0
    } else {
        (model.workers.len() as u16).saturating_add(3).min(spare / 2)
    };
    let events = if spare.saturating_sub(workers) < 3 { 0 } else { EVENTS.min(spare - workers) };
    let heads = if area.height < 4 { 0 } else { 2 + u16::from(model.pool.is_some()) };
    let parts = Layout::vertical([
        Constraint::Length(heads),
        Constraint::Min(1),
        Constraint::Length(workers),
        Constraint::Length(events),
        Constraint::Length(u16::from(area.height > 1)),
    ])
    .split(area);
    frame.render_widget(Paragraph::new(heading(model)), parts[0]);
    jobs(frame, parts[1], model, chosen);
    if workers > 0 {
        frame.render_widget(workers_table(model, parts[2].width), parts[2]);
    }
    if events > 0 {
        let lines: Vec<Line> = model.events.iter().map(|text| Line::raw(text.as_str())).collect();
        frame.render_widget(Paragraph::new(lines).block(titled("events")), parts[3]);
    }
    frame.render_widget(Paragraph::new(footer(model)), parts[4]);
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

/// The workers on other machines in one line: how many are busy, and which machines are not as they should be.
fn machines(pool: &PoolView) -> Line<'_> {
    let is_here = |machine: &&MachineView| machine.state == MachineStanding::Here;
    let here = || pool.machines.iter().filter(is_here);
    let (running, workers) = here().fold((0, 0), |(r, w), machine| (r + machine.running, w + machine.workers));
    let count = match here().count() {
        1 => "1 machine".to_owned(),
        count => format!("{count} machines"),
    };
    let mut line = vec![Span::raw(format!("{count}, {running} of {workers} workers busy"))];
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

fn jobs(frame: &mut Frame, area: Rect, model: &Model, chosen: &mut TableState) {
    let shown: Vec<&Column> = COLUMNS.iter().filter(|column| area.width >= column.from).collect();
    let fixed = |column: &Column| if column.width == 0 { 0 } else { column.width(&model.jobs) };
    let cell = |column: &Column, text: String| match (usize::from(fixed(column)), column.head) {
        (0, _) => Cell::from(text),
        (width, "state") => Cell::from(format!("{text:<width$}")),
        (width, _) => Cell::from(format!("{text:>width$}")),
    };
    let rows = model.jobs.iter().map(|job| {
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
        (count, false) => format!("jobs ({count})"),
        (count, true) => format!("jobs (the newest {count})"),
    };
    let table = Table::new(rows, widths.collect::<Vec<_>>())
        .header(heads.style(Style::default().add_modifier(Modifier::BOLD)))
        .row_highlight_style(Style::default().add_modifier(Modifier::REVERSED));
    // Where there is no room for a title and heads, the jobs come first.
    if area.height >= 3 {
        frame.render_stateful_widget(table.block(titled(&title)), area, chosen);
    } else {
        frame.render_stateful_widget(table.header(Row::default().height(0)), area, chosen);
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
            worker.machine.as_deref().map(plain).unwrap_or_default(),
        ])
    };
    let machine = if model.pool.is_some() { "machine" } else { "" };
    let heads = ["worker", "  job", "     unit", "best", "     iterations", "time", machine];
    // The other columns, and a space before each but the first.
    let rest = width.saturating_sub(51 + 6);
    let widths = [6, 5, 9, 4, if width < 50 { 0 } else { 15 }, if width < 60 { 0 } else { 12 }, rest];
    Table::new(model.workers.iter().map(row), widths.map(Constraint::Length))
        .header(Row::new(heads).style(Style::default().add_modifier(Modifier::BOLD)))
        .block(titled("workers"))
}

fn footer(model: &Model) -> Line<'_> {
    if let Some(trouble) = &model.trouble {
        return Line::styled(plain(trouble), Style::default().fg(Color::Red).add_modifier(Modifier::BOLD));
    }
    let keys = "q quit   \u{2191}\u{2193} choose   p pause, resume";
    match &model.message {
        Some(message) => Line::raw(format!("{keys}   {}", plain(message))),
        None => Line::styled(keys, Style::default().add_modifier(Modifier::DIM)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::view::{HealthView, JobLimits, JobSummary, VERSION};
    use crate::morpion::variant::Variant;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    fn model() -> Model {
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
                units_summarised: false,
            };
            let view = JobView::idle(summary, None, serde_json::Map::new()).with_workers(2);
            JobView { rate: 250_000.0, ..view }
        };
        let worker = |worker| WorkerView {
            worker,
            machine: None,
            job: Some(1),
            unit: Some(7),
            iterations: 10,
            best: 140,
            seconds: 5.0,
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
            jobs: (1..40).rev().map(|id| job(id, JobState::Running)).collect(),
            workers: vec![worker(1), worker(2)],
            events: ["10:00:00  job 39: best 150".to_owned()].into(),
            ..Model::default()
        }
    }

    fn screen(width: u16, height: u16, chosen: usize) -> String {
        drawn(&model(), width, height, chosen)
    }

    fn drawn(model: &Model, width: u16, height: u16, chosen: usize) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let mut state = TableState::default().with_selected(chosen);
        terminal.draw(|frame| draw(frame, model, &mut state)).unwrap();
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
    fn machines_are_shown_when_there_may_be_some() {
        let machine = |name: &str, state: &str| {
            serde_json::json!({
                "id": "0011223344556677", "name": name, "version": "1", "state": state, "workers": 8, "running": 3,
                "units": 9, "refused": 0, "silent": 0.5, "seconds": 60.0,
            })
        };
        let machines = [machine("lab-1", "here"), machine("lab-2", "lost"), machine("lab-3", "distrusted")];
        let pool = serde_json::json!({ "v": 1, "open": true, "connected": true, "machines": machines });
        let mut model = model();
        assert!(!screen(120, 30, 0).contains("machine"));
        model.pool = Some(serde_json::from_value(pool).unwrap());
        model.workers[1].machine = Some("lab-1".to_owned());
        let shown = drawn(&model, 120, 30, 0);
        for text in ["1 machine, 3 of 8 workers busy", "lab-2 lost", "lab-3 not trusted", "        7  140", "lab-1"] {
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

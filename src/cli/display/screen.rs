//! The live screen of a hunt: what is drawn, and what is left out where there is little room.

use super::short;
use crate::cli::grid_input::plain;
use crate::cli::translation::{known, span, t};
use crate::core::search::Phase;
use crate::jobs::hunt::Find;
use crate::morpion::geometry::Move;
use crate::notation::grid::Grid;
use crate::render::characters::{self, AGES, Dots, Ink};
use crate::runner::progress::RunningUnit;
use crate::runner::status::{Status, thousands};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph, Sparkline, Wrap};
use std::collections::VecDeque;

/// Lines of events that are kept.
const EVENTS: usize = 20;
/// Columns that the figures get at least.
const FIGURES: u16 = 17;
/// The window must have so many columns for the grid to be drawn.
const WIDE: u16 = 30;
/// The same for a line about keys, in rows.
const TALL: u16 = 18;
/// Most columns of the curve of the best score.
const CURVE: u16 = 60;
/// Rows of the curve where there is room.
const CURVE_ROWS: u16 = 3;
/// Columns of the names of the figures.
const NAMES: usize = 8;

/// How the screen may look.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// Colours may be used.
    pub colours: bool,
    /// What pictures are made of.
    pub dots: Dots,
}

/// A grid that ties with the record or breaks it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feat {
    /// What is said about it.
    pub text: String,
    /// The record is broken.
    pub broken: bool,
}

/// What is known of the hunt.
pub struct HuntScreen {
    /// The first line: variant, strategy, workers, seed, directory.
    pub title: String,
    /// The best grid.
    pub grid: Grid,
    /// The longest known grid of the category, and the name of the category; nothing from another start than the
    /// cross.
    pub record: Option<(u32, String)>,
    /// Score at which the hunt ends.
    pub target: Option<u32>,
    /// Seconds after which the hunt ends.
    pub limit: Option<f64>,
    /// What the counter of the strategy counts.
    pub counts: String,
    /// Seconds and score of each new best, in order.
    pub bests: Vec<(f64, u32)>,
    /// How the hunt stands.
    pub status: Option<Status>,
    /// What happened, the latest last.
    pub events: VecDeque<String>,
    /// The last tie with the record or new record.
    pub feat: Option<Feat>,
    /// How it may look.
    pub look: Look,
}

/// A figure: its name and its value.
type Figure = (String, String);

impl HuntScreen {
    /// Adds what happened.
    pub fn tell(&mut self, text: &str) {
        for line in text.trim_end().lines() {
            if self.events.len() == EVENTS {
                self.events.pop_front();
            }
            self.events.push_back(plain(line.trim()));
        }
    }

    /// Shows a new best grid.
    pub fn improved(&mut self, best: &Find) {
        self.set_moves(best.moves.clone());
        self.bests.push((best.seconds, best.score()));
    }

    /// Shows this grid.
    pub fn set_moves(&mut self, moves: Vec<Move>) {
        self.grid.moves = moves;
    }

    fn style(&self, colour: Color) -> Style {
        if self.look.colours { Style::default().fg(colour) } else { Style::default() }
    }

    fn seconds(&self) -> f64 {
        self.status.as_ref().map_or(0.0, |status| status.progress.seconds)
    }
}

fn bold() -> Style {
    Style::default().add_modifier(Modifier::BOLD)
}

fn dim() -> Style {
    Style::default().add_modifier(Modifier::DIM)
}

/// Draws the whole screen.
pub fn draw(frame: &mut Frame, screen: &HuntScreen) {
    let mut left = frame.area();
    // The most important lines come first, so they are there in the smallest window.
    let first = take_top(&mut left, 1);
    frame.render_widget(Paragraph::new(score_line(screen)), first);
    if let Some(feat) = &screen.feat {
        let rows = (feat.text.chars().count() as u16).div_ceil(left.width.max(1)).min(2);
        let colour = if feat.broken { Color::Yellow } else { Color::Green };
        let style = screen.style(colour).add_modifier(Modifier::BOLD | Modifier::REVERSED);
        let banner = Paragraph::new(feat.text.as_str()).style(style).wrap(Wrap { trim: true });
        frame.render_widget(banner, take_top(&mut left, rows));
    }
    frame.render_widget(Paragraph::new(Line::styled(screen.title.as_str(), dim())), take_top(&mut left, 1));
    if frame.area().height >= TALL {
        let keys = t!("Ctrl-C stops and saves the hunt, Ctrl-Z leaves it for a while");
        frame.render_widget(Paragraph::new(Line::styled(keys, dim())), take_bottom(&mut left, 1));
    }
    let rows = match left.height {
        ..6 => 0,
        6..12 => 1,
        12..18 => 3,
        18..28 => 5,
        _ => 8,
    };
    events(frame, take_bottom(&mut left, rows), screen);
    let left = grid(frame, left, screen);
    figures(frame, left, screen);
}

fn take_top(area: &mut Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    let taken = Rect { height: rows, ..*area };
    (area.y, area.height) = (area.y + rows, area.height - rows);
    taken
}

fn take_bottom(area: &mut Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    area.height -= rows;
    Rect { y: area.y + area.height, height: rows, ..*area }
}

fn score_line(screen: &HuntScreen) -> Line<'_> {
    let score = screen.grid.score() as u32;
    let gap = screen.record.as_ref().map_or(String::new(), |(record, category)| match score.cmp(record) {
        std::cmp::Ordering::Less => t!("{0} below the {1} record {2}", record - score, category, record),
        std::cmp::Ordering::Equal => t!("as long as the {0} record", category),
        std::cmp::Ordering::Greater => t!("{0} above the {1} record {2}", score - record, category, record),
    });
    let best = screen.style(Color::Green).add_modifier(Modifier::BOLD);
    Line::from(vec![Span::styled(t!("best {0}", score), best), Span::styled(format!("  {gap}"), bold())])
}

/// Draws the best grid at the left; what is left of the area.
fn grid(frame: &mut Frame, area: Rect, screen: &HuntScreen) -> Rect {
    const SHADES: [Color; AGES] = [Color::LightBlue, Color::Green, Color::Yellow, Color::Red];
    if area.width < WIDE {
        return area;
    }
    let room = area.width - FIGURES - 2;
    let picture = characters::draw(&screen.grid, screen.look.dots, room.into(), area.height.into());
    let Some(picture) = picture else { return area };
    let style = |ink: Ink| match ink {
        Ink::Cross => Style::default(),
        Ink::Move(age) => screen.style(SHADES[age]),
        Ink::Last => screen.style(Color::Red).add_modifier(Modifier::BOLD),
    };
    let rows = picture.rows.iter().map(|row| {
        let spans = row.chunk_by(|a, b| a.1 == b.1).map(|piece| {
            Span::styled(piece.iter().map(|(character, _)| character).collect::<String>(), style(piece[0].1))
        });
        Line::from(spans.collect::<Vec<_>>())
    });
    frame.render_widget(Paragraph::new(rows.collect::<Vec<_>>()), area);
    let taken = picture.width() as u16 + 2;
    Rect { x: area.x + taken, width: area.width - taken, ..area }
}

/// The figures, the most important first.
fn list(screen: &HuntScreen) -> Vec<Figure> {
    let Some(status) = &screen.status else { return Vec::new() };
    let progress = &status.progress;
    let left = screen.limit.map_or(t!("no limit"), |limit| span((limit - progress.seconds).max(0.0).ceil()));
    let mut figures = vec![
        (t!("time"), span(progress.seconds)),
        (t!("left"), left),
        (t!("speed"), format!("{}/s", short(progress.rate))),
        (t!("done"), format!("{} {}", thousands(progress.iterations), screen.counts)),
    ];
    if let Some(target) = screen.target {
        figures.push((t!("target"), target.to_string()));
    }
    let units = progress.running.len();
    figures.push((t!("units"), t!("{0} done, {1} running", thousands(progress.units_done), units)));
    if let [unit] = &progress.running[..]
        && let Some(phase) = unit.phase
    {
        figures.push((t!("phase"), in_words(phase)));
    }
    if let Some((name, levels)) = super::levels(status) {
        figures.push((name, levels));
    }
    figures
}

fn figures(frame: &mut Frame, mut area: Rect, screen: &HuntScreen) {
    let figures = list(screen);
    let lines: Vec<Line> = figures
        .iter()
        .map(|(name, value)| {
            Line::from(vec![Span::styled(format!("{name:<NAMES$}"), dim()), Span::raw(value.as_str())])
        })
        .collect();
    // The curve needs its title and a row; figures that are less important give way to it.
    let shown = (lines.len() as u16).min(area.height.saturating_sub(2).max(3));
    frame.render_widget(Paragraph::new(lines), take_top(&mut area, shown));
    if area.height >= 10 {
        take_top(&mut area, 1);
    }
    curve(frame, &mut area, screen);
    if area.height >= 4 {
        take_top(&mut area, 1);
        workers(frame, area, screen);
    }
}

/// The best score over time, from the first to the last column.
fn curve(frame: &mut Frame, area: &mut Rect, screen: &HuntScreen) {
    let (width, seconds) = (area.width.min(CURVE), screen.seconds());
    let rows = match area.height {
        // Some rows are left to the workers.
        6 | 7 => 1,
        height => height.saturating_sub(1).min(CURVE_ROWS),
    };
    if rows == 0 || width == 0 || screen.bests.is_empty() {
        return;
    }
    let at = |column: u16| {
        let until = seconds * f64::from(column + 1) / f64::from(width);
        screen.bests.iter().take_while(|&&(found, _)| found <= until).last().map(|&(_, score)| score)
    };
    let scores: Vec<Option<u32>> = (0..width).map(at).collect();
    let Some(lowest) = scores.iter().flatten().min().copied() else { return };
    let highest = scores.iter().flatten().max().copied().unwrap_or(lowest);
    let steps = u64::from(rows) * 8;
    let height = |score: u32| match highest - lowest {
        0 => steps / 2,
        range => 1 + u64::from(score - lowest) * (steps - 1) / u64::from(range),
    };
    let title = match lowest < highest {
        true => t!("score {0} to {1} in {2}", lowest, highest, span(seconds)),
        false => t!("score {0} in {1}", highest, span(seconds)),
    };
    frame.render_widget(Paragraph::new(Line::styled(title, dim())), take_top(area, 1));
    let bars = match screen.look.dots {
        Dots::Braille => ratatui::symbols::bar::NINE_LEVELS,
        Dots::HalfBlocks => ratatui::symbols::bar::THREE_LEVELS,
    };
    let data: Vec<u64> = scores.into_iter().map(|score| score.map_or(0, height)).collect();
    let curve = Sparkline::default().data(&data).max(steps).bar_set(bars).style(screen.style(Color::Green));
    let mut place = take_top(area, rows);
    place.width = width;
    frame.render_widget(curve, place);
}

/// Where a search stands, in the language of the command line; the page has the same words.
fn in_words(phase: Phase) -> String {
    let Phase { name, number, of } = phase;
    of.map_or(format!("{} {number}", known(name)), |of| t!("{0} {1} of {2}", known(name), number, of))
}

/// What each worker computes.
fn workers(frame: &mut Frame, area: Rect, screen: &HuntScreen) {
    let Some(status) = &screen.status else { return };
    let line = |running: &RunningUnit| {
        let RunningUnit { worker, unit, iterations, best, phase, .. } = running;
        let (worker, phase) = (worker.unwrap_or_default(), phase.map_or(String::new(), in_words));
        Line::raw(format!("{worker:>6}{unit:>7}{best:>6}  {:<15}{phase}", thousands(*iterations)))
    };
    let phase =
        if status.progress.running.iter().any(|unit| unit.phase.is_some()) { t!("phase") } else { String::new() };
    let head = t!("worker   unit  best  {0}", format!("{:<15}{phase}", screen.counts));
    let head = Line::styled(head, dim());
    let lines: Vec<Line> = std::iter::once(head).chain(status.progress.running.iter().map(line)).collect();
    frame.render_widget(Paragraph::new(lines), area);
}

fn events(frame: &mut Frame, area: Rect, screen: &HuntScreen) {
    let rule = area.height >= 3;
    let room = usize::from(area.height) - usize::from(rule);
    let lines = screen.events.iter().skip(screen.events.len().saturating_sub(room));
    let lines = Paragraph::new(lines.map(|line| Line::raw(line.as_str())).collect::<Vec<_>>());
    let block = Block::default().borders(Borders::TOP).title(t!("events")).border_style(dim());
    frame.render_widget(if rule { lines.block(block) } else { lines }, area);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::records::known;
    use crate::runner::progress::Progress;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::buffer::Buffer;

    fn screen() -> HuntScreen {
        let unit = |worker| RunningUnit {
            worker: Some(worker),
            ticket: 7,
            unit: 7,
            iterations: 12_345,
            best: 160,
            phase: Some(Phase { name: "walk", number: 3, of: None }),
        };
        let progress = Progress {
            best: 177,
            iterations: 123_456_789,
            rate: 1.25e6,
            seconds: 65.0,
            units_done: 3,
            running: vec![unit(1), unit(2)],
            ..Progress::default()
        };
        let grid = known().unwrap().into_iter().find(|record| record.name == "Rosin 177A").unwrap().grid;
        let mut screen = HuntScreen {
            title: "hunting 5T with reshape, 2 workers, seed 7, in hunts/first".to_owned(),
            grid: Grid::new(grid.variant, grid.moves),
            record: Some((178, "5T".to_owned())),
            target: None,
            limit: Some(300.0),
            counts: "iterations".to_owned(),
            bests: vec![(0.5, 150), (20.0, 162), (60.0, 177)],
            status: Some(Status { progress, levels: None, walk: false }),
            events: VecDeque::new(),
            feat: None,
            look: Look { colours: true, dots: Dots::Braille },
        };
        screen.tell("     60.0 s  best 177  (thread 1, 12 345 iterations)\x1b[2J\n");
        screen
    }

    fn buffer(screen: &HuntScreen, width: u16, height: u16) -> Buffer {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, screen)).unwrap();
        terminal.backend().buffer().clone()
    }

    fn drawn(screen: &HuntScreen, width: u16, height: u16) -> String {
        let buffer = buffer(screen, width, height);
        let line = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        (0..height).map(|y| line(y).trim_end().to_owned() + "\n").collect()
    }

    #[test]
    fn a_usual_window_shows_everything() {
        let shown = drawn(&screen(), 100, 30);
        for text in [
            "best 177  1 below the 5T record 178",
            "hunting 5T with reshape",
            "time    1:05 min",
            "left    3:55 min",
            "1.2 M/s",
            "123 456 789 iterations",
            "3 done, 2 running",
            "score 150 to 177 in 1:05 min",
            "worker   unit  best  iterations     phase",
            "12 345         walk 3",
            "60.0 s  best 177",
            "Ctrl-C stops",
        ] {
            assert!(shown.contains(text), "{text}\n{shown}");
        }
        assert!(!shown.contains('\u{1b}') && shown.contains('\u{2588}'), "{shown}");
        assert!(shown.chars().filter(|c| ('\u{2801}'..='\u{28ff}').contains(c)).count() > 100, "{shown}");
    }

    #[test]
    fn a_small_window_shows_what_matters() {
        let mut screen = screen();
        let shown = drawn(&screen, 40, 12);
        for text in
            ["best 177  1 below", "time    1:05 min", "left    3:55 min", "1.2 M/s", "score 150", "60.0 s  best 177"]
        {
            assert!(shown.contains(text), "{text}\n{shown}");
        }
        assert!(shown.chars().filter(|c| ('\u{2801}'..='\u{28ff}').contains(c)).count() > 20, "{shown}");
        screen.feat = Some(Feat { text: "AS LONG AS THE RECORD OF 5T".to_owned(), broken: false });
        let shown = drawn(&screen, 40, 12);
        assert!(shown.contains("AS LONG AS THE RECORD OF 5T") && shown.contains("left    3:55 min"), "{shown}");
        // Of one unit the phase is a figure.
        if let Some(status) = &mut screen.status {
            status.progress.running.truncate(1);
        }
        assert!(drawn(&screen, 80, 24).contains("phase   walk 3"), "{}", drawn(&screen, 80, 24));
        for (width, height) in [(1, 1), (2, 2), (3, 50), (500, 1), (29, 4), (30, 3), (200, 100)] {
            let shown = drawn(&screen, width, height);
            assert!(shown.starts_with('b'), "{width}x{height}\n{shown}");
        }
    }

    #[test]
    fn scores_are_compared_with_the_record() {
        let mut screen = screen();
        screen.record = Some((177, "5T".to_owned()));
        assert!(drawn(&screen, 80, 24).contains("best 177  as long as the 5T record"));
        screen.record = Some((136, "symmetric 5T".to_owned()));
        assert!(drawn(&screen, 80, 24).contains("best 177  41 above the symmetric 5T record 136"));
        // Before the first grid and the first status.
        (screen.grid.moves, screen.bests, screen.status) = (Vec::new(), Vec::new(), None);
        assert!(drawn(&screen, 80, 24).contains("best 0  136 below"));
        screen.record = None;
        assert!(drawn(&screen, 80, 24).contains("best 0") && !drawn(&screen, 80, 24).contains("record"));
    }

    #[test]
    fn without_colours_there_is_none() {
        let mut screen = screen();
        screen.feat = Some(Feat { text: "A NEW RECORD OF 5T".to_owned(), broken: true });
        let coloured = |screen: &HuntScreen| {
            let buffer = buffer(screen, 100, 30);
            buffer.content.iter().filter(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset).count()
        };
        assert!(coloured(&screen) > 100);
        screen.look.colours = false;
        assert_eq!(coloured(&screen), 0);
    }
}

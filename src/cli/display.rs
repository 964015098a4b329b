//! What a hunt shows while it runs: a live screen on a terminal, plain lines elsewhere, JSON lines on request.
//!
//! Where only the messages go to a terminal, and with `--plain`, one line below the others tells how the hunt stands.

mod screen;

use self::screen::{Feat, HuntScreen, Look};
use super::file_format::FileFormat;
use super::grid_input;
use super::signals;
use super::streams::{self, reader_has_gone, say};
use super::terminal::{self, Keys, TerminalWindow};
use super::translation::{decimal, known, span, t, tn};
use crate::core::quantity::parse_duration;
use crate::jobs::hunt::{Find, Over};
use crate::jobs::hunt_settings::usual_keep_from;
use crate::morpion::start::Start;
use crate::morpion::symmetry::GridSymmetry;
use crate::morpion::variant::Variant;
use crate::notation::file::load;
use crate::notation::grid::Grid;
use crate::render::characters::Dots;
use crate::runner::directory::{best_name, quoted};
use crate::runner::events::{self, HuntEvent, HuntEventKind, SessionStart, StopReason};
use crate::runner::status::{Status, thousands};
use crate::runner::{Ending, FailedAttempt, HuntListener, HuntSession, Interrupt, SessionReport};
use crate::strategies::params::BadParam;
use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Seconds from one printed line of a new best to the next one.
const BESTS: f64 = 1.0;

/// Messages that are repeated when the live screen ends, at most.
const REPEATED: usize = 100;

/// What is shown.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct OutputFlags {
    /// Show errors only.
    #[arg(long)]
    pub quiet: bool,
    /// Print lines instead of the live screen.
    ///
    /// Elsewhere than on a terminal there are only lines.
    #[arg(long)]
    pub plain: bool,
    /// Print what happens as JSON lines.
    ///
    /// They go to standard output, and include the end of every unit.
    #[arg(long)]
    pub json: bool,
    /// Time between two checkpoints of the running units, at most 10s.
    ///
    /// A crash loses no more than this of them.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = pace, hide_short_help = true)]
    pub checkpoint: f64,
}

fn pace(text: &str) -> Result<f64, BadParam> {
    let seconds = parse_duration(text).map_err(|error| BadParam(error.to_string()))?;
    if (0.05..=10.0).contains(&seconds) { Ok(seconds) } else { Err(BadParam("expected 0.05s to 10s".to_owned())) }
}

/// The observer of a hunt on the command line.
pub struct HuntDisplay<'a> {
    out: &'a mut dyn Write,
    directory: PathBuf,
    quiet: bool,
    json: bool,
    /// The live screen, if there is one.
    live: Option<LiveScreen>,
    /// The line that tells how the hunt stands, if standard error is a terminal without a live screen.
    bar: Option<ProgressBar>,
    /// Seconds after which the hunt ends.
    limit: Option<f64>,
    /// When a line of a new best was printed last, in seconds of the hunt.
    told: Option<f64>,
    /// The line of the last new best, if it is still to be printed.
    untold: Option<String>,
    /// The user has been told that a grid came near the edge.
    warned: bool,
    /// The variant, once the session has begun.
    variant: Variant,
    /// The symmetry of the grids that are searched.
    symmetry: Option<GridSymmetry>,
    /// The start of the grids.
    start: Start,
    /// Asks the session to stop.
    interrupt: Interrupt,
    /// Why data cannot be written any more. The hunt is asked to stop then, as by Ctrl-C, so nothing is lost.
    lost: Option<io::Error>,
}

/// The live screen and the terminal that shows it.
struct LiveScreen {
    window: TerminalWindow,
    screen: HuntScreen,
    /// Messages that are printed when it ends.
    messages: Vec<String>,
}

impl LiveScreen {
    /// For a session in `directory` that has not begun.
    fn open(session: &HuntSession, directory: &Path, limit: Option<f64>) -> io::Result<LiveScreen> {
        let job = session.hunt().job();
        let (variant, symmetry) = (job.variant, job.params.symmetry);
        // What cannot be read is missing in a curve, and is reported when the session begins.
        let earlier = events::read(directory).unwrap_or_default().events;
        let bests = earlier.into_iter().filter_map(|event| match event.what {
            HuntEventKind::Best { score, .. } => Some((event.seconds, score)),
            _ => None,
        });
        let best = session.hunt().state().best.as_ref();
        let screen = HuntScreen {
            title: String::new(),
            grid: Grid::from_start(
                job.params.start.clone(),
                variant,
                best.map_or_else(|| job.start.clone(), |best| best.moves.clone()),
            ),
            record: job.params.start.is_cross().then(|| category(variant, symmetry.is_some())),
            target: job.target,
            limit,
            counts: known(job.params.strategy.row().counts),
            bests: bests.collect(),
            status: None,
            events: VecDeque::new(),
            feat: None,
            look: Look {
                colours: !streams::no_colours(),
                dots: if terminal::has_braille() { Dots::Braille } else { Dots::HalfBlocks },
            },
        };
        Ok(LiveScreen { window: TerminalWindow::open(Keys::Unseen)?, screen, messages: Vec::new() })
    }

    /// Whether it could be drawn.
    fn draw(&mut self) -> bool {
        let screen = &self.screen;
        self.window.draw(|frame| screen::draw(frame, screen)).is_ok()
    }
}

impl<'a> HuntDisplay<'a> {
    /// For a hunt in `directory` that ends after `limit` seconds, with data going to `out`.
    pub fn new(
        output: &OutputFlags,
        directory: &Path,
        limit: Option<f64>,
        out: &'a mut dyn Write,
    ) -> HuntDisplay<'a> {
        let OutputFlags { quiet, json, .. } = *output;
        HuntDisplay {
            out,
            directory: directory.to_owned(),
            quiet,
            json,
            live: None,
            bar: None,
            limit,
            told: None,
            untold: None,
            warned: false,
            variant: Variant::default(),
            symmetry: None,
            start: Start::CROSS,
            interrupt: Interrupt::default(),
            lost: None,
        }
    }

    /// Opens the live screen, or the line that tells how the hunt stands, where they are seen.
    fn open(&mut self, session: &HuntSession, output: &OutputFlags) {
        let OutputFlags { quiet, json, plain, .. } = *output;
        if quiet || !streams::messages_are_seen() {
            return;
        }
        if !json && !plain && streams::data_are_seen() && terminal::can_be_drawn_on() {
            self.live = LiveScreen::open(session, &self.directory, self.limit).ok();
        }
        if self.live.is_none() {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(
                ProgressStyle::with_template("{spinner} {wide_msg}").unwrap_or(ProgressStyle::default_spinner()),
            );
            self.bar = Some(bar);
        }
    }

    /// Ends the live screen; what it told last is printed. Whether there was one.
    fn close(&mut self) -> bool {
        let Some(LiveScreen { window, messages, .. }) = self.live.take() else { return false };
        drop(window);
        messages.iter().for_each(|text| say!("{text}"));
        true
    }

    /// Prints a line of data, above the line that tells how the hunt stands.
    fn line(&mut self, text: &str) {
        if self.lost.is_some() {
            return;
        }
        let out = &mut *self.out;
        let mut print = || out.write_all(text.as_bytes()).and_then(|()| out.flush());
        let printed = match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        };
        if let Err(error) = printed {
            self.lost = Some(error);
            self.interrupt.ask();
        }
    }

    /// Prints a message for the user.
    fn message(&mut self, text: &str) {
        match (&mut self.live, &self.bar) {
            (Some(live), _) => {
                live.screen.tell(text);
                if live.messages.len() < REPEATED {
                    live.messages.push(text.to_owned());
                }
            }
            (None, Some(bar)) => bar.suspend(|| say!("{text}")),
            (None, None) => say!("{text}"),
        }
    }

    /// Shows the line of a new best. Those that come fast are told once a second, unless they are `remarkable`.
    fn new_best(&mut self, text: String, seconds: f64, remarkable: bool) {
        if let Some(live) = &mut self.live {
            live.screen.tell(&text);
        } else if remarkable || self.told.is_none_or(|told| seconds - told >= BESTS) {
            self.told = Some(seconds);
            self.untold = None;
            self.line(&text);
            return;
        }
        self.untold = Some(text);
    }

    /// Prints the line of the last new best, if it has not been printed.
    fn tell_best(&mut self, seconds: f64) {
        if let Some(text) = self.untold.take() {
            self.told = Some(seconds);
            self.line(&text);
        }
    }

    /// Makes a picture of the best grid, which has so many moves, if there is none yet, and says where both are.
    fn tell_files(&mut self, score: u32) {
        let (grid, picture) =
            (self.directory.join(best_name(&self.start)), self.directory.join(format!("{score}.svg")));
        if !grid.exists() {
            return;
        }
        let mut text = t!("grid     {0}", grid.display()) + "\n";
        let draw = || grid_input::save(&picture, &FileFormat::Svg.write(&load(&grid, None)?.grid)?, false);
        match if picture.exists() { Ok(()) } else { draw() } {
            Ok(()) => text += &(t!("picture  {0}", picture.display()) + "\n"),
            Err(error) => say!("morpion: warning: there is no picture of the best grid: {error:#}"),
        }
        self.line(&text);
    }

    fn started(&self, session: &SessionStart, resumed: bool) -> String {
        let SessionStart { variant, strategy, seed, threads, start_moves, main_depth, .. } = session;
        let strategy = format!("{strategy:?}").to_lowercase();
        let of = match &session.start {
            start if start.is_cross() => variant.to_string(),
            start => t!("{0} from {1}", variant, start_name(start, *variant)),
        };
        let start = if *start_moves > 0 { t!("{0} from move {1}", of, start_moves) } else { of };
        let head = if resumed {
            t!("continuing {0} with {1}", start, strategy)
        } else {
            t!("hunting {0} with {1}", start, strategy)
        };
        let share = session.share.zip(session.width);
        let facts = [
            Some(head),
            session.symmetry.map(symmetry_name),
            Some(tn!(threads - 1, "{0} worker", "{0} workers")),
            (strategy == "dfs").then(|| t!("main depth {0}", main_depth)),
            share.map(|(share, width)| t!("sharing calls of level {0} with width {1}", share, width)),
            Some(t!("seed {0}", seed)),
            Some(t!("in {0}", self.directory.display())),
        ];
        facts.into_iter().flatten().collect::<Vec<_>>().join(", ") + "\n"
    }

    /// What a new best has to do with the known records.
    fn compared(&self, event: &HuntEvent) -> Option<Comparison> {
        let HuntEventKind::Best { score, record, new, .. } = &event.what else { return None };
        // Of other starts no record is at hand.
        self.start
            .is_cross()
            .then(|| of_records((self.variant, self.symmetry.is_some()), *score, record.as_deref(), *new))
    }

    fn text(&self, event: &HuntEvent) -> Option<String> {
        let seconds = event.seconds;
        match &event.what {
            HuntEventKind::Start(session) => Some(self.started(session, false)),
            HuntEventKind::Resume(session) => Some(self.started(session, true)),
            HuntEventKind::Best { score, thread, iterations, .. } => {
                let Comparison { remark, feat } = self.compared(event).unwrap_or_default();
                let feat = feat.map_or(String::new(), |feat| format!("*** {}\n", feat.text));
                let (time, score) = (decimal(format!("{seconds:9.1}")), format!("{score:3}"));
                let iterations = thousands(*iterations);
                let told = t!("{0} s  best {1}  (thread {2}, {3} iterations)", time, score, thread, iterations);
                Some(format!("{told}{remark}\n{feat}"))
            }
            HuntEventKind::Unit { .. } | HuntEventKind::Progress { .. } => None,
            HuntEventKind::Stop { score, iterations, units, reason } => {
                let reason = match reason {
                    StopReason::Interrupted => t!("stopped"),
                    StopReason::Time => t!("the time is up"),
                    StopReason::Iterations => t!("the iterations are used up"),
                    StopReason::Drained => t!("drained"),
                    StopReason::Failed => t!("failed"),
                };
                Some(sums(&reason, seconds, *score, *iterations, *units))
            }
            HuntEventKind::End { reason, score, iterations, units } => {
                let reason = match reason {
                    Over::Target => t!("the target is reached"),
                    Over::Exhausted => t!("every grid from this start has been seen, none is longer than {0}", score),
                    Over::Finished => t!("all units are done"),
                };
                Some(sums(&reason, seconds, *score, *iterations, *units))
            }
        }
    }
}

/// What a new best grid has to do with the known records.
#[derive(Debug, Default, PartialEq, Eq)]
struct Comparison {
    /// A remark, near the longest of them only.
    remark: String,
    /// What is said aloud of a grid that is as long as the longest or longer.
    feat: Option<Feat>,
}

/// Moves of the longest known grid of a category, and its name. Symmetric grids are a category of their own.
fn category(variant: Variant, symmetric: bool) -> (u32, String) {
    match symmetric {
        false => (variant.record(), variant.to_string()),
        true => (variant.symmetric_record(), t!("symmetric {0}", variant)),
    }
}

/// Another start than the cross by its name, else by its number of points.
fn start_name(start: &Start, variant: Variant) -> String {
    let name = start.name();
    if Start::named(&name).is_some() { name } else { tn!(start.points(variant).len(), "{0} point", "{0} points") }
}

fn symmetry_name(kind: GridSymmetry) -> String {
    match kind {
        GridSymmetry::Central => t!("central symmetry"),
        GridSymmetry::Horizontal => t!("horizontal symmetry"),
        GridSymmetry::Vertical => t!("vertical symmetry"),
        GridSymmetry::Falling => t!("falling symmetry"),
        GridSymmetry::Rising => t!("rising symmetry"),
    }
}

/// What a new best grid has to do with the known records of its category.
fn of_records((variant, symmetric): (Variant, bool), score: u32, record: Option<&str>, new: bool) -> Comparison {
    let (longest, of) = category(variant, symmetric);
    let of = of.to_uppercase();
    let remark = match record {
        Some(name) => t!(", the known record {0}", name),
        None if new && score >= usual_keep_from(variant, symmetric) => t!(", new: it equals no known record"),
        None => String::new(),
    };
    let text = match record {
        _ if score > longest => {
            t!("A NEW RECORD OF {0}: {1} moves, the longest known grid has {2}", of, score, longest)
        }
        Some(name) if score == longest => t!("AS LONG AS THE RECORD OF {0}: it is the known grid {1}", of, name),
        // The known symmetric grids are not at hand to be compared with.
        None if score == longest && symmetric => t!("AS LONG AS THE RECORD OF {0}, {1} moves", of, score),
        None if score == longest => t!("AS LONG AS THE RECORD OF {0}, {1} moves, AND ANOTHER GRID", of, score),
        _ => return Comparison { remark, feat: None },
    };
    Comparison { remark, feat: Some(Feat { text, broken: score > longest }) }
}

/// The levels of the main walk or of a shared search, with the name of what is counted.
fn levels(status: &Status) -> Option<(String, String)> {
    let levels = status.levels.as_ref()?.iter();
    let levels: Vec<String> =
        levels.map(|level| format!("{}/{}", level.total.saturating_sub(level.left), level.total)).collect();
    let name = if status.walk { t!("walk") } else { t!("calls") };
    (!levels.is_empty()).then(|| (name, levels.join(" ")))
}

/// A rate in three or four digits.
fn short(rate: f64) -> String {
    match rate {
        r if r >= 1e6 => decimal(format!("{:.1} M", r / 1e6)),
        r if r >= 1e4 => format!("{:.0} k", r / 1e3),
        r => format!("{r:.0}"),
    }
}

fn sums(reason: &str, seconds: f64, score: u32, iterations: u64, units: u64) -> String {
    let iterations = thousands(iterations);
    let units = thousands(units);
    let time = span(seconds);
    t!("{0} after {1}: best {2}, {3} iterations, {4} units done", reason, time, score, iterations, units) + "\n"
}

impl HuntListener for HuntDisplay<'_> {
    fn noticed(&mut self, text: &str) {
        self.message(&format!("morpion: {text}"));
    }

    fn failed(&mut self, failure: &FailedAttempt) {
        let FailedAttempt { unit, attempts, error, quarantined } = failure;
        let then =
            if *quarantined { t!("it is quarantined: it is not tried again") } else { t!("it is tried again") };
        let told = t!("unit {0} failed (attempt {1}): {2}", unit, attempts, error);
        self.message(&format!("morpion: {told}; {then}"));
    }

    fn event(&mut self, event: &HuntEvent) -> io::Result<()> {
        if let HuntEventKind::Best { touches_border: true, .. } = event.what
            && !std::mem::replace(&mut self.warned, true)
        {
            let warning = t!(
                "warning: a grid comes so near to the edge of the 60x60 playing area that moves may have been refused there"
            );
            self.message(&format!("morpion: {warning}"));
        }
        if let HuntEventKind::Start(session) | HuntEventKind::Resume(session) = &event.what {
            self.variant = session.variant;
            self.symmetry = session.symmetry;
            self.start = session.start.clone();
        }
        if self.json {
            self.line(&event.line());
            return Ok(());
        }
        let Some(text) = self.text(event).filter(|_| !self.quiet) else { return Ok(()) };
        match &event.what {
            HuntEventKind::Best { .. } => {
                let Comparison { remark, feat } = self.compared(event).unwrap_or_default();
                let remarkable = feat.is_some() || !remark.is_empty();
                if let (Some(live), Some(feat)) = (&mut self.live, feat) {
                    live.screen.feat = Some(feat);
                    live.window.ring();
                }
                self.new_best(text, event.seconds, remarkable);
            }
            HuntEventKind::Stop { score, .. } | HuntEventKind::End { score, .. } => {
                let live = self.close();
                self.tell_best(event.seconds);
                self.line(&text);
                if live {
                    self.tell_files(*score);
                }
            }
            _ => {
                if let Some(live) = &mut self.live {
                    live.screen.title = text.trim_end().to_owned();
                }
                self.line(&text);
            }
        }
        Ok(())
    }

    fn best(&mut self, best: &Find) {
        if let Some(live) = &mut self.live {
            live.screen.improved(best);
        }
    }

    fn status(&mut self, status: &Status) -> io::Result<()> {
        let progress = &status.progress;
        if let Some(live) = &mut self.live {
            live.screen.status = Some(status.clone());
            if !live.draw() {
                self.close();
            }
            return Ok(());
        }
        if self.told.is_some_and(|told| progress.seconds - told >= BESTS) {
            self.tell_best(progress.seconds);
        }
        if let Some(bar) = &self.bar {
            let walk = levels(status).map_or(String::new(), |(name, levels)| format!(" | {name} {levels}"));
            let threads = tn!(progress.running.len(), "{0} thread running", "{0} threads running");
            let told = t!(
                "best {0} | {1} iterations/s | {2}, {3} ended | {4}",
                progress.best,
                short(progress.rate),
                threads,
                thousands(progress.units_done),
                span(progress.seconds),
            );
            bar.set_message(told + &walk);
            bar.tick();
        }
        Ok(())
    }
}

/// Runs a session with Ctrl-C and SIGTERM asking it to stop; the second one ends the process at once.
///
/// # Errors
/// Whatever the session fails with.
pub fn run(mut session: HuntSession, output: &OutputFlags, mut display: HuntDisplay) -> anyhow::Result<ExitCode> {
    session.set_pace(Duration::from_secs_f64(output.checkpoint));
    let interrupt = display.interrupt.clone();
    display.open(&session, output);
    let window = display.live.as_ref().map(|live| live.window.holder());
    signals::watch_with(interrupt.clone(), window).context("cannot watch for Ctrl-C")?;
    let result = session.run(&interrupt, &mut display);
    display.close();
    if let Some(bar) = &display.bar {
        bar.finish_and_clear();
    }
    let directory = quoted(&display.directory);
    let SessionReport { ending, .. } = match result {
        Ok(report) => report,
        Err(error) => {
            return Err(anyhow::Error::new(error).context(format!(
                "the hunt has stopped; its state is kept: resume it with `morpion resume {directory}`"
            )));
        }
    };
    match display.lost {
        Some(gone) if reader_has_gone(&gone) => return Ok(ExitCode::SUCCESS),
        Some(error) if matches!(ending, Ending::Over(_)) => return Err(error.into()),
        Some(error) => {
            return Err(anyhow::Error::new(error).context(format!(
                "the hunt has stopped; its state is saved: continue it with `morpion resume {directory}`"
            )));
        }
        None => (),
    }
    if !display.quiet {
        match ending {
            Ending::Stopped(StopReason::Interrupted) => {
                say!("morpion: {}", t!("resume it with `{0}`", format!("morpion resume {directory}")));
            }
            Ending::Stopped(_) => {
                let command = format!("morpion resume {directory} --time T");
                say!("morpion: {}", t!("resume it with `{0}`; T counts all sessions", command));
            }
            Ending::Over(Over::Target) => {
                say!("morpion: {}", t!("resume it with `{0}`", format!("morpion resume {directory} --target SCORE")));
            }
            Ending::Over(_) => {}
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_spoken_of_near_them_only_and_aloud_when_they_are_reached() {
        let of = |score, record, new| {
            let Comparison { remark, feat } = of_records((Variant::T5, false), score, record, new);
            (remark, feat.map(|feat| feat.text))
        };
        // Longer than the shortest of the known 5T grids, but nothing that anybody would look at.
        for score in [97, 164] {
            assert_eq!(of(score, None, true), (String::new(), None));
        }
        let (remark, loud) = of(170, None, true);
        assert_eq!((remark.as_str(), loud), (", new: it equals no known record", None));
        assert_eq!(of(170, None, false), (String::new(), None));
        let (remark, loud) = of(177, Some("Rosin 177A"), false);
        assert_eq!((remark.as_str(), loud), (", the known record Rosin 177A", None));
        let record = Variant::T5.record();
        assert!(of(record, None, true).1.is_some_and(|loud| loud.contains("ANOTHER GRID")));
        assert!(of(record, Some("Rosin 178"), false).1.is_some_and(|loud| loud.contains("Rosin 178")));
        assert!(of(record + 1, None, true).1.is_some_and(|loud| loud.starts_with("A NEW RECORD OF 5T")));
        let symmetric = |score| of_records((Variant::D5, true), score, None, true).feat.map(|feat| feat.text);
        assert_eq!(symmetric(67), None);
        assert_eq!(symmetric(68).as_deref(), Some("AS LONG AS THE RECORD OF SYMMETRIC 5D, 68 moves"));
        assert!(symmetric(69).is_some_and(|loud| loud.starts_with("A NEW RECORD OF SYMMETRIC 5D: 69 moves")));
    }
}

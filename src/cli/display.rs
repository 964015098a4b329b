//! What a hunt shows while it runs: a live display on a terminal, plain lines elsewhere, JSON lines on request.

use super::signals;
use super::streams::{self, reader_has_gone, say};
use crate::core::quantity::parse_duration;
use crate::jobs::hunt::Over;
use crate::jobs::hunt_settings::usual_keep_from;
use crate::morpion::symmetry::GridSymmetry;
use crate::morpion::variant::Variant;
use crate::runner::directory::quoted;
use crate::runner::events::{HuntEvent, HuntEventKind, SessionStart, StopReason};
use crate::runner::status::{Status, clock, thousands};
use crate::runner::{Ending, FailedAttempt, HuntListener, HuntSession, Interrupt, SessionReport};
use crate::strategies::params::BadParam;
use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// What is shown.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct OutputFlags {
    /// Show errors only.
    #[arg(long)]
    pub quiet: bool,
    /// Print what happens as JSON lines on standard output, including the end of every unit.
    #[arg(long)]
    pub json: bool,
    /// Time between two checkpoints of the running units, at most 10s. A crash loses no more than this of them.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = pace)]
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
    /// The live display, if standard error is a terminal.
    bar: Option<ProgressBar>,
    /// The user has been told that a grid came near the edge.
    warned: bool,
    /// The variant, once the session has begun.
    variant: Variant,
    /// The symmetry of the grids that are searched.
    symmetry: Option<GridSymmetry>,
    /// Asks the session to stop.
    interrupt: Interrupt,
    /// Why data cannot be written any more. The hunt is asked to stop then, as by Ctrl-C, so nothing is lost.
    lost: Option<io::Error>,
}

impl<'a> HuntDisplay<'a> {
    /// For a hunt in `directory`, with data going to `out`.
    pub fn new(output: &OutputFlags, directory: &Path, out: &'a mut dyn Write) -> HuntDisplay<'a> {
        let live = !output.quiet && streams::messages_are_seen();
        let bar = live.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(
                ProgressStyle::with_template("{spinner} {wide_msg}").unwrap_or(ProgressStyle::default_spinner()),
            );
            bar
        });
        let OutputFlags { quiet, json, .. } = *output;
        HuntDisplay {
            out,
            directory: directory.to_owned(),
            quiet,
            json,
            bar,
            warned: false,
            variant: Variant::default(),
            symmetry: None,
            interrupt: Interrupt::default(),
            lost: None,
        }
    }

    /// Prints a line of data above the live display.
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
    fn message(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| say!("{text}")),
            None => say!("{text}"),
        }
    }

    fn started(&self, session: &SessionStart, verb: &str) -> String {
        let SessionStart { variant, strategy, seed, threads, start_moves, main_depth, .. } = session;
        let strategy = format!("{strategy:?}").to_lowercase();
        let start = if *start_moves > 0 { format!(" from move {start_moves}") } else { String::new() };
        let depth = if strategy == "dfs" { format!(", main depth {main_depth}") } else { String::new() };
        let share = match (session.share, session.width) {
            (Some(share), Some(width)) => format!(", sharing calls of level {share} with width {width}"),
            _ => String::new(),
        };
        let symmetric = session.symmetry.map_or(String::new(), |kind| format!(", {kind} symmetry"));
        let workers = threads - 1;
        let plural = if workers == 1 { "" } else { "s" };
        format!(
            "{verb} {variant}{start} with {strategy}{symmetric}, {workers} worker{plural}{depth}{share}, seed {seed}, in {}\n",
            self.directory.display()
        )
    }

    fn text(&self, event: &HuntEvent) -> Option<String> {
        let seconds = event.seconds;
        match &event.what {
            HuntEventKind::Start(session) => Some(self.started(session, "hunting")),
            HuntEventKind::Resume(session) => Some(self.started(session, "continuing")),
            HuntEventKind::Best { score, thread, iterations, record, new, .. } => {
                let category = (self.variant, self.symmetry.is_some());
                let (known, loud) = of_records(category, *score, record.as_deref(), *new);
                let loud = loud.map_or(String::new(), |loud| format!("*** {loud}\n"));
                Some(format!(
                    "{seconds:9.1} s  best {score:3}  (thread {thread}, {} iterations){known}\n{loud}",
                    thousands(*iterations)
                ))
            }
            HuntEventKind::Unit { .. } | HuntEventKind::Progress { .. } => None,
            HuntEventKind::Stop { score, iterations, units, reason } => {
                let reason = match reason {
                    StopReason::Interrupted => "stopped",
                    StopReason::Time => "the time is up",
                    StopReason::Iterations => "the iterations are used up",
                    StopReason::Drained => "drained",
                    StopReason::Failed => "failed",
                };
                Some(sums(reason, seconds, *score, *iterations, *units))
            }
            HuntEventKind::End { reason, score, iterations, units } => {
                let reason = match reason {
                    Over::Target => "the target is reached".to_owned(),
                    Over::Exhausted => {
                        format!("every grid from this start has been seen, none is longer than {score}")
                    }
                    Over::Finished => "all units are done".to_owned(),
                };
                Some(sums(&reason, seconds, *score, *iterations, *units))
            }
        }
    }
}

/// What a new best grid has to do with the known records: a remark, near the longest of them only, and a line of its
/// own if it is as long as that one or longer. Symmetric grids are a category of their own.
fn of_records(
    (variant, symmetric): (Variant, bool),
    score: u32,
    record: Option<&str>,
    new: bool,
) -> (String, Option<String>) {
    let (longest, of) = match symmetric {
        false => (variant.record(), variant.to_string()),
        true => (variant.symmetric_record(), format!("SYMMETRIC {variant}")),
    };
    let remark = match record {
        Some(name) => format!(", the known record {name}"),
        None if new && score >= usual_keep_from(variant, symmetric) => ", new: it equals no known record".to_owned(),
        None => String::new(),
    };
    let loud = match record {
        _ if score > longest => {
            format!("A NEW RECORD OF {of}: {score} moves, the longest known grid has {longest}")
        }
        Some(name) if score == longest => format!("AS LONG AS THE RECORD OF {of}: it is the known grid {name}"),
        // The known symmetric grids are not at hand to be compared with.
        None if score == longest && symmetric => format!("AS LONG AS THE RECORD OF {of}, {score} moves"),
        None if score == longest => format!("AS LONG AS THE RECORD OF {of}, {score} moves, AND ANOTHER GRID"),
        _ => return (remark, None),
    };
    (remark, Some(loud))
}

/// A rate in three or four digits.
fn short(rate: f64) -> String {
    match rate {
        r if r >= 1e6 => format!("{:.1} M", r / 1e6),
        r if r >= 1e4 => format!("{:.0} k", r / 1e3),
        r => format!("{r:.0}"),
    }
}

fn sums(reason: &str, seconds: f64, score: u32, iterations: u64, units: u64) -> String {
    let iterations = thousands(iterations);
    let units = thousands(units);
    format!("{reason} after {}: best {score}, {iterations} iterations, {units} units done\n", clock(seconds))
}

impl HuntListener for HuntDisplay<'_> {
    fn noticed(&mut self, text: &str) {
        self.message(&format!("morpion: {text}"));
    }

    fn failed(&mut self, failure: &FailedAttempt) {
        let FailedAttempt { unit, attempts, error, quarantined } = failure;
        let then = if *quarantined { "it is quarantined: it is not tried again" } else { "it is tried again" };
        self.message(&format!("morpion: unit {unit} failed (attempt {attempts}): {error}; {then}"));
    }

    fn event(&mut self, event: &HuntEvent) -> io::Result<()> {
        if let HuntEventKind::Best { touches_border: true, .. } = event.what
            && !std::mem::replace(&mut self.warned, true)
        {
            self.message(
                "morpion: warning: a grid comes so near to the edge of the 60x60 playing area that moves may have been \
                 refused there",
            );
        }
        if let HuntEventKind::Start(session) | HuntEventKind::Resume(session) = &event.what {
            self.variant = session.variant;
            self.symmetry = session.symmetry;
        }
        if self.json {
            self.line(&event.line());
        } else if let Some(text) = self.text(event).filter(|_| !self.quiet) {
            self.line(&text);
        }
        Ok(())
    }

    fn status(&mut self, status: &Status) -> io::Result<()> {
        if let Some(bar) = &self.bar {
            let progress = &status.progress;
            let levels: Vec<String> = status
                .levels
                .iter()
                .flatten()
                .map(|level| format!("{}/{}", level.total.saturating_sub(level.left), level.total))
                .collect();
            let name = if status.walk { "walk" } else { "calls" };
            let walk = if levels.is_empty() { String::new() } else { format!(" | {name} {}", levels.join(" ")) };
            bar.set_message(format!(
                "best {} | {} iterations/s | {} threads running, {} ended | {}{walk}",
                progress.best,
                short(progress.rate),
                progress.running.len(),
                thousands(progress.units_done),
                clock(progress.seconds),
            ));
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
    signals::watch(interrupt.clone()).context("cannot watch for Ctrl-C")?;
    let result = session.run(&interrupt, &mut display);
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
                say!("morpion: resume it with `morpion resume {directory}`");
            }
            Ending::Stopped(_) => {
                say!("morpion: resume it with `morpion resume {directory} --time T`; T counts all sessions");
            }
            Ending::Over(Over::Target) => {
                say!("morpion: resume it with `morpion resume {directory} --target SCORE`");
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
        let of = |score, record, new| of_records((Variant::T5, false), score, record, new);
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
        let symmetric = |score| of_records((Variant::D5, true), score, None, true).1;
        assert_eq!(symmetric(67), None);
        assert_eq!(symmetric(68).as_deref(), Some("AS LONG AS THE RECORD OF SYMMETRIC 5D, 68 moves"));
        assert!(symmetric(69).is_some_and(|loud| loud.starts_with("A NEW RECORD OF SYMMETRIC 5D: 69 moves")));
    }
}

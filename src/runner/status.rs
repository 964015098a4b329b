//! How a hunt stands, for people: the two text files of the thesis this program follows, and the live display.

use crate::jobs::hunt::{Hunt, Over};
use crate::strategies::params::Strategy;
use crate::strategies::prefix::LevelProgress;
use std::fmt::Write;

/// Name of the file with the progress of the main walk.
pub const PROGRESS: &str = "main_progress.txt";
/// Name of the file with the running threads.
pub const THREADS: &str = "running_threads.txt";

/// How a hunt stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// Best score, 0 if there is no grid yet.
    pub best: u32,
    /// Iterations of all units, done and running.
    pub iterations: u64,
    /// Iterations per second since the last status.
    pub rate: f64,
    /// Seconds that the hunt has run, over all its sessions.
    pub seconds: f64,
    /// Units done.
    pub ended: u64,
    /// How many of them the stall table ended.
    pub stalled: u64,
    /// The workers that are searching.
    pub running: Vec<Running>,
    /// The levels of the main walk, or those above the calls of a shared search; nothing for independent runs.
    pub levels: Option<Vec<LevelProgress>>,
    /// The levels are those of the main walk.
    pub walk: bool,
    /// How the hunt ended, if it has.
    pub over: Option<Over>,
}

/// A worker that is searching.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Running {
    /// Number of the worker, from 1.
    pub thread: u32,
    /// Number of the unit.
    pub unit: u64,
    /// Iterations of the unit.
    pub iterations: u64,
    /// Best score of the unit.
    pub best: u32,
}

impl Status {
    /// The status of a hunt whose workers are as given; the rate is left at 0.
    pub fn of(hunt: &Hunt, running: Vec<Running>, seconds: f64) -> Status {
        let state = hunt.state();
        let now: u64 = running.iter().fold(0, |sum, r| r.iterations.saturating_add(sum));
        Status {
            best: state.score(),
            iterations: state.totals.iterations.saturating_add(now),
            rate: 0.0,
            seconds,
            ended: state.totals.units,
            stalled: state.totals.stalled,
            running,
            levels: hunt.progress(),
            walk: hunt.job().params.strategy == Strategy::Dfs,
            over: None,
        }
    }

    /// The text of `main_progress.txt`: per level of the main walk, or per nesting level of a shared search from the top,
    /// `level: left/total`. For independent runs: `runs: done/begun`.
    pub fn progress(&self) -> String {
        match &self.levels {
            Some(levels) => {
                levels.iter().map(|level| format!("{}: {}/{}\n", level.level, level.left, level.total)).collect()
            }
            None => format!("runs: {}/{}\n", self.ended, self.ended + self.running.len() as u64),
        }
    }

    /// The text of `running_threads.txt`: per thread its iterations and best score, then the running time.
    pub fn threads(&self) -> String {
        let mut text = String::new();
        for Running { thread, unit, iterations, best } in &self.running {
            let _ = writeln!(text, "thread {thread}: {iterations} iterations, best {best}, unit {unit}");
        }
        let _ = writeln!(text, "running for {:.0} seconds", self.seconds);
        text
    }
}

/// A number of seconds as hours, minutes and seconds.
pub fn clock(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    match (whole / 86_400, whole / 3600 % 24, whole / 60 % 60, whole % 60) {
        (0, 0, 0, s) => format!("{s} s"),
        (0, 0, m, s) => format!("{m}:{s:02} min"),
        (0, h, m, s) => format!("{h}:{m:02}:{s:02} h"),
        (1, h, m, s) => format!("1 day {h}:{m:02}:{s:02}"),
        (d, h, m, s) => format!("{d} days {h}:{m:02}:{s:02}"),
    }
}

/// The same with tenths below a minute.
pub fn after(seconds: f64) -> String {
    if seconds < 60.0 { format!("{:.1} s", seconds.max(0.0)) } else { clock(seconds) }
}

/// A number with blanks between its thousands.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status() -> Status {
        let level = |level, left, total| LevelProgress { level, left, total };
        let thread = |thread, best| Running { thread, unit: 7, iterations: 12_345, best };
        Status {
            best: 71,
            iterations: 1,
            rate: 0.0,
            seconds: 61.9,
            ended: 5,
            stalled: 0,
            running: vec![thread(1, 71), thread(2, 60)],
            levels: Some(vec![level(0, 4, 4), level(1, 27, 27), level(2, 20, 25)]),
            walk: true,
            over: None,
        }
    }

    #[test]
    fn the_files_have_the_formats_of_the_thesis() {
        assert_eq!(status().progress(), "0: 4/4\n1: 27/27\n2: 20/25\n");
        let runs = Status { levels: None, ..status() };
        assert_eq!(runs.progress(), "runs: 5/7\n");
        let text = "thread 1: 12345 iterations, best 71, unit 7\nthread 2: 12345 iterations, best 60, unit 7\n\
            running for 62 seconds\n";
        assert_eq!(status().threads(), text);
    }

    #[test]
    fn numbers_are_readable() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_234_567), "1 234 567");
        let clocks = [5.9, 65.0, 3_725.0, 90_061.0, 180_000.0].map(clock);
        assert_eq!(clocks, ["5 s", "1:05 min", "1:02:05 h", "1 day 1:01:01", "2 days 2:00:00"]);
    }
}

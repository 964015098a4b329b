//! How a hunt stands, for people: the two text files of the thesis this program follows, and the live display.

use super::progress::{Progress, RunningUnit};
use crate::jobs::hunt::Hunt;
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
    /// How far it has come.
    pub progress: Progress,
    /// The levels of the main walk, or those above the calls of a shared search; nothing for independent runs.
    pub levels: Option<Vec<LevelProgress>>,
    /// The levels are those of the main walk.
    pub walk: bool,
}

impl Status {
    /// The status of a hunt that has come so far.
    pub fn of(hunt: &Hunt, progress: Progress) -> Status {
        Status { progress, levels: hunt.progress(), walk: hunt.job().params.strategy == Strategy::Dfs }
    }

    /// The text of `main_progress.txt`: per level of the main walk, or per nesting level of a shared search from the
    /// top, `level: left/total`. For independent runs: `runs: done/begun`.
    pub fn progress(&self) -> String {
        match &self.levels {
            Some(levels) => {
                levels.iter().map(|level| format!("{}: {}/{}\n", level.level, level.left, level.total)).collect()
            }
            None => {
                let Progress { units_done, running, .. } = &self.progress;
                format!("runs: {units_done}/{}\n", units_done + running.len() as u64)
            }
        }
    }

    /// The text of `running_threads.txt`: per thread its iterations and best score, then the running time.
    pub fn threads(&self) -> String {
        let mut text = String::new();
        for RunningUnit { worker, unit, iterations, best, .. } in &self.progress.running {
            let worker = worker.unwrap_or_default();
            let _ = writeln!(text, "thread {worker}: {iterations} iterations, best {best}, unit {unit}");
        }
        let _ = writeln!(text, "running for {:.0} seconds", self.progress.seconds);
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
        let running = |worker, best| RunningUnit {
            worker: Some(worker),
            ticket: 7,
            unit: 7,
            iterations: 12_345,
            best,
            phase: None,
        };
        Status {
            progress: Progress {
                best: 71,
                iterations: 1,
                seconds: 61.9,
                units_done: 5,
                running: vec![running(1, 71), running(2, 60)],
                ..Progress::default()
            },
            levels: Some(vec![level(0, 4, 4), level(1, 27, 27), level(2, 20, 25)]),
            walk: true,
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

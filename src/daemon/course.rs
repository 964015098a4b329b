//! The course of a hunt as the API shows it, read from the files in the job's folder. A running hunt is shown as of
//! its last checkpoint.

use super::view::{CoursePoint, JobId, LevelHistogram, LevelView, StatisticsView};
use crate::core::histogram::Histogram;
use crate::runner::events::{self, HuntEventKind};
use crate::runner::state;
use crate::runner::statistics::{self, StatisticsError};
use crate::runner::status::PROGRESS;
use std::path::Path;

/// Most points of a course.
const MOST: usize = 2000;

/// Reads the course of the hunt in a folder. It is empty if the hunt has not begun.
///
/// # Errors
/// If its files cannot be read.
pub fn read(job: JobId, path: &Path) -> Result<StatisticsView, StatisticsError> {
    let mut view = StatisticsView::of(job);
    if !path.join(state::CHECKPOINT).exists() || !path.join(events::FILE).exists() {
        return Ok(view);
    }
    let statistics = statistics::read(path)?;
    view.units = counts(&statistics.units);
    view.scores = (0..)
        .zip(&statistics.levels)
        .map(|(level, histogram)| LevelHistogram { level, counts: counts(histogram) })
        .collect();
    // The file is a text for people. Lines that are not levels ("runs: 5/7") are skipped.
    let progress = std::fs::read_to_string(path.join(PROGRESS)).unwrap_or_default();
    view.levels = progress.lines().filter_map(level).collect();
    view.course = course(&events::read(path)?.events);
    Ok(view)
}

fn counts(histogram: &Histogram) -> Vec<(u32, u64)> {
    histogram.counts().collect()
}

/// Reads a line `level: left/total`.
fn level(line: &str) -> Option<LevelView> {
    let (level, counts) = line.split_once(": ")?;
    let (left, total) = counts.split_once('/')?;
    Some(LevelView { level: level.parse().ok()?, left: left.parse().ok()?, total: total.parse().ok()? })
}

/// New bests and progress in order of time. The log has the number of all iterations only with progress; for a new
/// best it is interpolated.
fn course(log: &[events::HuntEvent]) -> Vec<CoursePoint> {
    let mut points: Vec<CoursePoint> = Vec::new();
    // Number of new bests since the last progress.
    let mut open = 0;
    let mut best = 0;
    for event in log {
        let seconds = event.seconds;
        let iterations = match &event.what {
            HuntEventKind::Start(session) | HuntEventKind::Resume(session) => session.iterations,
            HuntEventKind::Progress { iterations, .. }
            | HuntEventKind::Stop { iterations, .. }
            | HuntEventKind::End { iterations, .. } => *iterations,
            HuntEventKind::Best { score, .. } => {
                best = best.max(*score);
                points.push(CoursePoint { seconds, iterations: 0, best });
                open += 1;
                continue;
            }
            HuntEventKind::Unit { .. } => continue,
        };
        let closed = points.len() - open;
        let from =
            closed.checked_sub(1).and_then(|at| points.get(at)).map_or((0.0, 0), |p| (p.seconds, p.iterations));
        fill(&mut points[closed..], from, (seconds, iterations));
        points.push(CoursePoint { seconds, iterations, best });
        open = 0;
    }
    let closed = points.len() - open;
    let from = closed.checked_sub(1).and_then(|at| points.get(at)).map_or((0.0, 0), |p| (p.seconds, p.iterations));
    // After the last progress it is only known that there are no fewer iterations.
    fill(&mut points[closed..], from, (f64::INFINITY, from.1));
    thin(points)
}

fn fill(points: &mut [CoursePoint], from: (f64, u64), to: (f64, u64)) {
    for point in points {
        let part = (point.seconds - from.0) / (to.0 - from.0);
        let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
        point.iterations = from.1 + (to.1.saturating_sub(from.1) as f64 * part) as u64;
    }
}

/// At most [`MOST`] points: all at which the best rises, and an even selection of the others.
fn thin(points: Vec<CoursePoint>) -> Vec<CoursePoint> {
    if points.len() <= MOST {
        return points;
    }
    let rises = |at: usize| at == 0 || points[at].best > points[at - 1].best;
    let room = MOST.saturating_sub((0..points.len()).filter(|&at| rises(at)).count() + 1).max(1);
    let step = points.len().div_ceil(room);
    let last = points.len() - 1;
    let kept = (0..points.len()).filter(|&at| at.is_multiple_of(step) || at == last || rises(at));
    kept.map(|at| points[at]).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::events::HuntEvent;

    fn progress(seconds: f64, iterations: u64, score: u32) -> HuntEvent {
        HuntEvent {
            v: 1,
            time: 0.0,
            seconds,
            what: HuntEventKind::Progress { score, iterations, units: 0, running: 1 },
        }
    }

    #[test]
    fn a_course_is_short_and_keeps_every_rise() {
        let log: Vec<HuntEvent> = (0..10_000).map(|i| progress(f64::from(i), u64::from(i as u32) * 10, 0)).collect();
        let points = course(&log);
        assert!(points.len() <= MOST && points.len() > MOST / 3, "{}", points.len());
        assert_eq!((points[0].iterations, points.last().unwrap().iterations), (0, 99_990));
        assert!(points.is_sorted_by(|a, b| a.seconds < b.seconds));
    }

    #[test]
    fn levels_are_read_and_runs_are_none() {
        assert_eq!(level("2: 7/25"), Some(LevelView { level: 2, left: 7, total: 25 }));
        assert_eq!(level("runs: 5/7"), None);
    }
}

//! The course of a hunt as a chart: the scores of each level, the best score and the rate against time.

use super::{columns, workers};
use crate::render::chart::{Chart, Marks, Panel, Series, chart};
use crate::render::pen::{PictureFormat, RenderError};
use crate::render::plot::{log_ticks, time_ticks};
use crate::runner::statistics::{Statistics, join};
use crate::runner::status::{clock, thousands};

/// Most points of the rate.
const POINTS: usize = 400;
/// The best score is shown over so many powers of ten of the time.
const DECADES: i32 = 5;
/// Place of the series of one colour, grey, among the series of a panel.
const GREY: usize = 5;

/// Draws the statistics of the hunt named `name`.
pub fn draw(statistics: &Statistics, name: &str, picture: PictureFormat, size: u32) -> Result<Vec<u8>, RenderError> {
    let Statistics { job, seconds, best, bests, .. } = statistics;
    let unit = job.params.strategy.row().counts;
    let from = (seconds / 10f64.powi(DECADES)).max(0.1).min(seconds / 10.0);
    let place = |seconds: f64| seconds.max(from).log10();
    let steps = bests.iter().enumerate().flat_map(|(i, best)| {
        let before = bests[i.saturating_sub(1)].score;
        [(place(best.seconds), f64::from(before)), (place(best.seconds), f64::from(best.score))]
    });
    // What was found before the first moment shown stands at the left border.
    let hidden = 2 * bests.iter().rposition(|best| best.seconds <= from).unwrap_or(0) + 1;
    let steps = steps.skip(hidden).chain(bests.last().map(|last| (place(*seconds), f64::from(last.score))));
    let ticks = log_ticks(from, *seconds).into_iter().map(|(at, name)| (at.log10(), name)).collect();
    let rates = join(&statistics.rates, POINTS).into_iter().flat_map(|rate| {
        let per_second = rate.per_second();
        [(rate.from, per_second), (rate.to, per_second)]
    });
    let mut panels = vec![
        scores(statistics),
        over_time("best score", ticks, steps.collect()),
        over_time(&format!("{unit} per second"), time_ticks(*seconds), rates.collect()),
    ];
    panels.retain(|panel| panel.series.iter().any(|series| !series.points.is_empty()));
    let done = statistics.done.iterations.saturating_add(statistics.running.1);
    let note =
        format!("{}, seed {}; {} {unit} in {}", job.params.method(), job.seed, thousands(done), clock(*seconds));
    let title = format!("{name}: {}, {}, best {best}", job.variant, workers(statistics));
    chart(&Chart { title, note, panels }, picture, size)
}

/// How often each score came up, per level, in percent.
fn scores(statistics: &Statistics) -> Panel {
    let columns = columns(&statistics.levels, &statistics.units);
    let series = columns.iter().map(|(name, counts)| {
        let total = counts.total() as f64;
        let points = counts.counts().map(|(score, count)| (f64::from(score), 100.0 * count as f64 / total));
        let what = match name.as_str() {
            "playouts" => "playouts".to_owned(),
            "units" => "best of each unit done".to_owned(),
            level => format!("results of {level}"),
        };
        let figures = format!("{}, mean {:.1}", thousands(counts.total()), counts.mean().unwrap_or(0.0));
        Series { name: format!("{what}: {figures}"), points: points.collect(), band: Vec::new() }
    });
    let series: Vec<Series> = series.collect();
    let ends = columns.iter().flat_map(|(_, counts)| [counts.quantile(0.0), counts.quantile(1.0)]).flatten();
    let (least, most) = ends.fold((u32::MAX, 0), |(least, most), score| (least.min(score), most.max(score)));
    let least = least.min(most);
    let step = if most - least > 60 { 10 } else { 5 };
    let ticks = (least / step..=most.div_ceil(step)).map(|n| n * step);
    let places = ticks.map(|score| (f64::from(score), score.to_string())).collect();
    let (x, y) = ("score".to_owned(), "share of the results in percent".to_owned());
    Panel { x, y, places, log: true, marks: Marks::Lines, series }
}

fn over_time(name: &str, places: Vec<(f64, String)>, points: Vec<(f64, f64)>) -> Panel {
    let mut series = vec![Series { name: String::new(), points: Vec::new(), band: Vec::new() }; GREY];
    series.push(Series { name: name.to_owned(), points, band: Vec::new() });
    let (x, y) = ("running time".to_owned(), name.to_owned());
    Panel { x, y, places, log: false, marks: Marks::Lines, series }
}

//! The best score of hunts against their running time, as steps, on a linear or a logarithmic axis of time.
//!
//! Hunts find most in their first second and then less and less often, so a logarithmic axis shows more; it is chosen
//! by itself when the finds span a factor of `LOG_FROM`. What was found before the first moment shown stands at the
//! left border.

use super::fonts::DIGIT_HEIGHT;
use super::pen::{self, DrawResult, Drawing, Lettering, Pen, PictureFormat, RenderError, SIZES};
use super::theme::{Palette, Rgb, Theme};
use plotters_backend::DrawingBackend;
use plotters_backend::text_anchor::HPos;

/// A logarithmic axis is chosen if the hunts ran so many times as long as until their first find shown.
const LOG_FROM: f64 = 100.0;
/// Finds in the first 1/10^DECADES of the time are left out of account in that: they tell nothing but how fast the
/// machine is.
const DECADES: i32 = 4;
/// Height of the picture as a share of its width.
const HEIGHT: f64 = 0.56;
/// Ticks of a logarithmic axis: seconds and their names.
const LOG_TICKS: [(f64, &str); 13] = [
    (0.001, "1 ms"),
    (0.01, "10 ms"),
    (0.1, "0.1 s"),
    (1.0, "1 s"),
    (10.0, "10 s"),
    (60.0, "1 min"),
    (600.0, "10 min"),
    (3600.0, "1 h"),
    (21_600.0, "6 h"),
    (86_400.0, "1 d"),
    (864_000.0, "10 d"),
    (8_640_000.0, "100 d"),
    (86_400_000.0, "1000 d"),
];
/// Distances between the ticks of a linear axis, in seconds, and the seconds and the name of the unit they are told
/// in.
const STEPS: [(f64, f64, &str); 22] = [
    (0.1, 1.0, "s"),
    (0.2, 1.0, "s"),
    (0.5, 1.0, "s"),
    (1.0, 1.0, "s"),
    (2.0, 1.0, "s"),
    (5.0, 1.0, "s"),
    (10.0, 1.0, "s"),
    (20.0, 1.0, "s"),
    (60.0, 60.0, "min"),
    (120.0, 60.0, "min"),
    (300.0, 60.0, "min"),
    (600.0, 60.0, "min"),
    (1200.0, 60.0, "min"),
    (3600.0, 3600.0, "h"),
    (7200.0, 3600.0, "h"),
    (18_000.0, 3600.0, "h"),
    (36_000.0, 3600.0, "h"),
    (86_400.0, 86_400.0, "d"),
    (172_800.0, 86_400.0, "d"),
    (432_000.0, 86_400.0, "d"),
    (864_000.0, 86_400.0, "d"),
    (8_640_000.0, 86_400.0, "d"),
];
/// Colours of the hunts on a light and on a dark ground, told apart by those who see no red or green too: any two,
/// and each and the ground, are 25 and more apart (CIE 1976 L*a*b*), as they are and as in protanopia and
/// deuteranopia (Machado et al. 2009).
pub(super) const COLOURS: [[Rgb; 8]; 2] = [
    [
        (0, 90, 181),
        (213, 94, 0),
        (0, 135, 108),
        (240, 140, 220),
        (80, 0, 60),
        (200, 180, 120),
        (40, 20, 200),
        (60, 40, 0),
    ],
    [
        (96, 165, 250),
        (245, 158, 66),
        (52, 205, 165),
        (200, 60, 160),
        (240, 220, 0),
        (120, 100, 80),
        (140, 40, 240),
        (200, 20, 0),
    ],
];

/// The course of one hunt, drawn as a curve of steps.
#[derive(Debug, Clone, PartialEq)]
pub struct HuntCurve {
    /// Its name in the legend.
    pub name: String,
    /// Seconds and score of each new best, in order.
    pub bests: Vec<(f64, u32)>,
    /// Seconds at which it was gone on with.
    pub resumes: Vec<f64>,
    /// Seconds that it ran.
    pub end: f64,
}

/// Scale of the axis of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeAxis {
    /// Logarithmic if that shows more.
    #[default]
    Auto,
    /// Linear, from 0.
    Linear,
    /// Logarithmic in any case.
    Log,
}

/// How the plot is to look.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotOptions {
    /// Width in pixels, one of [`SIZES`].
    pub size: u32,
    /// Colours of the picture.
    pub theme: Theme,
    /// Scale of the axis of time.
    pub axis: TimeAxis,
    /// What stands above.
    pub title: String,
    /// A score to be drawn as a line, and its name: the record, say.
    pub mark: Option<(u32, String)>,
}

/// Draws the hunts and returns the picture as the bytes of a file.
///
/// # Errors
/// A size outside [`SIZES`]; else only if the libraries fail.
pub fn plot(series: &[HuntCurve], picture: PictureFormat, options: &PlotOptions) -> Result<Vec<u8>, RenderError> {
    if !SIZES.contains(&options.size) {
        return Err(RenderError::Size(options.size));
    }
    let chart = Plot::new(series, options);
    pen::picture(&chart, picture, (options.size, chart.height as u32), &options.title, None)
}

/// What is drawn, with its scales.
struct Plot<'a> {
    series: &'a [HuntCurve],
    options: &'a PlotOptions,
    palette: Palette,
    height: f64,
    /// Left, top, right and bottom of the field, in pixels.
    field: (f64, f64, f64, f64),
    log: bool,
    /// First and last second.
    seconds: (f64, f64),
    /// Lowest and highest score.
    scores: (u32, u32),
    score_step: u32,
}

/// When the finds begin that are worth showing on a logarithmic axis: not those in the first instants, nor a burst
/// soon after them that is followed by nothing for a hundred times as long.
fn first_shown(mut finds: Vec<f64>, end: f64) -> f64 {
    finds.retain(|&at| at > end / 10f64.powi(DECADES));
    finds.sort_by(f64::total_cmp);
    let Some(&first) = finds.first() else { return end };
    let burst = finds.iter().position(|&at| at > 10.0 * first).unwrap_or(finds.len());
    match finds.get(burst) {
        Some(&next) if next > 100.0 * finds[burst - 1] && finds[burst - 1] < end / 1000.0 => next,
        _ => first,
    }
}

/// Ticks of a linear axis of time from 0 to `to` seconds: seconds and names.
pub fn time_ticks(to: f64) -> Vec<(f64, String)> {
    let enough = |&(step, _, _): &(f64, f64, &str)| to / step <= 10.0;
    let (step, unit, name) = STEPS.into_iter().find(enough).unwrap_or((to / 10.0, 86_400.0, "d"));
    let count = (to / step) as u32;
    (0..=count)
        .map(|i| {
            let at = f64::from(i) * step;
            let number = (at / unit * 10.0).round() / 10.0;
            (at, if i == 0 { "0".to_owned() } else { format!("{number} {name}") })
        })
        .collect()
}

/// Ticks of a logarithmic axis of time between two seconds: seconds and names.
pub fn log_ticks(from: f64, to: f64) -> Vec<(f64, String)> {
    let inside = LOG_TICKS.iter().filter(|&&(at, _)| at >= from * 0.999 && at <= to);
    inside.map(|&(at, name)| (at, name.to_owned())).collect()
}

impl<'a> Plot<'a> {
    fn new(series: &'a [HuntCurve], options: &'a PlotOptions) -> Plot<'a> {
        let size = f64::from(options.size);
        let legend = if series.len() > 1 { 0.026 * size * series.len() as f64 } else { 0.0 };
        let height = (HEIGHT * size + legend).round();
        let field = (0.058 * size, 0.075 * size, 0.94 * size, height - 0.062 * size - legend);
        let finite = |seconds: f64| if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
        let last_find = |s: &HuntCurve| s.bests.last().map_or(0.0, |&(at, _)| finite(at));
        let end = series.iter().map(|s| finite(s.end).max(last_find(s))).fold(0.001, f64::max);
        let first = first_shown(series.iter().flat_map(|s| &s.bests).map(|&(at, _)| finite(at)).collect(), end);
        let log = match options.axis {
            TimeAxis::Auto => end / first >= LOG_FROM,
            TimeAxis::Linear => false,
            TimeAxis::Log => true,
        };
        let from = if log { 10f64.powf(first.log10().floor()).clamp(end / 1e8, end / 10.0) } else { 0.0 };
        let scores = series.iter().flat_map(|s| {
            // What is hidden behind the left border does not count.
            let shown = s.bests.iter().rposition(|&(at, _)| at <= from).unwrap_or(0);
            s.bests[shown..].iter().map(|&(_, score)| score)
        });
        let (low, high) = scores.fold((u32::MAX, 0), |(low, high), score| (low.min(score), high.max(score)));
        let high = high.max(options.mark.as_ref().map_or(0, |&(score, _)| score)).max(1);
        let low = low.min(high - 1);
        let nice = (0..9).flat_map(|decade| [1, 2, 5].map(|digit| digit * 10u32.pow(decade)));
        let score_step = nice.into_iter().find(|step| (high - low) / step <= 9).unwrap_or(1_000_000_000);
        let scores = (low / score_step * score_step, high.div_ceil(score_step).saturating_mul(score_step));
        let palette = options.theme.palette();
        Plot { series, options, palette, height, field, log, seconds: (from, end), scores, score_step }
    }

    fn x(&self, seconds: f64) -> f64 {
        let (left, _, right, _) = self.field;
        let (from, to) = self.seconds;
        let share = if self.log {
            (seconds.max(from) / from).ln() / (to / from).ln()
        } else {
            (seconds - from) / (to - from)
        };
        left + share.clamp(0.0, 1.0) * (right - left)
    }

    fn y(&self, score: u32) -> f64 {
        let (_, top, _, bottom) = self.field;
        let (low, high) = self.scores;
        bottom - f64::from(score.saturating_sub(low)) / f64::from(high - low) * (bottom - top)
    }

    /// The ticks of the axis of time: seconds and names.
    fn ticks(&self) -> Vec<(f64, String)> {
        let (from, to) = self.seconds;
        if self.log { log_ticks(from, to) } else { time_ticks(to) }
    }

    fn colour(&self, i: usize) -> Rgb {
        COLOURS[usize::from(self.options.theme == Theme::Dark)][i % COLOURS[0].len()]
    }

    fn font(&self, em: f64, anchor: HPos) -> Lettering {
        Lettering { em: em * f64::from(self.options.size), bold: false, colour: self.palette.faint, anchor }
    }

    fn axes<B: DrawingBackend>(&self, pen: &mut Pen<B>) -> DrawResult<B> {
        let (left, top, right, bottom) = self.field;
        let size = f64::from(self.options.size);
        let stroke = 0.001 * size;
        let (low, high) = self.scores;
        let font = self.font(0.0155, HPos::Right);
        for score in (low..=high).step_by(self.score_step as usize).take(20) {
            let y = self.y(score);
            pen.line((left, y), (right, y), stroke, self.palette.grid)?;
            pen.text(&score.to_string(), (left - 0.009 * size, y + DIGIT_HEIGHT / 2.0 * font.em), font)?;
        }
        let mut free = f64::MIN;
        for (at, name) in self.ticks() {
            let x = self.x(at);
            pen.line((x, top), (x, bottom), stroke, self.palette.grid)?;
            let half = font.width(&name) / 2.0;
            if x - half > free {
                let centre = Lettering { anchor: HPos::Center, ..font };
                pen.text(&name, (x, bottom + 0.022 * size), centre)?;
                free = x + half + 0.008 * size;
            }
        }
        let resumed = self.series.iter().any(|series| !series.resumes.is_empty());
        let axis = format!(
            "running time{}{}",
            if self.log { ", logarithmic" } else { "" },
            if resumed { "; short ticks: continued after a stop" } else { "" },
        );
        let small = self.font(0.0145, HPos::Right);
        pen.text(&axis, (right, bottom + 0.044 * size), small)?;
        pen.text("moves", (left - 0.009 * size, top - 0.017 * size), small)?;
        if let Some((score, name)) = &self.options.mark {
            let y = self.y(*score);
            pen.line((left, y), (right, y), 1.5 * stroke, self.palette.faint)?;
            pen.text(name, (left + 0.008 * size, y - 0.006 * size), Lettering { anchor: HPos::Left, ..small })?;
        }
        Ok(())
    }

    fn curve<B: DrawingBackend>(&self, pen: &mut Pen<B>, i: usize) -> DrawResult<B> {
        let (series, colour) = (&self.series[i], self.colour(i));
        let size = f64::from(self.options.size);
        let stroke = 0.0025 * size;
        let bottom = self.field.3;
        for &at in &series.resumes {
            let x = self.x(at);
            pen.line((x, bottom - 0.012 * size), (x, bottom), stroke, colour)?;
        }
        let Some(&(first, mut score)) = series.bests.first() else { return Ok(()) };
        let mut x = self.x(first);
        for &(at, next) in &series.bests[1..] {
            let to = self.x(at);
            self.step(pen, (x, to), (score, next), stroke, colour)?;
            (x, score) = (to, next);
        }
        let end = self.x(series.end).max(x);
        pen.line((x, self.y(score)), (end, self.y(score)), stroke, colour)
    }

    /// The end of a curve: a disc and the score, in front of all curves.
    fn label<B: DrawingBackend>(&self, pen: &mut Pen<B>, i: usize) -> DrawResult<B> {
        let (series, colour) = (&self.series[i], self.colour(i));
        let size = f64::from(self.options.size);
        let (_, top, _, bottom) = self.field;
        let Some(&(last, score)) = series.bests.last() else { return Ok(()) };
        let end_of = |series: &HuntCurve, last: f64| self.x(series.end).max(self.x(last));
        let (end, y) = (end_of(series, last), self.y(score));
        let font = Lettering { bold: true, colour, ..self.font(0.0165, HPos::Left) };
        // Of labels that would lie on each other the highest stands, of equal ones the first.
        let hides = |(j, other): (usize, &HuntCurve)| {
            other.bests.last().is_some_and(|&(last, best)| {
                (end_of(other, last) - end).abs() < 1.5 * font.width("000")
                    && (self.y(best) - y).abs() < font.em
                    && (best > score || best == score && j < i)
            })
        };
        if !self.series.iter().enumerate().any(hides) {
            let baseline = (y + DIGIT_HEIGHT / 2.0 * font.em).clamp(top, bottom);
            let (text, left) = (score.to_string(), end + 0.009 * size);
            let (above, below) = (baseline - 0.85 * font.em, baseline + 0.12 * font.em);
            pen.rectangle((end, above), (left + font.width(&text), below), self.palette.ground)?;
            pen.text(&text, (left, baseline), font)?;
        }
        pen.disc((end, y), 0.0042 * size, colour)
    }

    /// A step along, then up; the joint is closed.
    fn step<B: DrawingBackend>(
        &self,
        pen: &mut Pen<B>,
        (from, to): (f64, f64),
        (low, high): (u32, u32),
        stroke: f64,
        colour: Rgb,
    ) -> DrawResult<B> {
        let (below, above) = (self.y(low), self.y(high));
        pen.line((from, below), (to + stroke / 2.0, below), stroke, colour)?;
        pen.line((to, below), (to, above - stroke / 2.0), stroke, colour)
    }

    fn legend<B: DrawingBackend>(&self, pen: &mut Pen<B>) -> DrawResult<B> {
        if self.series.len() < 2 {
            return Ok(());
        }
        let (left, _, right, bottom) = self.field;
        let size = f64::from(self.options.size);
        for (i, series) in self.series.iter().enumerate() {
            let y = bottom + 0.062 * size + 0.026 * size * i as f64;
            let font = Lettering { colour: self.palette.text, ..self.font(0.0165, HPos::Left) };
            let text_left = left + 0.035 * size;
            pen.line((left, y), (left + 0.025 * size, y), 0.004 * size, self.colour(i))?;
            let name = font.fit(&series.name, right - text_left);
            pen.text(&name, (text_left, y + DIGIT_HEIGHT / 2.0 * font.em), font)?;
        }
        Ok(())
    }
}

impl Drawing for Plot<'_> {
    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<B>) -> DrawResult<B> {
        let size = f64::from(self.options.size);
        pen.rectangle((0.0, 0.0), (size, self.height), self.palette.ground)?;
        let title = Lettering { bold: true, colour: self.palette.text, ..self.font(0.022, HPos::Left) };
        let fit = title.fit(&self.options.title, size * 0.94 - self.field.0);
        pen.text(&fit, (self.field.0, 0.036 * size), title)?;
        self.axes(pen)?;
        for i in (0..self.series.len()).rev() {
            self.curve(pen, i)?;
        }
        for i in (0..self.series.len()).rev() {
            self.label(pen, i)?;
        }
        self.legend(pen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> PlotOptions {
        PlotOptions { size: 600, theme: Theme::Light, axis: TimeAxis::Auto, title: "5T & <b>".to_owned(), mark: None }
    }

    fn series(bests: &[(f64, u32)], end: f64) -> HuntCurve {
        HuntCurve { name: "hunt".to_owned(), bests: bests.to_vec(), resumes: vec![end / 2.0], end }
    }

    #[test]
    fn the_axis_is_logarithmic_where_that_shows_more() {
        let options = options();
        let log = |end: f64| Plot::new(&[series(&[(0.0, 5), (1.0, 60), (2.0, 70)], end)], &options).log;
        assert!(!log(50.0) && log(500.0));
    }

    #[test]
    fn a_burst_at_the_beginning_is_passed_over() {
        assert_eq!(first_shown(vec![2.0, 0.002, 0.004, 1.0], 10.0), 1.0);
        assert_eq!(first_shown(vec![0.02, 0.3, 1.0], 10.0), 0.02);
        assert_eq!(first_shown(vec![2.0, 9.0, 1000.0], 2000.0), 2.0);
        assert_eq!(first_shown(vec![], 5.0), 5.0);
    }

    #[test]
    fn later_is_further_right_and_more_is_higher() {
        let hunts = [series(&[(0.0, 5), (0.02, 60), (30.0, 70), (4000.0, 104)], 9000.0)];
        for axis in [TimeAxis::Linear, TimeAxis::Log] {
            let options = PlotOptions { axis, mark: Some((178, "record".to_owned())), ..options() };
            let chart = Plot::new(&hunts, &options);
            let (left, top, right, bottom) = chart.field;
            let xs = [0.0, 0.02, 30.0, 4000.0, 9000.0].map(|at| chart.x(at));
            assert!(xs.is_sorted() && xs[0] == left && xs[4] == right, "{xs:?}");
            let ys = [178, 104, 70].map(|score| chart.y(score));
            assert!(ys.is_sorted() && ys[0] >= top && ys[2] <= bottom, "{ys:?}");
            let ticks = chart.ticks();
            assert!((3..=11).contains(&ticks.len()), "{ticks:?}");
            assert!(ticks.iter().is_sorted_by(|a, b| chart.x(a.0) < chart.x(b.0)), "{ticks:?}");
        }
    }

    #[test]
    fn of_labels_on_each_other_the_highest_stands() {
        let labels = |scores: [u32; 3], ends: [f64; 3]| {
            let hunts = [0, 1, 2].map(|i| series(&[(1.0, 20), (2.0, scores[i])], ends[i]));
            let options = PlotOptions { axis: TimeAxis::Linear, ..options() };
            let svg = String::from_utf8(plot(&hunts, PictureFormat::Svg, &options).unwrap()).unwrap();
            scores.map(|score| svg.matches(&format!("\n{score}\n")).count())
        };
        assert_eq!(labels([153, 154, 97], [100.0, 101.0, 100.0]), [0, 1, 1]);
        assert_eq!(labels([153, 154, 97], [40.0, 100.0, 100.0]), [1, 1, 1], "they are far apart");
        assert_eq!(labels([154, 154, 97], [100.0, 101.0, 100.0]), [1, 1, 1], "of equal ones the first");
    }

    #[test]
    fn any_series_can_be_drawn() {
        let odd = [
            vec![],
            vec![series(&[], 0.0)],
            vec![series(&[(0.0, 0)], 0.0)],
            vec![series(&[(f64::NAN, 7), (f64::INFINITY, u32::MAX)], f64::NAN)],
            vec![series(&[(5.0, 70), (1.0, 60)], -3.0), series(&[(1e-300, 1), (1e300, 2)], 1e300)],
            vec![series(&[(1.0, 70)], 2.0); 9],
        ];
        for hunts in odd {
            for axis in [TimeAxis::Auto, TimeAxis::Linear, TimeAxis::Log] {
                let options = PlotOptions { axis, size: 300, ..options() };
                let svg = String::from_utf8(plot(&hunts, PictureFormat::Svg, &options).unwrap()).unwrap();
                assert!(svg.contains("<title>5T &amp; &lt;b></title>") && !svg.contains("NaN"));
                assert!(plot(&hunts, PictureFormat::Png, &options).unwrap().starts_with(b"\x89PNG"));
            }
        }
        assert!(matches!(
            plot(&[], PictureFormat::Png, &PlotOptions { size: 1, ..options() }),
            Err(RenderError::Size(1))
        ));
    }
}

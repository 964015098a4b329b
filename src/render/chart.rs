//! Charts of measurements: panels one above the other, each with series of points over numbered or named places.
//!
//! The vertical axis is linear with steps of 1, 2 or 5 times a power of ten, or logarithmic by decades. Points are
//! joined by lines where the places are numbers, and stand alone where they are names.

use super::fonts::DIGIT_HEIGHT;
use super::pen::{self, DrawResult, Drawing, Lettering, Pen, PictureFormat, RenderError, SIZES};
use super::plot::COLOURS;
use super::theme::{Palette, Rgb, Theme};
use plotters_backend::DrawingBackend;
use plotters_backend::text_anchor::HPos;

/// Height of a panel as a share of the picture's width.
const PANEL: f64 = 0.42;
/// Height of a line of the legend as a share of the width.
const LEGEND: f64 = 0.026;
/// Room above the first panel as a share of the width.
const HEAD: f64 = 0.075;
/// Decades of a logarithmic axis at most; what is smaller lies on its lower border.
const MOST_DECADES: i32 = 12;
/// How much a band covers what lies below it.
const BAND: f64 = 0.16;

/// A picture of one or more fields with axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// What stands above.
    pub title: String,
    /// A second line in small letters: machine, date, budget.
    pub note: String,
    /// One above the other; the legend below names the series of the first that have points.
    pub panels: Vec<Panel>,
}

impl Chart {
    /// Number and name of the series that are named below: those that have points.
    fn legend(&self) -> impl Iterator<Item = (usize, &str)> {
        let series = self.panels.first().map_or(&[][..], |panel| &panel.series);
        series.iter().enumerate().filter(|(_, s)| !s.points.is_empty()).map(|(i, s)| (i, &s.name[..]))
    }
}

/// One field with axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Name of the horizontal axis.
    pub x: String,
    /// Name of the vertical axis.
    pub y: String,
    /// Labels of the horizontal axis and their places.
    pub places: Vec<(f64, String)>,
    /// Whether the vertical axis is logarithmic; values that are not positive are left out then.
    pub log: bool,
    /// How the points of a series are drawn.
    pub marks: Marks,
    /// What is shown.
    pub series: Vec<Series>,
}

/// How points are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    /// Each by itself with its value, at named places, the series side by side.
    Points,
    /// Joined by lines; series that may lie on each other are told apart by their breadth.
    Joined,
    /// As thin lines only: for many points.
    Lines,
}

/// Points with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Places and values, by ascending place if they are joined by lines.
    pub points: Vec<(f64, f64)>,
    /// Place, lower and upper value of a band around the points, by ascending place; empty if there is none.
    pub band: Vec<(f64, f64, f64)>,
}

/// Draws a chart `size` pixels wide, on white.
///
/// # Errors
/// A size outside [`SIZES`]; else only if the libraries fail.
pub fn chart(chart: &Chart, picture: PictureFormat, size: u32) -> Result<Vec<u8>, RenderError> {
    if !SIZES.contains(&size) {
        return Err(RenderError::Size(size));
    }
    let lines = chart.legend().count();
    let height = HEAD + PANEL * chart.panels.len() as f64 + LEGEND * (lines as f64 + 0.5);
    let drawing = Sheet { chart, size: f64::from(size), palette: Theme::Light.palette() };
    pen::picture(&drawing, picture, (size, (height * f64::from(size)) as u32), &chart.title, None)
}

struct Sheet<'a> {
    chart: &'a Chart,
    size: f64,
    palette: Palette,
}

/// A panel with its scales, in pixels.
struct Field<'a> {
    panel: &'a Panel,
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
    /// First and last place.
    places: (f64, f64),
    /// Lowest and highest value, as logarithms on a logarithmic axis.
    values: (f64, f64),
    ticks: Vec<(f64, String)>,
}

impl<'a> Field<'a> {
    fn new(panel: &'a Panel, (left, top, right, bottom): (f64, f64, f64, f64)) -> Field<'a> {
        let points = || panel.series.iter().flat_map(|series| &series.points);
        let usable = |&v: &f64| v.is_finite() && (v > 0.0 || !panel.log);
        let bands = panel.series.iter().flat_map(|series| &series.band).flat_map(|&(_, low, high)| [low, high]);
        let values = points().map(|&(_, value)| value).chain(bands).filter(usable);
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
        let (low, high) = if low > high { (1.0, 10.0) } else { (low, high) };
        let (values, ticks) = if panel.log { decades(low, high) } else { steps(low, high) };
        let places = points().map(|&(place, _)| place).chain(panel.places.iter().map(|&(place, _)| place));
        let (first, last) =
            places.filter(|p| p.is_finite()).fold((f64::MAX, f64::MIN), |(a, b), p| (a.min(p), b.max(p)));
        let (first, last) = if first < last { (first, last) } else { (0.0, 1.0) };
        // Places with names stand in the middle of their share of the axis.
        let room = if panel.marks == Marks::Points { 0.5 } else { 0.0 };
        Field { panel, left, top, right, bottom, places: (first - room, last + room), values, ticks }
    }

    fn x(&self, place: f64) -> f64 {
        let (first, last) = self.places;
        self.left + (place - first) / (last - first) * (self.right - self.left)
    }

    fn y(&self, value: f64) -> f64 {
        let (low, high) = self.values;
        let value = if self.panel.log { value.log10() } else { value };
        self.bottom - ((value - low) / (high - low)).max(0.0) * (self.bottom - self.top)
    }

    /// Where the points of a series lie, and their values.
    fn points<'b>(&'b self, series: &'b Series) -> impl Iterator<Item = ((f64, f64), f64)> + 'b {
        let usable = |&&(place, value): &&(f64, f64)| {
            place.is_finite() && value.is_finite() && (value > 0.0 || !self.panel.log)
        };
        series.points.iter().filter(usable).map(|&(place, value)| ((self.x(place), self.y(value)), value))
    }

    /// The outline of a series' band: its lower values from left to right, its upper ones back.
    fn band(&self, series: &Series) -> Vec<(f64, f64)> {
        let usable = |&&(place, low, high): &&(f64, f64, f64)| {
            place.is_finite() && low.is_finite() && high.is_finite() && (low > 0.0 || !self.panel.log)
        };
        let band = || series.band.iter().filter(usable);
        let lower = band().map(|&(place, low, _)| (self.x(place), self.y(low)));
        lower.chain(band().rev().map(|&(place, _, high)| (self.x(place), self.y(high)))).collect()
    }
}

/// Range and ticks of a linear axis.
fn steps(low: f64, high: f64) -> ((f64, f64), Vec<(f64, String)>) {
    let span = (high - low).max(high.abs() * 1e-6).max(1e-6);
    let power = 10f64.powf((span / 8.0).log10().floor());
    let step = [1.0, 2.0, 5.0].map(|n| n * power).into_iter().find(|step| span / step <= 8.0).unwrap_or(10.0 * power);
    // Scores and counts are whole.
    let step = if high >= 10.0 { step.max(1.0) } else { step };
    let (first, last) = ((low / step).floor(), (high / step).ceil().max((low / step).floor() + 1.0));
    let decimals = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
    let ticks = (0..=(last - first).min(20.0) as u32).map(|i| (first + f64::from(i)) * step);
    ((first * step, last * step), ticks.map(|value| (value, format!("{value:.decimals$}"))).collect())
}

/// Range (as logarithms) and ticks of a logarithmic axis.
fn decades(low: f64, high: f64) -> ((f64, f64), Vec<(f64, String)>) {
    let top = (high.log10().ceil() as i32).clamp(-300, 300);
    let bottom = (low.log10().floor() as i32).clamp(top - MOST_DECADES, top - 1);
    let name = |power: i32| match power {
        -4..=-1 => format!("{:.*}", -power as usize, 10f64.powi(power)),
        0..=5 => format!("{}", 10f64.powi(power)),
        _ => format!("1e{power}"),
    };
    let ticks = (bottom..=top).map(|power| (10f64.powi(power), name(power))).collect();
    ((f64::from(bottom), f64::from(top)), ticks)
}

impl Sheet<'_> {
    fn colour(i: usize) -> Rgb {
        COLOURS[0][i % COLOURS[0].len()]
    }

    fn font(&self, em: f64, anchor: HPos) -> Lettering {
        Lettering { em: em * self.size, bold: false, colour: self.palette.faint, anchor }
    }

    fn axes<B: DrawingBackend>(&self, pen: &mut Pen<B>, field: &Field) -> DrawResult<B> {
        let (size, stroke) = (self.size, 0.001 * self.size);
        let font = self.font(0.0155, HPos::Right);
        for (value, name) in &field.ticks {
            let y = field.y(*value);
            pen.line((field.left, y), (field.right, y), stroke, self.palette.grid)?;
            pen.text(name, (field.left - 0.009 * size, y + DIGIT_HEIGHT / 2.0 * font.em), font)?;
        }
        let centre = Lettering { anchor: HPos::Center, ..font };
        // Names are long: they stand in two rows.
        let mut free = [f64::MIN; 2];
        for (i, (place, name)) in field.panel.places.iter().enumerate() {
            let x = field.x(*place);
            pen.line((x, field.top), (x, field.bottom), stroke, self.palette.grid)?;
            let half = font.width(name) / 2.0;
            let row = if field.panel.marks == Marks::Points { i % 2 } else { 0 };
            if x - half > free[row] {
                pen.text(name, (x, field.bottom + (0.022 + 0.02 * row as f64) * size), centre)?;
                free[row] = x + half + 0.006 * size;
            }
        }
        let small = self.font(0.0145, HPos::Right);
        pen.text(&field.panel.x, (field.right, field.bottom + 0.044 * size), small)?;
        let above = Lettering { anchor: HPos::Left, ..small };
        let name = if field.panel.log { format!("{}, logarithmic", field.panel.y) } else { field.panel.y.clone() };
        pen.text(&name, (field.left - 0.05 * size, field.top - 0.014 * size), above)
    }

    fn series<B: DrawingBackend>(&self, pen: &mut Pen<B>, field: &Field) -> DrawResult<B> {
        let size = self.size;
        for (i, series) in field.panel.series.iter().enumerate() {
            let edge = field.band(series);
            if edge.len() > 2 {
                pen.area(&edge, Self::colour(i), BAND)?;
            }
        }
        let count = field.panel.series.len() as f64;
        let (joined, thin) = (field.panel.marks != Marks::Points, field.panel.marks == Marks::Lines);
        for (i, series) in field.panel.series.iter().enumerate() {
            let colour = Self::colour(i);
            // Series of named places stand side by side.
            let aside = if joined { 0.0 } else { (i as f64 - (count - 1.0) / 2.0) * 0.022 * size };
            // Joined series may lie on each other: the lower ones are broader.
            let broad = if joined && !thin { count - 1.0 - i as f64 } else { 0.0 };
            let (stroke, radius) = (0.0022 + 0.0028 * broad, 0.0035 + 0.003 * broad);
            let mut last: Option<(f64, f64)> = None;
            for ((x, y), value) in field.points(series) {
                let x = x + aside;
                if let (Some(from), true) = (last, joined) {
                    pen.line(from, (x, y), stroke * size, colour)?;
                }
                last = Some((x, y));
                if thin {
                    continue;
                }
                pen.disc((x, y), if joined { radius * size } else { 0.006 * size }, colour)?;
                if !joined {
                    let font = Lettering { bold: true, colour, ..self.font(0.0135, HPos::Center) };
                    pen.text(&format!("{value}"), (x, y - 0.012 * size), font)?;
                }
            }
        }
        Ok(())
    }
}

impl Drawing for Sheet<'_> {
    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<B>) -> DrawResult<B> {
        let size = self.size;
        pen.rectangle((0.0, 0.0), (size, 2.0 * size * (1.0 + self.chart.panels.len() as f64)), self.palette.ground)?;
        let (left, right) = (0.068 * size, 0.975 * size);
        let title = Lettering { bold: true, colour: self.palette.text, ..self.font(0.022, HPos::Left) };
        pen.text(&title.fit(&self.chart.title, right - 0.018 * size), (0.018 * size, 0.034 * size), title)?;
        let note = self.font(0.0145, HPos::Left);
        pen.text(&note.fit(&self.chart.note, right - 0.018 * size), (0.018 * size, 0.056 * size), note)?;
        let mut top = HEAD * size;
        for panel in &self.chart.panels {
            let bottom = top + PANEL * size;
            let field = Field::new(panel, (left, top + 0.035 * size, right, bottom - 0.055 * size));
            self.axes(pen, &field)?;
            self.series(pen, &field)?;
            top = bottom;
        }
        for (row, (i, name)) in self.chart.legend().enumerate() {
            let y = top + LEGEND * size * (row as f64 + 0.4);
            let font = Lettering { colour: self.palette.text, ..self.font(0.0165, HPos::Left) };
            pen.line((left, y), (left + 0.025 * size, y), 0.004 * size, Self::colour(i))?;
            let name = font.fit(name, right - left - 0.035 * size);
            pen.text(&name, (left + 0.035 * size, y + DIGIT_HEIGHT / 2.0 * font.em), font)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_hold_their_values() {
        for (low, high) in [(0.0, 0.0), (60.0, 61.0), (83.0, 112.0), (0.001, 0.002), (-5.0, 1e9), (7.0, 7.0)] {
            let ((from, to), ticks) = steps(low, high);
            assert!(from <= low && to >= high && from < to, "{low}..{high} in {from}..{to}");
            assert!((2..=12).contains(&ticks.len()), "{low}..{high}: {ticks:?}");
        }
        for (low, high) in [(1e-5, 3.0), (1.0, 1.0), (5.0, 1e300), (1e-300, 1e300)] {
            let ((from, to), ticks) = decades(low, high);
            assert!(from < to && to >= high.log10() - 1e-9, "{low}..{high}");
            assert!(ticks.len() <= MOST_DECADES as usize + 1, "{ticks:?}");
        }
    }

    #[test]
    fn any_chart_can_be_drawn() {
        let odd = [
            vec![],
            vec![(0.0, 0.0)],
            vec![(1.0, f64::NAN), (f64::INFINITY, 3.0), (2.0, -1.0)],
            vec![(1.0, 1e300), (2.0, 1e-300)],
        ];
        for points in odd {
            let band: Vec<_> = points.iter().map(|&(place, value)| (place, value, 2.0 * value)).collect();
            for (log, marks) in [(true, Marks::Joined), (false, Marks::Points), (true, Marks::Lines)] {
                let series = vec![Series { name: "a".to_owned(), points: points.clone(), band: band.clone() }; 2];
                let places = vec![(1.0, "one".to_owned()); 3];
                let panel = Panel { x: "x".into(), y: "y".into(), places, log, marks, series };
                let sheet = Chart { title: "t".into(), note: "n".into(), panels: vec![panel; 2] };
                let svg = chart(&sheet, PictureFormat::Svg, 600).unwrap();
                assert!(!String::from_utf8(svg).unwrap().contains("NaN"));
                assert!(chart(&sheet, PictureFormat::Png, 300).unwrap().starts_with(b"\x89PNG"));
            }
        }
    }
}

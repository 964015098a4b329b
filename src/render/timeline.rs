//! The best known scores of all variants against time, as stairs with the names of those who reached them.
//!
//! The room above and left of the stairs is free, so that each name stands left of its step. A move takes the same
//! height in all variants.

use super::fonts::DIGIT_HEIGHT;
use super::pen::{self, DrawResult, Drawing, Lettering, Pen, PictureFormat, RenderError, SIZES};
use super::plot::COLOURS;
use super::theme::{Palette, Rgb, Theme};
use crate::morpion::variant::Variant;
use crate::notation::history::{MILESTONES, Milestone, of};
use plotters_backend::DrawingBackend;
use plotters_backend::text_anchor::HPos;

/// Parts of the width: the borders of the stairs, the head above them, the room above and below those of a variant,
/// the height of a move, the axis of time.
const LEFT: f64 = 0.30;
const RIGHT: f64 = 0.955;
const HEAD: f64 = 0.065;
const ABOVE: f64 = 0.045;
const BELOW: f64 = 0.014;
const MOVE: f64 = 0.0125;
const AXIS: f64 = 0.04;

/// First year of the axis.
const FIRST: f64 = 1972.0;

/// How the picture is to look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimelineOptions {
    /// Width in pixels, one of [`SIZES`].
    pub size: u32,
    /// Colours of the picture.
    pub theme: Theme,
    /// Where the axis of time ends, in years.
    pub until: f64,
}

/// Draws the timeline.
///
/// # Errors
/// A size outside [`SIZES`]; else only if the libraries fail.
pub fn timeline(picture: PictureFormat, options: TimelineOptions) -> Result<Vec<u8>, RenderError> {
    if !SIZES.contains(&options.size) {
        return Err(RenderError::Size(options.size));
    }
    let latest = MILESTONES.iter().map(|milestone| milestone.date.years()).fold(FIRST, f64::max);
    let until = if options.until.is_finite() { options.until } else { latest };
    let sheet = TimelineSheet {
        size: f64::from(options.size),
        theme: options.theme,
        palette: options.theme.palette(),
        until: until.clamp(latest + 1.0, FIRST + 1000.0),
    };
    let height = sheet.size * (HEAD + Variant::ALL.into_iter().map(height).sum::<f64>() + AXIS);
    pen::picture(&sheet, picture, (options.size, height as u32), "Records of Morpion Solitaire", None)
}

/// The lowest and the highest score of a variant.
fn range(variant: Variant) -> (u32, u32) {
    let lowest = of(variant).map(|milestone| milestone.score).min().unwrap_or(0);
    (lowest, variant.record().max(lowest))
}

/// Height of a variant's stairs with their heading, as a part of the width.
fn height(variant: Variant) -> f64 {
    let (lowest, highest) = range(variant);
    ABOVE + f64::from(highest - lowest) * MOVE + BELOW
}

struct TimelineSheet {
    size: f64,
    theme: Theme,
    palette: Palette,
    until: f64,
}

impl TimelineSheet {
    fn x(&self, years: f64) -> f64 {
        self.size * (LEFT + (years - FIRST) / (self.until - FIRST) * (RIGHT - LEFT))
    }

    fn font(&self, em: f64, colour: Rgb, anchor: HPos) -> Lettering {
        Lettering { em: em * self.size, bold: false, colour, anchor }
    }

    fn years<B: DrawingBackend>(&self, pen: &mut Pen<B>, bottom: f64) -> DrawResult<B> {
        let font = self.font(0.0145, self.palette.faint, HPos::Center);
        let step = if self.until - FIRST > 100.0 { 50 } else { 10 };
        for year in (1980..).step_by(step).take_while(|&year| f64::from(year) <= self.until) {
            let x = self.x(f64::from(year));
            pen.line((x, HEAD * self.size), (x, bottom), 0.001 * self.size, self.palette.grid)?;
            pen.text(&year.to_string(), (x, bottom + 0.022 * self.size), font)?;
        }
        Ok(())
    }

    fn stairs<B: DrawingBackend>(&self, pen: &mut Pen<B>, variant: Variant, top: f64, colour: Rgb) -> DrawResult<B> {
        let size = self.size;
        let (_, highest) = range(variant);
        let y = |score: u32| top + size * (ABOVE + f64::from(highest.saturating_sub(score)) * MOVE);
        let bound = variant.upper_bound();
        let proven = if bound == variant.record() {
            "proven to be the longest".to_owned()
        } else {
            format!("no game has more than {bound}")
        };
        let heading = Lettering { bold: true, ..self.font(0.018, self.palette.text, HPos::Left) };
        let name = variant.to_string();
        pen.text(&name, (0.018 * size, top + 0.022 * size), heading)?;
        let note = self.font(0.0145, self.palette.faint, HPos::Left);
        let beside = 0.03 * size + heading.width(&name);
        pen.text(&format!("{} moves, {proven}", variant.record()), (beside, top + 0.022 * size), note)?;
        let stroke = 0.0022 * size;
        let mut course = of(variant).peekable();
        while let Some(Milestone { score, date, finder, .. }) = course.next() {
            let (x, level) = (self.x(date.years()), y(*score));
            let end = course.peek().map_or(self.until, |next| next.date.years());
            pen.line((x, level), (self.x(end), level), stroke, colour)?;
            if let Some(next) = course.peek() {
                pen.line((self.x(end), level), (self.x(end), y(next.score)), stroke, colour)?;
            }
            pen.disc((x, level), 0.0036 * size, colour)?;
            let font = self.font(0.0115, self.palette.text, HPos::Right);
            let bold = Lettering { bold: true, ..font };
            let (right, baseline) = (x - 0.009 * size, level + DIGIT_HEIGHT / 2.0 * font.em);
            let number = score.to_string();
            pen.text(&number, (right, baseline), bold)?;
            let right = right - bold.width(&number) - 0.006 * size;
            pen.text(&format!("{finder}, {date}"), (right, baseline), font)?;
        }
        let last = Lettering { bold: true, ..self.font(0.016, colour, HPos::Left) };
        let right = (self.x(self.until) + 0.006 * size, y(highest) + DIGIT_HEIGHT / 2.0 * last.em);
        pen.text(&highest.to_string(), right, last)
    }
}

impl Drawing for TimelineSheet {
    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<B>) -> DrawResult<B> {
        let size = self.size;
        let heights = Variant::ALL.map(|variant| height(variant) * size);
        let bottom = HEAD * size + heights.iter().sum::<f64>();
        pen.rectangle((0.0, 0.0), (size, bottom + AXIS * size), self.palette.ground)?;
        let title = Lettering { bold: true, ..self.font(0.022, self.palette.text, HPos::Left) };
        pen.text("Morpion Solitaire: the best known scores", (0.018 * size, 0.034 * size), title)?;
        let note = self.font(0.0145, self.palette.faint, HPos::Left);
        let source =
            "after Christian Boyer's registry, morpionsolitaire.com; the first date of 5D is the latest possible";
        pen.text(source, (0.018 * size, 0.055 * size), note)?;
        self.years(pen, bottom)?;
        let mut top = HEAD * size;
        let colours = COLOURS[usize::from(self.theme == Theme::Dark)];
        for ((variant, height), colour) in Variant::ALL.into_iter().zip(heights).zip(colours) {
            self.stairs(pen, variant, top, colour)?;
            top += height;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_milestone_is_named() {
        for theme in [Theme::Light, Theme::Dark] {
            let options = TimelineOptions { size: 1400, theme, until: 2026.5 };
            let svg = String::from_utf8(timeline(PictureFormat::Svg, options).unwrap()).unwrap();
            for Milestone { finder, date, .. } in &MILESTONES {
                let text = format!("{finder}, {date}").replace('&', "&amp;");
                assert!(svg.contains(&text), "{text}");
            }
            assert_eq!(svg.matches("<circle").count(), MILESTONES.len());
            assert!(svg.contains("2020\n") && !svg.contains("2030\n"));
        }
    }

    #[test]
    fn odd_ends_and_sizes_are_no_panic() {
        for until in [f64::NAN, f64::NEG_INFINITY, 0.0, 1e300] {
            let options = TimelineOptions { size: 300, theme: Theme::Light, until };
            assert!(timeline(PictureFormat::Png, options).unwrap().starts_with(b"\x89PNG"));
        }
        let options = TimelineOptions { size: 10, theme: Theme::Light, until: 2026.0 };
        assert!(matches!(timeline(PictureFormat::Svg, options), Err(RenderError::Size(10))));
    }
}

//! Drawing in pixels on any plotters backend, into the bytes of a PNG or SVG file.
//!
//! One function draws a picture for both, in pixels times a factor, since plotters knows whole numbers only: for SVG
//! tenths of a pixel, for PNG the samples of [`raster`].

use super::fonts::{self, FAMILY};
use super::raster::{self, SAMPLES, SIZE_PER_EM, TOP_TO_BASELINE};
use super::theme::Rgb;
use crate::notation::picture::{PNG_KEYWORD, svg_element};
use plotters::prelude::{Color, IntoFont, RGBColor, SVGBackend, ShapeStyle, TextStyle};
use plotters::style::FontStyle;
use plotters_backend::text_anchor::{HPos, Pos, VPos};
use plotters_backend::{DrawingBackend, DrawingErrorKind};
use std::io;
use std::ops::RangeInclusive;

/// Sizes that pictures can have, in pixels of the longer side.
pub const SIZES: RangeInclusive<u32> = 300..=8000;

/// Units per pixel of an SVG picture.
const SVG_UNITS: f64 = 10.0;

/// Format of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PictureFormat {
    /// A bitmap of pixels.
    Png,
    /// Vectors, sharp at any size.
    Svg,
}

impl PictureFormat {
    /// The format that a file name's extension (without the dot) stands for.
    pub fn from_extension(extension: &str) -> Option<PictureFormat> {
        match extension.to_ascii_lowercase().as_str() {
            "png" => Some(PictureFormat::Png),
            "svg" => Some(PictureFormat::Svg),
            _ => None,
        }
    }

    /// The usual extension, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            PictureFormat::Png => "png",
            PictureFormat::Svg => "svg",
        }
    }
}

/// Why a picture could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// Too small to be read or too large to be kept.
    #[error("a picture of {0} pixels is asked for: {low} to {high} are possible", low = SIZES.start(), high = SIZES.end())]
    Size(u32),
    /// The drawing library failed.
    #[error("the picture cannot be drawn: {0}")]
    Drawing(#[from] DrawingErrorKind<io::Error>),
    /// The PNG encoder failed.
    #[error("the picture cannot be encoded: {0}")]
    Encoding(#[from] png::EncodingError),
}

/// What can be drawn with a [`Pen`].
pub(super) trait Drawing {
    /// Draws it, the ground included.
    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<B>) -> DrawResult<B>;
}

/// Draws a picture of `width` by `height` pixels and returns the bytes of a file, which carries `record` (in MSR).
///
/// # Errors
/// Only if the libraries fail.
pub(super) fn picture(
    drawing: &impl Drawing,
    picture: PictureFormat,
    (width, height): (u32, u32),
    title: &str,
    record: Option<&str>,
) -> Result<Vec<u8>, RenderError> {
    match picture {
        PictureFormat::Png => {
            let pixels = raster::paint(width, height, |raster| {
                // A raster has no errors of its own.
                let _ = drawing.draw(&mut Pen { backend: raster, factor: f64::from(SAMPLES) });
            });
            encode(width, height, &pixels, title, record)
        }
        PictureFormat::Svg => {
            let mut text = String::new();
            let units = |pixels: u32| (f64::from(pixels) * SVG_UNITS) as u32;
            {
                let mut backend = SVGBackend::with_string(&mut text, (units(width), units(height)));
                drawing.draw(&mut Pen { backend: &mut backend, factor: SVG_UNITS })?;
                backend.present()?;
            }
            // Plotters takes its unit for the pixel, and gives no title to readers of screens.
            let plain = format!("width=\"{}\" height=\"{}\" ", units(width), units(height));
            let text = text.replacen(&plain, &format!("width=\"{width}\" height=\"{height}\" "), 1);
            let escaped = title.replace('&', "&amp;").replace('<', "&lt;");
            let carried = record.map(|msr| svg_element(msr) + "\n").unwrap_or_default();
            Ok(text.replacen(">\n", &format!(">\n<title>{escaped}</title>\n{carried}"), 1).into_bytes())
        }
    }
}

fn encode(width: u32, height: u32, pixels: &[u8], title: &str, record: Option<&str>) -> Result<Vec<u8>, RenderError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Best);
    encoder.set_adaptive_filter(png::AdaptiveFilterType::Adaptive);
    encoder.add_itxt_chunk("Title".to_owned(), title.to_owned())?;
    if let Some(msr) = record {
        encoder.add_text_chunk(PNG_KEYWORD.to_owned(), msr.to_owned())?;
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(bytes)
}

/// A backend, drawn on in pixels.
pub(super) struct Pen<'a, B> {
    backend: &'a mut B,
    /// Units of the backend per pixel.
    factor: f64,
}

impl<B: DrawingBackend> Pen<'_, B> {
    fn at(&self, (x, y): (f64, f64)) -> (i32, i32) {
        ((x * self.factor).round() as i32, (y * self.factor).round() as i32)
    }

    fn length(&self, length: f64) -> u32 {
        (length * self.factor).round().max(1.0) as u32
    }

    fn style(&self, (r, g, b): Rgb, stroke: f64) -> ShapeStyle {
        ShapeStyle { color: RGBColor(r, g, b).into(), filled: true, stroke_width: self.length(stroke) }
    }

    pub fn rectangle(&mut self, from: (f64, f64), to: (f64, f64), colour: Rgb) -> DrawResult<B> {
        let (from, to, style) = (self.at(from), self.at(to), self.style(colour, 1.0));
        self.backend.draw_rect(from, to, &style, true)
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: f64, colour: Rgb) -> DrawResult<B> {
        let (from, to, style) = (self.at(from), self.at(to), self.style(colour, stroke));
        self.backend.draw_line(from, to, &style)
    }

    pub fn disc(&mut self, centre: (f64, f64), radius: f64, colour: Rgb) -> DrawResult<B> {
        let (centre, radius, style) = (self.at(centre), self.length(radius), self.style(colour, 1.0));
        self.backend.draw_circle(centre, radius, &style, true)
    }

    /// Fills the inside of a closed line; `cover` is 1 for a colour through which nothing is seen.
    pub fn area(&mut self, edge: &[(f64, f64)], colour: Rgb, cover: f64) -> DrawResult<B> {
        let edge: Vec<(i32, i32)> = edge.iter().map(|&point| self.at(point)).collect();
        let mut style = self.style(colour, 1.0);
        style.color = style.color.mix(cover);
        self.backend.fill_polygon(edge, &style)
    }

    pub fn text(&mut self, text: &str, (x, baseline): (f64, f64), font: Lettering) -> DrawResult<B> {
        let colour = RGBColor(font.colour.0, font.colour.1, font.colour.2);
        let face = if font.bold { FontStyle::Bold } else { FontStyle::Normal };
        let style = TextStyle::from((FAMILY, font.em * self.factor * SIZE_PER_EM).into_font().style(face))
            .color(&colour)
            .pos(Pos::new(font.anchor, VPos::Top));
        let at = self.at((x, baseline - TOP_TO_BASELINE * font.em));
        self.backend.draw_text(text, &style, at)
    }
}

/// What a step of drawing gives.
pub(super) type DrawResult<B> = Result<(), DrawingErrorKind<<B as DrawingBackend>::ErrorType>>;

/// How a text is set.
#[derive(Clone, Copy)]
pub(super) struct Lettering {
    /// Font size in pixels.
    pub em: f64,
    pub bold: bool,
    pub colour: Rgb,
    pub anchor: HPos,
}

impl Lettering {
    /// Width of a text in pixels.
    pub fn width(self, text: &str) -> f64 {
        fonts::width(text, self.bold) * self.em
    }

    /// The text, cut to fit into `room` pixels.
    pub fn fit(self, text: &str, room: f64) -> String {
        let mut cut: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(300).collect();
        if self.width(&cut) <= room {
            return cut;
        }
        while !cut.is_empty() && self.width(&cut) + self.width("\u{2026}") > room {
            cut.pop();
        }
        cut.push('\u{2026}');
        cut
    }
}

//! A plotters backend for smooth bitmaps with exactly placed text.
//!
//! Plotters' own bitmap backend draws thick lines with jagged edges and sets glyphs on whole pixels without their
//! bearings. This one paints at several times the size, without smoothing, and averages. It paints one band of rows
//! at a time, so that a large picture needs little memory; the drawing is repeated for each band.

use super::fonts;
use ab_glyph::{Font, ScaleFont, point};
use plotters_backend::text_anchor::HPos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
};
use std::convert::Infallible;

/// Samples per pixel in each direction.
pub const SAMPLES: u32 = 4;

/// Rows of pixels painted at a time.
const BAND: u32 = 128;

/// Font size in em of a plotters text size: what its SVG backend divides by.
pub const SIZE_PER_EM: f64 = 1.24;

/// Distance from the top anchor of a text to its baseline, in em: what plotters' SVG backend adds.
pub const TOP_TO_BASELINE: f64 = 0.76;

/// Paints a picture of `width` by `height` pixels and returns its RGB bytes. `draw` is called several times; its
/// coordinates are pixels times [`SAMPLES`].
pub fn paint(width: u32, height: u32, mut draw: impl FnMut(&mut Raster)) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(width as usize * height as usize * 3);
    for top in (0..height).step_by(BAND as usize) {
        let rows = BAND.min(height - top);
        let mut raster = Raster {
            width: (width * SAMPLES) as i32,
            whole: (width * SAMPLES, height * SAMPLES),
            top: (top * SAMPLES) as i32,
            rows: (rows * SAMPLES) as i32,
            samples: vec![[0; 3]; (width * SAMPLES * rows * SAMPLES) as usize],
        };
        draw(&mut raster);
        raster.average(rows, &mut bytes);
    }
    bytes
}

/// A band of a picture, in samples.
pub struct Raster {
    width: i32,
    whole: (u32, u32),
    /// First row of the band.
    top: i32,
    /// Rows in the band.
    rows: i32,
    samples: Vec<[u8; 3]>,
}

impl Raster {
    fn average(&self, rows: u32, bytes: &mut Vec<u8>) {
        let (step, width) = (SAMPLES as usize, self.width as usize);
        for y in 0..rows as usize {
            for x in 0..width / step {
                let row = |sy: usize| self.samples[(y * step + sy) * width + x * step..][..step].as_flattened();
                let first = row(0);
                // Most pixels have one colour, and are told by comparing bytes.
                if first[3..] == first[..first.len() - 3] && (1..step).all(|sy| row(sy) == first) {
                    bytes.extend_from_slice(&first[..3]);
                    continue;
                }
                let mut sum = [0u32; 3];
                for sample in (0..step).flat_map(|sy| row(sy).chunks_exact(3)) {
                    (0..3).for_each(|i| sum[i] += u32::from(sample[i]));
                }
                let count = SAMPLES * SAMPLES;
                bytes.extend(sum.map(|s| ((s + count / 2) / count) as u8));
            }
        }
    }

    /// Fills the samples from `left` (included) to `right` (excluded) of row `y` of the picture.
    fn fill_row(&mut self, y: i32, left: f64, right: f64, (r, g, b): (u8, u8, u8)) {
        let row = y - self.top;
        if row < 0 || row >= self.rows {
            return;
        }
        let left = left.round().clamp(0.0, f64::from(self.width)) as usize;
        let right = right.round().clamp(0.0, f64::from(self.width)) as usize;
        if left < right {
            let start = row as usize * self.width as usize;
            self.samples[start + left..start + right].fill([r, g, b]);
        }
    }

    /// The rows of the band between two coordinates (the second excluded).
    fn rows_between(&self, from: f64, to: f64) -> std::ops::Range<i32> {
        let (low, high) = (f64::from(self.top), f64::from(self.top + self.rows));
        from.round().clamp(low, high) as i32..to.round().clamp(low, high) as i32
    }

    fn blend(&mut self, x: i32, y: i32, (r, g, b): (u8, u8, u8), alpha: f64) {
        let row = y - self.top;
        if x < 0 || x >= self.width || row < 0 || row >= self.rows {
            return;
        }
        let sample = &mut self.samples[row as usize * self.width as usize + x as usize];
        for (old, new) in sample.iter_mut().zip([r, g, b]) {
            *old = (f64::from(*old) + (f64::from(new) - f64::from(*old)) * alpha.clamp(0.0, 1.0)).round() as u8;
        }
    }
}

type RasterResult = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for Raster {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.whole
    }

    fn ensure_prepared(&mut self) -> RasterResult {
        Ok(())
    }

    fn present(&mut self) -> RasterResult {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> RasterResult {
        self.blend(x, y, color.rgb, color.alpha);
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> RasterResult {
        let (from, to) = if from.1 <= to.1 { (from, to) } else { (to, from) };
        let ((x0, y0), (x1, y1)) = ((f64::from(from.0), f64::from(from.1)), (f64::from(to.0), f64::from(to.1)));
        let half = f64::from(style.stroke_width().max(1)) / 2.0;
        let (dx, dy) = (x1 - x0, y1 - y0);
        let rgb = style.color().rgb;
        if dy == 0.0 {
            for y in self.rows_between(y0 - half, y0 + half) {
                self.fill_row(y, x0.min(x1), x0.max(x1), rgb);
            }
            return Ok(());
        }
        if dx.abs() > dy {
            // Shallow lines end at columns, so that no row runs past them.
            let half = half * (dx * dx + dy * dy).sqrt() / dx.abs();
            for y in self.rows_between(y0 - half, y1 + half) {
                let at = |height: f64| x0 + (f64::from(y) + 0.5 + height - y0) * dx / dy;
                let (a, b) = (at(-half), at(half));
                self.fill_row(y, a.min(b).max(x0.min(x1)), a.max(b).min(x0.max(x1)), rgb);
            }
            return Ok(());
        }
        // Half of the stroke as cut by a row.
        let half = half * (dx * dx + dy * dy).sqrt() / dy;
        for y in self.rows_between(y0, y1) {
            let middle = x0 + (f64::from(y) + 0.5 - y0) * dx / dy;
            self.fill_row(y, middle - half, middle + half, rgb);
        }
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> RasterResult {
        if !fill {
            return plotters_backend::rasterizer::draw_rect(self, upper_left, bottom_right, style, fill);
        }
        for y in self.rows_between(f64::from(upper_left.1), f64::from(bottom_right.1)) {
            self.fill_row(y, f64::from(upper_left.0), f64::from(bottom_right.0), style.color().rgb);
        }
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> RasterResult {
        if !fill {
            return plotters_backend::rasterizer::draw_circle(self, center, radius, style, fill);
        }
        let (x, y, r) = (f64::from(center.0), f64::from(center.1), f64::from(radius));
        for row in self.rows_between(y - r, y + r) {
            let up = f64::from(row) + 0.5 - y;
            let half = (r * r - up * up).max(0.0).sqrt();
            self.fill_row(row, x - half, x + half, style.color().rgb);
        }
        Ok(())
    }

    /// Even-odd; a colour that is not opaque is mixed with what lies below it.
    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        edge: I,
        style: &S,
    ) -> RasterResult {
        let edge: Vec<(f64, f64)> = edge.into_iter().map(|(x, y)| (f64::from(x), f64::from(y))).collect();
        let Some(&last) = edge.last() else { return Ok(()) };
        let low = edge.iter().fold(f64::MAX, |low, point| low.min(point.1));
        let high = edge.iter().fold(f64::MIN, |high, point| high.max(point.1));
        let mut crossings = Vec::new();
        for row in self.rows_between(low, high) {
            let y = f64::from(row) + 0.5;
            crossings.clear();
            let mut from = last;
            for &to in &edge {
                if (from.1 <= y) != (to.1 <= y) {
                    crossings.push(from.0 + (y - from.1) / (to.1 - from.1) * (to.0 - from.0));
                }
                from = to;
            }
            crossings.sort_by(f64::total_cmp);
            for pair in crossings.chunks_exact(2) {
                let side = |x: f64| x.round().clamp(0.0, f64::from(self.width)) as i32;
                for x in side(pair[0])..side(pair[1]) {
                    self.blend(x, row, style.color().rgb, style.color().alpha);
                }
            }
        }
        Ok(())
    }

    /// Sets a text as plotters' SVG backend does for a top anchor: the baseline lies [`TOP_TO_BASELINE`] em below.
    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> RasterResult {
        let em = style.size() / SIZE_PER_EM;
        let baseline = f64::from(y) + TOP_TO_BASELINE * em;
        if baseline + em < f64::from(self.top) || baseline - 1.5 * em > f64::from(self.top + self.rows) {
            return Ok(());
        }
        let bold = matches!(style.style(), FontStyle::Bold);
        let (face, scale) = (fonts::face(bold), fonts::scale(bold, em));
        let font = face.as_scaled(scale);
        let width = fonts::width(text, bold) * em;
        let mut pen = match style.anchor().h_pos {
            HPos::Left => f64::from(x),
            HPos::Center => f64::from(x) - width / 2.0,
            HPos::Right => f64::from(x) - width,
        };
        for c in text.chars() {
            let id = font.glyph_id(c);
            let glyph = id.with_scale_and_position(scale, point(pen as f32, baseline as f32));
            if let Some(outline) = face.outline_glyph(glyph) {
                let corner = outline.px_bounds().min;
                outline.draw(|dx, dy, cover| {
                    let at = (corner.x as i32 + dx as i32, corner.y as i32 + dy as i32);
                    self.blend(at.0, at.1, style.color().rgb, f64::from(cover) * style.color().alpha);
                });
            }
            pen += f64::from(font.h_advance(id));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotters::style::{RGBColor, ShapeStyle};

    /// A disc, lines and a rectangle across the seam of two bands are as they would be in one.
    #[test]
    fn bands_do_not_show() {
        let style = |stroke_width| ShapeStyle { color: RGBColor(0, 0, 0).into(), filled: true, stroke_width };
        let at = |x: u32, y: u32| ((x * SAMPLES) as i32, (y * SAMPLES) as i32);
        let (side, middle) = (2 * BAND, BAND);
        let pixels = paint(side, side, |raster| {
            let (whole, black) = (at(side, side), style(1));
            let white = ShapeStyle { color: RGBColor(255, 255, 255).into(), ..black };
            raster.draw_rect((0, 0), whole, &white, true).unwrap();
            raster.draw_circle(at(middle, middle), 50 * SAMPLES, &black, true).unwrap();
            raster.draw_line(at(0, 0), whole, &style(3 * SAMPLES)).unwrap();
            raster.draw_line(at(0, side), at(side, 0), &style(3 * SAMPLES)).unwrap();
            raster.draw_line(at(0, middle), at(side, middle), &style(2 * SAMPLES)).unwrap();
            raster.draw_line(at(middle, 0), at(middle, side), &style(2 * SAMPLES)).unwrap();
        });
        let side = side as usize;
        assert_eq!(pixels.len(), side * side * 3);
        let pixel = |x: usize, y: usize| i32::from(pixels[(y * side + x) * 3]);
        for y in 0..side {
            for x in 0..side {
                // The picture is its own mirror image, and as good as its own transpose.
                assert_eq!(pixel(x, y), pixel(side - 1 - x, y), "({x},{y})");
                assert_eq!(pixel(x, y), pixel(x, side - 1 - y), "({x},{y})");
                assert!((pixel(x, y) - pixel(y, x)).abs() <= 96, "({x},{y})");
            }
        }
        assert_eq!((pixel(side / 2, side / 2), pixel(3, side / 3)), (0, 255));
    }
}

//! The picture of a grid: numbered points, the line of every move, the starting cross, a title and a legend.
//!
//! Moves are coloured by their age, so that the growth of the grid can be seen without reading numbers; the numbers
//! stay inside their points at any score.

use super::fonts::DIGIT_HEIGHT;
use super::layout::Layout;
use super::pen::{self, DrawResult, Drawing, Lettering, Pen};
pub use super::pen::{PictureFormat, RenderError, SIZES};
use super::theme::{Palette, Rgb, Theme};
use crate::morpion::geometry::cross;
use crate::notation::grid::Grid;
use crate::notation::msr::write_compact;
use plotters_backend::DrawingBackend;
use plotters_backend::text_anchor::HPos;

/// Radius of a numbered point and of a point of the cross, in cells.
const RADIUS: f64 = 0.37;
const CROSS_RADIUS: f64 = 0.25;

/// Width of a point's ring, of a move's line and of a grid line, in cells.
const RING: f64 = 0.045;
const STROKE: f64 = 0.068;
const GRID_STROKE: f64 = 0.022;

/// Font size of numbers with up to two and with three digits, in cells.
const NUMBER: [f64; 2] = [0.40, 0.345];

/// How a picture is to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridPictureOptions {
    /// Longer side in pixels, one of [`SIZES`].
    pub size: u32,
    /// Colours of the picture.
    pub theme: Theme,
}

impl Default for GridPictureOptions {
    fn default() -> GridPictureOptions {
        GridPictureOptions { size: 1400, theme: Theme::Light }
    }
}

/// Draws a grid and returns the picture as the bytes of a file, which carries the grid as a record.
///
/// # Errors
/// A size outside [`SIZES`]; else only if the libraries fail.
pub fn render(grid: &Grid, picture: PictureFormat, options: GridPictureOptions) -> Result<Vec<u8>, RenderError> {
    if !SIZES.contains(&options.size) {
        return Err(RenderError::Size(options.size));
    }
    let layout = Layout::new(grid.bounds(), options.size);
    let extent = (layout.width as u32, layout.height as u32);
    let scene = Scene { grid, layout, palette: options.theme.palette() };
    let title = format!("Morpion Solitaire {}", scene.title());
    // A grid whose texts are too long for a record is drawn all the same.
    let record = write_compact(grid).ok();
    pen::picture(&scene, picture, extent, &title, record.as_deref())
}

/// What is drawn.
struct Scene<'a> {
    grid: &'a Grid,
    layout: Layout,
    palette: Palette,
}

impl Drawing for Scene<'_> {
    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<B>) -> DrawResult<B> {
        pen.rectangle((0.0, 0.0), (self.layout.width, self.layout.height), self.palette.ground)?;
        self.board(pen)?;
        self.lines(pen)?;
        self.points(pen)?;
        self.heading(pen)?;
        self.legend(pen)
    }
}

impl Scene<'_> {
    fn title(&self) -> String {
        let score = self.grid.score();
        format!("{} \u{b7} {score} {}", self.grid.variant, if score == 1 { "move" } else { "moves" })
    }

    fn board<B: DrawingBackend>(&self, pen: &mut Pen<B>) -> DrawResult<B> {
        let (left, top, right, bottom) = self.layout.board;
        let (bounds, stroke) = (self.grid.bounds(), GRID_STROKE * self.layout.cell);
        for n in 0..bounds.columns() {
            let x = self.layout.column(n);
            pen.line((x, top), (x, bottom), stroke, self.palette.grid)?;
        }
        for n in 0..bounds.rows() {
            let y = self.layout.row(n);
            pen.line((left, y), (right, y), stroke, self.palette.grid)?;
        }
        Ok(())
    }

    /// Colour of move number `i`, from 0.
    fn colour(&self, i: usize) -> Rgb {
        self.palette.age(i as f64 / (self.grid.score().max(2) - 1) as f64)
    }

    fn lines<B: DrawingBackend>(&self, pen: &mut Pen<B>) -> DrawResult<B> {
        let reach = self.grid.variant.line_len() as i32 - 1;
        for (i, mv) in self.grid.moves.iter().enumerate() {
            let first = mv.line().first();
            let Some(last) = first.step(mv.direction(), reach) else { continue };
            let (from, to) = (self.layout.at(first), self.layout.at(last));
            pen.line(from, to, STROKE * self.layout.cell, self.colour(i))?;
        }
        Ok(())
    }

    fn points<B: DrawingBackend>(&self, pen: &mut Pen<B>) -> DrawResult<B> {
        let cell = self.layout.cell;
        for point in cross(self.grid.variant) {
            let centre = self.layout.at(point);
            pen.disc(centre, (CROSS_RADIUS + RING) * cell, self.palette.ground)?;
            pen.disc(centre, CROSS_RADIUS * cell, self.palette.cross)?;
        }
        for (i, mv) in self.grid.moves.iter().enumerate() {
            self.numbered(pen, self.layout.at(mv.point()), i + 1, self.colour(i), cell)?;
        }
        Ok(())
    }

    fn numbered<B: DrawingBackend>(
        &self,
        pen: &mut Pen<B>,
        (x, y): (f64, f64),
        number: usize,
        colour: Rgb,
        cell: f64,
    ) -> DrawResult<B> {
        pen.disc((x, y), RADIUS * cell, colour)?;
        pen.disc((x, y), (RADIUS - RING) * cell, self.palette.inside(colour))?;
        let em = NUMBER[usize::from(number > 99)] * cell;
        let font = Lettering { em, bold: false, colour: self.palette.text, anchor: HPos::Center };
        pen.text(&number.to_string(), (x, y + DIGIT_HEIGHT / 2.0 * em), font)
    }

    fn heading<B: DrawingBackend>(&self, pen: &mut Pen<B>) -> DrawResult<B> {
        let (size, margin) = (self.layout.size, self.layout.margin);
        let room = self.layout.width - 2.0 * margin;
        let big = Lettering { em: 0.034 * size, bold: true, colour: self.palette.text, anchor: HPos::Left };
        let small = Lettering { em: 0.019 * size, bold: false, colour: self.palette.faint, ..big };
        let title = self.title();
        pen.text(&title, (margin, margin + 0.027 * size), big)?;
        let left = self.grid.moves_left();
        let state = match left {
            Some(0) => "finished".to_owned(),
            Some(1) => "1 legal move left".to_owned(),
            Some(left) => format!("{left} legal moves left"),
            None => "with an illegal move".to_owned(),
        };
        let right = Lettering { anchor: HPos::Right, ..small };
        pen.text(&state, (self.layout.width - margin, margin + 0.027 * size), right)?;
        let p = &self.grid.provenance;
        let found = [&p.tool, &p.method].into_iter().flatten().cloned().collect::<Vec<_>>().join(", ");
        let found = (!found.is_empty()).then_some(found);
        let mut who = [p.author.clone(), found, p.description.clone()];
        if left != Some(0) {
            // Of a part of a grid the description tells whose part it is.
            who.reverse();
        }
        let author = who.into_iter().flatten().next();
        let second = margin + 0.058 * size;
        let mut used = 0.0;
        if let Some(author) = author {
            let author = small.fit(&author, room);
            pen.text(&author, (margin, second), small)?;
            used = small.width(&author) + 0.03 * size;
        }
        if let Some(source) = &p.source {
            let font = Lettering { em: 0.0155 * size, ..right };
            // The scheme says nothing to a reader.
            let source = source.trim_start_matches("http://").trim_start_matches("https://");
            pen.text(&font.fit(source, room - used), (self.layout.width - margin, second), font)?;
        }
        Ok(())
    }

    fn legend<B: DrawingBackend>(&self, pen: &mut Pen<B>) -> DrawResult<B> {
        let (size, margin) = (self.layout.size, self.layout.margin);
        let font = Lettering { em: 0.0155 * size, bold: false, colour: self.palette.faint, anchor: HPos::Left };
        let cell = 0.030 * size;
        let y = self.layout.legend + 0.034 * size;
        let baseline = y + DIGIT_HEIGHT / 2.0 * font.em;
        let mut x = margin + CROSS_RADIUS * cell;
        pen.disc((x, y), CROSS_RADIUS * cell, self.palette.cross)?;
        x += 0.015 * size;
        let label = "starting cross";
        pen.text(label, (x, baseline), font)?;
        x += font.width(label) + 0.034 * size;
        let score = self.grid.score();
        if score > 0 {
            const STEPS: usize = 40;
            self.numbered(pen, (x, y), 1, self.colour(0), cell)?;
            let (start, length) = (x + 0.018 * size, 0.09 * size);
            for step in 0..STEPS {
                // Each piece goes on to the end under the next ones, so that no seam shows.
                let from = start + length * step as f64 / STEPS as f64;
                let colour = self.palette.age((step as f64 + 0.5) / STEPS as f64);
                pen.line((from, y), (start + length, y), STROKE * cell * 1.6, colour)?;
            }
            x = start + length + 0.018 * size;
            self.numbered(pen, (x, y), score, self.colour(score - 1), cell)?;
            x += 0.018 * size;
            let label = "moves in order";
            pen.text(label, (x, baseline), font)?;
        }
        let right = Lettering { anchor: HPos::Right, ..font };
        pen.text("Morpion Solitaire", (self.layout.width - margin, baseline), right)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fonts;
    use super::*;
    use crate::morpion::variant::Variant;
    use crate::notation::records::known;

    /// No label can overlap another if each stays inside its ring, and rings do not touch.
    #[test]
    fn numbers_stay_inside_their_points() {
        for number in 1..=Variant::T5.upper_bound() {
            let em = NUMBER[usize::from(number > 99)];
            let (width, height) = (fonts::width(&number.to_string(), false) * em, DIGIT_HEIGHT * em);
            let reach = (width / 2.0).hypot(height / 2.0);
            assert!(reach <= RADIUS - RING, "{number}: {reach}");
        }
        const { assert!(RADIUS < 0.5 && CROSS_RADIUS + RING < 0.5) };
    }

    #[test]
    fn an_svg_has_every_number_and_escapes_its_texts() {
        let mut grid = known().unwrap().swap_remove(0).grid;
        grid.provenance.author = Some("<b> & \u{1b}\u{0}".to_owned() + &"long ".repeat(100));
        let svg =
            String::from_utf8(render(&grid, PictureFormat::Svg, GridPictureOptions::default()).unwrap()).unwrap();
        assert!(svg.starts_with("<svg width=\"1050\" height=\"1400\" viewBox=\"0 0 10500 14000\""), "{}", &svg[..90]);
        for number in 2..178 {
            assert_eq!(svg.matches(&format!(">\n{number}\n</text>")).count(), 1, "{number}");
        }
        assert!(svg.contains("&lt;b&gt; &amp; ") && svg.contains("\u{2026}") && !svg.contains(['\u{1b}', '\0']));
        assert_eq!(svg.matches("<line").count() - 178 - 17 - 21, 40, "moves, columns, rows, and the legend's scale");
    }

    #[test]
    fn a_png_has_the_size_asked_for_and_the_theme_s_ground() {
        let grid = known().unwrap().pop().unwrap().grid;
        for (theme, ground) in [(Theme::Light, [255, 255, 255]), (Theme::Dark, [20, 23, 29])] {
            let bytes = render(&grid, PictureFormat::Png, GridPictureOptions { size: 310, theme }).unwrap();
            let mut reader = png::Decoder::new(&bytes[..]).read_info().unwrap();
            let mut pixels = vec![0; reader.output_buffer_size()];
            let info = reader.next_frame(&mut pixels).unwrap();
            assert_eq!(info.width.max(info.height), 310);
            assert_eq!(pixels[..3], ground);
            let share = pixels.chunks(3).filter(|p| *p == ground).count() as f64 / (pixels.len() / 3) as f64;
            assert!((0.3..0.9).contains(&share), "{share}");
        }
    }

    #[test]
    fn odd_grids_and_sizes_are_no_panic() {
        let mut grid = known().unwrap().swap_remove(0).grid;
        grid.moves.reverse();
        grid.provenance.author = None;
        for variant in Variant::ALL {
            grid.variant = variant;
            assert!(render(&grid, PictureFormat::Svg, GridPictureOptions::default()).is_ok());
        }
        assert!(
            render(&Grid::new(Variant::D4, Vec::new()), PictureFormat::Svg, GridPictureOptions::default()).is_ok()
        );
        for size in [0, 299, 8001, u32::MAX] {
            let options = GridPictureOptions { size, ..GridPictureOptions::default() };
            assert!(matches!(render(&grid, PictureFormat::Png, options), Err(RenderError::Size(_))));
        }
    }
}

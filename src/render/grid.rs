//! The picture of a grid: numbered points, the line of every move, the start, a title and a legend.
//!
//! Moves are coloured by their age, so that the growth of the grid can be seen without reading numbers; the numbers
//! stay inside their points at any score.

use super::fonts::DIGIT_HEIGHT;
use super::layout::Layout;
use super::pen::{self, DrawResult, Drawing, Lettering, Pen};
pub use super::pen::{PictureFormat, RenderError, SIZES};
use super::theme::{Palette, Rgb, Theme};
use crate::morpion::geometry::{Line, Move};
use crate::notation::grid::{BoundingBox, Grid};
use crate::notation::msr::write_compact;
use ahash::AHashSet;
use plotters_backend::DrawingBackend;
use plotters_backend::text_anchor::HPos;

/// Radius of a numbered point and of a point of the cross, in cells.
const RADIUS: f64 = 0.37;
const CROSS_RADIUS: f64 = 0.25;

/// Width of a point's ring, of a move's line and of a grid line, in cells.
const RING: f64 = 0.045;
const STROKE: f64 = 0.068;
const GRID_STROKE: f64 = 0.022;

/// Radius of the point of a candidate, width of its line, and length of the dashes and of the room between, in cells.
const CANDIDATE_RADIUS: f64 = 0.17;
const CANDIDATE_STROKE: f64 = 0.05;
const DASH: f64 = 0.25;

/// Lines that the other grid lacks are so many times as broad.
const BROAD: f64 = 2.2;

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

/// A grid to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnGrid {
    /// The grid, or the part of one that is shown.
    pub grid: Grid,
    /// Moves of the whole grid.
    pub whole: usize,
    /// The legal moves are drawn as candidates.
    pub candidates: bool,
}

impl From<Grid> for DrawnGrid {
    fn from(grid: Grid) -> DrawnGrid {
        DrawnGrid { whole: grid.score(), grid, candidates: false }
    }
}

/// Draws a grid and returns the picture as the bytes of a file, which carries the grid as a record if it begins with
/// the cross.
///
/// # Errors
/// A size outside [`SIZES`]; else only if the libraries fail.
pub fn render(grid: &Grid, picture: PictureFormat, options: GridPictureOptions) -> Result<Vec<u8>, RenderError> {
    render_view(&grid.clone().into(), picture, options)
}

/// The same for a part of a grid, or one with its legal moves.
///
/// # Errors
/// A size outside [`SIZES`]; else only if the libraries fail.
pub fn render_view(
    view: &DrawnGrid,
    picture: PictureFormat,
    options: GridPictureOptions,
) -> Result<Vec<u8>, RenderError> {
    if !SIZES.contains(&options.size) {
        return Err(RenderError::Size(options.size));
    }
    let candidates = view.legal_moves();
    let layout = Layout::new(view.bounds(&candidates), options.size);
    let scene = Scene { view, candidates, layout, palette: options.theme.palette(), other: None };
    // A grid whose texts are too long for a record, or that begins with another start, is drawn all the same.
    let record = write_compact(&view.grid).ok();
    sheet(&[scene], picture, record.as_deref())
}

/// Draws two grids side by side, with the starting cross at the same place. If they have half of their lines in
/// common, the other lines are broader. The picture carries no record.
///
/// # Errors
/// A size outside [`SIZES`]; else only if the libraries fail.
pub fn render_pair(
    views: [&DrawnGrid; 2],
    picture: PictureFormat,
    options: GridPictureOptions,
) -> Result<Vec<u8>, RenderError> {
    if !SIZES.contains(&options.size) {
        return Err(RenderError::Size(options.size));
    }
    let [first, second] = views.map(DrawnGrid::legal_moves);
    let bounds = views[0].bounds(&first).joined(views[1].bounds(&second));
    // Each has at least three quarters of its height as its width, so both together are wider than high.
    let width = Layout::new(bounds, options.size).width;
    let size = f64::from(options.size).powi(2) / (2.0 * width);
    let layout = Layout::new(bounds, size as u32);
    let palette = options.theme.palette();
    let scene = |at: usize, candidates, layout| Scene {
        view: views[at],
        candidates,
        layout,
        palette,
        other: Some(&views[1 - at].grid),
    };
    sheet(&[scene(0, first, layout), scene(1, second, layout.moved(layout.width))], picture, None)
}

/// Draws scenes side by side.
fn sheet(scenes: &[Scene], picture: PictureFormat, record: Option<&str>) -> Result<Vec<u8>, RenderError> {
    let width: f64 = scenes.iter().map(|scene| scene.layout.width).sum();
    let height = scenes.iter().map(|scene| scene.layout.height).fold(0.0, f64::max);
    let titles: Vec<String> = scenes.iter().map(Scene::title).collect();
    let title = format!("Morpion Solitaire {}", titles.join(" | "));
    pen::picture(&scenes, picture, (width as u32, height as u32), &title, record)
}

impl DrawnGrid {
    /// The candidates that are drawn.
    fn legal_moves(&self) -> Vec<Move> {
        if self.candidates { self.grid.legal_moves() } else { Vec::new() }
    }

    /// The smallest box around all points that are drawn.
    fn bounds(&self, candidates: &[Move]) -> BoundingBox {
        let around = BoundingBox::around(candidates.iter().map(|mv| mv.point()));
        if candidates.is_empty() { self.grid.bounds() } else { self.grid.bounds().joined(around) }
    }
}

/// What is drawn of one grid.
struct Scene<'a> {
    view: &'a DrawnGrid,
    /// Legal moves that are drawn.
    candidates: Vec<Move>,
    layout: Layout,
    palette: Palette,
    /// The grid that stands beside it.
    other: Option<&'a Grid>,
}

impl Drawing for &[Scene<'_>] {
    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<B>) -> DrawResult<B> {
        for scene in *self {
            let (layout, ground) = (scene.layout, scene.palette.ground);
            pen.rectangle((layout.left, 0.0), (layout.left + layout.width, layout.height), ground)?;
            scene.board(pen)?;
            scene.lines(pen)?;
            scene.points(pen)?;
            scene.heading(pen)?;
            scene.legend(pen)?;
        }
        Ok(())
    }
}

impl Scene<'_> {
    fn grid(&self) -> &Grid {
        &self.view.grid
    }

    /// Left and right border of texts.
    fn borders(&self) -> (f64, f64) {
        let Layout { left, width, margin, .. } = self.layout;
        (left + margin, left + width - margin)
    }

    fn title(&self) -> String {
        let (score, whole) = (self.grid().score(), self.view.whole);
        let of = if score < whole { format!(" of {whole}") } else { String::new() };
        format!("{} \u{b7} {score}{of} {}", self.grid().category(), if whole == 1 { "move" } else { "moves" })
    }

    /// For each move whether the other grid lacks its line, and how many do; nothing if they have less than half of
    /// their lines in common.
    fn differences(&self) -> Option<(Vec<bool>, usize)> {
        let (grid, other) = (self.grid(), self.other?);
        if grid.variant.line_len() != other.variant.line_len() {
            return None;
        }
        let lines: AHashSet<Line> = other.moves.iter().map(|mv| mv.line()).collect();
        let lacks: Vec<bool> = grid.moves.iter().map(|mv| !lines.contains(&mv.line())).collect();
        let count = lacks.iter().filter(|&&lacks| lacks).count();
        let common = grid.score() - count;
        (2 * common >= grid.score().min(other.score()) && common > 0).then_some((lacks, count))
    }

    fn board<B: DrawingBackend>(&self, pen: &mut Pen<B>) -> DrawResult<B> {
        let (left, top, right, bottom) = self.layout.board;
        let (bounds, stroke) = (self.layout.bounds, GRID_STROKE * self.layout.cell);
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
        self.palette.age(i as f64 / (self.view.whole.max(2) - 1) as f64)
    }

    fn lines<B: DrawingBackend>(&self, pen: &mut Pen<B>) -> DrawResult<B> {
        let differences = self.differences();
        for (i, &mv) in self.grid().moves.iter().enumerate() {
            let Some((from, to)) = self.ends(mv) else { continue };
            let broad = differences.as_ref().is_some_and(|(lacks, _)| lacks[i]);
            let stroke = if broad { BROAD * STROKE } else { STROKE };
            pen.line(from, to, stroke * self.layout.cell, self.colour(i))?;
        }
        for (from, to) in self.candidates.iter().filter_map(|&mv| self.ends(mv)) {
            self.dashed(pen, from, to, self.layout.cell)?;
        }
        Ok(())
    }

    /// Where the line of a move begins and ends.
    fn ends(&self, mv: Move) -> Option<((f64, f64), (f64, f64))> {
        let first = mv.line().first();
        let last = first.step(mv.direction(), self.grid().variant.line_len() as i32 - 1)?;
        Some((self.layout.at(first), self.layout.at(last)))
    }

    fn dashed<B: DrawingBackend>(
        &self,
        pen: &mut Pen<B>,
        (x, y): (f64, f64),
        (to_x, to_y): (f64, f64),
        cell: f64,
    ) -> DrawResult<B> {
        let length = (to_x - x).hypot(to_y - y);
        let at = |distance: f64| {
            let share = (distance / length.max(1e-9)).min(1.0);
            (x + share * (to_x - x), y + share * (to_y - y))
        };
        // A dash at both ends: an odd number of dashes and rooms.
        let pieces = 2 * (length / (2.0 * DASH * cell)).round().max(1.0) as u32 + 1;
        let piece = length / f64::from(pieces);
        for n in (0..pieces).step_by(2) {
            let (from, to) = (at(piece * f64::from(n)), at(piece * f64::from(n + 1)));
            pen.line(from, to, CANDIDATE_STROKE * cell, self.palette.faint)?;
        }
        Ok(())
    }

    /// The point that a legal move would set.
    fn candidate<B: DrawingBackend>(&self, pen: &mut Pen<B>, centre: (f64, f64), cell: f64) -> DrawResult<B> {
        pen.disc(centre, CANDIDATE_RADIUS * cell, self.palette.faint)?;
        pen.disc(centre, (CANDIDATE_RADIUS - RING) * cell, self.palette.ground)
    }

    fn points<B: DrawingBackend>(&self, pen: &mut Pen<B>) -> DrawResult<B> {
        let cell = self.layout.cell;
        for mv in &self.candidates {
            self.candidate(pen, self.layout.at(mv.point()), cell)?;
        }
        for point in self.grid().start.points(self.grid().variant) {
            let centre = self.layout.at(point);
            pen.disc(centre, (CROSS_RADIUS + RING) * cell, self.palette.ground)?;
            pen.disc(centre, CROSS_RADIUS * cell, self.palette.cross)?;
        }
        for (i, mv) in self.grid().moves.iter().enumerate() {
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
        let (left_border, right_border) = self.borders();
        let room = right_border - left_border;
        let big = Lettering { em: 0.034 * size, bold: true, colour: self.palette.text, anchor: HPos::Left };
        let small = Lettering { em: 0.019 * size, bold: false, colour: self.palette.faint, ..big };
        let title = self.title();
        pen.text(&title, (left_border, margin + 0.027 * size), big)?;
        let left = self.grid().moves_left();
        let state = match left {
            Some(0) => "finished".to_owned(),
            Some(1) => "1 legal move left".to_owned(),
            Some(left) => format!("{left} legal moves left"),
            None => "with an illegal move".to_owned(),
        };
        let right = Lettering { anchor: HPos::Right, ..small };
        pen.text(&state, (right_border, margin + 0.027 * size), right)?;
        let p = &self.grid().provenance;
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
            pen.text(&author, (left_border, second), small)?;
            used = small.width(&author) + 0.03 * size;
        }
        if let Some(source) = &p.source {
            let font = Lettering { em: 0.0155 * size, ..right };
            // The scheme says nothing to a reader.
            let source = source.trim_start_matches("http://").trim_start_matches("https://");
            pen.text(&font.fit(source, room - used), (right_border, second), font)?;
        }
        Ok(())
    }

    fn legend<B: DrawingBackend>(&self, pen: &mut Pen<B>) -> DrawResult<B> {
        let size = self.layout.size;
        let (left_border, right_border) = self.borders();
        let font = Lettering { em: 0.0155 * size, bold: false, colour: self.palette.faint, anchor: HPos::Left };
        let cell = 0.030 * size;
        let y = self.layout.legend + 0.034 * size;
        let baseline = y + DIGIT_HEIGHT / 2.0 * font.em;
        let mut x = left_border + CROSS_RADIUS * cell;
        pen.disc((x, y), CROSS_RADIUS * cell, self.palette.cross)?;
        x += 0.015 * size;
        let label = if self.grid().start.is_cross() { "starting cross" } else { "start" };
        pen.text(label, (x, baseline), font)?;
        x += font.width(label) + 0.034 * size;
        let score = self.grid().score();
        if score > 0 {
            const STEPS: usize = 40;
            self.numbered(pen, (x, y), 1, self.colour(0), cell)?;
            let (start, length) = (x + 0.018 * size, 0.09 * size);
            let last = (score - 1) as f64 / (self.view.whole.max(2) - 1) as f64;
            for step in 0..STEPS {
                // Each piece goes on to the end under the next ones, so that no seam shows.
                let from = start + length * step as f64 / STEPS as f64;
                let colour = self.palette.age(last * (step as f64 + 0.5) / STEPS as f64);
                pen.line((from, y), (start + length, y), STROKE * cell * 1.6, colour)?;
            }
            x = start + length + 0.018 * size;
            self.numbered(pen, (x, y), score, self.colour(score - 1), cell)?;
            x += 0.018 * size;
            let label = "moves in order";
            pen.text(label, (x, baseline), font)?;
            x += font.width(label) + 0.034 * size;
        }
        if !self.candidates.is_empty() {
            self.dashed(pen, (x, y), (x + 0.05 * size, y), cell)?;
            self.candidate(pen, (x + 0.025 * size, y), cell)?;
            pen.text("legal moves", (x + 0.062 * size, baseline), font)?;
        }
        let right = Lettering { anchor: HPos::Right, ..font };
        let text = match self.differences() {
            Some((_, 0)) => "no line is only here".to_owned(),
            Some((_, 1)) => "broad: the 1 line only here".to_owned(),
            Some((_, count)) => format!("broad: the {count} lines only here"),
            None => "Morpion Solitaire".to_owned(),
        };
        pen.text(&right.fit(&text, right_border - x), (right_border, baseline), right)
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
    fn candidates_are_drawn_with_a_part_of_a_grid() {
        let grid = known().unwrap().swap_remove(0).grid;
        let svg = |view: &DrawnGrid| {
            String::from_utf8(render_view(view, PictureFormat::Svg, GridPictureOptions::default()).unwrap()).unwrap()
        };
        let part = DrawnGrid { grid: grid.prefix(60).unwrap(), whole: grid.score(), candidates: true };
        let shown = svg(&part);
        assert!(shown.contains("5T \u{b7} 60 of 178 moves") && shown.contains("legal moves\n"), "{}", &shown[..300]);
        let without = svg(&DrawnGrid { candidates: false, ..part.clone() });
        assert!(!without.contains("legal moves\n"));
        // Three dashes or more and two discs for each candidate.
        let more = |what: &str| shown.matches(what).count() - without.matches(what).count();
        let left = part.grid.moves_left().unwrap();
        assert!(left > 3 && more("<line") > 3 * left && more("<circle") >= 2 * left, "{left}");
        let start = DrawnGrid { grid: Grid::new(Variant::D4, Vec::new()), whole: 0, candidates: true };
        assert!(svg(&start).contains("legal moves"));
    }

    #[test]
    fn two_grids_stand_side_by_side() {
        let records = known().unwrap();
        let grid = |name: &str| records.iter().find(|record| record.is_called(name)).unwrap().grid.clone();
        let pair = |a: Grid, b: Grid, size: u32, picture| {
            let options = GridPictureOptions { size, ..GridPictureOptions::default() };
            render_pair([&a.into(), &b.into()], picture, options).unwrap()
        };
        let rosin = grid("5T-178-rosin");
        let mut other = rosin.clone();
        other.moves.truncate(176);
        let text = String::from_utf8(pair(rosin.clone(), other, 1400, PictureFormat::Svg)).unwrap();
        assert!(text.contains("the 2 lines only here") && text.contains("no line is only here"));
        assert!(text.contains("178 moves | 5T") && text.matches("starting cross").count() == 2);
        let far = String::from_utf8(pair(rosin, grid("5D-82-rosin"), 1400, PictureFormat::Svg)).unwrap();
        assert!(!far.contains("only here"));
        for size in [300, 1400] {
            let bytes = pair(grid("5T-170-bruneau"), grid("4D-35-hyyroporanen"), size, PictureFormat::Png);
            let info = png::Decoder::new(&bytes[..]).read_info().unwrap().info().size();
            assert!(info.0 > info.1 && info.0 <= size && info.0 > size - 8, "{info:?}");
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

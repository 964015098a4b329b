//! A small picture of a grid made of characters: each holds a few dots, 2 by 4 as a braille pattern or 1 by 2 as half
//! blocks. The distance of two points is the largest whole number of dots that fits.
//!
//! Where there is little room, points are squares and lines are left out: they would fill all that is between.

use crate::morpion::geometry::Point;
use crate::notation::grid::Grid;

/// Longest distance of two neighbouring points, in dots: larger pictures show nothing more.
const WIDEST: i32 = 6;

/// From this distance on, lines are drawn.
const LINES: i32 = 4;

/// A point on lines: a cross of dots.
const LARGE: [(i32, i32); 5] = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)];

/// How many colours tell the age of a move.
pub const AGES: usize = 4;

/// What the characters are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dots {
    /// Braille patterns: eight dots.
    Braille,
    /// Half blocks, for terminals without braille patterns.
    HalfBlocks,
}

impl Dots {
    /// Dots of a character, side by side and one above the other.
    const fn size(self) -> (i32, i32) {
        match self {
            Dots::Braille => (2, 4),
            Dots::HalfBlocks => (1, 2),
        }
    }

    /// The character with these dots: bit `2 * row + column`.
    fn character(self, dots: u8) -> char {
        match self {
            Dots::Braille => {
                // Unicode numbers the upper three rows by columns, then the lowest one.
                const BITS: [u32; 8] = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80];
                let pattern: u32 = (0..8).filter(|&dot| dots >> dot & 1 == 1).map(|dot| BITS[dot]).sum();
                if pattern == 0 { ' ' } else { char::from_u32(0x2800 + pattern).unwrap_or(' ') }
            }
            Dots::HalfBlocks => [' ', '\u{2580}', '\u{2584}', '\u{2588}'][usize::from(dots & 1 | dots >> 1 & 2)],
        }
    }
}

/// What a character belongs to, as far as its colour tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ink {
    /// A point of the start.
    #[default]
    Cross,
    /// A move of this age, from 0 (early) to `AGES - 1` (late).
    Move(usize),
    /// The last move.
    Last,
}

/// A picture made of characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CharacterPicture {
    /// Its rows, all of the same length.
    pub rows: Vec<Vec<(char, Ink)>>,
}

impl CharacterPicture {
    /// Characters of a row.
    pub fn width(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }
}

/// The age of move `number` (from 1) of so many, from 0 (early) to `AGES - 1` (late).
pub fn age(number: usize, of: usize) -> usize {
    (number * AGES / (of + 1)).min(AGES - 1)
}

/// Draws a grid with at most so many characters; `None` if it needs more.
pub fn draw(grid: &Grid, dots: Dots, columns: usize, rows: usize) -> Option<CharacterPicture> {
    let (bounds, (across, down)) = (grid.bounds(), dots.size());
    let limit = |characters: usize, each: i32| i32::try_from(characters).unwrap_or(i32::MAX).saturating_mul(each);
    let (room_across, room_down) = (limit(columns, across), limit(rows, down));
    // A point reaches so far before and behind its place.
    let reach = |step: i32| if step >= LINES { (1, 1) } else { (0, (step - 2).max(0)) };
    let length = |points: i32, step: i32| (points - 1) * step + 1 + reach(step).0 + reach(step).1;
    let fits =
        |&step: &i32| length(bounds.columns(), step) <= room_across && length(bounds.rows(), step) <= room_down;
    let step = (1..=WIDEST).rev().find(fits)?;
    let size = |points: i32, each: i32| (length(points, step) as usize).div_ceil(each as usize);
    let (width, height) = (size(bounds.columns(), across), size(bounds.rows(), down));
    let mut cells = vec![vec![(0u8, Ink::Cross); width]; height];
    let mut dot = |(x, y): (i32, i32), ink: Ink| {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        let (across, down) = (across as usize, down as usize);
        if let Some(cell) = cells.get_mut(y / down).and_then(|row| row.get_mut(x / across)) {
            *cell = (cell.0 | 1 << (2 * (y % down) + x % across), ink);
        }
    };
    let (before, behind) = reach(step);
    let place = |point: Point| ((point.x() - bounds.left) * step + before, (point.y() - bounds.top) * step + before);
    let square: Vec<(i32, i32)> = (0..=behind).flat_map(|dy| (0..=behind).map(move |dx| (dx, dy))).collect();
    let shape = if step >= LINES { &LARGE[..] } else { &square };
    let mark = |point: Point, ink: Ink, dot: &mut dyn FnMut((i32, i32), Ink)| {
        let (x, y) = place(point);
        shape.iter().for_each(|&(dx, dy)| dot((x + dx, y + dy), ink));
    };
    grid.start.points(grid.variant).into_iter().for_each(|point| mark(point, Ink::Cross, &mut dot));
    let score = grid.score();
    for (number, mv) in (1..).zip(&grid.moves) {
        let ink = if number == score { Ink::Last } else { Ink::Move(age(number, score)) };
        if step >= LINES {
            let ((x, y), (dx, dy)) = (place(mv.line().first()), mv.direction().delta());
            let length = (grid.variant.line_len() as i32 - 1) * step;
            (0..=length).for_each(|n| dot((x + n * dx, y + n * dy), ink));
        }
        mark(mv.point(), ink, &mut dot);
    }
    let character = |(bits, ink): (u8, Ink)| (dots.character(bits), ink);
    let rows = cells.into_iter().map(|row| row.into_iter().map(character).collect()).collect();
    Some(CharacterPicture { rows })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morpion::geometry::cross;
    use crate::morpion::variant::Variant;
    use crate::notation::records::known;

    fn text(picture: &CharacterPicture) -> String {
        picture.rows.iter().map(|row| row.iter().map(|(c, _)| c).collect::<String>() + "\n").collect()
    }

    #[test]
    fn the_cross_looks_as_it_is() {
        let cross = Grid::new(Variant::D4, Vec::new());
        // 7 by 7 points, one dot each.
        let picture = draw(&cross, Dots::HalfBlocks, 7, 4).unwrap();
        assert_eq!(text(&picture), "  █▀█  \n█▀▀ ▀▀█\n▀▀█ █▀▀\n  ▀▀▀  \n");
        assert_eq!(draw(&cross, Dots::HalfBlocks, 7, 3), None);
        // Two dots apart: 13 by 13.
        let picture = draw(&cross, Dots::Braille, 7, 4).unwrap();
        assert_eq!((picture.width(), picture.rows.len()), (7, 4));
    }

    #[test]
    fn every_grid_fits_or_is_refused() {
        for record in known().unwrap() {
            for dots in [Dots::Braille, Dots::HalfBlocks] {
                for (columns, rows) in [(0, 0), (1, 1), (10, 5), (22, 9), (40, 12), (60, 30), (500, 200)] {
                    let Some(picture) = draw(&record.grid, dots, columns, rows) else {
                        assert!(columns < 60, "{} in {columns} x {rows}", record.name);
                        continue;
                    };
                    assert!(picture.width() <= columns && picture.rows.len() <= rows, "{}", record.name);
                    assert!(picture.rows.iter().all(|row| row.len() == picture.width()));
                }
            }
        }
    }

    /// The number of dots is known by hand where points are one dot apart: that of the points.
    #[test]
    fn each_point_is_a_dot() {
        for record in known().unwrap() {
            let bounds = record.grid.bounds();
            let (columns, rows) = ((bounds.columns() as usize).div_ceil(2), (bounds.rows() as usize).div_ceil(4));
            let picture = draw(&record.grid, Dots::Braille, columns, rows).unwrap();
            let dots = picture
                .rows
                .iter()
                .flatten()
                .filter(|(c, _)| *c != ' ')
                .map(|&(c, _)| (c as u32 & 0xff).count_ones());
            assert_eq!(
                dots.sum::<u32>() as usize,
                cross(record.grid.variant).len() + record.grid.score(),
                "{}",
                record.name
            );
        }
    }

    #[test]
    fn the_last_move_has_a_colour_of_its_own() {
        let grid = known().unwrap().swap_remove(0).grid;
        let picture = draw(&grid, Dots::Braille, 60, 30).unwrap();
        let inks: Vec<Ink> = picture.rows.iter().flatten().filter(|(c, _)| *c != ' ').map(|&(_, ink)| ink).collect();
        assert!(inks.contains(&Ink::Last));
        assert!((0..AGES).all(|age| inks.contains(&Ink::Move(age))));
        assert_eq!([1, 45, 90, 178].map(|number| age(number, 178)), [0, 1, 2, 3]);
    }
}

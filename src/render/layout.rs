//! Where things go in the picture of a grid, in pixels.
//!
//! The box around the grid fills the picture; a title above it tells variant, score and author, a legend below it
//! explains the marks and names the source. The longer side of the picture has the size asked for, the shorter side
//! follows the grid but is at least three quarters of it.

use crate::morpion::geometry::Point;
use crate::notation::grid::BoundingBox;

/// Shorter side of a picture divided by the longer one, at least.
const SLIMMEST: f64 = 0.75;

/// Heights of title and legend and width of the margins, as parts of the size.
const TITLE: f64 = 0.078;
const LEGEND: f64 = 0.048;
const MARGIN: f64 = 0.035;

/// Space around the outermost points, in cells.
const PADDING: f64 = 0.75;

/// A computed layout. All lengths are in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layout {
    /// Left edge of the picture.
    pub left: f64,
    /// Width of the picture.
    pub width: f64,
    /// Height of the picture.
    pub height: f64,
    /// Longer side: what sizes of text follow.
    pub size: f64,
    /// Distance of neighbouring points.
    pub cell: f64,
    /// Margin on all sides.
    pub margin: f64,
    /// Top of the legend.
    pub legend: f64,
    /// The board with its padding: left, top, right, bottom.
    pub board: (f64, f64, f64, f64),
    /// The box around all points that are drawn.
    pub bounds: BoundingBox,
    origin: (f64, f64),
}

impl Layout {
    /// The layout of a grid within `bounds` whose picture's longer side is `size` pixels long.
    pub fn new(bounds: BoundingBox, size: u32) -> Layout {
        let size = f64::from(size);
        let (title, legend, margin) = (size * TITLE, size * LEGEND, size * MARGIN);
        let cells = |n: i32| f64::from(n - 1) + 2.0 * PADDING;
        let (columns, rows) = (cells(bounds.columns()), cells(bounds.rows()));
        let room = size - 2.0 * margin;
        let cell = (room / columns).min((room - title - legend) / rows);
        let (board_width, board_height) = (columns * cell, rows * cell);
        let height = (board_height + title + legend + 2.0 * margin).max(SLIMMEST * size).round();
        let width = (board_width + 2.0 * margin).max(SLIMMEST * size).round();
        let left = (width - board_width) / 2.0;
        let top = margin + title + (height - 2.0 * margin - title - legend - board_height) / 2.0;
        Layout {
            left: 0.0,
            width,
            height,
            size,
            cell,
            margin,
            legend: height - margin - legend,
            board: (left, top, left + board_width, top + board_height),
            bounds,
            origin: (left + PADDING * cell, top + PADDING * cell),
        }
    }

    /// The same at a place so far to the right, as a part of a wider picture.
    pub fn moved(self, distance: f64) -> Layout {
        let (left, top, right, bottom) = self.board;
        Layout {
            left: self.left + distance,
            board: (left + distance, top, right + distance, bottom),
            origin: (self.origin.0 + distance, self.origin.1),
            ..self
        }
    }

    /// Centre of a point.
    pub fn at(&self, point: Point) -> (f64, f64) {
        let (column, row) = (point.x() - self.bounds.left, point.y() - self.bounds.top);
        (self.column(column), self.row(row))
    }

    /// Horizontal place of the column that is `n` right of the leftmost one.
    pub fn column(&self, n: i32) -> f64 {
        self.origin.0 + f64::from(n) * self.cell
    }

    /// Vertical place of the row that is `n` below the topmost one.
    pub fn row(&self, n: i32) -> f64 {
        self.origin.1 + f64::from(n) * self.cell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_fits_into_the_size() {
        for (columns, rows) in [(10, 10), (17, 21), (22, 15), (60, 60), (60, 1), (1, 60), (7, 7)] {
            for size in [200, 1400, 8000] {
                let bounds = BoundingBox { left: 0, top: 0, right: columns - 1, bottom: rows - 1 };
                let layout = Layout::new(bounds, size);
                let (left, top, right, bottom) = layout.board;
                let longer = layout.width.max(layout.height);
                assert!(longer <= f64::from(size) + 1.0 && longer >= f64::from(size) - 2.0, "{layout:?}");
                assert!(left >= layout.margin - 1.0 && right <= layout.width - layout.margin + 1.0, "{layout:?}");
                assert!(top >= layout.margin && bottom <= layout.legend + 1.0, "{layout:?}");
            }
        }
    }
}

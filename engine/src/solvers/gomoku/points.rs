//! Sets of points of a board.

use crate::games::gomoku::board::POINTS;

/// A set of points, a bit for each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GomokuPoints([u64; POINTS.div_ceil(64)]);

impl GomokuPoints {
    /// Adds a point.
    #[inline]
    pub fn add(&mut self, point: u16) {
        self.0[usize::from(point) / 64] |= 1 << (point % 64);
    }

    /// Whether a point is in the set.
    #[inline]
    pub fn has(&self, point: u16) -> bool {
        self.0[usize::from(point) / 64] >> (point % 64) & 1 == 1
    }

    /// Adds all points of another set.
    pub fn join(&mut self, other: &GomokuPoints) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
    }
}

impl FromIterator<u16> for GomokuPoints {
    fn from_iter<I: IntoIterator<Item = u16>>(points: I) -> GomokuPoints {
        let mut set = GomokuPoints::default();
        points.into_iter().for_each(|point| set.add(point));
        set
    }
}

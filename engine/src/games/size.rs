//! The size of a board: columns and rows within limits. A game names its boards by an alias with its limits, and adds
//! how their points are numbered and named.

/// Width and height of a board, each at least `LEAST` and at most `GREATEST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BoardSize<const LEAST: u8, const GREATEST: u8> {
    width: u8,
    height: u8,
}

/// A size that no board has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no {width}x{height} board for {user}: width and height are {least} to {greatest}")]
pub struct BoardSizeError {
    width: u8,
    height: u8,
    least: u8,
    greatest: u8,
    user: &'static str,
}

impl<const LEAST: u8, const GREATEST: u8> BoardSize<LEAST, GREATEST> {
    /// The greatest board.
    pub const FULL: Self = Self { width: GREATEST, height: GREATEST };

    /// A board of `width` columns and `height` rows for `user`, which messages name: "gomoku".
    ///
    /// # Errors
    /// A width or height outside the limits.
    pub(super) fn within(width: u8, height: u8, user: &'static str) -> Result<Self, BoardSizeError> {
        let sizes = LEAST..=GREATEST;
        match sizes.contains(&width) && sizes.contains(&height) {
            true => Ok(Self { width, height }),
            false => Err(BoardSizeError { width, height, least: LEAST, greatest: GREATEST, user }),
        }
    }

    /// The square board of `SIDE` columns and rows, known to the compiler to be within the limits.
    pub(super) const fn square_of<const SIDE: u8>() -> Self {
        const { assert!(LEAST <= SIDE && SIDE <= GREATEST) }
        Self { width: SIDE, height: SIDE }
    }

    /// Number of columns.
    #[inline]
    pub fn width(self) -> u8 {
        self.width
    }

    /// Number of rows.
    #[inline]
    pub fn height(self) -> u8 {
        self.height
    }

    /// Number of points.
    #[inline]
    pub fn area(self) -> u16 {
        u16::from(self.width) * u16::from(self.height)
    }

    /// Whether there is a point in column `x` and row `y`, both from 0.
    #[inline]
    pub fn has(self, x: u8, y: u8) -> bool {
        x < self.width && y < self.height
    }
}

impl<const LEAST: u8, const GREATEST: u8> std::fmt::Display for BoardSize<LEAST, GREATEST> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_within_their_limits() {
        type Small = BoardSize<2, 4>;
        for (width, height) in (0..7).flat_map(|width| (0..7).map(move |height| (width, height))) {
            let size = Small::within(width, height, "a test");
            let is_within = (2..=4).contains(&width) && (2..=4).contains(&height);
            assert_eq!(size.is_ok(), is_within);
            if let Ok(size) = size {
                assert_eq!((size.width(), size.height(), size.area()), (width, height, (width * height).into()));
                assert!(size.has(width - 1, height - 1) && !size.has(width, 0) && !size.has(0, height));
                assert_eq!(size.to_string(), format!("{width}x{height}"));
            }
        }
        let error = Small::within(5, 1, "a test").unwrap_err().to_string();
        assert_eq!(error, "there is no 5x1 board for a test: width and height are 2 to 4");
        assert_eq!((Small::FULL, Small::square_of::<4>()), (Small::within(4, 4, "").unwrap(), Small::FULL));
    }
}

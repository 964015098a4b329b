//! The points that renju forbids to black (rules of the Renju International Federation, section 9).
//!
//! A stone that makes exactly five is always allowed. Else it may not make a row of six or more (overline), two fours
//! at once, or two threes at once. A *four* is four stones that one more makes exactly five; a *straight four* is
//! four stones in an unbroken row that can become five at both ends, and counts once. A *three* is three stones that
//! one more makes a straight four, without making a five elsewhere. It counts only if black may play there: the point
//! must not be forbidden itself once the stone in question lies, which is asked by recursion.

use super::board::GomokuBoard;
use super::lines::{DIRECTIONS, LINES, LineBits, line, of_board, place_on, run, toggle};
use crate::core::game::Side;

/// Length of the row that wins.
const FIVE: u32 = 5;

/// The stones of a position, for asking which points are forbidden.
#[derive(Debug, Clone)]
pub struct RenjuStones {
    black: LineBits,
    /// The points without a white stone.
    free: LineBits,
}

/// What a black stone makes on one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Row {
    Five,
    Overline,
    Other,
}

impl RenjuStones {
    /// The stones of a position on a board.
    pub fn new(board: GomokuBoard, black: &LineBits, white: &LineBits) -> RenjuStones {
        let points = of_board(board);
        let mut free = [0; LINES];
        for (free, (points, white)) in free.iter_mut().zip(points.iter().zip(white)) {
            *free = points & !white;
        }
        RenjuStones { black: *black, free }
    }

    /// Puts a stone on an empty place, or takes away one that lies there.
    #[inline]
    pub fn toggle(&mut self, place: (u8, u8), colour: Side) {
        toggle(if colour == Side::First { &mut self.black } else { &mut self.free }, place);
    }

    /// Whether black may not play on an empty place of the board.
    pub fn is_forbidden(&mut self, place: (u8, u8)) -> bool {
        // Most points are far from everything.
        if !self.has_company(place) {
            return false;
        }
        toggle(&mut self.black, place);
        let forbidden = self.is_foul(place);
        toggle(&mut self.black, place);
        forbidden
    }

    /// Whether two lines through the place have two or more black stones near it each, or one has four: less makes
    /// neither two threes nor two fours nor an overline.
    fn has_company(&self, place: (u8, u8)) -> bool {
        let (mut most, mut lines) = (0, 0);
        for direction in 0..DIRECTIONS {
            let (number, bit) = line(direction, place);
            let near = (u64::from(self.black[number]) << 8 >> (bit + 3)) & 0x7FF;
            let count = near.count_ones();
            most = most.max(count);
            lines += u32::from(count >= 2);
        }
        lines >= 2 || most >= 4
    }

    /// Whether the black stone that has just been put there is a foul.
    fn is_foul(&mut self, place: (u8, u8)) -> bool {
        let rows: [Row; DIRECTIONS] = std::array::from_fn(|direction| self.row(direction, place));
        if rows.contains(&Row::Five) {
            return false;
        }
        if rows.contains(&Row::Overline) {
            return true;
        }
        let fours: u32 = (0..DIRECTIONS).map(|direction| self.fours(direction, place)).sum();
        if fours >= 2 {
            return true;
        }
        let mut threes = 0;
        for direction in 0..DIRECTIONS {
            threes += u32::from(self.is_three(direction, place));
        }
        threes >= 2
    }

    fn row(&self, direction: usize, place: (u8, u8)) -> Row {
        let (number, bit) = line(direction, place);
        let (first, last) = run(self.black[number], bit);
        match (last - first + 1).cmp(&FIVE) {
            std::cmp::Ordering::Less => Row::Other,
            std::cmp::Ordering::Equal => Row::Five,
            std::cmp::Ordering::Greater => Row::Overline,
        }
    }

    /// How many fours the stone has on its line: two that share all stones are one.
    fn fours(&self, direction: usize, place: (u8, u8)) -> u32 {
        let (number, bit) = line(direction, place);
        let (black, empty) = (self.black[number], self.free[number] & !self.black[number]);
        let (mut count, mut earlier) = (0, None::<u32>);
        for at in bit.saturating_sub(FIVE - 1)..bit + FIVE {
            if empty >> at & 1 == 0 {
                continue;
            }
            let (first, last) = run(black | 1 << at, bit);
            if (first..=last).contains(&at) && last - first + 1 == FIVE {
                // The two ends of a straight four are five apart.
                count += u32::from(earlier.is_none_or(|end| end + FIVE != at));
                earlier = Some(at);
            }
        }
        count
    }

    /// Whether the stone is part of a three on its line that counts.
    fn is_three(&mut self, direction: usize, place: (u8, u8)) -> bool {
        let (number, bit) = line(direction, place);
        let (black, empty) = (self.black[number], self.free[number] & !self.black[number]);
        for at in bit.saturating_sub(FIVE - 2)..bit + FIVE - 1 {
            if empty >> at & 1 == 0 {
                continue;
            }
            let (first, last) = run(black | 1 << at, bit);
            if !(first..=last).contains(&at) || last - first + 1 != FIVE - 1 {
                continue;
            }
            // Both ends are empty, and no black stone lies behind them.
            let wide = |bits: u32| u64::from(bits) << 2;
            let ends = 1u64 << (first + 1) | 1 << (last + 3);
            let behind = 1u64 << first | 1 << (last + 4);
            if wide(empty) & ends == ends && wide(black) & behind == 0 && self.is_open(place_on(direction, place, at))
            {
                return true;
            }
        }
        false
    }

    /// Whether black may put a stone there, which makes no five.
    fn is_open(&mut self, place: (u8, u8)) -> bool {
        toggle(&mut self.black, place);
        let is_five = (0..DIRECTIONS).any(|direction| self.row(direction, place) == Row::Five);
        let open = !is_five && !self.is_foul(place);
        toggle(&mut self.black, place);
        open
    }
}

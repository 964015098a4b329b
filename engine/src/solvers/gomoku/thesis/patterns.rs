//! The patterns: five points in a line as a number with two bits a point, which is an index into a table.
//!
//! A point is 0 if it is empty, 1 if it has a stone of the side that is asked about, 2 if it has one of the other. So
//! the greatest key is that of `22222`, 682. One pass along each line keeps the key of the last five points.

use crate::core::game::{Game, Value};
use crate::games::gomoku::lines::{LINES, place_of};
use crate::games::gomoku::position::GomokuPosition;

/// Points of a pattern, and stones of the row that wins.
pub const PATTERN_ROW: u8 = 5;
/// How many keys there are.
pub const KEYS: usize = 683;
/// The two bits of each of the last five points.
const MASK: usize = (1 << (2 * PATTERN_ROW as usize)) - 1;

/// Patterns of a side with what they are worth to it, as the thesis has them.
pub const VALUED: [(&str, Value); 9] = [
    ("01111", 220),
    ("11110", 220),
    ("11011", 200),
    ("10111", 200),
    ("11101", 200),
    ("01110", 120),
    ("01100", 20),
    ("00110", 20),
    ("01010", 20),
];

/// The number of a pattern as text.
pub fn key_of(pattern: &str) -> usize {
    pattern.bytes().fold(0, |key, point| key << 2 | usize::from(point - b'0'))
}

/// What a key says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pattern {
    /// What it is worth to the side that is 1; less than 0 if the other side has the stones.
    pub value: Value,
    /// Whether its empty points are moves.
    pub is_searched: bool,
}

/// What the patterns of a position are worth to the side to move and to the other one, each from 0 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PatternSums {
    /// To the side to move.
    pub own: Value,
    /// To the other one.
    pub enemy: Value,
}

/// The table of all keys.
#[derive(Debug, Clone)]
pub struct PatternTable(Box<[Pattern; KEYS]>);

impl PatternTable {
    /// The table of the thesis. Searched and worth nothing are what can still become a row of its side: two or three
    /// stones in another order, and one in the middle.
    pub fn usual() -> PatternTable {
        let mut table = Box::new([Pattern::default(); KEYS]);
        for key in 0..KEYS {
            let points: Vec<usize> = (0..5).map(|i| key >> (2 * i) & 3).collect();
            let count = |of: usize| points.iter().filter(|&&point| point == of).count();
            let (own, enemy) = (count(1), count(2));
            let is_middle = points[2] != 0 && own + enemy == 1;
            let is_of_one = own * enemy == 0 && own + enemy + count(0) == points.len();
            table[key].is_searched = is_of_one && (is_middle || (2..=4).contains(&(own + enemy)));
        }
        for (pattern, value) in VALUED {
            table[key_of(pattern)].value = value;
            table[key_of(&pattern.replace('1', "2"))].value = -value;
        }
        PatternTable(table)
    }

    /// What a key says.
    pub fn get(&self, key: usize) -> Pattern {
        self.0[key]
    }

    /// Calls back for each five points in a line: with the number of the line, the bit of the last one, and the key
    /// for the side to move. Nothing is carried from one line to the next.
    fn for_each_key(position: &GomokuPosition, mut found: impl FnMut(usize, u32, usize)) {
        let (own, enemy) = (position.lines(position.side()), position.lines(position.side().other()));
        let points = position.board_lines();
        for line in 0..LINES {
            if points[line].count_ones() < u32::from(PATTERN_ROW) || own[line] | enemy[line] == 0 {
                continue;
            }
            let first = points[line].trailing_zeros();
            let mut key = 0;
            for bit in first..first + points[line].count_ones() {
                let point = (own[line] >> bit & 1) | (enemy[line] >> bit & 1) << 1;
                key = (key << 2 | point as usize) & MASK;
                if bit - first + 1 >= u32::from(PATTERN_ROW) {
                    found(line, bit, key);
                }
            }
        }
    }

    /// What the patterns of a position are worth.
    pub fn sums(&self, position: &GomokuPosition) -> PatternSums {
        let mut sums = PatternSums::default();
        PatternTable::for_each_key(position, |_, _, key| match self.0[key].value {
            value @ 1.. => sums.own += value,
            value => sums.enemy -= value,
        });
        sums
    }

    /// The points that are empty in patterns, those in the most valuable ones first, then by their numbers.
    pub fn points(&self, position: &GomokuPosition) -> Vec<u16> {
        let board = position.board();
        let mut ranks = [None::<Value>; crate::games::gomoku::board::POINTS];
        PatternTable::for_each_key(position, |line, last, key| {
            let Pattern { value, is_searched } = self.0[key];
            if !is_searched {
                return;
            }
            for back in (0..u32::from(PATTERN_ROW)).filter(|back| key >> (2 * back) & 3 == 0) {
                let (x, y) = place_of(line, last - back);
                if let Some(rank) = board.point(x, y).and_then(|point| ranks.get_mut(usize::from(point))) {
                    *rank = Some(rank.unwrap_or(0) + value.abs());
                }
            }
        });
        let mut points: Vec<(Value, u16)> =
            (0..).zip(ranks).filter_map(|(point, rank)| Some((rank?, point))).collect();
        points.sort_by_key(|&(rank, point)| (-rank, point));
        points.into_iter().map(|(_, point)| point).collect()
    }
}

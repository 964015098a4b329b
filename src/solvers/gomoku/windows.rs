//! Windows with their stones and flanks, kept up to date move by move.
//!
//! A window is as many points in a line as win; its flanks are the points next to its two ends. A window with all
//! stones but one, none of the other side, and flanks that do not spoil the row is a *four*: its empty point makes a
//! row that wins. One stone less, and it is a *three*: either of its empty points makes a four with the other one to
//! complete it. (The words are those for rows of five.) So all moves that make fours are read off sets of windows.
//!
//! A stone changes the counts of the windows that it lies in and of those that it flanks: at most 28 for rows of
//! five. Each change is an addition to a code, a look into a table of classes and, if the class changed, two bits.

use crate::core::game::Side;
use crate::games::gomoku::board::{GREATEST, GomokuBoard, POINTS};
use crate::games::gomoku::position::GomokuPosition;
use crate::games::gomoku::rules::{GomokuRules, RowRule};

/// Greatest length of a row that windows are kept for.
pub const LONGEST: u8 = 7;
/// Least length of such a row.
pub const SHORTEST: u8 = 3;

/// Words of a set of windows: there are most on the greatest board, for the shortest rows.
const WORDS: usize = 24;
/// Classes of windows, with one for those of no interest.
const CLASSES: usize = 5;
/// Codes of windows: counts of three bits for either colour, flanks of two.
const CODES: usize = 1 << 10;
/// Shifts of the counts in a code: black and white stones, black and white flanks.
const STONES: [u32; 2] = [0, 3];
const FLANKS: [u32; 2] = [6, 8];

/// What a window is, if it is anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowClass {
    /// One stone is missing.
    Four,
    /// Two stones are missing.
    Three,
}

/// A set of windows, by their numbers.
pub type WindowSet = [u64; WORDS];

/// The windows of a board: which points they have, and which windows a point is in or next to.
#[derive(Debug)]
pub struct WindowTable {
    board: GomokuBoard,
    rules: GomokuRules,
    /// Points of each window.
    points: Vec<[u16; LONGEST as usize]>,
    /// For each point the windows that it is in, then those that it flanks: from `first[point]` on.
    of_points: Vec<u16>,
    first: Vec<(u16, u16, u16)>,
    /// Class of each code, see [`class_index`].
    classes: [u8; CODES],
    words: usize,
}

/// Rules that windows are not kept for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WindowsError {
    /// Enemy stones at both ends spoil a row, so fours can be answered in more than one way.
    #[error("caro is not supported here: expected the rule five, free or renju")]
    Caro,
    /// Rows that are too short or too long.
    #[error("rows of {0} are not supported here: expected {SHORTEST} to {LONGEST}")]
    Length(u8),
}

/// Where the set of a colour's windows of a class is; 0 is for all others.
const fn class_index(colour: usize, class: WindowClass) -> usize {
    match class {
        WindowClass::Four => 1 + colour,
        WindowClass::Three => 3 + colour,
    }
}

const fn index(side: Side) -> usize {
    match side {
        Side::First => 0,
        Side::Second => 1,
    }
}

impl WindowTable {
    /// The windows of a board.
    ///
    /// # Errors
    /// Rules that windows are not kept for.
    pub fn new(board: GomokuBoard, rules: GomokuRules) -> Result<WindowTable, WindowsError> {
        let win = rules.win();
        if rules.rule() == RowRule::Caro {
            return Err(WindowsError::Caro);
        }
        if !(SHORTEST..=LONGEST).contains(&win) {
            return Err(WindowsError::Length(win));
        }
        let (mut points, mut inside, mut beside) = (Vec::new(), vec![Vec::new(); POINTS], vec![Vec::new(); POINTS]);
        for (dx, dy) in [(1i8, 0i8), (0, 1), (1, 1), (1, -1)] {
            for start in board.points() {
                let (x, y) = board.place(start);
                let at = |step: i8| board.point(x.checked_add_signed(dx * step)?, y.checked_add_signed(dy * step)?);
                let window: Option<Vec<u16>> = (0..win as i8).map(at).collect();
                let Some(window) = window else { continue };
                let number = points.len() as u16;
                let mut padded = [0; LONGEST as usize];
                padded[..window.len()].copy_from_slice(&window);
                points.push(padded);
                window.iter().for_each(|&point| inside[usize::from(point)].push(number));
                [at(-1), at(win as i8)].into_iter().flatten().for_each(|p| beside[usize::from(p)].push(number));
            }
        }
        let (mut of_points, mut first) = (Vec::new(), Vec::new());
        for (inside, beside) in inside.iter().zip(&beside) {
            let begin = of_points.len() as u16;
            of_points.extend(inside);
            let middle = of_points.len() as u16;
            of_points.extend(beside);
            first.push((begin, middle, of_points.len() as u16));
        }
        let words = points.len().div_ceil(64);
        Ok(WindowTable { board, rules, points, of_points, first, classes: classes(rules), words })
    }

    /// The board that has these windows.
    pub fn board(&self) -> GomokuBoard {
        self.board
    }

    /// The rules by which windows are judged.
    pub fn rules(&self) -> GomokuRules {
        self.rules
    }

    /// The points of a window.
    #[inline]
    fn points_of(&self, window: usize) -> &[u16] {
        &self.points[window][..usize::from(self.rules.win())]
    }
}

/// The class of each code.
fn classes(rules: GomokuRules) -> [u8; CODES] {
    let win = usize::from(rules.win());
    std::array::from_fn(|code| {
        let count = |shift: u32, bits: usize| code >> shift & bits;
        for colour in 0..2 {
            let (own, enemy) = (count(STONES[colour], 7), count(STONES[1 - colour], 7));
            // A flank of the own colour makes the row too long.
            let exact = match rules.rule() {
                RowRule::Five | RowRule::Caro => true,
                RowRule::Free => false,
                RowRule::Renju => colour == 0,
            };
            if enemy > 0 || exact && count(FLANKS[colour], 3) > 0 {
                continue;
            }
            if own + 1 == win {
                return class_index(colour, WindowClass::Four) as u8;
            }
            if own + 2 == win {
                return class_index(colour, WindowClass::Three) as u8;
            }
        }
        0
    })
}

/// A position as windows. The caller plays on empty points only.
#[derive(Debug, Clone)]
pub struct WindowBoard<'a> {
    table: &'a WindowTable,
    codes: Vec<u16>,
    sets: [WindowSet; CLASSES],
    stones: [u8; POINTS],
}

impl<'a> WindowBoard<'a> {
    /// The windows of a position. Its board and rules are those of the table.
    pub fn new(table: &'a WindowTable, position: &GomokuPosition) -> WindowBoard<'a> {
        let mut windows = WindowBoard {
            table,
            codes: vec![0; table.points.len()],
            sets: [[0; WORDS]; CLASSES],
            stones: [0; POINTS],
        };
        // A board of windows with two or more points each has none that is of interest at first, but for the
        // shortest rows.
        let empty = usize::from(table.classes[0]);
        for window in 0..table.points.len() {
            windows.sets[empty][window / 64] |= 1 << (window % 64);
        }
        position.stones().for_each(|(point, colour)| windows.put(point, colour));
        windows
    }

    /// The table of the windows.
    pub fn table(&self) -> &'a WindowTable {
        self.table
    }

    /// Puts a stone on an empty point.
    #[inline]
    pub fn put(&mut self, point: u16, colour: Side) {
        let at = index(colour);
        self.stones[usize::from(point)] = at as u8 + 1;
        self.change(point, 1 << STONES[at], 1 << FLANKS[at]);
    }

    /// Takes away a stone that lies there.
    #[inline]
    pub fn take(&mut self, point: u16, colour: Side) {
        let at = index(colour);
        self.stones[usize::from(point)] = 0;
        self.change(point, 0u16.wrapping_sub(1 << STONES[at]), 0u16.wrapping_sub(1 << FLANKS[at]));
    }

    /// Adds to the codes of the windows that a point is in, and of those that it flanks.
    #[inline]
    fn change(&mut self, point: u16, inside: u16, beside: u16) {
        let table = self.table;
        let (begin, middle, end) = table.first[usize::from(point)];
        let of = |from: u16, to: u16| &table.of_points[usize::from(from)..usize::from(to)];
        for (windows, more) in [(of(begin, middle), inside), (of(middle, end), beside)] {
            for &window in windows {
                let code = &mut self.codes[usize::from(window)];
                let old = table.classes[usize::from(*code) % CODES];
                *code = code.wrapping_add(more);
                let new = table.classes[usize::from(*code) % CODES];
                if old != new {
                    let (word, bit) = (usize::from(window) / 64, 1u64 << (window % 64));
                    self.sets[usize::from(old)][word] ^= bit;
                    self.sets[usize::from(new)][word] ^= bit;
                }
            }
        }
    }

    /// Whether a point has no stone.
    #[inline]
    pub fn is_empty(&self, point: u16) -> bool {
        self.stones[usize::from(point)] == 0
    }

    /// The windows of a class that a colour has.
    #[inline]
    fn set(&self, colour: Side, class: WindowClass) -> &[u64] {
        &self.sets[class_index(index(colour), class)][..self.table.words]
    }

    /// The points where a colour completes a row that wins: two different ones at most. `None` in place of those
    /// that there are not.
    #[inline]
    pub fn completions(&self, colour: Side) -> [Option<u16>; 2] {
        let mut found = [None; 2];
        for (word, &bits) in self.set(colour, WindowClass::Four).iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let window = 64 * word + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let point = self.table.points_of(window).iter().copied().find(|&point| self.is_empty(point));
                if found[0].is_none() {
                    found[0] = point;
                } else if found[0] != point {
                    found[1] = point;
                    return found;
                }
            }
        }
        found
    }

    /// Calls `each` with every move of a colour that makes a four and the point that completes it. A move that makes
    /// several fours comes several times, and a window's two points come one after the other.
    #[inline]
    pub fn fours(&self, colour: Side, mut each: impl FnMut(u16, u16)) {
        for (word, &bits) in self.set(colour, WindowClass::Three).iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let window = 64 * word + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let mut empty = self.table.points_of(window).iter().copied().filter(|&point| self.is_empty(point));
                if let (Some(one), Some(other)) = (empty.next(), empty.next()) {
                    each(one, other);
                    each(other, one);
                }
            }
        }
    }

    /// Whether a stone of a colour on an empty point makes a three that the other colour does not spoil by a stone on
    /// the point `without`. Flanks are not looked at: stones next to the three may spoil it nevertheless.
    #[inline]
    pub fn makes_three(&self, point: u16, without: u16, colour: Side) -> bool {
        let (begin, middle, _) = self.table.first[usize::from(point)];
        let class = class_index(index(colour), WindowClass::Three) as u8;
        self.table.of_points[usize::from(begin)..usize::from(middle)].iter().any(|&window| {
            let code = self.codes[usize::from(window)].wrapping_add(1 << STONES[index(colour)]);
            self.table.classes[usize::from(code) % CODES] == class
                && !self.table.points_of(usize::from(window)).contains(&without)
        })
    }

    /// Calls `each` with the points where a colour makes a four, or could make one if it had stones on the points
    /// `with`, too. Points can come more than once, and some of them are not empty.
    pub fn points_of_fours(&self, colour: Side, with: &[u16], mut each: impl FnMut(u16)) {
        self.fours(colour, |point, _| each(point));
        let (own, enemy) = (STONES[index(colour)], STONES[index(colour.other())]);
        let least = usize::from(self.table.rules.win()) - 2;
        for &point in with {
            let (begin, middle, _) = self.table.first[usize::from(point)];
            for &window in &self.table.of_points[usize::from(begin)..usize::from(middle)] {
                let code = self.codes[usize::from(window)];
                if code >> enemy & 7 != 0 {
                    continue;
                }
                let points = self.table.points_of(usize::from(window));
                let stones = usize::from(code >> own & 7);
                if stones + with.iter().filter(|p| points.contains(p)).count() >= least {
                    points.iter().for_each(|&point| each(point));
                }
            }
        }
    }

    /// Calls `each` with the points of every window without stones of the other colour in which `colour` has so many
    /// stones at least, points of a set counted as if they had one. Points come once for each window.
    pub fn points_of_windows(
        &self,
        colour: Side,
        is_in: impl Fn(u16) -> bool,
        least: usize,
        mut each: impl FnMut(u16),
    ) {
        let (own, enemy) = (STONES[index(colour)], STONES[index(colour.other())]);
        for (window, code) in self.codes.iter().enumerate() {
            let points = self.table.points_of(window);
            let count = usize::from(code >> own & 7) + points.iter().filter(|&&point| is_in(point)).count();
            if code >> enemy & 7 == 0 && count >= least {
                points.iter().for_each(|&point| each(point));
            }
        }
    }

    /// Computes everything anew from the stones of a position.
    ///
    /// # Panics
    /// If it differs.
    pub fn check(&self, position: &GomokuPosition) {
        let win = usize::from(self.table.rules.win());
        for (window, &code) in self.codes.iter().enumerate() {
            let points = self.table.points_of(window);
            let step = |from: u16, to: u16| i32::from(to) - i32::from(from);
            let by = step(points[0], points[1]);
            let place = |point: i32| {
                let on_board = u16::try_from(point).ok().filter(|&point| self.table.board.holds(point))?;
                // A step over the edge of the board is none to a neighbour.
                let (x, _) = self.table.board.place(on_board);
                let near = points.iter().any(|&other| self.table.board.place(other).0.abs_diff(x) <= 1);
                near.then_some(on_board).and_then(|point| position.stone(point))
            };
            let mut anew = 0;
            for &point in points {
                anew += position.stone(point).map_or(0, |colour| 1 << STONES[index(colour)]);
            }
            for end in [i32::from(points[0]) - by, i32::from(points[win - 1]) + by] {
                anew += place(end).map_or(0, |colour| 1 << FLANKS[index(colour)]);
            }
            assert_eq!(usize::from(code), anew, "window {points:?}\n{position}");
            let class = usize::from(self.table.classes[anew]);
            for (other, set) in self.sets.iter().enumerate() {
                assert_eq!(set[window / 64] >> (window % 64) & 1 == 1, other == class, "class of {points:?}");
            }
        }
        for point in self.table.board.points() {
            let stone = [None, Some(Side::First), Some(Side::Second)][usize::from(self.stones[usize::from(point)])];
            assert_eq!(stone, position.stone(point));
        }
        debug_assert!(win <= usize::from(GREATEST));
    }
}

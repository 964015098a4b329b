//! A position with the line tables of all its points.
//!
//! A stone changes one line key of each of the 40 points that are at most five steps away on its lines. Where the
//! class on that line changes, the move code of the point follows, and with it the counts of classes and the sums of
//! weights. What changed is kept, so that the stone that was put last can be taken away again.

use super::classes::{BLACK, EDGE, LineClasses, REACH, WHITE};
use super::codes::{CODES, MOVE_CLASSES, MoveClass, MoveCodes};
use super::weights::{FINE, LineWeights, SETS, SEVERAL, THREATS_OF_SETS, WeightsForm};
use crate::core::game::Side;
use crate::games::gomoku::board::{GREATEST, GomokuBoard};
use crate::games::gomoku::position::GomokuPosition;
use crate::games::gomoku::rules::GomokuRules;

/// Cells of the square that every board lies in, with a margin for keys of points off the board.
const CELLS: usize = 1 << 10;
/// From a cell to the one below it.
const ROW: usize = 32;
/// Words of a set of cells.
const WORDS: usize = CELLS / 64;
/// Steps to the next cell: row, column, falling diagonal, rising diagonal.
const STEPS: [usize; 4] = [1, ROW, ROW + 1, ROW - 1];
/// Greatest length of a row that the tables are made for.
pub const LONGEST: u8 = 5;
/// Least length of such a row.
pub const SHORTEST: u8 = 3;

/// The weakest class whose number of points is weighed.
pub const FIRST_THREAT: usize = MoveClass::BlockedThree as usize;

/// A set of cells.
type CellSet = [u64; WORDS];

/// The tables for a rule: line classes, move codes, weights.
#[derive(Debug)]
pub struct LineTables {
    rules: GomokuRules,
    classes: LineClasses,
    codes: MoveCodes,
    weights: LineWeights,
    /// For each code its class and its weights.
    of_code: Vec<CodeRow>,
}

/// What is looked up for a code: its weights for the side to move and for the other one, its class.
#[derive(Debug, Clone, Copy)]
struct CodeRow {
    weights: [i16; 2],
    class: MoveClass,
}

/// A length of the row that wins for which there are no tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the line tables are for rows of {SHORTEST} to {LONGEST} stones, not for {0}")]
pub struct LineLengthError(u8);

impl LineTables {
    /// The tables of rules, with the usual weights.
    ///
    /// # Errors
    /// A row that wins of a length that there are no tables for.
    pub fn new(rules: GomokuRules) -> Result<LineTables, LineLengthError> {
        LineTables::with_weights(rules, LineWeights::usual())
    }

    /// The tables of rules, with other weights.
    ///
    /// # Errors
    /// A row that wins of a length that there are no tables for.
    pub fn with_weights(rules: GomokuRules, weights: LineWeights) -> Result<LineTables, LineLengthError> {
        if !(SHORTEST..=LONGEST).contains(&rules.win()) {
            return Err(LineLengthError(rules.win()));
        }
        let codes = MoveCodes::new();
        let row = |code: u16| CodeRow {
            weights: [0, 1].map(|role: usize| weights.codes[role][usize::from(code)]),
            class: codes.class(code),
        };
        let of_code = (0..CODES as u16).map(row).collect();
        Ok(LineTables { rules, classes: LineClasses::new(rules), codes, weights, of_code })
    }

    /// The rules that the tables are for.
    pub fn rules(&self) -> GomokuRules {
        self.rules
    }

    /// The numbers of the evaluation.
    #[inline(always)]
    pub fn weights(&self) -> &LineWeights {
        &self.weights
    }

    /// The move codes.
    pub fn codes(&self) -> &MoveCodes {
        &self.codes
    }
}

/// What is kept of a cell for a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Made {
    /// Line classes, four bits for each direction.
    lines: u16,
    code: u16,
}

/// A cell as it was for a colour before a stone.
#[derive(Debug, Clone, Copy)]
struct CellBefore {
    cell: u16,
    colour: u8,
    class: MoveClass,
    made: Made,
}

/// What was there before a stone.
#[derive(Debug, Clone, Copy)]
struct BeforeStone {
    counts: [[u16; MOVE_CLASSES]; 2],
    sums: [[i32; 2]; 2],
    /// Where the cells that the stone changed begin in the list of them.
    changed: usize,
}

/// A position with its line tables. The caller plays on empty points only, and takes stones away in reverse order.
#[derive(Debug, Clone)]
pub struct LineBoard<'a> {
    tables: &'a LineTables,
    board: GomokuBoard,
    /// 0 empty, [`BLACK`], [`WHITE`], [`EDGE`].
    stones: Box<[u8; CELLS]>,
    keys: Box<[[u32; 4]; CELLS]>,
    /// Right for empty cells only.
    made: Box<[[Made; 2]; CELLS]>,
    classes: Box<[[MoveClass; 2]; CELLS]>,
    /// Stones in the square of five by five around a cell.
    near: Box<[u8; CELLS]>,
    /// Empty points where a colour makes a four or more.
    fours: [CellSet; 2],
    counts: [[u16; MOVE_CLASSES]; 2],
    /// For each colour the sums of weights if it is to move and if it is not.
    sums: [[i32; 2]; 2],
    empty: u16,
    /// What was there before each stone that was put, and the cells that it changed.
    before: Vec<BeforeStone>,
    changed: Vec<CellBefore>,
}

#[inline(always)]
const fn number(colour: Side) -> usize {
    match colour {
        Side::First => 0,
        Side::Second => 1,
    }
}

/// The cell of a point, see [`GomokuBoard::point`].
#[inline(always)]
const fn cell_of(point: u16) -> usize {
    let (x, y) = (point as usize % GREATEST as usize, point as usize / GREATEST as usize);
    ((y + REACH) * ROW + x + REACH + 1) % CELLS
}

/// The point of a cell of the board.
#[inline(always)]
const fn point_of(cell: usize) -> u16 {
    ((cell / ROW - REACH) * GREATEST as usize + cell % ROW - REACH - 1) as u16
}

/// What a stone at a distance changes in the keys of the points from which it lies behind, and ahead.
#[inline(always)]
fn bits_of_state(state: u8, distance: usize) -> (u32, u32) {
    let state = u32::from(state);
    (state << (2 * (REACH - distance)), state << (2 * (REACH - 1 + distance)))
}

impl<'a> LineBoard<'a> {
    /// The line tables of a position, whose rules are those of the tables.
    pub fn new(tables: &'a LineTables, position: &GomokuPosition) -> LineBoard<'a> {
        let board = position.board();
        let nothing = Made { lines: 0, code: 0 };
        let mut lines = LineBoard {
            tables,
            board,
            stones: Box::new([EDGE as u8; CELLS]),
            keys: Box::new([[0; 4]; CELLS]),
            made: Box::new([[nothing; 2]; CELLS]),
            classes: Box::new([[MoveClass::None; 2]; CELLS]),
            near: Box::new([0; CELLS]),
            fours: [[0; WORDS]; 2],
            counts: [[0; MOVE_CLASSES]; 2],
            sums: [[0; 2]; 2],
            empty: board.area(),
            before: Vec::new(),
            changed: Vec::new(),
        };
        for point in board.points() {
            lines.stones[cell_of(point)] = position.stone(point).map_or(0, |side| 1 + number(side) as u8);
        }
        for point in board.points() {
            let cell = cell_of(point);
            lines.keys[cell] = lines.keys_anew(cell);
            match position.stone(point) {
                None => lines.enter(cell),
                Some(_) => {
                    lines.empty -= 1;
                    lines.change_near(cell, 1);
                }
            }
        }
        lines
    }

    /// The line keys of a cell, from the stones.
    fn keys_anew(&self, cell: usize) -> [u32; 4] {
        STEPS.map(|step| {
            let state = |at: usize| {
                let there = if at < REACH { cell - (REACH - at) * step } else { cell + (at + 1 - REACH) * step };
                u32::from(self.stones[there % CELLS]) << (2 * at)
            };
            (0..2 * REACH).map(state).sum()
        })
    }

    /// Classes and codes of an empty cell from its keys; enters it into counts and sums.
    fn enter(&mut self, cell: usize) {
        let both = self.keys[cell].map(|key| self.tables.classes.get(key));
        for colour in 0..2 {
            let lines = (0..4).fold(0, |lines, d| lines | u16::from(both[d] >> (4 * colour) & 15) << (4 * d));
            let code = self.tables.codes.code(lines);
            self.made[cell][colour] = Made { lines, code };
            let row = self.tables.of_code[usize::from(code)];
            self.classes[cell][colour] = row.class;
            self.count(cell, colour, row.class, 1);
            for (sum, weight) in self.sums[colour].iter_mut().zip(row.weights) {
                *sum += i32::from(weight);
            }
        }
    }

    /// Takes an empty cell out of counts and sums.
    fn leave(&mut self, cell: usize) {
        for colour in 0..2 {
            let row = self.tables.of_code[usize::from(self.made[cell][colour].code)];
            self.count(cell, colour, row.class, u16::MAX);
            for (sum, weight) in self.sums[colour].iter_mut().zip(row.weights) {
                *sum -= i32::from(weight);
            }
        }
    }

    #[inline(always)]
    fn count(&mut self, cell: usize, colour: usize, class: MoveClass, by: u16) {
        let count = &mut self.counts[colour][class as usize];
        *count = count.wrapping_add(by);
        self.toggle_four(cell, colour, class >= MoveClass::Four);
    }

    /// Adds to the numbers of stones near the cells around one.
    #[inline(always)]
    fn change_near(&mut self, cell: usize, by: i8) {
        let add = u64::from_le_bytes([by as u8; 8]);
        for row in 0..5 {
            let from = cell + row * ROW - 2 * ROW - 2;
            if let Some(bytes) = self.near.get_mut(from..from + 8) {
                let old = u64::from_le_bytes(bytes.try_into().unwrap_or([0; 8]));
                // Five cells of the eight; no count leaves its byte.
                const FIVE: u64 = (1 << 40) - 1;
                let new = if by > 0 { old + (add & FIVE) } else { old - (0x0101_0101_0101_0101 & FIVE) };
                bytes.copy_from_slice(&new.to_le_bytes());
            }
        }
    }

    /// Puts a stone on an empty point.
    #[inline]
    pub fn put(&mut self, point: u16, colour: Side) {
        let (cell, state) = (cell_of(point), 1 + number(colour) as u8);
        self.before.push(BeforeStone { counts: self.counts, sums: self.sums, changed: self.changed.len() });
        self.leave(cell);
        self.stones[cell] = state;
        self.empty -= 1;
        self.change_near(cell, 1);
        for (direction, step) in STEPS.into_iter().enumerate() {
            for distance in 1..=REACH {
                let (ahead, behind) = bits_of_state(state, distance);
                self.change_key((cell + distance * step) % CELLS, direction, ahead);
                self.change_key((cell - distance * step) % CELLS, direction, behind);
            }
        }
    }

    /// Takes away the stone that was put last.
    #[inline]
    pub fn take(&mut self, point: u16, colour: Side) {
        let (cell, state) = (cell_of(point), 1 + number(colour) as u8);
        let Some(before) = self.before.pop() else { return };
        for (direction, step) in STEPS.into_iter().enumerate() {
            for distance in 1..=REACH {
                let (ahead, behind) = bits_of_state(state, distance);
                self.keys[(cell + distance * step) % CELLS][direction] ^= ahead;
                self.keys[(cell - distance * step) % CELLS][direction] ^= behind;
            }
        }
        // A cell may be there for several lines: the first time is what counts.
        while self.changed.len() > before.changed {
            let Some(CellBefore { cell, colour, class, made }) = self.changed.pop() else { break };
            let (cell, colour) = (usize::from(cell) % CELLS, usize::from(colour) % 2);
            self.made[cell][colour] = made;
            let old = std::mem::replace(&mut self.classes[cell][colour], class);
            self.toggle_four(cell, colour, (old >= MoveClass::Four) != (class >= MoveClass::Four));
        }
        for colour in 0..2 {
            self.toggle_four(cell, colour, self.classes[cell][colour] >= MoveClass::Four);
        }
        (self.counts, self.sums) = (before.counts, before.sums);
        self.stones[cell] = 0;
        self.empty += 1;
        self.change_near(cell, -1);
    }

    #[inline(always)]
    fn toggle_four(&mut self, cell: usize, colour: usize, is_other: bool) {
        self.fours[colour][cell / 64] ^= u64::from(is_other) << (cell % 64);
    }

    #[inline(always)]
    fn change_key(&mut self, cell: usize, direction: usize, bits: u32) {
        // The keys of points off the board mean nothing.
        let key = self.keys[cell][direction] ^ bits;
        self.keys[cell][direction] = key;
        if self.stones[cell] != 0 {
            return;
        }
        let both = self.tables.classes.get(key);
        for colour in 0..2 {
            let new = u16::from(both >> (4 * colour) & 15);
            let made = self.made[cell][colour];
            let shift = 4 * direction;
            if made.lines >> shift & 15 == new {
                continue;
            }
            let lines = made.lines & !(15 << shift) | new << shift;
            let code = self.tables.codes.code(lines);
            let class = self.classes[cell][colour];
            self.changed.push(CellBefore { cell: cell as u16, colour: colour as u8, class, made });
            self.made[cell][colour] = Made { lines, code };
            let before = self.tables.of_code[usize::from(made.code) % CODES];
            let after = self.tables.of_code[usize::from(code) % CODES];
            for role in 0..2 {
                self.sums[colour][role] += i32::from(after.weights[role]) - i32::from(before.weights[role]);
            }
            if before.class != after.class {
                self.classes[cell][colour] = after.class;
                self.count(cell, colour, before.class, u16::MAX);
                self.count(cell, colour, after.class, 1);
            }
        }
    }

    /// The tables that it uses.
    #[inline(always)]
    pub fn tables(&self) -> &'a LineTables {
        self.tables
    }

    /// Number of empty points.
    #[inline(always)]
    pub fn empty(&self) -> u16 {
        self.empty
    }

    /// Whether a point of the board is empty.
    #[inline(always)]
    pub fn is_empty(&self, point: u16) -> bool {
        self.stones[cell_of(point)] == 0
    }

    /// At how many empty points a colour would make a class.
    #[inline(always)]
    pub fn count_of(&self, colour: Side, class: MoveClass) -> u16 {
        self.counts[number(colour)][class as usize]
    }

    /// What a colour would make on an empty point.
    #[inline(always)]
    pub fn class(&self, point: u16, colour: Side) -> MoveClass {
        self.classes[cell_of(point)][number(colour)]
    }

    /// The code of what a colour would make on an empty point.
    #[inline(always)]
    pub fn code(&self, point: u16, colour: Side) -> u16 {
        self.made[cell_of(point)][number(colour)].code
    }

    /// The empty points where a colour makes a four or more, and what.
    #[inline]
    pub fn fours(&self, colour: Side) -> impl Iterator<Item = (u16, MoveClass)> {
        let colour = number(colour);
        let classes = &self.classes;
        self.fours[colour].iter().enumerate().flat_map(move |(word, &bits)| {
            let mut bits = bits;
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
                bits &= bits - 1;
                let cell = 64 * word + bit;
                Some((point_of(cell), classes[cell][colour]))
            })
        })
    }

    /// The empty points that are worth a look: near a stone, or such that a colour makes something there.
    #[inline]
    pub fn candidates(&self, mut each: impl FnMut(u16)) {
        let (width, height) = (usize::from(self.board.width()), usize::from(self.board.height()));
        for y in 0..height {
            let from = (y + REACH) * ROW + REACH + 1;
            for x in 0..width {
                let cell = (from + x) % CELLS;
                let made = self.classes[cell];
                let is_near = self.near[cell] > 0 || made[0] > MoveClass::None || made[1] > MoveClass::None;
                if is_near && self.stones[cell] == 0 {
                    each((y * usize::from(GREATEST) + x) as u16);
                }
            }
        }
    }

    /// What the position is worth to the side to move, in units of the estimate. The stone that was put last counts
    /// as the other side's last move.
    #[inline]
    pub fn estimate(&self, side: Side) -> i32 {
        let (own, enemy, weights) = (number(side), number(side.other()), &self.tables.weights);
        let mut sum = self.sums[own][0] - self.sums[enemy][1] + i32::from(weights.tempo);
        if weights.form == WeightsForm::WithLast {
            // Where nothing was put the position stands for the one before, too.
            sum += match self.before.last() {
                Some(before) => before.sums[own][1] - before.sums[enemy][0],
                None => self.sums[own][0] - self.sums[enemy][1],
            };
            sum += i32::from(weights.sets[self.set_of_threats(side) % SETS]);
        }
        for (role, colour) in [own, enemy].into_iter().enumerate() {
            for (count, weights) in self.counts[colour].iter().zip(&weights.threats[role]).skip(FIRST_THREAT) {
                sum += i32::from(weights[usize::from(*count).min(SEVERAL - 1)]);
            }
        }
        sum / FINE
    }

    /// Which threats there are, one bit for each of [`THREATS_OF_SETS`]. From the lowest: of the other side straight
    /// fours; of the side to move fours with a three, other fours, two threes at once, other threes; the same four of
    /// the other side.
    #[inline]
    pub fn set_of_threats(&self, side: Side) -> usize {
        let (own, enemy) = (&self.counts[number(side)], &self.counts[number(side.other())]);
        let has = |counts: &[u16; MOVE_CLASSES], classes: [MoveClass; 2]| {
            usize::from(classes.iter().any(|&class| counts[class as usize] > 0))
        };
        let of = |counts: &[u16; MOVE_CLASSES]| {
            has(counts, [MoveClass::FourThree; 2])
                | has(counts, [MoveClass::Four, MoveClass::FourAndMore]) << 1
                | has(counts, [MoveClass::Threes; 2]) << 2
                | has(counts, [MoveClass::Three, MoveClass::ThreeAndMore]) << 3
        };
        has(enemy, [MoveClass::StraightFour; 2]) | of(own) << 1 | of(enemy) << 5
    }

    /// Computes everything anew.
    ///
    /// # Panics
    /// If it differs.
    pub fn check(&self, position: &GomokuPosition) {
        let anew = LineBoard::new(self.tables, position);
        assert_eq!((&self.stones, self.empty, &self.near), (&anew.stones, anew.empty, &anew.near), "{position}");
        assert_eq!((self.counts, self.sums, self.fours), (anew.counts, anew.sums, anew.fours), "{position}");
        for point in self.board.points() {
            let cell = cell_of(point);
            assert_eq!(self.keys[cell], anew.keys[cell], "keys of {}\n{position}", self.board.name(point));
            if self.is_empty(point) {
                assert_eq!(self.made[cell], anew.made[cell], "{}\n{position}", self.board.name(point));
                assert_eq!(self.classes[cell], anew.classes[cell], "{}\n{position}", self.board.name(point));
            }
        }
    }
}

// Black and white are what the classes take them to be.
const _: () = assert!(BLACK == 1 && WHITE == 2 && EDGE == 3 && THREATS_OF_SETS == 9);

//! A position with the line tables of all its points.
//!
//! The stones of each line are one word, of which the line keys of its points are parts. A stone changes one key of
//! each of the 40 points that are at most five steps away on its lines. Where the class on that line changes, the
//! move code of the point follows, and with it the counts of classes and the sums of weights. What changed is kept,
//! so that the stone that was put last can be taken away again.

use super::classes::{BLACK, EDGE, LineClasses, REACH, WHITE};
use super::codes::{CODES, MOVE_CLASSES, MoveClass, MoveCodes};
use super::network::{CellNetwork, NetworkSums};
use super::weights::{FINE, LineWeights, SETS, SEVERAL, THREATS_OF_SETS, WeightsForm};
use crate::core::game::Side;
use crate::games::gomoku::board::{GREATEST, GomokuBoard};
use crate::games::gomoku::position::GomokuPosition;
use crate::games::gomoku::rules::GomokuRules;

/// Cells of the square that every board lies in, with a margin for keys of points off the board.
const CELLS: usize = 1 << 10;
/// From a cell to the one below it.
const ROW: usize = 32;
/// Rows of cells.
const ROWS: usize = CELLS / ROW;
/// Steps to the next cell: row, column, falling diagonal, rising diagonal.
const STEPS: [usize; 4] = [1, ROW, ROW + 1, ROW - 1];
/// Greatest length of a row that the tables are made for.
pub const LONGEST: u8 = 5;
/// Least length of such a row.
pub const SHORTEST: u8 = 3;

/// The weakest class whose number of points is weighed.
pub const FIRST_THREAT: usize = MoveClass::BlockedThree as usize;

/// Rows for codes: a power of two above their number, so that none is looked for outside.
const CODE_ROWS: usize = CODES.next_power_of_two();

/// A set of cells, one word for each row.
type CellSet = [u32; ROWS];
/// Numbers for the lines of a direction: more than a board has diagonals, and a power of two.
const LINES: usize = 64;

/// The tables for a rule: line classes, move codes, weights.
#[derive(Debug)]
pub struct LineTables {
    rules: GomokuRules,
    classes: LineClasses,
    codes: MoveCodes,
    weights: LineWeights,
    /// For each code its class and its weights.
    of_code: Box<[CodeRow; CODE_ROWS]>,
}

/// What is looked up for a code: its weights, its class.
#[derive(Debug, Clone, Copy)]
struct CodeRow {
    weights: TwoSums,
    class: MoveClass,
}

/// Two numbers in one: a weight, or the sum of many, for the side to move in the lower half, and for the other one in
/// the upper half. They are added and subtracted together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct TwoSums(i64);

impl TwoSums {
    fn new([own, other]: [i16; 2]) -> TwoSums {
        TwoSums(i64::from(own) + (i64::from(other) << 32))
    }

    /// For the side to move.
    #[inline(always)]
    fn own(self) -> i32 {
        self.0 as i32
    }

    /// For the other side.
    #[inline(always)]
    fn other(self) -> i32 {
        ((self.0 - i64::from(self.own())) >> 32) as i32
    }
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
        let nothing = CodeRow { weights: TwoSums::default(), class: MoveClass::None };
        let mut of_code = Box::new([nothing; CODE_ROWS]);
        for (code, row) in (0..CODES as u16).zip(of_code.iter_mut()) {
            let weights = TwoSums::new([0, 1].map(|role: usize| weights.codes[role][usize::from(code)]));
            *row = CodeRow { weights, class: codes.class(code) };
        }
        Ok(LineTables { rules, classes: LineClasses::new(rules), codes, weights, of_code })
    }

    #[inline(always)]
    fn row(&self, code: u16) -> CodeRow {
        self.of_code[usize::from(code) % CODE_ROWS]
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

    /// What corrects the estimate, if anything does.
    #[inline(always)]
    fn network(&self) -> Option<&CellNetwork> {
        self.weights.network.as_deref()
    }

    /// The move codes.
    pub fn codes(&self) -> &MoveCodes {
        &self.codes
    }
}

/// What is kept of an empty cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Made {
    /// Line classes, a byte for each direction: black's in its lower four bits.
    lines: u32,
    /// For each colour the code and its class.
    codes: [u16; 2],
    classes: [MoveClass; 2],
}

/// What a colour would make on an empty point.
#[derive(Debug, Clone, Copy)]
pub struct PointMakes {
    /// The move code.
    pub code: u16,
    /// The class of that code.
    pub class: MoveClass,
}

/// A cell as it was before a stone, and the codes that it got with it.
#[derive(Debug, Clone, Copy)]
struct CellBefore {
    cell: u16,
    made: Made,
    codes_after: [u16; 2],
}

/// What was there before a stone.
#[derive(Debug, Clone, Copy)]
struct BeforeStone {
    counts: [[u16; MOVE_CLASSES]; 2],
    sums: [TwoSums; 2],
    fours: [CellSet; 2],
    something: [CellSet; 2],
    /// Where the cells that the stone changed begin in the list of them.
    changed: usize,
    /// The codes of the cell that got the stone.
    codes: [u16; 2],
}

/// A position with its line tables. The caller plays on empty points only, and takes stones away in reverse order.
#[derive(Debug, Clone)]
pub struct LineBoard<'a> {
    tables: &'a LineTables,
    board: GomokuBoard,
    /// For each direction its lines. The cells of a line have two bits each: 0 empty, [`BLACK`], [`WHITE`], [`EDGE`].
    lines: Box<[[u64; LINES]; 4]>,
    /// Right for empty cells only.
    made: Box<[Made; CELLS]>,
    /// Cells with a stone.
    taken: CellSet,
    /// Empty cells where a colour makes something.
    something: [CellSet; 2],
    /// Empty cells where a colour makes a four or more.
    fours: [CellSet; 2],
    counts: [[u16; MOVE_CLASSES]; 2],
    /// For each colour the sums of weights if it is to move and if it is not.
    sums: [TwoSums; 2],
    empty: u16,
    /// What was there before each stone that was put, and the cells that it changed.
    before: Vec<BeforeStone>,
    changed: Vec<CellBefore>,
    /// The sums of the network, if there is one, before the first stone that was put and after each of them, where
    /// they were asked for.
    sums_of_network: Vec<Option<NetworkSums>>,
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

/// For each direction the line of a cell, and the place of the cell on it.
#[inline(always)]
const fn places(cell: usize) -> [(usize, usize); 4] {
    // Counted from the corner of the margin.
    let (x, y) = (cell % ROW - 1, cell / ROW);
    [(y % LINES, x), (x % LINES, y), ((LINES / 2 + x - y) % LINES, x), ((x + y) % LINES, y)]
}

/// The line key of a place of a line.
#[inline(always)]
const fn key_of(line: u64, place: usize) -> u32 {
    let around = line >> (2 * (place - REACH));
    (around & 0x3FF | around >> 2 & 0xF_FC00) as u32
}

/// The four classes of a colour, as codes are looked up by.
#[inline(always)]
const fn classes_of(lines: u32, colour: usize) -> u16 {
    let own = lines >> (4 * colour) & 0x0F0F_0F0F;
    let pairs = (own | own >> 4) & 0x00FF_00FF;
    (pairs | pairs >> 8) as u16
}

impl<'a> LineBoard<'a> {
    /// The line tables of a position, whose rules are those of the tables.
    pub fn new(tables: &'a LineTables, position: &GomokuPosition) -> LineBoard<'a> {
        let board = position.board();
        let nothing = Made { lines: 0, codes: [0; 2], classes: [MoveClass::None; 2] };
        let mut lines = LineBoard {
            tables,
            board,
            lines: Box::new([[u64::MAX; LINES]; 4]),
            made: Box::new([nothing; CELLS]),
            taken: [0; ROWS],
            something: [[0; ROWS]; 2],
            fours: [[0; ROWS]; 2],
            counts: [[0; MOVE_CLASSES]; 2],
            sums: [TwoSums::default(); 2],
            empty: board.area(),
            before: Vec::new(),
            changed: Vec::new(),
            sums_of_network: Vec::new(),
        };
        for point in board.points() {
            let cell = cell_of(point);
            let state = position.stone(point).map_or(0, |side| 1 + number(side) as u64);
            for (direction, (line, place)) in places(cell).into_iter().enumerate() {
                lines.lines[direction][line] ^= (EDGE as u64 ^ state) << (2 * place);
            }
            if state != 0 {
                lines.empty -= 1;
                lines.taken[cell / ROW] |= 1 << (cell % ROW);
            }
        }
        for point in board.points().filter(|&point| position.stone(point).is_none()) {
            lines.enter(cell_of(point));
        }
        if let Some(network) = tables.network() {
            let mut sums = NetworkSums::NONE;
            for point in board.points().filter(|&point| position.stone(point).is_none()) {
                network.add(&mut sums, lines.made[cell_of(point)].codes);
            }
            lines.sums_of_network.push(Some(sums));
        }
        lines
    }

    /// Classes and codes of an empty cell from its lines; enters it into counts and sums.
    fn enter(&mut self, cell: usize) {
        let mut lines = 0;
        for (direction, (line, place)) in places(cell).into_iter().enumerate() {
            let key = key_of(self.lines[direction][line], place);
            lines |= u32::from(self.tables.classes.get(key)) << (8 * direction);
        }
        let codes = [0, 1].map(|colour| self.tables.codes.code(classes_of(lines, colour)));
        let rows = codes.map(|code| self.tables.row(code));
        self.made[cell] = Made { lines, codes, classes: rows.map(|row| row.class) };
        for (colour, row) in rows.into_iter().enumerate() {
            self.count(cell, colour, row.class, 1);
            self.sums[colour].0 += row.weights.0;
        }
    }

    /// Takes an empty cell out of counts and sums.
    #[inline(always)]
    fn leave(&mut self, cell: usize) {
        for colour in 0..2 {
            let row = self.tables.row(self.made[cell].codes[colour]);
            self.count(cell, colour, row.class, u16::MAX);
            self.sums[colour].0 -= row.weights.0;
        }
    }

    #[inline(always)]
    fn count(&mut self, cell: usize, colour: usize, class: MoveClass, by: u16) {
        let count = &mut self.counts[colour][class as usize];
        *count = count.wrapping_add(by);
        self.toggle(cell, colour, class, MoveClass::None);
    }

    /// The sets of cells follow a change of a class.
    #[inline(always)]
    fn toggle(&mut self, cell: usize, colour: usize, from: MoveClass, to: MoveClass) {
        let (row, bit) = (cell / ROW % ROWS, cell % ROW);
        let differ = |least: MoveClass| u32::from((from >= least) != (to >= least)) << bit;
        self.fours[colour][row] ^= differ(MoveClass::Four);
        self.something[colour][row] ^= differ(MoveClass::Two);
    }

    /// Puts a stone on an empty point.
    #[inline]
    pub fn put(&mut self, point: u16, colour: Side) {
        let (cell, state) = (cell_of(point), 1 + number(colour) as u64);
        let (changed, LineBoard { counts, sums, fours, something, .. }) = (self.changed.len(), &*self);
        let (counts, sums, fours, something, codes) = (*counts, *sums, *fours, *something, self.made[cell].codes);
        self.before.push(BeforeStone { counts, sums, fours, something, changed, codes });
        if self.tables.network().is_some() {
            self.sums_of_network.push(None);
        }
        self.leave(cell);
        self.taken[cell / ROW] |= 1 << (cell % ROW);
        self.empty -= 1;
        self.changed.reserve(8 * REACH);
        for (direction, (line, place)) in places(cell).into_iter().enumerate() {
            let word = &mut self.lines[direction][line];
            *word |= state << (2 * place);
            let (word, step) = (*word, STEPS[direction]);
            for ahead in 1..=REACH {
                self.look_again(word, place + ahead, (cell + ahead * step) % CELLS, direction);
            }
            for behind in 1..=REACH {
                self.look_again(word, place - behind, (cell - behind * step) % CELLS, direction);
            }
        }
    }

    /// Takes away the stone that was put last.
    #[inline]
    pub fn take(&mut self, point: u16) {
        let cell = cell_of(point);
        let Some(before) = self.before.pop() else { return };
        self.sums_of_network.pop();
        for (direction, (line, place)) in places(cell).into_iter().enumerate() {
            self.lines[direction][line] &= !(3 << (2 * place));
        }
        // A cell may be there for several lines: the first time is what counts.
        while self.changed.len() > before.changed {
            let Some(CellBefore { cell, made, .. }) = self.changed.pop() else { break };
            let cell = usize::from(cell) % CELLS;
            self.made[cell] = made;
        }
        (self.fours, self.something) = (before.fours, before.something);
        (self.counts, self.sums) = (before.counts, before.sums);
        self.taken[cell / ROW] &= !(1 << (cell % ROW));
        self.empty += 1;
    }

    /// The class of a cell on one line may have changed.
    #[inline(always)]
    fn look_again(&mut self, line: u64, place: usize, cell: usize, direction: usize) {
        if line >> (2 * place) & 3 != 0 {
            return;
        }
        let both = u32::from(self.tables.classes.get(key_of(line, place)));
        let made = self.made[cell];
        let change = (made.lines >> (8 * direction) & 0xFF) ^ both;
        if change == 0 {
            return;
        }
        let mut new = Made { lines: made.lines ^ change << (8 * direction), ..made };
        for colour in 0..2 {
            if change >> (4 * colour) & 15 == 0 {
                continue;
            }
            let code = self.tables.codes.code(classes_of(new.lines, colour));
            let before = self.tables.row(made.codes[colour]);
            let after = self.tables.row(code);
            new.codes[colour] = code;
            self.sums[colour].0 += after.weights.0 - before.weights.0;
            if before.class != after.class {
                new.classes[colour] = after.class;
                let counts = &mut self.counts[colour];
                counts[before.class as usize] = counts[before.class as usize].wrapping_sub(1);
                counts[after.class as usize] = counts[after.class as usize].wrapping_add(1);
                self.toggle(cell, colour, before.class, after.class);
            }
        }
        self.changed.push(CellBefore { cell: cell as u16, made, codes_after: new.codes });
        self.made[cell] = new;
    }

    /// Whether a colour makes a straight four on a point, where it makes one now, after a stone of the other colour
    /// on another point.
    pub fn keeps_straight_four(&self, point: u16, colour: Side, stone: u16) -> bool {
        let (cell, other) = (cell_of(point), cell_of(stone));
        let (from, to) = (places(cell), places(other));
        let on_line = |direction: usize| {
            let (((line, place), (other_line, other_place)), distance) =
                ((from[direction], to[direction]), to[direction].1.abs_diff(from[direction].1));
            (line == other_line && distance <= REACH).then_some((line, place, other_place))
        };
        let Some(direction) = (0..4).find(|&direction| on_line(direction).is_some()) else { return true };
        let Some((line, place, stone)) = on_line(direction) else { return true };
        let word = self.lines[direction][line] | (1 + number(colour.other()) as u64) << (2 * stone);
        let class = u32::from(self.tables.classes.get(key_of(word, place)));
        let lines = self.made[cell].lines & !(0xFF << (8 * direction)) | class << (8 * direction);
        self.tables.codes.class(self.tables.codes.code(classes_of(lines, number(colour)))) == MoveClass::StraightFour
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
        let cell = cell_of(point);
        self.taken[cell / ROW] >> (cell % ROW) & 1 == 0
    }

    /// At how many empty points a colour would make a class.
    #[inline(always)]
    pub fn count_of(&self, colour: Side, class: MoveClass) -> u16 {
        self.counts[number(colour)][class as usize]
    }

    /// What a colour would make on an empty point.
    #[inline(always)]
    pub fn class(&self, point: u16, colour: Side) -> MoveClass {
        self.made[cell_of(point)].classes[number(colour)]
    }

    /// The code of what a colour would make on an empty point.
    #[inline(always)]
    pub fn code(&self, point: u16, colour: Side) -> u16 {
        self.made[cell_of(point)].codes[number(colour)]
    }

    /// The empty points where a colour makes a four or more, and what.
    #[inline]
    pub fn fours(&self, colour: Side) -> impl Iterator<Item = (u16, MoveClass)> {
        let colour = number(colour);
        let made = &self.made;
        self.fours[colour].into_iter().enumerate().flat_map(move |(row, mut bits)| {
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
                bits &= bits - 1;
                let cell = ROW * row + bit;
                Some((point_of(cell), made[cell].classes[colour]))
            })
        })
    }

    /// The empty points that are worth a look: near a stone, or such that a colour makes something there. Each comes
    /// with what the side to move would make there, and what the other one would.
    #[inline]
    pub fn candidates(&self, side: Side, mut each: impl FnMut(u16, [PointMakes; 2])) {
        let (own, enemy) = (number(side), number(side.other()));
        let wide = self.taken.map(|row| row | row << 1 | row << 2 | row >> 1 | row >> 2);
        let on_board = ((1u32 << self.board.width()) - 1) << (REACH + 1);
        for row in REACH..REACH + usize::from(self.board.height()) {
            let near = wide[row - 2..=row + 2].iter().fold(0, |near, row| near | row);
            let near = (near | self.something[0][row] | self.something[1][row]) & !self.taken[row] & on_board;
            let first = point_of(ROW * row + REACH + 1);
            let mut left = near >> (REACH + 1);
            while left != 0 {
                let x = left.trailing_zeros();
                left &= left - 1;
                let made = &self.made[ROW * row + REACH + 1 + x as usize];
                let makes = |colour: usize| PointMakes { code: made.codes[colour], class: made.classes[colour] };
                each(first + x as u16, [makes(own), makes(enemy)]);
            }
        }
    }

    /// What the position is worth to the side to move, in units of the estimate. The stone that was put last counts
    /// as the other side's last move.
    #[inline]
    pub fn estimate(&mut self, side: Side) -> i32 {
        let plain = self.plain_estimate(side);
        match self.tables.network() {
            Some(network) => {
                let sums = self.follow_sums(network);
                network.estimate(&sums, number(side), self.set_of_threats(side), plain)
            }
            None => plain,
        }
    }

    /// The sums of the network after the last stone: those of the last stone for which they are known, with all that
    /// has changed since.
    #[inline]
    fn follow_sums(&mut self, network: &CellNetwork) -> NetworkSums {
        let LineBoard { before, changed, sums_of_network, .. } = self;
        let known = sums_of_network.iter().rposition(Option::is_some).unwrap_or_default();
        let mut sums = sums_of_network.get(known).copied().flatten().unwrap_or(NetworkSums::NONE);
        let Some(first) = before.get(known) else { return sums };
        before[known..].iter().for_each(|stone| network.subtract(&mut sums, stone.codes));
        for change in changed[first.changed..].iter().filter(|change| change.made.codes != change.codes_after) {
            network.subtract(&mut sums, change.made.codes);
            network.add(&mut sums, change.codes_after);
        }
        if let Some(last) = sums_of_network.last_mut() {
            *last = Some(sums);
        }
        sums
    }

    /// The estimate without the network.
    #[inline]
    pub fn plain_estimate(&self, side: Side) -> i32 {
        let (own, enemy, weights) = (number(side), number(side.other()), &self.tables.weights);
        let mut sum = self.sums[own].own() - self.sums[enemy].other() + i32::from(weights.tempo);
        if weights.form == WeightsForm::WithLast {
            // Where nothing was put the position stands for the one before, too.
            sum += match self.before.last() {
                Some(before) => before.sums[own].other() - before.sums[enemy].own(),
                None => self.sums[own].own() - self.sums[enemy].other(),
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
        assert_eq!((&self.lines, self.empty, self.taken), (&anew.lines, anew.empty, anew.taken), "{position}");
        assert_eq!((self.counts, self.sums), (anew.counts, anew.sums), "{position}");
        assert_eq!((self.fours, self.something), (anew.fours, anew.something), "{position}");
        for point in self.board.points().filter(|&point| self.is_empty(point)) {
            let cell = cell_of(point);
            assert_eq!(self.made[cell], anew.made[cell], "{}\n{position}", self.board.name(point));
        }
        if let Some(network) = self.tables.network() {
            let sums = self.clone().follow_sums(network);
            assert_eq!(Some(sums), anew.sums_of_network[0], "{position}");
        }
    }
}

// Black and white are what the classes take them to be.
const _: () = assert!(BLACK == 1 && WHITE == 2 && EDGE == 3 && THREATS_OF_SETS == 9);

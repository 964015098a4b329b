//! Windows with their stones and flanks, kept up to date move by move.
//!
//! A window is as many points in a line as win; its flanks are the points next to its two ends. A window with all
//! stones but one, none of the other side, and flanks that do not spoil the row is a *four*: its empty point makes a
//! row that wins. One stone less, and it is a *three*: either of its empty points makes a four with the other one to
//! complete it. (The words are those for rows of five.) So all moves that make fours are read off the windows.
//!
//! The fours and threes are kept as lists, which a stone makes shorter: those that it blocks or spoils go. What it
//! adds for its own colour are fours, out of threes, and the threes through its point. These are found in its four
//! lines at once. The stones of a line are bits of a word for each colour, and the stones of all windows of a line
//! are counted in three words, the bits of the counts.

use crate::core::game::Side;
use crate::games::gomoku::board::{GREATEST, GomokuBoard, POINTS};
use crate::games::gomoku::position::GomokuPosition;
use crate::games::gomoku::rules::{GomokuRules, RowRule};

/// Greatest length of a row that windows are kept for.
pub const LONGEST: u8 = 7;
/// Least length of such a row.
pub const SHORTEST: u8 = 3;

/// The directions of lines: steps of x and y.
const STEPS: [(i8, i8); DIRECTIONS] = [(1, 0), (0, 1), (1, 1), (1, -1)];
const DIRECTIONS: usize = 4;
/// Numbers that lines have. The last one is for points whose line is too short for a window.
const LINES: usize = 128;
const _: () = assert!(2 * GREATEST as usize + 2 * (2 * GREATEST as usize - 1 - 2 * (SHORTEST as usize - 1)) < LINES);
/// Bit of the first point of a line. The one below is for its flank.
const FIRST_BIT: u8 = 1;
const _: () = assert!(GREATEST + FIRST_BIT < 32);

/// A window without stones of the other colour that lacks one stone, or two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpenWindow {
    /// Its empty points, of a four twice the same. A stone on one point of a three makes a four, which the other
    /// point completes.
    pub empty: [u16; 2],
    /// The points where a stone of its colour would spoil it; [`NOWHERE`] in place of those that there are not.
    pub flanks: [u16; 2],
}

impl OpenWindow {
    /// Whether a point is one of its empty points.
    #[inline(always)]
    pub fn lacks(&self, point: u16) -> bool {
        (self.empty[0] == point) | (self.empty[1] == point)
    }

    /// Whether a stone of its colour on a point spoils it.
    #[inline(always)]
    pub fn is_spoilt_by(&self, point: u16) -> bool {
        (self.flanks[0] == point) | (self.flanks[1] == point)
    }
}

/// In place of a point.
pub const NOWHERE: u16 = u16::MAX;

/// The lines of a point, by direction.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct PointLines {
    line: [u32; DIRECTIONS],
    /// The bit of the point.
    bit: [u32; DIRECTIONS],
    /// Bits where windows that hold the point may begin.
    through: [u32; DIRECTIONS],
    /// Bits where windows of the line may begin.
    starts: [u32; DIRECTIONS],
}

/// The lines of a board that have windows.
#[derive(Debug)]
pub struct WindowTable {
    board: GomokuBoard,
    rules: GomokuRules,
    points: Vec<PointLines>,
    /// For each line where its windows may begin, the number that a point would have if it were at bit 0, and what
    /// each further bit adds.
    starts: [u32; LINES],
    origin: [u16; LINES],
    step: [u16; LINES],
    /// The points of a line, by bits.
    points_of: [u32; LINES],
    /// Lines that have windows.
    lines: usize,
    /// Whether a row of a colour that is too long does not win: all bits or none.
    exact: [u32; 2],
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
        let mut table = WindowTable {
            board,
            rules,
            points: vec![PointLines { line: [LINES as u32 - 1; DIRECTIONS], ..PointLines::default() }; POINTS],
            starts: [0; LINES],
            origin: [0; LINES],
            step: [0; LINES],
            points_of: [0; LINES],
            lines: 0,
            exact: match rules.rule() {
                RowRule::Five | RowRule::Caro => [u32::MAX; 2],
                RowRule::Free => [0; 2],
                RowRule::Renju => [u32::MAX, 0],
            },
        };
        for (direction, (dx, dy)) in STEPS.into_iter().enumerate() {
            for start in board.points() {
                let (x, y) = board.place(start);
                let at = |step: i8| board.point(x.checked_add_signed(dx * step)?, y.checked_add_signed(dy * step)?);
                let points: Vec<u16> = (0..GREATEST as i8).map_while(at).collect();
                if at(-1).is_none() && points.len() >= usize::from(win) {
                    table.add_line(direction, &points);
                }
            }
        }
        Ok(table)
    }

    fn add_line(&mut self, direction: usize, points: &[u16]) {
        let (line, win) = (self.lines, self.rules.win());
        self.lines += 1;
        self.starts[line] = ((1 << (points.len() - usize::from(win) + 1)) - 1) << FIRST_BIT;
        self.step[line] = points[1].wrapping_sub(points[0]);
        self.origin[line] = points[0].wrapping_sub(self.step[line] * u16::from(FIRST_BIT));
        self.points_of[line] = ((1 << points.len()) - 1) << FIRST_BIT;
        for (bit, &point) in (FIRST_BIT..).zip(points) {
            let lines = &mut self.points[usize::from(point)];
            lines.line[direction] = line as u32;
            lines.bit[direction] = 1 << bit;
            lines.through[direction] = self.starts[line] & (((1 << win) - 1) << bit) >> (win - 1);
            lines.starts[direction] = self.starts[line];
        }
    }

    /// The board that has these windows.
    pub fn board(&self) -> GomokuBoard {
        self.board
    }

    /// The rules by which windows are judged.
    pub fn rules(&self) -> GomokuRules {
        self.rules
    }

    /// The point at a bit of a line.
    #[inline(always)]
    fn point(&self, line: usize, bit: u32) -> u16 {
        self.origin[line].wrapping_add(self.step[line].wrapping_mul(bit as u16))
    }

    /// The bits of a window's points, for one that begins at bit 0.
    #[inline(always)]
    fn window(&self) -> u32 {
        (1 << self.rules.win()) - 1
    }

    /// The threes in four lines, by the bits where they begin.
    #[inline(always)]
    fn threes(&self, lines: &FourLines) -> [u32; DIRECTIONS] {
        // The most frequent length is known to the compiler.
        match self.rules.win() {
            5 => threes(lines, 5),
            win => threes(lines, win.into()),
        }
    }
}

/// Four lines, as they look to one colour.
struct FourLines {
    /// Its stones, and those of the other colour.
    own: [u32; DIRECTIONS],
    enemy: [u32; DIRECTIONS],
    /// Where windows may begin.
    starts: [u32; DIRECTIONS],
    /// Whether flanks spoil a row: all bits or none.
    exact: u32,
}

/// See [`WindowTable::threes`]; `win` stones make a row.
#[inline(always)]
fn threes(lines: &FourLines, win: u32) -> [u32; DIRECTIONS] {
    const NONE: [u32; DIRECTIONS] = [0; DIRECTIONS];
    let FourLines { own, enemy, starts, exact } = lines;
    let (mut ones, mut twos, mut fours, mut blocked) = (NONE, NONE, NONE, NONE);
    for at in 0..win {
        for k in 0..DIRECTIONS {
            let stone = own[k] >> at;
            let two = ones[k] & stone;
            ones[k] ^= stone;
            fours[k] ^= twos[k] & two;
            twos[k] ^= two;
            blocked[k] |= enemy[k] >> at;
        }
    }
    // The bits of the count that is looked for.
    let wanted = |bit: u32| if (win - 2) >> bit & 1 == 1 { u32::MAX } else { 0 };
    std::array::from_fn(|k| {
        let flanks = (own[k] << 1 | own[k] >> win) & exact;
        let other = (ones[k] ^ wanted(0)) | (twos[k] ^ wanted(1)) | (fours[k] ^ wanted(2));
        starts[k] & !(blocked[k] | flanks | other)
    })
}

/// The numbers of the bits that are set.
#[inline(always)]
fn bits_of(word: u32) -> impl Iterator<Item = u32> {
    let mut left = word;
    std::iter::from_fn(move || {
        let bit = (left != 0).then(|| left.trailing_zeros())?;
        left &= left - 1;
        Some(bit)
    })
}

/// Appends to a list what is to stay of those from a place on.
#[inline(always)]
fn append(list: &mut Vec<OpenWindow>, from: usize, stays: impl Fn(&OpenWindow) -> bool) {
    for at in from..list.len() {
        let window = list[at];
        if stays(&window) {
            list.push(window);
        }
    }
}

/// A position as windows. The caller plays on empty points only.
#[derive(Debug, Clone)]
pub struct WindowBoard<'a> {
    table: &'a WindowTable,
    /// The stones of each colour, by lines.
    stones: [[u32; LINES]; 2],
    /// The threes and the fours of each colour: those of earlier positions, then those of this one.
    threes: [Vec<OpenWindow>; 2],
    fours: [Vec<OpenWindow>; 2],
    /// Where the threes and fours of each position begin, the last one's last.
    first: Vec<[ListStart; 2]>,
}

/// Where the threes and the fours of a colour begin.
#[derive(Debug, Clone, Copy, Default)]
struct ListStart {
    threes: usize,
    fours: usize,
}

impl<'a> WindowBoard<'a> {
    /// The windows of a position. Its board and rules are those of the table.
    pub fn new(table: &'a WindowTable, position: &GomokuPosition) -> WindowBoard<'a> {
        let mut windows = WindowBoard {
            table,
            stones: [[0; LINES]; 2],
            threes: [Vec::new(), Vec::new()],
            fours: [Vec::new(), Vec::new()],
            first: vec![Default::default()],
        };
        position.stones().for_each(|(point, colour)| windows.put(point, colour));
        windows
    }

    /// The table of the windows.
    pub fn table(&self) -> &'a WindowTable {
        self.table
    }

    /// Puts a stone on an empty point.
    pub fn put(&mut self, point: u16, colour: Side) {
        let (own, enemy) = (index(colour), index(colour.other()));
        let before = self.first.last().copied().unwrap_or_default();
        let first: [ListStart; 2] =
            std::array::from_fn(|at| ListStart { threes: self.threes[at].len(), fours: self.fours[at].len() });
        append(&mut self.threes[enemy], before[enemy].threes, |window| !window.lacks(point));
        append(&mut self.fours[enemy], before[enemy].fours, |window| !window.lacks(point));
        let stays = |window: &OpenWindow| !(window.lacks(point) | window.is_spoilt_by(point));
        append(&mut self.fours[own], before[own].fours, stays);
        let from = before[own].threes..first[own].threes;
        for three in self.threes[own][from].iter().filter(|three| three.lacks(point)) {
            let other = three.empty[usize::from(three.empty[0] == point)];
            self.fours[own].push(OpenWindow { empty: [other; 2], ..*three });
        }
        append(&mut self.threes[own], before[own].threes, stays);
        let mut threes = std::mem::take(&mut self.threes[own]);
        self.threes_after(colour, point, None, |three| threes.push(three));
        self.threes[own] = threes;
        self.toggle(point, colour);
        self.first.push(first);
    }

    /// Takes away the stone that was put last.
    pub fn take(&mut self, point: u16, colour: Side) {
        self.toggle(point, colour);
        let Some(first) = self.first.pop() else { return };
        for (list, first) in self.threes.iter_mut().zip(first) {
            list.truncate(first.threes);
        }
        for (list, first) in self.fours.iter_mut().zip(first) {
            list.truncate(first.fours);
        }
    }

    /// A stone comes or goes, and the threes and fours are left as they are. They are right again when it is undone.
    #[inline]
    pub fn toggle(&mut self, point: u16, colour: Side) {
        let at = &self.table.points[usize::from(point)];
        let stones = &mut self.stones[index(colour)];
        (0..DIRECTIONS).for_each(|k| stones[at.line[k] as usize % LINES] ^= at.bit[k]);
    }

    /// The threes of a colour.
    #[inline]
    pub fn threes(&self, colour: Side) -> &[OpenWindow] {
        let first = self.first.last().map_or(0, |first| first[index(colour)].threes);
        &self.threes[index(colour)][first..]
    }

    /// The fours of a colour.
    #[inline]
    fn fours(&self, colour: Side) -> &[OpenWindow] {
        let first = self.first.last().map_or(0, |first| first[index(colour)].fours);
        &self.fours[index(colour)][first..]
    }

    /// The points where a colour completes a row that wins: two different ones at most. `None` in place of those
    /// that there are not.
    #[inline]
    pub fn completions(&self, colour: Side) -> [Option<u16>; 2] {
        // The least ones, so that they do not depend on how the stones came.
        let points = || self.fours(colour).iter().map(|four| four.empty[0]);
        let one = points().min();
        [one, points().filter(|&point| Some(point) != one).min()]
    }

    /// The same for rows through a stone of the colour, whether it was put or toggled.
    #[inline]
    pub fn completions_of(&self, colour: Side, stone: u16) -> [Option<u16>; 2] {
        let (table, at) = (self.table, &self.table.points[usize::from(stone)]);
        let mut lines = self.lines_of(colour, stone);
        let mut found = [None; 2];
        // A four is a three without the stone.
        (0..DIRECTIONS).for_each(|k| lines.own[k] ^= at.bit[k]);
        for (k, starts) in table.threes(&lines).into_iter().enumerate() {
            for start in bits_of(starts) {
                let missing = !(lines.own[k] | at.bit[k]) >> start & table.window();
                let point = Some(table.point(at.line[k] as usize % LINES, start + missing.trailing_zeros()));
                if found[0].is_none() {
                    found[0] = point;
                } else if found[0] != point {
                    found[1] = point;
                }
            }
        }
        found
    }

    /// The lines of a point with the windows through it.
    #[inline(always)]
    fn lines_of(&self, colour: Side, point: u16) -> FourLines {
        let (own, enemy, at) = (index(colour), index(colour.other()), &self.table.points[usize::from(point)]);
        let words = |of: &[u32; LINES]| std::array::from_fn(|k| of[at.line[k] as usize % LINES]);
        FourLines {
            own: words(&self.stones[own]),
            enemy: words(&self.stones[enemy]),
            starts: at.through,
            exact: self.table.exact[own],
        }
    }

    /// Calls `each` with the threes of a colour through an empty point, once it has a stone there and the other
    /// colour one on another empty point, if that is given.
    #[inline(always)]
    pub fn threes_after(&self, colour: Side, point: u16, answer: Option<u16>, mut each: impl FnMut(OpenWindow)) {
        let at = &self.table.points[usize::from(point)];
        let mut lines = self.lines_of(colour, point);
        (0..DIRECTIONS).for_each(|k| lines.own[k] |= at.bit[k]);
        if let Some(answer) = answer {
            let other = &self.table.points[usize::from(answer)];
            for k in 0..DIRECTIONS {
                lines.enemy[k] |= if at.line[k] == other.line[k] { other.bit[k] } else { 0 };
            }
        }
        for (k, starts) in self.table.threes(&lines).into_iter().enumerate() {
            for start in bits_of(starts) {
                let missing = !lines.own[k] >> start & self.table.window();
                each(self.three(colour, at.line[k] as usize % LINES, start, missing));
            }
        }
    }

    /// The three that begins at a bit of a line, and lacks these bits from there on.
    #[inline(always)]
    fn three(&self, colour: Side, line: usize, start: u32, missing: u32) -> OpenWindow {
        let table = self.table;
        let flanks = table.points_of[line] & table.exact[index(colour)];
        let flank = |bit: u32| if flanks >> bit & 1 == 1 { table.point(line, bit) } else { NOWHERE };
        let (one, other) = (start + missing.trailing_zeros(), start + 31 - missing.leading_zeros());
        OpenWindow {
            empty: [table.point(line, one), table.point(line, other)],
            flanks: [flank(start - 1), flank(start + u32::from(table.rules.win()))],
        }
    }

    /// Calls `each` with the points where a colour makes a four, or could make one if it had stones on the points
    /// `with`, too. Points can come more than once, and some of them are not empty.
    pub fn points_of_fours(&self, colour: Side, with: &[u16], mut each: impl FnMut(u16)) {
        self.threes(colour).iter().flat_map(|three| three.empty).for_each(&mut each);
        let least = u32::from(self.table.rules.win()) - 2;
        let stones = self.stones_with(colour, with.iter().copied());
        for at in with.iter().map(|&point| &self.table.points[usize::from(point)]) {
            for k in 0..DIRECTIONS {
                self.points_of_line(&stones, colour, (at.line[k] as usize, at.through[k]), least, &mut each);
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
        let stones = self.stones_with(colour, self.table.board.points().filter(|&point| is_in(point)));
        for (line, &starts) in self.table.starts[..self.table.lines].iter().enumerate() {
            self.points_of_line(&stones, colour, (line, starts), least as u32, &mut each);
        }
    }

    /// The stones of a colour by lines, with more of them on some points.
    fn stones_with(&self, colour: Side, points: impl Iterator<Item = u16>) -> [u32; LINES] {
        let mut stones = self.stones[index(colour)];
        for at in points.map(|point| &self.table.points[usize::from(point)]) {
            (0..DIRECTIONS).for_each(|k| stones[at.line[k] as usize % LINES] |= at.bit[k]);
        }
        stones
    }

    /// The same for the windows of one line that begin at some bits, with the stones of the colour by lines.
    fn points_of_line(
        &self,
        stones: &[u32; LINES],
        colour: Side,
        (line, starts): (usize, u32),
        least: u32,
        each: &mut impl FnMut(u16),
    ) {
        let (window, enemy) = (self.table.window(), self.stones[index(colour.other())][line % LINES]);
        for start in bits_of(starts) {
            if enemy >> start & window == 0 && (stones[line % LINES] >> start & window).count_ones() >= least {
                let bits = start..start + u32::from(self.table.rules.win());
                bits.for_each(|bit| each(self.table.point(line % LINES, bit)));
            }
        }
    }

    /// Computes everything anew from the stones of a position.
    ///
    /// # Panics
    /// If it differs.
    pub fn check(&self, position: &GomokuPosition) {
        let (board, win) = (self.table.board, self.table.rules.win() as i8);
        for colour in [Side::First, Side::Second] {
            let (mut threes, mut fours) = (Vec::new(), Vec::new());
            for (direction, (dx, dy)) in STEPS.into_iter().enumerate() {
                for start in board.points() {
                    let (x, y) = board.place(start);
                    let at =
                        |step: i8| board.point(x.checked_add_signed(dx * step)?, y.checked_add_signed(dy * step)?);
                    let Some(points) = (0..win).map(at).collect::<Option<Vec<u16>>>() else { continue };
                    let lines = &self.table.points[usize::from(start)];
                    let (line, bit) = (lines.line[direction] as usize, lines.bit[direction].trailing_zeros());
                    for (bit, &point) in (bit..).zip(&points) {
                        assert_eq!(self.table.point(line, bit), point);
                        let kept = self.stones[index(colour)][line] >> bit & 1 == 1;
                        assert_eq!(kept, position.stone(point) == Some(colour), "{point}\n{position}");
                    }
                    let is_exact = self.table.exact[index(colour)] != 0;
                    let flanks = [at(-1), at(win)].map(|flank| flank.filter(|_| is_exact));
                    let is_spoilt = flanks.iter().flatten().any(|&point| position.stone(point) == Some(colour));
                    if is_spoilt || points.iter().any(|&point| position.stone(point) == Some(colour.other())) {
                        continue;
                    }
                    let empty: Vec<u16> = points.into_iter().filter(|&p| position.stone(p).is_none()).collect();
                    let flanks = flanks.map(|flank| flank.unwrap_or(NOWHERE));
                    match empty[..] {
                        [point] => fours.push(OpenWindow { empty: [point; 2], flanks }),
                        [one, other] => threes.push(OpenWindow { empty: [one, other], flanks }),
                        _ => {}
                    }
                }
            }
            for (kept, mut anew) in [(self.threes(colour), threes), (self.fours(colour), fours)] {
                let mut kept = kept.to_vec();
                kept.sort_unstable();
                anew.sort_unstable();
                assert_eq!(kept, anew, "{colour:?}\n{position}");
            }
        }
    }
}

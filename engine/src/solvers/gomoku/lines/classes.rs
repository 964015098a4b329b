//! Line classes: what a stone on an empty point would make on one line through it.
//!
//! The line is looked at as far as five points to either side, which holds every row of five through the point with
//! both its flanks. Each of the ten neighbours is empty, own, enemy, or off the board: two bits in a *line key*.
//! The class of a key follows from the classes of the keys with one more own stone: a four is what one more stone
//! makes a five, a three what one more makes a straight four, and so on. One more stone makes the key greater, so one
//! pass from the greatest key down fills the table. (The tables of today's strong programs are alike; these are
//! computed from the rules, in some 30 ms.)

use crate::games::gomoku::rules::{GomokuRules, RowRule};

/// Neighbours on a line that a class depends on, to either side.
pub const REACH: usize = 5;
/// Number of line keys.
pub const KEYS: usize = 1 << (4 * REACH);

/// A neighbour that is black.
pub const BLACK: u32 = 1;
/// A neighbour that is white.
pub const WHITE: u32 = 2;
/// A neighbour off the board.
pub const EDGE: u32 = 3;

/// What a stone makes on one line. Weaker classes come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum LineClass {
    /// Nothing that can become a row that wins.
    Dead,
    /// A row that is too long, and no row that wins.
    Overline,
    /// One stone, which three more make a four that can be answered.
    BlockedOne,
    /// One stone, which two more make a three.
    OpenOne,
    /// Two stones, which one more makes a blocked three.
    BlockedTwo,
    /// Two stones, which one more makes a three in one or two ways.
    OpenTwo,
    /// The same in three ways.
    WideTwo,
    /// The same in four or more ways.
    WidestTwo,
    /// Three stones, which one more makes a four that can be answered.
    BlockedThree,
    /// Three stones, which one more makes a straight four, in one way.
    Three,
    /// The same in two ways or more.
    WideThree,
    /// Four stones that one point completes.
    Four,
    /// Four stones that two points or more complete.
    StraightFour,
    /// A row that wins.
    Five,
}

/// Number of line classes.
pub const CLASSES: usize = 14;

impl LineClass {
    /// All of them, the weakest first.
    pub const ALL: [LineClass; CLASSES] = [
        LineClass::Dead,
        LineClass::Overline,
        LineClass::BlockedOne,
        LineClass::OpenOne,
        LineClass::BlockedTwo,
        LineClass::OpenTwo,
        LineClass::WideTwo,
        LineClass::WidestTwo,
        LineClass::BlockedThree,
        LineClass::Three,
        LineClass::WideThree,
        LineClass::Four,
        LineClass::StraightFour,
        LineClass::Five,
    ];
}

/// How rows of one colour win.
#[derive(Clone, Copy)]
struct RowsOf {
    win: usize,
    longer_wins: bool,
    /// Enemy stones at both ends spoil a row.
    ends_matter: bool,
}

/// The classes of all keys for both colours: black's in the lower four bits.
///
/// In a key the neighbour farthest before the point has the lowest two bits, the farthest behind it the highest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineClasses(Vec<u8>);

impl LineClasses {
    /// The classes under these rules. The row that wins has at most five stones.
    pub fn new(rules: GomokuRules) -> LineClasses {
        let of_colour = |is_black: bool| {
            let rows = RowsOf {
                win: rules.win().into(),
                longer_wins: match rules.rule() {
                    RowRule::Free => true,
                    RowRule::Renju => !is_black,
                    RowRule::Five | RowRule::Caro => false,
                },
                ends_matter: rules.rule() == RowRule::Caro,
            };
            // Own stones are 1, so that one more makes a key greater.
            let mut classes = vec![LineClass::Dead; KEYS];
            for key in (0..KEYS).rev() {
                classes[key] = class_of(key, rows, &classes);
            }
            classes
        };
        let (black, white) = (of_colour(true), of_colour(false));
        LineClasses((0..KEYS).map(|key| black[key] as u8 | (white[swapped(key)] as u8) << 4).collect())
    }

    /// The classes of a key, black's in the lower four bits.
    #[inline(always)]
    pub fn get(&self, key: u32) -> u8 {
        self.0[key as usize % KEYS]
    }
}

/// The key with colours swapped.
fn swapped(key: usize) -> usize {
    (0..2 * REACH).fold(0, |swapped, at| {
        let state = key >> (2 * at) & 3;
        swapped | (if state == 1 || state == 2 { 3 - state } else { state }) << (2 * at)
    })
}

/// The class of a key with own stones as 1, by those of greater keys.
fn class_of(key: usize, rows: RowsOf, greater: &[LineClass]) -> LineClass {
    let state = |at: usize| key >> (2 * at) & 3;
    let run = |mut from: usize, by: fn(usize) -> Option<usize>| {
        let mut count = 0;
        while state(from) == 1 {
            count += 1;
            match by(from) {
                Some(next) => from = next,
                None => return (count, 0),
            }
        }
        (count, state(from))
    };
    let (before, end) = run(REACH - 1, |at| at.checked_sub(1));
    let (after, other_end) = run(REACH, |at| (at + 1 < 2 * REACH).then_some(at + 1));
    let length = before + after + 1;
    let spoilt = rows.ends_matter && end == 2 && other_end == 2;
    if length == rows.win && !spoilt || length > rows.win && rows.longer_wins {
        return LineClass::Five;
    }
    if length > rows.win {
        return LineClass::Overline;
    }
    let mut ways = [0usize; CLASSES];
    for at in REACH + 1 - rows.win..REACH - 1 + rows.win {
        if state(at) == 0 {
            ways[greater[key | 1 << (2 * at)] as usize] += 1;
        }
    }
    let of = |class: LineClass| ways[class as usize];
    let threes = of(LineClass::Three) + of(LineClass::WideThree);
    let twos = of(LineClass::OpenTwo) + of(LineClass::WideTwo) + of(LineClass::WidestTwo);
    match () {
        () if of(LineClass::Five) >= 2 => LineClass::StraightFour,
        () if of(LineClass::Five) == 1 => LineClass::Four,
        () if of(LineClass::StraightFour) >= 2 => LineClass::WideThree,
        () if of(LineClass::StraightFour) == 1 => LineClass::Three,
        () if of(LineClass::Four) > 0 => LineClass::BlockedThree,
        () if threes >= 4 => LineClass::WidestTwo,
        () if threes == 3 => LineClass::WideTwo,
        () if threes > 0 => LineClass::OpenTwo,
        () if of(LineClass::BlockedThree) > 0 => LineClass::BlockedTwo,
        () if twos > 0 => LineClass::OpenOne,
        () if of(LineClass::BlockedTwo) > 0 => LineClass::BlockedOne,
        () => LineClass::Dead,
    }
}

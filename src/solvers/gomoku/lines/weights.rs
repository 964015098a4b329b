//! What move codes and threats are worth: the numbers of the evaluation, all in one table.
//!
//! **These numbers are made by hand**, from what the classes mean; nothing is learned. The table is a plain value, so
//! that a learned one can take its place.

use super::classes::LineClass;
use super::codes::{CODES, MoveCodes};

/// The numbers of an evaluation, in hundredths of a small advantage (a single open two is worth about 20).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineWeights {
    /// For each move code: of an empty point where the colour would make it. Black, white.
    pub codes: [Vec<i16>; 2],
    /// For the side to move, by what it could make at best: see [`LineWeights::THREATS`].
    pub own_threats: [i16; THREATS],
    /// The same for the other side.
    pub enemy_threats: [i16; THREATS],
    /// For being to move.
    pub tempo: i16,
}

/// Kinds of threats that are worth something of their own.
pub const THREATS: usize = 5;

/// By hand: what a class on one line is worth to an empty point, the weakest class first.
const BY_HAND: [(LineClass, i16); 14] = [
    (LineClass::Dead, 0),
    (LineClass::Overline, 0),
    (LineClass::BlockedOne, 0),
    (LineClass::OpenOne, 1),
    (LineClass::BlockedTwo, 2),
    (LineClass::OpenTwo, 4),
    (LineClass::WideTwo, 5),
    (LineClass::WidestTwo, 5),
    (LineClass::BlockedThree, 9),
    (LineClass::Three, 16),
    (LineClass::WideThree, 18),
    (LineClass::Four, 20),
    (LineClass::StraightFour, 40),
    (LineClass::Five, 50),
];

impl LineWeights {
    /// What the entries of the threats are about: a straight four, a four with a three, two threes, a four, a three.
    pub const THREATS: [&'static str; THREATS] = ["straight four", "four and three", "threes", "four", "three"];

    /// The numbers that are made by hand.
    pub fn by_hand(codes: &MoveCodes) -> LineWeights {
        let worth = |class: LineClass| i32::from(BY_HAND[class as usize].1);
        let of_code = |code: u16| {
            let lines = codes.lines(code);
            let sum: i32 = lines.iter().map(|&class| worth(class)).sum();
            sum as i16
        };
        let weights: Vec<i16> = (0..CODES as u16).map(of_code).collect();
        LineWeights {
            codes: [weights.clone(), weights],
            own_threats: [800, 500, 200, 60, 40],
            enemy_threats: [-200, -120, -60, -15, -10],
            tempo: 90,
        }
    }
}

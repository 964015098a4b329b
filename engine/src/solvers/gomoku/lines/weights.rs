//! What move codes and threats are worth: the numbers of the evaluation and of the order of moves, all in one table.
//!
//! The evaluation distinguishes the side to move from the other one: a three is worth more to the side that moves.
//! There are two forms of it, see [`WeightsForm`].
//! [`LineWeights::by_hand`] has numbers that are made up from what the classes mean. [`super::weights_text`] reads
//! and writes tables, and has the one that is used.

use super::classes::{CLASSES, LineClass};
use super::codes::{CODES, MOVE_CLASSES, MoveClass, MoveCodes};
use super::network::CellNetwork;

/// Parts of one unit of the estimate that the weights of the evaluation are counted in.
pub const FINE: i32 = 16;
/// Numbers of points that a threat is told by: none, one, more.
pub const SEVERAL: usize = 3;

/// Weights by code.
pub type CodeWeights = Vec<i16>;
/// Weights of a class by the number of points where it can be made: none, one, more.
pub type ThreatWeights = [[i16; SEVERAL]; MOVE_CLASSES];

/// Threats that are weighed together, see [`LineWeights::sets`].
pub const THREATS_OF_SETS: usize = 9;
/// Number of sets of threats.
pub const SETS: usize = 1 << THREATS_OF_SETS;

/// What numbers of an evaluation are applied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WeightsForm {
    /// The codes of the position alone. A move is rated by [`LineWeights::order`] and by what its class is worth,
    /// which is not learned.
    Alone,
    /// The codes of the position and of the one before the last move, which has the other side to move: so the
    /// estimate depends less on whose turn it is. Sets of threats are weighed, too, and moves are rated by
    /// [`LineWeights::order`] alone.
    WithLast,
}

/// The numbers of an evaluation. Arrays have the side to move first, then the other one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineWeights {
    /// What they are applied to.
    pub form: WeightsForm,
    /// For each move code of an empty point where the side would make it, in parts of [`FINE`]. What the other side
    /// makes is subtracted.
    pub codes: [CodeWeights; 2],
    /// For what can be made at all, in parts of [`FINE`]; the other side's are added, too.
    pub threats: [ThreatWeights; 2],
    /// For each set of threats that there are, in parts of [`FINE`]: nine bits, see `LineBoard::set_of_threats`. Not
    /// used in [`WeightsForm::Alone`].
    pub sets: CodeWeights,
    /// For being to move, in parts of [`FINE`].
    pub tempo: i16,
    /// For each move code: what making it is worth in the order of moves, and what taking it from the other side is.
    /// In [`WeightsForm::WithLast`] in hundredths of the logarithm of how likely the player chooses the move.
    pub order: [CodeWeights; 2],
    /// What corrects the estimate, if anything does.
    pub network: Option<Box<CellNetwork>>,
}

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

/// By hand: threats that are worth something of their own, to the side to move and to the other one.
const THREATS_BY_HAND: [(MoveClass, [i16; 2]); 5] = [
    (MoveClass::StraightFour, [800, -200]),
    (MoveClass::FourThree, [500, -120]),
    (MoveClass::Threes, [200, -60]),
    (MoveClass::Four, [60, -15]),
    (MoveClass::Three, [40, -10]),
];
/// By hand: for being to move.
const TEMPO_BY_HAND: i16 = 90;

impl LineWeights {
    /// The numbers that are made by hand, in hundredths of a small advantage: a single open two is worth about 20.
    pub fn by_hand(codes: &MoveCodes) -> LineWeights {
        let worth = |class: LineClass| BY_HAND[class as usize].1;
        let of_code = |code: u16| codes.lines(code).iter().map(|&class| worth(class)).sum();
        let weights: CodeWeights = (0..CODES as u16).map(of_code).collect();
        let fine: CodeWeights = weights.iter().map(|weight| FINE as i16 * weight).collect();
        let mut threats = [[[0; SEVERAL]; MOVE_CLASSES]; 2];
        for (class, worth) in THREATS_BY_HAND {
            for role in 0..2 {
                threats[role][class as usize] = [0, FINE as i16 * worth[role], FINE as i16 * worth[role]];
            }
        }
        LineWeights {
            form: WeightsForm::Alone,
            codes: [fine.clone(), fine],
            threats,
            sets: vec![0; SETS],
            tempo: FINE as i16 * TEMPO_BY_HAND,
            order: [weights.clone(), weights],
            network: None,
        }
    }
}

const _: () = assert!(BY_HAND.len() == CLASSES);

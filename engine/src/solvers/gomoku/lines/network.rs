//! A small network that corrects the estimate: what both sides can make on a point is judged together.
//!
//! The weights of codes are a sum: what the side to move makes on a point, less what the other side makes there. The
//! network has [`LANES`] numbers for each code of the side to move, and as many for each code of the other side. For
//! an empty point the two are added, and each sum is cut to 0 to [`CELL_MOST`]; the points' results are added up.
//! That is done for both sides as the one to move. [`HIDDEN`] units then take these sums and the set of threats, and
//! the correction is a weighted sum of theirs. All numbers are whole, so every machine has the same estimates.
//!
//! Idea: sums over the board that follow each move, from Y. Nasu, "Efficiently updatable neural-network-based
//! evaluation functions for computer shogi" (2018).

use super::codes::CODES;
use super::weights::SETS;

/// Numbers of a code for a side.
pub const LANES: usize = 8;
/// Units between the sums and the correction.
pub const HIDDEN: usize = 16;
/// What the numbers of a code are counted in.
pub const CELL_SCALE: f32 = 32.0;
/// Most that a point adds to a sum: so no sum over 400 points leaves its type.
pub const CELL_MOST: i16 = 80;
/// The part of a sum that a hidden unit takes.
pub const SUM_PART: f32 = 1.0 / 32.0;
/// What the weights of hidden units are counted in.
pub const HIDDEN_SCALE: f32 = 256.0;
/// Greatest weight of a hidden unit: so its sum does not leave its type.
pub const HIDDEN_WEIGHT_MOST: i16 = 1800;
/// What the weights of sets of threats are counted in.
pub const SET_SCALE: f32 = 1024.0;
/// Greatest value of a hidden unit; it is at least 0.
pub const HIDDEN_MOST: f32 = 4.0;
/// What the weights of the correction are counted in, for each unit of the estimate.
pub const OUT_SCALE: f32 = 16.0;
/// What the factor of the estimate without the network is counted in.
pub const PLAIN_SCALE: f32 = 256.0;
/// Estimates without the network are kept below this before they are multiplied.
const PLAIN_MOST: i32 = 10_000;

/// Bits of a hidden unit's sum that are more than [`SET_SCALE`] has.
const SUM_BITS: u32 = 8;
/// Bits of the correction's sum that are less than a unit of the estimate.
const OUT_BITS: u32 = 14;
/// Rows for codes: a power of two above their number, so that none is looked for outside.
const CODE_ROWS: usize = CODES.next_power_of_two();

/// Numbers that are added together.
pub type Lanes = [i16; LANES];

/// The numbers of a network as they are kept in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkNumbers {
    /// For each code its lanes, for the side to move and for the other one.
    pub codes: [Vec<i16>; 2],
    /// For each hidden unit the weights of the sums: those of the side to move, then those with sides swapped.
    pub hidden: Vec<i16>,
    /// For each set of threats what it adds to each hidden unit.
    pub sets: Vec<i16>,
    /// The weight of each hidden unit, the factor of the estimate without the network, and what is always added.
    pub out: Vec<i16>,
}

/// Numbers of a network in a file: by section.
pub const NETWORK_SECTIONS: [(&str, usize); 5] = [
    ("network codes to move", CODES * LANES),
    ("network codes other", CODES * LANES),
    ("network hidden", 2 * LANES * HIDDEN),
    ("network sets", SETS * HIDDEN),
    ("network out", HIDDEN + 2),
];

/// The lanes of a code: for the side to move, and for the other one. They are looked up together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(32))]
struct CodeLanes([Lanes; 2]);

/// A network, ready for use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellNetwork {
    codes: Box<[CodeLanes]>,
    hidden: [[i16; 2 * LANES]; HIDDEN],
    sets: Box<[[i16; HIDDEN]]>,
    out: [i16; HIDDEN],
    plain: i16,
    always: i16,
}

/// What the points of a board add up to: for black to move, and for white to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkSums(pub [Lanes; 2]);

impl NetworkSums {
    /// Those of no points.
    pub const NONE: NetworkSums = NetworkSums([[0; LANES]; 2]);
}

/// Rows of the same length from a list; the rest of the last one is 0.
fn rows<const N: usize>(numbers: &[i16]) -> impl Iterator<Item = [i16; N]> {
    numbers.chunks(N).map(|row| std::array::from_fn(|at| row.get(at).copied().unwrap_or(0)))
}

/// The sum of products. It is no part of its caller: there the compiler would compute several units side by side, for
/// which it would have to gather their weights one by one.
#[inline(never)]
fn product(weights: &[i16; 2 * LANES], sums: &[i16; 2 * LANES]) -> i32 {
    weights.iter().zip(sums).map(|(&weight, &sum)| i32::from(weight) * i32::from(sum)).sum()
}

impl CellNetwork {
    /// The network of numbers, of which there are as many as [`NETWORK_SECTIONS`] says.
    pub fn new(numbers: &NetworkNumbers) -> CellNetwork {
        let [own, other] = [0, 1].map(|role: usize| rows::<LANES>(&numbers.codes[role]));
        let mut codes: Vec<CodeLanes> = own.zip(other).map(|(own, other)| CodeLanes([own, other])).collect();
        codes.resize(CODE_ROWS, CodeLanes([[0; LANES]; 2]));
        let mut hidden = [[0; 2 * LANES]; HIDDEN];
        hidden.iter_mut().zip(rows(&numbers.hidden)).for_each(|(unit, row)| *unit = row);
        let mut out = [0; HIDDEN];
        out.iter_mut().zip(&numbers.out).for_each(|(unit, weight)| *unit = *weight);
        let last = |at: usize| numbers.out.get(HIDDEN + at).copied().unwrap_or(0);
        let mut sets: Vec<[i16; HIDDEN]> = rows(&numbers.sets).collect();
        sets.resize(SETS, [0; HIDDEN]);
        CellNetwork {
            codes: codes.into_boxed_slice(),
            hidden,
            sets: sets.into_boxed_slice(),
            out,
            plain: last(0),
            always: last(1),
        }
    }

    /// The numbers that it was made of.
    pub fn numbers(&self) -> NetworkNumbers {
        let codes = |role: usize| self.codes[..CODES].iter().flat_map(|lanes| lanes.0[role]).collect();
        NetworkNumbers {
            codes: [codes(0), codes(1)],
            hidden: self.hidden.concat(),
            sets: self.sets.concat(),
            out: self.out.iter().copied().chain([self.plain, self.always]).collect(),
        }
    }

    /// What a point adds to a sum, lane by lane; `own` is what the side to move makes there.
    #[inline(always)]
    fn cell(own: &Lanes, other: &Lanes) -> Lanes {
        std::array::from_fn(|lane| (own[lane] + other[lane]).clamp(0, CELL_MOST))
    }

    #[inline(always)]
    fn change(&self, sums: &mut NetworkSums, codes: [u16; 2], by: impl Fn(i16, i16) -> i16) {
        let [black, white] = codes.map(|code| &self.codes[usize::from(code) % CODE_ROWS].0);
        let cells = [CellNetwork::cell(&black[0], &white[1]), CellNetwork::cell(&white[0], &black[1])];
        for (sum, cell) in sums.0.iter_mut().zip(cells) {
            sum.iter_mut().zip(cell).for_each(|(sum, cell)| *sum = by(*sum, cell));
        }
    }

    /// An empty point is counted, where black and white make these codes.
    #[inline(always)]
    pub fn add(&self, sums: &mut NetworkSums, codes: [u16; 2]) {
        self.change(sums, codes, |sum, cell| sum + cell);
    }

    /// The inverse of [`CellNetwork::add`].
    #[inline(always)]
    pub fn subtract(&self, sums: &mut NetworkSums, codes: [u16; 2]) {
        self.change(sums, codes, |sum, cell| sum - cell);
    }

    /// The estimate for the colour to move (0 black, 1 white), from what it is without the network (`plain`).
    #[inline]
    pub fn estimate(&self, sums: &NetworkSums, colour: usize, set: usize, plain: i32) -> i32 {
        let mut input = [0; 2 * LANES];
        input[..LANES].copy_from_slice(&sums.0[colour & 1]);
        input[LANES..].copy_from_slice(&sums.0[1 - (colour & 1)]);
        let mut sum = 0;
        for ((weights, &of_set), &out) in self.hidden.iter().zip(&self.sets[set % SETS]).zip(&self.out) {
            let unit = product(weights, &input) >> SUM_BITS;
            let unit = (unit + i32::from(of_set)).clamp(0, (HIDDEN_MOST * SET_SCALE) as i32);
            sum += unit * i32::from(out);
        }
        let plain = plain.clamp(-PLAIN_MOST, PLAIN_MOST) * i32::from(self.plain) / PLAIN_SCALE as i32;
        (sum >> OUT_BITS) + plain + i32::from(self.always)
    }
}

const _: () = {
    let points = crate::games::gomoku::board::GREATEST as i32 * crate::games::gomoku::board::GREATEST as i32;
    assert!(points * CELL_MOST as i32 <= i16::MAX as i32);
    assert!(2 * LANES as i64 * HIDDEN_WEIGHT_MOST as i64 * i16::MAX as i64 <= i32::MAX as i64);
    assert!(CELL_SCALE / SUM_PART * HIDDEN_SCALE == SET_SCALE * (1 << SUM_BITS) as f32);
    assert!(SET_SCALE * OUT_SCALE == (1 << OUT_BITS) as f32);
    assert!(HIDDEN as i64 * (HIDDEN_MOST * SET_SCALE) as i64 * 16_000 <= i32::MAX as i64);
};

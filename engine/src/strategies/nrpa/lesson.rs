//! A lesson: the best game of a level in the form in which policies are adapted toward it.
//!
//! A step's softmax is over the moves legal then, and a move is legal during one interval of steps: it appears once,
//! and once it has gone it never returns, because its point or the cells of its line stay taken. So the gradient of a
//! whole game needs, for each distinct move, its weight added to the sum `z` of every step of its interval, and then
//! the sum of `1/z` over its interval; one exponential per distinct move follows.
//!
//! Interval sums are not differences of prefix sums: `1/z` spans so many magnitudes that those cancel. They are
//! read from a disjoint sparse table: for each power of two, sums from the middle of each block outwards to both
//! sides; an interval that crosses a middle is one entry left of it plus one right of it. All terms are positive.

use super::clocks::exp;
use super::game::{GAME, PlayoutGame, ROOM};
use super::policy::{Policy, code, code_at, mean_range};
use crate::morpion::board::Board;
use crate::morpion::geometry::Move;
use crate::morpion::variant::Rules;
use crate::strategies::params::Adapt;
use crate::strategies::unit::NO_MOVE;

/// Steps per block of the sum over intervals, and lanes of every vector loop.
const LANES: usize = 16;
/// Blocks of a game.
const BLOCKS: usize = GAME / LANES;
/// Levels of the disjoint sparse table: 2^9 = GAME.
const HEIGHT: usize = 9;

/// Entries of a lesson, rounded up to whole vectors.
const ENTRIES: usize = ROOM.next_multiple_of(LANES);
/// The place of a zero in the table.
const ZERO: u16 = (GAME * (HEIGHT + 1)) as u16;
/// A step that never comes.
const NEVER: u16 = u16::MAX;

/// An interval within one block of steps.
#[derive(Clone, Copy, Default)]
struct Piece {
    /// The number of the move among the entries.
    entry: u32,
    /// The first step of the interval within the block, as a lane.
    from: u16,
    /// How many more steps follow it.
    more: u16,
}

/// A game prepared for adaptation.
pub(super) struct Lesson {
    /// Steps (moves or layers).
    steps: usize,
    /// Moves played per step: 1, or the layer's size.
    count: Box<[f32; GAME]>,
    /// Number of distinct moves.
    entries: usize,
    /// Per distinct move: its code, 1 if it was played (else 0), its clock mean in the policy being
    /// adapted, its weight, its first and last step, and where in the table the two parts of its sum stand.
    codes: Box<[u32; ENTRIES]>,
    played: Box<[f32; ENTRIES]>,
    means: Box<[f32; ENTRIES]>,
    weights: Box<[f32; ENTRIES]>,
    births: Box<[u16; ENTRIES]>,
    deaths: Box<[u16; ENTRIES]>,
    parts: Box<[[u16; 2]; ENTRIES]>,
    /// The moves' pieces by block, and where each block's begin.
    pieces: Vec<Piece>,
    blocks: [u32; BLOCKS + 1],
    /// Rows of sums: row 0 the steps' own values, row `h` the sums about the middles of blocks of 2^h; then a zero.
    table: Box<[f32; GAME * (HEIGHT + 1) + LANES]>,
    /// Scratch of the table: sums within blocks up to and from each step.
    prefix: Box<[f32; GAME]>,
    suffix: Box<[f32; GAME]>,
    /// Scratch: when each point was set (low 16 bits) and by which line (high), and when each cell was blocked;
    /// [`NEVER`] between calls.
    point_times: Box<[u32; 4096]>,
    cell_times: Box<[u16; 1 << 15]>,
}

impl Lesson {
    pub fn new() -> Lesson {
        Lesson {
            steps: 0,
            count: Box::new([0.0; GAME]),
            entries: 0,
            codes: Box::new([0; ENTRIES]),
            played: Box::new([0.0; ENTRIES]),
            means: Box::new([1.0; ENTRIES]),
            weights: Box::new([0.0; ENTRIES]),
            births: Box::new([0; ENTRIES]),
            deaths: Box::new([0; ENTRIES]),
            parts: Box::new([[ZERO; 2]; ENTRIES]),
            pieces: Vec::new(),
            blocks: [0; BLOCKS + 1],
            table: Box::new([0.0; GAME * (HEIGHT + 1) + LANES]),
            prefix: Box::new([0.0; GAME]),
            suffix: Box::new([0.0; GAME]),
            point_times: Box::new([u32::MAX; 4096]),
            cell_times: Box::new([NEVER; 1 << 15]),
        }
    }

    /// The codes whose weights an adaptation changes.
    #[cfg(test)]
    pub fn codes(&self) -> &[u32] {
        &self.codes[..self.entries]
    }

    /// Prepares `game`, played from `start` where `start_moves` could be played, for the adaptation of `policy`.
    #[inline(always)]
    pub fn prepare<R: Rules>(
        &mut self,
        form: Adapt,
        (start, start_moves): (&Board<R>, &[Move]),
        board: &mut Board<R>,
        game: &PlayoutGame,
        policy: &mut Policy,
    ) {
        match form {
            Adapt::Sequence => self.collect::<R>(start_moves, game),
            Adapt::Layers => self.collect_layers::<R>(start, start_moves, board, game.moves()),
        }
        self.index();
        self.reload(policy);
    }

    /// Fills the entries from the game, one step per move.
    #[inline(always)]
    fn collect<R: Rules>(&mut self, start_moves: &[Move], game: &PlayoutGame) {
        let moves = game.moves();
        self.steps = moves.len();
        for (step, &mv) in moves.iter().enumerate() {
            self.stamp::<R>(mv, step as u16);
        }
        self.entries = 0;
        for &mv in start_moves {
            self.enter::<R>(mv, code(mv) as u32, 0);
        }
        let mut at = 0;
        for (step, &end) in game.ends().iter().enumerate() {
            while at < end as usize {
                self.enter::<R>(game.appeared[at], game.codes[at], step as u16 + 1);
                at += 1;
            }
        }
        for &mv in moves {
            self.stamp::<R>(mv, NEVER);
        }
        let padded = self.steps.next_multiple_of(LANES);
        self.count[..self.steps].fill(1.0);
        self.count[self.steps..padded].fill(0.0);
    }

    /// The same, one step per layer: each layer plays every move of the game that is legal then.
    #[inline(always)]
    fn collect_layers<R: Rules>(
        &mut self,
        start: &Board<R>,
        start_moves: &[Move],
        board: &mut Board<R>,
        moves: &[Move],
    ) {
        // The layer of a move is one more than the latest layer of the points of its line; lines of one game never
        // stand in each other's way.
        let mut layers = [0u16; GAME];
        let mut sizes = [0u16; GAME + 1];
        self.steps = 0;
        for (i, &mv) in moves.iter().enumerate() {
            let stride = mv.direction().stride();
            let first = mv.point().index() as i32 - mv.index() as i32 * stride;
            let mut layer = 0;
            for k in 0..R::LEN as i32 {
                let time = self.point_times[(first + k * stride) as usize & 4095] as u16;
                layer = layer.max(time.wrapping_add(1));
            }
            layers[i] = layer;
            sizes[layer as usize + 1] += 1;
            self.stamp::<R>(mv, layer);
            self.steps = self.steps.max(layer as usize + 1);
        }
        let padded = self.steps.next_multiple_of(LANES);
        for layer in 0..padded {
            self.count[layer] = if layer < self.steps { f32::from(sizes[layer + 1]) } else { 0.0 };
        }
        for layer in 0..self.steps {
            sizes[layer + 1] += sizes[layer];
        }
        let mut ordered = [NO_MOVE; GAME];
        let mut order = sizes;
        for (i, &mv) in moves.iter().enumerate() {
            let at = &mut order[layers[i] as usize];
            ordered[*at as usize] = mv;
            *at += 1;
        }
        self.entries = 0;
        for &mv in start_moves {
            self.enter::<R>(mv, code(mv) as u32, 0);
        }
        board.copy_from(start);
        for &mv in &ordered[..moves.len()] {
            let mut openings = board.place_and_open(mv);
            let layer = self.point_times[mv.point().index() & 4095] as u16;
            while let Some(opening) = openings.next() {
                self.enter::<R>(opening.mv, code_at::<R>(mv.point(), opening.place), layer + 1);
            }
        }
        for &mv in moves {
            self.stamp::<R>(mv, NEVER);
        }
    }

    /// Notes the time at which a played move set its point and blocked its cells, or ([`NEVER`]) takes it back.
    #[inline(always)]
    fn stamp<R: Rules>(&mut self, mv: Move, time: u16) {
        let bits = mv.bits();
        let line = if time == NEVER { u32::from(NEVER) } else { bits >> 16 };
        self.point_times[bits as usize & 4095] = line << 16 | u32::from(time);
        let key = (bits >> 16) as usize;
        for cell in 0..R::BLOCKED {
            self.cell_times[(key + cell) & 0x7FFF] = time;
        }
    }

    /// Enters a move that became legal at step `birth`: it stays so until its point is set or a cell of its line
    /// blocked. A move that was gone before its step (which layers bring about) was never legal.
    #[inline(always)]
    fn enter<R: Rules>(&mut self, mv: Move, code: u32, birth: u16) {
        let bits = mv.bits();
        let key = (bits >> 16) as usize;
        let set = self.point_times[bits as usize & 4095];
        let mut death = (set as u16).min(self.steps as u16 - 1);
        for cell in 0..R::BLOCKED {
            death = death.min(self.cell_times[(key + cell) & 0x7FFF]);
        }
        let at = self.entries;
        self.codes[at] = code;
        self.births[at] = birth;
        self.deaths[at] = death;
        self.played[at] = f32::from(u8::from(set >> 16 == bits >> 16));
        self.entries = at + usize::from(birth <= death);
    }

    /// Fills `pieces`, `blocks` and `parts` from births and deaths.
    #[inline(always)]
    fn index(&mut self) {
        let entries = self.entries;
        for entry in 0..entries {
            let (a, b) = (self.births[entry], self.deaths[entry]);
            let height = (16 - (a ^ b).leading_zeros()) as u16;
            let right = height * GAME as u16 + b;
            self.parts[entry] = [height * GAME as u16 + a, if a == b { ZERO } else { right }];
        }
        let padded = entries.next_multiple_of(LANES);
        self.parts[entries..padded].fill([ZERO; 2]);
        self.played[entries..padded].fill(0.0);
        // By block: the moves that live on from the block before, then those that appear in it; entries come in
        // order of birth.
        let blocks = self.steps.div_ceil(LANES);
        let (mut begin, mut n, mut entry) = (0, 0, 0);
        for block in 0..blocks {
            let first = (block * LANES) as u16;
            let last = first + LANES as u16 - 1;
            if self.pieces.len() < n + entries {
                self.pieces.resize(2 * (n + entries), Piece::default());
            }
            let end = n;
            for at in begin..end {
                let entry = self.pieces[at].entry;
                let death = self.deaths[entry as usize];
                self.pieces[n] = Piece { entry, from: 0, more: death.min(last).wrapping_sub(first) };
                n += usize::from(death >= first);
            }
            while entry < entries && self.births[entry] <= last {
                let birth = self.births[entry];
                let more = self.deaths[entry].min(last) - birth;
                self.pieces[n] = Piece { entry: entry as u32, from: birth - first, more };
                n += 1;
                entry += 1;
            }
            (self.blocks[block], self.blocks[block + 1]) = (end as u32, n as u32);
            begin = end;
        }
    }

    /// Reads the means of the lesson's moves from the policy that is to be adapted.
    #[inline(always)]
    pub fn reload(&mut self, policy: &mut Policy) {
        policy.cover(&self.codes[..self.entries]);
        for (mean, &code) in self.means.iter_mut().zip(&self.codes[..self.entries]) {
            *mean = policy.mean(code as usize);
        }
        let padded = self.entries.next_multiple_of(LANES);
        self.means[self.entries..padded].fill(1.0);
    }

    /// One adaptation of `policy` (the one given to `prepare` or `reload` last) toward the game: each move's logit
    /// gains `alpha` if it was played, less `alpha` times the sum of its probabilities over the steps, all with the
    /// weights from before.
    #[inline(always)]
    pub fn adapt(&mut self, alpha: f32, policy: &mut Policy) {
        let padded = self.entries.next_multiple_of(LANES);
        for (weight, &mean) in self.weights[..padded].iter_mut().zip(&self.means[..padded]) {
            *weight = 1.0 / mean;
        }
        let blocks = self.steps.div_ceil(LANES);
        for block in 0..blocks {
            let mut z = [0.0f32; LANES];
            let pieces = &self.pieces[self.blocks[block] as usize..self.blocks[block + 1] as usize];
            for piece in pieces {
                // SAFETY: `index` wrote entries below `self.entries`, which is within `weights`.
                let weight = unsafe { *self.weights.get_unchecked(piece.entry as usize) };
                let (from, more) = (u32::from(piece.from), u32::from(piece.more));
                for (lane, z) in z.iter_mut().enumerate() {
                    *z += if (lane as u32).wrapping_sub(from) <= more { weight } else { 0.0 };
                }
            }
            let at = block * LANES;
            let counts = vector(&self.count[..], at);
            for (value, (count, z)) in vector_mut(&mut self.table[..], at).iter_mut().zip(counts.into_iter().zip(z)) {
                // Steps past the end have no moves; their value is never read but must not be infinite.
                *value = if z > 0.0 { count / z } else { 0.0 };
            }
        }
        self.fill_table(blocks);
        let (least, most) = mean_range();
        for at in (0..padded).step_by(LANES) {
            let mut sum = [0.0f32; LANES];
            for (lane, sum) in sum.iter_mut().enumerate().take(self.entries - at) {
                let [left, right] = self.parts[at + lane];
                *sum = self.table[left as usize] + self.table[right as usize];
            }
            let weights: &[f32; LANES] = self.weights[at..at + LANES].try_into().expect("a whole vector");
            let played: &[f32; LANES] = self.played[at..at + LANES].try_into().expect("a whole vector");
            let means: &mut [f32; LANES] = (&mut self.means[at..at + LANES]).try_into().expect("a whole vector");
            for lane in 0..LANES {
                let gain = alpha * (played[lane] - weights[lane] * sum[lane]);
                let mean = means[lane] * exp((-gain).clamp(-80.0, 80.0));
                means[lane] = mean.max(least).min(most);
            }
        }
        for (&code, &mean) in self.codes[..self.entries].iter().zip(&self.means[..]) {
            policy.set_mean(code as usize, mean);
        }
    }

    /// Builds the rows of the disjoint sparse table above the first.
    #[inline(always)]
    fn fill_table(&mut self, blocks: usize) {
        let steps = blocks * LANES;
        let (values, rows) = self.table.split_at_mut(GAME);
        for at in (0..steps).step_by(LANES) {
            let mut prefix = vector(values, at);
            let mut suffix = prefix;
            *vector_mut(rows, at) = within::<1>(&mut prefix, &mut suffix);
            *vector_mut(rows, GAME + at) = within::<2>(&mut prefix, &mut suffix);
            *vector_mut(rows, 2 * GAME + at) = within::<4>(&mut prefix, &mut suffix);
            *vector_mut(rows, 3 * GAME + at) = within::<8>(&mut prefix, &mut suffix);
            *vector_mut(&mut self.prefix[..], at) = prefix;
            *vector_mut(&mut self.suffix[..], at) = suffix;
        }
        let mut half = LANES;
        let mut row = 4 * GAME;
        while half < steps {
            for base in (0..steps - half).step_by(2 * half) {
                let middle = base + half;
                let (left, right) = (self.prefix[middle - 1], self.suffix[middle]);
                for at in (base..middle).step_by(LANES) {
                    let sums = vector_mut(&mut self.suffix[..], at);
                    *vector_mut(rows, row + at) = *sums;
                    sums.iter_mut().for_each(|s| *s += right);
                }
                for at in (middle..(middle + half).min(steps)).step_by(LANES) {
                    let sums = vector_mut(&mut self.prefix[..], at);
                    *vector_mut(rows, row + at) = *sums;
                    sums.iter_mut().for_each(|s| *s += left);
                }
            }
            half *= 2;
            row += GAME;
        }
    }
}

#[inline(always)]
fn vector(values: &[f32], at: usize) -> [f32; LANES] {
    values[at..at + LANES].try_into().expect("a whole vector")
}

#[inline(always)]
fn vector_mut(values: &mut [f32], at: usize) -> &mut [f32; LANES] {
    (&mut values[at..at + LANES]).try_into().expect("a whole vector")
}

/// One row of the table within a vector: returns, for blocks of `2 * HALF` lanes, the sums from the middle outwards
/// (suffixes left of it, prefixes right of it), and widens prefix and suffix to these blocks.
#[inline(always)]
fn within<const HALF: usize>(prefix: &mut [f32; LANES], suffix: &mut [f32; LANES]) -> [f32; LANES] {
    let (before, after) = (*prefix, *suffix);
    let mut row = [0.0; LANES];
    for lane in 0..LANES {
        let middle = (lane & !(2 * HALF - 1)) + HALF;
        let right = lane & HALF != 0;
        row[lane] = if right { before[lane] } else { after[lane] };
        prefix[lane] = before[lane] + if right { before[middle - 1] } else { 0.0 };
        suffix[lane] = after[lane] + if right { 0.0 } else { after[middle] };
    }
    row
}

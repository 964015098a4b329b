//! A lesson: the best game of a level in the form in which policies are adapted toward it.
//!
//! A step's softmax is over the moves legal then, and a move is legal during one interval of steps: it appears
//! once, and once gone it never returns, for its point or its line's cells stay taken. So the gradient of a whole
//! game needs, for each distinct move, its weight added to the sum `z` of every step of its interval, and then the
//! sum of `1/z` over its interval; one exponential per distinct move follows.
//!
//! Interval sums are not differences of prefix sums: `1/z` spans so many magnitudes that those cancel. They are
//! read from a disjoint sparse table: for each power of two, sums from the middle of each block outwards to both
//! sides; an interval that crosses a middle is one entry left of it plus one right of it. All terms are positive.

use super::clocks::exp;
use super::isa::{Collision, Isa, List};
use super::playout::GAME;
use super::policy::{Policy, code, mean_range};
use crate::morpion::board::Board;
use crate::morpion::geometry::Move;
use crate::morpion::variant::Rules;
use crate::strategies::params::Adapt;

/// Steps per block of the sum over intervals, and lanes of every vector loop.
const LANES: usize = 16;
/// Blocks of a game.
const BLOCKS: usize = GAME / LANES;
/// Levels of the disjoint sparse table: 2^9 = GAME.
const HEIGHT: usize = 9;

/// An interval within one block of steps.
#[derive(Clone, Copy, Default)]
struct Piece {
    /// Which move.
    entry: u32,
    /// First lane.
    from: u16,
    /// Lanes after the first.
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
    /// Codes of the distinct moves.
    codes: Vec<u32>,
    /// 1 for a played move, else 0.
    played: Vec<f32>,
    /// Clock means, as they stand in the policy being adapted.
    means: Vec<f32>,
    weights: Vec<f32>,
    /// First and last step of each move.
    spans: Vec<(u16, u16)>,
    /// Where in the table the two parts of each interval's sum stand.
    parts: Vec<[u16; 2]>,
    pieces: Vec<Piece>,
    /// Where each block's pieces begin.
    blocks: [u32; BLOCKS + 1],
    /// Rows of sums: `table[0]` the steps' own values, `table[h]` the sums about the middles of blocks of 2^h; then
    /// one zero.
    table: Box<[f32; GAME * (HEIGHT + 1) + LANES]>,
    list: Box<List<u32>>,
    gone: Box<List<u32>>,
}

impl Lesson {
    pub fn new() -> Lesson {
        Lesson {
            steps: 0,
            count: Box::new([0.0; GAME]),
            entries: 0,
            codes: Vec::new(),
            played: Vec::new(),
            means: Vec::new(),
            weights: Vec::new(),
            spans: Vec::new(),
            parts: Vec::new(),
            pieces: Vec::new(),
            blocks: [0; BLOCKS + 1],
            table: Box::new([0.0; GAME * (HEIGHT + 1) + LANES]),
            list: List::boxed(),
            gone: List::boxed(),
        }
    }

    /// The codes whose weights an adaptation changes.
    pub fn codes(&self) -> &[u32] {
        &self.codes[..self.entries]
    }

    /// Prepares `game`, legal from the start position with legal moves `start_moves`, for `policy`.
    ///
    /// # Safety
    /// The processor has the instruction set `I`.
    #[inline(always)]
    pub unsafe fn prepare<R: Rules, I: Isa>(
        &mut self,
        form: Adapt,
        start: (&Board<R>, &[u32]),
        board: &mut Board<R>,
        game: &[u32],
        policy: &mut Policy,
    ) {
        // SAFETY: the instruction set by the caller's promise; a legal game keeps within the lists' room.
        unsafe {
            match form {
                Adapt::Sequence => self.collect::<R, I>(start, board, game),
                Adapt::Layers => self.collect_layers::<R, I>(start, board, game),
            }
        }
        self.index();
        self.reload(policy);
    }

    /// Fills `codes`, `spans` and `played` from the game, move by move.
    #[inline(always)]
    unsafe fn collect<R: Rules, I: Isa>(
        &mut self,
        (start, start_moves): (&Board<R>, &[u32]),
        board: &mut Board<R>,
        game: &[u32],
    ) {
        self.begin(start_moves);
        board.clone_from(start);
        let (list, gone) = (&mut *self.list, &mut *self.gone);
        for (step, &bits) in game.iter().enumerate() {
            let mv = Move::from_raw(bits);
            board.place(mv);
            // SAFETY: as promised to `prepare`.
            unsafe { I::part(list, Collision::of::<R>(bits), gone) };
            while self.spans.len() < gone.len {
                let at = self.spans.len();
                self.spans.push((gone.data[at] as u16, step as u16));
                self.played.push(f32::from(gone.moves[at] == bits));
            }
            board.moves_through(mv.point(), |new| {
                list.moves[list.len] = new.bits();
                list.data[list.len] = step as u32 + 1;
                list.len += 1;
            });
        }
        self.steps = game.len();
        self.count[..self.steps].fill(1.0);
        self.count[self.steps..].fill(0.0);
        self.finish();
    }

    /// The same, layer by layer: each step plays every move of the game that is legal then.
    #[inline(always)]
    unsafe fn collect_layers<R: Rules, I: Isa>(
        &mut self,
        (start, start_moves): (&Board<R>, &[u32]),
        board: &mut Board<R>,
        game: &[u32],
    ) {
        self.begin(start_moves);
        board.clone_from(start);
        let (list, gone) = (&mut *self.list, &mut *self.gone);
        let mut left = game.to_vec();
        let mut layer = Vec::with_capacity(game.len());
        let mut step = 0;
        self.count.fill(0.0);
        while !left.is_empty() && step < GAME {
            layer.clear();
            left.retain(|&bits| {
                let legal = board.is_legal(Move::from_raw(bits));
                if legal {
                    layer.push(bits);
                }
                !legal
            });
            if layer.is_empty() {
                break;
            }
            self.count[step] = layer.len() as f32;
            for &bits in &layer {
                let mv = Move::from_raw(bits);
                board.place(mv);
                // SAFETY: as promised to `prepare`.
                unsafe { I::part(list, Collision::of::<R>(bits), gone) };
                // A move that came and went within the layer was legal at no step.
                let mut kept = self.spans.len();
                for i in self.spans.len()..gone.len {
                    if gone.data[i] as usize <= step {
                        gone.moves[kept] = gone.moves[i];
                        self.spans.push((gone.data[i] as u16, step as u16));
                        self.played.push(f32::from(gone.moves[i] == bits));
                        kept += 1;
                    }
                }
                gone.len = kept;
                board.moves_through(mv.point(), |new| {
                    list.moves[list.len] = new.bits();
                    list.data[list.len] = step as u32 + 1;
                    list.len += 1;
                });
            }
            step += 1;
        }
        self.steps = step;
        self.finish();
    }

    fn begin(&mut self, start_moves: &[u32]) {
        let list = &mut *self.list;
        list.len = start_moves.len();
        list.moves[..list.len].copy_from_slice(start_moves);
        list.data[..list.len].fill(0);
        self.gone.len = 0;
        self.spans.clear();
        self.played.clear();
    }

    /// What is still legal after the last step (a game cut short, or one whose last layer left moves) belongs to
    /// the steps it was legal in.
    #[inline(always)]
    fn finish(&mut self) {
        let last = self.steps.saturating_sub(1);
        for i in 0..self.list.len {
            if (self.list.data[i] as usize) < self.steps {
                let at = self.gone.len;
                self.gone.moves[at] = self.list.moves[i];
                self.spans.push((self.list.data[i] as u16, last as u16));
                self.gone.len += 1;
            }
        }
        self.entries = self.gone.len;
        let padded = self.entries.next_multiple_of(LANES);
        for column in [&mut self.means, &mut self.weights] {
            if column.len() < padded {
                column.resize(padded, 0.0);
            }
        }
        self.played.resize(padded, 0.0);
        self.codes.clear();
        self.codes.extend(self.gone.moves[..self.entries].iter().map(|&bits| code(Move::from_raw(bits)) as u32));
    }

    /// Fills `pieces`, `blocks` and `parts` from `spans`.
    #[inline(always)]
    fn index(&mut self) {
        let mut fill = [0u32; BLOCKS + 1];
        for &(first, last) in &self.spans[..self.entries] {
            for block in first as usize / LANES..=last as usize / LANES {
                fill[(block + 1) & (2 * BLOCKS - 1)] += 1;
            }
        }
        for block in 0..BLOCKS {
            fill[block + 1] += fill[block];
        }
        self.blocks = fill;
        self.pieces.resize(fill[BLOCKS] as usize, Piece::default());
        self.parts.clear();
        for (entry, &(first, last)) in self.spans[..self.entries].iter().enumerate() {
            let (a, b) = (first as usize, last as usize);
            for block in a / LANES..=b / LANES {
                let from = a.max(block * LANES);
                let until = b.min(block * LANES + LANES - 1);
                self.pieces[fill[block] as usize] =
                    Piece { entry: entry as u32, from: (from - block * LANES) as u16, more: (until - from) as u16 };
                fill[block] += 1;
            }
            self.parts.push(if a == b {
                [a as u16, (GAME * (HEIGHT + 1)) as u16]
            } else {
                let height = (usize::BITS - (a ^ b).leading_zeros()) as usize;
                [(height * GAME + a) as u16, (height * GAME + b) as u16]
            });
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
            for lane in 0..LANES {
                // Steps past the end have no moves; their value is never read but must not be infinite.
                let inverse = self.count[at + lane] / z[lane];
                self.table[at + lane] = if z[lane] > 0.0 { inverse } else { 0.0 };
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
        for (&code, &mean) in self.codes[..self.entries].iter().zip(&self.means) {
            policy.set_mean(code as usize, mean);
        }
    }

    /// Builds the rows of the disjoint sparse table above the first.
    #[inline(always)]
    fn fill_table(&mut self, blocks: usize) {
        let steps = blocks * LANES;
        let (values, rows) = self.table.split_at_mut(GAME);
        // prefix[s], suffix[s]: sums within the block of 2^(h-1) steps that s is in, up to and from s on.
        let mut prefix = [0.0f32; GAME];
        let mut suffix = [0.0f32; GAME];
        prefix[..steps].copy_from_slice(&values[..steps]);
        suffix[..steps].copy_from_slice(&values[..steps]);
        for height in 1..=HEIGHT {
            let half = 1usize << (height - 1);
            if half >= steps {
                break;
            }
            let row = &mut rows[(height - 1) * GAME..height * GAME];
            if half >= LANES {
                for base in (0..steps).step_by(2 * half) {
                    let middle = base + half;
                    row[base..middle].copy_from_slice(&suffix[base..middle]);
                    if middle >= steps {
                        continue;
                    }
                    let end = (middle + half).min(steps);
                    row[middle..end].copy_from_slice(&prefix[middle..end]);
                    let (left, right) = (prefix[middle - 1], suffix[middle]);
                    suffix[base..middle].iter_mut().for_each(|s| *s += right);
                    prefix[middle..end].iter_mut().for_each(|p| *p += left);
                }
            } else {
                for at in (0..steps).step_by(LANES) {
                    let before: [f32; LANES] = prefix[at..at + LANES].try_into().expect("a whole vector");
                    let after: [f32; LANES] = suffix[at..at + LANES].try_into().expect("a whole vector");
                    for lane in 0..LANES {
                        let middle = (lane & !(2 * half - 1)) + half;
                        let in_right = lane & half != 0;
                        row[at + lane] = if in_right { before[lane] } else { after[lane] };
                        prefix[at + lane] = before[lane] + if in_right { before[middle - 1] } else { 0.0 };
                        suffix[at + lane] = after[lane] + if in_right { 0.0 } else { after[middle] };
                    }
                }
            }
        }
    }
}

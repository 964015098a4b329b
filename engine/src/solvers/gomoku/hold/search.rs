//! The search for a defence: proof numbers over the rows that are open.
//!
//! A proof comes with a *zone*: the points that the defender's answers need. Wherever else the attacker plays, it
//! might as well pass, so where the attacker is to move, first a pass is proven, and then the moves in the zone alone
//! (T.-H. Wei and others call this relevance zones; W.-Y. Hsu and others, 2020, solved 7,7,5 and 8,8,5 with zones and
//! pairings). Positions are known by their open rows, so that it does not matter which stones have led there.

use super::pairing::{PairMemory, pair};
use super::rows::{HoldBoard, OpenRows, PointSet, bits};
use crate::solvers::monitor::{Monitor, Stopped};
use ahash::AHashMap;

/// Steps in which a pairing is looked for in each position.
const STEPS: u32 = 400;
/// Steps in which a pairing that is known to exist is looked for again.
const MANY_STEPS: u32 = 1_000_000;
/// Moves of the defender that are searched at first, and that are added when all of these have failed.
const WIDTH: usize = 16;
/// The proof number of a position is that of the hardest move, and one for so many further moves: several moves are
/// often refuted by the same means, so that a sum would be far too large.
const SHARE: u32 = 4;
/// Nodes between two reports.
const REPORT: u64 = 1024;
/// What keys are mixed with, so that the same rows with the one or the other to move are two positions.
const MOVERS: [u64; 2] = [0, 0x9E37_79B9_7F4A_7C15];
/// Of so many places of a table one at least is left empty.
const EMPTY_PART: u64 = 8;
/// Fewest places of a table.
const FEWEST_PLACES: u64 = 64;
/// Proven, or refuted.
const NEVER: u32 = 1_000_000_000;

/// Whose move it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mover {
    /// Who wants a row.
    Attacker,
    /// Who is to prevent it.
    Defender,
}

/// What a search has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoldAnswer {
    /// The defender prevents every row.
    Held,
    /// It does not by its stones alone: the attacker makes a row if it need not mind the defender's rows.
    NotHeld,
    /// The positions that may be visited were not enough to say.
    Open,
}

/// What is known of a position. The zone and the answer are those of the position as the table has it.
#[derive(Debug, Clone, Copy)]
struct Known {
    proof: u32,
    disproof: u32,
    zone: PointSet,
    /// The defender's move, if it is to move and the position is proven, or else [`NO_ANSWER`].
    answer: u8,
    /// Whether it is proven by a pairing of the zone.
    is_paired: bool,
}

/// In place of a move: the position is not proven, or the attacker is to move.
const NO_ANSWER: u8 = u8::MAX;

const HELD: Known = Known { proof: 0, disproof: NEVER, zone: 0, answer: NO_ANSWER, is_paired: false };
const LOST: Known = Known { proof: NEVER, disproof: 0, ..HELD };

impl Known {
    fn open(proof: u32, disproof: u32) -> Known {
        Known { proof, disproof, ..HELD }
    }

    fn is_decided(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

/// A move with the rows that are open after it, and what these are known by.
#[derive(Debug)]
struct NextRows {
    bit: u32,
    rows: OpenRows,
    key: (u64, usize),
}

/// A search on one board. It keeps what it knows from question to question.
#[derive(Debug)]
pub struct HoldSearch<'a> {
    board: &'a HoldBoard,
    monitor: &'a Monitor,
    /// By the keys of the rows, mixed with [`MOVERS`].
    known: AHashMap<u64, Known>,
    memory: PairMemory,
    /// Positions that the monitor knows of.
    reported: u64,
    limit: u64,
}

impl<'a> HoldSearch<'a> {
    /// A search that keeps `limit` positions at most, in a table that grows.
    pub fn new(board: &'a HoldBoard, monitor: &'a Monitor, limit: u64) -> HoldSearch<'a> {
        HoldSearch { board, monitor, known: AHashMap::default(), memory: PairMemory::default(), reported: 0, limit }
    }

    /// The same with a table for all of them from the beginning, which takes half of the memory of one that has to
    /// grow. Where so much cannot be had, it grows.
    pub fn with_table(board: &'a HoldBoard, monitor: &'a Monitor, limit: u64) -> HoldSearch<'a> {
        let mut search = HoldSearch::new(board, monitor, limit);
        let _ = search.known.try_reserve(usize::try_from(limit).unwrap_or(usize::MAX));
        search
    }

    /// Memory of a place of the table.
    const BYTES: u64 = size_of::<(u64, Known)>() as u64 + 1;

    /// Least memory of a table.
    pub const LEAST_MEMORY: u64 = FEWEST_PLACES * HoldSearch::BYTES;

    /// Most positions of a table in so much memory. The number of its places is a power of two.
    pub fn positions_in(memory: u64) -> u64 {
        let places = (memory / HoldSearch::BYTES).max(FEWEST_PLACES);
        let places = 1 << places.ilog2();
        places - places / EMPTY_PART
    }

    /// Positions so far. Those with the defender to move only count if they were searched, or decided at a look.
    pub fn nodes(&self) -> u64 {
        self.known.len() as u64
    }

    /// Whether the defender prevents all of these rows.
    ///
    /// # Errors
    /// The monitor says so.
    pub fn search(&mut self, mover: Mover, rows: &OpenRows) -> Result<HoldAnswer, Stopped> {
        let key = self.board.key(rows);
        let known = self.deepen(mover, rows, key, NEVER, NEVER)?;
        Ok(match known {
            Known { proof: 0, .. } => HoldAnswer::Held,
            Known { disproof: 0, .. } => HoldAnswer::NotHeld,
            _ => HoldAnswer::Open,
        })
    }

    /// The defender's answer where it is to move, if it is known to prevent these rows.
    pub fn answer(&self, rows: &OpenRows) -> Option<u32> {
        let known = self.look(Mover::Defender, self.board.key(rows))?;
        (known.answer != NO_ANSWER).then(|| known.answer.into())
    }

    /// The points that the defence needs where the attacker is to move, if it is known.
    pub fn zone(&self, rows: &OpenRows) -> Option<PointSet> {
        self.look(Mover::Attacker, self.board.key(rows)).filter(|known| known.proof == 0).map(|known| known.zone)
    }

    /// A pairing, if one is found; of points in the zone, if it is known that there is one.
    pub fn pairs(&mut self, rows: &OpenRows) -> Option<Vec<(u32, u32)>> {
        match self.look(Mover::Attacker, self.board.key(rows)) {
            Some(Known { is_paired: true, zone, .. }) => {
                pair(&rows.iter().map(|row| row & zone).collect(), MANY_STEPS, &mut self.memory).ok()
            }
            Some(Known { proof: 0, .. }) => None,
            _ => pair(rows, STEPS, &mut self.memory).ok(),
        }
    }

    /// What is known of rows, carried back from the table.
    fn look(&self, mover: Mover, key: (u64, usize)) -> Option<Known> {
        let known = self.known.get(&(key.0 ^ MOVERS[mover as usize]))?;
        let back = |set| self.board.unapply(key.1, set);
        Some(Known { zone: back(known.zone), answer: carried(known.answer, back), ..*known })
    }

    fn keep(&mut self, mover: Mover, key: (u64, usize), known: Known) -> Known {
        let to = |set| self.board.apply(key.1, set);
        let carried = Known { zone: to(known.zone), answer: carried(known.answer, to), ..known };
        self.known.insert(key.0 ^ MOVERS[mover as usize], carried);
        known
    }

    /// What is known of rows, or else what can be said of them at a look. With the defender to move, nothing is kept
    /// where that is not enough: looking again costs little.
    fn judge(&mut self, mover: Mover, rows: &OpenRows, key: (u64, usize)) -> Known {
        if let Some(known) = self.look(mover, key) {
            return known;
        }
        let undecided = Known::open(1, 1);
        if mover == Mover::Defender && !rows.is_empty() && rows.iter().all(|row| row.count_ones() > 1) {
            return undecided;
        }
        let needed = rows.iter().filter(|row| row.count_ones() == 1).fold(0, |set, row| set | row).count_ones();
        let known = match mover {
            _ if rows.is_empty() => HELD,
            _ if rows.iter().any(|row| row == 0) => LOST,
            Mover::Attacker if needed > 0 => LOST,
            Mover::Attacker => match pair(rows, STEPS, &mut self.memory) {
                Ok(pairs) => {
                    let zone = pairs.iter().fold(0, |zone, &(first, second)| zone | 1 << first | 1 << second);
                    Known { zone, is_paired: true, ..HELD }
                }
                Err(left) => Known::open(1 + left.0, 1),
            },
            Mover::Defender if needed > 1 => LOST,
            Mover::Defender => undecided,
        };
        self.keep(mover, key, known)
    }

    /// Searches until a position is decided, or has at least so great a proof number or disproof number.
    fn deepen(
        &mut self,
        mover: Mover,
        rows: &OpenRows,
        key: (u64, usize),
        most_proof: u32,
        most_disproof: u32,
    ) -> Result<Known, Stopped> {
        if self.nodes() - self.reported >= REPORT {
            self.monitor.report(self.nodes() - self.reported)?;
            self.reported = self.nodes();
        }
        let known = self.judge(mover, rows, key);
        let is_over =
            |known: Known| known.is_decided() || known.proof >= most_proof || known.disproof >= most_disproof;
        if is_over(known) || self.nodes() >= self.limit {
            return Ok(known);
        }
        let known = match mover {
            Mover::Defender => self.deepen_defence(rows, most_proof, most_disproof)?,
            Mover::Attacker => self.deepen_attack(rows, key, most_proof, most_disproof)?,
        };
        Ok(self.keep(mover, key, known))
    }

    /// With the defender to move, one of its moves has to hold.
    fn deepen_defence(&mut self, rows: &OpenRows, most_proof: u32, most_disproof: u32) -> Result<Known, Stopped> {
        let moves = self.defences(rows);
        let mut width = WIDTH.min(moves.len());
        // Rows are only made for moves that are looked at: the first one is often enough.
        let mut nexts: Vec<NextRows> = Vec::with_capacity(width);
        loop {
            let (mut proof, mut second, mut best) = (NEVER, NEVER, 0);
            let (mut disproof, mut alive) = (0, 0);
            for n in 0..width {
                if n == nexts.len() {
                    let bit = moves[n];
                    nexts.push(self.next(bit, rows.defended(bit)));
                }
                let next = &nexts[n];
                let known = self.judge(Mover::Attacker, &next.rows, next.key);
                if known.proof == 0 {
                    return Ok(Known { zone: known.zone | 1 << next.bit, answer: next.bit as u8, ..HELD });
                }
                if known.proof < proof {
                    (proof, second, best) = (known.proof, proof, n);
                } else {
                    second = second.min(known.proof);
                }
                disproof = disproof.max(known.disproof);
                alive += u32::from(known.disproof > 0);
            }
            if alive == 0 {
                if width == moves.len() {
                    return Ok(LOST);
                }
                width = (width + WIDTH).min(moves.len());
                continue;
            }
            let known = Known::open(proof, (disproof + (alive - 1) / SHARE).min(NEVER - 1));
            if proof >= most_proof || known.disproof >= most_disproof || self.nodes() >= self.limit {
                return Ok(known);
            }
            let next = &nexts[best];
            let own = self.judge(Mover::Attacker, &next.rows, next.key).disproof;
            let most = (most_disproof - known.disproof).saturating_add(own).min(NEVER);
            self.deepen(Mover::Attacker, &next.rows, next.key, most_proof.min(with_slack(second)), most)?;
        }
    }

    /// With the attacker to move, a pass and every move in the zone have to fail.
    fn deepen_attack(
        &mut self,
        rows: &OpenRows,
        key: (u64, usize),
        most_proof: u32,
        most_disproof: u32,
    ) -> Result<Known, Stopped> {
        let pass = self.deepen(Mover::Defender, rows, key, most_proof, most_disproof)?;
        if pass.proof != 0 {
            return Ok(Known::open(pass.proof, pass.disproof));
        }
        let better = rows.better();
        let (mut zone, mut tried): (PointSet, PointSet) = (0, 0);
        let mut added = pass.zone;
        let mut nexts: Vec<NextRows> = Vec::new();
        loop {
            // For a move that another one is better than, the other one is tried.
            zone |= bits(added).fold(added, |zone, bit| zone | 1 << better[bit as usize]);
            let moves = bits(zone).filter(|&bit| u32::from(better[bit as usize]) == bit && tried >> bit & 1 == 0);
            for bit in moves.collect::<Vec<_>>() {
                tried |= 1 << bit;
                nexts.push(self.next(bit, rows.attacked(bit)));
            }
            let (mut disproof, mut second, mut best) = (NEVER, NEVER, 0);
            let (mut proof, mut alive) = (0, 0);
            added = 0;
            for (n, next) in nexts.iter().enumerate() {
                let known = self.judge(Mover::Defender, &next.rows, next.key);
                if known.disproof == 0 {
                    return Ok(LOST);
                }
                if known.proof == 0 {
                    added |= known.zone & !zone;
                    continue;
                }
                if known.disproof < disproof {
                    (disproof, second, best) = (known.disproof, disproof, n);
                } else {
                    second = second.min(known.disproof);
                }
                proof = proof.max(known.proof);
                alive += 1;
            }
            if added != 0 {
                continue;
            }
            if alive == 0 {
                return Ok(Known { zone, ..HELD });
            }
            let known = Known::open((proof + (alive - 1) / SHARE).min(NEVER - 1), disproof);
            if known.proof >= most_proof || disproof >= most_disproof || self.nodes() >= self.limit {
                return Ok(known);
            }
            let next = &nexts[best];
            let own = self.judge(Mover::Defender, &next.rows, next.key).proof;
            let most = (most_proof - known.proof).saturating_add(own).min(NEVER);
            self.deepen(Mover::Defender, &next.rows, next.key, most, most_disproof.min(with_slack(second)))?;
        }
    }

    /// The defender's moves: the one that is forced, or those that no other one is better than, those in many nearly
    /// finished rows first.
    fn defences(&self, rows: &OpenRows) -> Vec<u32> {
        let forced = rows.iter().find(|row| row.count_ones() == 1);
        let better = rows.better();
        let all = rows.points();
        let moves = forced.unwrap_or_else(|| {
            bits(all).filter(|&bit| u32::from(better[bit as usize]) == bit).fold(0, |set, bit| set | 1 << bit)
        });
        let mut weights = [0u64; PointSet::BITS as usize];
        for row in rows.iter() {
            // A row of n points weighs 2^-n.
            let weight = 1u64 << (62 - row.count_ones().min(62));
            bits(row).for_each(|bit| weights[bit as usize] = weights[bit as usize].saturating_add(weight));
        }
        let mut moves: Vec<u32> = bits(moves).collect();
        moves.sort_by_key(|&bit| std::cmp::Reverse(weights[bit as usize]));
        moves
    }

    fn next(&self, bit: u32, rows: OpenRows) -> NextRows {
        let key = self.board.key(&rows);
        NextRows { bit, rows, key }
    }
}

/// A limit somewhat above the second best, so that a search does not go to and fro.
fn with_slack(second: u32) -> u32 {
    second.saturating_add(1 + second / 4)
}

/// Where a symmetry carries a move.
fn carried(answer: u8, to: impl Fn(PointSet) -> PointSet) -> u8 {
    if answer == NO_ANSWER { NO_ANSWER } else { to(1 << answer).trailing_zeros() as u8 }
}

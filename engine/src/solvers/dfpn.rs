//! Depth-first proof-number search, df-pn (A. Nagai 2002; proof numbers by L. V. Allis 1994).
//!
//! The question is whether the side to move can get at least a given value. The proof number of a position is the
//! least number of unsolved positions that have to be won to answer yes, the disproof number the same for no. Always
//! the most proving position is developed: one that a proof and a disproof both need. Instead of a tree in memory
//! there are thresholds: a position is searched on until its numbers show that another one has become more promising,
//! and the numbers are kept in a table.
//!
//! In negamax form: `phi` counts for the side to move, `delta` against it, and a child's numbers are exchanged. New
//! positions begin with the number of their moves as disproof number. A threshold exceeds the second best sibling by
//! a quarter (the 1 + epsilon of J. Pawlewicz and Ł. Lew, 2007), so that the search does not jump between siblings.
//!
//! A transposition counts more than once in a sum; this makes numbers too large, never an answer wrong. For games
//! with repetition the key of a position tells apart how it came about ([`Game::put_past_in_key`]), which is right
//! but makes transpositions rare.

use super::monitor::{INTERVAL, Monitor, Stopped};
use super::search::Stats;
use super::solve::{Engine, EngineError};
use super::table::Table;
use crate::core::game::{Game, Value};

/// A number that no search brings down: the question is answered.
const INFINITY: u32 = (1 << 28) - 1;
/// Greatest depth of the recursion in plies, against games without end.
const DEEPEST: u32 = 2000;

/// Proof number and disproof number of a position for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Numbers {
    phi: u32,
    delta: u32,
}

impl Numbers {
    const PROVEN: Numbers = Numbers { phi: 0, delta: INFINITY };
    const DISPROVEN: Numbers = Numbers { phi: INFINITY, delta: 0 };
}

/// The engine: it answers each question about a window by questions of yes or no.
#[derive(Debug)]
pub struct Dfpn<'a> {
    /// Whether symmetric positions share their numbers.
    pub symmetry: bool,
    /// Whether the game's own bounds are asked.
    pub bounds: bool,
    /// Its memory between questions and between threads.
    pub table: &'a Table,
    /// Who watches it.
    pub monitor: &'a Monitor,
    /// What was done so far.
    pub stats: Stats,
}

impl<G: Game> Engine<G> for Dfpn<'_> {
    /// One question for a null window, several for a wider one, halving it: values are whole points.
    fn value(&mut self, position: &G, alpha: Value, beta: Value) -> Result<Value, EngineError> {
        let mut low = alpha.div_euclid(G::POINT);
        let mut high = -(-beta).div_euclid(G::POINT);
        while low < high {
            let middle = high - (high - low) / 2;
            if self.reaches(position, middle * G::POINT)? {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        Ok(low * G::POINT)
    }

    fn hint(&self, _position: &G) -> Option<G::Move> {
        None
    }

    fn stats(&self) -> Stats {
        self.stats
    }
}

impl Dfpn<'_> {
    /// Whether the side to move gets at least `target`.
    ///
    /// # Errors
    /// The search is to stop, or the game has no end within `DEEPEST` plies.
    pub fn reaches<G: Game>(&mut self, position: &G, target: Value) -> Result<bool, EngineError> {
        let mut position = position.clone();
        position.put_past_in_key();
        let mut search = DfpnSearch { position, engine: self, moves: Vec::new(), children: Vec::new(), reported: 0 };
        search.engine.stats.nodes += 1;
        let numbers = match search.settled(target) {
            (Some(numbers), _) => numbers,
            (None, _) => search.develop(target, Numbers { phi: INFINITY, delta: INFINITY }, 0)?,
        };
        let _ = search.report();
        Ok(numbers.phi == 0)
    }
}

/// A child of an open node.
#[derive(Debug, Clone, Copy)]
struct DfpnChild<M> {
    m: M,
    hash: u64,
    /// What was known when it was last looked at.
    last: Numbers,
}

/// One question being answered.
struct DfpnSearch<'e, 'a, G: Game> {
    position: G,
    engine: &'e mut Dfpn<'a>,
    moves: Vec<G::Move>,
    /// The children of all open nodes, those of the last at the end.
    children: Vec<DfpnChild<G::Move>>,
    reported: u64,
}

impl<G: Game> DfpnSearch<'_, '_, G> {
    fn report(&mut self) -> Result<(), Stopped> {
        let nodes = self.engine.stats.nodes - self.reported;
        self.reported = self.engine.stats.nodes;
        self.engine.monitor.report(nodes)
    }

    /// The numbers of the position if it answers the question by itself, and the number of its moves. Leaves the
    /// moves in `self.moves`.
    fn settled(&mut self, target: Value) -> (Option<Numbers>, usize) {
        self.moves.clear();
        self.position.moves(&mut self.moves);
        let is = |yes| Some(if yes { Numbers::PROVEN } else { Numbers::DISPROVEN });
        if self.moves.is_empty() {
            return (is(self.position.outcome() >= target), 0);
        }
        if self.engine.bounds {
            let (lower, upper) = self.position.bounds();
            if lower >= target || upper < target {
                self.engine.stats.bound_cutoffs += 1;
                return (is(lower >= target), self.moves.len());
            }
        }
        (None, self.moves.len())
    }

    /// The table's name for the question whether the side to move gets `target` here.
    fn hash(&self, target: Value) -> u64 {
        let key = if self.engine.symmetry { self.position.symmetric_key() } else { self.position.key() };
        (key.hash ^ (target as u32 as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }

    fn numbers(&self, child: &DfpnChild<G::Move>) -> Numbers {
        if child.last.phi == 0 || child.last.delta == 0 {
            return child.last;
        }
        self.engine
            .table
            .get(child.hash)
            .map_or(child.last, |data| Numbers { phi: data as u32 & INFINITY, delta: (data >> 28) as u32 & INFINITY })
    }

    /// Develops the position until one of its numbers reaches its threshold. Its moves are in `self.moves`.
    fn develop(&mut self, target: Value, limits: Numbers, depth: u32) -> Result<Numbers, EngineError> {
        if depth > DEEPEST {
            return Err(EngineError::TooDeep(DEEPEST));
        }
        let begun = self.engine.stats.nodes;
        let (first, hash) = (self.children.len(), self.hash(target));
        // A child's question is the opponent's: to get more than what is left to him if this side gets its target.
        let theirs = 1 - target;
        for m in std::mem::take(&mut self.moves) {
            let undo = self.position.play(m);
            self.engine.stats.nodes += 1;
            let hash = self.hash(theirs);
            let numbers = match self.settled(theirs) {
                (Some(numbers), _) => numbers,
                (None, count) => Numbers { phi: 1, delta: count as u32 },
            };
            self.position.undo(m, undo);
            self.children.push(DfpnChild { m, hash, last: numbers });
        }
        if self.engine.stats.nodes - self.reported >= INTERVAL {
            self.report()?;
        }
        loop {
            // The child with the least delta, the least delta of the others, and the sum of all phi.
            let (mut best, mut phi, mut second, mut delta) = (first, INFINITY + 1, INFINITY, 0u32);
            let mut of_best = Numbers { phi: 0, delta: 0 };
            for i in first..self.children.len() {
                let numbers = self.numbers(&self.children[i]);
                delta = if numbers.phi == INFINITY || delta == INFINITY {
                    INFINITY
                } else {
                    (delta + numbers.phi).min(INFINITY - 1)
                };
                if numbers.delta < phi {
                    second = phi.min(INFINITY);
                    (best, phi, of_best) = (i, numbers.delta, numbers);
                } else {
                    second = second.min(numbers.delta);
                }
            }
            let numbers = Numbers { phi, delta };
            if phi >= limits.phi || delta >= limits.delta || phi == 0 || delta == 0 {
                let data = u64::from(phi) | u64::from(delta) << 28;
                self.engine.table.put(hash, data, self.engine.stats.nodes - begun);
                self.children.truncate(first);
                return Ok(numbers);
            }
            let below = Numbers {
                phi: (limits.delta - delta).saturating_add(of_best.phi).min(INFINITY),
                delta: limits.phi.min(second.saturating_add(second / 4 + 1)).min(INFINITY),
            };
            let m = self.children[best].m;
            let undo = self.position.play(m);
            self.moves.clear();
            self.position.moves(&mut self.moves);
            // Kept here, too, in case the table loses it: else the search might not get on.
            self.children[best].last = self.develop(theirs, below, depth + 1)?;
            self.position.undo(m, undo);
        }
    }
}

//! Stones in chains, with their liberties, kept up to date from move to move.
//!
//! A chain goes by the number of one of its stones, its root. A stone that is put down joins the chains beside it
//! under the largest one's root; one that is taken back leaves the rest to be found anew by walking, which happens to
//! few chains.

use super::points::{LargeBoard, MOST_POINTS, Neighbours, PointSet, Spread};
use crate::core::game::Side;
use crate::core::seed::derive;
use std::sync::{Arc, OnceLock};

/// A chain: stones of one colour that are connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Chain {
    /// The points of its stones.
    pub stones: PointSet,
    /// The empty points next to them.
    pub liberties: PointSet,
    /// The xor of the hashes of its stones.
    hash: u128,
}

/// The stones on a board.
#[derive(Debug, Clone)]
pub struct Chains {
    size: LargeBoard,
    near: Arc<[Neighbours]>,
    spread: Spread,
    colours: Vec<Option<Side>>,
    /// The points without a stone.
    empty: PointSet,
    /// The root of each stone's chain; of an empty point it means nothing.
    roots: Vec<u16>,
    /// The chains by their roots; others mean nothing.
    chains: Vec<Chain>,
    /// The xor of the hashes of all stones.
    hash: u128,
}

/// What a stone took off the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Taken {
    /// Stones of the other side.
    pub captured: PointSet,
    /// Stones of its own side, itself among them.
    pub suicide: PointSet,
}

/// The hash of a stone.
fn hash(colour: Side, x: u8, y: u8) -> u128 {
    static ALL: OnceLock<Vec<u128>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let half = |i: u64, part: u64| u128::from(derive(0x60BA_0001, &[i, part]));
        (0..2 * MOST_POINTS as u64).map(|i| half(i, 0) << 64 | half(i, 1)).collect()
    });
    let place = 19 * usize::from(y) + usize::from(x);
    all[2 * place + usize::from(colour == Side::Second)]
}

impl Chains {
    /// The empty board.
    pub fn new(size: LargeBoard) -> Chains {
        let area = usize::from(size.area());
        let (colours, roots, chains) = (vec![None; area], vec![0; area], vec![Chain::default(); area]);
        let spread = Spread::new(size);
        Chains { size, near: size.neighbours(), spread, empty: *spread.all(), colours, roots, chains, hash: 0 }
    }

    /// The board's size.
    pub fn size(&self) -> LargeBoard {
        self.size
    }

    /// The stone on a point.
    #[inline]
    pub fn colour(&self, point: u16) -> Option<Side> {
        self.colours[usize::from(point)]
    }

    /// The points next to a point.
    #[inline]
    pub fn near(&self, point: u16) -> &[u16] {
        self.near[usize::from(point)].get()
    }

    /// The chain of the stone on a point; `None` if it is empty.
    #[inline]
    pub fn chain(&self, point: u16) -> Option<&Chain> {
        self.colour(point)?;
        Some(self.at(point))
    }

    /// The root of the chain of the stone on a point: the same for all its stones until the next change of the board.
    #[inline]
    pub fn root(&self, point: u16) -> u16 {
        self.roots[usize::from(point)]
    }

    /// The empty points.
    #[inline]
    pub fn empty(&self) -> &PointSet {
        &self.empty
    }

    /// The number of liberties of the stone on a point; 0 if it is empty.
    #[inline]
    pub fn liberty_count(&self, point: u16) -> u32 {
        self.chain(point).map_or(0, |chain| chain.liberties.len())
    }

    /// The points next to a set of points that are not in it.
    pub fn border(&self, points: &PointSet) -> PointSet {
        let mut border = self.spread.beside(points);
        border.subtract(points);
        border
    }

    /// The hash of the board.
    #[inline]
    pub fn hash(&self) -> u128 {
        self.hash
    }

    #[inline]
    fn at(&self, point: u16) -> &Chain {
        &self.chains[usize::from(self.roots[usize::from(point)])]
    }

    #[inline]
    fn at_mut(&mut self, point: u16) -> &mut Chain {
        &mut self.chains[usize::from(self.roots[usize::from(point)])]
    }

    fn hash_of(&self, point: u16, colour: Side) -> u128 {
        let (x, y) = self.size.place(point);
        hash(colour, x, y)
    }

    /// What a stone on an empty point would come to: `None` if it would be without liberties alone. Else the hash of
    /// the board after it, and whether its own chain would be taken off.
    pub fn look(&self, point: u16, colour: Side) -> Option<(u128, bool)> {
        let mut after = self.hash ^ self.hash_of(point, colour);
        let (mut lives, mut joins) = (false, false);
        let mut seen = [u16::MAX; 4];
        for (i, &near) in self.near(point).iter().enumerate() {
            let Some(other) = self.colour(near) else {
                lives = true;
                continue;
            };
            let root = self.roots[usize::from(near)];
            if seen.contains(&root) {
                continue;
            }
            seen[i] = root;
            let chain = &self.chains[usize::from(root)];
            let last = chain.liberties.single().is_some();
            if other == colour {
                joins = true;
                lives |= !last;
            } else if last {
                lives = true;
                after ^= chain.hash;
            }
        }
        if lives {
            return Some((after, false));
        }
        // All that is left of the chain is its points.
        joins.then(|| {
            let own = seen.iter().filter(|&&root| root != u16::MAX && self.colour(root) == Some(colour));
            let all = own
                .fold(after ^ self.hash_of(point, colour), |hash, &root| hash ^ self.chains[usize::from(root)].hash);
            (all, true)
        })
    }

    /// Puts a stone on an empty point, and takes off what has no liberties then: of the other side first.
    pub fn put(&mut self, point: u16, colour: Side) -> Taken {
        self.add(point, colour);
        let near = self.near[usize::from(point)];
        let mut taken = Taken::default();
        for &other in near.get() {
            if self.colour(other) == Some(colour.other()) && self.at(other).liberties.is_empty() {
                let stones = self.at(other).stones;
                taken.captured.union(&stones);
                self.take_off(&stones);
            }
        }
        if self.at(point).liberties.is_empty() {
            taken.suicide = self.at(point).stones;
            self.take_off(&taken.suicide.clone());
        }
        taken
    }

    /// Puts a stone on an empty point and takes nothing off: for positions that are set up.
    pub fn set(&mut self, point: u16, colour: Side) {
        self.add(point, colour);
    }

    /// Takes back the stone that was put last, on `point`, and puts back what it took.
    pub fn take_back(&mut self, point: u16, colour: Side, taken: &Taken) {
        if taken.suicide.is_empty() {
            self.remove(point, colour);
        } else {
            let others: PointSet = taken.suicide.iter().filter(|&other| other != point).collect();
            self.put_back(&others, colour);
        }
        self.put_back(&taken.captured, colour.other());
    }

    /// Adds a stone and joins it with its neighbours.
    fn add(&mut self, point: u16, colour: Side) {
        let near = self.near[usize::from(point)];
        let hash = self.hash_of(point, colour);
        let mut own = Chain { hash, ..Chain::default() };
        own.stones.insert(point);
        let (mut root, mut most) = (point, 0);
        for &other in near.get() {
            match self.colour(other) {
                None => own.liberties.insert(other),
                Some(of) => {
                    self.at_mut(other).liberties.remove(point);
                    let stones = self.at(other).stones.len();
                    if of == colour && stones > most {
                        (root, most) = (self.roots[usize::from(other)], stones);
                    }
                }
            }
        }
        self.colours[usize::from(point)] = Some(colour);
        self.empty.remove(point);
        self.roots[usize::from(point)] = point;
        self.chains[usize::from(point)] = own;
        self.hash ^= hash;
        self.join(point, root);
        for &other in near.get() {
            if self.colour(other) == Some(colour) {
                self.join(self.roots[usize::from(other)], root);
            }
        }
    }

    /// Joins the chain at one root to that at another.
    fn join(&mut self, small: u16, large: u16) {
        if small == large {
            return;
        }
        let Chain { stones, liberties, hash } = self.chains[usize::from(small)];
        for stone in stones.iter() {
            self.roots[usize::from(stone)] = large;
        }
        let chain = &mut self.chains[usize::from(large)];
        chain.stones.union(&stones);
        chain.liberties.union(&liberties);
        chain.hash ^= hash;
    }

    /// Makes these points empty: whole chains of one side.
    fn take_off(&mut self, stones: &PointSet) {
        self.empty.union(stones);
        for stone in stones.iter() {
            if let Some(colour) = self.colours[usize::from(stone)].take() {
                self.hash ^= self.hash_of(stone, colour);
            }
        }
        for stone in stones.iter() {
            let near = self.near[usize::from(stone)];
            for &other in near.get() {
                if self.colour(other).is_some() {
                    self.at_mut(other).liberties.insert(stone);
                }
            }
        }
    }

    /// Makes one point empty and finds what is left of its chain anew.
    fn remove(&mut self, point: u16, colour: Side) {
        let hash = self.hash_of(point, colour);
        self.colours[usize::from(point)] = None;
        self.empty.insert(point);
        self.hash ^= hash;
        let near = self.near[usize::from(point)];
        let (mut own, mut last) = (0, point);
        for &other in near.get() {
            match self.colour(other) {
                Some(of) if of == colour => (own, last) = (own + 1, other),
                Some(_) => self.at_mut(other).liberties.insert(point),
                None => (),
            }
        }
        if own == 1 {
            self.shorten(point, last, hash);
        } else if own > 1 {
            let mut found = PointSet::EMPTY;
            for &other in near.get() {
                if self.colour(other) == Some(colour) && !found.contains(other) {
                    found.union(&self.find(other, colour));
                }
            }
        }
    }

    /// Takes a point that is empty by now out of a chain that it touched in one stone alone, `last`: so the rest
    /// holds together. `hash` is that of the stone which was there.
    fn shorten(&mut self, point: u16, last: u16, hash: u128) {
        let mut root = self.roots[usize::from(last)];
        if root == point {
            let chain = self.chains[usize::from(root)];
            root = last;
            for stone in chain.stones.iter() {
                self.roots[usize::from(stone)] = root;
            }
            self.chains[usize::from(root)] = chain;
        }
        let near = self.near[usize::from(point)];
        let mut chain = self.chains[usize::from(root)];
        chain.stones.remove(point);
        chain.liberties.insert(point);
        chain.hash ^= hash;
        for &empty in near.get().iter().filter(|&&other| self.colour(other).is_none()) {
            if !self.near(empty).iter().any(|&stone| chain.stones.contains(stone)) {
                chain.liberties.remove(empty);
            }
        }
        self.chains[usize::from(root)] = chain;
    }

    /// Puts stones back that were chains.
    fn put_back(&mut self, stones: &PointSet, colour: Side) {
        self.empty.subtract(stones);
        for stone in stones.iter() {
            self.colours[usize::from(stone)] = Some(colour);
            self.hash ^= self.hash_of(stone, colour);
        }
        let mut found = PointSet::EMPTY;
        for stone in stones.iter() {
            if !found.contains(stone) {
                found.union(&self.find(stone, colour));
            }
            let near = self.near[usize::from(stone)];
            for &other in near.get() {
                if self.colour(other) == Some(colour.other()) {
                    self.at_mut(other).liberties.remove(stone);
                }
            }
        }
    }

    /// Walks the chain of a stone and notes it under this root; its stones.
    fn find(&mut self, root: u16, colour: Side) -> PointSet {
        let mut chain = Chain::default();
        // Each stone is put in once.
        let (mut open, mut length) = ([0u16; MOST_POINTS], 1);
        open[0] = root;
        chain.stones.insert(root);
        while length > 0 {
            length -= 1;
            let stone = open[length];
            chain.hash ^= self.hash_of(stone, colour);
            self.roots[usize::from(stone)] = root;
            let near = self.near[usize::from(stone)];
            for &other in near.get() {
                match self.colour(other) {
                    None => chain.liberties.insert(other),
                    Some(of) if of == colour && !chain.stones.contains(other) => {
                        chain.stones.insert(other);
                        open[length] = other;
                        length += 1;
                    }
                    Some(_) => (),
                }
            }
        }
        self.chains[usize::from(root)] = chain;
        chain.stones
    }

    /// The first side's area less the other's: stones, and empty points that reach stones of one side only.
    pub fn score(&self) -> i32 {
        let (mut score, mut seen) = (0, PointSet::EMPTY);
        for point in 0..self.size.area() {
            match self.colour(point) {
                Some(Side::First) => score += 1,
                Some(Side::Second) => score -= 1,
                None if seen.contains(point) => (),
                None => {
                    let (mut open, mut points, mut first, mut second) = (vec![point], 0, false, false);
                    seen.insert(point);
                    while let Some(at) = open.pop() {
                        points += 1;
                        for &near in self.near(at) {
                            match self.colour(near) {
                                Some(Side::First) => first = true,
                                Some(Side::Second) => second = true,
                                None if seen.contains(near) => (),
                                None => {
                                    seen.insert(near);
                                    open.push(near);
                                }
                            }
                        }
                    }
                    score += points * (i32::from(first && !second) - i32::from(second && !first));
                }
            }
        }
        score
    }

    /// Whether everything that is kept is as it would be found anew.
    ///
    /// # Errors
    /// The first thing that is not.
    pub fn check(&self) -> Result<(), String> {
        let mut anew = Chains::new(self.size);
        for point in 0..self.size.area() {
            if let Some(colour) = self.colour(point) {
                anew.add(point, colour);
            }
        }
        if anew.empty != self.empty {
            return Err("the empty points are not those without a stone".to_owned());
        }
        if anew.hash != self.hash {
            return Err("the hash of the board is not that of its stones".to_owned());
        }
        for point in (0..self.size.area()).filter(|&point| self.colour(point).is_some()) {
            if self.at(point) != anew.at(point) {
                return Err(format!(
                    "{}: {:?} instead of {:?}",
                    self.size.name(point),
                    self.at(point),
                    anew.at(point)
                ));
            }
        }
        Ok(())
    }
}

//! What a proof rests on when boards of the past are forbidden, and a memory of such proofs.
//!
//! Under positional superko whether a side wins depends on all boards of the past (the graph-history interaction, A.
//! Palay 1985). A proof is a tree: one move of the winner's in each position, all moves of the other side's. It was
//! found for one past, and holds for another one, if
//!
//! - the boards that forbade moves of the **loser's** in it are in that past, too, but for those that the tree itself
//!   makes on the way ([`Proof::rests`]);
//! - none of the boards that the **winner's** stones make in it is in that past ([`Proof::made`]); and
//! - no stone of the winner's lived unconditionally in that past where the tree ends with an area that is sure but
//!   has no stone of the winner's there ([`Proof::area`]; [`super::superko`] says why).
//!
//! More boards in the past only take moves from the loser besides. What has to be known for this is put together from
//! what is known of the children. The set of boards made is kept as a larger set that takes fixed room: where it is
//! too large, nothing is wrong, the proof is not used again, and the position is searched. (A. Kishimoto and M.
//! Müller, "A general solution to the graph history interaction problem", 2004, walk through the stored tree once
//! more instead, each time with the new past.)
//!
//! A past that is the same set of boards always fits.

use super::conditional::Plies;

/// Boards that a stored proof can rest on; one that rests on more is used for the same past only.
pub const MOST_BOARDS: usize = 5;
/// Certificates in a bucket.
const BUCKET: usize = 4;
/// Buckets at least.
const LEAST: usize = 1 << 4;

/// A set of boards, in fixed room: it may hold boards that were not put into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Boards {
    /// Black and white stones that all of them have.
    all: [u64; 2],
    /// Those that any of them has.
    any: [u64; 2],
    /// Numbers of stones.
    sizes: u64,
    /// Hashes, six bits of each (B. Bloom 1970).
    hashes: u64,
}

impl Boards {
    /// The set without boards.
    pub const NONE: Boards = Boards { all: [u64::MAX; 2], any: [0; 2], sizes: 0, hashes: 0 };

    /// Whether there are none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.sizes == 0
    }

    /// Puts a board into the set. Symmetric boards have the same hash.
    #[inline(always)]
    pub fn add(&mut self, stones: [u64; 2], hash: u64) {
        for (i, of_colour) in stones.into_iter().enumerate() {
            self.all[i] &= of_colour;
            self.any[i] |= of_colour;
        }
        self.sizes |= 1 << (stones[0] | stones[1]).count_ones();
        self.hashes |= 1 << (hash >> 58);
    }

    /// Puts all boards of another set into this one.
    #[inline(always)]
    pub fn join(&mut self, other: &Boards) {
        for i in 0..2 {
            self.all[i] &= other.all[i];
            self.any[i] |= other.any[i];
        }
        self.sizes |= other.sizes;
        self.hashes |= other.hashes;
    }

    /// Whether a board may be in the set.
    #[inline(always)]
    pub fn may_hold(&self, stones: [u64; 2], hash: u64) -> bool {
        let apart =
            self.all[0] & !stones[0] | self.all[1] & !stones[1] | stones[0] & !self.any[0] | stones[1] & !self.any[1];
        apart == 0
            && self.sizes >> (stones[0] | stones[1]).count_ones() & 1 != 0
            && self.hashes >> (hash >> 58) & 1 != 0
    }

    /// The boards carried by a symmetry.
    #[inline]
    pub fn carried(&self, by: impl Fn(u64) -> u64) -> Boards {
        if self.is_empty() {
            return *self;
        }
        Boards { all: self.all.map(&by), any: self.any.map(&by), ..*self }
    }
}

/// What a proof rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proof {
    /// Plies whose boards forbid moves of the loser's, all above the position.
    pub rests: Plies,
    /// Boards that the winner's stones make.
    pub made: Boards,
    /// Points without a stone of the winner's that are sure for it where the tree ends by what lives.
    pub area: u64,
}

impl Proof {
    /// Of a game that is over.
    pub const NONE: Proof = Proof { rests: Plies::NONE, made: Boards::NONE, area: 0 };

    /// Absorbs what the proof of another position rests on.
    #[inline(always)]
    pub fn join(&mut self, other: &Proof) {
        self.rests.add(&other.rests);
        self.made.join(&other.made);
        self.area |= other.area;
    }
}

/// A proof that is stored, carried by the symmetry that the key of the position is of.
#[derive(Debug, Clone, Copy)]
pub struct Certificate {
    /// Key of the position.
    pub key: u64,
    /// Hash of the past that it was found for.
    pub past: u64,
    /// Hashes of the boards that it rests on.
    pub boards: [u64; MOST_BOARDS],
    /// How many there are; one more than [`MOST_BOARDS`] if there are too many.
    pub count: u8,
    /// Who has won: the attacker if true.
    pub yes: bool,
    /// Binary logarithm of the nodes that it took, and 1; 0 if there is nothing here.
    pub effort: u8,
    /// As [`Proof::made`], carried by the symmetry.
    pub made: Boards,
    /// As [`Proof::area`], carried by the symmetry.
    pub area: u64,
}

impl Certificate {
    const NONE: Certificate = Certificate {
        key: 0,
        past: 0,
        boards: [0; MOST_BOARDS],
        count: 0,
        yes: false,
        effort: 0,
        made: Boards::NONE,
        area: 0,
    };

    /// Whether another one says what this one says, for the same pasts as far as the boards that it rests on go.
    fn is_like(&self, other: &Certificate) -> bool {
        let many = usize::from(self.count) > MOST_BOARDS;
        (self.key, self.yes, self.count, self.boards) == (other.key, other.yes, other.count, other.boards)
            && (!many || self.past == other.past)
    }
}

/// The memory. It begins small.
#[derive(Debug)]
pub struct Certificates {
    buckets: Vec<[Certificate; BUCKET]>,
    used: usize,
    most: usize,
}

impl Certificates {
    /// One that takes at most so many bytes.
    pub fn new(bytes: u64) -> Certificates {
        let most = usize::try_from(bytes / size_of::<[Certificate; BUCKET]>() as u64).unwrap_or(usize::MAX);
        let most = 1usize << most.clamp(LEAST, 1 << 30).ilog2();
        Certificates { buckets: vec![[Certificate::NONE; BUCKET]; LEAST], used: 0, most }
    }

    #[inline(always)]
    fn place(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & (self.buckets.len() - 1)
    }

    /// What is known of a position.
    #[inline]
    pub fn get(&self, key: u64) -> impl Iterator<Item = &Certificate> {
        self.buckets[self.place(key)].iter().filter(move |known| known.key == key && known.effort != 0)
    }

    /// Stores a proof, in place of one like it or of the one that took least effort.
    pub fn put(&mut self, new: Certificate) {
        if self.used > self.buckets.len() * BUCKET / 2 && self.buckets.len() < self.most {
            let twice = vec![[Certificate::NONE; BUCKET]; 2 * self.buckets.len()];
            let old = std::mem::replace(&mut self.buckets, twice);
            self.used = 0;
            old.into_iter().flatten().filter(|known| known.effort != 0).for_each(|known| self.put(known));
        }
        let place = self.place(new.key);
        let bucket = &mut self.buckets[place];
        let at = bucket.iter().position(|known| known.effort != 0 && known.is_like(&new)).unwrap_or_else(|| {
            let efforts = bucket.iter().map(|known| known.effort).enumerate();
            efforts.min_by_key(|&(_, effort)| effort).map_or(0, |(i, _)| i)
        });
        self.used += usize::from(bucket[at].effort == 0);
        bucket[at] = new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed;
    use rand::RngExt;

    #[test]
    fn a_set_holds_what_was_put_into_it_and_what_sets_joined_hold() {
        let mut rng = seed::rng(3, &[]);
        let mut board = || {
            let (a, b) = (rng.random_range(0..1u64 << 12), rng.random_range(0..1u64 << 12));
            ([a & !b, b & !a], rng.random_range(0..=u64::MAX))
        };
        let mut kept_out = 0;
        for _ in 0..200 {
            let boards: [_; 6] = std::array::from_fn(|_| board());
            let (mut one, mut two) = (Boards::NONE, Boards::NONE);
            assert!(one.is_empty() && boards.iter().all(|&(stones, hash)| !one.may_hold(stones, hash)));
            boards[..3].iter().for_each(|&(stones, hash)| one.add(stones, hash));
            boards[3..].iter().for_each(|&(stones, hash)| two.add(stones, hash));
            let mut both = one;
            both.join(&two);
            both.join(&Boards::NONE);
            assert!(boards.iter().all(|&(stones, hash)| both.may_hold(stones, hash)) && !both.is_empty());
            let carried = both.carried(|set| set << 3);
            assert!(boards.iter().all(|&(stones, hash)| carried.may_hold(stones.map(|set| set << 3), hash)));
            let (stones, hash) = board();
            kept_out += u32::from(!one.may_hold(stones, hash));
        }
        assert!(kept_out > 150, "{kept_out}");
    }

    #[test]
    fn the_memory_grows_and_keeps_what_took_most_effort() {
        let certificate = |key, past, effort| Certificate { key, past, effort, count: 1, ..Certificate::NONE };
        let mut memory = Certificates::new(1 << 16);
        for key in 1..10_000 {
            memory.put(certificate(key, 0, 1));
            assert_eq!(memory.get(key).count(), 1);
        }
        assert!(memory.buckets.len() <= memory.most && memory.most * size_of::<[Certificate; BUCKET]>() <= 1 << 16);
        // Certificates that rest on different boards stand side by side, and one that took effort stays.
        let mut long = certificate(5, 7, 40);
        long.boards[0] = 99;
        memory.put(long);
        (1..10_000).for_each(|key| memory.put(certificate(key, 1, 2)));
        assert!(memory.get(5).any(|known| known.boards[0] == 99));
        // One that rests on the same boards takes its place.
        memory.put(Certificate { past: 8, ..long });
        assert_eq!(
            memory.get(5).filter(|known| known.boards[0] == 99).map(|known| known.past).collect::<Vec<_>>(),
            [8]
        );
        assert_eq!(memory.get(0).count(), 0);
    }
}

//! What is sure for a colour that answers: life and area by pairs of points, of which the owner gets one (miai).
//!
//! Unconditional life ([`super::life`]) lets the owner pass for ever. Here it answers each enemy move locally, if need be, so
//! less has to be on the board; compare the static recognition of territory in E. van der Werf, "AI techniques for the
//! game of Go", 2004, chapter 6. A **pair** is two empty points that serve one purpose only: when the enemy takes one, the owner
//! takes the other.
//!
//! - Chains with two common liberties that make a pair are one **group**.
//! - A region (a connected set of points without own stones) is vital to a group if each of its points is next to
//!   the group, or has two neighbours in it that are next to the group and make a pair.
//! - A group lives if it has two vital regions, and all chains around them belong to living groups; what fails is struck out
//!   until nothing changes.
//! - A region around which all chains live is the owner's if it is vital to a living group. It is so, too, if all
//!   its points but one at most are next to living groups or have such pairs: the enemy cannot make two eyes in it.
//!
//! Why this holds, the enemy being to move and the points of the pairs empty. No stone of a living group is in danger: a
//! chain that is not yet connected to the rest of its group has both points of a pair as liberties, and a whole group has a liberty
//! in each of two regions, so the enemy never takes the last one. Its move meets one pair at most, since no point belongs to
//! two; after the answer all is as before. The answer is legal: the stone belongs to a living group, and no ko can be there, for
//! what was captured next to a living group would have belonged to it. It leaves something of each region: a pair within
//! a region leaves the enemy's stone, and of pairs across two regions so many only are made that a point remains.
//!
//! Where no answer is needed and enemy stones are in the area, the owner puts a stone on any empty point there that is next to
//! a living group. It stays on the board. When a region has none left, its only empty point is the one without a
//! pair, so a stone there takes all enemy stones in the region at once; then its neighbours are empty, two at least, and are its pair. So all
//! comes to an end, and when the owner passes, no enemy stone is left in the area. No board comes back from here on. But boards of the
//! past could (what lives by answers may have been captured after all when there was no answer), so this says nothing under
//! superko; nor with suicide, where the enemy need never pass. The owner must have a move before the game ends: what a
//! side has that has just passed is sure only if there are no enemy stones in it. If the owner is to move, it may have one
//! point more to itself: one pair may be a single point, which it takes now.

use super::board::{neighbours, parts};

/// Most chains or regions of a colour on a board of 49 points.
const MOST: usize = 32;

/// Points that are spoken for.
#[derive(Debug, Clone, Copy)]
struct Pairs {
    empty: u64,
    used: u64,
    /// Whether the owner has a move to spend on a single point.
    spare: bool,
}

impl Pairs {
    /// Takes two free points of a set, or the only one if there is a move to spend; whether that could be done.
    #[inline(always)]
    fn take(&mut self, set: u64) -> bool {
        let free = set & self.empty & !self.used;
        let pair = two(free);
        self.used |= if pair != 0 { pair } else { free };
        if pair == 0 && free != 0 && self.spare {
            self.spare = false;
            return true;
        }
        pair != 0
    }

    /// Whether all points of a region but `open` are next to `near` or have a pair. If not, nothing is taken.
    #[inline]
    fn cover(&mut self, region: u64, near: u64, mut open: u32) -> bool {
        let (before, mut inner) = (*self, region & !near);
        while inner != 0 {
            let around = neighbours(inner & inner.wrapping_neg());
            inner &= inner - 1;
            let kept = *self;
            if self.take(around & near) {
                continue;
            }
            *self = kept;
            // At the end of a row the last point has no pair after a capture.
            if open == 0 || two(around & region) == 0 {
                *self = before;
                return false;
            }
            open -= 1;
        }
        true
    }
}

/// Two points of a set; none if there are less.
#[inline(always)]
fn two(set: u64) -> u64 {
    let rest = set & set.wrapping_sub(1);
    if rest == 0 { 0 } else { set & set.wrapping_neg() | rest & rest.wrapping_neg() }
}

/// What is sure for a colour that answers, given its stones, those of the enemy, the points of the board, the point that a ko
/// forbids to the colour, and whether it is to move.
pub fn sure_with_answers(own: u64, enemy: u64, points: u64, ko: u64, to_move: bool) -> u64 {
    let outside = points & !own;
    if outside == 0 || own.count_ones() < 2 {
        return 0;
    }
    let (mut regions, mut count) = ([0u64; MOST], 0);
    for region in parts(outside) {
        if count == MOST {
            return 0;
        }
        regions[count] = region;
        count += 1;
    }
    if count < 2 {
        return 0;
    }
    let (mut groups, mut nears, mut alive) = ([0u64; MOST], [0u64; MOST], 0);
    for chain in parts(own) {
        if alive == MOST {
            return 0;
        }
        (groups[alive], nears[alive]) = (chain, neighbours(chain));
        alive += 1;
    }
    let empty = outside & !enemy;
    let mut links = Pairs { empty, used: 0, spare: to_move };
    let mut i = 0;
    while i < alive {
        let mut j = i + 1;
        while j < alive {
            let pair = two(nears[i] & nears[j] & empty & !links.used);
            // An answer across two regions must leave something of the one it is given in.
            let ends = |region: u64| pair & region != 0 && pair & !region != 0 && (links.used | pair) & region == region;
            if pair == 0 || regions[..count].iter().any(|&region| ends(region)) {
                j += 1;
                continue;
            }
            links.used |= pair;
            groups[i] |= groups[j];
            nears[i] |= nears[j];
            alive -= 1;
            (groups[j], nears[j]) = (groups[alive], nears[alive]);
            j = i + 1;
        }
        i += 1;
    }
    loop {
        let before = (count, alive);
        let (mut living, mut vital, mut kept) = (0u64, 0u64, 0);
        let mut pairs = links;
        for i in 0..alive {
            let (group, near) = (groups[i], nears[i]);
            let mut its = 0u64;
            for (r, &region) in regions[..count].iter().enumerate() {
                if region & near != 0 && pairs.cover(region, near, 0) {
                    its |= 1 << r;
                }
            }
            if its.count_ones() >= 2 {
                living |= group;
                vital |= its;
                (groups[kept], nears[kept]) = (group, near);
                kept += 1;
            }
        }
        alive = kept;
        if alive == 0 {
            return 0;
        }
        kept = 0;
        for r in 0..count {
            if neighbours(regions[r]) & own & !living == 0 {
                regions[kept] = regions[r];
                kept += 1;
            }
        }
        count = kept;
        if before == (count, alive) {
            let (mut area, near) = (living, neighbours(living));
            for (r, &region) in regions[..count].iter().enumerate() {
                if vital >> r & 1 != 0 || region & ko == 0 && pairs.cover(region, near, 1) {
                    area |= region;
                }
            }
            return area;
        }
    }
}

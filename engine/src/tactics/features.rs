//! What is seen of a position at a glance: the features that estimates are made of.
//!
//! A feature list has one number of each *group*, which says what the group is about: how many liberties the chain
//! has, for instance. Several groups are told apart by how far the reading goes, since a chain that needs one liberty
//! more to count as safe stands otherwise. The numbers of all groups are numbered through, so that each stands for
//! one weight ([`super::estimate`]).

use super::board::TacticsBoard;
use super::reading::ReadingLimits;
use crate::core::game::Side;
use crate::games::go::large::chains::Chain;
use crate::games::go::large::points::PointSet;

/// Levels of liberties that groups are told apart by.
const LIMITS: usize = 4;
/// Most liberties of a chain that are looked at.
const MOST_LIBERTIES: usize = 8;

/// The sizes of the groups of a chain that is to be captured.
const CHAIN_GROUPS: [usize; 17] =
    [6 * LIMITS, 8 * LIMITS, 4, 4, 3, 4, 4, 5 * LIMITS, 8 * LIMITS, 3, 5, 4, 4, 4, 4, 10, 8];
/// The sizes of the groups of two chains that are to be connected.
const PAIR_GROUPS: [usize; 15] = [6 * LIMITS, 4 * LIMITS, 6, 6, 3, 4, 4, 3, 3, 3, 2, 4, 5, 7, 5];

/// Number of features of a chain that is to be captured.
pub const CHAIN_FEATURES: usize = sum(&CHAIN_GROUPS);
/// Number of features of two chains that are to be connected.
pub const PAIR_FEATURES: usize = sum(&PAIR_GROUPS);

const fn sum(groups: &[usize]) -> usize {
    let (mut all, mut at) = (0, 0);
    while at < groups.len() {
        all += groups[at];
        at += 1;
    }
    all
}

/// The features of a position, one of each group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeatureList {
    numbers: [u8; CHAIN_GROUPS.len()],
    len: usize,
}

impl FeatureList {
    /// The features of values of all groups, each of which counts up to the last one of its group.
    fn of<const N: usize>(groups: &[usize; N], values: [usize; N]) -> FeatureList {
        let mut list = FeatureList { numbers: [0; CHAIN_GROUPS.len()], len: N };
        let mut first = 0;
        for ((number, value), group) in list.numbers.iter_mut().zip(values).zip(groups) {
            *number = (first + value.min(group - 1)) as u8;
            first += group;
        }
        list
    }

    /// The numbers of the features, in the order of the groups.
    #[inline]
    pub fn numbers(&self) -> &[u8] {
        &self.numbers[..self.len]
    }
}

/// Chains of one colour beside others, by their liberties.
#[derive(Default)]
struct Beside {
    /// How many have one, two, three, or more liberties.
    by_liberties: [usize; 4],
    /// Stones of the largest one that is in atari.
    in_atari: u32,
}

/// The chains of `colour` that have stones among `border`; `also` is told the place of each among the numbers by
/// liberties, with its stones.
fn beside(board: &TacticsBoard, border: &PointSet, colour: Side, mut also: impl FnMut(usize, &PointSet)) -> Beside {
    let (mut found, mut seen) = (Beside::default(), PointSet::EMPTY);
    for near in border.iter() {
        if board.colour(near) == Some(colour)
            && !seen.contains(near)
            && let Some(chain) = board.chain(near)
        {
            seen.union(&chain.stones);
            let place = (chain.liberties.len() as usize).clamp(1, 4) - 1;
            found.by_liberties[place] += 1;
            if place == 0 {
                found.in_atari = found.in_atari.max(chain.stones.len());
            }
            also(place, &chain.stones);
        }
    }
    found
}

fn limit_of(limits: &ReadingLimits) -> usize {
    (limits.liberties as usize).clamp(1, LIMITS) - 1
}

/// The features of a position in which `chain` is to be captured, `grown` stones larger than at the beginning.
pub fn of_chain(
    board: &TacticsBoard,
    chain: &Chain,
    defender: Side,
    attacker_moves: bool,
    limits: &ReadingLimits,
    grown: u32,
) -> FeatureList {
    let (stones, attacker, limit) = (board.chains(), defender.other(), limit_of(limits));
    let count = chain.liberties.len() as usize;
    // What the chain has after a move on each of its liberties.
    let mut gains = [(0, PointSet::EMPTY); MOST_LIBERTIES];
    for (gain, liberty) in gains.iter_mut().zip(chain.liberties.iter()) {
        *gain = (liberty, board.liberties_after(liberty, defender));
    }
    let gains = &gains[..count.min(MOST_LIBERTIES)];
    let near = beside(board, &stones.border(&chain.stones), attacker, |_, _| ());
    // A chain gains as many liberties by a capture as it captures stones, about.
    let captures = near.in_atari.min(3) as usize;
    // Liberties after the best simple reply, the attacker having taken one of them.
    let left = |filled: Option<u16>| {
        let before = count - usize::from(filled.is_some());
        let still = if captures > 0 { before + captures } else { before.saturating_sub(1) };
        let extended = gains.iter().filter(|(liberty, _)| Some(*liberty) != filled).map(|(_, gained)| {
            gained.len() as usize - usize::from(filled.is_some_and(|filled| gained.contains(filled)))
        });
        extended.max().unwrap_or(0).max(still)
    };
    let left = match attacker_moves {
        true => gains.iter().map(|&(liberty, _)| left(Some(liberty))).min().unwrap_or(1),
        false => left(None),
    };
    let (mut second, mut friends, mut all) = (PointSet::EMPTY, 0, PointSet::EMPTY);
    let (mut at_edge, mut enough) = (0, 0);
    // Liberties on which the attacker's stone would have none, one, or two.
    let mut filled = [0; 3];
    let (mut best, mut next) = (0, 0);
    let size = stones.size();
    for (liberty, gained) in gains {
        let (x, y) = size.place(*liberty);
        at_edge += usize::from(x == 0 || y == 0 || x + 1 == size.width() || y + 1 == size.height());
        for &beyond in board.near(*liberty) {
            match board.colour(beyond) {
                None => second.insert(beyond),
                Some(colour) if colour == defender && !chain.stones.contains(beyond) => {
                    friends = friends.max(stones.liberty_count(beyond) as usize);
                }
                Some(_) => (),
            }
        }
        if let Some(few) = filled.get_mut(board.liberties_after(*liberty, attacker).len() as usize) {
            *few += 1;
        }
        all.union(gained);
        let gained = gained.len() as usize;
        enough += usize::from(gained > limits.liberties as usize);
        (best, next) = if gained > best { (gained, best) } else { (best, next.max(gained)) };
    }
    second.subtract(&chain.liberties);
    let large = match chain.stones.len() {
        1 => 0,
        2 => 1,
        3 | 4 => 2,
        _ => 3,
    };
    let by_limit = |value: usize, most: usize| value.min(most) * LIMITS + limit;
    FeatureList::of(
        &CHAIN_GROUPS,
        [
            by_limit(count.saturating_sub(1), 5),
            by_limit(left, 7),
            captures,
            large,
            near.by_liberties[0],
            near.by_liberties[1],
            near.by_liberties[2],
            by_limit(friends, 4),
            by_limit(second.len() as usize, 7),
            at_edge,
            (limits.growth + 1).saturating_sub(grown) as usize,
            enough,
            filled[0],
            filled[1],
            filled[2],
            all.len() as usize,
            next,
        ],
    )
}

/// Two chains of the attacker that are to be connected.
#[derive(Debug, Clone, Copy)]
pub struct ChainPair<'c> {
    /// The first one.
    pub one: &'c Chain,
    /// The second one.
    pub other: &'c Chain,
    /// The stones that are lacking between them.
    pub distance: u8,
    /// Stones that they have grown by.
    pub grown: u32,
}

/// The features of a position in which two chains of `attacker` are to be connected.
pub fn of_pair(board: &TacticsBoard, pair: &ChainPair<'_>, attacker: Side, limits: &ReadingLimits) -> FeatureList {
    let &ChainPair { one, other, distance, grown } = pair;
    let (stones, defender, limit) = (board.chains(), attacker.other(), limit_of(limits));
    let borders = [stones.border(&one.stones), stones.border(&other.stones)];
    let mut border = borders[0];
    border.union(&borders[1]);
    // Chains that touch both.
    let mut between = [0; 4];
    let near = beside(board, &border, defender, |place, stones| {
        let touches = |border: &PointSet| !stones.common(border).is_empty();
        between[place] += usize::from(borders.iter().all(touches));
    });
    let common = one.liberties.common(&other.liberties);
    let safe = |&point: &u16| board.liberties_after(point, defender).len() >= 2;
    let (beyond_one, beyond_other) = (stones.border(&one.liberties), stones.border(&other.liberties));
    let mut next = beyond_one.common(&other.liberties);
    next.subtract(&one.liberties);
    let met = beyond_one.common(&beyond_other).common(stones.empty());
    let liberties = [one, other].map(|chain| chain.liberties.len() as usize);
    let few = liberties[0].min(liberties[1]);
    let by_limit = |value: usize, most: usize| value.min(most) * LIMITS + limit;
    FeatureList::of(
        &PAIR_GROUPS,
        [
            by_limit(distance.into(), 5),
            by_limit(common.len() as usize, 3),
            few,
            liberties[0].max(liberties[1]),
            near.by_liberties[0],
            near.by_liberties[1],
            near.by_liberties[2],
            between[0],
            between[1],
            between[2],
            usize::from(few <= 1),
            common.iter().filter(safe).count(),
            next.len() as usize,
            met.len() as usize,
            (limits.growth + 2).saturating_sub(grown) as usize,
        ],
    )
}

//! Unconditional life on a large board: a chain that cannot be captured even if its side passes for the rest of the
//! game (D. B. Benson, "Life in the game of Go", 1976).
//!
//! The definition is that of [`crate::games::go::life`]. Here it is asked of one chain. Only regions whose empty
//! points are all liberties of a chain count for it, and such a region is small, so the walk from a liberty mostly
//! ends at the first step. The chains around these regions are looked at in turn, since a region counts only if all
//! of them live.

use super::chains::Chains;
use super::points::PointSet;
use crate::core::game::Side;

/// A region that is vital to a chain.
struct VitalRegion {
    points: PointSet,
    /// The roots of the chains of the colour around it.
    around: Vec<u16>,
}

/// A chain of the colour, with the numbers of the regions that are vital to it.
struct LivingChain {
    root: u16,
    vital: Vec<usize>,
    lives: bool,
}

/// The points that the life of the chain on `target` rests on, if it lives unconditionally: the chains that live with
/// it, and the regions that they live by. On each board with the same contents on these points it lives, too.
pub fn unconditional(stones: &Chains, target: u16) -> Option<PointSet> {
    let colour = stones.colour(target)?;
    let mut regions: Vec<VitalRegion> = Vec::new();
    let mut chains = vec![LivingChain { root: stones.root(target), vital: Vec::new(), lives: true }];
    let mut at = 0;
    while let Some(root) = chains.get(at).map(|chain| chain.root) {
        let vital = vital_regions(stones, root, colour, &mut regions);
        if at == 0 && vital.len() < 2 {
            return None;
        }
        for &other in vital.iter().flat_map(|&region| &regions[region].around) {
            if !chains.iter().any(|known| known.root == other) {
                chains.push(LivingChain { root: other, vital: Vec::new(), lives: true });
            }
        }
        chains[at].vital = vital;
        at += 1;
    }
    // What fails is struck out until nothing changes.
    let mut is_sound = vec![true; regions.len()];
    loop {
        let falls = |chain: &LivingChain| chain.vital.iter().filter(|&&region| is_sound[region]).count() < 2;
        let fallen: Vec<u16> =
            chains.iter().filter(|chain| chain.lives && falls(chain)).map(|chain| chain.root).collect();
        if fallen.is_empty() {
            break;
        }
        chains.iter_mut().for_each(|chain| chain.lives &= !fallen.contains(&chain.root));
        for (sound, region) in is_sound.iter_mut().zip(&regions) {
            *sound &= !region.around.iter().any(|root| fallen.contains(root));
        }
    }
    if !chains[0].lives {
        return None;
    }
    let mut points = PointSet::EMPTY;
    for chain in chains.iter().filter(|chain| chain.lives) {
        points.union(&stones.chain(chain.root)?.stones);
        let sound = chain.vital.iter().filter(|&&region| is_sound[region]);
        sound.for_each(|&region| points.union(&regions[region].points));
    }
    Some(points)
}

/// The numbers of the regions that are vital to the chain of a root; new ones are added to `regions`.
fn vital_regions(stones: &Chains, root: u16, colour: Side, regions: &mut Vec<VitalRegion>) -> Vec<usize> {
    let Some(chain) = stones.chain(root) else { return Vec::new() };
    let (mut vital, mut seen) = (Vec::new(), PointSet::EMPTY);
    for liberty in chain.liberties.iter() {
        if seen.contains(liberty) {
            continue;
        }
        if let Some(known) = regions.iter().position(|region| region.points.contains(liberty)) {
            seen.union(&regions[known].points);
            // It is vital to another chain, and perhaps not to this one.
            if regions[known].points.common(stones.empty()).is_within(&chain.liberties) {
                vital.push(known);
            }
            continue;
        }
        if let Some(region) = region_of(stones, liberty, &chain.liberties, colour) {
            seen.union(&region.points);
            vital.push(regions.len());
            regions.push(region);
        }
    }
    vital
}

/// The region around a point, if all its empty points are among `liberties`.
fn region_of(stones: &Chains, from: u16, liberties: &PointSet, colour: Side) -> Option<VitalRegion> {
    let mut points: PointSet = [from].into_iter().collect();
    let (mut edge, mut around) = (points, Vec::new());
    loop {
        let border = stones.border(&edge);
        if !border.common(stones.empty()).is_within(liberties) {
            return None;
        }
        let mut next = PointSet::EMPTY;
        for point in border.iter().filter(|&point| !points.contains(point)) {
            if stones.colour(point) != Some(colour) {
                next.insert(point);
            } else if !around.contains(&stones.root(point)) {
                around.push(stones.root(point));
            }
        }
        if next.is_empty() {
            return Some(VitalRegion { points, around });
        }
        points.union(&next);
        edge = next;
    }
}

#[cfg(test)]
mod tests {
    use super::super::points::LargeBoard;
    use super::*;
    use crate::core::seed::rng;
    use crate::games::go::life::sure;
    use rand::RngExt;

    /// On boards of few empty points, each chain lives as the other implementation says, and so it does if what the
    /// answer does not rest on is filled anew.
    #[test]
    fn life_is_that_of_small_boards() {
        const SEED: u64 = 41;
        println!("seed {SEED}");
        let mut random = rng(SEED, &[]);
        let (mut alive, mut filled) = (0, 0);
        for number in 0..6000 {
            let (width, height) = [(5, 4), (6, 5), (7, 7), (7, 3)][number % 4];
            let size = LargeBoard::new(width, height).unwrap();
            let of = |stones: &[Option<Side>]| {
                let mut chains = Chains::new(size);
                (0..).zip(stones).filter_map(|(at, stone)| Some((at, (*stone)?))).for_each(|(at, colour)| {
                    chains.set(at, colour);
                });
                let free = |at: u16| chains.chain(at).is_none_or(|chain| !chain.liberties.is_empty());
                (0..size.area()).all(free).then_some(chains)
            };
            let stones: Vec<Option<Side>> = (0..size.area())
                .map(|_| match random.random_range(0..12) {
                    0..8 => Some(Side::First),
                    8 => Some(Side::Second),
                    _ => None,
                })
                .collect();
            let Some(chains) = of(&stones) else { continue };
            let set = |colour| {
                let own = (0..size.area()).filter(|&at| chains.colour(at) == Some(colour)).map(|at| size.place(at));
                own.fold(0, |set, (x, y)| set | 1u64 << (8 * y + x))
            };
            let board = (0..height).fold(0, |points, y| points | ((1u64 << width) - 1) << (8 * y));
            let known = sure(set(Side::First), set(Side::Second), board);
            for at in (0..size.area()).filter(|&at| chains.colour(at) == Some(Side::First)) {
                let (x, y) = size.place(at);
                let found = unconditional(&chains, at);
                assert_eq!(found.is_some(), known >> (8 * y + x) & 1 != 0, "{number}, {}", size.name(at));
                let Some(zone) = found else { continue };
                alive += 1;
                assert!(zone.contains(at));
                let other: Vec<Option<Side>> = (0..)
                    .zip(&stones)
                    .map(|(at, &stone)| {
                        let any = [None, Some(Side::First), Some(Side::Second)][random.random_range(0..3)];
                        if zone.contains(at) { stone } else { any }
                    })
                    .collect();
                if let Some(chains) = of(&other) {
                    filled += 1;
                    assert!(unconditional(&chains, at).is_some(), "{number}, {}", size.name(at));
                }
            }
        }
        assert!(alive > 500 && filled > 200, "{alive}, {filled}");
    }
}

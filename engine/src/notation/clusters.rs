//! Clusters of nearly equal grids, as one search finds them by the hundred.
//!
//! Two grids of one variant are *near* if all but at most `k` of the lines of the longer one are lines of the other,
//! in the best of the 8 orientations. (All grids contain the starting cross, so there is nothing to shift.) A cluster
//! is what near grids connect: grids of a cluster that are not near are linked by a chain of others (single linkage).
//!
//! Not all pairs are compared. Near grids differ in at most `2k` lines, so if all lines are dealt out to `2k + 1`
//! parts, near grids agree in one of them at least (the pigeonhole principle, as in joins of similar sets). Lines
//! that symmetries carry to each other, an *orbit*, are in the same part, and a part is compared by the orbits of its
//! lines alone, so that the orientation does not matter. Grids that agree in a part are compared, unless they are in
//! one cluster already: first by the sets of their orbits, which must differ in at most `2k`, then by their lines in
//! all orientations, as bits. With a large `k` the parts tell little, and all pairs are compared in this way.

use crate::morpion::canonical::mix;
use crate::morpion::geometry::Line;
use crate::morpion::symmetry::Symmetry;
use crate::morpion::variant::Variant;
use ahash::AHashMap;
use std::cmp::Reverse;

/// Lines that may differ, if nothing is said.
pub const USUAL_DIFFERENCE: u32 = 3;
/// Most lines that may differ.
pub const MOST_DIFFERENCE: u32 = 20;
/// Most grids that are put into clusters: the time grows with their square, the memory is some kilobytes for each.
pub const MOST_GRIDS: usize = 30_000;

/// A grid that is to be put into a cluster.
#[derive(Debug, Clone)]
pub struct ClusteredGrid {
    /// Variant of the puzzle. Grids of different variants are not near.
    pub variant: Variant,
    /// Its lines, each once.
    pub lines: Vec<Line>,
}

/// The clusters of grids in which near ones differ in at most `difference` lines: numbers of grids, ascending. The
/// clusters are in the order of their first grids.
pub fn clusters(grids: &[ClusteredGrid], difference: u32) -> Vec<Vec<usize>> {
    let mut sets = DisjointSets((0..grids.len()).collect());
    for variant in Variant::ALL {
        let numbers: Vec<usize> = (0..grids.len()).filter(|&number| grids[number].variant == variant).collect();
        let lines: Vec<&[Line]> = numbers.iter().map(|&number| grids[number].lines.as_slice()).collect();
        NearSearch::new(variant, &lines, difference as usize).join(&numbers, &mut sets);
    }
    let mut clusters: Vec<Vec<usize>> = Vec::new();
    let mut place: AHashMap<usize, usize> = AHashMap::new();
    for number in 0..grids.len() {
        let at = *place.entry(sets.root(number)).or_insert(clusters.len());
        if at == clusters.len() {
            clusters.push(Vec::new());
        }
        clusters[at].push(number);
    }
    clusters
}

/// Sets that are joined (union and find, with paths cut in half).
struct DisjointSets(Vec<usize>);

impl DisjointSets {
    fn root(&mut self, mut of: usize) -> usize {
        while self.0[of] != of {
            self.0[of] = self.0[self.0[of]];
            of = self.0[of];
        }
        of
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other)] = one.min(other);
    }
}

/// Grids of one variant, prepared to be compared. Their bits lie one after the other in one piece of memory each.
struct NearSearch {
    difference: usize,
    /// The images of each line that there is, by number.
    images: Vec<[Option<usize>; 8]>,
    grids: Vec<PreparedGrid>,
    /// Words of 64 bits of a set of orbits, and of a set of lines.
    orbit_words: usize,
    line_words: usize,
    /// The orbits and the lines of each grid.
    orbits: Vec<u64>,
    lines: Vec<u64>,
}

struct PreparedGrid {
    /// Numbers of its lines.
    lines: Vec<usize>,
    /// What it has in each part.
    parts: Vec<u64>,
}

/// The bits of small numbers, put at the end of others.
fn push_bits(all: &mut Vec<u64>, words: usize, numbers: impl Iterator<Item = usize>) {
    let from = all.len();
    all.resize(from + words, 0);
    numbers.for_each(|number| all[from + number / 64] |= 1 << (number % 64));
}

/// Number of bits of the words that `both` makes of two sets.
fn count(a: &[u64], b: &[u64], both: impl Fn(u64, u64) -> u64) -> usize {
    a.iter().zip(b).map(|(&a, &b)| both(a, b).count_ones() as usize).sum()
}

impl NearSearch {
    fn new(variant: Variant, grids: &[&[Line]], difference: usize) -> NearSearch {
        // All lines that there are, and all their images, numbered as they are met.
        let mut numbers: AHashMap<Line, usize> = AHashMap::new();
        for &line in grids.iter().copied().flatten() {
            if !numbers.contains_key(&line) {
                for image in Symmetry::ALL.iter().filter_map(|symmetry| symmetry.line(variant, line)) {
                    let next = numbers.len();
                    numbers.entry(image).or_insert(next);
                }
            }
        }
        let mut images: Vec<[Option<usize>; 8]> = vec![[None; 8]; numbers.len()];
        for (&line, &number) in &numbers {
            let image = |symmetry: Symmetry| numbers.get(&symmetry.line(variant, line)?).copied();
            images[number] = Symmetry::ALL.map(image);
        }
        let orbit_of = |number: usize| images[number].iter().flatten().copied().min().unwrap_or(number);
        // Orbits by how many lines of them there are, so that each part gets rare and common ones.
        let mut counts: AHashMap<usize, u64> = AHashMap::new();
        for line in grids.iter().copied().flatten() {
            *counts.entry(orbit_of(numbers[line])).or_default() += 1;
        }
        let mut sorted: Vec<(usize, u64)> = counts.into_iter().collect();
        sorted.sort_unstable_by_key(|&(orbit, count)| (Reverse(count), orbit));
        let rank: AHashMap<usize, usize> = sorted.iter().zip(0..).map(|(&(orbit, _), rank)| (orbit, rank)).collect();
        let (orbit_words, line_words) = (rank.len().div_ceil(64), numbers.len().div_ceil(64));
        let (mut orbits, mut lines, mut prepared) = (Vec::new(), Vec::new(), Vec::new());
        for grid in grids {
            let own: Vec<usize> = grid.iter().map(|line| numbers[line]).collect();
            let mut parts = vec![0u64; 2 * difference + 1];
            let count = parts.len();
            for rank in own.iter().map(|&number| rank[&orbit_of(number)]) {
                parts[rank % count] = parts[rank % count].wrapping_add(mix(rank as u64));
            }
            push_bits(&mut orbits, orbit_words, own.iter().map(|&number| rank[&orbit_of(number)]));
            push_bits(&mut lines, line_words, own.iter().copied());
            prepared.push(PreparedGrid { lines: own, parts });
        }
        NearSearch { difference, images, grids: prepared, orbit_words, line_words, orbits, lines }
    }

    /// Joins the sets of all near grids; `numbers` are the numbers of the grids there.
    fn join(&self, numbers: &[usize], sets: &mut DisjointSets) {
        let parts = 0..=2 * self.difference;
        let alike: Vec<Vec<usize>> = parts.flat_map(|part| self.alike(part)).collect();
        let pairs = |count: usize| count as u64 * count as u64;
        if alike.iter().map(|alike| pairs(alike.len())).sum::<u64>() > pairs(numbers.len()) {
            // The parts are so small that they tell little.
            self.join_alike(&(0..numbers.len()).collect::<Vec<usize>>(), numbers, sets);
        } else {
            alike.iter().for_each(|alike| self.join_alike(alike, numbers, sets));
        }
    }

    /// Grids that agree in a part, put together.
    fn alike(&self, part: usize) -> Vec<Vec<usize>> {
        let mut alike: AHashMap<u64, Vec<usize>> = AHashMap::new();
        for (at, grid) in self.grids.iter().enumerate() {
            alike.entry(grid.parts[part]).or_default().push(at);
        }
        alike.into_values().filter(|alike| alike.len() > 1).collect()
    }

    /// Joins the sets of those grids that are near: each is compared with those that are not in its cluster yet.
    fn join_alike(&self, alike: &[usize], numbers: &[usize], sets: &mut DisjointSets) {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for &one in alike {
            let mut turned = None;
            for group in &groups {
                if sets.root(numbers[one]) == sets.root(numbers[group[0]]) {
                    continue;
                }
                if let Some(&other) = group.iter().find(|&&other| self.is_near(one, other, &mut turned)) {
                    sets.join(numbers[one], numbers[other]);
                }
            }
            // Groups that are one cluster now become one.
            let root = sets.root(numbers[one]);
            let (mut own, others): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| sets.root(numbers[group[0]]) == root);
            let mut whole = own.pop().unwrap_or_default();
            own.into_iter().for_each(|group| whole.extend(group));
            whole.push(one);
            groups = others;
            groups.push(whole);
        }
    }

    /// Whether two grids are near. `turned` keeps the orientations of the first one from one call to the next.
    fn is_near(&self, one: usize, other: usize, turned: &mut Option<Vec<u64>>) -> bool {
        let of = |words: usize, at: usize| at * words..(at + 1) * words;
        let (lines, other_lines) = (self.grids[one].lines.len(), self.grids[other].lines.len());
        if lines.max(other_lines) <= self.difference {
            return true;
        }
        let least = lines.max(other_lines) - self.difference;
        if lines.min(other_lines) < least {
            return false;
        }
        let orbits = |at| &self.orbits[of(self.orbit_words, at)];
        if count(orbits(one), orbits(other), |a, b| a ^ b) > 2 * self.difference {
            return false;
        }
        let other = &self.lines[of(self.line_words, other)];
        let turned = turned.get_or_insert_with(|| self.orientations(one));
        turned.chunks_exact(self.line_words.max(1)).any(|image| count(image, other, |a, b| a & b) >= least)
    }

    /// The lines of a grid in each orientation in which all are in the playing area, its own first.
    fn orientations(&self, of: usize) -> Vec<u64> {
        let mut all = Vec::new();
        for at in 0..8 {
            let image = self.grids[of].lines.iter().map(|&line| self.images[line][at]);
            if let Some(image) = image.collect::<Option<Vec<usize>>>() {
                push_bits(&mut all, self.line_words, image.into_iter());
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;
    use crate::morpion::geometry::Move;
    use crate::morpion::position::Position;
    use crate::notation::grid::Grid;
    use crate::notation::identify::common_lines;
    use crate::notation::records::known;
    use crate::with_rules;
    use rand::RngExt;

    fn lines(grid: &Grid) -> ClusteredGrid {
        ClusteredGrid { variant: grid.variant, lines: grid.moves.iter().map(|mv| mv.line()).collect() }
    }

    /// By comparing all pairs, and going from grid to grid.
    fn slow(grids: &[Grid], difference: usize) -> Vec<Vec<usize>> {
        let is_near = |a: &Grid, b: &Grid| {
            a.variant == b.variant && common_lines(a, b) + difference >= a.score().max(b.score())
        };
        let mut left: Vec<usize> = (0..grids.len()).collect();
        let mut clusters = Vec::new();
        while !left.is_empty() {
            let mut cluster = vec![left.remove(0)];
            let mut at = 0;
            while at < cluster.len() {
                let here = &grids[cluster[at]];
                cluster.extend(left.extract_if(.., |other| is_near(here, &grids[*other])));
                at += 1;
            }
            cluster.sort_unstable();
            clusters.push(cluster);
        }
        clusters
    }

    /// Short random games, and games that differ from them in some moves, in random orientations.
    fn games(seed: u64, count: usize) -> Vec<Grid> {
        let mut rng = rng(seed, &[]);
        let mut games: Vec<Grid> = Vec::new();
        for _ in 0..count {
            let variant = Variant::ALL[rng.random_range(0..4)];
            let from = games.iter().filter(|game| game.variant == variant).nth(rng.random_range(0..4));
            let mut moves: Vec<Move> = from.map_or(Vec::new(), |game| game.moves.clone());
            moves.truncate(moves.len().saturating_sub(rng.random_range(0..6)));
            let length = moves.len() + rng.random_range(0..8);
            with_rules!(variant, R => {
                let mut position = Position::<R>::after(&moves).unwrap();
                while moves.len() < length && !position.moves().is_empty() {
                    let mv = position.moves()[rng.random_range(0..position.moves().len())];
                    moves.push(mv);
                    position = Position::<R>::after(&moves).unwrap();
                }
            });
            let grid = Grid::new(variant, moves);
            games.push(grid.image(Symmetry::ALL[rng.random_range(0..8)]).unwrap_or(grid));
        }
        games
    }

    #[test]
    fn clusters_are_those_of_all_pairs() {
        let mut largest = 0;
        for seed in 0..6 {
            let games = games(seed, 120);
            let prepared: Vec<ClusteredGrid> = games.iter().map(lines).collect();
            for difference in [0, 1, 2, 3, 5, 9] {
                let found = clusters(&prepared, difference);
                assert_eq!(found, slow(&games, difference as usize), "seed {seed}, difference {difference}");
                let several = found.iter().filter(|cluster| cluster.len() > 1).count();
                largest = largest.max(several);
            }
        }
        assert!(largest > 5, "{largest}");
    }

    #[test]
    fn a_turned_record_without_its_last_moves_is_near_the_record() {
        let record = &known().unwrap()[0].grid;
        let turned = |moves: usize, at: usize| record.prefix(moves).unwrap().image(Symmetry::ALL[at]).unwrap();
        let grids: Vec<ClusteredGrid> = [turned(178, 0), turned(175, 3), turned(171, 6)].iter().map(lines).collect();
        let found = |difference| clusters(&grids, difference);
        assert_eq!(found(2), [vec![0], vec![1], vec![2]]);
        assert_eq!(found(3), [vec![0, 1], vec![2]]);
        // The third is not near the first; the second links them.
        assert_eq!(found(4), [vec![0, 1, 2]]);
        assert!(clusters(&[], 3).is_empty());
    }
}

//! Regions of questions about life: the points where the side that attacks plays.
//!
//! A region is given as rectangles and points, such as `a1:f4,h2`, or follows from the stones ([`usual`]). It limits
//! the attacker alone; what the defender may do is told by the zones. Other sets of points, such as zones, are
//! written in the same way ([`text_of`]).

use super::goal::{QuestionError, point_of};
use crate::games::go::large::chains::Chains;
use crate::games::go::large::points::{LargeBoard, PointSet};

/// Most empty points of a region that follows from the stones, unless the chain itself has more liberties.
const MOST_EMPTY: u32 = 30;
/// A chain of the attacker with at most so many liberties and so many stones is weak: the region goes on behind it.
const WEAK: (u32, u32) = (2, 3);
/// The liberties of the attacker's chains around a region belong to it, if there are at most so many.
const SHORT: u32 = 3;

/// The points of a text such as `a1:f4,h2`: rectangles from corner to corner, and single points.
///
/// # Errors
/// A part that names no points of the board.
pub fn region_of(size: LargeBoard, text: &str) -> Result<PointSet, QuestionError> {
    let mut region = PointSet::EMPTY;
    for part in text.split(',') {
        let (one, other) = part.split_once(':').unwrap_or((part, part));
        if one.trim().is_empty() || other.trim().is_empty() {
            return Err(QuestionError::Region(text.trim().to_owned()));
        }
        let corners = [size.place(point_of(size, one)?), size.place(point_of(size, other)?)];
        let between = |of: fn((u8, u8)) -> u8| {
            let [one, other] = corners.map(of);
            one.min(other)..=one.max(other)
        };
        for y in between(|place| place.1) {
            between(|place| place.0).filter_map(|x| size.point(x, y)).for_each(|point| region.insert(point));
        }
    }
    Ok(region)
}

/// The points of a set as such a text: few rectangles, none of which meet, from the upper left on. It is empty for
/// the set without a point.
pub fn text_of(size: LargeBoard, points: &PointSet) -> String {
    let mut left = *points;
    let mut parts: Vec<String> = Vec::new();
    while let Some(first) = left.first() {
        let (x, y) = size.place(first);
        let has = |x: u8, y: u8| size.point(x, y).is_some_and(|point| left.contains(point));
        let columns = (x..size.width()).take_while(|&x| has(x, y)).count() as u8;
        let rows = (y..size.height()).take_while(|&y| (x..x + columns).all(|x| has(x, y))).count() as u8;
        let corner = size.point(x + columns - 1, y + rows - 1).unwrap_or(first);
        parts.push(if corner == first {
            size.name(first)
        } else {
            format!("{}:{}", size.name(first), size.name(corner))
        });
        (y..y + rows)
            .flat_map(|y| (x..x + columns).filter_map(move |x| size.point(x, y)))
            .for_each(|point| left.remove(point));
    }
    parts.join(",")
}

/// The region of a question about the life of the chain on `target` if none is given. It begins with the chain and
/// its liberties, and grows by all points next to it at a time, as long as it has few empty points. Chains of the
/// other side are walls, unless they are weak or all around them is in the region. At last the liberties of the walls
/// that are short of them are added.
pub fn usual(stones: &Chains, target: u16) -> PointSet {
    let (Some(chain), Some(own)) = (stones.chain(target), stones.colour(target)) else { return PointSet::EMPTY };
    let mut region = chain.stones;
    region.union(&chain.liberties);
    loop {
        let mut larger = region;
        for point in stones.border(&region).iter() {
            let Some(chain) = stones.chain(point) else {
                larger.insert(point);
                continue;
            };
            let is_weak = chain.liberties.len() <= WEAK.0 && chain.stones.len() <= WEAK.1;
            let is_own = stones.colour(point) == Some(own);
            if is_own || is_weak || stones.border(&chain.stones).is_within(&region) {
                larger.union(&chain.stones);
            }
        }
        if larger == region || larger.common(stones.empty()).len() > MOST_EMPTY {
            break;
        }
        region = larger;
    }
    let mut whole = region;
    for wall in stones.border(&region).iter().filter_map(|point| stones.chain(point)) {
        if wall.liberties.len() <= SHORT {
            whole.union(&wall.liberties);
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::super::board::tests::board;
    use super::*;
    use crate::core::seed::rng;
    use rand::RngExt;

    #[test]
    fn regions_are_rectangles_and_points() {
        let size = LargeBoard::new(9, 9).unwrap();
        let of = |text| region_of(size, text).map(|region| region.len()).map_err(|error| error.to_string());
        assert_eq!(of("a1:f4"), Ok(24));
        assert_eq!(of("F4:a1, h2"), Ok(25));
        assert_eq!(of("a1:b2,b2:c3,a9"), Ok(8));
        for (text, reason) in [
            ("", "is not a region"),
            ("a1:", "`a1:` is not a region: expected points and rectangles such as a1:f4,h2"),
            ("a1,,b2", "is not a region"),
            ("a1:k4", "the point `k4` is not on the 9x9 board"),
            ("a1:b2:c3", "the point `b2:c3` is not on the 9x9 board"),
        ] {
            let error = of(text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_written_of_a_set_is_read_as_the_same() {
        const SEED: u64 = 14;
        println!("seed {SEED}");
        let mut random = rng(SEED, &[]);
        let size = LargeBoard::new(9, 9).unwrap();
        let text = |points: &str| text_of(size, &region_of(size, points).unwrap());
        assert_eq!(text("a1:f4"), "a4:f1");
        assert_eq!(text("a1:f4,h2"), "a4:f1,h2");
        assert_eq!(text("c3,c4,c5,d4"), "c5:c3,d4");
        assert_eq!(text_of(size, &PointSet::EMPTY), "");
        for (width, height) in [(1, 1), (1, 19), (7, 1), (9, 9), (19, 19)] {
            let size = LargeBoard::new(width, height).unwrap();
            for part in 1..20 {
                let points: PointSet = (0..size.area()).filter(|_| random.random_range(0..20) < part).collect();
                let text = text_of(size, &points);
                assert_eq!(points.is_empty(), text.is_empty());
                assert!(text.is_empty() || region_of(size, &text).unwrap() == points, "{width}x{height}: {text}");
            }
        }
    }

    #[test]
    fn the_usual_region_ends_at_walls() {
        let rows =
            ".O.OX....\nOOOOX....\nXXXXX....\n.........\n.........\n.........\n.........\n.........\n.........";
        let stones = board(rows);
        let size = stones.chains().size();
        let found = usual(stones.chains(), size.point(1, 0).unwrap());
        assert_eq!(found, region_of(size, "a9:d8").unwrap());
        // A weak wall is none, and what is behind it belongs to the region; so does a wall that is within it.
        let weak = board(".O.OX\nOOOOX\nXXX.X\n..X.O\n.OOOO");
        let found = usual(weak.chains(), weak.chains().size().point(1, 0).unwrap());
        assert_eq!(found.len(), 25);
        // On an open board it is what is near.
        let open = board(&format!("{}.........\n....O....\n{}", ".........\n".repeat(3), ".........\n".repeat(4)));
        let found = usual(open.chains(), size.point(4, 4).unwrap());
        assert!((20..=31).contains(&found.len()), "{found:?}");
    }
}

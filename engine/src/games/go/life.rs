//! Unconditional life (D. B. Benson, "Life in the game of Go", 1976): chains that cannot be captured even if their
//! owner passes for the rest of the game, and the area that is sure with them.
//!
//! A region is a connected set of points without stones of the colour. It is vital to a chain that all its empty
//! points are next to. A chain with two vital regions lives, if every other chain around them does; what fails is
//! struck out until nothing changes.
//!
//! Area is counted without taking off dead stones, so the points of a vital region are sure only if every enemy
//! stone that is or will be put there can be captured. That is so if all its points, those with enemy stones
//! included, are next to each living chain that it is vital to: the owner can play on any of them when it is empty,
//! the stone is part of the living chain, and no point of the region ever is an eye of the enemy's. Each such move
//! stays on the board, so this comes to an end, and no board comes back. The region stays vital to the chains, since
//! all that can ever be empty in it is next to them. The owner must have a move, though, before the game ends: what a
//! side has that has just passed is sure only if there are no enemy stones in it. And it must be free to make it:
//! where superko forbids boards of the past, one of them may be such a board, if the living stones were there before
//! and were lost (by filling their own eyes). Whoever asks has to see to both.

use super::board::{all_parts, neighbours};

/// What is sure for a colour, given its stones, those of the enemy, and the points of the board.
#[inline]
pub fn sure(own: u64, enemy: u64, points: u64) -> u64 {
    // Less than two regions, or too few stones to surround two eyes: nothing can live.
    let outside = points & !own;
    if outside == 0 || own.count_ones() < 2 {
        return 0;
    }
    let Some((mut regions, mut count)) = all_parts(outside) else { return 0 };
    if count < 2 {
        return 0;
    }
    let Some((mut chains, mut alive)) = all_parts(own) else { return 0 };
    loop {
        let before = (count, alive);
        let mut living = 0;
        let mut kept = 0;
        for i in 0..alive {
            let near = neighbours(chains[i]);
            let vital = regions[..count].iter().filter(|&&region| is_vital(region, near, enemy)).count();
            if vital >= 2 {
                living |= chains[i];
                chains[kept] = chains[i];
                kept += 1;
            }
        }
        alive = kept;
        kept = 0;
        for i in 0..count {
            if neighbours(regions[i]) & own & !living == 0 {
                regions[kept] = regions[i];
                kept += 1;
            }
        }
        count = kept;
        if alive == 0 || count < 2 {
            return 0;
        }
        if before == (count, alive) {
            let mut area = living;
            for &region in &regions[..count] {
                let (mut vital, mut whole) = (false, true);
                for &chain in &chains[..alive] {
                    let near = neighbours(chain);
                    if is_vital(region, near, enemy) {
                        vital = true;
                        whole &= region & !near == 0;
                    }
                }
                if vital && whole {
                    area |= region;
                }
            }
            return area;
        }
    }
}

/// Whether all empty points of the region are among `near`. A region without any is full of stones that have no
/// liberty; there is none on a legal board.
#[inline(always)]
fn is_vital(region: u64, near: u64, enemy: u64) -> bool {
    let empty = region & !enemy;
    empty != 0 && empty & !near == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::go::notation::small_rows;

    #[test]
    fn what_lives_is_what_the_definition_says() {
        // Black stones are written x. The number is that of the points that are sure for black.
        for (rows, area) in [
            (".x.x./xxxxx", 10),
            (".x.x./xxx.x", 10),
            (".x.x/xxxx", 8),
            // One eye.
            (".xxx/xxxx", 0),
            // An eye of two points, one of them taken.
            (".xO./xxxx", 8),
            // The outside is not vital to the chain, and not sure.
            (".x.x./xxxx./.....", 8),
            // Two chains that share three eyes, and three chains around four.
            ("xx./x.x/.xx", 9),
            (".x../x.xx/xx..", 12),
            // The stone on b1 has one eye only; what rests on it falls with it.
            (".x.../x.O../xxO../.O...", 0),
            // A large eye with an enemy stone that is not next to the chain, and nothing else.
            ("xxxxx/x...x/x.O.x/x...x/xxxxx", 0),
            // All points of the second eye are next to the chain, and two are not.
            ("xxxxxx/x.xOO./xxx.O./xxxxxx", 24),
            ("xxxxx/x.xxx/xx.O./xxOOO/xx.../xxxxx", 21),
        ] {
            let (board, black, white) = small_rows(rows);
            let found = sure(black, white, board.points());
            assert_eq!(found.count_ones(), area, "{rows}");
        }
    }
}

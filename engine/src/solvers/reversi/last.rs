//! The last four empty cells: each is tried where it lies, cells in quadrants with an odd number of empty ones first.
//!
//! Who moves last in a region usually wins discs there, so a move into an odd region is likely to be the better one.
//! Moves are not computed beforehand: a cell that flips nothing is none. With one empty cell only discs are counted.

use super::rules::EndgameRules;
use crate::games::reversi::flips::Instructions;

/// The four quadrants of the square of bits.
pub(super) const QUADRANTS: [u64; 4] =
    [0x0000_0000_0F0F_0F0F, 0x0000_0000_F0F0_F0F0, 0x0F0F_0F0F_0000_0000, 0xF0F0_F0F0_0000_0000];

/// The quadrants with an odd number of empty cells.
#[inline(always)]
pub(super) fn odd_quadrants(empty: u64) -> u64 {
    let odd = |quadrant: u64| quadrant * u64::from((empty & quadrant).count_ones() & 1);
    QUADRANTS.map(odd).into_iter().fold(0, |all, quadrant| all | quadrant)
}

/// Takes the lowest cell out of a set.
#[inline(always)]
pub(super) fn take(cells: &mut u64) -> u8 {
    let square = cells.trailing_zeros() as u8;
    *cells &= cells.wrapping_sub(1);
    square
}

/// The cells as a list of `N`, those of odd quadrants first.
#[inline(always)]
fn by_parity<const N: usize>(empty: u64) -> [u8; N] {
    let odd = odd_quadrants(empty);
    let (mut first, mut then) = (empty & odd, empty & !odd);
    std::array::from_fn(|_| if first != 0 { take(&mut first) } else { take(&mut then) & 63 })
}

/// The value, in discs, of a position with one to four empty cells, within the null window above `alpha` (fail-soft).
#[inline(always)]
pub(super) fn last<I: Instructions>(
    i: I,
    rules: &EndgameRules,
    own: u64,
    enemy: u64,
    alpha: i32,
    nodes: &mut u64,
) -> i32 {
    let empty = rules.cells & !(own | enemy);
    match empty.count_ones() {
        4 => {
            let [a, b, c, d] = by_parity::<4>(empty);
            last4(i, rules, own, enemy, alpha, [a, b, c, d], nodes)
        }
        3 => last3(i, rules, own, enemy, alpha, by_parity::<3>(empty), nodes),
        2 => last2(i, rules, own, enemy, alpha, by_parity::<2>(empty), nodes),
        1 => last1(i, rules, own, enemy, empty.trailing_zeros() as u8, nodes),
        _ => rules.score(own, enemy),
    }
}

/// Plays a move for the side to move: the discs of the other side, who is next, and of this one; `None` if it is
/// none.
#[inline(always)]
fn play<I: Instructions>(i: I, own: u64, enemy: u64, square: u8) -> Option<(u64, u64)> {
    let flips = i.flips(own, enemy, square);
    (flips != 0).then(|| (enemy ^ flips, own | flips | 1 << square))
}

#[inline(always)]
fn last4<I: Instructions>(
    i: I,
    rules: &EndgameRules,
    mut own: u64,
    mut enemy: u64,
    mut alpha: i32,
    [a, b, c, d]: [u8; 4],
    nodes: &mut u64,
) -> i32 {
    let mut sign = 1;
    for _ in 0..2 {
        *nodes += 1;
        let mut best = i32::MIN;
        for (square, rest) in [(a, [b, c, d]), (b, [a, c, d]), (c, [a, b, d]), (d, [a, b, c])] {
            if let Some((next, other)) = play(i, own, enemy, square) {
                best = best.max(-last3(i, rules, next, other, -alpha - 1, rest, nodes));
                if best > alpha {
                    return sign * best;
                }
            }
        }
        if best != i32::MIN {
            return sign * best;
        }
        (own, enemy, alpha, sign) = (enemy, own, -alpha - 1, -sign);
    }
    rules.score(own, enemy)
}

#[inline(always)]
fn last3<I: Instructions>(
    i: I,
    rules: &EndgameRules,
    mut own: u64,
    mut enemy: u64,
    mut alpha: i32,
    [a, b, c]: [u8; 3],
    nodes: &mut u64,
) -> i32 {
    let mut sign = 1;
    for _ in 0..2 {
        *nodes += 1;
        let mut best = i32::MIN;
        for (square, rest) in [(a, [b, c]), (b, [a, c]), (c, [a, b])] {
            if let Some((next, other)) = play(i, own, enemy, square) {
                best = best.max(-last2(i, rules, next, other, -alpha - 1, rest, nodes));
                if best > alpha {
                    return sign * best;
                }
            }
        }
        if best != i32::MIN {
            return sign * best;
        }
        (own, enemy, alpha, sign) = (enemy, own, -alpha - 1, -sign);
    }
    rules.score(own, enemy)
}

#[inline(always)]
fn last2<I: Instructions>(
    i: I,
    rules: &EndgameRules,
    mut own: u64,
    mut enemy: u64,
    mut alpha: i32,
    [a, b]: [u8; 2],
    nodes: &mut u64,
) -> i32 {
    let mut sign = 1;
    for _ in 0..2 {
        *nodes += 1;
        let mut best = i32::MIN;
        for (square, rest) in [(a, b), (b, a)] {
            if let Some((next, other)) = play(i, own, enemy, square) {
                best = best.max(-last1(i, rules, next, other, rest, nodes));
                if best > alpha {
                    return sign * best;
                }
            }
        }
        if best != i32::MIN {
            return sign * best;
        }
        (own, enemy, alpha, sign) = (enemy, own, -alpha - 1, -sign);
    }
    rules.score(own, enemy)
}

/// One empty cell: whoever can play there does, and all cells hold a disc.
#[inline(always)]
fn last1<I: Instructions>(i: I, rules: &EndgameRules, own: u64, enemy: u64, square: u8, nodes: &mut u64) -> i32 {
    *nodes += 1;
    let discs = own.count_ones() as i32;
    let flipped = i.flips(own, enemy, square).count_ones() as i32;
    if flipped != 0 {
        return 2 * (discs + flipped + 1) - rules.area;
    }
    let lost = i.flips(enemy, own, square).count_ones() as i32;
    if lost != 0 {
        return 2 * (discs - lost) - rules.area;
    }
    rules.score(own, enemy)
}

//! Stable discs: those that no play can ever flip, as far as two sufficient rules show.
//!
//! A disc is safe along a direction if the whole line of cells is full, or if its neighbour to one side is the border
//! or a stable disc of its own colour. One that is safe along all four directions is stable. The rule is applied
//! until it yields no more. (The usual rule of Othello programs; what they read of the edges from a table, that a
//! chain from a corner is stable, follows from it.)

/// Distances between bits along the four directions.
const SHIFTS: [u32; 4] = [1, 8, 9, 7];
/// Cells whose lower neighbour along each direction lies in the square of bits, and those whose upper one does.
const HAS_LOWER: [u64; 4] = [!FIRST, u64::MAX, !FIRST, !LAST];
const HAS_UPPER: [u64; 4] = [!LAST, u64::MAX, !LAST, !FIRST];
const FIRST: u64 = 0x0101_0101_0101_0101;
const LAST: u64 = FIRST << 7;

/// The cells whose line is full, for each of the four directions (horizontal, vertical, and the diagonals), where
/// `full` are all cells that hold a disc or lie outside the board.
#[inline]
pub fn full_lines(full: u64) -> [u64; 4] {
    let mut lines = [0; 4];
    for i in 0..4 {
        // An empty cell spreads its emptiness along the line in both directions, by doubling steps.
        let shift = SHIFTS[i];
        let (mut up, mut down) = (!full, !full);
        let (mut pass_up, mut pass_down) = (HAS_LOWER[i], HAS_UPPER[i]);
        for step in 0..3 {
            let distance = shift << step;
            up |= pass_up & up << distance;
            down |= pass_down & down >> distance;
            pass_up &= pass_up << distance;
            pass_down &= pass_down >> distance;
        }
        lines[i] = !(up | down);
    }
    lines
}

/// The discs of `own` that are shown to be stable, on the board with these `cells`.
#[inline]
pub fn stable(own: u64, enemy: u64, cells: u64) -> u64 {
    let lines = full_lines(own | enemy | !cells);
    stable_in(own, cells, &lines)
}

/// The same with the full lines known.
#[inline]
pub fn stable_in(own: u64, cells: u64, lines: &[u64; 4]) -> u64 {
    let mut stable = own & lines[0] & lines[1] & lines[2] & lines[3];
    loop {
        let anchors = stable | !cells;
        let mut more = own;
        for i in 0..4 {
            // A neighbour outside the square of bits is border, too.
            let lower = anchors << SHIFTS[i] | !HAS_LOWER[i] | low_end(i);
            let upper = anchors >> SHIFTS[i] | !HAS_UPPER[i] | high_end(i);
            more &= lines[i] | lower | upper;
        }
        if more == stable {
            return stable;
        }
        stable = more;
    }
}

/// The bits that a shift towards higher ones fills with nothing: their lower neighbour is outside.
#[inline]
fn low_end(direction: usize) -> u64 {
    (1 << SHIFTS[direction]) - 1
}

#[inline]
fn high_end(direction: usize) -> u64 {
    !(u64::MAX >> SHIFTS[direction])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::game::Game;
    use crate::core::seed::rng;
    use crate::games::reversi::board::ReversiBoard;
    use crate::games::reversi::position::{ReversiPosition, Start};
    use rand::RngExt;

    #[test]
    fn lines_are_full_if_each_of_their_cells_is() {
        let mut rng = rng(5, &[]);
        for _ in 0..2000 {
            let full: u64 = rng.random::<u64>() | rng.random::<u64>() | rng.random::<u64>() | rng.random::<u64>();
            for (i, (dx, dy)) in [(1, 0), (0, 1), (1, 1), (-1, 1)].into_iter().enumerate() {
                for square in 0..64 {
                    let whole = [-1, 1].into_iter().all(|sign| {
                        (0..8)
                            .map(|n| (square % 8 + sign * n * dx, square / 8 + sign * n * dy))
                            .take_while(|(x, y)| (0..8).contains(x) && (0..8).contains(y))
                            .all(|(x, y)| full >> (8 * y + x) & 1 != 0)
                    });
                    assert_eq!(full_lines(full)[i] >> square & 1 != 0, whole, "{full:x} {square} {i}");
                }
            }
        }
    }

    /// No disc that was stable once is ever flipped, over random games on all boards.
    #[test]
    fn stable_discs_stay() {
        let mut found = 0;
        for seed in 0..600 {
            let mut rng = rng(seed, &[]);
            let board = ReversiBoard::new(rng.random_range(4..=8), rng.random_range(4..=8)).unwrap();
            let mut position = ReversiPosition::new(board, Start::Standard);
            let (mut kept, mut moves) = ([0; 2], Vec::new());
            loop {
                let mut sides = [position.own(), position.enemy()];
                if position.side() == crate::core::game::Side::Second {
                    sides.swap(0, 1);
                }
                for i in 0..2 {
                    assert_eq!(kept[i] & !sides[i], 0, "seed {seed}: a stable disc was flipped\n{position}");
                    let now = stable(sides[i], sides[1 - i], board.cells());
                    assert_eq!(kept[i] & !now, 0, "seed {seed}: a stable disc is not stable any more\n{position}");
                    kept[i] = now;
                    found += now.count_ones();
                }
                moves.clear();
                position.moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                position.play(moves[rng.random_range(0..moves.len())]);
            }
        }
        assert!(found > 10_000, "only {found}");
    }
}

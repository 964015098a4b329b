//! History heuristic (J. Schaeffer 1983, 1989): moves are tried in the order of what they cut off elsewhere.
//!
//! A move that causes a cut-off at ply h gains 2^(hmax - h), so that what refutes near the root, where it saves most,
//! counts most. Kept for each side apart.

/// The greatest height that gains more than 1: hmax.
const GREATEST_HEIGHT: u32 = 24;
/// All numbers are halved when one reaches this.
const FULL: u64 = 1 << 38;

/// What each move has gained.
#[derive(Debug, Clone, Default)]
pub struct History {
    gains: [Vec<u64>; 2],
}

impl History {
    /// An empty one for this many codes of moves.
    pub fn new(codes: u16) -> History {
        History { gains: [vec![0; codes.into()], vec![0; codes.into()]] }
    }

    /// Notes that a move caused a cut-off `ply` plies below the root.
    #[inline]
    pub fn add(&mut self, side: usize, code: u16, ply: usize) {
        let Some(gain) = self.gains[side & 1].get_mut(usize::from(code)) else { return };
        *gain += 1 << GREATEST_HEIGHT.saturating_sub(ply as u32);
        if *gain >= FULL {
            self.gains.iter_mut().flatten().for_each(|gain| *gain /= 2);
        }
    }

    /// What a move has gained: below 2^38.
    #[inline]
    pub fn of(&self, side: usize, code: u16) -> i64 {
        self.gains[side & 1].get(usize::from(code)).map_or(0, |&gain| gain as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_offs_near_the_root_count_most_and_numbers_stay_small() {
        let mut history = History::new(3);
        history.add(0, 1, 3);
        history.add(0, 2, 4);
        history.add(0, 9, 4);
        assert!(history.of(0, 1) > history.of(0, 2) && history.of(0, 2) > history.of(0, 0));
        assert_eq!((history.of(1, 1), history.of(0, 9)), (0, 0));
        for _ in 0..100_000 {
            history.add(0, 1, 0);
            assert!(history.of(0, 1) < 1 << 38);
        }
    }
}

//! Killer moves (B. Huberman 1968; Slate and Atkin 1977): the last two moves that caused a cut-off at each ply, which
//! often refute the next position of that ply as well.

/// Killers at each ply.
const SLOTS: usize = 2;
/// The code of no move.
const NONE: u16 = u16::MAX;

/// The killers of all plies, as codes of moves, the latest first.
#[derive(Debug, Clone, Default)]
pub struct Killers {
    plies: Vec<[u16; SLOTS]>,
}

impl Killers {
    /// Notes that a move caused a cut-off.
    #[inline]
    pub fn add(&mut self, ply: usize, code: u16) {
        if self.plies.len() <= ply {
            self.plies.resize(ply + 1, [NONE; SLOTS]);
        }
        let slots = &mut self.plies[ply];
        if slots[0] != code {
            *slots = [code, slots[0]];
        }
    }

    /// How good a killer the move is at this ply: 2 for the latest, 1 for the one before, 0 for none.
    #[inline]
    pub fn rank(&self, ply: usize, code: u16) -> i64 {
        let slots = self.plies.get(ply).copied().unwrap_or([NONE; SLOTS]);
        slots.iter().position(|&killer| killer == code).map_or(0, |i| (SLOTS - i) as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_two_are_kept() {
        let mut killers = Killers::default();
        for code in [1, 2, 2, 3] {
            killers.add(4, code);
        }
        let ranks = |ply| [1, 2, 3].map(|code| killers.rank(ply, code));
        assert_eq!((ranks(4), ranks(3), ranks(5)), ([0, 1, 2], [0; 3], [0; 3]));
    }
}

//! What is sure for a colour that answers: life and area by pairs of points, of which the owner gets one (miai).
//!
//! Unconditional life ([`super::life`]) lets the owner pass for ever. Here it answers each enemy move locally, if
//! need be, so less has to be on the board; compare the static recognition of territory in E. van der Werf, "AI
//! techniques for the game of Go", 2004, chapter 6. A **pair** is two empty points that serve one purpose only: when
//! the enemy takes one, the owner takes the other.
//!
//! - Chains with two common liberties that make a pair are one **group**.
//! - A region (a connected set of points without own stones) is vital to a group if each of its points is next to
//!   the group, or has two neighbours in it that are next to the group and make a pair.
//! - A group lives if it has two vital regions, and all chains around them belong to living groups; what fails is
//!   struck out until nothing changes.
//! - A region around which all chains live is the owner's if it is vital to a living group. It is so, too, if all
//!   its points but one at most are next to living groups or have such pairs: the enemy cannot make two eyes in it.
//!
//! Why this holds, the enemy being to move and the points of the pairs empty. No stone of a living group is in
//! danger: a chain that is not yet connected to the rest of its group has both points of a pair as liberties, and a
//! whole group has a liberty in each of two regions, so the enemy never takes the last one. Its move meets one pair
//! at most, since no point belongs to two; after the answer all is as before. The answer is legal: the stone belongs
//! to a living group, and no ko can be there, for what was captured next to a living group would have belonged to it.
//! It leaves something of each region: a pair within a region leaves the enemy's stone, and of pairs across two
//! regions so many only are made that a point remains.
//!
//! Where no answer is needed and enemy stones are in the area, the owner puts a stone on any empty point there that
//! is next to a living group. It stays on the board. When a region has none left, its only empty point is the one
//! without a pair, so a stone there takes all enemy stones in the region at once; then its neighbours are empty, two
//! at least, and are its pair. So all comes to an end, and when the owner passes, no enemy stone is left in the area.
//! No board comes back from here on. But boards of the past could (what lives by answers may have been captured after
//! all when there was no answer), so this says nothing under superko; nor with suicide, where the enemy need never
//! pass. The owner must have a move before the game ends: what a side has that has just passed is sure only if there
//! are no enemy stones in it. If the owner is to move, it may have one point more to itself: one pair may be a single
//! point, which it takes now.

use super::board::{MOST_PARTS, all_parts, neighbours};

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

/// What is sure for a colour that answers, given its stones, those of the enemy, the points of the board, the point
/// that a ko forbids to the colour, and whether it is to move.
pub fn sure_with_answers(own: u64, enemy: u64, points: u64, ko: u64, to_move: bool) -> u64 {
    let outside = points & !own;
    if outside == 0 || own.count_ones() < 2 {
        return 0;
    }
    let Some((mut regions, mut count)) = all_parts(outside) else { return 0 };
    if count < 2 {
        return 0;
    }
    let Some((mut groups, mut alive)) = all_parts(own) else { return 0 };
    let mut nears = [0u64; MOST_PARTS];
    for (near, &chain) in nears.iter_mut().zip(&groups[..alive]) {
        *near = neighbours(chain);
    }
    let empty = outside & !enemy;
    let mut links = Pairs { empty, used: 0, spare: to_move };
    let mut i = 0;
    while i < alive {
        let mut j = i + 1;
        while j < alive {
            let pair = two(nears[i] & nears[j] & empty & !links.used);
            // An answer across two regions must leave something of the one it is given in.
            let ends =
                |region: u64| pair & region != 0 && pair & !region != 0 && (links.used | pair) & region == region;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::game::Side;
    use crate::games::go::board::GoBoard;
    use crate::games::go::life::sure;
    use crate::games::go::notation::small_rows;
    use crate::games::go::rules::{GoRules, Ko};
    use crate::games::go::state::{GoMove, State};
    use std::collections::HashMap;

    #[test]
    fn what_is_sure_with_answers() {
        // Black stones are written x. The numbers are those of the points that are sure for black: unconditionally,
        // with white to move, and with black to move.
        for (rows, area) in [
            (".x.x./xxxxx", [10, 10, 10]),
            // The corner: b3 and a2 are the pair of a3. It makes the second eye.
            ("..x.x/.xxxx/xxxxx", [0, 15, 15]),
            // Two chains with one eye each, connected by c3 and c2; white has one point of its own between them, c1.
            (".x.x./xx.xx/xO.Ox", [0, 15, 15]),
            // The corner has but one free neighbour next to black: black has to take it now.
            ("x..../xx.x./.xxxx", [0, 0, 15]),
        ] {
            let (board, black, white) = small_rows(rows);
            let points = board.points();
            let [white_to_move, black_to_move] =
                [false, true].map(|to_move| sure_with_answers(black, white, points, 0, to_move));
            let found = [sure(black, white, points), white_to_move, black_to_move];
            assert_eq!(found.map(u64::count_ones), area, "{rows}");
        }
    }

    /// All positions of a board, what leads to each, and how many moves each has.
    struct Game {
        states: Vec<State>,
        moves: Vec<u32>,
        before: Vec<Vec<u32>>,
    }

    impl Game {
        fn new(points: u64, board: GoBoard, rules: GoRules) -> Game {
            let mut numbers = HashMap::from([(State::EMPTY, 0)]);
            let mut game = Game { states: vec![State::EMPTY], moves: vec![], before: vec![vec![]] };
            while game.moves.len() < game.states.len() {
                let (at, state) = (game.moves.len(), game.states[game.moves.len()]);
                let placements = if state.passes > 1 { 0 } else { state.placements(points, rules.suicide) };
                let stones = board.all().filter(|&point| placements >> point & 1 != 0).map(GoMove);
                let mut count = 0;
                for m in stones.chain((state.passes < 2).then_some(GoMove::PASS)) {
                    let after = state.play(points, rules, m);
                    let number = *numbers.entry(after).or_insert(game.states.len());
                    if number == game.states.len() {
                        game.states.push(after);
                        game.before.push(vec![]);
                    }
                    game.before[number].push(at as u32);
                    count += 1;
                }
                game.moves.push(count);
            }
            game
        }

        /// From which positions the attacker forces an end with such a score, back from the ends.
        fn forced(&self, points: u64, attacker: Side, target: i32) -> Vec<bool> {
            let of_attacker = |state: &State, score: i32| if state.side == attacker { score } else { -score };
            let won = |state: &State| state.passes > 1 && of_attacker(state, state.score(points)) >= target;
            let mut yes: Vec<bool> = self.states.iter().map(won).collect();
            let mut left = self.moves.clone();
            let mut open: Vec<usize> = (0..yes.len()).filter(|&i| yes[i]).collect();
            while let Some(i) = open.pop() {
                for &before in &self.before[i] {
                    let before = before as usize;
                    left[before] -= 1;
                    if !yes[before] && (self.states[before].side == attacker || left[before] == 0) {
                        yes[before] = true;
                        open.push(before);
                    }
                }
            }
            yes
        }
    }

    /// What a side holds it forces: in all positions of small boards, by the definition.
    fn check(width: u8, height: u8) {
        let board = GoBoard::new(width, height).unwrap();
        let (points, area) = (board.points(), u32::from(board.area()));
        let (mut held, mut more) = (0, 0);
        for ko in [Ko::Basic, Ko::Free] {
            let game = Game::new(points, board, GoRules { ko, ..GoRules::default() });
            for attacker in [Side::First, Side::Second] {
                for least in 1..=area {
                    let holds: Vec<usize> = (0..game.states.len())
                        .filter(|&i| {
                            let state = &game.states[i];
                            state.passes < 2 && state.holds(points, state.side == attacker, least)
                        })
                        .collect();
                    let yes = game.forced(points, attacker, 2 * least as i32 - area as i32);
                    for i in holds {
                        let state = &game.states[i];
                        assert!(yes[i], "{board} {ko:?} {attacker:?} {least} {state:?}");
                        let (black, white) = state.stones();
                        let (own, enemy) = if attacker == Side::First { (black, white) } else { (white, black) };
                        held += 1;
                        more += u32::from(sure(own, enemy, points).count_ones() < least);
                    }
                }
            }
        }
        assert!(width.min(height) == 1 || more > 100 && held > 2 * more, "{board} {held} {more}");
    }

    #[test]
    fn what_is_held_is_forced() {
        for (width, height) in [(4, 1), (5, 1), (6, 1), (7, 1), (2, 3), (2, 4), (3, 3)] {
            check(width, height);
        }
    }

    /// Minutes, and a gigabyte of memory.
    #[test]
    #[ignore = "minutes"]
    fn what_is_held_is_forced_on_larger_boards() {
        for (width, height) in [(2, 5), (2, 6), (3, 4)] {
            check(width, height);
        }
    }
}

//! Questions on small boards answered by all positions that can come up, under the naive rules.
//!
//! The positions in which the attacker can force its goal are the least set that has those where it is reached, those
//! with the attacker to move and one move into the set, and those with the defender to move and all moves into it. So
//! a position that only repeats is not in it.

use morpion_engine::core::game::Side;
use morpion_engine::games::go::naive::{NaiveGo, NaivePoint};
use morpion_engine::games::go::rules::Ko;
use morpion_engine::tactics::board::{KoThreats, MOST_THREATS};
use std::collections::HashMap;

/// A column and a row.
pub type At = (usize, usize);

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub enum Wanted {
    /// The capture of the stone on a point.
    Capture(At),
    /// The connection of the stones on two points.
    Connection(At, At),
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    rows: Vec<Vec<u8>>,
    attacker_moves: bool,
    ban: Option<At>,
    /// Threats that the side with threats has left.
    left: u8,
    /// Whether the last move captured the stone asked about, alone.
    alone: bool,
}

pub fn point(side: Side) -> NaivePoint {
    if side == Side::First { NaivePoint::Black } else { NaivePoint::White }
}

pub struct Exhaustive {
    attacker: Side,
    threats: KoThreats,
    wanted: Wanted,
    /// Give up if there are more positions.
    most: usize,
    /// The points where both sides play, if not everywhere.
    region: Option<Vec<At>>,
}

fn of(state: &State, attacker: Side, threats: KoThreats) -> NaiveGo {
    let mut go = NaiveGo::new(state.rows[0].len(), state.rows.len(), Ko::Basic, false);
    let of = |code: &u8| [NaivePoint::Empty, NaivePoint::Black, NaivePoint::White][usize::from(*code)];
    go.rows = state.rows.iter().map(|row| row.iter().map(of).collect()).collect();
    let to_move = if state.attacker_moves { attacker } else { attacker.other() };
    go.to_move = point(to_move);
    go.ko = state.ban.filter(|_| threats != KoThreats::Of(to_move) || state.left == 0);
    go
}

fn rows_of(go: &NaiveGo) -> Vec<Vec<u8>> {
    let code = |point: &NaivePoint| match point {
        NaivePoint::Empty => 0,
        NaivePoint::Black => 1,
        NaivePoint::White => 2,
    };
    go.rows.iter().map(|row| row.iter().map(code).collect()).collect()
}

impl Exhaustive {
    pub fn new(attacker: Side, threats: KoThreats, wanted: Wanted, most: usize) -> Exhaustive {
        Exhaustive { attacker, threats, wanted, most, region: None }
    }

    /// The same with moves of both sides on these points alone.
    pub fn within(self, region: Vec<At>) -> Exhaustive {
        Exhaustive { region: Some(region), ..self }
    }

    /// The moves that may be tried; some may be illegal.
    fn moves(&self, go: &NaiveGo) -> Vec<Option<At>> {
        match &self.region {
            Some(region) => region.iter().copied().map(Some).chain([None]).collect(),
            None => go.moves(),
        }
    }

    /// Whether the attacker reaches the goal, `None` if there are too many positions.
    pub fn wins(&self, start: &NaiveGo, attacker_moves: bool) -> Option<bool> {
        let all = if self.threats == KoThreats::Neither { 0 } else { MOST_THREATS };
        let first = State { rows: rows_of(start), attacker_moves, ban: start.ko, left: all, alone: false };
        let mut number: HashMap<State, usize> = HashMap::from([(first.clone(), 0)]);
        let mut states = vec![first];
        // The positions before each, the moves left of each with the defender to move, and what is won.
        let (mut before, mut left, mut won): (Vec<Vec<usize>>, Vec<usize>, Vec<usize>) =
            (vec![Vec::new()], Vec::new(), Vec::new());
        let mut i = 0;
        while i < states.len() {
            let go = of(&states[i], self.attacker, self.threats);
            left.push(0);
            match self.ended(&go, &states[i]) {
                Some(true) => won.push(i),
                Some(false) => (),
                None => {
                    for m in self.moves(&go) {
                        let Some(after) = go.after(m) else { continue };
                        let (x, y) = match self.wanted {
                            Wanted::Capture(at) | Wanted::Connection(at, _) => at,
                        };
                        let stones = |go: &NaiveGo| {
                            go.rows.iter().flatten().filter(|&&point| point != NaivePoint::Empty).count()
                        };
                        let alone = states[i].attacker_moves
                            && go.rows[y][x] != NaivePoint::Empty
                            && after.rows[y][x] == NaivePoint::Empty
                            && stones(&after) == stones(&go);
                        let next = State {
                            rows: rows_of(&after),
                            attacker_moves: !states[i].attacker_moves,
                            ban: after.ko,
                            left: states[i]
                                .left
                                .saturating_sub((states[i].ban.is_some() && m == states[i].ban).into()),
                            alone,
                        };
                        let id = *number.entry(next.clone()).or_insert_with(|| {
                            states.push(next);
                            before.push(Vec::new());
                            states.len() - 1
                        });
                        before[id].push(i);
                        left[i] += 1;
                    }
                    if states.len() > self.most {
                        return None;
                    }
                }
            }
            i += 1;
        }
        let mut is_won = vec![false; states.len()];
        while let Some(id) = won.pop() {
            if std::mem::replace(&mut is_won[id], true) {
                continue;
            }
            for &parent in &before[id] {
                left[parent] -= 1;
                if states[parent].attacker_moves || left[parent] == 0 {
                    won.push(parent);
                }
            }
        }
        Some(is_won[0])
    }

    fn ended(&self, go: &NaiveGo, state: &State) -> Option<bool> {
        let (own, defender) = (point(self.attacker), point(self.attacker.other()));
        match self.wanted {
            Wanted::Capture((x, y)) => {
                if go.rows[y][x] == defender {
                    return None;
                }
                // A single stone is back if it can be retaken, in a ko or a snapback.
                let before: usize = go.rows.iter().flatten().filter(|&&point| point == own).count();
                let after = (!state.attacker_moves && state.alone).then(|| go.after(Some((x, y)))).flatten();
                let retaken =
                    after.is_some_and(|after| after.rows.iter().flatten().filter(|&&p| p == own).count() < before);
                if retaken {
                    return None;
                }
                Some(true)
            }
            Wanted::Connection(a, b) => {
                if go.rows[a.1][a.0] != own || go.rows[b.1][b.0] != own {
                    return Some(false);
                }
                let mut seen = vec![a];
                let mut i = 0;
                while i < seen.len() {
                    let (x, y) = seen[i];
                    for (x, y) in [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)] {
                        let is_own = go.rows.get(y).and_then(|row| row.get(x)) == Some(&own);
                        if is_own && !seen.contains(&(x, y)) {
                            seen.push((x, y));
                        }
                    }
                    i += 1;
                }
                seen.contains(&b).then_some(true)
            }
        }
    }
}

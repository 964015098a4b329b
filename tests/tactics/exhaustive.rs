//! Questions on small boards answered by all positions that can come up, under the naive rules.
//!
//! The positions in which the attacker can force its goal are the least set that has those where it is reached, those
//! with the attacker to move and one move into the set, and those with the defender to move and all moves into it. So
//! a position that only repeats is not in it.

use morpion::core::game::Side;
use morpion::games::go::naive::{NaiveGo, NaivePoint};
use morpion::games::go::rules::Ko;
use morpion::tactics::board::KoThreats;
use std::collections::HashMap;

/// A column and a row.
pub type At = (usize, usize);

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub enum Wanted {
    /// The capture of the stone on a point.
    Capture(At),
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    rows: Vec<Vec<u8>>,
    attacker_moves: bool,
    ban: Option<At>,
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
}

fn of(state: &State, attacker: Side) -> NaiveGo {
    let mut go = NaiveGo::new(state.rows[0].len(), state.rows.len(), Ko::Basic, false);
    let of = |code: &u8| [NaivePoint::Empty, NaivePoint::Black, NaivePoint::White][usize::from(*code)];
    go.rows = state.rows.iter().map(|row| row.iter().map(of).collect()).collect();
    go.to_move = point(if state.attacker_moves { attacker } else { attacker.other() });
    go.ko = state.ban;
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
        Exhaustive { attacker, threats, wanted, most }
    }

    /// Whether the attacker reaches the goal, `None` if there are too many positions.
    pub fn wins(&self, start: &NaiveGo, attacker_moves: bool) -> Option<bool> {
        let first = State { rows: rows_of(start), attacker_moves, ban: start.ko };
        let mut number: HashMap<State, usize> = HashMap::from([(first.clone(), 0)]);
        let mut states = vec![first];
        // The positions before each, the moves left of each with the defender to move, and what is won.
        let (mut before, mut left, mut won): (Vec<Vec<usize>>, Vec<usize>, Vec<usize>) =
            (vec![Vec::new()], Vec::new(), Vec::new());
        let mut i = 0;
        while i < states.len() {
            let go = of(&states[i], self.attacker);
            left.push(0);
            match self.ended(&go, &states[i]) {
                Some(true) => won.push(i),
                Some(false) => (),
                None => {
                    for after in go.moves().into_iter().filter_map(|m| go.after(m)) {
                        let to_move = if states[i].attacker_moves { self.attacker.other() } else { self.attacker };
                        let ban = after.ko.filter(|_| self.threats != KoThreats::Of(to_move));
                        let next = State { rows: rows_of(&after), attacker_moves: !states[i].attacker_moves, ban };
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
        let defender = point(self.attacker.other());
        match self.wanted {
            Wanted::Capture((x, y)) => {
                if go.rows[y][x] == defender {
                    return None;
                }
                // A stone taken in a ko is back if it can be retaken.
                let retaken = !state.attacker_moves && go.rows[y][x] == NaivePoint::Empty;
                if retaken && go.after(Some((x, y))).is_some_and(|after| after.ko.is_some()) {
                    return None;
                }
                Some(true)
            }
        }
    }
}

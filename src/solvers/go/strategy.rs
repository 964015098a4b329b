//! Whether what a side forces with basic ko it forces under positional superko, too.
//!
//! Under superko the other side has no move that basic ko does not allow it: taking back a ko at once makes the board before.
//! The attacker may lack one: a stone may not make a board that was there before. So the attacker's way to force its end is
//! made a graph, one move of the attacker's in each position and all moves of the other side's. It has no circle, or
//! nothing would be forced. If there is no way in it from a position to another one with the same board that a stone of the
//! attacker's makes, every move of it is legal under superko, whatever the other side plays. Such a way is rare: it leads
//! from a board to the same with another ko or another side to move, and forwards all the time. Where there is one, the
//! attacker's stones keep away from the position at its end, and the graph is made anew.
//!
//! Symmetric positions are one in the graph, so a board that is only symmetric to an earlier one counts as the
//! same: the check may fail where it need not, never the other way round.

use super::race::{Race, Turn};
use crate::solvers::monitor::Stopped;
use std::collections::{HashMap, HashSet};

use crate::games::go::state::State;

/// Longest way through the graph, in plies.
const LONGEST: usize = 1000;
/// How often another way is looked for.
const TRIES: usize = 100;

/// A position of the graph.
#[derive(Debug, Clone, Copy)]
struct Place {
    key: u64,
    /// The board that it has, the same for symmetric ones.
    board: u64,
    /// Whether a stone of the attacker's leads to it.
    made: bool,
    /// Moves to the end of the game at most: each is larger than that of the next positions.
    height: u32,
    /// First of its moves among all, and one more than the last.
    moves: (u32, u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Open,
    Place(u32),
    /// It has no way to the end that does not turn in a circle.
    Dead,
}

struct Graph<'r, 'a> {
    race: &'r mut Race<'a>,
    marks: HashMap<u64, Mark>,
    places: Vec<Place>,
    moves: Vec<u32>,
    /// Keys of positions that no stone of the attacker's leads to.
    banned: HashSet<u64>,
}

/// Whether the attacker's way to force its end from `root`, which it does with basic ko, is legal under superko for a game that
/// begins there. A no says nothing.
///
/// # Errors
/// The search is to stop.
pub fn is_legal_under_superko(race: &mut Race, root: State) -> Result<bool, Stopped> {
    let (marks, places, moves) = (HashMap::new(), Vec::new(), Vec::new());
    let mut graph = Graph { race, marks, places, moves, banned: HashSet::new() };
    for _ in 0..TRIES {
        if graph.visit(root, 0)?.is_none() {
            return Ok(false);
        }
        let twice = graph.made_twice();
        if twice.is_empty() {
            return Ok(true);
        }
        graph.banned.extend(twice);
        graph.marks.clear();
        graph.places.clear();
        graph.moves.clear();
    }
    Ok(false)
}

impl Graph<'_, '_> {
    /// The number of a position that the attacker wins, with all below it in the graph; `None` if that failed.
    fn visit(&mut self, state: State, depth: usize) -> Result<Option<u32>, Stopped> {
        let key = self.race.key_of(&state);
        match self.marks.get(&key) {
            Some(Mark::Place(number)) => return Ok(Some(*number)),
            Some(Mark::Open | Mark::Dead) => return Ok(None),
            None => (),
        }
        if depth > LONGEST {
            return Ok(None);
        }
        self.marks.insert(key, Mark::Open);
        let next = match self.race.turn(&state) {
            Turn::Won => Some(Vec::new()),
            Turn::Attacker => self.one_of(&state, depth)?,
            Turn::Defender => self.all_of(&state, depth)?,
        };
        let Some(next) = next else {
            self.marks.insert(key, Mark::Dead);
            return Ok(None);
        };
        let height = next.iter().map(|&n| self.places[n as usize].height + 1).max().unwrap_or(0);
        let first = self.moves.len() as u32;
        self.moves.extend(next);
        let moves = (first, self.moves.len() as u32);
        let number = self.places.len() as u32;
        self.places.push(Place { key, board: self.race.board_of(&state), made: false, height, moves });
        self.marks.insert(key, Mark::Place(number));
        Ok(Some(number))
    }

    /// A move of the attacker's: one that is known to win, else any that wins.
    fn one_of(&mut self, state: &State, depth: usize) -> Result<Option<Vec<u32>>, Stopped> {
        for known in [true, false] {
            for (stone, after) in self.race.moves_in_order(state) {
                if stone && self.banned.contains(&self.race.key_of(&after)) || self.race.is_known(&after) != known {
                    continue;
                }
                if !known && self.race.answer(after)? != Some(true) {
                    continue;
                }
                if let Some(number) = self.visit(after, depth + 1)? {
                    self.places[number as usize].made |= stone;
                    return Ok(Some(vec![number]));
                }
            }
        }
        Ok(None)
    }

    /// All moves of the other side's.
    fn all_of(&mut self, state: &State, depth: usize) -> Result<Option<Vec<u32>>, Stopped> {
        let mut next = Vec::new();
        for (_, after) in self.race.moves_of(state) {
            let Some(number) = self.visit(after, depth + 1)? else { return Ok(None) };
            if !next.contains(&number) {
                next.push(number);
            }
        }
        Ok(Some(next))
    }

    /// The positions that a stone of the attacker's makes and that a way leads to from another one with the same board, by key.
    fn made_twice(&self) -> Vec<u64> {
        let mut by_board: HashMap<u64, Vec<u32>> = HashMap::new();
        for (number, place) in self.places.iter().enumerate() {
            by_board.entry(place.board).or_default().push(number as u32);
        }
        let height = |number: u32| self.places[number as usize].height;
        let mut twice: Vec<u64> = (by_board.values().filter(|numbers| numbers.len() > 1))
            .flat_map(|numbers| numbers.iter().map(move |&second| (numbers, second)))
            .filter(|&(_, second)| self.places[second as usize].made)
            // Heights fall along every way.
            .filter(|&(numbers, second)| {
                numbers.iter().any(|&first| height(first) > height(second) && self.leads_to(first, second))
            })
            .map(|(_, second)| self.places[second as usize].key)
            .collect();
        twice.sort_unstable();
        twice
    }

    fn leads_to(&self, first: u32, second: u32) -> bool {
        let least = self.places[second as usize].height;
        let (mut seen, mut open) = (HashSet::from([first]), vec![first]);
        while let Some(number) = open.pop() {
            let (from, to) = self.places[number as usize].moves;
            for &next in &self.moves[from as usize..to as usize] {
                if next == second {
                    return true;
                }
                if self.places[next as usize].height > least && seen.insert(next) {
                    open.push(next);
                }
            }
        }
        false
    }
}

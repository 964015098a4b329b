//! A complete set of points: is there a grid with exactly these? A plain backtracking search over lines, without
//! learning and without a limit.
//!
//! `n` lines are wanted, where `n` is the number of points beyond the cross. Lines of one direction share no cell,
//! and from the cross all points must be reached by lines that have all points but one. A line is *forced in* or
//! *out* if the other choice leaves room for fewer than `n` lines, or leaves points that no line can reach any
//! more. What is left is tried both ways.

use super::rules::{CheckRules, SharedCell, Spot};
use std::cell::RefCell;
use std::collections::HashMap;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Open,
    In,
    Out,
}

/// A set of points with the lines that fit into it.
struct ShapeSearch {
    /// Points beyond the cross.
    count: usize,
    /// Of each line, its points beyond the cross.
    lines: Vec<Vec<usize>>,
    /// The lines of each point beyond the cross.
    of_point: Vec<Vec<usize>>,
    /// Of each line, those that share a cell with it.
    conflicts: Vec<Vec<usize>>,
    /// The lines of each direction and track, by their first points.
    tracks: Vec<Vec<usize>>,
    track_of: Vec<usize>,
    nodes: u64,
    /// Of each line, how often points could not be reached for the lack of it.
    missed: RefCell<Vec<u32>>,
}

/// Whether there is a grid whose points beyond the cross are `points`; and how many nodes the search took.
pub fn has_grid(rules: &CheckRules, points: &[Spot]) -> (bool, u64) {
    let numbers: HashMap<Spot, usize> = points.iter().enumerate().map(|(number, &point)| (point, number)).collect();
    let mut all: Vec<Spot> = rules.cross.iter().chain(points).copied().collect();
    all.sort_unstable();
    let (mut lines, mut cells, mut tracks) = (Vec::new(), Vec::<Vec<SharedCell>>::new(), HashMap::new());
    let known: std::collections::HashSet<Spot> = all.iter().copied().collect();
    for direction in 0..4 {
        for &first in &all {
            let line = rules.line(direction, first);
            if line.iter().all(|point| known.contains(point)) {
                tracks.entry(rules.track(direction, first)).or_insert_with(Vec::new).push(lines.len());
                lines.push(line.iter().filter_map(|point| numbers.get(point).copied()).collect::<Vec<_>>());
                cells.push(rules.cells(direction, first));
            }
        }
    }
    let mut of_point = vec![Vec::new(); points.len()];
    for (line, own) in lines.iter().enumerate() {
        own.iter().for_each(|&point| of_point[point].push(line));
    }
    let mut by_cell: HashMap<SharedCell, Vec<usize>> = HashMap::new();
    for (line, own) in cells.iter().enumerate() {
        own.iter().for_each(|&cell| by_cell.entry(cell).or_default().push(line));
    }
    let conflicts = cells.iter().enumerate().map(|(line, own)| {
        let mut others: Vec<usize> =
            own.iter().flat_map(|cell| by_cell[cell].iter().copied()).filter(|&other| other != line).collect();
        others.sort_unstable();
        others.dedup();
        others
    });
    let conflicts = conflicts.collect();
    let mut tracks: Vec<_> = tracks.into_iter().collect();
    tracks.sort();
    let tracks: Vec<Vec<usize>> = tracks.into_iter().map(|(_, lines)| lines).collect();
    let mut track_of = vec![0; lines.len()];
    for (track, own) in tracks.iter().enumerate() {
        own.iter().for_each(|&line| track_of[line] = track);
    }
    let missed = RefCell::new(vec![0; lines.len()]);
    let mut search =
        ShapeSearch { count: points.len(), lines, of_point, conflicts, tracks, track_of, nodes: 0, missed };
    let start = vec![Choice::Open; search.lines.len()];
    let found = search.search(start);
    (found, search.nodes)
}

impl ShapeSearch {
    fn search(&mut self, start: Vec<Choice>) -> bool {
        let mut stack = vec![start];
        while let Some(mut choices) = stack.pop() {
            self.nodes += 1;
            if !self.propagate(&mut choices) {
                continue;
            }
            // The open line that points lacked most often (as weights of constraints: Boussemart and others 2004).
            let missed = self.missed.borrow();
            let open = (0..self.lines.len()).filter(|&line| choices[line] == Choice::Open);
            let Some(line) = open.max_by_key(|&line| (missed[line], std::cmp::Reverse(line))) else {
                // All is decided, there is room for as many lines as points, and all points are reached.
                return true;
            };
            drop(missed);
            let mut without = choices.clone();
            without[line] = Choice::Out;
            stack.push(without);
            self.take(&mut choices, line);
            stack.push(choices);
        }
        false
    }

    /// Puts a line in, and those out that share a cell with it.
    fn take(&self, choices: &mut [Choice], line: usize) {
        choices[line] = Choice::In;
        self.conflicts[line].iter().for_each(|&other| choices[other] = Choice::Out);
    }

    /// Most lines of a track that share no cell, of those that are not out: from its start, whichever comes first.
    fn room(&self, choices: &[Choice], track: usize) -> usize {
        let (mut room, mut last) = (0, None);
        for &line in &self.tracks[track] {
            let free = choices[line] != Choice::Out
                && last.is_none_or(|last: usize| self.conflicts[last].binary_search(&line).is_err());
            if free {
                room += 1;
                last = Some(line);
            }
        }
        room
    }

    /// Of each line, whether it draws a point, where all points are reached by lines that are not out; `None` if they
    /// cannot be.
    fn reach(&self, choices: &[Choice]) -> Option<Vec<bool>> {
        let mut lacking: Vec<u8> = self.lines.iter().map(|own| own.len() as u8).collect();
        let (mut reached, mut draws) = (vec![false; self.count], vec![false; self.lines.len()]);
        let mut ready: Vec<usize> =
            (0..self.lines.len()).filter(|&line| lacking[line] == 1 && choices[line] != Choice::Out).collect();
        let mut count = 0;
        while let Some(line) = ready.pop() {
            let Some(&point) = self.lines[line].iter().find(|&&point| !reached[point]) else { continue };
            reached[point] = true;
            draws[line] = true;
            count += 1;
            for &other in &self.of_point[point] {
                lacking[other] -= 1;
                if lacking[other] == 1 && choices[other] != Choice::Out {
                    ready.push(other);
                }
            }
        }
        if count == self.count {
            return Some(draws);
        }
        let mut missed = self.missed.borrow_mut();
        (0..self.lines.len()).filter(|&line| lacking[line] == 1).for_each(|line| missed[line] += 1);
        None
    }

    /// Forces lines until nothing changes; whether a grid is still possible.
    fn propagate(&self, choices: &mut [Choice]) -> bool {
        let mut rooms: Vec<usize> = (0..self.tracks.len()).map(|track| self.room(choices, track)).collect();
        let mut total: usize = rooms.iter().sum();
        let Some(mut draws) = self.reach(choices) else { return false };
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for line in 0..self.lines.len() {
                if total < self.count {
                    return false;
                }
                if choices[line] != Choice::Open {
                    continue;
                }
                let (track, slack) = (self.track_of[line], total - self.count);
                // Whether a choice is possible that puts these lines out.
                let possible = |choice: Choice, out: &[usize]| {
                    let mut tried = choices.to_vec();
                    tried[line] = choice;
                    out.iter().for_each(|&other| tried[other] = Choice::Out);
                    self.room(&tried, track) + slack >= rooms[track]
                        && (out.iter().all(|&other| !draws[other]) || self.reach(&tried).is_some())
                };
                let with = possible(Choice::In, &self.conflicts[line]);
                let without = possible(Choice::Out, &[line]);
                match (with, without) {
                    (false, false) => return false,
                    (true, true) => continue,
                    (true, false) => self.take(choices, line),
                    (false, true) => choices[line] = Choice::Out,
                }
                changed = true;
                total -= rooms[track];
                rooms[track] = self.room(choices, track);
                total += rooms[track];
                let Some(now) = self.reach(choices) else { return false };
                draws = now;
            }
        }
        total >= self.count
    }
}

//! The lines of a shape: is there a grid whose points are exactly these?
//!
//! Once the lines are chosen, everything is decided: a line that lacks one point draws it, and so on until nothing is left
//! (as erasures are decoded by parity checks). So a shape is filled by lines that share no cell, few enough of which are
//! missing (the slack of the shape), and by which all points can be reached from the start. That is a satisfiability problem with one variable per
//! line, given to a solver of conflict-driven clause learning (`batsat`):
//!
//! * With `d` lines less than fit, line `j` of a run begins at cell `b j + o` where `o` is at most what the lines leave over; so each run
//!   is a few clauses, which with a slack of 0 leave little to choose.
//! * A set of points rests on nothing but itself if no line has exactly one of them. So for each set there is the clause that
//!   a line with exactly one of its points is there (a loop formula: Lin and Zhao 2004). There are too many to write down: whenever
//!   what is decided leaves points that cannot be reached any more, one of theirs is added.

use super::shape::Shape;
use crate::core::seed::{self, Rng};
use crate::morpion::geometry::{Line, Move, Point};
use crate::morpion::variant::Rules;
use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, Theory, TheoryArg, lbool};
use rand::seq::IndexedRandom;
use std::cell::Cell;

/// What a point of the start is called.
const START: u16 = u16::MAX;
/// The sets of points looked at for a clause; the shortest clause is taken.
const SETS: usize = 4;

/// What is known of a shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// The moves of a grid whose points are those of the shape, in an order in which they can be played.
    Grid(Vec<u32>),
    /// There is no grid.
    No,
    /// None was found with so many conflicts.
    Unknown,
}

/// Looks for a grid whose points are those of `shape` and that has none of the lines of the moves `barred`; gives up after `limit`
/// conflicts. Also returns the number of conflicts.
pub(super) fn fill<R: Rules>(shape: &Shape<R>, barred: &[u32], limit: u64, seed: u64) -> (Answer, u64) {
    if shape.slack() < 0 {
        return (Answer::No, 0);
    }
    // The generator of the solver takes a number of 31 bits as it is.
    let random_seed = (seed % ((1 << 31) - 2) + 1) as f64;
    let opts = SolverOpts { random_seed, rnd_init_act: true, ..SolverOpts::default() };
    let mut solver = Solver::new(opts, Budget { conflicts: Cell::new(0), limit });
    let (mut reach, lines) = Reach::new(shape, seed);
    let there: Vec<Lit> = lines.iter().map(|_| Lit::new(solver.new_var_default(), true)).collect();
    let never = [(); 2].map(|()| Lit::new(solver.new_var_default(), true));
    never.iter().for_each(|&never| add(&mut solver, [!never]));
    reach.there.clone_from(&there);
    reach.never = never;
    for (&line, &there) in lines.iter().zip(&there) {
        if barred.iter().any(|&bits| Move::from_raw(bits).line() == line) {
            add(&mut solver, [!there]);
        }
    }
    choose_lines(&mut solver, shape, &there);
    for of_point in &reach.of_point {
        add(&mut solver, of_point.iter().map(|&line| there[usize::from(line)]));
    }
    let result = solver.solve_limited_th(&mut reach, &[]);
    let conflicts = solver.cb().conflicts.get();
    if result == lbool::FALSE {
        return (Answer::No, conflicts);
    }
    if result != lbool::TRUE {
        return (Answer::Unknown, conflicts);
    }
    let model = solver.get_model();
    reach.off = there.iter().map(|lit| model[lit.var().idx() as usize] != lbool::TRUE).collect();
    let reached = reach.reach();
    debug_assert_eq!(reached, shape.len());
    let points = shape.added();
    let moves = reach
        .drawn
        .iter()
        .map(|&(line, point)| Move::pack(points[usize::from(point)], lines[usize::from(line)]).bits());
    (Answer::Grid(moves.collect()), conflicts)
}

fn add(solver: &mut Solver<Budget>, clause: impl IntoIterator<Item = Lit>) {
    solver.add_clause_reuse(&mut clause.into_iter().collect());
}

/// That lines do not share cells, and that no more of them are missing than the slack allows.
fn choose_lines<R: Rules>(solver: &mut Solver<Budget>, shape: &Shape<R>, mut there: &[Lit]) {
    let slack = shape.slack() as usize;
    let mut lacks = Vec::new();
    for run in shape.runs() {
        let starts = run.cells as usize - R::BLOCKED + 1;
        let (own, others) = there.split_at(starts);
        there = others;
        for a in 0..starts {
            for b in a + 1..starts.min(a + R::BLOCKED) {
                add(solver, [!own[a], !own[b]]);
            }
        }
        let most = run.cells as usize / R::BLOCKED;
        // At `d`: more than `d` lines are missing.
        let more: Vec<Lit> = (0..slack.min(most)).map(|_| Lit::new(solver.new_var_default(), true)).collect();
        for d in 0..=slack.min(most - 1) {
            let left = run.cells as usize - R::BLOCKED * (most - d);
            for j in 0..most - d {
                let first = R::BLOCKED * j;
                add(solver, own[first..=first + left].iter().chain(more.get(d)).copied());
            }
        }
        for pair in more.windows(2) {
            add(solver, [!pair[1], pair[0]]);
        }
        if slack == 0 {
            let left = run.cells as usize % R::BLOCKED;
            for (_, &lit) in own.iter().enumerate().filter(|(at, _)| at % R::BLOCKED > left) {
                add(solver, [!lit]);
            }
        }
        lacks.extend(more);
    }
    // A sequential counter (Sinz 2005): at `n` of each, more than `n` lines are missing in the runs up to here.
    let mut before: Vec<Lit> = Vec::new();
    for lack in lacks {
        let now: Vec<Lit> = (0..slack).map(|_| Lit::new(solver.new_var_default(), true)).collect();
        add(solver, [!lack, now[0]]);
        for (n, &earlier) in before.iter().enumerate() {
            add(solver, [!earlier, now[n]]);
            add(solver, [!lack, !earlier].into_iter().chain(now.get(n + 1).copied()));
        }
        before = now;
    }
}

/// Ends a search after so many conflicts.
struct Budget {
    conflicts: Cell<u64>,
    limit: u64,
}

impl Callbacks for Budget {
    fn on_new_clause(&mut self, _: &[Lit], _: batsat::clause::Kind) {
        self.conflicts.set(self.conflicts.get() + 1);
    }

    fn stop(&self) -> bool {
        self.conflicts.get() > self.limit
    }
}

/// All points must be reached from the start, each by a line that has all its others.
struct Reach {
    /// Of each line, its points by number; [`START`] for those of the start, and where a line of four has no fifth.
    lines: Vec<[u16; 5]>,
    /// Of each point, the lines that have it.
    of_point: Vec<Vec<u16>>,
    /// Of each line, how many points it has that are not of the start.
    open: Vec<u8>,
    /// Of each line, that it is there.
    there: Vec<Lit>,
    /// What is never true. The solver takes no clause of one literal that has been false from the start, nor an empty one.
    never: [Lit; 2],
    /// Which lines are out, and these in the order in which they went.
    off: Vec<bool>,
    out: Vec<u16>,
    /// At each level, how much had been read of what is decided, and how many lines were out.
    levels: Vec<(usize, usize)>,
    read: usize,
    rng: Rng,
    /// Of the last look: which points were reached, what each line lacked, and the lines and points as they were drawn.
    reached: Vec<bool>,
    lacking: Vec<u8>,
    drawn: Vec<(u16, u16)>,
    /// Room.
    queue: Vec<u16>,
}

impl Reach {
    /// With all lines that fit into the shape, in the order of its runs, which are also returned.
    fn new<R: Rules>(shape: &Shape<R>, seed: u64) -> (Reach, Vec<Line>) {
        let points = shape.added();
        let mut numbers = vec![START; 1 << 12];
        (0..).zip(&points).for_each(|(number, point): (u16, &Point)| numbers[point.index()] = number);
        let mut lines = Vec::new();
        for run in shape.runs() {
            let starts = run.cells - R::BLOCKED as u32 + 1;
            lines.extend((0..starts).map(|step| Line::pack(run.direction, run.track, run.start + step)));
        }
        let mut of_point = vec![Vec::new(); points.len()];
        let of_line: Vec<[u16; 5]> = (0..)
            .zip(&lines)
            .map(|(number, line)| {
                let mut own = [START; 5];
                for (own, point) in own.iter_mut().zip(line.points::<R>()) {
                    *own = numbers[point.index()];
                    if *own != START {
                        of_point[usize::from(*own)].push(number);
                    }
                }
                own
            })
            .collect();
        let open: Vec<u8> = of_line.iter().map(|own| own.iter().filter(|&&p| p != START).count() as u8).collect();
        let reach = Reach {
            there: Vec::new(),
            never: [Lit::UNDEF; 2],
            off: vec![false; lines.len()],
            out: Vec::new(),
            levels: Vec::new(),
            read: 0,
            rng: seed::rng(seed, &[]),
            reached: vec![false; points.len()],
            lacking: open.clone(),
            drawn: Vec::new(),
            queue: Vec::new(),
            lines: of_line,
            of_point,
            open,
        };
        (reach, lines)
    }

    /// How many points can be reached by the lines that are not out.
    fn reach(&mut self) -> usize {
        self.lacking.copy_from_slice(&self.open);
        self.reached.fill(false);
        self.drawn.clear();
        self.queue.clear();
        let first = (0..self.lines.len()).filter(|&line| self.open[line] == 1 && !self.off[line]);
        self.queue.extend(first.map(|line| line as u16));
        while let Some(line) = self.queue.pop() {
            let missing =
                self.lines[usize::from(line)].iter().find(|&&p| p != START && !self.reached[usize::from(p)]);
            // Another line has reached the point of this one.
            let Some(&point) = missing else { continue };
            self.reached[usize::from(point)] = true;
            self.drawn.push((line, point));
            for &other in &self.of_point[usize::from(point)] {
                let at = usize::from(other);
                self.lacking[at] -= 1;
                if self.lacking[at] == 1 && !self.off[at] {
                    self.queue.push(other);
                }
            }
        }
        self.drawn.len()
    }

    /// A set of points that cannot be reached, as small as chance allows: the lines that have exactly one of them, all of which
    /// are out.
    fn loop_formula(&mut self) -> Vec<Lit> {
        let left: Vec<u16> = (0..).zip(&self.reached).filter(|(_, reached)| !**reached).map(|(p, _)| p).collect();
        let mut shortest: Option<Vec<u16>> = None;
        for _ in 0..SETS {
            let Some(&first) = left.choose(&mut self.rng) else { break };
            let (mut set, mut within) = (vec![first], vec![false; self.of_point.len()]);
            within[usize::from(first)] = true;
            let mut at = 0;
            while at < set.len() {
                for &line in &self.of_point[usize::from(set[at])] {
                    let points = &self.lines[usize::from(line)];
                    // A line that is not out and has one point of the set has another that cannot be reached: it joins.
                    if !self.off[usize::from(line)] && members(points, &within) == 1 {
                        let open =
                            |p: &u16| *p != START && !within[usize::from(*p)] && !self.reached[usize::from(*p)];
                        let others: Vec<u16> = points.iter().copied().filter(open).collect();
                        if let Some(&other) = others.choose(&mut self.rng) {
                            within[usize::from(other)] = true;
                            set.push(other);
                        }
                    }
                }
                at += 1;
            }
            let touching = set.iter().flat_map(|&point| &self.of_point[usize::from(point)]);
            let single = touching.filter(|&&line| members(&self.lines[usize::from(line)], &within) == 1);
            let clause: Vec<u16> = single.copied().collect();
            if shortest.as_ref().is_none_or(|shortest| clause.len() < shortest.len()) {
                shortest = Some(clause);
            }
        }
        let clause = shortest.into_iter().flatten().map(|line| self.there[usize::from(line)]);
        let mut clause: Vec<Lit> = clause.collect();
        let padding = 2usize.saturating_sub(clause.len());
        clause.extend(&self.never[..padding]);
        clause
    }

    /// Reads what has been decided since; whether a line went out.
    fn update(&mut self, decided: &[Lit]) -> bool {
        let before = self.out.len();
        for lit in &decided[self.read.min(decided.len())..] {
            let at = lit.var().idx() as usize;
            if !lit.sign() && at < self.lines.len() && !self.off[at] {
                self.off[at] = true;
                self.out.push(at as u16);
            }
        }
        self.read = decided.len();
        self.out.len() > before
    }

    fn check(&mut self, acts: &mut TheoryArg) {
        if self.reach() < self.of_point.len() {
            let clause = self.loop_formula();
            acts.raise_conflict(&clause, true);
        }
    }
}

/// How many points of a line are in a set.
fn members(points: &[u16; 5], within: &[bool]) -> usize {
    points.iter().filter(|&&point| point != START && within[usize::from(point)]).count()
}

impl Theory for Reach {
    fn final_check(&mut self, acts: &mut TheoryArg) {
        self.update(acts.model());
        self.check(acts);
    }

    fn create_level(&mut self) {
        self.levels.push((self.read, self.out.len()));
    }

    fn pop_levels(&mut self, n: usize) {
        let keep = self.levels.len() - n;
        let Some(&(read, out)) = self.levels.get(keep) else { return };
        self.levels.truncate(keep);
        self.read = self.read.min(read);
        for line in self.out.drain(out..) {
            self.off[usize::from(line)] = false;
        }
    }

    fn n_levels(&self) -> usize {
        self.levels.len()
    }

    fn partial_check(&mut self, acts: &mut TheoryArg) {
        if self.update(acts.model()) {
            self.check(acts);
        }
    }

    fn explain_propagation(&mut self, _: Lit) -> &[Lit] {
        unreachable!("nothing is propagated")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morpion::position::Position;
    use crate::morpion::variant::{D4, T4, T5, Variant};
    use crate::strategies::choices::tests::game;
    use crate::with_rules;
    use std::collections::HashSet;

    fn position<R: Rules>(moves: &[u32]) -> Position<R> {
        let moves: Vec<Move> = moves.iter().map(|&bits| Move::from_raw(bits)).collect();
        Position::after(&moves).expect("the moves are legal in this order")
    }

    fn shape<R: Rules>(start: &[u32], more: &[u32]) -> Shape<R> {
        let mut shape = Shape::new(position::<R>(start).board());
        more.iter().for_each(|&bits| shape.flip(Move::from_raw(bits).point()));
        shape
    }

    fn points(moves: &[u32]) -> HashSet<usize> {
        moves.iter().map(|&bits| Move::from_raw(bits).point().index()).collect()
    }

    /// From the points of a game alone, behind nothing or behind its first moves, comes a grid with these points.
    #[test]
    fn the_points_of_a_game_are_filled() {
        for variant in Variant::ALL {
            with_rules!(variant, R => {
                for seed in 0..6 {
                    let game = game::<R>(seed, usize::MAX);
                    let (start, rest) = game.split_at(game.len() * (seed as usize % 3) / 3);
                    let (answer, _) = fill(&shape::<R>(start, rest), &[], 200_000, seed);
                    let Answer::Grid(grid) = answer else { panic!("{variant} game {seed}: {answer:?}") };
                    assert_eq!(points(&grid), points(rest), "{variant} game {seed}");
                    position::<R>(&[start, &grid].concat());
                }
            });
        }
    }

    /// Of all sets of a few points beside the start, those are filled that a game of so many moves has, and no others.
    #[test]
    fn exactly_the_shapes_of_games_are_filled() {
        fn walk<R: Rules>(position: &mut Position<R>, depth: usize, shapes: &mut HashSet<u64>) {
            let mut shape = Shape::new(Position::<R>::new().board());
            position.played().iter().for_each(|mv| shape.flip(mv.point()));
            if depth == 0 {
                shapes.insert(shape.key());
                return;
            }
            for mv in position.moves().to_vec() {
                position.play(mv);
                walk(position, depth - 1, shapes);
                position.undo();
            }
        }
        fn check<R: Rules>() {
            let mut games = HashSet::new();
            walk(&mut Position::<R>::new(), 3, &mut games);
            let mut shape = Shape::new(Position::<R>::new().board());
            let near = shape.outside();
            let (mut yes, mut no) = (0, 0);
            for a in 0..near.len() {
                for b in a + 1..near.len() {
                    for c in b + 1..near.len() {
                        [near[a], near[b], near[c]].iter().for_each(|&point| shape.flip(point));
                        let answer = fill(&shape, &[], 1_000, 7).0;
                        assert_ne!(answer, Answer::Unknown);
                        let filled = answer != Answer::No;
                        assert_eq!(filled, games.contains(&shape.key()), "{:?}", shape.added());
                        *(if filled { &mut yes } else { &mut no }) += 1;
                        [near[a], near[b], near[c]].iter().for_each(|&point| shape.flip(point));
                    }
                }
            }
            assert!(yes > 10 && no > 10, "{yes} and {no}");
        }
        check::<T4>();
        check::<D4>();
    }

    #[test]
    fn barred_moves_are_not_played_and_too_few_conflicts_leave_it_open() {
        let game = game::<T5>(2, usize::MAX);
        let whole = shape::<T5>(&[], &game);
        let (Answer::Grid(grid), conflicts) = fill(&whole, &[], 200_000, 1) else { panic!("it is not filled") };
        if let (Answer::Grid(other), _) = fill(&whole, &grid[..1], 200_000, 1) {
            assert!(!other.contains(&grid[0]));
        }
        assert!(conflicts > 1, "{conflicts}");
        assert_eq!(fill(&whole, &[], 1, 1).0, Answer::Unknown);
        assert_eq!(fill(&whole, &[], 200_000, 1), (Answer::Grid(grid), conflicts), "the same again");
    }
}

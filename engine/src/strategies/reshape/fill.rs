//! The lines of a shape: is there a grid whose points are exactly these?
//!
//! Once the lines are chosen, everything is decided: a line that lacks one point draws it, and so on until nothing is
//! left (as erasures are decoded by parity checks). So a shape is filled by lines that share no cell, few enough of
//! which are missing (the slack of the shape), and by which all points can be reached from the start. That is a
//! satisfiability problem with one variable per line, given to a solver of conflict-driven clause learning
//! (`batsat`):
//!
//! * With `d` lines less than fit, line `j` of a run begins at cell `b j + o` where `o` is at most what the lines
//!   leave over; so each run is a few clauses, which with a slack of 0 leave little to choose.
//! * A set of points rests on nothing but itself if no line has exactly one of them. So for each set there is the
//!   clause that a line with exactly one of its points is there (a loop formula: Lin and Zhao 2004). There are too
//!   many to write down: whenever what is decided leaves points that cannot be reached any more, that of all these
//!   points is added. (Smaller sets of them, whose clauses are shorter, cost more time than they save: twice as much
//!   with the shortest of four.)
//!
//! A shape that differs little from that of a grid at hand is mostly filled like it, so the solver tries the lines of
//! that grid first. It then finds a grid, where there is one, with some dozens of conflicts instead of a thousand.

use super::reach::{DrawingOrder, Reach, ShapeLines};
use super::shape::Shape;
use crate::morpion::geometry::{Line, Move};
use crate::morpion::variant::Rules;
use crate::strategies::orbits::{Orbits, Single};
use ahash::{AHashMap, AHashSet};
use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, Theory, TheoryArg, lbool};
use std::cell::Cell;

/// The number that is not a point's.
const NONE: u16 = u16::MAX;
/// What is known of a shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Filling {
    /// The moves of a grid whose points are those of the shape, in an order in which they can be played.
    Grid(Vec<Move>),
    /// There is no grid.
    No,
    /// None was found with so many conflicts, or before it was stopped.
    Unknown,
}

/// What [`fill`] is asked for in addition to a shape.
#[derive(Clone, Copy)]
pub(crate) struct ShapeQuery<'a> {
    /// Moves whose lines may not be there.
    pub barred: &'a [Move],
    /// The moves of a grid that the one looked for is likely to resemble.
    pub like: &'a [Move],
    /// Conflicts after which the shape is given up.
    pub limit: u64,
    pub seed: u64,
    /// Asked often; the shape is given up when it says so.
    pub stop: &'a dyn Fn() -> bool,
}

/// For a query that nobody stops.
pub(crate) const ON: &dyn Fn() -> bool = &|| false;

/// Looks for a grid whose points are those of `shape`. Also returns the number of conflicts.
pub(crate) fn fill<R: Rules>(shape: &Shape<R>, query: ShapeQuery) -> (Filling, u64) {
    fill_orbits(shape, Single, query)
}

/// Looks for a grid whose points are those of `shape`, and whose lines come with their images, as the points do.
pub(in crate::strategies) fn fill_orbits<R: Rules, O: Orbits>(
    shape: &Shape<R>,
    orbits: O,
    query: ShapeQuery,
) -> (Filling, u64) {
    if shape.slack() < 0 {
        return (Filling::No, 0);
    }
    // The generator of the solver takes a number of 31 bits as it is.
    let random_seed = (query.seed % ((1 << 31) - 2) + 1) as f64;
    let opts = SolverOpts { random_seed, rnd_init_act: true, ..SolverOpts::default() };
    let limits = FillLimits {
        conflicts: Cell::new(0),
        limit: query.limit,
        asked: Cell::new(0),
        stop: query.stop,
        is_stopped: Cell::new(false),
    };
    let mut solver = Solver::new(opts, limits);
    let all = ShapeLines::new(shape);
    let lines = &all.lines;
    let lines_of = |moves: &[Move]| -> AHashSet<Line> { moves.iter().map(|&mv| mv.line()).collect() };
    let (barred, like) = (lines_of(query.barred), lines_of(query.like));
    let first = |line| if like.contains(line) { lbool::TRUE } else { lbool::UNDEF };
    let there: Vec<Lit> = lines.iter().map(|line| Lit::new(solver.new_var(first(line), true), true)).collect();
    let never = [(); 2].map(|()| Lit::new(solver.new_var_default(), true));
    never.iter().for_each(|&never| add(&mut solver, [!never]));
    for (_, &there) in lines.iter().zip(&there).filter(|(line, _)| barred.contains(line)) {
        add(&mut solver, [!there]);
    }
    let images = if O::PAIRED { images(orbits, lines) } else { Vec::new() };
    for (&own, &image) in there.iter().zip(&images) {
        // The other way round comes with the image. Without an image it is not there.
        add(&mut solver, [Some(!own), there.get(usize::from(image)).copied()].into_iter().flatten());
    }
    choose_lines(&mut solver, shape, &there);
    for point in 0..all.points.len() {
        add(&mut solver, all.of_point(point).iter().map(|&line| there[usize::from(line)]));
    }
    let mut theory =
        ReachTheory { reach: Reach::new(shape, &all), there, never, out: Vec::new(), levels: Vec::new(), read: 0 };
    let result = solver.solve_limited_th(&mut theory, &[]);
    let conflicts = solver.cb().conflicts.get();
    if result == lbool::FALSE {
        return (Filling::No, conflicts);
    }
    if result != lbool::TRUE {
        return (Filling::Unknown, conflicts);
    }
    let model = solver.get_model();
    let is_there: Vec<bool> = theory.there.iter().map(|lit| model[lit.var().idx() as usize] == lbool::TRUE).collect();
    let order = DrawingOrder::new(&all, &is_there);
    let order = if O::PAIRED { order.of_orbits(&images) } else { order.of_lines() };
    if O::PAIRED && order.len() < shape.len() {
        return (Filling::Unknown, conflicts);
    }
    debug_assert_eq!(order.len(), shape.len());
    let moves = order.iter().map(|&(line, point)| Move::pack(all.points[point], lines[line]));
    (Filling::Grid(moves.collect()), conflicts)
}

/// Of each line, the number of its image, or of itself if it has no other; [`NONE`] if the image is not among them.
fn images<O: Orbits>(orbits: O, lines: &[Line]) -> Vec<u16> {
    let numbers: AHashMap<Line, u16> = lines.iter().copied().zip(0..).collect();
    let image = |line: &Line| numbers.get(&orbits.image_of_line(*line).unwrap_or(*line)).copied().unwrap_or(NONE);
    lines.iter().map(image).collect()
}

fn add(solver: &mut Solver<FillLimits>, clause: impl IntoIterator<Item = Lit>) {
    solver.add_clause_reuse(&mut clause.into_iter().collect());
}

/// That lines do not share cells, and that no more of them are missing than the slack allows.
fn choose_lines<R: Rules>(solver: &mut Solver<FillLimits>, shape: &Shape<R>, mut there: &[Lit]) {
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

/// Looks of the solver whether it is to stop, for each one that is passed on.
const LOOKS: u32 = 32;

/// Ends a search after so many conflicts, or when it is stopped.
struct FillLimits<'a> {
    conflicts: Cell<u64>,
    limit: u64,
    asked: Cell<u32>,
    stop: &'a dyn Fn() -> bool,
    /// It has said so. The solver asks again before it ends.
    is_stopped: Cell<bool>,
}

impl Callbacks for FillLimits<'_> {
    fn on_new_clause(&mut self, _: &[Lit], _: batsat::clause::Kind) {
        self.conflicts.set(self.conflicts.get() + 1);
    }

    fn stop(&self) -> bool {
        self.asked.set(self.asked.get().wrapping_add(1));
        if !self.is_stopped.get() && self.asked.get().is_multiple_of(LOOKS) {
            self.is_stopped.set((self.stop)());
        }
        self.is_stopped.get() || self.conflicts.get() > self.limit
    }
}

/// The theory of the solver: all points can be reached from the start.
struct ReachTheory<R> {
    reach: Reach<R>,
    /// Of each line, that it is there.
    there: Vec<Lit>,
    /// What is never true. The solver takes no clause of one literal that has been false from the start, nor an empty
    /// one.
    never: [Lit; 2],
    /// The lines that are out, in the order in which they went.
    out: Vec<u16>,
    /// At each level, how much had been read of what is decided, and how many lines were out.
    levels: Vec<(usize, usize)>,
    read: usize,
}

impl<R: Rules> ReachTheory<R> {
    /// The lines that have exactly one of the points that cannot be reached, all of which are out.
    fn loop_formula(&self) -> Vec<Lit> {
        let mut clause = Vec::new();
        self.reach.singles(|line| clause.push(self.there[line]));
        let padding = 2usize.saturating_sub(clause.len());
        clause.extend(&self.never[..padding]);
        clause
    }

    /// Reads what has been decided since, and looks whether all points can still be reached.
    fn check(&mut self, acts: &mut TheoryArg, last: bool) {
        let before = self.out.len();
        let decided = acts.model();
        for lit in &decided[self.read.min(decided.len())..] {
            let line = lit.var().idx() as usize;
            if !lit.sign() && line < self.there.len() && self.reach.is_open(line as u16) {
                self.reach.close(line as u16);
                self.out.push(line as u16);
            }
        }
        self.read = decided.len();
        if self.out.len() == before && !last {
            return;
        }
        self.reach.cut_off(&self.out[before..]);
        if !self.reach.reconnect() {
            let clause = self.loop_formula();
            acts.raise_conflict(&clause, true);
        }
    }
}

impl<R: Rules> Theory for ReachTheory<R> {
    fn final_check(&mut self, acts: &mut TheoryArg) {
        self.check(acts, true);
    }

    fn create_level(&mut self) {
        self.levels.push((self.read, self.out.len()));
    }

    fn pop_levels(&mut self, n: usize) {
        let keep = self.levels.len() - n;
        let Some(&(read, out)) = self.levels.get(keep) else { return };
        self.levels.truncate(keep);
        self.read = self.read.min(read);
        self.out.drain(out..).for_each(|line| self.reach.reopen(line));
    }

    fn n_levels(&self) -> usize {
        self.levels.len()
    }

    fn partial_check(&mut self, acts: &mut TheoryArg) {
        self.check(acts, false);
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

    fn position<R: Rules>(moves: &[Move]) -> Position<R> {
        Position::after(moves).expect("the moves are legal in this order")
    }

    fn shape<R: Rules>(start: &[Move], more: &[Move]) -> Shape<R> {
        let mut shape = Shape::new(position::<R>(start).board());
        more.iter().for_each(|&mv| shape.flip(mv.point()));
        shape
    }

    fn query(limit: u64, seed: u64) -> ShapeQuery<'static> {
        ShapeQuery { barred: &[], like: &[], limit, seed, stop: ON }
    }

    fn points(moves: &[Move]) -> HashSet<usize> {
        moves.iter().map(|&mv| mv.point().index()).collect()
    }

    /// From the points of a game alone, behind nothing or behind its first moves, comes a grid with these points.
    #[test]
    fn the_points_of_a_game_are_filled() {
        for variant in Variant::ALL {
            with_rules!(variant, R => {
                for seed in 0..6 {
                    let game = game::<R>(seed, usize::MAX);
                    let (start, rest) = game.split_at(game.len() * (seed as usize % 3) / 3);
                    let (answer, _) = fill(&shape::<R>(start, rest), query(200_000, seed));
                    let Filling::Grid(grid) = answer else { panic!("{variant} game {seed}: {answer:?}") };
                    assert_eq!(points(&grid), points(rest), "{variant} game {seed}");
                    position::<R>(&[start, &grid].concat());
                }
            });
        }
    }

    /// Of all sets of a few points in addition to the start, those are filled that a game of so many moves has, and
    /// no others.
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
                        let answer = fill(&shape, query(1_000, 7)).0;
                        assert_ne!(answer, Filling::Unknown);
                        let filled = answer != Filling::No;
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
        let (Filling::Grid(grid), conflicts) = fill(&whole, query(200_000, 1)) else { panic!("it is not filled") };
        if let (Filling::Grid(other), _) = fill(&whole, ShapeQuery { barred: &grid[..1], ..query(200_000, 1) }) {
            assert!(!other.contains(&grid[0]));
        }
        assert!(conflicts > 1, "{conflicts}");
        assert_eq!(fill(&whole, query(1, 1)).0, Filling::Unknown);
        let (answer, fewer) = fill(&whole, ShapeQuery { like: &grid, ..query(200_000, 1) });
        assert!(matches!(answer, Filling::Grid(_)) && fewer < conflicts, "{fewer} instead of {conflicts}");
        assert_eq!(fill(&whole, query(200_000, 1)), (Filling::Grid(grid), conflicts), "the same again");
    }
}

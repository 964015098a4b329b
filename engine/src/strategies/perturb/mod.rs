//! Perturbation: large-neighbourhood search over grids.
//!
//! A grid is a set of lines with a partial order, not a sequence. A step takes a grid out of a pool, removes a part
//! of it with everything that depends on that part, and completes the grid again. The completion is a playout whose
//! policy gives the remaining moves an overwhelming weight. It plays all of them that can still be played, and only
//! then anything else, so no record of dependences is needed.
//!
//! What is removed is one of three parts ([`Operator`]): single lines, a region, or a suffix. To remove a line, one
//! or two moves of the grid are put last, or moves that were legal and not played are put first, so that what
//! collides with them must go. The new grid joins the pool if it is new and not much shorter than the best.
//!
//! The pool begins with given grids, or with the result of an NRPA search of its own. After `patience` playouts
//! without a longer grid the unit is finished. Random numbers are drawn anew from the unit's seed for each slice of
//! 4096 playouts, so a search can be stopped and saved between two slices.
//!
//! The thesis's last step ("Řešič Morpion Solitaire", 2021), 28 moves of a grid of 146 kept and the rest searched
//! anew, is the operator `suffix` with `keep` 28.

mod pool;

use super::codec::check_grid;
use super::codec::{decode_with_results, encode_with_results, restore_error};
use super::course::{Course, Sliced, run_slices};
use super::nrpa::clocks::ClockStream;
use super::nrpa::game::PlayoutGame;
use super::nrpa::nest::{Nest, learn};
use super::nrpa::playout::Playout;
use super::nrpa::policy::{Policy, code};
use super::params::{Adapt, Operator, Params};
use super::unit::Unit;
use super::vector::dispatch::VectorInstructions;
use super::warm_start::{SavedStart, WarmStart};
use crate::core::ctl::Ctl;
use crate::core::histogram::Histogram;
use crate::core::search::{End, Phase, RestoreError, Search};
use crate::core::seed::{self, Rng};
use crate::morpion::board::Board;
use crate::morpion::geometry::Move;
use crate::morpion::variant::Rules;
use pool::{SavedScorePool, ScorePool};
use rand::RngExt;

/// Playouts between two polls: about 10 ms.
const SLICE: u32 = 4096;
/// Playouts for one draw from the pool.
const DRAW: u32 = 8;
/// Mean distance of a drawn grid's score from the best.
const SPREAD: f32 = 1.0;
/// Single lines put first or last at once, at most.
const LINES: u32 = 2;
/// Largest radius of a region: all moves whose point is at most so many columns and rows from its centre.
const RADIUS: i32 = 4;
/// Of ten steps with lines among other operators, so many are lines.
const LINES_OF_TEN: u32 = 8;

/// Means of the clocks of a move put first, of one that is kept, and of one put last; all others have 1. The factors
/// between them are so large that the next class comes only when the one before has no legal move.
const FIRST: f32 = 1e-16;
const KEPT: f32 = 1e-8;
const LAST: f32 = 1e7;

/// A resumable perturbation search of one unit.
pub struct Perturb<R> {
    course: Course,
    operators: Vec<Operator>,
    keep: Option<usize>,
    /// Playouts of a completion; more than one adapt the policy between them.
    completion: u32,
    adapt: Adapt,
    alpha: f32,
    /// The search that the pool begins with, while it runs.
    start: Option<WarmStart<R>>,
    pool: ScorePool,
    playout: Playout<R>,
    policy: Policy,
    clocks: ClockStream,
    rng: Rng,
    nest: Nest,
    board: Board<R>,
    /// The grid that is being perturbed, and the moves that were legal during it, by code.
    parent: Box<PlayoutGame>,
    /// Means that a step has changed.
    changed: Vec<(u32, f32)>,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct SavedPerturb {
    /// The starting search and its best grid, while it runs.
    start: Option<SavedStart>,
    pool: SavedScorePool,
    slices: u64,
    playouts: u64,
    found_at: u64,
    best: u32,
}

impl<R: Rules> Perturb<R> {
    /// Begins the search of `unit`.
    pub fn new(params: &Params, unit: &Unit) -> Perturb<R> {
        let position = unit.position::<R>(params);
        let moves = unit.moves(&position);
        let mut search = Perturb {
            course: Course::new(params, unit),
            operators: params.operators.0.clone(),
            keep: params.keep.map(|keep| (keep as usize).saturating_sub(unit.prefix.len())),
            completion: params.completion.max(1),
            adapt: params.adapt,
            alpha: params.alpha as f32,
            start: None,
            pool: ScorePool::new(params.pool() as usize),
            playout: Playout::new(position.board().clone(), moves, unit.room::<R>(params)),
            policy: Policy::uniform(),
            clocks: ClockStream::new(0),
            rng: seed::rng(unit.seed, &[]),
            nest: Nest::new(),
            board: position.board().clone(),
            parent: PlayoutGame::boxed(),
            changed: Vec::new(),
        };
        unit.own(&params.grids).for_each(|grid| search.absorb(&grid));
        if search.pool.best() == 0 {
            search.start = Some(WarmStart::new(params, unit));
        }
        search
    }

    /// Continues from what [`Search::save`] returned for the same parameters and unit.
    ///
    /// # Errors
    /// If the bytes are not such a state.
    pub fn restore(params: &Params, unit: &Unit, saved: &[u8]) -> Result<Perturb<R>, RestoreError> {
        let fail = |reason: &str| restore_error("perturb", reason.to_owned());
        let (saved, results): (SavedPerturb, _) = decode_with_results("perturb", saved, 1)?;
        let mut search = Perturb::<R>::new(params, unit);
        for member in &saved.pool.members {
            check_grid(search.playout.start().0, &member.moves).map_err(fail)?;
        }
        search.start = None;
        if let Some(start) = saved.start {
            search.start = Some(WarmStart::restore(params, unit, start)?);
        } else if saved.pool.members.is_empty() {
            return Err(fail("it has no grids"));
        }
        search.pool = ScorePool::new(params.pool() as usize);
        search.pool.restore(saved.pool).map_err(fail)?;
        search.course.restore((saved.slices, saved.playouts, saved.found_at), saved.best, results);
        Ok(search)
    }

    /// Absorbs a grid that comes from elsewhere.
    fn absorb(&mut self, moves: &[Move]) {
        self.playout.replay(moves, &mut self.parent);
        let hash = self.parent.fingerprint();
        if self.pool.insert(moves, hash, &mut self.rng) {
            self.course.finds.push(moves);
        }
    }

    /// Absorbs the game just played.
    #[inline(never)]
    fn keep_game(&mut self) {
        let game = &self.playout.game;
        let better = game.moves().len() > self.pool.best();
        if self.pool.insert(game.moves(), game.fingerprint(), &mut self.rng) {
            self.course.absorb(game.moves(), better);
        }
    }

    /// Plays the game that completes what is left of the parent: one playout, or the best of several with the policy
    /// adapted toward it after each. Returns the number of playouts.
    ///
    /// # Safety
    /// The processor has the instructions.
    #[inline(always)]
    unsafe fn complete<I: VectorInstructions>(&mut self, left: u64) -> u64 {
        if self.completion == 1 {
            // SAFETY: by the caller's promise.
            unsafe { self.playout.play::<I>(&self.policy, &mut self.clocks) };
            return 1;
        }
        let n = u64::from(self.completion).min(left);
        self.nest.begin(&self.policy);
        for number in 0..n {
            if number > 0 {
                learn(&mut self.nest, self.adapt, self.alpha, &self.playout, &mut self.board);
            }
            // SAFETY: by the caller's promise.
            unsafe { self.playout.play::<I>(self.nest.policy(), &mut self.clocks) };
            self.nest.offer(&mut self.playout.game, self.adapt);
        }
        self.nest.swap_best(&mut self.playout.game);
        n
    }

    /// Takes away a part of the parent: changes means, and remembers what they were.
    fn disturb(&mut self) {
        let several = self.operators.len() > 1;
        let operator = if several && self.operators[0] == Operator::Lines {
            if self.rng.random_range(0..10) < LINES_OF_TEN {
                Operator::Lines
            } else {
                self.operators[self.rng.random_range(1..self.operators.len())]
            }
        } else {
            self.operators[self.rng.random_range(0..self.operators.len())]
        };
        match operator {
            Operator::Lines => {
                for _ in 0..self.rng.random_range(1..=LINES) {
                    self.reverse();
                }
            }
            Operator::Region => {
                let moves = self.parent.moves();
                let at = self.rng.random_range(0..moves.len().max(1));
                let radius = self.rng.random_range(1..=RADIUS);
                if let Some(center) = moves.get(at).map(|&mv| mv.point()) {
                    for i in 0..self.parent.moves().len() {
                        let mv = self.parent.moves()[i];
                        let (dx, dy) = (mv.point().x() - center.x(), mv.point().y() - center.y());
                        if dx.abs() <= radius && dy.abs() <= radius {
                            self.change(code(mv) as u32, 1.0);
                        }
                    }
                }
                self.reverse();
            }
            Operator::Suffix => {
                let len = self.parent.moves().len();
                let keep = self.keep.unwrap_or_else(|| self.rng.random_range(0..len.max(1)));
                for i in keep.min(len)..len {
                    self.change(code(self.parent.moves()[i]) as u32, 1.0);
                }
            }
        }
    }

    /// Puts a random move that was legal during the parent last if it was played, else first.
    fn reverse(&mut self) {
        let (_, starts) = self.playout.start();
        let at = self.rng.random_range(0..(starts.len() + self.parent.appearances).max(1));
        let code = match starts.get(at) {
            Some(&mv) => code(mv) as u32,
            None => self.parent.codes[at - starts.len()],
        };
        let played = self.policy.mean(code as usize) == KEPT;
        self.change(code, if played { LAST } else { FIRST });
    }

    fn change(&mut self, code: u32, mean: f32) {
        self.policy.cover(&[code]);
        self.changed.push((code, self.policy.mean(code as usize)));
        self.policy.set_mean(code as usize, mean);
    }

    /// Runs the search that the pool begins with.
    fn run_start(&mut self, ctl: &mut dyn Ctl<Move>) -> End {
        let Some(start) = &mut self.start else { return End::Finished };
        let (pool, results) = (&self.pool, &self.course.results);
        let end = start.run(ctl, &|start| {
            let saved =
                SavedPerturb { start: Some(start), pool: pool.save(), slices: 0, playouts: 0, found_at: 0, best: 0 };
            encode_with_results(&saved, results)
        });
        if let Some(grid) = self.course.hand_over(&mut self.start, end) {
            self.absorb(&grid);
            // It has been reported.
            self.course.finds.clear();
        }
        end
    }
}

impl<R: Rules> Sliced for Perturb<R> {
    fn course(&mut self) -> &mut Course {
        &mut self.course
    }

    fn is_empty(&self) -> bool {
        self.pool.best() == 0
    }

    #[inline(always)]
    unsafe fn slice<I: VectorInstructions>(&mut self) {
        let seed = self.course.next_seed();
        self.clocks.reseed(seed);
        self.rng = seed::rng(seed, &[1]);
        let mut left = u64::from(SLICE).min(self.course.left());
        while left > 0 {
            let Some(member) = self.pool.draw(SPREAD, &mut self.rng) else { return };
            self.playout.replay(&member.moves, &mut self.parent);
            self.policy.cover(&self.parent.codes[..self.parent.appearances]);
            for i in 0..self.parent.moves().len() {
                self.policy.set_mean(code(self.parent.moves()[i]), KEPT);
            }
            for _ in 0..DRAW {
                if left == 0 {
                    break;
                }
                self.disturb();
                // SAFETY: the instructions by the caller's promise.
                let played = unsafe { self.complete::<I>(left) };
                left = left.saturating_sub(played);
                self.course.playouts = self.course.playouts.saturating_add(played);
                while let Some((code, mean)) = self.changed.pop() {
                    self.policy.set_mean(code as usize, mean);
                }
                let score = self.playout.game.moves().len();
                self.course.count(score);
                if score >= self.pool.least() {
                    self.keep_game();
                }
            }
            for i in 0..self.parent.moves().len() {
                self.policy.set_mean(code(self.parent.moves()[i]), 1.0);
            }
        }
    }
}

impl<R: Rules> Search<Move> for Perturb<R> {
    fn run(&mut self, ctl: &mut dyn Ctl<Move>) -> End {
        if self.start.is_some() {
            match self.run_start(ctl) {
                End::Finished => {}
                end => return end,
            }
        }
        run_slices(self, ctl)
    }

    fn save(&self) -> Vec<u8> {
        let start = self.start.as_ref().map(WarmStart::save);
        let saved = SavedPerturb {
            start,
            pool: self.pool.save(),
            slices: self.course.slices,
            playouts: self.course.playouts,
            found_at: self.course.found_at,
            best: self.course.finds.best,
        };
        encode_with_results(&saved, &self.course.results)
    }

    fn iterations(&self) -> u64 {
        self.start.as_ref().map_or(self.course.playouts, WarmStart::iterations)
    }

    fn best(&self) -> u32 {
        self.start.as_ref().map_or(0, WarmStart::best).max(self.course.finds.best)
    }

    fn results(&self) -> &[Histogram] {
        &self.course.results
    }

    /// That of the search that a run without grids begins with.
    fn phase(&self) -> Option<Phase> {
        self.start.as_ref().and_then(WarmStart::phase)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::ctl::KeepBest;
    use crate::morpion::position::Position;
    use crate::morpion::variant::T5;
    use crate::strategies::nrpa::Nrpa;
    use crate::strategies::params::{Operators, Strategy};

    fn params(operators: &[Operator], keep: Option<u32>, grids: Vec<Vec<Move>>) -> Params {
        let operators = Operators(operators.to_vec());
        Params { strategy: Strategy::Perturb, operators, keep, grids, patience: Some(100_000), ..Params::default() }
    }

    fn unit(max_iterations: u64) -> Unit {
        Unit { prefix: Vec::new(), candidates: None, seed: 9, max_iterations: Some(max_iterations), known_best: 0 }
    }

    /// The best grid of so many playouts of an NRPA search of level 2.
    fn grid(seed: u64, playouts: u64) -> Vec<Move> {
        let params = Params { strategy: Strategy::Nrpa, level: Some(2), ..Params::default() };
        let mut keep = KeepBest::default();
        Nrpa::<T5>::new(&params, &Unit { seed, ..unit(playouts) }, None).run(&mut keep);
        keep.best
    }

    /// Every operator finds better grids than the one it begins with.
    #[test]
    fn each_operator_improves_a_grid() {
        let start = grid(1, 60);
        for operator in [Operator::Lines, Operator::Region, Operator::Suffix] {
            for completion in [1, 20] {
                let params = Params { completion, ..params(&[operator], None, vec![start.clone()]) };
                let mut keep = KeepBest::default();
                let mut search = Perturb::<T5>::new(&params, &unit(100_000));
                for some in 1..=100 {
                    keep.limit = Some(1000 * some);
                    if search.run(&mut keep) != End::Stopped || keep.best.len() > start.len() {
                        break;
                    }
                }
                assert_eq!(search.best() as usize, keep.best.len());
                assert!(
                    keep.best.len() > start.len(),
                    "{operator:?} {completion}: {} of {}",
                    keep.best.len(),
                    start.len()
                );
                assert!(Position::<T5>::after(&keep.best).is_ok());
            }
        }
    }

    /// With a fixed suffix to be taken away, what comes before it stays.
    #[test]
    fn the_moves_that_are_kept_are_kept() {
        let start = grid(2, 60);
        let keep = start.len() - 12;
        let params = params(&[Operator::Suffix], Some(keep as u32), vec![start.clone()]);
        let mut first = Perturb::<T5>::new(&params, &unit(u64::from(DRAW)));
        first.run(&mut KeepBest::default());
        let kept = start[..keep].to_vec();
        assert!(first.pool.members().count() > 1);
        for member in first.pool.members() {
            assert!(kept.iter().all(|mv| member.moves.contains(mv)));
        }
    }

    /// Without grids a run begins with a search of its own, and does not fall behind it.
    #[test]
    fn a_run_without_grids_begins_with_a_search() {
        let params = Params { level: Some(2), ..params(&[Operator::Lines], None, Vec::new()) };
        let mut keep = KeepBest::default();
        let mut search = Perturb::<T5>::new(&params, &Unit { seed: 1, ..unit(60_000) });
        assert_eq!(search.run(&mut keep), End::IterationLimit);
        assert!(keep.best.len() > grid(1, 10_000).len() && search.iterations() == 60_000);
    }

    /// A run ends when it has found nothing longer for so many playouts.
    #[test]
    fn patience_ends_a_run() {
        let params = Params { patience: Some(5_000), ..params(&[Operator::Region], None, vec![grid(3, 1000)]) };
        let mut search = Perturb::<T5>::new(&params, &unit(u64::MAX));
        assert_eq!(search.run(&mut KeepBest::default()), End::Finished);
        assert!(search.course.playouts >= search.course.found_at + 5_000);
    }
}

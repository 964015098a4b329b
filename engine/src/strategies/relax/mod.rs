//! Relaxation: walks over sets of lines that may be lent a few points, at prices that rise from walk to walk.
//!
//! Other searches change grids by moves, and what rests on a move that goes has to go with it. Here the lines have no
//! order. A set of lines is kept that a game could draw if some points were *lent* to it: were there from the
//! beginning, like those of the start (`lines`). A step takes a line out, or brings one in at random and takes out
//! the one or two that it overlaps. What rested on these stays; at worst it has to be lent a point.
//!
//! A set with `n` lines and `g` lent points has the energy `p g - n`, where `p` is the price of a lent point, in
//! lines. A walk at temperature `T` takes a step by which the energy rises by `d` with probability `exp(-d / T)`
//! (Metropolis et al. 1953). A set without lent points is a grid. At a low price the sets are larger than any grid
//! and have a few lent points; at a high price, nearly all are grids.
//!
//! The *walks* stand on a ladder of temperatures and prices, from hot and cheap to cold and dear. After every 2,000
//! steps of each, neighbours exchange their sets as the weights of both demand (replica exchange: Swendsen and Wang
//! 1986; for more than one term of the energy: Fukunishi, Watanabe and Takada 2002). So sets form where much can
//! change and become grids where little may be lent.
//!
//! `reshape` uses a single walk that is *cooled*: its temperature falls and its price rises step by step.
//!
//! Random numbers are drawn anew from the unit's seed for each slice, and all that a set knows beyond the
//! list of its lines is computed from them, so a search can be stopped and saved between two slices. After `patience`
//! steps without a longer grid the unit is finished.

mod chances;
mod drawing;
mod flat;
pub mod free;
mod lines;
mod tracks;
mod walks;

use self::walks::{LineWalk, Rung, exchange};
use super::codec::{decode_with_results, encode_with_results, restore_error};
use super::course::{Course, Sliced, run_slices};
use super::params::Params;
use super::seen::Seen;
use super::unit::Unit;
use super::vector::dispatch::VectorInstructions;
use crate::core::ctl::Ctl;
use crate::core::histogram::Histogram;
use crate::core::search::{End, RestoreError, Search};
use crate::core::seed::{self, Rng};
use crate::morpion::geometry::Move;
use crate::morpion::position::Position;
use crate::morpion::variant::Rules;

/// Steps of each walk between two exchanges.
const STEPS: u64 = 2000;
/// Hashes of reported grids that are remembered, 0.2 MB when saved.
const TOLD: usize = 1 << 14;
/// What a state begins with.
const FORM: u8 = 1;

/// The ladder for a variant, the hottest first.
fn ladder<R: Rules>() -> Vec<Rung> {
    let rungs: &[(f64, f64)] = if R::DISJOINT { &DISJOINT } else { &TOUCHING };
    let lent = if R::DISJOINT { 2 } else { 6 };
    rungs.iter().map(|&(temperature, price)| Rung { temperature, price, lent }).collect()
}

/// Temperatures and prices where lines of one direction may touch, and where they may not.
const TOUCHING: [(f64, f64); 7] =
    [(0.65, 5.0), (0.62, 5.2), (0.6, 5.4), (0.58, 5.6), (0.56, 5.8), (0.54, 6.0), (0.5, 6.0)];
const DISJOINT: [(f64, f64); 6] = [(0.54, 2.7), (0.5, 2.8), (0.46, 2.9), (0.42, 3.1), (0.39, 3.4), (0.36, 3.8)];

/// Where a walk that is cooled begins and ends, as temperatures and prices, and how many points it may be lent.
const COOLED: [Rung; 2] =
    [Rung { temperature: 0.5, price: 2.8, lent: 2 }, Rung { temperature: 0.36, price: 3.8, lent: 2 }];
/// Steps of a walk that is cooled; its rung changes so many times.
const COOLED_STEPS: u64 = 6_000_000;
const COOLED_STAGES: u64 = 40;

/// A resumable search of one unit by relaxation.
pub struct Relax<R> {
    course: Course,
    /// The position that the grids begin with.
    position: Position<R>,
    /// The hottest first.
    walks: Vec<LineWalk<R>>,
    /// Whether there is one walk, which is cooled.
    cooled: bool,
    rng: Rng,
    /// Moves of the longest grid, without the prefix; and at most.
    longest: usize,
    room: usize,
    told: Seen,
}

/// The state as it is saved. The order of the fields is that of the bytes.
#[derive(serde::Serialize, serde::Deserialize)]
struct SavedRelax {
    form: u8,
    /// The numbers of the lines of each walk, in their order.
    sets: Vec<Vec<u16>>,
    slices: u64,
    steps: u64,
    found_at: u64,
    longest: usize,
    best: u32,
    told: Vec<(u32, u64)>,
}

impl<R: Rules> Relax<R> {
    /// Begins the search of `unit`: with the grids given for it, the longest for the last walk and from the beginning
    /// again when there are fewer than walks; or with no lines.
    pub fn new(params: &Params, unit: &Unit) -> Relax<R> {
        let mut search = Relax::with_walks(params, unit, &ladder::<R>());
        let mut grids: Vec<Vec<Move>> = unit.own(&params.grids).collect();
        grids.sort_by_key(|grid| std::cmp::Reverse(grid.len()));
        for (walk, grid) in search.walks.iter_mut().rev().zip(grids.iter().cycle()) {
            // One with a barred move is left out.
            if walk.set.become_game(grid) && grid.len() > search.longest {
                search.longest = grid.len();
                search.course.finds.push(grid);
            }
        }
        search
    }

    /// Begins with one walk without lines, which is cooled; the search ends with it.
    pub(super) fn cooled(params: &Params, unit: &Unit) -> Relax<R> {
        let mut search = Relax::with_walks(params, unit, &COOLED[..1]);
        search.cooled = true;
        search.course.limit = search.course.limit.min(COOLED_STEPS);
        search.course.patience = COOLED_STEPS;
        search
    }

    /// Whether its walk has been cooled to the end.
    pub(super) fn is_cold(&self) -> bool {
        self.cooled && self.course.playouts >= COOLED_STEPS
    }

    /// Begins with walks without lines.
    fn with_walks(params: &Params, unit: &Unit, rungs: &[Rung]) -> Relax<R> {
        let position = unit.position::<R>(params);
        let moves = unit.moves(&position);
        let barred: Vec<Move> = position.moves().iter().filter(|mv| !moves.contains(mv)).copied().collect();
        Relax {
            course: Course::new(params, unit),
            walks: rungs.iter().map(|&rung| LineWalk::new(rung, Some(position.board()), &barred)).collect(),
            cooled: false,
            rng: seed::rng(unit.seed, &[]),
            longest: 0,
            room: unit.room::<R>(params),
            told: Seen::new(TOLD),
            position,
        }
    }

    /// Continues from what [`Search::save`] returned for the same parameters and unit.
    ///
    /// # Errors
    /// If the bytes are not such a state.
    pub fn restore(params: &Params, unit: &Unit, saved: &[u8]) -> Result<Relax<R>, RestoreError> {
        Relax::new(params, unit).restored(saved)
    }

    /// Continues likewise with a walk that is cooled.
    ///
    /// # Errors
    /// If the bytes are not such a state.
    pub(super) fn restore_cooled(params: &Params, unit: &Unit, saved: &[u8]) -> Result<Relax<R>, RestoreError> {
        Relax::cooled(params, unit).restored(saved)
    }

    /// With what was saved in place of what it began with.
    fn restored(mut self, saved: &[u8]) -> Result<Relax<R>, RestoreError> {
        let fail = |reason: &str| restore_error("relax", reason.to_owned());
        let (saved, results): (SavedRelax, _) = decode_with_results("relax", saved, 1)?;
        if saved.form != FORM {
            return Err(fail("it is of another version of the program"));
        }
        if saved.sets.len() != self.walks.len() {
            return Err(fail("it has another number of walks"));
        }
        for (walk, numbers) in self.walks.iter_mut().zip(&saved.sets) {
            if numbers.len() > self.room || !walk.set.become_set(numbers, walk.rung.lent) {
                return Err(fail("a set has lines that cannot be drawn"));
            }
        }
        self.longest = saved.longest;
        self.told.restore(&saved.told).map_err(fail)?;
        self.course.restore((saved.slices, saved.steps, saved.found_at), saved.best, results);
        Ok(self)
    }

    /// Reports the grid that a walk has come to, if it is longer than all before, or wanted and new.
    fn note_grid(&mut self, at: usize) {
        let set = &self.walks[at].set;
        let longer = set.len() > self.longest;
        if !longer && !self.course.wants(set.len()) {
            return;
        }
        if (self.told.insert(set.key()) || longer)
            && let Some((moves, _)) = set.game()
        {
            self.longest = self.longest.max(moves.len());
            self.course.absorb(&moves, longer);
        }
    }
}

impl<R: Rules> Sliced for Relax<R> {
    fn course(&mut self) -> &mut Course {
        &mut self.course
    }

    fn is_empty(&self) -> bool {
        self.position.moves().is_empty() || self.room == 0
    }

    #[inline(always)]
    unsafe fn slice<I: VectorInstructions>(&mut self) {
        self.rng = seed::rng(self.course.next_seed(), &[]);
        if self.cooled {
            let stage = (self.course.playouts * COOLED_STAGES / COOLED_STEPS).min(COOLED_STAGES - 1);
            let part = stage as f64 / (COOLED_STAGES - 1) as f64;
            self.walks[0].move_to(Rung::between(COOLED[0], COOLED[1], part));
        }
        for at in 0..self.walks.len() {
            for _ in 0..STEPS.min(self.course.left()) {
                self.course.playouts += 1;
                let LineWalk { rung, chances, set } = &mut self.walks[at];
                let taken = set.step(chances, self.room, rung.lent, &mut self.rng);
                if taken && set.lent() == 0 && (set.len() > self.longest || self.course.wants(set.len())) {
                    self.note_grid(at);
                }
            }
            let set = &self.walks[at].set;
            if set.lent() == 0 {
                self.course.count(set.len());
            }
        }
        exchange(&mut self.walks, self.course.slices % 2 == 1, &mut self.rng);
    }
}

impl<R: Rules> Search<Move> for Relax<R> {
    fn run(&mut self, ctl: &mut dyn Ctl<Move>) -> End {
        run_slices(self, ctl)
    }

    fn save(&self) -> Vec<u8> {
        let saved = SavedRelax {
            form: FORM,
            sets: self.walks.iter().map(|walk| walk.set.numbers().to_vec()).collect(),
            slices: self.course.slices,
            steps: self.course.playouts,
            found_at: self.course.found_at,
            longest: self.longest,
            best: self.course.finds.best,
            told: self.told.save(),
        };
        encode_with_results(&saved, &self.course.results)
    }

    fn iterations(&self) -> u64 {
        self.course.playouts
    }

    fn best(&self) -> u32 {
        self.course.finds.best
    }

    fn results(&self) -> &[Histogram] {
        &self.course.results
    }
}

//! The upper levels of a search whose calls below them are made elsewhere.
//!
//! With a share of level `s` the calls of level `s` are units of work, and this is the state of the levels above:
//! their policies, their best games, how many calls they have made. They absorb the results of the calls one by one
//! and learn from them as the levels of one search do (parallel NRPA with a policy shared from some level on:
//! Nagorko, "Parallel nested rollout policy adaptation", 2019). The caller decides which call comes from which
//! policy.

use super::nest::{Nest, SavedNest, ascend};
use super::policy::{Policy, Snapshot};
use crate::core::histogram::Histogram;
use crate::core::search::RestoreError;
use crate::morpion::board::Board;
use crate::morpion::geometry::Move;
use crate::morpion::variant::{Rules, Variant};
use crate::strategies::codec::{decode_with_results, encode_with_results, restore_error};
use crate::strategies::nrpa::playout::Playout;
use crate::strategies::params::{Adapt, Params};
use crate::strategies::vector::dispatch::{VectorInstructions, VectorTask, dispatch};
use crate::strategies::vector::extension::VectorExtension;
use crate::with_rules;

/// The levels of a search above a shared one.
pub trait UpperLevels: Send {
    /// Absorbs the result of the next call of the shared level: a legal game that begins with the search's start.
    fn absorb(&mut self, game: &[Move]);

    /// Begins a new search.
    fn reset(&mut self);

    /// The policy of a level above the shared one as it is now; the uniform one for a level that is not here.
    fn policy(&self, level: u32) -> Snapshot;

    /// How often the calls of each level, from 0 to the top, ended with each score; nothing for the shared level and
    /// those below it, whose results are counted where they are made.
    fn results(&self) -> &[Histogram];

    /// The state as bytes, for [`restore`]; the caller adds version and checksum.
    fn save(&self) -> Vec<u8>;
}

/// The levels above `share` of a search after `start`, which is legal, at its beginning.
pub fn begin(variant: Variant, params: &Params, share: u32, start: &[Move]) -> Box<dyn UpperLevels> {
    with_rules!(variant, R => Box::new(Upper::<R>::new(params, share, start)))
}

/// The same, going on from what [`UpperLevels::save`] returned for the same arguments.
///
/// # Errors
/// If the bytes are not such a state.
pub fn restore(
    variant: Variant,
    params: &Params,
    share: u32,
    start: &[Move],
    saved: &[u8],
) -> Result<Box<dyn UpperLevels>, RestoreError> {
    with_rules!(variant, R => {
        let mut upper = Upper::<R>::new(params, share, start);
        let (saved, results) = decode_with_results("nrpa", saved, upper.results.len())?;
        upper.restore(saved)?;
        upper.results = results;
        Ok(Box::new(upper))
    })
}

struct Upper<R> {
    adapt: Adapt,
    alpha: f32,
    calls: u32,
    share: u32,
    extension: VectorExtension,
    prefix: Vec<Move>,
    playout: Playout<R>,
    board: Board<R>,
    /// First a place for the results of the shared level, then the levels above it.
    nests: Vec<Nest>,
    /// Scores of the calls that are complete, by level from 0.
    results: Vec<Histogram>,
}

impl<R: Rules> Upper<R> {
    fn new(params: &Params, share: u32, start: &[Move]) -> Upper<R> {
        let mut position = params.start.position::<R>();
        start.iter().for_each(|&mv| position.play(mv));
        let longest = (params.start.longest_game(R::VARIANT) as usize).saturating_sub(start.len());
        let top = params.level().max(share + 1);
        Upper {
            adapt: params.adapt,
            alpha: params.alpha as f32,
            calls: params.iterations(),
            share,
            extension: VectorExtension::detect(),
            prefix: start.to_vec(),
            playout: Playout::new(position.board().clone(), position.moves(), longest),
            board: position.board().clone(),
            nests: (share..=top).map(|_| Nest::new()).collect(),
            results: vec![Histogram::default(); top as usize + 1],
        }
    }

    fn restore(&mut self, saved: Vec<SavedNest>) -> Result<(), RestoreError> {
        let fail = |reason: &str| restore_error("nrpa", reason.to_owned());
        if saved.len() + 1 != self.nests.len() {
            return Err(fail("it has another number of shared levels"));
        }
        for (nest, saved) in self.nests[1..].iter_mut().zip(saved) {
            nest.restore(saved, self.calls, &mut self.playout).map_err(fail)?;
        }
        Ok(())
    }
}

/// What follows from a result at the place of the shared level.
struct Ascent<'a, R>(&'a mut Upper<R>);

impl<R: Rules> VectorTask for Ascent<'_, R> {
    type Output = bool;

    #[inline(always)]
    fn run<I: VectorInstructions>(self) -> bool {
        let Upper { nests, calls, share, adapt, alpha, playout, board, results, prefix, .. } = self.0;
        ascend(nests, *calls, *adapt, *alpha, playout, board, &mut results[*share as usize..], prefix.len())
    }
}

impl<R: Rules> UpperLevels for Upper<R> {
    fn absorb(&mut self, game: &[Move]) {
        let moves: Vec<Move> = game.iter().skip(self.prefix.len()).copied().collect();
        self.playout.replay(&moves, &mut self.nests[0].best);
        dispatch(self.extension, Ascent(self));
    }

    fn reset(&mut self) {
        let uniform = Policy::uniform();
        self.nests.iter_mut().for_each(|nest| nest.begin(&uniform));
    }

    fn policy(&self, level: u32) -> Snapshot {
        let nest = level.checked_sub(self.share).filter(|&at| at > 0).and_then(|at| self.nests.get(at as usize));
        nest.map_or(Snapshot::uniform(), |nest| Snapshot::of(&nest.policy))
    }

    fn results(&self) -> &[Histogram] {
        &self.results
    }

    fn save(&self) -> Vec<u8> {
        let nests: Vec<SavedNest> = self.nests[1..].iter().map(Nest::save).collect();
        encode_with_results(&nests, &self.results)
    }
}

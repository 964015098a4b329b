//! One nesting level: its policy, its best game, how many calls it has made; and what a complete call hands upwards.

use super::game::PlayoutGame;
use super::lesson::Lesson;
use super::playout::Playout;
use super::policy::Policy;
use crate::core::histogram::Histogram;
use crate::morpion::board::Board;
use crate::morpion::geometry::Move;
use crate::morpion::variant::Rules;
use crate::strategies::codec::check_grid;
use crate::strategies::params::Adapt;

/// What a level remembers between the calls below it.
pub(in crate::strategies) struct Nest {
    pub(super) policy: Policy,
    /// Calls of the level below done.
    pub(super) done: u32,
    /// The best game of the calls done, without the prefix.
    pub(super) best: Box<PlayoutGame>,
    lesson: Lesson,
    /// The lesson is that of `best` and up to date with `policy`.
    prepared: bool,
}

impl Nest {
    pub(in crate::strategies) fn new() -> Nest {
        Nest {
            policy: Policy::uniform(),
            done: 0,
            best: PlayoutGame::boxed(),
            lesson: Lesson::new(),
            prepared: false,
        }
    }

    /// Whether the result of a call of the level below becomes the best: of equal ones the later. To layers, a game
    /// with the same moves in another order is the same.
    #[inline(always)]
    fn accepts(&self, game: &PlayoutGame, form: Adapt) -> bool {
        let (new, old) = (game.moves(), self.best.moves());
        new.len() > old.len()
            || new.len() == old.len()
                && match form {
                    Adapt::Sequence => new != old,
                    Adapt::Layers => game.fingerprint() != self.best.fingerprint(),
                }
    }

    /// Absorbs the result of a call of the level below.
    #[inline(always)]
    pub(super) fn absorb(&mut self, game: &PlayoutGame, form: Adapt) {
        self.done += 1;
        if self.accepts(game, form) {
            self.best.copy_from(game);
            self.prepared = false;
        }
    }

    /// Begins a call with the policy of the level above.
    pub(in crate::strategies) fn begin(&mut self, above: &Policy) {
        self.policy.copy_from(above);
        (self.done, self.prepared) = (0, false);
        self.best.clear();
    }

    /// The policy as it is adapted now.
    #[inline(always)]
    pub(in crate::strategies) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Absorbs the game just played, in exchange for the best so far if it becomes the best.
    #[inline(always)]
    pub(in crate::strategies) fn offer(&mut self, game: &mut Box<PlayoutGame>, form: Adapt) {
        self.done += 1;
        if self.accepts(game, form) {
            std::mem::swap(&mut self.best, game);
            self.prepared = false;
        }
    }

    /// Exchanges the best game for another, at the end of a call.
    #[inline(always)]
    pub(in crate::strategies) fn swap_best(&mut self, game: &mut Box<PlayoutGame>) {
        std::mem::swap(&mut self.best, game);
        self.prepared = false;
    }

    pub(super) fn save(&self) -> SavedNest {
        SavedNest { done: self.done, best: self.best.moves().to_vec(), policy: self.policy.entries() }
    }

    /// Becomes what was saved, if it is a state of a level that makes at most so many `calls` of games from the
    /// position that the playouts start from.
    pub(super) fn restore<R: Rules>(
        &mut self,
        saved: SavedNest,
        calls: u32,
        playout: &mut Playout<R>,
    ) -> Result<(), &'static str> {
        if saved.done > calls {
            return Err("a level has made more calls than it may");
        }
        check_grid(playout.start().0, &saved.best)?;
        self.policy = Policy::from_entries(&saved.policy).ok_or("a policy is out of range")?;
        self.done = saved.done;
        self.prepared = false;
        playout.replay(&saved.best, &mut self.best);
        Ok(())
    }
}

/// A level as it is saved.
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct SavedNest {
    done: u32,
    best: Vec<Move>,
    policy: Vec<(u32, f32)>,
}

/// Hands the result of the lowest level, whose call is complete, upwards as far as calls are complete by it; whether
/// the one of the top is. The scores of the calls that are complete above the lowest are counted in the `results` of
/// their levels, where there are any, `prefix` moves added.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(super) fn ascend<R: Rules>(
    nests: &mut [Nest],
    calls: u32,
    form: Adapt,
    alpha: f32,
    playout: &Playout<R>,
    board: &mut Board<R>,
    results: &mut [Histogram],
    prefix: usize,
) -> bool {
    for level in 1..nests.len() {
        let (below, rest) = nests.split_at_mut(level);
        let nest = &mut rest[0];
        nest.absorb(&below[level - 1].best, form);
        if nest.done < calls {
            learn(nest, form, alpha, playout, board);
            // The calls completed below begin anew with the policy of the level above them.
            for lower in (1..level).rev() {
                let (lower, above) = nests.split_at_mut(lower + 1);
                lower.last_mut().expect("it has at least two levels").begin(&above[0].policy);
            }
            return false;
        }
        if let Some(results) = results.get_mut(level) {
            count(results, prefix + nest.best.moves().len());
        }
    }
    true
}

/// Adapts the policy of `nest` toward its best game.
#[inline(always)]
pub(in crate::strategies) fn learn<R: Rules>(
    nest: &mut Nest,
    form: Adapt,
    alpha: f32,
    playout: &Playout<R>,
    board: &mut Board<R>,
) {
    if nest.best.moves().is_empty() {
        return;
    }
    if !nest.prepared {
        nest.lesson.prepare::<R>(form, playout.start(), board, &nest.best, &mut nest.policy);
        nest.prepared = true;
    }
    nest.lesson.adapt(alpha, &mut nest.policy);
}

/// Counts the result of a call above level 1, out of the way of the hot function.
#[cold]
#[inline(never)]
fn count(results: &mut Histogram, score: usize) {
    results.add(score);
}

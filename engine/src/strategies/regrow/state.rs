//! What a search by regrowth knows beyond the search inside: its pools, how far it has come, what it has found.

use super::pool::{KindMember, KindPool};
use super::searches::{InnerKind, SavedInner};
use super::stage::Stage;
use crate::core::histogram::Histogram;
use crate::core::search::RestoreError;
use crate::morpion::board::Board;
use crate::morpion::geometry::Move;
use crate::morpion::position::Position;
use crate::morpion::variant::Rules;
use crate::strategies::codec::{check_grid, decode_with_results, encode_with_results, restore_error};
use crate::strategies::finds::Finds;
use crate::strategies::inner::InnerHost;
use crate::strategies::nrpa::game::points_fingerprint;
use crate::strategies::seen::Seen;
use serde::{Deserialize, Serialize};

/// Steps from a pool end after this part of the patience without a longer grid in it.
const STUCK_PART: u64 = 30;
/// Hashes of reported grids that are remembered, 0.1 MB when saved.
const REPORTED: usize = 1 << 13;
/// What a state begins with.
pub(super) const FORM: u8 = 5;

/// What is known beyond the search under way.
pub(super) struct RegrowState<R> {
    /// Grids of this round.
    pub young: KindPool<R>,
    /// Grids of the rounds before, or those given.
    pub old: KindPool<R>,
    pub round: Round,
    reported: Seen,
    /// Steps that are done.
    pub steps: u64,
    pub stage: Stage,
    /// The longest grid that the step, or the tempering, has made.
    pub made: Vec<Move>,
    /// Playouts of the searches that are done.
    pub playouts: u64,
    /// Playouts when the longest grid was found.
    pub found_at: u64,
    pub finds: Finds,
    pub results: Vec<Histogram>,
}

/// How far the rounds have come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Round {
    /// Rounds that are done.
    pub number: u64,
    /// Whether steps are taken from the pool of the rounds before.
    pub old: bool,
    /// Playouts when the steps from that pool, or else the round, began.
    pub began: u64,
    /// Playouts that the steps from that pool may take, at least.
    pub share: u64,
    /// Playouts when the longest grid of the pool was found, or the steps from it began.
    pub found_at: u64,
}

/// The state as it is saved. The order of the fields is that of the bytes.
#[derive(Serialize, Deserialize)]
struct SavedRegrow {
    form: u8,
    inner: Option<SavedInner>,
    young: Vec<KindMember>,
    old: Vec<KindMember>,
    round: Round,
    reported: Vec<(u32, u64)>,
    steps: u64,
    /// The stage as [`Stage::number`].
    stage: u32,
    made: Vec<Move>,
    playouts: u64,
    found_at: u64,
    best: u32,
}

impl<R: Rules> RegrowState<R> {
    /// Without grids, for searches of so many levels whose pools hold so many grids that begin at `start`.
    pub fn new(capacity: usize, levels: usize, start: &Position<R>) -> RegrowState<R> {
        RegrowState {
            young: KindPool::new(capacity, start.clone()),
            old: KindPool::new(capacity, start.clone()),
            round: Round::default(),
            reported: Seen::new(REPORTED),
            steps: 0,
            stage: Stage::Regrow,
            made: Vec::new(),
            playouts: 0,
            found_at: 0,
            finds: Finds::default(),
            results: vec![Histogram::default(); levels],
        }
    }

    /// The bytes of the state and of the search inside.
    pub fn save(&self, inner: Option<SavedInner>) -> Vec<u8> {
        let saved = SavedRegrow {
            form: FORM,
            inner,
            young: self.young.members().to_vec(),
            old: self.old.members().to_vec(),
            round: self.round.clone(),
            reported: self.reported.save(),
            steps: self.steps,
            stage: self.stage.number(),
            made: self.made.clone(),
            playouts: self.playouts,
            found_at: self.found_at,
            best: self.finds.best,
        };
        encode_with_results(&saved, &self.results)
    }

    /// Becomes what [`RegrowState::save`] has written, from a state without grids; returns the search inside.
    pub fn restore(&mut self, saved: &[u8], start: &Board<R>) -> Result<Option<SavedInner>, RestoreError> {
        let fail = |reason: &str| restore_error("regrow", reason.to_owned());
        let (saved, results): (SavedRegrow, _) = decode_with_results("regrow", saved, self.results.len())?;
        if saved.form != FORM {
            return Err(fail("it is of another version of the program"));
        }
        self.stage = Stage::of_number(saved.stage).ok_or_else(|| fail("a step has no such search"))?;
        for member in saved.young.iter().chain(&saved.old) {
            check_grid(start, &member.moves).map_err(fail)?;
        }
        check_grid(start, &saved.made).map_err(fail)?;
        self.made = saved.made;
        self.young.restore(saved.young).map_err(fail)?;
        self.old.restore(saved.old).map_err(fail)?;
        self.round = saved.round;
        self.reported.restore(&saved.reported).map_err(fail)?;
        self.steps = saved.steps;
        self.playouts = saved.playouts;
        self.found_at = saved.found_at;
        self.finds.best = saved.best;
        self.results = results;
        Ok(saved.inner)
    }

    /// The pool that steps are taken from.
    pub fn pool(&self) -> &KindPool<R> {
        if self.round.old { &self.old } else { &self.young }
    }

    /// The same, to be changed.
    pub fn pool_mut(&mut self) -> &mut KindPool<R> {
        if self.round.old { &mut self.old } else { &mut self.young }
    }

    /// Moves to the next stage of the step, or the next step.
    pub fn next_stage(&mut self, refines: bool) {
        self.stage = self.stage.next(refines).unwrap_or_else(|| {
            self.steps += 1;
            Stage::Regrow
        });
    }

    /// Changes the pool that steps are taken from if it is time; whether another tempering comes.
    pub fn turn(&mut self, patience: u64) -> bool {
        let spent = self.playouts.saturating_sub(self.round.began);
        let stuck = self.playouts.saturating_sub(self.round.found_at) >= (patience / STUCK_PART).max(1);
        if !stuck || (self.round.old && spent < self.round.share) {
            return false;
        }
        let Round { number, old, .. } = self.round;
        if old {
            self.round = Round { number, began: self.playouts, ..Round::default() };
            return true;
        }
        // After the first round there is nothing but what was tried just now.
        let others = self.old.best() > 0;
        self.old.merge(&mut self.young);
        let (began, found_at) = (self.playouts, self.playouts);
        self.round = Round { number: number + 1, old: others, began, share: spent, found_at };
        !others
    }

    /// Notes when a grid of this length was found, if that is new.
    pub fn note_length(&mut self, length: usize, playouts: u64) {
        if length > self.pool().best() {
            self.round.found_at = playouts;
        }
        if length > self.young.best().max(self.old.best()) {
            self.found_at = playouts;
        }
    }

    /// Offers the pool a grid, and reports it if it is new.
    pub fn absorb_grid(&mut self, moves: &[Move]) {
        self.pool_mut().insert(moves);
        if self.reported.insert(points_fingerprint(moves)) {
            self.finds.push(moves);
        }
    }
}

/// The host of the search inside.
pub(super) struct RegrowHost<'a, R> {
    pub state: &'a mut RegrowState<R>,
    pub kind: InnerKind,
    /// Moves of the unit's prefix.
    pub prefix: usize,
}

impl<R: Rules> InnerHost for RegrowHost<'_, R> {
    fn iterations(&self) -> u64 {
        self.state.playouts
    }

    fn best(&self) -> u32 {
        self.state.finds.best
    }

    fn absorb(&mut self, moves: &[Move], iterations: u64) {
        let state = &mut *self.state;
        if self.kind.is_collected() {
            let grid = moves[self.prefix..].to_vec();
            state.note_length(grid.len(), iterations);
            state.absorb_grid(&grid);
            // The caller reports it.
            state.finds.clear();
            if state.stage == Stage::Refine && grid.len() > state.made.len() {
                state.made = grid;
            }
        }
        state.finds.best = state.finds.best.max(moves.len() as u32);
    }

    fn save(&self, inner: Vec<u8>) -> Vec<u8> {
        self.state.save(Some(self.kind.saved(inner)))
    }
}

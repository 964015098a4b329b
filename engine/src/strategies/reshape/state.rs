//! What a search by reshaping knows beyond the search that its round begins with: where its walk is, which shapes it
//! has asked for.

use super::beginning::Form;
use super::shape::Shape;
use crate::core::histogram::Histogram;
use crate::core::search::RestoreError;
use crate::morpion::board::Board;
use crate::morpion::geometry::Move;
use crate::morpion::variant::Rules;
use crate::strategies::codec::{check_grid, decode_with_results, encode_with_results, restore_error};
use crate::strategies::finds::Finds;
use crate::strategies::inner::InnerHost;
use crate::strategies::orbits::Orbits;
use crate::strategies::seen::Seen;
use serde::{Deserialize, Serialize};

/// Shapes that are remembered to have no grid, and such that have one, 0.4 MB each when saved.
const KNOWN: usize = 1 << 15;
/// What is known beyond the search under way that a round begins with.
pub(super) struct ReshapeState<R> {
    /// How rounds begin.
    pub form: Form,
    /// The given grids, or what walks have made of them.
    pub given: Vec<Vec<Move>>,
    pub walk: ShapeWalk,
    /// Rounds that are done, and iterations that they took.
    pub rounds: u64,
    pub began: u64,
    /// Shapes that have no grid, as far as is known; and those of grids that were found.
    pub refused: Seen,
    filled: Seen,
    /// Steps that are done.
    pub steps: u64,
    /// Iterations that are done.
    pub iterations: u64,
    /// Iterations when the longest grid was found, and how long it is without the prefix.
    pub found_at: u64,
    pub longest: usize,
    pub finds: Finds,
    pub results: Vec<Histogram>,
    /// The shape of the start.
    bare: Shape<R>,
}

/// Where a walk is. Grids are given by moves in an order in which they can be played, without the prefix.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ShapeWalk {
    pub grid: Vec<Move>,
    /// The longest that it met, and how many steps were done then.
    pub longest: Vec<Move>,
    pub found: u64,
}

/// The state as it is saved. The order of the fields is that of the bytes.
#[derive(Serialize, Deserialize)]
struct SavedReshape {
    form: u8,
    beginning: Option<Vec<u8>>,
    given: Vec<Vec<Move>>,
    walk: ShapeWalk,
    rounds: u64,
    began: u64,
    refused: Vec<(u32, u64)>,
    filled: Vec<(u32, u64)>,
    steps: u64,
    iterations: u64,
    found_at: u64,
    longest: usize,
    best: u32,
}

impl<R: Rules> ReshapeState<R> {
    /// At the beginning, for grids that begin on the board `start`.
    pub fn new(start: &Board<R>, form: Form) -> ReshapeState<R> {
        ReshapeState {
            form,
            given: Vec::new(),
            walk: ShapeWalk::default(),
            rounds: 0,
            began: 0,
            refused: Seen::new(KNOWN),
            filled: Seen::new(KNOWN),
            steps: 0,
            iterations: 0,
            found_at: 0,
            longest: 0,
            finds: Finds::default(),
            results: vec![Histogram::default()],
            bare: Shape::new(start),
        }
    }

    /// The bytes of the state and of the search under way that the round begins with.
    pub fn save(&self, beginning: Option<Vec<u8>>) -> Vec<u8> {
        let saved = SavedReshape {
            form: self.form as u8,
            beginning,
            given: self.given.clone(),
            walk: self.walk.clone(),
            rounds: self.rounds,
            began: self.began,
            refused: self.refused.save(),
            filled: self.filled.save(),
            steps: self.steps,
            iterations: self.iterations,
            found_at: self.found_at,
            longest: self.longest,
            best: self.finds.best,
        };
        encode_with_results(&saved, &self.results)
    }

    /// Becomes what [`ReshapeState::save`] has written, from a new state; returns the bytes of the search
    /// that the round begins with.
    pub fn restore<O: Orbits>(&mut self, saved: &[u8], start: &Board<R>) -> Result<Option<Vec<u8>>, RestoreError> {
        let fail = |reason: &str| restore_error("reshape", reason.to_owned());
        let (saved, results): (SavedReshape, _) = decode_with_results("reshape", saved, 1)?;
        self.form =
            Form::of_number::<R, O>(saved.form).ok_or_else(|| fail("it is of another version of the program"))?;
        for grid in saved.given.iter().chain([&saved.walk.grid, &saved.walk.longest]) {
            check_grid(start, grid).map_err(fail)?;
        }
        self.given = saved.given;
        self.walk = saved.walk;
        self.rounds = saved.rounds;
        self.began = saved.began;
        self.refused.restore(&saved.refused).map_err(fail)?;
        self.filled.restore(&saved.filled).map_err(fail)?;
        self.steps = saved.steps;
        self.iterations = saved.iterations;
        self.found_at = saved.found_at;
        self.longest = saved.longest;
        self.finds.best = saved.best;
        self.results = results;
        Ok(saved.beginning)
    }

    /// The shape of a grid.
    pub fn shape(&self, grid: &[Move]) -> Shape<R> {
        let mut shape = self.bare.clone();
        grid.iter().for_each(|&mv| shape.flip(mv.point()));
        shape
    }

    /// Begins a walk at a grid.
    pub fn begin_walk(&mut self, grid: Vec<Move>) {
        self.walk = ShapeWalk { longest: grid.clone(), grid, found: self.steps };
    }

    /// Notes when a grid of this length was found, if that is new.
    pub fn note_length(&mut self, length: usize, iterations: u64) {
        if length > self.longest {
            self.longest = length;
            self.found_at = iterations;
        }
    }

    /// Reports a grid, if its shape is new.
    pub fn absorb_grid(&mut self, moves: &[Move]) {
        self.longest = self.longest.max(moves.len());
        if self.filled.insert(self.shape(moves).key()) {
            self.finds.push(moves);
        }
    }
}

/// The host of the search that a round begins with.
pub(super) struct ReshapeHost<'a, R> {
    pub state: &'a mut ReshapeState<R>,
    /// Moves of the unit's prefix.
    pub prefix: usize,
}

impl<R: Rules> InnerHost for ReshapeHost<'_, R> {
    fn iterations(&self) -> u64 {
        self.state.iterations
    }

    fn best(&self) -> u32 {
        self.state.finds.best
    }

    fn absorb(&mut self, moves: &[Move], iterations: u64) {
        let grid = moves[self.prefix..].to_vec();
        self.state.note_length(grid.len(), iterations);
        self.state.absorb_grid(&grid);
        // A tempering knows its grids itself.
        if self.state.form == Form::Cooled && grid.len() > self.state.walk.grid.len() {
            self.state.walk.grid = grid;
        }
        // The caller reports it.
        self.state.finds.clear();
        self.state.finds.best = self.state.finds.best.max(moves.len() as u32);
    }

    fn save(&self, inner: Vec<u8>) -> Vec<u8> {
        self.state.save(Some(inner))
    }
}

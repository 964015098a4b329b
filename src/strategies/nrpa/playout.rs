//! One playout: a game in which each move is drawn with probability proportional to its weight.
//!
//! Softmax sampling without a sum: every legal move carries an exponential clock whose rate is its weight, set
//! once, when the move appears; the move whose clock is least is played and its time is taken off all others. The
//! exponential distribution has no memory, so each choice is distributed exactly as if drawn anew with
//! probability weight / sum of weights (the next-reaction form of Gillespie's method; Gibson and Bruck 2000).
//! Remaining times are kept rather than moments of firing, so magnitudes never mix: a difference loses precision
//! only when two clocks agree in their leading digits, which is as rare as it is imprecise.

use super::clocks::Clocks;
use super::game::Game;
use super::isa::{Collision, Isa, Least, List, ROOM};
use super::policy::{Policy, code, code_at};
use crate::morpion::board::Board;
use crate::morpion::geometry::Move;
use crate::morpion::variant::Rules;

/// The scratch memory of playouts from one start.
pub(super) struct Playout<R> {
    start: Board<R>,
    start_moves: Vec<u32>,
    board: Board<R>,
    list: Box<List>,
    /// The last game.
    pub game: Box<Game>,
}

impl<R: Rules> Playout<R> {
    /// For games that go on from `start`, where `moves` may be played.
    pub fn new(start: Board<R>, moves: &[Move]) -> Playout<R> {
        Playout {
            board: start.clone(),
            start,
            start_moves: moves.iter().map(|m| m.bits()).collect(),
            list: List::boxed(),
            game: Game::boxed(),
        }
    }

    /// The position that the games start from.
    pub fn start(&self) -> (&Board<R>, &[u32]) {
        (&self.start, &self.start_moves)
    }

    /// Plays one game.
    ///
    /// # Safety
    /// The processor has the instruction set `I`.
    #[inline(always)]
    pub unsafe fn play<I: Isa>(&mut self, policy: &Policy, clocks: &mut Clocks) {
        self.board.clone_from(&self.start);
        let list = &mut *self.list;
        let means = policy.means();
        let mut least = Least { clock: f32::INFINITY, index: 0 };
        for (i, &mv) in self.start_moves.iter().enumerate() {
            clocks.reserve(1);
            let clock = clocks.take() * policy.mean(code(Move::from_raw(mv)));
            list.moves[i] = mv;
            list.clocks[i] = clock;
            if clock < least.clock {
                least = Least { clock, index: i };
            }
        }
        list.len = self.start_moves.len();
        let game = &mut *self.game;
        game.clear();
        // Both bounds hold by the facts of the puzzle; checked, they cost nothing and keep memory safe without them.
        while list.len != 0 && list.len < ROOM - 32 - NEW && game.has_room() {
            let mv = Move::from_raw(list.moves[least.index]);
            game.play(mv.bits());
            self.board.place(mv);
            clocks.reserve(NEW);
            let mut openings = self.board.openings(mv.point());
            // SAFETY: the instruction set by the caller's promise, the length by the loop's condition.
            least = unsafe { I::settle(list, Collision::of::<R>(mv.bits()), least.clock) };
            let center = mv.point();
            while let Some(opening) = openings.next() {
                let (bits, code) = (opening.mv.bits(), code_at::<R>(center, opening.place));
                let clock = clocks.take() * means[code as usize & (means.len() - 1)];
                let at = list.len;
                // SAFETY: at most NEW moves are appended to fewer than ROOM - NEW; the game had room.
                unsafe {
                    *list.moves.get_unchecked_mut(at) = bits;
                    *list.clocks.get_unchecked_mut(at) = clock;
                    game.appear(bits, code);
                }
                list.len = at + 1;
                if clock < least.clock {
                    least = Least { clock, index: at };
                }
            }
            game.end_step();
        }
    }

    /// Fills `game` from moves that are legal from the start in this order.
    pub fn replay(&mut self, moves: &[u32], game: &mut Game) {
        self.board.clone_from(&self.start);
        game.clear();
        for &bits in moves {
            if !game.has_room() {
                break;
            }
            let mv = Move::from_raw(bits);
            game.play(bits);
            self.board.place(mv);
            let mut openings = self.board.openings(mv.point());
            while let Some(opening) = openings.next() {
                let code = code_at::<R>(mv.point(), opening.place);
                // SAFETY: the game has room.
                unsafe { game.appear(opening.mv.bits(), code) };
            }
            game.end_step();
        }
    }
}

/// No move creates more: five lines in each of four directions.
const NEW: usize = 20;

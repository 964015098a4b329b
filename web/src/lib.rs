//! Reshaping, the best search of the program in 5T, for the browser: a WebAssembly module without imports.
//!
//! `js/engine.js` of the page calls it. A move is four bytes: x, y, direction (0 to 3), and the place of the new point
//! in the line. The module has one search at a time.

use morpion_engine::core::ctl::{Ctl, Signal};
use morpion_engine::core::search::{End, Search};
use morpion_engine::morpion::geometry::{Direction, Move, Point};
use morpion_engine::morpion::position::Position;
use morpion_engine::morpion::variant::Variant;
use morpion_engine::strategies::Unit;
use morpion_engine::strategies::params::Params;
use morpion_engine::strategies::reshape::Reshape;
use morpion_engine::with_rules;
use std::cell::RefCell;

/// Bytes of a move.
const BYTES: usize = 4;

/// A search, and the longest game that it has met.
struct Running {
    search: Box<dyn Search<Move>>,
    longest: Vec<u8>,
}

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
}

/// Runs for so many polls.
struct Slice<'a> {
    polls: u32,
    longest: &'a mut Vec<u8>,
}

impl Ctl<Move> for Slice<'_> {
    fn poll(&mut self, _iterations: u64, _best: u32) -> Signal {
        self.polls = self.polls.saturating_sub(1);
        if self.polls == 0 { Signal::Stop } else { Signal::Continue }
    }

    fn improved(&mut self, moves: &[Move], _iterations: u64) {
        if moves.len() * BYTES > self.longest.len() {
            self.longest.clear();
            self.longest.extend(
                moves.iter().flat_map(|mv| {
                    [mv.point().x() as u8, mv.point().y() as u8, mv.direction() as u8, mv.index() as u8]
                }),
            );
        }
    }
}

fn moves_of(variant: Variant, bytes: &[u8]) -> Option<Vec<Move>> {
    let one = |four: &[u8]| {
        let point = Point::new(four[0].into(), four[1].into())?;
        Move::new(variant, point, *Direction::ALL.get(usize::from(four[2]))?, four[3].into())
    };
    bytes.chunks_exact(BYTES).map(one).collect()
}

/// Room for the moves that [`begin`] reads.
#[unsafe(no_mangle)]
pub extern "C" fn input(moves: u32) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(moves as usize * BYTES, 0);
        input.as_mut_ptr()
    })
}

/// Begins the search of a variant (5T, 5D, 4T, 4D from 0) after the first `first` moves of the input. If there are more,
/// all of them are a game to begin with. Whether the input is such a game.
#[unsafe(no_mangle)]
pub extern "C" fn begin(variant: u32, first: u32, seed: u32) -> u32 {
    let running = INPUT.with_borrow(|input| {
        let variant = *Variant::ALL.get(variant as usize)?;
        let game = moves_of(variant, input)?;
        with_rules!(variant, R => Position::<R>::after(&game).is_ok()).then_some(())?;
        let prefix = game.get(..first as usize)?.to_vec();
        let grids = if game.len() > prefix.len() { vec![game] } else { Vec::new() };
        let params = Params { grids, ..Params::default() };
        let unit = Unit { prefix, seed: seed.into(), ..Unit::default() };
        let search: Box<dyn Search<Move>> =
            with_rules!(variant, R => Box::new(Reshape::<R>::tempered(&params, &unit)));
        Some(Running { search, longest: Vec::new() })
    });
    RUNNING.set(running);
    RUNNING.with_borrow(|running| running.is_some().into())
}

/// Continues for so many polls, each about a millisecond of work. Whether the search is over.
#[unsafe(no_mangle)]
pub extern "C" fn run(polls: u32) -> u32 {
    RUNNING.with_borrow_mut(|running| {
        let Some(Running { search, longest }) = running else { return 1 };
        (search.run(&mut Slice { polls: polls.max(1), longest }) != End::Stopped).into()
    })
}

/// How many moves the longest game has that was met.
#[unsafe(no_mangle)]
pub extern "C" fn longest() -> u32 {
    RUNNING.with_borrow(|running| running.as_ref().map_or(0, |running| (running.longest.len() / BYTES) as u32))
}

/// The moves of that game.
#[unsafe(no_mangle)]
pub extern "C" fn moves() -> *const u8 {
    RUNNING.with_borrow(|running| running.as_ref().map_or(std::ptr::null(), |running| running.longest.as_ptr()))
}

/// Iterations so far.
#[unsafe(no_mangle)]
pub extern "C" fn iterations() -> f64 {
    RUNNING.with_borrow(|running| running.as_ref().map_or(0.0, |running| running.search.iterations() as f64))
}

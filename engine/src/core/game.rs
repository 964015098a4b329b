//! Symmetric two-player zero-sum games with perfect information: all that the solvers know of a game.
//!
//! A [`Game`] is a position, a value that plays moves and takes them back. Solvers are generic over it, so that
//! nothing is called through a pointer in their hot loops; every method is meant to be inlined. Values are those of
//! the side to move (negamax): a position is worth as much to one side as it costs the other. A finished game is one
//! without legal moves; a game in which a side may or has to pass lists the pass as a move.
//!
//! The interface follows the design of the thesis on solving such games on volunteers' machines: initial position
//! (the constructor of each game, since rules and sizes differ), legal moves, play and undo, the value of a finished
//! game, a heuristic value of an unfinished one, and a hash key that symmetric positions share.

use std::fmt::{Debug, Display};

/// The value of a position for the side to move, in the game's unit (see [`Game::POINT`]).
pub type Value = i32;

/// No value, bound or window is further from 0: tables store values in 16 bits.
pub const MAX_VALUE: Value = 30_000;

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The side that makes the first move of the game.
    First,
    /// The other one.
    Second,
}

impl Side {
    /// The opponent of this side.
    #[inline]
    pub fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

/// A hash key together with how the position was turned and mirrored to get it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// The hash, evenly spread over all 64 bits: tables use the upper bits as an index.
    pub hash: u64,
    /// Number of the symmetry that leads from this position to the one that was hashed; 0 is none.
    pub symmetry: u8,
}

/// A position of a game. The `Display` of it is its board, for people.
///
/// # Laws
/// Tests hold each game to these.
/// - `undo(m, play(m))` restores the position in all that can be observed.
/// - [`Game::moves`] appends nothing exactly if the game is over, and no move twice.
/// - Positions with the same [`Game::key`] have the same value, and their legal moves are the same once each is
///   carried by [`Game::to_hashed`] with the position's symmetry. If the value depends on more than the board (a ko,
///   a count of passes), that is in the key. Where it depends on the positions before, see [`Game::repeated`] and
///   [`Game::put_past_in_key`].
/// - A value within [`Game::bounds`] of every position on the way is all that a game can end with that both sides
///   play best from there on; in a game where no side can spoil what is sure for it, any game.
pub trait Game: Clone + Display {
    /// A move. A pass is a move.
    type Move: Copy + Eq + Debug + Send + Sync;
    /// What [`Game::undo`] needs beside the move.
    type Undo;

    /// How much of [`Value`] one point of the final score is (a disc, a point of area, a won game), so that heuristic
    /// values may be finer than that. Values of finished games are multiples of it.
    const POINT: Value;

    /// By how much an estimate of an unfinished game is often wrong. It says how surely a move that looks better than
    /// some bound is better.
    const SCATTER: Value = 4 * Self::POINT;

    /// The side to move.
    fn side(&self) -> Side;

    /// Appends the legal moves to `list`, and nothing if the game is over.
    fn moves(&self, list: &mut Vec<Self::Move>);

    /// Plays a legal move. An illegal one leaves a position that means nothing, but does not panic.
    fn play(&mut self, m: Self::Move) -> Self::Undo;

    /// Takes back the last move: `m`, which [`Game::play`] answered with `undo`.
    fn undo(&mut self, m: Self::Move, undo: Self::Undo);

    /// The value for the side to move of a game that is over. Of an unfinished one it means nothing.
    fn outcome(&self) -> Value;

    /// An estimate of the value for the side to move of an unfinished game.
    fn heuristic(&self) -> Value;

    /// Least and greatest value for the side to move that the game can still end with, as far as is known without any
    /// search: stable discs, groups that live unconditionally. Should be cheap beside a node of the search.
    #[inline]
    fn bounds(&self) -> (Value, Value) {
        (-MAX_VALUE, MAX_VALUE)
    }

    /// How early a legal move is worth trying, greater being earlier, judged without search. The scale is the game's.
    #[inline]
    fn prior(&self, _m: Self::Move) -> i32 {
        0
    }

    /// The hash of the position as it stands: of everything that its value depends on. Its symmetry is 0.
    fn key(&self) -> Key;

    /// The hash that the position shares with all symmetric ones.
    #[inline]
    fn symmetric_key(&self) -> Key {
        self.key()
    }

    /// Carries a move of this position to the position that was hashed, by a symmetry out of a [`Key`] of it.
    #[inline]
    fn to_hashed(&self, m: Self::Move, _symmetry: u8) -> Self::Move {
        m
    }

    /// Carries a move of the position that was hashed back to this one: the inverse of [`Game::to_hashed`].
    #[allow(clippy::wrong_self_convention, reason = "it carries a move, it makes no position")]
    #[inline]
    fn from_hashed(&self, m: Self::Move, _symmetry: u8) -> Self::Move {
        m
    }

    /// If the game is over because a position came back: how many plies ago it was there before (perhaps before the
    /// position that a search began at). Such an outcome is right on this way only. Searches keep what rests on it
    /// out of their tables, but for positions that are themselves part of the cycle.
    #[inline]
    fn repeated(&self) -> Option<usize> {
        None
    }

    /// Forgets how the position came about, as far as the rules let it: what follows is then a game of its own.
    /// Solvers do so with the position that they are asked about, since what they store of positions is right for
    /// games that begin there: a cycle through an earlier position can be avoided there, but not through one before
    /// the question.
    fn forget(&mut self) {}

    /// From now on, in this position and those after it, keys tell positions apart that came about differently, as
    /// far as that can matter. For searches that do not heed [`Game::repeated`].
    fn put_past_in_key(&mut self) {}

    /// The code of a move, for tables: below [`Game::codes`].
    fn code(&self, m: Self::Move) -> u16;

    /// The move with a code, or `None` if there is none. It need not be legal here.
    fn decode(&self, code: u16) -> Option<Self::Move>;

    /// How many codes of moves there are: one more than the greatest; at most 65,535.
    fn codes(&self) -> u16;

    /// The usual name of a move, such as `d3` or `pass`.
    fn name(&self, m: Self::Move) -> String;

    /// The move with a name as [`Game::name`] writes it, in any case, or `None`. It need not be legal here.
    fn parse(&self, name: &str) -> Option<Self::Move> {
        (0..self.codes()).filter_map(|code| self.decode(code)).find(|&m| self.name(m).eq_ignore_ascii_case(name))
    }
}

/// What a player may use for one move: the search ends when the first of the three is used up. A move is found in any
/// case.
pub struct Budget<'a> {
    /// Most plies that are searched full width.
    pub depth: u32,
    /// Most nodes, about.
    pub nodes: u64,
    /// Tells which part of the time is used: from 1 on the search ends. A search that will hardly become one ply
    /// deeper ends earlier.
    pub time: &'a mut dyn FnMut() -> f64,
}

/// A move that a player has chosen, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen<M> {
    /// The moves that both sides are expected to make: at least the chosen one.
    pub line: Vec<M>,
    /// What it is worth to the side that makes it. The unit is the player's own; only signs and orders compare.
    pub value: Value,
    /// In how many plies the search has found the game decided: by a victory if the value is positive. It is a proof
    /// only of a player that leaves no reply out.
    pub decided_in: Option<u32>,
    /// Plies of the deepest search that was finished. Players may leave moves out and look deeper at others.
    pub depth: u32,
    /// Nodes that were visited.
    pub nodes: u64,
}

/// Gets the best moves of a position, the best first, each time more is known of them.
pub type ToldMoves<'t, M> = &'t mut dyn FnMut(&[Chosen<M>]);

/// How strong a player is to play: 1 to 10.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

/// A strength that no player has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no level {0}: levels are 1 to 10")]
pub struct LevelError(u8);

impl Level {
    /// The weakest one.
    pub const WEAKEST: Level = Level(1);
    /// All that a player can do.
    pub const FULL: Level = Level(10);

    /// The level of a number.
    ///
    /// # Errors
    /// A number outside 1 to 10.
    pub fn new(number: u8) -> Result<Level, LevelError> {
        if (Level::WEAKEST.0..=Level::FULL.0).contains(&number) { Ok(Level(number)) } else { Err(LevelError(number)) }
    }

    /// Its number, 1 to 10.
    pub fn number(self) -> u8 {
        self.0
    }
}

/// Something that plays a game: beside a solver, which proves values, it finds a good move within a budget.
pub trait Player<G: Game> {
    /// Chooses a move for the side to move; nothing if the game is over. `told` gets what is found on the way, each
    /// time a depth is done.
    fn choose(
        &mut self,
        position: &G,
        budget: &mut Budget<'_>,
        told: &mut dyn FnMut(&Chosen<G::Move>),
    ) -> Option<Chosen<G::Move>>;

    /// The legal moves, `most` of them at most, the best first: each begins a line and has its value. Nothing if the
    /// game is over. `told` gets the same each time a depth is done. Of each move, the nodes are those that were
    /// visited for it last.
    fn analyse(
        &mut self,
        position: &G,
        most: usize,
        budget: &mut Budget<'_>,
        told: ToldMoves<'_, G::Move>,
    ) -> Vec<Chosen<G::Move>>;

    /// How strong it plays from now on.
    fn set_level(&mut self, level: Level);

    /// Forgets everything, for another game.
    fn forget(&mut self);
}

//! Patterns: local arrangements of stones with a goal, and the moves that reach it.
//!
//! The idea is that of R. Hamplová's "Použití vzorů při hře Go" (Charles University, Prague 2010). A *shape* is an
//! arrangement that fulfils a goal by itself, such as the bamboo joint; a *tesuji* is an arrangement with a tree of
//! moves, such as the net. Both are stored for black to play. From an [`entry`] come its *search patterns*: a shape
//! with each of its black stones left out, which is the move to play then, or each arrangement of a tesuji in which
//! black is to move; all of them under the eight symmetries ([`arrangement`]) and for both colours.
//!
//! A point of a pattern has three bits, one for each content that it allows. An [`index`] finds the patterns
//! that fit a board by [`key`]s of rectangles; [`incremental`] keeps what was found up to date from move to
//! move, and [`naive`] finds the same point by point. A [`database`] is a list of entries that is kept as SGF,
//! [`prove`] lets the solver say whether an entry does what it claims, [`cut`] makes a pattern of a proof, and
//! [`mine`] collects such patterns from games.

pub mod arrangement;
pub mod cut;
pub mod database;
pub mod entry;
pub mod incremental;
pub mod index;
pub mod key;
pub mod mine;
pub mod naive;
pub mod prove;
pub mod tree;

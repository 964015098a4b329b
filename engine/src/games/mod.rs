//! The two-player games, one folder each: positions that implement [`crate::core::game::Game`]. [`rows`] and [`sgf`]
//! are texts that games with stones have in common; [`tags`] is what files of games tell beside the moves; [`size`]
//! is the size of every board.

pub mod go;
pub mod gomoku;
pub mod reversi;
pub mod rows;
pub mod sgf;
pub mod size;
pub mod tags;

//! The two-player games, one folder each: positions that implement [`crate::core::game::Game`].

pub mod go;
pub mod reversi;

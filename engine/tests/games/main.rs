//! Two-player games: their rules, what their players see in a position, and questions of tactics.

mod go;
mod gomoku;
mod laws;
mod reversi;
mod sgf;
mod tactics;

//! Gomoku as the program plays and proves it with several threads: plans, defences, opening books, the player.

mod book;
mod hold;
mod plan;
#[path = "../../engine/tests/games/gomoku/positions.rs"]
mod positions;
mod saved_plan;
mod threads;

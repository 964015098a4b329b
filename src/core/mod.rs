//! The vocabulary shared by every search: seeds, control of a running search, resumable searches, counts of scores,
//! two-player games.

pub mod ctl;
pub mod game;
pub mod histogram;
pub mod search;
pub mod seed;

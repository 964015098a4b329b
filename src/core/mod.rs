//! The vocabulary shared by every search: seeds, control of a running search, resumable searches, counts of scores,
//! two-player games, quantities as people write them.

pub mod ctl;
pub mod game;
pub mod histogram;
pub mod quantity;
pub mod search;
pub mod seed;

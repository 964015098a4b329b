//! The vocabulary shared by every search: seeds, control of a running search, resumable searches, counts of scores,
//! two-player games and their scores, quantities as people write them; and what all modules need of bytes on disk and
//! of panics.

pub mod ctl;
pub mod elo;
pub mod encoding;
pub mod frame;
pub mod game;
pub mod histogram;
pub mod panic;
pub mod quantity;
pub mod search;
pub mod seed;
pub mod setting;

//! The vocabulary shared by every search: seeds, control of a running search, resumable searches, counts of scores.

pub mod ctl;
pub mod histogram;
pub mod search;
pub mod seed;

//! The vocabulary shared by every search: seeds, control of a running search, resumable searches.

pub mod ctl;
pub mod search;
pub mod seed;

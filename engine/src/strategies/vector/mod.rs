//! Hot loops in vectors: written once, compiled for plain processors, for AVX2 and for AVX-512.
//!
//! [`extension`] names the vector extensions, [`dispatch`] enters a task with one of them. [`filter`] and [`slots`]
//! are the two operations that have a hand-written form for each: the filter of a move list, and the moves of a
//! playout with their clocks in registers.

pub(super) mod dispatch;
pub(super) mod extension;
pub(super) mod filter;
pub(super) mod slots;

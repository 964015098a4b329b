//! Jobs: each cuts one kind of search into work units and takes in their outcomes. The coordinator of a hunt is a pure
//! state machine (no clock, no files, no threads), so that it can be tested, saved and replayed.

pub mod done;
pub mod enumerate;
pub mod hunt;
pub mod pipeline;
pub mod record;
pub mod work;

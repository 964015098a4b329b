//! Coordinators: each makes the work units of one kind of job and takes in their outcomes. They are pure state
//! machines (no clock, no files, no threads), so that they can be tested, saved and replayed.

pub mod done;
pub mod hunt;

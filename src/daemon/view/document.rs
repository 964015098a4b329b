//! What all documents share.

/// Version of these documents: the field `v` of every listing and event.
pub const VERSION: u32 = 1;

/// Number of a job, counted from 1 and never used again.
pub type JobId = u64;

//! Runs a hunt: threads, clock and files around the coordinator of `jobs::hunt`.
//!
//! [`HuntSession`] is one run of the program on one hunt. The calling thread is the main thread: it hands units to the
//! workers of a queue, takes in what they find, and alone writes files. What happens is recorded in the journal first, then written
//! for people, then told to the observer. Every second the status files are rewritten and the journal is flushed to
//! the device; every few seconds the workers are asked for the state of their searches, which goes into a checkpoint.
//! [`parallel`] and [`tree`] are apart from that: a search of a two-player game on several threads, and a solution by units.

pub mod archive;
pub mod atomic;
pub mod best;
pub mod clock;
pub mod contract;
pub mod cpu;
pub mod directory;
pub mod engine;
pub mod error;
pub mod events;
pub mod orders;
pub mod parallel;
pub mod progress;
mod session;
pub mod state;
pub mod statistics;
pub mod status;
pub mod tree;
pub mod worker;

pub use contract::{
    Changes, Clocking, Ending, FailedAttempt, HuntListener, SessionLimits, SessionReport, WorkerShare,
};
pub use error::{MAX_THREADS, RunError};
pub use orders::Interrupt;
pub use session::{CHECKPOINT, HuntSession};

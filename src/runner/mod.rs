//! Runs jobs: threads, clock and files around the coordinators of [`crate::jobs`].
//!
//! [`HuntSession`] is one run of the program on one hunt. The thread that calls it is the main thread. It hands units
//! to the workers of a queue, absorbs what they find, and is the only one that writes files. A change is recorded in
//! the journal first, then written for people, then reported to the listener. Every second the status files are
//! rewritten and the journal is flushed to the device. Every few seconds the workers are asked for the states of
//! their searches, which go into a checkpoint.
//!
//! [`tree`] does the same for a game tree that is solved by units, and [`numbered`] for what players do. [`parallel`]
//! is one search of a two-player game on several threads.

pub mod analysing;
pub mod archive;
pub mod benchmark;
pub mod best;
pub mod book;
pub mod clock;
pub mod contract;
pub mod cpu;
pub mod directory;
pub mod engine;
pub mod enumeration;
pub mod error;
pub mod events;
pub mod journal;
mod main_loop;
pub mod matching;
pub mod mining;
pub mod numbered;
pub mod orders;
pub mod parallel;
pub mod parcel;
mod pause_point;
pub mod planning;
pub mod progress;
pub mod proving;
pub mod selfplay;
mod session;
pub mod simulated;
pub mod state;
pub mod statistics;
pub mod status;
pub mod stoppable;
pub mod tactics;
pub mod tree;
pub mod tuning;
pub mod worker;

pub use contract::{
    Changes, Clocking, Ending, FailedAttempt, HuntListener, SessionLimits, SessionReport, WorkerShare,
};
pub use error::{MAX_THREADS, MAX_WORKERS, RunError};
pub use orders::Interrupt;
pub use session::{CHECKPOINT, HuntSession};

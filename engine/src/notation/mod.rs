//! Grid files: a [`Grid`](grid::Grid) read from and written to the formats that hunters use.
//!
//! Pentasol is the text format of the record registry (one move per line, no field for the variant); MSR 0.1 is
//! the format of the `morpion-solitaire-record` crate, compact (`MS1:...`) or as JSON, with a variant and a
//! provenance. Reading is tolerant and writing strict. Every grid that leaves a reader has been replayed: a
//! file with an illegal move is an error that names the move, its line and the reason, in the file's own
//! coordinates. [`sgf`] is the format of two-player games. Nothing here but [`mod@file`] touches the disk.

pub mod catalogue;
pub mod clusters;
pub mod facts;
pub mod file;
pub mod format;
pub mod grid;
pub mod history;
pub mod identify;
pub mod msr;
pub mod pentasol;
pub mod picture;
pub mod records;
pub mod replay;
pub mod sgf;

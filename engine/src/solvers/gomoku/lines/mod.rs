//! Line tables: what a stone on each empty point would make, kept up to date move by move.
//!
//! [`classes`] says what a stone makes on one line, [`codes`] puts the four lines of a point together, [`weights`]
//! says what that is worth, [`network`] corrects it by what both sides can make on a point, and [`board`] keeps all
//! of it for a position, with counts of what each side can make.

pub mod board;
pub mod classes;
pub mod codes;
pub mod network;
pub mod weights;
pub mod weights_text;

//! From moves as a file writes them to moves of the engine, with the first illegal one explained.
//!
//! A file names a move by its new point in the file's own coordinates, a direction, and an offset whose meaning
//! depends on the [`Dialect`]. Replaying translates each move and plays it; what is wrong is said in the file's
//! coordinates again, so that the reader of a message finds it in the file.

use crate::morpion::geometry::{Direction, Move, Point, SIDE};
use crate::morpion::position::{IllegalMove, Position};
use crate::morpion::start::Start;
use crate::morpion::variant::{Rules, Variant};
use crate::with_rules;

/// What the number after the direction means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Steps from the new point to the middle of the line (index 2 of the line, for lines of 4 as well).
    Pentasol,
    /// The same with the opposite sign and, for lines of 4, the middle at index 1: what the program
    /// morpion-solitaire writes as Pentasol.
    Opposite,
    /// Index of the new point in the line, counted from 0: MSR.
    Index,
}

impl Dialect {
    /// Index of the new point in its line; may be out of range.
    fn index(self, variant: Variant, offset: i32) -> i32 {
        match self {
            Dialect::Pentasol => 2 - offset,
            Dialect::Opposite => offset + (variant.line_len() as i32 - 1) / 2,
            Dialect::Index => offset,
        }
    }

    /// The offset that names `index`: the inverse of [`Dialect::index`].
    pub(super) fn offset(self, variant: Variant, index: i32) -> i32 {
        match self {
            Dialect::Pentasol => 2 - index,
            Dialect::Opposite => index - (variant.line_len() as i32 - 1) / 2,
            Dialect::Index => index,
        }
    }
}

/// A move as a file writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenMove {
    /// Column of the new point in the file's coordinates.
    pub x: i32,
    /// Row of the new point in the file's coordinates.
    pub y: i32,
    /// Direction of the line.
    pub direction: Direction,
    /// Where in the line the point is, in the file's dialect.
    pub offset: i32,
    /// Line of the file, counted from 1; `None` in formats without lines.
    pub line: Option<usize>,
    /// The move as text, for messages.
    pub text: String,
}

/// How a file's moves are to be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoordinateFrame {
    /// Meaning of the offsets.
    pub dialect: Dialect,
    /// What to add to a file's column and row to get ours.
    pub shift: (i32, i32),
}

/// Why a move of a file is illegal, in the file's coordinates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IllegalReason {
    /// The offset names no point of a line.
    #[error("the offset {offset} is out of range: {low} to {high} is expected in {variant}")]
    Offset {
        /// The offset as the file writes it.
        offset: i32,
        /// Smallest offset of a point of the line.
        low: i32,
        /// Largest offset of a point of the line.
        high: i32,
        /// The variant it was read as.
        variant: Variant,
    },
    /// The point or its line lies outside the 60x60 playing area.
    #[error(
        "the move leaves the playing area of {SIDE}x{SIDE} points (columns {left} to {right}, rows {top} to \
         {bottom} in this file)"
    )]
    OutsideArea {
        /// Smallest column of the area in the file's coordinates.
        left: i32,
        /// Smallest row of the playing area.
        top: i32,
        /// Largest column of the playing area.
        right: i32,
        /// Largest row of the playing area.
        bottom: i32,
    },
    /// The new point is a point of the starting cross.
    #[error("the point belongs to the starting cross")]
    PointOfCross,
    /// The new point is a point of another start.
    #[error("the point belongs to the start")]
    PointOfStart,
    /// The new point was set by an earlier move.
    #[error("the point is already set, by move {by}")]
    PointSet {
        /// Number of that move, from 1.
        by: usize,
    },
    /// Another point of the line is not set.
    #[error("the line needs point ({x},{y}), which is not set")]
    PointMissing {
        /// Column of the missing point.
        x: i32,
        /// Row of the missing point.
        y: i32,
    },
    /// The line has more in common with an earlier line of its direction than the variant allows.
    #[error("the line shares a {what} with the line of move {by} ({text}), which {variant} forbids")]
    LineBlocked {
        /// `segment` or `point`.
        what: &'static str,
        /// Number of the earlier move, from 1.
        by: usize,
        /// The earlier move as its file writes it.
        text: String,
        /// The variant it was read as.
        variant: Variant,
    },
}

/// The first illegal move of a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {text}: {reason}{}", place(*line, *number), also(legal_as))]
pub struct IllegalGrid {
    /// The variant the file was read as.
    pub variant: Variant,
    /// Number of the move, from 1; the moves before it are legal.
    pub number: usize,
    /// Line of the file, from 1, where the format has lines.
    pub line: Option<usize>,
    /// The move as written.
    pub text: String,
    /// What is wrong with it.
    pub reason: IllegalReason,
    /// Variants by whose rules the whole file is legal.
    pub legal_as: Vec<Variant>,
}

fn place(line: Option<usize>, number: usize) -> String {
    match line {
        Some(line) => format!("line {line} (move {number})"),
        None => format!("move {number}"),
    }
}

fn also(legal_as: &[Variant]) -> String {
    let codes: Vec<&str> = legal_as.iter().map(|v| v.code()).collect();
    if codes.is_empty() { String::new() } else { format!(" (the file is legal as {})", codes.join(" and as ")) }
}

/// Plays the moves from a start in the given frame: the legal ones, and the first illegal one with its index (from 0)
/// if there is one.
pub fn replay(
    start: &Start,
    variant: Variant,
    frame: CoordinateFrame,
    written: &[WrittenMove],
) -> (Vec<Move>, Option<(usize, IllegalReason)>) {
    with_rules!(variant, R => replay_as::<R>(start, frame, written))
}

fn replay_as<R: Rules>(
    start: &Start,
    frame: CoordinateFrame,
    written: &[WrittenMove],
) -> (Vec<Move>, Option<(usize, IllegalReason)>) {
    let mut position = start.position::<R>();
    for (i, w) in written.iter().enumerate() {
        let played = translate::<R>(frame, w).and_then(|mv| {
            position.try_play(mv).map_err(|illegal| explain::<R>((start, frame), &position, mv, illegal, written))
        });
        if let Err(reason) = played {
            return (position.played().to_vec(), Some((i, reason)));
        }
    }
    (position.played().to_vec(), None)
}

fn translate<R: Rules>(frame: CoordinateFrame, written: &WrittenMove) -> Result<Move, IllegalReason> {
    let len = R::LEN as i32;
    let index = frame.dialect.index(R::VARIANT, written.offset);
    if !(0..len).contains(&index) {
        let (a, b) = (frame.dialect.offset(R::VARIANT, 0), frame.dialect.offset(R::VARIANT, len - 1));
        return Err(IllegalReason::Offset {
            offset: written.offset,
            low: a.min(b),
            high: a.max(b),
            variant: R::VARIANT,
        });
    }
    let (dx, dy) = frame.shift;
    Point::new(written.x.saturating_add(dx), written.y.saturating_add(dy))
        .and_then(|point| Move::new(R::VARIANT, point, written.direction, index as usize))
        .ok_or(IllegalReason::OutsideArea { left: -dx, top: -dy, right: SIDE - 1 - dx, bottom: SIDE - 1 - dy })
}

fn explain<R: Rules>(
    (start, frame): (&Start, CoordinateFrame),
    position: &Position<R>,
    mv: Move,
    illegal: IllegalMove,
    written: &[WrittenMove],
) -> IllegalReason {
    let earlier = |found: &dyn Fn(&Move) -> bool| position.played().iter().position(found);
    match illegal {
        IllegalMove::PointSet => match earlier(&|m| m.point() == mv.point()) {
            Some(by) => IllegalReason::PointSet { by: by + 1 },
            None if start.is_cross() => IllegalReason::PointOfCross,
            None => IllegalReason::PointOfStart,
        },
        IllegalMove::PointMissing(point) => {
            IllegalReason::PointMissing { x: point.x() - frame.shift.0, y: point.y() - frame.shift.1 }
        }
        IllegalMove::LineBlocked => {
            let by = earlier(&|m| m.line().conflicts::<R>(mv.line())).unwrap_or(0);
            IllegalReason::LineBlocked {
                what: if R::DISJOINT { "point" } else { "segment" },
                by: by + 1,
                text: written[by].text.clone(),
                variant: R::VARIANT,
            }
        }
    }
}

//! A position: a board, its list of legal moves kept incrementally, and the moves played.
//!
//! Playing a move removes from the list what collides with it and appends the moves whose line goes through the
//! new point; undoing restores the list with its order. Neither allocates: the buffers are sized for the largest
//! number of legal moves that any position of a search can have.

use super::board::Board;
use super::geometry::Move;
use super::start::Start;
use super::variant::Rules;

/// No position that a search meets has more legal moves. From the cross at most 485 moves are ever played (upper
/// bound of 5T), so at most 521 points are set, each is in at most 20 lines, and a legal move needs four of them,
/// hence 521 * 20 / 4 = 2605. For lines of 4, 86 * 16 / 3 is less. From another start a search ends a game at
/// [`MOST_SET`](super::start::MOST_SET) points, where lines of 5 leave 488 * 20 / 4 = 2440 and lines of 4 leave
/// 488 * 16 / 3 = 2602.
pub const MAX_LEGAL: usize = 2605;

/// Why a move was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// The new point is set already.
    #[error("the point is already set")]
    PointSet,
    /// A point of the line other than the new one is not set.
    #[error("the line needs point ({},{}), which is not set", .0.x(), .0.y())]
    PointMissing(super::geometry::Point),
    /// The line shares a segment (touching) or a point (disjoint) with a line of its direction.
    #[error("the line conflicts with an earlier line of the same direction on the same track")]
    LineBlocked,
}

/// A board with its legal moves and history.
#[derive(Clone)]
pub struct Position<R> {
    board: Board<R>,
    moves: Vec<Move>,
    played: Vec<Move>,
    /// Moves removed from the list by each played move with the index they had, in ascending order.
    removed: Vec<(u32, Move)>,
    /// Per played move: length of `removed` before it.
    marks: Vec<usize>,
}

impl<R: Rules> Default for Position<R> {
    fn default() -> Self {
        Position::new()
    }
}

impl<R: Rules> Position<R> {
    /// The starting cross.
    pub fn new() -> Position<R> {
        Position::of_board(Board::new())
    }

    /// A board on which no line has been drawn.
    pub(super) fn of_board(board: Board<R>) -> Position<R> {
        let mut moves = Vec::with_capacity(MAX_LEGAL);
        moves.extend(board.scan());
        let bound = R::VARIANT.upper_bound() as usize + 1;
        Position {
            board,
            moves,
            played: Vec::with_capacity(bound),
            removed: Vec::with_capacity(4 * MAX_LEGAL),
            marks: Vec::with_capacity(bound),
        }
    }

    /// The position after `moves` from the cross, each checked.
    ///
    /// # Errors
    /// The index of the first illegal move and why it is illegal.
    pub fn after(moves: &[Move]) -> Result<Position<R>, (usize, IllegalMove)> {
        Start::CROSS.after(moves)
    }

    /// The points and lines that are set.
    #[inline(always)]
    pub fn board(&self) -> &Board<R> {
        &self.board
    }

    /// The legal moves. The order is that of appearance, not of the board.
    #[inline(always)]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The moves played so far.
    #[inline(always)]
    pub fn played(&self) -> &[Move] {
        &self.played
    }

    /// Number of moves played.
    #[inline(always)]
    pub fn score(&self) -> u32 {
        self.played.len() as u32
    }

    /// Plays a move after checking it.
    ///
    /// # Errors
    /// Why the move is illegal; the position is unchanged then.
    pub fn try_play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if self.board.is_legal(mv) {
            self.play(mv);
            return Ok(());
        }
        if self.board.is_set(mv.point()) {
            return Err(IllegalMove::PointSet);
        }
        let missing = mv.line().points::<R>().find(|&p| p != mv.point() && !self.board.is_set(p));
        Err(missing.map_or(IllegalMove::LineBlocked, IllegalMove::PointMissing))
    }

    /// Plays a legal move. An illegal move leaves a position that obeys no rules (but harms no memory);
    /// [`Position::try_play`] checks.
    #[inline]
    pub fn play(&mut self, mv: Move) {
        self.marks.push(self.removed.len());
        self.played.push(mv);
        self.board.place(mv);
        let mut kept = 0;
        for i in 0..self.moves.len() {
            let other = self.moves[i];
            if other.collides::<R>(mv) {
                self.removed.push((i as u32, other));
            } else {
                self.moves[kept] = other;
                kept += 1;
            }
        }
        self.moves.truncate(kept);
        let moves = &mut self.moves;
        self.board.moves_through(mv.point(), |new| moves.push(new));
    }

    /// Takes back the last move and returns it; `None` at the start.
    #[inline]
    pub fn undo(&mut self) -> Option<Move> {
        let mv = self.played.pop()?;
        let mark = self.marks.pop()?;
        // What the move created goes through its point, and nothing older does: the point was not set.
        let kept = self.moves.iter().position(|m| through::<R>(*m, mv)).unwrap_or(self.moves.len());
        self.moves.truncate(kept);
        self.board.lift(mv);
        for &(at, old) in &self.removed[mark..] {
            self.moves.insert(at as usize, old);
        }
        self.removed.truncate(mark);
        Some(mv)
    }

    /// Recomputes everything from the played moves and compares: for tests.
    ///
    /// # Panics
    /// If the incremental state differs from the recomputed one.
    pub fn check(&self) {
        self.check_from(&Start::CROSS);
    }

    /// The same for a game from any start.
    ///
    /// # Panics
    /// If the incremental state differs from the recomputed one.
    pub fn check_from(&self, start: &Start) {
        let mut board = start.board::<R>();
        for &mv in &self.played {
            assert!(board.is_legal(mv), "{mv:?} was played but is illegal");
            board.place(mv);
        }
        assert!(board == self.board, "board differs from the one recomputed");
        let mut kept = self.moves.clone();
        kept.sort_unstable();
        let mut scanned = board.scan();
        scanned.sort_unstable();
        assert_eq!(kept, scanned, "legal moves differ from those of a scan");
    }
}

/// Whether the line of `mv` goes through the new point of `center` (a point of it other than its own new one).
#[inline(always)]
fn through<R: Rules>(mv: Move, center: Move) -> bool {
    let line = mv.line();
    let (track, c) = line.direction().track(center.point());
    track == line.track() && c.wrapping_sub(line.start()) < R::LEN as u32 && mv.point() != center.point()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morpion::variant::Variant;
    use crate::with_rules;

    fn sequences<R: Rules>(position: &mut Position<R>, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let moves = position.moves().to_vec();
        moves
            .into_iter()
            .map(|mv| {
                position.play(mv);
                let n = sequences(position, depth - 1);
                position.undo();
                n
            })
            .sum()
    }

    /// Ordered sequences of `depth` moves, from the facts of the puzzle (two independent programs agree).
    #[test]
    fn ordered_sequences_agree_with_the_tables() {
        for (variant, counts) in [
            (Variant::T5, [28, 748, 18992, 456520]),
            (Variant::D5, [28, 740, 18416, 430488]),
            (Variant::T4, [40, 1496, 52352, 1714648]),
            (Variant::D4, [40, 1480, 50648, 1602568]),
        ] {
            for (depth, count) in (1..).zip(counts) {
                let got = with_rules!(variant, R => sequences(&mut Position::<R>::new(), depth));
                assert_eq!(got, count, "{variant} at depth {depth}");
            }
        }
    }

    #[test]
    fn undo_restores_list_and_order() {
        use rand::RngExt;
        for variant in Variant::ALL {
            with_rules!(variant, R => {
                let mut rng = crate::core::seed::rng(7, &[]);
                let mut position = Position::<R>::new();
                let mut lists = Vec::new();
                while !position.moves().is_empty() {
                    lists.push(position.moves().to_vec());
                    let mv = position.moves()[rng.random_range(0..position.moves().len())];
                    position.play(mv);
                    position.check();
                }
                while let Some(list) = lists.pop() {
                    position.undo();
                    assert_eq!(position.moves(), list);
                    position.check();
                }
                assert!(position.undo().is_none());
            });
        }
    }
}

//! Ladders: captures in which the chain is in atari whenever its side is to move.
//!
//! This is the first order of T. Thomsen's lambda search (2000). The attacker plays on one of two liberties; the
//! chain extends on its last one or captures stones that surround it. Nothing else can save it, so that a ladder
//! that works is a proof, and no table is needed: there are at most a few replies to each move.
//!
//! The search of [`super::proof`] finds ladders, too, so what is read here is for people: whether a capture is a
//! ladder, and how it runs.

use super::board::TacticsBoard;
use super::goal::{Question, TacticalGoal};
use crate::core::game::Side;
use crate::games::go::large::points::PointSet;

/// Moves after which a ladder is given up: more than cross the largest board twice.
const DEEPEST: usize = 400;

/// What reading a ladder came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LadderEnd {
    /// The chain is captured; the first move that does it.
    Captured(u16),
    /// The chain gets out of the ladder.
    Escapes,
    /// The budget ended, or a ko came up: a ladder has no answer then.
    Open,
}

/// Moves of one ladder that is looked for because of a question.
const USUAL_BUDGET: u64 = 20_000;

/// The moves of the ladder by which a question is answered: of a capture that takes more than a move. See
/// [`LadderReader::line`].
pub fn ladder_of(board: &TacticsBoard, question: &Question) -> Option<Vec<u16>> {
    if question.goal() != TacticalGoal::Capture {
        return None;
    }
    let line = LadderReader::new(USUAL_BUDGET).line(&mut board.clone(), question.target());
    line.filter(|line| line.len() > 1)
}

/// A reader of ladders, with a count of the moves it has played.
#[derive(Debug, Default)]
pub struct LadderReader {
    moves: u64,
    budget: u64,
}

impl LadderReader {
    /// A reader that gives up after about so many moves of one ladder.
    pub fn new(budget: u64) -> LadderReader {
        LadderReader { moves: 0, budget }
    }

    /// Moves played by the last question.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// Whether the other side, to move, captures the chain on `target` in a ladder. The board is afterwards as it
    /// was.
    pub fn capture(&mut self, board: &mut TacticsBoard, target: u16) -> LadderEnd {
        self.moves = 0;
        let Some(colour) = board.colour(target) else { return LadderEnd::Escapes };
        self.attack(board, target, colour, DEEPEST)
    }

    /// The moves of a ladder that captures the chain on `target`, from the first one of the other side to the
    /// capture: the chain runs as long as it can, and captures if it cannot run. None if it is not captured in a
    /// ladder. The board is afterwards as it was.
    pub fn line(&mut self, board: &mut TacticsBoard, target: u16) -> Option<Vec<u16>> {
        let colour = board.colour(target)?;
        let before = board.depth();
        let mut line: Vec<u16> = Vec::new();
        let is_captured = loop {
            let LadderEnd::Captured(point) = self.capture(board, target) else { break false };
            board.play(point, colour.other());
            line.push(point);
            let Some(last) = board.liberties(target).single() else { break board.colour(target) != Some(colour) };
            let mut replies = vec![last];
            replies.extend(saving_captures(board, target, colour));
            match replies.into_iter().find(|&reply| board.is_legal(reply, colour)) {
                Some(_) if line.len() > DEEPEST => break false,
                Some(reply) => {
                    board.play(reply, colour);
                    line.push(reply);
                }
                None => {
                    line.push(last);
                    break true;
                }
            }
        };
        while board.depth() > before {
            board.undo();
        }
        is_captured.then_some(line)
    }

    fn attack(&mut self, board: &mut TacticsBoard, target: u16, colour: Side, left: usize) -> LadderEnd {
        let liberties = board.liberties(target);
        let attacker = colour.other();
        if let Some(last) = liberties.single() {
            let legal = board.is_legal(last, attacker);
            return if legal { LadderEnd::Captured(last) } else { LadderEnd::Open };
        }
        if liberties.len() > 2 {
            return LadderEnd::Escapes;
        }
        if left == 0 || self.moves >= self.budget {
            return LadderEnd::Open;
        }
        let mut moves: Vec<u16> = liberties.iter().collect();
        // The chain is left the liberty where it gains less.
        moves.sort_by_key(|&point| std::cmp::Reverse(board.liberties_after(point, colour).len()));
        let mut end = LadderEnd::Escapes;
        for point in moves {
            if !board.is_legal(point, attacker) {
                continue;
            }
            self.moves += 1;
            board.play(point, attacker);
            let saved = self.defend(board, target, colour, left - 1);
            board.undo();
            match saved {
                LadderEnd::Captured(_) => return LadderEnd::Captured(point),
                LadderEnd::Open => end = LadderEnd::Open,
                LadderEnd::Escapes => (),
            }
        }
        end
    }

    /// The chain has one liberty and its side is to move.
    fn defend(&mut self, board: &mut TacticsBoard, target: u16, colour: Side, left: usize) -> LadderEnd {
        if board.took_ko() {
            return LadderEnd::Open;
        }
        let Some(last) = board.liberties(target).single() else { return LadderEnd::Escapes };
        let mut replies = saving_captures(board, target, colour);
        if !replies.contains(&last) {
            replies.push(last);
        }
        let mut end = LadderEnd::Captured(last);
        for reply in replies {
            if !board.is_legal(reply, colour) {
                if board.is_banned(reply, colour) {
                    end = LadderEnd::Open;
                }
                continue;
            }
            self.moves += 1;
            board.play(reply, colour);
            let found = match left {
                _ if board.took_ko() => LadderEnd::Open,
                0 => LadderEnd::Open,
                _ => self.attack(board, target, colour, left - 1),
            };
            board.undo();
            match found {
                LadderEnd::Escapes => return LadderEnd::Escapes,
                LadderEnd::Open => end = LadderEnd::Open,
                LadderEnd::Captured(_) => (),
            }
        }
        end
    }
}

/// The moves of `colour` that capture stones beside its chain on `target`.
pub fn saving_captures(board: &TacticsBoard, target: u16, colour: Side) -> Vec<u16> {
    let stones = board.chain(target).map_or(PointSet::EMPTY, |chain| chain.stones);
    let mut moves: Vec<u16> = Vec::new();
    for beside in board.chains_beside(&stones, colour.other()) {
        if let Some(last) = board.liberties(beside).single()
            && !moves.contains(&last)
        {
            moves.push(last);
        }
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::super::board::tests::board;
    use super::super::goal::point_of;
    use super::*;

    const BUDGET: u64 = 10_000;

    fn read(rows: &str, target: &str) -> (LadderEnd, u64) {
        let mut board = board(rows);
        let target = point_of(board.chains().size(), target).unwrap();
        let (before, mut reader) = (board.key(Side::First), LadderReader::new(BUDGET));
        let end = reader.capture(&mut board, target);
        assert_eq!((board.key(Side::First), board.depth()), (before, 0));
        board.chains().check().unwrap();
        (end, reader.moves())
    }

    fn is_captured(rows: &str, target: &str) -> bool {
        matches!(read(rows, target).0, LadderEnd::Captured(_))
    }

    /// A ladder over a whole board, from the lower left to the upper right, with stones of white in addition.
    fn long(size: usize, more: &[(usize, usize)]) -> String {
        let mut rows = vec![vec!['.'; size]; size];
        for (x, y) in [(2, 3), (3, 2), (4, 2), (2, 4), (3, 4)] {
            rows[size - 1 - y][x] = 'X';
        }
        for &(x, y) in [(3, 3), (4, 3)].iter().chain(more) {
            rows[size - 1 - y][x] = 'O';
        }
        rows.into_iter().map(|row| row.into_iter().collect::<String>() + "\n").collect()
    }

    #[test]
    fn a_ladder_runs_to_the_edge_unless_a_stone_breaks_it() {
        for size in [7, 9, 13, 19] {
            assert!(is_captured(&long(size, &[]), "d4"), "{size}");
            let far = size - 3;
            assert_eq!(read(&long(size, &[(far, far)]), "d4").0, LadderEnd::Escapes, "{size}");
            assert!(is_captured(&long(size, &[(size - 1, 0)]), "d4"), "{size}: aside of the way");
        }
        let (end, moves) = read(&long(19, &[]), "d4");
        assert!(matches!(end, LadderEnd::Captured(_)) && moves < 300, "{moves} moves");
    }

    #[test]
    fn a_chain_in_atari_is_captured_and_one_with_three_liberties_is_not() {
        assert_eq!(read(".X.\nXO.\n.X.", "b2").0, LadderEnd::Captured(5));
        assert_eq!(read("....\n.O..\n....\n....", "b3").0, LadderEnd::Escapes);
    }

    #[test]
    fn stones_in_atari_around_it_save_a_chain() {
        // The black stones below have one liberty left.
        assert_eq!(read(&long(9, &[(2, 2), (3, 1), (4, 1)]), "d4").0, LadderEnd::Escapes);
    }

    /// The line runs across the board and ends with the capture; a ladder that is broken has none.
    #[test]
    fn the_line_of_a_ladder_is_told() {
        let line = |rows: &str, target: &str| {
            let mut board = board(rows);
            let size = board.chains().size();
            let target = point_of(size, target).unwrap();
            let key = board.key(Side::First);
            let line = LadderReader::new(BUDGET).line(&mut board, target);
            assert_eq!((board.key(Side::First), board.depth()), (key, 0));
            // Black and white take turns, and the last move captures.
            for (number, &point) in line.iter().flatten().enumerate() {
                let side = if number % 2 == 0 { Side::First } else { Side::Second };
                assert!(board.colour(target) == Some(Side::Second) && board.is_legal(point, side), "{rows}");
                board.play(point, side);
            }
            assert!(line.is_none() || board.colour(target).is_none(), "{rows}");
            line.map(|line| line.into_iter().map(|point| size.name(point)).collect::<Vec<_>>())
        };
        let long_line = line(&long(19, &[]), "d4").unwrap();
        assert_eq!(long_line[..5], ["f4", "e5", "e6", "f5", "g5"]);
        assert!(long_line.len() > 50, "{long_line:?}");
        assert_eq!(line(&long(19, &[(16, 16)]), "d4"), None);
        assert_eq!(line(".X.\nXO.\n.X.", "b2").unwrap(), ["c2"]);
        assert_eq!(line("....\n.O..\n....\n....", "b3"), None);
        // A question has one if it is about a capture of more than a move.
        let of = |rows: &str, goal, target: &str| {
            let board = board(rows);
            let target = point_of(board.chains().size(), target).unwrap();
            let question = Question::new(board.chains(), goal, target, None).unwrap();
            ladder_of(&board, &question).map(|line| line.len())
        };
        assert_eq!(of(&long(19, &[]), TacticalGoal::Capture, "d4"), Some(long_line.len()));
        assert_eq!(of(&long(19, &[]), TacticalGoal::Defend, "d4"), None);
        assert_eq!(of(".X.\nXO.\n.X.", TacticalGoal::Capture, "b2"), None);
    }

    #[test]
    fn a_ko_and_the_end_of_the_budget_leave_it_open() {
        // Black takes a ko when it captures the stone on b3, and white would retake.
        let rows = ".XO.\nXO.O\n.XO.\n....";
        assert_eq!(read(rows, "b3").0, LadderEnd::Captured(6));
        let mut banned = board(rows);
        banned.play(6, Side::First);
        assert_eq!(LadderReader::new(BUDGET).capture(&mut banned, 6), LadderEnd::Open);
        let mut wide = board(&long(19, &[]));
        let target = point_of(wide.chains().size(), "d4").unwrap();
        assert_eq!(LadderReader::new(20).capture(&mut wide, target), LadderEnd::Open);
    }
}

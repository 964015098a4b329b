//! The attacker's moves that patterns propose.
//!
//! Patterns are looked for around the chains that the question is about, as far as the largest one reaches. A pattern
//! whose targets are known proposes moves only where one of them is such a chain.

use super::board::{PASS, TacticsBoard};
use super::goal::Question;
use super::pattern::entry::PatternGoal;
use super::pattern::index::{PatternIndex, PatternMatch, PatternProposal};
use super::pattern::key::{BoardRows, Rectangle};
use super::zone::Candidate;
use crate::games::go::large::chains::Chains;
use std::sync::Arc;

/// Where the attacker's candidates come from.
#[derive(Debug, Clone, Default)]
pub enum AttackMoves {
    /// From the generators.
    #[default]
    Generators,
    /// From patterns alone.
    Patterns(Arc<PatternIndex>),
    /// From patterns first, and then from the generators.
    Both(Arc<PatternIndex>),
}

impl AttackMoves {
    fn index(&self) -> Option<&Arc<PatternIndex>> {
        match self {
            AttackMoves::Generators => None,
            AttackMoves::Patterns(index) | AttackMoves::Both(index) => Some(index),
        }
    }
}

/// The patterns that fit a board, as far as their conditions on liberties hold, each with the moves that it proposes.
pub fn patterns_on(index: &PatternIndex, chains: &Chains) -> Vec<(PatternMatch, Vec<PatternProposal>)> {
    let size = chains.size();
    let stone = |(x, y)| size.point(x, y).and_then(|point| chains.colour(point));
    let rows = BoardRows::new((size.width(), size.height()), stone);
    let liberties = |(x, y): (u8, u8)| size.point(x, y).map_or(0, |point| chains.liberty_count(point));
    let mut found = Vec::new();
    index.match_board(&rows, &mut found);
    let with_moves = found.into_iter().map(|one| {
        let mut moves = Vec::new();
        index.proposals(&one, liberties, &mut moves);
        (one, moves)
    });
    with_moves.filter(|(_, moves)| !moves.is_empty()).collect()
}

/// The patterns with the board that they are looked for on.
#[derive(Debug, Clone)]
pub(super) struct PatternProposer {
    index: Arc<PatternIndex>,
    rows: BoardRows,
    alone: bool,
}

impl PatternProposer {
    /// The patterns of these moves; none if there are none.
    pub(super) fn new(moves: &AttackMoves, board: &TacticsBoard) -> Option<PatternProposer> {
        let size = board.chains().size();
        let stone = |(x, y)| size.point(x, y).and_then(|point| board.colour(point));
        let rows = BoardRows::new((size.width(), size.height()), stone);
        let alone = matches!(moves, AttackMoves::Patterns(_));
        moves.index().map(|index| PatternProposer { index: Arc::clone(index), rows, alone })
    }

    /// Whether no other moves are tried.
    pub(super) fn is_alone(&self) -> bool {
        self.alone
    }

    /// Follows the last move of a board: after it was made, or before it is taken back.
    pub(super) fn follow(&mut self, board: &TacticsBoard, point: u16, taken_back: bool) {
        if point == PASS {
            return;
        }
        let size = board.chains().size();
        let colour = board.colour(point);
        self.rows.set(size.place(point), if taken_back { None } else { colour });
        for captured in board.last_captured().iter() {
            let content = if taken_back { colour.map(|colour| colour.other()) } else { None };
            self.rows.set(size.place(captured), content);
        }
    }

    /// Appends the moves that are proposed to the attacker, all legal and none twice.
    pub(super) fn propose(&self, board: &TacticsBoard, question: &Question, list: &mut Vec<Candidate>) {
        let Some(region) = around(board, question) else { return };
        let mut matches: Vec<PatternMatch> = Vec::new();
        self.index.match_near(&self.rows, region, &mut matches);
        let goals = PatternGoal::ALL.into_iter().filter(|goal| goal.serves(question.goal()));
        let goals = goals.fold(0, |bits, goal| bits | 1 << goal.number());
        let size = board.chains().size();
        let point_at = |(x, y)| size.point(x, y);
        let liberties = |place| point_at(place).map_or(0, |point| board.liberties(point).len());
        let mut proposals: Vec<PatternProposal> = Vec::new();
        for found in &matches {
            if self.index.to_move(found.pattern) == question.attacker() && self.index.has_goal(found.pattern, goals) {
                self.index.proposals(found, liberties, &mut proposals);
            }
        }
        let is_asked = |place: &(u8, u8)| {
            let root = |point: u16| board.colour(point).is_some().then(|| board.chains().root(point));
            let asked = [Some(question.target()), question.with()];
            let here = point_at(*place).and_then(root);
            here.is_some() && asked.into_iter().flatten().any(|point| root(point) == here)
        };
        for proposal in proposals {
            let serves = self.index.goal(proposal.entry).serves(question.goal());
            let Some(point) = point_at(proposal.place).filter(|_| serves) else { continue };
            if (proposal.targets.is_empty() || proposal.targets.iter().any(is_asked))
                && !list.iter().any(|known| known.point == point)
                && board.is_legal(point, question.attacker())
            {
                list.push(Candidate { point, delay: 0 });
            }
        }
    }

    /// Whether its rows are those of a board.
    #[cfg(test)]
    pub(super) fn is_at(&self, board: &TacticsBoard) -> bool {
        let size = board.chains().size();
        let stone = |(x, y)| size.point(x, y).and_then(|point| board.colour(point));
        self.rows == BoardRows::new((size.width(), size.height()), stone)
    }
}

/// The rectangle around the chains of a question.
fn around(board: &TacticsBoard, question: &Question) -> Option<Rectangle> {
    let size = board.chains().size();
    let (mut x0, mut y0, mut x1, mut y1) = (u8::MAX, u8::MAX, 0, 0);
    for target in std::iter::once(question.target()).chain(question.with()) {
        for stone in board.chain(target)?.stones.iter() {
            let (x, y) = size.place(stone);
            (x0, y0, x1, y1) = (x0.min(x), y0.min(y), x1.max(x), y1.max(y));
        }
    }
    Some(Rectangle { x: x0, y: y0, width: x1 - x0 + 1, height: y1 - y0 + 1 })
}

#[cfg(test)]
mod tests {
    use super::super::board::tests::board;
    use super::super::goal::{TacticalGoal, point_of};
    use super::super::pattern::database::PatternDatabase;
    use super::super::solve::{solve, solve_with};
    use super::super::verdict::TacticsVerdict;
    use super::*;
    use crate::core::game::Side;
    use crate::core::seed::rng;
    use rand::RngExt;

    fn index(text: &str) -> Arc<PatternIndex> {
        Arc::new(PatternDatabase::read(text.as_bytes()).unwrap().database.index().unwrap())
    }

    const NET: &str = "(;(;GL[1]PS[4 4]AB[ba][ca][ab][ac]AW[bb]TR[bb];B[cc]))";
    const ROWS: &str =
        ".........\n..XX.....\n.XO......\n.X.......\n.........\n.........\n.........\n.........\n.........";

    #[test]
    fn a_pattern_proposes_its_move_for_its_target_alone() {
        let board = board(ROWS);
        let size = board.chains().size();
        let at = |name: &str| point_of(size, name).unwrap();
        let propose = |goal, target: &str, with: Option<&str>| {
            let question = Question::new(board.chains(), goal, at(target), with.map(at)).unwrap();
            let proposer = PatternProposer::new(&AttackMoves::Patterns(index(NET)), &board).unwrap();
            let mut list = Vec::new();
            proposer.propose(&board, &question, &mut list);
            list.into_iter().map(|candidate| size.name(candidate.point)).collect::<Vec<_>>()
        };
        assert_eq!(propose(TacticalGoal::Capture, "c7", None), ["d6"]);
        assert_eq!(propose(TacticalGoal::Capture, "c8", None), [] as [String; 0]);
        assert_eq!(propose(TacticalGoal::Connect, "c8", Some("b7")), [] as [String; 0]);
    }

    #[test]
    fn the_first_move_of_a_pattern_needs_no_generator() {
        let board = board(".XX..\nXO...\nX....\n.....\n.....");
        let target = point_of(board.chains().size(), "b4").unwrap();
        let question = Question::new(board.chains(), TacticalGoal::Capture, target, None).unwrap();
        let alone = solve_with(&board, &question, 10_000, &AttackMoves::Patterns(index("(;(;GL[2]AB[aa][ca]))")));
        assert_eq!(alone.verdict, TacticsVerdict::Fails);
        let both = solve_with(&board, &question, 10_000, &AttackMoves::Both(index(NET)));
        let usual = solve(&board, &question, 10_000);
        assert_eq!((both.verdict, usual.verdict), (TacticsVerdict::Works, TacticsVerdict::Works));
    }

    #[test]
    fn rows_follow_moves_and_captures() {
        const SEED: u64 = 3;
        println!("seed {SEED}");
        let mut random = rng(SEED, &[]);
        let mut board = board(".....\n.....\n.....\n.....");
        let mut proposer = PatternProposer::new(&AttackMoves::Both(index(NET)), &board).unwrap();
        let (mut side, mut captures) = (Side::First, 0);
        for _ in 0..2000 {
            if random.random_range(0..4) == 0 && board.depth() > 0 {
                proposer.follow(&board, board.last().unwrap_or(PASS), true);
                board.undo();
                side = side.other();
            } else {
                let point = random.random_range(0..board.chains().size().area());
                if board.is_legal(point, side) {
                    board.play(point, side);
                    captures += board.last_captured().len();
                    proposer.follow(&board, point, false);
                    side = side.other();
                }
            }
            assert!(proposer.is_at(&board));
        }
        assert!(captures > 20, "{captures}");
    }
}

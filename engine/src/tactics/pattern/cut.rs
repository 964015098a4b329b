//! A proven answer cut to its zone: a pattern that holds wherever it fits, since the proof rests on nothing else
//! (relevance-zone patterns; C.-C. Shih et al., arXiv 2212.13922).

use super::arrangement::{Arrangement, PatternEdges, PointMask};
use super::entry::{PatternEntry, PatternGoal};
use super::tree::MoveTree;
use crate::core::game::Side;
use crate::games::go::large::points::PointSet;
use crate::tactics::board::TacticsBoard;
use crate::tactics::goal::Question;
use crate::tactics::solve::TacticsAnswer;
use crate::tactics::verdict::TacticsVerdict;

/// The pattern of an answer: what is certain is the zone of its proof. `None` unless the mover attacks, reaches its
/// goal by a move, and no ko has a part in it.
pub fn pattern_of(board: &TacticsBoard, question: &Question, answer: &TacticsAnswer) -> Option<PatternEntry> {
    let works = question.goal().mover_attacks() && answer.verdict == TacticsVerdict::Works && answer.proven;
    let [proof] = &answer.proofs[..] else { return None };
    let (first, zone) = (answer.first?, proof.nodes.first()?.zone);
    if !works || board.ban().is_some() || zone.is_empty() {
        return None;
    }
    cut(board, question, first, &zone)
}

fn cut(board: &TacticsBoard, question: &Question, first: u16, zone: &PointSet) -> Option<PatternEntry> {
    let size = board.chains().size();
    let places: Vec<(u8, u8)> = zone.iter().map(|point| size.place(point)).collect();
    let (x0, x1) = (places.iter().map(|&(x, _)| x).min()?, places.iter().map(|&(x, _)| x).max()?);
    let (y0, y1) = (places.iter().map(|&(_, y)| y).min()?, places.iter().map(|&(_, y)| y).max()?);
    let mut start = Arrangement::new(x1 - x0 + 1, y1 - y0 + 1);
    let all: Vec<_> = start.places().collect();
    for (x, y) in all {
        let point = size.point(x0 + x, y0 + y)?;
        let content = PointMask::of(board.colour(point));
        start.set((x, y), if zone.contains(point) { content } else { PointMask::ANY });
    }
    // What is on the edge has fewer neighbours than it would have elsewhere.
    start.edges =
        PatternEdges { left: x0 == 0, top: y0 == 0, right: x1 + 1 == size.width(), bottom: y1 + 1 == size.height() };
    if question.mover() == Side::Second {
        start = start.exchanged();
    }
    let inside = |point: u16| {
        let (x, y) = size.place(point);
        zone.contains(point).then(|| (x - x0, y - y0))
    };
    let targets: Vec<_> = std::iter::once(question.target()).chain(question.with()).filter_map(inside).collect();
    let goal = if question.goal().is_of_two() { PatternGoal::Connect } else { PatternGoal::Capture };
    let tree = MoveTree::single(inside(first)?);
    Some(PatternEntry { name: String::new(), goal, start, targets, tree, others: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::super::database::is_same;
    use super::super::prove::prove;
    use super::*;
    use crate::tactics::board::tests::board;
    use crate::tactics::goal::{TacticalGoal, point_of};
    use crate::tactics::solve::solve;

    const NODES: u64 = 50_000;

    fn cut_of(rows: &str, goal: TacticalGoal, target: &str, with: Option<&str>) -> Option<PatternEntry> {
        let board = board(rows);
        let at = |name: &str| point_of(board.chains().size(), name).unwrap();
        let question = Question::new(board.chains(), goal, at(target), with.map(at)).unwrap();
        pattern_of(&board, &question, &solve(&board, &question, NODES))
    }

    #[test]
    fn a_proof_is_cut_to_a_pattern_that_holds_anywhere() {
        // Both ladders are broken.
        let net = ".........\n.........\n..XX.....\n.XO...O..\n.X.......\n.........\n..O...O..\n.........\n.........";
        let pattern = cut_of(net, TacticalGoal::Capture, "c6", None).expect("a pattern");
        let (width, height) = pattern.start.size();
        assert!(width < 9 && height < 9, "{width}x{height}");
        assert!(prove(&pattern, NODES, Some(100)).unwrap().anywhere);
        // The colour of the mover is black in the pattern.
        let exchanged: String = net
            .chars()
            .map(|c| {
                if c == 'X' {
                    'O'
                } else if c == 'O' {
                    'X'
                } else {
                    c
                }
            })
            .collect();
        let other = cut_of(&exchanged, TacticalGoal::Capture, "c6", None).expect("a pattern");
        assert!(is_same(&other, &pattern));
        let on_edge = cut_of("....\n....\nX.X.\n", TacticalGoal::Connect, "a1", Some("c1")).expect("a pattern");
        assert!(on_edge.start.edges.bottom && on_edge.targets.len() == 2 && !is_same(&on_edge, &pattern));
        assert!(prove(&on_edge, NODES, Some(100)).unwrap().anywhere);
    }

    #[test]
    fn what_is_not_won_by_the_mover_is_no_pattern() {
        assert_eq!(cut_of("....\n.O..\n....\n....", TacticalGoal::Capture, "b3", None), None);
        assert_eq!(cut_of(".X.\nXO.\n.X.", TacticalGoal::Defend, "b2", None), None);
    }
}

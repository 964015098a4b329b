//! Plans: what is found holds, what is spoiled is refused, and the checker's rules are those of the game.

use super::positions::{after, play_randomly, rules};
use morpion::core::game::Side;
use morpion::core::seed::rng;
use morpion::games::gomoku::board::GomokuBoard;
use morpion::games::gomoku::naive::{NaiveGomoku, NaiveRules, Stone};
use morpion::games::gomoku::position::GomokuPosition;
use morpion::games::gomoku::rules::{GomokuRules, RowRule};
use morpion::runner::planning::trees::PlanTrees;
use morpion::runner::planning::{
    PlanChecked, PlanFinding, PlanNews, PlanPortions, PlanningError, check_plan, find_plan,
};
use morpion::solvers::gomoku::plan::check::HoleReason;
use morpion::solvers::gomoku::plan::naive::CheckStones;
use morpion::solvers::gomoku::plan::search::PlanSearch;
use morpion::solvers::gomoku::plan::{WinningPlan, text};
use morpion::solvers::gomoku::threats::ThreatTables;
use morpion::solvers::monitor::Monitor;
use rand::RngExt;
use std::sync::Mutex;

/// As the program looks for plans.
pub fn finding(threads: usize, kept: Option<&PlanTrees>) -> PlanFinding<'_> {
    PlanFinding { threads, kept, portions: PlanPortions::USUAL }
}

/// Looks for a plan until there is one, and returns how many positions are left open.
fn found(start: GomokuPosition, wins: Side, threads: usize) -> (WinningPlan, usize) {
    let tables = ThreatTables::new(start.board(), start.rules()).unwrap();
    let mut plan = WinningPlan::new(start, wins);
    let find = find_plan::<PlanningError>;
    let open = find(&mut plan, &tables, finding(threads, None), &|| false, &|_, _| Ok(())).unwrap();
    (plan, open)
}

fn checked(plan: &WinningPlan, threads: usize) -> PlanChecked {
    let tables = ThreatTables::new(plan.start().board(), plan.start().rules()).unwrap();
    check_plan(plan, &tables, 0..plan.moves().len(), threads, &|| false, &|_| ())
}

#[test]
fn a_plan_that_is_found_holds() {
    // Black wins 6x5 with four in a row; on 15x15 white has left the middle.
    let small = GomokuPosition::new(GomokuBoard::new(6, 5).unwrap(), rules(RowRule::Free, 4));
    let large = after(GomokuBoard::USUAL, GomokuRules::default(), "h8h9i9a1");
    for (start, threads, moves) in [(small, 1, 1), (large, 2, 2)] {
        let (plan, open) = found(start, Side::First, threads);
        assert_eq!(open, 0);
        assert!(plan.moves().len() >= moves, "{} moves", plan.moves().len());
        let checked = checked(&plan, threads);
        assert_eq!((&checked.hole, &checked.unanswered), (&None, &None));
        assert!(checked.start);
        assert_eq!((checked.moves, checked.next), (plan.moves().len(), None));
        // Every move but the last has some 220 replies on the large board.
        let replies = checked.replies;
        assert_eq!(replies.replies, replies.planned + replies.by_threats);
        assert!(replies.replies >= (plan.moves().len() as u64) * u64::from(plan.start().empty() - 30));
        // It is found without a search when it is there already.
        let again = text::parse(&text::to_text(&plan)).unwrap();
        assert!(again.open_replies().is_empty());
        assert_eq!(text::to_text(&again), text::to_text(&plan));
    }
}

#[test]
fn threads_that_are_left_over_try_other_moves() {
    // There is one position to answer, so three of the four threads are given a move.
    let start = GomokuPosition::new(GomokuBoard::new(6, 5).unwrap(), rules(RowRule::Free, 4));
    let tables = ThreatTables::new(start.board(), start.rules()).unwrap();
    let mut plan = WinningPlan::new(start.clone(), Side::First);
    let all = Mutex::new(Vec::new());
    let told = |plan: &WinningPlan, news: &PlanNews| {
        all.lock().unwrap().push((news.clone(), plan.answer(&start)));
        Ok::<(), PlanningError>(())
    };
    assert_eq!(find_plan(&mut plan, &tables, finding(4, None), &|| false, &told).unwrap(), 0);
    let all = all.into_inner().unwrap();
    let proven: Vec<_> = all.iter().filter(|(news, _)| news.proof == 0).collect();
    // The first that is proven ends the others.
    assert_eq!(proven.len(), 1);
    let (news, answer) = proven[0];
    assert!(answer.is_some() && news.attack.is_none_or(|attack| *answer == Some(attack)));
    assert_eq!((news.open, all.last().unwrap().0.proof), (0, 0));
    let checked = checked(&plan, 2);
    assert_eq!((&checked.hole, &checked.unanswered, checked.start), (&None, &None, true));
}

#[test]
fn moves_that_lead_to_images_are_ranked_once() {
    // The two stones are in one column, so left and right are images of each other.
    let start = after(GomokuBoard::USUAL, GomokuRules::default(), "h8h10");
    let tables = ThreatTables::new(start.board(), start.rules()).unwrap();
    let known = WinningPlan::new(start.clone(), Side::First);
    let mut search = PlanSearch::new(&tables, &start, &known).unwrap();
    let moves = search.ranked_moves(&Monitor::with_budget(u64::MAX));
    assert!(moves.len() > 2, "{moves:?}");
    for (i, &point) in moves.iter().enumerate() {
        let (x, y) = start.board().place(point);
        let image = start.board().point(14 - x, y).unwrap();
        assert!(
            !moves[i + 1..].contains(&point) && !moves[i + 1..].contains(&image),
            "{}",
            start.board().name(point)
        );
    }
    // A search that is to stop has nothing to say.
    let mut stopped = PlanSearch::new(&tables, &start, &known).unwrap();
    assert!(stopped.ranked_moves(&Monitor::with_budget(1)).is_empty());
}

#[test]
fn every_reply_to_a_first_position_is_a_task() {
    // White has to move, and every reply has to be answered; images of the same position once.
    let start = after(GomokuBoard::new(6, 5).unwrap(), rules(RowRule::Free, 4), "c3");
    assert_eq!(WinningPlan::new(start.clone(), Side::First).open_replies().len(), 17);
    let (plan, open) = found(start, Side::First, 2);
    assert_eq!(open, 0);
    let checked = checked(&plan, 1);
    assert_eq!((checked.hole, checked.start), (None, true));
}

#[test]
fn a_plan_that_is_spoiled_is_refused() {
    let start = after(GomokuBoard::USUAL, GomokuRules::default(), "h8h9i9a1");
    let (plan, _) = found(start.clone(), Side::First, 1);
    let whole = text::to_text(&plan);
    let lines: Vec<&str> = whole.lines().collect();
    assert!(lines.len() >= 6, "{whole}");
    // Without one of its positions the reply that leads there is open.
    for left_out in 5..lines.len() {
        let rest: Vec<&str> = (0..lines.len()).filter(|&at| at != left_out).map(|at| lines[at]).collect();
        // The lines after it tell what they have in common with it.
        let Ok(part) = text::parse(&rest.join("\n")) else { continue };
        let hole = checked(&part, 1).hole.expect("a hole");
        assert_eq!(hole.reason, HoleReason::Open);
    }
    // A first move in the corner proves nothing.
    let mut corner = WinningPlan::new(start.clone(), Side::First);
    corner.add(Vec::new(), &start, start.board().named("o15").unwrap());
    let hole = checked(&corner, 1).hole.expect("a hole");
    assert_eq!((hole.moves.len(), hole.reason), (2, HoleReason::Open));
    // Nothing is claimed of an empty plan.
    let none = checked(&WinningPlan::new(start, Side::First), 1);
    assert!(!none.start);
    assert_eq!(none.hole, None);
    assert_eq!(none.unanswered.map(|hole| hole.reason), Some(HoleReason::Open));
    // White has a row to make.
    let lost = after(GomokuBoard::USUAL, GomokuRules::default(), "a1h8a3h9a5h10a7h11");
    let mut plan = WinningPlan::new(lost.clone(), Side::First);
    plan.add(Vec::new(), &lost, lost.board().named("a9").unwrap());
    let hole = checked(&plan, 1).hole.expect("a hole");
    assert_eq!((hole.moves.len(), hole.reason), (2, HoleReason::DefenderWins));
}

#[test]
fn texts_that_are_no_plans_say_where() {
    let head = "morpion plan 1\ngame 15x15 five 5\nstart h8\nwins black\n";
    assert!(text::parse(&format!("{head}0 h9 i9\n2 k12 g7\n\n")).is_ok());
    let cases = [
        ("", "line 1: expected `morpion plan 1`"),
        ("morpion plan 2\n", "line 1: expected `morpion plan 1`"),
        ("morpion plan 1\ngame 15 five 5\n", "line 2: expected `game WxH RULE N`"),
        ("morpion plan 1\ngame 99x15 five 5\n", "line 2: expected `game WxH RULE N`"),
        ("morpion plan 1\ngame 15x15 five 5\nstart z9\n", "line 3: `z9` is not a point"),
        ("morpion plan 1\ngame 15x15 five 5\nstart h8\nwins red\n", "line 4: expected `wins black`"),
        (&format!("{head}1 h9 i9\n"), "line 5: it has 1 moves in common with the line before, which has 0"),
        (&format!("{head}0 h9\n"), "line 5: expected a number, a reply and a move"),
        (&format!("{head}0 h9 i9i8\n"), "line 5: expected a number, a reply and a move"),
        (&format!("{head}0 h8 i9\n"), "line 5: h8 is illegal: "),
        (&format!("{head}0 h9 h9\n"), "line 5: h9 is illegal: "),
        (&format!("{head}0 - h9\n"), "line 5: it is not the attacker's turn"),
        (&format!("{head}0 h9 i9\n1 k12 g7\n"), "line 6: it is not the attacker's turn"),
        (&format!("{head}99999999999999999999 h9 i9\n"), "line 5: expected a number, a reply and a move"),
    ];
    for (text, message) in cases {
        let error = text::parse(text).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

#[test]
fn the_checker_knows_the_rules() {
    for (rule, longer) in [(RowRule::Five, false), (RowRule::Free, true)] {
        let (mut rows, board) = (0, GomokuBoard::new(9, 8).unwrap());
        for seed in 0..300 {
            let mut rng = rng(seed, &[29]);
            let mut position = GomokuPosition::new(board, rules(rule, 4));
            let plies = rng.random_range(6..40);
            play_randomly(&mut position, plies, &mut rng);
            if position.winner().is_some() {
                continue;
            }
            let stones = CheckStones::new(&position).unwrap();
            let naive_rules =
                NaiveRules { win: 4, black_longer: longer, white_longer: longer, both_ends: false, forbidden: false };
            for (x, y) in stones.empty_points() {
                for (side, stone) in [(Side::First, Stone::Black), (Side::Second, Stone::White)] {
                    let mut naive = NaiveGomoku::new(9, 8, naive_rules);
                    for (point, colour) in position.stones() {
                        let (x, y) = board.place(point);
                        let own = if colour == Side::First { Stone::Black } else { Stone::White };
                        naive.rows[usize::from(y)][usize::from(x)] = own;
                    }
                    naive.to_move = stone;
                    let wins = naive.after((x as usize, y as usize)).winner() == Some(stone);
                    assert_eq!(stones.wins_at((x, y), side), wins, "{position}{x} {y} {side:?}");
                    rows += u32::from(wins);
                }
            }
        }
        assert!(rows > 100, "{rows}");
    }
}

#[test]
fn continuous_fours_are_played_out() {
    let place = |name: &str| {
        let (x, y) = GomokuBoard::USUAL.place(GomokuBoard::USUAL.named(name).unwrap());
        (i32::from(x), i32::from(y))
    };
    let line = |names: &[&str]| names.iter().map(|name| place(name)).collect::<Vec<_>>();
    let position = after(GomokuBoard::USUAL, GomokuRules::default(), "h8a1i8a3j8a5");
    let mut stones = CheckStones::new(&position).unwrap();
    let before = stones.key();
    // A straight four; it has to be made where it is, and its moves have to be fours.
    assert!(stones.wins_by_fours(Side::First, &line(&["k8", "g8", "l8"]), Vec::new()));
    assert!(!stones.wins_by_fours(Side::First, &line(&["m8", "k8"]), Vec::new()), "one answer, and nothing more");
    assert!(!stones.wins_by_fours(Side::First, &line(&["h9"]), Vec::new()), "no four");
    assert!(!stones.wins_by_fours(Side::First, &line(&["h8"]), Vec::new()), "no empty point");
    assert!(!stones.wins_by_fours(Side::First, &[], Vec::new()));
    // The defender is about to make a row, which a four elsewhere does not stop.
    assert!(!stones.wins_by_fours(Side::First, &line(&["k8", "g8", "l8"]), line(&["a4"])));
    assert!(stones.wins_by_fours(Side::First, &line(&["k8", "g8", "l8"]), line(&["k8"])));
    assert_eq!(stones.key(), before);
}

/// The plan that is kept of 15x15 answers every reply to black's first move. All of it is checked by `morpion plan
/// check`; here that, and one move, in whose proofs by threats some moves threaten nothing at once.
#[test]
fn the_plan_of_15x15_can_be_read_and_a_move_of_it_holds() {
    let kept = std::fs::read_to_string("results/proofs/gomoku-15x15.plan").unwrap();
    let plan = text::parse(&kept).unwrap();
    let first = after(GomokuBoard::USUAL, GomokuRules::default(), "h8");
    assert!(plan.start().stones().eq(first.stones()));
    assert!(plan.open_replies().is_empty());
    let tables = ThreatTables::new(plan.start().board(), plan.start().rules()).unwrap();
    let checked = check_plan(&plan, &tables, 5004..5005, 1, &|| false, &|_| ());
    assert_eq!((checked.hole, checked.unanswered, checked.moves, checked.next), (None, None, 1, None));
    // Of these 224 are those to the first move.
    assert!(checked.start && checked.replies.replies > 400, "{:?}", checked.replies);
}

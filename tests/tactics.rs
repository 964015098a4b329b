//! Tactical goals in Go: classical shapes, and random small boards against all positions that can come up.

#[path = "tactics/exhaustive.rs"]
mod exhaustive;

use exhaustive::{Exhaustive, Wanted, point};
use morpion::core::game::Side;
use morpion::core::seed::rng;
use morpion::games::go::large::chains::Chains;
use morpion::games::go::large::points::LargeBoard;
use morpion::games::go::naive::NaiveGo;
use morpion::games::go::rules::Ko;
use morpion::games::rows::parse_rows;
use morpion::tactics::board::{KoThreats, TacticsBoard};
use morpion::tactics::goal::{Question, TacticalGoal, point_of};
use morpion::tactics::proof::{ProofEnd, ProofSearch};
use morpion::tactics::reading::{AttackWidth, GoReading, ReadingLimits};
use morpion::tactics::solve::{TacticsAnswer, solve};
use morpion::tactics::verdict::Verdict;
use rand::RngExt;

const BUDGET: u64 = 100_000;

/// A count from the environment, for the long form of a test.
fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// A board of rows: `X` black, `O` white, `.` empty.
fn board(rows: &str) -> TacticsBoard {
    let ((width, height), stones) = parse_rows(rows).unwrap();
    let size = LargeBoard::new(width, height).unwrap();
    let mut chains = Chains::new(size);
    for ((x, y), colour) in stones {
        chains.set(size.point(x, y).unwrap(), colour);
    }
    TacticsBoard::new(chains, None)
}

/// The answer, and the name of its first move.
fn answer(rows: &str, goal: TacticalGoal, target: &str, with: Option<&str>) -> (TacticsAnswer, String) {
    let board = board(rows);
    let size = board.chains().size();
    let at = |name: &str| point_of(size, name).unwrap();
    let question = Question::new(board.chains(), goal, at(target), with.map(at)).unwrap();
    let answer = solve(&board, &question, BUDGET);
    let first = answer.first.map_or("-".to_owned(), |point| size.name(point));
    (answer, first)
}

/// Holds a capture and the defence against it to what they come to; `moves` are the right first moves of the capture.
fn capture(rows: &str, target: &str, capture: Verdict, moves: &[&str], defence: Verdict) {
    let (found, first) = answer(rows, TacticalGoal::Capture, target, None);
    assert_eq!(found.verdict, capture, "capture of {target}, {first} in {} moves:\n{rows}", found.moves);
    assert!(moves.is_empty() || moves.contains(&&*first), "{first}:\n{rows}");
    let (found, first) = answer(rows, TacticalGoal::Defend, target, None);
    assert_eq!(found.verdict, defence, "defence of {target}, {first} in {} moves:\n{rows}", found.moves);
}

#[test]
fn a_ladder_works_unless_a_stone_breaks_it() {
    let ladder = |breaker| {
        format!(
            "
            . . . . . . . . .
            . . . . . . {breaker} . .
            . . . . . . . . .
            . . . . . . . . .
            . . X X . . . . .
            . . X O O . . . .
            . . . X X . . . .
            . . . . . . . . .
            . . . . . . . . ."
        )
    };
    capture(&ladder('.'), "d4", Verdict::Works, &["f4"], Verdict::Works);
    assert_eq!(answer(&ladder('O'), TacticalGoal::Capture, "d4", None).0.verdict, Verdict::Fails);
}

#[test]
fn a_snapback_takes_back_more() {
    // White can take the stone that is thrown in at c1, and is in atari again with all.
    let rows = "
        . . . . .
        X X X X .
        X O O O X
        X O . . X
        X O O O X";
    let (found, first) = answer(rows, TacticalGoal::Capture, "b3", None);
    assert_eq!(found.verdict, Verdict::Works, "{first} {found:?}");
    assert!(["c2", "d2"].contains(&&*first), "{first}");
}

#[test]
fn a_ko_is_a_result_of_its_own() {
    // Black takes the stone on b2 in a ko; white connects if it comes first.
    let rows = "
        X X O . O
        X O . O O
        X X O O .
        . X X X X";
    let (found, first) = answer(rows, TacticalGoal::Capture, "b3", None);
    assert_eq!((found.verdict, first.as_str()), (Verdict::KoFirst, "c3"));
    assert_eq!(answer(rows, TacticalGoal::Defend, "b3", None).0.verdict, Verdict::Works);
}

/// A random board with few empty points and no chain without liberties.
fn random_board(random: &mut impl rand::Rng, width: u8, height: u8, most_empty: usize) -> Option<TacticsBoard> {
    let size = LargeBoard::new(width, height).unwrap();
    let area = usize::from(size.area());
    let empty = random.random_range(1..=most_empty.min(area - 2));
    let mut chains = Chains::new(size);
    let mut free: Vec<u16> = (0..size.area()).collect();
    while free.len() > empty {
        let point = free.swap_remove(random.random_range(0..free.len()));
        chains.set(point, if random.random_range(0..2) == 0 { Side::First } else { Side::Second });
    }
    let alive = |point| chains.chain(point).is_none_or(|chain| !chain.liberties.is_empty());
    (0..size.area()).all(alive).then(|| TacticsBoard::new(chains, None))
}

fn naive(board: &TacticsBoard, to_move: Side) -> NaiveGo {
    let size = board.chains().size();
    let mut go = NaiveGo::new(size.width().into(), size.height().into(), Ko::Basic, false);
    for at in 0..size.area() {
        if let Some(colour) = board.colour(at) {
            let (x, y) = size.place(at);
            go.rows[usize::from(y)][usize::from(x)] = point(colour);
        }
    }
    go.to_move = point(to_move);
    go
}

/// What is proven is true, with candidates and with all moves; with all moves so is what is lost.
#[test]
fn random_small_boards_are_answered_as_by_all_their_positions() {
    let seed = number("MORPION_TEST_TACTICS_SEED", 77);
    let boards = number("MORPION_TEST_TACTICS", 60);
    let most = number("MORPION_TEST_TACTICS_POSITIONS", 1500) as usize;
    println!("seed {seed}, {boards} questions, at most {most} positions each");
    let mut random = rng(seed, &[]);
    let (mut compared, mut won, mut missed, mut of_ko) = (0, 0, 0, 0);
    let sizes = [(3, 3, 7), (4, 3, 6), (4, 4, 5), (5, 3, 5), (5, 5, 4)];
    while compared < boards {
        let (width, height, empty) = sizes[random.random_range(0..sizes.len())];
        let Some(board) = random_board(&mut random, width, height, empty) else { continue };
        let target = random.random_range(0..board.chains().size().area());
        let Ok(question) = Question::new(board.chains(), TacticalGoal::Capture, target, None) else { continue };
        let attacker = question.attacker();
        let (x, y) = board.chains().size().place(target);
        let mut results = Vec::new();
        for threats in [KoThreats::Neither, KoThreats::Of(attacker), KoThreats::Of(attacker.other())] {
            for attacker_moves in [true, false] {
                let all = Exhaustive::new(attacker, threats, Wanted::Capture((x.into(), y.into())), most);
                let to_move = if attacker_moves { attacker } else { attacker.other() };
                let Some(truth) = all.wins(&naive(&board, to_move), attacker_moves) else { continue };
                let told = format!("{threats:?}, attacker moves: {attacker_moves}, target {target}\n{board:?}");
                for attacks in [AttackWidth::All, AttackWidth::Wide, AttackWidth::Narrow] {
                    let is_all = attacks == AttackWidth::All;
                    let limits = ReadingLimits { liberties: if is_all { 100 } else { 4 }, growth: 100, attacks };
                    let reading = GoReading::new(board.clone(), question, threats, limits);
                    let mut search = ProofSearch::new(reading, attacker_moves, BUDGET);
                    match search.run() {
                        ProofEnd::Won => assert!(truth, "won is wrong: {attacks:?}, {told}"),
                        ProofEnd::Lost if is_all => assert!(!truth, "lost is wrong: {told}"),
                        ProofEnd::Lost => missed += u64::from(truth),
                        ProofEnd::Open => println!("open: {told}"),
                    }
                }
                won += u64::from(truth);
                results.push((attacker_moves, truth));
                compared += 1;
            }
        }
        of_ko += u64::from([true, false].iter().any(|&moves| {
            let mut of = results.iter().filter(|(of, _)| *of == moves).map(|(_, truth)| truth);
            let first = of.next();
            of.any(|truth| Some(truth) != first)
        }));
    }
    println!("{compared} compared, {won} won, {missed} of them missed by the candidates, {of_ko} boards with a ko");
    assert!(won > compared / 10 && won < compared, "{won} of {compared}");
}

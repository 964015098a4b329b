//! Life and death: classical shapes, and random small boards against all positions that can come up.

use super::enclosed::enclosed;
use super::exhaustive::{Exhaustive, Wanted};
use super::{BUDGET, board, naive, number, random_board};
use morpion_engine::core::seed::rng;
use morpion_engine::games::go::large::points::PointSet;
use morpion_engine::tactics::board::KoThreats;
use morpion_engine::tactics::check::check;
use morpion_engine::tactics::goal::{Question, TacticalGoal, point_of};
use morpion_engine::tactics::proof::{ProofEnd, ZoneSearch};
use morpion_engine::tactics::reading::{AttackWidth, GoReading, ReadingLimits};
use morpion_engine::tactics::region::region_of;
use morpion_engine::tactics::solve::{TacticsAnswer, levels_of, solve};
use morpion_engine::tactics::verdict::TacticsVerdict;
use rand::RngExt;
use std::time::Instant;

/// The answer, whose proofs are checked, and the name of its first move.
fn answer(rows: &str, goal: TacticalGoal, target: &str, region: Option<&str>) -> (TacticsAnswer, String) {
    let board = board(rows);
    let size = board.chains().size();
    let mut question = Question::new(board.chains(), goal, point_of(size, target).unwrap(), None).unwrap();
    if let Some(region) = region {
        question = question.within(board.chains(), region_of(size, region).unwrap()).unwrap();
    }
    let answer = solve(&board, &question, BUDGET);
    for proof in &answer.proofs {
        check(&board, &question, proof, 10, 3).unwrap_or_else(|error| panic!("{goal:?}, {error}:\n{rows}"));
    }
    let first = answer.first.map_or("-".to_owned(), |point| size.name(point));
    (answer, first)
}

/// Holds both sides' first moves to what they come to: the verdict and the right moves, `-` for none.
fn life(rows: &str, target: &str, kill: (TacticsVerdict, &[&str]), live: (TacticsVerdict, &[&str])) {
    for (goal, (verdict, moves)) in [(TacticalGoal::Kill, kill), (TacticalGoal::Live, live)] {
        let (found, first) = answer(rows, goal, target, None);
        assert_eq!(found.verdict, verdict, "{goal:?} {target}, {first} in {} nodes:\n{rows}", found.nodes);
        assert!(moves.contains(&&*first), "{goal:?}, {first}:\n{rows}");
        assert_eq!(found.proven, found.attack_works(goal), "{goal:?}:\n{rows}");
    }
}

#[test]
fn eye_spaces_live_or_die() {
    use TacticsVerdict::{Fails, KoFirst, Works};
    let wall = "\n.......\n.......\n.......";
    // Of a row of three points the middle decides; a row of four lives, and so do two eyes.
    let rows = |text: &str| format!("{text}{wall}");
    life(&rows("...OX..\nOOOOX..\nXXXXX..\n......."), "a6", (Works, &["b7"]), (Works, &["b7"]));
    life(&rows("....OX.\nOOOOOX.\nXXXXXX.\n......."), "a6", (Fails, &["-"]), (Works, &["-"]));
    life(&rows(".O.OX..\nO.OOX..\nOOXXX..\nXXX...."), "a5", (Fails, &["-"]), (Works, &["-"]));
    // A square of four is dead. It does not matter who begins.
    let square = rows("..OX...\n..OX...\nOOOX...\nXXXX...");
    life(&square, "c5", (Works, &["a7", "b7", "a6", "b6"]), (Fails, &["-"]));
    life(
        &rows("..OX...\n..OX...\n.OOX...\nOOXX...").replacen("\n.......", "\nXXX....", 1),
        "c7",
        (Works, &["a6"]),
        (Works, &["a6"]),
    );
    // Bent in the corner, four points are a ko.
    life(&rows("...OX..\n.OOOX..\nOOXXX..\nXXX...."), "d7", (KoFirst, &["b7"]), (Works, &["a7", "b7"]));
    // Six points in the corner live with two liberties outside.
    let (found, _) = answer(&rows("...OXX.\n...O.X.\nOOOO.X.\nXXXXXX."), TacticalGoal::Kill, "d5", None);
    assert_eq!(found.verdict, Fails);
}

/// What the attacker must not take makes a chain live.
#[test]
fn the_attacker_plays_in_the_region() {
    let six = "...OXX.\n...OXX.\nOOOOXX.\nXXXXXX.\n.......\n.......\n.......";
    let kill = |region| answer(six, TacticalGoal::Kill, "d5", region).0.verdict;
    for (region, verdict) in [
        (None, TacticsVerdict::Works),
        (Some("a7:c6"), TacticsVerdict::Works),
        (Some("a6:c6,c7"), TacticsVerdict::Fails),
    ] {
        assert_eq!(kill(region), verdict, "{region:?}");
    }
}

/// Made-up questions: what is proven is checked, and what is lost is so in all positions that moves in the region
/// lead to.
#[test]
fn made_up_eye_spaces_live_as_all_their_positions_say() {
    let count = number("MORPION_TEST_EYES", 8);
    let most = number("MORPION_TEST_EYES_POSITIONS", 3000) as usize;
    let (mut killed, mut alive, mut compared) = (0, 0, 0);
    for (number, points) in (0..count).flat_map(|number| [(number, 3), (number, 4), (number, 5)]) {
        let Some((board, target)) = enclosed(2, number, points) else { continue };
        let size = board.chains().size();
        let at = |point: u16| {
            let (x, y) = size.place(point);
            (usize::from(x), usize::from(y))
        };
        for goal in [TacticalGoal::Kill, TacticalGoal::Live] {
            let question = Question::new(board.chains(), goal, target, None).unwrap();
            let answer = solve(&board, &question, BUDGET / 10);
            for proof in &answer.proofs {
                check(&board, &question, proof, 5, number).unwrap_or_else(|error| panic!("{number}: {error}"));
            }
            killed += u64::from(answer.attack_works(goal));
            if !matches!(answer.verdict, TacticsVerdict::Fails | TacticsVerdict::Works) || answer.attack_works(goal) {
                continue;
            }
            alive += 1;
            let region: Vec<_> = question.region().unwrap().iter().map(at).collect();
            let wanted = Wanted::Capture(at(target));
            for threats in [KoThreats::Neither, KoThreats::Of(question.attacker())] {
                let all = Exhaustive::new(question.attacker(), threats, wanted, most).within(region.clone());
                let truth = all.wins(&naive(&board, question.mover()), goal.mover_attacks());
                compared += u64::from(truth.is_some());
                assert_ne!(truth, Some(true), "{number}, {points} points, {goal:?}, {threats:?}");
            }
        }
    }
    println!("{killed} are killed, {alive} live, {compared} of these compared");
    assert!(killed > count && alive > count / 2 && compared > count / 2, "{killed}, {alive}, {compared}");
}

/// With `MORPION_TEST_LIFE_TABLE` a number: what so many made-up questions of each size come to, with their nodes.
#[test]
fn made_up_questions_are_counted() {
    let count = number("MORPION_TEST_LIFE_TABLE", 5);
    let nodes = number("MORPION_TEST_LIFE_NODES", 1_000);
    for (points, goal) in [4, 6, 8, 10]
        .into_iter()
        .flat_map(|points| [TacticalGoal::Kill, TacticalGoal::Live].map(|goal| (points, goal)))
    {
        let (mut questions, mut by_code, mut proven, mut sum) = (0, [0; 5], 0, 0);
        let begun = Instant::now();
        for number in 0..count {
            let Some((board, target)) = enclosed(1, number, points) else { continue };
            let question = Question::new(board.chains(), goal, target, None).unwrap();
            let found = solve(&board, &question, nodes);
            questions += 1;
            by_code[found.verdict.code().map_or(4, usize::from)] += 1;
            (proven, sum) = (proven + u64::from(found.proven), sum + found.nodes);
            assert!(!found.proven || found.attack_works(goal), "{number}");
        }
        let seconds = begun.elapsed().as_secs_f64();
        println!(
            "{points} points, {goal:?}: {questions} questions, by code and unknown {by_code:?}, {proven} proven, {sum} nodes, {seconds:.2} s"
        );
        assert!(questions > 0);
    }
}

/// The region of the whole board makes a question about life one about capture, of which all positions are known.
#[test]
fn random_small_boards_live_as_all_their_positions_say() {
    let seed = number("MORPION_TEST_LIFE_SEED", 78);
    let boards = number("MORPION_TEST_LIFE", 60);
    let most = number("MORPION_TEST_LIFE_POSITIONS", 3000) as usize;
    println!("seed {seed}, {boards} questions, at most {most} positions each");
    let mut random = rng(seed, &[]);
    let (mut compared, mut won, mut checked, mut nodes) = (0, 0, 0, 0);
    let sizes = [(3, 3, 7), (4, 3, 6), (4, 4, 5), (5, 3, 5), (5, 5, 4)];
    while compared < boards {
        let (width, height, empty) = sizes[random.random_range(0..sizes.len())];
        let Some(board) = random_board(&mut random, width, height, empty) else { continue };
        let size = board.chains().size();
        let target = random.random_range(0..size.area());
        let whole: PointSet = (0..size.area()).collect();
        let Ok(question) = Question::new(board.chains(), TacticalGoal::Kill, target, None) else { continue };
        let question = question.within(board.chains(), whole).unwrap();
        let (x, y) = size.place(target);
        let wanted = Wanted::Capture((x.into(), y.into()));
        let attacker = question.attacker();
        for threats in [KoThreats::Neither, KoThreats::Of(attacker), KoThreats::Of(attacker.other())] {
            for attacker_moves in [true, false] {
                let to_move = if attacker_moves { attacker } else { attacker.other() };
                let all = Exhaustive::new(attacker, threats, wanted, most);
                let Some(truth) = all.wins(&naive(&board, to_move), attacker_moves) else { continue };
                let told = format!("{threats:?}, attacker moves: {attacker_moves}, {question:?}");
                for attacks in [AttackWidth::All, AttackWidth::Region] {
                    let limits = ReadingLimits { attacks, ..levels_of(TacticalGoal::Kill)[0] };
                    let reading = GoReading::new(board.clone(), question, threats, limits);
                    let mut search = ZoneSearch::new(reading, attacker_moves, BUDGET);
                    let end = search.run();
                    nodes += search.moves();
                    let expected = if truth { ProofEnd::Won } else { ProofEnd::Lost };
                    assert_eq!(end, expected, "{attacks:?}, {told}");
                }
                won += u64::from(truth);
                compared += 1;
            }
        }
        let answer = solve(&board, &question, BUDGET);
        for proof in &answer.proofs {
            checked += 1;
            check(&board, &question, proof, 20, seed).unwrap_or_else(|error| panic!("{error}: {question:?}"));
        }
    }
    println!("{compared} compared, {won} won, {checked} proofs checked, {nodes} nodes");
    assert!(won > compared / 10 && won < compared, "{won} of {compared}");
}

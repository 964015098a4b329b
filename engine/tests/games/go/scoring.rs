//! Counts of finished games: made positions, a slow second count of random ones, and area against territory.

use morpion_engine::core::game::{Game, Side};
use morpion_engine::core::seed::{Rng, rng};
use morpion_engine::games::go::large::chains::Chains;
use morpion_engine::games::go::large::points::{LargeBoard, PointSet};
use morpion_engine::games::go::large::position::{LargeMove, LargePosition};
use morpion_engine::games::go::notation::{GoReplay, to_sgf};
use morpion_engine::games::go::rules::GoRules;
use morpion_engine::games::go::scoring::{
    GoScore, ScoreTerms, ScoringError, ScoringRules, SgfScoring, StoneMarks, result_text, score,
};
use morpion_engine::games::rows::parse_rows;
use morpion_engine::games::sgf::main_line;
use rand::RngExt;
use std::collections::BTreeSet;

const BOTH: [ScoringRules; 2] = [ScoringRules::Territory, ScoringRules::Area];

fn board(rows: &str) -> Chains {
    let ((width, height), stones) = parse_rows(rows).unwrap();
    let mut chains = Chains::new(LargeBoard::new(width, height).unwrap());
    for ((x, y), colour) in stones {
        chains.set(chains.size().point(x, y).unwrap(), colour);
    }
    chains
}

/// The points of names that blanks part.
fn points(chains: &Chains, names: &str) -> PointSet {
    let size = chains.size();
    let point = |name: &str| (0..size.area()).find(|&point| size.name(point) == name).unwrap();
    names.split_whitespace().map(point).collect()
}

fn count(rows: &str, dead: &str, seki: &str, terms: ScoreTerms) -> Result<GoScore, ScoringError> {
    let chains = board(rows);
    let marks = StoneMarks { dead: points(&chains, dead), seki: points(&chains, seki) };
    score(&chains, &marks, terms)
}

fn terms(rules: ScoringRules, komi: i32) -> ScoreTerms {
    ScoreTerms { rules, komi, ..ScoreTerms::default() }
}

/// Territory and prisoners of black and white, neutral points.
fn figures(score: &GoScore) -> ([u32; 2], [u64; 2], u32) {
    let prisoners = [Side::First, Side::Second].map(|side| score.prisoners(side));
    (score.territory.map(|own| own.len()), prisoners, score.dame.len())
}

const FINISHED: &str = "..XXOO.../..XXOO.../..XXOO.../..XXOO.../..XXOO.../...XXOO../...XXOO../...XXOO../...XXOO..";

#[test]
fn a_finished_game_is_counted_by_both_rules() {
    // Two stones that white captured in the game, or that are dead on the board.
    let captured = ScoreTerms { captured: [0, 2], ..ScoreTerms::default() };
    let with_dead = "..XXOO.../..XXOO..X/..XXOO.../..XXOO.../..XXOO.X./...XXOO../...XXOO../...XXOO../...XXOO..";
    for (rows, dead, terms) in [(FINISHED, "", captured), (with_dead, "j8 h5", ScoreTerms::default())] {
        let found = count(rows, dead, "", terms).unwrap();
        assert_eq!(figures(&found), ([22, 23], [0, 2], 0));
        assert_eq!((found.total(Side::First), found.total(Side::Second)), (220, 250));
        assert_eq!(result_text(found.margin()), "W+3");
        let komi = count(rows, dead, "", ScoreTerms { komi: -35, ..terms }).unwrap();
        assert_eq!(result_text(komi.margin()), "B+0.5");
    }
    // Black has put two stones more than white where white has captured two and both have eighteen.
    let area = count(FINISHED, "", "", terms(ScoringRules::Area, 0)).unwrap();
    assert_eq!((area.total(Side::First), area.total(Side::Second)), (400, 410));
    assert_eq!(result_text(area.margin()), "W+1");
    let even = count(FINISHED, "", "", terms(ScoringRules::Area, -10)).unwrap();
    assert_eq!(result_text(even.margin()), "0");
}

#[test]
fn regions_have_the_owner_that_the_marks_say() {
    // Neutral points, and the empty board.
    let dame = count(".X.O./.X.O./.X.O.", "", "", terms(ScoringRules::Territory, 0)).unwrap();
    assert_eq!(figures(&dame), ([3, 3], [0, 0], 3));
    assert_eq!(figures(&count("...../.....", "", "", ScoreTerms::default()).unwrap()), ([0, 0], [0, 0], 10));
    // A dead stone whose region reaches a living one of its colour over a neutral point.
    let leak = count("..X.O./.OXXO./..X.O./O...O.", "b3 a1", "", ScoreTerms::default()).unwrap();
    assert_eq!(leak.owner(points(&board(FINISHED), "a9").first().unwrap()), Some(Side::First));
    assert_eq!(figures(&leak), ([9, 4], [2, 0], 3));
    // One mark is enough for a chain.
    let chain = count(".XO.O/XXOOO/OO.../OOXXX/.OX.X", "c1", "", terms(ScoringRules::Area, 0)).unwrap();
    assert_eq!((chain.dead[0].len(), chain.prisoners(Side::Second)), (5, 5));
    // Eyes of chains in seki count by area only.
    let seki = "OOX.OX/.OXXO./OOXOOX/OOXO.X/OOOO.X/XXXXXX";
    for (rules, black, in_seki) in [(ScoringRules::Territory, 0, 1), (ScoringRules::Area, 0, 0)] {
        let found = count(seki, "", "a6", terms(rules, 0)).unwrap();
        assert_eq!((found.territory[0].len(), found.seki.len()), (black, in_seki), "{rules:?}");
        assert_eq!(found.territory[1].len(), 1 - in_seki);
    }
}

#[test]
fn marks_that_contradict_each_other_are_told() {
    for (rows, dead, seki, told) in [
        ("X..O", "b1", "", "there is no stone on b1: only stones can be dead or in seki"),
        ("X..O", "", "c1", "there is no stone on c1: only stones can be dead or in seki"),
        ("X..O", "a1", "a1", "the stone on a1 cannot be both dead and in seki"),
        (
            "X..O",
            "a1 d1",
            "",
            "the black stone on a1 and the white stone on d1 cannot both be dead: they are in the same region",
        ),
        (
            "X..O/XOOO",
            "a1 b1",
            "",
            "the black stone on a2 and the white stone on d2 cannot both be dead: they are in the same region",
        ),
        ("X..X.", "a1", "", "the stone on a1 cannot be dead: its region touches no living stone of the other side"),
        ("...O.", "d1", "", "the stone on d1 cannot be dead: its region touches no living stone of the other side"),
    ] {
        assert_eq!(count(rows, dead, seki, ScoreTerms::default()).unwrap_err().to_string(), told);
    }
}

#[test]
fn what_a_file_says_of_its_count() {
    let of = |text: &str| SgfScoring::of_node(&main_line(text).unwrap()[0], false);
    let found = of("(;KM[6.50]RU[Japanese]RE[W+3])").unwrap();
    assert_eq!((found.rules, found.komi), (Some(ScoringRules::Territory), Some(65)));
    assert_eq!([-30, 30, -35].map(|margin| found.agrees(margin)), [Some(true), Some(false), Some(false)]);
    let resigned = of("(;RU[chinese]RE[B+Resign])").unwrap();
    assert_eq!((resigned.rules, resigned.komi, resigned.agrees(10)), (Some(ScoringRules::Area), None, None));
    assert_eq!(of("(;RU[ours]KM[])").unwrap(), SgfScoring::default());
    assert_eq!(
        of("(;KM[3.75])").unwrap_err().to_string(),
        "SGF: KM[3.75] is not a valid number of whole or half points"
    );
    assert_eq!(SgfScoring::of_node(&main_line("(;KM[3.75])").unwrap()[0], true).unwrap().komi, None);
}

/// A point as the slow count has it: column and row.
type At = (usize, usize);

/// The slow count: territory of black and white, stones that live, stones that are dead, neutral points, points in
/// seki. Nothing if the marks contradict each other.
#[derive(Debug, PartialEq, Eq)]
struct SlowCount {
    territory: [usize; 2],
    living: [usize; 2],
    dead: [usize; 2],
    dame: usize,
    seki: usize,
}

fn slow(rows: &[Vec<char>], dead: &BTreeSet<At>, seki: &BTreeSet<At>, rules: ScoringRules) -> Option<SlowCount> {
    let (height, width) = (rows.len(), rows[0].len());
    let around = |(x, y): At| {
        let all = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
        all.into_iter().filter(move |&(x, y)| x < width && y < height)
    };
    let at = |(x, y): At| rows[y][x];
    let all: Vec<At> = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).collect();
    // Whatever of these points can be reached, found by adding neighbours until nothing changes.
    let grown = |from: At, through: &dyn Fn(At) -> bool| {
        let mut found = BTreeSet::from([from]);
        loop {
            let more: Vec<At> = found.iter().flat_map(|&p| around(p)).filter(|&p| through(p)).collect();
            let before = found.len();
            found.extend(more);
            if found.len() == before {
                return found;
            }
        }
    };
    let is_marked = |marks: &BTreeSet<At>, p: At| at(p) != '.' && !grown(p, &|q| at(q) == at(p)).is_disjoint(marks);
    let gone: BTreeSet<At> = all.iter().copied().filter(|&p| is_marked(dead, p)).collect();
    let shared: BTreeSet<At> = all.iter().copied().filter(|&p| is_marked(seki, p)).collect();
    if !gone.is_disjoint(&shared) {
        return None;
    }
    let is_open = |p: At| at(p) == '.' || gone.contains(&p);
    let mut count = SlowCount { territory: [0; 2], living: [0; 2], dead: [0; 2], dame: 0, seki: 0 };
    for &p in &all {
        if !is_open(p) {
            count.living[usize::from(at(p) == 'O')] += 1;
            continue;
        }
        if at(p) != '.' {
            count.dead[usize::from(at(p) == 'O')] += 1;
        }
        let region = grown(p, &is_open);
        let border: BTreeSet<At> = region.iter().flat_map(|&p| around(p)).filter(|&p| !is_open(p)).collect();
        let touches = |colour| border.iter().any(|&p| at(p) == colour);
        let holds = |colour| region.iter().any(|&p| at(p) == colour);
        let owner = match (holds('X'), holds('O')) {
            (true, true) => return None,
            (true, false) if !touches('O') => return None,
            (false, true) if !touches('X') => return None,
            (true, false) => 'O',
            (false, true) => 'X',
            (false, false) if touches('X') == touches('O') => '.',
            (false, false) => {
                if touches('X') {
                    'X'
                } else {
                    'O'
                }
            }
        };
        let other = if owner == 'X' { 'O' } else { 'X' };
        let beside_other = around(p).any(|q| !is_open(q) && at(q) == other);
        if owner != '.' && rules == ScoringRules::Territory && !border.is_disjoint(&shared) {
            count.seki += 1;
        } else if owner == '.' || beside_other {
            count.dame += 1;
        } else {
            count.territory[usize::from(owner == 'O')] += 1;
        }
    }
    Some(count)
}

/// A game of random moves that fill no eye of one point, so that it comes to an end.
fn random_game(random: &mut Rng, size: LargeBoard, most: usize) -> (LargePosition, Vec<LargeMove>) {
    let mut position = LargePosition::new(size, GoRules::default());
    let mut played = Vec::new();
    while played.len() < most {
        let mut list = Vec::new();
        position.moves(&mut list);
        let side = position.side();
        let fills = |m: &LargeMove| {
            position.chains().near(m.0).iter().all(|&near| position.chains().colour(near) == Some(side))
        };
        list.retain(|m| *m != LargeMove::PASS && !fills(m));
        if list.is_empty() {
            break;
        }
        let m = list[random.random_range(0..list.len())];
        position.play(m);
        played.push(m);
    }
    (position, played)
}

#[test]
fn random_positions_are_counted_as_by_a_slow_count() {
    const SEED: u64 = 3;
    println!("seed {SEED}");
    let mut random = rng(SEED, &[]);
    let (mut counted, mut refused, mut with_dead, mut with_seki) = (0, 0, 0, 0);
    for game in 0..400 {
        let (width, height) = [(2, 2), (3, 5), (5, 5), (7, 4), (7, 7)][game % 5];
        let most = random.random_range(0..2 * usize::from(width) * usize::from(height));
        let (position, _) = random_game(&mut random, LargeBoard::new(width, height).unwrap(), most);
        let chains = position.chains();
        let size = chains.size();
        let colour = if random.random_bool(0.5) { Side::First } else { Side::Second };
        let mut marks = StoneMarks::default();
        for point in (0..size.area()).filter(|&point| chains.colour(point).is_some()) {
            if (chains.colour(point) == Some(colour) || random.random_bool(0.05)) && random.random_bool(0.1) {
                marks.dead.insert(point);
            } else if random.random_bool(0.02) {
                marks.seki.insert(point);
            }
        }
        let letter =
            |point: u16| chains.colour(point).map_or('.', |side| if side == Side::First { 'X' } else { 'O' });
        let rows: Vec<Vec<char>> =
            (0..height).map(|y| (0..width).map(|x| letter(size.point(x, y).unwrap())).collect()).collect();
        let places = |set: &PointSet| -> BTreeSet<At> {
            set.iter().map(|point| size.place(point)).map(|(x, y)| (usize::from(x), usize::from(y))).collect()
        };
        for rules in BOTH {
            let found = score(chains, &marks, terms(rules, 65)).ok();
            let lengths = |sets: [PointSet; 2]| sets.map(|set| set.len() as usize);
            let told = found.map(|found| SlowCount {
                territory: lengths(found.territory),
                living: lengths(found.living),
                dead: lengths(found.dead),
                dame: found.dame.len() as usize,
                seki: found.seki.len() as usize,
            });
            let wanted = slow(&rows, &places(&marks.dead), &places(&marks.seki), rules);
            assert_eq!(told, wanted, "game {game}, {rules:?}, {marks:?}:\n{position}");
            let Some(SlowCount { territory, living, dead, seki, .. }) = wanted else {
                refused += 1;
                continue;
            };
            let side = |n: usize| territory[n] + if rules == ScoringRules::Area { living[n] } else { dead[1 - n] };
            assert_eq!(found.unwrap().margin(), 10 * (side(0) as i64 - side(1) as i64) - 65);
            counted += 1;
            with_dead += u32::from(dead != [0, 0]);
            with_seki += u32::from(seki > 0);
        }
    }
    println!("{counted} counted, {with_dead} with dead stones, {with_seki} with points in seki, {refused} refused");
    assert!(counted > 200 && with_dead > 100 && with_seki > 10 && refused > 50);
}

/// By area a side has a point for each of its stones that lives, by territory the other side has one for each that does
/// not: so the two counts differ by the difference of the stones put.
#[test]
fn area_and_territory_differ_by_the_stones_that_were_put() {
    const SEED: u64 = 8;
    println!("seed {SEED}");
    let mut random = rng(SEED, &[]);
    let (mut compared, mut odd, mut captures) = (0, 0, 0);
    for game in 0..60 {
        let side = [5, 9, 9, 13, 19][game % 5];
        let size = LargeBoard::new(side, side).unwrap();
        let most = random.random_range(1..2 * usize::from(size.area()));
        let (position, played) = random_game(&mut random, size, most);
        let text = to_sgf(&LargePosition::new(size, GoRules::default()), &played, "");
        let nodes = main_line(&text).unwrap();
        let mut replay = GoReplay::<LargePosition>::new(&nodes[0], GoRules::default()).unwrap();
        nodes.iter().for_each(|node| replay.follow(node).unwrap());
        let captured = replay.captured();
        let stones = |side| (0..size.area()).filter(|&p| position.chains().colour(p) == Some(side)).count() as u32;
        assert_eq!(replay.move_count(), played.len());
        let put = played.len() as u32;
        assert_eq!(stones(Side::First) + captured[1], put.div_ceil(2), "{text}");
        assert_eq!(stones(Side::Second) + captured[0], put / 2, "{text}");
        let marked = (0..size.area()).filter(|&p| position.chains().colour(p) == Some(Side::First));
        let dead: PointSet = marked.filter(|_| random.random_bool(0.03)).collect();
        let marks = StoneMarks { dead, ..StoneMarks::default() };
        let margin =
            |rules| score(position.chains(), &marks, ScoreTerms { rules, komi: 75, captured }).map(|s| s.margin());
        let (Ok(territory), Ok(area)) = (margin(BOTH[0]), margin(BOTH[1])) else { continue };
        assert_eq!(area - territory, 10 * i64::from(put % 2), "game {game}:\n{position}");
        compared += 1;
        odd += put % 2;
        captures += captured[0] + captured[1];
    }
    println!("{compared} compared, {odd} with a last move of black, {captures} stones captured");
    assert!(compared > 30 && odd > 10 && captures > 200);
}

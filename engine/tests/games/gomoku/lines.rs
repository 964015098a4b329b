//! Line tables of Gomoku against their definition and against a computation anew.

use morpion_engine::core::game::{Game, Side};
use morpion_engine::core::seed::rng;
use morpion_engine::games::gomoku::board::GomokuBoard;
use morpion_engine::games::gomoku::position::{GomokuMove, GomokuPosition};
use morpion_engine::games::gomoku::rules::{GomokuRules, RowRule};
use morpion_engine::solvers::gomoku::lines::board::{FIRST_THREAT, LineBoard, LineTables};
use morpion_engine::solvers::gomoku::lines::codes::{MoveClass, MoveCodes};
use morpion_engine::solvers::gomoku::lines::network::{
    CELL_MOST, CellNetwork, HIDDEN, LANES, NETWORK_SECTIONS, NetworkNumbers,
};
use morpion_engine::solvers::gomoku::lines::weights::{FINE, LineWeights, SEVERAL, ThreatWeights, WeightsForm};
use rand::RngExt;

const SIDES: [Side; 2] = [Side::First, Side::Second];

/// The stones around, by column and row, which may lie outside the board.
struct Slow<'p> {
    position: &'p GomokuPosition,
    colour: Side,
    /// Stones of the colour that are put in addition.
    more: Vec<(i16, i16)>,
}

/// What is on a place.
#[derive(PartialEq, Clone, Copy)]
enum Place {
    Own,
    Enemy,
    Empty,
    Outside,
}

impl Slow<'_> {
    fn at(&self, place: (i16, i16)) -> Place {
        if self.more.contains(&place) {
            return Place::Own;
        }
        let (x, y) = (u8::try_from(place.0), u8::try_from(place.1));
        let point = x.ok().zip(y.ok()).and_then(|(x, y)| self.position.board().point(x, y));
        match point.map(|point| self.position.stone(point)) {
            None => Place::Outside,
            Some(None) => Place::Empty,
            Some(Some(colour)) if colour == self.colour => Place::Own,
            Some(Some(_)) => Place::Enemy,
        }
    }

    /// Whether the own stone there is in a row that wins in this direction.
    fn wins(&self, (x, y): (i16, i16), (dx, dy): (i16, i16)) -> bool {
        let mut ends = [Place::Own; 2];
        let mut length = 1;
        for (n, sign) in [(0, 1), (1, -1)] {
            let mut step = sign;
            while self.at((x + step * dx, y + step * dy)) == Place::Own {
                (length, step) = (length + 1, step + sign);
            }
            ends[n] = self.at((x + step * dx, y + step * dy));
        }
        let win = i16::from(self.position.rules().win());
        match self.position.rules().rule() {
            RowRule::Five => length == win,
            RowRule::Free => length >= win,
            RowRule::Renju => length == win || self.colour == Side::Second && length > win,
            RowRule::Caro => length == win && ends != [Place::Enemy; 2],
        }
    }

    /// Places on the line where one more stone makes a row that wins through the stone at `place`.
    fn completions(&mut self, place: (i16, i16), direction: (i16, i16)) -> usize {
        let near = (-4..=4).map(|step| (place.0 + step * direction.0, place.1 + step * direction.1));
        let mut count = 0;
        for next in near {
            if self.at(next) == Place::Empty {
                self.more.push(next);
                count += usize::from(self.wins(place, direction));
                self.more.pop();
            }
        }
        count
    }

    /// The class of a stone there by the definitions: of fives, fours and threes.
    fn class(&mut self, place: (i16, i16)) -> (bool, usize, usize, usize) {
        self.more.push(place);
        let (mut five, mut straight, mut fours, mut threes) = (false, 0, 0, 0);
        for direction in [(1, 0), (0, 1), (1, 1), (1, -1)] {
            if self.wins(place, direction) {
                five = true;
                continue;
            }
            match self.completions(place, direction) {
                0 => {}
                1 => fours += 1,
                _ => straight += 1,
            }
            if self.completions(place, direction) > 0 {
                continue;
            }
            let near = (-4..=4).map(|step| (place.0 + step * direction.0, place.1 + step * direction.1));
            let mut is_three = false;
            for next in near {
                if self.at(next) == Place::Empty {
                    self.more.push(next);
                    is_three |= !self.wins(place, direction) && self.completions(place, direction) >= 2;
                    self.more.pop();
                }
            }
            threes += usize::from(is_three);
        }
        self.more.pop();
        (five, straight, fours, threes)
    }
}

/// Compares the classes of all empty points of a position with the definitions.
fn compare(position: &GomokuPosition, lines: &LineBoard<'_>) {
    for point in position.board().points().filter(|&point| position.stone(point).is_none()) {
        for colour in SIDES {
            let (x, y) = position.board().place(point);
            let found = lines.class(point, colour);
            let mut slow = Slow { position, colour, more: Vec::new() };
            let (five, straight, fours, threes) = slow.class((x.into(), y.into()));
            let expected: &[MoveClass] = match (five, straight, fours, threes) {
                (true, ..) => &[MoveClass::Five],
                (_, 1.., ..) | (_, _, 2.., _) => &[MoveClass::StraightFour],
                (_, _, 1, 1..) => &[MoveClass::FourThree],
                (_, _, 1, _) => &[MoveClass::Four, MoveClass::FourAndMore],
                (_, _, _, 2..) => &[MoveClass::Threes],
                (_, _, _, 1) => &[MoveClass::Three, MoveClass::ThreeAndMore],
                _ => &MoveClass::ALL[..MoveClass::Three as usize],
            };
            let name = position.board().name(point);
            assert!(expected.contains(&found), "{found:?} of {colour:?} at {name}, not {expected:?}\n{position}");
            assert_eq!(found == MoveClass::Five, position.wins_at(point, colour), "{name} of {colour:?}\n{position}");
        }
    }
}

/// Random games of all rules, forwards and back again.
#[test]
fn line_tables_are_what_they_are_anew() {
    let games = if std::env::var_os("MORPION_LONG_GOMOKU").is_some() { 200 } else { 3 };
    for rule in RowRule::ALL {
        for win in [5, 4, 3] {
            let Ok(rules) = GomokuRules::new(rule, win) else { continue };
            let tables = LineTables::new(rules).unwrap();
            for game in 0..games {
                let seed = 100 * u64::from(win) + rule as u64;
                let mut random = rng(seed, &[game]);
                println!("{rules}: seed {seed}, game {game}");
                let side = random.random_range(5..=20);
                let board = GomokuBoard::new(side, random.random_range(5..=20)).unwrap();
                let mut position = GomokuPosition::new(board, rules);
                let mut lines = LineBoard::new(&tables, &position);
                let mut played = Vec::new();
                let all: Vec<u16> = board.points().collect();
                for ply in 0..u64::from(board.area()) {
                    // Mostly points near stones: far ones make no rows. Games go on behind rows that win.
                    let mut near = Vec::new();
                    lines.candidates(Side::First, |point, _| near.push(point));
                    let list = if near.is_empty() || random.random_range(0..8) == 0 { &all } else { &near };
                    let point = list[random.random_range(0..list.len())];
                    if position.stone(point).is_some() {
                        continue;
                    }
                    let side = position.side();
                    played.push((point, position.play(GomokuMove(point))));
                    lines.put(point, side);
                    // What is only computed when it is asked for.
                    if random.random_range(0..3) == 0 {
                        lines.estimate(side);
                    }
                    if ply % 11 == 3 {
                        lines.check(&position);
                        compare(&position, &lines);
                    }
                }
                lines.check(&position);
                assert_eq!(lines.empty(), position.empty());
                while let Some((point, undo)) = played.pop() {
                    position.undo(GomokuMove(point), undo);
                    lines.take(point);
                    if played.len() % 13 == 5 {
                        lines.check(&position);
                    }
                }
                lines.check(&position);
                assert_eq!(
                    lines.estimate(Side::First),
                    lines.estimate(Side::Second),
                    "an empty board is the same for both"
                );
            }
        }
    }
}

/// What a stone leaves of a straight four is told without the stone, and what a candidate comes with is what it makes.
#[test]
fn straight_fours_after_a_stone_are_told_before_it() {
    let (mut kept, mut lost) = (0, 0);
    for (rule, seed) in [(RowRule::Five, 1), (RowRule::Free, 2), (RowRule::Caro, 3)] {
        let rules = GomokuRules::new(rule, 5).unwrap();
        let tables = LineTables::new(rules).unwrap();
        for game in 0..6 {
            let mut random = rng(seed, &[game]);
            let mut lines = LineBoard::new(&tables, &GomokuPosition::new(GomokuBoard::USUAL, rules));
            let mut colour = Side::First;
            for _ in 0..60 {
                let mut near = Vec::new();
                lines.candidates(colour, |point, makes| {
                    let of = |side: Side| (lines.code(point, side), lines.class(point, side));
                    assert_eq!(makes.map(|makes| (makes.code, makes.class)), [of(colour), of(colour.other())]);
                    near.push(point);
                });
                let point = if near.is_empty() { 7 * 20 + 7 } else { near[random.random_range(0..near.len())] };
                lines.put(point, colour);
                colour = colour.other();
                let straight = |side: Side| {
                    lines.fours(side).filter(|&(_, class)| class == MoveClass::StraightFour).map(|(point, _)| point)
                };
                let straight: Vec<u16> = straight(colour).collect();
                let empty: Vec<u16> = GomokuBoard::USUAL.points().filter(|&point| lines.is_empty(point)).collect();
                for (&at, &stone) in straight.iter().flat_map(|at| empty.iter().map(move |stone| (at, stone))) {
                    if at != stone {
                        let told = lines.keeps_straight_four(at, colour, stone);
                        lines.put(stone, colour.other());
                        assert_eq!(lines.class(at, colour) == MoveClass::StraightFour, told, "{rule:?} {at} {stone}");
                        lines.take(stone);
                        *(if told { &mut kept } else { &mut lost }) += 1;
                    }
                }
            }
        }
    }
    assert!(kept > 1_000 && lost > 50, "{kept} {lost}");
}

#[test]
fn rows_of_other_lengths_have_no_tables() {
    for win in [1, 2, 6, 20] {
        let rules = GomokuRules::new(RowRule::Five, win).unwrap();
        let error = LineTables::new(rules).unwrap_err().to_string();
        assert_eq!(error, format!("the line tables are for rows of 3 to 5 stones, not for {win}"));
    }
}

/// Threats count by whose turn it is: the side to move has its own weights, and the other side those of the other.
#[test]
fn threats_have_the_weights_of_their_side() {
    let rules = GomokuRules::new(RowRule::Five, 5).unwrap();
    let mut weights = LineWeights::by_hand(&MoveCodes::new());
    weights.codes.iter_mut().for_each(|codes| codes.fill(0));
    weights.tempo = 0;
    let mut random = rng(8, &[]);
    for of_class in weights.threats.iter_mut().flatten() {
        of_class.fill_with(|| FINE as i16 * random.random_range(-500..=500));
    }
    let tables = LineTables::with_weights(rules, weights.clone()).unwrap();
    let mut position = GomokuPosition::new(GomokuBoard::USUAL, rules);
    let mut lines = LineBoard::new(&tables, &position);
    let mut differ = 0;
    for ply in 0..40 {
        let mut near = Vec::new();
        lines.candidates(Side::First, |point, _| near.push(point));
        let point = if near.is_empty() { 7 * 20 + 7 } else { near[random.random_range(0..near.len())] };
        let side = position.side();
        position.play(GomokuMove(point));
        lines.put(point, side);
        let slow = |to_move: Side| -> i32 {
            let of = |colour: Side, threats: &ThreatWeights| -> i32 {
                let points = |class: MoveClass| {
                    let empty = position.board().points().filter(|&point| position.stone(point).is_none());
                    empty.filter(|&point| lines.class(point, colour) == class).count()
                };
                let classes = MoveClass::ALL.into_iter().skip(FIRST_THREAT);
                classes.map(|class| i32::from(threats[class as usize][points(class).min(SEVERAL - 1)])).sum()
            };
            (of(to_move, &weights.threats[0]) + of(to_move.other(), &weights.threats[1])) / FINE
        };
        for side in SIDES {
            assert_eq!(lines.plain_estimate(side), slow(side), "ply {ply}, {side:?} to move\n{position}");
        }
        differ += u32::from(slow(Side::First) != slow(Side::Second));
    }
    assert!(differ > 20, "{differ}: whose turn it is hardly matters, so nothing was tried");
}

/// The sums over all points, hidden units and correction of a network, number by number.
fn slow_network(numbers: &NetworkNumbers, lines: &LineBoard<'_>, side: Side, set: usize, plain: i32) -> i32 {
    let lane = |role: usize, code: u16, lane: usize| i64::from(numbers.codes[role][usize::from(code) * LANES + lane]);
    let mut inputs = Vec::new();
    for to_move in [side, side.other()] {
        for at in 0..LANES {
            let empty = GomokuBoard::USUAL.points().filter(|&point| lines.is_empty(point));
            let cells = empty.map(|point| {
                let cell = lane(0, lines.code(point, to_move), at) + lane(1, lines.code(point, to_move.other()), at);
                cell.clamp(0, i64::from(CELL_MOST))
            });
            inputs.push(cells.sum::<i64>());
        }
    }
    let mut sum = 0;
    for unit in 0..HIDDEN {
        let weights = &numbers.hidden[unit * inputs.len()..];
        let of_inputs: i64 = weights.iter().zip(&inputs).map(|(&weight, input)| i64::from(weight) * input).sum();
        let value = (of_inputs >> 8) + i64::from(numbers.sets[set * HIDDEN + unit]);
        sum += value.clamp(0, 4096) * i64::from(numbers.out[unit]);
    }
    let [.., factor, always] = numbers.out[..] else { panic!("too few numbers") };
    ((sum >> 14) + i64::from(plain.clamp(-10_000, 10_000)) * i64::from(factor) / 256 + i64::from(always)) as i32
}

/// A network corrects the estimate by what it is defined to, also with the greatest numbers that files can have.
#[test]
fn a_network_corrects_the_estimate() {
    let rules = GomokuRules::new(RowRule::Five, 5).unwrap();
    for (seed, most, most_hidden) in [(1, 40, 300), (2, 400, 1800), (3, 16_000, 1800)] {
        let mut random = rng(10, &[seed]);
        let mut draw = |count: usize, most: i16| -> Vec<i16> {
            (0..count).map(|_| if seed == 3 { most } else { random.random_range(-most..=most) }).collect()
        };
        let [own, other, hidden, sets, out] = NETWORK_SECTIONS.map(|section| section.1);
        let numbers = NetworkNumbers {
            codes: [draw(own, most), draw(other, most)],
            hidden: draw(hidden, most_hidden),
            sets: draw(sets, 3000),
            out: draw(out, 16_000),
        };
        let network = CellNetwork::new(&numbers);
        assert_eq!(network.numbers(), numbers);
        let without = LineWeights { network: None, ..LineWeights::usual() };
        let with = LineWeights { network: Some(Box::new(network)), ..without.clone() };
        let tables = [without, with].map(|weights| LineTables::with_weights(rules, weights).unwrap());
        let mut position = GomokuPosition::new(GomokuBoard::USUAL, rules);
        let [mut plain, mut lines] = tables.each_ref().map(|tables| LineBoard::new(tables, &position));
        let (mut random, mut differ) = (rng(11, &[seed]), 0);
        for _ in 0..60 {
            let mut near = Vec::new();
            lines.candidates(Side::First, |point, _| near.push(point));
            let point = if near.is_empty() { 7 * 20 + 7 } else { near[random.random_range(0..near.len())] };
            let side = position.side();
            position.play(GomokuMove(point));
            plain.put(point, side);
            lines.put(point, side);
            for side in SIDES {
                let without = plain.estimate(side);
                let slow = slow_network(&numbers, &lines, side, lines.set_of_threats(side), without);
                assert_eq!(lines.estimate(side), slow, "seed {seed}\n{position}");
                differ += u32::from(slow != without);
            }
        }
        assert!(differ > 100, "{differ}");
    }
}

/// In the form with the last move the position before it counts with the other side to move, and each set of threats has
/// a weight of its own.
#[test]
fn the_position_before_the_last_move_counts() {
    let rules = GomokuRules::new(RowRule::Five, 5).unwrap();
    let mut random = rng(9, &[]);
    let mut weights = LineWeights::by_hand(&MoveCodes::new());
    weights.codes.iter_mut().flatten().for_each(|weight| *weight = random.random_range(-200..200));
    weights.threats = Default::default();
    weights.tempo = 0;
    let alone = LineTables::with_weights(rules, weights.clone()).unwrap();
    weights.form = WeightsForm::WithLast;
    let mut with_sets = weights.clone();
    with_sets.sets.fill_with(|| FINE as i16 * random.random_range(-500..=500));
    let (with_last, with_sets) = (
        LineTables::with_weights(rules, weights).unwrap(),
        (with_sets.sets.clone(), LineTables::with_weights(rules, with_sets).unwrap()),
    );
    let mut position = GomokuPosition::new(GomokuBoard::USUAL, rules);
    let mut boards = [&alone, &with_last, &with_sets.1].map(|tables| LineBoard::new(tables, &position));
    let mut sets = Vec::new();
    let mut before = None;
    for ply in 0..60 {
        let side = position.side();
        let now = boards[0].estimate(side);
        // What the other side had before its move, in whole units: so the sum may be off by one.
        let sum = now - before.unwrap_or(-now);
        let [_, of_both, of_sets] = [0, 1, 2].map(|at: usize| boards[at].estimate(side));
        assert!((of_both - sum).abs() <= 2, "ply {ply}: {of_both}, {sum}\n{position}");
        let set = boards[2].set_of_threats(side);
        let by_set = i32::from(with_sets.0[set]) / FINE;
        assert!((of_sets - of_both - by_set).abs() <= 1, "ply {ply}: {of_sets}, {of_both}, {by_set}\n{position}");
        assert_eq!(set, slow_set(&boards[2], &position, side), "ply {ply}\n{position}");
        sets.push(set);
        let mut near = Vec::new();
        boards[0].candidates(Side::First, |point, _| near.push(point));
        let point = if near.is_empty() { 7 * 20 + 7 } else { near[random.random_range(0..near.len())] };
        position.play(GomokuMove(point));
        before = Some(now);
        boards.iter_mut().for_each(|lines| lines.put(point, side));
        if position.winner().is_some() {
            break;
        }
    }
    sets.sort_unstable();
    sets.dedup();
    assert!(sets.len() > 8, "{sets:?}");
}

/// The set of threats from the class of each empty point.
fn slow_set(lines: &LineBoard<'_>, position: &GomokuPosition, side: Side) -> usize {
    use MoveClass::{Four, FourAndMore, FourThree, StraightFour, Three, ThreeAndMore, Threes};
    let makes = |colour: Side, classes: &[MoveClass]| {
        let empty = position.board().points().filter(|&point| position.stone(point).is_none());
        usize::from(empty.map(|point| lines.class(point, colour)).any(|class| classes.contains(&class)))
    };
    let rest: [&[MoveClass]; 4] = [&[FourThree], &[Four, FourAndMore], &[Threes], &[Three, ThreeAndMore]];
    let mut set = makes(side.other(), &[StraightFour]);
    for (at, colour) in [side, side.other()].into_iter().enumerate() {
        for (bit, classes) in rest.iter().enumerate() {
            set |= makes(colour, classes) << (1 + 4 * at + bit);
        }
    }
    set
}

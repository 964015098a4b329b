//! Properties of the engine, against the referee and against definitions. Every random choice comes from a seed that
//! the failure message names.

use morpion_engine::core::seed::{self, Rng};
use morpion_engine::morpion::board::Board;
use morpion_engine::morpion::canonical::{canonical_key, canonical_lines};
use morpion_engine::morpion::dominance::retain_undominated;
use morpion_engine::morpion::geometry::{Direction, Line, Move, Point, SIDE, cross, cross_corner};
use morpion_engine::morpion::position::Position;
use morpion_engine::morpion::referee::{self, FreeLine, FreeMove, Referee};
use morpion_engine::morpion::symmetry::Symmetry;
use morpion_engine::morpion::variant::{Rules, Variant};
use morpion_engine::with_rules;
use rand::RngExt;
use std::collections::{BTreeSet, HashMap};

const SEED: u64 = 20_110_819;

fn pick(rng: &mut Rng, moves: &[Move]) -> Move {
    moves[rng.random_range(0..moves.len())]
}

fn random_game<R: Rules>(rng: &mut Rng) -> Position<R> {
    let mut position = Position::new();
    while !position.moves().is_empty() {
        position.play(pick(rng, position.moves()));
    }
    position
}

/// The engine's list and the referee's, both sorted, those of the referee only inside the area.
fn lists(engine: &[Move], referee: &Referee) -> (Vec<FreeMove>, Vec<FreeMove>) {
    let mut ours: Vec<FreeMove> = engine.iter().map(|&mv| FreeMove::from_move(mv)).collect();
    ours.sort_unstable();
    let theirs = referee.legal_moves().into_iter().filter(|mv| mv.in_area(referee.variant()).is_some()).collect();
    (ours, theirs)
}

/// Plays with bursts of undo, comparing the lists after each step; `choose` picks the moves.
fn compare_along<R: Rules>(path: &[u64], choose: impl Fn(&mut Rng, &[Move]) -> Move) -> Position<R> {
    let mut rng = seed::rng(SEED, path);
    let mut position = Position::<R>::new();
    let mut referee = Referee::new(R::VARIANT);
    let mut undone = 0;
    loop {
        let (ours, theirs) = lists(position.moves(), &referee);
        assert_eq!(ours, theirs, "{}, seed {SEED}, path {path:?}, after {:?}", R::VARIANT, position.played());
        if undone < 30 && rng.random_range(0..12) == 0 {
            for _ in 0..rng.random_range(1..8) {
                assert_eq!(position.undo().map(FreeMove::from_move), referee.undo(), "seed {SEED}, path {path:?}");
                undone += 1;
            }
        } else if position.moves().is_empty() {
            position.check();
            assert_eq!(position.score(), referee.score());
            return position;
        } else {
            let mv = choose(&mut rng, position.moves());
            position.play(mv);
            referee.play(FreeMove::from_move(mv)).unwrap_or_else(|e| panic!("{e}; seed {SEED}, path {path:?}"));
        }
    }
}

#[test]
fn legal_moves_equal_the_referee_s_along_random_games() {
    for variant in Variant::ALL {
        for game in 0..10 {
            with_rules!(variant, R => { compare_along::<R>(&[1, variant as u64, game], pick); });
        }
    }
}

/// Games that run towards a side or a corner of the area.
#[test]
fn legal_moves_equal_the_referee_s_along_one_sided_games() {
    for variant in Variant::ALL {
        for (i, (dx, dy)) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1)].into_iter().enumerate() {
            let choose = |rng: &mut Rng, moves: &[Move]| {
                if rng.random_range(0..4) == 0 {
                    return pick(rng, moves);
                }
                *moves.iter().max_by_key(|mv| dx * mv.point().x() + dy * mv.point().y()).unwrap()
            };
            with_rules!(variant, R => { compare_along::<R>(&[2, variant as u64, i as u64], choose); });
        }
    }
}

/// The published records: the longest games there are, and the ones that come nearest to the edge. Each is played
/// in one of the 8 orientations.
#[test]
fn legal_moves_equal_the_referee_s_along_the_records() {
    for (i, (name, _, text)) in morpion_solitaire_records::RECORDS.iter().enumerate() {
        let record = msr::decode(text).unwrap();
        let variant = Variant::from(record.variant);
        let symmetry = Symmetry::ALL[i % 8];
        with_rules!(variant, R => {
            let mut position = Position::<R>::new();
            let mut referee = Referee::new(variant);
            for (n, mv) in record.moves.iter().enumerate() {
                let corner = cross_corner(variant);
                let point = Point::new(i32::from(mv.x) + corner, i32::from(mv.y) + corner).unwrap();
                let direction = match mv.dir {
                    msr::Direction::H => Direction::Horizontal,
                    msr::Direction::V => Direction::Vertical,
                    msr::Direction::DN => Direction::Falling,
                    msr::Direction::DP => Direction::Rising,
                };
                let mv = Move::new(variant, point, direction, usize::from(mv.pos)).unwrap();
                let mv = symmetry.image(variant, mv).unwrap();
                position.try_play(mv).unwrap_or_else(|e| panic!("{name}, move {}: {e}", n + 1));
                referee.play(FreeMove::from_move(mv)).unwrap_or_else(|e| panic!("{name}, move {}: {e}", n + 1));
                if n % 4 == i % 4 || n + 1 == record.moves.len() {
                    let (ours, theirs) = lists(position.moves(), &referee);
                    assert_eq!(ours, theirs, "{name} after move {}", n + 1);
                }
            }
            assert_eq!(position.score() as usize, record.score, "{name}");
            position.check();
            while position.undo().is_some() {}
            assert_eq!(position.moves(), Position::<R>::new().moves(), "{name} taken back");
        });
    }
}

/// Boards that no short game reaches: random points and lines about a side or a corner of the area. The engine must
/// find exactly the referee's moves that lie inside, and must not see across the edge.
#[test]
fn moves_that_leave_the_area_are_refused() {
    for variant in Variant::ALL {
        with_rules!(variant, R => {
            let mut left_out = 0;
            let far = SIDE - 7;
            for (i, (x, y)) in
                [(0, 0), (far, 0), (0, far), (far, far), (26, 0), (26, far), (0, 26), (far, 26)].into_iter().enumerate()
            {
                for round in 0..8 {
                    left_out += edge_board::<R>(&[3, variant as u64, i as u64, round], x, y);
                }
            }
            assert!(left_out > 50, "{variant}: only {left_out} moves left the area in all");
        });
    }
}

/// One board with a 7x7 patch of random points at (left, top); the number of legal moves that leave the area.
fn edge_board<R: Rules>(path: &[u64], left: i32, top: i32) -> usize {
    let mut rng = seed::rng(SEED, path);
    let mut board = Board::<R>::new();
    let mut points: BTreeSet<Point> = cross(R::VARIANT).into_iter().collect();
    let new = |x, y, direction, index| Move::new(R::VARIANT, Point::new(x, y)?, direction, index);
    let density = rng.random_range(55..90);
    for y in top..top + 7 {
        for x in left..left + 7 {
            if rng.random_range(0..100) < density {
                let point = Point::new(x, y).unwrap();
                if set_point(&mut board, &points, point) {
                    points.insert(point);
                }
            }
        }
    }
    let mut lines = Vec::new();
    for _ in 0..rng.random_range(0..8) {
        let (x, y) = (left + rng.random_range(0..7), top + rng.random_range(0..7));
        let direction = Direction::ALL[rng.random_range(0..4)];
        if let Some(mv) = new(x, y, direction, rng.random_range(0..R::LEN)) {
            board.place(mv);
            points.insert(mv.point());
            let first = mv.line().first();
            lines.push(FreeLine { first: (first.x(), first.y()), direction });
        }
    }
    let referee = Referee::with(R::VARIANT, points.iter().map(|p| (p.x(), p.y())), lines);
    let (ours, theirs) = lists(&board.scan(), &referee);
    assert_eq!(ours, theirs, "scan: {}, seed {SEED}, path {path:?}, {board:?}", R::VARIANT);

    // Each point in turn as the one that was set last: the lines through it, by the window and by the referee.
    for &point in &points {
        let mut ours = Vec::new();
        board.moves_through(point, |mv| ours.push(FreeMove::from_move(mv)));
        ours.sort_unstable();
        let through: Vec<FreeMove> = theirs
            .iter()
            .copied()
            .filter(|mv| mv.in_area(R::VARIANT).unwrap().line().points::<R>().any(|p| p == point))
            .collect();
        assert_eq!(ours, through, "through {point:?}: {}, seed {SEED}, path {path:?}, {board:?}", R::VARIANT);
    }

    let outside = referee.legal_moves().len() - theirs.len();
    assert!(outside == 0 || board.touches_border(), "seed {SEED}, path {path:?}");
    outside
}

/// Sets a point without blocking anything: placing a move and lifting the move of the same line with another new
/// point, which is not set, leaves just the first point. False if no such point is free.
fn set_point<R: Rules>(board: &mut Board<R>, set: &BTreeSet<Point>, point: Point) -> bool {
    for direction in Direction::ALL {
        for index in 0..R::LEN {
            let Some(mv) = Move::new(R::VARIANT, point, direction, index) else { continue };
            for other in 0..R::LEN {
                let Some(free) = point.step(direction, other as i32 - index as i32) else { continue };
                if other != index && !set.contains(&free) {
                    board.place(mv);
                    board.lift(Move::new(R::VARIANT, free, direction, other).unwrap());
                    return true;
                }
            }
        }
    }
    false
}

/// A move offered at the edge that would leave the area cannot even be expressed.
#[test]
fn moves_are_made_only_inside_the_area() {
    for variant in Variant::ALL {
        let len = variant.line_len() as i32;
        for direction in Direction::ALL {
            for y in 0..SIDE {
                for x in 0..SIDE {
                    for index in 0..len + 1 {
                        let (dx, dy) = direction.delta();
                        let inside = index < len
                            && (0..len).all(|i| Point::new(x + (i - index) * dx, y + (i - index) * dy).is_some());
                        let made = Move::new(variant, Point::new(x, y).unwrap(), direction, index as usize);
                        assert_eq!(made.is_some(), inside, "{variant} ({x},{y}) {direction:?} {index}");
                        let free = FreeMove { point: (x, y), direction, index };
                        assert_eq!(free.in_area(variant), made);
                        if let Some(mv) = made {
                            assert_eq!(Move::from_bits(variant, mv.bits()), Some(mv));
                            assert_eq!(FreeMove::from_move(mv), free);
                        }
                    }
                }
            }
        }
    }
}

/// Two legal moves collide exactly if the second is illegal after the first.
#[test]
fn collisions_agree_with_the_definition() {
    for variant in Variant::ALL {
        for game in 0..4 {
            let path = [4, variant as u64, game];
            with_rules!(variant, R => {
                let mut rng = seed::rng(SEED, &path);
                let mut position = Position::<R>::new();
                let mut referee = Referee::new(variant);
                while !position.moves().is_empty() {
                    for &a in position.moves() {
                        referee.play(FreeMove::from_move(a)).unwrap();
                        for &b in position.moves() {
                            let ruled_out = referee.judge(FreeMove::from_move(b)).is_err();
                            assert_eq!(a.collides::<R>(b), ruled_out, "{a:?} {b:?}, seed {SEED}, path {path:?}");
                        }
                        referee.undo();
                    }
                    let mv = pick(&mut rng, position.moves());
                    position.play(mv);
                    referee.play(FreeMove::from_move(mv)).unwrap();
                }
            });
        }
    }
}

/// Exhaustive searches from the same position in three ways; `None` if it has more than `LIMIT` grids.
struct Exhaustive<R> {
    position: Position<R>,
    /// Most moves that can follow, by grid.
    known: HashMap<Vec<Line>, u32>,
    eliminate: bool,
    dropped: u64,
}

const LIMIT: usize = 4_000;

impl<R: Rules> Exhaustive<R> {
    /// The most moves that can follow, by the definition of it; each grid once.
    fn most(&mut self) -> Option<u32> {
        let mut grid: Vec<Line> = self.position.played().iter().map(|mv| mv.line()).collect();
        grid.sort_unstable();
        if let Some(&most) = self.known.get(&grid) {
            return Some(most);
        }
        if self.known.len() >= LIMIT {
            return None;
        }
        let mut moves = self.position.moves().to_vec();
        if self.eliminate {
            retain_undominated(self.position.board(), &mut moves);
            self.dropped += (self.position.moves().len() - moves.len()) as u64;
        }
        let mut most = 0;
        for mv in moves {
            self.position.play(mv);
            let below = self.most();
            self.position.undo();
            most = most.max(1 + below?);
        }
        self.known.insert(grid, most);
        Some(most)
    }

    /// Order-free search with elimination: `entered` are the moves that were entered before at this level or above.
    fn order_free(&mut self, entered: &[Move], best: &mut u32) {
        *best = (*best).max(self.position.score());
        let mut moves = self.position.moves().to_vec();
        retain_undominated(self.position.board(), &mut moves);
        moves.retain(|mv| !entered.contains(mv));
        let mut entered = entered.to_vec();
        for mv in moves {
            self.position.play(mv);
            self.order_free(&entered, best);
            self.position.undo();
            entered.push(mv);
        }
    }
}

#[test]
fn elimination_keeps_the_optimum() {
    for variant in Variant::ALL {
        with_rules!(variant, R => {
            let (mut compared, mut dropped) = (0, 0);
            let mut game = 0;
            while compared < 12 {
                let path = [5, variant as u64, game];
                game += 1;
                assert!(game < 400, "{variant}: too few small starts, seed {SEED}");
                let mut rng = seed::rng(SEED, &path);
                let mut position = random_game::<R>(&mut rng);
                let length = position.score();
                for _ in 0..rng.random_range(9..13).min(length) {
                    position.undo();
                }
                let new = |eliminate| {
                    Exhaustive { position: position.clone(), known: HashMap::new(), eliminate, dropped: 0 }
                };
                let Some(full) = new(false).most() else { continue };
                let mut eliminating = new(true);
                assert_eq!(eliminating.most(), Some(full), "{variant}, seed {SEED}, path {path:?}");
                let mut best = 0;
                eliminating.order_free(&[], &mut best);
                assert_eq!(best, position.score() + full, "order-free: {variant}, seed {SEED}, path {path:?}");
                compared += 1;
                dropped += eliminating.dropped;
            }
            assert!(dropped > 0, "{variant}: no move was dominated, so nothing is shown");
        });
    }
}

/// What makes elimination exact, looked at directly: among the moves that are kept, with the same new point and
/// direction as a dropped one, there is one that every continuation of the dropped one can follow.
#[test]
fn continuations_of_a_dominated_move_follow_its_dominator() {
    for variant in Variant::ALL {
        for game in 0..10 {
            let path = [9, variant as u64, game];
            with_rules!(variant, R => {
                let mut rng = seed::rng(SEED, &path);
                let mut position = Position::<R>::new();
                while !position.moves().is_empty() {
                    let mut kept = position.moves().to_vec();
                    retain_undominated(position.board(), &mut kept);
                    for dropped in position.moves().to_vec() {
                        if kept.contains(&dropped) {
                            continue;
                        }
                        let mut dominators: Vec<Move> = kept
                            .iter()
                            .copied()
                            .filter(|m| m.point() == dropped.point() && m.direction() == dropped.direction())
                            .collect();
                        for _ in 0..4 {
                            let mut after = position.clone();
                            after.play(dropped);
                            while !after.moves().is_empty() {
                                after.play(pick(&mut rng, after.moves()));
                            }
                            let continuation = &after.played()[position.played().len() + 1..];
                            dominators.retain(|&dominator| {
                                let mut board = position.board().clone();
                                board.place(dominator);
                                continuation.iter().all(|&mv| {
                                    let legal = board.is_legal(mv);
                                    board.place(mv);
                                    legal
                                })
                            });
                        }
                        assert!(!dominators.is_empty(), "{dropped:?}: {variant}, seed {SEED}, path {path:?}");
                    }
                    position.play(pick(&mut rng, position.moves()));
                }
            });
        }
    }
}

/// A random order in which the same moves can be played.
fn reordered<R: Rules>(rng: &mut Rng, moves: &[Move]) -> Vec<Move> {
    let mut left = moves.to_vec();
    let mut position = Position::<R>::new();
    while !left.is_empty() {
        let legal: Vec<Move> = left.iter().copied().filter(|&mv| position.board().is_legal(mv)).collect();
        let mv = pick(rng, &legal);
        position.play(mv);
        left.retain(|&other| other != mv);
    }
    position.played().to_vec()
}

#[test]
fn canonical_form_ignores_symmetry_and_order() {
    for variant in Variant::ALL {
        for game in 0..6 {
            let path = [6, variant as u64, game];
            with_rules!(variant, R => {
                let mut rng = seed::rng(SEED, &path);
                let moves = random_game::<R>(&mut rng).played().to_vec();
                let (lines, key) = (canonical_lines(variant, &moves), canonical_key(variant, &moves));
                assert_eq!(lines.len(), moves.len());
                for symmetry in Symmetry::ALL {
                    let image: Vec<Move> =
                        moves.iter().map(|&mv| symmetry.image(variant, mv).unwrap()).collect();
                    assert!(Position::<R>::after(&image).is_ok(), "{symmetry:?}, seed {SEED}, path {path:?}");
                    assert!(referee::replay(variant, &image).is_ok());
                    let other = reordered::<R>(&mut rng, &image);
                    assert_eq!(canonical_lines(variant, &other), lines, "{symmetry:?}, seed {SEED}, path {path:?}");
                    assert_eq!(canonical_key(variant, &other), key, "{symmetry:?}, seed {SEED}, path {path:?}");
                }
                let shorter = &moves[..moves.len() - 1];
                assert_ne!(canonical_key(variant, shorter), key, "seed {SEED}, path {path:?}");
                assert_ne!(canonical_lines(variant, shorter), lines, "seed {SEED}, path {path:?}");
            });
        }
    }
}

/// The mean length of uniform random games is that of the puzzle's published figures, to within 4 standard errors of
/// the sample and the rounding of the figure.
#[test]
fn random_games_are_as_long_as_known() {
    for (variant, known) in [(Variant::T5, 53.6), (Variant::D5, 42.9), (Variant::T4, 37.2), (Variant::D4, 24.1)] {
        let games = 4_000;
        let (mut sum, mut squares) = (0.0, 0.0);
        with_rules!(variant, R => {
            let mut rng = seed::rng(SEED, &[7, variant as u64]);
            let mut position = Position::<R>::new();
            for _ in 0..games {
                while !position.moves().is_empty() {
                    position.play(pick(&mut rng, position.moves()));
                }
                let length = f64::from(position.score());
                sum += length;
                squares += length * length;
                while position.undo().is_some() {}
            }
        });
        let n = f64::from(games);
        let mean = sum / n;
        let error = ((squares / n - mean * mean) / n).sqrt();
        assert!(
            (mean - known).abs() < 4.0 * error + 0.05,
            "{variant}: {mean} +- {error}, known {known}, seed {SEED}"
        );
    }
}

/// What the two implementations say about the first illegal move of a sequence is the same.
#[test]
fn replays_stop_at_the_same_move() {
    for variant in Variant::ALL {
        for game in 0..20 {
            let path = [8, variant as u64, game];
            with_rules!(variant, R => {
                let mut rng = seed::rng(SEED, &path);
                let mut moves = random_game::<R>(&mut rng).played().to_vec();
                let (i, j) = (rng.random_range(0..moves.len()), rng.random_range(0..moves.len()));
                moves.swap(i, j);
                let engine = Position::<R>::after(&moves).map(|p| p.score()).map_err(|(index, _)| index);
                let plain = referee::replay(variant, &moves).map(|r| r.score()).map_err(|e| e.index);
                assert_eq!(engine, plain, "{variant}, seed {SEED}, path {path:?}");
            });
        }
    }
}

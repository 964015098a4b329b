//! The hot functions: setting a point and finding the moves through it, random games, nodes of the depth-first
//! search, and patterns of Go on a board. Each asserts what it has counted, so that a change of speed is never a change of what is done.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use morpion::core::ctl::{Ctl, Signal};
use morpion::core::game::Side;
use morpion::core::seed;
use morpion::morpion::board::Board;
use morpion::morpion::geometry::Move;
use morpion::morpion::position::Position;
use morpion::morpion::variant::{D5, Rules, T5, Variant};
use morpion::notation::sgf::collection::Property;
use morpion::strategies::params::{Params, StallTable, Strategy};
use morpion::strategies::{Unit, start};
use morpion::tactics::pattern::arrangement::{Arrangement, PointMask};
use morpion::tactics::pattern::entry::{PatternEntry, PatternGoal};
use morpion::tactics::pattern::incremental::PatternBoard;
use morpion::tactics::pattern::index::PatternIndex;
use morpion::tactics::pattern::key::{BoardRows, KeyKind};
use morpion::tactics::pattern::tree::MoveTree;
use rand::RngExt;
use std::hint::black_box;

/// A control that never stops a search.
struct Silent;

impl Ctl<Move> for Silent {
    fn poll(&mut self, _iterations: u64, _best: u32) -> Signal {
        Signal::Continue
    }

    fn improved(&mut self, _moves: &[Move], _iterations: u64) {}
}

/// A random game and the number of moves created in it.
fn game<R: Rules>() -> (Vec<Move>, usize) {
    let mut rng = seed::rng(1, &[]);
    let mut position = Position::<R>::new();
    let mut created = 0;
    while !position.moves().is_empty() {
        let mv = position.moves()[rng.random_range(0..position.moves().len())];
        position.play(mv);
        position.board().moves_through(mv.point(), |_| created += 1);
    }
    (position.played().to_vec(), created)
}

/// Plays a game on a bare board, finding the moves that each point creates, and takes it back.
fn board<R: Rules>(c: &mut Criterion) {
    let (moves, created) = game::<R>();
    let mut group = c.benchmark_group("board");
    group.throughput(Throughput::Elements(moves.len() as u64));
    let mut board = Board::<R>::new();
    group.bench_function(format!("place, moves_through, lift {}", R::VARIANT), |b| {
        b.iter(|| {
            let mut found = 0;
            for &mv in black_box(&moves) {
                board.place(mv);
                board.moves_through(mv.point(), |new| {
                    black_box(new);
                    found += 1;
                });
            }
            for &mv in moves.iter().rev() {
                board.lift(mv);
            }
            assert_eq!(found, created);
        });
    });
    group.finish();
}

/// Runs `iterations` of a strategy, which end with this best score.
fn search(c: &mut Criterion, variant: Variant, strategy: Strategy, level: u32, iterations: u64, best: u32) {
    let params = Params { strategy, level: Some(level), stall: StallTable(Vec::new()), ..Params::default() };
    let unit =
        Unit { prefix: Vec::new(), candidates: None, seed: 1, max_iterations: Some(iterations), known_best: 0 };
    let mut group = c.benchmark_group("search");
    group.throughput(Throughput::Elements(iterations));
    group.sample_size(20);
    group.bench_function(format!("{strategy:?} {variant}"), |b| {
        b.iter(|| {
            let mut search = start(variant, &params, &unit);
            search.run(&mut Silent);
            assert_eq!((search.iterations(), search.best()), (iterations, best));
        });
    });
    group.finish();
}

/// Random shapes of nine to sixteen points, about a third of them black and a fifth white.
fn shapes(count: usize) -> Vec<PatternEntry> {
    let mut rng = seed::rng(2, &[]);
    let mut entries = Vec::new();
    while entries.len() < count {
        let mut start = Arrangement::new(rng.random_range(3..=4), rng.random_range(3..=4));
        for place in start.places().collect::<Vec<_>>() {
            match rng.random_range(0..15) {
                0..5 => start.set(place, PointMask::BLACK),
                5..8 => start.set(place, PointMask::WHITE),
                _ => (),
            }
        }
        let (name, targets, tree) = (String::new(), Vec::new(), MoveTree::default());
        let others: Vec<Property> = Vec::new();
        let entry = PatternEntry { name, goal: PatternGoal::Universal, start, targets, tree, others };
        if entry.steps().is_ok() {
            entries.push(entry);
        }
    }
    entries
}

/// A whole board of 19x19 with 180 stones against 10,000 shapes, with each kind of key, and the same after a move.
fn patterns(c: &mut Criterion) {
    let entries = shapes(10_000);
    let mut rng = seed::rng(3, &[]);
    let mut rows = BoardRows::new((19, 19), |_| None);
    for stone in 0..180 {
        let place = (rng.random_range(0..19), rng.random_range(0..19));
        rows.set(place, Some(if stone % 2 == 0 { Side::First } else { Side::Second }));
    }
    let mut group = c.benchmark_group("patterns");
    group.sample_size(30);
    let mut expected = None;
    for kind in [KeyKind::Window, KeyKind::Zobrist, KeyKind::Matrix] {
        let index = PatternIndex::new(&entries, kind).expect("shapes");
        let mut found = Vec::new();
        index.match_board(&rows, &mut found);
        let count = *expected.get_or_insert(found.len());
        group.bench_function(format!("{} of {} shapes, whole board, {kind:?}", index.len(), entries.len()), |b| {
            b.iter(|| {
                found.clear();
                index.match_board(black_box(&rows), &mut found);
                assert_eq!(found.len(), count);
            });
        });
        let mut board = PatternBoard::new(&index, rows.clone());
        let empty: Vec<(u8, u8)> = (0..361)
            .map(|i| (i % 19, i / 19))
            .map(|(x, y): (u16, u16)| (x as u8, y as u8))
            .filter(|&at| rows.at(at).is_none())
            .collect();
        let mut next = 0;
        group.bench_function(format!("a move and back, {kind:?}"), |b| {
            b.iter(|| {
                board.change([(empty[next % empty.len()], Some(Side::First))]);
                board.undo();
                next += 1;
                assert_eq!(board.matches().count(), count);
            });
        });
    }
    group.finish();
}

fn hot(c: &mut Criterion) {
    patterns(c);
    board::<T5>(c);
    board::<D5>(c);
    search(c, Variant::T5, Strategy::Random, 1, 10_000, 85);
    search(c, Variant::D5, Strategy::Random, 1, 10_000, 62);
    search(c, Variant::T5, Strategy::Dfs, 1, 1_000_000, 88);
    search(c, Variant::D5, Strategy::Dfs, 1, 1_000_000, 57);
    search(c, Variant::T5, Strategy::Nmcs, 2, 10_000, 92);
}

criterion_group!(benches, hot);
criterion_main!(benches);

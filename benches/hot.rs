//! The hot functions: setting a point and finding the moves through it, random games, nodes of the depth-first
//! search. Each asserts what it has counted, so that a change of speed is never a change of what is done.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use morpion::core::ctl::{Ctl, Signal};
use morpion::core::seed;
use morpion::morpion::board::Board;
use morpion::morpion::geometry::Move;
use morpion::morpion::position::Position;
use morpion::morpion::variant::{D5, Rules, T5, Variant};
use morpion::strategies::params::{Params, StallTable, Strategy};
use morpion::strategies::{Unit, start};
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

fn hot(c: &mut Criterion) {
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

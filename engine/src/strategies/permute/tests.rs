//! Tests of the permutation search.

use super::former::FormerPermute;
use super::*;
use crate::core::ctl::KeepBest;
use crate::morpion::board::Board;
use crate::morpion::variant::{T5, Variant};
use crate::strategies::codec::check_grid;
use crate::strategies::course::run_slice;
use crate::strategies::nrpa::Nrpa;
use crate::strategies::params::Strategy;
use crate::strategies::vector::dispatch::{VectorTask, dispatch};
use crate::strategies::vector::extension::VectorExtension;
use crate::with_rules;

fn params(grids: Vec<Vec<Move>>) -> Params {
    Params { strategy: Strategy::Permute, grids, ..Params::default() }
}

fn unit(seed: u64, max_iterations: u64) -> Unit {
    Unit { prefix: Vec::new(), candidates: None, seed, max_iterations: Some(max_iterations), known_best: 0 }
}

/// The best grid of so many playouts of an NRPA search of level 2.
fn grid(seed: u64, playouts: u64) -> Vec<Move> {
    let params = Params { strategy: Strategy::Nrpa, level: Some(2), ..Params::default() };
    let mut keep = KeepBest::default();
    Nrpa::<T5>::new(&params, &unit(seed, playouts), None).run(&mut keep);
    keep.best
}

/// One game of the greedy player.
struct Play<'a, R>(&'a mut Playout<R>, &'a Priorities);

impl<R: Rules> VectorTask for Play<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<I: VectorInstructions>(self) {
        // SAFETY: a task is entered only on a processor that has the instructions.
        unsafe { self.0.play_by::<I, _>(Greedy(self.1)) }
    }
}

/// Each move played is one of those that stand first, with all vector extensions: the last five bits of a priority do
/// not count.
#[test]
fn the_greedy_player_plays_what_stands_first() {
    let rounded = |priorities: &Priorities, mv: Move| priorities.get(code(mv) as u32).to_bits() >> 5;
    for variant in Variant::ALL {
        with_rules!(variant, R => {
            let start = Position::<R>::new();
            let mut playout = Playout::<R>::new(start.board().clone(), start.moves(), 485);
            for seed in 0..60 {
                let mut priorities = Priorities::new(seed);
                let mut playouts = Vec::new();
                for extension in VectorExtension::ALL {
                    dispatch(extension, Play(&mut playout, &priorities));
                    playouts.push(playout.game.moves().to_vec());
                }
                assert!(playouts.iter().all(|game| *game == playouts[0]), "{variant} seed {seed}");
                let mut position = start.clone();
                for &mv in &playouts[0] {
                    let first = position.moves().iter().map(|&mv| rounded(&priorities, mv)).min();
                    assert_eq!(first, Some(rounded(&priorities, mv)), "{variant} seed {seed}");
                    position.play(mv);
                }
                assert!(position.moves().is_empty());
                // Ranked, the game is played again whatever the others' order, and in the same order.
                priorities.redraw(seed as u32 * 97);
                for (rank, &mv) in (1..).zip(&playouts[0]) {
                    priorities.set(code(mv) as u32, rank as f32);
                }
                dispatch(VectorExtension::detect(), Play(&mut playout, &priorities));
                assert_eq!(playout.game.moves(), playouts[0], "{variant} seed {seed}");
            }
        });
    }
}

#[test]
fn a_run_begins_with_nothing_and_goes_beyond_random_games() {
    let mut keep = KeepBest::default();
    let mut search = Permute::<T5>::new(&params(Vec::new()), &unit(1, 150_000));
    assert_eq!(search.run(&mut keep), End::IterationLimit);
    assert_eq!((search.iterations(), search.results()[0].total()), (150_000, 150_000));
    assert_eq!(search.best() as usize, keep.best.len());
    // The best of so many random playouts has about 95 moves.
    assert!(keep.best.len() >= 105, "{}", keep.best.len());
    // Each set of points is there once.
    let points: std::collections::HashSet<Vec<u16>> = search
        .pool
        .grids()
        .map(|moves| {
            let mut points: Vec<u16> = moves.iter().map(|&mv| mv.bits() as u16).collect();
            points.sort_unstable();
            points
        })
        .collect();
    assert!(search.pool.len() > 1000 && points.len() == search.pool.len(), "{}", search.pool.len());
    assert!(search.pool.grids().all(|moves| check_grid(&Board::<T5>::new(), moves).is_ok()));
    assert!(search.save().len() < 8 << 20, "{} bytes", search.save().len());
}

#[test]
fn a_grid_is_improved_by_exchanges_and_by_winding_back() {
    let start = grid(1, 60);
    let mut keep = KeepBest::default();
    let mut search = Permute::<T5>::new(&params(vec![start.clone()]), &unit(2, 60_000));
    search.run(&mut keep);
    assert!(keep.best.len() > start.len() + 10, "{} of {}", keep.best.len(), start.len());
    // Grids have been wound back, and their playouts are counted.
    assert!(search.course.slices * u64::from(SLICE) < 60_000 && search.results()[0].total() == 60_000);
}

#[test]
fn a_run_with_a_level_begins_with_a_search_of_it() {
    let params = Params { level: Some(2), ..params(Vec::new()) };
    let mut keep = KeepBest::default();
    let mut search = Permute::<T5>::new(&params, &unit(1, 60_000));
    assert_eq!(search.run(&mut keep), End::IterationLimit);
    assert!(search.iterations() == 60_000 && search.results()[0].total() == 50_000);
    assert!(search.pool.len() > 1 && keep.best.len() > grid(1, 10_000).len());
}

#[test]
fn patience_ends_a_run() {
    let params = Params { patience: Some(5_000), ..params(vec![grid(3, 1000)]) };
    let mut search = Permute::<T5>::new(&params, &unit(9, u64::MAX));
    assert_eq!(search.run(&mut KeepBest::default()), End::Finished);
    assert!(search.course.playouts >= search.course.found_at + 5_000);
    // Where nothing can be played there is nothing to search.
    let full = Unit { prefix: search_end(), ..unit(9, u64::MAX) };
    let mut search = Permute::<T5>::new(&Params { grids: Vec::new(), ..params }, &full);
    assert_eq!((search.run(&mut KeepBest::default()), search.iterations()), (End::Finished, 0));
}

/// A game to its end.
fn search_end() -> Vec<Move> {
    let mut position = Position::<T5>::new();
    while let Some(&mv) = position.moves().first() {
        position.play(mv);
    }
    position.played().to_vec()
}

/// A search that is saved and restored continues as if nothing had happened.
#[test]
fn a_restored_search_goes_on_as_it_would_have() {
    let params = Params { pool: Some(200), ..params(Vec::new()) };
    let run = |playouts: u64, saved: Option<&[u8]>| {
        let mut search = match saved {
            Some(saved) => Permute::<T5>::restore(&params, &unit(7, playouts), saved).unwrap(),
            None => Permute::<T5>::new(&params, &unit(7, playouts)),
        };
        assert_eq!(search.run(&mut KeepBest::default()), End::IterationLimit);
        search.save()
    };
    // At the ends of slices, so that a limit does not end one early; the second is in the middle of a round.
    let mut search = Permute::<T5>::new(&params, &unit(7, u64::MAX));
    let [first, second, end] = [4, 4, 8].map(|n| {
        (0..n).for_each(|_| run_slice(&mut search));
        search.course.playouts
    });
    let whole = run(end, None);
    let saved = run(second, Some(&run(first, None)));
    assert!(run(end, Some(&saved)) == whole);
}

#[test]
fn a_search_continues_from_a_former_state() {
    let mut position = Position::<T5>::new();
    while let Some(&mv) = position.moves().first() {
        position.play(mv);
    }
    let grid = position.played().to_vec();
    let members = vec![grid.clone(), grid[..grid.len() - 2].to_vec()];
    let best = grid.len() as u32;
    let (seen, tries, wins) = (vec![(3, 4)], [5; 6], [1; 6]);
    let saved = |members| FormerPermute {
        start: None,
        members,
        seen: seen.clone(),
        tries,
        wins,
        slices: 9,
        playouts: 700,
        found_at: 400,
        best,
    };
    let mut results = Histogram::default();
    results.add(60);
    let params = Params { strategy: Strategy::Permute, ..Params::default() };
    let unit = Unit { prefix: Vec::new(), candidates: None, seed: 3, max_iterations: None, known_best: 0 };
    let bytes = encode_with_results(&saved(members.clone()), &[results]);
    let search = Permute::<T5>::restore(&params, &unit, &bytes).unwrap();
    assert_eq!(search.pool.grids().collect::<Vec<_>>(), [&members[0], &members[1]]);
    assert_eq!((search.iterations(), search.best(), search.course.slices), (700, best, 9));
    assert_eq!((search.course.found_at, search.results()[0].total()), (400, 1));
    // Saved again, it is of the new form.
    let again = Permute::<T5>::restore(&params, &unit, &search.save()).unwrap();
    assert_eq!((again.save(), again.pool.len()), (search.save(), 2));
    let illegal = encode_with_results(&saved(vec![grid[1..].to_vec()]), &[Histogram::default()]);
    assert!(Permute::<T5>::restore(&params, &unit, &illegal).is_err());
}

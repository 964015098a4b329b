//! Tests of parallel tempering.

use super::*;
use crate::core::ctl::KeepBest;
use crate::morpion::board::Board;
use crate::morpion::symmetry::GridSymmetry;
use crate::morpion::variant::{T5, Variant};
use crate::strategies::codec::check_grid;
use crate::strategies::course::run_slice;
use crate::strategies::orbits::Paired;
use crate::strategies::params::Strategy;
use crate::with_rules;

fn params(grids: Vec<Vec<Move>>) -> Params {
    Params { strategy: Strategy::Temper, grids, ..Params::default() }
}

fn unit(seed: u64, max_iterations: u64) -> Unit {
    Unit { prefix: Vec::new(), candidates: None, seed, max_iterations: Some(max_iterations), known_best: 0 }
}

#[test]
fn a_run_goes_far_beyond_random_games_and_the_cold_replicas_have_the_long_grids() {
    let mut keep = KeepBest::default();
    let mut search = Temper::<T5>::new(&params(Vec::new()), &unit(1, 300_000));
    assert_eq!(search.run(&mut keep), End::IterationLimit);
    assert_eq!((search.iterations(), search.results()[0].total()), (300_000, 300_000));
    assert_eq!(search.best() as usize, keep.best.len());
    // The best of so many random playouts has about 95 moves.
    assert!(keep.best.len() >= 125, "{}", keep.best.len());
    let temperatures: Vec<f64> = search.replicas.iter().map(|replica| replica.temperature).collect();
    let ends = (temperatures[0] - 2.0).abs().max((temperatures[15] - 0.3).abs());
    assert!(temperatures.len() == 20 && ends < 1e-9, "{temperatures:?}");
    assert!(temperatures[..16].is_sorted_by(|a, b| a > b) && temperatures[16..].is_sorted_by(|a, b| a > b));
    let lengths: Vec<usize> = search.replicas.iter().map(|replica| replica.grid.len()).collect();
    assert!(lengths[..2].iter().sum::<usize>() + 10 < lengths[14..16].iter().sum::<usize>(), "{lengths:?}");
    for replica in &search.replicas {
        check_grid(&Board::<T5>::new(), &replica.grid.moves().collect::<Vec<_>>()).unwrap();
    }
}

#[test]
fn a_shorter_grid_is_taken_as_often_as_the_temperature_says() {
    for temperature in [0.3, 1.0, 2.5] {
        let replica = Replica::new(temperature, &Board::<T5>::new(), Single);
        assert_eq!(replica.chances[0], u32::MAX);
        for loss in 1..LOSSES {
            let expected = (-(loss as f64) / temperature).exp();
            let chance = f64::from(replica.chances[loss]) / 2f64.powi(32);
            assert!((chance - expected).abs() < 1e-9, "{loss} at {temperature}: {chance}");
        }
    }
}

#[test]
fn the_more_moves_would_have_to_go_the_rarer_a_step_is_tried() {
    for reach in [1.0, 40.0] {
        let limits = limits(reach);
        for count in 2..100 {
            let seen = limits.iter().filter(|&&limit| usize::from(limit) >= count).count() as f64 / 256.0;
            let expected = (-(count as f64 - 1.0) / reach).exp();
            assert!((seen - expected).abs() < 0.005, "{count} at {reach}: {seen}, not {expected}");
        }
    }
    assert!(
        limits(0.001).iter().all(|&limit| limit == 1) && limits(1e4).iter().any(|&limit| usize::from(limit) == MOST)
    );
}

#[test]
fn a_grid_that_no_move_can_come_into_is_made_anew_and_moves_barred_never_come() {
    // After a game but for its last moves there is hardly anything to choose.
    let mut keep = KeepBest::default();
    Temper::<T5>::new(&params(Vec::new()), &unit(1, 50_000)).run(&mut keep);
    for left in 1..12 {
        let prefix = keep.best[..keep.best.len() - left].to_vec();
        let legal = Position::<T5>::after(&prefix).unwrap().moves().to_vec();
        for candidates in [None, Some(legal[..1].to_vec()), Some(legal[1..].to_vec())] {
            let allowed = candidates.clone().unwrap_or(legal.clone());
            let unit = Unit { prefix: prefix.clone(), candidates, ..unit(2, 5_000) };
            let mut search = Temper::<T5>::new(&params(Vec::new()), &unit);
            let mut found = KeepBest::default();
            assert_eq!(search.run(&mut found), if allowed.is_empty() { End::Finished } else { End::IterationLimit });
            assert!(Position::<T5>::after(&found.best).is_ok());
            // The moves left out are found again, where all may be played.
            assert!(unit.candidates.is_some() || found.best.len() >= keep.best.len());
            for mv in legal.iter().filter(|mv| !allowed.contains(mv)) {
                assert!(!search.replicas.iter().any(|replica| replica.grid.moves().any(|other| other == *mv)));
            }
        }
    }
}

#[test]
fn neighbours_exchange_a_longer_grid_always_and_a_shorter_one_as_often_as_is_right() {
    let params = Params { replicas: 2, hot: 1.5, cold: 0.5, ..params(Vec::new()) };
    let mut search = Temper::<T5>::new(&params, &unit(3, 1));
    // Only the length counts here: first moves, again and again, are as good as a game.
    let moves: Vec<Move> = Position::<T5>::new().moves().iter().cycle().take(101).copied().collect();
    let mut exchanges = |hot: usize, cold: usize| {
        (0..20_000)
            .filter(|_| {
                for (at, length) in [hot, cold].into_iter().enumerate() {
                    search.replicas[at].grid.become_grid(&moves[..length]);
                }
                search.exchange(1);
                let lengths = [0, 1].map(|at| search.replicas[at].grid.len());
                assert!(lengths == [hot, cold] || lengths == [cold, hot]);
                lengths == [cold, hot]
            })
            .count() as f64
            / 20_000.0
    };
    assert_eq!(exchanges(101, 100), 1.0);
    // 1/0.5 - 1/1.5 = 4/3.
    for loss in 1..4 {
        let (seen, expected) = (exchanges(97, 97 + loss), (-4.0 / 3.0 * loss as f64).exp());
        assert!((seen - expected).abs() < 0.015, "{loss}: {seen}, not {expected}");
    }
}

#[test]
fn given_grids_are_where_the_replicas_begin_and_patience_ends_a_run() {
    let mut keep = KeepBest::default();
    Temper::<T5>::new(&params(Vec::new()), &unit(1, 100_000)).run(&mut keep);
    let short = keep.best[..30].to_vec();
    let params = Params { patience: Some(50_000), ..params(vec![short.clone(), Vec::new(), keep.best.clone()]) };
    let search = Temper::<T5>::new(&params, &unit(2, u64::MAX));
    let lengths: Vec<usize> = search.replicas[..16].iter().rev().map(|replica| replica.grid.len()).collect();
    assert_eq!(lengths, [keep.best.len(), 30].repeat(8));
    // After the first moves of the grids, too.
    let unit = Unit { prefix: short[..10].to_vec(), ..unit(2, u64::MAX) };
    let mut search = Temper::<T5>::new(&params, &unit);
    let mut found = KeepBest::default();
    assert_eq!(search.run(&mut found), End::Finished);
    assert!(found.best.len() >= keep.best.len() && found.best.starts_with(&short[..10]));
    assert!(
        search.course.playouts >= 50_000
            && search.course.playouts - search.course.found_at < 50_000 + 2 * u64::from(SLICE)
    );
    assert!(Position::<T5>::after(&found.best).is_ok());
}

/// A search with terms that are short enough for a test.
fn with_short_terms(mut search: Temper<T5>) -> Temper<T5> {
    search.spans = (50_000, 15_000);
    search.left = search.left.min(search.spans.0);
    search
}

#[test]
fn the_longest_grid_that_was_met_is_refined_in_turn_with_the_search() {
    let mut search = with_short_terms(Temper::new(&params(Vec::new()), &unit(5, u64::MAX)));
    let (mut terms, mut gains, mut searched) = (0, 0, 0);
    let mut met: Vec<Move> = Vec::new();
    let mut ended = false;
    while terms < 7 || !ended {
        let (was, playouts) = (search.refining, search.course.playouts);
        let grids = |search: &Temper<T5>, turn: Range<usize>| {
            search.replicas[turn].iter().map(|replica| replica.grid.moves().collect()).collect::<Vec<Vec<Move>>>()
        };
        let before = [grids(&search, 0..16), grids(&search, 16..20)];
        run_slice(&mut search);
        // The others stand still.
        let now = [grids(&search, 0..16), grids(&search, 16..20)];
        assert!(now[usize::from(!search.refining)] == before[usize::from(!search.refining)]);
        check_grid(&Board::<T5>::new(), &search.chosen).unwrap();
        if search.refining && !was {
            assert!(searched >= 50_000 && searched < 50_000 + u64::from(SLICE), "{searched}");
            terms += 1;
        }
        if search.refining {
            // It begins with the longest grid met, and continues for as long as longer ones come.
            assert!(search.chosen.len() >= met.len() && !met.is_empty());
            gains += usize::from(search.chosen.len() > met.len());
            let left = search.left + u64::from(SLICE);
            assert!(left >= 15_000 || search.chosen == met);
            searched = 0;
        } else {
            searched += search.course.playouts - playouts;
        }
        met.clone_from(&search.chosen);
        ended = was && !search.refining;
        assert!(search.chosen.len() <= search.longest);
    }
    assert!(gains > 3, "{gains}");
    // Without walks for it nothing is refined.
    let none = Params { refiners: 0, ..params(Vec::new()) };
    let mut search = with_short_terms(Temper::new(&none, &unit(5, 200_000)));
    assert_eq!(search.run(&mut KeepBest::default()), End::IterationLimit);
    assert!(!search.refining && search.replicas.len() == 16);
}

#[test]
fn a_restored_search_goes_on_as_if_it_had_not_been_stopped() {
    let params = params(Vec::new());
    let run = |playouts: u64, saved: Option<&[u8]>| {
        let mut search = match saved {
            Some(saved) => Temper::<T5>::restore(&params, &unit(7, playouts), saved).unwrap(),
            None => Temper::<T5>::new(&params, &unit(7, playouts)),
        };
        search = with_short_terms(search);
        assert_eq!(search.run(&mut KeepBest::default()), End::IterationLimit);
        search.save()
    };
    let slices = |n: u64| n * u64::from(SLICE);
    let whole = run(slices(44), None);
    // In a term and between two.
    for (first, second) in [(10, 14), (15, 31)] {
        let saved = run(slices(second), Some(&run(slices(first), None)));
        assert!(run(slices(44), Some(&saved)) == whole);
        assert!(saved.len() < 4500, "{} bytes", saved.len());
    }
    let other = Params { replicas: 3, ..params.clone() };
    assert!(Temper::<T5>::restore(&other, &unit(7, 1), &run(slices(1), None)).is_err());
}

#[test]
fn a_search_with_a_symmetry_finds_symmetric_grids_only_and_the_longest_where_they_are_proved() {
    for (variant, proved) in [(Variant::D5, 60), (Variant::T4, 54), (Variant::D4, 34)] {
        with_rules!(variant, R => for symmetry in GridSymmetry::ALL {
            let params = Params { symmetry: Some(symmetry), ..params(Vec::new()) };
            let mut keep = KeepBest::default();
            let mut search = Temper::<R, Paired>::new(&params, &unit(2, 5 * u64::from(SLICE)));
            assert_eq!(search.run(&mut keep), End::IterationLimit);
            check_grid(&Board::<R>::new(), &keep.best).unwrap();
            assert!(symmetry.carries(variant, &keep.best), "{variant} {symmetry}");
            assert!(keep.best.len() <= variant.symmetric_record() as usize);
            assert!(symmetry != GridSymmetry::Central || keep.best.len() >= proved, "{variant}: {}", keep.best.len());
            for replica in &search.replicas {
                let moves: Vec<Move> = replica.grid.moves().collect();
                check_grid(&Board::<R>::new(), &moves).unwrap();
                assert!(symmetry.carries(variant, &moves));
            }
            // It continues where it was saved, and from its own grids.
            let mut part = Temper::<R, Paired>::new(&params, &unit(2, 2 * u64::from(SLICE)));
            assert_eq!(part.run(&mut KeepBest::default()), End::IterationLimit);
            let mut rest =
                Temper::<R, Paired>::restore(&params, &unit(2, 5 * u64::from(SLICE)), &part.save()).unwrap();
            rest.run(&mut KeepBest::default());
            assert!(rest.save() == search.save());
            let from = Params { grids: vec![keep.best.clone()], ..params };
            assert_eq!(Temper::<R, Paired>::new(&from, &unit(2, 1)).longest, keep.best.len());
        });
    }
}

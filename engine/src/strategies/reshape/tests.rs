//! Tests of reshaping.

use super::draw::{ALL, CHANGES, DRAWS, change};
use super::shape::Shape;
use super::state::ShapeWalk;
use super::*;
use crate::core::ctl::KeepBest;
use crate::morpion::board::Board;
use crate::morpion::symmetry::GridSymmetry;
use crate::morpion::variant::{D5, T5, Variant};
use crate::strategies::choices::tests::game;
use crate::strategies::codec::check_grid;
use crate::strategies::orbits::Paired;
use crate::strategies::orbits::tests::{paired, symmetric_game};
use crate::with_rules;
use std::collections::HashSet;

fn params(grids: Vec<Vec<Move>>) -> Params {
    Params { strategy: Strategy::Reshape, patience: Some(400_000), grids, ..Params::default() }
}

fn unit(max_iterations: u64) -> Unit {
    Unit { prefix: Vec::new(), candidates: None, seed: 9, max_iterations: Some(max_iterations), known_best: 0 }
}

#[test]
fn a_drawn_shape_is_another_has_room_and_is_about_as_long() {
    for variant in Variant::ALL {
        with_rules!(variant, R => {
            let grid = game::<R>(4, usize::MAX);
            let mut search = Reshape::<R>::new(&params(vec![grid.clone()]), &unit(1));
            let whole = search.state.shape(&grid);
            let mut keys = HashSet::new();
            let mut changes = [0_u32; 4];
            for seed in 0..120 {
                let mut shape = whole.clone();
                let (found, draws) = draw(&mut shape, Single, |key| search.state.refused.contains(key), &mut seed::rng(seed, &[]));
                assert!((1..=DRAWS).contains(&draws));
                if found {
                    assert!(shape.slack() >= 0 && shape.slack() == shape.count(), "{variant}");
                    assert!(shape.key() != whole.key());
                    changes[shape.len() + 2 - grid.len()] += 1;
                    assert!(!search.state.refused.contains(shape.key()), "{variant}: what was refused comes again");
                    if keys.insert(shape.key()) && keys.len().is_multiple_of(2) {
                        search.state.refused.insert(shape.key());
                    }
                } else {
                    assert_eq!((shape.key(), draws), (whole.key(), DRAWS), "what was tried is taken back");
                }
            }
            assert!(keys.len() > 20, "{variant}: {} shapes", keys.len());
            assert!(changes[1..].iter().all(|&count| count > 2), "{variant}: {changes:?}");
        });
    }
}

#[test]
fn changes_are_drawn_as_often_as_they_are_to() {
    assert_eq!(CHANGES.iter().map(|(_, share)| share).sum::<u32>(), ALL);
    for (at, metropolis) in [(0, 3.0), (1, 3.0), (2, 2.0 * (-1.0_f64 / 0.8).exp()), (3, (-2.0_f64 / 0.8).exp())] {
        assert!((f64::from(CHANGES[at].1) / 100.0 - metropolis).abs() < 0.01, "{at}");
    }
    let rng = &mut seed::rng(1, &[]);
    let mut drawn = [0; 4];
    (0..6_650).for_each(|_| drawn[(1 - change(rng)) as usize] += 1);
    assert!(
        drawn.iter().zip(CHANGES).all(|(drawn, (_, share))| (drawn - 10 * share as i32).abs() < 200),
        "{drawn:?}"
    );
}

/// From a game at random a walk leads to longer grids, and all grids that are reported can be played.
#[test]
fn a_grid_becomes_longer() {
    for variant in Variant::ALL {
        with_rules!(variant, R => {
            let start = game::<R>(1, usize::MAX);
            let mut keep = KeepBest::default();
            let mut search = Reshape::<R>::new(&params(vec![start.clone()]), &unit(60_000));
            assert_eq!(search.run(&mut keep), End::IterationLimit, "{variant}");
            assert!(keep.best.len() > start.len() + 3, "{variant}: {} from {}", keep.best.len(), start.len());
            assert!(Position::<R>::after(&keep.best).is_ok(), "{variant}");
            let ShapeWalk { grid, longest, .. } = &search.state.walk;
            assert!(Position::<R>::after(grid).is_ok() && longest.len() >= grid.len(), "{variant}");
            assert_eq!(search.state.longest, keep.best.len());
        });
    }
}

#[test]
fn barred_moves_are_never_played() {
    let prefix = game::<T5>(6, 2);
    let legal = Position::<T5>::after(&prefix).unwrap().moves().to_vec();
    let unit = Unit { prefix: prefix.clone(), candidates: Some(legal[3..].to_vec()), ..unit(300_000) };
    let mut search = Reshape::<T5>::new(&Params { patience: Some(1_000_000), ..params(Vec::new()) }, &unit);
    let mut keep = KeepBest::default();
    search.run(&mut keep);
    assert!(search.state.steps > 20, "{} steps", search.state.steps);
    for grid in [&search.state.walk.grid, &search.state.walk.longest].map(Vec::as_slice) {
        assert!(Position::<T5>::after(&[&prefix[..], grid].concat()).is_ok());
        assert!(legal[..3].iter().all(|mv| !grid.contains(mv)));
    }
    assert_eq!(keep.best[..2], prefix);
}

/// Runs a search until so many rounds have begun, saved and restored now and then, which changes nothing; the longest
/// grids of their walks soon after each began.
fn rounds(params: &Params, count: u64) -> Vec<Vec<Move>> {
    let mut search = Reshape::<T5>::new(params, &unit(u64::MAX));
    let mut keep = KeepBest { limit: Some(1), ..KeepBest::default() };
    let (mut walks, mut stops) = (Vec::new(), 0_u32);
    while walks.len() < count as usize {
        assert_eq!(search.run(&mut keep), End::Stopped);
        keep.limit = Some(search.iterations() + 200);
        assert!(search.beginning.is_none() || params.grids.is_empty());
        if search.beginning.is_none() && search.state.rounds == walks.len() as u64 {
            walks.push(search.state.walk.longest.clone());
        }
        stops += 1;
        if stops.is_multiple_of(3) {
            search = Reshape::<T5>::restore(params, &unit(u64::MAX), &search.save()).unwrap();
        }
    }
    assert!(stops > 15, "{stops} stops");
    let mut whole = Reshape::<T5>::new(params, &unit(u64::MAX));
    whole.run(&mut KeepBest { limit: Some(search.iterations()), ..KeepBest::default() });
    assert_eq!(whole.save(), search.save());
    assert!(search.state.longest >= walks.iter().map(Vec::len).max().unwrap());
    walks
}

/// What a step takes out can often be played again at once; the walk continues without it all the same.
#[test]
fn a_walk_leads_through_shorter_grids() {
    let mut search = Reshape::<T5>::new(&params(vec![game::<T5>(1, usize::MAX)]), &unit(u64::MAX));
    let mut shorter = 0;
    for _ in 0..600 {
        let before = search.state.walk.grid.len();
        search.step();
        let ShapeWalk { grid, longest, .. } = &search.state.walk;
        assert!(grid.len() <= longest.len());
        shorter += usize::from(grid.len() < before);
    }
    assert!(
        shorter > 10 && search.state.walk.longest.len() > 80,
        "{shorter} times to {}",
        search.state.walk.longest.len()
    );
}

/// Each round begins with a tempering of its own.
#[test]
fn without_grids_a_round_is_a_tempering_and_a_walk_from_its_longest_grid() {
    let params = Params { patience: Some(1_500_000), refiners: 0, ..params(Vec::new()) };
    let walks = rounds(&params, 4);
    let different: HashSet<_> = walks.iter().collect();
    assert_eq!(different.len(), 4);
    assert!(walks.iter().all(|grid| grid.len() > 90), "{:?}", walks.iter().map(Vec::len).collect::<Vec<_>>());
}

/// In 5D rounds begin with walks that are cooled; a search that began with temperings in an older version keeps to
/// them.
#[test]
fn in_5d_a_round_is_a_cooled_walk_and_a_walk_if_it_is_long_enough() {
    let params = Params { patience: Some(400_000_000), ..params(Vec::new()) };
    let unit = unit(u64::MAX);
    let mut search = Reshape::<D5>::new(&params, &unit);
    let mut keep = KeepBest { limit: Some(1), ..KeepBest::default() };
    let (mut walked, mut cooled, mut stops) = (HashSet::new(), HashSet::new(), 0);
    while search.state.rounds < 2 {
        assert_eq!(search.run(&mut keep), End::Stopped);
        let phase = search.phase().unwrap();
        let rounds = if phase.name == "cooling" { &mut cooled } else { &mut walked };
        rounds.insert(phase.number);
        keep.limit = Some(search.iterations() + if phase.name == "cooling" { 500_000 } else { 300 });
        let lengths = (search.state.walk.longest.len(), search.state.longest);
        assert!(phase.name == "cooling" || lengths.0 + BEHIND >= lengths.1, "{lengths:?}");
        stops += 1;
        if stops % 3 == 0 {
            search = Reshape::restore(&params, &unit, &search.save()).unwrap();
        }
    }
    assert!(cooled.len() >= 2 && !walked.is_empty(), "{cooled:?} {walked:?}");
    let mut whole = Reshape::<D5>::new(&params, &unit);
    whole.run(&mut KeepBest { limit: Some(search.iterations()), ..KeepBest::default() });
    assert_eq!(whole.save(), search.save());
    assert!(keep.best.len() >= 70 && Position::<D5>::after(&keep.best).is_ok(), "{}", keep.best.len());

    let mut older = Reshape::<D5>::tempered(&params, &unit);
    older.run(&mut KeepBest { limit: Some(1_000), ..KeepBest::default() });
    let saved = older.save();
    assert_eq!(saved[0], 2);
    let mut older = Reshape::<D5>::restore(&params, &unit, &saved).unwrap();
    assert_eq!(older.phase().unwrap().name, "tempering");
    older.next_round();
    assert_eq!((older.phase().unwrap().name, older.state.form), ("tempering", Form::Tempered));
}

/// A limit in the middle of a cooled walk is one of the unit; with a higher one it goes on.
#[test]
fn a_cooled_walk_goes_on_behind_a_limit() {
    let params = params(Vec::new());
    let mut search = Reshape::<D5>::new(&params, &unit(500_000));
    assert_eq!(search.run(&mut KeepBest::default()), End::IterationLimit);
    assert_eq!((search.iterations(), search.phase().unwrap().name), (500_000, "cooling"));
    let mut on = Reshape::<D5>::restore(&params, &unit(900_000), &search.save()).unwrap();
    let mut whole = Reshape::<D5>::new(&params, &unit(900_000));
    for search in [&mut on, &mut whole] {
        assert_eq!(search.run(&mut KeepBest::default()), End::IterationLimit);
    }
    assert_eq!(on.save(), whole.save());
}

#[test]
fn with_grids_a_round_is_a_walk_from_one_or_what_was_made_of_it() {
    let given: Vec<Vec<Move>> = (1..=2).map(|seed| game::<T5>(seed, usize::MAX)).collect();
    let lengths: Vec<usize> = given.iter().map(Vec::len).collect();
    let walks = rounds(&Params { patience: Some(20_000_000), ..params(given) }, 4);
    for (at, &given) in lengths.iter().enumerate() {
        assert!(walks[at].len() >= given && walks[at + 2].len() > given + 2, "{at}");
    }
}

#[test]
fn a_run_from_grids_ends_when_nothing_longer_comes() {
    let params = Params { patience: Some(3_000), ..params(vec![game::<T5>(1, usize::MAX)]) };
    let mut search = Reshape::<T5>::new(&params, &unit(u64::MAX));
    let mut keep = KeepBest::default();
    assert_eq!(search.run(&mut keep), End::Finished);
    assert!(search.state.iterations >= search.state.found_at + 3_000 && search.state.found_at > 0);
    assert_eq!(search.state.longest, keep.best.len());
}

#[test]
fn a_state_of_another_form_or_with_a_grid_that_is_not_legal_is_refused() {
    let params = params(vec![game::<T5>(3, usize::MAX)]);
    let mut search = Reshape::<T5>::new(&params, &unit(5_000));
    search.run(&mut KeepBest::default());
    let saved = search.save();
    assert_eq!(Reshape::<T5>::restore(&params, &unit(5_000), &saved).unwrap().save(), saved);
    let refused = |bytes: &[u8]| match Reshape::<T5>::restore(&params, &unit(5_000), bytes) {
        Ok(_) => panic!("it was taken"),
        Err(error) => error.to_string(),
    };
    for form in [1, Form::Cooled as u8, 4] {
        let other = [&[form], &saved[1..]].concat();
        assert!(refused(&other).contains("another version"), "{}", refused(&other));
    }
    search.state.given[0] = vec![*params.grids[0].last().unwrap()];
    assert!(refused(&search.save()).contains("not legal"));
}

#[test]
fn symmetric_shapes_are_filled_with_symmetric_lines_and_a_walk_keeps_to_them() {
    for variant in Variant::ALL {
        with_rules!(variant, R => for symmetry in [GridSymmetry::Central, GridSymmetry::Falling] {
            let orbits = paired::<R>(symmetry);
            let grid = symmetric_game::<R>(symmetry, 3, usize::MAX);
            let mut shape = Shape::<R>::new(Position::<R>::new().board());
            grid.iter().for_each(|mv| shape.flip(mv.point()));
            let query = ShapeQuery { barred: &[], like: &[], limit: 200_000, seed: 5, stop: ON };
            let (answer, _) = fill_orbits(&shape, orbits, query);
            let Filling::Grid(filled) = answer else { panic!("{variant} {symmetry}: {answer:?}") };
            assert!(symmetry.carries(variant, &filled) && filled.len() == grid.len());
            check_grid(&Board::<R>::new(), &filled).unwrap();
            let params = Params { symmetry: Some(symmetry), ..params(vec![grid.clone()]) };
            let mut keep = KeepBest::default();
            let mut search = Reshape::<R, Paired>::new(&params, &unit(10_000));
            search.run(&mut keep);
            assert!(keep.best.len() >= grid.len(), "{variant} {symmetry}: {} of {}", keep.best.len(), grid.len());
            assert!(symmetry.carries(variant, &keep.best), "{variant} {symmetry}: {:?}", keep.best);
            check_grid(&Board::<R>::new(), &keep.best).unwrap();
            assert!(symmetry.carries(variant, &search.state.walk.grid));
            let again = Reshape::<R, Paired>::restore(&params, &unit(30_000), &search.save()).unwrap();
            assert_eq!(again.state.walk, search.state.walk);
        });
    }
}

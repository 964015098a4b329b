//! Tests of reshaping.

use super::*;
use crate::core::ctl::KeepBest;
use crate::morpion::variant::{T5, Variant};
use crate::strategies::choices::tests::game;
use crate::with_rules;
use std::collections::HashSet;

fn params(grids: Vec<Vec<Move>>) -> Params {
    Params { strategy: Strategy::Reshape, patience: Some(400_000), grids, ..Params::default() }
}

fn unit(max_iterations: u64) -> Unit {
    Unit { prefix: Vec::new(), candidates: None, seed: 9, max_iterations: Some(max_iterations) }
}

fn moves(bits: &[u32]) -> Vec<Move> {
    bits.iter().map(|&bits| Move::from_raw(bits)).collect()
}

#[test]
fn a_drawn_shape_is_new_has_room_and_a_point_more_or_as_many() {
    for variant in Variant::ALL {
        with_rules!(variant, R => {
            let grid = game::<R>(4, usize::MAX);
            let search = Reshape::<R>::new(&params(vec![moves(&grid)]), &unit(1));
            let mut whole = search.bare.clone();
            grid.iter().for_each(|&bits| whole.flip(Move::from_raw(bits).point()));
            let (mut keys, mut longer) = (HashSet::new(), 0);
            for seed in 0..60 {
                let mut shape = whole.clone();
                let (found, draws) = search.own.draw(&mut shape, &mut seed::rng(seed, &[]));
                assert!((1..=DRAWS).contains(&draws));
                if found {
                    assert!(shape.slack() >= 0 && shape.slack() == shape.count(), "{variant}");
                    assert!(shape.key() != whole.key());
                    assert!(shape.len() == grid.len() || shape.len() == grid.len() + 1, "{variant}");
                    longer += usize::from(shape.len() > grid.len());
                    keys.insert(shape.key());
                } else {
                    assert_eq!((shape.key(), draws), (whole.key(), DRAWS), "what was tried is taken back");
                }
            }
            assert!(keys.len() > 20 && longer > 10, "{variant}: {} shapes, {longer} of a point more", keys.len());
        });
    }
}

/// From a game at random steps lead to longer grids, and all that is told of can be played.
#[test]
fn a_grid_becomes_longer() {
    for variant in Variant::ALL {
        with_rules!(variant, R => {
            let start = moves(&game::<R>(1, usize::MAX));
            let mut keep = KeepBest::default();
            let mut search = Reshape::<R>::new(&params(vec![start.clone()]), &unit(60_000));
            assert_eq!(search.run(&mut keep), End::IterationLimit, "{variant}");
            assert!(keep.best.len() > start.len() + 3, "{variant}: {} from {}", keep.best.len(), start.len());
            assert!(Position::<R>::after(&keep.best).is_ok(), "{variant}");
            for member in search.own.old.members() {
                assert!(Position::<R>::after(&moves(&member.moves)).is_ok(), "{variant}");
            }
            assert!(search.own.old.members().len() > 3 && search.own.young.members().is_empty());
        });
    }
}

#[test]
fn barred_moves_are_never_played() {
    let prefix = moves(&game::<T5>(6, 2));
    let legal = Position::<T5>::after(&prefix).unwrap().moves().to_vec();
    let unit = Unit { prefix: prefix.clone(), candidates: Some(legal[3..].to_vec()), ..unit(300_000) };
    let mut search = Reshape::<T5>::new(&Params { patience: Some(1_000_000), ..params(Vec::new()) }, &unit);
    let mut keep = KeepBest::default();
    search.run(&mut keep);
    assert!(search.own.steps > 100, "{} steps", search.own.steps);
    let all = search.own.old.members().iter().chain(search.own.young.members());
    for grid in all.map(|member| moves(&member.moves)) {
        assert!(Position::<T5>::after(&[&prefix[..], &grid].concat()).is_ok());
        assert!(legal[..3].iter().all(|mv| !grid.contains(mv)));
    }
    assert_eq!(keep.best[..2], prefix);
}

/// Without grids each round begins with a tempering of its own; steps from what it leaves come after it, then for as long from
/// what all rounds so far have left; interrupted and restored it does the same.
#[test]
fn without_grids_rounds_of_new_and_old_grids_take_turns() {
    let params = Params { patience: Some(1_000_000), refiners: 0, ..params(Vec::new()) };
    let mut search = Reshape::<T5>::new(&params, &unit(u64::MAX));
    assert!(search.start.is_some());
    let mut keep = KeepBest { limit: Some(1), ..KeepBest::default() };
    let (mut phases, mut best, mut restored) = (Vec::<Round>::new(), 0, 0);
    while phases.len() < 4 {
        assert_eq!(search.run(&mut keep), End::Stopped, "{phases:?}");
        let round = &search.own.round;
        if phases.last().is_none_or(|last| (last.number, last.old) != (round.number, round.old)) {
            phases.push(round.clone());
        }
        let longest = search.own.young.best().max(search.own.old.best());
        assert!(longest >= best, "the longest grid is lost");
        best = longest;
        keep.limit = Some(search.iterations() + 2_000);
        if search.own.steps.is_multiple_of(7) {
            search = Reshape::<T5>::restore(&params, &unit(u64::MAX), &search.save()).unwrap();
            restored += 1;
        }
    }
    assert!(restored > 10, "restored {restored} times");
    let mut whole = Reshape::<T5>::new(&params, &unit(u64::MAX));
    whole.run(&mut KeepBest { limit: Some(search.iterations()), ..KeepBest::default() });
    assert_eq!(whole.save(), search.save());
    for (at, round) in (0..).zip(&phases) {
        // The first round has nothing before it.
        let (number, old) = (at / 2 + u64::from(at > 0), at > 0 && at % 2 == 0);
        assert_eq!((round.number, round.old), (number, old), "{phases:?}");
    }
    assert_eq!(best, keep.best.len());
}

#[test]
fn a_run_from_grids_ends_when_nothing_longer_comes() {
    let params = Params { patience: Some(3_000), ..params(vec![moves(&game::<T5>(1, usize::MAX))]) };
    let mut search = Reshape::<T5>::new(&params, &unit(u64::MAX));
    let mut keep = KeepBest::default();
    assert_eq!(search.run(&mut keep), End::Finished);
    assert!(search.own.games >= search.own.found_at + 3_000 && search.own.found_at > 0);
    assert_eq!(search.own.old.best(), keep.best.len());
}

#[test]
fn a_state_of_another_form_or_with_a_grid_that_is_not_legal_is_refused() {
    let params = params(vec![moves(&game::<T5>(3, usize::MAX))]);
    let mut search = Reshape::<T5>::new(&params, &unit(5_000));
    search.run(&mut KeepBest::default());
    let saved = search.save();
    assert_eq!(Reshape::<T5>::restore(&params, &unit(5_000), &saved).unwrap().save(), saved);
    let refused = |bytes: &[u8]| match Reshape::<T5>::restore(&params, &unit(5_000), bytes) {
        Ok(_) => panic!("it was taken"),
        Err(error) => error.to_string(),
    };
    let other = [&[FORM + 1], &saved[1..]].concat();
    assert!(refused(&other).contains("another version"), "{}", refused(&other));
    search.own.old.insert(&[params.grids[0].last().unwrap().bits()], 1);
    assert!(refused(&search.save()).contains("not legal"));
}

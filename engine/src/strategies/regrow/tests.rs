//! Tests of regrowth.

use super::state::{FORM, Round};
use super::*;
use crate::core::ctl::KeepBest;
use crate::morpion::variant::{T5, Variant};
use crate::strategies::choices::tests::game;
use crate::strategies::params::Strategy;
use crate::with_rules;
use std::collections::HashSet;

fn params(grids: Vec<Vec<Move>>) -> Params {
    Params {
        strategy: Strategy::Regrow,
        level: Some(2),
        iterations: Some(60),
        patience: Some(400_000),
        grids,
        ..Params::default()
    }
}

fn unit(max_iterations: u64) -> Unit {
    Unit { prefix: Vec::new(), candidates: None, seed: 9, max_iterations: Some(max_iterations), known_best: 0 }
}

#[test]
fn a_beginning_is_legal_is_of_the_grid_and_has_its_length_and_every_one_can_come() {
    for variant in Variant::ALL {
        with_rules!(variant, R => {
            let grid = game::<R>(4, usize::MAX);
            let whole: HashSet<Move> = grid.iter().copied().collect();
            let mut firsts = HashSet::new();
            for seed in 0..200 {
                let count = 1 + seed as usize % grid.len();
                let kept = beginning(&Position::<R>::new(), &grid, count, &mut seed::rng(seed, &[]));
                assert_eq!(kept.len(), count, "{variant}");
                assert!(kept.iter().all(|mv| whole.contains(mv)));
                assert!(Position::<R>::after(&kept).is_ok(), "{variant}: {kept:?}");
                firsts.insert(kept[0]);
            }
            let start = Position::<R>::new();
            let of_start = start.moves().iter().filter(|mv| whole.contains(mv)).count();
            assert_eq!(firsts.len(), of_start, "{variant}: any move that the start allows can be the first");
        });
    }
}

/// From a given grid: each step keeps a beginning of a grid of the pool, and longer ones are found.
#[test]
fn a_grid_grows_longer_and_each_step_keeps_what_it_should() {
    let start = game::<T5>(1, usize::MAX);
    let mut keep = KeepBest { limit: Some(1), ..KeepBest::default() };
    let mut search = Regrow::<T5>::new(&params(vec![start.clone()]), &unit(2_000_000));
    let (mut steps, mut ends, mut refined) = (0, 0, 0);
    while search.run(&mut keep) == End::Stopped {
        refined += usize::from(matches!(search.inner, Some(InnerSearch::Refine(_))));
        if let Some(InnerSearch::Step(nrpa, kept)) = &search.inner
            && search.state.steps >= steps
        {
            steps = search.state.steps + 1;
            let lengths =
                search.state.old.members().iter().filter(|member| kept.iter().all(|mv| member.moves.contains(mv)));
            let lengths: Vec<usize> = lengths.map(|member| member.moves.len()).collect();
            assert!(
                lengths.iter().any(|&n| (n / 5..=n * 3 / 10).contains(&kept.len())),
                "{} of {lengths:?}",
                kept.len()
            );
            assert!(nrpa.best_game().len() >= kept.len());
            ends += 1;
        }
        keep.limit = Some(search.iterations() + 1_000);
    }
    assert!(ends > 3 && refined > 20, "{ends} steps were seen, {refined} times one was refined");
    assert!(keep.best.len() > start.len() + 10, "{} from {}", keep.best.len(), start.len());
    assert_eq!(search.best() as usize, keep.best.len());
    assert!(Position::<T5>::after(&keep.best).is_ok());
}

#[test]
fn a_step_keeps_as_many_moves_as_it_is_told() {
    let start = game::<T5>(2, usize::MAX);
    let params = Params { keep: Some(17), ..params(vec![start.clone()]) };
    let mut search = Regrow::<T5>::new(&params, &unit(200_000));
    let mut keep = KeepBest { limit: Some(500), ..KeepBest::default() };
    assert_eq!(search.run(&mut keep), End::Stopped);
    let Some(InnerSearch::Step(_, kept)) = &search.inner else { panic!("a step is under way") };
    assert_eq!(kept.len(), 17);
    assert!(kept.iter().all(|mv| start.contains(mv)));
}

/// Without grids each round begins with a tempering of its own; what it leaves is grown anew alone, then what all
/// rounds have left for as long, and every game is counted once; interrupted and restored it does the same.
#[test]
fn without_grids_rounds_of_new_and_old_grids_take_turns() {
    let params = Params { iterations: Some(20), patience: Some(200_000), refiners: 0, ..params(Vec::new()) };
    let mut search = Regrow::<T5>::new(&params, &unit(u64::MAX));
    assert!(matches!(search.inner, Some(InnerSearch::Start(_))));
    let mut keep = KeepBest { limit: Some(1), ..KeepBest::default() };
    let (mut phases, mut starts, mut best, mut restored) = (Vec::<Round>::new(), HashSet::new(), 0, 0);
    while phases.len() < 4 {
        assert_eq!(search.run(&mut keep), End::Stopped, "{phases:?}");
        let state = &search.state;
        if phases.last().is_none_or(|last| (last.number, last.old) != (state.round.number, state.round.old)) {
            phases.push(state.round.clone());
            assert!(state.young.best() == 0 || !state.round.old, "what is left of a round is in the other pool");
        }
        if matches!(search.inner, Some(InnerSearch::Start(_))) {
            assert!(!state.round.old);
            starts.insert(state.round.number);
        }
        let longest = state.young.best().max(state.old.best());
        assert!(longest >= best, "the longest grid is lost");
        best = longest;
        keep.limit = Some(search.iterations() + 500);
        if search.iterations() % 7 == 0 {
            search = Regrow::<T5>::restore(&params, &unit(u64::MAX), &search.save()).unwrap();
            restored += 1;
        }
    }
    assert!(restored > 20, "restored {restored} times");
    let mut whole = Regrow::<T5>::new(&params, &unit(u64::MAX));
    whole.run(&mut KeepBest { limit: Some(search.iterations()), ..KeepBest::default() });
    assert_eq!(whole.save(), search.save());
    for (at, round) in (0..).zip(&phases) {
        // The first round has nothing before it.
        let (number, old) = (at / 2 + u64::from(at > 0), at > 0 && at % 2 == 0);
        assert_eq!((round.number, round.old), (number, old), "{phases:?}");
        assert!(old || starts.contains(&number), "{starts:?}");
    }
    for pair in phases.windows(2).filter(|pair| pair[0].old) {
        assert!(pair[1].began - pair[0].began >= pair[0].share && pair[0].share > 0, "{pair:?}");
    }
    let counted: Vec<u64> = search.results().iter().map(Histogram::total).collect();
    // Draws and conflicts of the solver are not playouts, and what a tempering has made is reshaped in a step without
    // a nested search.
    assert!((1..search.state.playouts).contains(&counted[0]), "{counted:?}");
    let steps = search.state.steps;
    assert!((steps - starts.len() as u64..steps).contains(&counted[2]), "{counted:?} of {steps}");
    assert_eq!(best, keep.best.len());
}

#[test]
fn a_run_from_grids_ends_when_nothing_longer_comes() {
    let params = Params { patience: Some(60_000), ..params(vec![game::<T5>(1, usize::MAX)]) };
    let mut search = Regrow::<T5>::new(&params, &unit(u64::MAX));
    let mut keep = KeepBest::default();
    assert_eq!(search.run(&mut keep), End::Finished);
    assert!(search.state.playouts >= search.state.found_at + 60_000 && search.state.found_at > 0);
    assert_eq!((search.state.old.best(), search.state.young.best()), (keep.best.len(), 0));
    assert_eq!(search.state.round, Round { old: true, found_at: search.state.round.found_at, ..Round::default() });
}

#[test]
fn a_state_of_another_form_or_with_a_grid_that_is_not_legal_is_refused() {
    let params = params(vec![game::<T5>(3, usize::MAX)]);
    let mut search = Regrow::<T5>::new(&params, &unit(30_000));
    search.run(&mut KeepBest { limit: Some(500), ..KeepBest::default() });
    let saved = search.save();
    assert_eq!(Regrow::<T5>::restore(&params, &unit(30_000), &saved).unwrap().save(), saved);
    let refused = |bytes: &[u8]| match Regrow::<T5>::restore(&params, &unit(30_000), bytes) {
        Ok(_) => panic!("it was taken"),
        Err(error) => error.to_string(),
    };
    let other = [&[FORM + 1], &saved[1..]].concat();
    assert!(refused(&other).contains("another version"), "{}", refused(&other));
    // A step that keeps a move which nothing supports.
    let Some(InnerSearch::Step(_, kept)) = &mut search.inner else { panic!("a step is under way") };
    *kept = vec![*params.grids[0].last().unwrap()];
    assert!(refused(&search.save()).contains("not legal"));
}

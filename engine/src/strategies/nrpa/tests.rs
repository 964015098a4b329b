//! NRPA against slow definitions: a softmax by sums, an adaptation step by step in double precision, the same
//! results with every extension and over interruptions.

use super::lesson::Lesson;
use super::playout::Playout;
use super::policy::{MAX_LOGIT, Policy, code};
use super::*;
use crate::core::ctl::KeepBest;
use crate::morpion::position::Position;
use crate::morpion::variant::{T4, T5, Variant};
use crate::strategies::params::Strategy;
use crate::with_rules;
use std::collections::HashMap;

fn params(level: u32, iterations: u32, adapt: Adapt) -> Params {
    Params { strategy: Strategy::Nrpa, level: Some(level), iterations: Some(iterations), adapt, ..Params::default() }
}

fn unit(seed: u64) -> Unit {
    Unit { prefix: Vec::new(), candidates: None, seed, max_iterations: None, known_best: 0 }
}

/// Deep in a run: the policies of a search of level 3 after some calls, with logits as spread as they get.
fn deep<R: Rules>(seed: u64, adapt: Adapt) -> Nrpa<R> {
    let mut search = Nrpa::<R>::new(&params(3, 100, adapt), &unit(seed), None);
    search.run(&mut KeepBest { limit: Some(100 * 100 * 3 + 5_000), ..KeepBest::default() });
    search
}

/// The logits after one adaptation, by the definition: per step (or layer) a softmax over the legal moves.
fn adapt_by_definition<R: Rules>(
    form: Adapt,
    game: &[Move],
    alpha: f64,
    logit: &dyn Fn(Move) -> f64,
) -> HashMap<usize, f64> {
    let mut gains: HashMap<usize, f64> = HashMap::new();
    let mut logits: HashMap<usize, f64> = HashMap::new();
    let mut position = Position::<R>::new();
    let mut left = game.to_vec();
    while !left.is_empty() {
        let step: Vec<Move> = match form {
            Adapt::Sequence => vec![left[0]],
            Adapt::Layers => left.iter().copied().filter(|&m| position.board().is_legal(m)).collect(),
        };
        let largest = position.moves().iter().map(|&m| logit(m)).fold(f64::MIN, f64::max);
        let z: f64 = position.moves().iter().map(|&m| (logit(m) - largest).exp()).sum();
        for &mv in position.moves() {
            logits.insert(code(mv), logit(mv));
            let probability = (logit(mv) - largest).exp() / z;
            *gains.entry(code(mv)).or_default() -= alpha * step.len() as f64 * probability;
        }
        for mv in step {
            *gains.entry(code(mv)).or_default() += alpha;
            position.play(mv);
            left.retain(|&m| m != mv);
        }
    }
    gains.into_iter().map(|(code, gain)| (code, logits[&code] + gain)).collect()
}

/// The interval sums against plain double precision, on policies from deep in a run: every logit that the step
/// changes, to 2e-4, over repeated adaptations.
#[test]
fn adaptation_agrees_with_its_definition_in_double_precision() {
    for form in [Adapt::Sequence, Adapt::Layers] {
        for (variant, seed) in [(Variant::T5, 1), (Variant::D5, 3), (Variant::T4, 4), (Variant::D4, 5)] {
            with_rules!(variant, R => {
                let mut search = deep::<R>(seed, form);
                let game = search.nests[2].best.moves().to_vec();
                // Three real policies, and one with logits as far apart as the bound lets them be.
                let mut policies: Vec<Policy> = search.nests.iter().map(|n| n.policy.clone()).collect();
                let mut wild = policies[0].clone();
                for (i, (code, _)) in wild.clone().entries().into_iter().enumerate() {
                    let logit = (i * 7919 % 797) as f32 / 797.0 * 76.0 - 38.0;
                    wild.set_mean(code as usize, (-logit).exp());
                }
                policies.push(wild);
                let widest = policies[0].entries().iter().map(|&(_, m)| m.ln().abs()).fold(0.0, f32::max);
                assert!(widest > 4.0, "{variant}: the policy is too flat to test with: {widest}");
                for (nest, mut policy) in policies.into_iter().enumerate() {
                    let mut lesson = Lesson::new();
                    let best = search.nests[2].best.clone();
                    lesson.prepare::<R>(form, search.playout.start(), &mut search.board, &best, &mut policy);
                    for _ in 0..5 {
                        let before = policy.clone();
                        lesson.adapt(1.0, &mut policy);
                        let logit = |mv: Move| -f64::from(before.mean(code(mv))).ln();
                        let wanted = adapt_by_definition::<R>(form, &game, 1.0, &logit);
                        assert_eq!(wanted.len(), lesson.codes().len(), "distinct moves of the game");
                        for (&code, &logit) in &wanted {
                            let got = -f64::from(policy.mean(code)).ln();
                            let wanted = logit.clamp(-f64::from(MAX_LOGIT), f64::from(MAX_LOGIT));
                            assert!(
                                (got - wanted).abs() < 2e-4,
                                "{variant} {form:?} seed {seed} nest {nest}: code {code} is {got}, wanted {wanted}"
                            );
                        }
                    }
                }
            });
        }
    }
}

/// Clocks choose as a softmax does: first moves of many playouts under a skewed policy, by a chi-square test with a
/// fixed seed, and pairs of first and second move.
#[test]
fn clocks_draw_from_the_softmax() {
    let position = Position::<T5>::new();
    let mut policy = Policy::uniform();
    let codes: Vec<u32> = position.moves().iter().map(|&m| code(m) as u32).collect();
    policy.cover(&codes);
    for (i, &code) in codes.iter().enumerate() {
        policy.set_mean(code as usize, (-(i as f32) / 9.0).exp());
    }
    let mut playout = Playout::<T5>::new(position.board().clone(), position.moves(), 485);
    let mut clocks = ClockStream::new(99);
    let games = 200_000;
    let mut first: HashMap<usize, f64> = HashMap::new();
    let mut second: HashMap<(usize, usize), f64> = HashMap::new();
    for _ in 0..games {
        // SAFETY: plain Rust runs anywhere.
        unsafe { playout.play::<crate::strategies::vector::extension::PlainVectors>(&policy, &mut clocks) };
        let moves = playout.game.moves();
        let (a, b) = (code(moves[0]), code(moves[1]));
        *first.entry(a).or_default() += 1.0;
        *second.entry((a, b)).or_default() += 1.0;
    }
    let probability = |position: &Position<T5>, wanted: usize| {
        let weight = |m: &Move| 1.0 / f64::from(policy.mean(code(*m)));
        let z: f64 = position.moves().iter().map(weight).sum();
        let chosen: f64 = position.moves().iter().filter(|&&m| code(m) == wanted).map(weight).sum();
        chosen / z
    };
    let mut chi = 0.0;
    for &code in &codes {
        let expected = f64::from(games) * probability(&position, code as usize);
        chi += (first.get(&(code as usize)).copied().unwrap_or(0.0) - expected).powi(2) / expected;
    }
    // 27 degrees of freedom: above 60 once in 4,000 seeds.
    assert!(chi < 60.0, "chi-square of the first move: {chi}");
    for &mv in &position.moves()[20..] {
        let mut after = position.clone();
        after.play(mv);
        let n = first[&code(mv)];
        for &next in after.moves() {
            let expected = n * probability(&after, code(next));
            let got = second.get(&(code(mv), code(next))).copied().unwrap_or(0.0);
            assert!(
                (got - expected).abs() < 5.5 * (expected + 1.0).sqrt(),
                "{mv:?} then {next:?}: {got} games, {expected:.1} expected"
            );
        }
    }
}

/// Every extension of this processor gives the same games, policies and bytes.
#[test]
fn extensions_agree() {
    for variant in Variant::ALL {
        for form in [Adapt::Sequence, Adapt::Layers] {
            let results: Vec<(VectorExtension, u32, Vec<u8>)> = VectorExtension::ALL
                .into_iter()
                .filter(|extension| extension.available())
                .map(|extension| {
                    with_rules!(variant, R => {
                        let mut search = Nrpa::<R>::with_extension(&params(3, 20, form), &unit(17), None, extension);
                        let mut ctl = KeepBest { limit: Some(6_000), ..KeepBest::default() };
                        search.run(&mut ctl);
                        (extension, search.best(), search.save())
                    })
                })
                .collect();
            for result in &results[1..] {
                assert_eq!(result.1, results[0].1, "{variant} {form:?} {:?}", result.0);
                assert!(result.2 == results[0].2, "{variant} {form:?}: the states of {:?} differ", result.0);
            }
        }
    }
}

/// Stopped and restored at any call of level 1, a search ends as if it had run through.
#[test]
fn interruption_changes_nothing() {
    for form in [Adapt::Sequence, Adapt::Layers] {
        let (params, unit) = (params(3, 8, form), unit(23));
        let mut through = Nrpa::<T5>::new(&params, &unit, None);
        let mut whole = KeepBest::default();
        assert_eq!(through.run(&mut whole), End::Finished);
        assert_eq!(through.iterations(), 8 * 8 * 8);
        let mut search = Nrpa::<T5>::new(&params, &unit, None);
        let mut pieces = KeepBest::default();
        for stop in (0..512).step_by(24) {
            pieces.limit = Some(stop);
            assert_eq!(search.run(&mut pieces), End::Stopped);
            search = Nrpa::restore(&params, &unit, None, &search.save()).expect("its own state");
        }
        pieces.limit = None;
        assert_eq!(search.run(&mut pieces), End::Finished);
        assert_eq!(pieces.best, whole.best, "{form:?}");
        assert!(search.save() == through.save(), "{form:?}: the final states differ");
    }
}

/// A long call of level 1 hears a stop on its way; run again, it does what it would have done.
#[test]
fn a_long_call_is_stopped_and_run_again() {
    let (params, unit) = (params(1, 10_000, Adapt::Sequence), unit(31));
    let mut through = Nrpa::<T4>::new(&params, &unit, None);
    let mut whole = KeepBest::default();
    assert_eq!(through.run(&mut whole), End::Finished);
    let mut search = Nrpa::<T4>::new(&params, &unit, None);
    let mut pieces = KeepBest { limit: Some(5_000), ..KeepBest::default() };
    assert_eq!(search.run(&mut pieces), End::Stopped);
    assert!((5_000..10_000).contains(&pieces.iterations), "stopped after {}", pieces.iterations);
    assert_eq!(search.iterations(), 0);
    pieces.limit = None;
    assert_eq!(search.run(&mut pieces), End::Finished);
    assert_eq!((pieces.best, search.save()), (whole.best, through.save()));
}

/// All that is reported is legal, ends without a legal move, and has the score that was said.
#[test]
fn games_are_legal_and_finished() {
    for variant in Variant::ALL {
        with_rules!(variant, R => {
            for seed in 0..3 {
                let mut search = Nrpa::<R>::new(&params(2, 30, Adapt::Sequence), &unit(seed), None);
                let mut ctl = KeepBest::default();
                search.run(&mut ctl);
                let position = Position::<R>::after(&ctl.best).expect("a legal game");
                assert!(position.moves().is_empty(), "{variant} seed {seed}: moves are left");
                assert_eq!(position.score(), search.best());
            }
        });
    }
}

#[test]
fn a_unit_with_a_prefix_or_a_limit_keeps_to_it() {
    let mut position = Position::<T4>::new();
    for _ in 0..10 {
        let mv = position.moves()[0];
        position.play(mv);
    }
    let unit = Unit {
        prefix: position.played().to_vec(),
        candidates: None,
        seed: 3,
        max_iterations: Some(777),
        known_best: 0,
    };
    let mut search = Nrpa::<T4>::new(&params(3, 20, Adapt::Sequence), &unit, None);
    let mut ctl = KeepBest::default();
    assert_eq!(search.run(&mut ctl), End::IterationLimit);
    assert_eq!(search.iterations(), 777);
    assert_eq!(ctl.best[..10], *position.played());
    assert_eq!(ctl.best.len() as u32, search.best());
}

/// A search that settles ends with its best, early, and is until then the one that does not.
#[test]
fn a_search_that_has_settled_ends() {
    let params = params(2, 60, Adapt::Sequence);
    let (mut early, mut least) = (0, u64::MAX);
    for seed in 0..20 {
        let mut whole = Nrpa::<T5>::new(&params, &unit(seed), None);
        assert_eq!(whole.run(&mut KeepBest::default()), End::Finished);
        let mut search = Nrpa::<T5>::new(&params, &unit(seed), None).settling(5);
        let mut keep = KeepBest::default();
        assert_eq!(search.run(&mut keep), End::Finished);
        let best = search.best();
        assert_eq!((search.best_game().len(), keep.best.len()), (best as usize, best as usize));
        let calls = search.results()[1].total();
        assert_eq!((search.results()[2].count(best as usize), search.results()[2].total()), (1, 1));
        assert_eq!((search.iterations(), whole.results()[1].total()), (calls * 60, 60));
        if calls < 60 {
            (early, least) = (early + 1, least.min(search.results()[1].count(best as usize)));
            // Restored, it has settled still.
            let mut again = Nrpa::<T5>::restore(&params, &unit(seed), None, &search.save()).unwrap().settling(5);
            assert_eq!((again.run(&mut KeepBest::default()), again.iterations()), (End::Finished, calls * 60));
        }
    }
    assert!(early > 5 && least == 5, "{early} of 20 ended early, after {least} results");
}

#[test]
fn a_start_without_moves_ends_at_once() {
    let mut position = Position::<T4>::new();
    while let Some(&mv) = position.moves().last() {
        position.play(mv);
    }
    let unit =
        Unit { prefix: position.played().to_vec(), candidates: None, seed: 3, max_iterations: None, known_best: 0 };
    let mut search = Nrpa::<T4>::new(&params(2, 5, Adapt::Layers), &unit, None);
    let mut ctl = KeepBest::default();
    assert_eq!(search.run(&mut ctl), End::Finished);
    assert_eq!(ctl.best, position.played());
}

#[test]
fn damaged_states_are_refused() {
    let (params, unit) = (params(3, 8, Adapt::Sequence), unit(5));
    let mut search = Nrpa::<T5>::new(&params, &unit, None);
    search.run(&mut KeepBest { limit: Some(200), ..KeepBest::default() });
    let saved = search.save();
    for cut in [0, 1, saved.len() / 2, saved.len() - 1] {
        assert!(Nrpa::<T5>::restore(&params, &unit, None, &saved[..cut]).is_err(), "cut to {cut}");
    }
    let mut refused = 0;
    for at in 0..saved.len().min(600) {
        let mut bytes = saved.clone();
        bytes[at] ^= 0xFF;
        refused += u32::from(Nrpa::<T5>::restore(&params, &unit, None, &bytes).is_err());
    }
    assert!(refused > 100, "only {refused} of 600 damaged states were refused");
    let other = Params { level: Some(4), ..params.clone() };
    assert!(Nrpa::<T5>::restore(&other, &unit, None, &saved).is_err(), "another number of levels");
}

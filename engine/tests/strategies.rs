//! The strategies seen from outside: exactness against plain enumeration, the whole trace of a search against a
//! slow model of it, stopping and restoring, the walk over prefixes, hostile saved states.

use morpion_engine::core::ctl::{Ctl, Signal};
use morpion_engine::core::histogram::Histogram;
use morpion_engine::core::search::{End, Search};
use morpion_engine::core::seed;
use morpion_engine::morpion::canonical::canonical_lines;
use morpion_engine::morpion::dominance::is_dominated;
use morpion_engine::morpion::geometry::Move;
use morpion_engine::morpion::position::Position;
use morpion_engine::morpion::variant::{Rules, Variant};
use morpion_engine::strategies::params::{Jump, JumpTo, Jumps, JumpsFrom, Params, Sort, StallTable, Strategy};
use morpion_engine::strategies::prefix::prefix_walk;
use morpion_engine::strategies::{Unit, resume, start};
use morpion_engine::with_rules;
use rand::{Rng, RngExt};
use std::collections::HashSet;

/// Games of so many moves are asked for: about every thousandth random one of 4T.
const KEEP_FROM: u32 = 49;

/// What a search has reported.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Trace {
    improvements: Vec<(u64, Vec<Move>)>,
    /// Games of at least `KEEP_FROM` moves.
    found: Vec<(u64, Vec<Move>)>,
    results: Vec<Histogram>,
    end: Option<End>,
    iterations: u64,
    best: u32,
}

/// A control that writes the trace down, stops with some probability at a poll, and keeps some checkpoints.
struct Recorder<'a> {
    trace: Trace,
    stop: f64,
    rng: &'a mut dyn Rng,
    /// A saved state with the numbers of improvements and of games found until then.
    checkpoint: Option<(Vec<u8>, usize, usize)>,
}

impl Ctl<Move> for Recorder<'_> {
    fn poll(&mut self, iterations: u64, best: u32) -> Signal {
        assert!(iterations >= self.trace.iterations && best >= self.trace.best);
        (self.trace.iterations, self.trace.best) = (iterations, best);
        if self.stop > 0.0 && self.rng.random_bool(self.stop) { Signal::Stop } else { Signal::Continue }
    }

    fn offer_checkpoint(&mut self, save: &mut dyn FnMut() -> Vec<u8>) {
        if self.stop > 0.0 && self.rng.random_bool(self.stop) {
            self.checkpoint = Some((save(), self.trace.improvements.len(), self.trace.found.len()));
        }
    }

    fn improved(&mut self, moves: &[Move], iterations: u64) {
        if let Some((_, last)) = self.trace.improvements.last() {
            assert!(moves.len() > last.len());
        }
        self.trace.improvements.push((iterations, moves.to_vec()));
    }

    fn keep_from(&self) -> u32 {
        KEEP_FROM
    }

    fn found(&mut self, moves: &[Move], iterations: u64) {
        assert!(moves.len() >= KEEP_FROM as usize);
        self.trace.found.push((iterations, moves.to_vec()));
    }
}

fn exact() -> Params {
    Params { jumps: Jumps::none(), stall: StallTable(vec![]), ..Params::default() }
}

fn unit(prefix: &[Move], candidates: Option<Vec<Move>>, max_iterations: Option<u64>) -> Unit {
    Unit { prefix: prefix.to_vec(), candidates, seed: 1, max_iterations, known_best: 0 }
}

fn finish(search: &mut dyn Search<Move>, trace: &mut Trace, end: End) {
    (trace.end, trace.iterations, trace.best) = (Some(end), search.iterations(), search.best());
    trace.results = search.results().to_vec();
}

/// Runs a unit to its end without a stop.
fn run(variant: Variant, params: &Params, unit: &Unit) -> Trace {
    let mut search = start(variant, params, unit);
    let rng = &mut seed::rng(0, &[]);
    let mut ctl = Recorder { trace: Trace::default(), stop: 0.0, rng, checkpoint: None };
    let end = search.run(&mut ctl);
    let mut trace = ctl.trace;
    finish(search.as_mut(), &mut trace, end);
    for (_, moves) in trace.improvements.iter().chain(&trace.found) {
        with_rules!(variant, R => assert!(Position::<R>::after(moves).is_ok()));
    }
    if let Some((_, moves)) = trace.improvements.last() {
        assert_eq!(moves.len() as u32, trace.best);
    }
    trace
}

/// A random game of the variant.
fn random_game<R: Rules>(rng: &mut impl Rng) -> Vec<Move> {
    let mut position = Position::<R>::new();
    while !position.moves().is_empty() {
        position.play(position.moves()[rng.random_range(0..position.moves().len())]);
    }
    position.played().to_vec()
}

/// Number of grids (sets of moves) that can be reached from the position, and the best score; `None` beyond `limit`
/// grids.
fn enumerate<R: Rules>(start: &[Move], limit: usize) -> Option<(usize, usize)> {
    let mut level = vec![Position::<R>::after(start).unwrap()];
    let (mut grids, mut best) = (0, 0);
    while let Some(first) = level.first() {
        best = first.played().len();
        grids += level.len();
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for position in &level {
            for &mv in position.moves() {
                let mut grid = position.played().to_vec();
                grid.push(mv);
                grid.sort_unstable();
                if seen.insert(grid) {
                    if grids + next.len() > limit {
                        return None;
                    }
                    next.push(position.clone());
                    next.last_mut().unwrap().play(mv);
                }
            }
        }
        level = next;
    }
    Some((grids, best))
}

/// Positions about 9 to 12 moves before the end of random games that can be searched in full by plain search, with
/// their numbers of grids and best scores.
fn late_positions<R: Rules>(seed: u64, games: u64, limit: usize) -> Vec<(Vec<Move>, usize, usize)> {
    let mut found = Vec::new();
    for game in 0..games {
        let rng = &mut seed::rng(seed, &[R::VARIANT as u64, game]);
        let moves = random_game::<R>(rng);
        let late = (6..=12).rev().find_map(|left| {
            let start = &moves[..moves.len().saturating_sub(left)];
            enumerate::<R>(start, limit).map(|(grids, best)| (start.to_vec(), grids, best))
        });
        found.extend(late);
    }
    assert!(found.len() as u64 * 2 > games, "most games give a position");
    found
}

#[test]
fn exact_searches_agree_with_enumeration() {
    // How many searches that try moves in every order came to their end.
    let mut in_order = 0;
    for variant in Variant::ALL {
        with_rules!(variant, R => for (start, grids, best) in late_positions::<R>(21, 5, 1500) {
            let at = |params: &Params| format!("{variant} {params:?} {start:?}");
            for sort in [Sort::No, Sort::Coords, Sort::WeightsLines, Sort::LinesTotalWeights] {
                for eliminate_dominated in [false, true] {
                    let params = Params { sort, eliminate_dominated, ..exact() };
                    let trace = run(variant, &params, &unit(&start, None, None));
                    assert_eq!((trace.end, trace.best), (Some(End::Exhausted), best as u32), "{}", at(&params));
                    if eliminate_dominated {
                        assert!(trace.iterations <= grids as u64, "{}", at(&params));
                    } else {
                        // Every distinct grid once.
                        assert_eq!(trace.iterations, grids as u64, "{}", at(&params));
                    }
                }
            }
            for eliminate_dominated in [false, true] {
                let params = Params { order_free: false, eliminate_dominated, ..exact() };
                let trace = run(variant, &params, &unit(&start, None, Some(100_000)));
                if trace.end != Some(End::IterationLimit) {
                    in_order += 1;
                    assert_eq!((trace.end, trace.best), (Some(End::Exhausted), best as u32), "{}", at(&params));
                    assert!(eliminate_dominated || trace.iterations >= grids as u64);
                }
            }
            for sort in [Sort::TotalWeightsMax, Sort::WeightsMax] {
                let trace = run(variant, &Params { sort, ..exact() }, &unit(&start, None, None));
                assert!(trace.end == Some(End::Finished) && trace.best <= best as u32);
            }
        });
    }
    assert!(in_order >= 10, "only {in_order} searches in every order came to their end");
}

/// The depth-first search as it is described, in the simplest code: lists as vectors, one counter per jump.
struct Model<'a, R: Rules> {
    params: &'a Params,
    position: Position<R>,
    trace: Trace,
    counters: Vec<u64>,
    jumped: bool,
    limit: u64,
    /// What jumps are measured from if it is more than the unit's own best.
    known_best: u32,
}

enum Unwind {
    Done,
    To(usize),
    End(End),
}

impl<R: Rules> Model<'_, R> {
    /// One recursive call.
    fn call(&mut self, list: &[Move], depth_of_unit: usize) -> Unwind {
        let score = self.position.played().len();
        self.trace.iterations += 1;
        self.counters.iter_mut().for_each(|n| *n += 1);
        if score as u32 > self.trace.best || self.trace.iterations == 1 {
            self.trace.best = score as u32;
            self.counters.fill(0);
            self.trace.improvements.push((self.trace.iterations, self.position.played().to_vec()));
        }
        if self.trace.iterations >= self.limit {
            return Unwind::End(End::IterationLimit);
        }
        if self.params.stall.stalled(self.trace.best, self.trace.iterations) {
            return Unwind::End(End::Stalled);
        }
        for (i, jump) in self.params.jumps.0.iter().enumerate().rev() {
            if self.counters[i] >= jump.after {
                let target = match jump.to {
                    JumpTo::BestOver(n) => self.trace.best.max(self.known_best) / n,
                    JumpTo::Move(n) => n,
                };
                self.counters[..=i].fill(0);
                let target = (target as usize).max(depth_of_unit);
                if target < score {
                    self.jumped = true;
                    return Unwind::To(target);
                }
                break;
            }
        }
        for (i, &mv) in list.iter().enumerate() {
            let before = self.position.moves().to_vec();
            self.position.play(mv);
            let from = if self.params.order_free { &list[i + 1..] } else { list };
            let mut child: Vec<Move> = from.iter().copied().filter(|m| !m.collides::<R>(mv)).collect();
            for &new in self.position.moves() {
                let dropped = self.params.eliminate_dominated && is_dominated(self.position.board(), new);
                if !before.contains(&new) && !dropped {
                    child.push(new);
                }
            }
            if self.params.sort == Sort::Coords {
                child.sort_by_key(|m| (m.point().x(), m.point().y(), m.line()));
            }
            let unwind = self.call(&child, depth_of_unit);
            self.position.undo();
            match unwind {
                Unwind::Done => {}
                Unwind::To(target) if self.position.played().len() == target => {}
                other => return other,
            }
        }
        Unwind::Done
    }
}

/// Runs the model. Of the improvements on one way down only the last is reported by the search.
fn model<R: Rules>(params: &Params, start: &[Move], limit: u64, known_best: u32) -> Trace {
    let position = Position::<R>::after(start).unwrap();
    let mut list = position.moves().to_vec();
    list.sort_unstable();
    let counters = vec![0; params.jumps.0.len()];
    let mut model = Model { params, position, trace: Trace::default(), counters, jumped: false, limit, known_best };
    if params.sort == Sort::Coords {
        list.sort_by_key(|m| (m.point().x(), m.point().y(), m.line()));
    }
    let end = match model.call(&list, start.len()) {
        Unwind::End(end) => end,
        _ if model.jumped => End::Finished,
        _ => End::Exhausted,
    };
    model.trace.end = Some(end);
    let mut last = model.trace.improvements.clone();
    last.dedup_by(|next, kept| {
        let follows = next.0 == kept.0 + 1 && next.1.starts_with(&kept.1) && kept.0 > 1;
        if follows {
            std::mem::swap(next, kept);
        }
        follows
    });
    model.trace.improvements = last;
    model.trace
}

fn jump(after: u64, to: JumpTo) -> Jump {
    Jump { after, to }
}

#[test]
fn the_search_does_what_the_slow_model_does() {
    let tables = [
        Jumps::none(),
        Jumps(vec![jump(50, JumpTo::BestOver(2)), jump(250, JumpTo::BestOver(4)), jump(1000, JumpTo::Move(5))]),
        Jumps(vec![jump(1, JumpTo::Move(20))]),
        Jumps(vec![jump(300, JumpTo::Move(3)), jump(100, JumpTo::Move(12)), jump(777, JumpTo::Move(0))]),
    ];
    let stalls = [StallTable(vec![]), StallTable(vec![(30, 900), (300, 6000)])];
    for variant in Variant::ALL {
        for (number, jumps) in tables.iter().enumerate() {
            for (order_free, eliminate_dominated, sort) in
                [(true, true, Sort::Coords), (true, false, Sort::No), (false, true, Sort::Coords)]
            {
                for stall in &stalls {
                    let (jumps, stall) = (jumps.clone(), stall.clone());
                    let (known_best, jumps_from) =
                        if order_free { (0, JumpsFrom::Unit) } else { (61, JumpsFrom::Hunt) };
                    let params = Params {
                        order_free,
                        eliminate_dominated,
                        sort,
                        jumps,
                        jumps_from,
                        stall,
                        ..Params::default()
                    };
                    let rng = &mut seed::rng(31, &[number as u64, variant as u64]);
                    let game = with_rules!(variant, R => random_game::<R>(rng));
                    for start in [&game[..0], &game[..4], &game[..game.len() - 5]] {
                        let slow = with_rules!(variant, R => model::<R>(&params, start, 8000, known_best));
                        let mut list =
                            with_rules!(variant, R => Position::<R>::after(start).unwrap().moves().to_vec());
                        list.sort_unstable();
                        let unit = Unit { known_best, ..unit(start, Some(list), Some(8000)) };
                        let fast = run(variant, &params, &unit);
                        let at = format!("{variant} table {number} {params:?} after {start:?}");
                        let (end, iterations, best) = (slow.end, slow.iterations, slow.best);
                        assert_eq!((fast.end, fast.iterations, fast.best), (end, iterations, best), "{at}");
                        assert_eq!(fast.improvements.last(), slow.improvements.last(), "{at}");
                        let of = |trace: &Trace| trace.improvements.iter().map(|i| i.0).collect::<Vec<_>>();
                        assert_eq!(of(&fast), of(&slow), "{at}");
                    }
                }
            }
        }
    }
}

/// Runs a unit with stops at random polls, and at each stop goes on in the same search, in a restored one, or in
/// one restored from an earlier checkpoint.
fn run_with_stops(variant: Variant, params: &Params, unit: &Unit, rng: &mut dyn Rng) -> Trace {
    let mut search = start(variant, params, unit);
    let mut trace = Trace::default();
    loop {
        let mut ctl = Recorder { trace, stop: 0.3, rng: &mut *rng, checkpoint: None };
        let end = search.run(&mut ctl);
        let checkpoint = ctl.checkpoint.take();
        trace = ctl.trace;
        if end != End::Stopped {
            finish(search.as_mut(), &mut trace, end);
            assert_eq!(search.run(&mut Recorder { trace: trace.clone(), stop: 0.0, rng, checkpoint: None }), end);
            return trace;
        }
        let saved = match (rng.random_range(0..3), checkpoint) {
            (0, _) => continue,
            (1, Some((saved, reported, found))) => {
                trace.improvements.truncate(reported);
                trace.found.truncate(found);
                (trace.iterations, trace.best) = (0, 0);
                saved
            }
            _ => search.save(),
        };
        search = resume(variant, params, unit, &saved).unwrap();
        assert_eq!(search.save(), saved, "saving what was restored gives the same bytes");
    }
}

/// Each strategy on one variant, so that the variants are tried at the same time.
fn stopped_and_restored(variant: Variant) {
    for (strategy, level, limit) in [
        (Strategy::Dfs, 1, 60_000),
        (Strategy::Random, 1, 9_000),
        (Strategy::Nmcs, 3, 9_000),
        (Strategy::Nrpa, 3, 6_000),
        (Strategy::Perturb, 1, 12_000),
        (Strategy::Permute, 1, 16_000),
        (Strategy::Temper, 1, 20_000),
        (Strategy::Relax, 1, 120_000),
        (Strategy::Regrow, 2, 45_000),
        (Strategy::Reshape, 1, 30_000),
    ] {
        let jumps = Jumps(vec![jump(3_000, JumpTo::BestOver(2)), jump(20_000, JumpTo::Move(3))]);
        // The temperings that they begin with are soon over.
        let patience = match strategy {
            Strategy::Regrow => Some(30_000),
            Strategy::Reshape => Some(200_000),
            _ => None,
        };
        let params = Params { strategy, level: Some(level), jumps, patience, ..exact() };
        // Searches for lines of five take most of the time.
        let repeats = match variant {
            Variant::T5 => 1..2,
            Variant::D5 => 0..1,
            Variant::T4 | Variant::D4 => 0..3,
        };
        for repeat in repeats {
            let rng = &mut seed::rng(41, &[variant as u64, strategy as u64, repeat]);
            let game = with_rules!(variant, R => random_game::<R>(rng));
            let unit = unit(&game[..repeat as usize * 5], None, Some(limit));
            let whole = run(variant, &params, &unit);
            if strategy == Strategy::Regrow {
                assert!(whole.results[2].total() > 0, "{variant}: a search of the second phase has ended");
            }
            let parts = run_with_stops(variant, &params, &unit, rng);
            assert_eq!(parts, whole, "{variant} {strategy:?} repeat {repeat}");
        }
    }
}

#[test]
fn a_search_on_5t_stopped_and_restored_does_what_an_uninterrupted_one_does() {
    stopped_and_restored(Variant::T5);
}

#[test]
fn a_search_on_5d_stopped_and_restored_does_what_an_uninterrupted_one_does() {
    stopped_and_restored(Variant::D5);
}

#[test]
fn a_search_on_4t_stopped_and_restored_does_what_an_uninterrupted_one_does() {
    stopped_and_restored(Variant::T4);
}

#[test]
fn a_search_on_4d_stopped_and_restored_does_what_an_uninterrupted_one_does() {
    stopped_and_restored(Variant::D4);
}

/// Every result of every level is counted once, and every good one of those that are looked at is offered.
#[test]
fn results_are_counted_per_level_and_good_games_offered() {
    let counted = |trace: &Trace| trace.results.iter().map(Histogram::total).collect::<Vec<_>>();
    let good = |results: &Histogram| {
        results.counts().filter(|&(score, _)| score >= KEEP_FROM).map(|(_, count)| count).sum::<u64>() as usize
    };
    for variant in Variant::ALL {
        let nrpa = Params { strategy: Strategy::Nrpa, level: Some(3), iterations: Some(12), ..exact() };
        let trace = run(variant, &nrpa, &unit(&[], None, None));
        assert_eq!(counted(&trace), [12 * 12 * 12, 144, 12, 1], "{variant}");
        assert_eq!(trace.results[3].counts().next(), Some((trace.best, 1)), "{variant}");
        assert_eq!(trace.found.len(), good(&trace.results[1]), "{variant}");
        let means: Vec<f64> = trace.results.iter().filter_map(Histogram::mean).collect();
        assert!(means.is_sorted_by(|below, above| below < above), "{variant}: {means:?}");

        let random = Params { strategy: Strategy::Random, ..exact() };
        let trace = run(variant, &random, &unit(&[], None, Some(5_000)));
        assert_eq!((counted(&trace), trace.found.len()), (vec![5_000], good(&trace.results[0])), "{variant}");

        let game = with_rules!(variant, R => random_game::<R>(&mut seed::rng(3, &[])));
        let nmcs = Params { strategy: Strategy::Nmcs, level: Some(2), ..exact() };
        let trace = run(variant, &nmcs, &unit(&game[..game.len() * 2 / 3], None, None));
        let totals = counted(&trace);
        assert_eq!((totals[0], totals[2]), (trace.iterations, 1), "{variant}");
        assert!(totals[1] > 1 && totals[1] < totals[0], "{variant}: {totals:?}");
        assert_eq!(trace.results[2].quantile(1.0), Some(trace.best), "{variant}");
    }
    let dfs = Params { strategy: Strategy::Dfs, ..exact() };
    let trace = run(Variant::T5, &dfs, &unit(&[], None, Some(50_000)));
    assert!(trace.found.len() > 1_000 && trace.results.is_empty(), "{} leaves", trace.found.len());
}

#[test]
fn damaged_states_are_refused_or_searched_but_never_panic() {
    let rng = &mut seed::rng(51, &[]);
    for variant in Variant::ALL {
        for strategy in [
            Strategy::Dfs,
            Strategy::Random,
            Strategy::Nmcs,
            Strategy::Nrpa,
            Strategy::Perturb,
            Strategy::Permute,
            Strategy::Temper,
            Strategy::Relax,
            Strategy::Regrow,
            Strategy::Reshape,
        ] {
            let level = Some(if strategy.takes_grids() { 1 } else { 3 });
            let params = Params { strategy, level, stall: StallTable(vec![]), ..Params::default() };
            let unit = unit(&[], None, Some(3_000));
            let mut search = start(variant, &params, &unit);
            let mut ctl = Recorder { trace: Trace::default(), stop: 1.0, rng: &mut *rng, checkpoint: None };
            search.run(&mut ctl);
            let saved = search.save();
            assert!(resume(variant, &params, &unit, &saved).is_ok());
            // A state without its counts of results is one that was saved before there were any.
            let lengths = (0..40).chain((40..saved.len()).step_by(97)).filter(|&cut| cut < saved.len());
            let cuts = lengths.filter(|&cut| resume(variant, &params, &unit, &saved[..cut]).is_ok());
            assert!(cuts.count() <= 1, "{variant} {strategy:?}");
            for _ in 0..300 {
                let mut bytes = saved.clone();
                for _ in 0..rng.random_range(1..4) {
                    let at = rng.random_range(0..bytes.len());
                    bytes[at] = rng.random();
                }
                if let Ok(mut search) = resume(variant, &params, &unit, &bytes) {
                    let mut ctl = Recorder { trace: Trace::default(), stop: 1.0, rng: &mut *rng, checkpoint: None };
                    ctl.trace.improvements.clear();
                    search.run(&mut ctl);
                }
            }
        }
    }
}

#[test]
fn the_units_of_a_walk_search_what_one_search_does() {
    for variant in Variant::ALL {
        with_rules!(variant, R => for (start, _, best) in late_positions::<R>(61, 6, 1500) {
            for (eliminate_dominated, sort) in [(false, Sort::Coords), (true, Sort::Coords), (true, Sort::LinesWeights)] {
                let params = Params { eliminate_dominated, sort, ..exact() };
                let whole = run(variant, &params, &unit(&start, None, None));
                for depth in 0..5 {
                    let mut walk = prefix_walk(variant, &params, &start, depth);
                    let (mut top, mut nodes, mut inner) = (0, 0, HashSet::new());
                    while let Some(prefix) = walk.next() {
                        assert!(prefix.moves.len() as u32 <= start.len() as u32 + depth);
                        for n in start.len()..prefix.moves.len() {
                            inner.insert(prefix.moves[..n].to_vec());
                        }
                        let trace = run(variant, &params, &unit(&prefix.moves, Some(prefix.candidates), None));
                        assert_eq!(trace.end, Some(End::Exhausted));
                        top = top.max(trace.best);
                        nodes += trace.iterations;
                    }
                    assert_eq!(top, best as u32, "{variant} depth {depth} {params:?} {start:?}");
                    // Every node is entered by the walk or by one unit.
                    assert_eq!(nodes + inner.len() as u64, whole.iterations, "{variant} depth {depth} {params:?}");
                }
            }
        });
    }
}

/// The walk from the bare cross restricts the first move to one per class, and still meets every grid up to
/// symmetry: the counts are those of the facts of the puzzle.
#[test]
fn the_walk_from_the_cross_meets_every_grid_up_to_symmetry() {
    for (variant, counts) in [
        (Variant::T5, [4, 56, 428, 2741]),
        (Variant::D5, [4, 55, 404, 2462]),
        (Variant::T4, [5, 107, 1212, 11307]),
        (Variant::D4, [5, 106, 1174, 10608]),
    ] {
        for (order_free, sort, depths) in
            [(true, Sort::Coords, 4), (true, Sort::WeightsLines, 3), (false, Sort::No, 2)]
        {
            let params = Params { order_free, sort, eliminate_dominated: false, ..exact() };
            for (depth, &count) in (1..=depths).zip(&counts) {
                let mut walk = prefix_walk(variant, &params, &[], depth);
                let mut grids = HashSet::new();
                while let Some(prefix) = walk.next() {
                    // Shorter ones are grids whose other moves have all been tried before.
                    if prefix.moves.len() == depth as usize {
                        grids.insert(canonical_lines(variant, &prefix.moves));
                    }
                }
                assert_eq!(grids.len(), count, "{variant} depth {depth} {params:?}");
            }
        }
    }
}

#[test]
fn random_games_and_nested_searches_have_the_known_means() {
    for (variant, mean) in [(Variant::T5, 53.6), (Variant::D5, 42.9), (Variant::T4, 37.2), (Variant::D4, 24.1)] {
        let got = with_rules!(variant, R => {
            let mut search = morpion_engine::strategies::random::Random::<R>::new(&Params::default(), &unit(&[], None, Some(20_000)));
            let rng = &mut seed::rng(0, &[]);
            search.run(&mut Recorder { trace: Trace::default(), stop: 0.0, rng, checkpoint: None });
            search.mean()
        });
        assert!((got - mean).abs() < 0.3, "{variant}: mean {got} of random games");
    }
    // Cazenave 2009: 84.5 and 61 at level 1.
    for (variant, mean) in [(Variant::T5, 84.5), (Variant::D5, 61.0)] {
        let params = Params { strategy: Strategy::Nmcs, level: Some(1), ..Params::default() };
        let scores = (0..60).map(|seed| run(variant, &params, &Unit { seed, ..unit(&[], None, None) }));
        let got = scores.map(|trace| f64::from(trace.best)).sum::<f64>() / 60.0;
        assert!((got - mean).abs() < 2.0, "{variant}: mean {got} at level 1");
    }
}

#[test]
fn an_illegal_prefix_or_candidate_is_left_out() {
    let game = random_game::<morpion_engine::morpion::variant::T5>(&mut seed::rng(71, &[]));
    let wrong: Vec<Move> = game[..10].iter().chain(&game[..1]).chain(&game[10..]).copied().collect();
    for strategy in [Strategy::Dfs, Strategy::Random, Strategy::Nmcs] {
        let params = Params { strategy, level: Some(1), ..exact() };
        let trace = run(Variant::T5, &params, &unit(&wrong, Some(vec![game[0], game[10], game[10]]), Some(1)));
        assert_eq!(trace.improvements[0].1, game[..10], "{strategy:?}");
    }
    let ended = run(Variant::T5, &exact(), &unit(&game, None, None));
    assert_eq!((ended.end, ended.iterations, ended.best as usize), (Some(End::Exhausted), 1, game.len()));
}

//! Searches: for each case, what its seed gives, and what comes of a state that was saved in the middle.

use crate::{data, document, fresh, packed, unpacked};
use morpion::core::ctl::{Ctl, Signal};
use morpion::core::histogram::Histogram;
use morpion::core::search::{End, Search};
use morpion::core::seed;
use morpion::morpion::geometry::Move;
use morpion::morpion::position::Position;
use morpion::morpion::variant::{Rules, Variant};
use morpion::strategies::nrpa::Call;
use morpion::strategies::nrpa::policy::Snapshot;
use morpion::strategies::params::{Adapt, Jump, JumpTo, Jumps, Params, Sort, StallTable, Strategy};
use morpion::strategies::{Unit, resume, resume_call, start, start_call};
use morpion::with_rules;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// A search and what came of it.
#[derive(Debug, Serialize, Deserialize)]
struct Case {
    name: String,
    variant: Variant,
    /// As the file of a hunt holds them.
    params: Params,
    seed: u64,
    prefix: Vec<Move>,
    max_iterations: Option<u64>,
    /// Level and first call of level 1, if only one call is made.
    call: Option<(u32, u64)>,
    /// Grids of so many moves are asked for.
    keep_from: u32,
    whole: Trace,
    /// States that were saved on the way.
    states: Vec<State>,
}

/// A state, in a file of its own, and what came after it.
#[derive(Debug, Serialize, Deserialize)]
struct State {
    file: String,
    /// Iterations until then.
    after: u64,
    rest: Trace,
}

/// What a search has reported until its end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Trace {
    end: Option<End>,
    iterations: u64,
    best: u32,
    /// The last improvement.
    moves: Vec<Move>,
    /// Iterations and score of each improvement.
    improvements: Vec<(u64, usize)>,
    /// Number and CRC-32 of the grids offered, with their iterations.
    found: (u64, u32),
    /// Per level, number and CRC-32 of the counts of results.
    results: Vec<(u64, u32)>,
}

/// Writes the trace down, and stops at the first poll at or after so many iterations.
struct Recorder {
    trace: Trace,
    found: crc32fast::Hasher,
    keep_from: u32,
    stop_at: u64,
}

impl Recorder {
    fn new(keep_from: u32, stop_at: u64) -> Recorder {
        Recorder { trace: Trace::default(), found: crc32fast::Hasher::new(), keep_from, stop_at }
    }

    fn into_trace(mut self, search: &dyn Search<Move>, end: End) -> Trace {
        self.trace.found.1 = self.found.finalize();
        let results = search.results().iter().map(|level| (level.total(), checksum(level)));
        Trace {
            end: Some(end),
            iterations: search.iterations(),
            best: search.best(),
            results: results.collect(),
            ..self.trace
        }
    }
}

fn checksum(level: &Histogram) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    for (score, count) in level.counts() {
        sum.update(&score.to_le_bytes());
        sum.update(&count.to_le_bytes());
    }
    sum.finalize()
}

impl Ctl<Move> for Recorder {
    fn poll(&mut self, iterations: u64, _best: u32) -> Signal {
        if iterations >= self.stop_at { Signal::Stop } else { Signal::Continue }
    }

    fn improved(&mut self, moves: &[Move], iterations: u64) {
        self.trace.improvements.push((iterations, moves.len()));
        self.trace.moves = moves.to_vec();
    }

    fn keep_from(&self) -> u32 {
        self.keep_from
    }

    fn found(&mut self, moves: &[Move], iterations: u64) {
        self.trace.found.0 += 1;
        self.found.update(&iterations.to_le_bytes());
        for mv in moves {
            self.found.update(&mv.bits().to_le_bytes());
        }
    }
}

impl Case {
    fn unit(&self) -> Unit {
        let (prefix, seed, max_iterations) = (self.prefix.clone(), self.seed, self.max_iterations);
        Unit { prefix, candidates: None, seed, max_iterations, known_best: 0 }
    }

    fn call(&self) -> Option<Call> {
        self.call.map(|(level, first)| Call { level, first, policy: Snapshot::uniform() })
    }

    fn begin(&self) -> Box<dyn Search<Move>> {
        match self.call() {
            Some(call) => start_call(self.variant, &self.params, &self.unit(), &call),
            None => start(self.variant, &self.params, &self.unit()),
        }
    }

    fn restore(&self, saved: &[u8]) -> Box<dyn Search<Move>> {
        let search = match self.call() {
            Some(call) => resume_call(self.variant, &self.params, &self.unit(), &call, saved),
            None => resume(self.variant, &self.params, &self.unit(), saved),
        };
        search.unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// Runs a search to its end.
    fn finish(&self, mut search: Box<dyn Search<Move>>) -> Trace {
        let mut recorder = Recorder::new(self.keep_from, u64::MAX);
        let end = search.run(&mut recorder);
        recorder.into_trace(&*search, end)
    }
}

fn cases() -> Vec<Case> {
    serde_json::from_value(document(&data().join("searches/cases.json"))).expect("the cases can be read")
}

#[test]
fn the_same_seed_gives_the_same_search() {
    let cases = cases();
    for strategy in STRATEGIES {
        let variants = cases.iter().filter(|case| case.params.strategy == strategy).map(|case| case.variant);
        assert!(
            variants.clone().any(|v| v == Variant::T5) && variants.clone().any(|v| v == Variant::D5),
            "{strategy:?}"
        );
    }
    for case in &cases {
        assert_eq!(case.finish(case.begin()), case.whole, "{}", case.name);
    }
}

#[test]
fn saved_searches_are_continued_to_the_same_end() {
    for case in &cases() {
        assert!(!case.states.is_empty() || !case.name.ends_with("-5t"), "{}", case.name);
        for State { file, after, rest } in &case.states {
            let search = case.restore(&unpacked(&data().join("searches").join(file)));
            assert_eq!(search.iterations(), *after, "{file}");
            assert_eq!(case.finish(search), *rest, "{file}");
            let compared = |trace: &Trace| (trace.end, trace.iterations, trace.best);
            assert!(former(file) || compared(rest) == compared(&case.whole), "{file}");
        }
    }
}

/// A state that has another byte somewhere is refused, or leads elsewhere: so the comparisons above mean something.
#[test]
fn another_byte_makes_another_end() {
    let (mut tried, mut noticed) = (0, 0);
    for case in cases().iter().filter(|case| case.params.strategy == Strategy::Nmcs || case.call.is_some()) {
        let State { file, rest, .. } = &case.states[0];
        let saved = unpacked(&data().join("searches").join(file));
        for at in (0..saved.len()).step_by(saved.len().div_ceil(20)) {
            let mut bytes = saved.clone();
            bytes[at] ^= 1;
            let restored = match case.call() {
                Some(call) => resume_call(case.variant, &case.params, &case.unit(), &call, &bytes),
                None => resume(case.variant, &case.params, &case.unit(), &bytes),
            };
            tried += 1;
            noticed += u32::from(restored.map_or(true, |search| case.finish(search) != *rest));
        }
    }
    assert!(tried > 20 && noticed * 4 > tried * 3, "{noticed} of {tried} changed bytes were noticed");
}

/// States with more bytes are not kept for all cases.
const LARGE: usize = 13_000;

/// Whether a state is of a form that the program no longer writes.
fn former(file: &str) -> bool {
    file.contains("former")
}

const STRATEGIES: [Strategy; 10] = [
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
];

#[test]
#[ignore = "it makes the files anew, in a new directory: see the head of `main.rs`"]
fn make_searches() {
    let directory = fresh("searches");
    let mut cases = planned();
    for case in &mut cases {
        case.whole = case.finish(case.begin());
        let stopped = [3, 5, 10].into_iter().find_map(|part| {
            let mut search = case.begin();
            let mut recorder = Recorder::new(case.keep_from, case.whole.iterations / part);
            (search.run(&mut recorder) == End::Stopped).then_some((search, recorder))
        });
        let (search, recorder) = stopped.unwrap_or_else(|| panic!("{} polls too seldom", case.name));
        let saved = search.save();
        let mut forms = vec![(case.name.clone(), saved.clone())];
        let counts = postcard::to_stdvec(search.results()).expect("counts can be written");
        // Before results were counted, a state ended before its counts.
        if let Some(shorter) = saved.strip_suffix(&counts[..])
            && !search.results().is_empty()
            && case.name.ends_with("-5t")
            && resume(case.variant, &case.params, &case.unit(), shorter).is_ok()
        {
            forms.push((format!("{}-former-without-counts", case.name), shorter.to_vec()));
        }
        if case.params.strategy == Strategy::Permute {
            forms.push((format!("{}-former-without-window", case.name), without_window(&recorder.trace.moves)));
        }
        for (name, saved) in forms {
            // One large state of a strategy is enough.
            if packed(&saved).len() > LARGE && !case.name.ends_with("-5t") {
                continue;
            }
            let search = case.restore(&saved);
            let (file, after) = (format!("{name}.gz"), search.iterations());
            write_packed(&directory.join(&file), &saved);
            case.states.push(State { file, after, rest: case.finish(search) });
        }
    }
    let lines: Vec<String> = cases.iter().map(|case| serde_json::to_string(case).expect("JSON")).collect();
    fs::write(directory.join("cases.json"), format!("[\n{}\n]\n", lines.join(",\n"))).expect("a file");
}

fn write_packed(path: &Path, bytes: &[u8]) {
    fs::write(path, packed(bytes)).expect("a file");
}

/// A state of `permute` as it was before its pool had a window: search to begin with, members, hashes seen, tries and
/// wins of the operators, slices, playouts, where the last was found, best; then the counts.
fn without_window(grid: &[Move]) -> Vec<u8> {
    let bits = |moves: &[Move]| moves.iter().map(|mv| mv.bits()).collect::<Vec<u32>>();
    let members = [bits(grid), bits(&grid[..grid.len() - 2])];
    let start: Option<(Vec<u8>, Vec<u32>)> = None;
    let (seen, operators) = ([(3u32, 4u64)], ([5u32; 6], [1u32; 6]));
    let numbers = (9u64, 700u64, 400u64, grid.len() as u32);
    let mut counts = Histogram::default();
    counts.add(grid.len());
    let state = (start, &members[..], &seen[..], operators, numbers);
    postcard::to_stdvec(&(state, &[counts][..])).expect("numbers and lists can be written")
}

/// The cases without what comes of them.
fn planned() -> Vec<Case> {
    let mut all = Vec::new();
    let mut add = |name: String, variant, params: Params, max_iterations, call| {
        let keep_from = match variant {
            Variant::T5 => 80,
            Variant::D5 => 66,
            Variant::T4 => 54,
            Variant::D4 => 32,
        };
        let seed = 1000 + all.len() as u64;
        let (prefix, whole, states) = (Vec::new(), Trace::default(), Vec::new());
        let max_iterations = Some(max_iterations);
        all.push(Case { name, variant, params, seed, prefix, max_iterations, call, keep_from, whole, states });
    };
    for variant in [Variant::T5, Variant::D5] {
        for strategy in STRATEGIES {
            let params = Params { strategy, ..Params::default() };
            let (params, most) = match strategy {
                Strategy::Dfs => (Params { jumps: jumps(), ..params }, 60_000),
                Strategy::Random => (params, 3_000),
                Strategy::Nmcs => (Params { level: Some(2), ..params }, 3_000),
                Strategy::Nrpa => (Params { level: Some(3), iterations: Some(20), ..params }, 3_000),
                Strategy::Perturb => (Params { level: Some(1), pool: Some(4), ..params }, 10_000),
                Strategy::Permute => (Params { pool: Some(60), ..params }, 20_000),
                Strategy::Temper => (params, 20_000),
                Strategy::Relax => (params, 400_000),
                Strategy::Regrow => (Params { level: Some(2), patience: Some(60_000), ..params }, 60_000),
                Strategy::Reshape => (Params { patience: Some(200_000), ..params }, 20_000),
            };
            add(format!("{strategy:?}-{variant}").to_lowercase(), variant, params, most, None);
        }
    }
    let nrpa = Params { strategy: Strategy::Nrpa, level: Some(3), iterations: Some(20), ..Params::default() };
    add("nrpa-call-5t".into(), Variant::T5, nrpa.clone(), 400, Some((2, 50)));
    let layers = Params { adapt: Adapt::Layers, stabilize: 1, ..nrpa };
    add("nrpa-layers-4d".into(), Variant::D4, layers, 3_000, None);
    let stall = StallTable(vec![(30, 900), (300, 40_000)]);
    let plain = Params { order_free: false, eliminate_dominated: false, sort: Sort::No, ..Params::default() };
    add("dfs-plain-4t".into(), Variant::T4, Params { stall, ..plain.clone() }, 50_000, None);
    for (name, sort) in
        [("weights", Sort::WeightsLines), ("most", Sort::TotalWeightsMax), ("lines", Sort::LinesTotalWeights)]
    {
        let params = Params { sort, order_free: true, jumps: jumps(), ..plain.clone() };
        add(format!("dfs-{name}-4d"), Variant::D4, params, 20_000, None);
    }
    for (variant, least) in [(Variant::T4, 36), (Variant::D4, 22)] {
        for strategy in &STRATEGIES[4..] {
            let grids = with_rules!(variant, R => random_games::<R>(least, 3));
            let params =
                Params { strategy: *strategy, grids, pool: Some(60), patience: Some(200_000), ..Params::default() };
            // It polls after thousands of steps.
            let most = if *strategy == Strategy::Relax { 200_000 } else { 10_000 };
            add(format!("{strategy:?}-grids-{variant}").to_lowercase(), variant, params, most, None);
        }
    }
    all
}

fn jumps() -> Jumps {
    let jump = |after, to| Jump { after, to };
    Jumps(vec![jump(3_000, JumpTo::BestOver(2)), jump(20_000, JumpTo::Move(3))])
}

/// Random games of at least so many moves.
fn random_games<R: Rules>(least: usize, count: usize) -> Vec<Vec<Move>> {
    let games = (0..).map(|number| {
        let rng = &mut seed::rng(7, &[number]);
        let mut position = Position::<R>::new();
        while !position.moves().is_empty() {
            position.play(position.moves()[rng.random_range(0..position.moves().len())]);
        }
        position.played().to_vec()
    });
    games.filter(|game| game.len() >= least).take(count).collect()
}

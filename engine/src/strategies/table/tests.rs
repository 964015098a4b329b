//! The table walked: every strategy runs, saves, restores and is described; every parameter is read as it is shown,
//! and changes the strategies that are said to use it, and no others.

use super::*;
use crate::core::ctl::{Ctl, Signal};
use crate::core::search::End;
use crate::strategies::params::JumpsFrom;
use std::cell::LazyCell;

/// Writes down what a search reports, and may stop it at a number of polls.
#[derive(Default)]
struct Notes {
    polls: u32,
    stop_at: u32,
    improved: Vec<(u64, Vec<Move>)>,
}

impl Ctl<Move> for Notes {
    fn poll(&mut self, _iterations: u64, _best: u32) -> Signal {
        self.polls += 1;
        if self.polls == self.stop_at { Signal::Stop } else { Signal::Continue }
    }

    fn improved(&mut self, moves: &[Move], iterations: u64) {
        self.improved.push((iterations, moves.to_vec()));
    }
}

fn unit(max_iterations: u64) -> Unit {
    Unit { prefix: Vec::new(), candidates: None, seed: 7, max_iterations: Some(max_iterations), known_best: 60 }
}

/// The whole trace of a run in 4D: improvements, iterations, end.
fn trace(params: &Params, iterations: u64) -> (Vec<(u64, Vec<Move>)>, u64, End) {
    trace_in(Variant::D4, params, iterations)
}

fn trace_in(variant: Variant, params: &Params, iterations: u64) -> (Vec<(u64, Vec<Move>)>, u64, End) {
    let mut search = (params.strategy.row().start)(variant, params, &unit(iterations));
    let mut notes = Notes::default();
    let end = search.run(&mut notes);
    (notes.improved, search.iterations(), end)
}

#[test]
fn each_strategy_has_one_row_in_its_place() {
    // The names that are read are those of the variants.
    let unknown = crate::core::setting::read_name::<Strategy>("?").unwrap_err().to_string();
    for row in &STRATEGIES {
        assert!(unknown.contains(&format!("`{}`", row.name)), "{unknown}");
    }
    assert_eq!(unknown.matches('`').count() / 2, STRATEGIES.len() + 1, "{unknown}");
    for (at, row) in STRATEGIES.iter().enumerate() {
        assert_eq!(row.strategy as usize, at, "{}", row.name);
        assert_eq!(crate::core::setting::show_name(&row.strategy), row.name);
        assert_eq!(Strategy::from_name(row.name), Some(row.strategy));
        assert!(!row.summary.is_empty() && row.summary.ends_with('.'), "{}", row.name);
        assert!(["playouts", "iterations"].contains(&row.counts), "{}", row.name);
        assert!(!row.measured.is_empty(), "{}", row.name);
        for setting in row.measured.iter().copied().flatten() {
            let parameter = parameter(setting.0).unwrap();
            parameter.set(&mut row.params(), setting.1).unwrap();
        }
    }
}

#[test]
fn one_strategy_is_the_best_in_each_variant() {
    let named =
        |variant| STRATEGIES.iter().filter(move |row| row.best_in.iter().any(|(of, _)| *of == variant)).count();
    assert_eq!(Variant::ALL.map(named), [1; 4]);
    let best = Variant::ALL.map(|variant| (variant.to_string(), Strategy::best(variant).0));
    for (variant, strategy) in best {
        let expected = match variant.as_str() {
            "5T" | "5D" => Strategy::Reshape,
            _ => Strategy::Nrpa,
        };
        assert_eq!(strategy, expected, "{variant}");
    }
}

#[test]
fn every_strategy_starts_stops_is_restored_and_described() {
    for row in &STRATEGIES {
        let params = Params { level: row.best_level(Variant::D4).map(|_| 2), ..row.params() };
        let whole = trace(&params, 40_000);
        assert!(!whole.0.is_empty() && whole.1 > 0, "{}", row.name);
        let unit = unit(40_000);
        let mut notes = Notes { stop_at: 3, ..Notes::default() };
        let mut search = (row.start)(Variant::D4, &params, &unit);
        if search.run(&mut notes) == End::Stopped {
            let saved = search.save();
            let mut again = (row.restore)(Variant::D4, &params, &unit, &saved).unwrap();
            assert_eq!(again.save(), saved, "{}", row.name);
            notes.stop_at = 0;
            let end = again.run(&mut notes);
            assert_eq!((notes.improved, again.iterations(), end), whole, "{}", row.name);
        } else {
            panic!("{} ended before the third poll", row.name);
        }
        assert!((row.restore)(Variant::D4, &params, &unit, b"no state").is_err(), "{}", row.name);
        let text = params.method();
        assert!(text.starts_with(row.name) || text.contains("dfs"), "{}: {text}", row.name);
    }
}

/// The texts are in the files of years: they are what they were.
#[test]
fn the_descriptions_stay_as_files_have_them() {
    let of = |strategy: Strategy| strategy.row().params();
    let grid = vec![Vec::new()];
    for (params, text) in [
        (of(Strategy::Random), "random games"),
        (of(Strategy::Dfs), "order-free dfs, sort coords, jumps back frequent"),
        (of(Strategy::Nmcs), "nmcs level 3"),
        (of(Strategy::Nrpa), "nrpa level 4, N 100, alpha 1, adapt sequence after 2 playouts"),
        (
            Params { share: Some(3), stabilize: 1, ..of(Strategy::Nrpa) },
            "nrpa level 4, N 100, alpha 1, adapt sequence, calls of level 3 shared, width 1",
        ),
        (
            of(Strategy::Perturb),
            "perturb from nrpa level 3, operators lines,region,suffix, completions of 1 playouts",
        ),
        (of(Strategy::Permute), "permute from nothing, up to 10 exchanges, pool 20000"),
        (
            Params { level: Some(2), ..of(Strategy::Permute) },
            "permute from nrpa level 2, up to 10 exchanges, pool 20000",
        ),
        (
            Params { grids: grid.clone(), ..of(Strategy::Temper) },
            "temper from a grid, 16 replicas from 2 to 0.3, 4 that refine, reach 40",
        ),
        (of(Strategy::Temper), "temper, 16 replicas from 2 to 0.3, 4 that refine, reach 40"),
        (of(Strategy::Relax), "relax from nothing"),
        (of(Strategy::Regrow), "regrow from temper, by nrpa level 3, N 160"),
        (Params { grids: vec![Vec::new(); 2], ..of(Strategy::Reshape) }, "reshape from 2 grids"),
    ] {
        assert_eq!(params.method(), text);
    }
}

#[test]
fn the_names_of_parameters_are_unique_and_strategies_name_only_those_that_exist() {
    let mut names: Vec<&str> = PARAMETERS.iter().map(|row| row.about.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), PARAMETERS.len());
    for name in names {
        assert!(!Strategy::users(name).is_empty(), "no strategy uses {name}");
    }
}

/// Values of a parameter other than its default, enough that one of them shows in a short run.
fn others(parameter: &SettingRow<Params>) -> &'static [&'static str] {
    match parameter.about.name {
        "level" => &["1"],
        "iterations" => &["3"],
        "share" => &["1"],
        "width" => &["2"],
        "adapt" => &["layers"],
        "alpha" => &["0.2"],
        "stabilize" => &["5"],
        "sort" => &["no"],
        "jumps_back" => &["20:3"],
        "jumps_from" => &["hunt"],
        "order_free" | "eliminate_dominated" => &["off"],
        "operators" => &["suffix"],
        "keep" => &["3"],
        "swaps" => &["1"],
        "completion" => &["4"],
        "symmetry" => &["central"],
        "replicas" => &["2"],
        "refiners" => &["0", "9"],
        "hot" => &["9"],
        "cold" => &["1"],
        "reach" => &["3"],
        "pool" => &["1"],
        "patience" => &["1000"],
        other => panic!("a value of {other} is to be named here"),
    }
}

#[test]
fn parameters_are_read_as_they_are_shown() {
    for row in &STRATEGIES {
        for parameter in &PARAMETERS {
            let about = &parameter.about;
            let mut params = row.params();
            if let Some(text) = (parameter.show)(&params) {
                parameter.set(&mut params, &text).unwrap_or_else(|error| panic!("{} {text}: {error}", about.name));
                assert_eq!((parameter.show)(&params), Some(text), "{}: {}", row.name, about.name);
                assert_eq!(trace(&params, 200), trace(&row.params(), 200), "{}: {}", row.name, about.name);
            } else {
                assert!(!about.unset.is_empty(), "{}", about.name);
            }
            for &text in others(parameter) {
                parameter.set(&mut params, text).unwrap();
                assert_eq!((parameter.show)(&params).as_deref(), Some(text), "{}", about.name);
            }
            for choice in about.kind.choices() {
                parameter.set(&mut params, choice.value).unwrap();
                assert_eq!((parameter.show)(&params).as_deref(), Some(choice.value), "{}", about.name);
            }
            assert!(parameter.set(&mut params, "?").is_err(), "{}", about.name);
            assert!(!row.default_text(parameter).is_empty(), "{}", about.name);
        }
    }
}

/// A parameter that a strategy does not name changes nothing of a run.
#[test]
fn a_strategy_uses_no_parameter_that_it_does_not_name() {
    for row in &STRATEGIES {
        // A level that is soon done, and walks that refine soon.
        let base = Params { level: Some(2), iterations: Some(20), ..row.params() };
        let base = Params { grids: Vec::new(), ..base };
        let usual = trace(&base, 6_000);
        for parameter in PARAMETERS.iter().filter(|parameter| !row.uses(parameter.about.name)) {
            for text in others(parameter) {
                let mut params = base.clone();
                parameter.set(&mut params, text).unwrap();
                assert!(trace(&params, 6_000) == usual, "{} uses {}", row.name, parameter.about.name);
            }
        }
    }
}

/// One that it names changes a run, but for those that act only where several workers share a search.
#[test]
fn a_strategy_uses_the_parameters_that_it_names() {
    let mut idle = Vec::new();
    for row in &STRATEGIES {
        let level = row.best_level(Variant::D4).map(|_| 2).or((row.strategy == Strategy::Permute).then_some(2));
        let base = Params { level, iterations: Some(20), patience: Some(30_000), ..row.params() };
        // Most parameters change the beginning of a run; the others are tried in a longer one.
        let lengths = [4_000, 60_000];
        let usual = lengths.map(|length| {
            let base = &base;
            LazyCell::new(move || [Variant::D4, Variant::T5].map(|variant| trace_in(variant, base, length)))
        });
        for parameter in PARAMETERS.iter().filter(|parameter| row.uses(parameter.about.name)) {
            let name = parameter.about.name;
            // The walks of a tempering that refine come after eight million playouts.
            let late = name == "refiners" && row.strategy != Strategy::Regrow;
            if late || ["share", "width"].contains(&name) {
                continue;
            }
            let changes = |text: &str, at: usize, variant| {
                let mut params = base.clone();
                parameter.set(&mut params, text).unwrap();
                if name == "jumps_from" {
                    // It acts on jumps to a part of the best score, and they come late.
                    params.jumps = "500:best/2".parse().unwrap();
                    let of_unit = Params { jumps_from: JumpsFrom::Unit, ..params.clone() };
                    return trace_in(variant, &params, lengths[at]) != trace_in(variant, &of_unit, lengths[at]);
                }
                !usual[at].contains(&trace_in(variant, &params, lengths[at]))
            };
            let tried = |at| {
                others(parameter).iter().any(|text| changes(text, at, Variant::D4) || changes(text, at, Variant::T5))
            };
            if !(0..lengths.len()).any(tried) {
                idle.push((row.name, name));
            }
        }
    }
    assert_eq!(idle, [], "these change nothing");
}

//! The settings of hunts: what three readers make of them, what is chosen, what is refused.

use super::super::reading::{from_json, from_toml, line_of};
use super::*;
use serde_json::json;

fn flags(list: &[(&'static str, &str)]) -> Vec<GivenSetting> {
    let given = |&(name, text): &(&'static str, &str)| GivenSetting {
        name,
        typed: name.into(),
        text: text.into(),
        source: SettingSource::Flag,
    };
    list.iter().map(given).collect()
}

fn request(settings: Value) -> Vec<GivenSetting> {
    from_json::<HuntSettings>(settings.as_object().unwrap()).unwrap()
}

fn file(text: &str) -> Result<Vec<GivenSetting>, BadValue> {
    from_toml::<HuntSettings>(&text.parse().unwrap(), |key| SettingSource::Line {
        file: "hunt.toml".into(),
        line: line_of(text, None, key),
    })
}

fn prepare(given: &[GivenSetting], variant: Variant) -> Result<PreparedHunt, BadValue> {
    HuntSettings::prepare(given, HuntStart { variant, ..HuntStart::default() }, 3, 1)
}

fn strategy(given: &[GivenSetting], variant: Variant) -> Strategy {
    prepare(given, variant).unwrap().job.params.strategy
}

#[test]
fn three_readers_make_the_same_hunt() {
    let typed = flags(&[
        ("strategy", "dfs"),
        ("main_depth", "6"),
        ("order_free", "off"),
        ("jumps_back", "500_000:best/2,20_000_000:10"),
        ("stall_table", "80:5000000,90:50_000_000"),
        ("stall_scale", "0.5"),
        ("seed", "18446744073709551615"),
        ("threads", "5"),
    ]);
    let from_file = file(
        "strategy = 'dfs'\nmain_depth = 6\norder_free = false\n\
         jumps_back = [[500_000, 'best/2'], [20_000_000, 10]]\nstall_table = [[80, 5_000_000], [90, 50_000_000]]\n\
         stall-scale = 0.5\nseed = '18446744073709551615'\nthreads = 5\n",
    );
    let sent = request(json!({
        "strategy": "dfs", "main_depth": 6, "order_free": false,
        "jumps_back": [[500_000, "best/2"], [20_000_000, 10]], "stall_table": [[80, 5_000_000], [90, 50_000_000]],
        "stall_scale": 0.5, "seed": u64::MAX, "workers": 4,
    }));
    let of = |given: &[GivenSetting]| read::<HuntSettings>(given).unwrap();
    assert_eq!(of(&typed), of(&from_file.unwrap()));
    assert_eq!(of(&typed), of(&sent));
    assert_eq!(of(&typed).workers, Some(4));
    let job = prepare(&sent, Variant::T5).unwrap().job;
    assert_eq!(job.params.stall.0, [(80, 2_500_000), (90, 25_000_000)]);
}

#[test]
fn mistakes_are_named_as_they_were_typed() {
    let read = |given: &[GivenSetting]| read::<HuntSettings>(given).unwrap_err().to_string();
    assert_eq!(read(&flags(&[("level", "99")])), "--level 99: 99 is not in 1..=10");
    let in_file = file("# ten\n\nlevel = 99\n").unwrap();
    assert_eq!(read(&in_file), "hunt.toml, line 3: level = 99: 99 is not in 1..=10");
    assert_eq!(read(&request(json!({"level": 99}))), "settings.level: '99': 99 is not in 1..=10");
    let error = read(&flags(&[("threads", "1")]));
    assert_eq!(error, "--threads 1: 1 is not in 2..=4096: the main thread and at least one worker");
    let unknown = file("speed = 3").unwrap_err().to_string();
    assert!(unknown.starts_with("hunt.toml, line 1: unknown key 'speed': expected one of adapt, "), "{unknown}");
    let twice = from_json::<HuntSettings>(json!({"main-depth": 2, "main_depth": 2}).as_object().unwrap());
    assert!(twice.unwrap_err().to_string().ends_with(" is given more than once"));
    let table = from_json::<HuntSettings>(json!({"sort": {}}).as_object().unwrap()).unwrap_err().to_string();
    assert!(table.starts_with("settings.sort: '{}' is not a valid value"), "{table}");
}

#[test]
fn auto_is_the_best_measured_strategy_or_the_only_one_that_has_a_setting() {
    let best = [Strategy::Reshape, Strategy::Reshape, Strategy::Nrpa, Strategy::Nrpa];
    assert_eq!([Variant::T5, Variant::D5, Variant::T4, Variant::D4].map(|variant| strategy(&[], variant)), best);
    assert_eq!(strategy(&flags(&[("strategy", "auto"), ("patience", "5M")]), Variant::T5), Strategy::Reshape);
    let reason = prepare(&[], Variant::T5).unwrap().reason.unwrap().to_string();
    assert!(reason.starts_with("strategy reshape, the best measured one for 5T: 178 moves"), "{reason}");
    for (name, text) in [
        ("main_depth", "9"),
        ("sort", "coords"),
        ("jumps_back", "no"),
        ("jumps_from", "hunt"),
        ("order_free", "on"),
        ("eliminate_dominated", "on"),
        ("stall_table", "80:10M"),
        ("stall_scale", "0.1"),
    ] {
        let typed = flags(&[(name, text)]);
        let prepared = prepare(&typed, Variant::T5).unwrap();
        assert_eq!(prepared.job.params.strategy, Strategy::Dfs, "{name}");
        assert_eq!(prepared.reason.unwrap().to_string(), format!("strategy dfs, the only one that has {name}"));
        assert_eq!(strategy(&request(json!({ name: text })), Variant::T5), Strategy::Dfs, "{name}");
        assert_eq!(strategy(&file(&format!("{name} = '{text}'")).unwrap(), Variant::D4), Strategy::Dfs, "{name}");
    }
    let error = prepare(&flags(&[("sort", "no"), ("swaps", "3")]), Variant::T5).unwrap_err().to_string();
    assert_eq!(error, "--sort is a setting of dfs and --swaps one of permute: name a strategy");
}

#[test]
fn what_the_strategy_does_not_use_is_refused_or_left_out_with_a_warning() {
    let error = prepare(&flags(&[("strategy", "nrpa"), ("sort", "coords")]), Variant::T5).unwrap_err().to_string();
    assert_eq!(error, "--sort is not used by nrpa; used by: dfs");
    let error = prepare(&flags(&[("level", "4")]), Variant::T5).unwrap_err().to_string();
    assert!(error.starts_with("--level is not used by reshape (strategy reshape, the best measured one"), "{error}");
    assert!(error.ends_with("; used by: regrow, permute, perturb, nrpa, nmcs"), "{error}");
    let error = prepare(&flags(&[("strategy", "dfs"), ("runs", "4")]), Variant::T5).unwrap_err().to_string();
    assert!(error.starts_with("--runs is not used by dfs; used by: reshape, regrow,"), "{error}");

    let in_file = file("strategy = 'nrpa'\nsort = 'no'\nmain_depth = 5\n").unwrap();
    let prepared = prepare(&in_file, Variant::T5).unwrap();
    assert_eq!(prepared.warnings, ["hunt.toml, line 2: sort is not used by nrpa; used by: dfs: it is left out"]);
    assert_eq!(prepared.job.params.sort, Params::default().sort);

    let error = prepare(&request(json!({"strategy": "nrpa", "sort": "no"})), Variant::T5).unwrap_err().to_string();
    assert_eq!(error, "settings.sort is not used by nrpa; used by: dfs");
    // The settings of a job as daemons of before stored them: all, at their defaults.
    let all = json!({
        "adapt": "sequence", "alpha": 1, "cold": 0.3, "completion": 1, "eliminate_dominated": "on", "hot": 2,
        "iterations": 100, "jumps_back": "frequent", "keep_from": 80, "level": 3, "main_depth": 5,
        "operators": "lines,region,suffix", "order_free": "on", "reach": 40, "refiners": 4, "replicas": 16,
        "seed": 9, "sort": "coords", "stabilize": 2, "stall_scale": 1, "strategy": "nrpa", "target": 82,
        "variant": "5D",
    });
    let job = prepare(&request(all), Variant::D5).unwrap().job;
    let params = Params { level: Some(3), iterations: Some(100), ..Strategy::Nrpa.row().params() };
    assert_eq!((job.params, job.seed, job.target, job.keep_from), (params, 9, Some(82), Some(80)));
}

#[test]
fn settings_are_shown_as_they_are_read() {
    for row in Strategy::all() {
        let given = request(json!({"strategy": row.name, "workers": 2, "time": "2h", "target": 300}));
        let job = prepare(&given, Variant::T5).unwrap().job;
        let map = shown(&given, &job);
        assert_eq!((&map["strategy"], &map["seed"], &map["keep_from"]), (&row.name.into(), &1.into(), &165.into()));
        assert_eq!((&map["workers"], &map["time"], &map["target"]), (&2.into(), &7200.into(), &300.into()));
        for about in of_strategies() {
            let expected = row.uses(about.name);
            let unset = ["share", "width", "keep", "stall_table", "symmetry"].contains(&about.name)
                || (about.name, row.name) == ("level", "permute");
            assert_eq!(map.contains_key(about.name), expected && !unset, "{}: {}", row.name, about.name);
        }
        let again = request(Value::Object(map.clone()));
        let job_again = HuntSettings::prepare(&again, HuntStart::default(), 3, 77).unwrap().job;
        assert_eq!(shown(&again, &job_again), map, "{}", row.name);
        assert_eq!(job_again.params.method(), job.params.method());
    }
}

#[test]
fn every_setting_has_one_name_and_can_be_put_into_words() {
    let all = HuntSettings::all();
    for about in &all {
        let same = all.iter().filter(|other| other.is_called(about.name)).count();
        assert_eq!(same, 1, "{}", about.name);
        assert!(about.help.ends_with('.') && !about.label.is_empty(), "{}", about.name);
        for row in users(about.name) {
            assert!(!default_text(row, about).is_empty(), "{}: {}", row.name, about.name);
        }
    }
    for row in &STRATEGIES {
        for name in row.parameters {
            assert!(all.iter().any(|about| about.name == *name), "{} names {name}, which there is not", row.name);
        }
    }
}

#[test]
fn lines_are_found() {
    let text = "# level = 1\nkind = 'hunt'\n[limits]\nlevel = 2\n[settings]\n  level=3\n";
    assert_eq!([None, Some("limits"), Some("settings")].map(|table| line_of(text, table, "level")), [1, 4, 6]);
}

#[test]
fn a_symmetry_chooses_a_strategy_that_has_it_and_wants_symmetric_grids() {
    use crate::morpion::position::Position;
    use crate::morpion::symmetry::GridSymmetry;
    let central = flags(&[("symmetry", "central")]);
    let hunt = prepare(&central, Variant::D5).unwrap();
    assert_eq!((hunt.job.params.strategy, hunt.job.keep_from), (Strategy::Reshape, Some(68)));
    assert_eq!(hunt.job.params.symmetry, Some(GridSymmetry::Central));
    assert_eq!(hunt.reason.unwrap().to_string(), "strategy reshape, the strongest that has a symmetry");
    assert!(hunt.job.params.method().ends_with(", central symmetry"), "{}", hunt.job.params.method());
    let error = prepare(&flags(&[("symmetry", "central"), ("strategy", "nrpa")]), Variant::T5).unwrap_err();
    assert_eq!(error.0, "--symmetry is not used by nrpa; used by: reshape, temper");
    assert!(prepare(&flags(&[("symmetry", "round")]), Variant::T5).is_err());
    // From the beginning or from grids that have it.
    let mv = Position::<crate::morpion::variant::T5>::new().moves()[0];
    let image = GridSymmetry::Central.symmetry().image(Variant::T5, mv).unwrap();
    let from = |moves: Vec<Move>, grids: Vec<Vec<Move>>| {
        HuntSettings::prepare(&central, HuntStart { variant: Variant::T5, start: None, moves, grids }, 3, 1)
            .map(|hunt| hunt.job)
    };
    assert!(from(vec![mv, image], vec![vec![image, mv]]).is_ok());
    let error = from(vec![mv], Vec::new()).unwrap_err();
    assert_eq!(error.0, "the start of the hunt has no central symmetry");
    assert!(from(Vec::new(), vec![vec![mv, image], vec![image]]).unwrap_err().0.contains("a grid to begin with"));
}

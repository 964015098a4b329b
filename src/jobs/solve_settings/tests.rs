//! The settings of solutions: what three readers make of them, what is shown, what is refused.

use super::super::reading::line_of;
use super::super::setup::go::GoSetup;
use super::super::setup::gomoku::GomokuSetup;
use super::super::setup::reversi::ReversiSetup;
use super::super::solve::SolvePosition;
use super::*;
use serde_json::json;

type OfReversi = SolveSettings<ReversiSetup>;

fn flags<T: FromSettings>(list: &[(&str, &str)]) -> Vec<GivenSetting> {
    let given = |&(name, text): &(&str, &str)| {
        let name = T::all().into_iter().find(|info| info.is_called(name)).unwrap().name;
        GivenSetting { name, typed: name.into(), text: text.into(), source: SettingSource::Flag }
    };
    list.iter().map(given).collect()
}

fn request(settings: Json) -> Result<AskedSolution, BadValue> {
    AskedSolution::from_json(settings.as_object().unwrap().clone())
}

fn file(text: &str) -> Result<AskedSolution, BadValue> {
    let line = |key: &str| SettingSource::Line { file: "job.toml".into(), line: line_of(text, None, key) };
    AskedSolution::from_toml(text.parse().unwrap(), line)
}

/// Moves are ordered by deep searches only where there are not very many.
#[test]
fn wide_positions_are_looked_at_less_deep() {
    let look_ahead = |size: &str| {
        let job = SolveSettings::<GomokuSetup>::job(&flags::<SolveSettings<GomokuSetup>>(&[("size", size)])).unwrap();
        job.settings.look_ahead
    };
    assert_eq!((look_ahead("10"), look_ahead("15")), (3, 1));
}

#[test]
fn three_readers_make_the_same_job() {
    let typed = flags::<OfReversi>(&[
        ("size", "4x5"),
        ("algorithm", "negascout"),
        ("without", "killers,history"),
        ("threshold", "-3"),
        ("memory", "2M"),
        ("unit_budget", "5k"),
        ("feeder", "random"),
        ("quorum", "2"),
        ("fresh_tables", "on"),
        ("seed", "18446744073709551615"),
        ("user", "ada"),
        ("initial-depth", "3"),
        ("store", "sqlite"),
    ]);
    let from_file = file(
        "game = 'reversi'\nsize = '4x5'\nalgorithm = 'negascout'\nwithout = ['killers', 'history']\nthreshold = -3\n\
         memory = 2_097_152\nunit-budget = 5000\nfeeder = 'random'\nquorum = 2\nfresh_tables = true\n\
         seed = '18446744073709551615'\nuser = 'ada'\ninitial-depth = 3\nstore = 'sqlite'\n",
    );
    let sent = request(json!({
        "game": "reversi", "size": "4x5", "algorithm": "negascout", "without": "killers,history", "threshold": -3,
        "memory": "2M", "unit_budget": "5k", "feeder": "random", "quorum": 2, "fresh_tables": true, "seed": u64::MAX,
        "user": "ada", "initial_depth": 3, "store": "sqlite",
    }));
    let job = OfReversi::job(&typed).unwrap();
    let sent = sent.unwrap();
    assert_eq!(from_file.unwrap().job().unwrap(), job);
    assert_eq!(sent.job().unwrap(), job);
    assert_eq!(job.title, "reversi 4x5, standard start");
    assert_eq!((job.memory, job.settings.budget, job.settings.quorum, job.settings.fresh), (2 << 20, 5000, 2, true));
    assert!(matches!(job.settings.goal, Goal::Threshold(target) if target < 0 && target % 3 == 0));
    // What is listed of a job makes the same job again.
    let shown = sent.shown();
    assert_eq!(
        (&shown["fresh_tables"], &shown["threshold"], &shown["start"]),
        (&"true".into(), &(-3).into(), &"standard".into())
    );
    assert_eq!(AskedSolution::from_json(shown).unwrap().job().unwrap(), job);
}

#[test]
fn what_is_listed_of_any_job_makes_the_same_job_again() {
    for settings in [
        json!({ "game": "reversi" }),
        json!({ "game": "reversi", "size": 4, "position": "X-OO XXXO X-OO XOOO X", "empties": "ignored" }),
        json!({ "game": "reversi", "size": 4, "guess": -8, "start": "alternative" }),
        json!({ "game": "reversi", "size": 4, "store": "sqlite", "initial_depth": 60 }),
        json!({ "game": "reversi", "size": 4, "value": "win-loss-draw", "user": "007" }),
        json!({ "game": "go" }),
        json!({ "game": "go", "size": "2x3", "ko": "free", "cycle": "lost-for-black", "suicide": true }),
        json!({ "game": "go", "ko": "superko", "position": "(;SZ[3];B[bb])", "without": "", "memory": 1_000_000 }),
    ] {
        let asked = request(settings.clone()).unwrap();
        let job = asked.job().unwrap();
        assert_eq!(AskedSolution::from_json(asked.shown()).unwrap().job().unwrap(), job, "{settings}");
        // And the job is stored without loss.
        let stored = serde_json::to_string(&job).unwrap();
        assert_eq!(serde_json::from_str::<SolveJob>(&stored).unwrap(), job, "{settings}");
    }
    // Jobs that were stored before there was a choice have neither.
    let stored = serde_json::to_value(request(json!({ "game": "go" })).unwrap().job().unwrap()).unwrap();
    assert!(stored.get("store").is_none() && stored.get("initial_depth").is_none(), "{stored}");
    let job = serde_json::from_value::<SolveJob>(stored).unwrap();
    assert_eq!((job.store, job.initial_depth), (StoreKind::Redb, 0));
    assert!(!job.identity("").contains("initial_depth"));
    let user = request(json!({ "game": "go", "user": "007" })).unwrap().shown();
    assert_eq!(user["user"], "007");
}

#[test]
fn mistakes_are_named_as_they_were_typed() {
    let of_flags = |list: &[(&str, &str)]| OfReversi::job(&flags::<OfReversi>(list)).unwrap_err().to_string();
    assert!(of_flags(&[("size", "3")]).starts_with("--size 3: there is no 3x3 board for reversi"));
    assert_eq!(of_flags(&[("quorum", "10")]), "--quorum 10: 10 is not in 1..=9");
    assert_eq!(of_flags(&[("threshold", "1"), ("value", "exact")]), "--threshold cannot be used with --value");
    assert_eq!(of_flags(&[("position", "XO"), ("start", "standard")]), "--position cannot be used with --start");
    let error = of_flags(&[("position", "XO")]);
    assert!(error.starts_with("--position is neither a file nor a position: line 1: the board has"), "{error}");
    let error = of_flags(&[("without", "table")]);
    assert_eq!(error, "--without is for the general algorithms: choose one by --algorithm");

    let of_request = |settings: Json| request(settings).and_then(|asked| asked.job()).unwrap_err().to_string();
    for (settings, expected) in [
        (json!({ "game": "chess" }), "settings: game: there is no 'chess': expected go, gomoku or reversi"),
        (json!({ "game": 3 }), "settings: game: there is no '3': expected go, gomoku or reversi"),
        (json!({ "size": 4 }), "settings: game is missing: expected go, gomoku or reversi"),
        (json!({ "game": "go", "size": 0 }), "settings.size: '0': there is no 0x0 board for go here"),
        (json!({ "game": "go", "size": 19 }), "settings.size: there is no 19x19 board for the solvers of go"),
        (json!({ "game": "go", "quorum": 0 }), "settings.quorum: '0': 0 is not in 1..=9"),
        (
            json!({ "game": "go", "without": "etc" }),
            "settings.without is for the general algorithms: choose one by settings.algorithm",
        ),
        (
            json!({ "game": "go", "size": 5, "position": "../.." }),
            "settings.position: the position is on a 2x2 board, settings.size says 5x5",
        ),
        (json!({ "game": "go", "position": "/etc/passwd" }), "settings.position is not a position: "),
        (
            json!({ "game": "go", "threshold": 1, "guess": 2 }),
            "settings.threshold cannot be used with settings.guess",
        ),
        (json!({ "game": "go", "memory": 5 }), "settings.memory: '5': too little for a table: at least 4096 bytes"),
        (json!({ "game": "go", "store": "mysql" }), "settings.store: 'mysql': expected one of redb, sqlite"),
        (json!({ "game": "go", "initial_depth": 61 }), "settings.initial_depth: '61': 61 is not in 0..=60"),
        (json!({ "game": "go", "fresh_tables": 2 }), "settings.fresh_tables: '2': expected on or off"),
        (json!({ "game": "go", "start": "standard" }), "settings: unknown key 'start': expected one of "),
    ] {
        let error = of_request(settings.clone());
        assert!(error.starts_with(expected), "{settings}: {error}");
    }

    let of_file = |text: &str| file(text).and_then(|asked| asked.job()).unwrap_err().to_string();
    assert_eq!(
        of_file("# a\n\ngame = 'chess'"),
        "job.toml, line 3: game: there is no 'chess': expected go, gomoku or reversi"
    );
    assert_eq!(
        of_file("game = 'go'\nko = 'none'"),
        "job.toml, line 2: ko = none: expected one of basic, superko, free"
    );
    let error = of_file("game = 'go'\nposition = 'X.Y'");
    assert!(error.starts_with("job.toml, line 2: position is neither a file nor a position: "), "{error}");
    let content = GivenSetting {
        name: "position",
        typed: "position".into(),
        text: "X.Y".into(),
        source: SettingSource::Content { file: "a.sgf".into() },
    };
    let error = SolveSettings::<GoSetup>::job(&[content]).unwrap_err().to_string();
    assert!(error.starts_with("cannot use a.sgf: "), "{error}");
}

/// The past of a position that an SGF file tells lasts until the search.
#[test]
fn a_position_keeps_its_past() {
    let asked = request(json!({ "game": "go", "ko": "superko", "position": "(;SZ[3];B[bb];W[aa])" })).unwrap();
    let SolvePosition::Go { position, .. } = asked.job().unwrap().problem else { panic!("a position of go") };
    assert_eq!(position.past().len(), 2);
}

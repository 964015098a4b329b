//! `morpion selfplay` and `morpion tune`: games that are kept and continued, weights that are learned and loaded.

use morpion::core::game::{Game, Side};
use morpion::core::seed::rng;
use morpion::games::gomoku::board::GomokuBoard;
use morpion::games::gomoku::position::{GomokuMove, GomokuPosition};
use morpion::games::gomoku::rules::{GomokuRules, RowRule};
use morpion::games::reversi::weights::PatternWeights;
use morpion::solvers::gomoku::learning::choices::{Choices, fit_order};
use morpion::solvers::gomoku::learning::fit::{FitSettings, UNITS, fit, loss};
use morpion::solvers::gomoku::learning::games::{GamesHead, LearningGame};
use morpion::solvers::gomoku::learning::sample::{Features, Sample, samples_of};
use morpion::solvers::gomoku::learning::selfplay::play_game;
use morpion::solvers::gomoku::lines::board::{LineBoard, LineTables};
use morpion::solvers::gomoku::lines::codes::MoveCodes;
use morpion::solvers::gomoku::lines::weights::{FINE, LineWeights, WeightsForm};
use morpion::solvers::gomoku::player::GomokuPlayer;
use morpion::solvers::learning::GamesFile;
use morpion::solvers::reversi::learning::games::{ReversiGamesHead, ReversiLearningGame};
use morpion::solvers::reversi::learning::selfplay::ReversiLearningPlayer;
use rand::RngExt;
use std::path::Path;
use std::process::Command;

fn run(directory: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
    let output = command.current_dir(directory).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Random weights, which differ between the sides as learned ones do.
fn random_weights(seed: u64) -> LineWeights {
    let mut random = rng(seed, &[]);
    let codes = MoveCodes::new();
    let mut weights = LineWeights::by_hand(&codes);
    // Both forms are tried.
    weights.form = if seed.is_multiple_of(2) { WeightsForm::Alone } else { WeightsForm::WithLast };
    weights.sets.fill_with(|| random.random_range(-900..900));
    let features = Features::new(&codes);
    for role in 0..2 {
        for (code, weight) in weights.codes[role].iter_mut().enumerate() {
            // Single stones weigh the same for both sides.
            let shared = features.code(0, code as u16) == features.code(1, code as u16);
            *weight = if shared { 3 } else { random.random_range(-900..900) };
        }
        for counts in weights.threats[role].iter_mut().skip(2) {
            *counts = [0, random.random_range(-900..900), random.random_range(-900..900)];
        }
    }
    weights.tempo = random.random_range(-900..900);
    weights
}

/// What the weights make of a sample, in parts of a unit.
fn by_samples(sample: &Sample, weights: &LineWeights, features: &Features) -> i32 {
    let codes = MoveCodes::new();
    let mut all = vec![0i32; Features::ALL];
    for role in 0..2 {
        for (code, &weight) in (0u16..).zip(&weights.codes[role]) {
            all[features.code(role, code)] = weight.into();
            if weights.form == WeightsForm::WithLast {
                all[features.code_before(role, code)] = weight.into();
            }
        }
        for (class, counts) in weights.threats[role].iter().enumerate() {
            for (count, &weight) in counts.iter().enumerate() {
                all[Features::threat(role, class, count)] = weight.into();
            }
        }
    }
    all[Features::TEMPO] = weights.tempo.into();
    if weights.form == WeightsForm::WithLast {
        for (set, &weight) in weights.sets.iter().enumerate() {
            all[Features::SETS + set] = weight.into();
        }
    }
    assert_eq!(codes.lines(0).len(), 4);
    sample.features.iter().map(|&(feature, count)| i32::from(count) * all[usize::from(feature)]).sum()
}

#[test]
fn samples_are_worth_what_the_player_estimates() {
    let mut compared = 0;
    for rule in RowRule::ALL {
        let rules = GomokuRules::new(rule, 5).unwrap();
        for seed in 0..20 {
            let weights = random_weights(seed);
            let board = GomokuBoard::new(9 + (seed % 7) as u8, 15).unwrap();
            let tables = LineTables::with_weights(rules, weights.clone()).unwrap();
            let features = Features::new(tables.codes());
            let mut random = rng(seed, &[1]);
            let mut position = GomokuPosition::new(board, rules);
            let mut lines = LineBoard::new(&tables, &position);
            let mut moves = Vec::new();
            let mut estimates = Vec::new();
            for _ in 0..40 {
                let mut legal = Vec::new();
                position.moves(&mut legal);
                let near = |m: &&GomokuMove| {
                    let (x, y) = board.place(m.0);
                    (2..8).contains(&x) && (4..11).contains(&y)
                };
                let near: Vec<GomokuMove> = legal.iter().filter(near).copied().collect();
                if near.is_empty() {
                    break;
                }
                let m = near[random.random_range(0..near.len())];
                estimates.push(lines.estimate(position.side()));
                moves.push(m.0);
                lines.put(m.0, position.side());
                position.play(m);
            }
            let values: Vec<i16> = (0..moves.len() as i16).collect();
            let game = LearningGame { opening: 0, moves, values, winner: Some(Side::Second) };
            samples_of(&game, 7, board, (&tables, &features), |sample| {
                // The value is the number of the ply.
                let ply = sample.value as usize;
                let worth = by_samples(&sample, &weights, &features) / FINE;
                assert_eq!(worth, estimates[ply], "seed {seed}, {rule:?}, ply {ply}");
                assert_eq!((sample.outcome, sample.game), ((ply % 2) as f32, 7), "seed {seed}");
                compared += 1;
            });
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn a_fit_learns_what_decides_games_and_nothing_from_chance() {
    const GAMES: u32 = 240;
    let (board, rules) = (GomokuBoard::USUAL, GomokuRules::default());
    let mut player = GomokuPlayer::new(1 << 20).unwrap();
    let tables = LineTables::new(rules).unwrap();
    let features = Features::new(tables.codes());
    let mut samples = Vec::new();
    for number in 0..GAMES {
        let game = play_game(&mut player, (board, rules), (3, number.into()), 60).unwrap();
        samples_of(&game, number, board, (&tables, &features), |sample| samples.push(sample));
    }
    let before = LineWeights::by_hand(tables.codes());
    let settings = FitSettings { steps: 60, search_part: 0.0, penalty: 30.0 };
    let after = fit(&samples, before.order.clone(), tables.codes(), settings, &mut |_, _| {});
    let learned = loss(&samples, &after, tables.codes(), UNITS);
    assert!(learned.training < 0.68 && learned.validation < 0.69, "{learned:?}");
    assert_eq!(after.order, before.order);
    // Ends that have nothing to do with the games.
    let mut random = rng(3, &[]);
    let by_chance: Vec<bool> = (0..GAMES).map(|_| random.random_range(0..2) == 1).collect();
    for sample in &mut samples {
        let wins = by_chance[sample.game as usize] == (sample.outcome > 0.5);
        sample.outcome = f32::from(u8::from(wins));
    }
    let after = fit(&samples, before.order, tables.codes(), settings, &mut |_, _| {});
    let chance = loss(&samples, &after, tables.codes(), UNITS);
    assert!(chance.validation > learned.validation, "{chance:?} {learned:?}");
}

/// An order that is learned from what a player chose says so better than one of equal moves, also of games that it was
/// not learned from; and better than one that is learned from moves by chance.
#[test]
fn an_order_of_moves_is_learned_from_what_was_chosen() {
    let (board, rules) = (GomokuBoard::USUAL, GomokuRules::default());
    let mut player = GomokuPlayer::new(1 << 20).unwrap();
    let tables = LineTables::new(rules).unwrap();
    let settings = FitSettings { steps: 60, search_part: 0.0, penalty: 4.0 };
    let fitted = |choices: &Choices| {
        let mut losses = Vec::new();
        let order = fit_order(choices, tables.codes(), settings, &mut |_, loss| losses.push(loss));
        (order, losses[0], losses[losses.len() - 1])
    };
    let (mut chosen, mut by_chance) = (Choices::default(), Choices::default());
    let mut random = rng(5, &[]);
    for number in 0..60u32 {
        let mut game = play_game(&mut player, (board, rules), (3, number.into()), 60).unwrap();
        chosen.add(&game, number, board, &tables);
        let mut position = GomokuPosition::new(board, rules);
        for &point in &game.moves[..game.opening] {
            position.play(GomokuMove(point));
        }
        for point in &mut game.moves[game.opening..] {
            let lines = LineBoard::new(&tables, &position);
            let mut near = Vec::new();
            lines.candidates(Side::First, |point, _| near.push(point));
            if let Some(other) = near.get(random.random_range(0..near.len().max(1))) {
                *point = *other;
            }
            position.play(GomokuMove(*point));
            if position.winner().is_some() {
                break;
            }
        }
        by_chance.add(&game, number, board, &tables);
    }
    assert!(chosen.positions() > 500, "{}", chosen.positions());
    let (order, first, last) = fitted(&chosen);
    let gain = first.validation - last.validation;
    assert!(gain > 0.8 && first.training - last.training > 0.8, "{first:?} {last:?}");
    assert!(order.iter().all(|weights| weights.iter().any(|&weight| weight != 0)));
    let (_, first, last) = fitted(&by_chance);
    assert!(first.validation - last.validation < gain / 2.0, "{first:?} {last:?}, gain {gain}");
}

/// What is cut off is played again, and what is not to be continued stays as it is.
fn interrupted(game: &str, setting: [&str; 2], wrong: &[&[&str]]) {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let play = |file: &str, games: &str, more: &[&str]| {
        let common = ["selfplay", game, file, "--seed", "4", "--games", games];
        run(at, &[&common[..], &setting, more].concat())
    };
    let read = |file: &str| std::fs::read(at.join(file)).unwrap();
    let (code, out, errors) = play("whole", "12", &["--threads", "3"]);
    assert_eq!(code, Some(0), "{out}{errors}");
    let whole = read("whole");
    let text = String::from_utf8(whole.clone()).unwrap();
    assert_eq!(text.lines().count(), 13, "{text}");
    for cut in [0, 5, 60, whole.len() / 2, whole.len() - 1, whole.len()] {
        std::fs::write(at.join("part"), &whole[..cut]).unwrap();
        let (code, out, errors) = play("part", "12", &[]);
        assert_eq!(code, Some(0), "cut at {cut}: {out}{errors}");
        assert!(read("part") == whole, "cut at {cut}");
    }
    let damaged = text.replacen("\n1 ", "\n1  ", 1).into_bytes();
    let other = text.replacen("seed=4", "seed=5", 1).into_bytes();
    let later = text.replacen("games 1", "games 2", 1).into_bytes();
    let swapped = {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.swap(3, 4);
        (lines.join("\n") + "\n").into_bytes()
    };
    let foreign = b"my notes".to_vec();
    for (bytes, why) in [
        (damaged, "the line is damaged"),
        (other, "has other games"),
        (later, "version 2"),
        (swapped, "game 3 where game 2 is expected"),
        (foreign, "is not a file of games"),
    ] {
        std::fs::write(at.join("bad"), &bytes).unwrap();
        let (code, _, errors) = play("bad", "12", &[]);
        assert!(code == Some(2) && errors.contains(why), "{why}: {errors}");
        assert!(read("bad") == bytes, "{why}");
    }
    for more in wrong {
        let (code, _, errors) = play("new", "3", more);
        assert!(code == Some(2) && !errors.contains("panic"), "{more:?}: {errors}");
    }
}

#[test]
fn games_of_gomoku_are_the_same_however_they_are_interrupted() {
    let wrong = [&["--position", "h8"][..], &["--size", "1"], &["--weights", "none"], &["--win", "6"]];
    interrupted("gomoku", ["--nodes", "40"], &wrong);
}

#[test]
fn games_of_reversi_are_the_same_however_they_are_interrupted() {
    interrupted("reversi", ["--depth", "2"], &[&["--weights", "none"], &["--depth", "21"], &["--nodes", "5"]]);
}

#[test]
fn weights_of_reversi_are_learned_written_and_loaded() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let (code, out, errors) =
        run(at, &["selfplay", "reversi", "games", "--depth", "1", "--games", "150", "--weights", "by-hand"]);
    assert_eq!(code, Some(0), "{out}{errors}");
    let tune = ["tune", "reversi", "games", "-o", "new.weights", "--steps", "3"];
    let (code, out, errors) = run(at, &tune);
    assert_eq!(code, Some(0), "{out}{errors}");
    assert!(out.contains("150 games, ") && out.contains("12 to 15 empty cells: "), "{out}");
    let weights = PatternWeights::read(&std::fs::read(at.join("new.weights")).unwrap()).unwrap();
    assert!(weights.about.contains("150 games: morpion reversi games 1 size=8x8 seed=0 depth=1"), "{weights:?}");
    // Nothing is overwritten.
    let (code, _, errors) = run(at, &tune);
    assert!(code == Some(2) && errors.contains("--force"), "{errors}");
    // The weights decide how it plays.
    let games = |a: &str| {
        let arguments =
            ["match", a, "morpion:level=2", "--game", "reversi", "--pairs", "2", "--nodes", "200", "--time", "1h"];
        let (code, out, errors) = run(at, &arguments);
        assert_eq!(code, Some(0), "{a}: {out}{errors}");
        out.lines().filter(|line| line.starts_with("pair ")).collect::<Vec<_>>().join("\n")
    };
    let all =
        ["morpion:level=2", "morpion:level=2,weights=new.weights", "morpion:level=2,weights=by-hand"].map(games);
    assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2], "{all:?}");
    for (weights, why) in [("nothing", "there is no such file"), ("games", "is not a file of Reversi weights")] {
        let side = format!("morpion:weights={weights}");
        let (code, _, errors) = run(at, &["match", &side, "morpion", "--game", "reversi"]);
        assert!(code == Some(2) && errors.contains(why), "{errors}");
    }
    // One ply has no other one to be averaged with.
    let (code, _, errors) = run(at, &["tune", "reversi", "games", "-o", "other", "--search", "1"]);
    assert!(code == Some(2) && errors.contains("2..=20"), "{errors}");
    // What searches say is another target than the ends of games.
    let searched = ["tune", "reversi", "games", "-o", "searched.weights", "--steps", "3", "--search", "2"];
    let (code, out, errors) = run(at, &searched);
    assert_eq!(code, Some(0), "{out}{errors}");
    assert!(out.contains("positions searched"), "{out}");
    let other = PatternWeights::read(&std::fs::read(at.join("searched.weights")).unwrap()).unwrap();
    assert!(other.about.contains("search=2") && other.sum() != weights.sum(), "{other:?}");
    for (files, why) in [("new.weights", "text in UTF-8"), ("none", "cannot be read")] {
        let (code, _, errors) = run(at, &["tune", "reversi", files, "-o", "other"]);
        assert!(code == Some(2) && errors.contains(why) && !at.join("other").exists(), "{errors}");
    }
}

#[test]
fn cuts_of_reversi_need_positions_of_all_stages() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let (code, out, errors) = run(at, &["selfplay", "reversi", "games", "--depth", "1", "--games", "4"]);
    assert_eq!(code, Some(0), "{out}{errors}");
    let (code, out, errors) = run(at, &["tune", "reversi-cuts", "games", "-o", "cuts", "--threads", "2"]);
    assert!(code == Some(2) && errors.contains("fewer than 30 undecided positions"), "{errors}");
    assert!(out.starts_with("4 games, ") && !at.join("cuts").exists(), "{out}");
    // A player can be without them, and plays otherwise then.
    let games = |a: &str| {
        let arguments =
            ["match", a, "morpion:level=2", "--game", "reversi", "--pairs", "2", "--nodes", "2000", "--time", "1h"];
        run(at, &arguments)
    };
    let [with, without] = ["morpion", "morpion:without=cuts"].map(games);
    assert!(with.0 == Some(0) && without.0 == Some(0), "{with:?} {without:?}");
    let pairs = |out: &str| out.lines().filter(|line| line.starts_with("pair ")).collect::<Vec<_>>().join("\n");
    assert_ne!(pairs(&with.1), pairs(&without.1));
    let (code, _, errors) = games("morpion:without=aspiration");
    assert!(code == Some(2) && errors.contains("expected a part of the search: cuts"), "{errors}");
}

#[test]
fn weights_are_learned_written_and_loaded() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let (code, out, errors) =
        run(at, &["selfplay", "gomoku", "games", "--nodes", "40", "--games", "90", "--threads", "2"]);
    assert_eq!(code, Some(0), "{out}{errors}");
    let tune = ["tune", "gomoku", "games", "-o", "new.weights", "--steps", "20"];
    let (code, out, errors) = run(at, &tune);
    assert_eq!(code, Some(0), "{out}{errors}");
    assert!(out.contains("90 games, ") && out.contains("before     loss 0."), "{out}");
    let text = std::fs::read_to_string(at.join("new.weights")).unwrap();
    assert!(
        text.starts_with("morpion gomoku weights 2\n# learned on ") && text.contains("seed=0 nodes=40"),
        "{text}"
    );
    let weights = LineWeights::parse(&text).unwrap();
    assert_ne!(weights, LineWeights::usual());
    // A network goes on top of them.
    let network =
        ["tune", "gomoku-network", "games", "-o", "net.weights", "--weights", "new.weights", "--passes", "2"];
    let (code, out, errors) = run(at, &network);
    assert_eq!(code, Some(0), "{out}{errors}");
    assert!(out.contains("pass 2 ") && out.contains("after "), "{out}");
    let text = std::fs::read_to_string(at.join("net.weights")).unwrap();
    let fit = format!("network passes=2 search-part=0.5 on weights {:08x}", weights.sum());
    assert!(text.starts_with("morpion gomoku weights 3\n# learned on ") && text.contains(&fit), "{text}");
    let with = LineWeights::parse(&text).unwrap();
    assert!(with.network.is_some() && with.to_text("").contains("network out"));
    assert_eq!(weights, LineWeights { network: None, ..with });
    let (code, _, errors) = run(at, &network);
    assert!(code == Some(2) && errors.contains("--force"), "{errors}");
    let by_hand = ["tune", "gomoku-network", "games", "-o", "none.weights", "--weights", "by-hand"];
    let (code, _, errors) = run(at, &by_hand);
    assert!(code == Some(2) && errors.contains("a network corrects weights of version 2 or 3"), "{errors}");
    assert!(!at.join("none.weights").exists());
    // A board on which nobody can win teaches nothing.
    let (code, _, errors) = run(at, &["selfplay", "gomoku", "none", "--size", "4", "--games", "1"]);
    assert!(code == Some(2) && errors.contains("no row of 5 fits on the 4x4 board"), "{errors}");
    assert!(!at.join("none").exists());
    // Nothing is overwritten.
    let (code, _, errors) = run(at, &tune);
    assert!(code == Some(2) && errors.contains("--force"), "{errors}");
    // The weights decide how it plays.
    let games = |a: &str| {
        let arguments = ["match", a, "morpion:without=aspiration", "--pairs", "2", "--nodes", "200", "--time", "1h"];
        let (code, out, errors) = run(at, &arguments);
        assert_eq!(code, Some(0), "{a}: {out}{errors}");
        out.lines().filter(|line| line.starts_with("pair ")).collect::<Vec<_>>().join("\n")
    };
    let usual = games("morpion:10");
    assert_eq!(usual, games("morpion:level=10,nodes=200"));
    let new = games("morpion:weights=new.weights");
    assert_ne!(usual, new);
    assert_ne!(new, games("morpion:weights=net.weights"));
    let (code, _, errors) = run(at, &["pbrain", "--weights", "games"]);
    assert!(code == Some(2) && errors.contains("expected 'morpion gomoku weights 3'"), "{errors}");
    for (name, why) in [
        ("morpion:level=11", "levels are 1 to 10"),
        ("morpion:nodes=0", "at least 1"),
        ("morpion:time=soon", "time=soon"),
        ("morpion:without=luck", "leaf-fours"),
        ("morpion:weights=nothing", "there is no such file"),
        ("morpion:speed=3", "a level or a setting"),
    ] {
        let (code, _, errors) = run(at, &["match", name, "morpion"]);
        assert!(code == Some(2) && errors.contains(why), "{name}: {errors}");
    }
}

#[test]
fn heads_and_games_are_read_as_they_are_written() {
    let head = GamesHead {
        board: GomokuBoard::new(12, 9).unwrap(),
        rules: GomokuRules::new(RowRule::Caro, 4).unwrap(),
        seed: u64::MAX,
        nodes: 7,
        weights: 0xAB,
    };
    assert_eq!(GamesHead::read(&head.to_line()), Ok(head));
    for word in ["size", "rule", "win", "seed", "nodes", "weights"] {
        let error = GamesHead::read(&head.to_line().replace(word, "x")).unwrap_err();
        // The first word of the line is about weights of games no more.
        assert!(error.to_string().contains(word), "{word}: {error}");
    }
    let head = GamesHead { board: GomokuBoard::USUAL, rules: GomokuRules::default(), ..head };
    let game = LearningGame { opening: 1, moves: vec![20, 41, 62], values: vec![-300, 7], winner: None };
    lines_are_checked(&head, &game);
}

#[test]
fn heads_and_games_of_reversi_are_read_as_they_are_written() {
    let head = ReversiGamesHead { seed: u64::MAX, depth: 7, weights: 0xAB };
    assert_eq!(ReversiGamesHead::read(&head.to_line()), Ok(head));
    for word in ["size", "seed", "depth", "weights"] {
        let error = ReversiGamesHead::read(&head.to_line().replace(word, "x")).unwrap_err();
        assert!(error.to_string().contains(word), "{word}: {error}");
    }
    let mut player = ReversiLearningPlayer::new(None, 1).unwrap();
    let game = player.play_game(1, 9);
    lines_are_checked(&head, &game);
    // Sound sums of what cannot be.
    let line = |game: &ReversiLearningGame| head.game_to_line(game, 9);
    let other = ReversiLearningGame { score: game.score + 2, ..game.clone() };
    let cut = ReversiLearningGame { moves: game.moves[..20].to_vec(), ..game.clone() };
    let twice = ReversiLearningGame { moves: [&game.moves[..1], &game.moves[..1]].concat(), ..game.clone() };
    for (game, why) in [(other, "ends with"), (cut, "is not over"), (twice, "move 2 cannot be played")] {
        let error = head.read_game(&line(&game), 9).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

/// A line gives its game, and no line that differs from it in a letter or is cut off gives any.
fn lines_are_checked<F: GamesFile>(head: &F, game: &F::Game)
where
    F::Game: PartialEq + std::fmt::Debug,
{
    let line = head.game_to_line(game, 9);
    assert_eq!(head.read_game(&line, 9).as_ref(), Ok(game));
    assert!(head.read_game(&line, 8).unwrap_err().to_string().contains("game 9 where game 8 is expected"));
    for at in 0..line.len() {
        let mut bytes = line.clone().into_bytes();
        bytes[at] ^= 1;
        let changed = String::from_utf8(bytes).unwrap();
        assert!(head.read_game(&changed, 9).is_err(), "{changed}");
        assert!(head.read_game(&line[..at], 9).is_err(), "cut at {at}");
    }
}

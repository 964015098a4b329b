//! `morpion gtp` driven by a client of its own: whole games, takebacks, handicaps, scores, and lines that mean nothing.

use crate::engines::LineProgram;
use morpion::core::game::{Game, Side};
use morpion::games::go::large::points::LargeBoard;
use morpion::games::go::large::position::{LargeMove, LargePosition};
use morpion::games::go::rules::{GoRules, Ko};

/// A program with a client that knows the form of answers.
struct GtpClient(LineProgram);

impl GtpClient {
    fn start(arguments: &[&str]) -> GtpClient {
        GtpClient(LineProgram::start(&[&["gtp", "--memory", "4M", "--time", "1h"], arguments].concat()))
    }

    /// The whole answer to a line: its first line begins with = or ?.
    fn ask(&mut self, line: &str) -> String {
        self.0.say(line);
        self.answer(line)
    }

    fn answer(&mut self, to: &str) -> String {
        let lines = self.0.until(str::is_empty);
        assert!(lines[0].starts_with(['=', '?']), "{to}: {lines:?}");
        lines[..lines.len() - 1].join("\n")
    }

    fn sound(&mut self, line: &str) -> String {
        let answer = self.ask(line);
        answer.strip_prefix("= ").unwrap_or_else(|| panic!("{line}: {answer}")).to_owned()
    }

    fn refused(&mut self, line: &str) -> String {
        let answer = self.ask(line);
        answer.strip_prefix("? ").unwrap_or_else(|| panic!("{line}: {answer}")).to_owned()
    }
}

fn position(size: u8) -> LargePosition {
    let rules = GoRules { ko: Ko::Superko, ..GoRules::default() };
    LargePosition::new(LargeBoard::new(size, size).unwrap(), rules)
}

fn move_of(position: &LargePosition, vertex: &str) -> LargeMove {
    position.parse(vertex).unwrap_or_else(|| panic!("'{vertex}' is not a move"))
}

#[test]
fn whole_games_are_legal_and_end_with_a_score() {
    for (size, playouts) in [(5, "60"), (9, "20")] {
        let mut black = GtpClient::start(&["--playouts", playouts, "--seed", "1", "--level", "6"]);
        let mut white = GtpClient::start(&["--playouts", playouts, "--seed", "2"]);
        let mut game = position(size);
        for client in [&mut black, &mut white] {
            client.sound(&format!("boardsize {size}"));
            client.sound("clear_board");
            client.sound("komi 3.5");
        }
        for ply in 0.. {
            let mut legal = Vec::new();
            game.moves(&mut legal);
            if legal.is_empty() {
                break;
            }
            assert!(ply < 500, "{game}");
            let side = if game.side() == Side::First { "black" } else { "white" };
            let (own, other) = if ply % 2 == 0 { (&mut black, &mut white) } else { (&mut white, &mut black) };
            let vertex = own.sound(&format!("genmove {side}"));
            let m = move_of(&game, &vertex);
            assert!(legal.contains(&m), "{vertex} is not legal\n{game}");
            game.play(m);
            other.sound(&format!("play {side} {vertex}"));
        }
        let score = 10 * game.chains().score() - 35;
        let expected = format!("{}+{:.1}", if score > 0 { "B" } else { "W" }, f64::from(score.abs()) / 10.0);
        assert_eq!(black.sound("final_score"), expected, "{game}");
        assert_eq!(white.sound("final_score"), expected, "{game}");
        assert!(white.sound("showboard").contains("after two passes"));
        black.sound("quit");
        black.0.ends_well();
        white.0.ends_well();
    }
}

#[test]
fn commands_do_what_the_protocol_says() {
    let mut client = GtpClient::start(&["--playouts", "30"]);
    assert_eq!((client.sound("protocol_version"), client.sound("name")), ("2".to_owned(), "morpion".to_owned()));
    assert_eq!(client.ask("17 name"), "=17 morpion");
    assert_eq!(client.ask("18 nonsense"), "?18 unknown command");
    assert_eq!(client.sound("known_command genmove"), "true");
    assert_eq!(client.sound("known_command gonmeve"), "false");
    for name in client.sound("list_commands").lines() {
        assert_eq!(client.sound(&format!("known_command {name}")), "true");
    }
    client.sound("boardsize 5");
    client.sound("komi -2.5");
    assert_eq!(client.sound("final_score"), "B+2.5");
    // The same question twice; nothing is played.
    let answer = client.sound("reg_genmove b");
    assert!(client.sound("showboard").contains("black (X) to move"), "{answer}");
    client.sound("play b c3");
    assert_eq!(client.sound("final_score"), "B+27.5");
    // Nothing is dead at the end.
    client.sound("play b d3");
    client.sound("play w a1");
    assert_eq!(client.sound("final_status_list alive"), "C3 D3\nA1");
    assert_eq!([client.sound("final_status_list dead"), client.sound("final_status_list seki")], ["", ""]);
    assert!(client.ask("final_status_list lost").starts_with("? 'lost' is not a status"));
    client.sound("undo");
    client.sound("undo");
    // Two of one colour, and back.
    client.sound("play black d3");
    let before = client.sound("showboard");
    client.sound("play W PASS");
    client.sound("undo");
    assert_eq!(client.sound("showboard"), before);
    client.sound("undo");
    client.sound("undo");
    assert_eq!(client.refused("undo"), "cannot undo: no move has been made");
    // A ko: white takes b3, black may not take back at once.
    for (side, vertex) in [("b", "b4"), ("w", "c4"), ("b", "a3"), ("w", "d3"), ("b", "b2"), ("w", "c2"), ("b", "c3")]
    {
        client.sound(&format!("play {side} {vertex}"));
    }
    client.sound("play w b3");
    assert_eq!(client.refused("play b c3"), "illegal move");
    assert!(client.sound("showboard").contains("3 X O . O ."), "white has taken c3");
    client.sound("play b pass");
    client.sound("play w pass");
    // After two passes people play on.
    client.sound("play b e5");
    client.sound("time_settings 10 5 2");
    client.sound("time_left w 0 0");
    client.sound("genmove w");
    client.sound("time_left b 3 1");
    client.sound("genmove b");
    client.sound("clear_board");
    client.sound("boardsize 9");
    assert_eq!(client.sound("fixed_handicap 5"), "C3 G7 C7 G3 E5");
    assert_eq!(client.refused("fixed_handicap 2"), "board not empty");
    assert!(client.sound("showboard").contains("white (O) to move"));
    client.sound("clear_board");
    client.sound("set_free_handicap a1 b9");
    client.0.ends_well();
}

#[test]
fn games_are_loaded_up_to_a_move() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let game = file("game.sgf", "(;GM[1]SZ[5]AB[bb];W[cc];B[dd](;W[cd];B[])(;W[aa]))");
    let mut client = GtpClient::start(&["--playouts", "5"]);
    assert_eq!(client.sound(&format!("loadsgf {game}")), "white");
    assert!(client.sound("showboard").contains("2 . . O X ."));
    client.sound("undo");
    client.sound("undo");
    assert!(client.sound("showboard").contains("2 . . . X ."));
    assert_eq!(client.sound(&format!("loadsgf {game} 2")), "black");
    assert!(client.sound("showboard").contains("2 . . . . ."));
    // Games in other character sets, and such that go on after their end.
    let path = directory.path().join("others.sgf");
    std::fs::write(&path, b"(;GM[1]SZ[5]PW[\xc3\xfb];B[bb];W[];B[];W[dd];B[];W[];B[])").unwrap();
    let others = path.display().to_string();
    assert_eq!(client.sound(&format!("loadsgf {others}")), "white");
    assert!(client.sound("showboard").contains("2 . . . O ."));
    assert_eq!(client.sound(&format!("loadsgf {game} 2")), "black");
    client.sound("trymove black d2");
    client.sound("popgo");
    // As in version 1 of the protocol.
    client.sound("black d2");
    client.sound("white e2");
    assert!(client.sound("showboard").contains("2 . . . X O"));
    assert!(client.refused("white d2").contains("illegal move"));
    assert!(client.refused("black").contains("needs a vertex"));
    client.sound("undo");
    client.sound("undo");
    let before = client.sound("showboard");
    let wrong = file("wrong.sgf", "(;GM[1]SZ[5];B[bb];W[bb])");
    // Moves that are not asked for may be wrong.
    assert_eq!(client.sound(&format!("loadsgf {wrong} 2")), "white");
    assert_eq!(client.sound(&format!("loadsgf {game} 2")), "black");
    let long = file("long.sgf", "(;GM[1]SZ[5:7];B[bb])");
    for (line, why) in [
        ("loadsgf".to_owned(), "needs a file"),
        (format!("loadsgf {game} 0"), "a number from 1 on"),
        (format!("loadsgf {game}x"), "there is none of this name"),
        (format!("loadsgf {wrong}"), "cannot load file"),
        (format!("loadsgf {long}"), "not square"),
    ] {
        let answer = client.refused(&line);
        assert!(answer.contains(why), "{line}: {answer}");
    }
    assert_eq!(client.sound("showboard"), before);
    client.0.ends_well();
}

#[test]
fn tactical_questions_are_answered_by_code_and_move() {
    let mut client = GtpClient::start(&["--playouts", "5", "--size", "9"]);
    // A ladder: white to be caught at d4.
    for (side, vertex) in [("w", "d4"), ("w", "e4"), ("b", "c4"), ("b", "d3"), ("b", "e3"), ("b", "c5"), ("b", "d5")]
    {
        client.sound(&format!("play {side} {vertex}"));
    }
    let before = client.sound("showboard");
    for (line, why) in [
        ("attack", "needs one vertex"),
        ("attack a1", "there is no stone on a1"),
        ("attack z9", "not on the 9x9 board"),
        ("connect c4", "is about two chains"),
        ("disconnect c4 d4", "differ in colour"),
        ("attack d4 e4", "is about one chain"),
        ("tactics_patterns green", "is not a colour"),
        ("ladder_attack k1", "is not on the 9x9 board"),
        ("ladder_attack a1", "there is no stone on a1"),
        ("ladder_attack", "needs a vertex"),
        ("tactics_joseki", "needs a file"),
        ("tactics_joseki none.sgf", "cannot load file: there is none of this name"),
    ] {
        let answer = client.refused(line);
        assert!(answer.contains(why), "{line}: {answer}");
    }
    // The ladder of the attack, and a chain that runs.
    assert_eq!(client.sound("ladder_attack d4"), "1 F4");
    assert_eq!(client.sound("ladder_attack c4"), "0");
    let attack = client.sound("attack d4");
    assert!(["1 E5", "1 F4"].contains(&attack.as_str()), "{attack}");
    assert!(client.sound("defend d4").starts_with("1 "));
    assert_eq!(client.sound("defend c4"), "1 PASS");
    assert!(client.sound("connect c4 d3").starts_with("1 "));
    assert_eq!(client.sound("showboard"), before, "nothing is played");
    // Three points in a row: who plays the middle decides.
    client.sound("clear_board");
    for (side, vertices) in [("w", "d9 a8 b8 c8 d8"), ("b", "e9 e8 a7 b7 c7 d7 e7")] {
        vertices.split(' ').for_each(|vertex| drop(client.sound(&format!("play {side} {vertex}"))));
    }
    assert_eq!([client.sound("owl_attack a8"), client.sound("owl_defend a8")], ["1 B9", "1 B9"]);
    assert!(client.refused("owl_defend a8 b8").contains("is about one chain"));
    // A bamboo joint is not cut.
    client.sound("clear_board");
    for vertex in ["c3", "c4", "e3"] {
        client.sound(&format!("play b {vertex}"));
    }
    let patterns = client.sound("tactics_patterns b");
    assert!(patterns.lines().any(|line| line == "E4 connect bamboo joint"), "{patterns}");
    client.sound("play b e4");
    assert_eq!(client.sound("disconnect c3 e3"), "0");
    assert!(client.sound("connect c3 e3").starts_with("1 "));
    // A ko: white may not retake at once, but after moves elsewhere.
    client.sound("clear_board");
    for play in ["b d6", "b c5", "b d4", "w e6", "w f5", "w e4", "w d5", "b e5"] {
        client.sound(&format!("play {play}"));
    }
    assert_eq!(client.sound("attack e5"), "3 D5");
    client.sound("play w j1");
    client.sound("play b j9");
    assert_eq!(client.sound("attack e5"), "2 D5");
    client.0.ends_well();
}

#[test]
fn corners_are_looked_up_in_a_dictionary() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        std::fs::write(directory.path().join(name), text).unwrap();
        directory.path().join(name).display().to_string()
    };
    let dictionary = file("joseki.sgf", "(;SZ[19];B[pd];W[qf](;B[nd]C[the usual one];W[rd])(;B[pf]BM[1])(;W[]))");
    let mut client = GtpClient::start(&["--playouts", "5", "--size", "19"]);
    client.sound("play b q16");
    client.sound("play w r14");
    let found = client.sound(&format!("tactics_joseki {dictionary} r17"));
    let upper_right = ["O16 black upper-right 2", "PASS white upper-right 1", "Q14 black upper-right 1 bad"];
    assert_eq!(found.lines().collect::<Vec<_>>(), upper_right);
    let found = client.sound(&format!("tactics_joseki {dictionary}"));
    assert_eq!(found.lines().count(), 9, "{found}");
    assert!(found.lines().any(|line| line == "D4 black lower-left 6"), "{found}");
    // Another file is another dictionary, and one that cannot be read changes nothing.
    let broken = file("broken.sgf", "(;SZ[19]\n;C[no end");
    let why = client.refused(&format!("tactics_joseki {broken}"));
    assert!(why.starts_with("cannot load file: not SGF: line 2, column 3"), "{why}");
    let other = file("other.sgf", "(;SZ[19];B[dc])");
    assert!(client.sound(&format!("tactics_joseki {other} a1")).contains("D3 black lower-left 1"));
    assert_eq!(client.sound(&format!("tactics_joseki {dictionary} r17")).lines().count(), 3);
    assert!(client.refused(&format!("tactics_joseki {dictionary} z1")).contains("not on the 19x19 board"));
    client.0.ends_well();
}

#[test]
fn lines_that_mean_nothing_are_answered_and_change_nothing() {
    let mut client = GtpClient::start(&["--playouts", "5", "--size", "7"]);
    client.sound("play b d4");
    let before = client.sound("showboard");
    for line in [
        "boardsize",
        "boardsize 0",
        "boardsize 20",
        "boardsize x",
        "boardsize 99999999999999999999",
        "komi",
        "komi x",
        "komi nan",
        "komi 1e300",
        "play",
        "play b",
        "play x d4",
        "play b d4",
        "play w d4",
        "play w i5",
        "play w h1",
        "play w z99",
        "play w a0",
        "genmove",
        "genmove green",
        "undo_",
        "known_command",
        "time_settings",
        "time_settings 1 2",
        "time_settings x 2 3",
        "time_settings inf 1 1",
        "time_left",
        "time_left b 1",
        "time_left b x 0",
        "time_left b 1 -1",
        "fixed_handicap",
        "fixed_handicap 1",
        "fixed_handicap 3",
        "set_free_handicap",
        "set_free_handicap a1 pass",
        "set_free_handicap a1 a1",
        "12",
        "=",
        "? x",
        "\u{1b}[2J",
        "é 5",
    ] {
        if line == "12" {
            // A number alone is no command: there is no answer.
            client.0.say(line);
            continue;
        }
        let answer = client.ask(line);
        assert!(answer.starts_with("? ") && !answer.contains('\u{1b}'), "{line}: {answer}");
    }
    client.0.say("\n# a remark\n   \n\t");
    assert_eq!(client.ask("\tname # who"), "= morpion");
    let long = client.ask(&"x".repeat(1 << 17));
    assert_eq!(long, "? a line has 65536 bytes at most");
    assert_eq!(client.sound("showboard"), before);
    // Any bytes.
    let seed = 3;
    client.0.send_noise(seed);
    client.0.say("77 showboard");
    let answers = client.0.until(|line| line.starts_with("=77"));
    println!("seed {seed}: {} lines", answers.len());
    client.0.until(str::is_empty);
    client.0.ends_well();
}

//! `morpion pbrain` driven by a manager of its own: whole games, positions, openings, and lines that mean nothing.

use crate::engines::LineProgram;
use morpion::core::game::{Game, Side};
use morpion::core::seed::rng;
use morpion::games::gomoku::board::GomokuBoard;
use morpion::games::gomoku::position::{GomokuMove, GomokuPosition};
use morpion::games::gomoku::rules::{GomokuRules, RowRule};
use rand::RngExt;
use std::time::{Duration, Instant};

/// A brain that runs.
struct Brain(LineProgram);

impl Brain {
    fn start(arguments: &[&str]) -> Brain {
        Brain(LineProgram::start(&[&["pbrain"], arguments].concat()))
    }

    fn say(&mut self, text: &str) {
        self.0.say(text);
    }

    /// The next line that is not a message.
    fn answer(&mut self) -> String {
        loop {
            let line = self.0.line();
            if !line.starts_with("MESSAGE") {
                return line;
            }
        }
    }

    fn ask(&mut self, text: &str) -> String {
        self.say(text);
        self.answer()
    }

    /// A brain on a board of 15x15 that thinks a little.
    fn ready(rule: &str) -> Brain {
        let mut brain = Brain::start(&["--memory", "1M"]);
        assert_eq!(brain.ask("START 15"), "OK");
        brain.say(&format!("INFO rule {rule}\nINFO max_node 300\nINFO timeout_turn 60000"));
        brain
    }

    fn ends_well(mut self) {
        self.say("END");
        self.0.ends_well();
    }
}

/// The depth that a message tells, and the line.
fn depth_and_line(message: &str) -> (u32, Vec<String>) {
    let words: Vec<&str> = message.split(' ').collect();
    let after = |word: &str| &words[words.iter().position(|&found| found == word).unwrap() + 1..];
    (after("depth")[0].parse().unwrap(), after("line").iter().map(|&word| word.to_owned()).collect())
}

/// A brain that ponders comes deeper in the same nodes, if the reply is the expected one. Lines that are no move do not
/// end that, and neither they nor the end of the input wait for a search.
#[test]
fn a_brain_that_ponders_comes_deeper() {
    let board = GomokuBoard::USUAL;
    let depth_of = |pondering: bool| {
        let mut brain = Brain::start(&["--memory", "64M", "--book", "none", "--rule", "five"]);
        assert_eq!(brain.ask("START 15"), "OK");
        brain.say(&format!("INFO pondering {}\nINFO max_node 10000\nINFO timeout_turn 60000", u8::from(pondering)));
        brain.say("BOARD\n7,7,1\n8,8,2\n7,8,1\n8,6,2\nDONE");
        let (_, line) = depth_and_line(&brain.0.line());
        let m = brain.answer();
        std::thread::sleep(Duration::from_millis(700));
        brain.say("INFO time_left 50000");
        std::thread::sleep(Duration::from_millis(700));
        let reply = text(board.named(&line[1]).unwrap(), board);
        let begun = Instant::now();
        brain.say(&format!("TURN {reply}"));
        let (depth, _) = depth_and_line(&brain.0.line());
        let answer = brain.answer();
        assert_ne!(point(&m, board), point(&answer, board));
        let waited = begun.elapsed();
        // The other side's next move is not waited for.
        brain.ends_well();
        (depth, waited)
    };
    let (plain, pondered) = (depth_of(false), depth_of(true));
    assert!(pondered.0 > plain.0, "{pondered:?} against {plain:?}");
    assert!(pondered.1 < Duration::from_secs(20), "{pondered:?}");
    // A brain whose input ends while it ponders ends, too.
    let mut brain = Brain::start(&["--ponder", "--book", "none"]);
    assert_eq!(brain.ask("START 15"), "OK");
    brain.say("INFO max_node 300\nBOARD\n7,7,1\n8,8,2\nDONE");
    brain.answer();
    brain.0.ends_well();
}

/// The point that an answer names.
fn point(answer: &str, board: GomokuBoard) -> u16 {
    let (x, y) = answer.split_once(',').unwrap_or_else(|| panic!("'{answer}' is not a point"));
    board.point(x.parse().unwrap(), y.parse().unwrap()).unwrap_or_else(|| panic!("'{answer}' is off the board"))
}

fn text(point: u16, board: GomokuBoard) -> String {
    let (x, y) = board.place(point);
    format!("{x},{y}")
}

#[test]
fn whole_games_by_all_rules_are_legal_to_their_end() {
    for (rule, bits, size) in [
        (RowRule::Free, "0", (15, 15)),
        (RowRule::Five, "1", (20, 20)),
        (RowRule::Renju, "4", (15, 15)),
        (RowRule::Caro, "9", (9, 7)),
    ] {
        let (width, height) = size;
        let board = GomokuBoard::new(width, height).unwrap();
        let mut position = GomokuPosition::new(board, GomokuRules::new(rule, 5).unwrap());
        let mut brains = [(); 2].map(|()| {
            let mut brain = Brain::start(&["--memory", "1M"]);
            assert_eq!(brain.ask(&format!("RECTSTART {width},{height}")), "OK");
            brain.say(&format!("INFO rule {bits}\nINFO max_node 300"));
            brain
        });
        let mut last = None;
        for ply in 0.. {
            let mut moves = Vec::new();
            position.moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            let brain = &mut brains[ply % 2];
            let answer = match last {
                None => brain.ask("BEGIN"),
                Some(point) => brain.ask(&format!("TURN {}", text(point, board))),
            };
            let point = point(&answer, board);
            assert!(moves.contains(&GomokuMove(point)), "{rule:?}: {answer} is not legal\n{position}");
            position.play(GomokuMove(point));
            last = Some(point);
        }
        println!("{rule:?}: {:?} wins\n{position}", position.winner());
        // Whoever has to answer a finished game says so.
        let line = format!("TURN {}", text(last.unwrap(), board));
        for brain in &mut brains {
            let answer = brain.ask(&line);
            assert!(answer.starts_with("ERROR"), "{answer}");
        }
        brains.into_iter().for_each(Brain::ends_well);
    }
}

#[test]
fn rows_are_completed_and_stopped() {
    for (lines, expected) in [
        ("3,7,1 4,7,1 5,7,1 6,7,1 0,0,2 2,0,2 4,0,2 6,0,2", &["7,7", "2,7"][..]),
        // The other side has four: one end is free.
        ("2,7,1 0,0,1 9,9,1 3,7,2 4,7,2 5,7,2 6,7,2", &["7,7"]),
        // An open three becomes a straight four.
        ("4,7,1 5,7,1 6,7,1 0,0,2 0,2,2 0,4,2", &["3,7", "7,7"]),
    ] {
        let mut brain = Brain::ready("1");
        brain.say("BOARD");
        lines.split(' ').for_each(|line| brain.say(line));
        let answer = brain.ask("DONE");
        assert!(expected.contains(&&*answer), "{answer} for {lines}");
        brain.ends_well();
    }
}

#[test]
fn what_means_nothing_is_answered_and_changes_nothing() {
    let mut brain = Brain::start(&["--memory", "1M"]);
    for line in ["BEGIN", "TURN 1,1", "RESTART", "BOARD", "SWAP2BOARD", "TAKEBACK 1,1", "YXSHOWFORBID"] {
        assert!(brain.ask(line).starts_with("ERROR there is no board yet"), "{line}");
    }
    for line in ["START", "START 4", "START 21", "START 99999999999999999999", "START -1", "RECTSTART 15,3"] {
        assert!(brain.ask(line).starts_with("ERROR"), "{line}");
    }
    assert_eq!(brain.ask("START 15"), "OK");
    brain.say("INFO max_node 200\nINFO rule 1");
    let first = brain.ask("BEGIN");
    assert_eq!(first, "7,7");
    let long = "x".repeat(100_000);
    for line in [
        "BEGIN",
        "TURN",
        "TURN 7,7",
        "TURN 15,0",
        "TURN 0,-1",
        "TURN 18446744073709551616,1",
        "TURN a,b",
        "TAKEBACK 3,3",
        "PLAY 7,7",
        &format!("TURN {long}"),
    ] {
        let answer = brain.ask(line);
        assert!(answer.starts_with("ERROR"), "{answer} to {}", &line[..line.len().min(30)]);
    }
    for line in ["HELLO", "7,7", "DONE", "\u{1}\u{2}", "suggest 1,1"] {
        let answer = brain.ask(line);
        assert!(answer.starts_with("UNKNOWN"), "{answer} to {line:?}");
    }
    for board in ["7,7,1 7,7,2", "3,3", "1,1,9", "40,1,1", "x", "1,1,3", "0,0,1 1,0,1 2,0,1 3,0,1 4,0,1 9,9,2"] {
        brain.say("BOARD");
        board.split(' ').for_each(|line| brain.say(line));
        let answer = brain.ask("DONE");
        assert!(answer.starts_with("ERROR"), "{answer} to {board}");
    }
    // Bytes that are no text, lines of INFO that mean nothing: no answer is due.
    brain.0.send(b"\xff\xfe\n");
    assert!(brain.answer().starts_with("UNKNOWN"));
    brain.say("INFO\nINFO timeout_turn soon\nINFO rule 77\nINFO nothing 1\nINFO max_memory x\n\n   ");
    // The game is what it was: one stone, the other side to move.
    let answer = brain.ask("TURN 8,8");
    let second = point(&answer, GomokuBoard::USUAL);
    assert!(![text(second, GomokuBoard::USUAL)].contains(&"7,7".to_owned()) && answer != "8,8", "{answer}");
    brain.ends_well();
}

#[test]
fn positions_are_set_up_and_taken_back() {
    let mut brain = Brain::ready("4");
    // Black makes two threes at h8.
    brain.say("YXBOARD\n5,7,1\n6,7,1\n7,5,1\n7,6,1\n0,0,2\n0,14,2\n14,0,2\n14,14,2\nDONE");
    assert_eq!(brain.ask("YXSHOWFORBID"), "FORBID 0707.");
    brain.say("INFO rule 1");
    assert_eq!(brain.ask("YXSHOWFORBID"), "FORBID .");
    assert_eq!(brain.ask("TAKEBACK 7,6"), "OK");
    assert!(brain.ask("TAKEBACK 7,6").starts_with("ERROR there is no stone at 7,6"));
    assert_eq!(brain.ask("PLAY 7,6"), "7,6");
    assert!(brain.ask("PLAY 0,0").starts_with("ERROR 0,0 cannot be played"));
    assert_eq!(brain.ask("RESTART"), "OK");
    assert_eq!(brain.ask("BEGIN"), "7,7");
    assert!(brain.ask("ABOUT").starts_with("name=\"morpion\", version=\""));
    brain.ends_well();
}

#[test]
fn threads_are_set_by_flag_and_by_the_manager() {
    let mut brain = Brain::start(&["--memory", "1M", "--threads", "2"]);
    for line in ["INFO thread_num 0", "INFO thread_num 257", "INFO thread_num x"] {
        brain.say(line);
        let told = brain.0.line();
        assert!(told.contains("thread_num has no effect: expected a number of threads from 1 to 256"), "{told}");
    }
    assert_eq!(brain.ask("START 15"), "OK");
    brain.say("INFO max_node 3000\nINFO timeout_turn 60000");
    assert_eq!(brain.ask("BEGIN"), "7,7");
    // By the flag two threads search, then four, then one.
    for (threads, board) in
        [("", "0,0,2 7,7,1"), ("INFO thread_num 4", "9,9,2 7,7,1"), ("INFO thread_num 1", "9,5,2 7,7,1")]
    {
        brain.say(threads);
        brain.say("BOARD");
        board.split(' ').for_each(|line| brain.say(line));
        point(&brain.ask("DONE"), GomokuBoard::USUAL);
    }
    brain.ends_well();
}

#[test]
fn openings_by_swap2_are_made_and_answered() {
    let mut brain = Brain::ready("1");
    let points =
        |answer: &str| -> Vec<u16> { answer.split(' ').map(|text| point(text, GomokuBoard::USUAL)).collect() };
    brain.say("SWAP2BOARD");
    let mut stones = points(&brain.ask("DONE"));
    stones.sort_unstable();
    stones.dedup();
    assert_eq!(stones.len(), 3);
    // Two black stones of three far from the only white one: black is better, and is taken.
    brain.say("SWAP2BOARD\n7,7\n0,14\n8,8");
    assert_eq!(brain.ask("DONE"), "SWAP");
    // White's turn with a white four on the board of five stones cannot be; a white two against scattered black can.
    brain.say("SWAP2BOARD\n0,0\n7,7\n14,14\n8,8\n0,14");
    let answer = brain.ask("DONE");
    assert_eq!(points(&answer).len(), 1, "white is better and goes on: {answer}");
    for lines in ["7,7", "7,7 8,8", "1,1 2,2 3,3 4,4", "1,1 1,1 2,2", "1,1 2,2 15,15", "a 1,1 2,2"] {
        brain.say("SWAP2BOARD");
        lines.split(' ').for_each(|line| brain.say(line));
        let answer = brain.ask("DONE");
        assert!(answer.starts_with("ERROR"), "{answer} to {lines}");
    }
    brain.ends_well();
}

/// A search that would last an hour ends with a move when it is asked to, and with the program when that is to end.
#[test]
fn a_search_is_stopped() {
    for (stop, threads) in [("YXSTOP", "1"), ("YXSTOP", "3"), ("END", "1"), ("END", "3")] {
        let mut brain = Brain::start(&["--memory", "1M", "--rule", "five", "--threads", threads]);
        assert_eq!(brain.ask("START 20"), "OK");
        brain.say("INFO timeout_turn 3600000");
        brain.say("BOARD\n9,9,2\nDONE");
        brain.say(stop);
        point(&brain.answer(), GomokuBoard::new(20, 20).unwrap());
        // After END the brain is ending by itself, and may take no more lines.
        if stop == "END" { brain.0.ends_well() } else { brain.ends_well() }
    }
}

#[test]
fn the_name_of_the_program_is_enough() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pbrain-morpion");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_morpion"), &path).unwrap();
    let mut brain = Brain(LineProgram::program(&path, &[]));
    assert!(brain.ask("ABOUT").starts_with("name=\"morpion\""));
    brain.ends_well();
}

/// Random lines out of pieces of the protocol: each brain still answers at the end.
#[test]
fn no_lines_break_it() {
    let long = std::env::var_os("MORPION_LONG_GOMOKU").is_some();
    for seed in 0..if long { 200 } else { 6 } {
        let mut random = rng(seed, &[]);
        println!("seed {seed}");
        let mut brain = Brain::start(&["--memory", "1M"]);
        brain.say("INFO max_node 20\nINFO max_depth 2");
        for _ in 0..60 {
            const WORDS: [&str; 16] = [
                "START",
                "RECTSTART",
                "BEGIN",
                "TURN",
                "PLAY",
                "BOARD",
                "YXBOARD",
                "DONE",
                "SWAP2BOARD",
                "TAKEBACK",
                "RESTART",
                "INFO rule",
                "INFO time_left",
                "YXSTOP",
                "YXSHOWFORBID",
                "",
            ];
            let word = WORDS[random.random_range(0..WORDS.len())];
            let numbers: Vec<String> =
                (0..random.random_range(0..4)).map(|_| random.random_range(-1..16).to_string()).collect();
            brain.say(&format!("{word} {}", numbers.join(",")));
        }
        brain.say("DONE");
        let mut answer = brain.ask("ABOUT");
        while !answer.starts_with("name=") {
            answer = brain.answer();
        }
        brain.ends_well();
    }
}

#[test]
fn both_colours_are_played_from_a_board() {
    // Equal numbers: the brain is black; one more of the other side: it is white.
    for (lines, colour) in [("7,7,1 8,8,2", Side::First), ("7,7,2", Side::Second)] {
        let mut brain = Brain::ready("4");
        brain.say("BOARD");
        lines.split(' ').for_each(|line| brain.say(line));
        let answer = brain.ask("DONE");
        let at = point(&answer, GomokuBoard::USUAL);
        // The stone of the answer cannot be played again, and taking it back gives the turn to its colour: only black
        // has forbidden points, so the next position tells.
        assert!(brain.ask(&format!("PLAY {answer}")).starts_with("ERROR"), "{answer}");
        assert_eq!(brain.ask(&format!("TAKEBACK {answer}")), "OK");
        assert_eq!(brain.ask(&format!("PLAY {}", text(at, GomokuBoard::USUAL))), answer, "{colour:?}");
        brain.ends_well();
    }
}

//! `morpion nboard` driven by a viewer of its own: whole games, hints, and lines that mean nothing.

use crate::engines::LineProgram;
use morpion::core::game::Game;
use morpion::core::seed::rng;
use morpion::games::reversi::board::ReversiBoard;
use morpion::games::reversi::ggf::{move_text, parse_move, to_ggf};
use morpion::games::reversi::position::{ReversiMove, ReversiPosition, Start};
use rand::RngExt;

fn start(arguments: &[&str]) -> LineProgram {
    let mut program = LineProgram::start(&[&["nboard", "--memory", "2M", "--time", "1h"], arguments].concat());
    program.say("nboard 2");
    assert_eq!(program.line(), "set myname morpion");
    program
}

/// The answer to `go`: a legal move, with value and time.
fn go(program: &mut LineProgram, position: &ReversiPosition) -> ReversiMove {
    program.say("go");
    let answer = program.line();
    let parts: Vec<&str> = answer.strip_prefix("=== ").unwrap_or_else(|| panic!("{answer}")).split('/').collect();
    assert_eq!(parts.len(), 3, "{answer}");
    assert!(parts[1..].iter().all(|part| part.parse::<f64>().is_ok()), "{answer}");
    let m = parse_move(position, parts[0]).filter(|&m| position.is_legal(m));
    m.unwrap_or_else(|| panic!("{answer} is not legal\n{position}"))
}

fn usual() -> ReversiPosition {
    ReversiPosition::new(ReversiBoard::FULL, Start::Standard)
}

#[test]
fn a_whole_game_is_legal_to_its_end() {
    let seed = 1;
    let mut random = rng(seed, &[]);
    let (mut program, mut position, mut moves) = (start(&["--nodes", "500"]), usual(), Vec::new());
    program.say("set depth 4");
    program.say(&format!("set game {}", to_ggf(&position, &[])));
    loop {
        let mut legal = Vec::new();
        position.moves(&mut legal);
        if legal.is_empty() {
            break;
        }
        // The program plays black, chance plays white.
        let m = if moves.len() % 2 == 0 {
            go(&mut program, &position)
        } else {
            legal[random.random_range(0..legal.len())]
        };
        program.say(&format!("move {}/0.5/1.5", move_text(&position, m)));
        position.play(m);
        moves.push(m);
    }
    println!("seed {seed}\n{position}");
    program.say("go");
    assert_eq!(program.line(), "status the game is over: nobody moves");
    // The whole game at once leads to the same place.
    program.say(&format!("set game {}", to_ggf(&usual(), &moves)));
    program.say("ping 7");
    assert_eq!(program.line(), "pong 7");
    program.say("hint 1");
    assert_eq!(program.line(), "status the game is over: there is no move");
    program.say("quit");
    program.ends_well();
}

#[test]
fn hints_have_moves_values_and_depths_and_end_when_something_else_is_asked() {
    let mut program = start(&["--nodes", "20000"]);
    program.say("set depth 3");
    program.say("move F5");
    program.say("hint 3");
    let lines = program.until(|line| line.starts_with("status"));
    let mut after = usual();
    after.play(parse_move(&after, "f5").unwrap());
    let searches: Vec<&String> = lines.iter().filter(|line| line.starts_with("search ")).collect();
    assert!(searches.len() >= 3, "{lines:?}");
    for line in &searches {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words.len(), 5, "{line}");
        assert!(words[2].parse::<f64>().is_ok() && words[3] == "0", "{line}");
        assert!(words[4].parse::<u32>().is_ok_and(|depth| depth <= 4), "{line}");
        let first = parse_move(&after, &words[1][..2]).filter(|&m| after.is_legal(m));
        assert!(first.is_some(), "{line}\n{after}");
    }
    program.ends_well();
    // Without a limit it would take an hour.
    let mut program = start(&[]);
    program.say("hint 1");
    program.line();
    program.say("ping 3");
    program.until(|line| line == "pong 3");
    program.ends_well();
}

#[test]
fn lines_that_mean_nothing_are_told_and_change_nothing() {
    let mut program = start(&["--nodes", "100"]);
    program.say("move d3");
    let mut after = usual();
    after.play(parse_move(&after, "d3").unwrap());
    for line in [
        "hello",
        "set",
        "set depth",
        "set depth 0",
        "set depth x",
        "set game",
        "set game nonsense",
        "set game (;GM[Othello];)",
        "set game (;GM[Othello]BO[8 -- *];)",
        "set colour red",
        "move",
        "move a1",
        "move z9",
        "move PA",
        "move d3",
        "hint",
        "hint 0",
        "hint x",
        "analyze",
        "\u{1b}[2J",
        "é",
    ] {
        program.say(line);
        let answer = program.line();
        assert!(answer.starts_with("status ") && !answer.contains('\u{1b}'), "{line}: {answer}");
    }
    program.say(&"x".repeat(1 << 17));
    assert_eq!(program.line(), "status a line has 65536 bytes at most");
    program.say("learn");
    assert_eq!(program.line(), "learned");
    program.say("set contempt 5");
    program.say("");
    go(&mut program, &after);
    let seed = 2;
    program.send_noise(seed);
    program.say("ping 99");
    let answers = program.until(|line| line == "pong 99");
    println!("seed {seed}: {} lines", answers.len());
    go(&mut program, &after);
    program.ends_well();
}

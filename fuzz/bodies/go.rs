//! Bytes as a game of go, played by all implementations, and as a file with a position.

use morpion_engine::core::game::Game;
use morpion_engine::games::go::board::GoBoard;
use morpion_engine::games::go::large::points::LargeBoard;
use morpion_engine::games::go::large::position as large;
use morpion_engine::games::go::naive::NaiveGo;
use morpion_engine::games::go::notation::{parse_position, to_line};
use morpion_engine::games::go::position::{GoMove, GoPosition};
use morpion_engine::games::go::rules::{Cycle, GoRules, Ko};

/// Runs one input.
///
/// # Panics
/// If the implementations differ, a move is not undone, or a position does not survive being written and read.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for text in
        [text.to_string(), format!("(;SZ[3]{text})"), format!("(;SZ[11]{text})"), format!(".X./O.X/... {text}")]
    {
        let _ = parse_position::<GoPosition>(&text, GoRules::default());
        let _ = parse_position::<large::LargePosition>(&text, GoRules::default());
    }
    let [width, height, rules, moves @ ..] = data else { return };
    let Ok(board) = GoBoard::new(1 + width % 7, 1 + height % 7) else { return };
    let ko = [Ko::Basic, Ko::Superko, Ko::Free][usize::from(rules % 3)];
    let rules = GoRules { ko, cycle: Cycle::Tie, suicide: rules / 3 % 2 == 1 };
    let mut fast = GoPosition::new(board, rules);
    let mut slow = NaiveGo::new(board.width().into(), board.height().into(), ko, rules.suicide);
    let size = LargeBoard::new(board.width(), board.height()).expect("a size that small boards have");
    let mut third = large::LargePosition::new(size, rules);
    for byte in moves {
        let mut list = Vec::new();
        fast.moves(&mut list);
        let place = |m: &GoMove| (*m != GoMove::PASS).then_some((usize::from(m.0 % 8), usize::from(m.0 / 8)));
        let places: Vec<_> = list.iter().map(place).collect();
        assert_eq!(places, slow.moves(), "{fast}");
        if list.is_empty() {
            break;
        }
        let read: GoPosition = parse_position(&to_line(&fast), rules).expect("what was written");
        assert_eq!(to_line(&third), to_line(&fast));
        let mut others = Vec::new();
        third.moves(&mut others);
        let names: Vec<String> = list.iter().map(|&m| fast.name(m)).collect();
        assert_eq!(others.iter().map(|&m| third.name(m)).collect::<Vec<_>>(), names);
        assert_eq!((to_line(&read), read.stones(), read.ko()), (to_line(&fast), fast.stones(), fast.ko()));
        let i = usize::from(*byte) % list.len();
        let before = fast.clone();
        let undo = fast.play(list[i]);
        let mut back = fast.clone();
        back.undo(list[i], undo);
        assert_eq!(back, before);
        slow = slow.after(places[i]).expect("a legal move");
        let undo = third.play(others[i]);
        third.undo(others[i], undo);
        third.play(others[i]);
        third.chains().check().expect("chains as they are");
    }
}

//! Bytes as a game of Gomoku, played by both implementations, as a game that begins with Swap2, and as texts with
//! positions.

use morpion_engine::core::game::Game;
use morpion_engine::games::gomoku::board::GomokuBoard;
use morpion_engine::games::gomoku::naive::{NaiveGomoku, NaiveRules};
use morpion_engine::games::gomoku::notation::{parse_position, to_line};
use morpion_engine::games::gomoku::position::{GomokuMove, GomokuPosition};
use morpion_engine::games::gomoku::rules::{GomokuRules, RowRule};
use morpion_engine::games::gomoku::swap2::Swap2Turn;
use morpion_engine::games::gomoku::swap2::game::{Swap2Game, Swap2Move};

/// Runs one input.
///
/// # Panics
/// If the implementations differ, a move is not undone, a structure is not what it is computed anew, or a position or
/// a game does not survive being written and read.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for text in
        [text.to_string(), format!("(;SZ[5]{text})"), format!("Piskvorky 9x9,\n{text}"), format!(".X/O. {text}")]
    {
        let _ = parse_position(&text, GomokuRules::default(), Some((7, 8)));
    }
    let [width, height, rule, win, moves @ ..] = data else { return };
    let Ok(board) = GomokuBoard::new(1 + width % 12, 1 + height % 12) else { return };
    let rule = RowRule::ALL[usize::from(rule % 4)];
    let win = if rule == RowRule::Renju { 5 } else { 1 + win % 6 };
    let Ok(rules) = GomokuRules::new(rule, win) else { return };
    let mut fast = GomokuPosition::new(board, rules);
    let naive_rules = NaiveRules {
        win: win.into(),
        black_longer: rule == RowRule::Free,
        white_longer: matches!(rule, RowRule::Free | RowRule::Renju),
        both_ends: rule == RowRule::Caro,
        forbidden: rule == RowRule::Renju,
    };
    let mut slow = NaiveGomoku::new(board.width().into(), board.height().into(), naive_rules);
    for byte in moves {
        fast.check();
        assert_eq!(parse_position(&to_line(&fast), rules, None).as_ref(), Ok(&fast));
        let mut list: Vec<GomokuMove> = Vec::new();
        fast.moves(&mut list);
        let places: Vec<(usize, usize)> =
            list.iter().map(|m| board.place(m.0)).map(|(x, y)| (x.into(), y.into())).collect();
        assert_eq!(places, slow.moves(), "{fast}");
        if list.is_empty() {
            break;
        }
        let i = usize::from(*byte) % list.len();
        let before = fast.clone();
        let undo = fast.play(list[i]);
        let mut back = fast.clone();
        back.undo(list[i], undo);
        assert_eq!(back, before);
        slow = slow.after(places[i]);
    }
    swap2(board, rules, moves);
}

/// The same moves from the beginning of Swap2, where the board and the row are large enough for it.
fn swap2(board: GomokuBoard, rules: GomokuRules, moves: &[u8]) {
    let Ok(mut game) = Swap2Game::new(board, rules) else { return };
    let (mut played, mut stones) = (Vec::new(), Vec::new());
    for byte in moves {
        let mut list: Vec<Swap2Move> = Vec::new();
        game.moves(&mut list);
        if list.is_empty() {
            break;
        }
        let m = list[usize::from(*byte) % list.len()];
        assert_eq!((game.check_move(m), game.parse(&game.name(m))), (Ok(()), Some(m)), "{game}");
        assert_eq!(game.decode(game.code(m)), Some(m), "{game}");
        let before = game.clone();
        let undo = game.play(m);
        let mut back = game.clone();
        back.undo(m, undo);
        assert_eq!(back, before);
        played.push(m);
        stones.extend(m.stone().map(GomokuMove));
        // Once the opening is over its stones alone have no choices, so a record of half an opening is another game.
        if let Swap2Turn::Agreed { .. } = game.opening().turn() {
            let (start, read) = Swap2Game::from_record(&game.record(&stones), rules).expect("a legal game");
            assert_eq!(read, played, "{start}");
        }
    }
}

//! Bytes as a game of Reversi, played by both implementations, and as lines of positions and games.

use morpion_engine::core::game::Game;
use morpion_engine::games::reversi::board::ReversiBoard;
use morpion_engine::games::reversi::naive::{Cell, NaiveReversi};
use morpion_engine::games::reversi::notation::{parse_board, to_obf};
use morpion_engine::games::reversi::position::{ReversiMove, ReversiPosition, Start};
use morpion_engine::games::reversi::positions::parse_positions;

/// Runs one input.
///
/// # Panics
/// If the implementations differ, a move is not undone, or a position does not survive being written and read.
pub fn run(data: &[u8]) {
    let _ = parse_positions(ReversiBoard::FULL, &String::from_utf8_lossy(data));
    let [width, height, start, moves @ ..] = data else { return };
    let Ok(board) = ReversiBoard::new(4 + width % 5, 4 + height % 5) else { return };
    let alternative = start % 2 == 1;
    let mut fast = ReversiPosition::new(board, if alternative { Start::Alternative } else { Start::Standard });
    let mut slow = NaiveReversi::new(board.width().into(), board.height().into(), alternative);
    for byte in moves {
        assert_eq!(parse_board(board, &to_obf(&fast)).as_ref(), Ok(&fast));
        let mut list = Vec::new();
        fast.moves(&mut list);
        let places: Vec<_> = list
            .iter()
            .map(|&m| {
                (m != ReversiMove::PASS).then(|| board.place(m.0)).map(|(x, y)| (usize::from(x), usize::from(y)))
            })
            .collect();
        assert_eq!(places, slow.moves(), "{fast}");
        if list.is_empty() {
            break;
        }
        let i = usize::from(*byte) % list.len();
        let before = fast;
        let undo = fast.play(list[i]);
        let mut back = fast;
        back.undo(list[i], undo);
        assert_eq!(back, before);
        slow = slow.after(places[i]);
        let (black, _) = fast.discs();
        for (y, row) in slow.rows.iter().enumerate() {
            for (x, cell) in row.iter().enumerate() {
                let square = board.square(x as u8, y as u8).expect("a cell of the board");
                assert_eq!(*cell == Cell::Black, black >> square & 1 == 1, "{fast}");
            }
        }
    }
}

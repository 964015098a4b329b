//! What the file of a game tells beside its moves: who has played, and how it has ended.

use crate::core::game::{Game, Side, Value};
use crate::games::go::scoring::{points_text, result_text};
use crate::notation::sgf::collection::escape;

/// What is told of a game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GameTags<'t> {
    /// Who has black; nothing if it is not told.
    pub black: &'t str,
    /// Who has white.
    pub white: &'t str,
    /// What white gets beside its score, in units of [`Value`].
    pub komi: Value,
    /// The side that made no move where it had to, and so has lost.
    pub forfeit: Option<Side>,
    /// It is a tie, whatever the score is: by a cycle of go.
    pub is_tie: bool,
}

impl GameTags<'_> {
    /// Nothing is told.
    pub const NONE: GameTags<'static> = GameTags { black: "", white: "", komi: 0, forfeit: None, is_tie: false };

    /// Black's score less white's and komi, if the game is over by its rules; in units of [`Value`].
    fn margin<G: Game>(&self, position: &G) -> Option<Value> {
        let mut legal = Vec::new();
        position.moves(&mut legal);
        let of_black = || if position.side() == Side::First { position.outcome() } else { -position.outcome() };
        legal.is_empty().then(|| if self.is_tie { 0 } else { of_black() - self.komi })
    }

    /// The names, as SGF and GGF have them.
    fn names(&self) -> String {
        // A name is one line of text.
        let name = |name: &str| escape(&name.split(char::is_control).collect::<Vec<_>>().join(" "));
        let tag = |tag: &str, of: &str| if of.is_empty() { String::new() } else { format!("{tag}[{}]", name(of)) };
        tag("PB", self.black) + &tag("PW", self.white)
    }

    /// The properties of SGF for a game that has come to a position. `has_score` says whether one wins by a number of
    /// points.
    pub fn sgf<G: Game>(&self, position: &G, has_score: bool) -> String {
        let letter = |side: Side| if side == Side::First { 'B' } else { 'W' };
        let tenths = |value: Value| i64::from(value) * 10 / i64::from(G::POINT);
        let komi = if self.komi == 0 { String::new() } else { format!("KM[{}]", points_text(tenths(self.komi))) };
        let result = match (self.forfeit, self.margin(position)) {
            (Some(side), _) => Some(format!("{}+F", letter(side.other()))),
            (None, Some(margin)) if has_score => Some(result_text(tenths(margin))),
            (None, Some(0)) => Some("0".to_owned()),
            (None, Some(margin)) => Some(format!("{}+", if margin > 0 { 'B' } else { 'W' })),
            (None, None) => None,
        };
        self.names() + &komi + &result.map_or(String::new(), |result| format!("RE[{result}]"))
    }

    /// The same for GGF, which has the result as black's discs less white's, if the game was played to its end.
    pub fn ggf<G: Game>(&self, position: &G) -> String {
        let result = self.margin(position).filter(|_| self.forfeit.is_none());
        let result = result.map_or(String::new(), |margin| format!("RE[{:+}]", margin / G::POINT));
        self.names() + &result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::go::large::points::LargeBoard;
    use crate::games::go::large::position::{LargeMove, LargePosition};
    use crate::games::go::rules::GoRules;
    use crate::games::gomoku::notation::parse_moves;
    use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
    use crate::games::gomoku::record::GomokuRecord;
    use crate::games::gomoku::{board::GomokuBoard, rules::GomokuRules};
    use crate::games::reversi::board::ReversiBoard;
    use crate::games::reversi::ggf::parse_ggf;
    use crate::games::reversi::position::{ReversiPosition, Start};
    use crate::solvers::solvable::Playable;

    fn gomoku(moves: &str) -> (GomokuPosition, GomokuPosition, Vec<GomokuMove>) {
        let start = GomokuPosition::new(GomokuBoard::USUAL, GomokuRules::default());
        let moves: Vec<GomokuMove> =
            parse_moves(GomokuBoard::USUAL, moves).unwrap().into_iter().map(GomokuMove).collect();
        let mut end = start.clone();
        moves.iter().for_each(|&m| {
            end.play(m);
        });
        (start, end, moves)
    }

    #[test]
    fn files_of_gomoku_tell_players_and_result() {
        let tags = GameTags { black: "a ]\\ b\n", white: "./c", ..GameTags::NONE };
        let (start, end, moves) = gomoku("a1a2b1b2c1c2d1d2e1");
        let text = end.saved(&start, &moves, &tags);
        assert!(text.starts_with("(;FF[4]GM[4]CA[UTF-8]SZ[15]PB[a \\]\\\\ b ]PW[./c]RE[B+]\n;B["), "{text}");
        assert_eq!(GomokuRecord::parse_sgf(&text).unwrap().moves.len(), 9);
        let (start, end, moves) = gomoku("a1a2b1");
        assert!(end.saved(&start, &moves, &tags).contains("PW[./c]\n;B["));
        let lost = GameTags { forfeit: Some(Side::Second), ..tags };
        assert!(end.saved(&start, &moves, &lost).contains("PW[./c]RE[B+F]\n;B["));
        assert!(end.saved(&start, &moves, &GameTags::NONE).contains("SZ[15]\n;B["));
    }

    #[test]
    fn files_of_go_tell_points_with_komi() {
        let start = LargePosition::new(LargeBoard::new(5, 5).unwrap(), GoRules::default());
        let moves = [start.parse("c3").unwrap(), LargeMove::PASS, LargeMove::PASS];
        let mut end = start.clone();
        moves.iter().for_each(|&m| {
            end.play(m);
        });
        let tags = GameTags { black: "x", komi: 75, ..GameTags::NONE };
        let text = end.saved(&start, &moves, &tags);
        assert!(text.starts_with("(;FF[4]GM[1]SZ[5]PB[x]KM[7.5]RE[B+17.5]PL[B];B[cc]"), "{text}");
        let tie = GameTags { is_tie: true, ..tags };
        assert!(end.saved(&start, &moves, &tie).contains("PB[x]KM[7.5]RE[0]PL"));
    }

    #[test]
    fn files_of_reversi_tell_discs() {
        let start = ReversiPosition::new(ReversiBoard::new(6, 6).unwrap(), Start::Standard);
        let mut end = start;
        let (mut moves, mut legal) = (Vec::new(), Vec::new());
        loop {
            legal.clear();
            end.moves(&mut legal);
            let Some(&m) = legal.get(moves.len() % legal.len().max(1)) else { break };
            end.play(m);
            moves.push(m);
        }
        let of_side = end.outcome() / ReversiPosition::POINT;
        let margin = if end.side() == Side::First { of_side } else { -of_side };
        assert_ne!(margin, 0);
        let tags = GameTags { black: "x", white: "y", ..GameTags::NONE };
        let text = end.saved(&start, &moves, &tags);
        let begin = format!("(;GM[Othello]PC[morpion]PB[x]PW[y]RE[{margin:+}]TY[6]");
        assert!(text.starts_with(&begin), "{text}");
        assert_eq!(parse_ggf(&text).unwrap().moves, moves);
        assert!(!start.saved(&start, &[], &tags).contains("RE["));
    }
}

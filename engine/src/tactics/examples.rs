//! Example problems with their answers, which come with the program.
//!
//! They are in the columns of a [`suite`](super::suite), so that they are answered and compared like any other file
//! of questions. As game trees each is a game of its own: the position with a text that says what is asked, and the
//! right first moves as variations, so that people can try before they look.

use super::goal::{Question, TacticalGoal};
use super::suite::{SuiteQuestion, parse_suite};
use super::verdict::TacticsVerdict;
use crate::core::game::Side;
use crate::games::go::large::points::LargeBoard;
use crate::notation::sgf::collection::{Property, SgfCollection, SgfNodeId};
use crate::notation::sgf::point::name;

/// The file of the problems.
pub const EXAMPLES: &str = include_str!("examples.tsv");

/// The problems in their order in the file.
///
/// # Panics
/// Never: a test reads them.
pub fn examples() -> Vec<SuiteQuestion> {
    parse_suite(EXAMPLES).expect("the example problems can be read")
}

/// Questions as game trees, a game each.
pub fn to_sgf(questions: &[SuiteQuestion]) -> SgfCollection {
    let mut sgf = SgfCollection::new();
    for asked in questions {
        let game = sgf.add_game(position(asked));
        add_answers(&mut sgf, game, asked);
    }
    sgf
}

fn point_name(size: LargeBoard, point: u16) -> String {
    name(size.place(point))
}

fn position(asked: &SuiteQuestion) -> Vec<Property> {
    let (board, question) = (&asked.board, &asked.question);
    let size = board.chains().size();
    let named = |points: &mut dyn Iterator<Item = u16>| points.map(|point| point_name(size, point)).collect();
    let stones = |side| named(&mut (0..size.area()).filter(|&point| board.colour(point) == Some(side)));
    let mover = if question.mover() == Side::First { "B" } else { "W" };
    let mut text = told(size, question);
    if let Some(ban) = board.ban() {
        text += &format!(" A ko forbids {}.", size.name(ban));
    }
    let properties = [
        ("GM", vec!["1".to_owned()]),
        ("SZ", vec![size.width().to_string()]),
        ("GN", Property::text("GN", &asked.name).values),
        ("AB", stones(Side::First)),
        ("AW", stones(Side::Second)),
        ("TR", named(&mut std::iter::once(question.target()).chain(question.with()))),
        ("PL", vec![mover.to_owned()]),
        ("C", Property::text("C", &text).values),
    ];
    let given = properties.into_iter().filter(|(_, values): &(&str, Vec<String>)| !values.is_empty());
    given.map(|(name, values)| Property { name: name.to_owned(), values }).collect()
}

/// A question in a sentence.
fn told(size: LargeBoard, question: &Question) -> String {
    let mover = if question.mover() == Side::First { "Black" } else { "White" };
    let target = size.name(question.target());
    let with = question.with().map_or_else(String::new, |with| size.name(with));
    match question.goal() {
        TacticalGoal::Capture => format!("{mover} is to capture the chain on {target}."),
        TacticalGoal::Defend => format!("{mover} is to save the chain on {target}."),
        TacticalGoal::Connect => format!("{mover} is to connect the chains on {target} and {with}."),
        TacticalGoal::Cut => format!("{mover} is to keep the chains on {target} and {with} apart."),
        TacticalGoal::Kill => format!("{mover} is to kill the chain on {target}."),
        TacticalGoal::Live => format!("{mover} is to make the chain on {target} live."),
    }
}

/// The first moves that are right, as variations; a pass says that nothing works.
fn add_answers(sgf: &mut SgfCollection, game: SgfNodeId, asked: &SuiteQuestion) {
    let Some(expected) = &asked.expected else { return };
    let size = asked.board.chains().size();
    let all = [TacticsVerdict::Fails, TacticsVerdict::Works, TacticsVerdict::KoFirst, TacticsVerdict::KoThreat];
    let of =
        |code: &u8| all.into_iter().find(|verdict| verdict.code() == Some(*code)).map(|verdict| verdict.to_string());
    let verdict = expected.codes.iter().filter_map(of).collect::<Vec<_>>().join(", or ");
    let mover = if asked.question.mover() == Side::First { "B" } else { "W" };
    let moves = if expected.moves.is_empty() { &[None][..] } else { &expected.moves };
    for found in moves {
        let point = found.map_or_else(String::new, |point| point_name(size, point));
        sgf.add_child(game, vec![Property::new(mover, &point), Property::text("C", &format!("Answer: {verdict}."))]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::sgf::write::write;

    #[test]
    fn a_question_becomes_a_game() {
        let suite = "a net\tcapture\tB2\t[1 (C1|A3)]\t3\tA1\tB2\nan odd ]\tcut\tA1 C3\t[0]\t3\tB2\tA1 C3\tB3\n";
        let text = write(&to_sgf(&parse_suite(suite).unwrap()));
        assert_eq!(
            text.replace('\n', ""),
            "(;FF[4]CA[UTF-8]GM[1]SZ[3]GN[a net]AB[ac]AW[bb]TR[bb]PL[B]C[Black is to capture the chain on b2.]\
             (;B[cc]C[Answer: works.])(;B[aa]C[Answer: works.]))\
             (;FF[4]CA[UTF-8]GM[1]SZ[3]GN[an odd \\]]AB[bb]AW[ca][ac]TR[ac][ca]PL[B]\
             C[Black is to keep the chains on a1 and c3 apart. A ko forbids b3.];B[]C[Answer: fails.])"
        );
    }
}

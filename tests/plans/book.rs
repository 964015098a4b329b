//! Opening books: what is worth what, how they grow, texts that are none, and players that play by one.

use super::positions::after;
use morpion::core::game::{Budget, Game, Level, Player};
use morpion::games::gomoku::board::GomokuBoard;
use morpion::games::gomoku::position::{GomokuMove, GomokuPosition};
use morpion::games::gomoku::rules::GomokuRules;
use morpion::games::gomoku::symmetry;
use morpion::runner::book::{BookEnd, BookTerms, grow_book};
use morpion::solvers::gomoku::book::grow::next_position;
use morpion::solvers::gomoku::book::{BookMove, OpeningBook, PLANNED, text};
use morpion::solvers::gomoku::lines::weights::LineWeights;
use morpion::solvers::gomoku::plan;
use morpion::solvers::gomoku::player::{GomokuPlayer, PlayerError};
use std::collections::HashSet;
use std::sync::Arc;

const BOARD: GomokuBoard = GomokuBoard::USUAL;

fn position(moves: &str) -> GomokuPosition {
    after(BOARD, GomokuRules::default(), moves)
}

/// A book of 15x15 with these lines after the heading.
fn book(lines: &str) -> OpeningBook {
    text::parse(&format!("{}\ngame 15x15 five 5\n{lines}", text::HEADING)).unwrap()
}

fn names(moves: &[GomokuMove]) -> String {
    moves.iter().map(|m| BOARD.name(m.0)).collect()
}

#[test]
fn a_move_is_worth_what_follows_it() {
    // White's h9 looks better than i9 at first, but black's i9 is worth 300 after it.
    let book = book("0 - h8:0\n0 h8 h9:-10 i9:-50\n1 h9 i9:300 g7:20\n");
    let choice = book.choice(&position("h8")).unwrap();
    assert_eq!((names(&choice.line).as_str(), choice.value), ("i9", -50));
    let choice = book.choice(&position("")).unwrap();
    assert_eq!((names(&choice.line).as_str(), choice.value), ("h8i9", 50));
    assert_eq!(book.moves(&position("h8h9"))[0].1, 300);
    assert!(book.choice(&position("h8i9")).is_none());
    assert!(book.choice(&after(BOARD, morpion::games::gomoku::rules::GomokuRules::default(), "a1")).is_none());
    let other = GomokuPosition::new(GomokuBoard::new(19, 19).unwrap(), GomokuRules::default());
    assert!(book.choice(&other).is_none());
}

#[test]
fn images_of_a_position_have_images_of_its_moves() {
    let book = book("0 h8i9g7 f6:-5 j9:-40\n");
    let (first, second) = (BOARD.named("f6").unwrap(), BOARD.named("j9").unwrap());
    for image in 0..symmetry::count(BOARD) {
        let mut position = position("");
        for point in ["h8", "i9", "g7"] {
            position.play(GomokuMove(symmetry::apply(BOARD, image, BOARD.named(point).unwrap())));
        }
        let moves: Vec<(u16, i32)> = book.moves(&position).into_iter().map(|(m, value)| (m.0, value)).collect();
        assert_eq!(moves.len(), 2);
        // The position is its own image by one symmetry, so either of two points is right.
        let images = |point: u16| {
            let of = |s: u8| symmetry::apply(BOARD, s, point);
            let own: Vec<u16> = (0..8)
                .filter(|&s| {
                    ["h8", "i9", "g7"].iter().all(|name| {
                        let from = BOARD.named(name).unwrap();
                        symmetry::apply(BOARD, s, from) == symmetry::apply(BOARD, image, from)
                    })
                })
                .map(of)
                .collect();
            own
        };
        assert!(images(first).contains(&moves[0].0) && images(second).contains(&moves[1].0), "{image}");
        assert_eq!((moves[0].1, moves[1].1), (-5, -40));
    }
}

#[test]
fn the_cheapest_line_grows() {
    let none = HashSet::new();
    let next = |book: &OpeningBook| {
        next_position(book, &none).map(|way| names(&way.into_iter().map(GomokuMove).collect::<Vec<_>>()))
    };
    let mut grown = OpeningBook::new(BOARD, GomokuRules::default());
    assert_eq!(next(&grown).as_deref(), Some(""));
    grown.add(Vec::new(), vec![BookMove { point: BOARD.named("h8").unwrap(), value: 0 }]);
    assert_eq!(next(&grown).as_deref(), Some("h8"));
    // i9 costs 5 more than h9, which is less than the two plies that are searched after h9.
    let two = book("0 - h8:0\n0 h8 h9:-10 i9:-15\n1 h9 i9:10 g7:9\n");
    assert_eq!(next(&two).as_deref(), Some("h8i9"));
    let far = book("0 - h8:0\n0 h8 h9:-10 i9:-100\n1 h9 i9:10 g7:9\n");
    assert_eq!(next(&far).as_deref(), Some("h8h9i9"));
    // What is at work is left to others.
    let at_work: HashSet<Vec<u16>> = [["h8", "h9", "i9"].map(|name| BOARD.named(name).unwrap()).to_vec()].into();
    let way = next_position(&far, &at_work).unwrap();
    assert_eq!(names(&way.into_iter().map(GomokuMove).collect::<Vec<_>>()), "h8h9g7");
    // A decided game does not go on.
    assert_eq!(next(&book("0 - h8:19990\n")), None);
}

fn terms(positions: usize, threads: usize) -> BookTerms {
    let weights = LineWeights::usual();
    BookTerms { threads, positions, nodes: 2000, moves: 3, memory: 1 << 20, weights }
}

fn grow(book: &mut OpeningBook, terms: &BookTerms) -> BookEnd {
    grow_book::<PlayerError>(book, terms, &|| false, &|_| Ok(())).unwrap()
}

#[test]
fn a_book_grows_and_goes_on() {
    let small = || OpeningBook::new(GomokuBoard::new(9, 9).unwrap(), GomokuRules::default());
    let mut whole = small();
    assert_eq!(grow(&mut whole, &terms(12, 1)), BookEnd::Full);
    assert_eq!(whole.positions().len(), 12);
    // Stopped after five positions, written and read, it grows to the same.
    let mut parts = small();
    assert_eq!(grow(&mut parts, &terms(5, 1)), BookEnd::Full);
    let mut parts = text::parse(&text::to_text(&parts, &[])).unwrap();
    assert_eq!(grow(&mut parts, &terms(12, 1)), BookEnd::Full);
    assert_eq!(text::to_text(&parts, &[]), text::to_text(&whole, &[]));
    // Each position has its moves, the best first, and follows another one.
    for position in whole.positions() {
        assert!((1..=3).contains(&position.moves.len()));
        assert!(position.moves.is_sorted_by(|one, other| one.value >= other.value));
        if let Some((last, way)) = position.way.split_last() {
            assert!(whole.moves(&whole.position(way)).iter().any(|(m, _)| {
                let mut next = whole.position(way);
                next.play(*m);
                let mut own = whole.position(way);
                own.play(GomokuMove(*last));
                next.symmetric_key().hash == own.symmetric_key().hash
            }));
        }
    }
    let mut two = small();
    assert_eq!(grow(&mut two, &terms(12, 2)), BookEnd::Full);
    assert_eq!(two.positions().len(), 12);
    let mut stopped = small();
    let end = grow_book::<PlayerError>(&mut stopped, &terms(1_000_000, 1), &|| true, &|_| Ok(())).unwrap();
    assert_eq!(end, BookEnd::Stopped);
}

#[test]
fn plans_are_part_of_a_book() {
    let plan = plan::text::parse("morpion plan 1\ngame 15x15 five 5\nstart h8\nwins black\n0 h10 i7\n").unwrap();
    let mut book = book("0 - h8:0\n0 h8 i9:-100 h10:-150\n");
    book.add_plan(&plan);
    assert_eq!(book.planned(), plan.moves().len());
    // White's h10 is answered by i7, which is proven to win; what follows is not looked at any more.
    let choice = book.choice(&position("h8h10")).unwrap();
    assert_eq!((names(&choice.line).as_str(), choice.value), ("i7", PLANNED));
    let way = next_position(&book, &HashSet::new()).unwrap();
    assert_eq!(way, ["h8", "i9"].map(|name| BOARD.named(name).unwrap()));
    // The program's own book has it, and an answer to every second move.
    let usual = OpeningBook::usual();
    assert_eq!(usual.choice(&position("h8h10")), Some(choice));
    for second in BOARD.points().filter(|&point| BOARD.name(point) != "h8") {
        let choice = usual.choice(&position(&format!("h8{}", BOARD.name(second)))).unwrap();
        assert_eq!(choice.value, PLANNED, "{}", BOARD.name(second));
    }
    assert!(usual.positions().len() > 100, "{}", usual.positions().len());
    // So the first move wins, and white's best answer is still the one of the searches.
    let (first, second) = (usual.choice(&position("")).unwrap(), usual.choice(&position("h8")).unwrap());
    assert_eq!((BOARD.name(first.line[0].0).as_str(), first.value, second.value), ("h8", PLANNED, -PLANNED));
    assert!(["g7", "g9", "i7", "i9"].contains(&BOARD.name(second.line[0].0).as_str()));
    assert!(first.line.len() > 3, "{}", names(&first.line));
    // Positions after planned moves are lost, and of those that no plan has come to nothing is proven.
    let value = |moves: &str| usual.choice(&position(moves)).map(|choice| choice.value);
    assert_eq!(value("h8h9"), Some(PLANNED));
    assert!(value("h8h9g10").is_some_and(|value| value.abs() < PLANNED));
    let ways = usual.positions().iter().map(|position| usual.position(&position.way));
    let lost = ways.filter(|position| usual.choice(position).is_some_and(|choice| choice.value == -PLANNED)).count();
    assert!(lost > 1, "{lost}");
}

#[test]
fn a_player_plays_by_its_book_at_full_strength() {
    let mut player = GomokuPlayer::new(1 << 20).unwrap();
    player.set_book(Some(Arc::new(book("0 h8 a1:-7\n"))));
    let choose = |player: &mut GomokuPlayer, position: &GomokuPosition| {
        let mut time = || 0.0;
        let mut budget = Budget { depth: 3, nodes: 1000, time: &mut time };
        player.choose(position, &mut budget, &mut |_| {}).unwrap()
    };
    let chosen = choose(&mut player, &position("h8"));
    // The corners are images of each other.
    assert!(["a1", "a15", "o1", "o15"].contains(&names(&chosen.line).as_str()));
    assert_eq!((chosen.value, chosen.depth, chosen.nodes), (-7, 0, 0));
    assert!(choose(&mut player, &position("h8a1h9")).nodes > 0);
    player.set_level(Level::new(3).unwrap());
    assert!(choose(&mut player, &position("h8")).nodes > 0);
    player.set_level(Level::FULL);
    player.set_book(None);
    assert!(choose(&mut player, &position("h8")).nodes > 0);
}

#[test]
fn texts_that_are_no_books_say_where() {
    let heading = format!("{}\ngame 15x15 five 5\n", text::HEADING);
    for (text, said) in [
        (String::new(), "line 1: expected `morpion book 1`"),
        ("morpion plan 1\n".to_owned(), "line 1: expected `morpion book 1`"),
        (format!("{}\ngame 15x15\n", text::HEADING), "line 2: expected `game WxH RULE N`, such as game 15x15 five 5"),
        (heading.clone() + "0 h8\n", "line 3: expected a number, moves and moves with values"),
        (heading.clone() + "0 h8 i9\n", "line 3: expected a number, moves and moves with values"),
        (heading.clone() + "0 h8 i9:20001\n", "line 3: expected a number, moves and moves with values"),
        (heading.clone() + "0 h8 i9:1 i9:2\n", "line 3: expected a number, moves and moves with values"),
        (
            heading.clone() + "# a remark\n1 h8 i9:1\n",
            "line 4: it has 1 moves in common with the line before, which has 0",
        ),
        (heading.clone() + "0 h8 h8:1\n", "line 3: h8 is illegal"),
        (heading.clone() + "0 h8h8 i9:1\n", "line 3: h8 is illegal"),
        (heading.clone() + "0 h16 i9:1\n", "line 3: "),
        (heading.clone() + "0 h8i9 g7:1\n0 h8g7 i9:1\n", "line 4: the book has this position already"),
    ] {
        let error = text::parse(&text).unwrap_err().to_string();
        assert!(error.starts_with(said), "{error}");
    }
    let book = book("# one\n0 - h8:0\n");
    assert_eq!(text::remarks("# one\n#two\nx"), ["one", "two"]);
    assert!(text::to_text(&book, &["one".to_owned()]).contains("\n# one\n0 - h8:0\n"));
}

//! Texts as opening books and as plans of Gomoku: what can be read is written and read again.

use morpion_engine::solvers::gomoku::{book, plan};

/// Runs one input.
///
/// # Panics
/// If a book or a plan that was read is another one after being written.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for text in [text.to_string(), format!("{}\ngame 7x6 five 5\n{text}", book::text::HEADING)] {
        if let Ok(read) = book::text::parse(&text) {
            let written = book::text::to_text(&read, &book::text::remarks(&text));
            let again = book::text::parse(&written).expect("it was written");
            assert_eq!(book::text::to_text(&again, &book::text::remarks(&written)), written);
            for position in read.positions() {
                let position = read.position(&position.way);
                assert!(read.choice(&position).is_some_and(|choice| !choice.line.is_empty()));
            }
        }
    }
    for text in [text.to_string(), format!("{}\ngame 7x6 five 5\nstart b2\nwins black\n{text}", plan::text::HEADING)]
    {
        if let Ok(read) = plan::text::parse(&text) {
            let written = plan::text::to_text(&read);
            let again = plan::text::parse(&written).expect("it was written");
            assert_eq!(plan::text::to_text(&again), written);
        }
    }
}

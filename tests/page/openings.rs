//! Games of Gomoku that begin with an opening: stones by clicks and keys, choices by buttons, on either side.

use crate::browser::Page;
use crate::{press, world};
use serde_json::json;

/// Sets a field of the cards beside the board.
fn choose(page: &Page, name: &str, value: &str) {
    page.wait(&format!("document.querySelector('select[name={name}]')"));
    page.eval(&format!(
        "{{
            const field = document.querySelector('select[name={name}]');
            field.value = '{value}';
            field.dispatchEvent(new Event('change'));
        }}"
    ));
}

/// Waits for the line below the board.
fn told(page: &Page, text: &str) {
    page.wait(&format!("document.querySelector('.prompt').textContent.includes({})", json!(text)));
}

/// What can be chosen.
fn open(page: &Page) -> String {
    let buttons = "[...document.querySelectorAll('[data-choice]')].filter((b) => b.checkVisibility()).map((b) => \
                   b.dataset.choice).join(' ')";
    page.eval(buttons).as_str().unwrap().to_owned()
}

fn stones(page: &Page, count: usize) {
    page.wait(&format!("document.querySelectorAll('.gameboard .stone').length === {count}"));
}

fn button(page: &Page, label: &str) {
    page.eval(&format!(
        "[...document.querySelectorAll('button')].find((b) => b.textContent === {}).click()",
        json!(label)
    ));
}

/// The moves as the list has them.
fn moves(page: &Page) -> String {
    let all = "[...document.querySelectorAll('.movelist li')].map((item) => item.textContent).join(' ')";
    page.eval(all).as_str().unwrap().to_owned()
}

#[test]
fn two_people_open_a_game_and_take_steps_back() {
    let Some(world) = world() else { return };
    let page = world.desk("/games?game=gomoku");
    choose(&page, "opening", "swap2");
    told(&page, "First player: put three stones anywhere, black, white and black. Now black, stone 1 of 3.");
    press(&page, "h8");
    told(&page, "Now white, stone 2 of 3.");
    // The other two with the keyboard, from the last stone on.
    page.eval("document.querySelector('.gameboard [data-name=i9]').focus()");
    page.key("Enter");
    told(&page, "Now black, stone 3 of 3.");
    page.wait("document.activeElement.dataset.name === 'i10'");
    page.eval("document.querySelector('.gameboard [data-name=g7]').focus()");
    page.key("Enter");
    told(&page, "Second player: choose white, or black, or put two more stones");
    assert_eq!(open(&page), "white black add");
    page.wait("document.activeElement.dataset.choice === 'white' && !document.querySelector('.choice-cell')");
    page.key("a");
    told(&page, "Second player: put two more stones, white and black. Now white, stone 1 of 2.");
    assert_eq!(open(&page), "");
    page.wait("document.activeElement.dataset.name === 'g8'");
    press(&page, "a1");
    told(&page, "Now black, stone 2 of 2.");
    press(&page, "a2");
    told(&page, "First player: choose white or black.");
    assert_eq!(open(&page), "white black");
    // All of it is in the address.
    page.reload();
    told(&page, "First player: choose white or black.");
    assert_eq!(moves(&page), "h8 i9 g7 puts two more stones a1 a2");
    stones(&page, 5);
    page.click("[data-choice=black]");
    told(&page, "white to move, 220 legal moves \u{b7} 3 black, 2 white \u{b7} the first player has black");
    press(&page, "b3");
    stones(&page, 6);
    for (count, text) in [
        (5, "the first player has black"),
        (5, "First player: choose white or black."),
        (4, "stone 2 of 2"),
        (3, "stone 1 of 2"),
        (3, "Second player: choose"),
        (2, "stone 3 of 3"),
    ] {
        button(&page, "Undo");
        told(&page, text);
        stones(&page, count);
    }
    for (count, text) in [(3, "Second player: choose"), (3, "stone 1 of 2"), (4, "stone 2 of 2")] {
        button(&page, "Redo");
        told(&page, text);
        stones(&page, count);
    }
    // Rules that the opening does not fit are told; without it they are fine.
    choose(&page, "win", "3");
    page.wait(
        "document.querySelector('section[aria-label=Board] .note.bad').textContent.includes('too short for Swap2')",
    );
    choose(&page, "opening", "");
    told(&page, "black to move, 225 legal moves");
    let problems = page.problems();
    assert!(problems.iter().all(|one| one.contains("422") && one.contains("/api/v1/position")), "{problems:?}");
}

#[test]
fn the_machine_answers_an_opening() {
    let Some(world) = world() else { return };
    let page = world.open("/games?game=gomoku&opening=swap2&think=0.3&level=5", 390, 844, false);
    choose(&page, "machine", "answerer");
    told(&page, "You (first player): put three stones anywhere");
    // Black is far better, so the machine takes it.
    for name in ["h8", "a15", "i7"] {
        press(&page, name);
    }
    told(&page, "white to move, 222 legal moves \u{b7} 2 black, 1 white \u{b7} you have white, the machine black");
    page.wait("document.querySelector('section[aria-label=\\'The machine\\']').textContent.includes('The machine: takes black')");
    press(&page, "g9");
    // It has answered with a black stone.
    page.wait("document.querySelectorAll('.movelist li').length === 6");
    told(&page, "white to move");
    stones(&page, 5);
    // Back to the choice of the machine, which chooses again when a stone is put again.
    button(&page, "Undo");
    stones(&page, 3);
    told(&page, "you have white");
    button(&page, "Undo");
    stones(&page, 2);
    told(&page, "You (first player): put three stones anywhere, black, white and black. Now black, stone 3 of 3.");
    button(&page, "Redo");
    told(&page, "you have white");
    assert_eq!(moves(&page), "h8 a15 i7 takes black");
    assert_eq!(page.eval("document.documentElement.scrollWidth <= innerWidth"), json!(true));
    world.approve(&page);
}

#[test]
fn a_person_answers_the_opening_of_the_machine() {
    let Some(world) = world() else { return };
    let page = world.desk("/games?game=gomoku&opening=swap2&think=0.3&level=3&machine=opener");
    told(&page, "You (second player): choose white, or black, or put two more stones");
    stones(&page, 3);
    page.wait("document.querySelector('section[aria-label=\\'The machine\\']').textContent.includes('It looked')");
    // A hint is a button that stands out.
    button(&page, "Hint");
    page.wait("document.querySelector('[data-choice].main')");
    // The swap: black is taken, and the machine goes on with white.
    page.click("[data-choice=black]");
    page.wait("document.querySelectorAll('.movelist li').length === 5");
    told(&page, "black to move, 221 legal moves \u{b7} 2 black, 2 white \u{b7} you have black, the machine white");
    button(&page, "Undo");
    told(&page, "You (second player): choose white");
    stones(&page, 3);
    page.click("[data-choice=add]");
    told(&page, "You (second player): put two more stones");
    // Its stones are near the middle.
    press(&page, "a1");
    press(&page, "a2");
    told(&page, "you have ");
    page.wait("document.querySelector('.movelist').textContent.includes('takes ')");
    // A saved game opens with its opening, and without a machine's side of another game.
    page.eval(
        "{
            const make = URL.createObjectURL;
            URL.createObjectURL = (blob) => {
                blob.text().then((text) => { globalThis.savedText = text; });
                return make.call(URL, blob);
            };
        }",
    );
    page.wait("document.querySelector('.prompt').textContent.includes(' to move') && document.querySelector('.choice-cell')");
    button(&page, "Save");
    page.wait("globalThis.savedText?.includes('ON[Swap2: add, ')");
    let had = page.eval("document.querySelector('.prompt').textContent");
    page.click("[data-game=reversi]");
    page.wait("document.querySelector('.gameboard.reversi') && !document.querySelector('select[name=opening]')");
    page.eval(
        "{
            const data = new DataTransfer();
            data.items.add(new File([savedText], 'a.sgf'));
            const input = document.querySelector('input[name=game-file]');
            input.files = data.files;
            input.dispatchEvent(new Event('change'));
        }",
    );
    page.wait("document.querySelector('.gameboard.gomoku') && document.querySelector('select[name=opening]').value === 'swap2'");
    let black = if had.as_str().unwrap().contains("you have black") {
        "second player has black"
    } else {
        "first player has black"
    };
    told(&page, black);
    // A board that is set up has no opening.
    page.click("[data-tool=X]");
    press(&page, "o15");
    page.wait("document.querySelector('select[name=opening]').value === '' && !location.hash.includes('opening')");
    world.approve(&page);
}

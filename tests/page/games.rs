//! Two-player games: solutions that will not end, searches that are stopped, the keys, the line of the best move.

use crate::browser::Page;
use crate::{CONFIRM_MS, press, world};
use morpion::daemon::service::Service;
use morpion::daemon::view::JobState;
use serde_json::{Value, json};

/// The button of a card that is seen and has this text.
fn button(card: &str, text: &str) -> String {
    format!(
        "[...document.querySelectorAll('section[aria-label=\"{card}\"] button')].find((b) => b.textContent === '{text}' && b.checkVisibility())"
    )
}

/// Waits for such a button and presses it.
fn push(page: &Page, card: &str, text: &str) {
    let it = button(card, text);
    page.wait(&format!("{it} && !{it}.disabled"));
    page.eval(&format!("{it}.click()"));
}

/// Waits until a card says so.
fn says(page: &Page, card: &str, text: &str) {
    page.wait(&format!("document.querySelector('section[aria-label=\"{card}\"]').textContent.includes('{text}')"));
}

/// The number of the job in the address.
fn job(page: &Page) -> Option<u64> {
    let id = page.eval("Number(new URLSearchParams(location.hash.split('?')[1]).get('job'))");
    id.as_u64().filter(|&id| id > 0)
}

/// What most likely does not end is submitted by a second press, and the reason is told before.
#[test]
fn a_solution_that_will_not_end_is_asked_twice() {
    let Some(world) = world() else { return };
    let page = world.desk("/games?game=reversi&size=8");
    let note = "document.querySelector('section[aria-label=Solve] .note.warn')";
    let views = [
        ("/games?game=go&size=7", "49 points are empty. The solver has come to the end from 25 at most"),
        ("/games?game=gomoku", "If threats prove that one side wins"),
        (
            "/games?game=gomoku&rule=renju",
            "not end: 225 points are empty, and all moves have been searched from 25 at most",
        ),
        ("/games?game=reversi&size=8", "60 cells are empty. On boards above 6x6"),
    ];
    for (view, told) in views {
        page.open(&world.at(view));
        page.wait("document.querySelector('.gameboard .choice-cell')");
        assert_eq!(page.eval(&format!("{note}.checkVisibility()")), json!(false), "{view}");
        push(&page, "Solve", "Solve this position");
        page.wait(&format!("{note}.checkVisibility() && {note}.textContent.includes('{told}')"));
        page.wait(&button("Solve", "Solve nevertheless"));
        assert_eq!(job(&page), None, "{view}");
    }
    // Another position is another question.
    press(&page, "d3");
    page.wait(&format!("!{note}.checkVisibility() && {}", button("Solve", "Solve this position")));
    push(&page, "Solve", "Solve this position");
    page.wait(&format!("{note}.checkVisibility() && {note}.textContent.includes('59 cells are empty')"));
    push(&page, "Solve", "Solve nevertheless");
    page.wait("document.querySelector('section[aria-label=Solver]').checkVisibility()");
    let request = world.daemon.service.request(job(&page).expect("a job")).unwrap();
    assert_eq!((&request.kind[..], &request.settings["size"]), ("solve", &json!("8x8")));
    page.wait(&format!("!{note}.checkVisibility()"));
    world.approve(&page);
}

/// A solution that runs is cancelled on its card, which keeps what was found.
#[test]
fn a_solution_is_cancelled_beside_the_board() {
    let Some(world) = world() else { return };
    let page = world.desk("/games?game=reversi&size=4");
    push(&page, "Solve", "Solve this position");
    says(&page, "Solver", "something is known of 3 of 4 moves.");
    let id = job(&page).expect("a job");
    page.scale_timers(CONFIRM_MS, 50);
    push(&page, "Solver", "Cancel");
    page.wait(&button("Solver", "Really cancel?"));
    assert_eq!(world.daemon.service.job(id).unwrap().summary.state, JobState::Running);
    push(&page, "Solver", "Really cancel?");
    says(&page, "Solver", "The job was cancelled. What it has found stays here.");
    assert_eq!(world.daemon.service.job(id).unwrap().summary.state, JobState::Cancelled);
    page.wait("document.querySelector('section[aria-label=Solver] .score').textContent === '\u{2212}10..\u{2212}6'");
    page.wait("!document.querySelector('section[aria-label=Solver] button').checkVisibility()");
    world.approve(&page);
}

/// The search for a move and the search of an analysis are stopped.
#[test]
fn searches_are_stopped() {
    let Some(world) = world() else { return };
    let page = world.desk("/games?game=gomoku&moves=h8.i9.g7&machine=white&level=10&think=10");
    says(&page, "The machine", "It thinks");
    push(&page, "The machine", "Stop");
    says(&page, "The machine", "The search was stopped; the machine plays no side now.");
    assert_eq!(page.eval("document.querySelector('select[name=machine]').value"), json!(""));
    assert_eq!(page.eval("document.querySelectorAll('.movelist li').length"), json!(3));
    push(&page, "The machine", "Hint");
    push(&page, "The machine", "Stop");
    says(&page, "The machine", "The search was stopped.");
    push(&page, "Analysis", "Analyse this position");
    says(&page, "Analysis", "worth to white, after");
    push(&page, "Analysis", "Stop");
    page.wait("!document.querySelector('section[aria-label=Analysis]').textContent.includes('it searches on')");
    let rows = "document.querySelectorAll('section[aria-label=Analysis] tbody tr').length";
    assert!(page.eval(rows).as_u64().is_some_and(|rows| rows >= 3), "what it has found stays");
    // The next position is analysed again.
    press(&page, "i8");
    says(&page, "Analysis", "worth to black, after");
    world.approve(&page);
}

/// Keys do what the buttons do, wherever the keyboard is, but not where somebody types.
#[test]
fn a_game_is_played_by_keys() {
    let Some(world) = world() else { return };
    let page = world.desk("/games?game=gomoku&size=9&think=0.3");
    page.wait("document.querySelectorAll('.gameboard .choice-cell').length === 81");
    page.scale_timers(CONFIRM_MS, 50);
    let level = "document.querySelector('select[name=level]').value";
    for (key, now) in [("+", "6"), ("-", "5"), ("-", "4"), ("=", "5")] {
        page.key(key);
        page.wait(&format!("{level} === '{now}'"));
    }
    // Without a game there is nothing to lose.
    page.key("n");
    page.wait(&button("Board", "New game"));
    press(&page, "e5");
    let moves = "document.querySelectorAll('.movelist li').length";
    page.wait(&format!("{moves} === 1"));
    page.key("h");
    page.wait("document.querySelector('.gameboard .bestmark')");
    let pressed =
        "document.querySelector('section[aria-label=Analysis] [aria-pressed]').getAttribute('aria-pressed')";
    page.key("a");
    page.wait(&format!("{pressed} === 'true'"));
    page.key("a");
    page.wait(&format!("{pressed} === 'false'"));
    // Letters that are typed are letters.
    page.eval("document.querySelector('form [name=seconds]').focus()");
    for key in ["n", "a", "+", "?"] {
        page.key(key);
    }
    assert_eq!(page.eval(&format!("[{moves}, {pressed}, {level}]")), json!([1, "false", "5"]));
    assert_eq!(page.eval("document.activeElement.value"), json!("na+?"));
    page.eval("document.activeElement.blur()");
    page.key("n");
    page.wait(&button("Board", "Really a new game?"));
    assert_eq!(page.eval(moves), json!(1));
    page.key("n");
    page.wait(&format!("{moves} === 0 && document.querySelectorAll('.gameboard .choice-cell').length === 81"));
    // The list of the keys.
    let list = "document.querySelector('section[aria-label=Board] details')";
    assert_eq!(page.eval(&format!("{list}.open")), json!(false));
    page.key("?");
    page.wait(&format!("{list}.open && {list}.textContent.includes('ask for a hint')"));
    page.key("?");
    page.wait(&format!("!{list}.open"));
    world.approve(&page);
}

/// The numbers of the moves of a line that the board shows.
fn numbers(page: &Page) -> Vec<u64> {
    let all = page.eval("[...document.querySelectorAll('.gameboard .ghost')].map((one) => Number(one.dataset.move))");
    all.as_array().unwrap().iter().filter_map(Value::as_u64).collect()
}

/// The line of the best move is on the board, and the line of another one while somebody looks at that.
#[test]
fn the_board_shows_the_line_of_a_move() {
    let Some(world) = world() else { return };
    for (width, height) in [(1280, 900), (390, 844)] {
        let page = world.open("/games?game=gomoku&moves=h8.i9.g7", width, height, false);
        page.wait("document.querySelector('.prompt').textContent.startsWith('white to move')");
        page.key("a");
        says(&page, "Analysis", "worth to white, after");
        page.wait("document.querySelector('.gameboard .ghost.black[data-move=\"2\"]')");
        // Nothing moves any more.
        page.wait(&format!("!{} || ({}.click(), false)", button("Analysis", "Stop"), button("Analysis", "Stop")));
        let best = numbers(&page);
        assert!(best.iter().all(|&n| (2..=5).contains(&n)), "{best:?}");
        let row = "document.querySelectorAll('section[aria-label=Analysis] tbody button')[1]";
        let name = page.eval(&format!("{row}.textContent")).as_str().unwrap().to_owned();
        page.eval(&format!("{row}.click()"));
        page.wait(&format!("{row}.getAttribute('aria-pressed') === 'true'"));
        page.wait("document.querySelector('.gameboard[data-preview] .ghost.white[data-move=\"1\"]')");
        page.wait(&format!("document.querySelector('.gameboard [data-name={name}]').classList.contains('under')"));
        assert_eq!(numbers(&page)[..2], [1, 2]);
        // Numbers are readable, and the line is in the way of nobody.
        let tall =
            page.eval("document.querySelector('.ghost text').getBoundingClientRect().height").as_f64().unwrap();
        assert!(tall > 9.0, "{tall} at {width}");
        page.eval(&format!("{row}.click()"));
        page.wait("!document.querySelector('.gameboard[data-preview]')");
        assert_eq!(numbers(&page), best);
        // A mouse over a point with a value.
        let over = |name: &str| {
            let event = "new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' })";
            page.eval(&format!(
                "document.querySelector('.gameboard [data-name={name}] .catch').dispatchEvent({event})"
            ));
        };
        over(&name);
        page.wait("document.querySelector('.gameboard[data-preview] .ghost.white[data-move=\"1\"]')");
        over("a1");
        page.wait("!document.querySelector('.gameboard[data-preview]')");
        page.key("a");
        page.wait("document.querySelectorAll('.gameboard .ghost').length === 0");
        world.approve(&page);
    }
}

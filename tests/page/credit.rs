//! The view of credit: from the card of the machines to the project, and to one of its users.

use crate::world;
use serde_json::json;

#[test]
fn credit_is_looked_at_from_the_machines_to_a_user() {
    let Some(world) = world() else { return };
    let page = world.desk("/");
    page.wait("document.querySelector('.machines li')?.title.startsWith('Of user ada, version 0.1.0')");
    page.eval("document.querySelector('a[href=\"#/credit\"]').click()");
    page.wait("document.querySelectorAll('tbody tr').length === 3");
    let rows = page.eval(
        "[...document.querySelectorAll('tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent.replace(/[\\u2009\\u202f]/g, ' ')))",
    );
    let rows: Vec<Vec<&str>> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row.as_array().unwrap().iter().map(|cell| cell.as_str().unwrap()).collect())
        .collect();
    assert_eq!(rows[0][..9], ["ada", "382.5", "90", "50", "30", "0", "10", "3.75 d", "2"], "{rows:?}");
    assert_eq!((rows[1][0], rows[2][0], rows[2][2]), ("bob b.", "lab", "90"), "{rows:?}");
    let told = page.eval("document.querySelector('main').textContent.replace(/[\\u2009\\u202f]/g, ' ')");
    assert!(
        told.as_str().unwrap().contains("1 000 000 random games of 5T per second earns 100 points a day"),
        "{told}"
    );
    // What is said to users comes to the page while it is open: all of it here, and to a user what is for the user.
    for (text, to) in [("For all.", json!(null)), ("For ada.", json!("ada"))] {
        page.eval(&format!(
            "import('/js/api.js').then((api) => api.post('/messages', {}))",
            json!({ "text": text, "to": to })
        ));
    }
    page.wait("document.querySelector('.events')?.textContent.includes('To ada: For ada.')");
    page.eval("document.querySelector('a[href=\"#/credit/users/bob%20b.\"]').click()");
    page.wait("document.querySelector('h1').textContent === 'bob b.' && document.querySelector('.chart .bars')");
    page.wait("document.querySelectorAll('tbody tr').length === 2");
    let said = page.eval("document.querySelector('.events').textContent");
    assert!(said.as_str().unwrap().contains("For all.") && !said.as_str().unwrap().contains("For ada."), "{said}");
    // Its first row is the machine with the most credit, and the chart has a bar for each day.
    assert_eq!(page.eval("document.querySelector('tbody td').textContent"), "lab-7 (lab)");
    assert_eq!(page.eval("document.querySelector('.chart .bars').getAttribute('d').match(/M/g).length"), 3);
    assert_eq!(page.eval("document.querySelector('.readout').textContent"), "2026-11-24: 204.0 of credit");
    page.eval("location.hash = '#/credit/users/nobody'");
    page.wait("document.querySelector('.note.bad')?.textContent === 'nobody has no credit yet.'");
    assert!(page.problems().iter().all(|problem| problem.contains("404")), "{:?}", page.problems());
}

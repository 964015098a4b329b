//! The editor of Go: a tree is opened, walked, changed and saved, a question is answered, patterns are matched.

use crate::browser::Page;
use crate::{press, world};
use serde_json::json;

/// A net is to be made, and a stone stands elsewhere.
const TREE: &str =
    "(;FF[4]CA[UTF-8]GM[1]SZ[9]XX[kept]AB[cb][db][bc][bd]AW[cc]PL[B]C[the start](;B[gg];W[hh])(;B[hg];AE[cc]))";

/// Gives a field for files a file.
fn choose(page: &Page, field: &str, text: &str) {
    page.eval(&format!(
        "{{
            const data = new DataTransfer();
            data.items.add(new File([{}], 'tree.sgf'));
            const input = document.querySelector('input[name={field}]');
            input.files = data.files;
            input.dispatchEvent(new Event('change'));
        }}",
        json!(text)
    ));
}

fn stones(page: &Page, count: usize) {
    page.wait(&format!("document.querySelectorAll('section[aria-label=Board] .stone').length === {count}"));
}

fn nodes(page: &Page, count: usize) {
    page.wait(&format!("document.querySelectorAll('.treenode').length === {count}"));
}

fn is_said(page: &Page, text: &str) {
    let prompt = "document.querySelector('section[aria-label=Board] .prompt')?.textContent";
    page.wait(&format!("{prompt}.startsWith({})", json!(text)));
}

#[test]
fn a_tree_is_opened_changed_and_saved() {
    let Some(world) = world() else { return };
    let page = world.desk("/editor");
    choose(&page, "tree-file", TREE);
    stones(&page, 5);
    nodes(&page, 5);
    assert_eq!(page.eval("document.querySelector('section[aria-label=\"Game tree\"] textarea').value"), "the start");
    // The keys walk through the tree.
    page.key("ArrowRight");
    is_said(&page, "Move 1: black g3");
    page.key("ArrowDown");
    is_said(&page, "Move 1: black h3");
    page.key("End");
    is_said(&page, "Set up");
    stones(&page, 5);
    page.key("Home");
    is_said(&page, "Start");
    // A move that is there is followed, another one makes a variation.
    press(&page, "g3");
    is_said(&page, "Move 1: black g3");
    nodes(&page, 5);
    press(&page, "g5");
    is_said(&page, "Move 2: white g5");
    nodes(&page, 6);
    page.fill("section[aria-label='Game tree'] textarea", "a ] remark");
    // A point is set up in a node of its own, and what cannot be is told and left out.
    page.click("[data-tool=X]");
    press(&page, "a9");
    is_said(&page, "Set up");
    nodes(&page, 7);
    stones(&page, 8);
    page.click("[data-tool=O]");
    press(&page, "a9");
    page.wait("document.querySelector('section[aria-label=Board] [data-name=a9] .stone.white')");
    page.click("[data-tool='']");
    // Cutting asks.
    page.key("Delete");
    page.wait("document.querySelector('dialog[open]')?.textContent.includes('Cut this node')");
    page.click("dialog[open] button.main");
    nodes(&page, 6);
    is_said(&page, "Move 2: white g5");
    // What cannot be read leaves everything as it is.
    choose(&page, "tree-file", "(;SZ[9]\n;C[no end");
    page.click("dialog[open] button.main");
    page.wait("document.querySelector('dialog[aria-label=\"Open a game tree\"] .problem').textContent.includes('line 2, column 3')");
    nodes(&page, 6);
    page.eval(
        "{
            const make = URL.createObjectURL;
            URL.createObjectURL = (blob) => {
                blob.text().then((text) => { globalThis.savedText = text; });
                return make.call(URL, blob);
            };
        }",
    );
    // Another view loses nothing.
    page.follow("/games");
    page.follow("/editor");
    is_said(&page, "Move 2: white g5");
    page.eval("[...document.querySelectorAll('section[aria-label=Board] button')].find((b) => b.textContent === 'Save').click()");
    page.wait("globalThis.savedText");
    let saved = page.eval("savedText");
    let saved = saved.as_str().unwrap();
    for part in ["XX[kept]", "C[the start]", ";W[ge]C[a \\] remark]", ";AE[cc]"] {
        assert!(saved.contains(part), "{part}: {saved}");
    }
    page.problems().iter().for_each(|problem| assert!(problem.contains("422"), "{problem}"));
}

#[test]
fn a_finished_game_is_counted() {
    let Some(world) = world() else { return };
    let page = world.open("/editor", 390, 800, true);
    let text = "(;SZ[5]KM[0.5]RU[Japanese]RE[B+9]AB[ca:ce]AW[da:de];B[ea];W[eb];B[ed];W[];B[])";
    choose(&page, "tree-file", text);
    nodes(&page, 6);
    page.key("End");
    is_said(&page, "Move 5: black pass");
    page.click("[data-tool=dead]");
    let is_won = |words: &str| {
        let said = "document.querySelector('section[aria-label=Score] .prompt').textContent";
        page.wait(&format!("{said} === {}", json!(words)));
    };
    is_won("Black wins by 7.5");
    press(&page, "e2");
    is_won("Black wins by 3.5");
    let owned = |colour: &str, count: usize| {
        page.wait(&format!(
            "document.querySelectorAll('section[aria-label=Board] .owned.{colour}').length === {count}"
        ));
    };
    owned("black", 10);
    owned("white", 4);
    page.wait("document.querySelectorAll('section[aria-label=Board] .stone.dead').length === 1");
    page.wait("document.querySelector('section[aria-label=Score]').textContent.includes('another result, B+9')");
    // Marks that contradict each other are told.
    press(&page, "d1");
    page.wait(
        "document.querySelector('section[aria-label=Score] .problem').textContent.includes('cannot both be dead')",
    );
    press(&page, "d2");
    is_won("Black wins by 3.5");
    page.fill("input[name=komi]", "7,5");
    is_won("White wins by 3.5");
    page.fill("select[name=rules]", "area");
    is_won("White wins by 2.5");
    let button = "[...document.querySelectorAll('section[aria-label=Score] button')].find((one) => one.textContent.startsWith('Put'))";
    page.eval(&format!("{button}.click()"));
    page.wait("document.querySelector('section[aria-label=Score]').textContent.includes('same result, W+2.5')");
    page.wait(&format!("{button}.disabled"));
    let wide = page.eval("document.documentElement.scrollWidth").as_u64().unwrap();
    assert!(wide <= 390, "{wide}");
    // Another tool ends it.
    page.click("[data-tool='']");
    owned("black", 0);
    page.problems().iter().for_each(|problem| assert!(problem.contains("422"), "{problem}"));
}

#[test]
fn a_capture_is_proven_and_patterns_are_matched() {
    let Some(world) = world() else { return };
    let page = world.open("/editor", 390, 800, true);
    choose(&page, "tree-file", TREE);
    stones(&page, 5);
    page.click("[data-tool=mark]");
    press(&page, "c7");
    page.wait("document.querySelectorAll('section[aria-label=Board] .ring').length === 1");
    assert_eq!(page.eval("document.querySelector('[data-goal=connect]').disabled"), json!(true));
    page.click("[data-goal=capture]");
    let answer = "document.querySelector('section[aria-label=Tactics] p[role=status]').textContent";
    page.wait(&format!(
        "{answer}.includes('works') && {answer}.includes(' proven') && !{answer}.includes('not proven')"
    ));
    page.wait("document.querySelectorAll('section[aria-label=Board] .zone').length > 8");
    let button = |text: &str| {
        page.wait(&format!("[...document.querySelectorAll('section button')].some((b) => b.checkVisibility() && !b.disabled && b.textContent === {text:?})"));
        page.eval(&format!(
            "[...document.querySelectorAll('section button')].find((b) => b.textContent === {text:?}).click()"
        ));
    };
    button("Walk through the proof");
    page.click("[data-reply]");
    stones(&page, 6);
    page.click("[data-reply]");
    is_said(&page, "Proof, move 2: white");
    button("One move back");
    is_said(&page, "Proof, move 1: black");
    button("Leave the proof");
    stones(&page, 5);
    button("Add it to the tree");
    page.wait("[...document.querySelectorAll('.toast')].some((toast) => toast.textContent.includes('added'))");
    // The patterns of the program fit here, and one more can be made of the position.
    page.wait("document.querySelectorAll('section[aria-label=Patterns] select option').length > 20");
    button("Match on the board");
    page.wait("[...document.querySelectorAll('.toast')].some((toast) => toast.textContent.includes('proposed'))");
    button("Empty file");
    page.wait("document.querySelector('section[aria-label=Patterns] .faint').textContent.includes('0 patterns')");
    page.click("[data-tool=part]");
    press(&page, "b8");
    press(&page, "e5");
    page.wait("document.querySelector('section[aria-label=Board] .part').getAttribute('width') === '160'");
    button("Add a shape\u{2026}");
    page.fill("input[name=pattern-name]", "my net");
    page.wait("!document.querySelector('dialog[open] button.main').disabled");
    page.click("dialog[open] button.main");
    page.wait("document.querySelector('section[aria-label=Patterns] select').textContent.includes('my net')");
    let wide = page.eval("document.documentElement.scrollWidth").as_u64().unwrap();
    assert!(wide <= 390, "{wide}");
    world.approve(&page);
}

/// How many elements of a class the board has.
fn on_board(page: &Page, class: &str) -> u64 {
    page.eval(&format!("document.querySelectorAll('section[aria-label=Board] .{class}').length")).as_u64().unwrap()
}

/// Keeps the text of what is saved as `savedText`, and the bodies of questions as `asked`.
fn listen(page: &Page) {
    page.eval(
        "{
            const make = URL.createObjectURL;
            URL.createObjectURL = (blob) => {
                blob.text().then((text) => { globalThis.savedText = text; });
                return make.call(URL, blob);
            };
            globalThis.asked = [];
            const send = globalThis.fetch;
            globalThis.fetch = (url, options) => {
                if (String(url).includes('/editor/solve')) asked.push(JSON.parse(options.body));
                return send(url, options);
            };
        }",
    );
}

#[test]
fn each_position_of_a_proof_has_its_zone() {
    let Some(world) = world() else { return };
    let page = world.desk("/editor");
    choose(&page, "tree-file", TREE);
    stones(&page, 5);
    listen(&page);
    page.click("[data-tool=mark]");
    press(&page, "c7");
    page.click("[data-goal=capture]");
    let button = |text: &str| {
        let find = format!(
            "[...document.querySelectorAll('section button')].find((b) => b.checkVisibility() && !b.disabled && b.textContent === {text:?})"
        );
        page.wait(&find);
        page.eval(&format!("{find}.click()"));
    };
    button("Walk through the proof");
    is_said(&page, "Start");
    // The board shows as many points as it says, and fewer as the proof goes on.
    let zone = || {
        let said = "document.querySelector('section[aria-label=Board] .prompt').textContent.match(/zone of (\\d+) point/)?.[1]";
        page.wait(&format!("Number({said}) === document.querySelectorAll('section[aria-label=Board] .zone').length"));
        on_board(&page, "zone")
    };
    let mut zones = vec![zone()];
    for number in 1..=3 {
        page.click("[data-reply]:last-child");
        is_said(&page, &format!("Proof, move {number}"));
        zones.push(zone());
    }
    assert!(zones.is_sorted_by(|before, after| before >= after), "{zones:?}");
    assert!(zones[3] < zones[0] && zones[3] > 4, "{zones:?}");
    page.wait("document.querySelector('section[aria-label=Tactics]').textContent.includes('The goal is reached')");
    button("One move back");
    is_said(&page, "Proof, move 2");
    assert_eq!(zone(), zones[2]);
    // In the tree the zone is the part of the board that is to be seen.
    button("Add it to the tree");
    is_said(&page, "Start");
    assert_eq!((on_board(&page, "shade"), zone_of_answer(&page)), (0, zones[0]));
    page.key("ArrowRight");
    page.key("ArrowDown");
    page.key("ArrowDown");
    page.wait("document.querySelectorAll('section[aria-label=Board] .shade').length > 0");
    assert_eq!(on_board(&page, "shade"), 81 - zones[1]);
    button("Save");
    page.wait("globalThis.savedText");
    let saved = page.eval("savedText");
    let saved = saved.as_str().unwrap();
    assert!(saved.contains("XX[kept]") && saved.contains("VW["), "{saved}");
    // What is read again is shown so, too, and a list without a point ends it.
    choose(&page, "tree-file", "(;SZ[9]DD[aa:ii];W[aa]VW[aa:bi][ca:cc]DD[];B[bb]VW[])");
    nodes(&page, 3);
    page.wait("document.querySelectorAll('section[aria-label=Board] .shade').length === 81");
    page.key("ArrowRight");
    page.wait("document.querySelectorAll('section[aria-label=Board] .shade').length === 60");
    page.key("ArrowRight");
    page.wait("document.querySelectorAll('section[aria-label=Board] .shade').length === 0");
    world.approve(&page);
}

/// Of a proof with thousands of positions the first ones are told, and fewer are put into the tree.
#[test]
fn a_long_proof_is_walked_in_part() {
    let Some(world) = world() else { return };
    let page = world.desk("/editor");
    choose(&page, "tree-file", "(;SZ[11]AB[ae:ee][fa:fe][cc][aa][ac]AW[ad:dd][ea:ed][ba])");
    stones(&page, 22);
    page.click("[data-tool=mark]");
    press(&page, "e11");
    page.click("[data-goal=kill]");
    let button = "[...document.querySelectorAll('section[aria-label=Tactics] button')].find((one) => one.checkVisibility() && one.textContent.startsWith('Walk'))";
    page.wait(button);
    page.eval(&format!("{button}.click()"));
    let zone = zone_of_answer(&page);
    // A pass, where there is one: so it goes as deep as it can.
    let mut moves = 0;
    while page.eval("Boolean(document.querySelector('[data-reply]'))") == true {
        page.click("[data-reply]");
        moves += 1;
        is_said(&page, &format!("Proof, move {moves}"));
    }
    assert!(moves > 2 && (1..=zone).contains(&on_board(&page, "zone")), "{moves}");
    page.eval("[...document.querySelectorAll('section[aria-label=Tactics] button')].find((one) => one.textContent.startsWith('Add')).click()");
    page.wait("[...document.querySelectorAll('.toast')].some((toast) => toast.textContent === '400 nodes were added: the beginning of the proof.')");
    world.approve(&page);
}

/// The points of the zone of the answer, as the board shows it.
fn zone_of_answer(page: &Page) -> u64 {
    page.wait("document.querySelectorAll('section[aria-label=Board] .zone').length > 0");
    on_board(page, "zone")
}

/// Black is to kill a straight three, by the points above.
const THREE: &str = "(;SZ[7]AB[ea][eb][ac][bc][cc][dc][ec]AW[da][ab][bb][cb][db])";

#[test]
fn a_region_is_drawn_and_used() {
    let Some(world) = world() else { return };
    let region = |page: &Page, count: usize| {
        page.wait(&format!(
            "document.querySelectorAll('section[aria-label=Board] .region').length === {count} \
             && Boolean(document.querySelector('section[aria-label=Board] .regionedge')) === {}",
            count > 0
        ));
    };
    let kill = |page: &Page| {
        let asked = page.eval("asked.length");
        page.click("[data-goal=kill]");
        page.wait(&format!("asked.length > {asked}"));
        page.wait(
            "document.querySelector('section[aria-label=Tactics] p[role=status]').textContent.includes('works')",
        );
        page.eval("asked.at(-1).region ?? null")
    };
    for by_finger in [false, true] {
        let page = if by_finger { world.open("/editor", 390, 800, true) } else { world.desk("/editor") };
        listen(&page);
        choose(&page, "tree-file", THREE);
        stones(&page, 12);
        page.click("[data-tool=mark]");
        press(&page, "a6");
        assert_eq!(kill(&page), json!(null));
        page.click("[data-tool=region]");
        let point = |name: &str| format!(".gameboard [data-name={name}] .catch");
        page.drag(&point("d6"), &point("a7"), by_finger);
        region(&page, 8);
        // What begins in the region takes away; a click does so with one point.
        page.drag(&point("a7"), &point("c7"), by_finger);
        region(&page, 5);
        press(&page, "c7");
        region(&page, 6);
        press(&page, "c7");
        region(&page, 5);
        // The keyboard marks as well.
        page.eval("document.querySelector('.gameboard [data-name=d7]').focus()");
        page.key("ArrowLeft");
        page.key("Enter");
        region(&page, 6);
        assert_eq!(page.eval("document.activeElement.getAttribute('aria-label')"), "c7, empty, in the region");
        page.click("[data-goal=kill]");
        page.wait(
            "document.querySelector('section[aria-label=Tactics] .problem').textContent.includes('leaves out a7')",
        );
        page.drag(&point("a7"), &point("b7"), by_finger);
        region(&page, 8);
        page.wait("document.querySelector('section[aria-label=Tactics]').textContent.includes('region of 8 points')");
        assert_eq!(kill(&page), json!("a7:d6"));
        page.wait("document.querySelector('.gameboard [data-name=b7] .bestmark')");
        // It is that of the game, whatever node is shown; another file has none.
        page.click("[data-tool='']");
        press(&page, "g1");
        is_said(&page, "Move 1: black g1");
        region(&page, 8);
        page.key("Home");
        is_said(&page, "Start");
        region(&page, 8);
        let clear = "[...document.querySelectorAll('section[aria-label=Board] button')].find((b) => b.textContent === 'Clear the region')";
        page.eval(&format!("{clear}.click()"));
        region(&page, 0);
        page.wait(&format!("!{clear}.checkVisibility()"));
        assert_eq!(kill(&page), json!(null));
        page.click("[data-tool=region]");
        press(&page, "a1");
        region(&page, 1);
        page.fill("section[aria-label=Board] select[aria-label='New board']", "9");
        page.wait("document.querySelector('dialog[open] button.main')");
        page.click("dialog[open] button.main");
        stones(&page, 0);
        region(&page, 0);
        let wide = page.eval("document.documentElement.scrollWidth").as_u64().unwrap();
        assert!(!by_finger || wide <= 390, "{wide}");
        page.problems().iter().for_each(|problem| assert!(problem.contains("422"), "{problem}"));
    }
}

#[test]
fn an_example_is_opened_and_corners_are_looked_up() {
    let Some(world) = world() else { return };
    let page = world.open("/editor", 390, 800, true);
    page.eval("[...document.querySelectorAll('section[aria-label=Board] button')].find((b) => b.textContent === 'Open').click()");
    page.wait("document.querySelectorAll('select[name=example] option').length > 20");
    let number = "[...document.querySelectorAll('select[name=example] option')].find((one) => one.textContent === '1  ladder').value";
    let number = page.eval(number).as_str().unwrap().to_owned();
    page.fill("select[name=example]", &number);
    stones(&page, 7);
    page.wait("!document.querySelector('dialog[open]')");
    page.wait("document.querySelectorAll('section[aria-label=Board] .ring').length === 2");
    let said = "document.querySelector('section[aria-label=\"Game tree\"] textarea').value";
    page.wait(&format!("{said} === 'Black is to capture the chain on d4.'"));
    // The moves of the ladder are numbered on the board.
    page.click("[data-goal=capture]");
    let answer = "document.querySelector('section[aria-label=Tactics] p[role=status]').textContent";
    page.wait(&format!("{answer}.includes('a ladder of ')"));
    page.wait("document.querySelector('section[aria-label=Board] [data-name=f4] .label')?.textContent === '1'");
    page.wait("document.querySelectorAll('section[aria-label=Board] .label').length > 10");
    let wide = page.eval("document.documentElement.scrollWidth").as_u64().unwrap();
    assert!(wide <= 390, "{wide}");
    // A dictionary, whose moves can be played.
    page.fill("section[aria-label=Board] select[aria-label='New board']", "19");
    stones(&page, 0);
    choose(&page, "joseki-file", "(;SZ[19];B[pd];W[qf](;B[nd]C[the usual one];W[rd])(;B[pf]BM[1])(;W[]))");
    let moves = "section[aria-label=Joseki] [data-joseki]";
    page.wait(&format!("document.querySelectorAll('{moves}').length === 8"));
    page.wait(&format!("document.querySelectorAll('{moves}:not([disabled])').length === 4"));
    page.click("[data-joseki=q16]");
    stones(&page, 1);
    page.click("[data-joseki=r14]");
    stones(&page, 2);
    let told = "document.querySelector('section[aria-label=Joseki]').textContent";
    page.wait(&format!("{told}.includes('the usual one') && {told}.includes('bad')"));
    assert_eq!(page.eval("document.querySelector('[data-joseki=\"\"]').disabled"), json!(true));
    let wide = page.eval("document.documentElement.scrollWidth").as_u64().unwrap();
    assert!(wide <= 390, "{wide}");
    // What is no dictionary is told.
    choose(&page, "joseki-file", "(;SZ[19])");
    page.wait("[...document.querySelectorAll('.toast')].some((toast) => toast.textContent.includes('no moves in a corner'))");
    page.problems().iter().for_each(|problem| assert!(problem.contains("422"), "{problem}"));
}

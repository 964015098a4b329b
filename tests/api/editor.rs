//! The editor of game trees of Go: what its routes answer, and what they refuse.

use crate::daemon::Daemon;
use crate::http::{Answer, get, post, request};
use morpion::games::go::large::points::{LargeBoard, PointSet};
use morpion::games::go::large::position::LargePosition;
use morpion::games::go::notation::parse_position;
use morpion::games::go::rules::GoRules;
use morpion::tactics::board::TacticsBoard;
use morpion::tactics::goal::{Question, TacticalGoal, point_of};
use morpion::tactics::region::region_of;
use morpion::tactics::solve::{USUAL_NODES, solve};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::net::SocketAddr;

fn read(at: SocketAddr, text: &[u8]) -> Answer {
    request(at, "POST", "/api/v1/editor/read", &[("content-type", "application/x-go-sgf")], text)
}

fn ask(at: SocketAddr, what: &str, body: &Value) -> Answer {
    post(at, &format!("/api/v1/editor/{what}"), &body.to_string())
}

/// The nodes of a text.
fn nodes(at: SocketAddr, text: &str) -> Value {
    read(at, text.as_bytes()).json()["nodes"].take()
}

/// A body about the last node of a text.
fn at_end(at: SocketAddr, text: &str, more: Value) -> Value {
    let mut body = json!({ "nodes": nodes(at, text) });
    body["at"] = (body["nodes"].as_array().unwrap().len() - 1).into();
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

const GAME: &str =
    "(;FF[4]CA[UTF-8]GM[1]SZ[9]XX[kept\\]][twice]PB[A \\\\ B];B[cc]C[a \\] comment\nof two lines];W[dc]LB[dc:a\\:b]
(;B[ee];W[])
(;AB[aa:bb]AE[cc]PL[W]AR[aa:cc];W[ba]))
(;FF[4]CA[UTF-8]SZ[5];B[aa])
";

#[test]
fn what_is_read_and_written_is_the_same() {
    let daemon = Daemon::begin();
    let trees = read(daemon.address, GAME.as_bytes()).json();
    let list = trees["nodes"].as_array().unwrap();
    assert_eq!((list.len(), trees["notices"].as_array().unwrap().len()), (9, 0));
    let parents: Vec<&Value> = list.iter().map(|node| &node["parent"]).collect();
    assert_eq!(json!(parents), json!([null, 0, 1, 2, 3, 2, 5, null, 7]));
    assert_eq!(list[1]["comment"], "a ] comment\nof two lines");
    assert_eq!(list[1]["properties"], json!([{ "name": "B", "values": ["cc"] }]));
    assert_eq!(list[0]["properties"][4], json!({ "name": "XX", "values": ["kept\\]", "twice"] }));
    let written = ask(daemon.address, "write", &json!({ "nodes": trees["nodes"] })).json();
    let again = read(daemon.address, written["text"].as_str().unwrap().as_bytes()).json();
    assert_eq!(again["nodes"], trees["nodes"]);
    // The character set that the file names, and what was mended.
    let other = read(daemon.address, b"(;CA[ISO-8859-1]C[\xe9\xe8];W [aa]b[])").json();
    assert_eq!(other["nodes"][0]["comment"], "\u{e9}\u{e8}");
    assert!(other["notices"][0].as_str().unwrap().starts_with("line 1, column "), "{other}");
    // A board that there is not is told, and the tree is kept.
    let large = read(daemon.address, b"(;SZ[9])\n (;SZ[52:9];B[Za])(;SZ[big])").json();
    assert_eq!(large["nodes"].as_array().unwrap().len(), 4);
    let notices =
        json!(["line 2, column 3: there is no 52x9 board", "line 2, column 20: SGF: SZ[big] is not a valid size"]);
    for (notice, begins) in large["notices"].as_array().unwrap().iter().zip(notices.as_array().unwrap()) {
        assert!(notice.as_str().unwrap().starts_with(begins.as_str().unwrap()), "{large}");
    }
    assert_eq!(large["notices"].as_array().unwrap().len(), 2, "{large}");
    daemon.end().unwrap();
}

#[test]
fn what_is_no_tree_is_refused() {
    let daemon = Daemon::begin();
    let at = daemon.address;
    let of = |node: Value| json!({ "nodes": [node] });
    let property = |name: &str, values: Value| of(json!({ "properties": [{ "name": name, "values": values }] }));
    for (body, what) in [
        (json!({ "nodes": [] }), "at least one"),
        (of(json!({ "parent": 0 })), "nodes[0].parent"),
        (json!({ "nodes": [{}, { "parent": 1 }] }), "nodes[1].parent"),
        (property("b", json!(["aa"])), "\"b\" is not the name"),
        (property("", json!(["aa"])), "is not the name"),
        (property("B]", json!(["aa"])), "is not the name"),
        (property("B", json!([])), "nodes[0].B"),
        (property("C", json!(["x"])), "nodes[0].C"),
        (property("N", json!(["a]b"])), "without a `\\`"),
        (property("N", json!(["a\\"])), "ends in a `\\`"),
        (json!({ "nodes": vec![json!({}); 10_001] }), "10001 nodes are too many"),
        (json!({ "nodes": [{ "other": 1 }] }), "other"),
    ] {
        let problem = ask(at, "write", &body).problem(422);
        assert!(problem["detail"].as_str().unwrap().contains(what), "{problem}");
    }
    for (text, what) in [
        ("", "there is no game in it"),
        ("hello", "there is no game in it"),
        ("(;SZ[9]\n;C[no end", "line 2, column 3"),
        (&*format!("(;\n{})", ";B[aa]".repeat(10_000)), "line 2, column 59995: 10001 nodes are too many"),
        (&*format!("(;C[\n{}])", "x".repeat(600_000)), "line 2, column 524284: SGF of 600007 bytes is too long"),
    ] {
        let problem = read(at, text.as_bytes()).problem(422);
        assert!(problem["detail"].as_str().unwrap().contains(what), "{problem}");
    }
    ask(at, "read", &json!({})).problem(415);
    let long = format!("(;C[{}])", "x".repeat(1 << 20));
    read(at, long.as_bytes()).problem(413);
    daemon.end().unwrap();
}

#[test]
fn positions_follow_the_rules() {
    let daemon = Daemon::begin();
    let at = daemon.address;
    let position = |text: &str| ask(at, "position", &at_end(at, text, json!({}))).json();
    // A ko: the stone is taken, and may not be taken back at once.
    let ko = position("(;SZ[5]AB[ba][ab][bc]AW[ca][db][cc][bb];B[cb])");
    assert_eq!((&ko["cells"], &ko["side"]), (&json!(".XO..X.XO..XO............"), &json!("white")));
    assert_eq!((&ko["ko"], &ko["last"]), (&json!("b4"), &json!("c4")));
    let legal = ko["legal"].as_array().unwrap();
    assert!(!legal.contains(&json!("b4")) && legal.contains(&json!("e1")) && legal.contains(&json!("pass")), "{ko}");
    let set_up = position("(;SZ[5:6]AB[aa:cc];AE[bb]AW[ee]PL[W])");
    assert_eq!((&set_up["width"], &set_up["height"], &set_up["side"]), (&json!(5), &json!(6), &json!("white")));
    assert_eq!(set_up["cells"], "XXX..X.X..XXX...........O.....");
    assert_eq!(position("(;SZ[5];B[])")["last"], "pass");
    // A node that is wrong leaves the position before it.
    let wrong = position("(;SZ[5];B[aa];W[aa];B[bb])");
    assert_eq!((&wrong["cells"], &wrong["legal"]), (&json!(format!("X{}", ".".repeat(24))), &json!([])));
    assert_eq!(wrong["fault"], "SGF: move 2, a5, is illegal under these rules");
    for text in ["(;SZ[20])", "(;SZ[x])", "(;SZ[0])"] {
        ask(at, "position", &at_end(at, text, json!({}))).problem(422);
    }
    let nowhere = ask(at, "position", &json!({ "nodes": [{}], "at": 1 })).problem(422);
    assert!(nowhere["detail"].as_str().unwrap().contains("at is 1"), "{nowhere}");
    daemon.end().unwrap();
}

/// A stone that a net catches.
const NET: &str = "(;SZ[9]AB[cb][db][bc][bd]AW[cc]PL[B])";

#[test]
fn questions_are_answered_with_their_proofs() {
    let daemon = Daemon::begin();
    let at = daemon.address;
    let solve = |text: &str, more: Value| ask(at, "solve", &at_end(at, text, more));
    let answer = solve(NET, json!({ "goal": "capture", "target": "c7" })).json();
    assert_eq!(
        (&answer["verdict"], &answer["proven"], &answer["side"]),
        (&json!("works"), &json!(true), &json!("black"))
    );
    assert_eq!((&answer["out_of_time"], &answer["proof_left_out"]), (&json!(false), &json!(0)));
    assert!(answer["zone"].as_array().unwrap().len() > 8, "{answer}");
    // Every line of the proof alternates and ends where the goal is reached.
    let proof = answer["proof"].as_array().unwrap();
    assert_eq!((&proof[0]["attacker"], &proof[0]["moves"][0]["move"]), (&json!(true), &answer["move"]));
    for position in proof {
        let attacks = position["attacker"] == true;
        assert_eq!(position["side"], if attacks { "black" } else { "white" });
        let moves = position["moves"].as_array().unwrap();
        assert!(
            if attacks { moves.len() <= 1 } else { moves.is_empty() || moves[0]["move"] == "pass" },
            "{position}"
        );
        for next in moves.iter().filter_map(|one| one["next"].as_u64()) {
            assert_ne!(proof[next as usize]["attacker"], position["attacker"]);
        }
    }
    // The other goals, and patterns of the request.
    let saved = solve(NET, json!({ "goal": "defend", "target": "c7" })).json();
    assert_eq!((&saved["verdict"], &saved["side"], &saved["proof"]), (&json!("works"), &json!("white"), &json!([])));
    let two = "(;SZ[9]AB[cc][ee]AW[ce])";
    let connect = solve(two, json!({ "goal": "connect", "target": "c7", "with": "e5" })).json();
    assert_eq!((&connect["verdict"], &connect["with"]), (&json!("works"), &json!("e5")));
    // A straight three is killed and saved in its middle.
    let three = "(;SZ[7]AB[ea][eb][ac][bc][cc][dc][ec]AW[da][ab][bb][cb][db])";
    for (goal, side) in [("kill", "black"), ("live", "white")] {
        let life = solve(three, json!({ "goal": goal, "target": "a6", "region": "a6:d7" })).json();
        let told = (&life["side"], &life["verdict"], &life["move"], &life["region"][0]);
        assert_eq!(told, (&json!(side), &json!("works"), &json!("b7"), &json!("a7")), "{life}");
    }
    let with = |moves: &str, patterns: &str| {
        solve(NET, json!({ "goal": "capture", "target": "c7", "moves": moves, "patterns": patterns })).json()
    };
    assert_eq!(with("patterns", "(;(;GL[2]AB[aa][ca]))")["verdict"], "fails");
    assert_eq!(with("both", "(;(;GL[2]AB[aa][ca]))")["verdict"], "works");
    for (more, what) in [
        (json!({ "goal": "capture", "target": "a1" }), "no stone on a1"),
        (json!({ "goal": "capture", "target": "z9" }), "is not on the 9x9 board"),
        (json!({ "goal": "connect", "target": "c8" }), "a stone of the second one is missing"),
        (json!({ "goal": "connect", "target": "c8", "with": "d8" }), "are connected already"),
        (json!({ "goal": "seki", "target": "c7" }), "unknown variant `seki`"),
        (json!({ "goal": "kill", "target": "c7", "region": "a1" }), "the region leaves out"),
        (json!({ "goal": "capture", "target": "c7", "region": "a1:e9" }), "has no region"),
        (json!({ "goal": "capture", "target": "c7", "budget": 0 }), "budget"),
        (json!({ "goal": "capture", "target": "c7", "budget": 1_000_001 }), "budget"),
        (json!({ "goal": "capture", "target": "c7", "moves": "both", "patterns": "(;(;GL[7]))" }), "GL[7]"),
    ] {
        let problem = solve(NET, more).problem(422);
        assert!(problem["detail"].as_str().unwrap().contains(what), "{problem}");
    }
    daemon.end().unwrap();
}

/// The zones of the positions of a told proof.
fn zones(answer: &Value, size: LargeBoard) -> Vec<PointSet> {
    let texts: Vec<&str> =
        answer["proof_zones"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    let numbers = answer["proof_zone_numbers"].as_array().unwrap();
    let of = |number: &Value| region_of(size, texts[number.as_u64().unwrap() as usize]).unwrap();
    // Each is there once, and because of a position.
    let all: HashSet<&str> = texts.iter().copied().collect();
    let used: HashSet<u64> = numbers.iter().map(|number| number.as_u64().unwrap()).collect();
    assert_eq!((all.len(), used.len()), (texts.len(), texts.len()));
    assert_eq!(numbers.len(), answer["proof"].as_array().unwrap().len());
    numbers.iter().map(of).collect()
}

#[test]
fn each_position_of_a_told_proof_has_its_zone() {
    let daemon = Daemon::begin();
    let three = "(;SZ[7]AB[ea][eb][ac][bc][cc][dc][ec]AW[da][ab][bb][cb][db])";
    // Of the last one not all positions are told.
    let long = "(;SZ[11]AB[ae:ee][fa:fe][cc][aa][ac]AW[ad:dd][ea:ed][ba])";
    for (text, goal, target) in
        [(NET, "capture", "c7"), (three, "kill", "a6"), (three, "live", "a6"), (long, "kill", "e11")]
    {
        let body = at_end(daemon.address, text, json!({ "goal": goal, "target": target }));
        let answer = ask(daemon.address, "solve", &body).json();
        // The same proof, as the engine has it.
        let position: LargePosition = parse_position(text, GoRules::default()).unwrap();
        let size = position.size();
        let goal = TacticalGoal::ALL.into_iter().find(|one| one.name() == goal).unwrap();
        let question = Question::new(position.chains(), goal, point_of(size, target).unwrap(), None).unwrap();
        let board = TacticsBoard::of_position(&position, question.mover());
        let found = solve(&board, &question, USUAL_NODES);
        let nodes = found.proofs.last().map_or(&[][..], |proof| &proof.nodes[..]);
        let told = zones(&answer, size);
        let left_out = answer["proof_left_out"].as_u64().unwrap() as usize;
        assert_eq!(told.len() + left_out, nodes.len(), "{text}");
        assert_eq!(left_out > 0, text == long, "{text}: {left_out}");
        assert!(told.iter().zip(nodes).all(|(told, node)| *told == node.zone), "{text}");
    }
    daemon.end().unwrap();
}

#[test]
fn example_problems_and_ladders_are_told() {
    let daemon = Daemon::begin();
    let at = daemon.address;
    let examples = get(at, "/api/v1/editor/examples").json();
    let items = examples["items"].as_array().unwrap();
    assert!(items.len() >= 20, "{}", items.len());
    let ladder = items.iter().find(|item| item["name"] == "ladder").unwrap();
    assert_eq!((&ladder["goal"], &ladder["side"]), (&json!("capture"), &json!("black")));
    // Its text is a game tree, and the question about it is answered by a ladder.
    let tree = nodes(at, ladder["text"].as_str().unwrap());
    let body = json!({ "nodes": tree, "at": 0, "goal": "capture", "target": ladder["targets"][0] });
    let answer = ask(at, "solve", &body).json();
    assert_eq!((&answer["verdict"], &answer["proven"]), (&json!("works"), &json!(true)));
    let moves = answer["ladder"].as_array().unwrap();
    assert!(moves.len() > 10 && moves[0] == "f4" && moves[1] == "e5", "{answer}");
    // A net is none.
    let net = ask(at, "solve", &at_end(at, NET, json!({ "goal": "defend", "target": "c7" }))).json();
    assert_eq!(net["ladder"], Value::Null);
    daemon.end().unwrap();
}

#[test]
fn corners_are_looked_up_in_a_dictionary() {
    let daemon = Daemon::begin();
    let at = daemon.address;
    let dictionary = "(;SZ[19];B[pd];W[qf](;B[nd]C[the usual one];W[rd])(;B[pf]BM[1])(;W[]))";
    let look_up =
        |text: &str, dictionary: &str| ask(at, "joseki", &at_end(at, text, json!({ "dictionary": dictionary })));
    let found = look_up("(;SZ[19];B[dd];W[fc])", dictionary).json();
    assert_eq!((&found["positions"], &found["notices"]), (&json!(4), &json!([])));
    let corners = found["corners"].as_array().unwrap();
    let names: Vec<&Value> = corners.iter().map(|corner| &corner["corner"]).collect();
    assert_eq!(json!(names), json!(["upper right", "lower right", "lower left", "upper left"]));
    assert_eq!(corners[3]["lines"], 10);
    let moves = json!([
        { "side": "black", "move": "d14", "mark": null, "remark": "the usual one", "positions": 2 },
        { "side": "white", "move": null, "mark": null, "remark": "", "positions": 1 },
        { "side": "black", "move": "f16", "mark": "bad", "remark": "", "positions": 1 },
    ]);
    assert_eq!(corners[3]["moves"], moves);
    // A dictionary may be larger than any other body.
    let large = format!("(;C[{}]SZ[19];B[pd])", "x".repeat(2 << 20));
    assert_eq!(look_up("(;SZ[19])", &large).json()["positions"], 1);
    for (text, dictionary, what) in [
        ("(;SZ[19])", "(;SZ[19]\n;C[", "dictionary: not SGF: line 2, column 3"),
        ("(;SZ[19])", "(;SZ[19])", "dictionary: there are no moves in a corner"),
        ("(;SZ[19])", "(;SZ[19])\n(;SZ[50];B[aa])", "line 2, column 2: game 2"),
        ("(;SZ[19];B[aa];W[aa])", dictionary, "move 2, a19, is illegal"),
        ("(;SZ[19])", &*"x".repeat((3 << 20) + 1), "a dictionary of 3145729 bytes is too long"),
    ] {
        let problem = look_up(text, dictionary).problem(422);
        assert!(problem["detail"].as_str().unwrap().contains(what), "{problem}");
    }
    ask(at, "joseki", &json!({ "dictionary": "x".repeat(5 << 20) })).problem(413);
    daemon.end().unwrap();
}

#[test]
fn finished_games_are_counted() {
    let daemon = Daemon::begin();
    let score = |text: &str, more: Value| ask(daemon.address, "score", &at_end(daemon.address, text, more));
    // White takes a stone in the corner, and another one of black's is dead.
    let game = "(;SZ[5]KM[0.5]RU[Japanese]RE[B+3.5]AB[ca:ce]AW[da:de];B[ea];W[eb];B[ed];W[];B[])";
    let found = score(game, json!({ "dead": ["e2"] })).json();
    assert_eq!((&found["result"], &found["agrees"]), (&json!("B+3.5"), &json!(true)));
    assert_eq!((&found["rules"], &found["komi"], &found["dead"]), (&json!("territory"), &json!(0.5), &json!(["e2"])));
    let white = json!({ "territory": 4, "living": 6, "captured": 1, "dead": 1, "total": 6.5 });
    assert_eq!((&found["white"], &found["owners"]), (&white, &json!("XX..OXX...XX..OXX..OXX..O")));
    let area = score(game, json!({ "dead": ["e2"], "rules": "area", "komi": "7" })).json();
    assert_eq!((&area["result"], &area["agrees"]), (&json!("W+2"), &json!(false)));
    let seki = score(game, json!({ "dead": ["e2"], "seki": ["d1"] })).json();
    assert_eq!((&seki["seki"], &seki["white"]["total"]), (&json!(4), &json!(2.5)));
    for (more, what) in [
        (json!({ "dead": ["a1"] }), "no stone on a1"),
        (json!({ "dead": ["c1", "d1"] }), "cannot both be dead"),
        (json!({ "dead": ["z9"] }), "is not on the 5x5 board"),
        (json!({ "komi": "6.4" }), "komi: expected"),
        (json!({ "rules": "stones" }), "unknown variant `stones`"),
    ] {
        let problem = score(game, more).problem(422);
        assert!(problem["detail"].as_str().unwrap().contains(what), "{problem}");
    }
    for text in ["(;SZ[5];B[aa];W[aa])", "(;SZ[5]KM[3.75])"] {
        score(text, json!({})).problem(422);
    }
    daemon.end().unwrap();
}

#[test]
fn patterns_are_listed_added_and_matched() {
    let daemon = Daemon::begin();
    let at = daemon.address;
    let shipped = ask(at, "patterns", &json!({})).json();
    let items = shipped["items"].as_array().unwrap();
    assert!(items.len() > 20 && items[0]["name"] == "bamboo joint" && items[0]["cells"] == "X.XX.X", "{}", items[0]);
    let again = ask(at, "patterns", &json!({ "patterns": shipped["text"] })).json();
    assert_eq!(again["items"], shipped["items"]);
    // A tesuji of the moves below a node, cut out of the board, with its colours exchanged.
    let mut body =
        json!({ "nodes": nodes(at, "(;SZ[9]AW[cb][db][bc][bd]AB[cc]PL[W](;W[dd]C[the net];B[dc];W[ec])(;W[cd]))") });
    let more = json!({
        "at": 0, "patterns": "(;GM[1])", "name": "a net", "goal": "capture", "tesuji": true, "inverted": true,
        "rectangle": { "x": 1, "y": 1, "width": 4, "height": 4 }, "targets": ["c7"],
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let added = ask(at, "patterns/add", &body).json();
    let entry = &added["items"][0];
    assert_eq!(
        (&entry["name"], &entry["kind"], &entry["goal"]),
        (&json!("a net"), &json!("tesuji"), &json!("capture"))
    );
    assert_eq!((&entry["cells"], &entry["targets"]), (&json!(".XX.XO..X......."), &json!(["b3"])));
    let first = json!({ "side": "black", "move": "c2", "parent": null });
    assert_eq!((entry["moves"].as_array().unwrap().len(), &entry["moves"][0]), (4, &first));
    let refused = |changes: Value, what: &str| {
        let mut body = body.clone();
        body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        let problem = ask(at, "patterns/add", &body).problem(422);
        assert!(problem["detail"].as_str().unwrap().contains(what), "{problem}");
    };
    refused(json!({ "patterns": added["text"] }), "pattern 1 is the same");
    refused(json!({ "inverted": false }), "black begins");
    refused(json!({ "goal": "live" }), "goal");
    refused(json!({ "at": 4 }), "no moves below");
    refused(json!({ "targets": ["a1"] }), "a1 is outside of the rectangle");
    refused(json!({ "rectangle": { "x": 1, "y": 1, "width": 9, "height": 4 } }), "9x9 board");
    refused(json!({ "rectangle": { "x": 1, "y": 1, "width": 2, "height": 2 } }), "outside of the rectangle");
    refused(json!({ "patterns": "(;(;GL[7]))" }), "GL[7]");
    // What fits a position comes as variations for the side to move.
    let on_board = at_end(at, NET, json!({ "patterns": added["text"] }));
    let matched = ask(at, "match", &on_board).json();
    assert_eq!((&matched["side"], &matched["left_out"]), (&json!("black"), &json!(0)));
    let net = json!({ "move": "d6", "number": 1, "pattern": "a net", "goal": "capture" });
    assert!(matched["moves"].as_array().unwrap().contains(&net), "{matched}");
    let variations = matched["nodes"].as_array().unwrap();
    let first = variations.iter().position(|node| node["properties"][0]["values"][0] == "dd").unwrap();
    assert_eq!(
        (&variations[first]["comment"], &variations[first]["parent"]),
        (&json!("a net (capture)"), &Value::Null)
    );
    assert_eq!(variations[first]["properties"][0]["name"], "B");
    let answers = variations.iter().filter(|node| node["parent"] == first);
    // Those of the pattern and of its mirror image.
    assert!(answers.map(|node| &node["properties"][0]["name"]).eq([&json!("W"), &json!("W")]), "{matched}");
    let nothing = ask(at, "match", &at_end(at, "(;SZ[9])", json!({}))).json();
    assert_eq!((&nothing["moves"], &nothing["nodes"]), (&json!([]), &json!([])));
    daemon.end().unwrap();
}

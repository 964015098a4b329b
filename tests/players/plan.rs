//! The commands on plans of Gomoku, run as a user runs them.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

fn plan(directory: &Path, arguments: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("morpion").unwrap();
    let output = command.current_dir(directory).arg("plan").args(arguments.split_whitespace()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_search_that_ran_out_of_time_goes_on_from_its_state() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let find = "find game.plan --position h8h9i9a1 --threads 1 --json --state state";
    let (status, out, err) = plan(here, &format!("{find} --time 0.05"));
    let found: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((status, &found["end"], &found["open"]), (1, &"open".into(), &1.into()), "{err}");
    let tree = here.join("state/start.tree");
    assert!(tree.exists(), "{err}");
    // Other rules, another position and the other side are no continuation.
    for other in ["--position h8h9i9a2", "--position h8h9i9a1 --rule free", "--position h8h9i9a1 --wins white"] {
        let (status, _, err) = plan(here, &format!("find other.plan {other} --state state"));
        assert_eq!(status, 2, "{other}");
        assert!(err.contains("state has searches of another position, other rules or the other side"), "{err}");
    }
    assert!(!here.join("other.plan").exists());
    // Damage is told of, and nothing is lost.
    let whole = std::fs::read(&tree).unwrap();
    std::fs::write(&tree, &whole[..whole.len() - 1]).unwrap();
    let (status, _, err) = plan(here, find);
    assert!(status == 2 && err.contains("start.tree: it is damaged"), "{status}: {err}");
    assert_eq!(std::fs::read(&tree).unwrap(), whole[..whole.len() - 1]);
    std::fs::write(&tree, whole).unwrap();
    let (status, out, err) = plan(here, find);
    let found: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((status, &found["end"]), (0, &"proven".into()), "{err}");
    assert!(!tree.exists());
    let (status, out, err) = plan(here, "check game.plan --threads 2");
    assert!(status == 0 && out.contains("checked: black wins"), "{out}{err}");
}

//! Files in SGF that are read, written and read again hold the same trees. The long form takes the files of a folder:
//! `MORPION_TEST_SGF=/folder cargo test -p morpion-engine --test games real_files -- --nocapture`.

use morpion_engine::notation::sgf::collection::SgfCollection;
use morpion_engine::notation::sgf::read::{ReadSgf, SgfFault, read, read_bytes};
use morpion_engine::notation::sgf::write::write;
use morpion_engine::tactics::examples::{examples, to_sgf};
use morpion_engine::tactics::pattern::database::SHIPPED;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The files below a folder whose names end in `.sgf`, in whatever case.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("sgf")) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Reads what was read again, and holds it to be the same tree; its text is the same from then on.
fn comes_back(first: &ReadSgf, told: &str) {
    let mut expected: SgfCollection = first.collection.clone();
    // These two are those of the program.
    for game in expected.games().to_vec() {
        expected.set(game, "FF", vec!["4".to_owned()]);
        expected.set(game, "CA", vec!["UTF-8".to_owned()]);
    }
    let text = write(&first.collection);
    let second = read_bytes(text.as_bytes()).unwrap_or_else(|error| panic!("{told}: {error}"));
    assert_eq!((second.notices.len(), second.more_notices), (0, 0), "{told}: {:?}", second.notices);
    assert!(second.collection == expected, "{told}: the tree is another one");
    assert_eq!(write(&second.collection), text, "{told}");
}

#[test]
fn real_files_come_back_with_the_same_trees() {
    let examples = write(&to_sgf(&examples()));
    for (text, told) in [(SHIPPED, "the patterns"), (examples.as_str(), "the examples")] {
        comes_back(&read(text).unwrap(), told);
    }
    let Some(folder) = std::env::var_os("MORPION_TEST_SGF") else { return };
    let files = files_below(Path::new(&folder));
    assert!(!files.is_empty(), "there are no files in {}", folder.display());
    let (mut nodes, mut mended, mut faults) = (0, 0, BTreeMap::<String, usize>::new());
    for file in &files {
        let told = file.display().to_string();
        let first = match read_bytes(&std::fs::read(file).unwrap()) {
            Ok(first) => first,
            Err(error) => {
                println!("{told}: {error}");
                *faults.entry("not read".to_owned()).or_default() += 1;
                continue;
            }
        };
        comes_back(&first, &told);
        nodes += first.collection.node_count();
        mended += usize::from(!first.notices.is_empty());
        for notice in &first.notices {
            let kind = format!("{:?}", notice.fault);
            let kind = kind.split('(').next().unwrap_or_default();
            *faults.entry(kind.to_owned()).or_default() += 1;
            if !matches!(notice.fault, SgfFault::BeforeGame) {
                println!("{told}: {notice}");
            }
        }
    }
    println!("{} files, {nodes} nodes, {mended} files mended: {faults:?}", files.len());
}

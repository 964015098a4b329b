//! The states of the searches of units, in a file beside the tree: a unit that a crash interrupted continues from the
//! last one. They cost a solution nothing but time when they are lost, so a file that cannot be read, or is of
//! another solution, is left out and written anew.

use super::solver::SearchState;
use crate::core::encoding::{decode, encode};
use crate::core::frame::{Flaw, FrameFormat, checksum, take};
use crate::files::{FileError, Keep, replace};
use crate::jobs::tree::unit::UnitId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the file in the solution's directory.
pub const FILE: &str = "searches.bin";

const FORMAT: FrameFormat =
    FrameFormat { magic: b"MorpSrch", version: 1, what: "a file with the states of searches" };

/// What the file holds.
#[derive(Debug, Serialize, Deserialize)]
struct StatesFile {
    /// The solution that the units are of, in the words of [`super::file::open`].
    job: String,
    states: Vec<(UnitId, SearchState)>,
}

/// The states of the units that are not settled, by their numbers.
#[derive(Debug, Default)]
pub struct SearchStates {
    /// The file and the solution; `None`: they are kept in memory alone.
    file: Option<(PathBuf, String)>,
    states: BTreeMap<UnitId, Arc<SearchState>>,
    /// Something has changed since it was written.
    changed: bool,
}

impl SearchStates {
    /// For a solution that begins; what may be there of another one is replaced.
    pub fn new(directory: &Path, job: &str) -> SearchStates {
        let file = Some((directory.join(FILE), job.to_owned()));
        SearchStates { file, states: BTreeMap::new(), changed: false }
    }

    /// Those of a solution, in its directory. `job` says what is solved, and all that decides how a unit ends.
    /// In words for people, what was wrong with the file.
    pub fn open(directory: &Path, job: &str) -> (SearchStates, Option<String>) {
        let path = directory.join(FILE);
        let read = match std::fs::read(&path) {
            Ok(bytes) => read(&bytes).map_err(|flaw| match flaw {
                Flaw::Newer(version) => format!("has format version {version}, which this program does not know"),
                Flaw::Damaged(what) => format!("is damaged: {what}"),
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(StatesFile { job: job.to_owned(), states: Vec::new() })
            }
            Err(error) => Err(format!("cannot be read: {error}")),
        };
        let (states, notice) = match read {
            Ok(StatesFile { job: of, states }) if of == job => (states, None),
            Ok(_) => (Vec::new(), Some("is of another solution".to_owned())),
            Err(what) => (Vec::new(), Some(what)),
        };
        let notice = notice.map(|what| format!("{} {what}: interrupted units begin anew", path.display()));
        let states = states.into_iter().map(|(unit, state)| (unit, Arc::new(state))).collect();
        (SearchStates { states, ..SearchStates::new(directory, job) }, notice)
    }

    /// What the search of a unit continues from.
    pub fn of(&self, unit: UnitId) -> Option<Arc<SearchState>> {
        self.states.get(&unit).cloned()
    }

    /// Takes in how far the search of a unit has come.
    pub fn note(&mut self, unit: UnitId, state: Arc<SearchState>) {
        let before = self.states.insert(unit, Arc::clone(&state));
        self.changed |= before.is_none_or(|before| !Arc::ptr_eq(&before, &state));
    }

    /// Forgets the states of units that are not kept.
    pub fn retain(&mut self, is_kept: impl Fn(UnitId) -> bool) {
        let before = self.states.len();
        self.states.retain(|&unit, _| is_kept(unit));
        self.changed |= self.states.len() != before;
    }

    /// Writes the file if anything has changed.
    ///
    /// # Errors
    /// If it cannot be written; it is then as it was.
    pub fn write(&mut self) -> Result<(), FileError> {
        let Some((path, job)) = self.file.as_ref().filter(|_| self.changed) else { return Ok(()) };
        let states = self.states.iter().map(|(&unit, state)| (unit, SearchState::clone(state))).collect();
        let content = encode(&StatesFile { job: job.clone(), states });
        let bytes = [&FORMAT.head(FORMAT.version)[..], &checksum(&content), &content].concat();
        replace(path, &bytes, Keep::Durable)?;
        self.changed = false;
        Ok(())
    }
}

fn read(mut bytes: &[u8]) -> Result<StatesFile, Flaw> {
    if FORMAT.read(&mut bytes)? != FORMAT.version {
        return Err(Flaw::damaged("its version has never been written"));
    }
    if take(&mut bytes)? != checksum(bytes) {
        return Err(Flaw::damaged("its checksum does not match"));
    }
    let content: StatesFile = decode(bytes).ok_or_else(|| Flaw::damaged("its content cannot be read"))?;
    if content.states.iter().all(|(_, state)| state.is_plausible()) {
        Ok(content)
    } else {
        Err(Flaw::damaged("a state in it is none"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tree::credit::Spent;

    fn state(nodes: u64) -> Arc<SearchState> {
        let unpaid = Spent { nodes: nodes / 2, micros: 7 };
        Arc::new(SearchState { nodes, unpaid, table: vec![3; 32] })
    }

    #[test]
    fn what_was_written_is_there_again_for_the_same_solution() {
        let directory = tempfile::tempdir().unwrap();
        let (mut states, notice) = SearchStates::open(directory.path(), "one");
        assert_eq!((notice, states.of(1)), (None, None));
        states.write().unwrap();
        assert!(!directory.path().join(FILE).exists(), "nothing has changed");
        states.note(1, state(10));
        states.note(4, state(40));
        states.write().unwrap();
        let (mut states, notice) = SearchStates::open(directory.path(), "one");
        assert_eq!((notice, states.of(1), states.of(4)), (None, Some(state(10)), Some(state(40))));
        states.retain(|unit| unit == 4);
        states.note(4, state(50));
        states.write().unwrap();
        let (states, _) = SearchStates::open(directory.path(), "one");
        assert_eq!((states.of(1), states.of(4)), (None, Some(state(50))));
        let (states, notice) = SearchStates::open(directory.path(), "two");
        assert!(states.of(4).is_none() && notice.unwrap().contains("another solution"));
    }

    #[test]
    fn a_damaged_file_is_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let (mut states, _) = SearchStates::open(directory.path(), "one");
        states.note(1, state(10));
        states.write().unwrap();
        let path = directory.path().join(FILE);
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            for bytes in [bytes, whole[..at].to_vec()] {
                std::fs::write(&path, bytes).unwrap();
                let (states, notice) = SearchStates::open(directory.path(), "one");
                assert!(states.of(1).is_none() && notice.is_some(), "byte {at}");
            }
        }
    }
}

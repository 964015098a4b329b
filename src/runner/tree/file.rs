//! The file of a solution in its directory: created for a new solution, opened to continue one.

use super::TreeError;
use crate::core::game::Game;
use crate::jobs::tree::record::TreeRecord;
use crate::jobs::tree::settings::TreeSettings;
use crate::jobs::tree::state::TreeState;
use crate::runner::tree::searches::SearchStates;
use crate::runner::tree::store::TreeStore;
use std::path::Path;

/// Name of the file in its directory.
pub const FILE: &str = "tree.redb";

/// A solution that is open.
#[derive(Debug)]
pub struct OpenedTree<G> {
    /// The state at the last checkpoint.
    pub state: TreeState<G>,
    /// The file, open for writing.
    pub store: TreeStore,
    /// What happened since the last checkpoint.
    pub since: Vec<TreeRecord>,
    /// States of the searches that were interrupted.
    pub searches: SearchStates,
    /// Seconds that it has run, as last noted.
    pub seconds: f64,
    /// What was wrong with the files and has been put right, in words for people.
    pub notice: Option<String>,
}

/// Opens the solution in a directory, or begins it there. `job` says all that decides how a unit ends, except the
/// settings.
///
/// # Errors
/// If the file cannot be used, or holds another solution; nothing is changed then.
pub fn open<G: Game>(
    directory: &Path,
    job: &str,
    root: G,
    settings: TreeSettings,
) -> Result<OpenedTree<G>, TreeError> {
    std::fs::create_dir_all(directory)
        .map_err(|source| TreeError::Directory { path: directory.to_owned(), source })?;
    let path = directory.join(FILE);
    let whole = format!("{job}, {settings:?}");
    if !path.exists() {
        let mut state = TreeState::new(root, settings)?;
        let store = TreeStore::create(&path, job, &mut state)?;
        let searches = SearchStates::new(directory, &whole);
        return Ok(OpenedTree { state, store, since: Vec::new(), searches, seconds: 0.0, notice: None });
    }
    let (store, stored) = TreeStore::open(&path)?;
    let same = |stored: String, asked: String| {
        if stored == asked { Ok(()) } else { Err(TreeError::Other { path: path.clone(), stored, asked }) }
    };
    same(stored.job.clone(), job.to_owned())?;
    if stored.parts.meta.settings != settings {
        same(format!("{:?}", stored.parts.meta.settings), format!("{settings:?}"))?;
    }
    let (since, seconds) = (stored.records.clone(), stored.seconds);
    let (searches, trouble) = SearchStates::open(directory, &whole);
    let notice = stored.notice.clone().or(trouble);
    Ok(OpenedTree { state: stored.state(root)?, store, since, searches, seconds, notice })
}

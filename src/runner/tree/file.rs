//! The file of a solution in its directory: created for a new solution, opened to continue one.

use super::{TreeError, journal, searches};
use crate::core::game::Game;
use crate::core::setting::show_name;
use crate::jobs::tree::record::TreeRecord;
use crate::jobs::tree::settings::{StoreKind, TreeSettings};
use crate::jobs::tree::state::TreeState;
use crate::runner::tree::searches::SearchStates;
use crate::runner::tree::store::{TreeStore, TreeStoreError, backend};
use std::path::{Path, PathBuf};

/// Name of the file in its directory.
pub fn name(kind: StoreKind) -> &'static str {
    match kind {
        StoreKind::Redb => "tree.redb",
        StoreKind::Sqlite => "tree.sqlite",
    }
}

/// The file of a solution in a directory; nothing if there is none.
///
/// # Errors
/// If the directory holds one of another database.
pub fn find(directory: &Path, kind: StoreKind) -> Result<Option<PathBuf>, TreeError> {
    for other in StoreKind::ALL.into_iter().filter(|&other| other != kind) {
        let path = directory.join(name(other));
        if path.exists() {
            return Err(TreeError::OtherStore { path, stored: show_name(&other), asked: show_name(&kind) });
        }
    }
    let path = directory.join(name(kind));
    Ok(path.exists().then_some(path))
}

/// Whether a name in a directory is that of a part of a solution.
pub fn is_part(file: &str) -> bool {
    StoreKind::ALL.into_iter().map(name).chain([journal::FILE, searches::FILE]).any(|part| file.starts_with(part))
}

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
    kind: StoreKind,
    job: &str,
    root: G,
    settings: TreeSettings,
) -> Result<OpenedTree<G>, TreeError> {
    let whole = format!("{job}, {settings:?}");
    let Some(path) = find(directory, kind)? else {
        let path = directory.join(name(kind));
        if backend(kind).is_none() {
            return Err(TreeStoreError::NotBuilt(path).into());
        }
        std::fs::create_dir_all(directory)
            .map_err(|source| TreeError::Directory { path: directory.to_owned(), source })?;
        let mut state = TreeState::new(root, settings)?;
        let store = TreeStore::create(kind, &path, job, &mut state)?;
        let searches = SearchStates::new(directory, &whole);
        return Ok(OpenedTree { state, store, since: Vec::new(), searches, seconds: 0.0, notice: None });
    };
    let (store, stored) = TreeStore::open(kind, &path)?;
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

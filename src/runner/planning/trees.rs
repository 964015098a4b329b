//! A directory with what the searches of a plan know: a file for each goal that has no plan yet, for each other
//! move of the attacker that is tried there, and for the division of each goal that is divided.
//!
//! A file of its own says what the plans are about: the first lines of a plan. It is locked while a process uses the
//! directory. A tree that cannot be read, or of another plan, is left as it is, and nothing is searched.

use super::division::Division;
use crate::files::{FileError, Keep, replace};
use crate::games::gomoku::board::GomokuBoard;
use crate::games::gomoku::position::GomokuPosition;
use crate::solvers::gomoku::plan::saved::PlanRestoreError;
use crate::solvers::gomoku::plan::search::PlanSearch;
use crate::solvers::gomoku::plan::{WinningPlan, text};
use crate::solvers::gomoku::threats::ThreatTables;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The file that says what the plans are about.
const ABOUT: &str = "about.plan";
/// How the names of trees end, and what is before that in the names of divisions.
const ENDING: &str = ".tree";
const DIVIDED: &str = "-divided";

/// Why a directory is not used.
#[derive(Debug, thiserror::Error)]
pub enum PlanTreesError {
    /// The disk refuses.
    #[error(transparent)]
    File(#[from] FileError),
    /// Another process uses it.
    #[error("{} is in use by another process", .0.display())]
    Locked(PathBuf),
    /// It is about something else.
    #[error("{} has searches of another position, other rules or the other side: give another directory", .0.display())]
    Other(PathBuf),
    /// The search cannot go on from a tree.
    #[error("{}: {source}; remove the file to search again, or give another directory", path.display())]
    Tree {
        /// The file of the tree.
        path: PathBuf,
        /// What is wrong with it.
        source: PlanRestoreError,
    },
}

/// Whose tree it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeName {
    /// The reply that the search is about; `None` for the first position itself.
    pub reply: Option<u16>,
    /// The move of the attacker that it tries there; `None` if it chooses.
    pub attack: Option<u16>,
}

/// The directory of the trees of one plan.
#[derive(Debug)]
pub struct PlanTrees {
    directory: PathBuf,
    board: GomokuBoard,
    /// Locked while the value lives.
    _about: File,
}

impl PlanTrees {
    /// Opens the directory for searches of this plan, and makes it if it is not there.
    ///
    /// # Errors
    /// It belongs to another plan, another process uses it, or the disk refuses.
    pub fn open(directory: &Path, plan: &WinningPlan) -> Result<PlanTrees, PlanTreesError> {
        fs::create_dir_all(directory).map_err(FileError::new("create", directory))?;
        let path = directory.join(ABOUT);
        let error = |action| FileError::new(action, &path);
        let file = OpenOptions::new().read(true).append(true).create(true).open(&path);
        let mut about = file.map_err(error("open"))?;
        match about.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(PlanTreesError::Locked(directory.to_owned())),
            Err(TryLockError::Error(source)) => return Err(error("lock")(source).into()),
        }
        let (mut found, expected) = (Vec::new(), text::head(plan).into_bytes());
        about.read_to_end(&mut found).map_err(error("read"))?;
        // What a crash has cut off within these lines has no trees yet.
        match expected.strip_prefix(&found[..]) {
            None => return Err(PlanTreesError::Other(directory.to_owned())),
            Some(rest) => about.write_all(rest).and_then(|()| about.sync_all()).map_err(error("write"))?,
        }
        Ok(PlanTrees { directory: directory.to_owned(), board: plan.start().board(), _about: about })
    }

    fn path(&self, name: TreeName) -> PathBuf {
        let reply = self.stem(name.reply);
        let attack = name.attack.map(|point| format!("-{}", self.board.name(point))).unwrap_or_default();
        self.directory.join(format!("{reply}{attack}{ENDING}"))
    }

    fn path_of_division(&self, reply: Option<u16>) -> PathBuf {
        self.directory.join(format!("{}{DIVIDED}{ENDING}", self.stem(reply)))
    }

    fn stem(&self, reply: Option<u16>) -> String {
        reply.map_or_else(|| "start".to_owned(), |point| self.board.name(point))
    }

    /// The search that was kept under a name, if there is one.
    ///
    /// # Errors
    /// It cannot be read, or does not belong to this position and plan.
    pub fn search<'a>(
        &self,
        name: TreeName,
        tables: &'a ThreatTables,
        position: &GomokuPosition,
        known: &'a WinningPlan,
    ) -> Result<Option<PlanSearch<'a>>, PlanTreesError> {
        let path = self.path(name);
        let Some(bytes) = read_if_there(&path)? else { return Ok(None) };
        let search = PlanSearch::restore(tables, position, known, &bytes);
        Ok(Some(search.map_err(|source| PlanTreesError::Tree { path, source })?))
    }

    /// The division that was kept of the goal that a reply leads to, if there is one.
    ///
    /// # Errors
    /// It cannot be read, or does not belong to this goal and plan.
    pub fn division(
        &self,
        reply: Option<u16>,
        way: &[u16],
        known: &WinningPlan,
    ) -> Result<Option<Division>, PlanTreesError> {
        let path = self.path_of_division(reply);
        let Some(bytes) = read_if_there(&path)? else { return Ok(None) };
        let division = Division::restore(&bytes, way, known);
        Ok(Some(division.map_err(|source| PlanTreesError::Tree { path, source })?))
    }

    /// Keeps a division that was saved.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn write_division(&self, reply: Option<u16>, saved: &[u8]) -> Result<(), PlanTreesError> {
        Ok(replace(&self.path_of_division(reply), saved, Keep::Durable)?)
    }

    /// Keeps what a search has saved.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn write(&self, name: TreeName, saved: &[u8]) -> Result<(), PlanTreesError> {
        Ok(replace(&self.path(name), saved, Keep::Durable)?)
    }

    /// Removes the trees of a goal, which has a plan.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn remove(&self, reply: Option<u16>) -> Result<(), PlanTreesError> {
        let stem = self.stem(reply);
        let error = |action| FileError::new(action, &self.directory);
        for entry in fs::read_dir(&self.directory).map_err(error("read"))? {
            let entry = entry.map_err(error("read"))?;
            let name = entry.file_name();
            let rest = name.to_str().and_then(|name| name.strip_prefix(&stem)?.strip_suffix(ENDING));
            if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-')) {
                let path = entry.path();
                fs::remove_file(&path).map_err(FileError::new("remove", &path))?;
            }
        }
        Ok(())
    }
}

fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FileError::new("read", path)(error)),
    }
}

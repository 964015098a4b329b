//! Writes grids of an archive as grid files or pictures.

use super::collect::GatheredGrid;
use crate::cli::file_format::FileFormat;
use crate::cli::grid_input::counted;
use crate::notation::file::{self, Existing};
use anyhow::{Context, bail, ensure};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes the grids to a file or a directory and names what was written; nothing is written if a file exists.
///
/// # Errors
/// Several grids for one file, a file that exists or cannot be written.
pub fn run(path: &Path, grids: &[&GatheredGrid], kind: FileFormat, out: &mut dyn Write) -> anyhow::Result<()> {
    let files: Vec<(PathBuf, FileFormat, &GatheredGrid)> = match (FileFormat::of_path(path), grids) {
        _ if path.is_dir() => within(path, grids, kind),
        (Some(kind), &[only]) => vec![(path.to_owned(), kind, only)],
        (Some(_), _) => bail!(
            "{}: {} are chosen for one file: choose one by --id or --limit 1, or give a directory",
            path.display(),
            counted(grids.len(), "grid")
        ),
        (None, _) => within(path, grids, kind),
    };
    for (path, ..) in &files {
        ensure!(path.symlink_metadata().is_err(), "{}: the file exists, nothing was written", path.display());
    }
    if let Some(directory) = files.first().and_then(|(file, ..)| file.parent()).filter(|_| files[0].0 != path) {
        std::fs::create_dir_all(directory).with_context(|| format!("{}: cannot be made", directory.display()))?;
    }
    for (path, kind, entry) in &files {
        let bytes = kind.write(&entry.grid()).with_context(|| path.display().to_string())?;
        file::save(path, &bytes, Existing::Keep).with_context(|| format!("{}: cannot be written", path.display()))?;
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

fn within<'a>(
    directory: &Path,
    grids: &[&'a GatheredGrid],
    kind: FileFormat,
) -> Vec<(PathBuf, FileFormat, &'a GatheredGrid)> {
    let name =
        |entry: &GatheredGrid| format!("{}-{}-{}.{}", entry.variant, entry.score(), entry.id(), kind.extension());
    grids.iter().map(|&entry| (directory.join(name(entry)), kind, entry)).collect()
}

//! Writes grids of an archive as grid files or pictures.

use super::collect::SHOWN_DIGITS;
use super::line::ArchiveLine;
use crate::cli::file_format::FileFormat;
use crate::cli::grid_input::counted;
use crate::notation::file::{self, Existing};
use crate::notation::grid::Grid;
use ahash::AHashMap;
use anyhow::{Context, bail, ensure};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes the grids to a file or a directory and names what was written; nothing is written if a file exists. `grid`
/// gives the grid of a line.
///
/// # Errors
/// Several grids for one file, a file that exists or cannot be written, a grid that cannot be had.
pub fn run(
    path: &Path,
    lines: &[ArchiveLine],
    kind: FileFormat,
    mut grid: impl FnMut(usize) -> anyhow::Result<Grid>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    ensure!(!lines.is_empty(), "{}: no grid is chosen, nothing was written", path.display());
    let files: Vec<(PathBuf, FileFormat)> = match (FileFormat::of_path(path), lines.len()) {
        _ if path.is_dir() => within(path, lines, kind),
        (Some(kind), 1) => vec![(path.to_owned(), kind)],
        (Some(_), count) => bail!(
            "{}: {} are chosen for one file: choose one by --id or --limit 1, or give a directory",
            path.display(),
            counted(count, "grid")
        ),
        (None, _) => within(path, lines, kind),
    };
    for (path, _) in &files {
        ensure!(path.symlink_metadata().is_err(), "{}: the file exists, nothing was written", path.display());
    }
    if let Some(directory) = files.first().and_then(|(file, _)| file.parent()).filter(|_| files[0].0 != path) {
        std::fs::create_dir_all(directory).with_context(|| format!("{}: cannot be made", directory.display()))?;
    }
    for (number, (path, kind)) in files.iter().enumerate() {
        let bytes = kind.write(&grid(number)?).with_context(|| path.display().to_string())?;
        file::save(path, &bytes, Existing::Keep).with_context(|| format!("{}: cannot be written", path.display()))?;
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

/// The variant and, if it is not the cross, the start of a grid, as names of files have them.
fn category(line: &ArchiveLine) -> String {
    let start = line.start.as_ref().map_or(String::new(), |start| format!("-{}", start.replace(' ', "-")));
    format!("{}{start}", line.variant)
}

/// Files in a directory, named by variant, start, score and id. Where the ids of two grids are the same, their names
/// have all digits of the keys.
fn within(directory: &Path, lines: &[ArchiveLine], kind: FileFormat) -> Vec<(PathBuf, FileFormat)> {
    let short = |line: &ArchiveLine| {
        let id: String = line.key.chars().take(SHOWN_DIGITS).collect();
        format!("{}-{}-{id}", category(line), line.score)
    };
    let mut count: AHashMap<String, u32> = AHashMap::new();
    lines.iter().for_each(|line| *count.entry(short(line)).or_default() += 1);
    let name = |line: &ArchiveLine| match short(line) {
        name if count[&name] == 1 => name,
        _ => format!("{}-{}-{}", category(line), line.score, line.key),
    };
    lines.iter().map(|line| (directory.join(format!("{}.{}", name(line), kind.extension())), kind)).collect()
}

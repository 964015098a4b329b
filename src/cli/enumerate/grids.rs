//! `--grids`: a file of each grid of so many moves, one for each class under the 8 symmetries.

use crate::cli::grid_input::save;
use crate::morpion::enumerate::{CountKind, LineHashes, known_grids, walk};
use crate::morpion::geometry::Move;
use crate::morpion::variant::Variant;
use crate::notation::format::{self, GridFormat};
use crate::notation::grid::Grid;
use anyhow::{Context, ensure};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Files that are written at most: more are taken for a slip of the fingers.
const MAX_FILES: u64 = 20_000;

/// Refuses a depth with more grids than are written.
///
/// # Errors
/// There are too many, or nobody knows how many.
pub fn check(variant: Variant, depth: u32) -> anyhow::Result<()> {
    let count = known_grids(variant).get(depth as usize).copied();
    ensure!(
        count.is_some_and(|count| count <= MAX_FILES),
        "--grids writes at most {MAX_FILES} files, and {variant} has more grids of {depth} moves"
    );
    Ok(())
}

/// Writes each grid of `depth` moves as a Pentasol file, VARIANT-DEPTH-NUMBER.txt; how many there are.
///
/// # Errors
/// The directory or a file cannot be written, or a file exists.
pub fn export(variant: Variant, depth: u32, directory: &Path) -> anyhow::Result<u64> {
    let hashes = LineHashes::new(variant);
    let mut grids: Vec<Vec<Move>> = Vec::new();
    walk(variant, CountKind::Grids, &hashes).split(depth, &mut |_, moves| {
        grids.push(moves.to_vec());
        ControlFlow::Continue(())
    });
    let digits = grids.len().to_string().len();
    let path = |number: usize| -> PathBuf { directory.join(format!("{variant}-{depth}-{number:0digits$}.txt")) };
    std::fs::create_dir_all(directory).with_context(|| format!("{}: cannot be made", directory.display()))?;
    // Nothing is written if a file is in the way.
    if let Some(taken) = (1..=grids.len()).map(path).find(|path| path.exists()) {
        anyhow::bail!("{}: the file exists", taken.display());
    }
    for (number, moves) in (1..).zip(&grids) {
        let text = format::write(&Grid::new(variant, moves.clone()), GridFormat::Pentasol)?;
        save(&path(number), text.as_bytes(), false)?;
    }
    Ok(grids.len() as u64)
}

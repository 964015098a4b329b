//! Writes grids of an archive as grid files or pictures.

use super::collect::Entry;
use crate::cli::grid_input::counted;
use crate::morpion::referee;
use crate::notation::file::{self, Existing};
use crate::notation::format::{self, Format};
use crate::render::grid::{Options, Picture, render};
use anyhow::{Context, bail, ensure};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Format of an exported grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// Pentasol text
    Psol,
    /// MSR, compact
    Msr,
    /// MSR, JSON
    Json,
    /// Picture
    Png,
    /// Picture
    Svg,
}

impl Kind {
    fn of(path: &Path) -> Option<Kind> {
        let extension = path.extension()?.to_str()?;
        match (Picture::from_extension(extension), Format::from_extension(extension)) {
            (Some(Picture::Png), _) => Some(Kind::Png),
            (Some(Picture::Svg), _) => Some(Kind::Svg),
            (_, Some(Format::Pentasol)) => Some(Kind::Psol),
            (_, Some(Format::MsrCompact)) => Some(Kind::Msr),
            (_, Some(Format::MsrJson)) => Some(Kind::Json),
            (None, None) => None,
        }
    }

    const fn extension(self) -> &'static str {
        match self {
            Kind::Psol => "psol",
            Kind::Msr => "msr",
            Kind::Json => "json",
            Kind::Png => "png",
            Kind::Svg => "svg",
        }
    }
}

/// Writes the grids to a file or a directory and names what was written; nothing is written if a file exists.
///
/// # Errors
/// Several grids for one file, a file that exists or cannot be written.
pub fn run(path: &Path, grids: &[&Entry], kind: Kind, out: &mut dyn Write) -> anyhow::Result<()> {
    let files: Vec<(PathBuf, Kind, &Entry)> = match (Kind::of(path), grids) {
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
        let bytes = bytes(entry, *kind).with_context(|| path.display().to_string())?;
        file::save(path, &bytes, Existing::Keep).with_context(|| format!("{}: cannot be written", path.display()))?;
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

fn within<'a>(directory: &Path, grids: &[&'a Entry], kind: Kind) -> Vec<(PathBuf, Kind, &'a Entry)> {
    let name = |entry: &Entry| format!("{}-{}-{}.{}", entry.variant, entry.score(), entry.id(), kind.extension());
    grids.iter().map(|&entry| (directory.join(name(entry)), kind, entry)).collect()
}

fn bytes(entry: &Entry, kind: Kind) -> anyhow::Result<Vec<u8>> {
    let grid = entry.grid();
    referee::replay(grid.variant, &grid.moves)?;
    let text = |format| format::write(&grid, format).map(String::into_bytes);
    Ok(match kind {
        Kind::Psol => text(Format::Pentasol)?,
        Kind::Msr => text(Format::MsrCompact)?,
        Kind::Json => text(Format::MsrJson)?,
        Kind::Png => render(&grid, Picture::Png, Options::default())?,
        Kind::Svg => render(&grid, Picture::Svg, Options::default())?,
    })
}

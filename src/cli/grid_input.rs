//! What the commands for grid files share: reading a named file or standard input, writing without overwriting.

use super::streams::say;
use crate::morpion::geometry::Direction;
use crate::morpion::variant::Variant;
use crate::notation::file::{self, Existing, LoadError};
use crate::notation::format::LoadedGrid;
use crate::notation::grid::Grid;
use crate::runner::status;
use anyhow::Context;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A grid file named on the command line.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    path: &'a Path,
}

impl<'a> Input<'a> {
    /// The file at `path`; `-` is standard input.
    pub fn new(path: &'a Path) -> Input<'a> {
        Input { path }
    }

    /// Its name for messages and output.
    pub fn name(self) -> String {
        if self.path == Path::new("-") { "standard input".to_owned() } else { self.path.display().to_string() }
    }

    /// Reads it.
    ///
    /// # Errors
    /// It cannot be read, or holds no legal grid.
    pub fn load(self, variant: Option<Variant>) -> Result<LoadedGrid, LoadError> {
        file::load(self.path, variant)
    }

    /// Reads it and prints its warnings on stderr.
    ///
    /// # Errors
    /// As [`Input::load`].
    pub fn load_warned(self, variant: Option<Variant>) -> Result<LoadedGrid, LoadError> {
        let loaded = self.load(variant)?;
        for warning in &loaded.warnings {
            say!("morpion: {}: warning: {}", plain(&self.name()), plain(warning));
        }
        Ok(loaded)
    }
}

/// Whether a file is what a hunt writes about itself beside its grids.
pub fn is_status_of_hunt(path: &Path) -> bool {
    [status::PROGRESS, status::THREADS].iter().any(|name| path.file_name().is_some_and(|own| own == *name))
}

/// The files without those that a hunt writes about itself, so that `output/*.txt` are its grids; those left out are
/// named on stderr.
///
/// # Errors
/// If none is left.
pub fn without_status_files(files: &[PathBuf]) -> anyhow::Result<Vec<&Path>> {
    let (own, grids): (Vec<&Path>, Vec<&Path>) =
        files.iter().map(PathBuf::as_path).partition(|path| is_status_of_hunt(path));
    if !own.is_empty() {
        let names: Vec<String> = own.iter().map(|path| path.display().to_string()).collect();
        say!("morpion: skipped, since these are reports of a hunt: {}", plain(&names.join(", ")));
    }
    anyhow::ensure!(!grids.is_empty(), "no grid file is left");
    Ok(grids)
}

/// Writes a file; one that exists is kept unless `force` is given.
///
/// # Errors
/// The file exists, or cannot be written.
pub fn save(path: &Path, bytes: &[u8], force: bool) -> anyhow::Result<()> {
    let existing = if force { Existing::Replace } else { Existing::Keep };
    match file::save(path, bytes, existing) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            anyhow::bail!("{}: the file exists; --force overwrites it", path.display())
        }
        other => other.with_context(|| format!("{}: cannot be written", path.display())),
    }
}

/// Prints the results of a command as one JSON object of a stated version.
///
/// # Errors
/// The output cannot be written.
pub fn write_json<T: serde::Serialize>(results: &[T], out: &mut dyn Write) -> anyhow::Result<()> {
    #[derive(serde::Serialize)]
    struct Document<'a, T> {
        version: u32,
        results: &'a [T],
    }
    let document = Document { version: 1, results };
    writeln!(out, "{}", serde_json::to_string_pretty(&document)?)?;
    Ok(())
}

/// The grid cut to its first `count` moves, as `flag` asks; its description tells of whose.
///
/// # Errors
/// It has fewer moves.
pub fn first_moves(input: Input, mut grid: Grid, flag: &str, count: usize) -> anyhow::Result<Grid> {
    let moves = counted(grid.score(), "move");
    let Some(start) = grid.prefix(count) else {
        anyhow::bail!("{}: {flag} {count} asks for more than its {moves}", input.name());
    };
    if count < grid.score() {
        let whole = grid.provenance.description.take().unwrap_or(moves);
        grid.provenance.description = Some(format!("first {} of: {whole}", counted(count, "move")));
    }
    Ok(Grid { moves: start.moves, ..grid })
}

/// Prints how many lines a grid has in each direction, as a table of two rows.
///
/// # Errors
/// The output cannot be written.
pub fn write_directions(grid: &Grid, out: &mut dyn Write) -> std::io::Result<()> {
    let heads = Direction::ALL.map(|direction| format!("{:>4}", direction.symbol())).concat();
    let counts = grid.lines_by_direction().map(|count| format!("{count:>4}")).concat();
    writeln!(out, "direction  {heads}\nlines      {counts}")
}

/// `1 move`, `2 moves`.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Text from a file, fit for a terminal: control characters are shown as escapes.
pub fn plain(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let escaped = c.is_control().then(|| c.escape_default().to_string());
            escaped.unwrap_or_else(|| c.to_string()).chars().collect::<Vec<char>>()
        })
        .collect()
}

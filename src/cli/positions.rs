//! Positions of two-player games as the commands get them: texts, or files that hold them.

use anyhow::{Context, anyhow, bail};
use std::path::Path;

/// Longest file of positions, in bytes.
const LONGEST_FILE: u64 = 16 << 20;

/// A position to be solved.
#[derive(Debug, Clone)]
pub struct PositionToSolve<G> {
    /// What tells it from the others of its file; empty if there is one only.
    pub label: String,
    /// The position as one line of text.
    pub text: String,
    /// The position itself, read from the text.
    pub position: G,
    /// Its value for the side to move, in points, as far as the file says.
    pub known: Option<i32>,
}

/// The text of a file, if there is one with that name.
///
/// # Errors
/// A file that is too long, cannot be read, or is not text.
pub fn read_if_file(name: &str) -> anyhow::Result<Option<String>> {
    let path = Path::new(name);
    let Ok(meta) = path.metadata() else { return Ok(None) };
    if meta.len() > LONGEST_FILE {
        bail!("{name}: a file of {} bytes is too long for positions: at most {LONGEST_FILE} are read", meta.len());
    }
    let bytes = std::fs::read(path).with_context(|| format!("{name}: cannot be read"))?;
    String::from_utf8(bytes).map(Some).map_err(|_| anyhow!("{name}: is not text in UTF-8"))
}

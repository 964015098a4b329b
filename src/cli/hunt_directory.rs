//! The directory of a hunt that names none: `output`, or the next free name.

use super::streams::say;
use super::translation::t;
use crate::runner::directory::{Contents, quoted};
use crate::runner::events::BadLine;
use std::path::{Path, PathBuf};

/// The directory of a hunt that names none.
pub const OUTPUT: &str = "output";

/// Names that are tried before the last one is an error.
const MOST: u32 = 10_000;

/// The first of `output`, `output-2`, `output-3`, ... that a hunt can begin in, and what to tell the user if it is
/// not the first one.
///
/// # Errors
/// If one of them cannot be read.
pub fn next_free() -> anyhow::Result<(PathBuf, Option<String>)> {
    let mut notice = None;
    let mut path = PathBuf::from(OUTPUT);
    for number in 2..MOST {
        let taken = match Contents::of(&path)? {
            Contents::Nothing => break,
            Contents::Hunt => {
                let command = format!("morpion resume {}", quoted(Path::new(OUTPUT)));
                t!("{0} holds a hunt (resume it with `{1}`)", OUTPUT, command)
            }
            Contents::Others(file) => t!("{0} holds {1}", OUTPUT, file),
        };
        path = PathBuf::from(format!("{OUTPUT}-{number}"));
        notice.get_or_insert(taken);
    }
    let notice = notice.map(|taken| t!("{0}: this hunt goes to {1}", taken, path.display()));
    Ok((path, notice))
}

/// Says which lines of a hunt's log are left out of what is shown.
pub fn warn_of(bad: &[BadLine]) {
    const MOST: usize = 3;
    for line in bad.iter().take(MOST) {
        say!("morpion: warning: {line}; the line is left out");
    }
    if bad.len() > MOST {
        say!("morpion: warning: {} more lines are left out", bad.len() - MOST);
    }
}

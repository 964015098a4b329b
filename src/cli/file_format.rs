//! Formats of files that grids are written to, as flags and names of files say them: one list for all commands.

use crate::morpion::referee;
use crate::notation::format::{self, GridFormat};
use crate::notation::grid::Grid;
use crate::render::grid::{GridPictureOptions, PictureFormat, render};
use std::path::Path;

/// A format of grid files or pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum FileFormat {
    /// Pentasol text: what .txt and .psol files hold
    #[value(aliases = ["pentasol", "txt"])]
    Psol,
    /// MSR in its compact form
    Msr,
    /// MSR as a JSON document
    Json,
    /// Picture as a bitmap
    Png,
    /// Picture as vectors
    Svg,
}

impl FileFormat {
    /// The format that the name of a file says.
    pub fn of_path(path: &Path) -> Option<FileFormat> {
        let extension = path.extension()?.to_str()?;
        match (PictureFormat::from_extension(extension), GridFormat::from_extension(extension)) {
            (Some(PictureFormat::Png), _) => Some(FileFormat::Png),
            (Some(PictureFormat::Svg), _) => Some(FileFormat::Svg),
            (_, Some(GridFormat::Pentasol)) => Some(FileFormat::Psol),
            (_, Some(GridFormat::MsrCompact)) => Some(FileFormat::Msr),
            (_, Some(GridFormat::MsrJson)) => Some(FileFormat::Json),
            (None, None) => None,
        }
    }

    /// The end of the name of such a file, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            FileFormat::Psol => "psol",
            FileFormat::Msr => "msr",
            FileFormat::Json => "json",
            FileFormat::Png => "png",
            FileFormat::Svg => "svg",
        }
    }

    /// The grid as the content of such a file.
    ///
    /// # Errors
    /// If the referee refuses the grid, it cannot be drawn, or the format does not hold grids from its start.
    pub fn write(self, grid: &Grid) -> anyhow::Result<Vec<u8>> {
        referee::replay_from(&grid.start, grid.variant, &grid.moves)?;
        let text = |format| format::write(grid, format).map(String::into_bytes);
        Ok(match self {
            FileFormat::Psol => text(GridFormat::Pentasol)?,
            FileFormat::Msr => text(GridFormat::MsrCompact)?,
            FileFormat::Json => text(GridFormat::MsrJson)?,
            FileFormat::Png => render(grid, PictureFormat::Png, GridPictureOptions::default())?,
            FileFormat::Svg => render(grid, PictureFormat::Svg, GridPictureOptions::default())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn every_name_of_a_format_is_taken_as_a_flag_and_as_an_extension() {
        for (name, format) in [
            ("psol", FileFormat::Psol),
            ("pentasol", FileFormat::Psol),
            ("txt", FileFormat::Psol),
            ("msr", FileFormat::Msr),
            ("json", FileFormat::Json),
            ("png", FileFormat::Png),
            ("svg", FileFormat::Svg),
        ] {
            assert_eq!(FileFormat::from_str(name, false), Ok(format), "{name}");
            assert_eq!(FileFormat::of_path(Path::new(&format!("a.{name}"))), Some(format), "{name}");
        }
        for format in FileFormat::value_variants() {
            assert_eq!(FileFormat::from_str(format.extension(), false), Ok(*format));
        }
        assert_eq!(FileFormat::of_path(Path::new("a.gif")), None);
    }
}

//! The flags of commands that draw charts, and how they write them.

use super::grid_input::save;
use crate::render::pen::{PictureFormat, RenderError, SIZES};
use anyhow::bail;
use std::path::Path;

/// How large the picture at --output is, and whether it may take the place of another one.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct PictureFlags {
    /// Width of the picture in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 1400, requires = "output",
        value_parser = clap::value_parser!(u32).range(i64::from(*SIZES.start())..=i64::from(*SIZES.end())))]
    size: u32,
    /// Overwrite a picture that exists
    #[arg(long, requires = "output")]
    force: bool,
}

impl PictureFlags {
    /// The picture at a path.
    ///
    /// # Errors
    /// As for [`PictureFile::new`].
    pub fn at(self, path: &Path) -> anyhow::Result<PictureFile<'_>> {
        PictureFile::new(path, self.size, self.force)
    }
}

/// A picture that is to be written.
pub struct PictureFile<'a> {
    path: &'a Path,
    format: PictureFormat,
    size: u32,
    force: bool,
}

impl<'a> PictureFile<'a> {
    /// A picture so many pixels wide, checked before the work for it begins.
    ///
    /// # Errors
    /// The name does not end in .png or .svg, or there is such a file and `force` is not given.
    pub fn new(path: &'a Path, size: u32, force: bool) -> anyhow::Result<PictureFile<'a>> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        let Some(format) = PictureFormat::from_extension(extension) else {
            bail!("{}: which format? the name must end in .png or .svg", path.display());
        };
        if !force && path.exists() {
            bail!("{}: the file exists; --force overwrites it", path.display());
        }
        Ok(PictureFile { path, format, size, force })
    }

    /// Draws and writes it.
    ///
    /// # Errors
    /// If it cannot be drawn or written.
    pub fn write(&self, draw: impl FnOnce(PictureFormat, u32) -> Result<Vec<u8>, RenderError>) -> anyhow::Result<()> {
        save(self.path, &draw(self.format, self.size)?, self.force)
    }
}

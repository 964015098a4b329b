//! `morpion render`: pictures of grids.

use super::streams::say;
use crate::cli::grid_input::{self, Input};
use crate::cli::values::Colours;
use crate::morpion::variant::Variant;
use crate::notation::format::GridFormat;
use crate::render::grid::{GridPictureOptions, PictureFormat, SIZES, render};
use anyhow::{Context, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Draw a grid, or all grids of a directory, as PNG or SVG.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Grid file, or a directory whose grid files are all drawn (but not those in directories below it); - is
    /// standard input
    input: PathBuf,
    /// Picture to write, .png or .svg; for a directory, the directory to write to, made if it does not exist
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Longer side of the picture in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = GridPictureOptions::default().size,
        value_parser = clap::value_parser!(u32).range(i64::from(*SIZES.start())..=i64::from(*SIZES.end())))]
    size: u32,
    /// Colours of the picture
    #[arg(long, value_enum, default_value_t = Colours::Light)]
    theme: Colours,
    /// Format of the pictures of a directory
    #[arg(long, value_enum, default_value_t = Extension::Png)]
    format: Extension,
    /// Read the input by the rules of this variant, whatever the file says
    #[arg(long, value_name = "5T|5D|4T|4D")]
    variant: Option<Variant>,
    /// Overwrite pictures that exist
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Extension {
    /// Bitmap of pixels
    Png,
    /// Vectors, sharp at any size
    Svg,
}

/// Runs the command. Of a directory, files without a legal grid are reported on stderr and make the exit status 2.
///
/// # Errors
/// The input is no legal grid, or a picture exists or cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let options = GridPictureOptions { size: args.size, theme: args.theme.into() };
    if args.input.is_dir() {
        return directory(&args, options, out);
    }
    let extension = args.output.extension().and_then(|e| e.to_str()).unwrap_or("");
    let Some(picture) = PictureFormat::from_extension(extension) else {
        bail!("{}: which format? the name must end in .png or .svg", args.output.display());
    };
    draw(&args, &args.input, &args.output, picture, options)?;
    Ok(ExitCode::SUCCESS)
}

fn draw(
    args: &Args,
    input: &Path,
    output: &Path,
    picture: PictureFormat,
    options: GridPictureOptions,
) -> anyhow::Result<()> {
    let grid = Input::new(input).load_warned(args.variant)?.grid;
    let bytes = render(&grid, picture, options)?;
    grid_input::save(output, &bytes, args.force)
}

fn directory(args: &Args, options: GridPictureOptions, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let picture = match args.format {
        Extension::Png => PictureFormat::Png,
        Extension::Svg => PictureFormat::Svg,
    };
    let named = || format!("{}: cannot be read", args.input.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&args.input).with_context(named)? {
        let path = entry.with_context(named)?.path();
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        if path.is_file() && GridFormat::from_extension(extension).is_some() {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        bail!("{}: no grid file (.txt, .psol, .msr, .json) is in it", args.input.display());
    }
    let files = grid_input::without_status_files(&files)?;
    if args.output.exists() && !args.output.is_dir() {
        bail!("{}: a directory is expected, as the input is one", args.output.display());
    }
    std::fs::create_dir_all(&args.output).with_context(|| format!("{}: cannot be made", args.output.display()))?;
    let mut failed = 0;
    let mut written: Vec<PathBuf> = Vec::new();
    for file in files {
        let stem = file.file_stem().unwrap_or_default();
        let mut output = args.output.join(stem);
        output.as_mut_os_string().push(format!(".{}", picture.extension()));
        let drawn = if written.contains(&output) {
            Err(anyhow::anyhow!("{}: its picture would be another one's, {}", file.display(), output.display()))
        } else {
            draw(args, file, &output, picture, options)
        };
        match drawn {
            Ok(()) => {
                writeln!(out, "{}", output.display())?;
                written.push(output);
            }
            Err(error) => {
                say!("morpion: {error:#}");
                failed += 1;
            }
        }
    }
    if failed > 0 {
        say!("morpion: {} drawn, {failed} not", written.len());
    }
    Ok(ExitCode::from(if failed > 0 { 2 } else { 0 }))
}

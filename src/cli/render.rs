//! `morpion render`: pictures of grids.

use super::streams::{data_are_seen, say};
use crate::cli::grid_input::{self, Input};
use crate::cli::values::Colours;
use crate::morpion::symmetry::{GridSymmetry, Symmetry};
use crate::morpion::variant::Variant;
use crate::notation::format::GridFormat;
use crate::notation::grid::Grid;
use crate::notation::identify::best_orientation;
use crate::render::grid::{DrawnGrid, GridPictureOptions, PictureFormat, SIZES, render_pair, render_view};
use anyhow::{Context, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Draw a grid, two grids side by side, or all grids of a directory, as PNG or SVG.
///
/// A grid is first cut (--at), then turned (--rotate), then flipped (--flip). All three are done to both grids of a
/// pair.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Grid file, or a directory whose grid files are all drawn (but not those in directories below it); - is
    /// standard input
    input: PathBuf,
    /// Picture to write, .png or .svg; - is standard output, in the format given by --format; for a directory, the
    /// directory to write to, made if it does not exist
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Longer side of the picture in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = GridPictureOptions::default().size,
        value_parser = clap::value_parser!(u32).range(i64::from(*SIZES.start())..=i64::from(*SIZES.end())))]
    size: u32,
    /// Colours of the picture
    #[arg(long, value_enum, default_value_t = Colours::Light)]
    theme: Colours,
    /// Format of standard output, and of the pictures of a directory
    #[arg(long, value_enum, default_value_t = Extension::Png)]
    format: Extension,
    /// Draw the position after K moves, with the legal moves as candidates
    #[arg(long, value_name = "K")]
    at: Option<usize>,
    /// Turn the grid clockwise by so many degrees
    #[arg(long, value_name = "DEGREES", value_enum)]
    rotate: Option<Rotation>,
    /// Flip the grid
    #[arg(long, value_enum)]
    flip: Option<Flip>,
    /// Draw a second grid beside the first one. If they have half of their lines in common, the others are broader
    #[arg(long, value_name = "FILE2")]
    beside: Option<PathBuf>,
    /// Turn the second grid so that it has most lines in common with the first one
    #[arg(long, requires = "beside")]
    fit: bool,
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

/// A turn, clockwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Rotation {
    /// A quarter of a turn
    #[value(name = "90")]
    Quarter,
    /// Half a turn
    #[value(name = "180")]
    Half,
    /// Three quarters of a turn
    #[value(name = "270")]
    ThreeQuarters,
}

/// A mirror image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Flip {
    /// Left and right change places
    LeftRight,
    /// Top and bottom change places
    TopBottom,
}

impl From<Extension> for PictureFormat {
    fn from(extension: Extension) -> PictureFormat {
        match extension {
            Extension::Png => PictureFormat::Png,
            Extension::Svg => PictureFormat::Svg,
        }
    }
}

impl Args {
    /// The symmetry that is asked for.
    fn symmetry(&self) -> Symmetry {
        let turn = self.rotate.map_or(0, |rotation| 1 + rotation as u32);
        let flip = self.flip.map_or(Symmetry::IDENTITY, |flip| match flip {
            Flip::LeftRight => GridSymmetry::Vertical.symmetry(),
            Flip::TopBottom => GridSymmetry::Horizontal.symmetry(),
        });
        Symmetry::turn(turn).then(flip)
    }

    /// The grid in a file, as it is to be drawn.
    fn view(&self, path: &Path) -> anyhow::Result<DrawnGrid> {
        let input = Input::new(path);
        let grid = input.load_warned(self.variant)?.grid;
        let whole = grid.score();
        let grid = match self.at {
            Some(count) => grid_input::first_moves(input, grid, "--at", count)?,
            None => grid,
        };
        let turned = grid.image(self.symmetry());
        let grid = turned.with_context(|| format!("{}: turned, it leaves the playing area", input.name()))?;
        Ok(DrawnGrid { grid, whole, candidates: self.at.is_some() })
    }

    /// The second grid, turned to fit the first one if that is asked for.
    fn beside(&self, first: &Grid, path: &Path) -> anyhow::Result<DrawnGrid> {
        let mut second = self.view(path)?;
        if self.fit {
            let fitted = best_orientation(first, &second.grid);
            let name = Input::new(path).name();
            second.grid.moves =
                fitted.with_context(|| format!("{name}: it cannot be turned to fit the first grid"))?.moves;
        }
        Ok(second)
    }
}

/// Runs the command. Of a directory, files without a legal grid are reported on stderr and make the exit status 2.
///
/// # Errors
/// The input is no legal grid, or a picture exists or cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let options = GridPictureOptions { size: args.size, theme: args.theme.into() };
    let pipe = Path::new("-");
    if let Some(beside) = args.beside.as_ref().filter(|beside| beside.is_dir() || args.input.is_dir()) {
        bail!("--beside {}: two files are expected, not directories", beside.display());
    }
    if args.input.is_dir() {
        return directory(&args, options, out);
    }
    if args.input == pipe && args.beside.as_deref() == Some(pipe) {
        bail!("--beside: only one of the two grids can be read from standard input");
    }
    let extension = args.output.extension().and_then(|e| e.to_str()).unwrap_or("");
    let picture = match PictureFormat::from_extension(extension) {
        _ if args.output == pipe => args.format.into(),
        Some(picture) => picture,
        None => bail!("{}: which format? the name must end in .png or .svg", args.output.display()),
    };
    if args.output == pipe && picture == PictureFormat::Png && data_are_seen() {
        bail!("a PNG picture is nothing for a terminal: redirect the output, name a file, or give --format svg");
    }
    let first = args.view(&args.input)?;
    let bytes = match &args.beside {
        Some(path) => render_pair([&first, &args.beside(&first.grid, path)?], picture, options)?,
        None => render_view(&first, picture, options)?,
    };
    if args.output == pipe {
        out.write_all(&bytes).context("standard output")?;
    } else {
        grid_input::save(&args.output, &bytes, args.force)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn directory(args: &Args, options: GridPictureOptions, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let picture = PictureFormat::from(args.format);
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
    if args.output == Path::new("-") {
        bail!("the pictures of a directory cannot go to standard output: name a directory");
    }
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
            let drawn = args.view(file).and_then(|view| Ok(render_view(&view, picture, options)?));
            drawn.and_then(|bytes| grid_input::save(&output, &bytes, args.force))
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

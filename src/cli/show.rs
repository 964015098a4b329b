//! `morpion show`: the numbered board in the terminal.

use crate::cli::grid_input::{self, Input, counted, plain};
use crate::cli::streams::{data_are_seen, no_colours};
use crate::morpion::geometry::Point;
use crate::morpion::symmetry;
use crate::morpion::variant::Variant;
use crate::notation::grid::{BoundingBox, Grid};
use crate::render::characters::{AGES, age};
use ahash::AHashMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Width that a board is made to fit, in characters, if it can be.
const WIDTH: usize = 80;

/// Show a grid in the terminal.
///
/// The letter o is a point of the start, usually the cross, a number is the move that set the point, and + is a point
/// that a legal move would set. Columns and rows are numbered as in Pentasol files.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Grid file (Pentasol text, MSR); - is standard input
    file: PathBuf,
    /// Show the board after this many moves
    #[arg(long, value_name = "K")]
    at: Option<usize>,
    /// Read the file by the rules of this variant, whatever the file says
    #[arg(long, value_name = "5T|5D|4T|4D")]
    variant: Option<Variant>,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    color: Colour,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Colour {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always, also into files and pipes
    Always,
    /// Never, not even on a terminal
    Never,
}

/// Runs the command.
///
/// # Errors
/// The file holds no legal grid, or has fewer moves than `--at` asks for.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let input = Input::new(&args.file);
    let whole = input.load_warned(args.variant)?.grid;
    let total = whole.score();
    let Some(grid) = whole.prefix(args.at.unwrap_or(total)) else {
        let (asked, moves) = (args.at.unwrap_or(0), counted(total, "move"));
        anyhow::bail!("{}: --at {asked} asks for more than its {moves}", input.name());
    };
    let colours = match args.color {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => data_are_seen() && !no_colours(),
    };
    let open: Vec<Point> = grid.legal_moves().iter().map(|mv| mv.point()).collect();
    let left = grid.moves_left().unwrap_or(0);
    let progress = if grid.score() < total { format!(" of {total}") } else { String::new() };
    let end = if left == 0 { "finished".to_owned() } else { format!("{} left", counted(left, "legal move")) };
    let symmetric = symmetry::in_words(&grid.symmetries());
    writeln!(out, "{}, {}{progress}, {end}{symmetric}", grid.category(), counted(grid.score(), "move"))?;
    let p = &grid.provenance;
    for text in
        [p.description.as_ref().or(p.author.as_ref()), p.method.as_ref(), p.source.as_ref()].into_iter().flatten()
    {
        writeln!(out, "{}", plain(text))?;
    }
    writeln!(out)?;
    board(&grid, &open, colours, out)?;
    writeln!(out)?;
    grid_input::write_directions(&grid, out)?;
    Ok(ExitCode::SUCCESS)
}

/// What stands on a point.
enum BoardCell {
    Cross,
    Move(usize),
    Open,
}

fn board(grid: &Grid, open: &[Point], colours: bool, out: &mut dyn Write) -> std::io::Result<()> {
    let mut cells: AHashMap<Point, BoardCell> = open.iter().map(|&point| (point, BoardCell::Open)).collect();
    cells.extend(grid.start.points(grid.variant).into_iter().map(|point| (point, BoardCell::Cross)));
    cells.extend(grid.moves.iter().enumerate().map(|(i, mv)| (mv.point(), BoardCell::Move(i + 1))));
    let bounds = BoundingBox::around(cells.keys().copied());
    let (widths, margin) = layout(bounds, &cells);
    let paint = |text: String, style: &str| {
        if colours && !style.is_empty() { format!("\x1b[{style}m{text}\x1b[0m") } else { text }
    };
    let heading: String = (bounds.left..).zip(&widths).map(|(x, &width)| format!("{x:>width$}")).collect();
    if margin > 0 {
        writeln!(out, "{}", paint(format!("{:margin$}{heading}", ""), "2"))?;
    }
    for y in bounds.top..=bounds.bottom {
        if margin > 0 {
            write!(out, "{}", paint(format!("{y:>margin$}"), "2"))?;
        }
        let mut line = String::new();
        for (x, &width) in (bounds.left..).zip(&widths) {
            let cell = Point::new(x, y).and_then(|point| cells.get(&point));
            let (text, style) = match cell {
                None => (".".to_owned(), "2"),
                Some(BoardCell::Cross) => ("o".to_owned(), "1"),
                Some(BoardCell::Open) => ("+".to_owned(), "1;36"),
                Some(BoardCell::Move(n)) if *n == grid.score() => (n.to_string(), "1;7"),
                Some(BoardCell::Move(n)) => (n.to_string(), shade(*n, grid.score())),
            };
            line += &" ".repeat(width.saturating_sub(text.len()));
            line += &paint(text, style);
        }
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Colour of a move's number by its age.
fn shade(number: usize, of: usize) -> &'static str {
    const SHADES: [&str; AGES] = ["94", "32", "33", "31"];
    SHADES[age(number, of)]
}

/// Widths of the columns and of the row numbers: the same for all columns if they fit, else each as narrow as it can
/// be, and without row numbers if need be.
fn layout(bounds: BoundingBox, cells: &AHashMap<Point, BoardCell>) -> (Vec<usize>, usize) {
    let length = |cell: &BoardCell| match cell {
        BoardCell::Move(n) => n.to_string().len(),
        BoardCell::Cross | BoardCell::Open => 1,
    };
    let column = |x: i32| cells.iter().filter(|(p, _)| p.x() == x).map(|(_, c)| length(c)).max().unwrap_or(1);
    let longest: Vec<usize> = (bounds.left..=bounds.right).map(column).collect();
    let even = 1 + longest.iter().copied().max().unwrap_or(1).max(2);
    let margin = 2;
    if margin + even * longest.len() <= WIDTH {
        return (vec![even; longest.len()], margin);
    }
    let numbered: Vec<usize> = longest.iter().map(|&n| 1 + n.max(2)).collect();
    if margin + numbered.iter().sum::<usize>() <= WIDTH {
        return (numbered, margin);
    }
    (longest.iter().map(|&n| 1 + n).collect(), 0)
}

//! The lines in which two grids differ, the second turned so that they have most in common.

use crate::cli::grid_input::{Input, counted, plain};
use crate::morpion::geometry::Line;
use crate::morpion::variant::Variant;
use crate::notation::catalogue::Catalogue;
use crate::notation::grid::Grid;
use crate::notation::identify::{Orientation, best_orientation};
use crate::notation::pentasol::{self, Effort};
use ahash::AHashSet;
use anyhow::{Context, ensure};
use std::io::Write;
use std::path::Path;

#[derive(serde::Serialize)]
struct GridComparison {
    version: u32,
    variants: [Variant; 2],
    scores: [usize; 2],
    common_lines: usize,
    /// How B was turned, as an index of the 8 symmetries.
    symmetry: usize,
    only_a: Vec<Numbered>,
    only_b: Vec<Numbered>,
}

/// A move that the other grid has no line of.
#[derive(serde::Serialize)]
struct Numbered {
    /// Its number in its game, from 1.
    number: usize,
    /// As grid files write it, in A's orientation.
    #[serde(rename = "move")]
    text: String,
}

/// Compares two grids, each an id, a file or a known record; `of_id` finds the grid of an id.
///
/// # Errors
/// A name that stands for no grid, grids with lines of different lengths, a closed output.
pub fn run(
    names: [&str; 2],
    of_id: &dyn Fn(&str) -> anyhow::Result<Grid>,
    catalogue: &Catalogue,
    json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let [a, b] = [find(names[0], of_id, catalogue)?, find(names[1], of_id, catalogue)?];
    ensure!(
        a.start.is_cross() && b.start.is_cross(),
        "only grids from the cross can be compared: {} begins with {}, {} with {}",
        names[0],
        a.start.name(),
        names[1],
        b.start.name()
    );
    ensure!(
        a.variant.line_len() == b.variant.line_len(),
        "{} has lines of {} points, {} has lines of {}: they have nothing in common",
        names[0],
        a.variant.line_len(),
        names[1],
        b.variant.line_len()
    );
    let of_a: AHashSet<Line> = a.moves.iter().map(|mv| mv.line()).collect();
    let Orientation { common: common_lines, symmetry, moves } =
        best_orientation(&a, &b).context("no orientation of the second grid lies in the playing area")?;
    let b = Grid { moves, ..b };
    let of_b: AHashSet<Line> = b.moves.iter().map(|mv| mv.line()).collect();
    let report = GridComparison {
        version: 1,
        variants: [a.variant, b.variant],
        scores: [a.score(), b.score()],
        common_lines,
        symmetry,
        only_a: without(&a, &of_b),
        only_b: without(&b, &of_a),
    };
    if json {
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
        return Ok(());
    }
    for (letter, name, grid) in [("A", names[0], &a), ("B", names[1], &b)] {
        writeln!(out, "{letter}  {}, {}, {}", plain(name), grid.variant, counted(grid.score(), "move"))?;
    }
    writeln!(
        out,
        "{} in common, whatever the order{}",
        counted(common_lines, "line"),
        match symmetry {
            0 => "",
            _ => "; B is turned to fit A",
        }
    )?;
    for (letter, only) in [("A", &report.only_a), ("B", &report.only_b)] {
        if !only.is_empty() {
            writeln!(out, "\nonly in {letter}, {}:", counted(only.len(), "line"))?;
        }
        for Numbered { number, text } in only {
            writeln!(out, "  move {number:>3}  {text}")?;
        }
    }
    Ok(())
}

/// The grid that a name stands for: a file, a known record by its file's name or its own, or an id.
fn find(name: &str, of_id: &dyn Fn(&str) -> anyhow::Result<Grid>, catalogue: &Catalogue) -> anyhow::Result<Grid> {
    let path = Path::new(name);
    if path.is_file() {
        return Ok(Input::new(path).load_warned(None)?.grid);
    }
    if let Some(known) = catalogue.records().find(|known| known.is_called(name)) {
        return Ok(known.grid.clone());
    }
    of_id(name).with_context(|| format!("{name} is neither a file nor a known record"))
}

/// The moves of a grid whose lines are not among these.
fn without(grid: &Grid, lines: &AHashSet<Line>) -> Vec<Numbered> {
    let text = pentasol::write(&Grid::new(grid.variant, grid.moves.clone()), Effort::Comments);
    let written = text.lines().filter(|line| line.starts_with('(')).skip(1);
    let numbered = grid.moves.iter().zip(written).zip(1..);
    let left = numbered.filter(|((mv, _), _)| !lines.contains(&mv.line()));
    left.map(|((_, text), number)| Numbered { number, text: text.to_owned() }).collect()
}

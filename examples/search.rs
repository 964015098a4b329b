//! A search from the empty board, and a picture of what it found.
//!
//! ```text
//! cargo run --release --example search -- best.svg
//! ```

use morpion::core::ctl::KeepBest;
use morpion::morpion::variant::Variant;
use morpion::notation::grid::Grid;
use morpion::render::grid::{GridPictureOptions, PictureFormat, render};
use morpion::strategies::params::{Params, Strategy};
use morpion::strategies::{Unit, start};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "best.svg".to_owned());
    let params = Params { strategy: Strategy::Nrpa, level: Some(3), iterations: Some(50), ..Params::default() };
    let unit = Unit { prefix: Vec::new(), candidates: None, seed: 1, max_iterations: None, known_best: 0 };
    let mut search = start(Variant::T5, &params, &unit);
    let mut found = KeepBest::default();
    let end = search.run(&mut found);
    println!("{} moves after {} playouts: {end:?}", search.best(), search.iterations());
    let picture = render(&Grid::new(Variant::T5, found.best), PictureFormat::Svg, GridPictureOptions::default())?;
    std::fs::write(&path, picture)?;
    println!("wrote {path}");
    Ok(())
}

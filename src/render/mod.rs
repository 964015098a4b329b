//! Pictures, drawn with plotters: each from one drawing function for PNG and SVG. [`characters`] draws for terminals.

pub mod characters;
pub mod chart;
pub mod fonts;
pub mod grid;
pub mod layout;
pub mod pen;
pub mod plot;
pub mod raster;
pub mod theme;
pub mod timeline;

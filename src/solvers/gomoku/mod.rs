//! Solvers for Gomoku: windows with their counts ([`windows`]), exact victory by continuous fours ([`vcf`]), and the
//! engine that says who wins ([`engine`]).

pub mod engine;
pub mod vcf;
pub mod windows;

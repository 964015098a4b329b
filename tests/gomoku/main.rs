//! Gomoku: the rules, the lines that its player reads, and victories by continuous fours.

#[path = "../game_laws/mod.rs"]
mod game_laws;

mod lines;
mod rules;
mod vcf;

//! Gomoku: the rules, the lines that its player reads, victories by continuous fours, searches on several threads.

#[path = "../game_laws/mod.rs"]
mod game_laws;

mod lines;
mod rules;
mod threads;
mod vcf;

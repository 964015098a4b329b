//! Gomoku: the rules, the lines that its player reads, victories by continuous fours, proofs by threats, searches on
//! several threads.

mod lines;
mod rules;
mod threads;
mod threats;
mod vcf;

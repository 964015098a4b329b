//! Gomoku: the rules, libraries, the lines that its player reads, victories by continuous fours, proofs by threats.

mod library;
mod lines;
mod player;
mod positions;
mod rules;
mod threats;
mod vcf;

//! Gomoku: the rules, libraries, the lines that its player reads, victories by continuous fours, proofs by threats and
//! by plans, searches on several threads.

mod book;
mod hold;
mod library;
mod lines;
mod plan;
mod rules;
mod saved_plan;
mod threads;
mod threats;
mod vcf;

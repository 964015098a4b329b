//! Gomoku: the rules, the lines that its player reads, victories by continuous fours, searches on several threads.

mod lines;
mod rules;
mod threads;
mod vcf;

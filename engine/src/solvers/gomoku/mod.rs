//! Solvers for Gomoku: windows with their counts ([`windows`]), exact victory by continuous fours ([`vcf`]), proofs
//! by threats ([`threats`]) and by plans ([`plan`]), proofs that a side makes no row ([`hold`]), and the engine that
//! says who wins ([`engine`]). Beside them what plays: tables of lines ([`lines`]), the player ([`player`]) and
//! opening books ([`book`]).

pub mod book;
pub mod brain;
pub mod engine;
pub mod hold;
pub mod learning;
pub mod lines;
pub mod plan;
pub mod player;
pub mod points;
pub mod thesis;
pub mod threats;
pub mod vcf;
pub mod ways;
pub mod windows;

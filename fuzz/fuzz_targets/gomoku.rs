//! Games of Gomoku and files with positions, fed with bytes.
#![no_main]

#[path = "../bodies/gomoku.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));

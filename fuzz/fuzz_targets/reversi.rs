//! Games of Reversi and lines of OBF files, fed with bytes.
#![no_main]

#[path = "../bodies/reversi.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));

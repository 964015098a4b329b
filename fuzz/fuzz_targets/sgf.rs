//! The reader of SGF, fed with bytes.
#![no_main]

#[path = "../bodies/sgf.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));

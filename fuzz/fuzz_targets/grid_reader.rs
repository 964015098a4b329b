//! The readers of grid files, fed with bytes.
#![no_main]

#[path = "../bodies/grid_reader.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));

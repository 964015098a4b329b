//! The engine against the referee, steered by bytes.
#![no_main]

#[path = "../bodies/engine.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));

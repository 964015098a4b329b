//! The bodies of the fuzz targets (see `fuzz/`), run over a short budget of seeded random inputs: the toolchain that
//! the tests use has no libFuzzer.

use morpion::core::seed;
use rand::RngExt;

#[path = "../fuzz/bodies/engine.rs"]
mod engine;

/// Runs `body` on `inputs` random byte strings of at most `len` bytes and names the seed of one that fails.
fn feed(name: &str, inputs: u64, len: usize, body: fn(&[u8])) {
    for input in 0..inputs {
        let mut rng = seed::rng(2026, &[input]);
        let data: Vec<u8> = (0..rng.random_range(0..=len)).map(|_| rng.random()).collect();
        if std::panic::catch_unwind(|| body(&data)).is_err() {
            panic!("{name}: input {input} of seed 2026 fails: {data:?}");
        }
    }
}

#[test]
fn engine_agrees_with_the_referee() {
    feed("engine", 60, 160, engine::run);
}

//! The databases that tests of solutions use: all that the program was built with.

use morpion::jobs::tree::settings::StoreKind;
use morpion::runner::tree::store::backend;
use std::io::{Write, stderr};

/// The databases. What was not built is named, since the tests pass without it.
pub fn stores() -> Vec<StoreKind> {
    let (built, missing): (Vec<_>, Vec<_>) = StoreKind::ALL.into_iter().partition(|&kind| backend(kind).is_some());
    if !missing.is_empty() {
        // Past the capture of a test that passes.
        let _ =
            writeln!(stderr(), "not tested, since it was not built (`cargo test --features sqlite`): {missing:?}");
    }
    built
}

//! The backends of the queue, each held to the conformance suite.

mod conformance;

use morpion::queue::any::{AnyUnit, TypedQueue};
use morpion::queue::local::Local;
use std::sync::Arc;

#[test]
fn the_local_queue_conforms() {
    conformance::all(|workers, options| Box::new(Local::new(workers, options).expect("threads can be started")));
}

#[test]
fn a_queue_of_any_units_conforms() {
    conformance::all(|workers, options| {
        let local = Local::<AnyUnit>::new(workers, options).expect("threads can be started");
        Box::new(TypedQueue(Arc::new(local)))
    });
}

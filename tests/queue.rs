//! The backends of the queue, each held to the conformance suite.

mod conformance;

use morpion::queue::local::Local;

#[test]
fn the_local_queue_conforms() {
    conformance::all(|workers, options| Box::new(Local::new(workers, options).expect("threads can be started")));
}

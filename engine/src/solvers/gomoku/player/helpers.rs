//! Several threads at one search: helpers search the same position to the same depths as the leader, each with stones
//! of its own, and leave what they find in the table that all share. So that they are not all at the same place,
//! moves at which another thread is are searched last ([`crate::solvers::busy`]). The leader alone looks at the
//! clock, tells what it has found and chooses; when it ends, the helpers are stopped.

use super::node::{PlayerSearch, SharedSearch};
use crate::solvers::busy::Busy;
use crate::solvers::monitor::Monitor;
use crate::solvers::together::{HelperTask, RunTogether};

/// Most threads of a search.
pub const MOST_THREADS: usize = 256;

/// The helpers of a player's searches.
#[derive(Debug)]
pub struct Helpers {
    number: usize,
    busy: Busy,
    together: RunTogether,
}

impl Helpers {
    /// So many helpers.
    pub fn new(number: usize, together: RunTogether) -> Helpers {
        Helpers { number, busy: Busy::default(), together }
    }

    /// Which moves they and the leader are at.
    pub fn busy(&self) -> &Busy {
        &self.busy
    }
}

/// What a helper does with its search.
pub type HelperWork<'w> = &'w (dyn Fn(&mut PlayerSearch<'_, '_, '_>) + Sync);

/// Runs `lead` on this thread, and meanwhile `help` on those of the helpers, which are stopped when `lead` has ended.
pub fn with_helpers(
    helpers: Option<&Helpers>,
    shared: &SharedSearch<'_>,
    help: HelperWork<'_>,
    lead: &mut dyn FnMut(),
) {
    let Some(&Helpers { number, together, .. }) = helpers else { return lead() };
    let mut tasks: Vec<HelperTask<'_>> = Vec::new();
    for _ in 0..number {
        tasks.push(Box::new(move || {
            let (mut stones, mut time) = (shared.stones(), || 0.0);
            let mut search = PlayerSearch::new(&mut stones, shared, &mut time);
            help(&mut search);
            // Its last nodes count, too.
            let _ = search.report();
        }));
    }
    together(tasks, &mut || {
        let _stop = StopAtEnd(shared.monitor);
        lead();
    });
}

/// Stops the helpers when the leader has ended, even by a panic.
struct StopAtEnd<'m>(&'m Monitor);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

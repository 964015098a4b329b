//! Several threads at one search, by *lazy SMP* (after the chess program Stockfish): helpers search the same position
//! as the leader, each with stones of its own, and leave what they find in the table that all share. So
//! that they are not all at the same place, each helper leaves depths out. The leader alone looks at the clock, tells
//! what it has found and chooses; when it ends, the helpers are stopped.

use super::node::{PlayerSearch, SharedSearch};
use crate::solvers::monitor::Monitor;
use crate::solvers::together::{HelperTask, RunTogether};

/// Most threads of a search.
pub const MOST_THREADS: usize = 256;
/// Helpers that leave out different depths; those beyond do as the first ones.
const PATTERNS: usize = 20;

/// The helpers of a player's searches.
#[derive(Debug)]
pub struct Helpers {
    number: usize,
    together: RunTogether,
}

impl Helpers {
    /// So many helpers.
    pub fn new(number: usize, together: RunTogether) -> Helpers {
        Helpers { number, together }
    }
}

/// What a helper does with its search and with the depths that it does not leave out.
pub type HelperWork<'w> = &'w (dyn Fn(&mut PlayerSearch<'_, '_, '_>, &mut dyn Iterator<Item = u32>) + Sync);

/// Runs `lead` on this thread, and meanwhile `help` on those of the helpers, which are stopped when `lead` has ended.
pub fn with_helpers(
    helpers: Option<&Helpers>,
    shared: &SharedSearch<'_>,
    help: HelperWork<'_>,
    lead: &mut dyn FnMut(),
) {
    let Some(&Helpers { number, together }) = helpers else { return lead() };
    let mut tasks: Vec<HelperTask<'_>> = Vec::new();
    for number in 0..number {
        tasks.push(Box::new(move || {
            let (mut stones, mut time) = (shared.stones(), || 0.0);
            let mut search = PlayerSearch::new(&mut stones, shared, &mut time);
            help(&mut search, &mut (1..=shared.deepest).filter(|&depth| !leaves_out(number, depth)));
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

/// Whether a helper, counted from 0, leaves a depth out. The first two take every other depth, the next four two of
/// four, and so on; each begins elsewhere.
fn leaves_out(helper: usize, depth: u32) -> bool {
    let (mut size, mut phase) = (1, helper % PATTERNS);
    while phase >= 2 * size {
        (size, phase) = (size + 1, phase - 2 * size);
    }
    (depth as usize + phase) / size % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_leave_out_half_of_the_depths_each_other_ones() {
        let depths = |helper| (1..=24).filter(|&depth| !leaves_out(helper, depth)).collect::<Vec<u32>>();
        assert_eq!(depths(0), (1..=12).map(|n| 2 * n).collect::<Vec<_>>());
        assert_eq!(depths(1), (0..12).map(|n| 2 * n + 1).collect::<Vec<_>>());
        assert_eq!(depths(2)[..6], [1, 4, 5, 8, 9, 12]);
        for helper in 0..PATTERNS {
            assert_eq!(depths(helper).len(), 12, "{helper}");
            assert!((0..helper).all(|other| depths(other) != depths(helper)), "{helper}");
            assert_eq!(depths(helper + PATTERNS), depths(helper));
        }
    }
}

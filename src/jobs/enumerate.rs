//! Enumeration on all threads of the current rayon pool: the tree of grids is cut at a fixed depth into units,
//! which are independent of each other and of any order.

use crate::morpion::enumerate::{CountKind, EnumerationWalk, LineHashes, Subtrees};
use crate::morpion::variant::Variant;
use crate::with_rules;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Depth of the units' roots for grids: 13,247 of them in 5T, 82,008 in 4T.
const SPLIT_GRIDS: u32 = 5;
/// Depth of the units' roots for sequences: 18,992 of them in 5T, 52,352 in 4T.
const SPLIT_SEQUENCES: u32 = 3;

/// The numbers of `kind` after 0, 1, ... `depth` moves; `depth` is at most
/// [`MAX_DEPTH`](crate::morpion::enumerate::MAX_DEPTH), more is not counted. `progress` is called with the number of
/// units done and of all units, after each unit and from the thread that did it.
///
/// Runs in the rayon pool that it is called in. The result does not depend on the number of threads.
pub fn enumerate(
    variant: Variant,
    kind: CountKind,
    depth: u32,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Vec<u64> {
    let depth = depth.min(crate::morpion::enumerate::MAX_DEPTH);
    let hashes = LineHashes::new(variant);
    let cut = depth.min(match kind {
        CountKind::Grids => SPLIT_GRIDS,
        CountKind::Sequences => SPLIT_SEQUENCES,
    });
    with_rules!(variant, R => {
        let Subtrees { mut counts, roots } = EnumerationWalk::<R>::new(kind, &hashes).split(cut);
        let done = AtomicUsize::new(0);
        let below = roots
            .par_iter()
            .map_init(|| EnumerationWalk::<R>::new(kind, &hashes), |walk, root| {
                let counts = walk.count_below(root, depth - cut);
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, roots.len());
                counts
            })
            .reduce(
                || vec![0; (depth - cut) as usize + 1],
                |mut sum, counts| {
                    sum.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
                    sum
                },
            );
        counts.extend(below);
        counts
    })
}

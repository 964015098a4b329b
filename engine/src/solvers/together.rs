//! Threads for a search that starts none itself: whoever wants several of them at one search brings the way to start
//! them (`runner::parallel` has one).

/// What a further thread of a search does. It ends soon when the search has an end.
pub type HelperTask<'h> = Box<dyn FnOnce() + Send + 'h>;

/// What a search needs of the system whose threads wait for each other.
#[derive(Debug, Clone, Copy)]
pub struct ThreadMeans {
    /// Starts the threads.
    pub together: RunTogether,
    /// Lets other threads have the processor for a moment.
    pub give_way: fn(),
    /// Seconds of the clock since any moment that stays the same; nodes, if the threads are simulated.
    pub seconds: fn() -> f64,
}

/// Runs tasks, each on a thread of its own, and meanwhile the last argument on this one. It returns when all have
/// ended. Tasks for which there is no thread are left out.
pub type RunTogether = for<'h> fn(Vec<HelperTask<'h>>, &mut dyn FnMut());

//! Threads for a search that starts none itself: whoever wants several of them at one search brings the way to start
//! them (`runner::parallel` has one).

/// What a further thread of a search does. It ends soon when the search has an end.
pub type HelperTask<'h> = Box<dyn FnOnce() + Send + 'h>;

/// Runs tasks, each on a thread of its own, and meanwhile the last argument on this one. It returns when all have
/// ended. Tasks for which there is no thread are left out.
pub type RunTogether = for<'h> fn(Vec<HelperTask<'h>>, &mut dyn FnMut());

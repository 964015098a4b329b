//! How a running search talks to whoever runs it: it polls, reports improvements, and is told to stop.

/// What a search is told when it polls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Continue the search.
    Continue,
    /// Return from `run` with [`crate::core::search::End::Stopped`], leaving the state resumable.
    Stop,
}

/// The caller's side of a running search. `M` is the move type.
///
/// A search calls [`Ctl::poll`] at least every millisecond or so of work (a thousand nodes), so that a stop
/// is noticed within 100 ms, and at points where its state can be saved.
pub trait Ctl<M> {
    /// Reports `iterations` done and the `best` score (moves) so far since the unit began, in this order, and
    /// asks whether to go on.
    fn poll(&mut self, iterations: u64, best: u32) -> Signal;

    /// Called during a `run`, between two polls, when a search returns [`Signal::Continue`] and wants to offer
    /// its state: the closure yields the bytes of [`crate::core::search::Search::save`]. The caller decides
    /// whether a checkpoint is due; the default never takes one.
    fn offer_checkpoint(&mut self, _save: &mut dyn FnMut() -> Vec<u8>) {}

    /// A sequence of moves from the start position (the unit's prefix included) longer than any reported
    /// before by this unit, found after `iterations` iterations.
    fn improved(&mut self, moves: &[M], iterations: u64);

    /// Games of at least so many moves are wanted, each of them and not only new bests. A search asks once per
    /// `run`, and offers by [`Ctl::found`] what it comes upon at points that cost it little: the result of a nested
    /// call rather than each playout below it. The default wants none.
    fn keep_from(&self) -> u32 {
        u32::MAX
    }

    /// Offers a game of at least [`Ctl::keep_from`] moves from the start position that the search does not lengthen,
    /// found after `iterations` iterations; the same one may be offered many times. One that is also a new best is
    /// given to [`Ctl::improved`] too, and first.
    fn found(&mut self, _moves: &[M], _iterations: u64) {}
}

/// A control that never stops a search and keeps the best sequence: for tests and one-off calls.
#[derive(Debug, Clone)]
pub struct KeepBest<M> {
    /// The longest sequence reported.
    pub best: Vec<M>,
    /// Iterations at the last poll.
    pub iterations: u64,
    /// Stop at the first poll at or after this many iterations.
    pub limit: Option<u64>,
}

impl<M> Default for KeepBest<M> {
    fn default() -> Self {
        KeepBest { best: Vec::new(), iterations: 0, limit: None }
    }
}

impl<M: Clone> Ctl<M> for KeepBest<M> {
    fn poll(&mut self, iterations: u64, _best: u32) -> Signal {
        self.iterations = iterations;
        match self.limit {
            Some(limit) if iterations >= limit => Signal::Stop,
            _ => Signal::Continue,
        }
    }

    fn improved(&mut self, moves: &[M], _iterations: u64) {
        if moves.len() > self.best.len() || self.best.is_empty() {
            self.best = moves.to_vec();
        }
    }
}

//! Orders to a running session from other threads: stop, pause, drain, keep other limits.

use super::contract::SessionLimits;
use crate::queue::Terms;
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Asks a session to stop, from any thread or signal handler.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks; whether it had been asked before.
    pub fn ask(&self) -> bool {
        self.0.swap(true, Ordering::SeqCst)
    }

    /// Whether it has been asked.
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// An order to a session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SessionOrder {
    /// No worker computes a unit of the job until [`SessionOrder::GoOn`]; its state is saved.
    Pause,
    /// Continues after a pause.
    GoOn,
    /// Hands out no more units, and ends when those begun are done.
    Drain,
    /// Ends now; the state is saved.
    Stop,
    /// Keeps these limits from now on, and shares the workers on these terms.
    Adjust(SessionLimits, Terms),
}

/// An order on its way.
#[derive(Debug)]
pub(super) struct GivenOrder {
    pub order: SessionOrder,
    /// Told when the order has been carried out; dropped if it never will be.
    pub done: Sender<()>,
}

/// Gives orders to a session.
#[derive(Debug, Clone)]
pub struct Orders(Sender<GivenOrder>);

/// The end from which a session receives its orders.
#[derive(Debug)]
pub struct OrderReceiver(pub(super) Receiver<GivenOrder>);

/// A session has ended and takes no orders, or takes too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotDone {
    /// It has ended.
    #[error("the job has ended")]
    Ended,
    /// It has not answered in time.
    #[error("the job has not answered in time")]
    Late,
}

/// A channel for orders: the end that gives them and the end that receives them.
pub fn orders() -> (Orders, OrderReceiver) {
    let (sender, receiver) = unbounded();
    (Orders(sender), OrderReceiver(receiver))
}

impl Orders {
    /// Gives an order and waits until it has been carried out.
    ///
    /// # Errors
    /// If the session ends before, or has not carried it out within `patience`.
    pub fn give(&self, order: SessionOrder, patience: Duration) -> Result<(), NotDone> {
        let (done, answer) = bounded(1);
        self.0.send(GivenOrder { order, done }).map_err(|_| NotDone::Ended)?;
        answer.recv_timeout(patience).map_err(|error| match error {
            crossbeam_channel::RecvTimeoutError::Timeout => NotDone::Late,
            crossbeam_channel::RecvTimeoutError::Disconnected => NotDone::Ended,
        })
    }

    /// Gives an order, and returns what can be waited for: it has a message when the order has been carried out, and
    /// is disconnected if the session has ended.
    pub fn begin(&self, order: SessionOrder) -> Receiver<()> {
        let (done, answer) = bounded(1);
        // A session that has ended drops it.
        let _ = self.0.send(GivenOrder { order, done });
        answer
    }

    /// Gives an order and does not wait.
    pub fn send(&self, order: SessionOrder) {
        // A session that has ended needs none.
        let _ = self.0.send(GivenOrder { order, done: bounded(1).0 });
    }
}

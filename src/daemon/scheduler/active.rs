//! An active job as the daemon holds it: a way to give orders to its coordinator, and what the coordinator last
//! reported.

use super::memory::JobMemory;
use crate::daemon::records::JobStanding;
use crate::queue::LaneId;
use crate::runner::orders::{NotDone, OrderReceiver, Orders, SessionOrder, orders};
use crossbeam_channel::{Receiver, TryRecvError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time for which a call waits until a coordinator has carried out an order. After that the order stands, and the
/// answer says that it is still to be carried out.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// An active job.
pub struct ActiveJob {
    orders: Orders,
    pub live: Arc<Mutex<LiveJob>>,
    /// The last order to pause: it is carried out when this has a message or is disconnected.
    pausing: Option<Receiver<()>>,
    /// What it takes.
    pub memory: Arc<JobMemory>,
    /// Why it is quarantined when its coordinator ends, if it takes more memory than all jobs may.
    pub too_large: Option<String>,
}

/// What a coordinator last reported.
#[derive(Debug, Default)]
pub struct LiveJob {
    /// The job's lane in the queue.
    pub lane: Option<LaneId>,
    /// The figures of the job.
    pub standing: Option<JobStanding>,
    /// Numbers of failed attempts at units that are not finished.
    pub failures: BTreeMap<u64, u32>,
}

impl ActiveJob {
    /// An active job, and where its coordinator receives orders.
    pub fn new() -> (ActiveJob, OrderReceiver) {
        let (orders, ordered) = orders();
        let (live, memory) = Default::default();
        (ActiveJob { orders, live, pausing: None, memory, too_large: None }, ordered)
    }

    /// What the coordinator last reported.
    pub fn live(&self) -> MutexGuard<'_, LiveJob> {
        lock_live(&self.live)
    }

    /// Orders the coordinator to end now, with everything saved.
    pub fn stop(&self) {
        self.orders.send(SessionOrder::Stop);
    }

    /// Orders the coordinator to end when the running units are finished.
    pub fn drain(&self) {
        self.orders.send(SessionOrder::Drain);
    }

    /// Orders the coordinator to pause; returns what to wait for.
    pub fn pause(&mut self) -> Receiver<()> {
        self.pausing.insert(self.orders.begin(SessionOrder::Pause)).clone()
    }

    /// The order to pause has been carried out.
    pub fn has_paused(&mut self) {
        self.pausing = None;
    }

    /// Whether it was ordered to pause, and has not yet.
    pub fn is_pausing(&self) -> bool {
        self.pausing.as_ref().is_some_and(|done| done.try_recv() == Err(TryRecvError::Empty))
    }

    /// A way to give orders while the daemon is not locked.
    pub fn orders(&self) -> Orders {
        self.orders.clone()
    }
}

/// Locks what a coordinator last reported.
pub fn lock_live(live: &Mutex<LiveJob>) -> MutexGuard<'_, LiveJob> {
    live.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives an order and waits until it is carried out.
///
/// # Errors
/// If the coordinator has ended, or does not answer in time.
pub fn give(orders: &Orders, order: SessionOrder) -> Result<(), NotDone> {
    orders.give(order, PATIENCE)
}

//! Units of several kinds in one queue: hunts and solutions share the daemon's workers, and a further kind of job
//! needs no change here.
//!
//! [`AnyUnit`] hides the type of a unit. [`TypedQueue`] is a queue of such units as a coordinator sees it that knows
//! its own kind only. What a unit keeps in memory, its reports and its outcome are boxed, which costs some hundred
//! nanoseconds per unit and report.

use super::copies::UnitCopy;
use super::{
    Activity, Closed, Inbox, LaneId, Lease, Message, Portable, Queue, Stop, Terms, Unit, Unpacked, WorkerState,
};
use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// What only its own kind knows.
type Hidden = Box<dyn Any + Send>;

/// A unit of whatever kind.
pub struct AnyUnit(Box<dyn Erased>);

impl AnyUnit {
    /// Hides a unit.
    pub fn new<U: Unit>(unit: U) -> AnyUnit {
        AnyUnit(Box::new(Hiding(unit)))
    }
}

impl Clone for AnyUnit {
    fn clone(&self) -> AnyUnit {
        AnyUnit(self.0.again())
    }
}

impl fmt::Debug for AnyUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyUnit").finish_non_exhaustive()
    }
}

impl Unit for AnyUnit {
    type Running = Hidden;
    type Report = Hidden;
    type Outcome = Hidden;

    fn begin(&self, attempt: u32) -> Result<Hidden, String> {
        self.0.begin(attempt)
    }

    fn run(&self, running: &mut Hidden, lease: &dyn Lease<Hidden>) -> Option<Hidden> {
        self.0.run(running.as_mut(), lease)
    }

    fn portable(&self) -> Option<&dyn Portable<Hidden, Hidden>> {
        self.0.portable()
    }
}

/// A unit without its types.
trait Erased: Send + Sync {
    fn again(&self) -> Box<dyn Erased>;
    fn begin(&self, attempt: u32) -> Result<Hidden, String>;
    fn run(&self, running: &mut (dyn Any + Send), lease: &dyn Lease<Hidden>) -> Option<Hidden>;
    fn portable(&self) -> Option<&dyn Portable<Hidden, Hidden>>;
}

/// A unit whose types are hidden by its methods.
struct Hiding<U>(U);

impl<U: Unit> Erased for Hiding<U> {
    fn again(&self) -> Box<dyn Erased> {
        Box::new(Hiding(self.0.clone()))
    }

    fn begin(&self, attempt: u32) -> Result<Hidden, String> {
        Ok(Box::new(self.0.begin(attempt)?))
    }

    fn run(&self, running: &mut (dyn Any + Send), lease: &dyn Lease<Hidden>) -> Option<Hidden> {
        let running = running.downcast_mut().expect("a unit goes on with what it has begun itself");
        Some(Box::new(self.0.run(running, &Boxing(lease))?))
    }

    fn portable(&self) -> Option<&dyn Portable<Hidden, Hidden>> {
        self.0.portable().map(|_| self as _)
    }
}

impl<U: Unit> Hiding<U> {
    fn shown(&self) -> &dyn Portable<U::Report, U::Outcome> {
        self.0.portable().expect("only a portable unit is asked")
    }
}

/// What a unit's own methods return, which are the only ones to be given it.
fn own<T: 'static>(hidden: Hidden) -> T {
    *hidden.downcast().expect("a unit is given what is its own")
}

impl<U: Unit> Portable<Hidden, Hidden> for Hiding<U> {
    fn pack(&self, attempt: u32) -> Vec<u8> {
        self.shown().pack(attempt)
    }

    fn ability(&self) -> Option<&'static str> {
        self.shown().ability()
    }

    fn copy(&self) -> Option<&UnitCopy> {
        self.shown().copy()
    }

    fn unpack(&self, worker: u32, message: &[u8]) -> Result<Unpacked<Hidden, Hidden>, String> {
        Ok(match self.shown().unpack(worker, message)? {
            Unpacked::Report(report) => Unpacked::Report(Box::new(report)),
            Unpacked::Outcome(outcome) => Unpacked::Outcome(Box::new(outcome)),
            Unpacked::Noted => Unpacked::Noted,
            Unpacked::Advanced => Unpacked::Advanced,
        })
    }

    fn order(&self) -> Option<Vec<u8>> {
        self.shown().order()
    }

    fn given_back(&self) {
        self.shown().given_back();
    }

    fn continues(&self) -> bool {
        self.shown().continues()
    }

    fn pack_report(&self, report: Hidden) -> Vec<u8> {
        self.shown().pack_report(own(report))
    }

    fn pack_outcome(&self, outcome: Hidden) -> Vec<u8> {
        self.shown().pack_outcome(own(outcome))
    }

    fn news(&self) -> Vec<Vec<u8>> {
        self.shown().news()
    }

    fn fraction(&self) -> Option<f64> {
        self.shown().fraction()
    }

    fn cancelled(&self) -> Option<Hidden> {
        self.shown().cancelled().map(|outcome| Box::new(outcome) as Hidden)
    }

    fn agree(&self, one: &[u8], other: &[u8]) -> bool {
        self.shown().agree(one, other)
    }

    fn obey(&self, order: &[u8]) -> Result<(), String> {
        self.shown().obey(order)
    }
}

/// A hold on a unit whose reports are hidden.
struct Boxing<'a>(&'a dyn Lease<Hidden>);

impl<R: Send + 'static> Lease<R> for Boxing<'_> {
    fn worker(&self) -> u32 {
        self.0.worker()
    }

    fn stop(&self) -> Option<Stop> {
        self.0.stop()
    }

    fn report(&self, report: R) {
        self.0.report(Box::new(report));
    }
}

/// A message to a lane that holds units of one kind only.
fn shown<U: Unit>(message: Message<AnyUnit>) -> Option<Message<U>> {
    fn shown<T: 'static>(hidden: Hidden) -> Option<T> {
        hidden.downcast().ok().map(|own| *own)
    }
    Some(match message {
        Message::Report { unit, report } => Message::Report { unit, report: shown(report)? },
        Message::Done { unit, worker, outcome, efforts } => {
            Message::Done { unit, worker, outcome: shown(outcome)?, efforts }
        }
        Message::Failed { unit, attempts, error, quarantined } => {
            Message::Failed { unit, attempts, error, quarantined }
        }
    })
}

/// A queue of any units, for coordinators of one kind each.
#[derive(Clone)]
pub struct TypedQueue(pub Arc<dyn Queue<AnyUnit>>);

impl<U: Unit> Queue<U> for TypedQueue {
    fn size(&self) -> u32 {
        self.0.size()
    }

    fn elsewhere(&self) -> u32 {
        self.0.elsewhere()
    }

    fn threads(&self) -> u32 {
        self.0.threads()
    }

    fn open(&self, terms: Terms, inbox: Inbox<U>) -> LaneId {
        // All units of the lane are put by its coordinator, so that every message can be shown.
        let take = move |message| _ = shown(message).map(|message| inbox.tell(message));
        self.0.open(terms, Inbox::new(take))
    }

    fn put(&self, lane: LaneId, unit: u64, body: U) -> Result<(), Closed> {
        self.0.put(lane, unit, AnyUnit::new(body))
    }

    fn withdraw(&self, lane: LaneId, unit: u64) -> bool {
        self.0.withdraw(lane, unit)
    }

    fn adjust(&self, lane: LaneId, terms: Terms) {
        self.0.adjust(lane, terms);
    }

    fn halt(&self, lane: LaneId, patience: Duration) -> bool {
        self.0.halt(lane, patience)
    }

    fn go_on(&self, lane: LaneId) {
        self.0.go_on(lane);
    }

    fn close(&self, lane: LaneId) {
        self.0.close(lane);
    }

    fn activity(&self, lane: LaneId) -> Activity {
        self.0.activity(lane)
    }

    fn worker_states(&self) -> Vec<WorkerState> {
        self.0.worker_states()
    }
}
